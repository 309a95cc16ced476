// SPDX-License-Identifier: Apache-2.0
// When alerts were firing: a row of bars for each alert, over the range.
import { AnswerNote, useSize } from "../base/components";
import { Answer } from "../api/client";
import { formatDate, formatTime } from "../base/time";
import { formatCount } from "../base/units";
import { durationText, maxSeries, PromAnswer, seriesName, seriesOf, Steps } from "../promql/prom_answer";
import { State } from "../url";
import { HistoryRow, historyRows, matchesRow } from "./alert_lists";

const pixelsPerTick = 110;

const barText = ({ from, to }: { from: number; to: number }) =>
  `${formatTime(from * 1000)} – ${formatTime(to * 1000)}, ${durationText(to - from)}`;

function Row(props: { row: HistoryRow; steps: Steps }) {
  const { row, steps } = props;
  const start = steps.from - steps.step;
  const whole = steps.to - start;
  const percent = (seconds: number) => `${(seconds / whole) * 100}%`;
  const labels = Object.keys(row.labels).length ? seriesName(row.labels) : "";
  return (
    <li class="history-row">
      <span class="history-name" title={`${row.name}${labels}`}>
        <b>{row.name}</b> <span class="soft">{labels}</span>
      </span>
      <span
        class="history-track"
        role="img"
        aria-label={`Firing ${formatCount(row.bars.length, "time")}: ${row.bars.slice(-5).map(barText).join("; ")}`}
      >
        {row.bars.map((bar) => (
          <span
            key={bar.from}
            class="history-bar"
            title={barText(bar)}
            style={{ left: percent(bar.from - start), width: percent(bar.to - bar.from) }}
          />
        ))}
      </span>
      <span class="number soft history-sum" title="Time that the alert was firing in the range">
        {durationText(row.seconds)}
      </span>
    </li>
  );
}

function Ticks(props: { steps: Steps }) {
  const { steps } = props;
  const [box, size] = useSize<HTMLSpanElement>();
  const count = Math.max(1, Math.min(10, Math.floor(size.width / pixelsPerTick)));
  const [from, to] = [steps.from - steps.step, steps.to];
  const long = formatDate(from * 1000) !== formatDate(to * 1000);
  const fine = (to - from) / count < 120;
  const text = (s: number) => formatTime(Math.round(s) * 1000).slice(long ? 5 : 11, fine ? 19 : 16);
  return (
    <div class="history-row history-ticks soft" aria-hidden="true">
      <span />
      <span class="history-track" ref={box}>
        {Array.from({ length: count }, (_, i) => (
          <span key={i} style={{ left: `${(i / count) * 100}%` }}>
            {text(from + ((to - from) * i) / count)}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

export function AlertHistory(props: { state: State; answer: Answer<PromAnswer>; steps: Steps }) {
  const { state, answer, steps } = props;
  const all = historyRows(answer.data, steps);
  const rows = all.filter(matchesRow(state.find));
  return (
    <section aria-label="History" class="alert-section">
      <div class="row">
        <h2>History</h2>
        <span class="soft">
          {formatCount(rows.length, "alert")} fired in the range, in steps of{" "}
          {durationText(steps.step)}
        </span>
      </div>
      <AnswerNote answer={answer} what="the history" />
      {answer.data && !rows.length && (
        <p class="note">
          {all.length ? "No alert matches the filter." : "No alert was firing in this range."}
        </p>
      )}
      {rows.length > 0 && (
        <div class="panel history">
          <Ticks steps={steps} />
          <ul>
            {rows.map((row) => (
              <Row key={`${row.name} ${JSON.stringify(row.labels)}`} row={row} steps={steps} />
            ))}
          </ul>
        </div>
      )}
      {seriesOf(answer.data).length >= maxSeries && (
        <p class="note">The history has at most {maxSeries} alerts.</p>
      )}
    </section>
  );
}
