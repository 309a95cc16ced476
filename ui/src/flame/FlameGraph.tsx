// SPDX-License-Identifier: Apache-2.0
// The flame graph with all around it: the way to the zoomed frame, what is found, numbers of what is pointed at, the menu,
// the small map, colours, and what is not shown. It asks nobody: a zoom is told by onZoom(), and whoever owns the graph gives
// it the tree of that path, in which more is to be seen. Give it a height; what does not fit is scrolled.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../base/keys";
import { useShownTheme } from "../base/theme";
import { formatValue } from "../base/units";
import { Breadcrumb, Crumb } from "./Breadcrumb";
import type { Collapse } from "./collapse";
import { Colouring, Palette, painterOf } from "./colours";
import { copyText } from "./copy";
import { Engine, Prepared } from "./engine";
import "./flame.css";
import { Legend } from "./Legend";
import { Menu, MenuItem } from "./Menu";
import { Minimap } from "./minimap";
import { isEmpty, nameOf, pathOf, Tree } from "./model";
import { Direction, moveFocus } from "./moves";
import { detailText, shareText, spokenText } from "./numbers";
import { listenToPointer } from "./pointer";
import { MatchSum, sumOf } from "./search";
import { Stage } from "./stage";
import { hiddenText } from "./status";
import { Anchor, Tooltip } from "./Tooltip";

export { toPng, toSvg } from "./export";

export type Action = "focus" | "hide" | "ignore" | "sandwich" | "invert" | "copy";

export interface FlameGraphProps {
  tree: Tree;
  layout: "icicle" | "flame";
  colour: Colouring;
  palette: Palette;
  normalise?: boolean;
  collapse: Collapse;
  search: string;
  selected: string;
  zoom: string[];
  rootName?: string; // what node 0 is called where it has no name
  onZoom(path: string[]): void;
  onSelect(name: string): void;
  onAction?(action: Action, name: string, path: string[]): void;
  onMatch?(share: number, value: number, count: number): void;
  busy?: boolean;
}

interface Found {
  sum: MatchSum | null;
  error: string;
}

const help: readonly (readonly [string, string])[] = [
  ["← ↑ → ↓", "in the graph: to the caller, what it calls, the frame beside"],
  ["Enter", "zoom into the frame"],
  ["Backspace", "zoom out to its caller"],
  ["Escape", "zoom out to everything"],
  ["c", "copy the name; C: the whole stack"],
  ["Ctrl+wheel", "zoom about the pointer; drag to move"],
];

// A finished piece of state beside the canvas: what the stage shows now.
function useStage(props: FlameGraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage | null>(null);
  const engine = useRef<Engine | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [shown, setShown] = useState<{ prepared: Prepared; zoom: number } | null>(null);

  useLayoutEffect(() => {
    engine.current = new Engine();
    const made = new Stage(canvas.current!, scroller.current!, spacer.current!);
    stage.current = made;
    made.onShow = () => made.prepared && setShown({ prepared: made.prepared, zoom: made.zoom });
    const observer = new ResizeObserver(() => made.resize());
    observer.observe(scroller.current!);
    made.resize();
    return () => {
      observer.disconnect();
      made.close();
      engine.current?.close();
    };
  }, []);

  const theme = useShownTheme();
  const { tree, layout, colour, palette, normalise = false, collapse, zoom, rootName } = props;
  useLayoutEffect(() => {
    stage.current!.setLook({
      theme,
      upsideDown: layout === "flame",
      rootName: rootName ?? "all",
      painterOf: (of) => painterOf(of, colour, palette, theme, normalise),
      detail: (of, node) => detailText(of, node, normalise),
    });
  }, [theme, layout, colour, palette, normalise, rootName]);

  useLayoutEffect(() => {
    let current = true;
    const show = (prepared: Prepared) => current && stage.current!.show(prepared, latest.current.zoom);
    const prepared = engine.current!.prepare(tree, collapse, normalise);
    if (prepared instanceof Promise) void prepared.then(show);
    else show(prepared);
    return () => void (current = false);
  }, [tree, collapse, normalise]);

  const zoomKey = JSON.stringify(zoom);
  useLayoutEffect(() => stage.current!.zoomToPath(zoom), [zoomKey]);
  return { canvas, scroller, spacer, stage, engine, shown, theme };
}

