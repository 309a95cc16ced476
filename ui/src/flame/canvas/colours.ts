// SPDX-License-Identifier: Apache-2.0
// Colours of frames. They are computed in OKLCH, where all hues of one lightness are equally
// bright, so that one text colour has a contrast of at least 4.5:1 on all of them, in both themes
// (tested).
import { Frame, Kind, kindOf, kinds, moduleOf, packageOf } from "../model/frame_kinds";
import type { Tree } from "../model/tree";

export type Theme = "light" | "dark";
export type Colouring = "module" | "package" | "kind" | "name" | "root" | "diff";
export type Palette = "redgreen" | "bluered";

export type Rgb = readonly [number, number, number];

export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const byte = (linear: number) => {
    const x = Math.min(1, Math.max(0, linear));
    return Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  };
  return [
    byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    byte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export const cssOf = ([r, g, b]: Rgb) => `rgb(${r} ${g} ${b})`;

// A colour in the layout of an ImageData pixel, on a little-endian machine.
export type Packed = number;
export const packed = ([r, g, b]: Rgb): Packed => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
export const unpacked = (pixel: Packed): Rgb => [
  pixel & 255,
  (pixel >>> 8) & 255,
  (pixel >>> 16) & 255,
];

// Parse "#rrggbb", the format of the style sheet's variables; other texts yield grey.
export function rgbOfHex(text: string): Rgb {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  return found
    ? [parseInt(found[1], 16), parseInt(found[2], 16), parseInt(found[3], 16)]
    : [128, 128, 128];
}

export function contrast(one: Rgb, two: Rgb): number {
  const luminance = (rgb: Rgb) => {
    const [r, g, b] = rgb.map((v) =>
      v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [low, high] = [luminance(one), luminance(two)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// ---- colours that all colourings share ----

interface Inks {
  text: Rgb;
  softText: Rgb; // text of frames that do not match the search
  quiet: Rgb; // callers of the zoomed frame
  faded: Rgb; // frames that do not match the search
  block: { lightness: number; chroma: number; spread: number };
}

export const inks: Record<Theme, Inks> = {
  light: {
    text: [20, 27, 36],
    softText: [86, 98, 115],
    quiet: [226, 230, 236],
    faded: [236, 239, 243],
    block: { lightness: 0.83, chroma: 0.092, spread: 0.022 },
  },
  dark: {
    text: [238, 243, 248],
    softText: [154, 167, 182],
    quiet: [51, 61, 73],
    faded: [34, 42, 52],
    block: { lightness: 0.435, chroma: 0.082, spread: 0.02 },
  },
};

export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  const end = Math.min(text.length, 500);
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}

const hueCount = 36;

// `variant` (0, 1, 2) changes the lightness slightly, so that adjacent frames of one group can be
// distinguished.
export function blockColour(theme: Theme, hue: number, variant: number, strength = 1): Rgb {
  const { lightness, chroma, spread } = inks[theme].block;
  return oklch(lightness + (variant - 1) * spread, chroma * strength, hue);
}

const kindHues: Record<Kind, number> = {
  kernel: 45,
  native: 255,
  rust: 25,
  go: 205,
  jvm: 145,
  python: 90,
  js: 110,
  ruby: 5,
  php: 285,
  dotnet: 310,
  beam: 335,
  other: 230,
};

export function kindColour(theme: Theme, kind: Kind, variant = 1): Rgb {
  return blockColour(theme, kindHues[kind], variant, kind === "other" ? 0.25 : 1);
}

export function groupColour(theme: Theme, group: string, variant = 1): Rgb {
  const hash = hashOf(group);
  return blockColour(
    theme,
    ((hash % hueCount) * 360) / hueCount,
    variant,
    hash & 0x10000 ? 1.15 : 0.8,
  );
}

const groupings: { [C in Colouring]?: (frame: Frame) => string } = {
  kind: kindOf,
  package: packageOf,
  module: moduleOf,
};
export const groupOfFrame = (colouring: Colouring): ((frame: Frame) => string) =>
  groupings[colouring] ?? ((frame) => frame.name);

// by the names of a tree
const groupsByNames = new WeakMap<readonly string[], Map<Colouring, string[]>>();

function knownGroups(names: readonly string[], colouring: Colouring): string[] {
  const of = groupsByNames.get(names) ?? new Map<Colouring, string[]>();
  const known = of.get(colouring) ?? new Array<string>(names.length);
  groupsByNames.set(names, of.set(colouring, known));
  return known;
}

// Return the function from a name to its group. Groups are cached for the graph and its legend.
export function grouper(tree: Tree, colouring: Colouring): (name: number) => string {
  const { roots } = tree;
  if (colouring === "root" && roots) return (name) => roots[name];
  const grouping = groupings[colouring];
  if (!grouping) return (name) => tree.names[name];
  const known = knownGroups(tree.names, colouring);
  return (name) =>
    (known[name] ??= grouping({
      name: tree.names[name],
      file: tree.files[name] ?? "",
      module: tree.modules[name] ?? "",
    }));
}

export function colourOfGroup(theme: Theme, colouring: Colouring, group: string, variant = 1): Rgb {
  return colouring === "kind"
    ? kindColour(
        theme,
        (kinds as readonly string[]).includes(group) ? (group as Kind) : "other",
        variant,
      )
    : groupColour(theme, group, variant);
}

// ---- differences ----

// Return the relative change: -1 (gone) to 1 (new); 0: unchanged.
export function changeOf(before: number, after: number): number {
  const most = Math.max(Math.abs(before), Math.abs(after));
  return most ? Math.max(-1, Math.min(1, (after - before) / most)) : 0;
}

// Return how certain it is that numbers of samples differ: 0 within two standard errors, 1 beyond
// six. `ratio`: of the values of one sample.
export function certaintyOf(before: number, after: number, ratio: number): number {
  const [c0, c1] = [Math.abs(before) + 0.5, Math.abs(after) + 0.5];
  const errors = Math.abs(Math.log((c1 / c0) * ratio)) / Math.sqrt(1 / c0 + 1 / c1);
  return Math.max(0, Math.min(1, (errors - 2) / 4));
}

export function changeColour(theme: Theme, palette: Palette, change: number): Rgb {
  const hue = palette === "redgreen" ? (change > 0 ? 25 : 150) : change > 0 ? 45 : 255;
  const strength = Math.abs(change) < 0.005 ? 0 : 0.25 + 0.75 * Math.abs(change) ** 0.7;
  return theme === "light"
    ? oklch(0.91 - 0.17 * strength, 0.005 + 0.135 * strength, hue)
    : oklch(0.36 + 0.11 * strength, 0.008 + 0.13 * strength, hue);
}

const changeSteps = 20; // in each direction

export interface Painter {
  colour(node: number): Packed;
}

// Return the colours by node. They are computed on first use, because a screen shows a small part
// of all names.
export function painterOf(
  tree: Tree,
  colouring: Colouring,
  palette: Palette,
  theme: Theme,
  normalise: boolean,
  grain?: { before: number; after: number },
): Painter {
  const quiet = packed(inks[theme].quiet);
  const { beforeTotal } = tree;
  if (colouring === "diff" && beforeTotal) {
    const steps = Array.from({ length: 2 * changeSteps + 1 }, (_, i) =>
      packed(changeColour(theme, palette, (i - changeSteps) / changeSteps)),
    );
    const before = normalise && tree.beforeGrandTotal ? tree.grandTotal / tree.beforeGrandTotal : 1;
    const certainty = (node: number) =>
      grain
        ? certaintyOf(beforeTotal[node] / grain.before, tree.total[node] / grain.after, ratio)
        : 1;
    // of two equal numbers of samples, after and before the scaling
    const ratio = grain ? grain.after / (grain.before * before) : 1;
    return {
      colour: (node) =>
        steps[
          Math.round(
            changeOf(beforeTotal[node] * before, tree.total[node]) * certainty(node) * changeSteps,
          ) + changeSteps
        ],
    };
  }
  const colours = new Uint32Array(tree.names.length); // 0: not computed yet
  const groupOf = grouper(tree, colouring);
  const make = (name: number) => {
    // A function without a group is coloured by its name.
    const group = groupOf(name) || tree.names[name];
    return (colours[name] = packed(
      colourOfGroup(theme, colouring, group, hashOf(tree.names[name]) % 3),
    ));
  };
  return {
    colour: (node) =>
      tree.name[node] < 0 ? quiet : colours[tree.name[node]] || make(tree.name[node]),
  };
}
