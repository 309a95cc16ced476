// SPDX-License-Identifier: Apache-2.0
// "Latest version vs. previous": which label is a version, which values it had, and when each was first seen.
import { ApiError, ask } from "../api/client";
import { parseSelector, selectionParams, withMatcher } from "../api/selection";
import { SeriesAnswer } from "../api/types";
import { timeOf } from "../base/time";
import { State } from "../url";

// The surest first. Names are compared without regard to case, and with dots, dashes and underscores as one.
const names = ["service_version", "version", "app_version", "release", "vcs_ref_head_revision", "vcs_revision", "git_commit", "git_sha", "git_ref", "commit", "commit_sha", "revision", "sha", "build", "build_id", "container_image_tag", "image_tag", "tag", "deployment_id"];

const plain = (name: string) => name.toLowerCase().replace(/[.\-/]/g, "_");

// Those that may be versions, the likeliest first.
export function versionLabels(labels: readonly string[]): string[] {
  const rank = (label: string) => {
    const text = plain(label);
    const at = names.indexOf(text);
    if (at >= 0) return at;
    return /(^|_)(version|commit|revision|release|git_sha)$/.test(text) && !/^(telemetry|process_runtime|os|kernel|host)_/.test(text) ? names.length : Infinity;
  };
  return labels.filter((l) => !l.startsWith("__") && rank(l) < Infinity).sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

export interface Version {
  value: string;
  first: number; // ms: the end of the slot of time in which it was first seen
  last: number;
  shown: boolean; // it has data in the range that is looked at
}

const pointsOf = (answer: SeriesAnswer, label: string) => new Map(answer.rows.map((row) => [row.labels[label] ?? "", row.points]));

// The newest first: by when each was first seen; within one slot of the long range by the short one, then by its number.
export function rankVersions(label: string, recent: SeriesAnswer, long: SeriesAnswer): Version[] {
  const short = pointsOf(recent, label);
  const all = new Map([...short, ...pointsOf(long, label)]);
  const fine = (value: string) => short.get(value)?.[0]?.[0] ?? 0;
  return [...all]
    .filter(([value, points]) => value && points.length)
    .map(([value, points]) => ({ value, first: points[0][0], last: points[points.length - 1][0], shown: Boolean(short.get(value)?.length) }))
    .sort((a, b) => b.first - a.first || fine(b.value) - fine(a.value) || b.value.localeCompare(a.value, "en", { numeric: true }));
}

// The range of a side: the one that is looked at if the version is there, else as long a one that ends when it was last seen.
function rangeFor(state: State, version: Version): { from: string; to: string } {
  if (version.shown) return { from: state.from, to: state.to };
  const length = timeOf(state.to) - timeOf(state.from);
  return { from: String(version.last - length), to: String(version.last) };
}

export function compareVersions(state: State, label: string, before: Version, after: Version): Partial<State> {
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

// The one that is looked at and the one before it; without one: the newest two.
export function pickPair(list: readonly Version[], query: string, label: string): { before: Version; after: Version } | undefined {
  const current = parseSelector(query)?.matchers.find((m) => m.name === label && m.op === "=")?.value;
  const at = Math.max(0, list.findIndex((v) => v.value === current));
  if (at + 1 < list.length) return { after: list[at], before: list[at + 1] };
  return list.length > 1 ? { after: list[0], before: list[1] } : undefined;
}

export interface Versions {
  labels: string[]; // that look like a version
  label: string; // the one that was taken
  list: Version[];
  problem: string; // why there are not two
}

const longMs = 30 * 86400e3;

// `state`: with times that stand still. `label`: of the user's choice.
export async function findVersions(state: State, label = ""): Promise<Versions> {
  const to = timeOf(state.to);
  const from = Math.min(timeOf(state.from), to - longMs);
  const { labels: all } = await ask<{ labels: string[] }>("labels", { query: state.query, from, to });
  const labels = versionLabels(all);
  const chosen = label || labels[0] || "";
  if (!chosen) return { labels, label: "", list: [], problem: "No label looks like a version (service.version, version, commit, …)." };
  const query = withMatcher(state.query, chosen, undefined);
  const of = (range: { from: string | number; to: string | number }) => ask<SeriesAnswer>("series", { ...selectionParams({ ...state, query }), ...range, by: [chosen] }).catch(nothing);
  const [recent, long] = await Promise.all([of({ from: state.from, to: state.to }), of({ from, to })]);
  const list = rankVersions(chosen, recent, long);
  const problem = list.length > 1 ? "" : list.length ? `Only one ${chosen} was seen in 30 days: ${list[0].value}.` : `No ${chosen} was seen in 30 days.`;
  return { labels, label: chosen, list, problem };
}

// No data there is an answer too.
function nothing(error: unknown): SeriesAnswer {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
  return { type: "", unit: "", gauge: false, from: 0, to: 0, step: 1, start: 0, rows: [] };
}
