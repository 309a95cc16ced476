// SPDX-License-Identifier: Apache-2.0
// Code that the first picture does not need: it is loaded beside it, or right after it.
import { useLayoutEffect, useState } from "preact/hooks";

const retryMs = 2000;

export interface Later<T> {
  load: () => Promise<T>; // once; asked again while the server is not responding
  use: (wanted?: boolean) => T | undefined; // a hook; undefined: not there yet
}

export function later<T extends object>(get: () => Promise<T>): Later<T> {
  let there: T | undefined;
  let coming: Promise<T> | undefined;
  const again = (): Promise<T> => get().catch(() => new Promise((done) => setTimeout(done, retryMs)).then(again));
  const load = () => (coming ??= again().then((value) => (there = value)));
  const use = (wanted = true) => {
    const [, arrived] = useState(there);
    useLayoutEffect(() => {
      if (wanted && !there) void load().then(() => arrived(there));
    }, [wanted]);
    return there;
  };
  return { load, use };
}
