// SPDX-License-Identifier: Apache-2.0
// Refresh of a view: by the user, or every 10 seconds in live mode.
import { useEffect, useMemo, useState } from "preact/hooks";
import { forgetShown } from "../api/as_of";
import { State } from "../url";
import { nextSecond, pageTime, resolveTimes } from "./resolve_times";

const followMs = 10_000;
const openingMs = 2000;

// Return a counter and the function that refreshes. Each increment of the counter repeats all
// queries over current data.
export function useTick(live: boolean): [number, () => void] {
  const [tick, set] = useState(0);
  const next = () => {
    forgetShown();
    set((n) => n + 1);
  };
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => document.visibilityState === "visible" && next(), followMs);
    return () => clearInterval(timer);
  }, [live]);
  return [tick, next];
}

// Return the state with relative times resolved; they stay fixed until the next tick. Times are
// rounded to seconds, so that the early queries and the first view send the same URLs.
export function useResolvedState(state: State, tick: number): State {
  const now = useMemo(
    () => (tick === 0 && Date.now() < pageTime + openingMs ? pageTime : nextSecond()),
    [state.from, state.to, state.before_from, state.before_to, tick],
  );
  return resolveTimes(state, now);
}
