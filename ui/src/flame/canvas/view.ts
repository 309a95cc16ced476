// SPDX-License-Identifier: Apache-2.0
// The visible part of the graph's width, in layout coordinates, and its animation, zoom and pan.
import type { Layout } from "../model/layout";

export interface View {
  left: number;
  right: number;
}

export const animationMs = 170;

export const viewOfNode = (layout: Layout, node: number): View => ({
  left: layout.x[node],
  right: layout.x[node] + layout.width[node],
});

// Interpolate with a cubic easing, slow at both ends.
export function between(from: View, to: View, part: number): View {
  const t = part < 0.5 ? 4 * part ** 3 : 1 - (-2 * part + 2) ** 3 / 2;
  return {
    left: from.left + (to.left - from.left) * t,
    right: from.right + (to.right - from.right) * t,
  };
}

function clamp(view: View, whole: number): View {
  const size = Math.min(view.right - view.left, whole);
  const left = Math.max(0, Math.min(view.left, whole - size));
  return { left, right: left + size };
}

// Scale the view around the fixed position `at`; a factor below 1 zooms in, down to a billionth of
// the whole width.
export function scaleView(view: View, at: number, factor: number, whole: number): View {
  const size = Math.max((view.right - view.left) * factor, whole * 1e-9);
  const part = view.right > view.left ? (at - view.left) / (view.right - view.left) : 0.5;
  return clamp({ left: at - part * size, right: at - part * size + size }, whole);
}

export const moveView = (view: View, by: number, whole: number): View =>
  clamp({ left: view.left + by, right: view.right + by }, whole);

// Return the same view in another layout, where node `from` of the first layout is node `to` of the
// other.
export function translate(view: View, one: Layout, from: number, other: Layout, to: number): View {
  const scale = one.width[from] ? other.width[to] / one.width[from] : 0;
  const place = (x: number) => other.x[to] + (x - one.x[from]) * scale;
  return { left: place(view.left), right: place(view.right) };
}

export const sameView = (one: View, two: View) => one.left === two.left && one.right === two.right;
