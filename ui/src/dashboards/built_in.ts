// SPDX-License-Identifier: Apache-2.0
// Dashboards that every server has. They can be copied, not changed.
import { columns, Dashboard, Panel, PanelQuery, settled, Variable } from "./model";

export const builtInPrefix = "built-in/"; // stored names have no slash

export const isBuiltIn = (name: string) => name.startsWith(builtInPrefix);

const interval = "[$__rate_interval]";

// ---- short forms ----

const metric = (query: string, legend?: string): PanelQuery =>
  legend === undefined ? { query } : { query, legend };

type Rest = Partial<Panel>;

const chart = (title: string, queries: (string | PanelQuery)[], rest: Rest = {}): Panel => ({
  type: "chart",
  title,
  x: 0,
  y: 0,
  w: 12,
  h: 7,
  queries: queries.map((q) => (typeof q === "string" ? metric(q) : q)),
  ...rest,
});

const stat = (title: string, query: string, rest: Rest = {}): Panel => ({
  ...chart(title, [query], rest),
  type: "stat",
  w: 6,
  h: 3,
  ...rest,
});

const other = (
  type: Panel["type"],
  title: string,
  query: string | PanelQuery,
  rest: Rest = {},
): Panel => ({
  ...chart(title, [query], rest),
  type,
  ...rest,
});

// Place panels from left to right, in rows as high as their highest panel.
function placed(panels: Panel[]): Panel[] {
  let [x, y, height] = [0, 0, 0];
  const out = panels.map((panel) => {
    if (x + panel.w > columns) [x, y, height] = [0, y + height, 0];
    const at = { ...panel, x, y };
    x += panel.w;
    height = Math.max(height, panel.h);
    return at;
  });
  return settled(out);
}

const board = (
  title: string,
  description: string,
  variables: Variable[],
  panels: Panel[],
): Dashboard => ({
  version: 1,
  title,
  description,
  variables,
  panels: placed(panels),
});

// ---- services ----

const calls = "traces_spanmetrics_calls_total";
const durations = "traces_spanmetrics_duration_seconds";
const ofService = 'service_name=~"$service", span_kind=~"$kind"';
const failed = `${ofService}, status_code="STATUS_CODE_ERROR"`;

const service = board(
  "Service",
  "Requests, errors and durations of spans, and the CPU time of profiles",
  [
    { name: "service", type: "labels", title: "Service", label: "service_name", match: calls },
    {
      name: "kind",
      type: "list",
      title: "Kind",
      values: [
        "SPAN_KIND_SERVER",
        "SPAN_KIND_CONSUMER",
        "SPAN_KIND_CLIENT",
        "SPAN_KIND_PRODUCER",
        "SPAN_KIND_INTERNAL",
      ],
      value: ["SPAN_KIND_SERVER", "SPAN_KIND_CONSUMER"],
      multi: true,
      all: true,
    },
  ],
  [
    stat("Requests", `sum(rate(${calls}{${ofService}}${interval}))`, { unit: "/s" }),
    stat("Errors", `(sum(rate(${calls}{${failed}}${interval})) or 0 * sum(rate(${calls}{${ofService}}${interval}))) / sum(rate(${calls}{${ofService}}${interval}))`, {
      unit: "ratio",
      thresholds: [
        { from: 0, colour: "good" },
        { from: 0.01, colour: "warn" },
        { from: 0.05, colour: "bad" },
      ],
    }),
    stat(
      "p50",
      `histogram_quantile(0.5, sum by (le) (rate(${durations}_bucket{${ofService}}${interval})))`,
      { unit: "s" },
    ),
    stat(
      "p99",
      `histogram_quantile(0.99, sum by (le) (rate(${durations}_bucket{${ofService}}${interval})))`,
      { unit: "s" },
    ),
    chart(
      "Requests by operation",
      [`sum by (span_name) (rate(${calls}{${ofService}}${interval}))`],
      { unit: "/s" },
    ),
    chart(
      "Errors by operation",
      [`sum by (span_name) (rate(${calls}{${failed}}${interval}))`],
      { unit: "/s", style: "bars" },
    ),
    chart(
      "Durations",
      ["0.5", "0.9", "0.99"].map((q) =>
        metric(
          `histogram_quantile(${q}, sum by (le) (rate(${durations}_bucket{${ofService}}${interval})))`,
          `p${Number(q) * 100}`,
        ),
      ),
      { unit: "s" },
    ),
    other(
      "heat",
      "Durations of requests",
      `sum by (le) (rate(${durations}_bucket{${ofService}}${interval}))`,
      { unit: "s", h: 7 },
    ),
    chart(
      "CPU time",
      [{ query: '{service_name="$service"}', source: "profiles", type: "cpu" }],
      { unit: "cores" },
    ),
    other(
      "table",
      "Operations: p90 of durations",
      `histogram_quantile(0.9, sum by (span_name, le) (rate(${durations}_bucket{${ofService}}[$__range])))`,
      { unit: "s" },
    ),
    other(
      "traces",
      "Failed traces",
      '{ resource.service.name = "$service" && status = error }',
      { limit: 20, w: 12, h: 8 },
    ),
    other(
      "logs",
      "Warnings and errors",
      "service=$service&severity=warn",
      { limit: 100, w: 12, h: 8 },
    ),
    other(
      "flame",
      "CPU time by function",
      { query: '{service_name="$service"}', type: "cpu" },
      { w: 24, h: 12 },
    ),
  ],
);

