// SPDX-License-Identifier: Apache-2.0
// Tests of the SVG export.
import assert from "node:assert/strict";
import { toSvg } from "../../../src/flame/canvas/image_export";
import { test } from "../../tap";
import { treeFrom } from "../stack_tree";

const options = { layout: "icicle", colour: "name", palette: "redgreen", theme: "light" } as const;

test("flame/image_export: an SVG has a frame with values for each node", () => {
  const svg = toSvg(treeFrom({ "main;a": 30, "main;b": 10 }), {
    ...options,
    width: 400,
    title: "cpu",
  });
  assert.equal(svg.match(/<title>/g)?.length, 4);
  assert.match(svg, /<title>a \(75\.0% · 30\)<\/title>/);
  assert.match(svg, /width="299\.00"/); // three quarters, minus the gap
  assert.match(svg, />cpu<\/text>/);
});

test("flame/image_export: names are escaped and no script is included", () => {
  const svg = toSvg(treeFrom({ '<script>alert("x")</script>': 1, "a&b\u0000\ud800": 1 }), options);
  assert.ok(!svg.includes("<script"));
  assert.match(svg, /&lt;script&gt;/);
  assert.match(svg, /a&amp;b\ufffd/);
});

test("flame/image_export: the root at the bottom, and only the zoomed frame", () => {
  const tree = treeFrom({ "main;a;x": 30, "main;b": 10 });
  const flame = toSvg(tree, { ...options, layout: "flame" });
  assert.ok(flame.indexOf('y="58"') < flame.indexOf('y="4"'));
  const part = toSvg(tree, { ...options, zoom: ["main", "a"] });
  assert.equal(part.match(/<title>/g)?.length, 2);
});

test("flame/image_export: narrow frames are omitted, an empty tree is an empty image", () => {
  assert.equal(toSvg(treeFrom({ a: 1e9, b: 1 }), options).match(/<title>/g)?.length, 2);
  assert.match(toSvg(treeFrom({}), options), /^<svg[\s\S]*<\/svg>\n$/);
});
