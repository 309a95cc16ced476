// SPDX-License-Identifier: Apache-2.0
// All fields of the spans of a trace, from OTLP's JSON: attributes, events, links and their times
// in nanoseconds.
import { apiUrl, useAnswer } from "../api/client";
import { AnyValue, KeyValue, valueText } from "../trace_search/found";

export type Kind = "string" | "number" | "boolean" | "other";

export interface Attribute {
  key: string;
  text: string;
  kind: Kind;
}

export interface SpanEvent {
  name: string;
  at: number; // ms since 1970
  attributes: Attribute[];
}

export interface SpanLink {
  trace: string;
  span: string;
  attributes: Attribute[];
}

export interface SpanDetails {
  start: number; // ms since 1970, with fractions
  duration: number; // ns
  kind: string;
  status: string;
  message: string; // of the status
  traceState: string;
  attributes: Attribute[];
  resource: Attribute[];
  scope: string; // name and version
  scopeAttributes: Attribute[];
  events: SpanEvent[];
  links: SpanLink[];
  dropped: { attributes: number; events: number; links: number };
  json: unknown; // the span as received
}

interface OtlpSpan {
  spanId: string;
  kind?: number | string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  traceState?: string;
  attributes?: KeyValue[];
  events?: { name?: string; timeUnixNano?: string; attributes?: KeyValue[] }[];
  links?: { traceId: string; spanId: string; attributes?: KeyValue[] }[];
  status?: { code?: number | string; message?: string };
  droppedAttributesCount?: number;
  droppedEventsCount?: number;
  droppedLinksCount?: number;
}

export interface OtlpTrace {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] };
    scopeSpans?: {
      scope?: { name?: string; version?: string; attributes?: KeyValue[] };
      spans?: OtlpSpan[];
    }[];
  }[];
}

const kinds = ["", "internal", "server", "client", "producer", "consumer"];
const statuses = ["unset", "ok", "error"];
const msOf = (nanos: string | undefined) => {
  const ns = BigInt(nanos ?? 0);
  return Number(ns / 1_000_000n) + Number(ns % 1_000_000n) / 1e6;
};

function kindOf(value: AnyValue | undefined): Kind {
  if (value?.stringValue !== undefined) return "string";
  if (value?.intValue !== undefined || value?.doubleValue !== undefined) return "number";
  return value?.boolValue !== undefined ? "boolean" : "other";
}

const attributesOf = (list: readonly KeyValue[] | undefined): Attribute[] =>
  (list ?? []).map(({ key, value }) => ({ key, text: valueText(value), kind: kindOf(value) }));

function detailsOf(
  s: OtlpSpan,
  resource: Attribute[],
  scope: string,
  scopeAttributes: Attribute[],
): SpanDetails {
  return {
    start: msOf(s.startTimeUnixNano),
    duration: Number(BigInt(s.endTimeUnixNano ?? 0) - BigInt(s.startTimeUnixNano ?? 0)),
    kind: kinds[Number(s.kind ?? 0)] ?? "",
    status: statuses[Number(s.status?.code ?? 0)] ?? "unset",
    message: s.status?.message ?? "",
    traceState: s.traceState ?? "",
    attributes: attributesOf(s.attributes),
    resource,
    scope,
    scopeAttributes,
    events: (s.events ?? [])
      .map((e) => ({
        name: e.name ?? "",
        at: msOf(e.timeUnixNano),
        attributes: attributesOf(e.attributes),
      }))
      .sort((a, b) => a.at - b.at),
    links: (s.links ?? []).map((l) => ({
      trace: l.traceId,
      span: l.spanId,
      attributes: attributesOf(l.attributes),
    })),
    dropped: {
      attributes: s.droppedAttributesCount ?? 0,
      events: s.droppedEventsCount ?? 0,
      links: s.droppedLinksCount ?? 0,
    },
    json: s,
  };
}

// Return the details of each span, by its ID.
export function parseTrace(trace: OtlpTrace): Map<string, SpanDetails> {
  const all = new Map<string, SpanDetails>();
  for (const { resource, scopeSpans } of trace.resourceSpans ?? []) {
    const shared = attributesOf(resource?.attributes);
    for (const { scope, spans } of scopeSpans ?? []) {
      const name = [scope?.name, scope?.version].filter(Boolean).join(" ");
      const own = attributesOf(scope?.attributes);
      for (const span of spans ?? []) all.set(span.spanId, detailsOf(span, shared, name, own));
    }
  }
  return all;
}

// Larger traces are shown without details: their JSON would be tens of megabytes.
export const mostDetailed = 20_000; // spans

export const useTraceDetails = (trace: string, spans: number, tick: unknown) =>
  useAnswer<OtlpTrace>(
    trace && spans > 0 && spans <= mostDetailed ? apiUrl("trace/otlp", { trace }) : undefined,
    tick,
  );
