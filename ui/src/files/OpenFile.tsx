// SPDX-License-Identifier: Apache-2.0
// Opens profile files: by a button, a key, or a drop anywhere on the page. Two files at once are
// compared.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client";
import { useKeys } from "../base/keys";
import { formatBytes } from "../base/units";
import { fresh, go, State } from "../url";
import { FileAnswer, orderFiles, sendFile } from "./upload";
import "./files.css";

type Opening =
  | { phase: "sending"; name: string; sent: number; size: number; stop: () => void }
  | { phase: "failed"; name: string; reason: string };

const inputId = "open-file";

export const chooseFile = () => document.getElementById(inputId)?.click();

const carriesFiles = (event: DragEvent) => !!event.dataTransfer?.types.includes("Files");

// The state for an opened file: without the filters of the previous selection.
const opened: Partial<State> = {
  ...fresh,
  query: "",
  type: "",
  from: "now-1h",
  to: "now",
  live: false,
  by: "",
  before: "",
  before_from: "",
  before_to: "",
  before_file: "",
};

export function showFiles(files: FileAnswer[]) {
  if (files.length === 2)
    go({ ...opened, path: "/compare", before_file: files[0].id, file: files[1].id });
  else go({ ...opened, path: "/profiles", file: files[0].id });
}

// Return whether files are being dragged over the page; call `onDrop` with dropped files.
function useDrop(onDrop: (files: File[]) => void): boolean {
  const [over, set] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault(); // otherwise the browser would leave the page and open the file
      set(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && set(false);
    const drop = (event: DragEvent) => {
      set(false);
      if (!carriesFiles(event)) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    const handlers = [
      ["dragenter", enter],
      ["dragover", enter],
      ["dragleave", leave],
      ["drop", drop],
    ] as const;
    for (const [name, handler] of handlers) addEventListener(name, handler);
    return () => {
      for (const [name, handler] of handlers) removeEventListener(name, handler);
    };
  }, []);
  return over;
}

function Progress(props: { opening: Opening; onClose: () => void }) {
  const { opening } = props;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.focus(), [opening.phase]);
  const failed = opening.phase === "failed";
  return (
    <div
      class="opening panel"
      role={failed ? "alertdialog" : "status"}
      aria-label="Opening a file"
      tabIndex={-1}
      ref={box}
      onKeyDown={(event) => event.key === "Escape" && props.onClose()}
    >
      <div class="row">
        <strong class="clip opening-name">
          <bdi>{opening.name}</bdi>
        </strong>
        <span class="spread" />
        <button type="button" onClick={props.onClose}>
          {failed ? "Close" : "Stop"}
        </button>
      </div>
      {opening.phase === "failed" ? (
        <p class="opening-reason">{opening.reason}</p>
      ) : (
        <>
          <progress
            max={opening.size || 1}
            value={opening.sent < opening.size ? opening.sent : undefined}
            aria-label="Sent"
          />
          <p class="soft">
            {opening.sent < opening.size
              ? `${formatBytes(opening.sent)} of ${formatBytes(opening.size)} sent`
              : "Decoding…"}
          </p>
        </>
      )}
    </div>
  );
}

// `onOpened`: called after an upload; an address whose file was missing may be valid again.
export function OpenFile(props: { onOpened: () => void }) {
  const [opening, set] = useState<Opening>();
  const input = useRef<HTMLInputElement>(null);

  const open = async (files: File[]) => {
    if (!files.length) return;
    if (files.length > 2)
      return set({
        phase: "failed",
        name: `${files.length} files`,
        reason: "Open one file, or two files to compare them.",
      });
    const abort = new AbortController();
    const answers: FileAnswer[] = [];
    for (const file of orderFiles(files)) {
      const progress = (sent: number) =>
        set({
          phase: "sending",
          name: file.name,
          sent,
          size: file.size,
          stop: () => abort.abort(),
        });
      progress(0);
      try {
        answers.push(await sendFile(file, progress, abort.signal));
      } catch (e) {
        if (abort.signal.aborted) return set(undefined);
        return set({
          phase: "failed",
          name: file.name,
          reason: e instanceof ApiError ? e.message : String(e),
        });
      }
    }
    set(undefined);
    showFiles(answers);
    props.onOpened();
  };

  const over = useDrop((files) => void open(files));
  useKeys("All views", [{ key: "o", help: "Open a file", run: chooseFile }]);
  return (
    <>
      <button
        type="button"
        class="open-file"
        onClick={chooseFile}
        title="Open a profile of any format (o), or drop it on the page; two files are compared"
        aria-label="Open file"
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 10.5V2.5M4.8 5.5 8 2.3l3.2 3.2M2.5 9.5v4h11v-4" />
        </svg>
        <span class="open-file-text">Open file</span>
      </button>
      <input
        ref={input}
        id={inputId}
        type="file"
        multiple
        hidden
        aria-label="Profiles"
        onChange={() => {
          const files = [...(input.current?.files ?? [])];
          input.current!.value = ""; // so that the same file can be selected again
          void open(files);
        }}
      />
      {over && (
        <div class="drop-veil" aria-hidden="true">
          <div class="drop-hint">
            <strong>Drop to open</strong>
            <span>
              A profile of any format: pprof, OTLP, JFR, folded, perf script, speedscope, …
            </span>
            <span>Two files are compared; the older one is the Before side.</span>
          </div>
        </div>
      )}
      {opening && (
        <Progress
          opening={opening}
          onClose={() => {
            if (opening.phase === "sending") opening.stop();
            set(undefined);
          }}
        />
      )}
    </>
  );
}
