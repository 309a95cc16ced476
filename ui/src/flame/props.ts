// SPDX-License-Identifier: Apache-2.0
import type { Collapse } from "./collapse";
import type { Colouring, Palette } from "./colours";
import type { Sums } from "./exact";
import type { Tree } from "./model";

export type Action = "focus" | "hide" | "ignore" | "sandwich" | "invert" | "copy";

export interface FlameGraphProps {
  tree: Tree;
  layout: "icicle" | "flame";
  colour: Colouring;
  palette: Palette;
  normalise?: boolean;
  collapse: Collapse;
  search: string; // text, or /a regular expression/
  selected: string; // the ref of a function that is marked wherever it is (refs.ts)
  zoom: string[]; // the path that fills the width
  rootName?: string; // what node 0 is called where it has no name; "all"
  onZoom(path: string[]): void;
  onSelect(ref: string): void;
  onAction?(action: Action, ref: string, path: string[]): void; // without it the menu has none of them
  onMatch?(share: number, value: number, count: number): void; // what the search finds in what fills the width
  sums?: Sums; // counts what was too small to be sent
  busy?: boolean;
}
