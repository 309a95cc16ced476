// SPDX-License-Identifier: Apache-2.0
// Import of a dashboard of Varve or Grafana from a file or from pasted text.
import { useState } from "preact/hooks";
import { ApiError } from "../api/client";
import { formatCount } from "../base/units";
import { Dialog } from "./Dialog";
import { importDocument, Imported } from "./grafana_import";
import { saveDashboard } from "./library";
import { nameOf, validName } from "./model";
import { TextField } from "./PanelEditor";

const maxBytes = 4 << 20;

export function ImportDialog(props: { onClose: () => void; onDone: (name: string) => void }) {
  const [text, setText] = useState("");
  const [imported, setImported] = useState<Imported>();
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const [over, setOver] = useState(false);
  const read = (content: string) => {
    setText(content);
    setError("");
    setImported(undefined);
    if (!content.trim()) return;
    try {
      const found = importDocument(content);
      setImported(found);
      setName(nameOf(found.dashboard.title));
    } catch (e) {
      setError((e as Error).message);
    }
  };
  const readFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxBytes) setError(`${file.name} is larger than 4 MiB`);
    else read(await file.text());
  };
  const save = async () => {
    if (!imported) return;
    try {
      await saveDashboard(name, imported.dashboard, "");
      props.onDone(name);
      props.onClose();
    } catch (e) {
      setError(e instanceof ApiError ? e.message : String(e));
    }
  };
  return (
    <Dialog
      title="Import a dashboard"
      onClose={props.onClose}
      buttons={
        <>
          <button type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button
            type="button"
            class="primary"
            disabled={!imported || !validName(name)}
            onClick={() => void save()}
          >
            Import
          </button>
        </>
      }
    >
      <div
        class={`board-drop ${over ? "over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          event.stopPropagation(); // the page opens dropped files as profiles
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setOver(false);
          void readFile(event.dataTransfer?.files[0]);
        }}
      >
        Drop the JSON file of a dashboard of Grafana or Varve here, or{" "}
        <label>
          choose it{" "}
          <input
            type="file"
            accept=".json,application/json"
            aria-label="File of a dashboard"
            onChange={(event) => void readFile(event.currentTarget.files?.[0])}
          />
        </label>
      </div>
      <textarea
        class="mono code import-text"
        rows={6}
        aria-label="JSON of the dashboard"
        placeholder="... or paste its JSON model"
        spellcheck={false}
        value={text}
        onInput={(event) => read(event.currentTarget.value)}
      />
      {error && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {imported && (
        <>
          <div class="form-grid">
            <TextField label="Name" value={name} onChange={setName} />
          </div>
          <p role="status">
            <strong>{imported.dashboard.title}</strong>:{" "}
            {formatCount(imported.dashboard.panels.length, "panel")},{" "}
            {formatCount(imported.dashboard.variables?.length ?? 0, "variable")}
            {imported.notes.length ? `; ${formatCount(imported.notes.length, "note")}:` : "."}
          </p>
          {imported.notes.length > 0 && (
            <ul class="import-notes" aria-label="Not imported">
              {imported.notes.map((note) => (
                <li key={note}>{note}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </Dialog>
  );
}
