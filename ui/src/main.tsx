// SPDX-License-Identifier: Apache-2.0
// The main script of every page: renders <App>, if possible once, together with the answers to the
// early queries.
import { render } from "preact";
import { earlyAnswers } from "./api/transport";
import { App } from "./app";
import { listenForKeys } from "./base/keys";
import { followSystemTheme } from "./base/theme";
import "./style.css";
import { getState } from "./url";
import { isBoard, isLazy, lazyBoards, lazyViews } from "./lazy_view_loader";

const maxWaitMs = 100;

followSystemTheme();
listenForKeys();
// Wait briefly for the early answers: a page rendered with them is rendered once, not again with
// each answer.
const ready = Promise.all([
  earlyAnswers(),
  isLazy(getState()) && lazyViews.load(),
  isBoard(getState()) && lazyBoards.load(),
]);
void Promise.race([ready, new Promise((done) => setTimeout(done, maxWaitMs))]).then(() =>
  render(<App />, document.getElementById("app")!),
);
