// SPDX-License-Identifier: Apache-2.0
// Tests of collapsed recursion and library frames.
import assert from "node:assert/strict";
import { collapse } from "../../../src/flame/model/collapse";
import { pathOf, Tree } from "../../../src/flame/model/tree";
import { test } from "../../tap";
import { Place, textOf, treeFrom } from "../stack_tree";

const sum = (values: Float64Array) => values.reduce((a, b) => a + b, 0);

// Check that sums are preserved, and that children fit into their parents.
function checkSums(before: Tree, after: Tree) {
  assert.equal(after.total[0], before.total[0]);
  assert.equal(sum(after.self), sum(before.self));
  const below = new Float64Array(after.total.length);
  for (let node = after.total.length - 1; node >= 0; node--) {
    assert.equal(after.total[node], after.self[node] + below[node]);
    if (node) below[after.parent[node]] += after.total[node];
  }
}

test("flame/collapse: recursive calls become one frame", () => {
  const tree = treeFrom({ "main;f;f;f;x": 10, "main;f;f": 5, "main;f;x": 3, "main;f": 2 });
  const folded = collapse(tree, "recursion");
  checkSums(tree, folded.tree);
  assert.equal(textOf(folded.tree), "* 20/0\n  main 20/0\n    f 20/7\n      x 13/13");
});

test("flame/collapse: indirect recursion is not collapsed", () => {
  const tree = treeFrom({ "f;g;f": 1 });
  assert.equal(textOf(collapse(tree, "recursion").tree), textOf(tree));
});

const places: Record<string, Place> = {
  malloc: { module: "/usr/lib/x86_64-linux-gnu/libc.so.6" },
  brk: { module: "/usr/lib/x86_64-linux-gnu/libc.so.6" },
  qsort: { module: "/usr/lib/x86_64-linux-gnu/libc.so.6" },
  main: { module: "/srv/app" },
  compare: { module: "/srv/app" },
};

test("flame/collapse: calls within a library are collapsed, callbacks stay", () => {
  const tree = treeFrom(
    { "main;malloc;brk": 7, "main;malloc": 1, "main;qsort;brk;compare;malloc": 4, main: 3 },
    places,
  );
  const folded = collapse(tree, "libraries");
  checkSums(tree, folded.tree);
  assert.equal(
    textOf(folded.tree),
    "* 15/0\n  main 15/3\n    malloc 8/8\n    qsort 4/0\n      compare 4/0\n        malloc 4/4",
  );
});

test("flame/collapse: recursion and libraries together", () => {
  const tree = treeFrom({ "main;main;malloc;brk": 2 }, places);
  assert.equal(textOf(collapse(tree, "both").tree), "* 2/0\n  main 2/0\n    malloc 2/2");
});

test("flame/collapse: differences keep both sides", () => {
  const tree = treeFrom({ "f;f;x": [1, 10], "f;x": [2, 20], f: [0, 1] });
  const folded = collapse(tree, "recursion").tree;
  checkSums(tree, folded);
  assert.deepEqual([...folded.beforeTotal!], [3, 3, 3]);
  assert.deepEqual([...folded.beforeSelf!], [0, 0, 3]);
});

test("flame/collapse: nodes are mapped in both directions", () => {
  const tree = treeFrom({ "main;f;f;x": 10, "main;f;x": 3, "main;f;f;y": 1 });
  const { tree: after, mapped, origin } = collapse(tree, "recursion");
  const names = [...after.name].map((n) => (n < 0 ? "*" : after.names[n]));
  assert.equal(mapped[4], names.indexOf("x"));
  assert.equal(origin[names.indexOf("x")], -1); // merged from two nodes
  assert.deepEqual(pathOf(tree, origin[names.indexOf("y")]), ["main", "f", "f", "y"]);
  assert.deepEqual(pathOf(tree, origin[names.indexOf("f")]), ["main", "f"]);
});

test("flame/collapse: random trees preserve their sums", () => {
  let seed = 7;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
  for (let round = 0; round < 50; round++) {
    const stacks: Record<string, number> = {};
    for (let i = 0; i < 60; i++)
      stacks[
        Array.from(
          { length: 1 + random(9) },
          () => ["main", "malloc", "brk", "f", "qsort"][random(5)],
        ).join(";")
      ] = random(100) - 10;
    const tree = treeFrom(stacks, places);
    for (const how of ["recursion", "libraries", "both"] as const)
      checkSums(tree, collapse(tree, how).tree);
  }
});
