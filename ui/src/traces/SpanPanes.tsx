// SPDX-License-Identifier: Apache-2.0
// The spans of a selection or of a trace, and beside them the flame graph of one of them, or of all.
import { ComponentChildren } from "preact";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { selectionParams } from "../api/selection";
import { copyText } from "../base/copy";
import { AnswerNote, Choice, Empty, Link } from "../base/parts";
import { formatRange } from "../base/time";
import { go, State } from "../url";
import { shortId } from "./ids";
import { SpanRow, SpansAnswer, SpanTable } from "./SpanTable";

const most = 1000;

// All of the trace if there is one, else all of the selection; a span that is looked at does not hide the others.
export function useSpans(moment: State, tick: number, asked = true) {
  const params = selectionParams({ ...moment, span: moment.trace ? "" : moment.path === "/traces" ? moment.span : "" });
  return useAnswer<SpansAnswer>(asked ? apiUrl("spans", { ...params, focus: moment.focus, ignore: moment.ignore, n: most }) : undefined, tick);
}

export function Id(props: { title: string; id: string; onRemove: () => void }) {
  return (
    <span class="chip" title={`${props.title} ${props.id}`}>
      {props.title}&nbsp;<code>{shortId(props.id)}</code>
      <button type="button" class="quiet" aria-label={`Copy the id of the ${props.title.toLowerCase()}`} title="Copy the id" onClick={() => void copyText(props.id)}>
        Copy
      </button>
      <button type="button" class="quiet" aria-label={`Remove ${props.title}`} onClick={props.onRemove}>
        ×
      </button>
    </span>
  );
}

// What the flame graph is of: nothing special, a span, a trace; and how to change that.
export function SpanHead(props: { state: State; spans: SpansAnswer | undefined }) {
  const { state, spans } = props;
  const trace = state.trace || spans?.spans.find((s) => s.span === state.span)?.trace || "";
  if (!state.span && !state.trace) return null;
  return (
    <div class="row span-head">
      {state.trace && <Id title="Trace" id={state.trace} onRemove={() => go({ trace: "", span: "", zoom: [] })} />}
      {state.span && <Id title="Span" id={state.span} onRemove={() => go({ span: "", zoom: [] })} />}
      {state.span && trace && (
        <Choice
          label="How much"
          value={"span" as string}
          options={[
            ["span", "This span alone", "Only samples that were taken within this span itself"],
            ["trace", "With everything of its trace", "All samples of all spans of its trace"],
          ]}
          onChange={(value) => value === "trace" && go({ trace, span: "", zoom: [] })}
        />
      )}
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
  const pick = (row: SpanRow) => go({ span: row.span === state.span ? "" : row.span, zoom: [] }, "replace");
  const open = (row: SpanRow) => go({ path: "/traces", trace: row.trace, span: row.span, query: "", zoom: [] });
  if (answer.error?.status === 400)
    return <NoneOfThis why={answer.error.message} />;
  return (
    <>
      <AnswerNote answer={answer} what="the spans" />
      <SpanHead state={state} spans={spans} />
      {spans && !spans.spans.length && <NoSpans state={state} answer={spans} />}
      {spans && spans.spans.length > 0 && (
        <div class="content spans">
          <section class="panel pane" aria-label="Spans">
            <SpanTable answer={spans} search={state.search} selected={selected ? `${selected.trace}-${selected.span}` : ""} onSelect={pick} onOpen={open} />
          </section>
          {props.children}
        </div>
      )}
    </>
  );
}
