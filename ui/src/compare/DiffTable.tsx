// SPDX-License-Identifier: Apache-2.0
// The table of functions that grew, shrank, are new or gone: exact values of all functions, not
// only of visible frames.
import { useMemo } from "preact/hooks";
import { Change, DiffAnswer, DiffRow } from "../api/types";
import { Choice, useSize } from "../base/components";
import { formatChange, formatValue } from "../base/units";
import { pointsText, shareText } from "../flame/text/numbers";
import { chosenRef, refsBy } from "../flame/model/refs";
import { Column, DataTable, sortRows } from "../table/DataTable";
import { matchOf } from "../table/row_filter";
import { fileText, FunctionName, shortPath } from "../table/TopTable";
import { functionItems } from "../explore/function_actions";
import { useRowMenu } from "../table/row_menu";
import { go, State } from "../url";
import { Significance } from "./significance";
import { changeShare, comparators, kindTabs, rowsOf, sharesOf, tabCount } from "./changes";

const toneOf = (delta: number) => (delta > 0 ? "grew" : delta < 0 ? "shrank" : "soft");

// A change, with a bar relative to the largest change.
function ChangeCell(props: { delta: number; largest: number; text: string }) {
  const { delta, largest } = props;
  return (
    <span class={`bar-cell change ${toneOf(delta)}`}>
      <span
        class="bar-fill"
        style={{ width: `${largest ? (100 * Math.abs(delta)) / largest : 0}%` }}
      />
      <span>{props.text}</span>
    </span>
  );
}

// Return the columns; a narrow table omits the least important ones.
function columnsOf(
  answer: DiffAnswer | undefined,
  of: State["of"],
  largest: number,
  width: number,
  refOf: (row: DiffRow) => string,
): Column<DiffRow>[] {
  const unit = answer?.unit ?? "";
  const normalised = answer?.normalised ?? false;
  const text = (r: DiffRow, key: "before" | "after") =>
    normalised
      ? shareText(sharesOf(answer!, r[of])[key === "before" ? 0 : 1], 1)
      : formatValue(r[of][key], unit);
  // Scaled values are rounded; shares are not.
  const exactOf = (r: DiffRow): Change => {
    if (!normalised) return r[of];
    const [before, after] = sharesOf(answer!, r[of]);
    return { before, after, delta: after - before };
  };
  const changeOf = (r: DiffRow) =>
    normalised
      ? pointsText(...sharesOf(answer!, r[of]))
      : r[of].delta
        ? formatChange(r[of].delta, unit)
        : "0";
  const value = (key: "before" | "after", title: string): Column<DiffRow> => ({
    key,
    title,
    number: true,
    width: "72px",
    help: normalised ? "Share of its side" : undefined,
    render: (r) =>
      r[of][key] || (key === "before" && r[of].before_unscaled) ? (
        text(r, key)
      ) : (
        <span class="soft">–</span>
      ),
    compare: comparators[key](of),
  });
  const columns: Column<DiffRow>[] = [
    {
      key: "name",
      title: "Function",
      width: "minmax(130px, 3fr)",
      render: (r) => <FunctionName row={r} named={refOf(r)} />,
      compare: comparators.name(of),
    },
    value("before", "Before"),
    value("after", "After"),
    {
      key: "change",
      title: "Change",
      help: "After minus before; sorted by absolute value",
      number: true,
      width: "92px",
      render: (r) => <ChangeCell delta={r[of].delta} largest={largest} text={changeOf(r)} />,
      compare: comparators.change(of),
    },
    {
      key: "share",
      title: "%",
      help: "Relative to before",
      number: true,
      width: "66px",
      render: (r) => <span class={toneOf(r[of].delta)}>{changeShare(r.kind, exactOf(r))}</span>,
      compare: comparators.share(of),
    },
    {
      key: "file",
      title: "File",
      width: "minmax(72px, 1fr)",
      render: (r) => (
        <bdi class="soft" title={fileText(r)}>
          {shortPath(fileText(r))}
        </bdi>
      ),
      compare: comparators.file(of),
    },
  ];
  return columns.filter(
    (c) =>
      !(c.key === "file" && width < 560) &&
      !((c.key === "before" || c.key === "after") && width < 460),
  );
}

