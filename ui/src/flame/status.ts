// SPDX-License-Identifier: Apache-2.0
// What is not shown, and by what rule; what is found.
import { formatValue, grouped } from "../base/units";
import type { Prepared } from "./engine";
import type { Tree } from "./model";
import { shareText } from "./numbers";
import type { MatchSum } from "./search";

export function hiddenText(tree: Tree, prepared: Prepared): string {
  const there = prepared.source.name.length - 1;
  const folded = there - (tree.name.length - 1);
  const parts: string[] = [];
  if (tree.nodeCount > there) {
    const least = shareText(prepared.layout.least, prepared.layout.whole);
    parts.push(
      `${grouped(there)} of ${grouped(tree.nodeCount)} frames shown; frames under ${least} hold ${shareText(tree.hiddenShare, 1)} and are hidden: zoom in to see them`,
    );
  } else parts.push(`${grouped(there)} ${there === 1 ? "frame" : "frames"}`);
  if (folded > 0) parts.push(`${grouped(folded)} folded into their callers`);
  return parts.join("; ");
}

export function foundText(sum: MatchSum, tree: Tree, zoom: number): string {
  if (!sum.count) return "no matches";
  const frames = `${grouped(sum.count)} ${sum.count === 1 ? "frame" : "frames"}`;
  const share = `${shareText(sum.value, tree.total[zoom])}${zoom > 0 || tree.rootPath.length ? " of the view" : ""}`;
  return `${frames}: ${formatValue(sum.value, tree.unit)}, ${share}`;
}
