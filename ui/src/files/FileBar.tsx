// SPDX-License-Identifier: Apache-2.0
// The bar of an opened file: its name, a button to close it, and a form to save it to the store.
import { useState } from "preact/hooks";
import { ApiError, apiUrl, useAnswer } from "../api/client";
import { formatSelector } from "../api/selection";
import { Empty, Link, Popover } from "../base/components";
import { formatTime } from "../base/time";
import { formatBytes, formatCount } from "../base/units";
import { fresh, go, State } from "../url";
import { chooseFile } from "./OpenFile";
import { FileAnswer, keepFile, parseLabels, serviceGuess } from "./upload";
import "./files.css";

export const useFile = (id: string) =>
  useAnswer<FileAnswer>(id ? apiUrl("files", { id }) : undefined);

const stored: Partial<State> = { ...fresh, file: "", query: "", type: "" };

function KeepForm(props: { file: FileAnswer; onDone: () => void }) {
  const { file } = props;
  const [service, setService] = useState(serviceGuess(file.name));
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [reason, setReason] = useState("");
  const { labels, error } = parseLabels(text);
  const keep = async () => {
    setBusy(true);
    setReason("");
    try {
      const kept = await keepFile(
        file.id,
        service.trim(),
        labels.map((l) => l.join("=")),
      );
      if (kept.rejected)
        throw new ApiError(
          400,
          `${formatCount(kept.rejected, "profile")} of ${kept.profiles} could not be saved`,
        );
      const matchers = labels.map(([name, value]) => ({ name, op: "=" as const, value }));
      props.onDone();
      go({
        ...stored,
        query: formatSelector({ service: service.trim(), matchers }),
        type: file.type,
        from: String(file.from - 60e3),
        to: String(Math.max(file.to, file.from) + 60e3),
        view: "both",
      });
    } catch (e) {
      setReason((e as Error).message);
      setBusy(false);
    }
  };
  return (
    <form
      class="keep-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !error) void keep();
      }}
    >
      <label>
        Service
        <input
          type="text"
          value={service}
          placeholder="as in the file"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setService(event.currentTarget.value)}
        />
      </label>
      <label>
        Labels
        <input
          type="text"
          class="mono"
          value={text}
          placeholder="env=dev, region=eu"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <p class="soft">
        Saved with its own time, {formatTime(Math.floor(file.from / 1000) * 1000)}, subject to the
        store's retention.
      </p>
      {(error || reason) && (
        <p class="note bad" role="alert">
          {error || reason}
        </p>
      )}
      <button type="submit" class="primary" disabled={busy || !!error}>
        {busy ? "Saving…" : "Save to store"}
      </button>
    </form>
  );
}

export function FileBar(props: { file: FileAnswer | undefined }) {
  const { file } = props;
  if (!file) return null;
  return (
    <div class="row file-bar">
      <span
        class="chip file-chip"
        title={
          `${file.name}\n${formatCount(file.profiles, "profile")}, ${formatCount(file.samples, "sample")}\n` +
          `${formatTime(file.from)} – ${formatTime(file.to)}`
        }
      >
        <bdi>{file.name || "unnamed"}</bdi>
        <button
          type="button"
          class="quiet"
          aria-label="Close the file"
          title="Close the file"
          onClick={() => go({ ...stored, path: "/" })}
        >
          ×
        </button>
      </span>
      <span class="soft">
        {formatBytes(file.bytes)} · {file.format}
      </span>
      <Popover label="Save to store">{(close) => <KeepForm file={file} onDone={close} />}</Popover>
    </div>
  );
}

// Shown if the server no longer has the file: it keeps only a few, in memory.
export function FileGone(props: { reason: string }) {
  return (
    <Empty title="File no longer on the server">
      <p class="soft">{props.reason}</p>
      <p>Open the file again: the same file has the same address.</p>
      <p class="row centred">
        <button type="button" class="primary" onClick={chooseFile}>
          Open file
        </button>
        <Link class="button" to={{ ...stored, path: "/" }}>
          All services
        </Link>
      </p>
    </Empty>
  );
}
