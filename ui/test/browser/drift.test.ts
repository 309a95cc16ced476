// SPDX-License-Identifier: Apache-2.0
// A regression is a mark on the timeline of its service, with a link to the comparison.
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { test } from "../tap";
import { program, temporary, withPage } from "./pages";
import { Server } from "./server";

async function count(s: Server): Promise<number> {
  return ((await (await fetch(`${s.url}/api/v1/drift`)).json()) as { count: number }).count;
}

test("drift: a regression is on the timeline and leads to the comparison", async () => {
  const data = join(temporary(), "drift");
  const fill = join(dirname(program), "tests", "drift_fill");
  assert.equal(spawnSync(fill, [data, "", "shop", "3", "36"]).status, 0);
  const s = await new Server(data, ["--set=service::drift::cpu_percent=100"]).start();
  const end = Date.now() + 60_000;
  while ((await count(s)) === 0) {
    assert.ok(Date.now() < end, "not found within a minute");
    await new Promise((done) => setTimeout(done, 200));
  }
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=shop&from=now-2d`);
    const events = page.getByRole("list", { name: "Events" });
    await events.waitFor();
    assert.match((await events.textContent()) ?? "", /Regression: work_2 costs \d+ % more/);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-timeline.png` });
    const mark = events.getByRole("listitem").filter({ hasText: "Regression: work_2" });
    await mark.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?/);
    await page.getByText("work_2").first().waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-compare.png` });
    await page.goto(`${s.url}/alerts?from=now-7d&service=shop`);
    const listed = page.locator(".drift-event");
    await listed.first().waitFor();
    assert.equal(await listed.count(), await count(s));
    const event = listed.filter({ hasText: "Regression" }).filter({ hasText: "work_2" }).first();
    assert.match((await event.textContent()) ?? "", /\d\.\d\d× \(\d\.\d\d to \d\.\d\d\)/);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-alerts.png` });
    await event.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?/);
    await page.getByText("work_2").first().waitFor();
    await page.goto(`${s.url}/?from=now-2d`); // the start page blames the function, too
    const blame = page.locator(".service", { hasText: "shop" }).locator(".blame-link");
    assert.match((await blame.textContent()) ?? "", /^work_2× \d\.\d\d$/);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-start.png` });
    await blame.click();
    await page.waitForURL(/\/compare\?/);
    await page.getByText("work_2").first().waitFor();
    await page.goto(`${s.url}/status`);
    await page.getByRole("heading", { name: "Drift" }).waitFor();
    assert.match((await page.locator(".cards").textContent()) ?? "", /Watched1 service/);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-status.png` });
  });
});
