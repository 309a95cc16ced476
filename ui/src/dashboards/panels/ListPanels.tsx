// SPDX-License-Identifier: Apache-2.0
// Panels of lists: found traces, and log records.
import { useMemo, useState } from "preact/hooks";
import { apiUrl, tempoUrl } from "../../api/client";
import { useQueries } from "../../api/query_queue";
import { Link } from "../../base/components";
import { formatTime } from "../../base/time";
import { formatCount, formatValue } from "../../base/units";
import { cleanName } from "../../flame/text/names";
import { LogLines } from "../../logs/LogLines";
import { LogsAnswer, rowsOfAnswer } from "../../logs/log_query";
import "../../logs/logs.css";
import { FoundTrace, partialText, SearchAnswer, tracesOf } from "../../trace_search/found";
import { serviceColour } from "../../traces/service_colour";
import { fresh } from "../../url";
import { substitute, substituteText } from "../variables";
import { PanelContext, shownQueries } from "./panel_queries";
import { PanelNotes, PanelProps, Scroll } from "./SeriesPanels";

const usualTraces = 20;
const usualRecords = 100;

function TraceRow(props: { trace: FoundTrace }) {
  const { trace } = props;
  return (
    <li class="trace-row">
      <span class="soft number">{formatTime(Math.floor(trace.start)).slice(11, 19)}</span>
      <i class="dot" style={{ background: serviceColour(trace.service) }} />
      <Link to={{ ...fresh, path: "/traces", query: "", trace: trace.id, span: "" }}>
        <bdi>{cleanName(trace.name) || trace.id.slice(0, 16)}</bdi>
      </Link>
      <bdi class="soft clip">{cleanName(trace.service)}</bdi>
      {trace.errors > 0 && <span class="fall-error">{formatCount(trace.errors, "error")}</span>}
      <span class="number trace-row-end">
        {trace.duration ? formatValue(trace.duration, "nanoseconds") : "< 1 ms"}
      </span>
    </li>
  );
}

export function TracesPanel({ panel, context }: PanelProps) {
  const first = shownQueries(panel)[0];
  const q = substitute(first?.query ?? "{ }", context.values);
  const { from, to } = context.range;
  const { answers, loading, retry } = useQueries<SearchAnswer>(
    context.wanted
      ? [
          tempoUrl("search", {
            q,
            start: Math.floor(from / 1000),
            end: Math.ceil(to / 1000),
            limit: panel.limit ?? usualTraces,
          }),
        ]
      : [],
    context.tick,
    context.wanted,
  );
  const answer = answers[0];
  const traces = useMemo(() => tracesOf(answer?.data ?? {}), [answer?.data]);
  const partial = answer?.data && partialText(answer.data);
  return (
    <Scroll label="Traces">
      <PanelNotes
        errors={answer?.error ? [answer.error.message] : []}
        warnings={partial ? [partial] : []}
        empty={!loading && !traces.length}
        retry={retry}
      />
      <ul class="trace-rows">
        {traces.map((trace) => (
          <TraceRow key={trace.id} trace={trace} />
        ))}
      </ul>
      <p class="panel-foot">
        <Link
          to={
            {
              ...fresh,
              path: "/traces",
              query: "",
              trace: "",
              span: "",
              q,
              from: String(from),
              to: String(to),
            }
          }
        >
          Open the search
        </Link>
      </p>
    </Scroll>
  );
}

// The parameters of a query of log records, in the form of an address: service=a&severity=error.
export function logParamsOf(query: string, context: PanelContext) {
  const params: Record<string, string[]> = {};
  for (const [key, value] of new URLSearchParams(query)) {
    const text = substituteText(value, context.values);
    if (text !== "all") (params[key] ??= []).push(
      ...(key === "service" ? text.split(", ") : [text]),
    );
  }
  return params;
}

const noRows: string[] = [];

export function LogsPanel({ panel, context }: PanelProps) {
  const [open, setOpen] = useState<string[]>(noRows);
  const query = shownQueries(panel)[0]?.query ?? panel.queries?.[0]?.query ?? "";
  const params = logParamsOf(query, context);
  const { from, to } = context.range;
  const { answers, loading, retry } = useQueries<LogsAnswer>(
    context.wanted
      ? [
          apiUrl("logs", {
            ...params,
            from: Math.round(from),
            to: Math.round(to),
            limit: panel.limit ?? usualRecords,
          }),
        ]
      : [],
    context.tick,
    context.wanted,
  );
  const answer = answers[0];
  const rows = useMemo(() => (answer?.data ? rowsOfAnswer(answer.data, []) : []), [answer?.data]);
  return (
    <>
      <PanelNotes
        errors={answer?.error ? [answer.error.message] : []}
        warnings={answer?.data?.warnings}
        empty={!loading && !rows.length}
        retry={retry}
      />
      {rows.length > 0 && (
        <div class="panel-logs">
          <LogLines
            label={panel.title || "Log records, the newest first"}
            rows={rows}
            open={open}
            onOpen={setOpen}
          />
        </div>
      )}
      <p class="panel-foot">
        <Link
          to={{
            ...fresh,
            path: "/logs",
            service: params.service ?? [],
            severity: params.severity?.[0] ?? "",
            text: params.text?.[0] ?? params.contains?.[0] ?? params.regex?.[0] ?? "",
            as: params.contains ? "part" : params.regex ? "regex" : "words",
            where: params.match ?? [],
            from: String(Math.round(from)),
            to: String(Math.round(to)),
          }}
        >
          Open the log records
        </Link>
      </p>
    </>
  );
}
