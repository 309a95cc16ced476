// SPDX-License-Identifier: Apache-2.0
// Tests of the versions that queries send as `as_of`.
import assert from "node:assert/strict";
import { test } from "../tap";
import { forgetShown, versionedQuery } from "../../src/api/as_of";
import { apiUrl, Params } from "../../src/api/transport";

const selection = { query: 'shop{env="prod"}', type: "cpu", from: "1000", to: "2000" };
const sides = {
  before: "shop",
  before_from: "0",
  before_to: "1000",
  after: "shop",
  after_from: "1000",
  after_to: "2000",
  type: "cpu",
};

// Return the `as_of` parameter that a query would send, or null.
const sent = (path: string, params: Params) =>
  new URLSearchParams(versionedQuery(apiUrl(path, params)).url.split("?")[1]).get("as_of");
const answer = (path: string, params: Params, as_of: string | undefined) =>
  versionedQuery(apiUrl(path, params)).remember({ as_of });

test("as_of_is_sent_with_queries_over_the_same_selection", () => {
  forgetShown();
  assert.equal(versionedQuery(apiUrl("flame", selection)).url, apiUrl("flame", selection));
  answer("flame", selection, "17");
  for (const path of ["flame", "top", "callers", "sums"]) assert.equal(sent(path, selection), "17");
  assert.equal(
    sent("flame", { ...selection, path: ["main", "a=b&c"], nearest: true, max_nodes: 20 }),
    "17",
  );
  assert.equal(sent("top", { ...selection, hide: "x", invert: true, n: 5, sort: "total" }), "17");
  assert.equal(sent("callers", { ...selection, function: "f" }), "17");
});

test("as_of_is_not_sent_with_another_selection", () => {
  forgetShown();
  answer("flame", selection, "17");
  for (const change of [
    { query: "other" },
    { type: "heap" },
    { from: "1001" },
    { to: "2001" },
    { span: "1".repeat(16) },
    { time_from: "5" },
    { file: "id" },
  ])
    assert.equal(sent("flame", { ...selection, ...change }), null);
  for (const path of ["series", "labels", "types", "spans", "moments"])
    assert.equal(sent(path, selection), null);
  answer("flame", { ...selection, file: "id" }, undefined);
  assert.equal(sent("flame", { ...selection, file: "id" }), null);
});

test("as_of_is_the_latest_version", () => {
  forgetShown();
  answer("flame", selection, "9");
  answer("top", selection, "10");
  answer("top", selection, "8");
  assert.equal(sent("flame", selection), "10");
});

test("as_of_is_discarded_by_a_refresh", () => {
  forgetShown();
  const late = versionedQuery(apiUrl("sums", selection));
  answer("flame", selection, "17");
  forgetShown();
  assert.equal(sent("flame", selection), null);
  late.remember({ as_of: "17" });
  assert.equal(sent("flame", selection), null);
});

test("as_of_of_a_difference_has_two_versions", () => {
  forgetShown();
  const before = { query: "shop", from: "0", to: "1000", type: "cpu" };
  answer("flame", before, "3");
  assert.equal(sent("diff", sides), null);
  answer("diff", { ...sides, n: 10, flame: true }, "3-17");
  assert.equal(sent("diff", { ...sides, hide: "x" }), "3-17");
  assert.equal(sent("sums", { ...sides, search: "x" }), "3-17");
  assert.equal(sent("flame", { query: "shop", from: "1000", to: "2000", type: "cpu" }), "17");
  answer("flame", before, "4");
  assert.equal(sent("diff", sides), "4-17");
});

test("as_of_is_kept_for_a_limited_number_of_selections", () => {
  forgetShown();
  for (let i = 0; i < 100; i++) answer("flame", { ...selection, from: String(i) }, "17");
  assert.equal(sent("flame", { ...selection, from: "0" }), null);
  assert.equal(sent("flame", { ...selection, from: "99" }), "17");
});
