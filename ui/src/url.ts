// SPDX-License-Identifier: Apache-2.0
// The state of a view is its address. One table lists the parameters and their defaults, another
// the views in which each parameter has an effect and is visible. An address contains only
// parameters of its own view; others are ignored.

export const paths = [
  "/",
  "/profiles",
  "/compare",
  "/traces",
  "/logs",
  "/promql",
  "/dashboards",
  "/alerts",
  "/status",
] as const;
export type Path = (typeof paths)[number];

export interface State {
  path: Path;
  // selection
  query: string; // service{label="value"}
  type: string;
  from: string;
  to: string;
  file: string; // id of an opened file; replaces query, from and to
  span: string;
  trace: string;
  traces: string; // TraceQL: only the samples of the spans that it finds
  children: boolean; // include the children of the span, or of the found spans
  most: string; // number of listed spans
  by: string; // label by which the timeline is grouped
  rest: boolean; // show the sum of the values without lines of their own
  multiples: boolean; // one small chart for each value
  // the other side of a comparison; empty times mean those of the selection
  before: string;
  before_from: string;
  before_to: string;
  before_file: string;
  normalise: boolean;
  per: "" | "second" | "request"; // amounts per second with data, or per request
  sure: boolean; // list only changes beyond the sampling error
  palette: "redgreen" | "bluered"; // colours of differences; "bluered" is for colour-blind users
  // layout of a comparison: difference and table, difference, one graph for each side, table
  show: "both" | "graph" | "sides" | "table" | "versions";
  kind: "" | "all" | "grew" | "shrank" | "new" | "gone"; // kind of changes that the table lists
  of: "self" | "total"; // value that is compared
  changes: string; // sort order of the table, in the format of `sort`
  // rectangle of the heat map
  time_from: string;
  time_to: string;
  phase_step: string;
  phase_from: string;
  phase_to: string;
  // search of traces and log records
  q: string; // TraceQL
  list: "traces" | "spans" | "names"; // found traces, or the most expensive spans of profiles
  chart: "heat" | "rate" | "duration" | "off"; // chart above the found traces
  open: string[]; // rows that are unfolded: ids of traces, or of log records
  service: string[]; // services of log records
  severity: string; // least severity
  text: string; // text that log records contain
  as: "words" | "part" | "regex"; // how `text` is compared
  where: string[]; // conditions on attributes: KEY=VALUE
  // metrics
  expr: string[]; // PromQL
  draw: "lines" | "stacked" | "bars"; // the chart
  result: "both" | "chart" | "table";
  step: string; // of the chart, as a duration; "": chosen by the width
  unit: string; // "": that of the metrics
  only: string[]; // names of the series that the chart shows; none: all
  order: string; // sort order of the table, in the format of `sort`
  exemplars: boolean;
  // dashboards
  dashboard: string; // name; "": the list
  var: string[]; // values of variables: NAME=VALUE
  panel: string; // number of the panel that is shown alone
  edit: boolean;
  alerts: "" | "firing" | "pending"; // the active alerts that are listed
  // display of a trace
  find: string; // text that is searched in the spans, or filters senders or alerts
  critical: boolean; // mark the critical path
  grouped: boolean; // fold groups of equal siblings
  pane: "" | "flame" | "span" | "logs"; // beside the spans; "": the graph, or details without samples
  // display
  view: "both" | "flame" | "table" | "tree" | "sandwich" | "heat" | "spans" | "findings";
  zoom: string[]; // names from the root to the zoomed frame
  search: string;
  function: string; // selected function
  sort: string; // sort order of the table: "self", "total", "name", "-self", ...
  senders: string; // sort order of the senders, in the format of `sort`
  services: string; // sort order of the services, in the format of `sort`; "": worst change first
  all: boolean; // list all services, not only the first
  focus: string;
  ignore: string;
  hide: string;
  invert: boolean;
  group: string;
  root: string; // label whose values are the roots of the flame graph; "none": not any
  busy: boolean; // without stacks that wait
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
  traces: "",
  children: false,
  most: "",
  by: "",
  rest: false,
  multiples: false,
  before: "",
  before_from: "",
  before_to: "",
  before_file: "",
  normalise: false,
  per: "",
  sure: false,
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
  q: "",
  list: "traces",
  chart: "heat",
  open: [],
  service: [],
  severity: "",
  text: "",
  as: "words",
  where: [],
  expr: [],
  draw: "lines",
  result: "both",
  step: "",
  unit: "",
  only: [],
  order: "-value",
  exemplars: false,
  dashboard: "",
  var: [],
  panel: "",
  edit: false,
  alerts: "",
  find: "",
  critical: true,
  grouped: true,
  pane: "",
  view: "both",
  zoom: [],
  search: "",
  function: "",
  sort: "-self",
  senders: "-last",
  services: "",
  all: false,
  focus: "",
  ignore: "",
  hide: "",
  invert: false,
  group: "",
  root: "",
  busy: false,
  layout: "icicle",
  colour: "package",
  collapse: "",
  live: false,
};

