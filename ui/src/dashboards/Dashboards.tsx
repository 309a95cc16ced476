// SPDX-License-Identifier: Apache-2.0
// Dashboards: the list of the stored and the built-in ones, and one of them.
import { useState } from "preact/hooks";
import { ApiError, apiUrl, useAnswer } from "../api/client";
import { AnswerNote, Link } from "../base/components";
import { useKeys } from "../base/keys";
import { formatAge } from "../base/time";
import { formatCount } from "../base/units";
import { go, State } from "../url";
import { builtIn, builtInNames } from "./built_in";
import { DashboardPage } from "./DashboardPage";
import "./dashboards.css";
import { ImportDialog } from "./ImportDialog";
import { ListAnswer, saveDashboard } from "./library";
import { nameOf } from "./model";

const opened = (name: string): Partial<State> => ({
  path: "/dashboards",
  dashboard: name,
  var: [],
  panel: "",
  edit: false,
  from: "",
  to: "",
  live: false,
});

function NewDashboard(props: { onError: (error: string) => void }) {
  const create = async () => {
    const title = prompt("Title of the new dashboard")?.trim();
    if (!title) return;
    const name = nameOf(title);
    try {
      await saveDashboard(name, { version: 1, title, panels: [] }, "");
      go({ ...opened(name), edit: true });
    } catch (e) {
      props.onError(e instanceof ApiError ? e.message : String(e));
    }
  };
  return (
    <button type="button" class="primary" onClick={() => void create()}>
      New
    </button>
  );
}

function List() {
  const [tick, setTick] = useState(0);
  const [error, setError] = useState("");
  const [importing, setImporting] = useState(false);
  const answer = useAnswer<ListAnswer>(apiUrl("dashboards"), tick);
  const stored = answer.data?.dashboards ?? [];
  useKeys("Dashboards", [
    { key: "g", help: "Refresh", run: () => setTick((n) => n + 1) },
    { key: "i", help: "Import", run: () => setImporting(true) },
  ]);
  return (
    <div class="page">
      <div class="row bar">
        <h1>Dashboards</h1>
        <span class="spread" />
        <button
          type="button"
          title="Import a dashboard of Varve or Grafana (i)"
          onClick={() => setImporting(true)}
        >
          Import
        </button>
        <NewDashboard onError={setError} />
      </div>
      {error && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      <AnswerNote answer={answer} what="dashboards" />
      <section class="board-section" aria-label="Stored">
        {answer.data && !stored.length && (
          <p class="soft">None are stored yet: make one, copy a built-in one, or import one.</p>
        )}
        <ul class="board-list">
          {stored.map((one) => (
            <li class="panel" key={one.name}>
              {one.error ? (
                <>
                  <strong>{one.name}</strong>
                  <span class="note bad clip" title={one.error}>
                    {one.error}
                  </span>
                </>
              ) : (
                <>
                  <Link to={opened(one.name)}>{one.title}</Link>
                  <code class="soft">{one.name}</code>
                  <span class="soft clip">{one.description}</span>
                  <span class="soft number">{formatCount(one.panels ?? 0, "panel")}</span>
                  <span class="soft number">{formatAge(one.changed)}</span>
                </>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section class="board-section" aria-label="Built in">
        <h2>Built in</h2>
        <ul class="board-list">
          {builtInNames.map((name) => {
            const own = builtIn(name)!;
            return (
              <li class="panel" key={name}>
                <Link to={opened(name)}>{own.title}</Link>
                <span class="soft clip">{own.description}</span>
              </li>
            );
          })}
        </ul>
      </section>
      {
        importing && <ImportDialog onClose={() => setImporting(false)} onDone={
          (name) => go(opened(name))
        } />
      }
    </div>
  );
}

export function Dashboards(props: { state: State }) {
  const { dashboard } = props.state;
  return dashboard ? <DashboardPage key={dashboard} state={props.state} /> : <List />;
}
