// SPDX-License-Identifier: Apache-2.0
// The conditions of a simple TraceQL query: one spanset { a && b && c }, maybe with a pipeline. The
// filters beside the query read and write them; other queries are edited as text only.

export interface Condition {
  text: string; // as written
  name?: string; // of a comparison of an attribute with a literal
  op?: string;
  value?: string; // the literal as written
}

export interface SimpleQuery {
  conditions: Condition[];
  rest: string; // pipeline, with its bar: "| count() > 2"
}

// The conditions that have a filter of their own.
export type Slot = "service" | "name" | "status" | "least" | "most";

interface SlotRule {
  names: readonly string[]; // the first is written
  ops: readonly string[];
}

const slots: Record<Slot, SlotRule> = {
  service: { names: ["resource.service.name", ".service.name"], ops: ["="] },
  name: { names: ["name", "span:name"], ops: ["="] },
  status: { names: ["status", "span:status"], ops: ["="] },
  least: { names: ["duration", "span:duration"], ops: [">=", ">"] },
  most: { names: ["duration", "span:duration"], ops: ["<=", "<"] },
};

const comparison =
  /^([A-Za-z_.][\w.:/-]*(?:"(?:[^"\\]|\\.)*")?)\s*(=~|!~|!=|>=|<=|=|>|<)\s*("(?:[^"\\]|\\.)*"|`[^`]*`|-?[\w.µ]+)$/;

// Return the end of the string literal that begins at `at`, or the end of the text.
function endOfString(text: string, at: number): number {
  const quote = text[at];
  for (let i = at + 1; i < text.length; i++) {
    if (text[i] === "\\" && quote === '"') i++;
    else if (text[i] === quote) return i + 1;
  }
  return text.length;
}

// Split at an operator that is outside of strings and parentheses.
function splitAt(text: string, operator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"' || text[i] === "`") i = endOfString(text, i) - 1;
    else if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (!depth && text.startsWith(operator, i)) {
      parts.push(text.slice(from, i));
      from = i + operator.length;
      i = from - 1;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim());
}

function conditionOf(text: string): Condition {
  const parts = comparison.exec(text);
  return parts ? { text, name: parts[1], op: parts[2], value: parts[3] } : { text };
}

// Return the conditions; null if the query has several spansets.
export function parseSimple(query: string): SimpleQuery | null {
  const text = query.trim();
  if (!text) return { conditions: [], rest: "" };
  if (text[0] !== "{") return null;
  let end = 1;
  while (end < text.length && text[end] !== "}") {
    if (text[end] === "{") return null;
    end = text[end] === '"' || text[end] === "`" ? endOfString(text, end) : end + 1;
  }
  const rest = text.slice(end + 1).trim();
  if (end >= text.length || (rest && (rest[0] !== "|" || rest[1] === "|"))) return null;
  const inside = text.slice(1, end).trim();
  if (!inside || inside === "true") return { conditions: [], rest };
  if (splitAt(inside, "||").length > 1) return { conditions: [{ text: `(${inside})` }], rest };
  const parts = splitAt(inside, "&&");
  return parts.includes("") ? null : { conditions: parts.map(conditionOf), rest };
}

export function formatSimple({ conditions, rest }: SimpleQuery): string {
  if (!conditions.length && !rest) return "";
  const inside = conditions.length ? `{ ${conditions.map((c) => c.text).join(" && ")} }` : "{ }";
  return rest ? `${inside} ${rest}` : inside;
}

const fits = (slot: Slot, c: Condition) =>
  slots[slot].names.includes(c.name ?? "") && slots[slot].ops.includes(c.op ?? "");

export const slotOf = (query: SimpleQuery, slot: Slot) =>
  query.conditions.find((c) => fits(slot, c));

export const otherConditions = (query: SimpleQuery) =>
  query.conditions.filter((c) => !(Object.keys(slots) as Slot[]).some((slot) => fits(slot, c)));

// Set the literal of a filter; "" removes it. A query that is not simple is returned as it is.
export function withSlot(query: string, slot: Slot, literal: string, op?: string): string {
  const simple = parseSimple(query);
  if (!simple) return query;
  const text = `${slots[slot].names[0]} ${op ?? slots[slot].ops[0]} ${literal}`;
  const at = simple.conditions.findIndex((c) => fits(slot, c));
  const kept = simple.conditions.filter((c) => !fits(slot, c));
  if (literal) kept.splice(at < 0 ? kept.length : at, 0, conditionOf(text));
  return formatSimple({ ...simple, conditions: kept });
}

export function withCondition(query: string, text: string): string {
  const simple = parseSimple(query);
  if (!simple || simple.conditions.some((c) => c.text === text)) return query;
  return formatSimple({ ...simple, conditions: [...simple.conditions, conditionOf(text)] });
}

export function withoutCondition(query: string, text: string): string {
  const simple = parseSimple(query);
  if (!simple) return query;
  return formatSimple({
    ...simple,
    conditions: simple.conditions.filter((c) => c.text !== text),
  });
}

// Return the text of a literal: the content of a string, else the literal itself.
export function literalText(literal: string): string {
  if (literal[0] === "`") return literal.slice(1, -1);
  if (literal[0] !== '"') return literal;
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal.slice(1, -1);
  }
}

export const quote = (text: string) => JSON.stringify(text);

// Format nanoseconds as an exact duration literal: 2097152 is "2.097152ms".
export function durationLiteral(ns: number): string {
  for (const [unit, size] of [
    ["s", 1e9],
    ["ms", 1e6],
    ["us", 1e3],
  ] as const)
    if (ns >= size) return `${Number((ns / size).toFixed(9))}${unit}`;
  return `${Math.round(ns)}ns`;
}

const metricFunctions =
  /^\|\s*(?:rate|count_over_time|(?:min|max|sum|avg|quantile|histogram)_over_time|compare)\s*\(/;

// Whether a query ends in a function of metrics, so that its result is a chart, not traces.
export function isMetricsQuery(query: string): boolean {
  for (let i = 0; i < query.length; i++) {
    if (query[i] === '"' || query[i] === "`") i = endOfString(query, i) - 1;
    else if (query[i] === "|" && query[i + 1] === "|") i++;
    else if (query[i] === "|" && metricFunctions.test(query.slice(i))) return true;
  }
  return false;
}

// Return an attribute's name as TraceQL writes it; names with unusual characters are quoted.
export const attributeName = (scope: string, tag: string) =>
  scope === "intrinsic" ? tag : `${scope}.${/^[\w./-]+$/.test(tag) ? tag : quote(tag)}`;
