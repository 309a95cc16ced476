// SPDX-License-Identifier: Apache-2.0
// Test data: traces of a shop with attributes, events and links, their log records, and the samples
// of some of their spans. The same seed makes the same data.
import { sendSamples, TimedSample } from "./timed_samples";

export type Value = string | number | boolean | readonly string[];

export interface ShopSpan {
  service: string;
  trace: string;
  id: string;
  parent: string;
  name: string;
  kind: number; // 1 internal, 2 server, 3 client, 4 producer, 5 consumer
  from: number; // ms since 1970, with fractions
  ms: number;
  attributes: Record<string, Value>;
  events?: { name: string; at: number; attributes: Record<string, Value> }[];
  links?: { trace: string; span: string; attributes: Record<string, Value> }[];
  error?: string; // status message
}

export interface ShopLog {
  service: string;
  time: number; // ms
  severity: number;
  text: string;
  trace: string;
  span: string;
  attributes: Record<string, Value>;
}

export interface ShopData {
  spans: ShopSpan[];
  logs: ShopLog[];
  samples: Map<string, TimedSample[]>; // by service
}

// A small random generator (mulberry32): tests need the same data in every run.
function randomOf(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const hex = (n: number, digits: number) => n.toString(16).padStart(digits, "0");

class Shop {
  readonly data: ShopData = { spans: [], logs: [], samples: new Map() };
  private readonly random: () => number;
  private next = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  // A duration around `ms`, sometimes much longer.
  private took(ms: number): number {
    const r = this.random();
    return ms * (0.5 + r + (r > 0.95 ? 6 * (r - 0.9) * 10 : 0));
  }

  private span(
    parent: ShopSpan | undefined,
    trace: string,
    service: string,
    name: string,
    kind: number,
    from: number,
    ms: number,
    attributes: Record<string, Value>,
  ): ShopSpan {
    const span = {
      service,
      trace,
      id: hex(0xa0000000 + ++this.next, 16),
      parent: parent?.id ?? "",
      name,
      kind,
      from,
      ms,
      attributes,
    };
    this.data.spans.push(span);
    return span;
  }

  private log(span: ShopSpan, at: number, severity: number, text: string, more = {}) {
    this.data.logs.push({
      service: span.service,
      time: at,
      severity,
      text,
      trace: span.trace,
      span: span.id,
      attributes: { "thread.name": "worker-1", ...more },
    });
  }

  private sample(span: ShopSpan, stack: string, share: number) {
    const list = this.data.samples.get(span.service) ?? [];
    const n = Math.max(1, Math.floor((span.ms * share) / 10));
    for (let i = 0; i < n; i++)
      list.push({
        time: Math.floor(span.from + (span.ms * i) / n),
        stack,
        trace: span.trace,
        span: span.id,
      });
    this.data.samples.set(span.service, list);
  }

  // One request: the front, the cart with its queries, and for orders the payment and a mail.
  request(start: number) {
    const r = this.random;
    const trace = hex(0x5eed0000 + ++this.next, 16) + hex(Math.floor(r() * 2 ** 48), 16);
    const order = r() < 0.4;
    const route = order ? "/checkout" : "/products/{id}";
    const failed = order && r() < 0.12;
    const user = `user-${Math.floor(r() * 40)}`;
    const queries = 2 + Math.floor(r() * (order ? 8 : 3));
    const queryMs = Array.from({ length: queries }, () => this.took(4));
    const cartMs = queryMs.reduce((a, b) => a + b + 0.6, 3);
    const payMs = order ? this.took(failed ? 260 : 90) : 0;
    const root = this.span(
      undefined,
      trace,
      "front",
      `${order ? "POST" : "GET"} ${route}`,
      2,
      start,
      8 + cartMs + payMs + (order ? 9 : 2),
      {
        "http.request.method": order ? "POST" : "GET",
        "http.route": route,
        "http.response.status_code": failed ? 500 : 200,
        "user.id": user,
        "url.path": order ? "/checkout" : `/products/${Math.floor(r() * 900)}`,
        "request.cached": r() < 0.5,
        "response.size": Math.floor(r() * 90_000) / 10,
      },
    );
    this.log(root, start + 0.4, 9, `${root.name} from ${user}`, { "user.id": user });
    const cart = this.span(root, trace, "cart", "cart.Load", 2, start + 3, cartMs, {
      "rpc.system": "grpc",
      "rpc.method": "Load",
      items: queries,
    });
    let at = cart.from + 1.2;
    for (const ms of queryMs) {
      this.span(cart, trace, "cart", "SELECT stock", 3, at, ms, {
        "db.system": "postgresql",
        "db.query.text": "SELECT count FROM stock WHERE item = $1",
        "server.address": "db-1",
      });
      at += ms + 0.5;
    }
    this.log(
      cart,
      cart.from + cart.ms - 0.5,
      5,
      `loaded ${queries} items in ${cart.ms.toFixed(1)} ms`,
    );
    this.sample(root, "main;serve;render;json.Marshal", 0.2);
    if (order) this.order(root, start + 5 + cartMs, payMs, failed, user);
    return trace;
  }

  private order(root: ShopSpan, at: number, ms: number, failed: boolean, user: string) {
    const pay = this.span(root, root.trace, "payment", "payment.Charge", 2, at, ms, {
      "payment.provider": this.random() < 0.5 ? "visa" : "mastercard",
      "payment.amount": Math.floor(this.random() * 20_000) / 100,
      "payment.retries": failed ? 3 : 0,
      "payment.tags": ["eu", "web"],
    });
    const sign = this.span(pay, root.trace, "payment", "rsa.Sign", 1, at + 2, ms * 0.6, {});
    this.sample(sign, "main;charge;rsa.Sign;bigint.Exp", 0.8);
    if (failed) {
      pay.error = "card declined after 3 retries";
      root.error = "";
      pay.events = [
        { name: "retry", at: at + ms * 0.3, attributes: { attempt: 2 } },
        { name: "retry", at: at + ms * 0.6, attributes: { attempt: 3 } },
        {
          name: "exception",
          at: at + ms * 0.98,
          attributes: {
            "exception.type": "CardDeclined",
            "exception.message": "the bank refused the charge",
            "exception.stacktrace":
              "CardDeclined: the bank refused the charge\n  at charge (payment.ts:41)\n  at order (order.ts:17)",
          },
        },
      ];
      this.log(pay, at + ms * 0.3, 13, "charge refused, retrying", { attempt: 2 });
      this.log(pay, at + ms * 0.98, 17, `CardDeclined: the bank refused the charge of ${user}`, {
        "exception.type": "CardDeclined",
      });
      return;
    }
    this.log(pay, at + ms - 1, 9, `charged ${user}`);
    const send = this.span(root, root.trace, "front", "orders publish", 4, at + ms + 1, 2, {
      "messaging.system": "kafka",
      "messaging.destination.name": "orders",
    });
    const mail = this.span(send, root.trace, "mail", "orders process", 5, at + ms + 30, 45, {
      "messaging.system": "kafka",
    });
    mail.links = [{ trace: root.trace, span: send.id, attributes: { "messaging.batch.index": 0 } }];
    this.log(mail, mail.from + 40, 9, `mail sent to ${user}`);
  }
}

// Return the requests of a range (ms): `count` of them, evenly distributed.
export function shopData(from: number, to: number, count: number, seed = 1): ShopData {
  const shop = new Shop(seed);
  for (let i = 0; i < count; i++) shop.request(from + ((to - from) * i) / count);
  return shop.data;
}

const nanos = (ms: number) =>
  String(BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round((ms % 1) * 1e6)));

