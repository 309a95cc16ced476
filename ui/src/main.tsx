// SPDX-License-Identifier: Apache-2.0
import "./ahead";
import { render } from "preact";
import { App } from "./app";
import { listenForKeys } from "./base/keys";
import { followSystemTheme } from "./base/theme";
import "./style.css";

listenForKeys();
render(<App />, document.getElementById("app")!);
// What a browser remembers takes it a while, in which the server answers.
followSystemTheme();
