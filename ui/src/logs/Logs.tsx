// SPDX-License-Identifier: Apache-2.0
// The log view: filters, the number of records over time by severity, and the records, the newest
// first.
import { useState } from "preact/hooks";
import { Answer, useAnswer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote, Empty, useSize } from "../base/components";
import { formatRange } from "../base/time";
import { formatCount, grouped } from "../base/units";
import { BarChart } from "../bars/BarChart";
import { spanOf } from "../explore/queries";
import { RangePicker } from "../explore/RangePicker";
import { useResolvedState, useTick } from "../explore/refresh";
import { chartStep, chartWidth } from "../explore/resolve_times";
import { zoomIn, zoomOut } from "../explore/time_zoom";
import { stepText } from "../explore/value_axis";
import { fresh, go, State } from "../url";
import { LogFilters, withWhere } from "./LogFilters";
import { LogLines } from "./LogLines";
import { CountsAnswer, countsUrl, LogList, logParams, markOf, useLogs } from "./log_query";
import { levelColour, levelName } from "./severity";
import "./logs.css";

const columnPixels = 7;
const chartHeight = 96;
const leastStepMs = 1000;

const noFilters: Partial<State> = {
  ...fresh,
  service: [],
  severity: "",
  text: "",
  as: "words",
  where: [],
};

const isFiltered = (s: State) =>
  s.service.length > 0 || s.where.length > 0 || !!(s.severity || s.text || s.trace || s.span);

function stepOf(resolved: State, width: number): string {
  const { from, to } = spanOf(resolved);
  const step = chartStep(from, to, Math.max(20, (width / columnPixels) * 3));
  const ms = parseFloat(step) * (step.endsWith("ms") ? 1 : 1000);
  return ms < leastStepMs ? "1s" : step;
}

function Histogram(props: { state: State; answer: Answer<CountsAnswer> }) {
  const { state, answer } = props;
  const counts = answer.data;
  if (!counts) return <div style={{ height: `${chartHeight + 48}px` }} />;
  const { start, step, to, rows } = counts;
  const columns = Math.max(1, Math.ceil((to - start) / step));
  return (
    <>
      <BarChart
        grid={{ start, step, columns }}
        height={chartHeight}
        series={rows.map((row) => ({
          name: levelName(row.name),
          colour: levelColour(row.name),
          values: row.counts,
        }))}
        format={(n) => grouped(n)}
        label="Log records over time. Arrow keys move, Shift and arrow keys extend, Enter narrows the time range."
        onSelect={(from, until) => go({ ...zoomIn(state, from, until), live: false, open: [] })}
        onReset={() => go({ ...zoomOut(state), open: [] })}
      />
      <div class="row log-legend">
        <strong>{formatCount(counts.total, "record")}</strong>
        <span class="soft">{stepText(step)} per column</span>
        <span class="spread" />
        {rows.map((row) => (
          <button
            type="button"
            key={row.name}
            class="quiet small"
            disabled={!row.name}
            aria-pressed={state.severity === row.name && row.name !== ""}
            title={row.name ? `Only ${row.name} and worse` : undefined}
            onClick={() => go({ severity: state.severity === row.name ? "" : row.name, open: [] })}
          >
            <span class="swatch" style={{ background: levelColour(row.name) }} />{" "}
            {levelName(row.name)} <span class="soft">{grouped(row.total)}</span>
          </button>
        ))}
      </div>
    </>
  );
}

function NoRecords(props: { state: State }) {
  const { state } = props;
  const filtered = isFiltered(state);
  return (
    <Empty title={filtered ? "No record matches" : "No log records in this range"}>
      <p class="soft">Searched: {formatRange(state)}</p>
      <p class="row empty-ways">
        {state.from !== "now-24h" && (
          <button type="button" onClick={() => go({ from: "now-24h", to: "now" })}>
            Search the last 24 hours
          </button>
        )}
        {state.from !== "now-30d" && (
          <button type="button" onClick={() => go({ from: "now-30d", to: "now" })}>
            Search the last 30 days
          </button>
        )}
        {filtered && (
          <button type="button" onClick={() => go(noFilters)}>
            Remove all filters
          </button>
        )}
      </p>
      {!filtered && (
        <p class="soft">
          Log records are received by OTLP (gRPC 4317, HTTP 4318), from every OpenTelemetry SDK and
          collector:
          <br />
          <code>
            OTEL_LOGS_EXPORTER=otlp OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 ./service
          </code>
        </p>
      )}
    </Empty>
  );
}

