// SPDX-License-Identifier: Apache-2.0
// The title, range and variables of a dashboard.
import { useState } from "preact/hooks";
import { Select } from "../base/components";
import { ranges } from "../base/time";
import { Dialog } from "./Dialog";
import { Dashboard, Variable } from "./model";
import { TextField } from "./PanelEditor";

const types: readonly (readonly [Variable["type"], string])[] = [
  ["labels", "values of a label of metrics"],
  ["profiles", "values of a label of profiles"],
  ["list", "a list"],
  ["text", "free text"],
];

const listText = (list: readonly string[] | undefined) => (list ?? []).join(", ");
const listOf = (text: string) =>
  text
    .split(",")
    .map((t) => t.trim())
    .filter(Boolean);

function VariableEditor(props: {
  variable: Variable;
  onChange: (variable: Variable) => void;
  onRemove: () => void;
}) {
  const { variable } = props;
  const set = (change: Partial<Variable>) => props.onChange({ ...variable, ...change });
  const queried = variable.type === "labels" || variable.type === "profiles";
  return (
    <div class="panel edit-query" role="group" aria-label={`Variable ${variable.name}`}>
      <div class="form-grid">
        <TextField
          label="Name"
          value={variable.name}
          onChange={(name) => set({ name: name.replace(/\W/g, "_") })}
        />
        <TextField
          label="Title"
          value={variable.title ?? ""}
          onChange={(title) => set({ title: title || undefined })}
        />
        <span class="form-label">Values</span>
        <Select
          label="Values"
          value={variable.type}
          options={types}
          onChange={(type) => set({ type })}
        />
        {queried && (
          <>
            <TextField
              label="Label"
              value={variable.label ?? ""}
              placeholder={variable.type === "labels" ? "job" : "service_name"}
              onChange={(label) => set({ label: label || undefined })}
            />
            <TextField
              label={variable.type === "labels" ? "Of series" : "Of profiles"}
              value={variable.match ?? ""}
              placeholder={variable.type === "labels" ? "up" : 'checkout{env="prod"}'}
              onChange={(match) => set({ match: match || undefined })}
            />
            <TextField
              label="Only"
              value={variable.regex ?? ""}
              placeholder="regular expression"
              onChange={(regex) => set({ regex: regex || undefined })}
            />
          </>
        )}
        {variable.type === "list" && (
          <TextField
            label="List"
            value={listText(variable.values)}
            placeholder="a, b, c"
            onChange={(text) => set({ values: listOf(text) })}
          />
        )}
        <TextField
          label="Initially"
          value={listText(variable.value)}
          placeholder="the first value, or all"
          onChange={(text) => set({ value: text.trim() ? listOf(text) : undefined })}
        />
        <span class="form-label">Choice</span>
        <div class="row">
          <label>
            <input
              type="checkbox"
              checked={!!variable.multi}
              onChange={(event) => set({ multi: event.currentTarget.checked || undefined })}
            />{" "}
            several
          </label>
          <label>
            <input
              type="checkbox"
              checked={!!variable.all}
              onChange={(event) => set({ all: event.currentTarget.checked || undefined })}
            />{" "}
            all
          </label>
          <span class="spread" />
          <button type="button" class="small" onClick={props.onRemove}>
            Remove
          </button>
        </div>
      </div>
    </div>
  );
}

export function SettingsEditor(props: {
  dashboard: Dashboard;
  onApply: (dashboard: Dashboard) => void;
  onClose: () => void;
}) {
  const [dashboard, setDashboard] = useState(props.dashboard);
  const set = (change: Partial<Dashboard>) => setDashboard({ ...dashboard, ...change });
  const variables = dashboard.variables ?? [];
  const range = dashboard.from ?? "";
  const apply = () => {
    props.onApply(JSON.parse(JSON.stringify(dashboard)) as Dashboard);
    props.onClose();
  };
  return (
    <Dialog
      title="Settings of the dashboard"
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
      <div class="form-grid">
        <TextField label="Title" value={dashboard.title} onChange={(title) => set({ title })} />
        <TextField
          label="Description"
          value={dashboard.description ?? ""}
          onChange={(description) => set({ description: description || undefined })}
        />
        <span class="form-label">Time range</span>
        <Select
          label="Time range"
          value={range}
          options={[
            ["", "Last hour"],
            ...ranges.filter((r) => r.from !== "now-1h").map((r) => [r.from, r.label] as const),
          ]}
          onChange={(from) => set({ from: from || undefined, to: from ? "now" : undefined })}
        />
        <span class="form-label">Live</span>
        <label>
          <input
            type="checkbox"
            checked={!!dashboard.refresh}
            onChange={(event) => set({ refresh: event.currentTarget.checked || undefined })}
          />{" "}
          refresh every 10 s
        </label>
        <div class="wide">
          {variables.map((variable, i) => (
            <VariableEditor
              key={i}
              variable={variable}
              onChange={(next) =>
                set({ variables: variables.map((v, k) => (k === i ? next : v)) })
              }
              onRemove={() => set({ variables: variables.filter((_, k) => k !== i) })}
            />
          ))}
          <button
            type="button"
            class="small"
            onClick={() =>
              set({
                variables: [
                  ...variables,
                  { name: `var${variables.length + 1}`, type: "labels", label: "job" },
                ],
              })
            }
          >
            + Variable
          </button>
        </div>
      </div>
    </Dialog>
  );
}
