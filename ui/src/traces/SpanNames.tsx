// SPDX-License-Identifier: Apache-2.0
// The expensive spans by service and name: a single span has few samples, so its cost is uncertain;
// the sum of many is not.
import { useMemo, useState } from "preact/hooks";
import { Ends, endsOf, useSize } from "../base/components";
import { formatCount, formatShare, formatValue, grouped } from "../base/units";
import { cleanName } from "../flame/text/names";
import { Bar, Column, DataTable, sortRows } from "../table/DataTable";
import { More, SpanFoot, SpanRow, SpansAnswer } from "./SpanTable";
import { costWord, isTime, threadTimeHelp } from "./thread_time";

export interface NameRow {
  service: string;
  name: string; // "": the spans themselves are not stored
  count: number;
  failed: number;
  total: number;
  samples: number;
  longest: number; // ns; 0: unknown
  median: number;
}

// Sum the spans of each service and name.
export function spansByName(spans: readonly SpanRow[]): NameRow[] {
  const rows = new Map<string, NameRow & { durations: number[] }>();
  for (const span of spans) {
    const key = JSON.stringify([span.service, span.name ?? ""]);
    const row = rows.get(key) ?? {
      service: span.service,
      name: span.name ?? "",
      count: 0,
      failed: 0,
      total: 0,
      samples: 0,
      longest: 0,
      median: 0,
      durations: [],
    };
    row.count++;
    row.failed += span.status === "error" ? 1 : 0;
    row.total += span.total;
    row.samples += span.samples;
    if (span.duration !== undefined) row.durations.push(span.duration);
    rows.set(key, row);
  }
  return [...rows.values()].map(({ durations, ...row }) => {
    durations.sort((a, b) => a - b);
    return {
      ...row,
      longest: durations[durations.length - 1] ?? 0,
      median: durations[Math.floor(durations.length / 2)] ?? 0,
    };
  });
}

// Format the standard error of a sum of samples, relative to the sum: "±12%".
export const errorText = (samples: number) =>
  samples > 0 ? `±${Math.min(100, Math.round(100 / Math.sqrt(samples)))}%` : "";

function columnsOf(answer: SpansAnswer | undefined, rows: readonly NameRow[]): Column<NameRow>[] {
  const unit = answer?.unit ?? "";
  const most = rows.reduce((n, r) => Math.max(n, r.total), 0) || 1;
  const time = (value: number) => (value ? formatValue(value, "nanoseconds") : "");
  return [
    {
      key: "name",
      title: "Span",
      width: "minmax(150px, 2fr)",
      render: (r) =>
        r.name ? (
          <Ends parts={endsOf(cleanName(r.name))} title={cleanName(r.name)} />
        ) : (
          <span class="soft">without a name</span>
        ),
      compare: (a, b) => a.name.localeCompare(b.name),
    },
    {
      key: "service",
      title: "Service",
      width: "minmax(90px, 1fr)",
      render: (r) => <Ends parts={endsOf(cleanName(r.service))} title={cleanName(r.service)} />,
      compare: (a, b) => a.service.localeCompare(b.service),
    },
    {
      key: "total",
      title: isTime(unit) ? "Thread time" : "Cost",
      help: isTime(unit) ? threadTimeHelp : undefined,
      number: true,
      width: "156px",
      render: (r) => (
        <Bar share={r.total / most}>
          {formatValue(r.total, unit)}{" "}
          <span class="soft" title={`Standard error of ${formatCount(r.samples, "sample")}`}>
            {errorText(r.samples)}
          </span>
        </Bar>
      ),
      compare: (a, b) => a.total - b.total,
    },
    {
      key: "share",
      title: "%",
      help: "Of all samples of the selection",
      number: true,
      width: "52px",
      render: (r) => formatShare(r.total, answer?.total ?? 0),
    },
    {
      key: "count",
      title: "Spans",
      help: "With samples",
      number: true,
      width: "66px",
      render: (r) => grouped(r.count),
      compare: (a, b) => a.count - b.count,
    },
    {
      key: "each",
      title: "Each",
      help: `Mean ${costWord(unit)} of a span with samples`,
      number: true,
      width: "84px",
      render: (r) => formatValue(r.total / r.count, unit),
      compare: (a, b) => a.total / a.count - b.total / b.count,
    },
    {
      key: "median",
      title: "Median",
      help: "Duration of the spans with samples",
      number: true,
      width: "78px",
      render: (r) => time(r.median),
      compare: (a, b) => a.median - b.median,
    },
    {
      key: "longest",
      title: "Longest",
      help: "Duration of the spans with samples",
      number: true,
      width: "78px",
      render: (r) => time(r.longest),
      compare: (a, b) => a.longest - b.longest,
    },
    {
      key: "failed",
      title: "Errors",
      number: true,
      width: "62px",
      render: (r) => (r.failed ? <span class="fall-error">{grouped(r.failed)}</span> : ""),
      compare: (a, b) => a.failed - b.failed,
    },
  ];
}

const leastImportant = ["share", "median", "failed", "longest", "each", "service"];

export function SpanNames(props: {
  answer: SpansAnswer | undefined;
  more?: More;
  onOpen: (row: NameRow) => void;
}) {
  const { answer } = props;
  const [sort, setSort] = useState("-total");
  const [selected, select] = useState("");
  const [box, size] = useSize<HTMLDivElement>();
  const all = useMemo(() => spansByName(answer?.spans ?? []), [answer]);
  const columns = useMemo(() => {
    const hidden = size.width > 0 && size.width < 860 ? (size.width < 560 ? 6 : 3) : 0;
    return columnsOf(answer, all).filter((c) => !leastImportant.slice(0, hidden).includes(c.key));
  }, [answer, all, size.width]);
  const rows = useMemo(() => sortRows(all, columns, sort), [all, columns, sort]);
  const keyOf = (r: NameRow) => JSON.stringify([r.service, r.name]);
  return (
    <div class="table-pane span-table" ref={box}>
      <DataTable
        label="Spans by name"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        sort={sort}
        onSort={setSort}
        selected={selected}
        onSelect={(r) => select(keyOf(r))}
        onClick={props.onOpen}
        onOpen={props.onOpen}
        empty={answer ? "No spans" : ""}
      />
      {answer && (
        <SpanFoot
          answer={answer}
          more={props.more}
          whole={`${formatShare(answer.linked, answer.total)} of the ${costWord(answer.unit)} is in spans`}
        />
      )}
    </div>
  );
}
