// SPDX-License-Identifier: Apache-2.0
// Browser tests of one trace: critical path, groups, search, events and details of spans, on a real
// server with traces sent by OTLP.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, screenshot, withPage } from "./pages";
import { sendShopSpans, ShopData, ShopSpan } from "./shop_data";
import { shopServer } from "./shop_server";

const rows = (page: Page) => page.locator(".span-table .data-row");
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

// Return a trace with an error and a group of at least five equal spans.
function failedTrace(data: ShopData): { trace: string; spans: ShopSpan[]; charge: ShopSpan } {
  for (const charge of data.spans.filter((s) => s.error)) {
    const spans = data.spans.filter((s) => s.trace === charge.trace);
    if (spans.filter((s) => s.name === "SELECT stock").length >= 5)
      return { trace: charge.trace, spans, charge };
  }
  throw new Error("the data has no such trace");
}

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 390])
    test(`trace view: waterfall and details, ${theme}, ${width} wide`, async () => {
      const { server, data } = await shopServer();
      const { trace, charge } = failedTrace(data);
      const height = width === 390 ? 1200 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        await page.goto(`${server.url}/traces?trace=${trace}&span=${charge.id}&pane=span`);
        await page.locator(".span-message").waitFor();
        assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          "nothing is cut off at the right",
        );
        await screenshot(page, `trace-view-${theme}-${width}`);
      });
    });

test("trace view: head, critical path, events and errors", async () => {
  const { server, data } = await shopServer();
  const { trace, spans, charge } = failedTrace(data);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?trace=${trace}`);
    const head = page.locator(".trace-head");
    await head.waitFor();
    assert.match((await head.textContent())!, /POST \/checkout.*2 errors/);
    assert.match((await page.locator(".trace-services").textContent())!, /payment 2 spans1 error/);
    const row = rows(page).filter({ hasText: "payment.Charge" });
    await eventually("three ticks", async () => (await row.locator(".fall u").count()) === 3);
    assert.equal(await row.locator(".fall u.bad").count(), 1, "the exception is marked");
    assert.ok((await row.locator(".fall b").count()) > 0, "a part of the critical path");
    // All parts of the critical path together are as long as the trace.
    const root = (await rows(page).first().locator(".fall").boundingBox())!;
    const parts = await page
      .locator(".fall b")
      .evaluateAll((all) => all.map((b) => parseFloat((b as HTMLElement).style.width)));
    const sum = parts.reduce((a, b) => a + b, 0);
    assert.ok(root.width > 0 && Math.abs(sum - 100) < 0.5, `${sum}%`);
    await page.getByRole("button", { name: "Critical path" }).click();
    await eventually("no marks", async () => (await page.locator(".fall b").count()) === 0);
    assert.equal(param(page, "critical"), "0");
    assert.equal(spans.filter((s) => s.trace === charge.trace).length, spans.length);
  });
});

test("trace view: equal siblings are one row, which unfolds", async () => {
  const { server, data } = await shopServer();
  const { trace, spans } = failedTrace(data);
  const queries = spans.filter((s) => s.name === "SELECT stock");
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?trace=${trace}`);
    const group = rows(page).filter({ hasText: `× ${queries.length}` });
    await group.waitFor();
    assert.equal(await rows(page).count(), spans.length - queries.length + 1);
    assert.equal(await group.getAttribute("aria-expanded"), "false");
    await group.locator(".tree-toggle").click();
    await eventually(
      "the members are listed",
      async () => (await rows(page).count()) === spans.length + 1,
    );
    await page.getByRole("button", { name: "Group equal spans" }).click();
    await eventually("no group", async () => (await rows(page).count()) === spans.length);
    await page.goto(`${server.url}/traces?trace=${trace}&span=${queries[2].id}`);
    await page.locator(".data-row.selected", { hasText: "SELECT stock" }).waitFor();
  });
});

