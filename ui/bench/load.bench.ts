// SPDX-License-Identifier: Apache-2.0
// How long a link takes: from the click on it, in a browser that has never seen the pages, to a
// painted flame graph, on a real server ($VARVE, or none and it is said). Beside it, by turns, what
// the browser alone takes: a line of text from the same server, until the frame after its first.
// Also how much is loaded. Lines as flame.bench.ts writes them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sourceRoot, TestPage, withPage } from "../test/browser/pages";
import { Server } from "../test/browser/server";
import { test } from "../test/tap";

const turns = 9;

declare global {
  interface Window {
    seen: Promise<number>; // the time of the frame after the one that painted it
  }
}

// In the page: the row of the root has a colour, and below it is the line of the ground. The pixels
// are read, so they are not only noted down for later.
function watchGraph() {
  const isPainted = (canvas: HTMLCanvasElement | null) => {
    const column = canvas
      ?.getContext("2d", { alpha: false })
      ?.getImageData(canvas.width >> 1, 0, 1, 20).data;
    const pixel = (y: number) => column!.slice(4 * y, 4 * y + 3).join();
    return !!column && pixel(10) !== pixel(19);
  };
  window.seen = new Promise((done) => {
    const look = () => {
      const told = document.querySelector(".flame-hidden")?.textContent;
      if (told && isPainted(document.querySelector(".flame-canvas"))) done(performance.now());
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
}

function watchText() {
  window.seen = new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))),
  );
}

async function load(
  url: string,
  watch: () => void,
  prepare: (page: TestPage) => void = () => {},
): Promise<number> {
  let time = 0;
  await withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
    prepare(page);
    await page.goto("about:blank");
    await page.addInitScript(watch);
    await page.goto(url, { waitUntil: "commit" });
    time = await page.evaluate(() => window.seen);
    page.pageErrors = page.pageErrors.filter((c) => !c.includes("404")); // a text has no icon
  });
  return time;
}

function report(name: string, times: number[], method: string) {
  times.sort((a, b) => a - b);
  const spread = `median of ${turns}, least ${times[0].toFixed(0)}, most ${times[turns - 1].toFixed(0)}`;
  process.stdout.write(
    `${name}\t${times[Math.floor(turns / 2)].toFixed(1)}\tms\t${method}; ${spread}\n`,
  );
}

test("load: from a link to a painted flame graph", async () => {
  if (!process.env.VARVE || !existsSync(process.env.VARVE)) {
    process.stdout.write("ui-load: SKIPPED: VARVE names no program\n");
    return;
  }
  const server = await new Server().start();
  server.push(join(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  const graphs: number[] = [];
  const texts: number[] = [];
  let bytes = 0;
  const count = (page: TestPage) => {
    bytes = 0;
    page.on(
      "response",
      (r) =>
        void r
          .request()
          .sizes()
          .then((s) => (bytes += s.responseBodySize))
          .catch(() => undefined),
    );
  };
  for (let i = 0; i < turns; i++) {
    texts.push(await load(`${server.url}/healthz`, watchText));
    graphs.push(await load(`${server.url}/profiles?query=checkout`, watchGraph, count));
  }
  await server.stop();
  report(
    "ui-cold-load",
    graphs,
    "a fresh browser context, loopback, examples/checkout.pb.gz; performance.now() in the frame after the graph is painted",
  );
  report(
    "ui-cold-browser",
    texts,
    "of it the browser's own: a line of text from the same server, in the same way, by turns",
  );
  process.stdout.write(
    `ui-cold-bytes\t${(bytes / 1000).toFixed(1)}\tKB\tall bodies on the wire for it, pages and answers\n`,
  );
});
