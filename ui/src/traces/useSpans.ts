// SPDX-License-Identifier: Apache-2.0
// The query for a list of spans.
import { apiUrl, useAnswer } from "../api/client";
import { ignoreOf, selectionParams } from "../api/selection";
import { go, State } from "../url";
import type { More, SpansAnswer } from "./SpanTable";

// Numbers of listed spans; the first one is small, because it loads faster.
const steps = [1000, 10_000, 100_000];
const listed = (state: State) =>
  Math.min(Math.max(1, Math.floor(Number(state.most)) || steps[0]), steps[steps.length - 1]);

export function moreSpans(state: State): More | undefined {
  const n = steps.find((step) => step > listed(state));
  return n ? { n, show: () => go({ most: String(n) }) } : undefined;
}

// Query the spans of the selected trace, else of the selection. A selected span does not hide the
// others.
export function useSpans(resolved: State, tick: number, enabled = true) {
  const params = selectionParams({
    ...resolved,
    children: false,
    span: resolved.trace ? "" : resolved.path === "/traces" ? resolved.span : "",
  });
  return useAnswer<SpansAnswer>(
    enabled
      ? apiUrl("spans", {
          ...params,
          focus: resolved.focus,
          ignore: ignoreOf(resolved),
          n: listed(resolved),
        })
      : undefined,
    tick,
  );
}
