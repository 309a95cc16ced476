// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { recipes } from "../../src/explore/FirstStart";
import { test } from "../tap";

test("at_the_usual_address_the_lines_are_short", () => {
  const lines = recipes("http://127.0.0.1:4040").map((r) => r.text);
  assert.equal(lines[0], "varve demo");
  assert.ok(lines.some((l) => l.includes("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318")));
});

test("elsewhere_every_line_says_where", () => {
  for (const { title, text } of recipes("https://profiles.example:8443")) assert.ok(text.includes("https://profiles.example:8443"), title);
});
