// SPDX-License-Identifier: Apache-2.0
// Compares amounts per second or per request: divides both sides of a difference by the number of
// seconds with data, or of requests.
import { useEffect, useState } from "preact/hooks";
import { fetchAnswer, request } from "../api/client";
import { parseSelector, selectionParams, wholeProfiles } from "../api/selection";
import { Change, ChangeKind, DiffAnswer, SeriesAnswer } from "../api/types";
import { timeOf } from "../base/time";
import { formatCount } from "../base/units";
import { MetricsAnswer } from "../trace_search/span_metrics";
import { State } from "../url";
import { Grain } from "./significance";
import { sideOf } from "./sides";

export interface Scaling {
  per: Exclude<State["per"], "">;
  count: Grain; // seconds or requests of each side
}

const changeOf = (change: Change, { before, after }: Grain): Change => {
  const scaled = { before: change.before / before, after: change.after / after };
  return { ...scaled, delta: scaled.after - scaled.before };
};

const kindOf = (kind: ChangeKind, { delta }: Change): ChangeKind =>
  kind === "new" || kind === "gone" ? kind : delta > 0 ? "grew" : delta < 0 ? "shrank" : "same";

// Return the answer with all values divided by the counts of their sides.
export function scaledAnswer(answer: DiffAnswer, { count }: Scaling): DiffAnswer {
  const changes: Record<ChangeKind, number> = { same: 0, grew: 0, shrank: 0, new: 0, gone: 0 };
  const rows = answer.rows.map((row) => {
    const [self, total] = [changeOf(row.self, count), changeOf(row.total, count)];
    const kind = kindOf(row.kind, total);
    changes[kind]++;
    return { ...row, self, total, kind };
  });
  const side = (name: keyof Grain) => ({
    ...answer[name],
    total: answer[name].total / count[name],
    kept: answer[name].kept / count[name],
  });
  const by = (values: number[] | undefined, n: number) => values?.map((value) => value / n);
  const { flame } = answer;
  return {
    ...answer,
    before: side("before"),
    after: side("after"),
    rows,
    changes,
    flame: flame && {
      ...flame,
      self: by(flame.self, count.after)!,
      total: by(flame.total, count.after)!,
      before_self: by(flame.before_self, count.before),
      before_total: by(flame.before_total, count.before),
    },
  };
}

// Return the seconds of a side in which it has data.
async function secondsOf(side: State): Promise<number> {
  const span = timeOf(side.to) - timeOf(side.from);
  const step = Math.max(1000, Math.ceil(span / 500 / 1000) * 1000);
  const answer = await fetchAnswer<SeriesAnswer>("series", {
    ...selectionParams(wholeProfiles(side)),
    spread: true,
    step: `${step}ms`,
  });
  return ((answer.rows[0]?.points.length ?? 0) * answer.step) / 1000;
}

// Return the TraceQL query of the requests that a selection served.
export function requestsQuery(query: string): string | undefined {
  const selector = parseSelector(query);
  if (!selector?.service) return undefined;
  const conditions = [
    "kind = server",
    `resource.service.name = ${JSON.stringify(selector.service)}`,
    ...selector.matchers.map((m) => `resource.${m.name} ${m.op} ${JSON.stringify(m.value)}`),
  ];
  return `{ ${conditions.join(" && ")} } | count_over_time()`;
}

// Return the number of requests that a side has served, from its spans.
async function requestsOf(side: State): Promise<number> {
  const q = requestsQuery(side.query);
  if (!q || side.file) throw new Error("Requests are counted from the spans of one service.");
  const [start, end] = [side.from, side.to].map((t) => Math.floor(timeOf(t) / 1000));
  const path = "/api/metrics/query_range";
  const params = new URLSearchParams({
    q,
    start: String(start),
    end: String(Math.max(start + 1, end)),
    step: `${Math.max(1, Math.ceil((end - start) / 100))}s`,
  });
  const answer = await request<MetricsAnswer>(`${path}?${params.toString()}`);
  return (answer.series ?? [])
    .flatMap((series) => series.samples ?? [])
    .reduce((sum, sample) => sum + (Number(sample.value) || 0), 0);
}

export interface ScalingAnswer {
  scaling?: Scaling;
  problem: string;
}

// Count the seconds or requests of both sides. `resolved`: the state with resolved times.
export function useScaling(resolved: State, type: string, tick: number): ScalingAnswer {
  const { per } = resolved;
  const [answer, set] = useState<ScalingAnswer>({ problem: "" });
  const [before, after] = [sideOf(resolved, "before"), resolved].map((s) => ({ ...s, type }));
  const key = JSON.stringify([before, after].map((s) => [s.query, s.from, s.to, s.file, type]));
  useEffect(() => {
    set({ problem: "" });
    if (!per || !type) return;
    let current = true;
    const count = per === "second" ? secondsOf : requestsOf;
    void Promise.all([count(before), count(after)])
      .then(([b, a]) => {
        const none = [!b && "before", !a && "after"].filter(Boolean);
        const what = per === "second" ? "second with data" : "request in stored spans";
        if (!current) return;
        set(
          none.length
            ? { problem: `No ${what} ${none.join(" and ")}: amounts are shown instead.` }
            : { scaling: { per, count: { before: b, after: a } }, problem: "" },
        );
      })
      .catch((e: Error) => current && set({ problem: e.message }));
    return () => void (current = false);
  }, [per, key, tick]);
  return answer;
}

export const countsText = ({ per, count }: Scaling) =>
  per === "second"
    ? `${formatCount(count.before, "second")} and ${formatCount(count.after, "second")} with data`
    : `${formatCount(count.before, "request")} and ${formatCount(count.after, "request")}`;
