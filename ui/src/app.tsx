// SPDX-License-Identifier: Apache-2.0
// The frame around all views: navigation bar, theme, keyboard help, and the view of the current
// path.
import { useEffect, useState } from "preact/hooks";
import { Key, keyGroups, useKeys } from "./base/keys";
import { useTenantError } from "./api/client";
import { Empty, Link, Popover } from "./base/components";
import { navigation } from "./base/navigation";
import { TenantButton, TenantPrompt } from "./base/tenants";
import { applyTheme, Theme, useTheme } from "./base/theme";
import { Profiles } from "./explore/Profiles";
import { Services } from "./explore/Services";
import { CopyLink } from "./files/CopyLink";
import { OpenFile } from "./files/OpenFile";
import { fresh, getState, go, listenToUrl, paths, State } from "./url";
import { isBoard, isLazy, lazyBoards, lazyViews } from "./lazy_view_loader";

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

// Whether the address is that of a page; the server sends the page for other addresses, too.
const isPage = () => (paths as readonly string[]).includes(location.pathname);

function NoPage() {
  return (
    <div class="page">
      <Empty title="There is no such page">
        <p>
          <code>{location.pathname}</code> is not an address of Varve.
        </p>
        <p class="row centred empty-ways">
          {navigation.map(([path, name, , change]) => (
            <Link key={path} class="button" to={{ ...change, path }}>
              {name}
            </Link>
          ))}
        </p>
      </Empty>
    </div>
  );
}

// Ctrl-K or Cmd-K: everywhere, also in inputs.
function usePaletteKey(open: () => void) {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

function View(props: { state: State }) {
  const { state } = props;
  const lazy = lazyViews.use(isLazy(state));
  const boards = lazyBoards.use(isBoard(state));
  if (!isPage()) return <NoPage />;
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
    case "/alerts":
      return boards ? <boards.Alerts state={state} /> : null;
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
  const [palette, setPalette] = useState(false);
  const lazy = lazyViews.use(palette);
  usePaletteKey(() => setPalette(true));
  useKeys("All views", [
    { key: "?", help: "Keyboard shortcuts", run: () => setHelp(!help) },
    { key: "Ctrl-K", help: "Go to a page, service or function", run: () => setPalette(true) },
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
  const pageName = navigation.find(([path]) => path === state.path)?.[1] ?? "Views";
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
        <div class="phone-nav">
          <Popover label={<b>{pageName} ▾</b>} name={`Views: ${pageName}`} class="quiet">
            {(close) => (
              <ul class="phone-views" onClick={close}>
                {navigation.map(([path, name, , change]) => (
                  <li key={path}>
                    <Link to={{ ...change, path }} current={state.path === path}>
                      {name}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </Popover>
        </div>
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
        <button
          type="button"
          class="palette-button"
          onClick={() => setPalette(true)}
          title="Go to a page, service or function (Ctrl-K)"
        >
          <span aria-hidden="true">⌕</span> <span class="palette-word">Go to</span>{" "}
          <kbd aria-hidden="true">Ctrl-K</kbd>
        </button>
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
      {palette && lazy && (
        <lazy.Palette state={state} pages={navigation} onClose={() => setPalette(false)} />
      )}
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}
