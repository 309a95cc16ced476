// SPDX-License-Identifier: Apache-2.0
// Changes that are not saved yet, by dashboard. They survive a visit to another view, not a reload:
// the browser asks before it leaves the page.
import { useEffect, useState } from "preact/hooks";
import { Dashboard } from "./model";

const drafts = new Map<string, Dashboard>();
const listeners = new Set<() => void>();

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

export function setDraft(name: string, dashboard: Dashboard | undefined) {
  if (dashboard) drafts.set(name, dashboard);
  else drafts.delete(name);
  removeEventListener("beforeunload", ask);
  if (drafts.size) addEventListener("beforeunload", ask);
  for (const listener of [...listeners]) listener();
}

export function useDraft(name: string): Dashboard | undefined {
  const [, update] = useState(0);
  useEffect(() => {
    const listener = () => update((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return drafts.get(name);
}
