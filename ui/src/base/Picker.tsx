// SPDX-License-Identifier: Apache-2.0
// A choice from a long list: a button that opens a list with a search by any part. What was chosen
// last is listed first.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Ends, endsOf, Popover } from "./components";

export interface PickOption {
  value: string;
  text: string;
  note?: string; // shown beside the text
}

const maxShown = 100;
const maxRecent = 5;

const storeKey = (name: string) => `varve-recent-${name}`;

function recentOf(name: string | undefined): string[] {
  if (!name) return [];
  try {
    const list: unknown = JSON.parse(localStorage.getItem(storeKey(name)) ?? "[]");
    return Array.isArray(list) ? list.filter((v) => typeof v === "string") : [];
  } catch {
    return []; // no storage, or not our data
  }
}

function remember(name: string, value: string) {
  const list = [value, ...recentOf(name).filter((v) => v !== value)].slice(0, maxRecent);
  try {
    localStorage.setItem(storeKey(name), JSON.stringify(list));
  } catch {
    // no storage: the list keeps its order
  }
}

// Return whether each word of the search occurs in the text, whatever the case.
export function matchesWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

// Return the options that match the search, the recently chosen ones first.
export function listed(
  options: readonly PickOption[],
  search: string,
  recent: readonly string[],
): PickOption[] {
  const found = options.filter((o) => matchesWords(o.text, search));
  const rank = (o: PickOption) => {
    const at = recent.indexOf(o.value);
    return at < 0 ? recent.length : at;
  };
  return recent.length ? found.sort((a, b) => rank(a) - rank(b)) : found;
}

// The search box and the list. The arrow keys move in the list, Enter chooses.
export function PickList(props: {
  label: string;
  options: readonly PickOption[];
  value?: string;
  recent?: readonly string[];
  search?: string;
  onSearch?: (text: string) => void;
  onPick: (option: PickOption) => void;
}) {
  const [own, setOwn] = useState("");
  const search = props.search ?? own;
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const found = useMemo(
    () => listed(props.options, search, props.recent ?? []),
    [props.options, search, props.recent],
  );
  const shown = found.slice(0, maxShown);
  const chosen = Math.min(at, shown.length - 1);
  useEffect(() => {
    list.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" });
  }, [chosen, shown]);
  return (
    <div class="label-values">
      <input
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls="pick-list"
        aria-activedescendant={chosen >= 0 ? `pick-${chosen}` : undefined}
        aria-label={props.label}
        placeholder={props.label}
        autocomplete="off"
        spellcheck={false}
        value={search}
        onInput={(event) => {
          setAt(0);
          (props.onSearch ?? setOwn)(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
          if (event.key in moves)
            setAt(Math.max(0, Math.min(shown.length - 1, chosen + moves[event.key])));
          else if (event.key === "Enter") {
            if (shown[chosen]) props.onPick(shown[chosen]);
          } else return;
          event.preventDefault();
        }}
      />
      <ul class="picks" role="listbox" id="pick-list" aria-label={props.label} ref={list}>
        {shown.map((option, i) => (
          <li
            key={option.value}
            id={`pick-${i}`}
            role="option"
            aria-label={option.text}
            aria-selected={option.value === props.value}
            data-at={i === chosen ? "" : undefined}
            class={`pick ${i === chosen ? "at" : ""}`}
            title={option.text}
            onClick={() => props.onPick(option)}
          >
            <Ends class="pick-name" parts={endsOf(option.text)} />
            {option.note && <span class="soft">{option.note}</span>}
          </li>
        ))}
      </ul>
      {!found.length && <p class="soft">Nothing matches.</p>}
      {found.length > shown.length && (
        <p class="soft">{found.length - shown.length} more: type a part of the name.</p>
      )}
    </div>
  );
}

export function Picker(props: {
  label: string;
  value: string;
  options: readonly PickOption[];
  onChange: (value: string) => void;
  recent?: string; // name under which the recent choices are stored
  prefix?: string; // shown before the chosen text
  wide?: boolean; // as wide as the text
}) {
  const text = props.options.find((o) => o.value === props.value)?.text ?? props.value;
  const recent = useMemo(() => recentOf(props.recent), [props.recent, props.value]);
  return (
    <Popover
      class={`picker ${props.wide ? "wide" : ""} ${props.prefix ?? ""}`}
      name={`${props.label}: ${text}`}
      title={text}
      label={
        <>
          {props.prefix && <span class="soft">{props.prefix}</span>}
          <Ends parts={endsOf(text)} /> <span aria-hidden="true">▾</span>
        </>
      }
    >
      {(close) => (
        <PickList
          label={`Search: ${props.label.toLowerCase()}`}
          options={props.options}
          value={props.value}
          recent={recent}
          onPick={({ value }) => {
            if (props.recent) remember(props.recent, value);
            props.onChange(value);
            close();
          }}
        />
      )}
    </Popover>
  );
}
