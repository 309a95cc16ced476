// SPDX-License-Identifier: Apache-2.0
// What is stored: metrics with type, help and unit, their labels and values; for completion and
// units. Without an answer there are none: a query can still be typed.
import { promUrl, useAnswer } from "../api/client";
import { Metadata } from "./metric_units";
import { MetadataAnswer, TextsAnswer } from "./prom_answer";
import { PromKnown, PromPlace } from "./promql_completion";

const maxTexts = 2000;

export interface TimeRange {
  from: number; // ms
  to: number;
}

const seconds = ({ from, to }: TimeRange) => ({
  start: Math.floor(from / 1000),
  end: Math.ceil(to / 1000),
});

const none: Metadata = {};

export const useMetadata = (): Metadata =>
  useAnswer<MetadataAnswer>(promUrl("metadata")).data?.data ?? none;

// A range of whole minutes, so that the lists of a live view are not queried with each refresh.
const rounded = ({ from, to }: TimeRange): TimeRange => ({
  from: Math.floor(from / 60_000) * 60_000,
  to: Math.ceil(to / 60_000) * 60_000,
});

// `place`: where the cursor is; undefined: nothing is queried.
export function useKnown(
  range: TimeRange,
  metadata: Metadata,
  place: PromPlace | undefined,
): PromKnown {
  const when = { ...seconds(rounded(range)), limit: maxTexts };
  const match = place?.metric ? [`{__name__=${JSON.stringify(place.metric)}}`] : [];
  const names = useAnswer<TextsAnswer>(
    place?.kind === "expression" ? promUrl("label/__name__/values", when) : undefined,
  );
  const labels = useAnswer<TextsAnswer>(
    place?.kind === "label" ? promUrl("labels", { ...when, "match[]": match }) : undefined,
  );
  const values = useAnswer<TextsAnswer>(
    place?.kind === "value" && place.label
      ? promUrl(`label/${encodeURIComponent(place.label)}/values`, { ...when, "match[]": match })
      : undefined,
  );
  return {
    metrics: names.data?.data ?? Object.keys(metadata),
    metadata,
    labels: labels.data?.data ?? [],
    values: values.data?.data ?? [],
  };
}
