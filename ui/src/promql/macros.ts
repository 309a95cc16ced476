// SPDX-License-Identifier: Apache-2.0
// Values that depend on the range and the step of a chart: $__interval, $__rate_interval, $__range.
import { durationText, Steps } from "./prom_answer";

const collection = 15; // seconds; the usual interval in which metrics are sent

export function macroValues(
  { step }: Steps,
  range: { from: number; to: number },
): Record<string, string> {
  const seconds = Math.max(1, Math.round((range.to - range.from) / 1000));
  return {
    __interval: durationText(step),
    __interval_ms: String(Math.round(step * 1000)),
    __rate_interval: durationText(Math.max(step + collection, 4 * collection)),
    __range: `${seconds}s`,
    __range_s: String(seconds),
    __range_ms: String(seconds * 1000),
    __from: String(Math.round(range.from)),
    __to: String(Math.round(range.to)),
  };
}

export const withMacros = (text: string, macros: Record<string, string>) =>
  text.replace(/\$(?:\{(__\w+)\}|(__\w+))/g, (all, braced?: string, plain?: string) => {
    const name = (braced ?? plain)!;
    return Object.hasOwn(macros, name) ? macros[name] : all;
  });
