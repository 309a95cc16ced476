// SPDX-License-Identifier: Apache-2.0
// Sums over all frames, also those that were too small to be sent: the server counts them (/api/v1/sums).
import { useEffect, useState } from "preact/hooks";
import type { Tree } from "./model";
import { MatchSum, partsOf } from "./search";

export interface SumsAnswer {
  total: number; // of the subtree; of a difference: after
  before_total?: number;
  match?: { frames: number; total: number; before_total?: number };
  places?: { names: string[]; files: string[]; modules: string[]; self: number[]; rest: number }; // functions that belong together
}

export interface SumsQuestion {
  path: string[];
  search?: string;
  expression?: string;
  places?: boolean;
}

export type Sums = (question: SumsQuestion, signal: AbortSignal) => Promise<SumsAnswer>;

// Whether frames of the tree were not sent: then sums over what is here are too small.
export const hidesFrames = (source: Tree) => source.nodeCount > source.name.length - 1;

// What a search asks the server; null: nothing.
export function searchQuestion(text: string, path: string[]): SumsQuestion | null {
  const parts = partsOf(text);
  if (!parts) return null;
  if (parts.flags === undefined) return { path, search: parts.text };
  const flags = parts.flags.replace(/[^ims]/g, "");
  return { path, expression: flags ? `(?${flags})${parts.text}` : parts.text };
}

const typingMs = 150;

// The answer; undefined: it is on its way; null: there is none.
export function useSums(sums: Sums | undefined, question: SumsQuestion | null): SumsAnswer | null | undefined {
  const key = sums && question ? JSON.stringify(question) : "";
  const [known, set] = useState<{ sums: Sums | undefined; key: string; answer: SumsAnswer | null }>({ sums, key: "", answer: null });
  useEffect(() => {
    if (!sums || !key) return;
    const abort = new AbortController();
    const take = (answer: SumsAnswer | null) => abort.signal.aborted || set({ sums, key, answer });
    const timer = setTimeout(() => void sums(JSON.parse(key) as SumsQuestion, abort.signal).then(take, () => take(null)), typingMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [sums, key]);
  if (!key) return null;
  return known.key === key && known.sums === sums ? known.answer : undefined;
}

export interface ExactMatch {
  sum: MatchSum | null; // null: it is being counted
  partial: boolean; // of the frames that are here, and nobody knows of the others
  total: number; // what the sum is a part of
  beforeTotal: number;
}

// What a search finds at and below a node: `local` is the sum over the frames that are here.
export function useExactMatch(sums: Sums | undefined, source: Tree | undefined, path: string[] | null, text: string, local: { sum: MatchSum; total: number; beforeTotal: number } | null): ExactMatch | null {
  const hides = source !== undefined && hidesFrames(source);
  const answer = useSums(sums, hides && path && local ? searchQuestion(text, path) : null);
  if (!local) return null;
  if (!hides || answer === null || (answer && !answer.match)) return { ...local, partial: hides };
  if (!answer) return { ...local, sum: null, partial: false };
  const match = answer.match!;
  return { sum: { count: match.frames, value: match.total, beforeValue: match.before_total ?? 0 }, partial: false, total: answer.total, beforeTotal: answer.before_total ?? 0 };
}
