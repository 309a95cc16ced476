// SPDX-License-Identifier: Apache-2.0
// The rows of the call tree: visible nodes, matches, the hottest path. Nodes are indexes into a
// Tree (flame/model/tree.ts), in preorder, larger children first. Node 0 is the root and has no
// row.
import { findPath, matchingNames, pathOf, Tree } from "../flame/model/tree";

export const hasChildren = (tree: Tree, node: number) => tree.end[node] > node + 1;

// Return the visible nodes: those whose ancestors are all expanded.
export function visibleNodes(tree: Tree, open: ReadonlySet<number>): number[] {
  const nodes: number[] = [];
  for (let node = 1; node < tree.end.length; node = open.has(node) ? node + 1 : tree.end[node])
    nodes.push(node);
  return nodes;
}

// Expand all ancestors of the nodes, so that the nodes are visible.
export function openTo(
  tree: Tree,
  open: ReadonlySet<number>,
  nodes: Iterable<number>,
): Set<number> {
  const next = new Set(open);
  for (const node of nodes)
    for (let at = tree.parent[node]; at > 0 && !next.has(at); at = tree.parent[at]) next.add(at);
  return next;
}

// Follow the largest child from the node on, until a node's self value exceeds its largest child.
// Returns the nodes of the path.
export function hottestPath(tree: Tree, from: number): number[] {
  const path: number[] = [];
  let node = from;
  while (hasChildren(tree, node)) {
    let largest = node + 1;
    for (let child = largest; child < tree.end[node]; child = tree.end[child])
      if (tree.total[child] > tree.total[largest]) largest = child;
    // most of the time is in the node itself
    if (path.length && tree.self[node] > tree.total[largest]) break;
    path.push(largest);
    node = largest;
  }
  return path;
}

export interface Matches {
  names: Uint8Array; // by name: 1 where it matches
  nodes: number[];
  value: number; // sum of the outermost matches, so that no sample counts twice
}

export function findMatches(tree: Tree, matches: (text: string) => boolean): Matches {
  const names = Uint8Array.from(tree.names, (name) => Number(matches(name)));
  const nodes: number[] = [];
  let value = 0;
  let past = 0; // the end of the outermost match
  for (let node = 1; node < tree.name.length; node++) {
    if (tree.name[node] < 0 || !names[tree.name[node]]) continue;
    nodes.push(node);
    if (node < past) continue;
    value += tree.total[node];
    past = tree.end[node];
  }
  return { names, nodes, value };
}

// Return the largest node of the function that a ref matches, or -1.
export function largestNamed(tree: Tree, ref: string): number {
  const names = matchingNames(tree, ref);
  let found = -1;
  if (names.size)
    for (let node = 1; node < tree.name.length; node++)
      if (names.has(tree.name[node]) && (found < 0 || tree.total[node] > tree.total[found]))
        found = node;
  return found;
}

// Return the nodes of a new tree that have the same paths as nodes of the old one, to keep them
// expanded after a refresh or zoom.
export function carryOver(from: Tree, to: Tree, nodes: Iterable<number>): Set<number> {
  const found = new Set<number>();
  for (const node of nodes) {
    const path = pathOf(from, node);
    const at = findPath(to, path);
    if (at > 0 && to.level[at] === path.length - to.rootPath.length) found.add(at);
  }
  return found;
}

// Expand all descendants of a node.
export function openBelow(tree: Tree, open: ReadonlySet<number>, node: number): Set<number> {
  const next = new Set(open);
  for (let at = node; at < tree.end[node]; at++) if (hasChildren(tree, at)) next.add(at);
  return next;
}

export function closeBelow(tree: Tree, open: ReadonlySet<number>, node: number): Set<number> {
  return new Set([...open].filter((at) => at < node || at >= tree.end[node]));
}
