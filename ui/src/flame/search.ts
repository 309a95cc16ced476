// SPDX-License-Identifier: Apache-2.0
// Which frames match: plain text in any case, or /a regular expression/. Each name is looked at once; nodes follow.
import type { Layout } from "./layout";
import type { Tree } from "./model";

export interface Search {
  test: ((name: string) => boolean) | null; // null: nothing is searched for
  error: string;
}

export interface Matches {
  names: Uint8Array; // 1: that name matches
  before: Int32Array; // by place in layout.order: how many matches there are before it; one more at the end
}

export interface MatchSum {
  count: number; // frames
  value: number; // each stack counts once, however many of its frames match
  beforeValue: number;
}

// What was typed: plain text, or an expression and its flags. null: nothing.
export function partsOf(typed: string): { text: string; flags?: string } | null {
  const trimmed = typed.trim();
  const expression = /^\/(.+)\/([a-z]*)$/s.exec(trimmed);
  if (expression) return { text: expression[1], flags: expression[2] };
  return trimmed ? { text: trimmed } : null;
}

export function searchOf(text: string): Search {
  const parts = partsOf(text);
  if (!parts) return { test: null, error: "" };
  if (parts.flags === undefined) {
    const wanted = parts.text.toLowerCase();
    return { test: (name) => name.toLowerCase().includes(wanted), error: "" };
  }
  try {
    const regex = new RegExp(parts.text, parts.flags.replace(/[gy]/g, ""));
    return { test: (name) => regex.test(name), error: "" };
  } catch (e) {
    return { test: null, error: (e as Error).message.replace(/^.*: /s, "") }; // without what was typed
  }
}

export function matchNames(names: readonly string[], test: (name: string) => boolean): Uint8Array {
  const marks = new Uint8Array(names.length);
  for (let i = 0; i < names.length; i++) if (test(names[i])) marks[i] = 1;
  return marks;
}

export function matchesOf(tree: Tree, layout: Layout, names: Uint8Array): Matches {
  const { order } = layout;
  const before = new Int32Array(order.length + 1);
  for (let place = 0; place < order.length; place++) {
    const name = tree.name[order[place]];
    before[place + 1] = before[place] + (name >= 0 ? names[name] : 0);
  }
  return { names, before };
}

// What matches at and below a node.
export function sumOf(tree: Tree, names: Uint8Array, root: number): MatchSum {
  const sum: MatchSum = { count: 0, value: 0, beforeValue: 0 };
  let counted = root; // nodes before this one are below a match that has been counted
  for (let node = root; node < tree.end[root]; node++) {
    if (tree.name[node] < 0 || !names[tree.name[node]]) continue;
    sum.count++;
    if (node < counted) continue;
    sum.value += tree.total[node];
    if (tree.beforeTotal) sum.beforeValue += tree.beforeTotal[node];
    counted = tree.end[node];
  }
  return sum;
}
