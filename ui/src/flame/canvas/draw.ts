// SPDX-License-Identifier: Apache-2.0
// Draws the visible part of the graph: in each visible row the frames between the left and the
// right edge, then the names that fit, then the outlines of hovered, selected and focused frames.
import { cssOf, Packed, Painter, unpacked } from "./colours";
import type { Layout } from "../model/layout";
import { nameOf, Tree } from "../model/tree";
import { paintRow, RowInks, RowPixels, Wide } from "./row_pixels";
import type { Matches } from "../model/search";
import { cleanName, Ruler } from "../text/names";

export interface Inks extends RowInks {
  text: Packed;
  softText: Packed;
  outline: Packed;
}

export interface Scene {
  tree: Tree;
  layout: Layout;
  painter: Painter;
  inks: Inks;
  ruler: Ruler;
  rows: RowPixels;
  font: string;
  left: number; // layout coordinates of the left and right edge
  right: number;
  width: number; // CSS pixels
  height: number;
  ratio: number; // device pixels in a CSS pixel
  scroll: number;
  rowHeight: number;
  ancestors: readonly string[]; // names of the rows above the tree's root
  upsideDown: boolean; // the root is at the bottom
  zoom: number; // node that fills the width; its callers are drawn in the quiet colour
  matches: Matches | null;
  selected: ReadonlySet<number> | null; // name indexes
  hover: number; // node, -1: none
  focus: number; // node, -1: none
  plain: boolean; // without names and without lines between rows, for the minimap
  rootName: string;
  detail(node: number): string; // text after the name, if it fits
}

const padding = 4;
const bandHeight = 3;

const rowCount = (scene: Scene) => scene.ancestors.length + scene.layout.depth;

// Return the top of a row; rows are counted from the root of the whole tree.
export function rowTop(scene: Scene, row: number): number {
  if (!scene.upsideDown) return row * scene.rowHeight - scene.scroll;
  // A graph that is lower than the canvas is aligned at the bottom.
  const rest = Math.max(0, scene.height - rowCount(scene) * scene.rowHeight);
  return rest + (rowCount(scene) - 1 - row) * scene.rowHeight - scene.scroll;
}

export function rowAt(scene: Scene, y: number): number {
  const row = Math.floor((y - rowTop(scene, 0)) / scene.rowHeight);
  return scene.upsideDown ? -row : row;
}

export const pixelsPerUnit = (scene: Pick<Scene, "left" | "right" | "width">) =>
  scene.right > scene.left ? scene.width / (scene.right - scene.left) : 0;

export const css = (colour: Packed) => cssOf(unpacked(colour));

export function draw(canvas: CanvasRenderingContext2D, scene: Scene) {
  canvas.setTransform(scene.ratio, 0, 0, scene.ratio, 0, 0);
  canvas.fillStyle = css(scene.inks.ground);
  canvas.fillRect(0, 0, scene.width, scene.height);
  canvas.font = scene.font;
  canvas.textBaseline = "middle";
  canvas.direction = "ltr";
  const visible: number[] = [];
  for (let row = 0; row < rowCount(scene); row++) {
    const top = rowTop(scene, row);
    if (top + scene.rowHeight > 0 && top < scene.height) visible.push(row);
  }
  for (const row of visible) if (row < scene.ancestors.length) drawAncestor(canvas, scene, row);
  const wide = drawRows(canvas, scene, visible.filter((row) => row >= scene.ancestors.length));
  if (!scene.plain) drawNames(canvas, scene, wide);
  drawMarks(canvas, scene, wide);
}

// Return the callers of the zoomed node by level; -1: none.
function callersOf(scene: Scene): Int32Array {
  const { tree, zoom } = scene;
  const callers = new Int32Array(scene.layout.depth).fill(-1);
  for (let node = zoom > 0 ? tree.parent[zoom] : -1; node >= 0; node = tree.parent[node])
    callers[tree.level[node]] = node;
  return callers;
}

// Round to device pixels, so that the lines between rows are sharp.
const snap = (scene: Scene, value: number) => Math.round(value * scene.ratio) / scene.ratio;

