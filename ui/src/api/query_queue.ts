// SPDX-License-Identifier: Apache-2.0
// Queries of views with many of them (dashboards): only a few are in flight at once, the others
// wait in a queue; those that are not needed any more leave it.
import { useEffect, useState } from "preact/hooks";
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
  data: T | undefined; // the last result, also while the next is being fetched
  error: ApiError | undefined;
}

export interface Queries<T> {
  answers: Query<T>[]; // in the order of the URLs
  loading: boolean;
  retry: () => void;
}

interface Slot<T> extends Query<T> {
  url: string;
}

async function fetchWithRetry<T>(url: string, signal: AbortSignal): Promise<Query<T>> {
  for (let attempt = 0; ; attempt++) {
    try {
      return { data: await queued(() => request<T>(url, { signal }), signal), error: undefined };
    } catch (e) {
      if (signal.aborted) throw e;
      const error = e instanceof ApiError ? e : new ApiError(0, String(e));
      if (!error.retryable || attempt >= retryMs.length) return { data: undefined, error };
      await new Promise((done) => setTimeout(done, retryMs[attempt]));
      if (signal.aborted) throw e;
    }
  }
}

// Return the answers to some queries; a change of `tick` sends them again. `wanted` false: none is
// sent, and the last answers stay.
export function useQueries<T>(
  urls: readonly string[],
  tick: unknown = 0,
  wanted = true,
): Queries<T> {
  const [slots, setSlots] = useState<Slot<T>[]>([]);
  const [loading, setLoading] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const key = JSON.stringify(urls);
  useEffect(() => {
    if (!wanted) return;
    const abort = new AbortController();
    let left = urls.length;
    setLoading(left > 0);
    if (!left) setSlots([]);
    urls.forEach((url, i) => {
      fetchWithRetry<T>(url, abort.signal)
        .then((answer) => {
          if (abort.signal.aborted) return;
          setSlots((old) => {
            const slots = urls.map((u, k) => old[k] ?? { url: u, data: undefined, error: undefined });
            slots[i] = { url, ...answer };
            return slots;
          });
          if (--left === 0) setLoading(false);
        })
        .catch(() => undefined); // aborted
    });
    return () => abort.abort();
  }, [key, tick, attempt, wanted]);
  return {
    answers: urls.map((_, i) => slots[i] ?? { data: undefined, error: undefined }),
    loading,
    retry: () => setAttempt((n) => n + 1),
  };
}
