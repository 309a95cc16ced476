// SPDX-License-Identifier: Apache-2.0
// What a list of spans asks.
import { apiUrl, useAnswer } from "../api/client";
import { selectionParams } from "../api/selection";
import { go, State } from "../url";
import type { More, SpansAnswer } from "./SpanTable";

// How many are listed: few at first, for it is quicker.
const steps = [1000, 10_000, 100_000];
const listed = (state: State) => Math.min(Math.max(1, Math.floor(Number(state.most)) || steps[0]), steps[steps.length - 1]);

export function moreSpans(state: State): More | undefined {
  const n = steps.find((step) => step > listed(state));
  return n ? { n, show: () => go({ most: String(n) }) } : undefined;
}

// All of the trace if there is one, else all of the selection; a span that is looked at does not hide the others.
export function useSpans(moment: State, tick: number, asked = true) {
  const params = selectionParams({ ...moment, children: false, span: moment.trace ? "" : moment.path === "/traces" ? moment.span : "" });
  return useAnswer<SpansAnswer>(asked ? apiUrl("spans", { ...params, focus: moment.focus, ignore: moment.ignore, n: listed(moment) }) : undefined, tick);
}
