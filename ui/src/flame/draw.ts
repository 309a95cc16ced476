// SPDX-License-Identifier: Apache-2.0
// A picture of what is on the screen and of nothing else: the rows that are scrolled to, in each the frames between the left
// and the right edge, and where frames are narrower than half a pixel one block for all of them, found without looking at each.
import type { Painter } from "./colours";
import { firstEndingAfter, Layout } from "./layout";
import { nameOf, Tree } from "./model";
import type { Matches } from "./search";
import { cleanName, Ruler, shortName } from "./text";

export interface Inks {
  ground: string;
  text: string;
  softText: string;
  quiet: string;
  faded: string;
  narrow: string;
  highlight: string;
  accent: string;
  outline: string;
}

export interface Scene {
  tree: Tree;
  layout: Layout;
  painter: Painter;
  inks: Inks;
  ruler: Ruler;
  font: string;
  left: number; // in the unit of the layout: what is at the left edge, and at the right
  right: number;
  width: number; // pixels
  height: number;
  ratio: number; // of the device's pixels to these
  scroll: number;
  rowHeight: number;
  ancestors: readonly string[]; // rows above the tree's root
  upsideDown: boolean; // the root is at the bottom
  zoom: number; // the node that fills the width; its callers are drawn quietly
  matches: Matches | null;
  selected: ReadonlySet<number> | null; // names
  hover: number; // nodes, -1: none
  focus: number;
  plain: boolean; // without names and lines between the rows: a small picture
  rootName: string;
  detail(node: number): string; // what is written after a name where there is room
}

const narrow = 0.5;
const padding = 4;

const blockHeight = (scene: Scene) => scene.rowHeight - (scene.plain ? 0 : 1);

export const rowCount = (scene: Scene) => scene.ancestors.length + scene.layout.depth;

// The top of a row; rows are counted from the real root.
export function rowTop(scene: Pick<Scene, "ancestors" | "layout" | "upsideDown" | "rowHeight" | "scroll" | "height">, row: number): number {
  const rows = scene.ancestors.length + scene.layout.depth;
  if (!scene.upsideDown) return row * scene.rowHeight - scene.scroll;
  // A picture that is lower than its place stands on the ground.
  const rest = Math.max(0, scene.height - rows * scene.rowHeight);
  return rest + (rows - 1 - row) * scene.rowHeight - scene.scroll;
}

export function rowAt(scene: Scene, y: number): number {
  const row = Math.floor((y - rowTop(scene, 0)) / scene.rowHeight);
  return scene.upsideDown ? -row : row;
}

export const pixelsPerUnit = (scene: Pick<Scene, "left" | "right" | "width">) =>
  scene.right > scene.left ? scene.width / (scene.right - scene.left) : 0;

export function draw(canvas: CanvasRenderingContext2D, scene: Scene) {
  canvas.setTransform(scene.ratio, 0, 0, scene.ratio, 0, 0);
  canvas.fillStyle = scene.inks.ground;
  canvas.fillRect(0, 0, scene.width, scene.height);
  canvas.font = scene.font;
  canvas.textBaseline = "middle";
  canvas.direction = "ltr";
  const callers = callersOf(scene);
  for (let row = 0; row < rowCount(scene); row++) {
    const top = rowTop(scene, row);
    if (top + scene.rowHeight < 0 || top > scene.height) continue;
    if (row < scene.ancestors.length) drawAncestor(canvas, scene, row, top);
    else drawRow(canvas, scene, row - scene.ancestors.length, top, callers);
  }
  drawMarks(canvas, scene);
}

// By level: the node above the one that fills the width.
function callersOf(scene: Scene): Int32Array {
  const { tree, zoom } = scene;
  const callers = new Int32Array(scene.layout.depth).fill(-1);
  for (let node = zoom > 0 ? tree.parent[zoom] : -1; node >= 0; node = tree.parent[node]) callers[tree.level[node]] = node;
  return callers;
}

function drawAncestor(canvas: CanvasRenderingContext2D, scene: Scene, row: number, top: number) {
  canvas.fillStyle = scene.inks.quiet;
  canvas.fillRect(0, top, scene.width, blockHeight(scene));
  const name = scene.ancestors[row] || scene.rootName;
  const text = scene.ruler.fit(cleanName(name), scene.width - 2 * padding);
  if (scene.plain) return;
  canvas.fillStyle = scene.inks.text;
  canvas.fillText(text, padding, top + scene.rowHeight / 2);
}

// Edges lie on the device's pixels, so that the lines between frames are sharp.
const snap = (scene: Scene, value: number) => Math.round(value * scene.ratio) / scene.ratio;

function drawRow(canvas: CanvasRenderingContext2D, scene: Scene, level: number, top: number, callers: Int32Array) {
  const { layout, left, right } = scene;
  const scale = pixelsPerUnit(scene);
  const to = layout.rowStart[level + 1];
  let place = firstEndingAfter(layout, layout.rowStart[level], to, left);
  while (place < to) {
    const node = layout.order[place];
    const start = layout.x[node];
    if (start >= right) break;
    if (layout.width[node] * scale >= narrow) {
      drawFrame(canvas, scene, place, top, node === callers[level]);
      place++;
    } else place = drawNarrow(canvas, scene, place, to, top);
  }
}

