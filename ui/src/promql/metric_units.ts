// SPDX-License-Identifier: Apache-2.0
// Units of metrics: which unit the result of an expression has, by the names of its metrics and
// their metadata, and how a value of a unit is written.
import { formatValue, tickSteps } from "../base/units";
import { MetadataAnswer } from "./prom_answer";

export type Metadata = MetadataAnswer["data"];

// The units that can be chosen, with their names.
export const units: readonly (readonly [string, string])[] = [
  ["", "number"],
  ["/s", "per second"],
  ["s", "seconds"],
  ["ms", "milliseconds"],
  ["ns", "nanoseconds"],
  ["B", "bytes"],
  ["B/s", "bytes per second"],
  ["ratio", "percent (of 1)"],
  ["%", "percent (of 100)"],
  ["cores", "cores"],
  ["bit/s", "bits per second"],
  ["Hz", "hertz"],
  ["°C", "degrees Celsius"],
  ["ms since 1970", "time"],
];

const bySuffix: readonly (readonly [RegExp, string])[] = [
  [/_milliseconds$|_ms$/, "ms"],
  [/_nanoseconds$/, "ns"],
  [/_seconds$|_duration$/, "s"],
  [/_bytes$/, "B"],
  [/_ratio$|_utilization$/, "ratio"],
  [/_percent$/, "%"],
  [/_hertz$/, "Hz"],
  [/_celsius$/, "°C"],
];

const byMetadata: Record<string, string> = {
  seconds: "s",
  s: "s",
  milliseconds: "ms",
  ms: "ms",
  nanoseconds: "ns",
  bytes: "B",
  By: "B",
  ratio: "ratio",
  percent: "%",
};

const partOf = /_(?:total|sum|bucket|count|created)$/;

// Return the unit of the values of a metric itself.
export function unitOfMetric(name: string, metadata: Metadata): string {
  if (name.endsWith("_count")) return "";
  const base = name.replace(partOf, "");
  const known = metadata[name]?.[0]?.unit || metadata[base]?.[0]?.unit;
  if (known && Object.hasOwn(byMetadata, known)) return byMetadata[known];
  return bySuffix.find(([suffix]) => suffix.test(base))?.[1] ?? "";
}

const perSecond: Record<string, string> = { "": "/s", B: "B/s", s: "cores" };

const words =
  /^(?:and|or|unless|offset|bool|by|without|on|ignoring|group_left|group_right|inf|nan|sum|avg|min|max|count|topk|bottomk|quantile|stddev|stdvar|group|count_values|limitk|limit_ratio)$/i;

// Return the names of metrics in an expression, in their order.
export function metricsOf(query: string): string[] {
  const text = query
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`/g, '""')
    .replace(/#.*$/gm, "")
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ")
    .replace(/\{[^}]*\}/g, " ")
    .replace(/\[[^\]]*\]/g, " ");
  return [...text.matchAll(/(?<![\w.:$])[a-zA-Z_:][\w:.]*(?!\s*\(|[\w:.])/g)]
    .map((m) => m[0])
    .filter((name) => !words.test(name));
}

// Return the unit of an expression's result; "" for a number, or if it is not known.
export function unitOf(query: string, metadata: Metadata): string {
  const [first, second] = metricsOf(query);
  if (!first) return "";
  const unit = unitOfMetric(first, metadata);
  const outer = query.replace(/\b(?:by|without)\s*\([^)]*\)/g, "").trim();
  if (/^(?:count|count_values|group|absent|changes|resets)\s*\(/.test(outer)) return "";
  const rated = /\b(?:rate|irate|deriv)\s*\(/.test(query);
  if (/\bhistogram_(?:quantile|avg|stddev)\s*\(/.test(query)) return unit;
  if (second && /[)\]\w}]\s*\//.test(query))
    // the mean of a histogram or summary: sum / count
    return /_sum$/.test(first) && second === first.replace(/_sum$/, "_count")
      ? unit
      : unitOfMetric(second, metadata) === unit && unit !== ""
        ? "ratio"
        : "";
  if (rated) return Object.hasOwn(perSecond, unit) ? perSecond[unit] : "";
  return unit;
}

const steps: readonly (readonly [number, string])[] = [
  [1e12, " T"],
  [1e9, " G"],
  [1e6, " M"],
  [1e4, " k"],
];

// Format a number with three significant digits: "0.0123", "1,234", "12.3 k".
export function plainNumber(value: number, decimals?: number): string {
  const size = Math.abs(value);
  for (const [least, suffix] of steps)
    if (size >= least) {
      const scaled = value / (least === 1e4 ? 1e3 : least);
      return `${decimals === undefined ? Number(
        scaled.toPrecision(3),
      ) : scaled.toFixed(decimals)}${suffix}`;
    }
  if (decimals !== undefined) return value.toFixed(decimals);
  if (size >= 1000) return formatValue(value, "");
  if (size && size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

const timed: Record<string, string> = { s: "seconds", ms: "milliseconds", ns: "nanoseconds" };
const time = { s: 1e9, ms: 1e6, ns: 1 };

export function formatMetric(value: number | null, unit: string, decimals?: number): string {
  if (value === null || !Number.isFinite(value)) return "no data";
  switch (unit) {
    case "s":
    case "ms":
    case "ns":
      return value
        ? formatValue(value * time[unit], "nanoseconds").replace(" us", " µs")
        : `0 ${unit}`;
    case "B":
      return formatValue(value, "bytes");
    case "B/s":
      return `${formatValue(value, "bytes")}/s`;
    case "ratio":
      return `${plainNumber(value * 100, decimals)}%`;
    case "%":
      return `${plainNumber(value, decimals)}%`;
    case "ms since 1970":
      return new Date(value).toISOString().slice(0, 19).replace("T", " ");
    case "":
      return plainNumber(value, decimals);
    case "/s":
      return `${plainNumber(value, decimals)}/s`;
    default:
      return `${plainNumber(value, decimals)} ${unit}`;
  }
}

// Format a tick of an axis: without a unit that the other texts have.
export const formatTick = (value: number, unit: string) =>
  ["cores", "Hz", "°C", "bit/s"].includes(unit) ? plainNumber(value) : formatMetric(value, unit);

// Return the possible distances of an axis' ticks; undefined: any round number.
export function metricTicks(unit: string): number[] | undefined {
  if (Object.hasOwn(timed, unit)) {
    const scale = time[unit as keyof typeof time];
    // tickSteps() has whole numbers only
    return tickSteps("nanoseconds")?.map((ns) => ns / scale);
  }
  return unit === "B" || unit === "B/s" ? tickSteps("bytes") : undefined;
}
