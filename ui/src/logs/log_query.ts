// SPDX-License-Identifier: Apache-2.0
// The queries of log records, and their answers.
import { useEffect, useRef, useState } from "preact/hooks";
import { Answer, ApiError, apiUrl, fetchAnswer, Params, useAnswer } from "../api/client";
import { State } from "../url";

export interface LogRecord {
  time: string; // ns since 1970
  observed?: string;
  severity: number;
  level: string; // "": no severity
  severity_text?: string;
  service: string;
  text: string;
  body?: unknown; // if it is not a string
  attributes: Record<string, unknown>;
  dropped_attributes?: number;
  resource: number;
  scope: number;
  trace?: string;
  span?: string;
  flags?: number;
  event?: string;
}

export interface Origin {
  name?: string;
  version?: string;
  attributes: Record<string, unknown>;
}

export interface LogsAnswer {
  from: number; // ms
  to: number;
  logs: LogRecord[];
  resources: Origin[];
  scopes: Origin[];
  next?: string;
  partial?: boolean;
  warnings?: string[];
}

export interface CountsAnswer {
  from: number;
  to: number;
  start: number; // ms; begin of the first bucket
  step: number; // ms
  total: number;
  rows: { name: string; total: number; counts: number[] }[];
  partial?: boolean;
  warnings?: string[];
}

// A record with what the server shares between records.
export interface LogRow {
  key: string; // unique in a list, and the same in other answers
  at: number; // ms
  record: LogRecord;
  resource: Origin | undefined;
  scope: Origin | undefined;
}

const textParam: Record<State["as"], string> = { words: "text", part: "contains", regex: "regex" };

// The conditions of a state with resolved times.
export function logParams(resolved: State): Params {
  return {
    from: resolved.from,
    to: resolved.to,
    service: resolved.service,
    severity: resolved.severity,
    trace: resolved.trace,
    span: resolved.span,
    match: resolved.where,
    ...(resolved.text ? { [textParam[resolved.as]]: resolved.text } : {}),
  };
}

export function countsUrl(resolved: State, step: string): string {
  return apiUrl("logs/counts", { ...logParams(resolved), step, by: "severity" });
}

// Number the records of equal times, so that each has a key.
export function rowsOfAnswer(answer: LogsAnswer, before: readonly LogRow[]): LogRow[] {
  const times = new Map<string, number>();
  for (const { record } of before.slice(-1000))
    times.set(record.time, (times.get(record.time) ?? 0) + 1);
  return answer.logs.map((record) => {
    const n = times.get(record.time) ?? 0;
    times.set(record.time, n + 1);
    return {
      key: n ? `${record.time}-${n}` : record.time,
      at: Number(BigInt(record.time) / 1000n) / 1000,
      record,
      resource: answer.resources[record.resource],
      scope: answer.scopes[record.scope],
    };
  });
}

export interface LogList {
  answer: Answer<LogsAnswer>; // the newest records
  rows: LogRow[];
  next: string; // "": there are no older records
  partial: boolean; // a limit ended the last query
  loading: boolean;
  error: ApiError | undefined; // of the query for older records
  loadOlder: () => void;
}

interface Older {
  of: LogsAnswer;
  rows: LogRow[];
  next: string;
  partial: boolean;
}

const pageRows = 200;

// Query the newest records; loadOlder() appends those before them.
export function useLogs(params: Params | undefined, tick: unknown, limit = pageRows): LogList {
  const answer = useAnswer<LogsAnswer>(
    params ? apiUrl("logs", { ...params, limit }) : undefined,
    tick,
  );
  const first = answer.data;
  const [older, setOlder] = useState<Older>();
  const [loading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError>();
  const current = useRef(first);
  current.current = first;
  useEffect(() => {
    setError(undefined);
    setLoading(false);
    if (!first) setOlder(undefined);
    else
      setOlder({
        of: first,
        rows: rowsOfAnswer(first, []),
        next: first.next ?? "",
        partial: !!first.partial,
      });
  }, [first]);
  // Rows of another query are not shown.
  const shown = first && older?.of === first ? older : undefined;
  const loadOlder = () => {
    if (!first || !shown?.next || loading) return;
    setLoading(true);
    setError(undefined);
    fetchAnswer<LogsAnswer>("logs", { ...params, limit, cursor: shown.next })
      .then((page) => {
        if (current.current !== first) return;
        setOlder({
          of: first,
          rows: [...shown.rows, ...rowsOfAnswer(page, shown.rows)],
          next: page.next ?? "",
          partial: !!page.partial,
        });
      })
      .catch((e: unknown) => {
        if (current.current === first)
          setError(e instanceof ApiError ? e : new ApiError(0, String(e)));
      })
      .finally(() => current.current === first && setLoading(false));
  };
  return {
    answer,
    rows: shown?.rows ?? [],
    next: shown?.next ?? "",
    partial: shown?.partial ?? false,
    loading,
    error,
    loadOlder,
  };
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Return the expression that marks the searched text in lines; undefined if there is none, or if
// the browser cannot compile it.
export function markOf(text: string, as: State["as"]): RegExp | undefined {
  if (!text) return undefined;
  try {
    if (as === "part") return new RegExp(escaped(text), "g");
    if (as === "words") {
      const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
      return words.length
        ? new RegExp(
            `(?<![\\p{L}\\p{N}_])${words.join("[^\\p{L}\\p{N}_]+")}(?![\\p{L}\\p{N}_])`,
            "giu",
          )
        : undefined;
    }
    const insensitive = text.startsWith("(?i)");
    return new RegExp(insensitive ? text.slice(4) : text, insensitive ? "gi" : "g");
  } catch {
    return undefined;
  }
}

// Split a line into parts; those at odd places are marked.
export function markedParts(line: string, mark: RegExp | undefined): string[] {
  if (!mark) return [line];
  const parts: string[] = [];
  let at = 0;
  for (const match of line.matchAll(mark)) {
    if (!match[0]) continue;
    parts.push(line.slice(at, match.index), match[0]);
    at = match.index + match[0].length;
    if (parts.length > 100) break;
  }
  return [...parts, line.slice(at)];
}

// Format a value of an attribute.
export const attributeText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
