// SPDX-License-Identifier: Apache-2.0
// The page of alerts, on a real server with rules that fire, wait and fail.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firing, RuleGroup } from "../../src/alerts/alert_lists";
import { durationText } from "../../src/promql/prom_answer";
import { test } from "../tap";
import { brokenRules, cutControls } from "./rules";
import { eventually, screenshot, temporary, withPage } from "./pages";
import { Server } from "./server";

const rules = `groups:
  - name: checkout
    interval: 1s
    rules:
      - record: orders:total
        expr: vector(7)
      - alert: TooManyOrders
        expr: orders:total > 5
        labels: {severity: page, team: shop}
        annotations:
          summary: "{{ $value }} orders are waiting"
          description: Orders wait for a worker.
          runbook_url: http://127.0.0.1/runbook
      - alert: SlowlyFilling
        expr: orders:total * 2 > 10
        for: 1h
        annotations: {summary: The queue grows}
  - name: broken
    interval: 1s
    rules:
      - record: both
        expr: label_replace(vector(1), "a", "b", "", "") or label_replace(vector(2), "a", "c", "", "")
        labels: {a: same}
      - alert: Never
        expr: vector(0) > 1
`;

async function groupsOf(s: Server): Promise<RuleGroup[]> {
  const answer = await fetch(`${s.url}/prometheus/api/v1/rules`);
  return ((await answer.json()) as { data: { groups: RuleGroup[] } }).data.groups;
}

async function wasFiring(s: Server, time: number): Promise<boolean> {
  const query = encodeURIComponent(firing);
  const answer = await fetch(`${s.url}/prometheus/api/v1/query?query=${query}&time=${time}`);
  return ((await answer.json()) as { data: { result: unknown[] } }).data.result.length > 0;
}

const alertsOf = (groups: RuleGroup[]) =>
  groups.flatMap((g) => g.rules).flatMap((r) => r.alerts ?? []);

let known: Promise<Server> | null = null;

// Return a server whose rules have been evaluated.
function ruleServer(): Promise<Server> {
  known ??= (async () => {
    const file = join(temporary(), "rules.yml");
    writeFileSync(file, rules);
    const s = await new Server(undefined, ["--rules", file]).start();
    await eventually("the alert fires", async () => {
      const groups = await groupsOf(s);
      return (
        alertsOf(groups).some((a) => a.state === "firing") &&
        groups.every((g) => g.rules.every((r) => r.health !== "unknown"))
      );
    });
    // until the history has a value at a full step of a narrow page
    const until = Date.now() + 20_000;
    while (!(await wasFiring(s, Math.floor(Date.now() / 5000) * 5))) {
      assert.ok(Date.now() < until, "no history");
      await new Promise((done) => setTimeout(done, 200));
    }
    return s;
  })();
  return known;
}

for (const theme of ["light", "dark"] as const)
  for (const width of [390, 1280, 1920])
    test(`alerts: the page, ${theme}, ${width} wide`, async () => {
      const s = await ruleServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        await page.goto(`${s.url}/alerts?from=now-5m`);
        await page.locator(".alert.firing").first().waitFor();
        await page.locator(".history-bar").first().waitFor();
        await page.getByRole("button", { name: "TooManyOrders" }).click();
        await page.locator(".rule-details").waitFor();
        assert.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          "nothing is cut off at the right",
        );
        assert.deepEqual(await page.evaluate(brokenRules), []);
        assert.deepEqual(await page.evaluate(cutControls), []);
        await screenshot(page, `alerts-${theme}-${width}`);
        await page.locator(".rule-details").scrollIntoViewIfNeeded();
        await screenshot(page, `alerts-rules-${theme}-${width}`);
      });
    });

