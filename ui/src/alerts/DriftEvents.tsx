// SPDX-License-Identifier: Apache-2.0
// The events of drift that were found in the range.
import { Answer } from "../api/client";
import { AnswerNote, Link, Select } from "../base/components";
import { typeName } from "../base/profile_types";
import { formatTime } from "../base/time";
import { formatCount, formatShare } from "../base/units";
import { cleanName } from "../flame/text/names";
import { go, parseUrl, State } from "../url";
import { DriftAnswer, DriftEvent, factorText } from "./alert_lists";

const maxShown = 200;

const kinds: Record<DriftEvent["kind"], string> = {
  regression: "Regression",
  improvement: "Improvement",
  new: "New function",
  ended: "Change over",
};

function versionsText(event: DriftEvent): string {
  const { versions_before: before, versions_after: after } = event;
  if (!before && !after) return "";
  return before === after ? `version ${after}` : `version ${after || "?"} after ${before || "?"}`;
}

function EventItem(props: { event: DriftEvent }) {
  const { event } = props;
  return (
    <li class="panel alert drift-event">
      <div class="row">
        <span class={`drift-kind ${event.kind}`}>{kinds[event.kind]}</span>
        <h3>{event.service}</h3>
        <span class="soft">{typeName(event.type)}</span>
        <span class="soft" title={`Found: ${formatTime(Math.floor(event.found / 1000) * 1000)}`}>
          since {formatTime(Math.floor(event.since / 1000) * 1000).slice(0, 16)}
        </span>
        {event.ended > 0 && (
          <span class="soft">until {formatTime(Math.floor(event.ended / 1000) * 1000).slice(0, 16)}</span>
        )}
        <span class="soft">{versionsText(event)}</span>
        <span class="spread" />
        {event.page && (
          <Link
            class="button"
            to={parseUrl(new URL(event.page, "http://localhost/"))}
            title="Compare before and after"
          >
            Compare
          </Link>
        )}
      </div>
      <table class="drift-functions">
        <thead class="hidden-text">
          <tr>
            <th>Function</th>
            <th>Factor</th>
            <th>Share before and after</th>
          </tr>
        </thead>
        <tbody>
          {event.functions.map((f) => (
            <tr key={`${f.name}\t${f.file}`}>
              <td class="drift-name" title={`${cleanName(f.name)}  ${f.file}`}>
                <bdi>{cleanName(f.name)}</bdi>
              </td>
              <td class="number" title="Cost divided by the cost before, and the 95 % interval">
                {factorText(f)}
              </td>
              <td class="number" title="Share of the cost of the service, before and after">
                <span class="soft">{formatShare(f.before, 1)} →</span> {formatShare(f.after, 1)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {event.more > 0 && <p class="soft">and {formatCount(event.more, "function")} more</p>}
    </li>
  );
}

export function DriftEvents(props: { state: State; answer: Answer<DriftAnswer> }) {
  const { state, answer } = props;
  const events = [...(answer.data?.events ?? [])].reverse();
  const service = state.service[0] ?? "";
  const services = [...new Set(events.map((e) => e.service))].sort();
  const shown = service ? events.filter((e) => e.service === service) : events;
  if (service && !services.includes(service)) services.push(service);
  return (
    <section aria-label="Drift" class="alert-section">
      <div class="row">
        <h2>Drift</h2>
        <span class="soft">
          functions whose cost changed: {formatCount(shown.length, "event")}
        </span>
        {services.length > 0 && (
          <Select
            label="Service"
            shown
            value={service}
            options={[["", "all"], ...services.map((s) => [s, s] as const)]}
            onChange={(s) => go({ service: s ? [s] : [] }, "replace")}
          />
        )}
      </div>
      <AnswerNote answer={answer} what="events" />
      {answer.data && !shown.length && (
        <p class="note">
          {answer.data.enabled
            ? "Nothing was found in this range."
            : "The search for functions whose cost changes is turned off (service.drift.enabled)."}
          {answer.data.enabled && state.from !== "now-7d" && (
            <Link class="button" to={{ from: "now-7d", to: "now" }}>
              Last 7 days
            </Link>
          )}
        </p>
      )}
      <ul class="alert-list">
        {shown.slice(0, maxShown).map((event) => (
          <EventItem key={event.id} event={event} />
        ))}
      </ul>
      {shown.length > maxShown && (
        <p class="note">
          The newest {maxShown} of {formatCount(shown.length, "event")}. Choose a service or a
          shorter range to see the others.
        </p>
      )}
    </section>
  );
}
