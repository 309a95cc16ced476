// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { instantRows, labelColumns, queryLetter } from "../../src/promql/InstantTable";
import { macroValues, withMacros } from "../../src/promql/macros";
import { seriesColour, stackedValues } from "../../src/promql/MetricChart";
import {
  chartData,
  distinctLabels,
  durationText,
  legendText,
  maxSeries,
  PromAnswer,
  promErrorPlace,
  secondsOf,
  seriesName,
  stepsOf,
  summaryOf,
} from "../../src/promql/prom_answer";
import { test } from "../tap";

const matrix = (
  ...result: { metric: Record<string, string>; values: [number, string][] }[]
): PromAnswer => ({
  data: { resultType: "matrix", result },
});

test("chart of metrics: steps are round and begin at multiples", () => {
  const steps = stepsOf(1_000_003_000, 1_003_603_000, 1200);
  assert.deepEqual(steps, { from: 1000010, to: 1003600, step: 10 });
  assert.equal(stepsOf(0, 3600_000, 1200, 60).step, 60);
  assert.equal(stepsOf(0, 30 * 86400_000, 1200).step, 7200);
  // never more points than the server answers
  const fine = stepsOf(0, 86400_000, 1200, 1);
  assert.ok((fine.to - fine.from) / fine.step <= 11_000);
});

test("chart of metrics: a step without a value is a gap, NaN and Inf too", () => {
  const steps = { from: 100, to: 140, step: 10 };
  const data = chartData(
    [
      matrix(
        { metric: { job: "a" }, values: [[100, "1"], [120, "NaN"], [130, "4"], [140, "+Inf"]] },
      ),
    ],
    steps,
  );
  assert.deepEqual(data.times, [100, 110, 120, 130, 140]);
  assert.deepEqual(data.series[0].values, [1, null, null, 4, null]);
});

test("chart of metrics: at most 100 series are drawn, and all are counted", () => {
  const all = Array.from({ length: 130 }, (_, i) => ({
    metric: { i: String(i) },
    values: [[0, "1"]] as [number, string][],
  }));
  const data = chartData([matrix(...all)], { from: 0, to: 10, step: 10 });
  assert.equal(data.series.length, maxSeries);
  assert.equal(data.total, 130);
});

test("chart of metrics: names show what distinguishes the series", () => {
  const labels = [
    { __name__: "up", job: "a", env: "x" },
    { __name__: "up", job: "b", env: "x" },
  ];
  const only = distinctLabels(labels);
  assert.deepEqual([...only], ["job"]);
  assert.equal(seriesName(labels[0], only), "a");
  assert.equal(seriesName(labels[0]), 'up{job="a", env="x"}');
  assert.equal(seriesName(labels[0], distinctLabels([labels[0]])), 'up{job="a", env="x"}');
  assert.equal(seriesName({ span: "a" }, distinctLabels([{ span: "a" }])), "a");
  assert.equal(seriesName({}), "value");
  assert.equal(seriesName({ __name__: "up" }, new Set()), "up");
  assert.equal(legendText("{{job}} in {{ env }}{{none}}", labels[0]), "a in x");
});

test("chart of metrics: stacks leave out what has no value", () => {
  assert.deepEqual(stackedValues([[1, null, 3], [10, 20, null], [100, 100, 100]]), [
    [1, null, 3],
    [11, 20, null],
    [111, 120, 103],
  ]);
});

test("chart of metrics: colours of 100 series differ", () => {
  assert.equal(new Set(Array.from({ length: 100 }, (_, i) => seriesColour(i))).size, 100);
});

test("summary of a series", () => {
  assert.deepEqual(summaryOf([null, 1, 3, null]), { last: 3, mean: 2, min: 1, max: 3, sum: 4 });
  assert.equal(summaryOf([null]).last, null);
});

test("durations of PromQL", () => {
  assert.equal(secondsOf("1m30s"), 90);
  assert.equal(secondsOf("15"), 15);
  assert.equal(secondsOf("x"), 0);
  assert.equal(durationText(90), "1m30s");
  assert.equal(durationText(86400), "1d");
  assert.equal(durationText(0.5), "500ms");
});

test("the place of an error of PromQL", () => {
  assert.deepEqual(promErrorPlace(
    'invalid parameter "query": 1:6: parse error: unexpected right parenthesis',
  ), {
    line: 1,
    column: 6,
    reason: "unexpected right parenthesis",
  });
  assert.equal(promErrorPlace("out of memory"), undefined);
});

test("macros of steps and ranges", () => {
  const macros = macroValues({ from: 0, to: 3600, step: 30 }, { from: 0, to: 3600_000 });
  assert.equal(
    withMacros("rate(a[$__rate_interval]) $__interval ${__range} $job", macros),
    "rate(a[1m]) 30s 3600s $job",
  );
});

test("instant results: rows of vectors, scalars, histograms; columns of labels", () => {
  const rows = instantRows([
    {
      data: {
        resultType: "vector",
        result: [{ metric: { __name__: "up", job: "a" }, value: [1, "2.5"] }],
      },
    },
    { data: { resultType: "scalar", result: [1, "NaN"] } },
    {
      data: {
        resultType: "vector",
        result: [{ metric: { z: "1" }, histogram: [1, { count: "4", sum: "8" }] }],
      },
    },
    undefined,
  ]);
  assert.deepEqual(
    rows.map((r) => [r.query, r.value, r.text]),
    [
      [0, 2.5, ""],
      [1, NaN, "NaN"],
      [2, 4, "count 4, sum 8, 0 buckets"],
    ],
  );
  assert.deepEqual(labelColumns(rows), ["__name__", "job", "z"]);
  assert.equal(queryLetter(0) + queryLetter(25) + queryLetter(26), "AZA1");
});
