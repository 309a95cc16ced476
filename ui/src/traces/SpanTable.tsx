// SPDX-License-Identifier: Apache-2.0
// The table of spans by cost.
import { useMemo, useState } from "preact/hooks";
import { ViewAnswer } from "../api/types";
import { formatTime } from "../base/time";
import { formatCount, formatShare, formatValue } from "../base/units";
import { useSize } from "../base/components";
import { Bar, Column, DataTable, sortRows } from "../table/DataTable";
import { cleanName } from "../flame/text/names";
import { shortId } from "./parse_ids";
import { beyondDuration, costWord, isTime, threadTimeHelp } from "./thread_time";
import "./traces.css";

export interface SpanRow {
  trace: string;
  span: string;
  total: number;
  samples: number;
  first: number; // ms; time of the first sample
  last: number; // ms; time of the last sample
  service: string;
  labels: Record<string, string>; // labels that all its series have in common
  with_children: number; // total of the span and all its descendants
  // only if the server has the span itself:
  name?: string;
  parent?: string; // "": root span
  kind?: string;
  status?: string;
  start?: number; // ms
  duration?: number; // ns
}

export interface SpansAnswer extends ViewAnswer {
  total: number; // of all samples
  linked: number; // of samples with a span
  span_count: number; // of all spans; `spans` contains at most the queried number
  spans: SpanRow[];
}

export interface More {
  n: number; // number of spans to list
  show: () => void;
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

// Columns that a narrow table omits; a table with span names omits more.
const roomy = ["samples", "when"];
const roomyNamed = [...roomy, "share", "service"];

function columnsOf(
  answer: SpansAnswer | undefined,
  alone: boolean,
  narrow: boolean,
): Column<SpanRow>[] {
  const unit = answer?.unit ?? "";
  const total = answer?.total ?? 0;
  const most = (answer?.spans ?? []).reduce((n, s) => Math.max(n, s.total), 0) || 1;
  const columns: Column<SpanRow>[] = [
    {
      key: "total",
      title: isTime(unit) ? "Thread time" : "Cost",
      help: isTime(unit) ? threadTimeHelp : undefined,
      number: true,
      width: alone ? "120px" : "112px",
      render: (r) => {
        const note = beyondDuration(r, unit);
        return (
          <Bar share={r.total / most}>
            <span title={note || undefined}>
              {note && "≈ "}
              {formatValue(r.total, unit)}
            </span>
          </Bar>
        );
      },
      compare: (a, b) => a.total - b.total,
    },
    {
      key: "share",
      title: "%",
      help: "Of all samples of the selection",
      number: true,
      width: "46px",
      render: (r) => formatShare(r.total, total),
    },
    {
      key: "samples",
      title: "Samples",
      number: true,
      width: "62px",
      render: (r) => r.samples.toLocaleString("en-US"),
      compare: (a, b) => a.samples - b.samples,
    },
    {
      key: "when",
      title: "First sample",
      width: "98px",
      render: (r) => (
        <span title={`${formatTime(r.first)} – ${formatTime(r.last)}`}>
          {formatTime(r.first).slice(11)}
        </span>
      ),
      compare: (a, b) => a.first - b.first,
    },
    {
      key: "service",
      title: "Service",
      width: "minmax(70px, 1fr)",
      render: (r) => (
        <span title={labelText(r)}>
          <bdi>{r.service || "–"}</bdi>{" "}
          {r.labels["service.version"] && <bdi class="soft">{r.labels["service.version"]}</bdi>}
        </span>
      ),
      compare: (a, b) => a.service.localeCompare(b.service),
    },
    {
      key: "span",
      title: "Span",
      width: alone ? "140px" : "78px",
      render: (r) => (
        <code title={`span ${r.span}\nof trace ${r.trace}`}>
          {alone ? r.span : shortId(r.span)}
        </code>
      ),
    },
  ];
  if (answer?.spans.some((s) => s.name !== undefined)) {
    // With a name column, less useful columns are omitted.
    const oneService = answer.spans.every((s) => s.service === answer.spans[0].service);
    const kept = columns.filter(
      (c) =>
        c.key !== "span" &&
        (alone ||
          (c.key !== "samples" && c.key !== "when" && !(c.key === "service" && oneService))),
    );
    columns.splice(0, columns.length, ...kept);
    columns.splice(1, 0, {
      key: "with",
      title: "Incl. children",
      help: "Including child spans",
      number: true,
      width: "82px",
      render: (r) => formatValue(r.with_children, unit),
      compare: (a, b) => a.with_children - b.with_children,
    });
    if (alone)
      columns.splice(2, 0, {
        key: "duration",
        title: "Duration",
        number: true,
        width: "82px",
        render: (r) => (r.duration === undefined ? "" : formatValue(r.duration, "nanoseconds")),
        compare: (a, b) => (a.duration ?? -1) - (b.duration ?? -1),
      });
    columns.unshift({
      key: "name",
      title: "Span",
      width: "minmax(120px, 2fr)",
      render: spanName,
      compare: (a, b) => (a.name ?? "").localeCompare(b.name ?? ""),
    });
  }
  if (narrow)
    return columns.filter((c) => !(columns[0].key === "name" ? roomyNamed : roomy).includes(c.key));
  if (alone)
    columns.push({
      key: "trace",
      title: "Trace",
      width: "minmax(78px, 260px)",
      render: (r) => <code title={r.trace}>{r.trace}</code>,
    });
  return columns;
}

// The number and cost of spans that are not listed, and a button to list more.
export function SpanFoot(props: { answer: SpansAnswer; more?: More; whole: string }) {
  const { answer, more } = props;
  const left = answer.span_count - answer.spans.length;
  if (!answer.span_count) return null;
  if (left <= 0)
    return (
      <p class="table-foot soft">
        {formatCount(answer.span_count, "span")}; {props.whole}
      </p>
    );
  const cost = answer.linked - answer.spans.reduce((sum, s) => sum + s.total, 0);
  return (
    <p class="table-foot soft row">
      <span>
        {formatCount(left, "more span", "more spans")} ({formatShare(cost, answer.total)} of the{" "}
        {costWord(answer.unit)}) not listed
      </span>
      {more && (
        <button type="button" class="small" onClick={more.show}>
          List {more.n < answer.span_count ? more.n.toLocaleString("en-US") : "all"}
        </button>
      )}
    </p>
  );
}

// `alone`: the table has the full width, so that IDs are shown in full.
export function SpanTable(props: {
  answer: SpansAnswer | undefined;
  search: string;
  selected: string;
  alone?: boolean;
  more?: More;
  onSelect: (row: SpanRow) => void;
  onOpen: (row: SpanRow) => void;
}) {
  const { answer } = props;
  const [sort, setSort] = useState("-total");
  const [box, size] = useSize<HTMLDivElement>();
  const narrow = size.width > 0 && size.width < 460;
  const columns = useMemo(
    () => columnsOf(answer, !!props.alone && !narrow, narrow),
    [answer, props.alone, narrow],
  );
  const rows = useMemo(() => {
    const text = props.search.toLowerCase();
    const kept = (answer?.spans ?? []).filter(
      (r) =>
        !text ||
        [r.name ?? "", r.trace, r.span, r.service, ...Object.values(r.labels)].some((t) =>
          t.toLowerCase().includes(text),
        ),
    );
    return sortRows(kept, columns, sort);
  }, [answer, columns, sort, props.search]);
  return (
    <div class="table-pane span-table" ref={box}>
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
