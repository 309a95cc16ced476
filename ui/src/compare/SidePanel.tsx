// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: its selection, its range, and a chart of the time around it. A drag on
// the chart selects the range.
import { useRef } from "preact/hooks";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { ignoreOf, parseSelector, selectionParams, wholeProfiles } from "../api/selection";
import { SeriesAnswer } from "../api/types";
import { AnswerNote } from "../base/components";
import { timeOf } from "../base/time";
import { LabelChips, LabelPicker } from "../explore/LabelPicker";
import { greatestOf } from "../explore/chart_lines";
import { chartStep, chartWidth } from "../explore/resolve_times";
import { fileSpan } from "../explore/queries";
import { RangePicker } from "../explore/RangePicker";
import { ServicePicker } from "../explore/SelectionBar";
import { Timeline } from "../explore/Timeline";
import { zoomIn, zoomOut } from "../explore/time_zoom";
import { useFile } from "../files/FileBar";
import { go, State } from "../url";
import { FileName, OpenSideFile } from "./SideFile";
import { changeSide, Side, SideName, sideOf } from "./sides";

const titles: Record<SideName, readonly [string, string]> = {
  before: ["Before", "baseline"],
  after: ["After", "comparison"],
};

interface Span {
  from: number;
  to: number;
}

// Return the time range of the chart: the selected range and its length on either side, but not the
// future.
export function windowAround(range: Span, now: number): Span {
  const length = Math.max(60e3, range.to - range.from);
  return { from: range.from - length, to: Math.max(range.to, Math.min(range.to + length, now)) };
}

// Keep the chart's time range while the selected range is a large enough part of it, so that
// several drags are possible.
export function keepWindow(old: Span | undefined, range: Span, now: number): Span {
  const inside =
    old &&
    range.from >= old.from &&
    range.to <= old.to &&
    range.to - range.from >= (old.to - old.from) / 40;
  return inside && range.to - range.from < 0.9 * (old.to - old.from)
    ? old
    : windowAround(range, now);
}

// Return the time range of a side's chart while it is mounted.
function useWindow(resolved: State): Span | undefined {
  const kept = useRef<Span>();
  const file = useFile(resolved.file).data;
  if (!resolved.file)
    kept.current = keepWindow(
      kept.current,
      { from: timeOf(resolved.from), to: timeOf(resolved.to) },
      Date.now(),
    );
  return resolved.file ? file && fileSpan(file) : kept.current;
}

interface SideSeries {
  window: Span | undefined;
  series: Answer<SeriesAnswer>;
}

interface SideQuery {
  type: string;
  window: Span | undefined;
  length: number;
  tick: number;
}

function useSideSeries(resolved: State, { type, window, length, tick }: SideQuery): SideSeries {
  const step = chartStep(0, length, chartWidth(2));
  const series = useAnswer<SeriesAnswer>(
    type && window
      ? apiUrl("series", {
          ...selectionParams(wholeProfiles({ ...resolved, type })),
          ...window,
          spread: true,
          step,
          focus: resolved.focus,
          ignore: ignoreOf(resolved),
        })
      : undefined,
    tick,
  );
  return { window, series };
}

const lengthOf = (window: Span | undefined) => (window ? window.to - window.from : 0);

function SideTimeline(props: {
  resolved: State;
  name: SideName;
  side: SideSeries;
  greatest: number;
  onSelect: (from: number, to: number) => void;
  onReset: () => void;
}) {
  const { resolved, name } = props;
  const { window: shown, series } = props.side;
  const isEmpty = series.error?.status === 404 || (series.data && !series.data.rows.length);
  return (
    <>
      {shown && (
        <Timeline
          answer={series.data}
          by=""
          height={88}
          range={shown}
          greatest={props.greatest}
          band={
            resolved.file ? undefined : { from: timeOf(resolved.from), to: timeOf(resolved.to) }
          }
          label={`${titles[name][0]}: values over time. Drag to select its range.`}
          onSelect={(from, to) => !resolved.file && props.onSelect(from, to)}
          onReset={() => !resolved.file && props.onReset()}
        />
      )}
      {isEmpty ? (
        <p class="side-none soft">No data in this range</p>
      ) : (
        <AnswerNote answer={series} what="the timeline" />
      )}
    </>
  );
}

// `resolved`: the state of both sides with resolved times.
function SidePanel(props: {
  name: SideName;
  state: State;
  resolved: State;
  series: SideSeries;
  greatest: number;
}) {
  const { name, state } = props;
  const side = sideOf(state, name);
  const resolved = sideOf(props.resolved, name);
  const change = (what: Partial<Side>) => go({ ...changeSide(state, name, what), zoom: [] });
  const [title, role] = titles[name];
  return (
    <section class={`panel side ${name}`} aria-label={`${title}: ${role}`}>
      <div class="row side-head">
        <h2 title={role}>{title}</h2>
        {side.file ? (
          <FileName
            id={side.file}
            onRemove={() =>
              change({ file: "", query: state.query, from: state.from, to: state.to })
            }
          />
        ) : (
          <>
            <ServicePicker
              resolved={resolved}
              query={resolved.query}
              onChange={(query) => change({ query })}
            />
            <LabelPicker state={resolved} onChange={(query) => change({ query })} />
            <OpenSideFile onOpen={(file) => change({ file })} label={`${title}: use a file`} />
          </>
        )}
        <span class="spread" />
        {!side.file && <RangePicker range={side} onChange={change} />}
      </div>
      {!side.file && parseSelector(resolved.query)?.matchers.length !== 0 && (
        <div class="row side-chips">
          <LabelChips query={resolved.query} onChange={(query) => change({ query })} />
        </div>
      )}
      <SideTimeline
        resolved={resolved}
        name={name}
        side={props.series}
        greatest={props.greatest}
        onSelect={(from, to) => change(zoomIn(side, from, to))}
        onReset={() => change(zoomOut(side))}
      />
    </section>
  );
}

// Both sides, with charts of the same scale in both axes.
export function SidePanels(props: { state: State; resolved: State; type: string; tick: number }) {
  const { state, resolved, type, tick } = props;
  const [before, after] = [sideOf(resolved, "before"), sideOf(resolved, "after")];
  const windows = [useWindow(before), useWindow(after)];
  // Both charts have the same step, except for a file and a stored selection, whose lengths are
  // unrelated.
  const mixed = (before.file === "") !== (after.file === "");
  const lengths = mixed
    ? windows.map(lengthOf)
    : windows.map(() => Math.max(...windows.map(lengthOf)));
  const series = {
    before: useSideSeries(before, { type, window: windows[0], length: lengths[0], tick }),
    after: useSideSeries(after, { type, window: windows[1], length: lengths[1], tick }),
  };
  const greatest = Math.max(
    greatestOf(series.before.series.data),
    greatestOf(series.after.series.data),
  );
  return (
    <div class="sides">
      <SidePanel
        name="before"
        state={state}
        resolved={resolved}
        series={series.before}
        greatest={greatest}
      />
      <SidePanel
        name="after"
        state={state}
        resolved={resolved}
        series={series.after}
        greatest={greatest}
      />
    </div>
  );
}
