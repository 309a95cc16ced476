// SPDX-License-Identifier: Apache-2.0
// The answer of a search, in Tempo's form, and the rows of its table.

export interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  intValue?: string;
  doubleValue?: number | string;
  bytesValue?: string;
  arrayValue?: { values?: AnyValue[] };
  kvlistValue?: { values?: KeyValue[] };
}

export interface KeyValue {
  key: string;
  value?: AnyValue;
}

interface FoundSpanAnswer {
  spanID: string;
  name?: string;
  startTimeUnixNano: string;
  durationNanos?: string;
  attributes?: KeyValue[];
}

interface FoundTraceAnswer {
  traceID: string;
  rootServiceName?: string;
  rootTraceName?: string;
  startTimeUnixNano: string;
  durationMs?: number;
  spanSets?: { spans?: FoundSpanAnswer[]; matched?: number; attributes?: KeyValue[] }[];
  serviceStats?: Record<string, { spanCount?: number; errorCount?: number }>;
}

export interface SearchAnswer {
  traces?: FoundTraceAnswer[];
  metrics?: {
    inspectedTraces?: number;
    inspectedSpans?: string;
    completedJobs?: number;
    totalJobs?: number;
  };
  status?: string; // "PARTIAL" if a limit ended the search
  partial?: boolean;
  message?: string;
  warnings?: string[];
}

export interface FoundSpan {
  id: string;
  name: string;
  service: string; // "" if unknown
  start: number; // ms
  duration: number; // ns
  error: boolean;
  fields: [string, string][];
}

export interface FoundTrace {
  id: string;
  service: string; // of the root span
  name: string;
  hasRoot: boolean;
  start: number; // ms
  duration: number; // ns, in steps of 1 ms; 0: less than 1 ms
  spans: number;
  matched: number;
  errors: number;
  services: { name: string; spans: number; errors: number }[];
  found: FoundSpan[]; // some of the matched spans
}

// A row: a trace, one of its matched spans, or a note on those that are not listed.
export interface FoundRow {
  trace: FoundTrace;
  span?: FoundSpan;
  more?: number;
}

const rootMissing = /^<root span/;
const fullId = (id: string) => id.toLowerCase().padStart(32, "0");
const msOf = (nanos: string) => Number(BigInt(nanos) / 1000n) / 1000;

export function valueText(value: AnyValue | undefined): string {
  if (!value) return "";
  if (value.arrayValue) return `[${(value.arrayValue.values ?? []).map(valueText).join(", ")}]`;
  if (value.kvlistValue)
    return `{${(value.kvlistValue.values ?? []).map((p) => `${p.key}: ${valueText(p.value)}`).join(", ")}}`;
  return String(
    value.stringValue ??
      value.intValue ??
      value.doubleValue ??
      value.boolValue ??
      value.bytesValue ??
      "",
  );
}

function spanOf(answer: FoundSpanAnswer): FoundSpan {
  const fields = (answer.attributes ?? []).map(
    ({ key, value }) => [key, valueText(value)] as [string, string],
  );
  const field = (name: string) => fields.find(([key]) => key === name)?.[1] ?? "";
  return {
    id: answer.spanID,
    name: answer.name ?? "",
    service: field("service.name") || field("resource.service.name"),
    start: msOf(answer.startTimeUnixNano),
    duration: Number(answer.durationNanos ?? 0),
    error: field("status") === "error",
    fields,
  };
}

function traceOf(answer: FoundTraceAnswer): FoundTrace {
  const services = Object.entries(answer.serviceStats ?? {}).map(([name, stats]) => ({
    name,
    spans: stats.spanCount ?? 0,
    errors: stats.errorCount ?? 0,
  }));
  const sets = answer.spanSets ?? [];
  const hasRoot = !!answer.rootServiceName && !rootMissing.test(answer.rootServiceName);
  return {
    id: fullId(answer.traceID),
    service: hasRoot ? answer.rootServiceName! : "",
    name: answer.rootTraceName ?? "",
    hasRoot,
    start: msOf(answer.startTimeUnixNano),
    duration: (answer.durationMs ?? 0) * 1e6,
    spans: services.reduce((n, s) => n + s.spans, 0),
    matched: sets.reduce((n, set) => n + (set.matched ?? set.spans?.length ?? 0), 0),
    errors: services.reduce((n, s) => n + s.errors, 0),
    services: services.sort((a, b) => b.spans - a.spans),
    found: sets
      .flatMap((set) => set.spans ?? [])
      .map(spanOf)
      .sort((a, b) => a.start - b.start),
  };
}

// Return the traces, the newest first.
export const tracesOf = (answer: SearchAnswer): FoundTrace[] =>
  (answer.traces ?? []).map(traceOf).sort((a, b) => b.start - a.start);

// Return why an answer is not complete; "" if it is.
export function partialText(answer: SearchAnswer): string {
  const { completedJobs = 0, totalJobs = 0 } = answer.metrics ?? {};
  const partial = answer.partial || answer.status === "PARTIAL" || completedJobs < totalJobs;
  return partial
    ? answer.message ||
        "a limit of time or memory ended the search; use a shorter range or more conditions"
    : "";
}

// Return the visible rows: all traces, and the matched spans of the open ones.
export const rowsOf = (traces: readonly FoundTrace[], open: ReadonlySet<string>): FoundRow[] =>
  traces.flatMap((trace): FoundRow[] =>
    open.has(trace.id)
      ? [
          { trace },
          ...trace.found.map((span) => ({ trace, span })),
          ...(trace.matched > trace.found.length
            ? [{ trace, more: trace.matched - trace.found.length }]
            : []),
        ]
      : [{ trace }],
  );

export const rowKey = (row: FoundRow) =>
  `${row.trace.id}${row.span ? `-${row.span.id}` : row.more ? "-more" : ""}`;
