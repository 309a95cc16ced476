// SPDX-License-Identifier: Apache-2.0
// The actions of the graph: zoom, copy, focus and menu, triggered by pointer, keyboard and menu.
import { copyText } from "../../base/clipboard";
import type { MenuItem } from "./Menu";
import { sourcePath } from "../model/engine";
import { nameOf, pathOf, refOf } from "../model/tree";
import { Direction, moveFocus } from "./focus_moves";
import { spokenText } from "../text/numbers";
import type { PointerEvents } from "./pointer";
import { refName } from "../model/refs";
import type { Action, FlameGraphProps } from "../props";
import type { Stage } from "../canvas/stage";
import type { Anchor } from "./Tooltip";

interface AtNode {
  node: number;
  anchor: Anchor;
}

// The elements that are shown over the graph.
export interface Overlay {
  tip: AtNode | null;
  menu: AtNode | null;
  spoken: string; // text for screen readers
  note: string; // short notification
}

export const keyHelp: readonly (readonly [string, string])[] = [
  ["← ↑ → ↓", "move to the caller, callee or adjacent frame"],
  ["Enter", "zoom into the frame"],
  ["Backspace", "zoom out to its caller"],
  ["Escape", "reset zoom"],
  ["c", "copy the name; C: the whole stack"],
  ["n N", "next or previous match of the search"],
  ["Ctrl+wheel", "zoom about the pointer; drag to move"],
];

