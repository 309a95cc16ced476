// SPDX-License-Identifier: Apache-2.0
// The waterfall of a trace: the tree of spans with times, durations, and costs with and without
// children.
import { useEffect, useMemo, useState } from "preact/hooks";
import { useKeys } from "../base/keys";
import { Ends, endsOf, TextInput, useSize } from "../base/components";
import { formatTime } from "../base/time";
import { formatCount, formatValue, grouped } from "../base/units";
import { cleanName } from "../flame/text/names";
import { Bar, Column, DataTable } from "../table/DataTable";
import "../tree/tree.css";
import { go } from "../url";
import { FallBar } from "./FallBar";
import { shortId } from "./parse_ids";
import { serviceColour } from "./service_colour";
import { More, SpanFoot, SpanRow, SpansAnswer, spanKey } from "./SpanTable";
import { SpanDetails } from "./trace_details";
import { timesOf, TraceTimes } from "./trace_times";
import {
  callerOf,
  groupSiblings,
  isFolded,
  keyOfRow,
  matchingSpans,
  revealed,
  visibleRows,
  waterfallOf,
  WaterfallRow,
} from "./waterfall_rows";
import { beyondDuration, childrenBeyondDuration, isTime, threadTimeHelp } from "./thread_time";
import "./traces.css";

const widestIndent = 12; // pixels per level
// Name and duration in the first line, bar and costs in the second.
const narrowLines = { tracks: "minmax(0, 1fr) 76px 82px", height: 50 };
const none: ReadonlySet<string> = new Set();

// The display of a whole trace. Without it, the spans are those of one selection.
export interface WholeTrace {
  details: ReadonlyMap<string, SpanDetails> | undefined;
  critical: boolean;
  grouped: boolean;
}

// Return the indentation per level, so that the deepest row is indented by at most an eighth of the
// width: of about a third of the column of names.
function indentOf(rows: readonly WaterfallRow[], width: number): number {
  const deepest = rows.reduce((most, row) => Math.max(most, row.level), 1);
  return Math.min(widestIndent, (width || 800) / 8 / deepest);
}

// The state of rows with children: collapsed or expanded.
interface Folds {
  has: (row: WaterfallRow) => boolean;
  toggle: (row: WaterfallRow) => void;
}

function groupText(group: readonly WaterfallRow[]): string {
  const sorted = group.map((m) => m.row.duration!).sort((a, b) => a - b);
  const [least, middle, most] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map((i) =>
    formatValue(sorted[i], "nanoseconds"),
  );
  return `${sorted.length} equal spans: shortest ${least}, median ${middle}, longest ${most}`;
}

