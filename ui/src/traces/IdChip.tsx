// SPDX-License-Identifier: Apache-2.0
// The chip of a selected span or trace.
import { copyText } from "../base/clipboard";
import { cleanName } from "../flame/text/names";
import { shortId } from "./parse_ids";

export function IdChip(props: { title: string; id: string; name?: string; onRemove: () => void }) {
  return (
    <span class="chip" title={`${props.title} ${props.id}`}>
      {props.title}&nbsp;{props.name && <bdi>{cleanName(props.name, 60)}&nbsp;</bdi>}
      <code>{shortId(props.id)}</code>
      <button
        type="button"
        class="quiet"
        aria-label={`Copy the ID of the ${props.title.toLowerCase()}`}
        title="Copy the ID"
        onClick={() => void copyText(props.id)}
      >
        Copy
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove ${props.title}`}
        onClick={props.onRemove}
      >
        ×
      </button>
    </span>
  );
}
