// SPDX-License-Identifier: Apache-2.0
// The cells of a heat map of histograms: classic ones by their label `le`, native ones by their
// buckets. The largest values are the top row.
import { Grid } from "../../heat/grid";
import { PromAnswer, seriesOf, Steps } from "../../promql/prom_answer";

export interface BucketGrid extends Grid {
  bounds: number[]; // of the rows from the top: bounds[row] is the upper end; one more at the end
}

const maxRows = 64;
const numberOf = (text: string) => Number(text.replace("Inf", "Infinity"));

type Column = Map<number, number>; // count by upper bound

function putClassic(columns: Column[], answer: PromAnswer, columnOf: (seconds: number) => number) {
  const byBound = new Map<number, Map<number, number>>();
  for (const { metric, values = [] } of seriesOf(answer)) {
    if (metric.le === undefined) continue;
    const bound = numberOf(metric.le);
    const row = byBound.get(bound) ?? new Map<number, number>();
    for (const [seconds, text] of values) {
      const column = columnOf(seconds);
      const value = numberOf(text);
      if (columns[column] && Number.isFinite(value))
        row.set(column, (row.get(column) ?? 0) + value);
    }
    byBound.set(bound, row);
  }
  const bounds = [...byBound.keys()].sort((a, b) => a - b);
  // counts are cumulative
  columns.forEach((cells, column) => {
    let before = 0;
    for (const bound of bounds) {
      const value = byBound.get(bound)!.get(column);
      if (value === undefined) continue;
      cells.set(bound, (cells.get(bound) ?? 0) + Math.max(0, value - before));
      before = value;
    }
  });
  return bounds;
}

function putNative(columns: Column[], answer: PromAnswer, columnOf: (seconds: number) => number) {
  const bounds = new Set<number>();
  for (const { histograms = [] } of seriesOf(answer))
    for (const [seconds, { buckets = [] }] of histograms) {
      const cells = columns[columnOf(seconds)];
      for (const [, , to, count] of buckets) {
        bounds.add(numberOf(to));
        cells?.set(numberOf(to), (cells.get(numberOf(to)) ?? 0) + numberOf(count));
      }
    }
  return [...bounds].sort((a, b) => a - b);
}

// Return the grid of an answer, or undefined if it has no histograms.
export function bucketGrid(
  answers: readonly (PromAnswer | undefined)[],
  steps: Steps,
): BucketGrid | undefined {
  const count = Math.max(1, Math.round((steps.to - steps.from) / steps.step) + 1);
  const columns: Column[] = Array.from({ length: count }, () => new Map<number, number>());
  const columnOf = (seconds: number) => Math.round((seconds - steps.from) / steps.step);
  let bounds: number[] = [];
  for (const answer of answers)
    if (answer)
      bounds = [
        ...bounds,
        ...putClassic(columns, answer, columnOf),
        ...putNative(columns, answer, columnOf),
      ];
  const all = [...new Set(bounds)].sort((a, b) => a - b);
  // rows without any value at both ends are not shown
  const used = (bound: number) => columns.some((cells) => (cells.get(bound) ?? 0) > 0);
  const first = all.findIndex(used);
  if (first < 0) return undefined;
  const last = all.length - 1 - [...all].reverse().findIndex(used);
  const shown = all.slice(first, last + 1);
  const merge = Math.ceil(shown.length / maxRows); // native histograms may have many buckets
  const rows = Math.ceil(shown.length / merge);
  const values = new Array<number>(count * rows).fill(0);
  columns.forEach((cells, column) => {
    shown.forEach((bound, i) => {
      const row = rows - 1 - Math.floor(i / merge);
      values[column * rows + row] += cells.get(bound) ?? 0;
    });
  });
  const edges: number[] = [];
  for (let row = 0; row < rows; row++)
    edges.push(shown[Math.min(shown.length - 1, (rows - row) * merge - 1)]);
  edges.push(first > 0 ? all[first - 1] : Math.min(0, shown[0]));
  return {
    // a step is the time before its end
    start: (steps.from - steps.step) * 1000,
    step: steps.step * 1000,
    columns: count,
    rows,
    values,
    bounds: edges,
  };
}
