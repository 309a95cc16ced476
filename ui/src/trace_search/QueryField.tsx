// SPDX-License-Identifier: Apache-2.0
// The field of a TraceQL query, with completion and the place of an error. A pasted trace ID, span
// ID or traceparent header opens the trace.
import { JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { State } from "../url";
import { Ids, parseIds } from "../traces/parse_ids";
import { isInside, Place, placeOf, Suggestion, suggestionsAt } from "./completion";
import { useTagNames, useTagValues } from "./tags";

// Return the line, column and reason of an error of the server's parser.
export function errorPlace(message: string) {
  const found = /line (\d+), col(?:umn)? (\d+):\s*(.*)$/s.exec(message);
  return found
    ? { line: Number(found[1]), column: Number(found[2]), reason: found[3] || message }
    : undefined;
}

function QueryError(props: { query: string; message: string }) {
  const place = errorPlace(props.message);
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

// The state of the completion list: where it is, and the selected row.
interface Completion {
  place: Place;
  inside: boolean;
  chosen: number; // -1: none, Enter runs the query
}

function useSuggestions(resolved: State, completion: Completion | undefined): Suggestion[] {
  const names = useTagNames(resolved, completion?.place.kind === "name");
  const values = useTagValues(
    resolved,
    completion?.place.kind === "value" ? completion.place.name : "",
  );
  return completion ? suggestionsAt(completion.place, { names, values }, completion.inside) : [];
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

function Suggestions(props: {
  id: string;
  rows: readonly Suggestion[];
  chosen: number;
  left: number;
  onPick: (row: Suggestion) => void;
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

// `error`: of the last query. `onRun` gets the query, `onIds` pasted or typed IDs.
export function QueryField(props: {
  resolved: State;
  query: string;
  error: string;
  onRun: (query: string) => void;
  onIds: (ids: Ids) => void;
}) {
  const [text, setText] = useState(props.query);
  const [completion, setCompletion] = useState<Completion>();
  const field = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef(-1); // where the cursor goes after a completion
  const id = useId();
  const rows = useSuggestions(props.resolved, completion);
  const shown = completion && rows.length > 0;
  const ids = parseIds(text);
  useEffect(() => setText(props.query), [props.query]);
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
    const place = placeOf(element.value, at);
    setCompletion(
      place.kind === "none" || element.selectionEnd !== at || parseIds(element.value)
        ? undefined
        : { place, inside: isInside(element.value, at), chosen: -1 },
    );
  };
  const close = () => setCompletion(undefined);
  const run = () => {
    close();
    if (ids) props.onIds(ids);
    else props.onRun(text.trim());
  };
  const pick = (row: Suggestion) => {
    const { from, kind } = completion!.place;
    const end = field.current!.selectionStart;
    const space = kind === "name" || kind === "value" ? " " : "";
    const inserted = row.text + (/^\s/.test(text.slice(end)) ? "" : space);
    cursor.current = from + inserted.length;
    setText(text.slice(0, from) + inserted + text.slice(end));
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const chosen = completion?.chosen ?? -1;
    if (shown && step && !event.shiftKey)
      setCompletion({
        ...completion,
        chosen: Math.max(-1, Math.min(rows.length - 1, chosen + step)),
      });
    else if (shown && event.key === "Tab" && !event.shiftKey) pick(rows[Math.max(0, chosen)]);
    else if (shown && event.key === "Enter" && chosen >= 0) pick(rows[chosen]);
    else if (event.key === "Enter" && !event.shiftKey) run();
    else if (event.key === "Escape" && completion) close();
    else if (event.key === " " && event.ctrlKey) complete();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="query-box">
      <form
        class="row"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <div class="query-field">
          <textarea
            id="search"
            ref={field}
            class={`mono ${props.error ? "wrong" : ""}`}
            rows={1}
            role="combobox"
            aria-label="TraceQL, trace ID or span ID"
            aria-autocomplete="list"
            aria-expanded={!!shown}
            aria-controls={shown ? id : undefined}
            aria-activedescendant={
              shown && completion.chosen >= 0 ? `${id}-${completion.chosen}` : undefined
            }
            aria-invalid={props.error !== ""}
            placeholder='TraceQL: { resource.service.name = "shop" && duration > 500ms }, or an ID'
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              complete();
            }}
            onClick={() => text && complete()}
            onKeyDown={onKeyDown}
            onBlur={close}
            onPaste={(event) => {
              const pasted = parseIds(event.clipboardData?.getData("text") ?? "");
              if (text || !pasted) return;
              event.preventDefault();
              props.onIds(pasted);
            }}
          />
          {shown && (
            <Suggestions
              id={id}
              rows={rows}
              chosen={completion.chosen}
              left={leftOf(field.current!, completion.place.from)}
              onPick={pick}
            />
          )}
        </div>
        <button type="submit" class="primary" title="Run the query (Enter)">
          {ids ? "Show" : "Run"}
        </button>
        {(text || props.query) && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              setText("");
              props.onRun("");
              field.current!.focus();
            }}
          >
            Clear
          </button>
        )}
      </form>
      {props.error && <QueryError query={props.query} message={props.error} />}
    </div>
  );
}
