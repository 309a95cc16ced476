// SPDX-License-Identifier: Apache-2.0
// One panel on the grid: its title, its menu, and its content, which is loaded when the panel comes
// into view. In edit mode it is moved and resized with the pointer or the keyboard.
import { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Popover } from "../base/components";
import { PanelContext } from "./panels/panel_queries";
import { FlamePanel } from "./panels/FlamePanel";
import { HeatPanel } from "./panels/HeatPanel";
import { LogsPanel, TracesPanel } from "./panels/ListPanels";
import { Markdown } from "./panels/markdown";
import { BarPanel, ChartPanel, Scroll, StatPanel } from "./panels/SeriesPanels";
import { TablePanel } from "./panels/TablePanel";
import { Panel } from "./model";
import { substituteText } from "./variables";

const nearPixels = "300px"; // panels are loaded before they come into view

// Whether an element is in or near the window.
function useVisible() {
  const ref = useRef<HTMLElement>(null);
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => setVisible(entries[entries.length - 1].isIntersecting),
      { rootMargin: nearPixels },
    );
    observer.observe(ref.current!);
    return () => observer.disconnect();
  }, []);
  return [ref, visible] as const;
}

function Content(props: { panel: Panel; context: PanelContext }) {
  const { panel, context } = props;
  switch (panel.type) {
    case "chart":
      return <ChartPanel panel={panel} context={context} />;
    case "stat":
      return <StatPanel panel={panel} context={context} />;
    case "bar":
      return <BarPanel panel={panel} context={context} />;
    case "heat":
      return <HeatPanel panel={panel} context={context} />;
    case "table":
      return <TablePanel panel={panel} context={context} />;
    case "flame":
      return <FlamePanel panel={panel} context={context} />;
    case "traces":
      return <TracesPanel panel={panel} context={context} />;
    case "logs":
      return <LogsPanel panel={panel} context={context} />;
    case "text":
      return (
        <Scroll label={panel.title || "Text"}>
          <Markdown text={substituteText(panel.text ?? "", context.values)} />
        </Scroll>
      );
    default:
      return null;
  }
}

export interface PanelActions {
  move: (dx: number, dy: number) => void;
  resize: (dw: number, dh: number) => void;
  edit: () => void;
  duplicate: () => void;
  remove: () => void;
}

function EditMenu(props: { actions: PanelActions; title: string }) {
  const { actions } = props;
  const items: readonly (readonly [string, string, () => void])[] = [
    ["Edit", "Enter", actions.edit],
    ["Duplicate", "d", actions.duplicate],
    ["Delete", "Delete", actions.remove],
    ["Move left", "←", () => actions.move(-1, 0)],
    ["Move right", "→", () => actions.move(1, 0)],
    ["Move up", "↑", () => actions.move(0, -1)],
    ["Move down", "↓", () => actions.move(0, 1)],
    ["Wider", "Shift →", () => actions.resize(1, 0)],
    ["Narrower", "Shift ←", () => actions.resize(-1, 0)],
    ["Taller", "Shift ↓", () => actions.resize(0, 1)],
    ["Lower", "Shift ↑", () => actions.resize(0, -1)],
  ];
  return (
    <Popover
      label={<span aria-hidden="true">⋯</span>}
      title={`Change the panel ${props.title}`}
      class="quiet icon small"
      align="right"
    >
      {(close) => (
        <div class="presets panel-menu">
          {items.map(([name, key, run], i) => (
            <button
              type="button"
              class="quiet"
              key={name}
              onClick={() => {
                run();
                if (i < 3) close();
              }}
            >
              {name} <span class="spread" /> <kbd>{key}</kbd>
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

// Change the panel while the pointer moves by whole cells.
function useDrag(
  cell: () => { width: number; height: number },
  change: (dx: number, dy: number) => void,
) {
  const start = useRef<{ x: number; y: number; dx: number; dy: number }>();
  const latest = useRef(change);
  latest.current = change;
  return {
    onPointerDown: (event: JSX.TargetedPointerEvent<HTMLElement>) => {
      if (event.button || (event.target as HTMLElement).closest("button, a")) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      start.current = { x: event.clientX, y: event.clientY, dx: 0, dy: 0 };
    },
    onPointerMove: (event: JSX.TargetedPointerEvent<HTMLElement>) => {
      const from = start.current;
      if (!from) return;
      const { width, height } = cell();
      const dx = Math.round((event.clientX - from.x) / width);
      const dy = Math.round((event.clientY - from.y) / height);
      if (dx === from.dx && dy === from.dy) return;
      latest.current(dx - from.dx, dy - from.dy);
      start.current = { ...from, dx, dy };
    },
    onPointerUp: () => (start.current = undefined),
    onPointerCancel: () => (start.current = undefined),
  };
}

export function PanelFrame(props: {
  panel: Panel;
  context: PanelContext;
  actions?: PanelActions; // in edit mode
  alone: boolean; // it is the only panel that is shown
  onAlone: () => void;
  cell: () => { width: number; height: number };
}) {
  const { panel, context, actions, alone } = props;
  const [frame, visible] = useVisible();
  const title = substituteText(panel.title ?? "", context.values);
  const drag = useDrag(props.cell, (dx, dy) => actions?.move(dx, dy));
  const stretch = useDrag(props.cell, (dw, dh) => actions?.resize(dw, dh));
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLElement>) => {
    if (!actions || event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
    const step = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    }[event.key];
    if (step && event.shiftKey) actions.resize(step[0], step[1]);
    else if (step) actions.move(step[0], step[1]);
    else if (event.key === "Enter") actions.edit();
    else if (event.key === "d") actions.duplicate();
    else if (event.key === "Delete" || event.key === "Backspace") actions.remove();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = alone
    ? {}
    : {
        gridColumn: `${panel.x + 1} / span ${panel.w}`,
        gridRow: `${panel.y + 1} / span ${panel.h}`,
      };
  const heading = panel.type === "row";
  return (
    <section
      ref={frame}
      class={[
        `board-panel board-${panel.type}`,
        heading ? "" : "panel",
        actions ? "editing" : "",
        alone ? "alone" : "",
      ].join(" ")}
      style={place}
      aria-label={title || panel.type}
      tabIndex={actions ? 0 : undefined}
      onKeyDown={onKeyDown}
    >
      {(title || actions || !["text"].includes(panel.type)) && (
        <div class="board-head row" {...(actions ? drag : {})}>
          <h2 class="clip" title={panel.description || title}>
            <bdi>{title}</bdi>
          </h2>
          {panel.description && (
            <span
              class="soft board-about"
              title={panel.description}
              aria-label={panel.description}
              role="note"
            >
              ⓘ
            </span>
          )}
          <span class="spread" />
          {!heading && !actions && (
            <button
              type="button"
              class="quiet icon small board-alone"
              title={alone ? "Show all panels (Esc)" : "Show only this panel"}
              aria-label={alone ? "Show all panels" : `Show only ${title || "this panel"}`}
              onClick={props.onAlone}
            >
              {alone ? "⤡" : "⤢"}
            </button>
          )}
          {actions && <EditMenu actions={actions} title={title} />}
        </div>
      )}
      {!heading && (
        <div class="board-body">
          <Content panel={panel} context={{ ...context, wanted: context.wanted && visible }} />
        </div>
      )}
      {actions && <span class="board-resize" aria-hidden="true" {...stretch} />}
    </section>
  );
}
