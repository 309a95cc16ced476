// SPDX-License-Identifier: Apache-2.0
// Filters that write the conditions of a simple query: service, name, status, duration, and any
// attribute.
import { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Popover, Select, TextInput } from "../base/components";
import { State } from "../url";
import {
  literalText,
  otherConditions,
  parseSimple,
  SimpleQuery,
  Slot,
  slotOf,
  withCondition,
  withoutCondition,
  withSlot,
} from "./conditions";
import { useTagNames, useTagValues } from "./tags";

const maxShown = 200;

// A list of choices with a box to filter them; the typed text itself can be chosen, too.
function Picks(props: {
  label: string;
  choices: readonly (readonly [value: string, shown: string, note?: string])[];
  typed?: (text: string) => string; // value of a text that is not in the list
  empty: string;
  onPick: (value: string) => void;
}) {
  const [filter, setFilter] = useState("");
  const shown = props.choices.filter(([, text]) =>
    text.toLowerCase().includes(filter.toLowerCase()),
  );
  const exact = props.choices.some(([, text]) => text === filter);
  const own = props.typed && filter && !exact ? filter : "";
  return (
    <form
      class="label-values"
      onSubmit={(event) => {
        event.preventDefault();
        if (own) props.onPick(props.typed!(own));
        else if (shown.length) props.onPick(shown[0][0]);
      }}
    >
      <TextInput label={props.label} value={filter} onChange={setFilter} delay={0} />
      <ul class="picks">
        {own && (
          <li>
            <button type="submit" class="quiet pick">
              <bdi class="pick-name">“{own}”</bdi>
            </button>
          </li>
        )}
        {shown.slice(0, maxShown).map(([value, text, note]) => (
          <li key={value}>
            <button
              type="button"
              class="quiet pick"
              title={text}
              onClick={() => props.onPick(value)}
            >
              <bdi class="pick-name">{text || "(empty)"}</bdi>
              {note && <span class="soft">{note}</span>}
            </button>
          </li>
        ))}
      </ul>
      {shown.length > maxShown && (
        <p class="soft">{shown.length - maxShown} more: filter to see them.</p>
      )}
      {!props.choices.length && !own && <p class="soft">{props.empty}</p>}
    </form>
  );
}

function ValuePicks(props: {
  resolved: State;
  name: string;
  query: string;
  label: string;
  onPick: (literal: string) => void;
}) {
  const values = useTagValues(props.resolved, props.name, props.query);
  return (
    <Picks
      label={props.label}
      choices={values.map((literal) => [literal, literalText(literal)] as const)}
      typed={(text) => JSON.stringify(text)}
      empty="No values in this range; type one."
      onPick={props.onPick}
    />
  );
}

// A filter by one attribute: a button with its value, and a list of values.
function SlotFilter(props: {
  resolved: State;
  simple: SimpleQuery;
  slot: "service" | "name";
  title: string;
  attribute: string;
  onChange: (query: string) => void;
}) {
  const { slot, title } = props;
  const chosen = slotOf(props.simple, slot);
  const set = (literal: string) => props.onChange(withSlot(props.resolved.q, slot, literal));
  return (
    <span class="slot">
      <Popover
        label={
          <span class="slot-text">
            <span class="soft">{title}</span>{" "}
            <bdi class="clip">{chosen ? literalText(chosen.value!) : "any"}</bdi> ▾
          </span>
        }
        title={`Filter by ${title.toLowerCase()}`}
      >
        {(close) => (
          <ValuePicks
            resolved={props.resolved}
            name={props.attribute}
            query={withSlot(props.resolved.q, slot, "")}
            label={`Filter ${title.toLowerCase()}s`}
            onPick={(literal) => {
              set(literal);
              close();
            }}
          />
        )}
      </Popover>
      {chosen && (
        <button
          type="button"
          class="quiet icon small"
          aria-label={`Remove the filter by ${title.toLowerCase()}`}
          onClick={() => set("")}
        >
          ×
        </button>
      )}
    </span>
  );
}

const durations = ["10ms", "50ms", "100ms", "250ms", "500ms", "1s", "2s", "5s", "10s"];
const isDuration = (text: string) => /^\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h)$/.test(text);

