// SPDX-License-Identifier: Apache-2.0
// What the menus of frames and of table rows do with a function.
import { formatSelector, parseSelector, withMatcher } from "../api/selection";
import { copyText } from "../base/clipboard";
import { timePresets } from "../compare/sides";
import type { MenuItem } from "../flame/controls/Menu";
import { refName } from "../flame/model/refs";
import type { Action } from "../flame/props";
import { rootLabel, serviceLabel } from "./root_label";
import { fresh, go, State } from "../url";

// Return a regular expression that matches only this name.
export const exactly = (name: string) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

const both = (old: string, name: string) => (old ? `${old}|${exactly(name)}` : exactly(name));

// The selection without what is only about single spans or moments.
const ofFunction = (state: State): Partial<State> => ({
  ...fresh,
  file: state.file,
  query: state.query,
});

// The profiles of the selection with only the stacks through a function: the timeline is its cost.
const overTime = (state: State, name: string): Partial<State> => ({
  ...ofFunction(state),
  path: "/profiles",
  view: "both",
  focus: exactly(name),
});

const comparison = (state: State): Partial<State> =>
  timePresets(state).find((preset) => preset.key === "previous")?.change ?? { path: "/compare" };

// Run an action of a frame's menu, in any graph.
export function frameAction(state: State, action: Action, ref: string) {
  const name = refName(ref);
  if (action === "focus") go({ focus: exactly(name), zoom: [] });
  else if (action === "hide") go({ hide: both(state.hide, name), zoom: [] });
  else if (action === "ignore") go({ ignore: both(state.ignore, name), zoom: [] });
  else if (action === "sandwich") go({ path: "/profiles", view: "sandwich", function: ref });
  else if (action === "invert") go({ invert: !state.invert, zoom: [] });
  else if (action === "overTime") go(overTime(state, name));
  else if (action === "traces")
    go({ ...ofFunction(state), path: "/profiles", view: "spans", focus: exactly(name) });
  else if (action === "compare") go({ ...comparison(state), function: ref, search: name });
  else void copyText(name);
}

// Run an action of the menu of a root that is the value of a label.
export function rootAction(state: State, action: Action, value: string) {
  const label = rootLabel(state);
  if (action === "copy") return void copyText(value);
  const query =
    label === serviceLabel
      ? formatSelector({ service: value, matchers: parseSelector(state.query)?.matchers ?? [] })
      : withMatcher(state.query, label, value);
  const q = `{ resource.${label === serviceLabel ? "service.name" : label} = ${JSON.stringify(value)} }`;
  if (action === "traces") go({ ...fresh, path: "/traces", list: "traces", query: "", type: "", q });
  else if (action === "compare") go({ ...comparison(state), query });
  else go({ path: "/profiles", query, root: "", zoom: [] });
}

// The menu of a function in a table.
export function functionItems(state: State, name: string, ref: string): (MenuItem | null)[] {
  const act = (action: Action) => () => frameAction(state, action, ref);
  return [
    { label: "Callers and callees of this function", run: act("sandwich") },
    { label: "Only stacks with this function", run: act("focus") },
    { label: "Exclude stacks with this function", run: act("ignore") },
    { label: "Hide this function", run: act("hide") },
    null,
    { label: "This function over time", run: act("overTime") },
    { label: "Traces through this function", run: act("traces") },
    { label: "Compare with the previous range", run: act("compare") },
    null,
    { label: "Copy name", run: () => void copyText(name) },
  ];
}
