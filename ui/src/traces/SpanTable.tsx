// SPDX-License-Identifier: Apache-2.0
// Spans by what they cost.
import { useMemo, useState } from "preact/hooks";
import { ViewAnswer } from "../api/types";
import { formatTime } from "../base/time";
import { formatCount, formatShare, formatValue } from "../base/units";
import { Bar, Column, DataTable, sortRows } from "../table/DataTable";
import { cleanName } from "../flame/text";
import { shortId } from "./ids";
import "./traces.css";

export interface SpanRow {
  trace: string;
  span: string;
  total: number;
  samples: number;
  first: number; // ms, of its samples
  last: number;
  service: string;
  labels: Record<string, string>; // that all its series share
  with_children: number; // total, and that of all that it called
  // where the server keeps the span itself:
  name?: string;
  parent?: string; // "": nothing called it
  kind?: string;
  status?: string;
  start?: number; // ms
  duration?: number; // ns
}

export interface SpansAnswer extends ViewAnswer {
  total: number; // of all samples
  linked: number; // of those with a span
  span_count: number; // before the cut
  spans: SpanRow[];
}

export const spanKey = (row: { trace: string; span: string }) => `${row.trace}-${row.span}`;

const labelText = (row: SpanRow) =>
  Object.entries(row.labels)
    .map(([name, value]) => `${name} = ${value}`)
    .join("\n");

const spanName = (r: SpanRow) => (
  <span title={cleanName(`${r.name ?? ""}\nspan ${r.span}\nof trace ${r.trace}`)}>
    {r.name && <bdi>{cleanName(r.name)}</bdi>} <code class="soft">{shortId(r.span)}</code>
  </span>
);

function columnsOf(answer: SpansAnswer | undefined, alone: boolean): Column<SpanRow>[] {
  const unit = answer?.unit ?? "";
  const total = answer?.total ?? 0;
  const most = Math.max(...(answer?.spans ?? []).map((s) => s.total), 0) || 1;
  const columns: Column<SpanRow>[] = [
    { key: "total", title: "Cost", number: true, width: alone ? "120px" : "92px", render: (r) => <Bar share={r.total / most}>{formatValue(r.total, unit)}</Bar>, compare: (a, b) => a.total - b.total },
    { key: "share", title: "%", help: "Of all samples of the selection", number: true, width: "46px", render: (r) => formatShare(r.total, total) },
    { key: "samples", title: "Samples", number: true, width: "62px", render: (r) => r.samples.toLocaleString("en-US"), compare: (a, b) => a.samples - b.samples },
    {
      key: "when",
      title: "First sample",
      width: "98px",
      render: (r) => <span title={`${formatTime(r.first)} – ${formatTime(r.last)}`}>{formatTime(r.first).slice(11)}</span>,
      compare: (a, b) => a.first - b.first,
    },
    {
      key: "service",
      title: "Service",
      width: "minmax(70px, 1fr)",
      render: (r) => (
        <span title={labelText(r)}>
          <bdi>{r.service || "–"}</bdi> {r.labels["service.version"] && <bdi class="soft">{r.labels["service.version"]}</bdi>}
        </span>
      ),
      compare: (a, b) => a.service.localeCompare(b.service),
    },
    { key: "span", title: "Span", width: alone ? "140px" : "78px", render: (r) => <code title={`span ${r.span}\nof trace ${r.trace}`}>{alone ? r.span : shortId(r.span)}</code> },
  ];
  if (answer?.spans.some((s) => s.name !== undefined)) {
    // A name says more than what it takes the place of.
    const oneService = answer.spans.every((s) => s.service === answer.spans[0].service);
    const kept = columns.filter((c) => c.key !== "span" && (alone || (c.key !== "samples" && c.key !== "when" && !(c.key === "service" && oneService))));
    columns.splice(0, columns.length, ...kept);
    columns.splice(1, 0, { key: "with", title: "+ children", help: "With all that it called", number: true, width: "82px", render: (r) => formatValue(r.with_children, unit), compare: (a, b) => a.with_children - b.with_children });
    columns.unshift({ key: "name", title: "Span", width: "minmax(120px, 2fr)", render: spanName, compare: (a, b) => (a.name ?? "").localeCompare(b.name ?? "") });
  }
  if (alone) columns.push({ key: "trace", title: "Trace", width: "minmax(78px, 260px)", render: (r) => <code title={r.trace}>{r.trace}</code> });
  return columns;
}

// `alone`: nothing stands beside it, so that ids have room.
export function SpanTable(props: { answer: SpansAnswer | undefined; search: string; selected: string; alone?: boolean; onSelect: (row: SpanRow) => void; onOpen: (row: SpanRow) => void }) {
  const { answer } = props;
  const [sort, setSort] = useState("-total");
  const columns = useMemo(() => columnsOf(answer, !!props.alone), [answer, props.alone]);
  const rows = useMemo(() => {
    const text = props.search.toLowerCase();
    const kept = (answer?.spans ?? []).filter((r) => !text || [r.name ?? "", r.trace, r.span, r.service, ...Object.values(r.labels)].some((t) => t.toLowerCase().includes(text)));
    return sortRows(kept, columns, sort);
  }, [answer, columns, sort, props.search]);
  return (
    <div class="table-pane span-table">
      <DataTable
        label="Spans"
        columns={columns}
        rows={rows}
        rowKey={spanKey}
        sort={sort}
        onSort={setSort}
        selected={props.selected}
        onSelect={props.onSelect}
        onOpen={props.onOpen}
        empty={answer ? (props.search ? "No span matches" : "No spans") : ""}
      />
      {answer && answer.span_count > 0 && (
        <p class="table-foot soft">
          {answer.spans.length < answer.span_count ? `The ${answer.spans.length.toLocaleString("en-US")} largest of ${formatCount(answer.span_count, "span")}` : formatCount(answer.span_count, "span")}; {formatShare(answer.linked, answer.total)} of the cost is in spans
        </p>
      )}
    </div>
  );
}
