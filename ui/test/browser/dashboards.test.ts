// SPDX-License-Identifier: Apache-2.0
// Browser tests of dashboards, on a real server: panels, variables, editing, conflicts, import.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Page } from "playwright-core";
import { builtInNames } from "../../src/dashboards/built_in";
import { Dashboard } from "../../src/dashboards/model";
import { formatMetric } from "../../src/promql/metric_units";
import { test } from "../tap";
import { instant, metricServer } from "./metric_data";
import { eventually, screenshot, temporary, withPage } from "./pages";
import { shopServer } from "./shop_server";

const board: Dashboard = {
  version: 1,
  title: "Shop",
  variables: [
    {
      name: "job",
      type: "labels",
      label: "job",
      match: "http_requests_total",
      multi: true,
      all: true,
    },
  ],
  panels: [
    {
      type: "stat",
      title: "Requests",
      x: 0,
      y: 0,
      w: 12,
      h: 3,
      queries: [{ query: 'sum(rate(http_requests_total{job="$job"}[5m]))' }],
    },
    {
      type: "bar",
      title: "Heap",
      x: 12,
      y: 0,
      w: 12,
      h: 3,
      queries: [{ query: 'heap_bytes{job="$job"}', legend: "{{job}}" }],
    },
    {
      type: "chart",
      title: "Rate of $job",
      x: 0,
      y: 3,
      w: 12,
      h: 7,
      queries: [
        { query: 'sum by (route) (rate(http_requests_total{job="$job"}[$__rate_interval]))' },
      ],
    },
    {
      type: "heat",
      title: "Durations",
      x: 12,
      y: 3,
      w: 12,
      h: 7,
      queries: [{ query: "sum by (le) (rate(http_duration_seconds_bucket[5m]))" }],
    },
    {
      type: "table",
      title: "Now",
      x: 0,
      y: 10,
      w: 12,
      h: 7,
      queries: [{ query: 'heap_bytes{job="$job"}' }],
    },
    {
      type: "text",
      title: "About",
      x: 12,
      y: 10,
      w: 12,
      h: 7,
      text: "# Help\n**$job** <script>x</script> [a](javascript:alert(1)) [b](/logs)",
    },
    { type: "row", title: "Below", x: 0, y: 17, w: 24, h: 1 },
    { type: "chart", title: "Far", x: 0, y: 18, w: 24, h: 40, queries: [{ query: "heap_bytes" }] },
    {
      type: "chart",
      title: "Farther",
      x: 0,
      y: 58,
      w: 24,
      h: 10,
      queries: [{ query: "http_requests_total" }],
    },
  ],
};

const put = (url: string, name: string, dashboard: unknown) =>
  fetch(`${url}/api/v1/dashboards/${name}`, { method: "PUT", body: JSON.stringify(dashboard) });
const stored = async (url: string, name: string) =>
  (await (await fetch(`${url}/api/v1/dashboards/${name}`)).json()) as Dashboard;
const panel = (page: Page, title: string) => page.locator(
  ".board-panel",
  { hasText: title },
).first();
const params = (page: Page) => new URL(page.url()).searchParams;

async function opened(page: Page, name: string, more = "", document: unknown = board) {
  const s = await metricServer();
  assert.equal((await put(s.server.url, name, document)).status, 200);
  await page.goto(`${s.server.url}/dashboards?dashboard=${name}&from=${s.from}&to=${s.to}${more}`);
  await page.locator(".board-panel").first().waitFor();
  return s;
}

for (const theme of ["light", "dark"] as const)
  for (const width of [390, 1280, 1920])
    test(`dashboards: list, panels and editors, ${theme}, ${width} wide`, async () => {
      const height = width === 390 ? 844 : 1000;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        const check = async (name: string) => {
          await page.waitForLoadState("networkidle");
          await page.waitForTimeout(150);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            `${name}: nothing is cut off at the right`,
          );
          await screenshot(page, `dashboards-${name}-${theme}-${width}`);
        };
        const s = await opened(page, "shop");
        await check("panels");
        await page.goto(`${page.url()}&edit=1`);
        await panel(page, "Requests").focus();
        await check("edit");
        await page.keyboard.press("Enter");
        await page.getByRole("dialog").waitFor();
        await check("panel-editor");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Settings" }).click();
        await page.getByRole("dialog").waitFor();
        await check("settings");
        await page.goto(`${s.server.url}/dashboards`);
        await page.getByRole("link", { name: "Receiver otlp" }).waitFor();
        await check("list");
      });
    });

