// SPDX-License-Identifier: Apache-2.0
// Lines of log records, each of which unfolds to its attributes and links.
import { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Link } from "../base/components";
import { formatDate, formatTime } from "../base/time";
import { formatCount } from "../base/units";
import { serviceQuery } from "../explore/Services";
import { cleanName } from "../flame/text/names";
import { serviceColour } from "../traces/service_colour";
import { CopyButton } from "../traces/TraceHead";
import { fresh, State } from "../url";
import { attributeText, LogRow, markedParts } from "./log_query";
import { levelColour, levelName } from "./severity";
import { VirtualList } from "./VirtualList";

const lineHeight = 24;
const longLine = 2000; // characters of a folded line
const aroundMs = 60_000; // half of the range of the profile of a record

// Format the time of day; of other days with the date.
function timeText(ms: number, today: string) {
  const text = formatTime(Math.floor(ms));
  const whole = text.length > 19 ? text : `${text}.000`;
  return whole.slice(0, 10) === today ? whole.slice(11) : whole.slice(5);
}

const Text = (props: { line: string; mark: RegExp | undefined }) => (
  <>
    {markedParts(props.line, props.mark).map((part, i) =>
      i % 2 ? <mark key={i}>{part}</mark> : part,
    )}
  </>
);

// `where`: how the attribute is named in conditions.
function Attributes(props: {
  title: string;
  scope: string;
  all: Record<string, unknown>;
  onWhere?: (condition: string) => void;
}) {
  const entries = Object.entries(props.all);
  if (!entries.length) return null;
  return (
    <section>
      <h3>{props.title}</h3>
      <dl class="attributes">
        {entries.map(([key, value]) => {
          const text = attributeText(value);
          const simple = props.onWhere && typeof value !== "object" && text.length < 200;
          return (
            <div key={key}>
              <dt>{cleanName(key, 200)}</dt>
              <dd>
                {text.includes("\n") ? <pre>{text}</pre> : <span>{text || "(empty)"}</span>}
                {simple && (
                  <span class="log-where">
                    <button
                      type="button"
                      class="quiet small"
                      title={`Only records with ${key} = ${text}`}
                      onClick={() => props.onWhere!(`${props.scope}${key}=${text}`)}
                    >
                      Only
                    </button>
                    <button
                      type="button"
                      class="quiet small"
                      title={`Without records with ${key} = ${text}`}
                      onClick={() => props.onWhere!(`${props.scope}${key}!=${text}`)}
                    >
                      Exclude
                    </button>
                  </span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function Details(props: { row: LogRow; inTrace: boolean; onWhere?: (condition: string) => void }) {
  const { row, inTrace } = props;
  const { record, resource, scope } = row;
  const scopeName = [scope?.name, scope?.version].filter(Boolean).join(" ");
  const profile: Partial<State> = {
    ...fresh,
    path: "/profiles",
    query: serviceQuery(record.service),
    from: String(Math.floor(row.at - aroundMs)),
    to: String(Math.ceil(row.at + aroundMs)),
  };
  return (
    <div class="log-details">
      <div class="row">
        {record.trace && !inTrace && (
          <Link
            class="button small"
            to={{
              ...fresh,
              path: "/traces",
              query: "",
              trace: record.trace,
              span: record.span ?? "",
            }}
          >
            Trace
          </Link>
        )}
        {record.service && (
          <Link
            class="button small"
            to={profile}
            title="The profile of the minutes before and after"
          >
            Profile of this time
          </Link>
        )}
        {record.span && (
          <Link
            class="button small"
            to={{ ...profile, trace: record.trace ?? "", span: record.span, view: "flame" }}
            title="The profile of the span that wrote this record"
          >
            Profile of the span
          </Link>
        )}
        <span class="spread" />
        <CopyButton label="Copy text" text={() => record.text} />
        <CopyButton
          label="Copy JSON"
          text={() => JSON.stringify({ ...record, resource, scope }, null, 1)}
        />
      </div>
      {(record.text.includes("\n") || record.text.length > 160) && (
        <pre class="log-text">{record.text}</pre>
      )}
      <dl class="attributes">
        <div>
          <dt>Time</dt>
          <dd>
            {formatTime(Math.floor(row.at))}
            {record.observed && record.observed !== record.time && (
              <span class="soft">
                {" "}
                observed {formatTime(Math.floor(Number(BigInt(record.observed) / 1_000_000n)))}
              </span>
            )}
          </dd>
        </div>
        <div>
          <dt>Severity</dt>
          <dd>
            {levelName(record.level)}{" "}
            <span class="soft">
              {record.severity || ""} {record.severity_text ?? ""}
            </span>
          </dd>
        </div>
        {record.event && (
          <div>
            <dt>Event</dt>
            <dd>{record.event}</dd>
          </div>
        )}
        {record.trace && (
          <div>
            <dt>Trace, span</dt>
            <dd>
              <code>{record.trace}</code> <code>{record.span}</code>
            </dd>
          </div>
        )}
        {scopeName && (
          <div>
            <dt>Scope</dt>
            <dd>{scopeName}</dd>
          </div>
        )}
      </dl>
      <Attributes title="Attributes" scope="" all={record.attributes} onWhere={props.onWhere} />
      {!!record.dropped_attributes && (
        <p class="soft">
          {formatCount(record.dropped_attributes, "more attribute")} dropped by the sender
        </p>
      )}
      {resource && (
        <Attributes
          title="Resource"
          scope="resource."
          all={resource.attributes}
          onWhere={props.onWhere}
        />
      )}
    </div>
  );
}

function Line(props: {
  row: LogRow;
  open: boolean;
  active: boolean;
  today: string;
  mark: RegExp | undefined;
  note?: string;
  onToggle: () => void;
}) {
  const { row } = props;
  const { record } = row;
  const bad = record.level === "error" || record.level === "fatal";
  return (
    <div
      class={`log-line ${props.active ? "selected" : ""} ${props.open ? "open" : ""}`}
      onClick={() => !getSelection()?.toString() && props.onToggle()}
    >
      <i class="log-stripe" style={{ background: levelColour(record.level) }} />
      <button
        type="button"
        class="quiet log-toggle"
        tabIndex={-1}
        aria-expanded={props.open}
        aria-label={`Details of ${record.text.slice(0, 80)}`}
      >
        {props.open ? "▾" : "▸"}
      </button>
      <span class="when soft" title={formatTime(Math.floor(row.at))}>
        {props.note ?? timeText(row.at, props.today)}
      </span>
      <span class={`log-level ${bad ? "bad" : record.level === "warn" ? "warn" : "soft"}`}>
        {record.level || "–"}
      </span>
      <span class="log-service" title={cleanName(record.service)}>
        <i class="dot" style={{ background: serviceColour(record.service) }} />
        <bdi class="clip">{cleanName(record.service)}</bdi>
      </span>
      <span class="log-message">
        <Text line={record.text.slice(0, longLine).replace(/\s*\n\s*/g, " ⏎ ")} mark={props.mark} />
      </span>
    </div>
  );
}

// `open`: keys of unfolded rows. `noteOf`: shown instead of the time.
export function LogLines(props: {
  label: string;
  rows: readonly LogRow[];
  open: readonly string[];
  mark?: RegExp;
  inTrace?: boolean;
  noteOf?: (row: LogRow) => string;
  onOpen: (open: string[]) => void;
  onWhere?: (condition: string) => void;
  onEnd?: () => void;
  children?: ComponentChildren;
}) {
  const { rows } = props;
  const [active, setActive] = useState("");
  const open = useMemo(() => new Set(props.open), [props.open]);
  const today = formatDate(Date.now());
  const toggle = (row: LogRow) => {
    setActive(row.key);
    props.onOpen(
      open.has(row.key) ? props.open.filter((key) => key !== row.key) : [...props.open, row.key],
    );
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return;
    const at = rows.findIndex((r) => r.key === active);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 20,
      PageUp: at - 20,
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[at];
    if (event.key in moves) {
      const to = rows[Math.max(0, Math.min(rows.length - 1, moves[event.key]))];
      if (to) setActive(to.key);
    } else if (row && (event.key === "Enter" || event.key === " ")) toggle(row);
    else if (row && event.key === "ArrowRight" && !open.has(row.key)) toggle(row);
    else if (row && event.key === "ArrowLeft" && open.has(row.key)) toggle(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <VirtualList
      label={props.label}
      rows={rows}
      rowKey={(row) => row.key}
      rowHeight={lineHeight}
      active={active}
      onKeyDown={onKeyDown}
      onEnd={props.onEnd}
      render={(row) => (
        <>
          <Line
            row={row}
            open={open.has(row.key)}
            active={row.key === active}
            today={today}
            mark={props.mark}
            note={props.noteOf?.(row)}
            onToggle={() => toggle(row)}
          />
          {open.has(row.key) && (
            <Details row={row} inTrace={!!props.inTrace} onWhere={props.onWhere} />
          )}
        </>
      )}
    >
      {props.children}
    </VirtualList>
  );
}
