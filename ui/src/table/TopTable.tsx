// SPDX-License-Identifier: Apache-2.0
// The table of functions with self and total: exact values of the server over all samples, not only
// of visible frames.
import { useMemo } from "preact/hooks";
import { TopAnswer, TopRow } from "../api/types";
import { Ends, useSize } from "../base/components";
import { grouped } from "../base/units";
import { chosenRef, refPlace, refsBy } from "../flame/model/refs";
import { cleanName, nameEnds } from "../flame/text/names";
import type { MenuItem } from "../flame/controls/Menu";
import { matchOf } from "./row_filter";
import { useRowMenu } from "./row_menu";
import { Amount, Column, DataTable, sortRows } from "./DataTable";

export function fileText(row: { file: string; line?: number; module: string }): string {
  return row.file ? row.file + (row.line ? `:${row.line}` : "") : row.module;
}

// Shorten a long path to its last element.
export const shortPath = (text: string) =>
  text.length > 28 ? text.slice(text.lastIndexOf("/") + 1) : text;

// A function name, followed by its module or file if several functions have the same name.
export function FunctionName(props: {
  row: { name: string; file: string; line?: number; module: string };
  named: string;
}) {
  const { row, named } = props;
  const place = refPlace(named);
  return (
    <span class="function-name" title={cleanName(`${row.name}  ${fileText(row)}`)}>
      <Ends parts={nameEnds(cleanName(row.name))} />
      {place && (
        <span class="soft">
          {" · "}
          <bdi>{cleanName(place)}</bdi>
        </span>
      )}
    </span>
  );
}

const roomForFiles = 760; // pixels

const fileColumn: Column<TopRow> = {
  key: "file",
  title: "File",
  width: "minmax(120px, 1fr)",
  render: (r) => (
    <bdi class="soft" title={fileText(r)}>
      {shortPath(fileText(r))}
    </bdi>
  ),
  compare: (a, b) => fileText(a).localeCompare(fileText(b)),
};

export function TopTable(props: {
  answer: TopAnswer | undefined;
  search: string;
  sort: string;
  selected: string;
  onSort: (sort: string) => void;
  onSelect: (ref: string) => void; // flame/refs.ts
  onOpen: (ref: string) => void;
  items?: (name: string, ref: string) => (MenuItem | null)[]; // of the menu of a function
}) {
  const { answer } = props;
  const total = answer?.kept ?? 0;
  const unit = answer?.unit ?? "";
  const [box, size] = useSize<HTMLDivElement>();
  const wide = size.width >= roomForFiles;
  const refOf = useMemo(() => refsBy(answer?.rows ?? []), [answer]);
  const columns = useMemo(
    (): Column<TopRow>[] => [
      {
        key: "name",
        title: "Function",
        width: "minmax(110px, 3fr)",
        render: (r) => <FunctionName row={r} named={refOf(r)} />,
        compare: (a, b) => a.name.localeCompare(b.name),
      },
      {
        key: "self",
        title: "Self",
        help: "In the function itself",
        number: true,
        width: "minmax(76px, 136px)",
        render: (r) => <Amount value={r.self} total={total} unit={unit} />,
        compare: (a, b) => a.self - b.self,
      },
      {
        key: "total",
        title: "Total",
        help: "In the function and its callees",
        number: true,
        width: "minmax(76px, 136px)",
        render: (r) => <Amount value={r.total} total={total} unit={unit} />,
        compare: (a, b) => a.total - b.total,
      },
      ...(wide ? [fileColumn] : []),
    ],
    [total, unit, wide, refOf],
  );
  const menu = useRowMenu<TopRow>((r) => props.items?.(r.name, refOf(r)) ?? []);
  const search = useMemo(() => matchOf(props.search), [props.search]);
  const rows = useMemo(() => {
    const kept = (answer?.rows ?? []).filter((r) => search.matches(r.name));
    return sortRows(kept, columns, props.sort);
  }, [answer, search, props.sort, columns]);
  return (
    <div class="table-pane" ref={box}>
      <DataTable
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={refOf}
        sort={props.sort}
        onSort={props.onSort}
        selected={chosenRef(props.selected, rows, refOf)}
        onSelect={(r) => props.onSelect(refOf(r))}
        onOpen={(r) => props.onOpen(refOf(r))}
        onMenu={props.items && menu.open}
        empty={
          answer
            ? search.error
              ? `Regular expression: ${search.error}`
              : props.search
                ? "No function matches"
                : "No samples"
            : ""
        }
      />
      {menu.element}
      {answer && (
        <p class="table-foot soft">
          {grouped(rows.length)} of {grouped(answer.row_count)} functions
          {answer.rows.length < answer.row_count &&
            `, only the ${grouped(answer.rows.length)} largest loaded`}
        </p>
      )}
    </div>
  );
}
