// SPDX-License-Identifier: Apache-2.0
// The canvas and its state: tree, visible part, hovered and focused frame. It draws at most once
// per animation frame, and only after a change. FlameGraph.tsx owns it and sets its state.
import { reducedMotion } from "../../base/theme";
import { inks as themeInks, packed, Painter, rgbOfHex, Theme } from "./colours";
import { draw, Inks, pixelsPerUnit, rowAt, rowTop, Scene } from "./draw";
import type { Prepared } from "../model/engine";
import { nodeAt } from "../model/layout";
import { findPath, matchingNames, startsWith, Tree } from "../model/tree";
import { refName } from "../model/refs";
import { RowPixels } from "./row_pixels";
import type { Matches } from "../model/search";
import { Ruler } from "../text/names";
import {
  animationMs,
  between,
  moveView,
  sameView,
  scaleView,
  translate,
  View,
  viewOfNode,
} from "./view";

export interface Look {
  theme: Theme;
  upsideDown: boolean;
  rootName: string;
  painterOf: (tree: Tree) => Painter;
  detail: (tree: Tree, node: number) => string;
}

// Return the node of the collapsed tree for a path of the source tree.
export function locate(prepared: Prepared, path: readonly string[]): number {
  const node = findPath(prepared.source, path);
  return prepared.mapped ? prepared.mapped[node] : node;
}

export function inksOf(theme: Theme): Inks {
  const style = getComputedStyle(document.documentElement);
  const variable = (name: string) => packed(rgbOfHex(style.getPropertyValue(name)));
  const { text, softText, quiet, faded } = themeInks[theme];
  return {
    ground: variable("--panel"),
    text: packed(text),
    softText: packed(softText),
    quiet: packed(quiet),
    faded: packed(faded),
    highlight: variable("--highlight"),
    accent: variable("--accent"),
    outline: variable("--text"),
  };
}

export const fontOf = (size = 12) =>
  `${size}px ${getComputedStyle(document.documentElement).getPropertyValue("--sans") || "sans-serif"}`;

const readable = 60; // pixels; width to which a match is enlarged

export class Stage {
  prepared: Prepared | null = null;
  zoom = 0;
  view: View = { left: 0, right: 1 };
  hover = -1;
  focus = -1;
  rowHeight = matchMedia("(pointer: coarse)").matches ? 26 : 20;
  onDraw: () => void = () => {};
  onShow: () => void = () => {}; // after a change of the tree or of the zoomed node

