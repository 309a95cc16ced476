// SPDX-License-Identifier: Apache-2.0
// Browser tests of the list of findings, against a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "../tap";
import { folded, screenshot, temporary, withPage } from "./pages";
import { Server } from "./server";

let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    s.push(
      folded(join(files, "hot.folded"), {
        "main.main;main.serve;main.parse(x)": 700,
        "main.main;main.load;main.parse(x)": 100,
        "main.main;main.serve;regexp.MustCompile;regexp.compile": 100,
        "main.main;main.other": 100,
      }),
      "hot",
      "--time",
      "now-5m",
    );
    s.push(
      folded(join(files, "calm.folded"), { "main;a": 300, "main;b": 300, "main;c": 400 }),
      "calm",
      "--time",
      "now-5m",
    );
    return s;
  })();
  return known;
}

for (const theme of ["light", "dark"] as const)
  test(`findings: the list has value, evidence and texts, ${theme}`, async () => {
    const s = await server();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(`${s.url}/profiles?query=hot&view=findings`);
      const items = page.locator(".finding");
      await items.nth(1).waitFor();
      assert.equal(await items.count(), 2);
      const texts = await items.allInnerTexts();
      assert.match(texts[0], /One function uses most of the time\s+80\.0%\s+at most 800/);
      assert.match(texts[0], /called by\s+700\s+70\.0%\s+main\.serve\s+100\s+10\.0%\s+main\.load/);
      assert.match(texts[1], /Regular expressions are compiled again and again\s+10\.0%/);
      await screenshot(page, `findings-${theme}`);
    });
  });

test("findings: the frames of a finding are shown in the flame graph, and its function in the sandwich", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=hot&view=findings`);
    await page.getByRole("link", { name: "Show 2 frames" }).click();
    await page.locator(".summary", { hasText: "800 (80.0%) after filters" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("focus"), "^(?:main\\.parse\\(x\\))$");
    await page.goBack();
    await page.getByRole("link", { name: "main.parse(x)" }).first().click();
    await page.waitForURL(/view=sandwich&function=main\.parse/);
    await page.goBack();
    await page.getByRole("link", { name: "Show 1 frame" }).click();
    await page.waitForURL(/zoom=main\.main&zoom=main\.serve&function=regexp/);
  });
});

test("findings: an empty list says how many rules were evaluated", async () => {
  const s = await server();
  await withPage({ viewport: { width: 390, height: 800 } }, async (page) => {
    await page.goto(`${s.url}/profiles?query=calm&view=findings`);
    await page.getByRole("heading", { name: "No findings" }).waitFor();
    await page.getByText(/None of \d+ rules/).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    assert.equal(wide, false);
  });
});
