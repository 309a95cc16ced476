// SPDX-License-Identifier: Apache-2.0
// The sandwich view of a function: its callers above and its callees below, as graphs and as tables
// of exact values.
import { useMemo } from "preact/hooks";
import { Answer } from "../api/client";
import { CallersAnswer, TopAnswer, TreeNodes } from "../api/types";
import { AnswerNote, Empty } from "../base/components";
import { formatCount, formatShare, formatValue } from "../base/units";
import { graphProps } from "../explore/FlamePane";
import { FlameGraph } from "../flame/FlameGraph";
import { findPath, refOf, treeOf } from "../flame/model/tree";
import { refName, refPlace, refsBy } from "../flame/model/refs";
import { cleanName } from "../flame/text/names";
import { Amount, Column, DataTable } from "../table/DataTable";
import { FunctionName, TopTable } from "../table/TopTable";
import { go, State } from "../url";
import { SandwichAnswers } from "./useSandwich";
import { FunctionPicker } from "./FunctionPicker";
import { Neighbour, neighboursOf, restOf, withoutRoot } from "./neighbours";
import "./sandwich.css";

const select = (ref: string) => ref && go({ function: ref, zoom: [] });

// Select a function from the list, and clear the search that found it.
const selectFromList = (ref: string) => ref && go({ function: ref, zoom: [], search: "" });

function Neighbours(props: {
  title: string;
  rows: Neighbour[];
  whole: number;
  unit: string;
  rest: string;
  hidden: boolean;
  empty: string;
}) {
  const { rows, whole, unit } = props;
  const refOf = useMemo(() => refsBy(rows), [rows]);
  const columns = useMemo(
    (): Column<Neighbour>[] => [
      {
        key: "name",
        title: props.title,
        width: "minmax(120px, 1fr)",
        render: (r) => <FunctionName row={r} named={refOf(r)} />,
      },
      {
        key: "total",
        title: "Total",
        help: "Of the function's total",
        number: true,
        width: "132px",
        render: (r) => <Amount value={r.total} total={whole} unit={unit} />,
      },
    ],
    [props.title, whole, unit, refOf],
  );
  const rest = restOf(whole, rows);
  return (
    <div class="table-pane">
      <DataTable
        label={props.title}
        columns={columns}
        rows={rows}
        rowKey={refOf}
        onSelect={(r) => select(refOf(r))}
        empty={props.empty}
      />
      <p class="table-foot soft">
        {formatCount(rows.length, "function")}
        {rest > 0 &&
          `; ${formatValue(rest, unit)} (${formatShare(rest, whole)}) ` +
            (props.hidden ? `${props.rest}, or too small to be listed` : props.rest)}
      </p>
    </div>
  );
}

function Graph(props: {
  state: State;
  nodes: TreeNodes;
  answer: CallersAnswer;
  layout: "icicle" | "flame";
  label: string;
  busy: boolean;
}) {
  const { state, nodes, answer } = props;
  // The shares are those of the function, as in the table.
  const tree = useMemo(
    () => treeOf(withoutRoot(nodes), answer.unit, answer.function_total),
    [nodes, answer],
  );
  return (
    <section class="panel pane" aria-label={props.label}>
      <FlameGraph
        {...graphProps(state)}
        tree={tree}
        layout={props.layout}
        selected=""
        zoom={[]}
        rootName={refName(answer.function)}
        busy={props.busy}
        shares={false}
        onZoom={(path) => select(refOf(tree, findPath(tree, path)))}
        onSelect={() => {}}
      />
    </section>
  );
}

function Totals(props: { answer: CallersAnswer }) {
  const { answer } = props;
  const part = (value: number) =>
    `${formatValue(value, answer.unit)} (${formatShare(value, answer.kept)})`;
  return (
    <p class="sandwich-words">
      <strong>{part(answer.function_total)}</strong> total,{" "}
      <strong>{part(answer.function_self)}</strong> self, of {formatValue(answer.kept, answer.unit)}
    </p>
  );
}

function SelectFunction(props: { state: State; top: Answer<TopAnswer>; problem: string }) {
  const { state, top } = props;
  return (
    <>
      <Empty title={props.problem || "Select a function"}>
        <p class="soft">
          The sandwich view shows the callers of a function above it and its callees below. Select a
          function in the list, search for it (/), or use “Callers and callees of this function” in
          the menu of a frame.
        </p>
      </Empty>
      <section class="panel pane sandwich-list" aria-label="Functions">
        <TopTable
          answer={top.data}
          search={state.search}
          sort={state.sort}
          selected=""
          onSort={(sort) => go({ sort }, "replace")}
          onSelect={selectFromList}
          onOpen={selectFromList}
        />
      </section>
    </>
  );
}

export function Sandwich(props: { state: State; answers: SandwichAnswers }) {
  const { state } = props;
  const { callers: answer, top, notFound, loadFunctions } = props.answers;
  const data = answer.data;
  // Function of the shown data, while another one is being loaded.
  const name = data?.function ?? state.function;
  const callers = useMemo(() => (data ? neighboursOf(data.callers) : []), [data]);
  const callees = useMemo(() => (data ? neighboursOf(data.callees) : []), [data]);
  if (!state.function || notFound)
    return (
      <>
        <AnswerNote answer={top} what="the functions" />
        {top.data && (
          <SelectFunction
            state={state}
            top={top}
            problem={
              notFound ? `${cleanName(refName(state.function), 120)} is not in this selection` : ""
            }
          />
        )}
      </>
    );
  return (
    <>
      <div class="row sandwich-head">
        <h2 class="sandwich-name">
          <bdi title={cleanName(refName(name))}>{cleanName(refName(name))}</bdi>
          {refPlace(name) && <span class="soft"> · {cleanName(refPlace(name))}</span>}
        </h2>
        <FunctionPicker label="Change ▾" answer={top.data} onOpen={loadFunctions} onPick={select} />
        <button type="button" class="quiet" onClick={() => go({ function: "" })}>
          All functions
        </button>
        {data && <Totals answer={data} />}
      </div>
      <AnswerNote answer={answer} what="callers and callees" />
      {data && (
        <div class="content sandwich">
          <section class="panel pane" aria-label="Direct callers">
            <Neighbours
              title="Callers"
              rows={callers}
              whole={data.function_total}
              unit={data.unit}
              rest="as the root of a stack"
              hidden={data.callers.hidden_share > 0}
              empty="No callers: it is the root of its stacks"
            />
          </section>
          <Graph
            state={state}
            nodes={data.callers}
            answer={data}
            layout="flame"
            label="Callers"
            busy={answer.waiting || answer.stale}
          />
          <section class="panel pane" aria-label="Direct callees">
            <Neighbours
              title="Callees"
              rows={callees}
              whole={data.function_total}
              unit={data.unit}
              rest="self"
              hidden={data.callees.hidden_share > 0}
              empty="No callees"
            />
          </section>
          <Graph
            state={state}
            nodes={data.callees}
            answer={data}
            layout="icicle"
            label="Callees"
            busy={answer.waiting || answer.stale}
          />
        </div>
      )}
    </>
  );
}
