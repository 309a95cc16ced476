// SPDX-License-Identifier: Apache-2.0
// What a link to profiles asks first. It is known from the address alone, so it is asked before anything is drawn.
import { apiUrl } from "../api/client";
import { filterParams, selectionParams } from "../api/selection";
import { State } from "../url";
import { momentOf, pageTime } from "./live";

const mostRows = 10_000;
const mostNodes = 20_000;

export const withFlame: readonly State["view"][] = ["both", "flame", "heat", "spans"];
export const withTop: readonly State["view"][] = ["both", "table"];

export const flameQuestion = (moment: State) => apiUrl("flame", { ...selectionParams(moment), ...filterParams(moment), path: moment.zoom, max_nodes: mostNodes });
export const topQuestion = (moment: State) => apiUrl("top", { ...selectionParams(moment), ...filterParams(moment), n: mostRows });

export function firstQuestions(state: State): string[] {
  if (state.path !== "/profiles") return [];
  const moment = momentOf(state, pageTime);
  return [...(withFlame.includes(state.view) ? [flameQuestion(moment)] : []), ...(withTop.includes(state.view) ? [topQuestion(moment)] : [])];
}
