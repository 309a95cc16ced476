// SPDX-License-Identifier: Apache-2.0
// The view as something to send to others: a link that shows the same tomorrow, a command line, a file.
import { apiUrl, Params } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { timeOf } from "../base/time";
import { formatUrl, State } from "../url";

// `moment` has times that stand still, so that "the last hour" stays the hour that was seen.
export const linkOf = (moment: State, origin: string) => origin + formatUrl({ ...moment, live: false });

export const shellQuote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const asTables: readonly State["view"][] = ["table", "sandwich"];

// Milliseconds are for programs; people read this one.
export const timeText = (text: string) => {
  const time = timeOf(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString().replace(".000Z", "Z");
};

// A store knows types by their whole name, a file by the name and unit of its values.
function typeText(s: State): string {
  const [, sample, unit] = s.type.split(":");
  return s.file && sample ? `${sample}/${unit}` : s.type;
}

export function filterOptions(s: State): [string, string][] {
  return [
    ["--type", typeText(s)],
    ["--focus", s.focus],
    ["--ignore", s.ignore],
    ["--hide", s.hide],
    ["--group", s.group],
  ];
}

export const isNarrowed = (s: State) => !!(s.span || s.trace || s.time_from || s.time_to || s.phase_step);

// What shows the same on a terminal. What the command line has no word for is asked with curl.
export function commandOf(moment: State, origin: string, fileName = ""): string {
  const what = asTables.includes(moment.view) ? "top" : "flame";
  if (isNarrowed(moment) || (moment.file && !fileName)) return `curl -s ${shellQuote(origin + apiUrl(what, { ...selectionParams(moment), ...filterParams(moment) }))}`;
  const words = moment.file ? ["varve", what, fileName] : ["varve", "query", what, ...(moment.query ? [moment.query] : [])];
  const options: [string, string][] = [...filterOptions(moment)];
  if (!moment.file) options.push(["--from", timeText(moment.from)], ["--to", timeText(moment.to)], ["--url", origin]);
  for (const [name, value] of options) if (value) words.push(name, value);
  if (moment.invert) words.push("--invert");
  return words.map(shellQuote).join(" ");
}

export const downloadFormats: readonly (readonly [format: string, name: string, help: string])[] = [
  ["pprof", "pprof", "go tool pprof, most other tools (.pb.gz)"],
  ["otlp", "OTLP", "OpenTelemetry profiles, protobuf"],
  ["folded", "Folded stacks", "a line a stack; flamegraph.pl"],
  ["speedscope", "speedscope", "JSON of speedscope.app"],
];

// A profile has no picture's filters (hide, group, invert): it holds whole stacks.
export function downloadUrl(moment: State, format: string): string {
  const params: Params = { ...selectionParams(moment), focus: moment.focus, ignore: moment.ignore, format };
  return apiUrl("profile", params);
}

export function pictureName(moment: State, suffix: string): string {
  const name = (moment.query || "profile").replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);
  return `${name || "profile"}.${suffix}`;
}
