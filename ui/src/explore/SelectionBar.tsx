// SPDX-License-Identifier: Apache-2.0
// The controls of a selection: service, profile type and labels. A comparison uses them for each
// side.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api/client";
import { allServices, formatSelector, parseSelector, serviceOf } from "../api/selection";
import { ProfileType, ServicesAnswer } from "../api/types";
import { Select } from "../base/components";
import { sortTypes, typeName } from "../base/profile_types";
import { State } from "../url";
import { LabelPicker } from "./LabelPicker";
import { servicesQuery, typesQuery } from "./queries";

// `resolved`: the state with resolved times.
export function ServicePicker(props: {
  resolved: State;
  query: string;
  onChange: (query: string) => void;
}) {
  const services = useAnswer<ServicesAnswer>(servicesQuery(props.resolved));
  const current = serviceOf(props.query);
  const names = useMemo(() => {
    const list = (services.data?.services ?? []).map((s) => s.name);
    return current && !list.includes(current) ? [current, ...list] : list;
  }, [services.data, current]);
  return (
    <Select
      label="Service"
      value={current}
      options={[["", "All services"] as const, ...names.map((n) => [n, n] as const)]}
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
    </>
  );
}
