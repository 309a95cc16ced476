// SPDX-License-Identifier: Apache-2.0
// The answers about rules, alerts and drift, and what the page shows of them.
import { promUrl } from "../api/client";
import { durationText, Labels, PromAnswer, seriesOf, Steps } from "../promql/prom_answer";
import { State } from "../url";

export interface ActiveAlert {
  labels: Labels;
  annotations: Labels;
  state: "firing" | "pending";
  activeAt: string; // RFC 3339
  keepFiringSince?: string;
  value: string; // "1e+00"
}

export interface Rule {
  type: "alerting" | "recording";
  name: string;
  query: string;
  health: "unknown" | "ok" | "err";
  lastError?: string;
  evaluationTime: number; // seconds
  lastEvaluation: string; // year 1: never
  labels?: Labels;
  // of alerting rules
  state?: "firing" | "pending" | "inactive";
  duration?: number; // seconds until a pending alert fires
  keepFiringFor?: number;
  annotations?: Labels;
  alerts?: ActiveAlert[];
}

export interface RuleGroup {
  name: string;
  file: string;
  interval: number; // seconds
  limit: number; // 0: none
  evaluationTime: number;
  lastEvaluation: string;
  rules: Rule[];
}

export interface RulesAnswer {
  data: { groups: RuleGroup[] };
}

export interface AlertmanagersAnswer {
  data: { activeAlertmanagers: { url: string }[] };
}

export interface DriftFunction {
  name: string;
  file: string;
  ratio: number; // of a new function 0
  low: number; // begin of the 95 % interval
  high: number;
  before: number; // share of the service's cost
  after: number;
}

export interface DriftEvent {
  id: number;
  kind: "regression" | "improvement" | "new" | "ended";
  service: string;
  type: string;
  since: number; // ms
  found: number;
  ended: number; // 0: not over
  versions_before: string; // separated by commas
  versions_after: string;
  more: number; // functions that are not listed
  functions: DriftFunction[];
  text: string;
  page: string;
}

export interface DriftAnswer {
  enabled: boolean;
  count: number;
  events: DriftEvent[];
}

export const rulesQuery = () => promUrl("rules");

// An alert and its rule.
export interface ListedAlert {
  alert: ActiveAlert;
  rule: Rule;
}

// Return whether all words of `find` occur in the texts.
export function matchesText(find: string, texts: readonly string[]): boolean {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const all = texts.join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
}

const pairs = (labels: Labels = {}) =>
  Object.entries(labels).map(([name, value]) => `${name}=${value}`);

// Return the alerts of the groups that match the filters: firing before pending, the newest first.
export function listAlerts(
  groups: readonly RuleGroup[],
  find: string,
  wanted: State["alerts"],
): ListedAlert[] {
  const found = groups.flatMap((group) =>
    group.rules.flatMap((rule) => (rule.alerts ?? []).map((alert) => ({ alert, rule }))),
  );
  return found
    .filter(
      ({ alert }) =>
        (!wanted || alert.state === wanted) &&
        matchesText(find, [...pairs(alert.labels), ...pairs(alert.annotations)]),
    )
    .sort(
      (a, b) =>
        Number(b.alert.state === "firing") - Number(a.alert.state === "firing") ||
        Date.parse(b.alert.activeAt) - Date.parse(a.alert.activeAt) ||
        a.rule.name.localeCompare(b.rule.name),
    );
}

// Return the groups with the rules that match; a group whose name or file matches has all its rules.
export function listRules(groups: readonly RuleGroup[], find: string): RuleGroup[] {
  return groups
    .map((group) => ({
      ...group,
      rules: matchesText(find, [group.name, group.file])
        ? group.rules
        : group.rules.filter((rule) =>
            matchesText(find, [rule.name, rule.query, rule.lastError ?? "", ...pairs(rule.labels)]),
          ),
    }))
    .filter((group) => group.rules.length > 0);
}

// Return a time of the API in milliseconds; NaN if there is none.
export function evaluatedAt(text: string): number {
  const ms = Date.parse(text);
  return ms > 0 ? ms : NaN;
}

// ---- history ----

export const firing = 'ALERTS{alertstate="firing"}';

// An alert is firing at a step if it fires at its time, or did so since the step before: short
// alerts are not lost between long steps.
export const historyExpression = (steps: Steps) =>
  `${firing} or last_over_time(${firing}[${durationText(steps.step)}])`;

export interface HistoryRow {
  name: string;
  labels: Labels; // without name, alertname and alertstate
  bars: { from: number; to: number }[]; // seconds
  seconds: number; // sum of the bars
}

// Return the rows of the alerts, the one that fired last first. A bar ends at the last of successive
// steps with a value; a step without a value is a gap.
export function historyRows(answer: PromAnswer | undefined, steps: Steps): HistoryRow[] {
  const rows = seriesOf(answer).map(({ metric, values = [] }) => {
    const { __name__: _, alertname: name = "", alertstate: __, ...labels } = metric;
    const bars: HistoryRow["bars"] = [];
    for (const [time] of values) {
      const last = bars[bars.length - 1];
      if (last && time - last.to <= steps.step * 1.5) last.to = time;
      else bars.push({ from: time - steps.step, to: time });
    }
    return { name, labels, bars, seconds: bars.reduce((sum, b) => sum + b.to - b.from, 0) };
  });
  const end = (row: HistoryRow) => row.bars[row.bars.length - 1]?.to ?? 0;
  return rows.sort((a, b) => end(b) - end(a) || a.name.localeCompare(b.name));
}

export const matchesRow = (find: string) => (row: HistoryRow) =>
  matchesText(find, [`alertname=${row.name}`, ...pairs(row.labels)]);

// Format the factor of a function with its interval: "1.20× (1.12 to 1.28)".
export const factorText = (f: DriftFunction) =>
  f.ratio > 0 ? `${f.ratio.toFixed(2)}× (${f.low.toFixed(2)} to ${f.high.toFixed(2)})` : "new";
