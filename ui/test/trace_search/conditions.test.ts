// SPDX-License-Identifier: Apache-2.0
// Tests of the filters that read and write the conditions of a TraceQL query.
import assert from "node:assert/strict";
import { test } from "../tap";
import {
  attributeName,
  durationLiteral,
  isMetricsQuery,
  literalText,
  otherConditions,
  parseSimple,
  slotOf,
  withCondition,
  withoutCondition,
  withSlot,
} from "../../src/trace_search/conditions";

test("conditions: a simple query is split at && outside of strings and parentheses", () => {
  const simple = parseSimple(
    '{ name = "a && b" && (.x = 1 || .y = 2) && duration > 5ms } | count() > 2',
  )!;
  assert.deepEqual(
    simple.conditions.map((c) => c.text),
    ['name = "a && b"', "(.x = 1 || .y = 2)", "duration > 5ms"],
  );
  assert.equal(simple.rest, "| count() > 2");
  assert.equal(slotOf(simple, "name")?.value, '"a && b"');
  assert.equal(slotOf(simple, "least")?.value, "5ms");
  assert.deepEqual(
    otherConditions(simple).map((c) => c.text),
    ["(.x = 1 || .y = 2)"],
  );
});

test("conditions: queries of several spansets, and texts that are no query, are not simple", () => {
  for (const query of [
    "{ .a = 1 } && { .b = 2 }",
    "{ .a = 1 } >> { .b = 2 }",
    "{ .a = 1 } || { .b = 2 }",
    "({ .a = 1 })",
    "{ .a = 1",
    '{ name = "}',
    "a = 1",
    "{ { } }",
  ])
    assert.equal(parseSimple(query), null, query);
  assert.deepEqual(parseSimple("")?.conditions, []);
  assert.deepEqual(parseSimple("{}")?.conditions, []);
  assert.deepEqual(parseSimple("{ true }")?.conditions, []);
});

test("conditions: a filter replaces its own condition only", () => {
  assert.equal(withSlot("", "status", "error"), "{ status = error }");
  assert.equal(
    withSlot('{ .service.name = "a" && .x = 1 }', "service", '"b"'),
    '{ resource.service.name = "b" && .x = 1 }',
  );
  assert.equal(withSlot("{ status = error }", "status", ""), "");
  assert.equal(
    withSlot("{ status != ok }", "status", "error"),
    "{ status != ok && status = error }",
  );
  assert.equal(
    withSlot("{ duration > 1ms && duration < 2s }", "most", "5s", "<="),
    "{ duration > 1ms && duration <= 5s }",
  );
  assert.equal(withSlot("{ .a = 1 } >> { .b = 2 }", "status", "error"), "{ .a = 1 } >> { .b = 2 }");
  assert.equal(
    withSlot("{ .a = 1 || .b = 2 } | count() > 1", "status", "error"),
    "{ (.a = 1 || .b = 2) && status = error } | count() > 1",
  );
});

test("conditions: conditions of attributes are added once and removed", () => {
  const one = withCondition("{ status = error }", "span.x = 1");
  assert.equal(one, "{ status = error && span.x = 1 }");
  assert.equal(withCondition(one, "span.x = 1"), one);
  assert.equal(withoutCondition(one, "span.x = 1"), "{ status = error }");
});

test("conditions: a duration is written exactly", () => {
  assert.equal(durationLiteral(2 ** 21), "2.097152ms");
  assert.equal(durationLiteral(2 ** 33), "8.589934592s");
  assert.equal(durationLiteral(2 ** 10), "1.024us");
  assert.equal(durationLiteral(512), "512ns");
});

test("conditions: literals and names", () => {
  assert.equal(literalText('"a \\"b\\""'), 'a "b"');
  assert.equal(literalText("`a\\b`"), "a\\b");
  assert.equal(literalText("12"), "12");
  assert.equal(attributeName("span", "http.route"), "span.http.route");
  assert.equal(attributeName("span", "a b"), 'span."a b"');
  assert.equal(attributeName("intrinsic", "duration"), "duration");
});

test("conditions: metrics queries are recognized outside of strings", () => {
  assert.ok(isMetricsQuery("{ } | rate() by (name)"));
  assert.ok(isMetricsQuery('{ name = "}" } | select(.x) | quantile_over_time(duration, .9)'));
  assert.ok(!isMetricsQuery('{ name = "| rate()" }'));
  assert.ok(!isMetricsQuery("{ } | count() > 2"));
  assert.ok(!isMetricsQuery("{ .a || .b }"));
});
