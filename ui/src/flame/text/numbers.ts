// SPDX-License-Identifier: Apache-2.0
// Formats the values of a frame.
import { formatChange, formatShare, formatValue } from "../../base/units";
import { nameOf, Tree } from "../model/tree";
import { cleanName } from "./names";

// Format a share; small shares keep two significant digits: "0.0042%", not "0.0%".
export function shareText(part: number, whole: number): string {
  const share = whole ? Math.abs(part / whole) * 100 : 0;
  if (share === 0) return "0%";
  if (share >= 0.1) return formatShare(part, whole, share >= 99.95 ? 0 : share < 1 ? 2 : 1);
  if (share < 0.0001) return "<0.0001%";
  return formatShare(part, whole, Math.ceil(-Math.log10(share)) + 1);
}

// Format the relative change of a value: "+12.3%", "new", "gone".
export function changeText(before: number, after: number): string {
  if (!before) return after ? "new" : "unchanged";
  if (!after) return "gone";
  const change = ((after - before) / Math.abs(before)) * 100;
  return Math.abs(change) < 0.05
    ? "unchanged"
    : `${change > 0 ? "+" : ""}${change.toFixed(Math.abs(change) < 100 ? 1 : 0)}%`;
}

// Format the change of a share in percentage points: "+3.2 pp".
export function pointsText(before: number, after: number): string {
  const points = 100 * (after - before);
  const size = Math.abs(points);
  if (size < 0.00005) return "0 pp";
  return `${points > 0 ? "+" : "-"}${size.toFixed(size >= 0.1 ? 1 : Math.min(4, Math.ceil(-Math.log10(size)) + 1))} pp`;
}

const part = (value: number, whole: number) => (whole ? value / whole : 0);

// Return the shares of a difference's values in their sides.
export const sidesOf = (tree: Tree, before: number, after: number): [number, number] => [
  part(before, tree.beforeGrandTotal),
  part(after, tree.grandTotal),
];

// Return the factor for values of the before side; if normalised, it scales that side to the total
// of the after side.
export const beforeScale = (tree: Tree, normalise: boolean) =>
  normalise && tree.beforeGrandTotal ? tree.grandTotal / tree.beforeGrandTotal : 1;

// Return the text after the name in a frame.
export function detailText(tree: Tree, node: number, normalise: boolean): string {
  if (!tree.beforeTotal)
    return `${shareText(tree.total[node], tree.grandTotal)} · ${formatValue(tree.total[node], tree.unit)}`;
  const before = tree.beforeTotal[node] * beforeScale(tree, normalise);
  const change = normalise
    ? pointsText(...sidesOf(tree, tree.beforeTotal[node], tree.total[node]))
    : formatChange(tree.total[node] - before, tree.unit);
  return `${changeText(before, tree.total[node])} · ${change}`;
}

export function placeText(tree: Tree, node: number): string {
  const name = tree.name[node];
  if (name < 0 || !tree.files[name]) return "";
  const line = tree.lines?.[name];
  return cleanName(line ? `${tree.files[name]}:${line}` : tree.files[name], 300);
}

// Return the values of a frame as a sentence for screen readers.
export function spokenText(tree: Tree, node: number, rootName: string, normalise: boolean): string {
  const name = tree.name[node] < 0 ? rootName : cleanName(nameOf(tree, node), 200);
  const total = `total ${formatValue(tree.total[node], tree.unit)}, ${shareText(tree.total[node], tree.grandTotal)}`;
  const self = `self ${formatValue(tree.self[node], tree.unit)}`;
  const change = tree.beforeTotal
    ? `, ${changeText(tree.beforeTotal[node] * beforeScale(tree, normalise), tree.total[node])}`
    : "";
  return `${name}: ${total}, ${self}${change}; level ${tree.rootPath.length + tree.level[node]}`;
}
