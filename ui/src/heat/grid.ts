// SPDX-License-Identifier: Apache-2.0
// The cells of the heat map: a column is a step of time, a row is a fraction of the step. Converts
// between rectangles of the address and cells, and describes cells.
import { ViewAnswer } from "../api/types";
import { formatTime } from "../base/time";
import { formatValue } from "../base/units";
import { State } from "../url";

export interface Grid {
  start: number; // ms, a multiple of step
  step: number; // ms
  columns: number;
  rows: number;
  values: number[]; // column by column
}

export interface MomentsAnswer extends ViewAnswer, Grid {
  timed: number; // sum of the values, i.e. of the samples with timestamps
  total: number; // sum of all samples
}

export interface Cell {
  column: number;
  row: number;
}

// A rectangle of cells; both ends are included.
export interface Cells {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Rectangle = Pick<
  State,
  "time_from" | "time_to" | "phase_step" | "phase_from" | "phase_to"
>;

export const noRectangle: Rectangle = {
  time_from: "",
  time_to: "",
  phase_step: "",
  phase_from: "",
  phase_to: "",
};

const clamp = (value: number, least: number, most: number) =>
  Math.max(least, Math.min(most, value));

export function cellsBetween(a: Cell, b: Cell): Cells {
  return {
    left: Math.min(a.column, b.column),
    right: Math.max(a.column, b.column),
    top: Math.min(a.row, b.row),
    bottom: Math.max(a.row, b.row),
  };
}

export const holds = (cells: Cells, cell: Cell) =>
  cell.column >= cells.left &&
  cell.column <= cells.right &&
  cell.row >= cells.top &&
  cell.row <= cells.bottom;

// Return the parameters of a rectangle. Whole columns are a time range without a phase.
export function rectangleOf(answer: MomentsAnswer, cells: Cells): Rectangle {
  const { start, step, rows } = answer;
  const when = {
    time_from: String(start + cells.left * step),
    time_to: String(start + (cells.right + 1) * step),
  };
  if (cells.top === 0 && cells.bottom === rows - 1) return { ...noRectangle, ...when };
  return {
    ...when,
    phase_step: String(step),
    phase_from: String((cells.top * step) / rows),
    phase_to: String(((cells.bottom + 1) * step) / rows),
  };
}

// Return the cells of a rectangle; undefined if there is none, or if it is outside of this map.
export function cellsOf(answer: MomentsAnswer, rectangle: Rectangle): Cells | undefined {
  const { start, step, columns, rows } = answer;
  const from = Number(rectangle.time_from);
  const to = Number(rectangle.time_to);
  if (!rectangle.time_from || !rectangle.time_to || !(from < to) || !columns) return undefined;
  const left = Math.floor((from - start) / step);
  const right = Math.ceil((to - start) / step) - 1;
  if (right < 0 || left >= columns) return undefined;
  const cells = {
    left: clamp(left, 0, columns - 1),
    right: clamp(right, 0, columns - 1),
    top: 0,
    bottom: rows - 1,
  };
  // Phases of another step do not match these rows; then the columns alone are selected.
  if (Number(rectangle.phase_step) !== step) return cells;
  const row = (text: string) => (Number(text) * rows) / step;
  const top = clamp(Math.floor(row(rectangle.phase_from) + 1e-6), 0, rows - 1);
  return {
    ...cells,
    top,
    bottom: clamp(Math.ceil(row(rectangle.phase_to) - 1e-6) - 1, top, rows - 1),
  };
}

export function sumOf(answer: Grid, cells: Cells): number {
  let sum = 0;
  for (let column = cells.left; column <= cells.right; column++)
    for (let row = cells.top; row <= cells.bottom; row++)
      sum += answer.values[column * answer.rows + row] ?? 0;
  return sum;
}

export function move(answer: Grid, cell: Cell, columns: number, rows: number): Cell {
  return {
    column: clamp(cell.column + columns, 0, answer.columns - 1),
    row: clamp(cell.row + rows, 0, answer.rows - 1),
  };
}

// Format a time within a step: "340 ms", "1.5 s".
export function partText(ms: number): string {
  if (ms < 1000) return `${Number(ms.toFixed(ms < 10 ? 2 : 1))} ms`;
  if (ms < 120_000) return `${Number((ms / 1000).toFixed(2))} s`;
  return `${Number((ms / 60_000).toFixed(1))} min`;
}

// Return the time range and the sum of some cells, as texts.
export function describe(answer: MomentsAnswer, cells: Cells): string[] {
  const { start, step, rows } = answer;
  const part = step / rows;
  const seconds = cells.right - cells.left + 1;
  const times =
    seconds === 1
      ? `${formatTime(start + cells.left * step)}, ${partText(cells.top * part)} to ${partText((cells.bottom + 1) * part)}`
      : `${formatTime(start + cells.left * step)} – ${formatTime(start + (cells.right + 1) * step).slice(11)}, ` +
        `each ${partText(step)} from ${partText(cells.top * part)} to ${partText((cells.bottom + 1) * part)}`;
  return [times, formatValue(sumOf(answer, cells), answer.unit)];
}
