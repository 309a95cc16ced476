// SPDX-License-Identifier: Apache-2.0
// Browser tests of all pages with data of the size of a company (varve demo --large): 166 services,
// 37 labels, 700 senders, stacks of 900 frames, a trace of 6,000 spans. With fewer pods than the
// demo has by default, so that the tests are quick.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { test } from "../tap";
import { pick, run, screenshot, withPage } from "./pages";
import { brokenRules, cutControls } from "./rules";
import { Server } from "./server";

const pods = 900;
const first = "com.bigcompany.checkout.platform.order-pipeline-0"; // the service with the most pods
const deep = "com.bigcompany.catalog.platform.order-pipeline-1"; // has stacks of 900 frames
const range = "from=now-2h&to=now";
const version = (n: number, service: string, build: number) =>
  encodeURIComponent(`${service}{service.version="2026.11.${n}-build.${build}"}`);

let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    run("demo", "--large", "--pods", String(pods), "--url", s.url, "--endpoint", s.url, "-q");
    return s;
  })();
  return known;
}

const views: Record<string, string> = {
  profiles: `/profiles?query=${first}&${range}`,
  grouped: `/profiles?query=${first}&by=k8s.pod.name&${range}`,
  multiples: `/profiles?query=${first}&by=cloud.zone&multiples=1&${range}`,
  services: `/profiles?query=%7B%7D&view=flame&${range}`,
  tree: `/profiles?query=${deep}&view=tree&${range}`,
  sandwich: `/profiles?query=${first}&view=sandwich&${range}`,
  choose: `/profiles?${range}`,
  start: `/?${range}`,
  compare: `/compare?query=${version(19, first, 41019)}&before=${version(18, first, 41018)}&${range}`,
  traces: `/traces?${range}`,
  logs: `/logs?${range}`,
  status: "/status",
};

async function settled(page: Page) {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(400);
}

for (const theme of ["light", "dark"] as const)
  for (const width of [390, 1280, 1920])
    test(`large: all pages, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage({ colorScheme: theme, viewport: { width, height: 900 } }, async (page) => {
        page.setDefaultTimeout(30_000);
        for (const [name, path] of Object.entries(views)) {
          await page.goto(s.url + path);
          await settled(page);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth),
            width,
            `${name}: nothing is cut off at the right`,
          );
          assert.deepEqual(await page.evaluate(brokenRules), [], name);
          assert.deepEqual(await page.evaluate(cutControls), [], name);
          await screenshot(page, `large-${name}-${theme}-${width}`);
        }
      });
    });

test("large: the toolbar of profiles with a label has one row at 1280", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=${version(19, first, 41019)}&${range}`);
    await settled(page);
    assert.ok((await page.locator(".page > .bar").first().boundingBox())!.height < 40);
    await page.getByRole("group", { name: "Filters" }).getByText("service.version").waitFor();
  });
});

test("large: the start page lists 50 services, all on request, and sums what it lists", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const queries: string[] = [];
    page.on("request", (r) => r.url().includes("/api/v1/") && queries.push(r.url()));
    await page.goto(`${s.url}/?${range}`);
    await page.locator(".service-link").nth(49).waitFor();
    await settled(page);
    assert.ok(queries.length <= 9, `${queries.length} queries`);
    const foot = page.locator(".foot");
    assert.match((await foot.textContent())!, /50 of 166 services, /);
    await page.getByRole("button", { name: "Show 116 more" }).click();
    await page.waitForURL(/all=1/);
    assert.equal(await page.locator(".service").count(), 166);
    await page.locator("#search").fill("ledger -137");
    await page.waitForURL(/find=ledger/);
    assert.equal(await page.locator(".service").count(), 1);
    assert.match((await foot.textContent())!, /^1 of 166 services, /);
  });
});

