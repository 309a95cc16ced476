// SPDX-License-Identifier: Apache-2.0
// Sums over all frames, including those that are too narrow for the graph, computed by the server
// (/api/v1/sums).
import { useEffect, useState } from "preact/hooks";
import type { Tree } from "./tree";
import { MatchSum, partsOf } from "./search";

export interface SumsAnswer {
  total: number; // of the subtree; for a difference, of the after side
  before_total?: number;
  match?: { frames: number; total: number; before_total?: number };
  // By function.
  places?: { names: string[]; files: string[]; modules: string[]; self: number[]; rest: number };
}

export interface SumsQuery {
  path: string[];
  search?: string;
  expression?: string;
  places?: boolean;
}

export type Sums = (query: SumsQuery, signal: AbortSignal) => Promise<SumsAnswer>;

// Whether frames of the tree are missing from the answer, so that sums over its frames would be too
// small.
export const hidesFrames = (source: Tree) => source.nodeCount > source.name.length - 1;

// Return the query for the sums of a search; null for an empty search.
export function searchQuery(text: string, path: string[]): SumsQuery | null {
  const parts = partsOf(text);
  if (!parts) return null;
  if (parts.flags === undefined) return { path, search: parts.text };
  const flags = parts.flags.replace(/[^ims]/g, "");
  return { path, expression: flags ? `(?${flags})${parts.text}` : parts.text };
}

const typingMs = 150;

// Return the answer; undefined while it is being fetched, null if there is none.
export function useSums(
  sums: Sums | undefined,
  query: SumsQuery | null,
): SumsAnswer | null | undefined {
  const key = sums && query ? JSON.stringify(query) : "";
  const [known, set] = useState<{ sums: Sums | undefined; key: string; answer: SumsAnswer | null }>(
    {
      sums,
      key: "",
      answer: null,
    },
  );
  useEffect(() => {
    if (!sums || !key) return;
    const abort = new AbortController();
    const take = (answer: SumsAnswer | null) => abort.signal.aborted || set({ sums, key, answer });
    const timer = setTimeout(
      () => void sums(JSON.parse(key) as SumsQuery, abort.signal).then(take, () => take(null)),
      typingMs,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [sums, key]);
  if (!key) return null;
  return known.key === key && known.sums === sums ? known.answer : undefined;
}

export interface ExactMatch {
  sum: MatchSum | null; // null: not known yet
  partial: boolean; // only of the frames in the page; the sum over all frames is unknown
  total: number; // total of the node
  beforeTotal: number;
}

// Return the sum of a search's matches in the subtree at `path`. `local`: the sum over the frames
// in the page.
export function useExactMatch(
  sums: Sums | undefined,
  source: Tree | undefined,
  path: string[] | null,
  text: string,
  local: { sum: MatchSum; total: number; beforeTotal: number } | null,
): ExactMatch | null {
  const hides = source !== undefined && hidesFrames(source);
  const answer = useSums(sums, hides && path && local ? searchQuery(text, path) : null);
  if (!local) return null;
  if (!hides || answer === null || (answer && !answer.match)) return { ...local, partial: hides };
  if (!answer) return { ...local, sum: null, partial: false };
  const match = answer.match!;
  return {
    sum: { count: match.frames, value: match.total, beforeValue: match.before_total ?? 0 },
    partial: false,
    total: answer.total,
    beforeTotal: answer.before_total ?? 0,
  };
}
