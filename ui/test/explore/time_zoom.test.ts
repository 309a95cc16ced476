// SPDX-License-Identifier: Apache-2.0
// Tests of the zoom of the time range.
import assert from "node:assert/strict";
import { test } from "../tap";
import { zoomIn, zoomOut } from "../../src/explore/time_zoom";

const now = 1_800_000_000_000;

test("zoom_out_after_a_drag_restores_the_outer_range", () => {
  const hour = { from: "now-1h", to: "now" };
  const inner = zoomIn(hour, now - 2000e3, now - 1000e3);
  const innermost = zoomIn(inner, now - 1900e3, now - 1900e3);
  // At least one second.
  assert.deepEqual(innermost, { from: String(now - 1900e3), to: String(now - 1899e3) });
  assert.deepEqual(zoomOut(innermost, now), inner);
  assert.deepEqual(zoomOut(inner, now), hour);
});

test("zoom_out_of_other_ranges_doubles_the_length", () => {
  assert.deepEqual(zoomOut({ from: "now-1h", to: "now" }, now), { from: "now-2h", to: "now" });
  assert.deepEqual(zoomOut({ from: "1000000", to: "2000000" }, now), {
    from: "500000",
    to: "2500000",
  });
  assert.deepEqual(
    zoomOut({ from: String(now - 1000e3), to: String(now - 100e3) }, now),
    { from: String(now - 1450e3), to: String(now) },
    "not into the future",
  );
  assert.deepEqual(zoomOut({ from: "nonsense", to: "now" }, now), { from: "nonsense", to: "now" });
});