function DurationFilter(props: {
  query: string;
  slot: "least" | "most";
  value: string;
  onChange: (query: string) => void;
}) {
  const [text, setText] = useState<string>();
  const shown = text ?? props.value;
  const wrong = shown !== "" && !isDuration(shown);
  const word = props.slot === "least" ? "Least" : "Greatest";
  const apply = (value: string) => {
    if (value && !isDuration(value)) return;
    setText(undefined);
    if (value !== props.value) props.onChange(withSlot(props.query, props.slot, value));
  };
  return (
    <input
      type="text"
      class={`duration ${wrong ? "wrong" : ""}`}
      aria-label={`${word} duration, such as 100ms`}
      title={wrong ? "A number and a unit: 10us, 100ms, 1.5s" : `${word} duration`}
      placeholder={props.slot === "least" ? "0" : "∞"}
      list="trace-durations"
      autocomplete="off"
      value={shown}
      onInput={(event) => setText(event.currentTarget.value.trim())}
      onChange={(event) => apply(event.currentTarget.value.trim())}
      onKeyDown={(event) => event.key === "Enter" && apply(event.currentTarget.value.trim())}
    />
  );
}

function AttributePicks(props: { resolved: State; onPick: (condition: string) => void }) {
  const [name, setName] = useState("");
  const names = useTagNames(props.resolved, true);
  if (!name)
    return (
      <Picks
        label="Filter attributes"
        choices={names.map(([text, scope]) => [text, text, scope] as const)}
        typed={(text) => text}
        empty="No attributes in this range; type a name, such as span.http.route."
        onPick={setName}
      />
    );
  return (
    <>
      <div class="row">
        <button
          type="button"
          class="quiet"
          aria-label="Back to attributes"
          onClick={() => setName("")}
        >
          ‹
        </button>
        <strong>{name}</strong>
      </div>
      <ValuePicks
        resolved={props.resolved}
        name={name}
        query={props.resolved.q}
        label="Filter values"
        onPick={(literal) => props.onPick(`${name} = ${literal}`)}
      />
    </>
  );
}

function Chip(props: { text: string; onRemove: () => void }): ComponentChildren {
  return (
    <span class="chip" title={props.text}>
      <bdi>{props.text}</bdi>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove ${props.text}`}
        onClick={props.onRemove}
      >
        ×
      </button>
    </span>
  );
}

// `resolved`: the state with resolved times; its query is the one that has been run.
export function Filters(props: { resolved: State; onChange: (query: string) => void }) {
  const { resolved, onChange } = props;
  const query = resolved.q;
  const simple = parseSimple(query);
  if (!simple)
    return (
      <p class="soft foot">
        Filters are for queries of one {"{ … }"}; this one is edited as text only.
      </p>
    );
  const valueOf = (slot: Slot) => slotOf(simple, slot)?.value ?? "";
  return (
    <div class="row trace-filters">
      <SlotFilter
        resolved={resolved}
        simple={simple}
        slot="service"
        title="Service"
        attribute="resource.service.name"
        onChange={onChange}
      />
      <SlotFilter
        resolved={resolved}
        simple={simple}
        slot="name"
        title="Span"
        attribute="name"
        onChange={onChange}
      />
      <Select
        label="Status"
        value={valueOf("status")}
        options={[
          ["", "Status: any"],
          ["error", "Status: error"],
          ["ok", "Status: ok"],
          ["unset", "Status: unset"],
        ]}
        onChange={(status) => onChange(withSlot(query, "status", status))}
      />
      <span class="row duration-range">
        <span class="soft">Duration</span>
        <DurationFilter query={query} slot="least" value={valueOf("least")} onChange={onChange} />
        <span class="soft">to</span>
        <DurationFilter query={query} slot="most" value={valueOf("most")} onChange={onChange} />
        <datalist id="trace-durations">
          {durations.map((d) => (
            <option key={d} value={d} />
          ))}
        </datalist>
      </span>
      {otherConditions(simple).map(({ text }) => (
        <Chip key={text} text={text} onRemove={() => onChange(withoutCondition(query, text))} />
      ))}
      <Popover label="+ Attribute" title="Filter by an attribute">
        {(close) => (
          <AttributePicks
            resolved={resolved}
            onPick={(condition) => {
              onChange(withCondition(query, condition));
              close();
            }}
          />
        )}
      </Popover>
    </div>
  );
}
