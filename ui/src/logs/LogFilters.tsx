// SPDX-License-Identifier: Apache-2.0
// The filters of the log view: services, severity, text, conditions on attributes, trace and span.
import { useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { AnswerNote, Popover, Select, TextInput } from "../base/components";
import { formatShare, grouped } from "../base/units";
import { go, State } from "../url";
import { IdChip } from "../traces/IdChip";
import { CountsAnswer, logParams } from "./log_query";
import { levels } from "./severity";

const maxShown = 200;

function ServicePicks(props: { resolved: State; onPick: (service: string) => void }) {
  const { resolved } = props;
  const [filter, setFilter] = useState("");
  const answer = useAnswer<CountsAnswer>(
    apiUrl("logs/counts", { ...logParams({ ...resolved, service: [] }), by: "service" }),
  );
  const rows = (answer.data?.rows ?? []).filter((r) =>
    r.name.toLowerCase().includes(filter.toLowerCase()),
  );
  const total = answer.data?.total ?? 0;
  return (
    <div class="label-values">
      <TextInput label="Filter services" value={filter} onChange={setFilter} delay={0} />
      <AnswerNote answer={answer} />
      <ul class="picks">
        {rows.slice(0, maxShown).map((row) => {
          const chosen = resolved.service.includes(row.name);
          return (
            <li key={row.name}>
              <button
                type="button"
                class="quiet pick"
                aria-pressed={chosen}
                onClick={() => props.onPick(row.name)}
              >
                <span class="pick-bar" style={{ width: formatShare(row.total, total) }} />
                <bdi class="pick-name">{row.name || "(none)"}</bdi>
                <span class="number soft">{grouped(row.total)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {answer.data && !rows.length && <p class="soft">No records match the other filters.</p>}
    </div>
  );
}

function WhereForm(props: { onAdd: (condition: string) => void }) {
  const [key, setKey] = useState("");
  const [op, setOp] = useState("=");
  const [value, setValue] = useState("");
  return (
    <form
      class="where-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (key) props.onAdd(`${key}${op}${value}`);
      }}
    >
      <input
        type="text"
        class="mono"
        aria-label="Attribute"
        placeholder="attribute"
        value={key}
        onInput={(event) => setKey(event.currentTarget.value.trim())}
      />
      <Select
        label="Comparison"
        value={op}
        options={["=", "!=", "=~", "!~"].map((o) => [o, o] as const)}
        onChange={setOp}
      />
      <input
        type="text"
        class="mono"
        aria-label="Value"
        placeholder={op.includes("~") ? "regular expression" : "value"}
        value={value}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={!key}>
        Add
      </button>
    </form>
  );
}

export const withWhere = (state: State, condition: string) =>
  go({ where: [...state.where.filter((w) => w !== condition), condition], open: [] });

// `error`: of the last query.
export function LogFilters(props: { state: State; resolved: State; error: string }) {
  const { state, resolved } = props;
  const toggle = (name: string) =>
    go({
      service: state.service.includes(name)
        ? state.service.filter((s) => s !== name)
        : [...state.service, name],
      open: [],
    });
  return (
    <>
      <div class="row">
        <TextInput
          id="search"
          class={`log-search ${props.error ? "wrong" : ""}`}
          mono={state.as === "regex"}
          label="Text (/)"
          placeholder={
            state.as === "regex"
              ? "Regular expression"
              : state.as === "part"
                ? "Part of the text"
                : "Words"
          }
          value={state.text}
          onChange={(text) => go({ text, open: [] }, "replace")}
          delay={350}
        />
        <Select
          label="Compare the text"
          value={state.as}
          options={[
            ["words", "Words"],
            ["part", "Part, exact case"],
            ["regex", "Regex"],
          ]}
          onChange={(as) => go({ as, open: [] }, "replace")}
        />
        <Popover
          label={
            <span class="slot-text">
              <span class="soft">Service</span>{" "}
              <bdi class="clip">
                {state.service.length > 1
                  ? `${state.service.length} services`
                  : state.service[0] || "any"}
              </bdi>{" "}
              ▾
            </span>
          }
          title="Filter by service"
        >
          {() => <ServicePicks resolved={resolved} onPick={toggle} />}
        </Popover>
        <Select
          label="Least severity"
          value={state.severity}
          options={[
            ["", "Severity: all"],
            ...levels
              .slice(1)
              .map(
                (level) =>
                  [level, `Severity: ${level}${level === "fatal" ? "" : " and worse"}`] as const,
              ),
          ]}
          onChange={(severity) => go({ severity, open: [] })}
        />
        <Popover label="+ Attribute" title="Filter by an attribute">
          {(close) => (
            <WhereForm
              onAdd={(condition) => {
                withWhere(state, condition);
                close();
              }}
            />
          )}
        </Popover>
      </div>
      {(state.service.length > 0 || state.where.length > 0 || state.trace || state.span) && (
        <div class="row">
          {state.service.map((name) => (
            <span class="chip" key={name} title={`Service ${name}`}>
              Service <bdi>{name}</bdi>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove the service ${name}`}
                onClick={() => toggle(name)}
              >
                ×
              </button>
            </span>
          ))}
          {state.where.map((condition) => (
            <span class="chip" key={condition} title={condition}>
              <bdi>{condition}</bdi>
              <button
                type="button"
                class="quiet"
                aria-label={`Remove ${condition}`}
                onClick={() => go({ where: state.where.filter((w) => w !== condition), open: [] })}
              >
                ×
              </button>
            </span>
          ))}
          {state.trace && (
            <IdChip title="Trace" id={state.trace} onRemove={() => go({ trace: "", span: "" })} />
          )}
          {state.span && <IdChip title="Span" id={state.span} onRemove={() => go({ span: "" })} />}
        </div>
      )}
      {props.error && (
        <p class="note bad" role="alert">
          {props.error}
        </p>
      )}
    </>
  );
}
