// SPDX-License-Identifier: Apache-2.0
// Browser tests of sums over all frames, including frames too small for the graph, on a real
// server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, withPage } from "./pages";
import { otlpProfile, sendSamples } from "./timed_samples";
import { Server } from "./server";

const pairs = 30_000; // pairs of frames; more than any view queries
let known: Promise<Server> | null = null;

// "wide": in commit a, half of the total is in 30,000 leaves needle.x* of increasing size; in
// commit b, a quarter.
function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    const stacks: Record<string, number> = {};
    for (let i = 0; i < pairs; i++) stacks[`main;svc.f${i};needle.x${i}`] = i + 1;
    const half = (pairs * (pairs + 1)) / 2;
    s.push(
      folded(join(files, "wide.folded"), { ...stacks, "main;other": half }),
      "wide",
      "--label",
      "commit=a",
      "--time",
      "now-5m",
    );
    s.push(
      folded(join(files, "less.folded"), { ...stacks, "main;other": 3 * half }),
      "wide",
      "--label",
      "commit=b",
      "--time",
      "now-4m",
    );
    return s;
  })();
  return known;
}

const found = (page: Page, text: string | RegExp) =>
  page.locator(".flame-found", { hasText: text }).waitFor();
const wide = "query=" + encodeURIComponent('wide{commit="a"}');

for (const theme of ["light", "dark"] as const)
  test(`sums: a search counts hidden frames, too, ${theme}`, async () => {
    const s = await server();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
      await found(page, /^30,000 frames: 450.*, 50\.0%$/);
      await page.locator(".flame-hidden", { hasText: "are hidden" }).waitFor();
      await screenshot(page, `sums-${theme}`);
      await page.goto(
        `${s.url}/profiles?${wide}&view=flame&search=${encodeURIComponent("/^NEEDLE\\.x1?$/i")}`,
      );
      await found(page, /^1 frame: 2.*, <0\.0001%$/);
      await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle&zoom=main`);
      await found(page, /^30,000 frames: .*, 50\.0% of the view$/);
      await page.goto(`${s.url}/profiles?${wide}&view=tree&search=needle`);
      await page.locator(".table-foot", { hasText: /30,000 matches, .* \(50\.0%\)/ }).waitFor();
    });
  });

test("sums: no sum is shown before all frames are counted, and a partial sum is marked", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route("**/api/v1/sums*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
    await found(page, "counting…");
    assert.equal(await page.locator(".flame-legend b").count(), 0);
    release();
    await found(page, /, 50\.0%$/);
    await page.unroute("**/api/v1/sums*");
  });
  await withPage({}, async (page) => {
    await page.route("**/api/v1/sums*", (route) =>
      route.fulfill({
        status: 400,
        contentType: "application/json",
        body: '{"error":{"code":"invalid_argument","message":"no"}}',
      }),
    );
    await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
    await found(page, /of the frames shown: at least /);
    page.pageErrors = page.pageErrors.filter((text) => !text.includes("400"));
  });
});

test("sums: the legend has shares of all frames", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?${wide}&view=flame`);
    await page.locator(".flame-legend span", { hasText: /^needle50\.0%$/ }).waitFor();
  });
});

test("sums: a search in a difference counts both sides", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const other = encodeURIComponent('wide{commit="b"}');
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=graph&search=needle&normalise=1`,
    );
    await found(page, /^30,000 frames: 50\.0% → 25\.0%$/);
  });
});

test("sums: a link to a missing frame shows its nearest existing caller", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?${wide}&view=flame&zoom=main&zoom=other&zoom=gone&zoom=x`);
    await page.locator(".flame-crumbs button", { hasText: "other" }).waitFor();
    await eventually("its value", async () =>
      /of 0 frames, 450/.test(
        (await page.locator(".flame-canvas").getAttribute("aria-label")) ?? "",
      ),
    );
    const other = encodeURIComponent('wide{commit="b"}');
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=graph&zoom=main&zoom=other&zoom=gone`,
    );
    await page.locator(".flame-crumbs button", { hasText: "other" }).waitFor();
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=sides&zoom=main&zoom=other&zoom=gone`,
    );
    await eventually(
      "both sides",
      async () => (await page.locator(".flame-crumbs button", { hasText: "other" }).count()) === 2,
    );
    await eventually(
      "the note on both sides",
      async () => (await page.getByText("The zoomed frame is not on this side").count()) === 2,
    );
  });
});

test("sums: the heat map shows the share of samples with timestamps, and that the graph below has all samples", async () => {
  const s = await server();
  const at = Math.floor(Date.now() / 1000) * 1000 - 600_000;
  await sendSamples(s.url, "few", [{ time: at, stack: "main;tick" }]);
  // The same type without timestamps, with a value of half a day.
  const body = otlpProfile("few", [{ time: at, stack: "main;untimed" }]) as {
    resourceProfiles: { scopeProfiles: { profiles: { samples: Record<string, unknown>[] }[] }[] }[];
  };
  const sample = body.resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0];
  delete sample.timestampsUnixNano;
  sample.values = ["40000000000000"];
  const sent = await fetch(`${s.url}/v1development/profiles`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(sent.ok, true);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=few&view=heat`);
    await page
      .locator(".heat-head", { hasText: "only samples with timestamps: <0.0001% of the total" })
      .waitFor();
    await page
      .locator(".heat-foot", {
        hasText: "The flame graph below shows all samples, including those without timestamps.",
      })
      .waitFor();
    await screenshot(page, "sums-heat");
  });
});
