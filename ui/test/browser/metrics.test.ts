// SPDX-License-Identifier: Apache-2.0
// Browser tests of the page of PromQL queries, on a real server with metrics sent by OTLP.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { formatMetric } from "../../src/promql/metric_units";
import { test } from "../tap";
import { instant, manySeries, metricServer, MetricServer } from "./metric_data";
import { eventually, screenshot, withPage } from "./pages";

const rate = "sum by (route) (rate(http_requests_total[5m]))";
const link = ({ server, from, to }: MetricServer, exprs: string[], more = "") =>
  `${server.url}/promql?from=${from}&to=${to}${exprs.map(
    (e) => `&expr=${encodeURIComponent(e)}`,
  ).join("")}${more}`;
const params = (page: Page) => new URL(page.url()).searchParams;
const tableRows = (page: Page) => page.locator(".metric-table .data-row");
const legend = (page: Page) => page.locator(".metric-legend button");

for (const theme of ["light", "dark"] as const)
  for (const width of [390, 1280, 1920])
    test(`metrics: list, chart and table, ${theme}, ${width} wide`, async () => {
      const s = await metricServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        for (const [name, url] of [
          ["list", link(s, [])],
          ["lines", link(s, [rate, "heap_bytes"])],
          ["stacked", link(s, [rate], "&draw=stacked&result=chart")],
          ["bars", link(s, [rate], "&draw=bars&result=chart")],
        ]) {
          await page.goto(url);
          await page.locator(".data-row, .metric-legend button").first().waitFor();
          await page.waitForLoadState("networkidle");
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `metrics-${name}-${theme}-${width}`);
        }
      });
    });

test("metrics: the numbers are those of the API", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, [rate]));
    await tableRows(page).nth(1).waitFor();
    const values = await instant(s.server.url, rate, s.to, "route");
    assert.deepEqual(Object.keys(values).sort(), ["/", "/pay"]);
    for (const [route, value] of Object.entries(values)) {
      const text = formatMetric(value, "/s");
      await page.locator(
        ".metric-table .data-row",
        { hasText: route },
      ).filter({ hasText: text }).first().waitFor();
      const names = await legend(page).allTextContents();
      assert.ok(names.includes(route + text), `${names.join()} has ${route}${text}`);
    }
  });
});

test("metrics: a metric of the list becomes its usual query, with its unit", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, []));
    await page.getByLabel("Filter metrics").fill("duration");
    await page.getByRole("button", { name: "http_duration_seconds" }).click();
    await eventually("the query is in the address", async () =>
      params(page).get("expr")?.startsWith("histogram_quantile(0.9"),
    );
    await legend(page).first().waitFor();
    const values = await instant(
      s.server.url,
      params(page).get("expr")!.replace("$__rate_interval", "1m"),
      s.to,
      "job",
    );
    const text = formatMetric(values.shop, "s");
    assert.match(text, /ms$/);
    await page.locator(
      ".metric-table .data-row",
      { hasText: "shop" },
    ).filter({ hasText: text }).waitFor();
    await page.goBack();
    await page.getByLabel("Filter metrics").waitFor();
  });
});

test("metrics: completion of metrics, labels and values with the keyboard", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, []));
    const field = page.locator("#search");
    await field.pressSequentially("sum(rate(http_req");
    const first = page.locator(".completion li").first();
    await first.filter(
      { hasText: "http_requests_total" },
    ).filter({ hasText: "Requests by route" }).waitFor();
    await page.keyboard.press("Tab");
    await field.pressSequentially("{ro");
    await first.filter({ hasText: "route" }).waitFor();
    await page.keyboard.press("Tab");
    await field.pressSequentially("=");
    await first.filter({ hasText: "/" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await field.pressSequentially("}[5m]))");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    await eventually("the query is run", async () =>
      params(page).get("expr") === 'sum(rate(http_requests_total{route="/pay"}[5m]))',
    );
    await legend(page).filter({ hasText: "8/s" }).waitFor(); // two services, 4 per second each
  });
});

test("metrics: an error is shown at its place, and another query is not affected", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, ["sum(heap_bytes))", "heap_bytes"]));
    await page.locator(".query-error", { hasText: "Line 1, column 16" }).waitFor();
    await page.locator(".query-error mark", { hasText: ")" }).waitFor();
    assert.equal(await page.locator(".query-error").count(), 1);
    await legend(page).first().waitFor();
    assert.equal(await legend(page).count(), 2);
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});

test("metrics: at most 100 series are drawn, and the page says how many there are", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, ["many"]));
    await page.locator(".note.warn", { hasText: `${manySeries} series at the end` }).waitFor();
    assert.equal(await legend(page).count(), 100);
    await page.locator(".table-foot", { hasText: `${manySeries} series` }).waitFor();
  });
});

test("metrics: a series is isolated by a click, and everything is in the address", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, [rate]));
    await legend(page).filter({ hasText: "/pay" }).click();
    await eventually(
      "the series is in the address",
      async () => params(page).get("only") === "/pay",
    );
    await page.getByRole("button", { name: "Stacked" }).click();
    await page.getByLabel("Step").selectOption("1m");
    await page.reload();
    await legend(page).nth(1).waitFor();
    assert.equal(await page.locator(".metric-legend button.off").count(), 1);
    assert.equal(params(page).get("draw"), "stacked");
    assert.equal(params(page).get("step"), "1m");
    await page.getByRole("button", { name: "Stacked" }).focus();
    await page.keyboard.press("o");
    await eventually("all series are shown", async () => params(page).get("only") === null);
    await page.getByRole("button", { name: "value" }).click();
    await eventually("the table is sorted", async () => params(page).get("order") === "value");
  });
});

test("metrics: a drag narrows the range, a double click widens it", async () => {
  const s = await metricServer();
  await withPage({}, async (page) => {
    await page.goto(link(s, ["heap_bytes"], "&result=chart"));
    const over = page.locator(".metric-chart .u-over");
    await over.waitFor();
    await page.waitForLoadState("networkidle");
    const box = (await over.boundingBox())!;
    await page.mouse.move(box.x + box.width / 4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await eventually("the range is narrower", async () =>
      Number(params(page).get("to")) - Number(params(page).get("from")) < 10 * 60_000,
    );
    await page.waitForLoadState("networkidle");
    await page.locator(".metric-chart .u-over").dblclick();
    await eventually(
      "the range is as before",
      async () => params(page).get("from") === String(s.from),
    );
  });
});
