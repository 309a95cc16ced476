// SPDX-License-Identifier: Apache-2.0
// The variables of a dashboard: their possible values from labels or lists, and the chosen ones.
import { useMemo } from "preact/hooks";
import { apiUrl, promUrl } from "../api/client";
import { useQueries } from "../api/query_queue";
import { Popover, Select, TextInput } from "../base/components";
import { TextsAnswer } from "../promql/prom_answer";
import { Variable } from "./model";
import {
  allValues,
  chosenValues,
  filteredOptions,
  referencesOf,
  substitute,
  Values,
} from "./variables";

const maxOptions = 1000;

interface Range {
  from: number; // ms
  to: number;
}

// Return the query of the possible values; "": they are not queried, or depend on other variables
// whose values are not known yet.
function urlOfOptions(variable: Variable, values: Values, range: Range): string {
  const needed = referencesOf(variable.match ?? "");
  if ([...needed].some((name) => Object.hasOwn(values, name) && !values[name].length)) return "";
  const match = substitute(variable.match ?? "", values);
  const [from, to] = [Math.floor(range.from / 60_000) * 60, Math.ceil(range.to / 60_000) * 60];
  if (variable.type === "labels")
    return promUrl(`label/${encodeURIComponent(variable.label || "job")}/values`, {
      "match[]": match ? [match] : [],
      start: from,
      end: to,
      limit: maxOptions,
    });
  if (variable.type === "profiles")
    return apiUrl("label-values", {
      name: variable.label || "service_name",
      query: match,
      from: from * 1000,
      to: to * 1000,
    });
  return "";
}

const queried = (variable: Variable) => variable.type === "labels" || variable.type === "profiles";

type OptionsAnswer = TextsAnswer | { values: string[] };

export interface Resolved {
  values: Values; // chosen
  options: (string[] | undefined)[]; // of each variable; undefined: not known yet
  errors: string[];
  ready: boolean; // every variable has its values
}

// Resolve the variables in their order: a later one may depend on those before it.
export function useVariables(
  variables: readonly Variable[],
  fromUrl: Values,
  range: Range,
  tick: number,
): Resolved {
  const known = useOptionAnswers(variables, fromUrl, range, tick);
  return useMemo(() => resolve(variables, fromUrl, range, known), [
    variables,
    JSON.stringify(fromUrl),
    known,
    range.from,
    range.to,
  ]);
}

type Known = Map<string, { list: string[] } | { error: string }>; // by URL

function resolve(
  variables: readonly Variable[],
  fromUrl: Values,
  range: Range,
  known: Known,
): Resolved & { urls: string[] } {
  const values: Record<string, readonly string[]> = {};
  const options: (string[] | undefined)[] = [];
  const urls: string[] = [];
  const errors: string[] = [];
  let ready = true;
  for (const variable of variables) {
    let list: string[] | undefined = variable.values ?? [];
    if (queried(variable)) {
      const url = urlOfOptions(variable, values, range);
      const answer = url ? known.get(url) : undefined;
      if (url) urls.push(url);
      if (answer && "error" in answer) {
        errors.push(`${variable.title || variable.name}: ${answer.error}`);
        list = [];
      } else list = answer?.list;
      // a value that is given needs no list
      ready &&= list !== undefined || chosenValues(variable, fromUrl, undefined).length > 0;
    }
    list = list && filteredOptions(list, variable.regex);
    options.push(list);
    values[variable.name] = chosenValues(variable, fromUrl, list);
  }
  return { values, options, errors, ready, urls };
}

function useOptionAnswers(
  variables: readonly Variable[],
  fromUrl: Values,
  range: Range,
  tick: number,
): Known {
  // The URLs of later variables follow from the answers of earlier ones, which are known here from
  // the previous rendering.
  const memory = useMemo<{ known: Known }>(() => ({ known: new Map() }), [variables]);
  const { urls } = resolve(variables, fromUrl, range, memory.known);
  const { answers } = useQueries<OptionsAnswer>(urls, tick);
  const key = answers.map((a) => `${a.url} ${a.error?.message ?? ""} ${a.data ? 1 : 0}`).join("\n");
  return useMemo(() => {
    const known: Known = new Map(memory.known);
    for (const { url, data, error } of answers)
      if (error) known.set(url, { error: error.message });
      else if (data) known.set(url, { list: "data" in data ? data.data : data.values });
    memory.known = known;
    return known;
  }, [key, memory, ...answers.map((a) => a.data)]);
}

function Several(props: {
  variable: Variable;
  options: readonly string[];
  chosen: readonly string[];
  onChange: (values: string[]) => void;
}) {
  const { variable, options, chosen } = props;
  const all = chosen.includes(allValues);
  const shown = all ? "all" : chosen.length > 2 ? `${chosen.length} chosen` : chosen.join(", ");
  const toggle = (value: string) => {
    const next = all
      ? [value]
      : chosen.includes(value)
        ? chosen.filter((v) => v !== value)
        : [...chosen, value];
    props.onChange(next.length ? next : variable.all ? [allValues] : [value]);
  };
  return (
    <Popover
      label={
        <>
          <span class="soft">{variable.title || variable.name}</span> {shown || "none"} ▾
        </>
      }
    >
      {() => (
        <ul class="variable-options">
          {variable.all && (
            <li>
              <label>
                <input
                  type="checkbox"
                  checked={all}
                  onChange={() => props.onChange([allValues])}
                />{" "}
                all
              </label>
            </li>
          )}
          {[...new Set([...chosen.filter((v) => v !== allValues), ...options])].map((value) => (
            <li key={value}>
              <label>
                <input
                  type="checkbox"
                  checked={!all && chosen.includes(value)}
                  onChange={() => toggle(value)}
                />{" "}
                <bdi>{value || "(none)"}</bdi>
              </label>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

export function VariableBar(props: {
  variables: readonly Variable[];
  resolved: Resolved;
  onChange: (name: string, values: string[]) => void;
}) {
  const { variables, resolved } = props;
  if (!variables.length) return null;
  return (
    <div class="row variable-bar" role="group" aria-label="Variables">
      {variables.map((variable, i) => {
        const chosen = resolved.values[variable.name] ?? [];
        const options = resolved.options[i] ?? [];
        const title = variable.title || variable.name;
        if (variable.type === "text")
          return (
            <TextInput
              key={variable.name}
              label={title}
              value={chosen[0] ?? ""}
              onChange={(value) => props.onChange(variable.name, [value])}
              delay={500}
            />
          );
        if (variable.multi)
          return (
            <Several
              key={variable.name}
              variable={variable}
              options={options}
              chosen={chosen}
              onChange={(values) => props.onChange(variable.name, values)}
            />
          );
        const list = [...new Set([...chosen.filter((v) => v !== allValues), ...options])];
        return (
          <Select
            key={variable.name}
            label={title}
            shown
            value={chosen[0] ?? ""}
            options={[
              ...(variable.all ? [[allValues, "all"] as const] : []),
              ...(
                list.length ? list.map(
                  (v) => [v, v || "(none)"] as const,
                ) : [["", "no values"] as const]
              ),
            ]}
            onChange={(value) => props.onChange(variable.name, [value])}
          />
        );
      })}
      {resolved.errors.map((text) => (
        <span class="note bad" role="alert" key={text}>
          {text}
        </span>
      ))}
    </div>
  );
}
