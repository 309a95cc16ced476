// SPDX-License-Identifier: Apache-2.0
// A table of any length: only visible rows are in the DOM. Column heads sort it; the arrow keys
// move the selection.
import { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { formatShare, formatValue } from "../base/units";

export interface Column<R> {
  key: string;
  title: string;
  head?: ComponentChildren; // shown in the head after the title
  help?: string;
  number?: boolean;
  width?: string; // width of the grid track; default "minmax(0, 1fr)"
  span?: number; // number of tracks, if a row has several lines
  render: (row: R) => ComponentChildren;
  compare?: (a: R, b: R) => number; // ascending; undefined: not sortable
}

const lineHeight = 26;
const spare = 8; // rows rendered above and below the visible ones

const spanOf = (c: { span?: number }) => (c.span ? { gridColumn: `span ${c.span}` } : undefined);

// Sort rows by a column key; a leading "-" means descending.
export function sortRows<R>(rows: readonly R[], columns: readonly Column<R>[], sort: string): R[] {
  const down = sort.startsWith("-");
  const column = columns.find((c) => c.key === sort.replace(/^-/, ""));
  if (!column?.compare) return [...rows];
  return [...rows].sort((a, b) => (down ? -column.compare!(a, b) : column.compare!(a, b)));
}

function Head<R>(props: {
  columns: readonly Column<R>[];
  sort: string;
  onSort?: (sort: string) => void;
}) {
  const by = props.sort.replace(/^-/, "");
  const down = props.sort.startsWith("-");
  return (
    <div class="data-head" role="row">
      {props.columns.map((c) => (
        <div
          key={c.key}
          role="columnheader"
          class={c.number ? "number" : ""}
          style={spanOf(c)}
          title={c.help}
          aria-sort={c.key !== by ? undefined : down ? "descending" : "ascending"}
        >
          {c.compare && props.onSort ? (
            <button
              type="button"
              class="quiet head"
              onClick={() =>
                props.onSort!(
                  c.key === by ? (down ? c.key : `-${c.key}`) : c.number ? `-${c.key}` : c.key,
                )
              }
            >
              {c.title}
              {c.head}
              {c.key === by && <span aria-hidden="true">{down ? "↓" : "↑"}</span>}
            </button>
          ) : (
            <>
              {c.title}
              {c.head}
            </>
          )}
        </div>
      ))}
    </div>
  );
}

export function DataTable<R>(props: {
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[]; // in the order they are shown
  rowKey: (row: R) => string | number;
  sort?: string;
  onSort?: (sort: string) => void;
  selected?: string | number;
  onSelect?: (row: R) => void; // click, arrows
  onClick?: (row: R) => void; // a click, if it does more than to select
  onOpen?: (row: R) => void; // double click, Enter
  onMenu?: (row: R, event: MouseEvent) => void;
  height?: number | string;
  // rows of several lines: the columns wrap into these tracks
  lines?: { tracks: string; height: number };
  empty?: ComponentChildren;
  rowClass?: (row: R) => string; // an additional class
  // For rows of a tree; undefined: a leaf.
  tree?: { level: (row: R) => number; expanded: (row: R) => boolean | undefined };
  // Handles additional keys; returns whether it handled the key.
  onKey?: (key: string, row: R | undefined) => boolean;
}) {
  const { rows, columns, tree } = props;
  const body = useRef<HTMLDivElement>(null);
  const id = useId();
  const rowId = (place: number) => `${id}-${place}`;
  const [view, setView] = useState({ top: 0, height: 0 });
  const tracks = useMemo(
    () => props.lines?.tracks ?? columns.map((c) => c.width ?? "minmax(0, 1fr)").join(" "),
    [columns, props.lines],
  );
  const rowHeight = props.lines?.height ?? lineHeight;
  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + spare);

  useEffect(() => {
    if (!body.current) return;
    const element = body.current;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);

  const at = useMemo(
    () =>
      props.selected === undefined || props.selected === ""
        ? -1
        : rows.findIndex((r) => props.rowKey(r) === props.selected),
    [rows, props.selected],
  );
  // Scroll the selected row into view.
  useEffect(() => {
    const element = body.current;
    if (!element || at < 0) return;
    const top = at * rowHeight;
    if (top < element.scrollTop || top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = Math.max(0, top - element.clientHeight / 2);
  }, [at, rowHeight]);

  const move = (to: number) => {
    const place = Math.max(0, Math.min(rows.length - 1, to));
    // Do not select the same row again, which may deselect it.
    if (rows.length && place !== at) props.onSelect?.(rows[place]);
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: rows.length - 1,
    };
    if (!(event.ctrlKey || event.metaKey || event.altKey) && props.onKey?.(event.key, rows[at]))
      event.stopPropagation();
    else if (event.key in moves && props.onSelect) move(moves[event.key]);
    else if (event.key === "Enter" && at >= 0 && event.target === event.currentTarget)
      props.onOpen?.(rows[at]);
    else return;
    event.preventDefault();
  };

  // A tree grid is one tab stop; aria-activedescendant names the selected row, since rows are added
  // and removed on scrolling.
  const seen = at >= first && at < last;
  const stop = { tabIndex: 0, onKeyDown };
  const grid = tree ? { ...stop, "aria-activedescendant": seen ? rowId(at) : undefined } : {};
  return (
    <div
      class={`data-table ${props.lines ? "lines" : ""}`}
      role={tree ? "treegrid" : "table"}
      {...grid}
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      style={{ "--tracks": tracks, height: props.height ?? "100%" }}
    >
      <Head columns={columns} sort={props.sort ?? ""} onSort={props.onSort} />
      <div
        class="data-body"
        role="rowgroup"
        ref={body}
        {...(tree ? {} : { ...stop, "aria-label": props.label })}
        onContextMenu={(event) => {
          // the menu key: at the selected row
          if (event.target === event.currentTarget && at >= 0) props.onMenu?.(rows[at], event);
        }}
      >
        {!rows.length && <div class="data-empty soft">{props.empty ?? "Nothing to show"}</div>}
        <div style={{ height: rows.length * rowHeight, position: "relative" }}>
          {rows.slice(first, last).map((row, i) => {
            const key = props.rowKey(row);
            return (
              <div
                key={key}
                id={tree && rowId(first + i)}
                role="row"
                aria-rowindex={first + i + 2}
                aria-level={tree?.level(row)}
                aria-expanded={tree?.expanded(row)}
                aria-selected={tree && key === props.selected}
                class={`data-row ${key === props.selected ? "selected" : ""} ${props.rowClass?.(row) ?? ""}`}
                style={{ top: (first + i) * rowHeight, height: rowHeight }}
                onClick={(event) => {
                  if (event.detail > 1) return;
                  props.onSelect?.(row);
                  props.onClick?.(row);
                }}
                onDblClick={() => props.onOpen?.(row)}
                onContextMenu={(event) => props.onMenu?.(row, event)}
              >
                {columns.map((c) => (
                  <div
                    key={c.key}
                    role={tree ? "gridcell" : "cell"}
                    class={c.number ? "number" : "clip"}
                    style={spanOf(c)}
                  >
                    {c.render(row)}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

// A value and its share of the total, with a bar behind them.
export function Amount(props: { value: number; total: number; unit: string }) {
  return (
    <Bar share={props.total ? props.value / props.total : 0} class="amount">
      {formatValue(props.value, props.unit)}{" "}
      <span class="share">{formatShare(props.value, props.total)}</span>
    </Bar>
  );
}

// Content with a bar behind it that shows its share.
export function Bar(props: { share: number; children: ComponentChildren; class?: string }) {
  return (
    <span class={`bar-cell ${props.class ?? ""}`}>
      <span
        class="bar-fill"
        style={{ width: `${Math.max(0, Math.min(100, 100 * props.share))}%` }}
      />
      <span>{props.children}</span>
    </span>
  );
}
