// SPDX-License-Identifier: Apache-2.0
// The status of the server: ingest, senders, store, memory. Refreshed every five seconds.
import { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiUrl, useAnswer } from "../api/client";
import { useKeys } from "../base/keys";
import { AnswerNote } from "../base/components";
import { formatAge, formatTime } from "../base/time";
import { formatBytes, formatCount } from "../base/units";
import { FirstStart } from "../explore/FirstStart";
import { State } from "../url";
import {
  addCount,
  Budget,
  Count,
  countOf,
  DriftStatus,
  formatLength,
  rateOf,
  receivedAnything,
  StatusAnswer,
  Store,
} from "./status_numbers";
import { Senders } from "./Senders";
import { Exporters, Receivers } from "./tables";
import "./status.css";

const refreshMs = 5000;

function useClock(): [number, () => void] {
  const [tick, set] = useState(0);
  useEffect(() => {
    const timer = setInterval(
      () => document.visibilityState === "visible" && set((n) => n + 1),
      refreshMs,
    );
    return () => clearInterval(timer);
  }, []);
  return [tick, () => set((n) => n + 1)];
}

function Card(props: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel card" aria-label={props.title}>
      <h2>{props.title}</h2>
      <dl>{props.children}</dl>
    </section>
  );
}

function Fact(props: { name: string; title?: string; children: ComponentChildren }) {
  return (
    <div title={props.title}>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

// The used part of a limit, as a number and as a bar.
function Usage(props: { used: number; limit: number }) {
  const { used, limit } = props;
  return (
    <>
      {formatBytes(used)} {limit > 0 && <span class="soft">of {formatBytes(limit)}</span>}
      {limit > 0 && (
        <meter
          min={0}
          max={limit}
          high={limit * 0.8}
          low={limit * 0.8}
          optimum={0}
          value={Math.min(used, limit)}
          aria-label={`${formatBytes(used)} of ${formatBytes(limit)}`}
        />
      )}
    </>
  );
}

function StoreCard(props: { store: Store }) {
  const { store } = props;
  const limits = [
    store.retention_seconds > 0 && formatLength(store.retention_seconds),
    store.retention_bytes > 0 && formatBytes(store.retention_bytes),
  ].filter(Boolean);
  return (
    <Card title="Store">
      <Fact name="On disk">
        {formatBytes(store.disk_bytes)}{" "}
        <span class="soft">in {formatCount(store.partitions, "day")}</span>
      </Fact>
      <Fact
        name="Live data"
        title="Data that queries read; the rest is the log and free space in the files"
      >
        {formatBytes(store.live_bytes)}
      </Fact>
      <Fact name="Profiles">{store.profiles.toLocaleString("en-US")}</Fact>
      <Fact name="Samples">{store.samples.toLocaleString("en-US")}</Fact>
      {store.spans > 0 && <Fact name="Spans">{store.spans.toLocaleString("en-US")}</Fact>}
      {store.logs > 0 && <Fact name="Log records">{store.logs.toLocaleString("en-US")}</Fact>}
      {store.metric_samples > 0 && (
        <Fact
          name="Samples of metrics"
          title={`${formatCount(store.metric_series, "series", "series")} in the day with the most`}
        >
          {store.metric_samples.toLocaleString("en-US")}
        </Fact>
      )}
      <Fact name="Series">{store.series.toLocaleString("en-US")}</Fact>
      <Fact name="Oldest">
        {store.profiles ? formatTime(Math.floor(store.oldest / 1000) * 1000) : "–"}
      </Fact>
      <Fact name="Newest">{store.profiles ? formatAge(store.newest) : "–"}</Fact>
      <Fact name="Retention">{limits.length ? limits.join(", at most ") : "unlimited"}</Fact>
    </Card>
  );
}

// What the search for functions whose cost changes does.
function DriftCard(props: { drift: DriftStatus }) {
  const { drift } = props;
  return (
    <Card title="Drift">
      <Fact name="Watched" title="Services, for each profile type">
        {formatCount(drift.watching, "service")}
        {drift.learning > 0 && (
          <span class="soft"> {drift.learning} with less than a week of data</span>
        )}
      </Fact>
      {drift.refused > 0 && (
        <Fact name="Not watched" title="Give the server more memory: --memory-limit">
          {formatCount(drift.refused, "service")} <span class="soft">for lack of memory</span>
        </Fact>
      )}
      {drift.behind > 0 && (
        <Fact name="Still reading">{formatCount(drift.behind, "service")}</Fact>
      )}
      <Fact name="Functions">{drift.functions.toLocaleString("en-US")}</Fact>
      <Fact name="Memory">
        <Usage used={drift.memory} limit={drift.memory_limit} />
      </Fact>
    </Card>
  );
}

function MemoryCard(props: {
  memory: { limit: number; resident: number; receiving: Budget; asking: Budget };
  store: Store["memory"];
}) {
  const { memory, store } = props;
  return (
    <Card title="Memory">
      <Fact name="Process">
        <Usage used={memory.resident} limit={memory.limit} />
      </Fact>
      <Fact name="Ingest">
        <Usage {...memory.receiving} />
      </Fact>
      <Fact name="Queries">
        <Usage {...memory.asking} />
      </Fact>
      {store && (
        <>
          <Fact name="Store, writing">
            <Usage {...store.writing} />
          </Fact>
          <Fact name="Store, reading">
            <Usage {...store.reading} />
          </Fact>
        </>
      )}
    </Card>
  );
}

function ServerCard(props: {
  status: StatusAnswer;
  rate: { samples: number; bytes: number } | undefined;
}) {
  const { status, rate } = props;
  return (
    <Card title="Server">
      <Fact name="Version">
        {status.name} {status.version}
      </Fact>
      <Fact name="Uptime" title={`since ${formatTime(status.started)}`}>
        {formatLength((status.now - status.started) / 1000)}
      </Fact>
      {status.listen && (
        <Fact name="Listening on">
          {status.listen.map((address) => (
            <code key={address}>{address}</code>
          ))}
        </Fact>
      )}
      {status.network && (
        <Fact name="Connections">{status.network.connections.toLocaleString("en-US")}</Fact>
      )}
      <Fact name="Ingest rate" title="In the last minute">
        {rate
          ? `${rate.samples.toLocaleString("en-US", { maximumFractionDigits: 1 })} samples/s, ${formatBytes(Math.round(rate.bytes))}/s`
          : "…"}
      </Fact>
      {status.tenants && <Fact name="Tenants">separate</Fact>}
    </Card>
  );
}

function Warnings(props: { status: StatusAnswer }) {
  const { status } = props;
  const days = status.damaged ?? [];
  if (!days.length) return null;
  return (
    <p class="note warn" role="alert">
      {formatCount(days.length, "day")} could not be read and {days.length === 1 ? "was" : "were"}{" "}
      excluded from queries: {days.slice(0, 10).join(", ")}
      {days.length > 10 && ` and ${days.length - 10} more`}. Results for{" "}
      {days.length === 1 ? "it" : "them"} are incomplete; run <code>varve store check</code> for
      details.
    </p>
  );
}

export function Status(props: { state: State }) {
  const [tick, refresh] = useClock();
  const answer = useAnswer<StatusAnswer>(apiUrl("status"), tick);
  const status = answer.data;
  const kept = useAnswer<{ others: boolean }>(apiUrl("stats"), tick);
  const others = kept.data?.others ?? (kept.error && status ? receivedAnything(status) : undefined);
  const counts = useRef<Count[]>([]);
  const rate = useMemo(() => {
    if (status) counts.current = addCount(counts.current, countOf(status));
    return rateOf(counts.current);
  }, [status]);
  useKeys("Status", [{ key: "g", help: "Refresh", run: refresh }]);
  return (
    <div class="page status">
      <div class="row bar">
        <h1>Status</h1>
        {status && (
          <span class="soft">
            {answer.error
              ? `as of ${formatTime(Math.floor(status.now / 1000) * 1000)}`
              : "refreshed every 5 s"}
          </span>
        )}
      </div>
      <AnswerNote answer={answer} what="the status" />
      {status && (
        <>
          <Warnings status={status} />
          <div class="cards">
            <ServerCard status={status} rate={rate} />
            {status.store && <StoreCard store={status.store} />}
            {status.memory && <MemoryCard memory={status.memory} store={status.store?.memory} />}
            {status.drift?.enabled && <DriftCard drift={status.drift} />}
          </div>
          {!!status.exporters?.length && (
            <Exporters exporters={status.exporters} now={status.now} />
          )}
          {others === true && (
            <>
              <Senders
                state={props.state}
                senders={status.senders ?? []}
                forgotten={status.senders_forgotten ?? 0}
                now={status.now}
              />
              <Receivers
                receivers={status.receivers ?? []}
                earlier={status.network?.refused ?? {}}
              />
            </>
          )}
          {others === false && <FirstStart range={props.state} />}
        </>
      )}
    </div>
  );
}
