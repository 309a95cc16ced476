// SPDX-License-Identifier: Apache-2.0
// Where each frame is: x and width in the unit of the values, and for each level the nodes from left to right. Both are
// found by one pass over the tree, and what is on the screen is then found by binary search.
import type { Tree } from "./model";

export interface Layout {
  x: Float64Array;
  width: Float64Array;
  order: Int32Array; // all nodes, level by level, from left to right
  rowStart: Int32Array; // level: where it begins in `order`; one more at the end
  start: Float64Array; // the edges in the same order: rows are walked along, and neighbours should be neighbours in memory
  stop: Float64Array;
  depth: number; // how many levels
  whole: number; // the width of the root
  least: number; // the width of the narrowest node
}

// How much room the node's own value asks for. A frame that is gone is as wide as it was, so both sides of a difference
// count; a value below zero takes as much room as one above.
function weigher(tree: Tree, normalise: boolean): (node: number) => number {
  const { total, beforeTotal } = tree;
  if (!beforeTotal) return (node) => Math.abs(total[node]);
  const after = normalise && tree.grandTotal ? 1 / Math.abs(tree.grandTotal) : 1;
  const before = normalise && tree.beforeGrandTotal ? 1 / Math.abs(tree.beforeGrandTotal) : 1;
  return (node) => Math.abs(total[node]) * after + Math.abs(beforeTotal[node]) * before;
}

export function layoutOf(tree: Tree, normalise = false): Layout {
  const count = tree.total.length;
  const width = new Float64Array(count);
  const x = new Float64Array(count);
  const weight = weigher(tree, normalise);
  const { parent } = tree;
  // Children of both signs can need more room than their sum; then the parent is as wide as they are.
  const below = x; // until the places are known
  let least = Infinity;
  for (let node = count - 1; node >= 0; node--) {
    const own = weight(node);
    width[node] = own > below[node] ? own : below[node];
    if (node > 0) below[parent[node]] += width[node];
    if (node > 0 && width[node] < least) least = width[node];
  }
  const next = new Float64Array(count); // where the next child goes
  x.fill(0, 0, 1);
  for (let node = 1; node < count; node++) {
    const at = next[parent[node]];
    x[node] = at;
    next[node] = at;
    next[parent[node]] = at + width[node];
  }
  return { x, width, ...rowsOf(tree, x, width), whole: count ? width[0] : 0, least: least === Infinity ? 0 : least };
}

function rowsOf(tree: Tree, x: Float64Array, width: Float64Array): Pick<Layout, "order" | "rowStart" | "start" | "stop" | "depth"> {
  const { level } = tree;
  let depth = 0;
  for (let node = 0; node < level.length; node++) if (level[node] >= depth) depth = level[node] + 1;
  const rowStart = new Int32Array(depth + 1);
  for (let node = 0; node < level.length; node++) rowStart[level[node] + 1]++;
  for (let row = 0; row < depth; row++) rowStart[row + 1] += rowStart[row];
  const fill = rowStart.slice();
  const order = new Int32Array(level.length);
  const start = new Float64Array(level.length);
  const stop = new Float64Array(level.length);
  for (let node = 0; node < level.length; node++) {
    const place = fill[level[node]]++;
    order[place] = node;
    start[place] = x[node];
    stop[place] = x[node] + width[node];
  }
  return { order, rowStart, start, stop, depth };
}

// The first place in `order`, within [from, to), whose node ends to the right of `at`.
export function firstEndingAfter(layout: Layout, from: number, to: number, at: number): number {
  const { stop } = layout;
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (stop[middle] > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The node at this level and place, or -1.
export function nodeAt(layout: Layout, level: number, at: number): number {
  if (level < 0 || level >= layout.depth) return -1;
  const place = firstEndingAfter(layout, layout.rowStart[level], layout.rowStart[level + 1], at);
  if (place >= layout.rowStart[level + 1]) return -1;
  return layout.start[place] <= at ? layout.order[place] : -1;
}

// Where the node is in `order`.
export function placeOf(layout: Layout, tree: Tree, node: number): number {
  const row = tree.level[node];
  let low = layout.rowStart[row];
  let high = layout.rowStart[row + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (layout.order[middle] < node) low = middle + 1;
    else high = middle;
  }
  return low;
}