export class Controls implements PointerEvents {
  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly props: () => FlameGraphProps,
    private readonly show: (change: Partial<Overlay>) => void,
  ) {}

  private get tree() {
    return this.stage.prepared!.tree;
  }

  private get rootName() {
    return this.props().rootName ?? "all";
  }

  // ---- zoom ----

  // Return the path for the query of a subtree; null for a frame that was merged from several.
  private pathFor(node: number): string[] | null {
    return sourcePath(this.stage.prepared!, node);
  }

  zoomTo(node: number) {
    this.stage.zoomTo(node);
    this.show({ tip: null });
    const path = this.pathFor(node);
    if (path) this.props().onZoom(path);
  }

  zoomToPath(path: string[]) {
    this.stage.zoomToPath(path);
    this.show({ tip: null });
    this.props().onZoom(path);
  }

  // Undo a pan or wheel zoom; if there is none, zoom out to the caller of the zoomed frame.
  zoomOut() {
    const { zoom, prepared, isAtZoom } = this.stage;
    const hadFocus = this.stage.focus >= 0;
    if (!isAtZoom) this.stage.zoomTo(zoom);
    else if (zoom > 0) this.zoomTo(this.tree.parent[zoom]);
    else if (prepared!.source.rootPath.length)
      this.zoomToPath(prepared!.source.rootPath.slice(0, -1));
    // The focused frame is the one that the menu acts on: the frame that now fills the width.
    if (hadFocus) this.focusOn(this.stage.zoom);
  }

  // Move to the next (1) or previous (-1) frame that matches the search.
  match(by: 1 | -1) {
    const { prepared, zoom } = this.stage;
    const names = this.stage.matchedNames;
    if (!prepared || !names) return;
    const { tree } = prepared;
    const [first, count] = [zoom, tree.end[zoom] - zoom];
    const at = this.stage.focus >= first ? this.stage.focus - first : by > 0 ? -1 : count;
    for (let step = 1; step <= count; step++) {
      const node = first + ((((at + by * step) % count) + count) % count);
      if (tree.name[node] < 0 || !names[tree.name[node]]) continue;
      this.stage.bring(node);
      this.focusOn(node);
      return;
    }
  }

  // ---- copies ----

  private async copy(what: string, text: string, node: number) {
    this.show({ note: (await copyText(text)) ? `${what} copied` : "Clipboard access denied" });
    this.props().onAction?.("copy", refOf(this.tree, node), pathOf(this.tree, node));
  }

  copyName = (node: number) =>
    void this.copy("Name", nameOf(this.tree, node) || this.rootName, node);
  copyStack = (node: number) =>
    void this.copy("Stack", pathOf(this.tree, node).map(refName).join(";"), node);

  // ---- pointer ----

  hover(hit: number, event: PointerEvent) {
    const node = hit >= 0 ? hit : -1;
    this.canvas.style.cursor = hit === -1 ? "default" : "pointer";
    if (this.stage.hover !== node) {
      this.stage.hover = node;
      this.stage.invalidate();
    }
    this.show({ tip: node >= 0 ? { node, anchor: { x: event.clientX, y: event.clientY } } : null });
  }

  leave() {
    this.stage.hover = -1;
    this.stage.invalidate();
    this.show({ tip: null });
  }

  click(hit: number) {
    if (hit <= -2) return this.zoomToPath(this.stage.prepared!.source.rootPath.slice(0, -2 - hit));
    if (hit < 0) return;
    this.stage.focus = -1;
    this.props().onSelect(refOf(this.tree, hit));
    this.zoomTo(hit);
  }

  tap(hit: number, event: PointerEvent) {
    this.hover(hit, event);
    if (hit >= 0) this.props().onSelect(refOf(this.tree, hit));
  }

  // ---- keyboard ----

  private anchorOf(node: number): Anchor {
    const box = this.stage.boxOf(node);
    const place = this.canvas.getBoundingClientRect();
    return { x: place.left + Math.min(box.left + 24, place.width), y: place.top + box.bottom };
  }

  focusOn(node: number) {
    this.stage.focus = node;
    this.stage.reveal(node);
    this.show({
      tip: { node, anchor: this.anchorOf(node) },
      spoken: spokenText(this.tree, node, this.rootName, this.props().normalise ?? false),
    });
  }

  private move(direction: Direction) {
    const { prepared, focus, zoom } = this.stage;
    this.focusOn(focus < 0 ? zoom : moveFocus(this.tree, prepared!.layout, focus, zoom, direction));
  }

  key(event: KeyboardEvent) {
    if (!this.stage.prepared || event.ctrlKey || event.metaKey || event.altKey) return;
    const upsideDown = this.props().layout === "flame";
    const node = this.stage.focus < 0 ? this.stage.zoom : this.stage.focus;
    const keys: Record<string, () => void> = {
      ArrowUp: () => this.move(upsideDown ? "callee" : "caller"),
      ArrowDown: () => this.move(upsideDown ? "caller" : "callee"),
      ArrowLeft: () => this.move("left"),
      ArrowRight: () => this.move("right"),
      Home: () => this.focusOn(this.stage.zoom),
      Enter: () => {
        this.props().onSelect(refOf(this.tree, node));
        this.zoomTo(node);
      },
      Backspace: () => this.zoomOut(),
      Escape: () => this.zoomToPath([]),
      c: () => this.copyName(node),
      C: () => this.copyStack(node),
      n: () => this.match(1),
      N: () => this.match(-1),
    };
    if ((event.key === "n" || event.key === "N") && !this.stage.matchedNames) return;
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  // ---- menu ----

  menu(event: MouseEvent) {
    event.preventDefault();
    const byKey = event.button !== 2; // the menu key: at the focused frame
    const { focus, zoom } = this.stage;
    const node = byKey
      ? focus < 0
        ? zoom
        : focus
      : this.stage.hit(event.offsetX, event.offsetY);
    if (node >= 0)
      this.show({
        tip: null,
        menu: {
          node,
          anchor: byKey ? this.anchorOf(node) : { x: event.clientX, y: event.clientY },
        },
      });
  }

  // Return the menu items of a frame; null is a separator.
  items(node: number): (MenuItem | null)[] {
    const name = nameOf(this.tree, node);
    const act = (action: Action) => () =>
      this.props().onAction?.(
        action,
        refOf(this.tree, node),
        this.pathFor(node) ?? pathOf(this.tree, node),
      );
    const asking: (MenuItem | null)[] = [
      null,
      { label: "Only stacks with this function", run: act("focus") },
      { label: "Exclude stacks with this function", run: act("ignore") },
      { label: "Hide this frame", run: act("hide") },
      { label: "Callers and callees of this function", run: act("sandwich") },
      { label: "Invert", run: act("invert") },
      null,
      { label: "This function over time", run: act("overTime") },
      { label: "Traces through this function", run: act("traces") },
      { label: "Compare with the previous range", run: act("compare") },
    ];
    return [
      { label: "Zoom in", key: "Enter", run: () => this.zoomTo(node) },
      { label: "Reset zoom", key: "Esc", run: () => this.zoomToPath([]) },
      ...(this.props().onAction && name ? asking : []),
      null,
      { label: "Copy name", key: "c", run: () => this.copyName(node) },
      { label: "Copy stack", key: "C", run: () => this.copyStack(node) },
    ];
  }
}
