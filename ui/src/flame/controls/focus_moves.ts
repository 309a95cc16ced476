// SPDX-License-Identifier: Apache-2.0
// Moves the keyboard focus from frame to frame.
import { Layout, placeOf } from "../model/layout";
import type { Tree } from "../model/tree";

export type Direction = "caller" | "callee" | "left" | "right";

const isWithin = (tree: Tree, node: number, root: number) => node >= root && node < tree.end[root];

// Return the adjacent frame on the same level, within the zoomed frame; it may have another caller.
function neighbour(tree: Tree, layout: Layout, node: number, zoom: number, step: 1 | -1): number {
  const place = placeOf(layout, tree, node) + step;
  const row = tree.level[node];
  if (place < layout.rowStart[row] || place >= layout.rowStart[row + 1]) return node;
  const next = layout.order[place];
  return isWithin(tree, next, zoom) ? next : node;
}

// Return the node that gets the focus, or the same node if there is none in this direction.
export function moveFocus(
  tree: Tree,
  layout: Layout,
  node: number,
  zoom: number,
  direction: Direction,
): number {
  switch (direction) {
    case "caller":
      return node > 0 ? tree.parent[node] : node;
    case "callee": {
      // From a caller of the zoomed frame, move towards the zoomed frame.
      if (node < zoom && isWithin(tree, zoom, node)) {
        let child = zoom;
        while (tree.parent[child] !== node) child = tree.parent[child];
        return child;
      }
      return node + 1 < tree.end[node] ? node + 1 : node;
    }
    case "left":
      return neighbour(tree, layout, node, zoom, -1);
    case "right":
      return neighbour(tree, layout, node, zoom, 1);
  }
}
