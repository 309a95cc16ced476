// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { builtIn, builtInNames } from "../../src/dashboards/built_in";
import {
  columns,
  duplicated,
  jsonPlace,
  moved,
  nameOf,
  newPanel,
  Panel,
  panelTypes,
  resized,
  settled,
  validName,
  without,
  withPanel,
} from "../../src/dashboards/model";
import { test } from "../tap";

const panel = (
  x: number,
  y: number,
  w: number,
  h: number,
): Panel => ({ type: "chart", x, y, w, h });
const places = (panels: readonly Panel[]) => panels.map((p) => [p.x, p.y, p.w, p.h]);

function assertApart(panels: readonly Panel[]) {
  panels.forEach((a, i) => {
    assert.ok(a.x >= 0 && a.x + a.w <= columns && a.y >= 0, `panel ${i} is on the grid`);
    panels.forEach((b, k) => {
      if (i >= k) return;
      const overlap = a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
      assert.ok(!overlap, `panels ${i} and ${k} overlap: ${JSON.stringify(places(panels))}`);
    });
  });
}

test("layout: overlaps and gaps are removed", () => {
  assert.deepEqual(places(settled([panel(0, 5, 12, 4), panel(6, 6, 12, 4)])), [
    [0, 0, 12, 4],
    [6, 4, 12, 4],
  ]);
});

test("layout: a panel moves past its neighbours, also with the keyboard", () => {
  const panels = [panel(0, 0, 12, 4), panel(0, 4, 12, 4), panel(12, 0, 12, 8)];
  const down = moved(panels, 0, 0, 1);
  assert.deepEqual(places(down), [
    [0, 4, 12, 4],
    [0, 0, 12, 4],
    [12, 0, 12, 8],
  ]);
  assert.deepEqual(places(moved(down, 0, 0, -1)), places(panels));
  assert.deepEqual(places(moved(panels, 0, -1, 0)), places(panels));
  assertApart(moved(panels, 2, -5, 0));
});

test("layout: sizes are limited by the grid", () => {
  const panels = [panel(12, 0, 12, 4), panel(0, 0, 12, 4)];
  assert.deepEqual(places(resized(panels, 0, 5, 2))[0], [12, 0, 12, 6]);
  assertApart(resized(panels, 1, 6, 0));
  assert.equal(resized(panels, 0, -50, -50)[0].w, 2);
  assert.equal(resized(panels, 0, -50, -50)[0].h, 1);
});

test("layout: random changes never make panels overlap", () => {
  let seed = 7;
  const random = (n: number) => ((seed = (seed * 1103515245 + 12345) % 2 ** 31), seed % n);
  let panels = settled(
    Array.from({ length: 12 }, () => panel(random(20), random(20), 2 + random(10), 1 + random(8))),
  );
  for (let i = 0; i < 400; i++) {
    const k = random(panels.length);
    panels =
      random(2) === 0
        ? moved(panels, k, random(7) - 3, random(7) - 3)
        : resized(panels, k, random(5) - 2, random(5) - 2);
    assertApart(panels);
  }
});

test("layout: panels are added, duplicated and removed", () => {
  const panels = withPanel([panel(0, 0, 24, 4)], newPanel("stat"));
  assert.deepEqual(places(panels)[1], [0, 4, 6, 4]);
  assert.deepEqual(places(duplicated(panels, 1))[2], [6, 4, 6, 4]);
  assert.deepEqual(places(without(panels, 0)), [[0, 0, 6, 4]]);
  for (const [type] of panelTypes) assert.equal(newPanel(type).type, type);
});

test("names of dashboards", () => {
  assert.equal(nameOf("CPU & Memory (prod)"), "cpu-memory-prod");
  assert.equal(nameOf("Übersicht"), "ubersicht");
  assert.equal(nameOf("日本"), "dashboard");
  assert.ok(validName(nameOf("x".repeat(100))));
  assert.ok(!validName("../a") && !validName(".a") && !validName(""));
});

test("place of an error in JSON", () => {
  assert.deepEqual(jsonPlace('{\n"a": }', "Unexpected token } at position 7"), {
    line: 2,
    column: 6,
    reason: "Unexpected token } at position 7",
  });
  assert.equal(jsonPlace("{", "no place"), undefined);
});

test("built-in dashboards are valid and their variables exist", () => {
  assert.ok(builtInNames.length >= 11);
  for (const name of builtInNames) {
    const dashboard = builtIn(name)!;
    assertApart(dashboard.panels);
    const known = new Set((dashboard.variables ?? []).map((v) => v.name));
    for (const { queries = [], title } of dashboard.panels)
      for (const { query } of queries)
        for (const [, variable] of query.matchAll(/\$(\w+)/g))
          assert.ok(
            known.has(variable) || variable.startsWith("__"),
            `${name}, ${title}: $${variable} is not a variable`,
          );
  }
  assert.equal(builtIn("built-in/toString"), undefined);
});
