// SPDX-License-Identifier: Apache-2.0
// The spans of a selection or a trace, and beside them the flame graph of the selected span or of
// all.
import { ComponentChildren } from "preact";
import { Answer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice, Empty, Link } from "../base/components";
import { formatRange } from "../base/time";
import { fresh, go, State } from "../url";
import { IdChip } from "./IdChip";
import { parseIds } from "./parse_ids";
import { moreSpans } from "./useSpans";
import { spanKey, SpanRow, SpansAnswer, SpanTable } from "./SpanTable";
import { Waterfall, WholeTrace } from "./Waterfall";
import { isStored } from "./waterfall_rows";

const noStructure =
  "Children unknown: this server has no spans of this trace. Send traces to it as well.";

// The selected span and trace, and the scope of the flame graph: the span, the span with its
// children, or the trace.
export function SpanHead(props: { state: State; spans: SpansAnswer | undefined }) {
  const { state, spans } = props;
  const row = spans?.spans.find((s) => s.span === state.span);
  const trace = state.trace || row?.trace || "";
  const known = !row || isStored(row);
  const choose = (value: string) =>
    go(
      value === "trace"
        ? { trace, span: "", children: false, zoom: [] }
        : { children: value === "children", zoom: [] },
    );
  useKeys("Spans", [
    {
      key: "k",
      help: "Span only, or with children",
      run: () => state.span && known && choose(state.children ? "span" : "children"),
    },
  ]);
  if (!state.span && !state.trace) return null;
  return (
    <div class="row span-head">
      {state.trace && (
        <IdChip
          title="Trace"
          id={state.trace}
          onRemove={() => go({ trace: "", span: "", children: false, zoom: [] })}
        />
      )}
      {state.span && (
        <IdChip
          title="Span"
          id={state.span}
          name={row?.name}
          onRemove={() => go({ span: "", children: false, zoom: [] })}
        />
      )}
      {state.span && trace && (
        <Choice
          label="Scope"
          value={state.children ? "children" : ("span" as string)}
          options={[
            ["span", "Self", "Samples of this span only (k)"],
            [
              "children",
              "With children",
              known ? "This span and its children, in all services (k)" : noStructure,
              !known,
            ],
            ["trace", "Whole trace", "All samples of the trace"],
          ]}
          onChange={choose}
        />
      )}
      {state.span && !known && <span class="soft">{noStructure}</span>}
      {trace && state.path !== "/traces" && (
        <Link class="button" to={{ ...fresh, path: "/traces", trace, file: state.file, query: "" }}>
          Trace in all services
        </Link>
      )}
    </div>
  );
}

function NoSpans(props: { state: State; answer: SpansAnswer }) {
  const { state, answer } = props;
  if (state.trace || (state.span && state.path === "/traces"))
    return (
      <Empty title={`${state.trace ? "Trace" : "Span"} not found`}>
        <p class="soft">
          Searched: {formatRange(state)}
          {state.query ? `, ${state.query}` : ""}. It may be too short to be sampled, or its service
          is not profiled.
        </p>
        <p>
          <button type="button" onClick={() => go({ from: "now-30d", to: "now", query: "" })}>
            Search the last 30 days
          </button>
        </p>
      </Empty>
    );
  return (
    <Empty title={answer.total ? "These samples have no spans" : "No samples in this range"}>
      <p class="soft">
        libvarve records the active span of each thread (<code>varve_span_start()</code>), and OTLP
        exporters may link samples to spans. Profiles of other tools usually have no span links.
      </p>
    </Empty>
  );
}

// Shown for a refused query: the ID is invalid, or the profile type has no spans, e.g. a gauge.
export function RefusedSpans(props: { state: State; why: string }) {
  const { trace, span } = props.state;
  const wrong =
    trace && !parseIds(trace)?.trace ? "trace" : span && !parseIds(span)?.span ? "span" : "";
  return (
    <Empty title={wrong ? `Invalid ${wrong} ID` : "This profile type has no spans"}>
      <p class="soft">{props.why}</p>
    </Empty>
  );
}

// `children`: the flame graph of the selected scope. `head` is shown above the spans; `trace` is
// given if the spans are those of a whole trace.
export function SpanPanes(props: {
  state: State;
  answer: Answer<SpansAnswer>;
  head?: ComponentChildren;
  trace?: WholeTrace;
  children: ComponentChildren;
}) {
  const { state, answer } = props;
  const spans = answer.data;
  const selected = spans?.spans.find(
    (s) => s.span === state.span && (!state.trace || s.trace === state.trace),
  );
  const pick = (row: SpanRow) =>
    go(
      row.span === state.span
        ? { span: "", children: false, zoom: [] }
        : { span: row.span, zoom: [] },
      "replace",
    );
  const falls = state.trace !== "" && spans?.spans.some(isStored);
  const open = (row: SpanRow) =>
    go({
      ...fresh,
      path: "/traces",
      trace: row.trace,
      span: row.span,
      file: state.file,
      query: "",
    });
  const table = {
    search: props.trace ? state.find : state.search,
    selected: selected ? spanKey(selected) : "",
    onSelect: pick,
    more: moreSpans(state),
  };
  if (answer.error?.status === 400)
    return <RefusedSpans state={state} why={answer.error.message} />;
  return (
    <>
      <AnswerNote answer={answer} what="the spans" />
      <SpanHead state={state} spans={spans} />
      {props.head}
      {spans && !spans.spans.length && <NoSpans state={state} answer={spans} />}
      {spans && spans.spans.length > 0 && (
        <div class={`content spans ${falls ? "falls" : ""}`}>
          <section class="panel pane" aria-label="Spans">
            {falls ? (
              <Waterfall
                {...table}
                answer={spans}
                trace={props.trace}
                filtered={state.focus !== "" || state.ignore !== ""}
              />
            ) : (
              <SpanTable {...table} onOpen={open} answer={spans} />
            )}
          </section>
          {props.children}
        </div>
      )}
    </>
  );
}
