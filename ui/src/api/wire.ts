// SPDX-License-Identifier: Apache-2.0
// A question on its way to the server, and the text that comes back. No classes and no hooks: what the first script of a page
// asks (ahead.ts) is read by another, which has classes of its own.

export type Params = Record<string, string | number | boolean | readonly string[] | undefined>;

export function apiUrl(path: string, params: Params = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) {
    if (Array.isArray(value)) for (const item of value) search.append(key, item);
    else if (typeof value === "boolean") value && search.set(key, "1");
    else if (value !== undefined && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return `/api/v1/${path}${text ? `?${text}` : ""}`;
}

export const tenantKey = "varve-tenant";

// Whose data is asked for, where a server keeps that of several apart; kept in this browser.
export function tenant(): string {
  try {
    return localStorage.getItem(tenantKey) ?? "";
  } catch {
    return "";
  }
}

export const scopeHeader = "X-Scope-OrgID";
export const silence = "the server is not responding";

export interface Reply {
  status: number; // 0: nobody answered
  data?: unknown; // of an answer
  text: string; // of a refusal
}

export interface Sent {
  reply: Promise<Reply>; // fails only when it is aborted
  got?: Reply; // once it is there
  abort: AbortController;
}

export async function refusalOf(response: Response): Promise<Reply> {
  const text = await response.text().catch(() => "");
  return { status: response.status, text: text.trim() || `${response.status} ${response.statusText}` };
}

async function receive(url: string, scope: string, signal: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, { signal, headers: scope ? { [scopeHeader]: scope } : {}, credentials: "same-origin" });
    return response.ok ? { status: response.status, data: await response.json(), text: "" } : await refusalOf(response);
  } catch (e) {
    if (signal.aborted) throw e;
    return { status: 0, text: e instanceof TypeError ? silence : String(e) };
  }
}

export function send(url: string, scope: string): Sent {
  const abort = new AbortController();
  const sent: Sent = { reply: receive(url, scope, abort.signal), abort };
  sent.reply.then((reply) => (sent.got = reply)).catch(() => undefined);
  return sent;
}

// ---- what was asked before the pages were there ----

export interface Ahead {
  time: number; // the moment that it is of
  sent: Record<string, Sent>;
}

declare global {
  var varveAhead: Ahead | undefined;
}

// Each is taken once: who asks again wants a new answer.
export function takeAhead(url: string): Sent | undefined {
  const sent = globalThis.varveAhead?.sent;
  const found = sent?.[url];
  if (found) delete sent[url];
  return found;
}

export const answeredAhead = () => Promise.allSettled(Object.values(globalThis.varveAhead?.sent ?? {}).map((sent) => sent.reply));
