// SPDX-License-Identifier: Apache-2.0
// What the call tree asks.
import { Answer, apiUrl, Params, useAnswer } from "../api/client";
import { FlameAnswer } from "../api/types";
import { State } from "../url";

const mostNodes = 50_000;

export const useCallTree = (asked: boolean, state: State, params: Params, tick: number): Answer<FlameAnswer> =>
  useAnswer<FlameAnswer>(asked ? apiUrl("flame", { ...params, path: state.zoom, nearest: state.zoom.length > 0, max_nodes: mostNodes }) : undefined, tick);
