// SPDX-License-Identifier: Apache-2.0
// Tests of the charts of found spans, and of the rows of found traces.
import assert from "node:assert/strict";
import { test } from "../tap";
import { partialText, rowKey, rowsOf, tracesOf } from "../../src/trace_search/found";
import { errorPlace } from "../../src/trace_search/QueryField";
import {
  durationGrid,
  durationsOf,
  linesAnswer,
  quantileName,
  ratesOf,
  seriesName,
  stepsOf,
} from "../../src/trace_search/span_metrics";

const steps = stepsOf(95_000, 125_000, "10s"); // 90 to 130 s
const series = (labels: [string, unknown][], samples: [number, number][]) => ({
  labels: labels.map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { doubleValue: value } : { stringValue: String(value) },
  })),
  samples: samples.map(([seconds, value]) => ({ timestampMs: String(seconds * 1000), value })),
});

test("span metrics: steps begin at multiples of their length", () => {
  assert.deepEqual(steps, { start: 90_000, step: 10_000, text: "10s", columns: 4 });
  assert.equal(stepsOf(0, 999, "100ms").columns, 10);
});

test("span metrics: a heat map has a row for each power of two, the longest on top", () => {
  const grid = durationGrid(
    {
      series: [
        series(
          [["__bucket", 2 ** 20 / 1e9]],
          [
            [100, 3],
            [110, 1],
          ],
        ),
        series(
          [["__bucket", 2 ** 22 / 1e9]],
          [
            [130, 2],
            [90, 9],
          ],
        ), // 90: before the range
        series([["__bucket", 2 ** 30 / 1e9]], [[100, 0]]), // no spans
      ],
    },
    steps,
  )!;
  assert.equal(grid.top, 23);
  assert.equal(grid.rows, 5); // 2^23 down to 2^19
  const cell = (column: number, power: number) => grid.values[column * grid.rows + 23 - power];
  assert.deepEqual([cell(0, 20), cell(1, 20), cell(3, 22)], [3, 1, 2]);
  assert.equal(
    grid.values.reduce((a, b) => a + b),
    6,
  );
  const cells = { left: 0, right: 1, top: 1, bottom: 3 };
  assert.deepEqual(durationsOf(grid, cells), { above: 2 ** 19, most: 2 ** 22 });
  assert.equal(durationGrid({}, steps), undefined);
});

test("span metrics: rates are those of spans with and without errors", () => {
  const rates = ratesOf(
    {
      series: [
        series([["status", "error"]], [[100, 1]]),
        series([["status", "ok"]], [[100, 2]]),
        series(
          [["status", "unset"]],
          [
            [100, 3],
            [130, 4],
          ],
        ),
      ],
    },
    steps,
  );
  assert.deepEqual(rates, { failed: [1, 0, 0, 0], others: [5, 0, 0, 4] });
});

test("span metrics: lines are named by their labels", () => {
  const answer = linesAnswer(
    {
      series: [
        series(
          [["p", 0.99]],
          [
            [100, 0.5],
            [110, NaN],
          ],
        ),
      ],
    },
    steps,
    "nanoseconds",
    1e9,
    quantileName,
  );
  assert.deepEqual(answer.rows[0].points, [[100_000, 5e8]]);
  assert.equal(answer.rows[0].labels.series, "p99");
  assert.equal(answer.start, 100_000);
  const names = series(
    [
      ["a", "x"],
      ["b", "y"],
    ],
    [],
  ).labels;
  assert.equal(seriesName(names), "a=x, b=y");
  assert.equal(seriesName(names.slice(0, 1)), "x");
  assert.equal(seriesName([]), "all");
});

const span = (id: string, start: number) => ({
  spanID: id,
  name: id,
  startTimeUnixNano: `${start}000000`,
  durationNanos: "1500",
  attributes: [{ key: "status", value: { stringValue: "error" } }],
});

test("found traces: the newest is first, sums are of all services, open ones show their spans", () => {
  const traces = tracesOf({
    traces: [
      {
        traceID: "1",
        startTimeUnixNano: "1000000000",
        rootServiceName: "<root span not yet received>",
      },
      {
        traceID: "ab",
        startTimeUnixNano: "2000000000",
        durationMs: 12,
        rootServiceName: "s",
        rootTraceName: "n",
        spanSets: [{ spans: [span("b", 2005), span("a", 2001)], matched: 3 }],
        serviceStats: { s: { spanCount: 1, errorCount: 1 }, t: { spanCount: 4 } },
      },
    ],
  });
  const [first, second] = traces;
  assert.equal(first.id, "ab".padStart(32, "0"));
  assert.deepEqual(
    [first.spans, first.errors, first.matched, first.duration, first.services[0].name],
    [5, 1, 3, 12e6, "t"],
  );
  assert.deepEqual([second.hasRoot, second.service, second.matched], [false, "", 0]);
  const rows = rowsOf(traces, new Set([first.id]));
  assert.deepEqual(
    rows.map((r) => r.span?.name ?? r.more ?? "trace"),
    ["trace", "a", "b", 1, "trace"],
  );
  assert.equal(new Set(rows.map(rowKey)).size, rows.length);
  assert.ok(rows[1].span!.error);
});

test("found traces: an answer says when it is not complete", () => {
  assert.equal(partialText({}), "");
  assert.equal(partialText({ metrics: { completedJobs: 1, totalJobs: 1 } }), "");
  assert.notEqual(partialText({ metrics: { completedJobs: 1, totalJobs: 2 } }), "");
  assert.equal(partialText({ status: "PARTIAL", message: "why" }), "why");
});

test("found traces: the place of a syntax error is read from its message", () => {
  assert.deepEqual(
    errorPlace("invalid TraceQL query: parse error at line 2, col 7: syntax error: x"),
    {
      line: 2,
      column: 7,
      reason: "syntax error: x",
    },
  );
  assert.equal(errorPlace("another error"), undefined);
});
