// SPDX-License-Identifier: Apache-2.0
// The time values of a span are sums over its threads, estimated from samples, so they may exceed
// the span's duration.
import type { SpanRow } from "./SpanTable";

const timeUnits: Record<string, number> = {
  nanoseconds: 1,
  microseconds: 1e3,
  milliseconds: 1e6,
  seconds: 1e9,
};

export const isTime = (unit: string) => Object.hasOwn(timeUnits, unit);

// Return the term for a sum of values: sums of times are thread time, not elapsed time.
export const costWord = (unit: string) => (isTime(unit) ? "thread time" : "cost");

export const threadTimeHelp = "Summed over threads: two threads that run for 1 s are 2 s";

// Explain why the span's self value exceeds its duration; "" if it does not, or if the duration is
// unknown.
export function beyondDuration(
  row: Pick<SpanRow, "total" | "samples" | "duration">,
  unit: string,
): string {
  if (!isTime(unit) || row.duration === undefined || !row.samples) return "";
  const value = row.total * timeUnits[unit];
  if (value <= row.duration) return "";
  const one = value / row.samples; // value of one sample
  return value - row.duration <= 2 * one
    ? "Estimate: more than the duration, within the sampling error (one sample counts more than the difference)"
    : "More than the duration: several threads ran in this span, or the sampling error is large";
}

// Explain the same for the span with its children.
export function childrenBeyondDuration(
  row: Pick<SpanRow, "total" | "samples" | "duration" | "with_children">,
  unit: string,
): string {
  if (row.with_children === row.total) return beyondDuration(row, unit);
  if (
    !isTime(unit) ||
    row.duration === undefined ||
    row.with_children * timeUnits[unit] <= row.duration
  )
    return "";
  return "More than the duration: several threads, or child spans at the same time, ran in this span, or the sampling error is large";
}
