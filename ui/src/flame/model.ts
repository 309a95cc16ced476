// SPDX-License-Identifier: Apache-2.0
// A tree of frames in typed arrays: a node before what it calls, so that the nodes below it are the range [node + 1, end).
import type { TreeNodes } from "../api/types";
import { Named, refMatches, refsOf } from "./refs";

export interface Tree {
  names: string[];
  files: string[];
  modules: string[];
  lines: number[] | null;
  unit: string;
  rootPath: string[]; // from the real root to node 0; node 0 is its last name
  level: Uint16Array | Uint32Array;
  name: Int32Array; // -1: the real root
  self: Float64Array;
  total: Float64Array;
  beforeSelf?: Float64Array; // of a difference: `self` and `total` are after
  beforeTotal?: Float64Array;
  parent: Int32Array; // -1 above node 0
  end: Int32Array; // one past the last of the subtree
  nodeCount: number; // how many there are below the root; fewer may be here
  hiddenShare: number; // of the root's total, in nodes that are not here
  grandTotal: number; // what 100 % is
  beforeGrandTotal: number; // the same of the other side of a difference
}

export function treeOf(nodes: TreeNodes, unit: string, grandTotal: number, beforeGrandTotal?: number): Tree {
  const level = new Uint32Array(nodes.level);
  const beforeTotal = nodes.before_total && new Float64Array(nodes.before_total);
  return {
    names: nodes.names,
    files: nodes.files,
    modules: nodes.modules,
    lines: nodes.lines ?? null,
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

// Who is above whom, from the levels alone.
export function linksOf(level: Uint16Array | Uint32Array): { parent: Int32Array; end: Int32Array } {
  const count = level.length;
  const parent = new Int32Array(count);
  const end = new Int32Array(count);
  const open: number[] = []; // by level: the last node there was
  for (let node = 0; node < count; node++) {
    const depth = level[node];
    while (open.length > depth) end[open.pop()!] = node;
    parent[node] = depth > 0 ? open[depth - 1] : -1;
    open.push(node);
  }
  while (open.length) end[open.pop()!] = count;
  return { parent, end };
}

export const nameOf = (tree: Tree, node: number): string => (tree.name[node] < 0 ? "" : tree.names[tree.name[node]]);

const namedOf = (tree: Tree, name: number): Named => ({ name: tree.names[name], file: tree.files[name] ?? "", module: tree.modules[name] ?? "" });

const refsByNames = new WeakMap<readonly string[], string[]>(); // by the names of a tree

// The node's function by a ref that means no other of the tree (refs.ts).
export function refOf(tree: Tree, node: number): string {
  if (tree.name[node] < 0) return "";
  let refs = refsByNames.get(tree.names);
  if (!refs) refsByNames.set(tree.names, (refs = refsOf(tree.names.map((_, i) => namedOf(tree, i)))));
  return refs[tree.name[node]];
}

// Marks the names that a ref means.
export function namesMeant(tree: Tree, ref: string): Set<number> {
  const found = new Set<number>();
  if (ref) for (let i = 0; i < tree.names.length; i++) if (refMatches(ref, namedOf(tree, i))) found.add(i);
  return found;
}

// Whether a child of the same caller has the same name, in another module or file.
function hasNamesake(tree: Tree, node: number): boolean {
  const parent = tree.parent[node];
  for (let child = parent + 1; child < tree.end[parent]; child = tree.end[child])
    if (child !== node && nameOf(tree, child) === nameOf(tree, node)) return true;
  return false;
}

// The way from the real root to the node: names, and refs where siblings have the same name.
export function pathOf(tree: Tree, node: number): string[] {
  const path: string[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(hasNamesake(tree, at) ? refOf(tree, at) : nameOf(tree, at));
  return tree.rootPath.concat(path.reverse());
}

export const startsWith = (path: readonly string[], head: readonly string[]): boolean =>
  head.length <= path.length && head.every((name, i) => name === path[i]);

function childMeant(tree: Tree, node: number, ref: string): number {
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child])
    if (nameOf(tree, child) === ref || (ref.includes("\t") && refMatches(ref, namedOf(tree, tree.name[child])))) return child;
  return -1;
}

// The deepest node that is on the path. A path that leads elsewhere than this tree's root ends at the root.
export function findPath(tree: Tree, path: readonly string[]): number {
  let node = 0;
  if (!startsWith(path, tree.rootPath)) return node;
  for (let i = tree.rootPath.length; i < path.length; i++) {
    const child = childMeant(tree, node, path[i]);
    if (child < 0) break;
    node = child;
  }
  return node;
}

export const isEmpty = (tree: Tree): boolean =>
  tree.total.length === 0 || (tree.total.length === 1 && !tree.total[0] && !(tree.beforeTotal && tree.beforeTotal[0]));
