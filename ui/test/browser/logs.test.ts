// SPDX-License-Identifier: Apache-2.0
// Browser tests of log records, on a real server with records sent by OTLP.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, screenshot, withPage } from "./pages";
import { shopServer } from "./shop_server";

const lines = (page: Page) => page.locator(".log-line");
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const has = (page: Page, name: string, value: string | null) =>
  eventually(`${name} is ${value} in the address`, async () => param(page, name) === value);
const total = (page: Page, n: number) =>
  page
    .locator(".log-legend strong", {
      hasText: new RegExp(`^${n.toLocaleString("en-US")} records?$`),
    })
    .waitFor();

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 390])
    test(`logs: records and histogram, ${theme}, ${width} wide`, async () => {
      const { server, data } = await shopServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        await page.goto(`${server.url}/logs`);
        await total(page, data.logs.length);
        await lines(page).nth(2).click();
        await page.locator(".log-details").waitFor();
        assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          "nothing is cut off at the right",
        );
        await screenshot(page, `logs-${theme}-${width}`);
      });
    });

test("logs: the newest records are first, and older ones are loaded at the end", async () => {
  const { server, data } = await shopServer();
  const newest = [...data.logs].sort((a, b) => b.time - a.time);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs`);
    await lines(page).first().waitFor();
    assert.ok((await lines(page).first().textContent())!.includes(newest[0].text));
    const list = page.locator(".virtual-list");
    assert.ok((await lines(page).count()) < 120, "only visible lines are rendered");
    const end = page.locator(".note", { hasText: "No older records in this range." });
    await eventually("the last record", async () => {
      await list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
      return (await end.count()) > 0 && end.isVisible();
    });
    await list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await lines(page)
      .filter({ hasText: newest[newest.length - 1].text })
      .last()
      .waitFor();
  });
});

test("logs: filters by severity, service, text and attribute are in the address", async () => {
  const { server, data } = await shopServer();
  const bad = data.logs.filter((l) => l.severity >= 13);
  const of = (service: string) => data.logs.filter((l) => l.service === service);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs`);
    await total(page, data.logs.length);
    await page.getByLabel("Least severity").selectOption("warn");
    await total(page, bad.length);
    await has(page, "severity", "warn");
    await page.getByLabel("Least severity").selectOption("");
    await page.getByTitle("Filter by service").click();
    await page.locator(".pick", { hasText: "mail" }).click();
    await page.locator(".pick", { hasText: "payment" }).click();
    await page.keyboard.press("Escape");
    await total(page, of("mail").length + of("payment").length);
    await page.reload();
    await total(page, of("mail").length + of("payment").length);
    await page.getByRole("button", { name: "Remove the service mail" }).click();
    await total(page, of("payment").length);
    await page.keyboard.press("/");
    await page.keyboard.type("REFUSED the");
    await total(page, bad.filter((l) => l.text.includes("refused the")).length);
    await page.locator(".log-message mark", { hasText: "refused the" }).first().waitFor();
    await page.getByLabel("Compare the text").selectOption("part");
    await page.locator(".empty", { hasText: "No record matches" }).waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await total(page, data.logs.length);
    await page.getByLabel("Compare the text").selectOption("regex");
    await page.locator("#search").fill("loaded [7-9] items");
    await total(page, data.logs.filter((l) => /loaded [7-9] items/.test(l.text)).length);
    await page.locator("#search").fill("loaded (");
    await page.locator(".note.bad", { hasText: "missing closing parenthesis" }).waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});

