// SPDX-License-Identifier: Apache-2.0
// A page with nothing but the graph, for tests and benchmarks: they give it a tree, change its properties and see what it
// tells. Zooms are answered as the server does it: with the tree of that path, after a while.
import { render } from "preact";
import type { TreeNodes } from "../../src/api/types";
import { applyTheme, Theme } from "../../src/base/theme";
import { FlameGraph, FlameGraphProps, toPng, toSvg } from "../../src/flame/FlameGraph";
import { treeOf } from "../../src/flame/model";
import "../../src/style.css";
import "./host.css";
import { randomNodes, subtree } from "../flame/random";

export interface Host {
  events: [string, ...unknown[]][];
  open(nodes: TreeNodes, change?: Partial<FlameGraphProps> & { unit?: string; answerAfter?: number }): void;
  random(count: number): TreeNodes;
  openRandom(count: number, change?: Partial<FlameGraphProps>): void;
  set(change: Partial<FlameGraphProps>): void;
  theme(theme: Theme): void;
  svg(): string;
  png(): Promise<number>; // its size
  props(): FlameGraphProps;
}

declare global {
  interface Window {
    host: Host;
  }
}

let all: TreeNodes;
let unit = "nanoseconds";
let answerAfter = -1; // ms; below zero nobody answers
let props: FlameGraphProps;
const events: Host["events"] = [];

const show = () => render(<FlameGraph {...props} />, document.getElementById("app")!);

function onZoom(zoom: string[]) {
  events.push(["zoom", zoom]);
  host.set({ zoom, busy: answerAfter >= 0 });
  if (answerAfter < 0) return;
  setTimeout(() => {
    if (props.zoom !== zoom) return;
    host.set({ tree: treeOf(subtree(all, zoom), unit, all.total[0], all.before_total?.[0]), busy: false });
  }, answerAfter);
}

const host: Host = {
  events,
  open(nodes, { unit: itsUnit = "nanoseconds", answerAfter: after = -1, ...change } = {}) {
    all = nodes;
    unit = itsUnit;
    answerAfter = after;
    const told = (name: string) => (...args: unknown[]) => void events.push([name, ...args]);
    props = {
      tree: treeOf(nodes, unit, nodes.total[0], nodes.before_total?.[0]),
      layout: "icicle",
      colour: nodes.before_total ? "diff" : "package",
      palette: "redgreen",
      collapse: "",
      search: "",
      selected: "",
      zoom: [],
      onZoom,
      onSelect: told("select"),
      onAction: told("action"),
      onMatch: told("match"),
      ...change,
    };
    show();
  },
  random: randomNodes,
  openRandom: (count, change) => host.open(randomNodes(count), change),
  set(change) {
    props = { ...props, ...change };
    show();
  },
  theme: applyTheme,
  svg: () => toSvg(props.tree, { ...props, theme: "light" }),
  png: async () => (await toPng(props.tree, { ...props, theme: "light" })).size,
  props: () => props,
};
window.host = host;
applyTheme("light");
