// SPDX-License-Identifier: Apache-2.0
// Tests of the colours of frames: contrast, groups, changes.
import assert from "node:assert/strict";
import {
  blockColour,
  changeColour,
  changeOf,
  contrast,
  groupColour,
  inks,
  kindColour,
  oklch,
  Rgb,
} from "../../../src/flame/canvas/colours";
import { kinds } from "../../../src/flame/model/frame_kinds";
import { mix } from "../../../src/flame/canvas/row_pixels";
import { test } from "../../tap";

const readable = (text: Rgb, ground: Rgb, what: string) =>
  assert.ok(contrast(text, ground) >= 4.5, `${what}: ${contrast(text, ground).toFixed(2)}`);

for (const theme of ["light", "dark"] as const) {
  test(`flame/colours: text has enough contrast on every frame colour, ${theme}`, () => {
    const { text, softText, quiet, faded } = inks[theme];
    for (let hue = 0; hue < 360; hue++)
      for (const variant of [0, 1, 2])
        for (const strength of [0.25, 0.8, 1.15])
          readable(text, blockColour(theme, hue, variant, strength), `hue ${hue}`);
    for (const kind of kinds)
      for (const variant of [0, 1, 2]) readable(text, kindColour(theme, kind, variant), kind);
    for (const palette of ["redgreen", "bluered"] as const)
      for (let i = -50; i <= 50; i++)
        readable(text, changeColour(theme, palette, i / 50), `${palette} ${i}`);
    readable(text, quiet, "quiet");
    readable(softText, faded, "faded");
  });
}

test("flame/colours: a group has one colour, different groups mostly differ", () => {
  assert.deepEqual(groupColour("light", "net/http"), groupColour("light", "net/http"));
  const seen = new Set(
    ["main", "runtime", "net/http", "encoding/json", "strings", "libc.so.6"].map((g) =>
      groupColour("light", g).join(),
    ),
  );
  assert.ok(seen.size >= 5);
});

test("flame/colours: relative changes are between -1 and 1", () => {
  assert.equal(changeOf(0, 5), 1);
  assert.equal(changeOf(5, 0), -1);
  assert.equal(changeOf(0, 0), 0);
  assert.equal(changeOf(10, 5), -0.5);
  assert.equal(changeOf(-10, 10), 1); // different signs: full change
});

test("flame/colours: OKLCH is converted to known RGB values", () => {
  assert.deepEqual(oklch(1, 0, 0), [255, 255, 255]);
  assert.deepEqual(oklch(0.627955, 0.257683, 29.2339), [255, 0, 0]);
});

test("flame/colours: colours are mixed by channel", () => {
  assert.equal(mix(0xff000000, 0xffffffff, 0), 0xff000000);
  assert.equal(mix(0xff000000, 0xffffffff, 256), 0xffffffff);
  assert.equal(mix(0xff204060, 0xff406020, 128), 0xff305040);
});
