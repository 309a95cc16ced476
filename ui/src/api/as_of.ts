// SPDX-License-Identifier: Apache-2.0
// Which data a page shows. An answer names the data that it is made of (`as_of`, docs/api.md). The next question about the same
// selection (a zoom, a search, another view of it) sends that name: the server then answers from the sums that it keeps, however much
// is written meanwhile, and all parts of a page are of the same moment. Another range or selection has no name yet, and a refresh
// forgets all of them.

const named = new Set(["flame", "top", "callers", "diff", "sums"]); // their answers have it
const narrowing = ["type", "span", "trace", "children", "time_from", "time_to", "phase_step", "phase_from", "phase_to"];
const mostSelections = 32;

let shown = new Map<string, string>(); // by selection, the last one that was answered at the end

export const forgetShown = () => void (shown = new Map());

// The selections that a question is about: one, or the two sides of a difference. None: its answer names nothing.
function selectionsOf(url: string): string[] {
  const [path, search = ""] = url.split("?");
  if (!named.has(path.slice(path.lastIndexOf("/") + 1))) return [];
  const params = new URLSearchParams(search);
  const selection = (...names: string[]) => JSON.stringify([...names, ...narrowing].map((name) => params.getAll(name)));
  const side = (name: string) => selection(name, `${name}_from`, `${name}_to`, `${name}_file`);
  return params.has("before_from") || params.has("before_file") ? [side("before"), side("after")] : [selection("query", "from", "to", "file")];
}

// Versions only grow, and the server keeps the newest.
const isNewer = (a: string, b: string) => a.length > b.length || (a.length === b.length && a > b);

function remember(known: Map<string, string>, selection: string, version: string) {
  const old = known.get(selection);
  known.delete(selection);
  known.set(selection, old !== undefined && isNewer(old, version) ? old : version);
  if (known.size > mostSelections) known.delete(known.keys().next().value!);
}

export interface Naming {
  url: string; // of the question, with `as_of` if it is known
  note: (answer: unknown) => void; // of an answer that came after a refresh nothing is noted
}

export function naming(url: string): Naming {
  const selections = selectionsOf(url);
  const known = shown;
  const versions = selections.flatMap((selection) => known.get(selection) ?? []);
  const note = (answer: unknown) => {
    const parts = (answer as { as_of?: string } | undefined)?.as_of?.split("-") ?? [];
    if (parts.length === selections.length) selections.forEach((selection, i) => remember(known, selection, parts[i]));
  };
  return { url: versions.length && versions.length === selections.length ? `${url}&as_of=${versions.join("-")}` : url, note };
}
