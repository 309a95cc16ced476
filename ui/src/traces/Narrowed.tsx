// SPDX-License-Identifier: Apache-2.0
// Only some samples of the profiles are looked at: which, said in every view.
import { formatTime } from "../base/time";
import { noRectangle, partText } from "../heat/grid";
import { go, State } from "../url";
import { Id } from "./Id";
import "./traces.css";

function rectangleText(s: State): string {
  const [from, to] = [Number(s.time_from), Number(s.time_to)];
  if (!(from < to)) return "some moments";
  const part = s.phase_step ? `, each ${partText(Number(s.phase_step))} from ${partText(Number(s.phase_from))} to ${partText(Number(s.phase_to))}` : "";
  return `${formatTime(from)} – ${formatTime(to).slice(11)}${part}`;
}

export function Narrowed(props: { state: State }) {
  const { state } = props;
  if (!state.span && !state.trace && !state.time_from && !state.phase_step) return null;
  return (
    <div class="row span-head">
      <span class="soft">Only</span>
      {state.trace && <Id title="Trace" id={state.trace} onRemove={() => go({ trace: "", zoom: [] })} />}
      {state.span && <Id title="Span" id={state.span} onRemove={() => go({ span: "", children: false, zoom: [] })} />}
      {state.span && state.children && <span class="soft">and all that it called</span>}
      {(state.time_from || state.phase_step) && (
        <span class="chip moments-chip">
          {rectangleText(state)}
          <button type="button" class="quiet" aria-label="Remove the rectangle of the heat map" onClick={() => go({ ...noRectangle, zoom: [] })}>
            ×
          </button>
        </span>
      )}
    </div>
  );
}
