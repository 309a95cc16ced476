// SPDX-License-Identifier: Apache-2.0
// Captures: profiles that running instances take now and upload to the server.
import { request } from "../api/client";
import { apiUrl } from "../api/transport";

export interface CapturePart {
  instance: string;
  host: string;
  pid: number;
  state: string; // done, or what the instance is at
  error: string;
  bytes: number;
}

export interface Capture {
  id: string;
  service: string;
  kind: string;
  seconds: number;
  started: number; // ms
  instances: CapturePart[];
  done: boolean;
}

export const takeProfile = (what: {
  service: string;
  kind: string;
  seconds: number;
  all: boolean; // instances; else the one that reported last
}) =>
  request<Capture>(apiUrl("capture"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(what),
  });

export const captureState = (id: string) => request<Capture>(apiUrl("capture", { id }));

export const captureProfile = (id: string, instance: string) =>
  apiUrl("capture/profile", { id, instance });

// The name of the file: checkout-cpu-4711.pb.gz.
export const partName = (capture: Capture, part: CapturePart) =>
  `${capture.service.replace(/[^\w.-]+/g, "-")}-${capture.kind}-${part.pid}.pb.gz`;
