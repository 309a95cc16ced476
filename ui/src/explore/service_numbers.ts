// SPDX-License-Identifier: Apache-2.0
// The numbers of the start page: for each service its requests, errors and latencies (metrics of
// its spans), its cost and memory (profiles), each with its change against the range of the same
// length before, and the function to blame (drift). A fixed number of queries for all services.
import { SeriesAnswer, SeriesRow } from "../api/types";
import { promUrl } from "../api/transport";
import { errorsOf, thresholdOf } from "../compare/significance";
import { PromAnswer, seriesOf } from "../promql/prom_answer";

// ---- spans ----

// What the spans of a service say about a range. Times are in seconds.
export interface Requests {
  count: number;
  failed: number;
  quantile: Record<string, number>; // by quantile: "0.5"
}

const mostServices = 10_000;
const quantiles = ["0.25", "0.5", "0.75", "0.98", "0.99"]; // p50, p99, and neighbours: their error

// Return the URL of the query of `span` ms that end at `to`: all numbers of all services at once.
export function requestsUrl(to: number, span: number): string {
  const of = (name: string) =>
    `traces_spanmetrics_${name}{span_kind=~"SPAN_KIND_SERVER|SPAN_KIND_CONSUMER"}[${span}ms]`;
  const named = (what: string, query: string) => `label_replace(${query},"what","${what}","","")`;
  const calls = (what: string, status: string) =>
    named(
      what,
      `sum by (service_name) (increase(${of("calls_total").replace("}", status + "}")}))`,
    );
  const buckets = `sum by (service_name,le) (increase(${of("duration_seconds_bucket")}))`;
  const query = [
    calls("count", ""),
    calls("failed", ',status_code="STATUS_CODE_ERROR"'),
    ...quantiles.map((q) => named(q, `histogram_quantile(${q}, ${buckets})`)),
  ].join(" or ");
  return promUrl("query", { query, time: String(to / 1000) });
}

export function requestsOf(answer: PromAnswer | undefined): Map<string, Requests> {
  const found = new Map<string, Requests>();
  for (const { metric, value } of seriesOf(answer)) {
    const number = Number(value?.[1]);
    const name = metric.service_name ?? "";
    if (!Number.isFinite(number) || (!found.has(name) && found.size === mostServices)) continue;
    const own = found.get(name) ?? { count: 0, failed: 0, quantile: {} };
    if (metric.what === "count" || metric.what === "failed") own[metric.what] = number;
    else own.quantile[metric.what] = number;
    found.set(name, own);
  }
  for (const [name, own] of found) if (!own.count) found.delete(name);
  return found;
}

// ---- drift ----

export interface DriftEvent {
  kind: "regression" | "improvement" | "new" | "ended";
  service: string;
  ended: number; // 0: it is not
  functions: { name: string; ratio: number; extra: number }[];
  text: string;
  page: string; // compares before and after
}

export interface DriftAnswer {
  events: DriftEvent[];
}

// Return the event of each service that costs most, and the number of its events.
export function driftsOf(answer: DriftAnswer | undefined) {
  const found = new Map<string, { event: DriftEvent; count: number }>();
  const extra = (e: DriftEvent) => e.functions[0]?.extra ?? 0;
  for (const event of answer?.events ?? []) {
    if (event.kind === "ended" || event.ended || !event.functions.length) continue;
    const own = found.get(event.service);
    found.set(event.service, {
      event: own && extra(own.event) >= extra(event) ? own.event : event,
      count: (own?.count ?? 0) + 1,
    });
  }
  return found;
}

// ---- numbers ----

export const columns = [
  "requests",
  "errors",
  "p50",
  "p99",
  "cost",
  "per_request",
  "memory",
] as const;
export type Column = (typeof columns)[number];

export interface Figure {
  now: number | undefined;
  before: number | undefined;
  errors: number | undefined; // change in standard errors; undefined: the error is not known
}

export interface ServiceNumbers {
  name: string;
  types: string[];
  figures: Record<Column, Figure>;
  total: number; // of the cost, in the unit of its type
  drift?: { event: DriftEvent; count: number };
}

const shortestPeriod = 1e5; // ns
const longestPeriod = 1e8;
const usualPeriod = 1e7;

const divisorOf = (a: number, b: number): number => {
  while (b) [a, b] = [b, a % b];
  return a;
};

// Return the period of a sampled profile of time: the greatest common divisor of its values. Of a
// few profiles this may be no period of a profiler; then 100 samples a second are assumed.
export function periodOf(rows: readonly (SeriesRow | undefined)[]): number {
  let period = 0;
  for (const row of rows)
    for (const [, value] of row?.points ?? [])
      if (Number.isSafeInteger(value) && value >= 0) period = divisorOf(value, period);
  return period >= shortestPeriod && period <= longestPeriod ? period : usualPeriod;
}

interface Sides<T> {
  now: T | undefined;
  before: T | undefined;
}

// Combine the relative variances of all values in a ratio of ratios.
function ratioErrors({ now, before }: Sides<number>, variances: readonly number[]) {
  if (!now || !before) return undefined;
  const variance = variances.reduce((sum, v) => sum + v, 0);
  return variance > 0 ? Math.log(now / before) / Math.sqrt(variance) : undefined;
}

// The standard error of a quantile is that of its rank, divided by the density around it.
function quantileError(r: Requests, q: number, low: string, high: string): number {
  const density = (Number(high) - Number(low)) / (r.quantile[high] - r.quantile[low]);
  return Math.sqrt((q * (1 - q)) / r.count) / density;
}

