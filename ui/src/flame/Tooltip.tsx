// SPDX-License-Identifier: Apache-2.0
// What is under the pointer, in numbers. Everything is text: names are never read as HTML.
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatChange, formatValue } from "../base/units";
import { nameOf, Tree } from "./model";
import { beforeScale, changeText, placeText, shareText } from "./numbers";
import { cleanName } from "./text";

export interface Anchor {
  x: number; // of the window
  y: number;
}

// Beside the point, within the window. A ref for an element with position: fixed.
export function useAnchored<T extends HTMLElement>(anchor: Anchor, distance: number) {
  const element = useRef<T>(null);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const { offsetWidth: width, offsetHeight: height } = box;
    const right = anchor.x + distance + width <= innerWidth - 4;
    const below = anchor.y + distance + height <= innerHeight - 4;
    const left = right ? anchor.x + distance : Math.max(4, Math.min(anchor.x - distance - width, innerWidth - width - 4));
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

function Changes({ tree, node, normalise }: Props) {
  const scale = beforeScale(tree, normalise);
  const row = (title: string, before: number, after: number) => (
    <tr>
      <th scope="row">{title}</th>
      <td>{formatValue(before, tree.unit)}</td>
      <td>{formatValue(after, tree.unit)}</td>
      <td>{formatChange(after - before * scale, tree.unit)}</td>
      <td>{changeText(before * scale, after)}</td>
    </tr>
  );
  return (
    <table>
      <thead>
        <tr>
          <td />
          <th scope="col">before</th>
          <th scope="col">after</th>
          <th scope="col" colSpan={2}>
            {normalise ? "change, normalised" : "change"}
          </th>
        </tr>
      </thead>
      <tbody>
        {row("total", tree.beforeTotal![node], tree.total[node])}
        {row("self", tree.beforeSelf ? tree.beforeSelf[node] : 0, tree.self[node])}
        <tr>
          <th scope="row">of all</th>
          <td>{shareText(tree.beforeTotal![node], tree.beforeGrandTotal)}</td>
          <td>{shareText(tree.total[node], tree.grandTotal)}</td>
          <td colSpan={2} />
        </tr>
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
      <div class="flame-tooltip-name">{tree.name[node] < 0 ? rootName : cleanName(nameOf(tree, node), 400)}</div>
      {tree.beforeTotal ? <Changes {...props} /> : <Values {...props} />}
      {place && <div class="flame-tooltip-place">{place}</div>}
      {module && <div class="flame-tooltip-place">{cleanName(module, 300)}</div>}
    </div>
  );
}
