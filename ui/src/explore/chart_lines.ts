// SPDX-License-Identifier: Apache-2.0
// Converts the answer of a series query into the lines of a chart.
import { SeriesAnswer, SeriesRow } from "../api/types";
import { axisOf } from "./value_axis";

// Ten colours that can be distinguished in both themes and by colour-blind users; grey is for the
// remaining series.
export const seriesColours = [
  "#3b82d6",
  "#e08a1e",
  "#2f9e6e",
  "#c8503c",
  "#8b62c9",
  "#17a2b8",
  "#b5792f",
  "#d05a9c",
  "#7a8f2b",
  "#5d6fd3",
];
const restColour = "#8a94a0";

export interface Line {
  label: string;
  // value of the label by which the chart is grouped; undefined: all, or the remaining values
  value?: string;
  colour: string;
  total: number;
  values: (number | null)[];
  rest?: boolean; // the sum of series without lines of their own
}

export const maxLines = seriesColours.length;

// Return the value of each bucket: the level of a gauge, or the amount per second; null without
// data.
function valuesOf(row: SeriesRow, answer: SeriesAnswer, count: number): (number | null)[] {
  const values = new Array<number | null>(count).fill(null);
  const scale = axisOf(answer).divisor * (answer.gauge ? 1 : answer.step / 1000);
  for (const [time, value] of row.points) {
    const at = Math.round((time - answer.start) / answer.step);
    if (at >= 0 && at < count) values[at] = value / scale;
  }
  return values;
}

function sum(rows: (number | null)[][]): (number | null)[] {
  return rows.reduce((all, row) => all.map((v, i) => (row[i] === null ? v : (v ?? 0) + row[i]!)));
}

const noRow: SeriesRow = { labels: {}, total: 0, points: [] };

// Return lines for the ten largest series, and one for the sum of the others: of the answer's rows
// beyond ten, and of those that the server has summed. `times`: begins of the buckets, in seconds.
export function linesOf(answer: SeriesAnswer, by: string): { times: number[]; lines: Line[] } {
  const first = answer.start - answer.step;
  const count = Math.min(5000, Math.max(1, Math.ceil((answer.to - first) / answer.step)));
  const times = Array.from({ length: count }, (_, i) => (first + i * answer.step) / 1000);
  const rows = answer.rows.map((row) => ({ row, values: valuesOf(row, answer, count) }));
  const lines: Line[] = rows.slice(0, maxLines).map(({ row, values }, i) => ({
    label: by ? row.labels[by] || "(none)" : "all",
    value: by ? row.labels[by] || "" : undefined,
    colour: seriesColours[i],
    total: row.total,
    values,
  }));
  const rest = rows.slice(maxLines);
  const more = answer.rest ?? noRow;
  if (more.points.length) rest.push({ row: more, values: valuesOf(more, answer, count) });
  if (rest.length)
    lines.push({
      label: `${(answer.row_count ?? answer.rows.length) - Math.min(maxLines, rows.length)} more`,
      colour: restColour,
      rest: true,
      total: rest.reduce((n, r) => n + r.row.total, 0),
      values: sum(rest.map((r) => r.values)),
    });
  return { times, lines };
}

// Return the largest value of all lines.
export const greatestOf = (answer: SeriesAnswer | undefined): number =>
  answer
    ? linesOf(answer, "").lines.reduce(
        (most, line) => line.values.reduce<number>((n, v) => Math.max(n, v ?? 0), most),
        0,
      )
    : 0;
