// SPDX-License-Identifier: Apache-2.0
// Severities of log records: names and colours.

export const levels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export type Level = (typeof levels)[number] | "";

// Bars only: no text is drawn on or with these colours.
const colours: Record<Level, string> = {
  fatal: "#8e2a7e",
  error: "#d6503c",
  warn: "#e0a21e",
  info: "#3b82d6",
  debug: "#5fa8a0",
  trace: "#a9b4c0",
  "": "#8a94a0",
};

export const levelColour = (level: string) => colours[level as Level] ?? colours[""];
export const levelName = (level: string) => level || "no severity";
