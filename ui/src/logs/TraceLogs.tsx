// SPDX-License-Identifier: Apache-2.0
// The log records of a trace or of its selected span, in the order of their times.
import { useMemo, useState } from "preact/hooks";
import { AnswerNote, Choice, Empty, Link } from "../base/components";
import { formatCount, formatValue } from "../base/units";
import { fresh } from "../url";
import { LogLines } from "./LogLines";
import { useLogs } from "./log_query";
import "./logs.css";

const marginMs = 600_000; // records may be written after the trace has ended
const mostRows = 1000;

// `from`, `to`: of the trace (ms).
export function TraceLogs(props: {
  trace: string;
  span: string;
  from: number;
  to: number;
  tick: number;
}) {
  const [whole, setWhole] = useState(false);
  const [open, setOpen] = useState<string[]>([]);
  const span = whole ? "" : props.span;
  const range = {
    from: String(Math.floor(props.from - marginMs)),
    to: String(Math.ceil(props.to + marginMs)),
  };
  const logs = useLogs({ ...range, trace: props.trace, span }, props.tick, mostRows);
  const rows = useMemo(() => [...logs.rows].reverse(), [logs.rows]);
  const { answer } = logs;
  return (
    <>
      <div class="row trace-logs-head">
        {props.span && (
          <Choice
            label="Records"
            value={whole ? "trace" : "span"}
            options={[
              ["span", "Of the span"],
              ["trace", "Of the trace"],
            ]}
            onChange={(value) => setWhole(value === "trace")}
          />
        )}
        {answer.data && (
          <span class="soft">
            {logs.next
              ? `the newest ${formatCount(rows.length, "record")}`
              : formatCount(rows.length, "record")}
          </span>
        )}
        <span class="spread" />
        <Link
          class="button small"
          to={{ ...fresh, ...range, path: "/logs", trace: props.trace, span }}
        >
          Open in Logs
        </Link>
      </div>
      <AnswerNote answer={answer} what="log records" />
      {answer.data && !rows.length && (
        <Empty title={`No log records of this ${span ? "span" : "trace"}`}>
          <p class="soft">
            Records belong to a trace if they were written while a span was active, by an OTLP log
            exporter, and sent to this server (<code>/v1/logs</code>).
          </p>
        </Empty>
      )}
      {rows.length > 0 && (
        <LogLines
          label="Log records of the trace"
          rows={rows}
          open={open}
          inTrace
          noteOf={(row) =>
            `${row.at < props.from ? "-" : "+"}${formatValue(Math.round(Math.abs(row.at - props.from) * 1e6), "nanoseconds")}`
          }
          onOpen={setOpen}
        />
      )}
    </>
  );
}
