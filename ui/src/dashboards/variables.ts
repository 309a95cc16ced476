// SPDX-License-Identifier: Apache-2.0
// The variables of a dashboard: their values, and how $name in a query is replaced. Inside of a
// string the value is quoted for it; after =~ and !~ as a regular expression that matches exactly
// the chosen values.
import { Variable } from "./model";

// The values of "all".
export const allValues = "$all";

export type Values = Record<string, readonly string[]>; // by name; [allValues]: all

// Parse the parameters NAME=VALUE of an address.
export function valuesOfUrl(params: readonly string[]): Values {
  const values: Record<string, string[]> = {};
  for (const param of params) {
    const at = param.indexOf("=");
    if (at > 0) (values[param.slice(0, at)] ??= []).push(param.slice(at + 1));
  }
  return values;
}

export const urlOfValues = (values: Values): string[] =>
  Object.entries(values).flatMap(([name, list]) => list.map((value) => `${name}=${value}`));

// Return the values of a variable: those of the address, else its own, else all or the first.
// `options`: its possible values, undefined while they are not known.
export function chosenValues(
  variable: Variable,
  fromUrl: Values,
  options: readonly string[] | undefined,
): readonly string[] {
  const given = fromUrl[variable.name] ?? variable.value;
  if (given?.length) return variable.multi ? given : given.slice(0, 1);
  if (variable.type === "text") return [""];
  if (variable.all) return [allValues];
  return options?.length ? options.slice(0, 1) : [];
}

export const escapeRegex = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const regexOf = (values: readonly string[]) =>
  values.includes(allValues)
    ? ".*"
    : values.length === 1
      ? escapeRegex(values[0])
      : `(${values.map(escapeRegex).join("|")})`;

// Escape text for a literal with this quote.
const inString = (text: string, quote: string) =>
  quote === "`"
    ? text.replaceAll("`", "")
    : text.replace(/\\/g, "\\\\").replaceAll(quote, `\\${quote}`).replace(/\n/g, "\\n");

const reference = /\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g;
const literals = /(=~|!~|!=|=)?(\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/g;

export const refersTo = (text: string, name: string) =>
  [...text.matchAll(reference)].some((m) => (m[1] ?? m[2]) === name);

// Return the names of the variables that a text refers to.
export const referencesOf = (text: string) =>
  new Set([...text.matchAll(reference)].map((m) => m[1] ?? m[2]));

function replaceIn(text: string, values: Values, format: (list: readonly string[]) => string) {
  return text.replace(reference, (all, braced?: string, plain?: string) => {
    const name = (braced ?? plain)!;
    return Object.hasOwn(values, name) ? format(values[name]) : all;
  });
}

// Replace the variables of a query. A matcher of one value becomes one of a regular expression if
// several values, or all, are chosen: {job="$job"} -> {job=~"(a|b)"}.
export function substitute(query: string, values: Values): string {
  let out = "";
  let at = 0;
  const plain = (text: string) => replaceIn(text, values, (list) => list.join("|"));
  for (const found of query.matchAll(literals)) {
    const [whole, operator = "", space, literal] = found;
    const quote = literal[0];
    const body = literal.slice(1, -1);
    const sole = /^\$(?:\{(\w+)(?::\w+)?\}|(\w+))$/.exec(body);
    const list = sole ? values[sole[1] ?? sole[2]] : undefined;
    const several = list && (list.length !== 1 || list[0] === allValues);
    out += plain(query.slice(at, found.index));
    at = found.index + whole.length;
    const widened = (several && { "=": "=~", "!=": "!~" }[operator]) || operator;
    const asRegex = widened === "=~" || widened === "!~";
    const text = replaceIn(body, values, (v) =>
      inString(asRegex ? regexOf(v) : v.includes(allValues) ? "" : v.join(","), quote),
    );
    out += `${widened}${space}${quote}${text}${quote}`;
  }
  return out + plain(query.slice(at));
}

// Replace the variables of a title or text.
export const substituteText = (text: string, values: Values) =>
  replaceIn(text, values, (list) => (list.includes(allValues) ? "all" : list.join(", ")));

// Apply the regular expression of a variable to its values: only those that match, by their first
// group.
export function filteredOptions(values: readonly string[], regex: string | undefined): string[] {
  if (!regex) return [...values];
  try {
    const pattern = new RegExp(regex.replace(/^\/(.*)\/$/, "$1"));
    return [
      ...new Set(
        values.flatMap((value) => {
          const found = pattern.exec(value);
          return found ? [found[1] ?? value] : [];
        }),
      ),
    ];
  } catch {
    return [...values];
  }
}
