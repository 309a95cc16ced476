// SPDX-License-Identifier: Apache-2.0
// Tests of the positions of frames.
import assert from "node:assert/strict";
import { firstEndingAfter, layoutOf, nodeAt, placeOf } from "../../../src/flame/model/layout";
import { nameOf } from "../../../src/flame/model/tree";
import { test } from "../../tap";
import { treeFrom } from "../stack_tree";

const stacks = { "main;a;x": 40, "main;a": 10, "main;b": 30, main: 10, other: 10 };

test("flame/layout: frames are as wide as their totals, siblings are adjacent", () => {
  const tree = treeFrom(stacks);
  const { x, width, depth, whole, least } = layoutOf(tree);
  assert.deepEqual([...x], [0, 0, 0, 0, 50, 90]);
  assert.deepEqual([...width], [100, 90, 50, 40, 30, 10]);
  assert.deepEqual([depth, whole, least], [4, 100, 10]);
});

test("flame/layout: rows contain the nodes of a level from left to right", () => {
  const tree = treeFrom(stacks);
  const { order, rowStart } = layoutOf(tree);
  const rows = [...rowStart].slice(0, -1).map((from, i) =>
    [...order]
      .slice(from, rowStart[i + 1])
      .map((n) => nameOf(tree, n))
      .join(" "),
  );
  assert.deepEqual(rows, ["", "main other", "a b", "x"]);
});

test("flame/layout: hit test finds nodes, and none in gaps or outside", () => {
  const tree = treeFrom(stacks);
  const layout = layoutOf(tree);
  const at = (level: number, x: number) => {
    const node = nodeAt(layout, level, x);
    return node < 0 ? node : nameOf(tree, node);
  };
  assert.equal(at(2, 0), "a");
  assert.equal(at(2, 49.9), "a");
  assert.equal(at(2, 50), "b");
  assert.equal(at(2, 85), -1);
  assert.equal(at(3, 45), -1);
  assert.equal(at(9, 0), -1);
  assert.equal(at(-1, 0), -1);
});

test("flame/layout: each node is found at its position", () => {
  const tree = treeFrom(stacks);
  const layout = layoutOf(tree);
  for (let node = 0; node < tree.name.length; node++) {
    assert.equal(layout.order[placeOf(layout, tree, node)], node);
    assert.equal(nodeAt(layout, tree.level[node], layout.x[node] + layout.width[node] / 2), node);
  }
  assert.equal(firstEndingAfter(layout, 0, 1, 1000), 1);
});

test("flame/layout: removed frames of a difference are as wide as they were", () => {
  const tree = treeFrom({ a: [10, 0], b: [0, 10], c: [5, 5] });
  const { width, whole } = layoutOf(tree);
  assert.equal(whole, 30);
  assert.deepEqual([...width], [30, 10, 10, 10]);
});

test("flame/layout: normalised sides of a difference have the same weight", () => {
  const tree = treeFrom({ a: [1000, 1], b: [0, 1] });
  const { width } = layoutOf(tree, true);
  assert.deepEqual([...width].map((w) => Math.round(w * 100) / 100), [2, 1.5, 0.5]);
});

test("flame/layout: negative values have a width, and children stay within their parent", () => {
  const tree = treeFrom({ "m;a": 10, "m;b": -10, "m;c": -1 });
  const { x, width } = layoutOf(tree);
  assert.equal(width[1], 21);
  for (let node = 1; node < tree.name.length; node++) {
    const parent = tree.parent[node];
    assert.ok(x[node] >= x[parent] && x[node] + width[node] <= x[parent] + width[parent]);
  }
});

test("flame/layout: a tree of zeros has no width", () => {
  const layout = layoutOf(treeFrom({ "a;b": 0 }));
  assert.equal(layout.whole, 0);
  assert.equal(nodeAt(layout, 1, 0), -1);
});
