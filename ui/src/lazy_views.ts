// SPDX-License-Identifier: Apache-2.0
// The rarely used views, bundled into a separate file (lazy_view_loader.ts). The import of main
// puts code that both bundles share into the main bundle, so that a page starts with one file.
import "./main";

export { Compare } from "./compare/Compare";
export { Findings } from "./findings/Findings";
export { Heat } from "./heat/Heat";
export { Logs } from "./logs/Logs";
export { Palette } from "./palette/Palette";
export { Sandwich } from "./sandwich/Sandwich";
export { Status } from "./status/Status";
export { SpanPanes } from "./traces/SpanPanes";
export { Traces } from "./traces/Traces";
export { CallTree } from "./tree/CallTree";
