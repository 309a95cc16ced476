// SPDX-License-Identifier: Apache-2.0
// Copies a link to the current view, with absolute times, so that it shows the same data later.
import { useEffect, useState } from "preact/hooks";
import { copyText } from "../base/clipboard";
import { useKeys } from "../base/keys";
import { resolveTimes } from "../explore/resolve_times";
import { getState } from "../url";
import { linkOf } from "./links";
import "./files.css";

const noteMs = 1500;

export function CopyLink() {
  const [note, setNote] = useState("");
  const copy = () => {
    const now = Math.ceil(Date.now() / 1000) * 1000;
    void copyText(linkOf(resolveTimes(getState(), now), location.origin)).then((done) =>
      setNote(done ? "Link copied" : "Clipboard access denied"),
    );
  };
  useEffect(() => {
    const timer = note ? setTimeout(() => setNote(""), noteMs) : undefined;
    return () => clearTimeout(timer);
  }, [note]);
  useKeys("All views", [{ key: "y", help: "Copy a link to this view", run: copy }]);
  return (
    <>
      <button
        type="button"
        class="quiet icon copy-link"
        onClick={copy}
        title="Copy a link with fixed times (y)"
        aria-label="Copy a link to this view"
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.6-2.6a2.6 2.6 0 0 0-3.7-3.7L8.3 4M9.2 6.8a2.6 2.6 0 0 0-3.7 0L2.9 9.4a2.6 2.6 0 0 0 3.7 3.7L7.7 12" />
        </svg>
      </button>
      <span role="status">{note && <span class="note waiting">{note}</span>}</span>
    </>
  );
}
