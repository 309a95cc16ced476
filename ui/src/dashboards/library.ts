// SPDX-License-Identifier: Apache-2.0
// The stored dashboards: list, read, write, delete. Writes depend on the version that was read.
import { apiUrl, fetchResponse } from "../api/client";
import { Dashboard, formatDocument } from "./model";

export interface Listed {
  name: string;
  etag: string;
  changed: number; // ms
  title?: string;
  description?: string;
  panels?: number;
  error?: string;
}

export interface ListAnswer {
  dashboards: Listed[];
}

export interface Stored {
  dashboard: Dashboard;
  etag: string;
}

const urlOf = (name: string) => apiUrl(`dashboards/${encodeURIComponent(name)}`);

export async function loadDashboard(name: string, signal?: AbortSignal): Promise<Stored> {
  const response = await fetchResponse(urlOf(name), { signal, cache: "no-cache" });
  const dashboard = (await response.json()) as Dashboard;
  return { dashboard, etag: response.headers.get("etag") ?? "" };
}

// Write a dashboard. `etag`: the version that it replaces; "": it must not exist. Returns the new
// version; throws ApiError (412: someone else has changed it).
export const saveDashboard = (name: string, dashboard: Dashboard, etag: string) =>
  saveText(name, formatDocument(dashboard), etag);

export async function saveText(name: string, text: string, etag: string): Promise<string> {
  const response = await fetchResponse(urlOf(name), {
    method: "PUT",
    body: text,
    headers: {
      "content-type": "application/json",
      ...(etag ? { "if-match": etag } : { "if-none-match": "*" }),
    },
  });
  return response.headers.get("etag") ?? "";
}

export async function deleteDashboard(name: string, etag: string): Promise<void> {
  await fetchResponse(urlOf(name), {
    method: "DELETE",
    headers: etag ? { "if-match": etag } : {},
  });
}
