// SPDX-License-Identifier: Apache-2.0
// The legend of colours, with each group's share of self values.
import { useEffect, useMemo, useState } from "preact/hooks";
import { Ends, endsOf } from "../../base/components";
import {
  changeColour,
  colourOfGroup,
  Colouring,
  cssOf,
  grouper,
  groupOfFrame,
  Palette,
  Theme,
} from "../canvas/colours";
import { Prepared, sourcePath } from "../model/engine";
import { hidesFrames, Sums, SumsAnswer, useSums } from "../model/server_sums";
import { Kind, kindLabels } from "../model/frame_kinds";
import type { Tree } from "../model/tree";
import { shareText } from "../text/numbers";
import { cleanName } from "../text/names";

const shownGroups = 7;

export interface Group {
  name: string;
  self: number;
}

// Sum values by name into groups.
function byGroups(tree: Tree, colouring: Colouring, values: Float64Array): Map<string, number> {
  const groupOf = grouper(tree, colouring);
  const sums = new Map<string, number>();
  for (let name = 0; name < values.length; name++) {
    if (!values[name]) continue;
    const group = groupOf(name);
    sums.set(group, (sums.get(group) ?? 0) + values[name]);
  }
  return sums;
}

// Return the groups below a node, by descending sum of self values.
export function groupsOf(tree: Tree, colouring: Colouring, root: number): Group[] {
  const byName = new Float64Array(tree.names.length);
  for (let node = root; node < tree.end[root]; node++)
    if (tree.name[node] >= 0) byName[tree.name[node]] += tree.self[node];
  return sorted(byGroups(tree, colouring, byName));
}

// Return the painted area of each group below a node: the sum of the widths of its frames.
export function areasOf(tree: Tree, colouring: Colouring, root: number): Map<string, number> {
  const byName = new Float64Array(tree.names.length);
  for (let node = root; node < tree.end[root]; node++)
    if (tree.name[node] >= 0) byName[tree.name[node]] += Math.abs(tree.total[node]);
  return byGroups(tree, colouring, byName);
}

// Return the same groups from the server's sums over all frames.
export function groupsOfPlaces(
  { names, files, modules, self }: NonNullable<SumsAnswer["places"]>,
  colouring: Colouring,
): Group[] {
  const groupOf = groupOfFrame(colouring);
  const sums = new Map<string, number>();
  self.forEach((value, i) => {
    const group = groupOf({ name: names[i], file: files[i], module: modules[i] });
    sums.set(group, (sums.get(group) ?? 0) + value);
  });
  return sorted(sums);
}

const sorted = (sums: Map<string, number>) =>
  [...sums]
    .map(([name, self]) => ({ name, self }))
    .sort((a, b) => b.self - a.self || (a.name < b.name ? -1 : 1));

interface Props {
  prepared: Prepared;
  root: number;
  sums: Sums | undefined;
  colouring: Colouring;
  palette: Palette;
  theme: Theme;
  shares: boolean;
}

function Changes({ palette, theme }: Props) {
  const swatch = (change: number) => (
    <i key={change} style={{ background: cssOf(changeColour(theme, palette, change)) }} />
  );
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
  whole: number; // sum of all self values; 0: not known yet
  rest: number; // sum of the values that belong to no listed group
}

// Return the groups with their sums over all frames, including hidden ones.
function useShares({ prepared, root, sums, colouring }: Props, byGroup: boolean): Shares | null {
  const { tree, source } = prepared;
  const [local, setLocal] = useState<{ groups: Group[]; areas: Map<string, number> } | null>(null);
  // Visits all names, so it runs after the graph is painted.
  useEffect(() => {
    if (!byGroup) return;
    const timer = setTimeout(
      () =>
        setLocal({
          groups: groupsOf(tree, colouring, root),
          areas: areasOf(tree, colouring, root),
        }),
      60,
    );
    return () => clearTimeout(timer);
  }, [tree, root, colouring]);
  const path = useMemo(() => sourcePath(prepared, root), [prepared, root]);
  const answer = useSums(
    sums,
    byGroup && path && hidesFrames(source) ? { path, places: true } : null,
  );
  const exact = useMemo(
    () =>
      answer?.places && {
        groups: groupsOfPlaces(answer.places, colouring),
        whole: answer.total,
        rest: answer.places.rest,
      },
    [answer, colouring],
  );
  return useMemo(() => {
    if (!byGroup || !local) return null;
    // Without a server the shares are those of the frames in the page.
    const shares = exact || {
      groups: local.groups,
      whole: answer === undefined ? 0 : tree.total[root],
      rest: 0,
    };
    // The colours with the largest area first, also those without self values of their own.
    const self = new Map(shares.groups.map((group) => [group.name, group.self]));
    const names = new Set([...local.areas.keys(), ...self.keys()]);
    const area = (name: string) => local.areas.get(name) ?? 0;
    const groups = [...names]
      .map((name) => ({ name, self: self.get(name) ?? 0 }))
      .sort((a, b) => area(b.name) - area(a.name) || b.self - a.self);
    return { ...shares, groups };
  }, [byGroup, local, exact, answer === undefined]);
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
  const share = (part: number) =>
    whole && props.shares ? <b>{shareText(part, whole)}</b> : null;
  return (
    <div class="flame-legend" role="group" aria-label={`Colours: ${colouring}${props.shares ? ", with the share of self values" : ""}`}>
      {groups.slice(0, shownGroups).map((group) => (
        <span key={group.name}>
          {group.name && (
            <i style={{ background: cssOf(colourOfGroup(theme, colouring, group.name)) }} />
          )}
          {colouring === "kind" ? (
            kindLabels[group.name as Kind]
          ) : group.name ? (
            <Ends parts={endsOf(cleanName(group.name, 200))} title={cleanName(group.name, 200)} />
          ) : (
            "unknown"
          )}
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