function drawRows(canvas: CanvasRenderingContext2D, scene: Scene, visible: number[]): Wide[] {
  const wide: Wide[] = [];
  if (scene.right <= scene.left) return wide;
  const pixelWidth = Math.max(1, Math.round(scene.width * scene.ratio));
  const callers = callersOf(scene);
  const { rows } = scene;
  const painted = { ...scene, pixelWidth };
  rows.lines.begin(pixelWidth, visible.length, scene.inks.ground);
  if (scene.matches) rows.bands.begin(pixelWidth, visible.length, 0);
  visible.forEach((row, i) => {
    const level = row - scene.ancestors.length;
    paintRow(painted, level, callers[level], i * pixelWidth, wide);
  });
  const lines = rows.lines.finish(visible.length);
  const bands = scene.matches && rows.bands.finish(visible.length);
  canvas.imageSmoothingEnabled = false;
  visible.forEach((row, i) => {
    const top = scene.plain ? rowTop(scene, row) : snap(scene, rowTop(scene, row));
    const height = scene.rowHeight - (scene.plain ? 0 : 1);
    canvas.drawImage(lines, 0, i, pixelWidth, 1, 0, top, scene.width, height);
    if (bands)
      canvas.drawImage(
        bands,
        0,
        i,
        pixelWidth,
        1,
        0,
        top + height - bandHeight,
        scene.width,
        bandHeight,
      );
  });
  return wide;
}

function drawAncestor(canvas: CanvasRenderingContext2D, scene: Scene, row: number) {
  const top = snap(scene, rowTop(scene, row));
  canvas.fillStyle = css(scene.inks.quiet);
  canvas.fillRect(0, top, scene.width, scene.rowHeight - 1);
  const name = row ? cleanName(scene.ancestors[row]) : scene.rootName;
  canvas.fillStyle = css(scene.inks.text);
  canvas.fillText(
    scene.ruler.fit(name, scene.width - 2 * padding),
    padding,
    top + scene.rowHeight / 2,
  );
}

// Setting fillStyle parses the colour, so names are drawn in two passes, one for each text colour.
function drawNames(canvas: CanvasRenderingContext2D, scene: Scene, wide: Wide[]) {
  canvas.fillStyle = css(scene.inks.text);
  for (const frame of wide) if (!frame.faded) drawName(canvas, scene, frame);
  if (!scene.matches) return;
  canvas.fillStyle = css(scene.inks.softText);
  for (const frame of wide) if (frame.faded) drawName(canvas, scene, frame);
}

function drawName(
  canvas: CanvasRenderingContext2D,
  scene: Scene,
  { node, begin, end, level, faded, caller }: Wide,
) {
  const { ruler, tree, ratio } = scene;
  const x = begin / ratio + padding;
  const room = (end - begin) / ratio - 2 * padding;
  const name = tree.name[node] < 0 ? scene.rootName : cleanName(nameOf(tree, node));
  const width = ruler.width(name, room);
  const text = width <= room ? name : ruler.fitName(name, room);
  if (!text) return;
  const middle = snap(scene, rowTop(scene, scene.ancestors.length + level)) + scene.rowHeight / 2;
  canvas.fillText(text, x, middle);
  // Callers show the name only, as the rows above the tree do, whose values are unknown.
  if (caller || width + 60 > room) return;
  const detail = scene.detail(node);
  if (width + 12 + ruler.width(detail) > room) return;
  canvas.globalAlpha = faded ? 1 : 0.8;
  canvas.fillText(detail, x + width + 12, middle);
  canvas.globalAlpha = 1;
}

// ---- outlines of hovered, selected and focused frames ----

interface Line {
  begin: number;
  end: number;
  top: number;
  colour: Packed;
  width: number;
}

function outline(
  canvas: CanvasRenderingContext2D,
  scene: Scene,
  { begin, end, top, colour, width }: Line,
) {
  const left = Math.min(Math.max(begin, 0), scene.width - 3);
  const right = Math.max(Math.min(end, scene.width), left + 3);
  canvas.strokeStyle = css(colour);
  canvas.lineWidth = width;
  canvas.strokeRect(
    left + width / 2,
    top + width / 2,
    right - left - width,
    scene.rowHeight - 1 - width,
  );
}

function outlineNode(
  canvas: CanvasRenderingContext2D,
  scene: Scene,
  node: number,
  colour: Packed,
  width: number,
) {
  const scale = pixelsPerUnit(scene);
  const begin = (scene.layout.x[node] - scene.left) * scale;
  const end = begin + scene.layout.width[node] * scale;
  const top = rowTop(scene, scene.ancestors.length + scene.tree.level[node]);
  if (end >= 0 && begin <= scene.width) outline(canvas, scene, { begin, end, top, colour, width });
}

function drawMarks(canvas: CanvasRenderingContext2D, scene: Scene, wide: Wide[]) {
  const { inks, ratio } = scene;
  for (const { selected, begin, end, level } of wide)
    if (selected)
      outline(canvas, scene, {
        begin: begin / ratio,
        end: end / ratio,
        top: rowTop(scene, scene.ancestors.length + level),
        colour: inks.accent,
        width: 2,
      });
  if (scene.hover >= 0) outlineNode(canvas, scene, scene.hover, inks.outline, 1.5);
  if (scene.focus >= 0) {
    outlineNode(canvas, scene, scene.focus, inks.ground, 4);
    outlineNode(canvas, scene, scene.focus, inks.accent, 2.5);
  }
}
