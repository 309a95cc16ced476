// SPDX-License-Identifier: Apache-2.0
// The alerts that are firing or pending.
import { Choice, Link } from "../base/components";
import { formatAge, formatTime } from "../base/time";
import { formatCount } from "../base/units";
import { formatMetric } from "../promql/metric_units";
import { Labels } from "../promql/prom_answer";
import { fresh, go, State } from "../url";
import { listAlerts, ListedAlert, RuleGroup } from "./alert_lists";

const maxShown = 300;

export const metricsOf = (expr: string): Partial<State> => ({
  ...fresh,
  path: "/promql",
  expr: [expr],
  only: [],
});

export function LabelChips(props: { labels: Labels; skip?: string }) {
  const entries = Object.entries(props.labels).filter(([name]) => name !== props.skip);
  if (!entries.length) return null;
  return (
    <ul class="alert-labels" aria-label="Labels">
      {entries.map(([name, value]) => (
        <li class="tag" key={name} title={`${name}="${value}"`}>
          <bdi>
            {name}=<b>{value}</b>
          </bdi>
        </li>
      ))}
    </ul>
  );
}

// The texts of an alert; one that is an address is a link.
export function Annotations(props: { annotations: Labels }) {
  const { summary, description, ...others } = props.annotations;
  return (
    <>
      {summary && <p class="alert-summary">{summary}</p>}
      {description && <p class="alert-text">{description}</p>}
      {Object.entries(others).map(([name, value]) => (
        <p class="alert-text" key={name}>
          <span class="soft">{name}:</span>{" "}
          {/^https?:\/\//.test(value) ? (
            <a href={value} target="_blank" rel="noreferrer noopener">
              {value}
            </a>
          ) : (
            value
          )}
        </p>
      ))}
    </>
  );
}

export function StateTag(props: { state: string }) {
  return <span class={`alert-state ${props.state}`}>{props.state}</span>;
}

function AlertItem(props: ListedAlert) {
  const { alert, rule } = props;
  const since = Date.parse(alert.activeAt);
  return (
    <li class={`alert panel ${alert.state}`}>
      <div class="row">
        <StateTag state={alert.state} />
        <h3>{rule.name}</h3>
        <span class="soft" title={formatTime(Math.floor(since / 1000) * 1000)}>
          since {formatAge(since)}
        </span>
        <span class="soft" title={`Value: ${alert.value}`}>
          value <b>{formatMetric(Number(alert.value.replace("Inf", "Infinity")), "")}</b>
        </span>
        {alert.keepFiringSince && (
          <span
            class="tag"
            title={`The expression has had no result since ${formatTime(Date.parse(alert.keepFiringSince))}`}
          >
            kept firing
          </span>
        )}
        <span class="spread" />
        <Link
          class="button"
          to={metricsOf(rule.query)}
          title={`Show the expression in Metrics\n${rule.query}`}
        >
          Expression
        </Link>
      </div>
      <Annotations annotations={alert.annotations} />
      <LabelChips labels={alert.labels} skip="alertname" />
    </li>
  );
}

export function ActiveAlerts(props: { state: State; groups: readonly RuleGroup[] }) {
  const { state, groups } = props;
  const all = listAlerts(groups, "", "");
  const shown = listAlerts(groups, state.find, state.alerts);
  const count = (wanted: string) => all.filter(({ alert }) => alert.state === wanted).length;
  return (
    <section aria-label="Active alerts" class="alert-section">
      <div class="row">
        <h2>Active alerts</h2>
        <Choice
          label="State"
          value={state.alerts}
          options={[
            ["", `All ${all.length}`],
            ["firing", `Firing ${count("firing")}`],
            ["pending", `Pending ${count("pending")}`],
          ]}
          onChange={(alerts) => go({ alerts }, "replace")}
        />
      </div>
      {!shown.length && (
        <p class="note">
          {all.length ? "No alert matches the filters." : "No alert is firing or pending."}
        </p>
      )}
      <ul class="alert-list">
        {shown.slice(0, maxShown).map(({ alert, rule }) => (
          <AlertItem
            key={`${rule.query} ${JSON.stringify(alert.labels)}`}
            alert={alert}
            rule={rule}
          />
        ))}
      </ul>
      {shown.length > maxShown && (
        <p class="note">
          The first {maxShown} of {formatCount(shown.length, "alert")}. Filter to see the others.
        </p>
      )}
    </section>
  );
}
