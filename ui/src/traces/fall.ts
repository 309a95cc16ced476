// SPDX-License-Identifier: Apache-2.0
// The spans of a trace in the order they were called: each below the one that called it, the earlier first.
import type { SpanRow } from "./SpanTable";

export interface FallRow {
  row: SpanRow;
  level: number; // 0: nothing that is known called it
  below: number; // how many rows behind it are of what it called, in any depth
  left: number; // parts of the whole time
  width: number; // 0: its times are not known
}

export const isKept = (row: SpanRow) => row.name !== undefined;

// A span whose caller is not there stands at the left, as do those that call each other in a circle; what is known from
// samples alone comes last.
export function waterfallOf(spans: readonly SpanRow[]): FallRow[] {
  const kept = spans.filter(isKept);
  const byId = new Map(kept.map((row) => [row.span, row]));
  const below = new Map<string, SpanRow[]>();
  const roots: SpanRow[] = [];
  for (const row of [...kept].sort((a, b) => a.start! - b.start! || b.duration! - a.duration!)) {
    if (!row.parent || row.parent === row.span || !byId.has(row.parent)) roots.push(row);
    else if (below.has(row.parent)) below.get(row.parent)!.push(row);
    else below.set(row.parent, [row]);
  }
  const from = kept.reduce((first, r) => Math.min(first, r.start!), Infinity);
  const whole = kept.reduce((last, r) => Math.max(last, r.start! + r.duration! / 1e6), -Infinity) - from || 1;
  const rows: FallRow[] = [];
  const seen = new Set<string>();
  const walk = (root: SpanRow) => {
    const next: [SpanRow, number][] = [[root, 0]];
    for (let item = next.pop(); item; item = next.pop()) {
      const [row, level] = item;
      if (seen.has(row.span)) continue;
      seen.add(row.span);
      rows.push({ row, level, below: 0, left: (row.start! - from) / whole, width: row.duration! / 1e6 / whole });
      for (const child of [...(below.get(row.span) ?? [])].reverse()) next.push([child, level + 1]);
    }
  };
  for (const root of roots) walk(root);
  for (const row of kept) if (!seen.has(row.span)) walk(row);
  countBelow(rows);
  return [...rows, ...spans.filter((row) => !isKept(row)).map((row) => ({ row, level: 0, below: 0, left: 0, width: 0 }))];
}

function countBelow(rows: FallRow[]) {
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

// The rows that are seen: those whose callers are all unfolded.
export function unfolded(rows: readonly FallRow[], folded: ReadonlySet<string>): FallRow[] {
  const seen: FallRow[] = [];
  for (let i = 0; i < rows.length; i += 1 + (folded.has(rows[i].row.span) ? rows[i].below : 0)) seen.push(rows[i]);
  return seen;
}

// The rows that match, and who called them.
export function matching(rows: readonly FallRow[], matches: (row: SpanRow) => boolean): FallRow[] {
  const kept: FallRow[] = [];
  let level = 0; // of what was kept last: callers have a smaller one
  for (let i = rows.length - 1; i >= 0; i--) {
    const found = matches(rows[i].row);
    if (!found && rows[i].level >= level) continue;
    level = rows[i].level;
    kept.push(rows[i]);
  }
  return kept.reverse();
}

// Where the caller of a row stands, or -1.
export function callerOf(rows: readonly FallRow[], at: number): number {
  let i = at - 1;
  while (i >= 0 && rows[i].level >= rows[at].level) i--;
  return rows[at].level ? i : -1;
}
