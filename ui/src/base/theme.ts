// SPDX-License-Identifier: Apache-2.0
// The theme: light, dark or the system's; stored in this browser.
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
    return "system"; // a page opened from a file may have no access to localStorage
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
    // without localStorage the theme applies until the page is closed
  }
  show(theme);
}

export const shownTheme = () =>
  document.documentElement.dataset.theme === "dark" ? "dark" : "light";

// Subscribe to theme changes, before the first paint.
function useChosen<T>(now: () => T): T {
  const [value, set] = useState(now);
  useLayoutEffect(() => {
    const listener = () => set(now);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return value;
}

// Return the theme that is shown; re-renders on changes, so that canvases are redrawn.
export const useShownTheme = () => useChosen<"light" | "dark">(shownTheme);

// Return the selected theme, which may be "system".
export const useTheme = () => useChosen(() => chosen);

export function followSystemTheme() {
  show(storedTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener(
    "change",
    () => chosen === "system" && show("system"),
  );
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
