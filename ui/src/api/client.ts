// SPDX-License-Identifier: Apache-2.0
// Questions to the server. A question that is no longer asked is cancelled; a server that is gone or slow is asked again,
// and the last answer stays on the screen meanwhile.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { naming } from "./as_of";
import { apiUrl, Params, refusalOf, Reply, scopeHeader, send, silence, takeAhead, tenant, tenantKey } from "./wire";

export { apiUrl, tenant } from "./wire";
export type { Params } from "./wire";

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: nobody answered
    message: string,
  ) {
    super(message);
  }

  get needsTenant(): boolean {
    return (this.status === 401 || this.status === 403) && /org id|tenant/.test(this.message);
  }

  // By itself. An answer that needs too much memory (429) would need it again: that is left to the button.
  get again(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

function failureOf({ status, text }: Reply): ApiError {
  try {
    const body = JSON.parse(text) as { error?: { message?: string }; message?: string };
    return new ApiError(status, body.error?.message ?? body.message ?? text);
  } catch {
    return new ApiError(status, text);
  }
}

export function setTenant(name: string) {
  if (name) localStorage.setItem(tenantKey, name);
  else localStorage.removeItem(tenantKey);
  location.reload();
}

let known: string | undefined; // looked up once
const scope = () => (known ??= tenant());

let wanted: ApiError | undefined; // the server wants to know whose data is meant
let onWanted: ((why: ApiError) => void) | undefined;

// Why the page has to ask for a tenant before it can show anything, or undefined.
export function useTenantWanted(): ApiError | undefined {
  const [why, set] = useState(wanted);
  useLayoutEffect(() => {
    onWanted = set;
    if (wanted !== why) set(wanted);
    return () => void (onWanted = undefined);
  }, []);
  return why;
}

function refused(reply: Reply): ApiError {
  const error = failureOf(reply);
  if (error.needsTenant && !wanted) onWanted?.((wanted = error));
  return error;
}

async function respond(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  let response: Response;
  if (scope()) headers.set(scopeHeader, scope());
  try {
    response = await fetch(url, { ...init, headers, credentials: "same-origin" });
  } catch (e) {
    if ((e as Error).name === "AbortError") throw e;
    throw new ApiError(0, silence);
  }
  if (!response.ok) throw refused(await refusalOf(response));
  return response;
}

export const request = async <T>(url: string, init: RequestInit = {}) => (await (await respond(url, init)).json()) as T;

// What the server gives as a file, and the name it has there.
export async function requestFile(url: string): Promise<{ blob: Blob; name: string }> {
  const response = await respond(url, {});
  return { blob: await response.blob(), name: /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "" };
}

export async function ask<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T> {
  const question = naming(apiUrl(path, params));
  const answer = await request<T>(question.url, { signal });
  question.note(answer);
  return answer;
}

export interface Answer<T> {
  data: T | undefined; // the last there was, also while the next is under way
  error: ApiError | undefined;
  waiting: boolean; // for longer than 200 ms
  stale: boolean; // data is of another question than the one asked now
  retry: () => void;
}

interface State<T> {
  url?: string;
  data?: T;
  error?: ApiError;
  waiting: boolean;
}

const spinnerMs = 200;
const retryMs = [500, 1000, 2000, 4000, 8000];

interface Question<T> {
  answer: Promise<T>;
  data?: T; // where it is there already
  abort: AbortController;
}

function begin<T>(url: string): Question<T> {
  const question = naming(url);
  const sent = takeAhead(url) ?? send(question.url, scope());
  const answer = sent.reply.then((reply) => {
    if (reply.data === undefined) throw refused(reply);
    question.note(reply.data);
    return reply.data as T;
  });
  answer.catch(() => undefined); // it is looked at a moment later
  return { answer, data: sent.got?.data as T | undefined, abort: sent.abort };
}

// The answer to a question; `url` undefined: nothing is asked. `tick` changes: it is asked again. The question is on its way
// before what it is for is on the page: the server answers while the browser lays out and paints. What was answered before it
// was asked (ahead.ts) is there at once: then the first picture is the last.
export function useAnswer<T>(url: string | undefined, tick: unknown = 0): Answer<T> {
  const [attempt, setAttempt] = useState(0);
  const failures = useRef(0);
  const question = useMemo(() => (url === undefined ? null : begin<T>(url)), [url, tick, attempt]);
  const [state, set] = useState<State<T>>(() => (question?.data === undefined ? { waiting: false } : { url, data: question.data, waiting: false }));

  useLayoutEffect(() => {
    if (!question) {
      set((s) => (s.url === undefined && !s.error ? s : { waiting: false }));
      return;
    }
    let again: ReturnType<typeof setTimeout> | undefined;
    const spinner = setTimeout(() => set((s) => ({ ...s, waiting: true })), spinnerMs);
    question.answer
      .then((data) => {
        failures.current = 0;
        set((s) => (s.data === data && s.url === url && !s.error && !s.waiting ? s : { url, data, waiting: false }));
      })
      .catch((e: unknown) => {
        if (question.abort.signal.aborted) return;
        const error = e instanceof ApiError ? e : new ApiError(0, String(e));
        set((s) => ({ ...s, error, waiting: false, ...(error.again ? {} : { url, data: undefined }) }));
        if (error.again) again = setTimeout(() => setAttempt((n) => n + 1), retryMs[Math.min(failures.current++, retryMs.length - 1)]);
      })
      .finally(() => clearTimeout(spinner));
    return () => {
      question.abort.abort();
      clearTimeout(spinner);
      clearTimeout(again);
    };
  }, [question]);

  return {
    data: state.data,
    error: state.error,
    waiting: state.waiting,
    stale: state.url !== url,
    retry: () => setAttempt((n) => n + 1),
  };
}
