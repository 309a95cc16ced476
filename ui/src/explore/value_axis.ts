// SPDX-License-Identifier: Apache-2.0
// The value axis of a timeline: the level of gauges, the rate of other values, CPU time in cores.
import { formatValue, isScaled, tickSteps } from "../base/units";
import { typeName } from "../base/profile_types";
import { SeriesAnswer } from "../api/types";

export interface Axis {
  caption: string; // "CPU time, cores"
  format: (value: number) => string;
  unit: string; // unit of a value outside of the axis
  ticks: number[] | undefined; // possible distances of ticks; undefined: any round number
  divisor: number; // divides the value of a bucket (a level, or an amount per second)
}

const perCore: Record<string, number> = {
  nanoseconds: 1e9,
  microseconds: 1e6,
  milliseconds: 1e3,
  seconds: 1,
};

// Format with three significant digits: "0.0123", "1.5", "120", "1,536", "2.50 M".
function plain(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))} G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  return size >= 999.5 ? formatValue(value, "") : String(Number(value.toPrecision(3)));
}

export function axisOf({ type, unit, gauge }: Pick<SeriesAnswer, "type" | "unit" | "gauge">): Axis {
  const name = typeName(type);
  if (gauge)
    return {
      caption: name,
      format: isScaled(unit) ? (v) => formatValue(v, unit) : plain,
      ticks: tickSteps(unit),
      unit: "",
      divisor: 1,
    };
  if (type.startsWith("process_cpu:cpu:") && Object.hasOwn(perCore, unit))
    return {
      caption: `${name}, cores (CPU seconds per second)`,
      format: plain,
      ticks: undefined,
      unit: " cores",
      divisor: perCore[unit],
    };
  const format = isScaled(unit)
    ? (v: number) => `${formatValue(v, unit)}/s`
    : (v: number) => `${plain(v)}/s`;
  return { caption: `${name} per second`, format, ticks: tickSteps(unit), unit: "", divisor: 1 };
}

// Format a step: "10 s", "5 min", "2 h".
export function stepText(ms: number): string {
  const seconds = ms / 1000;
  for (const [unit, size] of [
    ["d", 86400],
    ["h", 3600],
    ["min", 60],
  ] as const)
    if (seconds >= size && seconds % size === 0) return `${seconds / size} ${unit}`;
  return `${seconds} s`;
}
