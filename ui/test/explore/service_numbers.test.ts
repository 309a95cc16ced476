// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { SeriesAnswer } from "../../src/api/types";
import { PromAnswer } from "../../src/promql/prom_answer";
import {
  driftsOf,
  isNoise,
  leastErrors,
  numbersOf,
  orderOf,
  periodOf,
  requestsOf,
  worseOf,
} from "../../src/explore/service_numbers";
import { test } from "../tap";

const row = (name: string, ...values: number[]) => ({
  labels: { service_name: name },
  total: values.reduce((a, b) => a + b, 0),
  points: values.map((v, i) => [i, v] as [number, number]),
});
const cost = (...rows: SeriesAnswer["rows"]) =>
  ({ unit: "nanoseconds", gauge: false, rows }) as unknown as SeriesAnswer;
const vector = (...values: [service: string, what: string, value: string][]): PromAnswer => ({
  data: {
    resultType: "vector",
    result: values.map(([service_name, what, value]) => ({
      metric: { service_name, what },
      value: [0, value] as [number, string],
    })),
  },
});

test("service numbers: the period of samples is their common divisor, or is assumed", () => {
  assert.equal(periodOf([row("a", 40e6, 60e6), row("a", 50e6)]), 10e6);
  assert.equal(periodOf([row("a", 6.13e9)]), 10e6, "one value is no period");
  assert.equal(periodOf([row("a", 7, 12)]), 10e6, "nor are 1 ns");
  assert.equal(periodOf([undefined]), 10e6);
});

test("service numbers: spans without a count, and values that are no numbers, are left out", () => {
  const found = requestsOf(
    vector(["a", "count", "10"], ["a", "0.5", "NaN"], ["a", "failed", "1"], ["b", "0.5", "1"]),
  );
  assert.deepEqual([...found], [["a", { count: 10, failed: 1, quantile: {} }]]);
});

test("service numbers: a change beyond the error is worse, noise and improvements are not", () => {
  const side = (failed: string, p99: string) =>
    requestsOf(
      vector(
        ...["a", "b"].flatMap((s): [string, string, string][] => [
          [s, "count", "10000"],
          [s, "failed", s === "a" ? failed : "100"],
          ...(["0.25", "0.5", "0.75"] as const).map(
            (q): [string, string, string] => [s, q, String(Number(q) / 10)],
          ),
          [s, "0.98", "0.9"],
          [s, "0.99", s === "a" ? p99 : "1"],
        ]),
      ),
    );
  const services = [
    { name: "b", types: [] },
    { name: "a", types: [] },
    { name: "c", types: [] },
  ].map(
    numbersOf({
      seconds: 100,
      requests: { before: side("100", "1"), now: side("300", "1") },
      cost: {
        before: cost(row("a", 1e9), row("b", 9e9), row("c", 5e9)),
        now: cost(row("a", 1e9), row("b", 9.02e9), row("c", 2e9)),
      },
      memory: { before: undefined, now: undefined },
      drifts: new Map(),
    }),
  );
  const least = leastErrors(services);
  const [b, a, c] = services;
  assert.ok(Math.abs(worseOf(a, least) - Math.log(3)) < 1e-9, "three times as many errors");
  assert.equal(worseOf(b, least), 0);
  assert.ok(isNoise(b.figures.cost, least));
  assert.equal(worseOf(c, least), 0, "less than half is better");
  assert.ok(!isNoise(c.figures.cost, least));
  const names = (sort: string) => [...services].sort(orderOf(sort, least)).map((s) => s.name);
  assert.deepEqual(names(""), ["a", "b", "c"]);
  assert.deepEqual(names("-cost"), ["b", "c", "a"]);
  assert.deepEqual(names("cost"), ["a", "c", "b"]);
  assert.deepEqual(names("-requests"), ["b", "a", "c"], "no value is last");
  assert.deepEqual(names("requests"), ["b", "a", "c"]);
});

test("service numbers: the event that costs most is blamed, those that are over are not", () => {
  const event = (kind: "regression" | "ended", name: string, extra: number, ended = 0) => ({
    kind,
    service: "a",
    ended,
    functions: [{ name, ratio: 2, extra }],
    text: "",
    page: "/",
  });
  const found = driftsOf({
    events: [
      event("regression", "small", 1),
      event("regression", "large", 2),
      event("regression", "over", 9, 1),
      event("ended", "over", 9),
    ],
  }).get("a")!;
  assert.equal(found.event.functions[0].name, "large");
  assert.equal(found.count, 2);
});
