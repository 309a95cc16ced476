// SPDX-License-Identifier: Apache-2.0
// Tests of the formatting of values.
import assert from "node:assert/strict";
import { test } from "../tap";
import {
  formatChange,
  formatCount,
  formatShare,
  formatValue,
  tickSteps,
} from "../../src/base/units";

// The same table as in tests/cli/terminal/units_test.c: pages and command line format values in the
// same way.
test("values_are_formatted_as_by_the_command_line", () => {
  const rows: [number, string, string][] = [
    [0, "nanoseconds", "0 ns"],
    [999, "nanoseconds", "999 ns"],
    [1234, "nanoseconds", "1.23 us"],
    [1500000, "nanoseconds", "1.50 ms"],
    [999960000, "nanoseconds", "1.00 s"],
    [59000000000, "nanoseconds", "59.0 s"],
    [119000000000, "nanoseconds", "1.98 min"],
    [120000000000, "nanoseconds", "2.00 min"],
    [7200, "seconds", "2.00 h"],
    [-2500, "microseconds", "-2.50 ms"],
    [10, "milliseconds", "10.0 ms"],
    [1023, "bytes", "1023 B"],
    [512, "bytes", "512 B"],
    [1536, "By", "1.50 KiB"],
    [1234567, "count", "1,234,567"],
    [-1234, "objects", "-1,234"],
    [-123, "objects", "-123"],
    [999999, "objects", "999,999"],
    [1e15, "objects", "1,000,000,000,000,000"],
    [-0.4, "objects", "0"],
    [123, "", "123"],
    [5, "constructor", "5"],
    [-0.001, "nanoseconds", "0 ns"],
  ];
  for (const [value, unit, text] of rows)
    assert.equal(formatValue(value, unit), text, `${value} ${unit}`);
});

test("changes_have_a_sign", () => {
  assert.equal(formatChange(1500, "ns"), "+1.50 us");
  assert.equal(formatChange(-1500, "ns"), "-1.50 us");
  assert.equal(formatChange(0, "count"), "0");
});

test("the_share_of_a_zero_total_is_zero", () => {
  assert.equal(formatShare(1, 8, 2), "12.50%");
  assert.equal(formatShare(0, 0), "0.0%");
});

test("counts_have_singular_and_plural", () => {
  assert.equal(formatCount(1, "service"), "1 service");
  assert.equal(formatCount(1234, "service"), "1,234 services");
});

test("ticks_are_round_in_the_displayed_unit", () => {
  const texts = (unit: string) => tickSteps(unit)?.map((step) => formatValue(step, unit)) ?? [];
  assert.ok(texts("bytes").includes("20.0 MiB"));
  assert.ok(texts("nanoseconds").includes("5.00 s"));
  assert.deepEqual(texts("seconds").slice(0, 3), ["1.00 s", "2.00 s", "5.00 s"]);
  assert.equal(tickSteps("count"), undefined);
  for (const unit of ["bytes", "nanoseconds"]) {
    const steps = tickSteps(unit)!;
    assert.deepEqual(steps, [...steps].sort((a, b) => a - b));
  }
});
