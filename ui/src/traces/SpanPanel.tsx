// SPDX-License-Identifier: Apache-2.0
// The details of the selected span: times, status, attributes, events and links.
import { ComponentChildren } from "preact";
import { Empty, Link } from "../base/components";
import { formatTime } from "../base/time";
import { formatCount, formatShare, formatValue } from "../base/units";
import { cleanName } from "../flame/text/names";
import { attributeName, quote } from "../trace_search/conditions";
import { fresh, State } from "../url";
import { serviceColour } from "./service_colour";
import { SpanRow } from "./SpanTable";
import { Attribute, SpanDetails } from "./trace_details";
import { CopyButton } from "./TraceHead";

const longText = 400; // characters that are shown of a value at first

// The query of spans with the same value; undefined if TraceQL cannot compare it.
function queryOf(scope: string, { key, text, kind }: Attribute): string | undefined {
  if (kind === "other" || text.length > longText) return undefined;
  return `{ ${attributeName(scope, key)} = ${kind === "string" ? quote(text) : text} }`;
}

function Attributes(props: {
  title: string;
  scope: string;
  list: readonly Attribute[];
  dropped?: number;
}) {
  const { scope, list, dropped = 0 } = props;
  if (!list.length && !dropped) return null;
  return (
    <section>
      <h3>{props.title}</h3>
      <dl class="attributes">
        {list.map((a) => {
          const q = queryOf(scope, a);
          return (
            <div key={a.key}>
              <dt>{cleanName(a.key, 200)}</dt>
              <dd>
                {a.text.includes("\n") || a.text.length > longText ? (
                  <pre>{a.text}</pre>
                ) : (
                  <span class={a.kind === "string" ? "" : "mono"}>{a.text || "(empty)"}</span>
                )}
                {q && (
                  <Link
                    class="attribute-search"
                    title={`Search traces: ${q}`}
                    to={{ ...fresh, path: "/traces", list: "traces", query: "", q }}
                  >
                    Search
                  </Link>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {dropped > 0 && (
        <p class="soft">{formatCount(dropped, "more attribute")} dropped by the sender</p>
      )}
    </section>
  );
}

const offsetText = (ms: number) =>
  `${ms < 0 ? "-" : "+"}${formatValue(Math.round(Math.abs(ms) * 1e6), "nanoseconds")}`;

function Events(props: { details: SpanDetails }) {
  const { events, start, dropped } = props.details;
  if (!events.length && !dropped.events) return null;
  return (
    <section>
      <h3>Events</h3>
      <ol class="span-events">
        {events.map((e, i) => (
          <li key={i} class={e.name === "exception" ? "bad" : undefined}>
            <div class="row">
              <code title={formatTime(Math.floor(e.at))}>{offsetText(e.at - start)}</code>
              <strong>{cleanName(e.name)}</strong>
            </div>
            <Attributes title="" scope="event" list={e.attributes} />
          </li>
        ))}
      </ol>
      {dropped.events > 0 && (
        <p class="soft">{formatCount(dropped.events, "more event")} dropped by the sender</p>
      )}
    </section>
  );
}

function Links(props: { details: SpanDetails; trace: string }) {
  const { links, dropped } = props.details;
  if (!links.length && !dropped.links) return null;
  return (
    <section>
      <h3>Links</h3>
      <ul class="span-links">
        {links.map((l, i) => (
          <li key={i}>
            <Link
              to={{ ...fresh, path: "/traces", query: "", trace: l.trace, span: l.span }}
              title={`trace ${l.trace}\nspan ${l.span}`}
            >
              {l.trace === props.trace ? "Span of this trace" : "Other trace"} <code>{l.span}</code>
            </Link>
            <Attributes title="" scope="link" list={l.attributes} />
          </li>
        ))}
      </ul>
      {dropped.links > 0 && (
        <p class="soft">{formatCount(dropped.links, "more link")} dropped by the sender</p>
      )}
    </section>
  );
}

const Field = (props: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{props.name}</dt>
    <dd>{props.children}</dd>
  </div>
);

// `self`: self time (ns); `critical`: the span's part of the critical path (ns).
export function SpanPanel(props: {
  state: State;
  row: SpanRow | undefined;
  details: SpanDetails | undefined;
  note: string; // why there are no details
  from: number; // ms; start of the trace
  length: number; // ns; duration of the trace
  self: number | undefined;
  critical: number | undefined;
}) {
  const { row, details, state } = props;
  if (!row)
    return (
      <Empty title="No span is selected">
        <p class="soft">Select a span to see its attributes, events and links.</p>
      </Empty>
    );
  const start = details?.start ?? row.start;
  const message = details?.message;
  return (
    <div class="span-panel" tabIndex={0} role="region" aria-label="Details of the span">
      <div class="row">
        <h2>
          <i class="dot" style={{ background: serviceColour(row.service) }} />{" "}
          <bdi>{cleanName(row.name ?? "")}</bdi>
        </h2>
        {row.status === "error" && <span class="fall-error">error</span>}
        <span class="spread" />
        <CopyButton label="Copy ID" text={() => row.span} />
        {details && (
          <CopyButton label="Copy JSON" text={() => JSON.stringify(details.json, null, 1)} />
        )}
      </div>
      {message && <p class="span-message">{message}</p>}
      <dl class="attributes span-fields">
        <Field name="Service">
          <Link to={{ ...fresh, path: "/profiles", query: row.service, trace: "", span: "" }}>
            <bdi>{cleanName(row.service)}</bdi>
          </Link>
        </Field>
        <Field name="Span">
          <code>{row.span}</code>
        </Field>
        {row.parent && (
          <Field name="Parent">
            <Link to={{ path: "/traces", trace: state.trace, span: row.parent }}>
              <code>{row.parent}</code>
            </Link>
          </Field>
        )}
        <Field name="Kind">{row.kind || "unspecified"}</Field>
        {start !== undefined && (
          <Field name="Start">
            {formatTime(Math.floor(start))}{" "}
            <span class="soft">({offsetText(start - props.from)})</span>
          </Field>
        )}
        {row.duration !== undefined && (
          <Field name="Duration">
            {formatValue(row.duration, "nanoseconds")}{" "}
            <span class="soft">({formatShare(row.duration, props.length)} of the trace)</span>
          </Field>
        )}
        {props.self !== undefined && (
          <Field name="Self time">{formatValue(Math.round(props.self), "nanoseconds")}</Field>
        )}
        {props.critical !== undefined && (
          <Field name="Critical path">
            {formatValue(Math.round(props.critical), "nanoseconds")}{" "}
            <span class="soft">({formatShare(props.critical, props.length)} of the trace)</span>
          </Field>
        )}
        {details?.traceState && <Field name="Trace state">{details.traceState}</Field>}
      </dl>
      {details ? (
        <>
          <Attributes
            title="Attributes"
            scope="span"
            list={details.attributes}
            dropped={details.dropped.attributes}
          />
          <Events details={details} />
          <Links details={details} trace={state.trace} />
          <Attributes title="Resource" scope="resource" list={details.resource} />
          {details.scope && (
            <section>
              <h3>Scope</h3>
              <p>
                <bdi>{details.scope}</bdi>
              </p>
              <Attributes title="" scope="instrumentation" list={details.scopeAttributes} />
            </section>
          )}
        </>
      ) : (
        <p class="soft">{props.note}</p>
      )}
    </div>
  );
}
