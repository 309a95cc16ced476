// SPDX-License-Identifier: Apache-2.0
// Metrics, dashboards and alerts, bundled into a file of their own (lazy_view_loader.ts). The import of
// main puts shared code into the main bundle, as in lazy_views.ts.
import "./main";

export { Alerts } from "./alerts/Alerts";
export { Dashboards } from "./dashboards/Dashboards";
export { Metrics } from "./promql/Metrics";
