// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import { answeredAhead } from "./api/wire";
import { App } from "./app";
import { listenForKeys } from "./base/keys";
import { followSystemTheme } from "./base/theme";
import "./style.css";
import { getState } from "./url";
import { isOther, otherViews } from "./views";

const patienceMs = 100;

followSystemTheme();
listenForKeys();
// A page that is drawn with its answers is drawn once; one that waits for them is drawn again with each. They are near.
const ready = Promise.all([answeredAhead(), isOther(getState()) && otherViews.load()]);
void Promise.race([ready, new Promise((done) => setTimeout(done, patienceMs))]).then(() => render(<App />, document.getElementById("app")!));
