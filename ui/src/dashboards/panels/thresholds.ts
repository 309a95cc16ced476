// SPDX-License-Identifier: Apache-2.0
// The colour of a value by the thresholds of a panel.
import { Calculation, Panel, Threshold } from "../model";
import { ChartSeries, summaryOf } from "../../promql/prom_answer";

// Return the threshold of a value: that of the largest `from` that is not above it.
export function thresholdOf(
  value: number | null,
  thresholds: readonly Threshold[] | undefined,
): Threshold["colour"] {
  if (value === null) return "plain";
  let found: Threshold | undefined;
  for (const t of thresholds ?? []) if (
    t.from <= value && (!found || t.from >= found.from)
  ) found = t;
  return found?.colour ?? "plain";
}

export const calculated = (series: ChartSeries, calculation: Calculation = "last") =>
  summaryOf(series.values)[calculation];

export const calculationOf = (panel: Panel): Calculation => panel.calculation ?? "last";
