// SPDX-License-Identifier: Apache-2.0
// Runs the operations on whole trees: collapse, layout and search. Small trees are processed
// synchronously; large trees, and searches with regular expressions, in a worker, so that the page
// stays responsive. A page opened from a file has no worker.
import { Collapse, collapse } from "./collapse";
import { Layout, layoutOf } from "./layout";
import { pathOf, Tree } from "./tree";
import { Matches, matchesOf, matchNames, searchOf } from "./search";

declare const WORKER_PATH: string | null;

export const largeTree = 200_000;
export const manyNames = 20_000;
const searchLimitMs = 3000;

export interface Prepared {
  source: Tree;
  tree: Tree; // collapsed source, or source itself
  mapped: Int32Array | null; // from nodes of source to nodes of tree; null: both are the same
  origin: Int32Array | null; // from nodes of tree to nodes of source; null: both are the same
  layout: Layout;
}

// Return the path of a node in the source tree; null for a frame that was merged from several.
export function sourcePath({ source, origin }: Prepared, node: number): string[] | null {
  const from = origin ? origin[node] : node;
  return from < 0 ? null : pathOf(source, from);
}

export interface Found {
  matches: Matches | null;
  error: string;
}

export function prepare(source: Tree, how: Collapse, normalise: boolean): Prepared {
  if (!how)
    return {
      source,
      tree: source,
      mapped: null,
      origin: null,
      layout: layoutOf(source, normalise),
    };
  const folded = collapse(source, how);
  return {
    source,
    tree: folded.tree,
    mapped: folded.mapped,
    origin: folded.origin,
    layout: layoutOf(folded.tree, normalise),
  };
}

export function find(prepared: Prepared, text: string): Found {
  const search = searchOf(text);
  if (!search.test) return { matches: null, error: search.error };
  return {
    matches: matchesOf(
      prepared.tree,
      prepared.layout,
      matchNames(prepared.tree.names, search.test),
    ),
    error: "",
  };
}

// ---- messages to and from the worker ----

export type WorkerRequest =
  | { id: number; kind: "prepare"; source: Tree; how: Collapse; normalise: boolean }
  | { id: number; kind: "names"; names: string[] }
  | { id: number; kind: "match"; text: string };

// `tree` is null if it is the one that was sent. Names are not sent back.
export type WorkerReply = { id: number } & (
  | { tree: Tree | null; mapped: Int32Array | null; origin: Int32Array | null; layout: Layout }
  | { marks: Uint8Array | null; error: string }
);

function adopt(
  source: Tree,
  { tree, mapped, origin, layout }: Extract<WorkerReply, { layout: Layout }>,
): Prepared {
  const { names, files, modules, lines } = source;
  return {
    source,
    tree: tree ? { ...tree, names, files, modules, lines } : source,
    mapped,
    origin,
    layout,
  };
}

export class Engine {
  private worker: Worker | null = null;
  private broken = typeof WORKER_PATH === "undefined" || WORKER_PATH === null;
  private waiting = new Map<number, (reply: WorkerReply | null) => void>();
  private lastId = 0;
  private sentNames: string[] | null = null; // the names that the worker has

  private start(): Worker | null {
    if (this.worker || this.broken) return this.worker;
    try {
      this.worker = new Worker(WORKER_PATH!);
      this.worker.onmessage = (event: MessageEvent<WorkerReply>) =>
        this.settle(event.data.id, event.data);
      this.worker.onerror = () => this.stop(true);
    } catch {
      this.broken = true;
    }
    return this.worker;
  }

  private settle(id: number, reply: WorkerReply | null) {
    const done = this.waiting.get(id);
    this.waiting.delete(id);
    done?.(reply);
  }

  private stop(broken: boolean) {
    this.worker?.terminate();
    this.worker = null;
    this.sentNames = null;
    this.broken ||= broken;
    for (const id of [...this.waiting.keys()]) this.settle(id, null);
  }

  // Send a request to the worker. Resolves to null if there is no worker, or if it was stopped.
  private request(request: WorkerRequest): Promise<WorkerReply | null> {
    const worker = this.start();
    if (!worker) return Promise.resolve(null);
    return new Promise((done) => {
      this.waiting.set(request.id, done);
      worker.postMessage(request);
    });
  }

  // Return the result synchronously for small trees, so that the first paint does not wait for the
  // event loop.
  prepare(source: Tree, how: Collapse, normalise: boolean): Prepared | Promise<Prepared> {
    if (source.name.length < largeTree || this.broken) return prepare(source, how, normalise);
    // Names are copied string by string, and only collapse() needs them.
    const sent = how ? source : { ...source, names: [], files: [], modules: [], lines: null };
    return this.request({ id: ++this.lastId, kind: "prepare", source: sent, how, normalise }).then(
      (reply) =>
        reply && "layout" in reply ? adopt(source, reply) : prepare(source, how, normalise),
    );
  }

  find(prepared: Prepared, text: string): Found | Promise<Found> {
    const isExpression = /^\s*\//.test(text);
    if (this.broken || (!isExpression && prepared.tree.names.length < manyNames))
      return find(prepared, text);
    return this.findInWorker(prepared, text);
  }

  private async findInWorker(prepared: Prepared, text: string): Promise<Found> {
    if (!this.start()) return find(prepared, text);
    if (this.sentNames !== prepared.tree.names) {
      this.sentNames = prepared.tree.names;
      this.worker?.postMessage({
        id: 0,
        kind: "names",
        names: this.sentNames,
      } satisfies WorkerRequest);
    }
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      this.stop(false);
    }, searchLimitMs);
    const reply = await this.request({ id: ++this.lastId, kind: "match", text });
    clearTimeout(limit);
    if (timedOut) return { matches: null, error: "this expression takes too long" };
    if (!reply || !("marks" in reply)) return find(prepared, text);
    return {
      matches: reply.marks && matchesOf(prepared.tree, prepared.layout, reply.marks),
      error: reply.error,
    };
  }

  close() {
    this.stop(true);
  }
}
