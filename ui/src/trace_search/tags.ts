// SPDX-License-Identifier: Apache-2.0
// The attributes of stored spans and their values, for completion and filters. Without an answer
// there are none: the query can still be typed.
import { tempoUrl, useAnswer } from "../api/client";
import { State } from "../url";
import { attributeName, quote } from "./conditions";

interface TagsAnswer {
  scopes?: { name: string; tags?: string[] }[];
}

interface ValuesAnswer {
  tagValues?: { type: string; value: string }[];
}

const maxValues = 500;

const seconds = (resolved: State) => ({
  start: Math.floor(Number(resolved.from) / 1000),
  end: Math.ceil(Number(resolved.to) / 1000),
});

// Return names as TraceQL writes them, with their scope. `resolved`: the state with resolved times.
export function useTagNames(resolved: State, wanted: boolean): (readonly [string, string])[] {
  const { data } = useAnswer<TagsAnswer>(
    wanted ? tempoUrl("v2/search/tags", seconds(resolved)) : undefined,
  );
  return (data?.scopes ?? [])
    .filter((scope) => scope.name !== "intrinsic")
    .flatMap(({ name, tags }) =>
      (tags ?? []).map((tag) => [attributeName(name, tag), name] as const),
    );
}

const literalOf = ({ type, value }: { type: string; value: string }) =>
  type === "string" ? quote(value) : value;

// The values of durations, times and IDs are not worth a list.
const unlisted =
  /^(?:duration|span:duration|trace:duration|traceDuration|trace:id|span:id|.*[tT]imeSinceStart|nestedSet.*)$/;

// Return the values of an attribute as literals. `query`: only those of matching spans.
export function useTagValues(resolved: State, name: string, query = ""): string[] {
  const { data } = useAnswer<ValuesAnswer>(
    name && !unlisted.test(name)
      ? tempoUrl(`v2/search/tag/${encodeURIComponent(name)}/values`, {
          ...seconds(resolved),
          q: query,
          limit: maxValues,
        })
      : undefined,
  );
  return (data?.tagValues ?? []).map(literalOf);
}
