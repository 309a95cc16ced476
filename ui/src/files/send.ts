// SPDX-License-Identifier: Apache-2.0
// Files go to the server to be read there: it knows all formats, and every view can then ask about them.
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

// Whether there is more in it than one moment, so that a chart over time says something: each type of values is a profile.
export const goesOn = (file: FileAnswer) => file.profiles > Math.max(1, file.types.length);

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
  return new ApiError(status, status === 413 ? `${reason}. Compress it with gzip and open that, or look at it with: varve flame FILE -o page.html` : reason);
}

function reasonText(status: number, body: string): string {
  try {
    const parsed = JSON.parse(body) as { error?: { message?: string }; message?: string };
    return parsed.error?.message ?? parsed.message ?? body;
  } catch {
    return body.trim() || `the server answered ${status}`;
  }
}

// `onSent` is told how many bytes have left; only XMLHttpRequest knows that.
export function sendFile(file: File, onSent: (bytes: number) => void, signal: AbortSignal): Promise<FileAnswer> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest();
    call.open("POST", apiUrl("files", { name: file.name }));
    call.setRequestHeader("content-type", "application/octet-stream");
    if (tenant()) call.setRequestHeader("X-Scope-OrgID", tenant());
    call.upload.onprogress = (event) => onSent(event.loaded);
    call.onload = () => {
      if (call.status < 200 || call.status > 299) return reject(reasonOf(call.status, call.responseText));
      onSent(file.size);
      resolve(JSON.parse(call.responseText) as FileAnswer);
    };
    call.onerror = () => reject(reasonOf(0, ""));
    call.onabort = () => reject(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => call.abort());
    call.send(file);
  });
}

// A file of before and one of after: the one that was changed earlier comes first.
export function orderFiles<F extends { lastModified: number }>(files: readonly F[]): F[] {
  return [...files].sort((a, b) => a.lastModified - b.lastModified);
}

export const keepFile = (id: string, service: string, labels: readonly string[]) =>
  request<UploadAnswer>(apiUrl("upload", { file: id, service, label: labels }), { method: "POST" });

export interface Labels {
  labels: [name: string, value: string][];
  error: string;
}

// "env=dev, region=eu": one label a comma or a space; a value with either stands in quotes.
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

// What a file is probably a profile of: checkout.cpu.pb.gz is one of checkout.
export const serviceGuess = (name: string) => /^[A-Za-z][\w-]*/.exec(name.replace(/^.*[\\/]/, ""))?.[0] ?? "";
