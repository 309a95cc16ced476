// SPDX-License-Identifier: Apache-2.0
// A list of rows of different heights, of which only the visible ones are in the DOM. Heights are
// measured when a row has been rendered; until then a row has the usual height.
import { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

const spare = 600; // pixels rendered above and below the visible part
const endPixels = 400;

export function VirtualList<R>(props: {
  label: string;
  rows: readonly R[];
  rowKey: (row: R) => string;
  rowHeight: number;
  active: string; // key of the row of the keyboard
  render: (row: R) => ComponentChildren;
  onKeyDown: (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => void;
  onEnd?: () => void; // the end has come near
  children?: ComponentChildren; // after the last row
}) {
  const { rows, rowKey, rowHeight } = props;
  const box = useRef<HTMLDivElement>(null);
  const heights = useRef(new Map<string, number>());
  const [measured, setMeasured] = useState(0);
  const [view, setView] = useState({ top: 0, height: 0 });
  const tops = useMemo(() => {
    const list = new Float64Array(rows.length + 1);
    rows.forEach((row, i) => {
      list[i + 1] = list[i] + (heights.current.get(rowKey(row)) ?? rowHeight);
    });
    return list;
  }, [rows, measured, rowHeight]);
  const total = tops[rows.length];

  // Return the row at a place (pixels).
  const rowAt = (pixels: number) => {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] <= pixels) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const first = rowAt(Math.max(0, view.top - spare));
  const last = Math.min(rows.length, rowAt(view.top + view.height + spare) + 1);

  useEffect(() => {
    const element = box.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  useLayoutEffect(() => {
    let changed = false;
    for (const element of box.current!.querySelectorAll<HTMLElement>("[data-key]")) {
      const height = element.offsetHeight;
      const key = element.dataset.key!;
      if ((heights.current.get(key) ?? rowHeight) === height) continue;
      heights.current.set(key, height);
      changed = true;
    }
    if (changed) setMeasured((n) => n + 1);
  });
  useEffect(() => {
    if (view.height && rows.length && view.top + view.height > total - endPixels) props.onEnd?.();
  }, [view, total]);
  // Scroll the active row into view.
  useEffect(() => {
    const at = props.active ? rows.findIndex((r) => rowKey(r) === props.active) : -1;
    const element = box.current!;
    if (at < 0) return;
    if (tops[at] < element.scrollTop) element.scrollTop = tops[at];
    else if (tops[at] + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = tops[at] + rowHeight - element.clientHeight;
  }, [props.active]);

  return (
    <div
      class="virtual-list"
      ref={box}
      role="feed"
      aria-label={props.label}
      aria-setsize={rows.length}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
    >
      <div style={{ height: `${tops[first]}px` }} />
      {rows.slice(first, last).map((row, i) => (
        <article
          key={rowKey(row)}
          data-key={rowKey(row)}
          aria-posinset={first + i + 1}
          aria-setsize={rows.length}
        >
          {props.render(row)}
        </article>
      ))}
      <div style={{ height: `${total - tops[last]}px` }} />
      {props.children}
    </div>
  );
}
