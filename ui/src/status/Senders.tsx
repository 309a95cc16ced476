// SPDX-License-Identifier: Apache-2.0
// The table of senders: sorted, filtered, and by parts if there are many.
import { useState } from "preact/hooks";
import { Ends, endsOf, Link, TextInput } from "../base/components";
import { matchesWords } from "../base/Picker";
import { formatAge, formatTime } from "../base/time";
import { formatBytes, formatCount, formatShare, formatValue } from "../base/units";
import { serviceQuery } from "../explore/Services";
import { fresh, go, State } from "../url";
import { protocolName, Sender } from "./status_numbers";

const grouped = (n: number) => n.toLocaleString("en-US");
const quietMs = 120_000; // two intervals of the slowest common sender
const part = 100; // rows shown at first

function Profiler(props: { sender: Sender }) {
  const { profiler } = props.sender;
  if (!profiler) return <span class="soft">–</span>;
  const all = profiler.samples + profiler.lost;
  return (
    <>
      <span title="CPU time used by the profiler">
        {formatValue(profiler.cpu_ns, "nanoseconds")}
      </span>
      <span
        class={profiler.lost ? "lost" : "soft"}
        title="Samples that the profiler could not record"
      >
        {" "}
        ·{" "}
        {profiler.lost
          ? `${grouped(profiler.lost)} lost (${formatShare(profiler.lost, all)})`
          : "0 lost"}
      </span>
    </>
  );
}

function SenderRow(props: { sender: Sender; now: number }) {
  const { sender, now } = props;
  return (
    <>
      <tr>
        <td>
          <Ends parts={endsOf(sender.agent || "unnamed")} title={sender.agent} />{" "}
          <span class="soft mono">{sender.peer}</span>
        </td>
        <td class="service-links">
          {sender.services.slice(0, 8).map((name) => (
            <Link
              key={name}
              class="tag"
              to={{ ...fresh, path: "/profiles", query: serviceQuery(name), type: "" }}
            >
              <Ends parts={endsOf(name)} title={name} />
            </Link>
          ))}
          {sender.services.length > 8 && (
            <span class="soft"> and {sender.services.length - 8} more</span>
          )}
        </td>
        <td>{protocolName(sender.protocol)}</td>
        <td
          class={`number ${now - sender.last > quietMs ? "soft" : ""}`}
          title={formatTime(sender.last)}
        >
          {formatAge(sender.last, now)}
        </td>
        <td class="number">{grouped(sender.profiles)}</td>
        <td class="number">{grouped(sender.samples)}</td>
        <td class="number">{grouped(sender.spans)}</td>
        <td class="number">{formatBytes(sender.bytes)}</td>
        <td class="own-cost">
          <Profiler sender={sender} />
        </td>
        <td class={`number ${sender.refused ? "lost" : ""}`}>{grouped(sender.refused)}</td>
      </tr>
      {sender.refusal && (
        <tr class="refusal">
          <td colSpan={10}>
            Refused {formatAge(sender.refusal_time, now)}: <bdi>{sender.refusal}</bdi>
          </td>
        </tr>
      )}
    </>
  );
}

interface SortColumn {
  key: string;
  title: string;
  help?: string;
  number?: boolean;
  value: (sender: Sender) => number | string;
}

const nameOf = (s: Sender) => `${s.agent || "unnamed"} ${s.peer}`;

const columns: readonly SortColumn[] = [
  { key: "sender", title: "Sender", value: nameOf },
  { key: "services", title: "Services", value: (s) => s.services[0] ?? "" },
  { key: "protocol", title: "Protocol", value: (s) => protocolName(s.protocol) },
  { key: "last", title: "Last seen", number: true, value: (s) => s.last },
  { key: "profiles", title: "Profiles", number: true, value: (s) => s.profiles },
  { key: "samples", title: "Samples", number: true, value: (s) => s.samples },
  { key: "spans", title: "Spans", number: true, value: (s) => s.spans },
  { key: "bytes", title: "Bytes", number: true, value: (s) => s.bytes },
  {
    key: "overhead",
    title: "Profiler overhead",
    help: "As reported by the profiler: its CPU time and lost samples",
    value: (s) => s.profiler?.cpu_ns ?? -1,
  },
  { key: "refused", title: "Refused", number: true, value: (s) => s.refused },
];

