// SPDX-License-Identifier: Apache-2.0
// From the answer of a series to the lines of a chart.
import { SeriesAnswer, SeriesRow } from "../api/types";

// Ten that can be told apart, in both themes and by the colour-blind; grey is for the rest.
export const seriesColours = ["#3b82d6", "#e08a1e", "#2f9e6e", "#c8503c", "#8b62c9", "#17a2b8", "#b5792f", "#d05a9c", "#7a8f2b", "#5d6fd3"];
const restColour = "#8a94a0";

export interface Line {
  label: string;
  value?: string; // of the label that is grouped by; undefined: the rest, or everything
  colour: string;
  total: number;
  values: (number | null)[];
}

const most = seriesColours.length;

function valuesOf(row: SeriesRow, times: number[], step: number, gauge: boolean): (number | null)[] {
  const values: (number | null)[] = new Array<number | null>(times.length).fill(gauge ? null : 0);
  for (const [time, value] of row.points) {
    const at = Math.round((time - times[0] * 1000) / step);
    if (at >= 0 && at < values.length) values[at] = value;
  }
  return values;
}

function sum(rows: (number | null)[][]): (number | null)[] {
  return rows.reduce((all, row) => all.map((v, i) => (row[i] === null ? v : (v ?? 0) + row[i]!)));
}

// The largest ten as lines, the others added up; the points of all on one axis of time (seconds).
export function linesOf(answer: SeriesAnswer, by: string): { times: number[]; lines: Line[] } {
  const count = Math.min(5000, Math.max(1, Math.ceil((answer.to - answer.from) / answer.step)));
  const times = Array.from({ length: count }, (_, i) => (answer.start + i * answer.step) / 1000);
  const rows = answer.rows.map((row) => ({ row, values: valuesOf(row, times, answer.step, answer.gauge) }));
  const lines: Line[] = rows.slice(0, most).map(({ row, values }, i) => ({
    label: by ? row.labels[by] || "(none)" : "all",
    value: by ? row.labels[by] || "" : undefined,
    colour: seriesColours[i],
    total: row.total,
    values,
  }));
  const rest = rows.slice(most);
  if (rest.length)
    lines.push({
      label: `${rest.length} more`,
      colour: restColour,
      total: rest.reduce((n, r) => n + r.row.total, 0),
      values: sum(rest.map((r) => r.values)),
    });
  return { times, lines };
}

// The largest value of any line.
export const greatestOf = (answer: SeriesAnswer | undefined): number =>
  answer ? linesOf(answer, "").lines.reduce((most, line) => line.values.reduce<number>((n, v) => Math.max(n, v ?? 0), most), 0) : 0;
