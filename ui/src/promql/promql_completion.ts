// SPDX-License-Identifier: Apache-2.0
// Decides what can be completed at the cursor of a PromQL query: a metric or function, the name or
// value of a label, an operator of a matcher, or a duration. It reads only the text before the
// cursor, so it works in queries that are not complete yet.
import { Completion } from "../base/CompletionField";
import { Metadata } from "./metric_units";
import { metricsOf } from "./metric_units";

export interface PromPlace {
  kind: "expression" | "label" | "matcher" | "value" | "duration" | "after";
  from: number; // begin of the text that a completion replaces; it ends at the cursor
  typed: string;
  metric: string; // of a selector, or of the whole query; "": any
  label: string; // of a value
  quote: string; // of a value: the quote that is open, "" if there is none
}

const token =
  /\s+|#[^\n]*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|=~|!~|!=|==|>=|<=|[{}()[\],=<>+*/%^@:-]|\$?[\w.:]+|./g;
const word = /^\$?[\w.:]/;

const aggregations: readonly (readonly [string, string])[] = [
  ["sum", "sum of series"],
  ["avg", "mean of series"],
  ["min", "smallest"],
  ["max", "largest"],
  ["count", "number of series"],
  ["topk", "the k largest series"],
  ["bottomk", "the k smallest series"],
  ["quantile", "quantile over series"],
  ["stddev", "standard deviation"],
  ["stdvar", "variance"],
  ["count_values", "number of series by value"],
  ["group", "1 for each group"],
  ["limitk", "k series"],
  ["limit_ratio", "a share of the series"],
];

const functions: readonly (readonly [string, string])[] = [
  ["rate", "increase per second of a counter"],
  ["irate", "increase per second of the last two samples"],
  ["increase", "increase of a counter"],
  ["histogram_quantile", "quantile of a histogram"],
  ["histogram_avg", "mean of native histograms"],
  ["histogram_count", "count of native histograms"],
  ["histogram_sum", "sum of native histograms"],
  ["histogram_fraction", "share of observations in a range"],
  ["avg_over_time", "mean over time"],
  ["min_over_time", "minimum over time"],
  ["max_over_time", "maximum over time"],
  ["sum_over_time", "sum over time"],
  ["count_over_time", "number of samples"],
  ["quantile_over_time", "quantile over time"],
  ["stddev_over_time", "standard deviation over time"],
  ["last_over_time", "last sample"],
  ["first_over_time", "first sample"],
  ["present_over_time", "1 if there are samples"],
  ["absent_over_time", "1 if there are no samples"],
  ["delta", "difference of a gauge"],
  ["idelta", "difference of the last two samples"],
  ["deriv", "slope of a gauge"],
  ["predict_linear", "value in the future"],
  ["double_exponential_smoothing", "smoothed value"],
  ["changes", "number of changes"],
  ["resets", "number of resets"],
  ["absent", "1 if there are no series"],
  ["abs", "absolute value"],
  ["ceil", "round up"],
  ["floor", "round down"],
  ["round", "round"],
  ["clamp", "limit to a range"],
  ["clamp_min", "lower limit"],
  ["clamp_max", "upper limit"],
  ["exp", "exponential"],
  ["ln", "natural logarithm"],
  ["log2", "binary logarithm"],
  ["log10", "decimal logarithm"],
  ["sqrt", "square root"],
  ["sgn", "sign"],
  ["sort", "sort ascending"],
  ["sort_desc", "sort descending"],
  ["sort_by_label", "sort by labels"],
  ["label_replace", "new label by a regular expression"],
  ["label_join", "new label of several"],
  ["scalar", "single series as a number"],
  ["vector", "number as a series"],
  ["time", "time of the evaluation"],
  ["timestamp", "time of the samples"],
  ["hour", "hour of the day"],
  ["day_of_week", "day of the week"],
  ["info", "add labels of info metrics"],
];

const after: readonly (readonly [string, string])[] = [
  ["by (", "group by these labels"],
  ["without (", "group by all other labels"],
  ["and ", "intersection"],
  ["or ", "union"],
  ["unless ", "difference"],
  ["on (", "match by these labels"],
  ["ignoring (", "match by all other labels"],
  ["group_left (", "many to one"],
  ["group_right (", "one to many"],
  ["offset ", "shift in time"],
];

const matchers: readonly (readonly [string, string])[] = [
  ["=", "equal"],
  ["=~", "matches the whole value"],
  ["!=", "not equal"],
  ["!~", "does not match"],
];

const durations: readonly (readonly [string, string])[] = [
  ["1m", "1 minute"],
  ["5m", "5 minutes"],
  ["15m", "15 minutes"],
  ["30m", "30 minutes"],
  ["1h", "1 hour"],
  ["6h", "6 hours"],
  ["1d", "1 day"],
];

const labelLists = /^(?:by|without|on|ignoring|group_left|group_right)$/i;
const isMatcher = (t: string) => matchers.some(([op]) => op === t);

