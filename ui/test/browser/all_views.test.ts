// SPDX-License-Identifier: Apache-2.0
// Browser tests that apply to all views: contrast, names of controls, layout shifts, overflow,
// queries, access, caching.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { sourceRoot, temporary, withPage } from "./pages";
import { Server } from "./server";

let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    s.push(
      join(sourceRoot, "examples/checkout.pb.gz"),
      "checkout",
      "--label",
      "version=v1",
      "--time",
      "now-20m",
    );
    s.push(
      join(sourceRoot, "examples/checkout-slow.pb.gz"),
      "checkout",
      "--label",
      "version=v2",
      "--time",
      "now-5m",
    );
    return s;
  })();
  return known;
}

const views: Record<string, string> = {
  services: "/",
  both: "/profiles?query=checkout",
  search: "/profiles?query=checkout&search=json",
  zoom: "/profiles?query=checkout&view=flame&zoom=runtime.main&zoom=main.main",
  table: "/profiles?query=checkout&view=table&function=strings.ToLower",
  tree: "/profiles?query=checkout&view=tree",
  sandwich: "/profiles?query=checkout&view=sandwich&function=strings.ToLower",
  heat: "/profiles?query=checkout&view=heat",
  spans: "/profiles?query=checkout&view=spans",
  findings: "/profiles?query=checkout&view=findings",
  compare:
    "/compare?query=checkout%7Bversion%3D%22v2%22%7D&before=checkout%7Bversion%3D%22v1%22%7D",
  traces: "/traces",
  "trace search": "/traces?chart=rate&q=%7B+status+%3D+error+%26%26+name+%3D+%22a%22+%7D",
  "expensive spans": "/traces?list=spans",
  logs: "/logs?service=a&where=b%3Dc&text=x",
  metrics: "/promql",
  "promql query": "/promql?expr=vector(1)&draw=stacked&exemplars=0",
  dashboards: "/dashboards",
  "built-in dashboard": "/dashboards?dashboard=built-in/host",
  "dashboard of the server": "/dashboards?dashboard=built-in/varve",
  alerts: "/alerts?find=a",
  status: "/status",
};

// Return texts whose contrast is below WCAG AA. Runs in the page.
function weakText(): string[] {
  const parse = (text: string) =>
    (/rgba?\(([^)]+)\)/.exec(text)?.[1] ?? "0 0 0 0").split(/[ ,/]+/).map(Number);
  const over = (top: number[], below: number[]) =>
    [0, 1, 2].map((i) => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
  const light = (rgb: number[]) => {
    const [r, g, b] = rgb.map((v) =>
      v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element: Element | null): number[] => {
    if (!element) return [255, 255, 255];
    const colour = parse(getComputedStyle(element).backgroundColor);
    return (colour[3] ?? 1) === 1 ? colour : over(colour, groundOf(element.parentElement));
  };
  const weak = new Set<string>();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent!.trim());
    const box = element.getBoundingClientRect();
    if (
      !own ||
      !box.width ||
      !box.height ||
      element.closest("[hidden], :disabled, .hidden-text, svg, noscript")
    )
      continue;
    const style = getComputedStyle(element);
    const ground = groundOf(element);
    const a = light(over(parse(style.color), ground));
    const b = light(ground);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large =
      parseFloat(style.fontSize) >= 24 ||
      (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5))
      weak.add(
        `${contrast.toFixed(2)} ${element.className || element.tagName}: ${element.textContent!.slice(0, 40)}`,
      );
  }
  return [...weak];
}

// Return controls without an accessible name. Runs in the page.
function nameless(): string[] {
  const list: string[] = [];
  for (const element of document.querySelectorAll<HTMLElement>(
    "button, a[href], input, select, textarea, canvas[tabindex], [role=button]",
  )) {
    const labels = (element as HTMLInputElement).labels;
    const name =
      element.getAttribute("aria-label") ||
      element.getAttribute("aria-labelledby") ||
      element.textContent?.trim() ||
      element.title ||
      (labels?.length ? labels[0].textContent : "");
    if (!name?.trim() && element.getAttribute("type") !== "file")
      list.push(element.outerHTML.slice(0, 120));
  }
  return list;
}

async function settled(page: Page) {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(250);
}

for (const theme of ["light", "dark"] as const)
  test(`all views: text has enough contrast and controls have names, ${theme}`, async () => {
    const s = await server();
    await withPage({ colorScheme: theme }, async (page) => {
      for (const [name, path] of Object.entries(views)) {
        await page.goto(s.url + path);
        await settled(page);
        assert.deepEqual(await page.evaluate(weakText), [], name);
        assert.deepEqual(await page.evaluate(nameless), [], name);
      }
    });
  });

test("all views: nothing is cut off at the right, at any width", async () => {
  const s = await server();
  for (const width of [390, 768, 1280])
    await withPage({ viewport: { width, height: 800 } }, async (page) => {
      for (const [name, path] of Object.entries(views)) {
        await page.goto(s.url + path);
        await settled(page);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width, name);
      }
    });
});

