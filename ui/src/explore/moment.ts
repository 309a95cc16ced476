// SPDX-License-Identifier: Apache-2.0
// One moment for all questions of a view: "now-1h" means the same to the chart, the table and the flame graph.
import { isRelative, timeOf } from "../base/time";
import { State } from "../url";

const resolve = (text: string, now: number) => {
  const time = timeOf(text, now);
  return isRelative(text) && !Number.isNaN(time) ? String(time) : text;
};

export const nextSecond = () => Math.ceil(Date.now() / 1000) * 1000;

// When the page was opened: what was asked ahead is of this moment, so it is the first view's, too.
export const pageTime = globalThis.varveAhead?.time ?? nextSecond();

export function momentOf(state: State, now: number): State {
  const own = (text: string) => (state.file ? text : resolve(text, now)); // a file's times are not counted from now
  return {
    ...state,
    from: own(state.from),
    to: own(state.to),
    before_from: state.before_from && resolve(state.before_from, now),
    before_to: state.before_to && resolve(state.before_to, now),
  };
}

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 7 * 86400];
const barPixels = 3;

// About how wide (px) each of `beside` charts in a row is: known before anything is drawn.
export const chartWidth = (beside = 1) => Math.max(100, (globalThis.innerWidth ?? 1280) / beside - 130);

// The smallest round step whose buckets are wide enough to be seen as bars in a chart of this width.
export function chartStep(from: number, to: number, width: number): string {
  const least = ((to - from) / 1000 / width) * barPixels;
  const longest = steps[steps.length - 1];
  const step = steps.find((s) => s >= least) ?? longest * Math.ceil(least / longest);
  return step < 1 ? `${step * 1000}ms` : `${step}s`;
}