test("large: a service, a label value and a page are found by a part of their names", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=${first}&${range}`);
    await settled(page);
    await page.getByRole("button", { name: /^Service: / }).click();
    await page.getByPlaceholder("Search: service").fill("ledger -137");
    assert.equal(await page.locator("#pick-list [role=option]").count(), 1);
    await page.keyboard.press("Enter");
    await page.waitForURL(/query=com\.bigcompany\.ledger\.\S+-137/);
    // recently chosen services are listed first
    await pick(page, "Service", first);
    await page.getByRole("button", { name: /^Service: / }).click();
    assert.match((await page.locator("#pick-list [role=option]").first().textContent())!, /order-pipeline-0$/);
    assert.match((await page.locator("#pick-list [role=option]").nth(1).textContent())!, /-137$/);
    await page.keyboard.press("Escape");

    const sizes: number[] = [];
    page.on("response", async (r) => {
      if (r.url().includes("label-values")) sizes.push((await r.body()).length);
    });
    await page.getByTitle("Filter by label").click();
    await page.getByLabel("Filter labels").fill("pod.name");
    await page.locator(".picks button", { hasText: "k8s.pod.name" }).click();
    await page.getByText(/more values?: type a part/).waitFor();
    const value = (await page.locator(".picks .pick-name").nth(7).textContent())!;
    await page.getByLabel("Filter values").fill(value.slice(-5));
    await page.locator(".picks .pick-name", { hasText: value }).first().click();
    await page.getByRole("group", { name: "Filters" }).getByText("k8s.pod.name").waitFor();
    assert.ok(Math.max(...sizes) < 20_000, `label values in ${Math.max(...sizes)} bytes`);

    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("status");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/status/);
  });
});

test("large: a grouped timeline shows ten values, and the sum of the others on request", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const answers: { bytes: number; rows: number; more: number }[] = [];
    page.on("response", async (r) => {
      if (!/series\?.*by=k8s/.test(r.url())) return;
      const { rows, row_count } = (await r.json()) as { rows: unknown[]; row_count: number };
      answers.push({ bytes: (await r.body()).length, rows: rows.length, more: row_count - 10 });
    });
    await page.goto(`${s.url}/profiles?query=${first}&by=k8s.pod.name&${range}`);
    const rest = page.locator(".legend button", { hasText: "more" });
    await rest.waitFor();
    assert.ok(answers[0].bytes < 60_000 && answers[0].rows === 10, JSON.stringify(answers[0]));
    assert.match((await rest.textContent())!, new RegExp(`${answers[0].more} more`));
    assert.equal(await rest.getAttribute("aria-pressed"), "false");
    await rest.click();
    await page.waitForURL(/rest=1/);
    await page.getByRole("button", { name: "Small charts" }).click();
    await page.waitForURL(/multiples=1/);
    assert.equal(await page.locator(".multiples > li").count(), 10);
  });
});

test("large: services are the roots of a flame graph of all services", async () => {
  const s = await server();
  await withPage({ viewport: { width: 1280, height: 900 } }, async (page) => {
    await page.goto(`${s.url}/profiles?query=%7B%7D&view=flame&${range}`);
    await page.locator(".flame-legend", { hasText: "order-pipeline-0" }).waitFor();
    await page.locator(".flame-canvas").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/zoom=com\.bigcompany\.checkout\.platform\.order-pipeline-0/);
    const all = Number(
      JSON.parse(s.query("top", first, "--type", "cpu", "--from", "now-2h", "--json")).total,
    );
    assert.ok(all > 0);
    await page.getByRole("button", { name: "Options" }).click();
    await page
      .locator('.options label:has(> span:text-is("Roots")) select')
      .selectOption("cloud.zone");
    await page.locator(".flame-legend", { hasText: "eu-central-1a" }).waitFor();
  });
});

test("large: the trace of 6,000 spans keeps its names and its nesting", async () => {
  const s = await server();
  await withPage({ viewport: { width: 1280, height: 1600 } }, async (page) => {
    await page.goto(
      `${s.url}/traces?${range}&q=${encodeURIComponent("{ duration > 5s }")}`,
    );
    await page.locator(".data-row").first().dblclick();
    await page.locator(".fall-name").nth(20).waitFor();
    const rows = await page.locator(".fall-name").evaluateAll((list) =>
      list.slice(0, 24).map((e) => ({
        level: Number(e.closest("[aria-level]")!.getAttribute("aria-level")),
        indent: parseFloat(getComputedStyle(e).paddingLeft),
        name: e.querySelector("bdi")!.getBoundingClientRect().width,
      })),
    );
    for (let i = 1; i < rows.length; i++)
      assert.equal(
        Math.sign(rows[i].indent - rows[i - 1].indent),
        Math.sign(rows[i].level - rows[i - 1].level),
        `row ${i} is indented by its level`,
      );
    const least = Math.min(...rows.map((row) => row.name));
    assert.ok(least > 60, `a name has ${least} pixels`);
    await screenshot(page, "large-trace");
  });
});

test("large: all 700 senders are listed, filtered and sorted", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    const section = page.locator('section[aria-label="Senders"]');
    await section.getByText(/^70\d senders/).waitFor();
    await section.getByRole("button", { name: /Show \d+ more/ }).waitFor();
    await section.getByLabel(/Filter senders/).fill("node-699.");
    await section.getByText(/^1 of 70\d senders/).waitFor();
    await section.getByLabel(/Filter senders/).fill("");
    await section.getByRole("button", { name: "Bytes" }).click();
    await page.waitForURL(/senders=-bytes/);
    const bytes = await section.locator("th[aria-sort=descending]").textContent();
    assert.match(bytes!, /Bytes/);
  });
});

test("large: three and more versions in one table, and a comparison per second", async () => {
  const s = await server();
  await withPage({ viewport: { width: 1280, height: 1000 } }, async (page) => {
    await page.goto(`${s.url}/compare?query=${version(19, first, 41019)}&before=${version(18, first, 41018)}&show=versions&${range}`);
    await page.locator(".version-table .data-row").nth(3).waitFor();
    const heads = await page.locator(".version-table [role=columnheader]").allTextContents();
    assert.deepEqual(heads.slice(1, 3).map((h) => h.trim()), [
      "2026.11.18-build.41018",
      "2026.11.19-build.41019",
    ]);
    await screenshot(page, "large-versions");
    await page.getByRole("button", { name: "Both", exact: true }).click();
    await page.getByLabel("Compare", { exact: true }).selectOption("second");
    await page.locator(".overall", { hasText: /per second \([\d,]+ seconds and/ }).waitFor();
    await page.locator(".data-row.noise").first().waitFor();
    await page.getByRole("button", { name: "Significant" }).click();
    await page.waitForURL(/sure=1/);
  });
});
