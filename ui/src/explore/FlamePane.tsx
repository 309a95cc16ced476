// SPDX-License-Identifier: Apache-2.0
// The flame graph of an answer, and what its frames can be asked to do.
import { useMemo, useState } from "preact/hooks";
import { Answer } from "../api/client";
import { FlameAnswer } from "../api/types";
import { copyText } from "../base/parts";
import { formatShare, formatValue } from "../base/units";
import { Action, FlameGraph } from "../flame/FlameGraph";
import { treeOf } from "../flame/model";
import { go, State } from "../url";

// A name as an expression that matches it alone.
export const exactly = (name: string) => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

const both = (old: string, name: string) => (old ? `${old}|${exactly(name)}` : exactly(name));

// What the menu of a frame can ask for, in any graph.
export function frameAction(state: State, action: Action, name: string) {
  if (action === "focus") go({ focus: exactly(name), zoom: [] });
  else if (action === "hide") go({ hide: both(state.hide, name), zoom: [] });
  else if (action === "ignore") go({ ignore: both(state.ignore, name), zoom: [] });
  else if (action === "sandwich") go({ path: "/profiles", view: "sandwich", function: name });
  else if (action === "invert") go({ invert: !state.invert, zoom: [] });
  else void copyText(name);
}

export function FlamePane(props: { state: State; answer: Answer<FlameAnswer>; onSelect: (name: string) => void }) {
  const { state, answer } = props;
  const [match, setMatch] = useState({ share: 0, value: 0, count: 0 });
  const tree = useMemo(() => answer.data && treeOf(answer.data.nodes, answer.data.unit, answer.data.kept), [answer.data]);
  if (!tree) return null;
  return (
    <>
      {state.search && (
        <p class="match soft" role="status">
          {match.count ? `${match.count.toLocaleString("en-US")} frames match: ${formatValue(match.value, tree.unit)}, ${formatShare(match.share, 1)} of what is shown` : "No frame matches"}
        </p>
      )}
      <FlameGraph
        tree={tree}
        layout={state.layout}
        colour={state.colour}
        palette={state.palette}
        collapse={state.collapse}
        search={state.search}
        selected={state.function}
        zoom={state.zoom}
        busy={answer.stale}
        onZoom={(zoom) => go({ zoom })}
        onSelect={props.onSelect}
        onMatch={(share, value, count) => setMatch({ share, value, count })}
        onAction={(action, name) => frameAction(state, action, name)}
      />
    </>
  );
}
