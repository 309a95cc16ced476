// SPDX-License-Identifier: Apache-2.0
// Serves host.tsx with its worker, under the content security policy of the program's pages.
// run.mjs creates the bundles beside the bundle of the tests.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; worker-src 'self'; base-uri 'none'";
const types: Record<string, string> = { ".js": "text/javascript", ".css": "text/css" };

export interface Server {
  url: string;
  close(): void;
}

export async function serveHost(folder = dirname(fileURLToPath(import.meta.url))): Promise<Server> {
  const page =
    '<!doctype html><meta charset="utf-8"><title>host</title><link rel="stylesheet" href="/host.css">' +
    '<div id="app" class="host"></div><script src="/host.js"></script>';
  const server = createServer((request, response) => {
    const path = request.url!.split("?")[0];
    const type = types[path.slice(path.lastIndexOf("."))];
    response.setHeader("content-security-policy", policy);
    response.setHeader("content-type", `${type ?? "text/html"}; charset=utf-8`);
    if (path === "/") response.end(page);
    else if (type) response.end(readFileSync(join(folder, "ui-host", path)));
    else response.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}
