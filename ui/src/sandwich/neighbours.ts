// SPDX-License-Identifier: Apache-2.0
// Converts the answer of /api/v1/callers into trees with the function as root, and into lists of
// direct callers and callees.
import { TreeNodes } from "../api/types";

// Remove the server's root, so that its only child, the function, becomes the root. If several
// functions have the name, the root has several children and stays.
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

// Return the direct callers or callees, by descending total.
export function neighboursOf(nodes: TreeNodes): Neighbour[] {
  const rows = new Map<number, Neighbour>();
  nodes.level.forEach((level, i) => {
    const name = nodes.name[i];
    if (level !== 2 || name < 0) return;
    const known = rows.get(name);
    if (known) known.total += nodes.total[i];
    else
      rows.set(name, {
        name: nodes.names[name],
        file: nodes.files[name],
        module: nodes.modules[name],
        line: nodes.lines?.[name],
        total: nodes.total[i],
      });
  });
  return [...rows.values()].sort((a, b) => b.total - a.total);
}

// Return the rest of the function's total: for callers, stacks in which the function is the root;
// for callees, its self value.
export const restOf = (whole: number, rows: readonly Neighbour[]) =>
  whole - rows.reduce((sum, r) => sum + r.total, 0);
