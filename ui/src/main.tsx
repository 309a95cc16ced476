// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { answeredAhead } from "./api/wire";
import { App } from "./app";
import { listenForKeys } from "./base/keys";
import { followSystemTheme } from "./base/theme";
import "./style.css";

const patienceMs = 100;

followSystemTheme();
listenForKeys();
// A page that is drawn with its answers is drawn once; one that waits for them is drawn again with each. They are near.
void Promise.race([answeredAhead(), new Promise((done) => setTimeout(done, patienceMs))]).then(() => render(<App />, document.getElementById("app")!));
