// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { App } from "./app";
import { listenForKeys } from "./base/keys";
import { followSystemTheme } from "./base/theme";
import "./style.css";

followSystemTheme();
listenForKeys();
render(<App />, document.getElementById("app")!);
