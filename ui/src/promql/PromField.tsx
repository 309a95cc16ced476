// SPDX-License-Identifier: Apache-2.0
// The field of a PromQL query, with completion.
import { CompletionField } from "../base/CompletionField";
import { TimeRange, useKnown } from "./known_metrics";
import { Metadata } from "./metric_units";
import { promCompletions, PromPlace, promPlaceOf } from "./promql_completion";

export function PromField(props: {
  id?: string;
  label: string;
  text: string;
  wrong: boolean;
  range: TimeRange;
  metadata: Metadata;
  onText: (text: string) => void;
  onRun: () => void;
}) {
  const useRows = (place: PromPlace | undefined) => {
    const known = useKnown(props.range, props.metadata, place);
    return place ? promCompletions(place, known) : [];
  };
  return (
    <CompletionField
      id={props.id}
      label={props.label}
      placeholder="PromQL: sum by (job) (rate(http_requests_total[5m]))"
      text={props.text}
      wrong={props.wrong}
      placeOf={promPlaceOf}
      useRows={useRows}
      onText={props.onText}
      onRun={props.onRun}
    />
  );
}
