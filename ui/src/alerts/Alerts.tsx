// SPDX-License-Identifier: Apache-2.0
// Alerts: those that are active, the rules, the drift events and the history of the range.
import { useState } from "preact/hooks";
import { Answer, apiUrl, promUrl, useAnswer } from "../api/client";
import { AnswerNote, TextInput } from "../base/components";
import { useKeys } from "../base/keys";
import { timeOf } from "../base/time";
import { RangePicker } from "../explore/RangePicker";
import { useResolvedState, useTick } from "../explore/refresh";
import { chartWidth } from "../explore/resolve_times";
import { maxSeries, PromAnswer, stepsOf } from "../promql/prom_answer";
import { go, State } from "../url";
import { ActiveAlerts } from "./ActiveAlerts";
import { AlertHistory } from "./AlertHistory";
import {
  AlertmanagersAnswer,
  DriftAnswer,
  historyExpression,
  RulesAnswer,
  rulesQuery,
} from "./alert_lists";
import { DriftEvents } from "./DriftEvents";
import { NoRules } from "./NoRules";
import { Rules } from "./Rules";
import "./alerts.css";

const maxEvents = 2000; // the server keeps as many

const isKnown = (answer: Answer<unknown>) => !!(answer.data || answer.error);

export function Alerts(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(state.live);
  const [rangeOpen, setRangeOpen] = useState(false);
  const resolved = useResolvedState(state, tick);
  const range = { from: timeOf(resolved.from), to: timeOf(resolved.to) };
  const steps = stepsOf(range.from, range.to, chartWidth());
  const rules = useAnswer<RulesAnswer>(rulesQuery(), tick);
  const managers = useAnswer<AlertmanagersAnswer>(promUrl("alertmanagers"), tick);
  const drift = useAnswer<DriftAnswer>(
    apiUrl("drift", {
      from: Math.floor(range.from),
      to: Math.ceil(range.to),
      limit: maxEvents,
    }),
    tick,
  );
  const history = useAnswer<PromAnswer>(
    promUrl("query_range", {
      query: historyExpression(steps),
      start: steps.from,
      end: steps.to,
      step: steps.step,
      limit: maxSeries,
    }),
    tick,
  );
  const groups = rules.data?.data.groups;
  // A section appears after those above it, so that nothing moves while the page loads.
  const withHistory = isKnown(rules) && isKnown(history);
  const withDrift = withHistory && isKnown(drift);
  useKeys("Alerts", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
  ]);
  return (
    <div class="page alerts">
      <div class="row bar">
        <h1>Alerts</h1>
        <TextInput
          id="search"
          class="search"
          label="Filter alerts and rules (/)"
          placeholder="Filter"
          value={state.find}
          onChange={(find) => go({ find }, "replace")}
        />
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={(r) => go({ ...r, live: state.live && r.to === "now" })}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={refresh}
          open={rangeOpen}
          onOpen={setRangeOpen}
        />
      </div>
      <AnswerNote answer={rules} what="the rules" />
      {!withHistory && <AnswerNote answer={history} what="the history" />}
      {!withDrift && <AnswerNote answer={drift} what="events" />}
      {groups && (groups.length ? <ActiveAlerts state={state} groups={groups} /> : <NoRules />)}
      {withHistory && (!!groups?.length || !!history.data?.data.result.length) && (
        <AlertHistory state={state} answer={history} steps={steps} />
      )}
      {withDrift && <DriftEvents state={state} answer={drift} />}
      {withDrift && !!groups?.length && (
        <Rules
          state={state}
          groups={groups}
          sentTo={(managers.data?.data.activeAlertmanagers ?? []).map((m) => m.url)}
        />
      )}
    </div>
  );
}
