// SPDX-License-Identifier: Apache-2.0
// What a span cost is the time of its threads, added up: it may be more than the span took, and it is an estimate.
import type { SpanRow } from "./SpanTable";

const timeUnits: Record<string, number> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };

export const isTime = (unit: string) => Object.hasOwn(timeUnits, unit);

// The word for a sum of values: of times it is not the time that passed.
export const costWord = (unit: string) => (isTime(unit) ? "thread time" : "cost");

export const threadTimeHelp = "Summed over threads: two threads that run for 1 s are 2 s";

// Why the span's own value is more than it took, where that is so; "": it is not, or its duration is not known.
export function beyondDuration(row: Pick<SpanRow, "total" | "samples" | "duration">, unit: string): string {
  if (!isTime(unit) || row.duration === undefined || !row.samples) return "";
  const value = row.total * timeUnits[unit];
  if (value <= row.duration) return "";
  const one = value / row.samples; // what a sample stands for
  return value - row.duration <= 2 * one
    ? "Estimate: more than the duration, within the sampling error (one sample stands for more than the difference)"
    : "More than the duration: several threads ran in this span, or the sampling error is large";
}

// The same of the span with all that it called.
export function childrenBeyondDuration(row: Pick<SpanRow, "total" | "samples" | "duration" | "with_children">, unit: string): string {
  if (row.with_children === row.total) return beyondDuration(row, unit);
  if (!isTime(unit) || row.duration === undefined || row.with_children * timeUnits[unit] <= row.duration) return "";
  return "More than the duration: several threads, or child spans at the same time, ran in it, or the sampling error is large";
}
