// SPDX-License-Identifier: Apache-2.0
// The results of queries at one time, as a table: a column for each label, and the value.
import { useMemo } from "preact/hooks";
import { Column, DataTable, sortRows } from "../table/DataTable";
import { formatMetric } from "./metric_units";
import { Labels, PromAnswer, PromHistogram, seriesOf } from "./prom_answer";

export interface InstantRow {
  key: string;
  query: number;
  labels: Labels;
  value: number;
  text: string; // of a value that is not a number, or of a histogram
}

const histogramText = (h: PromHistogram) =>
  `count ${h.count}, sum ${h.sum}, ${h.buckets?.length ?? 0} buckets`;

// Return the rows of some answers.
export function instantRows(answers: readonly (PromAnswer | undefined)[]): InstantRow[] {
  return answers.flatMap((answer, query) =>
    seriesOf(answer).map(({ metric, value, histogram }, i) => {
      const text = histogram ? histogramText(histogram[1]) : "";
      const number = Number((value?.[1] ?? "NaN").replace("Inf", "Infinity"));
      return {
        key: `${query} ${i}`,
        query,
        labels: metric,
        value: histogram ? Number(histogram[1].count) : number,
        text: text || (Number.isFinite(number) ? "" : (value?.[1] ?? "")),
      };
    }),
  );
}

const maxColumns = 12;

// Return the names of the labels, the metric first; those that most rows have come first.
export function labelColumns(rows: readonly InstantRow[]): string[] {
  const counts = new Map<string, number>();
  for (const { labels } of rows)
    for (const name of Object.keys(labels)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([a, n], [b, m]) =>
      a === "__name__" ? -1 : b === "__name__" ? 1 : m - n || (a < b ? -1 : 1),
    )
    .map(([name]) => name)
    .slice(0, maxColumns);
}

export function InstantTable(props: {
  rows: readonly InstantRow[];
  queries: number; // with several, a column names the query
  units: readonly string[]; // of each query
  decimals?: number;
  order: string;
  onOrder: (order: string) => void;
  height?: number | string;
  label: string;
}) {
  const { rows } = props;
  const columns = useMemo(() => {
    const names = labelColumns(rows);
    const list: Column<InstantRow>[] = names.map((name) => ({
      key: name,
      title: name === "__name__" ? "metric" : name,
      render: (row) => <bdi title={row.labels[name]}>{row.labels[name] ?? ""}</bdi>,
      compare: (a, b) => ((a.labels[name] ?? "") < (b.labels[name] ?? "") ? -1 : 1),
    }));
    if (props.queries > 1)
      list.unshift({
        key: "query",
        title: "query",
        width: "52px",
        render: (row) => queryLetter(row.query),
        compare: (a, b) => a.query - b.query,
      });
    list.push({
      key: "value",
      title: "value",
      number: true,
      width: "minmax(90px, 0.6fr)",
      render: (row) => (
        <span title={String(row.value)}>
          {row.text || formatMetric(row.value, props.units[row.query] ?? "", props.decimals)}
        </span>
      ),
      compare: (a, b) => a.value - b.value,
    });
    return list;
  }, [rows, props.queries, props.units.join(), props.decimals]);
  const sorted = useMemo(() => sortRows(rows, columns, props.order), [rows, columns, props.order]);
  return (
    <DataTable
      label={props.label}
      columns={columns}
      rows={sorted}
      rowKey={(row) => row.key}
      sort={props.order}
      onSort={props.onOrder}
      height={props.height}
      empty="No series at this time"
    />
  );
}

// "A", "B", ..., "Z", "A1", ...
export const queryLetter = (i: number) =>
  String.fromCharCode(65 + (i % 26)) + (i >= 26 ? String(Math.floor(i / 26)) : "");
