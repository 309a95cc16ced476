// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "../tap";
import { formatUrl, parseUrl } from "../../src/url";

const at = (text: string) => parseUrl(new URL(text, "http://localhost"));

test("an_address_says_the_same_when_it_is_written_again", () => {
  for (const text of ["/", "/profiles?query=checkout%7Benv%3D%22prod%22%7D&type=cpu&from=now-6h", "/profiles?zoom=a&zoom=b%3B+c&search=%2Fx%2F&invert=1", "/compare?before=a&before_from=1&before_to=2&normalise=1"])
    assert.equal(formatUrl(at(text)), text);
});

test("what_is_unknown_or_wrong_is_the_usual", () => {
  const state = at("/profiles?view=nonsense&layout=%3Cscript%3E&unknown=1&invert=yes");
  assert.equal(state.view, "both");
  assert.equal(state.layout, "icicle");
  assert.equal(state.invert, false);
  assert.equal(at("/nowhere").path, "/");
});
