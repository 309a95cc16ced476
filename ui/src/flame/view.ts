// SPDX-License-Identifier: Apache-2.0
// The part of the width that is on the screen, in the unit of the layout, and how it moves.
import type { Layout } from "./layout";

export interface View {
  left: number;
  right: number;
}

export const animationMs = 170;

export const viewOfNode = (layout: Layout, node: number): View => ({ left: layout.x[node], right: layout.x[node] + layout.width[node] });

// Slow at both ends. Edges move so that the share of the width between them changes evenly.
export function between(from: View, to: View, part: number): View {
  const t = part < 0.5 ? 4 * part ** 3 : 1 - (-2 * part + 2) ** 3 / 2;
  return { left: from.left + (to.left - from.left) * t, right: from.right + (to.right - from.right) * t };
}

function clamp(view: View, whole: number): View {
  const size = Math.min(view.right - view.left, whole);
  const left = Math.max(0, Math.min(view.left, whole - size));
  return { left, right: left + size };
}

// `at`: the place that stays where it is; a factor below 1 shows less. A millionth of a pixel's worth is the end.
export function scaleView(view: View, at: number, factor: number, whole: number): View {
  const size = Math.max((view.right - view.left) * factor, whole * 1e-9);
  const part = view.right > view.left ? (at - view.left) / (view.right - view.left) : 0.5;
  return clamp({ left: at - part * size, right: at - part * size + size }, whole);
}

export const moveView = (view: View, by: number, whole: number): View => clamp({ left: view.left + by, right: view.right + by }, whole);

// The same place in another layout, where node `from` of the one is node `to` of the other.
export function translate(view: View, one: Layout, from: number, other: Layout, to: number): View {
  const scale = one.width[from] ? other.width[to] / one.width[from] : 0;
  const place = (x: number) => other.x[to] + (x - one.x[from]) * scale;
  return { left: place(view.left), right: place(view.right) };
}

export const sameView = (one: View, two: View) => one.left === two.left && one.right === two.right;
