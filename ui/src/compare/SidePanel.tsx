// SPDX-License-Identifier: Apache-2.0
// One side of a comparison: which data, when, and what is around that time. A drag on the chart picks the side's range.
import { useRef } from "preact/hooks";
import { Answer, apiUrl, useAnswer } from "../api/client";
import { selectionParams, wholeProfiles } from "../api/selection";
import { SeriesAnswer } from "../api/types";
import { AnswerNote } from "../base/parts";
import { timeOf } from "../base/time";
import { LabelPicker } from "../explore/LabelPicker";
import { greatestOf } from "../explore/lines";
import { chartStep, chartWidth } from "../explore/moment";
import { fileSpan } from "../explore/questions";
import { RangePicker } from "../explore/RangePicker";
import { ServicePicker } from "../explore/SelectionBar";
import { Timeline } from "../explore/Timeline";
import { zoomIn, zoomOut } from "../explore/zoom";
import { useFile } from "../files/FileBar";
import { go, State } from "../url";
import { FileName, OpenFile } from "./SideFile";
import { changeSide, Side, SideName, sideOf } from "./sides";

const titles: Record<SideName, readonly [string, string]> = { before: ["Before", "baseline"], after: ["After", "comparison"] };

interface Span {
  from: number;
  to: number;
}

// What the chart covers: the range and as much to either side, but not the future.
export function windowAround(range: Span, now: number): Span {
  const length = Math.max(60e3, range.to - range.from);
  return { from: range.from - length, to: Math.max(range.to, Math.min(range.to + length, now)) };
}

// Stays as it is while the range is a good part of it, so that one can drag again and again.
export function keepWindow(old: Span | undefined, range: Span, now: number): Span {
  const inside = old && range.from >= old.from && range.to <= old.to && range.to - range.from >= (old.to - old.from) / 40;
  return inside && range.to - range.from < 0.9 * (old.to - old.from) ? old : windowAround(range, now);
}

// What the chart of a side covers, for as long as it is there.
function useWindow(moment: State): Span | undefined {
  const kept = useRef<Span>();
  const file = useFile(moment.file).data;
  if (!moment.file) kept.current = keepWindow(kept.current, { from: timeOf(moment.from), to: timeOf(moment.to) }, Date.now());
  return moment.file ? file && fileSpan(file) : kept.current;
}

interface SideSeries {
  window: Span | undefined;
  series: Answer<SeriesAnswer>;
}

function useSideSeries(moment: State, type: string, window: Span | undefined, length: number): SideSeries {
  const step = chartStep(0, length, chartWidth(2));
  const series = useAnswer<SeriesAnswer>(
    type && window ? apiUrl("series", { ...selectionParams(wholeProfiles({ ...moment, type })), ...window, spread: true, step, focus: moment.focus, ignore: moment.ignore }) : undefined,
  );
  return { window, series };
}

const lengthOf = (window: Span | undefined) => (window ? window.to - window.from : 0);

function SideTimeline(props: { moment: State; name: SideName; side: SideSeries; greatest: number; onSelect: (from: number, to: number) => void; onReset: () => void }) {
  const { moment, name } = props;
  const { window: shown, series } = props.side;
  const none = series.error?.status === 404 || (series.data && !series.data.rows.length);
  return (
    <>
      {shown && (
        <Timeline
          answer={series.data}
          by=""
          height={88}
          range={shown}
          greatest={props.greatest}
          band={moment.file ? undefined : { from: timeOf(moment.from), to: timeOf(moment.to) }}
          label={`${titles[name][0]}: values over time. A drag picks its range.`}
          onSelect={(from, to) => !moment.file && props.onSelect(from, to)}
          onReset={() => !moment.file && props.onReset()}
        />
      )}
      {none ? <p class="side-none soft">No data in this range</p> : <AnswerNote answer={series} what="the timeline" />}
    </>
  );
}

// `moment`: the state of both sides, with times that stand still.
function SidePanel(props: { name: SideName; state: State; moment: State; series: SideSeries; greatest: number }) {
  const { name, state } = props;
  const side = sideOf(state, name);
  const moment = sideOf(props.moment, name);
  const change = (what: Partial<Side>) => go({ ...changeSide(state, name, what), zoom: [] });
  const [title, role] = titles[name];
  return (
    <section class={`panel side ${name}`} aria-label={`${title}: ${role}`}>
      <div class="row side-head">
        <h2 title={role}>{title}</h2>
        {side.file ? (
          <FileName id={side.file} onRemove={() => change({ file: "", query: state.query, from: state.from, to: state.to })} />
        ) : (
          <>
            <ServicePicker moment={moment} query={moment.query} onChange={(query) => change({ query })} />
            <LabelPicker state={moment} onChange={(query) => change({ query })} />
            <OpenFile onOpen={(file) => change({ file })} label={`${title}: use a file`} />
          </>
        )}
        <span class="spread" />
        {!side.file && <RangePicker range={side} onChange={change} />}
      </div>
      <SideTimeline moment={moment} name={name} side={props.series} greatest={props.greatest} onSelect={(from, to) => change(zoomIn(side, from, to))} onReset={() => change(zoomOut(side))} />
    </section>
  );
}

// Both sides, with charts of one scale: as long a time in a point, and as much in a pixel.
export function SidePanels(props: { state: State; moment: State; type: string }) {
  const { state, moment, type } = props;
  const [before, after] = [sideOf(moment, "before"), sideOf(moment, "after")];
  const windows = [useWindow(before), useWindow(after)];
  // One step for both, except for a file beside the store: their lengths have nothing to do with each other.
  const mixed = (before.file === "") !== (after.file === "");
  const lengths = mixed ? windows.map(lengthOf) : windows.map(() => Math.max(...windows.map(lengthOf)));
  const series = { before: useSideSeries(before, type, windows[0], lengths[0]), after: useSideSeries(after, type, windows[1], lengths[1]) };
  const greatest = Math.max(greatestOf(series.before.series.data), greatestOf(series.after.series.data));
  return (
    <div class="sides">
      <SidePanel name="before" state={state} moment={moment} series={series.before} greatest={greatest} />
      <SidePanel name="after" state={state} moment={moment} series={series.after} greatest={greatest} />
    </div>
  );
}