function anyValue(value: Value): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}

const attributesOf = (all: Record<string, Value>) =>
  Object.entries(all).map(([key, value]) => ({ key, value: anyValue(value) }));

const resourceOf = (service: string) => ({
  attributes: attributesOf({
    "service.name": service,
    "service.version": "1.4.2",
    "host.name": `${service}-7d9f`,
  }),
});

async function post(url: string, body: unknown) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}

const byService = <T extends { service: string }>(all: readonly T[]) => {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(one.service, [...(groups.get(one.service) ?? []), one]);
  return [...groups];
};

const spansPerRequest = 2000;

export async function sendShopSpans(url: string, spans: readonly ShopSpan[]) {
  for (let i = 0; i < spans.length; i += spansPerRequest)
    await post(`${url}/v1/traces`, {
      resourceSpans: byService(spans.slice(i, i + spansPerRequest)).map(([service, list]) => ({
        resource: resourceOf(service),
        scopeSpans: [
          {
            scope: { name: `${service}.http`, version: "0.9" },
            spans: list.map((s) => ({
              traceId: s.trace,
              spanId: s.id,
              parentSpanId: s.parent,
              name: s.name,
              kind: s.kind,
              startTimeUnixNano: nanos(s.from),
              endTimeUnixNano: nanos(s.from + s.ms),
              attributes: attributesOf(s.attributes),
              status: s.error === undefined ? {} : { code: 2, message: s.error },
              events: s.events?.map((e) => ({
                name: e.name,
                timeUnixNano: nanos(e.at),
                attributes: attributesOf(e.attributes),
              })),
              links: s.links?.map((l) => ({
                traceId: l.trace,
                spanId: l.span,
                attributes: attributesOf(l.attributes),
              })),
            })),
          },
        ],
      })),
    });
}

export async function sendShopLogs(url: string, logs: readonly ShopLog[]) {
  const names = ["", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];
  for (let i = 0; i < logs.length; i += spansPerRequest)
    await post(`${url}/v1/logs`, {
      resourceLogs: byService(logs.slice(i, i + spansPerRequest)).map(([service, list]) => ({
        resource: resourceOf(service),
        scopeLogs: [
          {
            scope: { name: `${service}.log` },
            logRecords: list.map((l) => ({
              timeUnixNano: nanos(l.time),
              observedTimeUnixNano: nanos(l.time + 2),
              severityNumber: l.severity,
              severityText: names[Math.floor((l.severity + 3) / 4)],
              body: { stringValue: l.text },
              attributes: attributesOf(l.attributes),
              traceId: l.trace,
              spanId: l.span,
            })),
          },
        ],
      })),
    });
}

const minuteMs = 60_000;

// Send a profile for each service and minute.
export async function sendShopSamples(url: string, data: ShopData) {
  for (const [service, list] of data.samples) {
    const minutes = new Map<number, TimedSample[]>();
    for (const sample of list) {
      const minute = Math.floor(sample.time / minuteMs);
      minutes.set(minute, [...(minutes.get(minute) ?? []), sample]);
    }
    for (const samples of minutes.values()) await sendSamples(url, service, samples);
  }
}