// ---- hosts ----

const onHost = 'instance=~"$instance"';
const job = 'job=~"$job"';

const host = board(
  "Host",
  "CPU, memory, disks and network by the receiver hostmetrics",
  [
    {
      name: "job",
      type: "labels",
      title: "Job",
      label: "job",
      match: "system_cpu_time_seconds_total",
      multi: true,
      all: true,
    },
  ],
  [
    stat("CPU in use", `1 - sum(rate(system_cpu_time_seconds_total{${job}, state="idle"}${interval})) / sum(rate(system_cpu_time_seconds_total{${job}}${interval}))`, {
      unit: "ratio",
      thresholds: [
        { from: 0, colour: "good" },
        { from: 0.8, colour: "warn" },
        { from: 0.95, colour: "bad" },
      ],
    }),
    stat("Memory in use", `sum(system_memory_usage_bytes{${job}, state="used"}) / sum(system_memory_usage_bytes{${job}})`, {
      unit: "ratio",
      thresholds: [
        { from: 0, colour: "good" },
        { from: 0.85, colour: "warn" },
        { from: 0.95, colour: "bad" },
      ],
    }),
    stat("Load, 1 minute", `max(system_cpu_load_average_1m{${job}})`),
    stat("Up", `max(system_uptime_seconds{${job}})`, { unit: "s" }),
    chart(
      "CPU by state",
      [`sum by (state) (rate(system_cpu_time_seconds_total{${job}, state!="idle"}${interval}))`],
      { unit: "cores", style: "stacked" },
    ),
    chart(
      "Memory by state",
      [`sum by (state) (system_memory_usage_bytes{${job}})`],
      { unit: "B", style: "stacked" },
    ),
    chart(
      "Load",
      [
        metric(`max(system_cpu_load_average_1m{${job}})`, "1 min"),
        metric(`max(system_cpu_load_average_5m{${job}})`, "5 min"),
        metric(`max(system_cpu_load_average_15m{${job}})`, "15 min"),
      ],
    ),
    chart(
      "Network",
      [`sum by (direction) (rate(system_network_io_bytes_total{${job}}${interval}))`],
      { unit: "B/s" },
    ),
    chart(
      "Disks",
      [`sum by (device, direction) (rate(system_disk_io_bytes_total{${job}}${interval}))`],
      { unit: "B/s" },
    ),
    chart(
      "Disks busy",
      [`sum by (device) (rate(system_disk_io_time_seconds_total{${job}}${interval}))`],
      { unit: "ratio" },
    ),
    other("bar", "File systems", `sum by (mountpoint) (system_filesystem_usage_bytes{${job}, state="used"}) / sum by (mountpoint) (system_filesystem_usage_bytes{${job}})`, {
      unit: "ratio",
      min: 0,
      max: 1,
      thresholds: [
        { from: 0, colour: "good" },
        { from: 0.8, colour: "warn" },
        { from: 0.95, colour: "bad" },
      ],
    }),
    chart(
      "Errors of the network",
      [`sum by (device, direction) (rate(system_network_errors_total{${job}}${interval}))`],
      { unit: "/s", style: "bars" },
    ),
    chart("Processes", [`sum by (status) (system_processes_count{${job}})`]),
    chart("Swap", [`sum by (state) (system_paging_usage_bytes{${job}})`], { unit: "B" }),
  ],
);