const choices: { [K in keyof State]?: readonly string[] } = {
  palette: ["redgreen", "bluered"],
  show: ["both", "graph", "sides", "table", "versions"],
  per: ["", "second", "request"],
  kind: ["", "all", "grew", "shrank", "new", "gone"],
  of: ["self", "total"],
  list: ["traces", "spans", "names"],
  chart: ["heat", "rate", "duration", "off"],
  as: ["words", "part", "regex"],
  draw: ["lines", "stacked", "bars"],
  result: ["both", "chart", "table"],
  alerts: ["", "firing", "pending"],
  pane: ["", "flame", "span", "logs"],
  view: ["both", "flame", "table", "tree", "sandwich", "heat", "spans", "findings"],
  layout: ["icicle", "flame"],
  colour: ["module", "package", "kind", "name"],
  collapse: ["", "recursion", "libraries", "both"],
};

// views of one or two selections
const data: readonly Path[] = ["/profiles", "/compare", "/traces"];
// views with a search box and graph options
const graphs: readonly Path[] = ["/profiles", "/compare"];
const profiles: readonly Path[] = ["/profiles"];
const compare: readonly Path[] = ["/compare"];
const traces: readonly Path[] = ["/profiles", "/traces"]; // views that can show one span or trace
const ids: readonly Path[] = ["/profiles", "/traces", "/logs"]; // views with data of a span or trace
const search: readonly Path[] = ["/traces"];
const logs: readonly Path[] = ["/logs"];
const metrics: readonly Path[] = ["/promql"];
const boards: readonly Path[] = ["/dashboards"];
// views with a time range
const timed: readonly Path[] = ["/", ...data, "/logs", "/promql", "/dashboards", "/alerts"];

// The views in which a parameter has an effect and is shown by a control, a chip or a selected row.
// A filter must not have an effect in a view where the user can neither see nor remove it.
const actsIn: Record<Exclude<keyof State, "path">, readonly Path[]> = {
  query: data,
  type: ["/", ...data],
  from: timed,
  to: timed,
  file: data,
  span: ids,
  trace: ids,
  traces: profiles,
  children: traces,
  most: traces,
  by: profiles,
  rest: profiles,
  multiples: profiles,
  before: compare,
  before_from: compare,
  before_to: compare,
  before_file: compare,
  normalise: compare,
  per: compare,
  sure: compare,
  palette: compare,
  show: compare,
  kind: compare,
  of: compare,
  changes: compare,
  time_from: profiles,
  time_to: profiles,
  phase_step: profiles,
  phase_from: profiles,
  phase_to: profiles,
  q: search,
  list: search,
  chart: search,
  open: ["/traces", "/logs", "/alerts"],
  service: ["/logs", "/alerts"],
  severity: logs,
  text: logs,
  as: logs,
  where: logs,
  expr: metrics,
  draw: metrics,
  result: metrics,
  step: metrics,
  unit: metrics,
  only: metrics,
  order: metrics,
  exemplars: metrics,
  dashboard: boards,
  var: boards,
  panel: boards,
  edit: boards,
  alerts: ["/alerts"],
  find: ["/", "/traces", "/alerts", "/status"],
  critical: search,
  grouped: search,
  pane: search,
  view: profiles,
  zoom: data,
  search: graphs,
  function: data,
  sort: profiles,
  senders: ["/status"],
  services: ["/"],
  all: ["/"],
  focus: data,
  ignore: data,
  hide: data,
  invert: data,
  group: data,
  root: profiles,
  busy: data,
  layout: data,
  colour: data,
  collapse: graphs,
  live: ["/", "/profiles", "/logs", "/promql", "/dashboards", "/alerts"],
};

type Key = keyof typeof actsIn;
const keys = Object.keys(actsIn) as Key[];

// The range of a dashboard is its own unless the address has one: "".
const initialOf = (key: keyof State, path: Path) =>
  path === "/dashboards" && (key === "from" || key === "to") ? "" : initial[key];

