// SPDX-License-Identifier: Apache-2.0
// Queries of metrics by PromQL: a chart over the range and a table at its end.
import { useEffect, useMemo, useState } from "preact/hooks";
import { promUrl } from "../api/client";
import { useQueries } from "../api/query_queue";
import { Choice, Select, useSize } from "../base/components";
import { QueryError } from "../base/CompletionField";
import { useKeys } from "../base/keys";
import { formatRange, timeOf } from "../base/time";
import { formatCount } from "../base/units";
import { RangePicker } from "../explore/RangePicker";
import { useResolvedState, useTick } from "../explore/refresh";
import { chartWidth } from "../explore/resolve_times";
import { zoomIn, zoomOut } from "../explore/time_zoom";
import { stepText } from "../explore/value_axis";
import { fresh, go, State } from "../url";
import { InstantTable, instantRows, queryLetter } from "./InstantTable";
import { TimeRange, useMetadata } from "./known_metrics";
import { Exemplar, MetricChart, MetricLegend } from "./MetricChart";
import { MetricList } from "./MetricList";
import { Metadata, unitOf, units } from "./metric_units";
import {
  chartData,
  durationText,
  ExemplarsAnswer,
  maxSeries,
  PromAnswer,
  promErrorPlace,
  secondsOf,
  Steps,
  stepsOf,
} from "./prom_answer";
import { PromField } from "./PromField";
import { macroValues, withMacros } from "./macros";
import "./metrics.css";

const maxTableRows = 1000;
const maxExemplars = 200;
const chartHeight = 300;

const stepChoices = ["15s", "30s", "1m", "5m", "15m", "1h", "1d"];

// One query: its field, and the error of the server. Other queries are not changed by typing.
function QueryRow(props: {
  index: number;
  count: number;
  query: string;
  error: string;
  range: TimeRange;
  metadata: Metadata;
  onQuery: (query: string) => void;
  onRemove: () => void;
}) {
  const { index, query } = props;
  const [text, setText] = useState(query);
  useEffect(() => setText(query), [query]);
  const letter = queryLetter(index);
  return (
    <div class="query-box">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          props.onQuery(text.trim());
        }}
      >
        <span class="query-letter" aria-hidden="true">
          {letter}
        </span>
        <PromField
          id={index === 0 ? "search" : undefined}
          label={`PromQL, query ${letter}`}
          text={text}
          wrong={props.error !== ""}
          range={props.range}
          metadata={props.metadata}
          onText={setText}
          onRun={() => props.onQuery(text.trim())}
        />
        <button type="submit" class="primary" title="Run the query (Enter)">
          Run
        </button>
        {(props.count > 1 || query) && (
          <button
            type="button"
            class="quiet"
            aria-label={`Remove query ${letter}`}
            title="Remove the query"
            onClick={props.onRemove}
          >
            ×
          </button>
        )}
      </form>
      {props.error && (
        <QueryError query={query} message={props.error} place={promErrorPlace(props.error)} />
      )}
    </div>
  );
}

function Notes(props: { texts: readonly (string | undefined)[]; kind: "warn" | "" }) {
  const unique = [...new Set(props.texts.filter((t): t is string => !!t))];
  return (
    <>
      {unique.map((text) => (
        <p class={`note ${props.kind}`} key={text} role="status">
          {text}
        </p>
      ))}
    </>
  );
}

// Return the number of series of the queries whose answers may have been cut off.
function useTotals(queries: readonly string[], ranges: readonly number[], time: number): string[] {
  const cut = queries.filter((_, i) => ranges[i] >= maxSeries);
  const { answers } = useQueries<PromAnswer>(
    cut.map((query) => promUrl("query", { query: `count(\n${query}\n)`, time })),
  );
  return cut.map((query, i) => {
    const result = answers[i]?.data?.data.result;
    const count = Array.isArray(result) ? (result[0] as { value?: [number, string] }) : undefined;
    const letter = queryLetter(queries.indexOf(query));
    return `Query ${letter}: ${
      count?.value
        ? `${formatCount(Number(count.value[1]), "series", "series")} at the end of the range`
        : `more than ${maxSeries} series`
    }; the chart shows the first ${maxSeries}. Aggregate them, or select the largest: topk(10, ...).`;
  });
}

function exemplarsOf(answers: readonly (ExemplarsAnswer | undefined)[]): Exemplar[] {
  return answers
    .flatMap((answer) => answer?.data ?? [])
    .flatMap(({ exemplars }) =>
      exemplars.map(({ labels, value, timestamp }) => ({
        time: timestamp,
        value: Number(value),
        trace: labels.trace_id ?? labels.traceID ?? labels.traceId ?? "",
        labels,
      })),
    )
    .filter((e) => e.trace && Number.isFinite(e.value))
    .slice(0, maxExemplars);
}

export const openTrace = (trace: string) =>
  go({ ...fresh, path: "/traces", query: "", trace, span: "" });

