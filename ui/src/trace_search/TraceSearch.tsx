// SPDX-License-Identifier: Apache-2.0
// The search of traces: a TraceQL query with filters, a chart of the spans it finds, and the found
// traces.
import { useMemo, useState } from "preact/hooks";
import { Answer, tempoUrl, useAnswer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote, Empty, Link } from "../base/components";
import { formatRange } from "../base/time";
import { formatCount } from "../base/units";
import { fresh, go, State } from "../url";
import { Ids } from "../traces/parse_ids";
import { isMetricsQuery } from "./conditions";
import { Filters } from "./Filters";
import { FoundTrace, partialText, SearchAnswer, tracesOf } from "./found";
import { QueryField } from "./QueryField";
import { SpanChart } from "./SpanChart";
import { TraceTable } from "./TraceTable";
import "./search.css";

const steps = [50, 200, 1000, 5000];
const spansPerTrace = 20;

const listed = (state: State) =>
  Math.min(Math.max(1, Math.floor(Number(state.most)) || steps[0]), steps[steps.length - 1]);

// Query the newest traces of the range. `resolved`: the state with resolved times.
function useSearch(resolved: State, tick: number) {
  return useAnswer<SearchAnswer>(
    isMetricsQuery(resolved.q)
      ? undefined
      : tempoUrl("search", {
          q: resolved.q || "{ }",
          start: Math.floor(Number(resolved.from) / 1000),
          end: Math.ceil(Number(resolved.to) / 1000),
          limit: listed(resolved),
          spss: spansPerTrace,
        }),
    tick,
  );
}

const recipe = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 ./service";

function NoTraces(props: { state: State; onRun: (q: string) => void }) {
  const { state } = props;
  return (
    <Empty title={state.q ? "No trace matches" : "No traces in this range"}>
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
        {state.q && (
          <button type="button" onClick={() => props.onRun("")}>
            Remove the query
          </button>
        )}
      </p>
      {!state.q && (
        <p class="soft">
          Traces are received by OTLP (gRPC 4317, HTTP 4318), from every OpenTelemetry SDK and
          collector:
          <br />
          <code>{recipe}</code>
        </p>
      )}
    </Empty>
  );
}

const examples: readonly (readonly [string, string])[] = [
  ["{ status = error }", "spans that failed"],
  ['{ resource.service.name = "shop" && duration > 500ms }', "slow spans of a service"],
  ['{ span.http.route =~ "/api/.*" } >> { span.db.system != nil }', "queries below a route"],
  ["{ } | rate() by (resource.service.name)", "a chart of spans per second"],
];

// Shown beside the error of a query that is refused.
function Examples(props: { onRun: (q: string) => void }) {
  return (
    <section class="query-examples" aria-label="Examples">
      <span class="soft">Examples:</span>
      <ul>
        {examples.map(([q, meaning]) => (
          <li key={q}>
            <button type="button" class="small" onClick={() => props.onRun(q)}>
              <code>{q}</code>
            </button>{" "}
            <span class="soft">{meaning}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

// The profile of the found spans.
export const foundProfile = (q: string): Partial<State> => ({
  ...fresh,
  path: "/profiles",
  query: "",
  view: "both",
  traces: q || "{ }",
});

function Foot(props: { state: State; answer: SearchAnswer; traces: readonly FoundTrace[] }) {
  const { state, answer, traces } = props;
  const n = listed(state);
  const next = steps.find((step) => step > n);
  const full = traces.length >= n;
  const { inspectedTraces = 0, inspectedSpans = "0" } = answer.metrics ?? {};
  return (
    <p class="table-foot soft row">
      <span>
        {full
          ? `The ${formatCount(traces.length, "newest trace")}`
          : formatCount(traces.length, "trace")}
        {" · "}searched {formatCount(inspectedTraces, "trace")},{" "}
        {formatCount(Number(inspectedSpans), "span")}
      </span>
      {traces.length > 0 && (
        <Link
          class="button small"
          to={foundProfile(state.q)}
          title="The profile of all spans that match, of all services"
        >
          Flame graph of these spans
        </Link>
      )}
      {full && next && (
        <button type="button" class="small" onClick={() => go({ most: String(next) }, "replace")}>
          List {next.toLocaleString("en-US")}
        </button>
      )}
    </p>
  );
}

function Found(props: { state: State; answer: Answer<SearchAnswer>; onRun: (q: string) => void }) {
  const { state, answer } = props;
  const traces = useMemo(() => tracesOf(answer.data ?? {}), [answer.data]);
  const partial = answer.data && partialText(answer.data);
  if (!answer.data) return null;
  if (!traces.length && !partial) return <NoTraces state={state} onRun={props.onRun} />;
  return (
    <section
      class={`panel pane found-traces ${answer.stale ? "pending" : ""}`}
      aria-label="Found traces"
    >
      {partial && (
        <p class="note warn" role="status">
          Not all traces were searched: {partial}
        </p>
      )}
      {answer.data.warnings?.map((text) => (
        <p class="note warn" key={text}>
          {text}
        </p>
      ))}
      <TraceTable state={state} traces={traces} />
      <Foot state={state} answer={answer.data} traces={traces} />
    </section>
  );
}

export function TraceSearch(props: { state: State; resolved: State; tick: number }) {
  const { state, resolved, tick } = props;
  const answer = useSearch(resolved, tick);
  const [chartError, setChartError] = useState<{ q: string; message: string }>();
  const own = isMetricsQuery(state.q);
  const run = (q: string) => go({ q, open: [] });
  const open = (ids: Ids) => go({ ...ids, query: "", zoom: [], most: "", open: [] });
  const refused = answer.error?.status === 400 ? answer.error.message : "";
  const error = own && chartError?.q === state.q ? chartError.message : refused;
  useKeys("Traces", [
    {
      key: "h",
      help: "Focus the chart: arrows move, Shift extends, Enter narrows",
      run: () => document.querySelector<HTMLElement>(".trace-chart .heat-cells")?.focus(),
    },
    {
      key: "j",
      help: "Focus the list: arrows move, Enter opens",
      run: () => document.querySelector<HTMLElement>(".found-table [role=treegrid]")?.focus(),
    },
    { key: "-", help: "Fold all traces", run: () => go({ open: [] }, "replace") },
    {
      key: "+",
      help: "Unfold the first 50 traces",
      run: () =>
        go(
          {
            open: tracesOf(answer.data ?? {})
              .slice(0, 50)
              .map((t) => t.id),
          },
          "replace",
        ),
    },
  ]);
  return (
    <>
      <QueryField resolved={resolved} query={state.q} error={error} onRun={run} onIds={open} />
      {error ? <Examples onRun={run} /> : <Filters resolved={resolved} onChange={run} />}
      {!refused && (
        <SpanChart
          state={state}
          resolved={resolved}
          tick={tick}
          onError={(message) =>
            chartError?.message !== message && setChartError({ q: state.q, message })
          }
        />
      )}
      {answer.error && !refused && <AnswerNote answer={answer} what="traces" />}
      {answer.waiting && <AnswerNote answer={answer} what="traces" />}
      {!own && <Found state={state} answer={answer} onRun={run} />}
    </>
  );
}
