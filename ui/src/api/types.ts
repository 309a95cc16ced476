// SPDX-License-Identifier: Apache-2.0
// The answers of /api/v1, as specified in docs/openapi.json.

// A tree as columns, in preorder, the children of a node by descending total. A node's x is its
// parent's x plus the totals of the siblings before it. `name` is an index into names, files,
// modules (and lines); -1 is the root.
export interface TreeNodes {
  path: string[]; // names from the root of the whole tree to the root of this one
  node_count: number; // nodes below the root
  shown_count: number; // nodes below the root in this answer
  hidden_share: number; // share of the root's total in nodes that are not in this answer
  names: string[];
  files: string[];
  modules: string[];
  lines?: number[]; // first line of the function; 0: unknown
  roots?: string[]; // the root that the frames with this name are below (explore/rooted_flame.ts)
  level: number[];
  name: number[];
  self: number[];
  total: number[];
  before_self?: number[]; // of a difference; `self` and `total` are those of the after side
  before_total?: number[];
}

export interface ViewAnswer {
  warnings?: string[];
  type: string; // process_cpu:cpu:nanoseconds:cpu:nanoseconds
  unit: string;
  gauge: boolean;
  from: number; // ms
  to: number;
  as_of?: string; // version of the data: as_of.ts
}

export interface FlameAnswer extends ViewAnswer {
  total: number; // of all samples of the selection
  kept: number; // of the samples that pass the filters
  stacks: number;
  nodes: TreeNodes;
}

export interface TopRow {
  name: string;
  file: string;
  module: string;
  line?: number;
  self: number;
  total: number;
}

export interface TopAnswer extends ViewAnswer {
  total: number;
  kept: number;
  stacks: number;
  row_count: number;
  rows: TopRow[];
}

export interface CallersAnswer extends ViewAnswer {
  total: number;
  kept: number;
  function: string;
  function_self: number;
  function_total: number;
  callers: TreeNodes; // the function is the root, its callers are below
  callees: TreeNodes;
}

export interface Change {
  before: number;
  after: number;
  delta: number;
  // of a normalised difference, where `before` is scaled to the after side
  before_unscaled?: number;
}

export type ChangeKind = "same" | "grew" | "shrank" | "new" | "gone";

export interface DiffRow {
  name: string;
  file: string;
  module: string;
  line?: number;
  kind: ChangeKind;
  self: Change;
  total: Change;
}

export interface DiffAnswer extends ViewAnswer {
  normalised: boolean;
  before: { total: number; kept: number; stacks: number };
  after: { total: number; kept: number; stacks: number };
  changes: Record<ChangeKind, number>;
  row_count: number;
  rows: DiffRow[];
  flame?: TreeNodes;
}

export interface SeriesRow {
  labels: Record<string, string>;
  total: number;
  points: [number, number][]; // ms, value; buckets without data are omitted
}

export interface SeriesAnswer extends ViewAnswer {
  step: number; // ms
  start: number;
  rows: SeriesRow[];
  row_count?: number; // without the limit of the query; missing in charts made by the page
  rest?: SeriesRow; // sum of the rows beyond the limit
}

export interface ProfileType {
  id: string;
  name: string;
  sample_type: string;
  sample_unit: string;
  period_type: string;
  period_unit: string;
  gauge: boolean;
}

export interface ServicesAnswer {
  others: boolean; // the store has data of programs other than this server, at any time
  services: { name: string; types: string[] }[];
}

export interface LabelCostAnswer extends ViewAnswer {
  name: string;
  count: number; // of matching values, without the limit of the query
  total: number;
  values: string[]; // by descending total; "": series without the label
  totals: number[];
}
