// SPDX-License-Identifier: Apache-2.0
// The spans of a selection or of a trace, and beside them the flame graph of one of them, or of all.
import { ComponentChildren } from "preact";
import { Answer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice, Empty, Link } from "../base/parts";
import { formatRange } from "../base/time";
import { go, State } from "../url";
import { Id } from "./Id";
import { moreSpans } from "./spans";
import { spanKey, SpanRow, SpansAnswer, SpanTable } from "./SpanTable";
import { Waterfall } from "./Waterfall";
import { isKept } from "./fall";

const noStructure = "What it called is not known: the server has no spans of this trace. Send traces to it too.";

// What the flame graph is of: nothing special, a span, a trace; and how to change that.
export function SpanHead(props: { state: State; spans: SpansAnswer | undefined }) {
  const { state, spans } = props;
  const row = spans?.spans.find((s) => s.span === state.span);
  const trace = state.trace || row?.trace || "";
  const known = !row || isKept(row);
  const choose = (value: string) => go(value === "trace" ? { trace, span: "", children: false, zoom: [] } : { children: value === "children", zoom: [] });
  useKeys("Spans", [{ key: "k", help: "The span alone, or with its children", run: () => state.span && known && choose(state.children ? "span" : "children") }]);
  if (!state.span && !state.trace) return null;
  return (
    <div class="row span-head">
      {state.trace && <Id title="Trace" id={state.trace} onRemove={() => go({ trace: "", span: "", children: false, zoom: [] })} />}
      {state.span && <Id title="Span" id={state.span} name={row?.name} onRemove={() => go({ span: "", children: false, zoom: [] })} />}
      {state.span && trace && (
        <Choice
          label="How much"
          value={state.children ? "children" : ("span" as string)}
          options={[
            ["span", "Self", "Only samples that were taken within this span itself (k)"],
            ["children", "With children", known ? "The span and all that it called, in all services (k)" : noStructure, !known],
            ["trace", "Whole trace", "All samples of all spans of its trace"],
          ]}
          onChange={choose}
        />
      )}
      {state.span && !known && <span class="soft">{noStructure}</span>}
      {trace && state.path !== "/traces" && (
        <Link class="button" to={{ path: "/traces", trace, query: "" }}>
          Its trace in all services
        </Link>
      )}
    </div>
  );
}

function NoSpans(props: { state: State; answer: SpansAnswer }) {
  const { state, answer } = props;
  if (state.trace || (state.span && state.path === "/traces"))
    return (
      <Empty title={`Nothing of this ${state.trace ? "trace" : "span"} was found`}>
        <p class="soft">
          Looked in: {formatRange(state)}
          {state.query ? `, ${state.query}` : ""}. It may have been too short for a sample, or not profiled.
        </p>
        <p>
          <button type="button" onClick={() => go({ from: "now-30d", to: "now", query: "" })}>
            Look in the last 30 days
          </button>
        </p>
      </Empty>
    );
  return (
    <Empty title={answer.total ? "These samples belong to no spans" : "No samples here"}>
      <p class="soft">
        libvarve notes the span that a thread is in (<code>varve_span_start()</code>), and OTLP senders may link samples to spans. Profiles of other tools usually do not say it.
      </p>
    </Empty>
  );
}

// What has no spans by its kind, e.g. a gauge.
export const NoneOfThis = (props: { why: string }) => (
  <Empty title="There are no spans of this">
    <p class="soft">{props.why}</p>
  </Empty>
);

// `children`: the flame graph of what is chosen.
export function SpanPanes(props: { state: State; answer: Answer<SpansAnswer>; children: ComponentChildren }) {
  const { state, answer } = props;
  const spans = answer.data;
  const selected = spans?.spans.find((s) => s.span === state.span && (!state.trace || s.trace === state.trace));
  const pick = (row: SpanRow) => go(row.span === state.span ? { span: "", children: false, zoom: [] } : { span: row.span, zoom: [] }, "replace");
  const falls = state.trace !== "" && spans?.spans.some(isKept);
  const open = (row: SpanRow) => go({ path: "/traces", trace: row.trace, span: row.span, query: "", most: "", zoom: [] });
  const table = { search: state.search, selected: selected ? spanKey(selected) : "", onSelect: pick, more: moreSpans(state) };
  if (answer.error?.status === 400)
    return <NoneOfThis why={answer.error.message} />;
  return (
    <>
      <AnswerNote answer={answer} what="the spans" />
      <SpanHead state={state} spans={spans} />
      {spans && !spans.spans.length && <NoSpans state={state} answer={spans} />}
      {spans && spans.spans.length > 0 && (
        <div class={`content spans ${falls ? "falls" : ""}`}>
          <section class="panel pane" aria-label="Spans">
            {falls ? <Waterfall {...table} answer={spans} /> : <SpanTable {...table} onOpen={open} answer={spans} />}
          </section>
          {props.children}
        </div>
      )}
    </>
  );
}
