// SPDX-License-Identifier: Apache-2.0
// The two sides of a comparison, each as the state of a single selection. `after` has the common
// parameters of the address; `before` has the parameters that begin with before, and defaults to
// `after` where they are empty.
import { allServices, parseSelector } from "../api/selection";
import { isRelative, Range, timeOf } from "../base/time";
import { State } from "../url";

export type SideName = "before" | "after";
export type Side = Pick<State, "query" | "from" | "to" | "file">;

export function sideOf(state: State, name: SideName): State {
  if (name === "after") return state;
  return {
    ...state,
    query: state.before_file ? "" : state.before || state.query,
    from: state.before_from || state.from,
    to: state.before_to || state.to,
    file: state.before_file,
  };
}

const beforeFields = (side: Side): Partial<State> => ({
  before: side.file ? "" : side.query || allServices,
  before_from: side.from,
  before_to: side.to,
  before_file: side.file,
});

// Return the change of the address that changes one side and preserves the other.
export function changeSide(state: State, name: SideName, change: Partial<Side>): Partial<State> {
  const before = sideOf(state, "before");
  if (name === "before") return { ...beforeFields({ ...before, ...change }), live: false };
  return { ...beforeFields(before), ...change, live: false };
}

export function swapSides(state: State): Partial<State> {
  const { query, from, to, file } = sideOf(state, "before");
  return {
    ...beforeFields(state),
    query: query === allServices ? "" : query,
    from,
    to,
    file,
    live: false,
  };
}

const normal = (query: string) => {
  const s = parseSelector(query);
  return s
    ? JSON.stringify([s.service, ...s.matchers.map((m) => `${m.name}${m.op}${m.value}`).sort()])
    : query;
};

export const sameQuery = (a: string, b: string) => normal(a) === normal(b);

export function sameSides(state: State): boolean {
  const before = sideOf(state, "before");
  if (before.file || state.file) return before.file === state.file;
  return (
    sameQuery(before.query, state.query) && before.from === state.from && before.to === state.to
  );
}

const units: readonly (readonly [string, number])[] = [
  ["d", 86400e3],
  ["h", 3600e3],
  ["m", 60e3],
  ["s", 1e3],
];

// Shift a time back: "now-1h" a day earlier is "now-25h". Relative times stay relative, absolute
// ones absolute.
export function earlier(text: string, ms: number, now = Date.now()): string {
  const time = timeOf(text, now);
  if (!isRelative(text) || Number.isNaN(time)) return String(time - ms);
  const ago = Math.round((now - time + ms) / 1000) * 1000;
  const [unit, size] = units.find(([, s]) => ago % s === 0)!;
  return ago ? `now-${ago / size}${unit}` : "now";
}

export const earlierRange = (range: Range, ms: number, now = Date.now()): Range => ({
  from: earlier(range.from, ms, now),
  to: earlier(range.to, ms, now),
});

const amounts: readonly (readonly [string, number])[] = [
  ["week", 7 * 86400e3],
  ["day", 86400e3],
  ["hour", 3600e3],
  ["minute", 60e3],
  ["second", 1e3],
];

// Format a length of time in the largest unit that divides it: "day", "6 hours", "90 seconds".
export function spanText(ms: number): string {
  const whole = Math.max(1, Math.round(ms / 1000)) * 1000;
  const [name, size] = amounts.find(([, s]) => whole % s === 0)!;
  return whole === size ? name : `${(whole / size).toLocaleString("en-US")} ${name}s`;
}

export interface Preset {
  key: string;
  label: string; // "This hour vs. yesterday"
  short: string; // "Yesterday"
  change: Partial<State>;
}

const day = 86400e3;

// Return comparisons of the selection with itself at an earlier time.
export function timePresets(state: State, now = Date.now()): Preset[] {
  const length = timeOf(state.to, now) - timeOf(state.from, now);
  if (state.file || !(length > 0)) return [];
  const text = spanText(length);
  const mine = text.includes(" ") ? `These ${text}` : `This ${text}`;
  const preset = (key: string, short: string, ms: number): Preset => {
    const range = earlierRange(state, ms, now);
    return {
      key,
      short,
      label: `${mine} vs. ${short.charAt(0).toLowerCase()}${short.slice(1)}`,
      change: {
        path: "/compare",
        before: "",
        before_file: "",
        before_from: range.from,
        before_to: range.to,
        zoom: [],
      },
    };
  };
  const list = [
    preset("yesterday", "Yesterday", day),
    preset("previous", `Previous ${text}`, length),
    preset("week", "Last week", 7 * day),
  ];
  return length > day
    ? list.filter((p) => p.key !== "yesterday" && (p.key !== "week" || length < 7 * day))
    : list;
}

// Describe the differences of the selections: "version v1 → v2", "a day later".
export function describeSides(state: State, now = Date.now()): string {
  const before = sideOf(state, "before");
  if (before.file || state.file) return "";
  const parts: string[] = [];
  const a = parseSelector(before.query);
  const b = parseSelector(state.query);
  if (a && b) {
    if (a.service !== b.service)
      parts.push(`${a.service || "all services"} → ${b.service || "all services"}`);
    const names = new Set([...a.matchers, ...b.matchers].map((m) => m.name));
    const text = (s: typeof a, name: string) =>
      s.matchers
        .filter((m) => m.name === name)
        .map((m) => `${m.op === "=" ? "" : m.op}${m.value || "(none)"}`)
        .join(", ") || "any";
    for (const name of names)
      if (text(a, name) !== text(b, name))
        parts.push(`${name} ${text(a, name)} → ${text(b, name)}`);
  }
  const lengths = [before, state].map((s) => timeOf(s.to, now) - timeOf(s.from, now));
  const shift = timeOf(state.from, now) - timeOf(before.from, now);
  if (Math.abs(shift) >= 1000 || lengths[0] !== lengths[1])
    parts.push(
      lengths[0] === lengths[1]
        ? `${spanText(Math.abs(shift)).replace(/^(?=[a-z])/, "a ")} ${shift > 0 ? "later" : "earlier"}`.replace(
            "a hour",
            "an hour",
          )
        : "another time",
    );
  return parts.join(" · ");
}
