// SPDX-License-Identifier: Apache-2.0
// The query of the call tree.
import { Answer, apiUrl, Params, useAnswer } from "../api/client";
import { FlameAnswer } from "../api/types";
import { State } from "../url";

const maxNodes = 50_000;

export const useCallTree = (
  enabled: boolean,
  state: State,
  params: Params,
  tick: number,
): Answer<FlameAnswer> =>
  useAnswer<FlameAnswer>(
    enabled
      ? apiUrl("flame", {
          ...params,
          path: state.zoom,
          nearest: state.zoom.length > 0,
          max_nodes: maxNodes,
        })
      : undefined,
    tick,
  );
