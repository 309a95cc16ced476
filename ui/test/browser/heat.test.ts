// SPDX-License-Identifier: Apache-2.0
// Browser tests of the heat map, by mouse and keyboard, on a real server with samples at known
// times.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, TestPage, withPage } from "./pages";
import { knownSamples, sendSamples } from "./timed_samples";
import { Server } from "./server";

const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;
let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start));
    s.push(folded(join(temporary(), "sums.folded"), { "main;work": 5 }), "sums");
    return s;
  })();
  return known;
}

const map = (page: Page) => page.locator(".heat-cells");
const summary = (page: Page, text: string) =>
  page.locator(".summary strong", { hasText: text }).waitFor();
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

async function open(page: TestPage, s: Server, more = "") {
  await page.goto(`${s.url}/profiles?query=timed&view=heat${more}`);
  await page.locator(".heat-cells canvas").waitFor();
  await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
}

// Drag from the middle of one cell to the middle of another.
async function drag(page: Page, from: [number, number], to: [number, number]) {
  const box = (await map(page).boundingBox())!;
  const at = ([column, row]: [number, number]) =>
    [box.x + ((column + 0.5) * box.width) / 10, box.y + ((row + 0.5) * box.height) / 50] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 4 });
  await page.mouse.up();
}

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`heat map: ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await open(page, s);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          if (width !== 390) await drag(page, [4, 20], [6, 30]);
          await screenshot(page, `heat-${theme}-${width}`);
        },
      );
    });

test("heat map: a rectangle has its flame graph, is in the address, and is removed by Escape", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await open(page, s);
    await summary(page, "150 ms");
    await drag(page, [4, 24], [6, 28]); // 480 to 580 ms of three seconds: the burst alone
    await summary(page, "30.0 ms");
    assert.equal(param(page, "time_from"), String(start + 4000));
    assert.equal(param(page, "time_to"), String(start + 7000));
    assert.deepEqual(
      [param(page, "phase_step"), param(page, "phase_from"), param(page, "phase_to")],
      ["1000", "480", "580"],
    );
    assert.match(
      (await page.locator(".heat-foot").textContent()) ?? "",
      /30\.0 ms .*480 ms to 580 ms/,
    );
    await page.reload();
    await summary(page, "30.0 ms");
    await page.locator(".heat-chosen").waitFor();
    await page.keyboard.press("Escape");
    await summary(page, "150 ms");
    assert.equal(param(page, "time_from"), null);
  });
});

test("heat map: a rectangle applies in other views, and is shown there", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await open(page, s);
    await drag(page, [5, 24], [5, 28]);
    await summary(page, "30.0 ms");
    await page.keyboard.press("t");
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "burst" }).waitFor();
    assert.equal(
      await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).count(),
      0,
    );
    await page.locator(".moments-chip button").click();
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).waitFor();
  });
});

test("heat map: the tooltip of a cell shows time and value", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await open(page, s);
    const box = (await map(page).boundingBox())!;
    // Second 2, 100 to 120 ms.
    await page.mouse.move(box.x + 0.25 * box.width, box.y + (5.5 * box.height) / 50);
    const tip = await eventually("a tip", () => page.locator(".heat-tip").textContent());
    assert.match(tip, /^10\.0 ms.*, 100 ms to 120 ms$/);
  });
});

test("heat map: keyboard only", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await open(page, s);
    await page.keyboard.press("h");
    await page.keyboard.press("ArrowRight"); // shows the cursor
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("PageDown");
    await page.keyboard.down("Shift");
    for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowDown"); // rows 20 to 29
    await page.keyboard.up("Shift");
    assert.match((await page.locator('.heat-tip[role="status"]').textContent()) ?? "", /^30\.0 ms/);
    await page.keyboard.press("Enter");
    await summary(page, "30.0 ms");
    assert.deepEqual(
      [param(page, "time_from"), param(page, "phase_from"), param(page, "phase_to")],
      [String(start + 5000), "400", "600"],
    );
  });
});

test("heat map: without timestamps a note explains how to record them", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=sums&view=heat`);
    await page.locator(".heat-panel", { hasText: "These samples have no timestamps" }).waitFor();
    await page.locator(".heat-recipe", { hasText: "varve run" }).waitFor();
    await screenshot(page, "heat-no-times");
  });
});

test("heat map: a rectangle outside of the map is reported", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await open(page, s, "&time_from=5&time_to=6");
    await page.locator(".heat-foot", { hasText: "outside of this map" }).waitFor();
    await page.locator(".heat-foot button").click();
    await summary(page, "150 ms");
  });
});
