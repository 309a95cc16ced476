// SPDX-License-Identifier: Apache-2.0
// A page with the flame graph alone, for tests and benchmarks, which set its tree and properties
// and read its events. As with a server, a zoom is answered with the tree of its path after a
// delay.
import { render } from "preact";
import type { TreeNodes } from "../../src/api/types";
import { applyTheme, Theme } from "../../src/base/theme";
import { FlameGraph, FlameGraphProps, toPng, toSvg } from "../../src/flame/FlameGraph";
import { treeOf } from "../../src/flame/model/tree";
import "../../src/style.css";
import "./host.css";
import { randomNodes, subtree } from "../flame/random_tree";

export interface Host {
  events: [string, ...unknown[]][];
  open(
    nodes: TreeNodes,
    change?: Partial<FlameGraphProps> & { unit?: string; answerAfter?: number },
  ): void;
  random(count: number): TreeNodes;
  openRandom(count: number, change?: Partial<FlameGraphProps>): void;
  set(change: Partial<FlameGraphProps>): void;
  theme(theme: Theme): void;
  svg(): string;
  png(): Promise<number>; // size in bytes
  props(): FlameGraphProps;
}

declare global {
  interface Window {
    host: Host;
  }
}

let all: TreeNodes;
let unit = "nanoseconds";
let answerAfter = -1; // ms; negative: zooms are not answered
let props: FlameGraphProps;
const events: Host["events"] = [];

const show = () => render(<FlameGraph {...props} />, document.getElementById("app")!);

function onZoom(zoom: string[]) {
  events.push(["zoom", zoom]);
  host.set({ zoom, busy: answerAfter >= 0 });
  if (answerAfter < 0) return;
  setTimeout(() => {
    if (props.zoom !== zoom) return;
    host.set({
      tree: treeOf(subtree(all, zoom), unit, all.total[0], all.before_total?.[0]),
      busy: false,
    });
  }, answerAfter);
}

const host: Host = {
  events,
  open(nodes, { unit: newUnit = "nanoseconds", answerAfter: after = -1, ...change } = {}) {
    all = nodes;
    unit = newUnit;
    answerAfter = after;
    const record = (name: string) => (...args: unknown[]) => void events.push([name, ...args]);
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
      onSelect: record("select"),
      onAction: record("action"),
      onMatch: record("match"),
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
