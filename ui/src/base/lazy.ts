// SPDX-License-Identifier: Apache-2.0
// Loads code that the first paint does not need.
import { useLayoutEffect, useState } from "preact/hooks";

const retryMs = 2000;

export interface Lazy<T> {
  load: () => Promise<T>; // loads once; retries while the server is not responding
  use: (wanted?: boolean) => T | undefined; // a hook; undefined until the code is loaded
}

export function lazy<T extends object>(get: () => Promise<T>): Lazy<T> {
  let loaded: T | undefined;
  let loading: Promise<T> | undefined;
  const retry = (): Promise<T> =>
    get().catch(() => new Promise((done) => setTimeout(done, retryMs)).then(retry));
  const load = () => (loading ??= retry().then((value) => (loaded = value)));
  const use = (wanted = true) => {
    const [, setLoaded] = useState(loaded);
    useLayoutEffect(() => {
      if (wanted && !loaded) void load().then(() => setLoaded(loaded));
    }, [wanted]);
    return loaded;
  };
  return { load, use };
}
