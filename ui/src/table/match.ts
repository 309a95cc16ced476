// SPDX-License-Identifier: Apache-2.0
// Which rows the search leaves: what it marks in the graph, by the names of functions.
import { searchOf } from "../flame/search";

export interface Match {
  matches: (name: string) => boolean; // with nothing to search for: all
  error: string; // why it is not a regular expression; then it matches nothing
}

export function matchOf(text: string): Match {
  const { test, error } = searchOf(text);
  return { matches: test ?? (() => !error), error };
}
