// SPDX-License-Identifier: Apache-2.0
// The comparison of two selections: a differential flame graph, a table of changes, or a graph of
// each side.
import { useMemo } from "preact/hooks";
import { Answer, apiUrl, Params, useAnswer } from "../api/client";
import { filterParams, sideParams } from "../api/selection";
import { DiffAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Choice, Select } from "../base/components";
import { useResolvedState, useTick } from "../explore/refresh";
import { FilterBar } from "../explore/FilterBar";
import { Toolbar } from "../explore/Toolbar";
import { fresh, go, State } from "../url";
import { CompareButtons } from "./CompareMenu";
import { CompareDownloads } from "./CompareDownloads";
import "./compare.css";
import { DiffGraph, shownDiff } from "./DiffGraph";
import { DiffTable } from "./DiffTable";
import { Overall } from "./Overall";
import { SideGraphs } from "./SideGraphs";
import { SidePanels } from "./SidePanel";
import { sameSides, swapSides } from "./sides";
import { PairTypePicker, usePairTypes } from "./PairTypes";
import { Scaling, scaledAnswer, useScaling } from "./scaling";
import { grainOf, significanceOf } from "./significance";
import { VersionTable } from "./VersionTable";

const maxRows = 10_000;
const maxNodes = 20_000;

const shows: readonly (readonly [State["show"], string, string, string])[] = [
  ["both", "Both", "Difference as graph and table", "b"],
  ["graph", "Difference", "Differential flame graph", "f"],
  ["sides", "Side by side", "A flame graph of each side", "s"],
  ["table", "Table", "Functions that grew, shrank, are new or gone", "t"],
  ["versions", "Versions", "All versions in one table", "o"],
];

function useCompareKeys(state: State, refresh: () => void) {
  useKeys("Compare", [
    ...shows.map(([show, name, , key]) => ({ key, help: name, run: () => go({ show }) })),
    { key: "w", help: "Swap sides", run: () => go({ ...swapSides(state), zoom: [] }) },
    {
      key: "a",
      help: "Absolute or by share",
      run: () => go({ normalise: !state.normalise, per: "" }),
    },
    {
      key: "p",
      help: "Switch diff colours",
      run: () => go({ palette: state.palette === "redgreen" ? "bluered" : "redgreen" }),
    },
    {
      key: "i",
      help: "Flip the flame graph",
      run: () => go({ layout: state.layout === "icicle" ? "flame" : "icicle" }),
    },
    {
      key: "v",
      help: "Invert: leaves at the root",
      run: () => go({ invert: !state.invert, zoom: [] }),
    },
    {
      key: "x",
      help: "Clear zoom, search and filters",
      run: () => go({ ...fresh, file: state.file, kind: "" }),
    },
    { key: "g", help: "Refresh", run: refresh },
  ]);
}

function Look(props: { state: State }) {
  const { state } = props;
  return (
    <>
      <Choice
        label="Layout"
        value={state.show}
        options={shows.map(
          ([show, text, title, key]) => [show, text, `${title} (${key})`] as const,
        )}
        onChange={(show) => go({ show })}
      />
      {state.show !== "sides" && state.show !== "versions" && (
        <Select
          label="Compare"
          value={state.normalise ? "share" : state.per || "amount"}
          options={[
            ["amount", "Absolute"],
            ["share", "By share"],
            ["second", "Per second"],
            ["request", "Per request"],
          ]}
          onChange={(how) =>
            go({
              normalise: how === "share",
              per: how === "second" || how === "request" ? how : "",
            })
          }
        />
      )}
      {(state.show === "both" || state.show === "graph") && (
        <Select
          label="Diff colours"
          value={state.palette}
          options={[
            ["redgreen", "Red and green"],
            ["bluered", "Orange and blue"],
          ]}
          onChange={(palette) => go({ palette })}
        />
      )}
    </>
  );
}

// Query all changes, and those of the zoomed frame. A side without data cannot be normalised; then
// absolute values are queried.
function useDiff(state: State, params: Params | undefined, tick: number) {
  const withGraph = state.show === "both" || state.show === "graph";
  const diffUrl = (more: Params) => (params ? apiUrl("diff", { ...params, ...more }) : undefined);
  const whole = {
    n: maxRows,
    sort: state.of,
    flame: withGraph,
    max_nodes: withGraph ? maxNodes : undefined,
  };
  const plain = useAnswer<DiffAnswer>(diffUrl({ ...whole, normalise: state.normalise }), tick);
  const unscaled = state.normalise && plain.error?.status === 400;
  const raw = useAnswer<DiffAnswer>(unscaled ? diffUrl(whole) : undefined, tick);
  const zoomed = useAnswer<DiffAnswer>(
    withGraph && state.zoom.length && plain.data
      ? diffUrl({
          normalise: state.normalise,
          n: 1,
          flame: true,
          path: state.zoom,
          nearest: true,
          max_nodes: maxNodes,
        })
      : undefined,
    tick,
  );
  return { whole: unscaled && raw.data ? raw : plain, zoomed };
}

