// SPDX-License-Identifier: Apache-2.0
// Tests of the order and the collapsing of the spans of a trace.
import assert from "node:assert/strict";
import { test } from "../tap";
import { callerOf, matchingSpans, visibleRows, waterfallOf } from "../../src/traces/waterfall_rows";
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
const shape = (rows: SpanRow[]) =>
  waterfallOf(rows).map((r) => `${"-".repeat(r.level)}${r.row.span}`);

test("spans_follow_their_parent_ordered_by_start_time", () => {
  assert.deepEqual(
    shape([
      span("late", "root", 8),
      span("leaf", "early", 3),
      span("root", "", 0),
      span("early", "root", 2),
    ]),
    ["root", "-early", "--leaf", "-late"],
  );
});

test("bars_are_fractions_of_the_duration_of_the_trace", () => {
  const rows = waterfallOf([span("root", "", 1000, 100), span("child", "root", 1050, 25)]);
  assert.deepEqual(rows.map((r) => [r.left, r.width]), [[0, 1], [0.5, 0.25]]);
});

test("spans_with_unknown_parents_are_roots_and_spans_known_from_samples_come_last", () => {
  assert.deepEqual(
    shape([span("sampled", undefined), span("lost", "elsewhere", 5), span("root", "", 1)]),
    ["root", "lost", "sampled"],
  );
});

test("spans_with_cyclic_parents_are_listed_once", () => {
  assert.deepEqual(shape([span("a", "b", 1), span("b", "a", 2), span("own", "own", 3)]), [
    "own",
    "a",
    "-b",
  ]);
});

test("a_chain_of_50000_spans_is_ordered", () => {
  const many = Array.from({ length: 50_000 }, (_, i) => span(`s${i}`, i ? `s${i - 1}` : "", i));
  assert.equal(waterfallOf(many)[49_999].level, 49_999);
  assert.deepEqual(waterfallOf([]), []);
});

const family = () =>
  waterfallOf([
    span("root", ""),
    span("a", "root", 1),
    span("a1", "a", 2),
    span("a2", "a", 3),
    span("b", "root", 4),
    span("b1", "b", 5),
    span("other", "", 9),
  ]);
const names = (rows: { row: SpanRow }[]) => rows.map((r) => r.row.span).join(" ");

test("descendants_of_a_collapsed_span_are_hidden", () => {
  const rows = family();
  assert.deepEqual(rows.map((r) => r.below), [5, 2, 0, 0, 1, 0, 0]);
  assert.equal(names(visibleRows(rows, new Set())), "root a a1 a2 b b1 other");
  assert.equal(names(visibleRows(rows, new Set(["t-a", "t-a1"]))), "root a b b1 other");
  assert.equal(names(visibleRows(rows, new Set(["t-root", "t-b"]))), "root other");
});

test("matches_are_shown_with_their_ancestors", () => {
  const rows = family();
  assert.equal(
    names(matchingSpans(rows, (r) => r.span === "a2" || r.span === "b1")),
    "root a a2 b b1",
  );
  assert.equal(names(matchingSpans(rows, (r) => r.span === "other")), "other");
  assert.equal(names(matchingSpans(rows, () => false)), "");
});

test("the_parent_of_a_row_is_found_and_roots_have_none", () => {
  const rows = family();
  assert.deepEqual(rows.map((_, i) => callerOf(rows, i)), [-1, 0, 1, 1, 0, 4, -1]);
});
