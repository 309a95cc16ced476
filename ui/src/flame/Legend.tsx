// SPDX-License-Identifier: Apache-2.0
// What the colours mean, and how much of the value each stands for.
import { useEffect, useMemo, useState } from "preact/hooks";
import { changeColour, colourOfGroup, Colouring, cssOf, grouper, groupOfFrame, Palette, Theme } from "./colours";
import { Prepared, sourcePath } from "./engine";
import { hidesFrames, Sums, SumsAnswer, useSums } from "./exact";
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
  return sorted(sums);
}

// The same by the server's sums over all frames; what it does not list belongs to no group.
export function groupsOfPlaces({ names, files, modules, self }: NonNullable<SumsAnswer["places"]>, colouring: Colouring): Group[] {
  const groupOf = groupOfFrame(colouring);
  const sums = new Map<string, number>();
  self.forEach((value, i) => {
    const group = groupOf({ name: names[i], file: files[i], module: modules[i] });
    sums.set(group, (sums.get(group) ?? 0) + value);
  });
  return sorted(sums);
}

const sorted = (sums: Map<string, number>) => [...sums].map(([name, self]) => ({ name, self })).sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));

interface Props {
  prepared: Prepared;
  root: number;
  sums: Sums | undefined;
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

interface Shares {
  groups: Group[];
  whole: number; // 0: how much each has is not known yet
  rest: number; // what belongs to none of them
}

// The groups, and how much each has of all frames, the hidden ones too.
function useShares({ prepared, root, sums, colouring }: Props, byGroup: boolean): Shares | null {
  const { tree, source } = prepared;
  const [local, setLocal] = useState<Group[] | null>(null);
  // All names are looked at for this, so it comes after the picture.
  useEffect(() => {
    if (!byGroup) return;
    const timer = setTimeout(() => setLocal(groupsOf(tree, colouring, root)), 60);
    return () => clearTimeout(timer);
  }, [tree, root, colouring]);
  const path = useMemo(() => sourcePath(prepared, root), [prepared, root]);
  const answer = useSums(sums, byGroup && path && hidesFrames(source) ? { path, places: true } : null);
  const exact = useMemo(() => answer?.places && { groups: groupsOfPlaces(answer.places, colouring), whole: answer.total, rest: answer.places.rest }, [answer, colouring]);
  if (!byGroup || !local) return null;
  // A page without a server has no more than its frames: shares of those.
  return exact || { groups: local, whole: answer === undefined ? 0 : tree.total[root], rest: 0 };
}

export function Legend(props: Props) {
  const { colouring, theme } = props;
  const byGroup = colouring !== "name" && colouring !== "diff";
  const shares = useShares(props, byGroup);
  if (colouring === "diff") return <Changes {...props} />;
  if (!byGroup) return null;
  if (!shares?.groups.some((group) => group.name)) return <div class="flame-legend" />;
  const { groups, whole } = shares;
  const rest = groups.slice(shownGroups).reduce((sum, group) => sum + group.self, shares.rest);
  const share = (part: number) => (whole ? <b>{shareText(part, whole)}</b> : null);
  return (
    <div class="flame-legend" aria-label={`Colours: ${colouring}, with the share of self values`}>
      {groups.slice(0, shownGroups).map((group) => (
        <span key={group.name}>
          {group.name && <i style={{ background: cssOf(colourOfGroup(theme, colouring, group.name)) }} />}
          {colouring === "kind" ? kindLabels[group.name as Kind] : group.name ? cleanName(group.name, 60) : "unknown"}
          {share(group.self)}
        </span>
      ))}
      {rest !== 0 && (
        <span>
          {Math.max(0, groups.length - shownGroups)} more{share(rest)}
        </span>
      )}
    </div>
  );
}
