// SPDX-License-Identifier: Apache-2.0
// The filters that select samples within profiles (trace, span, heat map rectangle), shown in each
// view in which they apply.
import { formatTime } from "../base/time";
import { noRectangle, partText } from "../heat/grid";
import { Link } from "../base/components";
import { fresh, go, State } from "../url";
import { IdChip } from "./IdChip";
import "./traces.css";

function rectangleText(s: State): string {
  const [from, to] = [Number(s.time_from), Number(s.time_to)];
  if (!(from < to)) return "part of the time";
  const part = s.phase_step
    ? `, each ${partText(Number(s.phase_step))} from ${partText(Number(s.phase_from))} to ${partText(Number(s.phase_to))}`
    : "";
  return `${formatTime(from)} – ${formatTime(to).slice(11)}${part}`;
}

// The spans view and the heat map show their own filter themselves.
const shownParts = (state: State) => ({
  spans: state.view !== "spans" && (state.span !== "" || state.trace !== ""),
  rectangle: state.view !== "heat" && (state.time_from !== "" || state.phase_step !== ""),
});

export function hasSampleFilters(state: State): boolean {
  const { spans, rectangle } = shownParts(state);
  return spans || rectangle || state.traces !== "";
}

export function SampleFilters(props: { state: State }) {
  const { state } = props;
  const { spans, rectangle } = shownParts(state);
  return (
    <div class="row span-head">
      {spans && state.trace && (
        <IdChip title="Trace" id={state.trace} onRemove={() => go({ trace: "", zoom: [] })} />
      )}
      {spans && state.span && (
        <IdChip
          title="Span"
          id={state.span}
          onRemove={() => go({ span: "", children: false, zoom: [] })}
        />
      )}
      {spans && state.span && state.children && <span class="soft">with children</span>}
      {state.traces && (
        <>
          <span class="chip found-chip" title={`Samples of the spans found by ${state.traces}`}>
            Spans found by&nbsp;
            <bdi>
              <code>{state.traces}</code>
            </bdi>
            <button
              type="button"
              class="quiet"
              aria-label="Remove the search of spans"
              onClick={() => go({ traces: "", children: false, zoom: [] })}
            >
              ×
            </button>
          </span>
          <button
            type="button"
            class="small"
            aria-pressed={state.children}
            title="Include the child spans of the found spans"
            onClick={() => go({ children: !state.children, zoom: [] })}
          >
            With children
          </button>
          <Link
            class="button small"
            to={{ ...fresh, path: "/traces", list: "traces", query: "", q: state.traces }}
          >
            Traces
          </Link>
        </>
      )}
      {rectangle && (
        <span class="chip moments-chip">
          {rectangleText(state)}
          <button
            type="button"
            class="quiet"
            aria-label="Remove the rectangle of the heat map"
            onClick={() => go({ ...noRectangle, zoom: [] })}
          >
            ×
          </button>
        </span>
      )}
    </div>
  );
}
