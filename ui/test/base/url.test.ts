// SPDX-License-Identifier: Apache-2.0
// Tests of the parser and formatter of addresses.
import assert from "node:assert/strict";
import { test } from "../tap";
import { formatUrl, fresh, nextState, parseUrl, paths, scoped, State } from "../../src/url";

const at = (text: string) => parseUrl(new URL(text, "http://localhost"));

test("addresses_are_unchanged_by_parsing_and_formatting", () => {
  for (const text of [
    "/",
    "/profiles?query=checkout%7Benv%3D%22prod%22%7D&type=cpu&from=now-6h",
    "/profiles?zoom=a&zoom=b%3B+c&search=%2Fx%2F&invert=1",
    "/compare?before=a&before_from=1&before_to=2&normalise=1",
  ])
    assert.equal(formatUrl(at(text)), text);
});

test("unknown_and_invalid_parameters_are_ignored", () => {
  const state = at("/profiles?view=nonsense&layout=%3Cscript%3E&unknown=1&invert=yes");
  assert.equal(state.view, "both");
  assert.equal(state.layout, "icicle");
  assert.equal(state.invert, false);
  assert.equal(at("/nowhere").path, "/");
});

test("an_address_of_prometheus_is_an_expression_of_metrics", () => {
  const address = "/graph?g0.expr=rate(x%5B5m%5D)+%3E+1&g0.tab=1&g1.expr=&g2.expr=up";
  const state = at(address);
  assert.equal(state.path, "/promql");
  assert.deepEqual(state.expr, ["rate(x[5m]) > 1", "up"]);
  assert.deepEqual(at(formatUrl(state)), state);
  assert.equal(formatUrl(at("/graph")), "/promql");
});

const every =
  "/profiles?query=a&type=cpu&from=1&to=2&by=pod&span=1&trace=2&children=1&most=9&zoom=f&search=x&function=g" +
  "&sort=-total&focus=f&ignore=i&hide=h&invert=1&group=file&view=table&live=1&layout=flame&colour=kind" +
  "&collapse=both&time_from=1&time_to=2&phase_step=3&phase_from=1&phase_to=2";
const both =
  "/compare?query=a&before=b&before_from=1&before_to=2&normalise=1&palette=bluered&show=table&kind=new&of=total&changes=name&focus=f";

test("a_link_to_another_view_keeps_only_its_parameters", () => {
  const to = (text: string, path: State["path"]) => formatUrl(nextState(at(text), { path }, {}));
  assert.equal(formatUrl(at(every)).split("&").length, every.split("&").length);
  assert.equal(to(every, "/"), "/?type=cpu&from=1&to=2&live=1");
  assert.equal(to(every, "/status"), "/status");
  assert.equal(
    to(every, "/traces"),
    "/traces?query=a&type=cpu&from=1&to=2&span=1&trace=2&children=1&most=9&zoom=f&function=g&focus=f&ignore=i" +
      "&hide=h&invert=1&group=file&layout=flame&colour=kind",
  );
  assert.equal(to(both, "/profiles"), "/profiles?query=a&focus=f");
  assert.equal(
    formatUrl(nextState(at(every), { ...fresh, path: "/traces", trace: "3" }, {})),
    "/traces?query=a&type=cpu&from=1&to=2&trace=3&invert=1&group=file&layout=flame&colour=kind",
  );
});

test("parameters_of_other_views_are_dropped", () => {
  assert.equal(
    formatUrl(at("/traces?search=x&normalise=1&before=b&live=1&time_from=1")),
    "/traces",
  );
  for (const path of paths) assert.deepEqual(scoped(at(path)), at(path));
});

test("the_selection_survives_a_view_without_selection", () => {
  const last = { query: "a", type: "cpu", from: "1", to: "2", layout: "flame" as const };
  assert.equal(
    formatUrl(nextState(at("/status"), { path: "/profiles" }, last)),
    "/profiles?query=a&type=cpu&from=1&to=2&layout=flame",
  );
  assert.equal(
    formatUrl(nextState(at("/?type=heap"), { path: "/profiles" }, last)),
    "/profiles?query=a&type=heap&layout=flame",
  );
  assert.equal(
    formatUrl(nextState(at("/status"), { path: "/profiles", query: "b", type: "" }, last)),
    "/profiles?query=b&from=1&to=2&layout=flame",
  );
});
