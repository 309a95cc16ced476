// SPDX-License-Identifier: Apache-2.0
// Tests of refs, which identify functions of the same name.
import assert from "node:assert/strict";
import {
  findPath,
  matchingNames,
  pathOf,
  refOf,
  Tree,
  treeOf,
} from "../../../src/flame/model/tree";
import {
  chosenRef,
  moduleBase,
  refMatches,
  refName,
  refPlace,
  refsBy,
  refsOf,
} from "../../../src/flame/model/refs";
import { neighboursOf, withoutRoot } from "../../../src/sandwich/neighbours";
import { carryOver, largestNamed } from "../../../src/tree/tree_rows";
import { test } from "../../tap";
import { nodesOf } from "../stack_tree";

const row = (name: string, module = "", file = "") => ({ name, module, file });

test("flame/refs: refs are as short as possible", () => {
  assert.deepEqual(
    refsOf([
      row("main"),
      row("work", "/opt/v1/api"),
      row("work", "/opt/worker"),
      row("run", "", "/srv/jobs.py"),
      row("run", "", "/srv/mail.py"),
      row("work"),
    ]),
    ["main", "work\tapi", "work\tworker", "run\t\t/srv/jobs.py", "run\t\t/srv/mail.py", "work\t\t"],
  );
  assert.deepEqual(refsOf([row("init", "/bin/a", "x.c"), row("init", "/bin/a", "y.c")]), [
    "init\ta\tx.c",
    "init\ta\ty.c",
  ]);
});

test("flame/refs: a ref matches its function in any build of the program", () => {
  const rows = [
    row("work", "/opt/v1/api"),
    row("work", "/opt/worker"),
    row("work"),
    row("run", "", "/a/jobs.py"),
    row("run", "", "/a/mail.py"),
  ];
  refsOf(rows).forEach((ref, i) =>
    assert.deepEqual(
      rows.map((r) => refMatches(ref, r)),
      rows.map((_, k) => k === i),
    ),
  );
  assert.equal(refMatches("work\tapi", row("work", "/opt/v2/api (deleted)")), true);
  assert.equal(refMatches("work", row("work", "/opt/worker")), true);
  assert.equal(moduleBase("/tmp/perf-12.map"), "");
  assert.equal(refName("work\tapi"), "work");
  assert.equal(refPlace("work\tapi"), "api");
  assert.equal(refPlace("run\t\t/srv/jobs.py"), "jobs.py");
  assert.equal(refPlace("work"), "");
  const refOf = refsBy(rows);
  assert.equal(chosenRef("work\tworker", rows, refOf), "work\tworker");
  assert.equal(chosenRef("work", rows, refOf), "work\tapi");
});

// Build a tree with two functions of the same name: names are cut at "#".
function namesakes(stacks: Record<string, number>): Tree {
  const nodes = nodesOf(stacks, { "work#1": { module: "/bin/a" }, "work#2": { module: "/bin/b" } });
  return treeOf(
    { ...nodes, names: nodes.names.map((name) => name.replace(/#.*/, "")) },
    "samples",
    8,
  );
}

test("flame/refs: siblings of the same name have different paths", () => {
  const tree = namesakes({ "main;work#1;x": 5, "main;work#2;y": 3 });
  assert.deepEqual(pathOf(tree, 4), ["main", "work\tb"]);
  assert.deepEqual(pathOf(tree, 5), ["main", "work\tb", "y"]);
  for (let node = 0; node < tree.name.length; node++)
    assert.equal(findPath(tree, pathOf(tree, node)), node);
  assert.equal(refOf(tree, 4), "work\tb");
  assert.equal(refOf(tree, 1), "main");
  assert.deepEqual(
    [...matchingNames(tree, "work\tb")].map((name) => tree.modules[name]),
    ["/bin/b"],
  );
  assert.equal(matchingNames(tree, "work").size, 2);
  assert.equal(largestNamed(tree, "work\tb"), 4);
  assert.deepEqual(
    [...carryOver(tree, namesakes({ "main;work#2;y": 9, "main;work#1;x": 2 }), [4])],
    [2],
  );
});

test("flame/refs: a sandwich contains all functions of a name", () => {
  const nodes = nodesOf({ "work#1;main": 5, "work#2;main": 3 });
  const both = { ...nodes, names: nodes.names.map((name) => name.replace(/#.*/, "")) };
  assert.equal(withoutRoot(both), both);
  assert.deepEqual(neighboursOf(both).map((n) => [n.name, n.total]), [["main", 8]]);
});
