// SPDX-License-Identifier: Apache-2.0
// The profiles of one selection: the timeline, and below it the same data in the selected view.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/client";
import {
  fileRange,
  filterParams,
  isChosen,
  selectionParams,
  serviceOf,
  withMatcher,
} from "../api/selection";
import { CompareMenu } from "../compare/CompareMenu";
import { CallersAnswer, FlameAnswer, SeriesAnswer, TopAnswer } from "../api/types";
import { FindingsAnswer, findingsQuery } from "../findings/finding_links";
import { CaptureMenu } from "../control/CaptureMenu";
import { ControlMenu } from "../control/ControlMenu";
import { ControlEvent, eventMark, eventsQuery } from "../control/control";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice, Empty, Link, Popover } from "../base/components";
import { timeOf } from "../base/time";
import { typeName } from "../base/profile_types";
import { formatShare, formatValue } from "../base/units";
import { Downloads } from "../files/Downloads";
import { FileBar, FileGone, useFile } from "../files/FileBar";
import { picturesOf } from "../files/images";
import { FileAnswer, hasTimeline } from "../files/upload";
import { useSandwich } from "../sandwich/useSandwich";
import { TopTable } from "../table/TopTable";
import { useSpans } from "../traces/useSpans";
import { useCallTree } from "../tree/useCallTree";
import { fresh, go, State } from "../url";
import { isLazy, lazyViews } from "../lazy_view_loader";
import { ChooseService } from "./ChooseService";
import { FilterBar } from "./FilterBar";
import { FirstStart } from "./FirstStart";
import { FlamePane } from "./FlamePane";
import { functionItems } from "./function_actions";
import { useResolvedState, useTick } from "./refresh";
import { LabelNames, Values } from "./LabelPicker";
import {
  fileSpan,
  flameQuery,
  labelsQuery,
  seriesQuery,
  spanOf,
  topQuery,
  withFlame,
  withTimeline,
  withTop,
} from "./queries";
import { RangePicker } from "./RangePicker";
import { rootLabel } from "./root_label";
import { useRootedFlame } from "./rooted_flame";
import { SelectionBar } from "./SelectionBar";
import { isOtherType, NoData } from "./NoData";
import { Timeline } from "./Timeline";
import { Toolbar } from "./Toolbar";
import { zoomIn, zoomOut } from "./time_zoom";
import { useVersionBands } from "./version_bands";

const wholeFile = { from: "now-1h", to: "now" }; // a relative range of a file means all of it

const views: readonly (readonly [State["view"], string, string])[] = [
  ["both", "Both", "Table and flame graph"],
  ["flame", "Flame graph", ""],
  ["table", "Table", "Functions"],
  ["tree", "Call tree", ""],
  ["sandwich", "Sandwich", "Callers and callees of a function"],
  ["heat", "Heat map", "Samples by second and fraction of a second"],
  ["spans", "Spans", "Cost of each span"],
  ["findings", "Findings", "What stands out, by rules, and what it could save"],
];

function Summary(props: {
  answer: FlameAnswer | TopAnswer | CallersAnswer | FindingsAnswer | undefined;
}) {
  const { answer } = props;
  if (!answer) return null;
  return (
    <span class="summary" title={answer.gauge ? "Mean over the range" : undefined}>
      <strong>{formatValue(answer.total, answer.unit)}</strong>{" "}
      <span class="soft">
        {typeName(answer.type)}
        {answer.gauge ? ", mean" : ""}
      </span>
      {answer.kept !== answer.total && (
        <span class="soft">
          {" "}
          · {formatValue(answer.kept, answer.unit)} ({formatShare(answer.kept, answer.total)}) after
          filters
        </span>
      )}
    </span>
  );
}

