// SPDX-License-Identifier: Apache-2.0
// The frame around all views: navigation bar, theme, keyboard help, and the view of the current
// path.
import { useEffect, useState } from "preact/hooks";
import { Key, keyGroups, useKeys } from "./base/keys";
import { useTenantError } from "./api/client";
import { Link } from "./base/components";
import { TenantButton, TenantPrompt } from "./base/tenants";
import { applyTheme, Theme, useTheme } from "./base/theme";
import { Profiles } from "./explore/Profiles";
import { Services } from "./explore/Services";
import { CopyLink } from "./files/CopyLink";
import { OpenFile } from "./files/OpenFile";
import { fresh, getState, go, listenToUrl, Path, State } from "./url";
import { isBoard, isLazy, lazyBoards, lazyViews } from "./lazy_view_loader";

const navigation: readonly (readonly [Path, string, string, Partial<State>])[] = [
  ["/", "Services", "1", { ...fresh, by: "" }],
  ["/profiles", "Profiles", "2", {}],
  ["/compare", "Compare", "3", { zoom: [] }],
  ["/traces", "Traces", "4", { ...fresh, type: "" }], // most types have no spans
  ["/logs", "Logs", "5", fresh],
  ["/promql", "Metrics", "6", fresh],
  ["/dashboards", "Dashboards", "7", { ...fresh, dashboard: "", var: [], panel: "", edit: false }],
  ["/status", "Status", "8", {}],
];

const lazyLoadDelayMs = 500;

const themes: readonly (readonly [Theme, string])[] = [
  ["system", "System theme"],
  ["light", "Light theme"],
  ["dark", "Dark theme"],
];

function ThemeButton() {
  const theme = useTheme();
  const next = themes[(themes.findIndex(([name]) => name === theme) + 1) % themes.length][0];
  const change = () => applyTheme(next);
  useKeys("All views", [{ key: "T", help: "Change the theme", run: change }]);
  const name = themes.find(([t]) => t === theme)![1];
  return (
    <button
      type="button"
      class="quiet icon"
      onClick={change}
      title={`${name} (T)`}
      aria-label={name}
    >
      {theme === "light" ? "☀" : theme === "dark" ? "☾" : "◐"}
    </button>
  );
}

function Help(props: { onClose: () => void }) {
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    document.getElementById("help")?.focus();
    return () => before?.focus();
  }, []);
  return (
    <div class="veil" onClick={props.onClose}>
      <div
        id="help"
        class="help panel"
        role="dialog"
        aria-modal="true"
        aria-label="Keyboard shortcuts"
        tabIndex={-1}
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => {
          if (event.key !== "Escape" && event.key !== "?") return;
          event.preventDefault();
          event.stopPropagation();
          props.onClose();
        }}
      >
        <div class="row">
          <h2>Keyboard shortcuts</h2>
          <span class="spread" />
          <button type="button" class="quiet" onClick={props.onClose}>
            Close
          </button>
        </div>
        <div class="key-groups">
          {mergeGroups().map(([title, keys]) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {keys.map((k) => (
                  <div key={k.key}>
                    <dt>
                      <kbd>{keyName(k.key)}</kbd>
                    </dt>
                    <dd>{k.help}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}

const keyNames: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  " ": "Space",
};
const keyName = (key: string) => keyNames[key] ?? key;

function mergeGroups(): [string, Key[]][] {
  const merged = new Map<string, Key[]>();
  for (const group of keyGroups())
    merged.set(group.title, [...(merged.get(group.title) ?? []), ...group.keys]);
  return [...merged];
}

function View(props: { state: State }) {
  const { state } = props;
  const lazy = lazyViews.use(isLazy(state));
  const boards = lazyBoards.use(isBoard(state));
  switch (state.path) {
    case "/":
      return <Services state={state} />;
    case "/traces":
      return lazy ? <lazy.Traces state={state} /> : null;
    case "/logs":
      return lazy ? <lazy.Logs state={state} /> : null;
    case "/status":
      return lazy ? <lazy.Status state={state} /> : null;
    case "/promql":
      return boards ? <boards.Metrics state={state} /> : null;
    case "/dashboards":
      return boards ? <boards.Dashboards state={state} /> : null;
    case "/compare":
      return lazy ? <lazy.Compare state={state} /> : null;
    default:
      return <Profiles state={state} />;
  }
}

function useUrl(): State {
  const [state, set] = useState(getState);
  useEffect(() => {
    set(getState());
    return listenToUrl(set);
  }, []);
  return state;
}

export function App() {
  const state = useUrl();
  const tenantError = useTenantError();
  const [help, setHelp] = useState(false);
  const [openings, setOpenings] = useState(0);
  useKeys("All views", [
    { key: "?", help: "Keyboard shortcuts", run: () => setHelp(!help) },
    { key: "/", help: "Search", run: () => document.getElementById("search")?.focus() },
    ...navigation.map(([path, name, key, change]) => ({
      key,
      help: name,
      run: () => go({ ...change, path }),
    })),
  ]);
  useEffect(() => {
    document.title = [state.query || navigation.find(([path]) => path === state.path)?.[1], "Varve"]
      .filter(Boolean)
      .join(" – ");
    // If the bar is wider than the window, scroll the current view's link into it.
    document
      .querySelector(".top-bar nav a[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [state.query, state.path]);
  // Load the other views in advance, so that they work even if the server stops or is replaced by
  // another version.
  useEffect(() => {
    const timer = setTimeout(() => void lazyViews.load().then(lazyBoards.load), lazyLoadDelayMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <>
      <header class="top-bar">
        <Link to={{ ...getState(), ...fresh, path: "/" }} class="brand" title="Varve">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <g fill="none" stroke-linecap="round" stroke-width="4">
              <path stroke="#f2b134" d="M5 9h22" />
              <path stroke="#e8743b" d="M5 16h15" />
              <path stroke="#d6503c" d="M5 23h9" />
            </g>
          </svg>
          Varve
        </Link>
        <nav aria-label="Views">
          {navigation.map(([path, name, key, change]) => (
            <Link
              key={path}
              to={{ ...change, path }}
              current={state.path === path}
              title={`${name} (${key})`}
            >
              {name}
            </Link>
          ))}
        </nav>
        <span class="spread" />
        <CopyLink />
        <OpenFile onOpened={() => setOpenings((n) => n + 1)} />
        <TenantButton />
        <ThemeButton />
        <button
          type="button"
          class="quiet icon"
          onClick={() => setHelp(true)}
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
        >
          ?
        </button>
      </header>
      <main>
        {tenantError ? <TenantPrompt why={tenantError} /> : <View key={openings} state={state} />}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}
