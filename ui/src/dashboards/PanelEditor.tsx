// SPDX-License-Identifier: Apache-2.0
// The editor of one panel: type, title, queries, unit, thresholds.
import { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { Select } from "../base/components";
import { useMetadata } from "../promql/known_metrics";
import { units } from "../promql/metric_units";
import { PromField } from "../promql/PromField";
import { Dialog } from "./Dialog";
import {
  Calculation,
  Panel,
  PanelQuery,
  panelTypes,
  PanelType,
  Source,
  sourceOf,
  Threshold,
} from "./model";

interface Range {
  from: number;
  to: number;
}

const sources: readonly (readonly [Source, string])[] = [
  ["promql", "Metrics (PromQL)"],
  ["traceql", "Spans (TraceQL)"],
  ["profiles", "Profiles"],
];

const calculations: readonly (readonly [Calculation, string])[] = [
  ["last", "last value"],
  ["mean", "mean"],
  ["min", "minimum"],
  ["max", "maximum"],
  ["sum", "sum"],
];

const profileTypes = ["cpu", "inuse_space", "alloc_space", "alloc_objects", "mutex:delay", "wall"];

const withSeries: readonly PanelType[] = ["chart", "stat", "bar", "heat"];
const placeholders: Record<Source, string> = {
  promql: "sum by (job) (rate(http_requests_total[$__rate_interval]))",
  traceql: "{ status = error }",
  profiles: 'checkout{env="prod"} by (pod)',
  logs: "service=checkout&severity=error&text=timeout",
};

function Field(props: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <>
      <label for={id}>{props.label}</label>
      {props.children(id)}
    </>
  );
}

