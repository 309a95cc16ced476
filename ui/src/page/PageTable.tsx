// SPDX-License-Identifier: Apache-2.0
// The table of functions in the single page of `varve flame`.
import { useMemo, useState } from "preact/hooks";
import type { TopRow } from "../api/types";
import { formatValue } from "../base/units";
import { shareText } from "../flame/text/numbers";
import { chosenRef, refPlace, refsBy } from "../flame/model/refs";
import { searchOf } from "../flame/model/search";
import { cleanName } from "../flame/text/names";

type Column = "self" | "total" | "name";

interface Props {
  rows: TopRow[];
  rowCount: number;
  total: number;
  unit: string;
  search: string;
  selected: string;
  onSelect(ref: string): void;
}

const step = 200;

export function sortRows(rows: readonly TopRow[], column: Column): TopRow[] {
  const byName = (a: TopRow, b: TopRow) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return [...rows].sort((a, b) =>
    column === "name" ? byName(a, b) : Math.abs(b[column]) - Math.abs(a[column]) || byName(a, b),
  );
}

function Value({ value, total, unit }: { value: number; total: number; unit: string }) {
  const share = total ? Math.min(100, Math.abs((100 * value) / total)) : 0;
  return (
    <td class="number single-value">
      <i style={{ width: `${share}%` }} />
      <span>{formatValue(value, unit)}</span>
      <span class="soft">{shareText(value, total)}</span>
    </td>
  );
}

export function PageTable(props: Props) {
  const { rows, total, unit } = props;
  const refOf = useMemo(() => refsBy(rows), [rows]);
  const selected = chosenRef(props.selected, rows, refOf);
  const [column, setColumn] = useState<Column>("self");
  const [room, setRoom] = useState(step);
  const sorted = useMemo(() => {
    const { test } = searchOf(props.search);
    return sortRows(test ? rows.filter((row) => test(row.name)) : rows, column);
  }, [rows, props.search, column]);
  const head = (name: Column, text: string) => (
    <th
      scope="col"
      class={name === "name" ? "" : "number"}
      aria-sort={column === name ? (name === "name" ? "ascending" : "descending") : "none"}
    >
      <button type="button" class="quiet" onClick={() => setColumn(name)}>
        {text}
        <span aria-hidden="true">{column === name ? (name === "name" ? "▲" : "▼") : ""}</span>
      </button>
    </th>
  );
  return (
    <div class="single-table">
      <table>
        <thead>
          <tr>
            {head("self", "Self")}
            {head("total", "Total")}
            {head("name", "Function")}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, room).map((row, i) => (
            <tr
              key={i}
              class={refOf(row) === selected ? "single-selected" : ""}
              onClick={() => props.onSelect(refOf(row) === selected ? "" : refOf(row))}
            >
              <Value value={row.self} total={total} unit={unit} />
              <Value value={row.total} total={total} unit={unit} />
              <td>
                <button
                  type="button"
                  class="single-name"
                  aria-pressed={refOf(row) === selected}
                  title={cleanName(row.file || row.module, 300)}
                >
                  {cleanName(row.name, 300)}
                  {refPlace(refOf(row)) && (
                    <span class="soft"> · {cleanName(refPlace(refOf(row)), 100)}</span>
                  )}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > room && (
        <button type="button" onClick={() => setRoom(room * 4)}>
          {sorted.length - room} more
        </button>
      )}
      {!sorted.length && (
        <p class="soft single-none">{rows.length ? "No function matches" : "No samples"}</p>
      )}
      {props.rowCount > rows.length && (
        <p class="soft single-none">
          {rows.length} of {props.rowCount} functions are in this page
        </p>
      )}
    </div>
  );
}
