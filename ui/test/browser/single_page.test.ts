// SPDX-License-Identifier: Apache-2.0
// varve flame FILE -o page.html, opened from the file.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "../tap";
import { eventually, folded, run, screenshot, sourceRoot, temporary, withPage } from "./lib";

let folder = "";

function pageOf(name: string, ...args: string[]): string {
  folder ||= temporary();
  const out = join(folder, `${name}.html`);
  run("flame", ...args, "-o", out);
  return `file://${out}`;
}

const example = () => pageOf("checkout", join(sourceRoot, "examples/checkout.pb.gz"));

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`page: graph and table from a file, ${theme}, ${width} wide`, () =>
      withPage({ colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } }, async (page) => {
        await page.goto(example());
        await page.locator(".flame-legend span").first().waitFor();
        assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
        assert.match((await page.locator(".page-table tbody tr").first().textContent())!, /670 ms.*compress\/flate/);
        const scrolls = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert.equal(scrolls, false, "nothing is cut off at the right");
        await screenshot(page, `page-${theme}-${width}`);
      }));

test("page: a search marks frames, filters the table and tells the share", () =>
  withPage({}, async (page) => {
    await page.goto(pageOf("search", folded(join(temporary(), "a.folded"), { "main;parse;read": 30, "main;parse": 10, "main;write": 60 })));
    await page.locator("#search").fill("parse");
    await eventually("the share", async () => /1 frame: 40, 40\.0%/.test((await page.locator(".flame-found").textContent()) ?? ""));
    assert.equal(await page.locator(".page-table tbody tr").count(), 1);
    await page.locator("#search").fill("/(/");
    await eventually("the fault", async () => /Unterminated group/.test((await page.locator(".flame-found").textContent()) ?? ""));
    assert.match(page.url(), /#search=/);
  }));
