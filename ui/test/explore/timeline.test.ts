// SPDX-License-Identifier: Apache-2.0
// Tests of the timeline: lines, axes, steps, and the first queries of a view.
import assert from "node:assert/strict";
import { test } from "../tap";
import { SeriesAnswer } from "../../src/api/types";
import { linesOf } from "../../src/explore/chart_lines";
import { chartStep, pageTime } from "../../src/explore/resolve_times";
import { axisOf, stepText } from "../../src/explore/value_axis";
import { fileSpan, firstQueries } from "../../src/explore/queries";
import { parseUrl } from "../../src/url";

const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds";
const answer = (rows: SeriesAnswer["rows"], gauge = false, type = "t"): SeriesAnswer => ({
  type,
  unit: type === cpu ? "nanoseconds" : "count",
  gauge,
  from: 0,
  to: 60_000,
  step: 15_000,
  start: 15_000,
  rows,
});

test("a_bucket_begins_one_step_before_its_point_and_its_value_is_a_rate", () => {
  const { times, lines } = linesOf(
    answer([
      {
        labels: {},
        total: 3,
        points: [
          [15_000, 15],
          [60_000, 30],
        ],
      },
    ]),
    "",
  );
  assert.deepEqual(times, [0, 15, 30, 45]);
  assert.deepEqual(lines[0].values, [1, null, null, 2]); // buckets without data are null, not zero
});

test("cpu_time_is_in_cores", () => {
  const { lines } = linesOf(
    answer([{ labels: {}, total: 3, points: [[15_000, 22.5e9]] }], false, cpu),
    "",
  );
  assert.equal(lines[0].values[0], 1.5);
  const axis = axisOf({ type: cpu, unit: "nanoseconds", gauge: false });
  assert.equal(axis.caption, "CPU time, cores (CPU seconds per second)");
  assert.deepEqual([0, 0.01234, 1.5, 24].map(axis.format), ["0", "0.0123", "1.5", "24"]);
});

test("gauges_are_levels_and_other_values_are_per_second", () => {
  const { lines } = linesOf(answer([{ labels: {}, total: 3, points: [[30_000, 7]] }], true), "");
  assert.deepEqual(lines[0].values, [null, 7, null, null]);
  const text = (type: string, unit: string, gauge: boolean) =>
    axisOf({ type, unit, gauge }).format(1536);
  assert.equal(text("memory:inuse_space:bytes:space:bytes", "bytes", true), "1.50 KiB");
  assert.equal(text("memory:alloc_space:bytes:space:bytes", "bytes", false), "1.50 KiB/s");
  assert.equal(text("memory:alloc_objects:count:space:bytes", "count", false), "1,536/s");
  assert.equal(
    axisOf({ type: "memory:alloc_space:bytes:space:bytes", unit: "bytes", gauge: false }).caption,
    "Allocated bytes per second",
  );
});

test("series_beyond_ten_lines_are_summed", () => {
  const rows = Array.from({ length: 13 }, (_, i) => ({
    labels: { pod: `p${i}` },
    total: 20 - i,
    points: [[15_000, 15 * (20 - i)]] as [number, number][],
  }));
  const { lines } = linesOf(answer(rows), "pod");
  assert.equal(lines.length, 11);
  assert.equal(lines[10].label, "3 more");
  assert.equal(lines[10].values[0], 10 + 9 + 8);
  assert.equal(lines[10].total, 27);
});

test("steps_are_round_and_depend_on_the_width", () => {
  const hours = (n: number, width: number) => chartStep(0, n * 3600e3, width);
  assert.deepEqual(
    [hours(1, 1150), hours(1, 260), hours(1 / 12, 1150), hours(1 / 60, 1150)],
    ["10s", "60s", "1s", "200ms"],
  );
  assert.deepEqual(
    [hours(6, 1150), hours(24, 1150), hours(7 * 24, 1150), hours(10 * 365 * 24, 100)],
    ["60s", "300s", "1800s", "9676800s"],
  );
  assert.deepEqual([1000, 10_000, 300_000, 7_200_000, 86_400_000].map(stepText), [
    "1 s",
    "10 s",
    "5 min",
    "2 h",
    "1 d",
  ]);
});

test("the_first_queries_follow_from_the_address", () => {
  const of = (path: string) => firstQueries(parseUrl(new URL(`http://localhost${path}`)));
  const range = `from=${pageTime - 3600e3}&to=${pageTime}`;
  assert.deepEqual(of("/profiles?query=a&zoom=f&zoom=g&hide=x"), [
    `/api/v1/flame?query=a&${range}&hide=x&path=f&path=g&nearest=1&max_nodes=20000`,
    `/api/v1/top?query=a&${range}&hide=x&n=10000`,
    `/api/v1/types?query=a&${range}`,
    `/api/v1/labels?query=a&${range}`,
    `/api/v1/services?${range}`,
    `/api/v1/series?query=a&${range}&spread=1&step=10s`,
  ]);
  assert.deepEqual(of("/profiles?query=a&view=table&trace=1"), [
    `/api/v1/top?query=a&${range}&trace=1&n=10000`,
    `/api/v1/types?query=a&${range}`,
    `/api/v1/labels?query=a&${range}`,
    `/api/v1/services?${range}`,
  ]);
  assert.deepEqual(of("/compare?query=a"), []);
  assert.deepEqual(of("/profiles"), [`/api/v1/services?${range}`], "no query over all services");
  assert.deepEqual(of("/"), [`/api/v1/services?${range}`]);
  assert.deepEqual(of("/profiles?file=1&view=flame"), [
    "/api/v1/flame?file=1&max_nodes=20000",
    "/api/v1/types?file=1",
    "/api/v1/labels?file=1",
  ]);
});

test("the_range_of_a_file_has_a_margin", () => {
  assert.deepEqual(fileSpan({ from: 100_000, to: 110_000 }), { from: 99_500, to: 110_500 });
  // Unknown length: one second.
  assert.deepEqual(fileSpan({ from: 100_000, to: 100_000 }), { from: 99_950, to: 101_050 });
});
