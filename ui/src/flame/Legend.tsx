// SPDX-License-Identifier: Apache-2.0
// What the colours mean, and how much of the value each stands for.
import { useEffect, useState } from "preact/hooks";
import { changeColour, colourOfGroup, Colouring, cssOf, grouper, Palette, Theme } from "./colours";
import { Kind, kindLabels } from "./frames";
import type { Tree } from "./model";
import { shareText } from "./numbers";
import { cleanName } from "./text";

const shownGroups = 7;

export interface Group {
  name: string;
  self: number;
}

// The groups below a node by what they take themselves, the largest first.
export function groupsOf(tree: Tree, colouring: Colouring, root: number): Group[] {
  const byName = new Float64Array(tree.names.length);
  for (let node = root; node < tree.end[root]; node++) if (tree.name[node] >= 0) byName[tree.name[node]] += tree.self[node];
  const groupOf = grouper(tree, colouring);
  const sums = new Map<string, number>();
  for (let name = 0; name < byName.length; name++) {
    if (!byName[name]) continue;
    const group = groupOf(name);
    sums.set(group, (sums.get(group) ?? 0) + byName[name]);
  }
  return [...sums].map(([name, self]) => ({ name, self })).sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));
}

interface Props {
  tree: Tree;
  root: number;
  colouring: Colouring;
  palette: Palette;
  theme: Theme;
}

function Changes({ palette, theme }: Props) {
  const swatch = (change: number) => <i key={change} style={{ background: cssOf(changeColour(theme, palette, change)) }} />;
  return (
    <div class="flame-legend">
      <span>
        less{" "}
        <span class="flame-legend-scale">
          {[-1, -0.6, -0.3, -0.1, 0, 0.1, 0.3, 0.6, 1].map(swatch)}
        </span>{" "}
        more
      </span>
    </div>
  );
}

export function Legend(props: Props) {
  const { tree, root, colouring, theme } = props;
  const [groups, setGroups] = useState<Group[]>([]);
  const byGroup = colouring !== "name" && colouring !== "diff";
  // All names are looked at for this, so it comes after the picture.
  useEffect(() => {
    if (!byGroup) return;
    const timer = setTimeout(() => setGroups(groupsOf(tree, colouring, root)), 60);
    return () => clearTimeout(timer);
  }, [tree, root, colouring]);
  if (colouring === "diff") return <Changes {...props} />;
  if (!byGroup) return null;
  if (!groups.some((group) => group.name)) return <div class="flame-legend" />;
  const rest = groups.slice(shownGroups).reduce((sum, group) => sum + group.self, 0);
  return (
    <div class="flame-legend" aria-label={`Colours: ${colouring}, with the share of self values`}>
      {groups.slice(0, shownGroups).map((group) => (
        <span key={group.name}>
          {group.name && <i style={{ background: cssOf(colourOfGroup(theme, colouring, group.name)) }} />}
          {colouring === "kind" ? kindLabels[group.name as Kind] : group.name ? cleanName(group.name, 60) : "unknown"}
          <b>{shareText(group.self, tree.total[root])}</b>
        </span>
      ))}
      {rest !== 0 && (
        <span>
          {groups.length - shownGroups} more<b>{shareText(rest, tree.total[root])}</b>
        </span>
      )}
    </div>
  );
}