// ---- runtimes ----

const runtimes = board(
  "Runtimes",
  "Processes by the metrics of libvarve and of OpenTelemetry's and Prometheus' clients",
  [
    {
      name: "job",
      type: "labels",
      title: "Job",
      label: "job",
      match: '{__name__=~"process_cpu_(time_)?seconds_total"}',
      multi: true,
      all: true,
    },
    {
      name: "instance",
      type: "labels",
      title: "Instance",
      label: "instance",
      match: `{__name__=~"process_cpu_(time_)?seconds_total", ${job}}`,
      multi: true,
      all: true,
    },
  ],
  [
    chart(
      "CPU time",
      [
        `sum by (job) (rate(process_cpu_time_seconds_total{${job}, ${onHost}}${interval}) or rate(process_cpu_seconds_total{${job}, ${onHost}}${interval}))`,
      ],
      { unit: "cores" },
    ),
    chart(
      "Resident memory",
      [
        `sum by (job) (process_memory_usage_bytes{${job}, ${onHost}} or process_resident_memory_bytes{${job}, ${onHost}})`,
      ],
      { unit: "B" },
    ),
    chart(
      "Threads",
      [
        `sum by (job) (process_thread_count{${job}, ${onHost}} or process_threads{${job}, ${onHost}})`,
      ],
    ),
    chart(
      "Context switches",
      [`sum by (job) (rate(process_context_switches_total{${job}, ${onHost}}${interval}))`],
      { unit: "/s" },
    ),
    chart(
      "Page faults",
      [`sum by (job) (rate(process_paging_faults_total{${job}, ${onHost}}${interval}))`],
      { unit: "/s" },
    ),
    chart(
      "Open files",
      [
        `sum by (job) (process_open_file_descriptors{${job}, ${onHost}} or process_open_fds{${job}, ${onHost}})`,
      ],
    ),
    chart(
      "Heap (libvarve)",
      [
        {
          ...metric(`sum by (job, __name__) ({__name__=~"varve_heap_.*bytes", ${job}, ${onHost}})`),
          legend: "{{job}} {{__name__}}",
        },
      ],
      { unit: "B" },
    ),
    chart(
      "CPU time of the profilers (libvarve)",
      [`sum by (job) ({__name__=~"varve_profiler_(overhead|cpu_share).*", ${job}, ${onHost}})`],
      { unit: "ratio" },
    ),
    chart(
      "Heap of Go",
      [
        metric(
          `sum by (job) (go_memstats_heap_inuse_bytes{${job}, ${onHost}} or go_memory_used_bytes{${job}, ${onHost}})`,
        ),
      ],
      { unit: "B" },
    ),
    chart(
      "Goroutines",
      [
        metric(
          `sum by (job) (go_goroutines{${job}, ${onHost}} or go_goroutine_count{${job}, ${onHost}})`,
        ),
      ],
    ),
    chart(
      "Memory of the JVM",
      [metric(`sum by (job, jvm_memory_type) (jvm_memory_used_bytes{${job}, ${onHost}})`)],
      { unit: "B" },
    ),
    chart(
      "Garbage collection of the JVM",
      [metric(`sum by (job) (rate(jvm_gc_duration_seconds_sum{${job}, ${onHost}}${interval}))`)],
      { unit: "ratio" },
    ),
  ],
);

// ---- this server ----

const own = 'job="varve", instance=~"$instance"';
const ownRate = (name: string, by: string, rest = "") =>
  `sum by (${by}) (rate(${name}{${own}${rest}}${interval}))`;

