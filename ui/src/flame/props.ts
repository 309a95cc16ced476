// SPDX-License-Identifier: Apache-2.0
// The properties of <FlameGraph>.
import type { Collapse } from "./model/collapse";
import type { Colouring, Palette } from "./canvas/colours";
import type { Sums } from "./model/server_sums";
import type { Tree } from "./model/tree";

export type Action = "focus" | "hide" | "ignore" | "sandwich" | "invert" | "copy" | "overTime" | "traces" | "compare";

export interface FlameGraphProps {
  tree: Tree;
  layout: "icicle" | "flame";
  colour: Colouring;
  palette: Palette;
  normalise?: boolean;
  // of a difference: the value of one sample on each side; changes within the error are grey
  grain?: { before: number; after: number };
  collapse: Collapse;
  search: string; // text, or /a regular expression/
  selected: string; // ref of the function whose frames are marked (refs.ts)
  zoom: string[]; // path of the zoomed frame
  rootName?: string; // label of the root; default "all"
  onZoom(path: string[]): void;
  onSelect(ref: string): void;
  // undefined: the menu has no such items
  onAction?(action: Action, ref: string, path: string[]): void;
  // sum of the matches in the zoomed frame
  onMatch?(share: number, value: number, count: number): void;
  sums?: Sums; // queries sums over all frames
  busy?: boolean;
  shares?: boolean; // of self values in the legend of colours; default true
}
