// SPDX-License-Identifier: Apache-2.0
// The URLs of the first queries of a view. They depend on the address alone, so they are sent
// before rendering (early_queries.ts).
import { filterParams, ignoreOf, isChosen, selectionParams, wholeProfiles } from "../api/selection";
import { apiUrl } from "../api/transport";
import { timeOf } from "../base/time";
import { State } from "../url";
import { rootLabel } from "./root_label";
import { maxLines } from "./chart_lines";
import { chartStep, chartWidth, pageTime, resolveTimes } from "./resolve_times";

const maxRows = 10_000;
const maxNodes = 20_000;

export const withFlame: readonly State["view"][] = ["both", "flame", "heat", "spans"];
export const withTop: readonly State["view"][] = ["both", "table"];

// `resolved`: the state with resolved times.
export const flameQuery = (resolved: State) =>
  apiUrl("flame", {
    ...selectionParams(resolved),
    ...filterParams(resolved),
    path: resolved.zoom,
    nearest: resolved.zoom.length > 0,
    max_nodes: maxNodes,
  });
export const topQuery = (resolved: State) =>
  apiUrl("top", { ...selectionParams(resolved), ...filterParams(resolved), n: maxRows });

const place = (resolved: State) =>
  resolved.file
    ? { file: resolved.file }
    : { query: resolved.query, from: resolved.from, to: resolved.to };
export const typesQuery = (resolved: State) => apiUrl("types", place(resolved));
export const labelsQuery = (resolved: State) => apiUrl("labels", place(resolved));
export const servicesQuery = (resolved: State) =>
  apiUrl("services", { from: resolved.from, to: resolved.to });

export interface Span {
  from: number; // ms
  to: number;
}

export const spanOf = (resolved: State): Span => ({
  from: timeOf(resolved.from),
  to: timeOf(resolved.to),
});

// Return the time range of a file with a margin, so that its begin and end are visible.
export function fileSpan(file: Span): Span {
  const length = Math.max(1000, file.to - file.from);
  return { from: Math.floor(file.from - length / 20), to: Math.ceil(file.from + length * 1.05) };
}

// `from`, `to`: the time range of the chart.
export const seriesQuery = (resolved: State, { from, to }: Span) =>
  apiUrl("series", {
    ...selectionParams(wholeProfiles(resolved)),
    ...(resolved.file ? { from, to } : {}),
    spread: true,
    step: chartStep(from, to, chartWidth()),
    by: resolved.by ? [resolved.by] : [],
    ...(resolved.by ? { limit: maxLines, rest: true } : {}),
    focus: resolved.focus,
    ignore: ignoreOf(resolved),
  });

// Whether the view has a timeline. It shows whole profiles, so a selected span or trace has none,
// except in the list of spans.
export const withTimeline = (resolved: State) =>
  resolved.view === "spans" || (!resolved.span && !resolved.trace && !resolved.traces);

export function firstQueries(state: State): string[] {
  const resolved = resolveTimes(state, pageTime);
  if (state.path === "/") return [servicesQuery(resolved)];
  if (state.path !== "/profiles") return [];
  if (!isChosen(state)) return [servicesQuery(resolved)];
  return [
    ...(withFlame.includes(state.view) && !rootLabel(resolved) ? [flameQuery(resolved)] : []),
    ...(withTop.includes(state.view) ? [topQuery(resolved)] : []),
    typesQuery(resolved),
    labelsQuery(resolved),
    ...(state.file ? [] : [servicesQuery(resolved)]),
    ...(state.file || !withTimeline(resolved) ? [] : [seriesQuery(resolved, spanOf(resolved))]),
  ];
}
