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

const steps = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400, 7 * 86400];

// A round step that gives at most so many points; senders report every 10 to 15 s, so less is not asked for.
export function chartStep(from: number, to: number, points: number): string {
  const least = (to - from) / 1000 / points;
  return `${steps.find((s) => s >= least && s >= 15) ?? steps[steps.length - 1]}s`;
}
