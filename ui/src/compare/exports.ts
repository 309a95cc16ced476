// SPDX-License-Identifier: Apache-2.0
// Exports of a comparison: folded stacks with both values, CSV, a command line.
import { apiUrl } from "../api/client";
import { filterParams, sideParams } from "../api/selection";
import { DiffAnswer, DiffRow } from "../api/types";
import { filterOptions, isNarrowed, shellQuote, timeText } from "../files/links";
import { State } from "../url";
import { sideOf } from "./sides";

// Parse folded stacks: lines of the form "main;parse 40".
function valuesOf(folded: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const line of folded.split("\n")) {
    const at = line.lastIndexOf(" ");
    if (at > 0)
      values.set(
        line.slice(0, at),
        (values.get(line.slice(0, at)) ?? 0) + Number(line.slice(at + 1)),
      );
  }
  return values;
}

// Format folded stacks with both values: lines of the form "main;parse 40 90", the output of
// difffolded.pl and input of flamegraph.pl. A stack that one side lacks is 0 there.
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
  ...(["self", "total"] as const).flatMap((of) =>
    (["before", "after", "delta"] as const).map(
      (side) => [`${of}_${side}`, (r: DiffRow) => r[of][side]] as const,
    ),
  ),
];

const cell = (value: string | number) =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);

// Format as CSV (RFC 4180), in the unit of the answer.
export const csvOf = (answer: DiffAnswer) =>
  [
    columns.map(([name]) => name),
    ...answer.rows.map((row) => columns.map(([, value]) => value(row))),
  ]
    .map((line) => `${line.map(cell).join(",")}\r\n`)
    .join("");

export const diffQuery = (resolved: State) =>
  apiUrl("diff", {
    ...sideParams(resolved),
    ...filterParams(resolved),
    n: 0,
    sort: resolved.of,
    normalise: resolved.normalise,
  });

// Return a command line for the same comparison of two selections or of two files. A file compared
// with a selection needs curl.
export function compareCommand(
  resolved: State,
  origin: string,
  names: { before: string; after: string },
): string {
  const before = sideOf(resolved, "before");
  const files = before.file && resolved.file && names.before && names.after;
  if (isNarrowed(resolved) || (!files && (before.file || resolved.file)))
    return `curl -s ${shellQuote(origin + diffQuery(resolved))}`;
  const words = files
    ? ["varve", "diff", names.before, names.after]
    : ["varve", "diff", "--baseline", before.query || "{}", "--comparison", resolved.query || "{}"];
  const options = filterOptions(resolved);
  if (!files) {
    options.push(
      ["--comparison-from", timeText(resolved.from)],
      ["--comparison-to", timeText(resolved.to)],
    );
    if (before.from !== resolved.from) options.push(["--baseline-from", timeText(before.from)]);
    if (before.to !== resolved.to) options.push(["--baseline-to", timeText(before.to)]);
    options.push(["--url", origin]);
  }
  if (resolved.of === "total") options.push(["--sort", "total"]);
  for (const [name, value] of options) if (value) words.push(name, value);
  if (resolved.normalise) words.push("--normalise");
  if (resolved.invert) words.push("--invert");
  return words.map(shellQuote).join(" ");
}
