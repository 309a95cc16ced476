// SPDX-License-Identifier: Apache-2.0
// Changes between two sides, formatted and sorted as `varve diff` does.
import { Change, ChangeKind, DiffAnswer, DiffRow } from "../api/types";
import { formatChange, formatValue } from "../base/units";
import { State } from "../url";

export const kindTabs: readonly (readonly [State["kind"], string, string])[] = [
  ["", "Changed", "Functions whose value is not the same on both sides"],
  ["grew", "Grew", "More than before"],
  ["shrank", "Shrank", "Less than before"],
  ["new", "New", "Not in before"],
  ["gone", "Gone", "Not in after"],
  ["all", "All", "All functions, including unchanged ones"],
];

// Return the number of functions of a kind. "": those whose compared value has changed; unknown if
// not all rows are loaded.
export function tabCount(
  answer: DiffAnswer | undefined,
  kind: State["kind"],
  of: State["of"],
): number | undefined {
  if (!answer || kind === "all") return answer?.row_count;
  if (kind) return answer.changes[kind];
  return answer.rows.length === answer.row_count
    ? answer.rows.filter((r) => r[of].delta !== 0).length
    : undefined;
}

// Format the relative change; "new" and "gone" if one side is missing.
export function changeShare(kind: ChangeKind, change: Change): string {
  if (kind === "new" || kind === "gone") return kind;
  return change.before ? percentText(change.delta / Math.abs(change.before)) : "";
}

export const percentText = (share: number) => `${share > 0 ? "+" : ""}${(100 * share).toFixed(1)}%`;

// Return the relative change for sorting: infinite for new functions, -1 for removed ones.
export function shareOf(change: Change): number {
  if (!change.before) return change.after ? Math.sign(change.after) * Infinity : 0;
  return change.delta / Math.abs(change.before);
}

// Return the shares (0 to 1) of a value in both sides.
export function sharesOf(answer: DiffAnswer, change: Change): [number, number] {
  const part = (value: number, whole: number) => (whole ? value / whole : 0);
  return [
    part(change.before_unscaled ?? change.before, answer.before.kept),
    part(change.after, answer.after.kept),
  ];
}

// Format both totals: "5.54 s → 7.10 s, +28.2%". If normalised, the totals are not compared: both
// are 100%.
export function overallText(answer: DiffAnswer): string {
  const [before, after] = [answer.before.kept, answer.after.kept];
  if (answer.normalised)
    return `Shares of ${formatValue(before, answer.unit)} → shares of ${formatValue(after, answer.unit)}`;
  const share = before ? `, ${percentText((after - before) / Math.abs(before))}` : "";
  return `${formatValue(before, answer.unit)} → ${formatValue(after, answer.unit)}${share}`;
}

export const deltaText = (answer: DiffAnswer) =>
  formatChange(answer.after.kept - answer.before.kept, answer.unit);

const byMagnitude = (a: Change, b: Change) =>
  Math.abs(a.delta) - Math.abs(b.delta) || a.delta - b.delta;

// Comparators by column, ascending. "-change" yields the server's order: largest change first.
export const comparators: Record<string, (of: State["of"]) => (a: DiffRow, b: DiffRow) => number> =
  {
    before: (of) => (a, b) => a[of].before - b[of].before,
    after: (of) => (a, b) => a[of].after - b[of].after,
    change: (of) => {
      const other = of === "self" ? "total" : "self";
      return (a, b) =>
        byMagnitude(a[of], b[of]) || byMagnitude(a[other], b[other]) || (a.name < b.name ? 1 : -1);
    },
    share: (of) => (a, b) => {
      const [x, y] = [shareOf(a[of]), shareOf(b[of])];
      return (x === y ? 0 : x - y) || a[of].delta - b[of].delta;
    },
    name: () => (a, b) => a.name.localeCompare(b.name),
    file: () => (a, b) =>
      a.file.localeCompare(b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      a.module.localeCompare(b.module),
  };

// Return the rows of a kind whose names match. "": those whose compared value has changed.
export function rowsOf(
  answer: DiffAnswer | undefined,
  kind: State["kind"],
  of: State["of"],
  matches: (text: string) => boolean,
): DiffRow[] {
  const isListed = (r: DiffRow) =>
    kind === "all" || (kind ? r.kind === kind : r[of].delta !== 0);
  return (answer?.rows ?? []).filter((r) => isListed(r) && matches(r.name));
}
