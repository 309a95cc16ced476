// SPDX-License-Identifier: Apache-2.0
// Tests of the summary, the table and the notes of a comparison.
import assert from "node:assert/strict";
import { ChangeKind, DiffAnswer, DiffRow } from "../../src/api/types";
import {
  changeShare,
  comparators,
  overallText,
  rowsOf,
  shareOf,
  sharesOf,
} from "../../src/compare/changes";
import { colourText } from "../../src/compare/DiffGraph";
import { problemOf } from "../../src/compare/Overall";
import { choosePairType, PairTypes, typesNote } from "../../src/compare/PairTypes";
import { parseUrl } from "../../src/url";
import { test } from "../tap";

const change = (before: number, after: number) => ({ before, after, delta: after - before });
const row = (name: string, kind: ChangeKind, before: number, after: number): DiffRow => ({
  name,
  file: `${name}.c`,
  module: "",
  kind,
  self: change(before, after),
  total: change(before, after),
});
const rows = [
  row("a", "grew", 10, 30),
  row("b", "shrank", 50, 10),
  row("c", "new", 0, 5),
  row("d", "gone", 5, 0),
  row("e", "same", 7, 7),
];

function answerOf(before: number, after: number, more: Partial<DiffAnswer> = {}): DiffAnswer {
  const side = (total: number) => ({ total, kept: total, stacks: 1 });
  return {
    type: cpu,
    unit: "nanoseconds",
    gauge: false,
    from: 0,
    to: 1,
    normalised: false,
    before: side(before),
    after: side(after),
    changes: { same: 1, grew: 1, shrank: 1, new: 1, gone: 1 },
    row_count: 5,
    rows,
    ...more,
  };
}

const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const heap = "memory:inuse_space:bytes:space:bytes";
const typesOf = (before: string[], after: string[], wanted = ""): PairTypes => ({
  before,
  after,
  ready: true,
  ...choosePairType(wanted, before, after),
});
const state = parseUrl(new URL("http://localhost/compare?query=shop&before=cart"));

test("changes: relative changes are formatted as by varve diff", () => {
  assert.deepEqual(
    rows.map((r) => changeShare(r.kind, r.self)),
    ["+200.0%", "-80.0%", "new", "gone", "0.0%"],
  );
  assert.equal(changeShare("grew", change(0, 5)), ""); // the self value is new, but not the total
  assert.equal(changeShare("grew", change(-10, 5)), "+150.0%");
});

test("changes: sorted by absolute change", () => {
  const sorted = (key: string) =>
    [...rows]
      .sort((x, y) => -comparators[key]("self")(x, y))
      .map((r) => r.name)
      .join("");
  assert.equal(sorted("change"), "bacde");
  assert.equal(sorted("before"), "baedc");
  assert.equal(sorted("share"), "caebd");
});

test("changes: new functions have an order by relative change", () => {
  assert.equal(shareOf(change(0, 5)), Infinity);
  assert.equal(shareOf(change(0, 0)), 0);
  assert.equal(comparators.share("self")(row("x", "new", 0, 5), row("y", "new", 0, 9)) < 0, true);
});

test("changes: rows are filtered by kind and by search", () => {
  const answer = answerOf(1, 2);
  assert.deepEqual(rowsOf(answer, "gone", "self", () => true).map((r) => r.name), ["d"]);
  assert.deepEqual(rowsOf(answer, "all", "self", (t) => t === "e").map((r) => r.name), ["e"]);
  assert.deepEqual(rowsOf(answer, "", "self", () => true).map((r) => r.name), ["a", "b", "c", "d"]);
  assert.deepEqual(rowsOf(undefined, "", "self", () => true), []);
});

test("changes: the summary shows both totals", () => {
  assert.equal(overallText(answerOf(5.54e9, 7.1e9)), "5.54 s → 7.10 s, +28.2%");
  assert.equal(overallText(answerOf(0, 7.1e9)), "0 ns → 7.10 s");
  assert.equal(overallText(answerOf(2e9, 1e9)), "2.00 s → 1.00 s, -50.0%");
});

test("changes: a note explains why sides cannot be compared", () => {
  const both = typesOf([cpu], [cpu]);
  assert.match(
    problemOf(parseUrl(new URL("http://localhost/compare?query=shop")), answerOf(1, 1), both),
    /same selection/,
  );
  assert.match(problemOf(state, answerOf(0, 9), both), /^Before has no CPU time.*new/);
  assert.match(problemOf(state, answerOf(9, 0), both), /^After has no CPU time.*gone/);
  assert.match(problemOf(state, answerOf(0, 0), both), /^Neither/);
  assert.match(problemOf(state, undefined, typesOf([], [])), /^Neither/);
  assert.match(
    problemOf(
      state,
      answerOf(5, 5, { changes: { same: 5, grew: 0, shrank: 0, new: 0, gone: 0 } }),
      both,
    ),
    /same data/,
  );
  assert.equal(problemOf(state, answerOf(5, 6), both), "");
});

test("changes: both sides have one type, and a note if one side lacks it", () => {
  assert.equal(choosePairType("", [heap, cpu], [heap]).chosen, heap);
  assert.equal(choosePairType("", [heap, cpu], [cpu, heap]).chosen, cpu);
  assert.equal(choosePairType("", [], [heap]).chosen, heap);
  assert.equal(choosePairType("", [], []).chosen, "");
  assert.equal(choosePairType("other:x", [cpu], [cpu]).chosen, "other:x");
  assert.equal(typesNote(typesOf([cpu, heap], [cpu, heap])), "");
  assert.match(
    typesNote(typesOf([cpu, heap], [heap], cpu)),
    /Only one side has CPU time. Both have Heap in use/,
  );
  assert.match(
    typesNote(typesOf([cpu], [heap])),
    /no profile type in common: before has CPU time; after has Heap in use/,
  );
});

test("changes: the colours are described", () => {
  assert.match(colourText("redgreen", false), /^Red: more than before; green: less/);
  assert.match(
    colourText("bluered", true),
    /^Orange: a larger share than before; blue: a smaller share/,
  );
});

test("compare: normalised values are shares of each side, and totals have no change", () => {
  const answer = answerOf(0.52e9, 2.46e9, { normalised: true });
  assert.equal(overallText(answer), "Shares of 520 ms → shares of 2.46 s");
  assert.deepEqual(
    sharesOf(answer, { before: 1.23e9, after: 0.615e9, delta: -0.615e9, before_unscaled: 0.26e9 }),
    [0.5, 0.25],
  );
  assert.deepEqual(sharesOf(answerOf(10, 20), { before: 5, after: 5, delta: 0 }), [0.5, 0.25]);
});
