// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "../tap";
import { formatSelector, parseSelector, withMatcher } from "../../src/api/selection";

test("selectors_are_read_and_written", () => {
  for (const text of ["checkout", 'checkout{env="prod"}', '{service.version="v2",pod=~"a.*"}', 'a{x!="1",y!~"2"}', 'a{x="quo\\"te"}'])
    assert.equal(formatSelector(parseSelector(text)!), text);
  assert.deepEqual(parseSelector('a{ x = "1" , y="2" }')?.matchers.length, 2);
});

test("what_is_not_a_selector_is_left_alone", () => {
  for (const text of ['a{x="1"', "a{x}", 'a{x="1"}}', 'a{="1"}']) assert.equal(parseSelector(text), null);
  assert.equal(withMatcher('a{x="1"', "y", "2"), 'a{x="1"');
});

test("a_label_is_changed_added_and_taken_away", () => {
  assert.equal(withMatcher("a", "env", "prod"), 'a{env="prod"}');
  assert.equal(withMatcher('a{env="prod"}', "env", "dev"), 'a{env="dev"}');
  assert.equal(withMatcher('a{env="prod"}', "env", undefined), "a");
});