test("trace view: spans are searched by name and attribute, and n goes to the next match", async () => {
  const { server, data } = await shopServer();
  const { trace, spans } = failedTrace(data);
  const queries = spans.filter((s) => s.name === "SELECT stock");
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?trace=${trace}`);
    await rows(page).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("postgresql");
    const bar = page.locator(".fall-bar");
    await bar.locator("[role=status]", { hasText: `${queries.length} matches` }).waitFor();
    await page.keyboard.press("Enter");
    await bar.locator("[role=status]", { hasText: `1 of ${queries.length}` }).waitFor();
    assert.equal(param(page, "span"), queries[0].id);
    assert.equal(param(page, "find"), "postgresql");
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await bar.locator("[role=status]", { hasText: `2 of ${queries.length}` }).waitFor();
    await page.keyboard.press("N");
    await page.keyboard.press("N");
    await bar
      .locator("[role=status]", { hasText: `${queries.length} of ${queries.length}` })
      .waitFor();
  });
});

test("trace view: the details of a span lead to spans with the same attribute", async () => {
  const { server, data } = await shopServer();
  const { trace, charge } = failedTrace(data);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?trace=${trace}&span=${charge.id}`);
    await rows(page).first().waitFor();
    await page.keyboard.press("d");
    const panel = page.locator(".span-panel");
    await panel.waitFor();
    await panel.locator(".span-message", { hasText: "card declined after 3 retries" }).waitFor();
    const text = (await panel.textContent())!;
    for (const part of [
      "payment.retries3",
      "[eu, web]",
      "exception.typeCardDeclined",
      "service.version1.4.2",
      "payment.http 0.9",
      "Critical path",
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    await panel
      .locator("dd", { hasText: /^(?:visa|mastercard)/ })
      .getByRole("link")
      .click();
    await eventually("a search", async () =>
      /^\{ span\.payment\.provider = "(?:visa|mastercard)" \}$/.test(param(page, "q") ?? ""),
    );
    await page.locator(".found-table .data-row").first().waitFor();
  });
});

test("trace view: links lead to their span, and the JSON of the trace is copied", async () => {
  const { server, data } = await shopServer();
  const mail = data.spans.find((s) => s.links)!;
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(`${server.url}/traces?trace=${mail.trace}&span=${mail.id}&pane=span`);
    await page.getByRole("link", { name: "Span of this trace" }).click();
    await page.locator(".data-row.selected", { hasText: "orders publish" }).waitFor();
    await page.locator(".trace-head").getByRole("button", { name: "Copy JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
      resourceSpans: unknown[];
    };
    assert.ok(copied.resourceSpans.length >= 3);
  });
});

test("trace view: a missing parent is a row, and the costs of another time are offered", async () => {
  const { server, from } = await shopServer();
  const start = from - 3 * 3600_000;
  const trace = "feed000000000000000000000000aa01";
  const span = (id: string, parent: string, at: number, ms: number): ShopSpan => ({
    service: "lost",
    trace,
    id,
    parent,
    name: `part ${id.slice(-1)}`,
    kind: 2,
    from: start + at,
    ms,
    attributes: {},
  });
  await sendShopSpans(server.url, [
    span("fe00000000000001", "fe000000000000ff", 0, 40),
    span("fe00000000000002", "fe000000000000ff", 50, 50),
    span("fe00000000000003", "fe00000000000002", 60, 10),
  ]);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?trace=${trace}`);
    await rows(page).first().waitFor();
    assert.match((await rows(page).first().textContent())!, /missing parent fe000000…/);
    assert.deepEqual(
      await Promise.all([0, 1, 2, 3].map((i) => rows(page).nth(i).getAttribute("aria-level"))),
      ["1", "2", "2", "3"],
    );
    await page.getByRole("button", { name: "Use its time" }).click();
    await eventually("its range", async () => Number(param(page, "from")) < start);
    assert.equal(await page.locator(".trace-outside").count(), 0);
  });
});
