// SPDX-License-Identifier: Apache-2.0
// Paints the frames of a row into one line of pixels. Each row is drawn by stretching its line to
// the row height, so the cost of drawing depends on the number of rows, not of frames. Frames
// narrower than half a pixel share a pixel, which gets the colour of the widest of the first few; a
// search over the edges skips the others.
import type { Packed, Painter } from "./colours";
import { firstEndingAfter, Layout } from "../model/layout";
import type { Tree } from "../model/tree";
import type { Matches } from "../model/search";

export interface RowInks {
  ground: Packed;
  quiet: Packed;
  faded: Packed;
  highlight: Packed;
  accent: Packed;
}

// The input of paintRow(). Widths are in device pixels.
export interface RowScene {
  tree: Tree;
  layout: Layout;
  painter: Painter;
  inks: RowInks;
  rows: RowPixels; // output
  left: number; // layout coordinates
  right: number;
  pixelWidth: number;
  ratio: number;
  matches: Matches | null;
  selected: ReadonlySet<number> | null; // name indexes
}

// A frame that is wide enough for a name or an outline.
export interface Wide {
  node: number;
  begin: number; // device pixels
  end: number;
  level: number;
  faded: boolean;
  caller: boolean;
  selected: boolean;
}

const narrow = 0.5; // pixels; narrower frames share a pixel
const maxCompared = 4; // frames of a shared pixel that are compared
const minOpacity = 0.3; // of a pixel that is covered only slightly
const minOutlined = 4; // pixels; narrower selected frames are filled
const minLabelled = 18; // pixels; narrower frames have no name

function fill(pixels: Uint32Array, colour: Packed, from: number, to: number) {
  if (to - from > 16) pixels.fill(colour, from, to);
  else for (let i = from; i < to; i++) pixels[i] = colour;
}

// Return the first index from `from` on whose node ends to the right of `at`. Gallops, because the
// index is usually near.
function nextEndingAfter(layout: Layout, from: number, to: number, at: number): number {
  const { stop } = layout;
  let step = 1;
  let low = from;
  for (let high = from; ; high += step, step *= 2) {
    if (high >= to) return firstEndingAfter(layout, low, to, at);
    if (stop[high] > at) return firstEndingAfter(layout, low, high, at);
    low = high + 1;
  }
}

// Return the index of the widest of the first frames in [from, to).
function widestOf(layout: Layout, from: number, to: number): number {
  const { start, stop } = layout;
  const end = Math.min(to, from + maxCompared);
  let widest = from;
  for (let place = from + 1; place < end; place++)
    if (stop[place] - start[place] > stop[widest] - start[widest]) widest = place;
  return widest;
}

// Mix two colours; `part` 0 is the first, 256 the second. Computes two channels at a time.
export function mix(a: Packed, b: Packed, part: number): Packed {
  const even = (((a & 0xff00ff) * (256 - part) + (b & 0xff00ff) * part) >>> 8) & 0xff00ff;
  const odd = (((a >>> 8) & 0xff00ff) * (256 - part) + ((b >>> 8) & 0xff00ff) * part) & 0xff00ff00;
  return (even | odd) >>> 0;
}

// Paint the frames of a level, and append those with room for a name or an outline to `wide`.
// `line`: index of the row's first pixel in both sheets. `caller`: the caller of the zoomed node on
// this level, or -1.
export function paintRow(
  scene: RowScene,
  level: number,
  caller: number,
  line: number,
  wide: Wide[],
) {
  const { tree, layout, painter, inks, left, matches, selected, pixelWidth, ratio } = scene;
  const { order, start, stop } = layout;
  const { pixels } = scene.rows.lines;
  const scale = pixelWidth / (scene.right - left);
  const gap = Math.max(1, Math.round(ratio));
  const to = layout.rowStart[level + 1];
  let place = firstEndingAfter(layout, layout.rowStart[level], to, left);
  while (place < to && start[place] < scene.right) {
    const from = (start[place] - left) * scale;
    const until = (stop[place] - left) * scale;
    if (until - from < narrow * ratio) {
      const pixel = Math.min(Math.max(0, Math.floor(from)), pixelWidth - 1);
      const next = nextEndingAfter(layout, place + 1, to, left + (pixel + 1) / scale);
      const hit = matches !== null && matches.before[next] > matches.before[place];
      if (hit) pixels[line + pixel] = inks.highlight;
      else if (matches) pixels[line + pixel] = inks.faded;
      else {
        const covered = Math.min(1, (stop[next - 1] - start[place]) * scale);
        pixels[line + pixel] = mix(
          inks.ground,
          painter.colour(order[widestOf(layout, place, next)]),
          (256 * (minOpacity + (1 - minOpacity) * covered)) | 0,
        );
      }
      place = next;
      continue;
    }
    const node = order[place];
    const begin = Math.min(Math.max(0, Math.round(from)), pixelWidth - 1);
    const end = Math.max(begin + 1, Math.min(pixelWidth, Math.round(until)));
    const inner = end - begin > 3 * ratio && end < pixelWidth ? end - gap : end;
    const hit = matches !== null && matches.before[place + 1] > matches.before[place];
    const faded = matches !== null && !hit;
    const chosen = selected !== null && selected.has(tree.name[node]);
    const small = inner - begin < minOutlined * ratio;
    const colour =
      chosen && small
        ? inks.accent
        : hit && small
          ? inks.highlight
          : faded
            ? inks.faded
            : node === caller
              ? inks.quiet
              : painter.colour(node);
    fill(pixels, colour, line + begin, line + inner);
    if (hit) fill(scene.rows.bands.pixels, inks.highlight, line + begin, line + inner);
    if (inner - begin > minLabelled * ratio || (chosen && !small))
      wide.push({
        node,
        begin,
        end: inner,
        level,
        faded,
        caller: node === caller,
        selected: chosen,
      });
    place++;
  }
}

// One line of pixels for each row, and the canvas they are copied from. It is reused for each
// repaint.
class Sheet {
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  pixels = new Uint32Array(0);

  // `opaque`: the pixels replace those below instead of being blended with them.
  constructor(opaque: boolean) {
    this.context = this.canvas.getContext("2d", { alpha: !opaque, willReadFrequently: true })!;
  }

  begin(width: number, rows: number, ground: Packed) {
    if (!this.image || this.image.width !== width || this.image.height < rows) {
      this.canvas.width = width;
      this.canvas.height = Math.max(1, rows);
      this.image = this.context.createImageData(width, Math.max(1, rows));
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(ground, 0, rows * width);
  }

  finish(rows: number): HTMLCanvasElement {
    this.context.putImageData(this.image!, 0, 0, 0, 0, this.image!.width, rows);
    return this.canvas;
  }
}

export class RowPixels {
  readonly lines = new Sheet(true);
  readonly bands = new Sheet(false); // bands at the bottom of matching frames
}
