// SPDX-License-Identifier: Apache-2.0
// Tests of the sampling error of a comparison, and of amounts per second and request.
import assert from "node:assert/strict";
import { DiffAnswer, DiffRow } from "../../src/api/types";
import { requestsQuery, scaledAnswer } from "../../src/compare/scaling";
import {
  errorsOf,
  grainOf,
  significanceOf,
  thresholdOf,
  twoSided,
} from "../../src/compare/significance";
import { mergeVersions } from "../../src/compare/VersionTable";
import { certaintyOf } from "../../src/flame/canvas/colours";
import { test } from "../tap";

const change = (before: number, after: number) => ({ before, after, delta: after - before });

function answerOf(values: [number, number][], period: number): DiffAnswer {
  const rows = values.map(
    ([before, after], i): DiffRow => ({
      name: `f${i}`,
      file: "",
      module: "",
      kind: after > before ? "grew" : after < before ? "shrank" : "same",
      self: change(before * period, after * period),
      total: change(before * period, after * period),
    }),
  );
  const sum = (side: "before" | "after") => rows.reduce((n, r) => n + r.self[side], 0);
  const side = (total: number) => ({ total, kept: total, stacks: 1 });
  return {
    type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    unit: "nanoseconds",
    gauge: false,
    from: 0,
    to: 1,
    normalised: false,
    before: side(sum("before")),
    after: side(sum("after")),
    changes: { same: 0, grew: 0, shrank: 0, new: 0, gone: 0 },
    row_count: rows.length,
    rows,
  };
}

test("the value of a sample is the common divisor of all values", () => {
  assert.equal(grainOf(answerOf([[3, 5], [7, 4]], 10_000_000)), 10_000_000);
  assert.equal(grainOf(answerOf([[1e12 + 1, 1e12], [7, 4]], 1)), undefined, "measured amounts");
  assert.equal(grainOf(answerOf([[0.5, 1]], 1)), undefined);
});

test("a change is measured in standard errors of Poisson counts", () => {
  const one = { before: 1, after: 1 };
  assert.ok(Math.abs(errorsOf(100, 100, one)) < 1e-9);
  // ln(1.2) / sqrt(1/100 + 1/120) = 1.35
  assert.ok(Math.abs(errorsOf(100, 120, one) - 1.35) < 0.02);
  assert.ok(errorsOf(10_000, 12_000, one) > 13);
  assert.ok(errorsOf(12_000, 10_000, one) < -13);
  assert.equal(errorsOf(0, 0, one), 0);
  // twice the samples in twice the time: the same per second
  assert.ok(Math.abs(errorsOf(1000 / 10, 2000 / 20, { before: 1 / 10, after: 1 / 20 })) < 0.01);
  // the same share of twice as many samples
  assert.ok(Math.abs(errorsOf(1000, 2000, one, { before: 5000, after: 10_000 })) < 0.01);
  assert.equal(errorsOf(5000, 10_000, one, { before: 5000, after: 10_000 }), 0, "100% on both sides");
});

test("probabilities and the threshold over many rows", () => {
  assert.ok(Math.abs(twoSided(1.96) - 0.05) < 1e-3);
  assert.ok(Math.abs(twoSided(0) - 1) < 1e-6);
  assert.equal(thresholdOf([0.1, 0.2, 1.9]), Infinity);
  assert.equal(thresholdOf([3, 0.2, 0.1]), 3);
  // of 100 rows without a change, none is reported
  assert.equal(thresholdOf(Array.from({ length: 100 }, (_, i) => 2.5 * Math.sin(i))), Infinity);
});

test("rows within the sampling error are noise", () => {
  const answer = answerOf([[1000, 1010], [1000, 2000], [5, 9]], 10_000_000);
  const found = significanceOf(answer, "self", grainOf(answer), { before: 1, after: 1 })!;
  assert.deepEqual([0, 1, 2].map(found.isNoise), [true, false, true]);
  assert.equal(significanceOf(answer, "self", undefined, { before: 1, after: 1 }), undefined);
});

test("the colour of a frame depends on the certainty", () => {
  assert.equal(certaintyOf(5, 9, 1), 0);
  assert.equal(certaintyOf(1000, 2000, 1), 1);
  assert.equal(certaintyOf(1000, 2000, 0.5), 0, "the same after scaling");
});

test("amounts per request divide each side by its requests", () => {
  const answer = scaledAnswer(answerOf([[1000, 2000], [100, 400]], 1), {
    per: "request",
    count: { before: 100, after: 200 },
  });
  assert.deepEqual(answer.rows[0].self, { before: 10, after: 10, delta: 0 });
  assert.deepEqual(answer.rows[1].self, { before: 1, after: 2, delta: 1 });
  assert.deepEqual(answer.rows.map((r) => r.kind), ["same", "grew"]);
  assert.deepEqual(answer.changes, { same: 1, grew: 1, shrank: 0, new: 0, gone: 0 });
  assert.equal(answer.before.kept, 11);
  assert.equal(
    requestsQuery('shop{service.version="v1"}'),
    '{ kind = server && resource.service.name = "shop" && resource.service.version = "v1" } | count_over_time()',
  );
  assert.equal(requestsQuery("{}"), undefined);
});

test("versions are merged by function, with the spread of their shares", () => {
  const top = (rows: [string, number][]) => ({
    type: "",
    unit: "nanoseconds",
    gauge: false,
    from: 0,
    to: 1,
    total: 100,
    kept: 100,
    stacks: 1,
    row_count: rows.length,
    rows: rows.map(([name, self]) => ({ name, file: "", module: "", self, total: self })),
  });
  const rows = mergeVersions([top([["a", 10], ["b", 5]]), top([["a", 30]]), top([["a", 20]])], "self");
  assert.deepEqual(
    rows.map((r) => [r.name, r.shares, Math.round(100 * r.spread)]),
    [["a", [0.1, 0.3, 0.2], 20], ["b", [0.05, 0, 0], 5]],
  );
});
