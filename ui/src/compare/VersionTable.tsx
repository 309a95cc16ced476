// SPDX-License-Identifier: Apache-2.0
// Three and more versions in one table: the share of each function in each version, by the spread of
// the shares.
import { useEffect, useMemo, useState } from "preact/hooks";
import { fetchAnswer } from "../api/client";
import { filterParams, selectionParams, withMatcher } from "../api/selection";
import { TopAnswer, TopRow } from "../api/types";
import { Ends, endsOf, useSize } from "../base/components";
import { formatTime } from "../base/time";
import { formatCount, formatValue } from "../base/units";
import { functionItems } from "../explore/function_actions";
import { refsBy } from "../flame/model/refs";
import { shareText } from "../flame/text/numbers";
import { Bar, Column, DataTable, sortRows } from "../table/DataTable";
import { matchOf } from "../table/row_filter";
import { useRowMenu } from "../table/row_menu";
import { FunctionName } from "../table/TopTable";
import { go, State } from "../url";
import { findVersions, rangeFor, Version } from "./versions";

const mostVersions = 8;
const rowsOfVersion = 1000;

interface Column1 {
  version: Version;
  kept: number;
  unit: string;
}

export interface VersionRow extends Pick<TopRow, "name" | "file" | "module" | "line"> {
  shares: number[]; // by version; of what the filters keep
  values: number[];
  spread: number; // largest share without the smallest
}

// Merge the functions of all versions, which are in the order of `answers`.
export function mergeVersions(answers: readonly TopAnswer[], of: State["of"]): VersionRow[] {
  const rows = new Map<string, VersionRow>();
  answers.forEach((answer, i) => {
    const refOf = refsBy(answer.rows);
    for (const row of answer.rows) {
      const ref = refOf(row);
      const merged = rows.get(ref) ?? {
        ...row,
        shares: answers.map(() => 0),
        values: answers.map(() => 0),
        spread: 0,
      };
      merged.values[i] = row[of];
      merged.shares[i] = answer.kept ? row[of] / answer.kept : 0;
      rows.set(ref, merged);
    }
  });
  return [...rows.values()].map((row) => ({
    ...row,
    spread: Math.max(...row.shares) - Math.min(...row.shares),
  }));
}

interface Loaded {
  label: string;
  columns: Column1[];
  answers: TopAnswer[];
  found: number; // versions, also those without a column
  problem: string;
}

async function load(resolved: State, type: string): Promise<Loaded> {
  const { label, list, problem } = await findVersions({ ...resolved, type });
  const chosen = list.slice(0, mostVersions).reverse(); // the oldest first
  const answers = await Promise.all(
    chosen.map((version) =>
      fetchAnswer<TopAnswer>("top", {
        ...selectionParams({
          ...resolved,
          ...rangeFor(resolved, version),
          type,
          query: withMatcher(resolved.query, label, version.value),
        }),
        ...filterParams(resolved),
        n: rowsOfVersion,
        sort: resolved.of,
      }),
    ),
  );
  return {
    label,
    columns: chosen.map((version, i) => ({
      version,
      kept: answers[i].kept,
      unit: answers[i].unit,
    })),
    answers,
    found: list.length,
    problem: list.length ? "" : problem,
  };
}

// `resolved`: the state with resolved times; its query selects the service.
export function VersionTable(props: { state: State; resolved: State; type: string; tick: number }) {
  const { state, resolved, type } = props;
  const [loaded, set] = useState<Loaded>();
  const [problem, setProblem] = useState("");
  const [box, size] = useSize<HTMLDivElement>();
  const key = JSON.stringify([resolved.query, resolved.from, resolved.to, filterParams(resolved)]);
  useEffect(() => {
    if (!type) return;
    let current = true;
    load(resolved, type)
      .then((found) => current && (set(found), setProblem(found.problem)))
      .catch((e: Error) => current && setProblem(e.message));
    return () => void (current = false);
  }, [key, type, state.of, props.tick]);
  const all = useMemo(() => mergeVersions(loaded?.answers ?? [], state.of), [loaded, state.of]);
  const refOf = useMemo(() => refsBy(all), [all]);
  const menu = useRowMenu<VersionRow>((r) => functionItems(state, r.name, refOf(r)));
  const columns = useMemo((): Column<VersionRow>[] => {
    const versions = loaded?.columns ?? [];
    const largest = all.reduce((most, row) => Math.max(most, ...row.shares), 0);
    return [
      {
        key: "name",
        title: "Function",
        width: "minmax(150px, 2fr)",
        render: (r) => <FunctionName row={r} named={refOf(r)} />,
        compare: (a, b) => a.name.localeCompare(b.name),
      },
      ...versions.map(
        ({ version, unit }, i): Column<VersionRow> => ({
          key: `v${i}`,
          title: "",
          head: <Ends parts={endsOf(version.value)} />,
          help: `${loaded!.label} ${version.value}, first seen ${formatTime(Math.floor(version.first / 1000) * 1000)}`,
          number: true,
          width: "minmax(74px, 1fr)",
          render: (r) => (
            <Bar share={largest ? r.shares[i] / largest : 0}>
              <span title={formatValue(r.values[i], unit)}>
                {r.shares[i] ? shareText(r.shares[i], 1) : <span class="soft">–</span>}
              </span>
            </Bar>
          ),
          compare: (a, b) => a.shares[i] - b.shares[i],
        }),
      ),
      {
        key: "change",
        title: "Spread",
        help: "The largest share without the smallest, in percentage points",
        number: true,
        width: "84px",
        render: (r) => `${(100 * r.spread).toFixed(2)} pp`,
        compare: (a, b) => a.spread - b.spread,
      },
    ];
  }, [loaded, all, refOf, size.width]);
  const search = useMemo(() => matchOf(state.search), [state.search]);
  const rows = useMemo(
    () => sortRows(all.filter((r) => search.matches(r.name)), columns, state.changes),
    [all, columns, state.search, state.changes],
  );
  const shown = loaded?.columns.length ?? 0;
  return (
    <div class="table-pane version-table" ref={box}>
      <DataTable
        label="Functions by version"
        columns={columns}
        rows={rows}
        rowKey={refOf}
        sort={state.changes}
        onSort={(changes) => go({ changes }, "replace")}
        selected={state.function}
        onSelect={(r) => go({ function: refOf(r) }, "replace")}
        onOpen={(r) => go({ path: "/profiles", view: "sandwich", function: refOf(r), zoom: [] })}
        onMenu={menu.open}
        empty={problem || (loaded ? "No samples" : "Loading the versions…")}
      />
      {menu.element}
      {loaded && shown > 0 && (
        <p class="table-foot soft">
          {formatCount(rows.length, "function")}; shares of {state.of} values in each{" "}
          {loaded.label}
          {loaded.found > shown && `; the newest ${shown} of ${loaded.found} versions`}
        </p>
      )}
    </div>
  );
}