// Reset the parameters that have no effect in the state's view.
export function scoped(state: State): State {
  const own: Record<string, unknown> = { ...state };
  for (const key of keys) if (!actsIn[key].includes(state.path)) own[key] = initial[key];
  if (state.path !== "/dashboards")
    for (const key of ["from", "to"] as const) own[key] ||= initial[key];
  return own as unknown as State;
}

// The address of an expression in Prometheus, which alerts have as the link to their source:
// /graph?g0.expr=EXPR&g0.tab=1, and g1.expr, g2.expr... of others.
function parseGraph({ searchParams }: URL): State {
  const expr: string[] = [];
  for (let i = 0; searchParams.has(`g${i}.expr`); i++) expr.push(searchParams.get(`g${i}.expr`)!);
  return { ...initial, path: "/promql", expr: expr.filter(Boolean) };
}

export function parseUrl(url: URL): State {
  if (url.pathname === "/graph") return parseGraph(url);
  const state: Record<string, unknown> = { ...initial };
  state.path = (paths as readonly string[]).includes(url.pathname) ? url.pathname : "/";
  for (const [key, fallback] of Object.entries(initial)) {
    if (key === "path") continue;
    if (!url.searchParams.has(key)) {
      state[key] = initialOf(key as keyof State, state.path as Path);
      continue;
    }
    const text = url.searchParams.get(key)!;
    if (Array.isArray(fallback)) state[key] = url.searchParams.getAll(key);
    else if (typeof fallback === "boolean") state[key] = text === "1";
    else if (!choices[key as keyof State] || choices[key as keyof State]!.includes(text))
      state[key] = text;
  }
  return scoped(state as unknown as State);
}

// Format the state as a URL. Parameters with default values are omitted, so that links are short.
export function formatUrl(state: State): string {
  const params = new URLSearchParams();
  for (const key of Object.keys(initial)) {
    const value = state[key as keyof State];
    const fallback = initialOf(key as keyof State, state.path);
    if (key === "path") continue;
    if (Array.isArray(value)) for (const item of value) params.append(key, item);
    else if (value !== fallback)
      params.set(key, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  const text = params.toString();
  return state.path + (text ? `?${text}` : "");
}

// Parameters that survive a visit to a view without them (status, services): the selection and the
// display of graphs.
const kept: readonly Key[] = [
  "query",
  "type",
  "from",
  "to",
  "layout",
  "colour",
  "collapse",
  "palette",
];

// Return the state after a change. `last`: the latest values of the parameters in `kept`.
export function nextState(state: State, change: Partial<State>, last: Partial<State>): State {
  const next: Record<string, unknown> = { ...state };
  const path = change.path ?? state.path;
  if (path !== state.path)
    for (const key of kept)
      if (key in last && !actsIn[key].includes(state.path)) next[key] = last[key];
  return scoped({ ...(next as unknown as State), ...change });
}

const listeners = new Set<(state: State) => void>();
const last: Partial<State> = {};
let current: State;

function setCurrent(state: State) {
  current = state;
  for (const key of kept)
    if (actsIn[key].includes(state.path)) (last as Record<string, unknown>)[key] = state[key];
}

setCurrent(
  parseUrl(new URL(typeof location === "undefined" ? "file:///" : location.href)),
);

export const getState = () => current;

// The page of an address of Prometheus has its own address.
if (typeof location !== "undefined" && location.pathname === "/graph")
  history.replaceState(null, "", formatUrl(getState()));

let back = false;

// Whether the browser's back or forward button has led to this view.
export const cameBack = () => back;

function publish(state: State, byBrowser = false) {
  back = byBrowser;
  setCurrent(state);
  for (const listener of [...listeners]) listener(state);
}

// Change the state and the address. `replace`: without an entry in the browser's history (typing,
// live mode).
export function go(change: Partial<State>, how: "push" | "replace" = "push") {
  const next = nextState(current, change, last);
  const url = formatUrl(next);
  if (url === formatUrl(current)) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", url);
  publish(next);
}

// Return the address that go() would set, for links that can be opened in another tab.
export const linkTo = (change: Partial<State>) => formatUrl(nextState(current, change, last));

// Parameters that are reset when another service, trace or file is opened.
export const fresh: Partial<State> = {
  file: "",
  span: "",
  trace: "",
  traces: "",
  children: false,
  most: "",
  open: [],
  find: "",
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

const onBack = () => publish(parseUrl(new URL(location.href)), true);

// Call the listener after every change by go() or by the browser's back and forward buttons.
// Returns the unsubscribe function.
export function listenToUrl(listener: (state: State) => void): () => void {
  window.addEventListener("popstate", onBack); // has no effect if it is registered already
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
