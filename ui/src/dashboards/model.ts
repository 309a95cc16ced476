// SPDX-License-Identifier: Apache-2.0
// The document of a dashboard (docs/dashboards.md), and changes of its layout: panels on a grid of
// 24 columns that never overlap and have no empty rows above them.

export const panelTypes = [
  ["chart", "Chart"],
  ["stat", "Single value"],
  ["bar", "Bars"],
  ["heat", "Heat map"],
  ["table", "Table"],
  ["flame", "Flame graph"],
  ["traces", "Traces"],
  ["logs", "Log records"],
  ["text", "Text"],
  ["row", "Heading"],
] as const;
export type PanelType = (typeof panelTypes)[number][0];

export type Source = "promql" | "traceql" | "profiles" | "logs";

export interface PanelQuery {
  query: string;
  source?: Source; // default: that of the panel's type
  legend?: string; // name of a series, with {{label}}
  type?: string; // of profiles
  hidden?: boolean;
}

export interface Threshold {
  from: number; // the colour applies to this value and larger ones
  colour: "good" | "warn" | "bad" | "plain";
}

export type Calculation = "last" | "mean" | "min" | "max" | "sum";

export interface Panel {
  type: PanelType;
  title?: string;
  description?: string;
  x: number;
  y: number;
  w: number;
  h: number;
  queries?: PanelQuery[];
  unit?: string; // undefined: that of the metrics
  decimals?: number;
  style?: "lines" | "stacked" | "bars";
  calculation?: Calculation;
  thresholds?: Threshold[];
  min?: number;
  max?: number;
  limit?: number;
  text?: string;
}

export interface Variable {
  name: string;
  type: "labels" | "profiles" | "list" | "text";
  title?: string;
  label?: string; // the label whose values it has; of profiles "service_name" for services
  match?: string; // selector of the series, or of profiles
  values?: string[]; // of a list
  regex?: string; // only values that match; the first group is the value
  value?: string[]; // initial values; none: the first, or all
  multi?: boolean;
  all?: boolean; // "all" can be chosen
}

export interface Dashboard {
  version: 1;
  title: string;
  description?: string;
  from?: string;
  to?: string;
  refresh?: boolean; // live
  variables?: Variable[];
  panels: Panel[];
}

export const columns = 24;
const maxRows = 10_000;

export const sourceOf = (panel: Panel, query: PanelQuery): Source =>
  query.source ??
  (panel.type === "flame"
    ? "profiles"
    : panel.type === "traces"
      ? "traceql"
      : panel.type === "logs"
        ? "logs"
        : "promql");

const overlap = (a: Panel, b: Panel) =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

// Return the panels without overlaps and gaps: each moves up as far as it can. `first`: the number
// of a panel that keeps its place; others make room for it.
export function settled(panels: readonly Panel[], first = -1): Panel[] {
  const order = panels
    .map((panel, i) => ({ panel: { ...panel, x: Math.min(panel.x, columns - panel.w) }, i }))
    .sort(
      (a, b) => a.panel.y - b.panel.y || Number(b.i === first) - Number(
        a.i === first,
      ) || a.panel.x - b.panel.x,
    );
  const done: { panel: Panel; i: number }[] = [];
  // The moved panel is placed where it is wanted; the others settle around it.
  if (first >= 0) done.push(order.find((o) => o.i === first)!);
  for (const one of order) {
    if (one.i === first) continue;
    const { panel } = one;
    while (panel.y < maxRows && done.some((d) => overlap(d.panel, panel))) panel.y++;
    while (panel.y > 0 && !done.some((d) => overlap(d.panel, { ...panel, y: panel.y - 1 })))
      panel.y--;
    done.push(one);
  }
  if (first >= 0) {
    // nothing may be below an empty row
    const moved = done[0].panel;
    const others = done.slice(1);
    while (moved.y > 0 && !others.some((d) => overlap(d.panel, { ...moved, y: moved.y - 1 })))
      moved.y--;
  }
  const out: Panel[] = [];
  for (const { panel, i } of done) out[i] = panel;
  return first >= 0 ? settled(out) : out; // the others close the gaps
}

