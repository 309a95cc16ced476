// SPDX-License-Identifier: Apache-2.0
// The pages of the bar at the top.
import { fresh, Path, State } from "../url";

// Path, name, key, and what a visit resets.
export type Navigation = readonly (readonly [Path, string, string, Partial<State>])[];

export const navigation: Navigation = [
  ["/", "Services", "1", { ...fresh, by: "", services: "", all: false }],
  ["/profiles", "Profiles", "2", {}],
  ["/compare", "Compare", "3", { zoom: [] }],
  ["/traces", "Traces", "4", { ...fresh, type: "" }], // most types have no spans
  ["/logs", "Logs", "5", fresh],
  ["/promql", "Metrics", "6", fresh],
  ["/dashboards", "Dashboards", "7", { ...fresh, dashboard: "", var: [], panel: "", edit: false }],
  ["/alerts", "Alerts", "8", { ...fresh, service: [], alerts: "" }],
  ["/status", "Status", "9", { find: "" }],
];
