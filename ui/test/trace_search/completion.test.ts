// SPDX-License-Identifier: Apache-2.0
// Tests of the completion of TraceQL: what can follow at a cursor, written as "|" in a query.
import assert from "node:assert/strict";
import { test } from "../tap";
import { isInside, placeOf, suggestionsAt } from "../../src/trace_search/completion";

const at = (text: string) => {
  const cursor = text.indexOf("‸");
  const query = text.replace("‸", "");
  return { place: placeOf(query, cursor), inside: isInside(query, cursor) };
};
const kind = (text: string) => {
  const { place } = at(text);
  return place.kind + (place.name && ` ${place.name}`) + (place.typed && `: ${place.typed}`);
};

test("completion: the place of the cursor", () => {
  for (const [text, expected] of [
    ["{ ‸", "name"],
    ["{ span.ht‸ }", "name: span.ht"],
    ["{ .a = 1 && du‸", "name: du"],
    ["{ (‸", "name"],
    ["{ !‸", "name"],
    ["{ span.http.route ‸", "operator"],
    ["{ span.http.route = ‸", "value span.http.route"],
    ['{ span.http.route = "/ch‸', 'value span.http.route: "/ch'],
    ['{ resource.service.name=~"a‸', 'value resource.service.name: "a'],
    ["{ duration > 1‸ }", "value duration: 1"],
    ["{ status = error ‸", "after"],
    ["{ status = error } ‸", "after"],
    ["{ status = error } | ‸", "function"],
    ["{ status = error } | ra‸", "function: ra"],
    ["{ } | by(resource.‸", "name: resource."],
    ["{ } | rate() by (‸", "name"],
    ["{ } >> { na‸", "name: na"],
    ["‸", "none"],
    ["abc‸", "none: abc"],
  ] as const)
    assert.equal(kind(text), expected, text);
});

test("completion: the text that a completion replaces begins at its word", () => {
  const { place } = at('{ span.http.route = "/ch‸');
  assert.equal(place.from, 20);
});

test("completion: names that begin with the text are first, then those of any scope", () => {
  const known = {
    names: [
      ["span.http.route", "span"],
      ["resource.host", "resource"],
      ["span.route.http", "span"],
    ] as const,
    values: [],
  };
  const shown = (text: string) => {
    const { place, inside } = at(text);
    return suggestionsAt(place, known, inside).map((s) => s.shown);
  };
  assert.deepEqual(shown("{ http‸"), ["span.http.route", "span.route.http"]);
  assert.deepEqual(shown("{ span.h‸"), ["span.http.route"]);
  assert.ok(shown("{ du‸").includes("duration"));
  assert.ok(shown("{ ‸").includes("resource.host"));
  assert.deepEqual(shown("{ .a = 1 } ‸").slice(0, 2), ["&&", "||"]);
  assert.ok(shown("{ .a = 1 ‸").includes("}"));
});

test("completion: values are those of the attribute, and of status and kind", () => {
  const shown = (text: string, values: string[]) => {
    const { place, inside } = at(text);
    return suggestionsAt(place, { names: [], values }, inside).map((s) => s.text);
  };
  assert.deepEqual(shown('{ name = "GE‸', ['"GET /"', '"POST /"', '"get"']), ['"GET /"', '"get"']);
  assert.deepEqual(shown("{ status = e‸", []), ["error", "unset"]);
  assert.deepEqual(shown("{ span.x = ‸", ["1", "2"]), ["1", "2"]);
});
