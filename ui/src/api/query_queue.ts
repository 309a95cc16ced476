// SPDX-License-Identifier: Apache-2.0
// Queries of views with many of them (dashboards): only a few are in flight at once, the others
// wait in a queue; those that are not needed any more leave it.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, request } from "./client";

const maxInFlight = 4;
const retryMs = [1000, 2000, 4000, 8000];

interface Waiting {
  start: () => void;
  signal: AbortSignal;
}

let inFlight = 0;
const waiting: Waiting[] = [];

function next() {
  while (inFlight < maxInFlight && waiting.length) {
    const one = waiting.shift()!;
    if (one.signal.aborted) continue;
    inFlight++;
    one.start();
  }
}

// Run a query when its turn comes. Never settles if it was aborted before.
export function queued<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const start = () => {
      const end = () => {
        inFlight--;
        next();
      };
      run()
        .finally(end)
        .then(resolve, reject);
    };
    waiting.push({ start, signal });
    next();
  });
}

export interface Query<T> {
  url: string; // of the data; another one while the next is being fetched
  data: T | undefined;
  error: ApiError | undefined;
}

export interface Queries<T> {
  answers: Query<T>[]; // in the order of the URLs
  loading: boolean;
  retry: () => void;
}

async function fetchWithRetry<T>(url: string, signal: AbortSignal): Promise<Query<T>> {
  for (let attempt = 0; ; attempt++) {
    try {
      const data = await queued(() => request<T>(url, { signal }), signal);
      return { url, data, error: undefined };
    } catch (e) {
      if (signal.aborted) throw e;
      const error = e instanceof ApiError ? e : new ApiError(0, String(e));
      if (!error.retryable || attempt >= retryMs.length) return { url, data: undefined, error };
      await new Promise((done) => setTimeout(done, retryMs[attempt]));
      if (signal.aborted) throw e;
    }
  }
}

// Return the answer of each URL; if it is not known yet, the last one in its place.
function arranged<T>(urls: readonly string[], known: readonly Query<T>[]): Query<T>[] {
  return urls.map(
    (url, i) =>
      known.find((q) => q.url === url) ??
      (known.length === urls.length ? known[i] : undefined) ?? {
        url: "",
        data: undefined,
        error: undefined,
      },
  );
}

// Return the answers to some queries; a change of `tick` sends them again. `wanted` false: none is
// sent, and the last answers stay.
export function useQueries<T>(
  urls: readonly string[],
  tick: unknown = 0,
  wanted = true,
): Queries<T> {
  const [known, setKnown] = useState<Query<T>[]>([]);
  const [loading, setLoading] = useState(urls.length > 0);
  const [attempt, setAttempt] = useState(0);
  const done = useRef(""); // the queries that have been answered
  const key = JSON.stringify([urls, tick, attempt]);
  useEffect(() => {
    if (!wanted || done.current === key) return;
    const abort = new AbortController();
    let left = urls.length;
    setLoading(left > 0);
    for (const url of urls)
      fetchWithRetry<T>(url, abort.signal)
        .then((answer) => {
          if (abort.signal.aborted) return;
          setKnown((old) =>
            arranged(urls, old).map((q, i) => (urls[i] === url ? answer : q)),
          );
          if (--left) return;
          done.current = key;
          setLoading(false);
        })
        .catch(() => undefined); // aborted
    return () => abort.abort();
  }, [key, wanted]);
  return {
    answers: arranged(urls, known),
    loading,
    retry: () => setAttempt((n) => n + 1),
  };
}
