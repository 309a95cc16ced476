// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { promCompletions, PromPlace, promPlaceOf } from "../../src/promql/promql_completion";
import { test } from "../tap";

// `|` is the cursor.
function at(text: string): PromPlace | undefined {
  const cursor = text.indexOf("|");
  return promPlaceOf(text.slice(0, cursor) + text.slice(cursor + 1), cursor);
}

test("promql completion: where metrics, labels, values and durations are expected", () => {
  const cases: [string, PromPlace["kind"] | undefined, string?, string?][] = [
    ["|", "expression"],
    ["ra|", "expression"],
    ["sum(|", "expression"],
    ["sum by (job) (ra|", "expression"],
    ["a + |", "expression"],
    ["a and |", "expression"],
    ["up{|", "label", "up"],
    ['up{job="a", in|', "label", "up"],
    ["up{job|", "label", "up"],
    ["up{job |", "matcher", "up"],
    ['up{job="|', "value", "up", "job"],
    ['up{job=~"a|', "value", "up", "job"],
    ["up{job=|", "value", "up", "job"],
    ["{job=|", "value", "", "job"],
    ["sum by (|", "label", ""],
    ["sum(rate(http_total[5m])) by (jo|", "label", "http_total"],
    ["rate(up[|", "duration"],
    ["rate(up[5|", "duration"],
    ["sum(up) |", "after"],
    ["sum(up) b|", "after"],
    ["5|", undefined],
    ['label_replace(up, "a|', undefined],
    ["up # a|", undefined],
    ['up{job="a"|', undefined],
  ];
  for (const [text, kind, metric, label] of cases) {
    const place = at(text);
    assert.equal(place?.kind, kind, text);
    if (metric !== undefined) assert.equal(place?.metric, metric, text);
    if (label !== undefined) assert.equal(place?.label, label, text);
  }
});

const known = {
  metrics: ["http_requests_total", "process_requests", "up"],
  metadata: { http_requests_total: [{ type: "counter", help: "Requests", unit: "" }] },
  labels: ["__name__", "instance", "job"],
  values: ['a"b', "shop"],
};

test("promql completion: metrics have type and help, and the best match is first", () => {
  const rows = promCompletions(at("requ|")!, known);
  assert.deepEqual(
    rows.map((r) => r.shown),
    ["http_requests_total", "process_requests"],
  );
  assert.equal(rows[0].note, "counter: Requests");
  assert.equal(promCompletions(at("rat|")!, known)[0].text, "rate(");
  assert.deepEqual(
    promCompletions(at("up{|")!, known).map((r) => r.text),
    ["instance", "job"],
  );
});

test("promql completion: values are quoted, also within an open string", () => {
  assert.deepEqual(
    promCompletions(at("up{job=|")!, known).map((r) => r.text),
    ['"a\\"b"', '"shop"'],
  );
  const place = at("up{job='sh|")!;
  assert.equal(place.from, 7);
  assert.deepEqual(
    promCompletions(place, known).map((r) => r.text),
    ["'shop'"],
  );
});
