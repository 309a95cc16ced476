// SPDX-License-Identifier: Apache-2.0
// From frame to frame with the keyboard.
import { Layout, placeOf } from "./layout";
import type { Tree } from "./model";

export type Direction = "caller" | "callee" | "left" | "right";

const isWithin = (tree: Tree, node: number, root: number) => node >= root && node < tree.end[root];

// The frame beside, on the same level, within what is zoomed into; over the borders of callers too.
function neighbour(tree: Tree, layout: Layout, node: number, zoom: number, step: 1 | -1): number {
  const place = placeOf(layout, tree, node) + step;
  const row = tree.level[node];
  if (place < layout.rowStart[row] || place >= layout.rowStart[row + 1]) return node;
  const next = layout.order[place];
  return isWithin(tree, next, zoom) ? next : node;
}

// Where the focus goes; the same node where there is nothing.
export function moveFocus(tree: Tree, layout: Layout, node: number, zoom: number, direction: Direction): number {
  switch (direction) {
    case "caller":
      return node > 0 ? tree.parent[node] : node;
    case "callee": {
      // From a caller of what is zoomed into the way leads to it.
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
