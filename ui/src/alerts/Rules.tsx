// SPDX-License-Identifier: Apache-2.0
// The rules by group, with the result of their last evaluation.
import { Link } from "../base/components";
import { formatAge, formatTime } from "../base/time";
import { formatCount, formatValue } from "../base/units";
import { durationText } from "../promql/prom_answer";
import { go, State } from "../url";
import { Annotations, LabelChips, metricsOf, StateTag } from "./ActiveAlerts";
import { evaluatedAt, listRules, Rule, RuleGroup } from "./alert_lists";

const maxShown = 500;

// Time and duration of the last evaluation.
function Evaluated(props: { at: string; seconds: number }) {
  const ms = evaluatedAt(props.at);
  if (Number.isNaN(ms)) return <span class="soft">not evaluated yet</span>;
  return (
    <span class="soft rule-when" title={formatTime(ms)}>
      {formatAge(ms)}, {formatValue(Math.round(props.seconds * 1e9), "nanoseconds")}
    </span>
  );
}

function Fact(props: { name: string; value: string }) {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function RuleDetails(props: { rule: Rule }) {
  const { rule } = props;
  return (
    <div class="rule-details">
      <pre class="rule-query">{rule.query}</pre>
      <div class="row">
        <Link class="button" to={metricsOf(rule.query)} title="Show the expression in Metrics">
          Show in Metrics
        </Link>
        {rule.type === "recording" && (
          <Link class="button" to={metricsOf(rule.name)} title="Show the series that it records">
            Recorded series
          </Link>
        )}
      </div>
      <dl class="rule-facts">
        {rule.type === "alerting" && (
          <>
            <Fact name="for" value={rule.duration ? durationText(rule.duration) : "0s"} />
            {!!rule.keepFiringFor && (
              <Fact name="keep firing for" value={durationText(rule.keepFiringFor)} />
            )}
          </>
        )}
      </dl>
      <LabelChips labels={rule.labels ?? {}} />
      <Annotations annotations={rule.annotations ?? {}} />
    </div>
  );
}

function RuleItem(props: { rule: Rule; id: string; open: readonly string[] }) {
  const { rule, id, open } = props;
  const isOpen = open.includes(id);
  const toggle = () =>
    go({ open: isOpen ? open.filter((o) => o !== id) : [...open, id] }, "replace");
  return (
    <li class="rule">
      <div class="row">
        <button
          type="button"
          class="quiet rule-toggle"
          aria-expanded={isOpen}
          onClick={toggle}
          title={rule.query}
        >
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
          <bdi class="clip">{rule.name}</bdi>
        </button>
        <span class="tag">{rule.type}</span>
        {rule.state && rule.state !== "inactive" && <StateTag state={rule.state} />}
        {!!rule.alerts?.length && (
          <span class="soft">{formatCount(rule.alerts.length, "alert")}</span>
        )}
        <span class="spread" />
        {rule.health !== "unknown" && (
          <span class={`rule-health ${rule.health}`}>{rule.health === "ok" ? "ok" : "error"}</span>
        )}
        <Evaluated at={rule.lastEvaluation} seconds={rule.evaluationTime} />
      </div>
      {rule.lastError && <p class="note bad rule-error">{rule.lastError}</p>}
      {isOpen && <RuleDetails rule={rule} />}
    </li>
  );
}

function Group(props: { group: RuleGroup; all: RuleGroup; open: readonly string[] }) {
  const { group, all, open } = props;
  return (
    <div class="panel rule-group">
      <div class="row rule-group-head">
        <h3>{group.name}</h3>
        <span class="soft rule-file" title={group.file}>
          {group.file}
        </span>
        <span class="spread" />
        <span class="soft">
          every {durationText(group.interval)}
          {group.limit > 0 && `, at most ${group.limit} results`}
        </span>
        <Evaluated at={group.lastEvaluation} seconds={group.evaluationTime} />
      </div>
      <ul>
        {group.rules.map((rule) => {
          const id = `${group.file};${group.name};${all.rules.indexOf(rule)}`;
          return <RuleItem key={id} id={id} rule={rule} open={open} />;
        })}
      </ul>
    </div>
  );
}

// Return the groups up to a number of rules.
function cut(groups: readonly RuleGroup[]): RuleGroup[] {
  let room = maxShown;
  return groups.flatMap((group) => {
    const rules = group.rules.slice(0, Math.max(0, room));
    room -= rules.length;
    return rules.length ? [{ ...group, rules }] : [];
  });
}

export function Rules(props: { state: State; groups: readonly RuleGroup[]; sentTo: string[] }) {
  const { state, groups, sentTo } = props;
  const found = listRules(groups, state.find);
  const count = (list: readonly RuleGroup[]) => list.reduce((n, g) => n + g.rules.length, 0);
  const failing = groups.flatMap((g) => g.rules).filter((r) => r.health === "err").length;
  const same = (g: RuleGroup) => groups.find((o) => o.name === g.name && o.file === g.file)!;
  return (
    <section aria-label="Rules" class="alert-section">
      <div class="row">
        <h2>Rules</h2>
        <span class="soft">
          {formatCount(count(groups), "rule")} in {formatCount(groups.length, "group")}
        </span>
        {failing > 0 && <span class="rule-health err">{failing} with errors</span>}
        <span class="spread" />
        <span class="soft rule-file">
          {sentTo.length ? `Alerts are sent to ${sentTo.join(", ")}` : "No Alertmanager"}
        </span>
      </div>
      {!found.length && <p class="note">No rule matches the filter.</p>}
      {cut(found).map((group) => (
        <Group
          key={`${group.file};${group.name}`}
          group={group}
          all={same(group)}
          open={state.open}
        />
      ))}
      {count(found) > maxShown && (
        <p class="note">
          The first {maxShown} of {formatCount(count(found), "rule")}. Filter to see the others.
        </p>
      )}
    </section>
  );
}