test("dashboards: the numbers of panels are those of the API, for the chosen values", async () => {
  await withPage({}, async (page) => {
    const s = await opened(page, "numbers");
    const url = s.server.url;
    const shows = async (title: string, text: string) =>
      panel(page, title).filter({ hasText: text }).waitFor();
    const sum = await instant(url, "sum(rate(http_requests_total[5m]))", s.to, "");
    await shows("Requests", formatMetric(sum[""], "/s"));
    const heap = await instant(url, "heap_bytes", s.to, "job");
    for (const title of ["Heap", "Now"]) {
      await shows(title, formatMetric(heap.shop, "B"));
      await shows(title, formatMetric(heap.cart, "B"));
    }
    await panel(page, "Rate of all").waitFor();
    // one value
    await page.getByRole("group", { name: "Variables" }).getByRole("button").click();
    await page.getByLabel("cart").check();
    await page.keyboard.press("Escape");
    await eventually(
      "the value is in the address",
      async () => params(page).get("var") === "job=cart",
    );
    await panel(page, "Rate of cart").waitFor();
    const cart = await instant(url, 'sum(rate(http_requests_total{job="cart"}[5m]))', s.to, "");
    await shows("Requests", formatMetric(cart[""], "/s"));
    await eventually(
      "only one heap is shown",
      async () => (await page.locator(".bar-rows li").count()) === 1,
    );
    // a link shows the same
    await page.reload();
    await shows("Requests", formatMetric(cart[""], "/s"));
  });
});

test("dashboards: a panel is loaded when it comes into view, and few queries run at once", async () => {
  await withPage({ viewport: { width: 1280, height: 700 } }, async (page) => {
    let now = 0;
    let most = 0;
    const asked: string[] = [];
    page.on("request", (r) => {
      if (!r.url().includes("/query")) return;
      asked.push(decodeURIComponent(r.url()));
      most = Math.max(most, ++now);
    });
    for (const end of ["requestfinished", "requestfailed"] as const)
      page.on(end as "requestfinished", (r) => void (r.url().includes("/query") && now--));
    await opened(page, "lazy");
    await page.waitForLoadState("networkidle");
    const far = (url: string) => url.includes("query=http_requests_total&");
    assert.ok(!asked.some(far), "a panel far below is not queried");
    await page.getByRole("heading", { name: "Farther" }).scrollIntoViewIfNeeded();
    await eventually("it is queried when it is visible", async () => asked.some(far));
    assert.ok(most <= 4, `${most} queries at once`);
  });
});

test("dashboards: text has no HTML, and links lead nowhere else", async () => {
  await withPage({}, async (page) => {
    await opened(page, "text");
    const text = panel(page, "About");
    await text.filter({ hasText: "<script>x</script>" }).waitFor();
    assert.deepEqual(
      await text.locator(".markdown a").evaluateAll(
        (all) => all.map((a) => a.getAttribute("href")),
      ),
      ["/logs"],
    );
    assert.equal(await text.locator("strong").textContent(), "all");
  });
});

test("dashboards: panels are moved, resized, duplicated, deleted with the keyboard, and saved", async () => {
  await withPage({}, async (page) => {
    const s = await opened(page, "edited", "&edit=1");
    const url = s.server.url;
    await panel(page, "Requests").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("d");
    await panel(page, "About").focus();
    await page.keyboard.press("Delete");
    assert.deepEqual(await stored(url, "edited"), board, "nothing is stored before it is saved");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const saved = await stored(url, "edited");
    const requests = saved.panels.filter((p) => p.title === "Requests");
    assert.deepEqual([requests.length, requests[0].w, requests[0].x], [2, 11, 1]);
    assert.ok(!saved.panels.some((p) => p.title === "About"));
    // a change that is discarded
    await page.keyboard.press("e");
    await panel(page, "Requests").focus();
    await page.keyboard.press("Delete");
    await page.getByRole("button", { name: "Discard" }).click();
    await panel(page, "Requests").waitFor();
    assert.deepEqual(await stored(url, "edited"), saved);
  });
});

test("dashboards: a panel is added and edited, with completion", async () => {
  await withPage({}, async (page) => {
    const s = await opened(
      page,
      "added",
      "&edit=1",
      { version: 1, title: "New", panels: [] },
    ).catch(
      () => metricServer(),
    );
    await page.getByRole("button", { name: "+ Panel" }).click();
    await page.getByRole("button", { name: "Single value" }).click();
    const dialog = page.getByRole("dialog", { name: /Panel/ });
    await dialog.getByLabel("Title").fill("Heap");
    await dialog.getByLabel("Query 1", { exact: true }).pressSequentially("hea");
    await page.locator(".completion li", { hasText: "Heap in use" }).click();
    await dialog.getByRole("button", { name: "+ Threshold" }).click();
    await dialog.getByRole("button", { name: "Apply" }).click();
    const heap = await instant(s.server.url, "heap_bytes", s.to, "job");
    await panel(page, "Heap").filter({ hasText: formatMetric(heap.shop, "B") }).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
    const { panels } = await stored(s.server.url, "added");
    assert.deepEqual(panels, [
      {
        type: "stat",
        title: "Heap",
        x: 0,
        y: 0,
        w: 6,
        h: 4,
        queries: [{ query: "heap_bytes" }],
        thresholds: [{ from: 0, colour: "bad" }],
      },
    ]);
  });
});

