// SPDX-License-Identifier: Apache-2.0
// Metrics of a small shop, sent by OTLP: counters by route, a gauge, a histogram, many series.
import assert from "node:assert/strict";
import { eventually } from "./pages";
import { Server } from "./server";

const stepMs = 15_000;
const bounds = [0.05, 0.1, 0.25, 0.5, 1];
export const manySeries = 150;

const nanos = (ms: number) => `${ms}000000`;
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

// The metrics of a service from `from` to `to` (ms). Everything is computed from the step's number.
function metricsOf(service: string, from: number, to: number) {
  const routes = ["/", "/pay"];
  const counters: object[] = [];
  const memory: object[] = [];
  const durations: object[] = [];
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (let i = 0, at = from; at <= to; i++, at += stepMs) {
    const times = { startTimeUnixNano: nanos(from), timeUnixNano: nanos(at) };
    routes.forEach((route, r) =>
      counters.push({
        ...times,
        asInt: String(i * 30 * (r + 1)), // 2 and 4 per second
        attributes: [attribute("route", route)],
      }),
    );
    memory.push({ ...times, asInt: String((service === "shop" ? 200 : 100) * 1024 * 1024) });
    counts[1] += 8;
    counts[3] += 2;
    durations.push({
      ...times,
      count: String(counts.reduce((a, b) => a + b)),
      sum: counts[1] * 0.08 + counts[3] * 0.4,
      bucketCounts: counts.map(String),
      explicitBounds: bounds,
    });
  }
  const monotonic = { aggregationTemporality: 2, isMonotonic: true };
  return [
    {
      name: "http.requests",
      description: "Requests by route",
      unit: "1",
      sum: { dataPoints: counters, ...monotonic },
    },
    { name: "heap", description: "Heap in use", unit: "By", gauge: { dataPoints: memory } },
    {
      name: "http.duration",
      description: "Duration of requests",
      unit: "s",
      histogram: { dataPoints: durations, aggregationTemporality: 2 },
    },
  ];
}

const many = (at: number) => ({
  name: "many",
  gauge: {
    dataPoints: Array.from({ length: manySeries }, (_, i) => ({
      timeUnixNano: nanos(at),
      asInt: String(i),
      attributes: [attribute("i", String(i))],
    })),
  },
});

async function send(url: string, service: string, metrics: object[]) {
  const response = await fetch(`${url}/v1/metrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceMetrics: [
        {
          resource: { attributes: [attribute("service.name", service)] },
          scopeMetrics: [{ scope: { name: "test" }, metrics }],
        },
      ],
    }),
  });
  assert.equal(response.status, 200);
}

export interface MetricServer {
  server: Server;
  from: number; // ms
  to: number;
}

let known: Promise<MetricServer> | null = null;

// A server with half an hour of metrics that end now.
export function metricServer(): Promise<MetricServer> {
  known ??= (async () => {
    const server = await new Server().start();
    const to = Math.floor(Date.now() / stepMs) * stepMs;
    const from = to - 30 * 60_000;
    for (const service of ["shop", "cart"])
      await send(server.url, service, metricsOf(service, from, to));
    await send(server.url, "shop", [many(to)]);
    await eventually("the metrics are stored", async () => {
      const response = await fetch(`${server.url}/prometheus/api/v1/query?query=count(many)`);
      const { data } = (await response.json()) as {
        data: { result: { value: [number, string] }[] },
      };
      return data.result[0]?.value[1] === String(manySeries);
    });
    return { server, from, to };
  })();
  return known;
}

// Return the values of an instant query by the value of a label.
export async function instant(
  url: string,
  query: string,
  time: number,
  label: string,
): Promise<Record<string, number>> {
  const params = new URLSearchParams({ query, time: String(Math.floor(time / 1000)) });
  const response = await fetch(`${url}/prometheus/api/v1/query?${params}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  return Object.fromEntries(data.result.map((r) => [r.metric[label] ?? "", Number(r.value[1])]));
}
