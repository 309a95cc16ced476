// SPDX-License-Identifier: Apache-2.0
// The chart of values over time. A drag zooms into a range; a double click zooms out.
import { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { SeriesAnswer } from "../api/types";
import { Ends, endsOf, Link, useSize } from "../base/components";
import { useShownTheme } from "../base/theme";
import { formatTime } from "../base/time";
import { formatValue } from "../base/units";
import { lazy } from "../base/lazy";
import { fontOf } from "../flame/canvas/stage";
import { greatestOf, Line, linesOf, maxLines, seriesColours } from "./chart_lines";
import type { VersionBand } from "./version_bands";
import { State } from "../url";
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

const laneHeight = 13; // pixels

// Return how many rows the bands need: 2 if any of them overlap.
const lanesOf = (versions: readonly VersionBand[]) =>
  !versions.length ? 0 : versions.some((v, i) => i > 0 && v.from < versions[i - 1].to) ? 2 : 1;

// Draw when each version ran: bands with names above the plot, in two lanes if they overlap.
function drawVersions(u: uPlot, versions: readonly VersionBand[], ink: string) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio || 1;
  const lanes = lanesOf(versions);
  const ends = [-Infinity, -Infinity]; // of the lanes
  const at = (ms: number) =>
    Math.max(bbox.left, Math.min(bbox.left + bbox.width, u.valToPos(ms / 1000, "x", true)));
  ctx.save();
  ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  versions.forEach((version, i) => {
    const [left, right] = [at(version.from), at(version.to)];
    const lane = lanes === 1 || left >= ends[0] - 1 ? 0 : 1;
    if (left < ends[lane] - 1 || right - left < 2) return;
    ends[lane] = right;
    const top = bbox.top + (lane - lanes) * laneHeight * ratio;
    ctx.globalAlpha = 0.28;
    ctx.fillStyle = seriesColours[i % seriesColours.length];
    ctx.fillRect(left, top, right - left - 1, (laneHeight - 1) * ratio);
    ctx.globalAlpha = 1;
    ctx.fillStyle = ink;
    const room = right - left - 6 * ratio;
    let text = version.name;
    while (text && ctx.measureText(text).width > room) text = text.slice(1);
    if (text.length > 1)
      ctx.fillText(
        text === version.name ? text : `…${text.slice(1)}`,
        left + 3 * ratio,
        top + (laneHeight / 2) * ratio,
      );
  });
  ctx.restore();
}

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
  // events, drawn as vertical lines: ms, and the view that shows more
  marks?: readonly { time: number; text: string; bad?: boolean; to?: State }[];
  versions?: readonly VersionBand[];
  rest?: boolean; // show the sum of the values without lines of their own
  onRest?: () => void; // change `rest`
  multiples?: boolean; // one small chart for each line
  onMultiples?: () => void; // change `multiples`
  more?: ComponentChildren; // beside the legend
  onCompare?: (from: number, to: number) => void; // a drag with Shift
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
  const handlers = {
    onSelect: props.onSelect,
    onReset: props.onReset,
    onPick: props.onPick,
    onRest: props.onRest,
    onMultiples: props.onMultiples,
    onCompare: props.onCompare,
    more: props.more,
    onPress: press,
  };
  return props.by && props.multiples ? (
    <Multiples {...shown.current} {...handlers} />
  ) : (
    <Chart {...shown.current} {...handlers} />
  );
}