// What the search finds, on the canvas and in numbers.
function useFound(props: FlameGraphProps, { stage, engine, shown }: ReturnType<typeof useStage>): Found {
  const [found, setFound] = useState<Found>({ sum: null, error: "" });
  const [marks, setMarks] = useState<{ names: Uint8Array; of: Prepared } | null>(null);
  const prepared = shown?.prepared ?? null;
  useEffect(() => {
    if (!prepared) return;
    let current = true;
    const take = (result: Awaited<ReturnType<Engine["find"]>>) => {
      if (!current) return;
      stage.current!.setMatches(result.matches, prepared);
      setMarks(result.matches && { names: result.matches.names, of: prepared });
      setFound({ sum: null, error: result.error });
    };
    const result = engine.current!.find(prepared, props.search);
    if (result instanceof Promise) void result.then(take);
    else take(result);
    return () => void (current = false);
  }, [prepared, props.search]);
  useEffect(() => {
    if (!marks || !shown || marks.of !== shown.prepared) return;
    const { tree } = shown.prepared;
    const sum = sumOf(tree, marks.names, shown.zoom);
    setFound({ sum, error: "" });
    const whole = tree.total[shown.zoom];
    props.onMatch?.(whole ? sum.value / whole : 0, sum.value, sum.count);
  }, [marks, shown]);
  useEffect(() => stage.current!.setSelected(props.selected), [props.selected, prepared]);
  return found;
}