const between = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(most, value));

// Return the panels after one has moved or changed its size by some cells.
export function moved(panels: readonly Panel[], i: number, dx: number, dy: number): Panel[] {
  const panel = panels[i];
  const y = Math.max(0, panel.y + dy);
  const x = between(panel.x + dx, 0, columns - panel.w);
  let next = panels.map((p, k) => (k === i ? { ...p, x, y } : p));
  if (dy > 0) {
    // a panel that moves down changes places with the one below it
    const below = panels.filter(
      (
        p,
        k,
      ) => k !== i && p.y >= panel.y + panel.h && p.x < panel.x + panel.w && panel.x < p.x + p.w,
    );
    const nearest = below.sort((a, b) => a.y - b.y)[0];
    if (nearest && nearest.y + nearest.h - panel.h < y + nearest.h)
      next = next.map((p, k) =>
        k === i ? {
          ...p,
          y: nearest.y + nearest.h - panel.h + Math.max(0, dy - 1),
        } : p === nearest ? { ...p, y: panel.y } : p,
      );
  }
  return settled(next, i);
}

export function resized(panels: readonly Panel[], i: number, dw: number, dh: number): Panel[] {
  const panel = panels[i];
  const w = between(panel.w + dw, 2, columns - panel.x);
  const h = between(panel.h + dh, 1, 100);
  return settled(
    panels.map((p, k) => (k === i ? { ...p, w, h } : p)),
    i,
  );
}

export const bottomOf = (panels: readonly Panel[]) =>
  panels.reduce((most, p) => Math.max(most, p.y + p.h), 0);

export function withPanel(panels: readonly Panel[], panel: Panel): Panel[] {
  return settled([...panels, { ...panel, x: 0, y: bottomOf(panels) }]);
}

export function duplicated(panels: readonly Panel[], i: number): Panel[] {
  const panel = panels[i];
  const right = panel.x + 2 * panel.w <= columns;
  const copy = right
    ? { ...panel, x: panel.x + panel.w }
    : { ...panel, y: panel.y + panel.h };
  return settled([...panels, structuredClone(copy)]);
}

export const without = (panels: readonly Panel[], i: number) =>
  settled(panels.filter((_, k) => k !== i));

const initialHeight: Partial<Record<PanelType, number>> = { stat: 4, row: 1, text: 4, flame: 12 };

export function newPanel(type: PanelType): Panel {
  const h = initialHeight[type] ?? 8;
  const w = type === "stat" ? 6 : type === "row" ? columns : 12;
  const title = panelTypes.find(([name]) => name === type)![1];
  if (type === "row") return { type, title, x: 0, y: 0, w, h };
  if (type === "text") return { type, title: "", text: "Text", x: 0, y: 0, w, h };
  const query: PanelQuery =
    type === "flame"
      ? { query: "", type: "cpu" }
      : { query: type === "traces" ? "{ status = error }" : "" };
  return { type, title, x: 0, y: 0, w, h, queries: [query] };
}

// Order of the panels for the keyboard and narrow windows: by rows.
export const inOrder = (panels: readonly Panel[]) =>
  panels.map((panel, i) => ({ panel, i })).sort(
    (a, b) => a.panel.y - b.panel.y || a.panel.x - b.panel.x,
  );

// Return a name for a title: "CPU & memory" -> "cpu-memory".
export const nameOf = (title: string) =>
  title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60) || "dashboard";

export const validName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);

// Format a document: a panel or variable on one or a few lines is not worth it, so two spaces.
export const formatDocument = (dashboard: Dashboard) => `${JSON.stringify(dashboard, null, 2)}\n`;

// Return the line and column of an error of JSON.parse(), as far as the browser reports it.
export function jsonPlace(text: string, message: string) {
  const at = /position (\d+)/.exec(message);
  if (!at) return undefined;
  const before = text.slice(0, Number(at[1])).split("\n");
  return { line: before.length, column: before[before.length - 1].length + 1, reason: message };
}
