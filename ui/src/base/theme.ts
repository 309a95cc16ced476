// SPDX-License-Identifier: Apache-2.0
// Light, dark, or as the system has it; kept in this browser.
import { useEffect, useState } from "preact/hooks";

export type Theme = "light" | "dark" | "system";

const key = "varve-theme";
const listeners = new Set<() => void>();
const system = () => (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

export function storedTheme(): Theme {
  try {
    const text = localStorage.getItem(key);
    return text === "light" || text === "dark" ? text : "system";
  } catch {
    return "system"; // a page from a file may not be allowed to
  }
}

export function applyTheme(theme: Theme) {
  document.documentElement.dataset.theme = theme === "system" ? system() : theme;
  try {
    if (theme === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // then it lasts as long as the page
  }
  for (const listener of [...listeners]) listener();
}

export const shownTheme = () => (document.documentElement.dataset.theme === "dark" ? "dark" : "light");

// What is shown now; a canvas draws again when it changes.
export function useShownTheme(): "light" | "dark" {
  const [theme, set] = useState<"light" | "dark">(shownTheme());
  useEffect(() => {
    const listener = () => set(shownTheme());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return theme;
}

export function followSystemTheme() {
  applyTheme(storedTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => storedTheme() === "system" && applyTheme("system"));
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
