// SPDX-License-Identifier: Apache-2.0
// A flame graph of each side, with the same search, zoom and colours.
import { useMemo } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { FlameAnswer } from "../api/types";
import { AnswerNote } from "../base/components";
import { formatValue } from "../base/units";
import { graphProps } from "../explore/FlamePane";
import { useSelectionSums } from "../explore/selection_sums";
import { FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model/tree";
import { State } from "../url";
import { SideName, sideOf } from "./sides";

const maxNodes = 20_000;

function SideGraph(props: {
  name: SideName;
  state: State;
  resolved: State;
  type: string;
  tick: number;
}) {
  const { state, type, tick } = props;
  const resolved = sideOf(props.resolved, props.name);
  const params = { ...selectionParams({ ...resolved, type }), ...filterParams(resolved) };
  const whole = useAnswer<FlameAnswer>(
    type ? apiUrl("flame", { ...params, max_nodes: maxNodes }) : undefined,
    tick,
  );
  const sums = useSelectionSums(type ? params : undefined);
  // The zoomed frame may exist on the other side only; then this side shows its nearest caller.
  const zoomed = useAnswer<FlameAnswer>(
    type && state.zoom.length
      ? apiUrl("flame", { ...params, path: state.zoom, nearest: true, max_nodes: maxNodes })
      : undefined,
    tick,
  );
  const isZoomed = Boolean(state.zoom.length && zoomed.data && !zoomed.stale);
  const answer = isZoomed ? zoomed.data : whole.data;
  const tree = useMemo(() => answer && treeOf(answer.nodes, answer.unit, answer.kept), [answer]);
  const title = props.name === "before" ? "Before" : "After";
  const isMissing = isZoomed && answer!.nodes.path.length < state.zoom.length;
  return (
    <section class="panel pane" aria-label={`Flame graph: ${title}`}>
      <div class="row pane-head">
        <h2>{title}</h2>
        {whole.data && <span class="soft">{formatValue(whole.data.kept, whole.data.unit)}</span>}
        {isMissing && (
          <span class="soft">
            The zoomed frame is not on this side; its nearest caller is shown
          </span>
        )}
      </div>
      {whole.error?.status === 404 ? (
        <p class="note">No data on this side</p>
      ) : (
        <AnswerNote answer={whole} what="the flame graph" />
      )}
      {tree && (
        <FlameGraph
          {...graphProps(state)}
          tree={tree}
          sums={sums}
          busy={whole.waiting || zoomed.waiting}
        />
      )}
    </section>
  );
}

export function SideGraphs(props: { state: State; resolved: State; type: string; tick: number }) {
  return (
    <>
      <SideGraph name="before" {...props} />
      <SideGraph name="after" {...props} />
    </>
  );
}
