// SPDX-License-Identifier: Apache-2.0
// The command palette (Ctrl-K): goes to a page, a service, or a function of the selection by a part
// of its name.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAnswer } from "../api/client";
import { isChosen } from "../api/selection";
import { ServicesAnswer, TopAnswer } from "../api/types";
import { PickList, PickOption } from "../base/Picker";
import { Navigation } from "../base/navigation";
import { servicesQuery, topQuery } from "../explore/queries";
import { nextSecond, resolveTimes } from "../explore/resolve_times";
import { refsBy } from "../flame/model/refs";
import { serviceQuery } from "../explore/Services";
import { fresh, go, State } from "../url";

const views: readonly (readonly [State["view"], string])[] = [
  ["both", "Functions and flame graph"],
  ["flame", "Flame graph"],
  ["table", "Functions"],
  ["tree", "Call tree"],
  ["sandwich", "Callers and callees"],
  ["heat", "Heat map"],
  ["spans", "Spans"],
];

interface Command extends PickOption {
  change: Partial<State>;
}

const named = (kind: string, text: string, change: Partial<State>): Command => ({
  value: `${kind} ${text}`,
  text,
  note: kind,
  change,
});

// Return all commands: pages, views of the selection, services, functions of the selection.
function commandsOf(
  state: State,
  pages: Navigation,
  services: ServicesAnswer | undefined,
  top: TopAnswer | undefined,
): Command[] {
  const refOf = refsBy(top?.rows ?? []);
  return [
    ...pages.map(([path, name, , change]) => named("page", name, { ...change, path })),
    ...(isChosen(state)
      ? views.map(([view, name]) => named("view", name, { path: "/profiles", view }))
      : []),
    ...(services?.services ?? []).map(({ name, types }) =>
      named("service", name, {
        ...fresh,
        path: "/profiles",
        query: serviceQuery(name),
        type: types.includes(state.type) ? state.type : "",
      }),
    ),
    ...(top?.rows ?? []).map((row) => ({
      ...named("function", row.name, {
        path: "/profiles",
        view: "sandwich" as const,
        function: refOf(row),
        zoom: [],
      }),
      value: `function ${refOf(row)}`,
    })),
  ];
}

export function Palette(props: { state: State; pages: Navigation; onClose: () => void }) {
  const { state } = props;
  const box = useRef<HTMLDivElement>(null);
  const [search, setSearch] = useState("");
  const resolved = useMemo(() => resolveTimes(state, nextSecond()), []);
  const services = useAnswer<ServicesAnswer>(servicesQuery({ ...resolved, file: "" }));
  const withFunctions = isChosen(state) && ["/profiles", "/compare"].includes(state.path);
  const top = useAnswer<TopAnswer>(withFunctions ? topQuery({ ...resolved, zoom: [] }) : undefined);
  const commands = useMemo(
    () => commandsOf(state, props.pages, services.data, top.data),
    [state, services.data, top.data],
  );
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    box.current?.querySelector("input")?.focus();
    return () => before?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="veil" onClick={props.onClose}>
      <div
        class="palette panel"
        role="dialog"
        aria-modal="true"
        aria-label="Go to a page, service or function"
        ref={box}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key === "Tab") event.preventDefault(); // the dialog has one control
          if (event.key !== "Escape") return;
          event.preventDefault();
          event.stopPropagation();
          props.onClose();
        }}
      >
        <PickList
          label="Go to a page, service or function"
          options={commands}
          search={search}
          onSearch={setSearch}
          onPick={(option) => {
            props.onClose();
            go((option as Command).change);
          }}
        />
      </div>
    </div>
  );
}
