// SPDX-License-Identifier: Apache-2.0
// Exports the graph as SVG or PNG: all rows of the whole tree or of the zoomed frame, at a given
// width.
import { Collapse } from "../model/collapse";
import { Colouring, inks as themeInks, Palette, painterOf, Rgb, Theme, unpacked } from "./colours";
import { draw, Scene } from "./draw";
import { prepare, Prepared } from "../model/engine";
import { nameOf, Tree } from "../model/tree";
import { detailText } from "../text/numbers";
import { RowPixels } from "./row_pixels";
import { fontOf, inksOf, locate } from "./stage";
import { cleanName, Ruler } from "../text/names";
import { viewOfNode } from "./view";

export interface ExportOptions {
  layout: "icicle" | "flame";
  colour: Colouring;
  palette: Palette;
  theme: Theme;
  normalise?: boolean;
  collapse?: Collapse;
  zoom?: string[];
  width?: number; // pixels
  title?: string;
  rootName?: string;
}

const defaultWidth = 1600;
const rowHeight = 18;
const titleHeight = 30;
const fontSize = 12;
const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Escape text for XML, and replace characters that XML does not allow (lone surrogates, U+FFFE,
// U+FFFF).
const escape = (text: string) =>
  text
    .replace(
      /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g,
      "\ufffd",
    )
    .replace(/[&<>"]/g, (c) => escapes[c]);

const svgColour = ([r, g, b]: Rgb) => `rgb(${r},${g},${b})`;

// Estimates widths by typical sans-serif letters; the font of the viewer is unknown.
const estimate = new Ruler((text) =>
  text.codePointAt(0)! > 0x2e80
    ? fontSize
    : "ijl.,:;|'!()[]ft ".includes(text)
      ? 0.33 * fontSize
      : "mwMW@%".includes(text)
        ? 0.9 * fontSize
        : 0.58 * fontSize,
);

function depthBelow(tree: Tree, root: number): number {
  let deepest = tree.level[root];
  for (let node = root; node < tree.end[root]; node++)
    if (tree.level[node] > deepest) deepest = tree.level[node];
  return deepest - tree.level[root] + 1;
}

interface Sheet {
  prepared: Prepared;
  root: number;
  width: number;
  rows: number;
}

function sheetOf(source: Tree, options: ExportOptions): Sheet {
  const prepared = prepare(source, options.collapse ?? "", options.normalise ?? false);
  const root = options.zoom ? locate(prepared, options.zoom) : 0;
  return {
    prepared,
    root,
    width: options.width ?? defaultWidth,
    rows: depthBelow(prepared.tree, root),
  };
}

function svgFrame(
  sheet: Sheet,
  node: number,
  y: number,
  fill: string,
  options: ExportOptions,
): string {
  const { tree, layout } = sheet.prepared;
  const scale = sheet.width / layout.width[sheet.root];
  const x = (layout.x[node] - layout.x[sheet.root]) * scale;
  const width = layout.width[node] * scale;
  const name = tree.name[node] < 0 ? (options.rootName ?? "all") : cleanName(nameOf(tree, node));
  const room = width - 8;
  const text =
    room < 10
      ? ""
      : estimate.width(name, room) <= room
        ? name
        : estimate.fitName(name, room);
  const title = `${name} (${detailText(tree, node, options.normalise ?? false)})`;
  const label = text && `<text x="${(x + 4).toFixed(1)}" y="${y + 13}">${escape(text)}</text>`;
  const drawnWidth = Math.max(width - (width > 3 ? 1 : 0), 0.3);
  return (
    `<g><title>${escape(title)}</title><rect x="${x.toFixed(2)}" y="${y}" width="${drawnWidth.toFixed(2)}" ` +
    `height="${rowHeight - 1}" fill="${fill}"/>${label}</g>\n`
  );
}

// Return the graph as SVG. Frames narrower than a third of a pixel are omitted.
export function toSvg(tree: Tree, options: ExportOptions): string {
  const sheet = sheetOf(tree, options);
  const { prepared, root, width, rows } = sheet;
  const painter = painterOf(
    prepared.tree,
    options.colour,
    options.palette,
    options.theme,
    options.normalise ?? false,
  );
  const ink = themeInks[options.theme];
  const head = options.title ? titleHeight : 4;
  const height = head + rows * rowHeight + 4;
  const least = layout(sheet) / (3 * width);
  let body = "";
  for (let node = root; layout(sheet) > 0 && node < prepared.tree.end[root]; node++) {
    if (prepared.layout.width[node] < least) {
      node = prepared.tree.end[node] - 1;
      continue;
    }
    const row = prepared.tree.level[node] - prepared.tree.level[root];
    body += svgFrame(
      sheet,
      node,
      head + (options.layout === "flame" ? rows - 1 - row : row) * rowHeight,
      svgColour(unpacked(painter.colour(node))),
      options,
    );
  }
  const ground = options.theme === "light" ? "#fff" : "#171d25";
  const title = options.title
    ? `<text x="4" y="20" font-size="14" font-weight="600">${escape(cleanName(options.title))}</text>\n`
    : "";
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="system-ui, sans-serif" font-size="${fontSize}" fill="${svgColour(ink.text)}">\n` +
    `<rect width="100%" height="100%" fill="${ground}"/>\n${title}${body}</svg>\n`
  );
}

const layout = (sheet: Sheet) => sheet.prepared.layout.width[sheet.root];

const largestSide = 16_000; // pixels; limit of browsers for canvases

export function toPng(source: Tree, options: ExportOptions): Promise<Blob> {
  const { prepared, root, width, rows } = sheetOf(source, options);
  const ratio = Math.min(2, largestSide / width, largestSide / Math.max(1, rows * rowHeight));
  const level = prepared.tree.level[root];
  const height = Math.min(rows * rowHeight, largestSide);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext("2d", { alpha: false })!;
  const font = fontOf(fontSize);
  context.font = font;
  const upsideDown = options.layout === "flame";
  const deeper = prepared.layout.depth - level - rows; // rows of deeper subtrees outside
  const scene: Scene = {
    tree: prepared.tree,
    layout: prepared.layout,
    painter: painterOf(
      prepared.tree,
      options.colour,
      options.palette,
      options.theme,
      options.normalise ?? false,
    ),
    inks: inksOf(options.theme),
    ruler: new Ruler((text) => context.measureText(text).width),
    rows: new RowPixels(),
    font,
    ...viewOfNode(prepared.layout, root),
    width,
    height,
    ratio,
    scroll: (upsideDown ? deeper : level) * rowHeight,
    rowHeight,
    ancestors: [],
    upsideDown,
    zoom: root,
    matches: null,
    selected: null,
    hover: -1,
    focus: -1,
    plain: false,
    rootName: options.rootName ?? "all",
    detail: (node) => detailText(prepared.tree, node, options.normalise ?? false),
  };
  draw(context, scene);
  return new Promise((done, fail) =>
    canvas.toBlob(
      (blob) =>
        blob ? done(blob) : fail(new Error("the browser could not create an image of this size")),
      "image/png",
    ),
  );
}
