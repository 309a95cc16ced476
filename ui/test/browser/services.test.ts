// SPDX-License-Identifier: Apache-2.0
// Browser tests of the start page: services that changed since the range before, with profiles and
// metrics of spans that a real server has received.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { formatShare, formatValue } from "../../src/base/units";
import { test } from "../tap";
import { instant } from "./metric_data";
import { eventually, screenshot, withPage } from "./pages";
import { Server } from "./server";
import { sendSamples } from "./timed_samples";

const stepMs = 15_000;
const hour = 3600e3;
const bounds = [0.01, 0.1, 1];
const kinds = { server: "SPAN_KIND_SERVER", client: "SPAN_KIND_CLIENT" };
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });

// What a service does in each step of 15 s: requests by bucket of duration, errors among them.
interface Load {
  buckets: number[];
  failed: number;
}

// steady does the same in both hours; worse is slower and fails more in the second.
const calm: Load = { buckets: [10, 80, 10, 0], failed: 1 };
const loads: Record<string, [Load, Load]> = {
  steady: [calm, calm],
  worse: [calm, { buckets: [10, 40, 40, 10], failed: 10 }],
};

function spanMetrics(service: string, from: number, middle: number, to: number) {
  const sums: object[] = [];
  const durations: object[] = [];
  for (const kind of Object.values(kinds)) {
    const counts = bounds.map(() => 0).concat(0);
    let failed = 0;
    for (let at = from; at <= to; at += stepMs) {
      const load = loads[service][at <= middle ? 0 : 1];
      load.buckets.forEach((n, i) => (counts[i] += n));
      failed += load.failed;
      const all = counts.reduce((a, b) => a + b);
      const times = { startTimeUnixNano: `${from}000000`, timeUnixNano: `${at}000000` };
      const labels = [attribute("service_name", service), attribute("span_kind", kind)];
      for (const [status, n] of [
        ["STATUS_CODE_UNSET", all - failed],
        ["STATUS_CODE_ERROR", failed],
      ] as const)
        sums.push({
          ...times,
          asInt: String(n),
          attributes: [...labels, attribute("status_code", status)],
        });
      durations.push({
        ...times,
        attributes: labels,
        count: String(all),
        sum: all,
        bucketCounts: counts.map(String),
        explicitBounds: bounds,
      });
    }
  }
  return [
    {
      name: "traces.spanmetrics.calls",
      sum: { dataPoints: sums, aggregationTemporality: 2, isMonotonic: true },
    },
    {
      name: "traces.spanmetrics.duration",
      unit: "s",
      histogram: { dataPoints: durations, aggregationTemporality: 2 },
    },
  ];
}

interface Changed {
  server: Server;
  from: number;
  to: number;
}

let known: Promise<Changed> | null = null;

function changed(): Promise<Changed> {
  known ??= (async () => {
    const server = await new Server().start();
    const to = Math.floor(Date.now() / 60e3) * 60e3;
    const from = to - hour;
    const response = await fetch(`${server.url}/v1/metrics`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        resourceMetrics: Object.keys(loads).map((service) => ({
          resource: { attributes: [attribute("service.name", service)] },
          scopeMetrics: [{ metrics: spanMetrics(service, from - hour, from, to) }],
        })),
      }),
    });
    assert.equal(response.status, 200, await response.text());
    const push = (service: string, time: number, count: number) =>
      sendSamples(
        server.url,
        service,
        Array.from({ length: count }, () => ({ time, stack: "main;work" })),
      );
    for (const minutes of [10, 30, 50]) {
      for (const service of Object.keys(loads)) {
        await push(service, from - minutes * 60e3, 1000);
        await push(service, to - minutes * 60e3, 1005);
      }
      await push("big", from - minutes * 60e3, 3000);
      await push("big", to - minutes * 60e3, 3009);
    }
    return { server, from, to };
  })();
  return known;
}

const link = ({ server, from, to }: Changed, more = "") =>
  `${server.url}/?from=${from}&to=${to}${more}`;
const names = (page: Page) => page.locator(".service-name").allTextContents();
const cell = (page: Page, service: string, column: string) =>
  page.locator(".service", { hasText: service }).locator(`td.${column}`);

