// SPDX-License-Identifier: Apache-2.0
// Tests of zoom, pan and animation, and of the keyboard focus.
import assert from "node:assert/strict";
import { layoutOf } from "../../../src/flame/model/layout";
import { findPath, nameOf } from "../../../src/flame/model/tree";
import { moveFocus } from "../../../src/flame/controls/focus_moves";
import {
  between,
  moveView,
  scaleView,
  translate,
  viewOfNode,
} from "../../../src/flame/canvas/view";
import { test } from "../../tap";
import { treeFrom } from "../stack_tree";

const tree = treeFrom({ "main;a;x": 40, "main;a;y": 10, "main;b;z": 30, main: 10, other: 10 });
const layout = layoutOf(tree);
const at = (...path: string[]) => findPath(tree, path);

test("flame/view: an animation begins and ends at the given views", () => {
  const from = { left: 0, right: 100 };
  const to = { left: 50, right: 60 };
  assert.deepEqual(between(from, to, 0), from);
  assert.deepEqual(between(from, to, 1), to);
  assert.deepEqual(between(from, to, 0.5), { left: 25, right: 80 });
});

test("flame/view: zoom keeps the position under the pointer and stays inside", () => {
  assert.deepEqual(scaleView({ left: 0, right: 100 }, 50, 0.5, 100), { left: 25, right: 75 });
  assert.deepEqual(scaleView({ left: 25, right: 75 }, 25, 4, 100), { left: 0, right: 100 });
  assert.deepEqual(moveView({ left: 10, right: 20 }, -50, 100), { left: 0, right: 10 });
  assert.deepEqual(moveView({ left: 10, right: 20 }, 500, 100), { left: 90, right: 100 });
});

test("flame/view: a subtree's own tree has the position of the subtree", () => {
  const part = layoutOf(treeFrom({ x: 80, y: 20 }, {}, ["main", "a"]));
  const node = at("main", "a");
  assert.deepEqual(translate(viewOfNode(layout, node), layout, node, part, 0), {
    left: 0,
    right: 100,
  });
  assert.deepEqual(translate(viewOfNode(part, 0), part, 0, layout, node), viewOfNode(layout, node));
});

test("flame/focus_moves: arrow keys move to callers, callees and neighbours", () => {
  const go = (node: number, direction: Parameters<typeof moveFocus>[4], zoom = 0) =>
    nameOf(tree, moveFocus(tree, layout, node, zoom, direction));
  assert.equal(go(at("main", "a"), "caller"), "main");
  assert.equal(go(at("main"), "callee"), "a");
  assert.equal(go(at("main", "a", "y"), "right"), "z"); // has another caller
  assert.equal(go(at("main", "a"), "left"), "a");
  assert.equal(go(at("main", "a", "x"), "callee"), "x");
  assert.equal(go(0, "caller"), "");
});

test("flame/focus_moves: the focus stays within the zoomed frame and returns to it", () => {
  const zoom = at("main", "b");
  assert.equal(moveFocus(tree, layout, zoom, zoom, "left"), zoom);
  assert.equal(moveFocus(tree, layout, at("main"), zoom, "callee"), zoom);
});
