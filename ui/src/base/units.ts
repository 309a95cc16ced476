// SPDX-License-Identifier: Apache-2.0
// Formats values for display, exactly as the command line does (src/cli/terminal/units.c): "1.23
// ms", "1.50 KiB", "12,345".

type Step = readonly [name: string, size: number];

const times: readonly Step[] = [
  ["ns", 1],
  ["us", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["min", 60e9],
  ["h", 3600e9],
  ["d", 86400e9],
];
const sizes: readonly Step[] = [
  ["B", 1],
  ["KiB", 2 ** 10],
  ["MiB", 2 ** 20],
  ["GiB", 2 ** 30],
  ["TiB", 2 ** 40],
  ["PiB", 2 ** 50],
];

const factors: Record<string, readonly [readonly Step[], number]> = {};
for (const [names, steps, factor] of [
  ["nanoseconds nanosecond ns", times, 1],
  ["microseconds microsecond us", times, 1e3],
  ["milliseconds millisecond ms", times, 1e6],
  ["seconds second s", times, 1e9],
  ["bytes byte By B", sizes, 1],
  ["kilobytes KiBy", sizes, 2 ** 10],
  ["megabytes MiBy", sizes, 2 ** 20],
] as const)
  for (const name of names.split(" ")) factors[name] = [steps, factor];

// Format an integer with separators: "12,345". The browser's own formatter would delay the first
// paint by milliseconds.
export const grouped = (value: number) =>
  String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");

// The number of decimals for three significant digits.
const decimals = (value: number) => (Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0);

export function formatValue(value: number, unit: string): string {
  const scale = Object.hasOwn(factors, unit) ? factors[unit] : undefined;
  if (!scale) return grouped(value);
  const [steps, factor] = scale;
  const base = value * factor;
  let i = steps.length - 1;
  // 999.6 ms would round to 1000 ms, so it becomes 1.00 s.
  while (i > 0 && Math.abs(base) < steps[i][1] * 0.9995) i--;
  const shown = i === 0 && Math.abs(base) < 0.005 ? 0 : base / steps[i][1]; // no "-0.00 ns"
  return i === 0 && Number.isInteger(shown)
    ? `${shown} ${steps[i][0]}`
    : `${shown.toFixed(decimals(shown))} ${steps[i][0]}`;
}

const decimal = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const parts: Record<string, number[]> = {
  s: [1, 2, 5, 10, 20, 30],
  min: [1, 2, 5, 10, 20, 30],
  h: [1, 2, 6, 12],
};

// Return the tick distances of an axis that yield round numbers in the displayed unit: 20.0 MiB,
// not 19.1 MiB. Undefined for units that are displayed as plain numbers.
export function tickSteps(unit: string): number[] | undefined {
  const scale = Object.hasOwn(factors, unit) ? factors[unit] : undefined;
  return scale?.[0]
    .flatMap(([name, size]) => (parts[name] ?? decimal).map((n) => (n * size) / scale[1]))
    .filter((step) => step >= 1);
}

// Whether values of the unit are displayed with a prefix ("1.50 KiB").
export const isScaled = (unit: string) => Object.hasOwn(factors, unit);

export function formatChange(value: number, unit: string): string {
  return (value > 0 ? "+" : "") + formatValue(value, unit);
}

// Format a share of the whole: "12.3%". The share of a zero whole is 0.
export function formatShare(part: number, whole: number, digits = 1): string {
  return `${(whole ? (100 * part) / whole : 0).toFixed(digits)}%`;
}

export function formatBytes(bytes: number): string {
  return formatValue(bytes, "bytes");
}

// Format a count with its noun: "1 frame", "12 frames".
export function formatCount(n: number, one: string, many = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}
