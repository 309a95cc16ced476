// SPDX-License-Identifier: Apache-2.0
// The difference as one flame graph. A frame is as wide as both sides together, so that what is gone is there to be seen.
import { useMemo } from "preact/hooks";
import { Answer, Params } from "../api/client";
import { DiffAnswer } from "../api/types";
import { graphProps } from "../explore/FlamePane";
import { useSelectionSums } from "../explore/sums";
import { FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model";
import { State } from "../url";

const colourWords: Record<State["palette"], readonly [string, string]> = { redgreen: ["Red", "green"], bluered: ["Orange", "blue"] };

export function colourText(palette: State["palette"], normalised: boolean): string {
  const [more, less] = colourWords[palette];
  const what = normalised ? "a larger share than before" : "more than before";
  return `${more}: ${what}; ${less}: ${normalised ? "a smaller share" : "less"}; grey: the same. The stronger the colour, the larger the change beside what there was. A frame is as wide as both sides together${normalised ? ", each by its share" : ""}.`;
}

// The answer of the part that is zoomed into, once it is there.
export const shownDiff = (state: State, whole: Answer<DiffAnswer>, zoomed: Answer<DiffAnswer>) =>
  state.zoom.length && zoomed.data?.flame && !zoomed.stale ? zoomed.data : whole.data;

export function DiffGraph(props: { state: State; whole: Answer<DiffAnswer>; zoomed: Answer<DiffAnswer>; params: Params | undefined }) {
  const { state, whole, zoomed } = props;
  const sums = useSelectionSums(props.params);
  const answer = shownDiff(state, whole, zoomed);
  const tree = useMemo(() => answer?.flame && treeOf(answer.flame, answer.unit, answer.after.kept, answer.before.kept), [answer]);
  if (!tree || !answer) return null;
  return (
    <>
      <FlameGraph {...graphProps(state)} tree={tree} sums={sums} colour="diff" normalise={answer.normalised} busy={whole.waiting || zoomed.waiting} />
      <p class="table-foot soft">{colourText(state.palette, answer.normalised)}</p>
    </>
  );
}
