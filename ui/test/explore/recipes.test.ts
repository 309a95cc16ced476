// SPDX-License-Identifier: Apache-2.0
// Tests of the instructions for sending data.
import assert from "node:assert/strict";
import { recipes } from "../../src/explore/FirstStart";
import { test } from "../tap";

test("instructions_for_the_default_address_omit_it", () => {
  const lines = recipes("http://127.0.0.1:4040").map((r) => r.text);
  assert.equal(lines[0], "varve demo");
  assert.ok(lines.some((l) => l.includes("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318")));
});

test("instructions_for_other_addresses_contain_the_address", () => {
  for (const { title, text } of recipes("https://profiles.example:8443"))
    assert.ok(text.includes("https://profiles.example:8443"), title);
});
