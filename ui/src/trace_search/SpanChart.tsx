// SPDX-License-Identifier: Apache-2.0
// The chart of the spans that a query finds: a heat map of durations, their rate and errors, or
// quantiles of their durations. A selected rectangle narrows the query and the time range.
import { useEffect, useMemo } from "preact/hooks";
import { Answer, tempoUrl, useAnswer } from "../api/client";
import { AnswerNote, Choice, useSize } from "../base/components";
import { formatCount } from "../base/units";
import { BarChart } from "../bars/BarChart";
import { spanOf } from "../explore/queries";
import { chartStep, chartWidth } from "../explore/resolve_times";
import { Timeline } from "../explore/Timeline";
import { zoomIn, zoomOut } from "../explore/time_zoom";
import { stepText } from "../explore/value_axis";
import { Cells } from "../heat/grid";
import { HeatCanvas, Legend } from "../heat/HeatCanvas";
import { go, State } from "../url";
import { durationLiteral, isMetricsQuery, parseSimple, withSlot } from "./conditions";
import {
  describeDurations,
  durationGrid,
  DurationGrid,
  durationsOf,
  durationText,
  lineLabel,
  linesAnswer,
  MetricsAnswer,
  quantileName,
  ratesOf,
  seriesName,
  Steps,
  stepsOf,
} from "./span_metrics";

const cellPixels = 8;
const chartHeight = 132;
const leastRow = 8; // pixels
const highestRow = 16;

const functionOf: Record<State["chart"], string> = {
  heat: "histogram_over_time(duration)",
  rate: "count_over_time() by (status)",
  duration: "quantile_over_time(duration, .5, .9, .99)",
  off: "",
};

// Narrow the query to the cells: their times, and their durations unless all rows are selected.
function narrow(state: State, grid: DurationGrid, cells: Cells) {
  const { above, most } = durationsOf(grid, cells);
  const range = zoomIn(
    state,
    grid.start + cells.left * grid.step,
    grid.start + (cells.right + 1) * grid.step,
  );
  const whole = cells.top === 0 && cells.bottom === grid.rows - 1;
  const low = whole ? state.q : withSlot(state.q, "least", durationLiteral(above), ">");
  go({ ...range, q: whole ? state.q : withSlot(low, "most", durationLiteral(most), "<=") });
}

function Durations(props: { state: State; answer: MetricsAnswer; steps: Steps }) {
  const { state } = props;
  const grid = useMemo(
    () => durationGrid(props.answer, props.steps),
    [props.answer, props.steps.start, props.steps.step],
  );
  if (!grid) return <NoSpans />;
  const rowPixels = Math.max(leastRow, Math.min(highestRow, Math.floor(chartHeight / grid.rows)));
  const every = Math.ceil(grid.rows / 7);
  const labels = Array.from({ length: grid.rows + 1 }, (_, row) => row)
    .filter((row) => (grid.rows - row) % every === 0)
    .map((row) => ({ share: row / grid.rows, text: durationText(2 ** (grid.top - row)) }));
  return (
    <>
      <HeatCanvas
        grid={grid}
        rowPixels={rowPixels}
        rowLabels={labels}
        label={
          "Heat map of durations over time. Arrow keys move, Shift and arrow keys extend, Enter narrows " +
          "the query to the cells, Escape clears."
        }
        describe={(cells) => describeDurations(grid, cells)}
        chosen={undefined}
        onChoose={(cells) => cells && narrow(state, grid, cells)}
      />
      <div class="row heat-foot">
        <span class="soft">
          {parseSimple(state.q)
            ? "Drag a rectangle to narrow the query to its times and durations."
            : "Drag to narrow the time range."}
        </span>
        <span class="spread" />
        <Legend values={grid.values} format={(n) => formatCount(Math.round(n), "span")} />
      </div>
    </>
  );
}

function Rate(props: { state: State; answer: MetricsAnswer; steps: Steps }) {
  const { state, steps } = props;
  const rates = ratesOf(props.answer, steps);
  const seconds = steps.step / 1000;
  const perSecond = (values: number[]) => values.map((v) => v / seconds);
  const css = getComputedStyle(document.documentElement);
  return (
    <BarChart
      grid={steps}
      height={chartHeight}
      series={[
        { name: "with errors", colour: "#d6503c", values: perSecond(rates.failed) },
        {
          name: "without errors",
          colour: css.getPropertyValue("--bar-fill") || "#3b82d6",
          values: perSecond(rates.others),
        },
      ]}
      format={(value) => `${Number(value.toPrecision(3))}/s`}
      label="Spans per second over time. Arrow keys move, Shift and arrow keys extend, Enter narrows the time range."
      onSelect={(from, to) => go(zoomIn(state, from, to))}
      onReset={() => go(zoomOut(state))}
    />
  );
}

