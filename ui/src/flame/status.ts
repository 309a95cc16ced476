// SPDX-License-Identifier: Apache-2.0
// What is not shown, and by what rule; what is found.
import { formatValue, grouped } from "../base/units";
import type { Prepared } from "./engine";
import type { ExactMatch } from "./exact";
import type { Tree } from "./model";
import { shareText } from "./numbers";

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

// What the search finds, of all frames below the zoomed one. "counting…" until the server has counted those that are hidden.
export function foundText(found: ExactMatch, tree: Tree, zoom: number, normalise: boolean): string {
  const { sum, partial } = found;
  const scope = partial ? " of the frames shown" : "";
  if (!sum) return "counting…";
  if (!sum.count) return `no matches${partial ? " in the frames shown" : ""}`;
  const frames = `${grouped(sum.count)}${scope ? "" : sum.count === 1 ? " frame" : " frames"}${scope}`;
  const [share, before] = [shareText(sum.value, found.total), shareText(sum.beforeValue, found.beforeTotal)];
  const view = zoom > 0 || tree.rootPath.length ? " of the view" : "";
  if (tree.beforeTotal) return `${frames}: ${normalise ? `${before} → ${share}${view}` : `${formatValue(sum.beforeValue, tree.unit)} → ${formatValue(sum.value, tree.unit)}`}`;
  return `${frames}: ${partial ? "at least " : ""}${formatValue(sum.value, tree.unit)}, ${share}${view}`;
}
