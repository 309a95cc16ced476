// SPDX-License-Identifier: Apache-2.0
// A tree as rows of a table: which are open, what is found, which way is the hottest. Nodes are numbers of flame/model.ts'
// Tree: a node before what it calls, the larger call first. Node 0 is the whole and no row.
import { findPath, namesMeant, pathOf, Tree } from "../flame/model";

export const hasChildren = (tree: Tree, node: number) => tree.end[node] > node + 1;

// The nodes that are seen: those whose callers are all open.
export function visibleNodes(tree: Tree, open: ReadonlySet<number>): number[] {
  const nodes: number[] = [];
  for (let node = 1; node < tree.end.length; node = open.has(node) ? node + 1 : tree.end[node]) nodes.push(node);
  return nodes;
}

// With all above it open, a node is seen.
export function openTo(tree: Tree, open: ReadonlySet<number>, nodes: Iterable<number>): Set<number> {
  const next = new Set(open);
  for (const node of nodes) for (let at = tree.parent[node]; at > 0 && !next.has(at); at = tree.parent[at]) next.add(at);
  return next;
}

// From the node always into the largest call, for as long as it has most of its caller. The last is where the time goes.
export function hottestPath(tree: Tree, from: number): number[] {
  const path: number[] = [];
  let node = from;
  while (hasChildren(tree, node)) {
    let largest = node + 1;
    for (let child = largest; child < tree.end[node]; child = tree.end[child]) if (tree.total[child] > tree.total[largest]) largest = child;
    if (path.length && tree.self[node] > tree.total[largest]) break; // most of it is here
    path.push(largest);
    node = largest;
  }
  return path;
}

export interface Matches {
  names: Uint8Array; // by name: 1 where it matches
  nodes: number[];
  value: number; // of the outermost matches: none is counted twice
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

// The largest node of the function that a ref means, or -1.
export function largestNamed(tree: Tree, ref: string): number {
  const names = namesMeant(tree, ref);
  let found = -1;
  if (names.size) for (let node = 1; node < tree.name.length; node++) if (names.has(tree.name[node]) && (found < 0 || tree.total[node] > tree.total[found])) found = node;
  return found;
}

// What was open in one tree is open in the next, which may be of the next minute or of a part: by the paths of names.
export function carryOver(from: Tree, to: Tree, nodes: Iterable<number>): Set<number> {
  const found = new Set<number>();
  for (const node of nodes) {
    const path = pathOf(from, node);
    const at = findPath(to, path);
    if (at > 0 && to.level[at] === path.length - to.rootPath.length) found.add(at);
  }
  return found;
}

// Everything below a node, where that is few enough to be a help.
export function openBelow(tree: Tree, open: ReadonlySet<number>, node: number): Set<number> {
  const next = new Set(open);
  for (let at = node; at < tree.end[node]; at++) if (hasChildren(tree, at)) next.add(at);
  return next;
}

export function closeBelow(tree: Tree, open: ReadonlySet<number>, node: number): Set<number> {
  return new Set([...open].filter((at) => at < node || at >= tree.end[node]));
}
