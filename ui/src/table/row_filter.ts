// SPDX-License-Identifier: Apache-2.0
// Filters table rows by the search, with the same rules as in the flame graph.
import { searchOf } from "../flame/model/search";

export interface Match {
  matches: (name: string) => boolean; // an empty search matches all
  error: string; // of an invalid regular expression, which matches nothing
}

export function matchOf(text: string): Match {
  const { test, error } = searchOf(text);
  return { matches: test ?? (() => !error), error };
}
