// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "../tap";
import { forgetShown, naming } from "../../src/api/as_of";
import { apiUrl, Params } from "../../src/api/wire";

const selection = { query: 'shop{env="prod"}', type: "cpu", from: "1000", to: "2000" };
const sides = { before: "shop", before_from: "0", before_to: "1000", after: "shop", after_from: "1000", after_to: "2000", type: "cpu" };

// What is sent as `as_of`, or null.
const sent = (path: string, params: Params) => new URLSearchParams(naming(apiUrl(path, params)).url.split("?")[1]).get("as_of");
const answer = (path: string, params: Params, as_of: string | undefined) => naming(apiUrl(path, params)).note({ as_of });

test("as_of_more_of_what_is_shown_names_it", () => {
  forgetShown();
  assert.equal(naming(apiUrl("flame", selection)).url, apiUrl("flame", selection));
  answer("flame", selection, "17");
  for (const path of ["flame", "top", "callers", "sums"]) assert.equal(sent(path, selection), "17");
  assert.equal(sent("flame", { ...selection, path: ["main", "a=b&c"], nearest: true, max_nodes: 20 }), "17");
  assert.equal(sent("top", { ...selection, hide: "x", invert: true, n: 5, sort: "total" }), "17");
  assert.equal(sent("callers", { ...selection, function: "f" }), "17");
});

test("as_of_another_selection_has_none", () => {
  forgetShown();
  answer("flame", selection, "17");
  for (const change of [{ query: "other" }, { type: "heap" }, { from: "1001" }, { to: "2001" }, { span: "1".repeat(16) }, { time_from: "5" }, { file: "id" }]) assert.equal(sent("flame", { ...selection, ...change }), null);
  for (const path of ["series", "labels", "types", "spans", "moments"]) assert.equal(sent(path, selection), null);
  answer("flame", { ...selection, file: "id" }, undefined);
  assert.equal(sent("flame", { ...selection, file: "id" }), null);
});

test("as_of_the_newest_counts", () => {
  forgetShown();
  answer("flame", selection, "9");
  answer("top", selection, "10");
  answer("top", selection, "8");
  assert.equal(sent("flame", selection), "10");
});

test("as_of_a_refresh_forgets_it", () => {
  forgetShown();
  const late = naming(apiUrl("sums", selection));
  answer("flame", selection, "17");
  forgetShown();
  assert.equal(sent("flame", selection), null);
  late.note({ as_of: "17" });
  assert.equal(sent("flame", selection), null);
});

test("as_of_a_difference_has_two", () => {
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

test("as_of_is_not_kept_of_everything", () => {
  forgetShown();
  for (let i = 0; i < 100; i++) answer("flame", { ...selection, from: String(i) }, "17");
  assert.equal(sent("flame", { ...selection, from: "0" }), null);
  assert.equal(sent("flame", { ...selection, from: "99" }), "17");
});
