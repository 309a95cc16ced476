// SPDX-License-Identifier: Apache-2.0
// Hooks that apply the properties of <FlameGraph> to its canvas.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useShownTheme } from "../base/theme";
import { painterOf } from "./canvas/colours";
import { Engine, Found, Prepared, sourcePath } from "./model/engine";
import { ExactMatch, useExactMatch } from "./model/server_sums";
import { detailText } from "./text/numbers";
import type { FlameGraphProps } from "./props";
import { MatchSum, sumOf } from "./model/search";
import { Stage } from "./canvas/stage";

export interface Shown {
  prepared: Prepared;
  zoom: number; // zoomed node
}

// Run an effect with a value or, later, with the value of a promise; a pending promise is ignored
// when the inputs change.
function useValue<T>(
  make: () => T | Promise<T> | null,
  take: (value: T) => void,
  inputs: unknown[],
) {
  useLayoutEffect(() => {
    let current = true;
    const value = make();
    if (value instanceof Promise) void value.then((late) => current && take(late));
    else if (value !== null) take(value);
    return () => void (current = false);
  }, inputs);
}

export function useStage(props: FlameGraphProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const stage = useRef<Stage>(null as unknown as Stage);
  const engine = useRef<Engine>(null as unknown as Engine);
  const latest = useRef(props);
  latest.current = props;
  const [shown, setShown] = useState<Shown | null>(null);

  useLayoutEffect(() => {
    engine.current = new Engine();
    const made = (stage.current = new Stage(canvas.current!, scroller.current!, spacer.current!));
    made.onShow = () => made.prepared && setShown({ prepared: made.prepared, zoom: made.zoom });
    const observer = new ResizeObserver(() => made.resize());
    // Its first call comes with the next layout, so no layout is forced here.
    observer.observe(scroller.current!);
    return () => {
      observer.disconnect();
      made.close();
      engine.current.close();
    };
  }, []);

  const theme = useShownTheme();
  const {
    tree,
    layout,
    colour,
    palette,
    normalise = false,
    grain,
    collapse,
    zoom,
    rootName = "all",
  } = props;
  useLayoutEffect(() => {
    stage.current.setLook({
      theme,
      upsideDown: layout === "flame",
      rootName,
      painterOf: (of) => painterOf(of, colour, palette, theme, normalise, grain),
      detail: (of, node) => detailText(of, node, normalise),
    });
  }, [theme, layout, colour, palette, normalise, grain?.before, grain?.after, rootName]);

  useValue(
    () => engine.current.prepare(tree, collapse, normalise),
    (prepared) => stage.current.show(prepared, latest.current.zoom),
    [tree, collapse, normalise],
  );
  useLayoutEffect(() => stage.current.zoomToPath(zoom), [JSON.stringify(zoom)]);
  return { canvas, scroller, spacer, stage, engine, latest, shown, theme };
}

export type StageParts = ReturnType<typeof useStage>;

export interface SearchResult {
  found: ExactMatch | null;
  error: string;
}

// Run the search: mark the matches on the canvas, and return their sum.
export function useSearch(
  props: FlameGraphProps,
  { stage, engine, shown, latest }: StageParts,
): SearchResult {
  const [found, setFound] = useState<{ of: Prepared; result: Found } | null>(null);
  const [local, setLocal] = useState<{ sum: MatchSum; total: number; beforeTotal: number } | null>(
    null,
  );
  const prepared = shown?.prepared ?? null;
  useValue(
    () => prepared && engine.current.find(prepared, props.search),
    (result) => {
      stage.current.setMatches(result.matches, prepared);
      setFound({ of: prepared!, result });
    },
    [prepared, props.search],
  );
  useEffect(() => {
    const names = found?.of === prepared ? found?.result.matches?.names : undefined;
    if (!names || !shown) return setLocal(null);
    const { tree } = shown.prepared;
    setLocal({
      sum: sumOf(tree, names, shown.zoom),
      total: tree.total[shown.zoom],
      beforeTotal: tree.beforeTotal?.[shown.zoom] ?? 0,
    });
  }, [found, shown]);
  const path = useMemo(() => shown && sourcePath(shown.prepared, shown.zoom), [shown]);
  const exact = useExactMatch(props.sums, prepared?.source, path, props.search, local);
  useEffect(() => {
    if (exact?.sum)
      latest.current.onMatch?.(
        exact.total ? exact.sum.value / exact.total : 0,
        exact.sum.value,
        exact.sum.count,
      );
  }, [exact?.sum?.count, exact?.sum?.value, exact?.total]);
  useEffect(() => stage.current.setSelected(props.selected), [props.selected, prepared]);
  return { found: exact, error: found?.result.error ?? "" };
}
