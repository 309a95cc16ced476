// SPDX-License-Identifier: Apache-2.0
// Selects a function: a search over all functions, by descending total.
import { useMemo, useState } from "preact/hooks";
import { TopAnswer, TopRow } from "../api/types";
import { Popover, TextInput } from "../base/components";
import { formatShare, formatValue } from "../base/units";
import { refsBy } from "../flame/model/refs";
import { cleanName } from "../flame/text/names";
import { matchOf } from "../table/row_filter";
import { FunctionName } from "../table/TopTable";

const maxShown = 100;

export function matchingRows(answer: TopAnswer | undefined, text: string): TopRow[] {
  const { matches } = matchOf(text);
  return (answer?.rows ?? []).filter((r) => matches(r.name)).sort((a, b) => b.total - a.total);
}

export function FunctionPicker(props: {
  label: string;
  answer: TopAnswer | undefined;
  onOpen: () => void;
  onPick: (ref: string) => void;
}) {
  const { answer } = props;
  const [text, setText] = useState("");
  const rows = matchingRows(answer, text);
  const refOf = useMemo(() => refsBy(answer?.rows ?? []), [answer]);
  return (
    <Popover
      label={props.label}
      title="Select another function"
      onOpen={(open) => open && props.onOpen()}
    >
      {(close) => (
        <form
          class="function-picker"
          onSubmit={(event) => {
            event.preventDefault();
            if (!rows.length) return;
            close();
            props.onPick(refOf(rows[0]));
          }}
        >
          <TextInput
            label="Function: text or /regex/"
            value={text}
            onChange={setText}
            delay={0}
            mono
          />
          <ul class="picks">
            {rows.slice(0, maxShown).map((row) => (
              <li key={refOf(row)}>
                <button
                  type="button"
                  class="quiet pick"
                  title={cleanName(row.name)}
                  onClick={() => {
                    close();
                    props.onPick(refOf(row));
                  }}
                >
                  <span class="pick-bar" style={{ width: formatShare(row.total, answer!.kept) }} />
                  <span class="pick-name">
                    <FunctionName row={row} named={refOf(row)} />
                  </span>
                  <span class="number soft">{formatValue(row.total, answer!.unit)}</span>
                </button>
              </li>
            ))}
          </ul>
          {answer && (
            <p class="soft function-count">
              {rows.length > maxShown
                ? `${(rows.length - maxShown).toLocaleString("en-US")} more: type to see them`
                : rows.length
                  ? ""
                  : "No function matches"}
            </p>
          )}
        </form>
      )}
    </Popover>
  );
}
