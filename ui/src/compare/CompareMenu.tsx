// SPDX-License-Identifier: Apache-2.0
// Comparisons that take one click: with an earlier time, another version, or a file.
import { useState } from "preact/hooks";
import { Popover, Select } from "../base/components";
import { formatAge } from "../base/time";
import { go, State } from "../url";
import { OpenSideFile } from "./SideFile";
import { Preset, timePresets } from "./sides";
import { compareVersions, findVersions, pickPair, Versions } from "./versions";

// `resolved`: the state with resolved times, for queries; the address gets the times of `state`.
function useVersions(state: State, resolved: State) {
  const [found, setFound] = useState<Versions>();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const find = async (label = ""): Promise<Versions | undefined> => {
    setBusy(true);
    setProblem("");
    try {
      const versions = await findVersions(resolved, label);
      setFound(versions);
      setProblem(versions.problem);
      return versions;
    } catch (e) {
      setProblem((e as Error).message);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const compareLast = async () => {
    const versions = await find();
    const pair = versions && pickPair(versions.list, state.query, versions.label);
    if (pair) go(compareVersions(state, versions.label, pair.before, pair.after));
    return Boolean(pair);
  };
  return { found, busy, problem, find, compareLast };
}

function VersionPicker(props: {
  state: State;
  versions: Versions;
  onLabel: (label: string) => void;
  onDone: () => void;
}) {
  const { versions, state } = props;
  const pair = pickPair(versions.list, state.query, versions.label);
  const [before, setBefore] = useState(pair?.before.value ?? "");
  const [after, setAfter] = useState(pair?.after.value ?? "");
  const byValue = (value: string) => versions.list.find((v) => v.value === value);
  const options = versions.list.map(
    (v) => [v.value, `${v.value} – first seen ${formatAge(v.first)}`] as const,
  );
  const [a, b] = [byValue(before), byValue(after)];
  return (
    <div class="version-picker">
      {versions.labels.length > 1 && (
        <Select
          shown
          label="Label"
          value={versions.label}
          options={versions.labels.map((l) => [l, l] as const)}
          onChange={props.onLabel}
        />
      )}
      {versions.list.length > 1 && (
        <>
          <Select shown label="Before" value={before} options={options} onChange={setBefore} />
          <Select shown label="After" value={after} options={options} onChange={setAfter} />
          <button
            type="button"
            class="primary"
            disabled={!a || !b || a === b}
            onClick={() => {
              go(compareVersions(state, versions.label, a!, b!));
              props.onDone();
            }}
          >
            Compare
          </button>
        </>
      )}
    </div>
  );
}

function VersionChoice(props: { state: State; resolved: State }) {
  const versions = useVersions(props.state, props.resolved);
  return (
    <Popover
      label="▾"
      class="icon"
      align="right"
      title="Choose versions"
      onOpen={(open) => open && void versions.find()}
    >
      {(close) => (
        <>
          {versions.busy && <p class="note">Loading versions…</p>}
          {versions.problem && <p class="note">{versions.problem}</p>}
          {versions.found && (
            <VersionPicker
              key={versions.found.label}
              state={props.state}
              versions={versions.found}
              onLabel={(label) => void versions.find(label)}
              onDone={close}
            />
          )}
        </>
      )}
    </Popover>
  );
}

// A row of buttons in the comparison view.
export function CompareButtons(props: { state: State; resolved: State }) {
  const { state, resolved } = props;
  const versions = useVersions(state, resolved);
  if (state.file || state.before_file) return null;
  return (
    <>
      <span class="soft">Compare with</span>
      {timePresets(state).map((p) => (
        <button
          type="button"
          key={p.key}
          title={p.label}
          aria-label={p.label}
          onClick={() => go(p.change)}
        >
          {p.short}
        </button>
      ))}
      <div class="version-group">
        <button
          type="button"
          title="Latest version vs. previous"
          aria-label="Latest version vs. previous"
          disabled={versions.busy}
          onClick={() => void versions.compareLast()}
        >
          Previous version
        </button>
        <VersionChoice state={state} resolved={resolved} />
      </div>
      {versions.problem && (
        <span class="soft" role="alert">
          {versions.problem}
        </span>
      )}
    </>
  );
}

function Entry(props: { preset: Preset; onDone: () => void }) {
  return (
    <button
      type="button"
      class="quiet"
      onClick={() => {
        props.onDone();
        go(props.preset.change);
      }}
    >
      {props.preset.label}
    </button>
  );
}

// The same comparisons as a menu in the profiles view.
export function CompareMenu(props: { state: State; resolved: State }) {
  const { state } = props;
  const versions = useVersions(state, props.resolved);
  return (
    <Popover label="Compare ▾" title="Compare with another selection" align="right">
      {(close) => (
        <div class="compare-menu">
          {timePresets(state).map((p) => (
            <Entry key={p.key} preset={p} onDone={close} />
          ))}
          {!state.file && (
            <button
              type="button"
              class="quiet"
              disabled={versions.busy}
              onClick={() => void versions.compareLast().then((done) => done && close())}
            >
              Latest version vs. previous
            </button>
          )}
          {versions.problem && <p class="note">{versions.problem}</p>}
          <OpenSideFile
            class="quiet"
            text={state.file ? "Another file…" : "A file…"}
            label="Use a file as the After side"
            onOpen={(file) => {
              close();
              go({
                path: "/compare",
                file,
                before: state.file ? "" : state.query || "{}",
                before_from: state.file ? "" : state.from,
                before_to: state.file ? "" : state.to,
                before_file: state.file,
                zoom: [],
              });
            }}
          />
          <button
            type="button"
            class="quiet"
            onClick={() => {
              close();
              go({ path: "/compare", before_file: state.file, zoom: [] });
            }}
          >
            Custom…
          </button>
        </div>
      )}
    </Popover>
  );
}
