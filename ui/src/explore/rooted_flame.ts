// SPDX-License-Identifier: Apache-2.0
// A flame graph with the values of a label (services, pods, versions) as its roots: one query for
// each of the largest values, and one frame for the sum of the others.
import { useMemo, useRef, useState, useEffect } from "preact/hooks";
import { Answer, ApiError, fetchAnswer } from "../api/client";
import { filterParams, selectionParams, withMatcher } from "../api/selection";
import { FlameAnswer, LabelCostAnswer, TreeNodes } from "../api/types";
import { State } from "../url";

const maxRoots = 48;
const maxNodes = 20_000;
interface Part {
  value: string;
  answer: FlameAnswer;
}

// Return one tree of the parts, the largest first. Names are kept apart by part, so that a name
// belongs to one root. `rest`: the value of the roots that are not included.
export function joinParts(parts: readonly Part[], rest: { count: number; total: number }): TreeNodes {
  const nodes: TreeNodes = {
    path: [],
    node_count: 0,
    shown_count: 0,
    hidden_share: 0,
    names: [],
    files: [],
    modules: [],
    lines: [],
    roots: [],
    level: [0],
    name: [-1],
    self: [0],
    total: [0],
  };
  const put = (level: number, name: number, self: number, total: number) => {
    nodes.level.push(level);
    nodes.name.push(name);
    nodes.self.push(self);
    nodes.total.push(total);
  };
  const putName = (name: string, file: string, module: string, line: number, root: string) => {
    nodes.names.push(name);
    nodes.files.push(file);
    nodes.modules.push(module);
    nodes.lines!.push(line);
    nodes.roots!.push(root);
    return nodes.names.length - 1;
  };
  let hidden = 0;
  for (const { value, answer } of [...parts].sort((a, b) => b.answer.kept - a.answer.kept)) {
    const own = answer.nodes;
    const root = value || "(none)";
    put(1, putName(root, "", "", 0, root), own.self[0] ?? 0, own.total[0] ?? 0);
    const first = nodes.names.length;
    own.names.forEach((name, i) =>
      putName(name, own.files[i] ?? "", own.modules[i] ?? "", own.lines?.[i] ?? 0, root),
    );
    for (let i = 1; i < own.level.length; i++)
      put(own.level[i] + 1, first + own.name[i], own.self[i], own.total[i]);
    nodes.node_count += own.node_count + 1;
    nodes.shown_count += own.shown_count + 1;
    nodes.total[0] += own.total[0] ?? 0;
    hidden += own.hidden_share * (own.total[0] ?? 0);
  }
  if (rest.total > 0) {
    const name = `${rest.count} more`;
    put(1, putName(name, "", "", 0, name), rest.total, rest.total);
    nodes.total[0] += rest.total;
    nodes.node_count++;
    nodes.shown_count++;
  }
  nodes.hidden_share = nodes.total[0] ? hidden / nodes.total[0] : 0;
  return nodes;
}

const flameOf = (resolved: State, label: string, value: string, path: string[], most: number) =>
  fetchAnswer<FlameAnswer>("flame", {
    ...selectionParams({ ...resolved, query: withMatcher(resolved.query, label, value) }),
    ...filterParams(resolved),
    path,
    nearest: path.length > 0,
    max_nodes: most,
  });

// Load the subtree of a zoomed frame: its root is the first name of the path.
async function loadZoomed(resolved: State, label: string): Promise<FlameAnswer> {
  const [value, ...path] = resolved.zoom;
  const answer = await flameOf(resolved, label, value, path, maxNodes);
  const { nodes } = answer;
  return {
    ...answer,
    nodes: { ...nodes, path: [value, ...nodes.path], roots: nodes.names.map(() => value) },
  };
}

async function loadAll(resolved: State, label: string): Promise<FlameAnswer> {
  const values = await fetchAnswer<LabelCostAnswer>("label-values", {
    ...selectionParams(resolved),
    name: label,
    cost: true,
    limit: maxRoots,
  });
  const shown = values.values.filter((_, i) => values.totals[i] > 0);
  const most = Math.ceil(maxNodes / Math.max(1, shown.length));
  const parts = (
    await Promise.all(
      shown.map((value) =>
        flameOf(resolved, label, value, [], most)
          .then((answer) => ({ value, answer }))
          .catch((e) => (e instanceof ApiError && e.status === 404 ? undefined : Promise.reject(e))),
      ),
    )
  ).filter((part): part is Part => part !== undefined);
  if (!parts.length) throw new ApiError(404, "no data for this selection in this time range");
  // Filters change the values of the others by an unknown amount; without filters they are known.
  const filtered = [resolved.focus, resolved.ignore, resolved.hide].some((f) => f !== "");
  const listed = values.totals.reduce((sum, total) => sum + total, 0);
  const rest = filtered ? 0 : Math.max(0, values.total - listed);
  const nodes = joinParts(parts, { count: values.count - shown.length, total: rest });
  const sum = (of: "total" | "kept") => parts.reduce((n, { answer }) => n + answer[of], 0);
  return {
    ...parts[0].answer,
    total: sum("total") + rest,
    kept: sum("kept") + rest,
    stacks: parts.reduce((n, { answer }) => n + answer.stacks, 0),
    nodes,
    warnings: parts.flatMap(({ answer }) => answer.warnings ?? []),
  };
}

// Return the flame graph of the selection with the values of a label as roots; "": nothing.
export function useRootedFlame(resolved: State, label: string, tick: number): Answer<FlameAnswer> {
  const [state, set] = useState<{ key: string; data?: FlameAnswer; error?: ApiError }>({ key: "" });
  const [attempt, retry] = useState(0);
  const latest = useRef(resolved);
  latest.current = resolved;
  const key = label
    ? JSON.stringify([label, selectionParams(resolved), filterParams(resolved), resolved.zoom])
    : "";
  useEffect(() => {
    if (!key) return;
    let current = true;
    const of = latest.current;
    // A path from another grouping begins with a function, not with a value of the label.
    const loaded = of.zoom.length
      ? loadZoomed(of, label).catch(() => loadAll({ ...of, zoom: [] }, label))
      : loadAll(of, label);
    loaded
      .then((data) => current && set({ key, data }))
      .catch(
        (e: Error) =>
          current && set({ key, error: e instanceof ApiError ? e : new ApiError(0, e.message) }),
      );
    return () => void (current = false);
  }, [key, tick, attempt]);
  return useMemo(
    () => ({
      data: key ? state.data : undefined,
      error: key && state.key === key ? state.error : undefined,
      waiting: key !== "" && state.key !== key,
      stale: state.key !== key,
      retry: () => retry((n) => n + 1),
    }),
    [state, key],
  );
}
