// SPDX-License-Identifier: Apache-2.0
// The texts about hidden and matching frames.
import { formatValue, grouped } from "../../base/units";
import type { Prepared } from "../model/engine";
import type { ExactMatch } from "../model/server_sums";
import type { Tree } from "../model/tree";
import { shareText } from "./numbers";

export function hiddenText(tree: Tree, prepared: Prepared): string {
  const received = prepared.source.name.length - 1;
  const folded = received - (tree.name.length - 1);
  const parts: string[] = [];
  if (tree.nodeCount > received) {
    const least = shareText(prepared.layout.least, prepared.layout.whole);
    parts.push(
      `${grouped(received)} of ${grouped(tree.nodeCount)} frames shown; ` +
        `frames under ${least} hold ${shareText(tree.hiddenShare, 1)} and are hidden: zoom in to see them`,
    );
  } else if (!received && prepared.source.rootPath.length) parts.push("no callees: all of it is self");
  else parts.push(`${grouped(received)} ${received === 1 ? "frame" : "frames"}`);
  if (folded > 0) parts.push(`${grouped(folded)} collapsed into their callers`);
  return parts.join("; ");
}

// Describe the matches in the zoomed frame, including hidden frames; "counting…" until the server
// has answered.
export function foundText(found: ExactMatch, tree: Tree, zoom: number, normalise: boolean): string {
  const { sum, partial } = found;
  const scope = partial ? " of the frames shown" : "";
  if (!sum) return "counting…";
  if (!sum.count) return `no matches${partial ? " in the frames shown" : ""}`;
  const frames = `${grouped(sum.count)}${scope ? "" : sum.count === 1 ? " frame" : " frames"}${scope}`;
  const [share, before] = [
    shareText(sum.value, found.total),
    shareText(sum.beforeValue, found.beforeTotal),
  ];
  const view = zoom > 0 || tree.rootPath.length ? " of the view" : "";
  if (tree.beforeTotal)
    return normalise
      ? `${frames}: ${before} → ${share}${view}`
      : `${frames}: ${formatValue(sum.beforeValue, tree.unit)} → ${formatValue(sum.value, tree.unit)}`;
  return `${frames}: ${partial ? "at least " : ""}${formatValue(sum.value, tree.unit)}, ${share}${view}`;
}
