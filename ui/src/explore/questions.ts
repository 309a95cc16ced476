// SPDX-License-Identifier: Apache-2.0
// What a link to profiles asks first. It is known from the address alone, so it is asked before anything is drawn (ahead.ts).
import { filterParams, isChosen, selectionParams, wholeProfiles } from "../api/selection";
import { apiUrl } from "../api/wire";
import { timeOf } from "../base/time";
import { State } from "../url";
import { chartStep, chartWidth, momentOf, pageTime } from "./moment";

const mostRows = 10_000;
const mostNodes = 20_000;

export const withFlame: readonly State["view"][] = ["both", "flame", "heat", "spans"];
export const withTop: readonly State["view"][] = ["both", "table"];

// `moment`: the state with times that stand still.
export const flameQuestion = (moment: State) => apiUrl("flame", { ...selectionParams(moment), ...filterParams(moment), path: moment.zoom, nearest: moment.zoom.length > 0, max_nodes: mostNodes });
export const topQuestion = (moment: State) => apiUrl("top", { ...selectionParams(moment), ...filterParams(moment), n: mostRows });

const place = (moment: State) => (moment.file ? { file: moment.file } : { query: moment.query, from: moment.from, to: moment.to });
export const typesQuestion = (moment: State) => apiUrl("types", place(moment));
export const labelsQuestion = (moment: State) => apiUrl("labels", place(moment));
export const servicesQuestion = (moment: State) => apiUrl("services", { from: moment.from, to: moment.to });

export interface Span {
  from: number; // ms
  to: number;
}

export const spanOf = (moment: State): Span => ({ from: timeOf(moment.from), to: timeOf(moment.to) });

// The time of a file, with a margin in which one sees where it begins and ends.
export function fileSpan(file: Span): Span {
  const length = Math.max(1000, file.to - file.from);
  return { from: Math.floor(file.from - length / 20), to: Math.ceil(file.from + length * 1.05) };
}

// `span`: the time that the chart shows.
export const seriesQuestion = (moment: State, { from, to }: Span) =>
  apiUrl("series", { ...selectionParams(wholeProfiles(moment)), ...(moment.file ? { from, to } : {}), spread: true, step: chartStep(from, to, chartWidth()), by: moment.by ? [moment.by] : [], focus: moment.focus, ignore: moment.ignore });

// Parts of profiles have no timeline, beside the list of all spans.
export const withTimeline = (moment: State) => moment.view === "spans" || (!moment.span && !moment.trace);

export function firstQuestions(state: State): string[] {
  const moment = momentOf(state, pageTime);
  if (state.path === "/") return [servicesQuestion(moment)];
  if (state.path !== "/profiles") return [];
  if (!isChosen(state)) return [servicesQuestion(moment)];
  return [
    ...(withFlame.includes(state.view) ? [flameQuestion(moment)] : []),
    ...(withTop.includes(state.view) ? [topQuestion(moment)] : []),
    typesQuestion(moment),
    labelsQuestion(moment),
    ...(state.file ? [] : [servicesQuestion(moment)]),
    ...(state.file || !withTimeline(moment) ? [] : [seriesQuestion(moment, spanOf(moment))]),
  ];
}
