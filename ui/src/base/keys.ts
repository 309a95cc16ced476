// SPDX-License-Identifier: Apache-2.0
// Keyboard shortcuts: each view registers its keys while it is mounted; the help overlay lists
// them.
import { useEffect, useRef } from "preact/hooks";

export interface Key {
  key: string; // value of KeyboardEvent.key
  help: string;
  run: () => void;
  hidden?: boolean; // not listed in the help
}

interface Group {
  title: string;
  keys: () => Key[];
}

const groups = new Set<Group>();

export const keyGroups = () =>
  [...groups].map((g) => ({ title: g.title, keys: g.keys().filter((k) => !k.hidden) }));

// Register keys while the component is mounted. A later group overrides an earlier one.
export function useKeys(title: string, keys: Key[]) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const group: Group = { title, keys: () => latest.current };
    groups.add(group);
    return () => void groups.delete(group);
  }, []);
}

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function listenForKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    for (const group of [...groups].reverse()) {
      const found = group.keys().find((k) => k.key === event.key);
      if (!found) continue;
      event.preventDefault();
      found.run();
      return;
    }
  });
}
