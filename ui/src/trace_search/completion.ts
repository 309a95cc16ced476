// SPDX-License-Identifier: Apache-2.0
// Decides what can be completed at the cursor of a TraceQL query: a name, an operator, a value, or
// what may follow a spanset. It reads only the text before the cursor, so it works in queries that
// are not complete yet.

export interface Place {
  kind: "name" | "operator" | "value" | "after" | "function" | "none";
  from: number; // begin of the text that a completion replaces; it ends at the cursor
  typed: string;
  name: string; // of a value: the name of its attribute
}

export interface Suggestion {
  text: string; // inserted
  shown: string;
  note: string; // scope or meaning
}

const token =
  /\s+|"(?:[^"\\]|\\.)*"?|`[^`]*`?|&&|\|\||&?(?:>>|<<)|=~|!~|!=|>=|<=|[{}()|,!=<>+*^%&~]|(?:[\w.:/µ-]|"[^"]*")+|./g;
const word = /^[\w.:/µ"-]/;

const operators: readonly (readonly [string, string])[] = [
  ["=", "equal"],
  ["!=", "not equal"],
  ["=~", "matches the whole value"],
  ["!~", "does not match"],
  [">", "greater"],
  [">=", "greater or equal"],
  ["<", "less"],
  ["<=", "less or equal"],
];
const isOperator = (t: string) => operators.some(([op]) => op === t);

export const intrinsics: readonly (readonly [string, string])[] = [
  ["name", "name of the span"],
  ["duration", "duration of the span"],
  ["status", "error, ok or unset"],
  ["statusMessage", "message of the status"],
  ["kind", "server, client, internal, ..."],
  ["rootName", "name of the root span"],
  ["rootServiceName", "service of the root span"],
  ["traceDuration", "duration of the trace"],
  ["trace:id", "ID of the trace"],
  ["span:id", "ID of the span"],
  ["event:name", "name of an event"],
  ["event:timeSinceStart", "time of an event"],
  ["link:traceID", "trace of a link"],
  ["nestedSetParent", "-1 for root spans"],
];

const fixedValues: Record<string, readonly string[]> = {
  status: ["error", "ok", "unset"],
  kind: ["server", "client", "internal", "producer", "consumer", "unspecified"],
  duration: ["10ms", "100ms", "500ms", "1s", "5s"],
  traceDuration: ["100ms", "500ms", "1s", "5s", "30s"],
  nestedSetParent: ["-1"],
};

const afterSpanset: readonly (readonly [string, string])[] = [
  ["&& ", "and in the same trace"],
  ["|| ", "or"],
  [">> ", "descendants"],
  ["> ", "children"],
  ["<< ", "ancestors"],
  ["< ", "parents"],
  ["~ ", "siblings"],
  ["| ", "pipeline or metrics"],
];

const functions: readonly (readonly [string, string])[] = [
  ["count() > ", "number of spans"],
  ["avg(duration) > ", "mean of a field"],
  ["max(duration) > ", "largest value"],
  ["min(duration) > ", "smallest value"],
  ["sum(duration) > ", "sum of a field"],
  ["by(", "group spans"],
  ["select(", "show fields of spans"],
  ["coalesce()", "merge groups"],
  ["rate()", "spans per second"],
  ["count_over_time()", "number of spans over time"],
  ["quantile_over_time(duration, .5, .9, .99)", "quantiles over time"],
  ["histogram_over_time(duration)", "histogram over time"],
  ["avg_over_time(duration)", "mean over time"],
  ["max_over_time(duration)", "maximum over time"],
  ["sum_over_time(duration)", "sum over time"],
];

export function placeOf(query: string, cursor: number): Place {
  const tokens = [...query.slice(0, cursor).matchAll(token)].map((m) => ({
    text: m[0],
    from: m.index,
  }));
  let from = cursor;
  let typed = "";
  const last = tokens[tokens.length - 1];
  if (last && !/^\s/.test(last.text) && (word.test(last.text) || last.text[0] === "`")) {
    tokens.pop();
    from = last.from;
    typed = last.text;
  }
  const before = tokens.filter((t) => !/^\s/.test(t.text)).map((t) => t.text);
  const place = (kind: Place["kind"], name = ""): Place => ({ kind, from, typed, name });
  let inside = false;
  const open: string[] = []; // functions whose parentheses are open, "" for a group
  before.forEach((t, i) => {
    if (t === "{") inside = true;
    else if (t === "}") inside = false;
    else if (t === "(") open.push(!inside && word.test(before[i - 1] ?? "") ? before[i - 1] : "");
    else if (t === ")") open.pop();
  });
  const previous = before[before.length - 1] ?? "";
  const name = before[before.length - 2] ?? "";
  if (inside) {
    if (isOperator(previous) && word.test(name)) return place("value", name);
    if (["{", "&&", "||", "(", "!"].includes(previous)) return place("name");
    if (word.test(previous) && !isOperator(name)) return typed ? place("none") : place("operator");
    return typed ? place("none") : place("after");
  }
  if (open.some((f) => f !== "")) return place("name");
  if (previous === "|") return place("function");
  if (previous === ")" && /^b/.test(typed)) return place("function");
  return typed || previous !== "}" ? place("none") : place("after");
}

export interface Known {
  names: readonly (readonly [name: string, note: string])[];
  values: readonly string[]; // literals of the place's attribute
}

const maxSuggestions = 40;

// Return the completions at a place, best first: those that begin with the typed text, then those
// that contain it.
export function suggestionsAt(place: Place, known: Known, insideSpanset: boolean): Suggestion[] {
  const rows = (list: readonly (readonly [string, string])[], end = "") =>
    list.map(([text, note]) => ({ text: text + end, shown: text.trim(), note }));
  let all: Suggestion[] = [];
  if (place.kind === "name") all = rows([...intrinsics, ...known.names], "");
  else if (place.kind === "operator") all = rows(operators, " ");
  else if (place.kind === "function") all = rows(functions);
  else if (place.kind === "after")
    all = insideSpanset
      ? rows([
          ["&& ", "and of the same span"],
          ["|| ", "or"],
          ["}", "end"],
        ])
      : rows(afterSpanset);
  else if (place.kind === "value")
    all = [...new Set([...(fixedValues[place.name] ?? []), ...known.values])].map((text) => ({
      text,
      shown: text,
      note: "",
    }));
  const typed = place.typed.replace(/^["`]/, "").toLowerCase();
  if (!typed) return all.slice(0, maxSuggestions);
  const plain = (s: Suggestion) => s.shown.replace(/^["`]/, "").toLowerCase();
  const rank = (s: Suggestion) => {
    const text = plain(s);
    const tail = text.slice(text.indexOf(".") + 1); // without the scope
    return text.startsWith(typed) ? 0 : tail.startsWith(typed) ? 1 : text.includes(typed) ? 2 : 3;
  };
  const found = all.filter((s) => rank(s) < 3 && s.text.trim() !== place.typed);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, maxSuggestions);
}

export const isInside = (query: string, cursor: number) => {
  const before = query.slice(0, cursor).replace(/"(?:[^"\\]|\\.)*"?|`[^`]*`?/g, "");
  return before.lastIndexOf("{") > before.lastIndexOf("}");
};