// One block for a run of narrow frames without a gap; returns the place after it.
function drawNarrow(canvas: CanvasRenderingContext2D, scene: Scene, from: number, to: number, top: number): number {
  const { layout, matches } = scene;
  const scale = pixelsPerUnit(scene);
  const begin = layout.x[layout.order[from]];
  let end = begin;
  let place = from;
  while (place < to) {
    const node = layout.order[place];
    if (layout.width[node] * scale >= narrow || (layout.x[node] - end) * scale > narrow || layout.x[node] > scene.right) break;
    // All that ends within this half of a pixel looks like its first one.
    end = Math.max(layout.x[node] + layout.width[node], begin);
    const next = firstEndingAfter(layout, place + 1, to, layout.x[node] + narrow / scale);
    const last = layout.order[next - 1];
    end = layout.x[last] + layout.width[last];
    place = next;
  }
  const x = (begin - scene.left) * scale;
  const hit = matches !== null && matches.before[place] > matches.before[from];
  canvas.fillStyle = hit ? scene.inks.highlight : matches ? scene.inks.faded : scene.inks.narrow;
  canvas.fillRect(x, top, Math.max((end - begin) * scale, hit ? 1 : narrow), blockHeight(scene));
  return place;
}

function drawFrame(canvas: CanvasRenderingContext2D, scene: Scene, place: number, top: number, caller: boolean) {
  const { layout, inks, matches } = scene;
  const node = layout.order[place];
  const scale = pixelsPerUnit(scene);
  const begin = snap(scene, Math.max((layout.x[node] - scene.left) * scale, 0));
  const end = snap(scene, Math.min((layout.x[node] + layout.width[node] - scene.left) * scale, scene.width));
  const gap = end - begin > 3 && end < scene.width ? 1 : 0;
  const width = Math.max(end - begin - gap, narrow);
  const hit = matches !== null && matches.before[place + 1] > matches.before[place];
  const faded = matches !== null && !hit;
  canvas.fillStyle = faded ? inks.faded : caller ? inks.quiet : scene.painter.fill(node);
  canvas.fillRect(begin, top, width, blockHeight(scene));
  if (hit) {
    canvas.fillStyle = inks.highlight;
    if (width < 4) canvas.fillRect(begin, top, width, blockHeight(scene));
    else canvas.fillRect(begin, top + scene.rowHeight - 4, width, 3);
  }
  if (width > 18 && !scene.plain) drawName(canvas, scene, node, begin + padding, width - 2 * padding, top, faded);
}

function drawName(canvas: CanvasRenderingContext2D, scene: Scene, node: number, x: number, room: number, top: number, faded: boolean) {
  const { ruler, tree } = scene;
  const name = tree.name[node] < 0 ? scene.rootName : cleanName(nameOf(tree, node));
  const width = ruler.width(name, room);
  const text = width <= room ? name : ruler.fit(shortName(name), room);
  if (!text) return;
  const middle = top + scene.rowHeight / 2;
  canvas.fillStyle = faded ? scene.inks.softText : scene.inks.text;
  canvas.fillText(text, x, middle);
  if (width + 60 > room) return;
  const detail = scene.detail(node);
  if (width + 12 + ruler.width(detail) <= room) {
    canvas.globalAlpha = faded ? 1 : 0.8;
    canvas.fillText(detail, x + width + 12, middle);
    canvas.globalAlpha = 1;
  }
}

// ---- what is pointed at, selected, focused ----

function outline(canvas: CanvasRenderingContext2D, scene: Scene, node: number, colour: string, line: number) {
  const scale = pixelsPerUnit(scene);
  const begin = Math.max((scene.layout.x[node] - scene.left) * scale, 0);
  const end = Math.min((scene.layout.x[node] + scene.layout.width[node] - scene.left) * scale, scene.width);
  if (end < 0 || begin > scene.width) return;
  const top = rowTop(scene, scene.ancestors.length + scene.tree.level[node]);
  const width = Math.max(end - begin, 3);
  canvas.strokeStyle = colour;
  canvas.lineWidth = line;
  canvas.strokeRect(Math.min(begin, scene.width - 3) + line / 2, top + line / 2, width - line, scene.rowHeight - 1 - line);
}

function drawMarks(canvas: CanvasRenderingContext2D, scene: Scene) {
  if (scene.selected?.size) drawSelected(canvas, scene);
  if (scene.hover >= 0) outline(canvas, scene, scene.hover, scene.inks.outline, 1.5);
  if (scene.focus >= 0) {
    outline(canvas, scene, scene.focus, scene.inks.ground, 4);
    outline(canvas, scene, scene.focus, scene.inks.accent, 2.5);
  }
}

// Every frame of the function that is wide enough to be seen.
function drawSelected(canvas: CanvasRenderingContext2D, scene: Scene) {
  const { layout, tree } = scene;
  const scale = pixelsPerUnit(scene);
  for (let level = 0; level < layout.depth; level++) {
    const top = rowTop(scene, scene.ancestors.length + level);
    if (top + scene.rowHeight < 0 || top > scene.height) continue;
    const to = layout.rowStart[level + 1];
    let place = firstEndingAfter(layout, layout.rowStart[level], to, scene.left);
    while (place < to && layout.x[layout.order[place]] < scene.right) {
      const node = layout.order[place];
      if (layout.width[node] * scale >= 1) {
        if (scene.selected!.has(tree.name[node])) outline(canvas, scene, node, scene.inks.accent, 2);
        place++;
      } else place = firstEndingAfter(layout, place + 1, to, layout.x[node] + 1 / scale);
    }
  }
}
