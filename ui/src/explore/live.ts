// SPDX-License-Identifier: Apache-2.0
// A view that follows the time, and one that stands still until it is asked again.
import { useEffect, useMemo, useState } from "preact/hooks";
import { forgetShown } from "../api/as_of";
import { State } from "../url";
import { momentOf, nextSecond, pageTime } from "./moment";

const followMs = 10_000;
const openingMs = 2000;

// Goes up while the range is followed. Then everything is asked anew, of the data there is by now.
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

// The same state with times that stand still until the next tick. They are rounded to the second, so that views of one
// moment ask the same.
export function useMoment(state: State, tick: number): State {
  const now = useMemo(() => (tick === 0 && Date.now() < pageTime + openingMs ? pageTime : nextSecond()), [state.from, state.to, state.before_from, state.before_to, tick]);
  return momentOf(state, now);
}
