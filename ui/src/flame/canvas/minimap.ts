// SPDX-License-Identifier: Apache-2.0
// The whole tree as a small image, with a frame around the visible part. The image is drawn once
// for each tree, size and look; afterwards only the frame moves.
import { css, draw, Scene } from "./draw";
import type { Prepared } from "../model/engine";
import { locate, Stage } from "./stage";
import { translate } from "./view";

export class Minimap {
  private picture: HTMLCanvasElement | null = null;
  private made: unknown[] = [];

  constructor(private readonly canvas: HTMLCanvasElement) {}

  get isMade(): boolean {
    return this.picture !== null;
  }

  // Return the image of the whole tree; null if it must be drawn first and `make` is false.
  private pictureOf(
    scene: Scene,
    width: number,
    height: number,
    make: boolean,
  ): HTMLCanvasElement | null {
    const key = [scene.layout, scene.painter, width, height, scene.upsideDown, scene.ratio];
    if (this.picture && key.every((part, i) => part === this.made[i])) return this.picture;
    if (!make) return null;
    this.made = key;
    this.picture = document.createElement("canvas");
    this.picture.width = Math.round(width * scene.ratio);
    this.picture.height = Math.round(height * scene.ratio);
    const small: Scene = {
      ...scene,
      left: 0,
      right: scene.layout.whole,
      width,
      height,
      scroll: 0,
      ancestors: [],
      rowHeight: Math.min(4, height / scene.layout.depth),
      zoom: 0,
      matches: null,
      selected: null,
      hover: -1,
      focus: -1,
      plain: true,
    };
    draw(this.picture.getContext("2d", { alpha: false })!, small);
    return this.picture;
  }

  // Draw the minimap. `whole`: the whole tree, of which the stage shows all or a subtree. Returns
  // false if the image must be drawn first, by a call with `make`.
  draw(stage: Stage, whole: Prepared, wholeScene: Scene, make: boolean): boolean {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !stage.prepared || !whole.layout.whole) return true;
    const { ratio, inks } = wholeScene;
    const picture = this.pictureOf(wholeScene, width, height, make);
    if (!picture) return false;
    if (this.canvas.width !== Math.round(width * ratio))
      this.canvas.width = Math.round(width * ratio);
    if (this.canvas.height !== Math.round(height * ratio))
      this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d", { alpha: false })!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const root = stage.prepared === whole ? 0 : locate(whole, stage.prepared.source.rootPath);
    const view = translate(stage.view, stage.prepared.layout, 0, whole.layout, root);
    const left = (view.left / whole.layout.whole) * width;
    const right = Math.max((view.right / whole.layout.whole) * width, left + 2);
    context.globalAlpha = 0.72;
    context.fillStyle = css(inks.ground);
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = css(inks.accent);
    context.lineWidth = 1.5;
    context.strokeRect(
      Math.min(left, width - 2) + 0.75,
      0.75,
      Math.max(right - left - 1.5, 0.5),
      height - 1.5,
    );
    return true;
  }
}
