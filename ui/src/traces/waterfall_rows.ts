// SPDX-License-Identifier: Apache-2.0
// Orders the spans of a trace as a tree in preorder; siblings by start time. Parents that are not
// stored, and groups of equal siblings, are rows of their own.
import type { SpanRow } from "./SpanTable";

export interface WaterfallRow {
  row: SpanRow;
  level: number; // 0: root, or the parent is unknown
  below: number; // number of descendants, which are the rows after this one
  left: number; // start, as a fraction of the trace's duration
  width: number; // duration, as a fraction of the trace's duration; 0: unknown
  missing?: boolean; // a parent that is not stored; `row` has its ID and the time of its children
  group?: WaterfallRow[]; // equal siblings, the rows below; `row` has their sums
}

export const isStored = (row: SpanRow) => row.name !== undefined;

// Return a row for each parent that is not stored, with the time of its children.
function missingParents(spans: readonly SpanRow[]): SpanRow[] {
  const known = new Set(spans.map((row) => row.span));
  const missing = new Map<string, SpanRow>();
  for (const row of spans) {
    if (!row.parent || known.has(row.parent)) continue;
    const seen = missing.get(row.parent);
    const end = row.start! + row.duration! / 1e6;
    const start = Math.min(row.start!, seen?.start ?? Infinity);
    const last = Math.max(end, seen ? seen.start! + seen.duration! / 1e6 : end);
    missing.set(row.parent, {
      trace: row.trace,
      span: row.parent,
      total: 0,
      samples: 0,
      first: 0,
      last: 0,
      service: "",
      labels: {},
      with_children: (seen?.with_children ?? 0) + row.with_children,
      name: "missing parent",
      parent: "",
      kind: "",
      status: "unset",
      start,
      duration: (last - start) * 1e6,
    });
  }
  return [...missing.values()];
}

// Return the rows of the spans. A span with an unknown parent is a root, or below a row of its
// missing parent if `whole`, i.e. if the spans are all of the trace. Of a cycle of parents, one span
// becomes a root. Spans that are known from samples only come last.
export function waterfallOf(spans: readonly SpanRow[], whole = false): WaterfallRow[] {
  const own = spans.filter(isStored);
  const lost = whole ? missingParents(own) : [];
  const lostIds = new Set(lost.map((row) => row.span));
  const kept = [...own, ...lost];
  const byId = new Map(kept.map((row) => [row.span, row]));
  const below = new Map<string, SpanRow[]>();
  const roots: SpanRow[] = [];
  for (const row of [...kept].sort((a, b) => a.start! - b.start! || b.duration! - a.duration!)) {
    if (!row.parent || row.parent === row.span || !byId.has(row.parent)) roots.push(row);
    else if (below.has(row.parent)) below.get(row.parent)!.push(row);
    else below.set(row.parent, [row]);
  }
  const from = kept.reduce((first, r) => Math.min(first, r.start!), Infinity);
  const length =
    kept.reduce((last, r) => Math.max(last, r.start! + r.duration! / 1e6), -Infinity) - from || 1;
  const rows: WaterfallRow[] = [];
  const seen = new Set<string>();
  const walk = (root: SpanRow) => {
    const next: [SpanRow, number][] = [[root, 0]];
    for (let item = next.pop(); item; item = next.pop()) {
      const [row, level] = item;
      if (seen.has(row.span)) continue;
      seen.add(row.span);
      rows.push({
        row,
        level,
        below: 0,
        left: (row.start! - from) / length,
        width: row.duration! / 1e6 / length,
        ...(lostIds.has(row.span) ? { missing: true } : {}),
      });
      for (const child of [...(below.get(row.span) ?? [])].reverse()) next.push([child, level + 1]);
    }
  };
  for (const root of roots) walk(root);
  for (const row of kept) if (!seen.has(row.span)) walk(row);
  countBelow(rows);
  return [
    ...rows,
    ...spans
      .filter((row) => !isStored(row))
      .map((row) => ({ row, level: 0, below: 0, left: 0, width: 0 })),
  ];
}

function countBelow(rows: WaterfallRow[]) {
  const callers: number[] = [];
  const end = (level: number, at: number) => {
    while (callers.length > level) {
      const caller = callers.pop()!;
      rows[caller].below = at - caller - 1;
    }
  };
  rows.forEach((row, i) => {
    end(row.level, i);
    callers.push(i);
  });
  end(0, rows.length);
}

const leastGroup = 5; // equal siblings

const groupKey = ({ row }: WaterfallRow) =>
  JSON.stringify([row.service, row.name, row.kind, row.status]);

