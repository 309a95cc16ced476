// SPDX-License-Identifier: Apache-2.0
// The chart of values over time. A drag zooms into a range; a double click zooms out.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { SeriesAnswer } from "../api/types";
import { useSize } from "../base/components";
import { useShownTheme } from "../base/theme";
import { formatTime } from "../base/time";
import { formatValue } from "../base/units";
import { lazy } from "../base/lazy";
import { fontOf } from "../flame/canvas/stage";
import { Line, linesOf } from "./chart_lines";
import { axisOf, stepText } from "./value_axis";

// Format a tick: the time of day, or the date at midnight and for steps of days.
export function tickText(ms: number, stepSeconds: number): string {
  const time = formatTime(ms);
  const day = time.slice(5, 10);
  if (stepSeconds >= 86400) return day;
  const clock = stepSeconds < 60 ? time.slice(11) : time.slice(11, 16);
  return clock === "00:00" ? day : clock;
}

const charts = lazy(() => import("uplot"));

// Draw each bucket over its own time: a horizontal line from its begin to its end, with steps
// between adjacent buckets.
const stepped =
  (stepSeconds: number, filled: boolean): uPlot.Series.PathBuilder =>
  (u, index) => {
    const [stroke, fill] = [new Path2D(), new Path2D()];
    const ground = u.valToPos(0, "y", true);
    let end: number | undefined; // right edge of the previous bucket, if it has data
    const last = u.data[0].length - 1;
    for (let i = 0; i <= last; i++) {
      const value = u.data[index][i];
      if (value === null || value === undefined) {
        end = undefined;
        continue;
      }
      const [left, right] = [
        u.valToPos(u.data[0][i], "x", true),
        u.valToPos(u.data[0][i] + stepSeconds, "x", true),
      ];
      const y = u.valToPos(value, "y", true);
      if (end === undefined) stroke.moveTo(left, filled ? ground : y);
      stroke.lineTo(left, y);
      stroke.lineTo(right, y);
      if (filled && (i === last || u.data[index][i + 1] === null)) stroke.lineTo(right, ground);
      fill.rect(left, y, Math.max(1, right - left), ground - y);
      end = right;
    }
    return { stroke, fill };
  };

// Return the text of the tooltip: the time of a bucket and its values.
function tipText(
  from: number,
  step: number,
  lines: readonly Line[],
  at: number,
  format: (value: number) => string,
): string {
  const values = lines
    .slice(0, 6)
    .map(
      (l) =>
        `${lines.length > 1 ? `${l.label}: ` : ""}${l.values[at] === null ? "no data" : format(l.values[at]!)}`,
    );
  return [`${formatTime(from)} – ${formatTime(from + step).slice(11)}`, ...values].join("\n");
}

interface TimelineProps {
  answer: SeriesAnswer | undefined;
  by: string;
  height?: number;
  range: { from: number; to: number }; // ms; range of the time axis
  greatest?: number; // lower bound for the top of the value axis
  band?: { from: number; to: number }; // ms; highlighted part of the range
  marks?: readonly { time: number; text: string }[]; // ms; events, drawn as vertical lines
  onSelect: (from: number, to: number) => void;
  onReset?: () => void;
  onPick?: (value: string) => void; // a click on a label value in the legend
  label?: string;
}

// Keep the chart while the pointer is pressed on it: redrawing it for a new answer would end a
// drag.
export function Timeline(props: TimelineProps) {
  const shown = useRef(props);
  const [held, hold] = useState(false);
  if (!held) shown.current = props;
  const press = () => {
    hold(true);
    // Listen on the window: the chart's own listener, which selects, must run first.
    addEventListener("mouseup", () => hold(false), { once: true });
  };
  return (
    <Chart
      {...shown.current}
      onSelect={props.onSelect}
      onReset={props.onReset}
      onPick={props.onPick}
      onPress={press}
    />
  );
}