// Return the answer with its values per second or per request.
const scaledBy = (answer: Answer<DiffAnswer>, scaling: Scaling | undefined): Answer<DiffAnswer> =>
  scaling && answer.data && !answer.data.normalised
    ? { ...answer, data: scaledAnswer(answer.data, scaling) }
    : answer;

export function Compare(props: { state: State }) {
  const { state } = props;
  const [tick, refresh] = useTick(false);
  const resolved = useResolvedState(state, tick);
  const types = usePairTypes(resolved, tick);
  const params = useMemo(() => {
    const type = state.type || (types.ready ? types.chosen : "");
    return type && !sameSides(state)
      ? { ...sideParams({ ...resolved, type }), ...filterParams(resolved) }
      : undefined;
  }, [JSON.stringify(resolved), types.ready, types.chosen]);
  const found = useDiff(state, params, tick);
  const { scaling, problem } = useScaling(resolved, types.chosen, tick);
  const whole = useMemo(() => scaledBy(found.whole, scaling), [found.whole.data, found.whole, scaling]);
  const zoomed = useMemo(() => scaledBy(found.zoomed, scaling), [found.zoomed.data, found.zoomed, scaling]);
  useCompareKeys(state, refresh);
  const answer = whole.data;
  const significance = useMemo(() => {
    const one = scaling ? scaling.count : { before: 1, after: 1 };
    return (
      answer &&
      found.whole.data &&
      significanceOf(answer, state.of, grainOf(found.whole.data), {
        before: 1 / one.before,
        after: 1 / one.after,
      })
    );
  }, [answer, state.of]);
  const select = (name: string) => go({ function: name === state.function ? "" : name }, "replace");
  const empty = sameSides(state) || (!types.chosen && types.ready);
  // Charts of all services are expensive.
  const chosen = state.query || state.file || state.before ? types.chosen : "";
  return (
    <div class="page fill compare">
      <h1 class="hidden-text">Comparison of {state.query || "two selections"}</h1>
      <div class="row bar">
        <PairTypePicker types={types} onChange={(type) => go({ type, zoom: [] })} />
        <CompareButtons state={state} resolved={resolved} />
        <span class="spread" />
        <button
          type="button"
          title="Swap sides (w)"
          onClick={() => go({ ...swapSides(state), zoom: [] })}
        >
          ⇄ Swap sides
        </button>
      </div>
      <FilterBar state={state} labels={false} samples={false} />
      <SidePanels state={state} resolved={resolved} type={chosen} tick={tick} />
      <Overall state={state} answer={answer} types={types} scaling={scaling} />
      {problem && <p class="note warn">{problem}</p>}
      <AnswerNote answer={whole} what="the difference" />
      {!empty && (
        <>
          <div class="row bar">
            <Look state={state} />
            <span class="spread" />
            <Toolbar state={state} resolved={resolved} tree={state.show !== "table"} />
            <CompareDownloads
              resolved={resolved}
              type={types.chosen}
              answer={shownDiff(state, whole, zoomed)}
            />
          </div>
          <div class={`content compare-content ${state.show}`}>
            {state.show === "versions" && (
              <section class="panel pane" aria-label="Functions by version">
                <VersionTable state={state} resolved={resolved} type={types.chosen} tick={tick} />
              </section>
            )}
            {state.show === "sides" && (
              <SideGraphs state={state} resolved={resolved} type={types.chosen} tick={tick} />
            )}
            {(state.show === "both" || state.show === "table") && (
              <section class="panel pane" aria-label="Changes by function">
                <DiffTable
                  state={state}
                  answer={answer}
                  significance={significance}
                  onSelect={select}
                />
              </section>
            )}
            {(state.show === "both" || state.show === "graph") && (
              <section class="panel pane" aria-label="Flame graph of the difference">
                <DiffGraph
                  state={state}
                  whole={whole}
                  zoomed={zoomed}
                  params={scaling ? undefined : params}
                  grain={significance?.grain}
                />
              </section>
            )}
          </div>
        </>
      )}
    </div>
  );
}
