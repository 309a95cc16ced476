// SPDX-License-Identifier: Apache-2.0
// Sends a request and receives the reply. No classes and no hooks: the main script reads the
// replies to requests of another script (early_queries.ts), with which it shares plain data only.

export type Params = Record<string, string | number | boolean | readonly string[] | undefined>;

function withParams(path: string, params: Params): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const item of value) search.append(key, item);
    else if (typeof value === "boolean") value && search.set(key, "1");
    else if (value !== undefined && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return `${path}${text ? `?${text}` : ""}`;
}

export const apiUrl = (path: string, params: Params = {}) => withParams(`/api/v1/${path}`, params);

// The URL of a query of Tempo's interface, e.g. tempoUrl("search", { q: "{}" }).
export const tempoUrl = (path: string, params: Params = {}) => withParams(`/api/${path}`, params);

// The URL of a query of Prometheus' interface, e.g. promUrl("labels").
export const promUrl = (path: string, params: Params = {}) =>
  withParams(`/prometheus/api/v1/${path}`, params);

export const tenantKey = "varve-tenant";

// Return the tenant whose data is queried, on a server with tenants; stored in this browser.
export function tenant(): string {
  try {
    return localStorage.getItem(tenantKey) ?? "";
  } catch {
    return "";
  }
}

export const scopeHeader = "X-Scope-OrgID";
export const noResponse = "the server is not responding";

export interface Reply {
  status: number; // 0: no response
  data?: unknown; // body of a successful response
  text: string; // text of an error response
}

export interface Sent {
  reply: Promise<Reply>; // rejected only by an abort
  received?: Reply; // once the reply has been received
  abort: AbortController;
}

export async function refusalOf(response: Response): Promise<Reply> {
  const text = await response.text().catch(() => "");
  return {
    status: response.status,
    text: text.trim() || `${response.status} ${response.statusText}`,
  };
}

async function receive(url: string, scope: string, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      signal,
      headers: scope ? { [scopeHeader]: scope } : {},
      credentials: "same-origin",
    });
    return response.ok
      ? { status: response.status, data: await response.json(), text: "" }
      : await refusalOf(response);
  } catch (e) {
    if (signal.aborted) throw e;
    return { status: 0, text: e instanceof TypeError ? noResponse : String(e) };
  }
}

export function send(url: string, scope: string): Sent {
  const abort = new AbortController();
  const sent: Sent = { reply: receive(url, scope, abort.signal), abort };
  sent.reply.then((reply) => (sent.received = reply)).catch(() => undefined);
  return sent;
}

// ---- queries of the first script ----

export interface EarlyQueries {
  time: number; // ms; relative times are resolved against it
  sent: Record<string, Sent>;
}

declare global {
  var varveEarlyQueries: EarlyQueries | undefined;
}

// Return the early query of a URL. Each is returned once: a repeated query must fetch a new answer.
export function takeEarlyQuery(url: string): Sent | undefined {
  const sent = globalThis.varveEarlyQueries?.sent;
  const found = sent?.[url];
  if (found) delete sent[url];
  return found;
}

export const earlyAnswers = () =>
  Promise.allSettled(
    Object.values(globalThis.varveEarlyQueries?.sent ?? {}).map((sent) => sent.reply),
  );
