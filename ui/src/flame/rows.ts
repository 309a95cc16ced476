// SPDX-License-Identifier: Apache-2.0
// The frames of a row as one line of pixels. Every row is drawn from its line, stretched to its height, so a picture costs as
// many copies as it has rows, however many frames there are. What is narrower than half a pixel shares a pixel with its
// neighbours, which has the colour of the widest of the first few; they are found by their edges, without looking at each.
import type { Packed, Painter } from "./colours";
import { firstEndingAfter, Layout } from "./layout";
import type { Tree } from "./model";
import type { Matches } from "./search";

export interface RowInks {
  ground: Packed;
  quiet: Packed;
  faded: Packed;
  highlight: Packed;
  accent: Packed;
}

// What a row is painted from. Widths are the device's pixels.
export interface RowScene {
  tree: Tree;
  layout: Layout;
  painter: Painter;
  inks: RowInks;
  rows: RowPixels; // where to
  left: number; // in the unit of the layout
  right: number;
  pixelWidth: number;
  ratio: number;
  matches: Matches | null;
  selected: ReadonlySet<number> | null; // names
}

// Frames with room for more than a colour.
export interface Wide {
  node: number;
  begin: number; // pixels of the device
  end: number;
  level: number;
  faded: boolean;
  caller: boolean;
  selected: boolean;
}

const narrow = 0.5;
const looked = 4; // of the frames that share a pixel
const faint = 0.3; // what little there is in a pixel is seen
const outlined = 4; // pixels: what is narrower is filled when it is selected
const labelled = 18;

function fill(pixels: Uint32Array, colour: Packed, from: number, to: number) {
  if (to - from > 16) pixels.fill(colour, from, to);
  else for (let i = from; i < to; i++) pixels[i] = colour;
}

// The first place after `from` whose node ends to the right of `at`; it is near.
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

// The place of the widest of the first frames in [from, to).
function widestOf(layout: Layout, from: number, to: number): number {
  const { start, stop } = layout;
  const end = Math.min(to, from + looked);
  let widest = from;
  for (let place = from + 1; place < end; place++) if (stop[place] - start[place] > stop[widest] - start[widest]) widest = place;
  return widest;
}

// Between two colours; 0: the first, 256: the second. Two channels at a time.
export function mix(a: Packed, b: Packed, part: number): Packed {
  const even = (((a & 0xff00ff) * (256 - part) + (b & 0xff00ff) * part) >>> 8) & 0xff00ff;
  const odd = (((a >>> 8) & 0xff00ff) * (256 - part) + ((b >>> 8) & 0xff00ff) * part) & 0xff00ff00;
  return (even | odd) >>> 0;
}

// `line`: where its pixels begin, on both sheets.
// `caller`: the node of this level that is above the one that fills the width, or -1.
export function paintRow(scene: RowScene, level: number, caller: number, line: number, wide: Wide[]) {
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
        pixels[line + pixel] = mix(inks.ground, painter.colour(order[widestOf(layout, place, next)]), (256 * (faint + (1 - faint) * covered)) | 0);
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
    const small = inner - begin < outlined * ratio;
    const colour =
      chosen && small ? inks.accent : hit && small ? inks.highlight : faded ? inks.faded : node === caller ? inks.quiet : painter.colour(node);
    fill(pixels, colour, line + begin, line + inner);
    if (hit) fill(scene.rows.bands.pixels, inks.highlight, line + begin, line + inner);
    if (inner - begin > labelled * ratio || (chosen && !small))
      wide.push({ node, begin, end: inner, level, faded, caller: node === caller, selected: chosen });
    place++;
  }
}

// A line of pixels a row, and the canvas that they are drawn from. It is kept from picture to picture.
class Sheet {
  private readonly canvas = document.createElement("canvas");
  private readonly context: CanvasRenderingContext2D;
  private image: ImageData | null = null;
  pixels = new Uint32Array(0);

  // `opaque`: it is copied, where others are blended with what is below them.
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
  readonly bands = new Sheet(false); // what is drawn at the foot of frames that were found
}
