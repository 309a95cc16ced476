// SPDX-License-Identifier: Apache-2.0
// The stored metrics with type, unit and help: shown until there is a query. A click makes the
// usual query of a metric.
import { useMemo, useState } from "preact/hooks";
import { promUrl, useAnswer } from "../api/client";
import { AnswerNote, Empty, TextInput } from "../base/components";
import { formatCount } from "../base/units";
import { Column, DataTable, sortRows } from "../table/DataTable";
import { TimeRange } from "./known_metrics";
import { Metadata, unitOfMetric } from "./metric_units";
import { TextsAnswer } from "./prom_answer";

interface Row {
  name: string;
  type: string;
  unit: string;
  help: string;
}

const maxNames = 10_000;
const narrowPixels = 700; // windows without the columns of unit and help

// Return the usual query of a metric: the rate of a counter, a quantile of a histogram, the values
// of a gauge.
export function usualQuery(name: string, type: string): string {
  if (type === "counter" || /_(?:total|count|sum)$/.test(name))
    return `sum by (job) (rate(${quotedName(name)}[$__rate_interval]))`;
  if (type === "histogram")
    return `histogram_quantile(0.9, sum by (job, le) (rate(${quotedName(
      `${name.replace(/_bucket$/, "")}_bucket`,
    )}[$__rate_interval])))`;
  return quotedName(name);
}

// UTF-8 names are quoted in braces; there only as selectors.
const quotedName = (name: string) =>
  /^[a-zA-Z_:][\w:]*$/.test(name) ? name : `{${JSON.stringify(name)}}`;

// Return one row for each metric: series of a histogram are one.
export function metricRows(names: readonly string[], metadata: Metadata): Row[] {
  const rows = new Map<string, Row>();
  for (const name of [...Object.keys(metadata), ...names]) {
    const base = name.replace(/_(?:bucket|count|sum)$/, "");
    const known = metadata[name] ? name : metadata[base] ? base : name;
    if (rows.has(known)) continue;
    const about = metadata[known]?.[0];
    rows.set(known, {
      name: known,
      type: about?.type ?? "",
      unit: unitOfMetric(known, metadata),
      help: about?.help ?? "",
    });
  }
  return [...rows.values()];
}

const columns = (onQuery: (query: string) => void): Column<Row>[] => [
  {
    key: "name",
    title: "metric",
    width: "minmax(0, 1.4fr)",
    render: (row) => (
      <button
        type="button"
        class="quiet small metric-name"
        onClick={() => onQuery(usualQuery(row.name, row.type))}
      >
        <bdi>{row.name}</bdi>
      </button>
    ),
    compare: (a, b) => (a.name < b.name ? -1 : 1),
  },
  {
    key: "type",
    title: "type",
    width: "84px",
    render: (row) => row.type,
    compare: (a, b) => (a.type < b.type ? -1 : 1),
  },
  { key: "unit", title: "unit", width: "58px", render: (row) => row.unit },
  {
    key: "help",
    title: "help",
    width: "minmax(0, 2fr)",
    render: (row) => <span title={row.help}>{row.help}</span>,
  },
];

export function MetricList(props: {
  metadata: Metadata;
  range: TimeRange;
  onQuery: (query: string) => void;
}) {
  const [filter, setFilter] = useState("");
  const [sort, setSort] = useState("name");
  const answer = useAnswer<TextsAnswer>(
    promUrl("label/__name__/values", {
      start: Math.floor(props.range.from / 1000),
      end: Math.ceil(props.range.to / 1000),
      limit: maxNames,
    }),
  );
  const narrow = globalThis.innerWidth < narrowPixels;
  const list = columns(props.onQuery).filter(
    (c) => !narrow || c.key === "name" || c.key === "type",
  );
  const names = answer.data?.data;
  const rows = useMemo(
    () => (names ? metricRows(names, props.metadata) : []),
    [names, props.metadata],
  );
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = sortRows(
    rows.filter((row) => {
      const text = `${row.name} ${row.help} ${row.type}`.toLowerCase();
      return words.every((word) => text.includes(word));
    }),
    list,
    sort,
  );
  if (answer.error) return <AnswerNote answer={answer} what="the metrics" />;
  if (names && !rows.length)
    return (
      <Empty title="No metrics in this range">
        <p class="soft">
          Metrics are received by OTLP (gRPC 4317, HTTP 4318) and by Prometheus&apos; remote write:
          <br />
          <code>
            OTEL_METRICS_EXPORTER=otlp OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 ./service
          </code>
        </p>
      </Empty>
    );
  return (
    <section class="panel pane metric-list" aria-label="Stored metrics">
      <div class="row metric-list-head">
        <TextInput
          label="Filter metrics"
          class="search"
          value={filter}
          onChange={setFilter}
        />
        <span class="soft">
          {names ? formatCount(shown.length, "metric") : "Loading…"}: choose one, or type a query
        </span>
      </div>
      <DataTable
        label="Metrics"
        columns={list}
        rows={shown}
        rowKey={(row) => row.name}
        sort={sort}
        onSort={setSort}
        onOpen={(row) => props.onQuery(usualQuery(row.name, row.type))}
        empty="No metric matches"
      />
    </section>
  );
}
