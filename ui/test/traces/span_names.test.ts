// SPDX-License-Identifier: Apache-2.0
// Tests of the spans by name, and of the counts in the head of a trace.
import assert from "node:assert/strict";
import { errorText, spansByName } from "../../src/traces/SpanNames";
import { SpanRow } from "../../src/traces/SpanTable";
import { countsOf } from "../../src/traces/TraceHead";
import { test } from "../tap";

const span = (service: string, name: string | undefined, total: number, more: Partial<SpanRow> = {}) => ({
  trace: "1",
  span: "2",
  total,
  samples: total,
  first: 0,
  last: 0,
  service,
  labels: {},
  with_children: total,
  ...(name === undefined ? {} : { name }),
  ...more,
});

test("spans of one service and name are one row", () => {
  const rows = spansByName([
    span("a", "GET /", 10, { duration: 300 }),
    span("a", "GET /", 30, { duration: 100, status: "error" }),
    span("a", "GET /", 5, { duration: 200 }),
    span("b", "GET /", 1),
    span("b", undefined, 2),
  ]);
  assert.deepEqual(rows, [
    { service: "a", name: "GET /", count: 3, failed: 1, total: 45, samples: 45, longest: 300, median: 200 },
    { service: "b", name: "GET /", count: 1, failed: 0, total: 1, samples: 1, longest: 0, median: 0 },
    { service: "b", name: "", count: 1, failed: 0, total: 2, samples: 2, longest: 0, median: 0 },
  ]);
  assert.deepEqual([1, 4, 100, 10_000, 0].map(errorText), ["±100%", "±50%", "±10%", "±1%", ""]);
});

test("the head of a trace counts all spans", () => {
  const spans = (n: number, code: number) =>
    Array.from({ length: n }, () => ({
      spanId: "1",
      startTimeUnixNano: "1",
      endTimeUnixNano: "2",
      status: { code },
    }));
  const of = (name: string) => ({ attributes: [{ key: "service.name", value: { stringValue: name } }] });
  const counts = countsOf({
    resourceSpans: [
      { resource: of("a"), scopeSpans: [{ spans: spans(2, 0) }, { spans: spans(1, 2) }] },
      { resource: of("b"), scopeSpans: [{ spans: spans(5, 1) }] },
      { resource: of("a"), scopeSpans: [{ spans: spans(4, 2) }] },
    ],
  });
  assert.equal(counts.errors, 5);
  assert.deepEqual(counts.services, [["a", 7, 5], ["b", 5, 0]]);
});
