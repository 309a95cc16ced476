// SPDX-License-Identifier: Apache-2.0
// Control of running instances: what the server knows of them, and changes of what they profile.
import { request } from "../api/client";
import { apiUrl } from "../api/transport";
import { parseUrl } from "../url";

export interface Settings {
  cpu_hz?: number;
  wall_hz?: number;
  heap_interval?: number;
  profiles?: string[];
}

export interface Lease {
  id: string;
  service: string;
  instance: string; // prefix of the ids; "": all
  author: string;
  reason: string;
  settings: Settings;
  issued: number; // ms
  expires: number;
  remaining_ms: number;
  waiting: number; // instances by their state
  applied: number;
  refused: number;
  ended: number;
}

export interface Instance {
  instance: string;
  service: string;
  host: string;
  pid: number;
  version: string;
  last: number; // ms
  settings: Settings;
  max_cpu_hz: number;
  max_seconds: number;
  max_profiles: string[];
  lease: string;
  lease_state: "none" | "applied" | "refused" | "ended";
  lease_error: string;
}

export interface ControlAnswer {
  enabled: boolean;
  disabled_reason: string;
  leases: Lease[];
  instances: Instance[];
  instance_count: number;
}

export interface ControlEvent {
  time: number; // ms
  service: string;
  // control.set, control.end, control.expired, control.capture, drift.regression, ...
  action: string;
  actor: string;
  detail: string;
  page?: string; // of drift: compares before and after
}

export const controlQuery = (service: string) => apiUrl("control", { service });

export const eventsQuery = (service: string, range: { from: number; to: number }) =>
  apiUrl("events", { service, from: Math.floor(range.from), to: Math.ceil(range.to) });

export interface Change {
  cpuHz: number;
  kinds: readonly string[];
  seconds: number;
  reason: string;
}

export const setLease = (service: string, change: Change) =>
  request<{ instances: number }>(apiUrl("control"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      service,
      cpu_hz: change.cpuHz,
      profiles: change.kinds,
      seconds: change.seconds,
      reason: change.reason,
    }),
  });

export const endLease = (service: string) =>
  request<{ service: string }>(apiUrl("control", { service }), { method: "DELETE" });

const verbs: Record<string, string> = {
  "control.set": "Changed",
  "control.end": "Ended",
  "control.expired": "Expired",
  "control.capture": "Profile taken",
  "drift.regression": "Regression",
  "drift.improvement": "Improvement",
  "drift.new": "New function",
  "drift.ended": "Change over",
};

// What changed by itself has no actor.
export const eventText = (event: ControlEvent) =>
  `${verbs[event.action] ?? event.action}: ${event.detail}` +
  (event.action.startsWith("drift.") ? "" : ` (${event.actor})`);

// A mark of the timeline: its time, its text, and the view that shows why.
export const eventMark = (event: ControlEvent) => ({
  time: event.time,
  text: eventText(event),
  bad: event.action === "drift.regression" || event.action === "drift.new",
  to: event.page ? parseUrl(new URL(event.page, "file:///")) : undefined,
});

// Describe the instances of a lease: "3 applied, 1 refused".
export function leaseState(lease: Lease): string {
  const parts = (["applied", "refused", "waiting", "ended"] as const)
    .filter((state) => lease[state] > 0)
    .map((state) => `${lease[state]} ${state}`);
  return parts.join(", ") || "no instances";
}
