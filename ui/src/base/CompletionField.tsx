// SPDX-License-Identifier: Apache-2.0
// A text field for a query language, with a list of completions, and the note of an error with its
// place in the text.
import { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./completion.css";

export interface Completion {
  text: string; // inserted
  shown: string;
  note: string; // scope or meaning
  after?: string; // inserted after the text, unless there is white space
}

export interface ErrorPlace {
  line: number;
  column: number;
  reason: string;
}

export function QueryError(props: {
  query: string;
  message: string;
  place: ErrorPlace | undefined;
}) {
  const { place } = props;
  const line = place && props.query.split("\n")[place.line - 1];
  return (
    <div class="note bad query-error" role="alert">
      {place && line !== undefined ? (
        <>
          <span>
            Line {place.line}, column {place.column}: {place.reason}
          </span>
          <pre aria-hidden="true">
            {line.slice(0, place.column - 1)}
            <mark>{line.slice(place.column - 1) || " "}</mark>
          </pre>
        </>
      ) : (
        props.message
      )}
    </div>
  );
}

// Return the left edge of the list: the column of the text that a completion replaces.
function leftOf(field: HTMLTextAreaElement, from: number): number {
  const style = getComputedStyle(field);
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = style.font;
  const line = field.value.slice(0, from).split("\n").pop()!;
  const left = parseFloat(style.paddingLeft) + context.measureText(line).width - field.scrollLeft;
  return Math.max(0, Math.min(left, field.clientWidth - 260));
}

function Completions(props: {
  id: string;
  rows: readonly Completion[];
  chosen: number;
  left: number;
  onPick: (row: Completion) => void;
}) {
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => {
    box.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [props.chosen]);
  return (
    <ul
      class="completion panel"
      id={props.id}
      role="listbox"
      aria-label="Completions"
      ref={box}
      style={{ left: props.left }}
    >
      {props.rows.map((row, i) => (
        <li
          key={row.text}
          id={`${props.id}-${i}`}
          role="option"
          aria-selected={i === props.chosen}
          onPointerDown={(event) => {
            event.preventDefault(); // the field keeps the focus
            props.onPick(row);
          }}
        >
          <code>{row.shown}</code> <span class="soft">{row.note}</span>
        </li>
      ))}
    </ul>
  );
}

// The state of the list: the place that it completes, and the selected row.
interface Open<P> {
  place: P;
  chosen: number; // -1: none, Enter runs the query
}

// `P`: a place in the text; `from` is the begin of the text that a completion replaces, which ends
// at the cursor. `placeOf` returns undefined where nothing can be completed. `useRows`: a hook.
export function CompletionField<P extends { from: number }>(props: {
  id?: string;
  label: string;
  placeholder: string;
  text: string;
  wrong: boolean;
  placeOf: (text: string, cursor: number) => P | undefined;
  useRows: (place: P | undefined) => Completion[];
  onText: (text: string) => void;
  onRun: () => void;
  onPaste?: (event: ClipboardEvent) => void;
}) {
  const { text } = props;
  const [open, setOpen] = useState<Open<P>>();
  const field = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef(-1); // where the cursor goes after a completion
  const id = useId();
  const rows = props.useRows(open?.place);
  const shown = open && rows.length > 0;
  useLayoutEffect(() => {
    const element = field.current!;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
    if (cursor.current < 0) return;
    element.setSelectionRange(cursor.current, cursor.current);
    cursor.current = -1;
    complete();
  }, [text]);

  const complete = () => {
    const element = field.current!;
    const at = element.selectionStart;
    const place = element.selectionEnd === at ? props.placeOf(element.value, at) : undefined;
    setOpen(place && { place, chosen: -1 });
  };
  const close = () => setOpen(undefined);
  const pick = (row: Completion) => {
    const { from } = open!.place;
    const end = field.current!.selectionStart;
    const inserted = row.text + (/^\s/.test(text.slice(end)) ? "" : (row.after ?? ""));
    cursor.current = from + inserted.length;
    props.onText(text.slice(0, from) + inserted + text.slice(end));
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = open?.chosen ?? -1;
    if (shown && step && !event.shiftKey)
      setOpen({ ...open, chosen: Math.max(-1, Math.min(rows.length - 1, chosen + step)) });
    else if (shown && event.key === "Tab" && !event.shiftKey) pick(rows[Math.max(0, chosen)]);
    else if (shown && event.key === "Enter" && chosen >= 0) pick(rows[chosen]);
    else if (event.key === "Enter" && !event.shiftKey) {
      close();
      props.onRun();
    } else if (event.key === "Escape" && open) close();
    else if (event.key === " " && event.ctrlKey) complete();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="query-field">
      <textarea
        id={props.id}
        ref={field}
        class={`mono ${props.wrong ? "wrong" : ""}`}
        rows={1}
        role="combobox"
        aria-label={props.label}
        aria-autocomplete="list"
        aria-expanded={!!shown}
        aria-controls={shown ? id : undefined}
        aria-activedescendant={shown && open.chosen >= 0 ? `${id}-${open.chosen}` : undefined}
        aria-invalid={props.wrong}
        placeholder={props.placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          props.onText(event.currentTarget.value);
          complete();
        }}
        onClick={() => text && complete()}
        onKeyDown={onKeyDown}
        onBlur={close}
        onPaste={props.onPaste}
      />
      {shown && (
        <Completions
          id={id}
          rows={rows}
          chosen={open.chosen}
          left={leftOf(field.current!, open.place.from)}
          onPick={pick}
        />
      )}
    </div>
  );
}
