// SPDX-License-Identifier: Apache-2.0
// Links with absolute times, command lines and download URLs for the data of a view.
import { apiUrl, Params } from "../api/client";
import { filterParams, ignoreOf, selectionParams } from "../api/selection";
import { timeOf } from "../base/time";
import { formatUrl, State } from "../url";

// `resolved`: the state with resolved times, so that the link shows the same hour later.
export const linkOf = (resolved: State, origin: string) =>
  origin + formatUrl({ ...resolved, live: false });

export const shellQuote = (text: string) =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

const asTables: readonly State["view"][] = ["table", "sandwich"];

// Format a time for a command line, in ISO 8601.
export const timeText = (text: string) => {
  const time = timeOf(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace(".000Z", "Z");
};

// Return the --type option: the full name for stored profiles, name and unit of the values for a
// file.
function typeText(s: State): string {
  const [, sample, unit] = s.type.split(":");
  return s.file && sample ? `${sample}/${unit}` : s.type;
}

export function filterOptions(s: State): [string, string][] {
  return [
    ["--type", typeText(s)],
    ["--focus", s.focus],
    ["--ignore", ignoreOf(s)],
    ["--hide", s.hide],
    ["--group", s.group],
  ];
}

export const isNarrowed = (s: State) =>
  !!(s.span || s.trace || s.time_from || s.time_to || s.phase_step);

// Return a command line for the same query. Queries that the command line does not support become
// curl commands.
export function commandOf(resolved: State, origin: string, fileName = ""): string {
  const what = asTables.includes(resolved.view) ? "top" : "flame";
  if (isNarrowed(resolved) || (resolved.file && !fileName))
    return `curl -s ${shellQuote(origin + apiUrl(what, { ...selectionParams(resolved), ...filterParams(resolved) }))}`;
  const words = resolved.file
    ? ["varve", what, fileName]
    : ["varve", "query", what, ...(resolved.query ? [resolved.query] : [])];
  const options: [string, string][] = [...filterOptions(resolved)];
  if (!resolved.file)
    options.push(
      ["--from", timeText(resolved.from)],
      ["--to", timeText(resolved.to)],
      ["--url", origin],
    );
  for (const [name, value] of options) if (value) words.push(name, value);
  if (resolved.invert) words.push("--invert");
  return words.map(shellQuote).join(" ");
}

export const downloadFormats: readonly (readonly [format: string, name: string, help: string])[] = [
  ["pprof", "pprof", "go tool pprof, most other tools (.pb.gz)"],
  ["otlp", "OTLP", "OpenTelemetry profiles, protobuf"],
  ["folded", "Folded stacks", "one stack per line; flamegraph.pl"],
  ["speedscope", "speedscope", "JSON of speedscope.app"],
];

// Return the URL of a download. Display filters (hide, group, invert) do not apply: a profile
// contains whole stacks.
export function downloadUrl(resolved: State, format: string): string {
  const params: Params = {
    ...selectionParams(resolved),
    focus: resolved.focus,
    ignore: ignoreOf(resolved),
    format,
  };
  return apiUrl("profile", params);
}

export function pictureName(resolved: State, suffix: string): string {
  const name = (resolved.query || "profile")
    .replace(/[^\w.-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${name || "profile"}.${suffix}`;
}