function useProfileKeys(state: State, refresh: () => void, openRange: () => void) {
  const half = (direction: number) => {
    const from = timeOf(state.from);
    const to = timeOf(state.to);
    const by = (direction * (to - from)) / 2;
    go({ from: String(Math.round(from + by)), to: String(Math.round(to + by)), live: false });
  };
  useKeys("Profiles", [
    ...views.map(([view, name], i) => ({ key: "bftesmpd"[i], help: name, run: () => go({ view }) })),
    {
      key: "i",
      help: "Flip the flame graph",
      run: () => go({ layout: state.layout === "icicle" ? "flame" : "icicle" }),
    },
    {
      key: "v",
      help: "Invert: leaves at the root",
      run: () => go({ invert: !state.invert, zoom: [] }),
    },
    {
      key: "x",
      help: "Clear zoom, search and filters",
      run: () => go({ ...fresh, file: state.file, span: state.span, trace: state.trace }),
    },
    { key: "[", help: "Earlier", run: () => half(-1) },
    { key: "]", help: "Later", run: () => half(1) },
    { key: "r", help: "Time range", run: openRange },
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    { key: "g", help: "Refresh", run: refresh },
  ]);
}

// Links to the traces and log records of the service in the same time range.
function OtherSignals(props: { service: string }) {
  const q = `{ resource.service.name = ${JSON.stringify(props.service)} }`;
  return (
    <span class="group">
      <Link
        class="button"
        title="Traces of this service"
        to={{ ...fresh, path: "/traces", list: "traces", query: "", type: "", q }}
      >
        Traces
      </Link>
      <Link
        class="button"
        title="Log records of this service"
        to={{ ...fresh, path: "/logs", service: [props.service] }}
      >
        Logs
      </Link>
    </span>
  );
}

// The comparison of a part of the timeline with the time of the same length before it.
const compareRange = (from: number, to: number): Partial<State> => ({
  path: "/compare",
  from: String(from),
  to: String(to),
  before: "",
  before_file: "",
  before_from: String(2 * from - to),
  before_to: String(from),
  live: false,
});

// `file`: the opened file, if one is shown; the axis covers its time.
function TimelinePanel(props: {
  state: State;
  resolved: State;
  file: FileAnswer | undefined;
  labels: readonly string[];
  tick: number;
}) {
  const { state, resolved, file } = props;
  const range = file && !("from" in fileRange(resolved)) ? fileSpan(file) : spanOf(resolved);
  const shown = withTimeline(resolved) && (!resolved.file || file);
  const series = useAnswer<SeriesAnswer>(
    shown ? seriesQuery(resolved, range) : undefined,
    props.tick,
  );
  const service = resolved.file ? "" : serviceOf(resolved.query);
  const events = useAnswer<{ events: ControlEvent[] }>(
    shown && service ? eventsQuery(service, range) : undefined,
    props.tick,
  );
  const marks = events.data?.events.map(eventMark);
  const versions = useVersionBands(
    shown && service ? resolved : undefined,
    props.labels,
    range,
    props.tick,
  );
  if (!shown) return null;
  return (
    <section class="panel timeline-panel" aria-label="Timeline">
      {service && (
        <div class="row timeline-actions">
          <OtherSignals service={service} />
          <CaptureMenu service={service} />
          <ControlMenu service={service} />
        </div>
      )}
      <Timeline
        answer={series.data}
        by={state.by}
        range={range}
        marks={marks}
        versions={versions}
        rest={state.rest}
        multiples={state.multiples}
        onRest={() => go({ rest: !state.rest }, "replace")}
        onMultiples={() => go({ multiples: !state.multiples }, "replace")}
        more={
          state.by && (
            <Popover label="Values…" class="quiet small" title={`Choose a value of ${state.by}`}>
              {(close) => (
                <Values
                  state={resolved}
                  name={state.by}
                  onPick={(value) => {
                    go({ query: withMatcher(state.query, state.by, value), by: "" });
                    close();
                  }}
                />
              )}
            </Popover>
          )
        }
        onCompare={
          state.file
            ? undefined
            : (from, to) => go({ ...compareRange(from, to), query: state.query, zoom: [] })
        }
        onSelect={(from, to) => go({ ...zoomIn(state, from, to), live: false })}
        onReset={() => go(state.file ? wholeFile : zoomOut(state))}
        onPick={(value) => go({ query: withMatcher(state.query, state.by, value), by: "" })}
      />
      {series.error?.status === 404 ? (
        <p class="timeline-none soft">No data in this range</p>
      ) : (
        <AnswerNote answer={series} what="the timeline" />
      )}
    </section>
  );
}

