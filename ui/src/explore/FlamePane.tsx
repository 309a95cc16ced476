// SPDX-License-Identifier: Apache-2.0
// The flame graph of an answer, and the actions of its frames.
import { useMemo } from "preact/hooks";
import { Answer, Params } from "../api/client";
import { FlameAnswer } from "../api/types";
import { copyText } from "../base/clipboard";
import { Action, FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model/tree";
import { refName } from "../flame/model/refs";
import { go, State } from "../url";
import { useSelectionSums } from "./selection_sums";

// Return a regular expression that matches only this name.
export const exactly = (name: string) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

const both = (old: string, name: string) => (old ? `${old}|${exactly(name)}` : exactly(name));

// Run an action of a frame's menu, in any graph.
function frameAction(state: State, action: Action, ref: string) {
  const name = refName(ref);
  if (action === "focus") go({ focus: exactly(name), zoom: [] });
  else if (action === "hide") go({ hide: both(state.hide, name), zoom: [] });
  else if (action === "ignore") go({ ignore: both(state.ignore, name), zoom: [] });
  else if (action === "sandwich") go({ path: "/profiles", view: "sandwich", function: ref });
  else if (action === "invert") go({ invert: !state.invert, zoom: [] });
  else void copyText(name);
}

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
  const sums = useSelectionSums(props.params);
  if (!tree) return null;
  return (
    <FlameGraph
      {...graphProps(state)}
      tree={tree}
      sums={sums}
      busy={answer.stale}
      onSelect={props.onSelect}
    />
  );
}
