// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it; kept in this browser.
import { useLayoutEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark" | "system";

const key = "varve-theme";
const listeners = new Set<() => void>();
const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

function storedTheme(): Theme {
  try {
    const text = localStorage.getItem(key);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system"; // a page from a file may not be allowed to
  }
}

let chosen: Theme = "system";

function show(theme: Theme) {
  chosen = theme;
  document.documentElement.dataset.theme = theme === "system" ? system() : theme;
  for (const listener of [...listeners]) listener();
}

export function applyTheme(theme: Theme) {
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // then it lasts as long as the page
  }
  show(theme);
}

export const shownTheme = () => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

// Before it is painted, a page learns which theme it has.
function useChosen<T>(now: () => T): T {
  const [value, set] = useState(now);
  useLayoutEffect(() => {
    const listener = () => set(now);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return value;
}

// What is shown now; a canvas draws again when it changes.
export const useShownTheme = () => useChosen<"light" | "dark">(shownTheme);

// What was chosen.
export const useTheme = () => useChosen(() => chosen);

export function followSystemTheme() {
  show(storedTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chosen === "system" && show("system"));
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
