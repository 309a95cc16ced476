// SPDX-License-Identifier: Apache-2.0
// The flame graph of an answer, and the actions of its frames.
import { useMemo } from "preact/hooks";
import { Answer, Params } from "../api/client";
import { FlameAnswer } from "../api/types";
import { Action, FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model/tree";
import { frameAction, rootAction } from "./function_actions";
import { go, State } from "../url";
import { useSelectionSums } from "./selection_sums";

// The properties of a graph that come from the address, and the callbacks that change it.
export const graphProps = (state: State) => ({
  layout: state.layout,
  colour: state.colour,
  palette: state.palette,
  collapse: state.collapse,
  search: state.search,
  selected: state.function,
  zoom: state.zoom,
  onZoom: (zoom: string[]) => go({ zoom }),
  onSelect: (ref: string) => go({ function: ref }, "replace"),
  onAction: (action: Action, ref: string) => frameAction(state, action, ref),
});

// `params`: the parameters of the answer's query.
export function FlamePane(props: {
  state: State;
  answer: Answer<FlameAnswer>;
  params: Params;
  onSelect: (ref: string) => void;
}) {
  const { state, answer } = props;
  const tree = useMemo(
    () => answer.data && treeOf(answer.data.nodes, answer.data.unit, answer.data.kept),
    [answer.data],
  );
  const rooted = !!tree?.roots;
  const sums = useSelectionSums(rooted ? undefined : props.params);
  if (!tree) return null;
  const graph = graphProps(state);
  return (
    <FlameGraph
      {...graph}
      // the roots have the widest colours, unless another grouping was chosen
      colour={rooted && state.colour === "package" ? "root" : state.colour}
      tree={tree}
      sums={sums}
      busy={answer.stale}
      onSelect={props.onSelect}
      onAction={(action, ref, path) =>
        rooted && path.length === 1 ? rootAction(state, action, path[0]) : graph.onAction(action, ref)
      }
    />
  );
}
