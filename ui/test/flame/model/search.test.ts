// SPDX-License-Identifier: Apache-2.0
// Tests of the search.
import assert from "node:assert/strict";
import { layoutOf } from "../../../src/flame/model/layout";
import { matchesOf, matchNames, searchOf, sumOf } from "../../../src/flame/model/search";
import { test } from "../../tap";
import { treeFrom } from "../stack_tree";

const tree = treeFrom({ "main;parse;read;parse": 30, "main;parse": 10, "main;Read": 5, idle: 55 });

function find(text: string, root = 0) {
  const { test: matches } = searchOf(text);
  return sumOf(tree, matchNames(tree.names, matches!), root);
}

test("flame/search: plain text ignores case and is not an expression", () => {
  assert.equal(find("read").count, 2);
  assert.equal(find(" READ ").count, 2);
  assert.equal(find(".*").count, 0);
});

test("flame/search: text between slashes is a regular expression", () => {
  assert.equal(find("/^read$/").count, 1);
  assert.equal(find("/^read$/i").count, 2);
  assert.equal(find("/^(parse|idle)$/").count, 3);
});

test("flame/search: an invalid expression is reported, an empty search finds nothing", () => {
  assert.match(searchOf("/(/").error, /Unterminated group/);
  assert.equal(searchOf("/(/").test, null);
  assert.deepEqual(searchOf("  "), { test: null, error: "" });
  assert.equal(searchOf("/a/gy").error, "");
});

test("flame/search: a stack with several matches counts once", () => {
  assert.deepEqual(find("parse"), { count: 2, value: 40, beforeValue: 0 });
  assert.equal(find("/./").value, 100);
});

test("flame/search: only matches in the zoomed frame count", () => {
  const read = [...tree.name].findIndex((n) => n >= 0 && tree.names[n] === "read");
  assert.deepEqual(find("parse", read), { count: 1, value: 30, beforeValue: 0 });
});

test("flame/search: matches are counted along rows", () => {
  const layout = layoutOf(tree);
  const { before } = matchesOf(
    tree,
    layout,
    matchNames(tree.names, (name) => name === "parse"),
  );
  const row = (level: number) =>
    before[layout.rowStart[level + 1]] - before[layout.rowStart[level]];
  assert.deepEqual([0, 1, 2, 3, 4].map(row), [0, 0, 1, 0, 1]);
});

test("flame/search: both sides of a difference are summed", () => {
  const both = treeFrom({ "a;x": [1, 2], "b;x": [10, 20] });
  assert.deepEqual(
    sumOf(
      both,
      matchNames(both.names, (n) => n === "x"),
      0,
    ),
    { count: 2, value: 22, beforeValue: 11 },
  );
});
