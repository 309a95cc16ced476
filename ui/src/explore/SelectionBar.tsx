// SPDX-License-Identifier: Apache-2.0
// Which data: service, type, labels, time. For one selection, or for one side of a comparison.
import { useMemo } from "preact/hooks";
import { useAnswer } from "../api/client";
import { allServices, formatSelector, parseSelector, serviceOf } from "../api/selection";
import { ProfileType, ServicesAnswer } from "../api/types";
import { Select } from "../base/parts";
import { sortTypes, typeName } from "../base/types";
import { State } from "../url";
import { LabelPicker } from "./LabelPicker";
import { servicesQuestion, typesQuestion } from "./questions";

// `moment`: the state with times that stand still.
export function ServicePicker(props: { moment: State; query: string; onChange: (query: string) => void }) {
  const services = useAnswer<ServicesAnswer>(servicesQuestion(props.moment));
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
        props.onChange(formatSelector({ service, matchers: selector?.matchers ?? [] }) || allServices);
      }}
    />
  );
}

// `shown`: the type that the answer is of, where the address leaves it to the server.
export function TypePicker(props: { moment: State; shown: string; onChange: (type: string) => void }) {
  const { moment } = props;
  const types = useAnswer<{ types: ProfileType[] }>(typesQuestion(moment));
  const value = moment.type || props.shown;
  const ids = useMemo(() => {
    const list = (types.data?.types ?? []).map((t) => t.id);
    return sortTypes(value && !list.includes(value) ? [...list, value] : list);
  }, [types.data, value]);
  if (types.data && !ids.length) return null;
  return <Select label="Profile type" value={value} options={ids.map((id) => [id, typeName(id)] as const)} onChange={props.onChange} />;
}

export function SelectionBar(props: { moment: State; shownType: string; onChange: (change: Partial<State>) => void }) {
  const { moment } = props;
  return (
    <>
      {!moment.file && <ServicePicker moment={moment} query={moment.query} onChange={(query) => props.onChange({ query })} />}
      <TypePicker moment={moment} shown={props.shownType} onChange={(type) => props.onChange({ type })} />
      <LabelPicker state={moment} onChange={(query) => props.onChange({ query: query || allServices })} />
    </>
  );
}
