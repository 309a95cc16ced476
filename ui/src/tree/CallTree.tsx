// SPDX-License-Identifier: Apache-2.0
// The call tree as a table with collapsible rows, an accessible alternative to the flame graph.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Answer, Params } from "../api/client";
import { FlameAnswer } from "../api/types";
import { useKeys } from "../base/keys";
import { AnswerNote, Ends, useSize } from "../base/components";
import { formatCount, formatShare, formatValue } from "../base/units";
import { useSelectionSums } from "../explore/selection_sums";
import { Breadcrumb } from "../flame/controls/Breadcrumb";
import { ExactMatch, useExactMatch } from "../flame/model/server_sums";
import { nameOf, pathOf, refOf, Tree, treeOf } from "../flame/model/tree";
import { cleanName, nameEnds } from "../flame/text/names";
import { Amount, Column, DataTable } from "../table/DataTable";
import { matchOf } from "../table/row_filter";
import { fileText, shortPath } from "../table/TopTable";
import { go, State } from "../url";
import {
  carryOver,
  closeBelow,
  findMatches,
  hasChildren,
  hottestPath,
  largestNamed,
  Matches,
  openBelow,
  openTo,
  visibleNodes,
} from "./tree_rows";
import "./tree.css";

const maxOpened = 5_000; // matches to which a search expands the tree

interface Open {
  tree: Tree | undefined;
  nodes: ReadonlySet<number>;
  selected: number; // -1: none
}

const none: ReadonlySet<number> = new Set();

// Return the initial state: the path to the selected function is expanded, else the hottest path.
function firstOpen(tree: Tree, ref: string): Open {
  const named = largestNamed(tree, ref);
  const path = named > 0 ? [named] : hottestPath(tree, 0);
  const selected = path[path.length - 1] ?? -1;
  return { tree, nodes: selected > 0 ? openTo(tree, none, [selected]) : none, selected };
}

function useOpen(tree: Tree | undefined, name: string): [Open, (change: Partial<Open>) => void] {
  const [open, set] = useState<Open>({ tree: undefined, nodes: none, selected: -1 });
  let now = open;
  if (tree && open.tree !== tree) {
    now = open.tree
      ? {
          tree,
          nodes: carryOver(open.tree, tree, open.nodes),
          selected:
            open.selected > 0 ? ([...carryOver(open.tree, tree, [open.selected])][0] ?? -1) : -1,
        }
      : firstOpen(tree, name);
    set(now);
  }
  return [now, (change) => set({ ...now, ...change })];
}

// Return the indentation per level, so that the deepest row is indented by at most 0.3 of the
// width.
const widestStep = 14;
const stepFor = (tree: Tree, rows: readonly number[], width: number) => {
  const deepest = rows.reduce((most, node) => Math.max(most, tree.level[node]), 1);
  return Math.min(widestStep, (0.3 * width) / deepest);
};

function Name(props: {
  tree: Tree;
  node: number;
  step: number;
  open: boolean;
  found: Matches | undefined;
  onToggle: () => void;
}) {
  const { tree, node } = props;
  const name = cleanName(nameOf(tree, node));
  const marked = props.found?.names[tree.name[node]];
  return (
    <span class="tree-name" style={{ paddingLeft: (tree.level[node] - 1) * props.step }}>
      <span
        class={`tree-toggle ${hasChildren(tree, node) ? "" : "leaf"}`}
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation();
          props.onToggle();
        }}
      >
        {hasChildren(tree, node) ? (props.open ? "▾" : "▸") : ""}
      </span>
      <Ends parts={nameEnds(name)} class={marked ? "tree-found" : ""} title={name} />
    </span>
  );
}

function matchText(tree: Tree, match: ExactMatch): string {
  const { sum } = match;
  if (!sum) return "; counting matches…";
  const count =
    formatCount(sum.count, "match", "matches") + (match.partial ? " of the frames listed" : "");
  return `; ${count}, ${formatValue(sum.value, tree.unit)} (${formatShare(sum.value, tree.grandTotal)})`;
}