function NameCell({ item, folds, step }: { item: WaterfallRow; folds: Folds; step: number }) {
  const { row, level, group } = item;
  const folded = folds.has(item);
  const kind = row.kind ? `, ${row.kind}` : "";
  return (
    <span
      class="fall-name"
      style={{ paddingLeft: level * step }}
      title={cleanName(
        item.missing
          ? `The span ${row.span}, the parent of the spans below, is not stored`
          : `${row.name ?? "span"} ${group ? groupText(group) : row.span}\n${row.service}${kind}`,
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
      {!item.missing && <i style={{ background: serviceColour(row.service) }} />}
      {row.status === "error" && <span class="fall-error">error</span>}
      {item.missing ? (
        <em class="soft">
          missing parent <code>{shortId(row.span)}</code>
        </em>
      ) : (
        <Ends class="fall-text" parts={endsOf(row.name ? cleanName(row.name) : shortId(row.span))} />
      )}
      {group && <span class="fall-more">× {grouped(group.length)}</span>}{" "}
      <Ends class="soft fall-service" parts={endsOf(cleanName(row.service))} />
      {folded && !group && (
        <span class="soft fall-more">+{item.below.toLocaleString("en-US")}</span>
      )}
    </span>
  );
}

const timeText = (row: SpanRow) =>
  `${formatTime(Math.floor(row.start!))} for ${formatValue(row.duration!, "nanoseconds")}`;

// The scale of the bars: times since the start of the trace.
const Scale = (props: { length: number }) => (
  <span class="fall-scale soft" aria-hidden="true">
    {[0.5, 1].map((share) => (
      <span key={share} style={{ left: `${100 * share}%` }}>
        {formatValue(Math.round(props.length * share), "nanoseconds")}
      </span>
    ))}
  </span>
);

interface Look {
  answer: SpansAnswer;
  folds: Folds;
  narrow: boolean;
  step: number; // pixels of indentation per level
  trace: WholeTrace | undefined;
  times: TraceTimes | undefined;
  from: number; // ms; start of the trace
  length: number; // ns; duration of the trace
}

function columnsOf(look: Look): Column<WaterfallRow>[] {
  const { answer, folds, narrow, trace, times } = look;
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
    width: trace ? "minmax(190px, 4fr)" : "minmax(170px, 2fr)",
    span: narrow ? 2 : undefined,
    render: (r) => <NameCell item={r} folds={folds} step={look.step} />,
  };
  const fall: Column<WaterfallRow> = {
    key: "fall",
    title: "When",
    head: !narrow && look.length > 0 && <Scale length={look.length} />,
    width: trace ? "minmax(120px, 3fr)" : "minmax(80px, 1fr)",
    render: (item) =>
      item.width > 0 && (
        <FallBar
          item={item}
          title={timeText(item.row)}
          from={look.from}
          length={look.length}
          details={trace?.details?.get(item.row.span)}
          critical={trace?.critical ? times?.critical : undefined}
        />
      ),
  };
  const duration: Column<WaterfallRow> = {
    key: "duration",
    title: "Duration",
    number: true,
    width: "74px",
    render: ({ row, group }) =>
      row.duration === undefined ? (
        ""
      ) : group ? (
        <span title={groupText(group)}>Σ {formatValue(row.duration, "nanoseconds")}</span>
      ) : (
        formatValue(row.duration, "nanoseconds")
      ),
  };
  const self: Column<WaterfallRow> = {
    key: "alone",
    title: "Self time",
    help: "Duration without the time in which child spans ran",
    number: true,
    width: "74px",
    render: ({ row, group, missing }) => {
      const of = (id: string) => times?.self.get(id) ?? 0;
      const value = group ? group.reduce((n, m) => n + of(m.row.span), 0) : of(row.span);
      return missing || row.duration === undefined
        ? ""
        : formatValue(Math.round(value), "nanoseconds");
    },
  };
  const timing = trace && !narrow ? [fall, duration, self] : [fall, duration];
  const columns = [name, ...(narrow ? [duration, fall] : timing)];
  // A trace without samples has no costs.
  if (trace && !narrow && !answer.spans.some((s) => s.samples)) return columns;
  return [
    ...columns,
    {
      key: "self",
      title: trace ? "Cost" : "Self",
      help: help("Samples in this span only"),
      number: true,
      width: "78px",
      render: ({ row, missing, group }) =>
        missing ? "" : cost(row.total, group ? "" : beyondDuration(row, answer.unit)),
    },
    {
      key: "with",
      title: "Incl. children",
      help: help("Including child spans, in all services"),
      number: true,
      width: "82px",
      render: ({ row, group }) =>
        cost(row.with_children, group ? "" : childrenBeyondDuration(row, answer.unit)),
    },
  ];
}

const holds = (row: SpanRow, text: string, details: SpanDetails | undefined) =>
  [row.name ?? "", row.span, row.service, details?.message ?? ""].some((t) =>
    t.toLowerCase().includes(text),
  ) ||
  [...(details?.attributes ?? []), ...(details?.events ?? []).flatMap((e) => e.attributes)].some(
    (a) => a.text.toLowerCase().includes(text) || a.key.toLowerCase().includes(text),
  ) ||
  (details?.events ?? []).some((e) => e.name.toLowerCase().includes(text));

// Return all rows. The times of stored spans are exact if their details are known.
function useAll(answer: SpansAnswer, trace: WholeTrace | undefined) {
  const details = trace?.details;
  const plain = useMemo(() => {
    const exact = answer.spans.map((row) => {
      const own = details?.get(row.span);
      return own && row.start !== undefined
        ? { ...row, start: own.start, duration: own.duration }
        : row;
    });
    return waterfallOf(exact, trace !== undefined);
  }, [answer, details, trace === undefined]);
  const times = useMemo(
    () => (trace ? timesOf(plain, !!details) : undefined),
    [plain, trace === undefined],
  );
  const all = useMemo(
    () => (trace?.grouped ? groupSiblings(plain) : plain),
    [plain, trace?.grouped],
  );
  return { all, plain, times };
}

// Return the visible rows and their collapse state. In a list, a search shows only matches and their
// ancestors; in a trace, it marks them.
function useRows(
  all: readonly WaterfallRow[],
  search: string,
  trace: WholeTrace | undefined,
  selected: string,
) {
  const [toggled, setToggled] = useState(none);
  const text = search.trim().toLowerCase();
  const found = useMemo(
    () =>
      new Set(
        text
          ? all
              .filter(
                (r) =>
                  !r.group && !r.missing && holds(r.row, text, trace?.details?.get(r.row.span)),
              )
              .map(keyOfRow)
          : [],
      ),
    [all, text, trace?.details],
  );
  const filters = text !== "" && !trace;
  const rows = useMemo(
    () =>
      filters ? matchingSpans(all, (row) => found.has(spanKey(row))) : visibleRows(all, toggled),
    [all, toggled, filters, found],
  );
  // A selected span is visible, also one of an address.
  useEffect(() => {
    const at = selected ? all.findIndex((r) => keyOfRow(r) === selected) : -1;
    if (at >= 0) setToggled((now) => revealed(all, at, now));
  }, [selected, all]);
  const folds: Folds = {
    has: (item) => !filters && isFolded(item, toggled),
    toggle: (item) => {
      const next = new Set(toggled);
      if (!next.delete(keyOfRow(item)) && item.below) next.add(keyOfRow(item));
      setToggled(next);
    },
  };
  useKeys("Spans", [
    {
      key: "-",
      help: "Collapse all spans",
      run: () => setToggled(new Set(all.filter((r) => r.below && !r.group).map(keyOfRow))),
    },
    {
      key: "+",
      help: "Expand all spans",
      run: () => setToggled(new Set(all.filter((r) => r.group).map(keyOfRow))),
    },
  ]);
  return { rows, folds, found };
}

// The search in a trace, and its display options.
function WaterfallBar(props: {
  trace: WholeTrace;
  search: string;
  found: number;
  at: number; // of the selected match, from 0; -1: none
  onStep: (by: number) => void;
}) {
  const { trace, found, at } = props;
  useKeys("Spans", [
    { key: "n", help: "Next match", run: () => props.onStep(1) },
    { key: "N", help: "Previous match", run: () => props.onStep(-1) },
    { key: "c", help: "Critical path", run: () => go({ critical: !trace.critical }, "replace") },
  ]);
  return (
    <div
      class="row fall-bar"
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        props.onStep(event.shiftKey ? -1 : 1);
      }}
    >
      <TextInput
        id="search"
        class="search"
        label="Search in spans (/)"
        placeholder="Search spans"
        value={props.search}
        onChange={(find) => go({ find }, "replace")}
      />
      {props.search && (
        <>
          <span class="soft" role="status">
            {at >= 0
              ? `${grouped(at + 1)} of ${grouped(found)}`
              : formatCount(found, "match", "matches")}
          </span>
          <span class="group">
            <button
              type="button"
              class="small"
              disabled={!found}
              title="Previous match (N)"
              aria-label="Previous match"
              onClick={() => props.onStep(-1)}
            >
              ‹
            </button>
            <button
              type="button"
              class="small"
              disabled={!found}
              title="Next match (n, Enter)"
              aria-label="Next match"
              onClick={() => props.onStep(1)}
            >
              ›
            </button>
          </span>
        </>
      )}
      <span class="spread" />
      <button
        type="button"
        class="small"
        aria-pressed={trace.critical}
        title="Mark what makes the trace as long as it is (c)"
        onClick={() => go({ critical: !trace.critical }, "replace")}
      >
        Critical path
      </button>
      <button
        type="button"
        class="small"
        aria-pressed={trace.grouped}
        title="Fold five and more equal spans with the same parent into one row"
        onClick={() => go({ grouped: !trace.grouped }, "replace")}
      >
        Group equal spans
      </button>
    </div>
  );
}

