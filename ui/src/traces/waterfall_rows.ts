// SPDX-License-Identifier: Apache-2.0
// Orders the spans of a trace as a tree in preorder; siblings by start time.
import type { SpanRow } from "./SpanTable";

export interface WaterfallRow {
  row: SpanRow;
  level: number; // 0: root, or the parent is unknown
  below: number; // number of descendants, which are the rows after this one
  left: number; // start, as a fraction of the trace's duration
  width: number; // duration, as a fraction of the trace's duration; 0: unknown
}

export const isStored = (row: SpanRow) => row.name !== undefined;

// Return the rows of the spans. A span with an unknown parent is a root; of a cycle of parents, one
// span becomes a root. Spans that are known from samples only come last.
export function waterfallOf(spans: readonly SpanRow[]): WaterfallRow[] {
  const kept = spans.filter(isStored);
  const byId = new Map(kept.map((row) => [row.span, row]));
  const below = new Map<string, SpanRow[]>();
  const roots: SpanRow[] = [];
  for (const row of [...kept].sort((a, b) => a.start! - b.start! || b.duration! - a.duration!)) {
    if (!row.parent || row.parent === row.span || !byId.has(row.parent)) roots.push(row);
    else if (below.has(row.parent)) below.get(row.parent)!.push(row);
    else below.set(row.parent, [row]);
  }
  const from = kept.reduce((first, r) => Math.min(first, r.start!), Infinity);
  const whole =
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
        left: (row.start! - from) / whole,
        width: row.duration! / 1e6 / whole,
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

// Return the visible rows: those whose ancestors are all expanded.
export function visibleRows(
  rows: readonly WaterfallRow[],
  folded: ReadonlySet<string>,
): WaterfallRow[] {
  const seen: WaterfallRow[] = [];
  for (let i = 0; i < rows.length; i += 1 + (folded.has(rows[i].row.span) ? rows[i].below : 0))
    seen.push(rows[i]);
  return seen;
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
