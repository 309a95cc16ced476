// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import {
  formatMetric,
  metricsOf,
  plainNumber,
  unitOf,
  unitOfMetric,
} from "../../src/promql/metric_units";
import { metricRows, usualQuery } from "../../src/promql/MetricList";
import { test } from "../tap";

const metadata = {
  queue: [{ type: "gauge", help: "", unit: "bytes" }],
  http_duration: [{ type: "histogram", help: "", unit: "seconds" }],
};

test("metric units: from metadata, else from the suffix", () => {
  const cases: [string, string][] = [
    ["queue", "B"],
    ["http_duration_bucket", "s"],
    ["http_duration_count", ""],
    ["process_cpu_seconds_total", "s"],
    ["a_milliseconds", "ms"],
    ["disk_bytes", "B"],
    ["cache_hit_ratio", "ratio"],
    ["up", ""],
  ];
  for (const [name, unit] of cases) assert.equal(unitOfMetric(name, metadata), unit, name);
});

test("metric units: the metrics of an expression", () => {
  assert.deepEqual(metricsOf('sum by (a, b) (rate(x_total{l="y"}[5m])) / on (c) group_left z:z'), [
    "x_total",
    "z:z",
  ]);
  assert.deepEqual(metricsOf(
    "histogram_quantile(0.9, sum(rate(d_bucket[$__rate_interval])) by (le))",
  ), [
    "d_bucket",
  ]);
  assert.deepEqual(metricsOf("a and b # c\n or d unless e"), ["a", "b", "d", "e"]);
});

test("metric units: of the result of an expression", () => {
  const cases: [string, string][] = [
    ["rate(process_cpu_seconds_total[5m])", "cores"],
    ["sum(rate(received_bytes_total[5m]))", "B/s"],
    ["sum by (job) (rate(requests_total[5m]))", "/s"],
    ["queue", "B"],
    ["count by (job) (queue)", ""],
    ["histogram_quantile(0.9, sum by (le) (rate(http_duration_bucket[5m])))", "s"],
    ["rate(http_duration_sum[5m]) / rate(http_duration_count[5m])", "s"],
    ["used_bytes / total_bytes", "ratio"],
    ["sum(rate(a_total[5m])) / sum(rate(b_total[5m]))", ""],
    ["1 + 1", ""],
  ];
  for (const [query, unit] of cases) assert.equal(unitOf(query, metadata), unit, query);
});

test("metric units: how values are written", () => {
  assert.equal(formatMetric(0.0123, "s"), "12.3 ms");
  assert.equal(formatMetric(0.0000123, "s"), "12.3 µs");
  assert.equal(formatMetric(0, "s"), "0 s");
  assert.equal(formatMetric(1536, "B"), "1.50 KiB");
  assert.equal(formatMetric(1536, "B/s"), "1.50 KiB/s");
  assert.equal(formatMetric(0.123, "ratio"), "12.3%");
  assert.equal(formatMetric(12.3, "%"), "12.3%");
  assert.equal(formatMetric(null, "B"), "no data");
  assert.equal(formatMetric(1.5, "cores"), "1.5 cores");
  assert.equal(plainNumber(1234), "1,234");
  assert.equal(plainNumber(12345), "12.3 k");
  assert.equal(plainNumber(1.5e6), "1.5 M");
  assert.equal(plainNumber(0.00001), "1.00e-5");
  assert.equal(plainNumber(1.234, 1), "1.2");
});

test("metric list: one row for a histogram, and its usual query", () => {
  const rows = metricRows(["http_duration_bucket", "http_duration_count", "up"], metadata);
  assert.deepEqual(
    rows.map((r) => r.name),
    ["queue", "http_duration", "up"],
  );
  assert.equal(
    usualQuery("http_duration", "histogram"),
    "histogram_quantile(0.9, sum by (job, le) (rate(http_duration_bucket[$__rate_interval])))",
  );
  assert.equal(usualQuery("up", "gauge"), "up");
  assert.equal(usualQuery("a.b", "gauge"), '{"a.b"}');
});
