// SPDX-License-Identifier: Apache-2.0
// A tree of frames as typed arrays in preorder: the descendants of a node are the range [node + 1,
// end[node]).
import type { TreeNodes } from "../../api/types";
import { Named, refMatches, refsOf } from "./refs";

export interface Tree {
  names: string[];
  files: string[];
  modules: string[];
  lines: number[] | null;
  roots?: string[]; // by name: the value of the label that is the root of its frames
  unit: string;
  // from the root of the whole tree to node 0, which has the last name of the path
  rootPath: string[];
  level: Uint16Array | Uint32Array;
  name: Int32Array; // index into names; -1: the root of the whole tree
  self: Float64Array;
  total: Float64Array;
  beforeSelf?: Float64Array; // of a difference; `self` and `total` are those of the after side
  beforeTotal?: Float64Array;
  parent: Int32Array; // -1 for node 0
  end: Int32Array; // one past the last node of the subtree
  nodeCount: number; // nodes below the root on the server; the answer may contain fewer
  hiddenShare: number; // share of the root's total in nodes that are not in the answer
  grandTotal: number; // the value of 100 %
  beforeGrandTotal: number; // the value of 100 % on the before side of a difference
}

export function treeOf(
  nodes: TreeNodes,
  unit: string,
  grandTotal: number,
  beforeGrandTotal?: number,
): Tree {
  const level = new Uint32Array(nodes.level);
  const beforeTotal = nodes.before_total && new Float64Array(nodes.before_total);
  return {
    names: nodes.names,
    files: nodes.files,
    modules: nodes.modules,
    lines: nodes.lines ?? null,
    roots: nodes.roots,
    unit,
    rootPath: nodes.path,
    level,
    name: new Int32Array(nodes.name),
    self: new Float64Array(nodes.self),
    total: new Float64Array(nodes.total),
    beforeSelf: nodes.before_self && new Float64Array(nodes.before_self),
    beforeTotal,
    ...linksOf(level),
    nodeCount: nodes.node_count,
    hiddenShare: nodes.hidden_share,
    grandTotal,
    beforeGrandTotal: beforeGrandTotal ?? (beforeTotal?.length ? beforeTotal[0] : 0),
  };
}

// Compute parents and subtree ends from the levels.
export function linksOf(level: Uint16Array | Uint32Array): { parent: Int32Array; end: Int32Array } {
  const count = level.length;
  const parent = new Int32Array(count);
  const end = new Int32Array(count);
  const open: number[] = []; // by level: the last node
  for (let node = 0; node < count; node++) {
    const depth = level[node];
    while (open.length > depth) end[open.pop()!] = node;
    parent[node] = depth > 0 ? open[depth - 1] : -1;
    open.push(node);
  }
  while (open.length) end[open.pop()!] = count;
  return { parent, end };
}

export const nameOf = (tree: Tree, node: number): string =>
  tree.name[node] < 0 ? "" : tree.names[tree.name[node]];

const namedOf = (tree: Tree, name: number): Named => ({
  name: tree.names[name],
  file: tree.files[name] ?? "",
  module: tree.modules[name] ?? "",
});

const refsByNames = new WeakMap<readonly string[], string[]>(); // by the names of a tree

// Return the ref of the node's function, which is unique in the tree (refs.ts).
export function refOf(tree: Tree, node: number): string {
  if (tree.name[node] < 0) return "";
  let refs = refsByNames.get(tree.names);
  if (!refs)
    refsByNames.set(tree.names, (refs = refsOf(tree.names.map((_, i) => namedOf(tree, i)))));
  return refs[tree.name[node]];
}

// Return the name indexes that a ref matches.
export function matchingNames(tree: Tree, ref: string): Set<number> {
  const found = new Set<number>();
  if (ref)
    for (let i = 0; i < tree.names.length; i++) if (refMatches(ref, namedOf(tree, i))) found.add(i);
  return found;
}

// Whether a sibling has the same name, in another module or file.
function hasNamesake(tree: Tree, node: number): boolean {
  const parent = tree.parent[node];
  for (let child = parent + 1; child < tree.end[parent]; child = tree.end[child])
    if (child !== node && nameOf(tree, child) === nameOf(tree, node)) return true;
  return false;
}

// Return the path from the root of the whole tree to the node: names, or refs where siblings have
// the same name.
export function pathOf(tree: Tree, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at > 0; at = tree.parent[at])
    path.push(hasNamesake(tree, at) ? refOf(tree, at) : nameOf(tree, at));
  return tree.rootPath.concat(path.reverse());
}

export const startsWith = (path: readonly string[], head: readonly string[]): boolean =>
  head.length <= path.length && head.every((name, i) => name === path[i]);

function matchingChild(tree: Tree, node: number, ref: string): number {
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child])
    if (
      nameOf(tree, child) === ref ||
      (ref.includes("\t") && refMatches(ref, namedOf(tree, tree.name[child])))
    )
      return child;
  return -1;
}

// Return the deepest node on the path. For a path that does not pass this tree's root, return the
// root.
export function findPath(tree: Tree, path: readonly string[]): number {
  let node = 0;
  if (!startsWith(path, tree.rootPath)) return node;
  for (let i = tree.rootPath.length; i < path.length; i++) {
    const child = matchingChild(tree, node, path[i]);
    if (child < 0) break;
    node = child;
  }
  return node;
}

export const isEmpty = (tree: Tree): boolean =>
  tree.total.length === 0 ||
  (tree.total.length === 1 && !tree.total[0] && !(tree.beforeTotal && tree.beforeTotal[0]));
