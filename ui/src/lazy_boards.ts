// SPDX-License-Identifier: Apache-2.0
// Metrics and dashboards, bundled into a file of their own (lazy_view_loader.ts). The import of
// main puts shared code into the main bundle, as in lazy_views.ts.
import "./main";

export { Dashboards } from "./dashboards/Dashboards";
export { Metrics } from "./promql/Metrics";
