// SPDX-License-Identifier: Apache-2.0
// The single page of `varve flame`: flame graph, table and search over embedded data, without a
// network.
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { keyGroups, listenForKeys, useKeys } from "../base/keys";
import { applyTheme, followSystemTheme, shownTheme, useShownTheme } from "../base/theme";
import { formatValue } from "../base/units";
import { FlameGraph, toPng, toSvg } from "../flame/FlameGraph";
import { treeOf } from "../flame/model/tree";
import { cleanName } from "../flame/text/names";
import "../style.css";
import { PageData, readData } from "./data";
import "./page.css";
import { choices, formatState, PageState, parseState } from "./state";
import { PageTable } from "./PageTable";

function download(name: string, content: Blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// The state is in the fragment of the address, so that links and the back button work for a file,
// too.
function usePageState(): [
  PageState,
  (change: Partial<PageState>, how?: "push" | "replace") => void,
] {
  const [state, set] = useState(() => parseState(location.hash));
  useEffect(() => {
    const back = () => set(parseState(location.hash));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  const go = (change: Partial<PageState>, how: "push" | "replace" = "replace") =>
    set((old) => {
      const next = { ...old, ...change };
      history[how === "push" ? "pushState" : "replaceState"](null, "", formatState(next) || "#");
      return next;
    });
  return [state, go];
}

function Choice<K extends keyof typeof choices>({
  name,
  title,
  state,
  go,
}: {
  name: K;
  title: string;
  state: PageState;
  go: (change: Partial<PageState>) => void;
}) {
  return (
    <label class="single-choice">
      <span>{title}</span>
      <select
        value={state[name]}
        onChange={(event) => go({ [name]: event.currentTarget.value } as Partial<PageState>)}
      >
        {choices[name].map(([value, label]) => (
          <option value={value} key={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  return (
    <div
      class="single-help"
      role="dialog"
      aria-modal="true"
      aria-label="Keyboard shortcuts"
      onClick={onClose}
    >
      <div class="panel">
        {keyGroups().map((group) => (
          <section key={group.title}>
            <h2>{group.title}</h2>
            <dl>
              {group.keys.map((key) => (
                <>
                  <dt>
                    <kbd>{key.key.trim()}</kbd>
                  </dt>
                  <dd>{key.help}</dd>
                </>
              ))}
            </dl>
          </section>
        ))}
        <button type="button" autofocus onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}

function Page({ data }: { data: PageData }) {
  const [state, go] = usePageState();
  const [selected, setSelected] = useState("");
  const [help, setHelp] = useState(false);
  const theme = useShownTheme();
  const index = data.profiles[state.type] ? state.type : data.initial;
  const profile = data.profiles[index] ?? data.profiles[0];
  const tree = useMemo(() => treeOf(profile.nodes, profile.unit, profile.total), [profile]);
  const shortTitle = data.title.replace(/^.*\//, "");
  const pick = {
    layout: state.layout,
    colour: state.colour,
    palette: "redgreen",
    collapse: state.collapse,
  } as const;

  useEffect(() => void (document.title = `${cleanName(data.title, 100)} – Varve`), []);
  const focusSearch = () => document.querySelector<HTMLInputElement>("#search")?.focus();
  useKeys("Page", [
    { key: "/", help: "Search", run: focusSearch },
    { key: "?", help: "Keyboard shortcuts", run: () => setHelp(!help) },
    { key: "Escape", help: "", hidden: true, run: () => setHelp(false) },
  ]);

  const options = { ...pick, theme, zoom: state.zoom, title: `${shortTitle}: ${profile.type}` };
  const name = shortTitle.replace(/[^\w.-]/g, "_") || "profile";
  const saveSvg = () =>
    download(`${name}.svg`, new Blob([toSvg(tree, options)], { type: "image/svg+xml" }));
  const savePng = () => void toPng(tree, options).then((blob) => download(`${name}.png`, blob));
  return (
    <>
      <header class="single-head">
        <h1 title={cleanName(data.title, 300)}>{cleanName(shortTitle, 100)}</h1>
        {data.profiles.length > 1 ? (
          <select
            aria-label="Profile type"
            value={String(index)}
            onChange={(event) => go({ type: Number(event.currentTarget.value), zoom: [] }, "push")}
          >
            {data.profiles.map((p, i) => (
              <option value={String(i)} key={i}>
                {cleanName(p.type, 60)}
              </option>
            ))}
          </select>
        ) : (
          <span>{cleanName(profile.type, 60)}</span>
        )}
        <span class="soft single-sum">
          {formatValue(profile.kept, profile.unit)}
          {profile.kept !== profile.total && ` of ${formatValue(profile.total, profile.unit)}`}
          {profile.duration_nano > 0 && ` in ${formatValue(profile.duration_nano, "ns")}`},{" "}
          {profile.samples.toLocaleString("en-US")} samples
          {profile.inverted && ", inverted"}
        </span>
        <span class="spread" />
        <button
          type="button"
          class="quiet"
          onClick={() => setHelp(true)}
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
        >
          ?
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => applyTheme(shownTheme() === "dark" ? "light" : "dark")}
          aria-label={theme === "dark" ? "Light theme" : "Dark theme"}
          title="Change the theme"
        >
          {theme === "dark" ? "☀" : "☾"}
        </button>
      </header>
      <div class="single-tools">
        <input
          id="search"
          type="search"
          placeholder="Search: text or /regex/"
          aria-label="Search functions: text, or a regular expression between slashes"
          value={state.search}
          onInput={(event) => go({ search: event.currentTarget.value })}
        />
        <Choice name="view" title="Show" state={state} go={go} />
        <Choice name="layout" title="Root" state={state} go={go} />
        <Choice name="colour" title="Colour" state={state} go={go} />
        <Choice name="collapse" title="Collapse" state={state} go={go} />
        <span class="spread" />
        <button type="button" onClick={saveSvg}>
          SVG
        </button>
        <button type="button" onClick={savePng}>
          PNG
        </button>
      </div>
      <main class={`single-main single-${state.view}`}>
        {state.view !== "flame" && (
          <div class="panel single-top">
            <PageTable
              rows={profile.rows}
              rowCount={profile.row_count}
              total={profile.total}
              unit={profile.unit}
              search={state.search}
              selected={selected}
              onSelect={setSelected}
            />
          </div>
        )}
        {state.view !== "table" && (
          <div class="panel single-flame">
            <FlameGraph
              {...pick}
              tree={tree}
              search={state.search}
              selected={selected}
              zoom={state.zoom}
              onZoom={(zoom) => go({ zoom }, "push")}
              onSelect={setSelected}
            />
          </div>
        )}
      </main>
      {help && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function Failure({ text }: { text: string }) {
  return (
    <main class="single-main">
      <p class="panel single-none">{text}</p>
    </main>
  );
}

followSystemTheme();
listenForKeys();
const data = readData(document.getElementById("data")?.textContent ?? "");
render(
  typeof data === "string" ? <Failure text={data} /> : <Page data={data} />,
  document.getElementById("app")!,
);
