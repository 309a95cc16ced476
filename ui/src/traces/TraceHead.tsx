// SPDX-License-Identifier: Apache-2.0
// The head of a trace: its root, times, errors and services.
import { useMemo, useState } from "preact/hooks";
import { copyText } from "../base/clipboard";
import { Range, formatTime } from "../base/time";
import { formatCount, formatValue } from "../base/units";
import { cleanName } from "../flame/text/names";
import { go } from "../url";
import { serviceColour } from "./service_colour";
import { SpanRow, SpansAnswer } from "./SpanTable";
import { valueText } from "../trace_search/found";
import { OtlpTrace } from "./trace_details";
import { isStored } from "./waterfall_rows";

interface Summary {
  root: SpanRow | undefined;
  from: number; // ms
  to: number;
  errors: number;
  services: [name: string, spans: number, errors: number][];
}

export function summaryOf(spans: readonly SpanRow[]): Summary | undefined {
  const stored = spans.filter(isStored);
  if (!stored.length) return undefined;
  const ids = new Set(stored.map((s) => s.span));
  const roots = stored.filter((s) => !s.parent || !ids.has(s.parent));
  const first = (list: readonly SpanRow[]) =>
    list.reduce<SpanRow | undefined>((a, s) => (a && a.start! <= s.start! ? a : s), undefined);
  const services = new Map<string, [string, number, number]>();
  for (const s of stored) {
    const known = services.get(s.service) ?? [s.service, 0, 0];
    services.set(s.service, [s.service, known[1] + 1, known[2] + (s.status === "error" ? 1 : 0)]);
  }
  return {
    root: first(roots.filter((s) => !s.parent)) ?? first(roots),
    from: stored.reduce((n, s) => Math.min(n, s.start!), Infinity),
    to: stored.reduce((n, s) => Math.max(n, s.start! + s.duration! / 1e6), -Infinity),
    errors: stored.filter((s) => s.status === "error").length,
    services: [...services.values()].sort((a, b) => b[1] - a[1]),
  };
}

// Count the spans and errors of each service in the whole trace: its list may be cut.
export function countsOf(trace: OtlpTrace): Pick<Summary, "errors" | "services"> {
  const services = new Map<string, [string, number, number]>();
  for (const { resource, scopeSpans } of trace.resourceSpans ?? []) {
    const value = resource?.attributes?.find((a) => a.key === "service.name")?.value;
    const name = (value && valueText(value)) || "unknown_service";
    const known = services.get(name) ?? [name, 0, 0];
    for (const { spans } of scopeSpans ?? [])
      for (const { status } of spans ?? []) {
        known[1]++;
        if (status?.code === 2 || status?.code === "STATUS_CODE_ERROR") known[2]++;
      }
    services.set(name, known);
  }
  const list = [...services.values()].sort((a, b) => b[1] - a[1]);
  return { errors: list.reduce((n, [, , failed]) => n + failed, 0), services: list };
}

const marginMs = 60_000;

// Return a range around a time (ms).
export const rangeAround = (from: number, to: number): Range => ({
  from: String(Math.floor(from - marginMs)),
  to: String(Math.ceil(to + marginMs)),
});

export function CopyButton(props: { label: string; text: () => string; class?: string }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      class={props.class ?? "small"}
      onClick={() =>
        void copyText(props.text()).then((ok) => {
          setDone(ok);
          setTimeout(() => setDone(false), 1500);
        })
      }
    >
      {done ? "Copied" : props.label}
    </button>
  );
}

// `range`: of the profiles (ms), whose samples are the costs of the spans.
export function TraceHead(props: {
  answer: SpansAnswer;
  json: OtlpTrace | undefined;
  range: { from: number; to: number };
}) {
  const summary = useMemo(() => {
    const listed = summaryOf(props.answer.spans);
    return listed && props.json ? { ...listed, ...countsOf(props.json) } : listed;
  }, [props.answer, props.json]);
  if (!summary) return null;
  const { root, from, to, errors, services } = summary;
  const outside = to < props.range.from || from > props.range.to;
  return (
    <section class="panel trace-head" aria-label="Trace">
      <div class="row">
        {root && (
          <h1>
            <i class="dot" style={{ background: serviceColour(root.service) }} />{" "}
            <bdi>{cleanName(root.name!)}</bdi> <bdi class="soft">{cleanName(root.service)}</bdi>
          </h1>
        )}
        <span class="soft">{formatTime(Math.floor(from))}</span>
        <strong>{formatValue(Math.round((to - from) * 1e6), "nanoseconds")}</strong>
        <span class="soft">{formatCount(props.answer.span_count, "span")}</span>
        {errors > 0 && <span class="fall-error">{formatCount(errors, "error")}</span>}
        <span class="spread" />
        {props.json && (
          <CopyButton label="Copy JSON" text={() => JSON.stringify(props.json, null, 1)} />
        )}
      </div>
      <ul class="trace-services" aria-label="Services of the trace">
        {services.slice(0, 24).map(([name, spans, failed]) => (
          <li key={name}>
            <i class="dot" style={{ background: serviceColour(name) }} />
            <bdi>{cleanName(name)}</bdi> <span class="soft">{formatCount(spans, "span")}</span>
            {failed > 0 && <span class="fall-error">{formatCount(failed, "error")}</span>}
          </li>
        ))}
        {services.length > 24 && <li class="soft">{services.length - 24} more</li>}
      </ul>
      {outside && (
        <p class="row trace-outside">
          <span class="soft">
            The trace is outside of the time range, so that its spans have no costs.
          </span>
          <button type="button" class="small" onClick={() => go(rangeAround(from, to))}>
            Use its time
          </button>
        </p>
      )}
    </section>
  );
}
