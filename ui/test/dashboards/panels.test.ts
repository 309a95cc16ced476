// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { bucketGrid } from "../../src/dashboards/panels/heat_grid";
import { blocksOf, safeLink } from "../../src/dashboards/panels/markdown";
import { asProm, splitBy } from "../../src/dashboards/panels/panel_queries";
import { thresholdOf } from "../../src/dashboards/panels/thresholds";
import { PromAnswer } from "../../src/promql/prom_answer";
import { test } from "../tap";

const steps = { from: 100, to: 110, step: 10 };

test("heat map: classic buckets are cumulative, empty rows at the ends are left out", () => {
  const bucket = (le: string, a: string, b: string) => ({
    metric: { le },
    values: [
      [100, a],
      [110, b],
    ] as [number, string][],
  });
  const answer: PromAnswer = {
    data: {
      resultType: "matrix",
      result: [
        bucket("0.1", "0", "0"),
        bucket("0.5", "3", "1"),
        bucket("1", "3", "5"),
        bucket("+Inf", "3", "5"),
      ],
    },
  };
  const grid = bucketGrid([answer], steps)!;
  assert.equal(grid.rows, 2);
  assert.deepEqual(grid.bounds, [1, 0.5, 0.1]);
  assert.deepEqual(grid.values, [0, 3, 4, 1]); // by columns, the largest on top
  assert.equal(grid.start, 90_000);
});

test("heat map: native buckets", () => {
  const answer: PromAnswer = {
    data: {
      resultType: "matrix",
      result: [
        {
          metric: {},
          histograms: [
            [110, { count: "3", sum: "4", buckets: [[0, "1", "2", "2"], [0, "2", "4", "1"]] }],
          ],
        },
      ],
    },
  };
  const grid = bucketGrid([answer], steps)!;
  assert.deepEqual(grid.values, [0, 0, 1, 2]);
  assert.deepEqual(grid.bounds, [4, 2, 0]);
  assert.equal(bucketGrid([{ data: { resultType: "matrix", result: [] } }], steps), undefined);
});

test("text panels: blocks", () => {
  const blocks = blocksOf("# A\nb\nc\n\n- d\n- e\n1. f\n```\n<x>\n```\ng");
  assert.deepEqual(
    blocks.map((b) => [b.kind, b.lines]),
    [
      ["heading", ["A"]],
      ["paragraph", ["b", "c"]],
      ["list", ["d", "e"]],
      ["numbered", ["f"]],
      ["code", ["<x>"]],
      ["paragraph", ["g"]],
    ],
  );
});

test("text panels: links lead to http(s) or paths of this server only", () => {
  assert.equal(safeLink("https://a.example/b"), "https://a.example/b");
  assert.equal(safeLink("/dashboards?dashboard=a"), "/dashboards?dashboard=a");
  for (
    const bad of [
      "javascript:alert(1)",
      "data:text/html,x",
      "//evil.example",
      "vbscript:x",
      "JAVASCRIPT:x",
    ]
  )
    assert.equal(safeLink(bad), undefined, bad);
});

test("thresholds: the largest that is not above the value", () => {
  const list = [
    { from: 0, colour: "good" },
    { from: 10, colour: "bad" },
    { from: 5, colour: "warn" },
  ] as const;
  assert.equal(thresholdOf(4, list as never), "good");
  assert.equal(thresholdOf(5, list as never), "warn");
  assert.equal(thresholdOf(99, list as never), "bad");
  assert.equal(thresholdOf(-1, list as never), "plain");
  assert.equal(thresholdOf(null, list as never), "plain");
});

test("panels of profiles: selector and label, and values per second", () => {
  assert.deepEqual(splitBy('{a="b"} by (pod)'), { selector: '{a="b"}', by: "pod" });
  assert.deepEqual(splitBy("shop"), { selector: "shop", by: "" });
  const answer = asProm({
    type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    unit: "nanoseconds",
    gauge: false,
    from: 0,
    to: 10_000,
    step: 10_000,
    start: 10_000,
    rows: [{ labels: {}, total: 5e9, points: [[0, 5e9]] }],
  });
  assert.deepEqual(answer?.data.result, [{ metric: {}, values: [[0, "0.5"]] }]); // cores
});
