// SPDX-License-Identifier: Apache-2.0
// The waterfall of a trace: the tree of spans with times, durations, and costs with and without
// children.
import { useMemo, useState } from "preact/hooks";
import { useKeys } from "../base/keys";
import { useSize } from "../base/components";
import { formatTime } from "../base/time";
import { formatValue } from "../base/units";
import { cssOf, groupColour } from "../flame/canvas/colours";
import { cleanName } from "../flame/text/names";
import { Bar, Column, DataTable } from "../table/DataTable";
import "../tree/tree.css";
import { shortId } from "./parse_ids";
import { More, SpanFoot, SpanRow, SpansAnswer, spanKey } from "./SpanTable";
import { callerOf, matchingSpans, visibleRows, waterfallOf, WaterfallRow } from "./waterfall_rows";
import { beyondDuration, childrenBeyondDuration, isTime, threadTimeHelp } from "./thread_time";
import "./traces.css";

const indent = 12; // pixels per level
const deepest = 14; // deeper levels are not indented further
// Name and duration in the first line, bar and costs in the second.
const narrowLines = { tracks: "minmax(0, 1fr) 76px 82px", height: 50 };
const none: ReadonlySet<string> = new Set();

// The state of rows with children: collapsed or expanded.
interface Folds {
  has: (row: WaterfallRow) => boolean;
  toggle: (row: WaterfallRow) => void;
}

