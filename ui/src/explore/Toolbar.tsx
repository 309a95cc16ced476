// SPDX-License-Identifier: Apache-2.0
// The toolbar of graphs and tables: filter chips, search, and a menu with filters and display
// options.
import { useAnswer } from "../api/client";
import { Popover, Select, TextInput } from "../base/components";
import { matchOf } from "../table/row_filter";
import { go, State } from "../url";
import { filters, groupings } from "./FilterChips";
import { labelsQuery } from "./queries";
import { rootLabel, serviceLabel } from "./root_label";

// Selects the label whose values are the roots of the flame graph.
function RootLabel(props: { state: State; resolved: State }) {
  const { state } = props;
  const answer = useAnswer<{ labels: string[] }>(labelsQuery(props.resolved));
  const names = (answer.data?.labels ?? []).filter((n) => !n.startsWith("__"));
  const value = rootLabel(state);
  return (
    <Select
      label="Roots"
      value={value}
      options={[
        ["", "Of the stacks"],
        [serviceLabel, "Services"],
        ...names.filter((n) => n !== serviceLabel).map((n) => [n, n] as const),
      ]}
      onChange={(root) =>
        go({ root: root || (rootLabel({ ...state, root: "" }) ? "none" : ""), zoom: [] })
      }
    />
  );
}

function Options(props: { state: State; resolved: State; tree: boolean; roots?: boolean }) {
  const { state } = props;
  return (
    <div class="options">
      {filters.map(([name, title, help]) => (
        <label key={name}>
          <span>{title}</span>
          <TextInput
            label={`${title}: ${help}`}
            placeholder={help}
            mono
            value={state[name]}
            onChange={(text) => go({ [name]: text, zoom: [] })}
            delay={400}
          />
        </label>
      ))}
      <label>
        <span>Group by</span>
        <Select
          label="Group frames by"
          value={state.group || "function"}
          options={groupings}
          onChange={(group) => go({ group: group === "function" ? "" : group, zoom: [] })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={state.invert}
          onChange={() => go({ invert: !state.invert, zoom: [] })}
        />{" "}
        Invert: leaves at the root
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={state.busy}
          onChange={() => go({ busy: !state.busy, zoom: [] })}
        />{" "}
        Hide idle threads
      </label>
      {props.roots && (
        <label>
          <span>Roots</span>
          <RootLabel state={state} resolved={props.resolved} />
        </label>
      )}
      {props.tree && (
        <>
          <label>
            <span>Colour</span>
            <Select
              label="Colour"
              value={state.colour}
              options={[
                ["package", "By package"],
                ["module", "By module"],
                ["kind", "By kind of frame"],
                ["name", "By name"],
              ]}
              onChange={(colour) => go({ colour })}
            />
          </label>
          <label>
            <span>Direction</span>
            <Select
              label="Direction"
              value={state.layout}
              options={[
                ["icicle", "Roots on top"],
                ["flame", "Roots below"],
              ]}
              onChange={(layout) => go({ layout })}
            />
          </label>
          <label>
            <span>Collapse</span>
            <Select
              label="Collapse"
              value={state.collapse}
              options={[
                ["", "None"],
                ["recursion", "Recursion"],
                ["libraries", "Library frames"],
                ["both", "Both"],
              ]}
              onChange={(collapse) => go({ collapse })}
            />
          </label>
        </>
      )}
    </div>
  );
}

export function Toolbar(props: {
  state: State;
  resolved: State;
  tree: boolean;
  roots?: boolean; // the roots of the graph can be the values of a label
}) {
  const { state } = props;
  const error = matchOf(state.search).error;
  return (
    <div class="row toolbar">
      <TextInput
        id="search"
        class={`search ${error ? "wrong" : ""}`}
        label="Search (/)"
        placeholder="Search, /regex/"
        value={state.search}
        onChange={(search) => go({ search }, "replace")}
      />
      {error && (
        <span class="hidden-text" role="alert">
          {error}
        </span>
      )}
      <Popover label="Options ▾" align="right">
        {() => (
          <Options
            state={state}
            resolved={props.resolved}
            tree={props.tree}
            roots={props.roots}
          />
        )}
      </Popover>
    </div>
  );
}
