// SPDX-License-Identifier: Apache-2.0
// What the sandwich of a function asks.
import { useState } from "preact/hooks";
import { Answer, apiUrl, Params, useAnswer } from "../api/client";
import { CallersAnswer, TopAnswer } from "../api/types";
import { State } from "../url";

const mostRows = 10_000;
const mostNodes = 20_000;

export interface SandwichAnswers {
  callers: Answer<CallersAnswer>;
  top: Answer<TopAnswer>; // while a function is being chosen
  choose: () => void;
  lost: boolean; // the function is not in the selection
}

// `params`: selection and filters. A function's callers are above it, whichever way round the stacks of other views are.
export function useSandwich(asked: boolean, state: State, selection: Params, tick: number): SandwichAnswers {
  const params = { ...selection, invert: undefined };
  const [choosing, setChoosing] = useState(false);
  const callers = useAnswer<CallersAnswer>(asked && state.function ? apiUrl("callers", { ...params, function: state.function, max_nodes: mostNodes }) : undefined, tick);
  const lost = callers.error?.status === 404;
  const top = useAnswer<TopAnswer>(asked && (choosing || !state.function || lost) ? apiUrl("top", { ...params, n: mostRows }) : undefined, tick);
  return { callers, top, choose: () => setChoosing(true), lost };
}
