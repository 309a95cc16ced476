// SPDX-License-Identifier: Apache-2.0
// The canvas of a heat map. It is redrawn when the data or the size changes; the cursor, the
// rectangle and the tooltip are elements above it.
import { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useSize } from "../base/components";
import { useShownTheme } from "../base/theme";
import { formatTime } from "../base/time";
import { Cell, Cells, cellsBetween, Grid, holds, move } from "./grid";
import { greatestShown, levelColour, levelOf, levels } from "./colour_scale";

const widestCell = 40;

export interface RowLabel {
  share: number; // place between the top (0) and the bottom (1)
  text: string;
}

function draw(
  canvas: HTMLCanvasElement,
  answer: Grid,
  width: number,
  rowPixels: number,
  theme: "light" | "dark",
) {
  const ratio = devicePixelRatio || 1;
  const { columns, rows, values } = answer;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(rows * rowPixels * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  const greatest = greatestShown(values);
  const byLevel: number[][] = Array.from({ length: levels + 1 }, () => []);
  values.forEach((value, cell) => byLevel[levelOf(value, greatest)].push(cell));
  const x = (column: number) => Math.round((column * canvas.width) / columns);
  const y = (row: number) => Math.round((row * canvas.height) / rows);
  const gap = canvas.width / columns > 5 * ratio ? 1 : 0; // wide cells are separated
  // Draw the hottest cells last: they win where columns are narrower than a pixel.
  for (let level = 1; level <= levels; level++) {
    context.fillStyle = levelColour(theme, level);
    for (const cell of byLevel[level]) {
      const column = Math.floor(cell / rows);
      const row = cell % rows;
      context.fillRect(
        x(column),
        y(row),
        Math.max(1, x(column + 1) - x(column) - gap),
        y(row + 1) - y(row),
      );
    }
  }
}

// Return the columns of the ticks on the time axis, at round times, at least 90 pixels apart.
export function timeTicks(
  answer: Pick<Grid, "start" | "step" | "columns">,
  width: number,
): number[] {
  const maxTicks = Math.max(1, Math.floor(width / 90));
  const every =
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900].find((n) => answer.columns / n <= maxTicks) ??
    900;
  const first = (every - (Math.round(answer.start / answer.step) % every)) % every;
  const ticks = [];
  for (let column = first; column < answer.columns; column += every) ticks.push(column);
  // Omit ticks whose text does not fit.
  return ticks.filter((column) => (column / answer.columns) * width < width - 54);
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

function boxOf(cells: Cells, answer: Grid, width: number, rowPixels: number): Box {
  const cellWidth = width / answer.columns;
  return {
    left: cells.left * cellWidth,
    top: cells.top * rowPixels,
    width: Math.max(2, (cells.right - cells.left + 1) * cellWidth),
    height: (cells.bottom - cells.top + 1) * rowPixels,
  };
}

// `describe`: the range and the value of some cells, for the tooltip.
export function HeatCanvas(props: {
  grid: Grid;
  rowPixels: number;
  rowLabels: readonly RowLabel[];
  label: string;
  describe: (cells: Cells) => readonly string[];
  chosen: Cells | undefined;
  onChoose: (cells: Cells | undefined) => void;
}) {
  const { grid: answer, rowPixels } = props;
  const theme = useShownTheme();
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  // Drawn with the pointer or with the keys.
  const [drag, setDrag] = useState<{ from: Cell; to: Cell; keys: boolean }>();
  const [hover, setHover] = useState<Cell>();
  const width = Math.floor(Math.min(size.width, answer.columns * widestCell));
  const height = answer.rows * rowPixels;

  useEffect(() => {
    if (canvas.current && width > 0) draw(canvas.current, answer, width, rowPixels, theme);
  }, [answer, width, rowPixels, theme]);

  const cellAt = (event: PointerEvent): Cell => {
    const rect = canvas.current!.getBoundingClientRect();
    return move(
      answer,
      {
        column: Math.floor(((event.clientX - rect.left) / rect.width) * answer.columns),
        row: Math.floor(((event.clientY - rect.top) / rect.height) * answer.rows),
      },
      0,
      0,
    );
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    const start = props.chosen
      ? { column: props.chosen.left, row: props.chosen.top }
      : { column: 0, row: 0 };
    const now = drag ?? { from: start, to: start, keys: true };
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
      Home: [-answer.columns, 0],
      End: [answer.columns, 0],
      PageUp: [0, -10],
      PageDown: [0, 10],
    };
    if (event.key in steps) {
      const to = drag ? move(answer, now.to, ...steps[event.key]) : now.to;
      setDrag({ from: event.shiftKey ? now.from : to, to, keys: true });
    } else if (event.key === "Enter" && drag) {
      props.onChoose(cellsBetween(drag.from, drag.to));
      setDrag(undefined);
    } else if (event.key === "Escape" && drag) setDrag(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shown = drag
    ? cellsBetween(drag.from, drag.to)
    : hover
      ? cellsBetween(hover, hover)
      : undefined;
  const words = shown && props.describe(shown);
  // Place the tooltip beside its cells, within the map.
  useEffect(() => {
    if (!tip.current || !shown) return;
    const at = boxOf(shown, answer, width, rowPixels);
    const right = at.left + at.width + 10;
    const fits = right + tip.current.offsetWidth <= size.width;
    tip.current.style.left = `${fits ? right : Math.max(0, at.left - tip.current.offsetWidth - 10)}px`;
    tip.current.style.top = `${Math.min(at.top, height - tip.current.offsetHeight)}px`;
  });
  const ticks = useMemo(() => timeTicks(answer, width), [answer, width]);
  const mark = (cells: Cells, name: string) => {
    const at = boxOf(cells, answer, width, rowPixels);
    return (
      <div
        class={name}
        style={{
          left: `${at.left}px`,
          top: `${at.top}px`,
          width: `${at.width}px`,
          height: `${at.height}px`,
        }}
      />
    );
  };

  return (
    <div class="heat-map">
      <div class="heat-rows soft" aria-hidden="true">
        {props.rowLabels.map(({ share, text }) => (
          <span key={share} style={{ top: `${share * height}px` }}>
            {text}
          </span>
        ))}
      </div>
      <div class="heat-field" ref={box}>
        <div
          class="heat-cells"
          style={{ width: `${width}px`, height: `${height}px` }}
          tabIndex={0}
          role="application"
          aria-roledescription="heat map"
          aria-label={props.label}
          onKeyDown={onKeyDown}
          onBlur={() => drag?.keys && setDrag(undefined)}
          onPointerDown={(event) => {
            if (event.button) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ from: cellAt(event), to: cellAt(event), keys: false });
          }}
          onPointerMove={(event) =>
            drag && !drag.keys ? setDrag({ ...drag, to: cellAt(event) }) : setHover(cellAt(event))
          }
          onPointerLeave={() => setHover(undefined)}
          onPointerCancel={() => setDrag(undefined)}
          onPointerUp={() => {
            if (!drag || drag.keys) return;
            const clicked = drag.from.column === drag.to.column && drag.from.row === drag.to.row;
            setDrag(undefined);
            setHover(undefined);
            // A click into the rectangle removes it.
            props.onChoose(
              clicked && props.chosen && holds(props.chosen, drag.from)
                ? undefined
                : cellsBetween(drag.from, drag.to),
            );
          }}
        >
          <canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} />
          {props.chosen && mark(props.chosen, "heat-chosen")}
          {shown && mark(shown, "heat-cursor")}
        </div>
        <div class="heat-times soft" aria-hidden="true" style={{ width: `${width}px` }}>
          {ticks.map((column) => (
            <span key={column} style={{ left: `${(column / answer.columns) * width}px` }}>
              {formatTime(answer.start + column * answer.step).slice(11)}
            </span>
          ))}
        </div>
        {words && (
          <div class="heat-tip" ref={tip} role={drag?.keys ? "status" : undefined}>
            <strong>{words[1]}</strong>
            <span>{words[0]}</span>
          </div>
        )}
      </div>
    </div>
  );
}

export function Legend(props: { values: readonly number[]; format: (value: number) => string }) {
  const theme = useShownTheme();
  const greatest = useMemo(() => greatestShown(props.values), [props.values]);
  const over = useMemo(() => props.values.some((v) => v > greatest), [props.values, greatest]);
  const stops = [1, 16, 32, 48, 64].map((level) => levelColour(theme, level)).join(", ");
  return (
    <span class="heat-legend soft">
      0 <span class="heat-gradient" style={{ background: `linear-gradient(to right, ${stops})` }} />{" "}
      {props.format(greatest)}
      {over && " and more"} per cell
    </span>
  );
}
