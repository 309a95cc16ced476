// SPDX-License-Identifier: Apache-2.0
// What is typed into the search: plain text in any case, or /a regular expression/.

export interface Search {
  matches: (text: string) => boolean;
  error: string; // why it is not a regular expression; then it matches nothing
}

export function searchOf(text: string): Search {
  if (!text) return { matches: () => true, error: "" };
  const expression = /^\/(.+?)\/?$/.exec(text);
  if (expression) {
    try {
      const regex = new RegExp(expression[1], "iu");
      return { matches: (t) => regex.test(t), error: "" };
    } catch (e) {
      return { matches: () => false, error: (e as Error).message };
    }
  }
  const lower = text.toLowerCase();
  return { matches: (t) => t.toLowerCase().includes(lower), error: "" };
}

export const matcherOf = (text: string) => searchOf(text).matches;
