// SPDX-License-Identifier: Apache-2.0
// Reads dashboards of Grafana (JSON models, also exported ones) and of Varve. What has no
// counterpart here is listed in notes; nothing is dropped without one.
import { grafanaPanel, Json, listOf, objectOf, textOf, withReferences } from "./grafana_panels";
import { columns, Dashboard, Panel, settled, Variable } from "./model";

export interface Imported {
  dashboard: Dashboard;
  notes: string[]; // what was not imported, or differs
}

const maxPanels = 200;
const maxTitle = 200;

// ---- variables ----

const valuesOf = (current: Json): string[] => {
  const value = current.value;
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.map(String).filter((v) => v !== "" && v !== "$__all");
};

// The values of a custom variable: "a, b : c" has the texts a, b and the values a, c.
const customValues = (text: string) =>
  text
    .split(/(?<!\\),/)
    .map((part) => part.replace(/\\,/g, ",").trim())
    .map((part) => /^.+\s:\s(.+)$/.exec(part)?.[1] ?? part)
    .filter(Boolean);

// Return the variable of a query: label_values(SERIES, LABEL) or label_values(LABEL).
function ofQuery(own: Json, variable: Variable, notes: string[]): Variable {
  const query = own.query;
  const text = withReferences(
    typeof query === "string" ? query : textOf(objectOf(query).query) || textOf(own.definition),
  );
  const found = /^\s*label_values\(\s*(?:(.*),)?\s*([\w.]+)\s*\)\s*$/s.exec(text);
  if (found)
    return {
      ...variable,
      type: "labels",
      label: found[2],
      ...(found[1]?.trim() ? { match: found[1].trim() } : {}),
    };
  const values = valuesOf(objectOf(own.current));
  notes.push(
    `Variable ${variable.name}: the query "${text.slice(0, 80)}" is not label_values(...); ` +
      "it became a list of its current values.",
  );
  return { ...variable, type: "list", values };
}

function variableOf(own: Json, notes: string[]): Variable | undefined {
  const name = textOf(own.name).replace(/\W/g, "_");
  const type = textOf(own.type);
  if (!name || type === "datasource") return undefined; // there is one source of each kind
  const value = valuesOf(objectOf(own.current));
  const variable: Variable = {
    name,
    type: "list",
    ...(textOf(own.label) ? { title: textOf(own.label) } : {}),
    ...(own.multi === true ? { multi: true } : {}),
    ...(own.includeAll === true ? { all: true } : {}),
    ...(textOf(own.regex) ? { regex: textOf(own.regex) } : {}),
    ...(value.length ? { value: value.slice(0, 50) } : {}),
  };
  switch (type) {
    case "query":
      return ofQuery(own, variable, notes);
    case "custom":
      return { ...variable, values: customValues(textOf(own.query)) };
    case "interval":
      return { ...variable, values: customValues(textOf(own.query)) };
    case "constant":
      return { ...variable, values: [textOf(own.query)], value: [textOf(own.query)] };
    case "textbox":
      return { ...variable, type: "text", value: [textOf(own.query)] };
    default:
      notes.push(
        `Variable ${name}: the type ${type || "(none)"} is not supported; it was left out.`,
      );
      return undefined;
  }
}

// ---- panels ----

// Return all panels in their order: also those of collapsed rows, and of the old format of rows.
function flattened(model: Json): Json[] {
  const out: Json[] = [];
  let bottom = 0;
  for (const row of listOf(model.rows)) {
    let x = 0;
    const height = Math.max(3, Math.round((parseInt(textOf(row.height), 10) || 250) / 38));
    if (row.showTitle === true) {
      out.push({ type: "row", title: row.title, gridPos: { x: 0, y: bottom, w: columns, h: 1 } });
      bottom++;
    }
    for (const panel of listOf(row.panels)) {
      const w = Math.max(1, Math.round(Number(panel.span ?? 12) * 2));
      if (x + w > columns) [x, bottom] = [0, bottom + height];
      out.push({ ...panel, gridPos: { x, y: bottom, w, h: height } });
      x += w;
    }
    bottom += height;
  }
  for (const panel of listOf(model.panels)) {
    const { panels: inner, ...own } = panel;
    out.push(own);
    if (own.type === "row" && own.collapsed === true) {
      // the panels of a collapsed row are not on the grid: they follow the row
      const y = Number(objectOf(own.gridPos).y) || 0;
      for (const one of listOf(inner)) {
        const place = objectOf(one.gridPos);
        out.push({ ...one, gridPos: { ...place, y: Math.max(Number(place.y) || 0, y + 1) } });
      }
    }
  }
  return out;
}

// Give headings and what is below them an order: a collapsed row's panels may have any place.
function arranged(panels: Panel[]): Panel[] {
  return settled(panels);
}

const isOwn = (model: Json) =>
  model.version === 1 &&
  model.schemaVersion === undefined &&
  !("gridPos" in (listOf(model.panels)[0] ?? {}));

const relative = /^now(?:-\d+[smhdw])?$/;

function ofGrafana(model: Json): Imported {
  const notes: string[] = [];
  const variables = listOf(objectOf(model.templating).list)
    .map((own) => variableOf(own, notes))
    .filter((v): v is Variable => !!v);
  const known = flattened(model);
  const panels: Panel[] = [];
  for (const own of known.slice(0, maxPanels)) {
    const panel = grafanaPanel(own, notes);
    if (panel) panels.push(panel);
  }
  if (known.length > maxPanels)
    notes.push(`Only the first ${maxPanels} of ${known.length} panels were imported.`);
  if (listOf(objectOf(model.annotations).list).some((a) => a.builtIn !== 1))
    notes.push("Annotations are not supported.");
  if (listOf(model.links).length) notes.push("Links of the dashboard are not supported.");
  const { from, to } = objectOf(model.time);
  const range =
    relative.test(textOf(from)) && relative.test(textOf(to))
      ? { from: textOf(from), to: textOf(to) }
      : {};
  if (textOf(from) && !("from" in range))
    notes.push(`The time range ${textOf(from)} to ${textOf(to)} was left out.`);
  return {
    dashboard: {
      version: 1,
      title: (textOf(model.title) || "Imported").slice(0, maxTitle),
      ...(textOf(model.description)
        ? { description: textOf(model.description).slice(0, 1000) }
        : {}),
      ...range,
      ...(textOf(model.refresh) ? { refresh: true } : {}),
      ...(variables.length ? { variables } : {}),
      panels: arranged(panels),
    },
    notes: [...new Set(notes)],
  };
}

// Read a document. Throws an Error with a text for the user.
export function importDocument(text: string): Imported {
  const parsed = JSON.parse(text) as unknown;
  const outer = objectOf(parsed);
  const model = "dashboard" in outer ? objectOf(outer.dashboard) : outer;
  if (!Array.isArray(model.panels) && !Array.isArray(model.rows))
    throw new Error("this is not a dashboard: it has neither panels nor rows");
  return isOwn(model)
    ? { dashboard: model as unknown as Dashboard, notes: [] }
    : ofGrafana(model);
}
