// SPDX-License-Identifier: Apache-2.0
// Browser tests of the status view: a server without data, with senders, with refusals, stopped and
// restarted.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, withPage } from "./pages";
import { knownSamples, sendSamples } from "./timed_samples";
import { Server } from "./server";

const start = Math.floor(Date.now() / 1000) * 1000 - 60_000;

async function busy(): Promise<Server> {
  const s = await new Server().start();
  await sendSamples(s.url, "timed", knownSamples(start));
  await fetch(`${s.url}/ingest?name=evil`, { method: "POST", body: Buffer.from([0xff, 0x00]) });
  return s;
}

test("status: a server without data shows how to send data", async () => {
  const s = await new Server().start();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    await page.locator(".recipe", { hasText: "varve demo" }).waitFor();
    await page.locator(".card", { hasText: "Version" }).waitFor();
    await screenshot(page, "status-empty");
    // New data appears without a reload.
    s.push(folded(join(temporary(), "small.folded"), { "main;work": 7 }), "small");
    await page.keyboard.press("g");
    await page.locator('[aria-label="Receivers"]').first().waitFor();
    assert.equal(await page.locator(".recipe").count(), 0);
  });
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`status: senders and receivers, ${theme}, ${width} wide`, async () => {
      const s = await busy();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/status`);
          await page.locator('[aria-label="Senders"] td', { hasText: "OTLP/HTTP" }).waitFor();
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `status-${theme}-${width}`);
        },
      );
      await s.stop();
    });

test("status: the tables have the server's numbers, and a refusal has its reason", async () => {
  const s = await busy();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    const row = page.locator('[aria-label="Receivers"] tr', { hasText: "OTLP/HTTP" }).first();
    await row.waitFor();
    const cells = (await row.locator("td").allTextContents()).map((t) => t.trim());
    assert.deepEqual([cells[1], cells[2], cells[3]], ["1", "1", "15"]);
    await page.locator(".refusal", { hasText: "not a profile of a known format" }).waitFor();
    const senders = page.locator('[aria-label="Senders"]').first();
    await senders.getByRole("link", { name: "timed" }).click();
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).waitFor();
  });
});

test("status: the last data stays while the server is down, and refreshes afterwards", async () => {
  const s = await busy();
  const port = s.port;
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    await page.locator('[aria-label="Senders"] td').first().waitFor();
    await s.stop();
    await page.keyboard.press("g");
    await page.locator(".note.bad", { hasText: "is not responding" }).waitFor();
    assert.ok(await page.locator('[aria-label="Senders"] td').first().isVisible());
    await screenshot(page, "status-gone");
    await s.start(port);
    await eventually("an answer", async () => (await page.locator(".note.bad").count()) === 0);
    page.pageErrors.length = 0; // errors while the server was down
  });
});

test("status: an exporter whose destination is down, with the reason", async () => {
  const s = await new Server(undefined, [
    "--set",
    "exporters.otlphttp={endpoint: 'http://127.0.0.1:9', retry_on_failure: {enabled: false}}",
    "--set",
    "service.pipelines.profiles.exporters=[store, otlphttp]",
  ]).start();
  s.push(folded(join(temporary(), "sent.folded"), { "main;work": 7 }), "sent");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    const rows = page.locator('section[aria-label="Exporters"] tbody tr');
    await rows.first().waitFor();
    await eventually("the failed attempt is shown", async () => {
      await page.keyboard.press("g");
      return /otlphttp .*127\.0\.0\.1:9unreachable/.test((await rows.first().textContent()) ?? "");
    });
    assert.match((await rows.nth(1).textContent()) ?? "", /^Failed .*Failed to connect/);
    await screenshot(page, "status-exporter");
  });
  await s.stop();
});
