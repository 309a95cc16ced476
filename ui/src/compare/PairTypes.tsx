// SPDX-License-Identifier: Apache-2.0
// The profile type of a comparison, which is the same for both sides.
import { useMemo } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { ProfileType } from "../api/types";
import { Select } from "../base/components";
import { sortTypes, typeName } from "../base/profile_types";
import { State } from "../url";
import { sideOf } from "./sides";

export interface PairTypes {
  before: string[];
  after: string[];
  ready: boolean; // the types of both sides are known
  // the type of the address, else the first one that both sides have, else any; "": none
  chosen: string;
  ids: string[];
}

export function choosePairType(
  wanted: string,
  before: readonly string[],
  after: readonly string[],
): { chosen: string; ids: string[] } {
  const ids = sortTypes([...new Set([...after, ...before])]);
  const shared = ids.filter((id) => before.includes(id) && after.includes(id));
  return {
    chosen: wanted || shared[0] || sortTypes(after)[0] || sortTypes(before)[0] || "",
    ids: wanted && !ids.includes(wanted) ? [wanted, ...ids] : ids,
  };
}

function useSideTypes(side: State, tick: number): { ids: string[]; ready: boolean } {
  const answer = useAnswer<{ types: ProfileType[] }>(
    apiUrl(
      "types",
      side.file ? { file: side.file } : { query: side.query, from: side.from, to: side.to },
    ),
    tick,
  );
  const ids = useMemo(() => (answer.data?.types ?? []).map((t) => t.id), [answer.data]);
  return { ids, ready: Boolean(answer.data || answer.error) };
}

export function usePairTypes(resolved: State, tick: number): PairTypes {
  const before = useSideTypes(sideOf(resolved, "before"), tick);
  const after = useSideTypes(resolved, tick);
  return {
    before: before.ids,
    after: after.ids,
    ready: before.ready && after.ready,
    ...choosePairType(resolved.type, before.ids, after.ids),
  };
}

export function PairTypePicker(props: { types: PairTypes; onChange: (type: string) => void }) {
  const { types } = props;
  const only = (id: string) =>
    !types.before.includes(id)
      ? types.after.includes(id)
        ? " (only after)"
        : " (on neither side)"
      : types.after.includes(id)
        ? ""
        : " (only before)";
  if (!types.ids.length) return null;
  return (
    <Select
      label="Profile type"
      value={types.chosen}
      options={types.ids.map((id) => [id, typeName(id) + (types.ready ? only(id) : "")] as const)}
      onChange={props.onChange}
    />
  );
}

const namesOf = (ids: readonly string[]) => sortTypes(ids).map(typeName).join(", ");

// Return a note if one side lacks the type, else "".
export function typesNote(types: PairTypes): string {
  const name = typeName(types.chosen);
  const lacks = [
    !types.before.includes(types.chosen) && "before",
    !types.after.includes(types.chosen) && "after",
  ].filter(Boolean) as ("before" | "after")[];
  if (!types.ready || !types.chosen || lacks.length !== 1) return "";
  const side = lacks[0];
  const others = types[side].filter((id) =>
    types[side === "before" ? "after" : "before"].includes(id),
  );
  if (!types[side].length) return ""; // a side without any data has a note of its own
  return others.length
    ? `Only one side has ${name}. Both have ${namesOf(others)}.`
    : `The sides have no profile type in common: before has ${namesOf(types.before)}; after has ${namesOf(types.after)}.`;
}
