// SPDX-License-Identifier: Apache-2.0
// The state of the single page, parsed from and formatted into the fragment of its address.
export interface PageState {
  type: number; // index of the profile; -1: the initial one
  view: "both" | "flame" | "table";
  layout: "icicle" | "flame";
  colour: "package" | "module" | "kind" | "name";
  collapse: "" | "recursion" | "libraries" | "both";
  search: string;
  zoom: string[];
}

export const choices = {
  view: [
    ["both", "Table and graph"],
    ["flame", "Graph"],
    ["table", "Table"],
  ],
  layout: [
    ["icicle", "On top"],
    ["flame", "At the bottom"],
  ],
  colour: [
    ["package", "Package"],
    ["module", "Module"],
    ["kind", "Kind"],
    ["name", "Name"],
  ],
  collapse: [
    ["", "None"],
    ["recursion", "Recursion"],
    ["libraries", "Libraries"],
    ["both", "Both"],
  ],
} as const;

const initial: PageState = {
  type: -1,
  view: "both",
  layout: "icicle",
  colour: "package",
  collapse: "",
  search: "",
  zoom: [],
};

export function parseState(hash: string): PageState {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const state: Record<string, unknown> = {
    ...initial,
    zoom: params.getAll("zoom"),
    search: params.get("search") ?? "",
  };
  for (const [name, values] of Object.entries(choices)) {
    const text = params.get(name);
    if (text !== null && values.some(([value]) => value === text)) state[name] = text;
  }
  const type = params.get("type");
  if (type !== null && /^\d{1,4}$/.test(type)) state.type = Number(type);
  return state as unknown as PageState;
}

// Format the state; "" if all values are the defaults.
export function formatState(state: PageState): string {
  const params = new URLSearchParams();
  for (const [name, fallback] of Object.entries(initial)) {
    const value = state[name as keyof PageState];
    if (Array.isArray(value)) for (const item of value) params.append(name, item);
    else if (value !== fallback) params.set(name, String(value));
  }
  const text = params.toString();
  return text && `#${text}`;
}