// Cumulative layout shift as in Lighthouse, where values up to 0.1 are good.
test("all views: no layout shift while a view loads", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.addInitScript(() => {
      const w = window as unknown as { shift: number };
      w.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        })[])
          if (!entry.hadRecentInput) w.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const [name, path] of Object.entries(views)) {
      await page.goto(s.url + path);
      await settled(page);
      const shift = await page.evaluate(() => (window as unknown as { shift: number }).shift);
      assert.ok(shift < 0.05, `${name}: ${shift.toFixed(3)}`);
    }
  });
});

test("all views: the queries of a link are sent once, before the page is rendered", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const asked: string[] = [];
    page.on("request", (r) => void (r.url().includes("/api/") && asked.push(r.url())));
    await page.goto(`${s.url}/profiles?query=checkout&zoom=runtime.main`);
    await page.locator(".flame-hidden").waitFor();
    await settled(page);
    assert.deepEqual(
      asked.filter((url, i) => asked.indexOf(url) !== i && !url.includes("/labels")),
      [],
    );
    assert.match(asked[0], /\/flame\?.*path=runtime\.main/);
    assert.match(asked[1], /\/top\?/);
  });
});

const secret = "0123456789abcdef";

// Check that downloads work with the user's credentials, and that no URL contains the token or the
// tenant.
async function downloadsOf(page: Page, s: Server, headers: Record<string, string>) {
  const urls: string[] = [];
  page.on("request", (r) => void urls.push(r.url()));
  await page.goto(`${s.url}/profiles?query=checkout`);
  await page.locator(".flame-hidden").waitFor();
  for (const [name, format] of [["pprof", "pprof"], ["Folded stacks", "folded"]]) {
    await page.getByRole("button", { name: "Download" }).click();
    const link = page.locator(".download-menu a", { hasText: name });
    const href = (await link.getAttribute("href"))!;
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const response = await fetch(s.url + href, { headers });
    assert.equal(response.status, 200);
    assert.ok(
      readFileSync(await download.path()).equals(Buffer.from(await response.arrayBuffer())),
      format,
    );
    assert.match(download.suggestedFilename(), /^profile\./);
    assert.equal((await fetch(s.url + href)).status, 401, "the link alone is not authorized");
  }
  for (const url of urls) assert.ok(!url.includes(secret) && !url.includes("red"), url);
}

test("all views: the browser asks for the token, and the page for the tenant", async () => {
  const folder = temporary();
  const tokens = join(folder, "tokens");
  writeFileSync(tokens, `${secret}\n`);
  const s = await new Server(join(folder, "data"), ["--token-file", tokens, "--tenants"]).start();
  const basic = `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`;
  const body = readFileSync(join(sourceRoot, "examples/checkout.pb.gz"));
  const kept = await fetch(`${s.url}/api/v1/upload?service=checkout&time=now-5m`, {
    method: "POST",
    body,
    headers: { authorization: basic, "x-scope-orgid": "red" },
  });
  assert.equal(kept.status, 200);
  await withPage({ httpCredentials: { username: "me", password: secret } }, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".empty", { hasText: "Select a tenant" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "the prompt is not an error");
    await page.getByLabel("Tenant").fill("red");
    // Queries before the tenant was entered.
    page.pageErrors = page.pageErrors.filter((c) => !/status of 401/.test(c));
    const asked: string[] = [];
    page.on("response", (r) => asked.push(`${r.status()} ${r.url()}`));
    await page.keyboard.press("Enter");
    await page.locator(".service-name", { hasText: "checkout" }).waitFor();
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.locator(".summary").waitFor();
    assert.deepEqual(
      asked.filter((a) => !/^(200|304) /.test(a)),
      [],
      "all later queries send the tenant",
    );
    await downloadsOf(page, s, { authorization: basic, "x-scope-orgid": "red" });
    await page.getByTitle("Tenant red").click();
    await page.getByLabel("Tenant", { exact: true }).fill("blue");
    await page.keyboard.press("Enter");
    await page.locator(".empty").waitFor(); // another tenant has no data
    page.pageErrors = page.pageErrors.filter((c) => !/status of 404/.test(c));
  });
  await s.stop();
});

test("all views: the content security policy is strict, and assets are cached forever", async () => {
  const s = await server();
  const page = await fetch(`${s.url}/profiles`);
  const policy = page.headers.get("content-security-policy")!;
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self'(;|$)/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal(page.headers.get("cache-control"), "no-cache");
  const again = await fetch(`${s.url}/profiles`, {
    headers: { "if-none-match": page.headers.get("etag")! },
  });
  assert.equal(again.status, 304);
  const script = /src="(\/assets\/[^"]+)"/.exec(await page.text())![1];
  assert.match((await fetch(s.url + script)).headers.get("cache-control")!, /immutable/);
  assert.equal((await fetch(`${s.url}/nowhere`)).status, 404);
});
