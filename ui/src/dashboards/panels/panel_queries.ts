// SPDX-License-Identifier: Apache-2.0
// The queries of a panel and their answers as series: of metrics, profiles and spans.
import { useMemo } from "preact/hooks";
import { apiUrl, promUrl, tempoUrl } from "../../api/client";
import { useQueries } from "../../api/query_queue";
import { SeriesAnswer } from "../../api/types";
import { typeName } from "../../base/profile_types";
import { axisOf } from "../../explore/value_axis";
import { macroValues, withMacros } from "../../promql/macros";
import { Metadata, unitOf } from "../../promql/metric_units";
import {
  ChartData,
  chartData,
  Labels,
  maxSeries,
  PromAnswer,
  PromSeries,
  Steps,
  stepsOf,
} from "../../promql/prom_answer";
import { valueText } from "../../trace_search/found";
import { MetricsAnswer } from "../../trace_search/span_metrics";
import { Panel, PanelQuery, sourceOf } from "../model";
import { substitute, substituteText, Values } from "../variables";

// What all panels of a dashboard share.
export interface PanelContext {
  range: { from: number; to: number }; // ms
  values: Values;
  tick: number;
  wanted: boolean; // the panel is visible and the variables are known
  metadata: Metadata;
  onRange: (from: number, to: number) => void; // ms
  onReset: () => void;
}

type SeriesQueryAnswer = PromAnswer | SeriesAnswer | MetricsAnswer;

const isProm = (answer: SeriesQueryAnswer): answer is PromAnswer => "data" in answer;
const isProfiles = (answer: SeriesQueryAnswer): answer is SeriesAnswer => "rows" in answer;

// Split "checkout{} by (pod)" into its selector and the label.
export function splitBy(query: string): { selector: string; by: string } {
  const found = /^(.*?)\s+by\s*\(\s*([\w.]+)\s*\)\s*$/s.exec(query);
  return found ? { selector: found[1], by: found[2] } : { selector: query.trim(), by: "" };
}

// Return the query with the values of variables and of $__interval etc.
export const finalQuery = (query: string, context: PanelContext, steps: Steps) =>
  substitute(withMacros(query, macroValues(steps, context.range)), context.values);

export function urlOfQuery(
  panel: Panel,
  query: PanelQuery,
  context: PanelContext,
  steps: Steps,
): string {
  const text = finalQuery(query.query, context, steps);
  const source = sourceOf(panel, query);
  if (source === "profiles") {
    const { selector, by } = splitBy(text);
    return apiUrl("series", {
      query: selector,
      type: query.type ?? "cpu",
      from: Math.round(context.range.from),
      to: Math.round(context.range.to),
      step: `${steps.step}s`,
      spread: true,
      by: by ? [by] : [],
    });
  }
  if (source === "traceql")
    return tempoUrl("metrics/query_range", {
      q: text,
      start: Math.floor(context.range.from / 1000),
      end: Math.ceil(context.range.to / 1000),
      step: `${steps.step}s`,
      exemplars: 0,
    });
  return promUrl("query_range", {
    query: text,
    start: steps.from,
    end: steps.to,
    step: steps.step,
    limit: maxSeries,
  });
}

const matrix = (result: PromSeries[]): PromAnswer => ({ data: { resultType: "matrix", result } });

// Return profiles over time as series: a level, or an amount per second.
function ofProfiles(answer: SeriesAnswer): PromAnswer {
  const scale = axisOf(answer).divisor * (answer.gauge ? 1 : answer.step / 1000);
  return matrix(
    answer.rows.map(({ labels, points }) => ({
      metric: labels,
      values: points.map(([time, value]) => [time / 1000, String(value / scale)]),
    })),
  );
}

function ofSpans(answer: MetricsAnswer): PromAnswer {
  return matrix(
    (answer.series ?? []).map(({ labels = [], samples = [] }) => ({
      metric: Object.fromEntries(labels.map((l) => [l.key, valueText(l.value)])) as Labels,
      values: samples.map(
        ({ timestampMs, value }) => [Number(timestampMs) / 1000, String(value ?? 0)],
      ),
    })),
  );
}

export function asProm(answer: SeriesQueryAnswer | undefined): PromAnswer | undefined {
  if (!answer || isProm(answer)) return answer;
  return isProfiles(answer) ? ofProfiles(answer) : ofSpans(answer);
}

// Return the unit of profiles over time.
function unitOfProfiles({ type, unit, gauge }: SeriesAnswer): string {
  if (type.startsWith("process_cpu:cpu:")) return "cores";
  if (unit === "bytes") return gauge ? "B" : "B/s";
  if (unit === "nanoseconds") return gauge ? "ns" : "cores";
  return gauge ? "" : "/s";
}

export interface PanelData {
  data: ChartData;
  answers: (PromAnswer | undefined)[];
  steps: Steps;
  unit: string;
  loading: boolean;
  errors: string[];
  warnings: string[];
  retry: () => void;
}

export const shownQueries = (panel: Panel) =>
  (panel.queries ?? []).filter((q) => !q.hidden && q.query.trim() !== "");

// `width`: of the chart, in pixels; 0 while it is not known.
export function usePanelSeries(panel: Panel, context: PanelContext, width: number): PanelData {
  const { range, metadata } = context;
  const steps = stepsOf(range.from, range.to, width);
  const queries = shownQueries(panel);
  const { answers, loading, retry } = useQueries<SeriesQueryAnswer>(
    context.wanted ? queries.map((query) => urlOfQuery(panel, query, context, steps)) : [],
    context.tick,
    context.wanted && width > 0,
  );
  const raw = answers.map((a) => a.data);
  const proms = useMemo(() => raw.map(asProm), [...raw, raw.length]);
  const legends = queries.map((q) =>
    q.legend
      ? substituteText(q.legend, context.values)
      : sourceOf(panel, q) === "profiles" && !splitBy(q.query).by
        ? typeName(q.type ?? "cpu")
        : "",
  );
  const data = useMemo(
    () => chartData(proms, steps, legends),
    [proms, steps.from, steps.to, steps.step, legends.join("\n")],
  );
  const units = queries.map((query, i) => {
    const answer = raw[i];
    if (sourceOf(panel, query) === "promql") return unitOf(query.query, metadata);
    if (answer && !isProm(answer) && isProfiles(answer)) return unitOfProfiles(answer);
    return /rate\(/.test(query.query) ? "/s" : /duration/.test(query.query) ? "s" : "";
  });
  const own = new Set(units).size === 1 ? units[0] : "";
  const cut = answers.some(
    (a) => a.data && isProm(a.data) && (a.data.data.result as unknown[]).length >= maxSeries,
  );
  return {
    data,
    answers: proms,
    steps,
    unit: panel.unit ?? own,
    loading,
    // a selection of profiles without data is a 404
    errors: answers.flatMap((a) => (a.error && a.error.status !== 404 ? [a.error.message] : [])),
    warnings: [
      ...(cut ? [`Only the first ${maxSeries} series of a query are shown: aggregate them.`] : []),
      ...new Set(
        answers
          .flatMap((a) => (a.data && "warnings" in a.data ? (a.data.warnings ?? []) : []))
          .filter((text) => !/results? (?:truncated|limited)/i.test(text)),
      ),
    ],
    retry,
  };
}
