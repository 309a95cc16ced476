// SPDX-License-Identifier: Apache-2.0
// The queries of the sandwich view.
import { useState } from "preact/hooks";
import { Answer, apiUrl, Params, useAnswer } from "../api/client";
import { CallersAnswer, TopAnswer } from "../api/types";
import { State } from "../url";

const maxRows = 10_000;
const maxNodes = 20_000;

export interface SandwichAnswers {
  callers: Answer<CallersAnswer>;
  top: Answer<TopAnswer>; // list of functions, loaded on demand
  loadFunctions: () => void;
  notFound: boolean; // the function is not in the selection
}

// `selection`: selection and filters. `invert` does not apply: callers are above the function in
// any case.
export function useSandwich(
  enabled: boolean,
  state: State,
  selection: Params,
  tick: number,
): SandwichAnswers {
  const params = { ...selection, invert: undefined };
  const [listed, setListed] = useState(false);
  const callers = useAnswer<CallersAnswer>(
    enabled && state.function
      ? apiUrl("callers", { ...params, function: state.function, max_nodes: maxNodes })
      : undefined,
    tick,
  );
  const notFound = callers.error?.status === 404;
  const top = useAnswer<TopAnswer>(
    enabled && (listed || !state.function || notFound)
      ? apiUrl("top", { ...params, n: maxRows })
      : undefined,
    tick,
  );
  return { callers, top, loadFunctions: () => setListed(true), notFound };
}
