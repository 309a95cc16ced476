// SPDX-License-Identifier: Apache-2.0
// A file as one side of a comparison: its name, and the button that opens it.
import { useRef, useState } from "preact/hooks";
import { useFile } from "../files/FileBar";
import { sendFile } from "../files/upload";

export function FileName(props: { id: string; onRemove: () => void }) {
  const file = useFile(props.id);
  return (
    <>
      <span class="chip" title={file.data && `${file.data.name}\n${file.data.format}`}>
        <bdi>
          {file.data
            ? file.data.name || "unnamed"
            : file.error
              ? "File no longer on the server"
              : "File"}
        </bdi>
        <button type="button" class="quiet" aria-label="Remove the file" onClick={props.onRemove}>
          ×
        </button>
      </span>
      {file.error && <span class="soft">{file.error.message}</span>}
    </>
  );
}

// A button that opens a file for one side of the comparison.
export function OpenSideFile(props: {
  label: string;
  text?: string;
  class?: string;
  onOpen: (id: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [state, set] = useState<{ busy: boolean; error: string }>({ busy: false, error: "" });
  const open = (file: File | undefined) => {
    if (!file) return;
    set({ busy: true, error: "" });
    sendFile(file, () => {}, new AbortController().signal).then(
      (opened) => {
        set({ busy: false, error: "" });
        props.onOpen(opened.id);
      },
      (e: Error) => set({ busy: false, error: `${file.name}: ${e.message}` }),
    );
  };
  return (
    <>
      <button
        type="button"
        class={`open-file ${props.text ? (props.class ?? "") : "icon"}`}
        title={props.label}
        aria-label={props.text ? undefined : props.label}
        disabled={state.busy}
        onClick={() => input.current?.click()}
      >
        {props.text ?? (
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M8 10.5V2.5M4.8 5.5 8 2.3l3.2 3.2M2.5 9.5v4h11v-4" />
          </svg>
        )}
      </button>
      <input
        type="file"
        ref={input}
        class="hidden-text"
        tabIndex={-1}
        aria-hidden="true"
        onChange={(event) => {
          open(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      {state.error && (
        <span class="note bad" role="alert">
          {state.error}
        </span>
      )}
    </>
  );
}
