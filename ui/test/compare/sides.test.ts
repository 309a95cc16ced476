// SPDX-License-Identifier: Apache-2.0
// Tests of the two sides of a comparison and of their charts.
import assert from "node:assert/strict";
import {
  changeSide,
  describeSides,
  earlier,
  sameSides,
  sideOf,
  spanText,
  swapSides,
  timePresets,
} from "../../src/compare/sides";
import { keepWindow, windowAround } from "../../src/compare/SidePanel";
import { formatUrl, parseUrl, State } from "../../src/url";
import { test } from "../tap";

const now = 1_700_000_000_000;
const hour = 3600e3;
const at = (search: string) => parseUrl(new URL(`http://localhost/compare?${search}`));
const changed = (state: State, change: Partial<State>) =>
  parseUrl(new URL(`http://localhost${formatUrl({ ...state, ...change })}`));

test("sides: before defaults to after", () => {
  const before = sideOf(at("query=shop&from=now-3h"), "before");
  assert.deepEqual(
    [before.query, before.from, before.to, before.file],
    ["shop", "now-3h", "now", ""],
  );
});

test("sides: a change of one side preserves the other", () => {
  const state = at("query=shop&from=now-3h");
  const after = changed(state, changeSide(state, "after", { query: "cart", from: "1", to: "2" }));
  assert.deepEqual([after.query, after.from, after.to], ["cart", "1", "2"]);
  const before = sideOf(after, "before");
  assert.deepEqual([before.query, before.from, before.to], ["shop", "now-3h", "now"]);
  const other = changed(state, changeSide(state, "before", { query: "cart" }));
  assert.equal(other.query, "shop");
  assert.equal(sideOf(other, "before").query, "cart");
});

test("sides: before can be all services while after is one", () => {
  const state = at("query=shop");
  const next = changed(state, changeSide(state, "before", { query: "" }));
  assert.equal(sideOf(next, "before").query, "{}");
  assert.equal(sameSides(next), false);
});

test("sides: swapping twice restores both sides", () => {
  for (const search of [
    'query=shop{v="2"}&before=shop{v="1"}&before_from=5&before_to=9',
    "file=aa&before_file=bb",
    "query=shop&before_file=bb",
    "query=shop&before={}",
  ]) {
    const state = at(search);
    const once = changed(state, swapSides(state));
    const twice = changed(once, swapSides(once));
    for (const name of ["before", "after"] as const) {
      const [a, b] = [sideOf(state, name), sideOf(twice, name)];
      assert.equal(a.file, b.file);
      if (!a.file) assert.deepEqual([a.query, a.from, a.to], [b.query, b.from, b.to]);
    }
    assert.equal(once.file, state.before_file);
    assert.equal(once.before_file, state.file);
  }
});

test("sides: equal selections are recognized in any notation", () => {
  assert.equal(sameSides(at("query=shop")), true);
  assert.equal(sameSides(at('query=shop{a="1",b="2"}&before=shop{b="2", a="1"}')), true);
  assert.equal(sameSides(at("query=shop&before=cart")), false);
  assert.equal(sameSides(at("query=shop&before_from=now-2h")), false);
  assert.equal(sameSides(at("file=aa&before_file=aa")), true);
  assert.equal(sameSides(at("file=aa&before_file=bb")), false);
  assert.equal(sameSides(at("query=shop&before_file=bb")), false);
});

test("sides: a shifted relative time stays relative", () => {
  assert.equal(earlier("now", 24 * hour, now), "now-1d");
  assert.equal(earlier("now-1h", 24 * hour, now), "now-25h");
  assert.equal(earlier("now-15m", 24 * hour, now), "now-1455m");
  assert.equal(earlier("1700000000000", hour, now), String(now - hour));
});

test("sides: lengths of time are formatted in the largest unit", () => {
  assert.equal(spanText(hour), "hour");
  assert.equal(spanText(15 * 60e3), "15 minutes");
  assert.equal(spanText(48 * hour), "2 days");
  assert.equal(spanText(90e3), "90 seconds");
});

test("sides: presets are yesterday, the previous range and last week", () => {
  const presets = timePresets(at("query=shop"), now);
  assert.deepEqual(
    presets.map((p) => [p.label, p.change.before_from, p.change.before_to]),
    [
      ["This hour vs. yesterday", "now-25h", "now-1d"],
      ["This hour vs. previous hour", "now-2h", "now-1h"],
      ["This hour vs. last week", "now-169h", "now-7d"],
    ],
  );
  assert.deepEqual(timePresets(at("from=now-7d"), now).map((p) => p.key), ["previous"]);
  assert.deepEqual(timePresets(at("file=aa"), now), []);
  assert.deepEqual(timePresets(at("from=nonsense"), now), []);
});

test("sides: differences are described", () => {
  assert.equal(
    describeSides(at('query=shop{version="v2"}&before=shop{version="v1"}'), now),
    "version v1 → v2",
  );
  assert.equal(describeSides(at("query=shop&before=cart"), now), "cart → shop");
  assert.equal(
    describeSides(at("query=shop&before_from=now-25h&before_to=now-24h"), now),
    "a day later",
  );
  assert.equal(
    describeSides(at("query=shop&before_from=now-2h&before_to=now-1h"), now),
    "an hour later",
  );
  assert.equal(
    describeSides(at('query=shop{pod="a"}&before=shop&before_from=now-3h'), now),
    "pod any → a · another time",
  );
  assert.equal(describeSides(at("query=shop"), now), "");
});

test("sides: a chart shows the time around a range, and stays during drags in it", () => {
  const first = windowAround({ from: now - hour, to: now }, now);
  assert.deepEqual(first, { from: now - 2 * hour, to: now });
  assert.equal(keepWindow(first, { from: now - hour / 2, to: now - hour / 4 }, now), first);
  assert.notEqual(keepWindow(first, { from: now - 30e3, to: now }, now), first);
  assert.notEqual(keepWindow(first, { from: now - 5 * hour, to: now - 4 * hour }, now), first);
  assert.deepEqual(keepWindow(undefined, { from: 0, to: hour }, now), {
    from: -hour,
    to: 2 * hour,
  });
});