  private look: Look | null = null;
  private painters = new Map<Tree, Painter>(); // for the shown tree and for the tree of the minimap
  private inks: Inks | null = null;
  private matches: Matches | null = null;
  private selected: ReadonlySet<number> | null = null;
  private readonly context: CanvasRenderingContext2D;
  private ruler: Ruler;
  private readonly font: string;
  private readonly rows = new RowPixels();
  private size = { width: 0, height: 0 };
  private frame = 0;
  private motion: { from: View; to: View; start: number } | null = null;
  private next: { prepared: Prepared; path: readonly string[] } | null = null;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly scroller: HTMLElement,
    private readonly spacer: HTMLElement,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.font = fontOf();
    this.context.font = this.font;
    this.ruler = new Ruler((text) => {
      this.context.font = this.font;
      return this.context.measureText(text).width;
    });
  }

  // ---- tree and look ----

  // Show another tree. If one of both trees is a subtree of the other, the common part keeps its
  // position on the screen.
  show(prepared: Prepared, path: readonly string[]) {
    if (this.motion && this.prepared && this.prepared.source !== prepared.source) {
      this.next = { prepared, path };
      return;
    }
    this.next = null;
    const old = this.prepared;
    const kept = old && this.placeIn(old, prepared);
    this.prepared = prepared;
    this.matches = null;
    this.hover = -1;
    this.focus = this.focus >= 0 ? locate(prepared, path) : -1;
    this.zoom = locate(prepared, path);
    this.view = kept ?? viewOfNode(prepared.layout, this.zoom);
    this.fitSpacer();
    this.moveTo(viewOfNode(prepared.layout, this.zoom));
    this.onShow();
  }

  private placeIn(old: Prepared, now: Prepared): View | null {
    const one = old.source.rootPath;
    const two = now.source.rootPath;
    if (
      old.source.unit !== now.source.unit ||
      old.source.grandTotal !== now.source.grandTotal ||
      one.length === two.length
    )
      return null;
    if (startsWith(two, one) && findPath(old.source, two) > 0)
      return translate(this.view, old.layout, locate(old, two), now.layout, 0);
    if (startsWith(one, two) && findPath(now.source, one) > 0)
      return translate(this.view, old.layout, 0, now.layout, locate(now, one));
    return null;
  }

  setLook(look: Look) {
    const turned = this.look !== null && this.look.upsideDown !== look.upsideDown;
    this.look = look;
    this.inks = inksOf(look.theme);
    this.painters.clear();
    if (turned) this.scroller.scrollTop = look.upsideDown ? this.scroller.scrollHeight : 0;
    this.invalidate();
  }

  // Set the matches of a search; ignored if they belong to a tree that is no longer shown.
  setMatches(matches: Matches | null, of: Prepared | null) {
    if (of !== this.prepared) return;
    this.matches = matches;
    this.invalidate();
  }

  // By name: whether it matches the search; null without a search.
  get matchedNames(): Uint8Array | null {
    return this.matches?.names ?? null;
  }

  // Scale and move the view, if necessary, so that the node is visible and wide enough for a name.
  bring(node: number) {
    if (!this.prepared || !this.size.width) return;
    const { layout } = this.prepared;
    const [x, width] = [layout.x[node], layout.width[node]];
    const needed = this.scale() * width < readable ? (width * this.size.width) / readable : 0;
    const length = needed || this.view.right - this.view.left;
    if (!needed && x >= this.view.left && x + width <= this.view.right) return;
    const left = Math.max(0, Math.min(layout.whole - length, x + width / 2 - length / 2));
    this.moveTo({ left, right: Math.min(layout.whole, left + length) });
  }

  setSelected(ref: string) {
    const found = this.prepared && matchingNames(this.prepared.tree, ref);
    this.selected = found?.size ? found : null;
    this.invalidate();
  }

  // ---- zoom and pan ----

  zoomTo(node: number) {
    if (!this.prepared) return;
    const changed = this.zoom !== node;
    this.zoom = node;
    this.moveTo(viewOfNode(this.prepared.layout, node));
    if (changed) this.onShow();
  }

  zoomToPath(path: readonly string[]) {
    if (this.prepared && !this.next) this.zoomTo(locate(this.prepared, path));
  }

  private moveTo(to: View) {
    const still = sameView(this.view, to) || reducedMotion() || !this.size.width;
    this.motion = still ? null : { from: this.view, to, start: performance.now() };
    if (still) this.view = to;
    this.invalidate();
  }

  scaleAt(pixel: number, factor: number) {
    if (!this.prepared) return;
    this.motion = null;
    this.view = scaleView(this.view, this.unitAt(pixel), factor, this.prepared.layout.whole);
    this.invalidate();
  }

  pan(pixels: number) {
    if (!this.prepared) return;
    this.motion = null;
    this.view = moveView(this.view, pixels / this.scale(), this.prepared.layout.whole);
    this.invalidate();
  }

  centre(unit: number) {
    this.pan((unit - (this.view.left + this.view.right) / 2) * this.scale());
  }

  get isWhole(): boolean {
    return !this.prepared || (this.view.left <= 0 && this.view.right >= this.prepared.layout.whole);
  }

  // Whether the zoomed frame fills the width, i.e. the view was not panned or scaled since.
  get isAtZoom(): boolean {
    return (
      !this.prepared ||
      this.motion !== null ||
      sameView(this.view, viewOfNode(this.prepared.layout, this.zoom))
    );
  }

  private scale = () => pixelsPerUnit({ ...this.view, width: this.size.width });
  private unitAt = (pixel: number) => this.view.left + pixel / (this.scale() || 1);

  // ---- size and scrolling ----

  get ancestors(): readonly string[] {
    const path = this.prepared?.source.rootPath ?? [];
    return path.length ? ["", ...path.slice(0, -1).map(refName)] : [];
  }

  get height(): number {
    return this.size.height;
  }

  get contentHeight(): number {
    return (this.ancestors.length + (this.prepared?.layout.depth ?? 0)) * this.rowHeight;
  }

  resize() {
    const width = this.scroller.clientWidth;
    const height = this.scroller.clientHeight;
    const ratio = window.devicePixelRatio || 1;
    this.size = { width, height };
    this.canvas.style.height = `${height}px`;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.fitSpacer();
    this.invalidate(true);
  }

  // Fit the height of the scrolled content. With the root at the bottom, the distance to the bottom
  // is preserved.
  private fitSpacer() {
    // Read scrollHeight only if it is needed: the read forces a layout.
    const fromBottom = this.look?.upsideDown
      ? this.scroller.scrollHeight - this.scroller.scrollTop
      : 0;
    this.spacer.style.height = `${Math.max(0, this.contentHeight - this.size.height)}px`;
    if (this.look?.upsideDown) this.scroller.scrollTop = this.scroller.scrollHeight - fromBottom;
  }

  reveal(node: number) {
    const scene = this.scene();
    if (!scene) return;
    const top = rowTop(scene, scene.ancestors.length + scene.tree.level[node]);
    if (top < 0) this.scroller.scrollTop += top;
    else if (top + this.rowHeight > this.size.height)
      this.scroller.scrollTop += top + this.rowHeight - this.size.height;
    this.invalidate();
  }

  // ---- hit test ----

  // Return the node at a point, -2 - i for the i-th row above the tree, or -1.
  hit(x: number, y: number): number {
    const scene = this.scene();
    if (!scene) return -1;
    const row = rowAt(scene, y);
    if (row < 0) return -1;
    if (row < scene.ancestors.length) return -2 - row;
    return nodeAt(scene.layout, row - scene.ancestors.length, this.unitAt(x));
  }

  // Return the rectangle of a node in the canvas.
  boxOf(node: number): { left: number; right: number; top: number; bottom: number } {
    const scene = this.scene()!;
    const scale = this.scale();
    const left = Math.max(0, (scene.layout.x[node] - scene.left) * scale);
    const right = Math.min(
      scene.width,
      (scene.layout.x[node] + scene.layout.width[node] - scene.left) * scale,
    );
    const top = rowTop(scene, scene.ancestors.length + scene.tree.level[node]);
    return { left, right, top, bottom: top + scene.rowHeight };
  }

  // ---- drawing ----

  private painterFor(tree: Tree): Painter {
    let painter = this.painters.get(tree);
    if (!painter) {
      if (this.painters.size > 3) this.painters.clear();
      this.painters.set(tree, (painter = this.look!.painterOf(tree)));
    }
    return painter;
  }

  scene(): Scene | null {
    return this.prepared && this.sceneOf(this.prepared);
  }

  sceneOf(prepared: Prepared): Scene | null {
    if (!this.look || !this.inks) return null;
    const { tree, layout } = prepared;
    const { detail } = this.look;
    return {
      tree,
      layout,
      painter: this.painterFor(tree),
      inks: this.inks,
      ruler: this.ruler,
      rows: this.rows,
      font: this.font,
      ...this.view,
      ...this.size,
      ratio: window.devicePixelRatio || 1,
      scroll: this.scroller.scrollTop,
      rowHeight: this.rowHeight,
      ancestors: this.ancestors,
      upsideDown: this.look.upsideDown,
      zoom: this.zoom,
      matches: this.matches,
      selected: this.selected,
      hover: this.hover,
      focus: this.focus,
      plain: false,
      rootName: this.look.rootName,
      detail: (node) => detail(tree, node),
    };
  }

  // Schedule a repaint. `now`: repaint at once, because a resized canvas is empty.
  invalidate(now = false) {
    if (now) {
      cancelAnimationFrame(this.frame);
      this.frame = 0;
      this.tick(performance.now());
    } else if (!this.frame) this.frame = requestAnimationFrame((time) => this.tick(time));
  }

  private tick(time: number) {
    this.frame = 0;
    this.step(time);
    if (!this.size.width) return; // not laid out yet; resize() follows
    const scene = this.scene();
    if (scene) draw(this.context, scene);
    this.onDraw();
    if (this.motion) this.invalidate();
  }

  private step(time: number) {
    if (!this.motion) return;
    const part = Math.max(0, (time - this.motion.start) / animationMs);
    this.view = part >= 1 ? this.motion.to : between(this.motion.from, this.motion.to, part);
    if (part < 1) return;
    this.motion = null;
    if (this.next) this.show(this.next.prepared, this.next.path);
  }

  // Cancel a scheduled repaint.
  close() {
    cancelAnimationFrame(this.frame);
  }
}