function End(props: { logs: LogList }) {
  const { logs } = props;
  if (logs.loading)
    return (
      <p class="note" role="status">
        <span class="spinner" aria-hidden="true" /> Loading older records…
      </p>
    );
  if (logs.error)
    return (
      <p class="note bad" role="alert">
        {logs.error.message}
        <button type="button" class="quiet" onClick={logs.loadOlder}>
          Retry
        </button>
      </p>
    );
  if (logs.next)
    return (
      <p class="note">
        {logs.partial && "The time limit of the query was reached. "}
        <button type="button" class="small" onClick={logs.loadOlder}>
          Load older
        </button>
      </p>
    );
  return <p class="note">No older records in this range.</p>;
}

export function Logs(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const [rangeOpen, setRangeOpen] = useState(false);
  const resolved = useResolvedState(state, tick);
  const [box, size] = useSize<HTMLElement>();
  const logs = useLogs(logParams(resolved), tick);
  const { answer } = logs;
  const counts = useAnswer<CountsAnswer>(
    countsUrl(resolved, stepOf(resolved, size.width || chartWidth())),
    tick,
  );
  const refused = answer.error?.status === 400 ? answer.error.message : "";
  useKeys("Logs", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "x", help: "Remove all filters", run: () => go(noFilters) },
    { key: "-", help: "Fold all records", run: () => go({ open: [] }, "replace") },
    {
      key: "j",
      help: "Focus the records: arrows move, Enter unfolds",
      run: () => document.querySelector<HTMLElement>(".log-pane .virtual-list")?.focus(),
    },
    {
      key: "h",
      help: "Focus the chart: arrows move, Shift extends, Enter narrows",
      run: () => document.querySelector<HTMLElement>(".log-chart .heat-cells")?.focus(),
    },
  ]);
  // A partial answer without records still has a place where the search continues.
  const none = answer.data && !answer.stale && !answer.data.logs.length && !logs.next;
  return (
    <div class="page fill">
      <div class="row bar">
        <h1>Logs</h1>
        {isFiltered(state) && (
          <button
            type="button"
            class="small"
            title="Remove all filters (x)"
            onClick={() => go(noFilters)}
          >
            Remove filters
          </button>
        )}
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={(r) => go({ ...r, live: state.live && r.to === "now", open: [] })}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={refresh}
          open={rangeOpen}
          onOpen={setRangeOpen}
        />
      </div>
      <LogFilters state={state} resolved={resolved} error={refused} />
      {!refused && (
        <section class="panel log-chart" aria-label="Records over time" ref={box}>
          <Histogram state={state} answer={counts} />
          {counts.data?.partial && (
            <p class="note warn" role="status">
              The time limit of the query was reached: the counts are too low.
            </p>
          )}
        </section>
      )}
      {!refused && <AnswerNote answer={answer} what="log records" />}
      {none ? (
        <NoRecords state={state} />
      ) : (
        answer.data && (
          <section class="panel pane log-pane" aria-label="Records" aria-busy={answer.stale}>
            {answer.data.warnings?.map((text) => (
              <p class="note warn" key={text}>
                {text}
              </p>
            ))}
            <LogLines
              label="Log records, the newest first"
              rows={logs.rows}
              open={state.open}
              mark={markOf(state.text, state.as)}
              onOpen={(open) => go({ open }, "replace")}
              onWhere={(condition) => withWhere(state, condition)}
              onEnd={logs.partial || logs.error ? undefined : logs.loadOlder}
            >
              <End logs={logs} />
            </LogLines>
          </section>
        )
      )}
    </div>
  );
}
