// SPDX-License-Identifier: Apache-2.0
// One dashboard: shown, or edited as a draft that is saved under the version it began with.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client";
import { Empty, Link, Popover } from "../base/components";
import { useKeys } from "../base/keys";
import { RangePicker } from "../explore/RangePicker";
import { useResolvedState, useTick } from "../explore/refresh";
import { go, State } from "../url";
import { builtIn, isBuiltIn } from "./built_in";
import { DashboardView } from "./DashboardView";
import { setDraft, useDraft } from "./drafts";
import { JsonEditor } from "./JsonEditor";
import { deleteDashboard, loadDashboard, saveDashboard, Stored } from "./library";
import { Dashboard, nameOf, newPanel, Panel, panelTypes, withPanel } from "./model";
import { PanelEditor } from "./PanelEditor";
import { SettingsEditor } from "./SettingsEditor";

interface Loaded extends Partial<Stored> {
  error?: ApiError;
}

// Load a dashboard; a change of `attempt` loads it again.
function useDashboard(name: string, attempt: number): Loaded {
  const [loaded, set] = useState<Loaded>(() => {
    const own = builtIn(name);
    return own ? { dashboard: own, etag: "" } : {};
  });
  useEffect(() => {
    if (isBuiltIn(name)) {
      const dashboard = builtIn(name);
      set(
        dashboard ? { dashboard, etag: "" } : { error: new ApiError(404, `there is no ${name}`) },
      );
      return;
    }
    const abort = new AbortController();
    loadDashboard(name, abort.signal).then(set, (e: unknown) => {
      if (!abort.signal.aborted)
        set({ error: e instanceof ApiError ? e : new ApiError(0, String(e)) });
    });
    return () => abort.abort();
  }, [name, attempt]);
  return loaded;
}

type Dialog = { kind: "panel"; panel: number } | { kind: "json" } | { kind: "settings" };