function Tabs(props: { state: State; answer: DiffAnswer | undefined; known: boolean }) {
  const { state, answer } = props;
  return (
    <div class="row diff-tabs">
      <div class="group" role="group" aria-label="Kind of change">
        {kindTabs.map(([kind, title, help]) => (
          <button
            type="button"
            class="small"
            key={kind}
            title={help}
            aria-pressed={kind === state.kind}
            onClick={() => go({ kind }, "replace")}
          >
            {title} <span class="soft">{tabCount(answer, kind, state.of)?.toLocaleString("en-US")}</span>
          </button>
        ))}
      </div>
      <span class="spread" />
      <button
        type="button"
        class="small"
        aria-pressed={state.sure}
        disabled={!props.known}
        title={
          props.known
            ? "List only changes beyond the sampling error: at most 5 % of them are expected to be by chance"
            : "The values are not numbers of samples: their error is not known"
        }
        onClick={() => go({ sure: !state.sure }, "replace")}
      >
        Significant
      </button>
      <Choice
        label="Self or total"
        value={state.of}
        options={[
          ["self", "Self", "In the function itself"],
          ["total", "Total", "In the function and its callees"],
        ]}
        onChange={(of) => go({ of }, "replace")}
      />
    </div>
  );
}

const perText = { "": "", second: " per second", request: " per request" };

export function DiffTable(props: {
  state: State;
  answer: DiffAnswer | undefined;
  significance: Significance | undefined;
  onSelect: (ref: string) => void;
}) {
  const { state, answer, significance } = props;
  const largest = useMemo(
    () => (answer?.rows ?? []).reduce((most, r) => Math.max(most, Math.abs(r[state.of].delta)), 0),
    [answer, state.of],
  );
  const [box, size] = useSize<HTMLDivElement>();
  const refOf = useMemo(() => refsBy(answer?.rows ?? []), [answer]);
  const menu = useRowMenu<DiffRow>((r) => functionItems(state, r.name, refOf(r)));
  const columns = useMemo(
    () => columnsOf(answer, state.of, largest, size.width || 600, refOf),
    [answer, state.of, largest, size.width, refOf],
  );
  const search = useMemo(() => matchOf(state.search), [state.search]);
  const noise = useMemo(
    () =>
      new Set(significance ? answer?.rows.filter((_, i) => significance.isNoise(i)) : undefined),
    [answer, significance],
  );
  const rows = useMemo(() => {
    const listed = rowsOf(answer, state.kind, state.of, search.matches);
    const kept = state.sure ? listed.filter((r) => !noise.has(r)) : listed;
    return sortRows(kept, columns, state.changes);
  }, [answer, state.kind, state.of, state.sure, state.search, state.changes, columns, noise]);
  return (
    <div class="table-pane diff-table" ref={box}>
      <Tabs state={state} answer={answer} known={!!significance} />
      <DataTable
        label="Changes by function"
        columns={columns}
        rows={rows}
        rowKey={refOf}
        sort={state.changes}
        onSort={(changes) => go({ changes }, "replace")}
        selected={chosenRef(state.function, rows, refOf)}
        onSelect={(r) => props.onSelect(refOf(r))}
        onOpen={(r) => go({ path: "/profiles", view: "sandwich", function: refOf(r), zoom: [] })}
        onMenu={menu.open}
        rowClass={(r) => (noise.has(r) ? "noise" : "")}
        empty={
          answer
            ? search.error
              ? `Regular expression: ${search.error}`
              : state.search
                ? "No function matches"
                : state.kind
                  ? `Nothing ${state.kind === "new" || state.kind === "gone" ? `is ${state.kind}` : state.kind}`
                  : "No samples"
            : ""
        }
      />
      {menu.element}
      {answer && (
        <p class="table-foot soft">
          {rows.length.toLocaleString("en-US")} of {answer.row_count.toLocaleString("en-US")}{" "}
          functions
          {answer.rows.length < answer.row_count &&
            `, of the ${answer.rows.length.toLocaleString("en-US")} largest changes`}
          {answer.normalised && "; shares of each side, changes in percentage points"}
          {!answer.normalised && state.per && perText[state.per] && `; values${perText[state.per]}`}
          {noise.size > 0 && "; grey: within the sampling error"}
        </p>
      )}
    </div>
  );
}
