// SPDX-License-Identifier: Apache-2.0
// The controls of a selection: service, profile type and labels. A comparison uses them for each
// side.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/client";
import { allServices, formatSelector, parseSelector, serviceOf } from "../api/selection";
import { ProfileType, ServicesAnswer } from "../api/types";
import { Popover, Select } from "../base/components";
import { Picker } from "../base/Picker";
import { sortTypes, typeName } from "../base/profile_types";
import { State } from "../url";
import { LabelPicker } from "./LabelPicker";
import { servicesQuery, typesQuery } from "./queries";

// `resolved`: the state with resolved times.
export function ServicePicker(props: {
  resolved: State;
  query: string;
  wide?: boolean;
  onChange: (query: string) => void;
}) {
  const services = useAnswer<ServicesAnswer>(servicesQuery(props.resolved));
  const current = serviceOf(props.query);
  const options = useMemo(() => {
    const list = (services.data?.services ?? []).map((s) => s.name);
    const names = current && !list.includes(current) ? [current, ...list] : list;
    return [
      { value: "", text: "All services" },
      ...names.map((name) => ({ value: name, text: name })),
    ];
  }, [services.data, current]);
  return (
    <Picker
      label="Service"
      recent="service"
      wide={props.wide}
      value={current}
      options={options}
      onChange={(service) => {
        const selector = parseSelector(props.query);
        props.onChange(
          formatSelector({ service, matchers: selector?.matchers ?? [] }) || allServices,
        );
      }}
    />
  );
}

// `shown`: the type of the answer, which the server selects if the address has none.
export function TypePicker(props: {
  resolved: State;
  shown: string;
  onChange: (type: string) => void;
}) {
  const { resolved } = props;
  const types = useAnswer<{ types: ProfileType[] }>(typesQuery(resolved));
  const value = resolved.type || props.shown;
  const ids = useMemo(() => {
    const list = (types.data?.types ?? []).map((t) => t.id);
    return sortTypes(value && !list.includes(value) ? [...list, value] : list);
  }, [types.data, value]);
  if (types.data && !ids.length) return null;
  return (
    <Select
      label="Profile type"
      value={value}
      options={ids.map((id) => [id, typeName(id)] as const)}
      onChange={props.onChange}
    />
  );
}

// The selector as text, for conditions that the pickers do not write: !=, =~, !~.
function QueryText(props: { query: string; onChange: (query: string) => void }) {
  const [text, setText] = useState(props.query);
  const wrong = parseSelector(text) === null;
  return (
    <Popover
      label="{ }"
      title="The selector as text"
      name="The selector as text"
      class="icon mono"
      onOpen={(open) => open && setText(props.query)}
    >
      {(close) => (
        <form
          class="query-text"
          onSubmit={(event) => {
            event.preventDefault();
            props.onChange(text.trim());
            close();
          }}
        >
          <input
            type="text"
            class={`mono ${wrong ? "wrong" : ""}`}
            aria-label="Selector"
            aria-invalid={wrong}
            placeholder={'service{label="value", other=~"a|b"}'}
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={wrong}>
            Apply
          </button>
          <p class="soft">
            {wrong
              ? 'Expected service{label="value"}, with the operators =, !=, =~ and !~.'
              : 'For example checkout{env="prod", pod=~"a-.*", version!="v1"}'}
          </p>
        </form>
      )}
    </Popover>
  );
}

export function SelectionBar(props: {
  resolved: State;
  shownType: string;
  onChange: (change: Partial<State>) => void;
}) {
  const { resolved } = props;
  return (
    <>
      {!resolved.file && (
        <ServicePicker
          resolved={resolved}
          query={resolved.query}
          wide
          onChange={(query) => props.onChange({ query })}
        />
      )}
      <TypePicker
        resolved={resolved}
        shown={props.shownType}
        onChange={(type) => props.onChange({ type })}
      />
      <LabelPicker
        state={resolved}
        onChange={(query) => props.onChange({ query: query || allServices })}
      />
      {!resolved.file && (
        <QueryText
          query={resolved.query}
          onChange={(query) => props.onChange({ query: query || allServices })}
        />
      )}
    </>
  );
}
