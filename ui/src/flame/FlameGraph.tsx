// SPDX-License-Identifier: Apache-2.0
// The flame graph: canvas, breadcrumb, search result, tooltip, menu, minimap, legend of colours,
// and a note on hidden frames. It sends no queries: a zoom calls onZoom(), and the owner passes the
// tree of that path, in which more frames are visible. The parent must set a height; higher content
// scrolls.
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { useKeys } from "../base/keys";
import { formatValue } from "../base/units";
import { Breadcrumb, Crumb } from "./controls/Breadcrumb";
import { Controls, keyHelp, Overlay } from "./controls/controls";
import "./flame.css";
import { Legend } from "./controls/Legend";
import { MinimapView } from "./controls/MinimapView";
import { Menu } from "./controls/Menu";
import { isEmpty, nameOf, Tree } from "./model/tree";
import { listenToPointer } from "./controls/pointer";
import type { FlameGraphProps } from "./props";
import { refName } from "./model/refs";
import { foundText, hiddenText } from "./text/status";
import { Tooltip } from "./controls/Tooltip";
import { SearchResult, Shown, StageParts, useSearch, useStage } from "./useStage";

export { toPng, toSvg } from "./canvas/image_export";
export type { Action, FlameGraphProps } from "./props";

const noteMs = 2500;

function useControls({ canvas, stage, latest }: StageParts) {
  const [overlay, show] = useReducer(
    (old: Overlay, change: Partial<Overlay>) => ({ ...old, ...change }),
    {
      tip: null,
      menu: null,
      spoken: "",
      note: "",
    },
  );
  const controls = useRef<Controls>(null as unknown as Controls);
  useLayoutEffect(() => {
    controls.current = new Controls(stage.current, canvas.current!, () => latest.current, show);
    return listenToPointer(canvas.current!, stage.current, controls.current);
  }, []);
  useEffect(() => {
    if (!overlay.note) return;
    const timer = setTimeout(() => show({ note: "" }), noteMs);
    return () => clearTimeout(timer);
  }, [overlay.note]);
  return { controls, overlay, show };
}

function crumbsOf({ prepared, zoom }: Shown, controls: Controls): Crumb[] {
  const { tree, source } = prepared;
  const path = source.rootPath;
  const nodes: number[] = [];
  for (let node = zoom; node > 0; node = tree.parent[node]) nodes.push(node);
  return [
    ...path.map((ref, i) => ({
      name: refName(ref),
      go: () => controls.zoomToPath(path.slice(0, i + 1)),
    })),
    ...nodes
      .reverse()
      .map((node) => ({ name: nameOf(tree, node), go: () => controls.zoomTo(node) })),
  ];
}

const labelOf = (tree: Tree | undefined) =>
  `Flame graph${tree ? ` of ${tree.name.length - 1} frames, ${formatValue(tree.total[0] ?? 0, tree.unit)}` : ""}. ` +
  "Arrow keys move, Enter zooms in, Backspace zooms out. The table has the same numbers.";

function Bar({
  parts,
  found,
  controls,
  rootName,
  normalise,
}: {
  parts: StageParts;
  found: SearchResult;
  controls: () => Controls;
  rootName: string;
  normalise: boolean;
}) {
  const { shown } = parts;
  const crumbs = useMemo(() => (shown ? crumbsOf(shown, controls()) : []), [shown]);
  const reset = () => controls().zoomToPath([]);
  return (
    <div class="flame-bar">
      <Breadcrumb rootName={rootName} crumbs={crumbs} onReset={reset} />
      {parts.latest.current.search && found.found?.sum && found.found.sum.count > 0 && (
        <span class="group flame-steps">
          <button
            type="button"
            class="small"
            title="Previous match (N)"
            aria-label="Previous match"
            onClick={() => controls().match(-1)}
          >
            ‹
          </button>
          <button
            type="button"
            class="small"
            title="Next match (n)"
            aria-label="Next match"
            onClick={() => controls().match(1)}
          >
            ›
          </button>
        </span>
      )}
      <span class="flame-found" role="status">
        {found.error ? (
          <span class="flame-error">{found.error}</span>
        ) : (
          found.found && shown && foundText(found.found, shown.prepared.tree, shown.zoom, normalise)
        )}
      </span>
      <MinimapView stage={parts.stage} onReset={reset} />
    </div>
  );
}

function HiddenLine({ shown }: { shown: Shown | null }) {
  const text = shown ? hiddenText(shown.prepared.tree, shown.prepared) : "";
  return (
    <span class="flame-hidden" title={text}>
      {text}
    </span>
  );
}

export function FlameGraph(props: FlameGraphProps) {
  const parts = useStage(props);
  const { canvas, scroller, spacer, stage, shown, theme } = parts;
  const found = useSearch(props, parts);
  const { controls, overlay, show } = useControls(parts);
  const rootName = props.rootName ?? "all";
  // These keys work on the canvas only. With the trailing space their names match no key event;
  // they are listed in the help.
  useKeys(
    "Flame graph",
    keyHelp.map(([key, text]) => ({ key: `${key} `, help: text, run: () => {} })),
  );

  const blur = () => {
    stage.current.focus = -1;
    controls.current.leave();
  };
  const closeMenu = () => {
    show({ menu: null });
    canvas.current!.focus({ preventScroll: true });
  };
  const { tip, menu, note, spoken } = overlay;
  const tree = shown?.prepared.tree;
  const empty = isEmpty(props.tree);
  return (
    <div class="flame">
      <Bar
        parts={parts}
        found={found}
        controls={() => controls.current}
        rootName={rootName}
        normalise={props.normalise ?? false}
      />
      <div
        class={`flame-scroll${props.busy ? " flame-busy" : ""}`}
        ref={scroller}
        onScroll={() => (show({ tip: null }), stage.current.invalidate())}
      >
        <canvas
          class="flame-canvas"
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={labelOf(tree)}
          onKeyDown={(event) => controls.current.key(event)}
          onFocus={() =>
            canvas.current!.matches(":focus-visible") &&
            tree &&
            controls.current.focusOn(stage.current.zoom)
          }
          onBlur={blur}
          onContextMenu={(event) => controls.current.menu(event)}
        />
        <div ref={spacer} />
        {empty && <p class="flame-empty">No samples</p>}
      </div>
      <footer class="flame-foot">
        {tree && (
          <Legend
            prepared={shown!.prepared}
            root={shown!.zoom}
            sums={props.sums}
            colouring={props.colour}
            palette={props.palette}
            theme={theme}
            shares={props.shares ?? true}
          />
        )}
        <HiddenLine shown={shown} />
      </footer>
      <div class="hidden-text" aria-live="polite">
        {note || spoken}
      </div>
      {note && <div class="flame-note">{note}</div>}
      {tip && tree && !menu && tip.node < tree.name.length && (
        <Tooltip
          tree={tree}
          node={tip.node}
          view={shown!.zoom}
          rootName={rootName}
          normalise={props.normalise ?? false}
          anchor={tip.anchor}
        />
      )}
      {menu && tree && menu.node < tree.name.length && (
        <Menu
          title={nameOf(tree, menu.node) || rootName}
          items={controls.current.items(menu.node)}
          anchor={menu.anchor}
          onClose={closeMenu}
        />
      )}
    </div>
  );
}
