// SPDX-License-Identifier: Apache-2.0
// Tests of the parsing and formatting of times.
import assert from "node:assert/strict";
import { test } from "../tap";
import { formatAge, formatRange, timeOf } from "../../src/base/time";

test("times_are_parsed_as_by_the_server", () => {
  const now = 1_700_000_000_000;
  assert.equal(timeOf("now", now), now);
  assert.equal(timeOf("now-1h", now), now - 3600e3);
  assert.equal(timeOf("now-7d", now), now - 7 * 86400e3);
  assert.equal(timeOf("1700000000000", now), now);
  assert.equal(timeOf("2023-11-14T22:13:20Z", now), now);
  assert.ok(Number.isNaN(timeOf("yesterday", now)));
});

test("ranges_are_formatted_with_words_or_times", () => {
  assert.equal(formatRange({ from: "now-1h", to: "now" }), "Last hour");
  assert.equal(formatRange({ from: "now-90m", to: "now" }), "Last 90 minutes");
  assert.match(
    formatRange({ from: "1700000000000", to: "1700003600000" }),
    /^2023-11-1\d \d\d:\d\d:\d\d – \d\d/,
  );
  const now = new Date(2026, 10, 15, 15, 5, 30).getTime();
  assert.equal(formatRange({ from: "now-3h", to: "now-2h" }, now), "12:05 – 13:05");
  assert.equal(formatRange({ from: "now-25h", to: "now-24h" }, now), "2026-11-14 14:05 – 15:05");
  assert.equal(
    formatRange({ from: "now-25h", to: "now-1h" }, now),
    "2026-11-14 14:05 – 2026-11-15 14:05",
  );
  assert.equal(
    formatRange({ from: String(now - 60_400), to: String(now + 300) }, now),
    "15:04:30 – 15:05:30",
  );
  assert.equal(
    formatRange({ from: String(now - 400), to: String(now) }, now),
    "15:05:29.600 – 15:05:30",
  );
  assert.equal(formatRange({ from: "nonsense", to: "now" }), "nonsense to now");
});

test("ages_are_formatted", () => {
  assert.equal(formatAge(0, 3000), "now");
  assert.equal(formatAge(0, 60_000), "1 minute ago");
  assert.equal(formatAge(0, 7200_000), "2 hours ago");
});
