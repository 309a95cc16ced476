// SPDX-License-Identifier: Apache-2.0
// Tests of the tree of frames and of paths in it.
import assert from "node:assert/strict";
import { findPath, isEmpty, nameOf, pathOf, treeOf } from "../../../src/flame/model/tree";
import { test } from "../../tap";
import { nodesOf, textOf, treeFrom } from "../stack_tree";

const stacks = { "main;a;x": 40, "main;a": 10, "main;b": 30, main: 10, other: 10 };

test("flame/tree: parents and subtree ends are computed from the levels", () => {
  const tree = treeFrom(stacks);
  assert.equal(
    textOf(tree),
    "* 100/0\n  main 90/10\n    a 50/10\n      x 40/40\n    b 30/30\n  other 10/10",
  );
  assert.deepEqual([...tree.parent], [-1, 0, 1, 2, 1, 0]);
  assert.deepEqual([...tree.end], [6, 5, 4, 4, 5, 6]);
});

test("flame/tree: paths are resolved to their nodes", () => {
  const tree = treeFrom(stacks);
  for (let node = 0; node < tree.name.length; node++)
    assert.equal(findPath(tree, pathOf(tree, node)), node);
  assert.deepEqual(pathOf(tree, 3), ["main", "a", "x"]);
});

test("flame/tree: a path with missing nodes is resolved to the deepest existing node", () => {
  const tree = treeFrom(stacks);
  assert.equal(nameOf(tree, findPath(tree, ["main", "a", "gone", "x"])), "a");
  assert.equal(findPath(tree, ["gone"]), 0);
});

test("flame/tree: paths include the path to the tree's root", () => {
  const tree = treeFrom({ x: 40, "": 10 }, {}, ["main", "a"]);
  assert.deepEqual(pathOf(tree, 0), ["main", "a"]);
  assert.deepEqual(pathOf(tree, 1), ["main", "a", "x"]);
  assert.equal(findPath(tree, ["main", "a", "x"]), 1);
  assert.equal(findPath(tree, ["main"]), 0);
  assert.equal(findPath(tree, ["main", "b", "x"]), 0);
});

test("flame/tree: an empty tree differs from a sample without a stack", () => {
  assert.equal(isEmpty(treeFrom({})), true);
  assert.equal(isEmpty(treeFrom({ "": 5 })), false);
  assert.equal(isEmpty(treeFrom({ "": [5, 0] })), false);
  assert.equal(isEmpty(treeFrom({ a: 0 })), false);
});

test("flame/tree: 30,000 levels are supported", () => {
  const n = 30_000;
  const level = Array.from({ length: n }, (_, i) => i);
  const ones = level.map(() => 1);
  const nodes = {
    ...nodesOf({ f: 1 }),
    level,
    name: level.map((i) => (i ? 0 : -1)),
    self: ones,
    total: ones,
  };
  const tree = treeOf(nodes, "samples", 1);
  assert.equal(tree.parent[n - 1], n - 2);
  assert.equal(pathOf(tree, n - 1).length, n - 1);
});
