// SPDX-License-Identifier: Apache-2.0
// The chart of metrics over time: lines, stacked areas or bars. A step without a value is a gap. A
// drag zooms into a range, a double click zooms out; a click on a name in the legend shows only
// that series.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useSize } from "../base/components";
import { lazy } from "../base/lazy";
import { useShownTheme } from "../base/theme";
import { formatTime } from "../base/time";
import { seriesColours } from "../explore/chart_lines";
import { tickText } from "../explore/Timeline";
import { fontOf } from "../flame/canvas/stage";
import { ChartData, ChartSeries, Labels, summaryOf } from "./prom_answer";
import { formatMetric, formatTick, metricTicks } from "./metric_units";
import "./metric_chart.css";

const charts = lazy(() => import("uplot"));

export type ChartStyle = "lines" | "stacked" | "bars";

export interface Exemplar {
  time: number; // seconds
  value: number;
  trace: string;
  labels: Labels;
}

export interface Threshold {
  from: number;
  colour: "good" | "warn" | "bad" | "plain";
}

// Return the colour of the i-th series; beyond the palette by the golden angle, so that neighbours
// differ.
export const seriesColour = (i: number) =>
  i < seriesColours.length
    ? seriesColours[i]
    : `hsl(${Math.round((i * 137.508) % 360)} 55% 52%)`;

const maxTip = 12;

interface Line {
  series: ChartSeries;
  index: number; // in all series, for the colour
  drawn: (number | null)[]; // values, or upper edges of a stack
}

// Return the upper edges of stacked series. A series without a value adds nothing there.
export function stackedValues(rows: readonly (number | null)[][]): (number | null)[][] {
  const sums = new Array<number>(rows[0]?.length ?? 0).fill(0);
  return rows.map((row) =>
    row.map((value, i) => {
      if (value === null) return null;
      sums[i] += value;
      return sums[i];
    }),
  );
}

function linesOf(data: ChartData, style: ChartStyle, only: readonly string[]): Line[] {
  const shown = data.series
    .map((series, index) => ({ series, index }))
    .filter(({ series }) => !only.length || only.includes(series.name));
  const drawn =
    style === "lines"
      ? shown.map(({ series }) => series.values)
      : stackedValues(shown.map(({ series }) => series.values));
  return shown.map((line, i) => ({ ...line, drawn: drawn[i] }));
}

export interface MetricChartProps {
  data: ChartData;
  step: number; // seconds
  range: { from: number; to: number }; // ms
  unit: string;
  decimals?: number;
  style: ChartStyle;
  height: number;
  label: string;
  only?: readonly string[]; // names of the shown series; empty: all
  min?: number;
  max?: number;
  thresholds?: readonly Threshold[];
  exemplars?: readonly Exemplar[];
  onSelect: (from: number, to: number) => void; // ms
  onReset?: () => void;
  onExemplar?: (exemplar: Exemplar) => void;
}

// Units of observed values. The values of exemplars have another unit than a rate: there they are
// drawn at the top if they are larger.
const measured = new Set(["s", "ms", "ns", "B"]);

const exemplarPixels = 8;

// Return the exemplar at a place of the chart (CSS pixels), or undefined.
function exemplarAt(u: uPlot, all: readonly Exemplar[], left: number, top: number) {
  return all.find(
    (e) =>
      Math.abs(u.valToPos(e.time, "x") - left) <= exemplarPixels &&
      Math.abs(Math.max(0, u.valToPos(e.value, "y")) - top) <= exemplarPixels,
  );
}

// A point without neighbours would be invisible as a line: it is drawn as a dot.
function lonePoints(values: readonly (number | null)[]): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; i++)
    if (values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null)
      found.push(i);
  return found;
}

function drawDots(
  u: uPlot,
  lines: readonly Line[],
  exemplars: readonly Exemplar[],
  accent: string,
) {
  const ratio = devicePixelRatio || 1;
  const { ctx } = u;
  ctx.save();
  for (const { index, drawn } of lines) {
    ctx.fillStyle = seriesColour(index);
    for (const i of lonePoints(drawn)) {
      ctx.beginPath();
      ctx.arc(
        u.valToPos(u.data[0][i], "x", true),
        u.valToPos(drawn[i]!, "y", true),
        2.2 * ratio,
        0,
        2 * Math.PI,
      );
      ctx.fill();
    }
  }
  ctx.strokeStyle = accent;
  ctx.lineWidth = 1.5 * ratio;
  for (const { time, value } of exemplars) {
    const r = 4 * ratio;
    const x = u.valToPos(time, "x", true);
    const y = Math.max(u.bbox.top, u.valToPos(value, "y", true));
    if (y > u.bbox.top + u.bbox.height) continue;
    ctx.beginPath();
    ctx.moveTo(x, y - r);
    ctx.lineTo(x + r, y);
    ctx.lineTo(x, y + r);
    ctx.lineTo(x - r, y);
    ctx.closePath();
    ctx.stroke();
  }
  ctx.restore();
}

