// SPDX-License-Identifier: Apache-2.0
// A comparison as something to send to others: stacks with both values, a table, a command line.
import { apiUrl } from "../api/client";
import { filterParams, sideParams } from "../api/selection";
import { DiffAnswer, DiffRow } from "../api/types";
import { filterOptions, isNarrowed, shellQuote, timeText } from "../files/commands";
import { State } from "../url";
import { sideOf } from "./sides";

// "main;parse 40" a line.
function valuesOf(folded: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of folded.split("\n")) {
    const at = line.lastIndexOf(" ");
    if (at > 0) values.set(line.slice(0, at), (values.get(line.slice(0, at)) ?? 0) + Number(line.slice(at + 1)));
  }
  return values;
}

// "main;parse 40 90" a line: what difffolded.pl makes of two files and flamegraph.pl reads. What one side lacks is 0 there.
export function foldedDiff(before: string, after: string): string {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const stacks = [...new Set([...old.keys(), ...now.keys()])].sort();
  return stacks.map((stack) => `${stack} ${old.get(stack) ?? 0} ${now.get(stack) ?? 0}\n`).join("");
}

const columns: readonly (readonly [string, (row: DiffRow) => string | number])[] = [
  ["function", (r) => r.name],
  ["file", (r) => r.file],
  ["module", (r) => r.module],
  ["line", (r) => r.line ?? ""],
  ["kind", (r) => r.kind],
  ...(["self", "total"] as const).flatMap((of) => (["before", "after", "delta"] as const).map((side) => [`${of}_${side}`, (r: DiffRow) => r[of][side]] as const)),
];

const cell = (value: string | number) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value));

// As RFC 4180 has it, in the unit of the answer.
export const csvOf = (answer: DiffAnswer) => [columns.map(([name]) => name), ...answer.rows.map((row) => columns.map(([, value]) => value(row)))].map((line) => `${line.map(cell).join(",")}\r\n`).join("");

export const diffQuestion = (moment: State) => apiUrl("diff", { ...sideParams(moment), ...filterParams(moment), n: 0, sort: moment.of, normalise: moment.normalise });

// What shows the same on a terminal: of two selections, or of two files by their names. A file beside a selection is asked
// for with curl.
export function compareCommand(moment: State, origin: string, names: { before: string; after: string }): string {
  const before = sideOf(moment, "before");
  const files = before.file && moment.file && names.before && names.after;
  if (isNarrowed(moment) || (!files && (before.file || moment.file))) return `curl -s ${shellQuote(origin + diffQuestion(moment))}`;
  const words = files ? ["varve", "diff", names.before, names.after] : ["varve", "diff", "--baseline", before.query || "{}", "--comparison", moment.query || "{}"];
  const options = filterOptions(moment);
  if (!files) {
    options.push(["--comparison-from", timeText(moment.from)], ["--comparison-to", timeText(moment.to)]);
    if (before.from !== moment.from) options.push(["--baseline-from", timeText(before.from)]);
    if (before.to !== moment.to) options.push(["--baseline-to", timeText(before.to)]);
    options.push(["--url", origin]);
  }
  if (moment.of === "total") options.push(["--sort", "total"]);
  for (const [name, value] of options) if (value) words.push(name, value);
  if (moment.normalise) words.push("--normalise");
  if (moment.invert) words.push("--invert");
  return words.map(shellQuote).join(" ");
}
