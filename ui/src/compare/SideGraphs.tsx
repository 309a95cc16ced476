// SPDX-License-Identifier: Apache-2.0
// A flame graph of each side, with one search, one zoom and the same colours.
import { useMemo } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { FlameAnswer } from "../api/types";
import { AnswerNote } from "../base/parts";
import { formatValue } from "../base/units";
import { graphProps } from "../explore/FlamePane";
import { FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model";
import { State } from "../url";
import { SideName, sideOf } from "./sides";

const mostNodes = 20_000;

function SideGraph(props: { name: SideName; state: State; moment: State; type: string }) {
  const { state, type } = props;
  const moment = sideOf(props.moment, props.name);
  const params = { ...selectionParams({ ...moment, type }), ...filterParams(moment), max_nodes: mostNodes };
  const whole = useAnswer<FlameAnswer>(type ? apiUrl("flame", params) : undefined);
  // The other side may be zoomed into what is not here: then all of this one stays.
  const zoomed = useAnswer<FlameAnswer>(type && state.zoom.length ? apiUrl("flame", { ...params, path: state.zoom }) : undefined);
  const isZoomed = Boolean(state.zoom.length && zoomed.data && !zoomed.stale);
  const answer = isZoomed ? zoomed.data : whole.data;
  const tree = useMemo(() => answer && treeOf(answer.nodes, answer.unit, answer.kept), [answer]);
  const title = props.name === "before" ? "Before" : "After";
  const lacks = zoomed.error?.status === 404;
  return (
    <section class="panel pane" aria-label={`Flame graph: ${title}`}>
      <div class="row pane-head">
        <h2>{title}</h2>
        {whole.data && <span class="soft">{formatValue(whole.data.kept, whole.data.unit)}</span>}
        {lacks && whole.data && <span class="soft">This side has no frames at the zoomed path</span>}
      </div>
      {whole.error?.status === 404 ? <p class="note">No data on this side</p> : <AnswerNote answer={whole} what="the flame graph" />}
      {tree && (
        <FlameGraph {...graphProps(state)} tree={tree} zoom={lacks ? [] : state.zoom} busy={whole.waiting || zoomed.waiting} />
      )}
    </section>
  );
}

export function SideGraphs(props: { state: State; moment: State; type: string }) {
  return (
    <>
      <SideGraph name="before" {...props} />
      <SideGraph name="after" {...props} />
    </>
  );
}
