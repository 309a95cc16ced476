// SPDX-License-Identifier: Apache-2.0
// Computes the position of each frame: x and width in the unit of the values, and the nodes of each
// level from left to right. One pass over the tree computes both; visible frames are then found by
// binary search.
import type { Tree } from "./tree";

export interface Layout {
  x: Float64Array;
  width: Float64Array;
  order: Int32Array; // all nodes, level by level, from left to right
  rowStart: Int32Array; // by level: index of its first node in `order`; one more element at the end
  // left edges in the order of `order`, so that the scan of a row is sequential in memory
  start: Float64Array;
  stop: Float64Array; // right edges in the same order
  depth: number; // number of levels
  whole: number; // width of the root
  least: number; // width of the narrowest node
}

// Return the function that computes the width of a node from its values. In a difference both sides
// count, so that a removed frame is as wide as it was; negative values count by their magnitude.
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
  // Children with different signs can be wider than their parent's sum; then the parent is as wide
  // as its children.
  const below = x; // sums of the children's widths, until x is computed
  let least = Infinity;
  for (let node = count - 1; node >= 0; node--) {
    const own = weight(node);
    width[node] = own > below[node] ? own : below[node];
    if (node > 0) below[parent[node]] += width[node];
    if (node > 0 && width[node] < least) least = width[node];
  }
  const next = new Float64Array(count); // x of the next child
  x.fill(0, 0, 1);
  for (let node = 1; node < count; node++) {
    const at = next[parent[node]];
    x[node] = at;
    next[node] = at;
    next[parent[node]] = at + width[node];
  }
  return {
    x,
    width,
    ...rowsOf(tree, x, width),
    whole: count ? width[0] : 0,
    least: least === Infinity ? 0 : least,
  };
}

function rowsOf(
  tree: Tree,
  x: Float64Array,
  width: Float64Array,
): Pick<Layout, "order" | "rowStart" | "start" | "stop" | "depth"> {
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

// Return the first index in `order`, within [from, to), whose node ends to the right of `at`.
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

// Return the node at a level and x position, or -1.
export function nodeAt(layout: Layout, level: number, at: number): number {
  if (level < 0 || level >= layout.depth) return -1;
  const place = firstEndingAfter(layout, layout.rowStart[level], layout.rowStart[level + 1], at);
  if (place >= layout.rowStart[level + 1]) return -1;
  return layout.start[place] <= at ? layout.order[place] : -1;
}

// Return the index of the node in `order`.
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
