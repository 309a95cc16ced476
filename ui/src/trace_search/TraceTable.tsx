// SPDX-License-Identifier: Apache-2.0
// The found traces, the newest first, and the matched spans of those that are unfolded.
import { useMemo, useState } from "preact/hooks";
import { Ends, endsOf, Link, useSize } from "../base/components";
import { formatDate, formatTime } from "../base/time";
import { formatCount, formatValue, grouped } from "../base/units";
import { cleanName } from "../flame/text/names";
import { Bar, Column, DataTable } from "../table/DataTable";
import { shortId } from "../traces/parse_ids";
import { serviceColour } from "../traces/service_colour";
import "../tree/tree.css";
import { fresh, go, State } from "../url";
import { FoundRow, FoundTrace, rowKey, rowsOf } from "./found";

const narrowLines = { tracks: "minmax(0, 1fr) 96px", height: 50 };

const traceLink = (row: FoundRow): Partial<State> => ({
  ...fresh,
  path: "/traces",
  query: "",
  trace: row.trace.id,
  span: row.span?.id ?? "",
});

// Format a start: the time of day, with the date if it is another day.
const startText = (ms: number, today: string) => {
  const text = formatTime(Math.floor(ms));
  if (text.slice(0, 10) !== today) return text.slice(5, 19);
  return text.length > 19 ? text.slice(11) : `${text.slice(11)}.000`;
};

// The shortest known duration is 1 ms.
const traceDuration = (ns: number) => (ns ? formatValue(ns, "nanoseconds") : "< 1 ms");

function NameCell(props: { row: FoundRow; open: boolean; toggle: () => void }) {
  const { row } = props;
  const { trace, span } = row;
  if (row.more)
    return (
      <Link class="found-name found-more" to={traceLink(row)}>
        {formatCount(row.more, "more matched span")} in the trace
      </Link>
    );
  return (
    <span class={`found-name ${span ? "found-span" : ""}`}>
      {!span && (
        <span
          class="tree-toggle"
          aria-hidden="true"
          title="Show the matched spans"
          onClick={(event) => {
            event.stopPropagation();
            props.toggle();
          }}
          onDblClick={(event) => event.stopPropagation()}
        >
          {props.open ? "▾" : "▸"}
        </span>
      )}
      {!span && <i class="dot" style={{ background: serviceColour(trace.service) }} />}
      {span?.error && <span class="fall-error">error</span>}
      <Link
        to={traceLink(row)}
        title={cleanName(
          `${span?.name ?? trace.name}\n${span ? `span ${span.id}` : `trace ${trace.id}`}`,
        )}
      >
        {span ? (
          <Ends parts={endsOf(cleanName(span.name) || shortId(span.id))} />
        ) : trace.hasRoot ? (
          <Ends parts={endsOf(cleanName(trace.name) || shortId(trace.id))} />
        ) : (
          <span>root span missing</span>
        )}
      </Link>
      {!span && <Ends class="soft" parts={endsOf(cleanName(trace.service))} />}
      {span && span.fields.length > 0 && (
        <span class="soft clip found-fields">
          {span.fields.map(([key, value]) => `${key}=${cleanName(value, 80)}`).join("  ")}
        </span>
      )}
    </span>
  );
}

const ServicesCell = (props: { trace: FoundTrace }) => (
  <span
    class="found-services"
    title={props.trace.services
      .map(
        (s) =>
          `${s.name}: ${formatCount(s.spans, "span")}${s.errors ? `, ${formatCount(s.errors, "error")}` : ""}`,
      )
      .join("\n")}
  >
    {props.trace.services.map((s) => (
      <span key={s.name}>
        <i class="dot" style={{ background: serviceColour(s.name) }} />
        <Ends parts={endsOf(cleanName(s.name))} />
      </span>
    ))}
  </span>
);

