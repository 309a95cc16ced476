// SPDX-License-Identifier: Apache-2.0
// The document of a dashboard as text. The server checks it when it is saved.
import { useState } from "preact/hooks";
import { copyText } from "../base/clipboard";
import { QueryError } from "../base/CompletionField";
import { Dialog } from "./Dialog";
import { Dashboard, formatDocument, jsonPlace } from "./model";

export function JsonEditor(props: {
  dashboard: Dashboard;
  onApply: (dashboard: Dashboard) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => formatDocument(props.dashboard));
  const [error, setError] = useState("");
  const apply = () => {
    try {
      const parsed = JSON.parse(text) as Dashboard;
      if (typeof parsed !== "object" || !parsed || !Array.isArray(parsed.panels))
        throw new Error("expected an object with a list of panels");
      props.onApply(parsed);
      props.onClose();
    } catch (e) {
      setError((e as Error).message);
    }
  };
  return (
    <Dialog
      title="Document of the dashboard"
      onClose={props.onClose}
      buttons={
        <>
          <button type="button" onClick={() => void copyText(text)}>
            Copy
          </button>
          <button type="button" onClick={props.onClose}>
            Cancel
          </button>
          <button type="button" class="primary" onClick={apply}>
            Apply
          </button>
        </>
      }
    >
      <textarea
        class="mono code"
        aria-label="JSON"
        rows={24}
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setError("");
        }}
      />
      {error && <QueryError query={text} message={error} place={jsonPlace(text, error)} />}
    </Dialog>
  );
}
