// SPDX-License-Identifier: Apache-2.0
// Converts a panel of a Grafana dashboard: type, place, queries, unit, thresholds.
import { Calculation, columns, Panel, PanelQuery, PanelType, Source, Threshold } from "./model";

export type Json = Record<string, unknown>;

export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
export const listOf = (value: unknown): Json[] =>
  Array.isArray(value) ? value.map(objectOf) : [];
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

// Write the old form of references, [[name]], as ${name}.
export const withReferences = (text: string) => text.replace(/\[\[(\w+)(?::\w+)?\]\]/g, "${$1}");

const types: Record<string, PanelType> = {
  timeseries: "chart",
  graph: "chart",
  barchart: "bar",
  trend: "chart",
  stat: "stat",
  singlestat: "stat",
  gauge: "stat",
  bargauge: "bar",
  piechart: "bar",
  "grafana-piechart-panel": "bar",
  table: "table",
  "table-old": "table",
  heatmap: "heat",
  text: "text",
  flamegraph: "flame",
  traces: "traces",
  logs: "logs",
  row: "row",
};

const alike: Record<string, string> = {
  gauge: "a single value",
  piechart: "bars",
  "grafana-piechart-panel": "bars",
  barchart: "bars of the last values",
};

const unitNames: Record<string, string> = {
  none: "",
  short: "",
  bytes: "B",
  decbytes: "B",
  Bps: "B/s",
  binBps: "B/s",
  bps: "bit/s",
  binbps: "bit/s",
  s: "s",
  ms: "ms",
  ns: "ns",
  dtdurations: "s",
  clocks: "s",
  percent: "%",
  percentunit: "ratio",
  reqps: "/s",
  rps: "/s",
  ops: "/s",
  cps: "/s",
  wps: "/s",
  iops: "/s",
  pps: "/s",
  hertz: "Hz",
  celsius: "°C",
  dateTimeAsIso: "ms since 1970",
  dateTimeFromNow: "ms since 1970",
};

const calculations: Record<string, Calculation> = {
  lastNotNull: "last",
  last: "last",
  current: "last",
  mean: "mean",
  avg: "mean",
  min: "min",
  max: "max",
  sum: "sum",
  total: "sum",
};

const colours: Record<string, Threshold["colour"]> = {
  green: "good",
  yellow: "warn",
  orange: "warn",
  red: "bad",
};

const whole = (value: unknown, least: number, most: number, otherwise: number) => {
  const n = Math.round(Number(value));
  return Number.isFinite(n) ? Math.max(least, Math.min(most, n)) : otherwise;
};

function placeOf(own: Json) {
  const place = objectOf(own.gridPos);
  const w = whole(place.w, 1, columns, 12);
  return {
    x: whole(place.x, 0, columns - w, 0),
    y: whole(place.y, 0, 10_000, 0),
    w,
    h: whole(place.h, 1, 100, 8),
  };
}

// ---- queries ----

const sourceNames: readonly (readonly [RegExp, Source | "loki" | "__expr__"])[] = [
  [/prometheus|mimir|thanos|victoria/i, "promql"],
  [/tempo/i, "traceql"],
  [/pyroscope|phlare/i, "profiles"],
  [/loki/i, "loki"],
  [/__expr__/, "__expr__"],
];

// Return the kind of the source of a query: by its data source, else by its fields.
function kindOf(target: Json, panel: Json): Source | "loki" | "__expr__" | "" {
  for (const source of [target.datasource, panel.datasource]) {
    const name = typeof source === "string" ? source : `${textOf(
      objectOf(source).type,
    )} ${textOf(objectOf(source).uid)}`;
    const found = sourceNames.find(([pattern]) => pattern.test(name));
    if (found) return found[1];
  }
  if ("profileTypeId" in target) return "profiles";
  if ("expr" in target) return "promql";
  return "query" in target && "queryType" in target ? "traceql" : "";
}

function queryOf(target: Json, own: Json, title: string, notes: string[]): PanelQuery | undefined {
  const kind = kindOf(target, own);
  const hidden = target.hide === true ? { hidden: true } : {};
  const format = textOf(target.legendFormat);
  const legend = format && format !== "__auto" ? { legend: withReferences(format) } : {};
  const note = (text: string) => void notes.push(`${title}: ${text}`);
  switch (kind) {
    case "promql": {
      const query = withReferences(textOf(target.expr));
      return query ? { query, ...legend, ...hidden } : undefined;
    }
    case "traceql": {
      const query = withReferences(textOf(target.query));
      if (query) return { query, source: "traceql", ...legend, ...hidden };
      note("a search of Tempo without TraceQL was left out.");
      return undefined;
    }
    case "profiles": {
      const by = Array.isArray(target.groupBy) ? target.groupBy.map(String) : [];
      const query = withReferences(textOf(target.labelSelector) || "{}");
      if (by.length > 1) note("profiles are grouped by the first label only.");
      return {
        query: by.length ? `${query} by (${by[0]})` : query,
        source: "profiles",
        ...(textOf(target.profileTypeId) ? { type: textOf(target.profileTypeId) } : {}),
        ...hidden,
      };
    }
    case "loki":
      note(`the query of Loki "${textOf(target.expr).slice(0, 60)}" was left out.`);
      return undefined;
    case "__expr__":
      note("an expression over other queries was left out: write it in PromQL.");
      return undefined;
    default:
      note("a query of an unknown data source was left out.");
      return undefined;
  }
}

// ---- fields ----

