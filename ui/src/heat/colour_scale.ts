// SPDX-License-Identifier: Apache-2.0
// Maps values to colours. Equal steps of value are equal steps of OKLCH lightness, darker in the
// light theme and lighter in the dark one; the hue changes as well, so that colours differ in two
// ways. Zero has no colour.

export const levels = 64;

type Stop = readonly [lightness: number, chroma: number, hue: number];

const ends: Record<"light" | "dark", readonly [Stop, Stop, Stop]> = {
  light: [
    [0.93, 0.06, 85],
    [0.64, 0.19, 40],
    [0.33, 0.13, -10],
  ],
  dark: [
    [0.33, 0.1, 300],
    [0.63, 0.2, 390],
    [0.94, 0.13, 465],
  ],
};

const mix = (a: number, b: number, t: number) => a + (b - a) * t;

// Return the colour of a share (0 to 1).
export function heatColour(theme: "light" | "dark", share: number): string {
  const [low, middle, high] = ends[theme];
  const [a, b, t] = share < 0.5 ? [low, middle, share * 2] : [middle, high, share * 2 - 1];
  return `oklch(${mix(a[0], b[0], t).toFixed(3)} ${mix(a[1], b[1], t).toFixed(3)} ${((mix(a[2], b[2], t) + 360) % 360).toFixed(1)})`;
}

export const lightnessOf = (colour: string) => Number(/^oklch\(([\d.]+)/.exec(colour)?.[1]);

// Return the value of the last colour: the largest value, or the 99th percentile if a few cells are
// much larger than all others, which would leave the rest with almost one colour.
export function greatestShown(values: readonly number[]): number {
  const some = values.filter((v) => v > 0).sort((a, b) => a - b);
  if (!some.length) return 0;
  const greatest = some[some.length - 1];
  const percentile99 = some[Math.floor(0.99 * (some.length - 1))];
  return greatest > 4 * percentile99 ? percentile99 : greatest;
}

// Return the level of a value: 0 (no colour), or 1 to `levels`.
export function levelOf(value: number, greatest: number): number {
  if (!(value > 0) || !(greatest > 0)) return 0;
  return Math.max(1, Math.min(levels, Math.ceil((value / greatest) * levels)));
}

export const levelColour = (theme: "light" | "dark", level: number) =>
  heatColour(theme, (level - 1) / (levels - 1));
