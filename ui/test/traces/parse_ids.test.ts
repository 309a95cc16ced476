// SPDX-License-Identifier: Apache-2.0
// Tests of the parser for trace and span IDs.
import assert from "node:assert/strict";
import { test } from "../tap";
import { parseIds, shortId } from "../../src/traces/parse_ids";

const trace = "0af7651916cd43dd8448eb211c80319c";
const span = "b7ad6b7169203331";

test("a_trace_id_has_32_digits_and_a_span_id_16", () => {
  assert.deepEqual(parseIds(trace), { trace, span: "" });
  assert.deepEqual(parseIds(span), { trace: "", span });
});

test("ids_are_parsed_in_common_notations", () => {
  for (const text of [
    ` ${trace}\n`,
    trace.toUpperCase(),
    "0af76519-16cd-43dd-8448-eb211c80319c",
    `"${trace}",`,
    `trace_id=${trace}`,
    `traceId: "${trace}"`,
    `0x${trace}`,
  ])
    assert.deepEqual(parseIds(text), { trace, span: "" }, text);
});

test("a_traceparent_header_contains_trace_and_span", () => {
  for (const text of [
    `00-${trace}-${span}-01`,
    `traceparent: 00-${trace}-${span}-00`,
    `00-${trace}-${span}`,
  ])
    assert.deepEqual(parseIds(text), { trace, span }, text);
});

test("invalid_ids_are_rejected", () => {
  for (const text of [
    "",
    "hello",
    trace.slice(1),
    `${trace}0`,
    "0".repeat(32),
    "0".repeat(16),
    `00-${"0".repeat(32)}-${span}-01`,
    `<b>${span}</b>x`,
  ])
    assert.equal(parseIds(text), undefined, text);
});

test("long_ids_are_shortened", () => {
  assert.equal(shortId(trace), "0af76519…");
  assert.equal(shortId("abc"), "abc");
});
