// SPDX-License-Identifier: Apache-2.0
// Test data: OTLP profiles whose samples have timestamps and spans, and the spans themselves.

export interface TimedSample {
  time: number; // ms since 1970
  stack: string; // main;work, root first; a frame may have a module: work|/usr/bin/app
  trace?: string;
  span?: string;
}

export const sampleNs = 10_000_000; // value of each sample

// Return a profile of CPU time with these samples, in OTLP JSON.
export function otlpProfile(service: string, timed: readonly TimedSample[]): unknown {
  const strings = ["", "cpu", "nanoseconds"];
  const functions: unknown[] = [{}];
  const locations: unknown[] = [{}];
  const stacks: unknown[] = [{}];
  const links: unknown[] = [{}];
  const at = new Map<string, number>();
  const once = (key: string, table: unknown[], make: () => unknown) => {
    if (!at.has(key)) {
      const row = make(); // may add rows to other tables
      at.set(key, table.push(row) - 1);
    }
    return at.get(key)!;
  };
  const mappings: unknown[] = [{}];
  const frame = (text: string) =>
    once(`frame ${text}`, locations, () => {
      const [name, module] = text.split("|");
      const mappingIndex = module
        ? once(`module ${module}`, mappings, () => ({ filenameStrindex: strings.push(module) - 1 }))
        : 0;
      return {
        mappingIndex,
        lines: [{ functionIndex: functions.push({ nameStrindex: strings.push(name) - 1 }) - 1 }],
      };
    });
  const samples = timed.map((m) => ({
    stackIndex: once(`stack ${m.stack}`, stacks, () => ({
      locationIndices: m.stack.split(";").reverse().map(frame),
    })),
    values: [String(sampleNs)],
    timestampsUnixNano: [`${m.time}000000`],
    ...(m.span
      ? {
          linkIndex: once(`link ${m.trace} ${m.span}`, links, () => ({
            traceId: m.trace,
            spanId: m.span,
          })),
        }
      : {}),
  }));
  const first = Math.min(...timed.map((m) => m.time));
  const last = Math.max(...timed.map((m) => m.time));
  const kind = { typeStrindex: 1, unitStrindex: 2 };
  return {
    resourceProfiles: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
        scopeProfiles: [
          {
            profiles: [
              {
                sampleType: kind,
                periodType: kind,
                period: String(sampleNs),
                timeUnixNano: `${first}000000`,
                durationNano: `${last - first + 1}000000`,
                samples,
              },
            ],
          },
        ],
      },
    ],
    dictionary: {
      mappingTable: mappings,
      locationTable: locations,
      functionTable: functions,
      linkTable: links,
      stringTable: strings,
      attributeTable: [{}],
      stackTable: stacks,
    },
  };
}

export async function sendSamples(url: string, service: string, samples: readonly TimedSample[]) {
  const answer = await fetch(`${url}/v1development/profiles`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(otlpProfile(service, samples)),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

export const traceA = "0af7651916cd43dd8448eb211c80319c";
export const traceMany = "5bd66ef5095369c7b0d1f8f4bd33716a";
export const traceB = "4bf92f3577b34da6a3ce929d0e0e4736";
export const spanTick = "b7ad6b7169203331";
export const spanBurst = "00f067aa0ba902b7";
export const spanOther = "53995c3f42cd8ad8";
export const spanRemote = "aaaaaaaaaaaaaaa1";

// Return ten seconds of samples: a tick at 100 ms of each second, a burst of three at 500 ms of
// second 5, one at 900 ms of second 7, and one without a span.
export function knownSamples(start: number): TimedSample[] {
  const samples: TimedSample[] = [];
  for (let second = 0; second < 10; second++)
    samples.push({
      time: start + second * 1000 + 100,
      stack: "main;tick",
      trace: traceA,
      span: spanTick,
    });
  for (const part of [500, 520, 540])
    samples.push({
      time: start + 5000 + part,
      stack: "main;burst",
      trace: traceA,
      span: spanBurst,
    });
  samples.push({ time: start + 7900, stack: "main;other", trace: traceB, span: spanOther });
  samples.push({ time: start + 300, stack: "main;idle" });
  return samples;
}

// Return two samples of another service in the first trace.
export const remoteSamples = (start: number): TimedSample[] =>
  [5510, 5530].map((part) => ({
    time: start + part,
    stack: "serve;remote",
    trace: traceA,
    span: spanRemote,
  }));

export interface SentSpan {
  service: string;
  id: string;
  parent: string;
  name: string;
  from: number; // ms after the start
  ms: number;
  failed?: boolean;
}

// Send the spans of a trace as OTLP.
export async function sendSpans(
  url: string,
  start: number,
  spans: readonly SentSpan[],
  trace = traceA,
) {
  const resourceSpans = spans.map((s) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: s.service } }] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: trace,
            spanId: s.id,
            parentSpanId: s.parent,
            name: s.name,
            kind: 2,
            status: s.failed ? { code: 2 } : {},
            startTimeUnixNano: `${start + s.from}000000`,
            endTimeUnixNano: `${start + s.from + s.ms}000000`,
          },
        ],
      },
    ],
  }));
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans }),
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}

// Return a trace of `n` spans with one root; every tenth span is the parent of the nine after it.
export const manySpans = (n: number): SentSpan[] =>
  Array.from({ length: n }, (_, i) => {
    const id = (k: number) => `c0ffee${k.toString(16).padStart(10, "0")}`;
    return {
      service: "many",
      id: id(i),
      parent: i === 0 ? "" : id(i % 10 === 0 ? 0 : i - (i % 10)),
      name: `call ${i}`,
      from: i,
      ms: i === 0 ? n : 10,
    };
  });

export const spanQuick = "bbbbbbbbbbbbbbb1";

// The root calls a render span, which calls the other service; another span is too short to be
// sampled, and fails.
export const knownSpans: readonly SentSpan[] = [
  { service: "timed", id: spanTick, parent: "", name: "GET /checkout", from: 0, ms: 9500 },
  {
    service: "timed",
    id: spanBurst,
    parent: spanTick,
    name: "render <b>receipt</b>",
    from: 5400,
    ms: 300,
  },
  {
    service: "<b>remote</b>",
    id: spanRemote,
    parent: spanBurst,
    name: "SELECT prices",
    from: 5500,
    ms: 100,
  },
  {
    service: "<b>remote</b>",
    id: spanQuick,
    parent: spanTick,
    name: "charge",
    from: 6000,
    ms: 40,
    failed: true,
  },
];