export function promPlaceOf(query: string, cursor: number): PromPlace | undefined {
  const tokens = [...query.slice(0, cursor).matchAll(token)].map((m) => ({
    text: m[0],
    from: m.index,
  }));
  let from = cursor;
  let typed = "";
  const last = tokens[tokens.length - 1];
  if (last?.text.startsWith("#")) return undefined; // a comment
  const isOpenString =
    last && /^["'`]/.test(last.text) && (last.text.length < 2 || !last.text.endsWith(last.text[0]));
  if (last && (word.test(last.text) || isOpenString)) {
    tokens.pop();
    from = last.from;
    typed = last.text;
  }
  const before = tokens.filter((t) => !/^[\s#]/.test(t.text)).map((t) => t.text);
  const open: { bracket: string; owner: string }[] = [];
  before.forEach((t, i) => {
    if (t === "(" || t === "[" || t === "{") open.push({ bracket: t, owner: before[i - 1] ?? "" });
    else if (t === ")" || t === "]" || t === "}") open.pop();
  });
  const inner = open[open.length - 1];
  const previous = before[before.length - 1] ?? "";
  const place = (kind: PromPlace["kind"], metric = "", label = ""): PromPlace => ({
    kind,
    from,
    typed,
    metric,
    label,
    quote: isOpenString ? typed[0] : "",
  });
  if (inner?.bracket === "[") return isOpenString ? undefined : place("duration");
  if (inner?.bracket === "{") {
    const metric = word.test(inner.owner) ? inner.owner : "";
    if (isMatcher(previous)) return place("value", metric, before[before.length - 2] ?? "");
    if (isOpenString) return undefined;
    if (previous === "{" || previous === ",") return place("label", metric);
    return word.test(previous) && !typed ? place("matcher", metric) : undefined;
  }
  if (isOpenString) return undefined;
  if (inner?.bracket === "(" && labelLists.test(inner.owner))
    return previous === "(" || previous === ","
      ? place("label", metricsOf(query.slice(0, cursor))[0] ?? metricsOf(query)[0] ?? "")
      : undefined;
  const operand = word.test(previous) || [")", "]", "}"].includes(previous);
  if (operand && !/^(?:and|or|unless|bool|offset)$/i.test(previous)) {
    if (aggregations.some(([name]) => name === previous) && !typed) return undefined;
    return typed || previous === ")" || previous === "]" ? place("after") : undefined;
  }
  return /^[\d.]/.test(typed) ? undefined : place("expression");
}

export interface PromKnown {
  metrics: readonly string[];
  metadata: Metadata;
  labels: readonly string[];
  values: readonly string[];
}

const maxCompletions = 60;
const longNote = 70;

const metricNote = (name: string, metadata: Metadata) => {
  const about = metadata[name]?.[0] ?? metadata[name.replace(/_(?:bucket|count|sum)$/, "")]?.[0];
  if (!about) return "";
  const help =
    about.help.length > longNote ? `${about.help.slice(0, longNote - 1)}…` : about.help;
  return [about.type === "unknown" ? "" : about.type, help].filter(Boolean).join(": ");
};

const quoted = (value: string, quote: string) =>
  `${quote}${value.replace(
    /[\\\n]/g,
    (c) => (c === "\n" ? "\\n" : "\\\\"),
  ).replaceAll(quote, `\\${quote}`)}${quote}`;

function allAt(place: PromPlace, known: PromKnown): Completion[] {
  const rows = (list: readonly (readonly [string, string])[], end = "") =>
    list.map(([text, note]) => ({ text: text + end, shown: text.trim(), note }));
  switch (place.kind) {
    case "label":
      return known.labels
        .filter((name) => name !== "__name__")
        .map((name) => ({ text: name, shown: name, note: "" }));
    case "matcher":
      return rows(matchers);
    case "duration":
      return rows(
        [["$__rate_interval", "four intervals of collection, or the step"], ...durations],
      );
    case "after":
      return rows(after);
    case "value":
      return known.values.map((value) => ({
        text: quoted(value, place.quote || '"'),
        shown: value || '""',
        note: "",
      }));
    default:
      return [
        ...known.metrics.map((name) => ({
          text: name,
          shown: name,
          note: metricNote(name, known.metadata),
        })),
        ...rows(functions, "("),
        ...rows(aggregations, "("),
      ];
  }
}

// Return the completions at a place, best first: those that begin with the typed text, then those
// of which a word begins with it, then those that contain it.
export function promCompletions(place: PromPlace, known: PromKnown): Completion[] {
  const typed = place.typed.replace(/^["'`]/, "").toLowerCase();
  const all = allAt(place, known);
  if (!typed) return place.kind === "after" ? [] : all.slice(0, maxCompletions);
  const rank = (row: Completion) => {
    const text = row.shown.toLowerCase();
    if (text.startsWith(typed)) return 0;
    if (text.includes(`_${typed}`)) return 1;
    return text.includes(typed) ? 2 : 3;
  };
  return all
    .map((row) => ({ row, rank: rank(row) }))
    .filter(({ row, rank }) => rank < 3 && row.text !== place.typed)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, maxCompletions)
    .map(({ row }) => row);
}