// Return the senders whose name, services, protocol or refusal contain the words, sorted by a column
// key; a leading "-" means descending. By default the most recently active are first.
export function chosenSenders(senders: readonly Sender[], find: string, sort: string): Sender[] {
  const text = (s: Sender) =>
    [nameOf(s), ...s.services, protocolName(s.protocol), s.refusal].join(" ");
  const found = senders.filter((s) => matchesWords(text(s), find.trim()));
  const column = columns.find((c) => c.key === sort.replace(/^-/, "")) ?? columns[3];
  const sign = sort.startsWith("-") ? -1 : 1;
  return found.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return sign * (typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y));
  });
}

function Heads(props: { sort: string }) {
  const by = props.sort.replace(/^-/, "");
  const down = props.sort.startsWith("-");
  return (
    <tr>
      {columns.map((c) => (
        <th
          key={c.key}
          class={c.number ? "number" : ""}
          title={c.help}
          aria-sort={c.key !== by ? undefined : down ? "descending" : "ascending"}
        >
          <button
            type="button"
            class="quiet head"
            onClick={() =>
              go(
                { senders: c.key === by ? (down ? c.key : `-${c.key}`) : c.number ? `-${c.key}` : c.key },
                "replace",
              )
            }
          >
            {c.title}
            {c.key === by && <span aria-hidden="true">{down ? "↓" : "↑"}</span>}
          </button>
        </th>
      ))}
    </tr>
  );
}

// `forgotten`: senders that the server has replaced by others.
export function Senders(props: {
  state: State;
  senders: Sender[];
  forgotten: number;
  now: number;
}) {
  const { state, senders, forgotten } = props;
  const [whole, setWhole] = useState(false);
  const sort = columns.some((c) => c.key === state.senders.replace(/^-/, "")) ? state.senders : "-last";
  const found = chosenSenders(senders, state.find, sort);
  const shown = whole ? found : found.slice(0, part);
  const refused = senders.filter((s) => s.refusal).length;
  return (
    <section class="panel sheet" aria-label="Senders">
      <div class="row sheet-head">
        <h2>Senders</h2>
        {senders.length > 5 && (
          <TextInput
            id="search"
            class="search"
            label="Filter senders (/)"
            placeholder="Sender, service, protocol, reason"
            value={state.find}
            onChange={(find) => go({ find }, "replace")}
          />
        )}
        <span class="soft" role="status">
          {found.length < senders.length
            ? `${grouped(found.length)} of ${formatCount(senders.length, "sender")}`
            : formatCount(senders.length, "sender")}
          {refused > 0 && `, ${grouped(refused)} with refused data`}
          {forgotten > 0 &&
            `; ${grouped(forgotten)} others were forgotten, because the list has a limit`}
        </span>
      </div>
      {!senders.length ? (
        <p class="soft">No data received since the server started.</p>
      ) : (
        <div class="sheet-scroll" tabIndex={0} role="group" aria-label="Senders: table">
          <table>
            <thead>
              <Heads sort={sort} />
            </thead>
            <tbody>
              {shown.map((s) => (
                <SenderRow
                  key={`${s.peer} ${s.agent} ${s.protocol} ${s.services.join(",")}`}
                  sender={s}
                  now={props.now}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < found.length && (
        <p class="sheet-foot">
          <button type="button" onClick={() => setWhole(true)}>
            Show {grouped(found.length - shown.length)} more
          </button>
        </p>
      )}
    </section>
  );
}