function TextField(props: {
  label: string;
  value: string;
  placeholder?: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label}>
      {(id) => (
        <input
          id={id}
          type="text"
          value={props.value}
          placeholder={props.placeholder}
          autocomplete="off"
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function NumberField(props: {
  label: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <TextField
      label={props.label}
      value={props.value === undefined ? "" : String(props.value)}
      placeholder="auto"
      onChange={(text) => {
        const value = Number(text);
        props.onChange(text.trim() === "" || !Number.isFinite(value) ? undefined : value);
      }}
    />
  );
}

function QueryEditor(props: {
  panel: Panel;
  query: PanelQuery;
  index: number;
  count: number;
  range: Range;
  onChange: (query: PanelQuery) => void;
  onRemove: () => void;
}) {
  const { panel, query, index } = props;
  const metadata = useMetadata();
  const source = sourceOf(panel, query);
  const set = (change: Partial<PanelQuery>) => props.onChange({ ...query, ...change });
  const label = `Query ${index + 1}`;
  return (
    <div class="panel edit-query" role="group" aria-label={`Settings of query ${index + 1}`}>
      {source === "promql" ? (
        <PromField
          label={label}
          text={query.query}
          wrong={false}
          range={props.range}
          metadata={metadata}
          onText={(text) => set({ query: text })}
          onRun={() => undefined}
        />
      ) : (
        <div class="row">
          <input
            type="text"
            class="mono"
            aria-label={label}
            placeholder={placeholders[source]}
            value={query.query}
            onInput={(event) => set({ query: event.currentTarget.value })}
          />
        </div>
      )}
      <div class="row">
        {["chart", "stat", "bar"].includes(panel.type) && (
          <Select
            label="Source"
            value={source}
            options={sources}
            onChange={(s) => set({ source: s === "promql" ? undefined : s })}
          />
        )}
        {source === "profiles" && (
          <input
            type="text"
            aria-label="Profile type"
            placeholder="type: cpu, inuse_space, ..."
            value={query.type ?? ""}
            list="profile-types"
            onInput={(event) => set({ type: event.currentTarget.value || undefined })}
          />
        )}
        {withSeries.includes(panel.type) && panel.type !== "heat" && (
          <input
            type="text"
            aria-label="Legend"
            placeholder="name of a series: {{job}}"
            value={query.legend ?? ""}
            onInput={(event) => set({ legend: event.currentTarget.value || undefined })}
          />
        )}
        {props.count > 1 && (
          <button type="button" class="small" onClick={props.onRemove}>
            Remove
          </button>
        )}
      </div>
    </div>
  );
}

function Thresholds(props: { list: readonly Threshold[]; onChange: (list: Threshold[]) => void }) {
  const { list } = props;
  const set = (i: number, change: Partial<Threshold>) =>
    props.onChange(list.map((t, k) => (k === i ? { ...t, ...change } : t)));
  return (
    <div role="group" aria-label="Thresholds">
      {list.map((threshold, i) => (
        <div class="row" key={i}>
          from{" "}
          <input
            type="text"
            class="number"
            style={{ width: "90px" }}
            aria-label={`Threshold ${i + 1}`}
            value={String(threshold.from)}
            onChange={(event) => set(i, { from: Number(event.currentTarget.value) || 0 })}
          />
          <Select
            label={`Colour of threshold ${i + 1}`}
            value={threshold.colour}
            options={[
              ["good", "good (green)"],
              ["warn", "warning (yellow)"],
              ["bad", "bad (red)"],
              ["plain", "plain"],
            ]}
            onChange={(colour) => set(i, { colour })}
          />
          <button
            type="button"
            class="quiet small"
            aria-label={`Remove threshold ${i + 1}`}
            onClick={() => props.onChange(list.filter((_, k) => k !== i))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        onClick={() => props.onChange([...list, { from: 0, colour: "bad" }])}
      >
        + Threshold
      </button>
    </div>
  );
}

// Remove fields that are undefined or have no effect, so that documents stay short.
function tidied(panel: Panel): Panel {
  const entries = Object.entries(panel).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && !value.length),
  );
  return Object.fromEntries(entries) as unknown as Panel;
}

export function PanelEditor(props: {
  panel: Panel;
  range: Range;
  onApply: (panel: Panel) => void;
  onClose: () => void;
}) {
  const [panel, setPanel] = useState(props.panel);
  const set = (change: Partial<Panel>) => setPanel({ ...panel, ...change });
  const queries = panel.queries ?? [];
  const apply = () => {
    props.onApply(
      tidied(
        {
          ...panel,
          queries: queries.map((q) => tidied(q as unknown as Panel) as unknown as PanelQuery),
        },
      ),
    );
    props.onClose();
  };
  const plain = panel.type === "text" || panel.type === "row";
  return (
    <Dialog
      title={`Panel: ${panelTypes.find(([type]) => type === panel.type)![1]}`}
      onClose={props.onClose}
      buttons={
        <>
          <button type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={apply}>
            Apply
          </button>
        </>
      }
    >
      <datalist id="profile-types">
        {profileTypes.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <div class="form-grid">
        <TextField label="Title" value={panel.title ?? ""} onChange={(title) => set({ title })} />
        <span class="form-label">Type</span>
        <Select
          label="Type"
          value={panel.type}
          options={panelTypes}
          onChange={(type) => set({ type })}
        />
        <TextField
          label="Description"
          value={panel.description ?? ""}
          onChange={(description) => set({ description: description || undefined })}
        />
        {panel.type === "text" && (
          <Field label="Text">
            {(id) => (
              <textarea
                id={id}
                rows={10}
                value={panel.text ?? ""}
                placeholder="# Heading, **strong**, *emphasis*, `code`, [link](https://...), - list"
                onInput={(event) => set({ text: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
        {!plain && (
          <div class="wide">
            {queries.map((query, i) => (
              <QueryEditor
                key={i}
                panel={panel}
                query={query}
                index={i}
                count={queries.length}
                range={props.range}
                onChange={(next) => set({ queries: queries.map((q, k) => (k === i ? next : q)) })}
                onRemove={() => set({ queries: queries.filter((_, k) => k !== i) })}
              />
            ))}
            {(withSeries.includes(panel.type) || panel.type === "table" || !queries.length) && (
              <button
                type="button"
                class="small"
                onClick={() => set({ queries: [...queries, { query: "" }] })}
              >
                + Query
              </button>
            )}
          </div>
        )}
        {(withSeries.includes(panel.type) || panel.type === "table") && (
          <>
            <span class="form-label">Unit</span>
            <Select
              label="Unit"
              value={panel.unit ?? "auto"}
              options={[
                ["auto", "that of the metrics"],
                ...units,
                ...(panel.unit && !units.some(([u]) => u === panel.unit)
                  ? [[panel.unit, panel.unit] as const]
                  : []),
              ]}
              onChange={(unit) => set({ unit: unit === "auto" ? undefined : unit })}
            />
          </>
        )}
        {panel.type === "chart" && (
          <>
            <span class="form-label">Style</span>
            <Select
              label="Style"
              value={panel.style ?? "lines"}
              options={[
                ["lines", "lines"],
                ["stacked", "stacked areas"],
                ["bars", "stacked bars"],
              ]}
              onChange={(style) => set({ style })}
            />
          </>
        )}
        {(panel.type === "stat" || panel.type === "bar") && (
          <>
            <span class="form-label">Value</span>
            <Select
              label="Value"
              value={panel.calculation ?? "last"}
              options={calculations}
              onChange={(calculation) => set({ calculation })}
            />
          </>
        )}
        {(panel.type === "chart" || panel.type === "bar") && (
          <>
            <NumberField label="Least value" value={panel.min} onChange={(min) => set({ min })} />
            <NumberField label="Most value" value={panel.max} onChange={(max) => set({ max })} />
          </>
        )}
        {["chart", "stat", "bar"].includes(panel.type) && (
          <>
            <span class="form-label">Thresholds</span>
            <Thresholds
              list={panel.thresholds ?? []}
              onChange={(thresholds) => set({ thresholds })}
            />
          </>
        )}
        {["traces", "logs", "table", "bar"].includes(panel.type) && (
          <NumberField
            label="Rows"
            value={panel.limit}
            onChange={(limit) =>
              set(
                {
                  limit: limit === undefined ? undefined : Math.max(
                    1,
                    Math.min(1000, Math.round(limit)),
                  ),
                },
              )
            }
          />
        )}
      </div>
    </Dialog>
  );
}

export { Field, TextField };
