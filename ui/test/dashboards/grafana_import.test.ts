// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { importDocument } from "../../src/dashboards/grafana_import";
import { test } from "../tap";

const prometheus = { type: "prometheus", uid: "${datasource}" };

const grafana = {
  title: "Shop overview",
  schemaVersion: 39,
  refresh: "30s",
  time: { from: "now-6h", to: "now" },
  annotations: { list: [{ builtIn: 1 }] },
  templating: {
    list: [
      { name: "datasource", type: "datasource", query: "prometheus" },
      {
        name: "job",
        label: "Job",
        type: "query",
        query: { query: "label_values(up{env=\"$env\"}, job)", refId: "x" },
        multi: true,
        includeAll: true,
        regex: "/shop-(.*)/",
        current: { value: ["$__all"] },
      },
      { name: "env", type: "custom", query: "prod, staging : stage", current: { value: "prod" } },
      { name: "step", type: "interval", query: "1m,5m,1h", current: { value: "5m" } },
      { name: "limit", type: "constant", query: "10" },
      { name: "hosts", type: "query", query: "query_result(up)", current: { value: ["a", "b"] } },
      { name: "more", type: "adhoc" },
    ],
  },
  panels: [
    {
      type: "timeseries",
      title: "Requests",
      datasource: prometheus,
      gridPos: { x: 0, y: 0, w: 12, h: 8 },
      fieldConfig: {
        defaults: {
          unit: "reqps",
          decimals: 1,
          min: 0,
          custom: { stacking: { mode: "normal" }, thresholdsStyle: { mode: "line" } },
          thresholds: {
            mode: "absolute",
            steps: [{ color: "green", value: null }, { color: "red", value: 80 }],
          },
        },
        overrides: [{ matcher: {} }],
      },
      targets: [
        {
          refId: "A",
          expr: 'sum(rate(http_total{job=~"[[job]]"}[$__rate_interval])) by (code)',
          legendFormat: "{{code}}",
        },
        { refId: "B", expr: "up", hide: true, legendFormat: "__auto" },
        { refId: "C", datasource: { type: "__expr__" }, expression: "$A" },
      ],
    },
    {
      type: "stat",
      title: "Errors",
      datasource: prometheus,
      gridPos: { x: 12, y: 0, w: 12, h: 4 },
      options: { reduceOptions: { calcs: ["mean"] } },
      fieldConfig: {
        defaults: {
          unit: "percentunit",
          thresholds: { steps: [{ color: "dark-red", value: 0.1 }] },
        },
      },
      targets: [{ expr: "errors" }],
    },
    {
      type: "gauge",
      title: "Fill",
      gridPos: { x: 12, y: 4, w: 12, h: 4 },
      targets: [{ expr: "fill" }],
    },
    {
      type: "row",
      title: "Details",
      collapsed: true,
      gridPos: { x: 0, y: 8, w: 24, h: 1 },
      panels: [
        {
          type: "flamegraph",
          title: "CPU",
          datasource: { type: "grafana-pyroscope-datasource" },
          gridPos: { x: 0, y: 9, w: 24, h: 8 },
          targets: [
            {
              labelSelector: '{service_name="$job"}',
              profileTypeId: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
              groupBy: [],
            },
          ],
        },
        {
          type: "traces",
          title: "Traces",
          datasource: { type: "tempo" },
          gridPos: { x: 0, y: 17, w: 24, h: 8 },
          targets: [{ queryType: "traceql", query: "{ status = error }" }],
        },
      ],
    },
    {
      type: "text",
      title: "Help",
      gridPos: { x: 0, y: 9, w: 24, h: 3 },
      options: { mode: "html", content: "<b>x</b>" },
    },
    { type: "logs", title: "Logs", datasource: { type: "loki" }, targets: [{ expr: '{job="a"}' }] },
    { type: "nodeGraph", title: "Graph" },
    {
      type: "heatmap",
      title: "Heat",
      gridPos: { x: 0, y: 30, w: 24, h: 8 },
      targets: [{ expr: "sum by (le) (rate(a_bucket[5m]))", format: "heatmap" }],
    },
  ],
};

