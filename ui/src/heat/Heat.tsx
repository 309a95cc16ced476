// SPDX-License-Identifier: Apache-2.0
// The heat map view: samples by second and fraction of a second, and below it the flame graph of a
// selected rectangle.
import { ComponentChildren } from "preact";
import { apiUrl, useAnswer } from "../api/client";
import { ignoreOf, selectionParams } from "../api/selection";
import { useKeys } from "../base/keys";
import { AnswerNote, Empty } from "../base/components";
import { formatValue } from "../base/units";
import { shareText } from "../flame/text/numbers";
import { go, State } from "../url";
import { cellsOf, describe, MomentsAnswer, noRectangle, partText, rectangleOf } from "./grid";
import { HeatCanvas, Legend } from "./HeatCanvas";
import "./heat.css";

const rows = 50;
// In a low window rows are lower, so that the flame graph below fits.
const rowPixels = typeof innerHeight === "number" && innerHeight < 900 ? 3 : 4;

function NoTimes(props: { answer: MomentsAnswer }) {
  return (
    <Empty title={props.answer.total ? "These samples have no timestamps" : "No samples"}>
      {props.answer.total > 0 && (
        <>
          <p class="soft">
            Most profiles contain sums over their duration only. The heat map needs a timestamp for
            each sample: libvarve, JFR recordings, and OTLP senders that set{" "}
            <code>timestamps_unix_nano</code> (such as the OpenTelemetry eBPF profiler) record them.
          </p>
          <pre class="heat-recipe">varve run --cpu -- ./server</pre>
        </>
      )}
    </Empty>
  );
}

// `children`: the flame graph of the selected rectangle.
export function Heat(props: {
  state: State;
  resolved: State;
  tick: number;
  children: ComponentChildren;
}) {
  const { state, resolved } = props;
  const answer = useAnswer<MomentsAnswer>(
    apiUrl("moments", {
      ...selectionParams({ ...resolved, ...noRectangle }),
      focus: resolved.focus,
      ignore: ignoreOf(resolved),
      rows,
    }),
    props.tick,
  );
  const moments = answer.data;
  const chosen = moments && cellsOf(moments, state);
  const clear = () => state.time_from && go({ ...noRectangle, zoom: [] });
  useKeys("Heat map", [
    { key: "Escape", help: "Clear the rectangle", run: clear },
    {
      key: "h",
      help: "Focus the map: arrows move, Shift extends, Enter selects",
      run: () => document.querySelector<HTMLElement>(".heat-cells")?.focus(),
    },
  ]);
  return (
    <div class="heat-view">
      <section class="panel heat-panel" aria-label="Heat map">
        {answer.error?.status === 400 ? (
          <Empty title="No heat map for this selection">
            <p class="soft">{answer.error.message}</p>
          </Empty>
        ) : (
          <AnswerNote answer={answer} what="the heat map" />
        )}
        {moments && !moments.columns && <NoTimes answer={moments} />}
        {moments && moments.columns > 0 && (
          <>
            <div class="row heat-head">
              <span class="soft">
                {partText(moments.step)} per column, {partText(moments.step / moments.rows)} per
                cell
                {moments.timed !== moments.total &&
                  ` · only samples with timestamps: ${shareText(moments.timed, moments.total)} of the total`}
              </span>
              <span class="spread" />
              <Legend
                values={moments.values}
                format={(value) => formatValue(value, moments.unit)}
              />
            </div>
            <HeatCanvas
              grid={moments}
              rowPixels={rowPixels}
              rowLabels={[0, 0.25, 0.5, 0.75, 1].map((share) => ({
                share,
                text: partText(share * moments.step),
              }))}
              label={
                `Heat map, ${moments.columns} columns of ${partText(moments.step)}. Arrow keys move, Shift and arrow keys ` +
                "extend, Enter selects the cells for the flame graph, Escape clears."
              }
              describe={(cells) => describe(moments, cells)}
              chosen={chosen}
              onChoose={(cells) =>
                go({ ...(cells ? rectangleOf(moments, cells) : noRectangle), zoom: [] })
              }
            />
            <div class="row heat-foot">
              {chosen ? (
                <>
                  <span>
                    <strong>{describe(moments, chosen)[1]}</strong>{" "}
                    <span class="soft">{describe(moments, chosen)[0]}</span>
                  </span>
                  <button type="button" class="small" onClick={clear}>
                    Clear (Esc)
                  </button>
                </>
              ) : state.time_from ? (
                <>
                  <span class="soft">The selected rectangle is outside of this map.</span>
                  <button type="button" class="small" onClick={clear}>
                    Clear (Esc)
                  </button>
                </>
              ) : (
                <span class="soft">
                  Drag a rectangle to see its flame graph. The flame graph below shows all samples
                  {moments.timed !== moments.total && ", including those without timestamps"}.
                </span>
              )}
            </div>
          </>
        )}
      </section>
      {moments && moments.columns > 0 && props.children}
    </div>
  );
}
