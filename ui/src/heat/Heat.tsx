// SPDX-License-Identifier: Apache-2.0
// When within each second something ran: a map of moments, and the flame graph of a rectangle of it below.
import { ComponentChildren } from "preact";
import { apiUrl, useAnswer } from "../api/client";
import { selectionParams } from "../api/selection";
import { useKeys } from "../base/keys";
import { AnswerNote, Empty } from "../base/parts";
import { formatValue } from "../base/units";
import { shareText } from "../flame/numbers";
import { go, State } from "../url";
import { cellsOf, describe, MomentsAnswer, noRectangle, partText, rectangleOf } from "./grid";
import { HeatCanvas, Legend } from "./HeatCanvas";
import "./heat.css";

const rows = 50;

function NoTimes(props: { answer: MomentsAnswer }) {
  return (
    <Empty title={props.answer.total ? "These samples have no times of their own" : "No samples here"}>
      {props.answer.total > 0 && (
        <>
          <p class="soft">
            A profile usually says how much was spent between its beginning and its end, not when. What keeps a time for each sample fills this map: libvarve, JFR recordings, and OTLP senders that write <code>timestamps_unix_nano</code>, the OpenTelemetry eBPF
            profiler among them.
          </p>
          <pre class="heat-recipe">varve run --cpu -- ./server</pre>
        </>
      )}
    </Empty>
  );
}

// `children`: the flame graph of what is chosen.
export function Heat(props: { state: State; moment: State; tick: number; children: ComponentChildren }) {
  const { state, moment } = props;
  const answer = useAnswer<MomentsAnswer>(apiUrl("moments", { ...selectionParams({ ...moment, ...noRectangle }), focus: moment.focus, ignore: moment.ignore, rows }), props.tick);
  const moments = answer.data;
  const chosen = moments && cellsOf(moments, state);
  const clear = () => state.time_from && go({ ...noRectangle, zoom: [] });
  useKeys("Heat map", [
    { key: "Escape", help: "Clear the rectangle", run: clear },
    { key: "h", help: "To the map: arrows move, Shift extends, Enter shows", run: () => document.querySelector<HTMLElement>(".heat-cells")?.focus() },
  ]);
  return (
    <div class="heat-view">
      <section class="panel heat-panel" aria-label="Heat map">
        {answer.error?.status === 400 ? (
          <Empty title="There is no heat map of this">
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
                {partText(moments.step)} a column, {partText(moments.step / moments.rows)} a cell
                {moments.timed !== moments.total && ` · the map shows the samples that have times of their own: ${shareText(moments.timed, moments.total)} of the value`}
              </span>
              <span class="spread" />
              <Legend values={moments.values} format={(value) => formatValue(value, moments.unit)} />
            </div>
            <HeatCanvas answer={moments} chosen={chosen} onChoose={(cells) => go({ ...(cells ? rectangleOf(moments, cells) : noRectangle), zoom: [] })} />
            <div class="row heat-foot">
              {chosen ? (
                <>
                  <span>
                    <strong>{describe(moments, chosen)[1]}</strong> <span class="soft">{describe(moments, chosen)[0]}</span>
                  </span>
                  <button type="button" class="small" onClick={clear}>
                    Clear (Esc)
                  </button>
                </>
              ) : state.time_from ? (
                <>
                  <span class="soft">The rectangle of this address is not in this map.</span>
                  <button type="button" class="small" onClick={clear}>
                    Clear (Esc)
                  </button>
                </>
              ) : (
                <span class="soft">Drag a rectangle to see its flame graph. The flame graph below is of all samples{moments.timed !== moments.total && ", also of those that have no times"}.</span>
              )}
            </div>
          </>
        )}
      </section>
      {moments && moments.columns > 0 && props.children}
    </div>
  );
}