function drawThresholds(u: uPlot, all: readonly Threshold[], colour: (name: string) => string) {
  u.ctx.save();
  u.ctx.setLineDash([5, 4]);
  u.ctx.lineWidth = 1.5;
  for (const { from, colour: name } of all) {
    if (name === "plain") continue;
    const y = u.valToPos(from, "y", true);
    if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
    u.ctx.strokeStyle = colour(`--${name}`);
    u.ctx.beginPath();
    u.ctx.moveTo(u.bbox.left, y);
    u.ctx.lineTo(u.bbox.left + u.bbox.width, y);
    u.ctx.stroke();
  }
  u.ctx.restore();
}

// Return the rows of the tooltip: the largest values at a step, and how many there are.
function tipRows(lines: readonly Line[], at: number) {
  const rows = lines
    .map(({ series, index }) => ({ name: series.name, index, value: series.values[at] ?? null }))
    .filter((row) => row.value !== null)
    .sort((a, b) => b.value! - a.value!);
  return { rows: rows.slice(0, maxTip), more: Math.max(0, rows.length - maxTip) };
}

interface Tip {
  at: number; // step
  left: number; // pixels
  exemplar?: Exemplar;
}

function ChartTip(props: {
  tip: Tip;
  lines: readonly Line[];
  width: number;
  chart: MetricChartProps;
}) {
  const { tip, chart } = props;
  const { rows, more } = tipRows(props.lines, tip.at);
  const right = tip.left > props.width / 2;
  return (
    <div
      class="chart-tip metric-tip"
      style={right ? { right: `${props.width - tip.left + 14}px` } : { left: `${tip.left + 14}px` }}
    >
      <span class="soft">{formatTime(chart.data.times[tip.at] * 1000)}</span>
      {rows.map((row) => (
        <span key={row.name} class="metric-tip-row">
          <i class="swatch" style={{ background: seriesColour(row.index) }} />
          <bdi>{row.name}</bdi>
          <strong>{formatMetric(row.value, chart.unit, chart.decimals)}</strong>
        </span>
      ))}
      {!rows.length && <span>no data</span>}
      {more > 0 && <span class="soft">{more} more</span>}
      {tip.exemplar && (
        <span class="metric-tip-exemplar">
          exemplar {formatMetric(tip.exemplar.value, chart.unit)}: click opens the trace
        </span>
      )}
    </div>
  );
}