const NoSpans = () => (
  <p class="soft chart-none" style={{ height: `${chartHeight + 20}px` }}>
    No spans in this range
  </p>
);

function Lines(props: { state: State; answer: MetricsAnswer; steps: Steps; own: boolean }) {
  const { state, answer, steps, own } = props;
  const series = useMemo(() => {
    const lines = own
      ? linesAnswer(answer, steps, "", 1, seriesName)
      : linesAnswer(answer, steps, "nanoseconds", 1e9, quantileName);
    // the server has zeros for steps without spans
    if (!own) for (const row of lines.rows) row.points = row.points.filter((p) => p[1] > 0);
    return { ...lines, type: own ? "Result of the query" : "Durations of the found spans" };
  }, [answer, steps.start, steps.step, own]);
  if (!series.rows.some((row) => row.points.length)) return <NoSpans />;
  return (
    <Timeline
      answer={series}
      by={lineLabel}
      height={own ? 260 : chartHeight}
      range={{ from: steps.start, to: steps.start + steps.step * steps.columns }}
      label={own ? "The result of the query over time" : "Quantiles of durations over time"}
      onSelect={(from, to) => go(zoomIn(state, from, to))}
      onReset={() => go(zoomOut(state))}
    />
  );
}

function Chart(props: { state: State; answer: Answer<MetricsAnswer>; steps: Steps; own: boolean }) {
  const { state, answer, steps, own } = props;
  if (answer.error && !answer.error.retryable)
    return own ? null : (
      <p class="soft chart-none" style={{ height: `${chartHeight + 20}px` }}>
        No chart for this query: {answer.error.message}
      </p>
    );
  if (!answer.data || answer.stale)
    return <div class="chart-none" style={{ height: `${chartHeight + 20}px` }} />;
  const all = { state, answer: answer.data, steps };
  if (own) return <Lines {...all} own />;
  if (state.chart === "heat") return <Durations {...all} />;
  return state.chart === "rate" ? <Rate {...all} /> : <Lines {...all} own={false} />;
}

// Return the chart's query: the query itself if it is one of metrics.
const metricsOf = (state: State) =>
  isMetricsQuery(state.q) ? state.q : `${state.q || "{ }"} | ${functionOf[state.chart]}`;

export function SpanChart(props: {
  state: State;
  resolved: State;
  tick: number;
  onError: (message: string) => void;
}) {
  const { state, resolved } = props;
  const own = isMetricsQuery(state.q);
  const { from, to } = spanOf(resolved);
  const [box, size] = useSize<HTMLDivElement>();
  const width =
    (size.width || chartWidth()) / (own || state.chart === "duration" ? 1 : cellPixels / 3);
  const steps = stepsOf(from, to, chartStep(from, to, Math.max(30, width)));
  const shown = own || state.chart !== "off";
  const answer = useAnswer<MetricsAnswer>(
    shown && size.width > 0
      ? tempoUrl("metrics/query_range", {
          q: metricsOf(state),
          start: Math.floor(from / 1000),
          end: Math.ceil(to / 1000),
          step: steps.text,
          exemplars: 0,
        })
      : undefined,
    props.tick,
  );
  const refused = own && answer.error?.status === 400 ? answer.error.message : "";
  useEffect(() => {
    if (refused) props.onError(refused);
  }, [refused]);
  return (
    <section class="panel trace-chart" aria-label="Chart" ref={box}>
      <div class="row trace-chart-head">
        {own ? (
          <span class="soft">Result of the query, by steps of {stepText(steps.step)}</span>
        ) : (
          <>
            <Choice
              label="Chart"
              value={state.chart}
              options={[
                ["heat", "Heat map", "Durations over time (h)"],
                ["rate", "Rate", "Spans and errors per second"],
                ["duration", "Quantiles", "p50, p90 and p99 of durations"],
                ["off", "Off", "No chart"],
              ]}
              onChange={(chart) => go({ chart }, "replace")}
            />
            {shown && <span class="soft">spans that match, {stepText(steps.step)} per column</span>}
          </>
        )}
      </div>
      {answer.data?.status === "PARTIAL" && !answer.stale && (
        <p class="note warn" role="status">
          The chart is not complete: {answer.data.message ?? "a limit ended the query"}
        </p>
      )}
      {answer.error?.retryable && <AnswerNote answer={answer} />}
      {answer.waiting && <AnswerNote answer={answer} what="the chart" />}
      {shown && <Chart state={state} answer={answer} steps={steps} own={own} />}
    </section>
  );
}