test("dashboards: a change of someone else is not overwritten", async () => {
  await withPage({}, async (page) => {
    const s = await opened(page, "conflict", "&edit=1");
    await panel(page, "About").focus();
    await page.keyboard.press("Delete");
    const theirs = { ...board, title: "Theirs" };
    assert.equal((await put(s.server.url, "conflict", theirs)).status, 200);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "changed meanwhile" }).waitFor();
    assert.equal((await stored(s.server.url, "conflict")).title, "Theirs");
    await page.getByRole("button", { name: "Load the other version" }).click();
    await page.getByRole("heading", { name: "Theirs" }).waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 412/.test(e));
  });
});

test("dashboards: the document is edited as JSON, and the server says what is wrong", async () => {
  await withPage({}, async (page) => {
    const s = await opened(page, "json", "&edit=1");
    await page.getByRole("button", { name: "JSON" }).click();
    const text = page.getByLabel("JSON");
    await text.fill('{"version":1,');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("alert").waitFor();
    await text.fill('{"version":1,"title":"J","panels":[{"type":"pie","x":0,"y":0,"w":4,"h":4}]}');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").filter({ hasText: "line" }).filter(
      { hasText: "one of chart" },
    ).waitFor();
    assert.equal((await stored(s.server.url, "json")).title, "Shop");
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});

test("dashboards: one of Grafana is imported, with notes on what is missing", async () => {
  const s = await metricServer();
  const file = join(temporary(), "grafana.json");
  writeFileSync(
    file,
    JSON.stringify({
      title: "From Grafana",
      schemaVersion: 39,
      templating: {
        list: [{ name: "job", type: "query", query: "label_values(heap_bytes, job)" }],
      },
      panels: [
        {
          type: "stat",
          title: "Heap",
          gridPos: { x: 0, y: 0, w: 12, h: 4 },
          fieldConfig: { defaults: { unit: "bytes" } },
          targets: [{ expr: 'heap_bytes{job="$job"}' }],
        },
        { type: "geomap", title: "Map", gridPos: { x: 12, y: 0, w: 12, h: 4 } },
      ],
    }),
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.server.url}/dashboards`);
    await page.getByRole("button", { name: "Import" }).click();
    await page.getByLabel("File of a dashboard").setInputFiles(file);
    await page.locator(".import-notes", { hasText: "geomap" }).waitFor();
    await screenshot(page, "dashboards-import");
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
    await page.getByRole("heading", { name: "From Grafana" }).waitFor();
    const heap = await instant(s.server.url, "heap_bytes", s.to, "job");
    await panel(page, "Heap").filter({ hasText: formatMetric(heap.cart, "B") }).waitFor();
    assert.equal((await stored(s.server.url, "from-grafana")).variables![0].match, "heap_bytes");
  });
});

test("dashboards: built-in ones are shown, and copied to be changed", async () => {
  const { server, from, to } = await shopServer();
  await withPage({}, async (page) => {
    for (const name of builtInNames) {
      await page.goto(`${server.url}/dashboards?dashboard=${name}&from=${from}&to=${to}`);
      await page.locator(".board-panel").first().waitFor();
      await page.waitForLoadState("networkidle");
      assert.deepEqual(await page.getByRole("alert").allTextContents(), [], name);
      await screenshot(page, `dashboards-${name.replace("/", "-")}`);
    }
    await page.goto(`${server.url}/dashboards?dashboard=built-in/service`);
    await page.getByRole("button", { name: "Copy to edit" }).click();
    await eventually("the copy is opened", async () => params(page).get("dashboard") === "service");
    await page.getByRole("button", { name: "Settings" }).waitFor();
    await page.goto(`${server.url}/dashboards`);
    await page.getByRole("link", { name: "Service" }).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "Service", exact: true }).count(), 2);
    page.pageErrors = page.pageErrors.filter((e) => !/status of 404/.test(e)); // no profiles
  });
});

test("dashboards: one panel is shown alone, and a drag narrows the range", async () => {
  await withPage({}, async (page) => {
    const s = await opened(page, "alone");
    await panel(page, "Rate of").hover();
    await page.getByRole("button", { name: "Show only Rate of all" }).click();
    await eventually(
      "one panel is left",
      async () => (await page.locator(".board-panel").count()) === 1,
    );
    const over = page.locator(".metric-chart .u-over");
    await over.waitFor();
    await page.waitForLoadState("networkidle");
    const box = (await over.boundingBox())!;
    await page.mouse.move(box.x + box.width / 4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await eventually(
      "the range is narrower",
      async () => Number(params(page).get("from")) > s.from,
    );
    await page.keyboard.press("Escape");
    await eventually(
      "all panels are shown",
      async () => (await page.locator(".board-panel").count()) > 5,
    );
  });
});