test("logs: a record unfolds to its attributes, which narrow the list", async () => {
  const { server, data } = await shopServer();
  const declined = data.logs.filter((l) => l.attributes["exception.type"] === "CardDeclined");
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs?severity=error`);
    await lines(page).first().click();
    const details = page.locator(".log-details");
    await details.waitFor();
    assert.match(
      (await details.textContent())!,
      /exception\.typeCardDeclined.*host\.namepayment-7d9f/s,
    );
    await page.reload();
    await details.waitFor(); // it is in the address
    const exception = details.locator(".attributes > div", { hasText: "exception.type" });
    await exception.hover();
    await exception.getByRole("button", { name: "Only" }).click();
    await has(page, "where", "exception.type=CardDeclined");
    await page.getByLabel("Least severity").selectOption("");
    await total(page, declined.length);
    await page.getByRole("button", { name: "Remove exception.type=CardDeclined" }).click();
    await page.getByRole("button", { name: "+ Attribute" }).click();
    await page.getByLabel("Attribute", { exact: true }).fill("attempt");
    await page.getByLabel("Value").fill("2");
    await page.keyboard.press("Enter");
    await total(page, data.logs.filter((l) => l.attributes.attempt === 2).length);
  });
});

test("logs: a record leads to its trace, and to the profile of its time and span", async () => {
  const { server, data } = await shopServer();
  const newest = [...data.logs].sort((a, b) => b.time - a.time).find((l) => l.severity === 17)!;
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs?severity=error`);
    await lines(page).first().click();
    await page.getByRole("link", { name: "Trace", exact: true }).click();
    await page.locator(".trace-head", { hasText: "POST /checkout" }).waitFor();
    assert.equal(param(page, "trace"), newest.trace);
    assert.equal(param(page, "span"), newest.span);
    await page.keyboard.press("o");
    const pane = page.locator('[aria-label="Logs"]');
    await pane.locator(".log-line", { hasText: "CardDeclined" }).waitFor();
    assert.equal(
      await pane.locator(".log-line").count(),
      data.logs.filter((l) => l.span === newest.span).length,
    );
    await page.getByRole("button", { name: "Of the trace", exact: true }).click();
    const ofTrace = data.logs.filter((l) => l.trace === newest.trace);
    await eventually(
      "the records of the trace",
      async () => (await pane.locator(".log-line").count()) === ofTrace.length,
    );
    await screenshot(page, "trace-logs");
    await page.getByRole("link", { name: "Open in Logs" }).click();
    await total(page, ofTrace.length);
    await page.locator(".chip", { hasText: "Trace" }).waitFor();
    await page.goto(`${server.url}/logs?severity=error`);
    await lines(page).first().click();
    await page.getByRole("link", { name: "Profile of this time" }).click();
    await page.locator(".summary strong").waitFor();
    assert.equal(param(page, "query"), "payment");
    assert.ok(Math.abs(Number(param(page, "from")) - newest.time) < 61_000);
    await page.goBack();
    await page.getByRole("link", { name: "Profile of the span" }).click();
    await page.locator(".chip", { hasText: "Span" }).waitFor();
  });
});

test("logs: a drag on the histogram narrows the range, a double click widens it", async () => {
  const { server, data } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs`);
    await total(page, data.logs.length);
    const cells = page.locator(".log-chart .heat-cells");
    const box = (await cells.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("an absolute range", async () => /^\d{13}$/.test(param(page, "from") ?? ""));
    const [from, to] = [Number(param(page, "from")), Number(param(page, "to"))];
    await total(page, data.logs.filter((l) => l.time >= from && l.time < to).length);
    await page.goBack();
    await total(page, data.logs.length);
    await page.locator(".log-legend button", { hasText: "error" }).click();
    await total(page, data.logs.filter((l) => l.severity >= 17).length);
    await page.keyboard.press("h");
    for (const key of ["End", "ArrowLeft", "Shift+ArrowLeft", "Enter"])
      await page.keyboard.press(key);
    await eventually("by keyboard", async () => /^\d{13}$/.test(param(page, "from") ?? ""));
  });
});

test("logs: the list works by keyboard, and an empty range offers a next step", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs`);
    await lines(page).first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".log-line.open.selected").waitFor();
    await page.keyboard.press("ArrowLeft");
    await eventually("folded", async () => (await page.locator(".log-details").count()) === 0);
    await page.goto(`${server.url}/logs?from=1000000000000&to=1000000060000`);
    await page.locator(".empty", { hasText: "No log records in this range" }).waitFor();
    await page.getByRole("button", { name: "Search the last 24 hours" }).click();
    await lines(page).first().waitFor();
  });
});

test("logs: text of records is shown as text", async () => {
  const { server, to } = await shopServer();
  const record = {
    timeUnixNano: `${to + 60_000}000000`,
    severityNumber: 9,
    body: { stringValue: '<img src=x onerror="alert(1)">\nsecond <b>line</b>' },
    attributes: [{ key: "<i>k</i>", value: { stringValue: "<script>v</script>" } }],
  };
  const answer = await fetch(`${server.url}/v1/logs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceLogs: [
        {
          resource: {
            attributes: [{ key: "service.name", value: { stringValue: "<b>service</b>" } }],
          },
          scopeLogs: [{ logRecords: [record] }],
        },
      ],
    }),
  });
  assert.equal(answer.status, 200);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/logs?service=${encodeURIComponent("<b>service</b>")}`);
    await lines(page).first().click();
    await page.locator(".log-text", { hasText: "second <b>line</b>" }).waitFor();
    assert.equal(await page.locator("main img, .log-pane b, .log-pane script").count(), 0);
  });
});
