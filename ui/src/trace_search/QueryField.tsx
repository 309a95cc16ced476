// SPDX-License-Identifier: Apache-2.0
// The field of a TraceQL query, with completion and the place of an error. A pasted trace ID, span
// ID or traceparent header opens the trace.
import { useEffect, useState } from "preact/hooks";
import { CompletionField, ErrorPlace, QueryError } from "../base/CompletionField";
import { State } from "../url";
import { Ids, parseIds } from "../traces/parse_ids";
import { isInside, Place, placeOf, suggestionsAt } from "./completion";
import { useTagNames, useTagValues } from "./tags";

// Return the line, column and reason of an error of the server's parser.
export function errorPlace(message: string): ErrorPlace | undefined {
  const found = /line (\d+), col(?:umn)? (\d+):\s*(.*)$/s.exec(message);
  return found
    ? { line: Number(found[1]), column: Number(found[2]), reason: found[3] || message }
    : undefined;
}

interface FieldPlace extends Place {
  inside: boolean; // a spanset
}

function placeAt(text: string, cursor: number): FieldPlace | undefined {
  const place = placeOf(text, cursor);
  return place.kind === "none" || parseIds(text)
    ? undefined
    : { ...place, inside: isInside(text, cursor) };
}

function useSuggestions(resolved: State, place: FieldPlace | undefined) {
  const names = useTagNames(resolved, place?.kind === "name");
  const values = useTagValues(resolved, place?.kind === "value" ? place.name : "");
  const after = place?.kind === "name" || place?.kind === "value" ? " " : "";
  return place
    ? suggestionsAt(place, { names, values }, place.inside).map((row) => ({ ...row, after }))
    : [];
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
  const ids = parseIds(text);
  useEffect(() => setText(props.query), [props.query]);
  const run = () => {
    if (ids) props.onIds(ids);
    else props.onRun(text.trim());
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
        <CompletionField
          id="search"
          label="TraceQL, trace ID or span ID"
          placeholder='TraceQL: { resource.service.name = "shop" && duration > 500ms }, or an ID'
          text={text}
          wrong={props.error !== ""}
          placeOf={placeAt}
          useRows={(place) => useSuggestions(props.resolved, place)}
          onText={setText}
          onRun={run}
          onPaste={(event) => {
            const pasted = parseIds(event.clipboardData?.getData("text") ?? "");
            if (text || !pasted) return;
            event.preventDefault();
            props.onIds(pasted);
          }}
        />
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
              document.getElementById("search")!.focus();
            }}
          >
            Clear
          </button>
        )}
      </form>
      {props.error && (
        <QueryError query={props.query} message={props.error} place={errorPlace(props.error)} />
      )}
    </div>
  );
}
