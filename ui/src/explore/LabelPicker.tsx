// SPDX-License-Identifier: Apache-2.0
// Label filters: lists labels, and the values of a label with the share of each.
import { useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { parseSelector, selectionParams, wholeProfiles, withMatcher } from "../api/selection";
import { LabelCostAnswer } from "../api/types";
import { AnswerNote, Popover, Select, TextInput } from "../base/components";
import { formatShare, formatValue } from "../base/units";
import { State } from "../url";
import { labelsQuery } from "./queries";

export const isOwnLabel = (name: string) => name.startsWith("__") || name === "service_name";

function Values(props: {
  state: State;
  name: string;
  onPick: (value: string) => void;
  onBack: () => void;
}) {
  const { state, name } = props;
  const [filter, setFilter] = useState("");
  // list all values, not only the selected one
  const query = withMatcher(state.query, name, undefined);
  const answer = useAnswer<LabelCostAnswer>(
    apiUrl("label-values", {
      ...selectionParams(wholeProfiles({ ...state, query })),
      name,
      cost: true,
    }),
  );
  const rows = (answer.data?.values ?? []).map((value, i) => ({
    value,
    total: answer.data!.totals[i],
  }));
  const total = answer.data?.total ?? 0;
  const shown = rows.filter((r) => r.value.toLowerCase().includes(filter.toLowerCase()));
  return (
    <div class="label-values">
      <div class="row">
        <button type="button" class="quiet" onClick={props.onBack} aria-label="Back to labels">
          ‹
        </button>
        <strong>{name}</strong>
      </div>
      <TextInput label="Filter values" value={filter} onChange={setFilter} delay={0} />
      <AnswerNote answer={answer} />
      <ul class="picks">
        {shown.slice(0, 200).map((row) => (
          <li key={row.value}>
            <button
              type="button"
              class="quiet pick"
              title={row.value}
              onClick={() => props.onPick(row.value)}
            >
              <span class="pick-bar" style={{ width: formatShare(row.total, total) }} />
              <Value text={row.value || "(none)"} />
              <span class="number soft">{formatValue(row.total, answer.data!.unit)}</span>
              <span class="number">{formatShare(row.total, total)}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown.length > 200 && <p class="soft">{shown.length - 200} more: filter to see them.</p>}
    </div>
  );
}

const tail = 12; // characters

// A label value. Names of pods and hosts differ at their ends, so a long value is cut before its
// last characters.
function Value(props: { text: string }) {
  const at = Math.max(0, props.text.length - tail);
  return (
    <bdi class="pick-name pick-ends">
      <span class="clip">{props.text.slice(0, at)}</span>
      <span>{props.text.slice(at)}</span>
    </bdi>
  );
}

function Names(props: { state: State; onPick: (name: string) => void }) {
  const { state } = props;
  const answer = useAnswer<{ labels: string[] }>(labelsQuery(state));
  const [filter, setFilter] = useState("");
  const names = (answer.data?.labels ?? []).filter((n) => !isOwnLabel(n));
  return (
    <div class="label-values">
      <TextInput label="Filter labels" value={filter} onChange={setFilter} delay={0} />
      <AnswerNote answer={answer} />
      <ul class="picks">
        {names
          .filter((n) => n.toLowerCase().includes(filter.toLowerCase()))
          .map((name) => (
            <li key={name}>
              <button type="button" class="quiet pick" onClick={() => props.onPick(name)}>
                <bdi class="pick-name">{name}</bdi>
                <span class="soft">›</span>
              </button>
            </li>
          ))}
      </ul>
      {answer.data && !names.length && <p class="soft">No labels other than the service.</p>}
    </div>
  );
}

const addLabel = (
  <span>
    + <span class="add-word">Label</span>
  </span>
);

// The selected labels, and a button to add one. `state` has resolved times.
export function LabelPicker(props: { state: State; onChange: (query: string) => void }) {
  const { state } = props;
  const [name, setName] = useState("");
  const selector = parseSelector(state.query);
  return (
    <div class="row labels">
      {selector?.matchers.map((m) => (
        <span class="chip" key={m.name + m.op + m.value}>
          <bdi title={`${m.name} ${m.op} ${m.value || "(none)"}`}>
            <span class="chip-name">{m.name}</span>
            <span class="chip-value">{` ${m.op} ${m.value || "(none)"}`}</span>
          </bdi>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${m.name}`}
            onClick={() => props.onChange(withMatcher(state.query, m.name, undefined))}
          >
            ×
          </button>
        </span>
      ))}
      <Popover label={addLabel} title="Filter by label" onOpen={(open) => open && setName("")}>
        {(close) =>
          name ? (
            <Values
              state={state}
              name={name}
              onBack={() => setName("")}
              onPick={(value) => {
                props.onChange(withMatcher(state.query, name, value));
                close();
              }}
            />
          ) : (
            <Names state={state} onPick={setName} />
          )
        }
      </Popover>
    </div>
  );
}

// Selects the label by which the timeline is grouped.
export function LabelNames(props: { state: State; value: string; onChange: (by: string) => void }) {
  const { state } = props;
  const answer = useAnswer<{ labels: string[] }>(labelsQuery(state));
  const names = (answer.data?.labels ?? []).filter((n) => !n.startsWith("__"));
  if (!names.length) return null;
  return (
    <Select
      label="Group timeline by"
      value={props.value}
      options={[
        ["", "Group by: none"] as const,
        ...names.map((n) => [n, `Group by: ${n}`] as const),
      ]}
      onChange={props.onChange}
    />
  );
}
