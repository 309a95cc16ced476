// SPDX-License-Identifier: Apache-2.0
// "Latest version vs. previous": finds the label that contains the version, its values, and when
// each was first seen.
import { ApiError, fetchAnswer } from "../api/client";
import { parseSelector, selectionParams, withMatcher } from "../api/selection";
import { SeriesAnswer } from "../api/types";
import { timeOf } from "../base/time";
import { State } from "../url";
import { versionLabels } from "./version_labels";

export interface Version {
  value: string;
  first: number; // ms; end of the first bucket with data
  last: number; // ms; end of the last bucket with data
  shown: boolean; // has data in the selected range
}

const pointsOf = (answer: SeriesAnswer, label: string) =>
  new Map(answer.rows.map((row) => [row.labels[label] ?? "", row.points]));

// Return the versions by the time they were first seen, newest first. Versions of the same bucket
// are ordered by the finer buckets of the selected range, then by version number.
export function rankVersions(label: string, recent: SeriesAnswer, long: SeriesAnswer): Version[] {
  const short = pointsOf(recent, label);
  const all = new Map([...short, ...pointsOf(long, label)]);
  const fine = (value: string) => short.get(value)?.[0]?.[0] ?? 0;
  return [...all]
    .filter(([value, points]) => value && points.length)
    .map(([value, points]) => ({
      value,
      first: points[0][0],
      last: points[points.length - 1][0],
      shown: Boolean(short.get(value)?.length),
    }))
    .sort(
      (a, b) =>
        b.first - a.first ||
        fine(b.value) - fine(a.value) ||
        b.value.localeCompare(a.value, "en", { numeric: true }),
    );
}

// Return the range of a side: the selected one if the version has data there, else one of the same
// length that ends when the version was last seen.
export function rangeFor(state: State, version: Version): { from: string; to: string } {
  if (version.shown) return { from: state.from, to: state.to };
  const length = timeOf(state.to) - timeOf(state.from);
  return { from: String(version.last - length), to: String(version.last) };
}

export function compareVersions(
  state: State,
  label: string,
  before: Version,
  after: Version,
): Partial<State> {
  const early = rangeFor(state, before);
  return {
    path: "/compare",
    query: withMatcher(state.query, label, after.value),
    before: withMatcher(state.query, label, before.value),
    ...rangeFor(state, after),
    before_from: early.from,
    before_to: early.to,
    before_file: "",
    file: "",
    zoom: [],
    live: false,
  };
}

// Return the selected version and its predecessor; if none is selected, the latest two.
export function pickPair(
  list: readonly Version[],
  query: string,
  label: string,
): { before: Version; after: Version } | undefined {
  const current = parseSelector(query)?.matchers.find(
    (m) => m.name === label && m.op === "=",
  )?.value;
  const at = Math.max(
    0,
    list.findIndex((v) => v.value === current),
  );
  if (at + 1 < list.length) return { after: list[at], before: list[at + 1] };
  return list.length > 1 ? { after: list[0], before: list[1] } : undefined;
}

export interface Versions {
  labels: string[]; // labels that may contain versions
  label: string; // the selected one of them
  list: Version[];
  problem: string; // why there are no two versions to compare
}

const longMs = 30 * 86400e3;

// Find the versions of the selection in the last 30 days. `state` has resolved times. `label`: the
// user's choice, or "".
export async function findVersions(state: State, label = ""): Promise<Versions> {
  const to = timeOf(state.to);
  const from = Math.min(timeOf(state.from), to - longMs);
  const { labels: all } = await fetchAnswer<{ labels: string[] }>("labels", {
    query: state.query,
    from,
    to,
  });
  const labels = versionLabels(all);
  const chosen = label || labels[0] || "";
  if (!chosen)
    return {
      labels,
      label: "",
      list: [],
      problem: "No version label found (service.version, version, commit, …).",
    };
  const query = withMatcher(state.query, chosen, undefined);
  const of = (range: { from: string | number; to: string | number }) =>
    fetchAnswer<SeriesAnswer>("series", {
      ...selectionParams({ ...state, query }),
      ...range,
      by: [chosen],
    }).catch(emptySeries);
  const [recent, long] = await Promise.all([
    of({ from: state.from, to: state.to }),
    of({ from, to }),
  ]);
  const list = rankVersions(chosen, recent, long);
  const problem =
    list.length > 1
      ? ""
      : list.length
        ? `Only one ${chosen} was seen in 30 days: ${list[0].value}.`
        : `No ${chosen} was seen in 30 days.`;
  return { labels, label: chosen, list, problem };
}

// Convert the error "no data" into an empty answer.
function emptySeries(error: unknown): SeriesAnswer {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  return { type: "", unit: "", gauge: false, from: 0, to: 0, step: 1, start: 0, rows: [] };
}
