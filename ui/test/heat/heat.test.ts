// SPDX-License-Identifier: Apache-2.0
// Tests of the cells and colours of the heat map.
import assert from "node:assert/strict";
import { test } from "../tap";
import {
  Cells,
  cellsBetween,
  cellsOf,
  describe,
  holds,
  MomentsAnswer,
  move,
  noRectangle,
  partText,
  rectangleOf,
  sumOf,
} from "../../src/heat/grid";
import {
  greatestShown,
  heatColour,
  levelColour,
  levelOf,
  levels,
  lightnessOf,
} from "../../src/heat/colour_scale";

const start = 1_700_000_000_000;
const answer: MomentsAnswer = {
  type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
  unit: "nanoseconds",
  gauge: false,
  from: start,
  to: start + 4000,
  start,
  step: 1000,
  columns: 4,
  rows: 50,
  values: Array.from({ length: 200 }, (_, i) => i),
  timed: 19900,
  total: 20000,
};

test("a_rectangle_survives_the_address", () => {
  for (const cells of [
    { left: 0, right: 0, top: 0, bottom: 0 },
    { left: 1, right: 3, top: 7, bottom: 33 },
    { left: 3, right: 3, top: 49, bottom: 49 },
    { left: 0, right: 3, top: 0, bottom: 49 },
  ] satisfies Cells[])
    assert.deepEqual(cellsOf(answer, rectangleOf(answer, cells)), cells);
});

test("rows_of_fractional_milliseconds_survive_the_address", () => {
  const odd = { ...answer, rows: 7, values: new Array<number>(28).fill(1) };
  for (let top = 0; top < 7; top++)
    for (let bottom = top; bottom < 7; bottom++)
      assert.deepEqual(cellsOf(odd, rectangleOf(odd, { left: 1, right: 2, top, bottom })), {
        left: 1,
        right: 2,
        top,
        bottom,
      });
});

test("a_rectangle_has_the_parameters_of_the_api", () => {
  assert.deepEqual(rectangleOf(answer, { left: 1, right: 2, top: 10, bottom: 19 }), {
    time_from: "1700000001000",
    time_to: "1700000003000",
    phase_step: "1000",
    phase_from: "200",
    phase_to: "400",
  });
});

test("whole_columns_are_a_time_range", () => {
  assert.deepEqual(rectangleOf(answer, { left: 1, right: 1, top: 0, bottom: 49 }), {
    ...noRectangle,
    time_from: "1700000001000",
    time_to: "1700000002000",
  });
});

test("a_rectangle_outside_of_the_map_has_no_cells", () => {
  assert.equal(cellsOf(answer, noRectangle), undefined);
  assert.equal(cellsOf(answer, { ...noRectangle, time_from: "5", time_to: "6" }), undefined);
  assert.equal(cellsOf(answer, { ...noRectangle, time_from: "x", time_to: "y" }), undefined);
  assert.equal(
    cellsOf(
      { ...answer, columns: 0 },
      rectangleOf(answer, { left: 0, right: 1, top: 0, bottom: 1 }),
    ),
    undefined,
  );
  const coarse = rectangleOf({ ...answer, step: 2000 }, { left: 0, right: 0, top: 3, bottom: 4 });
  assert.deepEqual(cellsOf(answer, coarse), { left: 0, right: 1, top: 0, bottom: 49 });
});

test("the_sum_of_a_rectangle_is_the_sum_of_its_cells", () => {
  assert.equal(sumOf(answer, { left: 1, right: 1, top: 0, bottom: 1 }), 50 + 51);
  assert.equal(sumOf(answer, { left: 0, right: 3, top: 0, bottom: 49 }), answer.timed);
});

test("the_cursor_stays_within_the_map", () => {
  assert.deepEqual(move(answer, { column: 3, row: 0 }, 1, -1), { column: 3, row: 0 });
  assert.deepEqual(move(answer, { column: 3, row: 0 }, -100, 100), { column: 0, row: 49 });
  assert.deepEqual(cellsBetween({ column: 3, row: 9 }, { column: 1, row: 2 }), {
    left: 1,
    right: 3,
    top: 2,
    bottom: 9,
  });
  assert.ok(holds({ left: 1, right: 3, top: 2, bottom: 9 }, { column: 3, row: 2 }));
  assert.ok(!holds({ left: 1, right: 3, top: 2, bottom: 9 }, { column: 3, row: 1 }));
});

test("cells_are_described", () => {
  assert.match(
    describe(answer, { left: 1, right: 1, top: 2, bottom: 2 })[0],
    /:\d\d, 40 ms to 60 ms$/,
  );
  assert.equal(describe(answer, { left: 1, right: 1, top: 2, bottom: 2 })[1], "52 ns");
  assert.equal(partText(1000), "1 s");
  assert.equal(partText(0), "0 ms");
  assert.equal(partText(600_000), "10 min");
});

test("lightness_is_monotonic_in_both_themes", () => {
  for (let level = 2; level <= levels; level++) {
    assert.ok(
      lightnessOf(levelColour("light", level)) < lightnessOf(levelColour("light", level - 1)),
    );
    assert.ok(
      lightnessOf(levelColour("dark", level)) > lightnessOf(levelColour("dark", level - 1)),
    );
  }
  assert.equal(heatColour("dark", 1), levelColour("dark", levels));
});

test("zero_has_no_colour_and_small_values_have_one", () => {
  assert.equal(levelOf(0, 100), 0);
  assert.equal(levelOf(-1, 100), 0);
  assert.equal(levelOf(1, 1e12), 1);
  assert.equal(levelOf(100, 100), levels);
  assert.equal(levelOf(1e9, 100), levels);
  assert.equal(levelOf(1, 0), 0);
});

test("an_outlier_does_not_compress_the_colours", () => {
  const many = new Array<number>(1000).fill(10);
  assert.equal(greatestShown([...many, 20]), 20);
  assert.equal(greatestShown([...many, 100000]), 10);
  assert.equal(greatestShown([]), 0);
  assert.equal(greatestShown([0, 0]), 0);
});
