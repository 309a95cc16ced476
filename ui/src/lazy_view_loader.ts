// SPDX-License-Identifier: Apache-2.0
// Loads the rarely used views (lazy_views.ts) on demand.
import { lazy } from "./base/lazy";
import { State } from "./url";

export const lazyViews = lazy(() => import("./lazy_views"));

export const isLazy = ({ path, view }: State) =>
  path === "/profiles" ? !["both", "flame", "table"].includes(view) : path !== "/";
