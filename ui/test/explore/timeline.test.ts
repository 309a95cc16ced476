// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "../tap";
import { SeriesAnswer } from "../../src/api/types";
import { linesOf } from "../../src/explore/lines";
import { chartStep, pageTime } from "../../src/explore/moment";
import { firstQuestions } from "../../src/explore/questions";
import { parseUrl } from "../../src/url";

const answer = (rows: SeriesAnswer["rows"], gauge = false): SeriesAnswer => ({ type: "t", unit: "count", gauge, from: 0, to: 60_000, step: 15_000, start: 15_000, rows });

test("points_lie_on_one_axis_and_what_is_missing_is_nothing", () => {
  const { times, lines } = linesOf(answer([{ labels: {}, total: 3, points: [[15_000, 1], [60_000, 2]] }]), "");
  assert.deepEqual(times, [15, 30, 45, 60]);
  assert.deepEqual(lines[0].values, [1, 0, 0, 2]);
});

test("a_gauge_without_data_is_unknown_not_zero", () => {
  const { lines } = linesOf(answer([{ labels: {}, total: 3, points: [[30_000, 7]] }], true), "");
  assert.deepEqual(lines[0].values, [null, 7, null, null]);
});

test("beyond_ten_lines_the_rest_is_added_up", () => {
  const rows = Array.from({ length: 13 }, (_, i) => ({ labels: { pod: `p${i}` }, total: 20 - i, points: [[15_000, 20 - i]] as [number, number][] }));
  const { lines } = linesOf(answer(rows), "pod");
  assert.equal(lines.length, 11);
  assert.equal(lines[10].label, "3 more");
  assert.equal(lines[10].values[0], 10 + 9 + 8);
  assert.equal(lines[10].total, 27);
});

test("steps_are_round_and_not_below_what_senders_report", () => {
  assert.equal(chartStep(0, 3600e3, 300), "15s");
  assert.equal(chartStep(0, 86400e3, 300), "300s");
  assert.equal(chartStep(0, 30 * 86400e3, 300), "21600s");
});

test("a_link_tells_what_is_asked_first", () => {
  const of = (path: string) => firstQuestions(parseUrl(new URL(`http://localhost${path}`)));
  const range = `from=${pageTime - 3600e3}&to=${pageTime}`;
  assert.deepEqual(of("/profiles?query=a&zoom=f&zoom=g&hide=x"), [
    `/api/v1/flame?query=a&${range}&hide=x&path=f&path=g&nearest=1&max_nodes=20000`,
    `/api/v1/top?query=a&${range}&hide=x&n=10000`,
    `/api/v1/types?query=a&${range}`,
    `/api/v1/labels?query=a&${range}`,
    `/api/v1/services?${range}`,
    `/api/v1/series?query=a&${range}&step=15s`,
  ]);
  assert.deepEqual(of("/profiles?query=a&view=table&trace=1"), [
    `/api/v1/top?query=a&${range}&trace=1&n=10000`,
    `/api/v1/types?query=a&${range}`,
    `/api/v1/labels?query=a&${range}`,
    `/api/v1/services?${range}`,
  ]);
  assert.deepEqual(of("/compare?query=a"), []);
  assert.deepEqual(of("/"), [`/api/v1/services?${range}`]);
  assert.deepEqual(of("/profiles?file=1&view=flame"), ["/api/v1/flame?file=1&max_nodes=20000", "/api/v1/types?file=1", "/api/v1/labels?file=1"]);
});
