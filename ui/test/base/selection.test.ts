// SPDX-License-Identifier: Apache-2.0
// Tests of the parser and formatter of selectors.
import assert from "node:assert/strict";
import { test } from "../tap";
import { formatSelector, parseSelector, withMatcher } from "../../src/api/selection";

test("selectors_are_parsed_and_formatted", () => {
  for (const text of [
    "checkout",
    'checkout{env="prod"}',
    '{service.version="v2",pod=~"a.*"}',
    'a{x!="1",y!~"2"}',
    'a{x="quo\\"te"}',
  ])
    assert.equal(formatSelector(parseSelector(text)!), text);
  assert.deepEqual(parseSelector('a{ x = "1" , y="2" }')?.matchers.length, 2);
});

test("invalid_selectors_are_not_changed", () => {
  for (const text of ['a{x="1"', "a{x}", 'a{x="1"}}', 'a{="1"}'])
    assert.equal(parseSelector(text), null);
  assert.equal(withMatcher('a{x="1"', "y", "2"), 'a{x="1"');
});

test("labels_are_added_changed_and_removed", () => {
  assert.equal(withMatcher("a", "env", "prod"), 'a{env="prod"}');
  assert.equal(withMatcher('a{env="prod"}', "env", "dev"), 'a{env="dev"}');
  assert.equal(withMatcher('a{env="prod"}', "env", undefined), "a");
});
