// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { toSvg } from "../../src/flame/export";
import { test } from "../tap";
import { treeFrom } from "./trees";

const options = { layout: "icicle", colour: "name", palette: "redgreen", theme: "light" } as const;

test("flame/export: an SVG has a frame for each node, with its numbers", () => {
  const svg = toSvg(treeFrom({ "main;a": 30, "main;b": 10 }), { ...options, width: 400, title: "cpu" });
  assert.equal(svg.match(/<title>/g)?.length, 4);
  assert.match(svg, /<title>a \(75\.0% · 30\)<\/title>/);
  assert.match(svg, /width="299\.00"/); // three quarters, less the line between
  assert.match(svg, />cpu<\/text>/);
});

test("flame/export: names cannot become elements, and no script is in it", () => {
  const svg = toSvg(treeFrom({ '<script>alert("x")</script>': 1, "a&b\u0000\ud800": 1 }), options);
  assert.ok(!svg.includes("<script"));
  assert.match(svg, /&lt;script&gt;/);
  assert.match(svg, /a&amp;b\ufffd/);
});

test("flame/export: the root at the bottom; only what is zoomed into", () => {
  const tree = treeFrom({ "main;a;x": 30, "main;b": 10 });
  const flame = toSvg(tree, { ...options, layout: "flame" });
  assert.ok(flame.indexOf('y="58"') < flame.indexOf('y="4"'));
  const part = toSvg(tree, { ...options, zoom: ["main", "a"] });
  assert.equal(part.match(/<title>/g)?.length, 2);
});

test("flame/export: narrow frames are left out, an empty tree is an empty picture", () => {
  assert.equal(toSvg(treeFrom({ a: 1e9, b: 1 }), options).match(/<title>/g)?.length, 2);
  assert.match(toSvg(treeFrom({}), options), /^<svg[\s\S]*<\/svg>\n$/);
});
