// SPDX-License-Identifier: Apache-2.0
// The answer of /api/v1/callers as two trees that have the function itself at their root.
import { TreeNodes } from "../api/types";

// The server's root holds one node, the function: without the root the function is what everything hangs on. Where several
// functions have the name, the root stays and is all of them.
export function withoutRoot(nodes: TreeNodes): TreeNodes {
  if (nodes.level.filter((level) => level === 1).length !== 1) return nodes;
  return {
    ...nodes,
    node_count: Math.max(0, nodes.node_count - 1),
    shown_count: Math.max(0, nodes.shown_count - 1),
    level: nodes.level.slice(1).map((level) => level - 1),
    name: [-1, ...nodes.name.slice(2)],
    self: nodes.self.slice(1),
    total: nodes.total.slice(1),
  };
}

export interface Neighbour {
  name: string;
  file: string;
  module: string;
  line?: number;
  total: number;
}

// Those that call the function directly, or that it calls, the largest first.
export function neighboursOf(nodes: TreeNodes): Neighbour[] {
  const rows = new Map<number, Neighbour>();
  nodes.level.forEach((level, i) => {
    const name = nodes.name[i];
    if (level !== 2 || name < 0) return;
    const known = rows.get(name);
    if (known) known.total += nodes.total[i];
    else rows.set(name, { name: nodes.names[name], file: nodes.files[name], module: nodes.modules[name], line: nodes.lines?.[name], total: nodes.total[i] });
  });
  return [...rows.values()].sort((a, b) => b.total - a.total);
}

// What is not in any of them: of callers, where the function is the root of a stack; of callees, its own.
export const restOf = (whole: number, rows: readonly Neighbour[]) => whole - rows.reduce((sum, r) => sum + r.total, 0);