function latency(sides: Sides<Requests>, q: string, low: string, high: string): Figure {
  const { now, before } = sides;
  const figure = { now: now?.quantile[q], before: before?.quantile[q], errors: undefined };
  if (figure.now === undefined || figure.before === undefined || !now || !before) return figure;
  const error = Math.hypot(
    quantileError(now, Number(q), low, high),
    quantileError(before, Number(q), low, high),
  );
  return { ...figure, errors: error > 0 ? (figure.now - figure.before) / error : undefined };
}

const shareOf = (r: Requests | undefined) => r && r.failed / r.count;
const one = { before: 1, after: 1 };

export interface Source {
  seconds: number; // length of the range
  requests: Sides<Map<string, Requests>>;
  cost: Sides<SeriesAnswer>;
  memory: Sides<SeriesAnswer>;
  drifts: ReturnType<typeof driftsOf>;
}

const rowsOf = (answer: SeriesAnswer | undefined) =>
  new Map((answer?.rows ?? []).map((row) => [row.labels.service_name ?? "", row]));

// Return the function that computes the numbers of a service.
export function numbersOf(source: Source) {
  const both = <T>(sides: Sides<T>, of: (side: T | undefined) => Map<string, SeriesRow>) => ({
    now: of(sides.now),
    before: of(sides.before),
  });
  const cost = both(source.cost, rowsOf);
  const memory = both(source.memory, rowsOf);
  const gauge = !!source.cost.now?.gauge;
  const sampled = source.cost.now?.unit === "nanoseconds" && !gauge;
  const rate = (row: SeriesRow | undefined) => row && row.total / (gauge ? 1 : source.seconds);

  return (service: { name: string; types: string[] }): ServiceNumbers => {
    const { name } = service;
    const r = { now: source.requests.now?.get(name), before: source.requests.before?.get(name) };
    const c = { now: cost.now.get(name), before: cost.before.get(name) };
    const m = { now: memory.now.get(name), before: memory.before.get(name) };
    const period = sampled ? periodOf([c.now, c.before]) : 0;
    const per = (row?: SeriesRow, q?: Requests) =>
      row && q && !gauge ? row.total / q.count : undefined;
    const perRequest = { now: per(c.now, r.now), before: per(c.before, r.before) };
    const errors = (ok: unknown, of: () => number | undefined) => (ok ? of() : undefined);
    return {
      ...service,
      total: c.now?.total ?? 0,
      drift: source.drifts.get(name),
      figures: {
        requests: {
          now: r.now && r.now.count / source.seconds,
          before: r.before && r.before.count / source.seconds,
          errors: errors(r.now && r.before, () =>
            errorsOf(r.before!.count, r.now!.count, one),
          ),
        },
        errors: {
          now: shareOf(r.now),
          before: shareOf(r.before),
          errors: errors(r.now && r.before, () =>
            errorsOf(r.before!.failed, r.now!.failed, one, {
              before: r.before!.count,
              after: r.now!.count,
            }),
          ),
        },
        p50: latency(r, "0.5", "0.25", "0.75"),
        p99: latency(r, "0.99", "0.98", "0.99"),
        cost: {
          now: rate(c.now),
          before: rate(c.before),
          errors: errors(period && c.now && c.before, () =>
            errorsOf(c.before!.total, c.now!.total, { before: period, after: period }),
          ),
        },
        per_request: {
          ...perRequest,
          errors: errors(period && r.now && r.before && c.now && c.before, () =>
            ratioErrors(perRequest, [
              period / c.now!.total,
              period / c.before!.total,
              1 / r.now!.count,
              1 / r.before!.count,
            ]),
          ),
        },
        memory: { now: m.now?.total, before: m.before?.total, errors: undefined },
      },
    };
  };
}

// Return the least number of standard errors of a change that is not by chance, among all changes.
export const leastErrors = (services: readonly ServiceNumbers[]) =>
  thresholdOf(
    services.flatMap((s) =>
      columns.map((c) => s.figures[c].errors).filter((z): z is number => !!z),
    ),
  );

export const isNoise = ({ errors }: Figure, least: number) =>
  errors !== undefined && (errors === 0 || Math.abs(errors) < least);

// Return how much worse a service is: the logarithm of its largest growth beyond the sampling error
// of errors, latency, and cost per request (without requests: of the cost). A drift event counts
// with its factor. 0: nothing is worse.
export function worseOf(service: ServiceNumbers, least: number): number {
  const { figures, drift } = service;
  const growth = (column: Column) => {
    const { now, before, errors } = figures[column];
    if (!errors || errors < least || now === undefined || before === undefined) return 0;
    return Math.log(now / Math.max(before, now / 100)); // from nothing: a factor of 100
  };
  const cost = figures.per_request.errors === undefined ? "cost" : "per_request";
  const changes = (["errors", "p50", "p99", cost] as const).map(growth);
  const event = drift?.event;
  if (event && event.kind !== "improvement")
    changes.push(Math.log(event.functions[0].ratio || 100));
  return Math.max(0, ...changes);
}

// Compare services by a column, in the format of `sort`; "": the worst change first, then the cost.
export function orderOf(sort: string, least: number) {
  const column = sort.replace(/^-/, "");
  const sign = sort.startsWith("-") ? -1 : 1;
  const last = (x: number | undefined, y: number | undefined, s: number) =>
    x === undefined || y === undefined
      ? Number(x === undefined) - Number(y === undefined)
      : s * (x - y);
  return (a: ServiceNumbers, b: ServiceNumbers): number => {
    const names = a.name.localeCompare(b.name);
    if (column === "name") return sign * names;
    const costs = last(a.figures.cost.now, b.figures.cost.now, -1) || names;
    if ((columns as readonly string[]).includes(column))
      return last(a.figures[column as Column].now, b.figures[column as Column].now, sign) || costs;
    return worseOf(b, least) - worseOf(a, least) || costs;
  };
}
