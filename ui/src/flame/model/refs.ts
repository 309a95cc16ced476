// SPDX-License-Identifier: Apache-2.0
// Refs identify functions in addresses and queries: the name alone, or "name<TAB>module<TAB>file"
// where several functions have the same name. The server uses the same format
// (src/query/tree/names.h).

export interface Named {
  name: string;
  file: string;
  module: string;
}

const baseOf = (path: string) => path.slice(path.lastIndexOf("/") + 1) || path;

// Return the identity of a module: the base name of its file. Code that is generated at run time
// has none.
export function moduleBase(path: string): string {
  const base = baseOf(path.replace(/ \(deleted\)$/, ""));
  return /^(perf-.*\.map|jitted-.*\.so)$/.test(base) ? "" : base;
}

export const refName = (ref: string) => {
  const tab = ref.indexOf("\t");
  return tab < 0 ? ref : ref.slice(0, tab);
};

// Return the module or file of a ref, for display; "" if it has none.
export const refPlace = (ref: string) =>
  baseOf(ref.split("\t").slice(1).filter(Boolean).pop() ?? "");

export function refMatches(ref: string, row: Named): boolean {
  if (row.name === ref) return true;
  const [name, module, file] = ref.split("\t");
  if (module === undefined || row.name !== name || moduleBase(row.module) !== moduleBase(module))
    return false;
  return file === undefined || row.file === file || baseOf(row.file) === file;
}

function countsOf(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

// Return the shortest ref of each row that matches no other row.
export function refsOf(rows: readonly Named[]): string[] {
  const names = countsOf(rows.map((row) => row.name));
  const several = rows.filter((row) => names.get(row.name)! > 1);
  const withModule = (row: Named) => `${row.name}\t${moduleBase(row.module)}`;
  const modules = countsOf(several.map(withModule));
  return rows.map((row) => {
    if (names.get(row.name) === 1) return row.name;
    const ref = withModule(row);
    return modules.get(ref) === 1 && !ref.endsWith("\t") ? ref : `${ref}\t${row.file}`;
  });
}

// Return a function from rows to their refs, for tables.
export function refsBy<T extends Named>(rows: readonly T[]): (row: T) => string {
  const refs = refsOf(rows);
  const byRow = new Map(rows.map((row, i) => [row, refs[i]]));
  return (row) => byRow.get(row) ?? row.name;
}

// Return the ref of the first row that a ref of an address matches, or the ref itself.
export function chosenRef<T extends Named>(
  ref: string,
  rows: readonly T[],
  refOf: (row: T) => string,
): string {
  const row = ref ? rows.find((candidate) => refMatches(ref, candidate)) : undefined;
  return row ? refOf(row) : ref;
}