test("alerts: what the page shows is what the API returns", async () => {
  const s = await ruleServer();
  const groups = await groupsOf(s);
  const all = alertsOf(groups);
  await withPage({}, async (page) => {
    const range = page.waitForResponse((r) => r.url().includes("/query_range?"));
    await page.goto(`${s.url}/alerts?from=now-5m`);
    await page.locator(".alert.firing").first().waitFor();
    assert.equal(await page.locator(".alert").count(), all.length);
    for (const state of ["firing", "pending"]) {
      const count = all.filter((a) => a.state === state).length;
      const name = `${state === "firing" ? "Firing" : "Pending"} ${count}`;
      await page.getByRole("button", { name, exact: true }).waitFor();
    }
    const first = (await page.locator(".alert").first().textContent()) ?? "";
    assert.match(first, /^firingTooManyOrders/);
    assert.match(first, /value 7/);
    assert.match(first, /7 orders are waiting/);
    assert.match(first, /severity=page/);
    const second = (await page.locator(".alert").nth(1).textContent()) ?? "";
    assert.match(second, /^pendingSlowlyFilling.*value 14/);
    assert.equal(await page.locator(".rule").count(), groups.flatMap((g) => g.rules).length);
    const failed = groups.flatMap((g) => g.rules).find((r) => r.health === "err")!;
    assert.equal(await page.locator(".rule-error").textContent(), failed.lastError);
    // one alert has fired, without a gap
    const history = page.locator(".history-row", { hasText: "TooManyOrders" });
    await history.waitFor();
    assert.equal(await history.locator(".history-bar").count(), 1);
    assert.equal(await page.locator("li.history-row").count(), 1);
    const response = await range;
    const { data } = (await response.json()) as { data: { result: { values: unknown[] }[] } };
    const step = Number(new URL(response.url()).searchParams.get("step"));
    assert.equal(
      await history.locator(".history-sum").textContent(),
      durationText(data.result[0].values.length * step),
    );
  });
});

test("alerts: filters and unfolded rules are in the address", async () => {
  const s = await ruleServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/alerts`);
    await page.locator(".alert.firing").first().waitFor();
    await page.getByRole("button", { name: /^Pending/ }).click();
    await eventually("pending alerts", async () =>
      (await page.locator(".alert").count()) === 1 && /alerts=pending/.test(page.url()),
    );
    await page.getByRole("button", { name: /^All/ }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("toomany");
    await eventually("one alert and one rule", async () =>
      (await page.locator(".alert").count()) === 1 && (await page.locator(".rule").count()) === 1,
    );
    const toggle = page.getByRole("button", { name: "TooManyOrders" });
    await toggle.focus();
    await page.keyboard.press("Enter");
    await page.locator(".rule-query", { hasText: "orders:total > 5" }).waitFor();
    await page.reload();
    await page.locator(".rule-query", { hasText: "orders:total > 5" }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("find"), "toomany");
    await page.locator(".alert").getByRole("link", { name: "Expression" }).click();
    await page.waitForURL(/\/promql\?/);
    assert.equal(new URL(page.url()).searchParams.get("expr"), "orders:total > 5");
    await page.locator(".metric-table .data-row").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator("h1").click();
    await page.keyboard.press("8");
    await page.getByRole("heading", { name: "Alerts", exact: true }).waitFor();
  });
});

test("alerts: Prometheus' address of an expression opens it in Metrics", async () => {
  const s = await ruleServer();
  await withPage({}, async (page) => {
    const expr = encodeURIComponent("orders:total > 5");
    await page.goto(`${s.url}/graph?g0.expr=${expr}&g0.tab=1`);
    await page.getByRole("heading", { name: "Metrics" }).waitFor();
    await page.locator(".metric-table .data-row").first().waitFor();
    const url = new URL(page.url());
    assert.equal(url.pathname, "/promql");
    assert.deepEqual(url.searchParams.getAll("expr"), ["orders:total > 5"]);
  });
});

test("alerts: without rules the page says how to get some", async () => {
  const s = await new Server().start();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/alerts`);
    await page.getByRole("heading", { name: "No rules" }).waitFor();
    await page.getByText("varve up --rules rules.yml").waitFor();
    await screenshot(page, "alerts-none");
  });
});