export function MetricChart(props: MetricChartProps) {
  const { data, height, unit, style } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const theme = useShownTheme();
  const [tip, setTip] = useState<Tip>();
  const handlers = useRef(props);
  handlers.current = props;
  const only = props.only ?? [];
  const exemplars = props.exemplars ?? [];
  const lines = useMemo(() => linesOf(data, style, only), [data, style, only.join("\n")]);
  const Plot = charts.use(size.width > 0)?.default;
  useEffect(() => setTip(undefined), [data]);
  useLayoutEffect(() => {
    if (!Plot || !box.current || !size.width) return;
    const css = getComputedStyle(document.documentElement);
    const colour = (name: string) => css.getPropertyValue(name).trim();
    const look = {
      stroke: colour("--text-soft"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
      font: fontOf(),
    };
    const bars = style === "bars" && Plot.paths.bars!({ size: [0.8, 40], gap: 1 });
    // The largest of a stack is drawn first, the smaller ones above it.
    const order = style === "lines" ? lines : [...lines].reverse();
    const plot = new Plot(
      {
        width: size.width,
        height,
        padding: [10, 24, 0, 0], // half of the last tick's text is beyond the end
        legend: { show: false },
        cursor: {
          drag: { x: true, y: false, setScale: false },
          points: { show: style === "lines" && lines.length <= 20 },
          y: false,
        },
        scales: {
          x: { time: true, range: () => [props.range.from / 1000, props.range.to / 1000] },
          y: {
            range: (_u, least, most) => {
              const low = props.min ?? Math.min(0, least ?? 0);
              const single = measured.has(unit) ? exemplars.map((e) => e.value) : [];
              const high = props.max ?? Math.max(most ?? 0, 0, ...single);
              return [
                low < 0 && props.min === undefined ? low * 1.08 : low,
                high > low ? low + (high - low) * (props.max === undefined ? 1.08 : 1) : low + 1,
              ];
            },
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
            incrs: metricTicks(unit),
            values: (_u, ticks) => ticks.map((v) => formatTick(v, unit)),
          },
        ],
        series: [
          {},
          ...order.map(({ series, index }) => ({
            label: series.name,
            stroke: seriesColour(index),
            width: style === "bars" ? 0 : 1.5,
            fill:
              style === "bars"
                ? seriesColour(index)
                : style === "stacked"
                  ? withAlpha(seriesColour(index), theme === "dark" ? 0.45 : 0.35)
                  : undefined,
            paths: bars || undefined,
            points: { show: false },
          })),
        ],
        hooks: {
          draw: [
            (u) => {
              drawThresholds(u, props.thresholds ?? [], colour);
              drawDots(u, style === "bars" ? [] : lines, exemplars, colour("--highlight"));
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
              const at = u.cursor.idx;
              const [left, top] = [u.cursor.left ?? -1, u.cursor.top ?? -1];
              if (at === null || at === undefined || left < 0) setTip(undefined);
              else
                setTip({
                  at,
                  left: left + u.over.offsetLeft,
                  exemplar: exemplarAt(u, exemplars, left, top),
                });
            },
          ],
        },
      },
      [data.times, ...order.map((l) => l.drawn)] as uPlot.AlignedData,
      box.current,
    );
    const reset = () => handlers.current.onReset?.();
    const click = (event: MouseEvent) => {
      const found = exemplarAt(plot, exemplars, event.offsetX, event.offsetY);
      if (found) handlers.current.onExemplar?.(found);
    };
    plot.over.addEventListener("dblclick", reset);
    plot.over.addEventListener("click", click);
    return () => plot.destroy();
  }, [
    Plot,
    lines,
    exemplars,
    size.width,
    height,
    theme,
    unit,
    props.range.from,
    props.range.to,
    props.min,
    props.max,
    JSON.stringify(props.thresholds),
  ]);
  return (
    <div
      ref={box}
      class="chart metric-chart"
      style={{ height: `${height}px` }}
      role="img"
      aria-label={props.label}
    >
      {tip && <ChartTip tip={tip} lines={lines} width={size.width} chart={props} />}
    </div>
  );
}

function withAlpha(colour: string, alpha: number): string {
  return colour.startsWith("#")
    ? `${colour}${Math.round(alpha * 255).toString(16).padStart(2, "0")}`
    : colour.replace(")", ` / ${alpha})`);
}

// The names of the series with their values. A click shows only that series, or all again; with
// Ctrl or Shift it adds or removes one.
export function MetricLegend(props: {
  data: ChartData;
  unit: string;
  decimals?: number;
  only: readonly string[];
  onOnly: (only: string[]) => void;
}) {
  const { data, only } = props;
  const rows = useMemo(
    () => data.series.map((series) => ({ series, summary: summaryOf(series.values) })),
    [data],
  );
  const toggle = (name: string, add: boolean) => {
    if (add)
      props.onOnly(only.includes(name) ? only.filter((n) => n !== name) : [...only, name]);
    else props.onOnly(only.length === 1 && only[0] === name ? [] : [name]);
  };
  if (!rows.length) return null;
  return (
    <ul class="metric-legend" aria-label="Series">
      {rows.map(({ series, summary }, i) => {
        const off = only.length > 0 && !only.includes(series.name);
        return (
          <li key={`${i} ${series.name}`}>
            <button
              type="button"
              class={`quiet small ${off ? "off" : ""}`}
              aria-pressed={only.length > 0 && !off}
              title={
                `${series.name}\nlast ${formatMetric(summary.last, props.unit)}, mean ${formatMetric(
                  summary.mean,
                  props.unit,
                )}, min ${formatMetric(summary.min, props.unit)}, max ${
                  formatMetric(summary.max, props.unit)
                }\nA click shows only this series, Ctrl and a click adds it.`
              }
              onClick={
                (event) => toggle(series.name, event.ctrlKey || event.metaKey || event.shiftKey)
              }
            >
              <i class="swatch" style={{ background: seriesColour(i) }} />
              <bdi>{series.name}</bdi>
              <span class="metric-legend-value">
                {formatMetric(summary.last, props.unit, props.decimals)}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