function Chart(props: TimelineProps & { onPress: () => void }) {
  const [box, size] = useSize<HTMLDivElement>();
  const theme = useShownTheme();
  const handlers = useRef(props);
  handlers.current = props;
  const { times, lines } = props.answer
    ? linesOf(props.answer, props.by)
    : { times: [], lines: [] };
  const unit = props.answer?.unit ?? "";
  const step = props.answer?.step ?? 1000;
  const axis = props.answer && axisOf(props.answer);
  const height = props.height ?? 112;

  const Plot = charts.use(size.width > 0)?.default;
  // A layout effect: otherwise a press between the render and the new chart would begin a drag on
  // the old chart.
  useLayoutEffect(() => {
    if (!Plot || !box.current || !size.width || !axis) return; // its space stays reserved
    const css = getComputedStyle(document.documentElement);
    const colour = (name: string) => css.getPropertyValue(name).trim();
    const look = {
      stroke: colour("--text-soft"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: fontOf(),
    };
    const plot = new Plot(
      {
        width: size.width,
        height,
        padding: [8, 30, 0, 0], // half of the last tick's text is beyond the end
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, setScale: false },
          points: { show: false },
          y: false,
          dataIdx: (_u, _series, _closest, seconds) =>
            Math.max(
              0,
              Math.min(times.length - 1, Math.floor(((seconds - times[0]) * 1000) / step)),
            ),
        },
        scales: {
          x: { time: true, range: () => [props.range.from / 1000, props.range.to / 1000] },
          y: {
            range: (_u, _least, own) => [0, Math.max(own ?? 0, props.greatest ?? 0) * 1.08 || 1],
          },
        },
        axes: [
          {
            ...look,
            size: 24,
            space: 90,
            values: (_u, ticks, _axis, _space, step) => ticks.map((t) => tickText(t * 1000, step)),
          },
          {
            ...look,
            size: 72,
            space: 28,
            incrs: axis.ticks,
            values: (_u, ticks) => ticks.map(axis.format),
          },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.colour,
            width: lines.length === 1 ? 1 : 1.5,
            fill: lines.length === 1 ? `${line.colour}44` : undefined,
            paths: stepped(step / 1000, lines.length === 1),
            points: { show: false },
          })),
        ],
        hooks: {
          drawClear: [
            (u) => {
              if (!props.band) return;
              const [left, right] = [props.band.from, props.band.to].map((ms) =>
                Math.max(
                  u.bbox.left,
                  Math.min(u.bbox.left + u.bbox.width, u.valToPos(ms / 1000, "x", true)),
                ),
              );
              u.ctx.fillStyle = colour("--accent-soft");
              u.ctx.fillRect(left, u.bbox.top, Math.max(2, right - left), u.bbox.height);
            },
          ],
          draw: [
            (u) => {
              u.ctx.save();
              u.ctx.strokeStyle = colour("--accent");
              u.ctx.lineWidth = 2;
              u.ctx.setLineDash([4, 3]);
              for (const mark of props.marks ?? []) {
                const x = u.valToPos(mark.time / 1000, "x", true);
                if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
                u.ctx.beginPath();
                u.ctx.moveTo(x, u.bbox.top);
                u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
                u.ctx.stroke();
              }
              u.ctx.restore();
            },
          ],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              const from = u.posToVal(u.select.left, "x") * 1000;
              const to = u.posToVal(u.select.left + u.select.width, "x") * 1000;
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              handlers.current.onSelect(Math.round(from), Math.round(to));
            },
          ],
          setCursor: [
            (u) => {
              const tip = box.current?.querySelector<HTMLElement>(".chart-tip");
              if (!tip) return;
              const at = u.cursor.idx;
              tip.hidden = at === null || at === undefined || (u.cursor.left ?? -1) < 0;
              if (tip.hidden) return;
              tip.textContent = tipText(
                times[at!] * 1000,
                step,
                lines,
                at!,
                (value) => axis.format(value) + axis.unit,
              );
              const left = (u.cursor.left ?? 0) + 80;
              tip.style.left = `${Math.min(left, size.width - tip.offsetWidth - 4)}px`;
            },
          ],
        },
      },
      [times, ...lines.map((l) => l.values)] as uPlot.AlignedData,
      box.current,
    );
    const reset = () => handlers.current.onReset?.();
    plot.over.addEventListener("dblclick", reset);
    plot.over.addEventListener("mousedown", () => handlers.current.onPress());
    return () => plot.destroy();
  }, [
    Plot,
    props.answer,
    props.by,
    size.width,
    height,
    theme,
    props.greatest,
    props.range.from,
    props.range.to,
    props.band?.from,
    props.band?.to,
    JSON.stringify(props.marks),
  ]);

  return (
    <div class="timeline">
      <p class="timeline-caption soft">
        {axis
          ? `${axis.caption}, ${props.answer!.gauge ? "mean of" : "average over"} ${stepText(step)}`
          : "\u00a0"}
      </p>
      <div
        ref={box}
        class="chart"
        data-greatest={props.greatest}
        style={{ height }}
        role="img"
        aria-label={props.label ?? "Values over time. The table below has the same numbers."}
      >
        <div class="chart-tip" hidden />
      </div>
      {props.marks && props.marks.length > 0 && (
        <ul class="timeline-events" aria-label="Events">
          {props.marks.map((mark) => (
            <li key={`${mark.time} ${mark.text}`}>
              <span class="soft">{formatTime(mark.time)}</span> <bdi>{mark.text}</bdi>
            </li>
          ))}
        </ul>
      )}
      {props.by && lines.length > 0 && (
        <ul class="legend">
          {lines.map((line) => (
            <li key={line.label}>
              <button
                type="button"
                class="quiet small"
                disabled={line.value === undefined}
                title={line.value === undefined ? undefined : `Only ${props.by}="${line.value}"`}
                onClick={() => line.value !== undefined && props.onPick?.(line.value)}
              >
                <span class="swatch" style={{ background: line.colour }} /> <bdi>{line.label}</bdi>{" "}
                <span class="soft">
                  {props.answer!.gauge && axis
                    ? axis.format(line.total)
                    : formatValue(line.total, unit)}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