test("import: panels, queries, units and thresholds of Grafana", () => {
  const { dashboard, notes } = importDocument(JSON.stringify({ dashboard: grafana }));
  assert.equal(dashboard.title, "Shop overview");
  assert.equal(dashboard.from, "now-6h");
  assert.equal(dashboard.refresh, true);
  const by = (title: string) => dashboard.panels.find((p) => p.title === title)!;
  assert.deepEqual(by("Requests"), {
    type: "chart",
    title: "Requests",
    x: 0,
    y: 0,
    w: 12,
    h: 8,
    queries: [
      {
        query: 'sum(rate(http_total{job=~"${job}"}[$__rate_interval])) by (code)',
        legend: "{{code}}",
      },
      { query: "up", hidden: true },
    ],
    unit: "/s",
    decimals: 1,
    style: "stacked",
    thresholds: [
      { from: 0, colour: "good" },
      { from: 80, colour: "bad" },
    ],
    min: 0,
  });
  assert.equal(by("Errors").calculation, "mean");
  assert.equal(by("Errors").unit, "ratio");
  assert.deepEqual(by("Errors").thresholds, [{ from: 0.1, colour: "bad" }]);
  assert.equal(by("Fill").type, "stat");
  assert.deepEqual(by("CPU").queries, [
    { query: '{service_name="$job"}', type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds" },
  ]);
  assert.deepEqual(by("Traces").queries, [{ query: "{ status = error }" }]);
  assert.equal(by("Heat").type, "heat");
  assert.ok(by("CPU").y > by("Details").y);
  // what is missing is listed
  for (const part of [
    "Requests: overrides",
    "Requests: an expression",
    "Fill: shown as a single value",
    "Help: HTML",
    "Logs: the query of Loki",
    "Graph: panels of the type nodeGraph",
    "Variable hosts",
    "Variable more",
  ])
    assert.ok(notes.some((note) => note.startsWith(part)), `${part}: ${notes.join("\n")}`);
});

test("import: variables of Grafana", () => {
  const { dashboard } = importDocument(JSON.stringify(grafana));
  assert.deepEqual(dashboard.variables, [
    {
      name: "job",
      type: "labels",
      title: "Job",
      multi: true,
      all: true,
      regex: "/shop-(.*)/",
      label: "job",
      match: 'up{env="$env"}',
    },
    { name: "env", type: "list", value: ["prod"], values: ["prod", "stage"] },
    { name: "step", type: "list", value: ["5m"], values: ["1m", "5m", "1h"] },
    { name: "limit", type: "list", values: ["10"], value: ["10"] },
    { name: "hosts", type: "list", value: ["a", "b"], values: ["a", "b"] },
  ]);
});

test("import: the old format of rows", () => {
  const { dashboard } = importDocument(
    JSON.stringify({
      title: "Old",
      rows: [
        {
          title: "R",
          showTitle: true,
          height: "304px",
          panels: [
            {
              type: "graph",
              title: "a",
              span: 6,
              stack: true,
              yaxes: [{ format: "bytes" }],
              targets: [{ expr: "x" }],
            },
            {
              type: "singlestat",
              title: "b",
              span: 6,
              valueName: "avg",
              format: "s",
              targets: [{ expr: "y" }],
            },
          ],
        },
      ],
    }),
  );
  assert.deepEqual(
    dashboard.panels.map((p) => [p.type, p.x, p.y, p.w, p.h, p.unit, p.style, p.calculation]),
    [
      ["row", 0, 0, 24, 1, undefined, undefined, undefined],
      ["chart", 0, 1, 12, 8, "B", "stacked", undefined],
      ["stat", 12, 1, 12, 8, "s", undefined, "mean"],
    ],
  );
});

test("import: own documents are taken as they are, others are refused", () => {
  const own = { version: 1, title: "a", panels: [] };
  assert.deepEqual(importDocument(JSON.stringify(own)), { dashboard: own, notes: [] });
  assert.throws(() => importDocument("{}"), /neither panels nor rows/);
  assert.throws(() => importDocument("{"), SyntaxError);
});
