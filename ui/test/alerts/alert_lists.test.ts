// SPDX-License-Identifier: Apache-2.0
// The lists of the page of alerts: order and filters of alerts and rules, bars of the history.
import assert from "node:assert/strict";
import {
  ActiveAlert,
  evaluatedAt,
  factorText,
  historyExpression,
  historyRows,
  listAlerts,
  listRules,
  Rule,
  RuleGroup,
} from "../../src/alerts/alert_lists";
import { PromAnswer } from "../../src/promql/prom_answer";
import { test } from "../tap";

const alert = (
  name: string,
  state: ActiveAlert["state"],
  minute: number,
  service = "a",
): ActiveAlert => ({
  labels: { alertname: name, service },
  annotations: { summary: `${name} is wrong` },
  state,
  activeAt: `2026-11-20T01:${minute}:00.5Z`,
  value: "1e+00",
});

const rule = (name: string, alerts: ActiveAlert[]): Rule => ({
  type: "alerting",
  name,
  query: `${name} > 1`,
  health: "ok",
  evaluationTime: 0.001,
  lastEvaluation: "2026-11-20T01:30:00Z",
  alerts,
});

const groups: RuleGroup[] = [
  {
    name: "first",
    file: "/etc/a.yml",
    interval: 60,
    limit: 0,
    evaluationTime: 0,
    lastEvaluation: "0001-01-01T00:00:00Z",
    rules: [
      rule("Slow", [alert("Slow", "pending", 20), alert("Slow", "firing", 10)]),
      rule("Full", [alert("Full", "firing", 15, "b")]),
    ],
  },
];

const names = (find: string, wanted: "" | "firing" | "pending" = "") =>
  listAlerts(groups, find, wanted).map(({ alert: a, rule: r }) => `${r.name} ${a.state}`);

test("alerts: firing before pending, the newest first, and filters", () => {
  assert.deepEqual(names(""), ["Full firing", "Slow firing", "Slow pending"]);
  assert.deepEqual(names("", "pending"), ["Slow pending"]);
  assert.deepEqual(names("slow WRONG"), ["Slow firing", "Slow pending"]);
  assert.deepEqual(names("service=b"), ["Full firing"]);
  assert.deepEqual(names("service=b", "pending"), []);
});

test("alerts: rules are found by their texts, and all of a group by its name", () => {
  const found = (find: string) => listRules(groups, find).flatMap((g) => g.rules.map((r) => r.name));
  assert.deepEqual(found("full >"), ["Full"]);
  assert.deepEqual(found("a.yml"), ["Slow", "Full"]);
  assert.deepEqual(found("nothing"), []);
});

test("alerts: a rule that was never evaluated has no time", () => {
  assert.ok(Number.isNaN(evaluatedAt("0001-01-01T00:00:00Z")));
  assert.equal(evaluatedAt("2026-11-20T01:30:00.250Z"), Date.UTC(2026, 10, 20, 1, 30, 0, 250));
});

test("alerts: a bar of the history is successive steps, and gaps are gaps", () => {
  const series = (name: string, times: number[]) => ({
    metric: { __name__: "ALERTS", alertname: name, alertstate: "firing", service: "a" },
    values: times.map((t): [number, string] => [t, "1"]),
  });
  const answer: PromAnswer = {
    data: { resultType: "matrix", result: [series("A", [10, 20, 50]), series("B", [60])] },
  };
  const steps = { from: 10, to: 60, step: 10 };
  assert.deepEqual(historyRows(answer, steps), [
    { name: "B", labels: { service: "a" }, bars: [{ from: 50, to: 60 }], seconds: 10 },
    {
      name: "A",
      labels: { service: "a" },
      bars: [
        { from: 0, to: 20 },
        { from: 40, to: 50 },
      ],
      seconds: 30,
    },
  ]);
  assert.deepEqual(historyRows(undefined, steps), []);
  assert.match(historyExpression({ ...steps, step: 90 }), /last_over_time\(ALERTS.*\[1m30s\]\)$/);
});

test("alerts: a factor has its interval, and a new function none", () => {
  const f = { name: "f", file: "", ratio: 1.2, low: 1.123, high: 1.28, before: 0.05, after: 0.06 };
  assert.equal(factorText(f), "1.20× (1.12 to 1.28)");
  assert.equal(factorText({ ...f, ratio: 0 }), "new");
});
