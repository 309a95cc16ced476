// SPDX-License-Identifier: Apache-2.0
// Builds small trees for tests from stacks: "main;a;x": 40.
import type { TreeNodes } from "../../src/api/types";
import { Tree, treeOf } from "../../src/flame/model/tree";

interface Node {
  name: string;
  self: number[];
  total: number[];
  children: Map<string, Node>;
}

const made = (name: string): Node => ({ name, self: [0, 0], total: [0, 0], children: new Map() });

export interface Place {
  file?: string;
  module?: string;
}

// `stacks`: one value, or [before, after]. Children are sorted by descending total, as by the
// server.
export function nodesOf(
  stacks: Record<string, number | [number, number]>,
  places: Record<string, Place> = {},
  path: string[] = [],
): TreeNodes {
  const root = made("");
  let both = false;
  for (const [stack, value] of Object.entries(stacks)) {
    const values = Array.isArray(value) ? value : [0, value];
    both ||= Array.isArray(value);
    let node = root;
    const add = (sums: number[]) => values.forEach((v, i) => (sums[i] += v));
    add(node.total);
    for (const name of stack ? stack.split(";") : []) {
      if (!node.children.has(name)) node.children.set(name, made(name));
      node = node.children.get(name)!;
      add(node.total);
    }
    add(node.self);
  }
  const names: string[] = [];
  const out: TreeNodes = {
    path,
    node_count: 0,
    shown_count: 0,
    hidden_share: 0,
    names,
    files: [],
    modules: [],
    level: [],
    name: [],
    self: [],
    total: [],
  };
  if (both) Object.assign(out, { before_self: [], before_total: [] });
  const weight = (n: Node) => Math.max(...n.total.map(Math.abs));
  const put = (node: Node, level: number) => {
    let name =
      level === 0 && !path.length
        ? -1
        : names.indexOf(level === 0 ? path[path.length - 1] : node.name);
    if (name < 0 && (level > 0 || path.length)) {
      name = names.push(level === 0 ? path[path.length - 1] : node.name) - 1;
      out.files.push(places[node.name]?.file ?? "");
      out.modules.push(places[node.name]?.module ?? "");
    }
    out.level.push(level);
    out.name.push(name);
    out.self.push(node.self[1]);
    out.total.push(node.total[1]);
    out.before_self?.push(node.self[0]);
    out.before_total?.push(node.total[0]);
    for (const child of [...node.children.values()].sort((a, b) => weight(b) - weight(a)))
      put(child, level + 1);
  };
  put(root, 0);
  out.node_count = out.shown_count = out.level.length - 1;
  return out;
}

export function treeFrom(
  stacks: Record<string, number | [number, number]>,
  places?: Record<string, Place>,
  path?: string[],
): Tree {
  const nodes = nodesOf(stacks, places, path);
  return treeOf(nodes, "samples", nodes.total[0]);
}

// Format the tree as indented text: "main 90/10", total and self.
export function textOf(tree: Tree): string {
  return [...tree.level]
    .map(
      (level, i) =>
        `${"  ".repeat(level)}${tree.name[i] < 0 ? "*" : tree.names[tree.name[i]]} ${tree.total[i]}/${tree.self[i]}`,
    )
    .join("\n");
}
