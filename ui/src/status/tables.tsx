// SPDX-License-Identifier: Apache-2.0
// The tables of receivers and exporters. They have few rows, so they are plain tables.
import { formatAge, formatTime } from "../base/time";
import { formatBytes } from "../base/units";
import {
  earlierText,
  Exporter,
  protocolName,
  Receiver,
  refusals,
  refusedOf,
} from "./status_numbers";

const grouped = (n: number) => n.toLocaleString("en-US");

// `earlier`: requests refused before they reached a receiver, by reason.
export function Receivers(props: { receivers: Receiver[]; earlier: Record<string, number> }) {
  const earlier = earlierText(props.earlier);
  return (
    <section class="panel sheet" aria-label="Receivers">
      <h2>Receivers</h2>
      <div class="sheet-scroll" tabIndex={0} role="group" aria-label="Receivers: table">
        <table>
          <thead>
            <tr>
              <th>Protocol</th>
              <th class="number">Requests</th>
              <th class="number">Profiles</th>
              <th class="number">Samples</th>
              <th class="number">Spans</th>
              <th class="number">Bytes</th>
              <th class="number" title="Received more than once, counted once">
                Duplicates
              </th>
              {refusals.map(([key, name, help]) => (
                <th key={key} class="number" title={help}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.receivers.map((r) => (
              <tr key={r.protocol} class={r.requests || refusedOf(r) ? "" : "soft"}>
                <td>{protocolName(r.protocol)}</td>
                <td class="number">{grouped(r.requests)}</td>
                <td class="number">{grouped(r.profiles)}</td>
                <td class="number">{grouped(r.samples)}</td>
                <td class="number">{grouped(r.spans)}</td>
                <td class="number">{formatBytes(r.bytes)}</td>
                <td class="number">{grouped(r.duplicates)}</td>
                {refusals.map(([key]) => (
                  <td key={key} class={`number ${r.refused[key] ? "lost" : ""}`}>
                    {grouped(r.refused[key])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {earlier && <p class="soft sheet-foot">Refused before reaching a receiver: {earlier}.</p>}
    </section>
  );
}

function ExporterRow(props: { exporter: Exporter; now: number }) {
  const { exporter: x, now } = props;
  return (
    <>
      <tr>
        <td>
          <bdi>{x.id}</bdi> <span class="soft mono">{x.destination}</span>
        </td>
        <td class={x.reachable ? "" : "lost"}>{x.reachable ? "reachable" : "unreachable"}</td>
        <td class="number" title={x.last_success_ms ? formatTime(x.last_success_ms) : undefined}>
          {x.last_success_ms ? formatAge(x.last_success_ms, now) : "–"}
        </td>
        <td class="number">{grouped(x.accepted)}</td>
        <td class="number">{grouped(x.sent)}</td>
        <td class="number">{grouped(x.confirmed)}</td>
        <td class="number">{grouped(x.pending)}</td>
        <td class={`number ${x.failed ? "lost" : ""}`}>{grouped(x.failed)}</td>
        <td class={`number ${x.dropped ? "lost" : ""}`}>{grouped(x.dropped)}</td>
        <td class="number">{grouped(x.duplicates)}</td>
      </tr>
      {x.last_error && (
        <tr class="refusal">
          <td colSpan={10}>
            Failed {formatAge(x.last_failure_ms, now)}: <bdi>{x.last_error}</bdi>
          </td>
        </tr>
      )}
    </>
  );
}

// What is sent to other servers, and whether it arrives.
export function Exporters(props: { exporters: Exporter[]; now: number }) {
  return (
    <section class="panel sheet" aria-label="Exporters">
      <h2>Exporters</h2>
      <div class="sheet-scroll" tabIndex={0} role="group" aria-label="Exporters: table">
        <table>
          <thead>
            <tr>
              <th>Exporter</th>
              <th>Destination</th>
              <th class="number">Last success</th>
              <th class="number" title="Items taken over into the queue">
                Accepted
              </th>
              <th class="number" title="Items in all attempts, including repeated ones">
                Sent
              </th>
              <th class="number" title="Items that the destination has acknowledged">
                Confirmed
              </th>
              <th class="number" title="Items in the queue and in flight">
                Pending
              </th>
              <th class="number" title="Items that the destination has refused">
                Failed
              </th>
              <th class="number" title="Items that were given up">
                Dropped
              </th>
              <th class="number" title="Items sent again after a restart">
                Duplicates
              </th>
            </tr>
          </thead>
          <tbody>
            {props.exporters.map((x) => (
              <ExporterRow key={x.id} exporter={x} now={props.now} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
