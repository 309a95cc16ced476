// SPDX-License-Identifier: Apache-2.0
// Spans and traces: what they cost, and from an id to its flame graph, on a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, withPage } from "./lib";
import { knownMoments, remoteMoments, sendMoments, spanBurst, spanTick, traceA, traceB } from "./moments";
import { Server } from "./server";

const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;
let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    await sendMoments(s.url, "timed", knownMoments(start));
    await sendMoments(s.url, "<b>remote</b>", remoteMoments(start));
    s.push(folded(join(temporary(), "sums.folded"), { "main;work": 5 }), "sums");
    return s;
  })();
  return known;
}

const rows = (page: Page) => page.locator(".span-table .data-row");
const graph = (page: Page, text: string) => page.locator('[aria-label="Flame graph"]', { hasText: text }).first().waitFor();
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const count = (page: Page, n: number) => eventually(`${n} spans`, async () => (await rows(page).count()) === n);

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`spans: list and trace, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage({ colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } }, async (page) => {
        await page.goto(`${s.url}/profiles?query=timed&view=spans`);
        await rows(page).first().click();
        await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
        await screenshot(page, `spans-${theme}-${width}`);
        await page.goto(`${s.url}/traces`);
        await rows(page).first().waitFor();
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing is cut off at the right");
        await screenshot(page, `traces-${theme}-${width}`);
        await page.goto(`${s.url}/traces?trace=${traceA}`);
        await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
        await screenshot(page, `trace-${theme}-${width}`);
      });
    });

test("spans: each has its cost, the largest first, and its own flame graph", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=timed&view=spans`);
    await count(page, 3);
    const first = (await rows(page).first().textContent()) ?? "";
    assert.match(first, /^100 ms66\.7%10/);
    assert.match((await page.locator(".table-foot").first().textContent()) ?? "", /3 spans; 93\.3% of the cost is in spans/);
    await rows(page).nth(1).click();
    await page.locator(".summary strong", { hasText: "30.0 ms" }).waitFor();
    assert.equal(param(page, "span"), spanBurst);
    await count(page, 3);
    await page.getByRole("button", { name: "With everything of its trace" }).click();
    await page.locator(".summary strong", { hasText: "130 ms" }).waitFor();
    assert.equal(param(page, "trace"), traceA);
    await count(page, 2);
    await page.goBack();
    await page.getByRole("link", { name: "Its trace in all services" }).click();
    await count(page, 3); // the other service's too
    assert.equal(new URL(page.url()).pathname, "/traces");
  });
});

test("spans: samples without spans are told so", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=sums&view=spans`);
    await page.locator(".empty", { hasText: "belong to no spans" }).waitFor();
  });
});

test("traces: of all services the costly spans, and one click leads to the trace", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces`);
    await count(page, 4);
    await page.locator("main", { hasText: "traces themselves" }).waitFor();
    await rows(page).first().click();
    await eventually("the trace in the address", async () => param(page, "trace") === traceA && param(page, "span") === spanTick);
    await count(page, 3);
    await graph(page, "100 ms");
    assert.equal(await page.locator(".span-table b").count(), 0, "a name is no markup");
    await page.keyboard.press("u");
    await count(page, 4);
  });
});

for (const [what, pasted] of [
  ["an id with dashes", "0AF76519-16cd-43dd-8448-eb211c80319c"],
  ["a traceparent header", `traceparent: 00-${traceA}-${spanBurst}-01`],
] as const)
  test(`traces: ${what} is followed by the keys alone`, async () => {
    const s = await server();
    await withPage({}, async (page) => {
      await page.goto(`${s.url}/traces`);
      await rows(page).first().waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(pasted);
      await page.keyboard.press("Enter");
      await count(page, 3);
      assert.equal(param(page, "trace"), traceA);
      if (what.includes("header")) {
        await graph(page, "30.0 ms");
        await page.getByRole("button", { name: "With everything of its trace" }).press("Enter");
      }
      await graph(page, "150 ms");
    });
  });

test("traces: what is no id is said while it is typed, and what is not there is looked for further back", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces`);
    await page.locator("#search").fill("<script>alert(1)</script>");
    await page.locator(".id-box", { hasText: "32 hexadecimal digits" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Show" }).isDisabled(), true);
    await page.goto(`${s.url}/traces?trace=${"1".repeat(32)}`);
    await page.locator(".empty", { hasText: "Nothing of this trace was found" }).waitFor();
    await page.getByRole("button", { name: "Look in the last 30 days" }).click();
    await eventually("the range", async () => param(page, "from") === "now-30d");
    await page.goto(`${s.url}/traces?trace=${traceB}`);
    await count(page, 1);
  });
});

test("dashboards: the address is kept and says that there are none", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/dashboards`);
    await page.locator(".empty", { hasText: "no dashboards yet" }).waitFor();
    assert.equal(await page.locator("nav a", { hasText: "Dashboards" }).count(), 0);
  });
});