const varve = board(
  "Varve",
  "This server by its own metrics (/metrics)",
  [
    {
      name: "instance",
      type: "labels",
      title: "Instance",
      label: "instance",
      match: '{job="varve"}',
      multi: true,
      all: true,
    },
  ],
  [
    stat("CPU time", `sum(rate(process_cpu_seconds_total{${own}}${interval}))`, { unit: "cores" }),
    stat("Resident memory", `sum(process_resident_memory_bytes{${own}})`, { unit: "B" }),
    stat("On disk", `sum(varve_store_disk_bytes{${own}})`, { unit: "B" }),
    stat("Refused requests", `sum(rate(varve_net_refused_total{${own}}${interval}))`, {
      unit: "/s",
      thresholds: [
        { from: 0, colour: "good" },
        { from: 0.01, colour: "bad" },
      ],
    }),
    chart(
      "Network",
      [
        metric(ownRate("varve_net_received_bytes_total", "job"), "received"),
        metric(ownRate("varve_net_sent_bytes_total", "job"), "sent"),
      ],
      { unit: "B/s" },
    ),
    chart("Accepted", [
      metric(ownRate("varve_receiver_accepted_profile_samples_total", "job"), "profile samples"),
      metric(ownRate("varve_receiver_accepted_spans_total", "job"), "spans"),
      metric(ownRate("varve_receiver_accepted_log_records_total", "job"), "log records"),
      metric(ownRate("varve_receiver_accepted_metric_samples_total", "job"), "metric samples"),
    ], { unit: "/s" }),
    chart("Rejected and failed", [
      metric(ownRate("varve_receiver_rejected_profiles_total", "job"), "profiles"),
      metric(ownRate("varve_receiver_rejected_spans_total", "job"), "spans"),
      metric(ownRate("varve_receiver_rejected_log_records_total", "job"), "log records"),
      metric(ownRate("varve_receiver_rejected_metric_samples_total", "job"), "metric samples"),
      metric(ownRate("varve_receiver_failed_total", "job"), "failed requests"),
    ], { unit: "/s", style: "bars" }),
    chart("Queries", [ownRate("varve_api_requests_total", "path")], { unit: "/s" }),
    chart(
      "Durations of queries",
      ["0.5", "0.9", "0.99"].map(
        (q) => metric(
          `histogram_quantile(${q}, sum by (le) (rate(varve_api_request_duration_seconds_bucket{${own}}${interval})))`,
          `p${Number(q) * 100}`,
        ),
      ),
      { unit: "s" },
    ),
    other(
      "heat",
      "Durations of queries",
      `sum by (le) (rate(varve_api_request_duration_seconds_bucket{${own}}${interval}))`,
      { unit: "s" },
    ),
    chart("Memory", [
      metric(`sum(process_resident_memory_bytes{${own}})`, "resident"),
      metric(`sum(varve_query_memory_bytes{${own}})`, "queries"),
      metric(`sum(varve_store_memory_bytes{${own}})`, "store"),
      metric(`sum(varve_pipeline_memory_bytes{${own}})`, "pipelines"),
      metric(`sum(varve_net_memory_bytes{${own}})`, "network"),
    ], { unit: "B" }),
    chart(
      "Store",
      [
        metric(`sum(varve_store_disk_bytes{${own}})`, "on disk"),
        metric(`sum(varve_store_live_bytes{${own}})`, "live"),
      ],
      { unit: "B" },
    ),
    chart(
      "Connections",
      [
        metric(`sum(varve_net_connections{${own}})`, "open"),
        metric(`sum(varve_net_connections_idle{${own}})`, "idle"),
      ],
    ),
    other("flame", "CPU time of the server", { query: "varve", type: "cpu" }, { w: 24, h: 12 }),
  ],
);

// ---- receivers ----

const items: readonly (readonly [string, string])[] = [
  ["spans", "spans"],
  ["metric_points", "metric points"],
  ["log_records", "log records"],
  ["profile_samples", "profile samples"],
];

