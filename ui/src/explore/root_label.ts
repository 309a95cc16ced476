// SPDX-License-Identifier: Apache-2.0
// Which label's values are the roots of a flame graph.
import { serviceOf } from "../api/selection";
import { State } from "../url";

export const serviceLabel = "service_name";

// Return the label whose values are the roots; "": the roots are those of the stacks. By default
// several services stay apart.
export function rootLabel(state: State): string {
  if (state.root) return state.root === "none" ? "" : state.root;
  const oneService = serviceOf(state.query) !== "" || state.file !== "" || state.invert;
  return oneService || !state.query ? "" : serviceLabel;
}
