// SPDX-License-Identifier: Apache-2.0
// The differential flame graph. A frame is as wide as both sides together, so that removed frames
// are visible.
import { useMemo } from "preact/hooks";
import { Answer, Params } from "../api/client";
import { DiffAnswer } from "../api/types";
import { graphProps } from "../explore/FlamePane";
import { useSelectionSums } from "../explore/selection_sums";
import { FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model/tree";
import { State } from "../url";
import { Grain } from "./significance";

const colourWords: Record<State["palette"], readonly [string, string]> = {
  redgreen: ["Red", "green"],
  bluered: ["Orange", "blue"],
};

export function colourText(palette: State["palette"], normalised: boolean): string {
  const [more, less] = colourWords[palette];
  const what = normalised ? "a larger share than before" : "more than before";
  return (
    `${more}: ${what}; ${less}: ${normalised ? "a smaller share" : "less"}; grey: unchanged. ` +
    "Changes within the sampling error are grey, too. The stronger the colour, the larger the " +
    "relative change. " +
    `The width of a frame is the sum of both sides${normalised ? ", each by its share" : ""}.`
  );
}

// Return the answer of the zoomed frame once it has been received, else the whole difference.
export const shownDiff = (state: State, whole: Answer<DiffAnswer>, zoomed: Answer<DiffAnswer>) =>
  state.zoom.length && zoomed.data?.flame && !zoomed.stale ? zoomed.data : whole.data;

export function DiffGraph(props: {
  state: State;
  whole: Answer<DiffAnswer>;
  zoomed: Answer<DiffAnswer>;
  params: Params | undefined;
  grain: Grain | undefined; // value of one sample, if the values are sampled
}) {
  const { state, whole, zoomed } = props;
  const sums = useSelectionSums(props.params);
  const answer = shownDiff(state, whole, zoomed);
  const tree = useMemo(
    () => answer?.flame && treeOf(answer.flame, answer.unit, answer.after.kept, answer.before.kept),
    [answer],
  );
  if (!tree || !answer) return null;
  return (
    <>
      <FlameGraph
        {...graphProps(state)}
        tree={tree}
        sums={sums}
        colour="diff"
        normalise={answer.normalised}
        grain={props.grain}
        busy={whole.waiting || zoomed.waiting}
      />
      <p class="table-foot soft">{colourText(state.palette, answer.normalised)}</p>
    </>
  );
}
