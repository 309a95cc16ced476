// SPDX-License-Identifier: Apache-2.0
// Queries to the server. A query whose result is no longer needed is cancelled. If the server is
// unreachable or slow, the query is retried, and the last answer stays on the screen meanwhile.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { versionedQuery } from "./as_of";
import {
  apiUrl,
  noResponse,
  Params,
  refusalOf,
  Reply,
  scopeHeader,
  send,
  takeEarlyQuery,
  tenant,
  tenantKey,
} from "./transport";

export { apiUrl, promUrl, tempoUrl, tenant } from "./transport";
export type { Params } from "./transport";

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no response
    message: string,
  ) {
    super(message);
  }

  get needsTenant(): boolean {
    return (this.status === 401 || this.status === 403) && /org id|tenant/.test(this.message);
  }

  // Whether the page retries by itself. A query that needs too much memory (429) would fail again:
  // only the button retries it.
  get retryable(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504;
  }
}

function parseError({ status, text }: Reply): ApiError {
  try {
    const body = JSON.parse(text) as { error?: { message?: string } | string; message?: string };
    const own = typeof body.error === "string" ? body.error : body.error?.message;
    return new ApiError(status, own ?? body.message ?? text);
  } catch {
    return new ApiError(status, text);
  }
}

export function setTenant(name: string) {
  if (name) localStorage.setItem(tenantKey, name);
  else localStorage.removeItem(tenantKey);
  location.reload();
}

let cachedTenant: string | undefined;
const scope = () => (cachedTenant ??= tenant());

let tenantError: ApiError | undefined; // the first response that requires a tenant
let onTenantError: ((error: ApiError) => void) | undefined;

// Return the error if the server requires a tenant, else undefined.
export function useTenantError(): ApiError | undefined {
  const [error, set] = useState(tenantError);
  useLayoutEffect(() => {
    onTenantError = set;
    if (tenantError !== error) set(tenantError);
    return () => void (onTenantError = undefined);
  }, []);
  return error;
}

function errorOf(reply: Reply): ApiError {
  const error = parseError(reply);
  if (error.needsTenant && !tenantError) onTenantError?.((tenantError = error));
  return error;
}

// Send a request and return its response; throws ApiError for errors.
export async function fetchResponse(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  let response: Response;
  if (scope()) headers.set(scopeHeader, scope());
  try {
    response = await fetch(url, { ...init, headers, credentials: "same-origin" });
  } catch (e) {
    if ((e as Error).name === "AbortError") throw e;
    throw new ApiError(0, noResponse);
  }
  if (!response.ok) throw errorOf(await refusalOf(response));
  return response;
}

export const request = async <T>(url: string, init: RequestInit = {}) =>
  (await (await fetchResponse(url, init)).json()) as T;

// Fetch a file and the name that the server gives it.
export async function requestFile(url: string): Promise<{ blob: Blob; name: string }> {
  const response = await fetchResponse(url, {});
  return {
    blob: await response.blob(),
    name: /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "",
  };
}

export async function fetchAnswer<T>(
  path: string,
  params?: Params,
  signal?: AbortSignal,
): Promise<T> {
  const query = versionedQuery(apiUrl(path, params));
  const answer = await request<T>(query.url, { signal });
  query.remember(answer);
  return answer;
}

export interface Answer<T> {
  data: T | undefined; // the last result, also while the next is being fetched
  error: ApiError | undefined;
  waiting: boolean; // for longer than 200 ms
  stale: boolean; // data belongs to the previous query
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

interface PendingQuery<T> {
  answer: Promise<T>;
  data?: T; // if it has been received already
  abort: AbortController;
}

function startQuery<T>(url: string): PendingQuery<T> {
  const query = versionedQuery(url);
  const sent = takeEarlyQuery(url) ?? send(query.url, scope());
  const answer = sent.reply.then((reply) => {
    if (reply.data === undefined) throw errorOf(reply);
    query.remember(reply.data);
    return reply.data as T;
  });
  answer.catch(() => undefined); // useAnswer() handles the error later
  return { answer, data: sent.received?.data as T | undefined, abort: sent.abort };
}

// Return the answer to a query; an undefined `url` sends none, a change of `tick` sends it again.
// The query is sent during rendering, so that the server works while the browser lays out and
// paints. An early query (early_queries.ts) may have been answered already; then the first paint
// has its data.
export function useAnswer<T>(url: string | undefined, tick: unknown = 0): Answer<T> {
  const [attempt, setAttempt] = useState(0);
  const failures = useRef(0);
  const pending = useMemo(
    () => (url === undefined ? null : startQuery<T>(url)),
    [url, tick, attempt],
  );
  const [state, set] = useState<State<T>>(() =>
    pending?.data === undefined ? { waiting: false } : { url, data: pending.data, waiting: false },
  );

  useLayoutEffect(() => {
    if (!pending) {
      set((s) => (s.url === undefined && !s.error ? s : { waiting: false }));
      return;
    }
    let retryTimer: ReturnType<typeof setTimeout> | undefined;
    const spinner = setTimeout(() => set((s) => ({ ...s, waiting: true })), spinnerMs);
    pending.answer
      .then((data) => {
        failures.current = 0;
        set((s) =>
          s.data === data && s.url === url && !s.error && !s.waiting
            ? s
            : { url, data, waiting: false },
        );
      })
      .catch((e: unknown) => {
        if (pending.abort.signal.aborted) return;
        const error = e instanceof ApiError ? e : new ApiError(0, String(e));
        set((s) => ({
          ...s,
          error,
          waiting: false,
          ...(error.retryable ? {} : { url, data: undefined }),
        }));
        if (error.retryable)
          retryTimer = setTimeout(
            () => setAttempt((n) => n + 1),
            retryMs[Math.min(failures.current++, retryMs.length - 1)],
          );
      })
      .finally(() => clearTimeout(spinner));
    return () => {
      pending.abort.abort();
      clearTimeout(spinner);
      clearTimeout(retryTimer);
    };
  }, [pending]);

  return {
    data: state.data,
    error: state.error,
    waiting: state.waiting,
    stale: state.url !== url,
    retry: () => setAttempt((n) => n + 1),
  };
}
