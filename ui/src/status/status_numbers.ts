// SPDX-License-Identifier: Apache-2.0
// The answer of /api/v1/status, and values derived from it.
import { formatCount } from "../base/units";

export interface Refused {
  bad: number; // could not be decoded
  rejected: number; // single profiles of an accepted request
  failed: number; // could not be stored; the sender may retry
  overload: number; // refused because of overload; the sender may retry
}

export interface Receiver {
  protocol: string;
  requests: number;
  profiles: number;
  samples: number;
  spans: number;
  bytes: number;
  duplicates: number;
  refused: Refused;
}

export interface Sender {
  peer: string;
  agent: string;
  protocol: string;
  services: string[];
  requests: number;
  profiles: number;
  samples: number;
  spans: number;
  bytes: number;
  last: number; // ms
  refused: number;
  refusal: string; // text of the last refusal
  refusal_time: number;
  profiler?: { samples: number; lost: number; cpu_ns: number }; // as reported by the sender
}

// An exporter that sends data to another server; numbers are items since the start.
export interface Exporter {
  id: string;
  destination: string;
  reachable: boolean;
  accepted: number;
  sent: number; // in all attempts
  confirmed: number;
  failed: number; // refused by the destination
  dropped: number;
  pending: number;
  duplicates: number; // sent again after a restart
  last_success_ms: number; // 0: never
  last_failure_ms: number;
  last_error: string;
}

export interface Store {
  profiles: number;
  samples: number;
  spans: number; // from traces sent to this server
  logs: number; // records
  metric_series: number; // of the day with the most
  metric_samples: number;
  series: number;
  oldest: number;
  newest: number;
  live_bytes: number;
  disk_bytes: number;
  ingested_bytes: number;
  partitions: number;
  partitions_damaged: number;
  retention_seconds: number; // 0: no limit
  retention_bytes: number;
  memory?: { writing: Budget; reading: Budget; merging: Budget };
}

export interface Budget {
  used: number;
  limit: number;
}

export interface StatusAnswer {
  name: string;
  version: string;
  now: number;
  started: number;
  tenants: boolean;
  listen?: string[];
  memory?: { limit: number; resident: number; receiving: Budget; asking: Budget };
  store?: Store;
  damaged?: string[]; // days that cannot be read and are excluded from queries
  receivers?: Receiver[];
  senders?: Sender[];
  senders_forgotten?: number; // replaced by others
  exporters?: Exporter[];
  network?: { connections: number; refused: Record<string, number> };
  drift?: DriftStatus;
}

// Services are counted once for each profile type that is watched.
export interface DriftStatus {
  enabled: boolean;
  watching: number;
  learning: number; // of these, with less than a week of data
  behind: number; // of these, with data that is still to be read
  refused: number; // not watched for lack of memory
  functions: number;
  memory: number;
  memory_limit: number;
}

export const protocolNames: Record<string, string> = {
  otlp_http: "OTLP/HTTP",
  otlp_grpc: "OTLP/gRPC",
  ingest: "Pyroscope ingest",
  push: "Pyroscope push",
  upload: "Upload (varve push)",
};

export const protocolName = (id: string) =>
  Object.hasOwn(protocolNames, id) ? protocolNames[id] : id;

export const refusals: readonly (readonly [keyof Refused, string, string])[] = [
  ["bad", "Invalid", "Could not be decoded"],
  ["rejected", "Rejected", "Single profiles with invalid labels or types"],
  ["failed", "Failed", "Could not be written; the sender may retry"],
  ["overload", "Overload", "Server overloaded; the sender may retry"],
];

// Reasons for which requests are refused before they reach a receiver.
const earlierRefusals: Record<string, string> = {
  bad_request: "malformed",
  no_route: "for an unknown path",
  admit: "without a valid token, with a foreign Host or Origin header, or over a limit",
  too_large: "too large",
  budget: "over the memory limit",
  slow: "too slow",
  flood: "too many requests on one connection",
  connections: "too many connections",
  connections_per_address: "too many connections from one address",
  tls: "failed TLS handshakes",
};

export function earlierText(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(
      ([reason, count]) =>
        `${count.toLocaleString("en-US")} ${Object.hasOwn(earlierRefusals, reason) ? earlierRefusals[reason] : reason}`,
    )
    .join("; ");
}

export const refusedOf = (receiver: Receiver) =>
  refusals.reduce((n, [key]) => n + (receiver.refused?.[key] ?? 0), 0);

export const receivedAnything = (status: StatusAnswer) =>
  (status.store?.profiles ?? 0) > 0 || (status.receivers ?? []).some((r) => r.requests > 0);

export function formatLength(seconds: number): string {
  for (const [name, size] of [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ] as const)
    if (seconds >= 2 * size || (seconds >= size && seconds % size === 0))
      return formatCount(Math.floor(seconds / size), name);
  return formatCount(Math.floor(seconds), "second");
}

export interface Count {
  time: number; // ms, of the server
  samples: number;
  bytes: number;
}

export const countOf = (status: StatusAnswer): Count => ({
  time: status.now,
  samples: (status.receivers ?? []).reduce((n, r) => n + r.samples, 0),
  bytes: (status.receivers ?? []).reduce((n, r) => n + r.bytes, 0),
});

const window = 60_000;

// Append a count and keep those of the last minute. After a restart of the server the counts begin
// at zero.
export function addCount(counts: readonly Count[], next: Count): Count[] {
  const last = counts[counts.length - 1];
  if (last && next.time === last.time) return [...counts];
  if (last && (next.samples < last.samples || next.time < last.time)) return [next];
  return [...counts.filter((c) => c.time >= next.time - window), next];
}

// Return the rates per second; undefined until there are two counts.
export function rateOf(counts: readonly Count[]): { samples: number; bytes: number } | undefined {
  const first = counts[0];
  const last = counts[counts.length - 1];
  if (!first || last.time <= first.time) return undefined;
  const seconds = (last.time - first.time) / 1000;
  return {
    samples: (last.samples - first.samples) / seconds,
    bytes: (last.bytes - first.bytes) / seconds,
  };
}