function unitOf(own: Json, title: string, notes: string[]): string | undefined {
  const defaults = objectOf(objectOf(own.fieldConfig).defaults);
  const axes = listOf(own.yaxes);
  const name = textOf(defaults.unit) || textOf(own.format) || textOf(axes[0]?.format);
  if (!name) return undefined;
  if (Object.hasOwn(unitNames, name)) return unitNames[name];
  if (name.startsWith("suffix:")) return name.slice(7);
  notes.push(`${title}: the unit ${name} is not known; values are plain numbers.`);
  return "";
}

function thresholdsOf(own: Json, type: PanelType): Threshold[] {
  const defaults = objectOf(objectOf(own.fieldConfig).defaults);
  const shown = textOf(objectOf(objectOf(defaults.custom).thresholdsStyle).mode);
  if (type === "chart" && (!shown || shown === "off")) return [];
  const { mode, steps } = objectOf(defaults.thresholds);
  if (mode === "percentage") return [];
  return listOf(steps)
    .map((step) => ({
      from: step.value === null || step.value === undefined ? 0 : Number(step.value),
      colour: colours[
        textOf(step.color).replace(/^(?:dark|semi-dark|light|super-light)-/, "")
      ] ?? "plain",
    }))
    .filter((t) => Number.isFinite(t.from))
    .slice(0, 20);
}

function styleOf(own: Json): Panel["style"] {
  const custom = objectOf(objectOf(objectOf(own.fieldConfig).defaults).custom);
  if (textOf(custom.drawStyle) === "bars" || own.bars === true) return "bars";
  const stacking = textOf(objectOf(custom.stacking).mode);
  return (stacking && stacking !== "none") || own.stack === true ? "stacked" : undefined;
}

function calculationOf(own: Json, title: string, notes: string[]): Calculation | undefined {
  const calcs = objectOf(objectOf(own.options).reduceOptions).calcs;
  const name = Array.isArray(calcs) ? textOf(calcs[0]) : textOf(own.valueName);
  if (!name) return undefined;
  if (Object.hasOwn(calculations, name)) return calculations[name];
  notes.push(`${title}: the calculation ${name} is not supported; the last value is shown.`);
  return undefined;
}

const numberOf = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;

function textPanel(own: Json, title: string, notes: string[]): string {
  const options = objectOf(own.options);
  const content = textOf(options.content) || textOf(own.content);
  if ((textOf(options.mode) || textOf(own.mode)) === "html" || /<[a-z][^>]*>/i.test(content))
    notes.push(`${title}: HTML is shown as text.`);
  return withReferences(content).slice(0, 16 * 1024);
}

function noteRest(own: Json, title: string, notes: string[]) {
  if (listOf(own.transformations).length) notes.push(`${title}: transformations were left out.`);
  if (listOf(objectOf(own.fieldConfig).overrides).length)
    notes.push(`${title}: overrides of fields were left out.`);
  if (textOf(own.repeat)) notes.push(
    `${title}: it is not repeated for each value of ${textOf(own.repeat)}.`,
  );
  if (own.alert !== undefined) notes.push(`${title}: its alert was left out.`);
  if ("libraryPanel" in own) notes.push(
    `${title}: it is a library panel, whose content is not in the file.`,
  );
}

// Return the panel, or undefined with a note.
export function grafanaPanel(own: Json, notes: string[]): Panel | undefined {
  const kind = textOf(own.type);
  const title = textOf(own.title) || kind || "a panel";
  if (!Object.hasOwn(types, kind)) {
    notes.push(
      `${title}: panels of the type ${kind || "(none)"} are not supported; it was left out.`,
    );
    return undefined;
  }
  const type = types[kind];
  const panel: Panel = {
    type,
    title: withReferences(textOf(own.title)).slice(0, 1000),
    ...placeOf(own),
  };
  if (type === "row") return { ...panel, x: 0, w: columns, h: 1 };
  if (Object.hasOwn(alike, kind)) notes.push(`${title}: shown as ${alike[kind]}.`);
  noteRest(own, title, notes);
  if (type === "text") return { ...panel, text: textPanel(own, title, notes) };
  const queries = listOf(own.targets)
    .map((target) => queryOf(target, own, title, notes))
    .filter((q): q is PanelQuery => !!q)
    .slice(0, 20);
  if (type === "flame" || type === "traces" || type === "logs")
    for (const query of queries) delete query.source;
  const defaults = objectOf(objectOf(own.fieldConfig).defaults);
  const unit = unitOf(own, title, notes);
  const thresholds = thresholdsOf(own, type);
  const style = type === "chart" ? styleOf(own) : undefined;
  const calculation = type === "stat" || type === "bar" ? calculationOf(
    own,
    title,
    notes,
  ) : undefined;
  const { min, max, decimals } = {
    min: numberOf(defaults.min),
    max: numberOf(defaults.max),
    decimals: numberOf(defaults.decimals),
  };
  return {
    ...panel,
    ...(textOf(own.description) ? { description: textOf(own.description).slice(0, 1000) } : {}),
    ...(queries.length ? { queries } : {}),
    ...(unit !== undefined ? { unit } : {}),
    ...(decimals !== undefined ? { decimals: whole(decimals, 0, 10, 2) } : {}),
    ...(style ? { style } : {}),
    ...(calculation ? { calculation } : {}),
    ...(thresholds.length ? { thresholds } : {}),
    ...(min !== undefined ? { min } : {}),
    ...(max !== undefined ? { max } : {}),
  };
}
