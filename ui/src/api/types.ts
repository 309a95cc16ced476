// SPDX-License-Identifier: Apache-2.0
// The answers of /api/v1, as docs/openapi.json has them.

// A tree as columns: a node before what it calls, the larger call first. A node's x is its parent's x plus the totals of
// the siblings before it. `name` is a row of names, files, modules (and lines); -1 is the root.
export interface TreeNodes {
  path: string[]; // the names from the real root to the one of this picture
  node_count: number; // below the root: how many there are, how many are shown
  shown_count: number;
  hidden_share: number; // of the root's total, in nodes that are not shown
  names: string[];
  files: string[];
  modules: string[];
  lines?: number[]; // where the function begins; 0 is unknown
  level: number[];
  name: number[];
  self: number[];
  total: number[];
  before_self?: number[]; // of a difference: `self` and `total` are after
  before_total?: number[];
}

export interface ViewAnswer {
  warnings?: string[];
  type: string; // process_cpu:cpu:nanoseconds:cpu:nanoseconds
  unit: string;
  gauge: boolean;
  from: number; // ms
  to: number;
  as_of?: string; // which data it is of: as_of.ts
}

export interface FlameAnswer extends ViewAnswer {
  total: number; // of all samples of the selection
  kept: number; // of those that the filters leave
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
  callers: TreeNodes; // the function is the root, what calls it is below
  callees: TreeNodes;
}

export interface Change {
  before: number;
  after: number;
  delta: number;
  before_unscaled?: number; // of a normalised difference: `before` is scaled to the other side
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
  points: [number, number][]; // ms, value; only where there is data
}

export interface SeriesAnswer extends ViewAnswer {
  step: number; // ms
  start: number;
  rows: SeriesRow[];
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
  others: boolean; // data of other programs than this server is kept, at any time
  services: { name: string; types: string[] }[];
}

export interface LabelCostAnswer extends ViewAnswer {
  name: string;
  total: number;
  values: string[]; // the largest first; "": series without the label
  totals: number[];
}