export function Waterfall(props: {
  answer: SpansAnswer;
  search: string;
  selected: string;
  filtered: boolean;
  more?: More;
  trace?: WholeTrace;
  onSelect: (row: SpanRow) => void;
}) {
  const { answer, trace } = props;
  const { all, plain, times } = useAll(answer, trace);
  const [other, selectOther] = useState(""); // a selected row that is not a span: a group
  const { rows, folds, found } = useRows(all, props.search, trace, props.selected);
  const [box, size] = useSize<HTMLDivElement>();
  const narrow = size.width > 0 && size.width < 460;
  const look = useMemo(() => {
    const stored = plain.filter((r) => r.width > 0 || r.row.start !== undefined);
    const from = stored.reduce((n, r) => Math.min(n, r.row.start!), Infinity);
    const to = stored.reduce(
      (n, r) => Math.max(n, r.row.start! + r.row.duration! / 1e6),
      -Infinity,
    );
    return { from, length: Math.max(0, to - from) * 1e6 };
  }, [plain]);
  const step = useMemo(() => indentOf(all, size.width), [all, size.width]);
  const columns = useMemo(
    () => columnsOf({ answer, folds, narrow, step, trace, times, ...look }),
    [answer, rows, narrow, step, trace?.details, trace?.critical, times, look],
  );
  const select = (item: WaterfallRow) => {
    const isSpan = !item.group && !item.missing;
    selectOther(isSpan ? "" : keyOfRow(item));
    if (isSpan) props.onSelect(item.row);
  };
  // The usual keys of trees: right expands, then moves to the first child; left collapses, then
  // moves to the parent.
  const onKey = (key: string, item: WaterfallRow | undefined): boolean => {
    if (!item || (key !== "ArrowRight" && key !== "ArrowLeft" && key !== " ")) return false;
    const at = rows.indexOf(item);
    const to = key === "ArrowRight" ? at + 1 : callerOf(rows, at);
    if (key === " " || (item.below && folds.has(item) === (key === "ArrowRight")))
      folds.toggle(item);
    else if (key === "ArrowRight" ? item.below : to >= 0) select(rows[to]);
    return true;
  };
  const matches = useMemo(() => all.filter((r) => found.has(keyOfRow(r))), [all, found]);
  const at = matches.findIndex((r) => keyOfRow(r) === props.selected);
  const stepTo = (by: number) => {
    const to = at < 0 ? (by > 0 ? 0 : matches.length - 1) : at + by;
    const match = matches[(to + matches.length) % matches.length];
    if (match && keyOfRow(match) !== props.selected) select(match);
  };
  return (
    <div class="table-pane span-table" ref={box}>
      {trace && (
        <WaterfallBar
          trace={trace}
          search={props.search}
          found={matches.length}
          at={at}
          onStep={stepTo}
        />
      )}
      <DataTable
        label="Spans"
        columns={columns}
        rows={rows}
        rowKey={keyOfRow}
        selected={other || props.selected}
        onSelect={select}
        onOpen={folds.toggle}
        onKey={onKey}
        lines={narrow ? narrowLines : undefined}
        rowClass={(r) =>
          trace && props.search ? (found.has(keyOfRow(r)) ? "match" : "no-match") : ""
        }
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
