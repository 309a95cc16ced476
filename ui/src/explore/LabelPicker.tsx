// SPDX-License-Identifier: Apache-2.0
// Label filters: lists labels, and the values of a label with the share of each.
import { useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { parseSelector, selectionParams, wholeProfiles, withMatcher } from "../api/selection";
import { LabelCostAnswer } from "../api/types";
import { AnswerNote, Ends, endsOf, Popover, TextInput } from "../base/components";
import { Picker } from "../base/Picker";
import { formatCount, formatShare, formatValue } from "../base/units";
import { State } from "../url";
import { labelsQuery } from "./queries";

export const isOwnLabel = (name: string) => name.startsWith("__") || name === "service_name";

const maxValues = 100;

export function Values(props: {
  state: State;
  name: string;
  onPick: (value: string) => void;
  onBack?: () => void; // back to the list of labels
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
      limit: maxValues,
      search: filter,
    }),
  );
  const rows = (answer.data?.values ?? []).map((value, i) => ({
    value,
    total: answer.data!.totals[i],
  }));
  const total = answer.data?.total ?? 0;
  const more = (answer.data?.count ?? 0) - rows.length;
  return (
    <div class="label-values">
      <div class="row">
        {props.onBack && (
          <button type="button" class="quiet" onClick={props.onBack} aria-label="Back to labels">
            ‹
          </button>
        )}
        <strong>{name}</strong>
      </div>
      <TextInput label="Filter values" value={filter} onChange={setFilter} delay={150} />
      <AnswerNote answer={answer} />
      <ul class="picks">
        {rows.map((row) => (
          <li key={row.value}>
            <button
              type="button"
              class="quiet pick"
              title={row.value}
              onClick={() => props.onPick(row.value)}
            >
              <span class="pick-bar" style={{ width: formatShare(row.total, total) }} />
              <Ends class="pick-name" parts={endsOf(row.value || "(none)")} />
              <span class="number soft">{formatValue(row.total, answer.data!.unit)}</span>
              <span class="number">{formatShare(row.total, total)}</span>
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">{formatCount(more, "more value")}: type a part of the name.</p>}
    </div>
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

// The selected labels as chips.
export function LabelChips(props: { query: string; onChange: (query: string) => void }) {
  const selector = parseSelector(props.query);
  if (!selector)
    return (
      <span class="chip" title="The selector">
        <code class="clip">{props.query}</code>
        <button
          type="button"
          class="quiet"
          aria-label="Remove the selector"
          onClick={() => props.onChange("")}
        >
          ×
        </button>
      </span>
    );
  return (
    <>
      {selector.matchers.map((m) => (
        <span class="chip" key={m.name + m.op + m.value}>
          <bdi title={`${m.name} ${m.op} ${m.value || "(none)"}`}>
            <span class="chip-name">{m.name}</span>
            <span class="chip-op">{` ${m.op} `}</span>
            <Ends class="chip-value" parts={endsOf(m.value || "(none)")} />
          </bdi>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${m.name}`}
            onClick={() => props.onChange(withMatcher(props.query, m.name, undefined))}
          >
            ×
          </button>
        </span>
      ))}
    </>
  );
}

// A button to add a label to the selection. `state` has resolved times.
export function LabelPicker(props: { state: State; onChange: (query: string) => void }) {
  const { state } = props;
  const [name, setName] = useState("");
  return (
    <div class="labels">
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
export function LabelNames(props: {
  labels: readonly string[];
  value: string;
  onChange: (by: string) => void;
}) {
  const names = props.labels.filter((n) => !n.startsWith("__"));
  if (!names.length) return null;
  return (
    <Picker
      label="Group timeline by"
      recent="group"
      prefix="by"
      value={props.value}
      options={[
        { value: "", text: "none" },
        ...(names.includes(props.value) || !props.value ? names : [props.value, ...names]).map(
          (name) => ({ value: name, text: name }),
        ),
      ]}
      onChange={props.onChange}
    />
  );
}
