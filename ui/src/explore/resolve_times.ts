// SPDX-License-Identifier: Apache-2.0
// Resolves relative times once for all queries of a view, so that "now-1h" is the same time in
// chart, table and flame graph.
import { isRelative, timeOf } from "../base/time";
import { State } from "../url";

const resolve = (text: string, now: number) => {
  const time = timeOf(text, now);
  return isRelative(text) && !Number.isNaN(time) ? String(time) : text;
};

export const nextSecond = () => Math.ceil(Date.now() / 1000) * 1000;

// The time of the page load. The early queries used it, so the first view must use it, too.
export const pageTime = globalThis.varveEarlyQueries?.time ?? nextSecond();

export function resolveTimes(state: State, now: number): State {
  // Relative times of a file are not resolved: they select all of it.
  const own = (text: string) => (state.file ? text : resolve(text, now));
  return {
    ...state,
    from: own(state.from),
    to: own(state.to),
    before_from: state.before_from && resolve(state.before_from, now),
    before_to: state.before_to && resolve(state.before_to, now),
  };
}

const steps = [
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  15,
  30,
  60,
  120,
  300,
  600,
  900,
  1800,
  3600,
  7200,
  10800,
  21600,
  43200,
  86400,
  7 * 86400,
];
const barPixels = 3;

// Estimate the width (px) of each of `beside` charts in a row, before layout.
export const chartWidth = (beside = 1) =>
  Math.max(100, (globalThis.innerWidth ?? 1280) / beside - 130);

// Return the smallest round step whose buckets are at least `barPixels` wide.
export function chartStep(from: number, to: number, width: number): string {
  const least = ((to - from) / 1000 / width) * barPixels;
  const longest = steps[steps.length - 1];
  const step = steps.find((s) => s >= least) ?? longest * Math.ceil(least / longest);
  return step < 1 ? `${step * 1000}ms` : `${step}s`;
}