function Foot(props: { tree: Tree; shown: number; match: ExactMatch | null }) {
  const { tree, match } = props;
  const received = tree.name.length - 1;
  return (
    <p class="table-foot soft">
      {formatCount(props.shown, "row")} visible of {formatCount(received, "frame")}
      {tree.nodeCount > received &&
        `; ${(tree.nodeCount - received).toLocaleString("en-US")} smaller frames, ` +
          `${formatShare(tree.hiddenShare, 1, 2)} in total, are not listed: zoom into a row to see its complete subtree`}
      {match && matchText(tree, match)}
    </p>
  );
}

function Grid(props: { state: State; answer: FlameAnswer; params: Params }) {
  const { state, answer } = props;
  const tree = useMemo(() => treeOf(answer.nodes, answer.unit, answer.kept), [answer]);
  const [open, setOpen] = useOpen(tree, state.function);
  const [box, size] = useSize<HTMLDivElement>();
  const found = useMemo(
    () => (state.search ? findMatches(tree, matchOf(state.search).matches) : undefined),
    [tree, state.search],
  );
  const rows = useMemo(() => visibleNodes(tree, open.nodes), [tree, open.nodes]);
  const local = found && {
    sum: { count: found.nodes.length, value: found.value, beforeValue: 0 },
    total: tree.total[0],
    beforeTotal: 0,
  };
  const match = useExactMatch(
    useSelectionSums(props.params),
    tree,
    tree.rootPath,
    state.search,
    local ?? null,
  );

  const opened = useRef(""); // search for which the tree was expanded
  useEffect(() => {
    if (!found || opened.current === state.search) return;
    opened.current = state.search;
    setOpen({
      nodes: openTo(tree, open.nodes, found.nodes.slice(0, maxOpened)),
      selected: found.nodes[0] ?? open.selected,
    });
  }, [found]);

  const select = (node: number, more: Partial<Open> = {}) => {
    setOpen({ selected: node, ...more });
    go({ function: refOf(tree, node) }, "replace");
  };
  const toggle = (node: number) => {
    if (!hasChildren(tree, node)) return;
    const nodes = new Set(open.nodes);
    if (!nodes.delete(node)) nodes.add(node);
    setOpen({ nodes });
  };
  const hottest = () => {
    const path = hottestPath(tree, Math.max(0, open.selected));
    if (path.length) select(path[path.length - 1], { nodes: openTo(tree, open.nodes, path) });
  };
  // Query the subtree, which then includes frames that were too small for the whole tree.
  const zoomIn = () => open.selected > 0 && go({ zoom: pathOf(tree, open.selected) });
  const next = (forward: boolean) => {
    const nodes = found?.nodes ?? [];
    const node = forward
      ? (nodes.find((n) => n > open.selected) ?? nodes[0])
      : (nodes.filter((n) => n < open.selected).pop() ?? nodes[nodes.length - 1]);
    if (node) select(node, { nodes: openTo(tree, open.nodes, [node]) });
  };
  // The usual keys of trees: right expands, then moves to the first child; left collapses, then
  // moves to the parent.
  const onKey = (key: string, node: number | undefined): boolean => {
    if (key === "ArrowRight" && node) {
      if (!hasChildren(tree, node)) return true;
      if (open.nodes.has(node)) select(node + 1);
      else toggle(node);
    } else if (key === "ArrowLeft" && node) {
      if (open.nodes.has(node)) toggle(node);
      else if (tree.parent[node] > 0) select(tree.parent[node]);
    } else if (key === " " && node) toggle(node);
    else if (key === "*" && node) setOpen({ nodes: openBelow(tree, open.nodes, node) });
    else return false;
    return true;
  };
  useKeys("Call tree", [
    { key: "h", help: "Expand the hottest path", run: hottest },
    {
      key: "*",
      help: "Expand the subtree",
      run: () =>
        open.selected > 0 && setOpen({ nodes: openBelow(tree, open.nodes, open.selected) }),
    },
    {
      key: "-",
      help: "Collapse the subtree",
      run: () =>
        setOpen({ nodes: open.selected > 0 ? closeBelow(tree, open.nodes, open.selected) : none }),
    },
    { key: "z", help: "Zoom into the row", run: zoomIn },
    {
      key: "Backspace",
      help: "Back to its caller",
      run: () => state.zoom.length && go({ zoom: state.zoom.slice(0, -1) }),
    },
    { key: "n", help: "Next match", run: () => next(true) },
    { key: "N", help: "Previous match", run: () => next(false) },
  ]);

  const step = useMemo(() => stepFor(tree, rows, size.width || 1000), [tree, rows, size.width]);
  const narrow = size.width > 0 && size.width < 640;
  const columns = useMemo((): Column<number>[] => {
    const amount = (key: "self" | "total", title: string, help: string): Column<number> => ({
      key,
      title,
      help,
      number: true,
      width: narrow ? "104px" : "136px",
      render: (node) => <Amount value={tree[key][node]} total={tree.grandTotal} unit={tree.unit} />,
    });
    const file: Column<number> = {
      key: "file",
      title: "File",
      width: "minmax(60px, 1fr)",
      render: (node) => {
        const name = tree.name[node];
        const text = fileText({
          file: tree.files[name] ?? "",
          module: tree.modules[name] ?? "",
          line: tree.lines?.[name],
        });
        return (
          <bdi class="soft" title={text}>
            {shortPath(text)}
          </bdi>
        );
      },
    };
    return [
      {
        key: "name",
        title: "Function",
        width: "minmax(160px, 4fr)",
        render: (node) => (
          <Name
            tree={tree}
            node={node}
            step={step}
            open={open.nodes.has(node)}
            found={found}
            onToggle={() => toggle(node)}
          />
        ),
      },
      amount("total", "Total", "In the function and its callees"),
      ...(size.width > 0 && size.width < 460
        ? []
        : [amount("self", "Self", "In the function itself")]),
      ...(narrow ? [] : [file]),
    ];
  }, [tree, open, found, size.width, step]);

  return (
    <div class="table-pane call-tree" ref={box}>
      <div class="row tree-bar">
        <button
          type="button"
          class="small"
          title="From the selected row, or the root (h)"
          onClick={hottest}
        >
          Hottest path
        </button>
        <button type="button" class="small" onClick={() => setOpen({ nodes: none })}>
          Collapse all
        </button>
        <button
          type="button"
          class="small"
          title="Show only the subtree of the selected row, complete (z)"
          disabled={open.selected <= 0}
          onClick={zoomIn}
        >
          Zoom in
        </button>
        {state.zoom.length > 0 && (
          <Breadcrumb
            rootName="all"
            crumbs={state.zoom.map((name, i) => ({
              name,
              go: () => go({ zoom: state.zoom.slice(0, i + 1) }),
            }))}
            onReset={() => go({ zoom: [] })}
          />
        )}
        {found && (
          <>
            <button
              type="button"
              class="small"
              title="Previous match (N)"
              aria-label="Previous match"
              disabled={!found.nodes.length}
              onClick={() => next(false)}
            >
              ↑
            </button>
            <button
              type="button"
              class="small"
              title="Next match (n)"
              aria-label="Next match"
              disabled={!found.nodes.length}
              onClick={() => next(true)}
            >
              ↓
            </button>
          </>
        )}
      </div>
      <DataTable
        label="Call tree"
        columns={columns}
        rows={rows}
        rowKey={(node) => node}
        selected={open.selected > 0 ? open.selected : ""}
        onSelect={(node) => select(node)}
        onOpen={(node) => toggle(node)}
        onKey={onKey}
        tree={{
          level: (node) => tree.level[node],
          expanded: (node) => (hasChildren(tree, node) ? open.nodes.has(node) : undefined),
        }}
        empty="No samples"
      />
      <Foot tree={tree} shown={rows.length} match={match} />
    </div>
  );
}

export function CallTree(props: { state: State; answer: Answer<FlameAnswer>; params: Params }) {
  return (
    <>
      <AnswerNote answer={props.answer} what="the call tree" />
      {props.answer.data && (
        <div class="content">
          <section class="panel pane" aria-label="Call tree">
            <Grid state={props.state} answer={props.answer.data} params={props.params} />
          </section>
        </div>
      )}
    </>
  );
}