function groupRow(members: WaterfallRow[], level: number): WaterfallRow {
  const first = members[0];
  const sum = (of: (row: SpanRow) => number) => members.reduce((n, m) => n + of(m.row), 0);
  const end = members.reduce((last, m) => Math.max(last, m.left + m.width), 0);
  return {
    row: {
      ...first.row,
      total: sum((r) => r.total),
      samples: sum((r) => r.samples),
      with_children: sum((r) => r.with_children),
      duration: sum((r) => r.duration!),
    },
    level,
    below: 0,
    left: first.left,
    width: end - first.left,
    group: members,
  };
}

// Return the rows with groups of at least five equal siblings (service, name, kind and status): a
// row of the group, and below it its members with what is below them.
export function groupSiblings(rows: readonly WaterfallRow[]): WaterfallRow[] {
  const children = (at: number): number[] => {
    const list = [];
    for (let i = at + 1; i <= at + rows[at].below; i += 1 + rows[i].below) list.push(i);
    return list;
  };
  const result: WaterfallRow[] = [];
  const next: { at: number; level: number; group?: WaterfallRow[] }[] = [];
  for (let at = rows.length; at-- > 0;) if (!rows[at].level) next.push({ at, level: 0 });
  for (let item = next.pop(); item; item = next.pop()) {
    const { at, level, group } = item;
    if (group) {
      result.push(groupRow(group, level));
      continue;
    }
    result.push({ ...rows[at], level });
    const byKey = new Map<string, number[]>();
    for (const child of children(at)) {
      const key = groupKey(rows[child]);
      const equal = byKey.get(key);
      if (equal) equal.push(child);
      else byKey.set(key, [child]);
    }
    const pending: typeof next = [];
    for (const list of byKey.values()) {
      const grouped = list.length >= leastGroup;
      if (grouped) pending.push({ at: list[0], level: level + 1, group: list.map((i) => rows[i]) });
      for (const child of list) pending.push({ at: child, level: level + (grouped ? 2 : 1) });
    }
    // Groups stay at the place of their first member.
    const order = pending.map((p, i) => [p, i] as const);
    const head = new Map<number, number>();
    for (const list of byKey.values())
      for (const child of list) head.set(child, list.length >= leastGroup ? list[0] : child);
    order.sort(([a, i], [b, k]) => head.get(a.at)! - head.get(b.at)! || i - k);
    for (const [p] of order.reverse()) next.push(p);
  }
  countBelow(result);
  return result;
}

// The key of a row: a group and its first member have the same span.
export const keyOfRow = (item: WaterfallRow) =>
  `${item.group ? "group " : ""}${item.row.trace}-${item.row.span}`;

// Whether a row is folded; groups are folded at first. `toggled`: keys of rows in their other state.
export const isFolded = (item: WaterfallRow, toggled: ReadonlySet<string>) =>
  item.below > 0 && toggled.has(keyOfRow(item)) === !item.group;

// Return the visible rows: those whose ancestors are all expanded.
export function visibleRows(
  rows: readonly WaterfallRow[],
  toggled: ReadonlySet<string>,
): WaterfallRow[] {
  const seen: WaterfallRow[] = [];
  for (let i = 0; i < rows.length; i += 1 + (isFolded(rows[i], toggled) ? rows[i].below : 0))
    seen.push(rows[i]);
  return seen;
}

// Return the keys after all ancestors of a row are expanded; the same set if they are already.
export function revealed(
  rows: readonly WaterfallRow[],
  at: number,
  toggled: ReadonlySet<string>,
): ReadonlySet<string> {
  let next: Set<string> | undefined;
  for (let i = callerOf(rows, at); i >= 0; i = callerOf(rows, i)) {
    if (!isFolded(rows[i], toggled)) continue;
    next ??= new Set(toggled);
    if (!next.delete(keyOfRow(rows[i]))) next.add(keyOfRow(rows[i]));
  }
  return next ?? toggled;
}

// Return the rows that match, and their ancestors.
export function matchingSpans(
  rows: readonly WaterfallRow[],
  matches: (row: SpanRow) => boolean,
): WaterfallRow[] {
  const kept: WaterfallRow[] = [];
  let level = 0; // of the last kept row; its ancestors have smaller ones
  for (let i = rows.length - 1; i >= 0; i--) {
    const found = matches(rows[i].row);
    if (!found && rows[i].level >= level) continue;
    level = rows[i].level;
    kept.push(rows[i]);
  }
  return kept.reverse();
}

// Return the index of a row's parent, or -1.
export function callerOf(rows: readonly WaterfallRow[], at: number): number {
  let i = at - 1;
  while (i >= 0 && rows[i].level >= rows[at].level) i--;
  return rows[at].level ? i : -1;
}
