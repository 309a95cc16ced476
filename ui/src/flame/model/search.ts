// SPDX-License-Identifier: Apache-2.0
// Searches frames by plain text, ignoring case, or by /a regular expression/. Each name is tested
// once, not each node.
import type { Layout } from "./layout";
import type { Tree } from "./tree";

export interface Search {
  test: ((name: string) => boolean) | null; // null: empty or invalid search
  error: string;
}

export interface Matches {
  names: Uint8Array; // by name index; 1: the name matches
  // by index in layout.order: number of matches before it; one more element at the end
  before: Int32Array;
}

export interface MatchSum {
  count: number; // frames
  value: number; // a stack counts once, even if several of its frames match
  beforeValue: number;
}

// Parse a search: plain text, or an expression and its flags. null: empty.
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
    // without the expression itself
    return { test: null, error: (e as Error).message.replace(/^.*: /s, "") };
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

// Return the sum of the matches in the subtree of a node.
export function sumOf(tree: Tree, names: Uint8Array, root: number): MatchSum {
  const sum: MatchSum = { count: 0, value: 0, beforeValue: 0 };
  let counted = root; // nodes before this one belong to the subtree of a counted match
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
