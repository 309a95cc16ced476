// SPDX-License-Identifier: Apache-2.0
// Tests of the rows of the call tree.
import assert from "node:assert/strict";
import { TreeNodes } from "../../src/api/types";
import { nameOf, treeOf } from "../../src/flame/model/tree";
import {
  carryOver,
  closeBelow,
  findMatches,
  hottestPath,
  largestNamed,
  openBelow,
  openTo,
  visibleNodes,
} from "../../src/tree/tree_rows";
import { test } from "../tap";

// Build a tree from lines "level name self", larger children first.
function tree(text: string) {
  const lines = text.trim().split("\n").map((l) => l.trim().split(" "));
  const names = [...new Set(lines.map((l) => l[1]))];
  const level = [0, ...lines.map((l) => Number(l[0]))];
  const self = [0, ...lines.map((l) => Number(l[2]))];
  const total = [...self];
  for (let i = level.length - 1; i > 0; i--) {
    let parent = i - 1;
    while (level[parent] >= level[i]) parent--;
    total[parent] += total[i];
  }
  const nodes: TreeNodes = {
    path: [],
    node_count: lines.length,
    shown_count: lines.length,
    hidden_share: 0,
    names,
    files: names.map(() => ""),
    modules: names.map(() => ""),
    level,
    name: [-1, ...lines.map((l) => names.indexOf(l[1]))],
    self,
    total,
  };
  return treeOf(nodes, "count", total[0]);
}

const sample = tree(`
  1 main 1
  2 work 5
  3 sort 60
  4 swap 20
  3 copy 10
  2 idle 4
  1 thread 2
  2 sort 8`);
const namesOf = (t: typeof sample, nodes: Iterable<number>) =>
  [...nodes].map((n) => nameOf(t, n)).join(" ");
const none = new Set<number>();

test("call tree: only descendants of expanded nodes are visible", () => {
  assert.equal(namesOf(sample, visibleNodes(sample, none)), "main thread");
  assert.equal(namesOf(sample, visibleNodes(sample, new Set([1]))), "main work idle thread");
  // its parent is collapsed
  assert.equal(namesOf(sample, visibleNodes(sample, new Set([2]))), "main thread");
  assert.equal(visibleNodes(tree("1 a 1"), none).length, 1);
});

test("call tree: expanding all ancestors makes a node visible", () => {
  const open = openTo(sample, none, [4]);
  assert.deepEqual([...open].sort(), [1, 2, 3]);
  assert.equal(visibleNodes(sample, open).includes(4), true);
});

test("call tree: the hottest path ends where most of the time is spent", () => {
  assert.equal(namesOf(sample, hottestPath(sample, 0)), "main work sort");
  // from the end of the path, it continues
  assert.equal(namesOf(sample, hottestPath(sample, 3)), "swap");
  assert.deepEqual(hottestPath(sample, 4), []);
});

test("call tree: nested matches count once", () => {
  const found = findMatches(sample, (t) => t === "sort" || t === "swap");
  assert.equal(namesOf(sample, found.nodes), "sort swap sort");
  assert.equal(found.value, 88);
  assert.equal(findMatches(sample, () => false).nodes.length, 0);
});

test("call tree: of several nodes of a function the largest is selected", () => {
  assert.equal(largestNamed(sample, "sort"), 3);
  assert.equal(largestNamed(sample, "nobody"), -1);
});

test("call tree: expanded nodes stay expanded after a refresh", () => {
  const next = tree(`
    1 thread 20
    2 sort 8
    1 main 1
    2 other 9
    2 work 5`);
  assert.equal(namesOf(next, [...carryOver(sample, next, [1, 2, 3])].sort()), "main work");
  assert.equal(carryOver(sample, next, []).size, 0);
  const part = { ...tree("1 sort 60\n2 swap 20\n1 copy 10"), rootPath: ["main", "work"] };
  assert.equal(namesOf(part, carryOver(sample, part, [1, 2, 3, 7])), "sort");
});

test("call tree: a subtree is expanded and collapsed", () => {
  const open = openBelow(sample, none, 1);
  assert.equal(namesOf(sample, visibleNodes(sample, open)), "main work sort swap copy idle thread");
  assert.equal(closeBelow(sample, openBelow(sample, open, 7), 1).size, 1);
});

test("call tree: 100,000 nodes are expanded", () => {
  const count = 100_000;
  const level = Array.from({ length: count }, (_, i) => (i ? 1 + (i % 50) : 0));
  const nodes: TreeNodes = {
    path: [],
    node_count: count,
    shown_count: count,
    hidden_share: 0,
    names: ["f"],
    files: [""],
    modules: [""],
    level,
    name: level.map((l) => (l ? 0 : -1)),
    self: level.map(() => 1),
    total: level.map(() => 1),
  };
  const big = treeOf(nodes, "count", count);
  assert.equal(visibleNodes(big, openBelow(big, none, 0)).length, count - 1);
});
