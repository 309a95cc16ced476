// SPDX-License-Identifier: Apache-2.0
// One trace or span: its head, the waterfall, and beside it the flame graph, the details of the
// selected span, or its log records.
import { useMemo } from "preact/hooks";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { FlameAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice } from "../base/components";
import { typeName } from "../base/profile_types";
import { formatCount, formatValue } from "../base/units";
import { FlamePane } from "../explore/FlamePane";
import { spanOf } from "../explore/queries";
import { TraceLogs } from "../logs/TraceLogs";
import { go, State } from "../url";
import { isTime, threadTimeHelp } from "./thread_time";
import { SpanPanel } from "./SpanPanel";
import { SpanPanes } from "./SpanPanes";
import { SpanRow, SpansAnswer } from "./SpanTable";
import { mostDetailed, parseTrace, SpanDetails, useTraceDetails } from "./trace_details";
import { summaryOf, TraceHead } from "./TraceHead";
import { timesOf, TraceTimes } from "./trace_times";
import { isStored, waterfallOf } from "./waterfall_rows";

const maxNodes = 20_000;

type Pane = Exclude<State["pane"], "">;

function FlamePart(props: {
  state: State;
  resolved: State;
  spans: SpansAnswer | undefined;
  tick: number;
}) {
  const { state, resolved, spans } = props;
  const params = { ...selectionParams(resolved), ...filterParams(resolved) };
  const flame = useAnswer<FlameAnswer>(
    apiUrl("flame", {
      ...params,
      path: state.zoom,
      nearest: state.zoom.length > 0,
      max_nodes: maxNodes,
    }),
    props.tick,
  );
  const none = flame.data && !flame.data.total;
  return (
    <>
      {flame.error?.status === 404 ? (
        <p class="note">No samples in this range</p>
      ) : (
        <AnswerNote answer={flame} what="the flame graph" />
      )}
      {flame.data && (
        <p class="pane-head">
          <strong>{formatValue(flame.data.kept, flame.data.unit)}</strong>
          {flame.data.kept !== flame.data.total &&
            ` of ${formatValue(flame.data.total, flame.data.unit)}`}{" "}
          <span class="soft">
            {typeName(flame.data.type)}
            {isTime(flame.data.unit) && <span title={threadTimeHelp}> (thread time)</span>},{" "}
            {!state.span
              ? "all spans of the trace"
              : state.children
                ? "this span and its children"
                : "this span only"}
          </span>
        </p>
      )}
      {none && (
        <p class="note">
          {spans?.total
            ? "The selection has no samples of its own: see its children, or the whole trace."
            : "No profile has samples of this trace. Samples have span IDs if the program runs with libvarve, or with another profiler that links samples to spans."}
        </p>
      )}
      {flame.data?.warnings?.map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      {!none && (
        <FlamePane
          state={state}
          answer={flame}
          params={params}
          onSelect={(ref) => go({ function: ref === state.function ? "" : ref }, "replace")}
        />
      )}
    </>
  );
}

// Return the trace with the exact times of its details, and what follows from them.
function useTimes(
  spans: SpansAnswer | undefined,
  details: ReadonlyMap<string, SpanDetails> | undefined,
) {
  return useMemo(() => {
    const rows = (spans?.spans ?? []).map((row) => {
      const own = details?.get(row.span);
      return own && isStored(row) ? { ...row, start: own.start, duration: own.duration } : row;
    });
    return { summary: summaryOf(rows), times: timesOf(waterfallOf(rows, true), !!details) };
  }, [spans, details]);
}

const criticalOf = (times: TraceTimes, row: SpanRow) =>
  times.critical.get(row.span)?.reduce((n, s) => n + (s.to - s.from) * 1e6, 0) ?? 0;

const paneNames: readonly (readonly [Pane, string, string])[] = [
  ["flame", "Flame graph", "Profile of the selected span, or of the whole trace (f)"],
  ["span", "Details", "Attributes, events and links of the selected span (d)"],
  ["logs", "Logs", "Log records of the selected span, or of the whole trace (o)"],
];

export function OneTrace(props: {
  state: State;
  resolved: State;
  answer: Answer<SpansAnswer>;
  tick: number;
}) {
  const { state, resolved, answer } = props;
  const spans = answer.data;
  const row = spans?.spans.find((s) => s.span === state.span);
  const stored = !!spans?.spans.some(isStored);
  const trace = state.trace || row?.trace || "";
  const otlp = useTraceDetails(trace, stored ? spans!.span_count : 0, props.tick);
  const details = useMemo(() => otlp.data && parseTrace(otlp.data), [otlp.data]);
  const { summary, times } = useTimes(spans, details);
  // Without samples, the details say more than an empty graph.
  const filtered = state.focus !== "" || state.ignore !== "";
  const pane: Pane =
    state.pane || (stored && spans && !spans.total && !filtered ? "span" : "flame");
  const show = (name: Pane) => go({ pane: name }, "replace");
  useKeys("Spans", [
    { key: "f", help: "Flame graph", run: () => show("flame") },
    { key: "d", help: "Details of the span", run: () => show("span") },
    { key: "o", help: "Log records", run: () => show("logs") },
  ]);
  const note =
    spans && spans.span_count > mostDetailed
      ? `Details are loaded for traces of at most ${formatCount(mostDetailed, "span")}.`
      : (otlp.error?.message ?? (otlp.data ? "The span is known from its samples only." : ""));
  return (
    <SpanPanes
      state={state}
      answer={answer}
      head={
        spans && stored && state.trace ? (
          <TraceHead answer={spans} json={otlp.data} range={spanOf(resolved)} />
        ) : null
      }
      trace={
        stored
          ? {
              details,
              critical: state.critical,
              grouped: state.grouped,
            }
          : undefined
      }
    >
      <section
        class="panel pane"
        aria-label={pane === "flame" ? "Flame graph" : pane === "span" ? "Span" : "Logs"}
      >
        <div class="row pane-tabs">
          <Choice label="Beside the spans" value={pane} options={paneNames} onChange={show} />
        </div>
        {pane === "flame" && (
          <FlamePart state={state} resolved={resolved} spans={spans} tick={props.tick} />
        )}
        {pane === "span" && (
          <SpanPanel
            state={state}
            row={row}
            details={row && details?.get(row.span)}
            note={note}
            from={summary?.from ?? 0}
            length={summary ? (summary.to - summary.from) * 1e6 : 0}
            self={row && times.self.get(row.span)}
            critical={row && isStored(row) ? criticalOf(times, row) : undefined}
          />
        )}
        {pane === "logs" && summary && (
          <TraceLogs
            trace={trace}
            span={state.span}
            from={summary.from}
            to={summary.to}
            tick={props.tick}
          />
        )}
      </section>
    </SpanPanes>
  );
}
