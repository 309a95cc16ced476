// SPDX-License-Identifier: Apache-2.0
// When each version of a service ran: the bands above the timeline.
import { useMemo } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { parseSelector, selectionParams, wholeProfiles } from "../api/selection";
import { SeriesAnswer } from "../api/types";
import { versionLabels } from "../compare/version_labels";
import { State } from "../url";
import { Span } from "./queries";
import { chartStep } from "./resolve_times";

export interface VersionBand {
  name: string;
  from: number; // ms
  to: number;
}

const maxBands = 8;
const resolution = 240; // pixels; a band needs no finer times

// Return the bands of an answer grouped by the label, by their begins.
export function bandsOf(answer: SeriesAnswer, label: string): VersionBand[] {
  return answer.rows
    .filter((row) => row.labels[label] && row.points.length)
    .map((row) => ({
      name: row.labels[label],
      from: row.points[0][0] - answer.step, // a point covers the time of a step before it
      to: row.points[row.points.length - 1][0],
    }))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

// `resolved`: the state with resolved times; undefined: no bands. `labels`: of the selection.
export function useVersionBands(
  resolved: State | undefined,
  labels: readonly string[],
  range: Span,
  tick: number,
): readonly VersionBand[] {
  const label = versionLabels(labels)[0];
  const fixed =
    resolved && label
      ? parseSelector(resolved.query)?.matchers.some((m) => m.name === label && m.op === "=")
      : true;
  const series = useAnswer<SeriesAnswer>(
    resolved && label && !fixed
      ? apiUrl("series", {
          ...selectionParams(wholeProfiles(resolved)),
          spread: true,
          step: chartStep(range.from, range.to, resolution),
          by: [label],
          limit: maxBands,
        })
      : undefined,
    tick,
  );
  return useMemo(
    () => (series.data && label ? bandsOf(series.data, label) : []),
    [series.data, label],
  );
}
