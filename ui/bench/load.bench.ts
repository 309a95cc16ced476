// SPDX-License-Identifier: Apache-2.0
// How long a link takes: from the click on it, in a browser that has never seen the pages, to a painted flame graph, on a real
// server ($VARVE, or none and it is said). Also how much it loads. Lines as flame.bench.ts writes them.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sourceRoot, withPage } from "../test/browser/lib";
import { Server } from "../test/browser/server";
import { test } from "../test/tap";

const turns = 9;

test("load: from a link to a painted flame graph", async () => {
  if (!process.env.VARVE || !existsSync(process.env.VARVE)) {
    process.stdout.write("ui-load: SKIPPED: VARVE names no program\n");
    return;
  }
  const server = await new Server().start();
  server.push(join(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < turns; i++)
    await withPage({ viewport: { width: 1280, height: 800 } }, async (page) => {
      bytes = 0;
      page.on("response", (r) => void r.request().sizes().then((s) => (bytes += s.responseBodySize)).catch(() => undefined));
      await page.goto("about:blank");
      await page.addInitScript(() => {
        const w = window as unknown as { painted: Promise<number> };
        w.painted = new Promise((done) => {
          const look = () => {
            const canvas = document.querySelector<HTMLCanvasElement>(".flame-canvas");
            const told = document.querySelector(".flame-hidden")?.textContent;
            if (!canvas?.width || !told) return requestAnimationFrame(look);
            requestAnimationFrame(() => {
              canvas.getContext("2d")!.getImageData(0, 0, 1, 1); // the pixels, not only the order to draw them
              done(performance.now());
            });
          };
          requestAnimationFrame(look);
        });
      });
      await page.goto(`${server.url}/profiles?query=checkout`, { waitUntil: "commit" });
      times.push(await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted));
    });
  await server.stop();
  times.sort((a, b) => a - b);
  const method = `a fresh browser context, loopback, examples/checkout.pb.gz; performance.now() when the graph is painted; median of ${turns}, least ${times[0].toFixed(0)}, most ${times[turns - 1].toFixed(0)}`;
  process.stdout.write(`ui-cold-load\t${times[Math.floor(turns / 2)].toFixed(1)}\tms\t${method}\n`);
  process.stdout.write(`ui-cold-bytes\t${(bytes / 1000).toFixed(1)}\tKB\tall bodies on the wire for it, pages and answers\n`);
});