export function FlameGraph(props: FlameGraphProps) {
  const parts = useStage(props);
  const { canvas, scroller, spacer, stage, shown, theme } = parts;
  const found = useFound(props, parts);
  const rootName = props.rootName ?? "all";
  const [tip, setTip] = useState<{ node: number; anchor: Anchor } | null>(null);
  const [menu, setMenu] = useState<{ node: number; anchor: Anchor } | null>(null);
  const [spoken, setSpoken] = useState("");
  const [note, setNote] = useState("");
  const latest = useRef(props);
  latest.current = props;

  useKeys(
    "Flame graph",
    help.map(([key, text]) => ({ key: `${key} `, help: text, run: () => {} })), // they work on the canvas only
  );

  // ---- what can be done ----

  const pathFor = (node: number): string[] | null => {
    const { prepared } = stage.current!;
    if (!prepared) return null;
    const origin = prepared.origin ? prepared.origin[node] : node;
    return origin < 0 ? null : pathOf(prepared.source, origin);
  };
  const zoomTo = (node: number) => {
    stage.current!.zoomTo(node);
    setTip(null);
    // A frame that was folded together of several has no path to ask for; it is zoomed into as it is.
    const path = pathFor(node);
    if (path) latest.current.onZoom(path);
  };
  const zoomToPath = (path: string[]) => {
    stage.current!.zoomToPath(path);
    setTip(null);
    latest.current.onZoom(path);
  };
  const zoomOut = () => {
    const { zoom, prepared, isAtZoom } = stage.current!;
    if (!prepared) return;
    if (!isAtZoom) stage.current!.zoomTo(zoom);
    else if (zoom > 0) zoomTo(prepared.tree.parent[zoom]);
    else if (prepared.source.rootPath.length) zoomToPath(prepared.source.rootPath.slice(0, -1));
  };
  const copy = async (what: string, text: string, node: number) => {
    setNote((await copyText(text)) ? `${what} copied` : `the browser did not let the ${what.toLowerCase()} be copied`);
    const { tree } = stage.current!.prepared!;
    latest.current.onAction?.("copy", nameOf(tree, node), pathOf(tree, node));
  };
  const copyName = (node: number) => copy("Name", nameOf(stage.current!.prepared!.tree, node) || rootName, node);
  const copyStack = (node: number) => copy("Stack", pathOf(stage.current!.prepared!.tree, node).join(";"), node);
  useEffect(() => {
    if (!note) return;
    const timer = setTimeout(() => setNote(""), 2500);
    return () => clearTimeout(timer);
  }, [note]);

  // ---- pointer ----

  const pointAt = (hit: number, event: PointerEvent) => {
    const made = stage.current!;
    const node = hit >= 0 ? hit : -1;
    canvas.current!.style.cursor = hit === -1 ? "default" : "pointer";
    if (made.hover !== node) {
      made.hover = node;
      made.invalidate();
    }
    setTip(node >= 0 ? { node, anchor: { x: event.clientX, y: event.clientY } } : null);
  };
  const leave = () => {
    stage.current!.hover = -1;
    stage.current!.invalidate();
    setTip(null);
  };
  const click = (hit: number) => {
    const made = stage.current!;
    if (hit <= -2) return zoomToPath(made.prepared!.source.rootPath.slice(0, -2 - hit));
    if (hit < 0) return;
    made.focus = -1;
    zoomTo(hit);
    latest.current.onSelect(nameOf(made.prepared!.tree, hit));
  };
  useEffect(
    () =>
      listenToPointer(canvas.current!, stage.current!, {
        hover: pointAt,
        leave,
        click,
        tap: (hit, event) => {
          pointAt(hit, event);
          if (hit >= 0) latest.current.onSelect(nameOf(stage.current!.prepared!.tree, hit));
        },
      }),
    [],
  );

  // ---- keyboard ----

  const focusOn = (node: number) => {
    const made = stage.current!;
    made.focus = node;
    made.reveal(node);
    const box = made.boxOf(node);
    const place = canvas.current!.getBoundingClientRect();
    setTip({ node, anchor: { x: place.left + Math.min(Math.max(box.left, 0) + 24, place.width), y: place.top + box.bottom } });
    setSpoken(spokenText(made.prepared!.tree, node, rootName));
  };
  const move = (direction: Direction) => {
    const { prepared, focus, zoom } = stage.current!;
    if (!prepared) return;
    focusOn(focus < 0 ? zoom : moveFocus(prepared.tree, prepared.layout, focus, zoom, direction));
  };
  const onKey = (event: KeyboardEvent) => {
    const made = stage.current!;
    if (!made.prepared || event.ctrlKey || event.metaKey || event.altKey) return;
    const down = props.layout === "flame" ? "caller" : "callee";
    const focus = made.focus < 0 ? made.zoom : made.focus;
    const keys: Record<string, () => void> = {
      ArrowUp: () => move(down === "caller" ? "callee" : "caller"),
      ArrowDown: () => move(down),
      ArrowLeft: () => move("left"),
      ArrowRight: () => move("right"),
      Home: () => focusOn(made.zoom),
      Enter: () => {
        zoomTo(focus);
        latest.current.onSelect(nameOf(made.prepared!.tree, focus));
      },
      Backspace: zoomOut,
      Escape: () => zoomToPath([]),
      c: () => void copyName(focus),
      C: () => void copyStack(focus),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  };

  // ---- menu ----

  const onContextMenu = (event: MouseEvent) => {
    event.preventDefault();
    const made = stage.current!;
    const byKey = event.button !== 2; // the menu key: at the focused frame
    const node = byKey ? made.focus : made.hit(event.offsetX, event.offsetY);
    if (node < 0) return;
    const box = made.boxOf(node);
    const place = canvas.current!.getBoundingClientRect();
    setTip(null);
    setMenu({ node, anchor: byKey ? { x: place.left + box.left, y: place.top + box.bottom } : { x: event.clientX, y: event.clientY } });
  };
  const itemsFor = (node: number): (MenuItem | null)[] => {
    const { tree } = shown!.prepared;
    const name = nameOf(tree, node);
    const act = (action: Action) => () => latest.current.onAction?.(action, name, pathFor(node) ?? pathOf(tree, node));
    const asks: (MenuItem | null)[] =
      props.onAction && name
        ? [
            null,
            { label: "Only stacks with this function", run: act("focus") },
            { label: "Without stacks with this function", run: act("ignore") },
            { label: "Leave this frame out of the stacks", run: act("hide") },
            { label: "Callers and callees of this function", run: act("sandwich") },
            { label: "Turn the stacks around", run: act("invert") },
          ]
        : [];
    return [
      { label: "Zoom in", key: "Enter", run: () => zoomTo(node) },
      { label: "Zoom out to everything", key: "Esc", run: () => zoomToPath([]) },
      ...asks,
      null,
      { label: "Copy name", key: "c", run: () => void copyName(node) },
      { label: "Copy stack", key: "C", run: () => void copyStack(node) },
    ];
  };

  // ---- the small map ----

  const map = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<Minimap | null>(null);
  const whole = useRef<Prepared | null>(null);
  useLayoutEffect(() => {
    const made = stage.current!;
    minimap.current = new Minimap(map.current!);
    made.onDraw = () => {
      const now = made.prepared;
      if (!now) return;
      const old = whole.current?.source;
      if (!now.source.rootPath.length || !old || old.grandTotal !== now.source.grandTotal || old.unit !== now.source.unit) whole.current = now;
      const useful = !made.isWhole || now !== whole.current || made.contentHeight > scroller.current!.clientHeight;
      map.current!.classList.toggle("flame-map-off", !useful);
      const scene = useful && made.sceneOf(whole.current!);
      if (scene) minimap.current!.draw(made, whole.current!, scene);
    };
  }, []);
  const onMap = (event: PointerEvent) => {
    const made = stage.current!;
    if (event.type === "pointermove" && !(event.buttons & 1)) return;
    if (made.prepared !== whole.current) return event.type === "pointerdown" ? zoomToPath([]) : undefined;
    made.centre((event.offsetX / map.current!.clientWidth) * made.prepared!.layout.whole);
  };

  // ---- what is around it ----

  const crumbs: Crumb[] = useMemo(() => {
    if (!shown) return [];
    const { tree, source } = shown.prepared;
    const path = source.rootPath;
    const list: Crumb[] = path.map((name, i) => ({ name, go: () => zoomToPath(path.slice(0, i + 1)) }));
    const nodes: number[] = [];
    for (let node = shown.zoom; node > 0; node = tree.parent[node]) nodes.push(node);
    return list.concat(nodes.reverse().map((node) => ({ name: nameOf(tree, node), go: () => zoomTo(node) })));
  }, [shown]);

  const tree = shown?.prepared.tree;
  const empty = isEmpty(props.tree);
  return (
    <section class="flame" aria-label="Flame graph">
      <div class="flame-bar">
        <Breadcrumb rootName={rootName} crumbs={crumbs} onReset={() => zoomToPath([])} />
        <span class="flame-found" role="status">
          {found.error ? <span class="flame-error">{found.error}</span> : found.sum && tree && foundText(found.sum, tree, shown!.zoom)}
        </span>
        <canvas class="flame-map flame-map-off" ref={map} aria-hidden="true" onPointerDown={onMap} onPointerMove={onMap} />
      </div>
      <div class={`flame-scroll${props.busy ? " flame-busy" : ""}`} ref={scroller} onScroll={() => (setTip(null), stage.current?.invalidate())}>
        <canvas
          class="flame-canvas"
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`Flame graph${tree ? ` of ${tree.name.length - 1} frames, ${formatValue(tree.total[0] ?? 0, tree.unit)}` : ""}. Arrow keys move, Enter zooms in, Backspace zooms out. The table has the same numbers.`}
          onKeyDown={onKey}
          onFocus={() => canvas.current!.matches(":focus-visible") && stage.current!.prepared && focusOn(stage.current!.zoom)}
          onBlur={() => {
            stage.current!.focus = -1;
            leave();
          }}
          onContextMenu={onContextMenu}
        />
        <div ref={spacer} />
        {empty && <p class="flame-empty">No samples</p>}
      </div>
      <footer class="flame-foot">
        {tree && <span class="flame-hidden">{hiddenText(tree, shown!.prepared)}</span>}
        {tree && !empty && <Legend tree={tree} root={shown!.zoom} colouring={props.colour} palette={props.palette} theme={theme} />}
      </footer>
      <div class="hidden-text" aria-live="polite">
        {note || spoken}
      </div>
      {note && <div class="flame-note">{note}</div>}
      {tip && tree && !menu && tip.node < tree.name.length && (
        <Tooltip tree={tree} node={tip.node} view={shown!.zoom} rootName={rootName} normalise={props.normalise ?? false} anchor={tip.anchor} />
      )}
      {menu && tree && menu.node < tree.name.length && (
        <Menu
          title={nameOf(tree, menu.node) || rootName}
          items={itemsFor(menu.node)}
          anchor={menu.anchor}
          onClose={() => {
            setMenu(null);
            canvas.current!.focus({ preventScroll: true });
          }}
        />
      )}
    </section>
  );
}

function foundText(sum: MatchSum, tree: Tree, zoom: number): string {
  if (!sum.count) return "nothing found";
  const frames = `${sum.count.toLocaleString("en-US")} ${sum.count === 1 ? "frame" : "frames"}`;
  return `${frames}: ${formatValue(sum.value, tree.unit)}, ${shareText(sum.value, tree.total[zoom])}${zoom > 0 || tree.rootPath.length ? " of the view" : ""}`;
}
