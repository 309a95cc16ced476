// SPDX-License-Identifier: Apache-2.0
// The work on whole trees. Small ones are done at once; large ones, and names against any regular expression, in a worker,
// so that the page never stands still. A page from a file has no worker and does all of it at once.
import { Collapse, collapse } from "./collapse";
import { Layout, layoutOf } from "./layout";
import { pathOf, Tree } from "./model";
import { Matches, matchesOf, matchNames, searchOf } from "./search";

declare const WORKER_PATH: string | null;

export const largeTree = 200_000;
export const manyNames = 20_000;
const searchLimitMs = 3000;

export interface Prepared {
  source: Tree;
  tree: Tree; // folded, or the same
  mapped: Int32Array | null; // from nodes of source to nodes of tree, and back; null: they are the same
  origin: Int32Array | null;
  layout: Layout;
}

// The path of a node in the real tree; null for a frame that was folded together of several.
export function sourcePath({ source, origin }: Prepared, node: number): string[] | null {
  const from = origin ? origin[node] : node;
  return from < 0 ? null : pathOf(source, from);
}

export interface Found {
  matches: Matches | null;
  error: string;
}

export function prepare(source: Tree, how: Collapse, normalise: boolean): Prepared {
  if (!how) return { source, tree: source, mapped: null, origin: null, layout: layoutOf(source, normalise) };
  const folded = collapse(source, how);
  return { source, tree: folded.tree, mapped: folded.mapped, origin: folded.origin, layout: layoutOf(folded.tree, normalise) };
}

export function find(prepared: Prepared, text: string): Found {
  const search = searchOf(text);
  if (!search.test) return { matches: null, error: search.error };
  return { matches: matchesOf(prepared.tree, prepared.layout, matchNames(prepared.tree.names, search.test)), error: "" };
}

// ---- the worker's side of it ----

export type Question =
  | { id: number; kind: "prepare"; source: Tree; how: Collapse; normalise: boolean }
  | { id: number; kind: "names"; names: string[] }
  | { id: number; kind: "match"; text: string };

// Without a tree: it is the one that was sent. Its names are not sent back.
export type Answer = { id: number } & (
  | { tree: Tree | null; mapped: Int32Array | null; origin: Int32Array | null; layout: Layout }
  | { marks: Uint8Array | null; error: string }
);

function adopt(source: Tree, { tree, mapped, origin, layout }: Extract<Answer, { layout: Layout }>): Prepared {
  const { names, files, modules, lines } = source;
  return { source, tree: tree ? { ...tree, names, files, modules, lines } : source, mapped, origin, layout };
}

export class Engine {
  private worker: Worker | null = null;
  private broken = typeof WORKER_PATH === "undefined" || WORKER_PATH === null;
  private waiting = new Map<number, (answer: Answer | null) => void>();
  private lastId = 0;
  private known: string[] | null = null; // the names that the worker has

  private start(): Worker | null {
    if (this.worker || this.broken) return this.worker;
    try {
      this.worker = new Worker(WORKER_PATH!);
      this.worker.onmessage = (event: MessageEvent<Answer>) => this.settle(event.data.id, event.data);
      this.worker.onerror = () => this.stop(true);
    } catch {
      this.broken = true;
    }
    return this.worker;
  }

  private settle(id: number, answer: Answer | null) {
    const done = this.waiting.get(id);
    this.waiting.delete(id);
    done?.(answer);
  }

  private stop(broken: boolean) {
    this.worker?.terminate();
    this.worker = null;
    this.known = null;
    this.broken ||= broken;
    for (const id of [...this.waiting.keys()]) this.settle(id, null);
  }

  // null: there is no worker, or it was stopped.
  private ask(question: Question): Promise<Answer | null> {
    const worker = this.start();
    if (!worker) return Promise.resolve(null);
    return new Promise((done) => {
      this.waiting.set(question.id, done);
      worker.postMessage(question);
    });
  }

  // The answer at once where that is quick, so that the first picture does not wait for a turn of the event loop.
  prepare(source: Tree, how: Collapse, normalise: boolean): Prepared | Promise<Prepared> {
    if (source.name.length < largeTree || this.broken) return prepare(source, how, normalise);
    // Names are copied string by string, and only folding looks at them.
    const sent = how ? source : { ...source, names: [], files: [], modules: [], lines: null };
    return this.ask({ id: ++this.lastId, kind: "prepare", source: sent, how, normalise }).then((answer) =>
      answer && "layout" in answer ? adopt(source, answer) : prepare(source, how, normalise),
    );
  }

  find(prepared: Prepared, text: string): Found | Promise<Found> {
    const isExpression = /^\s*\//.test(text);
    if (this.broken || (!isExpression && prepared.tree.names.length < manyNames)) return find(prepared, text);
    return this.findThere(prepared, text);
  }

  private async findThere(prepared: Prepared, text: string): Promise<Found> {
    if (!this.start()) return find(prepared, text);
    if (this.known !== prepared.tree.names) {
      this.known = prepared.tree.names;
      this.worker?.postMessage({ id: 0, kind: "names", names: this.known } satisfies Question);
    }
    let late = false;
    const limit = setTimeout(() => {
      late = true;
      this.stop(false);
    }, searchLimitMs);
    const answer = await this.ask({ id: ++this.lastId, kind: "match", text });
    clearTimeout(limit);
    if (late) return { matches: null, error: "this expression takes too long" };
    if (!answer || !("marks" in answer)) return find(prepared, text);
    return { matches: answer.marks && matchesOf(prepared.tree, prepared.layout, answer.marks), error: answer.error };
  }

  close() {
    this.stop(true);
  }
}
