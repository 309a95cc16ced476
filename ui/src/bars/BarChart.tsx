// SPDX-License-Identifier: Apache-2.0
// Stacked bars over time: numbers of log records or spans in buckets of equal length. A drag or a
// click selects buckets; the arrow keys do the same.
import { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useSize } from "../base/components";
import { formatTime } from "../base/time";
import { timeTicks } from "../heat/HeatCanvas";
import "../heat/heat.css";
import "./bars.css";

export interface BarSeries {
  name: string;
  colour: string;
  values: readonly number[]; // one for each bucket
}

export interface BarGrid {
  start: number; // ms; begin of the first bucket
  step: number; // ms
  columns: number;
}

const between = (value: number, most: number) => Math.max(0, Math.min(most, value));

// Return the smallest round number (1, 2, 5 times a power of ten) that is not less than the value.
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((n) => n * power >= value * (1 - 1e-9)) ?? 10) * power;
}

function Bars(props: { grid: BarGrid; series: readonly BarSeries[]; most: number }) {
  const { columns } = props.grid;
  const bars = [];
  for (let column = 0; column < columns; column++) {
    let top = 0;
    for (const { name, colour, values } of props.series) {
      const height = (values[column] ?? 0) / props.most;
      if (!height) continue;
      top += height;
      bars.push(
        <rect
          key={`${column} ${name}`}
          x={column + 0.04}
          width={0.92}
          y={1 - top}
          height={height}
          fill={colour}
        />,
      );
    }
  }
  return (
    <svg viewBox={`0 0 ${columns} 1`} preserveAspectRatio="none" aria-hidden="true">
      {bars}
    </svg>
  );
}

// `series`: from the bottom of the bars to their top. `onSelect` gets the begin and end (ms) of the
// selected buckets.
export function BarChart(props: {
  grid: BarGrid;
  series: readonly BarSeries[];
  height: number;
  label: string;
  format: (value: number) => string;
  onSelect: (from: number, to: number) => void;
  onReset?: () => void;
}) {
  const { grid, series, height } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const [drag, setDrag] = useState<{ from: number; to: number; keys: boolean }>();
  const [hover, setHover] = useState<number>();
  const cells = useRef<HTMLDivElement>(null);
  const sums = Array.from({ length: grid.columns }, (_, i) =>
    series.reduce((n, s) => n + (s.values[i] ?? 0), 0),
  );
  const most = roundUp(Math.max(...sums, 0));
  const at = (event: PointerEvent) => {
    const rect = cells.current!.getBoundingClientRect();
    return between(
      Math.floor(((event.clientX - rect.left) / rect.width) * grid.columns),
      grid.columns - 1,
    );
  };
  const select = (a: number, b: number) =>
    props.onSelect(
      grid.start + Math.min(a, b) * grid.step,
      grid.start + (Math.max(a, b) + 1) * grid.step,
    );
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    const moves: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -grid.columns,
      End: grid.columns,
    };
    if (event.key in moves) {
      const to = drag ? between(drag.to + moves[event.key], grid.columns - 1) : 0;
      setDrag({ from: event.shiftKey && drag ? drag.from : to, to, keys: true });
    } else if (event.key === "Enter" && drag) {
      select(drag.from, drag.to);
      setDrag(undefined);
    } else if (event.key === "Escape" && drag) setDrag(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const [left, right] = drag
    ? [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)]
    : [hover, hover];
  const from = left === undefined ? 0 : grid.start + left * grid.step;
  const to = right === undefined ? 0 : grid.start + (right + 1) * grid.step;
  const sumOf = (s: BarSeries) =>
    s.values.slice(left, right! + 1).reduce((n, value) => n + (value ?? 0), 0);
  const tipLeft = ((right ?? 0) + 1) / grid.columns;
  return (
    <div class="heat-map bar-chart">
      <div class="heat-rows soft" aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <span key={share} style={{ top: `${share * height}px` }}>
            {props.format(most * (1 - share))}
          </span>
        ))}
      </div>
      <div class="heat-field" ref={box}>
        <div
          class="heat-cells"
          ref={cells}
          style={{ height: `${height}px` }}
          tabIndex={0}
          role="application"
          aria-roledescription="bar chart"
          aria-label={props.label}
          onKeyDown={onKeyDown}
          onBlur={() => drag?.keys && setDrag(undefined)}
          onPointerDown={(event) => {
            if (event.button) return;
            event.currentTarget.setPointerCapture(event.pointerId);
            setDrag({ from: at(event), to: at(event), keys: false });
          }}
          onPointerMove={(event) =>
            drag && !drag.keys ? setDrag({ ...drag, to: at(event) }) : setHover(at(event))
          }
          onPointerLeave={() => setHover(undefined)}
          onPointerCancel={() => setDrag(undefined)}
          onPointerUp={() => {
            if (!drag || drag.keys) return;
            setDrag(undefined);
            select(drag.from, drag.to);
          }}
          onDblClick={props.onReset}
        >
          <Bars grid={grid} series={series} most={most} />
          {left !== undefined && (
            <div
              class="heat-cursor"
              style={{
                left: `${(100 * left) / grid.columns}%`,
                width: `${(100 * (right! - left + 1)) / grid.columns}%`,
                top: 0,
                bottom: 0,
              }}
            />
          )}
        </div>
        <div class="heat-times soft" aria-hidden="true">
          {timeTicks(grid, size.width).map((column) => (
            <span key={column} style={{ left: `${(100 * column) / grid.columns}%` }}>
              {formatTime(grid.start + column * grid.step).slice(11, 19)}
            </span>
          ))}
        </div>
        {left !== undefined && (
          <div
            class="heat-tip"
            role={drag?.keys ? "status" : undefined}
            style={
              tipLeft < 0.7
                ? { left: `calc(${100 * tipLeft}% + 8px)`, top: 0 }
                : { right: `calc(${100 * (1 - left / grid.columns)}% + 8px)`, top: 0 }
            }
          >
            <span>
              {formatTime(from)} – {formatTime(to).slice(11)}
            </span>
            {[...series].reverse().map((s) => (
              <span key={s.name} class="bar-tip">
                <i class="swatch" style={{ background: s.colour }} /> {s.name}{" "}
                <strong>{props.format(sumOf(s))}</strong>
              </span>
            ))}
          </div>
        )}
      </div>
    </div>
  );
}
