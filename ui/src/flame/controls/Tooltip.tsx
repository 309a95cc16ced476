// SPDX-License-Identifier: Apache-2.0
// The tooltip with the values of a frame. Names are rendered as text, never as HTML.
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatChange, formatValue } from "../../base/units";
import { nameOf, Tree } from "../model/tree";
import {
  beforeScale,
  changeText,
  placeText,
  pointsText,
  shareText,
  sidesOf,
} from "../text/numbers";
import { cleanName } from "../text/names";

export interface Anchor {
  x: number; // in the window
  y: number;
}

// Place an element beside a point, within the window. Returns the ref of the element, which must
// have position: fixed.
export function useAnchored<T extends HTMLElement>(anchor: Anchor, distance: number) {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const { offsetWidth: width, offsetHeight: height } = box;
    const right = anchor.x + distance + width <= innerWidth - 4;
    const below = anchor.y + distance + height <= innerHeight - 4;
    const left = right
      ? anchor.x + distance
      : Math.max(4, Math.min(anchor.x - distance - width, innerWidth - width - 4));
    const top = below ? anchor.y + distance : Math.max(4, anchor.y - distance - height);
    box.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  });
  return element;
}

interface Props {
  tree: Tree;
  node: number;
  view: number; // the node that fills the width
  rootName: string;
  normalise: boolean;
  anchor: Anchor;
}

function Values({ tree, node, view }: Props) {
  const row = (title: string, value: number) => (
    <tr>
      <th scope="row">{title}</th>
      <td>{formatValue(value, tree.unit)}</td>
      <td>{shareText(value, tree.grandTotal)}</td>
      {tree.total[view] !== tree.grandTotal && <td>{shareText(value, tree.total[view])}</td>}
    </tr>
  );
  return (
    <table>
      <thead>
        <tr>
          <td />
          <td />
          <th scope="col">of all</th>
          {tree.total[view] !== tree.grandTotal && <th scope="col">of view</th>}
        </tr>
      </thead>
      <tbody>
        {row("total", tree.total[node])}
        {row("self", tree.self[node])}
      </tbody>
    </table>
  );
}

// The values of both sides and their change; if normalised, the shares of both sides and percentage
// points.
function Changes({ tree, node, normalise }: Props) {
  const beforeSelf = tree.beforeSelf ? tree.beforeSelf[node] : 0;
  const row = (
    title: string,
    before: number,
    after: number,
    texts: readonly [string, string, string],
    scale: number,
  ) => (
    <tr>
      <th scope="row">{title}</th>
      <td>{texts[0]}</td>
      <td>{texts[1]}</td>
      <td>{texts[2]}</td>
      <td>{texts[2] && changeText(before * scale, after)}</td>
    </tr>
  );
  const amounts = (title: string, before: number, after: number, change = true) =>
    row(
      title,
      before,
      after,
      [
        formatValue(before, tree.unit),
        formatValue(after, tree.unit),
        change ? formatChange(after - before, tree.unit) : "",
      ],
      1,
    );
  const shares = (title: string, before: number, after: number) =>
    row(
      title,
      before,
      after,
      [
        shareText(before, tree.beforeGrandTotal),
        shareText(after, tree.grandTotal),
        pointsText(...sidesOf(tree, before, after)),
      ],
      beforeScale(tree, true),
    );
  const total = [tree.beforeTotal![node], tree.total[node]] as const;
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">before</th>
          <th scope="col">after</th>
          <th scope="col" colSpan={2}>
            {normalise ? "change of share" : "change"}
          </th>
        </tr>
      </thead>
      <tbody>
        {normalise ? (
          <>
            {shares("total", ...total)}
            {shares("self", beforeSelf, tree.self[node])}
            {amounts("amount", ...total, false)}
          </>
        ) : (
          <>
            {amounts("total", ...total)}
            {amounts("self", beforeSelf, tree.self[node])}
            {row(
              "of all",
              0,
              0,
              [
                shareText(total[0], tree.beforeGrandTotal),
                shareText(total[1], tree.grandTotal),
                "",
              ],
              1,
            )}
          </>
        )}
      </tbody>
    </table>
  );
}

export function Tooltip(props: Props) {
  const { tree, node, rootName } = props;
  const element = useAnchored<HTMLDivElement>(props.anchor, 14);
  const module = tree.name[node] < 0 ? "" : tree.modules[tree.name[node]];
  const place = placeText(tree, node);
  return (
    <div class="flame-tooltip" ref={element} aria-hidden="true">
      <div class="flame-tooltip-name">
        {tree.name[node] < 0 ? rootName : cleanName(nameOf(tree, node), 400)}
      </div>
      {tree.beforeTotal ? <Changes {...props} /> : <Values {...props} />}
      {tree.name[node] >= 0 && tree.roots?.[tree.name[node]] && (
        <div class="flame-tooltip-place">{cleanName(tree.roots[tree.name[node]], 300)}</div>
      )}
      {place && <div class="flame-tooltip-place">{place}</div>}
      {module && <div class="flame-tooltip-place">{cleanName(module, 300)}</div>}
    </div>
  );
}
