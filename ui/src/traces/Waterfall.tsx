// SPDX-License-Identifier: Apache-2.0
// One trace: who called whom, when and for how long, and what each cost by itself and with all that it called.
import { useMemo } from "preact/hooks";
import { formatTime } from "../base/time";
import { formatCount, formatShare, formatValue } from "../base/units";
import { cssOf, groupColour } from "../flame/colours";
import { cleanName } from "../flame/text";
import { Bar, Column, DataTable } from "../table/DataTable";
import { shortId } from "./ids";
import { SpanRow, SpansAnswer, spanKey } from "./SpanTable";
import { FallRow, waterfallOf } from "./fall";
import "./traces.css";

const indent = 12; // pixels a level
const deepest = 14; // levels that are told apart by their place

function NameCell({ item, colour }: { item: FallRow; colour: string }) {
  const { row, level } = item;
  return (
    <span class="fall-name" style={{ paddingLeft: Math.min(level, deepest) * indent }} title={cleanName(`${row.name ?? "span"} ${row.span}\n${row.service}${row.kind ? `, ${row.kind}` : ""}`)}>
      <i style={{ background: colour }} />
      {row.status === "error" && <span class="fall-error">error</span>}
      <bdi>{row.name ? cleanName(row.name) : shortId(row.span)}</bdi> <bdi class="soft">{cleanName(row.service)}</bdi>
    </span>
  );
}

const timeText = (row: SpanRow) => `${formatTime(Math.floor(row.start!))} for ${formatValue(row.duration!, "nanoseconds")}`;

// The same in both themes: nothing is written on it.
const colourOf = (service: string) => cssOf(groupColour("light", service, 0));

function columnsOf(answer: SpansAnswer): Column<FallRow>[] {
  const most = Math.max(...answer.spans.map((s) => s.with_children)) || 1;
  const cost = (value: number) => (value ? <Bar share={value / most}>{formatValue(value, answer.unit)}</Bar> : <span class="soft">–</span>);
  return [
    { key: "name", title: "Span", width: "minmax(170px, 4fr)", render: (r) => <NameCell item={r} colour={colourOf(r.row.service)} /> },
    {
      key: "fall",
      title: "When",
      width: "minmax(80px, 3fr)",
      render: ({ row, left, width }) =>
        width > 0 && (
          <span class="fall" title={timeText(row)}>
            <i style={{ left: `${100 * Math.min(left, 0.995)}%`, width: `${100 * width}%`, background: colourOf(row.service) }} />
          </span>
        ),
    },
    { key: "duration", title: "Duration", number: true, width: "74px", render: ({ row }) => (row.duration === undefined ? "" : formatValue(row.duration, "nanoseconds")) },
    { key: "self", title: "Self", help: "What was sampled in this span itself", number: true, width: "78px", render: ({ row }) => cost(row.total) },
    { key: "with", title: "+ children", help: "With all that it called, in all services", number: true, width: "82px", render: ({ row }) => cost(row.with_children) },
  ];
}

export function Waterfall(props: { answer: SpansAnswer; search: string; selected: string; onSelect: (row: SpanRow) => void; onOpen: (row: SpanRow) => void }) {
  const { answer } = props;
  const columns = useMemo(() => columnsOf(answer), [answer]);
  const all = useMemo(() => waterfallOf(answer.spans), [answer]);
  const text = props.search.toLowerCase();
  const rows = text ? all.filter(({ row }) => [row.name ?? "", row.span, row.service].some((t) => t.toLowerCase().includes(text))) : all;
  return (
    <div class="table-pane span-table">
      <DataTable
        label="Spans"
        columns={columns}
        rows={rows}
        rowKey={(r) => spanKey(r.row)}
        selected={props.selected}
        onSelect={(r) => props.onSelect(r.row)}
        onOpen={(r) => props.onOpen(r.row)}
        tree={{ level: (r) => r.level + 1, expanded: () => undefined }}
        empty="No span matches"
      />
      <p class="table-foot soft">
        {answer.spans.length < answer.span_count ? `The ${answer.spans.length.toLocaleString("en-US")} largest of ` : ""}
        {formatCount(answer.span_count, "span")}; {formatShare(answer.linked, answer.total)} of the cost is in them
      </p>
    </div>
  );
}