// Whether a warning says that the answer was cut off, for which the page has its own note.
const isCutOff = (text: string) => /results? (?:truncated|limited)/i.test(text);

const none: Exemplar[] = [];

function useExemplars(wanted: boolean, queries: readonly string[], steps: Steps, tick: number) {
  const { answers } = useQueries<ExemplarsAnswer>(
    wanted
      ? queries.map(
        (query) => promUrl("query_exemplars", { query, start: steps.from, end: steps.to }),
      )
      : [],
    tick,
  );
  const key = answers.map((a) => a.data?.data.length ?? -1).join();
  const found = useMemo(() => exemplarsOf(answers.map((a) => a.data)), [key, wanted, tick]);
  const failed = wanted && answers.some((a) => a.error);
  return { exemplars: wanted ? found : none, failed };
}

function Options(props: { state: State; own: string; steps: Steps }) {
  const { state, own, steps } = props;
  return (
    <div class="row metric-options">
      <Choice
        label="Result"
        value={state.result}
        options={[
          ["both", "Both"],
          ["chart", "Chart", "Values over the range"],
          ["table", "Table", "Values at the end of the range"],
        ]}
        onChange={(result) => go({ result }, "replace")}
      />
      {state.result !== "table" && (
        <>
          <Choice
            label="Style"
            value={state.draw}
            options={[
              ["lines", "Lines"],
              ["stacked", "Stacked"],
              ["bars", "Bars", "Stacked bars"],
            ]}
            onChange={(draw) => go({ draw }, "replace")}
          />
          <Select
            label="Step"
            shown
            value={state.step}
            options={[
              ["", `auto (${stepText(steps.step * 1000)})`],
              ...[...new Set([...stepChoices, ...(state.step ? [state.step] : [])])].map(
                (s) => [s, s] as const,
              ),
            ]}
            onChange={(step) => go({ step }, "replace")}
          />
        </>
      )}
      <Select
        label="Unit"
        shown
        value={state.unit}
        options={[
          ["", `auto (${units.find(([unit]) => unit === own)?.[1] ?? own})`],
          ...units.filter(([unit]) => unit !== ""),
          ["number", "number"],
        ]}
        onChange={(unit) => go({ unit }, "replace")}
      />
      {state.result !== "table" && (
        <button
          type="button"
          aria-pressed={state.exemplars}
          title="Show exemplars: single requests with their traces (x)"
          onClick={() => go({ exemplars: !state.exemplars }, "replace")}
        >
          Exemplars
        </button>
      )}
    </div>
  );
}

