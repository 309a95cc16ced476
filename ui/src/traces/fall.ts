// SPDX-License-Identifier: Apache-2.0
// The spans of a trace in the order they were called: each below the one that called it, the earlier first.
import type { SpanRow } from "./SpanTable";

export interface FallRow {
  row: SpanRow;
  level: number; // 0: nothing that is known called it
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
  const from = Math.min(...kept.map((r) => r.start!));
  const whole = Math.max(...kept.map((r) => r.start! + r.duration! / 1e6)) - from || 1;
  const rows: FallRow[] = [];
  const seen = new Set<string>();
  const walk = (root: SpanRow) => {
    const next: [SpanRow, number][] = [[root, 0]];
    for (let item = next.pop(); item; item = next.pop()) {
      const [row, level] = item;
      if (seen.has(row.span)) continue;
      seen.add(row.span);
      rows.push({ row, level, left: (row.start! - from) / whole, width: row.duration! / 1e6 / whole });
      for (const child of [...(below.get(row.span) ?? [])].reverse()) next.push([child, level + 1]);
    }
  };
  for (const root of roots) walk(root);
  for (const row of kept) if (!seen.has(row.span)) walk(row);
  return [...rows, ...spans.filter((row) => !isKept(row)).map((row) => ({ row, level: 0, left: 0, width: 0 }))];
}
