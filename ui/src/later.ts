// SPDX-License-Identifier: Apache-2.0
// The views that few links lead to, in a file of their own (views.ts). What they share with the first ones is all in the file
// of those, so that a page begins with one: this is why their beginning is imported here.
import "./main";

export { Compare } from "./compare/Compare";
export { Dashboards } from "./dashboards/Dashboards";
export { Heat } from "./heat/Heat";
export { Sandwich } from "./sandwich/Sandwich";
export { Status } from "./status/Status";
export { SpanPanes } from "./traces/SpanPanes";
export { Traces } from "./traces/Traces";
export { CallTree } from "./tree/CallTree";
