// SPDX-License-Identifier: Apache-2.0
// Values over time. A drag zooms into a range; a double click zooms out.
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { SeriesAnswer } from "../api/types";
import { useSize } from "../base/parts";
import { useShownTheme } from "../base/theme";
import { formatTime } from "../base/time";
import { formatValue, tickSteps } from "../base/units";
import { later } from "../base/later";
import { fontOf } from "../flame/stage";
import { linesOf } from "./lines";

// The time of day; the date where days are far apart or one begins.
function tickText(ms: number, stepSeconds: number): string {
  const time = formatTime(ms);
  const day = time.slice(5, 10);
  if (stepSeconds >= 86400) return day;
  const clock = stepSeconds < 60 ? time.slice(11) : time.slice(11, 16);
  return clock === "00:00" ? day : clock;
}

const charts = later(() => import("uplot"));

export function Timeline(props: {
  answer: SeriesAnswer | undefined;
  by: string;
  height?: number;
  range: { from: number; to: number }; // ms: what the axis covers
  greatest?: number; // what the axis of values reaches at least
  band?: { from: number; to: number }; // ms: a part of it that is looked at
  onSelect: (from: number, to: number) => void;
  onReset?: () => void;
  onPick?: (value: string) => void; // of the label
  label?: string;
}) {
  const [box, size] = useSize<HTMLDivElement>();
  const theme = useShownTheme();
  const handlers = useRef(props);
  handlers.current = props;
  const { times, lines } = props.answer ? linesOf(props.answer, props.by) : { times: [], lines: [] };
  const unit = props.answer?.unit ?? "";
  const height = props.height ?? 112;

  const Plot = charts.use(size.width > 0)?.default;
  useEffect(() => {
    if (!Plot || !box.current || !size.width || !props.answer) return; // its place is kept
    const css = getComputedStyle(document.documentElement);
    const colour = (name: string) => css.getPropertyValue(name).trim();
    const axis = { stroke: colour("--text-soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: fontOf() };
    const plot = new Plot(
      {
        width: size.width,
        height,
        padding: [8, 30, 0, 0], // half of a tick's text stands behind the end
        legend: { show: false },
        cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 6 }, y: false },
        scales: {
          x: { time: true, range: () => [props.range.from / 1000, props.range.to / 1000] },
          y: { range: (_u, _least, own) => [0, Math.max(own ?? 0, props.greatest ?? 0) * 1.08 || 1] },
        },
        axes: [
          { ...axis, size: 24, space: 90, values: (_u, ticks, _axis, _space, step) => ticks.map((t) => tickText(t * 1000, step)) },
          { ...axis, size: 72, space: 28, incrs: tickSteps(unit), values: (_u, ticks) => ticks.map((v) => formatValue(v, unit)) },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: line.colour,
            width: 1.5,
            fill: lines.length === 1 ? `${line.colour}33` : undefined,
            points: { show: times.length < 3 },
            spanGaps: false,
          })),
        ],
        hooks: {
          drawClear: [
            (u) => {
              if (!props.band) return;
              const [left, right] = [props.band.from, props.band.to].map((ms) => Math.max(u.bbox.left, Math.min(u.bbox.left + u.bbox.width, u.valToPos(ms / 1000, "x", true))));
              u.ctx.fillStyle = colour("--accent-soft");
              u.ctx.fillRect(left, u.bbox.top, Math.max(2, right - left), u.bbox.height);
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
              tip.textContent = [formatTime(times[at!] * 1000), ...lines.slice(0, 6).map((l) => `${lines.length > 1 ? `${l.label}: ` : ""}${l.values[at!] === null ? "no data" : formatValue(l.values[at!]!, unit)}`)].join("\n");
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
    return () => plot.destroy();
  }, [Plot, props.answer, props.by, size.width, height, theme, props.greatest, props.range.from, props.range.to, props.band?.from, props.band?.to]);

  return (
    <div class="timeline">
      <div ref={box} class="chart" data-greatest={props.greatest} style={{ height }} role="img" aria-label={props.label ?? "Values over time. The table below has the same numbers."}>
        <div class="chart-tip" hidden />
      </div>
      {props.by && lines.length > 0 && (
        <ul class="legend">
          {lines.map((line) => (
            <li key={line.label}>
              <button type="button" class="quiet small" disabled={line.value === undefined} title={line.value === undefined ? undefined : `Only ${props.by}="${line.value}"`} onClick={() => line.value !== undefined && props.onPick?.(line.value)}>
                <span class="swatch" style={{ background: line.colour }} /> <bdi>{line.label}</bdi> <span class="soft">{formatValue(line.total, unit)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
