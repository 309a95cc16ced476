// SPDX-License-Identifier: Apache-2.0
// Answers of /api/metrics/query_range, and what the charts draw of them: a heat map of durations,
// bars of rates, lines of quantiles or of a query's own series.
import { BarGrid } from "../bars/BarChart";
import { SeriesAnswer } from "../api/types";
import { formatTime } from "../base/time";
import { formatCount, formatValue } from "../base/units";
import { Cells, Grid, sumOf } from "../heat/grid";
import { KeyValue, valueText } from "./found";

export interface MetricsAnswer {
  series?: {
    labels?: KeyValue[];
    samples?: { timestampMs: string; value?: number | string }[];
  }[];
  status?: string;
  message?: string;
}

export interface Steps extends BarGrid {
  text: string; // step as a duration
}

const stepMs = (text: string) => parseFloat(text) * (text.endsWith("ms") ? 1 : 1000);

// Return the steps of a range (ms). They begin at multiples of the step, as those of the server do.
export function stepsOf(from: number, to: number, text: string): Steps {
  const step = stepMs(text);
  const start = Math.floor(from / step) * step;
  return { start, step, text, columns: Math.max(1, Math.ceil((to - start) / step)) };
}

// Add up samples in their steps. A sample is of the step that ends at its time.
function put(
  values: number[],
  steps: Steps,
  samples: { timestampMs: string; value?: number | string }[],
) {
  for (const { timestampMs, value } of samples) {
    const column = Math.round((Number(timestampMs) - steps.start) / steps.step) - 1;
    if (column >= 0 && column < steps.columns && Number.isFinite(Number(value)))
      values[column] += Number(value);
  }
}

const label = (labels: readonly KeyValue[] | undefined, name: string) =>
  valueText(labels?.find((l) => l.key === name)?.value);

// ---- durations ----

// A heat map of durations: each row is a power of two, the longest on top.
export interface DurationGrid extends Grid {
  top: number; // exponent of the longest durations of the first row: 2^top ns
}

const spareRows = 1;

export function durationGrid(answer: MetricsAnswer, steps: Steps): DurationGrid | undefined {
  const byPower = new Map<number, number[]>();
  for (const { labels, samples } of answer.series ?? []) {
    const power = Math.round(Math.log2(Number(label(labels, "__bucket")) * 1e9));
    if (!Number.isFinite(power) || power < 0) continue;
    const values = byPower.get(power) ?? new Array<number>(steps.columns).fill(0);
    put(values, steps, samples ?? []);
    if (values.some((v) => v > 0)) byPower.set(power, values);
  }
  if (!byPower.size) return undefined;
  const powers = [...byPower.keys()];
  const top = Math.max(...powers) + spareRows;
  const rows = top - Math.min(...powers) + 1 + spareRows;
  const values = new Array<number>(steps.columns * rows).fill(0);
  for (const [power, row] of byPower)
    row.forEach((v, column) => (values[column * rows + top - power] = v));
  return { start: steps.start, step: steps.step, columns: steps.columns, rows, values, top };
}

// Return the durations (ns) of some rows: longer than `above`, at most `most`.
export const durationsOf = (grid: DurationGrid, cells: Cells) => ({
  above: 2 ** (grid.top - cells.bottom - 1),
  most: 2 ** (grid.top - cells.top),
});

export const durationText = (ns: number) => formatValue(ns, "nanoseconds");

export function describeDurations(grid: DurationGrid, cells: Cells): string[] {
  const { above, most } = durationsOf(grid, cells);
  const from = grid.start + cells.left * grid.step;
  const to = grid.start + (cells.right + 1) * grid.step;
  return [
    `${formatTime(from)} – ${formatTime(to).slice(11)}, ${durationText(above)} to ${durationText(most)}`,
    formatCount(Math.round(sumOf(grid, cells)), "span"),
  ];
}

// ---- rates ----

export interface Rates {
  failed: number[]; // spans with an error in each step
  others: number[];
}

// `answer`: numbers of spans by status.
export function ratesOf(answer: MetricsAnswer, steps: Steps): Rates {
  const rates = {
    failed: new Array<number>(steps.columns).fill(0),
    others: new Array<number>(steps.columns).fill(0),
  };
  for (const { labels, samples } of answer.series ?? [])
    put(label(labels, "status") === "error" ? rates.failed : rates.others, steps, samples ?? []);
  return rates;
}

// ---- lines ----

export const lineLabel = "series";

// Return the series as lines of a timeline, named by their labels.
export function linesAnswer(
  answer: MetricsAnswer,
  steps: Steps,
  unit: string,
  scale: number,
  named: (labels: readonly KeyValue[]) => string,
): SeriesAnswer {
  const rows = (answer.series ?? []).map(({ labels = [], samples = [] }) => {
    const points = samples
      .map(
        ({ timestampMs, value }) =>
          [Number(timestampMs), Number(value) * scale] as [number, number],
      )
      .filter(([, value]) => Number.isFinite(value));
    return {
      labels: { [lineLabel]: named(labels) },
      total: points.length ? points.reduce((n, p) => n + p[1], 0) / points.length : 0,
      points,
    };
  });
  return {
    type: "",
    unit,
    gauge: true,
    from: steps.start,
    to: steps.start + steps.columns * steps.step,
    step: steps.step,
    start: steps.start + steps.step,
    rows,
  };
}

export const quantileName = (labels: readonly KeyValue[]) =>
  `p${Math.round(Number(label(labels, "p")) * 1000) / 10}`;

export const seriesName = (labels: readonly KeyValue[]) =>
  labels.length === 1
    ? valueText(labels[0].value) || "(none)"
    : labels
        .map((l) => (l.key === "__name__" ? valueText(l.value) : `${l.key}=${valueText(l.value)}`))
        .join(", ") || "all";