function AddPanel(props: { onAdd: (panel: Panel) => void }) {
  return (
    <Popover label="+ Panel" title="Add a panel">
      {(close) => (
        <div class="presets">
          {panelTypes.map(([type, name]) => (
            <button
              type="button"
              class="quiet"
              key={type}
              onClick={() => {
                close();
                props.onAdd(newPanel(type));
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </Popover>
  );
}

const closed: Partial<State> = { dashboard: "", var: [], panel: "", edit: false };

// Return the state with the range of the address, else that of the dashboard.
const rangeOf = (state: State, dashboard: Dashboard | undefined): State => ({
  ...state,
  from: state.from || dashboard?.from || "now-1h",
  to: state.to || dashboard?.to || "now",
});

export function DashboardPage(props: { state: State }) {
  const name = props.state.dashboard;
  const [attempt, setAttempt] = useState(0);
  const loaded = useDashboard(name, attempt);
  const draft = useDraft(name);
  const base = useRef<string>(); // the version that the draft began with
  const [dialog, setDialog] = useState<Dialog>();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<ApiError>();
  const dashboard = draft ?? loaded.dashboard;
  const state = rangeOf(props.state, dashboard);
  const [tick, refresh] = useTick(state.live);
  const [rangeOpen, setRangeOpen] = useState(false);
  useEffect(() => {
    if (loaded.dashboard?.refresh && !new URL(location.href).searchParams.has("live"))
      go({ live: true }, "replace");
  }, [loaded.dashboard]);
  const resolved = useResolvedState(state, tick);
  const editing = state.edit && !isBuiltIn(name);
  const change = (next: Dashboard) => {
    if (!draft) base.current = loaded.etag;
    setDraft(name, next);
  };
  const discard = () => {
    setDraft(name, undefined);
    setError(undefined);
    setAttempt((n) => n + 1);
  };
  const save = async () => {
    if (!draft) return go({ edit: false });
    setSaving(true);
    try {
      await saveDashboard(name, draft, base.current ?? loaded.etag ?? "");
      setDraft(name, undefined);
      setError(undefined);
      setAttempt((n) => n + 1);
      go({ edit: false }, "replace");
    } catch (e) {
      setError(e instanceof ApiError ? e : new ApiError(0, String(e)));
    } finally {
      setSaving(false);
    }
  };
  const copy = async () => {
    if (!dashboard) return;
    const wanted = isBuiltIn(name) ? nameOf(dashboard.title) : `${name}-copy`.slice(0, 64);
    for (let i = 1; ; i++) {
      const to = i === 1 ? wanted : `${wanted.slice(0, 60)}-${i}`;
      try {
        await saveDashboard(
          to,
          { ...dashboard, title: isBuiltIn(name) ? dashboard.title : `${dashboard.title} (copy)` },
          "",
        );
        go({ dashboard: to, edit: true, panel: "" });
        return;
      } catch (e) {
        if (e instanceof ApiError && e.status === 412 && i < 50) continue;
        setError(e instanceof ApiError ? e : new ApiError(0, String(e)));
        return;
      }
    }
  };
  const remove = async () => {
    if (!confirm(`Delete the dashboard "${dashboard?.title ?? name}"?`)) return;
    try {
      await deleteDashboard(name, loaded.etag ?? "");
      setDraft(name, undefined);
      go(closed);
    } catch (e) {
      setError(e instanceof ApiError ? e : new ApiError(0, String(e)));
    }
  };
  useKeys("Dashboard", [
    { key: "r", help: "Time range", run: () => setRangeOpen(true) },
    { key: "g", help: "Refresh", run: refresh },
    { key: "l", help: "Live", run: () => go({ live: !state.live }) },
    {
      key: "e",
      help: "Edit; with the focus on a panel: arrows move, Shift and arrows resize, Enter edits",
      run: () => (isBuiltIn(name) ? void copy() : go({ edit: !editing, panel: "" })),
    },
    { key: "s", help: "Save", run: () => editing && void save() },
    { key: "Escape", help: "Show all panels", run: () => state.panel && go({ panel: "" }) },
  ]);
  useEffect(() => {
    if (dashboard) document.title = `${dashboard.title} – Varve`;
  }, [dashboard?.title]);
  if (!dashboard)
    return loaded.error ? (
      <div class="page">
        <Empty title={`The dashboard "${name}" cannot be shown`}>
          <p class="soft">{loaded.error.message}</p>
          <p>
            <Link class="button" to={closed}>
              All dashboards
            </Link>
          </p>
        </Empty>
      </div>
    ) : (
      <div class="page" aria-busy="true" />
    );
  return (
    <div class="page board-page">
      <div class="row bar">
        <Link to={closed} class="button small" title="All dashboards">
          ‹ All
        </Link>
        <h1 class="clip" title={dashboard.description}>
          {dashboard.title}
        </h1>
        {isBuiltIn(name) ? (
          <>
            <span class="tag">built in</span>
            <button type="button" class="small" onClick={() => void copy()}>
              Copy to edit
            </button>
          </>
        ) : editing ? (
          <>
            <AddPanel
              onAdd={(panel) => {
                const panels = withPanel(dashboard.panels, panel);
                change({ ...dashboard, panels });
                setDialog({ kind: "panel", panel: panels.length - 1 });
              }}
            />
            <button type="button" onClick={() => setDialog({ kind: "settings" })}>
              Settings
            </button>
            <button type="button" onClick={() => setDialog({ kind: "json" })}>
              JSON
            </button>
            <button type="button" class="primary" disabled={saving} onClick={() => void save()}>
              {draft ? "Save" : "Done"}
            </button>
            {draft && (
              <button
                type="button"
                onClick={discard}
                title="Remove all changes since the last save"
              >
                Discard
              </button>
            )}
          </>
        ) : (
          <>
            <button
              type="button"
              class="small"
              title="Edit (e)"
              onClick={() => go({ edit: true, panel: "" })}
            >
              Edit
            </button>
            <button type="button" class="small" onClick={() => void copy()}>
              Copy
            </button>
            <button type="button" class="small quiet" onClick={() => void remove()}>
              Delete
            </button>
            {draft && <span class="tag">not saved</span>}
          </>
        )}
        <span class="spread" />
        <RangePicker
          range={state}
          onChange={(r) => go({ ...r, live: state.live && r.to === "now" })}
          live={state.live}
          onLive={(live) => go({ live })}
          onRefresh={refresh}
          open={rangeOpen}
          onOpen={setRangeOpen}
        />
      </div>
      {error && (
        <p class="note bad" role="alert">
          {error.message}
          {error.status === 412 && (
            <>
              <button
                type="button"
                class="small"
                title="Show the other version; your changes are lost"
                onClick={discard}
              >
                Load the other version
              </button>
              <button type="button" class="small" onClick={() => void copy()}>
                Save mine as a copy
              </button>
            </>
          )}
        </p>
      )}
      {!dashboard.panels.length && (
        <Empty title="No panels yet">
          <p class="soft">
            {editing ? "Add the first one with + Panel." : "Edit the dashboard to add panels."}
          </p>
        </Empty>
      )}
      <DashboardView
        dashboard={dashboard}
        state={state}
        resolved={resolved}
        tick={tick}
        onPanels={editing ? (panels) => change({ ...dashboard, panels }) : undefined}
        onEdit={(panel) => setDialog({ kind: "panel", panel })}
      />
      {dialog?.kind === "panel" && dashboard.panels[dialog.panel] && (
        <PanelEditor
          panel={dashboard.panels[dialog.panel]}
          range={{ from: Number(resolved.from), to: Number(resolved.to) }}
          onApply={(panel) =>
            change({
              ...dashboard,
              panels: dashboard.panels.map((p, i) => (i === dialog.panel ? panel : p)),
            })
          }
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === "json" && (
        <JsonEditor dashboard={dashboard} onApply={change} onClose={() => setDialog(undefined)} />
      )}
      {dialog?.kind === "settings" && (
        <SettingsEditor
          dashboard={dashboard}
          onApply={change}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  );
}