export function Profiles(props: { state: State }) {
  return isChosen(props.state) ? (
    <Selection state={props.state} />
  ) : (
    <NoSelection state={props.state} />
  );
}

function NoSelection(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const resolved = useResolvedState(state, tick);
  return (
    <div class="page fill">
      <div class="row bar">
        <h1>Profiles</h1>
        <span class="spread" />
        <RangePicker range={state} onChange={go} onRefresh={refresh} />
      </div>
      <ChooseService state={state} resolved={resolved} tick={tick} />
    </div>
  );
}

function Selection(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const [rangeOpen, setRangeOpen] = useState(false);
  const [controls, setControls] = useState(false); // on phones: show rarely used controls
  const resolved = useResolvedState(state, tick);
  const file = useFile(state.file);
  const shows = (...names: State["view"][]) => names.includes(state.view);
  const params = useMemo(
    () => ({ ...selectionParams(resolved), ...filterParams(resolved) }),
    [JSON.stringify(resolved)],
  );
  const labels = useAnswer<{ labels: string[] }>(labelsQuery(resolved)).data?.labels ?? [];
  const roots = shows("both", "flame") ? rootLabel(resolved) : "";
  const plain = useAnswer<FlameAnswer>(
    shows(...withFlame) && !roots ? flameQuery(resolved) : undefined,
    tick,
  );
  const rooted = useRootedFlame(resolved, roots, tick);
  const flame = roots ? rooted : plain;
  const top = useAnswer<TopAnswer>(shows(...withTop) ? topQuery(resolved) : undefined, tick);
  const spans = useSpans(resolved, tick, state.view === "spans");
  const tree = useCallTree(shows("tree"), state, params, tick);
  const sandwich = useSandwich(shows("sandwich"), state, params, tick);
  const findings = useAnswer<FindingsAnswer>(
    shows("findings") ? findingsQuery(params) : undefined,
    tick,
  );
  const lazy = lazyViews.use(isLazy(state));
  const answer =
    flame.data ??
    top.data ??
    tree.data ??
    sandwich.callers.data ??
    sandwich.top.data ??
    findings.data;
  useProfileKeys(state, refresh, () => setRangeOpen(true));
  const failed =
    flame.error ?? top.error ?? tree.error ?? sandwich.top.error ?? findings.error;
  const missing = failed?.status === 404 && !answer;
  const select = (ref: string) => go({ function: ref === state.function ? "" : ref }, "replace");
  if (state.file && file.error?.status === 404) return <FileGone reason={file.error.message} />;
  return (
    <div class={`page fill profiles ${controls ? "all-controls" : ""}`}>
      <h1 class="hidden-text">Profiles of {state.file ? "a file" : state.query}</h1>
      <div class="row bar">
        {state.file && <FileBar file={file.data} />}
        <SelectionBar
          resolved={resolved}
          shownType={answer?.type ?? ""}
          onChange={(change) => go({ ...change, zoom: [] })}
        />
        {!(state.file && file.data && !hasTimeline(file.data)) && (
          <LabelNames labels={labels} value={state.by} onChange={(by) => go({ by })} />
        )}
        <span class="spread" />
        {!state.file && (
          <RangePicker
            range={state}
            onChange={(r) => go({ ...r, live: state.live && r.to === "now" })}
            live={state.live}
            onLive={(live) => go({ live })}
            onRefresh={refresh}
            open={rangeOpen}
            onOpen={setRangeOpen}
          />
        )}
        <button
          type="button"
          class="icon phone-only"
          title="All controls"
          aria-label="All controls"
          aria-pressed={controls}
          onClick={() => setControls(!controls)}
        >
          ⋯
        </button>
      </div>
      <FilterBar state={state} />
      <TimelinePanel
        state={state}
        resolved={resolved}
        file={state.file ? file.data : undefined}
        labels={labels}
        tick={tick}
      />
      <div class="row bar">
        <Choice label="View" value={state.view} options={views} onChange={(view) => go({ view })} />
        <Summary answer={answer} />
        <span class="spread" />
        <Toolbar
          state={state}
          resolved={resolved}
          tree={shows("both", "flame", "heat", "spans", "sandwich")}
          roots={shows("both", "flame") && !state.file}
        />
        <CompareMenu state={state} resolved={resolved} />
        <Downloads
          resolved={resolved}
          type={answer?.type ?? ""}
          fileName={file.data?.name}
          pictures={picturesOf(flame.data, resolved, file.data?.name)}
        />
      </div>
      {missing ? (
        state.file ? (
          <Empty
            title={file.data?.samples === 0 ? "No samples in this file" : "No data in this range"}
          >
            <p class="soft">{failed.message}</p>
          </Empty>
        ) : state.traces ? (
          <Empty title="No samples of these spans">
            <p class="soft">{failed.message}</p>
            <p>
              <Link
                class="button"
                to={{ ...fresh, path: "/traces", list: "traces", query: "", q: state.traces }}
              >
                Show the traces
              </Link>
            </p>
          </Empty>
        ) : state.query || isOtherType(failed) ? (
          <NoData state={state} why={failed} />
        ) : (
          <FirstStart range={state} />
        )
      ) : (
        <>
          {shows("both", "flame") && <AnswerNote answer={flame} what="the flame graph" />}
          {shows("table") && <AnswerNote answer={top} what="the table" />}
        </>
      )}
      {!missing && state.view === "heat" && lazy && (
        <lazy.Heat state={state} resolved={resolved} tick={tick}>
          <section class="panel pane" aria-label="Flame graph">
            <AnswerNote answer={flame} what="the flame graph" />
            <FlamePane state={state} answer={flame} params={params} onSelect={select} />
          </section>
        </lazy.Heat>
      )}
      {!missing && state.view === "spans" && lazy && (
        <lazy.SpanPanes state={state} answer={spans}>
          <section class="panel pane" aria-label="Flame graph">
            <AnswerNote answer={flame} what="the flame graph" />
            <FlamePane state={state} answer={flame} params={params} onSelect={select} />
          </section>
        </lazy.SpanPanes>
      )}
      {!missing && shows("tree") && lazy && (
        <lazy.CallTree state={state} answer={tree} params={params} />
      )}
      {!missing && shows("sandwich") && lazy && <lazy.Sandwich state={state} answers={sandwich} />}
      {!missing && shows("findings") && lazy && <lazy.Findings state={state} answer={findings} />}
      {!missing && shows("both", "flame", "table") && (
        <div class={`content ${state.view}`}>
          {shows("both", "table") && (
            <section class="panel pane" aria-label="Functions">
              <TopTable
                answer={top.data}
                search={state.search}
                sort={state.sort}
                selected={state.function}
                onSort={(sort) => go({ sort }, "replace")}
                onSelect={select}
                onOpen={(ref) => go({ view: "sandwich", function: ref })}
                items={(name, ref) => functionItems(state, name, ref)}
              />
            </section>
          )}
          {shows("both", "flame") && (
            <section class="panel pane" aria-label="Flame graph">
              <FlamePane state={state} answer={flame} params={params} onSelect={select} />
            </section>
          )}
        </div>
      )}
    </div>
  );
}