function columnsOf(
  traces: readonly FoundTrace[],
  open: ReadonlySet<string>,
  toggle: (trace: FoundTrace) => void,
  narrow: boolean,
  wide: boolean,
): Column<FoundRow>[] {
  const longest = traces.reduce((n, t) => Math.max(n, t.duration), 0) || 1;
  const today = formatDate(Date.now());
  const start: Column<FoundRow> = {
    key: "start",
    title: "Start",
    width: "112px",
    render: ({ trace, span, more }) =>
      !more && (
        <span class="when" title={formatTime(Math.floor((span ?? trace).start))}>
          {startText((span ?? trace).start, today)}
        </span>
      ),
  };
  const name: Column<FoundRow> = {
    key: "name",
    title: "Trace",
    width: "minmax(180px, 3fr)",
    render: (row) => (
      <NameCell row={row} open={open.has(row.trace.id)} toggle={() => toggle(row.trace)} />
    ),
  };
  const duration: Column<FoundRow> = {
    key: "duration",
    title: "Duration",
    number: true,
    width: narrow ? "96px" : "minmax(110px, 1fr)",
    render: ({ trace, span, more }) =>
      !more && (
        <Bar share={(span ?? trace).duration / longest}>
          {span ? formatValue(span.duration, "nanoseconds") : traceDuration(trace.duration)}
        </Bar>
      ),
  };
  const count = (
    key: string,
    title: string,
    help: string,
    of: (trace: FoundTrace) => number,
  ): Column<FoundRow> => ({
    key,
    title,
    help,
    number: true,
    width: "62px",
    render: ({ trace, span, more }) => (!span && !more ? grouped(of(trace)) : ""),
  });
  if (narrow) return [name, duration, start];
  return [
    start,
    name,
    duration,
    count("matched", "Matched", "Spans that match the query", (t) => t.matched),
    count("spans", "Spans", "All spans of the trace", (t) => t.spans),
    {
      key: "errors",
      title: "Errors",
      help: "Spans with status error",
      number: true,
      width: "52px",
      render: ({ trace, span, more }) =>
        !span &&
        !more &&
        trace.errors > 0 && <span class="fall-error">{grouped(trace.errors)}</span>,
    },
    ...(wide
      ? [
          {
            key: "services",
            title: "Services",
            width: "minmax(120px, 2fr)",
            render: ({ trace, span, more }: FoundRow) =>
              !span && !more && <ServicesCell trace={trace} />,
          },
        ]
      : []),
  ];
}

export function TraceTable(props: { state: State; traces: readonly FoundTrace[] }) {
  const { state, traces } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const [selected, select] = useState("");
  const narrow = size.width > 0 && size.width < 620;
  const wide = size.width > 900;
  const open = useMemo(() => new Set(state.open), [state.open]);
  const rows = useMemo(() => rowsOf(traces, open), [traces, open]);
  const toggle = (trace: FoundTrace) =>
    go(
      {
        open: open.has(trace.id)
          ? state.open.filter((id) => id !== trace.id)
          : [...state.open, trace.id],
      },
      "replace",
    );
  const columns = useMemo(
    () => columnsOf(traces, open, toggle, narrow, wide),
    [traces, open, narrow, wide],
  );
  const onKey = (key: string, row: FoundRow | undefined): boolean => {
    if (!row || (key !== "ArrowRight" && key !== "ArrowLeft" && key !== " ")) return false;
    const at = rows.indexOf(row);
    const isOpen = open.has(row.trace.id);
    if (row.span || row.more) {
      if (key === "ArrowLeft") select(row.trace.id);
    } else if (key === " " || isOpen === (key === "ArrowLeft")) toggle(row.trace);
    else if (key === "ArrowRight" && rows[at + 1]) select(rowKey(rows[at + 1]));
    return true;
  };
  return (
    <div class="table-pane found-table" ref={box}>
      <DataTable
        label="Traces"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        selected={selected}
        onSelect={(row) => select(rowKey(row))}
        onClick={(row) => (row.span || row.more ? go(traceLink(row)) : toggle(row.trace))}
        onOpen={(row) => go(traceLink(row))}
        onKey={onKey}
        lines={narrow ? narrowLines : undefined}
        tree={{
          level: (row) => (row.span || row.more ? 2 : 1),
          expanded: (row) => (row.span || row.more ? undefined : open.has(row.trace.id)),
        }}
        empty=""
      />
    </div>
  );
}
