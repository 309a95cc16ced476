// SPDX-License-Identifier: Apache-2.0
// The traces view: a trace or span by its ID, or the most expensive spans of all services.
import { useState } from "preact/hooks";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { FlameAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote } from "../base/components";
import { typeName } from "../base/profile_types";
import { formatValue } from "../base/units";
import { FilterChips, filterChips } from "../explore/FilterChips";
import { FirstStart } from "../explore/FirstStart";
import { FlamePane } from "../explore/FlamePane";
import { useResolvedState, useTick } from "../explore/refresh";
import { RangePicker } from "../explore/RangePicker";
import { SelectionBar } from "../explore/SelectionBar";
import { FileBar, useFile } from "../files/FileBar";
import { go, State } from "../url";
import { isTime, threadTimeHelp } from "./thread_time";
import { parseIds } from "./parse_ids";
import { RefusedSpans, SpanPanes } from "./SpanPanes";
import { moreSpans, useSpans } from "./useSpans";
import { SpanRow, SpansAnswer, SpanTable } from "./SpanTable";
import "./traces.css";

const maxNodes = 20_000;

function IdBox() {
  const [text, setText] = useState("");
  const ids = parseIds(text);
  const open = (value: string) => {
    const found = parseIds(value);
    if (!found) return;
    setText("");
    go({ ...found, query: "", zoom: [] });
  };
  return (
    <form
      class="id-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        open(text);
      }}
    >
      <input
        type="search"
        id="search"
        class="mono"
        aria-label="Trace or span ID"
        placeholder="Trace ID, span ID or traceparent"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData?.getData("text") ?? "";
          if (text || !parseIds(pasted)) return;
          event.preventDefault();
          open(pasted);
        }}
      />
      <button type="submit" class="primary" disabled={!ids}>
        Show
      </button>
      {text && !ids && (
        <span class="soft" role="status">
          Invalid ID: a trace ID has 32 hexadecimal digits, a span ID has 16.
        </span>
      )}
    </form>
  );
}

// The most expensive spans of the selection.
function ExpensiveSpans(props: { state: State; answer: Answer<SpansAnswer> }) {
  const { state, answer } = props;
  const openTrace = (row: SpanRow) =>
    go({ trace: row.trace, span: row.span, query: "", most: "", zoom: [] });
  if (answer.data && !answer.data.type) return <FirstStart range={state} />;
  if (answer.error?.status === 400)
    return <RefusedSpans state={state} why={answer.error.message} />;
  return (
    <>
      <AnswerNote answer={answer} what="spans" />
      <section class="panel pane expensive-spans" aria-label="Most expensive spans">
        <h2 class="expensive-spans-title">Most expensive spans</h2>
        <SpanTable
          answer={answer.data}
          search=""
          selected=""
          alone
          more={moreSpans(state)}
          onSelect={openTrace}
          onOpen={openTrace}
        />
      </section>
      {answer.data?.spans.some((s) => s.name === undefined) && (
        <p class="soft foot">
          Samples carry span IDs only. To see names, parents and durations, send the traces to this
          server as well: OTLP, <code>/v1/traces</code>.
        </p>
      )}
    </>
  );
}

function OneTrace(props: {
  state: State;
  resolved: State;
  answer: Answer<SpansAnswer>;
  tick: number;
}) {
  const { state, resolved } = props;
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
  return (
    <SpanPanes state={state} answer={props.answer}>
      <section class="panel pane" aria-label="Flame graph">
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
        {flame.data?.warnings?.map((text) => (
          <p class="note" key={text}>
            {text}
          </p>
        ))}
        <FlamePane
          state={state}
          answer={flame}
          params={params}
          onSelect={(ref) => go({ function: ref === state.function ? "" : ref }, "replace")}
        />
      </section>
    </SpanPanes>
  );
}

export function Traces(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(false);
  const [rangeOpen, setRangeOpen] = useState(false);
  const resolved = useResolvedState(state, tick);
  const one = !!(state.trace || state.span);
  const file = useFile(state.file);
  const spans = useSpans(resolved, tick);
  useKeys("Traces", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    {
      key: "u",
      help: "All spans",
      run: () => go({ trace: "", span: "", children: false, most: "", zoom: [] }),
    },
  ]);
  return (
    <div class="page fill">
      <div class="row bar">
        {state.file && <FileBar file={file.data} />}
        <SelectionBar
          resolved={resolved}
          shownType={spans.data?.type ?? ""}
          onChange={(change) => go({ ...change, zoom: [] })}
        />
        <span class="spread" />
        {!state.file && (
          <RangePicker
            range={state}
            onChange={go}
            onRefresh={refresh}
            open={rangeOpen}
            onOpen={setRangeOpen}
          />
        )}
      </div>
      <IdBox />
      {filterChips(state).length > 0 && (
        <div class="row bar">
          <FilterChips state={state} />
        </div>
      )}
      {one ? (
        <OneTrace state={state} resolved={resolved} answer={spans} tick={tick} />
      ) : (
        <ExpensiveSpans state={state} answer={spans} />
      )}
    </div>
  );
}
