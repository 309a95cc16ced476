// SPDX-License-Identifier: Apache-2.0
// Tests of the trees and lists of callers and callees.
import assert from "node:assert/strict";
import { TreeNodes } from "../../src/api/types";
import { treeOf } from "../../src/flame/model/tree";
import { neighboursOf, restOf, withoutRoot } from "../../src/sandwich/neighbours";
import { test } from "../tap";

// An answer of the server: root, function, callers.
const callers: TreeNodes = {
  path: [],
  node_count: 4,
  shown_count: 4,
  hidden_share: 0,
  names: ["sort", "work", "main", "idle"],
  files: ["s.c", "w.c", "m.c", "i.c"],
  modules: ["", "", "", ""],
  lines: [1, 2, 3, 4],
  level: [0, 1, 2, 3, 2],
  name: [-1, 0, 1, 2, 3],
  self: [0, 10, 0, 60, 30],
  total: [100, 100, 60, 60, 30],
};

test("sandwich: the function is the root of both trees", () => {
  const tree = treeOf(withoutRoot(callers), "count", 200);
  assert.deepEqual([...tree.level], [0, 1, 2, 1]);
  assert.deepEqual([...tree.name], [-1, 1, 2, 3]);
  assert.deepEqual([...tree.total], [100, 60, 60, 30]);
  assert.equal(tree.nodeCount, 3);
});

test("sandwich: direct callers have their values, the rest belongs to none of them", () => {
  const rows = neighboursOf(callers);
  assert.deepEqual(rows.map((r) => [r.name, r.total, r.file, r.line]), [
    ["work", 60, "w.c", 2],
    ["idle", 30, "i.c", 4],
  ]);
  assert.equal(restOf(100, rows), 10);
});

test("sandwich: a function without samples has no trees", () => {
  const empty: TreeNodes = {
    ...callers,
    level: [0],
    name: [-1],
    self: [0],
    total: [0],
    node_count: 0,
    shown_count: 0,
  };
  assert.deepEqual(withoutRoot(empty), empty);
  assert.deepEqual(neighboursOf(empty), []);
});
