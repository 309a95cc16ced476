// SPDX-License-Identifier: Apache-2.0
// Keeps all parts of a page on the same data. Each answer contains the version of the data that it
// was computed from (`as_of`, docs/api.md). The next query over the same selection (a zoom, a
// search, another view) sends that version, and the server answers from its kept results, whatever
// was ingested meanwhile. Another range or selection has no version yet; a refresh discards all
// versions.

// their answers contain `as_of`
const versionedPaths = new Set(["flame", "top", "callers", "diff", "sums"]);
const narrowing = [
  "type",
  "span",
  "trace",
  "traces",
  "children",
  "time_from",
  "time_to",
  "phase_step",
  "phase_from",
  "phase_to",
];
const maxSelections = 32;

let shown = new Map<string, string>(); // version by selection, in the order of the last answer

export const forgetShown = () => void (shown = new Map());

// Return the selections of a query: one, or both sides of a difference. Empty if its answer
// contains no version.
function selectionsOf(url: string): string[] {
  const [path, search = ""] = url.split("?");
  if (!versionedPaths.has(path.slice(path.lastIndexOf("/") + 1))) return [];
  const params = new URLSearchParams(search);
  const selection = (...names: string[]) =>
    JSON.stringify([...names, ...narrowing].map((name) => params.getAll(name)));
  const side = (name: string) => selection(name, `${name}_from`, `${name}_to`, `${name}_file`);
  return params.has("before_from") || params.has("before_file")
    ? [side("before"), side("after")]
    : [selection("query", "from", "to", "file")];
}

// Versions only increase, and the server keeps the latest.
const isNewer = (a: string, b: string) => a.length > b.length || (a.length === b.length && a > b);

function remember(known: Map<string, string>, selection: string, version: string) {
  const old = known.get(selection);
  known.delete(selection);
  known.set(selection, old !== undefined && isNewer(old, version) ? old : version);
  if (known.size > maxSelections) known.delete(known.keys().next().value!);
}

export interface VersionedQuery {
  url: string; // with `as_of` if the version is known
  // remembers the answer's version; has no effect after a refresh
  remember: (answer: unknown) => void;
}

export function versionedQuery(url: string): VersionedQuery {
  const selections = selectionsOf(url);
  const known = shown;
  const versions = selections.flatMap((selection) => known.get(selection) ?? []);
  const rememberAnswer = (answer: unknown) => {
    const parts = (answer as { as_of?: string } | undefined)?.as_of?.split("-") ?? [];
    if (parts.length === selections.length)
      selections.forEach((selection, i) => remember(known, selection, parts[i]));
  };
  return {
    url:
      versions.length && versions.length === selections.length
        ? `${url}&as_of=${versions.join("-")}`
        : url,
    remember: rememberAnswer,
  };
}
