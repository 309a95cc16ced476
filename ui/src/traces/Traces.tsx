// SPDX-License-Identifier: Apache-2.0
// The traces view: a search by TraceQL, the most expensive spans of all services, or one trace or
// span.
import { useState } from "preact/hooks";
import { Answer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice } from "../base/components";
import { FilterBar } from "../explore/FilterBar";
import { FirstStart } from "../explore/FirstStart";
import { useResolvedState, useTick } from "../explore/refresh";
import { RangePicker } from "../explore/RangePicker";
import { SelectionBar } from "../explore/SelectionBar";
import { FileBar, useFile } from "../files/FileBar";
import { TraceSearch } from "../trace_search/TraceSearch";
import { fresh, go, State } from "../url";
import { OneTrace } from "./OneTrace";
import { RefusedSpans } from "./SpanPanes";
import { moreSpans, useSpans } from "./useSpans";
import { NameRow, SpanNames } from "./SpanNames";
import { SpanRow, SpansAnswer, SpanTable } from "./SpanTable";
import "./traces.css";

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
        <h2 class="expensive-spans-title">
          Most expensive spans{state.list === "names" && " by name"}
        </h2>
        {state.list === "names" ? (
          <SpanNames
            answer={answer.data}
            more={moreSpans(state)}
            onOpen={(row) =>
              row.name &&
              go({ ...fresh, list: "traces", query: "", type: "", q: searchOf(row), most: "" })
            }
          />
        ) : (
          <SpanTable
            answer={answer.data}
            search=""
            selected=""
            alone
            more={moreSpans(state)}
            onSelect={openTrace}
            onOpen={openTrace}
          />
        )}
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

const lists: readonly (readonly [State["list"], string, string])[] = [
  ["traces", "Traces", "Search traces by TraceQL"],
  ["spans", "Expensive spans", "Spans by their cost in profiles"],
  ["names", "By name", "The cost of all spans of a service and name"],
];

// The search for the spans of a service and name.
const searchOf = ({ service, name }: NameRow) =>
  `{ resource.service.name = ${JSON.stringify(service)} && name = ${JSON.stringify(name)} }`;

export function Traces(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(false);
  const [rangeOpen, setRangeOpen] = useState(false);
  const resolved = useResolvedState(state, tick);
  const one = !!(state.trace || state.span);
  const search = !one && !state.file && state.list === "traces";
  const file = useFile(state.file);
  const spans = useSpans(resolved, tick, !search);
  const all = { trace: "", span: "", children: false, most: "", find: "", zoom: [] };
  useKeys("Traces", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    { key: "u", help: "All traces", run: () => go(all) },
  ]);
  return (
    <div class="page fill">
      {!(one && state.trace) && <h1 class="hidden-text">{search ? "Traces" : "Spans"}</h1>}
      <div class="row bar">
        {state.file && <FileBar file={file.data} />}
        {one ? (
          <button type="button" onClick={() => go(all)} title="All traces (u)">
            ‹ All traces
          </button>
        ) : (
          !state.file && (
            <Choice
              label="List"
              value={state.list}
              options={lists}
              onChange={(list) => go({ list, most: "" })}
            />
          )
        )}
        {!search && (
          <SelectionBar
            resolved={resolved}
            shownType={spans.data?.type ?? ""}
            onChange={(change) => go({ ...change, zoom: [] })}
          />
        )}
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
      {!search && <FilterBar state={state} samples={false} />}
      {search ? (
        <TraceSearch state={state} resolved={resolved} tick={tick} />
      ) : one ? (
        <OneTrace state={state} resolved={resolved} answer={spans} tick={tick} />
      ) : (
        <ExpensiveSpans state={state} answer={spans} />
      )}
    </div>
  );
}
