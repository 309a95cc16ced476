// SPDX-License-Identifier: Apache-2.0
// The filters of a view as removable chips, shown in every view in which they have an effect.
import { go, State } from "../url";

export const filters: readonly (readonly ["focus" | "ignore" | "hide", string, string])[] = [
  ["focus", "Focus", "Only stacks with a matching frame"],
  ["ignore", "Ignore", "Exclude stacks with a matching frame"],
  ["hide", "Hide", "Hide matching frames; their callees stay"],
];

export const groupings: readonly (readonly [string, string])[] = [
  ["function", "Function"],
  ["filefunction", "Function and file"],
  ["file", "File"],
  ["module", "Module"],
  ["line", "Line"],
  ["address", "Address"],
];

interface FilterChip {
  name: string;
  value: string;
  help: string;
  off: Partial<State>;
}

export function filterChips(state: State): FilterChip[] {
  const chips: FilterChip[] = filters
    .filter(([key]) => state[key])
    .map(([key, name, help]) => ({ name, value: state[key], help, off: { [key]: "", zoom: [] } }));
  const grouping = groupings.find(([key]) => key === state.group)?.[1] ?? state.group;
  if (state.group)
    chips.push({
      name: "Group by",
      value: grouping,
      help: "Frames are grouped by this",
      off: { group: "", zoom: [] },
    });
  if (state.busy)
    chips.push({
      name: "Idle hidden",
      value: "",
      help: "Without stacks in which a thread waits",
      off: { busy: false, zoom: [] },
    });
  if (state.root)
    chips.push({
      name: "Roots",
      value: state.root === "none" ? "not grouped" : state.root,
      help: "The values of this label are the roots of the flame graph",
      off: { root: "", zoom: [] },
    });
  if (state.invert)
    chips.push({
      name: "Inverted",
      value: "",
      help: "Leaves at the root",
      off: { invert: false, zoom: [] },
    });
  return chips;
}

export function FilterChips(props: { state: State }) {
  return (
    <>
      {filterChips(props.state).map(({ name, value, help, off }) => (
        <span class="chip" key={name} title={help}>
          {name}
          {value && (
            <>
              : <bdi>{value}</bdi>
            </>
          )}
          <button type="button" class="quiet" aria-label={`Remove ${name}`} onClick={() => go(off)}>
            ×
          </button>
        </span>
      ))}
    </>
  );
}
