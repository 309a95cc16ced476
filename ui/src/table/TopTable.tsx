// SPDX-License-Identifier: Apache-2.0
// Functions by what they cost: the server's exact numbers, of all samples, whatever the picture shows.
import { useMemo } from "preact/hooks";
import { TopAnswer, TopRow } from "../api/types";
import { cleanName } from "../flame/text";
import { matcherOf } from "./match";
import { Amount, Column, DataTable, sortRows } from "./DataTable";

export function fileText(row: { file: string; line?: number; module: string }): string {
  return row.file ? row.file + (row.line ? `:${row.line}` : "") : row.module;
}

// The end of a long path says more than its beginning.
export const shortPath = (text: string) => (text.length > 28 ? text.slice(text.lastIndexOf("/") + 1) : text);

export function TopTable(props: {
  answer: TopAnswer | undefined;
  search: string;
  sort: string;
  selected: string;
  onSort: (sort: string) => void;
  onSelect: (name: string) => void;
  onOpen: (name: string) => void;
}) {
  const { answer } = props;
  const total = answer?.kept ?? 0;
  const unit = answer?.unit ?? "";
  const columns = useMemo(
    (): Column<TopRow>[] => [
      {
        key: "name",
        title: "Function",
        width: "minmax(110px, 3fr)",
        render: (r) => <bdi title={cleanName(`${r.name}  ${fileText(r)}`)}>{cleanName(r.name)}</bdi>,
        compare: (a, b) => a.name.localeCompare(b.name),
      },
      {
        key: "self",
        title: "Self",
        help: "In the function itself",
        number: true,
        width: "minmax(76px, 132px)",
        render: (r) => <Amount value={r.self} total={total} unit={unit} />,
        compare: (a, b) => a.self - b.self,
      },
      {
        key: "total",
        title: "Total",
        help: "In the function and in all it calls",
        number: true,
        width: "minmax(76px, 132px)",
        render: (r) => <Amount value={r.total} total={total} unit={unit} />,
        compare: (a, b) => a.total - b.total,
      },
    ],
    [total, unit],
  );
  const rows = useMemo(() => {
    const matches = matcherOf(props.search);
    const kept = (answer?.rows ?? []).filter((r) => matches(r.name) || matches(r.file) || matches(r.module));
    return sortRows(kept, columns, props.sort);
  }, [answer, props.search, props.sort, columns]);
  return (
    <div class="table-pane">
      <DataTable
        label="Functions"
        columns={columns}
        rows={rows}
        rowKey={(r) => r.name}
        sort={props.sort}
        onSort={props.onSort}
        selected={props.selected}
        onSelect={(r) => props.onSelect(r.name)}
        onOpen={(r) => props.onOpen(r.name)}
        empty={answer ? (props.search ? "No function matches" : "No samples") : ""}
      />
      {answer && (
        <p class="table-foot soft">
          {rows.length.toLocaleString("en-US")} of {answer.row_count.toLocaleString("en-US")} functions
          {answer.rows.length < answer.row_count && `, the ${answer.rows.length.toLocaleString("en-US")} largest asked for`}
        </p>
      )}
    </div>
  );
}
