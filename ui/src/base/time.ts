// SPDX-License-Identifier: Apache-2.0
// Parses and formats times as the server accepts them: "now-1h", or milliseconds since 1970.

const unitMs: Record<string, number> = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3, w: 7 * 86400e3 };

const unitNames: Record<string, string> = {
  s: "second",
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
};

// Parse a time into milliseconds since 1970; NaN if it is invalid.
export function timeOf(text: string, now = Date.now()): number {
  const relative = /^now(?:-(\d+)([smhdw]))?$/.exec(text);
  if (relative) return relative[1] ? now - Number(relative[1]) * unitMs[relative[2]] : now;
  if (/^\d+$/.test(text)) return Number(text);
  return Date.parse(text);
}

export const isRelative = (text: string) => text.startsWith("now");

export interface Range {
  from: string;
  to: string;
}

export const ranges: readonly (Range & { label: string; key: string })[] = [
  ["5m", "Last 5 minutes"],
  ["15m", "Last 15 minutes"],
  ["30m", "Last 30 minutes"],
  ["1h", "Last hour"],
  ["3h", "Last 3 hours"],
  ["6h", "Last 6 hours"],
  ["12h", "Last 12 hours"],
  ["24h", "Last 24 hours"],
  ["2d", "Last 2 days"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
].map(([key, label]) => ({ key, label, from: `now-${key}`, to: "now" }));

const two = (n: number) => String(n).padStart(2, "0");

export function formatDate(ms: number): string {
  const d = new Date(ms);
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

// Format as local time, in seconds, or in milliseconds if they are not zero.
export function formatTime(ms: number): string {
  const d = new Date(ms);
  const rest = ms % 1000 ? `.${String(Math.floor(ms % 1000)).padStart(3, "0")}` : "";
  return `${formatDate(ms)} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}${rest}`;
}

// Format the begin or end of a range: relative times and full minutes without seconds.
function edgeText(text: string, ms: number, fine: boolean): string {
  const time = formatTime(fine ? ms : Math.round(ms / 1000) * 1000);
  return isRelative(text) || time.endsWith(":00") ? time.slice(0, 16) : time;
}

// Format a range: "Last hour", "14:05 – 15:05" if it is today, "2026-11-14 14:05 – 15:05".
export function formatRange(range: Range, now = Date.now()): string {
  const known = ranges.find((r) => r.from === range.from && r.to === range.to);
  if (known) return known.label;
  const relative = range.to === "now" && /^now-(\d+)([smhdw])$/.exec(range.from);
  if (relative)
    return `Last ${relative[1]} ${unitNames[relative[2]]}${relative[1] === "1" ? "" : "s"}`;
  const from = timeOf(range.from, now);
  const to = timeOf(range.to, now);
  if (Number.isNaN(from) || Number.isNaN(to)) return `${range.from} to ${range.to}`;
  const fine = to - from < 10_000;
  const [start, end] = [edgeText(range.from, from, fine), edgeText(range.to, to, fine)];
  const oneDay = formatDate(from) === formatDate(to);
  return `${oneDay && formatDate(from) === formatDate(now) ? start.slice(11) : start} – ${oneDay ? end.slice(11) : end}`;
}

// Format the age of a time: "3 minutes ago".
export function formatAge(ms: number, now = Date.now()): string {
  const age = Math.max(0, now - ms) / 1000;
  for (const [name, size] of [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ] as const)
    if (age >= size) return `${Math.floor(age / size)} ${name}${age >= 2 * size ? "s" : ""} ago`;
  return age < 5 ? "now" : `${Math.floor(age)} seconds ago`;
}

// Parse a local time: "2026-11-14 14:05", with or without seconds, or "14:05" of today. NaN if it
// is invalid.
export function localTime(text: string, now = Date.now()): number {
  const found =
    /^(?:(\d{4})-(\d{1,2})-(\d{1,2})[ T]+)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/.exec(text.trim());
  if (!found) return NaN;
  const today = new Date(now);
  const [year, month, day] = found[1]
    ? [Number(found[1]), Number(found[2]) - 1, Number(found[3])]
    : [today.getFullYear(), today.getMonth(), today.getDate()];
  const [hour, minute, second] = [found[4], found[5], found[6] ?? "0"].map(Number);
  const time = new Date(year, month, day, hour, minute, second);
  const same = time.getMonth() === month && time.getDate() === day && time.getHours() === hour;
  return same && minute < 60 && second < 60 ? time.getTime() : NaN;
}

// Return the name of the local time zone with its offset now: "Europe/Berlin (UTC+01:00)".
export function timeZone(now = new Date()): string {
  const minutes = -now.getTimezoneOffset();
  const offset = `${minutes < 0 ? "-" : "+"}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return minutes ? `${name} (UTC${offset})` : name === "UTC" ? "UTC" : `${name} (UTC)`;
}
