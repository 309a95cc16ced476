// SPDX-License-Identifier: Apache-2.0
// Browser tests of functions with the same name in several programs, on a real server: their costs
// are not mixed.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, screenshot, withPage } from "./pages";
import { TimedSample, sendSamples } from "./timed_samples";
import { Server } from "./server";

const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;
let known: Promise<Server> | null = null;

// Five samples in `work` of the program api, in two builds; three in `work` of the program worker.
function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const samples = (n: number, stack: string, at = 0): TimedSample[] =>
      Array.from({ length: n }, (_, i) => ({ time: start + at + i * 100, stack }));
    await sendSamples(s.url, "api", [
      ...samples(3, "main;work|/opt/v1/api;parse"),
      ...samples(2, "main;work|/opt/v2/api;parse", 1000),
    ]);
    await sendSamples(s.url, "worker", samples(3, "main;work|/opt/worker;send", 2000));
    return s;
  })();
  return known;
}

const rows = (page: Page) => page.locator('.data-table[aria-label="Functions"] .data-row');
const param = (page: Page, name: string) => new URL(page.url()).searchParams.getAll(name);

for (const theme of ["light", "dark"] as const)
  test(`modules: functions of one name in two programs are two rows, ${theme}`, async () => {
    const s = await server();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(`${s.url}/profiles?query=%7B%7D&sort=-total`);
      await rows(page).first().waitFor();
      const texts = await rows(page).allTextContents();
      assert.ok(texts.some((t) => /^work · api.*50\.0 ms/.test(t)), texts.join("\n"));
      assert.ok(texts.some((t) => /^work · worker.*30\.0 ms/.test(t)), texts.join("\n"));
      await rows(page).filter({ hasText: "work · worker" }).click();
      await eventually(
        "the function is in the address",
        async () => param(page, "function")[0] === "work\tworker",
      );
      assert.equal(await page.locator(".data-row.selected").count(), 1);
      await screenshot(page, `modules-${theme}`);
    });
  });

test("modules: a zoom into one of two frames of one name, also by a link", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=%7B%7D&root=none&view=flame&zoom=main&zoom=${encodeURIComponent("work\tworker")}`,
    );
    await page.locator(".flame-crumbs", { hasText: "work" }).waitFor();
    const label = () => page.locator(".flame-canvas").getAttribute("aria-label");
    await eventually("its own value", async () => /, 30\.0 ms\./.test((await label()) ?? ""));
    // Move to the other frame by keyboard: into main, to its callees, Enter.
    await page.keyboard.press("Escape");
    await page.goto(`${s.url}/profiles?query=%7B%7D&root=none&view=flame`);
    await page.locator(".flame-canvas").focus();
    for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"])
      await page.keyboard.press(key);
    await eventually(
      "the second work",
      async () => param(page, "zoom").join() === "main,work\tworker",
    );
  });
});

test("modules: callers and callees belong to one of the functions", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=%7B%7D&view=sandwich&function=${encodeURIComponent("work\tworker")}`,
    );
    await page.locator(".sandwich-words", { hasText: "30.0 ms (37.5%) total" }).waitFor();
    assert.equal(
      ((await page.locator(".sandwich-name").textContent()) ?? "").trim(),
      "work · worker",
    );
    await page.locator('[aria-label="Direct callees"] .data-row', { hasText: "send" }).waitFor();
    assert.equal(
      await page.locator('[aria-label="Direct callees"] .data-row', { hasText: "parse" }).count(),
      0,
    );
  });
});
