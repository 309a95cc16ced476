// SPDX-License-Identifier: Apache-2.0
// The answers of Prometheus' interface, and what charts and tables show of them.
import { ErrorPlace } from "../base/CompletionField";

export type Labels = Record<string, string>;

type Sample = [seconds: number, value: string];

// A native histogram: buckets are [boundaries, from, to, count].
export interface PromHistogram {
  count: string;
  sum: string;
  buckets?: [number, string, string, string][];
}

type HistogramSample = [seconds: number, histogram: PromHistogram];

export interface PromSeries {
  metric: Labels;
  values?: Sample[];
  histograms?: HistogramSample[];
  value?: Sample;
  histogram?: HistogramSample;
}

export interface PromAnswer {
  data: {
    resultType: "vector" | "matrix" | "scalar" | "string";
    result: PromSeries[] | Sample;
  };
  warnings?: string[];
  infos?: string[];
}

export interface ExemplarsAnswer {
  data: {
    seriesLabels: Labels;
    exemplars: { labels: Labels; value: string; timestamp: number }[];
  }[];
}

export interface MetadataAnswer {
  data: Record<string, { type: string; help: string; unit: string }[]>;
}

export interface TextsAnswer {
  data: string[];
}

// A series on the steps of a range; null: no value at that step.
export interface ChartSeries {
  name: string;
  labels: Labels;
  query: number; // index of its query
  values: (number | null)[];
}

export interface ChartData {
  times: number[]; // seconds
  series: ChartSeries[];
  total: number; // number of all series; `series` has at most maxSeries
}

export const maxSeries = 100;

export interface Steps {
  from: number; // seconds, a multiple of step
  to: number;
  step: number; // seconds
}

const roundSteps = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 10800, 21600, 43200,
  86400, 172800, 604800,
];
const pixelsPerPoint = 3;
const maxPoints = 10_000; // the server answers at most 11,000

// Return the steps of a chart of some width (pixels). `wanted`: seconds, 0: chosen by the width.
// Times are multiples of the step, so that a refresh does not change the shape.
export function stepsOf(fromMs: number, toMs: number, width: number, wanted = 0): Steps {
  const seconds = Math.max(1, (toMs - fromMs) / 1000);
  const least = (seconds / Math.max(60, width)) * pixelsPerPoint;
  const longest = roundSteps[roundSteps.length - 1];
  const own = roundSteps.find((s) => s >= least) ?? Math.ceil(least / longest) * longest;
  const step = Math.max(wanted || own, Math.ceil(seconds / maxPoints));
  return {
    from: Math.ceil(fromMs / 1000 / step) * step,
    to: Math.floor(toMs / 1000 / step) * step,
    step,
  };
}

// Parse a duration such as "30s" or "1m30s", or seconds; 0 if it is invalid.
export function secondsOf(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  if (!/^(\d+(ms|[smhdwy]))+$/.test(text)) return 0;
  const units: Record<string, number> = {
    ms: 0.001,
    s: 1,
    m: 60,
    h: 3600,
    d: 86400,
    w: 604800,
    y: 365 * 86400,
  };
  let seconds = 0;
  for (
    const [, n, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)
  ) seconds += Number(n) * units[unit];
  return seconds;
}

// Format seconds as PromQL does: "1m30s".
export function durationText(seconds: number): string {
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))}ms`;
  let rest = Math.round(seconds);
  let text = "";
  for (const [unit, size] of [
    ["d", 86400],
    ["h", 3600],
    ["m", 60],
    ["s", 1],
  ] as const) {
    const n = Math.floor(rest / size);
    if (n) text += `${n}${unit}`;
    rest -= n * size;
  }
  return text;
}

// Format labels as a selector: name{a="b"}; `only`: the labels that differ between series.
export function seriesName(labels: Labels, only?: ReadonlySet<string>): string {
  const { __name__: name = "", ...rest } = labels;
  const entries = Object.entries(rest).filter(([key]) => !only || only.has(key));
  const shownName = only && !only.has("__name__") && entries.length ? "" : name;
  if (!entries.length) return shownName || "value";
  // One label distinguishes the series: its value is enough.
  if (only && entries.length === 1 && !shownName) return entries[0][1] || `${entries[0][0]}=""`;
  const list = entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(", ");
  return `${shownName}{${list}}`;
}

// Return the names of labels whose values differ between the series; of a single series all names.
export function distinctLabels(all: readonly Labels[]): Set<string> {
  const names = new Set(all.flatMap((labels) => Object.keys(labels)));
  if (all.length === 1) return names;
  return new Set([...names].filter((name) => new Set(all.map((l) => l[name] ?? "")).size > 1));
}

// Replace {{label}} in the text of a legend.
export const legendText = (legend: string, labels: Labels) =>
  legend.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, name: string) => labels[name] ?? "");

const numberOf = (text: string): number | null => {
  const value = Number(text.replace("Inf", "Infinity"));
  return Number.isFinite(value) ? value : null;
};

// Return the series of an answer in the form of a vector or matrix.
export function seriesOf(answer: PromAnswer | undefined): PromSeries[] {
  const data = answer?.data;
  if (!data) return [];
  if (data.resultType === "scalar" || data.resultType === "string")
    return [{ metric: {}, value: data.result as Sample }];
  return data.result as PromSeries[];
}

// Put the values of some answers on the steps. A step without a value is a gap.
export function chartData(
  answers: readonly (PromAnswer | undefined)[],
  steps: Steps,
  legends: readonly string[] = [],
): ChartData {
  const count = Math.max(1, Math.round((steps.to - steps.from) / steps.step) + 1);
  const times = Array.from({ length: count }, (_, i) => steps.from + i * steps.step);
  const found = answers.flatMap((answer, query) =>
    seriesOf(answer).map((series) => ({ query, series })),
  );
  const shown = found.slice(0, maxSeries);
  const distinct = distinctLabels(shown.map((f) => f.series.metric));
  const series = shown.map(({ query, series: { metric, values, histograms } }) => {
    const row = new Array<number | null>(count).fill(null);
    const put = (seconds: number, value: number | null) => {
      const at = Math.round((seconds - steps.from) / steps.step);
      if (at >= 0 && at < count) row[at] = value;
    };
    for (const [seconds, text] of values ?? []) put(seconds, numberOf(text));
    // a native histogram is drawn as its mean
    for (const [seconds, h] of histograms ?? [])
      put(seconds, numberOf(String(Number(h.sum) / Number(h.count))));
    const legend = legends[query];
    return {
      name: legend ? legendText(legend, metric) || legend : seriesName(metric, distinct),
      labels: metric,
      query,
      values: row,
    };
  });
  return { times, series, total: found.length };
}

export interface Summary {
  last: number | null;
  mean: number | null;
  min: number | null;
  max: number | null;
  sum: number | null;
}

export function summaryOf(values: readonly (number | null)[]): Summary {
  let [n, sum, min, max] = [0, 0, Infinity, -Infinity];
  let last: number | null = null;
  for (const value of values) {
    if (value === null) continue;
    n++;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
    last = value;
  }
  return n
    ? { last, mean: sum / n, min, max, sum }
    : { last: null, mean: null, min: null, max: null, sum: null };
}

// Return the place of an error: 'invalid parameter "query": 1:6: parse error: ...'.
export function promErrorPlace(message: string): ErrorPlace | undefined {
  const found = /(?:^|\s)(\d+):(\d+): (?:parse error: )?(.*)$/s.exec(message);
  return found
    ? { line: Number(found[1]), column: Number(found[2]), reason: found[3] }
    : undefined;
}
