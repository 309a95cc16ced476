// SPDX-License-Identifier: Apache-2.0
// Panels of series: chart, single values, bars.
import { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useSize } from "../../base/components";
import { MetricChart, MetricLegend, seriesColour } from "../../promql/MetricChart";
import { formatMetric } from "../../promql/metric_units";
import { ChartSeries } from "../../promql/prom_answer";
import { Panel } from "../model";
import { PanelContext, PanelData, usePanelSeries } from "./panel_queries";
import { calculated, calculationOf, thresholdOf } from "./thresholds";

export interface PanelProps {
  panel: Panel;
  context: PanelContext;
}

export function PanelNotes(props: {
  errors: readonly string[];
  warnings?: readonly string[];
  empty?: boolean;
  retry?: () => void;
}) {
  return (
    <>
      {[...new Set(props.errors)].map((text) => (
        <p class="note bad panel-note" role="alert" key={text}>
          <span>{text}</span>
          {props.retry && (
            <button type="button" class="quiet small" onClick={props.retry}>
              Retry
            </button>
          )}
        </p>
      ))}
      {(props.warnings ?? []).map((text) => (
        <p class="note warn panel-note" key={text}>
          {text}
        </p>
      ))}
      {props.empty && !props.errors.length && <p class="panel-empty soft">No data in this range</p>}
    </>
  );
}

export function ChartPanel({ panel, context }: PanelProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const [only, setOnly] = useState<string[]>([]);
  const result = usePanelSeries(panel, context, size.width);
  const { data, unit } = result;
  const known = only.filter((name) => data.series.some((s) => s.name === name));
  const empty = !result.loading && !data.series.length;
  return (
    <>
      <PanelNotes
        errors={result.errors}
        warnings={result.warnings}
        empty={empty}
        retry={result.retry}
      />
      <div class="panel-chart" ref={box}>
        {size.height > 40 && !empty && (
          <MetricChart
            data={data}
            step={result.steps.step}
            range={context.range}
            unit={unit}
            decimals={panel.decimals}
            style={panel.style ?? "lines"}
            height={Math.floor(size.height)}
            only={known}
            min={panel.min}
            max={panel.max}
            thresholds={panel.thresholds}
            label={`${panel.title || "Chart"}: values over time. The legend has the last values.`}
            onSelect={context.onRange}
            onReset={context.onReset}
          />
        )}
      </div>
      <MetricLegend
        data={data}
        unit={unit}
        decimals={panel.decimals}
        only={known}
        onOnly={setOnly}
      />
    </>
  );
}

// A line of the values without axes.
function Spark(props: { series: ChartSeries }) {
  const values = props.series.values;
  const known = values.filter((v): v is number => v !== null);
  if (known.length < 2) return null;
  const low = Math.min(...known, 0);
  const high = Math.max(...known);
  const y = (v: number) => (high > low ? 1 - (v - low) / (high - low) : 0.5);
  let path = "";
  let open = false;
  values.forEach((v, i) => {
    if (v !== null) path += `${open ? "L" : "M"}${i} ${y(v).toFixed(4)}`;
    open = v !== null;
  });
  return (
    <svg
      class="stat-spark"
      viewBox={`0 -0.05 ${Math.max(1, values.length - 1)} 1.1`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}

const statWidth = 240; // pixels; the spark of a single value has few points
const maxStats = 12;

export function StatPanel({ panel, context }: PanelProps) {
  const result = usePanelSeries(panel, context, statWidth);
  const { series } = result.data;
  const calculation = calculationOf(panel);
  return (
    <>
      <PanelNotes
        errors={result.errors}
        warnings={result.warnings}
        empty={!result.loading && !series.length}
        retry={result.retry}
      />
      <dl class="stats">
        {series.slice(0, maxStats).map((one, i) => {
          const value = calculated(one, calculation);
          return (
            <div key={`${i} ${one.name}`} class="stat">
              <dt class={series.length > 1 ? "soft clip" : "hidden-text"}>{one.name}</dt>
              <dd class={`stat-value ${thresholdOf(value, panel.thresholds)}`}>
                {formatMetric(value, result.unit, panel.decimals)}
              </dd>
              <Spark series={one} />
            </div>
          );
        })}
      </dl>
      {series.length > maxStats && (
        <p class="panel-foot soft">
          The first {maxStats} of {series.length} series
        </p>
      )}
    </>
  );
}

const maxBars = 50;

function BarRows(props: { panel: Panel; result: PanelData }) {
  const { panel, result } = props;
  const rows = result.data.series
    .map((series, i) => ({ series, i, value: calculated(series, calculationOf(panel)) }))
    .sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity));
  const least = panel.min ?? Math.min(0, ...rows.map((r) => r.value ?? 0));
  const most = panel.max ?? Math.max(0, ...rows.map((r) => r.value ?? 0));
  const share = (value: number | null) =>
    value === null || most <= least ? 0 : Math.max(
      0,
      Math.min(1, (value - least) / (most - least)),
    );
  return (
    <>
      {rows.slice(0, panel.limit ?? maxBars).map(({ series, i, value }) => {
        const colour = thresholdOf(value, panel.thresholds);
        return (
          <li key={`${i} ${series.name}`}>
            <bdi class="clip" title={series.name}>
              {series.name}
            </bdi>
            <span class="bar-row-track">
              <span
                class="bar-row-fill"
                style={{
                  width: `${100 * share(value)}%`,
                  background: colour === "plain" ? seriesColour(i) : `var(--${colour})`,
                }}
              />
            </span>
            <span class="number">{formatMetric(value, result.unit, panel.decimals)}</span>
          </li>
        );
      })}
    </>
  );
}

export function BarPanel({ panel, context }: PanelProps) {
  const result = usePanelSeries(panel, context, statWidth);
  const count = result.data.series.length;
  const limit = panel.limit ?? maxBars;
  return (
    <Scroll>
      <PanelNotes
        errors={result.errors}
        warnings={result.warnings}
        empty={!result.loading && !count}
        retry={result.retry}
      />
      <ul class="bar-rows">
        <BarRows panel={panel} result={result} />
      </ul>
      {count > limit && (
        <p class="panel-foot soft">
          The {limit} largest of {count} series
        </p>
      )}
    </Scroll>
  );
}

// Scrolls if the content is higher than the panel; then the keyboard can focus it.
export function Scroll(props: { children: ComponentChildren; label?: string }) {
  return (
    <div class="panel-scroll" tabIndex={0} role="group" aria-label={props.label ?? "Values"}>
      {props.children}
    </div>
  );
}