function Results(props: {
  state: State;
  resolved: State;
  tick: number;
  metadata: Metadata;
  queries: readonly string[];
  onErrors: (errors: string[]) => void;
}) {
  const { state, resolved, tick, metadata } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const range = { from: timeOf(resolved.from), to: timeOf(resolved.to) };
  const steps = stepsOf(range.from, range.to, size.width || chartWidth(), secondsOf(state.step));
  const macros = macroValues(steps, range);
  const queries = props.queries.map((query) => withMacros(query, macros));
  const withChart = state.result !== "table";
  const withTable = state.result !== "chart";
  const over = useQueries<PromAnswer>(
    withChart && size.width
      ? queries.map((query) =>
          promUrl("query_range", {
            query,
            start: steps.from,
            end: steps.to,
            step: steps.step,
            limit: maxSeries,
          }),
        )
      : [],
    tick,
  );
  const time = Math.floor(range.to / 1000);
  const now = useQueries<PromAnswer>(
    withTable ? queries.map((query) => promUrl("query", { query, time, limit: maxTableRows })) : [],
    tick,
  );
  const { exemplars, failed: noExemplars } = useExemplars(
    state.exemplars && withChart,
    queries,
    steps,
    tick,
  );
  const ownUnits = queries.map((query) => unitOf(query, metadata));
  const own = new Set(ownUnits).size === 1 ? ownUnits[0] : "";
  const unit = state.unit === "number" ? "" : state.unit || own;
  const overData = over.answers.map((a) => a.data);
  const nowData = now.answers.map((a) => a.data);
  const data = useMemo(
    () => chartData(overData, steps),
    [...overData, queries.length, steps.from, steps.to, steps.step],
  );
  const rows = useMemo(() => instantRows(nowData), [...nowData, queries.length]);
  const both = (i: number) => over.answers[i]?.error ?? now.answers[i]?.error;
  const errors = queries.map((_, i) => both(i)?.message ?? "");
  useEffect(() => props.onErrors(errors), [errors.join("\n")]);
  const totals = useTotals(
    queries,
    over.answers.map((a) => (Array.isArray(a.data?.data.result) ? a.data.data.result.length : 0)),
    time,
  );
  const answers = [...over.answers, ...now.answers];
  const loading = (over.loading && withChart) || (now.loading && withTable);
  const failed = errors.every(Boolean);
  return (
    <>
      <Options state={state} own={own} steps={steps} />
      <Notes
        kind="warn"
        texts={[
          ...totals,
          ...answers.flatMap((a) => a.data?.warnings ?? []).filter((text) => !isCutOff(text)),
        ]}
      />
      <Notes kind="" texts={answers.flatMap((a) => a.data?.infos ?? [])} />
      {noExemplars && (
        <p class="note" role="status">
          The server returned no exemplars.
        </p>
      )}
      <div ref={box} class="metric-results" aria-busy={loading}>
        {withChart && !failed && (
          <section class="panel metric-panel" aria-label="Chart">
            <MetricChart
              data={data}
              step={steps.step}
              range={range}
              unit={unit}
              style={state.draw}
              height={chartHeight}
              only={state.only}
              exemplars={exemplars}
              label="Values over time. The table below has the values at the end of the range."
              onSelect={(from, to) => go(zoomIn(state, from, to))}
              onReset={() => go(zoomOut(state))}
              onExemplar={(e) => openTrace(e.trace)}
            />
            {!over.loading && !data.series.length && (
              <p class="note">No data in this range: {formatRange(state)}</p>
            )}
            <MetricLegend
              data={data}
              unit={unit}
              only={state.only}
              onOnly={(only) => go({ only }, "replace")}
            />
            {exemplars.length > 0 && (
              <p class="table-foot soft">
                {formatCount(exemplars.length, "exemplar")}:{" "}
                {exemplars.slice(-5).map((e) => (
                  <button
                    type="button"
                    class="quiet small"
                    key={`${e.trace} ${e.time}`}
                    onClick={() => openTrace(e.trace)}
                  >
                    {e.trace.slice(0, 8)}
                  </button>
                ))}
              </p>
            )}
          </section>
        )}
        {withTable && !failed && (
          <section class="panel pane metric-table" aria-label="Table">
            <InstantTable
              label="Values at the end of the range"
              rows={rows}
              queries={queries.length}
              units={queries.map((_, i) => (state.unit ? unit : ownUnits[i]))}
              order={state.order}
              onOrder={(order) => go({ order }, "replace")}
            />
            <p class="table-foot soft">
              {rows.length >= maxTableRows
                ? `The first ${maxTableRows} series`
                : formatCount(rows.length, "series", "series")}{" "}
              at {new Date(time * 1000).toLocaleTimeString("en-GB")}
              {withChart && `, steps of ${durationText(steps.step)} in the chart`}
            </p>
          </section>
        )}
      </div>
      {loading && <span class="hidden-text" role="status">Loading</span>}
    </>
  );
}

export function Metrics(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const [rangeOpen, setRangeOpen] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  const resolved = useResolvedState(state, tick);
  const metadata = useMetadata();
  const range = { from: timeOf(resolved.from), to: timeOf(resolved.to) };
  const queries = state.expr.length ? state.expr : [""];
  const run = queries.filter((q) => q.trim() !== "");
  const set = (expr: string[]) => go({ expr: expr.length > 1 || expr[0] ? expr : [], only: [] });
  // places of the queries that are run among all
  const placeOf = (i: number) => queries.slice(0, i).filter((q) => q.trim() !== "").length;
  useKeys("Metrics", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "a", help: "Add a query", run: () => go({ expr: [...queries, ""] }) },
    { key: "x", help: "Exemplars", run: () => go({ exemplars: !state.exemplars }, "replace") },
    { key: "o", help: "Show all series", run: () => go({ only: [] }, "replace") },
    {
      key: "j",
      help: "Focus the table",
      run: () => document.querySelector<HTMLElement>(".metric-table .data-body")?.focus(),
    },
  ]);
  return (
    <div class="page">
      <div class="row bar">
        <h1>Metrics</h1>
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={(r) => go({ ...r, live: state.live && r.to === "now" })}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={refresh}
          open={rangeOpen}
          onOpen={setRangeOpen}
        />
      </div>
      {queries.map((query, i) => (
        <QueryRow
          key={i}
          index={i}
          count={queries.length}
          query={query}
          error={query.trim() ? (errors[placeOf(i)] ?? "") : ""}
          range={range}
          metadata={metadata}
          onQuery={(text) => set(queries.map((q, k) => (k === i ? text : q)))}
          onRemove={() => set(queries.filter((_, k) => k !== i))}
        />
      ))}
      {run.length > 0 ? (
        <>
          <p class="row metric-add">
            <button
              type="button"
              class="small"
              title="Add a query (a)"
              onClick={() => go({ expr: [...queries, ""] })}
            >
              + Query
            </button>
          </p>
          <Results
            state={state}
            resolved={resolved}
            tick={tick}
            metadata={metadata}
            queries={run}
            onErrors={setErrors}
          />
        </>
      ) : (
        <MetricList metadata={metadata} range={range} onQuery={(q) => set([q])} />
      )}
    </div>
  );
}