// A chart for each value, all with the same axes.
function Multiples(props: TimelineProps & { onPress: () => void }) {
  const { answer, by } = props;
  if (!answer) return <Chart {...props} />;
  const rows = answer.rows.slice(0, maxLines);
  const greatest = greatestOf({ ...answer, rows, rest: undefined });
  return (
    <>
      <div class="row timeline-tools">
        <Tools {...props} />
      </div>
      <ul class="multiples">
        {rows.map((row, i) => {
          const value = row.labels[by] ?? "";
          return (
            <li key={value}>
              <button
                type="button"
                class="quiet small"
                title={`Only ${by}="${value}"`}
                onClick={() => props.onPick?.(value)}
              >
                <span class="swatch" style={{ background: seriesColours[i] }} />
                <Ends parts={endsOf(value || "(none)")} />
                <span class="soft">{formatValue(row.total, answer.unit)}</span>
              </button>
              <Chart
                {...props}
                answer={{ ...answer, rows: [row], rest: undefined }}
                by=""
                plain
                versions={undefined}
                colour={seriesColours[i]}
                height={64}
                greatest={greatest}
                label={`${value} over time`}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}

// What applies to a grouped timeline.
function Tools(props: TimelineProps) {
  return (
    <>
      {props.onMultiples && (
        <button
          type="button"
          class="small"
          aria-pressed={props.multiples}
          title="One chart for each value, all with the same axes"
          onClick={props.onMultiples}
        >
          Small charts
        </button>
      )}
      {props.more}
    </>
  );
}

interface ChartProps extends TimelineProps {
  onPress: () => void;
  plain?: boolean; // without caption, events and versions
  colour?: string; // of a single line
}

function Chart(props: ChartProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const theme = useShownTheme();
  const handlers = useRef(props);
  handlers.current = props;
  const { times, lines: all } = useMemo(
    () => (props.answer ? linesOf(props.answer, props.by) : { times: [], lines: [] }),
    [props.answer, props.by],
  );
  const lines = all
    .filter((line) => props.rest || !line.rest)
    .map((line) => (props.colour ? { ...line, colour: props.colour } : line));
  const plotted = useRef<uPlot | null>(null);
  const shift = useRef(false); // whether Shift was pressed at the begin of the drag
  const unit = props.answer?.unit ?? "";
  const step = props.answer?.step ?? 1000;
  const axis = props.answer && axisOf(props.answer);
  const height = props.height ?? 124;

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
        // half of the last tick's text is beyond the end
        padding: [
          () => 8 + lanesOf(handlers.current.versions ?? []) * laneHeight,
          () => 30,
          () => 0,
          () => 0,
        ],
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
              u.ctx.lineWidth = 2;
              u.ctx.setLineDash([4, 3]);
              for (const mark of props.marks ?? []) {
                const x = u.valToPos(mark.time / 1000, "x", true);
                if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
                u.ctx.strokeStyle = colour(mark.bad ? "--bad" : "--accent");
                u.ctx.beginPath();
                u.ctx.moveTo(x, u.bbox.top);
                u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
                u.ctx.stroke();
              }
              u.ctx.restore();
              drawVersions(u, handlers.current.versions ?? [], colour("--text"));
            },
          ],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              const from = u.posToVal(u.select.left, "x") * 1000;
              const to = u.posToVal(u.select.left + u.select.width, "x") * 1000;
              u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              const { onSelect, onCompare } = handlers.current;
              const take = shift.current && onCompare ? onCompare : onSelect;
              take(Math.round(from), Math.round(to));
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
    plotted.current = plot;
    const reset = () => handlers.current.onReset?.();
    plot.over.addEventListener("dblclick", reset);
    plot.over.addEventListener("mousedown", (event) => {
      shift.current = event.shiftKey;
      handlers.current.onPress();
    });
    return () => {
      plotted.current = null;
      plot.destroy();
    };
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
    props.rest,
    props.colour,
  ]);
  // Versions are often known later: the chart is only painted again, so that it stays in place.
  useLayoutEffect(() => plotted.current?.redraw(true, true), [JSON.stringify(props.versions)]);

  return (
    <div class="timeline">
      {!props.plain && (
        <p class="timeline-caption soft">
          {axis
            ? `${axis.caption}, ${props.answer!.gauge ? "mean of" : "average over"} ${stepText(step)}`
            : "\u00a0"}
          {axis && props.onCompare && (
            <span class="timeline-hint"> · drag: zoom, Shift and drag: compare with before</span>
          )}
        </p>
      )}
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
              {mark.to && (
                <>
                  {" "}
                  <Link to={mark.to}>Compare</Link>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {props.by && all.length > 0 && (
        <ul class="legend">
          {all.map((line) => (
            <li key={line.label}>
              <button
                type="button"
                class="quiet small"
                disabled={line.value === undefined && !line.rest}
                aria-pressed={line.rest ? !!props.rest : undefined}
                title={
                  line.rest
                    ? `${props.rest ? "Hide" : "Show"} the sum of the other values`
                    : line.value === undefined
                      ? undefined
                      : `Only ${props.by}="${line.value}"`
                }
                onClick={() =>
                  line.rest
                    ? props.onRest?.()
                    : line.value !== undefined && props.onPick?.(line.value)
                }
              >
                <span
                  class="swatch"
                  style={{ background: line.rest && !props.rest ? "transparent" : line.colour }}
                /> <Ends parts={endsOf(line.label)} />{" "}
                <span class="soft">
                  {props.answer!.gauge && axis
                    ? axis.format(line.total)
                    : formatValue(line.total, unit)}
                </span>
              </button>
            </li>
          ))}
          <li class="row">
            <Tools {...props} />
          </li>
        </ul>
      )}
    </div>
  );
}