function NameCell({
  item,
  colour,
  folds,
  step,
}: {
  item: WaterfallRow;
  colour: string;
  folds: Folds;
  step: number;
}) {
  const { row, level } = item;
  const folded = folds.has(item);
  return (
    <span
      class="fall-name"
      style={{ paddingLeft: Math.min(level, deepest) * step }}
      title={cleanName(
        `${row.name ?? "span"} ${row.span}\n${row.service}${row.kind ? `, ${row.kind}` : ""}`,
      )}
    >
      <span
        class={`tree-toggle ${item.below ? "" : "leaf"}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          folds.toggle(item);
        }}
        onDblClick={(event) => event.stopPropagation()}
      >
        {item.below ? (folded ? "▸" : "▾") : ""}
      </span>
      <i style={{ background: colour }} />
      {row.status === "error" && <span class="fall-error">error</span>}
      <bdi>{row.name ? cleanName(row.name) : shortId(row.span)}</bdi>{" "}
      <bdi class="soft">{cleanName(row.service)}</bdi>
      {folded && <span class="soft fall-more">+{item.below.toLocaleString("en-US")}</span>}
    </span>
  );
}

const timeText = (row: SpanRow) =>
  `${formatTime(Math.floor(row.start!))} for ${formatValue(row.duration!, "nanoseconds")}`;

// The same colour in both themes: no text is drawn on it.
const colourOf = (service: string) => cssOf(groupColour("light", service, 0));

function columnsOf(answer: SpansAnswer, folds: Folds, narrow: boolean): Column<WaterfallRow>[] {
  const most = answer.spans.reduce((n, s) => Math.max(n, s.with_children), 0) || 1;
  const cost = (value: number, note = "") => (
    <Bar share={value / most}>
      {value ? (
        <span title={note || undefined}>
          {note && "≈ "}
          {formatValue(value, answer.unit)}
        </span>
      ) : (
        <span class="soft">–</span>
      )}
    </Bar>
  );
  const help = (text: string) => (isTime(answer.unit) ? `${text}. ${threadTimeHelp}` : text);
  const name: Column<WaterfallRow> = {
    key: "name",
    title: "Span",
    width: "minmax(170px, 2fr)",
    span: narrow ? 2 : undefined,
    render: (r) => (
      <NameCell
        item={r}
        colour={colourOf(r.row.service)}
        folds={folds}
        step={narrow ? indent / 2 : indent}
      />
    ),
  };
  const fall: Column<WaterfallRow> = {
    key: "fall",
    title: "When",
    width: "minmax(80px, 1fr)",
    render: ({ row, left, width }) =>
      width > 0 && (
        <span class="fall" title={timeText(row)}>
          <i
            style={{
              left: `${100 * Math.min(left, 0.995)}%`,
              width: `${100 * width}%`,
              background: colourOf(row.service),
            }}
          />
        </span>
      ),
  };
  const duration: Column<WaterfallRow> = {
    key: "duration",
    title: "Duration",
    number: true,
    width: "74px",
    render: ({ row }) =>
      row.duration === undefined ? "" : formatValue(row.duration, "nanoseconds"),
  };
  return [
    name,
    ...(narrow ? [duration, fall] : [fall, duration]),
    {
      key: "self",
      title: "Self",
      help: help("Samples in this span only"),
      number: true,
      width: "78px",
      render: ({ row }) => cost(row.total, beyondDuration(row, answer.unit)),
    },
    {
      key: "with",
      title: "Incl. children",
      help: help("Including child spans, in all services"),
      number: true,
      width: "82px",
      render: ({ row }) => cost(row.with_children, childrenBeyondDuration(row, answer.unit)),
    },
  ];
}

// Return the visible rows and their collapse state. During a search, matches are shown even in
// collapsed rows.
function useRows(answer: SpansAnswer, search: string) {
  const [folded, setFolded] = useState(none);
  const all = useMemo(() => waterfallOf(answer.spans), [answer]);
  const text = search.toLowerCase();
  const rows = useMemo(
    () =>
      text
        ? matchingSpans(all, (row) =>
            [row.name ?? "", row.span, row.service].some((t) => t.toLowerCase().includes(text)),
          )
        : visibleRows(all, folded),
    [all, folded, text],
  );
  const folds: Folds = {
    has: (item) => !text && item.below > 0 && folded.has(item.row.span),
    toggle: ({ row, below }) => {
      const next = new Set(folded);
      if (!next.delete(row.span) && below) next.add(row.span);
      setFolded(next);
    },
  };
  useKeys("Spans", [
    {
      key: "-",
      help: "Collapse all spans",
      run: () => setFolded(new Set(all.filter((r) => r.below).map((r) => r.row.span))),
    },
    { key: "+", help: "Expand all spans", run: () => setFolded(none) },
  ]);
  return { rows, folds };
}

export function Waterfall(props: {
  answer: SpansAnswer;
  search: string;
  selected: string;
  filtered: boolean;
  more?: More;
  onSelect: (row: SpanRow) => void;
}) {
  const { answer } = props;
  const { rows, folds } = useRows(answer, props.search);
  const [box, size] = useSize<HTMLDivElement>();
  const narrow = size.width > 0 && size.width < 460;
  const columns = useMemo(() => columnsOf(answer, folds, narrow), [answer, rows, narrow]);
  const keyOf = (r: WaterfallRow) => spanKey(r.row);
  // The usual keys of trees: right expands, then moves to the first child; left collapses, then
  // moves to the parent.
  const onKey = (key: string, item: WaterfallRow | undefined): boolean => {
    if (!item || (key !== "ArrowRight" && key !== "ArrowLeft" && key !== " ")) return false;
    const at = rows.indexOf(item);
    const to = key === "ArrowRight" ? at + 1 : callerOf(rows, at);
    if (key === " " || (item.below && folds.has(item) === (key === "ArrowRight")))
      folds.toggle(item);
    else if (key === "ArrowRight" ? item.below : to >= 0) props.onSelect(rows[to].row);
    return true;
  };
  return (
    <div class="table-pane span-table" ref={box}>
      <DataTable
        label="Spans"
        columns={columns}
        rows={rows}
        rowKey={keyOf}
        selected={props.selected}
        onSelect={(r) => props.onSelect(r.row)}
        onOpen={folds.toggle}
        onKey={onKey}
        lines={narrow ? narrowLines : undefined}
        tree={{ level: (r) => r.level + 1, expanded: (r) => (r.below ? !folds.has(r) : undefined) }}
        empty="No span matches"
      />
      <SpanFoot
        answer={answer}
        more={props.more}
        whole={
          answer.total
            ? `${formatValue(answer.total, answer.unit)} ${isTime(answer.unit) ? "of thread time " : ""}in all`
            : props.filtered
              ? "no samples match the filters"
              : "no samples in these spans"
        }
      />
    </div>
  );
}
