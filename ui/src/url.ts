// SPDX-License-Identifier: Apache-2.0
// Everything that a view shows is in its address. One table says which parameters there are and what they are when they are
// not there; what is not in the table is left alone, so that old and new links work.

export const paths = ["/", "/profiles", "/compare", "/traces", "/dashboards", "/status"] as const;
export type Path = (typeof paths)[number];

export interface State {
  path: Path;
  // what is looked at
  query: string; // service{label="value"}
  type: string;
  from: string;
  to: string;
  file: string; // the id of an opened file, instead of query, from and to
  span: string;
  trace: string;
  children: boolean; // of a span: with all that it called
  most: string; // spans that are listed
  by: string; // a label that the timeline is grouped by
  // of a comparison: the other side; without its own times it has those above
  before: string;
  before_from: string;
  before_to: string;
  before_file: string;
  normalise: boolean;
  palette: "redgreen" | "bluered"; // of differences; the second is for the colour-blind
  show: "both" | "graph" | "sides" | "table"; // of the comparison: difference and table, difference, a graph of each, table
  kind: "" | "grew" | "shrank" | "new" | "gone"; // which changes the table lists
  of: "self" | "total"; // whose changes
  changes: string; // what they are sorted by, as sort
  // a rectangle of the heat map
  time_from: string;
  time_to: string;
  phase_step: string;
  phase_from: string;
  phase_to: string;
  // how it is shown
  view: "both" | "flame" | "table" | "tree" | "sandwich" | "heat" | "spans";
  zoom: string[]; // the names from the root to the frame that fills the width
  search: string;
  function: string; // of the sandwich
  sort: string; // of the table: "self", "total", "name", "-self", ...
  focus: string;
  ignore: string;
  hide: string;
  invert: boolean;
  group: string;
  layout: "icicle" | "flame";
  colour: "module" | "package" | "kind" | "name";
  collapse: "" | "recursion" | "libraries" | "both";
  live: boolean;
}

const initial: State = {
  path: "/",
  query: "",
  type: "",
  from: "now-1h",
  to: "now",
  file: "",
  span: "",
  trace: "",
  children: false,
  most: "",
  by: "",
  before: "",
  before_from: "",
  before_to: "",
  before_file: "",
  normalise: false,
  palette: "redgreen",
  show: "both",
  kind: "",
  of: "self",
  changes: "-change",
  time_from: "",
  time_to: "",
  phase_step: "",
  phase_from: "",
  phase_to: "",
  view: "both",
  zoom: [],
  search: "",
  function: "",
  sort: "-self",
  focus: "",
  ignore: "",
  hide: "",
  invert: false,
  group: "",
  layout: "icicle",
  colour: "package",
  collapse: "",
  live: false,
};

const choices: { [K in keyof State]?: readonly string[] } = {
  palette: ["redgreen", "bluered"],
  show: ["both", "graph", "sides", "table"],
  kind: ["", "grew", "shrank", "new", "gone"],
  of: ["self", "total"],
  view: ["both", "flame", "table", "tree", "sandwich", "heat", "spans"],
  layout: ["icicle", "flame"],
  colour: ["module", "package", "kind", "name"],
  collapse: ["", "recursion", "libraries", "both"],
};

export function parseUrl(url: URL): State {
  const state: Record<string, unknown> = { ...initial };
  state.path = (paths as readonly string[]).includes(url.pathname) ? url.pathname : "/";
  for (const [key, fallback] of Object.entries(initial)) {
    if (key === "path" || !url.searchParams.has(key)) continue;
    const text = url.searchParams.get(key)!;
    if (Array.isArray(fallback)) state[key] = url.searchParams.getAll(key);
    else if (typeof fallback === "boolean") state[key] = text === "1";
    else if (!choices[key as keyof State] || choices[key as keyof State]!.includes(text)) state[key] = text;
  }
  return state as unknown as State;
}

// Only what differs from the usual is written, so that links are short.
export function formatUrl(state: State): string {
  const params = new URLSearchParams();
  for (const [key, fallback] of Object.entries(initial)) {
    const value = state[key as keyof State];
    if (key === "path") continue;
    if (Array.isArray(value)) for (const item of value) params.append(key, item);
    else if (value !== fallback) params.set(key, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  const text = params.toString();
  return state.path + (text ? `?${text}` : "");
}

const listeners = new Set<(state: State) => void>();
let current: State = parseUrl(new URL(typeof location === "undefined" ? "http://localhost/" : location.href));

export const getState = () => current;

function publish(state: State) {
  current = state;
  for (const listener of [...listeners]) listener(state);
}

// Change what is shown. `replace`: without a step for the browser's back button (typing, live follow).
export function go(change: Partial<State>, how: "push" | "replace" = "push") {
  const next = { ...current, ...change };
  const url = formatUrl(next);
  if (url === formatUrl(current)) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", url);
  publish(next);
}

// The address that go() would lead to, for links that can be opened in another tab.
export const linkTo = (change: Partial<State>) => formatUrl({ ...current, ...change });

// What another subject does not inherit from the one before.
export const fresh: Partial<State> = {
  file: "",
  span: "",
  trace: "",
  children: false,
  most: "",
  zoom: [],
  search: "",
  function: "",
  focus: "",
  ignore: "",
  hide: "",
  time_from: "",
  time_to: "",
  phase_step: "",
  phase_from: "",
  phase_to: "",
};

const onBack = () => publish(parseUrl(new URL(location.href)));

// Calls it with every change, by go() or by the browser's buttons, until what it returns is called.
export function listenToUrl(listener: (state: State) => void): () => void {
  window.addEventListener("popstate", onBack); // once, however often
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