// What a receiver accepted and refused; `more`: panels of its own.
function receiver(
  name: string,
  what: string,
  kinds: readonly string[],
  more: Panel[] = [],
): Dashboard {
  const selector = '{receiver=~"$receiver", job=~"$job"}';
  const rates = (verb: string) =>
    items
      .filter(([item]) => kinds.includes(item))
      .map(([item, words]) =>
        metric(`sum(rate(otelcol_receiver_${verb}_${item}${selector}${interval}))`, words),
      );
  const byLabel = (label: string) =>
    items
      .filter(([item]) => kinds.includes(item))
      .map(([item, words]) => ({
        ...metric(
          `sum by (${label}) (rate(otelcol_receiver_accepted_${item}${selector}${interval}))`,
        ),
        legend: `${words} {{${label}}}`,
      }));
  const known = `{__name__=~"otelcol_receiver_accepted_.+", receiver=~"${name}(/.*)?"}`;
  return board(
    `Receiver ${name}`,
    what,
    [
      {
        name: "job",
        type: "labels",
        title: "Job",
        label: "job",
        match: known,
        multi: true,
        all: true,
      },
      {
        name: "receiver",
        type: "labels",
        title: "Receiver",
        label: "receiver",
        match: known,
        regex: `^${name}(/.*)?$`,
        value: [name],
        multi: true,
      },
    ],
    [
      chart("Accepted", rates("accepted"), { unit: "/s" }),
      chart("Refused", rates("refused"), { unit: "/s", style: "bars" }),
      chart("Accepted by receiver", byLabel("receiver"), { unit: "/s", style: "stacked" }),
      chart("Accepted by transport", byLabel("transport"), { unit: "/s", style: "stacked" }),
      ...more,
    ],
  );
}

const scraped = (kind: string) =>
  chart("Scraped and failed", [
    metric(
      `sum(rate(otelcol_scraper_scraped_${kind}{receiver=~"$receiver"}${interval}))`,
      "scraped",
    ),
    metric(
      `sum(rate(otelcol_scraper_errored_${kind}{receiver=~"$receiver"}${interval}))`,
      "failed",
    ),
  ], { unit: "/s" });

const receivers: Record<string, Dashboard> = {
  otlp: receiver("otlp", "Data by OTLP over gRPC and HTTP", items.map(([item]) => item)),
  prometheus: receiver("prometheus", "Scraped targets", ["metric_points"], [
    chart("Targets", [metric("sum(up)", "up"), metric("count(up)", "all")]),
    chart("Durations of scrapes", ["max by (job) (scrape_duration_seconds)"], { unit: "s" }),
    other("table", "Targets that are down", "up == 0"),
    chart("Samples of scrapes", ["sum by (job) (scrape_samples_scraped)"]),
  ]),
  hostmetrics: receiver(
    "hostmetrics",
    "Metrics of hosts; see also the dashboard Host",
    ["metric_points"],
    [scraped("metric_points")],
  ),
  httpcheck: receiver("httpcheck", "Checked addresses", ["metric_points"], [
    scraped("metric_points"),
    chart("Durations", ["max by (http_url) (httpcheck_duration_milliseconds)"], { unit: "ms" }),
    chart(
      "Answers by class",
      ["sum by (http_url, http_status_class) (httpcheck_status)"],
      { style: "bars" },
    ),
    chart("Errors", ["sum by (http_url) (httpcheck_error)"], { style: "bars" }),
  ]),
  filelog: receiver("filelog", "Log files", ["log_records"]),
  pprof: receiver("pprof", "Scraped profiles", ["profile_samples"], [scraped("profile_records")]),
  pyroscope: receiver("pyroscope", "Profiles of Pyroscope's clients", ["profile_samples"]),
};

const all: Record<string, Dashboard> = {
  service,
  host,
  runtimes,
  varve,
  ...Object.fromEntries(
    Object.entries(receivers).map(([name, dashboard]) => [`receiver-${name}`, dashboard]),
  ),
};

export const builtInNames = Object.keys(all).map((name) => `${builtInPrefix}${name}`);

export const builtIn = (name: string): Dashboard | undefined => {
  const own = name.slice(builtInPrefix.length);
  return isBuiltIn(name) && Object.hasOwn(all, own) ? all[own] : undefined;
};
