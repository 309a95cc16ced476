// SPDX-License-Identifier: Apache-2.0
// Uploads files to the server, which decodes all formats and answers queries over them.
import { ApiError, apiUrl, request, tenant } from "../api/client";
import { ProfileType } from "../api/types";

export interface FileAnswer {
  id: string;
  name: string;
  format: string;
  bytes: number;
  from: number; // ms: from the first profile to the end of the last
  to: number;
  profiles: number;
  samples: number;
  type: string; // the default one
  types: ProfileType[];
}

// Whether the file has several profiles of a type, so that a timeline is useful. Each type counts
// as a profile.
export const hasTimeline = (file: FileAnswer) => file.profiles > Math.max(1, file.types.length);

export interface UploadAnswer {
  format: string;
  profiles: number;
  samples: number;
  series: number;
  rejected: number;
  duplicates: number;
}

export function reasonOf(status: number, body: string): ApiError {
  if (!status) return new ApiError(0, "the server is not responding");
  const reason = reasonText(status, body);
  return new ApiError(
    status,
    status === 413
      ? `${reason}. Compress it with gzip, or open it with: varve flame FILE -o page.html`
      : reason,
  );
}

function reasonText(status: number, body: string): string {
  try {
    const parsed = JSON.parse(body) as { error?: { message?: string }; message?: string };
    return parsed.error?.message ?? parsed.message ?? body;
  } catch {
    return body.trim() || `the server answered ${status}`;
  }
}

// Upload a file. Calls `onSent` with the number of sent bytes, which only XMLHttpRequest reports.
export function sendFile(
  file: File,
  onSent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<FileAnswer> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", apiUrl("files", { name: file.name }));
    call.setRequestHeader("content-type", "application/octet-stream");
    if (tenant()) call.setRequestHeader("X-Scope-OrgID", tenant());
    call.upload.onprogress = (event) => onSent(event.loaded);
    call.onload = () => {
      if (call.status < 200 || call.status > 299)
        return reject(reasonOf(call.status, call.responseText));
      onSent(file.size);
      resolve(JSON.parse(call.responseText) as FileAnswer);
    };
    call.onerror = () => reject(reasonOf(0, ""));
    call.onabort = () => reject(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => call.abort());
    call.send(file);
  });
}

// Order files by modification time: the older one is the before side of a comparison.
export function orderFiles<F extends { lastModified: number }>(files: readonly F[]): F[] {
  return [...files].sort((a, b) => a.lastModified - b.lastModified);
}

export const keepFile = (id: string, service: string, labels: readonly string[]) =>
  request<UploadAnswer>(apiUrl("upload", { file: id, service, label: labels }), { method: "POST" });

export interface Labels {
  labels: [name: string, value: string][];
  error: string;
}

// Parse "env=dev, region=eu". Labels are separated by commas or spaces; a value that contains
// either must be quoted.
export function parseLabels(text: string): Labels {
  const labels: [string, string][] = [];
  let rest = text.trim();
  while (rest) {
    const found = /^([A-Za-z_][\w.]*)\s*=\s*(?:"([^"]*)"|([^\s,"]+))(?:[\s,]+|$)/.exec(rest);
    if (!found) return { labels: [], error: `not name=value: ${rest.slice(0, 40)}` };
    labels.push([found[1], found[2] ?? found[3]]);
    rest = rest.slice(found[0].length);
  }
  return { labels, error: "" };
}

// Guess the service from a file name: checkout.cpu.pb.gz -> checkout.
export const serviceGuess = (name: string) =>
  /^[A-Za-z][\w-]*/.exec(name.replace(/^.*[\\/]/, ""))?.[0] ?? "";
