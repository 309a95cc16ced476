// SPDX-License-Identifier: Apache-2.0
// Tests of the formatting of frame values, of thread time, and of the scale of charts.
import assert from "node:assert/strict";
import { detailText, pointsText } from "../../../src/flame/text/numbers";
import { beyondDuration, costWord } from "../../../src/traces/thread_time";
import { greatestOf } from "../../../src/explore/chart_lines";
import { SeriesAnswer } from "../../../src/api/types";
import { test } from "../../tap";
import { treeFrom } from "../stack_tree";

test("flame/numbers: changes of shares are in percentage points", () => {
  assert.equal(pointsText(0.25, 0.5), "+25.0 pp");
  assert.equal(pointsText(0.5, 0.4957), "-0.4 pp");
  assert.equal(pointsText(0, 0.0004), "+0.040 pp");
  assert.equal(pointsText(0.1, 0.1), "0 pp");
});

test("flame/numbers: the normalised change of a frame is the change of its share", () => {
  const tree = {
    ...treeFrom({ "main;a": [50, 100], "main;b": [50, 300] }),
    beforeGrandTotal: 100,
    grandTotal: 400,
  };
  const a = [...tree.name].findIndex((name) => tree.names[name] === "a");
  assert.equal(detailText(tree, a, true), "-50.0% · -25.0 pp");
  assert.equal(detailText(tree, a, false), "+100% · +50");
});

test("traces: thread time beyond the duration is marked", () => {
  const ms = 1e6;
  assert.equal(
    beyondDuration({ total: 30 * ms, samples: 3, duration: 35 * ms }, "nanoseconds"),
    "",
  );
  assert.match(
    beyondDuration({ total: 65 * ms, samples: 3, duration: 35 * ms }, "nanoseconds"),
    /sampling error \(one sample/,
  );
  assert.match(
    beyondDuration({ total: 1420 * ms, samples: 142, duration: 794 * ms }, "nanoseconds"),
    /several threads/,
  );
  assert.equal(beyondDuration({ total: 65, samples: 3, duration: 1 }, "bytes"), "");
  assert.equal(beyondDuration({ total: 65 * ms, samples: 3 }, "nanoseconds"), "");
  assert.equal(costWord("nanoseconds"), "thread time");
  assert.equal(costWord("bytes"), "cost");
});

test("explore: the greatest value of a chart covers all lines", () => {
  const answer = {
    from: 0,
    to: 30e3,
    start: 15e3,
    step: 15e3,
    unit: "nanoseconds",
    gauge: true,
    type: "",
    rows: [
      {
        labels: {},
        total: 9,
        points: [
          [15e3, 2],
          [30e3, 7],
        ],
      },
    ],
  } as SeriesAnswer;
  assert.equal(greatestOf(answer), 7);
  assert.equal(greatestOf(undefined), 0);
});
