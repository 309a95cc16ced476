// SPDX-License-Identifier: Apache-2.0
// Collapses frames into their callers: recursive calls, and calls within libraries. The self value
// of a collapsed frame is added to its caller, its callees become callees of the caller, and
// siblings of the same name are merged. The totals of the remaining frames do not change, and self
// values still add up to the root's total.
import { isLibrary } from "./frame_kinds";
import { linksOf, Tree } from "./tree";

export type Collapse = "" | "recursion" | "libraries" | "both";

export interface Collapsed {
  tree: Tree;
  mapped: Int32Array; // by node of the original tree: node of this tree
  // by node of this tree: the original node, or -1 if it was merged from several
  origin: Int32Array;
}

export function libraryNames(tree: Tree): Uint8Array {
  const marks = new Uint8Array(tree.names.length);
  for (let i = 0; i < marks.length; i++)
    if (
      isLibrary({ name: tree.names[i], file: tree.files[i] ?? "", module: tree.modules[i] ?? "" })
    )
      marks[i] = 1;
  return marks;
}

// The nodes of the new tree in the order of their first visit, which is not always depth first.
interface Draft {
  name: number[];
  parent: number[];
  origin: number[];
  target: Int32Array; // by node of the original tree: row of this draft
}

function draftOf(tree: Tree, folds: (parentName: number, name: number) => boolean): Draft {
  const count = tree.name.length;
  const draft: Draft = {
    name: [tree.name[0]],
    parent: [-1],
    origin: [0],
    target: new Int32Array(count),
  };
  // row of the parent and name of the child -> row of the child
  const known = new Map<number, number>();
  const nameCount = tree.names.length + 1;
  for (let node = 1; node < count; node++) {
    const parent = draft.target[tree.parent[node]];
    const name = tree.name[node];
    if (folds(draft.name[parent], name)) {
      draft.target[node] = parent;
      continue;
    }
    const key = parent * nameCount + name;
    let row = known.get(key);
    if (row === undefined) {
      row = draft.name.length;
      known.set(key, row);
      draft.name.push(name);
      draft.parent.push(parent);
      draft.origin.push(node);
    } else draft.origin[row] = -1;
    draft.target[node] = row;
  }
  return draft;
}

// Add up the values of each row. Self values are summed; the total of a frame that was collapsed
// into its caller is part of the caller's total already.
function sumsOf(
  tree: Tree,
  target: Int32Array,
  rows: number,
  self: Float64Array,
  total: Float64Array,
) {
  const sums = { self: new Float64Array(rows), total: new Float64Array(rows) };
  for (let node = 0; node < target.length; node++) {
    sums.self[target[node]] += self[node];
    if (node === 0 || target[tree.parent[node]] !== target[node])
      sums.total[target[node]] += total[node];
  }
  return sums;
}

// Order the rows depth first, larger children first. Returns the new index of each row, and the
// levels by new index.
function arrange(
  draft: Draft,
  weight: (row: number) => number,
): { place: Int32Array; level: Uint32Array } {
  const rows = draft.name.length;
  const children: number[][] = Array.from({ length: rows }, () => []);
  for (let row = 1; row < rows; row++) children[draft.parent[row]].push(row);
  const place = new Int32Array(rows);
  const level = new Uint32Array(rows);
  const open: number[] = [0];
  const depth = new Uint32Array(rows);
  for (let next = 0; open.length; next++) {
    const row = open.pop()!;
    place[row] = next;
    level[next] = depth[row];
    // Equal children keep their order. They are pushed in reverse order.
    children[row].sort((a, b) => weight(b) - weight(a) || a - b);
    for (let i = children[row].length - 1; i >= 0; i--) {
      depth[children[row][i]] = depth[row] + 1;
      open.push(children[row][i]);
    }
  }
  return { place, level };
}

function moved(
  values: Float64Array | readonly number[],
  place: Int32Array,
  out: Float64Array | Int32Array,
) {
  for (let row = 0; row < place.length; row++) out[place[row]] = values[row];
  return out;
}

export function collapse(tree: Tree, how: Collapse): Collapsed {
  const count = tree.name.length;
  if (!how || count < 2) {
    const same = Int32Array.from({ length: count }, (_, i) => i);
    return { tree, mapped: same, origin: same };
  }
  const recursion = how !== "libraries";
  const library = how === "recursion" ? null : libraryNames(tree);
  const draft = draftOf(
    tree,
    (parent, name) =>
      parent >= 0 &&
      ((recursion && parent === name) ||
        (library !== null && !!library[parent] && !!library[name])),
  );
  const rows = draft.name.length;
  const after = sumsOf(tree, draft.target, rows, tree.self, tree.total);
  const before =
    tree.beforeSelf &&
    tree.beforeTotal &&
    sumsOf(tree, draft.target, rows, tree.beforeSelf, tree.beforeTotal);
  const { place, level } = arrange(draft, (row) =>
    Math.max(Math.abs(after.total[row]), before ? Math.abs(before.total[row]) : 0),
  );
  const floats = (values: Float64Array) =>
    moved(values, place, new Float64Array(rows)) as Float64Array;
  const mapped = draft.target.map((row) => place[row]);
  return {
    tree: {
      ...tree,
      level,
      ...linksOf(level),
      name: moved(draft.name, place, new Int32Array(rows)) as Int32Array,
      self: floats(after.self),
      total: floats(after.total),
      beforeSelf: before && floats(before.self),
      beforeTotal: before && floats(before.total),
    },
    mapped,
    origin: moved(draft.origin, place, new Int32Array(rows)) as Int32Array,
  };
}
