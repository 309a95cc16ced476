// SPDX-License-Identifier: Apache-2.0
// Loads the rarely used views (lazy_views.ts, lazy_boards.ts) on demand.
import { lazy } from "./base/lazy";
import { State } from "./url";

export const lazyViews = lazy(() => import("./lazy_views"));
export const lazyBoards = lazy(() => import("./lazy_boards"));

export const isBoard = ({ path }: State) =>
  path === "/promql" || path === "/dashboards" || path === "/alerts";

export const isLazy = (state: State) =>
  state.path === "/profiles"
    ? !["both", "flame", "table"].includes(state.view)
    : state.path !== "/" && !isBoard(state);
