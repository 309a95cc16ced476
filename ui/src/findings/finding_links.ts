// SPDX-License-Identifier: Apache-2.0
// The findings of a selection: their query and answer, and the links to their frames.
import { apiUrl, Params } from "../api/transport";
import { ViewAnswer } from "../api/types";
import { State } from "../url";

export interface FunctionRow {
  name: string;
  file: string;
  module: string;
  line: number;
}

export interface Finding {
  rule: string;
  title: string;
  meaning: string;
  advice: string;
  hint: string; // for the language of the functions; may be empty
  value: number;
  share: number;
  saves: boolean; // value is a bound of what can be saved
  functions: FunctionRow[];
  evidence_title: string; // "called by"
  evidence: (FunctionRow & { value: number })[];
  frames: number;
  path: string[]; // from the root to the largest frame
  path_value: number;
  focus: string; // expression for the filter `focus`
}

export interface FindingsAnswer extends ViewAnswer {
  total: number;
  kept: number;
  rules: number; // that apply to the profile type; 0: none
  samples: number;
  findings: Finding[];
}

// `params`: selection and filters. Findings are of functions, in the order of their calls.
export const findingsQuery = (params: Params) =>
  apiUrl("findings", {
    ...params,
    invert: undefined,
    group: params.group === "filefunction" ? params.group : undefined,
  });

// Return the state that shows the frames of a finding in the flame graph: all stacks with them, or,
// where a filter is in use already, the largest frame.
export function framesOf(state: State, finding: Finding): Partial<State> {
  const base = { view: "flame", function: finding.functions[0]?.name ?? "", invert: false } as const;
  const single = finding.path_value >= 0.999 * finding.value && finding.frames === 1;
  return state.focus || single
    ? { ...base, zoom: finding.path.slice(0, -1) }
    : { ...base, focus: finding.focus, zoom: [] };
}