test("services: the numbers and their changes are those of the API", async () => {
  const s = await changed();
  const of = 'span_kind="SPAN_KIND_SERVER"';
  const ask = (query: string, at: number) => instant(s.server.url, query, at, "service_name");
  const quantile = (q: number) =>
    `histogram_quantile(${q}, sum by (service_name, le) (increase(traces_spanmetrics_duration_seconds_bucket{${of}}[1h])))`;
  const calls = (more = "") =>
    `sum by (service_name) (increase(traces_spanmetrics_calls_total{${of}${more}}[1h]))`;
  const failed = calls(',status_code="STATUS_CODE_ERROR"');
  await withPage({}, async (page) => {
    await page.goto(link(s));
    await page.locator(".service-link").first().waitFor();
    for (const service of Object.keys(loads)) {
      const count = (await ask(calls(), s.to))[service];
      const bad = (await ask(failed, s.to))[service];
      assert.ok(count > 10_000 && bad > 0);
      const expected: Record<string, string> = {
        requests: String(Number((count / 3600).toPrecision(3))),
        errors: formatShare(bad, count),
      };
      for (const [column, q] of [["p50", 0.5], ["p99", 0.99]] as const)
        expected[column] = formatValue((await ask(quantile(q), s.to))[service] * 1e9, "nanoseconds");
      for (const [column, text] of Object.entries(expected)) {
        const shown = (await cell(page, service, column).textContent())!;
        assert.ok(shown.startsWith(text), `${service}, ${column}: ${shown} begins with ${text}`);
      }
    }
    assert.equal(await cell(page, "big", "requests").textContent(), "");
  });
});

test("services: the worst change is first, and noise is grey", async () => {
  const s = await changed();
  await withPage({}, async (page) => {
    await page.goto(link(s));
    await page.locator(".service-link").first().waitFor();
    assert.deepEqual(await names(page), ["worse", "big", "steady"]);
    const change = (service: string, column: string) =>
      cell(page, service, column).locator(".service-change");
    for (const column of ["errors", "p99"]) {
      assert.match((await change("worse", column).getAttribute("class"))!, /worse/);
      assert.match((await change("steady", column).getAttribute("class"))!, /soft/);
    }
    for (const service of ["worse", "steady", "big"]) {
      const own = change(service, "cost");
      assert.match((await own.textContent())!, /^\+0\.[35]%$/);
      assert.match((await own.getAttribute("class"))!, /soft/, "0.3 and 0.5 % are noise");
    }
  });
});

test("services: sort and filter are in the address, and Back restores them", async () => {
  const s = await changed();
  await withPage({ viewport: { width: 1280, height: 260 } }, async (page) => {
    const asked: string[] = [];
    page.on("request", (r) => /\/api\/v1\//.test(r.url()) && asked.push(r.url()));
    await page.goto(link(s));
    await page.locator(".service-link").first().waitFor();
    await page.waitForLoadState("networkidle");
    assert.ok(asked.length <= 9, asked.join("\n"));
    await page.getByRole("button", { name: "CPU, cores" }).click();
    await page.waitForURL(/services=-cost/);
    assert.deepEqual(await names(page), ["big", "steady", "worse"]); // equal costs: by name
    await page.getByRole("button", { name: "Errors" }).click();
    await page.waitForURL(/services=-errors/);
    assert.deepEqual(await names(page), ["worse", "steady", "big"]);
    await page.evaluate(() => window.scrollTo(0, 30));
    await page.waitForTimeout(100);
    await page.locator(".service", { hasText: "worse" }).locator("td.p50").click();
    await page.waitForURL(/\/profiles\?query=worse/);
    await page.locator(".summary").waitFor();
    await page.goBack();
    await page.locator(".service-link").first().waitFor();
    assert.deepEqual(await names(page), ["worse", "steady", "big"]);
    await eventually("the position", () => page.evaluate(() => window.scrollY === 30));
    await page.goto(link(s, "&find=ste"));
    await page.locator(".service-link").first().waitFor();
    assert.deepEqual(await names(page), ["steady"]);
    assert.match((await page.locator(".foot").textContent())!, /^1 of 3 services/);
  });
});

for (const theme of ["light", "dark"] as const)
  for (const width of [390, 1280, 1920])
    test(`services: changes, ${theme}, ${width} wide`, async () => {
      const s = await changed();
      await withPage({ colorScheme: theme, viewport: { width, height: 600 } }, async (page) => {
        await page.goto(link(s));
        await page.locator(".service-link").first().waitFor();
        await page.waitForLoadState("networkidle");
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
        const heads = (await page.locator(".services thead th:visible").allTextContents()).length;
        assert.equal(heads, width === 390 ? 3 : 9);
        await screenshot(page, `services-changes-${theme}-${width}`);
      });
    });
