// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "../tap";
import { callerOf, matching, unfolded, waterfallOf } from "../../src/traces/fall";
import { SpanRow } from "../../src/traces/SpanTable";

const span = (id: string, parent: string | undefined, start = 0, ms = 10): SpanRow => ({
  trace: "t",
  span: id,
  total: 1,
  with_children: 1,
  samples: 1,
  first: 0,
  last: 0,
  service: "s",
  labels: {},
  ...(parent === undefined ? {} : { name: id, parent, start, duration: ms * 1e6 }),
});
const shape = (rows: SpanRow[]) => waterfallOf(rows).map((r) => `${"-".repeat(r.level)}${r.row.span}`);

test("a_span_stands_below_its_caller_and_the_earlier_first", () => {
  assert.deepEqual(shape([span("late", "root", 8), span("leaf", "early", 3), span("root", "", 0), span("early", "root", 2)]), ["root", "-early", "--leaf", "-late"]);
});

test("bars_are_parts_of_the_whole_time", () => {
  const rows = waterfallOf([span("root", "", 1000, 100), span("child", "root", 1050, 25)]);
  assert.deepEqual(rows.map((r) => [r.left, r.width]), [[0, 1], [0.5, 0.25]]);
});

test("what_has_no_caller_here_stands_at_the_left_and_what_is_known_from_samples_comes_last", () => {
  assert.deepEqual(shape([span("sampled", undefined), span("lost", "elsewhere", 5), span("root", "", 1)]), ["root", "lost", "sampled"]);
});

test("spans_that_call_each_other_in_a_circle_are_all_listed_once", () => {
  assert.deepEqual(shape([span("a", "b", 1), span("b", "a", 2), span("own", "own", 3)]), ["own", "a", "-b"]);
});

test("a_chain_of_many_thousand_calls_is_walked", () => {
  const many = Array.from({ length: 50_000 }, (_, i) => span(`s${i}`, i ? `s${i - 1}` : "", i));
  assert.equal(waterfallOf(many)[49_999].level, 49_999);
  assert.deepEqual(waterfallOf([]), []);
});

const family = () => waterfallOf([span("root", ""), span("a", "root", 1), span("a1", "a", 2), span("a2", "a", 3), span("b", "root", 4), span("b1", "b", 5), span("other", "", 9)]);
const names = (rows: { row: SpanRow }[]) => rows.map((r) => r.row.span).join(" ");

test("what_is_below_a_folded_span_is_not_seen", () => {
  const rows = family();
  assert.deepEqual(rows.map((r) => r.below), [5, 2, 0, 0, 1, 0, 0]);
  assert.equal(names(unfolded(rows, new Set())), "root a a1 a2 b b1 other");
  assert.equal(names(unfolded(rows, new Set(["a", "a1"]))), "root a b b1 other");
  assert.equal(names(unfolded(rows, new Set(["root", "b"]))), "root other");
});

test("a_match_is_shown_with_its_callers", () => {
  const rows = family();
  assert.equal(names(matching(rows, (r) => r.span === "a2" || r.span === "b1")), "root a a2 b b1");
  assert.equal(names(matching(rows, (r) => r.span === "other")), "other");
  assert.equal(names(matching(rows, () => false)), "");
});

test("the_caller_of_a_row_is_found_and_roots_have_none", () => {
  const rows = family();
  assert.deepEqual(rows.map((_, i) => callerOf(rows, i)), [-1, 0, 1, 1, 0, 4, -1]);
});
