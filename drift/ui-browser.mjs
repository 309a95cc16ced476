// ui/test/browser/all_views.test.ts
import assert from "node:assert/strict";
import { readFileSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join3 } from "node:path";

// ui/test/tap.ts
var tests = [];
var endings = [];
function test(name, run2) {
  tests.push({ name, run: run2 });
}
var Skip = class extends Error {
};
function atEnd(run2) {
  endings.push(run2);
}
var comment = (text2) => text2.replace(/^/gm, "# ");
async function runOne({ name, run: run2 }, number) {
  try {
    await run2();
    console.log(`ok ${number} - ${name}`);
  } catch (e) {
    if (e instanceof Skip) console.log(`ok ${number} - ${name} # SKIP ${e.message}`);
    else {
      console.log(
        `not ok ${number} - ${name}
${comment(e instanceof Error ? e.stack ?? e.message : String(e))}`
      );
      return false;
    }
  }
  return true;
}
async function runAll(only = "") {
  const chosen = tests.filter((t) => t.name.includes(only));
  console.log(`1..${chosen.length}`);
  let failed = 0;
  for (const [i, t] of chosen.entries()) if (!await runOne(t, i + 1)) failed++;
  for (const end of endings.reverse()) await end();
  process.exitCode = failed || !chosen.length ? 1 : 0;
}

// ui/test/browser/pages.ts
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "/work/w/drift/ui/node_modules/playwright-core/index.mjs";
var program = process.env.VARVE;
var sourceRoot = process.env.SOURCE_ROOT ?? join(process.cwd(), "..");
var browser = null;
async function sharedBrowser() {
  if (!browser) {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"]
    });
    atEnd(() => browser?.close());
  }
  return browser;
}
function temporary() {
  const path = mkdtempSync(join(tmpdir(), "varve-browser-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
function run(...args) {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}
function folded(path, stacks) {
  writeFileSync(
    path,
    Object.entries(stacks).map(([stack, value]) => `${stack} ${value}
`).join("")
  );
  return path;
}
async function withPage(options, use) {
  const context = await (await sharedBrowser()).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(1e4);
  const page = await context.newPage();
  page.pageErrors = [];
  page.setDefaultTimeout(1e4);
  page.on("pageerror", (e) => page.pageErrors.push(`error: ${e.message}`));
  page.on("console", (m) => {
    const ours = m.text().includes("willReadFrequently");
    if (!ours && (m.type() === "error" || m.type() === "warning"))
      page.pageErrors.push(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    const { protocol, hostname } = new URL(r.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1" && hostname !== "localhost")
      page.pageErrors.push(`request: ${r.url()}`);
  });
  try {
    await use(page).catch((e) => page.pageErrors.push(e.stack ?? e.message));
    if (page.pageErrors.length) throw new Error(page.pageErrors.join("\n"));
  } finally {
    await context.close();
  }
}
async function screenshot(page, name) {
  const folder3 = join(dirname(fileURLToPath(import.meta.url)), "ui-screenshots");
  mkdirSync(folder3, { recursive: true });
  await page.screenshot({ path: join(folder3, `${name}.png`) });
}
async function eventually(what, check) {
  const end = Date.now() + 5e3;
  for (; ; ) {
    const result = await check();
    if (result) return result;
    if (Date.now() > end) throw new Error(`not within 5 s: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}

// ui/test/browser/server.ts
import { spawn } from "node:child_process";
import { join as join2 } from "node:path";
var Server = class {
  constructor(data = join2(temporary(), "data"), options = []) {
    this.data = data;
    this.options = options;
    atEnd(() => this.stop());
  }
  child = null;
  url = "";
  // `port` 0: any free port; a restart passes the previous one.
  async start(port = 0) {
    const args = [
      "server",
      "--data",
      this.data,
      "--listen",
      `127.0.0.1:${port}`,
      "--otlp-grpc",
      "127.0.0.1:0",
      "--otlp-http",
      "127.0.0.1:0",
      "--no-self-profile",
      ...this.options
    ];
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    this.url = await new Promise((found2, failed) => {
      let log = "";
      child.stderr.on("data", (bytes) => {
        log += bytes.toString();
        const line = /msg=ready http=(\S+)/.exec(log);
        if (line) found2(`http://${line[1]}`);
      });
      child.on("exit", () => failed(new Error(`the server ended: ${log}`)));
    });
    return this;
  }
  get port() {
    return Number(new URL(this.url).port);
  }
  async stop() {
    const child = this.child;
    this.child = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.on("exit", done));
    child.kill("SIGTERM");
    await ended;
  }
  push(file, service, ...args) {
    run("push", file, "--service", service, "--url", this.url, "--quiet", ...args);
  }
  query(...args) {
    return run("query", ...args, "--url", this.url);
  }
};

// ui/test/browser/all_views.test.ts
var known = null;
function server() {
  known ??= (async () => {
    const s = await new Server().start();
    s.push(
      join3(sourceRoot, "examples/checkout.pb.gz"),
      "checkout",
      "--label",
      "version=v1",
      "--time",
      "now-20m"
    );
    s.push(
      join3(sourceRoot, "examples/checkout-slow.pb.gz"),
      "checkout",
      "--label",
      "version=v2",
      "--time",
      "now-5m"
    );
    return s;
  })();
  return known;
}
var views = {
  services: "/",
  both: "/profiles?query=checkout",
  search: "/profiles?query=checkout&search=json",
  zoom: "/profiles?query=checkout&view=flame&zoom=runtime.main&zoom=main.main",
  table: "/profiles?query=checkout&view=table&function=strings.ToLower",
  tree: "/profiles?query=checkout&view=tree",
  sandwich: "/profiles?query=checkout&view=sandwich&function=strings.ToLower",
  heat: "/profiles?query=checkout&view=heat",
  spans: "/profiles?query=checkout&view=spans",
  compare: "/compare?query=checkout%7Bversion%3D%22v2%22%7D&before=checkout%7Bversion%3D%22v1%22%7D",
  traces: "/traces",
  "trace search": "/traces?chart=rate&q=%7B+status+%3D+error+%26%26+name+%3D+%22a%22+%7D",
  "expensive spans": "/traces?list=spans",
  logs: "/logs?service=a&where=b%3Dc&text=x",
  dashboards: "/dashboards",
  status: "/status"
};
function weakText() {
  const parse = (text2) => (/rgba?\(([^)]+)\)/.exec(text2)?.[1] ?? "0 0 0 0").split(/[ ,/]+/).map(Number);
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * (top[3] ?? 1) + below[i] * (1 - (top[3] ?? 1)));
  const light = (rgb) => {
    const [r, g, b] = rgb.map(
      (v) => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    if (!element) return [255, 255, 255];
    const colour = parse(getComputedStyle(element).backgroundColor);
    return (colour[3] ?? 1) === 1 ? colour : over(colour, groundOf(element.parentElement));
  };
  const weak = /* @__PURE__ */ new Set();
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    const box = element.getBoundingClientRect();
    if (!own || !box.width || !box.height || element.closest("[hidden], :disabled, .hidden-text, svg, noscript"))
      continue;
    const style = getComputedStyle(element);
    const ground = groundOf(element);
    const a = light(over(parse(style.color), ground));
    const b = light(ground);
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700;
    if (contrast < (large ? 3 : 4.5))
      weak.add(
        `${contrast.toFixed(2)} ${element.className || element.tagName}: ${element.textContent.slice(0, 40)}`
      );
  }
  return [...weak];
}
function nameless() {
  const list = [];
  for (const element of document.querySelectorAll(
    "button, a[href], input, select, textarea, canvas[tabindex], [role=button]"
  )) {
    const labels = element.labels;
    const name = element.getAttribute("aria-label") || element.getAttribute("aria-labelledby") || element.textContent?.trim() || element.title || (labels?.length ? labels[0].textContent : "");
    if (!name?.trim() && element.getAttribute("type") !== "file")
      list.push(element.outerHTML.slice(0, 120));
  }
  return list;
}
async function settled(page) {
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(250);
}
for (const theme of ["light", "dark"])
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
test("all views: no layout shift while a view loads", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.addInitScript(() => {
      const w = window;
      w.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          if (!entry.hadRecentInput) w.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    for (const [name, path] of Object.entries(views)) {
      await page.goto(s.url + path);
      await settled(page);
      const shift = await page.evaluate(() => window.shift);
      assert.ok(shift < 0.05, `${name}: ${shift.toFixed(3)}`);
    }
  });
});
test("all views: the queries of a link are sent once, before the page is rendered", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const asked = [];
    page.on("request", (r) => void (r.url().includes("/api/") && asked.push(r.url())));
    await page.goto(`${s.url}/profiles?query=checkout&zoom=runtime.main`);
    await page.locator(".flame-hidden").waitFor();
    await settled(page);
    assert.deepEqual(
      asked.filter((url, i) => asked.indexOf(url) !== i && !url.includes("/labels")),
      []
    );
    assert.match(asked[0], /\/flame\?.*path=runtime\.main/);
    assert.match(asked[1], /\/top\?/);
  });
});
var secret = "0123456789abcdef";
async function downloadsOf(page, s, headers) {
  const urls = [];
  page.on("request", (r) => void urls.push(r.url()));
  await page.goto(`${s.url}/profiles?query=checkout`);
  await page.locator(".flame-hidden").waitFor();
  for (const [name, format] of [["pprof", "pprof"], ["Folded stacks", "folded"]]) {
    await page.getByRole("button", { name: "Download" }).click();
    const link2 = page.locator(".download-menu a", { hasText: name });
    const href = await link2.getAttribute("href");
    const [download2] = await Promise.all([page.waitForEvent("download"), link2.click()]);
    const response = await fetch(s.url + href, { headers });
    assert.equal(response.status, 200);
    assert.ok(
      readFileSync(await download2.path()).equals(Buffer.from(await response.arrayBuffer())),
      format
    );
    assert.match(download2.suggestedFilename(), /^profile\./);
    assert.equal((await fetch(s.url + href)).status, 401, "the link alone is not authorized");
  }
  for (const url of urls) assert.ok(!url.includes(secret) && !url.includes("red"), url);
}
test("all views: the browser asks for the token, and the page for the tenant", async () => {
  const folder3 = temporary();
  const tokens = join3(folder3, "tokens");
  writeFileSync2(tokens, `${secret}
`);
  const s = await new Server(join3(folder3, "data"), ["--token-file", tokens, "--tenants"]).start();
  const basic = `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`;
  const body = readFileSync(join3(sourceRoot, "examples/checkout.pb.gz"));
  const kept = await fetch(`${s.url}/api/v1/upload?service=checkout&time=now-5m`, {
    method: "POST",
    body,
    headers: { authorization: basic, "x-scope-orgid": "red" }
  });
  assert.equal(kept.status, 200);
  await withPage({ httpCredentials: { username: "me", password: secret } }, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".empty", { hasText: "Select a tenant" }).waitFor();
    assert.equal(await page.getByRole("alert").count(), 0, "the prompt is not an error");
    await page.getByLabel("Tenant").fill("red");
    page.pageErrors = page.pageErrors.filter((c) => !/status of 401/.test(c));
    const asked = [];
    page.on("response", (r) => asked.push(`${r.status()} ${r.url()}`));
    await page.keyboard.press("Enter");
    await page.locator(".service-name", { hasText: "checkout" }).waitFor();
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.locator(".summary").waitFor();
    assert.deepEqual(
      asked.filter((a) => !/^(200|304) /.test(a)),
      [],
      "all later queries send the tenant"
    );
    await downloadsOf(page, s, { authorization: basic, "x-scope-orgid": "red" });
    await page.getByTitle("Tenant red").click();
    await page.getByLabel("Tenant", { exact: true }).fill("blue");
    await page.keyboard.press("Enter");
    await page.locator(".empty").waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/status of 404/.test(c));
  });
  await s.stop();
});
test("all views: the content security policy is strict, and assets are cached forever", async () => {
  const s = await server();
  const page = await fetch(`${s.url}/profiles`);
  const policy2 = page.headers.get("content-security-policy");
  assert.match(policy2, /default-src 'none'/);
  assert.match(policy2, /script-src 'self'(;|$)/);
  assert.doesNotMatch(policy2, /unsafe/);
  assert.equal(page.headers.get("cache-control"), "no-cache");
  const again = await fetch(`${s.url}/profiles`, {
    headers: { "if-none-match": page.headers.get("etag") }
  });
  assert.equal(again.status, 304);
  const script = /src="(\/assets\/[^"]+)"/.exec(await page.text())[1];
  assert.match((await fetch(s.url + script)).headers.get("cache-control"), /immutable/);
  assert.equal((await fetch(`${s.url}/nowhere`)).status, 404);
});

// ui/test/browser/as_of.test.ts
import assert2 from "node:assert/strict";
import { join as join4 } from "node:path";
var minute = 6e4;
var range = (from, to) => `from=${Date.now() + from * minute}&to=${Date.now() + to * minute}`;
var total = (page, text2) => page.locator(".summary strong", { hasText: text2 }).waitFor();
var asOf = (response) => new URL(response.url()).searchParams.get("as_of");
var versioned = async (response) => await response.json();
var next = (page, path, part = "") => page.waitForResponse(
  (r) => r.url().includes(`/api/v1/${path}?`) && decodeURIComponent(r.url()).includes(part)
);
async function busy() {
  const server11 = await new Server().start();
  const file = folded(join4(temporary(), "busy.folded"), {
    "main;parse;read": 30,
    "main;parse": 10,
    "main;write": 60
  });
  const write = () => server11.push(file, "busy");
  write();
  return { server: server11, write };
}
async function expectSameData(response, shown, since) {
  assert2.equal(asOf(response), shown.as_of);
  if (Date.now() - since < 8e3) assert2.equal((await versioned(response)).as_of, shown.as_of);
}
async function zoomIn(page) {
  await page.locator(".flame-canvas").focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
}
test("as_of: zoom, filter and other views have the data of the first answer; a refresh has current data", async () => {
  const { server: server11, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    const table = next(page, "top");
    await page.goto(`${server11.url}/profiles?query=busy&${range(-10, 10)}`);
    assert2.equal(asOf(await first), null);
    const shown = await versioned(await first);
    const since = Date.now();
    assert2.equal((await versioned(await table)).as_of, shown.as_of);
    await total(page, "100");
    write();
    let answer = next(page, "flame", "path=main");
    await zoomIn(page);
    await expectSameData(await answer, shown, since);
    await eventually("the zoom is in the address", async () => page.url().includes("zoom=main"));
    answer = next(page, "flame", "invert=1");
    await page.keyboard.press("v");
    await expectSameData(await answer, shown, since);
    answer = next(page, "callers");
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "parse" }).dblclick();
    await expectSameData(await answer, shown, since);
    assert2.equal(page.url().includes("as_of"), false, page.url());
    await screenshot(page, "as-of");
    answer = next(page, "callers");
    await page.keyboard.press("g");
    assert2.equal(asOf(await answer), null);
    const now = await versioned(await answer);
    assert2.notEqual(now.as_of, shown.as_of);
    assert2.equal(now.total, 2 * shown.total);
    answer = next(page, "flame");
    await page.keyboard.press("f");
    assert2.equal(asOf(await answer), now.as_of);
    await total(page, "200");
    answer = next(page, "flame");
    await page.evaluate((to) => {
      history.pushState(null, "", location.href.replace(/from=\d+&to=\d+/, to));
      dispatchEvent(new PopStateEvent("popstate"));
    }, range(-20, 10));
    assert2.equal(asOf(await answer), null);
  });
});
test("as_of: sums of a search have the data of the first answer", async () => {
  const server11 = await new Server().start();
  const stacks = {};
  for (let i = 0; i < 25e3; i++) stacks[`main;f${i}`] = i + 1;
  const file = folded(join4(temporary(), "wide.folded"), stacks);
  server11.push(file, "wide");
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    await page.goto(`${server11.url}/profiles?query=wide&view=flame&${range(-10, 10)}`);
    const shown = await versioned(await first);
    const since = Date.now();
    await page.locator(".flame-legend").waitFor();
    server11.push(file, "wide");
    const sums = next(page, "sums", "search=f1");
    await page.locator("#search").fill("f1");
    await expectSameData(await sums, shown, since);
  });
});
test("as_of: a filter and the sides of a comparison have the data of the first answer", async () => {
  const { server: server11, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "diff");
    const [from, to] = [Date.now() - 10 * minute, Date.now() + 10 * minute];
    await page.goto(
      `${server11.url}/compare?query=busy&from=${from}&to=${to}&before=${encodeURIComponent("{}")}&before_from=${from}&before_to=${to}&show=graph`
    );
    const shown = await versioned(await first);
    const since = Date.now();
    assert2.match(shown.as_of, /^\d+-\d+$/);
    write();
    const answer = next(page, "diff", "invert=1");
    await page.locator(".flame-canvas").waitFor();
    await page.keyboard.press("v");
    await expectSameData(await answer, shown, since);
    const side2 = next(page, "flame", "query=busy");
    await page.keyboard.press("s");
    await expectSameData(await side2, { as_of: shown.as_of.split("-")[1] }, since);
    assert2.equal(page.url().includes("as_of"), false, page.url());
  });
});

// ui/test/browser/compare.test.ts
import assert3 from "node:assert/strict";
import { execSync } from "node:child_process";
import { readFileSync as readFileSync2 } from "node:fs";
import { dirname as dirname2, join as join5 } from "node:path";

// ui/src/base/units.ts
var times = [
  ["ns", 1],
  ["us", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
  ["min", 6e10],
  ["h", 36e11],
  ["d", 864e11]
];
var sizes = [
  ["B", 1],
  ["KiB", 2 ** 10],
  ["MiB", 2 ** 20],
  ["GiB", 2 ** 30],
  ["TiB", 2 ** 40],
  ["PiB", 2 ** 50]
];
var factors = {};
for (const [names2, steps, factor] of [
  ["nanoseconds nanosecond ns", times, 1],
  ["microseconds microsecond us", times, 1e3],
  ["milliseconds millisecond ms", times, 1e6],
  ["seconds second s", times, 1e9],
  ["bytes byte By B", sizes, 1],
  ["kilobytes KiBy", sizes, 2 ** 10],
  ["megabytes MiBy", sizes, 2 ** 20]
])
  for (const name of names2.split(" ")) factors[name] = [steps, factor];
var grouped = (value) => String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ",");
var decimals = (value) => Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
function formatValue(value, unit) {
  const scale = Object.hasOwn(factors, unit) ? factors[unit] : void 0;
  if (!scale) return grouped(value);
  const [steps, factor] = scale;
  const base = value * factor;
  let i = steps.length - 1;
  while (i > 0 && Math.abs(base) < steps[i][1] * (steps[i][1] === 6e10 ? 2 : 0.9995)) i--;
  const shown = i === 0 && Math.abs(base) < 5e-3 ? 0 : base / steps[i][1];
  return i === 0 && Number.isInteger(shown) ? `${shown} ${steps[i][0]}` : `${shown.toFixed(decimals(shown))} ${steps[i][0]}`;
}
function formatChange(value, unit) {
  return (value > 0 ? "+" : "") + formatValue(value, unit);
}
function formatShare(part, whole, digits = 1) {
  return `${(whole ? 100 * part / whole : 0).toFixed(digits)}%`;
}

// ui/test/browser/compare.test.ts
var examples = ["examples/checkout.pb.gz", "examples/checkout-slow.pb.gz"].map(
  (name) => join5(sourceRoot, name)
);
var hostile = [
  '<img src=x onerror="window.hacked=1">',
  "\u202Egnp.exe",
  "\u{1F600} emoji \u51FD\u6570",
  "x".repeat(1e4),
  "</script><script>window.hacked=1</script>"
];
var known2 = null;
function server2() {
  known2 ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    const push = (service, stacks, ...args) => s.push(folded(join5(files, "stacks.folded"), stacks), service, ...args);
    s.push(examples[0], "checkout", "--label", "version=v1", "--time", "now-1450m");
    s.push(examples[0], "checkout", "--label", "version=v1", "--time", "now-20m");
    s.push(examples[1], "checkout", "--label", "version=v2", "--time", "now-5m");
    push(
      "small",
      { "main;parse": 40, "main;old;leaf": 10, "main;idle": 7, "main;write": 50 },
      "--label",
      "commit=aa",
      "--time",
      "now-10m"
    );
    push(
      "small",
      { "main;parse": 90, "main;fresh": 5, "main;idle": 7, "main;write": 20 },
      "--label",
      "commit=bb",
      "--time",
      "now-5m"
    );
    push(
      "hostile",
      Object.fromEntries(hostile.map((name, i) => [`main;${name}`, i + 1])),
      "--label",
      "commit=aa",
      "--time",
      "now-10m"
    );
    push(
      "hostile",
      Object.fromEntries(hostile.map((name, i) => [`main;${name}`, 9 - i])),
      "--label",
      "commit=bb",
      "--time",
      "now-5m"
    );
    return s;
  })();
  return known2;
}
var pair = (service, label, before, after, more = "") => `/compare?query=${encodeURIComponent(`${service}{${label}="${after}"}`)}&before=${encodeURIComponent(`${service}{${label}="${before}"}`)}${more}`;
var rows = (page) => page.locator('.data-table[aria-label="Changes by function"] .data-row');
var cells = async (page, i) => (await rows(page).nth(i).locator("[role=cell]").allTextContents()).map((t) => t.trim());
var overall = (page, text2) => page.locator(".overall-change", { hasText: text2 }).waitFor();
var side = (page, name) => page.locator(`.side[aria-label^="${name}"]`);
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`compare: difference, table and side by side, ${theme}, ${width} wide`, async () => {
      const s = await server2();
      await withPage(
        {
          colorScheme: theme,
          viewport: { width, height: width === 390 ? 844 : width === 1280 ? 800 : 1080 }
        },
        async (page) => {
          await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
          await overall(page, "6.13 s \u2192 9.16 s, +49.4%");
          await page.locator(".flame-legend").waitFor();
          await rows(page).first().waitFor();
          await screenshot(page, `compare-${theme}-${width}`);
          assert3.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await page.keyboard.press("s");
          await page.locator(".flame-canvas").nth(1).waitFor();
          await screenshot(page, `compare-sides-${theme}-${width}`);
          assert3.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right of the side view"
          );
        }
      );
    });
test("compare: the table has the rows, numbers and order of varve diff", async () => {
  const s = await server2();
  const ask = [
    "diff",
    "--url",
    s.url,
    "--baseline",
    'checkout{version="v1"}',
    "--comparison",
    'checkout{version="v2"}',
    "--time-range",
    "1h",
    "--json",
    "-n",
    "12"
  ];
  await withPage({ viewport: { width: 1600, height: 1e3 } }, async (page) => {
    for (const [of, normalise] of [
      ["self", false],
      ["total", false],
      ["self", true]
    ]) {
      const expected = JSON.parse(
        run(...ask, "--sort", of, ...normalise ? ["--normalise"] : [])
      );
      await page.goto(
        `${s.url}${pair("checkout", "version", "v1", "v2", `&show=table&of=${of}${normalise ? "&normalise=1" : ""}`)}`
      );
      await rows(page).first().waitFor();
      assert3.equal(expected.rows.length, 12);
      for (const [i, row2] of expected.rows.entries()) {
        const [name, before, after, change, share] = await cells(page, i);
        const v = row2[of];
        assert3.equal(name, row2.name ?? row2.function);
        if (normalise) {
          assert3.match(`${before} ${after}`, /^(?:–|[\d.]+%) (?:–|[\d.]+%)$/);
          assert3.match(change, /^[+-]?[\d.]+ pp$/);
          const points = 100 * v.delta / 916e7;
          assert3.ok(Math.abs(parseFloat(change) - points) < 0.1, `${name}: ${change}, ${points}`);
          continue;
        }
        assert3.equal(before, v.before ? formatValue(v.before, "nanoseconds") : "\u2013");
        assert3.equal(after, v.after ? formatValue(v.after, "nanoseconds") : "\u2013");
        assert3.equal(change, formatChange(v.delta, "nanoseconds"));
        if (row2.kind === "new" || row2.kind === "gone") assert3.equal(share, row2.kind);
        else if (v.before)
          assert3.equal(
            share,
            `${v.delta > 0 ? "+" : ""}${(100 * v.delta / v.before).toFixed(1)}%`
          );
      }
    }
  });
});
function selfOf(folded2) {
  const own = /* @__PURE__ */ new Map();
  for (const line of folded2.trim().split("\n")) {
    const [, stack, before, after] = /^(.*) (\d+) (\d+)$/.exec(line);
    const leaf = stack.slice(stack.lastIndexOf(";") + 1);
    const [old, now] = own.get(leaf) ?? [0, 0];
    own.set(leaf, [old + Number(before), now + Number(after)]);
  }
  return own;
}
var changed = (rows7) => Object.fromEntries(
  rows7.filter((r) => r.self.delta).map((r) => [
    r.name ?? r.function,
    [r.self.before, r.self.after, r.total.before, r.total.after]
  ])
);
test("compare: downloads and the command line have the numbers of varve diff", async () => {
  const s = await server2();
  const folder3 = temporary();
  const expected = JSON.parse(
    run(
      "diff",
      "--url",
      s.url,
      "--baseline",
      'checkout{version="v1"}',
      "--comparison",
      'checkout{version="v2"}',
      "--time-range",
      "1h",
      "--json",
      "-n",
      "0"
    )
  );
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
    await page.locator(".flame-legend").waitFor();
    const download2 = async (item) => {
      await page.getByRole("button", { name: "Download \u25BE" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(".download-menu > *", { hasText: item }).first().click()
      ]);
      const path = join5(folder3, file.suggestedFilename());
      await file.saveAs(path);
      return path;
    };
    const selfValues = selfOf(readFileSync2(await download2("Folded difference"), "utf8"));
    const plain = expected.rows.filter((r) => !(r.name ?? r.function).includes(";"));
    for (const row2 of plain)
      assert3.deepEqual(
        selfValues.get(row2.name ?? row2.function) ?? [0, 0],
        [row2.self.before, row2.self.after],
        row2.name
      );
    assert3.deepEqual(
      changed(JSON.parse(readFileSync2(await download2("JSON"), "utf8")).rows),
      changed(expected.rows)
    );
    const table = readFileSync2(await download2("CSV"), "utf8").split("\r\n");
    assert3.equal(table.length, expected.rows.length + 2);
    const [largest] = expected.rows;
    assert3.ok(
      table.some(
        (line) => line.endsWith(
          [
            largest.self.before,
            largest.self.after,
            largest.self.delta,
            largest.total.before,
            largest.total.after,
            largest.total.delta
          ].join(",")
        )
      )
    );
    const sides = [await download2("Before as pprof"), await download2("After as pprof")];
    assert3.deepEqual(
      changed(
        JSON.parse(run("diff", ...sides, "--json", "-n", "0", "--type", "cpu")).rows
      ),
      changed(expected.rows)
    );
    assert3.match(
      readFileSync2(await download2("SVG"), "utf8"),
      /^<svg[^]*v1[^]*→[^]*v2[^]*strings\.ToLower/
    );
    assert3.equal(
      readFileSync2(await download2("PNG")).subarray(1, 4).toString(),
      "PNG"
    );
    await page.getByRole("button", { name: "Download \u25BE" }).click();
    await page.locator(".download-menu > *", { hasText: "Copy command" }).click();
    await page.locator(".download-menu [role=status]", { hasText: "Copied" }).waitFor();
    await screenshot(page, "compare-downloads");
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const answer = execSync(`${command} --json -n 0`, {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname2(program)}:${process.env.PATH}` }
    });
    assert3.deepEqual(changed(JSON.parse(answer).rows), changed(expected.rows));
  });
});
test("compare: summary and counts are those of varve diff", async () => {
  const s = await server2();
  const expected = run(
    "diff",
    "--url",
    s.url,
    "--baseline",
    'checkout{version="v1"}',
    "--comparison",
    'checkout{version="v2"}',
    "--time-range",
    "1h"
  );
  const counts = /(\d+) grew, (\d+) shrank, (\d+) new, (\d+) gone, (\d+) the same/.exec(expected);
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
    await overall(page, "6.13 s \u2192 9.16 s, +49.4%");
    assert3.match(
      await page.locator(".overall").textContent(),
      new RegExp(`version v1 \u2192 v2.*${counts[0].replaceAll("(", "\\(")}`)
    );
    const tabs = await page.locator(".diff-tabs .group").first().locator("button").allTextContents();
    assert3.deepEqual(
      tabs.map((t) => Number(t.replace(/\D/g, ""))),
      [counts.slice(1).reduce((n, c) => n + Number(c), 0), ...counts.slice(1, 5).map(Number)]
    );
  });
});
test("compare: each kind of change has a tab, which the search filters", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb", "&show=table"));
    const names2 = async (kind) => {
      await page.locator(".diff-tabs button", { hasText: kind }).click();
      await eventually(
        kind,
        async () => (await page.locator(".diff-tabs button[aria-pressed=true]").first().textContent())?.startsWith(kind)
      );
      return (await rows(page).locator("bdi:first-child").allTextContents()).filter((t) => t).sort();
    };
    await rows(page).first().waitFor();
    assert3.deepEqual(await names2("Grew"), ["main", "parse"]);
    assert3.deepEqual(await names2("Shrank"), ["write"]);
    assert3.deepEqual(await names2("New"), ["fresh"]);
    assert3.deepEqual(await names2("Gone"), ["leaf", "old"]);
    assert3.match(page.url(), /kind=gone/);
    await page.reload();
    await eventually("the same tab", async () => await rows(page).count() === 2);
    await page.locator("#search").fill("leaf");
    await eventually("the search", async () => await rows(page).count() === 1);
    assert3.deepEqual((await cells(page, 0)).slice(0, 5), ["leaf", "10", "\u2013", "-10", "gone"]);
  });
});
test("compare: sort column and selected row are in the address", async () => {
  const s = await server2();
  await withPage({ viewport: { width: 1600, height: 900 } }, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Before", exact: true }).click();
    await eventually("largest before", async () => (await cells(page, 0))[0] === "write");
    await page.getByRole("button", { name: /^Before/ }).last().click();
    await eventually("smallest before", async () => (await cells(page, 0))[1] === "\u2013");
    await rows(page).filter({ hasText: "parse" }).click();
    await eventually(
      "selected",
      async () => (await page.locator(".data-row.selected").textContent())?.startsWith("parse")
    );
    assert3.match(page.url(), /changes=before/);
    assert3.match(page.url(), /function=parse/);
    await page.reload();
    await page.locator(".data-row.selected", { hasText: "parse" }).waitFor();
  });
});
test("compare: a zoom queries the subtree, and back zooms out", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb", "&show=graph"));
    await page.locator(".flame-legend").waitFor();
    const asked = page.waitForRequest(
      (r) => r.url().includes("/diff?") && r.url().includes("path=old")
    );
    await page.locator(".flame-canvas").focus();
    for (const key of [
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight"
    ])
      await page.keyboard.press(key);
    for (let i = 0; i < 6 && !(await page.locator(".flame-tooltip-name").textContent())?.includes("old"); i++)
      await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await asked;
    assert3.match(page.url(), /zoom=main&zoom=old/);
    await screenshot(page, "compare-zoom");
    await page.goBack();
    await eventually("zoomed out", async () => !page.url().includes("zoom="));
  });
});
test("compare: one click compares with the previous hour, yesterday and the previous version", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Compare \u25BE" }).click();
    await screenshot(page, "compare-menu");
    await page.getByRole("button", { name: "This hour vs. yesterday" }).click();
    await overall(page, "6.13 s \u2192 15.3 s, +149.4%");
    assert3.match(page.url(), /before_from=now-25h&before_to=now-1d/);
    assert3.match(await page.locator(".overall-what").textContent(), /a day later/);
    await page.getByRole("button", { name: "Latest version vs. previous" }).click();
    await overall(page, "6.13 s \u2192 9.16 s, +49.4%");
    assert3.match(await page.locator(".overall-what").textContent(), /version v1 → v2/);
    await page.getByRole("button", { name: "This hour vs. previous hour" }).click();
    await page.locator(".note.warn", { hasText: "Before has no CPU time" }).waitFor();
    await screenshot(page, "compare-one-side");
    await page.goBack();
    await page.getByRole("button", { name: "\u21C4 Swap sides" }).click();
    await overall(page, "9.16 s \u2192 6.13 s, -33.1%");
  });
});
test("compare: versions can be selected", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/compare?query=checkout`);
    await page.locator(".note.warn", { hasText: "same selection" }).waitFor();
    await page.getByTitle("Choose versions").click();
    await page.locator(".version-picker").waitFor();
    await screenshot(page, "compare-versions");
    assert3.match(await page.locator(".version-picker").textContent(), /v2 – first seen/);
    await page.locator(".version-picker select").nth(0).selectOption("v2");
    await page.locator(".version-picker select").nth(1).selectOption("v1");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await overall(page, "9.16 s \u2192 6.13 s");
  });
});
test("compare: a drag on a side's chart changes only that side", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/compare?query=checkout`);
    await side(page, "After").locator(".u-over").waitFor();
    await page.getByText("Both sides are the same selection").waitFor();
    const chart = await side(page, "After").locator(".u-over").boundingBox();
    await page.mouse.move(chart.x + chart.width * 0.91, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.995, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await overall(page, "15.3 s \u2192 9.16 s");
    const url = page.url();
    assert3.match(url, /[?&]from=\d{13}&to=\d{13}/);
    assert3.match(url, /before_from=now-1h&before_to=now/);
    await page.reload();
    await overall(page, "15.3 s \u2192 9.16 s");
    assert3.equal(page.url(), url);
  });
});
test("compare: a note explains why sides cannot be compared", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    const expectNote = async (path, text2) => {
      await page.goto(s.url + path);
      await page.locator(".note.warn", { hasText: text2 }).waitFor();
    };
    await expectNote("/compare?query=nobody&before=nothing", "Neither side has data");
    await expectNote("/compare?query=small&before=checkout", "no profile type in common");
    await screenshot(page, "compare-types");
    await expectNote("/compare?query=checkout&before=nobody&normalise=1", /Before has no CPU time/);
    await expectNote(
      `/compare?query=${encodeURIComponent('small{commit="aa"}')}&before=${encodeURIComponent('small{commit="aa",service_name="small"}')}`,
      "Both sides have the same data"
    );
    page.pageErrors = page.pageErrors.filter((c) => !/status of 40[04]/.test(c));
  });
});
test("compare: two files", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator("#open-file").setInputFiles(examples[0]);
    await page.getByRole("button", { name: "Compare \u25BE" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Another file\u2026" }).click();
    await (await chooser).setFiles(examples[1]);
    await overall(page, "6.13 s \u2192 9.16 s, +49.4%");
    assert3.match(await side(page, "Before").textContent(), /checkout\.pb\.gz/);
    assert3.match(await side(page, "After").textContent(), /checkout-slow\.pb\.gz/);
    await rows(page).first().waitFor();
    await screenshot(page, "compare-files");
    await page.keyboard.press("w");
    await overall(page, "9.16 s \u2192 6.13 s");
    await page.reload();
    await overall(page, "9.16 s \u2192 6.13 s");
  });
});
test("compare: names are rendered as text", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    for (const show of ["both", "sides"]) {
      await page.goto(s.url + pair("hostile", "commit", "aa", "bb", `&show=${show}`));
      await page.locator(".flame-legend").first().waitFor();
      await screenshot(page, `compare-hostile-${show}`);
    }
    assert3.equal(await page.evaluate(() => "hacked" in window), false);
    assert3.equal(await page.locator("main img").count(), 0);
    await page.goto(s.url + pair("hostile", "commit", "aa", "bb", "&show=table"));
    await rows(page).first().waitFor();
    const shown = await rows(page).allTextContents();
    assert3.ok(
      shown.some((t) => t.startsWith("gnp.exe")),
      "directional marks are removed"
    );
    assert3.ok(
      shown.some((t) => t.startsWith('<img src=x onerror="window.hacked=1">')),
      "markup is shown as text"
    );
  });
});
test("compare: keyboard only", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await rows(page).first().waitFor();
    await page.keyboard.press("t");
    await eventually("table only", async () => await page.locator(".flame-canvas").count() === 0);
    await page.locator(".data-body").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually(
      "the second row",
      async () => (await cells(page, 1))[0] === await page.locator(".data-row.selected bdi").first().textContent()
    );
    await page.keyboard.press("n");
    await page.locator(".table-foot", { hasText: "percentage points" }).waitFor();
    await page.keyboard.press("f");
    await page.keyboard.press("p");
    await page.locator(".table-foot", { hasText: "Orange: a larger share" }).waitFor();
    await screenshot(page, "compare-colour-blind");
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Swap sides").waitFor();
  });
});
test("compare: refresh queries graphs, charts and types of both sides again, also for absolute times", async () => {
  const s = await server2();
  const now = Date.now();
  const times2 = `&from=${now - 36e5}&to=${now}&before_from=${now - 36e5}&before_to=${now}`;
  await withPage({}, async (page) => {
    const address = `/compare?query=${encodeURIComponent('small{commit="bb"}')}&before=${encodeURIComponent('small{commit="aa"}')}`;
    await page.goto(`${s.url}${address}${times2}&show=sides`);
    await page.getByRole("region", { name: "Flame graph: After" }).locator(".flame-canvas").waitFor();
    await page.waitForLoadState("networkidle");
    const paths = [];
    page.on("request", (r) => paths.push(new URL(r.url()).pathname.replace("/api/v1/", "")));
    await page.keyboard.press("g");
    for (const path of ["flame", "series", "types"])
      await eventually(
        `both sides of ${path}`,
        async () => paths.filter((other) => other === path).length === 2
      );
  });
});
test("compare: the charts of both sides have the same scale", async () => {
  const s = await server2();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await overall(page, "107 \u2192 122");
    const tops = await eventually("the scale of both charts", async () => {
      const found2 = await page.locator(".side .chart").evaluateAll((charts) => charts.map((chart) => chart.getAttribute("data-greatest")));
      return found2.length === 2 && found2.every((top) => Number(top) > 0) && found2;
    });
    assert3.equal(tops[0], tops[1]);
    assert3.ok(
      Math.abs(Number(tops[0]) - 122 / 60) < 1e-9,
      `122 in a bucket of a minute, per second: ${tops[0]}`
    );
    await screenshot(page, "compare-axes");
  });
});
for (const theme of ["light", "dark"])
  test(`compare: normalised, tooltip, table and totals are shares, ${theme}`, async () => {
    const s = await server2();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(s.url + pair("small", "commit", "aa", "bb", "&normalise=1"));
      await overall(page, "Shares of 107 \u2192 shares of 122");
      await page.locator(".data-row", { hasText: "parse" }).first().waitFor();
      assert3.deepEqual((await cells(page, 0)).slice(0, 5), [
        "parse",
        "37.4%",
        "73.8%",
        "+36.4 pp",
        "+97.3%"
      ]);
      await page.locator(".flame-canvas").focus();
      for (const key of ["Home", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      const tip = await eventually(
        "the tooltip",
        async () => await page.locator(".flame-tooltip").textContent().catch(() => "") || false
      );
      assert3.match(tip, /37\.4%73\.8%\+36\.4 pp\+97\.\d%/);
      assert3.match(tip, /amount4090/);
      await screenshot(page, `compare-normalised-${theme}`);
    });
  });

// ui/test/browser/control.test.ts
import assert4 from "node:assert/strict";
import { spawn as spawn2 } from "node:child_process";
import { join as join6 } from "node:path";
function startProgram(server11) {
  const child = spawn2(
    program,
    [
      ...["run", "-e", server11.url, "--protocol", "http", "-s", "checkout", "--no-summary", "--"],
      ...["sh", "-c", "while :; do sleep 0.2; done"]
    ],
    { stdio: "ignore", detached: true }
  );
  atEnd(() => {
    if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    return Promise.resolve();
  });
  return child;
}
async function patiently(check) {
  const end = Date.now() + 6e4;
  while (!await check()) {
    if (Date.now() > end) throw new Error("not within a minute");
    await new Promise((done) => setTimeout(done, 200));
  }
}
var state = async (s) => await (await fetch(`${s.url}/api/v1/control?service=checkout`)).json();
test("control: a change of the page reaches the program and is on the timeline", async () => {
  const s = await new Server().start();
  s.push(join6(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Control" }).click();
    await page.getByText("No instance of checkout reports to this server").waitFor();
    startProgram(s);
    const form = page.locator(".control-form");
    await form.waitFor({ timeout: 6e4 });
    await form.getByLabel("CPU samples per second").fill("250");
    await form.getByLabel("heap").uncheck();
    await form.getByLabel("wall").check();
    await form.getByLabel("Reason").fill("a test of the page");
    await form.getByRole("button", { name: "Apply" }).click();
    await page.getByText("In effect").waitFor();
    await patiently(async () => {
      const { instances } = await state(s);
      return instances.some(
        (i) => i.lease_state === "applied" && i.settings.cpu_hz === 250 && i.settings.profiles?.join() === "cpu,wall"
      );
    });
    await page.getByText(/\d+ applied/).waitFor({ timeout: 6e4 });
    await page.getByRole("button", { name: "End now" }).click();
    await patiently(async () => {
      const { instances } = await state(s);
      return instances.some((i) => i.lease_state === "ended" && i.settings.cpu_hz === 100);
    });
    await page.reload();
    const events2 = page.getByRole("list", { name: "Events" });
    await events2.waitFor();
    const text2 = await events2.textContent() ?? "";
    assert4.match(text2, /Changed: cpu_hz=250 profiles=cpu,wall for 60 s on \d+ instances/);
    assert4.match(text2, /: a test of the page/);
    assert4.match(text2, /Ended: ended before its time/);
  });
});
test("capture: a profile of the running program is taken, opened and saved", async () => {
  const s = await new Server().start();
  s.push(join6(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  startProgram(s);
  await patiently(async () => (await state(s)).instances.length > 0);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Capture" }).click();
    const panel = page.locator(".control-panel");
    const take = panel.getByRole("button", { name: "Take a profile" });
    await panel.getByLabel("Profile").selectOption("wall");
    await panel.getByLabel("For", { exact: true }).selectOption("5");
    await take.click();
    await panel.getByText("Taking a profile of 5 s: 0 of 1").waitFor();
    assert4.equal(await take.isDisabled(), true);
    await page.getByRole("button", { name: "Capture" }).click();
    await page.waitForTimeout(1500);
    await page.getByRole("button", { name: "Capture" }).click();
    await panel.getByText("1 of 1 profiles").waitFor({ timeout: 6e4 });
    const saved = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save" }).click();
    assert4.match((await saved).suggestedFilename(), /^checkout-wall-\d+\.pb\.gz$/);
    await panel.getByRole("button", { name: "Open" }).click();
    await page.waitForURL(/file=/);
    await page.getByText(/checkout-wall-\d+\.pb\.gz/).first().waitFor();
  });
});

// ui/test/browser/drift.test.ts
import assert5 from "node:assert/strict";
import { dirname as dirname3, join as join7 } from "node:path";
import { spawnSync } from "node:child_process";
async function count(s) {
  return (await (await fetch(`${s.url}/api/v1/drift`)).json()).count;
}
test("drift: a regression is on the timeline and leads to the comparison", async () => {
  const data = join7(temporary(), "drift");
  const fill = join7(dirname3(program), "tests", "drift_fill");
  assert5.equal(spawnSync(fill, [data, "", "shop", "3", "36"]).status, 0);
  const s = await new Server(data, ["--set=service::drift::cpu_percent=100"]).start();
  const end = Date.now() + 6e4;
  while (await count(s) === 0) {
    assert5.ok(Date.now() < end, "not found within a minute");
    await new Promise((done) => setTimeout(done, 200));
  }
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=shop&from=now-1d`);
    const events2 = page.getByRole("list", { name: "Events" });
    await events2.waitFor();
    assert5.match(await events2.textContent() ?? "", /Regression: work_2 costs \d+ % more/);
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-timeline.png` });
    await events2.getByRole("link", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?/);
    await page.getByText("work_2").first().waitFor();
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/drift-compare.png` });
  });
});

// ui/test/browser/explore.test.ts
import assert6 from "node:assert/strict";
import { join as join8 } from "node:path";
var hostile2 = [
  '<img src=x onerror="window.hacked=1">',
  "\u202Egnp.exe",
  "\u{1F600} emoji \u51FD\u6570",
  "x".repeat(1e4),
  "a b	c",
  "</script><script>window.hacked=1</script>"
];
var known3 = null;
function server3() {
  known3 ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    s.push(
      join8(sourceRoot, "examples/checkout.pb.gz"),
      "checkout",
      "--label",
      "version=v1",
      "--time",
      "now-20m"
    );
    s.push(
      join8(sourceRoot, "examples/checkout-slow.pb.gz"),
      "checkout",
      "--label",
      "version=v2",
      "--time",
      "now-5m"
    );
    s.push(
      folded(join8(files, "small.folded"), {
        "main;parse;read": 30,
        "main;parse": 10,
        "main;write": 60
      }),
      "small"
    );
    s.push(
      folded(
        join8(files, "hostile.folded"),
        Object.fromEntries(hostile2.map((name, i) => [`main;${name.replaceAll(";", ",")}`, i + 1]))
      ),
      "hostile"
    );
    return s;
  })();
  return known3;
}
var rows2 = (page) => page.locator('[aria-label="Functions"] .data-row');
var text = async (page, selector) => (await page.locator(selector).first().textContent() ?? "").trim();
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`explore: services and profiles, ${theme}, ${width} wide`, async () => {
      const s = await server3();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/`);
          await page.locator(".service").first().waitFor();
          assert6.equal(await page.locator("html").getAttribute("data-theme"), theme);
          await screenshot(page, `services-${theme}-${width}`);
          await page.locator(".service-link", { hasText: "checkout" }).click();
          await rows2(page).first().waitFor();
          await page.locator("canvas").first().waitFor();
          assert6.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await screenshot(page, `profiles-${theme}-${width}`);
        }
      );
    });
test("explore: services are sorted by cost, with the server's totals", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".service-total", { hasText: "15.3 s" }).waitFor();
    assert6.equal(await text(page, ".service-name"), "checkout");
    assert6.equal(await page.locator(".service").count(), 3);
    await page.locator("#search").waitFor({ state: "detached" });
  });
});
test("explore: the table has the rows of varve query top", async () => {
  const s = await server3();
  const expected = JSON.parse(
    s.query("top", "checkout", "--from", "now-1h", "-n", "5", "--json")
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await rows2(page).first().waitFor();
    for (const [i, row2] of expected.rows.entries()) {
      const shown = await rows2(page).nth(i).textContent();
      assert6.ok(shown.startsWith(row2.name ?? row2.function), shown);
    }
    const lines2 = s.query("top", "checkout", "--from", "now-1h", "-n", "5").split("\n");
    const first = await rows2(page).first().textContent();
    const cells3 = lines2.find((l) => l.includes(expected.rows[0].name ?? expected.rows[0].function)).trim().split(/\s{2,}/);
    assert6.ok(first.includes(cells3[0]), `${first} has ${cells3[0]}`);
  });
});
test("explore: a drag on the timeline selects the range in the address, and back restores it", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page.locator(".summary strong", { hasText: "15.3 s" }).waitFor();
    const chart = await page.locator(".u-over").boundingBox();
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.99, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor();
    assert6.match(page.url(), /from=\d{13}&to=\d{13}/);
    await page.reload();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor();
    await page.goBack();
    await page.locator(".summary strong", { hasText: "15.3 s" }).waitFor();
  });
});
test("explore: a double click on the timeline zooms out and never leaves the page", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table&from=now-30m`);
    await page.locator(".u-over").waitFor();
    const chart = await page.locator(".u-over").boundingBox();
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await page.locator(".range-text", { hasText: "Last hour" }).waitFor();
    assert6.equal(new URL(page.url()).pathname, "/profiles");
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.99, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await eventually("the part", async () => /from=\d{13}/.test(page.url()));
    await page.waitForTimeout(600);
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await page.locator(".range-text", { hasText: "Last hour" }).waitFor();
  });
});
test("explore: a drag that begins just before the chart is redrawn still selects", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table&from=now-30m`);
    await page.locator(".u-over").waitFor();
    const chart = await page.locator(".u-over").boundingBox();
    await page.evaluate(
      ({ x, y }) => {
        const at2 = (share) => ({
          bubbles: true,
          button: 0,
          clientX: x + share,
          clientY: y
        });
        const watch = new MutationObserver(() => {
          if (!document.querySelector(".range-text")?.textContent?.includes("Last hour")) return;
          watch.disconnect();
          document.querySelector(".u-over").dispatchEvent(new MouseEvent("mousedown", at2(0)));
          setTimeout(() => {
            for (const moved of [10, 40, 80])
              document.querySelector(".u-over").dispatchEvent(new MouseEvent("mousemove", at2(moved)));
            document.querySelector(".u-over").dispatchEvent(new MouseEvent("mouseup", at2(80)));
          }, 1e3);
        });
        watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      },
      { x: chart.x + chart.width * 0.8, y: chart.y + 20 }
    );
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await eventually("the part", async () => /from=\d{13}/.test(page.url()));
  });
});
test("explore: labels are selected with their shares, and the timeline is grouped by a label", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page.getByRole("button", { name: "+ Label" }).click();
    await page.locator(".pick", { hasText: "version" }).click();
    await page.locator(".pick", { hasText: "v1" }).waitFor();
    assert6.match(
      await page.locator(".pick", { hasText: "v1" }).textContent(),
      /6\.13 s.*40\.1%/
    );
    await screenshot(page, "labels");
    await page.locator(".pick", { hasText: "v1" }).click();
    await page.locator(".summary strong", { hasText: "6.13 s" }).waitFor();
    await page.getByRole("button", { name: "Remove version" }).click();
    await page.getByLabel("Group timeline by").selectOption("version");
    await page.locator(".legend", { hasText: "v2" }).waitFor();
    await screenshot(page, "timeline-by-label");
    await page.locator(".legend button", { hasText: "v2" }).click();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor();
  });
});
test("explore: the search filters the table, and filters change the sums", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small`);
    await eventually("all functions", async () => await rows2(page).count() === 4);
    await page.locator("#search").fill("parse");
    await eventually("one function", async () => await rows2(page).count() === 1);
    await page.locator("#search").fill("/^(read|write)$/");
    await eventually("two functions", async () => await rows2(page).count() === 2);
    await page.goto(`${s.url}/profiles?query=small&focus=parse`);
    await page.locator(".summary", { hasText: "40 (40.0%) after filters" }).waitFor();
  });
});
test("explore: keyboard only", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".service").first().waitFor();
    await page.waitForTimeout(300);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
    await eventually("the first service has the focus", async () => {
      await page.keyboard.press("Tab");
      return page.evaluate(() => document.activeElement?.classList.contains("service-link"));
    });
    await page.keyboard.press("Enter");
    await rows2(page).first().waitFor();
    await page.keyboard.press("t");
    await eventually("the table alone", async () => page.url().includes("view=table"));
    await page.locator(".data-body").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually("the second row", async () => /function=/.test(page.url()));
    await page.keyboard.press("/");
    await page.keyboard.type("sort");
    await eventually("the search", async () => page.url().includes("search=sort"));
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await page.locator("canvas").first().waitFor();
    const theme = await page.locator("html").getAttribute("data-theme");
    await page.keyboard.press("T");
    await page.keyboard.press("T");
    await eventually(
      "another theme",
      async () => await page.locator("html").getAttribute("data-theme") !== theme
    );
  });
});
test("explore: hostile names are rendered as text", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    for (const view of ["both", "flame", "table"]) {
      await page.goto(`${s.url}/profiles?query=hostile&view=${view}`);
      await page.locator(".summary strong", { hasText: "21" }).waitFor();
      assert6.equal(
        await page.evaluate(() => window.hacked),
        void 0
      );
    }
    await page.goto(`${s.url}/profiles?query=hostile`);
    await rows2(page).first().waitFor();
    assert6.equal(await page.locator("img").count(), 0);
    assert6.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false
    );
    await screenshot(page, "hostile");
    const link2 = `${s.url}/profiles?query=${encodeURIComponent('<b onload="x">{a="')}&search=${encodeURIComponent("<script>alert(1)</script>")}&view=%3Cx%3E&function=%22%3E`;
    await page.goto(link2).catch(() => void 0);
    await page.locator(".note.bad, .empty").first().waitFor();
    assert6.equal(
      await page.evaluate(() => window.hacked),
      void 0
    );
    page.pageErrors = page.pageErrors.filter((c) => !/status of 400/.test(c));
  });
});
test("explore: table and graph have the same matches, and both report an invalid expression", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=checkout&search=${encodeURIComponent("/^main\\.[a-z]+$/")}`
    );
    await page.locator(".flame-found", { hasText: /frames?: / }).waitFor();
    const names2 = await page.locator('[aria-label="Functions"] [role=cell]:first-child').allTextContents();
    assert6.ok(names2.length > 0 && names2.every((n) => /^main\.[a-z]+$/.test(n)), names2.join(", "));
    await page.goto(`${s.url}/profiles?query=checkout&search=${encodeURIComponent("/(json/")}`);
    await page.locator(".flame-found", { hasText: "Unterminated group" }).waitFor();
    await page.locator('[aria-label="Functions"]', { hasText: "Unterminated group" }).first().waitFor();
  });
});
test("explore: a key copies a link with absolute times in each view", async () => {
  const s = await server3();
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    for (const path of [
      "/",
      "/profiles?query=checkout&view=tree",
      "/traces",
      "/compare?query=checkout"
    ]) {
      await page.goto(s.url + path);
      await page.getByRole("button", { name: "Copy a link to this view" }).waitFor();
      await page.keyboard.press("y");
      await page.getByText("Link copied").waitFor();
      const link2 = new URL(await page.evaluate(() => navigator.clipboard.readText()));
      const from = Number(link2.searchParams.get("from"));
      assert6.equal(link2.pathname, path.split("?")[0]);
      assert6.equal(Number(link2.searchParams.get("to")) - from, 36e5, link2.href);
      assert6.ok(Math.abs(Date.now() - 36e5 - from) < 6e4, link2.href);
    }
  });
});
test("explore: missing data is reported", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=nobody`);
    await page.locator(".empty", { hasText: "No data for nobody in this range" }).waitFor();
    await page.locator(".empty", { hasText: "in the last 30 days" }).waitFor();
    await page.goto(`${s.url}/profiles?query=checkout&type=nonsense`);
    await page.locator(".empty", { hasText: "nonsense" }).waitFor();
    await page.getByRole("button", { name: "Default type" }).click();
    await page.locator(".summary").waitFor();
    await page.goto(`${s.url}/profiles?query=checkout&from=now-30d&to=now-29d`);
    await page.locator(".timeline-panel", { hasText: "No data in this range" }).waitFor();
    await page.locator(".empty", { hasText: "Latest profile" }).waitFor();
    await page.getByRole("link", { name: "Show latest" }).click();
    await page.locator(".summary").waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/status of 404/.test(c));
  });
});
test("explore: a new server shows how to send data", async () => {
  const s = await new Server().start();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.getByText("No data received yet").waitFor();
    assert6.ok(await page.locator("pre", { hasText: s.url }).count() > 3);
    await screenshot(page, "first-start");
  });
  await s.stop();
});
test("explore: the instructions stay until data of another program arrives", async () => {
  const s = await new Server().start();
  const file = folded(join8(temporary(), "own.folded"), { "main;serve": 3 });
  s.push(file, "varve");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.getByText("No data received yet").waitFor();
    await page.goto(`${s.url}/status`);
    await page.getByText("No data received yet").waitFor();
    await page.getByRole("link", { name: "its own profile" }).click();
    await page.locator(".summary strong", { hasText: "3" }).waitFor();
    s.push(file, "app");
    await page.goto(`${s.url}/`);
    await page.locator(".service-name", { hasText: "app" }).waitFor();
    assert6.equal(await page.getByText("No data received yet").count(), 0);
  });
  await s.stop();
});
test("explore: services show no cost before it is loaded, and do not move afterwards", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    let release = () => {
    };
    const held = new Promise((done) => release = done);
    await page.route("**/api/v1/series*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${s.url}/`);
    await eventually(
      "a place for each service",
      async () => await page.locator(".service.pending").count() === 3
    );
    assert6.doesNotMatch(await page.locator("main").textContent(), /no CPU time|0 total/);
    const height = (await page.locator(".service").first().boundingBox()).height;
    release();
    await page.locator(".service-name", { hasText: "checkout" }).waitFor();
    assert6.equal(await page.locator(".service.pending").count(), 0);
    assert6.ok(
      Math.abs((await page.locator(".service").first().boundingBox()).height - height) < 24
    );
    await page.unroute("**/api/v1/series*");
  });
});
test("explore: Profiles and Compare send no expensive query without a selection", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    const asked = [];
    page.on(
      "request",
      (r) => /api\/v1\/(flame|top|diff|series)/.test(r.url()) && asked.push(r.url())
    );
    await page.goto(`${s.url}/profiles`);
    await page.getByRole("link", { name: "checkout" }).waitFor();
    await page.goto(`${s.url}/compare`);
    await page.getByText("Both sides are the same selection").waitFor();
    await page.waitForLoadState("networkidle");
    assert6.deepEqual(asked, []);
    await page.goto(`${s.url}/profiles`);
    await page.getByRole("link", { name: "small" }).click();
    await page.locator(".summary strong", { hasText: "100" }).waitFor();
    await page.getByLabel("Service", { exact: true }).selectOption("");
    await eventually(
      "all services in the address",
      async () => new URL(page.url()).searchParams.get("query") === "{}"
    );
    await rows2(page).first().waitFor();
  });
});
test("explore: the timeline shows rates in buckets of absolute time, unchanged by a refresh", async () => {
  const s = await server3();
  await withPage({}, async (page) => {
    const times2 = [];
    page.on("response", async (r) => {
      if (!r.url().includes("/api/v1/series")) return;
      const { rows: found2 } = await r.json();
      times2.push(found2[0].points.map(([t]) => t));
    });
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page.locator(".timeline-caption", {
      hasText: "CPU time, cores (CPU seconds per second), average over 10 s"
    }).waitFor();
    await page.waitForTimeout(1100);
    await page.keyboard.press("g");
    await eventually("two answers", async () => times2.length >= 2);
    assert6.ok(times2[0].length > 0 && times2[0].every((t) => t % 1e4 === 0));
    assert6.deepEqual(times2[0], times2[1]);
  });
});
test("explore: each query of a link is sent once", async () => {
  const s = await server3();
  for (const link2 of [
    "/",
    "/profiles?query=checkout",
    "/profiles?query=small&view=flame&by=service_name&focus=parse",
    "/profiles?query=checkout&from=now-30m&view=table&invert=1"
  ])
    await withPage({}, async (page) => {
      const asked = [];
      page.on("request", (r) => r.url().includes("/api/v1/") && asked.push(r.url()));
      await page.goto(s.url + link2, { waitUntil: "networkidle" });
      assert6.ok(asked.length >= 2, link2);
      assert6.deepEqual(asked.filter((url, i) => asked.indexOf(url) !== i), [], link2);
      assert6.equal(new Set(asked.map((url) => new URL(url).pathname)).size, asked.length, link2);
    });
});
test("explore: views that are loaded later work while the server is down", async () => {
  const s = await new Server().start();
  s.push(folded(join8(temporary(), "a.folded"), { "main;a": 3, "main;b": 4 }), "app");
  await withPage({}, async (page) => {
    const later = page.waitForResponse((r) => r.url().includes("/assets/lazy_views-"));
    await page.goto(`${s.url}/profiles?query=app`);
    await (await later).finished();
    await s.stop();
    await page.keyboard.press("e");
    await page.getByText("the server is not responding").first().waitFor();
    await page.keyboard.press("6");
    await page.getByRole("heading", { name: "Status" }).waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/Failed to load|ERR_CONNECTION/.test(c));
  });
});
test("explore: the view stays while the server is down, and continues afterwards", async () => {
  const s = await new Server().start();
  s.push(folded(join8(temporary(), "a.folded"), { "main;a": 3, "main;b": 4 }), "app");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=app&view=table`);
    await page.locator(".summary strong", { hasText: "7" }).waitFor();
    const { port } = s;
    await s.stop();
    await page.keyboard.press("g");
    await page.getByText("the server is not responding").first().waitFor();
    assert6.equal(await text(page, ".summary strong"), "7");
    await screenshot(page, "server-gone");
    await s.start(port);
    await page.getByText("the server is not responding").first().waitFor({ state: "detached", timeout: 15e3 });
    assert6.equal(await text(page, ".summary strong"), "7");
    page.pageErrors = page.pageErrors.filter((c) => !/Failed to load|ERR_CONNECTION/.test(c));
  });
  await s.stop();
});

// ui/test/browser/files.test.ts
import assert7 from "node:assert/strict";
import { execSync as execSync2 } from "node:child_process";
import { readFileSync as readFileSync3, writeFileSync as writeFileSync3 } from "node:fs";
import { dirname as dirname4, join as join9 } from "node:path";
var checkout = join9(sourceRoot, "examples/checkout.pb.gz");
var folder = temporary();
var small = folded(join9(folder, "small.folded"), {
  "main;parse;read": 30,
  "main;parse": 10,
  "main;write": 60
});
var known4 = null;
function server4() {
  known4 ??= (async () => {
    const s = await new Server().start();
    s.push(small, "small", "--label", "env=it's", "--time", "now-5m");
    return s;
  })();
  return known4;
}
var row = (page, name) => page.locator('[aria-label="Functions"] .data-row', { hasText: name });
var pathOf = (page) => new URL(page.url()).pathname;
var fileOf = (page) => new URL(page.url()).searchParams.get("file") ?? "";
async function drop(page, ...paths) {
  const files = paths.map((path) => ({
    name: path.slice(path.lastIndexOf("/") + 1),
    bytes: [...readFileSync3(path)]
  }));
  await page.evaluate((list) => {
    const data = new DataTransfer();
    list.forEach(
      ({ name, bytes }, i) => data.items.add(new File([new Uint8Array(bytes)], name, { lastModified: 1e3 + i }))
    );
    const fire = (kind) => document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
    );
    fire("dragenter");
    fire("dragover");
    fire("drop");
  }, files);
}
var expectRefusal = (page) => page.pageErrors = page.pageErrors.filter((c) => !/status of 4\d\d/.test(c));
var barWidth = (page) => page.locator(".timeline canvas").first().evaluate((canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const columns = /* @__PURE__ */ new Set();
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3] > 40 && data[i + 2] > data[i] + 60) columns.add(i / 4 % canvas.width);
  return columns.size / canvas.width;
});
test("files: a single profile is one bar of its duration", async () => {
  const s = await server4();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout);
    await page.locator(".timeline-caption", { hasText: "cores" }).waitFor();
    const width = await eventually("a bar", async () => barWidth(page));
    assert7.ok(
      width > 0.7 && width < 0.95,
      `the bar fills the axis except for the margins: ${width}`
    );
    await screenshot(page, "file-one-profile");
  });
});
test("files: a dropped file is shown, and its address can be reloaded", async () => {
  const s = await server4();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout);
    await page.locator(".file-chip", { hasText: "checkout.pb.gz" }).waitFor();
    assert7.equal(pathOf(page), "/profiles");
    await row(page, "runtime").first().waitFor();
    const expected = JSON.parse(run("top", checkout, "--json"));
    const answer = await page.evaluate(
      async (id) => (await (await fetch(`/api/v1/top?file=${id}&n=1`)).json()).total,
      fileOf(page)
    );
    assert7.equal(answer, expected.total);
    await screenshot(page, "file-opened");
    await page.reload();
    await page.locator(".file-bar", { hasText: "pprof" }).waitFor();
    await page.getByRole("button", { name: "Close the file" }).click();
    await page.locator(".service", { hasText: "small" }).waitFor();
  });
});
test("files: the page shows a hint while a file is dragged over it", async () => {
  const s = await server4();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".service").first().waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "x"));
      document.body.dispatchEvent(
        new DragEvent("dragenter", { dataTransfer: data, bubbles: true, cancelable: true })
      );
    });
    await page.locator(".drop-veil", { hasText: "Drop to open" }).waitFor();
    await screenshot(page, "file-drop");
    await page.evaluate(
      () => document.body.dispatchEvent(new DragEvent("dragleave", { bubbles: true }))
    );
    await page.locator(".drop-veil").waitFor({ state: "detached" });
  });
});
test("files: an invalid file shows the server's reason, and the page stays", async () => {
  const s = await server4();
  const bad = join9(folder, "bad.bin");
  writeFileSync3(bad, Buffer.from([255, 254, 0, 18, 52]));
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small`);
    await row(page, "write").waitFor();
    await page.setInputFiles("#open-file", bad);
    await page.locator(".opening-reason", { hasText: "not a profile" }).waitFor();
    await screenshot(page, "file-refused");
    await page.keyboard.press("Escape");
    await page.locator(".opening").waitFor({ state: "detached" });
    assert7.ok(page.url().endsWith("/profiles?query=small"));
    expectRefusal(page);
  });
});
test("files: two dropped files are compared, the older one is the before side", async () => {
  const s = await server4();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout, join9(sourceRoot, "examples/checkout-slow.pb.gz"));
    await eventually("the comparison", async () => pathOf(page) === "/compare");
    const params = new URL(page.url()).searchParams;
    const name = (id) => page.evaluate(
      async (file) => (await (await fetch(`/api/v1/files?id=${file}`)).json()).name,
      id
    );
    assert7.equal(await name(params.get("before_file")), "checkout.pb.gz");
    assert7.equal(await name(params.get("file")), "checkout-slow.pb.gz");
    await page.locator("canvas").first().waitFor();
    await screenshot(page, "file-compare");
    await drop(page, checkout, small, small);
    await page.locator(".opening-reason", { hasText: "or two files to compare" }).waitFor();
  });
});
test("files: a file can be saved to the store", async () => {
  const s = await server4();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.setInputFiles("#open-file", checkout);
    await page.getByRole("button", { name: "Save to store" }).click();
    await page.locator(".keep-form input").first().fill("kept");
    await page.locator(".keep-form input").nth(1).fill("env=");
    await page.locator(".keep-form .note.bad").waitFor();
    assert7.equal(await page.locator(".keep-form button[type=submit]").isDisabled(), true);
    await page.locator(".keep-form input").nth(1).fill("env=dev");
    await screenshot(page, "file-keep");
    await page.keyboard.press("Enter");
    await eventually(
      "the stored data",
      async () => new URL(page.url()).searchParams.get("query") === 'kept{env="dev"}'
    );
    assert7.equal(fileOf(page), "");
    await row(page, "runtime").first().waitFor();
    const params = new URL(page.url()).searchParams;
    const time = (name) => new Date(Number(params.get(name))).toISOString();
    const kept = JSON.parse(
      s.query("top", 'kept{env="dev"}', "--from", time("from"), "--to", time("to"), "--json")
    );
    assert7.equal(
      kept.total,
      JSON.parse(run("top", checkout, "--json")).total
    );
  });
});
test("files: a file that the server no longer has can be opened again at the same address", async () => {
  const s = await new Server().start();
  const port = s.port;
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout);
    await page.locator(".file-chip").waitFor();
    const address = page.url();
    await page.goto("about:blank");
    await s.stop();
    await s.start(port);
    await page.goto(address);
    await page.locator(".empty", { hasText: "no longer on the server" }).waitFor();
    await screenshot(page, "file-gone");
    await drop(page, checkout);
    await page.locator(".file-chip", { hasText: "checkout.pb.gz" }).waitFor();
    assert7.equal(page.url(), address);
    expectRefusal(page);
  });
});
test("files: hostile names are rendered as text", async () => {
  const s = await server4();
  const name = join9(folder, `<img src=x onerror=hacked=1>\u202E${"n".repeat(120)}.folded`);
  writeFileSync3(
    name,
    `main;<script>window.hacked=1</script>;${"x".repeat(1e4)} 7
main;\u{1F600}\u202Ebackwards 3
`
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, name);
    await page.locator(".file-chip", { hasText: "<img src=x" }).waitFor();
    await row(page, "\u{1F600}").waitFor();
    assert7.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
      "nothing is cut off at the right"
    );
    assert7.equal(await page.evaluate(() => "hacked" in window), false);
    await screenshot(page, "file-hostile");
  });
});
async function download(page, item) {
  await page.getByRole("button", { name: "Download \u25BE" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".download-menu > *", { hasText: item }).first().click()
  ]);
  const path = join9(folder, file.suggestedFilename());
  await file.saveAs(path);
  return path;
}
test("downloads: each format contains the selection", async () => {
  const s = await server4();
  await withPage({ acceptDownloads: true }, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&focus=parse`);
    await row(page, "read").waitFor();
    for (const item of ["pprof", "OTLP", "Folded", "speedscope"]) {
      const path = await download(page, item);
      assert7.equal(JSON.parse(run("top", path, "--json")).total, 40, item);
    }
    const svg = readFileSync3(await download(page, "SVG"), "utf8");
    assert7.match(svg, /^<svg/);
    assert7.ok(svg.includes("parse") && !svg.includes("write"));
    const png = readFileSync3(await download(page, "PNG"));
    assert7.equal(png.subarray(1, 4).toString(), "PNG");
  });
});
test("downloads: the link has absolute times, and the command line has the same query", async () => {
  const s = await server4();
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=${encodeURIComponent(`small{env="it's"}`)}&view=table`
    );
    await row(page, "read").waitFor();
    const copied = async (item) => {
      await page.locator(".download-menu > *", { hasText: item }).first().click();
      await page.locator(".download-menu [role=status]", { hasText: "Copied" }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.getByRole("button", { name: "Download \u25BE" }).click();
    const link2 = new URL(await copied("Copy link"));
    assert7.match(link2.searchParams.get("from"), /^\d{13}$/);
    assert7.match(link2.searchParams.get("to"), /^\d{13}$/);
    await screenshot(page, "downloads");
    const command = await eventually("the command", async () => {
      const text2 = await copied("Copy command");
      return text2.startsWith("varve query top ") && text2;
    });
    const table = execSync2(`${command} --exact`, {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname4(program)}:${process.env.PATH}` }
    });
    assert7.match(table, /\b60\b.*\bwrite\b/);
  });
});

// ui/test/browser/flame.test.ts
import assert8 from "node:assert/strict";

// ui/test/flame/stack_tree.ts
var made = (name) => ({ name, self: [0, 0], total: [0, 0], children: /* @__PURE__ */ new Map() });
function nodesOf(stacks, places = {}, path = []) {
  const root = made("");
  let both = false;
  for (const [stack, value] of Object.entries(stacks)) {
    const values = Array.isArray(value) ? value : [0, value];
    both ||= Array.isArray(value);
    let node = root;
    const add = (sums) => values.forEach((v, i) => sums[i] += v);
    add(node.total);
    for (const name of stack ? stack.split(";") : []) {
      if (!node.children.has(name)) node.children.set(name, made(name));
      node = node.children.get(name);
      add(node.total);
    }
    add(node.self);
  }
  const names2 = [];
  const out = {
    path,
    node_count: 0,
    shown_count: 0,
    hidden_share: 0,
    names: names2,
    files: [],
    modules: [],
    level: [],
    name: [],
    self: [],
    total: []
  };
  if (both) Object.assign(out, { before_self: [], before_total: [] });
  const weight = (n) => Math.max(...n.total.map(Math.abs));
  const put = (node, level) => {
    let name = level === 0 && !path.length ? -1 : names2.indexOf(level === 0 ? path[path.length - 1] : node.name);
    if (name < 0 && (level > 0 || path.length)) {
      name = names2.push(level === 0 ? path[path.length - 1] : node.name) - 1;
      out.files.push(places[node.name]?.file ?? "");
      out.modules.push(places[node.name]?.module ?? "");
    }
    out.level.push(level);
    out.name.push(name);
    out.self.push(node.self[1]);
    out.total.push(node.total[1]);
    out.before_self?.push(node.self[0]);
    out.before_total?.push(node.total[0]);
    for (const child of [...node.children.values()].sort((a, b) => weight(b) - weight(a)))
      put(child, level + 1);
  };
  put(root, 0);
  out.node_count = out.shown_count = out.level.length - 1;
  return out;
}

// ui/test/browser/host_server.ts
import { readFileSync as readFileSync4 } from "node:fs";
import { createServer } from "node:http";
import { dirname as dirname5, join as join10 } from "node:path";
import { fileURLToPath as fileURLToPath2 } from "node:url";
var policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; base-uri 'none'";
var types = { ".js": "text/javascript", ".css": "text/css" };
async function serveHost(folder3 = dirname5(fileURLToPath2(import.meta.url))) {
  const page = '<!doctype html><meta charset="utf-8"><title>host</title><link rel="stylesheet" href="/host.css"><div id="app" class="host"></div><script src="/host.js"></script>';
  const server11 = createServer((request, response) => {
    const path = request.url.split("?")[0];
    const type = types[path.slice(path.lastIndexOf("."))];
    response.setHeader("content-security-policy", policy);
    response.setHeader("content-type", `${type ?? "text/html"}; charset=utf-8`);
    if (path === "/") response.end(page);
    else if (type) response.end(readFileSync4(join10(folder3, "ui-host", path)));
    else response.writeHead(204).end();
  });
  await new Promise((done) => server11.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server11.address().port}/`,
    close: () => server11.close()
  };
}

// ui/test/browser/flame.test.ts
var server5 = null;
async function withGraph(nodes, change, use, options = {}) {
  server5 ??= serveHost().then((made2) => (atEnd(() => made2.close()), made2));
  const { url } = await server5;
  await withPage({ viewport: { width: 1e3, height: 600 }, ...options }, async (page) => {
    await page.goto(url);
    await page.evaluate(([n, c]) => window.host.open(n, c), [nodes, change ?? {}]);
    await page.locator(".flame-hidden", { hasText: "frame" }).waitFor();
    await use(page);
  });
}
var events = (page) => page.evaluate(() => window.host.events);
var eventsOf = async (page, kind) => (await events(page)).filter(([name]) => name === kind);
var rowHeight = 20;
var settled2 = 300;
async function at(page, row2, part) {
  const box = await page.locator(".flame-canvas").boundingBox();
  return { x: box.x + box.width * part, y: box.y + (row2 + 0.5) * rowHeight };
}
async function click(page, row2, part) {
  const place = await at(page, row2, part);
  await page.mouse.click(place.x, place.y);
}
var colourAt = (page, row2, part) => page.evaluate(
  ([r, p, h]) => {
    const canvas = document.querySelector(".flame-canvas");
    const ratio = canvas.width / canvas.clientWidth;
    return [
      ...canvas.getContext("2d").getImageData(Math.round(canvas.width * p), Math.round((r * h + 2) * ratio), 1, 1).data
    ].slice(0, 3).join();
  },
  [row2, part, rowHeight]
);
var shop = nodesOf({
  "main;handle;render;write": 30,
  "main;handle;render": 10,
  "main;handle;parse": 45,
  "main;idle": 10,
  gc: 5
});
var tooltip = (page) => page.locator(".flame-tooltip").innerText();
var crumbs = async (page) => (await page.locator(".flame-crumbs button").allInnerTexts()).join(" > ");
test("flame: the tooltip shows the values of a frame", () => withGraph(shop, {}, async (page) => {
  const place = await at(page, 2, 0.3);
  await page.mouse.move(place.x, place.y);
  const text2 = await tooltip(page);
  assert8.match(text2, /^handle\n/);
  assert8.match(text2, /total\s+85 ns\s+85\.0%/);
  assert8.match(text2, /self\s+0 ns\s+0%/);
  await screenshot(page, "flame-tooltip");
}));
test("flame: a click zooms and calls onZoom; the breadcrumb zooms out", () => withGraph(shop, {}, async (page) => {
  await click(page, 2, 0.3);
  await page.waitForTimeout(settled2);
  assert8.deepEqual(await eventsOf(page, "zoom"), [["zoom", ["main", "handle"]]]);
  assert8.deepEqual(await eventsOf(page, "select"), [["select", "handle"]]);
  assert8.equal(await crumbs(page), "all > main > handle");
  const place = await at(page, 3, 0.9);
  await page.mouse.move(place.x, place.y);
  assert8.match(await tooltip(page), /^render[\s\S]*40\.0%\s+47\.1%/);
  await page.locator(".flame-crumbs button").first().click();
  await page.waitForTimeout(settled2);
  assert8.equal(await crumbs(page), "all");
}));
test("flame: the tree of a zoom replaces the subtree, and nothing moves", () => withGraph(shop, { answerAfter: 20 }, async (page) => {
  await click(page, 2, 0.3);
  await eventually(
    "the tree of the path",
    () => page.evaluate(
      () => window.host.props().tree.rootPath.length === 2 && !window.host.props().busy
    )
  );
  await page.waitForTimeout(settled2);
  assert8.equal(await crumbs(page), "all > main > handle");
  for (const [row2, part, name] of [
    [2, 0.5, "handle"],
    [3, 0.2, "parse"],
    [3, 0.9, "render"],
    [4, 0.8, "write"]
  ]) {
    const place = await at(page, row2, part);
    await page.mouse.move(place.x, place.y);
    assert8.match(await tooltip(page), new RegExp(`^${name}
`));
  }
  await screenshot(page, "flame-subtree");
  await click(page, 1, 0.5);
  await eventually(
    "one level up",
    () => page.evaluate(() => window.host.props().tree.rootPath.length === 1)
  );
  await page.waitForTimeout(settled2);
  assert8.equal(await crumbs(page), "all > main");
}));
test("flame: the keyboard moves from frame to frame", () => withGraph(shop, {}, async (page) => {
  await page.evaluate(() => document.querySelector(".flame-crumbs button").blur());
  for (let i = 0; i < 5 && await page.evaluate(() => document.activeElement?.className) !== "flame-canvas"; i++)
    await page.keyboard.press("Tab");
  const spoken = () => page.locator("[aria-live]").innerText();
  assert8.match(await spoken(), /^all: total 100 ns, 100%/);
  for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  assert8.match(await spoken(), /^idle: total 10 ns, 10\.0%, self 10 ns; level 2/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowDown");
  assert8.match(await spoken(), /^parse:/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(settled2);
  assert8.equal(await crumbs(page), "all > main > handle");
  await page.keyboard.press("Backspace");
  assert8.equal(await crumbs(page), "all > main");
  await page.keyboard.press("Escape");
  assert8.equal(await crumbs(page), "all");
  assert8.deepEqual(
    (await eventsOf(page, "zoom")).map(([, path]) => path),
    [["main", "handle"], ["main"], []]
  );
}));
test("flame: c copies the name, C the stack", () => withGraph(
  shop,
  {},
  async (page) => {
    await page.locator(".flame-canvas").focus();
    for (const key of ["ArrowDown", "ArrowDown", "c"]) await page.keyboard.press(key);
    await page.locator(".flame-note").waitFor();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    assert8.equal(await copied(), "handle");
    await page.keyboard.press("C");
    await eventually("the stack", async () => await copied() === "main;handle");
  },
  { permissions: ["clipboard-read", "clipboard-write"] }
));
test("flame: the menu of a frame, by mouse and keyboard", () => withGraph(shop, {}, async (page) => {
  const place = await at(page, 3, 0.2);
  await page.mouse.click(place.x, place.y, { button: "right" });
  await screenshot(page, "flame-menu");
  await page.getByRole("menuitem", { name: "Only stacks" }).click();
  assert8.deepEqual(await eventsOf(page, "action"), [
    ["action", "focus", "parse", ["main", "handle", "parse"]]
  ]);
  await page.mouse.click(place.x, place.y, { button: "right" });
  await page.locator(".flame-menu button:focus").waitFor();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
    await page.keyboard.press(key);
  assert8.deepEqual((await eventsOf(page, "action")).at(-1), [
    "action",
    "ignore",
    "parse",
    ["main", "handle", "parse"]
  ]);
  await page.mouse.click(place.x, place.y, { button: "right" });
  await page.locator(".flame-menu button:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".flame-menu").waitFor({ state: "detached" });
  assert8.equal(await page.evaluate(() => document.activeElement?.className), "flame-canvas");
}));
test("flame: matches keep their colour, other frames fade; an invalid expression is reported", () => withGraph(shop, {}, async (page) => {
  const before = await colourAt(page, 3, 0.7);
  await page.evaluate(() => window.host.set({ search: "/^PARSE$/i" }));
  await eventually("the match", async () => (await eventsOf(page, "match")).length === 1);
  assert8.deepEqual(await eventsOf(page, "match"), [["match", 0.45, 45, 1]]);
  await page.waitForTimeout(50);
  assert8.notEqual(await colourAt(page, 3, 0.7), before);
  assert8.match(await page.locator(".flame-found").innerText(), /1 frame: 45 ns, 45\.0%/);
  await screenshot(page, "flame-search");
  await page.evaluate(() => window.host.set({ search: "/[/" }));
  await eventually(
    "the error",
    async () => /Unterminated character class/.test(await page.locator(".flame-found").innerText())
  );
}));
test("flame: an expression that takes too long is stopped", () => withGraph(nodesOf({ ["a".repeat(60)]: 1 }), { search: "/^(a+)+$x/" }, async (page) => {
  await eventually(
    "the error",
    async () => /takes too long/.test(await page.locator(".flame-found").textContent() ?? "")
  );
  await page.evaluate(() => window.host.set({ search: "/a/" }));
  await eventually(
    "the next search",
    async () => /1 frame/.test(await page.locator(".flame-found").textContent() ?? "")
  );
}));
var hostile3 = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "\u202Eexe.cod\u2066",
  "\u{1F525}\u{1F469}\u200D\u{1F469}\u200D\u{1F467}".repeat(40),
  "\u05E9\u05DC\u05D5\u05DD \u05E2\u05D5\u05DC\u05DD",
  "x".repeat(10240),
  "a\0b\nc	d",
  "",
  "__proto__",
  "constructor"
];
test("flame: hostile names are rendered as text in graph, tooltip, menu and breadcrumb", () => withGraph(
  nodesOf(Object.fromEntries(hostile3.map((name) => [`main;${name}`, 10]))),
  {},
  async (page) => {
    page.on("dialog", (d) => page.pageErrors.push(`dialog: ${d.message()}`));
    for (let i = 0; i < hostile3.length; i++) {
      const place = await at(page, 2, (i + 0.5) / hostile3.length);
      await page.mouse.move(place.x, place.y);
      await page.locator(".flame-tooltip").waitFor();
      const box = await page.locator(".flame-tooltip").boundingBox();
      assert8.ok(
        box.x >= 0 && box.x + box.width <= 1e3 && box.y >= 0 && box.y + box.height <= 600,
        "the tooltip is inside of the window"
      );
    }
    await screenshot(page, "flame-hostile");
    for (let i = 0; i < hostile3.length; i++) {
      await click(page, 2, (i + 0.5) / hostile3.length);
      await page.waitForTimeout(settled2);
      await page.locator(".flame-crumbs button").first().click();
      await page.waitForTimeout(settled2);
    }
    assert8.equal((await eventsOf(page, "zoom")).length, 2 * hostile3.length);
    assert8.equal(await page.locator("img").count(), 0);
  }
));
test("flame: a difference shows before, after and change; palettes have different colours", () => withGraph(
  nodesOf({
    "main;grew": [10, 30],
    "main;shrank": [30, 10],
    "main;new": [0, 20],
    "main;gone": [20, 0],
    "main;same": [10, 10]
  }),
  {},
  async (page) => {
    const colours = async () => Promise.all([0.1, 0.4, 0.9].map((part) => colourAt(page, 2, part)));
    const first = await colours();
    assert8.equal(new Set(first).size, 3);
    const place = await at(page, 2, 0.1);
    await page.mouse.move(place.x, place.y);
    assert8.match(await tooltip(page), /grew[\s\S]*10 ns\s+30 ns\s+\+20 ns\s+\+200%/);
    await screenshot(page, "flame-diff");
    await page.evaluate(() => window.host.set({ palette: "bluered" }));
    await page.waitForTimeout(50);
    assert8.notDeepEqual(await colours(), first);
    await page.evaluate(() => (window.host.theme("dark"), window.host.set({ normalise: true })));
    await screenshot(page, "flame-diff-dark");
  }
));
test("flame: empty trees and trees of zeros", () => withGraph(nodesOf({}), {}, async (page) => {
  assert8.equal(await page.locator(".flame-empty").innerText(), "No samples");
  await page.evaluate((n) => window.host.open(n), nodesOf({ "a;b": 0 }));
  assert8.equal(await page.locator(".flame-empty").count(), 0);
  await page.evaluate((n) => window.host.open(n), nodesOf({ "m;a": 10, "m;b": -4 }));
  const place = await at(page, 2, 0.9);
  await page.mouse.move(place.x, place.y);
  assert8.match(await tooltip(page), /^b[\s\S]*-4 ns/);
}));
test("flame: the root at the bottom; deep stacks scroll", () => withGraph(
  nodesOf({ [Array.from({ length: 300 }, (_, i) => `f${i}`).join(";")]: 1 }),
  { layout: "flame" },
  async (page) => {
    const scroll = () => page.evaluate(() => document.querySelector(".flame-scroll").scrollTop);
    const far = await scroll();
    assert8.ok(far > 5e3, `the root is shown first: ${far}`);
    await page.locator(".flame-canvas").focus();
    for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowUp");
    assert8.ok(await scroll() < far, "the focus is scrolled to");
    await screenshot(page, "flame-deep");
  }
));
test("flame: Ctrl and the wheel zoom at the pointer, a drag pans, the plain wheel scrolls", () => withGraph(shop, {}, async (page) => {
  const place = await at(page, 2, 0.25);
  await page.mouse.move(place.x, place.y);
  await page.keyboard.down("Control");
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -60);
  await page.keyboard.up("Control");
  await page.waitForTimeout(100);
  const edge = await at(page, 2, 0.98);
  await page.mouse.move(edge.x, edge.y);
  assert8.match(await tooltip(page), /^handle/);
  assert8.equal(await page.locator(".flame-map-off").count(), 0);
  await page.mouse.down();
  await page.mouse.move(edge.x - 900, edge.y, { steps: 5 });
  await page.mouse.up();
  assert8.deepEqual(await eventsOf(page, "zoom"), []);
  await screenshot(page, "flame-wheel");
}));
test("flame: a tap selects, a double tap zooms", () => withGraph(
  shop,
  {},
  async (page) => {
    const box = await page.locator(".flame-canvas").boundingBox();
    const [x, y] = [box.x + 100, box.y + 2.5 * 26];
    await page.touchscreen.tap(x, y);
    assert8.deepEqual(await eventsOf(page, "zoom"), []);
    assert8.deepEqual(await eventsOf(page, "select"), [["select", "handle"]]);
    assert8.match(await tooltip(page), /^handle/);
    await page.waitForTimeout(500);
    await page.touchscreen.tap(x, y);
    await page.touchscreen.tap(x, y);
    assert8.deepEqual(await eventsOf(page, "zoom"), [["zoom", ["main", "handle"]]]);
  },
  { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } }
));
test("flame: collapsed frames, and a zoom into a merged frame", () => withGraph(
  nodesOf({ "main;f;f;x;y": 30, "main;f;x": 10, "main;f;f": 5 }),
  { collapse: "recursion" },
  async (page) => {
    assert8.match(
      await page.locator(".flame-hidden").innerText(),
      /6 frames; 2 collapsed into their callers/
    );
    await click(page, 3, 0.2);
    await page.waitForTimeout(settled2);
    assert8.equal(await crumbs(page), "all > main > f > x");
    assert8.deepEqual(await eventsOf(page, "zoom"), []);
  }
));
test("flame: a note describes hidden frames", () => withGraph({ ...shop, node_count: 15e3, hidden_share: 0.013 }, {}, async (page) => {
  const text2 = await page.locator(".flame-hidden").innerText();
  assert8.equal(
    text2,
    "7 of 15,000 frames shown; frames under 5.0% hold 1.3% and are hidden: zoom in to see them"
  );
}));
test("flame: the worker processes 300,000 frames; no animation with reduced motion", () => withGraph(
  shop,
  {},
  async (page) => {
    await page.evaluate(() => window.host.openRandom(3e5, { search: "method1" }));
    await eventually(
      "the tree",
      async () => /299,999/.test(await page.locator(".flame-hidden").innerText())
    );
    await eventually(
      "the match",
      async () => /frames:/.test(await page.locator(".flame-found").textContent() ?? "")
    );
    await page.evaluate(() => window.host.set({ search: "", collapse: "both" }));
    await eventually(
      "the collapsed tree",
      async () => /collapsed/.test(await page.locator(".flame-hidden").innerText())
    );
    await screenshot(page, "flame-large");
  },
  { reducedMotion: "reduce" }
));
test("flame: SVG and PNG exports", () => withGraph(shop, {}, async (page) => {
  assert8.ok(await page.evaluate(() => window.host.png()) > 2e3);
  assert8.match(await page.evaluate(() => window.host.svg()), /^<svg[\s\S]*parse/);
}));

// ui/test/browser/heat.test.ts
import assert9 from "node:assert/strict";
import { join as join11 } from "node:path";

// ui/test/browser/timed_samples.ts
var sampleNs = 1e7;
function otlpProfile(service, timed) {
  const strings = ["", "cpu", "nanoseconds"];
  const functions = [{}];
  const locations = [{}];
  const stacks = [{}];
  const links = [{}];
  const at2 = /* @__PURE__ */ new Map();
  const once = (key, table, make) => {
    if (!at2.has(key)) {
      const row2 = make();
      at2.set(key, table.push(row2) - 1);
    }
    return at2.get(key);
  };
  const mappings = [{}];
  const frame = (text2) => once(`frame ${text2}`, locations, () => {
    const [name, module] = text2.split("|");
    const mappingIndex = module ? once(`module ${module}`, mappings, () => ({ filenameStrindex: strings.push(module) - 1 })) : 0;
    return {
      mappingIndex,
      lines: [{ functionIndex: functions.push({ nameStrindex: strings.push(name) - 1 }) - 1 }]
    };
  });
  const samples = timed.map((m) => ({
    stackIndex: once(`stack ${m.stack}`, stacks, () => ({
      locationIndices: m.stack.split(";").reverse().map(frame)
    })),
    values: [String(sampleNs)],
    timestampsUnixNano: [`${m.time}000000`],
    ...m.span ? {
      linkIndex: once(`link ${m.trace} ${m.span}`, links, () => ({
        traceId: m.trace,
        spanId: m.span
      }))
    } : {}
  }));
  const first = Math.min(...timed.map((m) => m.time));
  const last = Math.max(...timed.map((m) => m.time));
  const kind = { typeStrindex: 1, unitStrindex: 2 };
  return {
    resourceProfiles: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
        scopeProfiles: [
          {
            profiles: [
              {
                sampleType: kind,
                periodType: kind,
                period: String(sampleNs),
                timeUnixNano: `${first}000000`,
                durationNano: `${last - first + 1}000000`,
                samples
              }
            ]
          }
        ]
      }
    ],
    dictionary: {
      mappingTable: mappings,
      locationTable: locations,
      functionTable: functions,
      linkTable: links,
      stringTable: strings,
      attributeTable: [{}],
      stackTable: stacks
    }
  };
}
async function sendSamples(url, service, samples) {
  const answer = await fetch(`${url}/v1development/profiles`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(otlpProfile(service, samples))
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}
var traceA = "0af7651916cd43dd8448eb211c80319c";
var traceMany = "5bd66ef5095369c7b0d1f8f4bd33716a";
var traceB = "4bf92f3577b34da6a3ce929d0e0e4736";
var spanTick = "b7ad6b7169203331";
var spanBurst = "00f067aa0ba902b7";
var spanOther = "53995c3f42cd8ad8";
var spanRemote = "aaaaaaaaaaaaaaa1";
function knownSamples(start5) {
  const samples = [];
  for (let second = 0; second < 10; second++)
    samples.push({
      time: start5 + second * 1e3 + 100,
      stack: "main;tick",
      trace: traceA,
      span: spanTick
    });
  for (const part of [500, 520, 540])
    samples.push({
      time: start5 + 5e3 + part,
      stack: "main;burst",
      trace: traceA,
      span: spanBurst
    });
  samples.push({ time: start5 + 7900, stack: "main;other", trace: traceB, span: spanOther });
  samples.push({ time: start5 + 300, stack: "main;idle" });
  return samples;
}
var remoteSamples = (start5) => [5510, 5530].map((part) => ({
  time: start5 + part,
  stack: "serve;remote",
  trace: traceA,
  span: spanRemote
}));
async function sendSpans(url, start5, spans, trace = traceA) {
  const resourceSpans = spans.map((s) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: s.service } }] },
    scopeSpans: [
      {
        spans: [
          {
            traceId: trace,
            spanId: s.id,
            parentSpanId: s.parent,
            name: s.name,
            kind: 2,
            status: s.failed ? { code: 2 } : {},
            startTimeUnixNano: `${start5 + s.from}000000`,
            endTimeUnixNano: `${start5 + s.from + s.ms}000000`
          }
        ]
      }
    ]
  }));
  const answer = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans })
  });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
}
var manySpans = (n) => Array.from({ length: n }, (_, i) => {
  const id = (k) => `c0ffee${k.toString(16).padStart(10, "0")}`;
  return {
    service: "many",
    id: id(i),
    parent: i === 0 ? "" : id(i % 10 === 0 ? 0 : i - i % 10),
    name: `call ${i}`,
    from: i,
    ms: i === 0 ? n : 10
  };
});
var spanQuick = "bbbbbbbbbbbbbbb1";
var knownSpans = [
  { service: "timed", id: spanTick, parent: "", name: "GET /checkout", from: 0, ms: 9500 },
  {
    service: "timed",
    id: spanBurst,
    parent: spanTick,
    name: "render <b>receipt</b>",
    from: 5400,
    ms: 300
  },
  {
    service: "<b>remote</b>",
    id: spanRemote,
    parent: spanBurst,
    name: "SELECT prices",
    from: 5500,
    ms: 100
  },
  {
    service: "<b>remote</b>",
    id: spanQuick,
    parent: spanTick,
    name: "charge",
    from: 6e3,
    ms: 40,
    failed: true
  }
];

// ui/test/browser/heat.test.ts
var start = Math.floor(Date.now() / 1e3) * 1e3 - 6e5;
var known5 = null;
function server6() {
  known5 ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start));
    s.push(folded(join11(temporary(), "sums.folded"), { "main;work": 5 }), "sums");
    return s;
  })();
  return known5;
}
var map = (page) => page.locator(".heat-cells");
var summary = (page, text2) => page.locator(".summary strong", { hasText: text2 }).waitFor();
var param = (page, name) => new URL(page.url()).searchParams.get(name);
async function open(page, s, more = "") {
  await page.goto(`${s.url}/profiles?query=timed&view=heat${more}`);
  await page.locator(".heat-cells canvas").waitFor();
  await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
}
async function drag(page, from, to) {
  const box = await map(page).boundingBox();
  const at2 = ([column, row2]) => [box.x + (column + 0.5) * box.width / 10, box.y + (row2 + 0.5) * box.height / 50];
  await page.mouse.move(...at2(from));
  await page.mouse.down();
  await page.mouse.move(...at2(to), { steps: 4 });
  await page.mouse.up();
}
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`heat map: ${theme}, ${width} wide`, async () => {
      const s = await server6();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await open(page, s);
          assert9.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          if (width !== 390) await drag(page, [4, 20], [6, 30]);
          await screenshot(page, `heat-${theme}-${width}`);
        }
      );
    });
test("heat map: a rectangle has its flame graph, is in the address, and is removed by Escape", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await open(page, s);
    await summary(page, "150 ms");
    await drag(page, [4, 24], [6, 28]);
    await summary(page, "30.0 ms");
    assert9.equal(param(page, "time_from"), String(start + 4e3));
    assert9.equal(param(page, "time_to"), String(start + 7e3));
    assert9.deepEqual(
      [param(page, "phase_step"), param(page, "phase_from"), param(page, "phase_to")],
      ["1000", "480", "580"]
    );
    assert9.match(
      await page.locator(".heat-foot").textContent() ?? "",
      /30\.0 ms .*480 ms to 580 ms/
    );
    await page.reload();
    await summary(page, "30.0 ms");
    await page.locator(".heat-chosen").waitFor();
    await page.keyboard.press("Escape");
    await summary(page, "150 ms");
    assert9.equal(param(page, "time_from"), null);
  });
});
test("heat map: a rectangle applies in other views, and is shown there", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await open(page, s);
    await drag(page, [5, 24], [5, 28]);
    await summary(page, "30.0 ms");
    await page.keyboard.press("t");
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "burst" }).waitFor();
    assert9.equal(
      await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).count(),
      0
    );
    await page.locator(".moments-chip button").click();
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).waitFor();
  });
});
test("heat map: the tooltip of a cell shows time and value", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await open(page, s);
    const box = await map(page).boundingBox();
    await page.mouse.move(box.x + 0.25 * box.width, box.y + 5.5 * box.height / 50);
    const tip = await eventually("a tip", () => page.locator(".heat-tip").textContent());
    assert9.match(tip, /^10\.0 ms.*, 100 ms to 120 ms$/);
  });
});
test("heat map: keyboard only", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await open(page, s);
    await page.keyboard.press("h");
    await page.keyboard.press("ArrowRight");
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("PageDown");
    await page.keyboard.press("PageDown");
    await page.keyboard.down("Shift");
    for (let i = 0; i < 9; i++) await page.keyboard.press("ArrowDown");
    await page.keyboard.up("Shift");
    assert9.match(await page.locator('.heat-tip[role="status"]').textContent() ?? "", /^30\.0 ms/);
    await page.keyboard.press("Enter");
    await summary(page, "30.0 ms");
    assert9.deepEqual(
      [param(page, "time_from"), param(page, "phase_from"), param(page, "phase_to")],
      [String(start + 5e3), "400", "600"]
    );
  });
});
test("heat map: without timestamps a note explains how to record them", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=sums&view=heat`);
    await page.locator(".heat-panel", { hasText: "These samples have no timestamps" }).waitFor();
    await page.locator(".heat-recipe", { hasText: "varve run" }).waitFor();
    await screenshot(page, "heat-no-times");
  });
});
test("heat map: a rectangle outside of the map is reported", async () => {
  const s = await server6();
  await withPage({}, async (page) => {
    await open(page, s, "&time_from=5&time_to=6");
    await page.locator(".heat-foot", { hasText: "outside of this map" }).waitFor();
    await page.locator(".heat-foot button").click();
    await summary(page, "150 ms");
  });
});

// ui/test/browser/logs.test.ts
import assert10 from "node:assert/strict";

// ui/test/browser/shop_data.ts
function randomOf(seed) {
  return () => {
    seed = seed + 1831565813 | 0;
    let t = Math.imul(seed ^ seed >>> 15, 1 | seed);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}
var hex = (n, digits) => n.toString(16).padStart(digits, "0");
var Shop = class {
  data = { spans: [], logs: [], samples: /* @__PURE__ */ new Map() };
  random;
  next = 0;
  constructor(seed) {
    this.random = randomOf(seed);
  }
  // A duration around `ms`, sometimes much longer.
  took(ms) {
    const r = this.random();
    return ms * (0.5 + r + (r > 0.95 ? 6 * (r - 0.9) * 10 : 0));
  }
  span(parent, trace, service, name, kind, from, ms, attributes) {
    const span = {
      service,
      trace,
      id: hex(2684354560 + ++this.next, 16),
      parent: parent?.id ?? "",
      name,
      kind,
      from,
      ms,
      attributes
    };
    this.data.spans.push(span);
    return span;
  }
  log(span, at2, severity, text2, more = {}) {
    this.data.logs.push({
      service: span.service,
      time: at2,
      severity,
      text: text2,
      trace: span.trace,
      span: span.id,
      attributes: { "thread.name": "worker-1", ...more }
    });
  }
  sample(span, stack, share) {
    const list = this.data.samples.get(span.service) ?? [];
    const n = Math.max(1, Math.floor(span.ms * share / 10));
    for (let i = 0; i < n; i++)
      list.push({
        time: Math.floor(span.from + span.ms * i / n),
        stack,
        trace: span.trace,
        span: span.id
      });
    this.data.samples.set(span.service, list);
  }
  // One request: the front, the cart with its queries, and for orders the payment and a mail.
  request(start5) {
    const r = this.random;
    const trace = hex(1592590336 + ++this.next, 16) + hex(Math.floor(r() * 2 ** 48), 16);
    const order = r() < 0.4;
    const route = order ? "/checkout" : "/products/{id}";
    const failed = order && r() < 0.12;
    const user = `user-${Math.floor(r() * 40)}`;
    const queries = 2 + Math.floor(r() * (order ? 8 : 3));
    const queryMs = Array.from({ length: queries }, () => this.took(4));
    const cartMs = queryMs.reduce((a, b) => a + b + 0.6, 3);
    const payMs = order ? this.took(failed ? 260 : 90) : 0;
    const root = this.span(
      void 0,
      trace,
      "front",
      `${order ? "POST" : "GET"} ${route}`,
      2,
      start5,
      8 + cartMs + payMs + (order ? 9 : 2),
      {
        "http.request.method": order ? "POST" : "GET",
        "http.route": route,
        "http.response.status_code": failed ? 500 : 200,
        "user.id": user,
        "url.path": order ? "/checkout" : `/products/${Math.floor(r() * 900)}`,
        "request.cached": r() < 0.5,
        "response.size": Math.floor(r() * 9e4) / 10
      }
    );
    this.log(root, start5 + 0.4, 9, `${root.name} from ${user}`, { "user.id": user });
    const cart = this.span(root, trace, "cart", "cart.Load", 2, start5 + 3, cartMs, {
      "rpc.system": "grpc",
      "rpc.method": "Load",
      items: queries
    });
    let at2 = cart.from + 1.2;
    for (const ms of queryMs) {
      this.span(cart, trace, "cart", "SELECT stock", 3, at2, ms, {
        "db.system": "postgresql",
        "db.query.text": "SELECT count FROM stock WHERE item = $1",
        "server.address": "db-1"
      });
      at2 += ms + 0.5;
    }
    this.log(
      cart,
      cart.from + cart.ms - 0.5,
      5,
      `loaded ${queries} items in ${cart.ms.toFixed(1)} ms`
    );
    this.sample(root, "main;serve;render;json.Marshal", 0.2);
    if (order) this.order(root, start5 + 5 + cartMs, payMs, failed, user);
    return trace;
  }
  order(root, at2, ms, failed, user) {
    const pay = this.span(root, root.trace, "payment", "payment.Charge", 2, at2, ms, {
      "payment.provider": this.random() < 0.5 ? "visa" : "mastercard",
      "payment.amount": Math.floor(this.random() * 2e4) / 100,
      "payment.retries": failed ? 3 : 0,
      "payment.tags": ["eu", "web"]
    });
    const sign = this.span(pay, root.trace, "payment", "rsa.Sign", 1, at2 + 2, ms * 0.6, {});
    this.sample(sign, "main;charge;rsa.Sign;bigint.Exp", 0.8);
    if (failed) {
      pay.error = "card declined after 3 retries";
      root.error = "";
      pay.events = [
        { name: "retry", at: at2 + ms * 0.3, attributes: { attempt: 2 } },
        { name: "retry", at: at2 + ms * 0.6, attributes: { attempt: 3 } },
        {
          name: "exception",
          at: at2 + ms * 0.98,
          attributes: {
            "exception.type": "CardDeclined",
            "exception.message": "the bank refused the charge",
            "exception.stacktrace": "CardDeclined: the bank refused the charge\n  at charge (payment.ts:41)\n  at order (order.ts:17)"
          }
        }
      ];
      this.log(pay, at2 + ms * 0.3, 13, "charge refused, retrying", { attempt: 2 });
      this.log(pay, at2 + ms * 0.98, 17, `CardDeclined: the bank refused the charge of ${user}`, {
        "exception.type": "CardDeclined"
      });
      return;
    }
    this.log(pay, at2 + ms - 1, 9, `charged ${user}`);
    const send = this.span(root, root.trace, "front", "orders publish", 4, at2 + ms + 1, 2, {
      "messaging.system": "kafka",
      "messaging.destination.name": "orders"
    });
    const mail = this.span(send, root.trace, "mail", "orders process", 5, at2 + ms + 30, 45, {
      "messaging.system": "kafka"
    });
    mail.links = [{ trace: root.trace, span: send.id, attributes: { "messaging.batch.index": 0 } }];
    this.log(mail, mail.from + 40, 9, `mail sent to ${user}`);
  }
};
function shopData(from, to, count3, seed = 1) {
  const shop2 = new Shop(seed);
  for (let i = 0; i < count3; i++) shop2.request(from + (to - from) * i / count3);
  return shop2.data;
}
var nanos = (ms) => String(BigInt(Math.floor(ms)) * 1000000n + BigInt(Math.round(ms % 1 * 1e6)));
function anyValue(value) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}
var attributesOf = (all) => Object.entries(all).map(([key, value]) => ({ key, value: anyValue(value) }));
var resourceOf = (service) => ({
  attributes: attributesOf({
    "service.name": service,
    "service.version": "1.4.2",
    "host.name": `${service}-7d9f`
  })
});
async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
}
var byService = (all) => {
  const groups = /* @__PURE__ */ new Map();
  for (const one of all) groups.set(one.service, [...groups.get(one.service) ?? [], one]);
  return [...groups];
};
var spansPerRequest = 2e3;
async function sendShopSpans(url, spans) {
  for (let i = 0; i < spans.length; i += spansPerRequest)
    await post(`${url}/v1/traces`, {
      resourceSpans: byService(spans.slice(i, i + spansPerRequest)).map(([service, list]) => ({
        resource: resourceOf(service),
        scopeSpans: [
          {
            scope: { name: `${service}.http`, version: "0.9" },
            spans: list.map((s) => ({
              traceId: s.trace,
              spanId: s.id,
              parentSpanId: s.parent,
              name: s.name,
              kind: s.kind,
              startTimeUnixNano: nanos(s.from),
              endTimeUnixNano: nanos(s.from + s.ms),
              attributes: attributesOf(s.attributes),
              status: s.error === void 0 ? {} : { code: 2, message: s.error },
              events: s.events?.map((e) => ({
                name: e.name,
                timeUnixNano: nanos(e.at),
                attributes: attributesOf(e.attributes)
              })),
              links: s.links?.map((l) => ({
                traceId: l.trace,
                spanId: l.span,
                attributes: attributesOf(l.attributes)
              }))
            }))
          }
        ]
      }))
    });
}
async function sendShopLogs(url, logs) {
  const names2 = ["", "TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"];
  for (let i = 0; i < logs.length; i += spansPerRequest)
    await post(`${url}/v1/logs`, {
      resourceLogs: byService(logs.slice(i, i + spansPerRequest)).map(([service, list]) => ({
        resource: resourceOf(service),
        scopeLogs: [
          {
            scope: { name: `${service}.log` },
            logRecords: list.map((l) => ({
              timeUnixNano: nanos(l.time),
              observedTimeUnixNano: nanos(l.time + 2),
              severityNumber: l.severity,
              severityText: names2[Math.floor((l.severity + 3) / 4)],
              body: { stringValue: l.text },
              attributes: attributesOf(l.attributes),
              traceId: l.trace,
              spanId: l.span
            }))
          }
        ]
      }))
    });
}
var minuteMs = 6e4;
async function sendShopSamples(url, data) {
  for (const [service, list] of data.samples) {
    const minutes = /* @__PURE__ */ new Map();
    for (const sample of list) {
      const minute2 = Math.floor(sample.time / minuteMs);
      minutes.set(minute2, [...minutes.get(minute2) ?? [], sample]);
    }
    for (const samples of minutes.values()) await sendSamples(url, service, samples);
  }
}

// ui/test/browser/shop_server.ts
var requests = 120;
var known6 = null;
function shopServer() {
  known6 ??= (async () => {
    const server11 = await new Server().start();
    const to = Math.floor(Date.now() / 1e3) * 1e3 - 12e4;
    const from = to - 30 * 6e4;
    const data = shopData(from, to, requests);
    await sendShopSpans(server11.url, data.spans);
    await sendShopLogs(server11.url, data.logs);
    await sendShopSamples(server11.url, data);
    return { server: server11, data, from, to };
  })();
  return known6;
}

// ui/test/browser/logs.test.ts
var lines = (page) => page.locator(".log-line");
var param2 = (page, name) => new URL(page.url()).searchParams.get(name);
var has = (page, name, value) => eventually(`${name} is ${value} in the address`, async () => param2(page, name) === value);
var total2 = (page, n) => page.locator(".log-legend strong", {
  hasText: new RegExp(`^${n.toLocaleString("en-US")} records?$`)
}).waitFor();
for (const theme of ["light", "dark"])
  for (const width of [1280, 390])
    test(`logs: records and histogram, ${theme}, ${width} wide`, async () => {
      const { server: server11, data } = await shopServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        await page.goto(`${server11.url}/logs`);
        await total2(page, data.logs.length);
        await lines(page).nth(2).click();
        await page.locator(".log-details").waitFor();
        assert10.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          "nothing is cut off at the right"
        );
        await screenshot(page, `logs-${theme}-${width}`);
      });
    });
test("logs: the newest records are first, and older ones are loaded at the end", async () => {
  const { server: server11, data } = await shopServer();
  const newest = [...data.logs].sort((a, b) => b.time - a.time);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs`);
    await lines(page).first().waitFor();
    assert10.ok((await lines(page).first().textContent()).includes(newest[0].text));
    const list = page.locator(".virtual-list");
    assert10.ok(await lines(page).count() < 120, "only visible lines are rendered");
    const end = page.locator(".note", { hasText: "No older records in this range." });
    await eventually("the last record", async () => {
      await list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
      return await end.count() > 0 && end.isVisible();
    });
    await list.evaluate((e) => e.scrollTo(0, e.scrollHeight));
    await lines(page).filter({ hasText: newest[newest.length - 1].text }).last().waitFor();
  });
});
test("logs: filters by severity, service, text and attribute are in the address", async () => {
  const { server: server11, data } = await shopServer();
  const bad = data.logs.filter((l) => l.severity >= 13);
  const of = (service) => data.logs.filter((l) => l.service === service);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs`);
    await total2(page, data.logs.length);
    await page.getByLabel("Least severity").selectOption("warn");
    await total2(page, bad.length);
    await has(page, "severity", "warn");
    await page.getByLabel("Least severity").selectOption("");
    await page.getByTitle("Filter by service").click();
    await page.locator(".pick", { hasText: "mail" }).click();
    await page.locator(".pick", { hasText: "payment" }).click();
    await page.keyboard.press("Escape");
    await total2(page, of("mail").length + of("payment").length);
    await page.reload();
    await total2(page, of("mail").length + of("payment").length);
    await page.getByRole("button", { name: "Remove the service mail" }).click();
    await total2(page, of("payment").length);
    await page.keyboard.press("/");
    await page.keyboard.type("REFUSED the");
    await total2(page, bad.filter((l) => l.text.includes("refused the")).length);
    await page.locator(".log-message mark", { hasText: "refused the" }).first().waitFor();
    await page.getByLabel("Compare the text").selectOption("part");
    await page.locator(".empty", { hasText: "No record matches" }).waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await total2(page, data.logs.length);
    await page.getByLabel("Compare the text").selectOption("regex");
    await page.locator("#search").fill("loaded [7-9] items");
    await total2(page, data.logs.filter((l) => /loaded [7-9] items/.test(l.text)).length);
    await page.locator("#search").fill("loaded (");
    await page.locator(".note.bad", { hasText: "missing closing parenthesis" }).waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});
test("logs: a record unfolds to its attributes, which narrow the list", async () => {
  const { server: server11, data } = await shopServer();
  const declined = data.logs.filter((l) => l.attributes["exception.type"] === "CardDeclined");
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs?severity=error`);
    await lines(page).first().click();
    const details = page.locator(".log-details");
    await details.waitFor();
    assert10.match(
      await details.textContent(),
      /exception\.typeCardDeclined.*host\.namepayment-7d9f/s
    );
    await page.reload();
    await details.waitFor();
    const exception = details.locator(".attributes > div", { hasText: "exception.type" });
    await exception.hover();
    await exception.getByRole("button", { name: "Only" }).click();
    await has(page, "where", "exception.type=CardDeclined");
    await page.getByLabel("Least severity").selectOption("");
    await total2(page, declined.length);
    await page.getByRole("button", { name: "Remove exception.type=CardDeclined" }).click();
    await page.getByRole("button", { name: "+ Attribute" }).click();
    await page.getByLabel("Attribute", { exact: true }).fill("attempt");
    await page.getByLabel("Value").fill("2");
    await page.keyboard.press("Enter");
    await total2(page, data.logs.filter((l) => l.attributes.attempt === 2).length);
  });
});
test("logs: a record leads to its trace, and to the profile of its time and span", async () => {
  const { server: server11, data } = await shopServer();
  const newest = [...data.logs].sort((a, b) => b.time - a.time).find((l) => l.severity === 17);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs?severity=error`);
    await lines(page).first().click();
    await page.getByRole("link", { name: "Trace", exact: true }).click();
    await page.locator(".trace-head", { hasText: "POST /checkout" }).waitFor();
    assert10.equal(param2(page, "trace"), newest.trace);
    assert10.equal(param2(page, "span"), newest.span);
    await page.keyboard.press("o");
    const pane2 = page.locator('[aria-label="Logs"]');
    await pane2.locator(".log-line", { hasText: "CardDeclined" }).waitFor();
    assert10.equal(
      await pane2.locator(".log-line").count(),
      data.logs.filter((l) => l.span === newest.span).length
    );
    await page.getByRole("button", { name: "Of the trace", exact: true }).click();
    const ofTrace = data.logs.filter((l) => l.trace === newest.trace);
    await eventually(
      "the records of the trace",
      async () => await pane2.locator(".log-line").count() === ofTrace.length
    );
    await screenshot(page, "trace-logs");
    await page.getByRole("link", { name: "Open in Logs" }).click();
    await total2(page, ofTrace.length);
    await page.locator(".chip", { hasText: "Trace" }).waitFor();
    await page.goto(`${server11.url}/logs?severity=error`);
    await lines(page).first().click();
    await page.getByRole("link", { name: "Profile of this time" }).click();
    await page.locator(".summary strong").waitFor();
    assert10.equal(param2(page, "query"), "payment");
    assert10.ok(Math.abs(Number(param2(page, "from")) - newest.time) < 61e3);
    await page.goBack();
    await page.getByRole("link", { name: "Profile of the span" }).click();
    await page.locator(".chip", { hasText: "Span" }).waitFor();
  });
});
test("logs: a drag on the histogram narrows the range, a double click widens it", async () => {
  const { server: server11, data } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs`);
    await total2(page, data.logs.length);
    const cells3 = page.locator(".log-chart .heat-cells");
    const box = await cells3.boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("an absolute range", async () => /^\d{13}$/.test(param2(page, "from") ?? ""));
    const [from, to] = [Number(param2(page, "from")), Number(param2(page, "to"))];
    await total2(page, data.logs.filter((l) => l.time >= from && l.time < to).length);
    await page.goBack();
    await total2(page, data.logs.length);
    await page.locator(".log-legend button", { hasText: "error" }).click();
    await total2(page, data.logs.filter((l) => l.severity >= 17).length);
    await page.keyboard.press("h");
    for (const key of ["End", "ArrowLeft", "Shift+ArrowLeft", "Enter"])
      await page.keyboard.press(key);
    await eventually("by keyboard", async () => /^\d{13}$/.test(param2(page, "from") ?? ""));
  });
});
test("logs: the list works by keyboard, and an empty range offers a next step", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs`);
    await lines(page).first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".log-line.open.selected").waitFor();
    await page.keyboard.press("ArrowLeft");
    await eventually("folded", async () => await page.locator(".log-details").count() === 0);
    await page.goto(`${server11.url}/logs?from=1000000000000&to=1000000060000`);
    await page.locator(".empty", { hasText: "No log records in this range" }).waitFor();
    await page.getByRole("button", { name: "Search the last 24 hours" }).click();
    await lines(page).first().waitFor();
  });
});
test("logs: text of records is shown as text", async () => {
  const { server: server11, to } = await shopServer();
  const record = {
    timeUnixNano: `${to + 6e4}000000`,
    severityNumber: 9,
    body: { stringValue: '<img src=x onerror="alert(1)">\nsecond <b>line</b>' },
    attributes: [{ key: "<i>k</i>", value: { stringValue: "<script>v</script>" } }]
  };
  const answer = await fetch(`${server11.url}/v1/logs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceLogs: [
        {
          resource: {
            attributes: [{ key: "service.name", value: { stringValue: "<b>service</b>" } }]
          },
          scopeLogs: [{ logRecords: [record] }]
        }
      ]
    })
  });
  assert10.equal(answer.status, 200);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/logs?service=${encodeURIComponent("<b>service</b>")}`);
    await lines(page).first().click();
    await page.locator(".log-text", { hasText: "second <b>line</b>" }).waitFor();
    assert10.equal(await page.locator("main img, .log-pane b, .log-pane script").count(), 0);
  });
});

// ui/test/browser/modules.test.ts
import assert11 from "node:assert/strict";
var start2 = Math.floor(Date.now() / 1e3) * 1e3 - 6e5;
var known7 = null;
function server7() {
  known7 ??= (async () => {
    const s = await new Server().start();
    const samples = (n, stack, at2 = 0) => Array.from({ length: n }, (_, i) => ({ time: start2 + at2 + i * 100, stack }));
    await sendSamples(s.url, "api", [
      ...samples(3, "main;work|/opt/v1/api;parse"),
      ...samples(2, "main;work|/opt/v2/api;parse", 1e3)
    ]);
    await sendSamples(s.url, "worker", samples(3, "main;work|/opt/worker;send", 2e3));
    return s;
  })();
  return known7;
}
var rows3 = (page) => page.locator('.data-table[aria-label="Functions"] .data-row');
var param3 = (page, name) => new URL(page.url()).searchParams.getAll(name);
for (const theme of ["light", "dark"])
  test(`modules: functions of one name in two programs are two rows, ${theme}`, async () => {
    const s = await server7();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(`${s.url}/profiles?query=%7B%7D&sort=-total`);
      await rows3(page).first().waitFor();
      const texts = await rows3(page).allTextContents();
      assert11.ok(texts.some((t) => /^work · api.*50\.0 ms/.test(t)), texts.join("\n"));
      assert11.ok(texts.some((t) => /^work · worker.*30\.0 ms/.test(t)), texts.join("\n"));
      await rows3(page).filter({ hasText: "work \xB7 worker" }).click();
      await eventually(
        "the function is in the address",
        async () => param3(page, "function")[0] === "work	worker"
      );
      assert11.equal(await page.locator(".data-row.selected").count(), 1);
      await screenshot(page, `modules-${theme}`);
    });
  });
test("modules: a zoom into one of two frames of one name, also by a link", async () => {
  const s = await server7();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=%7B%7D&view=flame&zoom=main&zoom=${encodeURIComponent("work	worker")}`
    );
    await page.locator(".flame-crumbs", { hasText: "work" }).waitFor();
    const label = () => page.locator(".flame-canvas").getAttribute("aria-label");
    await eventually("its own value", async () => /, 30\.0 ms\./.test(await label() ?? ""));
    await page.keyboard.press("Escape");
    await page.goto(`${s.url}/profiles?query=%7B%7D&view=flame`);
    await page.locator(".flame-canvas").focus();
    for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowRight", "Enter"])
      await page.keyboard.press(key);
    await eventually(
      "the second work",
      async () => param3(page, "zoom").join() === "main,work	worker"
    );
  });
});
test("modules: callers and callees belong to one of the functions", async () => {
  const s = await server7();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=%7B%7D&view=sandwich&function=${encodeURIComponent("work	worker")}`
    );
    await page.locator(".sandwich-words", { hasText: "30.0 ms (37.5%) total" }).waitFor();
    assert11.equal(
      (await page.locator(".sandwich-name").textContent() ?? "").trim(),
      "work \xB7 worker"
    );
    await page.locator('[aria-label="Direct callees"] .data-row', { hasText: "send" }).waitFor();
    assert11.equal(
      await page.locator('[aria-label="Direct callees"] .data-row', { hasText: "parse" }).count(),
      0
    );
  });
});

// ui/test/browser/single_page.test.ts
import assert12 from "node:assert/strict";
import { join as join12 } from "node:path";
var folder2 = "";
function pageOf(name, ...args) {
  folder2 ||= temporary();
  const out = join12(folder2, `${name}.html`);
  run("flame", ...args, "-o", out);
  return `file://${out}`;
}
var example = () => pageOf("checkout", join12(sourceRoot, "examples/checkout.pb.gz"));
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`page: graph and table from a file, ${theme}, ${width} wide`, () => withPage(
      { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
      async (page) => {
        await page.goto(example());
        await page.locator(".flame-legend span").first().waitFor();
        assert12.equal(await page.locator("html").getAttribute("data-theme"), theme);
        assert12.match(
          await page.locator(".single-table tbody tr").first().textContent(),
          /670 ms.*compress\/flate/
        );
        const scrolls = await page.evaluate(
          () => document.documentElement.scrollWidth > innerWidth
        );
        assert12.equal(scrolls, false, "nothing is cut off at the right");
        await screenshot(page, `page-${theme}-${width}`);
      }
    ));
test("page: a search marks frames, filters the table and shows the share", () => withPage({}, async (page) => {
  await page.goto(
    pageOf(
      "search",
      folded(join12(temporary(), "a.folded"), {
        "main;parse;read": 30,
        "main;parse": 10,
        "main;write": 60
      })
    )
  );
  await page.locator("#search").fill("parse");
  await eventually(
    "the share",
    async () => /1 frame: 40, 40\.0%/.test(await page.locator(".flame-found").textContent() ?? "")
  );
  assert12.equal(await page.locator(".single-table tbody tr").count(), 1);
  await page.locator("#search").fill("/(/");
  await eventually(
    "the fault",
    async () => /Unterminated group/.test(await page.locator(".flame-found").textContent() ?? "")
  );
  assert12.match(page.url(), /#search=/);
}));
test("page: keyboard only: search, help, zoom; the address restores the state", () => withPage({}, async (page) => {
  const url = example();
  await page.goto(url);
  await page.locator(".flame-legend span").first().waitFor();
  await eventually("keys work", async () => {
    await page.keyboard.press("/");
    return page.evaluate(() => document.activeElement?.id === "search");
  });
  await page.keyboard.type("json");
  await eventually(
    "the share",
    async () => /frames: /.test(await page.locator(".flame-found").textContent() ?? "")
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await screenshot(page, "page-help");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  for (let i = 0; i < 400 && await page.evaluate(() => document.activeElement?.className) !== "flame-canvas"; i++)
    await page.keyboard.press("Shift+Tab");
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
  await eventually("the zoom", async () => page.url().includes("zoom="));
  const crumbs2 = () => page.locator(".flame-crumbs").innerText();
  const before = await crumbs2();
  assert12.match(before, /main\.main/);
  const hash = new URL(page.url()).hash;
  await page.goto("about:blank");
  await page.goto(url + hash);
  await eventually(
    "the same zoom and search",
    async () => await crumbs2() === before && await page.locator("#search").inputValue() === "json"
  );
}));
test("page: each profile type can be selected", () => withPage({}, async (page) => {
  await page.goto(example());
  const types2 = page.getByLabel("Profile type");
  assert12.deepEqual(await types2.locator("option").allInnerTexts(), ["samples", "cpu"]);
  await types2.selectOption({ label: "samples" });
  await eventually(
    "the other numbers",
    async () => (await page.locator(".single-sum").innerText()).startsWith("613 ")
  );
  assert12.match(page.url(), /#type=0/);
}));
test("page: a row marks its function in the graph; table only, graph only", () => withPage({}, async (page) => {
  await page.goto(example());
  await page.locator(".single-name", { hasText: "runtime.mallocgc" }).first().click();
  assert12.equal(await page.locator("tr.single-selected").count(), 1);
  await screenshot(page, "page-selected");
  await page.getByLabel("Show").selectOption("table");
  assert12.equal(await page.locator(".flame").count(), 0);
  await screenshot(page, "page-table");
  await page.getByLabel("Show").selectOption("flame");
  await page.getByLabel("Root").selectOption("flame");
  await page.getByLabel("Collapse").selectOption("both");
  await page.locator("label", { hasText: "Colour" }).locator("select").selectOption("kind");
  await eventually(
    "the legend",
    async () => /Go/.test(await page.locator(".flame-legend").innerText())
  );
  await screenshot(page, "page-flame-kind");
}));
test("page: the graph as SVG and PNG", () => withPage({}, async (page) => {
  await page.goto(example());
  for (const [button, name] of [
    ["SVG", "checkout.pb.gz.svg"],
    ["PNG", "checkout.pb.gz.png"]
  ]) {
    const [download2] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button }).click()
    ]);
    assert12.equal(download2.suggestedFilename(), name);
  }
}));
test("page: hostile names are rendered as text, and the content security policy applies", () => withPage({}, async (page) => {
  page.on("dialog", (d) => page.pageErrors.push(`dialog: ${d.message()}`));
  const names2 = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "\u202Eabc",
    "x".repeat(10240),
    "\u{1F525}"
  ];
  await page.goto(
    pageOf(
      "hostile",
      folded(
        join12(temporary(), "hostile.folded"),
        Object.fromEntries(names2.map((name, i) => [`main;${name}`, 10 + i]))
      )
    )
  );
  await page.locator(".single-table tbody tr").first().waitFor();
  assert12.equal(await page.locator(".single-table tbody tr").count(), names2.length + 1);
  assert12.equal(await page.locator("img").count(), 0);
  await screenshot(page, "page-hostile");
  const refused = await page.evaluate(
    () => fetch("http://127.0.0.1:9/").then(
      () => "sent",
      () => "refused"
    )
  );
  assert12.equal(refused, "refused");
  page.pageErrors = page.pageErrors.filter(
    (text2) => !/Content Security Policy|Failed to fetch|connect-src/.test(text2)
  );
}));
test("page: a profile without samples is shown", () => withPage({}, async (page) => {
  await page.goto(pageOf("empty", folded(join12(temporary(), "zero.folded"), { "a;b": 0 })));
  assert12.match(await page.locator(".single-sum").innerText(), /^0/);
}));
test("page: table and graph are side by side and fill the window", () => withPage({}, async (page) => {
  await page.goto(example());
  const table = await page.locator(".single-top").boundingBox();
  const graph2 = await page.locator(".single-flame").boundingBox();
  assert12.ok(table.x + table.width < graph2.x && graph2.x + graph2.width > 1240);
  assert12.ok(graph2.y + graph2.height > 750 && graph2.y + graph2.height <= 800);
  const foot = await page.locator(".flame-foot").boundingBox();
  assert12.ok(foot.y + foot.height <= graph2.y + graph2.height, "the foot is not cut off");
}));

// ui/test/browser/spans.test.ts
import assert13 from "node:assert/strict";
import { join as join13 } from "node:path";
var start3 = Math.floor(Date.now() / 1e3) * 1e3 - 6e5;
var known8 = null;
function server8() {
  known8 ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start3));
    await sendSamples(s.url, "<b>remote</b>", remoteSamples(start3));
    s.push(folded(join13(temporary(), "sums.folded"), { "main;work": 5 }), "sums");
    return s;
  })();
  return known8;
}
var rows4 = (page) => page.locator(".span-table .data-row");
var graph = (page, text2) => page.locator('[aria-label="Flame graph"]', { hasText: text2 }).first().waitFor();
var param4 = (page, name) => new URL(page.url()).searchParams.get(name);
var count2 = (page, n) => eventually(`${n} spans`, async () => await rows4(page).count() === n);
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`spans: list and trace, ${theme}, ${width} wide`, async () => {
      const s = await server8();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/profiles?query=timed&view=spans`);
          await rows4(page).first().click();
          await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
          await screenshot(page, `spans-${theme}-${width}`);
          await page.goto(`${s.url}/traces?list=spans`);
          await rows4(page).first().waitFor();
          assert13.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await screenshot(page, `traces-${theme}-${width}`);
          await page.goto(`${s.url}/traces?trace=${traceA}`);
          await page.locator('[aria-label="Flame graph"] canvas:not([aria-hidden])').first().waitFor();
          await screenshot(page, `trace-${theme}-${width}`);
        }
      );
    });
test("spans: spans are sorted by cost, and each has a flame graph", async () => {
  const s = await server8();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=timed&view=spans`);
    await count2(page, 3);
    const first = await rows4(page).first().textContent() ?? "";
    assert13.match(first, /^100 ms66\.7%10/);
    assert13.match(
      await page.locator(".table-foot").first().textContent() ?? "",
      /3 spans; 93\.3% of the thread time is in spans/
    );
    await rows4(page).nth(1).click();
    await page.locator(".summary strong", { hasText: "30.0 ms" }).waitFor();
    assert13.equal(param4(page, "span"), spanBurst);
    await count2(page, 3);
    await page.getByRole("button", { name: "Whole trace" }).click();
    await page.locator(".summary strong", { hasText: "130 ms" }).waitFor();
    assert13.equal(param4(page, "trace"), traceA);
    await count2(page, 2);
    await page.goBack();
    await page.getByRole("link", { name: "Trace in all services" }).click();
    await count2(page, 3);
    assert13.equal(new URL(page.url()).pathname, "/traces");
  });
});
var traced = null;
function tracedServer() {
  traced ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start3));
    await sendSamples(s.url, "<b>remote</b>", remoteSamples(start3));
    await sendSpans(s.url, start3, knownSpans);
    return s;
  })();
  return traced;
}
var cells2 = async (page, i) => (await rows4(page).nth(i).locator("[role=gridcell]").allTextContents()).map((t) => t.trim());
test("traces: a trace is a tree with times, and the cost of each span with and without children", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count2(page, 4);
    const shown = await Promise.all([0, 1, 2, 3].map((i) => cells2(page, i)));
    assert13.deepEqual(
      shown.map(([name, , ...numbers]) => [name, ...numbers]),
      [
        ["\u25BEGET /checkout timed", "9.50 s", "9.16 s", "100 ms", "150 ms"],
        ["\u25BErender <b>receipt</b> timed", "300 ms", "200 ms", "30.0 ms", "50.0 ms"],
        ["SELECT prices <b>remote</b>", "100 ms", "100 ms", "20.0 ms", "20.0 ms"],
        ["errorcharge <b>remote</b>", "40.0 ms", "40.0 ms", "\u2013", "\u2013"]
      ]
    );
    assert13.deepEqual(
      await Promise.all([0, 1, 2, 3].map((i) => rows4(page).nth(i).getAttribute("aria-level"))),
      ["1", "2", "3", "2"]
    );
    const boxes = await Promise.all(
      [0, 1].map(async (i) => await rows4(page).nth(i).locator(".fall > i").boundingBox())
    );
    assert13.ok(
      Math.abs((boxes[1].x - boxes[0].x) / boxes[0].width - 5400 / 9500) < 0.02,
      "a bar begins at the start of its span"
    );
    assert13.ok(
      Math.abs(boxes[1].width / boxes[0].width - 300 / 9500) < 0.02,
      "a bar has the length of its span"
    );
    await graph(page, "150 ms");
  });
});
test("traces: the scope (span, with children, whole trace) is in the address", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count2(page, 4);
    await rows4(page).nth(1).click();
    await graph(page, "30.0 ms");
    await page.getByRole("button", { name: "With children" }).click();
    await graph(page, "50.0 ms");
    assert13.equal(param4(page, "children"), "1");
    await page.reload();
    await graph(page, "50.0 ms");
    const shown = await (await fetch(`${s.url}/api/v1/flame?span=${spanBurst}&children=1`)).json();
    assert13.equal(shown.total, 5e7);
    await screenshot(page, "trace-children");
    await page.keyboard.press("k");
    await graph(page, "30.0 ms");
    assert13.equal(param4(page, "children"), null);
    await page.getByRole("button", { name: "Whole trace" }).click();
    await graph(page, "150 ms");
    assert13.equal(param4(page, "span"), null);
  });
});
test("traces: filters of profiles do not apply to traces, and filters of traces are removable", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=timed&view=spans&trace=${traceA}&span=${spanBurst}&focus=nothing_has_this&search=zzz`
    );
    await page.getByRole("link", { name: "Trace in all services" }).click();
    await count2(page, 4);
    await graph(page, "150 ms");
    assert13.equal(param4(page, "focus"), null);
    assert13.equal(param4(page, "search"), null);
    await page.goto(`${s.url}/traces?trace=${traceA}&focus=nothing_has_this`);
    await page.locator(".chip", { hasText: "Focus: nothing_has_this" }).waitFor();
    await page.locator(".table-foot", { hasText: "no samples match the filters" }).waitFor();
    await page.getByRole("button", { name: "Remove Focus" }).click();
    await graph(page, "150 ms");
    await page.goto(`${s.url}/profiles?query=timed&view=heat&span=${spanBurst}`);
    await page.locator(".chip", { hasText: "Span" }).waitFor();
  });
});
test("traces: an invalid ID is reported", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=xyz`);
    await page.locator(".empty", { hasText: "Invalid trace ID" }).waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/status of 400/.test(c));
  });
});
test("traces: without the spans of a trace children are unknown, and a note explains it", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceB}&span=${spanOther}`);
    await count2(page, 1);
    assert13.equal(await page.getByRole("button", { name: "With children" }).isDisabled(), true);
    await page.locator(".span-head", {
      hasText: "this server has no spans of this trace. Send traces to it as well"
    }).waitFor();
    await page.goto(`${s.url}/traces?trace=${traceB}&span=${spanOther}&children=1`);
    await page.locator("main", { hasText: "no spans of this trace are stored" }).waitFor();
  });
});
test("spans: names are shown if known, and other views accept a span with its children", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=timed&view=spans`);
    await count2(page, 3);
    assert13.match(
      await rows4(page).first().textContent(),
      /^GET \/checkout b7ad6b71…100 ms130 ms/
    );
    await screenshot(page, "spans-named");
    await page.goto(`${s.url}/profiles?span=${spanTick}&children=1&view=table`);
    await page.locator(".summary strong", { hasText: "150 ms" }).waitFor();
    await page.locator(".span-head", { hasText: "with children" }).waitFor();
    assert13.match(await page.locator(".data-table").textContent(), /remote/);
  });
});
test("traces: spans collapse and expand, by click and by keyboard", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count2(page, 4);
    const expanded = () => Promise.all([0, 1].map((i) => rows4(page).nth(i).getAttribute("aria-expanded")));
    assert13.deepEqual(await expanded(), ["true", "true"]);
    assert13.equal(
      await rows4(page).nth(2).getAttribute("aria-expanded"),
      null,
      "a leaf cannot be expanded"
    );
    await rows4(page).nth(1).locator(".tree-toggle").click();
    await count2(page, 3);
    assert13.deepEqual(await expanded(), ["true", "false"]);
    assert13.match(await rows4(page).nth(1).textContent(), /\+1/);
    assert13.equal(param4(page, "span"), null, "collapsing does not select");
    await page.locator("[role=treegrid]").focus();
    const press = async (key, spans, span) => {
      await page.keyboard.press(key);
      await count2(page, spans);
      await eventually(`${key} leads to ${span}`, async () => param4(page, "span") === span);
    };
    await press("ArrowDown", 3, spanTick);
    await press("ArrowDown", 3, spanBurst);
    await press("ArrowRight", 4, spanBurst);
    await press("ArrowRight", 4, spanRemote);
    await press("ArrowRight", 4, spanRemote);
    await press("ArrowLeft", 4, spanBurst);
    await press("ArrowLeft", 3, spanBurst);
    await press("ArrowLeft", 3, spanTick);
    await press("ArrowLeft", 1, spanTick);
    await press("ArrowUp", 1, spanTick);
    await press(" ", 3, spanTick);
    await press("+", 4, spanTick);
    await press("-", 1, spanTick);
  });
});
test("traces: spans of a long trace that are not listed are counted, and one click lists them", async () => {
  const s = await tracedServer();
  await sendSpans(s.url, start3, manySpans(2501), traceMany);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceMany}`);
    await page.locator(".table-foot", { hasText: "1,501 more spans" }).waitFor();
    assert13.match(await rows4(page).first().textContent(), /^▾call 0/, "the root span is listed");
    await page.getByRole("button", { name: "List all" }).click();
    await page.locator(".table-foot", { hasText: "2,501 spans; no samples" }).waitFor();
    assert13.equal(param4(page, "most"), "10000");
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("-");
    await count2(page, 1);
  });
});
test("traces: at 390 pixels a span's name, time and costs are visible without horizontal scrolling", async () => {
  const s = await tracedServer();
  await withPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count2(page, 4);
    for (const text2 of ["GET /checkout", "9.50 s", "100 ms", "150 ms"]) {
      const box = await rows4(page).first().getByText(text2).first().boundingBox();
      assert13.ok(box.x >= 0 && box.x + box.width <= 390 && box.width > 30, `${text2} is visible`);
    }
    const bar = await rows4(page).first().locator(".fall > i").boundingBox();
    assert13.ok(bar.width > 100 && bar.x + bar.width <= 390, "the bar fits");
    assert13.equal(
      await page.evaluate(
        () => [...document.querySelectorAll(".data-table")].some((t) => t.scrollWidth > t.clientWidth)
      ),
      false,
      "no table scrolls sideways"
    );
    await page.goto(`${s.url}/traces?list=spans`);
    await rows4(page).first().waitFor();
    assert13.equal(
      await page.evaluate(
        () => [...document.querySelectorAll(".data-table")].some((t) => t.scrollWidth > t.clientWidth)
      ),
      false,
      "the list does not scroll sideways"
    );
  });
});
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`traces: the tree of a trace, ${theme}, ${width} wide`, async () => {
      const s = await tracedServer();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/traces?trace=${traceA}&span=${spanBurst}&children=1`);
          await count2(page, 4);
          await graph(page, "50.0 ms");
          assert13.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await screenshot(page, `trace-tree-${theme}-${width}`);
        }
      );
    });
test("spans: samples without spans are reported", async () => {
  const s = await server8();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=sums&view=spans`);
    await page.locator(".empty", { hasText: "These samples have no spans" }).waitFor();
  });
});
test("traces: the most expensive spans of all services, and one click opens the trace", async () => {
  const s = await server8();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?list=spans`);
    await count2(page, 4);
    await page.locator("main", { hasText: "/v1/traces" }).waitFor();
    await rows4(page).first().click();
    await eventually(
      "the trace in the address",
      async () => param4(page, "trace") === traceA && param4(page, "span") === spanTick
    );
    await count2(page, 3);
    await graph(page, "100 ms");
    assert13.equal(await page.locator(".span-table b").count(), 0, "names are rendered as text");
    await page.keyboard.press("u");
    await count2(page, 4);
  });
});
for (const [what, pasted] of [
  ["an id with dashes", "0AF76519-16cd-43dd-8448-eb211c80319c"],
  ["a traceparent header", `traceparent: 00-${traceA}-${spanBurst}-01`]
])
  test(`traces: ${what} is opened by keyboard only`, async () => {
    const s = await server8();
    await withPage({}, async (page) => {
      await page.goto(`${s.url}/traces`);
      await page.locator("#search").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(pasted);
      await page.keyboard.press("Enter");
      await count2(page, 3);
      assert13.equal(param4(page, "trace"), traceA);
      if (what.includes("header")) {
        await graph(page, "30.0 ms");
        await page.getByRole("button", { name: "Whole trace" }).press("Enter");
      }
      await graph(page, "150 ms");
    });
  });
test("traces: a missing trace can be searched in a longer range", async () => {
  const s = await server8();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${"1".repeat(32)}`);
    await page.locator(".empty", { hasText: "Trace not found" }).waitFor();
    await page.getByRole("button", { name: "Search the last 30 days" }).click();
    await eventually("the range", async () => param4(page, "from") === "now-30d");
    await page.goto(`${s.url}/traces?trace=${traceB}`);
    await count2(page, 1);
  });
});
test("dashboards: the address shows a placeholder", async () => {
  const s = await server8();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/dashboards`);
    await page.locator(".empty", { hasText: "Dashboards are not available yet" }).waitFor();
    assert13.equal(await page.locator("nav a", { hasText: "Dashboards" }).count(), 0);
  });
});
test("spans: values are thread time, and a value beyond the duration is marked", async () => {
  const s = await server8();
  const trace = "7777651916cd43dd8448eb211c803199";
  const [busy3, close] = ["7700000000000001", "7700000000000002"];
  const samples = (n, span) => Array.from({ length: n }, (_, i) => ({ time: start3 + i, stack: "main;work", trace, span }));
  await sendSamples(s.url, "threads", [...samples(12, busy3), ...samples(4, close)]);
  await sendSpans(
    s.url,
    start3,
    [
      { service: "threads", id: busy3, parent: "", name: "busy", from: 0, ms: 60 },
      { service: "threads", id: close, parent: busy3, name: "close", from: 0, ms: 35 }
    ],
    trace
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${trace}`);
    await page.locator(".pane-head", { hasText: "(thread time)" }).waitFor();
    await page.locator(".table-foot", { hasText: "160 ms of thread time in all" }).waitFor();
    const marked = page.locator(".span-table .data-row span[title]", { hasText: "\u2248" });
    await eventually(
      "marks of both spans, in both columns",
      async () => await marked.count() === 4
    );
    const titles = await marked.evaluateAll(
      (all) => all.map((one) => `${one.textContent}: ${one.getAttribute("title")}`)
    );
    assert13.ok(
      titles.some((t) => /^≈ 120 ms: More than the duration: several threads/.test(t)),
      titles.join("\n")
    );
    assert13.ok(
      titles.some((t) => /^≈ 40\.0 ms: Estimate: .*sampling error/.test(t)),
      titles.join("\n")
    );
    assert13.ok(
      titles.some(
        (t) => /^≈ 160 ms: More than the duration: several threads, or child spans/.test(t)
      ),
      titles.join("\n")
    );
    await screenshot(page, "spans-thread-time");
    await page.goto(`${s.url}/traces?trace=${trace}&focus=work`);
    await page.locator(".pane-head", { hasText: "160 ms CPU" }).waitFor();
    await page.goto(`${s.url}/traces?trace=${trace}&focus=nothing_like_this`);
    await page.locator(".pane-head", { hasText: "0 ns of 160 ms" }).waitFor();
  });
});

// ui/test/browser/status.test.ts
import assert14 from "node:assert/strict";
import { join as join14 } from "node:path";
var start4 = Math.floor(Date.now() / 1e3) * 1e3 - 6e4;
async function busy2() {
  const s = await new Server().start();
  await sendSamples(s.url, "timed", knownSamples(start4));
  await fetch(`${s.url}/ingest?name=evil`, { method: "POST", body: Buffer.from([255, 0]) });
  return s;
}
test("status: a server without data shows how to send data", async () => {
  const s = await new Server().start();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    await page.locator(".recipe", { hasText: "varve demo" }).waitFor();
    await page.locator(".card", { hasText: "Version" }).waitFor();
    await screenshot(page, "status-empty");
    s.push(folded(join14(temporary(), "small.folded"), { "main;work": 7 }), "small");
    await page.keyboard.press("g");
    await page.locator('[aria-label="Receivers"]').first().waitFor();
    assert14.equal(await page.locator(".recipe").count(), 0);
  });
});
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`status: senders and receivers, ${theme}, ${width} wide`, async () => {
      const s = await busy2();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/status`);
          await page.locator('[aria-label="Senders"] td', { hasText: "OTLP/HTTP" }).waitFor();
          assert14.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await screenshot(page, `status-${theme}-${width}`);
        }
      );
      await s.stop();
    });
test("status: the tables have the server's numbers, and a refusal has its reason", async () => {
  const s = await busy2();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    const row2 = page.locator('[aria-label="Receivers"] tr', { hasText: "OTLP/HTTP" }).first();
    await row2.waitFor();
    const cells3 = (await row2.locator("td").allTextContents()).map((t) => t.trim());
    assert14.deepEqual([cells3[1], cells3[2], cells3[3]], ["1", "1", "15"]);
    await page.locator(".refusal", { hasText: "not a profile of a known format" }).waitFor();
    const senders = page.locator('[aria-label="Senders"]').first();
    await senders.getByRole("link", { name: "timed" }).click();
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "tick" }).waitFor();
  });
});
test("status: the last data stays while the server is down, and refreshes afterwards", async () => {
  const s = await busy2();
  const port = s.port;
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    await page.locator('[aria-label="Senders"] td').first().waitFor();
    await s.stop();
    await page.keyboard.press("g");
    await page.locator(".note.bad", { hasText: "is not responding" }).waitFor();
    assert14.ok(await page.locator('[aria-label="Senders"] td').first().isVisible());
    await screenshot(page, "status-gone");
    await s.start(port);
    await eventually("an answer", async () => await page.locator(".note.bad").count() === 0);
    page.pageErrors.length = 0;
  });
});
test("status: an exporter whose destination is down, with the reason", async () => {
  const s = await new Server(void 0, [
    "--set",
    "exporters.otlphttp={endpoint: 'http://127.0.0.1:9', retry_on_failure: {enabled: false}}",
    "--set",
    "service.pipelines.profiles.exporters=[store, otlphttp]"
  ]).start();
  s.push(folded(join14(temporary(), "sent.folded"), { "main;work": 7 }), "sent");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/status`);
    const rows7 = page.locator('section[aria-label="Exporters"] tbody tr');
    await rows7.first().waitFor();
    await eventually("the failed attempt is shown", async () => {
      await page.keyboard.press("g");
      return /otlphttp .*127\.0\.0\.1:9unreachable/.test(await rows7.first().textContent() ?? "");
    });
    assert14.match(await rows7.nth(1).textContent() ?? "", /^Failed .*Failed to connect/);
    await screenshot(page, "status-exporter");
  });
  await s.stop();
});

// ui/test/browser/sums.test.ts
import assert15 from "node:assert/strict";
import { join as join15 } from "node:path";
var pairs = 3e4;
var known9 = null;
function server9() {
  known9 ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    const stacks = {};
    for (let i = 0; i < pairs; i++) stacks[`main;svc.f${i};needle.x${i}`] = i + 1;
    const half = pairs * (pairs + 1) / 2;
    s.push(
      folded(join15(files, "wide.folded"), { ...stacks, "main;other": half }),
      "wide",
      "--label",
      "commit=a",
      "--time",
      "now-5m"
    );
    s.push(
      folded(join15(files, "less.folded"), { ...stacks, "main;other": 3 * half }),
      "wide",
      "--label",
      "commit=b",
      "--time",
      "now-4m"
    );
    return s;
  })();
  return known9;
}
var found = (page, text2) => page.locator(".flame-found", { hasText: text2 }).waitFor();
var wide = "query=" + encodeURIComponent('wide{commit="a"}');
for (const theme of ["light", "dark"])
  test(`sums: a search counts hidden frames, too, ${theme}`, async () => {
    const s = await server9();
    await withPage({ colorScheme: theme }, async (page) => {
      await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
      await found(page, /^30,000 frames: 450.*, 50\.0%$/);
      await page.locator(".flame-hidden", { hasText: "are hidden" }).waitFor();
      await screenshot(page, `sums-${theme}`);
      await page.goto(
        `${s.url}/profiles?${wide}&view=flame&search=${encodeURIComponent("/^NEEDLE\\.x1?$/i")}`
      );
      await found(page, /^1 frame: 2.*, <0\.0001%$/);
      await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle&zoom=main`);
      await found(page, /^30,000 frames: .*, 50\.0% of the view$/);
      await page.goto(`${s.url}/profiles?${wide}&view=tree&search=needle`);
      await page.locator(".table-foot", { hasText: /30,000 matches, .* \(50\.0%\)/ }).waitFor();
    });
  });
test("sums: no sum is shown before all frames are counted, and a partial sum is marked", async () => {
  const s = await server9();
  await withPage({}, async (page) => {
    let release = () => {
    };
    const held = new Promise((done) => release = done);
    await page.route("**/api/v1/sums*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
    await found(page, "counting\u2026");
    assert15.equal(await page.locator(".flame-legend b").count(), 0);
    release();
    await found(page, /, 50\.0%$/);
    await page.unroute("**/api/v1/sums*");
  });
  await withPage({}, async (page) => {
    await page.route(
      "**/api/v1/sums*",
      (route) => route.fulfill({
        status: 400,
        contentType: "application/json",
        body: '{"error":{"code":"invalid_argument","message":"no"}}'
      })
    );
    await page.goto(`${s.url}/profiles?${wide}&view=flame&search=needle`);
    await found(page, /of the frames shown: at least /);
    page.pageErrors = page.pageErrors.filter((text2) => !text2.includes("400"));
  });
});
test("sums: the legend has shares of all frames", async () => {
  const s = await server9();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?${wide}&view=flame`);
    await page.locator(".flame-legend span", { hasText: /^needle50\.0%$/ }).waitFor();
  });
});
test("sums: a search in a difference counts both sides", async () => {
  const s = await server9();
  await withPage({}, async (page) => {
    const other = encodeURIComponent('wide{commit="b"}');
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=graph&search=needle&normalise=1`
    );
    await found(page, /^30,000 frames: 50\.0% → 25\.0%$/);
  });
});
test("sums: a link to a missing frame shows its nearest existing caller", async () => {
  const s = await server9();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?${wide}&view=flame&zoom=main&zoom=other&zoom=gone&zoom=x`);
    await page.locator(".flame-crumbs button", { hasText: "other" }).waitFor();
    await eventually(
      "its value",
      async () => /of 0 frames, 450/.test(
        await page.locator(".flame-canvas").getAttribute("aria-label") ?? ""
      )
    );
    const other = encodeURIComponent('wide{commit="b"}');
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=graph&zoom=main&zoom=other&zoom=gone`
    );
    await page.locator(".flame-crumbs button", { hasText: "other" }).waitFor();
    await page.goto(
      `${s.url}/compare?query=${other}&before=${encodeURIComponent('wide{commit="a"}')}&show=sides&zoom=main&zoom=other&zoom=gone`
    );
    await eventually(
      "both sides",
      async () => await page.locator(".flame-crumbs button", { hasText: "other" }).count() === 2
    );
    await eventually(
      "the note on both sides",
      async () => await page.getByText("The zoomed frame is not on this side").count() === 2
    );
  });
});
test("sums: the heat map shows the share of samples with timestamps, and that the graph below has all samples", async () => {
  const s = await server9();
  const at2 = Math.floor(Date.now() / 1e3) * 1e3 - 6e5;
  await sendSamples(s.url, "few", [{ time: at2, stack: "main;tick" }]);
  const body = otlpProfile("few", [{ time: at2, stack: "main;untimed" }]);
  const sample = body.resourceProfiles[0].scopeProfiles[0].profiles[0].samples[0];
  delete sample.timestampsUnixNano;
  sample.values = ["40000000000000"];
  const sent = await fetch(`${s.url}/v1development/profiles`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  });
  assert15.equal(sent.ok, true);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=few&view=heat`);
    await page.locator(".heat-head", { hasText: "only samples with timestamps: <0.0001% of the total" }).waitFor();
    await page.locator(".heat-foot", {
      hasText: "The flame graph below shows all samples, including those without timestamps."
    }).waitFor();
    await screenshot(page, "sums-heat");
  });
});

// ui/test/browser/trace_search.test.ts
import assert16 from "node:assert/strict";
var rows5 = (page) => page.locator(".found-table .data-row");
var param5 = (page, name) => new URL(page.url()).searchParams.get(name);
var link = (q, more = "") => `/traces?q=${encodeURIComponent(q)}${more}`;
var has2 = (page, name, value) => eventually(`${name} is ${value} in the address`, async () => param5(page, name) === value);
var failedTraces = (data) => new Set(data.spans.filter((s) => s.error !== void 0).map((s) => s.trace));
for (const theme of ["light", "dark"])
  for (const width of [1280, 390])
    test(`trace search: charts and traces, ${theme}, ${width} wide`, async () => {
      const { server: server11 } = await shopServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        for (const chart of ["heat", "rate", "duration"]) {
          await page.goto(`${server11.url}/traces?chart=${chart}`);
          await rows5(page).first().waitFor();
          await page.waitForLoadState("networkidle");
          assert16.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await screenshot(page, `trace-search-${chart}-${theme}-${width}`);
        }
      });
    });
test("trace search: the newest traces are first, and one click opens a trace", async () => {
  const { server: server11, data } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces`);
    await rows5(page).first().waitFor();
    await page.locator(".table-foot", { hasText: "The 50 newest traces" }).waitFor();
    const starts = await rows5(page).locator(".when").allTextContents();
    assert16.deepEqual(starts, [...starts].sort().reverse());
    const roots = data.spans.filter((s) => !s.parent);
    const newest = roots[roots.length - 1];
    const first = await rows5(page).first().textContent();
    assert16.ok(first.includes(newest.name), first);
    await rows5(page).first().getByRole("link").first().click();
    await has2(page, "trace", newest.trace);
    await page.locator(".trace-head", { hasText: newest.name }).waitFor();
    await page.getByRole("button", { name: "All traces" }).click();
    await rows5(page).first().waitFor();
    await page.getByRole("button", { name: "List 200" }).click();
    await page.locator(".table-foot", { hasText: "120 traces" }).waitFor();
    await has2(page, "most", "200");
  });
});
test("trace search: a query is run by Enter, and its matched spans unfold", async () => {
  const { server: server11, data } = await shopServer();
  const failed = failedTraces(data);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces`);
    await page.locator("#search").fill('{ resource.service.name = "payment" && status = error }');
    await page.keyboard.press("Enter");
    await page.locator(".table-foot", { hasText: new RegExp(`^${failed.size} trace`) }).waitFor();
    assert16.equal(param5(page, "q"), '{ resource.service.name = "payment" && status = error }');
    await rows5(page).first().locator(".tree-toggle").click();
    const span = rows5(page).nth(1);
    assert16.match(await span.textContent(), /errorpayment\.Charge/);
    assert16.ok(failed.has(param5(page, "open")));
    await page.reload();
    await span.locator("a", { hasText: "payment.Charge" }).click();
    await eventually("the span is selected", async () => param5(page, "span") !== null);
    await page.locator(".data-row.selected", { hasText: "payment.Charge" }).waitFor();
    await page.goBack();
    await span.waitFor();
  });
});
test("trace search: an error is shown at its line and column, with examples", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces`);
    await page.locator("#search").fill("{ duration >\n  && }");
    await page.keyboard.press("Enter");
    const error = page.locator(".query-error");
    await error.waitFor();
    assert16.match(await error.textContent(), /Line 2, column 3: syntax error: unexpected &&/);
    assert16.match(await error.locator("mark").textContent(), /^&& }/);
    assert16.equal(await page.locator("#search").getAttribute("aria-invalid"), "true");
    await screenshot(page, "trace-search-error");
    await page.getByRole("button", { name: "{ status = error }" }).click();
    await rows5(page).first().waitFor();
    assert16.equal(await error.count(), 0);
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});
test("trace search: names and values are completed by keyboard", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces`);
    const field = page.locator("#search");
    const option = (text2) => page.locator(".completion li", { hasText: text2 }).first();
    await field.click();
    await page.keyboard.type("{ http.ro");
    await option("span.http.route").waitFor();
    await page.keyboard.press("ArrowDown");
    assert16.equal(
      await field.getAttribute("aria-activedescendant"),
      await option("span.http.route").getAttribute("id")
    );
    await page.keyboard.press("Enter");
    assert16.equal(await field.inputValue(), "{ span.http.route ");
    await page.keyboard.type("= ");
    await option('"/checkout"').waitFor();
    await screenshot(page, "trace-search-completion");
    await page.keyboard.type("/ch");
    await page.keyboard.press("Tab");
    assert16.equal(await field.inputValue(), '{ span.http.route = "/checkout" ');
    await page.keyboard.type("}");
    await page.keyboard.press("Escape");
    assert16.equal(await page.locator(".completion").count(), 0);
    await page.keyboard.press("Enter");
    await has2(page, "q", '{ span.http.route = "/checkout" }');
    await rows5(page).first().waitFor();
  });
});
test("trace search: filters write the query, and the query sets the filters", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces`);
    await page.getByTitle("Filter by service").click();
    await page.getByRole("button", { name: "payment", exact: true }).click();
    await has2(page, "q", '{ resource.service.name = "payment" }');
    assert16.equal(
      await page.locator("#search").inputValue(),
      '{ resource.service.name = "payment" }'
    );
    await page.getByLabel("Status").selectOption("error");
    await has2(page, "q", '{ resource.service.name = "payment" && status = error }');
    await page.getByLabel("Least duration, such as 100ms").fill("20ms");
    await page.keyboard.press("Enter");
    await has2(
      page,
      "q",
      '{ resource.service.name = "payment" && status = error && duration >= 20ms }'
    );
    await page.getByRole("button", { name: "+ Attribute" }).click();
    await page.getByRole("button", { name: "span.payment.provider" }).click();
    await page.getByRole("button", { name: "visa" }).click();
    await page.locator(".chip", { hasText: 'span.payment.provider = "visa"' }).waitFor();
    await page.getByRole("button", { name: "Remove the filter by service" }).click();
    await has2(
      page,
      "q",
      '{ status = error && duration >= 20ms && span.payment.provider = "visa" }'
    );
    await page.getByRole("button", { name: "Remove span.payment.provider" }).click();
    await page.getByLabel("Status").selectOption("");
    await has2(page, "q", "{ duration >= 20ms }");
    await page.goto(server11.url + link('{ name = "cart.Load" } >> { name = "SELECT stock" }'));
    await page.locator("main", { hasText: "edited as text only" }).waitFor();
    await rows5(page).first().waitFor();
  });
});
test("trace search: a rectangle of the heat map narrows the query and the range", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server11.url + link('{ resource.service.name = "payment" }'));
    const cells3 = page.locator(".trace-chart .heat-cells");
    const box = await cells3.boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await eventually(
      "the durations are in the query",
      async () => /^\{ resource\.service\.name = "payment" && duration > [\d.]+m?s && duration <= [\d.]+m?s \}$/.test(
        param5(page, "q") ?? ""
      )
    );
    assert16.match(param5(page, "from"), /^\d{13}$/);
    await page.goBack();
    await has2(page, "q", '{ resource.service.name = "payment" }');
    await cells3.waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("h");
    for (const key of ["ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "Enter"])
      await page.keyboard.press(key);
    await eventually(
      "the same by keyboard",
      async () => /duration > /.test(param5(page, "q") ?? "")
    );
  });
});
test("trace search: a drag on the bars of the rate narrows the range", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?chart=rate`);
    const cells3 = page.locator(".bar-chart .heat-cells");
    const box = await cells3.boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
    await page.locator(".heat-tip", { hasText: "without errors" }).waitFor();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("an absolute range", async () => /^\d{13}$/.test(param5(page, "from") ?? ""));
    assert16.equal(param5(page, "q"), null);
    const minutes = (Number(param5(page, "to")) - Number(param5(page, "from"))) / 6e4;
    assert16.ok(minutes > 5 && minutes < 8, `${minutes} minutes`);
  });
});
test("trace search: a query of metrics is a chart with its series", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server11.url + link("{ } | rate() by (resource.service.name)"));
    for (const name of ["front", "cart", "payment", "mail"])
      await page.locator(".legend li", { hasText: name }).waitFor();
    assert16.equal(await rows5(page).count(), 0);
    await page.goto(server11.url + link("{ } | rate() by ("));
    await page.locator(".query-error").waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});
test("trace search: the list works by keyboard, and states without traces offer a next step", async () => {
  const { server: server11 } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server11.url + link("{ status = error }"));
    await rows5(page).first().waitFor();
    const folded2 = await rows5(page).count();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await eventually("unfolded", async () => await rows5(page).count() === folded2 + 2);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await eventually("the trace is open", async () => param5(page, "trace") !== null);
    await page.goto(server11.url + link('{ name = "nothing has this name" }'));
    await page.locator(".empty", { hasText: "No trace matches" }).waitFor();
    await page.getByRole("button", { name: "Search the last 24 hours" }).click();
    await has2(page, "from", "now-24h");
    await page.getByRole("button", { name: "Remove the query" }).click();
    await rows5(page).first().waitFor();
    await page.goto(`${server11.url}/traces?from=1000000000000&to=1000000060000`);
    await page.locator(".empty", { hasText: "No traces in this range" }).waitFor();
  });
});
test("trace search: the flame graph of the found spans, with and without their children", async () => {
  const { server: server11, data } = await shopServer();
  const known11 = await fetch(`${server11.url}/api/v1/flame?traces=%7B`);
  if (known11.status !== 400) throw new Skip("this server does not select spans by TraceQL");
  const signs = new Set(data.spans.filter((s) => s.name === "rsa.Sign").map((s) => s.id));
  const samples = (data.samples.get("payment") ?? []).filter((s) => signs.has(s.span)).length;
  await withPage({}, async (page) => {
    await page.goto(server11.url + link('{ name = "rsa.Sign" }'));
    await page.getByRole("link", { name: "Flame graph of these spans" }).click();
    await page.locator(".summary strong").waitFor();
    assert16.equal(new URL(page.url()).pathname, "/profiles");
    assert16.equal(param5(page, "traces"), '{ name = "rsa.Sign" }');
    const answer = await (await fetch(
      `${server11.url}/api/v1/flame?from=now-1h&to=now&traces=${encodeURIComponent('{ name = "rsa.Sign" }')}`
    )).json();
    assert16.equal(answer.total, samples * 1e7);
    await page.locator(".found-chip", { hasText: "rsa.Sign" }).waitFor();
    await page.goto(
      `${server11.url}/profiles?traces=${encodeURIComponent('{ name = "payment.Charge" }')}`
    );
    await page.getByRole("button", { name: "With children" }).click();
    await has2(page, "children", "1");
    await page.locator(".summary strong").waitFor();
    await page.locator('section[aria-label="Functions"]', { hasText: "rsa.Sign" }).waitFor();
    await screenshot(page, "trace-search-flame");
    await page.getByRole("button", { name: "Remove the search of spans" }).click();
    await has2(page, "traces", null);
    await page.goto(`${server11.url}/profiles?traces=${encodeURIComponent('{ name = "nothing" }')}`);
    await page.locator(".empty", { hasText: "No samples of these spans" }).waitFor();
    await page.getByRole("link", { name: "Show the traces" }).click();
    await page.locator(".empty", { hasText: "No trace matches" }).waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 404/.test(e));
  });
});

// ui/test/browser/trace_view.test.ts
import assert17 from "node:assert/strict";
var rows6 = (page) => page.locator(".span-table .data-row");
var param6 = (page, name) => new URL(page.url()).searchParams.get(name);
function failedTrace(data) {
  for (const charge of data.spans.filter((s) => s.error)) {
    const spans = data.spans.filter((s) => s.trace === charge.trace);
    if (spans.filter((s) => s.name === "SELECT stock").length >= 5)
      return { trace: charge.trace, spans, charge };
  }
  throw new Error("the data has no such trace");
}
for (const theme of ["light", "dark"])
  for (const width of [1280, 390])
    test(`trace view: waterfall and details, ${theme}, ${width} wide`, async () => {
      const { server: server11, data } = await shopServer();
      const { trace, charge } = failedTrace(data);
      const height = width === 390 ? 1200 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        await page.goto(`${server11.url}/traces?trace=${trace}&span=${charge.id}&pane=span`);
        await page.locator(".span-message").waitFor();
        assert17.equal(
          await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
          false,
          "nothing is cut off at the right"
        );
        await screenshot(page, `trace-view-${theme}-${width}`);
      });
    });
test("trace view: head, critical path, events and errors", async () => {
  const { server: server11, data } = await shopServer();
  const { trace, spans, charge } = failedTrace(data);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${trace}`);
    const head = page.locator(".trace-head");
    await head.waitFor();
    assert17.match(await head.textContent(), /POST \/checkout.*2 errors/);
    assert17.match(await page.locator(".trace-services").textContent(), /payment 2 spans1 error/);
    const row2 = rows6(page).filter({ hasText: "payment.Charge" });
    await eventually("three ticks", async () => await row2.locator(".fall u").count() === 3);
    assert17.equal(await row2.locator(".fall u.bad").count(), 1, "the exception is marked");
    assert17.ok(await row2.locator(".fall b").count() > 0, "a part of the critical path");
    const root = await rows6(page).first().locator(".fall").boundingBox();
    const parts = await page.locator(".fall b").evaluateAll((all) => all.map((b) => parseFloat(b.style.width)));
    const sum = parts.reduce((a, b) => a + b, 0);
    assert17.ok(root.width > 0 && Math.abs(sum - 100) < 0.5, `${sum}%`);
    await page.getByRole("button", { name: "Critical path" }).click();
    await eventually("no marks", async () => await page.locator(".fall b").count() === 0);
    assert17.equal(param6(page, "critical"), "0");
    assert17.equal(spans.filter((s) => s.trace === charge.trace).length, spans.length);
  });
});
test("trace view: equal siblings are one row, which unfolds", async () => {
  const { server: server11, data } = await shopServer();
  const { trace, spans } = failedTrace(data);
  const queries = spans.filter((s) => s.name === "SELECT stock");
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${trace}`);
    const group = rows6(page).filter({ hasText: `\xD7 ${queries.length}` });
    await group.waitFor();
    assert17.equal(await rows6(page).count(), spans.length - queries.length + 1);
    assert17.equal(await group.getAttribute("aria-expanded"), "false");
    await group.locator(".tree-toggle").click();
    await eventually(
      "the members are listed",
      async () => await rows6(page).count() === spans.length + 1
    );
    await page.getByRole("button", { name: "Group equal spans" }).click();
    await eventually("no group", async () => await rows6(page).count() === spans.length);
    await page.goto(`${server11.url}/traces?trace=${trace}&span=${queries[2].id}`);
    await page.locator(".data-row.selected", { hasText: "SELECT stock" }).waitFor();
  });
});
test("trace view: spans are searched by name and attribute, and n goes to the next match", async () => {
  const { server: server11, data } = await shopServer();
  const { trace, spans } = failedTrace(data);
  const queries = spans.filter((s) => s.name === "SELECT stock");
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${trace}`);
    await rows6(page).first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("postgresql");
    const bar = page.locator(".fall-bar");
    await bar.locator("[role=status]", { hasText: `${queries.length} matches` }).waitFor();
    await page.keyboard.press("Enter");
    await bar.locator("[role=status]", { hasText: `1 of ${queries.length}` }).waitFor();
    assert17.equal(param6(page, "span"), queries[0].id);
    assert17.equal(param6(page, "find"), "postgresql");
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await bar.locator("[role=status]", { hasText: `2 of ${queries.length}` }).waitFor();
    await page.keyboard.press("N");
    await page.keyboard.press("N");
    await bar.locator("[role=status]", { hasText: `${queries.length} of ${queries.length}` }).waitFor();
  });
});
test("trace view: the details of a span lead to spans with the same attribute", async () => {
  const { server: server11, data } = await shopServer();
  const { trace, charge } = failedTrace(data);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${trace}&span=${charge.id}`);
    await rows6(page).first().waitFor();
    await page.keyboard.press("d");
    const panel = page.locator(".span-panel");
    await panel.waitFor();
    await panel.locator(".span-message", { hasText: "card declined after 3 retries" }).waitFor();
    const text2 = await panel.textContent();
    for (const part of [
      "payment.retries3",
      "[eu, web]",
      "exception.typeCardDeclined",
      "service.version1.4.2",
      "payment.http 0.9",
      "Critical path"
    ])
      assert17.ok(text2.includes(part), `${part} in ${text2}`);
    await panel.locator("dd", { hasText: /^(?:visa|mastercard)/ }).getByRole("link").click();
    await eventually(
      "a search",
      async () => /^\{ span\.payment\.provider = "(?:visa|mastercard)" \}$/.test(param6(page, "q") ?? "")
    );
    await page.locator(".found-table .data-row").first().waitFor();
  });
});
test("trace view: links lead to their span, and the JSON of the trace is copied", async () => {
  const { server: server11, data } = await shopServer();
  const mail = data.spans.find((s) => s.links);
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${mail.trace}&span=${mail.id}&pane=span`);
    await page.getByRole("link", { name: "Span of this trace" }).click();
    await page.locator(".data-row.selected", { hasText: "orders publish" }).waitFor();
    await page.locator(".trace-head").getByRole("button", { name: "Copy JSON" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert17.ok(copied.resourceSpans.length >= 3);
  });
});
test("trace view: a missing parent is a row, and the costs of another time are offered", async () => {
  const { server: server11, from } = await shopServer();
  const start5 = from - 3 * 36e5;
  const trace = "feed000000000000000000000000aa01";
  const span = (id, parent, at2, ms) => ({
    service: "lost",
    trace,
    id,
    parent,
    name: `part ${id.slice(-1)}`,
    kind: 2,
    from: start5 + at2,
    ms,
    attributes: {}
  });
  await sendShopSpans(server11.url, [
    span("fe00000000000001", "fe000000000000ff", 0, 40),
    span("fe00000000000002", "fe000000000000ff", 50, 50),
    span("fe00000000000003", "fe00000000000002", 60, 10)
  ]);
  await withPage({}, async (page) => {
    await page.goto(`${server11.url}/traces?trace=${trace}`);
    await rows6(page).first().waitFor();
    assert17.match(await rows6(page).first().textContent(), /missing parent fe000000…/);
    assert17.deepEqual(
      await Promise.all([0, 1, 2, 3].map((i) => rows6(page).nth(i).getAttribute("aria-level"))),
      ["1", "2", "2", "3"]
    );
    await page.getByRole("button", { name: "Use its time" }).click();
    await eventually("its range", async () => Number(param6(page, "from")) < start5);
    assert17.equal(await page.locator(".trace-outside").count(), 0);
  });
});

// ui/test/browser/tree.test.ts
import assert18 from "node:assert/strict";
import { join as join16 } from "node:path";
var hostile4 = [
  '<img src=x onerror="window.hacked=1">',
  "\u202Egnp.exe",
  "x".repeat(1e4),
  "\u{1F600} emoji \u51FD\u6570"
];
var known10 = null;
function server10() {
  known10 ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    s.push(join16(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
    s.push(
      folded(join16(files, "small.folded"), {
        "main;work;sort;swap": 20,
        "main;work;sort": 60,
        "main;work;copy": 10,
        "main;work": 5,
        "main;idle": 4,
        "thread;sort": 8
      }),
      "small"
    );
    s.push(
      folded(
        join16(files, "hostile.folded"),
        Object.fromEntries(
          hostile4.map((name, i) => [`main;${hostile4[(i + 1) % hostile4.length]};${name}`, i + 1])
        )
      ),
      "hostile"
    );
    const many = {};
    for (let i = 0; i < 6e4; i++)
      many[`main;group_${i % 40};part_${i % 2e3};leaf_${i}`] = 1 + i % 7;
    s.push(folded(join16(files, "many.folded"), many), "many");
    return s;
  })();
  return known10;
}
var pane = (page, name) => page.locator(`section[aria-label="${name}"]`);
var treeRows = (page) => page.locator("[role=treegrid] .data-row");
var names = async (page) => (await treeRows(page).locator(".tree-name bdi").allTextContents()).join(" ");
var shows = (page, text2) => eventually(text2, async () => await names(page) === text2);
for (const theme of ["light", "dark"])
  for (const width of [1280, 1920, 390])
    test(`tree: call tree and sandwich, ${theme}, ${width} wide`, async () => {
      const s = await server10();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/profiles?query=checkout&view=tree&search=json`);
          await page.locator(".tree-found").first().waitFor();
          await screenshot(page, `tree-${theme}-${width}`);
          assert18.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right"
          );
          await page.goto(
            `${s.url}/profiles?query=checkout&view=sandwich&function=runtime.mallocgc`
          );
          await page.locator(".flame-legend").nth(1).waitFor();
          await screenshot(page, `sandwich-${theme}-${width}`);
          assert18.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right of the sandwich"
          );
        }
      );
    });
test("sandwich: a function's values are those of varve query top", async () => {
  const s = await server10();
  const expected = JSON.parse(s.query("top", "checkout", "-n", "0", "--json"));
  const row2 = expected.rows.find((r) => (r.name ?? r.function) === "runtime.mallocgc");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=sandwich&function=runtime.mallocgc`);
    const words = page.locator(".sandwich-words");
    await words.waitFor();
    const [total3, self] = await words.locator("strong").allTextContents();
    const whole = expected.rows.find((r) => (r.name ?? r.function) === "runtime.main").total;
    assert18.equal(
      total3,
      `${formatValue(row2.total, "nanoseconds")} (${formatShare(row2.total, 613e7)})`
    );
    assert18.equal(
      self,
      `${formatValue(row2.self, "nanoseconds")} (${formatShare(row2.self, 613e7)})`
    );
    assert18.equal(whole, 613e7);
  });
});
test("sandwich: direct callers and callees are exact, and clickable", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich&function=sort`);
    await pane(page, "Direct callers").locator(".data-row").first().waitFor();
    assert18.match(
      await page.locator(".sandwich-words").textContent(),
      /^88 \(82\.2%\) total, 68 \(63\.6%\) self, of 107/
    );
    const callers = await pane(page, "Direct callers").locator(".data-row").allTextContents();
    assert18.deepEqual(callers, ["work80 90.9%", "thread8 9.1%"]);
    assert18.deepEqual(await pane(page, "Direct callees").locator(".data-row").allTextContents(), [
      "swap20 22.7%"
    ]);
    assert18.match(
      await pane(page, "Direct callees").locator(".table-foot").textContent(),
      /1 function; 68 \(77\.3%\) self/
    );
    await pane(page, "Direct callers").locator(".data-row", { hasText: "work" }).click();
    await page.locator(".sandwich-name", { hasText: "work" }).waitFor();
    assert18.match(page.url(), /function=work/);
    await page.goBack();
    await page.locator(".sandwich-name", { hasText: "sort" }).waitFor();
    await pane(page, "Callees").locator("canvas.flame-canvas").click({ position: { x: 20, y: 30 } });
    await page.locator(".sandwich-name", { hasText: "swap" }).waitFor();
    assert18.match(await pane(page, "Direct callees").textContent(), /No callees/);
  });
});
test("sandwich: a function is selected from the list, or by typing", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich`);
    await page.getByRole("heading", { name: "Select a function" }).waitFor();
    await screenshot(page, "sandwich-choose");
    await page.locator("#search").fill("cop");
    await eventually(
      "one row",
      async () => await pane(page, "Functions").locator(".data-row").count() === 1
    );
    await pane(page, "Functions").locator(".data-row").click();
    await page.locator(".sandwich-name", { hasText: "copy" }).waitFor();
    await page.getByRole("button", { name: "Change \u25BE" }).click();
    await page.locator(".function-picker input").fill("idl");
    await eventually(
      "one match",
      async () => await page.locator(".function-picker .pick").count() === 1
    );
    await screenshot(page, "sandwich-picker");
    await page.keyboard.press("Enter");
    await page.locator(".sandwich-name", { hasText: "idle" }).waitFor();
  });
});
test("sandwich: a missing function is reported, with a list of functions", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich&function=nobody`);
    await page.getByText("nobody is not in this selection").waitFor();
    await pane(page, "Functions").locator(".data-row").first().waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/status of 404/.test(c));
  });
});
test("tree: the hottest path is expanded, and each row has its values", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    assert18.deepEqual(await treeRows(page).nth(2).locator("[role=gridcell]").allTextContents(), [
      "\u25B8sort",
      "80 74.8%",
      "60 56.1%",
      ""
    ]);
    const sort = treeRows(page).nth(2);
    assert18.deepEqual(
      [
        await sort.getAttribute("aria-level"),
        await sort.getAttribute("aria-expanded"),
        await sort.getAttribute("aria-selected")
      ],
      ["3", "false", "true"]
    );
    assert18.equal(
      await treeRows(page).nth(4).getAttribute("aria-expanded"),
      null,
      "a leaf cannot be expanded"
    );
  });
});
test("tree: rows expand and collapse by keyboard and by click", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("ArrowRight");
    await shows(page, "main work sort swap copy idle thread");
    await page.keyboard.press("ArrowRight");
    await page.locator(".data-row.selected", { hasText: "swap" }).waitFor();
    const active = await page.locator("[role=treegrid]").getAttribute("aria-activedescendant");
    assert18.equal(
      await page.locator(".data-row.selected").getAttribute("id"),
      active,
      "aria-activedescendant names the selected row"
    );
    for (const key of ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft"])
      await page.keyboard.press(key);
    await shows(page, "main work idle thread");
    await page.keyboard.press("Home");
    await page.keyboard.press("-");
    await shows(page, "main thread");
    await page.keyboard.press("*");
    await shows(page, "main work sort swap copy idle thread");
    await page.getByRole("button", { name: "Collapse all" }).click();
    await shows(page, "main thread");
    await treeRows(page).nth(1).locator(".tree-toggle").click();
    await shows(page, "main thread sort");
    await treeRows(page).nth(0).dblclick();
    await shows(page, "main work idle thread sort");
    await page.keyboard.press("h");
    await page.locator(".data-row.selected", { hasText: "sort" }).waitFor();
  });
});
test("tree: a search expands the matches, and keys move between them", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await treeRows(page).first().waitFor();
    await page.getByRole("button", { name: "Collapse all" }).click();
    await page.locator("#search").fill("/^s/");
    await shows(page, "main work sort swap copy idle thread sort");
    assert18.deepEqual(await page.locator(".tree-found").allTextContents(), ["sort", "swap", "sort"]);
    assert18.match(await page.locator(".table-foot").textContent(), /3 matches, 88 \(82\.2%\)/);
    await page.locator("#search").press("Escape");
    await page.keyboard.press("n");
    await page.locator(".data-row.selected", { hasText: "swap" }).waitFor();
    await page.keyboard.press("N");
    await page.locator(".data-row.selected", { hasText: "sort" }).waitFor();
  });
});
test("tree: the subtree of a row, inverted and filtered trees", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    await treeRows(page).filter({ hasText: "work" }).click();
    await page.keyboard.press("z");
    await shows(page, "sort copy");
    assert18.match(page.url(), /zoom=main&zoom=work/);
    await page.reload();
    await shows(page, "sort copy");
    await eventually("a step out", async () => {
      if (page.url().includes("zoom=work")) await page.keyboard.press("Backspace");
      return (await names(page)).startsWith("work");
    });
    await page.goto(`${s.url}/profiles?query=small&view=tree&invert=1&focus=swap`);
    await shows(page, "swap sort work main");
    assert18.match(await treeRows(page).first().textContent(), /swap20 100\.0%/);
  });
});
test("tree: of 60,000 frames only visible rows are rendered", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=many&view=tree`);
    await treeRows(page).first().waitFor();
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("*");
    await eventually(
      "all open",
      async () => Number(await page.locator("[role=treegrid]").getAttribute("aria-rowcount")) > 3e4
    );
    assert18.ok(await treeRows(page).count() < 100, "only visible rows are rendered");
    await page.keyboard.press("End");
    await eventually(
      "the last",
      async () => await page.locator(".data-row.selected").count() === 1 && Number(await page.locator(".data-row.selected").getAttribute("aria-rowindex")) > 3e4
    );
    assert18.match(
      await page.locator(".table-foot").textContent(),
      /smaller frames, [\d.]+% in total, are not listed/
    );
    await screenshot(page, "tree-many");
  });
});
test("tree: names are rendered as text", async () => {
  const s = await server10();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=hostile&view=tree`);
    await treeRows(page).first().waitFor();
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("*");
    await eventually("all names", async () => await treeRows(page).count() === 9);
    await screenshot(page, "tree-hostile");
    for (const name of hostile4) {
      await page.goto(
        `${s.url}/profiles?query=hostile&view=sandwich&function=${encodeURIComponent(name)}`
      );
      await page.locator(".sandwich-words").waitFor();
      assert18.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
        "nothing is cut off at the right"
      );
    }
    await screenshot(page, "sandwich-hostile");
    assert18.equal(await page.evaluate(() => "hacked" in window), false);
    assert18.equal(await page.locator("main img").count(), 0);
  });
});

// <stdin>
await runAll("");
//# sourceMappingURL=data:application/json;base64,ewogICJ2ZXJzaW9uIjogMywKICAic291cmNlcyI6IFsiLi4vdWkvdGVzdC9icm93c2VyL2FsbF92aWV3cy50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvdGFwLnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9wYWdlcy50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvc2VydmVyLnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9hc19vZi50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9jb21wYXJlLnRlc3QudHMiLCAiLi4vdWkvc3JjL2Jhc2UvdW5pdHMudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL2NvbnRyb2wudGVzdC50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvZHJpZnQudGVzdC50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvZXhwbG9yZS50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9maWxlcy50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9mbGFtZS50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvZmxhbWUvc3RhY2tfdHJlZS50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvaG9zdF9zZXJ2ZXIudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL2hlYXQudGVzdC50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvdGltZWRfc2FtcGxlcy50cyIsICIuLi91aS90ZXN0L2Jyb3dzZXIvbG9ncy50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9zaG9wX2RhdGEudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3Nob3Bfc2VydmVyLnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9tb2R1bGVzLnRlc3QudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3NpbmdsZV9wYWdlLnRlc3QudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3NwYW5zLnRlc3QudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3N0YXR1cy50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci9zdW1zLnRlc3QudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3RyYWNlX3NlYXJjaC50ZXN0LnRzIiwgIi4uL3VpL3Rlc3QvYnJvd3Nlci90cmFjZV92aWV3LnRlc3QudHMiLCAiLi4vdWkvdGVzdC9icm93c2VyL3RyZWUudGVzdC50cyIsICI8c3RkaW4+Il0sCiAgInNvdXJjZXNDb250ZW50IjogWyIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyB0aGF0IGFwcGx5IHRvIGFsbCB2aWV3czogY29udHJhc3QsIG5hbWVzIG9mIGNvbnRyb2xzLCBsYXlvdXQgc2hpZnRzLCBvdmVyZmxvdyxcbi8vIHF1ZXJpZXMsIGFjY2VzcywgY2FjaGluZy5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgcmVhZEZpbGVTeW5jLCB3cml0ZUZpbGVTeW5jIH0gZnJvbSBcIm5vZGU6ZnNcIjtcbmltcG9ydCB7IGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBQYWdlIH0gZnJvbSBcInBsYXl3cmlnaHQtY29yZVwiO1xuaW1wb3J0IHsgdGVzdCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IHNvdXJjZVJvb3QsIHRlbXBvcmFyeSwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuaW1wb3J0IHsgU2VydmVyIH0gZnJvbSBcIi4vc2VydmVyXCI7XG5cbmxldCBrbm93bjogUHJvbWlzZTxTZXJ2ZXI+IHwgbnVsbCA9IG51bGw7XG5cbmZ1bmN0aW9uIHNlcnZlcigpOiBQcm9taXNlPFNlcnZlcj4ge1xuICBrbm93biA/Pz0gKGFzeW5jICgpID0+IHtcbiAgICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gICAgcy5wdXNoKFxuICAgICAgam9pbihzb3VyY2VSb290LCBcImV4YW1wbGVzL2NoZWNrb3V0LnBiLmd6XCIpLFxuICAgICAgXCJjaGVja291dFwiLFxuICAgICAgXCItLWxhYmVsXCIsXG4gICAgICBcInZlcnNpb249djFcIixcbiAgICAgIFwiLS10aW1lXCIsXG4gICAgICBcIm5vdy0yMG1cIixcbiAgICApO1xuICAgIHMucHVzaChcbiAgICAgIGpvaW4oc291cmNlUm9vdCwgXCJleGFtcGxlcy9jaGVja291dC1zbG93LnBiLmd6XCIpLFxuICAgICAgXCJjaGVja291dFwiLFxuICAgICAgXCItLWxhYmVsXCIsXG4gICAgICBcInZlcnNpb249djJcIixcbiAgICAgIFwiLS10aW1lXCIsXG4gICAgICBcIm5vdy01bVwiLFxuICAgICk7XG4gICAgcmV0dXJuIHM7XG4gIH0pKCk7XG4gIHJldHVybiBrbm93bjtcbn1cblxuY29uc3Qgdmlld3M6IFJlY29yZDxzdHJpbmcsIHN0cmluZz4gPSB7XG4gIHNlcnZpY2VzOiBcIi9cIixcbiAgYm90aDogXCIvcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXRcIixcbiAgc2VhcmNoOiBcIi9wcm9maWxlcz9xdWVyeT1jaGVja291dCZzZWFyY2g9anNvblwiLFxuICB6b29tOiBcIi9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PWZsYW1lJnpvb209cnVudGltZS5tYWluJnpvb209bWFpbi5tYWluXCIsXG4gIHRhYmxlOiBcIi9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRhYmxlJmZ1bmN0aW9uPXN0cmluZ3MuVG9Mb3dlclwiLFxuICB0cmVlOiBcIi9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRyZWVcIixcbiAgc2FuZHdpY2g6IFwiL3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9c2FuZHdpY2gmZnVuY3Rpb249c3RyaW5ncy5Ub0xvd2VyXCIsXG4gIGhlYXQ6IFwiL3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9aGVhdFwiLFxuICBzcGFuczogXCIvcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmdmlldz1zcGFuc1wiLFxuICBjb21wYXJlOlxuICAgIFwiL2NvbXBhcmU/cXVlcnk9Y2hlY2tvdXQlN0J2ZXJzaW9uJTNEJTIydjIlMjIlN0QmYmVmb3JlPWNoZWNrb3V0JTdCdmVyc2lvbiUzRCUyMnYxJTIyJTdEXCIsXG4gIHRyYWNlczogXCIvdHJhY2VzXCIsXG4gIFwidHJhY2Ugc2VhcmNoXCI6IFwiL3RyYWNlcz9jaGFydD1yYXRlJnE9JTdCK3N0YXR1cyslM0QrZXJyb3IrJTI2JTI2K25hbWUrJTNEKyUyMmElMjIrJTdEXCIsXG4gIFwiZXhwZW5zaXZlIHNwYW5zXCI6IFwiL3RyYWNlcz9saXN0PXNwYW5zXCIsXG4gIGxvZ3M6IFwiL2xvZ3M/c2VydmljZT1hJndoZXJlPWIlM0RjJnRleHQ9eFwiLFxuICBkYXNoYm9hcmRzOiBcIi9kYXNoYm9hcmRzXCIsXG4gIHN0YXR1czogXCIvc3RhdHVzXCIsXG59O1xuXG4vLyBSZXR1cm4gdGV4dHMgd2hvc2UgY29udHJhc3QgaXMgYmVsb3cgV0NBRyBBQS4gUnVucyBpbiB0aGUgcGFnZS5cbmZ1bmN0aW9uIHdlYWtUZXh0KCk6IHN0cmluZ1tdIHtcbiAgY29uc3QgcGFyc2UgPSAodGV4dDogc3RyaW5nKSA9PlxuICAgICgvcmdiYT9cXCgoW14pXSspXFwpLy5leGVjKHRleHQpPy5bMV0gPz8gXCIwIDAgMCAwXCIpLnNwbGl0KC9bICwvXSsvKS5tYXAoTnVtYmVyKTtcbiAgY29uc3Qgb3ZlciA9ICh0b3A6IG51bWJlcltdLCBiZWxvdzogbnVtYmVyW10pID0+XG4gICAgWzAsIDEsIDJdLm1hcCgoaSkgPT4gdG9wW2ldICogKHRvcFszXSA/PyAxKSArIGJlbG93W2ldICogKDEgLSAodG9wWzNdID8/IDEpKSk7XG4gIGNvbnN0IGxpZ2h0ID0gKHJnYjogbnVtYmVyW10pID0+IHtcbiAgICBjb25zdCBbciwgZywgYl0gPSByZ2IubWFwKCh2KSA9PlxuICAgICAgdiAvIDI1NSA8PSAwLjAzOTI4ID8gdiAvIDI1NSAvIDEyLjkyIDogKCh2IC8gMjU1ICsgMC4wNTUpIC8gMS4wNTUpICoqIDIuNCxcbiAgICApO1xuICAgIHJldHVybiAwLjIxMjYgKiByICsgMC43MTUyICogZyArIDAuMDcyMiAqIGI7XG4gIH07XG4gIGNvbnN0IGdyb3VuZE9mID0gKGVsZW1lbnQ6IEVsZW1lbnQgfCBudWxsKTogbnVtYmVyW10gPT4ge1xuICAgIGlmICghZWxlbWVudCkgcmV0dXJuIFsyNTUsIDI1NSwgMjU1XTtcbiAgICBjb25zdCBjb2xvdXIgPSBwYXJzZShnZXRDb21wdXRlZFN0eWxlKGVsZW1lbnQpLmJhY2tncm91bmRDb2xvcik7XG4gICAgcmV0dXJuIChjb2xvdXJbM10gPz8gMSkgPT09IDEgPyBjb2xvdXIgOiBvdmVyKGNvbG91ciwgZ3JvdW5kT2YoZWxlbWVudC5wYXJlbnRFbGVtZW50KSk7XG4gIH07XG4gIGNvbnN0IHdlYWsgPSBuZXcgU2V0PHN0cmluZz4oKTtcbiAgZm9yIChjb25zdCBlbGVtZW50IG9mIGRvY3VtZW50LnF1ZXJ5U2VsZWN0b3JBbGwoXCJib2R5ICpcIikpIHtcbiAgICBjb25zdCBvd24gPSBbLi4uZWxlbWVudC5jaGlsZE5vZGVzXS5zb21lKChuKSA9PiBuLm5vZGVUeXBlID09PSAzICYmIG4udGV4dENvbnRlbnQhLnRyaW0oKSk7XG4gICAgY29uc3QgYm94ID0gZWxlbWVudC5nZXRCb3VuZGluZ0NsaWVudFJlY3QoKTtcbiAgICBpZiAoXG4gICAgICAhb3duIHx8XG4gICAgICAhYm94LndpZHRoIHx8XG4gICAgICAhYm94LmhlaWdodCB8fFxuICAgICAgZWxlbWVudC5jbG9zZXN0KFwiW2hpZGRlbl0sIDpkaXNhYmxlZCwgLmhpZGRlbi10ZXh0LCBzdmcsIG5vc2NyaXB0XCIpXG4gICAgKVxuICAgICAgY29udGludWU7XG4gICAgY29uc3Qgc3R5bGUgPSBnZXRDb21wdXRlZFN0eWxlKGVsZW1lbnQpO1xuICAgIGNvbnN0IGdyb3VuZCA9IGdyb3VuZE9mKGVsZW1lbnQpO1xuICAgIGNvbnN0IGEgPSBsaWdodChvdmVyKHBhcnNlKHN0eWxlLmNvbG9yKSwgZ3JvdW5kKSk7XG4gICAgY29uc3QgYiA9IGxpZ2h0KGdyb3VuZCk7XG4gICAgY29uc3QgY29udHJhc3QgPSAoTWF0aC5tYXgoYSwgYikgKyAwLjA1KSAvIChNYXRoLm1pbihhLCBiKSArIDAuMDUpO1xuICAgIGNvbnN0IGxhcmdlID1cbiAgICAgIHBhcnNlRmxvYXQoc3R5bGUuZm9udFNpemUpID49IDI0IHx8XG4gICAgICAocGFyc2VGbG9hdChzdHlsZS5mb250U2l6ZSkgPj0gMTguNjYgJiYgTnVtYmVyKHN0eWxlLmZvbnRXZWlnaHQpID49IDcwMCk7XG4gICAgaWYgKGNvbnRyYXN0IDwgKGxhcmdlID8gMyA6IDQuNSkpXG4gICAgICB3ZWFrLmFkZChcbiAgICAgICAgYCR7Y29udHJhc3QudG9GaXhlZCgyKX0gJHtlbGVtZW50LmNsYXNzTmFtZSB8fCBlbGVtZW50LnRhZ05hbWV9OiAke2VsZW1lbnQudGV4dENvbnRlbnQhLnNsaWNlKDAsIDQwKX1gLFxuICAgICAgKTtcbiAgfVxuICByZXR1cm4gWy4uLndlYWtdO1xufVxuXG4vLyBSZXR1cm4gY29udHJvbHMgd2l0aG91dCBhbiBhY2Nlc3NpYmxlIG5hbWUuIFJ1bnMgaW4gdGhlIHBhZ2UuXG5mdW5jdGlvbiBuYW1lbGVzcygpOiBzdHJpbmdbXSB7XG4gIGNvbnN0IGxpc3Q6IHN0cmluZ1tdID0gW107XG4gIGZvciAoY29uc3QgZWxlbWVudCBvZiBkb2N1bWVudC5xdWVyeVNlbGVjdG9yQWxsPEhUTUxFbGVtZW50PihcbiAgICBcImJ1dHRvbiwgYVtocmVmXSwgaW5wdXQsIHNlbGVjdCwgdGV4dGFyZWEsIGNhbnZhc1t0YWJpbmRleF0sIFtyb2xlPWJ1dHRvbl1cIixcbiAgKSkge1xuICAgIGNvbnN0IGxhYmVscyA9IChlbGVtZW50IGFzIEhUTUxJbnB1dEVsZW1lbnQpLmxhYmVscztcbiAgICBjb25zdCBuYW1lID1cbiAgICAgIGVsZW1lbnQuZ2V0QXR0cmlidXRlKFwiYXJpYS1sYWJlbFwiKSB8fFxuICAgICAgZWxlbWVudC5nZXRBdHRyaWJ1dGUoXCJhcmlhLWxhYmVsbGVkYnlcIikgfHxcbiAgICAgIGVsZW1lbnQudGV4dENvbnRlbnQ/LnRyaW0oKSB8fFxuICAgICAgZWxlbWVudC50aXRsZSB8fFxuICAgICAgKGxhYmVscz8ubGVuZ3RoID8gbGFiZWxzWzBdLnRleHRDb250ZW50IDogXCJcIik7XG4gICAgaWYgKCFuYW1lPy50cmltKCkgJiYgZWxlbWVudC5nZXRBdHRyaWJ1dGUoXCJ0eXBlXCIpICE9PSBcImZpbGVcIilcbiAgICAgIGxpc3QucHVzaChlbGVtZW50Lm91dGVySFRNTC5zbGljZSgwLCAxMjApKTtcbiAgfVxuICByZXR1cm4gbGlzdDtcbn1cblxuYXN5bmMgZnVuY3Rpb24gc2V0dGxlZChwYWdlOiBQYWdlKSB7XG4gIGF3YWl0IHBhZ2Uud2FpdEZvckxvYWRTdGF0ZShcIm5ldHdvcmtpZGxlXCIpO1xuICBhd2FpdCBwYWdlLndhaXRGb3JUaW1lb3V0KDI1MCk7XG59XG5cbmZvciAoY29uc3QgdGhlbWUgb2YgW1wibGlnaHRcIiwgXCJkYXJrXCJdIGFzIGNvbnN0KVxuICB0ZXN0KGBhbGwgdmlld3M6IHRleHQgaGFzIGVub3VnaCBjb250cmFzdCBhbmQgY29udHJvbHMgaGF2ZSBuYW1lcywgJHt0aGVtZX1gLCBhc3luYyAoKSA9PiB7XG4gICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgIGF3YWl0IHdpdGhQYWdlKHsgY29sb3JTY2hlbWU6IHRoZW1lIH0sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICBmb3IgKGNvbnN0IFtuYW1lLCBwYXRoXSBvZiBPYmplY3QuZW50cmllcyh2aWV3cykpIHtcbiAgICAgICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGF0aCk7XG4gICAgICAgIGF3YWl0IHNldHRsZWQocGFnZSk7XG4gICAgICAgIGFzc2VydC5kZWVwRXF1YWwoYXdhaXQgcGFnZS5ldmFsdWF0ZSh3ZWFrVGV4dCksIFtdLCBuYW1lKTtcbiAgICAgICAgYXNzZXJ0LmRlZXBFcXVhbChhd2FpdCBwYWdlLmV2YWx1YXRlKG5hbWVsZXNzKSwgW10sIG5hbWUpO1xuICAgICAgfVxuICAgIH0pO1xuICB9KTtcblxudGVzdChcImFsbCB2aWV3czogbm90aGluZyBpcyBjdXQgb2ZmIGF0IHRoZSByaWdodCwgYXQgYW55IHdpZHRoXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBmb3IgKGNvbnN0IHdpZHRoIG9mIFszOTAsIDc2OCwgMTI4MF0pXG4gICAgYXdhaXQgd2l0aFBhZ2UoeyB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiA4MDAgfSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgZm9yIChjb25zdCBbbmFtZSwgcGF0aF0gb2YgT2JqZWN0LmVudHJpZXModmlld3MpKSB7XG4gICAgICAgIGF3YWl0IHBhZ2UuZ290byhzLnVybCArIHBhdGgpO1xuICAgICAgICBhd2FpdCBzZXR0bGVkKHBhZ2UpO1xuICAgICAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGgpLCB3aWR0aCwgbmFtZSk7XG4gICAgICB9XG4gICAgfSk7XG59KTtcblxuLy8gQ3VtdWxhdGl2ZSBsYXlvdXQgc2hpZnQgYXMgaW4gTGlnaHRob3VzZSwgd2hlcmUgdmFsdWVzIHVwIHRvIDAuMSBhcmUgZ29vZC5cbnRlc3QoXCJhbGwgdmlld3M6IG5vIGxheW91dCBzaGlmdCB3aGlsZSBhIHZpZXcgbG9hZHNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuYWRkSW5pdFNjcmlwdCgoKSA9PiB7XG4gICAgICBjb25zdCB3ID0gd2luZG93IGFzIHVua25vd24gYXMgeyBzaGlmdDogbnVtYmVyIH07XG4gICAgICB3LnNoaWZ0ID0gMDtcbiAgICAgIG5ldyBQZXJmb3JtYW5jZU9ic2VydmVyKChsaXN0KSA9PiB7XG4gICAgICAgIGZvciAoY29uc3QgZW50cnkgb2YgbGlzdC5nZXRFbnRyaWVzKCkgYXMgKFBlcmZvcm1hbmNlRW50cnkgJiB7XG4gICAgICAgICAgdmFsdWU6IG51bWJlcjtcbiAgICAgICAgICBoYWRSZWNlbnRJbnB1dDogYm9vbGVhbjtcbiAgICAgICAgfSlbXSlcbiAgICAgICAgICBpZiAoIWVudHJ5LmhhZFJlY2VudElucHV0KSB3LnNoaWZ0ICs9IGVudHJ5LnZhbHVlO1xuICAgICAgfSkub2JzZXJ2ZSh7IHR5cGU6IFwibGF5b3V0LXNoaWZ0XCIsIGJ1ZmZlcmVkOiB0cnVlIH0pO1xuICAgIH0pO1xuICAgIGZvciAoY29uc3QgW25hbWUsIHBhdGhdIG9mIE9iamVjdC5lbnRyaWVzKHZpZXdzKSkge1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGF0aCk7XG4gICAgICBhd2FpdCBzZXR0bGVkKHBhZ2UpO1xuICAgICAgY29uc3Qgc2hpZnQgPSBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+ICh3aW5kb3cgYXMgdW5rbm93biBhcyB7IHNoaWZ0OiBudW1iZXIgfSkuc2hpZnQpO1xuICAgICAgYXNzZXJ0Lm9rKHNoaWZ0IDwgMC4wNSwgYCR7bmFtZX06ICR7c2hpZnQudG9GaXhlZCgzKX1gKTtcbiAgICB9XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJhbGwgdmlld3M6IHRoZSBxdWVyaWVzIG9mIGEgbGluayBhcmUgc2VudCBvbmNlLCBiZWZvcmUgdGhlIHBhZ2UgaXMgcmVuZGVyZWRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGNvbnN0IGFza2VkOiBzdHJpbmdbXSA9IFtdO1xuICAgIHBhZ2Uub24oXCJyZXF1ZXN0XCIsIChyKSA9PiB2b2lkIChyLnVybCgpLmluY2x1ZGVzKFwiL2FwaS9cIikgJiYgYXNrZWQucHVzaChyLnVybCgpKSkpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmem9vbT1ydW50aW1lLm1haW5gKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtaGlkZGVuXCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzZXR0bGVkKHBhZ2UpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgICBhc2tlZC5maWx0ZXIoKHVybCwgaSkgPT4gYXNrZWQuaW5kZXhPZih1cmwpICE9PSBpICYmICF1cmwuaW5jbHVkZXMoXCIvbGFiZWxzXCIpKSxcbiAgICAgIFtdLFxuICAgICk7XG4gICAgYXNzZXJ0Lm1hdGNoKGFza2VkWzBdLCAvXFwvZmxhbWVcXD8uKnBhdGg9cnVudGltZVxcLm1haW4vKTtcbiAgICBhc3NlcnQubWF0Y2goYXNrZWRbMV0sIC9cXC90b3BcXD8vKTtcbiAgfSk7XG59KTtcblxuY29uc3Qgc2VjcmV0ID0gXCIwMTIzNDU2Nzg5YWJjZGVmXCI7XG5cbi8vIENoZWNrIHRoYXQgZG93bmxvYWRzIHdvcmsgd2l0aCB0aGUgdXNlcidzIGNyZWRlbnRpYWxzLCBhbmQgdGhhdCBubyBVUkwgY29udGFpbnMgdGhlIHRva2VuIG9yIHRoZVxuLy8gdGVuYW50LlxuYXN5bmMgZnVuY3Rpb24gZG93bmxvYWRzT2YocGFnZTogUGFnZSwgczogU2VydmVyLCBoZWFkZXJzOiBSZWNvcmQ8c3RyaW5nLCBzdHJpbmc+KSB7XG4gIGNvbnN0IHVybHM6IHN0cmluZ1tdID0gW107XG4gIHBhZ2Uub24oXCJyZXF1ZXN0XCIsIChyKSA9PiB2b2lkIHVybHMucHVzaChyLnVybCgpKSk7XG4gIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXRgKTtcbiAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWhpZGRlblwiKS53YWl0Rm9yKCk7XG4gIGZvciAoY29uc3QgW25hbWUsIGZvcm1hdF0gb2YgW1tcInBwcm9mXCIsIFwicHByb2ZcIl0sIFtcIkZvbGRlZCBzdGFja3NcIiwgXCJmb2xkZWRcIl1dKSB7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkRvd25sb2FkXCIgfSkuY2xpY2soKTtcbiAgICBjb25zdCBsaW5rID0gcGFnZS5sb2NhdG9yKFwiLmRvd25sb2FkLW1lbnUgYVwiLCB7IGhhc1RleHQ6IG5hbWUgfSk7XG4gICAgY29uc3QgaHJlZiA9IChhd2FpdCBsaW5rLmdldEF0dHJpYnV0ZShcImhyZWZcIikpITtcbiAgICBjb25zdCBbZG93bmxvYWRdID0gYXdhaXQgUHJvbWlzZS5hbGwoW3BhZ2Uud2FpdEZvckV2ZW50KFwiZG93bmxvYWRcIiksIGxpbmsuY2xpY2soKV0pO1xuICAgIGNvbnN0IHJlc3BvbnNlID0gYXdhaXQgZmV0Y2gocy51cmwgKyBocmVmLCB7IGhlYWRlcnMgfSk7XG4gICAgYXNzZXJ0LmVxdWFsKHJlc3BvbnNlLnN0YXR1cywgMjAwKTtcbiAgICBhc3NlcnQub2soXG4gICAgICByZWFkRmlsZVN5bmMoYXdhaXQgZG93bmxvYWQucGF0aCgpKS5lcXVhbHMoQnVmZmVyLmZyb20oYXdhaXQgcmVzcG9uc2UuYXJyYXlCdWZmZXIoKSkpLFxuICAgICAgZm9ybWF0LFxuICAgICk7XG4gICAgYXNzZXJ0Lm1hdGNoKGRvd25sb2FkLnN1Z2dlc3RlZEZpbGVuYW1lKCksIC9ecHJvZmlsZVxcLi8pO1xuICAgIGFzc2VydC5lcXVhbCgoYXdhaXQgZmV0Y2gocy51cmwgKyBocmVmKSkuc3RhdHVzLCA0MDEsIFwidGhlIGxpbmsgYWxvbmUgaXMgbm90IGF1dGhvcml6ZWRcIik7XG4gIH1cbiAgZm9yIChjb25zdCB1cmwgb2YgdXJscykgYXNzZXJ0Lm9rKCF1cmwuaW5jbHVkZXMoc2VjcmV0KSAmJiAhdXJsLmluY2x1ZGVzKFwicmVkXCIpLCB1cmwpO1xufVxuXG50ZXN0KFwiYWxsIHZpZXdzOiB0aGUgYnJvd3NlciBhc2tzIGZvciB0aGUgdG9rZW4sIGFuZCB0aGUgcGFnZSBmb3IgdGhlIHRlbmFudFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IGZvbGRlciA9IHRlbXBvcmFyeSgpO1xuICBjb25zdCB0b2tlbnMgPSBqb2luKGZvbGRlciwgXCJ0b2tlbnNcIik7XG4gIHdyaXRlRmlsZVN5bmModG9rZW5zLCBgJHtzZWNyZXR9XFxuYCk7XG4gIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKGpvaW4oZm9sZGVyLCBcImRhdGFcIiksIFtcIi0tdG9rZW4tZmlsZVwiLCB0b2tlbnMsIFwiLS10ZW5hbnRzXCJdKS5zdGFydCgpO1xuICBjb25zdCBiYXNpYyA9IGBCYXNpYyAke0J1ZmZlci5mcm9tKGBtZToke3NlY3JldH1gKS50b1N0cmluZyhcImJhc2U2NFwiKX1gO1xuICBjb25zdCBib2R5ID0gcmVhZEZpbGVTeW5jKGpvaW4oc291cmNlUm9vdCwgXCJleGFtcGxlcy9jaGVja291dC5wYi5nelwiKSk7XG4gIGNvbnN0IGtlcHQgPSBhd2FpdCBmZXRjaChgJHtzLnVybH0vYXBpL3YxL3VwbG9hZD9zZXJ2aWNlPWNoZWNrb3V0JnRpbWU9bm93LTVtYCwge1xuICAgIG1ldGhvZDogXCJQT1NUXCIsXG4gICAgYm9keSxcbiAgICBoZWFkZXJzOiB7IGF1dGhvcml6YXRpb246IGJhc2ljLCBcIngtc2NvcGUtb3JnaWRcIjogXCJyZWRcIiB9LFxuICB9KTtcbiAgYXNzZXJ0LmVxdWFsKGtlcHQuc3RhdHVzLCAyMDApO1xuICBhd2FpdCB3aXRoUGFnZSh7IGh0dHBDcmVkZW50aWFsczogeyB1c2VybmFtZTogXCJtZVwiLCBwYXNzd29yZDogc2VjcmV0IH0gfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L2ApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5lbXB0eVwiLCB7IGhhc1RleHQ6IFwiU2VsZWN0IGEgdGVuYW50XCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmdldEJ5Um9sZShcImFsZXJ0XCIpLmNvdW50KCksIDAsIFwidGhlIHByb21wdCBpcyBub3QgYW4gZXJyb3JcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeUxhYmVsKFwiVGVuYW50XCIpLmZpbGwoXCJyZWRcIik7XG4gICAgLy8gUXVlcmllcyBiZWZvcmUgdGhlIHRlbmFudCB3YXMgZW50ZXJlZC5cbiAgICBwYWdlLnBhZ2VFcnJvcnMgPSBwYWdlLnBhZ2VFcnJvcnMuZmlsdGVyKChjKSA9PiAhL3N0YXR1cyBvZiA0MDEvLnRlc3QoYykpO1xuICAgIGNvbnN0IGFza2VkOiBzdHJpbmdbXSA9IFtdO1xuICAgIHBhZ2Uub24oXCJyZXNwb25zZVwiLCAocikgPT4gYXNrZWQucHVzaChgJHtyLnN0YXR1cygpfSAke3IudXJsKCl9YCkpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZS1uYW1lXCIsIHsgaGFzVGV4dDogXCJjaGVja291dFwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnlcIikud2FpdEZvcigpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgICBhc2tlZC5maWx0ZXIoKGEpID0+ICEvXigyMDB8MzA0KSAvLnRlc3QoYSkpLFxuICAgICAgW10sXG4gICAgICBcImFsbCBsYXRlciBxdWVyaWVzIHNlbmQgdGhlIHRlbmFudFwiLFxuICAgICk7XG4gICAgYXdhaXQgZG93bmxvYWRzT2YocGFnZSwgcywgeyBhdXRob3JpemF0aW9uOiBiYXNpYywgXCJ4LXNjb3BlLW9yZ2lkXCI6IFwicmVkXCIgfSk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRpdGxlKFwiVGVuYW50IHJlZFwiKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIlRlbmFudFwiLCB7IGV4YWN0OiB0cnVlIH0pLmZpbGwoXCJibHVlXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZW1wdHlcIikud2FpdEZvcigpOyAvLyBhbm90aGVyIHRlbmFudCBoYXMgbm8gZGF0YVxuICAgIHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGMpID0+ICEvc3RhdHVzIG9mIDQwNC8udGVzdChjKSk7XG4gIH0pO1xuICBhd2FpdCBzLnN0b3AoKTtcbn0pO1xuXG50ZXN0KFwiYWxsIHZpZXdzOiB0aGUgY29udGVudCBzZWN1cml0eSBwb2xpY3kgaXMgc3RyaWN0LCBhbmQgYXNzZXRzIGFyZSBjYWNoZWQgZm9yZXZlclwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgcGFnZSA9IGF3YWl0IGZldGNoKGAke3MudXJsfS9wcm9maWxlc2ApO1xuICBjb25zdCBwb2xpY3kgPSBwYWdlLmhlYWRlcnMuZ2V0KFwiY29udGVudC1zZWN1cml0eS1wb2xpY3lcIikhO1xuICBhc3NlcnQubWF0Y2gocG9saWN5LCAvZGVmYXVsdC1zcmMgJ25vbmUnLyk7XG4gIGFzc2VydC5tYXRjaChwb2xpY3ksIC9zY3JpcHQtc3JjICdzZWxmJyg7fCQpLyk7XG4gIGFzc2VydC5kb2VzTm90TWF0Y2gocG9saWN5LCAvdW5zYWZlLyk7XG4gIGFzc2VydC5lcXVhbChwYWdlLmhlYWRlcnMuZ2V0KFwiY2FjaGUtY29udHJvbFwiKSwgXCJuby1jYWNoZVwiKTtcbiAgY29uc3QgYWdhaW4gPSBhd2FpdCBmZXRjaChgJHtzLnVybH0vcHJvZmlsZXNgLCB7XG4gICAgaGVhZGVyczogeyBcImlmLW5vbmUtbWF0Y2hcIjogcGFnZS5oZWFkZXJzLmdldChcImV0YWdcIikhIH0sXG4gIH0pO1xuICBhc3NlcnQuZXF1YWwoYWdhaW4uc3RhdHVzLCAzMDQpO1xuICBjb25zdCBzY3JpcHQgPSAvc3JjPVwiKFxcL2Fzc2V0c1xcL1teXCJdKylcIi8uZXhlYyhhd2FpdCBwYWdlLnRleHQoKSkhWzFdO1xuICBhc3NlcnQubWF0Y2goKGF3YWl0IGZldGNoKHMudXJsICsgc2NyaXB0KSkuaGVhZGVycy5nZXQoXCJjYWNoZS1jb250cm9sXCIpISwgL2ltbXV0YWJsZS8pO1xuICBhc3NlcnQuZXF1YWwoKGF3YWl0IGZldGNoKGAke3MudXJsfS9ub3doZXJlYCkpLnN0YXR1cywgNDA0KTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBBIG1pbmltYWwgdGVzdCBydW5uZXI6IHJ1bnMgdGVzdHMgb25lIGFmdGVyIHRoZSBvdGhlciBhbmQgcHJpbnRzIFRBUC4gcnVuLm1qcyBidW5kbGVzIGFsbCBmaWxlc1xuLy8gb2YgYSBraW5kIGFuZCBjYWxscyBydW5BbGwoKS5cbmludGVyZmFjZSBUZXN0IHtcbiAgbmFtZTogc3RyaW5nO1xuICBydW46ICgpID0+IHVua25vd247XG59XG5cbmNvbnN0IHRlc3RzOiBUZXN0W10gPSBbXTtcbmNvbnN0IGVuZGluZ3M6ICgoKSA9PiB1bmtub3duKVtdID0gW107XG5cbmV4cG9ydCBmdW5jdGlvbiB0ZXN0KG5hbWU6IHN0cmluZywgcnVuOiAoKSA9PiB1bmtub3duKSB7XG4gIHRlc3RzLnB1c2goeyBuYW1lLCBydW4gfSk7XG59XG5cbi8vIFRocm93biBieSBhIHRlc3QgdGhhdCBjYW5ub3QgcnVuIGhlcmU7IGl0IGlzIHJlcG9ydGVkIGFzIHNraXBwZWQuXG5leHBvcnQgY2xhc3MgU2tpcCBleHRlbmRzIEVycm9yIHt9XG5cbi8vIFJlZ2lzdGVyIGEgZnVuY3Rpb24gdGhhdCBydW5zIGFmdGVyIGFsbCB0ZXN0cywgZS5nLiB0byBzdG9wIGEgc2VydmVyLlxuZXhwb3J0IGZ1bmN0aW9uIGF0RW5kKHJ1bjogKCkgPT4gdW5rbm93bikge1xuICBlbmRpbmdzLnB1c2gocnVuKTtcbn1cblxuY29uc3QgY29tbWVudCA9ICh0ZXh0OiBzdHJpbmcpID0+IHRleHQucmVwbGFjZSgvXi9nbSwgXCIjIFwiKTtcblxuYXN5bmMgZnVuY3Rpb24gcnVuT25lKHsgbmFtZSwgcnVuIH06IFRlc3QsIG51bWJlcjogbnVtYmVyKTogUHJvbWlzZTxib29sZWFuPiB7XG4gIHRyeSB7XG4gICAgYXdhaXQgcnVuKCk7XG4gICAgY29uc29sZS5sb2coYG9rICR7bnVtYmVyfSAtICR7bmFtZX1gKTtcbiAgfSBjYXRjaCAoZSkge1xuICAgIGlmIChlIGluc3RhbmNlb2YgU2tpcCkgY29uc29sZS5sb2coYG9rICR7bnVtYmVyfSAtICR7bmFtZX0gIyBTS0lQICR7ZS5tZXNzYWdlfWApO1xuICAgIGVsc2Uge1xuICAgICAgY29uc29sZS5sb2coXG4gICAgICAgIGBub3Qgb2sgJHtudW1iZXJ9IC0gJHtuYW1lfVxcbiR7Y29tbWVudChlIGluc3RhbmNlb2YgRXJyb3IgPyAoZS5zdGFjayA/PyBlLm1lc3NhZ2UpIDogU3RyaW5nKGUpKX1gLFxuICAgICAgKTtcbiAgICAgIHJldHVybiBmYWxzZTtcbiAgICB9XG4gIH1cbiAgcmV0dXJuIHRydWU7XG59XG5cbi8vIFJ1biBhbGwgdGVzdHMgd2hvc2UgbmFtZXMgY29udGFpbiBgb25seWAuXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gcnVuQWxsKG9ubHkgPSBcIlwiKSB7XG4gIGNvbnN0IGNob3NlbiA9IHRlc3RzLmZpbHRlcigodCkgPT4gdC5uYW1lLmluY2x1ZGVzKG9ubHkpKTtcbiAgY29uc29sZS5sb2coYDEuLiR7Y2hvc2VuLmxlbmd0aH1gKTtcbiAgbGV0IGZhaWxlZCA9IDA7XG4gIGZvciAoY29uc3QgW2ksIHRdIG9mIGNob3Nlbi5lbnRyaWVzKCkpIGlmICghKGF3YWl0IHJ1bk9uZSh0LCBpICsgMSkpKSBmYWlsZWQrKztcbiAgZm9yIChjb25zdCBlbmQgb2YgZW5kaW5ncy5yZXZlcnNlKCkpIGF3YWl0IGVuZCgpO1xuICBwcm9jZXNzLmV4aXRDb2RlID0gZmFpbGVkIHx8ICFjaG9zZW4ubGVuZ3RoID8gMSA6IDA7XG59XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIFNoYXJlZCBieSBhbGwgYnJvd3NlciB0ZXN0czogdGhlIGJyb3dzZXIsIHRoZSBwcm9ncmFtLCBwYWdlcyB3aG9zZSBlcnJvcnMgZmFpbCB0aGUgdGVzdCwgYW5kXG4vLyBzY3JlZW5zaG90cyAodWktc2NyZWVuc2hvdHMvIGJlc2lkZSB0aGUgYnVuZGxlKS5cbmltcG9ydCB7IGV4ZWNGaWxlU3luYyB9IGZyb20gXCJub2RlOmNoaWxkX3Byb2Nlc3NcIjtcbmltcG9ydCB7IG1rZGlyU3luYywgbWtkdGVtcFN5bmMsIHJtU3luYywgd3JpdGVGaWxlU3luYyB9IGZyb20gXCJub2RlOmZzXCI7XG5pbXBvcnQgeyB0bXBkaXIgfSBmcm9tIFwibm9kZTpvc1wiO1xuaW1wb3J0IHsgZGlybmFtZSwgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IGZpbGVVUkxUb1BhdGggfSBmcm9tIFwibm9kZTp1cmxcIjtcbmltcG9ydCB7IEJyb3dzZXIsIEJyb3dzZXJDb250ZXh0T3B0aW9ucywgY2hyb21pdW0sIFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyBhdEVuZCB9IGZyb20gXCIuLi90YXBcIjtcblxuZXhwb3J0IGNvbnN0IHByb2dyYW0gPSBwcm9jZXNzLmVudi5WQVJWRSE7XG5leHBvcnQgY29uc3Qgc291cmNlUm9vdCA9IHByb2Nlc3MuZW52LlNPVVJDRV9ST09UID8/IGpvaW4ocHJvY2Vzcy5jd2QoKSwgXCIuLlwiKTtcblxubGV0IGJyb3dzZXI6IEJyb3dzZXIgfCBudWxsID0gbnVsbDtcblxuYXN5bmMgZnVuY3Rpb24gc2hhcmVkQnJvd3NlcigpOiBQcm9taXNlPEJyb3dzZXI+IHtcbiAgaWYgKCFicm93c2VyKSB7XG4gICAgYnJvd3NlciA9IGF3YWl0IGNocm9taXVtLmxhdW5jaCh7XG4gICAgICBleGVjdXRhYmxlUGF0aDogcHJvY2Vzcy5lbnYuQ0hST01JVU0gPz8gXCIvdXNyL2Jpbi9jaHJvbWl1bVwiLFxuICAgICAgYXJnczogW1wiLS1uby1zYW5kYm94XCJdLFxuICAgIH0pO1xuICAgIGF0RW5kKCgpID0+IGJyb3dzZXI/LmNsb3NlKCkpO1xuICB9XG4gIHJldHVybiBicm93c2VyO1xufVxuXG4vLyBDcmVhdGUgYSBkaXJlY3RvcnkgdGhhdCBpcyByZW1vdmVkIGFmdGVyIHRoZSB0ZXN0cy5cbmV4cG9ydCBmdW5jdGlvbiB0ZW1wb3JhcnkoKTogc3RyaW5nIHtcbiAgY29uc3QgcGF0aCA9IG1rZHRlbXBTeW5jKGpvaW4odG1wZGlyKCksIFwidmFydmUtYnJvd3Nlci1cIikpO1xuICBhdEVuZCgoKSA9PiBybVN5bmMocGF0aCwgeyByZWN1cnNpdmU6IHRydWUsIGZvcmNlOiB0cnVlIH0pKTtcbiAgcmV0dXJuIHBhdGg7XG59XG5cbmV4cG9ydCBmdW5jdGlvbiBydW4oLi4uYXJnczogc3RyaW5nW10pOiBzdHJpbmcge1xuICByZXR1cm4gZXhlY0ZpbGVTeW5jKHByb2dyYW0sIGFyZ3MsIHsgZW5jb2Rpbmc6IFwidXRmOFwiLCBtYXhCdWZmZXI6IDEgPDwgMjggfSk7XG59XG5cbi8vIFdyaXRlIGEgZmlsZSBvZiBmb2xkZWQgc3RhY2tzOiBsaW5lcyBvZiB0aGUgZm9ybSBcImE7YjtjIDQwXCIuXG5leHBvcnQgZnVuY3Rpb24gZm9sZGVkKHBhdGg6IHN0cmluZywgc3RhY2tzOiBSZWNvcmQ8c3RyaW5nLCBudW1iZXI+KTogc3RyaW5nIHtcbiAgd3JpdGVGaWxlU3luYyhcbiAgICBwYXRoLFxuICAgIE9iamVjdC5lbnRyaWVzKHN0YWNrcylcbiAgICAgIC5tYXAoKFtzdGFjaywgdmFsdWVdKSA9PiBgJHtzdGFja30gJHt2YWx1ZX1cXG5gKVxuICAgICAgLmpvaW4oXCJcIiksXG4gICk7XG4gIHJldHVybiBwYXRoO1xufVxuXG5leHBvcnQgaW50ZXJmYWNlIFRlc3RQYWdlIGV4dGVuZHMgUGFnZSB7XG4gIHBhZ2VFcnJvcnM6IHN0cmluZ1tdOyAvLyBzY3JpcHQgZXJyb3JzLCBjb25zb2xlIGVycm9ycywgYW5kIHJlcXVlc3RzIHRvIG90aGVyIGhvc3RzXG59XG5cbi8vIFJ1biBhIHRlc3Qgd2l0aCBhIG5ldyBwYWdlLiBGYWlscyBpZiB0aGUgcGFnZSByZXBvcnRlZCBhbnkgZXJyb3IuXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gd2l0aFBhZ2UoXG4gIG9wdGlvbnM6IEJyb3dzZXJDb250ZXh0T3B0aW9ucyxcbiAgdXNlOiAocGFnZTogVGVzdFBhZ2UpID0+IFByb21pc2U8dm9pZD4sXG4pIHtcbiAgY29uc3QgY29udGV4dCA9IGF3YWl0IChcbiAgICBhd2FpdCBzaGFyZWRCcm93c2VyKClcbiAgKS5uZXdDb250ZXh0KHsgdmlld3BvcnQ6IHsgd2lkdGg6IDEyODAsIGhlaWdodDogODAwIH0sIC4uLm9wdGlvbnMgfSk7XG4gIGNvbnRleHQuc2V0RGVmYXVsdFRpbWVvdXQoMTBfMDAwKTtcbiAgY29uc3QgcGFnZSA9IChhd2FpdCBjb250ZXh0Lm5ld1BhZ2UoKSkgYXMgVGVzdFBhZ2U7XG4gIHBhZ2UucGFnZUVycm9ycyA9IFtdO1xuICBwYWdlLnNldERlZmF1bHRUaW1lb3V0KDEwXzAwMCk7XG4gIHBhZ2Uub24oXCJwYWdlZXJyb3JcIiwgKGUpID0+IHBhZ2UucGFnZUVycm9ycy5wdXNoKGBlcnJvcjogJHtlLm1lc3NhZ2V9YCkpO1xuICBwYWdlLm9uKFwiY29uc29sZVwiLCAobSkgPT4ge1xuICAgIGNvbnN0IG91cnMgPSBtLnRleHQoKS5pbmNsdWRlcyhcIndpbGxSZWFkRnJlcXVlbnRseVwiKTsgLy8gY2F1c2VkIGJ5IHRlc3RzIHRoYXQgcmVhZCBwaXhlbHNcbiAgICBpZiAoIW91cnMgJiYgKG0udHlwZSgpID09PSBcImVycm9yXCIgfHwgbS50eXBlKCkgPT09IFwid2FybmluZ1wiKSlcbiAgICAgIHBhZ2UucGFnZUVycm9ycy5wdXNoKGBjb25zb2xlOiAke20udGV4dCgpfWApO1xuICB9KTtcbiAgcGFnZS5vbihcInJlcXVlc3RcIiwgKHIpID0+IHtcbiAgICBjb25zdCB7IHByb3RvY29sLCBob3N0bmFtZSB9ID0gbmV3IFVSTChyLnVybCgpKTtcbiAgICBpZiAocHJvdG9jb2wuc3RhcnRzV2l0aChcImh0dHBcIikgJiYgaG9zdG5hbWUgIT09IFwiMTI3LjAuMC4xXCIgJiYgaG9zdG5hbWUgIT09IFwibG9jYWxob3N0XCIpXG4gICAgICBwYWdlLnBhZ2VFcnJvcnMucHVzaChgcmVxdWVzdDogJHtyLnVybCgpfWApO1xuICB9KTtcbiAgdHJ5IHtcbiAgICBhd2FpdCB1c2UocGFnZSkuY2F0Y2goKGU6IEVycm9yKSA9PiBwYWdlLnBhZ2VFcnJvcnMucHVzaChlLnN0YWNrID8/IGUubWVzc2FnZSkpO1xuICAgIGlmIChwYWdlLnBhZ2VFcnJvcnMubGVuZ3RoKSB0aHJvdyBuZXcgRXJyb3IocGFnZS5wYWdlRXJyb3JzLmpvaW4oXCJcXG5cIikpO1xuICB9IGZpbmFsbHkge1xuICAgIGF3YWl0IGNvbnRleHQuY2xvc2UoKTtcbiAgfVxufVxuXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gc2NyZWVuc2hvdChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcpIHtcbiAgY29uc3QgZm9sZGVyID0gam9pbihkaXJuYW1lKGZpbGVVUkxUb1BhdGgoaW1wb3J0Lm1ldGEudXJsKSksIFwidWktc2NyZWVuc2hvdHNcIik7XG4gIG1rZGlyU3luYyhmb2xkZXIsIHsgcmVjdXJzaXZlOiB0cnVlIH0pO1xuICBhd2FpdCBwYWdlLnNjcmVlbnNob3QoeyBwYXRoOiBqb2luKGZvbGRlciwgYCR7bmFtZX0ucG5nYCkgfSk7XG59XG5cbi8vIFdhaXQgdXAgdG8gZml2ZSBzZWNvbmRzIHVudGlsIHRoZSBjaGVjayByZXR1cm5zIGEgdHJ1dGh5IHZhbHVlLCBhbmQgcmV0dXJuIGl0LlxuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIGV2ZW50dWFsbHk8VD4oXG4gIHdoYXQ6IHN0cmluZyxcbiAgY2hlY2s6ICgpID0+IFByb21pc2U8VCB8IGZhbHNlIHwgbnVsbCB8IHVuZGVmaW5lZD4sXG4pOiBQcm9taXNlPFQ+IHtcbiAgY29uc3QgZW5kID0gRGF0ZS5ub3coKSArIDUwMDA7XG4gIGZvciAoOzspIHtcbiAgICBjb25zdCByZXN1bHQgPSBhd2FpdCBjaGVjaygpO1xuICAgIGlmIChyZXN1bHQpIHJldHVybiByZXN1bHQ7XG4gICAgaWYgKERhdGUubm93KCkgPiBlbmQpIHRocm93IG5ldyBFcnJvcihgbm90IHdpdGhpbiA1IHM6ICR7d2hhdH1gKTtcbiAgICBhd2FpdCBuZXcgUHJvbWlzZSgoZG9uZSkgPT4gc2V0VGltZW91dChkb25lLCAzMCkpO1xuICB9XG59XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEEgcmVhbCBzZXJ2ZXIgZm9yIGJyb3dzZXIgdGVzdHMsIG9uIGZyZWUgcG9ydHMsIHN0b3BwZWQgYWZ0ZXIgdGhlIHRlc3RzLlxuaW1wb3J0IHsgQ2hpbGRQcm9jZXNzLCBzcGF3biB9IGZyb20gXCJub2RlOmNoaWxkX3Byb2Nlc3NcIjtcbmltcG9ydCB7IGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBhdEVuZCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IHByb2dyYW0sIHJ1biwgdGVtcG9yYXJ5IH0gZnJvbSBcIi4vcGFnZXNcIjtcblxuZXhwb3J0IGNsYXNzIFNlcnZlciB7XG4gIHByaXZhdGUgY2hpbGQ6IENoaWxkUHJvY2VzcyB8IG51bGwgPSBudWxsO1xuICB1cmwgPSBcIlwiO1xuXG4gIGNvbnN0cnVjdG9yKFxuICAgIHJlYWRvbmx5IGRhdGEgPSBqb2luKHRlbXBvcmFyeSgpLCBcImRhdGFcIiksXG4gICAgcHJpdmF0ZSByZWFkb25seSBvcHRpb25zOiBzdHJpbmdbXSA9IFtdLFxuICApIHtcbiAgICBhdEVuZCgoKSA9PiB0aGlzLnN0b3AoKSk7XG4gIH1cblxuICAvLyBgcG9ydGAgMDogYW55IGZyZWUgcG9ydDsgYSByZXN0YXJ0IHBhc3NlcyB0aGUgcHJldmlvdXMgb25lLlxuICBhc3luYyBzdGFydChwb3J0ID0gMCk6IFByb21pc2U8dGhpcz4ge1xuICAgIGNvbnN0IGFyZ3MgPSBbXG4gICAgICBcInNlcnZlclwiLFxuICAgICAgXCItLWRhdGFcIixcbiAgICAgIHRoaXMuZGF0YSxcbiAgICAgIFwiLS1saXN0ZW5cIixcbiAgICAgIGAxMjcuMC4wLjE6JHtwb3J0fWAsXG4gICAgICBcIi0tb3RscC1ncnBjXCIsXG4gICAgICBcIjEyNy4wLjAuMTowXCIsXG4gICAgICBcIi0tb3RscC1odHRwXCIsXG4gICAgICBcIjEyNy4wLjAuMTowXCIsXG4gICAgICBcIi0tbm8tc2VsZi1wcm9maWxlXCIsXG4gICAgICAuLi50aGlzLm9wdGlvbnMsXG4gICAgXTtcbiAgICBjb25zdCBjaGlsZCA9IHNwYXduKHByb2dyYW0sIGFyZ3MsIHsgc3RkaW86IFtcImlnbm9yZVwiLCBcImlnbm9yZVwiLCBcInBpcGVcIl0gfSk7XG4gICAgdGhpcy5jaGlsZCA9IGNoaWxkO1xuICAgIHRoaXMudXJsID0gYXdhaXQgbmV3IFByb21pc2U8c3RyaW5nPigoZm91bmQsIGZhaWxlZCkgPT4ge1xuICAgICAgbGV0IGxvZyA9IFwiXCI7XG4gICAgICBjaGlsZC5zdGRlcnIhLm9uKFwiZGF0YVwiLCAoYnl0ZXM6IEJ1ZmZlcikgPT4ge1xuICAgICAgICBsb2cgKz0gYnl0ZXMudG9TdHJpbmcoKTtcbiAgICAgICAgY29uc3QgbGluZSA9IC9tc2c9cmVhZHkgaHR0cD0oXFxTKykvLmV4ZWMobG9nKTtcbiAgICAgICAgaWYgKGxpbmUpIGZvdW5kKGBodHRwOi8vJHtsaW5lWzFdfWApO1xuICAgICAgfSk7XG4gICAgICBjaGlsZC5vbihcImV4aXRcIiwgKCkgPT4gZmFpbGVkKG5ldyBFcnJvcihgdGhlIHNlcnZlciBlbmRlZDogJHtsb2d9YCkpKTtcbiAgICB9KTtcbiAgICByZXR1cm4gdGhpcztcbiAgfVxuXG4gIGdldCBwb3J0KCk6IG51bWJlciB7XG4gICAgcmV0dXJuIE51bWJlcihuZXcgVVJMKHRoaXMudXJsKS5wb3J0KTtcbiAgfVxuXG4gIGFzeW5jIHN0b3AoKSB7XG4gICAgY29uc3QgY2hpbGQgPSB0aGlzLmNoaWxkO1xuICAgIHRoaXMuY2hpbGQgPSBudWxsO1xuICAgIGlmICghY2hpbGQgfHwgY2hpbGQuZXhpdENvZGUgIT09IG51bGwpIHJldHVybjtcbiAgICBjb25zdCBlbmRlZCA9IG5ldyBQcm9taXNlKChkb25lKSA9PiBjaGlsZC5vbihcImV4aXRcIiwgZG9uZSkpO1xuICAgIGNoaWxkLmtpbGwoXCJTSUdURVJNXCIpO1xuICAgIGF3YWl0IGVuZGVkO1xuICB9XG5cbiAgcHVzaChmaWxlOiBzdHJpbmcsIHNlcnZpY2U6IHN0cmluZywgLi4uYXJnczogc3RyaW5nW10pIHtcbiAgICBydW4oXCJwdXNoXCIsIGZpbGUsIFwiLS1zZXJ2aWNlXCIsIHNlcnZpY2UsIFwiLS11cmxcIiwgdGhpcy51cmwsIFwiLS1xdWlldFwiLCAuLi5hcmdzKTtcbiAgfVxuXG4gIHF1ZXJ5KC4uLmFyZ3M6IHN0cmluZ1tdKTogc3RyaW5nIHtcbiAgICByZXR1cm4gcnVuKFwicXVlcnlcIiwgLi4uYXJncywgXCItLXVybFwiLCB0aGlzLnVybCk7XG4gIH1cbn1cbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiBhc19vZjogYWxsIHBhcnRzIG9mIGEgcGFnZSBoYXZlIHRoZSBzYW1lIGRhdGEgd2hpbGUgdGhlIHNlcnZlciBpbmdlc3RzIG1vcmUsIG9uXG4vLyBhIHJlYWwgc2VydmVyLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgeyBqb2luIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgUGFnZSwgUmVzcG9uc2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgZm9sZGVkLCBzY3JlZW5zaG90LCB0ZW1wb3JhcnksIFRlc3RQYWdlLCB3aXRoUGFnZSB9IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuaW50ZXJmYWNlIFZlcnNpb25lZCB7XG4gIGFzX29mPzogc3RyaW5nO1xuICB0b3RhbD86IG51bWJlcjtcbn1cblxuY29uc3QgbWludXRlID0gNjBfMDAwO1xuY29uc3QgcmFuZ2UgPSAoZnJvbTogbnVtYmVyLCB0bzogbnVtYmVyKSA9PlxuICBgZnJvbT0ke0RhdGUubm93KCkgKyBmcm9tICogbWludXRlfSZ0bz0ke0RhdGUubm93KCkgKyB0byAqIG1pbnV0ZX1gO1xuY29uc3QgdG90YWwgPSAocGFnZTogUGFnZSwgdGV4dDogc3RyaW5nKSA9PlxuICBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIiwgeyBoYXNUZXh0OiB0ZXh0IH0pLndhaXRGb3IoKTtcbmNvbnN0IGFzT2YgPSAocmVzcG9uc2U6IFJlc3BvbnNlKSA9PiBuZXcgVVJMKHJlc3BvbnNlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0KFwiYXNfb2ZcIik7XG5jb25zdCB2ZXJzaW9uZWQgPSBhc3luYyAocmVzcG9uc2U6IFJlc3BvbnNlKSA9PiAoYXdhaXQgcmVzcG9uc2UuanNvbigpKSBhcyBWZXJzaW9uZWQ7XG5cbi8vIFdhaXQgZm9yIHRoZSBuZXh0IGFuc3dlciBvZiBhIHBhdGggd2hvc2UgVVJMIGNvbnRhaW5zIGBwYXJ0YC5cbmNvbnN0IG5leHQgPSAocGFnZTogUGFnZSwgcGF0aDogc3RyaW5nLCBwYXJ0ID0gXCJcIikgPT5cbiAgcGFnZS53YWl0Rm9yUmVzcG9uc2UoXG4gICAgKHIpID0+IHIudXJsKCkuaW5jbHVkZXMoYC9hcGkvdjEvJHtwYXRofT9gKSAmJiBkZWNvZGVVUklDb21wb25lbnQoci51cmwoKSkuaW5jbHVkZXMocGFydCksXG4gICk7XG5cbi8vIFN0YXJ0IGEgc2VydmVyIHdpdGggYSBzZXJ2aWNlIFwiYnVzeVwiLCBhbmQgcmV0dXJuIGEgZnVuY3Rpb24gdGhhdCBpbmdlc3RzIG1vcmUgZGF0YS5cbmFzeW5jIGZ1bmN0aW9uIGJ1c3koKTogUHJvbWlzZTx7IHNlcnZlcjogU2VydmVyOyB3cml0ZTogKCkgPT4gdm9pZCB9PiB7XG4gIGNvbnN0IHNlcnZlciA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICBjb25zdCBmaWxlID0gZm9sZGVkKGpvaW4odGVtcG9yYXJ5KCksIFwiYnVzeS5mb2xkZWRcIiksIHtcbiAgICBcIm1haW47cGFyc2U7cmVhZFwiOiAzMCxcbiAgICBcIm1haW47cGFyc2VcIjogMTAsXG4gICAgXCJtYWluO3dyaXRlXCI6IDYwLFxuICB9KTtcbiAgY29uc3Qgd3JpdGUgPSAoKSA9PiBzZXJ2ZXIucHVzaChmaWxlLCBcImJ1c3lcIik7XG4gIHdyaXRlKCk7XG4gIHJldHVybiB7IHNlcnZlciwgd3JpdGUgfTtcbn1cblxuLy8gQ2hlY2sgdGhhdCB0aGUgYW5zd2VyIGhhcyB0aGUgZGF0YSBvZiB0aGUgZmlyc3Qgb25lLCB1bmxlc3MgdGhlIHRlc3Qgd2FzIHNsb3dlciB0aGFuIHRoZSBzZXJ2ZXJcbi8vIGtlZXBzIHJlc3VsdHMuXG5hc3luYyBmdW5jdGlvbiBleHBlY3RTYW1lRGF0YShyZXNwb25zZTogUmVzcG9uc2UsIHNob3duOiBWZXJzaW9uZWQsIHNpbmNlOiBudW1iZXIpIHtcbiAgYXNzZXJ0LmVxdWFsKGFzT2YocmVzcG9uc2UpLCBzaG93bi5hc19vZik7XG4gIGlmIChEYXRlLm5vdygpIC0gc2luY2UgPCA4MDAwKSBhc3NlcnQuZXF1YWwoKGF3YWl0IHZlcnNpb25lZChyZXNwb25zZSkpLmFzX29mLCBzaG93bi5hc19vZik7XG59XG5cbmFzeW5jIGZ1bmN0aW9uIHpvb21JbihwYWdlOiBUZXN0UGFnZSkge1xuICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLmZvY3VzKCk7XG4gIGZvciAoY29uc3Qga2V5IG9mIFtcIkhvbWVcIiwgXCJBcnJvd0Rvd25cIiwgXCJBcnJvd0Rvd25cIiwgXCJFbnRlclwiXSkgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xufVxuXG50ZXN0KFwiYXNfb2Y6IHpvb20sIGZpbHRlciBhbmQgb3RoZXIgdmlld3MgaGF2ZSB0aGUgZGF0YSBvZiB0aGUgZmlyc3QgYW5zd2VyOyBhIHJlZnJlc2ggaGFzIGN1cnJlbnQgZGF0YVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCB3cml0ZSB9ID0gYXdhaXQgYnVzeSgpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBjb25zdCBmaXJzdCA9IG5leHQocGFnZSwgXCJmbGFtZVwiKTtcbiAgICBjb25zdCB0YWJsZSA9IG5leHQocGFnZSwgXCJ0b3BcIik7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWJ1c3kmJHtyYW5nZSgtMTAsIDEwKX1gKTtcbiAgICBhc3NlcnQuZXF1YWwoYXNPZihhd2FpdCBmaXJzdCksIG51bGwpO1xuICAgIGNvbnN0IHNob3duID0gYXdhaXQgdmVyc2lvbmVkKGF3YWl0IGZpcnN0KTtcbiAgICBjb25zdCBzaW5jZSA9IERhdGUubm93KCk7XG4gICAgYXNzZXJ0LmVxdWFsKChhd2FpdCB2ZXJzaW9uZWQoYXdhaXQgdGFibGUpKS5hc19vZiwgc2hvd24uYXNfb2YpO1xuICAgIGF3YWl0IHRvdGFsKHBhZ2UsIFwiMTAwXCIpO1xuICAgIHdyaXRlKCk7XG4gICAgbGV0IGFuc3dlciA9IG5leHQocGFnZSwgXCJmbGFtZVwiLCBcInBhdGg9bWFpblwiKTtcbiAgICBhd2FpdCB6b29tSW4ocGFnZSk7XG4gICAgYXdhaXQgZXhwZWN0U2FtZURhdGEoYXdhaXQgYW5zd2VyLCBzaG93biwgc2luY2UpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgem9vbSBpcyBpbiB0aGUgYWRkcmVzc1wiLCBhc3luYyAoKSA9PiBwYWdlLnVybCgpLmluY2x1ZGVzKFwiem9vbT1tYWluXCIpKTtcbiAgICBhbnN3ZXIgPSBuZXh0KHBhZ2UsIFwiZmxhbWVcIiwgXCJpbnZlcnQ9MVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwidlwiKTtcbiAgICBhd2FpdCBleHBlY3RTYW1lRGF0YShhd2FpdCBhbnN3ZXIsIHNob3duLCBzaW5jZSk7XG4gICAgYW5zd2VyID0gbmV4dChwYWdlLCBcImNhbGxlcnNcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKCdbYXJpYS1sYWJlbD1cIkZ1bmN0aW9uc1wiXSAuZGF0YS1yb3cnLCB7IGhhc1RleHQ6IFwicGFyc2VcIiB9KS5kYmxjbGljaygpO1xuICAgIGF3YWl0IGV4cGVjdFNhbWVEYXRhKGF3YWl0IGFuc3dlciwgc2hvd24sIHNpbmNlKTtcbiAgICBhc3NlcnQuZXF1YWwocGFnZS51cmwoKS5pbmNsdWRlcyhcImFzX29mXCIpLCBmYWxzZSwgcGFnZS51cmwoKSk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImFzLW9mXCIpO1xuICAgIC8vIEEgcmVmcmVzaCBoYXMgY3VycmVudCBkYXRhLCBhbmQgc28gaGF2ZSB0aGUgcXVlcmllcyBhZnRlciBpdC5cbiAgICBhbnN3ZXIgPSBuZXh0KHBhZ2UsIFwiY2FsbGVyc1wiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiZ1wiKTtcbiAgICBhc3NlcnQuZXF1YWwoYXNPZihhd2FpdCBhbnN3ZXIpLCBudWxsKTtcbiAgICBjb25zdCBub3cgPSBhd2FpdCB2ZXJzaW9uZWQoYXdhaXQgYW5zd2VyKTtcbiAgICBhc3NlcnQubm90RXF1YWwobm93LmFzX29mLCBzaG93bi5hc19vZik7XG4gICAgYXNzZXJ0LmVxdWFsKG5vdy50b3RhbCwgMiAqIHNob3duLnRvdGFsISk7XG4gICAgYW5zd2VyID0gbmV4dChwYWdlLCBcImZsYW1lXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJmXCIpO1xuICAgIGFzc2VydC5lcXVhbChhc09mKGF3YWl0IGFuc3dlciksIG5vdy5hc19vZik7XG4gICAgYXdhaXQgdG90YWwocGFnZSwgXCIyMDBcIik7XG4gICAgYW5zd2VyID0gbmV4dChwYWdlLCBcImZsYW1lXCIpO1xuICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKHRvKSA9PiB7XG4gICAgICBoaXN0b3J5LnB1c2hTdGF0ZShudWxsLCBcIlwiLCBsb2NhdGlvbi5ocmVmLnJlcGxhY2UoL2Zyb209XFxkKyZ0bz1cXGQrLywgdG8pKTtcbiAgICAgIGRpc3BhdGNoRXZlbnQobmV3IFBvcFN0YXRlRXZlbnQoXCJwb3BzdGF0ZVwiKSk7XG4gICAgfSwgcmFuZ2UoLTIwLCAxMCkpO1xuICAgIGFzc2VydC5lcXVhbChhc09mKGF3YWl0IGFuc3dlciksIG51bGwpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiYXNfb2Y6IHN1bXMgb2YgYSBzZWFyY2ggaGF2ZSB0aGUgZGF0YSBvZiB0aGUgZmlyc3QgYW5zd2VyXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3Qgc2VydmVyID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gIGNvbnN0IHN0YWNrczogUmVjb3JkPHN0cmluZywgbnVtYmVyPiA9IHt9O1xuICBmb3IgKGxldCBpID0gMDsgaSA8IDI1XzAwMDsgaSsrKSBzdGFja3NbYG1haW47ZiR7aX1gXSA9IGkgKyAxOyAvLyBtb3JlIHRoYW4gdGhlIHBhZ2UgcXVlcmllc1xuICBjb25zdCBmaWxlID0gZm9sZGVkKGpvaW4odGVtcG9yYXJ5KCksIFwid2lkZS5mb2xkZWRcIiksIHN0YWNrcyk7XG4gIHNlcnZlci5wdXNoKGZpbGUsIFwid2lkZVwiKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgZmlyc3QgPSBuZXh0KHBhZ2UsIFwiZmxhbWVcIik7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXdpZGUmdmlldz1mbGFtZSYke3JhbmdlKC0xMCwgMTApfWApO1xuICAgIGNvbnN0IHNob3duID0gYXdhaXQgdmVyc2lvbmVkKGF3YWl0IGZpcnN0KTtcbiAgICBjb25zdCBzaW5jZSA9IERhdGUubm93KCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS53YWl0Rm9yKCk7XG4gICAgc2VydmVyLnB1c2goZmlsZSwgXCJ3aWRlXCIpO1xuICAgIGNvbnN0IHN1bXMgPSBuZXh0KHBhZ2UsIFwic3Vtc1wiLCBcInNlYXJjaD1mMVwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIjc2VhcmNoXCIpLmZpbGwoXCJmMVwiKTtcbiAgICBhd2FpdCBleHBlY3RTYW1lRGF0YShhd2FpdCBzdW1zLCBzaG93biwgc2luY2UpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiYXNfb2Y6IGEgZmlsdGVyIGFuZCB0aGUgc2lkZXMgb2YgYSBjb21wYXJpc29uIGhhdmUgdGhlIGRhdGEgb2YgdGhlIGZpcnN0IGFuc3dlclwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCB3cml0ZSB9ID0gYXdhaXQgYnVzeSgpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBjb25zdCBmaXJzdCA9IG5leHQocGFnZSwgXCJkaWZmXCIpO1xuICAgIGNvbnN0IFtmcm9tLCB0b10gPSBbRGF0ZS5ub3coKSAtIDEwICogbWludXRlLCBEYXRlLm5vdygpICsgMTAgKiBtaW51dGVdO1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIGAke3NlcnZlci51cmx9L2NvbXBhcmU/cXVlcnk9YnVzeSZmcm9tPSR7ZnJvbX0mdG89JHt0b30mYmVmb3JlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KFwie31cIil9YCArXG4gICAgICAgIGAmYmVmb3JlX2Zyb209JHtmcm9tfSZiZWZvcmVfdG89JHt0b30mc2hvdz1ncmFwaGAsXG4gICAgKTtcbiAgICBjb25zdCBzaG93biA9IGF3YWl0IHZlcnNpb25lZChhd2FpdCBmaXJzdCk7XG4gICAgY29uc3Qgc2luY2UgPSBEYXRlLm5vdygpO1xuICAgIGFzc2VydC5tYXRjaChzaG93bi5hc19vZiEsIC9eXFxkKy1cXGQrJC8pO1xuICAgIHdyaXRlKCk7XG4gICAgY29uc3QgYW5zd2VyID0gbmV4dChwYWdlLCBcImRpZmZcIiwgXCJpbnZlcnQ9MVwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwidlwiKTtcbiAgICBhd2FpdCBleHBlY3RTYW1lRGF0YShhd2FpdCBhbnN3ZXIsIHNob3duLCBzaW5jZSk7XG4gICAgY29uc3Qgc2lkZSA9IG5leHQocGFnZSwgXCJmbGFtZVwiLCBcInF1ZXJ5PWJ1c3lcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcInNcIik7XG4gICAgYXdhaXQgZXhwZWN0U2FtZURhdGEoYXdhaXQgc2lkZSwgeyBhc19vZjogc2hvd24uYXNfb2YhLnNwbGl0KFwiLVwiKVsxXSB9LCBzaW5jZSk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhZ2UudXJsKCkuaW5jbHVkZXMoXCJhc19vZlwiKSwgZmFsc2UsIHBhZ2UudXJsKCkpO1xuICB9KTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBCcm93c2VyIHRlc3RzIG9mIHRoZSBjb21wYXJpc29uLCBvbiBhIHJlYWwgc2VydmVyIHdpdGgga25vd24gZGF0YTsgZXhwZWN0ZWQgdmFsdWVzIGFyZSB0aG9zZSBvZlxuLy8gdmFydmUgZGlmZi5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgZXhlY1N5bmMgfSBmcm9tIFwibm9kZTpjaGlsZF9wcm9jZXNzXCI7XG5pbXBvcnQgeyByZWFkRmlsZVN5bmMgfSBmcm9tIFwibm9kZTpmc1wiO1xuaW1wb3J0IHsgZGlybmFtZSwgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyBmb3JtYXRDaGFuZ2UsIGZvcm1hdFZhbHVlIH0gZnJvbSBcIi4uLy4uL3NyYy9iYXNlL3VuaXRzXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHtcbiAgZXZlbnR1YWxseSxcbiAgZm9sZGVkLFxuICBwcm9ncmFtLFxuICBydW4sXG4gIHNjcmVlbnNob3QsXG4gIHNvdXJjZVJvb3QsXG4gIHRlbXBvcmFyeSxcbiAgd2l0aFBhZ2UsXG59IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3QgZXhhbXBsZXMgPSBbXCJleGFtcGxlcy9jaGVja291dC5wYi5nelwiLCBcImV4YW1wbGVzL2NoZWNrb3V0LXNsb3cucGIuZ3pcIl0ubWFwKChuYW1lKSA9PlxuICBqb2luKHNvdXJjZVJvb3QsIG5hbWUpLFxuKTtcbmNvbnN0IGhvc3RpbGUgPSBbXG4gICc8aW1nIHNyYz14IG9uZXJyb3I9XCJ3aW5kb3cuaGFja2VkPTFcIj4nLFxuICBcIlxcdTIwMmVnbnAuZXhlXCIsXG4gIFwiXHVEODNEXHVERTAwIGVtb2ppIFx1NTFGRFx1NjU3MFwiLFxuICBcInhcIi5yZXBlYXQoMTBfMDAwKSxcbiAgXCI8L3NjcmlwdD48c2NyaXB0PndpbmRvdy5oYWNrZWQ9MTwvc2NyaXB0PlwiLFxuXTtcblxubGV0IGtub3duOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxuLy8gY2hlY2tvdXQ6IHYxIGEgZGF5IGFnbyBhbmQgMjAgbWludXRlcyBhZ28sIHYyIDUgbWludXRlcyBhZ28uIHNtYWxsOiBldmVyeSBraW5kIG9mIGNoYW5nZS5cbi8vIGhvc3RpbGU6IGhvc3RpbGUgbmFtZXMuXG5mdW5jdGlvbiBzZXJ2ZXIoKTogUHJvbWlzZTxTZXJ2ZXI+IHtcbiAga25vd24gPz89IChhc3luYyAoKSA9PiB7XG4gICAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICAgIGNvbnN0IGZpbGVzID0gdGVtcG9yYXJ5KCk7XG4gICAgY29uc3QgcHVzaCA9IChzZXJ2aWNlOiBzdHJpbmcsIHN0YWNrczogUmVjb3JkPHN0cmluZywgbnVtYmVyPiwgLi4uYXJnczogc3RyaW5nW10pID0+XG4gICAgICBzLnB1c2goZm9sZGVkKGpvaW4oZmlsZXMsIFwic3RhY2tzLmZvbGRlZFwiKSwgc3RhY2tzKSwgc2VydmljZSwgLi4uYXJncyk7XG4gICAgcy5wdXNoKGV4YW1wbGVzWzBdLCBcImNoZWNrb3V0XCIsIFwiLS1sYWJlbFwiLCBcInZlcnNpb249djFcIiwgXCItLXRpbWVcIiwgXCJub3ctMTQ1MG1cIik7XG4gICAgcy5wdXNoKGV4YW1wbGVzWzBdLCBcImNoZWNrb3V0XCIsIFwiLS1sYWJlbFwiLCBcInZlcnNpb249djFcIiwgXCItLXRpbWVcIiwgXCJub3ctMjBtXCIpO1xuICAgIHMucHVzaChleGFtcGxlc1sxXSwgXCJjaGVja291dFwiLCBcIi0tbGFiZWxcIiwgXCJ2ZXJzaW9uPXYyXCIsIFwiLS10aW1lXCIsIFwibm93LTVtXCIpO1xuICAgIHB1c2goXG4gICAgICBcInNtYWxsXCIsXG4gICAgICB7IFwibWFpbjtwYXJzZVwiOiA0MCwgXCJtYWluO29sZDtsZWFmXCI6IDEwLCBcIm1haW47aWRsZVwiOiA3LCBcIm1haW47d3JpdGVcIjogNTAgfSxcbiAgICAgIFwiLS1sYWJlbFwiLFxuICAgICAgXCJjb21taXQ9YWFcIixcbiAgICAgIFwiLS10aW1lXCIsXG4gICAgICBcIm5vdy0xMG1cIixcbiAgICApO1xuICAgIHB1c2goXG4gICAgICBcInNtYWxsXCIsXG4gICAgICB7IFwibWFpbjtwYXJzZVwiOiA5MCwgXCJtYWluO2ZyZXNoXCI6IDUsIFwibWFpbjtpZGxlXCI6IDcsIFwibWFpbjt3cml0ZVwiOiAyMCB9LFxuICAgICAgXCItLWxhYmVsXCIsXG4gICAgICBcImNvbW1pdD1iYlwiLFxuICAgICAgXCItLXRpbWVcIixcbiAgICAgIFwibm93LTVtXCIsXG4gICAgKTtcbiAgICBwdXNoKFxuICAgICAgXCJob3N0aWxlXCIsXG4gICAgICBPYmplY3QuZnJvbUVudHJpZXMoaG9zdGlsZS5tYXAoKG5hbWUsIGkpID0+IFtgbWFpbjske25hbWV9YCwgaSArIDFdKSksXG4gICAgICBcIi0tbGFiZWxcIixcbiAgICAgIFwiY29tbWl0PWFhXCIsXG4gICAgICBcIi0tdGltZVwiLFxuICAgICAgXCJub3ctMTBtXCIsXG4gICAgKTtcbiAgICBwdXNoKFxuICAgICAgXCJob3N0aWxlXCIsXG4gICAgICBPYmplY3QuZnJvbUVudHJpZXMoaG9zdGlsZS5tYXAoKG5hbWUsIGkpID0+IFtgbWFpbjske25hbWV9YCwgOSAtIGldKSksXG4gICAgICBcIi0tbGFiZWxcIixcbiAgICAgIFwiY29tbWl0PWJiXCIsXG4gICAgICBcIi0tdGltZVwiLFxuICAgICAgXCJub3ctNW1cIixcbiAgICApO1xuICAgIHJldHVybiBzO1xuICB9KSgpO1xuICByZXR1cm4ga25vd247XG59XG5cbmNvbnN0IHBhaXIgPSAoc2VydmljZTogc3RyaW5nLCBsYWJlbDogc3RyaW5nLCBiZWZvcmU6IHN0cmluZywgYWZ0ZXI6IHN0cmluZywgbW9yZSA9IFwiXCIpID0+XG4gIGAvY29tcGFyZT9xdWVyeT0ke2VuY29kZVVSSUNvbXBvbmVudChgJHtzZXJ2aWNlfXske2xhYmVsfT1cIiR7YWZ0ZXJ9XCJ9YCl9YCArXG4gIGAmYmVmb3JlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KGAke3NlcnZpY2V9eyR7bGFiZWx9PVwiJHtiZWZvcmV9XCJ9YCl9JHttb3JlfWA7XG5jb25zdCByb3dzID0gKHBhZ2U6IFBhZ2UpID0+XG4gIHBhZ2UubG9jYXRvcignLmRhdGEtdGFibGVbYXJpYS1sYWJlbD1cIkNoYW5nZXMgYnkgZnVuY3Rpb25cIl0gLmRhdGEtcm93Jyk7XG5jb25zdCBjZWxscyA9IGFzeW5jIChwYWdlOiBQYWdlLCBpOiBudW1iZXIpID0+XG4gIChhd2FpdCByb3dzKHBhZ2UpLm50aChpKS5sb2NhdG9yKFwiW3JvbGU9Y2VsbF1cIikuYWxsVGV4dENvbnRlbnRzKCkpLm1hcCgodCkgPT4gdC50cmltKCkpO1xuY29uc3Qgb3ZlcmFsbCA9IChwYWdlOiBQYWdlLCB0ZXh0OiBzdHJpbmcgfCBSZWdFeHApID0+XG4gIHBhZ2UubG9jYXRvcihcIi5vdmVyYWxsLWNoYW5nZVwiLCB7IGhhc1RleHQ6IHRleHQgfSkud2FpdEZvcigpO1xuY29uc3Qgc2lkZSA9IChwYWdlOiBQYWdlLCBuYW1lOiBcIkJlZm9yZVwiIHwgXCJBZnRlclwiKSA9PiBwYWdlLmxvY2F0b3IoYC5zaWRlW2FyaWEtbGFiZWxePVwiJHtuYW1lfVwiXWApO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMTkyMCwgMzkwXSlcbiAgICB0ZXN0KGBjb21wYXJlOiBkaWZmZXJlbmNlLCB0YWJsZSBhbmQgc2lkZSBieSBzaWRlLCAke3RoZW1lfSwgJHt3aWR0aH0gd2lkZWAsIGFzeW5jICgpID0+IHtcbiAgICAgIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgICAgIGF3YWl0IHdpdGhQYWdlKFxuICAgICAgICB7XG4gICAgICAgICAgY29sb3JTY2hlbWU6IHRoZW1lLFxuICAgICAgICAgIHZpZXdwb3J0OiB7IHdpZHRoLCBoZWlnaHQ6IHdpZHRoID09PSAzOTAgPyA4NDQgOiB3aWR0aCA9PT0gMTI4MCA/IDgwMCA6IDEwODAgfSxcbiAgICAgICAgfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8ocy51cmwgKyBwYWlyKFwiY2hlY2tvdXRcIiwgXCJ2ZXJzaW9uXCIsIFwidjFcIiwgXCJ2MlwiKSk7XG4gICAgICAgICAgYXdhaXQgb3ZlcmFsbChwYWdlLCBcIjYuMTMgcyBcdTIxOTIgOS4xNiBzLCArNDkuNCVcIik7XG4gICAgICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS53YWl0Rm9yKCk7XG4gICAgICAgICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICAgICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIGBjb21wYXJlLSR7dGhlbWV9LSR7d2lkdGh9YCk7XG4gICAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoKSxcbiAgICAgICAgICAgIGZhbHNlLFxuICAgICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgICAgICAgKTtcbiAgICAgICAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwic1wiKTtcbiAgICAgICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLm50aCgxKS53YWl0Rm9yKCk7XG4gICAgICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBgY29tcGFyZS1zaWRlcy0ke3RoZW1lfS0ke3dpZHRofWApO1xuICAgICAgICAgIGFzc2VydC5lcXVhbChcbiAgICAgICAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICAgICAgICBmYWxzZSxcbiAgICAgICAgICAgIFwibm90aGluZyBpcyBjdXQgb2ZmIGF0IHRoZSByaWdodCBvZiB0aGUgc2lkZSB2aWV3XCIsXG4gICAgICAgICAgKTtcbiAgICAgICAgfSxcbiAgICAgICk7XG4gICAgfSk7XG5cbmludGVyZmFjZSBEaWZmT3V0cHV0IHtcbiAgcm93czoge1xuICAgIG5hbWU/OiBzdHJpbmc7XG4gICAgZnVuY3Rpb24/OiBzdHJpbmc7XG4gICAga2luZDogc3RyaW5nO1xuICAgIHNlbGY6IFJlY29yZDxcImJlZm9yZVwiIHwgXCJhZnRlclwiIHwgXCJkZWx0YVwiLCBudW1iZXI+O1xuICAgIHRvdGFsOiBSZWNvcmQ8XCJiZWZvcmVcIiB8IFwiYWZ0ZXJcIiB8IFwiZGVsdGFcIiwgbnVtYmVyPjtcbiAgfVtdO1xufVxuXG50ZXN0KFwiY29tcGFyZTogdGhlIHRhYmxlIGhhcyB0aGUgcm93cywgbnVtYmVycyBhbmQgb3JkZXIgb2YgdmFydmUgZGlmZlwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgYXNrID0gW1xuICAgIFwiZGlmZlwiLFxuICAgIFwiLS11cmxcIixcbiAgICBzLnVybCxcbiAgICBcIi0tYmFzZWxpbmVcIixcbiAgICAnY2hlY2tvdXR7dmVyc2lvbj1cInYxXCJ9JyxcbiAgICBcIi0tY29tcGFyaXNvblwiLFxuICAgICdjaGVja291dHt2ZXJzaW9uPVwidjJcIn0nLFxuICAgIFwiLS10aW1lLXJhbmdlXCIsXG4gICAgXCIxaFwiLFxuICAgIFwiLS1qc29uXCIsXG4gICAgXCItblwiLFxuICAgIFwiMTJcIixcbiAgXTtcbiAgYXdhaXQgd2l0aFBhZ2UoeyB2aWV3cG9ydDogeyB3aWR0aDogMTYwMCwgaGVpZ2h0OiAxMDAwIH0gfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBmb3IgKGNvbnN0IFtvZiwgbm9ybWFsaXNlXSBvZiBbXG4gICAgICBbXCJzZWxmXCIsIGZhbHNlXSxcbiAgICAgIFtcInRvdGFsXCIsIGZhbHNlXSxcbiAgICAgIFtcInNlbGZcIiwgdHJ1ZV0sXG4gICAgXSBhcyBjb25zdCkge1xuICAgICAgY29uc3QgZXhwZWN0ZWQgPSBKU09OLnBhcnNlKFxuICAgICAgICBydW4oLi4uYXNrLCBcIi0tc29ydFwiLCBvZiwgLi4uKG5vcm1hbGlzZSA/IFtcIi0tbm9ybWFsaXNlXCJdIDogW10pKSxcbiAgICAgICkgYXMgRGlmZk91dHB1dDtcbiAgICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgICAgYCR7cy51cmx9JHtwYWlyKFwiY2hlY2tvdXRcIiwgXCJ2ZXJzaW9uXCIsIFwidjFcIiwgXCJ2MlwiLCBgJnNob3c9dGFibGUmb2Y9JHtvZn0ke25vcm1hbGlzZSA/IFwiJm5vcm1hbGlzZT0xXCIgOiBcIlwifWApfWAsXG4gICAgICApO1xuICAgICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICAgIGFzc2VydC5lcXVhbChleHBlY3RlZC5yb3dzLmxlbmd0aCwgMTIpO1xuICAgICAgZm9yIChjb25zdCBbaSwgcm93XSBvZiBleHBlY3RlZC5yb3dzLmVudHJpZXMoKSkge1xuICAgICAgICBjb25zdCBbbmFtZSwgYmVmb3JlLCBhZnRlciwgY2hhbmdlLCBzaGFyZV0gPSBhd2FpdCBjZWxscyhwYWdlLCBpKTtcbiAgICAgICAgY29uc3QgdiA9IHJvd1tvZl07XG4gICAgICAgIGFzc2VydC5lcXVhbChuYW1lLCByb3cubmFtZSA/PyByb3cuZnVuY3Rpb24pO1xuICAgICAgICBpZiAobm9ybWFsaXNlKSB7XG4gICAgICAgICAgLy8gVGhlIHRvdGFscyBhcmUgNi4xMyBzIGFuZCA5LjE2IHM7IHRoZSBjb21tYW5kIHNjYWxlcyBiZWZvcmUgdG8gYWZ0ZXIuXG4gICAgICAgICAgYXNzZXJ0Lm1hdGNoKGAke2JlZm9yZX0gJHthZnRlcn1gLCAvXig/Olx1MjAxM3xbXFxkLl0rJSkgKD86XHUyMDEzfFtcXGQuXSslKSQvKTtcbiAgICAgICAgICBhc3NlcnQubWF0Y2goY2hhbmdlLCAvXlsrLV0/W1xcZC5dKyBwcCQvKTtcbiAgICAgICAgICBjb25zdCBwb2ludHMgPSAoMTAwICogdi5kZWx0YSkgLyA5LjE2ZTk7XG4gICAgICAgICAgYXNzZXJ0Lm9rKE1hdGguYWJzKHBhcnNlRmxvYXQoY2hhbmdlKSAtIHBvaW50cykgPCAwLjEsIGAke25hbWV9OiAke2NoYW5nZX0sICR7cG9pbnRzfWApO1xuICAgICAgICAgIGNvbnRpbnVlO1xuICAgICAgICB9XG4gICAgICAgIGFzc2VydC5lcXVhbChiZWZvcmUsIHYuYmVmb3JlID8gZm9ybWF0VmFsdWUodi5iZWZvcmUsIFwibmFub3NlY29uZHNcIikgOiBcIlx1MjAxM1wiKTtcbiAgICAgICAgYXNzZXJ0LmVxdWFsKGFmdGVyLCB2LmFmdGVyID8gZm9ybWF0VmFsdWUodi5hZnRlciwgXCJuYW5vc2Vjb25kc1wiKSA6IFwiXHUyMDEzXCIpO1xuICAgICAgICBhc3NlcnQuZXF1YWwoY2hhbmdlLCBmb3JtYXRDaGFuZ2Uodi5kZWx0YSwgXCJuYW5vc2Vjb25kc1wiKSk7XG4gICAgICAgIGlmIChyb3cua2luZCA9PT0gXCJuZXdcIiB8fCByb3cua2luZCA9PT0gXCJnb25lXCIpIGFzc2VydC5lcXVhbChzaGFyZSwgcm93LmtpbmQpO1xuICAgICAgICBlbHNlIGlmICh2LmJlZm9yZSlcbiAgICAgICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgICAgICBzaGFyZSxcbiAgICAgICAgICAgIGAke3YuZGVsdGEgPiAwID8gXCIrXCIgOiBcIlwifSR7KCgxMDAgKiB2LmRlbHRhKSAvIHYuYmVmb3JlKS50b0ZpeGVkKDEpfSVgLFxuICAgICAgICAgICk7XG4gICAgICB9XG4gICAgfVxuICB9KTtcbn0pO1xuXG4vLyBSZXR1cm4gdGhlIHNlbGYgdmFsdWVzIG9mIGJvdGggc2lkZXMgYnkgZnVuY3Rpb24sIGZyb20gZm9sZGVkIHN0YWNrcy5cbmZ1bmN0aW9uIHNlbGZPZihmb2xkZWQ6IHN0cmluZyk6IE1hcDxzdHJpbmcsIFtudW1iZXIsIG51bWJlcl0+IHtcbiAgY29uc3Qgb3duID0gbmV3IE1hcDxzdHJpbmcsIFtudW1iZXIsIG51bWJlcl0+KCk7XG4gIGZvciAoY29uc3QgbGluZSBvZiBmb2xkZWQudHJpbSgpLnNwbGl0KFwiXFxuXCIpKSB7XG4gICAgY29uc3QgWywgc3RhY2ssIGJlZm9yZSwgYWZ0ZXJdID0gL14oLiopIChcXGQrKSAoXFxkKykkLy5leGVjKGxpbmUpITtcbiAgICBjb25zdCBsZWFmID0gc3RhY2suc2xpY2Uoc3RhY2subGFzdEluZGV4T2YoXCI7XCIpICsgMSk7XG4gICAgY29uc3QgW29sZCwgbm93XSA9IG93bi5nZXQobGVhZikgPz8gWzAsIDBdO1xuICAgIG93bi5zZXQobGVhZiwgW29sZCArIE51bWJlcihiZWZvcmUpLCBub3cgKyBOdW1iZXIoYWZ0ZXIpXSk7XG4gIH1cbiAgcmV0dXJuIG93bjtcbn1cblxuY29uc3QgY2hhbmdlZCA9IChyb3dzOiBEaWZmT3V0cHV0W1wicm93c1wiXSkgPT5cbiAgT2JqZWN0LmZyb21FbnRyaWVzKFxuICAgIHJvd3NcbiAgICAgIC5maWx0ZXIoKHIpID0+IHIuc2VsZi5kZWx0YSlcbiAgICAgIC5tYXAoKHIpID0+IFtcbiAgICAgICAgci5uYW1lID8/IHIuZnVuY3Rpb24sXG4gICAgICAgIFtyLnNlbGYuYmVmb3JlLCByLnNlbGYuYWZ0ZXIsIHIudG90YWwuYmVmb3JlLCByLnRvdGFsLmFmdGVyXSxcbiAgICAgIF0pLFxuICApO1xuXG50ZXN0KFwiY29tcGFyZTogZG93bmxvYWRzIGFuZCB0aGUgY29tbWFuZCBsaW5lIGhhdmUgdGhlIG51bWJlcnMgb2YgdmFydmUgZGlmZlwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgZm9sZGVyID0gdGVtcG9yYXJ5KCk7XG4gIGNvbnN0IGV4cGVjdGVkID0gSlNPTi5wYXJzZShcbiAgICBydW4oXG4gICAgICBcImRpZmZcIixcbiAgICAgIFwiLS11cmxcIixcbiAgICAgIHMudXJsLFxuICAgICAgXCItLWJhc2VsaW5lXCIsXG4gICAgICAnY2hlY2tvdXR7dmVyc2lvbj1cInYxXCJ9JyxcbiAgICAgIFwiLS1jb21wYXJpc29uXCIsXG4gICAgICAnY2hlY2tvdXR7dmVyc2lvbj1cInYyXCJ9JyxcbiAgICAgIFwiLS10aW1lLXJhbmdlXCIsXG4gICAgICBcIjFoXCIsXG4gICAgICBcIi0tanNvblwiLFxuICAgICAgXCItblwiLFxuICAgICAgXCIwXCIsXG4gICAgKSxcbiAgKSBhcyBEaWZmT3V0cHV0O1xuICBhd2FpdCB3aXRoUGFnZSh7IHBlcm1pc3Npb25zOiBbXCJjbGlwYm9hcmQtcmVhZFwiLCBcImNsaXBib2FyZC13cml0ZVwiXSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhzLnVybCArIHBhaXIoXCJjaGVja291dFwiLCBcInZlcnNpb25cIiwgXCJ2MVwiLCBcInYyXCIpKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtbGVnZW5kXCIpLndhaXRGb3IoKTtcbiAgICBjb25zdCBkb3dubG9hZCA9IGFzeW5jIChpdGVtOiBzdHJpbmcpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJEb3dubG9hZCBcdTI1QkVcIiB9KS5jbGljaygpO1xuICAgICAgY29uc3QgW2ZpbGVdID0gYXdhaXQgUHJvbWlzZS5hbGwoW1xuICAgICAgICBwYWdlLndhaXRGb3JFdmVudChcImRvd25sb2FkXCIpLFxuICAgICAgICBwYWdlLmxvY2F0b3IoXCIuZG93bmxvYWQtbWVudSA+ICpcIiwgeyBoYXNUZXh0OiBpdGVtIH0pLmZpcnN0KCkuY2xpY2soKSxcbiAgICAgIF0pO1xuICAgICAgY29uc3QgcGF0aCA9IGpvaW4oZm9sZGVyLCBmaWxlLnN1Z2dlc3RlZEZpbGVuYW1lKCkpO1xuICAgICAgYXdhaXQgZmlsZS5zYXZlQXMocGF0aCk7XG4gICAgICByZXR1cm4gcGF0aDtcbiAgICB9O1xuICAgIGNvbnN0IHNlbGZWYWx1ZXMgPSBzZWxmT2YocmVhZEZpbGVTeW5jKGF3YWl0IGRvd25sb2FkKFwiRm9sZGVkIGRpZmZlcmVuY2VcIiksIFwidXRmOFwiKSk7XG4gICAgLy8gTmFtZXMgd2l0aCBhIHNlbWljb2xvbiBhcmUgYW1iaWd1b3VzIGluIGZvbGRlZCBzdGFja3MuXG4gICAgY29uc3QgcGxhaW4gPSBleHBlY3RlZC5yb3dzLmZpbHRlcigocikgPT4gIShyLm5hbWUgPz8gci5mdW5jdGlvbiEpLmluY2x1ZGVzKFwiO1wiKSk7XG4gICAgZm9yIChjb25zdCByb3cgb2YgcGxhaW4pXG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKFxuICAgICAgICBzZWxmVmFsdWVzLmdldChyb3cubmFtZSA/PyByb3cuZnVuY3Rpb24hKSA/PyBbMCwgMF0sXG4gICAgICAgIFtyb3cuc2VsZi5iZWZvcmUsIHJvdy5zZWxmLmFmdGVyXSxcbiAgICAgICAgcm93Lm5hbWUsXG4gICAgICApO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgICBjaGFuZ2VkKChKU09OLnBhcnNlKHJlYWRGaWxlU3luYyhhd2FpdCBkb3dubG9hZChcIkpTT05cIiksIFwidXRmOFwiKSkgYXMgRGlmZk91dHB1dCkucm93cyksXG4gICAgICBjaGFuZ2VkKGV4cGVjdGVkLnJvd3MpLFxuICAgICk7XG4gICAgY29uc3QgdGFibGUgPSByZWFkRmlsZVN5bmMoYXdhaXQgZG93bmxvYWQoXCJDU1ZcIiksIFwidXRmOFwiKS5zcGxpdChcIlxcclxcblwiKTtcbiAgICAvLyBXaXRoIHRoZSBoZWFkZXIgYW5kIHRoZSBlbXB0eSB0ZXh0IGFmdGVyIHRoZSBsYXN0IGxpbmUuXG4gICAgYXNzZXJ0LmVxdWFsKHRhYmxlLmxlbmd0aCwgZXhwZWN0ZWQucm93cy5sZW5ndGggKyAyKTtcbiAgICBjb25zdCBbbGFyZ2VzdF0gPSBleHBlY3RlZC5yb3dzO1xuICAgIGFzc2VydC5vayhcbiAgICAgIHRhYmxlLnNvbWUoKGxpbmUpID0+XG4gICAgICAgIGxpbmUuZW5kc1dpdGgoXG4gICAgICAgICAgW1xuICAgICAgICAgICAgbGFyZ2VzdC5zZWxmLmJlZm9yZSxcbiAgICAgICAgICAgIGxhcmdlc3Quc2VsZi5hZnRlcixcbiAgICAgICAgICAgIGxhcmdlc3Quc2VsZi5kZWx0YSxcbiAgICAgICAgICAgIGxhcmdlc3QudG90YWwuYmVmb3JlLFxuICAgICAgICAgICAgbGFyZ2VzdC50b3RhbC5hZnRlcixcbiAgICAgICAgICAgIGxhcmdlc3QudG90YWwuZGVsdGEsXG4gICAgICAgICAgXS5qb2luKFwiLFwiKSxcbiAgICAgICAgKSxcbiAgICAgICksXG4gICAgKTtcbiAgICBjb25zdCBzaWRlcyA9IFthd2FpdCBkb3dubG9hZChcIkJlZm9yZSBhcyBwcHJvZlwiKSwgYXdhaXQgZG93bmxvYWQoXCJBZnRlciBhcyBwcHJvZlwiKV07XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChcbiAgICAgIGNoYW5nZWQoXG4gICAgICAgIChKU09OLnBhcnNlKHJ1bihcImRpZmZcIiwgLi4uc2lkZXMsIFwiLS1qc29uXCIsIFwiLW5cIiwgXCIwXCIsIFwiLS10eXBlXCIsIFwiY3B1XCIpKSBhcyBEaWZmT3V0cHV0KVxuICAgICAgICAgIC5yb3dzLFxuICAgICAgKSxcbiAgICAgIGNoYW5nZWQoZXhwZWN0ZWQucm93cyksXG4gICAgKTtcbiAgICBhc3NlcnQubWF0Y2goXG4gICAgICByZWFkRmlsZVN5bmMoYXdhaXQgZG93bmxvYWQoXCJTVkdcIiksIFwidXRmOFwiKSxcbiAgICAgIC9ePHN2Z1teXSp2MVteXSpcdTIxOTJbXl0qdjJbXl0qc3RyaW5nc1xcLlRvTG93ZXIvLFxuICAgICk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgcmVhZEZpbGVTeW5jKGF3YWl0IGRvd25sb2FkKFwiUE5HXCIpKVxuICAgICAgICAuc3ViYXJyYXkoMSwgNClcbiAgICAgICAgLnRvU3RyaW5nKCksXG4gICAgICBcIlBOR1wiLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkRvd25sb2FkIFx1MjVCRVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRvd25sb2FkLW1lbnUgPiAqXCIsIHsgaGFzVGV4dDogXCJDb3B5IGNvbW1hbmRcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kb3dubG9hZC1tZW51IFtyb2xlPXN0YXR1c11cIiwgeyBoYXNUZXh0OiBcIkNvcGllZFwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiY29tcGFyZS1kb3dubG9hZHNcIik7XG4gICAgY29uc3QgY29tbWFuZCA9IGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gbmF2aWdhdG9yLmNsaXBib2FyZC5yZWFkVGV4dCgpKTtcbiAgICBjb25zdCBhbnN3ZXIgPSBleGVjU3luYyhgJHtjb21tYW5kfSAtLWpzb24gLW4gMGAsIHtcbiAgICAgIGVuY29kaW5nOiBcInV0ZjhcIixcbiAgICAgIGVudjogeyAuLi5wcm9jZXNzLmVudiwgUEFUSDogYCR7ZGlybmFtZShwcm9ncmFtKX06JHtwcm9jZXNzLmVudi5QQVRIfWAgfSxcbiAgICB9KTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGNoYW5nZWQoKEpTT04ucGFyc2UoYW5zd2VyKSBhcyBEaWZmT3V0cHV0KS5yb3dzKSwgY2hhbmdlZChleHBlY3RlZC5yb3dzKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjb21wYXJlOiBzdW1tYXJ5IGFuZCBjb3VudHMgYXJlIHRob3NlIG9mIHZhcnZlIGRpZmZcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGNvbnN0IGV4cGVjdGVkID0gcnVuKFxuICAgIFwiZGlmZlwiLFxuICAgIFwiLS11cmxcIixcbiAgICBzLnVybCxcbiAgICBcIi0tYmFzZWxpbmVcIixcbiAgICAnY2hlY2tvdXR7dmVyc2lvbj1cInYxXCJ9JyxcbiAgICBcIi0tY29tcGFyaXNvblwiLFxuICAgICdjaGVja291dHt2ZXJzaW9uPVwidjJcIn0nLFxuICAgIFwiLS10aW1lLXJhbmdlXCIsXG4gICAgXCIxaFwiLFxuICApO1xuICBjb25zdCBjb3VudHMgPSAvKFxcZCspIGdyZXcsIChcXGQrKSBzaHJhbmssIChcXGQrKSBuZXcsIChcXGQrKSBnb25lLCAoXFxkKykgdGhlIHNhbWUvLmV4ZWMoZXhwZWN0ZWQpITtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGFpcihcImNoZWNrb3V0XCIsIFwidmVyc2lvblwiLCBcInYxXCIsIFwidjJcIikpO1xuICAgIGF3YWl0IG92ZXJhbGwocGFnZSwgXCI2LjEzIHMgXHUyMTkyIDkuMTYgcywgKzQ5LjQlXCIpO1xuICAgIGFzc2VydC5tYXRjaChcbiAgICAgIChhd2FpdCBwYWdlLmxvY2F0b3IoXCIub3ZlcmFsbFwiKS50ZXh0Q29udGVudCgpKSEsXG4gICAgICBuZXcgUmVnRXhwKGB2ZXJzaW9uIHYxIFx1MjE5MiB2Mi4qJHtjb3VudHNbMF0ucmVwbGFjZUFsbChcIihcIiwgXCJcXFxcKFwiKX1gKSxcbiAgICApO1xuICAgIGNvbnN0IHRhYnMgPSBhd2FpdCBwYWdlXG4gICAgICAubG9jYXRvcihcIi5kaWZmLXRhYnMgLmdyb3VwXCIpXG4gICAgICAuZmlyc3QoKVxuICAgICAgLmxvY2F0b3IoXCJidXR0b25cIilcbiAgICAgIC5hbGxUZXh0Q29udGVudHMoKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKFxuICAgICAgdGFicy5tYXAoKHQpID0+IE51bWJlcih0LnJlcGxhY2UoL1xcRC9nLCBcIlwiKSkpLFxuICAgICAgW2NvdW50cy5zbGljZSgxKS5yZWR1Y2UoKG4sIGMpID0+IG4gKyBOdW1iZXIoYyksIDApLCAuLi5jb3VudHMuc2xpY2UoMSwgNSkubWFwKE51bWJlcildLFxuICAgICk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjb21wYXJlOiBlYWNoIGtpbmQgb2YgY2hhbmdlIGhhcyBhIHRhYiwgd2hpY2ggdGhlIHNlYXJjaCBmaWx0ZXJzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8ocy51cmwgKyBwYWlyKFwic21hbGxcIiwgXCJjb21taXRcIiwgXCJhYVwiLCBcImJiXCIsIFwiJnNob3c9dGFibGVcIikpO1xuICAgIGNvbnN0IG5hbWVzID0gYXN5bmMgKGtpbmQ6IHN0cmluZykgPT4ge1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRpZmYtdGFicyBidXR0b25cIiwgeyBoYXNUZXh0OiBraW5kIH0pLmNsaWNrKCk7XG4gICAgICBhd2FpdCBldmVudHVhbGx5KGtpbmQsIGFzeW5jICgpID0+XG4gICAgICAgIChcbiAgICAgICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGlmZi10YWJzIGJ1dHRvblthcmlhLXByZXNzZWQ9dHJ1ZV1cIikuZmlyc3QoKS50ZXh0Q29udGVudCgpXG4gICAgICAgICk/LnN0YXJ0c1dpdGgoa2luZCksXG4gICAgICApO1xuICAgICAgcmV0dXJuIChhd2FpdCByb3dzKHBhZ2UpLmxvY2F0b3IoXCJiZGk6Zmlyc3QtY2hpbGRcIikuYWxsVGV4dENvbnRlbnRzKCkpXG4gICAgICAgIC5maWx0ZXIoKHQpID0+IHQpXG4gICAgICAgIC5zb3J0KCk7XG4gICAgfTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoYXdhaXQgbmFtZXMoXCJHcmV3XCIpLCBbXCJtYWluXCIsIFwicGFyc2VcIl0pO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoYXdhaXQgbmFtZXMoXCJTaHJhbmtcIiksIFtcIndyaXRlXCJdKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IG5hbWVzKFwiTmV3XCIpLCBbXCJmcmVzaFwiXSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChhd2FpdCBuYW1lcyhcIkdvbmVcIiksIFtcImxlYWZcIiwgXCJvbGRcIl0pO1xuICAgIGFzc2VydC5tYXRjaChwYWdlLnVybCgpLCAva2luZD1nb25lLyk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIHNhbWUgdGFiXCIsIGFzeW5jICgpID0+IChhd2FpdCByb3dzKHBhZ2UpLmNvdW50KCkpID09PSAyKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIjc2VhcmNoXCIpLmZpbGwoXCJsZWFmXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgc2VhcmNoXCIsIGFzeW5jICgpID0+IChhd2FpdCByb3dzKHBhZ2UpLmNvdW50KCkpID09PSAxKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKChhd2FpdCBjZWxscyhwYWdlLCAwKSkuc2xpY2UoMCwgNSksIFtcImxlYWZcIiwgXCIxMFwiLCBcIlx1MjAxM1wiLCBcIi0xMFwiLCBcImdvbmVcIl0pO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiY29tcGFyZTogc29ydCBjb2x1bW4gYW5kIHNlbGVjdGVkIHJvdyBhcmUgaW4gdGhlIGFkZHJlc3NcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHsgdmlld3BvcnQ6IHsgd2lkdGg6IDE2MDAsIGhlaWdodDogOTAwIH0gfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8ocy51cmwgKyBwYWlyKFwic21hbGxcIiwgXCJjb21taXRcIiwgXCJhYVwiLCBcImJiXCIpKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJCZWZvcmVcIiwgZXhhY3Q6IHRydWUgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwibGFyZ2VzdCBiZWZvcmVcIiwgYXN5bmMgKCkgPT4gKGF3YWl0IGNlbGxzKHBhZ2UsIDApKVswXSA9PT0gXCJ3cml0ZVwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IC9eQmVmb3JlLyB9KS5sYXN0KCkuY2xpY2soKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwic21hbGxlc3QgYmVmb3JlXCIsIGFzeW5jICgpID0+IChhd2FpdCBjZWxscyhwYWdlLCAwKSlbMV0gPT09IFwiXHUyMDEzXCIpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkuZmlsdGVyKHsgaGFzVGV4dDogXCJwYXJzZVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInNlbGVjdGVkXCIsIGFzeW5jICgpID0+XG4gICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIpLnRleHRDb250ZW50KCkpPy5zdGFydHNXaXRoKFwicGFyc2VcIiksXG4gICAgKTtcbiAgICBhc3NlcnQubWF0Y2gocGFnZS51cmwoKSwgL2NoYW5nZXM9YmVmb3JlLyk7XG4gICAgYXNzZXJ0Lm1hdGNoKHBhZ2UudXJsKCksIC9mdW5jdGlvbj1wYXJzZS8pO1xuICAgIGF3YWl0IHBhZ2UucmVsb2FkKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIsIHsgaGFzVGV4dDogXCJwYXJzZVwiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcImNvbXBhcmU6IGEgem9vbSBxdWVyaWVzIHRoZSBzdWJ0cmVlLCBhbmQgYmFjayB6b29tcyBvdXRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhzLnVybCArIHBhaXIoXCJzbWFsbFwiLCBcImNvbW1pdFwiLCBcImFhXCIsIFwiYmJcIiwgXCImc2hvdz1ncmFwaFwiKSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS53YWl0Rm9yKCk7XG4gICAgY29uc3QgYXNrZWQgPSBwYWdlLndhaXRGb3JSZXF1ZXN0KFxuICAgICAgKHIpID0+IHIudXJsKCkuaW5jbHVkZXMoXCIvZGlmZj9cIikgJiYgci51cmwoKS5pbmNsdWRlcyhcInBhdGg9b2xkXCIpLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKS5mb2N1cygpO1xuICAgIGZvciAoY29uc3Qga2V5IG9mIFtcbiAgICAgIFwiQXJyb3dEb3duXCIsXG4gICAgICBcIkFycm93RG93blwiLFxuICAgICAgXCJBcnJvd1JpZ2h0XCIsXG4gICAgICBcIkFycm93UmlnaHRcIixcbiAgICAgIFwiQXJyb3dSaWdodFwiLFxuICAgICAgXCJBcnJvd1JpZ2h0XCIsXG4gICAgXSlcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3Moa2V5KTtcbiAgICBmb3IgKFxuICAgICAgbGV0IGkgPSAwO1xuICAgICAgaSA8IDYgJiYgIShhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtdG9vbHRpcC1uYW1lXCIpLnRleHRDb250ZW50KCkpPy5pbmNsdWRlcyhcIm9sZFwiKTtcbiAgICAgIGkrK1xuICAgIClcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0xlZnRcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVudGVyXCIpO1xuICAgIGF3YWl0IGFza2VkO1xuICAgIGFzc2VydC5tYXRjaChwYWdlLnVybCgpLCAvem9vbT1tYWluJnpvb209b2xkLyk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImNvbXBhcmUtem9vbVwiKTtcbiAgICBhd2FpdCBwYWdlLmdvQmFjaygpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ6b29tZWQgb3V0XCIsIGFzeW5jICgpID0+ICFwYWdlLnVybCgpLmluY2x1ZGVzKFwiem9vbT1cIikpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiY29tcGFyZTogb25lIGNsaWNrIGNvbXBhcmVzIHdpdGggdGhlIHByZXZpb3VzIGhvdXIsIHllc3RlcmRheSBhbmQgdGhlIHByZXZpb3VzIHZlcnNpb25cIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXRgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ29tcGFyZSBcdTI1QkVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJjb21wYXJlLW1lbnVcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlRoaXMgaG91ciB2cy4geWVzdGVyZGF5XCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBvdmVyYWxsKHBhZ2UsIFwiNi4xMyBzIFx1MjE5MiAxNS4zIHMsICsxNDkuNCVcIik7XG4gICAgYXNzZXJ0Lm1hdGNoKHBhZ2UudXJsKCksIC9iZWZvcmVfZnJvbT1ub3ctMjVoJmJlZm9yZV90bz1ub3ctMWQvKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5vdmVyYWxsLXdoYXRcIikudGV4dENvbnRlbnQoKSkhLCAvYSBkYXkgbGF0ZXIvKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiTGF0ZXN0IHZlcnNpb24gdnMuIHByZXZpb3VzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBvdmVyYWxsKHBhZ2UsIFwiNi4xMyBzIFx1MjE5MiA5LjE2IHMsICs0OS40JVwiKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5vdmVyYWxsLXdoYXRcIikudGV4dENvbnRlbnQoKSkhLCAvdmVyc2lvbiB2MSBcdTIxOTIgdjIvKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiVGhpcyBob3VyIHZzLiBwcmV2aW91cyBob3VyXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubm90ZS53YXJuXCIsIHsgaGFzVGV4dDogXCJCZWZvcmUgaGFzIG5vIENQVSB0aW1lXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJjb21wYXJlLW9uZS1zaWRlXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ29CYWNrKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlx1MjFDNCBTd2FwIHNpZGVzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBvdmVyYWxsKHBhZ2UsIFwiOS4xNiBzIFx1MjE5MiA2LjEzIHMsIC0zMy4xJVwiKTtcbiAgfSk7XG59KTtcblxudGVzdChcImNvbXBhcmU6IHZlcnNpb25zIGNhbiBiZSBzZWxlY3RlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9jb21wYXJlP3F1ZXJ5PWNoZWNrb3V0YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLm5vdGUud2FyblwiLCB7IGhhc1RleHQ6IFwic2FtZSBzZWxlY3Rpb25cIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRpdGxlKFwiQ2hvb3NlIHZlcnNpb25zXCIpLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnZlcnNpb24tcGlja2VyXCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiY29tcGFyZS12ZXJzaW9uc1wiKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIi52ZXJzaW9uLXBpY2tlclwiKS50ZXh0Q29udGVudCgpKSEsIC92MiBcdTIwMTMgZmlyc3Qgc2Vlbi8pO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi52ZXJzaW9uLXBpY2tlciBzZWxlY3RcIikubnRoKDApLnNlbGVjdE9wdGlvbihcInYyXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi52ZXJzaW9uLXBpY2tlciBzZWxlY3RcIikubnRoKDEpLnNlbGVjdE9wdGlvbihcInYxXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJDb21wYXJlXCIsIGV4YWN0OiB0cnVlIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgb3ZlcmFsbChwYWdlLCBcIjkuMTYgcyBcdTIxOTIgNi4xMyBzXCIpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiY29tcGFyZTogYSBkcmFnIG9uIGEgc2lkZSdzIGNoYXJ0IGNoYW5nZXMgb25seSB0aGF0IHNpZGVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vY29tcGFyZT9xdWVyeT1jaGVja291dGApO1xuICAgIGF3YWl0IHNpZGUocGFnZSwgXCJBZnRlclwiKS5sb2NhdG9yKFwiLnUtb3ZlclwiKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRleHQoXCJCb3RoIHNpZGVzIGFyZSB0aGUgc2FtZSBzZWxlY3Rpb25cIikud2FpdEZvcigpO1xuICAgIGNvbnN0IGNoYXJ0ID0gKGF3YWl0IHNpZGUocGFnZSwgXCJBZnRlclwiKS5sb2NhdG9yKFwiLnUtb3ZlclwiKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgLy8gdGhlIGxhc3QgdGVuIG1pbnV0ZXMgb2YgdHdvIGhvdXJzXG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuOTEsIGNoYXJ0LnkgKyAyMCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuOTk1LCBjaGFydC55ICsgMzAsIHsgc3RlcHM6IDUgfSk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS51cCgpO1xuICAgIGF3YWl0IG92ZXJhbGwocGFnZSwgXCIxNS4zIHMgXHUyMTkyIDkuMTYgc1wiKTtcbiAgICBjb25zdCB1cmwgPSBwYWdlLnVybCgpO1xuICAgIGFzc2VydC5tYXRjaCh1cmwsIC9bPyZdZnJvbT1cXGR7MTN9JnRvPVxcZHsxM30vKTtcbiAgICBhc3NlcnQubWF0Y2godXJsLCAvYmVmb3JlX2Zyb209bm93LTFoJmJlZm9yZV90bz1ub3cvKTtcbiAgICBhd2FpdCBwYWdlLnJlbG9hZCgpO1xuICAgIGF3YWl0IG92ZXJhbGwocGFnZSwgXCIxNS4zIHMgXHUyMTkyIDkuMTYgc1wiKTtcbiAgICBhc3NlcnQuZXF1YWwocGFnZS51cmwoKSwgdXJsKTtcbiAgfSk7XG59KTtcblxudGVzdChcImNvbXBhcmU6IGEgbm90ZSBleHBsYWlucyB3aHkgc2lkZXMgY2Fubm90IGJlIGNvbXBhcmVkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBjb25zdCBleHBlY3ROb3RlID0gYXN5bmMgKHBhdGg6IHN0cmluZywgdGV4dDogc3RyaW5nIHwgUmVnRXhwKSA9PiB7XG4gICAgICBhd2FpdCBwYWdlLmdvdG8ocy51cmwgKyBwYXRoKTtcbiAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5ub3RlLndhcm5cIiwgeyBoYXNUZXh0OiB0ZXh0IH0pLndhaXRGb3IoKTtcbiAgICB9O1xuICAgIGF3YWl0IGV4cGVjdE5vdGUoXCIvY29tcGFyZT9xdWVyeT1ub2JvZHkmYmVmb3JlPW5vdGhpbmdcIiwgXCJOZWl0aGVyIHNpZGUgaGFzIGRhdGFcIik7XG4gICAgYXdhaXQgZXhwZWN0Tm90ZShcIi9jb21wYXJlP3F1ZXJ5PXNtYWxsJmJlZm9yZT1jaGVja291dFwiLCBcIm5vIHByb2ZpbGUgdHlwZSBpbiBjb21tb25cIik7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImNvbXBhcmUtdHlwZXNcIik7XG4gICAgYXdhaXQgZXhwZWN0Tm90ZShcIi9jb21wYXJlP3F1ZXJ5PWNoZWNrb3V0JmJlZm9yZT1ub2JvZHkmbm9ybWFsaXNlPTFcIiwgL0JlZm9yZSBoYXMgbm8gQ1BVIHRpbWUvKTtcbiAgICBhd2FpdCBleHBlY3ROb3RlKFxuICAgICAgYC9jb21wYXJlP3F1ZXJ5PSR7ZW5jb2RlVVJJQ29tcG9uZW50KCdzbWFsbHtjb21taXQ9XCJhYVwifScpfSZiZWZvcmU9JHtlbmNvZGVVUklDb21wb25lbnQoJ3NtYWxse2NvbW1pdD1cImFhXCIsc2VydmljZV9uYW1lPVwic21hbGxcIn0nKX1gLFxuICAgICAgXCJCb3RoIHNpZGVzIGhhdmUgdGhlIHNhbWUgZGF0YVwiLFxuICAgICk7XG4gICAgLy8gUXVlcmllcyBvZiBhIHNpZGUgd2l0aG91dCBkYXRhIGFyZSByZWZ1c2VkLlxuICAgIHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGMpID0+ICEvc3RhdHVzIG9mIDQwWzA0XS8udGVzdChjKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjb21wYXJlOiB0d28gZmlsZXNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiI29wZW4tZmlsZVwiKS5zZXRJbnB1dEZpbGVzKGV4YW1wbGVzWzBdKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ29tcGFyZSBcdTI1QkVcIiB9KS5jbGljaygpO1xuICAgIGNvbnN0IGNob29zZXIgPSBwYWdlLndhaXRGb3JFdmVudChcImZpbGVjaG9vc2VyXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJBbm90aGVyIGZpbGVcdTIwMjZcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IChhd2FpdCBjaG9vc2VyKS5zZXRGaWxlcyhleGFtcGxlc1sxXSk7XG4gICAgYXdhaXQgb3ZlcmFsbChwYWdlLCBcIjYuMTMgcyBcdTIxOTIgOS4xNiBzLCArNDkuNCVcIik7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCBzaWRlKHBhZ2UsIFwiQmVmb3JlXCIpLnRleHRDb250ZW50KCkpISwgL2NoZWNrb3V0XFwucGJcXC5nei8pO1xuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgc2lkZShwYWdlLCBcIkFmdGVyXCIpLnRleHRDb250ZW50KCkpISwgL2NoZWNrb3V0LXNsb3dcXC5wYlxcLmd6Lyk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiY29tcGFyZS1maWxlc1wiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwid1wiKTtcbiAgICBhd2FpdCBvdmVyYWxsKHBhZ2UsIFwiOS4xNiBzIFx1MjE5MiA2LjEzIHNcIik7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCBvdmVyYWxsKHBhZ2UsIFwiOS4xNiBzIFx1MjE5MiA2LjEzIHNcIik7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjb21wYXJlOiBuYW1lcyBhcmUgcmVuZGVyZWQgYXMgdGV4dFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgZm9yIChjb25zdCBzaG93IG9mIFtcImJvdGhcIiwgXCJzaWRlc1wiXSkge1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGFpcihcImhvc3RpbGVcIiwgXCJjb21taXRcIiwgXCJhYVwiLCBcImJiXCIsIGAmc2hvdz0ke3Nob3d9YCkpO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYGNvbXBhcmUtaG9zdGlsZS0ke3Nob3d9YCk7XG4gICAgfVxuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IFwiaGFja2VkXCIgaW4gd2luZG93KSwgZmFsc2UpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluIGltZ1wiKS5jb3VudCgpLCAwKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8ocy51cmwgKyBwYWlyKFwiaG9zdGlsZVwiLCBcImNvbW1pdFwiLCBcImFhXCIsIFwiYmJcIiwgXCImc2hvdz10YWJsZVwiKSk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBjb25zdCBzaG93biA9IGF3YWl0IHJvd3MocGFnZSkuYWxsVGV4dENvbnRlbnRzKCk7XG4gICAgYXNzZXJ0Lm9rKFxuICAgICAgc2hvd24uc29tZSgodCkgPT4gdC5zdGFydHNXaXRoKFwiZ25wLmV4ZVwiKSksXG4gICAgICBcImRpcmVjdGlvbmFsIG1hcmtzIGFyZSByZW1vdmVkXCIsXG4gICAgKTtcbiAgICBhc3NlcnQub2soXG4gICAgICBzaG93bi5zb21lKCh0KSA9PiB0LnN0YXJ0c1dpdGgoJzxpbWcgc3JjPXggb25lcnJvcj1cIndpbmRvdy5oYWNrZWQ9MVwiPicpKSxcbiAgICAgIFwibWFya3VwIGlzIHNob3duIGFzIHRleHRcIixcbiAgICApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiY29tcGFyZToga2V5Ym9hcmQgb25seVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGFpcihcInNtYWxsXCIsIFwiY29tbWl0XCIsIFwiYWFcIiwgXCJiYlwiKSk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwidFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGFibGUgb25seVwiLCBhc3luYyAoKSA9PiAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKS5jb3VudCgpKSA9PT0gMCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtYm9keVwiKS5mb2N1cygpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0Rvd25cIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93RG93blwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJ0aGUgc2Vjb25kIHJvd1wiLFxuICAgICAgYXN5bmMgKCkgPT5cbiAgICAgICAgKGF3YWl0IGNlbGxzKHBhZ2UsIDEpKVswXSA9PT1cbiAgICAgICAgKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kYXRhLXJvdy5zZWxlY3RlZCBiZGlcIikuZmlyc3QoKS50ZXh0Q29udGVudCgpKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJuXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50YWJsZS1mb290XCIsIHsgaGFzVGV4dDogXCJwZXJjZW50YWdlIHBvaW50c1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiZlwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwicFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudGFibGUtZm9vdFwiLCB7IGhhc1RleHQ6IFwiT3JhbmdlOiBhIGxhcmdlciBzaGFyZVwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiY29tcGFyZS1jb2xvdXItYmxpbmRcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIj9cIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJkaWFsb2dcIikuZ2V0QnlUZXh0KFwiU3dhcCBzaWRlc1wiKS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjb21wYXJlOiByZWZyZXNoIHF1ZXJpZXMgZ3JhcGhzLCBjaGFydHMgYW5kIHR5cGVzIG9mIGJvdGggc2lkZXMgYWdhaW4sIGFsc28gZm9yIGFic29sdXRlIHRpbWVzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBjb25zdCBub3cgPSBEYXRlLm5vdygpO1xuICBjb25zdCB0aW1lcyA9IGAmZnJvbT0ke25vdyAtIDNfNjAwXzAwMH0mdG89JHtub3d9JmJlZm9yZV9mcm9tPSR7bm93IC0gM182MDBfMDAwfSZiZWZvcmVfdG89JHtub3d9YDtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgYWRkcmVzcyA9IGAvY29tcGFyZT9xdWVyeT0ke2VuY29kZVVSSUNvbXBvbmVudCgnc21hbGx7Y29tbWl0PVwiYmJcIn0nKX0mYmVmb3JlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KCdzbWFsbHtjb21taXQ9XCJhYVwifScpfWA7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfSR7YWRkcmVzc30ke3RpbWVzfSZzaG93PXNpZGVzYCk7XG4gICAgYXdhaXQgcGFnZVxuICAgICAgLmdldEJ5Um9sZShcInJlZ2lvblwiLCB7IG5hbWU6IFwiRmxhbWUgZ3JhcGg6IEFmdGVyXCIgfSlcbiAgICAgIC5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKVxuICAgICAgLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLndhaXRGb3JMb2FkU3RhdGUoXCJuZXR3b3JraWRsZVwiKTtcbiAgICBjb25zdCBwYXRoczogc3RyaW5nW10gPSBbXTtcbiAgICBwYWdlLm9uKFwicmVxdWVzdFwiLCAocikgPT4gcGF0aHMucHVzaChuZXcgVVJMKHIudXJsKCkpLnBhdGhuYW1lLnJlcGxhY2UoXCIvYXBpL3YxL1wiLCBcIlwiKSkpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJnXCIpO1xuICAgIGZvciAoY29uc3QgcGF0aCBvZiBbXCJmbGFtZVwiLCBcInNlcmllc1wiLCBcInR5cGVzXCJdKVxuICAgICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgICAgYGJvdGggc2lkZXMgb2YgJHtwYXRofWAsXG4gICAgICAgIGFzeW5jICgpID0+IHBhdGhzLmZpbHRlcigob3RoZXIpID0+IG90aGVyID09PSBwYXRoKS5sZW5ndGggPT09IDIsXG4gICAgICApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiY29tcGFyZTogdGhlIGNoYXJ0cyBvZiBib3RoIHNpZGVzIGhhdmUgdGhlIHNhbWUgc2NhbGVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhzLnVybCArIHBhaXIoXCJzbWFsbFwiLCBcImNvbW1pdFwiLCBcImFhXCIsIFwiYmJcIikpO1xuICAgIGF3YWl0IG92ZXJhbGwocGFnZSwgXCIxMDcgXHUyMTkyIDEyMlwiKTtcbiAgICBjb25zdCB0b3BzID0gYXdhaXQgZXZlbnR1YWxseShcInRoZSBzY2FsZSBvZiBib3RoIGNoYXJ0c1wiLCBhc3luYyAoKSA9PiB7XG4gICAgICBjb25zdCBmb3VuZCA9IGF3YWl0IHBhZ2VcbiAgICAgICAgLmxvY2F0b3IoXCIuc2lkZSAuY2hhcnRcIilcbiAgICAgICAgLmV2YWx1YXRlQWxsKChjaGFydHMpID0+IGNoYXJ0cy5tYXAoKGNoYXJ0KSA9PiBjaGFydC5nZXRBdHRyaWJ1dGUoXCJkYXRhLWdyZWF0ZXN0XCIpKSk7XG4gICAgICByZXR1cm4gZm91bmQubGVuZ3RoID09PSAyICYmIGZvdW5kLmV2ZXJ5KCh0b3ApID0+IE51bWJlcih0b3ApID4gMCkgJiYgZm91bmQ7XG4gICAgfSk7XG4gICAgYXNzZXJ0LmVxdWFsKHRvcHNbMF0sIHRvcHNbMV0pO1xuICAgIGFzc2VydC5vayhcbiAgICAgIE1hdGguYWJzKE51bWJlcih0b3BzWzBdKSAtIDEyMiAvIDYwKSA8IDFlLTksXG4gICAgICBgMTIyIGluIGEgYnVja2V0IG9mIGEgbWludXRlLCBwZXIgc2Vjb25kOiAke3RvcHNbMF19YCxcbiAgICApO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJjb21wYXJlLWF4ZXNcIik7XG4gIH0pO1xufSk7XG5cbmZvciAoY29uc3QgdGhlbWUgb2YgW1wibGlnaHRcIiwgXCJkYXJrXCJdIGFzIGNvbnN0KVxuICB0ZXN0KGBjb21wYXJlOiBub3JtYWxpc2VkLCB0b29sdGlwLCB0YWJsZSBhbmQgdG90YWxzIGFyZSBzaGFyZXMsICR7dGhlbWV9YCwgYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgICBhd2FpdCB3aXRoUGFnZSh7IGNvbG9yU2NoZW1lOiB0aGVtZSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgLy8gcGFyc2UgaXMgNDAgb2YgMTA3IGJlZm9yZSwgYW5kIDkwIG9mIDEyMiBhZnRlci5cbiAgICAgIGF3YWl0IHBhZ2UuZ290byhzLnVybCArIHBhaXIoXCJzbWFsbFwiLCBcImNvbW1pdFwiLCBcImFhXCIsIFwiYmJcIiwgXCImbm9ybWFsaXNlPTFcIikpO1xuICAgICAgYXdhaXQgb3ZlcmFsbChwYWdlLCBcIlNoYXJlcyBvZiAxMDcgXHUyMTkyIHNoYXJlcyBvZiAxMjJcIik7XG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGF0YS1yb3dcIiwgeyBoYXNUZXh0OiBcInBhcnNlXCIgfSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKChhd2FpdCBjZWxscyhwYWdlLCAwKSkuc2xpY2UoMCwgNSksIFtcbiAgICAgICAgXCJwYXJzZVwiLFxuICAgICAgICBcIjM3LjQlXCIsXG4gICAgICAgIFwiNzMuOCVcIixcbiAgICAgICAgXCIrMzYuNCBwcFwiLFxuICAgICAgICBcIis5Ny4zJVwiLFxuICAgICAgXSk7XG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLmZvY3VzKCk7XG4gICAgICBmb3IgKGNvbnN0IGtleSBvZiBbXCJIb21lXCIsIFwiQXJyb3dEb3duXCIsIFwiQXJyb3dEb3duXCJdKSBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKGtleSk7XG4gICAgICBjb25zdCB0aXAgPSBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgICBcInRoZSB0b29sdGlwXCIsXG4gICAgICAgIGFzeW5jICgpID0+XG4gICAgICAgICAgKGF3YWl0IHBhZ2VcbiAgICAgICAgICAgIC5sb2NhdG9yKFwiLmZsYW1lLXRvb2x0aXBcIilcbiAgICAgICAgICAgIC50ZXh0Q29udGVudCgpXG4gICAgICAgICAgICAuY2F0Y2goKCkgPT4gXCJcIikpIHx8IGZhbHNlLFxuICAgICAgKTtcbiAgICAgIGFzc2VydC5tYXRjaCh0aXAsIC8zN1xcLjQlNzNcXC44JVxcKzM2XFwuNCBwcFxcKzk3XFwuXFxkJS8pO1xuICAgICAgYXNzZXJ0Lm1hdGNoKHRpcCwgL2Ftb3VudDQwOTAvKTtcbiAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYGNvbXBhcmUtbm9ybWFsaXNlZC0ke3RoZW1lfWApO1xuICAgIH0pO1xuICB9KTtcbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gRm9ybWF0cyB2YWx1ZXMgZm9yIGRpc3BsYXksIGV4YWN0bHkgYXMgdGhlIGNvbW1hbmQgbGluZSBkb2VzIChzcmMvY2xpL3Rlcm1pbmFsL3VuaXRzLmMpOiBcIjEuMjNcbi8vIG1zXCIsIFwiMS41MCBLaUJcIiwgXCIxMiwzNDVcIi5cblxudHlwZSBTdGVwID0gcmVhZG9ubHkgW25hbWU6IHN0cmluZywgc2l6ZTogbnVtYmVyXTtcblxuY29uc3QgdGltZXM6IHJlYWRvbmx5IFN0ZXBbXSA9IFtcbiAgW1wibnNcIiwgMV0sXG4gIFtcInVzXCIsIDFlM10sXG4gIFtcIm1zXCIsIDFlNl0sXG4gIFtcInNcIiwgMWU5XSxcbiAgW1wibWluXCIsIDYwZTldLFxuICBbXCJoXCIsIDM2MDBlOV0sXG4gIFtcImRcIiwgODY0MDBlOV0sXG5dO1xuY29uc3Qgc2l6ZXM6IHJlYWRvbmx5IFN0ZXBbXSA9IFtcbiAgW1wiQlwiLCAxXSxcbiAgW1wiS2lCXCIsIDIgKiogMTBdLFxuICBbXCJNaUJcIiwgMiAqKiAyMF0sXG4gIFtcIkdpQlwiLCAyICoqIDMwXSxcbiAgW1wiVGlCXCIsIDIgKiogNDBdLFxuICBbXCJQaUJcIiwgMiAqKiA1MF0sXG5dO1xuXG5jb25zdCBmYWN0b3JzOiBSZWNvcmQ8c3RyaW5nLCByZWFkb25seSBbcmVhZG9ubHkgU3RlcFtdLCBudW1iZXJdPiA9IHt9O1xuZm9yIChjb25zdCBbbmFtZXMsIHN0ZXBzLCBmYWN0b3JdIG9mIFtcbiAgW1wibmFub3NlY29uZHMgbmFub3NlY29uZCBuc1wiLCB0aW1lcywgMV0sXG4gIFtcIm1pY3Jvc2Vjb25kcyBtaWNyb3NlY29uZCB1c1wiLCB0aW1lcywgMWUzXSxcbiAgW1wibWlsbGlzZWNvbmRzIG1pbGxpc2Vjb25kIG1zXCIsIHRpbWVzLCAxZTZdLFxuICBbXCJzZWNvbmRzIHNlY29uZCBzXCIsIHRpbWVzLCAxZTldLFxuICBbXCJieXRlcyBieXRlIEJ5IEJcIiwgc2l6ZXMsIDFdLFxuICBbXCJraWxvYnl0ZXMgS2lCeVwiLCBzaXplcywgMiAqKiAxMF0sXG4gIFtcIm1lZ2FieXRlcyBNaUJ5XCIsIHNpemVzLCAyICoqIDIwXSxcbl0gYXMgY29uc3QpXG4gIGZvciAoY29uc3QgbmFtZSBvZiBuYW1lcy5zcGxpdChcIiBcIikpIGZhY3RvcnNbbmFtZV0gPSBbc3RlcHMsIGZhY3Rvcl07XG5cbi8vIEZvcm1hdCBhbiBpbnRlZ2VyIHdpdGggc2VwYXJhdG9yczogXCIxMiwzNDVcIi4gVGhlIGJyb3dzZXIncyBvd24gZm9ybWF0dGVyIHdvdWxkIGRlbGF5IHRoZSBmaXJzdFxuLy8gcGFpbnQgYnkgbWlsbGlzZWNvbmRzLlxuZXhwb3J0IGNvbnN0IGdyb3VwZWQgPSAodmFsdWU6IG51bWJlcikgPT5cbiAgU3RyaW5nKE1hdGgucm91bmQodmFsdWUpKS5yZXBsYWNlKC9cXEIoPz0oPzpcXGR7M30pKyQpL2csIFwiLFwiKTtcblxuLy8gVGhlIG51bWJlciBvZiBkZWNpbWFscyBmb3IgdGhyZWUgc2lnbmlmaWNhbnQgZGlnaXRzLlxuY29uc3QgZGVjaW1hbHMgPSAodmFsdWU6IG51bWJlcikgPT4gKE1hdGguYWJzKHZhbHVlKSA8IDkuOTk1ID8gMiA6IE1hdGguYWJzKHZhbHVlKSA8IDk5Ljk1ID8gMSA6IDApO1xuXG5leHBvcnQgZnVuY3Rpb24gZm9ybWF0VmFsdWUodmFsdWU6IG51bWJlciwgdW5pdDogc3RyaW5nKTogc3RyaW5nIHtcbiAgY29uc3Qgc2NhbGUgPSBPYmplY3QuaGFzT3duKGZhY3RvcnMsIHVuaXQpID8gZmFjdG9yc1t1bml0XSA6IHVuZGVmaW5lZDtcbiAgaWYgKCFzY2FsZSkgcmV0dXJuIGdyb3VwZWQodmFsdWUpO1xuICBjb25zdCBbc3RlcHMsIGZhY3Rvcl0gPSBzY2FsZTtcbiAgY29uc3QgYmFzZSA9IHZhbHVlICogZmFjdG9yO1xuICBsZXQgaSA9IHN0ZXBzLmxlbmd0aCAtIDE7XG4gIC8vIDk5OS42IG1zIHdvdWxkIHJvdW5kIHRvIDEwMDAgbXMsIHNvIGl0IGJlY29tZXMgMS4wMCBzLiBNaW51dGVzIGFyZSB1c2VkIGZyb20gdHdvIG1pbnV0ZXMgb24uXG4gIHdoaWxlIChpID4gMCAmJiBNYXRoLmFicyhiYXNlKSA8IHN0ZXBzW2ldWzFdICogKHN0ZXBzW2ldWzFdID09PSA2MGU5ID8gMiA6IDAuOTk5NSkpIGktLTtcbiAgY29uc3Qgc2hvd24gPSBpID09PSAwICYmIE1hdGguYWJzKGJhc2UpIDwgMC4wMDUgPyAwIDogYmFzZSAvIHN0ZXBzW2ldWzFdOyAvLyBubyBcIi0wLjAwIG5zXCJcbiAgcmV0dXJuIGkgPT09IDAgJiYgTnVtYmVyLmlzSW50ZWdlcihzaG93bilcbiAgICA/IGAke3Nob3dufSAke3N0ZXBzW2ldWzBdfWBcbiAgICA6IGAke3Nob3duLnRvRml4ZWQoZGVjaW1hbHMoc2hvd24pKX0gJHtzdGVwc1tpXVswXX1gO1xufVxuXG5jb25zdCBkZWNpbWFsID0gWzEsIDIsIDUsIDEwLCAyMCwgNTAsIDEwMCwgMjAwLCA1MDBdO1xuY29uc3QgcGFydHM6IFJlY29yZDxzdHJpbmcsIG51bWJlcltdPiA9IHtcbiAgczogWzEsIDIsIDUsIDEwLCAyMCwgMzBdLFxuICBtaW46IFsxLCAyLCA1LCAxMCwgMjAsIDMwXSxcbiAgaDogWzEsIDIsIDYsIDEyXSxcbn07XG5cbi8vIFJldHVybiB0aGUgdGljayBkaXN0YW5jZXMgb2YgYW4gYXhpcyB0aGF0IHlpZWxkIHJvdW5kIG51bWJlcnMgaW4gdGhlIGRpc3BsYXllZCB1bml0OiAyMC4wIE1pQixcbi8vIG5vdCAxOS4xIE1pQi4gVW5kZWZpbmVkIGZvciB1bml0cyB0aGF0IGFyZSBkaXNwbGF5ZWQgYXMgcGxhaW4gbnVtYmVycy5cbmV4cG9ydCBmdW5jdGlvbiB0aWNrU3RlcHModW5pdDogc3RyaW5nKTogbnVtYmVyW10gfCB1bmRlZmluZWQge1xuICBjb25zdCBzY2FsZSA9IE9iamVjdC5oYXNPd24oZmFjdG9ycywgdW5pdCkgPyBmYWN0b3JzW3VuaXRdIDogdW5kZWZpbmVkO1xuICByZXR1cm4gc2NhbGU/LlswXVxuICAgIC5mbGF0TWFwKChbbmFtZSwgc2l6ZV0pID0+IChwYXJ0c1tuYW1lXSA/PyBkZWNpbWFsKS5tYXAoKG4pID0+IChuICogc2l6ZSkgLyBzY2FsZVsxXSkpXG4gICAgLmZpbHRlcigoc3RlcCkgPT4gc3RlcCA+PSAxKTtcbn1cblxuLy8gV2hldGhlciB2YWx1ZXMgb2YgdGhlIHVuaXQgYXJlIGRpc3BsYXllZCB3aXRoIGEgcHJlZml4IChcIjEuNTAgS2lCXCIpLlxuZXhwb3J0IGNvbnN0IGlzU2NhbGVkID0gKHVuaXQ6IHN0cmluZykgPT4gT2JqZWN0Lmhhc093bihmYWN0b3JzLCB1bml0KTtcblxuZXhwb3J0IGZ1bmN0aW9uIGZvcm1hdENoYW5nZSh2YWx1ZTogbnVtYmVyLCB1bml0OiBzdHJpbmcpOiBzdHJpbmcge1xuICByZXR1cm4gKHZhbHVlID4gMCA/IFwiK1wiIDogXCJcIikgKyBmb3JtYXRWYWx1ZSh2YWx1ZSwgdW5pdCk7XG59XG5cbi8vIEZvcm1hdCBhIHNoYXJlIG9mIHRoZSB3aG9sZTogXCIxMi4zJVwiLiBUaGUgc2hhcmUgb2YgYSB6ZXJvIHdob2xlIGlzIDAuXG5leHBvcnQgZnVuY3Rpb24gZm9ybWF0U2hhcmUocGFydDogbnVtYmVyLCB3aG9sZTogbnVtYmVyLCBkaWdpdHMgPSAxKTogc3RyaW5nIHtcbiAgcmV0dXJuIGAkeyh3aG9sZSA/ICgxMDAgKiBwYXJ0KSAvIHdob2xlIDogMCkudG9GaXhlZChkaWdpdHMpfSVgO1xufVxuXG5leHBvcnQgZnVuY3Rpb24gZm9ybWF0Qnl0ZXMoYnl0ZXM6IG51bWJlcik6IHN0cmluZyB7XG4gIHJldHVybiBmb3JtYXRWYWx1ZShieXRlcywgXCJieXRlc1wiKTtcbn1cblxuLy8gRm9ybWF0IGEgY291bnQgd2l0aCBpdHMgbm91bjogXCIxIGZyYW1lXCIsIFwiMTIgZnJhbWVzXCIuXG5leHBvcnQgZnVuY3Rpb24gZm9ybWF0Q291bnQobjogbnVtYmVyLCBvbmU6IHN0cmluZywgbWFueSA9IGAke29uZX1zYCk6IHN0cmluZyB7XG4gIHJldHVybiBgJHtncm91cGVkKG4pfSAke24gPT09IDEgPyBvbmUgOiBtYW55fWA7XG59XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIFRoZSBjb250cm9sIG9mIHJ1bm5pbmcgaW5zdGFuY2VzIGluIHRoZSBwYWdlOiBhIHJlYWwgcHJvZ3JhbSB1bmRlciBgdmFydmUgcnVuYCBhcHBsaWVzIHdoYXQgdGhlXG4vLyBmb3JtIHNheXMsIGFuZCB0aGUgY2hhbmdlIGlzIGFuIGV2ZW50IG9uIHRoZSB0aW1lbGluZTsgaXQgdGFrZXMgYSBwcm9maWxlLCB3aGljaCB0aGUgcGFnZSBvcGVucy5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgQ2hpbGRQcm9jZXNzLCBzcGF3biB9IGZyb20gXCJub2RlOmNoaWxkX3Byb2Nlc3NcIjtcbmltcG9ydCB7IGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBhdEVuZCwgdGVzdCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IHByb2dyYW0sIHNvdXJjZVJvb3QsIHdpdGhQYWdlIH0gZnJvbSBcIi4vcGFnZXNcIjtcbmltcG9ydCB7IFNlcnZlciB9IGZyb20gXCIuL3NlcnZlclwiO1xuXG5mdW5jdGlvbiBzdGFydFByb2dyYW0oc2VydmVyOiBTZXJ2ZXIpOiBDaGlsZFByb2Nlc3Mge1xuICBjb25zdCBjaGlsZCA9IHNwYXduKFxuICAgIHByb2dyYW0sXG4gICAgW1xuICAgICAgLi4uW1wicnVuXCIsIFwiLWVcIiwgc2VydmVyLnVybCwgXCItLXByb3RvY29sXCIsIFwiaHR0cFwiLCBcIi1zXCIsIFwiY2hlY2tvdXRcIiwgXCItLW5vLXN1bW1hcnlcIiwgXCItLVwiXSxcbiAgICAgIC4uLltcInNoXCIsIFwiLWNcIiwgXCJ3aGlsZSA6OyBkbyBzbGVlcCAwLjI7IGRvbmVcIl0sXG4gICAgXSxcbiAgICB7IHN0ZGlvOiBcImlnbm9yZVwiLCBkZXRhY2hlZDogdHJ1ZSB9LFxuICApO1xuICBhdEVuZCgoKSA9PiB7XG4gICAgaWYgKGNoaWxkLmV4aXRDb2RlID09PSBudWxsKSBwcm9jZXNzLmtpbGwoLWNoaWxkLnBpZCEsIFwiU0lHVEVSTVwiKTtcbiAgICByZXR1cm4gUHJvbWlzZS5yZXNvbHZlKCk7XG4gIH0pO1xuICByZXR1cm4gY2hpbGQ7XG59XG5cbi8vIFdhaXQgZm9yIHVwIHRvIGEgbWludXRlOiBpbnN0YW5jZXMgcmVwb3J0IGV2ZXJ5IGZldyBzZWNvbmRzLlxuYXN5bmMgZnVuY3Rpb24gcGF0aWVudGx5KGNoZWNrOiAoKSA9PiBQcm9taXNlPGJvb2xlYW4+KSB7XG4gIGNvbnN0IGVuZCA9IERhdGUubm93KCkgKyA2MF8wMDA7XG4gIHdoaWxlICghKGF3YWl0IGNoZWNrKCkpKSB7XG4gICAgaWYgKERhdGUubm93KCkgPiBlbmQpIHRocm93IG5ldyBFcnJvcihcIm5vdCB3aXRoaW4gYSBtaW51dGVcIik7XG4gICAgYXdhaXQgbmV3IFByb21pc2UoKGRvbmUpID0+IHNldFRpbWVvdXQoZG9uZSwgMjAwKSk7XG4gIH1cbn1cblxuY29uc3Qgc3RhdGUgPSBhc3luYyAoczogU2VydmVyKSA9PlxuICAoYXdhaXQgKGF3YWl0IGZldGNoKGAke3MudXJsfS9hcGkvdjEvY29udHJvbD9zZXJ2aWNlPWNoZWNrb3V0YCkpLmpzb24oKSkgYXMge1xuICAgIGluc3RhbmNlczogeyBzZXR0aW5nczogeyBjcHVfaHo/OiBudW1iZXI7IHByb2ZpbGVzPzogc3RyaW5nW10gfTsgbGVhc2Vfc3RhdGU6IHN0cmluZyB9W107XG4gIH07XG5cbnRlc3QoXCJjb250cm9sOiBhIGNoYW5nZSBvZiB0aGUgcGFnZSByZWFjaGVzIHRoZSBwcm9ncmFtIGFuZCBpcyBvbiB0aGUgdGltZWxpbmVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gIHMucHVzaChqb2luKHNvdXJjZVJvb3QsIFwiZXhhbXBsZXMvY2hlY2tvdXQucGIuZ3pcIiksIFwiY2hlY2tvdXRcIiwgXCItLXRpbWVcIiwgXCJub3ctNW1cIik7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXRgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ29udHJvbFwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRleHQoXCJObyBpbnN0YW5jZSBvZiBjaGVja291dCByZXBvcnRzIHRvIHRoaXMgc2VydmVyXCIpLndhaXRGb3IoKTtcbiAgICBzdGFydFByb2dyYW0ocyk7XG4gICAgY29uc3QgZm9ybSA9IHBhZ2UubG9jYXRvcihcIi5jb250cm9sLWZvcm1cIik7XG4gICAgYXdhaXQgZm9ybS53YWl0Rm9yKHsgdGltZW91dDogNjBfMDAwIH0pO1xuICAgIGF3YWl0IGZvcm0uZ2V0QnlMYWJlbChcIkNQVSBzYW1wbGVzIHBlciBzZWNvbmRcIikuZmlsbChcIjI1MFwiKTtcbiAgICBhd2FpdCBmb3JtLmdldEJ5TGFiZWwoXCJoZWFwXCIpLnVuY2hlY2soKTtcbiAgICBhd2FpdCBmb3JtLmdldEJ5TGFiZWwoXCJ3YWxsXCIpLmNoZWNrKCk7XG4gICAgYXdhaXQgZm9ybS5nZXRCeUxhYmVsKFwiUmVhc29uXCIpLmZpbGwoXCJhIHRlc3Qgb2YgdGhlIHBhZ2VcIik7XG4gICAgYXdhaXQgZm9ybS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkFwcGx5XCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcIkluIGVmZmVjdFwiKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGF0aWVudGx5KGFzeW5jICgpID0+IHtcbiAgICAgIGNvbnN0IHsgaW5zdGFuY2VzIH0gPSBhd2FpdCBzdGF0ZShzKTtcbiAgICAgIHJldHVybiBpbnN0YW5jZXMuc29tZShcbiAgICAgICAgKGkpID0+XG4gICAgICAgICAgaS5sZWFzZV9zdGF0ZSA9PT0gXCJhcHBsaWVkXCIgJiZcbiAgICAgICAgICBpLnNldHRpbmdzLmNwdV9oeiA9PT0gMjUwICYmXG4gICAgICAgICAgaS5zZXR0aW5ncy5wcm9maWxlcz8uam9pbigpID09PSBcImNwdSx3YWxsXCIsXG4gICAgICApO1xuICAgIH0pO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlUZXh0KC9cXGQrIGFwcGxpZWQvKS53YWl0Rm9yKHsgdGltZW91dDogNjBfMDAwIH0pO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJFbmQgbm93XCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYXRpZW50bHkoYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgeyBpbnN0YW5jZXMgfSA9IGF3YWl0IHN0YXRlKHMpO1xuICAgICAgcmV0dXJuIGluc3RhbmNlcy5zb21lKChpKSA9PiBpLmxlYXNlX3N0YXRlID09PSBcImVuZGVkXCIgJiYgaS5zZXR0aW5ncy5jcHVfaHogPT09IDEwMCk7XG4gICAgfSk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBjb25zdCBldmVudHMgPSBwYWdlLmdldEJ5Um9sZShcImxpc3RcIiwgeyBuYW1lOiBcIkV2ZW50c1wiIH0pO1xuICAgIGF3YWl0IGV2ZW50cy53YWl0Rm9yKCk7XG4gICAgY29uc3QgdGV4dCA9IChhd2FpdCBldmVudHMudGV4dENvbnRlbnQoKSkgPz8gXCJcIjtcbiAgICBhc3NlcnQubWF0Y2godGV4dCwgL0NoYW5nZWQ6IGNwdV9oej0yNTAgcHJvZmlsZXM9Y3B1LHdhbGwgZm9yIDYwIHMgb24gXFxkKyBpbnN0YW5jZXMvKTtcbiAgICBhc3NlcnQubWF0Y2godGV4dCwgLzogYSB0ZXN0IG9mIHRoZSBwYWdlLyk7XG4gICAgYXNzZXJ0Lm1hdGNoKHRleHQsIC9FbmRlZDogZW5kZWQgYmVmb3JlIGl0cyB0aW1lLyk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJjYXB0dXJlOiBhIHByb2ZpbGUgb2YgdGhlIHJ1bm5pbmcgcHJvZ3JhbSBpcyB0YWtlbiwgb3BlbmVkIGFuZCBzYXZlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgcy5wdXNoKGpvaW4oc291cmNlUm9vdCwgXCJleGFtcGxlcy9jaGVja291dC5wYi5nelwiKSwgXCJjaGVja291dFwiLCBcIi0tdGltZVwiLCBcIm5vdy01bVwiKTtcbiAgc3RhcnRQcm9ncmFtKHMpO1xuICBhd2FpdCBwYXRpZW50bHkoYXN5bmMgKCkgPT4gKGF3YWl0IHN0YXRlKHMpKS5pbnN0YW5jZXMubGVuZ3RoID4gMCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXRgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ2FwdHVyZVwiIH0pLmNsaWNrKCk7XG4gICAgY29uc3QgcGFuZWwgPSBwYWdlLmxvY2F0b3IoXCIuY29udHJvbC1wYW5lbFwiKTtcbiAgICBjb25zdCB0YWtlID0gcGFuZWwuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJUYWtlIGEgcHJvZmlsZVwiIH0pO1xuICAgIGF3YWl0IHBhbmVsLmdldEJ5TGFiZWwoXCJQcm9maWxlXCIpLnNlbGVjdE9wdGlvbihcIndhbGxcIik7XG4gICAgYXdhaXQgcGFuZWwuZ2V0QnlMYWJlbChcIkZvclwiLCB7IGV4YWN0OiB0cnVlIH0pLnNlbGVjdE9wdGlvbihcIjVcIik7XG4gICAgYXdhaXQgdGFrZS5jbGljaygpO1xuICAgIGF3YWl0IHBhbmVsLmdldEJ5VGV4dChcIlRha2luZyBhIHByb2ZpbGUgb2YgNSBzOiAwIG9mIDFcIikud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCB0YWtlLmlzRGlzYWJsZWQoKSwgdHJ1ZSk7XG4gICAgLy8gaXQgZ29lcyBvbiB3aGlsZSB0aGUgcGFuZWwgaXMgY2xvc2VkXG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkNhcHR1cmVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoMTUwMCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkNhcHR1cmVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhbmVsLmdldEJ5VGV4dChcIjEgb2YgMSBwcm9maWxlc1wiKS53YWl0Rm9yKHsgdGltZW91dDogNjBfMDAwIH0pO1xuICAgIGNvbnN0IHNhdmVkID0gcGFnZS53YWl0Rm9yRXZlbnQoXCJkb3dubG9hZFwiKTtcbiAgICBhd2FpdCBwYW5lbC5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlNhdmVcIiB9KS5jbGljaygpO1xuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgc2F2ZWQpLnN1Z2dlc3RlZEZpbGVuYW1lKCksIC9eY2hlY2tvdXQtd2FsbC1cXGQrXFwucGJcXC5neiQvKTtcbiAgICBhd2FpdCBwYW5lbC5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIk9wZW5cIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclVSTCgvZmlsZT0vKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dCgvY2hlY2tvdXQtd2FsbC1cXGQrXFwucGJcXC5nei8pLmZpcnN0KCkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBBIHJlZ3Jlc3Npb24gaXMgYSBtYXJrIG9uIHRoZSB0aW1lbGluZSBvZiBpdHMgc2VydmljZSwgd2l0aCBhIGxpbmsgdG8gdGhlIGNvbXBhcmlzb24uXG5pbXBvcnQgYXNzZXJ0IGZyb20gXCJub2RlOmFzc2VydC9zdHJpY3RcIjtcbmltcG9ydCB7IGRpcm5hbWUsIGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBzcGF3blN5bmMgfSBmcm9tIFwibm9kZTpjaGlsZF9wcm9jZXNzXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgcHJvZ3JhbSwgdGVtcG9yYXJ5LCB3aXRoUGFnZSB9IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuYXN5bmMgZnVuY3Rpb24gY291bnQoczogU2VydmVyKTogUHJvbWlzZTxudW1iZXI+IHtcbiAgcmV0dXJuICgoYXdhaXQgKGF3YWl0IGZldGNoKGAke3MudXJsfS9hcGkvdjEvZHJpZnRgKSkuanNvbigpKSBhcyB7IGNvdW50OiBudW1iZXIgfSkuY291bnQ7XG59XG5cbnRlc3QoXCJkcmlmdDogYSByZWdyZXNzaW9uIGlzIG9uIHRoZSB0aW1lbGluZSBhbmQgbGVhZHMgdG8gdGhlIGNvbXBhcmlzb25cIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBkYXRhID0gam9pbih0ZW1wb3JhcnkoKSwgXCJkcmlmdFwiKTtcbiAgY29uc3QgZmlsbCA9IGpvaW4oZGlybmFtZShwcm9ncmFtKSwgXCJ0ZXN0c1wiLCBcImRyaWZ0X2ZpbGxcIik7XG4gIGFzc2VydC5lcXVhbChzcGF3blN5bmMoZmlsbCwgW2RhdGEsIFwiXCIsIFwic2hvcFwiLCBcIjNcIiwgXCIzNlwiXSkuc3RhdHVzLCAwKTtcbiAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoZGF0YSwgW1wiLS1zZXQ9c2VydmljZTo6ZHJpZnQ6OmNwdV9wZXJjZW50PTEwMFwiXSkuc3RhcnQoKTtcbiAgY29uc3QgZW5kID0gRGF0ZS5ub3coKSArIDYwXzAwMDtcbiAgd2hpbGUgKChhd2FpdCBjb3VudChzKSkgPT09IDApIHtcbiAgICBhc3NlcnQub2soRGF0ZS5ub3coKSA8IGVuZCwgXCJub3QgZm91bmQgd2l0aGluIGEgbWludXRlXCIpO1xuICAgIGF3YWl0IG5ldyBQcm9taXNlKChkb25lKSA9PiBzZXRUaW1lb3V0KGRvbmUsIDIwMCkpO1xuICB9XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9c2hvcCZmcm9tPW5vdy0xZGApO1xuICAgIGNvbnN0IGV2ZW50cyA9IHBhZ2UuZ2V0QnlSb2xlKFwibGlzdFwiLCB7IG5hbWU6IFwiRXZlbnRzXCIgfSk7XG4gICAgYXdhaXQgZXZlbnRzLndhaXRGb3IoKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IGV2ZW50cy50ZXh0Q29udGVudCgpKSA/PyBcIlwiLCAvUmVncmVzc2lvbjogd29ya18yIGNvc3RzIFxcZCsgJSBtb3JlLyk7XG4gICAgaWYgKHByb2Nlc3MuZW52LlBJQ1RVUkVTKSBhd2FpdCBwYWdlLnNjcmVlbnNob3QoeyBwYXRoOiBgJHtwcm9jZXNzLmVudi5QSUNUVVJFU30vZHJpZnQtdGltZWxpbmUucG5nYCB9KTtcbiAgICBhd2FpdCBldmVudHMuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiQ29tcGFyZVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS53YWl0Rm9yVVJMKC9cXC9jb21wYXJlXFw/Lyk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRleHQoXCJ3b3JrXzJcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgaWYgKHByb2Nlc3MuZW52LlBJQ1RVUkVTKSBhd2FpdCBwYWdlLnNjcmVlbnNob3QoeyBwYXRoOiBgJHtwcm9jZXNzLmVudi5QSUNUVVJFU30vZHJpZnQtY29tcGFyZS5wbmdgIH0pO1xuICB9KTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBCcm93c2VyIHRlc3RzIG9mIHNlcnZpY2VzLCBzZWxlY3Rpb24sIHRpbWVsaW5lLCB0YWJsZSBhbmQgZ3JhcGgsIG9uIGEgcmVhbCBzZXJ2ZXIgd2l0aCBrbm93blxuLy8gZGF0YS5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgZm9sZGVkLCBzY3JlZW5zaG90LCBzb3VyY2VSb290LCB0ZW1wb3JhcnksIHdpdGhQYWdlIH0gZnJvbSBcIi4vcGFnZXNcIjtcbmltcG9ydCB7IFNlcnZlciB9IGZyb20gXCIuL3NlcnZlclwiO1xuXG5jb25zdCBob3N0aWxlID0gW1xuICAnPGltZyBzcmM9eCBvbmVycm9yPVwid2luZG93LmhhY2tlZD0xXCI+JyxcbiAgXCJcXHUyMDJlZ25wLmV4ZVwiLFxuICBcIlx1RDgzRFx1REUwMCBlbW9qaSBcdTUxRkRcdTY1NzBcIixcbiAgXCJ4XCIucmVwZWF0KDEwXzAwMCksXG4gIFwiYSBiXFx0Y1wiLFxuICBcIjwvc2NyaXB0PjxzY3JpcHQ+d2luZG93LmhhY2tlZD0xPC9zY3JpcHQ+XCIsXG5dO1xuXG5sZXQga25vd246IFByb21pc2U8U2VydmVyPiB8IG51bGwgPSBudWxsO1xuXG4vLyBjaGVja291dCBpbiB0d28gdmVyc2lvbnMsIGEgc21hbGwgc2VydmljZSB3aXRoIHJvdW5kIG51bWJlcnMsIGFuZCBvbmUgd2l0aCBob3N0aWxlIG5hbWVzLlxuZnVuY3Rpb24gc2VydmVyKCk6IFByb21pc2U8U2VydmVyPiB7XG4gIGtub3duID8/PSAoYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgICBjb25zdCBmaWxlcyA9IHRlbXBvcmFyeSgpO1xuICAgIHMucHVzaChcbiAgICAgIGpvaW4oc291cmNlUm9vdCwgXCJleGFtcGxlcy9jaGVja291dC5wYi5nelwiKSxcbiAgICAgIFwiY2hlY2tvdXRcIixcbiAgICAgIFwiLS1sYWJlbFwiLFxuICAgICAgXCJ2ZXJzaW9uPXYxXCIsXG4gICAgICBcIi0tdGltZVwiLFxuICAgICAgXCJub3ctMjBtXCIsXG4gICAgKTtcbiAgICBzLnB1c2goXG4gICAgICBqb2luKHNvdXJjZVJvb3QsIFwiZXhhbXBsZXMvY2hlY2tvdXQtc2xvdy5wYi5nelwiKSxcbiAgICAgIFwiY2hlY2tvdXRcIixcbiAgICAgIFwiLS1sYWJlbFwiLFxuICAgICAgXCJ2ZXJzaW9uPXYyXCIsXG4gICAgICBcIi0tdGltZVwiLFxuICAgICAgXCJub3ctNW1cIixcbiAgICApO1xuICAgIHMucHVzaChcbiAgICAgIGZvbGRlZChqb2luKGZpbGVzLCBcInNtYWxsLmZvbGRlZFwiKSwge1xuICAgICAgICBcIm1haW47cGFyc2U7cmVhZFwiOiAzMCxcbiAgICAgICAgXCJtYWluO3BhcnNlXCI6IDEwLFxuICAgICAgICBcIm1haW47d3JpdGVcIjogNjAsXG4gICAgICB9KSxcbiAgICAgIFwic21hbGxcIixcbiAgICApO1xuICAgIHMucHVzaChcbiAgICAgIGZvbGRlZChcbiAgICAgICAgam9pbihmaWxlcywgXCJob3N0aWxlLmZvbGRlZFwiKSxcbiAgICAgICAgT2JqZWN0LmZyb21FbnRyaWVzKGhvc3RpbGUubWFwKChuYW1lLCBpKSA9PiBbYG1haW47JHtuYW1lLnJlcGxhY2VBbGwoXCI7XCIsIFwiLFwiKX1gLCBpICsgMV0pKSxcbiAgICAgICksXG4gICAgICBcImhvc3RpbGVcIixcbiAgICApO1xuICAgIHJldHVybiBzO1xuICB9KSgpO1xuICByZXR1cm4ga25vd247XG59XG5cbmNvbnN0IHJvd3MgPSAocGFnZTogUGFnZSkgPT4gcGFnZS5sb2NhdG9yKCdbYXJpYS1sYWJlbD1cIkZ1bmN0aW9uc1wiXSAuZGF0YS1yb3cnKTtcbmNvbnN0IHRleHQgPSBhc3luYyAocGFnZTogUGFnZSwgc2VsZWN0b3I6IHN0cmluZykgPT5cbiAgKChhd2FpdCBwYWdlLmxvY2F0b3Ioc2VsZWN0b3IpLmZpcnN0KCkudGV4dENvbnRlbnQoKSkgPz8gXCJcIikudHJpbSgpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMTkyMCwgMzkwXSlcbiAgICB0ZXN0KGBleHBsb3JlOiBzZXJ2aWNlcyBhbmQgcHJvZmlsZXMsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoXG4gICAgICAgIHsgY29sb3JTY2hlbWU6IHRoZW1lLCB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwIH0gfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L2ApO1xuICAgICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zZXJ2aWNlXCIpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgICAgICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCJodG1sXCIpLmdldEF0dHJpYnV0ZShcImRhdGEtdGhlbWVcIiksIHRoZW1lKTtcbiAgICAgICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIGBzZXJ2aWNlcy0ke3RoZW1lfS0ke3dpZHRofWApO1xuICAgICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zZXJ2aWNlLWxpbmtcIiwgeyBoYXNUZXh0OiBcImNoZWNrb3V0XCIgfSkuY2xpY2soKTtcbiAgICAgICAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcImNhbnZhc1wiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICAgICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IGRvY3VtZW50LmRvY3VtZW50RWxlbWVudC5zY3JvbGxXaWR0aCA+IGlubmVyV2lkdGgpLFxuICAgICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgICBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIixcbiAgICAgICAgICApO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHByb2ZpbGVzLSR7dGhlbWV9LSR7d2lkdGh9YCk7XG4gICAgICAgIH0sXG4gICAgICApO1xuICAgIH0pO1xuXG50ZXN0KFwiZXhwbG9yZTogc2VydmljZXMgYXJlIHNvcnRlZCBieSBjb3N0LCB3aXRoIHRoZSBzZXJ2ZXIncyB0b3RhbHNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNlcnZpY2UtdG90YWxcIiwgeyBoYXNUZXh0OiBcIjE1LjMgc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgdGV4dChwYWdlLCBcIi5zZXJ2aWNlLW5hbWVcIiksIFwiY2hlY2tvdXRcIik7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zZXJ2aWNlXCIpLmNvdW50KCksIDMpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikud2FpdEZvcih7IHN0YXRlOiBcImRldGFjaGVkXCIgfSk7IC8vIHRocmVlIHNlcnZpY2VzIG5lZWQgbm8gZmlsdGVyXG4gIH0pO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiB0aGUgdGFibGUgaGFzIHRoZSByb3dzIG9mIHZhcnZlIHF1ZXJ5IHRvcFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgZXhwZWN0ZWQgPSBKU09OLnBhcnNlKFxuICAgIHMucXVlcnkoXCJ0b3BcIiwgXCJjaGVja291dFwiLCBcIi0tZnJvbVwiLCBcIm5vdy0xaFwiLCBcIi1uXCIsIFwiNVwiLCBcIi0tanNvblwiKSxcbiAgKSBhcyB7XG4gICAgcm93czogeyBzZWxmOiBudW1iZXI7IHRvdGFsOiBudW1iZXI7IG5hbWU/OiBzdHJpbmc7IGZ1bmN0aW9uPzogc3RyaW5nIH1bXTtcbiAgfTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRhYmxlYCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBmb3IgKGNvbnN0IFtpLCByb3ddIG9mIGV4cGVjdGVkLnJvd3MuZW50cmllcygpKSB7XG4gICAgICBjb25zdCBzaG93biA9IChhd2FpdCByb3dzKHBhZ2UpLm50aChpKS50ZXh0Q29udGVudCgpKSE7XG4gICAgICBhc3NlcnQub2soc2hvd24uc3RhcnRzV2l0aChyb3cubmFtZSA/PyByb3cuZnVuY3Rpb24hKSwgc2hvd24pO1xuICAgIH1cbiAgICBjb25zdCBsaW5lcyA9IHMucXVlcnkoXCJ0b3BcIiwgXCJjaGVja291dFwiLCBcIi0tZnJvbVwiLCBcIm5vdy0xaFwiLCBcIi1uXCIsIFwiNVwiKS5zcGxpdChcIlxcblwiKTtcbiAgICBjb25zdCBmaXJzdCA9IChhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkudGV4dENvbnRlbnQoKSkhO1xuICAgIGNvbnN0IGNlbGxzID0gbGluZXNcbiAgICAgIC5maW5kKChsKSA9PiBsLmluY2x1ZGVzKGV4cGVjdGVkLnJvd3NbMF0ubmFtZSA/PyBleHBlY3RlZC5yb3dzWzBdLmZ1bmN0aW9uISkpIVxuICAgICAgLnRyaW0oKVxuICAgICAgLnNwbGl0KC9cXHN7Mix9Lyk7XG4gICAgYXNzZXJ0Lm9rKGZpcnN0LmluY2x1ZGVzKGNlbGxzWzBdKSwgYCR7Zmlyc3R9IGhhcyAke2NlbGxzWzBdfWApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogYSBkcmFnIG9uIHRoZSB0aW1lbGluZSBzZWxlY3RzIHRoZSByYW5nZSBpbiB0aGUgYWRkcmVzcywgYW5kIGJhY2sgcmVzdG9yZXMgaXRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmdmlldz10YWJsZWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5IHN0cm9uZ1wiLCB7IGhhc1RleHQ6IFwiMTUuMyBzXCIgfSkud2FpdEZvcigpO1xuICAgIGNvbnN0IGNoYXJ0ID0gKGF3YWl0IHBhZ2UubG9jYXRvcihcIi51LW92ZXJcIikuYm91bmRpbmdCb3goKSkhO1xuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShjaGFydC54ICsgY2hhcnQud2lkdGggKiAwLjgsIGNoYXJ0LnkgKyAyMCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuOTksIGNoYXJ0LnkgKyAzMCwgeyBzdGVwczogNSB9KTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLnVwKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCI5LjE2IHNcIiB9KS53YWl0Rm9yKCk7IC8vIHYyIGFsb25lXG4gICAgYXNzZXJ0Lm1hdGNoKHBhZ2UudXJsKCksIC9mcm9tPVxcZHsxM30mdG89XFxkezEzfS8pO1xuICAgIGF3YWl0IHBhZ2UucmVsb2FkKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCI5LjE2IHNcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nb0JhY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIiwgeyBoYXNUZXh0OiBcIjE1LjMgc1wiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcImV4cGxvcmU6IGEgZG91YmxlIGNsaWNrIG9uIHRoZSB0aW1lbGluZSB6b29tcyBvdXQgYW5kIG5ldmVyIGxlYXZlcyB0aGUgcGFnZVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRhYmxlJmZyb209bm93LTMwbWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi51LW92ZXJcIikud2FpdEZvcigpO1xuICAgIGNvbnN0IGNoYXJ0ID0gKGF3YWl0IHBhZ2UubG9jYXRvcihcIi51LW92ZXJcIikuYm91bmRpbmdCb3goKSkhO1xuICAgIGF3YWl0IHBhZ2UubW91c2UuZGJsY2xpY2soY2hhcnQueCArIGNoYXJ0LndpZHRoICogMC41LCBjaGFydC55ICsgMjApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5yYW5nZS10ZXh0XCIsIHsgaGFzVGV4dDogXCJMYXN0IGhvdXJcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKG5ldyBVUkwocGFnZS51cmwoKSkucGF0aG5hbWUsIFwiL3Byb2ZpbGVzXCIpO1xuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShjaGFydC54ICsgY2hhcnQud2lkdGggKiAwLjgsIGNoYXJ0LnkgKyAyMCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuOTksIGNoYXJ0LnkgKyAzMCwgeyBzdGVwczogNSB9KTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLnVwKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBwYXJ0XCIsIGFzeW5jICgpID0+IC9mcm9tPVxcZHsxM30vLnRlc3QocGFnZS51cmwoKSkpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoNjAwKTsgLy8gb3RoZXJ3aXNlIHRoZSBwcmVzcyB3b3VsZCBiZSBwYXJ0IG9mIGEgZG91YmxlIGNsaWNrXG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kYmxjbGljayhjaGFydC54ICsgY2hhcnQud2lkdGggKiAwLjUsIGNoYXJ0LnkgKyAyMCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnJhbmdlLXRleHRcIiwgeyBoYXNUZXh0OiBcIkxhc3QgaG91clwiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcImV4cGxvcmU6IGEgZHJhZyB0aGF0IGJlZ2lucyBqdXN0IGJlZm9yZSB0aGUgY2hhcnQgaXMgcmVkcmF3biBzdGlsbCBzZWxlY3RzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9dGFibGUmZnJvbT1ub3ctMzBtYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnUtb3ZlclwiKS53YWl0Rm9yKCk7XG4gICAgY29uc3QgY2hhcnQgPSAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnUtb3ZlclwiKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgYXdhaXQgcGFnZS5ldmFsdWF0ZShcbiAgICAgICh7IHgsIHkgfSkgPT4ge1xuICAgICAgICBjb25zdCBhdCA9IChzaGFyZTogbnVtYmVyKSA9PiAoe1xuICAgICAgICAgIGJ1YmJsZXM6IHRydWUsXG4gICAgICAgICAgYnV0dG9uOiAwLFxuICAgICAgICAgIGNsaWVudFg6IHggKyBzaGFyZSxcbiAgICAgICAgICBjbGllbnRZOiB5LFxuICAgICAgICB9KTtcbiAgICAgICAgY29uc3Qgd2F0Y2ggPSBuZXcgTXV0YXRpb25PYnNlcnZlcigoKSA9PiB7XG4gICAgICAgICAgaWYgKCFkb2N1bWVudC5xdWVyeVNlbGVjdG9yKFwiLnJhbmdlLXRleHRcIik/LnRleHRDb250ZW50Py5pbmNsdWRlcyhcIkxhc3QgaG91clwiKSkgcmV0dXJuO1xuICAgICAgICAgIHdhdGNoLmRpc2Nvbm5lY3QoKTsgLy8gdGhlIHBhZ2UgaGFzIHRoZSBuZXcgcmFuZ2UsIGFuZCB3YXMgbm90IHBhaW50ZWQgc2luY2VcbiAgICAgICAgICBkb2N1bWVudC5xdWVyeVNlbGVjdG9yKFwiLnUtb3ZlclwiKSEuZGlzcGF0Y2hFdmVudChuZXcgTW91c2VFdmVudChcIm1vdXNlZG93blwiLCBhdCgwKSkpO1xuICAgICAgICAgIHNldFRpbWVvdXQoKCkgPT4ge1xuICAgICAgICAgICAgZm9yIChjb25zdCBtb3ZlZCBvZiBbMTAsIDQwLCA4MF0pXG4gICAgICAgICAgICAgIGRvY3VtZW50XG4gICAgICAgICAgICAgICAgLnF1ZXJ5U2VsZWN0b3IoXCIudS1vdmVyXCIpIVxuICAgICAgICAgICAgICAgIC5kaXNwYXRjaEV2ZW50KG5ldyBNb3VzZUV2ZW50KFwibW91c2Vtb3ZlXCIsIGF0KG1vdmVkKSkpO1xuICAgICAgICAgICAgZG9jdW1lbnQucXVlcnlTZWxlY3RvcihcIi51LW92ZXJcIikhLmRpc3BhdGNoRXZlbnQobmV3IE1vdXNlRXZlbnQoXCJtb3VzZXVwXCIsIGF0KDgwKSkpO1xuICAgICAgICAgIH0sIDEwMDApO1xuICAgICAgICB9KTtcbiAgICAgICAgd2F0Y2gub2JzZXJ2ZShkb2N1bWVudC5ib2R5LCB7IHN1YnRyZWU6IHRydWUsIGNoaWxkTGlzdDogdHJ1ZSwgY2hhcmFjdGVyRGF0YTogdHJ1ZSB9KTtcbiAgICAgIH0sXG4gICAgICB7IHg6IGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuOCwgeTogY2hhcnQueSArIDIwIH0sXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLmRibGNsaWNrKGNoYXJ0LnggKyBjaGFydC53aWR0aCAqIDAuNSwgY2hhcnQueSArIDIwKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIHBhcnRcIiwgYXN5bmMgKCkgPT4gL2Zyb209XFxkezEzfS8udGVzdChwYWdlLnVybCgpKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiBsYWJlbHMgYXJlIHNlbGVjdGVkIHdpdGggdGhlaXIgc2hhcmVzLCBhbmQgdGhlIHRpbWVsaW5lIGlzIGdyb3VwZWQgYnkgYSBsYWJlbFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRhYmxlYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIisgTGFiZWxcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5waWNrXCIsIHsgaGFzVGV4dDogXCJ2ZXJzaW9uXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIucGlja1wiLCB7IGhhc1RleHQ6IFwidjFcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0Lm1hdGNoKFxuICAgICAgKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5waWNrXCIsIHsgaGFzVGV4dDogXCJ2MVwiIH0pLnRleHRDb250ZW50KCkpISxcbiAgICAgIC82XFwuMTMgcy4qNDBcXC4xJS8sXG4gICAgKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwibGFiZWxzXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5waWNrXCIsIHsgaGFzVGV4dDogXCJ2MVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCI2LjEzIHNcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlJlbW92ZSB2ZXJzaW9uXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJHcm91cCB0aW1lbGluZSBieVwiKS5zZWxlY3RPcHRpb24oXCJ2ZXJzaW9uXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5sZWdlbmRcIiwgeyBoYXNUZXh0OiBcInYyXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJ0aW1lbGluZS1ieS1sYWJlbFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubGVnZW5kIGJ1dHRvblwiLCB7IGhhc1RleHQ6IFwidjJcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5IHN0cm9uZ1wiLCB7IGhhc1RleHQ6IFwiOS4xNiBzXCIgfSkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogdGhlIHNlYXJjaCBmaWx0ZXJzIHRoZSB0YWJsZSwgYW5kIGZpbHRlcnMgY2hhbmdlIHRoZSBzdW1zXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXNtYWxsYCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcImFsbCBmdW5jdGlvbnNcIiwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IDQpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcInBhcnNlXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJvbmUgZnVuY3Rpb25cIiwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IDEpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcIi9eKHJlYWR8d3JpdGUpJC9cIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInR3byBmdW5jdGlvbnNcIiwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IDIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9c21hbGwmZm9jdXM9cGFyc2VgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeVwiLCB7IGhhc1RleHQ6IFwiNDAgKDQwLjAlKSBhZnRlciBmaWx0ZXJzXCIgfSkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZToga2V5Ym9hcmQgb25seVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9gKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZVwiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLndhaXRGb3JUaW1lb3V0KDMwMCk7IC8vIGtleXMgYXJlIHJlZ2lzdGVyZWQgc2hvcnRseSBhZnRlciB0aGUgZmlyc3QgcGFpbnRcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiP1wiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImRpYWxvZ1wiLCB7IG5hbWU6IFwiS2V5Ym9hcmQgc2hvcnRjdXRzXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJkaWFsb2dcIiwgeyBuYW1lOiBcIktleWJvYXJkIHNob3J0Y3V0c1wiIH0pLndhaXRGb3IoeyBzdGF0ZTogXCJkZXRhY2hlZFwiIH0pO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgZmlyc3Qgc2VydmljZSBoYXMgdGhlIGZvY3VzXCIsIGFzeW5jICgpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJUYWJcIik7XG4gICAgICByZXR1cm4gcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5hY3RpdmVFbGVtZW50Py5jbGFzc0xpc3QuY29udGFpbnMoXCJzZXJ2aWNlLWxpbmtcIikpO1xuICAgIH0pO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJ0XCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgdGFibGUgYWxvbmVcIiwgYXN5bmMgKCkgPT4gcGFnZS51cmwoKS5pbmNsdWRlcyhcInZpZXc9dGFibGVcIikpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kYXRhLWJvZHlcIikuZm9jdXMoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiQXJyb3dEb3duXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0Rvd25cIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBzZWNvbmQgcm93XCIsIGFzeW5jICgpID0+IC9mdW5jdGlvbj0vLnRlc3QocGFnZS51cmwoKSkpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCIvXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudHlwZShcInNvcnRcIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBzZWFyY2hcIiwgYXN5bmMgKCkgPT4gcGFnZS51cmwoKS5pbmNsdWRlcyhcInNlYXJjaD1zb3J0XCIpKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRXNjYXBlXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJmXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcImNhbnZhc1wiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBjb25zdCB0aGVtZSA9IGF3YWl0IHBhZ2UubG9jYXRvcihcImh0bWxcIikuZ2V0QXR0cmlidXRlKFwiZGF0YS10aGVtZVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiVFwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiVFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJhbm90aGVyIHRoZW1lXCIsXG4gICAgICBhc3luYyAoKSA9PiAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiaHRtbFwiKS5nZXRBdHRyaWJ1dGUoXCJkYXRhLXRoZW1lXCIpKSAhPT0gdGhlbWUsXG4gICAgKTtcbiAgfSk7XG59KTtcblxudGVzdChcImV4cGxvcmU6IGhvc3RpbGUgbmFtZXMgYXJlIHJlbmRlcmVkIGFzIHRleHRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGZvciAoY29uc3QgdmlldyBvZiBbXCJib3RoXCIsIFwiZmxhbWVcIiwgXCJ0YWJsZVwiXSkge1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1ob3N0aWxlJnZpZXc9JHt2aWV3fWApO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCIyMVwiIH0pLndhaXRGb3IoKTtcbiAgICAgIGFzc2VydC5lcXVhbChcbiAgICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiAod2luZG93IGFzIHVua25vd24gYXMgeyBoYWNrZWQ/OiBudW1iZXIgfSkuaGFja2VkKSxcbiAgICAgICAgdW5kZWZpbmVkLFxuICAgICAgKTtcbiAgICB9XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1ob3N0aWxlYCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiaW1nXCIpLmNvdW50KCksIDApO1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICBmYWxzZSxcbiAgICApO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJob3N0aWxlXCIpO1xuICAgIGNvbnN0IGxpbmsgPVxuICAgICAgYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PSR7ZW5jb2RlVVJJQ29tcG9uZW50KCc8YiBvbmxvYWQ9XCJ4XCI+e2E9XCInKX1gICtcbiAgICAgIGAmc2VhcmNoPSR7ZW5jb2RlVVJJQ29tcG9uZW50KFwiPHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0PlwiKX0mdmlldz0lM0N4JTNFJmZ1bmN0aW9uPSUyMiUzRWA7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGxpbmspLmNhdGNoKCgpID0+IHVuZGVmaW5lZCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLm5vdGUuYmFkLCAuZW1wdHlcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiAod2luZG93IGFzIHVua25vd24gYXMgeyBoYWNrZWQ/OiBudW1iZXIgfSkuaGFja2VkKSxcbiAgICAgIHVuZGVmaW5lZCxcbiAgICApO1xuICAgIHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGMpID0+ICEvc3RhdHVzIG9mIDQwMC8udGVzdChjKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiB0YWJsZSBhbmQgZ3JhcGggaGF2ZSB0aGUgc2FtZSBtYXRjaGVzLCBhbmQgYm90aCByZXBvcnQgYW4gaW52YWxpZCBleHByZXNzaW9uXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oXG4gICAgICBgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmc2VhcmNoPSR7ZW5jb2RlVVJJQ29tcG9uZW50KFwiL15tYWluXFxcXC5bYS16XSskL1wiKX1gLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWZvdW5kXCIsIHsgaGFzVGV4dDogL2ZyYW1lcz86IC8gfSkud2FpdEZvcigpO1xuICAgIGNvbnN0IG5hbWVzID0gYXdhaXQgcGFnZVxuICAgICAgLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRnVuY3Rpb25zXCJdIFtyb2xlPWNlbGxdOmZpcnN0LWNoaWxkJylcbiAgICAgIC5hbGxUZXh0Q29udGVudHMoKTtcbiAgICBhc3NlcnQub2sobmFtZXMubGVuZ3RoID4gMCAmJiBuYW1lcy5ldmVyeSgobikgPT4gL15tYWluXFwuW2Etel0rJC8udGVzdChuKSksIG5hbWVzLmpvaW4oXCIsIFwiKSk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZzZWFyY2g9JHtlbmNvZGVVUklDb21wb25lbnQoXCIvKGpzb24vXCIpfWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1mb3VuZFwiLCB7IGhhc1RleHQ6IFwiVW50ZXJtaW5hdGVkIGdyb3VwXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2VcbiAgICAgIC5sb2NhdG9yKCdbYXJpYS1sYWJlbD1cIkZ1bmN0aW9uc1wiXScsIHsgaGFzVGV4dDogXCJVbnRlcm1pbmF0ZWQgZ3JvdXBcIiB9KVxuICAgICAgLmZpcnN0KClcbiAgICAgIC53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiBhIGtleSBjb3BpZXMgYSBsaW5rIHdpdGggYWJzb2x1dGUgdGltZXMgaW4gZWFjaCB2aWV3XCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7IHBlcm1pc3Npb25zOiBbXCJjbGlwYm9hcmQtcmVhZFwiLCBcImNsaXBib2FyZC13cml0ZVwiXSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGZvciAoY29uc3QgcGF0aCBvZiBbXG4gICAgICBcIi9cIixcbiAgICAgIFwiL3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9dHJlZVwiLFxuICAgICAgXCIvdHJhY2VzXCIsXG4gICAgICBcIi9jb21wYXJlP3F1ZXJ5PWNoZWNrb3V0XCIsXG4gICAgXSkge1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgcGF0aCk7XG4gICAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ29weSBhIGxpbmsgdG8gdGhpcyB2aWV3XCIgfSkud2FpdEZvcigpO1xuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcInlcIik7XG4gICAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcIkxpbmsgY29waWVkXCIpLndhaXRGb3IoKTtcbiAgICAgIGNvbnN0IGxpbmsgPSBuZXcgVVJMKGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gbmF2aWdhdG9yLmNsaXBib2FyZC5yZWFkVGV4dCgpKSk7XG4gICAgICBjb25zdCBmcm9tID0gTnVtYmVyKGxpbmsuc2VhcmNoUGFyYW1zLmdldChcImZyb21cIikpO1xuICAgICAgYXNzZXJ0LmVxdWFsKGxpbmsucGF0aG5hbWUsIHBhdGguc3BsaXQoXCI/XCIpWzBdKTtcbiAgICAgIGFzc2VydC5lcXVhbChOdW1iZXIobGluay5zZWFyY2hQYXJhbXMuZ2V0KFwidG9cIikpIC0gZnJvbSwgMzYwMGUzLCBsaW5rLmhyZWYpO1xuICAgICAgYXNzZXJ0Lm9rKE1hdGguYWJzKERhdGUubm93KCkgLSAzNjAwZTMgLSBmcm9tKSA8IDYwZTMsIGxpbmsuaHJlZik7XG4gICAgfVxuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogbWlzc2luZyBkYXRhIGlzIHJlcG9ydGVkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PW5vYm9keWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5lbXB0eVwiLCB7IGhhc1RleHQ6IFwiTm8gZGF0YSBmb3Igbm9ib2R5IGluIHRoaXMgcmFuZ2VcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJpbiB0aGUgbGFzdCAzMCBkYXlzXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmdHlwZT1ub25zZW5zZWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5lbXB0eVwiLCB7IGhhc1RleHQ6IFwibm9uc2Vuc2VcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkRlZmF1bHQgdHlwZVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnlcIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9Y2hlY2tvdXQmZnJvbT1ub3ctMzBkJnRvPW5vdy0yOWRgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudGltZWxpbmUtcGFuZWxcIiwgeyBoYXNUZXh0OiBcIk5vIGRhdGEgaW4gdGhpcyByYW5nZVwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZW1wdHlcIiwgeyBoYXNUZXh0OiBcIkxhdGVzdCBwcm9maWxlXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiU2hvdyBsYXRlc3RcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5XCIpLndhaXRGb3IoKTtcbiAgICBwYWdlLnBhZ2VFcnJvcnMgPSBwYWdlLnBhZ2VFcnJvcnMuZmlsdGVyKChjKSA9PiAhL3N0YXR1cyBvZiA0MDQvLnRlc3QoYykpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogYSBuZXcgc2VydmVyIHNob3dzIGhvdyB0byBzZW5kIGRhdGFcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRleHQoXCJObyBkYXRhIHJlY2VpdmVkIHlldFwiKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0Lm9rKChhd2FpdCBwYWdlLmxvY2F0b3IoXCJwcmVcIiwgeyBoYXNUZXh0OiBzLnVybCB9KS5jb3VudCgpKSA+IDMpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmaXJzdC1zdGFydFwiKTtcbiAgfSk7XG4gIGF3YWl0IHMuc3RvcCgpO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiB0aGUgaW5zdHJ1Y3Rpb25zIHN0YXkgdW50aWwgZGF0YSBvZiBhbm90aGVyIHByb2dyYW0gYXJyaXZlc1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgY29uc3QgZmlsZSA9IGZvbGRlZChqb2luKHRlbXBvcmFyeSgpLCBcIm93bi5mb2xkZWRcIiksIHsgXCJtYWluO3NlcnZlXCI6IDMgfSk7XG4gIHMucHVzaChmaWxlLCBcInZhcnZlXCIpOyAvLyB0aGUgbmFtZSBvZiB0aGUgc2VydmVyJ3Mgb3duIHByb2ZpbGVcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9gKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcIk5vIGRhdGEgcmVjZWl2ZWQgeWV0XCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3N0YXR1c2ApO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlUZXh0KFwiTm8gZGF0YSByZWNlaXZlZCB5ZXRcIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiaXRzIG93biBwcm9maWxlXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIiwgeyBoYXNUZXh0OiBcIjNcIiB9KS53YWl0Rm9yKCk7XG4gICAgcy5wdXNoKGZpbGUsIFwiYXBwXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNlcnZpY2UtbmFtZVwiLCB7IGhhc1RleHQ6IFwiYXBwXCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmdldEJ5VGV4dChcIk5vIGRhdGEgcmVjZWl2ZWQgeWV0XCIpLmNvdW50KCksIDApO1xuICB9KTtcbiAgYXdhaXQgcy5zdG9wKCk7XG59KTtcblxudGVzdChcImV4cGxvcmU6IHNlcnZpY2VzIHNob3cgbm8gY29zdCBiZWZvcmUgaXQgaXMgbG9hZGVkLCBhbmQgZG8gbm90IG1vdmUgYWZ0ZXJ3YXJkc1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgbGV0IHJlbGVhc2UgPSAoKSA9PiB7fTtcbiAgICBjb25zdCBoZWxkID0gbmV3IFByb21pc2U8dm9pZD4oKGRvbmUpID0+IChyZWxlYXNlID0gZG9uZSkpO1xuICAgIGF3YWl0IHBhZ2Uucm91dGUoXCIqKi9hcGkvdjEvc2VyaWVzKlwiLCBhc3luYyAocm91dGUpID0+IHtcbiAgICAgIGF3YWl0IGhlbGQ7XG4gICAgICBhd2FpdCByb3V0ZS5jb250aW51ZSgpO1xuICAgIH0pO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwiYSBwbGFjZSBmb3IgZWFjaCBzZXJ2aWNlXCIsXG4gICAgICBhc3luYyAoKSA9PiAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNlcnZpY2UucGVuZGluZ1wiKS5jb3VudCgpKSA9PT0gMyxcbiAgICApO1xuICAgIGFzc2VydC5kb2VzTm90TWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIm1haW5cIikudGV4dENvbnRlbnQoKSkhLCAvbm8gQ1BVIHRpbWV8MCB0b3RhbC8pO1xuICAgIGNvbnN0IGhlaWdodCA9IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZVwiKS5maXJzdCgpLmJvdW5kaW5nQm94KCkpIS5oZWlnaHQ7XG4gICAgcmVsZWFzZSgpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zZXJ2aWNlLW5hbWVcIiwgeyBoYXNUZXh0OiBcImNoZWNrb3V0XCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZS5wZW5kaW5nXCIpLmNvdW50KCksIDApO1xuICAgIGFzc2VydC5vayhcbiAgICAgIE1hdGguYWJzKChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZVwiKS5maXJzdCgpLmJvdW5kaW5nQm94KCkpIS5oZWlnaHQgLSBoZWlnaHQpIDwgMjQsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLnVucm91dGUoXCIqKi9hcGkvdjEvc2VyaWVzKlwiKTtcbiAgfSk7XG59KTtcblxudGVzdChcImV4cGxvcmU6IFByb2ZpbGVzIGFuZCBDb21wYXJlIHNlbmQgbm8gZXhwZW5zaXZlIHF1ZXJ5IHdpdGhvdXQgYSBzZWxlY3Rpb25cIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGNvbnN0IGFza2VkOiBzdHJpbmdbXSA9IFtdO1xuICAgIHBhZ2Uub24oXG4gICAgICBcInJlcXVlc3RcIixcbiAgICAgIChyKSA9PiAvYXBpXFwvdjFcXC8oZmxhbWV8dG9wfGRpZmZ8c2VyaWVzKS8udGVzdChyLnVybCgpKSAmJiBhc2tlZC5wdXNoKHIudXJsKCkpLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlc2ApO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiY2hlY2tvdXRcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9jb21wYXJlYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRleHQoXCJCb3RoIHNpZGVzIGFyZSB0aGUgc2FtZSBzZWxlY3Rpb25cIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvckxvYWRTdGF0ZShcIm5ldHdvcmtpZGxlXCIpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoYXNrZWQsIFtdKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJsaW5rXCIsIHsgbmFtZTogXCJzbWFsbFwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCIxMDBcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeUxhYmVsKFwiU2VydmljZVwiLCB7IGV4YWN0OiB0cnVlIH0pLnNlbGVjdE9wdGlvbihcIlwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJhbGwgc2VydmljZXMgaW4gdGhlIGFkZHJlc3NcIixcbiAgICAgIGFzeW5jICgpID0+IG5ldyBVUkwocGFnZS51cmwoKSkuc2VhcmNoUGFyYW1zLmdldChcInF1ZXJ5XCIpID09PSBcInt9XCIsXG4gICAgKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogdGhlIHRpbWVsaW5lIHNob3dzIHJhdGVzIGluIGJ1Y2tldHMgb2YgYWJzb2x1dGUgdGltZSwgdW5jaGFuZ2VkIGJ5IGEgcmVmcmVzaFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgdGltZXM6IG51bWJlcltdW10gPSBbXTtcbiAgICBwYWdlLm9uKFwicmVzcG9uc2VcIiwgYXN5bmMgKHIpID0+IHtcbiAgICAgIGlmICghci51cmwoKS5pbmNsdWRlcyhcIi9hcGkvdjEvc2VyaWVzXCIpKSByZXR1cm47XG4gICAgICBjb25zdCB7IHJvd3M6IGZvdW5kIH0gPSAoYXdhaXQgci5qc29uKCkpIGFzIHsgcm93czogeyBwb2ludHM6IFtudW1iZXIsIG51bWJlcl1bXSB9W10gfTtcbiAgICAgIHRpbWVzLnB1c2goZm91bmRbMF0ucG9pbnRzLm1hcCgoW3RdKSA9PiB0KSk7XG4gICAgfSk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXRhYmxlYCk7XG4gICAgYXdhaXQgcGFnZVxuICAgICAgLmxvY2F0b3IoXCIudGltZWxpbmUtY2FwdGlvblwiLCB7XG4gICAgICAgIGhhc1RleHQ6IFwiQ1BVIHRpbWUsIGNvcmVzIChDUFUgc2Vjb25kcyBwZXIgc2Vjb25kKSwgYXZlcmFnZSBvdmVyIDEwIHNcIixcbiAgICAgIH0pXG4gICAgICAud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoMTEwMCk7IC8vIHRoZSBuZXh0IHNlY29uZCwgc28gdGhlIHJhbmdlIGRpZmZlcnNcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiZ1wiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidHdvIGFuc3dlcnNcIiwgYXN5bmMgKCkgPT4gdGltZXMubGVuZ3RoID49IDIpO1xuICAgIGFzc2VydC5vayh0aW1lc1swXS5sZW5ndGggPiAwICYmIHRpbWVzWzBdLmV2ZXJ5KCh0KSA9PiB0ICUgMTBfMDAwID09PSAwKSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbCh0aW1lc1swXSwgdGltZXNbMV0pO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogZWFjaCBxdWVyeSBvZiBhIGxpbmsgaXMgc2VudCBvbmNlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBmb3IgKGNvbnN0IGxpbmsgb2YgW1xuICAgIFwiL1wiLFxuICAgIFwiL3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0XCIsXG4gICAgXCIvcHJvZmlsZXM/cXVlcnk9c21hbGwmdmlldz1mbGFtZSZieT1zZXJ2aWNlX25hbWUmZm9jdXM9cGFyc2VcIixcbiAgICBcIi9wcm9maWxlcz9xdWVyeT1jaGVja291dCZmcm9tPW5vdy0zMG0mdmlldz10YWJsZSZpbnZlcnQ9MVwiLFxuICBdKVxuICAgIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgY29uc3QgYXNrZWQ6IHN0cmluZ1tdID0gW107XG4gICAgICBwYWdlLm9uKFwicmVxdWVzdFwiLCAocikgPT4gci51cmwoKS5pbmNsdWRlcyhcIi9hcGkvdjEvXCIpICYmIGFza2VkLnB1c2goci51cmwoKSkpO1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKHMudXJsICsgbGluaywgeyB3YWl0VW50aWw6IFwibmV0d29ya2lkbGVcIiB9KTtcbiAgICAgIGFzc2VydC5vayhhc2tlZC5sZW5ndGggPj0gMiwgbGluayk7XG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKGFza2VkLmZpbHRlcigodXJsLCBpKSA9PiBhc2tlZC5pbmRleE9mKHVybCkgIT09IGkpLCBbXSwgbGluayk7XG4gICAgICBhc3NlcnQuZXF1YWwobmV3IFNldChhc2tlZC5tYXAoKHVybCkgPT4gbmV3IFVSTCh1cmwpLnBhdGhuYW1lKSkuc2l6ZSwgYXNrZWQubGVuZ3RoLCBsaW5rKTtcbiAgICB9KTtcbn0pO1xuXG50ZXN0KFwiZXhwbG9yZTogdmlld3MgdGhhdCBhcmUgbG9hZGVkIGxhdGVyIHdvcmsgd2hpbGUgdGhlIHNlcnZlciBpcyBkb3duXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICBzLnB1c2goZm9sZGVkKGpvaW4odGVtcG9yYXJ5KCksIFwiYS5mb2xkZWRcIiksIHsgXCJtYWluO2FcIjogMywgXCJtYWluO2JcIjogNCB9KSwgXCJhcHBcIik7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGNvbnN0IGxhdGVyID0gcGFnZS53YWl0Rm9yUmVzcG9uc2UoKHIpID0+IHIudXJsKCkuaW5jbHVkZXMoXCIvYXNzZXRzL2xhenlfdmlld3MtXCIpKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWFwcGApO1xuICAgIGF3YWl0IChhd2FpdCBsYXRlcikuZmluaXNoZWQoKTtcbiAgICBhd2FpdCBzLnN0b3AoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiZVwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcInRoZSBzZXJ2ZXIgaXMgbm90IHJlc3BvbmRpbmdcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIjZcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJoZWFkaW5nXCIsIHsgbmFtZTogXCJTdGF0dXNcIiB9KS53YWl0Rm9yKCk7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcigoYykgPT4gIS9GYWlsZWQgdG8gbG9hZHxFUlJfQ09OTkVDVElPTi8udGVzdChjKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJleHBsb3JlOiB0aGUgdmlldyBzdGF5cyB3aGlsZSB0aGUgc2VydmVyIGlzIGRvd24sIGFuZCBjb250aW51ZXMgYWZ0ZXJ3YXJkc1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgcy5wdXNoKGZvbGRlZChqb2luKHRlbXBvcmFyeSgpLCBcImEuZm9sZGVkXCIpLCB7IFwibWFpbjthXCI6IDMsIFwibWFpbjtiXCI6IDQgfSksIFwiYXBwXCIpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWFwcCZ2aWV3PXRhYmxlYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCI3XCIgfSkud2FpdEZvcigpO1xuICAgIGNvbnN0IHsgcG9ydCB9ID0gcztcbiAgICBhd2FpdCBzLnN0b3AoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiZ1wiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcInRoZSBzZXJ2ZXIgaXMgbm90IHJlc3BvbmRpbmdcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHRleHQocGFnZSwgXCIuc3VtbWFyeSBzdHJvbmdcIiksIFwiN1wiKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwic2VydmVyLWdvbmVcIik7XG4gICAgYXdhaXQgcy5zdGFydChwb3J0KTtcbiAgICBhd2FpdCBwYWdlXG4gICAgICAuZ2V0QnlUZXh0KFwidGhlIHNlcnZlciBpcyBub3QgcmVzcG9uZGluZ1wiKVxuICAgICAgLmZpcnN0KClcbiAgICAgIC53YWl0Rm9yKHsgc3RhdGU6IFwiZGV0YWNoZWRcIiwgdGltZW91dDogMTVfMDAwIH0pO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCB0ZXh0KHBhZ2UsIFwiLnN1bW1hcnkgc3Ryb25nXCIpLCBcIjdcIik7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcigoYykgPT4gIS9GYWlsZWQgdG8gbG9hZHxFUlJfQ09OTkVDVElPTi8udGVzdChjKSk7XG4gIH0pO1xuICBhd2FpdCBzLnN0b3AoKTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBCcm93c2VyIHRlc3RzIG9mIG9wZW5lZCBmaWxlcyAoY29tcGFyZWQsIHNhdmVkLCByZWZ1c2VkLCBleHBpcmVkKSBhbmQgb2YgZG93bmxvYWRzLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgeyBleGVjU3luYyB9IGZyb20gXCJub2RlOmNoaWxkX3Byb2Nlc3NcIjtcbmltcG9ydCB7IHJlYWRGaWxlU3luYywgd3JpdGVGaWxlU3luYyB9IGZyb20gXCJub2RlOmZzXCI7XG5pbXBvcnQgeyBkaXJuYW1lLCBqb2luIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgUGFnZSB9IGZyb20gXCJwbGF5d3JpZ2h0LWNvcmVcIjtcbmltcG9ydCB7IHRlc3QgfSBmcm9tIFwiLi4vdGFwXCI7XG5pbXBvcnQge1xuICBldmVudHVhbGx5LFxuICBmb2xkZWQsXG4gIHByb2dyYW0sXG4gIHJ1bixcbiAgc2NyZWVuc2hvdCxcbiAgc291cmNlUm9vdCxcbiAgdGVtcG9yYXJ5LFxuICBUZXN0UGFnZSxcbiAgd2l0aFBhZ2UsXG59IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3QgY2hlY2tvdXQgPSBqb2luKHNvdXJjZVJvb3QsIFwiZXhhbXBsZXMvY2hlY2tvdXQucGIuZ3pcIik7XG5jb25zdCBmb2xkZXIgPSB0ZW1wb3JhcnkoKTtcbmNvbnN0IHNtYWxsID0gZm9sZGVkKGpvaW4oZm9sZGVyLCBcInNtYWxsLmZvbGRlZFwiKSwge1xuICBcIm1haW47cGFyc2U7cmVhZFwiOiAzMCxcbiAgXCJtYWluO3BhcnNlXCI6IDEwLFxuICBcIm1haW47d3JpdGVcIjogNjAsXG59KTtcbmxldCBrbm93bjogUHJvbWlzZTxTZXJ2ZXI+IHwgbnVsbCA9IG51bGw7XG5cbmZ1bmN0aW9uIHNlcnZlcigpOiBQcm9taXNlPFNlcnZlcj4ge1xuICBrbm93biA/Pz0gKGFzeW5jICgpID0+IHtcbiAgICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gICAgcy5wdXNoKHNtYWxsLCBcInNtYWxsXCIsIFwiLS1sYWJlbFwiLCBcImVudj1pdCdzXCIsIFwiLS10aW1lXCIsIFwibm93LTVtXCIpO1xuICAgIHJldHVybiBzO1xuICB9KSgpO1xuICByZXR1cm4ga25vd247XG59XG5cbmNvbnN0IHJvdyA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcpID0+XG4gIHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJGdW5jdGlvbnNcIl0gLmRhdGEtcm93JywgeyBoYXNUZXh0OiBuYW1lIH0pO1xuY29uc3QgcGF0aE9mID0gKHBhZ2U6IFBhZ2UpID0+IG5ldyBVUkwocGFnZS51cmwoKSkucGF0aG5hbWU7XG5jb25zdCBmaWxlT2YgPSAocGFnZTogUGFnZSkgPT4gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0KFwiZmlsZVwiKSA/PyBcIlwiO1xuXG4vLyBEcm9wIGZpbGVzIG9udG8gdGhlIHBhZ2UuXG5hc3luYyBmdW5jdGlvbiBkcm9wKHBhZ2U6IFBhZ2UsIC4uLnBhdGhzOiBzdHJpbmdbXSkge1xuICBjb25zdCBmaWxlcyA9IHBhdGhzLm1hcCgocGF0aCkgPT4gKHtcbiAgICBuYW1lOiBwYXRoLnNsaWNlKHBhdGgubGFzdEluZGV4T2YoXCIvXCIpICsgMSksXG4gICAgYnl0ZXM6IFsuLi5yZWFkRmlsZVN5bmMocGF0aCldLFxuICB9KSk7XG4gIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKGxpc3QpID0+IHtcbiAgICBjb25zdCBkYXRhID0gbmV3IERhdGFUcmFuc2ZlcigpO1xuICAgIGxpc3QuZm9yRWFjaCgoeyBuYW1lLCBieXRlcyB9LCBpKSA9PlxuICAgICAgZGF0YS5pdGVtcy5hZGQobmV3IEZpbGUoW25ldyBVaW50OEFycmF5KGJ5dGVzKV0sIG5hbWUsIHsgbGFzdE1vZGlmaWVkOiAxMDAwICsgaSB9KSksXG4gICAgKTtcbiAgICBjb25zdCBmaXJlID0gKGtpbmQ6IHN0cmluZykgPT5cbiAgICAgIGRvY3VtZW50LmJvZHkuZGlzcGF0Y2hFdmVudChcbiAgICAgICAgbmV3IERyYWdFdmVudChraW5kLCB7IGRhdGFUcmFuc2ZlcjogZGF0YSwgYnViYmxlczogdHJ1ZSwgY2FuY2VsYWJsZTogdHJ1ZSB9KSxcbiAgICAgICk7XG4gICAgZmlyZShcImRyYWdlbnRlclwiKTtcbiAgICBmaXJlKFwiZHJhZ292ZXJcIik7XG4gICAgZmlyZShcImRyb3BcIik7XG4gIH0sIGZpbGVzKTtcbn1cblxuLy8gSWdub3JlIGVycm9yIHJlc3BvbnNlcywgd2hpY2ggdGhlIGJyb3dzZXIgd3JpdGVzIHRvIHRoZSBjb25zb2xlLlxuY29uc3QgZXhwZWN0UmVmdXNhbCA9IChwYWdlOiBUZXN0UGFnZSkgPT5cbiAgKHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGMpID0+ICEvc3RhdHVzIG9mIDRcXGRcXGQvLnRlc3QoYykpKTtcblxuLy8gUmV0dXJuIHRoZSBmcmFjdGlvbiBvZiB0aGUgdGltZWxpbmUncyB3aWR0aCB0aGF0IGlzIGNvdmVyZWQgYnkgYmFycy5cbmNvbnN0IGJhcldpZHRoID0gKHBhZ2U6IFBhZ2UpID0+XG4gIHBhZ2VcbiAgICAubG9jYXRvcihcIi50aW1lbGluZSBjYW52YXNcIilcbiAgICAuZmlyc3QoKVxuICAgIC5ldmFsdWF0ZSgoY2FudmFzOiBIVE1MQ2FudmFzRWxlbWVudCkgPT4ge1xuICAgICAgY29uc3QgeyBkYXRhIH0gPSBjYW52YXMuZ2V0Q29udGV4dChcIjJkXCIpIS5nZXRJbWFnZURhdGEoMCwgMCwgY2FudmFzLndpZHRoLCBjYW52YXMuaGVpZ2h0KTtcbiAgICAgIGNvbnN0IGNvbHVtbnMgPSBuZXcgU2V0PG51bWJlcj4oKTtcbiAgICAgIGZvciAobGV0IGkgPSAwOyBpIDwgZGF0YS5sZW5ndGg7IGkgKz0gNClcbiAgICAgICAgaWYgKGRhdGFbaSArIDNdID4gNDAgJiYgZGF0YVtpICsgMl0gPiBkYXRhW2ldICsgNjApIGNvbHVtbnMuYWRkKChpIC8gNCkgJSBjYW52YXMud2lkdGgpO1xuICAgICAgcmV0dXJuIGNvbHVtbnMuc2l6ZSAvIGNhbnZhcy53aWR0aDtcbiAgICB9KTtcblxudGVzdChcImZpbGVzOiBhIHNpbmdsZSBwcm9maWxlIGlzIG9uZSBiYXIgb2YgaXRzIGR1cmF0aW9uXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L2ApO1xuICAgIGF3YWl0IGRyb3AocGFnZSwgY2hlY2tvdXQpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50aW1lbGluZS1jYXB0aW9uXCIsIHsgaGFzVGV4dDogXCJjb3Jlc1wiIH0pLndhaXRGb3IoKTtcbiAgICBjb25zdCB3aWR0aCA9IGF3YWl0IGV2ZW50dWFsbHkoXCJhIGJhclwiLCBhc3luYyAoKSA9PiBiYXJXaWR0aChwYWdlKSk7XG4gICAgYXNzZXJ0Lm9rKFxuICAgICAgd2lkdGggPiAwLjcgJiYgd2lkdGggPCAwLjk1LFxuICAgICAgYHRoZSBiYXIgZmlsbHMgdGhlIGF4aXMgZXhjZXB0IGZvciB0aGUgbWFyZ2luczogJHt3aWR0aH1gLFxuICAgICk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZpbGUtb25lLXByb2ZpbGVcIik7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJmaWxlczogYSBkcm9wcGVkIGZpbGUgaXMgc2hvd24sIGFuZCBpdHMgYWRkcmVzcyBjYW4gYmUgcmVsb2FkZWRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgZHJvcChwYWdlLCBjaGVja291dCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZpbGUtY2hpcFwiLCB7IGhhc1RleHQ6IFwiY2hlY2tvdXQucGIuZ3pcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhdGhPZihwYWdlKSwgXCIvcHJvZmlsZXNcIik7XG4gICAgYXdhaXQgcm93KHBhZ2UsIFwicnVudGltZVwiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBjb25zdCBleHBlY3RlZCA9IEpTT04ucGFyc2UocnVuKFwidG9wXCIsIGNoZWNrb3V0LCBcIi0tanNvblwiKSkgYXMgeyB0b3RhbDogbnVtYmVyIH07XG4gICAgY29uc3QgYW5zd2VyID0gYXdhaXQgcGFnZS5ldmFsdWF0ZShcbiAgICAgIGFzeW5jIChpZCkgPT5cbiAgICAgICAgKChhd2FpdCAoYXdhaXQgZmV0Y2goYC9hcGkvdjEvdG9wP2ZpbGU9JHtpZH0mbj0xYCkpLmpzb24oKSkgYXMgeyB0b3RhbDogbnVtYmVyIH0pLnRvdGFsLFxuICAgICAgZmlsZU9mKHBhZ2UpLFxuICAgICk7XG4gICAgYXNzZXJ0LmVxdWFsKGFuc3dlciwgZXhwZWN0ZWQudG90YWwpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmaWxlLW9wZW5lZFwiKTtcbiAgICBhd2FpdCBwYWdlLnJlbG9hZCgpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5maWxlLWJhclwiLCB7IGhhc1RleHQ6IFwicHByb2ZcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkNsb3NlIHRoZSBmaWxlXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2VydmljZVwiLCB7IGhhc1RleHQ6IFwic21hbGxcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJmaWxlczogdGhlIHBhZ2Ugc2hvd3MgYSBoaW50IHdoaWxlIGEgZmlsZSBpcyBkcmFnZ2VkIG92ZXIgaXRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNlcnZpY2VcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiB7XG4gICAgICBjb25zdCBkYXRhID0gbmV3IERhdGFUcmFuc2ZlcigpO1xuICAgICAgZGF0YS5pdGVtcy5hZGQobmV3IEZpbGUoW1wieFwiXSwgXCJ4XCIpKTtcbiAgICAgIGRvY3VtZW50LmJvZHkuZGlzcGF0Y2hFdmVudChcbiAgICAgICAgbmV3IERyYWdFdmVudChcImRyYWdlbnRlclwiLCB7IGRhdGFUcmFuc2ZlcjogZGF0YSwgYnViYmxlczogdHJ1ZSwgY2FuY2VsYWJsZTogdHJ1ZSB9KSxcbiAgICAgICk7XG4gICAgfSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRyb3AtdmVpbFwiLCB7IGhhc1RleHQ6IFwiRHJvcCB0byBvcGVuXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmaWxlLWRyb3BcIik7XG4gICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PlxuICAgICAgZG9jdW1lbnQuYm9keS5kaXNwYXRjaEV2ZW50KG5ldyBEcmFnRXZlbnQoXCJkcmFnbGVhdmVcIiwgeyBidWJibGVzOiB0cnVlIH0pKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kcm9wLXZlaWxcIikud2FpdEZvcih7IHN0YXRlOiBcImRldGFjaGVkXCIgfSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJmaWxlczogYW4gaW52YWxpZCBmaWxlIHNob3dzIHRoZSBzZXJ2ZXIncyByZWFzb24sIGFuZCB0aGUgcGFnZSBzdGF5c1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgYmFkID0gam9pbihmb2xkZXIsIFwiYmFkLmJpblwiKTtcbiAgd3JpdGVGaWxlU3luYyhiYWQsIEJ1ZmZlci5mcm9tKFsweGZmLCAweGZlLCAweDAwLCAweDEyLCAweDM0XSkpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXNtYWxsYCk7XG4gICAgYXdhaXQgcm93KHBhZ2UsIFwid3JpdGVcIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uuc2V0SW5wdXRGaWxlcyhcIiNvcGVuLWZpbGVcIiwgYmFkKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIub3BlbmluZy1yZWFzb25cIiwgeyBoYXNUZXh0OiBcIm5vdCBhIHByb2ZpbGVcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZpbGUtcmVmdXNlZFwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRXNjYXBlXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5vcGVuaW5nXCIpLndhaXRGb3IoeyBzdGF0ZTogXCJkZXRhY2hlZFwiIH0pO1xuICAgIGFzc2VydC5vayhwYWdlLnVybCgpLmVuZHNXaXRoKFwiL3Byb2ZpbGVzP3F1ZXJ5PXNtYWxsXCIpKTtcbiAgICBleHBlY3RSZWZ1c2FsKHBhZ2UpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZmlsZXM6IHR3byBkcm9wcGVkIGZpbGVzIGFyZSBjb21wYXJlZCwgdGhlIG9sZGVyIG9uZSBpcyB0aGUgYmVmb3JlIHNpZGVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgZHJvcChwYWdlLCBjaGVja291dCwgam9pbihzb3VyY2VSb290LCBcImV4YW1wbGVzL2NoZWNrb3V0LXNsb3cucGIuZ3pcIikpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgY29tcGFyaXNvblwiLCBhc3luYyAoKSA9PiBwYXRoT2YocGFnZSkgPT09IFwiL2NvbXBhcmVcIik7XG4gICAgY29uc3QgcGFyYW1zID0gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXM7XG4gICAgY29uc3QgbmFtZSA9IChpZDogc3RyaW5nIHwgbnVsbCkgPT5cbiAgICAgIHBhZ2UuZXZhbHVhdGUoXG4gICAgICAgIGFzeW5jIChmaWxlKSA9PlxuICAgICAgICAgICgoYXdhaXQgKGF3YWl0IGZldGNoKGAvYXBpL3YxL2ZpbGVzP2lkPSR7ZmlsZX1gKSkuanNvbigpKSBhcyB7IG5hbWU6IHN0cmluZyB9KS5uYW1lLFxuICAgICAgICBpZCxcbiAgICAgICk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IG5hbWUocGFyYW1zLmdldChcImJlZm9yZV9maWxlXCIpKSwgXCJjaGVja291dC5wYi5nelwiKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgbmFtZShwYXJhbXMuZ2V0KFwiZmlsZVwiKSksIFwiY2hlY2tvdXQtc2xvdy5wYi5nelwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJjYW52YXNcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZpbGUtY29tcGFyZVwiKTtcbiAgICBhd2FpdCBkcm9wKHBhZ2UsIGNoZWNrb3V0LCBzbWFsbCwgc21hbGwpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5vcGVuaW5nLXJlYXNvblwiLCB7IGhhc1RleHQ6IFwib3IgdHdvIGZpbGVzIHRvIGNvbXBhcmVcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJmaWxlczogYSBmaWxlIGNhbiBiZSBzYXZlZCB0byB0aGUgc3RvcmVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgcGFnZS5zZXRJbnB1dEZpbGVzKFwiI29wZW4tZmlsZVwiLCBjaGVja291dCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlNhdmUgdG8gc3RvcmVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5rZWVwLWZvcm0gaW5wdXRcIikuZmlyc3QoKS5maWxsKFwia2VwdFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIua2VlcC1mb3JtIGlucHV0XCIpLm50aCgxKS5maWxsKFwiZW52PVwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIua2VlcC1mb3JtIC5ub3RlLmJhZFwiKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5rZWVwLWZvcm0gYnV0dG9uW3R5cGU9c3VibWl0XVwiKS5pc0Rpc2FibGVkKCksIHRydWUpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5rZWVwLWZvcm0gaW5wdXRcIikubnRoKDEpLmZpbGwoXCJlbnY9ZGV2XCIpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmaWxlLWtlZXBcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVudGVyXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXG4gICAgICBcInRoZSBzdG9yZWQgZGF0YVwiLFxuICAgICAgYXN5bmMgKCkgPT4gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0KFwicXVlcnlcIikgPT09ICdrZXB0e2Vudj1cImRldlwifScsXG4gICAgKTtcbiAgICBhc3NlcnQuZXF1YWwoZmlsZU9mKHBhZ2UpLCBcIlwiKTtcbiAgICBhd2FpdCByb3cocGFnZSwgXCJydW50aW1lXCIpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGNvbnN0IHBhcmFtcyA9IG5ldyBVUkwocGFnZS51cmwoKSkuc2VhcmNoUGFyYW1zO1xuICAgIGNvbnN0IHRpbWUgPSAobmFtZTogc3RyaW5nKSA9PiBuZXcgRGF0ZShOdW1iZXIocGFyYW1zLmdldChuYW1lKSkpLnRvSVNPU3RyaW5nKCk7XG4gICAgY29uc3Qga2VwdCA9IEpTT04ucGFyc2UoXG4gICAgICBzLnF1ZXJ5KFwidG9wXCIsICdrZXB0e2Vudj1cImRldlwifScsIFwiLS1mcm9tXCIsIHRpbWUoXCJmcm9tXCIpLCBcIi0tdG9cIiwgdGltZShcInRvXCIpLCBcIi0tanNvblwiKSxcbiAgICApIGFzIHsgdG90YWw6IG51bWJlciB9O1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgIGtlcHQudG90YWwsXG4gICAgICAoSlNPTi5wYXJzZShydW4oXCJ0b3BcIiwgY2hlY2tvdXQsIFwiLS1qc29uXCIpKSBhcyB7IHRvdGFsOiBudW1iZXIgfSkudG90YWwsXG4gICAgKTtcbiAgfSk7XG59KTtcblxudGVzdChcImZpbGVzOiBhIGZpbGUgdGhhdCB0aGUgc2VydmVyIG5vIGxvbmdlciBoYXMgY2FuIGJlIG9wZW5lZCBhZ2FpbiBhdCB0aGUgc2FtZSBhZGRyZXNzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICBjb25zdCBwb3J0ID0gcy5wb3J0O1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L2ApO1xuICAgIGF3YWl0IGRyb3AocGFnZSwgY2hlY2tvdXQpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5maWxlLWNoaXBcIikud2FpdEZvcigpO1xuICAgIGNvbnN0IGFkZHJlc3MgPSBwYWdlLnVybCgpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhcImFib3V0OmJsYW5rXCIpOyAvLyBhbiBvcGVuIHBhZ2Ugd291bGQgcmVwb3J0IGVycm9ycyB3aGlsZSB0aGUgc2VydmVyIGlzIGRvd25cbiAgICBhd2FpdCBzLnN0b3AoKTtcbiAgICBhd2FpdCBzLnN0YXJ0KHBvcnQpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhhZGRyZXNzKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZW1wdHlcIiwgeyBoYXNUZXh0OiBcIm5vIGxvbmdlciBvbiB0aGUgc2VydmVyXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmaWxlLWdvbmVcIik7XG4gICAgYXdhaXQgZHJvcChwYWdlLCBjaGVja291dCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZpbGUtY2hpcFwiLCB7IGhhc1RleHQ6IFwiY2hlY2tvdXQucGIuZ3pcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhZ2UudXJsKCksIGFkZHJlc3MpO1xuICAgIGV4cGVjdFJlZnVzYWwocGFnZSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJmaWxlczogaG9zdGlsZSBuYW1lcyBhcmUgcmVuZGVyZWQgYXMgdGV4dFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgbmFtZSA9IGpvaW4oZm9sZGVyLCBgPGltZyBzcmM9eCBvbmVycm9yPWhhY2tlZD0xPlxcdTIwMmUke1wiblwiLnJlcGVhdCgxMjApfS5mb2xkZWRgKTtcbiAgd3JpdGVGaWxlU3luYyhcbiAgICBuYW1lLFxuICAgIGBtYWluOzxzY3JpcHQ+d2luZG93LmhhY2tlZD0xPC9zY3JpcHQ+OyR7XCJ4XCIucmVwZWF0KDEwXzAwMCl9IDdcXG5tYWluO1x1RDgzRFx1REUwMFxcdTIwMmViYWNrd2FyZHMgM1xcbmAsXG4gICk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vYCk7XG4gICAgYXdhaXQgZHJvcChwYWdlLCBuYW1lKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmlsZS1jaGlwXCIsIHsgaGFzVGV4dDogXCI8aW1nIHNyYz14XCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHJvdyhwYWdlLCBcIlx1RDgzRFx1REUwMFwiKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoKSxcbiAgICAgIGZhbHNlLFxuICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBcImhhY2tlZFwiIGluIHdpbmRvdyksIGZhbHNlKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiZmlsZS1ob3N0aWxlXCIpO1xuICB9KTtcbn0pO1xuXG5hc3luYyBmdW5jdGlvbiBkb3dubG9hZChwYWdlOiBQYWdlLCBpdGVtOiBzdHJpbmcpOiBQcm9taXNlPHN0cmluZz4ge1xuICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiRG93bmxvYWQgXHUyNUJFXCIgfSkuY2xpY2soKTtcbiAgY29uc3QgW2ZpbGVdID0gYXdhaXQgUHJvbWlzZS5hbGwoW1xuICAgIHBhZ2Uud2FpdEZvckV2ZW50KFwiZG93bmxvYWRcIiksXG4gICAgcGFnZS5sb2NhdG9yKFwiLmRvd25sb2FkLW1lbnUgPiAqXCIsIHsgaGFzVGV4dDogaXRlbSB9KS5maXJzdCgpLmNsaWNrKCksXG4gIF0pO1xuICBjb25zdCBwYXRoID0gam9pbihmb2xkZXIsIGZpbGUuc3VnZ2VzdGVkRmlsZW5hbWUoKSk7XG4gIGF3YWl0IGZpbGUuc2F2ZUFzKHBhdGgpO1xuICByZXR1cm4gcGF0aDtcbn1cblxudGVzdChcImRvd25sb2FkczogZWFjaCBmb3JtYXQgY29udGFpbnMgdGhlIHNlbGVjdGlvblwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2UoeyBhY2NlcHREb3dubG9hZHM6IHRydWUgfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXNtYWxsJmZvY3VzPXBhcnNlYCk7XG4gICAgYXdhaXQgcm93KHBhZ2UsIFwicmVhZFwiKS53YWl0Rm9yKCk7XG4gICAgZm9yIChjb25zdCBpdGVtIG9mIFtcInBwcm9mXCIsIFwiT1RMUFwiLCBcIkZvbGRlZFwiLCBcInNwZWVkc2NvcGVcIl0pIHtcbiAgICAgIGNvbnN0IHBhdGggPSBhd2FpdCBkb3dubG9hZChwYWdlLCBpdGVtKTtcbiAgICAgIGFzc2VydC5lcXVhbCgoSlNPTi5wYXJzZShydW4oXCJ0b3BcIiwgcGF0aCwgXCItLWpzb25cIikpIGFzIHsgdG90YWw6IG51bWJlciB9KS50b3RhbCwgNDAsIGl0ZW0pO1xuICAgIH1cbiAgICBjb25zdCBzdmcgPSByZWFkRmlsZVN5bmMoYXdhaXQgZG93bmxvYWQocGFnZSwgXCJTVkdcIiksIFwidXRmOFwiKTtcbiAgICBhc3NlcnQubWF0Y2goc3ZnLCAvXjxzdmcvKTtcbiAgICBhc3NlcnQub2soc3ZnLmluY2x1ZGVzKFwicGFyc2VcIikgJiYgIXN2Zy5pbmNsdWRlcyhcIndyaXRlXCIpKTtcbiAgICBjb25zdCBwbmcgPSByZWFkRmlsZVN5bmMoYXdhaXQgZG93bmxvYWQocGFnZSwgXCJQTkdcIikpO1xuICAgIGFzc2VydC5lcXVhbChwbmcuc3ViYXJyYXkoMSwgNCkudG9TdHJpbmcoKSwgXCJQTkdcIik7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJkb3dubG9hZHM6IHRoZSBsaW5rIGhhcyBhYnNvbHV0ZSB0aW1lcywgYW5kIHRoZSBjb21tYW5kIGxpbmUgaGFzIHRoZSBzYW1lIHF1ZXJ5XCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7IHBlcm1pc3Npb25zOiBbXCJjbGlwYm9hcmQtcmVhZFwiLCBcImNsaXBib2FyZC13cml0ZVwiXSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT0ke2VuY29kZVVSSUNvbXBvbmVudChgc21hbGx7ZW52PVwiaXQnc1wifWApfSZ2aWV3PXRhYmxlYCxcbiAgICApO1xuICAgIGF3YWl0IHJvdyhwYWdlLCBcInJlYWRcIikud2FpdEZvcigpO1xuICAgIGNvbnN0IGNvcGllZCA9IGFzeW5jIChpdGVtOiBzdHJpbmcpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kb3dubG9hZC1tZW51ID4gKlwiLCB7IGhhc1RleHQ6IGl0ZW0gfSkuZmlyc3QoKS5jbGljaygpO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRvd25sb2FkLW1lbnUgW3JvbGU9c3RhdHVzXVwiLCB7IGhhc1RleHQ6IFwiQ29waWVkXCIgfSkud2FpdEZvcigpO1xuICAgICAgcmV0dXJuIHBhZ2UuZXZhbHVhdGUoKCkgPT4gbmF2aWdhdG9yLmNsaXBib2FyZC5yZWFkVGV4dCgpKTtcbiAgICB9O1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJEb3dubG9hZCBcdTI1QkVcIiB9KS5jbGljaygpO1xuICAgIGNvbnN0IGxpbmsgPSBuZXcgVVJMKGF3YWl0IGNvcGllZChcIkNvcHkgbGlua1wiKSk7XG4gICAgYXNzZXJ0Lm1hdGNoKGxpbmsuc2VhcmNoUGFyYW1zLmdldChcImZyb21cIikhLCAvXlxcZHsxM30kLyk7XG4gICAgYXNzZXJ0Lm1hdGNoKGxpbmsuc2VhcmNoUGFyYW1zLmdldChcInRvXCIpISwgL15cXGR7MTN9JC8pO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJkb3dubG9hZHNcIik7XG4gICAgY29uc3QgY29tbWFuZCA9IGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgY29tbWFuZFwiLCBhc3luYyAoKSA9PiB7XG4gICAgICBjb25zdCB0ZXh0ID0gYXdhaXQgY29waWVkKFwiQ29weSBjb21tYW5kXCIpO1xuICAgICAgcmV0dXJuIHRleHQuc3RhcnRzV2l0aChcInZhcnZlIHF1ZXJ5IHRvcCBcIikgJiYgdGV4dDtcbiAgICB9KTtcbiAgICBjb25zdCB0YWJsZSA9IGV4ZWNTeW5jKGAke2NvbW1hbmR9IC0tZXhhY3RgLCB7XG4gICAgICBlbmNvZGluZzogXCJ1dGY4XCIsXG4gICAgICBlbnY6IHsgLi4ucHJvY2Vzcy5lbnYsIFBBVEg6IGAke2Rpcm5hbWUocHJvZ3JhbSl9OiR7cHJvY2Vzcy5lbnYuUEFUSH1gIH0sXG4gICAgfSk7XG4gICAgYXNzZXJ0Lm1hdGNoKHRhYmxlLCAvXFxiNjBcXGIuKlxcYndyaXRlXFxiLyk7XG4gIH0pO1xufSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2YgdGhlIGZsYW1lIGdyYXBoIGFsb25lOiBwb2ludGVyLCBrZXlib2FyZCwgbWVudSwgem9vbSwgc2VhcmNoLCBob3N0aWxlIG5hbWVzLFxuLy8gZGlmZmVyZW5jZXMsIGJvdGggdGhlbWVzLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgdHlwZSB7IEJyb3dzZXJDb250ZXh0T3B0aW9ucyB9IGZyb20gXCJwbGF5d3JpZ2h0LWNvcmVcIjtcbmltcG9ydCB0eXBlIHsgVHJlZU5vZGVzIH0gZnJvbSBcIi4uLy4uL3NyYy9hcGkvdHlwZXNcIjtcbmltcG9ydCB0eXBlIHsgSG9zdCB9IGZyb20gXCIuL2hvc3RcIjtcbmltcG9ydCB7IG5vZGVzT2YgfSBmcm9tIFwiLi4vZmxhbWUvc3RhY2tfdHJlZVwiO1xuaW1wb3J0IHsgYXRFbmQsIHRlc3QgfSBmcm9tIFwiLi4vdGFwXCI7XG5pbXBvcnQgeyBzZXJ2ZUhvc3QsIFNlcnZlciB9IGZyb20gXCIuL2hvc3Rfc2VydmVyXCI7XG5pbXBvcnQgeyBldmVudHVhbGx5LCBzY3JlZW5zaG90LCBUZXN0UGFnZSwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuXG5sZXQgc2VydmVyOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxudHlwZSBDaGFuZ2UgPSBQYXJhbWV0ZXJzPEhvc3RbXCJvcGVuXCJdPlsxXTtcblxuYXN5bmMgZnVuY3Rpb24gd2l0aEdyYXBoKFxuICBub2RlczogVHJlZU5vZGVzLFxuICBjaGFuZ2U6IENoYW5nZSxcbiAgdXNlOiAocGFnZTogVGVzdFBhZ2UpID0+IFByb21pc2U8dm9pZD4sXG4gIG9wdGlvbnM6IEJyb3dzZXJDb250ZXh0T3B0aW9ucyA9IHt9LFxuKSB7XG4gIHNlcnZlciA/Pz0gc2VydmVIb3N0KCkudGhlbigobWFkZSkgPT4gKGF0RW5kKCgpID0+IG1hZGUuY2xvc2UoKSksIG1hZGUpKTtcbiAgY29uc3QgeyB1cmwgfSA9IGF3YWl0IHNlcnZlcjtcbiAgYXdhaXQgd2l0aFBhZ2UoeyB2aWV3cG9ydDogeyB3aWR0aDogMTAwMCwgaGVpZ2h0OiA2MDAgfSwgLi4ub3B0aW9ucyB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byh1cmwpO1xuICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKFtuLCBjXSkgPT4gd2luZG93Lmhvc3Qub3BlbihuLCBjKSwgW25vZGVzLCBjaGFuZ2UgPz8ge31dIGFzIGNvbnN0KTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtaGlkZGVuXCIsIHsgaGFzVGV4dDogXCJmcmFtZVwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCB1c2UocGFnZSk7XG4gIH0pO1xufVxuXG5jb25zdCBldmVudHMgPSAocGFnZTogVGVzdFBhZ2UpID0+IHBhZ2UuZXZhbHVhdGUoKCkgPT4gd2luZG93Lmhvc3QuZXZlbnRzKTtcbmNvbnN0IGV2ZW50c09mID0gYXN5bmMgKHBhZ2U6IFRlc3RQYWdlLCBraW5kOiBzdHJpbmcpID0+XG4gIChhd2FpdCBldmVudHMocGFnZSkpLmZpbHRlcigoW25hbWVdKSA9PiBuYW1lID09PSBraW5kKTtcbmNvbnN0IHJvd0hlaWdodCA9IDIwO1xuY29uc3Qgc2V0dGxlZCA9IDMwMDsgLy8gbXM7IGxvbmdlciB0aGFuIGFuIGFuaW1hdGlvblxuXG4vLyBSZXR1cm4gdGhlIHBvc2l0aW9uIG9mIGEgcm93LCBjb3VudGVkIGZyb20gdGhlIHRvcCwgYXQgYSBmcmFjdGlvbiBvZiB0aGUgd2lkdGguXG5hc3luYyBmdW5jdGlvbiBhdChwYWdlOiBUZXN0UGFnZSwgcm93OiBudW1iZXIsIHBhcnQ6IG51bWJlcikge1xuICBjb25zdCBib3ggPSAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKS5ib3VuZGluZ0JveCgpKSE7XG4gIHJldHVybiB7IHg6IGJveC54ICsgYm94LndpZHRoICogcGFydCwgeTogYm94LnkgKyAocm93ICsgMC41KSAqIHJvd0hlaWdodCB9O1xufVxuXG5hc3luYyBmdW5jdGlvbiBjbGljayhwYWdlOiBUZXN0UGFnZSwgcm93OiBudW1iZXIsIHBhcnQ6IG51bWJlcikge1xuICBjb25zdCBwbGFjZSA9IGF3YWl0IGF0KHBhZ2UsIHJvdywgcGFydCk7XG4gIGF3YWl0IHBhZ2UubW91c2UuY2xpY2socGxhY2UueCwgcGxhY2UueSk7XG59XG5cbmNvbnN0IGNvbG91ckF0ID0gKHBhZ2U6IFRlc3RQYWdlLCByb3c6IG51bWJlciwgcGFydDogbnVtYmVyKSA9PlxuICBwYWdlLmV2YWx1YXRlKFxuICAgIChbciwgcCwgaF0pID0+IHtcbiAgICAgIGNvbnN0IGNhbnZhcyA9IGRvY3VtZW50LnF1ZXJ5U2VsZWN0b3I8SFRNTENhbnZhc0VsZW1lbnQ+KFwiLmZsYW1lLWNhbnZhc1wiKSE7XG4gICAgICBjb25zdCByYXRpbyA9IGNhbnZhcy53aWR0aCAvIGNhbnZhcy5jbGllbnRXaWR0aDtcbiAgICAgIHJldHVybiBbXG4gICAgICAgIC4uLmNhbnZhc1xuICAgICAgICAgIC5nZXRDb250ZXh0KFwiMmRcIikhXG4gICAgICAgICAgLmdldEltYWdlRGF0YShNYXRoLnJvdW5kKGNhbnZhcy53aWR0aCAqIHApLCBNYXRoLnJvdW5kKChyICogaCArIDIpICogcmF0aW8pLCAxLCAxKS5kYXRhLFxuICAgICAgXVxuICAgICAgICAuc2xpY2UoMCwgMylcbiAgICAgICAgLmpvaW4oKTtcbiAgICB9LFxuICAgIFtyb3csIHBhcnQsIHJvd0hlaWdodF0gYXMgY29uc3QsXG4gICk7XG5cbmNvbnN0IHNob3AgPSBub2Rlc09mKHtcbiAgXCJtYWluO2hhbmRsZTtyZW5kZXI7d3JpdGVcIjogMzAsXG4gIFwibWFpbjtoYW5kbGU7cmVuZGVyXCI6IDEwLFxuICBcIm1haW47aGFuZGxlO3BhcnNlXCI6IDQ1LFxuICBcIm1haW47aWRsZVwiOiAxMCxcbiAgZ2M6IDUsXG59KTtcbmNvbnN0IHRvb2x0aXAgPSAocGFnZTogVGVzdFBhZ2UpID0+IHBhZ2UubG9jYXRvcihcIi5mbGFtZS10b29sdGlwXCIpLmlubmVyVGV4dCgpO1xuY29uc3QgY3J1bWJzID0gYXN5bmMgKHBhZ2U6IFRlc3RQYWdlKSA9PlxuICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNydW1icyBidXR0b25cIikuYWxsSW5uZXJUZXh0cygpKS5qb2luKFwiID4gXCIpO1xuXG50ZXN0KFwiZmxhbWU6IHRoZSB0b29sdGlwIHNob3dzIHRoZSB2YWx1ZXMgb2YgYSBmcmFtZVwiLCAoKSA9PlxuICB3aXRoR3JhcGgoc2hvcCwge30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgcGxhY2UgPSBhd2FpdCBhdChwYWdlLCAyLCAwLjMpO1xuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShwbGFjZS54LCBwbGFjZS55KTtcbiAgICBjb25zdCB0ZXh0ID0gYXdhaXQgdG9vbHRpcChwYWdlKTtcbiAgICBhc3NlcnQubWF0Y2godGV4dCwgL15oYW5kbGVcXG4vKTtcbiAgICBhc3NlcnQubWF0Y2godGV4dCwgL3RvdGFsXFxzKzg1IG5zXFxzKzg1XFwuMCUvKTtcbiAgICBhc3NlcnQubWF0Y2godGV4dCwgL3NlbGZcXHMrMCBuc1xccyswJS8pO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmbGFtZS10b29sdGlwXCIpO1xuICB9KSk7XG5cbnRlc3QoXCJmbGFtZTogYSBjbGljayB6b29tcyBhbmQgY2FsbHMgb25ab29tOyB0aGUgYnJlYWRjcnVtYiB6b29tcyBvdXRcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKHNob3AsIHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IGNsaWNrKHBhZ2UsIDIsIDAuMyk7XG4gICAgYXdhaXQgcGFnZS53YWl0Rm9yVGltZW91dChzZXR0bGVkKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwiem9vbVwiKSwgW1tcInpvb21cIiwgW1wibWFpblwiLCBcImhhbmRsZVwiXV1dKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwic2VsZWN0XCIpLCBbW1wic2VsZWN0XCIsIFwiaGFuZGxlXCJdXSk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGNydW1icyhwYWdlKSwgXCJhbGwgPiBtYWluID4gaGFuZGxlXCIpO1xuICAgIC8vIFRoZSBjYWxsZWVzIHBhcnNlIGFuZCByZW5kZXIgZmlsbCB0aGUgd2lkdGggbm93LlxuICAgIGNvbnN0IHBsYWNlID0gYXdhaXQgYXQocGFnZSwgMywgMC45KTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLm1vdmUocGxhY2UueCwgcGxhY2UueSk7XG4gICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHRvb2x0aXAocGFnZSksIC9ecmVuZGVyW1xcc1xcU10qNDBcXC4wJVxccys0N1xcLjElLyk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNydW1icyBidXR0b25cIikuZmlyc3QoKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoc2V0dGxlZCk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGNydW1icyhwYWdlKSwgXCJhbGxcIik7XG4gIH0pKTtcblxudGVzdChcImZsYW1lOiB0aGUgdHJlZSBvZiBhIHpvb20gcmVwbGFjZXMgdGhlIHN1YnRyZWUsIGFuZCBub3RoaW5nIG1vdmVzXCIsICgpID0+XG4gIHdpdGhHcmFwaChzaG9wLCB7IGFuc3dlckFmdGVyOiAyMCB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IGNsaWNrKHBhZ2UsIDIsIDAuMyk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSB0cmVlIG9mIHRoZSBwYXRoXCIsICgpID0+XG4gICAgICBwYWdlLmV2YWx1YXRlKFxuICAgICAgICAoKSA9PiB3aW5kb3cuaG9zdC5wcm9wcygpLnRyZWUucm9vdFBhdGgubGVuZ3RoID09PSAyICYmICF3aW5kb3cuaG9zdC5wcm9wcygpLmJ1c3ksXG4gICAgICApLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS53YWl0Rm9yVGltZW91dChzZXR0bGVkKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgY3J1bWJzKHBhZ2UpLCBcImFsbCA+IG1haW4gPiBoYW5kbGVcIik7XG4gICAgZm9yIChjb25zdCBbcm93LCBwYXJ0LCBuYW1lXSBvZiBbXG4gICAgICBbMiwgMC41LCBcImhhbmRsZVwiXSxcbiAgICAgIFszLCAwLjIsIFwicGFyc2VcIl0sXG4gICAgICBbMywgMC45LCBcInJlbmRlclwiXSxcbiAgICAgIFs0LCAwLjgsIFwid3JpdGVcIl0sXG4gICAgXSBhcyBjb25zdCkge1xuICAgICAgY29uc3QgcGxhY2UgPSBhd2FpdCBhdChwYWdlLCByb3csIHBhcnQpO1xuICAgICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKHBsYWNlLngsIHBsYWNlLnkpO1xuICAgICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHRvb2x0aXAocGFnZSksIG5ldyBSZWdFeHAoYF4ke25hbWV9XFxuYCkpO1xuICAgIH1cbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiZmxhbWUtc3VidHJlZVwiKTtcbiAgICBhd2FpdCBjbGljayhwYWdlLCAxLCAwLjUpOyAvLyBhIHJvdyBhYm92ZSB0aGUgdHJlZTogem9vbXMgb3V0XG4gICAgYXdhaXQgZXZlbnR1YWxseShcIm9uZSBsZXZlbCB1cFwiLCAoKSA9PlxuICAgICAgcGFnZS5ldmFsdWF0ZSgoKSA9PiB3aW5kb3cuaG9zdC5wcm9wcygpLnRyZWUucm9vdFBhdGgubGVuZ3RoID09PSAxKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoc2V0dGxlZCk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGNydW1icyhwYWdlKSwgXCJhbGwgPiBtYWluXCIpO1xuICB9KSk7XG5cbnRlc3QoXCJmbGFtZTogdGhlIGtleWJvYXJkIG1vdmVzIGZyb20gZnJhbWUgdG8gZnJhbWVcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKHNob3AsIHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQucXVlcnlTZWxlY3RvcjxIVE1MRWxlbWVudD4oXCIuZmxhbWUtY3J1bWJzIGJ1dHRvblwiKSEuYmx1cigpKTtcbiAgICBmb3IgKFxuICAgICAgbGV0IGkgPSAwO1xuICAgICAgaSA8IDUgJiYgKGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuYWN0aXZlRWxlbWVudD8uY2xhc3NOYW1lKSkgIT09IFwiZmxhbWUtY2FudmFzXCI7XG4gICAgICBpKytcbiAgICApXG4gICAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiVGFiXCIpO1xuICAgIGNvbnN0IHNwb2tlbiA9ICgpID0+IHBhZ2UubG9jYXRvcihcIlthcmlhLWxpdmVdXCIpLmlubmVyVGV4dCgpO1xuICAgIGFzc2VydC5tYXRjaChhd2FpdCBzcG9rZW4oKSwgL15hbGw6IHRvdGFsIDEwMCBucywgMTAwJS8pO1xuICAgIGZvciAoY29uc3Qga2V5IG9mIFtcIkFycm93RG93blwiLCBcIkFycm93RG93blwiLCBcIkFycm93UmlnaHRcIl0pIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3Moa2V5KTtcbiAgICBhc3NlcnQubWF0Y2goYXdhaXQgc3Bva2VuKCksIC9eaWRsZTogdG90YWwgMTAgbnMsIDEwXFwuMCUsIHNlbGYgMTAgbnM7IGxldmVsIDIvKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiQXJyb3dMZWZ0XCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0Rvd25cIik7XG4gICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHNwb2tlbigpLCAvXnBhcnNlOi8pO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd1VwXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBwYWdlLndhaXRGb3JUaW1lb3V0KHNldHRsZWQpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBjcnVtYnMocGFnZSksIFwiYWxsID4gbWFpbiA+IGhhbmRsZVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiQmFja3NwYWNlXCIpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBjcnVtYnMocGFnZSksIFwiYWxsID4gbWFpblwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRXNjYXBlXCIpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBjcnVtYnMocGFnZSksIFwiYWxsXCIpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgICAoYXdhaXQgZXZlbnRzT2YocGFnZSwgXCJ6b29tXCIpKS5tYXAoKFssIHBhdGhdKSA9PiBwYXRoKSxcbiAgICAgIFtbXCJtYWluXCIsIFwiaGFuZGxlXCJdLCBbXCJtYWluXCJdLCBbXV0sXG4gICAgKTtcbiAgfSkpO1xuXG50ZXN0KFwiZmxhbWU6IGMgY29waWVzIHRoZSBuYW1lLCBDIHRoZSBzdGFja1wiLCAoKSA9PlxuICB3aXRoR3JhcGgoXG4gICAgc2hvcCxcbiAgICB7fSxcbiAgICBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKS5mb2N1cygpO1xuICAgICAgZm9yIChjb25zdCBrZXkgb2YgW1wiQXJyb3dEb3duXCIsIFwiQXJyb3dEb3duXCIsIFwiY1wiXSkgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLW5vdGVcIikud2FpdEZvcigpO1xuICAgICAgY29uc3QgY29waWVkID0gKCkgPT4gcGFnZS5ldmFsdWF0ZSgoKSA9PiBuYXZpZ2F0b3IuY2xpcGJvYXJkLnJlYWRUZXh0KCkpO1xuICAgICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGNvcGllZCgpLCBcImhhbmRsZVwiKTtcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJDXCIpO1xuICAgICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBzdGFja1wiLCBhc3luYyAoKSA9PiAoYXdhaXQgY29waWVkKCkpID09PSBcIm1haW47aGFuZGxlXCIpO1xuICAgIH0sXG4gICAgeyBwZXJtaXNzaW9uczogW1wiY2xpcGJvYXJkLXJlYWRcIiwgXCJjbGlwYm9hcmQtd3JpdGVcIl0gfSxcbiAgKSk7XG5cbnRlc3QoXCJmbGFtZTogdGhlIG1lbnUgb2YgYSBmcmFtZSwgYnkgbW91c2UgYW5kIGtleWJvYXJkXCIsICgpID0+XG4gIHdpdGhHcmFwaChzaG9wLCB7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBjb25zdCBwbGFjZSA9IGF3YWl0IGF0KHBhZ2UsIDMsIDAuMik7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5jbGljayhwbGFjZS54LCBwbGFjZS55LCB7IGJ1dHRvbjogXCJyaWdodFwiIH0pO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmbGFtZS1tZW51XCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibWVudWl0ZW1cIiwgeyBuYW1lOiBcIk9ubHkgc3RhY2tzXCIgfSkuY2xpY2soKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwiYWN0aW9uXCIpLCBbXG4gICAgICBbXCJhY3Rpb25cIiwgXCJmb2N1c1wiLCBcInBhcnNlXCIsIFtcIm1haW5cIiwgXCJoYW5kbGVcIiwgXCJwYXJzZVwiXV0sXG4gICAgXSk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5jbGljayhwbGFjZS54LCBwbGFjZS55LCB7IGJ1dHRvbjogXCJyaWdodFwiIH0pO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1tZW51IGJ1dHRvbjpmb2N1c1wiKS53YWl0Rm9yKCk7XG4gICAgZm9yIChjb25zdCBrZXkgb2YgW1wiQXJyb3dEb3duXCIsIFwiQXJyb3dEb3duXCIsIFwiQXJyb3dEb3duXCIsIFwiRW50ZXJcIl0pXG4gICAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKGtleSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbCgoYXdhaXQgZXZlbnRzT2YocGFnZSwgXCJhY3Rpb25cIikpLmF0KC0xKSwgW1xuICAgICAgXCJhY3Rpb25cIixcbiAgICAgIFwiaWdub3JlXCIsXG4gICAgICBcInBhcnNlXCIsXG4gICAgICBbXCJtYWluXCIsIFwiaGFuZGxlXCIsIFwicGFyc2VcIl0sXG4gICAgXSk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5jbGljayhwbGFjZS54LCBwbGFjZS55LCB7IGJ1dHRvbjogXCJyaWdodFwiIH0pO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1tZW51IGJ1dHRvbjpmb2N1c1wiKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVzY2FwZVwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtbWVudVwiKS53YWl0Rm9yKHsgc3RhdGU6IFwiZGV0YWNoZWRcIiB9KTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5hY3RpdmVFbGVtZW50Py5jbGFzc05hbWUpLCBcImZsYW1lLWNhbnZhc1wiKTtcbiAgfSkpO1xuXG50ZXN0KFwiZmxhbWU6IG1hdGNoZXMga2VlcCB0aGVpciBjb2xvdXIsIG90aGVyIGZyYW1lcyBmYWRlOyBhbiBpbnZhbGlkIGV4cHJlc3Npb24gaXMgcmVwb3J0ZWRcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKHNob3AsIHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGNvbnN0IGJlZm9yZSA9IGF3YWl0IGNvbG91ckF0KHBhZ2UsIDMsIDAuNyk7XG4gICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiB3aW5kb3cuaG9zdC5zZXQoeyBzZWFyY2g6IFwiL15QQVJTRSQvaVwiIH0pKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIG1hdGNoXCIsIGFzeW5jICgpID0+IChhd2FpdCBldmVudHNPZihwYWdlLCBcIm1hdGNoXCIpKS5sZW5ndGggPT09IDEpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoYXdhaXQgZXZlbnRzT2YocGFnZSwgXCJtYXRjaFwiKSwgW1tcIm1hdGNoXCIsIDAuNDUsIDQ1LCAxXV0pO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoNTApO1xuICAgIGFzc2VydC5ub3RFcXVhbChhd2FpdCBjb2xvdXJBdChwYWdlLCAzLCAwLjcpLCBiZWZvcmUpO1xuICAgIGFzc2VydC5tYXRjaChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtZm91bmRcIikuaW5uZXJUZXh0KCksIC8xIGZyYW1lOiA0NSBucywgNDVcXC4wJS8pO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJmbGFtZS1zZWFyY2hcIik7XG4gICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiB3aW5kb3cuaG9zdC5zZXQoeyBzZWFyY2g6IFwiL1svXCIgfSkpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgZXJyb3JcIiwgYXN5bmMgKCkgPT5cbiAgICAgIC9VbnRlcm1pbmF0ZWQgY2hhcmFjdGVyIGNsYXNzLy50ZXN0KGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1mb3VuZFwiKS5pbm5lclRleHQoKSksXG4gICAgKTtcbiAgfSkpO1xuXG50ZXN0KFwiZmxhbWU6IGFuIGV4cHJlc3Npb24gdGhhdCB0YWtlcyB0b28gbG9uZyBpcyBzdG9wcGVkXCIsICgpID0+XG4gIHdpdGhHcmFwaChub2Rlc09mKHsgW1wiYVwiLnJlcGVhdCg2MCldOiAxIH0pLCB7IHNlYXJjaDogXCIvXihhKykrJHgvXCIgfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIGVycm9yXCIsIGFzeW5jICgpID0+XG4gICAgICAvdGFrZXMgdG9vIGxvbmcvLnRlc3QoKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1mb3VuZFwiKS50ZXh0Q29udGVudCgpKSA/PyBcIlwiKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gd2luZG93Lmhvc3Quc2V0KHsgc2VhcmNoOiBcIi9hL1wiIH0pKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIG5leHQgc2VhcmNoXCIsIGFzeW5jICgpID0+XG4gICAgICAvMSBmcmFtZS8udGVzdCgoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWZvdW5kXCIpLnRleHRDb250ZW50KCkpID8/IFwiXCIpLFxuICAgICk7XG4gIH0pKTtcblxuY29uc3QgaG9zdGlsZSA9IFtcbiAgXCI8aW1nIHNyYz14IG9uZXJyb3I9YWxlcnQoMSk+XCIsXG4gIFwiPC9zY3JpcHQ+PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0PlwiLFxuICBcIlxcdTIwMmVleGUuY29kXFx1MjA2NlwiLFxuICBcIlx1RDgzRFx1REQyNVx1RDgzRFx1REM2OVx1MjAwRFx1RDgzRFx1REM2OVx1MjAwRFx1RDgzRFx1REM2N1wiLnJlcGVhdCg0MCksXG4gIFwiXHUwNUU5XHUwNURDXHUwNUQ1XHUwNUREIFx1MDVFMlx1MDVENVx1MDVEQ1x1MDVERFwiLFxuICBcInhcIi5yZXBlYXQoMTBfMjQwKSxcbiAgXCJhXFx1MDAwMGJcXG5jXFx0ZFwiLFxuICBcIlwiLFxuICBcIl9fcHJvdG9fX1wiLFxuICBcImNvbnN0cnVjdG9yXCIsXG5dO1xuXG50ZXN0KFwiZmxhbWU6IGhvc3RpbGUgbmFtZXMgYXJlIHJlbmRlcmVkIGFzIHRleHQgaW4gZ3JhcGgsIHRvb2x0aXAsIG1lbnUgYW5kIGJyZWFkY3J1bWJcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKFxuICAgIG5vZGVzT2YoT2JqZWN0LmZyb21FbnRyaWVzKGhvc3RpbGUubWFwKChuYW1lKSA9PiBbYG1haW47JHtuYW1lfWAsIDEwXSkpKSxcbiAgICB7fSxcbiAgICBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgcGFnZS5vbihcImRpYWxvZ1wiLCAoZCkgPT4gcGFnZS5wYWdlRXJyb3JzLnB1c2goYGRpYWxvZzogJHtkLm1lc3NhZ2UoKX1gKSk7XG4gICAgICBmb3IgKGxldCBpID0gMDsgaSA8IGhvc3RpbGUubGVuZ3RoOyBpKyspIHtcbiAgICAgICAgY29uc3QgcGxhY2UgPSBhd2FpdCBhdChwYWdlLCAyLCAoaSArIDAuNSkgLyBob3N0aWxlLmxlbmd0aCk7XG4gICAgICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShwbGFjZS54LCBwbGFjZS55KTtcbiAgICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLXRvb2x0aXBcIikud2FpdEZvcigpO1xuICAgICAgICBjb25zdCBib3ggPSAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLXRvb2x0aXBcIikuYm91bmRpbmdCb3goKSkhO1xuICAgICAgICBhc3NlcnQub2soXG4gICAgICAgICAgYm94LnggPj0gMCAmJiBib3gueCArIGJveC53aWR0aCA8PSAxMDAwICYmIGJveC55ID49IDAgJiYgYm94LnkgKyBib3guaGVpZ2h0IDw9IDYwMCxcbiAgICAgICAgICBcInRoZSB0b29sdGlwIGlzIGluc2lkZSBvZiB0aGUgd2luZG93XCIsXG4gICAgICAgICk7XG4gICAgICB9XG4gICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiZmxhbWUtaG9zdGlsZVwiKTtcbiAgICAgIGZvciAobGV0IGkgPSAwOyBpIDwgaG9zdGlsZS5sZW5ndGg7IGkrKykge1xuICAgICAgICBhd2FpdCBjbGljayhwYWdlLCAyLCAoaSArIDAuNSkgLyBob3N0aWxlLmxlbmd0aCk7XG4gICAgICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoc2V0dGxlZCk7XG4gICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1jcnVtYnMgYnV0dG9uXCIpLmZpcnN0KCkuY2xpY2soKTtcbiAgICAgICAgYXdhaXQgcGFnZS53YWl0Rm9yVGltZW91dChzZXR0bGVkKTtcbiAgICAgIH1cbiAgICAgIGFzc2VydC5lcXVhbCgoYXdhaXQgZXZlbnRzT2YocGFnZSwgXCJ6b29tXCIpKS5sZW5ndGgsIDIgKiBob3N0aWxlLmxlbmd0aCk7XG4gICAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiaW1nXCIpLmNvdW50KCksIDApO1xuICAgIH0sXG4gICkpO1xuXG50ZXN0KFwiZmxhbWU6IGEgZGlmZmVyZW5jZSBzaG93cyBiZWZvcmUsIGFmdGVyIGFuZCBjaGFuZ2U7IHBhbGV0dGVzIGhhdmUgZGlmZmVyZW50IGNvbG91cnNcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKFxuICAgIG5vZGVzT2Yoe1xuICAgICAgXCJtYWluO2dyZXdcIjogWzEwLCAzMF0sXG4gICAgICBcIm1haW47c2hyYW5rXCI6IFszMCwgMTBdLFxuICAgICAgXCJtYWluO25ld1wiOiBbMCwgMjBdLFxuICAgICAgXCJtYWluO2dvbmVcIjogWzIwLCAwXSxcbiAgICAgIFwibWFpbjtzYW1lXCI6IFsxMCwgMTBdLFxuICAgIH0pLFxuICAgIHt9LFxuICAgIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICBjb25zdCBjb2xvdXJzID0gYXN5bmMgKCkgPT5cbiAgICAgICAgUHJvbWlzZS5hbGwoWzAuMSwgMC40LCAwLjldLm1hcCgocGFydCkgPT4gY29sb3VyQXQocGFnZSwgMiwgcGFydCkpKTtcbiAgICAgIGNvbnN0IGZpcnN0ID0gYXdhaXQgY29sb3VycygpO1xuICAgICAgYXNzZXJ0LmVxdWFsKG5ldyBTZXQoZmlyc3QpLnNpemUsIDMpO1xuICAgICAgY29uc3QgcGxhY2UgPSBhd2FpdCBhdChwYWdlLCAyLCAwLjEpO1xuICAgICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKHBsYWNlLngsIHBsYWNlLnkpO1xuICAgICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHRvb2x0aXAocGFnZSksIC9ncmV3W1xcc1xcU10qMTAgbnNcXHMrMzAgbnNcXHMrXFwrMjAgbnNcXHMrXFwrMjAwJS8pO1xuICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZsYW1lLWRpZmZcIik7XG4gICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IHdpbmRvdy5ob3N0LnNldCh7IHBhbGV0dGU6IFwiYmx1ZXJlZFwiIH0pKTtcbiAgICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoNTApO1xuICAgICAgYXNzZXJ0Lm5vdERlZXBFcXVhbChhd2FpdCBjb2xvdXJzKCksIGZpcnN0KTtcbiAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gKHdpbmRvdy5ob3N0LnRoZW1lKFwiZGFya1wiKSwgd2luZG93Lmhvc3Quc2V0KHsgbm9ybWFsaXNlOiB0cnVlIH0pKSk7XG4gICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiZmxhbWUtZGlmZi1kYXJrXCIpO1xuICAgIH0sXG4gICkpO1xuXG50ZXN0KFwiZmxhbWU6IGVtcHR5IHRyZWVzIGFuZCB0cmVlcyBvZiB6ZXJvc1wiLCAoKSA9PlxuICB3aXRoR3JhcGgobm9kZXNPZih7fSksIHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtZW1wdHlcIikuaW5uZXJUZXh0KCksIFwiTm8gc2FtcGxlc1wiKTtcbiAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKChuKSA9PiB3aW5kb3cuaG9zdC5vcGVuKG4pLCBub2Rlc09mKHsgXCJhO2JcIjogMCB9KSk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1lbXB0eVwiKS5jb3VudCgpLCAwKTtcbiAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKChuKSA9PiB3aW5kb3cuaG9zdC5vcGVuKG4pLCBub2Rlc09mKHsgXCJtO2FcIjogMTAsIFwibTtiXCI6IC00IH0pKTtcbiAgICBjb25zdCBwbGFjZSA9IGF3YWl0IGF0KHBhZ2UsIDIsIDAuOSk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKHBsYWNlLngsIHBsYWNlLnkpO1xuICAgIGFzc2VydC5tYXRjaChhd2FpdCB0b29sdGlwKHBhZ2UpLCAvXmJbXFxzXFxTXSotNCBucy8pO1xuICB9KSk7XG5cbnRlc3QoXCJmbGFtZTogdGhlIHJvb3QgYXQgdGhlIGJvdHRvbTsgZGVlcCBzdGFja3Mgc2Nyb2xsXCIsICgpID0+XG4gIHdpdGhHcmFwaChcbiAgICBub2Rlc09mKHsgW0FycmF5LmZyb20oeyBsZW5ndGg6IDMwMCB9LCAoXywgaSkgPT4gYGYke2l9YCkuam9pbihcIjtcIildOiAxIH0pLFxuICAgIHsgbGF5b3V0OiBcImZsYW1lXCIgfSxcbiAgICBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgY29uc3Qgc2Nyb2xsID0gKCkgPT4gcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5xdWVyeVNlbGVjdG9yKFwiLmZsYW1lLXNjcm9sbFwiKSEuc2Nyb2xsVG9wKTtcbiAgICAgIGNvbnN0IGZhciA9IGF3YWl0IHNjcm9sbCgpO1xuICAgICAgYXNzZXJ0Lm9rKGZhciA+IDUwMDAsIGB0aGUgcm9vdCBpcyBzaG93biBmaXJzdDogJHtmYXJ9YCk7XG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLmZvY3VzKCk7XG4gICAgICBmb3IgKGxldCBpID0gMDsgaSA8IDYwOyBpKyspIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd1VwXCIpO1xuICAgICAgYXNzZXJ0Lm9rKChhd2FpdCBzY3JvbGwoKSkgPCBmYXIsIFwidGhlIGZvY3VzIGlzIHNjcm9sbGVkIHRvXCIpO1xuICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZsYW1lLWRlZXBcIik7XG4gICAgfSxcbiAgKSk7XG5cbnRlc3QoXCJmbGFtZTogQ3RybCBhbmQgdGhlIHdoZWVsIHpvb20gYXQgdGhlIHBvaW50ZXIsIGEgZHJhZyBwYW5zLCB0aGUgcGxhaW4gd2hlZWwgc2Nyb2xsc1wiLCAoKSA9PlxuICB3aXRoR3JhcGgoc2hvcCwge30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgcGxhY2UgPSBhd2FpdCBhdChwYWdlLCAyLCAwLjI1KTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLm1vdmUocGxhY2UueCwgcGxhY2UueSk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5kb3duKFwiQ29udHJvbFwiKTtcbiAgICBmb3IgKGxldCBpID0gMDsgaSA8IDY7IGkrKykgYXdhaXQgcGFnZS5tb3VzZS53aGVlbCgwLCAtNjApO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudXAoXCJDb250cm9sXCIpO1xuICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoMTAwKTtcbiAgICBjb25zdCBlZGdlID0gYXdhaXQgYXQocGFnZSwgMiwgMC45OCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGVkZ2UueCwgZWRnZS55KTtcbiAgICBhc3NlcnQubWF0Y2goYXdhaXQgdG9vbHRpcChwYWdlKSwgL15oYW5kbGUvKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLW1hcC1vZmZcIikuY291bnQoKSwgMCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGVkZ2UueCAtIDkwMCwgZWRnZS55LCB7IHN0ZXBzOiA1IH0pO1xuICAgIGF3YWl0IHBhZ2UubW91c2UudXAoKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwiem9vbVwiKSwgW10pOyAvLyBhIGRyYWcgaXMgbm90IGEgY2xpY2tcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiZmxhbWUtd2hlZWxcIik7XG4gIH0pKTtcblxudGVzdChcImZsYW1lOiBhIHRhcCBzZWxlY3RzLCBhIGRvdWJsZSB0YXAgem9vbXNcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKFxuICAgIHNob3AsXG4gICAge30sXG4gICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgIGNvbnN0IGJveCA9IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLmJvdW5kaW5nQm94KCkpITtcbiAgICAgIGNvbnN0IFt4LCB5XSA9IFtib3gueCArIDEwMCwgYm94LnkgKyAyLjUgKiAyNl07XG4gICAgICBhd2FpdCBwYWdlLnRvdWNoc2NyZWVuLnRhcCh4LCB5KTtcbiAgICAgIGFzc2VydC5kZWVwRXF1YWwoYXdhaXQgZXZlbnRzT2YocGFnZSwgXCJ6b29tXCIpLCBbXSk7XG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwic2VsZWN0XCIpLCBbW1wic2VsZWN0XCIsIFwiaGFuZGxlXCJdXSk7XG4gICAgICBhc3NlcnQubWF0Y2goYXdhaXQgdG9vbHRpcChwYWdlKSwgL15oYW5kbGUvKTtcbiAgICAgIGF3YWl0IHBhZ2Uud2FpdEZvclRpbWVvdXQoNTAwKTtcbiAgICAgIGF3YWl0IHBhZ2UudG91Y2hzY3JlZW4udGFwKHgsIHkpO1xuICAgICAgYXdhaXQgcGFnZS50b3VjaHNjcmVlbi50YXAoeCwgeSk7XG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwiem9vbVwiKSwgW1tcInpvb21cIiwgW1wibWFpblwiLCBcImhhbmRsZVwiXV1dKTtcbiAgICB9LFxuICAgIHsgaGFzVG91Y2g6IHRydWUsIGlzTW9iaWxlOiB0cnVlLCB2aWV3cG9ydDogeyB3aWR0aDogMzkwLCBoZWlnaHQ6IDcwMCB9IH0sXG4gICkpO1xuXG50ZXN0KFwiZmxhbWU6IGNvbGxhcHNlZCBmcmFtZXMsIGFuZCBhIHpvb20gaW50byBhIG1lcmdlZCBmcmFtZVwiLCAoKSA9PlxuICB3aXRoR3JhcGgoXG4gICAgbm9kZXNPZih7IFwibWFpbjtmO2Y7eDt5XCI6IDMwLCBcIm1haW47Zjt4XCI6IDEwLCBcIm1haW47ZjtmXCI6IDUgfSksXG4gICAgeyBjb2xsYXBzZTogXCJyZWN1cnNpb25cIiB9LFxuICAgIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICBhc3NlcnQubWF0Y2goXG4gICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1oaWRkZW5cIikuaW5uZXJUZXh0KCksXG4gICAgICAgIC82IGZyYW1lczsgMiBjb2xsYXBzZWQgaW50byB0aGVpciBjYWxsZXJzLyxcbiAgICAgICk7XG4gICAgICBhd2FpdCBjbGljayhwYWdlLCAzLCAwLjIpO1xuICAgICAgYXdhaXQgcGFnZS53YWl0Rm9yVGltZW91dChzZXR0bGVkKTtcbiAgICAgIGFzc2VydC5lcXVhbChhd2FpdCBjcnVtYnMocGFnZSksIFwiYWxsID4gbWFpbiA+IGYgPiB4XCIpO1xuICAgICAgLy8gYSBtZXJnZWQgZnJhbWUgaGFzIG5vIHNpbmdsZSBwYXRoIHRvIHF1ZXJ5XG4gICAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV2ZW50c09mKHBhZ2UsIFwiem9vbVwiKSwgW10pO1xuICAgIH0sXG4gICkpO1xuXG50ZXN0KFwiZmxhbWU6IGEgbm90ZSBkZXNjcmliZXMgaGlkZGVuIGZyYW1lc1wiLCAoKSA9PlxuICB3aXRoR3JhcGgoeyAuLi5zaG9wLCBub2RlX2NvdW50OiAxNV8wMDAsIGhpZGRlbl9zaGFyZTogMC4wMTMgfSwge30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgdGV4dCA9IGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1oaWRkZW5cIikuaW5uZXJUZXh0KCk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgdGV4dCxcbiAgICAgIFwiNyBvZiAxNSwwMDAgZnJhbWVzIHNob3duOyBmcmFtZXMgdW5kZXIgNS4wJSBob2xkIDEuMyUgYW5kIGFyZSBoaWRkZW46IHpvb20gaW4gdG8gc2VlIHRoZW1cIixcbiAgICApO1xuICB9KSk7XG5cbnRlc3QoXCJmbGFtZTogdGhlIHdvcmtlciBwcm9jZXNzZXMgMzAwLDAwMCBmcmFtZXM7IG5vIGFuaW1hdGlvbiB3aXRoIHJlZHVjZWQgbW90aW9uXCIsICgpID0+XG4gIHdpdGhHcmFwaChcbiAgICBzaG9wLFxuICAgIHt9LFxuICAgIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IHdpbmRvdy5ob3N0Lm9wZW5SYW5kb20oMzAwXzAwMCwgeyBzZWFyY2g6IFwibWV0aG9kMVwiIH0pKTtcbiAgICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgdHJlZVwiLCBhc3luYyAoKSA9PlxuICAgICAgICAvMjk5LDk5OS8udGVzdChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtaGlkZGVuXCIpLmlubmVyVGV4dCgpKSxcbiAgICAgICk7XG4gICAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIG1hdGNoXCIsIGFzeW5jICgpID0+XG4gICAgICAgIC9mcmFtZXM6Ly50ZXN0KChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtZm91bmRcIikudGV4dENvbnRlbnQoKSkgPz8gXCJcIiksXG4gICAgICApO1xuICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiB3aW5kb3cuaG9zdC5zZXQoeyBzZWFyY2g6IFwiXCIsIGNvbGxhcHNlOiBcImJvdGhcIiB9KSk7XG4gICAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIGNvbGxhcHNlZCB0cmVlXCIsIGFzeW5jICgpID0+XG4gICAgICAgIC9jb2xsYXBzZWQvLnRlc3QoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWhpZGRlblwiKS5pbm5lclRleHQoKSksXG4gICAgICApO1xuICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcImZsYW1lLWxhcmdlXCIpO1xuICAgIH0sXG4gICAgeyByZWR1Y2VkTW90aW9uOiBcInJlZHVjZVwiIH0sXG4gICkpO1xuXG50ZXN0KFwiZmxhbWU6IFNWRyBhbmQgUE5HIGV4cG9ydHNcIiwgKCkgPT5cbiAgd2l0aEdyYXBoKHNob3AsIHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGFzc2VydC5vaygoYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiB3aW5kb3cuaG9zdC5wbmcoKSkpID4gMjAwMCk7XG4gICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gd2luZG93Lmhvc3Quc3ZnKCkpLCAvXjxzdmdbXFxzXFxTXSpwYXJzZS8pO1xuICB9KSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJ1aWxkcyBzbWFsbCB0cmVlcyBmb3IgdGVzdHMgZnJvbSBzdGFja3M6IFwibWFpbjthO3hcIjogNDAuXG5pbXBvcnQgdHlwZSB7IFRyZWVOb2RlcyB9IGZyb20gXCIuLi8uLi9zcmMvYXBpL3R5cGVzXCI7XG5pbXBvcnQgeyBUcmVlLCB0cmVlT2YgfSBmcm9tIFwiLi4vLi4vc3JjL2ZsYW1lL21vZGVsL3RyZWVcIjtcblxuaW50ZXJmYWNlIE5vZGUge1xuICBuYW1lOiBzdHJpbmc7XG4gIHNlbGY6IG51bWJlcltdO1xuICB0b3RhbDogbnVtYmVyW107XG4gIGNoaWxkcmVuOiBNYXA8c3RyaW5nLCBOb2RlPjtcbn1cblxuY29uc3QgbWFkZSA9IChuYW1lOiBzdHJpbmcpOiBOb2RlID0+ICh7IG5hbWUsIHNlbGY6IFswLCAwXSwgdG90YWw6IFswLCAwXSwgY2hpbGRyZW46IG5ldyBNYXAoKSB9KTtcblxuZXhwb3J0IGludGVyZmFjZSBQbGFjZSB7XG4gIGZpbGU/OiBzdHJpbmc7XG4gIG1vZHVsZT86IHN0cmluZztcbn1cblxuLy8gYHN0YWNrc2A6IG9uZSB2YWx1ZSwgb3IgW2JlZm9yZSwgYWZ0ZXJdLiBDaGlsZHJlbiBhcmUgc29ydGVkIGJ5IGRlc2NlbmRpbmcgdG90YWwsIGFzIGJ5IHRoZVxuLy8gc2VydmVyLlxuZXhwb3J0IGZ1bmN0aW9uIG5vZGVzT2YoXG4gIHN0YWNrczogUmVjb3JkPHN0cmluZywgbnVtYmVyIHwgW251bWJlciwgbnVtYmVyXT4sXG4gIHBsYWNlczogUmVjb3JkPHN0cmluZywgUGxhY2U+ID0ge30sXG4gIHBhdGg6IHN0cmluZ1tdID0gW10sXG4pOiBUcmVlTm9kZXMge1xuICBjb25zdCByb290ID0gbWFkZShcIlwiKTtcbiAgbGV0IGJvdGggPSBmYWxzZTtcbiAgZm9yIChjb25zdCBbc3RhY2ssIHZhbHVlXSBvZiBPYmplY3QuZW50cmllcyhzdGFja3MpKSB7XG4gICAgY29uc3QgdmFsdWVzID0gQXJyYXkuaXNBcnJheSh2YWx1ZSkgPyB2YWx1ZSA6IFswLCB2YWx1ZV07XG4gICAgYm90aCB8fD0gQXJyYXkuaXNBcnJheSh2YWx1ZSk7XG4gICAgbGV0IG5vZGUgPSByb290O1xuICAgIGNvbnN0IGFkZCA9IChzdW1zOiBudW1iZXJbXSkgPT4gdmFsdWVzLmZvckVhY2goKHYsIGkpID0+IChzdW1zW2ldICs9IHYpKTtcbiAgICBhZGQobm9kZS50b3RhbCk7XG4gICAgZm9yIChjb25zdCBuYW1lIG9mIHN0YWNrID8gc3RhY2suc3BsaXQoXCI7XCIpIDogW10pIHtcbiAgICAgIGlmICghbm9kZS5jaGlsZHJlbi5oYXMobmFtZSkpIG5vZGUuY2hpbGRyZW4uc2V0KG5hbWUsIG1hZGUobmFtZSkpO1xuICAgICAgbm9kZSA9IG5vZGUuY2hpbGRyZW4uZ2V0KG5hbWUpITtcbiAgICAgIGFkZChub2RlLnRvdGFsKTtcbiAgICB9XG4gICAgYWRkKG5vZGUuc2VsZik7XG4gIH1cbiAgY29uc3QgbmFtZXM6IHN0cmluZ1tdID0gW107XG4gIGNvbnN0IG91dDogVHJlZU5vZGVzID0ge1xuICAgIHBhdGgsXG4gICAgbm9kZV9jb3VudDogMCxcbiAgICBzaG93bl9jb3VudDogMCxcbiAgICBoaWRkZW5fc2hhcmU6IDAsXG4gICAgbmFtZXMsXG4gICAgZmlsZXM6IFtdLFxuICAgIG1vZHVsZXM6IFtdLFxuICAgIGxldmVsOiBbXSxcbiAgICBuYW1lOiBbXSxcbiAgICBzZWxmOiBbXSxcbiAgICB0b3RhbDogW10sXG4gIH07XG4gIGlmIChib3RoKSBPYmplY3QuYXNzaWduKG91dCwgeyBiZWZvcmVfc2VsZjogW10sIGJlZm9yZV90b3RhbDogW10gfSk7XG4gIGNvbnN0IHdlaWdodCA9IChuOiBOb2RlKSA9PiBNYXRoLm1heCguLi5uLnRvdGFsLm1hcChNYXRoLmFicykpO1xuICBjb25zdCBwdXQgPSAobm9kZTogTm9kZSwgbGV2ZWw6IG51bWJlcikgPT4ge1xuICAgIGxldCBuYW1lID1cbiAgICAgIGxldmVsID09PSAwICYmICFwYXRoLmxlbmd0aFxuICAgICAgICA/IC0xXG4gICAgICAgIDogbmFtZXMuaW5kZXhPZihsZXZlbCA9PT0gMCA/IHBhdGhbcGF0aC5sZW5ndGggLSAxXSA6IG5vZGUubmFtZSk7XG4gICAgaWYgKG5hbWUgPCAwICYmIChsZXZlbCA+IDAgfHwgcGF0aC5sZW5ndGgpKSB7XG4gICAgICBuYW1lID0gbmFtZXMucHVzaChsZXZlbCA9PT0gMCA/IHBhdGhbcGF0aC5sZW5ndGggLSAxXSA6IG5vZGUubmFtZSkgLSAxO1xuICAgICAgb3V0LmZpbGVzLnB1c2gocGxhY2VzW25vZGUubmFtZV0/LmZpbGUgPz8gXCJcIik7XG4gICAgICBvdXQubW9kdWxlcy5wdXNoKHBsYWNlc1tub2RlLm5hbWVdPy5tb2R1bGUgPz8gXCJcIik7XG4gICAgfVxuICAgIG91dC5sZXZlbC5wdXNoKGxldmVsKTtcbiAgICBvdXQubmFtZS5wdXNoKG5hbWUpO1xuICAgIG91dC5zZWxmLnB1c2gobm9kZS5zZWxmWzFdKTtcbiAgICBvdXQudG90YWwucHVzaChub2RlLnRvdGFsWzFdKTtcbiAgICBvdXQuYmVmb3JlX3NlbGY/LnB1c2gobm9kZS5zZWxmWzBdKTtcbiAgICBvdXQuYmVmb3JlX3RvdGFsPy5wdXNoKG5vZGUudG90YWxbMF0pO1xuICAgIGZvciAoY29uc3QgY2hpbGQgb2YgWy4uLm5vZGUuY2hpbGRyZW4udmFsdWVzKCldLnNvcnQoKGEsIGIpID0+IHdlaWdodChiKSAtIHdlaWdodChhKSkpXG4gICAgICBwdXQoY2hpbGQsIGxldmVsICsgMSk7XG4gIH07XG4gIHB1dChyb290LCAwKTtcbiAgb3V0Lm5vZGVfY291bnQgPSBvdXQuc2hvd25fY291bnQgPSBvdXQubGV2ZWwubGVuZ3RoIC0gMTtcbiAgcmV0dXJuIG91dDtcbn1cblxuZXhwb3J0IGZ1bmN0aW9uIHRyZWVGcm9tKFxuICBzdGFja3M6IFJlY29yZDxzdHJpbmcsIG51bWJlciB8IFtudW1iZXIsIG51bWJlcl0+LFxuICBwbGFjZXM/OiBSZWNvcmQ8c3RyaW5nLCBQbGFjZT4sXG4gIHBhdGg/OiBzdHJpbmdbXSxcbik6IFRyZWUge1xuICBjb25zdCBub2RlcyA9IG5vZGVzT2Yoc3RhY2tzLCBwbGFjZXMsIHBhdGgpO1xuICByZXR1cm4gdHJlZU9mKG5vZGVzLCBcInNhbXBsZXNcIiwgbm9kZXMudG90YWxbMF0pO1xufVxuXG4vLyBGb3JtYXQgdGhlIHRyZWUgYXMgaW5kZW50ZWQgdGV4dDogXCJtYWluIDkwLzEwXCIsIHRvdGFsIGFuZCBzZWxmLlxuZXhwb3J0IGZ1bmN0aW9uIHRleHRPZih0cmVlOiBUcmVlKTogc3RyaW5nIHtcbiAgcmV0dXJuIFsuLi50cmVlLmxldmVsXVxuICAgIC5tYXAoXG4gICAgICAobGV2ZWwsIGkpID0+XG4gICAgICAgIGAke1wiICBcIi5yZXBlYXQobGV2ZWwpfSR7dHJlZS5uYW1lW2ldIDwgMCA/IFwiKlwiIDogdHJlZS5uYW1lc1t0cmVlLm5hbWVbaV1dfSAke3RyZWUudG90YWxbaV19LyR7dHJlZS5zZWxmW2ldfWAsXG4gICAgKVxuICAgIC5qb2luKFwiXFxuXCIpO1xufVxuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBTZXJ2ZXMgaG9zdC50c3ggd2l0aCBpdHMgd29ya2VyLCB1bmRlciB0aGUgY29udGVudCBzZWN1cml0eSBwb2xpY3kgb2YgdGhlIHByb2dyYW0ncyBwYWdlcy5cbi8vIHJ1bi5tanMgY3JlYXRlcyB0aGUgYnVuZGxlcyBiZXNpZGUgdGhlIGJ1bmRsZSBvZiB0aGUgdGVzdHMuXG5pbXBvcnQgeyByZWFkRmlsZVN5bmMgfSBmcm9tIFwibm9kZTpmc1wiO1xuaW1wb3J0IHsgY3JlYXRlU2VydmVyIH0gZnJvbSBcIm5vZGU6aHR0cFwiO1xuaW1wb3J0IHR5cGUgeyBBZGRyZXNzSW5mbyB9IGZyb20gXCJub2RlOm5ldFwiO1xuaW1wb3J0IHsgZGlybmFtZSwgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IGZpbGVVUkxUb1BhdGggfSBmcm9tIFwibm9kZTp1cmxcIjtcblxuY29uc3QgcG9saWN5ID1cbiAgXCJkZWZhdWx0LXNyYyAnbm9uZSc7IHNjcmlwdC1zcmMgJ3NlbGYnOyBzdHlsZS1zcmMgJ3NlbGYnOyBpbWctc3JjICdzZWxmJyBkYXRhOiBibG9iOjsgXCIgK1xuICBcImNvbm5lY3Qtc3JjICdzZWxmJzsgd29ya2VyLXNyYyAnc2VsZic7IGJhc2UtdXJpICdub25lJ1wiO1xuY29uc3QgdHlwZXM6IFJlY29yZDxzdHJpbmcsIHN0cmluZz4gPSB7IFwiLmpzXCI6IFwidGV4dC9qYXZhc2NyaXB0XCIsIFwiLmNzc1wiOiBcInRleHQvY3NzXCIgfTtcblxuZXhwb3J0IGludGVyZmFjZSBTZXJ2ZXIge1xuICB1cmw6IHN0cmluZztcbiAgY2xvc2UoKTogdm9pZDtcbn1cblxuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIHNlcnZlSG9zdChmb2xkZXIgPSBkaXJuYW1lKGZpbGVVUkxUb1BhdGgoaW1wb3J0Lm1ldGEudXJsKSkpOiBQcm9taXNlPFNlcnZlcj4ge1xuICBjb25zdCBwYWdlID1cbiAgICAnPCFkb2N0eXBlIGh0bWw+PG1ldGEgY2hhcnNldD1cInV0Zi04XCI+PHRpdGxlPmhvc3Q8L3RpdGxlPjxsaW5rIHJlbD1cInN0eWxlc2hlZXRcIiBocmVmPVwiL2hvc3QuY3NzXCI+JyArXG4gICAgJzxkaXYgaWQ9XCJhcHBcIiBjbGFzcz1cImhvc3RcIj48L2Rpdj48c2NyaXB0IHNyYz1cIi9ob3N0LmpzXCI+PC9zY3JpcHQ+JztcbiAgY29uc3Qgc2VydmVyID0gY3JlYXRlU2VydmVyKChyZXF1ZXN0LCByZXNwb25zZSkgPT4ge1xuICAgIGNvbnN0IHBhdGggPSByZXF1ZXN0LnVybCEuc3BsaXQoXCI/XCIpWzBdO1xuICAgIGNvbnN0IHR5cGUgPSB0eXBlc1twYXRoLnNsaWNlKHBhdGgubGFzdEluZGV4T2YoXCIuXCIpKV07XG4gICAgcmVzcG9uc2Uuc2V0SGVhZGVyKFwiY29udGVudC1zZWN1cml0eS1wb2xpY3lcIiwgcG9saWN5KTtcbiAgICByZXNwb25zZS5zZXRIZWFkZXIoXCJjb250ZW50LXR5cGVcIiwgYCR7dHlwZSA/PyBcInRleHQvaHRtbFwifTsgY2hhcnNldD11dGYtOGApO1xuICAgIGlmIChwYXRoID09PSBcIi9cIikgcmVzcG9uc2UuZW5kKHBhZ2UpO1xuICAgIGVsc2UgaWYgKHR5cGUpIHJlc3BvbnNlLmVuZChyZWFkRmlsZVN5bmMoam9pbihmb2xkZXIsIFwidWktaG9zdFwiLCBwYXRoKSkpO1xuICAgIGVsc2UgcmVzcG9uc2Uud3JpdGVIZWFkKDIwNCkuZW5kKCk7XG4gIH0pO1xuICBhd2FpdCBuZXcgUHJvbWlzZTx2b2lkPigoZG9uZSkgPT4gc2VydmVyLmxpc3RlbigwLCBcIjEyNy4wLjAuMVwiLCBkb25lKSk7XG4gIHJldHVybiB7XG4gICAgdXJsOiBgaHR0cDovLzEyNy4wLjAuMTokeyhzZXJ2ZXIuYWRkcmVzcygpIGFzIEFkZHJlc3NJbmZvKS5wb3J0fS9gLFxuICAgIGNsb3NlOiAoKSA9PiBzZXJ2ZXIuY2xvc2UoKSxcbiAgfTtcbn1cbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiB0aGUgaGVhdCBtYXAsIGJ5IG1vdXNlIGFuZCBrZXlib2FyZCwgb24gYSByZWFsIHNlcnZlciB3aXRoIHNhbXBsZXMgYXQga25vd25cbi8vIHRpbWVzLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgeyBqb2luIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgUGFnZSB9IGZyb20gXCJwbGF5d3JpZ2h0LWNvcmVcIjtcbmltcG9ydCB7IHRlc3QgfSBmcm9tIFwiLi4vdGFwXCI7XG5pbXBvcnQgeyBldmVudHVhbGx5LCBmb2xkZWQsIHNjcmVlbnNob3QsIHRlbXBvcmFyeSwgVGVzdFBhZ2UsIHdpdGhQYWdlIH0gZnJvbSBcIi4vcGFnZXNcIjtcbmltcG9ydCB7IGtub3duU2FtcGxlcywgc2VuZFNhbXBsZXMgfSBmcm9tIFwiLi90aW1lZF9zYW1wbGVzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3Qgc3RhcnQgPSBNYXRoLmZsb29yKERhdGUubm93KCkgLyAxMDAwKSAqIDEwMDAgLSA2MDBfMDAwO1xubGV0IGtub3duOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxuZnVuY3Rpb24gc2VydmVyKCk6IFByb21pc2U8U2VydmVyPiB7XG4gIGtub3duID8/PSAoYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgICBhd2FpdCBzZW5kU2FtcGxlcyhzLnVybCwgXCJ0aW1lZFwiLCBrbm93blNhbXBsZXMoc3RhcnQpKTtcbiAgICBzLnB1c2goZm9sZGVkKGpvaW4odGVtcG9yYXJ5KCksIFwic3Vtcy5mb2xkZWRcIiksIHsgXCJtYWluO3dvcmtcIjogNSB9KSwgXCJzdW1zXCIpO1xuICAgIHJldHVybiBzO1xuICB9KSgpO1xuICByZXR1cm4ga25vd247XG59XG5cbmNvbnN0IG1hcCA9IChwYWdlOiBQYWdlKSA9PiBwYWdlLmxvY2F0b3IoXCIuaGVhdC1jZWxsc1wiKTtcbmNvbnN0IHN1bW1hcnkgPSAocGFnZTogUGFnZSwgdGV4dDogc3RyaW5nKSA9PlxuICBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIiwgeyBoYXNUZXh0OiB0ZXh0IH0pLndhaXRGb3IoKTtcbmNvbnN0IHBhcmFtID0gKHBhZ2U6IFBhZ2UsIG5hbWU6IHN0cmluZykgPT4gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0KG5hbWUpO1xuXG5hc3luYyBmdW5jdGlvbiBvcGVuKHBhZ2U6IFRlc3RQYWdlLCBzOiBTZXJ2ZXIsIG1vcmUgPSBcIlwiKSB7XG4gIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9dGltZWQmdmlldz1oZWF0JHttb3JlfWApO1xuICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuaGVhdC1jZWxscyBjYW52YXNcIikud2FpdEZvcigpO1xuICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRmxhbWUgZ3JhcGhcIl0gY2FudmFzOm5vdChbYXJpYS1oaWRkZW5dKScpLmZpcnN0KCkud2FpdEZvcigpO1xufVxuXG4vLyBEcmFnIGZyb20gdGhlIG1pZGRsZSBvZiBvbmUgY2VsbCB0byB0aGUgbWlkZGxlIG9mIGFub3RoZXIuXG5hc3luYyBmdW5jdGlvbiBkcmFnKHBhZ2U6IFBhZ2UsIGZyb206IFtudW1iZXIsIG51bWJlcl0sIHRvOiBbbnVtYmVyLCBudW1iZXJdKSB7XG4gIGNvbnN0IGJveCA9IChhd2FpdCBtYXAocGFnZSkuYm91bmRpbmdCb3goKSkhO1xuICBjb25zdCBhdCA9IChbY29sdW1uLCByb3ddOiBbbnVtYmVyLCBudW1iZXJdKSA9PlxuICAgIFtib3gueCArICgoY29sdW1uICsgMC41KSAqIGJveC53aWR0aCkgLyAxMCwgYm94LnkgKyAoKHJvdyArIDAuNSkgKiBib3guaGVpZ2h0KSAvIDUwXSBhcyBjb25zdDtcbiAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKC4uLmF0KGZyb20pKTtcbiAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gIGF3YWl0IHBhZ2UubW91c2UubW92ZSguLi5hdCh0byksIHsgc3RlcHM6IDQgfSk7XG4gIGF3YWl0IHBhZ2UubW91c2UudXAoKTtcbn1cblxuZm9yIChjb25zdCB0aGVtZSBvZiBbXCJsaWdodFwiLCBcImRhcmtcIl0gYXMgY29uc3QpXG4gIGZvciAoY29uc3Qgd2lkdGggb2YgWzEyODAsIDE5MjAsIDM5MF0pXG4gICAgdGVzdChgaGVhdCBtYXA6ICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoXG4gICAgICAgIHsgY29sb3JTY2hlbWU6IHRoZW1lLCB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwIH0gfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBvcGVuKHBhZ2UsIHMpO1xuICAgICAgICAgIGFzc2VydC5lcXVhbChcbiAgICAgICAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICAgICAgICBmYWxzZSxcbiAgICAgICAgICAgIFwibm90aGluZyBpcyBjdXQgb2ZmIGF0IHRoZSByaWdodFwiLFxuICAgICAgICAgICk7XG4gICAgICAgICAgaWYgKHdpZHRoICE9PSAzOTApIGF3YWl0IGRyYWcocGFnZSwgWzQsIDIwXSwgWzYsIDMwXSk7XG4gICAgICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBgaGVhdC0ke3RoZW1lfS0ke3dpZHRofWApO1xuICAgICAgICB9LFxuICAgICAgKTtcbiAgICB9KTtcblxudGVzdChcImhlYXQgbWFwOiBhIHJlY3RhbmdsZSBoYXMgaXRzIGZsYW1lIGdyYXBoLCBpcyBpbiB0aGUgYWRkcmVzcywgYW5kIGlzIHJlbW92ZWQgYnkgRXNjYXBlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBvcGVuKHBhZ2UsIHMpO1xuICAgIGF3YWl0IHN1bW1hcnkocGFnZSwgXCIxNTAgbXNcIik7XG4gICAgYXdhaXQgZHJhZyhwYWdlLCBbNCwgMjRdLCBbNiwgMjhdKTsgLy8gNDgwIHRvIDU4MCBtcyBvZiB0aHJlZSBzZWNvbmRzOiB0aGUgYnVyc3QgYWxvbmVcbiAgICBhd2FpdCBzdW1tYXJ5KHBhZ2UsIFwiMzAuMCBtc1wiKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJ0aW1lX2Zyb21cIiksIFN0cmluZyhzdGFydCArIDQwMDApKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJ0aW1lX3RvXCIpLCBTdHJpbmcoc3RhcnQgKyA3MDAwKSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChcbiAgICAgIFtwYXJhbShwYWdlLCBcInBoYXNlX3N0ZXBcIiksIHBhcmFtKHBhZ2UsIFwicGhhc2VfZnJvbVwiKSwgcGFyYW0ocGFnZSwgXCJwaGFzZV90b1wiKV0sXG4gICAgICBbXCIxMDAwXCIsIFwiNDgwXCIsIFwiNTgwXCJdLFxuICAgICk7XG4gICAgYXNzZXJ0Lm1hdGNoKFxuICAgICAgKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5oZWF0LWZvb3RcIikudGV4dENvbnRlbnQoKSkgPz8gXCJcIixcbiAgICAgIC8zMFxcLjAgbXMgLio0ODAgbXMgdG8gNTgwIG1zLyxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UucmVsb2FkKCk7XG4gICAgYXdhaXQgc3VtbWFyeShwYWdlLCBcIjMwLjAgbXNcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmhlYXQtY2hvc2VuXCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRXNjYXBlXCIpO1xuICAgIGF3YWl0IHN1bW1hcnkocGFnZSwgXCIxNTAgbXNcIik7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwidGltZV9mcm9tXCIpLCBudWxsKTtcbiAgfSk7XG59KTtcblxudGVzdChcImhlYXQgbWFwOiBhIHJlY3RhbmdsZSBhcHBsaWVzIGluIG90aGVyIHZpZXdzLCBhbmQgaXMgc2hvd24gdGhlcmVcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IG9wZW4ocGFnZSwgcyk7XG4gICAgYXdhaXQgZHJhZyhwYWdlLCBbNSwgMjRdLCBbNSwgMjhdKTtcbiAgICBhd2FpdCBzdW1tYXJ5KHBhZ2UsIFwiMzAuMCBtc1wiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwidFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRnVuY3Rpb25zXCJdIC5kYXRhLXJvdycsIHsgaGFzVGV4dDogXCJidXJzdFwiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoXG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRnVuY3Rpb25zXCJdIC5kYXRhLXJvdycsIHsgaGFzVGV4dDogXCJ0aWNrXCIgfSkuY291bnQoKSxcbiAgICAgIDAsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubW9tZW50cy1jaGlwIGJ1dHRvblwiKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJGdW5jdGlvbnNcIl0gLmRhdGEtcm93JywgeyBoYXNUZXh0OiBcInRpY2tcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJoZWF0IG1hcDogdGhlIHRvb2x0aXAgb2YgYSBjZWxsIHNob3dzIHRpbWUgYW5kIHZhbHVlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBvcGVuKHBhZ2UsIHMpO1xuICAgIGNvbnN0IGJveCA9IChhd2FpdCBtYXAocGFnZSkuYm91bmRpbmdCb3goKSkhO1xuICAgIC8vIFNlY29uZCAyLCAxMDAgdG8gMTIwIG1zLlxuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShib3gueCArIDAuMjUgKiBib3gud2lkdGgsIGJveC55ICsgKDUuNSAqIGJveC5oZWlnaHQpIC8gNTApO1xuICAgIGNvbnN0IHRpcCA9IGF3YWl0IGV2ZW50dWFsbHkoXCJhIHRpcFwiLCAoKSA9PiBwYWdlLmxvY2F0b3IoXCIuaGVhdC10aXBcIikudGV4dENvbnRlbnQoKSk7XG4gICAgYXNzZXJ0Lm1hdGNoKHRpcCwgL14xMFxcLjAgbXMuKiwgMTAwIG1zIHRvIDEyMCBtcyQvKTtcbiAgfSk7XG59KTtcblxudGVzdChcImhlYXQgbWFwOiBrZXlib2FyZCBvbmx5XCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBvcGVuKHBhZ2UsIHMpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJoXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd1JpZ2h0XCIpOyAvLyBzaG93cyB0aGUgY3Vyc29yXG4gICAgZm9yIChsZXQgaSA9IDA7IGkgPCA1OyBpKyspIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd1JpZ2h0XCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJQYWdlRG93blwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiUGFnZURvd25cIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5kb3duKFwiU2hpZnRcIik7XG4gICAgZm9yIChsZXQgaSA9IDA7IGkgPCA5OyBpKyspIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0Rvd25cIik7IC8vIHJvd3MgMjAgdG8gMjlcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnVwKFwiU2hpZnRcIik7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCBwYWdlLmxvY2F0b3IoJy5oZWF0LXRpcFtyb2xlPVwic3RhdHVzXCJdJykudGV4dENvbnRlbnQoKSkgPz8gXCJcIiwgL14zMFxcLjAgbXMvKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgYXdhaXQgc3VtbWFyeShwYWdlLCBcIjMwLjAgbXNcIik7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChcbiAgICAgIFtwYXJhbShwYWdlLCBcInRpbWVfZnJvbVwiKSwgcGFyYW0ocGFnZSwgXCJwaGFzZV9mcm9tXCIpLCBwYXJhbShwYWdlLCBcInBoYXNlX3RvXCIpXSxcbiAgICAgIFtTdHJpbmcoc3RhcnQgKyA1MDAwKSwgXCI0MDBcIiwgXCI2MDBcIl0sXG4gICAgKTtcbiAgfSk7XG59KTtcblxudGVzdChcImhlYXQgbWFwOiB3aXRob3V0IHRpbWVzdGFtcHMgYSBub3RlIGV4cGxhaW5zIGhvdyB0byByZWNvcmQgdGhlbVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zdW1zJnZpZXc9aGVhdGApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5oZWF0LXBhbmVsXCIsIHsgaGFzVGV4dDogXCJUaGVzZSBzYW1wbGVzIGhhdmUgbm8gdGltZXN0YW1wc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuaGVhdC1yZWNpcGVcIiwgeyBoYXNUZXh0OiBcInZhcnZlIHJ1blwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwiaGVhdC1uby10aW1lc1wiKTtcbiAgfSk7XG59KTtcblxudGVzdChcImhlYXQgbWFwOiBhIHJlY3RhbmdsZSBvdXRzaWRlIG9mIHRoZSBtYXAgaXMgcmVwb3J0ZWRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IG9wZW4ocGFnZSwgcywgXCImdGltZV9mcm9tPTUmdGltZV90bz02XCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5oZWF0LWZvb3RcIiwgeyBoYXNUZXh0OiBcIm91dHNpZGUgb2YgdGhpcyBtYXBcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmhlYXQtZm9vdCBidXR0b25cIikuY2xpY2soKTtcbiAgICBhd2FpdCBzdW1tYXJ5KHBhZ2UsIFwiMTUwIG1zXCIpO1xuICB9KTtcbn0pO1xuIiwgIi8vIFNQRFgtTGljZW5zZS1JZGVudGlmaWVyOiBBcGFjaGUtMi4wXG4vLyBUZXN0IGRhdGE6IE9UTFAgcHJvZmlsZXMgd2hvc2Ugc2FtcGxlcyBoYXZlIHRpbWVzdGFtcHMgYW5kIHNwYW5zLCBhbmQgdGhlIHNwYW5zIHRoZW1zZWx2ZXMuXG5cbmV4cG9ydCBpbnRlcmZhY2UgVGltZWRTYW1wbGUge1xuICB0aW1lOiBudW1iZXI7IC8vIG1zIHNpbmNlIDE5NzBcbiAgc3RhY2s6IHN0cmluZzsgLy8gbWFpbjt3b3JrLCByb290IGZpcnN0OyBhIGZyYW1lIG1heSBoYXZlIGEgbW9kdWxlOiB3b3JrfC91c3IvYmluL2FwcFxuICB0cmFjZT86IHN0cmluZztcbiAgc3Bhbj86IHN0cmluZztcbn1cblxuZXhwb3J0IGNvbnN0IHNhbXBsZU5zID0gMTBfMDAwXzAwMDsgLy8gdmFsdWUgb2YgZWFjaCBzYW1wbGVcblxuLy8gUmV0dXJuIGEgcHJvZmlsZSBvZiBDUFUgdGltZSB3aXRoIHRoZXNlIHNhbXBsZXMsIGluIE9UTFAgSlNPTi5cbmV4cG9ydCBmdW5jdGlvbiBvdGxwUHJvZmlsZShzZXJ2aWNlOiBzdHJpbmcsIHRpbWVkOiByZWFkb25seSBUaW1lZFNhbXBsZVtdKTogdW5rbm93biB7XG4gIGNvbnN0IHN0cmluZ3MgPSBbXCJcIiwgXCJjcHVcIiwgXCJuYW5vc2Vjb25kc1wiXTtcbiAgY29uc3QgZnVuY3Rpb25zOiB1bmtub3duW10gPSBbe31dO1xuICBjb25zdCBsb2NhdGlvbnM6IHVua25vd25bXSA9IFt7fV07XG4gIGNvbnN0IHN0YWNrczogdW5rbm93bltdID0gW3t9XTtcbiAgY29uc3QgbGlua3M6IHVua25vd25bXSA9IFt7fV07XG4gIGNvbnN0IGF0ID0gbmV3IE1hcDxzdHJpbmcsIG51bWJlcj4oKTtcbiAgY29uc3Qgb25jZSA9IChrZXk6IHN0cmluZywgdGFibGU6IHVua25vd25bXSwgbWFrZTogKCkgPT4gdW5rbm93bikgPT4ge1xuICAgIGlmICghYXQuaGFzKGtleSkpIHtcbiAgICAgIGNvbnN0IHJvdyA9IG1ha2UoKTsgLy8gbWF5IGFkZCByb3dzIHRvIG90aGVyIHRhYmxlc1xuICAgICAgYXQuc2V0KGtleSwgdGFibGUucHVzaChyb3cpIC0gMSk7XG4gICAgfVxuICAgIHJldHVybiBhdC5nZXQoa2V5KSE7XG4gIH07XG4gIGNvbnN0IG1hcHBpbmdzOiB1bmtub3duW10gPSBbe31dO1xuICBjb25zdCBmcmFtZSA9ICh0ZXh0OiBzdHJpbmcpID0+XG4gICAgb25jZShgZnJhbWUgJHt0ZXh0fWAsIGxvY2F0aW9ucywgKCkgPT4ge1xuICAgICAgY29uc3QgW25hbWUsIG1vZHVsZV0gPSB0ZXh0LnNwbGl0KFwifFwiKTtcbiAgICAgIGNvbnN0IG1hcHBpbmdJbmRleCA9IG1vZHVsZVxuICAgICAgICA/IG9uY2UoYG1vZHVsZSAke21vZHVsZX1gLCBtYXBwaW5ncywgKCkgPT4gKHsgZmlsZW5hbWVTdHJpbmRleDogc3RyaW5ncy5wdXNoKG1vZHVsZSkgLSAxIH0pKVxuICAgICAgICA6IDA7XG4gICAgICByZXR1cm4ge1xuICAgICAgICBtYXBwaW5nSW5kZXgsXG4gICAgICAgIGxpbmVzOiBbeyBmdW5jdGlvbkluZGV4OiBmdW5jdGlvbnMucHVzaCh7IG5hbWVTdHJpbmRleDogc3RyaW5ncy5wdXNoKG5hbWUpIC0gMSB9KSAtIDEgfV0sXG4gICAgICB9O1xuICAgIH0pO1xuICBjb25zdCBzYW1wbGVzID0gdGltZWQubWFwKChtKSA9PiAoe1xuICAgIHN0YWNrSW5kZXg6IG9uY2UoYHN0YWNrICR7bS5zdGFja31gLCBzdGFja3MsICgpID0+ICh7XG4gICAgICBsb2NhdGlvbkluZGljZXM6IG0uc3RhY2suc3BsaXQoXCI7XCIpLnJldmVyc2UoKS5tYXAoZnJhbWUpLFxuICAgIH0pKSxcbiAgICB2YWx1ZXM6IFtTdHJpbmcoc2FtcGxlTnMpXSxcbiAgICB0aW1lc3RhbXBzVW5peE5hbm86IFtgJHttLnRpbWV9MDAwMDAwYF0sXG4gICAgLi4uKG0uc3BhblxuICAgICAgPyB7XG4gICAgICAgICAgbGlua0luZGV4OiBvbmNlKGBsaW5rICR7bS50cmFjZX0gJHttLnNwYW59YCwgbGlua3MsICgpID0+ICh7XG4gICAgICAgICAgICB0cmFjZUlkOiBtLnRyYWNlLFxuICAgICAgICAgICAgc3BhbklkOiBtLnNwYW4sXG4gICAgICAgICAgfSkpLFxuICAgICAgICB9XG4gICAgICA6IHt9KSxcbiAgfSkpO1xuICBjb25zdCBmaXJzdCA9IE1hdGgubWluKC4uLnRpbWVkLm1hcCgobSkgPT4gbS50aW1lKSk7XG4gIGNvbnN0IGxhc3QgPSBNYXRoLm1heCguLi50aW1lZC5tYXAoKG0pID0+IG0udGltZSkpO1xuICBjb25zdCBraW5kID0geyB0eXBlU3RyaW5kZXg6IDEsIHVuaXRTdHJpbmRleDogMiB9O1xuICByZXR1cm4ge1xuICAgIHJlc291cmNlUHJvZmlsZXM6IFtcbiAgICAgIHtcbiAgICAgICAgcmVzb3VyY2U6IHsgYXR0cmlidXRlczogW3sga2V5OiBcInNlcnZpY2UubmFtZVwiLCB2YWx1ZTogeyBzdHJpbmdWYWx1ZTogc2VydmljZSB9IH1dIH0sXG4gICAgICAgIHNjb3BlUHJvZmlsZXM6IFtcbiAgICAgICAgICB7XG4gICAgICAgICAgICBwcm9maWxlczogW1xuICAgICAgICAgICAgICB7XG4gICAgICAgICAgICAgICAgc2FtcGxlVHlwZToga2luZCxcbiAgICAgICAgICAgICAgICBwZXJpb2RUeXBlOiBraW5kLFxuICAgICAgICAgICAgICAgIHBlcmlvZDogU3RyaW5nKHNhbXBsZU5zKSxcbiAgICAgICAgICAgICAgICB0aW1lVW5peE5hbm86IGAke2ZpcnN0fTAwMDAwMGAsXG4gICAgICAgICAgICAgICAgZHVyYXRpb25OYW5vOiBgJHtsYXN0IC0gZmlyc3QgKyAxfTAwMDAwMGAsXG4gICAgICAgICAgICAgICAgc2FtcGxlcyxcbiAgICAgICAgICAgICAgfSxcbiAgICAgICAgICAgIF0sXG4gICAgICAgICAgfSxcbiAgICAgICAgXSxcbiAgICAgIH0sXG4gICAgXSxcbiAgICBkaWN0aW9uYXJ5OiB7XG4gICAgICBtYXBwaW5nVGFibGU6IG1hcHBpbmdzLFxuICAgICAgbG9jYXRpb25UYWJsZTogbG9jYXRpb25zLFxuICAgICAgZnVuY3Rpb25UYWJsZTogZnVuY3Rpb25zLFxuICAgICAgbGlua1RhYmxlOiBsaW5rcyxcbiAgICAgIHN0cmluZ1RhYmxlOiBzdHJpbmdzLFxuICAgICAgYXR0cmlidXRlVGFibGU6IFt7fV0sXG4gICAgICBzdGFja1RhYmxlOiBzdGFja3MsXG4gICAgfSxcbiAgfTtcbn1cblxuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIHNlbmRTYW1wbGVzKHVybDogc3RyaW5nLCBzZXJ2aWNlOiBzdHJpbmcsIHNhbXBsZXM6IHJlYWRvbmx5IFRpbWVkU2FtcGxlW10pIHtcbiAgY29uc3QgYW5zd2VyID0gYXdhaXQgZmV0Y2goYCR7dXJsfS92MWRldmVsb3BtZW50L3Byb2ZpbGVzYCwge1xuICAgIG1ldGhvZDogXCJQT1NUXCIsXG4gICAgaGVhZGVyczogeyBcImNvbnRlbnQtdHlwZVwiOiBcImFwcGxpY2F0aW9uL2pzb25cIiB9LFxuICAgIGJvZHk6IEpTT04uc3RyaW5naWZ5KG90bHBQcm9maWxlKHNlcnZpY2UsIHNhbXBsZXMpKSxcbiAgfSk7XG4gIGlmICghYW5zd2VyLm9rKSB0aHJvdyBuZXcgRXJyb3IoYCR7YW5zd2VyLnN0YXR1c30gJHthd2FpdCBhbnN3ZXIudGV4dCgpfWApO1xufVxuXG5leHBvcnQgY29uc3QgdHJhY2VBID0gXCIwYWY3NjUxOTE2Y2Q0M2RkODQ0OGViMjExYzgwMzE5Y1wiO1xuZXhwb3J0IGNvbnN0IHRyYWNlTWFueSA9IFwiNWJkNjZlZjUwOTUzNjljN2IwZDFmOGY0YmQzMzcxNmFcIjtcbmV4cG9ydCBjb25zdCB0cmFjZUIgPSBcIjRiZjkyZjM1NzdiMzRkYTZhM2NlOTI5ZDBlMGU0NzM2XCI7XG5leHBvcnQgY29uc3Qgc3BhblRpY2sgPSBcImI3YWQ2YjcxNjkyMDMzMzFcIjtcbmV4cG9ydCBjb25zdCBzcGFuQnVyc3QgPSBcIjAwZjA2N2FhMGJhOTAyYjdcIjtcbmV4cG9ydCBjb25zdCBzcGFuT3RoZXIgPSBcIjUzOTk1YzNmNDJjZDhhZDhcIjtcbmV4cG9ydCBjb25zdCBzcGFuUmVtb3RlID0gXCJhYWFhYWFhYWFhYWFhYWExXCI7XG5cbi8vIFJldHVybiB0ZW4gc2Vjb25kcyBvZiBzYW1wbGVzOiBhIHRpY2sgYXQgMTAwIG1zIG9mIGVhY2ggc2Vjb25kLCBhIGJ1cnN0IG9mIHRocmVlIGF0IDUwMCBtcyBvZlxuLy8gc2Vjb25kIDUsIG9uZSBhdCA5MDAgbXMgb2Ygc2Vjb25kIDcsIGFuZCBvbmUgd2l0aG91dCBhIHNwYW4uXG5leHBvcnQgZnVuY3Rpb24ga25vd25TYW1wbGVzKHN0YXJ0OiBudW1iZXIpOiBUaW1lZFNhbXBsZVtdIHtcbiAgY29uc3Qgc2FtcGxlczogVGltZWRTYW1wbGVbXSA9IFtdO1xuICBmb3IgKGxldCBzZWNvbmQgPSAwOyBzZWNvbmQgPCAxMDsgc2Vjb25kKyspXG4gICAgc2FtcGxlcy5wdXNoKHtcbiAgICAgIHRpbWU6IHN0YXJ0ICsgc2Vjb25kICogMTAwMCArIDEwMCxcbiAgICAgIHN0YWNrOiBcIm1haW47dGlja1wiLFxuICAgICAgdHJhY2U6IHRyYWNlQSxcbiAgICAgIHNwYW46IHNwYW5UaWNrLFxuICAgIH0pO1xuICBmb3IgKGNvbnN0IHBhcnQgb2YgWzUwMCwgNTIwLCA1NDBdKVxuICAgIHNhbXBsZXMucHVzaCh7XG4gICAgICB0aW1lOiBzdGFydCArIDUwMDAgKyBwYXJ0LFxuICAgICAgc3RhY2s6IFwibWFpbjtidXJzdFwiLFxuICAgICAgdHJhY2U6IHRyYWNlQSxcbiAgICAgIHNwYW46IHNwYW5CdXJzdCxcbiAgICB9KTtcbiAgc2FtcGxlcy5wdXNoKHsgdGltZTogc3RhcnQgKyA3OTAwLCBzdGFjazogXCJtYWluO290aGVyXCIsIHRyYWNlOiB0cmFjZUIsIHNwYW46IHNwYW5PdGhlciB9KTtcbiAgc2FtcGxlcy5wdXNoKHsgdGltZTogc3RhcnQgKyAzMDAsIHN0YWNrOiBcIm1haW47aWRsZVwiIH0pO1xuICByZXR1cm4gc2FtcGxlcztcbn1cblxuLy8gUmV0dXJuIHR3byBzYW1wbGVzIG9mIGFub3RoZXIgc2VydmljZSBpbiB0aGUgZmlyc3QgdHJhY2UuXG5leHBvcnQgY29uc3QgcmVtb3RlU2FtcGxlcyA9IChzdGFydDogbnVtYmVyKTogVGltZWRTYW1wbGVbXSA9PlxuICBbNTUxMCwgNTUzMF0ubWFwKChwYXJ0KSA9PiAoe1xuICAgIHRpbWU6IHN0YXJ0ICsgcGFydCxcbiAgICBzdGFjazogXCJzZXJ2ZTtyZW1vdGVcIixcbiAgICB0cmFjZTogdHJhY2VBLFxuICAgIHNwYW46IHNwYW5SZW1vdGUsXG4gIH0pKTtcblxuZXhwb3J0IGludGVyZmFjZSBTZW50U3BhbiB7XG4gIHNlcnZpY2U6IHN0cmluZztcbiAgaWQ6IHN0cmluZztcbiAgcGFyZW50OiBzdHJpbmc7XG4gIG5hbWU6IHN0cmluZztcbiAgZnJvbTogbnVtYmVyOyAvLyBtcyBhZnRlciB0aGUgc3RhcnRcbiAgbXM6IG51bWJlcjtcbiAgZmFpbGVkPzogYm9vbGVhbjtcbn1cblxuLy8gU2VuZCB0aGUgc3BhbnMgb2YgYSB0cmFjZSBhcyBPVExQLlxuZXhwb3J0IGFzeW5jIGZ1bmN0aW9uIHNlbmRTcGFucyhcbiAgdXJsOiBzdHJpbmcsXG4gIHN0YXJ0OiBudW1iZXIsXG4gIHNwYW5zOiByZWFkb25seSBTZW50U3BhbltdLFxuICB0cmFjZSA9IHRyYWNlQSxcbikge1xuICBjb25zdCByZXNvdXJjZVNwYW5zID0gc3BhbnMubWFwKChzKSA9PiAoe1xuICAgIHJlc291cmNlOiB7IGF0dHJpYnV0ZXM6IFt7IGtleTogXCJzZXJ2aWNlLm5hbWVcIiwgdmFsdWU6IHsgc3RyaW5nVmFsdWU6IHMuc2VydmljZSB9IH1dIH0sXG4gICAgc2NvcGVTcGFuczogW1xuICAgICAge1xuICAgICAgICBzcGFuczogW1xuICAgICAgICAgIHtcbiAgICAgICAgICAgIHRyYWNlSWQ6IHRyYWNlLFxuICAgICAgICAgICAgc3BhbklkOiBzLmlkLFxuICAgICAgICAgICAgcGFyZW50U3BhbklkOiBzLnBhcmVudCxcbiAgICAgICAgICAgIG5hbWU6IHMubmFtZSxcbiAgICAgICAgICAgIGtpbmQ6IDIsXG4gICAgICAgICAgICBzdGF0dXM6IHMuZmFpbGVkID8geyBjb2RlOiAyIH0gOiB7fSxcbiAgICAgICAgICAgIHN0YXJ0VGltZVVuaXhOYW5vOiBgJHtzdGFydCArIHMuZnJvbX0wMDAwMDBgLFxuICAgICAgICAgICAgZW5kVGltZVVuaXhOYW5vOiBgJHtzdGFydCArIHMuZnJvbSArIHMubXN9MDAwMDAwYCxcbiAgICAgICAgICB9LFxuICAgICAgICBdLFxuICAgICAgfSxcbiAgICBdLFxuICB9KSk7XG4gIGNvbnN0IGFuc3dlciA9IGF3YWl0IGZldGNoKGAke3VybH0vdjEvdHJhY2VzYCwge1xuICAgIG1ldGhvZDogXCJQT1NUXCIsXG4gICAgaGVhZGVyczogeyBcImNvbnRlbnQtdHlwZVwiOiBcImFwcGxpY2F0aW9uL2pzb25cIiB9LFxuICAgIGJvZHk6IEpTT04uc3RyaW5naWZ5KHsgcmVzb3VyY2VTcGFucyB9KSxcbiAgfSk7XG4gIGlmICghYW5zd2VyLm9rKSB0aHJvdyBuZXcgRXJyb3IoYCR7YW5zd2VyLnN0YXR1c30gJHthd2FpdCBhbnN3ZXIudGV4dCgpfWApO1xufVxuXG4vLyBSZXR1cm4gYSB0cmFjZSBvZiBgbmAgc3BhbnMgd2l0aCBvbmUgcm9vdDsgZXZlcnkgdGVudGggc3BhbiBpcyB0aGUgcGFyZW50IG9mIHRoZSBuaW5lIGFmdGVyIGl0LlxuZXhwb3J0IGNvbnN0IG1hbnlTcGFucyA9IChuOiBudW1iZXIpOiBTZW50U3BhbltdID0+XG4gIEFycmF5LmZyb20oeyBsZW5ndGg6IG4gfSwgKF8sIGkpID0+IHtcbiAgICBjb25zdCBpZCA9IChrOiBudW1iZXIpID0+IGBjMGZmZWUke2sudG9TdHJpbmcoMTYpLnBhZFN0YXJ0KDEwLCBcIjBcIil9YDtcbiAgICByZXR1cm4ge1xuICAgICAgc2VydmljZTogXCJtYW55XCIsXG4gICAgICBpZDogaWQoaSksXG4gICAgICBwYXJlbnQ6IGkgPT09IDAgPyBcIlwiIDogaWQoaSAlIDEwID09PSAwID8gMCA6IGkgLSAoaSAlIDEwKSksXG4gICAgICBuYW1lOiBgY2FsbCAke2l9YCxcbiAgICAgIGZyb206IGksXG4gICAgICBtczogaSA9PT0gMCA/IG4gOiAxMCxcbiAgICB9O1xuICB9KTtcblxuZXhwb3J0IGNvbnN0IHNwYW5RdWljayA9IFwiYmJiYmJiYmJiYmJiYmJiMVwiO1xuXG4vLyBUaGUgcm9vdCBjYWxscyBhIHJlbmRlciBzcGFuLCB3aGljaCBjYWxscyB0aGUgb3RoZXIgc2VydmljZTsgYW5vdGhlciBzcGFuIGlzIHRvbyBzaG9ydCB0byBiZVxuLy8gc2FtcGxlZCwgYW5kIGZhaWxzLlxuZXhwb3J0IGNvbnN0IGtub3duU3BhbnM6IHJlYWRvbmx5IFNlbnRTcGFuW10gPSBbXG4gIHsgc2VydmljZTogXCJ0aW1lZFwiLCBpZDogc3BhblRpY2ssIHBhcmVudDogXCJcIiwgbmFtZTogXCJHRVQgL2NoZWNrb3V0XCIsIGZyb206IDAsIG1zOiA5NTAwIH0sXG4gIHtcbiAgICBzZXJ2aWNlOiBcInRpbWVkXCIsXG4gICAgaWQ6IHNwYW5CdXJzdCxcbiAgICBwYXJlbnQ6IHNwYW5UaWNrLFxuICAgIG5hbWU6IFwicmVuZGVyIDxiPnJlY2VpcHQ8L2I+XCIsXG4gICAgZnJvbTogNTQwMCxcbiAgICBtczogMzAwLFxuICB9LFxuICB7XG4gICAgc2VydmljZTogXCI8Yj5yZW1vdGU8L2I+XCIsXG4gICAgaWQ6IHNwYW5SZW1vdGUsXG4gICAgcGFyZW50OiBzcGFuQnVyc3QsXG4gICAgbmFtZTogXCJTRUxFQ1QgcHJpY2VzXCIsXG4gICAgZnJvbTogNTUwMCxcbiAgICBtczogMTAwLFxuICB9LFxuICB7XG4gICAgc2VydmljZTogXCI8Yj5yZW1vdGU8L2I+XCIsXG4gICAgaWQ6IHNwYW5RdWljayxcbiAgICBwYXJlbnQ6IHNwYW5UaWNrLFxuICAgIG5hbWU6IFwiY2hhcmdlXCIsXG4gICAgZnJvbTogNjAwMCxcbiAgICBtczogNDAsXG4gICAgZmFpbGVkOiB0cnVlLFxuICB9LFxuXTtcbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiBsb2cgcmVjb3Jkcywgb24gYSByZWFsIHNlcnZlciB3aXRoIHJlY29yZHMgc2VudCBieSBPVExQLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgeyBQYWdlIH0gZnJvbSBcInBsYXl3cmlnaHQtY29yZVwiO1xuaW1wb3J0IHsgdGVzdCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IGV2ZW50dWFsbHksIHNjcmVlbnNob3QsIHdpdGhQYWdlIH0gZnJvbSBcIi4vcGFnZXNcIjtcbmltcG9ydCB7IHNob3BTZXJ2ZXIgfSBmcm9tIFwiLi9zaG9wX3NlcnZlclwiO1xuXG5jb25zdCBsaW5lcyA9IChwYWdlOiBQYWdlKSA9PiBwYWdlLmxvY2F0b3IoXCIubG9nLWxpbmVcIik7XG5jb25zdCBwYXJhbSA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcpID0+IG5ldyBVUkwocGFnZS51cmwoKSkuc2VhcmNoUGFyYW1zLmdldChuYW1lKTtcbmNvbnN0IGhhcyA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcsIHZhbHVlOiBzdHJpbmcgfCBudWxsKSA9PlxuICBldmVudHVhbGx5KGAke25hbWV9IGlzICR7dmFsdWV9IGluIHRoZSBhZGRyZXNzYCwgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgbmFtZSkgPT09IHZhbHVlKTtcbmNvbnN0IHRvdGFsID0gKHBhZ2U6IFBhZ2UsIG46IG51bWJlcikgPT5cbiAgcGFnZVxuICAgIC5sb2NhdG9yKFwiLmxvZy1sZWdlbmQgc3Ryb25nXCIsIHtcbiAgICAgIGhhc1RleHQ6IG5ldyBSZWdFeHAoYF4ke24udG9Mb2NhbGVTdHJpbmcoXCJlbi1VU1wiKX0gcmVjb3Jkcz8kYCksXG4gICAgfSlcbiAgICAud2FpdEZvcigpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMzkwXSlcbiAgICB0ZXN0KGBsb2dzOiByZWNvcmRzIGFuZCBoaXN0b2dyYW0sICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgeyBzZXJ2ZXIsIGRhdGEgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgICAgIGNvbnN0IGhlaWdodCA9IHdpZHRoID09PSAzOTAgPyA4NDQgOiA5MDA7XG4gICAgICBhd2FpdCB3aXRoUGFnZSh7IGNvbG9yU2NoZW1lOiB0aGVtZSwgdmlld3BvcnQ6IHsgd2lkdGgsIGhlaWdodCB9IH0sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS9sb2dzYCk7XG4gICAgICAgIGF3YWl0IHRvdGFsKHBhZ2UsIGRhdGEubG9ncy5sZW5ndGgpO1xuICAgICAgICBhd2FpdCBsaW5lcyhwYWdlKS5udGgoMikuY2xpY2soKTtcbiAgICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmxvZy1kZXRhaWxzXCIpLndhaXRGb3IoKTtcbiAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgICAgICk7XG4gICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYGxvZ3MtJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgIH0pO1xuICAgIH0pO1xuXG50ZXN0KFwibG9nczogdGhlIG5ld2VzdCByZWNvcmRzIGFyZSBmaXJzdCwgYW5kIG9sZGVyIG9uZXMgYXJlIGxvYWRlZCBhdCB0aGUgZW5kXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIsIGRhdGEgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgY29uc3QgbmV3ZXN0ID0gWy4uLmRhdGEubG9nc10uc29ydCgoYSwgYikgPT4gYi50aW1lIC0gYS50aW1lKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L2xvZ3NgKTtcbiAgICBhd2FpdCBsaW5lcyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQub2soKGF3YWl0IGxpbmVzKHBhZ2UpLmZpcnN0KCkudGV4dENvbnRlbnQoKSkhLmluY2x1ZGVzKG5ld2VzdFswXS50ZXh0KSk7XG4gICAgY29uc3QgbGlzdCA9IHBhZ2UubG9jYXRvcihcIi52aXJ0dWFsLWxpc3RcIik7XG4gICAgYXNzZXJ0Lm9rKChhd2FpdCBsaW5lcyhwYWdlKS5jb3VudCgpKSA8IDEyMCwgXCJvbmx5IHZpc2libGUgbGluZXMgYXJlIHJlbmRlcmVkXCIpO1xuICAgIGNvbnN0IGVuZCA9IHBhZ2UubG9jYXRvcihcIi5ub3RlXCIsIHsgaGFzVGV4dDogXCJObyBvbGRlciByZWNvcmRzIGluIHRoaXMgcmFuZ2UuXCIgfSk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBsYXN0IHJlY29yZFwiLCBhc3luYyAoKSA9PiB7XG4gICAgICBhd2FpdCBsaXN0LmV2YWx1YXRlKChlKSA9PiBlLnNjcm9sbFRvKDAsIGUuc2Nyb2xsSGVpZ2h0KSk7XG4gICAgICByZXR1cm4gKGF3YWl0IGVuZC5jb3VudCgpKSA+IDAgJiYgZW5kLmlzVmlzaWJsZSgpO1xuICAgIH0pO1xuICAgIGF3YWl0IGxpc3QuZXZhbHVhdGUoKGUpID0+IGUuc2Nyb2xsVG8oMCwgZS5zY3JvbGxIZWlnaHQpKTtcbiAgICBhd2FpdCBsaW5lcyhwYWdlKVxuICAgICAgLmZpbHRlcih7IGhhc1RleHQ6IG5ld2VzdFtuZXdlc3QubGVuZ3RoIC0gMV0udGV4dCB9KVxuICAgICAgLmxhc3QoKVxuICAgICAgLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcImxvZ3M6IGZpbHRlcnMgYnkgc2V2ZXJpdHksIHNlcnZpY2UsIHRleHQgYW5kIGF0dHJpYnV0ZSBhcmUgaW4gdGhlIGFkZHJlc3NcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBjb25zdCBiYWQgPSBkYXRhLmxvZ3MuZmlsdGVyKChsKSA9PiBsLnNldmVyaXR5ID49IDEzKTtcbiAgY29uc3Qgb2YgPSAoc2VydmljZTogc3RyaW5nKSA9PiBkYXRhLmxvZ3MuZmlsdGVyKChsKSA9PiBsLnNlcnZpY2UgPT09IHNlcnZpY2UpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vbG9nc2ApO1xuICAgIGF3YWl0IHRvdGFsKHBhZ2UsIGRhdGEubG9ncy5sZW5ndGgpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIkxlYXN0IHNldmVyaXR5XCIpLnNlbGVjdE9wdGlvbihcIndhcm5cIik7XG4gICAgYXdhaXQgdG90YWwocGFnZSwgYmFkLmxlbmd0aCk7XG4gICAgYXdhaXQgaGFzKHBhZ2UsIFwic2V2ZXJpdHlcIiwgXCJ3YXJuXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIkxlYXN0IHNldmVyaXR5XCIpLnNlbGVjdE9wdGlvbihcIlwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGl0bGUoXCJGaWx0ZXIgYnkgc2VydmljZVwiKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5waWNrXCIsIHsgaGFzVGV4dDogXCJtYWlsXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIucGlja1wiLCB7IGhhc1RleHQ6IFwicGF5bWVudFwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVzY2FwZVwiKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBvZihcIm1haWxcIikubGVuZ3RoICsgb2YoXCJwYXltZW50XCIpLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBvZihcIm1haWxcIikubGVuZ3RoICsgb2YoXCJwYXltZW50XCIpLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlJlbW92ZSB0aGUgc2VydmljZSBtYWlsXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBvZihcInBheW1lbnRcIikubGVuZ3RoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiL1wiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnR5cGUoXCJSRUZVU0VEIHRoZVwiKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBiYWQuZmlsdGVyKChsKSA9PiBsLnRleHQuaW5jbHVkZXMoXCJyZWZ1c2VkIHRoZVwiKSkubGVuZ3RoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubG9nLW1lc3NhZ2UgbWFya1wiLCB7IGhhc1RleHQ6IFwicmVmdXNlZCB0aGVcIiB9KS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJDb21wYXJlIHRoZSB0ZXh0XCIpLnNlbGVjdE9wdGlvbihcInBhcnRcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJObyByZWNvcmQgbWF0Y2hlc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiUmVtb3ZlIGFsbCBmaWx0ZXJzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBkYXRhLmxvZ3MubGVuZ3RoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJDb21wYXJlIHRoZSB0ZXh0XCIpLnNlbGVjdE9wdGlvbihcInJlZ2V4XCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcImxvYWRlZCBbNy05XSBpdGVtc1wiKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBkYXRhLmxvZ3MuZmlsdGVyKChsKSA9PiAvbG9hZGVkIFs3LTldIGl0ZW1zLy50ZXN0KGwudGV4dCkpLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiI3NlYXJjaFwiKS5maWxsKFwibG9hZGVkIChcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLm5vdGUuYmFkXCIsIHsgaGFzVGV4dDogXCJtaXNzaW5nIGNsb3NpbmcgcGFyZW50aGVzaXNcIiB9KS53YWl0Rm9yKCk7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcigoZSkgPT4gIS9zdGF0dXMgb2YgNDAwLy50ZXN0KGUpKTtcbiAgfSk7XG59KTtcblxudGVzdChcImxvZ3M6IGEgcmVjb3JkIHVuZm9sZHMgdG8gaXRzIGF0dHJpYnV0ZXMsIHdoaWNoIG5hcnJvdyB0aGUgbGlzdFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCBkYXRhIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGNvbnN0IGRlY2xpbmVkID0gZGF0YS5sb2dzLmZpbHRlcigobCkgPT4gbC5hdHRyaWJ1dGVzW1wiZXhjZXB0aW9uLnR5cGVcIl0gPT09IFwiQ2FyZERlY2xpbmVkXCIpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vbG9ncz9zZXZlcml0eT1lcnJvcmApO1xuICAgIGF3YWl0IGxpbmVzKHBhZ2UpLmZpcnN0KCkuY2xpY2soKTtcbiAgICBjb25zdCBkZXRhaWxzID0gcGFnZS5sb2NhdG9yKFwiLmxvZy1kZXRhaWxzXCIpO1xuICAgIGF3YWl0IGRldGFpbHMud2FpdEZvcigpO1xuICAgIGFzc2VydC5tYXRjaChcbiAgICAgIChhd2FpdCBkZXRhaWxzLnRleHRDb250ZW50KCkpISxcbiAgICAgIC9leGNlcHRpb25cXC50eXBlQ2FyZERlY2xpbmVkLipob3N0XFwubmFtZXBheW1lbnQtN2Q5Zi9zLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCBkZXRhaWxzLndhaXRGb3IoKTsgLy8gaXQgaXMgaW4gdGhlIGFkZHJlc3NcbiAgICBjb25zdCBleGNlcHRpb24gPSBkZXRhaWxzLmxvY2F0b3IoXCIuYXR0cmlidXRlcyA+IGRpdlwiLCB7IGhhc1RleHQ6IFwiZXhjZXB0aW9uLnR5cGVcIiB9KTtcbiAgICBhd2FpdCBleGNlcHRpb24uaG92ZXIoKTtcbiAgICBhd2FpdCBleGNlcHRpb24uZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJPbmx5XCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBoYXMocGFnZSwgXCJ3aGVyZVwiLCBcImV4Y2VwdGlvbi50eXBlPUNhcmREZWNsaW5lZFwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJMZWFzdCBzZXZlcml0eVwiKS5zZWxlY3RPcHRpb24oXCJcIik7XG4gICAgYXdhaXQgdG90YWwocGFnZSwgZGVjbGluZWQubGVuZ3RoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiUmVtb3ZlIGV4Y2VwdGlvbi50eXBlPUNhcmREZWNsaW5lZFwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIisgQXR0cmlidXRlXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJBdHRyaWJ1dGVcIiwgeyBleGFjdDogdHJ1ZSB9KS5maWxsKFwiYXR0ZW1wdFwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJWYWx1ZVwiKS5maWxsKFwiMlwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgYXdhaXQgdG90YWwocGFnZSwgZGF0YS5sb2dzLmZpbHRlcigobCkgPT4gbC5hdHRyaWJ1dGVzLmF0dGVtcHQgPT09IDIpLmxlbmd0aCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJsb2dzOiBhIHJlY29yZCBsZWFkcyB0byBpdHMgdHJhY2UsIGFuZCB0byB0aGUgcHJvZmlsZSBvZiBpdHMgdGltZSBhbmQgc3BhblwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCBkYXRhIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGNvbnN0IG5ld2VzdCA9IFsuLi5kYXRhLmxvZ3NdLnNvcnQoKGEsIGIpID0+IGIudGltZSAtIGEudGltZSkuZmluZCgobCkgPT4gbC5zZXZlcml0eSA9PT0gMTcpITtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L2xvZ3M/c2V2ZXJpdHk9ZXJyb3JgKTtcbiAgICBhd2FpdCBsaW5lcyhwYWdlKS5maXJzdCgpLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJsaW5rXCIsIHsgbmFtZTogXCJUcmFjZVwiLCBleGFjdDogdHJ1ZSB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50cmFjZS1oZWFkXCIsIHsgaGFzVGV4dDogXCJQT1NUIC9jaGVja291dFwiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJ0cmFjZVwiKSwgbmV3ZXN0LnRyYWNlKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJzcGFuXCIpLCBuZXdlc3Quc3Bhbik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIm9cIik7XG4gICAgY29uc3QgcGFuZSA9IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJMb2dzXCJdJyk7XG4gICAgYXdhaXQgcGFuZS5sb2NhdG9yKFwiLmxvZy1saW5lXCIsIHsgaGFzVGV4dDogXCJDYXJkRGVjbGluZWRcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcGFuZS5sb2NhdG9yKFwiLmxvZy1saW5lXCIpLmNvdW50KCksXG4gICAgICBkYXRhLmxvZ3MuZmlsdGVyKChsKSA9PiBsLnNwYW4gPT09IG5ld2VzdC5zcGFuKS5sZW5ndGgsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiT2YgdGhlIHRyYWNlXCIsIGV4YWN0OiB0cnVlIH0pLmNsaWNrKCk7XG4gICAgY29uc3Qgb2ZUcmFjZSA9IGRhdGEubG9ncy5maWx0ZXIoKGwpID0+IGwudHJhY2UgPT09IG5ld2VzdC50cmFjZSk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwidGhlIHJlY29yZHMgb2YgdGhlIHRyYWNlXCIsXG4gICAgICBhc3luYyAoKSA9PiAoYXdhaXQgcGFuZS5sb2NhdG9yKFwiLmxvZy1saW5lXCIpLmNvdW50KCkpID09PSBvZlRyYWNlLmxlbmd0aCxcbiAgICApO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJ0cmFjZS1sb2dzXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiT3BlbiBpbiBMb2dzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBvZlRyYWNlLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmNoaXBcIiwgeyBoYXNUZXh0OiBcIlRyYWNlXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS9sb2dzP3NldmVyaXR5PWVycm9yYCk7XG4gICAgYXdhaXQgbGluZXMocGFnZSkuZmlyc3QoKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiUHJvZmlsZSBvZiB0aGlzIHRpbWVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5IHN0cm9uZ1wiKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwicXVlcnlcIiksIFwicGF5bWVudFwiKTtcbiAgICBhc3NlcnQub2soTWF0aC5hYnMoTnVtYmVyKHBhcmFtKHBhZ2UsIFwiZnJvbVwiKSkgLSBuZXdlc3QudGltZSkgPCA2MV8wMDApO1xuICAgIGF3YWl0IHBhZ2UuZ29CYWNrKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJsaW5rXCIsIHsgbmFtZTogXCJQcm9maWxlIG9mIHRoZSBzcGFuXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuY2hpcFwiLCB7IGhhc1RleHQ6IFwiU3BhblwiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcImxvZ3M6IGEgZHJhZyBvbiB0aGUgaGlzdG9ncmFtIG5hcnJvd3MgdGhlIHJhbmdlLCBhIGRvdWJsZSBjbGljayB3aWRlbnMgaXRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vbG9nc2ApO1xuICAgIGF3YWl0IHRvdGFsKHBhZ2UsIGRhdGEubG9ncy5sZW5ndGgpO1xuICAgIGNvbnN0IGNlbGxzID0gcGFnZS5sb2NhdG9yKFwiLmxvZy1jaGFydCAuaGVhdC1jZWxsc1wiKTtcbiAgICBjb25zdCBib3ggPSAoYXdhaXQgY2VsbHMuYm91bmRpbmdCb3goKSkhO1xuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShib3gueCArIGJveC53aWR0aCAqIDAuNiwgYm94LnkgKyA0MCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGJveC54ICsgYm94LndpZHRoICogMC43LCBib3gueSArIDQwLCB7IHN0ZXBzOiA0IH0pO1xuICAgIGF3YWl0IHBhZ2UubW91c2UudXAoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwiYW4gYWJzb2x1dGUgcmFuZ2VcIiwgYXN5bmMgKCkgPT4gL15cXGR7MTN9JC8udGVzdChwYXJhbShwYWdlLCBcImZyb21cIikgPz8gXCJcIikpO1xuICAgIGNvbnN0IFtmcm9tLCB0b10gPSBbTnVtYmVyKHBhcmFtKHBhZ2UsIFwiZnJvbVwiKSksIE51bWJlcihwYXJhbShwYWdlLCBcInRvXCIpKV07XG4gICAgYXdhaXQgdG90YWwocGFnZSwgZGF0YS5sb2dzLmZpbHRlcigobCkgPT4gbC50aW1lID49IGZyb20gJiYgbC50aW1lIDwgdG8pLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5nb0JhY2soKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBkYXRhLmxvZ3MubGVuZ3RoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubG9nLWxlZ2VuZCBidXR0b25cIiwgeyBoYXNUZXh0OiBcImVycm9yXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCB0b3RhbChwYWdlLCBkYXRhLmxvZ3MuZmlsdGVyKChsKSA9PiBsLnNldmVyaXR5ID49IDE3KS5sZW5ndGgpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJoXCIpO1xuICAgIGZvciAoY29uc3Qga2V5IG9mIFtcIkVuZFwiLCBcIkFycm93TGVmdFwiLCBcIlNoaWZ0K0Fycm93TGVmdFwiLCBcIkVudGVyXCJdKVxuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJieSBrZXlib2FyZFwiLCBhc3luYyAoKSA9PiAvXlxcZHsxM30kLy50ZXN0KHBhcmFtKHBhZ2UsIFwiZnJvbVwiKSA/PyBcIlwiKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJsb2dzOiB0aGUgbGlzdCB3b3JrcyBieSBrZXlib2FyZCwgYW5kIGFuIGVtcHR5IHJhbmdlIG9mZmVycyBhIG5leHQgc3RlcFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS9sb2dzYCk7XG4gICAgYXdhaXQgbGluZXMocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcImpcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93RG93blwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiQXJyb3dEb3duXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIubG9nLWxpbmUub3Blbi5zZWxlY3RlZFwiKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93TGVmdFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwiZm9sZGVkXCIsIGFzeW5jICgpID0+IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIubG9nLWRldGFpbHNcIikuY291bnQoKSkgPT09IDApO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS9sb2dzP2Zyb209MTAwMDAwMDAwMDAwMCZ0bz0xMDAwMDAwMDYwMDAwYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJObyBsb2cgcmVjb3JkcyBpbiB0aGlzIHJhbmdlXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJTZWFyY2ggdGhlIGxhc3QgMjQgaG91cnNcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IGxpbmVzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwibG9nczogdGV4dCBvZiByZWNvcmRzIGlzIHNob3duIGFzIHRleHRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgdG8gfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgY29uc3QgcmVjb3JkID0ge1xuICAgIHRpbWVVbml4TmFubzogYCR7dG8gKyA2MF8wMDB9MDAwMDAwYCxcbiAgICBzZXZlcml0eU51bWJlcjogOSxcbiAgICBib2R5OiB7IHN0cmluZ1ZhbHVlOiAnPGltZyBzcmM9eCBvbmVycm9yPVwiYWxlcnQoMSlcIj5cXG5zZWNvbmQgPGI+bGluZTwvYj4nIH0sXG4gICAgYXR0cmlidXRlczogW3sga2V5OiBcIjxpPms8L2k+XCIsIHZhbHVlOiB7IHN0cmluZ1ZhbHVlOiBcIjxzY3JpcHQ+djwvc2NyaXB0PlwiIH0gfV0sXG4gIH07XG4gIGNvbnN0IGFuc3dlciA9IGF3YWl0IGZldGNoKGAke3NlcnZlci51cmx9L3YxL2xvZ3NgLCB7XG4gICAgbWV0aG9kOiBcIlBPU1RcIixcbiAgICBoZWFkZXJzOiB7IFwiY29udGVudC10eXBlXCI6IFwiYXBwbGljYXRpb24vanNvblwiIH0sXG4gICAgYm9keTogSlNPTi5zdHJpbmdpZnkoe1xuICAgICAgcmVzb3VyY2VMb2dzOiBbXG4gICAgICAgIHtcbiAgICAgICAgICByZXNvdXJjZToge1xuICAgICAgICAgICAgYXR0cmlidXRlczogW3sga2V5OiBcInNlcnZpY2UubmFtZVwiLCB2YWx1ZTogeyBzdHJpbmdWYWx1ZTogXCI8Yj5zZXJ2aWNlPC9iPlwiIH0gfV0sXG4gICAgICAgICAgfSxcbiAgICAgICAgICBzY29wZUxvZ3M6IFt7IGxvZ1JlY29yZHM6IFtyZWNvcmRdIH1dLFxuICAgICAgICB9LFxuICAgICAgXSxcbiAgICB9KSxcbiAgfSk7XG4gIGFzc2VydC5lcXVhbChhbnN3ZXIuc3RhdHVzLCAyMDApO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vbG9ncz9zZXJ2aWNlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KFwiPGI+c2VydmljZTwvYj5cIil9YCk7XG4gICAgYXdhaXQgbGluZXMocGFnZSkuZmlyc3QoKS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5sb2ctdGV4dFwiLCB7IGhhc1RleHQ6IFwic2Vjb25kIDxiPmxpbmU8L2I+XCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluIGltZywgLmxvZy1wYW5lIGIsIC5sb2ctcGFuZSBzY3JpcHRcIikuY291bnQoKSwgMCk7XG4gIH0pO1xufSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIFRlc3QgZGF0YTogdHJhY2VzIG9mIGEgc2hvcCB3aXRoIGF0dHJpYnV0ZXMsIGV2ZW50cyBhbmQgbGlua3MsIHRoZWlyIGxvZyByZWNvcmRzLCBhbmQgdGhlIHNhbXBsZXNcbi8vIG9mIHNvbWUgb2YgdGhlaXIgc3BhbnMuIFRoZSBzYW1lIHNlZWQgbWFrZXMgdGhlIHNhbWUgZGF0YS5cbmltcG9ydCB7IHNlbmRTYW1wbGVzLCBUaW1lZFNhbXBsZSB9IGZyb20gXCIuL3RpbWVkX3NhbXBsZXNcIjtcblxuZXhwb3J0IHR5cGUgVmFsdWUgPSBzdHJpbmcgfCBudW1iZXIgfCBib29sZWFuIHwgcmVhZG9ubHkgc3RyaW5nW107XG5cbmV4cG9ydCBpbnRlcmZhY2UgU2hvcFNwYW4ge1xuICBzZXJ2aWNlOiBzdHJpbmc7XG4gIHRyYWNlOiBzdHJpbmc7XG4gIGlkOiBzdHJpbmc7XG4gIHBhcmVudDogc3RyaW5nO1xuICBuYW1lOiBzdHJpbmc7XG4gIGtpbmQ6IG51bWJlcjsgLy8gMSBpbnRlcm5hbCwgMiBzZXJ2ZXIsIDMgY2xpZW50LCA0IHByb2R1Y2VyLCA1IGNvbnN1bWVyXG4gIGZyb206IG51bWJlcjsgLy8gbXMgc2luY2UgMTk3MCwgd2l0aCBmcmFjdGlvbnNcbiAgbXM6IG51bWJlcjtcbiAgYXR0cmlidXRlczogUmVjb3JkPHN0cmluZywgVmFsdWU+O1xuICBldmVudHM/OiB7IG5hbWU6IHN0cmluZzsgYXQ6IG51bWJlcjsgYXR0cmlidXRlczogUmVjb3JkPHN0cmluZywgVmFsdWU+IH1bXTtcbiAgbGlua3M/OiB7IHRyYWNlOiBzdHJpbmc7IHNwYW46IHN0cmluZzsgYXR0cmlidXRlczogUmVjb3JkPHN0cmluZywgVmFsdWU+IH1bXTtcbiAgZXJyb3I/OiBzdHJpbmc7IC8vIHN0YXR1cyBtZXNzYWdlXG59XG5cbmV4cG9ydCBpbnRlcmZhY2UgU2hvcExvZyB7XG4gIHNlcnZpY2U6IHN0cmluZztcbiAgdGltZTogbnVtYmVyOyAvLyBtc1xuICBzZXZlcml0eTogbnVtYmVyO1xuICB0ZXh0OiBzdHJpbmc7XG4gIHRyYWNlOiBzdHJpbmc7XG4gIHNwYW46IHN0cmluZztcbiAgYXR0cmlidXRlczogUmVjb3JkPHN0cmluZywgVmFsdWU+O1xufVxuXG5leHBvcnQgaW50ZXJmYWNlIFNob3BEYXRhIHtcbiAgc3BhbnM6IFNob3BTcGFuW107XG4gIGxvZ3M6IFNob3BMb2dbXTtcbiAgc2FtcGxlczogTWFwPHN0cmluZywgVGltZWRTYW1wbGVbXT47IC8vIGJ5IHNlcnZpY2Vcbn1cblxuLy8gQSBzbWFsbCByYW5kb20gZ2VuZXJhdG9yIChtdWxiZXJyeTMyKTogdGVzdHMgbmVlZCB0aGUgc2FtZSBkYXRhIGluIGV2ZXJ5IHJ1bi5cbmZ1bmN0aW9uIHJhbmRvbU9mKHNlZWQ6IG51bWJlcik6ICgpID0+IG51bWJlciB7XG4gIHJldHVybiAoKSA9PiB7XG4gICAgc2VlZCA9IChzZWVkICsgMHg2ZDJiNzlmNSkgfCAwO1xuICAgIGxldCB0ID0gTWF0aC5pbXVsKHNlZWQgXiAoc2VlZCA+Pj4gMTUpLCAxIHwgc2VlZCk7XG4gICAgdCA9ICh0ICsgTWF0aC5pbXVsKHQgXiAodCA+Pj4gNyksIDYxIHwgdCkpIF4gdDtcbiAgICByZXR1cm4gKCh0IF4gKHQgPj4+IDE0KSkgPj4+IDApIC8gMiAqKiAzMjtcbiAgfTtcbn1cblxuY29uc3QgaGV4ID0gKG46IG51bWJlciwgZGlnaXRzOiBudW1iZXIpID0+IG4udG9TdHJpbmcoMTYpLnBhZFN0YXJ0KGRpZ2l0cywgXCIwXCIpO1xuXG5jbGFzcyBTaG9wIHtcbiAgcmVhZG9ubHkgZGF0YTogU2hvcERhdGEgPSB7IHNwYW5zOiBbXSwgbG9nczogW10sIHNhbXBsZXM6IG5ldyBNYXAoKSB9O1xuICBwcml2YXRlIHJlYWRvbmx5IHJhbmRvbTogKCkgPT4gbnVtYmVyO1xuICBwcml2YXRlIG5leHQgPSAwO1xuXG4gIGNvbnN0cnVjdG9yKHNlZWQ6IG51bWJlcikge1xuICAgIHRoaXMucmFuZG9tID0gcmFuZG9tT2Yoc2VlZCk7XG4gIH1cblxuICAvLyBBIGR1cmF0aW9uIGFyb3VuZCBgbXNgLCBzb21ldGltZXMgbXVjaCBsb25nZXIuXG4gIHByaXZhdGUgdG9vayhtczogbnVtYmVyKTogbnVtYmVyIHtcbiAgICBjb25zdCByID0gdGhpcy5yYW5kb20oKTtcbiAgICByZXR1cm4gbXMgKiAoMC41ICsgciArIChyID4gMC45NSA/IDYgKiAociAtIDAuOSkgKiAxMCA6IDApKTtcbiAgfVxuXG4gIHByaXZhdGUgc3BhbihcbiAgICBwYXJlbnQ6IFNob3BTcGFuIHwgdW5kZWZpbmVkLFxuICAgIHRyYWNlOiBzdHJpbmcsXG4gICAgc2VydmljZTogc3RyaW5nLFxuICAgIG5hbWU6IHN0cmluZyxcbiAgICBraW5kOiBudW1iZXIsXG4gICAgZnJvbTogbnVtYmVyLFxuICAgIG1zOiBudW1iZXIsXG4gICAgYXR0cmlidXRlczogUmVjb3JkPHN0cmluZywgVmFsdWU+LFxuICApOiBTaG9wU3BhbiB7XG4gICAgY29uc3Qgc3BhbiA9IHtcbiAgICAgIHNlcnZpY2UsXG4gICAgICB0cmFjZSxcbiAgICAgIGlkOiBoZXgoMHhhMDAwMDAwMCArICsrdGhpcy5uZXh0LCAxNiksXG4gICAgICBwYXJlbnQ6IHBhcmVudD8uaWQgPz8gXCJcIixcbiAgICAgIG5hbWUsXG4gICAgICBraW5kLFxuICAgICAgZnJvbSxcbiAgICAgIG1zLFxuICAgICAgYXR0cmlidXRlcyxcbiAgICB9O1xuICAgIHRoaXMuZGF0YS5zcGFucy5wdXNoKHNwYW4pO1xuICAgIHJldHVybiBzcGFuO1xuICB9XG5cbiAgcHJpdmF0ZSBsb2coc3BhbjogU2hvcFNwYW4sIGF0OiBudW1iZXIsIHNldmVyaXR5OiBudW1iZXIsIHRleHQ6IHN0cmluZywgbW9yZSA9IHt9KSB7XG4gICAgdGhpcy5kYXRhLmxvZ3MucHVzaCh7XG4gICAgICBzZXJ2aWNlOiBzcGFuLnNlcnZpY2UsXG4gICAgICB0aW1lOiBhdCxcbiAgICAgIHNldmVyaXR5LFxuICAgICAgdGV4dCxcbiAgICAgIHRyYWNlOiBzcGFuLnRyYWNlLFxuICAgICAgc3Bhbjogc3Bhbi5pZCxcbiAgICAgIGF0dHJpYnV0ZXM6IHsgXCJ0aHJlYWQubmFtZVwiOiBcIndvcmtlci0xXCIsIC4uLm1vcmUgfSxcbiAgICB9KTtcbiAgfVxuXG4gIHByaXZhdGUgc2FtcGxlKHNwYW46IFNob3BTcGFuLCBzdGFjazogc3RyaW5nLCBzaGFyZTogbnVtYmVyKSB7XG4gICAgY29uc3QgbGlzdCA9IHRoaXMuZGF0YS5zYW1wbGVzLmdldChzcGFuLnNlcnZpY2UpID8/IFtdO1xuICAgIGNvbnN0IG4gPSBNYXRoLm1heCgxLCBNYXRoLmZsb29yKChzcGFuLm1zICogc2hhcmUpIC8gMTApKTtcbiAgICBmb3IgKGxldCBpID0gMDsgaSA8IG47IGkrKylcbiAgICAgIGxpc3QucHVzaCh7XG4gICAgICAgIHRpbWU6IE1hdGguZmxvb3Ioc3Bhbi5mcm9tICsgKHNwYW4ubXMgKiBpKSAvIG4pLFxuICAgICAgICBzdGFjayxcbiAgICAgICAgdHJhY2U6IHNwYW4udHJhY2UsXG4gICAgICAgIHNwYW46IHNwYW4uaWQsXG4gICAgICB9KTtcbiAgICB0aGlzLmRhdGEuc2FtcGxlcy5zZXQoc3Bhbi5zZXJ2aWNlLCBsaXN0KTtcbiAgfVxuXG4gIC8vIE9uZSByZXF1ZXN0OiB0aGUgZnJvbnQsIHRoZSBjYXJ0IHdpdGggaXRzIHF1ZXJpZXMsIGFuZCBmb3Igb3JkZXJzIHRoZSBwYXltZW50IGFuZCBhIG1haWwuXG4gIHJlcXVlc3Qoc3RhcnQ6IG51bWJlcikge1xuICAgIGNvbnN0IHIgPSB0aGlzLnJhbmRvbTtcbiAgICBjb25zdCB0cmFjZSA9IGhleCgweDVlZWQwMDAwICsgKyt0aGlzLm5leHQsIDE2KSArIGhleChNYXRoLmZsb29yKHIoKSAqIDIgKiogNDgpLCAxNik7XG4gICAgY29uc3Qgb3JkZXIgPSByKCkgPCAwLjQ7XG4gICAgY29uc3Qgcm91dGUgPSBvcmRlciA/IFwiL2NoZWNrb3V0XCIgOiBcIi9wcm9kdWN0cy97aWR9XCI7XG4gICAgY29uc3QgZmFpbGVkID0gb3JkZXIgJiYgcigpIDwgMC4xMjtcbiAgICBjb25zdCB1c2VyID0gYHVzZXItJHtNYXRoLmZsb29yKHIoKSAqIDQwKX1gO1xuICAgIGNvbnN0IHF1ZXJpZXMgPSAyICsgTWF0aC5mbG9vcihyKCkgKiAob3JkZXIgPyA4IDogMykpO1xuICAgIGNvbnN0IHF1ZXJ5TXMgPSBBcnJheS5mcm9tKHsgbGVuZ3RoOiBxdWVyaWVzIH0sICgpID0+IHRoaXMudG9vayg0KSk7XG4gICAgY29uc3QgY2FydE1zID0gcXVlcnlNcy5yZWR1Y2UoKGEsIGIpID0+IGEgKyBiICsgMC42LCAzKTtcbiAgICBjb25zdCBwYXlNcyA9IG9yZGVyID8gdGhpcy50b29rKGZhaWxlZCA/IDI2MCA6IDkwKSA6IDA7XG4gICAgY29uc3Qgcm9vdCA9IHRoaXMuc3BhbihcbiAgICAgIHVuZGVmaW5lZCxcbiAgICAgIHRyYWNlLFxuICAgICAgXCJmcm9udFwiLFxuICAgICAgYCR7b3JkZXIgPyBcIlBPU1RcIiA6IFwiR0VUXCJ9ICR7cm91dGV9YCxcbiAgICAgIDIsXG4gICAgICBzdGFydCxcbiAgICAgIDggKyBjYXJ0TXMgKyBwYXlNcyArIChvcmRlciA/IDkgOiAyKSxcbiAgICAgIHtcbiAgICAgICAgXCJodHRwLnJlcXVlc3QubWV0aG9kXCI6IG9yZGVyID8gXCJQT1NUXCIgOiBcIkdFVFwiLFxuICAgICAgICBcImh0dHAucm91dGVcIjogcm91dGUsXG4gICAgICAgIFwiaHR0cC5yZXNwb25zZS5zdGF0dXNfY29kZVwiOiBmYWlsZWQgPyA1MDAgOiAyMDAsXG4gICAgICAgIFwidXNlci5pZFwiOiB1c2VyLFxuICAgICAgICBcInVybC5wYXRoXCI6IG9yZGVyID8gXCIvY2hlY2tvdXRcIiA6IGAvcHJvZHVjdHMvJHtNYXRoLmZsb29yKHIoKSAqIDkwMCl9YCxcbiAgICAgICAgXCJyZXF1ZXN0LmNhY2hlZFwiOiByKCkgPCAwLjUsXG4gICAgICAgIFwicmVzcG9uc2Uuc2l6ZVwiOiBNYXRoLmZsb29yKHIoKSAqIDkwXzAwMCkgLyAxMCxcbiAgICAgIH0sXG4gICAgKTtcbiAgICB0aGlzLmxvZyhyb290LCBzdGFydCArIDAuNCwgOSwgYCR7cm9vdC5uYW1lfSBmcm9tICR7dXNlcn1gLCB7IFwidXNlci5pZFwiOiB1c2VyIH0pO1xuICAgIGNvbnN0IGNhcnQgPSB0aGlzLnNwYW4ocm9vdCwgdHJhY2UsIFwiY2FydFwiLCBcImNhcnQuTG9hZFwiLCAyLCBzdGFydCArIDMsIGNhcnRNcywge1xuICAgICAgXCJycGMuc3lzdGVtXCI6IFwiZ3JwY1wiLFxuICAgICAgXCJycGMubWV0aG9kXCI6IFwiTG9hZFwiLFxuICAgICAgaXRlbXM6IHF1ZXJpZXMsXG4gICAgfSk7XG4gICAgbGV0IGF0ID0gY2FydC5mcm9tICsgMS4yO1xuICAgIGZvciAoY29uc3QgbXMgb2YgcXVlcnlNcykge1xuICAgICAgdGhpcy5zcGFuKGNhcnQsIHRyYWNlLCBcImNhcnRcIiwgXCJTRUxFQ1Qgc3RvY2tcIiwgMywgYXQsIG1zLCB7XG4gICAgICAgIFwiZGIuc3lzdGVtXCI6IFwicG9zdGdyZXNxbFwiLFxuICAgICAgICBcImRiLnF1ZXJ5LnRleHRcIjogXCJTRUxFQ1QgY291bnQgRlJPTSBzdG9jayBXSEVSRSBpdGVtID0gJDFcIixcbiAgICAgICAgXCJzZXJ2ZXIuYWRkcmVzc1wiOiBcImRiLTFcIixcbiAgICAgIH0pO1xuICAgICAgYXQgKz0gbXMgKyAwLjU7XG4gICAgfVxuICAgIHRoaXMubG9nKFxuICAgICAgY2FydCxcbiAgICAgIGNhcnQuZnJvbSArIGNhcnQubXMgLSAwLjUsXG4gICAgICA1LFxuICAgICAgYGxvYWRlZCAke3F1ZXJpZXN9IGl0ZW1zIGluICR7Y2FydC5tcy50b0ZpeGVkKDEpfSBtc2AsXG4gICAgKTtcbiAgICB0aGlzLnNhbXBsZShyb290LCBcIm1haW47c2VydmU7cmVuZGVyO2pzb24uTWFyc2hhbFwiLCAwLjIpO1xuICAgIGlmIChvcmRlcikgdGhpcy5vcmRlcihyb290LCBzdGFydCArIDUgKyBjYXJ0TXMsIHBheU1zLCBmYWlsZWQsIHVzZXIpO1xuICAgIHJldHVybiB0cmFjZTtcbiAgfVxuXG4gIHByaXZhdGUgb3JkZXIocm9vdDogU2hvcFNwYW4sIGF0OiBudW1iZXIsIG1zOiBudW1iZXIsIGZhaWxlZDogYm9vbGVhbiwgdXNlcjogc3RyaW5nKSB7XG4gICAgY29uc3QgcGF5ID0gdGhpcy5zcGFuKHJvb3QsIHJvb3QudHJhY2UsIFwicGF5bWVudFwiLCBcInBheW1lbnQuQ2hhcmdlXCIsIDIsIGF0LCBtcywge1xuICAgICAgXCJwYXltZW50LnByb3ZpZGVyXCI6IHRoaXMucmFuZG9tKCkgPCAwLjUgPyBcInZpc2FcIiA6IFwibWFzdGVyY2FyZFwiLFxuICAgICAgXCJwYXltZW50LmFtb3VudFwiOiBNYXRoLmZsb29yKHRoaXMucmFuZG9tKCkgKiAyMF8wMDApIC8gMTAwLFxuICAgICAgXCJwYXltZW50LnJldHJpZXNcIjogZmFpbGVkID8gMyA6IDAsXG4gICAgICBcInBheW1lbnQudGFnc1wiOiBbXCJldVwiLCBcIndlYlwiXSxcbiAgICB9KTtcbiAgICBjb25zdCBzaWduID0gdGhpcy5zcGFuKHBheSwgcm9vdC50cmFjZSwgXCJwYXltZW50XCIsIFwicnNhLlNpZ25cIiwgMSwgYXQgKyAyLCBtcyAqIDAuNiwge30pO1xuICAgIHRoaXMuc2FtcGxlKHNpZ24sIFwibWFpbjtjaGFyZ2U7cnNhLlNpZ247YmlnaW50LkV4cFwiLCAwLjgpO1xuICAgIGlmIChmYWlsZWQpIHtcbiAgICAgIHBheS5lcnJvciA9IFwiY2FyZCBkZWNsaW5lZCBhZnRlciAzIHJldHJpZXNcIjtcbiAgICAgIHJvb3QuZXJyb3IgPSBcIlwiO1xuICAgICAgcGF5LmV2ZW50cyA9IFtcbiAgICAgICAgeyBuYW1lOiBcInJldHJ5XCIsIGF0OiBhdCArIG1zICogMC4zLCBhdHRyaWJ1dGVzOiB7IGF0dGVtcHQ6IDIgfSB9LFxuICAgICAgICB7IG5hbWU6IFwicmV0cnlcIiwgYXQ6IGF0ICsgbXMgKiAwLjYsIGF0dHJpYnV0ZXM6IHsgYXR0ZW1wdDogMyB9IH0sXG4gICAgICAgIHtcbiAgICAgICAgICBuYW1lOiBcImV4Y2VwdGlvblwiLFxuICAgICAgICAgIGF0OiBhdCArIG1zICogMC45OCxcbiAgICAgICAgICBhdHRyaWJ1dGVzOiB7XG4gICAgICAgICAgICBcImV4Y2VwdGlvbi50eXBlXCI6IFwiQ2FyZERlY2xpbmVkXCIsXG4gICAgICAgICAgICBcImV4Y2VwdGlvbi5tZXNzYWdlXCI6IFwidGhlIGJhbmsgcmVmdXNlZCB0aGUgY2hhcmdlXCIsXG4gICAgICAgICAgICBcImV4Y2VwdGlvbi5zdGFja3RyYWNlXCI6XG4gICAgICAgICAgICAgIFwiQ2FyZERlY2xpbmVkOiB0aGUgYmFuayByZWZ1c2VkIHRoZSBjaGFyZ2VcXG4gIGF0IGNoYXJnZSAocGF5bWVudC50czo0MSlcXG4gIGF0IG9yZGVyIChvcmRlci50czoxNylcIixcbiAgICAgICAgICB9LFxuICAgICAgICB9LFxuICAgICAgXTtcbiAgICAgIHRoaXMubG9nKHBheSwgYXQgKyBtcyAqIDAuMywgMTMsIFwiY2hhcmdlIHJlZnVzZWQsIHJldHJ5aW5nXCIsIHsgYXR0ZW1wdDogMiB9KTtcbiAgICAgIHRoaXMubG9nKHBheSwgYXQgKyBtcyAqIDAuOTgsIDE3LCBgQ2FyZERlY2xpbmVkOiB0aGUgYmFuayByZWZ1c2VkIHRoZSBjaGFyZ2Ugb2YgJHt1c2VyfWAsIHtcbiAgICAgICAgXCJleGNlcHRpb24udHlwZVwiOiBcIkNhcmREZWNsaW5lZFwiLFxuICAgICAgfSk7XG4gICAgICByZXR1cm47XG4gICAgfVxuICAgIHRoaXMubG9nKHBheSwgYXQgKyBtcyAtIDEsIDksIGBjaGFyZ2VkICR7dXNlcn1gKTtcbiAgICBjb25zdCBzZW5kID0gdGhpcy5zcGFuKHJvb3QsIHJvb3QudHJhY2UsIFwiZnJvbnRcIiwgXCJvcmRlcnMgcHVibGlzaFwiLCA0LCBhdCArIG1zICsgMSwgMiwge1xuICAgICAgXCJtZXNzYWdpbmcuc3lzdGVtXCI6IFwia2Fma2FcIixcbiAgICAgIFwibWVzc2FnaW5nLmRlc3RpbmF0aW9uLm5hbWVcIjogXCJvcmRlcnNcIixcbiAgICB9KTtcbiAgICBjb25zdCBtYWlsID0gdGhpcy5zcGFuKHNlbmQsIHJvb3QudHJhY2UsIFwibWFpbFwiLCBcIm9yZGVycyBwcm9jZXNzXCIsIDUsIGF0ICsgbXMgKyAzMCwgNDUsIHtcbiAgICAgIFwibWVzc2FnaW5nLnN5c3RlbVwiOiBcImthZmthXCIsXG4gICAgfSk7XG4gICAgbWFpbC5saW5rcyA9IFt7IHRyYWNlOiByb290LnRyYWNlLCBzcGFuOiBzZW5kLmlkLCBhdHRyaWJ1dGVzOiB7IFwibWVzc2FnaW5nLmJhdGNoLmluZGV4XCI6IDAgfSB9XTtcbiAgICB0aGlzLmxvZyhtYWlsLCBtYWlsLmZyb20gKyA0MCwgOSwgYG1haWwgc2VudCB0byAke3VzZXJ9YCk7XG4gIH1cbn1cblxuLy8gUmV0dXJuIHRoZSByZXF1ZXN0cyBvZiBhIHJhbmdlIChtcyk6IGBjb3VudGAgb2YgdGhlbSwgZXZlbmx5IGRpc3RyaWJ1dGVkLlxuZXhwb3J0IGZ1bmN0aW9uIHNob3BEYXRhKGZyb206IG51bWJlciwgdG86IG51bWJlciwgY291bnQ6IG51bWJlciwgc2VlZCA9IDEpOiBTaG9wRGF0YSB7XG4gIGNvbnN0IHNob3AgPSBuZXcgU2hvcChzZWVkKTtcbiAgZm9yIChsZXQgaSA9IDA7IGkgPCBjb3VudDsgaSsrKSBzaG9wLnJlcXVlc3QoZnJvbSArICgodG8gLSBmcm9tKSAqIGkpIC8gY291bnQpO1xuICByZXR1cm4gc2hvcC5kYXRhO1xufVxuXG5jb25zdCBuYW5vcyA9IChtczogbnVtYmVyKSA9PlxuICBTdHJpbmcoQmlnSW50KE1hdGguZmxvb3IobXMpKSAqIDFfMDAwXzAwMG4gKyBCaWdJbnQoTWF0aC5yb3VuZCgobXMgJSAxKSAqIDFlNikpKTtcblxuZnVuY3Rpb24gYW55VmFsdWUodmFsdWU6IFZhbHVlKTogdW5rbm93biB7XG4gIGlmICh0eXBlb2YgdmFsdWUgPT09IFwic3RyaW5nXCIpIHJldHVybiB7IHN0cmluZ1ZhbHVlOiB2YWx1ZSB9O1xuICBpZiAodHlwZW9mIHZhbHVlID09PSBcImJvb2xlYW5cIikgcmV0dXJuIHsgYm9vbFZhbHVlOiB2YWx1ZSB9O1xuICBpZiAodHlwZW9mIHZhbHVlID09PSBcIm51bWJlclwiKVxuICAgIHJldHVybiBOdW1iZXIuaXNJbnRlZ2VyKHZhbHVlKSA/IHsgaW50VmFsdWU6IFN0cmluZyh2YWx1ZSkgfSA6IHsgZG91YmxlVmFsdWU6IHZhbHVlIH07XG4gIHJldHVybiB7IGFycmF5VmFsdWU6IHsgdmFsdWVzOiB2YWx1ZS5tYXAoYW55VmFsdWUpIH0gfTtcbn1cblxuY29uc3QgYXR0cmlidXRlc09mID0gKGFsbDogUmVjb3JkPHN0cmluZywgVmFsdWU+KSA9PlxuICBPYmplY3QuZW50cmllcyhhbGwpLm1hcCgoW2tleSwgdmFsdWVdKSA9PiAoeyBrZXksIHZhbHVlOiBhbnlWYWx1ZSh2YWx1ZSkgfSkpO1xuXG5jb25zdCByZXNvdXJjZU9mID0gKHNlcnZpY2U6IHN0cmluZykgPT4gKHtcbiAgYXR0cmlidXRlczogYXR0cmlidXRlc09mKHtcbiAgICBcInNlcnZpY2UubmFtZVwiOiBzZXJ2aWNlLFxuICAgIFwic2VydmljZS52ZXJzaW9uXCI6IFwiMS40LjJcIixcbiAgICBcImhvc3QubmFtZVwiOiBgJHtzZXJ2aWNlfS03ZDlmYCxcbiAgfSksXG59KTtcblxuYXN5bmMgZnVuY3Rpb24gcG9zdCh1cmw6IHN0cmluZywgYm9keTogdW5rbm93bikge1xuICBjb25zdCBhbnN3ZXIgPSBhd2FpdCBmZXRjaCh1cmwsIHtcbiAgICBtZXRob2Q6IFwiUE9TVFwiLFxuICAgIGhlYWRlcnM6IHsgXCJjb250ZW50LXR5cGVcIjogXCJhcHBsaWNhdGlvbi9qc29uXCIgfSxcbiAgICBib2R5OiBKU09OLnN0cmluZ2lmeShib2R5KSxcbiAgfSk7XG4gIGlmICghYW5zd2VyLm9rKSB0aHJvdyBuZXcgRXJyb3IoYCR7dXJsfTogJHthbnN3ZXIuc3RhdHVzfSAke2F3YWl0IGFuc3dlci50ZXh0KCl9YCk7XG59XG5cbmNvbnN0IGJ5U2VydmljZSA9IDxUIGV4dGVuZHMgeyBzZXJ2aWNlOiBzdHJpbmcgfT4oYWxsOiByZWFkb25seSBUW10pID0+IHtcbiAgY29uc3QgZ3JvdXBzID0gbmV3IE1hcDxzdHJpbmcsIFRbXT4oKTtcbiAgZm9yIChjb25zdCBvbmUgb2YgYWxsKSBncm91cHMuc2V0KG9uZS5zZXJ2aWNlLCBbLi4uKGdyb3Vwcy5nZXQob25lLnNlcnZpY2UpID8/IFtdKSwgb25lXSk7XG4gIHJldHVybiBbLi4uZ3JvdXBzXTtcbn07XG5cbmNvbnN0IHNwYW5zUGVyUmVxdWVzdCA9IDIwMDA7XG5cbmV4cG9ydCBhc3luYyBmdW5jdGlvbiBzZW5kU2hvcFNwYW5zKHVybDogc3RyaW5nLCBzcGFuczogcmVhZG9ubHkgU2hvcFNwYW5bXSkge1xuICBmb3IgKGxldCBpID0gMDsgaSA8IHNwYW5zLmxlbmd0aDsgaSArPSBzcGFuc1BlclJlcXVlc3QpXG4gICAgYXdhaXQgcG9zdChgJHt1cmx9L3YxL3RyYWNlc2AsIHtcbiAgICAgIHJlc291cmNlU3BhbnM6IGJ5U2VydmljZShzcGFucy5zbGljZShpLCBpICsgc3BhbnNQZXJSZXF1ZXN0KSkubWFwKChbc2VydmljZSwgbGlzdF0pID0+ICh7XG4gICAgICAgIHJlc291cmNlOiByZXNvdXJjZU9mKHNlcnZpY2UpLFxuICAgICAgICBzY29wZVNwYW5zOiBbXG4gICAgICAgICAge1xuICAgICAgICAgICAgc2NvcGU6IHsgbmFtZTogYCR7c2VydmljZX0uaHR0cGAsIHZlcnNpb246IFwiMC45XCIgfSxcbiAgICAgICAgICAgIHNwYW5zOiBsaXN0Lm1hcCgocykgPT4gKHtcbiAgICAgICAgICAgICAgdHJhY2VJZDogcy50cmFjZSxcbiAgICAgICAgICAgICAgc3BhbklkOiBzLmlkLFxuICAgICAgICAgICAgICBwYXJlbnRTcGFuSWQ6IHMucGFyZW50LFxuICAgICAgICAgICAgICBuYW1lOiBzLm5hbWUsXG4gICAgICAgICAgICAgIGtpbmQ6IHMua2luZCxcbiAgICAgICAgICAgICAgc3RhcnRUaW1lVW5peE5hbm86IG5hbm9zKHMuZnJvbSksXG4gICAgICAgICAgICAgIGVuZFRpbWVVbml4TmFubzogbmFub3Mocy5mcm9tICsgcy5tcyksXG4gICAgICAgICAgICAgIGF0dHJpYnV0ZXM6IGF0dHJpYnV0ZXNPZihzLmF0dHJpYnV0ZXMpLFxuICAgICAgICAgICAgICBzdGF0dXM6IHMuZXJyb3IgPT09IHVuZGVmaW5lZCA/IHt9IDogeyBjb2RlOiAyLCBtZXNzYWdlOiBzLmVycm9yIH0sXG4gICAgICAgICAgICAgIGV2ZW50czogcy5ldmVudHM/Lm1hcCgoZSkgPT4gKHtcbiAgICAgICAgICAgICAgICBuYW1lOiBlLm5hbWUsXG4gICAgICAgICAgICAgICAgdGltZVVuaXhOYW5vOiBuYW5vcyhlLmF0KSxcbiAgICAgICAgICAgICAgICBhdHRyaWJ1dGVzOiBhdHRyaWJ1dGVzT2YoZS5hdHRyaWJ1dGVzKSxcbiAgICAgICAgICAgICAgfSkpLFxuICAgICAgICAgICAgICBsaW5rczogcy5saW5rcz8ubWFwKChsKSA9PiAoe1xuICAgICAgICAgICAgICAgIHRyYWNlSWQ6IGwudHJhY2UsXG4gICAgICAgICAgICAgICAgc3BhbklkOiBsLnNwYW4sXG4gICAgICAgICAgICAgICAgYXR0cmlidXRlczogYXR0cmlidXRlc09mKGwuYXR0cmlidXRlcyksXG4gICAgICAgICAgICAgIH0pKSxcbiAgICAgICAgICAgIH0pKSxcbiAgICAgICAgICB9LFxuICAgICAgICBdLFxuICAgICAgfSkpLFxuICAgIH0pO1xufVxuXG5leHBvcnQgYXN5bmMgZnVuY3Rpb24gc2VuZFNob3BMb2dzKHVybDogc3RyaW5nLCBsb2dzOiByZWFkb25seSBTaG9wTG9nW10pIHtcbiAgY29uc3QgbmFtZXMgPSBbXCJcIiwgXCJUUkFDRVwiLCBcIkRFQlVHXCIsIFwiSU5GT1wiLCBcIldBUk5cIiwgXCJFUlJPUlwiLCBcIkZBVEFMXCJdO1xuICBmb3IgKGxldCBpID0gMDsgaSA8IGxvZ3MubGVuZ3RoOyBpICs9IHNwYW5zUGVyUmVxdWVzdClcbiAgICBhd2FpdCBwb3N0KGAke3VybH0vdjEvbG9nc2AsIHtcbiAgICAgIHJlc291cmNlTG9nczogYnlTZXJ2aWNlKGxvZ3Muc2xpY2UoaSwgaSArIHNwYW5zUGVyUmVxdWVzdCkpLm1hcCgoW3NlcnZpY2UsIGxpc3RdKSA9PiAoe1xuICAgICAgICByZXNvdXJjZTogcmVzb3VyY2VPZihzZXJ2aWNlKSxcbiAgICAgICAgc2NvcGVMb2dzOiBbXG4gICAgICAgICAge1xuICAgICAgICAgICAgc2NvcGU6IHsgbmFtZTogYCR7c2VydmljZX0ubG9nYCB9LFxuICAgICAgICAgICAgbG9nUmVjb3JkczogbGlzdC5tYXAoKGwpID0+ICh7XG4gICAgICAgICAgICAgIHRpbWVVbml4TmFubzogbmFub3MobC50aW1lKSxcbiAgICAgICAgICAgICAgb2JzZXJ2ZWRUaW1lVW5peE5hbm86IG5hbm9zKGwudGltZSArIDIpLFxuICAgICAgICAgICAgICBzZXZlcml0eU51bWJlcjogbC5zZXZlcml0eSxcbiAgICAgICAgICAgICAgc2V2ZXJpdHlUZXh0OiBuYW1lc1tNYXRoLmZsb29yKChsLnNldmVyaXR5ICsgMykgLyA0KV0sXG4gICAgICAgICAgICAgIGJvZHk6IHsgc3RyaW5nVmFsdWU6IGwudGV4dCB9LFxuICAgICAgICAgICAgICBhdHRyaWJ1dGVzOiBhdHRyaWJ1dGVzT2YobC5hdHRyaWJ1dGVzKSxcbiAgICAgICAgICAgICAgdHJhY2VJZDogbC50cmFjZSxcbiAgICAgICAgICAgICAgc3BhbklkOiBsLnNwYW4sXG4gICAgICAgICAgICB9KSksXG4gICAgICAgICAgfSxcbiAgICAgICAgXSxcbiAgICAgIH0pKSxcbiAgICB9KTtcbn1cblxuY29uc3QgbWludXRlTXMgPSA2MF8wMDA7XG5cbi8vIFNlbmQgYSBwcm9maWxlIGZvciBlYWNoIHNlcnZpY2UgYW5kIG1pbnV0ZS5cbmV4cG9ydCBhc3luYyBmdW5jdGlvbiBzZW5kU2hvcFNhbXBsZXModXJsOiBzdHJpbmcsIGRhdGE6IFNob3BEYXRhKSB7XG4gIGZvciAoY29uc3QgW3NlcnZpY2UsIGxpc3RdIG9mIGRhdGEuc2FtcGxlcykge1xuICAgIGNvbnN0IG1pbnV0ZXMgPSBuZXcgTWFwPG51bWJlciwgVGltZWRTYW1wbGVbXT4oKTtcbiAgICBmb3IgKGNvbnN0IHNhbXBsZSBvZiBsaXN0KSB7XG4gICAgICBjb25zdCBtaW51dGUgPSBNYXRoLmZsb29yKHNhbXBsZS50aW1lIC8gbWludXRlTXMpO1xuICAgICAgbWludXRlcy5zZXQobWludXRlLCBbLi4uKG1pbnV0ZXMuZ2V0KG1pbnV0ZSkgPz8gW10pLCBzYW1wbGVdKTtcbiAgICB9XG4gICAgZm9yIChjb25zdCBzYW1wbGVzIG9mIG1pbnV0ZXMudmFsdWVzKCkpIGF3YWl0IHNlbmRTYW1wbGVzKHVybCwgc2VydmljZSwgc2FtcGxlcyk7XG4gIH1cbn1cbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQSBzZXJ2ZXIgd2l0aCB0aGUgZGF0YSBvZiB0aGUgc2hvcCwgc2hhcmVkIGJ5IHRoZSB0ZXN0cyBvZiB0cmFjZXMgYW5kIGxvZ3MuXG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcbmltcG9ydCB7IHNlbmRTaG9wTG9ncywgc2VuZFNob3BTYW1wbGVzLCBzZW5kU2hvcFNwYW5zLCBzaG9wRGF0YSwgU2hvcERhdGEgfSBmcm9tIFwiLi9zaG9wX2RhdGFcIjtcblxuZXhwb3J0IGludGVyZmFjZSBTaG9wU2VydmVyIHtcbiAgc2VydmVyOiBTZXJ2ZXI7XG4gIGRhdGE6IFNob3BEYXRhO1xuICBmcm9tOiBudW1iZXI7IC8vIG1zOyB0aW1lIG9mIHRoZSBmaXJzdCByZXF1ZXN0XG4gIHRvOiBudW1iZXI7XG59XG5cbmNvbnN0IHJlcXVlc3RzID0gMTIwO1xubGV0IGtub3duOiBQcm9taXNlPFNob3BTZXJ2ZXI+IHwgbnVsbCA9IG51bGw7XG5cbmV4cG9ydCBmdW5jdGlvbiBzaG9wU2VydmVyKCk6IFByb21pc2U8U2hvcFNlcnZlcj4ge1xuICBrbm93biA/Pz0gKGFzeW5jICgpID0+IHtcbiAgICBjb25zdCBzZXJ2ZXIgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgICBjb25zdCB0byA9IE1hdGguZmxvb3IoRGF0ZS5ub3coKSAvIDEwMDApICogMTAwMCAtIDEyMF8wMDA7XG4gICAgY29uc3QgZnJvbSA9IHRvIC0gMzAgKiA2MF8wMDA7XG4gICAgY29uc3QgZGF0YSA9IHNob3BEYXRhKGZyb20sIHRvLCByZXF1ZXN0cyk7XG4gICAgYXdhaXQgc2VuZFNob3BTcGFucyhzZXJ2ZXIudXJsLCBkYXRhLnNwYW5zKTtcbiAgICBhd2FpdCBzZW5kU2hvcExvZ3Moc2VydmVyLnVybCwgZGF0YS5sb2dzKTtcbiAgICBhd2FpdCBzZW5kU2hvcFNhbXBsZXMoc2VydmVyLnVybCwgZGF0YSk7XG4gICAgcmV0dXJuIHsgc2VydmVyLCBkYXRhLCBmcm9tLCB0byB9O1xuICB9KSgpO1xuICByZXR1cm4ga25vd247XG59XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2YgZnVuY3Rpb25zIHdpdGggdGhlIHNhbWUgbmFtZSBpbiBzZXZlcmFsIHByb2dyYW1zLCBvbiBhIHJlYWwgc2VydmVyOiB0aGVpciBjb3N0c1xuLy8gYXJlIG5vdCBtaXhlZC5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgUGFnZSB9IGZyb20gXCJwbGF5d3JpZ2h0LWNvcmVcIjtcbmltcG9ydCB7IHRlc3QgfSBmcm9tIFwiLi4vdGFwXCI7XG5pbXBvcnQgeyBldmVudHVhbGx5LCBzY3JlZW5zaG90LCB3aXRoUGFnZSB9IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBUaW1lZFNhbXBsZSwgc2VuZFNhbXBsZXMgfSBmcm9tIFwiLi90aW1lZF9zYW1wbGVzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3Qgc3RhcnQgPSBNYXRoLmZsb29yKERhdGUubm93KCkgLyAxMDAwKSAqIDEwMDAgLSA2MDBfMDAwO1xubGV0IGtub3duOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxuLy8gRml2ZSBzYW1wbGVzIGluIGB3b3JrYCBvZiB0aGUgcHJvZ3JhbSBhcGksIGluIHR3byBidWlsZHM7IHRocmVlIGluIGB3b3JrYCBvZiB0aGUgcHJvZ3JhbSB3b3JrZXIuXG5mdW5jdGlvbiBzZXJ2ZXIoKTogUHJvbWlzZTxTZXJ2ZXI+IHtcbiAga25vd24gPz89IChhc3luYyAoKSA9PiB7XG4gICAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICAgIGNvbnN0IHNhbXBsZXMgPSAobjogbnVtYmVyLCBzdGFjazogc3RyaW5nLCBhdCA9IDApOiBUaW1lZFNhbXBsZVtdID0+XG4gICAgICBBcnJheS5mcm9tKHsgbGVuZ3RoOiBuIH0sIChfLCBpKSA9PiAoeyB0aW1lOiBzdGFydCArIGF0ICsgaSAqIDEwMCwgc3RhY2sgfSkpO1xuICAgIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcImFwaVwiLCBbXG4gICAgICAuLi5zYW1wbGVzKDMsIFwibWFpbjt3b3JrfC9vcHQvdjEvYXBpO3BhcnNlXCIpLFxuICAgICAgLi4uc2FtcGxlcygyLCBcIm1haW47d29ya3wvb3B0L3YyL2FwaTtwYXJzZVwiLCAxMDAwKSxcbiAgICBdKTtcbiAgICBhd2FpdCBzZW5kU2FtcGxlcyhzLnVybCwgXCJ3b3JrZXJcIiwgc2FtcGxlcygzLCBcIm1haW47d29ya3wvb3B0L3dvcmtlcjtzZW5kXCIsIDIwMDApKTtcbiAgICByZXR1cm4gcztcbiAgfSkoKTtcbiAgcmV0dXJuIGtub3duO1xufVxuXG5jb25zdCByb3dzID0gKHBhZ2U6IFBhZ2UpID0+IHBhZ2UubG9jYXRvcignLmRhdGEtdGFibGVbYXJpYS1sYWJlbD1cIkZ1bmN0aW9uc1wiXSAuZGF0YS1yb3cnKTtcbmNvbnN0IHBhcmFtID0gKHBhZ2U6IFBhZ2UsIG5hbWU6IHN0cmluZykgPT4gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0QWxsKG5hbWUpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgdGVzdChgbW9kdWxlczogZnVuY3Rpb25zIG9mIG9uZSBuYW1lIGluIHR3byBwcm9ncmFtcyBhcmUgdHdvIHJvd3MsICR7dGhlbWV9YCwgYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgICBhd2FpdCB3aXRoUGFnZSh7IGNvbG9yU2NoZW1lOiB0aGVtZSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT0lN0IlN0Qmc29ydD0tdG90YWxgKTtcbiAgICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgICBjb25zdCB0ZXh0cyA9IGF3YWl0IHJvd3MocGFnZSkuYWxsVGV4dENvbnRlbnRzKCk7XG4gICAgICBhc3NlcnQub2sodGV4dHMuc29tZSgodCkgPT4gL153b3JrIFx1MDBCNyBhcGkuKjUwXFwuMCBtcy8udGVzdCh0KSksIHRleHRzLmpvaW4oXCJcXG5cIikpO1xuICAgICAgYXNzZXJ0Lm9rKHRleHRzLnNvbWUoKHQpID0+IC9ed29yayBcdTAwQjcgd29ya2VyLiozMFxcLjAgbXMvLnRlc3QodCkpLCB0ZXh0cy5qb2luKFwiXFxuXCIpKTtcbiAgICAgIGF3YWl0IHJvd3MocGFnZSkuZmlsdGVyKHsgaGFzVGV4dDogXCJ3b3JrIFx1MDBCNyB3b3JrZXJcIiB9KS5jbGljaygpO1xuICAgICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgICAgXCJ0aGUgZnVuY3Rpb24gaXMgaW4gdGhlIGFkZHJlc3NcIixcbiAgICAgICAgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgXCJmdW5jdGlvblwiKVswXSA9PT0gXCJ3b3JrXFx0d29ya2VyXCIsXG4gICAgICApO1xuICAgICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kYXRhLXJvdy5zZWxlY3RlZFwiKS5jb3VudCgpLCAxKTtcbiAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYG1vZHVsZXMtJHt0aGVtZX1gKTtcbiAgICB9KTtcbiAgfSk7XG5cbnRlc3QoXCJtb2R1bGVzOiBhIHpvb20gaW50byBvbmUgb2YgdHdvIGZyYW1lcyBvZiBvbmUgbmFtZSwgYWxzbyBieSBhIGxpbmtcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT0lN0IlN0Qmdmlldz1mbGFtZSZ6b29tPW1haW4mem9vbT0ke2VuY29kZVVSSUNvbXBvbmVudChcIndvcmtcXHR3b3JrZXJcIil9YCxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1jcnVtYnNcIiwgeyBoYXNUZXh0OiBcIndvcmtcIiB9KS53YWl0Rm9yKCk7XG4gICAgY29uc3QgbGFiZWwgPSAoKSA9PiBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY2FudmFzXCIpLmdldEF0dHJpYnV0ZShcImFyaWEtbGFiZWxcIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcIml0cyBvd24gdmFsdWVcIiwgYXN5bmMgKCkgPT4gLywgMzBcXC4wIG1zXFwuLy50ZXN0KChhd2FpdCBsYWJlbCgpKSA/PyBcIlwiKSk7XG4gICAgLy8gTW92ZSB0byB0aGUgb3RoZXIgZnJhbWUgYnkga2V5Ym9hcmQ6IGludG8gbWFpbiwgdG8gaXRzIGNhbGxlZXMsIEVudGVyLlxuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT0lN0IlN0Qmdmlldz1mbGFtZWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1jYW52YXNcIikuZm9jdXMoKTtcbiAgICBmb3IgKGNvbnN0IGtleSBvZiBbXCJIb21lXCIsIFwiQXJyb3dEb3duXCIsIFwiQXJyb3dEb3duXCIsIFwiQXJyb3dSaWdodFwiLCBcIkVudGVyXCJdKVxuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXG4gICAgICBcInRoZSBzZWNvbmQgd29ya1wiLFxuICAgICAgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgXCJ6b29tXCIpLmpvaW4oKSA9PT0gXCJtYWluLHdvcmtcXHR3b3JrZXJcIixcbiAgICApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwibW9kdWxlczogY2FsbGVycyBhbmQgY2FsbGVlcyBiZWxvbmcgdG8gb25lIG9mIHRoZSBmdW5jdGlvbnNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT0lN0IlN0Qmdmlldz1zYW5kd2ljaCZmdW5jdGlvbj0ke2VuY29kZVVSSUNvbXBvbmVudChcIndvcmtcXHR3b3JrZXJcIil9YCxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zYW5kd2ljaC13b3Jkc1wiLCB7IGhhc1RleHQ6IFwiMzAuMCBtcyAoMzcuNSUpIHRvdGFsXCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgICgoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLW5hbWVcIikudGV4dENvbnRlbnQoKSkgPz8gXCJcIikudHJpbSgpLFxuICAgICAgXCJ3b3JrIFx1MDBCNyB3b3JrZXJcIixcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJEaXJlY3QgY2FsbGVlc1wiXSAuZGF0YS1yb3cnLCB7IGhhc1RleHQ6IFwic2VuZFwiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoXG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRGlyZWN0IGNhbGxlZXNcIl0gLmRhdGEtcm93JywgeyBoYXNUZXh0OiBcInBhcnNlXCIgfSkuY291bnQoKSxcbiAgICAgIDAsXG4gICAgKTtcbiAgfSk7XG59KTtcbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiB0aGUgc2luZ2xlIHBhZ2Ugb2YgYHZhcnZlIGZsYW1lIEZJTEUgLW8gcGFnZS5odG1sYCwgb3BlbmVkIGZyb20gdGhlIGZpbGUuXG5pbXBvcnQgYXNzZXJ0IGZyb20gXCJub2RlOmFzc2VydC9zdHJpY3RcIjtcbmltcG9ydCB7IGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgZm9sZGVkLCBydW4sIHNjcmVlbnNob3QsIHNvdXJjZVJvb3QsIHRlbXBvcmFyeSwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuXG5sZXQgZm9sZGVyID0gXCJcIjtcblxuZnVuY3Rpb24gcGFnZU9mKG5hbWU6IHN0cmluZywgLi4uYXJnczogc3RyaW5nW10pOiBzdHJpbmcge1xuICBmb2xkZXIgfHw9IHRlbXBvcmFyeSgpO1xuICBjb25zdCBvdXQgPSBqb2luKGZvbGRlciwgYCR7bmFtZX0uaHRtbGApO1xuICBydW4oXCJmbGFtZVwiLCAuLi5hcmdzLCBcIi1vXCIsIG91dCk7XG4gIHJldHVybiBgZmlsZTovLyR7b3V0fWA7XG59XG5cbmNvbnN0IGV4YW1wbGUgPSAoKSA9PiBwYWdlT2YoXCJjaGVja291dFwiLCBqb2luKHNvdXJjZVJvb3QsIFwiZXhhbXBsZXMvY2hlY2tvdXQucGIuZ3pcIikpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMTkyMCwgMzkwXSlcbiAgICB0ZXN0KGBwYWdlOiBncmFwaCBhbmQgdGFibGUgZnJvbSBhIGZpbGUsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgKCkgPT5cbiAgICAgIHdpdGhQYWdlKFxuICAgICAgICB7IGNvbG9yU2NoZW1lOiB0aGVtZSwgdmlld3BvcnQ6IHsgd2lkdGgsIGhlaWdodDogd2lkdGggPT09IDM5MCA/IDg0NCA6IDkwMCB9IH0sXG4gICAgICAgIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICAgICAgYXdhaXQgcGFnZS5nb3RvKGV4YW1wbGUoKSk7XG4gICAgICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZCBzcGFuXCIpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgICAgICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCJodG1sXCIpLmdldEF0dHJpYnV0ZShcImRhdGEtdGhlbWVcIiksIHRoZW1lKTtcbiAgICAgICAgICBhc3NlcnQubWF0Y2goXG4gICAgICAgICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNpbmdsZS10YWJsZSB0Ym9keSB0clwiKS5maXJzdCgpLnRleHRDb250ZW50KCkpISxcbiAgICAgICAgICAgIC82NzAgbXMuKmNvbXByZXNzXFwvZmxhdGUvLFxuICAgICAgICAgICk7XG4gICAgICAgICAgY29uc3Qgc2Nyb2xscyA9IGF3YWl0IHBhZ2UuZXZhbHVhdGUoXG4gICAgICAgICAgICAoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoLFxuICAgICAgICAgICk7XG4gICAgICAgICAgYXNzZXJ0LmVxdWFsKHNjcm9sbHMsIGZhbHNlLCBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIik7XG4gICAgICAgICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBgcGFnZS0ke3RoZW1lfS0ke3dpZHRofWApO1xuICAgICAgICB9LFxuICAgICAgKSk7XG5cbnRlc3QoXCJwYWdlOiBhIHNlYXJjaCBtYXJrcyBmcmFtZXMsIGZpbHRlcnMgdGhlIHRhYmxlIGFuZCBzaG93cyB0aGUgc2hhcmVcIiwgKCkgPT5cbiAgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKFxuICAgICAgcGFnZU9mKFxuICAgICAgICBcInNlYXJjaFwiLFxuICAgICAgICBmb2xkZWQoam9pbih0ZW1wb3JhcnkoKSwgXCJhLmZvbGRlZFwiKSwge1xuICAgICAgICAgIFwibWFpbjtwYXJzZTtyZWFkXCI6IDMwLFxuICAgICAgICAgIFwibWFpbjtwYXJzZVwiOiAxMCxcbiAgICAgICAgICBcIm1haW47d3JpdGVcIjogNjAsXG4gICAgICAgIH0pLFxuICAgICAgKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcInBhcnNlXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgc2hhcmVcIiwgYXN5bmMgKCkgPT5cbiAgICAgIC8xIGZyYW1lOiA0MCwgNDBcXC4wJS8udGVzdCgoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWZvdW5kXCIpLnRleHRDb250ZW50KCkpID8/IFwiXCIpLFxuICAgICk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtdGFibGUgdGJvZHkgdHJcIikuY291bnQoKSwgMSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiI3NlYXJjaFwiKS5maWxsKFwiLygvXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgZmF1bHRcIiwgYXN5bmMgKCkgPT5cbiAgICAgIC9VbnRlcm1pbmF0ZWQgZ3JvdXAvLnRlc3QoKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1mb3VuZFwiKS50ZXh0Q29udGVudCgpKSA/PyBcIlwiKSxcbiAgICApO1xuICAgIGFzc2VydC5tYXRjaChwYWdlLnVybCgpLCAvI3NlYXJjaD0vKTtcbiAgfSkpO1xuXG50ZXN0KFwicGFnZToga2V5Ym9hcmQgb25seTogc2VhcmNoLCBoZWxwLCB6b29tOyB0aGUgYWRkcmVzcyByZXN0b3JlcyB0aGUgc3RhdGVcIiwgKCkgPT5cbiAgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgY29uc3QgdXJsID0gZXhhbXBsZSgpO1xuICAgIGF3YWl0IHBhZ2UuZ290byh1cmwpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1sZWdlbmQgc3BhblwiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwia2V5cyB3b3JrXCIsIGFzeW5jICgpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCIvXCIpO1xuICAgICAgcmV0dXJuIHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuYWN0aXZlRWxlbWVudD8uaWQgPT09IFwic2VhcmNoXCIpO1xuICAgIH0pO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudHlwZShcImpzb25cIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBzaGFyZVwiLCBhc3luYyAoKSA9PlxuICAgICAgL2ZyYW1lczogLy50ZXN0KChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtZm91bmRcIikudGV4dENvbnRlbnQoKSkgPz8gXCJcIiksXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRXNjYXBlXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCI/XCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiZGlhbG9nXCIpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwicGFnZS1oZWxwXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJkaWFsb2dcIikud2FpdEZvcih7IHN0YXRlOiBcImRldGFjaGVkXCIgfSk7XG4gICAgZm9yIChcbiAgICAgIGxldCBpID0gMDtcbiAgICAgIGkgPCA0MDAgJiYgKGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuYWN0aXZlRWxlbWVudD8uY2xhc3NOYW1lKSkgIT09IFwiZmxhbWUtY2FudmFzXCI7XG4gICAgICBpKytcbiAgICApXG4gICAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiU2hpZnQrVGFiXCIpO1xuICAgIGZvciAoY29uc3Qga2V5IG9mIFtcIkFycm93RG93blwiLCBcIkFycm93RG93blwiLCBcIkVudGVyXCJdKSBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKGtleSk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSB6b29tXCIsIGFzeW5jICgpID0+IHBhZ2UudXJsKCkuaW5jbHVkZXMoXCJ6b29tPVwiKSk7XG4gICAgY29uc3QgY3J1bWJzID0gKCkgPT4gcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNydW1ic1wiKS5pbm5lclRleHQoKTtcbiAgICBjb25zdCBiZWZvcmUgPSBhd2FpdCBjcnVtYnMoKTtcbiAgICBhc3NlcnQubWF0Y2goYmVmb3JlLCAvbWFpblxcLm1haW4vKTtcbiAgICBjb25zdCBoYXNoID0gbmV3IFVSTChwYWdlLnVybCgpKS5oYXNoO1xuICAgIGF3YWl0IHBhZ2UuZ290byhcImFib3V0OmJsYW5rXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byh1cmwgKyBoYXNoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJ0aGUgc2FtZSB6b29tIGFuZCBzZWFyY2hcIixcbiAgICAgIGFzeW5jICgpID0+XG4gICAgICAgIChhd2FpdCBjcnVtYnMoKSkgPT09IGJlZm9yZSAmJiAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiI3NlYXJjaFwiKS5pbnB1dFZhbHVlKCkpID09PSBcImpzb25cIixcbiAgICApO1xuICB9KSk7XG5cbnRlc3QoXCJwYWdlOiBlYWNoIHByb2ZpbGUgdHlwZSBjYW4gYmUgc2VsZWN0ZWRcIiwgKCkgPT5cbiAgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGV4YW1wbGUoKSk7XG4gICAgY29uc3QgdHlwZXMgPSBwYWdlLmdldEJ5TGFiZWwoXCJQcm9maWxlIHR5cGVcIik7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChhd2FpdCB0eXBlcy5sb2NhdG9yKFwib3B0aW9uXCIpLmFsbElubmVyVGV4dHMoKSwgW1wic2FtcGxlc1wiLCBcImNwdVwiXSk7XG4gICAgYXdhaXQgdHlwZXMuc2VsZWN0T3B0aW9uKHsgbGFiZWw6IFwic2FtcGxlc1wiIH0pO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgb3RoZXIgbnVtYmVyc1wiLCBhc3luYyAoKSA9PlxuICAgICAgKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtc3VtXCIpLmlubmVyVGV4dCgpKS5zdGFydHNXaXRoKFwiNjEzIFwiKSxcbiAgICApO1xuICAgIGFzc2VydC5tYXRjaChwYWdlLnVybCgpLCAvI3R5cGU9MC8pO1xuICB9KSk7XG5cbnRlc3QoXCJwYWdlOiBhIHJvdyBtYXJrcyBpdHMgZnVuY3Rpb24gaW4gdGhlIGdyYXBoOyB0YWJsZSBvbmx5LCBncmFwaCBvbmx5XCIsICgpID0+XG4gIHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhleGFtcGxlKCkpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtbmFtZVwiLCB7IGhhc1RleHQ6IFwicnVudGltZS5tYWxsb2NnY1wiIH0pLmZpcnN0KCkuY2xpY2soKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwidHIuc2luZ2xlLXNlbGVjdGVkXCIpLmNvdW50KCksIDEpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJwYWdlLXNlbGVjdGVkXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIlNob3dcIikuc2VsZWN0T3B0aW9uKFwidGFibGVcIik7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZVwiKS5jb3VudCgpLCAwKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwicGFnZS10YWJsZVwiKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJTaG93XCIpLnNlbGVjdE9wdGlvbihcImZsYW1lXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIlJvb3RcIikuc2VsZWN0T3B0aW9uKFwiZmxhbWVcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeUxhYmVsKFwiQ29sbGFwc2VcIikuc2VsZWN0T3B0aW9uKFwiYm90aFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJsYWJlbFwiLCB7IGhhc1RleHQ6IFwiQ29sb3VyXCIgfSkubG9jYXRvcihcInNlbGVjdFwiKS5zZWxlY3RPcHRpb24oXCJraW5kXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgbGVnZW5kXCIsIGFzeW5jICgpID0+XG4gICAgICAvR28vLnRlc3QoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS5pbm5lclRleHQoKSksXG4gICAgKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwicGFnZS1mbGFtZS1raW5kXCIpO1xuICB9KSk7XG5cbnRlc3QoXCJwYWdlOiB0aGUgZ3JhcGggYXMgU1ZHIGFuZCBQTkdcIiwgKCkgPT5cbiAgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGV4YW1wbGUoKSk7XG4gICAgZm9yIChjb25zdCBbYnV0dG9uLCBuYW1lXSBvZiBbXG4gICAgICBbXCJTVkdcIiwgXCJjaGVja291dC5wYi5nei5zdmdcIl0sXG4gICAgICBbXCJQTkdcIiwgXCJjaGVja291dC5wYi5nei5wbmdcIl0sXG4gICAgXSBhcyBjb25zdCkge1xuICAgICAgY29uc3QgW2Rvd25sb2FkXSA9IGF3YWl0IFByb21pc2UuYWxsKFtcbiAgICAgICAgcGFnZS53YWl0Rm9yRXZlbnQoXCJkb3dubG9hZFwiKSxcbiAgICAgICAgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBidXR0b24gfSkuY2xpY2soKSxcbiAgICAgIF0pO1xuICAgICAgYXNzZXJ0LmVxdWFsKGRvd25sb2FkLnN1Z2dlc3RlZEZpbGVuYW1lKCksIG5hbWUpO1xuICAgIH1cbiAgfSkpO1xuXG50ZXN0KFwicGFnZTogaG9zdGlsZSBuYW1lcyBhcmUgcmVuZGVyZWQgYXMgdGV4dCwgYW5kIHRoZSBjb250ZW50IHNlY3VyaXR5IHBvbGljeSBhcHBsaWVzXCIsICgpID0+XG4gIHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIHBhZ2Uub24oXCJkaWFsb2dcIiwgKGQpID0+IHBhZ2UucGFnZUVycm9ycy5wdXNoKGBkaWFsb2c6ICR7ZC5tZXNzYWdlKCl9YCkpO1xuICAgIGNvbnN0IG5hbWVzID0gW1xuICAgICAgXCI8L3NjcmlwdD48c2NyaXB0PmFsZXJ0KDEpPC9zY3JpcHQ+XCIsXG4gICAgICBcIjwhLS08c2NyaXB0PlwiLFxuICAgICAgXCI8aW1nIHNyYz14IG9uZXJyb3I9YWxlcnQoMSk+XCIsXG4gICAgICBcIlxcdTIwMmVhYmNcIixcbiAgICAgIFwieFwiLnJlcGVhdCgxMF8yNDApLFxuICAgICAgXCJcdUQ4M0RcdUREMjVcIixcbiAgICBdO1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIHBhZ2VPZihcbiAgICAgICAgXCJob3N0aWxlXCIsXG4gICAgICAgIGZvbGRlZChcbiAgICAgICAgICBqb2luKHRlbXBvcmFyeSgpLCBcImhvc3RpbGUuZm9sZGVkXCIpLFxuICAgICAgICAgIE9iamVjdC5mcm9tRW50cmllcyhuYW1lcy5tYXAoKG5hbWUsIGkpID0+IFtgbWFpbjske25hbWV9YCwgMTAgKyBpXSkpLFxuICAgICAgICApLFxuICAgICAgKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtdGFibGUgdGJvZHkgdHJcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtdGFibGUgdGJvZHkgdHJcIikuY291bnQoKSwgbmFtZXMubGVuZ3RoICsgMSk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcImltZ1wiKS5jb3VudCgpLCAwKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwicGFnZS1ob3N0aWxlXCIpO1xuICAgIGNvbnN0IHJlZnVzZWQgPSBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+XG4gICAgICBmZXRjaChcImh0dHA6Ly8xMjcuMC4wLjE6OS9cIikudGhlbihcbiAgICAgICAgKCkgPT4gXCJzZW50XCIsXG4gICAgICAgICgpID0+IFwicmVmdXNlZFwiLFxuICAgICAgKSxcbiAgICApO1xuICAgIGFzc2VydC5lcXVhbChyZWZ1c2VkLCBcInJlZnVzZWRcIik7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcihcbiAgICAgICh0ZXh0KSA9PiAhL0NvbnRlbnQgU2VjdXJpdHkgUG9saWN5fEZhaWxlZCB0byBmZXRjaHxjb25uZWN0LXNyYy8udGVzdCh0ZXh0KSxcbiAgICApO1xuICB9KSk7XG5cbnRlc3QoXCJwYWdlOiBhIHByb2ZpbGUgd2l0aG91dCBzYW1wbGVzIGlzIHNob3duXCIsICgpID0+XG4gIHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhwYWdlT2YoXCJlbXB0eVwiLCBmb2xkZWQoam9pbih0ZW1wb3JhcnkoKSwgXCJ6ZXJvLmZvbGRlZFwiKSwgeyBcImE7YlwiOiAwIH0pKSk7XG4gICAgYXNzZXJ0Lm1hdGNoKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zaW5nbGUtc3VtXCIpLmlubmVyVGV4dCgpLCAvXjAvKTtcbiAgfSkpO1xuXG50ZXN0KFwicGFnZTogdGFibGUgYW5kIGdyYXBoIGFyZSBzaWRlIGJ5IHNpZGUgYW5kIGZpbGwgdGhlIHdpbmRvd1wiLCAoKSA9PlxuICB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oZXhhbXBsZSgpKTtcbiAgICBjb25zdCB0YWJsZSA9IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc2luZ2xlLXRvcFwiKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgY29uc3QgZ3JhcGggPSAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNpbmdsZS1mbGFtZVwiKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgYXNzZXJ0Lm9rKHRhYmxlLnggKyB0YWJsZS53aWR0aCA8IGdyYXBoLnggJiYgZ3JhcGgueCArIGdyYXBoLndpZHRoID4gMTI0MCk7XG4gICAgYXNzZXJ0Lm9rKGdyYXBoLnkgKyBncmFwaC5oZWlnaHQgPiA3NTAgJiYgZ3JhcGgueSArIGdyYXBoLmhlaWdodCA8PSA4MDApO1xuICAgIGNvbnN0IGZvb3QgPSAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWZvb3RcIikuYm91bmRpbmdCb3goKSkhO1xuICAgIGFzc2VydC5vayhmb290LnkgKyBmb290LmhlaWdodCA8PSBncmFwaC55ICsgZ3JhcGguaGVpZ2h0LCBcInRoZSBmb290IGlzIG5vdCBjdXQgb2ZmXCIpO1xuICB9KSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2Ygc3BhbnMgYW5kIHRyYWNlcywgb24gYSByZWFsIHNlcnZlci5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgZm9sZGVkLCBzY3JlZW5zaG90LCB0ZW1wb3JhcnksIHdpdGhQYWdlIH0gZnJvbSBcIi4vcGFnZXNcIjtcbmltcG9ydCB7XG4gIGtub3duU2FtcGxlcyxcbiAga25vd25TcGFucyxcbiAgbWFueVNwYW5zLFxuICByZW1vdGVTYW1wbGVzLFxuICBzZW5kU2FtcGxlcyxcbiAgc2VuZFNwYW5zLFxuICBzcGFuQnVyc3QsXG4gIHNwYW5PdGhlcixcbiAgc3BhblJlbW90ZSxcbiAgc3BhblRpY2ssXG4gIHRyYWNlQSxcbiAgdHJhY2VCLFxuICB0cmFjZU1hbnksXG59IGZyb20gXCIuL3RpbWVkX3NhbXBsZXNcIjtcbmltcG9ydCB7IFNlcnZlciB9IGZyb20gXCIuL3NlcnZlclwiO1xuXG5jb25zdCBzdGFydCA9IE1hdGguZmxvb3IoRGF0ZS5ub3coKSAvIDEwMDApICogMTAwMCAtIDYwMF8wMDA7XG5sZXQga25vd246IFByb21pc2U8U2VydmVyPiB8IG51bGwgPSBudWxsO1xuXG5mdW5jdGlvbiBzZXJ2ZXIoKTogUHJvbWlzZTxTZXJ2ZXI+IHtcbiAga25vd24gPz89IChhc3luYyAoKSA9PiB7XG4gICAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICAgIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcInRpbWVkXCIsIGtub3duU2FtcGxlcyhzdGFydCkpO1xuICAgIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcIjxiPnJlbW90ZTwvYj5cIiwgcmVtb3RlU2FtcGxlcyhzdGFydCkpO1xuICAgIHMucHVzaChmb2xkZWQoam9pbih0ZW1wb3JhcnkoKSwgXCJzdW1zLmZvbGRlZFwiKSwgeyBcIm1haW47d29ya1wiOiA1IH0pLCBcInN1bXNcIik7XG4gICAgcmV0dXJuIHM7XG4gIH0pKCk7XG4gIHJldHVybiBrbm93bjtcbn1cblxuY29uc3Qgcm93cyA9IChwYWdlOiBQYWdlKSA9PiBwYWdlLmxvY2F0b3IoXCIuc3Bhbi10YWJsZSAuZGF0YS1yb3dcIik7XG5jb25zdCBncmFwaCA9IChwYWdlOiBQYWdlLCB0ZXh0OiBzdHJpbmcpID0+XG4gIHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJGbGFtZSBncmFwaFwiXScsIHsgaGFzVGV4dDogdGV4dCB9KS5maXJzdCgpLndhaXRGb3IoKTtcbmNvbnN0IHBhcmFtID0gKHBhZ2U6IFBhZ2UsIG5hbWU6IHN0cmluZykgPT4gbmV3IFVSTChwYWdlLnVybCgpKS5zZWFyY2hQYXJhbXMuZ2V0KG5hbWUpO1xuY29uc3QgY291bnQgPSAocGFnZTogUGFnZSwgbjogbnVtYmVyKSA9PlxuICBldmVudHVhbGx5KGAke259IHNwYW5zYCwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IG4pO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMTkyMCwgMzkwXSlcbiAgICB0ZXN0KGBzcGFuczogbGlzdCBhbmQgdHJhY2UsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoXG4gICAgICAgIHsgY29sb3JTY2hlbWU6IHRoZW1lLCB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwIH0gfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXRpbWVkJnZpZXc9c3BhbnNgKTtcbiAgICAgICAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkuY2xpY2soKTtcbiAgICAgICAgICBhd2FpdCBwYWdlXG4gICAgICAgICAgICAubG9jYXRvcignW2FyaWEtbGFiZWw9XCJGbGFtZSBncmFwaFwiXSBjYW52YXM6bm90KFthcmlhLWhpZGRlbl0pJylcbiAgICAgICAgICAgIC5maXJzdCgpXG4gICAgICAgICAgICAud2FpdEZvcigpO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHNwYW5zLSR7dGhlbWV9LSR7d2lkdGh9YCk7XG4gICAgICAgICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS90cmFjZXM/bGlzdD1zcGFuc2ApO1xuICAgICAgICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoKSxcbiAgICAgICAgICAgIGZhbHNlLFxuICAgICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgICAgICAgKTtcbiAgICAgICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIGB0cmFjZXMtJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlQX1gKTtcbiAgICAgICAgICBhd2FpdCBwYWdlXG4gICAgICAgICAgICAubG9jYXRvcignW2FyaWEtbGFiZWw9XCJGbGFtZSBncmFwaFwiXSBjYW52YXM6bm90KFthcmlhLWhpZGRlbl0pJylcbiAgICAgICAgICAgIC5maXJzdCgpXG4gICAgICAgICAgICAud2FpdEZvcigpO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHRyYWNlLSR7dGhlbWV9LSR7d2lkdGh9YCk7XG4gICAgICAgIH0sXG4gICAgICApO1xuICAgIH0pO1xuXG50ZXN0KFwic3BhbnM6IHNwYW5zIGFyZSBzb3J0ZWQgYnkgY29zdCwgYW5kIGVhY2ggaGFzIGEgZmxhbWUgZ3JhcGhcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9dGltZWQmdmlldz1zcGFuc2ApO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDMpO1xuICAgIGNvbnN0IGZpcnN0ID0gKGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS50ZXh0Q29udGVudCgpKSA/PyBcIlwiO1xuICAgIGFzc2VydC5tYXRjaChmaXJzdCwgL14xMDAgbXM2NlxcLjclMTAvKTtcbiAgICBhc3NlcnQubWF0Y2goXG4gICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRhYmxlLWZvb3RcIikuZmlyc3QoKS50ZXh0Q29udGVudCgpKSA/PyBcIlwiLFxuICAgICAgLzMgc3BhbnM7IDkzXFwuMyUgb2YgdGhlIHRocmVhZCB0aW1lIGlzIGluIHNwYW5zLyxcbiAgICApO1xuICAgIGF3YWl0IHJvd3MocGFnZSkubnRoKDEpLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnN1bW1hcnkgc3Ryb25nXCIsIHsgaGFzVGV4dDogXCIzMC4wIG1zXCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcInNwYW5cIiksIHNwYW5CdXJzdCk7XG4gICAgYXdhaXQgY291bnQocGFnZSwgMyk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIldob2xlIHRyYWNlXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIiwgeyBoYXNUZXh0OiBcIjEzMCBtc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJ0cmFjZVwiKSwgdHJhY2VBKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCAyKTtcbiAgICBhd2FpdCBwYWdlLmdvQmFjaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiVHJhY2UgaW4gYWxsIHNlcnZpY2VzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCAzKTsgLy8gaW5jbHVkaW5nIHRoZSBvdGhlciBzZXJ2aWNlJ3NcbiAgICBhc3NlcnQuZXF1YWwobmV3IFVSTChwYWdlLnVybCgpKS5wYXRobmFtZSwgXCIvdHJhY2VzXCIpO1xuICB9KTtcbn0pO1xuXG5sZXQgdHJhY2VkOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxuLy8gU3RhcnQgYSBzZXJ2ZXIgd2l0aCB0aGUgc2FtZSBzYW1wbGVzIGFuZCB0aGUgc3BhbnMgb2YgdGhlIGZpcnN0IHRyYWNlLlxuZnVuY3Rpb24gdHJhY2VkU2VydmVyKCk6IFByb21pc2U8U2VydmVyPiB7XG4gIHRyYWNlZCA/Pz0gKGFzeW5jICgpID0+IHtcbiAgICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gICAgYXdhaXQgc2VuZFNhbXBsZXMocy51cmwsIFwidGltZWRcIiwga25vd25TYW1wbGVzKHN0YXJ0KSk7XG4gICAgYXdhaXQgc2VuZFNhbXBsZXMocy51cmwsIFwiPGI+cmVtb3RlPC9iPlwiLCByZW1vdGVTYW1wbGVzKHN0YXJ0KSk7XG4gICAgYXdhaXQgc2VuZFNwYW5zKHMudXJsLCBzdGFydCwga25vd25TcGFucyk7XG4gICAgcmV0dXJuIHM7XG4gIH0pKCk7XG4gIHJldHVybiB0cmFjZWQ7XG59XG5cbmNvbnN0IGNlbGxzID0gYXN5bmMgKHBhZ2U6IFBhZ2UsIGk6IG51bWJlcikgPT5cbiAgKGF3YWl0IHJvd3MocGFnZSkubnRoKGkpLmxvY2F0b3IoXCJbcm9sZT1ncmlkY2VsbF1cIikuYWxsVGV4dENvbnRlbnRzKCkpLm1hcCgodCkgPT4gdC50cmltKCkpO1xuXG50ZXN0KFwidHJhY2VzOiBhIHRyYWNlIGlzIGEgdHJlZSB3aXRoIHRpbWVzLCBhbmQgdGhlIGNvc3Qgb2YgZWFjaCBzcGFuIHdpdGggYW5kIHdpdGhvdXQgY2hpbGRyZW5cIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgdHJhY2VkU2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2VBfWApO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDQpO1xuICAgIGNvbnN0IHNob3duID0gYXdhaXQgUHJvbWlzZS5hbGwoWzAsIDEsIDIsIDNdLm1hcCgoaSkgPT4gY2VsbHMocGFnZSwgaSkpKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKFxuICAgICAgc2hvd24ubWFwKChbbmFtZSwgLCAuLi5udW1iZXJzXSkgPT4gW25hbWUsIC4uLm51bWJlcnNdKSxcbiAgICAgIFtcbiAgICAgICAgW1wiXHUyNUJFR0VUIC9jaGVja291dCB0aW1lZFwiLCBcIjkuNTAgc1wiLCBcIjkuMTYgc1wiLCBcIjEwMCBtc1wiLCBcIjE1MCBtc1wiXSxcbiAgICAgICAgW1wiXHUyNUJFcmVuZGVyIDxiPnJlY2VpcHQ8L2I+IHRpbWVkXCIsIFwiMzAwIG1zXCIsIFwiMjAwIG1zXCIsIFwiMzAuMCBtc1wiLCBcIjUwLjAgbXNcIl0sXG4gICAgICAgIFtcIlNFTEVDVCBwcmljZXMgPGI+cmVtb3RlPC9iPlwiLCBcIjEwMCBtc1wiLCBcIjEwMCBtc1wiLCBcIjIwLjAgbXNcIiwgXCIyMC4wIG1zXCJdLFxuICAgICAgICBbXCJlcnJvcmNoYXJnZSA8Yj5yZW1vdGU8L2I+XCIsIFwiNDAuMCBtc1wiLCBcIjQwLjAgbXNcIiwgXCJcdTIwMTNcIiwgXCJcdTIwMTNcIl0sXG4gICAgICBdLFxuICAgICk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChcbiAgICAgIGF3YWl0IFByb21pc2UuYWxsKFswLCAxLCAyLCAzXS5tYXAoKGkpID0+IHJvd3MocGFnZSkubnRoKGkpLmdldEF0dHJpYnV0ZShcImFyaWEtbGV2ZWxcIikpKSxcbiAgICAgIFtcIjFcIiwgXCIyXCIsIFwiM1wiLCBcIjJcIl0sXG4gICAgKTtcbiAgICBjb25zdCBib3hlcyA9IGF3YWl0IFByb21pc2UuYWxsKFxuICAgICAgWzAsIDFdLm1hcChhc3luYyAoaSkgPT4gKGF3YWl0IHJvd3MocGFnZSkubnRoKGkpLmxvY2F0b3IoXCIuZmFsbCA+IGlcIikuYm91bmRpbmdCb3goKSkhKSxcbiAgICApO1xuICAgIGFzc2VydC5vayhcbiAgICAgIE1hdGguYWJzKChib3hlc1sxXS54IC0gYm94ZXNbMF0ueCkgLyBib3hlc1swXS53aWR0aCAtIDU0MDAgLyA5NTAwKSA8IDAuMDIsXG4gICAgICBcImEgYmFyIGJlZ2lucyBhdCB0aGUgc3RhcnQgb2YgaXRzIHNwYW5cIixcbiAgICApO1xuICAgIGFzc2VydC5vayhcbiAgICAgIE1hdGguYWJzKGJveGVzWzFdLndpZHRoIC8gYm94ZXNbMF0ud2lkdGggLSAzMDAgLyA5NTAwKSA8IDAuMDIsXG4gICAgICBcImEgYmFyIGhhcyB0aGUgbGVuZ3RoIG9mIGl0cyBzcGFuXCIsXG4gICAgKTtcbiAgICBhd2FpdCBncmFwaChwYWdlLCBcIjE1MCBtc1wiKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlczogdGhlIHNjb3BlIChzcGFuLCB3aXRoIGNoaWxkcmVuLCB3aG9sZSB0cmFjZSkgaXMgaW4gdGhlIGFkZHJlc3NcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgdHJhY2VkU2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2VBfWApO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDQpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkubnRoKDEpLmNsaWNrKCk7XG4gICAgYXdhaXQgZ3JhcGgocGFnZSwgXCIzMC4wIG1zXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJXaXRoIGNoaWxkcmVuXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBncmFwaChwYWdlLCBcIjUwLjAgbXNcIik7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwiY2hpbGRyZW5cIiksIFwiMVwiKTtcbiAgICBhd2FpdCBwYWdlLnJlbG9hZCgpO1xuICAgIGF3YWl0IGdyYXBoKHBhZ2UsIFwiNTAuMCBtc1wiKTtcbiAgICBjb25zdCBzaG93biA9IChhd2FpdCAoXG4gICAgICBhd2FpdCBmZXRjaChgJHtzLnVybH0vYXBpL3YxL2ZsYW1lP3NwYW49JHtzcGFuQnVyc3R9JmNoaWxkcmVuPTFgKVxuICAgICkuanNvbigpKSBhcyB7XG4gICAgICB0b3RhbDogbnVtYmVyO1xuICAgIH07XG4gICAgYXNzZXJ0LmVxdWFsKHNob3duLnRvdGFsLCA1MF8wMDBfMDAwKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwidHJhY2UtY2hpbGRyZW5cIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcImtcIik7XG4gICAgYXdhaXQgZ3JhcGgocGFnZSwgXCIzMC4wIG1zXCIpO1xuICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcImNoaWxkcmVuXCIpLCBudWxsKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiV2hvbGUgdHJhY2VcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IGdyYXBoKHBhZ2UsIFwiMTUwIG1zXCIpO1xuICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcInNwYW5cIiksIG51bGwpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2VzOiBmaWx0ZXJzIG9mIHByb2ZpbGVzIGRvIG5vdCBhcHBseSB0byB0cmFjZXMsIGFuZCBmaWx0ZXJzIG9mIHRyYWNlcyBhcmUgcmVtb3ZhYmxlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHRyYWNlZFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oXG4gICAgICBgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9dGltZWQmdmlldz1zcGFucyZ0cmFjZT0ke3RyYWNlQX0mc3Bhbj0ke3NwYW5CdXJzdH0mZm9jdXM9bm90aGluZ19oYXNfdGhpcyZzZWFyY2g9enp6YCxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiVHJhY2UgaW4gYWxsIHNlcnZpY2VzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCA0KTtcbiAgICBhd2FpdCBncmFwaChwYWdlLCBcIjE1MCBtc1wiKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJmb2N1c1wiKSwgbnVsbCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwic2VhcmNoXCIpLCBudWxsKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlQX0mZm9jdXM9bm90aGluZ19oYXNfdGhpc2ApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5jaGlwXCIsIHsgaGFzVGV4dDogXCJGb2N1czogbm90aGluZ19oYXNfdGhpc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudGFibGUtZm9vdFwiLCB7IGhhc1RleHQ6IFwibm8gc2FtcGxlcyBtYXRjaCB0aGUgZmlsdGVyc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiUmVtb3ZlIEZvY3VzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBncmFwaChwYWdlLCBcIjE1MCBtc1wiKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXRpbWVkJnZpZXc9aGVhdCZzcGFuPSR7c3BhbkJ1cnN0fWApO1xuICAgIC8vIHRoZSBzcGFuIGFsc28gZmlsdGVycyB0aGUgaGVhdCBtYXBcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuY2hpcFwiLCB7IGhhc1RleHQ6IFwiU3BhblwiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlczogYW4gaW52YWxpZCBJRCBpcyByZXBvcnRlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCB0cmFjZWRTZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS90cmFjZXM/dHJhY2U9eHl6YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJJbnZhbGlkIHRyYWNlIElEXCIgfSkud2FpdEZvcigpO1xuICAgIHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGMpID0+ICEvc3RhdHVzIG9mIDQwMC8udGVzdChjKSk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZXM6IHdpdGhvdXQgdGhlIHNwYW5zIG9mIGEgdHJhY2UgY2hpbGRyZW4gYXJlIHVua25vd24sIGFuZCBhIG5vdGUgZXhwbGFpbnMgaXRcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgdHJhY2VkU2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2VCfSZzcGFuPSR7c3Bhbk90aGVyfWApO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDEpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiV2l0aCBjaGlsZHJlblwiIH0pLmlzRGlzYWJsZWQoKSwgdHJ1ZSk7XG4gICAgYXdhaXQgcGFnZVxuICAgICAgLmxvY2F0b3IoXCIuc3Bhbi1oZWFkXCIsIHtcbiAgICAgICAgaGFzVGV4dDogXCJ0aGlzIHNlcnZlciBoYXMgbm8gc3BhbnMgb2YgdGhpcyB0cmFjZS4gU2VuZCB0cmFjZXMgdG8gaXQgYXMgd2VsbFwiLFxuICAgICAgfSlcbiAgICAgIC53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZUJ9JnNwYW49JHtzcGFuT3RoZXJ9JmNoaWxkcmVuPTFgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluXCIsIHsgaGFzVGV4dDogXCJubyBzcGFucyBvZiB0aGlzIHRyYWNlIGFyZSBzdG9yZWRcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJzcGFuczogbmFtZXMgYXJlIHNob3duIGlmIGtub3duLCBhbmQgb3RoZXIgdmlld3MgYWNjZXB0IGEgc3BhbiB3aXRoIGl0cyBjaGlsZHJlblwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCB0cmFjZWRTZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT10aW1lZCZ2aWV3PXNwYW5zYCk7XG4gICAgYXdhaXQgY291bnQocGFnZSwgMyk7XG4gICAgYXNzZXJ0Lm1hdGNoKFxuICAgICAgKGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS50ZXh0Q29udGVudCgpKSEsXG4gICAgICAvXkdFVCBcXC9jaGVja291dCBiN2FkNmI3MVx1MjAyNjEwMCBtczEzMCBtcy8sXG4gICAgKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwic3BhbnMtbmFtZWRcIik7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9zcGFuPSR7c3BhblRpY2t9JmNoaWxkcmVuPTEmdmlldz10YWJsZWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5IHN0cm9uZ1wiLCB7IGhhc1RleHQ6IFwiMTUwIG1zXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zcGFuLWhlYWRcIiwgeyBoYXNUZXh0OiBcIndpdGggY2hpbGRyZW5cIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGF0YS10YWJsZVwiKS50ZXh0Q29udGVudCgpKSEsIC9yZW1vdGUvKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlczogc3BhbnMgY29sbGFwc2UgYW5kIGV4cGFuZCwgYnkgY2xpY2sgYW5kIGJ5IGtleWJvYXJkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHRyYWNlZFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlQX1gKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCA0KTtcbiAgICBjb25zdCBleHBhbmRlZCA9ICgpID0+XG4gICAgICBQcm9taXNlLmFsbChbMCwgMV0ubWFwKChpKSA9PiByb3dzKHBhZ2UpLm50aChpKS5nZXRBdHRyaWJ1dGUoXCJhcmlhLWV4cGFuZGVkXCIpKSk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChhd2FpdCBleHBhbmRlZCgpLCBbXCJ0cnVlXCIsIFwidHJ1ZVwiXSk7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcm93cyhwYWdlKS5udGgoMikuZ2V0QXR0cmlidXRlKFwiYXJpYS1leHBhbmRlZFwiKSxcbiAgICAgIG51bGwsXG4gICAgICBcImEgbGVhZiBjYW5ub3QgYmUgZXhwYW5kZWRcIixcbiAgICApO1xuICAgIGF3YWl0IHJvd3MocGFnZSkubnRoKDEpLmxvY2F0b3IoXCIudHJlZS10b2dnbGVcIikuY2xpY2soKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCAzKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IGV4cGFuZGVkKCksIFtcInRydWVcIiwgXCJmYWxzZVwiXSk7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCByb3dzKHBhZ2UpLm50aCgxKS50ZXh0Q29udGVudCgpKSEsIC9cXCsxLyk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwic3BhblwiKSwgbnVsbCwgXCJjb2xsYXBzaW5nIGRvZXMgbm90IHNlbGVjdFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJbcm9sZT10cmVlZ3JpZF1cIikuZm9jdXMoKTtcbiAgICBjb25zdCBwcmVzcyA9IGFzeW5jIChrZXk6IHN0cmluZywgc3BhbnM6IG51bWJlciwgc3Bhbjogc3RyaW5nIHwgbnVsbCkgPT4ge1xuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xuICAgICAgYXdhaXQgY291bnQocGFnZSwgc3BhbnMpO1xuICAgICAgYXdhaXQgZXZlbnR1YWxseShgJHtrZXl9IGxlYWRzIHRvICR7c3Bhbn1gLCBhc3luYyAoKSA9PiBwYXJhbShwYWdlLCBcInNwYW5cIikgPT09IHNwYW4pO1xuICAgIH07XG4gICAgYXdhaXQgcHJlc3MoXCJBcnJvd0Rvd25cIiwgMywgc3BhblRpY2spO1xuICAgIGF3YWl0IHByZXNzKFwiQXJyb3dEb3duXCIsIDMsIHNwYW5CdXJzdCk7XG4gICAgYXdhaXQgcHJlc3MoXCJBcnJvd1JpZ2h0XCIsIDQsIHNwYW5CdXJzdCk7XG4gICAgYXdhaXQgcHJlc3MoXCJBcnJvd1JpZ2h0XCIsIDQsIHNwYW5SZW1vdGUpO1xuICAgIGF3YWl0IHByZXNzKFwiQXJyb3dSaWdodFwiLCA0LCBzcGFuUmVtb3RlKTsgLy8gbm8gY2hpbGRyZW5cbiAgICBhd2FpdCBwcmVzcyhcIkFycm93TGVmdFwiLCA0LCBzcGFuQnVyc3QpO1xuICAgIGF3YWl0IHByZXNzKFwiQXJyb3dMZWZ0XCIsIDMsIHNwYW5CdXJzdCk7XG4gICAgYXdhaXQgcHJlc3MoXCJBcnJvd0xlZnRcIiwgMywgc3BhblRpY2spO1xuICAgIGF3YWl0IHByZXNzKFwiQXJyb3dMZWZ0XCIsIDEsIHNwYW5UaWNrKTtcbiAgICBhd2FpdCBwcmVzcyhcIkFycm93VXBcIiwgMSwgc3BhblRpY2spOyAvLyB0aGUgZmlyc3Qgcm93IHN0YXlzIHNlbGVjdGVkXG4gICAgYXdhaXQgcHJlc3MoXCIgXCIsIDMsIHNwYW5UaWNrKTtcbiAgICBhd2FpdCBwcmVzcyhcIitcIiwgNCwgc3BhblRpY2spO1xuICAgIGF3YWl0IHByZXNzKFwiLVwiLCAxLCBzcGFuVGljayk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZXM6IHNwYW5zIG9mIGEgbG9uZyB0cmFjZSB0aGF0IGFyZSBub3QgbGlzdGVkIGFyZSBjb3VudGVkLCBhbmQgb25lIGNsaWNrIGxpc3RzIHRoZW1cIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgdHJhY2VkU2VydmVyKCk7XG4gIGF3YWl0IHNlbmRTcGFucyhzLnVybCwgc3RhcnQsIG1hbnlTcGFucygyNTAxKSwgdHJhY2VNYW55KTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZU1hbnl9YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRhYmxlLWZvb3RcIiwgeyBoYXNUZXh0OiBcIjEsNTAxIG1vcmUgc3BhbnNcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkudGV4dENvbnRlbnQoKSkhLCAvXlx1MjVCRWNhbGwgMC8sIFwidGhlIHJvb3Qgc3BhbiBpcyBsaXN0ZWRcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkxpc3QgYWxsXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudGFibGUtZm9vdFwiLCB7IGhhc1RleHQ6IFwiMiw1MDEgc3BhbnM7IG5vIHNhbXBsZXNcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwibW9zdFwiKSwgXCIxMDAwMFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJbcm9sZT10cmVlZ3JpZF1cIikuZm9jdXMoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiLVwiKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCAxKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlczogYXQgMzkwIHBpeGVscyBhIHNwYW4ncyBuYW1lLCB0aW1lIGFuZCBjb3N0cyBhcmUgdmlzaWJsZSB3aXRob3V0IGhvcml6b250YWwgc2Nyb2xsaW5nXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHRyYWNlZFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7IHZpZXdwb3J0OiB7IHdpZHRoOiAzOTAsIGhlaWdodDogODQ0IH0gfSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlQX1gKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCA0KTtcbiAgICBmb3IgKGNvbnN0IHRleHQgb2YgW1wiR0VUIC9jaGVja291dFwiLCBcIjkuNTAgc1wiLCBcIjEwMCBtc1wiLCBcIjE1MCBtc1wiXSkge1xuICAgICAgY29uc3QgYm94ID0gKGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS5nZXRCeVRleHQodGV4dCkuZmlyc3QoKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgICBhc3NlcnQub2soYm94LnggPj0gMCAmJiBib3gueCArIGJveC53aWR0aCA8PSAzOTAgJiYgYm94LndpZHRoID4gMzAsIGAke3RleHR9IGlzIHZpc2libGVgKTtcbiAgICB9XG4gICAgY29uc3QgYmFyID0gKGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS5sb2NhdG9yKFwiLmZhbGwgPiBpXCIpLmJvdW5kaW5nQm94KCkpITtcbiAgICBhc3NlcnQub2soYmFyLndpZHRoID4gMTAwICYmIGJhci54ICsgYmFyLndpZHRoIDw9IDM5MCwgXCJ0aGUgYmFyIGZpdHNcIik7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PlxuICAgICAgICBbLi4uZG9jdW1lbnQucXVlcnlTZWxlY3RvckFsbChcIi5kYXRhLXRhYmxlXCIpXS5zb21lKCh0KSA9PiB0LnNjcm9sbFdpZHRoID4gdC5jbGllbnRXaWR0aCksXG4gICAgICApLFxuICAgICAgZmFsc2UsXG4gICAgICBcIm5vIHRhYmxlIHNjcm9sbHMgc2lkZXdheXNcIixcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP2xpc3Q9c3BhbnNgKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT5cbiAgICAgICAgWy4uLmRvY3VtZW50LnF1ZXJ5U2VsZWN0b3JBbGwoXCIuZGF0YS10YWJsZVwiKV0uc29tZSgodCkgPT4gdC5zY3JvbGxXaWR0aCA+IHQuY2xpZW50V2lkdGgpLFxuICAgICAgKSxcbiAgICAgIGZhbHNlLFxuICAgICAgXCJ0aGUgbGlzdCBkb2VzIG5vdCBzY3JvbGwgc2lkZXdheXNcIixcbiAgICApO1xuICB9KTtcbn0pO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMTkyMCwgMzkwXSlcbiAgICB0ZXN0KGB0cmFjZXM6IHRoZSB0cmVlIG9mIGEgdHJhY2UsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IHRyYWNlZFNlcnZlcigpO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoXG4gICAgICAgIHsgY29sb3JTY2hlbWU6IHRoZW1lLCB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwIH0gfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlQX0mc3Bhbj0ke3NwYW5CdXJzdH0mY2hpbGRyZW49MWApO1xuICAgICAgICAgIGF3YWl0IGNvdW50KHBhZ2UsIDQpO1xuICAgICAgICAgIGF3YWl0IGdyYXBoKHBhZ2UsIFwiNTAuMCBtc1wiKTtcbiAgICAgICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IGRvY3VtZW50LmRvY3VtZW50RWxlbWVudC5zY3JvbGxXaWR0aCA+IGlubmVyV2lkdGgpLFxuICAgICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgICBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIixcbiAgICAgICAgICApO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHRyYWNlLXRyZWUtJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgICAgfSxcbiAgICAgICk7XG4gICAgfSk7XG5cbnRlc3QoXCJzcGFuczogc2FtcGxlcyB3aXRob3V0IHNwYW5zIGFyZSByZXBvcnRlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zdW1zJnZpZXc9c3BhbnNgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZW1wdHlcIiwgeyBoYXNUZXh0OiBcIlRoZXNlIHNhbXBsZXMgaGF2ZSBubyBzcGFuc1wiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlczogdGhlIG1vc3QgZXhwZW5zaXZlIHNwYW5zIG9mIGFsbCBzZXJ2aWNlcywgYW5kIG9uZSBjbGljayBvcGVucyB0aGUgdHJhY2VcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP2xpc3Q9c3BhbnNgKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCA0KTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluXCIsIHsgaGFzVGV4dDogXCIvdjEvdHJhY2VzXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS5jbGljaygpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXG4gICAgICBcInRoZSB0cmFjZSBpbiB0aGUgYWRkcmVzc1wiLFxuICAgICAgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgXCJ0cmFjZVwiKSA9PT0gdHJhY2VBICYmIHBhcmFtKHBhZ2UsIFwic3BhblwiKSA9PT0gc3BhblRpY2ssXG4gICAgKTtcbiAgICBhd2FpdCBjb3VudChwYWdlLCAzKTtcbiAgICBhd2FpdCBncmFwaChwYWdlLCBcIjEwMCBtc1wiKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNwYW4tdGFibGUgYlwiKS5jb3VudCgpLCAwLCBcIm5hbWVzIGFyZSByZW5kZXJlZCBhcyB0ZXh0XCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJ1XCIpO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDQpO1xuICB9KTtcbn0pO1xuXG5mb3IgKGNvbnN0IFt3aGF0LCBwYXN0ZWRdIG9mIFtcbiAgW1wiYW4gaWQgd2l0aCBkYXNoZXNcIiwgXCIwQUY3NjUxOS0xNmNkLTQzZGQtODQ0OC1lYjIxMWM4MDMxOWNcIl0sXG4gIFtcImEgdHJhY2VwYXJlbnQgaGVhZGVyXCIsIGB0cmFjZXBhcmVudDogMDAtJHt0cmFjZUF9LSR7c3BhbkJ1cnN0fS0wMWBdLFxuXSBhcyBjb25zdClcbiAgdGVzdChgdHJhY2VzOiAke3doYXR9IGlzIG9wZW5lZCBieSBrZXlib2FyZCBvbmx5YCwgYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzYCk7XG4gICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIjc2VhcmNoXCIpLndhaXRGb3IoKTtcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCIvXCIpO1xuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC50eXBlKHBhc3RlZCk7XG4gICAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgICBhd2FpdCBjb3VudChwYWdlLCAzKTtcbiAgICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcInRyYWNlXCIpLCB0cmFjZUEpO1xuICAgICAgaWYgKHdoYXQuaW5jbHVkZXMoXCJoZWFkZXJcIikpIHtcbiAgICAgICAgYXdhaXQgZ3JhcGgocGFnZSwgXCIzMC4wIG1zXCIpO1xuICAgICAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiV2hvbGUgdHJhY2VcIiB9KS5wcmVzcyhcIkVudGVyXCIpO1xuICAgICAgfVxuICAgICAgYXdhaXQgZ3JhcGgocGFnZSwgXCIxNTAgbXNcIik7XG4gICAgfSk7XG4gIH0pO1xuXG50ZXN0KFwidHJhY2VzOiBhIG1pc3NpbmcgdHJhY2UgY2FuIGJlIHNlYXJjaGVkIGluIGEgbG9uZ2VyIHJhbmdlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3RyYWNlcz90cmFjZT0ke1wiMVwiLnJlcGVhdCgzMil9YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJUcmFjZSBub3QgZm91bmRcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlNlYXJjaCB0aGUgbGFzdCAzMCBkYXlzXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIHJhbmdlXCIsIGFzeW5jICgpID0+IHBhcmFtKHBhZ2UsIFwiZnJvbVwiKSA9PT0gXCJub3ctMzBkXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2VCfWApO1xuICAgIGF3YWl0IGNvdW50KHBhZ2UsIDEpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwiZGFzaGJvYXJkczogdGhlIGFkZHJlc3Mgc2hvd3MgYSBwbGFjZWhvbGRlclwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9kYXNoYm9hcmRzYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJEYXNoYm9hcmRzIGFyZSBub3QgYXZhaWxhYmxlIHlldFwiIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwibmF2IGFcIiwgeyBoYXNUZXh0OiBcIkRhc2hib2FyZHNcIiB9KS5jb3VudCgpLCAwKTtcbiAgfSk7XG59KTtcblxudGVzdChcInNwYW5zOiB2YWx1ZXMgYXJlIHRocmVhZCB0aW1lLCBhbmQgYSB2YWx1ZSBiZXlvbmQgdGhlIGR1cmF0aW9uIGlzIG1hcmtlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgdHJhY2UgPSBcIjc3Nzc2NTE5MTZjZDQzZGQ4NDQ4ZWIyMTFjODAzMTk5XCI7XG4gIGNvbnN0IFtidXN5LCBjbG9zZV0gPSBbXCI3NzAwMDAwMDAwMDAwMDAxXCIsIFwiNzcwMDAwMDAwMDAwMDAwMlwiXTtcbiAgY29uc3Qgc2FtcGxlcyA9IChuOiBudW1iZXIsIHNwYW46IHN0cmluZykgPT5cbiAgICBBcnJheS5mcm9tKHsgbGVuZ3RoOiBuIH0sIChfLCBpKSA9PiAoeyB0aW1lOiBzdGFydCArIGksIHN0YWNrOiBcIm1haW47d29ya1wiLCB0cmFjZSwgc3BhbiB9KSk7XG4gIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcInRocmVhZHNcIiwgWy4uLnNhbXBsZXMoMTIsIGJ1c3kpLCAuLi5zYW1wbGVzKDQsIGNsb3NlKV0pO1xuICBhd2FpdCBzZW5kU3BhbnMoXG4gICAgcy51cmwsXG4gICAgc3RhcnQsXG4gICAgW1xuICAgICAgeyBzZXJ2aWNlOiBcInRocmVhZHNcIiwgaWQ6IGJ1c3ksIHBhcmVudDogXCJcIiwgbmFtZTogXCJidXN5XCIsIGZyb206IDAsIG1zOiA2MCB9LFxuICAgICAgeyBzZXJ2aWNlOiBcInRocmVhZHNcIiwgaWQ6IGNsb3NlLCBwYXJlbnQ6IGJ1c3ksIG5hbWU6IFwiY2xvc2VcIiwgZnJvbTogMCwgbXM6IDM1IH0sXG4gICAgXSxcbiAgICB0cmFjZSxcbiAgKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZX1gKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIucGFuZS1oZWFkXCIsIHsgaGFzVGV4dDogXCIodGhyZWFkIHRpbWUpXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50YWJsZS1mb290XCIsIHsgaGFzVGV4dDogXCIxNjAgbXMgb2YgdGhyZWFkIHRpbWUgaW4gYWxsXCIgfSkud2FpdEZvcigpO1xuICAgIGNvbnN0IG1hcmtlZCA9IHBhZ2UubG9jYXRvcihcIi5zcGFuLXRhYmxlIC5kYXRhLXJvdyBzcGFuW3RpdGxlXVwiLCB7IGhhc1RleHQ6IFwiXHUyMjQ4XCIgfSk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwibWFya3Mgb2YgYm90aCBzcGFucywgaW4gYm90aCBjb2x1bW5zXCIsXG4gICAgICBhc3luYyAoKSA9PiAoYXdhaXQgbWFya2VkLmNvdW50KCkpID09PSA0LFxuICAgICk7XG4gICAgY29uc3QgdGl0bGVzID0gYXdhaXQgbWFya2VkLmV2YWx1YXRlQWxsKChhbGwpID0+XG4gICAgICBhbGwubWFwKChvbmUpID0+IGAke29uZS50ZXh0Q29udGVudH06ICR7b25lLmdldEF0dHJpYnV0ZShcInRpdGxlXCIpfWApLFxuICAgICk7XG4gICAgYXNzZXJ0Lm9rKFxuICAgICAgdGl0bGVzLnNvbWUoKHQpID0+IC9eXHUyMjQ4IDEyMCBtczogTW9yZSB0aGFuIHRoZSBkdXJhdGlvbjogc2V2ZXJhbCB0aHJlYWRzLy50ZXN0KHQpKSxcbiAgICAgIHRpdGxlcy5qb2luKFwiXFxuXCIpLFxuICAgICk7XG4gICAgYXNzZXJ0Lm9rKFxuICAgICAgdGl0bGVzLnNvbWUoKHQpID0+IC9eXHUyMjQ4IDQwXFwuMCBtczogRXN0aW1hdGU6IC4qc2FtcGxpbmcgZXJyb3IvLnRlc3QodCkpLFxuICAgICAgdGl0bGVzLmpvaW4oXCJcXG5cIiksXG4gICAgKTtcbiAgICBhc3NlcnQub2soXG4gICAgICB0aXRsZXMuc29tZSgodCkgPT5cbiAgICAgICAgL15cdTIyNDggMTYwIG1zOiBNb3JlIHRoYW4gdGhlIGR1cmF0aW9uOiBzZXZlcmFsIHRocmVhZHMsIG9yIGNoaWxkIHNwYW5zLy50ZXN0KHQpLFxuICAgICAgKSxcbiAgICAgIHRpdGxlcy5qb2luKFwiXFxuXCIpLFxuICAgICk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInNwYW5zLXRocmVhZC10aW1lXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2V9JmZvY3VzPXdvcmtgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIucGFuZS1oZWFkXCIsIHsgaGFzVGV4dDogXCIxNjAgbXMgQ1BVXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2V9JmZvY3VzPW5vdGhpbmdfbGlrZV90aGlzYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnBhbmUtaGVhZFwiLCB7IGhhc1RleHQ6IFwiMCBucyBvZiAxNjAgbXNcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2YgdGhlIHN0YXR1cyB2aWV3OiBhIHNlcnZlciB3aXRob3V0IGRhdGEsIHdpdGggc2VuZGVycywgd2l0aCByZWZ1c2Fscywgc3RvcHBlZCBhbmRcbi8vIHJlc3RhcnRlZC5cbmltcG9ydCBhc3NlcnQgZnJvbSBcIm5vZGU6YXNzZXJ0L3N0cmljdFwiO1xuaW1wb3J0IHsgam9pbiB9IGZyb20gXCJub2RlOnBhdGhcIjtcbmltcG9ydCB7IHRlc3QgfSBmcm9tIFwiLi4vdGFwXCI7XG5pbXBvcnQgeyBldmVudHVhbGx5LCBmb2xkZWQsIHNjcmVlbnNob3QsIHRlbXBvcmFyeSwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuaW1wb3J0IHsga25vd25TYW1wbGVzLCBzZW5kU2FtcGxlcyB9IGZyb20gXCIuL3RpbWVkX3NhbXBsZXNcIjtcbmltcG9ydCB7IFNlcnZlciB9IGZyb20gXCIuL3NlcnZlclwiO1xuXG5jb25zdCBzdGFydCA9IE1hdGguZmxvb3IoRGF0ZS5ub3coKSAvIDEwMDApICogMTAwMCAtIDYwXzAwMDtcblxuYXN5bmMgZnVuY3Rpb24gYnVzeSgpOiBQcm9taXNlPFNlcnZlcj4ge1xuICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcInRpbWVkXCIsIGtub3duU2FtcGxlcyhzdGFydCkpO1xuICBhd2FpdCBmZXRjaChgJHtzLnVybH0vaW5nZXN0P25hbWU9ZXZpbGAsIHsgbWV0aG9kOiBcIlBPU1RcIiwgYm9keTogQnVmZmVyLmZyb20oWzB4ZmYsIDB4MDBdKSB9KTtcbiAgcmV0dXJuIHM7XG59XG5cbnRlc3QoXCJzdGF0dXM6IGEgc2VydmVyIHdpdGhvdXQgZGF0YSBzaG93cyBob3cgdG8gc2VuZCBkYXRhXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIoKS5zdGFydCgpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3N0YXR1c2ApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5yZWNpcGVcIiwgeyBoYXNUZXh0OiBcInZhcnZlIGRlbW9cIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmNhcmRcIiwgeyBoYXNUZXh0OiBcIlZlcnNpb25cIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInN0YXR1cy1lbXB0eVwiKTtcbiAgICAvLyBOZXcgZGF0YSBhcHBlYXJzIHdpdGhvdXQgYSByZWxvYWQuXG4gICAgcy5wdXNoKGZvbGRlZChqb2luKHRlbXBvcmFyeSgpLCBcInNtYWxsLmZvbGRlZFwiKSwgeyBcIm1haW47d29ya1wiOiA3IH0pLCBcInNtYWxsXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJnXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJSZWNlaXZlcnNcIl0nKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnJlY2lwZVwiKS5jb3VudCgpLCAwKTtcbiAgfSk7XG59KTtcblxuZm9yIChjb25zdCB0aGVtZSBvZiBbXCJsaWdodFwiLCBcImRhcmtcIl0gYXMgY29uc3QpXG4gIGZvciAoY29uc3Qgd2lkdGggb2YgWzEyODAsIDE5MjAsIDM5MF0pXG4gICAgdGVzdChgc3RhdHVzOiBzZW5kZXJzIGFuZCByZWNlaXZlcnMsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IGJ1c3koKTtcbiAgICAgIGF3YWl0IHdpdGhQYWdlKFxuICAgICAgICB7IGNvbG9yU2NoZW1lOiB0aGVtZSwgdmlld3BvcnQ6IHsgd2lkdGgsIGhlaWdodDogd2lkdGggPT09IDM5MCA/IDg0NCA6IDkwMCB9IH0sXG4gICAgICAgIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICAgICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9zdGF0dXNgKTtcbiAgICAgICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiU2VuZGVyc1wiXSB0ZCcsIHsgaGFzVGV4dDogXCJPVExQL0hUVFBcIiB9KS53YWl0Rm9yKCk7XG4gICAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoKSxcbiAgICAgICAgICAgIGZhbHNlLFxuICAgICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgICAgICAgKTtcbiAgICAgICAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIGBzdGF0dXMtJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgICAgfSxcbiAgICAgICk7XG4gICAgICBhd2FpdCBzLnN0b3AoKTtcbiAgICB9KTtcblxudGVzdChcInN0YXR1czogdGhlIHRhYmxlcyBoYXZlIHRoZSBzZXJ2ZXIncyBudW1iZXJzLCBhbmQgYSByZWZ1c2FsIGhhcyBpdHMgcmVhc29uXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IGJ1c3koKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9zdGF0dXNgKTtcbiAgICBjb25zdCByb3cgPSBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiUmVjZWl2ZXJzXCJdIHRyJywgeyBoYXNUZXh0OiBcIk9UTFAvSFRUUFwiIH0pLmZpcnN0KCk7XG4gICAgYXdhaXQgcm93LndhaXRGb3IoKTtcbiAgICBjb25zdCBjZWxscyA9IChhd2FpdCByb3cubG9jYXRvcihcInRkXCIpLmFsbFRleHRDb250ZW50cygpKS5tYXAoKHQpID0+IHQudHJpbSgpKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKFtjZWxsc1sxXSwgY2VsbHNbMl0sIGNlbGxzWzNdXSwgW1wiMVwiLCBcIjFcIiwgXCIxNVwiXSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnJlZnVzYWxcIiwgeyBoYXNUZXh0OiBcIm5vdCBhIHByb2ZpbGUgb2YgYSBrbm93biBmb3JtYXRcIiB9KS53YWl0Rm9yKCk7XG4gICAgY29uc3Qgc2VuZGVycyA9IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJTZW5kZXJzXCJdJykuZmlyc3QoKTtcbiAgICBhd2FpdCBzZW5kZXJzLmdldEJ5Um9sZShcImxpbmtcIiwgeyBuYW1lOiBcInRpbWVkXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiRnVuY3Rpb25zXCJdIC5kYXRhLXJvdycsIHsgaGFzVGV4dDogXCJ0aWNrXCIgfSkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwic3RhdHVzOiB0aGUgbGFzdCBkYXRhIHN0YXlzIHdoaWxlIHRoZSBzZXJ2ZXIgaXMgZG93biwgYW5kIHJlZnJlc2hlcyBhZnRlcndhcmRzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IGJ1c3koKTtcbiAgY29uc3QgcG9ydCA9IHMucG9ydDtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9zdGF0dXNgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoJ1thcmlhLWxhYmVsPVwiU2VuZGVyc1wiXSB0ZCcpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHMuc3RvcCgpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJnXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5ub3RlLmJhZFwiLCB7IGhhc1RleHQ6IFwiaXMgbm90IHJlc3BvbmRpbmdcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0Lm9rKGF3YWl0IHBhZ2UubG9jYXRvcignW2FyaWEtbGFiZWw9XCJTZW5kZXJzXCJdIHRkJykuZmlyc3QoKS5pc1Zpc2libGUoKSk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInN0YXR1cy1nb25lXCIpO1xuICAgIGF3YWl0IHMuc3RhcnQocG9ydCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcImFuIGFuc3dlclwiLCBhc3luYyAoKSA9PiAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLm5vdGUuYmFkXCIpLmNvdW50KCkpID09PSAwKTtcbiAgICBwYWdlLnBhZ2VFcnJvcnMubGVuZ3RoID0gMDsgLy8gZXJyb3JzIHdoaWxlIHRoZSBzZXJ2ZXIgd2FzIGRvd25cbiAgfSk7XG59KTtcblxudGVzdChcInN0YXR1czogYW4gZXhwb3J0ZXIgd2hvc2UgZGVzdGluYXRpb24gaXMgZG93biwgd2l0aCB0aGUgcmVhc29uXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IG5ldyBTZXJ2ZXIodW5kZWZpbmVkLCBbXG4gICAgXCItLXNldFwiLFxuICAgIFwiZXhwb3J0ZXJzLm90bHBodHRwPXtlbmRwb2ludDogJ2h0dHA6Ly8xMjcuMC4wLjE6OScsIHJldHJ5X29uX2ZhaWx1cmU6IHtlbmFibGVkOiBmYWxzZX19XCIsXG4gICAgXCItLXNldFwiLFxuICAgIFwic2VydmljZS5waXBlbGluZXMucHJvZmlsZXMuZXhwb3J0ZXJzPVtzdG9yZSwgb3RscGh0dHBdXCIsXG4gIF0pLnN0YXJ0KCk7XG4gIHMucHVzaChmb2xkZWQoam9pbih0ZW1wb3JhcnkoKSwgXCJzZW50LmZvbGRlZFwiKSwgeyBcIm1haW47d29ya1wiOiA3IH0pLCBcInNlbnRcIik7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vc3RhdHVzYCk7XG4gICAgY29uc3Qgcm93cyA9IHBhZ2UubG9jYXRvcignc2VjdGlvblthcmlhLWxhYmVsPVwiRXhwb3J0ZXJzXCJdIHRib2R5IHRyJyk7XG4gICAgYXdhaXQgcm93cy5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIGZhaWxlZCBhdHRlbXB0IGlzIHNob3duXCIsIGFzeW5jICgpID0+IHtcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJnXCIpO1xuICAgICAgcmV0dXJuIC9vdGxwaHR0cCAuKjEyN1xcLjBcXC4wXFwuMTo5dW5yZWFjaGFibGUvLnRlc3QoKGF3YWl0IHJvd3MuZmlyc3QoKS50ZXh0Q29udGVudCgpKSA/PyBcIlwiKTtcbiAgICB9KTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHJvd3MubnRoKDEpLnRleHRDb250ZW50KCkpID8/IFwiXCIsIC9eRmFpbGVkIC4qRmFpbGVkIHRvIGNvbm5lY3QvKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwic3RhdHVzLWV4cG9ydGVyXCIpO1xuICB9KTtcbiAgYXdhaXQgcy5zdG9wKCk7XG59KTtcbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiBzdW1zIG92ZXIgYWxsIGZyYW1lcywgaW5jbHVkaW5nIGZyYW1lcyB0b28gc21hbGwgZm9yIHRoZSBncmFwaCwgb24gYSByZWFsXG4vLyBzZXJ2ZXIuXG5pbXBvcnQgYXNzZXJ0IGZyb20gXCJub2RlOmFzc2VydC9zdHJpY3RcIjtcbmltcG9ydCB7IGpvaW4gfSBmcm9tIFwibm9kZTpwYXRoXCI7XG5pbXBvcnQgeyBQYWdlIH0gZnJvbSBcInBsYXl3cmlnaHQtY29yZVwiO1xuaW1wb3J0IHsgdGVzdCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IGV2ZW50dWFsbHksIGZvbGRlZCwgc2NyZWVuc2hvdCwgdGVtcG9yYXJ5LCB3aXRoUGFnZSB9IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBvdGxwUHJvZmlsZSwgc2VuZFNhbXBsZXMgfSBmcm9tIFwiLi90aW1lZF9zYW1wbGVzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3QgcGFpcnMgPSAzMF8wMDA7IC8vIHBhaXJzIG9mIGZyYW1lczsgbW9yZSB0aGFuIGFueSB2aWV3IHF1ZXJpZXNcbmxldCBrbm93bjogUHJvbWlzZTxTZXJ2ZXI+IHwgbnVsbCA9IG51bGw7XG5cbi8vIFwid2lkZVwiOiBpbiBjb21taXQgYSwgaGFsZiBvZiB0aGUgdG90YWwgaXMgaW4gMzAsMDAwIGxlYXZlcyBuZWVkbGUueCogb2YgaW5jcmVhc2luZyBzaXplOyBpblxuLy8gY29tbWl0IGIsIGEgcXVhcnRlci5cbmZ1bmN0aW9uIHNlcnZlcigpOiBQcm9taXNlPFNlcnZlcj4ge1xuICBrbm93biA/Pz0gKGFzeW5jICgpID0+IHtcbiAgICBjb25zdCBzID0gYXdhaXQgbmV3IFNlcnZlcigpLnN0YXJ0KCk7XG4gICAgY29uc3QgZmlsZXMgPSB0ZW1wb3JhcnkoKTtcbiAgICBjb25zdCBzdGFja3M6IFJlY29yZDxzdHJpbmcsIG51bWJlcj4gPSB7fTtcbiAgICBmb3IgKGxldCBpID0gMDsgaSA8IHBhaXJzOyBpKyspIHN0YWNrc1tgbWFpbjtzdmMuZiR7aX07bmVlZGxlLngke2l9YF0gPSBpICsgMTtcbiAgICBjb25zdCBoYWxmID0gKHBhaXJzICogKHBhaXJzICsgMSkpIC8gMjtcbiAgICBzLnB1c2goXG4gICAgICBmb2xkZWQoam9pbihmaWxlcywgXCJ3aWRlLmZvbGRlZFwiKSwgeyAuLi5zdGFja3MsIFwibWFpbjtvdGhlclwiOiBoYWxmIH0pLFxuICAgICAgXCJ3aWRlXCIsXG4gICAgICBcIi0tbGFiZWxcIixcbiAgICAgIFwiY29tbWl0PWFcIixcbiAgICAgIFwiLS10aW1lXCIsXG4gICAgICBcIm5vdy01bVwiLFxuICAgICk7XG4gICAgcy5wdXNoKFxuICAgICAgZm9sZGVkKGpvaW4oZmlsZXMsIFwibGVzcy5mb2xkZWRcIiksIHsgLi4uc3RhY2tzLCBcIm1haW47b3RoZXJcIjogMyAqIGhhbGYgfSksXG4gICAgICBcIndpZGVcIixcbiAgICAgIFwiLS1sYWJlbFwiLFxuICAgICAgXCJjb21taXQ9YlwiLFxuICAgICAgXCItLXRpbWVcIixcbiAgICAgIFwibm93LTRtXCIsXG4gICAgKTtcbiAgICByZXR1cm4gcztcbiAgfSkoKTtcbiAgcmV0dXJuIGtub3duO1xufVxuXG5jb25zdCBmb3VuZCA9IChwYWdlOiBQYWdlLCB0ZXh0OiBzdHJpbmcgfCBSZWdFeHApID0+XG4gIHBhZ2UubG9jYXRvcihcIi5mbGFtZS1mb3VuZFwiLCB7IGhhc1RleHQ6IHRleHQgfSkud2FpdEZvcigpO1xuY29uc3Qgd2lkZSA9IFwicXVlcnk9XCIgKyBlbmNvZGVVUklDb21wb25lbnQoJ3dpZGV7Y29tbWl0PVwiYVwifScpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgdGVzdChgc3VtczogYSBzZWFyY2ggY291bnRzIGhpZGRlbiBmcmFtZXMsIHRvbywgJHt0aGVtZX1gLCBhc3luYyAoKSA9PiB7XG4gICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgIGF3YWl0IHdpdGhQYWdlKHsgY29sb3JTY2hlbWU6IHRoZW1lIH0sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzPyR7d2lkZX0mdmlldz1mbGFtZSZzZWFyY2g9bmVlZGxlYCk7XG4gICAgICBhd2FpdCBmb3VuZChwYWdlLCAvXjMwLDAwMCBmcmFtZXM6IDQ1MC4qLCA1MFxcLjAlJC8pO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWhpZGRlblwiLCB7IGhhc1RleHQ6IFwiYXJlIGhpZGRlblwiIH0pLndhaXRGb3IoKTtcbiAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHN1bXMtJHt0aGVtZX1gKTtcbiAgICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgICAgYCR7cy51cmx9L3Byb2ZpbGVzPyR7d2lkZX0mdmlldz1mbGFtZSZzZWFyY2g9JHtlbmNvZGVVUklDb21wb25lbnQoXCIvXk5FRURMRVxcXFwueDE/JC9pXCIpfWAsXG4gICAgICApO1xuICAgICAgYXdhaXQgZm91bmQocGFnZSwgL14xIGZyYW1lOiAyLiosIDwwXFwuMDAwMSUkLyk7XG4gICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzPyR7d2lkZX0mdmlldz1mbGFtZSZzZWFyY2g9bmVlZGxlJnpvb209bWFpbmApO1xuICAgICAgYXdhaXQgZm91bmQocGFnZSwgL14zMCwwMDAgZnJhbWVzOiAuKiwgNTBcXC4wJSBvZiB0aGUgdmlldyQvKTtcbiAgICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/JHt3aWRlfSZ2aWV3PXRyZWUmc2VhcmNoPW5lZWRsZWApO1xuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRhYmxlLWZvb3RcIiwgeyBoYXNUZXh0OiAvMzAsMDAwIG1hdGNoZXMsIC4qIFxcKDUwXFwuMCVcXCkvIH0pLndhaXRGb3IoKTtcbiAgICB9KTtcbiAgfSk7XG5cbnRlc3QoXCJzdW1zOiBubyBzdW0gaXMgc2hvd24gYmVmb3JlIGFsbCBmcmFtZXMgYXJlIGNvdW50ZWQsIGFuZCBhIHBhcnRpYWwgc3VtIGlzIG1hcmtlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgbGV0IHJlbGVhc2UgPSAoKSA9PiB7fTtcbiAgICBjb25zdCBoZWxkID0gbmV3IFByb21pc2U8dm9pZD4oKGRvbmUpID0+IChyZWxlYXNlID0gZG9uZSkpO1xuICAgIGF3YWl0IHBhZ2Uucm91dGUoXCIqKi9hcGkvdjEvc3VtcypcIiwgYXN5bmMgKHJvdXRlKSA9PiB7XG4gICAgICBhd2FpdCBoZWxkO1xuICAgICAgYXdhaXQgcm91dGUuY29udGludWUoKTtcbiAgICB9KTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzPyR7d2lkZX0mdmlldz1mbGFtZSZzZWFyY2g9bmVlZGxlYCk7XG4gICAgYXdhaXQgZm91bmQocGFnZSwgXCJjb3VudGluZ1x1MjAyNlwiKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZCBiXCIpLmNvdW50KCksIDApO1xuICAgIHJlbGVhc2UoKTtcbiAgICBhd2FpdCBmb3VuZChwYWdlLCAvLCA1MFxcLjAlJC8pO1xuICAgIGF3YWl0IHBhZ2UudW5yb3V0ZShcIioqL2FwaS92MS9zdW1zKlwiKTtcbiAgfSk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2Uucm91dGUoXCIqKi9hcGkvdjEvc3VtcypcIiwgKHJvdXRlKSA9PlxuICAgICAgcm91dGUuZnVsZmlsbCh7XG4gICAgICAgIHN0YXR1czogNDAwLFxuICAgICAgICBjb250ZW50VHlwZTogXCJhcHBsaWNhdGlvbi9qc29uXCIsXG4gICAgICAgIGJvZHk6ICd7XCJlcnJvclwiOntcImNvZGVcIjpcImludmFsaWRfYXJndW1lbnRcIixcIm1lc3NhZ2VcIjpcIm5vXCJ9fScsXG4gICAgICB9KSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/JHt3aWRlfSZ2aWV3PWZsYW1lJnNlYXJjaD1uZWVkbGVgKTtcbiAgICBhd2FpdCBmb3VuZChwYWdlLCAvb2YgdGhlIGZyYW1lcyBzaG93bjogYXQgbGVhc3QgLyk7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcigodGV4dCkgPT4gIXRleHQuaW5jbHVkZXMoXCI0MDBcIikpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwic3VtczogdGhlIGxlZ2VuZCBoYXMgc2hhcmVzIG9mIGFsbCBmcmFtZXNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/JHt3aWRlfSZ2aWV3PWZsYW1lYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZCBzcGFuXCIsIHsgaGFzVGV4dDogL15uZWVkbGU1MFxcLjAlJC8gfSkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwic3VtczogYSBzZWFyY2ggaW4gYSBkaWZmZXJlbmNlIGNvdW50cyBib3RoIHNpZGVzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBjb25zdCBvdGhlciA9IGVuY29kZVVSSUNvbXBvbmVudCgnd2lkZXtjb21taXQ9XCJiXCJ9Jyk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKFxuICAgICAgYCR7cy51cmx9L2NvbXBhcmU/cXVlcnk9JHtvdGhlcn0mYmVmb3JlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KCd3aWRle2NvbW1pdD1cImFcIn0nKX0mc2hvdz1ncmFwaCZzZWFyY2g9bmVlZGxlJm5vcm1hbGlzZT0xYCxcbiAgICApO1xuICAgIGF3YWl0IGZvdW5kKHBhZ2UsIC9eMzAsMDAwIGZyYW1lczogNTBcXC4wJSBcdTIxOTIgMjVcXC4wJSQvKTtcbiAgfSk7XG59KTtcblxudGVzdChcInN1bXM6IGEgbGluayB0byBhIG1pc3NpbmcgZnJhbWUgc2hvd3MgaXRzIG5lYXJlc3QgZXhpc3RpbmcgY2FsbGVyXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzPyR7d2lkZX0mdmlldz1mbGFtZSZ6b29tPW1haW4mem9vbT1vdGhlciZ6b29tPWdvbmUmem9vbT14YCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNydW1icyBidXR0b25cIiwgeyBoYXNUZXh0OiBcIm90aGVyXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJpdHMgdmFsdWVcIiwgYXN5bmMgKCkgPT5cbiAgICAgIC9vZiAwIGZyYW1lcywgNDUwLy50ZXN0KFxuICAgICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWNhbnZhc1wiKS5nZXRBdHRyaWJ1dGUoXCJhcmlhLWxhYmVsXCIpKSA/PyBcIlwiLFxuICAgICAgKSxcbiAgICApO1xuICAgIGNvbnN0IG90aGVyID0gZW5jb2RlVVJJQ29tcG9uZW50KCd3aWRle2NvbW1pdD1cImJcIn0nKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oXG4gICAgICBgJHtzLnVybH0vY29tcGFyZT9xdWVyeT0ke290aGVyfSZiZWZvcmU9JHtlbmNvZGVVUklDb21wb25lbnQoJ3dpZGV7Y29tbWl0PVwiYVwifScpfSZzaG93PWdyYXBoJnpvb209bWFpbiZ6b29tPW90aGVyJnpvb209Z29uZWAsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmxhbWUtY3J1bWJzIGJ1dHRvblwiLCB7IGhhc1RleHQ6IFwib3RoZXJcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKFxuICAgICAgYCR7cy51cmx9L2NvbXBhcmU/cXVlcnk9JHtvdGhlcn0mYmVmb3JlPSR7ZW5jb2RlVVJJQ29tcG9uZW50KCd3aWRle2NvbW1pdD1cImFcIn0nKX0mc2hvdz1zaWRlcyZ6b29tPW1haW4mem9vbT1vdGhlciZ6b29tPWdvbmVgLFxuICAgICk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwiYm90aCBzaWRlc1wiLFxuICAgICAgYXN5bmMgKCkgPT4gKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mbGFtZS1jcnVtYnMgYnV0dG9uXCIsIHsgaGFzVGV4dDogXCJvdGhlclwiIH0pLmNvdW50KCkpID09PSAyLFxuICAgICk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwidGhlIG5vdGUgb24gYm90aCBzaWRlc1wiLFxuICAgICAgYXN5bmMgKCkgPT4gKGF3YWl0IHBhZ2UuZ2V0QnlUZXh0KFwiVGhlIHpvb21lZCBmcmFtZSBpcyBub3Qgb24gdGhpcyBzaWRlXCIpLmNvdW50KCkpID09PSAyLFxuICAgICk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJzdW1zOiB0aGUgaGVhdCBtYXAgc2hvd3MgdGhlIHNoYXJlIG9mIHNhbXBsZXMgd2l0aCB0aW1lc3RhbXBzLCBhbmQgdGhhdCB0aGUgZ3JhcGggYmVsb3cgaGFzIGFsbCBzYW1wbGVzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBjb25zdCBhdCA9IE1hdGguZmxvb3IoRGF0ZS5ub3coKSAvIDEwMDApICogMTAwMCAtIDYwMF8wMDA7XG4gIGF3YWl0IHNlbmRTYW1wbGVzKHMudXJsLCBcImZld1wiLCBbeyB0aW1lOiBhdCwgc3RhY2s6IFwibWFpbjt0aWNrXCIgfV0pO1xuICAvLyBUaGUgc2FtZSB0eXBlIHdpdGhvdXQgdGltZXN0YW1wcywgd2l0aCBhIHZhbHVlIG9mIGhhbGYgYSBkYXkuXG4gIGNvbnN0IGJvZHkgPSBvdGxwUHJvZmlsZShcImZld1wiLCBbeyB0aW1lOiBhdCwgc3RhY2s6IFwibWFpbjt1bnRpbWVkXCIgfV0pIGFzIHtcbiAgICByZXNvdXJjZVByb2ZpbGVzOiB7IHNjb3BlUHJvZmlsZXM6IHsgcHJvZmlsZXM6IHsgc2FtcGxlczogUmVjb3JkPHN0cmluZywgdW5rbm93bj5bXSB9W10gfVtdIH1bXTtcbiAgfTtcbiAgY29uc3Qgc2FtcGxlID0gYm9keS5yZXNvdXJjZVByb2ZpbGVzWzBdLnNjb3BlUHJvZmlsZXNbMF0ucHJvZmlsZXNbMF0uc2FtcGxlc1swXTtcbiAgZGVsZXRlIHNhbXBsZS50aW1lc3RhbXBzVW5peE5hbm87XG4gIHNhbXBsZS52YWx1ZXMgPSBbXCI0MDAwMDAwMDAwMDAwMFwiXTtcbiAgY29uc3Qgc2VudCA9IGF3YWl0IGZldGNoKGAke3MudXJsfS92MWRldmVsb3BtZW50L3Byb2ZpbGVzYCwge1xuICAgIG1ldGhvZDogXCJQT1NUXCIsXG4gICAgaGVhZGVyczogeyBcImNvbnRlbnQtdHlwZVwiOiBcImFwcGxpY2F0aW9uL2pzb25cIiB9LFxuICAgIGJvZHk6IEpTT04uc3RyaW5naWZ5KGJvZHkpLFxuICB9KTtcbiAgYXNzZXJ0LmVxdWFsKHNlbnQub2ssIHRydWUpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWZldyZ2aWV3PWhlYXRgKTtcbiAgICBhd2FpdCBwYWdlXG4gICAgICAubG9jYXRvcihcIi5oZWF0LWhlYWRcIiwgeyBoYXNUZXh0OiBcIm9ubHkgc2FtcGxlcyB3aXRoIHRpbWVzdGFtcHM6IDwwLjAwMDElIG9mIHRoZSB0b3RhbFwiIH0pXG4gICAgICAud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2VcbiAgICAgIC5sb2NhdG9yKFwiLmhlYXQtZm9vdFwiLCB7XG4gICAgICAgIGhhc1RleHQ6IFwiVGhlIGZsYW1lIGdyYXBoIGJlbG93IHNob3dzIGFsbCBzYW1wbGVzLCBpbmNsdWRpbmcgdGhvc2Ugd2l0aG91dCB0aW1lc3RhbXBzLlwiLFxuICAgICAgfSlcbiAgICAgIC53YWl0Rm9yKCk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInN1bXMtaGVhdFwiKTtcbiAgfSk7XG59KTtcbiIsICIvLyBTUERYLUxpY2Vuc2UtSWRlbnRpZmllcjogQXBhY2hlLTIuMFxuLy8gQnJvd3NlciB0ZXN0cyBvZiB0aGUgc2VhcmNoIG9mIHRyYWNlcywgb24gYSByZWFsIHNlcnZlciB3aXRoIHRyYWNlcyBzZW50IGJ5IE9UTFAuXG5pbXBvcnQgYXNzZXJ0IGZyb20gXCJub2RlOmFzc2VydC9zdHJpY3RcIjtcbmltcG9ydCB7IFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyBTa2lwLCB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgc2NyZWVuc2hvdCwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuaW1wb3J0IHsgU2hvcERhdGEgfSBmcm9tIFwiLi9zaG9wX2RhdGFcIjtcbmltcG9ydCB7IHNob3BTZXJ2ZXIgfSBmcm9tIFwiLi9zaG9wX3NlcnZlclwiO1xuXG5jb25zdCByb3dzID0gKHBhZ2U6IFBhZ2UpID0+IHBhZ2UubG9jYXRvcihcIi5mb3VuZC10YWJsZSAuZGF0YS1yb3dcIik7XG5jb25zdCBwYXJhbSA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcpID0+IG5ldyBVUkwocGFnZS51cmwoKSkuc2VhcmNoUGFyYW1zLmdldChuYW1lKTtcbmNvbnN0IGxpbmsgPSAocTogc3RyaW5nLCBtb3JlID0gXCJcIikgPT4gYC90cmFjZXM/cT0ke2VuY29kZVVSSUNvbXBvbmVudChxKX0ke21vcmV9YDtcbmNvbnN0IGhhcyA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcsIHZhbHVlOiBzdHJpbmcgfCBudWxsKSA9PlxuICBldmVudHVhbGx5KGAke25hbWV9IGlzICR7dmFsdWV9IGluIHRoZSBhZGRyZXNzYCwgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgbmFtZSkgPT09IHZhbHVlKTtcblxuY29uc3QgZmFpbGVkVHJhY2VzID0gKGRhdGE6IFNob3BEYXRhKSA9PlxuICBuZXcgU2V0KGRhdGEuc3BhbnMuZmlsdGVyKChzKSA9PiBzLmVycm9yICE9PSB1bmRlZmluZWQpLm1hcCgocykgPT4gcy50cmFjZSkpO1xuXG5mb3IgKGNvbnN0IHRoZW1lIG9mIFtcImxpZ2h0XCIsIFwiZGFya1wiXSBhcyBjb25zdClcbiAgZm9yIChjb25zdCB3aWR0aCBvZiBbMTI4MCwgMzkwXSlcbiAgICB0ZXN0KGB0cmFjZSBzZWFyY2g6IGNoYXJ0cyBhbmQgdHJhY2VzLCAke3RoZW1lfSwgJHt3aWR0aH0gd2lkZWAsIGFzeW5jICgpID0+IHtcbiAgICAgIGNvbnN0IHsgc2VydmVyIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gICAgICBjb25zdCBoZWlnaHQgPSB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoeyBjb2xvclNjaGVtZTogdGhlbWUsIHZpZXdwb3J0OiB7IHdpZHRoLCBoZWlnaHQgfSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgICBmb3IgKGNvbnN0IGNoYXJ0IG9mIFtcImhlYXRcIiwgXCJyYXRlXCIsIFwiZHVyYXRpb25cIl0pIHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzP2NoYXJ0PSR7Y2hhcnR9YCk7XG4gICAgICAgICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICAgICAgICBhd2FpdCBwYWdlLndhaXRGb3JMb2FkU3RhdGUoXCJuZXR3b3JraWRsZVwiKTtcbiAgICAgICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IGRvY3VtZW50LmRvY3VtZW50RWxlbWVudC5zY3JvbGxXaWR0aCA+IGlubmVyV2lkdGgpLFxuICAgICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgICBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIixcbiAgICAgICAgICApO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHRyYWNlLXNlYXJjaC0ke2NoYXJ0fS0ke3RoZW1lfS0ke3dpZHRofWApO1xuICAgICAgICB9XG4gICAgICB9KTtcbiAgICB9KTtcblxudGVzdChcInRyYWNlIHNlYXJjaDogdGhlIG5ld2VzdCB0cmFjZXMgYXJlIGZpcnN0LCBhbmQgb25lIGNsaWNrIG9wZW5zIGEgdHJhY2VcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzYCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudGFibGUtZm9vdFwiLCB7IGhhc1RleHQ6IFwiVGhlIDUwIG5ld2VzdCB0cmFjZXNcIiB9KS53YWl0Rm9yKCk7XG4gICAgY29uc3Qgc3RhcnRzID0gYXdhaXQgcm93cyhwYWdlKS5sb2NhdG9yKFwiLndoZW5cIikuYWxsVGV4dENvbnRlbnRzKCk7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChzdGFydHMsIFsuLi5zdGFydHNdLnNvcnQoKS5yZXZlcnNlKCkpO1xuICAgIGNvbnN0IHJvb3RzID0gZGF0YS5zcGFucy5maWx0ZXIoKHMpID0+ICFzLnBhcmVudCk7XG4gICAgY29uc3QgbmV3ZXN0ID0gcm9vdHNbcm9vdHMubGVuZ3RoIC0gMV07XG4gICAgY29uc3QgZmlyc3QgPSBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkudGV4dENvbnRlbnQoKTtcbiAgICBhc3NlcnQub2soZmlyc3QhLmluY2x1ZGVzKG5ld2VzdC5uYW1lKSwgZmlyc3QhKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkuZ2V0QnlSb2xlKFwibGlua1wiKS5maXJzdCgpLmNsaWNrKCk7XG4gICAgYXdhaXQgaGFzKHBhZ2UsIFwidHJhY2VcIiwgbmV3ZXN0LnRyYWNlKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIudHJhY2UtaGVhZFwiLCB7IGhhc1RleHQ6IG5ld2VzdC5uYW1lIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQWxsIHRyYWNlc1wiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiTGlzdCAyMDBcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50YWJsZS1mb290XCIsIHsgaGFzVGV4dDogXCIxMjAgdHJhY2VzXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IGhhcyhwYWdlLCBcIm1vc3RcIiwgXCIyMDBcIik7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSBzZWFyY2g6IGEgcXVlcnkgaXMgcnVuIGJ5IEVudGVyLCBhbmQgaXRzIG1hdGNoZWQgc3BhbnMgdW5mb2xkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIsIGRhdGEgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgY29uc3QgZmFpbGVkID0gZmFpbGVkVHJhY2VzKGRhdGEpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzYCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiI3NlYXJjaFwiKS5maWxsKCd7IHJlc291cmNlLnNlcnZpY2UubmFtZSA9IFwicGF5bWVudFwiICYmIHN0YXR1cyA9IGVycm9yIH0nKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRhYmxlLWZvb3RcIiwgeyBoYXNUZXh0OiBuZXcgUmVnRXhwKGBeJHtmYWlsZWQuc2l6ZX0gdHJhY2VgKSB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwicVwiKSwgJ3sgcmVzb3VyY2Uuc2VydmljZS5uYW1lID0gXCJwYXltZW50XCIgJiYgc3RhdHVzID0gZXJyb3IgfScpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS5sb2NhdG9yKFwiLnRyZWUtdG9nZ2xlXCIpLmNsaWNrKCk7XG4gICAgY29uc3Qgc3BhbiA9IHJvd3MocGFnZSkubnRoKDEpO1xuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgc3Bhbi50ZXh0Q29udGVudCgpKSEsIC9lcnJvcnBheW1lbnRcXC5DaGFyZ2UvKTtcbiAgICBhc3NlcnQub2soZmFpbGVkLmhhcyhwYXJhbShwYWdlLCBcIm9wZW5cIikhKSk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCBzcGFuLmxvY2F0b3IoXCJhXCIsIHsgaGFzVGV4dDogXCJwYXltZW50LkNoYXJnZVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBzcGFuIGlzIHNlbGVjdGVkXCIsIGFzeW5jICgpID0+IHBhcmFtKHBhZ2UsIFwic3BhblwiKSAhPT0gbnVsbCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIsIHsgaGFzVGV4dDogXCJwYXltZW50LkNoYXJnZVwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdvQmFjaygpO1xuICAgIGF3YWl0IHNwYW4ud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2Ugc2VhcmNoOiBhbiBlcnJvciBpcyBzaG93biBhdCBpdHMgbGluZSBhbmQgY29sdW1uLCB3aXRoIGV4YW1wbGVzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3RyYWNlc2ApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcInsgZHVyYXRpb24gPlxcbiAgJiYgfVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgY29uc3QgZXJyb3IgPSBwYWdlLmxvY2F0b3IoXCIucXVlcnktZXJyb3JcIik7XG4gICAgYXdhaXQgZXJyb3Iud2FpdEZvcigpO1xuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgZXJyb3IudGV4dENvbnRlbnQoKSkhLCAvTGluZSAyLCBjb2x1bW4gMzogc3ludGF4IGVycm9yOiB1bmV4cGVjdGVkICYmLyk7XG4gICAgYXNzZXJ0Lm1hdGNoKChhd2FpdCBlcnJvci5sb2NhdG9yKFwibWFya1wiKS50ZXh0Q29udGVudCgpKSEsIC9eJiYgfS8pO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCIjc2VhcmNoXCIpLmdldEF0dHJpYnV0ZShcImFyaWEtaW52YWxpZFwiKSwgXCJ0cnVlXCIpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJ0cmFjZS1zZWFyY2gtZXJyb3JcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcInsgc3RhdHVzID0gZXJyb3IgfVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgZXJyb3IuY291bnQoKSwgMCk7XG4gICAgcGFnZS5wYWdlRXJyb3JzID0gcGFnZS5wYWdlRXJyb3JzLmZpbHRlcigoZSkgPT4gIS9zdGF0dXMgb2YgNDAwLy50ZXN0KGUpKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlIHNlYXJjaDogbmFtZXMgYW5kIHZhbHVlcyBhcmUgY29tcGxldGVkIGJ5IGtleWJvYXJkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3RyYWNlc2ApO1xuICAgIGNvbnN0IGZpZWxkID0gcGFnZS5sb2NhdG9yKFwiI3NlYXJjaFwiKTtcbiAgICBjb25zdCBvcHRpb24gPSAodGV4dDogc3RyaW5nKSA9PiBwYWdlLmxvY2F0b3IoXCIuY29tcGxldGlvbiBsaVwiLCB7IGhhc1RleHQ6IHRleHQgfSkuZmlyc3QoKTtcbiAgICBhd2FpdCBmaWVsZC5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudHlwZShcInsgaHR0cC5yb1wiKTtcbiAgICBhd2FpdCBvcHRpb24oXCJzcGFuLmh0dHAucm91dGVcIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd0Rvd25cIik7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgZmllbGQuZ2V0QXR0cmlidXRlKFwiYXJpYS1hY3RpdmVkZXNjZW5kYW50XCIpLFxuICAgICAgYXdhaXQgb3B0aW9uKFwic3Bhbi5odHRwLnJvdXRlXCIpLmdldEF0dHJpYnV0ZShcImlkXCIpLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVudGVyXCIpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBmaWVsZC5pbnB1dFZhbHVlKCksIFwieyBzcGFuLmh0dHAucm91dGUgXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudHlwZShcIj0gXCIpO1xuICAgIGF3YWl0IG9wdGlvbignXCIvY2hlY2tvdXRcIicpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwidHJhY2Utc2VhcmNoLWNvbXBsZXRpb25cIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC50eXBlKFwiL2NoXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJUYWJcIik7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGZpZWxkLmlucHV0VmFsdWUoKSwgJ3sgc3Bhbi5odHRwLnJvdXRlID0gXCIvY2hlY2tvdXRcIiAnKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnR5cGUoXCJ9XCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IHBhZ2UubG9jYXRvcihcIi5jb21wbGV0aW9uXCIpLmNvdW50KCksIDApO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBoYXMocGFnZSwgXCJxXCIsICd7IHNwYW4uaHR0cC5yb3V0ZSA9IFwiL2NoZWNrb3V0XCIgfScpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSBzZWFyY2g6IGZpbHRlcnMgd3JpdGUgdGhlIHF1ZXJ5LCBhbmQgdGhlIHF1ZXJ5IHNldHMgdGhlIGZpbHRlcnNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVRpdGxlKFwiRmlsdGVyIGJ5IHNlcnZpY2VcIikuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwicGF5bWVudFwiLCBleGFjdDogdHJ1ZSB9KS5jbGljaygpO1xuICAgIGF3YWl0IGhhcyhwYWdlLCBcInFcIiwgJ3sgcmVzb3VyY2Uuc2VydmljZS5uYW1lID0gXCJwYXltZW50XCIgfScpO1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuaW5wdXRWYWx1ZSgpLFxuICAgICAgJ3sgcmVzb3VyY2Uuc2VydmljZS5uYW1lID0gXCJwYXltZW50XCIgfScsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5TGFiZWwoXCJTdGF0dXNcIikuc2VsZWN0T3B0aW9uKFwiZXJyb3JcIik7XG4gICAgYXdhaXQgaGFzKHBhZ2UsIFwicVwiLCAneyByZXNvdXJjZS5zZXJ2aWNlLm5hbWUgPSBcInBheW1lbnRcIiAmJiBzdGF0dXMgPSBlcnJvciB9Jyk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeUxhYmVsKFwiTGVhc3QgZHVyYXRpb24sIHN1Y2ggYXMgMTAwbXNcIikuZmlsbChcIjIwbXNcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVudGVyXCIpO1xuICAgIGF3YWl0IGhhcyhcbiAgICAgIHBhZ2UsXG4gICAgICBcInFcIixcbiAgICAgICd7IHJlc291cmNlLnNlcnZpY2UubmFtZSA9IFwicGF5bWVudFwiICYmIHN0YXR1cyA9IGVycm9yICYmIGR1cmF0aW9uID49IDIwbXMgfScsXG4gICAgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiKyBBdHRyaWJ1dGVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJzcGFuLnBheW1lbnQucHJvdmlkZXJcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJ2aXNhXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuY2hpcFwiLCB7IGhhc1RleHQ6ICdzcGFuLnBheW1lbnQucHJvdmlkZXIgPSBcInZpc2FcIicgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJSZW1vdmUgdGhlIGZpbHRlciBieSBzZXJ2aWNlXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBoYXMoXG4gICAgICBwYWdlLFxuICAgICAgXCJxXCIsXG4gICAgICAneyBzdGF0dXMgPSBlcnJvciAmJiBkdXJhdGlvbiA+PSAyMG1zICYmIHNwYW4ucGF5bWVudC5wcm92aWRlciA9IFwidmlzYVwiIH0nLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlJlbW92ZSBzcGFuLnBheW1lbnQucHJvdmlkZXJcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlMYWJlbChcIlN0YXR1c1wiKS5zZWxlY3RPcHRpb24oXCJcIik7XG4gICAgYXdhaXQgaGFzKHBhZ2UsIFwicVwiLCBcInsgZHVyYXRpb24gPj0gMjBtcyB9XCIpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhzZXJ2ZXIudXJsICsgbGluaygneyBuYW1lID0gXCJjYXJ0LkxvYWRcIiB9ID4+IHsgbmFtZSA9IFwiU0VMRUNUIHN0b2NrXCIgfScpKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluXCIsIHsgaGFzVGV4dDogXCJlZGl0ZWQgYXMgdGV4dCBvbmx5XCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSBzZWFyY2g6IGEgcmVjdGFuZ2xlIG9mIHRoZSBoZWF0IG1hcCBuYXJyb3dzIHRoZSBxdWVyeSBhbmQgdGhlIHJhbmdlXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKHNlcnZlci51cmwgKyBsaW5rKCd7IHJlc291cmNlLnNlcnZpY2UubmFtZSA9IFwicGF5bWVudFwiIH0nKSk7XG4gICAgY29uc3QgY2VsbHMgPSBwYWdlLmxvY2F0b3IoXCIudHJhY2UtY2hhcnQgLmhlYXQtY2VsbHNcIik7XG4gICAgY29uc3QgYm94ID0gKGF3YWl0IGNlbGxzLmJvdW5kaW5nQm94KCkpITtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLm1vdmUoYm94LnggKyBib3gud2lkdGggKiAwLjYsIGJveC55ICsgMTApO1xuICAgIGF3YWl0IHBhZ2UubW91c2UuZG93bigpO1xuICAgIGF3YWl0IHBhZ2UubW91c2UubW92ZShib3gueCArIGJveC53aWR0aCAqIDAuOCwgYm94LnkgKyBib3guaGVpZ2h0IC8gMiwgeyBzdGVwczogNCB9KTtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLnVwKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRoZSBkdXJhdGlvbnMgYXJlIGluIHRoZSBxdWVyeVwiLCBhc3luYyAoKSA9PlxuICAgICAgL15cXHsgcmVzb3VyY2VcXC5zZXJ2aWNlXFwubmFtZSA9IFwicGF5bWVudFwiICYmIGR1cmF0aW9uID4gW1xcZC5dK20/cyAmJiBkdXJhdGlvbiA8PSBbXFxkLl0rbT9zIFxcfSQvLnRlc3QoXG4gICAgICAgIHBhcmFtKHBhZ2UsIFwicVwiKSA/PyBcIlwiLFxuICAgICAgKSxcbiAgICApO1xuICAgIGFzc2VydC5tYXRjaChwYXJhbShwYWdlLCBcImZyb21cIikhLCAvXlxcZHsxM30kLyk7XG4gICAgYXdhaXQgcGFnZS5nb0JhY2soKTtcbiAgICBhd2FpdCBoYXMocGFnZSwgXCJxXCIsICd7IHJlc291cmNlLnNlcnZpY2UubmFtZSA9IFwicGF5bWVudFwiIH0nKTtcbiAgICBhd2FpdCBjZWxscy53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVzY2FwZVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiaFwiKTtcbiAgICBmb3IgKGNvbnN0IGtleSBvZiBbXCJBcnJvd1JpZ2h0XCIsIFwiU2hpZnQrQXJyb3dSaWdodFwiLCBcIlNoaWZ0K0Fycm93RG93blwiLCBcIkVudGVyXCJdKVxuICAgICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhrZXkpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXCJ0aGUgc2FtZSBieSBrZXlib2FyZFwiLCBhc3luYyAoKSA9PlxuICAgICAgL2R1cmF0aW9uID4gLy50ZXN0KHBhcmFtKHBhZ2UsIFwicVwiKSA/PyBcIlwiKSxcbiAgICApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2Ugc2VhcmNoOiBhIGRyYWcgb24gdGhlIGJhcnMgb2YgdGhlIHJhdGUgbmFycm93cyB0aGUgcmFuZ2VcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzP2NoYXJ0PXJhdGVgKTtcbiAgICBjb25zdCBjZWxscyA9IHBhZ2UubG9jYXRvcihcIi5iYXItY2hhcnQgLmhlYXQtY2VsbHNcIik7XG4gICAgY29uc3QgYm94ID0gKGF3YWl0IGNlbGxzLmJvdW5kaW5nQm94KCkpITtcbiAgICBhd2FpdCBwYWdlLm1vdXNlLm1vdmUoYm94LnggKyBib3gud2lkdGggKiAwLjYsIGJveC55ICsgNDApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5oZWF0LXRpcFwiLCB7IGhhc1RleHQ6IFwid2l0aG91dCBlcnJvcnNcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5kb3duKCk7XG4gICAgYXdhaXQgcGFnZS5tb3VzZS5tb3ZlKGJveC54ICsgYm94LndpZHRoICogMC43LCBib3gueSArIDQwLCB7IHN0ZXBzOiA0IH0pO1xuICAgIGF3YWl0IHBhZ2UubW91c2UudXAoKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwiYW4gYWJzb2x1dGUgcmFuZ2VcIiwgYXN5bmMgKCkgPT4gL15cXGR7MTN9JC8udGVzdChwYXJhbShwYWdlLCBcImZyb21cIikgPz8gXCJcIikpO1xuICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcInFcIiksIG51bGwpO1xuICAgIGNvbnN0IG1pbnV0ZXMgPSAoTnVtYmVyKHBhcmFtKHBhZ2UsIFwidG9cIikpIC0gTnVtYmVyKHBhcmFtKHBhZ2UsIFwiZnJvbVwiKSkpIC8gNjBfMDAwO1xuICAgIGFzc2VydC5vayhtaW51dGVzID4gNSAmJiBtaW51dGVzIDwgOCwgYCR7bWludXRlc30gbWludXRlc2ApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2Ugc2VhcmNoOiBhIHF1ZXJ5IG9mIG1ldHJpY3MgaXMgYSBjaGFydCB3aXRoIGl0cyBzZXJpZXNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oc2VydmVyLnVybCArIGxpbmsoXCJ7IH0gfCByYXRlKCkgYnkgKHJlc291cmNlLnNlcnZpY2UubmFtZSlcIikpO1xuICAgIGZvciAoY29uc3QgbmFtZSBvZiBbXCJmcm9udFwiLCBcImNhcnRcIiwgXCJwYXltZW50XCIsIFwibWFpbFwiXSlcbiAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5sZWdlbmQgbGlcIiwgeyBoYXNUZXh0OiBuYW1lIH0pLndhaXRGb3IoKTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcm93cyhwYWdlKS5jb3VudCgpLCAwKTtcbiAgICBhd2FpdCBwYWdlLmdvdG8oc2VydmVyLnVybCArIGxpbmsoXCJ7IH0gfCByYXRlKCkgYnkgKFwiKSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnF1ZXJ5LWVycm9yXCIpLndhaXRGb3IoKTtcbiAgICBwYWdlLnBhZ2VFcnJvcnMgPSBwYWdlLnBhZ2VFcnJvcnMuZmlsdGVyKChlKSA9PiAhL3N0YXR1cyBvZiA0MDAvLnRlc3QoZSkpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2Ugc2VhcmNoOiB0aGUgbGlzdCB3b3JrcyBieSBrZXlib2FyZCwgYW5kIHN0YXRlcyB3aXRob3V0IHRyYWNlcyBvZmZlciBhIG5leHQgc3RlcFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhzZXJ2ZXIudXJsICsgbGluayhcInsgc3RhdHVzID0gZXJyb3IgfVwiKSk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBjb25zdCBmb2xkZWQgPSBhd2FpdCByb3dzKHBhZ2UpLmNvdW50KCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcImpcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93RG93blwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiQXJyb3dSaWdodFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidW5mb2xkZWRcIiwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IGZvbGRlZCArIDIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJBcnJvd1JpZ2h0XCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFbnRlclwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwidGhlIHRyYWNlIGlzIG9wZW5cIiwgYXN5bmMgKCkgPT4gcGFyYW0ocGFnZSwgXCJ0cmFjZVwiKSAhPT0gbnVsbCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKHNlcnZlci51cmwgKyBsaW5rKCd7IG5hbWUgPSBcIm5vdGhpbmcgaGFzIHRoaXMgbmFtZVwiIH0nKSk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJObyB0cmFjZSBtYXRjaGVzXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJTZWFyY2ggdGhlIGxhc3QgMjQgaG91cnNcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IGhhcyhwYWdlLCBcImZyb21cIiwgXCJub3ctMjRoXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJSZW1vdmUgdGhlIHF1ZXJ5XCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS90cmFjZXM/ZnJvbT0xMDAwMDAwMDAwMDAwJnRvPTEwMDAwMDAwNjAwMDBgKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZW1wdHlcIiwgeyBoYXNUZXh0OiBcIk5vIHRyYWNlcyBpbiB0aGlzIHJhbmdlXCIgfSkud2FpdEZvcigpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2Ugc2VhcmNoOiB0aGUgZmxhbWUgZ3JhcGggb2YgdGhlIGZvdW5kIHNwYW5zLCB3aXRoIGFuZCB3aXRob3V0IHRoZWlyIGNoaWxkcmVuXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIsIGRhdGEgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgY29uc3Qga25vd24gPSBhd2FpdCBmZXRjaChgJHtzZXJ2ZXIudXJsfS9hcGkvdjEvZmxhbWU/dHJhY2VzPSU3QmApO1xuICBpZiAoa25vd24uc3RhdHVzICE9PSA0MDApIHRocm93IG5ldyBTa2lwKFwidGhpcyBzZXJ2ZXIgZG9lcyBub3Qgc2VsZWN0IHNwYW5zIGJ5IFRyYWNlUUxcIik7XG4gIGNvbnN0IHNpZ25zID0gbmV3IFNldChkYXRhLnNwYW5zLmZpbHRlcigocykgPT4gcy5uYW1lID09PSBcInJzYS5TaWduXCIpLm1hcCgocykgPT4gcy5pZCkpO1xuICBjb25zdCBzYW1wbGVzID0gKGRhdGEuc2FtcGxlcy5nZXQoXCJwYXltZW50XCIpID8/IFtdKS5maWx0ZXIoKHMpID0+IHNpZ25zLmhhcyhzLnNwYW4hKSkubGVuZ3RoO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oc2VydmVyLnVybCArIGxpbmsoJ3sgbmFtZSA9IFwicnNhLlNpZ25cIiB9JykpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwibGlua1wiLCB7IG5hbWU6IFwiRmxhbWUgZ3JhcGggb2YgdGhlc2Ugc3BhbnNcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zdW1tYXJ5IHN0cm9uZ1wiKS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKG5ldyBVUkwocGFnZS51cmwoKSkucGF0aG5hbWUsIFwiL3Byb2ZpbGVzXCIpO1xuICAgIGFzc2VydC5lcXVhbChwYXJhbShwYWdlLCBcInRyYWNlc1wiKSwgJ3sgbmFtZSA9IFwicnNhLlNpZ25cIiB9Jyk7XG4gICAgY29uc3QgYW5zd2VyID0gKGF3YWl0IChcbiAgICAgIGF3YWl0IGZldGNoKFxuICAgICAgICBgJHtzZXJ2ZXIudXJsfS9hcGkvdjEvZmxhbWU/ZnJvbT1ub3ctMWgmdG89bm93JnRyYWNlcz0ke2VuY29kZVVSSUNvbXBvbmVudCgneyBuYW1lID0gXCJyc2EuU2lnblwiIH0nKX1gLFxuICAgICAgKVxuICAgICkuanNvbigpKSBhcyB7IHRvdGFsOiBudW1iZXIgfTtcbiAgICBhc3NlcnQuZXF1YWwoYW5zd2VyLnRvdGFsLCBzYW1wbGVzICogMTBfMDAwXzAwMCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZvdW5kLWNoaXBcIiwgeyBoYXNUZXh0OiBcInJzYS5TaWduXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgIGAke3NlcnZlci51cmx9L3Byb2ZpbGVzP3RyYWNlcz0ke2VuY29kZVVSSUNvbXBvbmVudCgneyBuYW1lID0gXCJwYXltZW50LkNoYXJnZVwiIH0nKX1gLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIldpdGggY2hpbGRyZW5cIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IGhhcyhwYWdlLCBcImNoaWxkcmVuXCIsIFwiMVwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3VtbWFyeSBzdHJvbmdcIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcignc2VjdGlvblthcmlhLWxhYmVsPVwiRnVuY3Rpb25zXCJdJywgeyBoYXNUZXh0OiBcInJzYS5TaWduXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJ0cmFjZS1zZWFyY2gtZmxhbWVcIik7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlJlbW92ZSB0aGUgc2VhcmNoIG9mIHNwYW5zXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBoYXMocGFnZSwgXCJ0cmFjZXNcIiwgbnVsbCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3Byb2ZpbGVzP3RyYWNlcz0ke2VuY29kZVVSSUNvbXBvbmVudCgneyBuYW1lID0gXCJub3RoaW5nXCIgfScpfWApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5lbXB0eVwiLCB7IGhhc1RleHQ6IFwiTm8gc2FtcGxlcyBvZiB0aGVzZSBzcGFuc1wiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImxpbmtcIiwgeyBuYW1lOiBcIlNob3cgdGhlIHRyYWNlc1wiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmVtcHR5XCIsIHsgaGFzVGV4dDogXCJObyB0cmFjZSBtYXRjaGVzXCIgfSkud2FpdEZvcigpO1xuICAgIHBhZ2UucGFnZUVycm9ycyA9IHBhZ2UucGFnZUVycm9ycy5maWx0ZXIoKGUpID0+ICEvc3RhdHVzIG9mIDQwNC8udGVzdChlKSk7XG4gIH0pO1xufSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2Ygb25lIHRyYWNlOiBjcml0aWNhbCBwYXRoLCBncm91cHMsIHNlYXJjaCwgZXZlbnRzIGFuZCBkZXRhaWxzIG9mIHNwYW5zLCBvbiBhIHJlYWxcbi8vIHNlcnZlciB3aXRoIHRyYWNlcyBzZW50IGJ5IE9UTFAuXG5pbXBvcnQgYXNzZXJ0IGZyb20gXCJub2RlOmFzc2VydC9zdHJpY3RcIjtcbmltcG9ydCB7IFBhZ2UgfSBmcm9tIFwicGxheXdyaWdodC1jb3JlXCI7XG5pbXBvcnQgeyB0ZXN0IH0gZnJvbSBcIi4uL3RhcFwiO1xuaW1wb3J0IHsgZXZlbnR1YWxseSwgc2NyZWVuc2hvdCwgd2l0aFBhZ2UgfSBmcm9tIFwiLi9wYWdlc1wiO1xuaW1wb3J0IHsgc2VuZFNob3BTcGFucywgU2hvcERhdGEsIFNob3BTcGFuIH0gZnJvbSBcIi4vc2hvcF9kYXRhXCI7XG5pbXBvcnQgeyBzaG9wU2VydmVyIH0gZnJvbSBcIi4vc2hvcF9zZXJ2ZXJcIjtcblxuY29uc3Qgcm93cyA9IChwYWdlOiBQYWdlKSA9PiBwYWdlLmxvY2F0b3IoXCIuc3Bhbi10YWJsZSAuZGF0YS1yb3dcIik7XG5jb25zdCBwYXJhbSA9IChwYWdlOiBQYWdlLCBuYW1lOiBzdHJpbmcpID0+IG5ldyBVUkwocGFnZS51cmwoKSkuc2VhcmNoUGFyYW1zLmdldChuYW1lKTtcblxuLy8gUmV0dXJuIGEgdHJhY2Ugd2l0aCBhbiBlcnJvciBhbmQgYSBncm91cCBvZiBhdCBsZWFzdCBmaXZlIGVxdWFsIHNwYW5zLlxuZnVuY3Rpb24gZmFpbGVkVHJhY2UoZGF0YTogU2hvcERhdGEpOiB7IHRyYWNlOiBzdHJpbmc7IHNwYW5zOiBTaG9wU3BhbltdOyBjaGFyZ2U6IFNob3BTcGFuIH0ge1xuICBmb3IgKGNvbnN0IGNoYXJnZSBvZiBkYXRhLnNwYW5zLmZpbHRlcigocykgPT4gcy5lcnJvcikpIHtcbiAgICBjb25zdCBzcGFucyA9IGRhdGEuc3BhbnMuZmlsdGVyKChzKSA9PiBzLnRyYWNlID09PSBjaGFyZ2UudHJhY2UpO1xuICAgIGlmIChzcGFucy5maWx0ZXIoKHMpID0+IHMubmFtZSA9PT0gXCJTRUxFQ1Qgc3RvY2tcIikubGVuZ3RoID49IDUpXG4gICAgICByZXR1cm4geyB0cmFjZTogY2hhcmdlLnRyYWNlLCBzcGFucywgY2hhcmdlIH07XG4gIH1cbiAgdGhyb3cgbmV3IEVycm9yKFwidGhlIGRhdGEgaGFzIG5vIHN1Y2ggdHJhY2VcIik7XG59XG5cbmZvciAoY29uc3QgdGhlbWUgb2YgW1wibGlnaHRcIiwgXCJkYXJrXCJdIGFzIGNvbnN0KVxuICBmb3IgKGNvbnN0IHdpZHRoIG9mIFsxMjgwLCAzOTBdKVxuICAgIHRlc3QoYHRyYWNlIHZpZXc6IHdhdGVyZmFsbCBhbmQgZGV0YWlscywgJHt0aGVtZX0sICR7d2lkdGh9IHdpZGVgLCBhc3luYyAoKSA9PiB7XG4gICAgICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICAgICAgY29uc3QgeyB0cmFjZSwgY2hhcmdlIH0gPSBmYWlsZWRUcmFjZShkYXRhKTtcbiAgICAgIGNvbnN0IGhlaWdodCA9IHdpZHRoID09PSAzOTAgPyAxMjAwIDogOTAwO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoeyBjb2xvclNjaGVtZTogdGhlbWUsIHZpZXdwb3J0OiB7IHdpZHRoLCBoZWlnaHQgfSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2V9JnNwYW49JHtjaGFyZ2UuaWR9JnBhbmU9c3BhbmApO1xuICAgICAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuc3Bhbi1tZXNzYWdlXCIpLndhaXRGb3IoKTtcbiAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0XCIsXG4gICAgICAgICk7XG4gICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHRyYWNlLXZpZXctJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgIH0pO1xuICAgIH0pO1xuXG50ZXN0KFwidHJhY2UgdmlldzogaGVhZCwgY3JpdGljYWwgcGF0aCwgZXZlbnRzIGFuZCBlcnJvcnNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBjb25zdCB7IHRyYWNlLCBzcGFucywgY2hhcmdlIH0gPSBmYWlsZWRUcmFjZShkYXRhKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlfWApO1xuICAgIGNvbnN0IGhlYWQgPSBwYWdlLmxvY2F0b3IoXCIudHJhY2UtaGVhZFwiKTtcbiAgICBhd2FpdCBoZWFkLndhaXRGb3IoKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IGhlYWQudGV4dENvbnRlbnQoKSkhLCAvUE9TVCBcXC9jaGVja291dC4qMiBlcnJvcnMvKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIi50cmFjZS1zZXJ2aWNlc1wiKS50ZXh0Q29udGVudCgpKSEsIC9wYXltZW50IDIgc3BhbnMxIGVycm9yLyk7XG4gICAgY29uc3Qgcm93ID0gcm93cyhwYWdlKS5maWx0ZXIoeyBoYXNUZXh0OiBcInBheW1lbnQuQ2hhcmdlXCIgfSk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcInRocmVlIHRpY2tzXCIsIGFzeW5jICgpID0+IChhd2FpdCByb3cubG9jYXRvcihcIi5mYWxsIHVcIikuY291bnQoKSkgPT09IDMpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCByb3cubG9jYXRvcihcIi5mYWxsIHUuYmFkXCIpLmNvdW50KCksIDEsIFwidGhlIGV4Y2VwdGlvbiBpcyBtYXJrZWRcIik7XG4gICAgYXNzZXJ0Lm9rKChhd2FpdCByb3cubG9jYXRvcihcIi5mYWxsIGJcIikuY291bnQoKSkgPiAwLCBcImEgcGFydCBvZiB0aGUgY3JpdGljYWwgcGF0aFwiKTtcbiAgICAvLyBBbGwgcGFydHMgb2YgdGhlIGNyaXRpY2FsIHBhdGggdG9nZXRoZXIgYXJlIGFzIGxvbmcgYXMgdGhlIHRyYWNlLlxuICAgIGNvbnN0IHJvb3QgPSAoYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLmxvY2F0b3IoXCIuZmFsbFwiKS5ib3VuZGluZ0JveCgpKSE7XG4gICAgY29uc3QgcGFydHMgPSBhd2FpdCBwYWdlXG4gICAgICAubG9jYXRvcihcIi5mYWxsIGJcIilcbiAgICAgIC5ldmFsdWF0ZUFsbCgoYWxsKSA9PiBhbGwubWFwKChiKSA9PiBwYXJzZUZsb2F0KChiIGFzIEhUTUxFbGVtZW50KS5zdHlsZS53aWR0aCkpKTtcbiAgICBjb25zdCBzdW0gPSBwYXJ0cy5yZWR1Y2UoKGEsIGIpID0+IGEgKyBiLCAwKTtcbiAgICBhc3NlcnQub2socm9vdC53aWR0aCA+IDAgJiYgTWF0aC5hYnMoc3VtIC0gMTAwKSA8IDAuNSwgYCR7c3VtfSVgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ3JpdGljYWwgcGF0aFwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcIm5vIG1hcmtzXCIsIGFzeW5jICgpID0+IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZmFsbCBiXCIpLmNvdW50KCkpID09PSAwKTtcbiAgICBhc3NlcnQuZXF1YWwocGFyYW0ocGFnZSwgXCJjcml0aWNhbFwiKSwgXCIwXCIpO1xuICAgIGFzc2VydC5lcXVhbChzcGFucy5maWx0ZXIoKHMpID0+IHMudHJhY2UgPT09IGNoYXJnZS50cmFjZSkubGVuZ3RoLCBzcGFucy5sZW5ndGgpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJhY2UgdmlldzogZXF1YWwgc2libGluZ3MgYXJlIG9uZSByb3csIHdoaWNoIHVuZm9sZHNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBjb25zdCB7IHRyYWNlLCBzcGFucyB9ID0gZmFpbGVkVHJhY2UoZGF0YSk7XG4gIGNvbnN0IHF1ZXJpZXMgPSBzcGFucy5maWx0ZXIoKHMpID0+IHMubmFtZSA9PT0gXCJTRUxFQ1Qgc3RvY2tcIik7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZX1gKTtcbiAgICBjb25zdCBncm91cCA9IHJvd3MocGFnZSkuZmlsdGVyKHsgaGFzVGV4dDogYFx1MDBENyAke3F1ZXJpZXMubGVuZ3RofWAgfSk7XG4gICAgYXdhaXQgZ3JvdXAud2FpdEZvcigpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCByb3dzKHBhZ2UpLmNvdW50KCksIHNwYW5zLmxlbmd0aCAtIHF1ZXJpZXMubGVuZ3RoICsgMSk7XG4gICAgYXNzZXJ0LmVxdWFsKGF3YWl0IGdyb3VwLmdldEF0dHJpYnV0ZShcImFyaWEtZXhwYW5kZWRcIiksIFwiZmFsc2VcIik7XG4gICAgYXdhaXQgZ3JvdXAubG9jYXRvcihcIi50cmVlLXRvZ2dsZVwiKS5jbGljaygpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXG4gICAgICBcInRoZSBtZW1iZXJzIGFyZSBsaXN0ZWRcIixcbiAgICAgIGFzeW5jICgpID0+IChhd2FpdCByb3dzKHBhZ2UpLmNvdW50KCkpID09PSBzcGFucy5sZW5ndGggKyAxLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkdyb3VwIGVxdWFsIHNwYW5zXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwibm8gZ3JvdXBcIiwgYXN5bmMgKCkgPT4gKGF3YWl0IHJvd3MocGFnZSkuY291bnQoKSkgPT09IHNwYW5zLmxlbmd0aCk7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3NlcnZlci51cmx9L3RyYWNlcz90cmFjZT0ke3RyYWNlfSZzcGFuPSR7cXVlcmllc1syXS5pZH1gKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGF0YS1yb3cuc2VsZWN0ZWRcIiwgeyBoYXNUZXh0OiBcIlNFTEVDVCBzdG9ja1wiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyYWNlIHZpZXc6IHNwYW5zIGFyZSBzZWFyY2hlZCBieSBuYW1lIGFuZCBhdHRyaWJ1dGUsIGFuZCBuIGdvZXMgdG8gdGhlIG5leHQgbWF0Y2hcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCB7IHNlcnZlciwgZGF0YSB9ID0gYXdhaXQgc2hvcFNlcnZlcigpO1xuICBjb25zdCB7IHRyYWNlLCBzcGFucyB9ID0gZmFpbGVkVHJhY2UoZGF0YSk7XG4gIGNvbnN0IHF1ZXJpZXMgPSBzcGFucy5maWx0ZXIoKHMpID0+IHMubmFtZSA9PT0gXCJTRUxFQ1Qgc3RvY2tcIik7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZX1gKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCIvXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQudHlwZShcInBvc3RncmVzcWxcIik7XG4gICAgY29uc3QgYmFyID0gcGFnZS5sb2NhdG9yKFwiLmZhbGwtYmFyXCIpO1xuICAgIGF3YWl0IGJhci5sb2NhdG9yKFwiW3JvbGU9c3RhdHVzXVwiLCB7IGhhc1RleHQ6IGAke3F1ZXJpZXMubGVuZ3RofSBtYXRjaGVzYCB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkVudGVyXCIpO1xuICAgIGF3YWl0IGJhci5sb2NhdG9yKFwiW3JvbGU9c3RhdHVzXVwiLCB7IGhhc1RleHQ6IGAxIG9mICR7cXVlcmllcy5sZW5ndGh9YCB9KS53YWl0Rm9yKCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwic3BhblwiKSwgcXVlcmllc1swXS5pZCk7XG4gICAgYXNzZXJ0LmVxdWFsKHBhcmFtKHBhZ2UsIFwiZmluZFwiKSwgXCJwb3N0Z3Jlc3FsXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIm5cIik7XG4gICAgYXdhaXQgYmFyLmxvY2F0b3IoXCJbcm9sZT1zdGF0dXNdXCIsIHsgaGFzVGV4dDogYDIgb2YgJHtxdWVyaWVzLmxlbmd0aH1gIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiTlwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiTlwiKTtcbiAgICBhd2FpdCBiYXJcbiAgICAgIC5sb2NhdG9yKFwiW3JvbGU9c3RhdHVzXVwiLCB7IGhhc1RleHQ6IGAke3F1ZXJpZXMubGVuZ3RofSBvZiAke3F1ZXJpZXMubGVuZ3RofWAgfSlcbiAgICAgIC53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSB2aWV3OiB0aGUgZGV0YWlscyBvZiBhIHNwYW4gbGVhZCB0byBzcGFucyB3aXRoIHRoZSBzYW1lIGF0dHJpYnV0ZVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCBkYXRhIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGNvbnN0IHsgdHJhY2UsIGNoYXJnZSB9ID0gZmFpbGVkVHJhY2UoZGF0YSk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS90cmFjZXM/dHJhY2U9JHt0cmFjZX0mc3Bhbj0ke2NoYXJnZS5pZH1gKTtcbiAgICBhd2FpdCByb3dzKHBhZ2UpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJkXCIpO1xuICAgIGNvbnN0IHBhbmVsID0gcGFnZS5sb2NhdG9yKFwiLnNwYW4tcGFuZWxcIik7XG4gICAgYXdhaXQgcGFuZWwud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhbmVsLmxvY2F0b3IoXCIuc3Bhbi1tZXNzYWdlXCIsIHsgaGFzVGV4dDogXCJjYXJkIGRlY2xpbmVkIGFmdGVyIDMgcmV0cmllc1wiIH0pLndhaXRGb3IoKTtcbiAgICBjb25zdCB0ZXh0ID0gKGF3YWl0IHBhbmVsLnRleHRDb250ZW50KCkpITtcbiAgICBmb3IgKGNvbnN0IHBhcnQgb2YgW1xuICAgICAgXCJwYXltZW50LnJldHJpZXMzXCIsXG4gICAgICBcIltldSwgd2ViXVwiLFxuICAgICAgXCJleGNlcHRpb24udHlwZUNhcmREZWNsaW5lZFwiLFxuICAgICAgXCJzZXJ2aWNlLnZlcnNpb24xLjQuMlwiLFxuICAgICAgXCJwYXltZW50Lmh0dHAgMC45XCIsXG4gICAgICBcIkNyaXRpY2FsIHBhdGhcIixcbiAgICBdKVxuICAgICAgYXNzZXJ0Lm9rKHRleHQuaW5jbHVkZXMocGFydCksIGAke3BhcnR9IGluICR7dGV4dH1gKTtcbiAgICBhd2FpdCBwYW5lbFxuICAgICAgLmxvY2F0b3IoXCJkZFwiLCB7IGhhc1RleHQ6IC9eKD86dmlzYXxtYXN0ZXJjYXJkKS8gfSlcbiAgICAgIC5nZXRCeVJvbGUoXCJsaW5rXCIpXG4gICAgICAuY2xpY2soKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwiYSBzZWFyY2hcIiwgYXN5bmMgKCkgPT5cbiAgICAgIC9eXFx7IHNwYW5cXC5wYXltZW50XFwucHJvdmlkZXIgPSBcIig/OnZpc2F8bWFzdGVyY2FyZClcIiBcXH0kLy50ZXN0KHBhcmFtKHBhZ2UsIFwicVwiKSA/PyBcIlwiKSxcbiAgICApO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mb3VuZC10YWJsZSAuZGF0YS1yb3dcIikuZmlyc3QoKS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSB2aWV3OiBsaW5rcyBsZWFkIHRvIHRoZWlyIHNwYW4sIGFuZCB0aGUgSlNPTiBvZiB0aGUgdHJhY2UgaXMgY29waWVkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgeyBzZXJ2ZXIsIGRhdGEgfSA9IGF3YWl0IHNob3BTZXJ2ZXIoKTtcbiAgY29uc3QgbWFpbCA9IGRhdGEuc3BhbnMuZmluZCgocykgPT4gcy5saW5rcykhO1xuICBhd2FpdCB3aXRoUGFnZSh7IHBlcm1pc3Npb25zOiBbXCJjbGlwYm9hcmQtcmVhZFwiLCBcImNsaXBib2FyZC13cml0ZVwiXSB9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzZXJ2ZXIudXJsfS90cmFjZXM/dHJhY2U9JHttYWlsLnRyYWNlfSZzcGFuPSR7bWFpbC5pZH0mcGFuZT1zcGFuYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJsaW5rXCIsIHsgbmFtZTogXCJTcGFuIG9mIHRoaXMgdHJhY2VcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kYXRhLXJvdy5zZWxlY3RlZFwiLCB7IGhhc1RleHQ6IFwib3JkZXJzIHB1Ymxpc2hcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRyYWNlLWhlYWRcIikuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJDb3B5IEpTT05cIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJDb3BpZWRcIiB9KS53YWl0Rm9yKCk7XG4gICAgY29uc3QgY29waWVkID0gSlNPTi5wYXJzZShhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IG5hdmlnYXRvci5jbGlwYm9hcmQucmVhZFRleHQoKSkpIGFzIHtcbiAgICAgIHJlc291cmNlU3BhbnM6IHVua25vd25bXTtcbiAgICB9O1xuICAgIGFzc2VydC5vayhjb3BpZWQucmVzb3VyY2VTcGFucy5sZW5ndGggPj0gMyk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmFjZSB2aWV3OiBhIG1pc3NpbmcgcGFyZW50IGlzIGEgcm93LCBhbmQgdGhlIGNvc3RzIG9mIGFub3RoZXIgdGltZSBhcmUgb2ZmZXJlZFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHsgc2VydmVyLCBmcm9tIH0gPSBhd2FpdCBzaG9wU2VydmVyKCk7XG4gIGNvbnN0IHN0YXJ0ID0gZnJvbSAtIDMgKiAzNjAwXzAwMDtcbiAgY29uc3QgdHJhY2UgPSBcImZlZWQwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDBhYTAxXCI7XG4gIGNvbnN0IHNwYW4gPSAoaWQ6IHN0cmluZywgcGFyZW50OiBzdHJpbmcsIGF0OiBudW1iZXIsIG1zOiBudW1iZXIpOiBTaG9wU3BhbiA9PiAoe1xuICAgIHNlcnZpY2U6IFwibG9zdFwiLFxuICAgIHRyYWNlLFxuICAgIGlkLFxuICAgIHBhcmVudCxcbiAgICBuYW1lOiBgcGFydCAke2lkLnNsaWNlKC0xKX1gLFxuICAgIGtpbmQ6IDIsXG4gICAgZnJvbTogc3RhcnQgKyBhdCxcbiAgICBtcyxcbiAgICBhdHRyaWJ1dGVzOiB7fSxcbiAgfSk7XG4gIGF3YWl0IHNlbmRTaG9wU3BhbnMoc2VydmVyLnVybCwgW1xuICAgIHNwYW4oXCJmZTAwMDAwMDAwMDAwMDAxXCIsIFwiZmUwMDAwMDAwMDAwMDBmZlwiLCAwLCA0MCksXG4gICAgc3BhbihcImZlMDAwMDAwMDAwMDAwMDJcIiwgXCJmZTAwMDAwMDAwMDAwMGZmXCIsIDUwLCA1MCksXG4gICAgc3BhbihcImZlMDAwMDAwMDAwMDAwMDNcIiwgXCJmZTAwMDAwMDAwMDAwMDAyXCIsIDYwLCAxMCksXG4gIF0pO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7c2VydmVyLnVybH0vdHJhY2VzP3RyYWNlPSR7dHJhY2V9YCk7XG4gICAgYXdhaXQgcm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHJvd3MocGFnZSkuZmlyc3QoKS50ZXh0Q29udGVudCgpKSEsIC9taXNzaW5nIHBhcmVudCBmZTAwMDAwMFx1MjAyNi8pO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoXG4gICAgICBhd2FpdCBQcm9taXNlLmFsbChbMCwgMSwgMiwgM10ubWFwKChpKSA9PiByb3dzKHBhZ2UpLm50aChpKS5nZXRBdHRyaWJ1dGUoXCJhcmlhLWxldmVsXCIpKSksXG4gICAgICBbXCIxXCIsIFwiMlwiLCBcIjJcIiwgXCIzXCJdLFxuICAgICk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIlVzZSBpdHMgdGltZVwiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcIml0cyByYW5nZVwiLCBhc3luYyAoKSA9PiBOdW1iZXIocGFyYW0ocGFnZSwgXCJmcm9tXCIpKSA8IHN0YXJ0KTtcbiAgICBhc3NlcnQuZXF1YWwoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRyYWNlLW91dHNpZGVcIikuY291bnQoKSwgMCk7XG4gIH0pO1xufSk7XG4iLCAiLy8gU1BEWC1MaWNlbnNlLUlkZW50aWZpZXI6IEFwYWNoZS0yLjBcbi8vIEJyb3dzZXIgdGVzdHMgb2YgdGhlIHNhbmR3aWNoIHZpZXcgYW5kIHRoZSBjYWxsIHRyZWUsIG9uIGEgcmVhbCBzZXJ2ZXIgd2l0aCBrbm93biBkYXRhLlxuaW1wb3J0IGFzc2VydCBmcm9tIFwibm9kZTphc3NlcnQvc3RyaWN0XCI7XG5pbXBvcnQgeyBqb2luIH0gZnJvbSBcIm5vZGU6cGF0aFwiO1xuaW1wb3J0IHsgUGFnZSB9IGZyb20gXCJwbGF5d3JpZ2h0LWNvcmVcIjtcbmltcG9ydCB7IGZvcm1hdFNoYXJlLCBmb3JtYXRWYWx1ZSB9IGZyb20gXCIuLi8uLi9zcmMvYmFzZS91bml0c1wiO1xuaW1wb3J0IHsgdGVzdCB9IGZyb20gXCIuLi90YXBcIjtcbmltcG9ydCB7IGV2ZW50dWFsbHksIGZvbGRlZCwgc2NyZWVuc2hvdCwgc291cmNlUm9vdCwgdGVtcG9yYXJ5LCB3aXRoUGFnZSB9IGZyb20gXCIuL3BhZ2VzXCI7XG5pbXBvcnQgeyBTZXJ2ZXIgfSBmcm9tIFwiLi9zZXJ2ZXJcIjtcblxuY29uc3QgaG9zdGlsZSA9IFtcbiAgJzxpbWcgc3JjPXggb25lcnJvcj1cIndpbmRvdy5oYWNrZWQ9MVwiPicsXG4gIFwiXFx1MjAyZWducC5leGVcIixcbiAgXCJ4XCIucmVwZWF0KDEwXzAwMCksXG4gIFwiXHVEODNEXHVERTAwIGVtb2ppIFx1NTFGRFx1NjU3MFwiLFxuXTtcblxubGV0IGtub3duOiBQcm9taXNlPFNlcnZlcj4gfCBudWxsID0gbnVsbDtcblxuZnVuY3Rpb24gc2VydmVyKCk6IFByb21pc2U8U2VydmVyPiB7XG4gIGtub3duID8/PSAoYXN5bmMgKCkgPT4ge1xuICAgIGNvbnN0IHMgPSBhd2FpdCBuZXcgU2VydmVyKCkuc3RhcnQoKTtcbiAgICBjb25zdCBmaWxlcyA9IHRlbXBvcmFyeSgpO1xuICAgIHMucHVzaChqb2luKHNvdXJjZVJvb3QsIFwiZXhhbXBsZXMvY2hlY2tvdXQucGIuZ3pcIiksIFwiY2hlY2tvdXRcIiwgXCItLXRpbWVcIiwgXCJub3ctNW1cIik7XG4gICAgcy5wdXNoKFxuICAgICAgZm9sZGVkKGpvaW4oZmlsZXMsIFwic21hbGwuZm9sZGVkXCIpLCB7XG4gICAgICAgIFwibWFpbjt3b3JrO3NvcnQ7c3dhcFwiOiAyMCxcbiAgICAgICAgXCJtYWluO3dvcms7c29ydFwiOiA2MCxcbiAgICAgICAgXCJtYWluO3dvcms7Y29weVwiOiAxMCxcbiAgICAgICAgXCJtYWluO3dvcmtcIjogNSxcbiAgICAgICAgXCJtYWluO2lkbGVcIjogNCxcbiAgICAgICAgXCJ0aHJlYWQ7c29ydFwiOiA4LFxuICAgICAgfSksXG4gICAgICBcInNtYWxsXCIsXG4gICAgKTtcbiAgICBzLnB1c2goXG4gICAgICBmb2xkZWQoXG4gICAgICAgIGpvaW4oZmlsZXMsIFwiaG9zdGlsZS5mb2xkZWRcIiksXG4gICAgICAgIE9iamVjdC5mcm9tRW50cmllcyhcbiAgICAgICAgICBob3N0aWxlLm1hcCgobmFtZSwgaSkgPT4gW2BtYWluOyR7aG9zdGlsZVsoaSArIDEpICUgaG9zdGlsZS5sZW5ndGhdfTske25hbWV9YCwgaSArIDFdKSxcbiAgICAgICAgKSxcbiAgICAgICksXG4gICAgICBcImhvc3RpbGVcIixcbiAgICApO1xuICAgIGNvbnN0IG1hbnk6IFJlY29yZDxzdHJpbmcsIG51bWJlcj4gPSB7fTtcbiAgICBmb3IgKGxldCBpID0gMDsgaSA8IDYwXzAwMDsgaSsrKVxuICAgICAgbWFueVtgbWFpbjtncm91cF8ke2kgJSA0MH07cGFydF8ke2kgJSAyMDAwfTtsZWFmXyR7aX1gXSA9IDEgKyAoaSAlIDcpO1xuICAgIHMucHVzaChmb2xkZWQoam9pbihmaWxlcywgXCJtYW55LmZvbGRlZFwiKSwgbWFueSksIFwibWFueVwiKTtcbiAgICByZXR1cm4gcztcbiAgfSkoKTtcbiAgcmV0dXJuIGtub3duO1xufVxuXG5jb25zdCBwYW5lID0gKHBhZ2U6IFBhZ2UsIG5hbWU6IHN0cmluZykgPT4gcGFnZS5sb2NhdG9yKGBzZWN0aW9uW2FyaWEtbGFiZWw9XCIke25hbWV9XCJdYCk7XG5jb25zdCB0cmVlUm93cyA9IChwYWdlOiBQYWdlKSA9PiBwYWdlLmxvY2F0b3IoXCJbcm9sZT10cmVlZ3JpZF0gLmRhdGEtcm93XCIpO1xuY29uc3QgbmFtZXMgPSBhc3luYyAocGFnZTogUGFnZSkgPT5cbiAgKGF3YWl0IHRyZWVSb3dzKHBhZ2UpLmxvY2F0b3IoXCIudHJlZS1uYW1lIGJkaVwiKS5hbGxUZXh0Q29udGVudHMoKSkuam9pbihcIiBcIik7XG5jb25zdCBzaG93cyA9IChwYWdlOiBQYWdlLCB0ZXh0OiBzdHJpbmcpID0+XG4gIGV2ZW50dWFsbHkodGV4dCwgYXN5bmMgKCkgPT4gKGF3YWl0IG5hbWVzKHBhZ2UpKSA9PT0gdGV4dCk7XG5cbmZvciAoY29uc3QgdGhlbWUgb2YgW1wibGlnaHRcIiwgXCJkYXJrXCJdIGFzIGNvbnN0KVxuICBmb3IgKGNvbnN0IHdpZHRoIG9mIFsxMjgwLCAxOTIwLCAzOTBdKVxuICAgIHRlc3QoYHRyZWU6IGNhbGwgdHJlZSBhbmQgc2FuZHdpY2gsICR7dGhlbWV9LCAke3dpZHRofSB3aWRlYCwgYXN5bmMgKCkgPT4ge1xuICAgICAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICAgICAgYXdhaXQgd2l0aFBhZ2UoXG4gICAgICAgIHsgY29sb3JTY2hlbWU6IHRoZW1lLCB2aWV3cG9ydDogeyB3aWR0aCwgaGVpZ2h0OiB3aWR0aCA9PT0gMzkwID8gODQ0IDogOTAwIH0gfSxcbiAgICAgICAgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICAgICAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9dHJlZSZzZWFyY2g9anNvbmApO1xuICAgICAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi50cmVlLWZvdW5kXCIpLmZpcnN0KCkud2FpdEZvcigpO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHRyZWUtJHt0aGVtZX0tJHt3aWR0aH1gKTtcbiAgICAgICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgICAgICBhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IGRvY3VtZW50LmRvY3VtZW50RWxlbWVudC5zY3JvbGxXaWR0aCA+IGlubmVyV2lkdGgpLFxuICAgICAgICAgICAgZmFsc2UsXG4gICAgICAgICAgICBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIixcbiAgICAgICAgICApO1xuICAgICAgICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgICAgICAgIGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1jaGVja291dCZ2aWV3PXNhbmR3aWNoJmZ1bmN0aW9uPXJ1bnRpbWUubWFsbG9jZ2NgLFxuICAgICAgICAgICk7XG4gICAgICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmZsYW1lLWxlZ2VuZFwiKS5udGgoMSkud2FpdEZvcigpO1xuICAgICAgICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgYHNhbmR3aWNoLSR7dGhlbWV9LSR7d2lkdGh9YCk7XG4gICAgICAgICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgICAgICAgYXdhaXQgcGFnZS5ldmFsdWF0ZSgoKSA9PiBkb2N1bWVudC5kb2N1bWVudEVsZW1lbnQuc2Nyb2xsV2lkdGggPiBpbm5lcldpZHRoKSxcbiAgICAgICAgICAgIGZhbHNlLFxuICAgICAgICAgICAgXCJub3RoaW5nIGlzIGN1dCBvZmYgYXQgdGhlIHJpZ2h0IG9mIHRoZSBzYW5kd2ljaFwiLFxuICAgICAgICAgICk7XG4gICAgICAgIH0sXG4gICAgICApO1xuICAgIH0pO1xuXG50ZXN0KFwic2FuZHdpY2g6IGEgZnVuY3Rpb24ncyB2YWx1ZXMgYXJlIHRob3NlIG9mIHZhcnZlIHF1ZXJ5IHRvcFwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgY29uc3QgZXhwZWN0ZWQgPSBKU09OLnBhcnNlKHMucXVlcnkoXCJ0b3BcIiwgXCJjaGVja291dFwiLCBcIi1uXCIsIFwiMFwiLCBcIi0tanNvblwiKSkgYXMge1xuICAgIHRvdGFsOiBudW1iZXI7XG4gICAgcm93czogeyBuYW1lPzogc3RyaW5nOyBmdW5jdGlvbj86IHN0cmluZzsgc2VsZjogbnVtYmVyOyB0b3RhbDogbnVtYmVyIH1bXTtcbiAgfTtcbiAgY29uc3Qgcm93ID0gZXhwZWN0ZWQucm93cy5maW5kKChyKSA9PiAoci5uYW1lID8/IHIuZnVuY3Rpb24pID09PSBcInJ1bnRpbWUubWFsbG9jZ2NcIikhO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWNoZWNrb3V0JnZpZXc9c2FuZHdpY2gmZnVuY3Rpb249cnVudGltZS5tYWxsb2NnY2ApO1xuICAgIGNvbnN0IHdvcmRzID0gcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLXdvcmRzXCIpO1xuICAgIGF3YWl0IHdvcmRzLndhaXRGb3IoKTtcbiAgICBjb25zdCBbdG90YWwsIHNlbGZdID0gYXdhaXQgd29yZHMubG9jYXRvcihcInN0cm9uZ1wiKS5hbGxUZXh0Q29udGVudHMoKTtcbiAgICBjb25zdCB3aG9sZSA9IGV4cGVjdGVkLnJvd3MuZmluZCgocikgPT4gKHIubmFtZSA/PyByLmZ1bmN0aW9uKSA9PT0gXCJydW50aW1lLm1haW5cIikhLnRvdGFsO1xuICAgIGFzc2VydC5lcXVhbChcbiAgICAgIHRvdGFsLFxuICAgICAgYCR7Zm9ybWF0VmFsdWUocm93LnRvdGFsLCBcIm5hbm9zZWNvbmRzXCIpfSAoJHtmb3JtYXRTaGFyZShyb3cudG90YWwsIDYuMTNlOSl9KWAsXG4gICAgKTtcbiAgICBhc3NlcnQuZXF1YWwoXG4gICAgICBzZWxmLFxuICAgICAgYCR7Zm9ybWF0VmFsdWUocm93LnNlbGYsIFwibmFub3NlY29uZHNcIil9ICgke2Zvcm1hdFNoYXJlKHJvdy5zZWxmLCA2LjEzZTkpfSlgLFxuICAgICk7XG4gICAgYXNzZXJ0LmVxdWFsKHdob2xlLCA2LjEzZTkpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwic2FuZHdpY2g6IGRpcmVjdCBjYWxsZXJzIGFuZCBjYWxsZWVzIGFyZSBleGFjdCwgYW5kIGNsaWNrYWJsZVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zbWFsbCZ2aWV3PXNhbmR3aWNoJmZ1bmN0aW9uPXNvcnRgKTtcbiAgICBhd2FpdCBwYW5lKHBhZ2UsIFwiRGlyZWN0IGNhbGxlcnNcIikubG9jYXRvcihcIi5kYXRhLXJvd1wiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhc3NlcnQubWF0Y2goXG4gICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLXdvcmRzXCIpLnRleHRDb250ZW50KCkpISxcbiAgICAgIC9eODggXFwoODJcXC4yJVxcKSB0b3RhbCwgNjggXFwoNjNcXC42JVxcKSBzZWxmLCBvZiAxMDcvLFxuICAgICk7XG4gICAgY29uc3QgY2FsbGVycyA9IGF3YWl0IHBhbmUocGFnZSwgXCJEaXJlY3QgY2FsbGVyc1wiKS5sb2NhdG9yKFwiLmRhdGEtcm93XCIpLmFsbFRleHRDb250ZW50cygpO1xuICAgIGFzc2VydC5kZWVwRXF1YWwoY2FsbGVycywgW1wid29yazgwIDkwLjklXCIsIFwidGhyZWFkOCA5LjElXCJdKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IHBhbmUocGFnZSwgXCJEaXJlY3QgY2FsbGVlc1wiKS5sb2NhdG9yKFwiLmRhdGEtcm93XCIpLmFsbFRleHRDb250ZW50cygpLCBbXG4gICAgICBcInN3YXAyMCAyMi43JVwiLFxuICAgIF0pO1xuICAgIGFzc2VydC5tYXRjaChcbiAgICAgIChhd2FpdCBwYW5lKHBhZ2UsIFwiRGlyZWN0IGNhbGxlZXNcIikubG9jYXRvcihcIi50YWJsZS1mb290XCIpLnRleHRDb250ZW50KCkpISxcbiAgICAgIC8xIGZ1bmN0aW9uOyA2OCBcXCg3N1xcLjMlXFwpIHNlbGYvLFxuICAgICk7XG4gICAgYXdhaXQgcGFuZShwYWdlLCBcIkRpcmVjdCBjYWxsZXJzXCIpLmxvY2F0b3IoXCIuZGF0YS1yb3dcIiwgeyBoYXNUZXh0OiBcIndvcmtcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zYW5kd2ljaC1uYW1lXCIsIHsgaGFzVGV4dDogXCJ3b3JrXCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5tYXRjaChwYWdlLnVybCgpLCAvZnVuY3Rpb249d29yay8pO1xuICAgIGF3YWl0IHBhZ2UuZ29CYWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLW5hbWVcIiwgeyBoYXNUZXh0OiBcInNvcnRcIiB9KS53YWl0Rm9yKCk7XG4gICAgLy8gQSBjbGljayBvbiBhIGZyYW1lIG9mIHRoZSBncmFwaCBzZWxlY3RzIGl0cyBmdW5jdGlvbiwgdG9vLlxuICAgIGF3YWl0IHBhbmUocGFnZSwgXCJDYWxsZWVzXCIpXG4gICAgICAubG9jYXRvcihcImNhbnZhcy5mbGFtZS1jYW52YXNcIilcbiAgICAgIC5jbGljayh7IHBvc2l0aW9uOiB7IHg6IDIwLCB5OiAzMCB9IH0pO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zYW5kd2ljaC1uYW1lXCIsIHsgaGFzVGV4dDogXCJzd2FwXCIgfSkud2FpdEZvcigpO1xuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgcGFuZShwYWdlLCBcIkRpcmVjdCBjYWxsZWVzXCIpLnRleHRDb250ZW50KCkpISwgL05vIGNhbGxlZXMvKTtcbiAgfSk7XG59KTtcblxudGVzdChcInNhbmR3aWNoOiBhIGZ1bmN0aW9uIGlzIHNlbGVjdGVkIGZyb20gdGhlIGxpc3QsIG9yIGJ5IHR5cGluZ1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zbWFsbCZ2aWV3PXNhbmR3aWNoYCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJoZWFkaW5nXCIsIHsgbmFtZTogXCJTZWxlY3QgYSBmdW5jdGlvblwiIH0pLndhaXRGb3IoKTtcbiAgICBhd2FpdCBzY3JlZW5zaG90KHBhZ2UsIFwic2FuZHdpY2gtY2hvb3NlXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikuZmlsbChcImNvcFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJvbmUgcm93XCIsXG4gICAgICBhc3luYyAoKSA9PiAoYXdhaXQgcGFuZShwYWdlLCBcIkZ1bmN0aW9uc1wiKS5sb2NhdG9yKFwiLmRhdGEtcm93XCIpLmNvdW50KCkpID09PSAxLFxuICAgICk7XG4gICAgYXdhaXQgcGFuZShwYWdlLCBcIkZ1bmN0aW9uc1wiKS5sb2NhdG9yKFwiLmRhdGEtcm93XCIpLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLW5hbWVcIiwgeyBoYXNUZXh0OiBcImNvcHlcIiB9KS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5nZXRCeVJvbGUoXCJidXR0b25cIiwgeyBuYW1lOiBcIkNoYW5nZSBcdTI1QkVcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5mdW5jdGlvbi1waWNrZXIgaW5wdXRcIikuZmlsbChcImlkbFwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFxuICAgICAgXCJvbmUgbWF0Y2hcIixcbiAgICAgIGFzeW5jICgpID0+IChhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZnVuY3Rpb24tcGlja2VyIC5waWNrXCIpLmNvdW50KCkpID09PSAxLFxuICAgICk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInNhbmR3aWNoLXBpY2tlclwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW50ZXJcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnNhbmR3aWNoLW5hbWVcIiwgeyBoYXNUZXh0OiBcImlkbGVcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJzYW5kd2ljaDogYSBtaXNzaW5nIGZ1bmN0aW9uIGlzIHJlcG9ydGVkLCB3aXRoIGEgbGlzdCBvZiBmdW5jdGlvbnNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9c21hbGwmdmlldz1zYW5kd2ljaCZmdW5jdGlvbj1ub2JvZHlgKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5VGV4dChcIm5vYm9keSBpcyBub3QgaW4gdGhpcyBzZWxlY3Rpb25cIikud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhbmUocGFnZSwgXCJGdW5jdGlvbnNcIikubG9jYXRvcihcIi5kYXRhLXJvd1wiKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBwYWdlLnBhZ2VFcnJvcnMgPSBwYWdlLnBhZ2VFcnJvcnMuZmlsdGVyKChjKSA9PiAhL3N0YXR1cyBvZiA0MDQvLnRlc3QoYykpO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJlZTogdGhlIGhvdHRlc3QgcGF0aCBpcyBleHBhbmRlZCwgYW5kIGVhY2ggcm93IGhhcyBpdHMgdmFsdWVzXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PXNtYWxsJnZpZXc9dHJlZWApO1xuICAgIGF3YWl0IHNob3dzKHBhZ2UsIFwibWFpbiB3b3JrIHNvcnQgY29weSBpZGxlIHRocmVhZFwiKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKGF3YWl0IHRyZWVSb3dzKHBhZ2UpLm50aCgyKS5sb2NhdG9yKFwiW3JvbGU9Z3JpZGNlbGxdXCIpLmFsbFRleHRDb250ZW50cygpLCBbXG4gICAgICBcIlx1MjVCOHNvcnRcIixcbiAgICAgIFwiODAgNzQuOCVcIixcbiAgICAgIFwiNjAgNTYuMSVcIixcbiAgICAgIFwiXCIsXG4gICAgXSk7XG4gICAgY29uc3Qgc29ydCA9IHRyZWVSb3dzKHBhZ2UpLm50aCgyKTtcbiAgICBhc3NlcnQuZGVlcEVxdWFsKFxuICAgICAgW1xuICAgICAgICBhd2FpdCBzb3J0LmdldEF0dHJpYnV0ZShcImFyaWEtbGV2ZWxcIiksXG4gICAgICAgIGF3YWl0IHNvcnQuZ2V0QXR0cmlidXRlKFwiYXJpYS1leHBhbmRlZFwiKSxcbiAgICAgICAgYXdhaXQgc29ydC5nZXRBdHRyaWJ1dGUoXCJhcmlhLXNlbGVjdGVkXCIpLFxuICAgICAgXSxcbiAgICAgIFtcIjNcIiwgXCJmYWxzZVwiLCBcInRydWVcIl0sXG4gICAgKTtcbiAgICBhc3NlcnQuZXF1YWwoXG4gICAgICBhd2FpdCB0cmVlUm93cyhwYWdlKS5udGgoNCkuZ2V0QXR0cmlidXRlKFwiYXJpYS1leHBhbmRlZFwiKSxcbiAgICAgIG51bGwsXG4gICAgICBcImEgbGVhZiBjYW5ub3QgYmUgZXhwYW5kZWRcIixcbiAgICApO1xuICB9KTtcbn0pO1xuXG50ZXN0KFwidHJlZTogcm93cyBleHBhbmQgYW5kIGNvbGxhcHNlIGJ5IGtleWJvYXJkIGFuZCBieSBjbGlja1wiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zbWFsbCZ2aWV3PXRyZWVgKTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcIm1haW4gd29yayBzb3J0IGNvcHkgaWRsZSB0aHJlYWRcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiW3JvbGU9dHJlZWdyaWRdXCIpLmZvY3VzKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93UmlnaHRcIik7XG4gICAgYXdhaXQgc2hvd3MocGFnZSwgXCJtYWluIHdvcmsgc29ydCBzd2FwIGNvcHkgaWRsZSB0aHJlYWRcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkFycm93UmlnaHRcIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIsIHsgaGFzVGV4dDogXCJzd2FwXCIgfSkud2FpdEZvcigpO1xuICAgIGNvbnN0IGFjdGl2ZSA9IGF3YWl0IHBhZ2UubG9jYXRvcihcIltyb2xlPXRyZWVncmlkXVwiKS5nZXRBdHRyaWJ1dGUoXCJhcmlhLWFjdGl2ZWRlc2NlbmRhbnRcIik7XG4gICAgYXNzZXJ0LmVxdWFsKFxuICAgICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIpLmdldEF0dHJpYnV0ZShcImlkXCIpLFxuICAgICAgYWN0aXZlLFxuICAgICAgXCJhcmlhLWFjdGl2ZWRlc2NlbmRhbnQgbmFtZXMgdGhlIHNlbGVjdGVkIHJvd1wiLFxuICAgICk7XG4gICAgLy8gcGFyZW50LCBjb2xsYXBzZSwgcGFyZW50LCBjb2xsYXBzZVxuICAgIGZvciAoY29uc3Qga2V5IG9mIFtcIkFycm93TGVmdFwiLCBcIkFycm93TGVmdFwiLCBcIkFycm93TGVmdFwiLCBcIkFycm93TGVmdFwiXSlcbiAgICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3Moa2V5KTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcIm1haW4gd29yayBpZGxlIHRocmVhZFwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiSG9tZVwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiLVwiKTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcIm1haW4gdGhyZWFkXCIpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCIqXCIpO1xuICAgIGF3YWl0IHNob3dzKHBhZ2UsIFwibWFpbiB3b3JrIHNvcnQgc3dhcCBjb3B5IGlkbGUgdGhyZWFkXCIpO1xuICAgIGF3YWl0IHBhZ2UuZ2V0QnlSb2xlKFwiYnV0dG9uXCIsIHsgbmFtZTogXCJDb2xsYXBzZSBhbGxcIiB9KS5jbGljaygpO1xuICAgIGF3YWl0IHNob3dzKHBhZ2UsIFwibWFpbiB0aHJlYWRcIik7XG4gICAgYXdhaXQgdHJlZVJvd3MocGFnZSkubnRoKDEpLmxvY2F0b3IoXCIudHJlZS10b2dnbGVcIikuY2xpY2soKTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcIm1haW4gdGhyZWFkIHNvcnRcIik7XG4gICAgYXdhaXQgdHJlZVJvd3MocGFnZSkubnRoKDApLmRibGNsaWNrKCk7XG4gICAgYXdhaXQgc2hvd3MocGFnZSwgXCJtYWluIHdvcmsgaWRsZSB0aHJlYWQgc29ydFwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiaFwiKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGF0YS1yb3cuc2VsZWN0ZWRcIiwgeyBoYXNUZXh0OiBcInNvcnRcIiB9KS53YWl0Rm9yKCk7XG4gIH0pO1xufSk7XG5cbnRlc3QoXCJ0cmVlOiBhIHNlYXJjaCBleHBhbmRzIHRoZSBtYXRjaGVzLCBhbmQga2V5cyBtb3ZlIGJldHdlZW4gdGhlbVwiLCBhc3luYyAoKSA9PiB7XG4gIGNvbnN0IHMgPSBhd2FpdCBzZXJ2ZXIoKTtcbiAgYXdhaXQgd2l0aFBhZ2Uoe30sIGFzeW5jIChwYWdlKSA9PiB7XG4gICAgYXdhaXQgcGFnZS5nb3RvKGAke3MudXJsfS9wcm9maWxlcz9xdWVyeT1zbWFsbCZ2aWV3PXRyZWVgKTtcbiAgICBhd2FpdCB0cmVlUm93cyhwYWdlKS5maXJzdCgpLndhaXRGb3IoKTtcbiAgICBhd2FpdCBwYWdlLmdldEJ5Um9sZShcImJ1dHRvblwiLCB7IG5hbWU6IFwiQ29sbGFwc2UgYWxsXCIgfSkuY2xpY2soKTtcbiAgICBhd2FpdCBwYWdlLmxvY2F0b3IoXCIjc2VhcmNoXCIpLmZpbGwoXCIvXnMvXCIpO1xuICAgIGF3YWl0IHNob3dzKHBhZ2UsIFwibWFpbiB3b3JrIHNvcnQgc3dhcCBjb3B5IGlkbGUgdGhyZWFkIHNvcnRcIik7XG4gICAgYXNzZXJ0LmRlZXBFcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCIudHJlZS1mb3VuZFwiKS5hbGxUZXh0Q29udGVudHMoKSwgW1wic29ydFwiLCBcInN3YXBcIiwgXCJzb3J0XCJdKTtcbiAgICBhc3NlcnQubWF0Y2goKGF3YWl0IHBhZ2UubG9jYXRvcihcIi50YWJsZS1mb290XCIpLnRleHRDb250ZW50KCkpISwgLzMgbWF0Y2hlcywgODggXFwoODJcXC4yJVxcKS8pO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIiNzZWFyY2hcIikucHJlc3MoXCJFc2NhcGVcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIm5cIik7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIsIHsgaGFzVGV4dDogXCJzd2FwXCIgfSkud2FpdEZvcigpO1xuICAgIGF3YWl0IHBhZ2Uua2V5Ym9hcmQucHJlc3MoXCJOXCIpO1xuICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5kYXRhLXJvdy5zZWxlY3RlZFwiLCB7IGhhc1RleHQ6IFwic29ydFwiIH0pLndhaXRGb3IoKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyZWU6IHRoZSBzdWJ0cmVlIG9mIGEgcm93LCBpbnZlcnRlZCBhbmQgZmlsdGVyZWQgdHJlZXNcIiwgYXN5bmMgKCkgPT4ge1xuICBjb25zdCBzID0gYXdhaXQgc2VydmVyKCk7XG4gIGF3YWl0IHdpdGhQYWdlKHt9LCBhc3luYyAocGFnZSkgPT4ge1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9c21hbGwmdmlldz10cmVlYCk7XG4gICAgYXdhaXQgc2hvd3MocGFnZSwgXCJtYWluIHdvcmsgc29ydCBjb3B5IGlkbGUgdGhyZWFkXCIpO1xuICAgIGF3YWl0IHRyZWVSb3dzKHBhZ2UpLmZpbHRlcih7IGhhc1RleHQ6IFwid29ya1wiIH0pLmNsaWNrKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcInpcIik7XG4gICAgYXdhaXQgc2hvd3MocGFnZSwgXCJzb3J0IGNvcHlcIik7XG4gICAgYXNzZXJ0Lm1hdGNoKHBhZ2UudXJsKCksIC96b29tPW1haW4mem9vbT13b3JrLyk7XG4gICAgYXdhaXQgcGFnZS5yZWxvYWQoKTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcInNvcnQgY29weVwiKTtcbiAgICBhd2FpdCBldmVudHVhbGx5KFwiYSBzdGVwIG91dFwiLCBhc3luYyAoKSA9PiB7XG4gICAgICAvLyBSZXBlYXQ6IGtleXMgYXJlIHJlZ2lzdGVyZWQgc2hvcnRseSBhZnRlciB0aGUgcm93cyBhcmUgcmVuZGVyZWQuXG4gICAgICBpZiAocGFnZS51cmwoKS5pbmNsdWRlcyhcInpvb209d29ya1wiKSkgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkJhY2tzcGFjZVwiKTtcbiAgICAgIHJldHVybiAoYXdhaXQgbmFtZXMocGFnZSkpLnN0YXJ0c1dpdGgoXCJ3b3JrXCIpO1xuICAgIH0pO1xuICAgIGF3YWl0IHBhZ2UuZ290byhgJHtzLnVybH0vcHJvZmlsZXM/cXVlcnk9c21hbGwmdmlldz10cmVlJmludmVydD0xJmZvY3VzPXN3YXBgKTtcbiAgICBhd2FpdCBzaG93cyhwYWdlLCBcInN3YXAgc29ydCB3b3JrIG1haW5cIik7IC8vIGl0cyBjYWxsZXJzIGFyZSBiZWxvdyBpdFxuICAgIGFzc2VydC5tYXRjaCgoYXdhaXQgdHJlZVJvd3MocGFnZSkuZmlyc3QoKS50ZXh0Q29udGVudCgpKSEsIC9zd2FwMjAgMTAwXFwuMCUvKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyZWU6IG9mIDYwLDAwMCBmcmFtZXMgb25seSB2aXNpYmxlIHJvd3MgYXJlIHJlbmRlcmVkXCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PW1hbnkmdmlldz10cmVlYCk7XG4gICAgYXdhaXQgdHJlZVJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiW3JvbGU9dHJlZWdyaWRdXCIpLmZvY3VzKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkhvbWVcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIipcIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcbiAgICAgIFwiYWxsIG9wZW5cIixcbiAgICAgIGFzeW5jICgpID0+XG4gICAgICAgIE51bWJlcihhd2FpdCBwYWdlLmxvY2F0b3IoXCJbcm9sZT10cmVlZ3JpZF1cIikuZ2V0QXR0cmlidXRlKFwiYXJpYS1yb3djb3VudFwiKSkgPiAzMF8wMDAsXG4gICAgKTtcbiAgICBhc3NlcnQub2soKGF3YWl0IHRyZWVSb3dzKHBhZ2UpLmNvdW50KCkpIDwgMTAwLCBcIm9ubHkgdmlzaWJsZSByb3dzIGFyZSByZW5kZXJlZFwiKTtcbiAgICBhd2FpdCBwYWdlLmtleWJvYXJkLnByZXNzKFwiRW5kXCIpO1xuICAgIGF3YWl0IGV2ZW50dWFsbHkoXG4gICAgICBcInRoZSBsYXN0XCIsXG4gICAgICBhc3luYyAoKSA9PlxuICAgICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLmRhdGEtcm93LnNlbGVjdGVkXCIpLmNvdW50KCkpID09PSAxICYmXG4gICAgICAgIE51bWJlcihhd2FpdCBwYWdlLmxvY2F0b3IoXCIuZGF0YS1yb3cuc2VsZWN0ZWRcIikuZ2V0QXR0cmlidXRlKFwiYXJpYS1yb3dpbmRleFwiKSkgPiAzMF8wMDAsXG4gICAgKTtcbiAgICBhc3NlcnQubWF0Y2goXG4gICAgICAoYXdhaXQgcGFnZS5sb2NhdG9yKFwiLnRhYmxlLWZvb3RcIikudGV4dENvbnRlbnQoKSkhLFxuICAgICAgL3NtYWxsZXIgZnJhbWVzLCBbXFxkLl0rJSBpbiB0b3RhbCwgYXJlIG5vdCBsaXN0ZWQvLFxuICAgICk7XG4gICAgYXdhaXQgc2NyZWVuc2hvdChwYWdlLCBcInRyZWUtbWFueVwiKTtcbiAgfSk7XG59KTtcblxudGVzdChcInRyZWU6IG5hbWVzIGFyZSByZW5kZXJlZCBhcyB0ZXh0XCIsIGFzeW5jICgpID0+IHtcbiAgY29uc3QgcyA9IGF3YWl0IHNlcnZlcigpO1xuICBhd2FpdCB3aXRoUGFnZSh7fSwgYXN5bmMgKHBhZ2UpID0+IHtcbiAgICBhd2FpdCBwYWdlLmdvdG8oYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWhvc3RpbGUmdmlldz10cmVlYCk7XG4gICAgYXdhaXQgdHJlZVJvd3MocGFnZSkuZmlyc3QoKS53YWl0Rm9yKCk7XG4gICAgYXdhaXQgcGFnZS5sb2NhdG9yKFwiW3JvbGU9dHJlZWdyaWRdXCIpLmZvY3VzKCk7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIkhvbWVcIik7XG4gICAgYXdhaXQgcGFnZS5rZXlib2FyZC5wcmVzcyhcIipcIik7XG4gICAgYXdhaXQgZXZlbnR1YWxseShcImFsbCBuYW1lc1wiLCBhc3luYyAoKSA9PiAoYXdhaXQgdHJlZVJvd3MocGFnZSkuY291bnQoKSkgPT09IDkpO1xuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJ0cmVlLWhvc3RpbGVcIik7XG4gICAgZm9yIChjb25zdCBuYW1lIG9mIGhvc3RpbGUpIHtcbiAgICAgIGF3YWl0IHBhZ2UuZ290byhcbiAgICAgICAgYCR7cy51cmx9L3Byb2ZpbGVzP3F1ZXJ5PWhvc3RpbGUmdmlldz1zYW5kd2ljaCZmdW5jdGlvbj0ke2VuY29kZVVSSUNvbXBvbmVudChuYW1lKX1gLFxuICAgICAgKTtcbiAgICAgIGF3YWl0IHBhZ2UubG9jYXRvcihcIi5zYW5kd2ljaC13b3Jkc1wiKS53YWl0Rm9yKCk7XG4gICAgICBhc3NlcnQuZXF1YWwoXG4gICAgICAgIGF3YWl0IHBhZ2UuZXZhbHVhdGUoKCkgPT4gZG9jdW1lbnQuZG9jdW1lbnRFbGVtZW50LnNjcm9sbFdpZHRoID4gaW5uZXJXaWR0aCksXG4gICAgICAgIGZhbHNlLFxuICAgICAgICBcIm5vdGhpbmcgaXMgY3V0IG9mZiBhdCB0aGUgcmlnaHRcIixcbiAgICAgICk7XG4gICAgfVxuICAgIGF3YWl0IHNjcmVlbnNob3QocGFnZSwgXCJzYW5kd2ljaC1ob3N0aWxlXCIpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmV2YWx1YXRlKCgpID0+IFwiaGFja2VkXCIgaW4gd2luZG93KSwgZmFsc2UpO1xuICAgIGFzc2VydC5lcXVhbChhd2FpdCBwYWdlLmxvY2F0b3IoXCJtYWluIGltZ1wiKS5jb3VudCgpLCAwKTtcbiAgfSk7XG59KTtcbiIsICJpbXBvcnQgXCIvd29yay93L2RyaWZ0L3VpL3Rlc3QvYnJvd3Nlci9hbGxfdmlld3MudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvYXNfb2YudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvY29tcGFyZS50ZXN0LnRzXCI7XG5pbXBvcnQgXCIvd29yay93L2RyaWZ0L3VpL3Rlc3QvYnJvd3Nlci9jb250cm9sLnRlc3QudHNcIjtcbmltcG9ydCBcIi93b3JrL3cvZHJpZnQvdWkvdGVzdC9icm93c2VyL2RyaWZ0LnRlc3QudHNcIjtcbmltcG9ydCBcIi93b3JrL3cvZHJpZnQvdWkvdGVzdC9icm93c2VyL2V4cGxvcmUudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvZmlsZXMudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvZmxhbWUudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvaGVhdC50ZXN0LnRzXCI7XG5pbXBvcnQgXCIvd29yay93L2RyaWZ0L3VpL3Rlc3QvYnJvd3Nlci9sb2dzLnRlc3QudHNcIjtcbmltcG9ydCBcIi93b3JrL3cvZHJpZnQvdWkvdGVzdC9icm93c2VyL21vZHVsZXMudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvc2luZ2xlX3BhZ2UudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvc3BhbnMudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvc3RhdHVzLnRlc3QudHNcIjtcbmltcG9ydCBcIi93b3JrL3cvZHJpZnQvdWkvdGVzdC9icm93c2VyL3N1bXMudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvdHJhY2Vfc2VhcmNoLnRlc3QudHNcIjtcbmltcG9ydCBcIi93b3JrL3cvZHJpZnQvdWkvdGVzdC9icm93c2VyL3RyYWNlX3ZpZXcudGVzdC50c1wiO1xuaW1wb3J0IFwiL3dvcmsvdy9kcmlmdC91aS90ZXN0L2Jyb3dzZXIvdHJlZS50ZXN0LnRzXCI7XG5pbXBvcnQgeyBydW5BbGwgfSBmcm9tIFwiLi90YXBcIjtcbmF3YWl0IHJ1bkFsbChcIlwiKTsiXSwKICAibWFwcGluZ3MiOiAiO0FBR0EsT0FBTyxZQUFZO0FBQ25CLFNBQVMsY0FBYyxpQkFBQUEsc0JBQXFCO0FBQzVDLFNBQVMsUUFBQUMsYUFBWTs7O0FDR3JCLElBQU0sUUFBZ0IsQ0FBQztBQUN2QixJQUFNLFVBQTZCLENBQUM7QUFFN0IsU0FBUyxLQUFLLE1BQWNDLE1BQW9CO0FBQ3JELFFBQU0sS0FBSyxFQUFFLE1BQU0sS0FBQUEsS0FBSSxDQUFDO0FBQzFCO0FBR08sSUFBTSxPQUFOLGNBQW1CLE1BQU07QUFBQztBQUcxQixTQUFTLE1BQU1BLE1BQW9CO0FBQ3hDLFVBQVEsS0FBS0EsSUFBRztBQUNsQjtBQUVBLElBQU0sVUFBVSxDQUFDQyxVQUFpQkEsTUFBSyxRQUFRLE9BQU8sSUFBSTtBQUUxRCxlQUFlLE9BQU8sRUFBRSxNQUFNLEtBQUFELEtBQUksR0FBUyxRQUFrQztBQUMzRSxNQUFJO0FBQ0YsVUFBTUEsS0FBSTtBQUNWLFlBQVEsSUFBSSxNQUFNLE1BQU0sTUFBTSxJQUFJLEVBQUU7QUFBQSxFQUN0QyxTQUFTLEdBQUc7QUFDVixRQUFJLGFBQWEsS0FBTSxTQUFRLElBQUksTUFBTSxNQUFNLE1BQU0sSUFBSSxXQUFXLEVBQUUsT0FBTyxFQUFFO0FBQUEsU0FDMUU7QUFDSCxjQUFRO0FBQUEsUUFDTixVQUFVLE1BQU0sTUFBTSxJQUFJO0FBQUEsRUFBSyxRQUFRLGFBQWEsUUFBUyxFQUFFLFNBQVMsRUFBRSxVQUFXLE9BQU8sQ0FBQyxDQUFDLENBQUM7QUFBQSxNQUNqRztBQUNBLGFBQU87QUFBQSxJQUNUO0FBQUEsRUFDRjtBQUNBLFNBQU87QUFDVDtBQUdBLGVBQXNCLE9BQU8sT0FBTyxJQUFJO0FBQ3RDLFFBQU0sU0FBUyxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsS0FBSyxTQUFTLElBQUksQ0FBQztBQUN4RCxVQUFRLElBQUksTUFBTSxPQUFPLE1BQU0sRUFBRTtBQUNqQyxNQUFJLFNBQVM7QUFDYixhQUFXLENBQUMsR0FBRyxDQUFDLEtBQUssT0FBTyxRQUFRLEVBQUcsS0FBSSxDQUFFLE1BQU0sT0FBTyxHQUFHLElBQUksQ0FBQyxFQUFJO0FBQ3RFLGFBQVcsT0FBTyxRQUFRLFFBQVEsRUFBRyxPQUFNLElBQUk7QUFDL0MsVUFBUSxXQUFXLFVBQVUsQ0FBQyxPQUFPLFNBQVMsSUFBSTtBQUNwRDs7O0FDOUNBLFNBQVMsb0JBQW9CO0FBQzdCLFNBQVMsV0FBVyxhQUFhLFFBQVEscUJBQXFCO0FBQzlELFNBQVMsY0FBYztBQUN2QixTQUFTLFNBQVMsWUFBWTtBQUM5QixTQUFTLHFCQUFxQjtBQUM5QixTQUF5QyxnQkFBc0I7QUFHeEQsSUFBTSxVQUFVLFFBQVEsSUFBSTtBQUM1QixJQUFNLGFBQWEsUUFBUSxJQUFJLGVBQWUsS0FBSyxRQUFRLElBQUksR0FBRyxJQUFJO0FBRTdFLElBQUksVUFBMEI7QUFFOUIsZUFBZSxnQkFBa0M7QUFDL0MsTUFBSSxDQUFDLFNBQVM7QUFDWixjQUFVLE1BQU0sU0FBUyxPQUFPO0FBQUEsTUFDOUIsZ0JBQWdCLFFBQVEsSUFBSSxZQUFZO0FBQUEsTUFDeEMsTUFBTSxDQUFDLGNBQWM7QUFBQSxJQUN2QixDQUFDO0FBQ0QsVUFBTSxNQUFNLFNBQVMsTUFBTSxDQUFDO0FBQUEsRUFDOUI7QUFDQSxTQUFPO0FBQ1Q7QUFHTyxTQUFTLFlBQW9CO0FBQ2xDLFFBQU0sT0FBTyxZQUFZLEtBQUssT0FBTyxHQUFHLGdCQUFnQixDQUFDO0FBQ3pELFFBQU0sTUFBTSxPQUFPLE1BQU0sRUFBRSxXQUFXLE1BQU0sT0FBTyxLQUFLLENBQUMsQ0FBQztBQUMxRCxTQUFPO0FBQ1Q7QUFFTyxTQUFTLE9BQU8sTUFBd0I7QUFDN0MsU0FBTyxhQUFhLFNBQVMsTUFBTSxFQUFFLFVBQVUsUUFBUSxXQUFXLEtBQUssR0FBRyxDQUFDO0FBQzdFO0FBR08sU0FBUyxPQUFPLE1BQWMsUUFBd0M7QUFDM0U7QUFBQSxJQUNFO0FBQUEsSUFDQSxPQUFPLFFBQVEsTUFBTSxFQUNsQixJQUFJLENBQUMsQ0FBQyxPQUFPLEtBQUssTUFBTSxHQUFHLEtBQUssSUFBSSxLQUFLO0FBQUEsQ0FBSSxFQUM3QyxLQUFLLEVBQUU7QUFBQSxFQUNaO0FBQ0EsU0FBTztBQUNUO0FBT0EsZUFBc0IsU0FDcEIsU0FDQSxLQUNBO0FBQ0EsUUFBTSxVQUFVLE9BQ2QsTUFBTSxjQUFjLEdBQ3BCLFdBQVcsRUFBRSxVQUFVLEVBQUUsT0FBTyxNQUFNLFFBQVEsSUFBSSxHQUFHLEdBQUcsUUFBUSxDQUFDO0FBQ25FLFVBQVEsa0JBQWtCLEdBQU07QUFDaEMsUUFBTSxPQUFRLE1BQU0sUUFBUSxRQUFRO0FBQ3BDLE9BQUssYUFBYSxDQUFDO0FBQ25CLE9BQUssa0JBQWtCLEdBQU07QUFDN0IsT0FBSyxHQUFHLGFBQWEsQ0FBQyxNQUFNLEtBQUssV0FBVyxLQUFLLFVBQVUsRUFBRSxPQUFPLEVBQUUsQ0FBQztBQUN2RSxPQUFLLEdBQUcsV0FBVyxDQUFDLE1BQU07QUFDeEIsVUFBTSxPQUFPLEVBQUUsS0FBSyxFQUFFLFNBQVMsb0JBQW9CO0FBQ25ELFFBQUksQ0FBQyxTQUFTLEVBQUUsS0FBSyxNQUFNLFdBQVcsRUFBRSxLQUFLLE1BQU07QUFDakQsV0FBSyxXQUFXLEtBQUssWUFBWSxFQUFFLEtBQUssQ0FBQyxFQUFFO0FBQUEsRUFDL0MsQ0FBQztBQUNELE9BQUssR0FBRyxXQUFXLENBQUMsTUFBTTtBQUN4QixVQUFNLEVBQUUsVUFBVSxTQUFTLElBQUksSUFBSSxJQUFJLEVBQUUsSUFBSSxDQUFDO0FBQzlDLFFBQUksU0FBUyxXQUFXLE1BQU0sS0FBSyxhQUFhLGVBQWUsYUFBYTtBQUMxRSxXQUFLLFdBQVcsS0FBSyxZQUFZLEVBQUUsSUFBSSxDQUFDLEVBQUU7QUFBQSxFQUM5QyxDQUFDO0FBQ0QsTUFBSTtBQUNGLFVBQU0sSUFBSSxJQUFJLEVBQUUsTUFBTSxDQUFDLE1BQWEsS0FBSyxXQUFXLEtBQUssRUFBRSxTQUFTLEVBQUUsT0FBTyxDQUFDO0FBQzlFLFFBQUksS0FBSyxXQUFXLE9BQVEsT0FBTSxJQUFJLE1BQU0sS0FBSyxXQUFXLEtBQUssSUFBSSxDQUFDO0FBQUEsRUFDeEUsVUFBRTtBQUNBLFVBQU0sUUFBUSxNQUFNO0FBQUEsRUFDdEI7QUFDRjtBQUVBLGVBQXNCLFdBQVcsTUFBWSxNQUFjO0FBQ3pELFFBQU1FLFVBQVMsS0FBSyxRQUFRLGNBQWMsWUFBWSxHQUFHLENBQUMsR0FBRyxnQkFBZ0I7QUFDN0UsWUFBVUEsU0FBUSxFQUFFLFdBQVcsS0FBSyxDQUFDO0FBQ3JDLFFBQU0sS0FBSyxXQUFXLEVBQUUsTUFBTSxLQUFLQSxTQUFRLEdBQUcsSUFBSSxNQUFNLEVBQUUsQ0FBQztBQUM3RDtBQUdBLGVBQXNCLFdBQ3BCLE1BQ0EsT0FDWTtBQUNaLFFBQU0sTUFBTSxLQUFLLElBQUksSUFBSTtBQUN6QixhQUFTO0FBQ1AsVUFBTSxTQUFTLE1BQU0sTUFBTTtBQUMzQixRQUFJLE9BQVEsUUFBTztBQUNuQixRQUFJLEtBQUssSUFBSSxJQUFJLElBQUssT0FBTSxJQUFJLE1BQU0sbUJBQW1CLElBQUksRUFBRTtBQUMvRCxVQUFNLElBQUksUUFBUSxDQUFDLFNBQVMsV0FBVyxNQUFNLEVBQUUsQ0FBQztBQUFBLEVBQ2xEO0FBQ0Y7OztBQ3BHQSxTQUF1QixhQUFhO0FBQ3BDLFNBQVMsUUFBQUMsYUFBWTtBQUlkLElBQU0sU0FBTixNQUFhO0FBQUEsRUFJbEIsWUFDVyxPQUFPQyxNQUFLLFVBQVUsR0FBRyxNQUFNLEdBQ3ZCLFVBQW9CLENBQUMsR0FDdEM7QUFGUztBQUNRO0FBRWpCLFVBQU0sTUFBTSxLQUFLLEtBQUssQ0FBQztBQUFBLEVBQ3pCO0FBQUEsRUFSUSxRQUE2QjtBQUFBLEVBQ3JDLE1BQU07QUFBQTtBQUFBLEVBVU4sTUFBTSxNQUFNLE9BQU8sR0FBa0I7QUFDbkMsVUFBTSxPQUFPO0FBQUEsTUFDWDtBQUFBLE1BQ0E7QUFBQSxNQUNBLEtBQUs7QUFBQSxNQUNMO0FBQUEsTUFDQSxhQUFhLElBQUk7QUFBQSxNQUNqQjtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBLEdBQUcsS0FBSztBQUFBLElBQ1Y7QUFDQSxVQUFNLFFBQVEsTUFBTSxTQUFTLE1BQU0sRUFBRSxPQUFPLENBQUMsVUFBVSxVQUFVLE1BQU0sRUFBRSxDQUFDO0FBQzFFLFNBQUssUUFBUTtBQUNiLFNBQUssTUFBTSxNQUFNLElBQUksUUFBZ0IsQ0FBQ0MsUUFBTyxXQUFXO0FBQ3RELFVBQUksTUFBTTtBQUNWLFlBQU0sT0FBUSxHQUFHLFFBQVEsQ0FBQyxVQUFrQjtBQUMxQyxlQUFPLE1BQU0sU0FBUztBQUN0QixjQUFNLE9BQU8sdUJBQXVCLEtBQUssR0FBRztBQUM1QyxZQUFJLEtBQU0sQ0FBQUEsT0FBTSxVQUFVLEtBQUssQ0FBQyxDQUFDLEVBQUU7QUFBQSxNQUNyQyxDQUFDO0FBQ0QsWUFBTSxHQUFHLFFBQVEsTUFBTSxPQUFPLElBQUksTUFBTSxxQkFBcUIsR0FBRyxFQUFFLENBQUMsQ0FBQztBQUFBLElBQ3RFLENBQUM7QUFDRCxXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRUEsSUFBSSxPQUFlO0FBQ2pCLFdBQU8sT0FBTyxJQUFJLElBQUksS0FBSyxHQUFHLEVBQUUsSUFBSTtBQUFBLEVBQ3RDO0FBQUEsRUFFQSxNQUFNLE9BQU87QUFDWCxVQUFNLFFBQVEsS0FBSztBQUNuQixTQUFLLFFBQVE7QUFDYixRQUFJLENBQUMsU0FBUyxNQUFNLGFBQWEsS0FBTTtBQUN2QyxVQUFNLFFBQVEsSUFBSSxRQUFRLENBQUMsU0FBUyxNQUFNLEdBQUcsUUFBUSxJQUFJLENBQUM7QUFDMUQsVUFBTSxLQUFLLFNBQVM7QUFDcEIsVUFBTTtBQUFBLEVBQ1I7QUFBQSxFQUVBLEtBQUssTUFBYyxZQUFvQixNQUFnQjtBQUNyRCxRQUFJLFFBQVEsTUFBTSxhQUFhLFNBQVMsU0FBUyxLQUFLLEtBQUssV0FBVyxHQUFHLElBQUk7QUFBQSxFQUMvRTtBQUFBLEVBRUEsU0FBUyxNQUF3QjtBQUMvQixXQUFPLElBQUksU0FBUyxHQUFHLE1BQU0sU0FBUyxLQUFLLEdBQUc7QUFBQSxFQUNoRDtBQUNGOzs7QUh4REEsSUFBSSxRQUFnQztBQUVwQyxTQUFTLFNBQTBCO0FBQ2pDLGFBQVcsWUFBWTtBQUNyQixVQUFNLElBQUksTUFBTSxJQUFJLE9BQU8sRUFBRSxNQUFNO0FBQ25DLE1BQUU7QUFBQSxNQUNBQyxNQUFLLFlBQVkseUJBQXlCO0FBQUEsTUFDMUM7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUNBLE1BQUU7QUFBQSxNQUNBQSxNQUFLLFlBQVksOEJBQThCO0FBQUEsTUFDL0M7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUNBLFdBQU87QUFBQSxFQUNULEdBQUc7QUFDSCxTQUFPO0FBQ1Q7QUFFQSxJQUFNLFFBQWdDO0FBQUEsRUFDcEMsVUFBVTtBQUFBLEVBQ1YsTUFBTTtBQUFBLEVBQ04sUUFBUTtBQUFBLEVBQ1IsTUFBTTtBQUFBLEVBQ04sT0FBTztBQUFBLEVBQ1AsTUFBTTtBQUFBLEVBQ04sVUFBVTtBQUFBLEVBQ1YsTUFBTTtBQUFBLEVBQ04sT0FBTztBQUFBLEVBQ1AsU0FDRTtBQUFBLEVBQ0YsUUFBUTtBQUFBLEVBQ1IsZ0JBQWdCO0FBQUEsRUFDaEIsbUJBQW1CO0FBQUEsRUFDbkIsTUFBTTtBQUFBLEVBQ04sWUFBWTtBQUFBLEVBQ1osUUFBUTtBQUNWO0FBR0EsU0FBUyxXQUFxQjtBQUM1QixRQUFNLFFBQVEsQ0FBQ0MsV0FDWixtQkFBbUIsS0FBS0EsS0FBSSxJQUFJLENBQUMsS0FBSyxXQUFXLE1BQU0sUUFBUSxFQUFFLElBQUksTUFBTTtBQUM5RSxRQUFNLE9BQU8sQ0FBQyxLQUFlLFVBQzNCLENBQUMsR0FBRyxHQUFHLENBQUMsRUFBRSxJQUFJLENBQUMsTUFBTSxJQUFJLENBQUMsS0FBSyxJQUFJLENBQUMsS0FBSyxLQUFLLE1BQU0sQ0FBQyxLQUFLLEtBQUssSUFBSSxDQUFDLEtBQUssR0FBRztBQUM5RSxRQUFNLFFBQVEsQ0FBQyxRQUFrQjtBQUMvQixVQUFNLENBQUMsR0FBRyxHQUFHLENBQUMsSUFBSSxJQUFJO0FBQUEsTUFBSSxDQUFDLE1BQ3pCLElBQUksT0FBTyxVQUFVLElBQUksTUFBTSxVQUFVLElBQUksTUFBTSxTQUFTLFVBQVU7QUFBQSxJQUN4RTtBQUNBLFdBQU8sU0FBUyxJQUFJLFNBQVMsSUFBSSxTQUFTO0FBQUEsRUFDNUM7QUFDQSxRQUFNLFdBQVcsQ0FBQyxZQUFzQztBQUN0RCxRQUFJLENBQUMsUUFBUyxRQUFPLENBQUMsS0FBSyxLQUFLLEdBQUc7QUFDbkMsVUFBTSxTQUFTLE1BQU0saUJBQWlCLE9BQU8sRUFBRSxlQUFlO0FBQzlELFlBQVEsT0FBTyxDQUFDLEtBQUssT0FBTyxJQUFJLFNBQVMsS0FBSyxRQUFRLFNBQVMsUUFBUSxhQUFhLENBQUM7QUFBQSxFQUN2RjtBQUNBLFFBQU0sT0FBTyxvQkFBSSxJQUFZO0FBQzdCLGFBQVcsV0FBVyxTQUFTLGlCQUFpQixRQUFRLEdBQUc7QUFDekQsVUFBTSxNQUFNLENBQUMsR0FBRyxRQUFRLFVBQVUsRUFBRSxLQUFLLENBQUMsTUFBTSxFQUFFLGFBQWEsS0FBSyxFQUFFLFlBQWEsS0FBSyxDQUFDO0FBQ3pGLFVBQU0sTUFBTSxRQUFRLHNCQUFzQjtBQUMxQyxRQUNFLENBQUMsT0FDRCxDQUFDLElBQUksU0FDTCxDQUFDLElBQUksVUFDTCxRQUFRLFFBQVEsa0RBQWtEO0FBRWxFO0FBQ0YsVUFBTSxRQUFRLGlCQUFpQixPQUFPO0FBQ3RDLFVBQU0sU0FBUyxTQUFTLE9BQU87QUFDL0IsVUFBTSxJQUFJLE1BQU0sS0FBSyxNQUFNLE1BQU0sS0FBSyxHQUFHLE1BQU0sQ0FBQztBQUNoRCxVQUFNLElBQUksTUFBTSxNQUFNO0FBQ3RCLFVBQU0sWUFBWSxLQUFLLElBQUksR0FBRyxDQUFDLElBQUksU0FBUyxLQUFLLElBQUksR0FBRyxDQUFDLElBQUk7QUFDN0QsVUFBTSxRQUNKLFdBQVcsTUFBTSxRQUFRLEtBQUssTUFDN0IsV0FBVyxNQUFNLFFBQVEsS0FBSyxTQUFTLE9BQU8sTUFBTSxVQUFVLEtBQUs7QUFDdEUsUUFBSSxZQUFZLFFBQVEsSUFBSTtBQUMxQixXQUFLO0FBQUEsUUFDSCxHQUFHLFNBQVMsUUFBUSxDQUFDLENBQUMsSUFBSSxRQUFRLGFBQWEsUUFBUSxPQUFPLEtBQUssUUFBUSxZQUFhLE1BQU0sR0FBRyxFQUFFLENBQUM7QUFBQSxNQUN0RztBQUFBLEVBQ0o7QUFDQSxTQUFPLENBQUMsR0FBRyxJQUFJO0FBQ2pCO0FBR0EsU0FBUyxXQUFxQjtBQUM1QixRQUFNLE9BQWlCLENBQUM7QUFDeEIsYUFBVyxXQUFXLFNBQVM7QUFBQSxJQUM3QjtBQUFBLEVBQ0YsR0FBRztBQUNELFVBQU0sU0FBVSxRQUE2QjtBQUM3QyxVQUFNLE9BQ0osUUFBUSxhQUFhLFlBQVksS0FDakMsUUFBUSxhQUFhLGlCQUFpQixLQUN0QyxRQUFRLGFBQWEsS0FBSyxLQUMxQixRQUFRLFVBQ1AsUUFBUSxTQUFTLE9BQU8sQ0FBQyxFQUFFLGNBQWM7QUFDNUMsUUFBSSxDQUFDLE1BQU0sS0FBSyxLQUFLLFFBQVEsYUFBYSxNQUFNLE1BQU07QUFDcEQsV0FBSyxLQUFLLFFBQVEsVUFBVSxNQUFNLEdBQUcsR0FBRyxDQUFDO0FBQUEsRUFDN0M7QUFDQSxTQUFPO0FBQ1Q7QUFFQSxlQUFlLFFBQVEsTUFBWTtBQUNqQyxRQUFNLEtBQUssaUJBQWlCLGFBQWE7QUFDekMsUUFBTSxLQUFLLGVBQWUsR0FBRztBQUMvQjtBQUVBLFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxPQUFLLGdFQUFnRSxLQUFLLElBQUksWUFBWTtBQUN4RixVQUFNLElBQUksTUFBTSxPQUFPO0FBQ3ZCLFVBQU0sU0FBUyxFQUFFLGFBQWEsTUFBTSxHQUFHLE9BQU8sU0FBUztBQUNyRCxpQkFBVyxDQUFDLE1BQU0sSUFBSSxLQUFLLE9BQU8sUUFBUSxLQUFLLEdBQUc7QUFDaEQsY0FBTSxLQUFLLEtBQUssRUFBRSxNQUFNLElBQUk7QUFDNUIsY0FBTSxRQUFRLElBQUk7QUFDbEIsZUFBTyxVQUFVLE1BQU0sS0FBSyxTQUFTLFFBQVEsR0FBRyxDQUFDLEdBQUcsSUFBSTtBQUN4RCxlQUFPLFVBQVUsTUFBTSxLQUFLLFNBQVMsUUFBUSxHQUFHLENBQUMsR0FBRyxJQUFJO0FBQUEsTUFDMUQ7QUFBQSxJQUNGLENBQUM7QUFBQSxFQUNILENBQUM7QUFFSCxLQUFLLDREQUE0RCxZQUFZO0FBQzNFLFFBQU0sSUFBSSxNQUFNLE9BQU87QUFDdkIsYUFBVyxTQUFTLENBQUMsS0FBSyxLQUFLLElBQUk7QUFDakMsVUFBTSxTQUFTLEVBQUUsVUFBVSxFQUFFLE9BQU8sUUFBUSxJQUFJLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDbkUsaUJBQVcsQ0FBQyxNQUFNLElBQUksS0FBSyxPQUFPLFFBQVEsS0FBSyxHQUFHO0FBQ2hELGNBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxJQUFJO0FBQzVCLGNBQU0sUUFBUSxJQUFJO0FBQ2xCLGVBQU8sTUFBTSxNQUFNLEtBQUssU0FBUyxNQUFNLFNBQVMsZ0JBQWdCLFdBQVcsR0FBRyxPQUFPLElBQUk7QUFBQSxNQUMzRjtBQUFBLElBQ0YsQ0FBQztBQUNMLENBQUM7QUFHRCxLQUFLLGlEQUFpRCxZQUFZO0FBQ2hFLFFBQU0sSUFBSSxNQUFNLE9BQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLGNBQWMsTUFBTTtBQUM3QixZQUFNLElBQUk7QUFDVixRQUFFLFFBQVE7QUFDVixVQUFJLG9CQUFvQixDQUFDLFNBQVM7QUFDaEMsbUJBQVcsU0FBUyxLQUFLLFdBQVc7QUFJbEMsY0FBSSxDQUFDLE1BQU0sZUFBZ0IsR0FBRSxTQUFTLE1BQU07QUFBQSxNQUNoRCxDQUFDLEVBQUUsUUFBUSxFQUFFLE1BQU0sZ0JBQWdCLFVBQVUsS0FBSyxDQUFDO0FBQUEsSUFDckQsQ0FBQztBQUNELGVBQVcsQ0FBQyxNQUFNLElBQUksS0FBSyxPQUFPLFFBQVEsS0FBSyxHQUFHO0FBQ2hELFlBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxJQUFJO0FBQzVCLFlBQU0sUUFBUSxJQUFJO0FBQ2xCLFlBQU0sUUFBUSxNQUFNLEtBQUssU0FBUyxNQUFPLE9BQXdDLEtBQUs7QUFDdEYsYUFBTyxHQUFHLFFBQVEsTUFBTSxHQUFHLElBQUksS0FBSyxNQUFNLFFBQVEsQ0FBQyxDQUFDLEVBQUU7QUFBQSxJQUN4RDtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLCtFQUErRSxZQUFZO0FBQzlGLFFBQU0sSUFBSSxNQUFNLE9BQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxRQUFrQixDQUFDO0FBQ3pCLFNBQUssR0FBRyxXQUFXLENBQUMsTUFBTSxNQUFNLEVBQUUsSUFBSSxFQUFFLFNBQVMsT0FBTyxLQUFLLE1BQU0sS0FBSyxFQUFFLElBQUksQ0FBQyxFQUFFO0FBQ2pGLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLDRDQUE0QztBQUNwRSxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsUUFBUTtBQUM1QyxVQUFNLFFBQVEsSUFBSTtBQUNsQixXQUFPO0FBQUEsTUFDTCxNQUFNLE9BQU8sQ0FBQyxLQUFLLE1BQU0sTUFBTSxRQUFRLEdBQUcsTUFBTSxLQUFLLENBQUMsSUFBSSxTQUFTLFNBQVMsQ0FBQztBQUFBLE1BQzdFLENBQUM7QUFBQSxJQUNIO0FBQ0EsV0FBTyxNQUFNLE1BQU0sQ0FBQyxHQUFHLCtCQUErQjtBQUN0RCxXQUFPLE1BQU0sTUFBTSxDQUFDLEdBQUcsU0FBUztBQUFBLEVBQ2xDLENBQUM7QUFDSCxDQUFDO0FBRUQsSUFBTSxTQUFTO0FBSWYsZUFBZSxZQUFZLE1BQVksR0FBVyxTQUFpQztBQUNqRixRQUFNLE9BQWlCLENBQUM7QUFDeEIsT0FBSyxHQUFHLFdBQVcsQ0FBQyxNQUFNLEtBQUssS0FBSyxLQUFLLEVBQUUsSUFBSSxDQUFDLENBQUM7QUFDakQsUUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsMEJBQTBCO0FBQ2xELFFBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxRQUFRO0FBQzVDLGFBQVcsQ0FBQyxNQUFNLE1BQU0sS0FBSyxDQUFDLENBQUMsU0FBUyxPQUFPLEdBQUcsQ0FBQyxpQkFBaUIsUUFBUSxDQUFDLEdBQUc7QUFDOUUsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sV0FBVyxDQUFDLEVBQUUsTUFBTTtBQUMzRCxVQUFNQyxRQUFPLEtBQUssUUFBUSxvQkFBb0IsRUFBRSxTQUFTLEtBQUssQ0FBQztBQUMvRCxVQUFNLE9BQVEsTUFBTUEsTUFBSyxhQUFhLE1BQU07QUFDNUMsVUFBTSxDQUFDQyxTQUFRLElBQUksTUFBTSxRQUFRLElBQUksQ0FBQyxLQUFLLGFBQWEsVUFBVSxHQUFHRCxNQUFLLE1BQU0sQ0FBQyxDQUFDO0FBQ2xGLFVBQU0sV0FBVyxNQUFNLE1BQU0sRUFBRSxNQUFNLE1BQU0sRUFBRSxRQUFRLENBQUM7QUFDdEQsV0FBTyxNQUFNLFNBQVMsUUFBUSxHQUFHO0FBQ2pDLFdBQU87QUFBQSxNQUNMLGFBQWEsTUFBTUMsVUFBUyxLQUFLLENBQUMsRUFBRSxPQUFPLE9BQU8sS0FBSyxNQUFNLFNBQVMsWUFBWSxDQUFDLENBQUM7QUFBQSxNQUNwRjtBQUFBLElBQ0Y7QUFDQSxXQUFPLE1BQU1BLFVBQVMsa0JBQWtCLEdBQUcsWUFBWTtBQUN2RCxXQUFPLE9BQU8sTUFBTSxNQUFNLEVBQUUsTUFBTSxJQUFJLEdBQUcsUUFBUSxLQUFLLGtDQUFrQztBQUFBLEVBQzFGO0FBQ0EsYUFBVyxPQUFPLEtBQU0sUUFBTyxHQUFHLENBQUMsSUFBSSxTQUFTLE1BQU0sS0FBSyxDQUFDLElBQUksU0FBUyxLQUFLLEdBQUcsR0FBRztBQUN0RjtBQUVBLEtBQUssMEVBQTBFLFlBQVk7QUFDekYsUUFBTUMsVUFBUyxVQUFVO0FBQ3pCLFFBQU0sU0FBU0osTUFBS0ksU0FBUSxRQUFRO0FBQ3BDLEVBQUFDLGVBQWMsUUFBUSxHQUFHLE1BQU07QUFBQSxDQUFJO0FBQ25DLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBT0wsTUFBS0ksU0FBUSxNQUFNLEdBQUcsQ0FBQyxnQkFBZ0IsUUFBUSxXQUFXLENBQUMsRUFBRSxNQUFNO0FBQzlGLFFBQU0sUUFBUSxTQUFTLE9BQU8sS0FBSyxNQUFNLE1BQU0sRUFBRSxFQUFFLFNBQVMsUUFBUSxDQUFDO0FBQ3JFLFFBQU0sT0FBTyxhQUFhSixNQUFLLFlBQVkseUJBQXlCLENBQUM7QUFDckUsUUFBTSxPQUFPLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRywrQ0FBK0M7QUFBQSxJQUM5RSxRQUFRO0FBQUEsSUFDUjtBQUFBLElBQ0EsU0FBUyxFQUFFLGVBQWUsT0FBTyxpQkFBaUIsTUFBTTtBQUFBLEVBQzFELENBQUM7QUFDRCxTQUFPLE1BQU0sS0FBSyxRQUFRLEdBQUc7QUFDN0IsUUFBTSxTQUFTLEVBQUUsaUJBQWlCLEVBQUUsVUFBVSxNQUFNLFVBQVUsT0FBTyxFQUFFLEdBQUcsT0FBTyxTQUFTO0FBQ3hGLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLEdBQUc7QUFDM0IsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFNBQVMsa0JBQWtCLENBQUMsRUFBRSxRQUFRO0FBQ3JFLFdBQU8sTUFBTSxNQUFNLEtBQUssVUFBVSxPQUFPLEVBQUUsTUFBTSxHQUFHLEdBQUcsNEJBQTRCO0FBQ25GLFVBQU0sS0FBSyxXQUFXLFFBQVEsRUFBRSxLQUFLLEtBQUs7QUFFMUMsU0FBSyxhQUFhLEtBQUssV0FBVyxPQUFPLENBQUMsTUFBTSxDQUFDLGdCQUFnQixLQUFLLENBQUMsQ0FBQztBQUN4RSxVQUFNLFFBQWtCLENBQUM7QUFDekIsU0FBSyxHQUFHLFlBQVksQ0FBQyxNQUFNLE1BQU0sS0FBSyxHQUFHLEVBQUUsT0FBTyxDQUFDLElBQUksRUFBRSxJQUFJLENBQUMsRUFBRSxDQUFDO0FBQ2pFLFVBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTztBQUNqQyxVQUFNLEtBQUssUUFBUSxpQkFBaUIsRUFBRSxTQUFTLFdBQVcsQ0FBQyxFQUFFLFFBQVE7QUFDckUsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsMEJBQTBCO0FBQ2xELFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxRQUFRO0FBQ3ZDLFdBQU87QUFBQSxNQUNMLE1BQU0sT0FBTyxDQUFDLE1BQU0sQ0FBQyxjQUFjLEtBQUssQ0FBQyxDQUFDO0FBQUEsTUFDMUMsQ0FBQztBQUFBLE1BQ0Q7QUFBQSxJQUNGO0FBQ0EsVUFBTSxZQUFZLE1BQU0sR0FBRyxFQUFFLGVBQWUsT0FBTyxpQkFBaUIsTUFBTSxDQUFDO0FBQzNFLFVBQU0sS0FBSyxXQUFXLFlBQVksRUFBRSxNQUFNO0FBQzFDLFVBQU0sS0FBSyxXQUFXLFVBQVUsRUFBRSxPQUFPLEtBQUssQ0FBQyxFQUFFLEtBQUssTUFBTTtBQUM1RCxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLFFBQVE7QUFDckMsU0FBSyxhQUFhLEtBQUssV0FBVyxPQUFPLENBQUMsTUFBTSxDQUFDLGdCQUFnQixLQUFLLENBQUMsQ0FBQztBQUFBLEVBQzFFLENBQUM7QUFDRCxRQUFNLEVBQUUsS0FBSztBQUNmLENBQUM7QUFFRCxLQUFLLG1GQUFtRixZQUFZO0FBQ2xHLFFBQU0sSUFBSSxNQUFNLE9BQU87QUFDdkIsUUFBTSxPQUFPLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRyxXQUFXO0FBQzVDLFFBQU1NLFVBQVMsS0FBSyxRQUFRLElBQUkseUJBQXlCO0FBQ3pELFNBQU8sTUFBTUEsU0FBUSxvQkFBb0I7QUFDekMsU0FBTyxNQUFNQSxTQUFRLHdCQUF3QjtBQUM3QyxTQUFPLGFBQWFBLFNBQVEsUUFBUTtBQUNwQyxTQUFPLE1BQU0sS0FBSyxRQUFRLElBQUksZUFBZSxHQUFHLFVBQVU7QUFDMUQsUUFBTSxRQUFRLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRyxhQUFhO0FBQUEsSUFDN0MsU0FBUyxFQUFFLGlCQUFpQixLQUFLLFFBQVEsSUFBSSxNQUFNLEVBQUc7QUFBQSxFQUN4RCxDQUFDO0FBQ0QsU0FBTyxNQUFNLE1BQU0sUUFBUSxHQUFHO0FBQzlCLFFBQU0sU0FBUywwQkFBMEIsS0FBSyxNQUFNLEtBQUssS0FBSyxDQUFDLEVBQUcsQ0FBQztBQUNuRSxTQUFPLE9BQU8sTUFBTSxNQUFNLEVBQUUsTUFBTSxNQUFNLEdBQUcsUUFBUSxJQUFJLGVBQWUsR0FBSSxXQUFXO0FBQ3JGLFNBQU8sT0FBTyxNQUFNLE1BQU0sR0FBRyxFQUFFLEdBQUcsVUFBVSxHQUFHLFFBQVEsR0FBRztBQUM1RCxDQUFDOzs7QUk5UUQsT0FBT0MsYUFBWTtBQUNuQixTQUFTLFFBQUFDLGFBQVk7QUFXckIsSUFBTSxTQUFTO0FBQ2YsSUFBTSxRQUFRLENBQUMsTUFBYyxPQUMzQixRQUFRLEtBQUssSUFBSSxJQUFJLE9BQU8sTUFBTSxPQUFPLEtBQUssSUFBSSxJQUFJLEtBQUssTUFBTTtBQUNuRSxJQUFNLFFBQVEsQ0FBQyxNQUFZQyxVQUN6QixLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBU0EsTUFBSyxDQUFDLEVBQUUsUUFBUTtBQUM3RCxJQUFNLE9BQU8sQ0FBQyxhQUF1QixJQUFJLElBQUksU0FBUyxJQUFJLENBQUMsRUFBRSxhQUFhLElBQUksT0FBTztBQUNyRixJQUFNLFlBQVksT0FBTyxhQUF3QixNQUFNLFNBQVMsS0FBSztBQUdyRSxJQUFNLE9BQU8sQ0FBQyxNQUFZLE1BQWMsT0FBTyxPQUM3QyxLQUFLO0FBQUEsRUFDSCxDQUFDLE1BQU0sRUFBRSxJQUFJLEVBQUUsU0FBUyxXQUFXLElBQUksR0FBRyxLQUFLLG1CQUFtQixFQUFFLElBQUksQ0FBQyxFQUFFLFNBQVMsSUFBSTtBQUMxRjtBQUdGLGVBQWUsT0FBdUQ7QUFDcEUsUUFBTUMsV0FBUyxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDeEMsUUFBTSxPQUFPLE9BQU9DLE1BQUssVUFBVSxHQUFHLGFBQWEsR0FBRztBQUFBLElBQ3BELG1CQUFtQjtBQUFBLElBQ25CLGNBQWM7QUFBQSxJQUNkLGNBQWM7QUFBQSxFQUNoQixDQUFDO0FBQ0QsUUFBTSxRQUFRLE1BQU1ELFNBQU8sS0FBSyxNQUFNLE1BQU07QUFDNUMsUUFBTTtBQUNOLFNBQU8sRUFBRSxRQUFBQSxVQUFRLE1BQU07QUFDekI7QUFJQSxlQUFlLGVBQWUsVUFBb0IsT0FBa0IsT0FBZTtBQUNqRixFQUFBRSxRQUFPLE1BQU0sS0FBSyxRQUFRLEdBQUcsTUFBTSxLQUFLO0FBQ3hDLE1BQUksS0FBSyxJQUFJLElBQUksUUFBUSxJQUFNLENBQUFBLFFBQU8sT0FBTyxNQUFNLFVBQVUsUUFBUSxHQUFHLE9BQU8sTUFBTSxLQUFLO0FBQzVGO0FBRUEsZUFBZSxPQUFPLE1BQWdCO0FBQ3BDLFFBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNO0FBQzFDLGFBQVcsT0FBTyxDQUFDLFFBQVEsYUFBYSxhQUFhLE9BQU8sRUFBRyxPQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDOUY7QUFFQSxLQUFLLHFHQUFxRyxZQUFZO0FBQ3BILFFBQU0sRUFBRSxRQUFBRixVQUFRLE1BQU0sSUFBSSxNQUFNLEtBQUs7QUFDckMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxRQUFRLEtBQUssTUFBTSxPQUFPO0FBQ2hDLFVBQU0sUUFBUSxLQUFLLE1BQU0sS0FBSztBQUM5QixVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsd0JBQXdCLE1BQU0sS0FBSyxFQUFFLENBQUMsRUFBRTtBQUNyRSxJQUFBRSxRQUFPLE1BQU0sS0FBSyxNQUFNLEtBQUssR0FBRyxJQUFJO0FBQ3BDLFVBQU0sUUFBUSxNQUFNLFVBQVUsTUFBTSxLQUFLO0FBQ3pDLFVBQU0sUUFBUSxLQUFLLElBQUk7QUFDdkIsSUFBQUEsUUFBTyxPQUFPLE1BQU0sVUFBVSxNQUFNLEtBQUssR0FBRyxPQUFPLE1BQU0sS0FBSztBQUM5RCxVQUFNLE1BQU0sTUFBTSxLQUFLO0FBQ3ZCLFVBQU07QUFDTixRQUFJLFNBQVMsS0FBSyxNQUFNLFNBQVMsV0FBVztBQUM1QyxVQUFNLE9BQU8sSUFBSTtBQUNqQixVQUFNLGVBQWUsTUFBTSxRQUFRLE9BQU8sS0FBSztBQUMvQyxVQUFNLFdBQVcsOEJBQThCLFlBQVksS0FBSyxJQUFJLEVBQUUsU0FBUyxXQUFXLENBQUM7QUFDM0YsYUFBUyxLQUFLLE1BQU0sU0FBUyxVQUFVO0FBQ3ZDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLGVBQWUsTUFBTSxRQUFRLE9BQU8sS0FBSztBQUMvQyxhQUFTLEtBQUssTUFBTSxTQUFTO0FBQzdCLFVBQU0sS0FBSyxRQUFRLHNDQUFzQyxFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsU0FBUztBQUN4RixVQUFNLGVBQWUsTUFBTSxRQUFRLE9BQU8sS0FBSztBQUMvQyxJQUFBQSxRQUFPLE1BQU0sS0FBSyxJQUFJLEVBQUUsU0FBUyxPQUFPLEdBQUcsT0FBTyxLQUFLLElBQUksQ0FBQztBQUM1RCxVQUFNLFdBQVcsTUFBTSxPQUFPO0FBRTlCLGFBQVMsS0FBSyxNQUFNLFNBQVM7QUFDN0IsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLElBQUFBLFFBQU8sTUFBTSxLQUFLLE1BQU0sTUFBTSxHQUFHLElBQUk7QUFDckMsVUFBTSxNQUFNLE1BQU0sVUFBVSxNQUFNLE1BQU07QUFDeEMsSUFBQUEsUUFBTyxTQUFTLElBQUksT0FBTyxNQUFNLEtBQUs7QUFDdEMsSUFBQUEsUUFBTyxNQUFNLElBQUksT0FBTyxJQUFJLE1BQU0sS0FBTTtBQUN4QyxhQUFTLEtBQUssTUFBTSxPQUFPO0FBQzNCLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixJQUFBQSxRQUFPLE1BQU0sS0FBSyxNQUFNLE1BQU0sR0FBRyxJQUFJLEtBQUs7QUFDMUMsVUFBTSxNQUFNLE1BQU0sS0FBSztBQUN2QixhQUFTLEtBQUssTUFBTSxPQUFPO0FBQzNCLFVBQU0sS0FBSyxTQUFTLENBQUMsT0FBTztBQUMxQixjQUFRLFVBQVUsTUFBTSxJQUFJLFNBQVMsS0FBSyxRQUFRLG1CQUFtQixFQUFFLENBQUM7QUFDeEUsb0JBQWMsSUFBSSxjQUFjLFVBQVUsQ0FBQztBQUFBLElBQzdDLEdBQUcsTUFBTSxLQUFLLEVBQUUsQ0FBQztBQUNqQixJQUFBQSxRQUFPLE1BQU0sS0FBSyxNQUFNLE1BQU0sR0FBRyxJQUFJO0FBQUEsRUFDdkMsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDZEQUE2RCxZQUFZO0FBQzVFLFFBQU1GLFdBQVMsTUFBTSxJQUFJLE9BQU8sRUFBRSxNQUFNO0FBQ3hDLFFBQU0sU0FBaUMsQ0FBQztBQUN4QyxXQUFTLElBQUksR0FBRyxJQUFJLE1BQVEsSUFBSyxRQUFPLFNBQVMsQ0FBQyxFQUFFLElBQUksSUFBSTtBQUM1RCxRQUFNLE9BQU8sT0FBT0MsTUFBSyxVQUFVLEdBQUcsYUFBYSxHQUFHLE1BQU07QUFDNUQsRUFBQUQsU0FBTyxLQUFLLE1BQU0sTUFBTTtBQUN4QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLFFBQVEsS0FBSyxNQUFNLE9BQU87QUFDaEMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLG1DQUFtQyxNQUFNLEtBQUssRUFBRSxDQUFDLEVBQUU7QUFDaEYsVUFBTSxRQUFRLE1BQU0sVUFBVSxNQUFNLEtBQUs7QUFDekMsVUFBTSxRQUFRLEtBQUssSUFBSTtBQUN2QixVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsUUFBUTtBQUM1QyxJQUFBQSxTQUFPLEtBQUssTUFBTSxNQUFNO0FBQ3hCLFVBQU0sT0FBTyxLQUFLLE1BQU0sUUFBUSxXQUFXO0FBQzNDLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLElBQUk7QUFDdkMsVUFBTSxlQUFlLE1BQU0sTUFBTSxPQUFPLEtBQUs7QUFBQSxFQUMvQyxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssbUZBQW1GLFlBQVk7QUFDbEcsUUFBTSxFQUFFLFFBQUFBLFVBQVEsTUFBTSxJQUFJLE1BQU0sS0FBSztBQUNyQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLFFBQVEsS0FBSyxNQUFNLE1BQU07QUFDL0IsVUFBTSxDQUFDLE1BQU0sRUFBRSxJQUFJLENBQUMsS0FBSyxJQUFJLElBQUksS0FBSyxRQUFRLEtBQUssSUFBSSxJQUFJLEtBQUssTUFBTTtBQUN0RSxVQUFNLEtBQUs7QUFBQSxNQUNULEdBQUdBLFNBQU8sR0FBRyw0QkFBNEIsSUFBSSxPQUFPLEVBQUUsV0FBVyxtQkFBbUIsSUFBSSxDQUFDLGdCQUN2RSxJQUFJLGNBQWMsRUFBRTtBQUFBLElBQ3hDO0FBQ0EsVUFBTSxRQUFRLE1BQU0sVUFBVSxNQUFNLEtBQUs7QUFDekMsVUFBTSxRQUFRLEtBQUssSUFBSTtBQUN2QixJQUFBRSxRQUFPLE1BQU0sTUFBTSxPQUFRLFdBQVc7QUFDdEMsVUFBTTtBQUNOLFVBQU0sU0FBUyxLQUFLLE1BQU0sUUFBUSxVQUFVO0FBQzVDLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxRQUFRO0FBQzVDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLGVBQWUsTUFBTSxRQUFRLE9BQU8sS0FBSztBQUMvQyxVQUFNQyxRQUFPLEtBQUssTUFBTSxTQUFTLFlBQVk7QUFDN0MsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sZUFBZSxNQUFNQSxPQUFNLEVBQUUsT0FBTyxNQUFNLE1BQU8sTUFBTSxHQUFHLEVBQUUsQ0FBQyxFQUFFLEdBQUcsS0FBSztBQUM3RSxJQUFBRCxRQUFPLE1BQU0sS0FBSyxJQUFJLEVBQUUsU0FBUyxPQUFPLEdBQUcsT0FBTyxLQUFLLElBQUksQ0FBQztBQUFBLEVBQzlELENBQUM7QUFDSCxDQUFDOzs7QUN4SUQsT0FBT0UsYUFBWTtBQUNuQixTQUFTLGdCQUFnQjtBQUN6QixTQUFTLGdCQUFBQyxxQkFBb0I7QUFDN0IsU0FBUyxXQUFBQyxVQUFTLFFBQUFDLGFBQVk7OztBQ0E5QixJQUFNLFFBQXlCO0FBQUEsRUFDN0IsQ0FBQyxNQUFNLENBQUM7QUFBQSxFQUNSLENBQUMsTUFBTSxHQUFHO0FBQUEsRUFDVixDQUFDLE1BQU0sR0FBRztBQUFBLEVBQ1YsQ0FBQyxLQUFLLEdBQUc7QUFBQSxFQUNULENBQUMsT0FBTyxJQUFJO0FBQUEsRUFDWixDQUFDLEtBQUssS0FBTTtBQUFBLEVBQ1osQ0FBQyxLQUFLLE1BQU87QUFDZjtBQUNBLElBQU0sUUFBeUI7QUFBQSxFQUM3QixDQUFDLEtBQUssQ0FBQztBQUFBLEVBQ1AsQ0FBQyxPQUFPLEtBQUssRUFBRTtBQUFBLEVBQ2YsQ0FBQyxPQUFPLEtBQUssRUFBRTtBQUFBLEVBQ2YsQ0FBQyxPQUFPLEtBQUssRUFBRTtBQUFBLEVBQ2YsQ0FBQyxPQUFPLEtBQUssRUFBRTtBQUFBLEVBQ2YsQ0FBQyxPQUFPLEtBQUssRUFBRTtBQUNqQjtBQUVBLElBQU0sVUFBOEQsQ0FBQztBQUNyRSxXQUFXLENBQUNDLFFBQU8sT0FBTyxNQUFNLEtBQUs7QUFBQSxFQUNuQyxDQUFDLDZCQUE2QixPQUFPLENBQUM7QUFBQSxFQUN0QyxDQUFDLCtCQUErQixPQUFPLEdBQUc7QUFBQSxFQUMxQyxDQUFDLCtCQUErQixPQUFPLEdBQUc7QUFBQSxFQUMxQyxDQUFDLG9CQUFvQixPQUFPLEdBQUc7QUFBQSxFQUMvQixDQUFDLG1CQUFtQixPQUFPLENBQUM7QUFBQSxFQUM1QixDQUFDLGtCQUFrQixPQUFPLEtBQUssRUFBRTtBQUFBLEVBQ2pDLENBQUMsa0JBQWtCLE9BQU8sS0FBSyxFQUFFO0FBQ25DO0FBQ0UsYUFBVyxRQUFRQSxPQUFNLE1BQU0sR0FBRyxFQUFHLFNBQVEsSUFBSSxJQUFJLENBQUMsT0FBTyxNQUFNO0FBSTlELElBQU0sVUFBVSxDQUFDLFVBQ3RCLE9BQU8sS0FBSyxNQUFNLEtBQUssQ0FBQyxFQUFFLFFBQVEsc0JBQXNCLEdBQUc7QUFHN0QsSUFBTSxXQUFXLENBQUMsVUFBbUIsS0FBSyxJQUFJLEtBQUssSUFBSSxRQUFRLElBQUksS0FBSyxJQUFJLEtBQUssSUFBSSxRQUFRLElBQUk7QUFFMUYsU0FBUyxZQUFZLE9BQWUsTUFBc0I7QUFDL0QsUUFBTSxRQUFRLE9BQU8sT0FBTyxTQUFTLElBQUksSUFBSSxRQUFRLElBQUksSUFBSTtBQUM3RCxNQUFJLENBQUMsTUFBTyxRQUFPLFFBQVEsS0FBSztBQUNoQyxRQUFNLENBQUMsT0FBTyxNQUFNLElBQUk7QUFDeEIsUUFBTSxPQUFPLFFBQVE7QUFDckIsTUFBSSxJQUFJLE1BQU0sU0FBUztBQUV2QixTQUFPLElBQUksS0FBSyxLQUFLLElBQUksSUFBSSxJQUFJLE1BQU0sQ0FBQyxFQUFFLENBQUMsS0FBSyxNQUFNLENBQUMsRUFBRSxDQUFDLE1BQU0sT0FBTyxJQUFJLFFBQVM7QUFDcEYsUUFBTSxRQUFRLE1BQU0sS0FBSyxLQUFLLElBQUksSUFBSSxJQUFJLE9BQVEsSUFBSSxPQUFPLE1BQU0sQ0FBQyxFQUFFLENBQUM7QUFDdkUsU0FBTyxNQUFNLEtBQUssT0FBTyxVQUFVLEtBQUssSUFDcEMsR0FBRyxLQUFLLElBQUksTUFBTSxDQUFDLEVBQUUsQ0FBQyxDQUFDLEtBQ3ZCLEdBQUcsTUFBTSxRQUFRLFNBQVMsS0FBSyxDQUFDLENBQUMsSUFBSSxNQUFNLENBQUMsRUFBRSxDQUFDLENBQUM7QUFDdEQ7QUFxQk8sU0FBUyxhQUFhLE9BQWUsTUFBc0I7QUFDaEUsVUFBUSxRQUFRLElBQUksTUFBTSxNQUFNLFlBQVksT0FBTyxJQUFJO0FBQ3pEO0FBR08sU0FBUyxZQUFZLE1BQWMsT0FBZSxTQUFTLEdBQVc7QUFDM0UsU0FBTyxJQUFJLFFBQVMsTUFBTSxPQUFRLFFBQVEsR0FBRyxRQUFRLE1BQU0sQ0FBQztBQUM5RDs7O0FEOURBLElBQU0sV0FBVyxDQUFDLDJCQUEyQiw4QkFBOEIsRUFBRTtBQUFBLEVBQUksQ0FBQyxTQUNoRkMsTUFBSyxZQUFZLElBQUk7QUFDdkI7QUFDQSxJQUFNLFVBQVU7QUFBQSxFQUNkO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBLElBQUksT0FBTyxHQUFNO0FBQUEsRUFDakI7QUFDRjtBQUVBLElBQUlDLFNBQWdDO0FBSXBDLFNBQVNDLFVBQTBCO0FBQ2pDLEVBQUFELFlBQVcsWUFBWTtBQUNyQixVQUFNLElBQUksTUFBTSxJQUFJLE9BQU8sRUFBRSxNQUFNO0FBQ25DLFVBQU0sUUFBUSxVQUFVO0FBQ3hCLFVBQU0sT0FBTyxDQUFDLFNBQWlCLFdBQW1DLFNBQ2hFLEVBQUUsS0FBSyxPQUFPRCxNQUFLLE9BQU8sZUFBZSxHQUFHLE1BQU0sR0FBRyxTQUFTLEdBQUcsSUFBSTtBQUN2RSxNQUFFLEtBQUssU0FBUyxDQUFDLEdBQUcsWUFBWSxXQUFXLGNBQWMsVUFBVSxXQUFXO0FBQzlFLE1BQUUsS0FBSyxTQUFTLENBQUMsR0FBRyxZQUFZLFdBQVcsY0FBYyxVQUFVLFNBQVM7QUFDNUUsTUFBRSxLQUFLLFNBQVMsQ0FBQyxHQUFHLFlBQVksV0FBVyxjQUFjLFVBQVUsUUFBUTtBQUMzRTtBQUFBLE1BQ0U7QUFBQSxNQUNBLEVBQUUsY0FBYyxJQUFJLGlCQUFpQixJQUFJLGFBQWEsR0FBRyxjQUFjLEdBQUc7QUFBQSxNQUMxRTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQTtBQUFBLE1BQ0U7QUFBQSxNQUNBLEVBQUUsY0FBYyxJQUFJLGNBQWMsR0FBRyxhQUFhLEdBQUcsY0FBYyxHQUFHO0FBQUEsTUFDdEU7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0E7QUFBQSxNQUNFO0FBQUEsTUFDQSxPQUFPLFlBQVksUUFBUSxJQUFJLENBQUMsTUFBTSxNQUFNLENBQUMsUUFBUSxJQUFJLElBQUksSUFBSSxDQUFDLENBQUMsQ0FBQztBQUFBLE1BQ3BFO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUNBO0FBQUEsTUFDRTtBQUFBLE1BQ0EsT0FBTyxZQUFZLFFBQVEsSUFBSSxDQUFDLE1BQU0sTUFBTSxDQUFDLFFBQVEsSUFBSSxJQUFJLElBQUksQ0FBQyxDQUFDLENBQUM7QUFBQSxNQUNwRTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxXQUFPO0FBQUEsRUFDVCxHQUFHO0FBQ0gsU0FBT0M7QUFDVDtBQUVBLElBQU0sT0FBTyxDQUFDLFNBQWlCLE9BQWUsUUFBZ0IsT0FBZSxPQUFPLE9BQ2xGLGtCQUFrQixtQkFBbUIsR0FBRyxPQUFPLElBQUksS0FBSyxLQUFLLEtBQUssSUFBSSxDQUFDLFdBQzVELG1CQUFtQixHQUFHLE9BQU8sSUFBSSxLQUFLLEtBQUssTUFBTSxJQUFJLENBQUMsR0FBRyxJQUFJO0FBQzFFLElBQU0sT0FBTyxDQUFDLFNBQ1osS0FBSyxRQUFRLHlEQUF5RDtBQUN4RSxJQUFNLFFBQVEsT0FBTyxNQUFZLE9BQzlCLE1BQU0sS0FBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsUUFBUSxhQUFhLEVBQUUsZ0JBQWdCLEdBQUcsSUFBSSxDQUFDLE1BQU0sRUFBRSxLQUFLLENBQUM7QUFDeEYsSUFBTSxVQUFVLENBQUMsTUFBWUUsVUFDM0IsS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVNBLE1BQUssQ0FBQyxFQUFFLFFBQVE7QUFDN0QsSUFBTSxPQUFPLENBQUMsTUFBWSxTQUE2QixLQUFLLFFBQVEsc0JBQXNCLElBQUksSUFBSTtBQUVsRyxXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxNQUFNLEdBQUc7QUFDbEMsU0FBSyxnREFBZ0QsS0FBSyxLQUFLLEtBQUssU0FBUyxZQUFZO0FBQ3ZGLFlBQU0sSUFBSSxNQUFNRCxRQUFPO0FBQ3ZCLFlBQU07QUFBQSxRQUNKO0FBQUEsVUFDRSxhQUFhO0FBQUEsVUFDYixVQUFVLEVBQUUsT0FBTyxRQUFRLFVBQVUsTUFBTSxNQUFNLFVBQVUsT0FBTyxNQUFNLEtBQUs7QUFBQSxRQUMvRTtBQUFBLFFBQ0EsT0FBTyxTQUFTO0FBQ2QsZ0JBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxLQUFLLFlBQVksV0FBVyxNQUFNLElBQUksQ0FBQztBQUMvRCxnQkFBTSxRQUFRLE1BQU0sOEJBQXlCO0FBQzdDLGdCQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsUUFBUTtBQUM1QyxnQkFBTSxLQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxnQkFBTSxXQUFXLE1BQU0sV0FBVyxLQUFLLElBQUksS0FBSyxFQUFFO0FBQ2xELFVBQUFFLFFBQU87QUFBQSxZQUNMLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxnQkFBZ0IsY0FBYyxVQUFVO0FBQUEsWUFDM0U7QUFBQSxZQUNBO0FBQUEsVUFDRjtBQUNBLGdCQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsZ0JBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxJQUFJLENBQUMsRUFBRSxRQUFRO0FBQ25ELGdCQUFNLFdBQVcsTUFBTSxpQkFBaUIsS0FBSyxJQUFJLEtBQUssRUFBRTtBQUN4RCxVQUFBQSxRQUFPO0FBQUEsWUFDTCxNQUFNLEtBQUssU0FBUyxNQUFNLFNBQVMsZ0JBQWdCLGNBQWMsVUFBVTtBQUFBLFlBQzNFO0FBQUEsWUFDQTtBQUFBLFVBQ0Y7QUFBQSxRQUNGO0FBQUEsTUFDRjtBQUFBLElBQ0YsQ0FBQztBQVlMLEtBQUssb0VBQW9FLFlBQVk7QUFDbkYsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxNQUFNO0FBQUEsSUFDVjtBQUFBLElBQ0E7QUFBQSxJQUNBLEVBQUU7QUFBQSxJQUNGO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxFQUNGO0FBQ0EsUUFBTSxTQUFTLEVBQUUsVUFBVSxFQUFFLE9BQU8sTUFBTSxRQUFRLElBQUssRUFBRSxHQUFHLE9BQU8sU0FBUztBQUMxRSxlQUFXLENBQUMsSUFBSSxTQUFTLEtBQUs7QUFBQSxNQUM1QixDQUFDLFFBQVEsS0FBSztBQUFBLE1BQ2QsQ0FBQyxTQUFTLEtBQUs7QUFBQSxNQUNmLENBQUMsUUFBUSxJQUFJO0FBQUEsSUFDZixHQUFZO0FBQ1YsWUFBTSxXQUFXLEtBQUs7QUFBQSxRQUNwQixJQUFJLEdBQUcsS0FBSyxVQUFVLElBQUksR0FBSSxZQUFZLENBQUMsYUFBYSxJQUFJLENBQUMsQ0FBRTtBQUFBLE1BQ2pFO0FBQ0EsWUFBTSxLQUFLO0FBQUEsUUFDVCxHQUFHLEVBQUUsR0FBRyxHQUFHLEtBQUssWUFBWSxXQUFXLE1BQU0sTUFBTSxrQkFBa0IsRUFBRSxHQUFHLFlBQVksaUJBQWlCLEVBQUUsRUFBRSxDQUFDO0FBQUEsTUFDOUc7QUFDQSxZQUFNLEtBQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLE1BQUFFLFFBQU8sTUFBTSxTQUFTLEtBQUssUUFBUSxFQUFFO0FBQ3JDLGlCQUFXLENBQUMsR0FBR0MsSUFBRyxLQUFLLFNBQVMsS0FBSyxRQUFRLEdBQUc7QUFDOUMsY0FBTSxDQUFDLE1BQU0sUUFBUSxPQUFPLFFBQVEsS0FBSyxJQUFJLE1BQU0sTUFBTSxNQUFNLENBQUM7QUFDaEUsY0FBTSxJQUFJQSxLQUFJLEVBQUU7QUFDaEIsUUFBQUQsUUFBTyxNQUFNLE1BQU1DLEtBQUksUUFBUUEsS0FBSSxRQUFRO0FBQzNDLFlBQUksV0FBVztBQUViLFVBQUFELFFBQU8sTUFBTSxHQUFHLE1BQU0sSUFBSSxLQUFLLElBQUksK0JBQStCO0FBQ2xFLFVBQUFBLFFBQU8sTUFBTSxRQUFRLGtCQUFrQjtBQUN2QyxnQkFBTSxTQUFVLE1BQU0sRUFBRSxRQUFTO0FBQ2pDLFVBQUFBLFFBQU8sR0FBRyxLQUFLLElBQUksV0FBVyxNQUFNLElBQUksTUFBTSxJQUFJLEtBQUssR0FBRyxJQUFJLEtBQUssTUFBTSxLQUFLLE1BQU0sRUFBRTtBQUN0RjtBQUFBLFFBQ0Y7QUFDQSxRQUFBQSxRQUFPLE1BQU0sUUFBUSxFQUFFLFNBQVMsWUFBWSxFQUFFLFFBQVEsYUFBYSxJQUFJLFFBQUc7QUFDMUUsUUFBQUEsUUFBTyxNQUFNLE9BQU8sRUFBRSxRQUFRLFlBQVksRUFBRSxPQUFPLGFBQWEsSUFBSSxRQUFHO0FBQ3ZFLFFBQUFBLFFBQU8sTUFBTSxRQUFRLGFBQWEsRUFBRSxPQUFPLGFBQWEsQ0FBQztBQUN6RCxZQUFJQyxLQUFJLFNBQVMsU0FBU0EsS0FBSSxTQUFTLE9BQVEsQ0FBQUQsUUFBTyxNQUFNLE9BQU9DLEtBQUksSUFBSTtBQUFBLGlCQUNsRSxFQUFFO0FBQ1QsVUFBQUQsUUFBTztBQUFBLFlBQ0w7QUFBQSxZQUNBLEdBQUcsRUFBRSxRQUFRLElBQUksTUFBTSxFQUFFLElBQUssTUFBTSxFQUFFLFFBQVMsRUFBRSxRQUFRLFFBQVEsQ0FBQyxDQUFDO0FBQUEsVUFDckU7QUFBQSxNQUNKO0FBQUEsSUFDRjtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFHRCxTQUFTLE9BQU9FLFNBQStDO0FBQzdELFFBQU0sTUFBTSxvQkFBSSxJQUE4QjtBQUM5QyxhQUFXLFFBQVFBLFFBQU8sS0FBSyxFQUFFLE1BQU0sSUFBSSxHQUFHO0FBQzVDLFVBQU0sQ0FBQyxFQUFFLE9BQU8sUUFBUSxLQUFLLElBQUkscUJBQXFCLEtBQUssSUFBSTtBQUMvRCxVQUFNLE9BQU8sTUFBTSxNQUFNLE1BQU0sWUFBWSxHQUFHLElBQUksQ0FBQztBQUNuRCxVQUFNLENBQUMsS0FBSyxHQUFHLElBQUksSUFBSSxJQUFJLElBQUksS0FBSyxDQUFDLEdBQUcsQ0FBQztBQUN6QyxRQUFJLElBQUksTUFBTSxDQUFDLE1BQU0sT0FBTyxNQUFNLEdBQUcsTUFBTSxPQUFPLEtBQUssQ0FBQyxDQUFDO0FBQUEsRUFDM0Q7QUFDQSxTQUFPO0FBQ1Q7QUFFQSxJQUFNLFVBQVUsQ0FBQ0MsVUFDZixPQUFPO0FBQUEsRUFDTEEsTUFDRyxPQUFPLENBQUMsTUFBTSxFQUFFLEtBQUssS0FBSyxFQUMxQixJQUFJLENBQUMsTUFBTTtBQUFBLElBQ1YsRUFBRSxRQUFRLEVBQUU7QUFBQSxJQUNaLENBQUMsRUFBRSxLQUFLLFFBQVEsRUFBRSxLQUFLLE9BQU8sRUFBRSxNQUFNLFFBQVEsRUFBRSxNQUFNLEtBQUs7QUFBQSxFQUM3RCxDQUFDO0FBQ0w7QUFFRixLQUFLLDBFQUEwRSxZQUFZO0FBQ3pGLFFBQU0sSUFBSSxNQUFNTCxRQUFPO0FBQ3ZCLFFBQU1NLFVBQVMsVUFBVTtBQUN6QixRQUFNLFdBQVcsS0FBSztBQUFBLElBQ3BCO0FBQUEsTUFDRTtBQUFBLE1BQ0E7QUFBQSxNQUNBLEVBQUU7QUFBQSxNQUNGO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQUEsRUFDRjtBQUNBLFFBQU0sU0FBUyxFQUFFLGFBQWEsQ0FBQyxrQkFBa0IsaUJBQWlCLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDckYsVUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNLEtBQUssWUFBWSxXQUFXLE1BQU0sSUFBSSxDQUFDO0FBQy9ELFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxRQUFRO0FBQzVDLFVBQU1DLFlBQVcsT0FBTyxTQUFpQjtBQUN2QyxZQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxrQkFBYSxDQUFDLEVBQUUsTUFBTTtBQUM3RCxZQUFNLENBQUMsSUFBSSxJQUFJLE1BQU0sUUFBUSxJQUFJO0FBQUEsUUFDL0IsS0FBSyxhQUFhLFVBQVU7QUFBQSxRQUM1QixLQUFLLFFBQVEsc0JBQXNCLEVBQUUsU0FBUyxLQUFLLENBQUMsRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUFBLE1BQ3RFLENBQUM7QUFDRCxZQUFNLE9BQU9ULE1BQUtRLFNBQVEsS0FBSyxrQkFBa0IsQ0FBQztBQUNsRCxZQUFNLEtBQUssT0FBTyxJQUFJO0FBQ3RCLGFBQU87QUFBQSxJQUNUO0FBQ0EsVUFBTSxhQUFhLE9BQU9FLGNBQWEsTUFBTUQsVUFBUyxtQkFBbUIsR0FBRyxNQUFNLENBQUM7QUFFbkYsVUFBTSxRQUFRLFNBQVMsS0FBSyxPQUFPLENBQUMsTUFBTSxFQUFFLEVBQUUsUUFBUSxFQUFFLFVBQVcsU0FBUyxHQUFHLENBQUM7QUFDaEYsZUFBV0osUUFBTztBQUNoQixNQUFBRCxRQUFPO0FBQUEsUUFDTCxXQUFXLElBQUlDLEtBQUksUUFBUUEsS0FBSSxRQUFTLEtBQUssQ0FBQyxHQUFHLENBQUM7QUFBQSxRQUNsRCxDQUFDQSxLQUFJLEtBQUssUUFBUUEsS0FBSSxLQUFLLEtBQUs7QUFBQSxRQUNoQ0EsS0FBSTtBQUFBLE1BQ047QUFDRixJQUFBRCxRQUFPO0FBQUEsTUFDTCxRQUFTLEtBQUssTUFBTU0sY0FBYSxNQUFNRCxVQUFTLE1BQU0sR0FBRyxNQUFNLENBQUMsRUFBaUIsSUFBSTtBQUFBLE1BQ3JGLFFBQVEsU0FBUyxJQUFJO0FBQUEsSUFDdkI7QUFDQSxVQUFNLFFBQVFDLGNBQWEsTUFBTUQsVUFBUyxLQUFLLEdBQUcsTUFBTSxFQUFFLE1BQU0sTUFBTTtBQUV0RSxJQUFBTCxRQUFPLE1BQU0sTUFBTSxRQUFRLFNBQVMsS0FBSyxTQUFTLENBQUM7QUFDbkQsVUFBTSxDQUFDLE9BQU8sSUFBSSxTQUFTO0FBQzNCLElBQUFBLFFBQU87QUFBQSxNQUNMLE1BQU07QUFBQSxRQUFLLENBQUMsU0FDVixLQUFLO0FBQUEsVUFDSDtBQUFBLFlBQ0UsUUFBUSxLQUFLO0FBQUEsWUFDYixRQUFRLEtBQUs7QUFBQSxZQUNiLFFBQVEsS0FBSztBQUFBLFlBQ2IsUUFBUSxNQUFNO0FBQUEsWUFDZCxRQUFRLE1BQU07QUFBQSxZQUNkLFFBQVEsTUFBTTtBQUFBLFVBQ2hCLEVBQUUsS0FBSyxHQUFHO0FBQUEsUUFDWjtBQUFBLE1BQ0Y7QUFBQSxJQUNGO0FBQ0EsVUFBTSxRQUFRLENBQUMsTUFBTUssVUFBUyxpQkFBaUIsR0FBRyxNQUFNQSxVQUFTLGdCQUFnQixDQUFDO0FBQ2xGLElBQUFMLFFBQU87QUFBQSxNQUNMO0FBQUEsUUFDRyxLQUFLLE1BQU0sSUFBSSxRQUFRLEdBQUcsT0FBTyxVQUFVLE1BQU0sS0FBSyxVQUFVLEtBQUssQ0FBQyxFQUNwRTtBQUFBLE1BQ0w7QUFBQSxNQUNBLFFBQVEsU0FBUyxJQUFJO0FBQUEsSUFDdkI7QUFDQSxJQUFBQSxRQUFPO0FBQUEsTUFDTE0sY0FBYSxNQUFNRCxVQUFTLEtBQUssR0FBRyxNQUFNO0FBQUEsTUFDMUM7QUFBQSxJQUNGO0FBQ0EsSUFBQUwsUUFBTztBQUFBLE1BQ0xNLGNBQWEsTUFBTUQsVUFBUyxLQUFLLENBQUMsRUFDL0IsU0FBUyxHQUFHLENBQUMsRUFDYixTQUFTO0FBQUEsTUFDWjtBQUFBLElBQ0Y7QUFDQSxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxrQkFBYSxDQUFDLEVBQUUsTUFBTTtBQUM3RCxVQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxTQUFTLGVBQWUsQ0FBQyxFQUFFLE1BQU07QUFDNUUsVUFBTSxLQUFLLFFBQVEsZ0NBQWdDLEVBQUUsU0FBUyxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQ2xGLFVBQU0sV0FBVyxNQUFNLG1CQUFtQjtBQUMxQyxVQUFNLFVBQVUsTUFBTSxLQUFLLFNBQVMsTUFBTSxVQUFVLFVBQVUsU0FBUyxDQUFDO0FBQ3hFLFVBQU0sU0FBUyxTQUFTLEdBQUcsT0FBTyxnQkFBZ0I7QUFBQSxNQUNoRCxVQUFVO0FBQUEsTUFDVixLQUFLLEVBQUUsR0FBRyxRQUFRLEtBQUssTUFBTSxHQUFHRSxTQUFRLE9BQU8sQ0FBQyxJQUFJLFFBQVEsSUFBSSxJQUFJLEdBQUc7QUFBQSxJQUN6RSxDQUFDO0FBQ0QsSUFBQVAsUUFBTyxVQUFVLFFBQVMsS0FBSyxNQUFNLE1BQU0sRUFBaUIsSUFBSSxHQUFHLFFBQVEsU0FBUyxJQUFJLENBQUM7QUFBQSxFQUMzRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssdURBQXVELFlBQVk7QUFDdEUsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxXQUFXO0FBQUEsSUFDZjtBQUFBLElBQ0E7QUFBQSxJQUNBLEVBQUU7QUFBQSxJQUNGO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxFQUNGO0FBQ0EsUUFBTSxTQUFTLGtFQUFrRSxLQUFLLFFBQVE7QUFDOUYsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNLEtBQUssWUFBWSxXQUFXLE1BQU0sSUFBSSxDQUFDO0FBQy9ELFVBQU0sUUFBUSxNQUFNLDhCQUF5QjtBQUM3QyxJQUFBRSxRQUFPO0FBQUEsTUFDSixNQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsWUFBWTtBQUFBLE1BQzVDLElBQUksT0FBTyx5QkFBb0IsT0FBTyxDQUFDLEVBQUUsV0FBVyxLQUFLLEtBQUssQ0FBQyxFQUFFO0FBQUEsSUFDbkU7QUFDQSxVQUFNLE9BQU8sTUFBTSxLQUNoQixRQUFRLG1CQUFtQixFQUMzQixNQUFNLEVBQ04sUUFBUSxRQUFRLEVBQ2hCLGdCQUFnQjtBQUNuQixJQUFBQSxRQUFPO0FBQUEsTUFDTCxLQUFLLElBQUksQ0FBQyxNQUFNLE9BQU8sRUFBRSxRQUFRLE9BQU8sRUFBRSxDQUFDLENBQUM7QUFBQSxNQUM1QyxDQUFDLE9BQU8sTUFBTSxDQUFDLEVBQUUsT0FBTyxDQUFDLEdBQUcsTUFBTSxJQUFJLE9BQU8sQ0FBQyxHQUFHLENBQUMsR0FBRyxHQUFHLE9BQU8sTUFBTSxHQUFHLENBQUMsRUFBRSxJQUFJLE1BQU0sQ0FBQztBQUFBLElBQ3hGO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssb0VBQW9FLFlBQVk7QUFDbkYsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNLEtBQUssU0FBUyxVQUFVLE1BQU0sTUFBTSxhQUFhLENBQUM7QUFDMUUsVUFBTVUsU0FBUSxPQUFPLFNBQWlCO0FBQ3BDLFlBQU0sS0FBSyxRQUFRLHFCQUFxQixFQUFFLFNBQVMsS0FBSyxDQUFDLEVBQUUsTUFBTTtBQUNqRSxZQUFNO0FBQUEsUUFBVztBQUFBLFFBQU0sYUFFbkIsTUFBTSxLQUFLLFFBQVEsc0NBQXNDLEVBQUUsTUFBTSxFQUFFLFlBQVksSUFDOUUsV0FBVyxJQUFJO0FBQUEsTUFDcEI7QUFDQSxjQUFRLE1BQU0sS0FBSyxJQUFJLEVBQUUsUUFBUSxpQkFBaUIsRUFBRSxnQkFBZ0IsR0FDakUsT0FBTyxDQUFDLE1BQU0sQ0FBQyxFQUNmLEtBQUs7QUFBQSxJQUNWO0FBQ0EsVUFBTSxLQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxJQUFBUixRQUFPLFVBQVUsTUFBTVEsT0FBTSxNQUFNLEdBQUcsQ0FBQyxRQUFRLE9BQU8sQ0FBQztBQUN2RCxJQUFBUixRQUFPLFVBQVUsTUFBTVEsT0FBTSxRQUFRLEdBQUcsQ0FBQyxPQUFPLENBQUM7QUFDakQsSUFBQVIsUUFBTyxVQUFVLE1BQU1RLE9BQU0sS0FBSyxHQUFHLENBQUMsT0FBTyxDQUFDO0FBQzlDLElBQUFSLFFBQU8sVUFBVSxNQUFNUSxPQUFNLE1BQU0sR0FBRyxDQUFDLFFBQVEsS0FBSyxDQUFDO0FBQ3JELElBQUFSLFFBQU8sTUFBTSxLQUFLLElBQUksR0FBRyxXQUFXO0FBQ3BDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sV0FBVyxnQkFBZ0IsWUFBYSxNQUFNLEtBQUssSUFBSSxFQUFFLE1BQU0sTUFBTyxDQUFDO0FBQzdFLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLE1BQU07QUFDekMsVUFBTSxXQUFXLGNBQWMsWUFBYSxNQUFNLEtBQUssSUFBSSxFQUFFLE1BQU0sTUFBTyxDQUFDO0FBQzNFLElBQUFBLFFBQU8sV0FBVyxNQUFNLE1BQU0sTUFBTSxDQUFDLEdBQUcsTUFBTSxHQUFHLENBQUMsR0FBRyxDQUFDLFFBQVEsTUFBTSxVQUFLLE9BQU8sTUFBTSxDQUFDO0FBQUEsRUFDekYsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDREQUE0RCxZQUFZO0FBQzNFLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxFQUFFLFVBQVUsRUFBRSxPQUFPLE1BQU0sUUFBUSxJQUFJLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDekUsVUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNLEtBQUssU0FBUyxVQUFVLE1BQU0sSUFBSSxDQUFDO0FBQzNELFVBQU0sS0FBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sVUFBVSxPQUFPLEtBQUssQ0FBQyxFQUFFLE1BQU07QUFDdEUsVUFBTSxXQUFXLGtCQUFrQixhQUFhLE1BQU0sTUFBTSxNQUFNLENBQUMsR0FBRyxDQUFDLE1BQU0sT0FBTztBQUNwRixVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxVQUFVLENBQUMsRUFBRSxLQUFLLEVBQUUsTUFBTTtBQUNqRSxVQUFNLFdBQVcsbUJBQW1CLGFBQWEsTUFBTSxNQUFNLE1BQU0sQ0FBQyxHQUFHLENBQUMsTUFBTSxRQUFHO0FBQ2pGLFVBQU0sS0FBSyxJQUFJLEVBQUUsT0FBTyxFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsTUFBTTtBQUNwRCxVQUFNO0FBQUEsTUFBVztBQUFBLE1BQVksYUFDMUIsTUFBTSxLQUFLLFFBQVEsb0JBQW9CLEVBQUUsWUFBWSxJQUFJLFdBQVcsT0FBTztBQUFBLElBQzlFO0FBQ0EsSUFBQUUsUUFBTyxNQUFNLEtBQUssSUFBSSxHQUFHLGdCQUFnQjtBQUN6QyxJQUFBQSxRQUFPLE1BQU0sS0FBSyxJQUFJLEdBQUcsZ0JBQWdCO0FBQ3pDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQ3pFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSywyREFBMkQsWUFBWTtBQUMxRSxRQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxFQUFFLE1BQU0sS0FBSyxTQUFTLFVBQVUsTUFBTSxNQUFNLGFBQWEsQ0FBQztBQUMxRSxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsUUFBUTtBQUM1QyxVQUFNLFFBQVEsS0FBSztBQUFBLE1BQ2pCLENBQUMsTUFBTSxFQUFFLElBQUksRUFBRSxTQUFTLFFBQVEsS0FBSyxFQUFFLElBQUksRUFBRSxTQUFTLFVBQVU7QUFBQSxJQUNsRTtBQUNBLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNO0FBQzFDLGVBQVcsT0FBTztBQUFBLE1BQ2hCO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0UsWUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQy9CLGFBQ00sSUFBSSxHQUNSLElBQUksS0FBSyxFQUFFLE1BQU0sS0FBSyxRQUFRLHFCQUFxQixFQUFFLFlBQVksSUFBSSxTQUFTLEtBQUssR0FDbkY7QUFFQSxZQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDdkMsVUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPO0FBQ2pDLFVBQU07QUFDTixJQUFBRSxRQUFPLE1BQU0sS0FBSyxJQUFJLEdBQUcsb0JBQW9CO0FBQzdDLFVBQU0sV0FBVyxNQUFNLGNBQWM7QUFDckMsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTSxXQUFXLGNBQWMsWUFBWSxDQUFDLEtBQUssSUFBSSxFQUFFLFNBQVMsT0FBTyxDQUFDO0FBQUEsRUFDMUUsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDBGQUEwRixZQUFZO0FBQ3pHLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLDBCQUEwQjtBQUNsRCxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxpQkFBWSxDQUFDLEVBQUUsTUFBTTtBQUM1RCxVQUFNLFdBQVcsTUFBTSxjQUFjO0FBQ3JDLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLDBCQUEwQixDQUFDLEVBQUUsTUFBTTtBQUMxRSxVQUFNLFFBQVEsTUFBTSwrQkFBMEI7QUFDOUMsSUFBQUUsUUFBTyxNQUFNLEtBQUssSUFBSSxHQUFHLHNDQUFzQztBQUMvRCxJQUFBQSxRQUFPLE1BQU8sTUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFlBQVksR0FBSyxhQUFhO0FBQ2hGLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLDhCQUE4QixDQUFDLEVBQUUsTUFBTTtBQUM5RSxVQUFNLFFBQVEsTUFBTSw4QkFBeUI7QUFDN0MsSUFBQUEsUUFBTyxNQUFPLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxZQUFZLEdBQUssaUJBQWlCO0FBQ3BGLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLDhCQUE4QixDQUFDLEVBQUUsTUFBTTtBQUM5RSxVQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsU0FBUyx5QkFBeUIsQ0FBQyxFQUFFLFFBQVE7QUFDaEYsVUFBTSxXQUFXLE1BQU0sa0JBQWtCO0FBQ3pDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLG9CQUFlLENBQUMsRUFBRSxNQUFNO0FBQy9ELFVBQU0sUUFBUSxNQUFNLDhCQUF5QjtBQUFBLEVBQy9DLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyxxQ0FBcUMsWUFBWTtBQUNwRCxRQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyx5QkFBeUI7QUFDakQsVUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxRQUFRO0FBQ3hFLFVBQU0sS0FBSyxXQUFXLGlCQUFpQixFQUFFLE1BQU07QUFDL0MsVUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsUUFBUTtBQUM5QyxVQUFNLFdBQVcsTUFBTSxrQkFBa0I7QUFDekMsSUFBQUUsUUFBTyxNQUFPLE1BQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLFlBQVksR0FBSyxpQkFBaUI7QUFDdEYsVUFBTSxLQUFLLFFBQVEsd0JBQXdCLEVBQUUsSUFBSSxDQUFDLEVBQUUsYUFBYSxJQUFJO0FBQ3JFLFVBQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLElBQUksQ0FBQyxFQUFFLGFBQWEsSUFBSTtBQUNyRSxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxXQUFXLE9BQU8sS0FBSyxDQUFDLEVBQUUsTUFBTTtBQUN2RSxVQUFNLFFBQVEsTUFBTSxzQkFBaUI7QUFBQSxFQUN2QyxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssNERBQTRELFlBQVk7QUFDM0UsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcseUJBQXlCO0FBQ2pELFVBQU0sS0FBSyxNQUFNLE9BQU8sRUFBRSxRQUFRLFNBQVMsRUFBRSxRQUFRO0FBQ3JELFVBQU0sS0FBSyxVQUFVLG1DQUFtQyxFQUFFLFFBQVE7QUFDbEUsVUFBTSxRQUFTLE1BQU0sS0FBSyxNQUFNLE9BQU8sRUFBRSxRQUFRLFNBQVMsRUFBRSxZQUFZO0FBRXhFLFVBQU0sS0FBSyxNQUFNLEtBQUssTUFBTSxJQUFJLE1BQU0sUUFBUSxNQUFNLE1BQU0sSUFBSSxFQUFFO0FBQ2hFLFVBQU0sS0FBSyxNQUFNLEtBQUs7QUFDdEIsVUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLElBQUksTUFBTSxRQUFRLE9BQU8sTUFBTSxJQUFJLElBQUksRUFBRSxPQUFPLEVBQUUsQ0FBQztBQUMvRSxVQUFNLEtBQUssTUFBTSxHQUFHO0FBQ3BCLFVBQU0sUUFBUSxNQUFNLHNCQUFpQjtBQUNyQyxVQUFNLE1BQU0sS0FBSyxJQUFJO0FBQ3JCLElBQUFFLFFBQU8sTUFBTSxLQUFLLDJCQUEyQjtBQUM3QyxJQUFBQSxRQUFPLE1BQU0sS0FBSyxrQ0FBa0M7QUFDcEQsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTSxRQUFRLE1BQU0sc0JBQWlCO0FBQ3JDLElBQUFBLFFBQU8sTUFBTSxLQUFLLElBQUksR0FBRyxHQUFHO0FBQUEsRUFDOUIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHlEQUF5RCxZQUFZO0FBQ3hFLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sYUFBYSxPQUFPLE1BQWNDLFVBQTBCO0FBQ2hFLFlBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxJQUFJO0FBQzVCLFlBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTQSxNQUFLLENBQUMsRUFBRSxRQUFRO0FBQUEsSUFDOUQ7QUFDQSxVQUFNLFdBQVcsd0NBQXdDLHVCQUF1QjtBQUNoRixVQUFNLFdBQVcsd0NBQXdDLDJCQUEyQjtBQUNwRixVQUFNLFdBQVcsTUFBTSxlQUFlO0FBQ3RDLFVBQU0sV0FBVyxxREFBcUQsd0JBQXdCO0FBQzlGLFVBQU07QUFBQSxNQUNKLGtCQUFrQixtQkFBbUIsb0JBQW9CLENBQUMsV0FBVyxtQkFBbUIseUNBQXlDLENBQUM7QUFBQSxNQUNsSTtBQUFBLElBQ0Y7QUFFQSxTQUFLLGFBQWEsS0FBSyxXQUFXLE9BQU8sQ0FBQyxNQUFNLENBQUMsbUJBQW1CLEtBQUssQ0FBQyxDQUFDO0FBQUEsRUFDN0UsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHNCQUFzQixZQUFZO0FBQ3JDLFFBQU0sSUFBSSxNQUFNRCxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLEdBQUc7QUFDM0IsVUFBTSxLQUFLLFFBQVEsWUFBWSxFQUFFLGNBQWMsU0FBUyxDQUFDLENBQUM7QUFDMUQsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0saUJBQVksQ0FBQyxFQUFFLE1BQU07QUFDNUQsVUFBTSxVQUFVLEtBQUssYUFBYSxhQUFhO0FBQy9DLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLHFCQUFnQixDQUFDLEVBQUUsTUFBTTtBQUNoRSxXQUFPLE1BQU0sU0FBUyxTQUFTLFNBQVMsQ0FBQyxDQUFDO0FBQzFDLFVBQU0sUUFBUSxNQUFNLDhCQUF5QjtBQUM3QyxJQUFBRSxRQUFPLE1BQU8sTUFBTSxLQUFLLE1BQU0sUUFBUSxFQUFFLFlBQVksR0FBSyxrQkFBa0I7QUFDNUUsSUFBQUEsUUFBTyxNQUFPLE1BQU0sS0FBSyxNQUFNLE9BQU8sRUFBRSxZQUFZLEdBQUssdUJBQXVCO0FBQ2hGLFVBQU0sS0FBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsVUFBTSxXQUFXLE1BQU0sZUFBZTtBQUN0QyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxRQUFRLE1BQU0sc0JBQWlCO0FBQ3JDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sUUFBUSxNQUFNLHNCQUFpQjtBQUFBLEVBQ3ZDLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx1Q0FBdUMsWUFBWTtBQUN0RCxRQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxlQUFXLFFBQVEsQ0FBQyxRQUFRLE9BQU8sR0FBRztBQUNwQyxZQUFNLEtBQUssS0FBSyxFQUFFLE1BQU0sS0FBSyxXQUFXLFVBQVUsTUFBTSxNQUFNLFNBQVMsSUFBSSxFQUFFLENBQUM7QUFDOUUsWUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3BELFlBQU0sV0FBVyxNQUFNLG1CQUFtQixJQUFJLEVBQUU7QUFBQSxJQUNsRDtBQUNBLElBQUFFLFFBQU8sTUFBTSxNQUFNLEtBQUssU0FBUyxNQUFNLFlBQVksTUFBTSxHQUFHLEtBQUs7QUFDakUsSUFBQUEsUUFBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxNQUFNLEdBQUcsQ0FBQztBQUN0RCxVQUFNLEtBQUssS0FBSyxFQUFFLE1BQU0sS0FBSyxXQUFXLFVBQVUsTUFBTSxNQUFNLGFBQWEsQ0FBQztBQUM1RSxVQUFNLEtBQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLFVBQU0sUUFBUSxNQUFNLEtBQUssSUFBSSxFQUFFLGdCQUFnQjtBQUMvQyxJQUFBQSxRQUFPO0FBQUEsTUFDTCxNQUFNLEtBQUssQ0FBQyxNQUFNLEVBQUUsV0FBVyxTQUFTLENBQUM7QUFBQSxNQUN6QztBQUFBLElBQ0Y7QUFDQSxJQUFBQSxRQUFPO0FBQUEsTUFDTCxNQUFNLEtBQUssQ0FBQyxNQUFNLEVBQUUsV0FBVyx1Q0FBdUMsQ0FBQztBQUFBLE1BQ3ZFO0FBQUEsSUFDRjtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDBCQUEwQixZQUFZO0FBQ3pDLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxLQUFLLFNBQVMsVUFBVSxNQUFNLElBQUksQ0FBQztBQUMzRCxVQUFNLEtBQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLFdBQVcsY0FBYyxZQUFhLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNLE1BQU8sQ0FBQztBQUM5RixVQUFNLEtBQUssUUFBUSxZQUFZLEVBQUUsTUFBTTtBQUN2QyxVQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDckMsVUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3JDLFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxhQUNHLE1BQU0sTUFBTSxNQUFNLENBQUMsR0FBRyxDQUFDLE1BQ3ZCLE1BQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLE1BQU0sRUFBRSxZQUFZO0FBQUEsSUFDdEU7QUFDQSxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMsb0JBQW9CLENBQUMsRUFBRSxRQUFRO0FBQzVFLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMseUJBQXlCLENBQUMsRUFBRSxRQUFRO0FBQ2pGLFVBQU0sV0FBVyxNQUFNLHNCQUFzQjtBQUM3QyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFVBQVUsUUFBUSxFQUFFLFVBQVUsWUFBWSxFQUFFLFFBQVE7QUFBQSxFQUNqRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssa0dBQWtHLFlBQVk7QUFDakgsUUFBTSxJQUFJLE1BQU1BLFFBQU87QUFDdkIsUUFBTSxNQUFNLEtBQUssSUFBSTtBQUNyQixRQUFNVyxTQUFRLFNBQVMsTUFBTSxJQUFTLE9BQU8sR0FBRyxnQkFBZ0IsTUFBTSxJQUFTLGNBQWMsR0FBRztBQUNoRyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLFVBQVUsa0JBQWtCLG1CQUFtQixvQkFBb0IsQ0FBQyxXQUFXLG1CQUFtQixvQkFBb0IsQ0FBQztBQUM3SCxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHLE9BQU8sR0FBR0EsTUFBSyxhQUFhO0FBQ3ZELFVBQU0sS0FDSCxVQUFVLFVBQVUsRUFBRSxNQUFNLHFCQUFxQixDQUFDLEVBQ2xELFFBQVEsZUFBZSxFQUN2QixRQUFRO0FBQ1gsVUFBTSxLQUFLLGlCQUFpQixhQUFhO0FBQ3pDLFVBQU0sUUFBa0IsQ0FBQztBQUN6QixTQUFLLEdBQUcsV0FBVyxDQUFDLE1BQU0sTUFBTSxLQUFLLElBQUksSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLFNBQVMsUUFBUSxZQUFZLEVBQUUsQ0FBQyxDQUFDO0FBQ3ZGLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixlQUFXLFFBQVEsQ0FBQyxTQUFTLFVBQVUsT0FBTztBQUM1QyxZQUFNO0FBQUEsUUFDSixpQkFBaUIsSUFBSTtBQUFBLFFBQ3JCLFlBQVksTUFBTSxPQUFPLENBQUMsVUFBVSxVQUFVLElBQUksRUFBRSxXQUFXO0FBQUEsTUFDakU7QUFBQSxFQUNKLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx5REFBeUQsWUFBWTtBQUN4RSxRQUFNLElBQUksTUFBTVgsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxFQUFFLE1BQU0sS0FBSyxTQUFTLFVBQVUsTUFBTSxJQUFJLENBQUM7QUFDM0QsVUFBTSxRQUFRLE1BQU0sZ0JBQVc7QUFDL0IsVUFBTSxPQUFPLE1BQU0sV0FBVyw0QkFBNEIsWUFBWTtBQUNwRSxZQUFNWSxTQUFRLE1BQU0sS0FDakIsUUFBUSxjQUFjLEVBQ3RCLFlBQVksQ0FBQyxXQUFXLE9BQU8sSUFBSSxDQUFDLFVBQVUsTUFBTSxhQUFhLGVBQWUsQ0FBQyxDQUFDO0FBQ3JGLGFBQU9BLE9BQU0sV0FBVyxLQUFLQSxPQUFNLE1BQU0sQ0FBQyxRQUFRLE9BQU8sR0FBRyxJQUFJLENBQUMsS0FBS0E7QUFBQSxJQUN4RSxDQUFDO0FBQ0QsSUFBQVYsUUFBTyxNQUFNLEtBQUssQ0FBQyxHQUFHLEtBQUssQ0FBQyxDQUFDO0FBQzdCLElBQUFBLFFBQU87QUFBQSxNQUNMLEtBQUssSUFBSSxPQUFPLEtBQUssQ0FBQyxDQUFDLElBQUksTUFBTSxFQUFFLElBQUk7QUFBQSxNQUN2Qyw0Q0FBNEMsS0FBSyxDQUFDLENBQUM7QUFBQSxJQUNyRDtBQUNBLFVBQU0sV0FBVyxNQUFNLGNBQWM7QUFBQSxFQUN2QyxDQUFDO0FBQ0gsQ0FBQztBQUVELFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxPQUFLLDhEQUE4RCxLQUFLLElBQUksWUFBWTtBQUN0RixVQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixVQUFNLFNBQVMsRUFBRSxhQUFhLE1BQU0sR0FBRyxPQUFPLFNBQVM7QUFFckQsWUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNLEtBQUssU0FBUyxVQUFVLE1BQU0sTUFBTSxjQUFjLENBQUM7QUFDM0UsWUFBTSxRQUFRLE1BQU0sb0NBQStCO0FBQ25ELFlBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxTQUFTLFFBQVEsQ0FBQyxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3RFLE1BQUFFLFFBQU8sV0FBVyxNQUFNLE1BQU0sTUFBTSxDQUFDLEdBQUcsTUFBTSxHQUFHLENBQUMsR0FBRztBQUFBLFFBQ25EO0FBQUEsUUFDQTtBQUFBLFFBQ0E7QUFBQSxRQUNBO0FBQUEsUUFDQTtBQUFBLE1BQ0YsQ0FBQztBQUNELFlBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNO0FBQzFDLGlCQUFXLE9BQU8sQ0FBQyxRQUFRLGFBQWEsV0FBVyxFQUFHLE9BQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUNuRixZQUFNLE1BQU0sTUFBTTtBQUFBLFFBQ2hCO0FBQUEsUUFDQSxZQUNHLE1BQU0sS0FDSixRQUFRLGdCQUFnQixFQUN4QixZQUFZLEVBQ1osTUFBTSxNQUFNLEVBQUUsS0FBTTtBQUFBLE1BQzNCO0FBQ0EsTUFBQUEsUUFBTyxNQUFNLEtBQUssaUNBQWlDO0FBQ25ELE1BQUFBLFFBQU8sTUFBTSxLQUFLLFlBQVk7QUFDOUIsWUFBTSxXQUFXLE1BQU0sc0JBQXNCLEtBQUssRUFBRTtBQUFBLElBQ3RELENBQUM7QUFBQSxFQUNILENBQUM7OztBRXBvQkgsT0FBT1csYUFBWTtBQUNuQixTQUF1QixTQUFBQyxjQUFhO0FBQ3BDLFNBQVMsUUFBQUMsYUFBWTtBQUtyQixTQUFTLGFBQWFDLFVBQThCO0FBQ2xELFFBQU0sUUFBUUM7QUFBQSxJQUNaO0FBQUEsSUFDQTtBQUFBLE1BQ0UsR0FBRyxDQUFDLE9BQU8sTUFBTUQsU0FBTyxLQUFLLGNBQWMsUUFBUSxNQUFNLFlBQVksZ0JBQWdCLElBQUk7QUFBQSxNQUN6RixHQUFHLENBQUMsTUFBTSxNQUFNLDZCQUE2QjtBQUFBLElBQy9DO0FBQUEsSUFDQSxFQUFFLE9BQU8sVUFBVSxVQUFVLEtBQUs7QUFBQSxFQUNwQztBQUNBLFFBQU0sTUFBTTtBQUNWLFFBQUksTUFBTSxhQUFhLEtBQU0sU0FBUSxLQUFLLENBQUMsTUFBTSxLQUFNLFNBQVM7QUFDaEUsV0FBTyxRQUFRLFFBQVE7QUFBQSxFQUN6QixDQUFDO0FBQ0QsU0FBTztBQUNUO0FBR0EsZUFBZSxVQUFVLE9BQStCO0FBQ3RELFFBQU0sTUFBTSxLQUFLLElBQUksSUFBSTtBQUN6QixTQUFPLENBQUUsTUFBTSxNQUFNLEdBQUk7QUFDdkIsUUFBSSxLQUFLLElBQUksSUFBSSxJQUFLLE9BQU0sSUFBSSxNQUFNLHFCQUFxQjtBQUMzRCxVQUFNLElBQUksUUFBUSxDQUFDLFNBQVMsV0FBVyxNQUFNLEdBQUcsQ0FBQztBQUFBLEVBQ25EO0FBQ0Y7QUFFQSxJQUFNLFFBQVEsT0FBTyxNQUNsQixPQUFPLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRyxrQ0FBa0MsR0FBRyxLQUFLO0FBSXhFLEtBQUssNEVBQTRFLFlBQVk7QUFDM0YsUUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxJQUFFLEtBQUtFLE1BQUssWUFBWSx5QkFBeUIsR0FBRyxZQUFZLFVBQVUsUUFBUTtBQUNsRixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRywwQkFBMEI7QUFDbEQsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sVUFBVSxDQUFDLEVBQUUsTUFBTTtBQUMxRCxVQUFNLEtBQUssVUFBVSxnREFBZ0QsRUFBRSxRQUFRO0FBQy9FLGlCQUFhLENBQUM7QUFDZCxVQUFNLE9BQU8sS0FBSyxRQUFRLGVBQWU7QUFDekMsVUFBTSxLQUFLLFFBQVEsRUFBRSxTQUFTLElBQU8sQ0FBQztBQUN0QyxVQUFNLEtBQUssV0FBVyx3QkFBd0IsRUFBRSxLQUFLLEtBQUs7QUFDMUQsVUFBTSxLQUFLLFdBQVcsTUFBTSxFQUFFLFFBQVE7QUFDdEMsVUFBTSxLQUFLLFdBQVcsTUFBTSxFQUFFLE1BQU07QUFDcEMsVUFBTSxLQUFLLFdBQVcsUUFBUSxFQUFFLEtBQUssb0JBQW9CO0FBQ3pELFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLFFBQVEsQ0FBQyxFQUFFLE1BQU07QUFDeEQsVUFBTSxLQUFLLFVBQVUsV0FBVyxFQUFFLFFBQVE7QUFDMUMsVUFBTSxVQUFVLFlBQVk7QUFDMUIsWUFBTSxFQUFFLFVBQVUsSUFBSSxNQUFNLE1BQU0sQ0FBQztBQUNuQyxhQUFPLFVBQVU7QUFBQSxRQUNmLENBQUMsTUFDQyxFQUFFLGdCQUFnQixhQUNsQixFQUFFLFNBQVMsV0FBVyxPQUN0QixFQUFFLFNBQVMsVUFBVSxLQUFLLE1BQU07QUFBQSxNQUNwQztBQUFBLElBQ0YsQ0FBQztBQUNELFVBQU0sS0FBSyxVQUFVLGFBQWEsRUFBRSxRQUFRLEVBQUUsU0FBUyxJQUFPLENBQUM7QUFDL0QsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sVUFBVSxDQUFDLEVBQUUsTUFBTTtBQUMxRCxVQUFNLFVBQVUsWUFBWTtBQUMxQixZQUFNLEVBQUUsVUFBVSxJQUFJLE1BQU0sTUFBTSxDQUFDO0FBQ25DLGFBQU8sVUFBVSxLQUFLLENBQUMsTUFBTSxFQUFFLGdCQUFnQixXQUFXLEVBQUUsU0FBUyxXQUFXLEdBQUc7QUFBQSxJQUNyRixDQUFDO0FBQ0QsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTUMsVUFBUyxLQUFLLFVBQVUsUUFBUSxFQUFFLE1BQU0sU0FBUyxDQUFDO0FBQ3hELFVBQU1BLFFBQU8sUUFBUTtBQUNyQixVQUFNQyxRQUFRLE1BQU1ELFFBQU8sWUFBWSxLQUFNO0FBQzdDLElBQUFFLFFBQU8sTUFBTUQsT0FBTSxpRUFBaUU7QUFDcEYsSUFBQUMsUUFBTyxNQUFNRCxPQUFNLHNCQUFzQjtBQUN6QyxJQUFBQyxRQUFPLE1BQU1ELE9BQU0sOEJBQThCO0FBQUEsRUFDbkQsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHdFQUF3RSxZQUFZO0FBQ3ZGLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsSUFBRSxLQUFLRixNQUFLLFlBQVkseUJBQXlCLEdBQUcsWUFBWSxVQUFVLFFBQVE7QUFDbEYsZUFBYSxDQUFDO0FBQ2QsUUFBTSxVQUFVLGFBQWEsTUFBTSxNQUFNLENBQUMsR0FBRyxVQUFVLFNBQVMsQ0FBQztBQUNqRSxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRywwQkFBMEI7QUFDbEQsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sVUFBVSxDQUFDLEVBQUUsTUFBTTtBQUMxRCxVQUFNLFFBQVEsS0FBSyxRQUFRLGdCQUFnQjtBQUMzQyxVQUFNLE9BQU8sTUFBTSxVQUFVLFVBQVUsRUFBRSxNQUFNLGlCQUFpQixDQUFDO0FBQ2pFLFVBQU0sTUFBTSxXQUFXLFNBQVMsRUFBRSxhQUFhLE1BQU07QUFDckQsVUFBTSxNQUFNLFdBQVcsT0FBTyxFQUFFLE9BQU8sS0FBSyxDQUFDLEVBQUUsYUFBYSxHQUFHO0FBQy9ELFVBQU0sS0FBSyxNQUFNO0FBQ2pCLFVBQU0sTUFBTSxVQUFVLGlDQUFpQyxFQUFFLFFBQVE7QUFDakUsSUFBQUcsUUFBTyxNQUFNLE1BQU0sS0FBSyxXQUFXLEdBQUcsSUFBSTtBQUUxQyxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxVQUFVLENBQUMsRUFBRSxNQUFNO0FBQzFELFVBQU0sS0FBSyxlQUFlLElBQUk7QUFDOUIsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sVUFBVSxDQUFDLEVBQUUsTUFBTTtBQUMxRCxVQUFNLE1BQU0sVUFBVSxpQkFBaUIsRUFBRSxRQUFRLEVBQUUsU0FBUyxJQUFPLENBQUM7QUFDcEUsVUFBTSxRQUFRLEtBQUssYUFBYSxVQUFVO0FBQzFDLFVBQU0sTUFBTSxVQUFVLFVBQVUsRUFBRSxNQUFNLE9BQU8sQ0FBQyxFQUFFLE1BQU07QUFDeEQsSUFBQUEsUUFBTyxPQUFPLE1BQU0sT0FBTyxrQkFBa0IsR0FBRyw2QkFBNkI7QUFDN0UsVUFBTSxNQUFNLFVBQVUsVUFBVSxFQUFFLE1BQU0sT0FBTyxDQUFDLEVBQUUsTUFBTTtBQUN4RCxVQUFNLEtBQUssV0FBVyxPQUFPO0FBQzdCLFVBQU0sS0FBSyxVQUFVLDJCQUEyQixFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQUEsRUFDcEUsQ0FBQztBQUNILENBQUM7OztBQzFHRCxPQUFPQyxhQUFZO0FBQ25CLFNBQVMsV0FBQUMsVUFBUyxRQUFBQyxhQUFZO0FBQzlCLFNBQVMsaUJBQWlCO0FBSzFCLGVBQWUsTUFBTSxHQUE0QjtBQUMvQyxVQUFTLE9BQU8sTUFBTSxNQUFNLEdBQUcsRUFBRSxHQUFHLGVBQWUsR0FBRyxLQUFLLEdBQXlCO0FBQ3RGO0FBRUEsS0FBSyxzRUFBc0UsWUFBWTtBQUNyRixRQUFNLE9BQU9DLE1BQUssVUFBVSxHQUFHLE9BQU87QUFDdEMsUUFBTSxPQUFPQSxNQUFLQyxTQUFRLE9BQU8sR0FBRyxTQUFTLFlBQVk7QUFDekQsRUFBQUMsUUFBTyxNQUFNLFVBQVUsTUFBTSxDQUFDLE1BQU0sSUFBSSxRQUFRLEtBQUssSUFBSSxDQUFDLEVBQUUsUUFBUSxDQUFDO0FBQ3JFLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxNQUFNLENBQUMsdUNBQXVDLENBQUMsRUFBRSxNQUFNO0FBQ2xGLFFBQU0sTUFBTSxLQUFLLElBQUksSUFBSTtBQUN6QixTQUFRLE1BQU0sTUFBTSxDQUFDLE1BQU8sR0FBRztBQUM3QixJQUFBQSxRQUFPLEdBQUcsS0FBSyxJQUFJLElBQUksS0FBSywyQkFBMkI7QUFDdkQsVUFBTSxJQUFJLFFBQVEsQ0FBQyxTQUFTLFdBQVcsTUFBTSxHQUFHLENBQUM7QUFBQSxFQUNuRDtBQUNBLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGtDQUFrQztBQUMxRCxVQUFNQyxVQUFTLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxTQUFTLENBQUM7QUFDeEQsVUFBTUEsUUFBTyxRQUFRO0FBQ3JCLElBQUFELFFBQU8sTUFBTyxNQUFNQyxRQUFPLFlBQVksS0FBTSxJQUFJLHFDQUFxQztBQUN0RixRQUFJLFFBQVEsSUFBSSxTQUFVLE9BQU0sS0FBSyxXQUFXLEVBQUUsTUFBTSxHQUFHLFFBQVEsSUFBSSxRQUFRLHNCQUFzQixDQUFDO0FBQ3RHLFVBQU1BLFFBQU8sVUFBVSxRQUFRLEVBQUUsTUFBTSxVQUFVLENBQUMsRUFBRSxNQUFNO0FBQzFELFVBQU0sS0FBSyxXQUFXLGFBQWE7QUFDbkMsVUFBTSxLQUFLLFVBQVUsUUFBUSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQy9DLFFBQUksUUFBUSxJQUFJLFNBQVUsT0FBTSxLQUFLLFdBQVcsRUFBRSxNQUFNLEdBQUcsUUFBUSxJQUFJLFFBQVEscUJBQXFCLENBQUM7QUFBQSxFQUN2RyxDQUFDO0FBQ0gsQ0FBQzs7O0FDL0JELE9BQU9DLGFBQVk7QUFDbkIsU0FBUyxRQUFBQyxhQUFZO0FBTXJCLElBQU1DLFdBQVU7QUFBQSxFQUNkO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFBQSxFQUNBLElBQUksT0FBTyxHQUFNO0FBQUEsRUFDakI7QUFBQSxFQUNBO0FBQ0Y7QUFFQSxJQUFJQyxTQUFnQztBQUdwQyxTQUFTQyxVQUEwQjtBQUNqQyxFQUFBRCxZQUFXLFlBQVk7QUFDckIsVUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxVQUFNLFFBQVEsVUFBVTtBQUN4QixNQUFFO0FBQUEsTUFDQUUsTUFBSyxZQUFZLHlCQUF5QjtBQUFBLE1BQzFDO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxNQUFFO0FBQUEsTUFDQUEsTUFBSyxZQUFZLDhCQUE4QjtBQUFBLE1BQy9DO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxNQUFFO0FBQUEsTUFDQSxPQUFPQSxNQUFLLE9BQU8sY0FBYyxHQUFHO0FBQUEsUUFDbEMsbUJBQW1CO0FBQUEsUUFDbkIsY0FBYztBQUFBLFFBQ2QsY0FBYztBQUFBLE1BQ2hCLENBQUM7QUFBQSxNQUNEO0FBQUEsSUFDRjtBQUNBLE1BQUU7QUFBQSxNQUNBO0FBQUEsUUFDRUEsTUFBSyxPQUFPLGdCQUFnQjtBQUFBLFFBQzVCLE9BQU8sWUFBWUgsU0FBUSxJQUFJLENBQUMsTUFBTSxNQUFNLENBQUMsUUFBUSxLQUFLLFdBQVcsS0FBSyxHQUFHLENBQUMsSUFBSSxJQUFJLENBQUMsQ0FBQyxDQUFDO0FBQUEsTUFDM0Y7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUNBLFdBQU87QUFBQSxFQUNULEdBQUc7QUFDSCxTQUFPQztBQUNUO0FBRUEsSUFBTUcsUUFBTyxDQUFDLFNBQWUsS0FBSyxRQUFRLG9DQUFvQztBQUM5RSxJQUFNLE9BQU8sT0FBTyxNQUFZLGNBQzVCLE1BQU0sS0FBSyxRQUFRLFFBQVEsRUFBRSxNQUFNLEVBQUUsWUFBWSxLQUFNLElBQUksS0FBSztBQUVwRSxXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxNQUFNLEdBQUc7QUFDbEMsU0FBSyxtQ0FBbUMsS0FBSyxLQUFLLEtBQUssU0FBUyxZQUFZO0FBQzFFLFlBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFlBQU07QUFBQSxRQUNKLEVBQUUsYUFBYSxPQUFPLFVBQVUsRUFBRSxPQUFPLFFBQVEsVUFBVSxNQUFNLE1BQU0sSUFBSSxFQUFFO0FBQUEsUUFDN0UsT0FBTyxTQUFTO0FBQ2QsZ0JBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLEdBQUc7QUFDM0IsZ0JBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUMvQyxVQUFBRyxRQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsTUFBTSxFQUFFLGFBQWEsWUFBWSxHQUFHLEtBQUs7QUFDekUsZ0JBQU0sV0FBVyxNQUFNLFlBQVksS0FBSyxJQUFJLEtBQUssRUFBRTtBQUNuRCxnQkFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxXQUFXLENBQUMsRUFBRSxNQUFNO0FBQ25FLGdCQUFNRCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxnQkFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQzdDLFVBQUFDLFFBQU87QUFBQSxZQUNMLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxnQkFBZ0IsY0FBYyxVQUFVO0FBQUEsWUFDM0U7QUFBQSxZQUNBO0FBQUEsVUFDRjtBQUNBLGdCQUFNLFdBQVcsTUFBTSxZQUFZLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFBQSxRQUNyRDtBQUFBLE1BQ0Y7QUFBQSxJQUNGLENBQUM7QUFFTCxLQUFLLGtFQUFrRSxZQUFZO0FBQ2pGLFFBQU0sSUFBSSxNQUFNSCxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLEdBQUc7QUFDM0IsVUFBTSxLQUFLLFFBQVEsa0JBQWtCLEVBQUUsU0FBUyxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQ3BFLElBQUFHLFFBQU8sTUFBTSxNQUFNLEtBQUssTUFBTSxlQUFlLEdBQUcsVUFBVTtBQUMxRCxJQUFBQSxRQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ3RELFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxRQUFRLEVBQUUsT0FBTyxXQUFXLENBQUM7QUFBQSxFQUM3RCxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssc0RBQXNELFlBQVk7QUFDckUsUUFBTSxJQUFJLE1BQU1ILFFBQU87QUFDdkIsUUFBTSxXQUFXLEtBQUs7QUFBQSxJQUNwQixFQUFFLE1BQU0sT0FBTyxZQUFZLFVBQVUsVUFBVSxNQUFNLEtBQUssUUFBUTtBQUFBLEVBQ3BFO0FBR0EsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcscUNBQXFDO0FBQzdELFVBQU1FLE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLGVBQVcsQ0FBQyxHQUFHRSxJQUFHLEtBQUssU0FBUyxLQUFLLFFBQVEsR0FBRztBQUM5QyxZQUFNLFFBQVMsTUFBTUYsTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsWUFBWTtBQUNuRCxNQUFBQyxRQUFPLEdBQUcsTUFBTSxXQUFXQyxLQUFJLFFBQVFBLEtBQUksUUFBUyxHQUFHLEtBQUs7QUFBQSxJQUM5RDtBQUNBLFVBQU1DLFNBQVEsRUFBRSxNQUFNLE9BQU8sWUFBWSxVQUFVLFVBQVUsTUFBTSxHQUFHLEVBQUUsTUFBTSxJQUFJO0FBQ2xGLFVBQU0sUUFBUyxNQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsWUFBWTtBQUNwRCxVQUFNSSxTQUFRRCxPQUNYLEtBQUssQ0FBQyxNQUFNLEVBQUUsU0FBUyxTQUFTLEtBQUssQ0FBQyxFQUFFLFFBQVEsU0FBUyxLQUFLLENBQUMsRUFBRSxRQUFTLENBQUMsRUFDM0UsS0FBSyxFQUNMLE1BQU0sUUFBUTtBQUNqQixJQUFBRixRQUFPLEdBQUcsTUFBTSxTQUFTRyxPQUFNLENBQUMsQ0FBQyxHQUFHLEdBQUcsS0FBSyxRQUFRQSxPQUFNLENBQUMsQ0FBQyxFQUFFO0FBQUEsRUFDaEUsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDBGQUEwRixZQUFZO0FBQ3pHLFFBQU0sSUFBSSxNQUFNTixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHFDQUFxQztBQUM3RCxVQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLFNBQVMsQ0FBQyxFQUFFLFFBQVE7QUFDckUsVUFBTSxRQUFTLE1BQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxZQUFZO0FBQ3pELFVBQU0sS0FBSyxNQUFNLEtBQUssTUFBTSxJQUFJLE1BQU0sUUFBUSxLQUFLLE1BQU0sSUFBSSxFQUFFO0FBQy9ELFVBQU0sS0FBSyxNQUFNLEtBQUs7QUFDdEIsVUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLElBQUksTUFBTSxRQUFRLE1BQU0sTUFBTSxJQUFJLElBQUksRUFBRSxPQUFPLEVBQUUsQ0FBQztBQUM5RSxVQUFNLEtBQUssTUFBTSxHQUFHO0FBQ3BCLFVBQU0sS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVMsU0FBUyxDQUFDLEVBQUUsUUFBUTtBQUNyRSxJQUFBRyxRQUFPLE1BQU0sS0FBSyxJQUFJLEdBQUcsdUJBQXVCO0FBQ2hELFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVMsU0FBUyxDQUFDLEVBQUUsUUFBUTtBQUNyRSxVQUFNLEtBQUssT0FBTztBQUNsQixVQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLFNBQVMsQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN2RSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssK0VBQStFLFlBQVk7QUFDOUYsUUFBTSxJQUFJLE1BQU1ILFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0RBQWtEO0FBQzFFLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxRQUFRO0FBQ3RDLFVBQU0sUUFBUyxNQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsWUFBWTtBQUN6RCxVQUFNLEtBQUssTUFBTSxTQUFTLE1BQU0sSUFBSSxNQUFNLFFBQVEsS0FBSyxNQUFNLElBQUksRUFBRTtBQUNuRSxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsU0FBUyxZQUFZLENBQUMsRUFBRSxRQUFRO0FBQ3BFLElBQUFHLFFBQU8sTUFBTSxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRSxVQUFVLFdBQVc7QUFDdEQsVUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLElBQUksTUFBTSxRQUFRLEtBQUssTUFBTSxJQUFJLEVBQUU7QUFDL0QsVUFBTSxLQUFLLE1BQU0sS0FBSztBQUN0QixVQUFNLEtBQUssTUFBTSxLQUFLLE1BQU0sSUFBSSxNQUFNLFFBQVEsTUFBTSxNQUFNLElBQUksSUFBSSxFQUFFLE9BQU8sRUFBRSxDQUFDO0FBQzlFLFVBQU0sS0FBSyxNQUFNLEdBQUc7QUFDcEIsVUFBTSxXQUFXLFlBQVksWUFBWSxjQUFjLEtBQUssS0FBSyxJQUFJLENBQUMsQ0FBQztBQUN2RSxVQUFNLEtBQUssZUFBZSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxNQUFNLFNBQVMsTUFBTSxJQUFJLE1BQU0sUUFBUSxLQUFLLE1BQU0sSUFBSSxFQUFFO0FBQ25FLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLFlBQVksQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN0RSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssOEVBQThFLFlBQVk7QUFDN0YsUUFBTSxJQUFJLE1BQU1ILFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0RBQWtEO0FBQzFFLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxRQUFRO0FBQ3RDLFVBQU0sUUFBUyxNQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsWUFBWTtBQUN6RCxVQUFNLEtBQUs7QUFBQSxNQUNULENBQUMsRUFBRSxHQUFHLEVBQUUsTUFBTTtBQUNaLGNBQU1PLE1BQUssQ0FBQyxXQUFtQjtBQUFBLFVBQzdCLFNBQVM7QUFBQSxVQUNULFFBQVE7QUFBQSxVQUNSLFNBQVMsSUFBSTtBQUFBLFVBQ2IsU0FBUztBQUFBLFFBQ1g7QUFDQSxjQUFNLFFBQVEsSUFBSSxpQkFBaUIsTUFBTTtBQUN2QyxjQUFJLENBQUMsU0FBUyxjQUFjLGFBQWEsR0FBRyxhQUFhLFNBQVMsV0FBVyxFQUFHO0FBQ2hGLGdCQUFNLFdBQVc7QUFDakIsbUJBQVMsY0FBYyxTQUFTLEVBQUcsY0FBYyxJQUFJLFdBQVcsYUFBYUEsSUFBRyxDQUFDLENBQUMsQ0FBQztBQUNuRixxQkFBVyxNQUFNO0FBQ2YsdUJBQVcsU0FBUyxDQUFDLElBQUksSUFBSSxFQUFFO0FBQzdCLHVCQUNHLGNBQWMsU0FBUyxFQUN2QixjQUFjLElBQUksV0FBVyxhQUFhQSxJQUFHLEtBQUssQ0FBQyxDQUFDO0FBQ3pELHFCQUFTLGNBQWMsU0FBUyxFQUFHLGNBQWMsSUFBSSxXQUFXLFdBQVdBLElBQUcsRUFBRSxDQUFDLENBQUM7QUFBQSxVQUNwRixHQUFHLEdBQUk7QUFBQSxRQUNULENBQUM7QUFDRCxjQUFNLFFBQVEsU0FBUyxNQUFNLEVBQUUsU0FBUyxNQUFNLFdBQVcsTUFBTSxlQUFlLEtBQUssQ0FBQztBQUFBLE1BQ3RGO0FBQUEsTUFDQSxFQUFFLEdBQUcsTUFBTSxJQUFJLE1BQU0sUUFBUSxLQUFLLEdBQUcsTUFBTSxJQUFJLEdBQUc7QUFBQSxJQUNwRDtBQUNBLFVBQU0sS0FBSyxNQUFNLFNBQVMsTUFBTSxJQUFJLE1BQU0sUUFBUSxLQUFLLE1BQU0sSUFBSSxFQUFFO0FBQ25FLFVBQU0sV0FBVyxZQUFZLFlBQVksY0FBYyxLQUFLLEtBQUssSUFBSSxDQUFDLENBQUM7QUFBQSxFQUN6RSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMEZBQTBGLFlBQVk7QUFDekcsUUFBTSxJQUFJLE1BQU1QLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcscUNBQXFDO0FBQzdELFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLFVBQVUsQ0FBQyxFQUFFLE1BQU07QUFDMUQsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLFNBQVMsVUFBVSxDQUFDLEVBQUUsTUFBTTtBQUMxRCxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxLQUFLLENBQUMsRUFBRSxRQUFRO0FBQ3ZELElBQUFHLFFBQU87QUFBQSxNQUNKLE1BQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxTQUFTLEtBQUssQ0FBQyxFQUFFLFlBQVk7QUFBQSxNQUM1RDtBQUFBLElBQ0Y7QUFDQSxVQUFNLFdBQVcsTUFBTSxRQUFRO0FBQy9CLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxTQUFTLEtBQUssQ0FBQyxFQUFFLE1BQU07QUFDckQsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUyxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQ3JFLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGlCQUFpQixDQUFDLEVBQUUsTUFBTTtBQUNqRSxVQUFNLEtBQUssV0FBVyxtQkFBbUIsRUFBRSxhQUFhLFNBQVM7QUFDakUsVUFBTSxLQUFLLFFBQVEsV0FBVyxFQUFFLFNBQVMsS0FBSyxDQUFDLEVBQUUsUUFBUTtBQUN6RCxVQUFNLFdBQVcsTUFBTSxtQkFBbUI7QUFDMUMsVUFBTSxLQUFLLFFBQVEsa0JBQWtCLEVBQUUsU0FBUyxLQUFLLENBQUMsRUFBRSxNQUFNO0FBQzlELFVBQU0sS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVMsU0FBUyxDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQ3ZFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyxzRUFBc0UsWUFBWTtBQUNyRixRQUFNLElBQUksTUFBTUgsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyx1QkFBdUI7QUFDL0MsVUFBTSxXQUFXLGlCQUFpQixZQUFhLE1BQU1FLE1BQUssSUFBSSxFQUFFLE1BQU0sTUFBTyxDQUFDO0FBQzlFLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLE9BQU87QUFDMUMsVUFBTSxXQUFXLGdCQUFnQixZQUFhLE1BQU1BLE1BQUssSUFBSSxFQUFFLE1BQU0sTUFBTyxDQUFDO0FBQzdFLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLGtCQUFrQjtBQUNyRCxVQUFNLFdBQVcsaUJBQWlCLFlBQWEsTUFBTUEsTUFBSyxJQUFJLEVBQUUsTUFBTSxNQUFPLENBQUM7QUFDOUUsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsbUNBQW1DO0FBQzNELFVBQU0sS0FBSyxRQUFRLFlBQVksRUFBRSxTQUFTLDJCQUEyQixDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQ2xGLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSywwQkFBMEIsWUFBWTtBQUN6QyxRQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUMvQyxVQUFNLEtBQUssZUFBZSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxxQkFBcUIsQ0FBQyxFQUFFLFFBQVE7QUFDdkUsVUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLHFCQUFxQixDQUFDLEVBQUUsUUFBUSxFQUFFLE9BQU8sV0FBVyxDQUFDO0FBQzVGLFVBQU0sV0FBVyxtQ0FBbUMsWUFBWTtBQUM5RCxZQUFNLEtBQUssU0FBUyxNQUFNLEtBQUs7QUFDL0IsYUFBTyxLQUFLLFNBQVMsTUFBTSxTQUFTLGVBQWUsVUFBVSxTQUFTLGNBQWMsQ0FBQztBQUFBLElBQ3ZGLENBQUM7QUFDRCxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTUUsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sV0FBVyxtQkFBbUIsWUFBWSxLQUFLLElBQUksRUFBRSxTQUFTLFlBQVksQ0FBQztBQUNqRixVQUFNLEtBQUssUUFBUSxZQUFZLEVBQUUsTUFBTTtBQUN2QyxVQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDckMsVUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3JDLFVBQU0sV0FBVyxrQkFBa0IsWUFBWSxZQUFZLEtBQUssS0FBSyxJQUFJLENBQUMsQ0FBQztBQUMzRSxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFNBQVMsS0FBSyxNQUFNO0FBQy9CLFVBQU0sV0FBVyxjQUFjLFlBQVksS0FBSyxJQUFJLEVBQUUsU0FBUyxhQUFhLENBQUM7QUFDN0UsVUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssUUFBUSxRQUFRLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDN0MsVUFBTSxRQUFRLE1BQU0sS0FBSyxRQUFRLE1BQU0sRUFBRSxhQUFhLFlBQVk7QUFDbEUsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBYSxNQUFNLEtBQUssUUFBUSxNQUFNLEVBQUUsYUFBYSxZQUFZLE1BQU87QUFBQSxJQUMxRTtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLCtDQUErQyxZQUFZO0FBQzlELFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLGVBQVcsUUFBUSxDQUFDLFFBQVEsU0FBUyxPQUFPLEdBQUc7QUFDN0MsWUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsZ0NBQWdDLElBQUksRUFBRTtBQUM5RCxZQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLEtBQUssQ0FBQyxFQUFFLFFBQVE7QUFDakUsTUFBQUcsUUFBTztBQUFBLFFBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTyxPQUEwQyxNQUFNO0FBQUEsUUFDM0U7QUFBQSxNQUNGO0FBQUEsSUFDRjtBQUNBLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHlCQUF5QjtBQUNqRCxVQUFNRCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxJQUFBQyxRQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsS0FBSyxFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ2pELElBQUFBLFFBQU87QUFBQSxNQUNMLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxnQkFBZ0IsY0FBYyxVQUFVO0FBQUEsTUFDM0U7QUFBQSxJQUNGO0FBQ0EsVUFBTSxXQUFXLE1BQU0sU0FBUztBQUNoQyxVQUFNSyxRQUNKLEdBQUcsRUFBRSxHQUFHLG1CQUFtQixtQkFBbUIsb0JBQW9CLENBQUMsV0FDeEQsbUJBQW1CLDJCQUEyQixDQUFDO0FBQzVELFVBQU0sS0FBSyxLQUFLQSxLQUFJLEVBQUUsTUFBTSxNQUFNLE1BQVM7QUFDM0MsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDeEQsSUFBQUwsUUFBTztBQUFBLE1BQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTyxPQUEwQyxNQUFNO0FBQUEsTUFDM0U7QUFBQSxJQUNGO0FBQ0EsU0FBSyxhQUFhLEtBQUssV0FBVyxPQUFPLENBQUMsTUFBTSxDQUFDLGdCQUFnQixLQUFLLENBQUMsQ0FBQztBQUFBLEVBQzFFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx5RkFBeUYsWUFBWTtBQUN4RyxRQUFNLElBQUksTUFBTUgsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUs7QUFBQSxNQUNULEdBQUcsRUFBRSxHQUFHLG1DQUFtQyxtQkFBbUIsbUJBQW1CLENBQUM7QUFBQSxJQUNwRjtBQUNBLFVBQU0sS0FBSyxRQUFRLGdCQUFnQixFQUFFLFNBQVMsWUFBWSxDQUFDLEVBQUUsUUFBUTtBQUNyRSxVQUFNUyxTQUFRLE1BQU0sS0FDakIsUUFBUSxrREFBa0QsRUFDMUQsZ0JBQWdCO0FBQ25CLElBQUFOLFFBQU8sR0FBR00sT0FBTSxTQUFTLEtBQUtBLE9BQU0sTUFBTSxDQUFDLE1BQU0saUJBQWlCLEtBQUssQ0FBQyxDQUFDLEdBQUdBLE9BQU0sS0FBSyxJQUFJLENBQUM7QUFDNUYsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsbUNBQW1DLG1CQUFtQixTQUFTLENBQUMsRUFBRTtBQUMxRixVQUFNLEtBQUssUUFBUSxnQkFBZ0IsRUFBRSxTQUFTLHFCQUFxQixDQUFDLEVBQUUsUUFBUTtBQUM5RSxVQUFNLEtBQ0gsUUFBUSw0QkFBNEIsRUFBRSxTQUFTLHFCQUFxQixDQUFDLEVBQ3JFLE1BQU0sRUFDTixRQUFRO0FBQUEsRUFDYixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssaUVBQWlFLFlBQVk7QUFDaEYsUUFBTSxJQUFJLE1BQU1ULFFBQU87QUFDdkIsUUFBTSxTQUFTLEVBQUUsYUFBYSxDQUFDLGtCQUFrQixpQkFBaUIsRUFBRSxHQUFHLE9BQU8sU0FBUztBQUNyRixlQUFXLFFBQVE7QUFBQSxNQUNqQjtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0YsR0FBRztBQUNELFlBQU0sS0FBSyxLQUFLLEVBQUUsTUFBTSxJQUFJO0FBQzVCLFlBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLDJCQUEyQixDQUFDLEVBQUUsUUFBUTtBQUM3RSxZQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsWUFBTSxLQUFLLFVBQVUsYUFBYSxFQUFFLFFBQVE7QUFDNUMsWUFBTVEsUUFBTyxJQUFJLElBQUksTUFBTSxLQUFLLFNBQVMsTUFBTSxVQUFVLFVBQVUsU0FBUyxDQUFDLENBQUM7QUFDOUUsWUFBTSxPQUFPLE9BQU9BLE1BQUssYUFBYSxJQUFJLE1BQU0sQ0FBQztBQUNqRCxNQUFBTCxRQUFPLE1BQU1LLE1BQUssVUFBVSxLQUFLLE1BQU0sR0FBRyxFQUFFLENBQUMsQ0FBQztBQUM5QyxNQUFBTCxRQUFPLE1BQU0sT0FBT0ssTUFBSyxhQUFhLElBQUksSUFBSSxDQUFDLElBQUksTUFBTSxNQUFRQSxNQUFLLElBQUk7QUFDMUUsTUFBQUwsUUFBTyxHQUFHLEtBQUssSUFBSSxLQUFLLElBQUksSUFBSSxPQUFTLElBQUksSUFBSSxLQUFNSyxNQUFLLElBQUk7QUFBQSxJQUNsRTtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHFDQUFxQyxZQUFZO0FBQ3BELFFBQU0sSUFBSSxNQUFNUixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHdCQUF3QjtBQUNoRCxVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsU0FBUyxtQ0FBbUMsQ0FBQyxFQUFFLFFBQVE7QUFDdEYsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFNBQVMsc0JBQXNCLENBQUMsRUFBRSxRQUFRO0FBQ3pFLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHdDQUF3QztBQUNoRSxVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsU0FBUyxXQUFXLENBQUMsRUFBRSxRQUFRO0FBQzlELFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGVBQWUsQ0FBQyxFQUFFLE1BQU07QUFDL0QsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFFBQVE7QUFDdkMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0RBQWtEO0FBQzFFLFVBQU0sS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVMsd0JBQXdCLENBQUMsRUFBRSxRQUFRO0FBQ3BGLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLGlCQUFpQixDQUFDLEVBQUUsUUFBUTtBQUNwRSxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxjQUFjLENBQUMsRUFBRSxNQUFNO0FBQzVELFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxRQUFRO0FBQ3ZDLFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQkFBZ0IsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssZ0RBQWdELFlBQVk7QUFDL0QsUUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU0sS0FBSyxVQUFVLHNCQUFzQixFQUFFLFFBQVE7QUFDckQsSUFBQUcsUUFBTyxHQUFJLE1BQU0sS0FBSyxRQUFRLE9BQU8sRUFBRSxTQUFTLEVBQUUsSUFBSSxDQUFDLEVBQUUsTUFBTSxJQUFLLENBQUM7QUFDckUsVUFBTSxXQUFXLE1BQU0sYUFBYTtBQUFBLEVBQ3RDLENBQUM7QUFDRCxRQUFNLEVBQUUsS0FBSztBQUNmLENBQUM7QUFFRCxLQUFLLHdFQUF3RSxZQUFZO0FBQ3ZGLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsUUFBTSxPQUFPLE9BQU9GLE1BQUssVUFBVSxHQUFHLFlBQVksR0FBRyxFQUFFLGNBQWMsRUFBRSxDQUFDO0FBQ3hFLElBQUUsS0FBSyxNQUFNLE9BQU87QUFDcEIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsR0FBRztBQUMzQixVQUFNLEtBQUssVUFBVSxzQkFBc0IsRUFBRSxRQUFRO0FBQ3JELFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLFNBQVM7QUFDakMsVUFBTSxLQUFLLFVBQVUsc0JBQXNCLEVBQUUsUUFBUTtBQUNyRCxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxrQkFBa0IsQ0FBQyxFQUFFLE1BQU07QUFDaEUsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUyxJQUFJLENBQUMsRUFBRSxRQUFRO0FBQ2hFLE1BQUUsS0FBSyxNQUFNLEtBQUs7QUFDbEIsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsR0FBRztBQUMzQixVQUFNLEtBQUssUUFBUSxpQkFBaUIsRUFBRSxTQUFTLE1BQU0sQ0FBQyxFQUFFLFFBQVE7QUFDaEUsSUFBQUUsUUFBTyxNQUFNLE1BQU0sS0FBSyxVQUFVLHNCQUFzQixFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQUEsRUFDdEUsQ0FBQztBQUNELFFBQU0sRUFBRSxLQUFLO0FBQ2YsQ0FBQztBQUVELEtBQUssa0ZBQWtGLFlBQVk7QUFDakcsUUFBTSxJQUFJLE1BQU1ILFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsUUFBSSxVQUFVLE1BQU07QUFBQSxJQUFDO0FBQ3JCLFVBQU0sT0FBTyxJQUFJLFFBQWMsQ0FBQyxTQUFVLFVBQVUsSUFBSztBQUN6RCxVQUFNLEtBQUssTUFBTSxxQkFBcUIsT0FBTyxVQUFVO0FBQ3JELFlBQU07QUFDTixZQUFNLE1BQU0sU0FBUztBQUFBLElBQ3ZCLENBQUM7QUFDRCxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxZQUFhLE1BQU0sS0FBSyxRQUFRLGtCQUFrQixFQUFFLE1BQU0sTUFBTztBQUFBLElBQ25FO0FBQ0EsSUFBQUcsUUFBTyxhQUFjLE1BQU0sS0FBSyxRQUFRLE1BQU0sRUFBRSxZQUFZLEdBQUsscUJBQXFCO0FBQ3RGLFVBQU0sVUFBVSxNQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsTUFBTSxFQUFFLFlBQVksR0FBSTtBQUN2RSxZQUFRO0FBQ1IsVUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxXQUFXLENBQUMsRUFBRSxRQUFRO0FBQ3JFLElBQUFBLFFBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxrQkFBa0IsRUFBRSxNQUFNLEdBQUcsQ0FBQztBQUM5RCxJQUFBQSxRQUFPO0FBQUEsTUFDTCxLQUFLLEtBQUssTUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLE1BQU0sRUFBRSxZQUFZLEdBQUksU0FBUyxNQUFNLElBQUk7QUFBQSxJQUN0RjtBQUNBLFVBQU0sS0FBSyxRQUFRLG1CQUFtQjtBQUFBLEVBQ3hDLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyw2RUFBNkUsWUFBWTtBQUM1RixRQUFNLElBQUksTUFBTUgsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLFFBQWtCLENBQUM7QUFDekIsU0FBSztBQUFBLE1BQ0g7QUFBQSxNQUNBLENBQUMsTUFBTSxtQ0FBbUMsS0FBSyxFQUFFLElBQUksQ0FBQyxLQUFLLE1BQU0sS0FBSyxFQUFFLElBQUksQ0FBQztBQUFBLElBQy9FO0FBQ0EsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsV0FBVztBQUNuQyxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxXQUFXLENBQUMsRUFBRSxRQUFRO0FBQzNELFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLFVBQVU7QUFDbEMsVUFBTSxLQUFLLFVBQVUsbUNBQW1DLEVBQUUsUUFBUTtBQUNsRSxVQUFNLEtBQUssaUJBQWlCLGFBQWE7QUFDekMsSUFBQUcsUUFBTyxVQUFVLE9BQU8sQ0FBQyxDQUFDO0FBQzFCLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLFdBQVc7QUFDbkMsVUFBTSxLQUFLLFVBQVUsUUFBUSxFQUFFLE1BQU0sUUFBUSxDQUFDLEVBQUUsTUFBTTtBQUN0RCxVQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLE1BQU0sQ0FBQyxFQUFFLFFBQVE7QUFDbEUsVUFBTSxLQUFLLFdBQVcsV0FBVyxFQUFFLE9BQU8sS0FBSyxDQUFDLEVBQUUsYUFBYSxFQUFFO0FBQ2pFLFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxZQUFZLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxFQUFFLGFBQWEsSUFBSSxPQUFPLE1BQU07QUFBQSxJQUNoRTtBQUNBLFVBQU1ELE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQUEsRUFDbkMsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHlGQUF5RixZQUFZO0FBQ3hHLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU1VLFNBQW9CLENBQUM7QUFDM0IsU0FBSyxHQUFHLFlBQVksT0FBTyxNQUFNO0FBQy9CLFVBQUksQ0FBQyxFQUFFLElBQUksRUFBRSxTQUFTLGdCQUFnQixFQUFHO0FBQ3pDLFlBQU0sRUFBRSxNQUFNQyxPQUFNLElBQUssTUFBTSxFQUFFLEtBQUs7QUFDdEMsTUFBQUQsT0FBTSxLQUFLQyxPQUFNLENBQUMsRUFBRSxPQUFPLElBQUksQ0FBQyxDQUFDLENBQUMsTUFBTSxDQUFDLENBQUM7QUFBQSxJQUM1QyxDQUFDO0FBQ0QsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcscUNBQXFDO0FBQzdELFVBQU0sS0FDSCxRQUFRLHFCQUFxQjtBQUFBLE1BQzVCLFNBQVM7QUFBQSxJQUNYLENBQUMsRUFDQSxRQUFRO0FBQ1gsVUFBTSxLQUFLLGVBQWUsSUFBSTtBQUM5QixVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxXQUFXLGVBQWUsWUFBWUQsT0FBTSxVQUFVLENBQUM7QUFDN0QsSUFBQVAsUUFBTyxHQUFHTyxPQUFNLENBQUMsRUFBRSxTQUFTLEtBQUtBLE9BQU0sQ0FBQyxFQUFFLE1BQU0sQ0FBQyxNQUFNLElBQUksUUFBVyxDQUFDLENBQUM7QUFDeEUsSUFBQVAsUUFBTyxVQUFVTyxPQUFNLENBQUMsR0FBR0EsT0FBTSxDQUFDLENBQUM7QUFBQSxFQUNyQyxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssOENBQThDLFlBQVk7QUFDN0QsUUFBTSxJQUFJLE1BQU1WLFFBQU87QUFDdkIsYUFBV1EsU0FBUTtBQUFBLElBQ2pCO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUNFLFVBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFlBQU0sUUFBa0IsQ0FBQztBQUN6QixXQUFLLEdBQUcsV0FBVyxDQUFDLE1BQU0sRUFBRSxJQUFJLEVBQUUsU0FBUyxVQUFVLEtBQUssTUFBTSxLQUFLLEVBQUUsSUFBSSxDQUFDLENBQUM7QUFDN0UsWUFBTSxLQUFLLEtBQUssRUFBRSxNQUFNQSxPQUFNLEVBQUUsV0FBVyxjQUFjLENBQUM7QUFDMUQsTUFBQUwsUUFBTyxHQUFHLE1BQU0sVUFBVSxHQUFHSyxLQUFJO0FBQ2pDLE1BQUFMLFFBQU8sVUFBVSxNQUFNLE9BQU8sQ0FBQyxLQUFLLE1BQU0sTUFBTSxRQUFRLEdBQUcsTUFBTSxDQUFDLEdBQUcsQ0FBQyxHQUFHSyxLQUFJO0FBQzdFLE1BQUFMLFFBQU8sTUFBTSxJQUFJLElBQUksTUFBTSxJQUFJLENBQUMsUUFBUSxJQUFJLElBQUksR0FBRyxFQUFFLFFBQVEsQ0FBQyxFQUFFLE1BQU0sTUFBTSxRQUFRSyxLQUFJO0FBQUEsSUFDMUYsQ0FBQztBQUNMLENBQUM7QUFFRCxLQUFLLHNFQUFzRSxZQUFZO0FBQ3JGLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsSUFBRSxLQUFLLE9BQU9QLE1BQUssVUFBVSxHQUFHLFVBQVUsR0FBRyxFQUFFLFVBQVUsR0FBRyxVQUFVLEVBQUUsQ0FBQyxHQUFHLEtBQUs7QUFDakYsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxRQUFRLEtBQUssZ0JBQWdCLENBQUMsTUFBTSxFQUFFLElBQUksRUFBRSxTQUFTLHFCQUFxQixDQUFDO0FBQ2pGLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHFCQUFxQjtBQUM3QyxXQUFPLE1BQU0sT0FBTyxTQUFTO0FBQzdCLFVBQU0sRUFBRSxLQUFLO0FBQ2IsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxVQUFVLDhCQUE4QixFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3JFLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssVUFBVSxXQUFXLEVBQUUsTUFBTSxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQzVELFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQ0FBZ0MsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssOEVBQThFLFlBQVk7QUFDN0YsUUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxJQUFFLEtBQUssT0FBT0EsTUFBSyxVQUFVLEdBQUcsVUFBVSxHQUFHLEVBQUUsVUFBVSxHQUFHLFVBQVUsRUFBRSxDQUFDLEdBQUcsS0FBSztBQUNqRixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxnQ0FBZ0M7QUFDeEQsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUyxJQUFJLENBQUMsRUFBRSxRQUFRO0FBQ2hFLFVBQU0sRUFBRSxLQUFLLElBQUk7QUFDakIsVUFBTSxFQUFFLEtBQUs7QUFDYixVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFVBQVUsOEJBQThCLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDckUsSUFBQUUsUUFBTyxNQUFNLE1BQU0sS0FBSyxNQUFNLGlCQUFpQixHQUFHLEdBQUc7QUFDckQsVUFBTSxXQUFXLE1BQU0sYUFBYTtBQUNwQyxVQUFNLEVBQUUsTUFBTSxJQUFJO0FBQ2xCLFVBQU0sS0FDSCxVQUFVLDhCQUE4QixFQUN4QyxNQUFNLEVBQ04sUUFBUSxFQUFFLE9BQU8sWUFBWSxTQUFTLEtBQU8sQ0FBQztBQUNqRCxJQUFBQSxRQUFPLE1BQU0sTUFBTSxLQUFLLE1BQU0saUJBQWlCLEdBQUcsR0FBRztBQUNyRCxTQUFLLGFBQWEsS0FBSyxXQUFXLE9BQU8sQ0FBQyxNQUFNLENBQUMsZ0NBQWdDLEtBQUssQ0FBQyxDQUFDO0FBQUEsRUFDMUYsQ0FBQztBQUNELFFBQU0sRUFBRSxLQUFLO0FBQ2YsQ0FBQzs7O0FDN2dCRCxPQUFPUyxhQUFZO0FBQ25CLFNBQVMsWUFBQUMsaUJBQWdCO0FBQ3pCLFNBQVMsZ0JBQUFDLGVBQWMsaUJBQUFDLHNCQUFxQjtBQUM1QyxTQUFTLFdBQUFDLFVBQVMsUUFBQUMsYUFBWTtBQWdCOUIsSUFBTSxXQUFXQyxNQUFLLFlBQVkseUJBQXlCO0FBQzNELElBQU0sU0FBUyxVQUFVO0FBQ3pCLElBQU0sUUFBUSxPQUFPQSxNQUFLLFFBQVEsY0FBYyxHQUFHO0FBQUEsRUFDakQsbUJBQW1CO0FBQUEsRUFDbkIsY0FBYztBQUFBLEVBQ2QsY0FBYztBQUNoQixDQUFDO0FBQ0QsSUFBSUMsU0FBZ0M7QUFFcEMsU0FBU0MsVUFBMEI7QUFDakMsRUFBQUQsWUFBVyxZQUFZO0FBQ3JCLFVBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsTUFBRSxLQUFLLE9BQU8sU0FBUyxXQUFXLFlBQVksVUFBVSxRQUFRO0FBQ2hFLFdBQU87QUFBQSxFQUNULEdBQUc7QUFDSCxTQUFPQTtBQUNUO0FBRUEsSUFBTSxNQUFNLENBQUMsTUFBWSxTQUN2QixLQUFLLFFBQVEsc0NBQXNDLEVBQUUsU0FBUyxLQUFLLENBQUM7QUFDdEUsSUFBTSxTQUFTLENBQUMsU0FBZSxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRTtBQUNuRCxJQUFNLFNBQVMsQ0FBQyxTQUFlLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxFQUFFLGFBQWEsSUFBSSxNQUFNLEtBQUs7QUFHL0UsZUFBZSxLQUFLLFNBQWUsT0FBaUI7QUFDbEQsUUFBTSxRQUFRLE1BQU0sSUFBSSxDQUFDLFVBQVU7QUFBQSxJQUNqQyxNQUFNLEtBQUssTUFBTSxLQUFLLFlBQVksR0FBRyxJQUFJLENBQUM7QUFBQSxJQUMxQyxPQUFPLENBQUMsR0FBR0UsY0FBYSxJQUFJLENBQUM7QUFBQSxFQUMvQixFQUFFO0FBQ0YsUUFBTSxLQUFLLFNBQVMsQ0FBQyxTQUFTO0FBQzVCLFVBQU0sT0FBTyxJQUFJLGFBQWE7QUFDOUIsU0FBSztBQUFBLE1BQVEsQ0FBQyxFQUFFLE1BQU0sTUFBTSxHQUFHLE1BQzdCLEtBQUssTUFBTSxJQUFJLElBQUksS0FBSyxDQUFDLElBQUksV0FBVyxLQUFLLENBQUMsR0FBRyxNQUFNLEVBQUUsY0FBYyxNQUFPLEVBQUUsQ0FBQyxDQUFDO0FBQUEsSUFDcEY7QUFDQSxVQUFNLE9BQU8sQ0FBQyxTQUNaLFNBQVMsS0FBSztBQUFBLE1BQ1osSUFBSSxVQUFVLE1BQU0sRUFBRSxjQUFjLE1BQU0sU0FBUyxNQUFNLFlBQVksS0FBSyxDQUFDO0FBQUEsSUFDN0U7QUFDRixTQUFLLFdBQVc7QUFDaEIsU0FBSyxVQUFVO0FBQ2YsU0FBSyxNQUFNO0FBQUEsRUFDYixHQUFHLEtBQUs7QUFDVjtBQUdBLElBQU0sZ0JBQWdCLENBQUMsU0FDcEIsS0FBSyxhQUFhLEtBQUssV0FBVyxPQUFPLENBQUMsTUFBTSxDQUFDLGtCQUFrQixLQUFLLENBQUMsQ0FBQztBQUc3RSxJQUFNLFdBQVcsQ0FBQyxTQUNoQixLQUNHLFFBQVEsa0JBQWtCLEVBQzFCLE1BQU0sRUFDTixTQUFTLENBQUMsV0FBOEI7QUFDdkMsUUFBTSxFQUFFLEtBQUssSUFBSSxPQUFPLFdBQVcsSUFBSSxFQUFHLGFBQWEsR0FBRyxHQUFHLE9BQU8sT0FBTyxPQUFPLE1BQU07QUFDeEYsUUFBTSxVQUFVLG9CQUFJLElBQVk7QUFDaEMsV0FBUyxJQUFJLEdBQUcsSUFBSSxLQUFLLFFBQVEsS0FBSztBQUNwQyxRQUFJLEtBQUssSUFBSSxDQUFDLElBQUksTUFBTSxLQUFLLElBQUksQ0FBQyxJQUFJLEtBQUssQ0FBQyxJQUFJLEdBQUksU0FBUSxJQUFLLElBQUksSUFBSyxPQUFPLEtBQUs7QUFDeEYsU0FBTyxRQUFRLE9BQU8sT0FBTztBQUMvQixDQUFDO0FBRUwsS0FBSyxzREFBc0QsWUFBWTtBQUNyRSxRQUFNLElBQUksTUFBTUQsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU0sS0FBSyxNQUFNLFFBQVE7QUFDekIsVUFBTSxLQUFLLFFBQVEscUJBQXFCLEVBQUUsU0FBUyxRQUFRLENBQUMsRUFBRSxRQUFRO0FBQ3RFLFVBQU0sUUFBUSxNQUFNLFdBQVcsU0FBUyxZQUFZLFNBQVMsSUFBSSxDQUFDO0FBQ2xFLElBQUFFLFFBQU87QUFBQSxNQUNMLFFBQVEsT0FBTyxRQUFRO0FBQUEsTUFDdkIsa0RBQWtELEtBQUs7QUFBQSxJQUN6RDtBQUNBLFVBQU0sV0FBVyxNQUFNLGtCQUFrQjtBQUFBLEVBQzNDLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyxtRUFBbUUsWUFBWTtBQUNsRixRQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU0sS0FBSyxNQUFNLFFBQVE7QUFDekIsVUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxRQUFRO0FBQ3hFLElBQUFFLFFBQU8sTUFBTSxPQUFPLElBQUksR0FBRyxXQUFXO0FBQ3RDLFVBQU0sSUFBSSxNQUFNLFNBQVMsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUMzQyxVQUFNLFdBQVcsS0FBSyxNQUFNLElBQUksT0FBTyxVQUFVLFFBQVEsQ0FBQztBQUMxRCxVQUFNLFNBQVMsTUFBTSxLQUFLO0FBQUEsTUFDeEIsT0FBTyxRQUNILE9BQU8sTUFBTSxNQUFNLG9CQUFvQixFQUFFLE1BQU0sR0FBRyxLQUFLLEdBQXlCO0FBQUEsTUFDcEYsT0FBTyxJQUFJO0FBQUEsSUFDYjtBQUNBLElBQUFBLFFBQU8sTUFBTSxRQUFRLFNBQVMsS0FBSztBQUNuQyxVQUFNLFdBQVcsTUFBTSxhQUFhO0FBQ3BDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxTQUFTLFFBQVEsQ0FBQyxFQUFFLFFBQVE7QUFDOUQsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0saUJBQWlCLENBQUMsRUFBRSxNQUFNO0FBQ2pFLFVBQU0sS0FBSyxRQUFRLFlBQVksRUFBRSxTQUFTLFFBQVEsQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUMvRCxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssZ0VBQWdFLFlBQVk7QUFDL0UsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsR0FBRztBQUMzQixVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDL0MsVUFBTSxLQUFLLFNBQVMsTUFBTTtBQUN4QixZQUFNLE9BQU8sSUFBSSxhQUFhO0FBQzlCLFdBQUssTUFBTSxJQUFJLElBQUksS0FBSyxDQUFDLEdBQUcsR0FBRyxHQUFHLENBQUM7QUFDbkMsZUFBUyxLQUFLO0FBQUEsUUFDWixJQUFJLFVBQVUsYUFBYSxFQUFFLGNBQWMsTUFBTSxTQUFTLE1BQU0sWUFBWSxLQUFLLENBQUM7QUFBQSxNQUNwRjtBQUFBLElBQ0YsQ0FBQztBQUNELFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTLGVBQWUsQ0FBQyxFQUFFLFFBQVE7QUFDdEUsVUFBTSxXQUFXLE1BQU0sV0FBVztBQUNsQyxVQUFNLEtBQUs7QUFBQSxNQUFTLE1BQ2xCLFNBQVMsS0FBSyxjQUFjLElBQUksVUFBVSxhQUFhLEVBQUUsU0FBUyxLQUFLLENBQUMsQ0FBQztBQUFBLElBQzNFO0FBQ0EsVUFBTSxLQUFLLFFBQVEsWUFBWSxFQUFFLFFBQVEsRUFBRSxPQUFPLFdBQVcsQ0FBQztBQUFBLEVBQ2hFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx3RUFBd0UsWUFBWTtBQUN2RixRQUFNLElBQUksTUFBTUEsUUFBTztBQUN2QixRQUFNLE1BQU1GLE1BQUssUUFBUSxTQUFTO0FBQ2xDLEVBQUFLLGVBQWMsS0FBSyxPQUFPLEtBQUssQ0FBQyxLQUFNLEtBQU0sR0FBTSxJQUFNLEVBQUksQ0FBQyxDQUFDO0FBQzlELFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLHVCQUF1QjtBQUMvQyxVQUFNLElBQUksTUFBTSxPQUFPLEVBQUUsUUFBUTtBQUNqQyxVQUFNLEtBQUssY0FBYyxjQUFjLEdBQUc7QUFDMUMsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUyxnQkFBZ0IsQ0FBQyxFQUFFLFFBQVE7QUFDNUUsVUFBTSxXQUFXLE1BQU0sY0FBYztBQUNyQyxVQUFNLEtBQUssU0FBUyxNQUFNLFFBQVE7QUFDbEMsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFFBQVEsRUFBRSxPQUFPLFdBQVcsQ0FBQztBQUM1RCxJQUFBRCxRQUFPLEdBQUcsS0FBSyxJQUFJLEVBQUUsU0FBUyx1QkFBdUIsQ0FBQztBQUN0RCxrQkFBYyxJQUFJO0FBQUEsRUFDcEIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDJFQUEyRSxZQUFZO0FBQzFGLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLEdBQUc7QUFDM0IsVUFBTSxLQUFLLE1BQU0sVUFBVUYsTUFBSyxZQUFZLDhCQUE4QixDQUFDO0FBQzNFLFVBQU0sV0FBVyxrQkFBa0IsWUFBWSxPQUFPLElBQUksTUFBTSxVQUFVO0FBQzFFLFVBQU0sU0FBUyxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRTtBQUNuQyxVQUFNLE9BQU8sQ0FBQyxPQUNaLEtBQUs7QUFBQSxNQUNILE9BQU8sVUFDSCxPQUFPLE1BQU0sTUFBTSxvQkFBb0IsSUFBSSxFQUFFLEdBQUcsS0FBSyxHQUF3QjtBQUFBLE1BQ2pGO0FBQUEsSUFDRjtBQUNGLElBQUFJLFFBQU8sTUFBTSxNQUFNLEtBQUssT0FBTyxJQUFJLGFBQWEsQ0FBQyxHQUFHLGdCQUFnQjtBQUNwRSxJQUFBQSxRQUFPLE1BQU0sTUFBTSxLQUFLLE9BQU8sSUFBSSxNQUFNLENBQUMsR0FBRyxxQkFBcUI7QUFDbEUsVUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQzdDLFVBQU0sV0FBVyxNQUFNLGNBQWM7QUFDckMsVUFBTSxLQUFLLE1BQU0sVUFBVSxPQUFPLEtBQUs7QUFDdkMsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUywwQkFBMEIsQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN4RixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMkNBQTJDLFlBQVk7QUFDMUQsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsR0FBRztBQUMzQixVQUFNLEtBQUssY0FBYyxjQUFjLFFBQVE7QUFDL0MsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sZ0JBQWdCLENBQUMsRUFBRSxNQUFNO0FBQ2hFLFVBQU0sS0FBSyxRQUFRLGtCQUFrQixFQUFFLE1BQU0sRUFBRSxLQUFLLE1BQU07QUFDMUQsVUFBTSxLQUFLLFFBQVEsa0JBQWtCLEVBQUUsSUFBSSxDQUFDLEVBQUUsS0FBSyxNQUFNO0FBQ3pELFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFFBQVE7QUFDbkQsSUFBQUUsUUFBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLGdDQUFnQyxFQUFFLFdBQVcsR0FBRyxJQUFJO0FBQ3BGLFVBQU0sS0FBSyxRQUFRLGtCQUFrQixFQUFFLElBQUksQ0FBQyxFQUFFLEtBQUssU0FBUztBQUM1RCxVQUFNLFdBQVcsTUFBTSxXQUFXO0FBQ2xDLFVBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTztBQUNqQyxVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBWSxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRSxhQUFhLElBQUksT0FBTyxNQUFNO0FBQUEsSUFDaEU7QUFDQSxJQUFBQSxRQUFPLE1BQU0sT0FBTyxJQUFJLEdBQUcsRUFBRTtBQUM3QixVQUFNLElBQUksTUFBTSxTQUFTLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDM0MsVUFBTSxTQUFTLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxFQUFFO0FBQ25DLFVBQU0sT0FBTyxDQUFDLFNBQWlCLElBQUksS0FBSyxPQUFPLE9BQU8sSUFBSSxJQUFJLENBQUMsQ0FBQyxFQUFFLFlBQVk7QUFDOUUsVUFBTSxPQUFPLEtBQUs7QUFBQSxNQUNoQixFQUFFLE1BQU0sT0FBTyxtQkFBbUIsVUFBVSxLQUFLLE1BQU0sR0FBRyxRQUFRLEtBQUssSUFBSSxHQUFHLFFBQVE7QUFBQSxJQUN4RjtBQUNBLElBQUFBLFFBQU87QUFBQSxNQUNMLEtBQUs7QUFBQSxNQUNKLEtBQUssTUFBTSxJQUFJLE9BQU8sVUFBVSxRQUFRLENBQUMsRUFBd0I7QUFBQSxJQUNwRTtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHVGQUF1RixZQUFZO0FBQ3RHLFFBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsUUFBTSxPQUFPLEVBQUU7QUFDZixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxHQUFHO0FBQzNCLFVBQU0sS0FBSyxNQUFNLFFBQVE7QUFDekIsVUFBTSxLQUFLLFFBQVEsWUFBWSxFQUFFLFFBQVE7QUFDekMsVUFBTSxVQUFVLEtBQUssSUFBSTtBQUN6QixVQUFNLEtBQUssS0FBSyxhQUFhO0FBQzdCLFVBQU0sRUFBRSxLQUFLO0FBQ2IsVUFBTSxFQUFFLE1BQU0sSUFBSTtBQUNsQixVQUFNLEtBQUssS0FBSyxPQUFPO0FBQ3ZCLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLDBCQUEwQixDQUFDLEVBQUUsUUFBUTtBQUM3RSxVQUFNLFdBQVcsTUFBTSxXQUFXO0FBQ2xDLFVBQU0sS0FBSyxNQUFNLFFBQVE7QUFDekIsVUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxRQUFRO0FBQ3hFLElBQUFBLFFBQU8sTUFBTSxLQUFLLElBQUksR0FBRyxPQUFPO0FBQ2hDLGtCQUFjLElBQUk7QUFBQSxFQUNwQixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssNkNBQTZDLFlBQVk7QUFDNUQsUUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsUUFBTSxPQUFPRixNQUFLLFFBQVEscUNBQXFDLElBQUksT0FBTyxHQUFHLENBQUMsU0FBUztBQUN2RixFQUFBSztBQUFBLElBQ0U7QUFBQSxJQUNBLHlDQUF5QyxJQUFJLE9BQU8sR0FBTSxDQUFDO0FBQUE7QUFBQTtBQUFBLEVBQzdEO0FBQ0EsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsR0FBRztBQUMzQixVQUFNLEtBQUssTUFBTSxJQUFJO0FBQ3JCLFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTLGFBQWEsQ0FBQyxFQUFFLFFBQVE7QUFDcEUsVUFBTSxJQUFJLE1BQU0sV0FBSSxFQUFFLFFBQVE7QUFDOUIsSUFBQUQsUUFBTztBQUFBLE1BQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxNQUMzRTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0EsSUFBQUEsUUFBTyxNQUFNLE1BQU0sS0FBSyxTQUFTLE1BQU0sWUFBWSxNQUFNLEdBQUcsS0FBSztBQUNqRSxVQUFNLFdBQVcsTUFBTSxjQUFjO0FBQUEsRUFDdkMsQ0FBQztBQUNILENBQUM7QUFFRCxlQUFlLFNBQVMsTUFBWSxNQUErQjtBQUNqRSxRQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxrQkFBYSxDQUFDLEVBQUUsTUFBTTtBQUM3RCxRQUFNLENBQUMsSUFBSSxJQUFJLE1BQU0sUUFBUSxJQUFJO0FBQUEsSUFDL0IsS0FBSyxhQUFhLFVBQVU7QUFBQSxJQUM1QixLQUFLLFFBQVEsc0JBQXNCLEVBQUUsU0FBUyxLQUFLLENBQUMsRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUFBLEVBQ3RFLENBQUM7QUFDRCxRQUFNLE9BQU9KLE1BQUssUUFBUSxLQUFLLGtCQUFrQixDQUFDO0FBQ2xELFFBQU0sS0FBSyxPQUFPLElBQUk7QUFDdEIsU0FBTztBQUNUO0FBRUEsS0FBSyxpREFBaUQsWUFBWTtBQUNoRSxRQUFNLElBQUksTUFBTUUsUUFBTztBQUN2QixRQUFNLFNBQVMsRUFBRSxpQkFBaUIsS0FBSyxHQUFHLE9BQU8sU0FBUztBQUN4RCxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxtQ0FBbUM7QUFDM0QsVUFBTSxJQUFJLE1BQU0sTUFBTSxFQUFFLFFBQVE7QUFDaEMsZUFBVyxRQUFRLENBQUMsU0FBUyxRQUFRLFVBQVUsWUFBWSxHQUFHO0FBQzVELFlBQU0sT0FBTyxNQUFNLFNBQVMsTUFBTSxJQUFJO0FBQ3RDLE1BQUFFLFFBQU8sTUFBTyxLQUFLLE1BQU0sSUFBSSxPQUFPLE1BQU0sUUFBUSxDQUFDLEVBQXdCLE9BQU8sSUFBSSxJQUFJO0FBQUEsSUFDNUY7QUFDQSxVQUFNLE1BQU1ELGNBQWEsTUFBTSxTQUFTLE1BQU0sS0FBSyxHQUFHLE1BQU07QUFDNUQsSUFBQUMsUUFBTyxNQUFNLEtBQUssT0FBTztBQUN6QixJQUFBQSxRQUFPLEdBQUcsSUFBSSxTQUFTLE9BQU8sS0FBSyxDQUFDLElBQUksU0FBUyxPQUFPLENBQUM7QUFDekQsVUFBTSxNQUFNRCxjQUFhLE1BQU0sU0FBUyxNQUFNLEtBQUssQ0FBQztBQUNwRCxJQUFBQyxRQUFPLE1BQU0sSUFBSSxTQUFTLEdBQUcsQ0FBQyxFQUFFLFNBQVMsR0FBRyxLQUFLO0FBQUEsRUFDbkQsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLG1GQUFtRixZQUFZO0FBQ2xHLFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxFQUFFLGFBQWEsQ0FBQyxrQkFBa0IsaUJBQWlCLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDckYsVUFBTSxLQUFLO0FBQUEsTUFDVCxHQUFHLEVBQUUsR0FBRyxtQkFBbUIsbUJBQW1CLG1CQUFtQixDQUFDO0FBQUEsSUFDcEU7QUFDQSxVQUFNLElBQUksTUFBTSxNQUFNLEVBQUUsUUFBUTtBQUNoQyxVQUFNLFNBQVMsT0FBTyxTQUFpQjtBQUNyQyxZQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxTQUFTLEtBQUssQ0FBQyxFQUFFLE1BQU0sRUFBRSxNQUFNO0FBQzFFLFlBQU0sS0FBSyxRQUFRLGdDQUFnQyxFQUFFLFNBQVMsU0FBUyxDQUFDLEVBQUUsUUFBUTtBQUNsRixhQUFPLEtBQUssU0FBUyxNQUFNLFVBQVUsVUFBVSxTQUFTLENBQUM7QUFBQSxJQUMzRDtBQUNBLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGtCQUFhLENBQUMsRUFBRSxNQUFNO0FBQzdELFVBQU1JLFFBQU8sSUFBSSxJQUFJLE1BQU0sT0FBTyxXQUFXLENBQUM7QUFDOUMsSUFBQUYsUUFBTyxNQUFNRSxNQUFLLGFBQWEsSUFBSSxNQUFNLEdBQUksVUFBVTtBQUN2RCxJQUFBRixRQUFPLE1BQU1FLE1BQUssYUFBYSxJQUFJLElBQUksR0FBSSxVQUFVO0FBQ3JELFVBQU0sV0FBVyxNQUFNLFdBQVc7QUFDbEMsVUFBTSxVQUFVLE1BQU0sV0FBVyxlQUFlLFlBQVk7QUFDMUQsWUFBTUMsUUFBTyxNQUFNLE9BQU8sY0FBYztBQUN4QyxhQUFPQSxNQUFLLFdBQVcsa0JBQWtCLEtBQUtBO0FBQUEsSUFDaEQsQ0FBQztBQUNELFVBQU0sUUFBUUMsVUFBUyxHQUFHLE9BQU8sWUFBWTtBQUFBLE1BQzNDLFVBQVU7QUFBQSxNQUNWLEtBQUssRUFBRSxHQUFHLFFBQVEsS0FBSyxNQUFNLEdBQUdDLFNBQVEsT0FBTyxDQUFDLElBQUksUUFBUSxJQUFJLElBQUksR0FBRztBQUFBLElBQ3pFLENBQUM7QUFDRCxJQUFBTCxRQUFPLE1BQU0sT0FBTyxtQkFBbUI7QUFBQSxFQUN6QyxDQUFDO0FBQ0gsQ0FBQzs7O0FDbFRELE9BQU9NLGFBQVk7OztBQ1NuQixJQUFNLE9BQU8sQ0FBQyxVQUF3QixFQUFFLE1BQU0sTUFBTSxDQUFDLEdBQUcsQ0FBQyxHQUFHLE9BQU8sQ0FBQyxHQUFHLENBQUMsR0FBRyxVQUFVLG9CQUFJLElBQUksRUFBRTtBQVN4RixTQUFTLFFBQ2QsUUFDQSxTQUFnQyxDQUFDLEdBQ2pDLE9BQWlCLENBQUMsR0FDUDtBQUNYLFFBQU0sT0FBTyxLQUFLLEVBQUU7QUFDcEIsTUFBSSxPQUFPO0FBQ1gsYUFBVyxDQUFDLE9BQU8sS0FBSyxLQUFLLE9BQU8sUUFBUSxNQUFNLEdBQUc7QUFDbkQsVUFBTSxTQUFTLE1BQU0sUUFBUSxLQUFLLElBQUksUUFBUSxDQUFDLEdBQUcsS0FBSztBQUN2RCxhQUFTLE1BQU0sUUFBUSxLQUFLO0FBQzVCLFFBQUksT0FBTztBQUNYLFVBQU0sTUFBTSxDQUFDLFNBQW1CLE9BQU8sUUFBUSxDQUFDLEdBQUcsTUFBTyxLQUFLLENBQUMsS0FBSyxDQUFFO0FBQ3ZFLFFBQUksS0FBSyxLQUFLO0FBQ2QsZUFBVyxRQUFRLFFBQVEsTUFBTSxNQUFNLEdBQUcsSUFBSSxDQUFDLEdBQUc7QUFDaEQsVUFBSSxDQUFDLEtBQUssU0FBUyxJQUFJLElBQUksRUFBRyxNQUFLLFNBQVMsSUFBSSxNQUFNLEtBQUssSUFBSSxDQUFDO0FBQ2hFLGFBQU8sS0FBSyxTQUFTLElBQUksSUFBSTtBQUM3QixVQUFJLEtBQUssS0FBSztBQUFBLElBQ2hCO0FBQ0EsUUFBSSxLQUFLLElBQUk7QUFBQSxFQUNmO0FBQ0EsUUFBTUMsU0FBa0IsQ0FBQztBQUN6QixRQUFNLE1BQWlCO0FBQUEsSUFDckI7QUFBQSxJQUNBLFlBQVk7QUFBQSxJQUNaLGFBQWE7QUFBQSxJQUNiLGNBQWM7QUFBQSxJQUNkLE9BQUFBO0FBQUEsSUFDQSxPQUFPLENBQUM7QUFBQSxJQUNSLFNBQVMsQ0FBQztBQUFBLElBQ1YsT0FBTyxDQUFDO0FBQUEsSUFDUixNQUFNLENBQUM7QUFBQSxJQUNQLE1BQU0sQ0FBQztBQUFBLElBQ1AsT0FBTyxDQUFDO0FBQUEsRUFDVjtBQUNBLE1BQUksS0FBTSxRQUFPLE9BQU8sS0FBSyxFQUFFLGFBQWEsQ0FBQyxHQUFHLGNBQWMsQ0FBQyxFQUFFLENBQUM7QUFDbEUsUUFBTSxTQUFTLENBQUMsTUFBWSxLQUFLLElBQUksR0FBRyxFQUFFLE1BQU0sSUFBSSxLQUFLLEdBQUcsQ0FBQztBQUM3RCxRQUFNLE1BQU0sQ0FBQyxNQUFZLFVBQWtCO0FBQ3pDLFFBQUksT0FDRixVQUFVLEtBQUssQ0FBQyxLQUFLLFNBQ2pCLEtBQ0FBLE9BQU0sUUFBUSxVQUFVLElBQUksS0FBSyxLQUFLLFNBQVMsQ0FBQyxJQUFJLEtBQUssSUFBSTtBQUNuRSxRQUFJLE9BQU8sTUFBTSxRQUFRLEtBQUssS0FBSyxTQUFTO0FBQzFDLGFBQU9BLE9BQU0sS0FBSyxVQUFVLElBQUksS0FBSyxLQUFLLFNBQVMsQ0FBQyxJQUFJLEtBQUssSUFBSSxJQUFJO0FBQ3JFLFVBQUksTUFBTSxLQUFLLE9BQU8sS0FBSyxJQUFJLEdBQUcsUUFBUSxFQUFFO0FBQzVDLFVBQUksUUFBUSxLQUFLLE9BQU8sS0FBSyxJQUFJLEdBQUcsVUFBVSxFQUFFO0FBQUEsSUFDbEQ7QUFDQSxRQUFJLE1BQU0sS0FBSyxLQUFLO0FBQ3BCLFFBQUksS0FBSyxLQUFLLElBQUk7QUFDbEIsUUFBSSxLQUFLLEtBQUssS0FBSyxLQUFLLENBQUMsQ0FBQztBQUMxQixRQUFJLE1BQU0sS0FBSyxLQUFLLE1BQU0sQ0FBQyxDQUFDO0FBQzVCLFFBQUksYUFBYSxLQUFLLEtBQUssS0FBSyxDQUFDLENBQUM7QUFDbEMsUUFBSSxjQUFjLEtBQUssS0FBSyxNQUFNLENBQUMsQ0FBQztBQUNwQyxlQUFXLFNBQVMsQ0FBQyxHQUFHLEtBQUssU0FBUyxPQUFPLENBQUMsRUFBRSxLQUFLLENBQUMsR0FBRyxNQUFNLE9BQU8sQ0FBQyxJQUFJLE9BQU8sQ0FBQyxDQUFDO0FBQ2xGLFVBQUksT0FBTyxRQUFRLENBQUM7QUFBQSxFQUN4QjtBQUNBLE1BQUksTUFBTSxDQUFDO0FBQ1gsTUFBSSxhQUFhLElBQUksY0FBYyxJQUFJLE1BQU0sU0FBUztBQUN0RCxTQUFPO0FBQ1Q7OztBQzVFQSxTQUFTLGdCQUFBQyxxQkFBb0I7QUFDN0IsU0FBUyxvQkFBb0I7QUFFN0IsU0FBUyxXQUFBQyxVQUFTLFFBQUFDLGNBQVk7QUFDOUIsU0FBUyxpQkFBQUMsc0JBQXFCO0FBRTlCLElBQU0sU0FDSjtBQUVGLElBQU0sUUFBZ0MsRUFBRSxPQUFPLG1CQUFtQixRQUFRLFdBQVc7QUFPckYsZUFBc0IsVUFBVUMsVUFBU0gsU0FBUUUsZUFBYyxZQUFZLEdBQUcsQ0FBQyxHQUFvQjtBQUNqRyxRQUFNLE9BQ0o7QUFFRixRQUFNRSxXQUFTLGFBQWEsQ0FBQyxTQUFTLGFBQWE7QUFDakQsVUFBTSxPQUFPLFFBQVEsSUFBSyxNQUFNLEdBQUcsRUFBRSxDQUFDO0FBQ3RDLFVBQU0sT0FBTyxNQUFNLEtBQUssTUFBTSxLQUFLLFlBQVksR0FBRyxDQUFDLENBQUM7QUFDcEQsYUFBUyxVQUFVLDJCQUEyQixNQUFNO0FBQ3BELGFBQVMsVUFBVSxnQkFBZ0IsR0FBRyxRQUFRLFdBQVcsaUJBQWlCO0FBQzFFLFFBQUksU0FBUyxJQUFLLFVBQVMsSUFBSSxJQUFJO0FBQUEsYUFDMUIsS0FBTSxVQUFTLElBQUlMLGNBQWFFLE9BQUtFLFNBQVEsV0FBVyxJQUFJLENBQUMsQ0FBQztBQUFBLFFBQ2xFLFVBQVMsVUFBVSxHQUFHLEVBQUUsSUFBSTtBQUFBLEVBQ25DLENBQUM7QUFDRCxRQUFNLElBQUksUUFBYyxDQUFDLFNBQVNDLFNBQU8sT0FBTyxHQUFHLGFBQWEsSUFBSSxDQUFDO0FBQ3JFLFNBQU87QUFBQSxJQUNMLEtBQUssb0JBQXFCQSxTQUFPLFFBQVEsRUFBa0IsSUFBSTtBQUFBLElBQy9ELE9BQU8sTUFBTUEsU0FBTyxNQUFNO0FBQUEsRUFDNUI7QUFDRjs7O0FGekJBLElBQUlDLFVBQWlDO0FBSXJDLGVBQWUsVUFDYixPQUNBLFFBQ0EsS0FDQSxVQUFpQyxDQUFDLEdBQ2xDO0FBQ0EsRUFBQUEsWUFBVyxVQUFVLEVBQUUsS0FBSyxDQUFDQyxXQUFVLE1BQU0sTUFBTUEsTUFBSyxNQUFNLENBQUMsR0FBR0EsTUFBSztBQUN2RSxRQUFNLEVBQUUsSUFBSSxJQUFJLE1BQU1EO0FBQ3RCLFFBQU0sU0FBUyxFQUFFLFVBQVUsRUFBRSxPQUFPLEtBQU0sUUFBUSxJQUFJLEdBQUcsR0FBRyxRQUFRLEdBQUcsT0FBTyxTQUFTO0FBQ3JGLFVBQU0sS0FBSyxLQUFLLEdBQUc7QUFDbkIsVUFBTSxLQUFLLFNBQVMsQ0FBQyxDQUFDLEdBQUcsQ0FBQyxNQUFNLE9BQU8sS0FBSyxLQUFLLEdBQUcsQ0FBQyxHQUFHLENBQUMsT0FBTyxVQUFVLENBQUMsQ0FBQyxDQUFVO0FBQ3RGLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsUUFBUTtBQUNsRSxVQUFNLElBQUksSUFBSTtBQUFBLEVBQ2hCLENBQUM7QUFDSDtBQUVBLElBQU0sU0FBUyxDQUFDLFNBQW1CLEtBQUssU0FBUyxNQUFNLE9BQU8sS0FBSyxNQUFNO0FBQ3pFLElBQU0sV0FBVyxPQUFPLE1BQWdCLFVBQ3JDLE1BQU0sT0FBTyxJQUFJLEdBQUcsT0FBTyxDQUFDLENBQUMsSUFBSSxNQUFNLFNBQVMsSUFBSTtBQUN2RCxJQUFNLFlBQVk7QUFDbEIsSUFBTUUsV0FBVTtBQUdoQixlQUFlLEdBQUcsTUFBZ0JDLE1BQWEsTUFBYztBQUMzRCxRQUFNLE1BQU8sTUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFlBQVk7QUFDN0QsU0FBTyxFQUFFLEdBQUcsSUFBSSxJQUFJLElBQUksUUFBUSxNQUFNLEdBQUcsSUFBSSxLQUFLQSxPQUFNLE9BQU8sVUFBVTtBQUMzRTtBQUVBLGVBQWUsTUFBTSxNQUFnQkEsTUFBYSxNQUFjO0FBQzlELFFBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTUEsTUFBSyxJQUFJO0FBQ3RDLFFBQU0sS0FBSyxNQUFNLE1BQU0sTUFBTSxHQUFHLE1BQU0sQ0FBQztBQUN6QztBQUVBLElBQU0sV0FBVyxDQUFDLE1BQWdCQSxNQUFhLFNBQzdDLEtBQUs7QUFBQSxFQUNILENBQUMsQ0FBQyxHQUFHLEdBQUcsQ0FBQyxNQUFNO0FBQ2IsVUFBTSxTQUFTLFNBQVMsY0FBaUMsZUFBZTtBQUN4RSxVQUFNLFFBQVEsT0FBTyxRQUFRLE9BQU87QUFDcEMsV0FBTztBQUFBLE1BQ0wsR0FBRyxPQUNBLFdBQVcsSUFBSSxFQUNmLGFBQWEsS0FBSyxNQUFNLE9BQU8sUUFBUSxDQUFDLEdBQUcsS0FBSyxPQUFPLElBQUksSUFBSSxLQUFLLEtBQUssR0FBRyxHQUFHLENBQUMsRUFBRTtBQUFBLElBQ3ZGLEVBQ0csTUFBTSxHQUFHLENBQUMsRUFDVixLQUFLO0FBQUEsRUFDVjtBQUFBLEVBQ0EsQ0FBQ0EsTUFBSyxNQUFNLFNBQVM7QUFDdkI7QUFFRixJQUFNLE9BQU8sUUFBUTtBQUFBLEVBQ25CLDRCQUE0QjtBQUFBLEVBQzVCLHNCQUFzQjtBQUFBLEVBQ3RCLHFCQUFxQjtBQUFBLEVBQ3JCLGFBQWE7QUFBQSxFQUNiLElBQUk7QUFDTixDQUFDO0FBQ0QsSUFBTSxVQUFVLENBQUMsU0FBbUIsS0FBSyxRQUFRLGdCQUFnQixFQUFFLFVBQVU7QUFDN0UsSUFBTSxTQUFTLE9BQU8sVUFDbkIsTUFBTSxLQUFLLFFBQVEsc0JBQXNCLEVBQUUsY0FBYyxHQUFHLEtBQUssS0FBSztBQUV6RSxLQUFLLGtEQUFrRCxNQUNyRCxVQUFVLE1BQU0sQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNsQyxRQUFNLFFBQVEsTUFBTSxHQUFHLE1BQU0sR0FBRyxHQUFHO0FBQ25DLFFBQU0sS0FBSyxNQUFNLEtBQUssTUFBTSxHQUFHLE1BQU0sQ0FBQztBQUN0QyxRQUFNQyxRQUFPLE1BQU0sUUFBUSxJQUFJO0FBQy9CLEVBQUFDLFFBQU8sTUFBTUQsT0FBTSxXQUFXO0FBQzlCLEVBQUFDLFFBQU8sTUFBTUQsT0FBTSx3QkFBd0I7QUFDM0MsRUFBQUMsUUFBTyxNQUFNRCxPQUFNLGtCQUFrQjtBQUNyQyxRQUFNLFdBQVcsTUFBTSxlQUFlO0FBQ3hDLENBQUMsQ0FBQztBQUVKLEtBQUssbUVBQW1FLE1BQ3RFLFVBQVUsTUFBTSxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2xDLFFBQU0sTUFBTSxNQUFNLEdBQUcsR0FBRztBQUN4QixRQUFNLEtBQUssZUFBZUYsUUFBTztBQUNqQyxFQUFBRyxRQUFPLFVBQVUsTUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLENBQUMsQ0FBQyxRQUFRLENBQUMsUUFBUSxRQUFRLENBQUMsQ0FBQyxDQUFDO0FBQzdFLEVBQUFBLFFBQU8sVUFBVSxNQUFNLFNBQVMsTUFBTSxRQUFRLEdBQUcsQ0FBQyxDQUFDLFVBQVUsUUFBUSxDQUFDLENBQUM7QUFDdkUsRUFBQUEsUUFBTyxNQUFNLE1BQU0sT0FBTyxJQUFJLEdBQUcscUJBQXFCO0FBRXRELFFBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTSxHQUFHLEdBQUc7QUFDbkMsUUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLEdBQUcsTUFBTSxDQUFDO0FBQ3RDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLFFBQVEsSUFBSSxHQUFHLCtCQUErQjtBQUNqRSxRQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUN6RCxRQUFNLEtBQUssZUFBZUgsUUFBTztBQUNqQyxFQUFBRyxRQUFPLE1BQU0sTUFBTSxPQUFPLElBQUksR0FBRyxLQUFLO0FBQ3hDLENBQUMsQ0FBQztBQUVKLEtBQUsscUVBQXFFLE1BQ3hFLFVBQVUsTUFBTSxFQUFFLGFBQWEsR0FBRyxHQUFHLE9BQU8sU0FBUztBQUNuRCxRQUFNLE1BQU0sTUFBTSxHQUFHLEdBQUc7QUFDeEIsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUF3QixNQUN2QyxLQUFLO0FBQUEsTUFDSCxNQUFNLE9BQU8sS0FBSyxNQUFNLEVBQUUsS0FBSyxTQUFTLFdBQVcsS0FBSyxDQUFDLE9BQU8sS0FBSyxNQUFNLEVBQUU7QUFBQSxJQUMvRTtBQUFBLEVBQ0Y7QUFDQSxRQUFNLEtBQUssZUFBZUgsUUFBTztBQUNqQyxFQUFBRyxRQUFPLE1BQU0sTUFBTSxPQUFPLElBQUksR0FBRyxxQkFBcUI7QUFDdEQsYUFBVyxDQUFDRixNQUFLLE1BQU0sSUFBSSxLQUFLO0FBQUEsSUFDOUIsQ0FBQyxHQUFHLEtBQUssUUFBUTtBQUFBLElBQ2pCLENBQUMsR0FBRyxLQUFLLE9BQU87QUFBQSxJQUNoQixDQUFDLEdBQUcsS0FBSyxRQUFRO0FBQUEsSUFDakIsQ0FBQyxHQUFHLEtBQUssT0FBTztBQUFBLEVBQ2xCLEdBQVk7QUFDVixVQUFNLFFBQVEsTUFBTSxHQUFHLE1BQU1BLE1BQUssSUFBSTtBQUN0QyxVQUFNLEtBQUssTUFBTSxLQUFLLE1BQU0sR0FBRyxNQUFNLENBQUM7QUFDdEMsSUFBQUUsUUFBTyxNQUFNLE1BQU0sUUFBUSxJQUFJLEdBQUcsSUFBSSxPQUFPLElBQUksSUFBSTtBQUFBLENBQUksQ0FBQztBQUFBLEVBQzVEO0FBQ0EsUUFBTSxXQUFXLE1BQU0sZUFBZTtBQUN0QyxRQUFNLE1BQU0sTUFBTSxHQUFHLEdBQUc7QUFDeEIsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUFnQixNQUMvQixLQUFLLFNBQVMsTUFBTSxPQUFPLEtBQUssTUFBTSxFQUFFLEtBQUssU0FBUyxXQUFXLENBQUM7QUFBQSxFQUNwRTtBQUNBLFFBQU0sS0FBSyxlQUFlSCxRQUFPO0FBQ2pDLEVBQUFHLFFBQU8sTUFBTSxNQUFNLE9BQU8sSUFBSSxHQUFHLFlBQVk7QUFDL0MsQ0FBQyxDQUFDO0FBRUosS0FBSyxpREFBaUQsTUFDcEQsVUFBVSxNQUFNLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDbEMsUUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGNBQTJCLHNCQUFzQixFQUFHLEtBQUssQ0FBQztBQUM3RixXQUNNLElBQUksR0FDUixJQUFJLEtBQU0sTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGVBQWUsU0FBUyxNQUFPLGdCQUM1RTtBQUVBLFVBQU0sS0FBSyxTQUFTLE1BQU0sS0FBSztBQUNqQyxRQUFNLFNBQVMsTUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFVBQVU7QUFDM0QsRUFBQUEsUUFBTyxNQUFNLE1BQU0sT0FBTyxHQUFHLDBCQUEwQjtBQUN2RCxhQUFXLE9BQU8sQ0FBQyxhQUFhLGFBQWEsWUFBWSxFQUFHLE9BQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUN6RixFQUFBQSxRQUFPLE1BQU0sTUFBTSxPQUFPLEdBQUcsaURBQWlEO0FBQzlFLFFBQU0sS0FBSyxTQUFTLE1BQU0sV0FBVztBQUNyQyxRQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDckMsRUFBQUEsUUFBTyxNQUFNLE1BQU0sT0FBTyxHQUFHLFNBQVM7QUFDdEMsUUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTO0FBQ25DLFFBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTztBQUNqQyxRQUFNLEtBQUssZUFBZUgsUUFBTztBQUNqQyxFQUFBRyxRQUFPLE1BQU0sTUFBTSxPQUFPLElBQUksR0FBRyxxQkFBcUI7QUFDdEQsUUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3JDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLE9BQU8sSUFBSSxHQUFHLFlBQVk7QUFDN0MsUUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLE9BQU8sSUFBSSxHQUFHLEtBQUs7QUFDdEMsRUFBQUEsUUFBTztBQUFBLEtBQ0osTUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLElBQUksQ0FBQyxDQUFDLEVBQUUsSUFBSSxNQUFNLElBQUk7QUFBQSxJQUNyRCxDQUFDLENBQUMsUUFBUSxRQUFRLEdBQUcsQ0FBQyxNQUFNLEdBQUcsQ0FBQyxDQUFDO0FBQUEsRUFDbkM7QUFDRixDQUFDLENBQUM7QUFFSixLQUFLLHlDQUF5QyxNQUM1QztBQUFBLEVBQ0U7QUFBQSxFQUNBLENBQUM7QUFBQSxFQUNELE9BQU8sU0FBUztBQUNkLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNO0FBQzFDLGVBQVcsT0FBTyxDQUFDLGFBQWEsYUFBYSxHQUFHLEVBQUcsT0FBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQ2hGLFVBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxRQUFRO0FBQzFDLFVBQU0sU0FBUyxNQUFNLEtBQUssU0FBUyxNQUFNLFVBQVUsVUFBVSxTQUFTLENBQUM7QUFDdkUsSUFBQUEsUUFBTyxNQUFNLE1BQU0sT0FBTyxHQUFHLFFBQVE7QUFDckMsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sV0FBVyxhQUFhLFlBQWEsTUFBTSxPQUFPLE1BQU8sYUFBYTtBQUFBLEVBQzlFO0FBQUEsRUFDQSxFQUFFLGFBQWEsQ0FBQyxrQkFBa0IsaUJBQWlCLEVBQUU7QUFDdkQsQ0FBQztBQUVILEtBQUsscURBQXFELE1BQ3hELFVBQVUsTUFBTSxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2xDLFFBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTSxHQUFHLEdBQUc7QUFDbkMsUUFBTSxLQUFLLE1BQU0sTUFBTSxNQUFNLEdBQUcsTUFBTSxHQUFHLEVBQUUsUUFBUSxRQUFRLENBQUM7QUFDNUQsUUFBTSxXQUFXLE1BQU0sWUFBWTtBQUNuQyxRQUFNLEtBQUssVUFBVSxZQUFZLEVBQUUsTUFBTSxjQUFjLENBQUMsRUFBRSxNQUFNO0FBQ2hFLEVBQUFBLFFBQU8sVUFBVSxNQUFNLFNBQVMsTUFBTSxRQUFRLEdBQUc7QUFBQSxJQUMvQyxDQUFDLFVBQVUsU0FBUyxTQUFTLENBQUMsUUFBUSxVQUFVLE9BQU8sQ0FBQztBQUFBLEVBQzFELENBQUM7QUFDRCxRQUFNLEtBQUssTUFBTSxNQUFNLE1BQU0sR0FBRyxNQUFNLEdBQUcsRUFBRSxRQUFRLFFBQVEsQ0FBQztBQUM1RCxRQUFNLEtBQUssUUFBUSwwQkFBMEIsRUFBRSxRQUFRO0FBQ3ZELGFBQVcsT0FBTyxDQUFDLGFBQWEsYUFBYSxhQUFhLE9BQU87QUFDL0QsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQy9CLEVBQUFBLFFBQU8sV0FBVyxNQUFNLFNBQVMsTUFBTSxRQUFRLEdBQUcsR0FBRyxFQUFFLEdBQUc7QUFBQSxJQUN4RDtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQSxDQUFDLFFBQVEsVUFBVSxPQUFPO0FBQUEsRUFDNUIsQ0FBQztBQUNELFFBQU0sS0FBSyxNQUFNLE1BQU0sTUFBTSxHQUFHLE1BQU0sR0FBRyxFQUFFLFFBQVEsUUFBUSxDQUFDO0FBQzVELFFBQU0sS0FBSyxRQUFRLDBCQUEwQixFQUFFLFFBQVE7QUFDdkQsUUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLFFBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxRQUFRLEVBQUUsT0FBTyxXQUFXLENBQUM7QUFDL0QsRUFBQUEsUUFBTyxNQUFNLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxlQUFlLFNBQVMsR0FBRyxjQUFjO0FBQzNGLENBQUMsQ0FBQztBQUVKLEtBQUssMEZBQTBGLE1BQzdGLFVBQVUsTUFBTSxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2xDLFFBQU0sU0FBUyxNQUFNLFNBQVMsTUFBTSxHQUFHLEdBQUc7QUFDMUMsUUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPLEtBQUssSUFBSSxFQUFFLFFBQVEsYUFBYSxDQUFDLENBQUM7QUFDbkUsUUFBTSxXQUFXLGFBQWEsYUFBYSxNQUFNLFNBQVMsTUFBTSxPQUFPLEdBQUcsV0FBVyxDQUFDO0FBQ3RGLEVBQUFBLFFBQU8sVUFBVSxNQUFNLFNBQVMsTUFBTSxPQUFPLEdBQUcsQ0FBQyxDQUFDLFNBQVMsTUFBTSxJQUFJLENBQUMsQ0FBQyxDQUFDO0FBQ3hFLFFBQU0sS0FBSyxlQUFlLEVBQUU7QUFDNUIsRUFBQUEsUUFBTyxTQUFTLE1BQU0sU0FBUyxNQUFNLEdBQUcsR0FBRyxHQUFHLE1BQU07QUFDcEQsRUFBQUEsUUFBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxVQUFVLEdBQUcsd0JBQXdCO0FBQ3JGLFFBQU0sV0FBVyxNQUFNLGNBQWM7QUFDckMsUUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPLEtBQUssSUFBSSxFQUFFLFFBQVEsTUFBTSxDQUFDLENBQUM7QUFDNUQsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUFhLFlBQzVCLCtCQUErQixLQUFLLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxVQUFVLENBQUM7QUFBQSxFQUNwRjtBQUNGLENBQUMsQ0FBQztBQUVKLEtBQUssdURBQXVELE1BQzFELFVBQVUsUUFBUSxFQUFFLENBQUMsSUFBSSxPQUFPLEVBQUUsQ0FBQyxHQUFHLEVBQUUsQ0FBQyxHQUFHLEVBQUUsUUFBUSxhQUFhLEdBQUcsT0FBTyxTQUFTO0FBQ3BGLFFBQU07QUFBQSxJQUFXO0FBQUEsSUFBYSxZQUM1QixpQkFBaUIsS0FBTSxNQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsWUFBWSxLQUFNLEVBQUU7QUFBQSxFQUNoRjtBQUNBLFFBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTyxLQUFLLElBQUksRUFBRSxRQUFRLE1BQU0sQ0FBQyxDQUFDO0FBQzVELFFBQU07QUFBQSxJQUFXO0FBQUEsSUFBbUIsWUFDbEMsVUFBVSxLQUFNLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxZQUFZLEtBQU0sRUFBRTtBQUFBLEVBQ3pFO0FBQ0YsQ0FBQyxDQUFDO0FBRUosSUFBTUMsV0FBVTtBQUFBLEVBQ2Q7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0EsbURBQWEsT0FBTyxFQUFFO0FBQUEsRUFDdEI7QUFBQSxFQUNBLElBQUksT0FBTyxLQUFNO0FBQUEsRUFDakI7QUFBQSxFQUNBO0FBQUEsRUFDQTtBQUFBLEVBQ0E7QUFDRjtBQUVBLEtBQUssb0ZBQW9GLE1BQ3ZGO0FBQUEsRUFDRSxRQUFRLE9BQU8sWUFBWUEsU0FBUSxJQUFJLENBQUMsU0FBUyxDQUFDLFFBQVEsSUFBSSxJQUFJLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFBQSxFQUN2RSxDQUFDO0FBQUEsRUFDRCxPQUFPLFNBQVM7QUFDZCxTQUFLLEdBQUcsVUFBVSxDQUFDLE1BQU0sS0FBSyxXQUFXLEtBQUssV0FBVyxFQUFFLFFBQVEsQ0FBQyxFQUFFLENBQUM7QUFDdkUsYUFBUyxJQUFJLEdBQUcsSUFBSUEsU0FBUSxRQUFRLEtBQUs7QUFDdkMsWUFBTSxRQUFRLE1BQU0sR0FBRyxNQUFNLElBQUksSUFBSSxPQUFPQSxTQUFRLE1BQU07QUFDMUQsWUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLEdBQUcsTUFBTSxDQUFDO0FBQ3RDLFlBQU0sS0FBSyxRQUFRLGdCQUFnQixFQUFFLFFBQVE7QUFDN0MsWUFBTSxNQUFPLE1BQU0sS0FBSyxRQUFRLGdCQUFnQixFQUFFLFlBQVk7QUFDOUQsTUFBQUQsUUFBTztBQUFBLFFBQ0wsSUFBSSxLQUFLLEtBQUssSUFBSSxJQUFJLElBQUksU0FBUyxPQUFRLElBQUksS0FBSyxLQUFLLElBQUksSUFBSSxJQUFJLFVBQVU7QUFBQSxRQUMvRTtBQUFBLE1BQ0Y7QUFBQSxJQUNGO0FBQ0EsVUFBTSxXQUFXLE1BQU0sZUFBZTtBQUN0QyxhQUFTLElBQUksR0FBRyxJQUFJQyxTQUFRLFFBQVEsS0FBSztBQUN2QyxZQUFNLE1BQU0sTUFBTSxJQUFJLElBQUksT0FBT0EsU0FBUSxNQUFNO0FBQy9DLFlBQU0sS0FBSyxlQUFlSixRQUFPO0FBQ2pDLFlBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLE1BQU0sRUFBRSxNQUFNO0FBQ3pELFlBQU0sS0FBSyxlQUFlQSxRQUFPO0FBQUEsSUFDbkM7QUFDQSxJQUFBRyxRQUFPLE9BQU8sTUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLFFBQVEsSUFBSUMsU0FBUSxNQUFNO0FBQ3RFLElBQUFELFFBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxLQUFLLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFBQSxFQUNuRDtBQUNGLENBQUM7QUFFSCxLQUFLLHVGQUF1RixNQUMxRjtBQUFBLEVBQ0UsUUFBUTtBQUFBLElBQ04sYUFBYSxDQUFDLElBQUksRUFBRTtBQUFBLElBQ3BCLGVBQWUsQ0FBQyxJQUFJLEVBQUU7QUFBQSxJQUN0QixZQUFZLENBQUMsR0FBRyxFQUFFO0FBQUEsSUFDbEIsYUFBYSxDQUFDLElBQUksQ0FBQztBQUFBLElBQ25CLGFBQWEsQ0FBQyxJQUFJLEVBQUU7QUFBQSxFQUN0QixDQUFDO0FBQUEsRUFDRCxDQUFDO0FBQUEsRUFDRCxPQUFPLFNBQVM7QUFDZCxVQUFNLFVBQVUsWUFDZCxRQUFRLElBQUksQ0FBQyxLQUFLLEtBQUssR0FBRyxFQUFFLElBQUksQ0FBQyxTQUFTLFNBQVMsTUFBTSxHQUFHLElBQUksQ0FBQyxDQUFDO0FBQ3BFLFVBQU0sUUFBUSxNQUFNLFFBQVE7QUFDNUIsSUFBQUEsUUFBTyxNQUFNLElBQUksSUFBSSxLQUFLLEVBQUUsTUFBTSxDQUFDO0FBQ25DLFVBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTSxHQUFHLEdBQUc7QUFDbkMsVUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLEdBQUcsTUFBTSxDQUFDO0FBQ3RDLElBQUFBLFFBQU8sTUFBTSxNQUFNLFFBQVEsSUFBSSxHQUFHLDZDQUE2QztBQUMvRSxVQUFNLFdBQVcsTUFBTSxZQUFZO0FBQ25DLFVBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTyxLQUFLLElBQUksRUFBRSxTQUFTLFVBQVUsQ0FBQyxDQUFDO0FBQ2pFLFVBQU0sS0FBSyxlQUFlLEVBQUU7QUFDNUIsSUFBQUEsUUFBTyxhQUFhLE1BQU0sUUFBUSxHQUFHLEtBQUs7QUFDMUMsVUFBTSxLQUFLLFNBQVMsT0FBTyxPQUFPLEtBQUssTUFBTSxNQUFNLEdBQUcsT0FBTyxLQUFLLElBQUksRUFBRSxXQUFXLEtBQUssQ0FBQyxFQUFFO0FBQzNGLFVBQU0sV0FBVyxNQUFNLGlCQUFpQjtBQUFBLEVBQzFDO0FBQ0YsQ0FBQztBQUVILEtBQUsseUNBQXlDLE1BQzVDLFVBQVUsUUFBUSxDQUFDLENBQUMsR0FBRyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ3pDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsVUFBVSxHQUFHLFlBQVk7QUFDekUsUUFBTSxLQUFLLFNBQVMsQ0FBQyxNQUFNLE9BQU8sS0FBSyxLQUFLLENBQUMsR0FBRyxRQUFRLEVBQUUsT0FBTyxFQUFFLENBQUMsQ0FBQztBQUNyRSxFQUFBQSxRQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQzFELFFBQU0sS0FBSyxTQUFTLENBQUMsTUFBTSxPQUFPLEtBQUssS0FBSyxDQUFDLEdBQUcsUUFBUSxFQUFFLE9BQU8sSUFBSSxPQUFPLEdBQUcsQ0FBQyxDQUFDO0FBQ2pGLFFBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTSxHQUFHLEdBQUc7QUFDbkMsUUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLEdBQUcsTUFBTSxDQUFDO0FBQ3RDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLFFBQVEsSUFBSSxHQUFHLGdCQUFnQjtBQUNwRCxDQUFDLENBQUM7QUFFSixLQUFLLHFEQUFxRCxNQUN4RDtBQUFBLEVBQ0UsUUFBUSxFQUFFLENBQUMsTUFBTSxLQUFLLEVBQUUsUUFBUSxJQUFJLEdBQUcsQ0FBQyxHQUFHLE1BQU0sSUFBSSxDQUFDLEVBQUUsRUFBRSxLQUFLLEdBQUcsQ0FBQyxHQUFHLEVBQUUsQ0FBQztBQUFBLEVBQ3pFLEVBQUUsUUFBUSxRQUFRO0FBQUEsRUFDbEIsT0FBTyxTQUFTO0FBQ2QsVUFBTSxTQUFTLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxjQUFjLGVBQWUsRUFBRyxTQUFTO0FBQzNGLFVBQU0sTUFBTSxNQUFNLE9BQU87QUFDekIsSUFBQUEsUUFBTyxHQUFHLE1BQU0sS0FBTSw0QkFBNEIsR0FBRyxFQUFFO0FBQ3ZELFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxNQUFNO0FBQzFDLGFBQVMsSUFBSSxHQUFHLElBQUksSUFBSSxJQUFLLE9BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUztBQUNoRSxJQUFBQSxRQUFPLEdBQUksTUFBTSxPQUFPLElBQUssS0FBSywwQkFBMEI7QUFDNUQsVUFBTSxXQUFXLE1BQU0sWUFBWTtBQUFBLEVBQ3JDO0FBQ0YsQ0FBQztBQUVILEtBQUssdUZBQXVGLE1BQzFGLFVBQVUsTUFBTSxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2xDLFFBQU0sUUFBUSxNQUFNLEdBQUcsTUFBTSxHQUFHLElBQUk7QUFDcEMsUUFBTSxLQUFLLE1BQU0sS0FBSyxNQUFNLEdBQUcsTUFBTSxDQUFDO0FBQ3RDLFFBQU0sS0FBSyxTQUFTLEtBQUssU0FBUztBQUNsQyxXQUFTLElBQUksR0FBRyxJQUFJLEdBQUcsSUFBSyxPQUFNLEtBQUssTUFBTSxNQUFNLEdBQUcsR0FBRztBQUN6RCxRQUFNLEtBQUssU0FBUyxHQUFHLFNBQVM7QUFDaEMsUUFBTSxLQUFLLGVBQWUsR0FBRztBQUM3QixRQUFNLE9BQU8sTUFBTSxHQUFHLE1BQU0sR0FBRyxJQUFJO0FBQ25DLFFBQU0sS0FBSyxNQUFNLEtBQUssS0FBSyxHQUFHLEtBQUssQ0FBQztBQUNwQyxFQUFBQSxRQUFPLE1BQU0sTUFBTSxRQUFRLElBQUksR0FBRyxTQUFTO0FBQzNDLEVBQUFBLFFBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxnQkFBZ0IsRUFBRSxNQUFNLEdBQUcsQ0FBQztBQUM1RCxRQUFNLEtBQUssTUFBTSxLQUFLO0FBQ3RCLFFBQU0sS0FBSyxNQUFNLEtBQUssS0FBSyxJQUFJLEtBQUssS0FBSyxHQUFHLEVBQUUsT0FBTyxFQUFFLENBQUM7QUFDeEQsUUFBTSxLQUFLLE1BQU0sR0FBRztBQUNwQixFQUFBQSxRQUFPLFVBQVUsTUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLENBQUMsQ0FBQztBQUNqRCxRQUFNLFdBQVcsTUFBTSxhQUFhO0FBQ3RDLENBQUMsQ0FBQztBQUVKLEtBQUssNENBQTRDLE1BQy9DO0FBQUEsRUFDRTtBQUFBLEVBQ0EsQ0FBQztBQUFBLEVBQ0QsT0FBTyxTQUFTO0FBQ2QsVUFBTSxNQUFPLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxZQUFZO0FBQzdELFVBQU0sQ0FBQyxHQUFHLENBQUMsSUFBSSxDQUFDLElBQUksSUFBSSxLQUFLLElBQUksSUFBSSxNQUFNLEVBQUU7QUFDN0MsVUFBTSxLQUFLLFlBQVksSUFBSSxHQUFHLENBQUM7QUFDL0IsSUFBQUEsUUFBTyxVQUFVLE1BQU0sU0FBUyxNQUFNLE1BQU0sR0FBRyxDQUFDLENBQUM7QUFDakQsSUFBQUEsUUFBTyxVQUFVLE1BQU0sU0FBUyxNQUFNLFFBQVEsR0FBRyxDQUFDLENBQUMsVUFBVSxRQUFRLENBQUMsQ0FBQztBQUN2RSxJQUFBQSxRQUFPLE1BQU0sTUFBTSxRQUFRLElBQUksR0FBRyxTQUFTO0FBQzNDLFVBQU0sS0FBSyxlQUFlLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFlBQVksSUFBSSxHQUFHLENBQUM7QUFDL0IsVUFBTSxLQUFLLFlBQVksSUFBSSxHQUFHLENBQUM7QUFDL0IsSUFBQUEsUUFBTyxVQUFVLE1BQU0sU0FBUyxNQUFNLE1BQU0sR0FBRyxDQUFDLENBQUMsUUFBUSxDQUFDLFFBQVEsUUFBUSxDQUFDLENBQUMsQ0FBQztBQUFBLEVBQy9FO0FBQUEsRUFDQSxFQUFFLFVBQVUsTUFBTSxVQUFVLE1BQU0sVUFBVSxFQUFFLE9BQU8sS0FBSyxRQUFRLElBQUksRUFBRTtBQUMxRSxDQUFDO0FBRUgsS0FBSywyREFBMkQsTUFDOUQ7QUFBQSxFQUNFLFFBQVEsRUFBRSxnQkFBZ0IsSUFBSSxZQUFZLElBQUksWUFBWSxFQUFFLENBQUM7QUFBQSxFQUM3RCxFQUFFLFVBQVUsWUFBWTtBQUFBLEVBQ3hCLE9BQU8sU0FBUztBQUNkLElBQUFBLFFBQU87QUFBQSxNQUNMLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxVQUFVO0FBQUEsTUFDOUM7QUFBQSxJQUNGO0FBQ0EsVUFBTSxNQUFNLE1BQU0sR0FBRyxHQUFHO0FBQ3hCLFVBQU0sS0FBSyxlQUFlSCxRQUFPO0FBQ2pDLElBQUFHLFFBQU8sTUFBTSxNQUFNLE9BQU8sSUFBSSxHQUFHLG9CQUFvQjtBQUVyRCxJQUFBQSxRQUFPLFVBQVUsTUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLENBQUMsQ0FBQztBQUFBLEVBQ25EO0FBQ0YsQ0FBQztBQUVILEtBQUsseUNBQXlDLE1BQzVDLFVBQVUsRUFBRSxHQUFHLE1BQU0sWUFBWSxNQUFRLGNBQWMsTUFBTSxHQUFHLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDbEYsUUFBTUQsUUFBTyxNQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsVUFBVTtBQUMzRCxFQUFBQyxRQUFPO0FBQUEsSUFDTEQ7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUNGLENBQUMsQ0FBQztBQUVKLEtBQUssZ0ZBQWdGLE1BQ25GO0FBQUEsRUFDRTtBQUFBLEVBQ0EsQ0FBQztBQUFBLEVBQ0QsT0FBTyxTQUFTO0FBQ2QsVUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPLEtBQUssV0FBVyxLQUFTLEVBQUUsUUFBUSxVQUFVLENBQUMsQ0FBQztBQUNoRixVQUFNO0FBQUEsTUFBVztBQUFBLE1BQVksWUFDM0IsVUFBVSxLQUFLLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxVQUFVLENBQUM7QUFBQSxJQUNoRTtBQUNBLFVBQU07QUFBQSxNQUFXO0FBQUEsTUFBYSxZQUM1QixVQUFVLEtBQU0sTUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFlBQVksS0FBTSxFQUFFO0FBQUEsSUFDekU7QUFDQSxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU8sS0FBSyxJQUFJLEVBQUUsUUFBUSxJQUFJLFVBQVUsT0FBTyxDQUFDLENBQUM7QUFDM0UsVUFBTTtBQUFBLE1BQVc7QUFBQSxNQUFzQixZQUNyQyxZQUFZLEtBQUssTUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFVBQVUsQ0FBQztBQUFBLElBQ2xFO0FBQ0EsVUFBTSxXQUFXLE1BQU0sYUFBYTtBQUFBLEVBQ3RDO0FBQUEsRUFDQSxFQUFFLGVBQWUsU0FBUztBQUM1QixDQUFDO0FBRUgsS0FBSyw4QkFBOEIsTUFDakMsVUFBVSxNQUFNLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDbEMsRUFBQUMsUUFBTyxHQUFJLE1BQU0sS0FBSyxTQUFTLE1BQU0sT0FBTyxLQUFLLElBQUksQ0FBQyxJQUFLLEdBQUk7QUFDL0QsRUFBQUEsUUFBTyxNQUFNLE1BQU0sS0FBSyxTQUFTLE1BQU0sT0FBTyxLQUFLLElBQUksQ0FBQyxHQUFHLG1CQUFtQjtBQUNoRixDQUFDLENBQUM7OztBRzNaSixPQUFPRSxhQUFZO0FBQ25CLFNBQVMsUUFBQUMsY0FBWTs7O0FDTWQsSUFBTSxXQUFXO0FBR2pCLFNBQVMsWUFBWSxTQUFpQixPQUF3QztBQUNuRixRQUFNLFVBQVUsQ0FBQyxJQUFJLE9BQU8sYUFBYTtBQUN6QyxRQUFNLFlBQXVCLENBQUMsQ0FBQyxDQUFDO0FBQ2hDLFFBQU0sWUFBdUIsQ0FBQyxDQUFDLENBQUM7QUFDaEMsUUFBTSxTQUFvQixDQUFDLENBQUMsQ0FBQztBQUM3QixRQUFNLFFBQW1CLENBQUMsQ0FBQyxDQUFDO0FBQzVCLFFBQU1DLE1BQUssb0JBQUksSUFBb0I7QUFDbkMsUUFBTSxPQUFPLENBQUMsS0FBYSxPQUFrQixTQUF3QjtBQUNuRSxRQUFJLENBQUNBLElBQUcsSUFBSSxHQUFHLEdBQUc7QUFDaEIsWUFBTUMsT0FBTSxLQUFLO0FBQ2pCLE1BQUFELElBQUcsSUFBSSxLQUFLLE1BQU0sS0FBS0MsSUFBRyxJQUFJLENBQUM7QUFBQSxJQUNqQztBQUNBLFdBQU9ELElBQUcsSUFBSSxHQUFHO0FBQUEsRUFDbkI7QUFDQSxRQUFNLFdBQXNCLENBQUMsQ0FBQyxDQUFDO0FBQy9CLFFBQU0sUUFBUSxDQUFDRSxVQUNiLEtBQUssU0FBU0EsS0FBSSxJQUFJLFdBQVcsTUFBTTtBQUNyQyxVQUFNLENBQUMsTUFBTSxNQUFNLElBQUlBLE1BQUssTUFBTSxHQUFHO0FBQ3JDLFVBQU0sZUFBZSxTQUNqQixLQUFLLFVBQVUsTUFBTSxJQUFJLFVBQVUsT0FBTyxFQUFFLGtCQUFrQixRQUFRLEtBQUssTUFBTSxJQUFJLEVBQUUsRUFBRSxJQUN6RjtBQUNKLFdBQU87QUFBQSxNQUNMO0FBQUEsTUFDQSxPQUFPLENBQUMsRUFBRSxlQUFlLFVBQVUsS0FBSyxFQUFFLGNBQWMsUUFBUSxLQUFLLElBQUksSUFBSSxFQUFFLENBQUMsSUFBSSxFQUFFLENBQUM7QUFBQSxJQUN6RjtBQUFBLEVBQ0YsQ0FBQztBQUNILFFBQU0sVUFBVSxNQUFNLElBQUksQ0FBQyxPQUFPO0FBQUEsSUFDaEMsWUFBWSxLQUFLLFNBQVMsRUFBRSxLQUFLLElBQUksUUFBUSxPQUFPO0FBQUEsTUFDbEQsaUJBQWlCLEVBQUUsTUFBTSxNQUFNLEdBQUcsRUFBRSxRQUFRLEVBQUUsSUFBSSxLQUFLO0FBQUEsSUFDekQsRUFBRTtBQUFBLElBQ0YsUUFBUSxDQUFDLE9BQU8sUUFBUSxDQUFDO0FBQUEsSUFDekIsb0JBQW9CLENBQUMsR0FBRyxFQUFFLElBQUksUUFBUTtBQUFBLElBQ3RDLEdBQUksRUFBRSxPQUNGO0FBQUEsTUFDRSxXQUFXLEtBQUssUUFBUSxFQUFFLEtBQUssSUFBSSxFQUFFLElBQUksSUFBSSxPQUFPLE9BQU87QUFBQSxRQUN6RCxTQUFTLEVBQUU7QUFBQSxRQUNYLFFBQVEsRUFBRTtBQUFBLE1BQ1osRUFBRTtBQUFBLElBQ0osSUFDQSxDQUFDO0FBQUEsRUFDUCxFQUFFO0FBQ0YsUUFBTSxRQUFRLEtBQUssSUFBSSxHQUFHLE1BQU0sSUFBSSxDQUFDLE1BQU0sRUFBRSxJQUFJLENBQUM7QUFDbEQsUUFBTSxPQUFPLEtBQUssSUFBSSxHQUFHLE1BQU0sSUFBSSxDQUFDLE1BQU0sRUFBRSxJQUFJLENBQUM7QUFDakQsUUFBTSxPQUFPLEVBQUUsY0FBYyxHQUFHLGNBQWMsRUFBRTtBQUNoRCxTQUFPO0FBQUEsSUFDTCxrQkFBa0I7QUFBQSxNQUNoQjtBQUFBLFFBQ0UsVUFBVSxFQUFFLFlBQVksQ0FBQyxFQUFFLEtBQUssZ0JBQWdCLE9BQU8sRUFBRSxhQUFhLFFBQVEsRUFBRSxDQUFDLEVBQUU7QUFBQSxRQUNuRixlQUFlO0FBQUEsVUFDYjtBQUFBLFlBQ0UsVUFBVTtBQUFBLGNBQ1I7QUFBQSxnQkFDRSxZQUFZO0FBQUEsZ0JBQ1osWUFBWTtBQUFBLGdCQUNaLFFBQVEsT0FBTyxRQUFRO0FBQUEsZ0JBQ3ZCLGNBQWMsR0FBRyxLQUFLO0FBQUEsZ0JBQ3RCLGNBQWMsR0FBRyxPQUFPLFFBQVEsQ0FBQztBQUFBLGdCQUNqQztBQUFBLGNBQ0Y7QUFBQSxZQUNGO0FBQUEsVUFDRjtBQUFBLFFBQ0Y7QUFBQSxNQUNGO0FBQUEsSUFDRjtBQUFBLElBQ0EsWUFBWTtBQUFBLE1BQ1YsY0FBYztBQUFBLE1BQ2QsZUFBZTtBQUFBLE1BQ2YsZUFBZTtBQUFBLE1BQ2YsV0FBVztBQUFBLE1BQ1gsYUFBYTtBQUFBLE1BQ2IsZ0JBQWdCLENBQUMsQ0FBQyxDQUFDO0FBQUEsTUFDbkIsWUFBWTtBQUFBLElBQ2Q7QUFBQSxFQUNGO0FBQ0Y7QUFFQSxlQUFzQixZQUFZLEtBQWEsU0FBaUIsU0FBaUM7QUFDL0YsUUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHLEdBQUcsMkJBQTJCO0FBQUEsSUFDMUQsUUFBUTtBQUFBLElBQ1IsU0FBUyxFQUFFLGdCQUFnQixtQkFBbUI7QUFBQSxJQUM5QyxNQUFNLEtBQUssVUFBVSxZQUFZLFNBQVMsT0FBTyxDQUFDO0FBQUEsRUFDcEQsQ0FBQztBQUNELE1BQUksQ0FBQyxPQUFPLEdBQUksT0FBTSxJQUFJLE1BQU0sR0FBRyxPQUFPLE1BQU0sSUFBSSxNQUFNLE9BQU8sS0FBSyxDQUFDLEVBQUU7QUFDM0U7QUFFTyxJQUFNLFNBQVM7QUFDZixJQUFNLFlBQVk7QUFDbEIsSUFBTSxTQUFTO0FBQ2YsSUFBTSxXQUFXO0FBQ2pCLElBQU0sWUFBWTtBQUNsQixJQUFNLFlBQVk7QUFDbEIsSUFBTSxhQUFhO0FBSW5CLFNBQVMsYUFBYUMsUUFBOEI7QUFDekQsUUFBTSxVQUF5QixDQUFDO0FBQ2hDLFdBQVMsU0FBUyxHQUFHLFNBQVMsSUFBSTtBQUNoQyxZQUFRLEtBQUs7QUFBQSxNQUNYLE1BQU1BLFNBQVEsU0FBUyxNQUFPO0FBQUEsTUFDOUIsT0FBTztBQUFBLE1BQ1AsT0FBTztBQUFBLE1BQ1AsTUFBTTtBQUFBLElBQ1IsQ0FBQztBQUNILGFBQVcsUUFBUSxDQUFDLEtBQUssS0FBSyxHQUFHO0FBQy9CLFlBQVEsS0FBSztBQUFBLE1BQ1gsTUFBTUEsU0FBUSxNQUFPO0FBQUEsTUFDckIsT0FBTztBQUFBLE1BQ1AsT0FBTztBQUFBLE1BQ1AsTUFBTTtBQUFBLElBQ1IsQ0FBQztBQUNILFVBQVEsS0FBSyxFQUFFLE1BQU1BLFNBQVEsTUFBTSxPQUFPLGNBQWMsT0FBTyxRQUFRLE1BQU0sVUFBVSxDQUFDO0FBQ3hGLFVBQVEsS0FBSyxFQUFFLE1BQU1BLFNBQVEsS0FBSyxPQUFPLFlBQVksQ0FBQztBQUN0RCxTQUFPO0FBQ1Q7QUFHTyxJQUFNLGdCQUFnQixDQUFDQSxXQUM1QixDQUFDLE1BQU0sSUFBSSxFQUFFLElBQUksQ0FBQyxVQUFVO0FBQUEsRUFDMUIsTUFBTUEsU0FBUTtBQUFBLEVBQ2QsT0FBTztBQUFBLEVBQ1AsT0FBTztBQUFBLEVBQ1AsTUFBTTtBQUNSLEVBQUU7QUFhSixlQUFzQixVQUNwQixLQUNBQSxRQUNBLE9BQ0EsUUFBUSxRQUNSO0FBQ0EsUUFBTSxnQkFBZ0IsTUFBTSxJQUFJLENBQUMsT0FBTztBQUFBLElBQ3RDLFVBQVUsRUFBRSxZQUFZLENBQUMsRUFBRSxLQUFLLGdCQUFnQixPQUFPLEVBQUUsYUFBYSxFQUFFLFFBQVEsRUFBRSxDQUFDLEVBQUU7QUFBQSxJQUNyRixZQUFZO0FBQUEsTUFDVjtBQUFBLFFBQ0UsT0FBTztBQUFBLFVBQ0w7QUFBQSxZQUNFLFNBQVM7QUFBQSxZQUNULFFBQVEsRUFBRTtBQUFBLFlBQ1YsY0FBYyxFQUFFO0FBQUEsWUFDaEIsTUFBTSxFQUFFO0FBQUEsWUFDUixNQUFNO0FBQUEsWUFDTixRQUFRLEVBQUUsU0FBUyxFQUFFLE1BQU0sRUFBRSxJQUFJLENBQUM7QUFBQSxZQUNsQyxtQkFBbUIsR0FBR0EsU0FBUSxFQUFFLElBQUk7QUFBQSxZQUNwQyxpQkFBaUIsR0FBR0EsU0FBUSxFQUFFLE9BQU8sRUFBRSxFQUFFO0FBQUEsVUFDM0M7QUFBQSxRQUNGO0FBQUEsTUFDRjtBQUFBLElBQ0Y7QUFBQSxFQUNGLEVBQUU7QUFDRixRQUFNLFNBQVMsTUFBTSxNQUFNLEdBQUcsR0FBRyxjQUFjO0FBQUEsSUFDN0MsUUFBUTtBQUFBLElBQ1IsU0FBUyxFQUFFLGdCQUFnQixtQkFBbUI7QUFBQSxJQUM5QyxNQUFNLEtBQUssVUFBVSxFQUFFLGNBQWMsQ0FBQztBQUFBLEVBQ3hDLENBQUM7QUFDRCxNQUFJLENBQUMsT0FBTyxHQUFJLE9BQU0sSUFBSSxNQUFNLEdBQUcsT0FBTyxNQUFNLElBQUksTUFBTSxPQUFPLEtBQUssQ0FBQyxFQUFFO0FBQzNFO0FBR08sSUFBTSxZQUFZLENBQUMsTUFDeEIsTUFBTSxLQUFLLEVBQUUsUUFBUSxFQUFFLEdBQUcsQ0FBQyxHQUFHLE1BQU07QUFDbEMsUUFBTSxLQUFLLENBQUMsTUFBYyxTQUFTLEVBQUUsU0FBUyxFQUFFLEVBQUUsU0FBUyxJQUFJLEdBQUcsQ0FBQztBQUNuRSxTQUFPO0FBQUEsSUFDTCxTQUFTO0FBQUEsSUFDVCxJQUFJLEdBQUcsQ0FBQztBQUFBLElBQ1IsUUFBUSxNQUFNLElBQUksS0FBSyxHQUFHLElBQUksT0FBTyxJQUFJLElBQUksSUFBSyxJQUFJLEVBQUc7QUFBQSxJQUN6RCxNQUFNLFFBQVEsQ0FBQztBQUFBLElBQ2YsTUFBTTtBQUFBLElBQ04sSUFBSSxNQUFNLElBQUksSUFBSTtBQUFBLEVBQ3BCO0FBQ0YsQ0FBQztBQUVJLElBQU0sWUFBWTtBQUlsQixJQUFNLGFBQWtDO0FBQUEsRUFDN0MsRUFBRSxTQUFTLFNBQVMsSUFBSSxVQUFVLFFBQVEsSUFBSSxNQUFNLGlCQUFpQixNQUFNLEdBQUcsSUFBSSxLQUFLO0FBQUEsRUFDdkY7QUFBQSxJQUNFLFNBQVM7QUFBQSxJQUNULElBQUk7QUFBQSxJQUNKLFFBQVE7QUFBQSxJQUNSLE1BQU07QUFBQSxJQUNOLE1BQU07QUFBQSxJQUNOLElBQUk7QUFBQSxFQUNOO0FBQUEsRUFDQTtBQUFBLElBQ0UsU0FBUztBQUFBLElBQ1QsSUFBSTtBQUFBLElBQ0osUUFBUTtBQUFBLElBQ1IsTUFBTTtBQUFBLElBQ04sTUFBTTtBQUFBLElBQ04sSUFBSTtBQUFBLEVBQ047QUFBQSxFQUNBO0FBQUEsSUFDRSxTQUFTO0FBQUEsSUFDVCxJQUFJO0FBQUEsSUFDSixRQUFRO0FBQUEsSUFDUixNQUFNO0FBQUEsSUFDTixNQUFNO0FBQUEsSUFDTixJQUFJO0FBQUEsSUFDSixRQUFRO0FBQUEsRUFDVjtBQUNGOzs7QUR4TkEsSUFBTSxRQUFRLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxHQUFJLElBQUksTUFBTztBQUNyRCxJQUFJQyxTQUFnQztBQUVwQyxTQUFTQyxVQUEwQjtBQUNqQyxFQUFBRCxZQUFXLFlBQVk7QUFDckIsVUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxVQUFNLFlBQVksRUFBRSxLQUFLLFNBQVMsYUFBYSxLQUFLLENBQUM7QUFDckQsTUFBRSxLQUFLLE9BQU9FLE9BQUssVUFBVSxHQUFHLGFBQWEsR0FBRyxFQUFFLGFBQWEsRUFBRSxDQUFDLEdBQUcsTUFBTTtBQUMzRSxXQUFPO0FBQUEsRUFDVCxHQUFHO0FBQ0gsU0FBT0Y7QUFDVDtBQUVBLElBQU0sTUFBTSxDQUFDLFNBQWUsS0FBSyxRQUFRLGFBQWE7QUFDdEQsSUFBTSxVQUFVLENBQUMsTUFBWUcsVUFDM0IsS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVNBLE1BQUssQ0FBQyxFQUFFLFFBQVE7QUFDN0QsSUFBTSxRQUFRLENBQUMsTUFBWSxTQUFpQixJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRSxhQUFhLElBQUksSUFBSTtBQUVyRixlQUFlLEtBQUssTUFBZ0IsR0FBVyxPQUFPLElBQUk7QUFDeEQsUUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0NBQWtDLElBQUksRUFBRTtBQUNoRSxRQUFNLEtBQUssUUFBUSxvQkFBb0IsRUFBRSxRQUFRO0FBQ2pELFFBQU0sS0FBSyxRQUFRLHNEQUFzRCxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQzdGO0FBR0EsZUFBZSxLQUFLLE1BQVksTUFBd0IsSUFBc0I7QUFDNUUsUUFBTSxNQUFPLE1BQU0sSUFBSSxJQUFJLEVBQUUsWUFBWTtBQUN6QyxRQUFNQyxNQUFLLENBQUMsQ0FBQyxRQUFRQyxJQUFHLE1BQ3RCLENBQUMsSUFBSSxLQUFNLFNBQVMsT0FBTyxJQUFJLFFBQVMsSUFBSSxJQUFJLEtBQU1BLE9BQU0sT0FBTyxJQUFJLFNBQVUsRUFBRTtBQUNyRixRQUFNLEtBQUssTUFBTSxLQUFLLEdBQUdELElBQUcsSUFBSSxDQUFDO0FBQ2pDLFFBQU0sS0FBSyxNQUFNLEtBQUs7QUFDdEIsUUFBTSxLQUFLLE1BQU0sS0FBSyxHQUFHQSxJQUFHLEVBQUUsR0FBRyxFQUFFLE9BQU8sRUFBRSxDQUFDO0FBQzdDLFFBQU0sS0FBSyxNQUFNLEdBQUc7QUFDdEI7QUFFQSxXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxNQUFNLEdBQUc7QUFDbEMsU0FBSyxhQUFhLEtBQUssS0FBSyxLQUFLLFNBQVMsWUFBWTtBQUNwRCxZQUFNLElBQUksTUFBTUgsUUFBTztBQUN2QixZQUFNO0FBQUEsUUFDSixFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxRQUFRLFVBQVUsTUFBTSxNQUFNLElBQUksRUFBRTtBQUFBLFFBQzdFLE9BQU8sU0FBUztBQUNkLGdCQUFNLEtBQUssTUFBTSxDQUFDO0FBQ2xCLFVBQUFLLFFBQU87QUFBQSxZQUNMLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxnQkFBZ0IsY0FBYyxVQUFVO0FBQUEsWUFDM0U7QUFBQSxZQUNBO0FBQUEsVUFDRjtBQUNBLGNBQUksVUFBVSxJQUFLLE9BQU0sS0FBSyxNQUFNLENBQUMsR0FBRyxFQUFFLEdBQUcsQ0FBQyxHQUFHLEVBQUUsQ0FBQztBQUNwRCxnQkFBTSxXQUFXLE1BQU0sUUFBUSxLQUFLLElBQUksS0FBSyxFQUFFO0FBQUEsUUFDakQ7QUFBQSxNQUNGO0FBQUEsSUFDRixDQUFDO0FBRUwsS0FBSywwRkFBMEYsWUFBWTtBQUN6RyxRQUFNLElBQUksTUFBTUwsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssTUFBTSxDQUFDO0FBQ2xCLFVBQU0sUUFBUSxNQUFNLFFBQVE7QUFDNUIsVUFBTSxLQUFLLE1BQU0sQ0FBQyxHQUFHLEVBQUUsR0FBRyxDQUFDLEdBQUcsRUFBRSxDQUFDO0FBQ2pDLFVBQU0sUUFBUSxNQUFNLFNBQVM7QUFDN0IsSUFBQUssUUFBTyxNQUFNLE1BQU0sTUFBTSxXQUFXLEdBQUcsT0FBTyxRQUFRLEdBQUksQ0FBQztBQUMzRCxJQUFBQSxRQUFPLE1BQU0sTUFBTSxNQUFNLFNBQVMsR0FBRyxPQUFPLFFBQVEsR0FBSSxDQUFDO0FBQ3pELElBQUFBLFFBQU87QUFBQSxNQUNMLENBQUMsTUFBTSxNQUFNLFlBQVksR0FBRyxNQUFNLE1BQU0sWUFBWSxHQUFHLE1BQU0sTUFBTSxVQUFVLENBQUM7QUFBQSxNQUM5RSxDQUFDLFFBQVEsT0FBTyxLQUFLO0FBQUEsSUFDdkI7QUFDQSxJQUFBQSxRQUFPO0FBQUEsTUFDSixNQUFNLEtBQUssUUFBUSxZQUFZLEVBQUUsWUFBWSxLQUFNO0FBQUEsTUFDcEQ7QUFBQSxJQUNGO0FBQ0EsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTSxRQUFRLE1BQU0sU0FBUztBQUM3QixVQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsUUFBUTtBQUMzQyxVQUFNLEtBQUssU0FBUyxNQUFNLFFBQVE7QUFDbEMsVUFBTSxRQUFRLE1BQU0sUUFBUTtBQUM1QixJQUFBQSxRQUFPLE1BQU0sTUFBTSxNQUFNLFdBQVcsR0FBRyxJQUFJO0FBQUEsRUFDN0MsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLG9FQUFvRSxZQUFZO0FBQ25GLFFBQU0sSUFBSSxNQUFNTCxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxNQUFNLENBQUM7QUFDbEIsVUFBTSxLQUFLLE1BQU0sQ0FBQyxHQUFHLEVBQUUsR0FBRyxDQUFDLEdBQUcsRUFBRSxDQUFDO0FBQ2pDLFVBQU0sUUFBUSxNQUFNLFNBQVM7QUFDN0IsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxRQUFRLHNDQUFzQyxFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsUUFBUTtBQUN2RixJQUFBSyxRQUFPO0FBQUEsTUFDTCxNQUFNLEtBQUssUUFBUSxzQ0FBc0MsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLE1BQU07QUFBQSxNQUNwRjtBQUFBLElBQ0Y7QUFDQSxVQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxNQUFNO0FBQ2pELFVBQU0sS0FBSyxRQUFRLHNDQUFzQyxFQUFFLFNBQVMsT0FBTyxDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQ3hGLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx3REFBd0QsWUFBWTtBQUN2RSxRQUFNLElBQUksTUFBTUwsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssTUFBTSxDQUFDO0FBQ2xCLFVBQU0sTUFBTyxNQUFNLElBQUksSUFBSSxFQUFFLFlBQVk7QUFFekMsVUFBTSxLQUFLLE1BQU0sS0FBSyxJQUFJLElBQUksT0FBTyxJQUFJLE9BQU8sSUFBSSxJQUFLLE1BQU0sSUFBSSxTQUFVLEVBQUU7QUFDL0UsVUFBTSxNQUFNLE1BQU0sV0FBVyxTQUFTLE1BQU0sS0FBSyxRQUFRLFdBQVcsRUFBRSxZQUFZLENBQUM7QUFDbkYsSUFBQUssUUFBTyxNQUFNLEtBQUssZ0NBQWdDO0FBQUEsRUFDcEQsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDJCQUEyQixZQUFZO0FBQzFDLFFBQU0sSUFBSSxNQUFNTCxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxNQUFNLENBQUM7QUFDbEIsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxTQUFTLE1BQU0sWUFBWTtBQUN0QyxhQUFTLElBQUksR0FBRyxJQUFJLEdBQUcsSUFBSyxPQUFNLEtBQUssU0FBUyxNQUFNLFlBQVk7QUFDbEUsVUFBTSxLQUFLLFNBQVMsTUFBTSxVQUFVO0FBQ3BDLFVBQU0sS0FBSyxTQUFTLE1BQU0sVUFBVTtBQUNwQyxVQUFNLEtBQUssU0FBUyxLQUFLLE9BQU87QUFDaEMsYUFBUyxJQUFJLEdBQUcsSUFBSSxHQUFHLElBQUssT0FBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ2pFLFVBQU0sS0FBSyxTQUFTLEdBQUcsT0FBTztBQUM5QixJQUFBSyxRQUFPLE1BQU8sTUFBTSxLQUFLLFFBQVEsMEJBQTBCLEVBQUUsWUFBWSxLQUFNLElBQUksV0FBVztBQUM5RixVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxRQUFRLE1BQU0sU0FBUztBQUM3QixJQUFBQSxRQUFPO0FBQUEsTUFDTCxDQUFDLE1BQU0sTUFBTSxXQUFXLEdBQUcsTUFBTSxNQUFNLFlBQVksR0FBRyxNQUFNLE1BQU0sVUFBVSxDQUFDO0FBQUEsTUFDN0UsQ0FBQyxPQUFPLFFBQVEsR0FBSSxHQUFHLE9BQU8sS0FBSztBQUFBLElBQ3JDO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssbUVBQW1FLFlBQVk7QUFDbEYsUUFBTSxJQUFJLE1BQU1MLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsZ0NBQWdDO0FBQ3hELFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLG1DQUFtQyxDQUFDLEVBQUUsUUFBUTtBQUMzRixVQUFNLEtBQUssUUFBUSxnQkFBZ0IsRUFBRSxTQUFTLFlBQVksQ0FBQyxFQUFFLFFBQVE7QUFDckUsVUFBTSxXQUFXLE1BQU0sZUFBZTtBQUFBLEVBQ3hDLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx3REFBd0QsWUFBWTtBQUN2RSxRQUFNLElBQUksTUFBTUEsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssTUFBTSxHQUFHLHdCQUF3QjtBQUM1QyxVQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsU0FBUyxzQkFBc0IsQ0FBQyxFQUFFLFFBQVE7QUFDN0UsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsTUFBTTtBQUM5QyxVQUFNLFFBQVEsTUFBTSxRQUFRO0FBQUEsRUFDOUIsQ0FBQztBQUNILENBQUM7OztBRTlKRCxPQUFPTSxjQUFZOzs7QUNxQ25CLFNBQVMsU0FBUyxNQUE0QjtBQUM1QyxTQUFPLE1BQU07QUFDWCxXQUFRLE9BQU8sYUFBYztBQUM3QixRQUFJLElBQUksS0FBSyxLQUFLLE9BQVEsU0FBUyxJQUFLLElBQUksSUFBSTtBQUNoRCxRQUFLLElBQUksS0FBSyxLQUFLLElBQUssTUFBTSxHQUFJLEtBQUssQ0FBQyxJQUFLO0FBQzdDLGFBQVMsSUFBSyxNQUFNLFFBQVMsS0FBSyxLQUFLO0FBQUEsRUFDekM7QUFDRjtBQUVBLElBQU0sTUFBTSxDQUFDLEdBQVcsV0FBbUIsRUFBRSxTQUFTLEVBQUUsRUFBRSxTQUFTLFFBQVEsR0FBRztBQUU5RSxJQUFNLE9BQU4sTUFBVztBQUFBLEVBQ0EsT0FBaUIsRUFBRSxPQUFPLENBQUMsR0FBRyxNQUFNLENBQUMsR0FBRyxTQUFTLG9CQUFJLElBQUksRUFBRTtBQUFBLEVBQ25EO0FBQUEsRUFDVCxPQUFPO0FBQUEsRUFFZixZQUFZLE1BQWM7QUFDeEIsU0FBSyxTQUFTLFNBQVMsSUFBSTtBQUFBLEVBQzdCO0FBQUE7QUFBQSxFQUdRLEtBQUssSUFBb0I7QUFDL0IsVUFBTSxJQUFJLEtBQUssT0FBTztBQUN0QixXQUFPLE1BQU0sTUFBTSxLQUFLLElBQUksT0FBTyxLQUFLLElBQUksT0FBTyxLQUFLO0FBQUEsRUFDMUQ7QUFBQSxFQUVRLEtBQ04sUUFDQSxPQUNBLFNBQ0EsTUFDQSxNQUNBLE1BQ0EsSUFDQSxZQUNVO0FBQ1YsVUFBTSxPQUFPO0FBQUEsTUFDWDtBQUFBLE1BQ0E7QUFBQSxNQUNBLElBQUksSUFBSSxhQUFhLEVBQUUsS0FBSyxNQUFNLEVBQUU7QUFBQSxNQUNwQyxRQUFRLFFBQVEsTUFBTTtBQUFBLE1BQ3RCO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxTQUFLLEtBQUssTUFBTSxLQUFLLElBQUk7QUFDekIsV0FBTztBQUFBLEVBQ1Q7QUFBQSxFQUVRLElBQUksTUFBZ0JDLEtBQVksVUFBa0JDLE9BQWMsT0FBTyxDQUFDLEdBQUc7QUFDakYsU0FBSyxLQUFLLEtBQUssS0FBSztBQUFBLE1BQ2xCLFNBQVMsS0FBSztBQUFBLE1BQ2QsTUFBTUQ7QUFBQSxNQUNOO0FBQUEsTUFDQSxNQUFBQztBQUFBLE1BQ0EsT0FBTyxLQUFLO0FBQUEsTUFDWixNQUFNLEtBQUs7QUFBQSxNQUNYLFlBQVksRUFBRSxlQUFlLFlBQVksR0FBRyxLQUFLO0FBQUEsSUFDbkQsQ0FBQztBQUFBLEVBQ0g7QUFBQSxFQUVRLE9BQU8sTUFBZ0IsT0FBZSxPQUFlO0FBQzNELFVBQU0sT0FBTyxLQUFLLEtBQUssUUFBUSxJQUFJLEtBQUssT0FBTyxLQUFLLENBQUM7QUFDckQsVUFBTSxJQUFJLEtBQUssSUFBSSxHQUFHLEtBQUssTUFBTyxLQUFLLEtBQUssUUFBUyxFQUFFLENBQUM7QUFDeEQsYUFBUyxJQUFJLEdBQUcsSUFBSSxHQUFHO0FBQ3JCLFdBQUssS0FBSztBQUFBLFFBQ1IsTUFBTSxLQUFLLE1BQU0sS0FBSyxPQUFRLEtBQUssS0FBSyxJQUFLLENBQUM7QUFBQSxRQUM5QztBQUFBLFFBQ0EsT0FBTyxLQUFLO0FBQUEsUUFDWixNQUFNLEtBQUs7QUFBQSxNQUNiLENBQUM7QUFDSCxTQUFLLEtBQUssUUFBUSxJQUFJLEtBQUssU0FBUyxJQUFJO0FBQUEsRUFDMUM7QUFBQTtBQUFBLEVBR0EsUUFBUUMsUUFBZTtBQUNyQixVQUFNLElBQUksS0FBSztBQUNmLFVBQU0sUUFBUSxJQUFJLGFBQWEsRUFBRSxLQUFLLE1BQU0sRUFBRSxJQUFJLElBQUksS0FBSyxNQUFNLEVBQUUsSUFBSSxLQUFLLEVBQUUsR0FBRyxFQUFFO0FBQ25GLFVBQU0sUUFBUSxFQUFFLElBQUk7QUFDcEIsVUFBTSxRQUFRLFFBQVEsY0FBYztBQUNwQyxVQUFNLFNBQVMsU0FBUyxFQUFFLElBQUk7QUFDOUIsVUFBTSxPQUFPLFFBQVEsS0FBSyxNQUFNLEVBQUUsSUFBSSxFQUFFLENBQUM7QUFDekMsVUFBTSxVQUFVLElBQUksS0FBSyxNQUFNLEVBQUUsS0FBSyxRQUFRLElBQUksRUFBRTtBQUNwRCxVQUFNLFVBQVUsTUFBTSxLQUFLLEVBQUUsUUFBUSxRQUFRLEdBQUcsTUFBTSxLQUFLLEtBQUssQ0FBQyxDQUFDO0FBQ2xFLFVBQU0sU0FBUyxRQUFRLE9BQU8sQ0FBQyxHQUFHLE1BQU0sSUFBSSxJQUFJLEtBQUssQ0FBQztBQUN0RCxVQUFNLFFBQVEsUUFBUSxLQUFLLEtBQUssU0FBUyxNQUFNLEVBQUUsSUFBSTtBQUNyRCxVQUFNLE9BQU8sS0FBSztBQUFBLE1BQ2hCO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBLEdBQUcsUUFBUSxTQUFTLEtBQUssSUFBSSxLQUFLO0FBQUEsTUFDbEM7QUFBQSxNQUNBQTtBQUFBLE1BQ0EsSUFBSSxTQUFTLFNBQVMsUUFBUSxJQUFJO0FBQUEsTUFDbEM7QUFBQSxRQUNFLHVCQUF1QixRQUFRLFNBQVM7QUFBQSxRQUN4QyxjQUFjO0FBQUEsUUFDZCw2QkFBNkIsU0FBUyxNQUFNO0FBQUEsUUFDNUMsV0FBVztBQUFBLFFBQ1gsWUFBWSxRQUFRLGNBQWMsYUFBYSxLQUFLLE1BQU0sRUFBRSxJQUFJLEdBQUcsQ0FBQztBQUFBLFFBQ3BFLGtCQUFrQixFQUFFLElBQUk7QUFBQSxRQUN4QixpQkFBaUIsS0FBSyxNQUFNLEVBQUUsSUFBSSxHQUFNLElBQUk7QUFBQSxNQUM5QztBQUFBLElBQ0Y7QUFDQSxTQUFLLElBQUksTUFBTUEsU0FBUSxLQUFLLEdBQUcsR0FBRyxLQUFLLElBQUksU0FBUyxJQUFJLElBQUksRUFBRSxXQUFXLEtBQUssQ0FBQztBQUMvRSxVQUFNLE9BQU8sS0FBSyxLQUFLLE1BQU0sT0FBTyxRQUFRLGFBQWEsR0FBR0EsU0FBUSxHQUFHLFFBQVE7QUFBQSxNQUM3RSxjQUFjO0FBQUEsTUFDZCxjQUFjO0FBQUEsTUFDZCxPQUFPO0FBQUEsSUFDVCxDQUFDO0FBQ0QsUUFBSUYsTUFBSyxLQUFLLE9BQU87QUFDckIsZUFBVyxNQUFNLFNBQVM7QUFDeEIsV0FBSyxLQUFLLE1BQU0sT0FBTyxRQUFRLGdCQUFnQixHQUFHQSxLQUFJLElBQUk7QUFBQSxRQUN4RCxhQUFhO0FBQUEsUUFDYixpQkFBaUI7QUFBQSxRQUNqQixrQkFBa0I7QUFBQSxNQUNwQixDQUFDO0FBQ0QsTUFBQUEsT0FBTSxLQUFLO0FBQUEsSUFDYjtBQUNBLFNBQUs7QUFBQSxNQUNIO0FBQUEsTUFDQSxLQUFLLE9BQU8sS0FBSyxLQUFLO0FBQUEsTUFDdEI7QUFBQSxNQUNBLFVBQVUsT0FBTyxhQUFhLEtBQUssR0FBRyxRQUFRLENBQUMsQ0FBQztBQUFBLElBQ2xEO0FBQ0EsU0FBSyxPQUFPLE1BQU0sa0NBQWtDLEdBQUc7QUFDdkQsUUFBSSxNQUFPLE1BQUssTUFBTSxNQUFNRSxTQUFRLElBQUksUUFBUSxPQUFPLFFBQVEsSUFBSTtBQUNuRSxXQUFPO0FBQUEsRUFDVDtBQUFBLEVBRVEsTUFBTSxNQUFnQkYsS0FBWSxJQUFZLFFBQWlCLE1BQWM7QUFDbkYsVUFBTSxNQUFNLEtBQUssS0FBSyxNQUFNLEtBQUssT0FBTyxXQUFXLGtCQUFrQixHQUFHQSxLQUFJLElBQUk7QUFBQSxNQUM5RSxvQkFBb0IsS0FBSyxPQUFPLElBQUksTUFBTSxTQUFTO0FBQUEsTUFDbkQsa0JBQWtCLEtBQUssTUFBTSxLQUFLLE9BQU8sSUFBSSxHQUFNLElBQUk7QUFBQSxNQUN2RCxtQkFBbUIsU0FBUyxJQUFJO0FBQUEsTUFDaEMsZ0JBQWdCLENBQUMsTUFBTSxLQUFLO0FBQUEsSUFDOUIsQ0FBQztBQUNELFVBQU0sT0FBTyxLQUFLLEtBQUssS0FBSyxLQUFLLE9BQU8sV0FBVyxZQUFZLEdBQUdBLE1BQUssR0FBRyxLQUFLLEtBQUssQ0FBQyxDQUFDO0FBQ3RGLFNBQUssT0FBTyxNQUFNLG1DQUFtQyxHQUFHO0FBQ3hELFFBQUksUUFBUTtBQUNWLFVBQUksUUFBUTtBQUNaLFdBQUssUUFBUTtBQUNiLFVBQUksU0FBUztBQUFBLFFBQ1gsRUFBRSxNQUFNLFNBQVMsSUFBSUEsTUFBSyxLQUFLLEtBQUssWUFBWSxFQUFFLFNBQVMsRUFBRSxFQUFFO0FBQUEsUUFDL0QsRUFBRSxNQUFNLFNBQVMsSUFBSUEsTUFBSyxLQUFLLEtBQUssWUFBWSxFQUFFLFNBQVMsRUFBRSxFQUFFO0FBQUEsUUFDL0Q7QUFBQSxVQUNFLE1BQU07QUFBQSxVQUNOLElBQUlBLE1BQUssS0FBSztBQUFBLFVBQ2QsWUFBWTtBQUFBLFlBQ1Ysa0JBQWtCO0FBQUEsWUFDbEIscUJBQXFCO0FBQUEsWUFDckIsd0JBQ0U7QUFBQSxVQUNKO0FBQUEsUUFDRjtBQUFBLE1BQ0Y7QUFDQSxXQUFLLElBQUksS0FBS0EsTUFBSyxLQUFLLEtBQUssSUFBSSw0QkFBNEIsRUFBRSxTQUFTLEVBQUUsQ0FBQztBQUMzRSxXQUFLLElBQUksS0FBS0EsTUFBSyxLQUFLLE1BQU0sSUFBSSxnREFBZ0QsSUFBSSxJQUFJO0FBQUEsUUFDeEYsa0JBQWtCO0FBQUEsTUFDcEIsQ0FBQztBQUNEO0FBQUEsSUFDRjtBQUNBLFNBQUssSUFBSSxLQUFLQSxNQUFLLEtBQUssR0FBRyxHQUFHLFdBQVcsSUFBSSxFQUFFO0FBQy9DLFVBQU0sT0FBTyxLQUFLLEtBQUssTUFBTSxLQUFLLE9BQU8sU0FBUyxrQkFBa0IsR0FBR0EsTUFBSyxLQUFLLEdBQUcsR0FBRztBQUFBLE1BQ3JGLG9CQUFvQjtBQUFBLE1BQ3BCLDhCQUE4QjtBQUFBLElBQ2hDLENBQUM7QUFDRCxVQUFNLE9BQU8sS0FBSyxLQUFLLE1BQU0sS0FBSyxPQUFPLFFBQVEsa0JBQWtCLEdBQUdBLE1BQUssS0FBSyxJQUFJLElBQUk7QUFBQSxNQUN0RixvQkFBb0I7QUFBQSxJQUN0QixDQUFDO0FBQ0QsU0FBSyxRQUFRLENBQUMsRUFBRSxPQUFPLEtBQUssT0FBTyxNQUFNLEtBQUssSUFBSSxZQUFZLEVBQUUseUJBQXlCLEVBQUUsRUFBRSxDQUFDO0FBQzlGLFNBQUssSUFBSSxNQUFNLEtBQUssT0FBTyxJQUFJLEdBQUcsZ0JBQWdCLElBQUksRUFBRTtBQUFBLEVBQzFEO0FBQ0Y7QUFHTyxTQUFTLFNBQVMsTUFBYyxJQUFZRyxRQUFlLE9BQU8sR0FBYTtBQUNwRixRQUFNQyxRQUFPLElBQUksS0FBSyxJQUFJO0FBQzFCLFdBQVMsSUFBSSxHQUFHLElBQUlELFFBQU8sSUFBSyxDQUFBQyxNQUFLLFFBQVEsUUFBUyxLQUFLLFFBQVEsSUFBS0QsTUFBSztBQUM3RSxTQUFPQyxNQUFLO0FBQ2Q7QUFFQSxJQUFNLFFBQVEsQ0FBQyxPQUNiLE9BQU8sT0FBTyxLQUFLLE1BQU0sRUFBRSxDQUFDLElBQUksV0FBYSxPQUFPLEtBQUssTUFBTyxLQUFLLElBQUssR0FBRyxDQUFDLENBQUM7QUFFakYsU0FBUyxTQUFTLE9BQXVCO0FBQ3ZDLE1BQUksT0FBTyxVQUFVLFNBQVUsUUFBTyxFQUFFLGFBQWEsTUFBTTtBQUMzRCxNQUFJLE9BQU8sVUFBVSxVQUFXLFFBQU8sRUFBRSxXQUFXLE1BQU07QUFDMUQsTUFBSSxPQUFPLFVBQVU7QUFDbkIsV0FBTyxPQUFPLFVBQVUsS0FBSyxJQUFJLEVBQUUsVUFBVSxPQUFPLEtBQUssRUFBRSxJQUFJLEVBQUUsYUFBYSxNQUFNO0FBQ3RGLFNBQU8sRUFBRSxZQUFZLEVBQUUsUUFBUSxNQUFNLElBQUksUUFBUSxFQUFFLEVBQUU7QUFDdkQ7QUFFQSxJQUFNLGVBQWUsQ0FBQyxRQUNwQixPQUFPLFFBQVEsR0FBRyxFQUFFLElBQUksQ0FBQyxDQUFDLEtBQUssS0FBSyxPQUFPLEVBQUUsS0FBSyxPQUFPLFNBQVMsS0FBSyxFQUFFLEVBQUU7QUFFN0UsSUFBTSxhQUFhLENBQUMsYUFBcUI7QUFBQSxFQUN2QyxZQUFZLGFBQWE7QUFBQSxJQUN2QixnQkFBZ0I7QUFBQSxJQUNoQixtQkFBbUI7QUFBQSxJQUNuQixhQUFhLEdBQUcsT0FBTztBQUFBLEVBQ3pCLENBQUM7QUFDSDtBQUVBLGVBQWUsS0FBSyxLQUFhLE1BQWU7QUFDOUMsUUFBTSxTQUFTLE1BQU0sTUFBTSxLQUFLO0FBQUEsSUFDOUIsUUFBUTtBQUFBLElBQ1IsU0FBUyxFQUFFLGdCQUFnQixtQkFBbUI7QUFBQSxJQUM5QyxNQUFNLEtBQUssVUFBVSxJQUFJO0FBQUEsRUFDM0IsQ0FBQztBQUNELE1BQUksQ0FBQyxPQUFPLEdBQUksT0FBTSxJQUFJLE1BQU0sR0FBRyxHQUFHLEtBQUssT0FBTyxNQUFNLElBQUksTUFBTSxPQUFPLEtBQUssQ0FBQyxFQUFFO0FBQ25GO0FBRUEsSUFBTSxZQUFZLENBQWdDLFFBQXNCO0FBQ3RFLFFBQU0sU0FBUyxvQkFBSSxJQUFpQjtBQUNwQyxhQUFXLE9BQU8sSUFBSyxRQUFPLElBQUksSUFBSSxTQUFTLENBQUMsR0FBSSxPQUFPLElBQUksSUFBSSxPQUFPLEtBQUssQ0FBQyxHQUFJLEdBQUcsQ0FBQztBQUN4RixTQUFPLENBQUMsR0FBRyxNQUFNO0FBQ25CO0FBRUEsSUFBTSxrQkFBa0I7QUFFeEIsZUFBc0IsY0FBYyxLQUFhLE9BQTRCO0FBQzNFLFdBQVMsSUFBSSxHQUFHLElBQUksTUFBTSxRQUFRLEtBQUs7QUFDckMsVUFBTSxLQUFLLEdBQUcsR0FBRyxjQUFjO0FBQUEsTUFDN0IsZUFBZSxVQUFVLE1BQU0sTUFBTSxHQUFHLElBQUksZUFBZSxDQUFDLEVBQUUsSUFBSSxDQUFDLENBQUMsU0FBUyxJQUFJLE9BQU87QUFBQSxRQUN0RixVQUFVLFdBQVcsT0FBTztBQUFBLFFBQzVCLFlBQVk7QUFBQSxVQUNWO0FBQUEsWUFDRSxPQUFPLEVBQUUsTUFBTSxHQUFHLE9BQU8sU0FBUyxTQUFTLE1BQU07QUFBQSxZQUNqRCxPQUFPLEtBQUssSUFBSSxDQUFDLE9BQU87QUFBQSxjQUN0QixTQUFTLEVBQUU7QUFBQSxjQUNYLFFBQVEsRUFBRTtBQUFBLGNBQ1YsY0FBYyxFQUFFO0FBQUEsY0FDaEIsTUFBTSxFQUFFO0FBQUEsY0FDUixNQUFNLEVBQUU7QUFBQSxjQUNSLG1CQUFtQixNQUFNLEVBQUUsSUFBSTtBQUFBLGNBQy9CLGlCQUFpQixNQUFNLEVBQUUsT0FBTyxFQUFFLEVBQUU7QUFBQSxjQUNwQyxZQUFZLGFBQWEsRUFBRSxVQUFVO0FBQUEsY0FDckMsUUFBUSxFQUFFLFVBQVUsU0FBWSxDQUFDLElBQUksRUFBRSxNQUFNLEdBQUcsU0FBUyxFQUFFLE1BQU07QUFBQSxjQUNqRSxRQUFRLEVBQUUsUUFBUSxJQUFJLENBQUMsT0FBTztBQUFBLGdCQUM1QixNQUFNLEVBQUU7QUFBQSxnQkFDUixjQUFjLE1BQU0sRUFBRSxFQUFFO0FBQUEsZ0JBQ3hCLFlBQVksYUFBYSxFQUFFLFVBQVU7QUFBQSxjQUN2QyxFQUFFO0FBQUEsY0FDRixPQUFPLEVBQUUsT0FBTyxJQUFJLENBQUMsT0FBTztBQUFBLGdCQUMxQixTQUFTLEVBQUU7QUFBQSxnQkFDWCxRQUFRLEVBQUU7QUFBQSxnQkFDVixZQUFZLGFBQWEsRUFBRSxVQUFVO0FBQUEsY0FDdkMsRUFBRTtBQUFBLFlBQ0osRUFBRTtBQUFBLFVBQ0o7QUFBQSxRQUNGO0FBQUEsTUFDRixFQUFFO0FBQUEsSUFDSixDQUFDO0FBQ0w7QUFFQSxlQUFzQixhQUFhLEtBQWEsTUFBMEI7QUFDeEUsUUFBTUMsU0FBUSxDQUFDLElBQUksU0FBUyxTQUFTLFFBQVEsUUFBUSxTQUFTLE9BQU87QUFDckUsV0FBUyxJQUFJLEdBQUcsSUFBSSxLQUFLLFFBQVEsS0FBSztBQUNwQyxVQUFNLEtBQUssR0FBRyxHQUFHLFlBQVk7QUFBQSxNQUMzQixjQUFjLFVBQVUsS0FBSyxNQUFNLEdBQUcsSUFBSSxlQUFlLENBQUMsRUFBRSxJQUFJLENBQUMsQ0FBQyxTQUFTLElBQUksT0FBTztBQUFBLFFBQ3BGLFVBQVUsV0FBVyxPQUFPO0FBQUEsUUFDNUIsV0FBVztBQUFBLFVBQ1Q7QUFBQSxZQUNFLE9BQU8sRUFBRSxNQUFNLEdBQUcsT0FBTyxPQUFPO0FBQUEsWUFDaEMsWUFBWSxLQUFLLElBQUksQ0FBQyxPQUFPO0FBQUEsY0FDM0IsY0FBYyxNQUFNLEVBQUUsSUFBSTtBQUFBLGNBQzFCLHNCQUFzQixNQUFNLEVBQUUsT0FBTyxDQUFDO0FBQUEsY0FDdEMsZ0JBQWdCLEVBQUU7QUFBQSxjQUNsQixjQUFjQSxPQUFNLEtBQUssT0FBTyxFQUFFLFdBQVcsS0FBSyxDQUFDLENBQUM7QUFBQSxjQUNwRCxNQUFNLEVBQUUsYUFBYSxFQUFFLEtBQUs7QUFBQSxjQUM1QixZQUFZLGFBQWEsRUFBRSxVQUFVO0FBQUEsY0FDckMsU0FBUyxFQUFFO0FBQUEsY0FDWCxRQUFRLEVBQUU7QUFBQSxZQUNaLEVBQUU7QUFBQSxVQUNKO0FBQUEsUUFDRjtBQUFBLE1BQ0YsRUFBRTtBQUFBLElBQ0osQ0FBQztBQUNMO0FBRUEsSUFBTSxXQUFXO0FBR2pCLGVBQXNCLGdCQUFnQixLQUFhLE1BQWdCO0FBQ2pFLGFBQVcsQ0FBQyxTQUFTLElBQUksS0FBSyxLQUFLLFNBQVM7QUFDMUMsVUFBTSxVQUFVLG9CQUFJLElBQTJCO0FBQy9DLGVBQVcsVUFBVSxNQUFNO0FBQ3pCLFlBQU1DLFVBQVMsS0FBSyxNQUFNLE9BQU8sT0FBTyxRQUFRO0FBQ2hELGNBQVEsSUFBSUEsU0FBUSxDQUFDLEdBQUksUUFBUSxJQUFJQSxPQUFNLEtBQUssQ0FBQyxHQUFJLE1BQU0sQ0FBQztBQUFBLElBQzlEO0FBQ0EsZUFBVyxXQUFXLFFBQVEsT0FBTyxFQUFHLE9BQU0sWUFBWSxLQUFLLFNBQVMsT0FBTztBQUFBLEVBQ2pGO0FBQ0Y7OztBQ2xVQSxJQUFNLFdBQVc7QUFDakIsSUFBSUMsU0FBb0M7QUFFakMsU0FBUyxhQUFrQztBQUNoRCxFQUFBQSxZQUFXLFlBQVk7QUFDckIsVUFBTUMsV0FBUyxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDeEMsVUFBTSxLQUFLLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxHQUFJLElBQUksTUFBTztBQUNsRCxVQUFNLE9BQU8sS0FBSyxLQUFLO0FBQ3ZCLFVBQU0sT0FBTyxTQUFTLE1BQU0sSUFBSSxRQUFRO0FBQ3hDLFVBQU0sY0FBY0EsU0FBTyxLQUFLLEtBQUssS0FBSztBQUMxQyxVQUFNLGFBQWFBLFNBQU8sS0FBSyxLQUFLLElBQUk7QUFDeEMsVUFBTSxnQkFBZ0JBLFNBQU8sS0FBSyxJQUFJO0FBQ3RDLFdBQU8sRUFBRSxRQUFBQSxVQUFRLE1BQU0sTUFBTSxHQUFHO0FBQUEsRUFDbEMsR0FBRztBQUNILFNBQU9EO0FBQ1Q7OztBRm5CQSxJQUFNLFFBQVEsQ0FBQyxTQUFlLEtBQUssUUFBUSxXQUFXO0FBQ3RELElBQU1FLFNBQVEsQ0FBQyxNQUFZLFNBQWlCLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxFQUFFLGFBQWEsSUFBSSxJQUFJO0FBQ3JGLElBQU0sTUFBTSxDQUFDLE1BQVksTUFBYyxVQUNyQyxXQUFXLEdBQUcsSUFBSSxPQUFPLEtBQUssbUJBQW1CLFlBQVlBLE9BQU0sTUFBTSxJQUFJLE1BQU0sS0FBSztBQUMxRixJQUFNQyxTQUFRLENBQUMsTUFBWSxNQUN6QixLQUNHLFFBQVEsc0JBQXNCO0FBQUEsRUFDN0IsU0FBUyxJQUFJLE9BQU8sSUFBSSxFQUFFLGVBQWUsT0FBTyxDQUFDLFlBQVk7QUFDL0QsQ0FBQyxFQUNBLFFBQVE7QUFFYixXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxHQUFHO0FBQzVCLFNBQUssZ0NBQWdDLEtBQUssS0FBSyxLQUFLLFNBQVMsWUFBWTtBQUN2RSxZQUFNLEVBQUUsUUFBQUMsVUFBUSxLQUFLLElBQUksTUFBTSxXQUFXO0FBQzFDLFlBQU0sU0FBUyxVQUFVLE1BQU0sTUFBTTtBQUNyQyxZQUFNLFNBQVMsRUFBRSxhQUFhLE9BQU8sVUFBVSxFQUFFLE9BQU8sT0FBTyxFQUFFLEdBQUcsT0FBTyxTQUFTO0FBQ2xGLGNBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxPQUFPO0FBQ3BDLGNBQU1ELE9BQU0sTUFBTSxLQUFLLEtBQUssTUFBTTtBQUNsQyxjQUFNLE1BQU0sSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLE1BQU07QUFDL0IsY0FBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFFBQVE7QUFDM0MsUUFBQUUsU0FBTztBQUFBLFVBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxVQUMzRTtBQUFBLFVBQ0E7QUFBQSxRQUNGO0FBQ0EsY0FBTSxXQUFXLE1BQU0sUUFBUSxLQUFLLElBQUksS0FBSyxFQUFFO0FBQUEsTUFDakQsQ0FBQztBQUFBLElBQ0gsQ0FBQztBQUVMLEtBQUssNEVBQTRFLFlBQVk7QUFDM0YsUUFBTSxFQUFFLFFBQUFELFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLEtBQUssSUFBSSxFQUFFLEtBQUssQ0FBQyxHQUFHLE1BQU0sRUFBRSxPQUFPLEVBQUUsSUFBSTtBQUM1RCxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsT0FBTztBQUNwQyxVQUFNLE1BQU0sSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2xDLElBQUFDLFNBQU8sSUFBSSxNQUFNLE1BQU0sSUFBSSxFQUFFLE1BQU0sRUFBRSxZQUFZLEdBQUksU0FBUyxPQUFPLENBQUMsRUFBRSxJQUFJLENBQUM7QUFDN0UsVUFBTSxPQUFPLEtBQUssUUFBUSxlQUFlO0FBQ3pDLElBQUFBLFNBQU8sR0FBSSxNQUFNLE1BQU0sSUFBSSxFQUFFLE1BQU0sSUFBSyxLQUFLLGlDQUFpQztBQUM5RSxVQUFNLE1BQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxTQUFTLGtDQUFrQyxDQUFDO0FBQ2hGLFVBQU0sV0FBVyxtQkFBbUIsWUFBWTtBQUM5QyxZQUFNLEtBQUssU0FBUyxDQUFDLE1BQU0sRUFBRSxTQUFTLEdBQUcsRUFBRSxZQUFZLENBQUM7QUFDeEQsYUFBUSxNQUFNLElBQUksTUFBTSxJQUFLLEtBQUssSUFBSSxVQUFVO0FBQUEsSUFDbEQsQ0FBQztBQUNELFVBQU0sS0FBSyxTQUFTLENBQUMsTUFBTSxFQUFFLFNBQVMsR0FBRyxFQUFFLFlBQVksQ0FBQztBQUN4RCxVQUFNLE1BQU0sSUFBSSxFQUNiLE9BQU8sRUFBRSxTQUFTLE9BQU8sT0FBTyxTQUFTLENBQUMsRUFBRSxLQUFLLENBQUMsRUFDbEQsS0FBSyxFQUNMLFFBQVE7QUFBQSxFQUNiLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyw2RUFBNkUsWUFBWTtBQUM1RixRQUFNLEVBQUUsUUFBQUQsVUFBUSxLQUFLLElBQUksTUFBTSxXQUFXO0FBQzFDLFFBQU0sTUFBTSxLQUFLLEtBQUssT0FBTyxDQUFDLE1BQU0sRUFBRSxZQUFZLEVBQUU7QUFDcEQsUUFBTSxLQUFLLENBQUMsWUFBb0IsS0FBSyxLQUFLLE9BQU8sQ0FBQyxNQUFNLEVBQUUsWUFBWSxPQUFPO0FBQzdFLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxPQUFPO0FBQ3BDLFVBQU1ELE9BQU0sTUFBTSxLQUFLLEtBQUssTUFBTTtBQUNsQyxVQUFNLEtBQUssV0FBVyxnQkFBZ0IsRUFBRSxhQUFhLE1BQU07QUFDM0QsVUFBTUEsT0FBTSxNQUFNLElBQUksTUFBTTtBQUM1QixVQUFNLElBQUksTUFBTSxZQUFZLE1BQU07QUFDbEMsVUFBTSxLQUFLLFdBQVcsZ0JBQWdCLEVBQUUsYUFBYSxFQUFFO0FBQ3ZELFVBQU0sS0FBSyxXQUFXLG1CQUFtQixFQUFFLE1BQU07QUFDakQsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLFNBQVMsT0FBTyxDQUFDLEVBQUUsTUFBTTtBQUN2RCxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxVQUFVLENBQUMsRUFBRSxNQUFNO0FBQzFELFVBQU0sS0FBSyxTQUFTLE1BQU0sUUFBUTtBQUNsQyxVQUFNQSxPQUFNLE1BQU0sR0FBRyxNQUFNLEVBQUUsU0FBUyxHQUFHLFNBQVMsRUFBRSxNQUFNO0FBQzFELFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU1BLE9BQU0sTUFBTSxHQUFHLE1BQU0sRUFBRSxTQUFTLEdBQUcsU0FBUyxFQUFFLE1BQU07QUFDMUQsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sMEJBQTBCLENBQUMsRUFBRSxNQUFNO0FBQzFFLFVBQU1BLE9BQU0sTUFBTSxHQUFHLFNBQVMsRUFBRSxNQUFNO0FBQ3RDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssU0FBUyxLQUFLLGFBQWE7QUFDdEMsVUFBTUEsT0FBTSxNQUFNLElBQUksT0FBTyxDQUFDLE1BQU0sRUFBRSxLQUFLLFNBQVMsYUFBYSxDQUFDLEVBQUUsTUFBTTtBQUMxRSxVQUFNLEtBQUssUUFBUSxxQkFBcUIsRUFBRSxTQUFTLGNBQWMsQ0FBQyxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3BGLFVBQU0sS0FBSyxXQUFXLGtCQUFrQixFQUFFLGFBQWEsTUFBTTtBQUM3RCxVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsU0FBUyxvQkFBb0IsQ0FBQyxFQUFFLFFBQVE7QUFDdkUsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0scUJBQXFCLENBQUMsRUFBRSxNQUFNO0FBQ3JFLFVBQU1BLE9BQU0sTUFBTSxLQUFLLEtBQUssTUFBTTtBQUNsQyxVQUFNLEtBQUssV0FBVyxrQkFBa0IsRUFBRSxhQUFhLE9BQU87QUFDOUQsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLEtBQUssb0JBQW9CO0FBQ3ZELFVBQU1BLE9BQU0sTUFBTSxLQUFLLEtBQUssT0FBTyxDQUFDLE1BQU0scUJBQXFCLEtBQUssRUFBRSxJQUFJLENBQUMsRUFBRSxNQUFNO0FBQ25GLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLFVBQVU7QUFDN0MsVUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFNBQVMsOEJBQThCLENBQUMsRUFBRSxRQUFRO0FBQ3BGLFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQkFBZ0IsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssbUVBQW1FLFlBQVk7QUFDbEYsUUFBTSxFQUFFLFFBQUFDLFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLFdBQVcsS0FBSyxLQUFLLE9BQU8sQ0FBQyxNQUFNLEVBQUUsV0FBVyxnQkFBZ0IsTUFBTSxjQUFjO0FBQzFGLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxzQkFBc0I7QUFDbkQsVUFBTSxNQUFNLElBQUksRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUNoQyxVQUFNLFVBQVUsS0FBSyxRQUFRLGNBQWM7QUFDM0MsVUFBTSxRQUFRLFFBQVE7QUFDdEIsSUFBQUMsU0FBTztBQUFBLE1BQ0osTUFBTSxRQUFRLFlBQVk7QUFBQSxNQUMzQjtBQUFBLElBQ0Y7QUFDQSxVQUFNLEtBQUssT0FBTztBQUNsQixVQUFNLFFBQVEsUUFBUTtBQUN0QixVQUFNLFlBQVksUUFBUSxRQUFRLHFCQUFxQixFQUFFLFNBQVMsaUJBQWlCLENBQUM7QUFDcEYsVUFBTSxVQUFVLE1BQU07QUFDdEIsVUFBTSxVQUFVLFVBQVUsVUFBVSxFQUFFLE1BQU0sT0FBTyxDQUFDLEVBQUUsTUFBTTtBQUM1RCxVQUFNLElBQUksTUFBTSxTQUFTLDZCQUE2QjtBQUN0RCxVQUFNLEtBQUssV0FBVyxnQkFBZ0IsRUFBRSxhQUFhLEVBQUU7QUFDdkQsVUFBTUYsT0FBTSxNQUFNLFNBQVMsTUFBTTtBQUNqQyxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxxQ0FBcUMsQ0FBQyxFQUFFLE1BQU07QUFDckYsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sY0FBYyxDQUFDLEVBQUUsTUFBTTtBQUM5RCxVQUFNLEtBQUssV0FBVyxhQUFhLEVBQUUsT0FBTyxLQUFLLENBQUMsRUFBRSxLQUFLLFNBQVM7QUFDbEUsVUFBTSxLQUFLLFdBQVcsT0FBTyxFQUFFLEtBQUssR0FBRztBQUN2QyxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTUEsT0FBTSxNQUFNLEtBQUssS0FBSyxPQUFPLENBQUMsTUFBTSxFQUFFLFdBQVcsWUFBWSxDQUFDLEVBQUUsTUFBTTtBQUFBLEVBQzlFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyw4RUFBOEUsWUFBWTtBQUM3RixRQUFNLEVBQUUsUUFBQUMsVUFBUSxLQUFLLElBQUksTUFBTSxXQUFXO0FBQzFDLFFBQU0sU0FBUyxDQUFDLEdBQUcsS0FBSyxJQUFJLEVBQUUsS0FBSyxDQUFDLEdBQUcsTUFBTSxFQUFFLE9BQU8sRUFBRSxJQUFJLEVBQUUsS0FBSyxDQUFDLE1BQU0sRUFBRSxhQUFhLEVBQUU7QUFDM0YsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLHNCQUFzQjtBQUNuRCxVQUFNLE1BQU0sSUFBSSxFQUFFLE1BQU0sRUFBRSxNQUFNO0FBQ2hDLFVBQU0sS0FBSyxVQUFVLFFBQVEsRUFBRSxNQUFNLFNBQVMsT0FBTyxLQUFLLENBQUMsRUFBRSxNQUFNO0FBQ25FLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLGlCQUFpQixDQUFDLEVBQUUsUUFBUTtBQUN6RSxJQUFBQyxTQUFPLE1BQU1ILE9BQU0sTUFBTSxPQUFPLEdBQUcsT0FBTyxLQUFLO0FBQy9DLElBQUFHLFNBQU8sTUFBTUgsT0FBTSxNQUFNLE1BQU0sR0FBRyxPQUFPLElBQUk7QUFDN0MsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU1JLFFBQU8sS0FBSyxRQUFRLHFCQUFxQjtBQUMvQyxVQUFNQSxNQUFLLFFBQVEsYUFBYSxFQUFFLFNBQVMsZUFBZSxDQUFDLEVBQUUsUUFBUTtBQUNyRSxJQUFBRCxTQUFPO0FBQUEsTUFDTCxNQUFNQyxNQUFLLFFBQVEsV0FBVyxFQUFFLE1BQU07QUFBQSxNQUN0QyxLQUFLLEtBQUssT0FBTyxDQUFDLE1BQU0sRUFBRSxTQUFTLE9BQU8sSUFBSSxFQUFFO0FBQUEsSUFDbEQ7QUFDQSxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxnQkFBZ0IsT0FBTyxLQUFLLENBQUMsRUFBRSxNQUFNO0FBQzVFLFVBQU0sVUFBVSxLQUFLLEtBQUssT0FBTyxDQUFDLE1BQU0sRUFBRSxVQUFVLE9BQU8sS0FBSztBQUNoRSxVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBYSxNQUFNQSxNQUFLLFFBQVEsV0FBVyxFQUFFLE1BQU0sTUFBTyxRQUFRO0FBQUEsSUFDcEU7QUFDQSxVQUFNLFdBQVcsTUFBTSxZQUFZO0FBQ25DLFVBQU0sS0FBSyxVQUFVLFFBQVEsRUFBRSxNQUFNLGVBQWUsQ0FBQyxFQUFFLE1BQU07QUFDN0QsVUFBTUgsT0FBTSxNQUFNLFFBQVEsTUFBTTtBQUNoQyxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxRQUFRLENBQUMsRUFBRSxRQUFRO0FBQzFELFVBQU0sS0FBSyxLQUFLLEdBQUdDLFNBQU8sR0FBRyxzQkFBc0I7QUFDbkQsVUFBTSxNQUFNLElBQUksRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUNoQyxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSx1QkFBdUIsQ0FBQyxFQUFFLE1BQU07QUFDckUsVUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsUUFBUTtBQUM5QyxJQUFBQyxTQUFPLE1BQU1ILE9BQU0sTUFBTSxPQUFPLEdBQUcsU0FBUztBQUM1QyxJQUFBRyxTQUFPLEdBQUcsS0FBSyxJQUFJLE9BQU9ILE9BQU0sTUFBTSxNQUFNLENBQUMsSUFBSSxPQUFPLElBQUksSUFBSSxJQUFNO0FBQ3RFLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxVQUFVLFFBQVEsRUFBRSxNQUFNLHNCQUFzQixDQUFDLEVBQUUsTUFBTTtBQUNwRSxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxPQUFPLENBQUMsRUFBRSxRQUFRO0FBQUEsRUFDM0QsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDZFQUE2RSxZQUFZO0FBQzVGLFFBQU0sRUFBRSxRQUFBRSxVQUFRLEtBQUssSUFBSSxNQUFNLFdBQVc7QUFDMUMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLE9BQU87QUFDcEMsVUFBTUQsT0FBTSxNQUFNLEtBQUssS0FBSyxNQUFNO0FBQ2xDLFVBQU1JLFNBQVEsS0FBSyxRQUFRLHdCQUF3QjtBQUNuRCxVQUFNLE1BQU8sTUFBTUEsT0FBTSxZQUFZO0FBQ3JDLFVBQU0sS0FBSyxNQUFNLEtBQUssSUFBSSxJQUFJLElBQUksUUFBUSxLQUFLLElBQUksSUFBSSxFQUFFO0FBQ3pELFVBQU0sS0FBSyxNQUFNLEtBQUs7QUFDdEIsVUFBTSxLQUFLLE1BQU0sS0FBSyxJQUFJLElBQUksSUFBSSxRQUFRLEtBQUssSUFBSSxJQUFJLElBQUksRUFBRSxPQUFPLEVBQUUsQ0FBQztBQUN2RSxVQUFNLEtBQUssTUFBTSxHQUFHO0FBQ3BCLFVBQU0sV0FBVyxxQkFBcUIsWUFBWSxXQUFXLEtBQUtMLE9BQU0sTUFBTSxNQUFNLEtBQUssRUFBRSxDQUFDO0FBQzVGLFVBQU0sQ0FBQyxNQUFNLEVBQUUsSUFBSSxDQUFDLE9BQU9BLE9BQU0sTUFBTSxNQUFNLENBQUMsR0FBRyxPQUFPQSxPQUFNLE1BQU0sSUFBSSxDQUFDLENBQUM7QUFDMUUsVUFBTUMsT0FBTSxNQUFNLEtBQUssS0FBSyxPQUFPLENBQUMsTUFBTSxFQUFFLFFBQVEsUUFBUSxFQUFFLE9BQU8sRUFBRSxFQUFFLE1BQU07QUFDL0UsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTUEsT0FBTSxNQUFNLEtBQUssS0FBSyxNQUFNO0FBQ2xDLFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsTUFBTTtBQUNyRSxVQUFNQSxPQUFNLE1BQU0sS0FBSyxLQUFLLE9BQU8sQ0FBQyxNQUFNLEVBQUUsWUFBWSxFQUFFLEVBQUUsTUFBTTtBQUNsRSxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsZUFBVyxPQUFPLENBQUMsT0FBTyxhQUFhLG1CQUFtQixPQUFPO0FBQy9ELFlBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUMvQixVQUFNLFdBQVcsZUFBZSxZQUFZLFdBQVcsS0FBS0QsT0FBTSxNQUFNLE1BQU0sS0FBSyxFQUFFLENBQUM7QUFBQSxFQUN4RixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMkVBQTJFLFlBQVk7QUFDMUYsUUFBTSxFQUFFLFFBQUFFLFNBQU8sSUFBSSxNQUFNLFdBQVc7QUFDcEMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLE9BQU87QUFDcEMsVUFBTSxNQUFNLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNsQyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3JDLFVBQU0sS0FBSyxTQUFTLE1BQU0sV0FBVztBQUNyQyxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxLQUFLLFFBQVEseUJBQXlCLEVBQUUsUUFBUTtBQUN0RCxVQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDckMsVUFBTSxXQUFXLFVBQVUsWUFBYSxNQUFNLEtBQUssUUFBUSxjQUFjLEVBQUUsTUFBTSxNQUFPLENBQUM7QUFDekYsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLDJDQUEyQztBQUN4RSxVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsU0FBUywrQkFBK0IsQ0FBQyxFQUFFLFFBQVE7QUFDbEYsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sMkJBQTJCLENBQUMsRUFBRSxNQUFNO0FBQzNFLFVBQU0sTUFBTSxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFBQSxFQUNwQyxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMENBQTBDLFlBQVk7QUFDekQsUUFBTSxFQUFFLFFBQUFBLFVBQVEsR0FBRyxJQUFJLE1BQU0sV0FBVztBQUN4QyxRQUFNLFNBQVM7QUFBQSxJQUNiLGNBQWMsR0FBRyxLQUFLLEdBQU07QUFBQSxJQUM1QixnQkFBZ0I7QUFBQSxJQUNoQixNQUFNLEVBQUUsYUFBYSxxREFBcUQ7QUFBQSxJQUMxRSxZQUFZLENBQUMsRUFBRSxLQUFLLFlBQVksT0FBTyxFQUFFLGFBQWEscUJBQXFCLEVBQUUsQ0FBQztBQUFBLEVBQ2hGO0FBQ0EsUUFBTSxTQUFTLE1BQU0sTUFBTSxHQUFHQSxTQUFPLEdBQUcsWUFBWTtBQUFBLElBQ2xELFFBQVE7QUFBQSxJQUNSLFNBQVMsRUFBRSxnQkFBZ0IsbUJBQW1CO0FBQUEsSUFDOUMsTUFBTSxLQUFLLFVBQVU7QUFBQSxNQUNuQixjQUFjO0FBQUEsUUFDWjtBQUFBLFVBQ0UsVUFBVTtBQUFBLFlBQ1IsWUFBWSxDQUFDLEVBQUUsS0FBSyxnQkFBZ0IsT0FBTyxFQUFFLGFBQWEsaUJBQWlCLEVBQUUsQ0FBQztBQUFBLFVBQ2hGO0FBQUEsVUFDQSxXQUFXLENBQUMsRUFBRSxZQUFZLENBQUMsTUFBTSxFQUFFLENBQUM7QUFBQSxRQUN0QztBQUFBLE1BQ0Y7QUFBQSxJQUNGLENBQUM7QUFBQSxFQUNILENBQUM7QUFDRCxFQUFBQyxTQUFPLE1BQU0sT0FBTyxRQUFRLEdBQUc7QUFDL0IsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0QsU0FBTyxHQUFHLGlCQUFpQixtQkFBbUIsZ0JBQWdCLENBQUMsRUFBRTtBQUNwRixVQUFNLE1BQU0sSUFBSSxFQUFFLE1BQU0sRUFBRSxNQUFNO0FBQ2hDLFVBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxTQUFTLHFCQUFxQixDQUFDLEVBQUUsUUFBUTtBQUMzRSxJQUFBQyxTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEseUNBQXlDLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFBQSxFQUN2RixDQUFDO0FBQ0gsQ0FBQzs7O0FHM09ELE9BQU9HLGNBQVk7QUFPbkIsSUFBTUMsU0FBUSxLQUFLLE1BQU0sS0FBSyxJQUFJLElBQUksR0FBSSxJQUFJLE1BQU87QUFDckQsSUFBSUMsU0FBZ0M7QUFHcEMsU0FBU0MsVUFBMEI7QUFDakMsRUFBQUQsWUFBVyxZQUFZO0FBQ3JCLFVBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsVUFBTSxVQUFVLENBQUMsR0FBVyxPQUFlRSxNQUFLLE1BQzlDLE1BQU0sS0FBSyxFQUFFLFFBQVEsRUFBRSxHQUFHLENBQUMsR0FBRyxPQUFPLEVBQUUsTUFBTUgsU0FBUUcsTUFBSyxJQUFJLEtBQUssTUFBTSxFQUFFO0FBQzdFLFVBQU0sWUFBWSxFQUFFLEtBQUssT0FBTztBQUFBLE1BQzlCLEdBQUcsUUFBUSxHQUFHLDZCQUE2QjtBQUFBLE1BQzNDLEdBQUcsUUFBUSxHQUFHLCtCQUErQixHQUFJO0FBQUEsSUFDbkQsQ0FBQztBQUNELFVBQU0sWUFBWSxFQUFFLEtBQUssVUFBVSxRQUFRLEdBQUcsOEJBQThCLEdBQUksQ0FBQztBQUNqRixXQUFPO0FBQUEsRUFDVCxHQUFHO0FBQ0gsU0FBT0Y7QUFDVDtBQUVBLElBQU1HLFFBQU8sQ0FBQyxTQUFlLEtBQUssUUFBUSwrQ0FBK0M7QUFDekYsSUFBTUMsU0FBUSxDQUFDLE1BQVksU0FBaUIsSUFBSSxJQUFJLEtBQUssSUFBSSxDQUFDLEVBQUUsYUFBYSxPQUFPLElBQUk7QUFFeEYsV0FBVyxTQUFTLENBQUMsU0FBUyxNQUFNO0FBQ2xDLE9BQUssZ0VBQWdFLEtBQUssSUFBSSxZQUFZO0FBQ3hGLFVBQU0sSUFBSSxNQUFNSCxRQUFPO0FBQ3ZCLFVBQU0sU0FBUyxFQUFFLGFBQWEsTUFBTSxHQUFHLE9BQU8sU0FBUztBQUNyRCxZQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxvQ0FBb0M7QUFDNUQsWUFBTUUsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsWUFBTSxRQUFRLE1BQU1BLE1BQUssSUFBSSxFQUFFLGdCQUFnQjtBQUMvQyxNQUFBRSxTQUFPLEdBQUcsTUFBTSxLQUFLLENBQUMsTUFBTSx3QkFBd0IsS0FBSyxDQUFDLENBQUMsR0FBRyxNQUFNLEtBQUssSUFBSSxDQUFDO0FBQzlFLE1BQUFBLFNBQU8sR0FBRyxNQUFNLEtBQUssQ0FBQyxNQUFNLDJCQUEyQixLQUFLLENBQUMsQ0FBQyxHQUFHLE1BQU0sS0FBSyxJQUFJLENBQUM7QUFDakYsWUFBTUYsTUFBSyxJQUFJLEVBQUUsT0FBTyxFQUFFLFNBQVMsbUJBQWdCLENBQUMsRUFBRSxNQUFNO0FBQzVELFlBQU07QUFBQSxRQUNKO0FBQUEsUUFDQSxZQUFZQyxPQUFNLE1BQU0sVUFBVSxFQUFFLENBQUMsTUFBTTtBQUFBLE1BQzdDO0FBQ0EsTUFBQUMsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLG9CQUFvQixFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ2hFLFlBQU0sV0FBVyxNQUFNLFdBQVcsS0FBSyxFQUFFO0FBQUEsSUFDM0MsQ0FBQztBQUFBLEVBQ0gsQ0FBQztBQUVILEtBQUssc0VBQXNFLFlBQVk7QUFDckYsUUFBTSxJQUFJLE1BQU1KLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLO0FBQUEsTUFDVCxHQUFHLEVBQUUsR0FBRyxvREFBb0QsbUJBQW1CLGFBQWMsQ0FBQztBQUFBLElBQ2hHO0FBQ0EsVUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxPQUFPLENBQUMsRUFBRSxRQUFRO0FBQ2pFLFVBQU0sUUFBUSxNQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsYUFBYSxZQUFZO0FBQzNFLFVBQU0sV0FBVyxpQkFBaUIsWUFBWSxlQUFlLEtBQU0sTUFBTSxNQUFNLEtBQU0sRUFBRSxDQUFDO0FBRXhGLFVBQU0sS0FBSyxTQUFTLE1BQU0sUUFBUTtBQUNsQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxtQ0FBbUM7QUFDM0QsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLE1BQU07QUFDMUMsZUFBVyxPQUFPLENBQUMsUUFBUSxhQUFhLGFBQWEsY0FBYyxPQUFPO0FBQ3hFLFlBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUMvQixVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBWUcsT0FBTSxNQUFNLE1BQU0sRUFBRSxLQUFLLE1BQU07QUFBQSxJQUM3QztBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLCtEQUErRCxZQUFZO0FBQzlFLFFBQU0sSUFBSSxNQUFNSCxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSztBQUFBLE1BQ1QsR0FBRyxFQUFFLEdBQUcsaURBQWlELG1CQUFtQixhQUFjLENBQUM7QUFBQSxJQUM3RjtBQUNBLFVBQU0sS0FBSyxRQUFRLG1CQUFtQixFQUFFLFNBQVMsd0JBQXdCLENBQUMsRUFBRSxRQUFRO0FBQ3BGLElBQUFJLFNBQU87QUFBQSxPQUNILE1BQU0sS0FBSyxRQUFRLGdCQUFnQixFQUFFLFlBQVksS0FBTSxJQUFJLEtBQUs7QUFBQSxNQUNsRTtBQUFBLElBQ0Y7QUFDQSxVQUFNLEtBQUssUUFBUSwyQ0FBMkMsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFDM0YsSUFBQUEsU0FBTztBQUFBLE1BQ0wsTUFBTSxLQUFLLFFBQVEsMkNBQTJDLEVBQUUsU0FBUyxRQUFRLENBQUMsRUFBRSxNQUFNO0FBQUEsTUFDMUY7QUFBQSxJQUNGO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQzs7O0FDeEZELE9BQU9DLGNBQVk7QUFDbkIsU0FBUyxRQUFBQyxjQUFZO0FBSXJCLElBQUlDLFVBQVM7QUFFYixTQUFTLE9BQU8sU0FBaUIsTUFBd0I7QUFDdkQsRUFBQUEsWUFBVyxVQUFVO0FBQ3JCLFFBQU0sTUFBTUMsT0FBS0QsU0FBUSxHQUFHLElBQUksT0FBTztBQUN2QyxNQUFJLFNBQVMsR0FBRyxNQUFNLE1BQU0sR0FBRztBQUMvQixTQUFPLFVBQVUsR0FBRztBQUN0QjtBQUVBLElBQU0sVUFBVSxNQUFNLE9BQU8sWUFBWUMsT0FBSyxZQUFZLHlCQUF5QixDQUFDO0FBRXBGLFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxhQUFXLFNBQVMsQ0FBQyxNQUFNLE1BQU0sR0FBRztBQUNsQyxTQUFLLHNDQUFzQyxLQUFLLEtBQUssS0FBSyxTQUFTLE1BQ2pFO0FBQUEsTUFDRSxFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxRQUFRLFVBQVUsTUFBTSxNQUFNLElBQUksRUFBRTtBQUFBLE1BQzdFLE9BQU8sU0FBUztBQUNkLGNBQU0sS0FBSyxLQUFLLFFBQVEsQ0FBQztBQUN6QixjQUFNLEtBQUssUUFBUSxvQkFBb0IsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUN6RCxRQUFBQyxTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsTUFBTSxFQUFFLGFBQWEsWUFBWSxHQUFHLEtBQUs7QUFDekUsUUFBQUEsU0FBTztBQUFBLFVBQ0osTUFBTSxLQUFLLFFBQVEsd0JBQXdCLEVBQUUsTUFBTSxFQUFFLFlBQVk7QUFBQSxVQUNsRTtBQUFBLFFBQ0Y7QUFDQSxjQUFNLFVBQVUsTUFBTSxLQUFLO0FBQUEsVUFDekIsTUFBTSxTQUFTLGdCQUFnQixjQUFjO0FBQUEsUUFDL0M7QUFDQSxRQUFBQSxTQUFPLE1BQU0sU0FBUyxPQUFPLGlDQUFpQztBQUM5RCxjQUFNLFdBQVcsTUFBTSxRQUFRLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFBQSxNQUNqRDtBQUFBLElBQ0YsQ0FBQztBQUVQLEtBQUssc0VBQXNFLE1BQ3pFLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUMzQixRQUFNLEtBQUs7QUFBQSxJQUNUO0FBQUEsTUFDRTtBQUFBLE1BQ0EsT0FBT0QsT0FBSyxVQUFVLEdBQUcsVUFBVSxHQUFHO0FBQUEsUUFDcEMsbUJBQW1CO0FBQUEsUUFDbkIsY0FBYztBQUFBLFFBQ2QsY0FBYztBQUFBLE1BQ2hCLENBQUM7QUFBQSxJQUNIO0FBQUEsRUFDRjtBQUNBLFFBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLE9BQU87QUFDMUMsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUFhLFlBQzVCLHNCQUFzQixLQUFNLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxZQUFZLEtBQU0sRUFBRTtBQUFBLEVBQ3JGO0FBQ0EsRUFBQUMsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ3BFLFFBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLEtBQUs7QUFDeEMsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUFhLFlBQzVCLHFCQUFxQixLQUFNLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxZQUFZLEtBQU0sRUFBRTtBQUFBLEVBQ3BGO0FBQ0EsRUFBQUEsU0FBTyxNQUFNLEtBQUssSUFBSSxHQUFHLFVBQVU7QUFDckMsQ0FBQyxDQUFDO0FBRUosS0FBSywyRUFBMkUsTUFDOUUsU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQzNCLFFBQU0sTUFBTSxRQUFRO0FBQ3BCLFFBQU0sS0FBSyxLQUFLLEdBQUc7QUFDbkIsUUFBTSxLQUFLLFFBQVEsb0JBQW9CLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDekQsUUFBTSxXQUFXLGFBQWEsWUFBWTtBQUN4QyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsV0FBTyxLQUFLLFNBQVMsTUFBTSxTQUFTLGVBQWUsT0FBTyxRQUFRO0FBQUEsRUFDcEUsQ0FBQztBQUNELFFBQU0sS0FBSyxTQUFTLEtBQUssTUFBTTtBQUMvQixRQUFNO0FBQUEsSUFBVztBQUFBLElBQWEsWUFDNUIsV0FBVyxLQUFNLE1BQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxZQUFZLEtBQU0sRUFBRTtBQUFBLEVBQzFFO0FBQ0EsUUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLFFBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixRQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsUUFBUTtBQUN2QyxRQUFNLFdBQVcsTUFBTSxXQUFXO0FBQ2xDLFFBQU0sS0FBSyxTQUFTLE1BQU0sUUFBUTtBQUNsQyxRQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsUUFBUSxFQUFFLE9BQU8sV0FBVyxDQUFDO0FBQzVELFdBQ00sSUFBSSxHQUNSLElBQUksT0FBUSxNQUFNLEtBQUssU0FBUyxNQUFNLFNBQVMsZUFBZSxTQUFTLE1BQU8sZ0JBQzlFO0FBRUEsVUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3ZDLGFBQVcsT0FBTyxDQUFDLGFBQWEsYUFBYSxPQUFPLEVBQUcsT0FBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQ3BGLFFBQU0sV0FBVyxZQUFZLFlBQVksS0FBSyxJQUFJLEVBQUUsU0FBUyxPQUFPLENBQUM7QUFDckUsUUFBTUMsVUFBUyxNQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsVUFBVTtBQUM3RCxRQUFNLFNBQVMsTUFBTUEsUUFBTztBQUM1QixFQUFBRCxTQUFPLE1BQU0sUUFBUSxZQUFZO0FBQ2pDLFFBQU0sT0FBTyxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRTtBQUNqQyxRQUFNLEtBQUssS0FBSyxhQUFhO0FBQzdCLFFBQU0sS0FBSyxLQUFLLE1BQU0sSUFBSTtBQUMxQixRQUFNO0FBQUEsSUFDSjtBQUFBLElBQ0EsWUFDRyxNQUFNQyxRQUFPLE1BQU8sVUFBVyxNQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsV0FBVyxNQUFPO0FBQUEsRUFDcEY7QUFDRixDQUFDLENBQUM7QUFFSixLQUFLLDJDQUEyQyxNQUM5QyxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDM0IsUUFBTSxLQUFLLEtBQUssUUFBUSxDQUFDO0FBQ3pCLFFBQU1DLFNBQVEsS0FBSyxXQUFXLGNBQWM7QUFDNUMsRUFBQUYsU0FBTyxVQUFVLE1BQU1FLE9BQU0sUUFBUSxRQUFRLEVBQUUsY0FBYyxHQUFHLENBQUMsV0FBVyxLQUFLLENBQUM7QUFDbEYsUUFBTUEsT0FBTSxhQUFhLEVBQUUsT0FBTyxVQUFVLENBQUM7QUFDN0MsUUFBTTtBQUFBLElBQVc7QUFBQSxJQUFxQixhQUNuQyxNQUFNLEtBQUssUUFBUSxhQUFhLEVBQUUsVUFBVSxHQUFHLFdBQVcsTUFBTTtBQUFBLEVBQ25FO0FBQ0EsRUFBQUYsU0FBTyxNQUFNLEtBQUssSUFBSSxHQUFHLFNBQVM7QUFDcEMsQ0FBQyxDQUFDO0FBRUosS0FBSyx1RUFBdUUsTUFDMUUsU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQzNCLFFBQU0sS0FBSyxLQUFLLFFBQVEsQ0FBQztBQUN6QixRQUFNLEtBQUssUUFBUSxnQkFBZ0IsRUFBRSxTQUFTLG1CQUFtQixDQUFDLEVBQUUsTUFBTSxFQUFFLE1BQU07QUFDbEYsRUFBQUEsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLG9CQUFvQixFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ2hFLFFBQU0sV0FBVyxNQUFNLGVBQWU7QUFDdEMsUUFBTSxLQUFLLFdBQVcsTUFBTSxFQUFFLGFBQWEsT0FBTztBQUNsRCxFQUFBQSxTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ3BELFFBQU0sV0FBVyxNQUFNLFlBQVk7QUFDbkMsUUFBTSxLQUFLLFdBQVcsTUFBTSxFQUFFLGFBQWEsT0FBTztBQUNsRCxRQUFNLEtBQUssV0FBVyxNQUFNLEVBQUUsYUFBYSxPQUFPO0FBQ2xELFFBQU0sS0FBSyxXQUFXLFVBQVUsRUFBRSxhQUFhLE1BQU07QUFDckQsUUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLFNBQVMsU0FBUyxDQUFDLEVBQUUsUUFBUSxRQUFRLEVBQUUsYUFBYSxNQUFNO0FBQ3hGLFFBQU07QUFBQSxJQUFXO0FBQUEsSUFBYyxZQUM3QixLQUFLLEtBQUssTUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFVBQVUsQ0FBQztBQUFBLEVBQzNEO0FBQ0EsUUFBTSxXQUFXLE1BQU0saUJBQWlCO0FBQzFDLENBQUMsQ0FBQztBQUVKLEtBQUssa0NBQWtDLE1BQ3JDLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUMzQixRQUFNLEtBQUssS0FBSyxRQUFRLENBQUM7QUFDekIsYUFBVyxDQUFDLFFBQVEsSUFBSSxLQUFLO0FBQUEsSUFDM0IsQ0FBQyxPQUFPLG9CQUFvQjtBQUFBLElBQzVCLENBQUMsT0FBTyxvQkFBb0I7QUFBQSxFQUM5QixHQUFZO0FBQ1YsVUFBTSxDQUFDRyxTQUFRLElBQUksTUFBTSxRQUFRLElBQUk7QUFBQSxNQUNuQyxLQUFLLGFBQWEsVUFBVTtBQUFBLE1BQzVCLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxPQUFPLENBQUMsRUFBRSxNQUFNO0FBQUEsSUFDbkQsQ0FBQztBQUNELElBQUFILFNBQU8sTUFBTUcsVUFBUyxrQkFBa0IsR0FBRyxJQUFJO0FBQUEsRUFDakQ7QUFDRixDQUFDLENBQUM7QUFFSixLQUFLLHFGQUFxRixNQUN4RixTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDM0IsT0FBSyxHQUFHLFVBQVUsQ0FBQyxNQUFNLEtBQUssV0FBVyxLQUFLLFdBQVcsRUFBRSxRQUFRLENBQUMsRUFBRSxDQUFDO0FBQ3ZFLFFBQU1DLFNBQVE7QUFBQSxJQUNaO0FBQUEsSUFDQTtBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQSxJQUFJLE9BQU8sS0FBTTtBQUFBLElBQ2pCO0FBQUEsRUFDRjtBQUNBLFFBQU0sS0FBSztBQUFBLElBQ1Q7QUFBQSxNQUNFO0FBQUEsTUFDQTtBQUFBLFFBQ0VMLE9BQUssVUFBVSxHQUFHLGdCQUFnQjtBQUFBLFFBQ2xDLE9BQU8sWUFBWUssT0FBTSxJQUFJLENBQUMsTUFBTSxNQUFNLENBQUMsUUFBUSxJQUFJLElBQUksS0FBSyxDQUFDLENBQUMsQ0FBQztBQUFBLE1BQ3JFO0FBQUEsSUFDRjtBQUFBLEVBQ0Y7QUFDQSxRQUFNLEtBQUssUUFBUSx3QkFBd0IsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUM3RCxFQUFBSixTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsd0JBQXdCLEVBQUUsTUFBTSxHQUFHSSxPQUFNLFNBQVMsQ0FBQztBQUNuRixFQUFBSixTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsS0FBSyxFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQ2pELFFBQU0sV0FBVyxNQUFNLGNBQWM7QUFDckMsUUFBTSxVQUFVLE1BQU0sS0FBSztBQUFBLElBQVMsTUFDbEMsTUFBTSxxQkFBcUIsRUFBRTtBQUFBLE1BQzNCLE1BQU07QUFBQSxNQUNOLE1BQU07QUFBQSxJQUNSO0FBQUEsRUFDRjtBQUNBLEVBQUFBLFNBQU8sTUFBTSxTQUFTLFNBQVM7QUFDL0IsT0FBSyxhQUFhLEtBQUssV0FBVztBQUFBLElBQ2hDLENBQUNLLFVBQVMsQ0FBQyxzREFBc0QsS0FBS0EsS0FBSTtBQUFBLEVBQzVFO0FBQ0YsQ0FBQyxDQUFDO0FBRUosS0FBSyw0Q0FBNEMsTUFDL0MsU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQzNCLFFBQU0sS0FBSyxLQUFLLE9BQU8sU0FBUyxPQUFPTixPQUFLLFVBQVUsR0FBRyxhQUFhLEdBQUcsRUFBRSxPQUFPLEVBQUUsQ0FBQyxDQUFDLENBQUM7QUFDdkYsRUFBQUMsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxVQUFVLEdBQUcsSUFBSTtBQUNsRSxDQUFDLENBQUM7QUFFSixLQUFLLDhEQUE4RCxNQUNqRSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDM0IsUUFBTSxLQUFLLEtBQUssUUFBUSxDQUFDO0FBQ3pCLFFBQU0sUUFBUyxNQUFNLEtBQUssUUFBUSxhQUFhLEVBQUUsWUFBWTtBQUM3RCxRQUFNTSxTQUFTLE1BQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxZQUFZO0FBQy9ELEVBQUFOLFNBQU8sR0FBRyxNQUFNLElBQUksTUFBTSxRQUFRTSxPQUFNLEtBQUtBLE9BQU0sSUFBSUEsT0FBTSxRQUFRLElBQUk7QUFDekUsRUFBQU4sU0FBTyxHQUFHTSxPQUFNLElBQUlBLE9BQU0sU0FBUyxPQUFPQSxPQUFNLElBQUlBLE9BQU0sVUFBVSxHQUFHO0FBQ3ZFLFFBQU0sT0FBUSxNQUFNLEtBQUssUUFBUSxhQUFhLEVBQUUsWUFBWTtBQUM1RCxFQUFBTixTQUFPLEdBQUcsS0FBSyxJQUFJLEtBQUssVUFBVU0sT0FBTSxJQUFJQSxPQUFNLFFBQVEseUJBQXlCO0FBQ3JGLENBQUMsQ0FBQzs7O0FDdE1KLE9BQU9DLGNBQVk7QUFDbkIsU0FBUyxRQUFBQyxjQUFZO0FBcUJyQixJQUFNQyxTQUFRLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxHQUFJLElBQUksTUFBTztBQUNyRCxJQUFJQyxTQUFnQztBQUVwQyxTQUFTQyxVQUEwQjtBQUNqQyxFQUFBRCxZQUFXLFlBQVk7QUFDckIsVUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxVQUFNLFlBQVksRUFBRSxLQUFLLFNBQVMsYUFBYUQsTUFBSyxDQUFDO0FBQ3JELFVBQU0sWUFBWSxFQUFFLEtBQUssaUJBQWlCLGNBQWNBLE1BQUssQ0FBQztBQUM5RCxNQUFFLEtBQUssT0FBT0csT0FBSyxVQUFVLEdBQUcsYUFBYSxHQUFHLEVBQUUsYUFBYSxFQUFFLENBQUMsR0FBRyxNQUFNO0FBQzNFLFdBQU87QUFBQSxFQUNULEdBQUc7QUFDSCxTQUFPRjtBQUNUO0FBRUEsSUFBTUcsUUFBTyxDQUFDLFNBQWUsS0FBSyxRQUFRLHVCQUF1QjtBQUNqRSxJQUFNLFFBQVEsQ0FBQyxNQUFZQyxVQUN6QixLQUFLLFFBQVEsOEJBQThCLEVBQUUsU0FBU0EsTUFBSyxDQUFDLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDaEYsSUFBTUMsU0FBUSxDQUFDLE1BQVksU0FBaUIsSUFBSSxJQUFJLEtBQUssSUFBSSxDQUFDLEVBQUUsYUFBYSxJQUFJLElBQUk7QUFDckYsSUFBTUMsU0FBUSxDQUFDLE1BQVksTUFDekIsV0FBVyxHQUFHLENBQUMsVUFBVSxZQUFhLE1BQU1ILE1BQUssSUFBSSxFQUFFLE1BQU0sTUFBTyxDQUFDO0FBRXZFLFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxhQUFXLFNBQVMsQ0FBQyxNQUFNLE1BQU0sR0FBRztBQUNsQyxTQUFLLDBCQUEwQixLQUFLLEtBQUssS0FBSyxTQUFTLFlBQVk7QUFDakUsWUFBTSxJQUFJLE1BQU1GLFFBQU87QUFDdkIsWUFBTTtBQUFBLFFBQ0osRUFBRSxhQUFhLE9BQU8sVUFBVSxFQUFFLE9BQU8sUUFBUSxVQUFVLE1BQU0sTUFBTSxJQUFJLEVBQUU7QUFBQSxRQUM3RSxPQUFPLFNBQVM7QUFDZCxnQkFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0NBQWtDO0FBQzFELGdCQUFNRSxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUMvQixnQkFBTSxLQUNILFFBQVEsc0RBQXNELEVBQzlELE1BQU0sRUFDTixRQUFRO0FBQ1gsZ0JBQU0sV0FBVyxNQUFNLFNBQVMsS0FBSyxJQUFJLEtBQUssRUFBRTtBQUNoRCxnQkFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsb0JBQW9CO0FBQzVDLGdCQUFNQSxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxVQUFBSSxTQUFPO0FBQUEsWUFDTCxNQUFNLEtBQUssU0FBUyxNQUFNLFNBQVMsZ0JBQWdCLGNBQWMsVUFBVTtBQUFBLFlBQzNFO0FBQUEsWUFDQTtBQUFBLFVBQ0Y7QUFDQSxnQkFBTSxXQUFXLE1BQU0sVUFBVSxLQUFLLElBQUksS0FBSyxFQUFFO0FBQ2pELGdCQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsTUFBTSxFQUFFO0FBQ2pELGdCQUFNLEtBQ0gsUUFBUSxzREFBc0QsRUFDOUQsTUFBTSxFQUNOLFFBQVE7QUFDWCxnQkFBTSxXQUFXLE1BQU0sU0FBUyxLQUFLLElBQUksS0FBSyxFQUFFO0FBQUEsUUFDbEQ7QUFBQSxNQUNGO0FBQUEsSUFDRixDQUFDO0FBRUwsS0FBSywrREFBK0QsWUFBWTtBQUM5RSxRQUFNLElBQUksTUFBTU4sUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxrQ0FBa0M7QUFDMUQsVUFBTUssT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxRQUFTLE1BQU1ILE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxZQUFZLEtBQU07QUFDMUQsSUFBQUksU0FBTyxNQUFNLE9BQU8saUJBQWlCO0FBQ3JDLElBQUFBLFNBQU87QUFBQSxNQUNKLE1BQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxNQUFNLEVBQUUsWUFBWSxLQUFNO0FBQUEsTUFDN0Q7QUFBQSxJQUNGO0FBQ0EsVUFBTUosTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsTUFBTTtBQUM5QixVQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLFVBQVUsQ0FBQyxFQUFFLFFBQVE7QUFDdEUsSUFBQUksU0FBTyxNQUFNRixPQUFNLE1BQU0sTUFBTSxHQUFHLFNBQVM7QUFDM0MsVUFBTUMsT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sY0FBYyxDQUFDLEVBQUUsTUFBTTtBQUM5RCxVQUFNLEtBQUssUUFBUSxtQkFBbUIsRUFBRSxTQUFTLFNBQVMsQ0FBQyxFQUFFLFFBQVE7QUFDckUsSUFBQUMsU0FBTyxNQUFNRixPQUFNLE1BQU0sT0FBTyxHQUFHLE1BQU07QUFDekMsVUFBTUMsT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTSxLQUFLLFVBQVUsUUFBUSxFQUFFLE1BQU0sd0JBQXdCLENBQUMsRUFBRSxNQUFNO0FBQ3RFLFVBQU1BLE9BQU0sTUFBTSxDQUFDO0FBQ25CLElBQUFDLFNBQU8sTUFBTSxJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRSxVQUFVLFNBQVM7QUFBQSxFQUN0RCxDQUFDO0FBQ0gsQ0FBQztBQUVELElBQUksU0FBaUM7QUFHckMsU0FBUyxlQUFnQztBQUN2QyxjQUFZLFlBQVk7QUFDdEIsVUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxVQUFNLFlBQVksRUFBRSxLQUFLLFNBQVMsYUFBYVIsTUFBSyxDQUFDO0FBQ3JELFVBQU0sWUFBWSxFQUFFLEtBQUssaUJBQWlCLGNBQWNBLE1BQUssQ0FBQztBQUM5RCxVQUFNLFVBQVUsRUFBRSxLQUFLQSxRQUFPLFVBQVU7QUFDeEMsV0FBTztBQUFBLEVBQ1QsR0FBRztBQUNILFNBQU87QUFDVDtBQUVBLElBQU1TLFNBQVEsT0FBTyxNQUFZLE9BQzlCLE1BQU1MLE1BQUssSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLFFBQVEsaUJBQWlCLEVBQUUsZ0JBQWdCLEdBQUcsSUFBSSxDQUFDLE1BQU0sRUFBRSxLQUFLLENBQUM7QUFFNUYsS0FBSyw2RkFBNkYsWUFBWTtBQUM1RyxRQUFNLElBQUksTUFBTSxhQUFhO0FBQzdCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGlCQUFpQixNQUFNLEVBQUU7QUFDakQsVUFBTUcsT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxRQUFRLE1BQU0sUUFBUSxJQUFJLENBQUMsR0FBRyxHQUFHLEdBQUcsQ0FBQyxFQUFFLElBQUksQ0FBQyxNQUFNRSxPQUFNLE1BQU0sQ0FBQyxDQUFDLENBQUM7QUFDdkUsSUFBQUQsU0FBTztBQUFBLE1BQ0wsTUFBTSxJQUFJLENBQUMsQ0FBQyxNQUFNLEVBQUssVUFBTyxNQUFNLENBQUMsTUFBTSxHQUFHLE9BQU8sQ0FBQztBQUFBLE1BQ3REO0FBQUEsUUFDRSxDQUFDLDZCQUF3QixVQUFVLFVBQVUsVUFBVSxRQUFRO0FBQUEsUUFDL0QsQ0FBQyxxQ0FBZ0MsVUFBVSxVQUFVLFdBQVcsU0FBUztBQUFBLFFBQ3pFLENBQUMsK0JBQStCLFVBQVUsVUFBVSxXQUFXLFNBQVM7QUFBQSxRQUN4RSxDQUFDLDZCQUE2QixXQUFXLFdBQVcsVUFBSyxRQUFHO0FBQUEsTUFDOUQ7QUFBQSxJQUNGO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0wsTUFBTSxRQUFRLElBQUksQ0FBQyxHQUFHLEdBQUcsR0FBRyxDQUFDLEVBQUUsSUFBSSxDQUFDLE1BQU1KLE1BQUssSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLGFBQWEsWUFBWSxDQUFDLENBQUM7QUFBQSxNQUN2RixDQUFDLEtBQUssS0FBSyxLQUFLLEdBQUc7QUFBQSxJQUNyQjtBQUNBLFVBQU0sUUFBUSxNQUFNLFFBQVE7QUFBQSxNQUMxQixDQUFDLEdBQUcsQ0FBQyxFQUFFLElBQUksT0FBTyxNQUFPLE1BQU1BLE1BQUssSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLFFBQVEsV0FBVyxFQUFFLFlBQVksQ0FBRztBQUFBLElBQ3ZGO0FBQ0EsSUFBQUksU0FBTztBQUFBLE1BQ0wsS0FBSyxLQUFLLE1BQU0sQ0FBQyxFQUFFLElBQUksTUFBTSxDQUFDLEVBQUUsS0FBSyxNQUFNLENBQUMsRUFBRSxRQUFRLE9BQU8sSUFBSSxJQUFJO0FBQUEsTUFDckU7QUFBQSxJQUNGO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0wsS0FBSyxJQUFJLE1BQU0sQ0FBQyxFQUFFLFFBQVEsTUFBTSxDQUFDLEVBQUUsUUFBUSxNQUFNLElBQUksSUFBSTtBQUFBLE1BQ3pEO0FBQUEsSUFDRjtBQUNBLFVBQU0sTUFBTSxNQUFNLFFBQVE7QUFBQSxFQUM1QixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMEVBQTBFLFlBQVk7QUFDekYsUUFBTSxJQUFJLE1BQU0sYUFBYTtBQUM3QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsTUFBTSxFQUFFO0FBQ2pELFVBQU1ELE9BQU0sTUFBTSxDQUFDO0FBQ25CLFVBQU1ILE1BQUssSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLE1BQU07QUFDOUIsVUFBTSxNQUFNLE1BQU0sU0FBUztBQUMzQixVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxnQkFBZ0IsQ0FBQyxFQUFFLE1BQU07QUFDaEUsVUFBTSxNQUFNLE1BQU0sU0FBUztBQUMzQixJQUFBSSxTQUFPLE1BQU1GLE9BQU0sTUFBTSxVQUFVLEdBQUcsR0FBRztBQUN6QyxVQUFNLEtBQUssT0FBTztBQUNsQixVQUFNLE1BQU0sTUFBTSxTQUFTO0FBQzNCLFVBQU0sUUFBUyxPQUNiLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRyxzQkFBc0IsU0FBUyxhQUFhLEdBQ2hFLEtBQUs7QUFHUCxJQUFBRSxTQUFPLE1BQU0sTUFBTSxPQUFPLEdBQVU7QUFDcEMsVUFBTSxXQUFXLE1BQU0sZ0JBQWdCO0FBQ3ZDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLE1BQU0sTUFBTSxTQUFTO0FBQzNCLElBQUFBLFNBQU8sTUFBTUYsT0FBTSxNQUFNLFVBQVUsR0FBRyxJQUFJO0FBQzFDLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGNBQWMsQ0FBQyxFQUFFLE1BQU07QUFDOUQsVUFBTSxNQUFNLE1BQU0sUUFBUTtBQUMxQixJQUFBRSxTQUFPLE1BQU1GLE9BQU0sTUFBTSxNQUFNLEdBQUcsSUFBSTtBQUFBLEVBQ3hDLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSywyRkFBMkYsWUFBWTtBQUMxRyxRQUFNLElBQUksTUFBTSxhQUFhO0FBQzdCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSztBQUFBLE1BQ1QsR0FBRyxFQUFFLEdBQUcsMENBQTBDLE1BQU0sU0FBUyxTQUFTO0FBQUEsSUFDNUU7QUFDQSxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSx3QkFBd0IsQ0FBQyxFQUFFLE1BQU07QUFDdEUsVUFBTUMsT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxNQUFNLE1BQU0sUUFBUTtBQUMxQixJQUFBQyxTQUFPLE1BQU1GLE9BQU0sTUFBTSxPQUFPLEdBQUcsSUFBSTtBQUN2QyxJQUFBRSxTQUFPLE1BQU1GLE9BQU0sTUFBTSxRQUFRLEdBQUcsSUFBSTtBQUN4QyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsTUFBTSx5QkFBeUI7QUFDeEUsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLFNBQVMsMEJBQTBCLENBQUMsRUFBRSxRQUFRO0FBQzVFLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLCtCQUErQixDQUFDLEVBQUUsUUFBUTtBQUN2RixVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxlQUFlLENBQUMsRUFBRSxNQUFNO0FBQy9ELFVBQU0sTUFBTSxNQUFNLFFBQVE7QUFDMUIsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsd0NBQXdDLFNBQVMsRUFBRTtBQUUzRSxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxPQUFPLENBQUMsRUFBRSxRQUFRO0FBQUEsRUFDM0QsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHFDQUFxQyxZQUFZO0FBQ3BELFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsbUJBQW1CO0FBQzNDLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLG1CQUFtQixDQUFDLEVBQUUsUUFBUTtBQUN0RSxTQUFLLGFBQWEsS0FBSyxXQUFXLE9BQU8sQ0FBQyxNQUFNLENBQUMsZ0JBQWdCLEtBQUssQ0FBQyxDQUFDO0FBQUEsRUFDMUUsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHFGQUFxRixZQUFZO0FBQ3BHLFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUJBQWlCLE1BQU0sU0FBUyxTQUFTLEVBQUU7QUFDbkUsVUFBTUMsT0FBTSxNQUFNLENBQUM7QUFDbkIsSUFBQUMsU0FBTyxNQUFNLE1BQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGdCQUFnQixDQUFDLEVBQUUsV0FBVyxHQUFHLElBQUk7QUFDekYsVUFBTSxLQUNILFFBQVEsY0FBYztBQUFBLE1BQ3JCLFNBQVM7QUFBQSxJQUNYLENBQUMsRUFDQSxRQUFRO0FBQ1gsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUJBQWlCLE1BQU0sU0FBUyxTQUFTLGFBQWE7QUFDOUUsVUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLFNBQVMsb0NBQW9DLENBQUMsRUFBRSxRQUFRO0FBQUEsRUFDdkYsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLG9GQUFvRixZQUFZO0FBQ25HLFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsa0NBQWtDO0FBQzFELFVBQU1ELE9BQU0sTUFBTSxDQUFDO0FBQ25CLElBQUFDLFNBQU87QUFBQSxNQUNKLE1BQU1KLE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxZQUFZO0FBQUEsTUFDdEM7QUFBQSxJQUNGO0FBQ0EsVUFBTSxXQUFXLE1BQU0sYUFBYTtBQUNwQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxrQkFBa0IsUUFBUSx3QkFBd0I7QUFDMUUsVUFBTSxLQUFLLFFBQVEsbUJBQW1CLEVBQUUsU0FBUyxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQ3JFLFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTLGdCQUFnQixDQUFDLEVBQUUsUUFBUTtBQUN2RSxJQUFBSSxTQUFPLE1BQU8sTUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFlBQVksR0FBSyxRQUFRO0FBQUEsRUFDM0UsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLCtEQUErRCxZQUFZO0FBQzlFLFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUJBQWlCLE1BQU0sRUFBRTtBQUNqRCxVQUFNRCxPQUFNLE1BQU0sQ0FBQztBQUNuQixVQUFNLFdBQVcsTUFDZixRQUFRLElBQUksQ0FBQyxHQUFHLENBQUMsRUFBRSxJQUFJLENBQUMsTUFBTUgsTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsYUFBYSxlQUFlLENBQUMsQ0FBQztBQUNoRixJQUFBSSxTQUFPLFVBQVUsTUFBTSxTQUFTLEdBQUcsQ0FBQyxRQUFRLE1BQU0sQ0FBQztBQUNuRCxJQUFBQSxTQUFPO0FBQUEsTUFDTCxNQUFNSixNQUFLLElBQUksRUFBRSxJQUFJLENBQUMsRUFBRSxhQUFhLGVBQWU7QUFBQSxNQUNwRDtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0EsVUFBTUEsTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsUUFBUSxjQUFjLEVBQUUsTUFBTTtBQUN0RCxVQUFNRyxPQUFNLE1BQU0sQ0FBQztBQUNuQixJQUFBQyxTQUFPLFVBQVUsTUFBTSxTQUFTLEdBQUcsQ0FBQyxRQUFRLE9BQU8sQ0FBQztBQUNwRCxJQUFBQSxTQUFPLE1BQU8sTUFBTUosTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDLEVBQUUsWUFBWSxHQUFLLEtBQUs7QUFDNUQsSUFBQUksU0FBTyxNQUFNRixPQUFNLE1BQU0sTUFBTSxHQUFHLE1BQU0sNEJBQTRCO0FBQ3BFLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLE1BQU07QUFDNUMsVUFBTSxRQUFRLE9BQU8sS0FBYSxPQUFlLFNBQXdCO0FBQ3ZFLFlBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixZQUFNQyxPQUFNLE1BQU0sS0FBSztBQUN2QixZQUFNLFdBQVcsR0FBRyxHQUFHLGFBQWEsSUFBSSxJQUFJLFlBQVlELE9BQU0sTUFBTSxNQUFNLE1BQU0sSUFBSTtBQUFBLElBQ3RGO0FBQ0EsVUFBTSxNQUFNLGFBQWEsR0FBRyxRQUFRO0FBQ3BDLFVBQU0sTUFBTSxhQUFhLEdBQUcsU0FBUztBQUNyQyxVQUFNLE1BQU0sY0FBYyxHQUFHLFNBQVM7QUFDdEMsVUFBTSxNQUFNLGNBQWMsR0FBRyxVQUFVO0FBQ3ZDLFVBQU0sTUFBTSxjQUFjLEdBQUcsVUFBVTtBQUN2QyxVQUFNLE1BQU0sYUFBYSxHQUFHLFNBQVM7QUFDckMsVUFBTSxNQUFNLGFBQWEsR0FBRyxTQUFTO0FBQ3JDLFVBQU0sTUFBTSxhQUFhLEdBQUcsUUFBUTtBQUNwQyxVQUFNLE1BQU0sYUFBYSxHQUFHLFFBQVE7QUFDcEMsVUFBTSxNQUFNLFdBQVcsR0FBRyxRQUFRO0FBQ2xDLFVBQU0sTUFBTSxLQUFLLEdBQUcsUUFBUTtBQUM1QixVQUFNLE1BQU0sS0FBSyxHQUFHLFFBQVE7QUFDNUIsVUFBTSxNQUFNLEtBQUssR0FBRyxRQUFRO0FBQUEsRUFDOUIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDJGQUEyRixZQUFZO0FBQzFHLFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxVQUFVLEVBQUUsS0FBS04sUUFBTyxVQUFVLElBQUksR0FBRyxTQUFTO0FBQ3hELFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGlCQUFpQixTQUFTLEVBQUU7QUFDcEQsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMsbUJBQW1CLENBQUMsRUFBRSxRQUFRO0FBQzNFLElBQUFRLFNBQU8sTUFBTyxNQUFNSixNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsWUFBWSxHQUFLLFlBQVkseUJBQXlCO0FBQzdGLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLFdBQVcsQ0FBQyxFQUFFLE1BQU07QUFDM0QsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMsMEJBQTBCLENBQUMsRUFBRSxRQUFRO0FBQ2xGLElBQUFJLFNBQU8sTUFBTUYsT0FBTSxNQUFNLE1BQU0sR0FBRyxPQUFPO0FBQ3pDLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLE1BQU07QUFDNUMsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU1DLE9BQU0sTUFBTSxDQUFDO0FBQUEsRUFDckIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLGdHQUFnRyxZQUFZO0FBQy9HLFFBQU0sSUFBSSxNQUFNLGFBQWE7QUFDN0IsUUFBTSxTQUFTLEVBQUUsVUFBVSxFQUFFLE9BQU8sS0FBSyxRQUFRLElBQUksRUFBRSxHQUFHLE9BQU8sU0FBUztBQUN4RSxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsTUFBTSxFQUFFO0FBQ2pELFVBQU1BLE9BQU0sTUFBTSxDQUFDO0FBQ25CLGVBQVdGLFNBQVEsQ0FBQyxpQkFBaUIsVUFBVSxVQUFVLFFBQVEsR0FBRztBQUNsRSxZQUFNLE1BQU8sTUFBTUQsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFVBQVVDLEtBQUksRUFBRSxNQUFNLEVBQUUsWUFBWTtBQUMxRSxNQUFBRyxTQUFPLEdBQUcsSUFBSSxLQUFLLEtBQUssSUFBSSxJQUFJLElBQUksU0FBUyxPQUFPLElBQUksUUFBUSxJQUFJLEdBQUdILEtBQUksYUFBYTtBQUFBLElBQzFGO0FBQ0EsVUFBTSxNQUFPLE1BQU1ELE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRLFdBQVcsRUFBRSxZQUFZO0FBQ3ZFLElBQUFJLFNBQU8sR0FBRyxJQUFJLFFBQVEsT0FBTyxJQUFJLElBQUksSUFBSSxTQUFTLEtBQUssY0FBYztBQUNyRSxJQUFBQSxTQUFPO0FBQUEsTUFDTCxNQUFNLEtBQUs7QUFBQSxRQUFTLE1BQ2xCLENBQUMsR0FBRyxTQUFTLGlCQUFpQixhQUFhLENBQUMsRUFBRSxLQUFLLENBQUMsTUFBTSxFQUFFLGNBQWMsRUFBRSxXQUFXO0FBQUEsTUFDekY7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxvQkFBb0I7QUFDNUMsVUFBTUosTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsSUFBQUksU0FBTztBQUFBLE1BQ0wsTUFBTSxLQUFLO0FBQUEsUUFBUyxNQUNsQixDQUFDLEdBQUcsU0FBUyxpQkFBaUIsYUFBYSxDQUFDLEVBQUUsS0FBSyxDQUFDLE1BQU0sRUFBRSxjQUFjLEVBQUUsV0FBVztBQUFBLE1BQ3pGO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQztBQUVELFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxhQUFXLFNBQVMsQ0FBQyxNQUFNLE1BQU0sR0FBRztBQUNsQyxTQUFLLGdDQUFnQyxLQUFLLEtBQUssS0FBSyxTQUFTLFlBQVk7QUFDdkUsWUFBTSxJQUFJLE1BQU0sYUFBYTtBQUM3QixZQUFNO0FBQUEsUUFDSixFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxRQUFRLFVBQVUsTUFBTSxNQUFNLElBQUksRUFBRTtBQUFBLFFBQzdFLE9BQU8sU0FBUztBQUNkLGdCQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsTUFBTSxTQUFTLFNBQVMsYUFBYTtBQUM5RSxnQkFBTUQsT0FBTSxNQUFNLENBQUM7QUFDbkIsZ0JBQU0sTUFBTSxNQUFNLFNBQVM7QUFDM0IsVUFBQUMsU0FBTztBQUFBLFlBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxZQUMzRTtBQUFBLFlBQ0E7QUFBQSxVQUNGO0FBQ0EsZ0JBQU0sV0FBVyxNQUFNLGNBQWMsS0FBSyxJQUFJLEtBQUssRUFBRTtBQUFBLFFBQ3ZEO0FBQUEsTUFDRjtBQUFBLElBQ0YsQ0FBQztBQUVMLEtBQUssNkNBQTZDLFlBQVk7QUFDNUQsUUFBTSxJQUFJLE1BQU1OLFFBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUNBQWlDO0FBQ3pELFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLDhCQUE4QixDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQ25GLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyxtRkFBbUYsWUFBWTtBQUNsRyxRQUFNLElBQUksTUFBTUEsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxvQkFBb0I7QUFDNUMsVUFBTUssT0FBTSxNQUFNLENBQUM7QUFDbkIsVUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLFNBQVMsYUFBYSxDQUFDLEVBQUUsUUFBUTtBQUM5RCxVQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUMvQixVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBWUUsT0FBTSxNQUFNLE9BQU8sTUFBTSxVQUFVQSxPQUFNLE1BQU0sTUFBTSxNQUFNO0FBQUEsSUFDekU7QUFDQSxVQUFNQyxPQUFNLE1BQU0sQ0FBQztBQUNuQixVQUFNLE1BQU0sTUFBTSxRQUFRO0FBQzFCLElBQUFDLFNBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsTUFBTSxHQUFHLEdBQUcsNEJBQTRCO0FBQ3pGLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNRCxPQUFNLE1BQU0sQ0FBQztBQUFBLEVBQ3JCLENBQUM7QUFDSCxDQUFDO0FBRUQsV0FBVyxDQUFDLE1BQU0sTUFBTSxLQUFLO0FBQUEsRUFDM0IsQ0FBQyxxQkFBcUIsc0NBQXNDO0FBQUEsRUFDNUQsQ0FBQyx3QkFBd0IsbUJBQW1CLE1BQU0sSUFBSSxTQUFTLEtBQUs7QUFDdEU7QUFDRSxPQUFLLFdBQVcsSUFBSSwrQkFBK0IsWUFBWTtBQUM3RCxVQUFNLElBQUksTUFBTUwsUUFBTztBQUN2QixVQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxZQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxTQUFTO0FBQ2pDLFlBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxRQUFRO0FBQ3RDLFlBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixZQUFNLEtBQUssU0FBUyxLQUFLLE1BQU07QUFDL0IsWUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPO0FBQ2pDLFlBQU1LLE9BQU0sTUFBTSxDQUFDO0FBQ25CLE1BQUFDLFNBQU8sTUFBTUYsT0FBTSxNQUFNLE9BQU8sR0FBRyxNQUFNO0FBQ3pDLFVBQUksS0FBSyxTQUFTLFFBQVEsR0FBRztBQUMzQixjQUFNLE1BQU0sTUFBTSxTQUFTO0FBQzNCLGNBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGNBQWMsQ0FBQyxFQUFFLE1BQU0sT0FBTztBQUFBLE1BQ3ZFO0FBQ0EsWUFBTSxNQUFNLE1BQU0sUUFBUTtBQUFBLElBQzVCLENBQUM7QUFBQSxFQUNILENBQUM7QUFFSCxLQUFLLDZEQUE2RCxZQUFZO0FBQzVFLFFBQU0sSUFBSSxNQUFNSixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGlCQUFpQixJQUFJLE9BQU8sRUFBRSxDQUFDLEVBQUU7QUFDekQsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFNBQVMsa0JBQWtCLENBQUMsRUFBRSxRQUFRO0FBQ3JFLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLDBCQUEwQixDQUFDLEVBQUUsTUFBTTtBQUMxRSxVQUFNLFdBQVcsYUFBYSxZQUFZSSxPQUFNLE1BQU0sTUFBTSxNQUFNLFNBQVM7QUFDM0UsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUJBQWlCLE1BQU0sRUFBRTtBQUNqRCxVQUFNQyxPQUFNLE1BQU0sQ0FBQztBQUFBLEVBQ3JCLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSywrQ0FBK0MsWUFBWTtBQUM5RCxRQUFNLElBQUksTUFBTUwsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxhQUFhO0FBQ3JDLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLG1DQUFtQyxDQUFDLEVBQUUsUUFBUTtBQUN0RixJQUFBTSxTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLFNBQVMsYUFBYSxDQUFDLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFBQSxFQUNoRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssNEVBQTRFLFlBQVk7QUFDM0YsUUFBTSxJQUFJLE1BQU1OLFFBQU87QUFDdkIsUUFBTSxRQUFRO0FBQ2QsUUFBTSxDQUFDUSxPQUFNLEtBQUssSUFBSSxDQUFDLG9CQUFvQixrQkFBa0I7QUFDN0QsUUFBTSxVQUFVLENBQUMsR0FBVyxTQUMxQixNQUFNLEtBQUssRUFBRSxRQUFRLEVBQUUsR0FBRyxDQUFDLEdBQUcsT0FBTyxFQUFFLE1BQU1WLFNBQVEsR0FBRyxPQUFPLGFBQWEsT0FBTyxLQUFLLEVBQUU7QUFDNUYsUUFBTSxZQUFZLEVBQUUsS0FBSyxXQUFXLENBQUMsR0FBRyxRQUFRLElBQUlVLEtBQUksR0FBRyxHQUFHLFFBQVEsR0FBRyxLQUFLLENBQUMsQ0FBQztBQUNoRixRQUFNO0FBQUEsSUFDSixFQUFFO0FBQUEsSUFDRlY7QUFBQSxJQUNBO0FBQUEsTUFDRSxFQUFFLFNBQVMsV0FBVyxJQUFJVSxPQUFNLFFBQVEsSUFBSSxNQUFNLFFBQVEsTUFBTSxHQUFHLElBQUksR0FBRztBQUFBLE1BQzFFLEVBQUUsU0FBUyxXQUFXLElBQUksT0FBTyxRQUFRQSxPQUFNLE1BQU0sU0FBUyxNQUFNLEdBQUcsSUFBSSxHQUFHO0FBQUEsSUFDaEY7QUFBQSxJQUNBO0FBQUEsRUFDRjtBQUNBLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGlCQUFpQixLQUFLLEVBQUU7QUFDaEQsVUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFNBQVMsZ0JBQWdCLENBQUMsRUFBRSxRQUFRO0FBQ3ZFLFVBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLCtCQUErQixDQUFDLEVBQUUsUUFBUTtBQUN2RixVQUFNLFNBQVMsS0FBSyxRQUFRLHFDQUFxQyxFQUFFLFNBQVMsU0FBSSxDQUFDO0FBQ2pGLFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxZQUFhLE1BQU0sT0FBTyxNQUFNLE1BQU87QUFBQSxJQUN6QztBQUNBLFVBQU0sU0FBUyxNQUFNLE9BQU87QUFBQSxNQUFZLENBQUMsUUFDdkMsSUFBSSxJQUFJLENBQUMsUUFBUSxHQUFHLElBQUksV0FBVyxLQUFLLElBQUksYUFBYSxPQUFPLENBQUMsRUFBRTtBQUFBLElBQ3JFO0FBQ0EsSUFBQUYsU0FBTztBQUFBLE1BQ0wsT0FBTyxLQUFLLENBQUMsTUFBTSxxREFBcUQsS0FBSyxDQUFDLENBQUM7QUFBQSxNQUMvRSxPQUFPLEtBQUssSUFBSTtBQUFBLElBQ2xCO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0wsT0FBTyxLQUFLLENBQUMsTUFBTSwwQ0FBMEMsS0FBSyxDQUFDLENBQUM7QUFBQSxNQUNwRSxPQUFPLEtBQUssSUFBSTtBQUFBLElBQ2xCO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0wsT0FBTztBQUFBLFFBQUssQ0FBQyxNQUNYLHFFQUFxRSxLQUFLLENBQUM7QUFBQSxNQUM3RTtBQUFBLE1BQ0EsT0FBTyxLQUFLLElBQUk7QUFBQSxJQUNsQjtBQUNBLFVBQU0sV0FBVyxNQUFNLG1CQUFtQjtBQUMxQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxpQkFBaUIsS0FBSyxhQUFhO0FBQzNELFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTLGFBQWEsQ0FBQyxFQUFFLFFBQVE7QUFDcEUsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUJBQWlCLEtBQUssMEJBQTBCO0FBQ3hFLFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxTQUFTLGlCQUFpQixDQUFDLEVBQUUsUUFBUTtBQUFBLEVBQzFFLENBQUM7QUFDSCxDQUFDOzs7QUNuZEQsT0FBT0csY0FBWTtBQUNuQixTQUFTLFFBQUFDLGNBQVk7QUFNckIsSUFBTUMsU0FBUSxLQUFLLE1BQU0sS0FBSyxJQUFJLElBQUksR0FBSSxJQUFJLE1BQU87QUFFckQsZUFBZUMsUUFBd0I7QUFDckMsUUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLEVBQUUsTUFBTTtBQUNuQyxRQUFNLFlBQVksRUFBRSxLQUFLLFNBQVMsYUFBYUQsTUFBSyxDQUFDO0FBQ3JELFFBQU0sTUFBTSxHQUFHLEVBQUUsR0FBRyxxQkFBcUIsRUFBRSxRQUFRLFFBQVEsTUFBTSxPQUFPLEtBQUssQ0FBQyxLQUFNLENBQUksQ0FBQyxFQUFFLENBQUM7QUFDNUYsU0FBTztBQUNUO0FBRUEsS0FBSyx3REFBd0QsWUFBWTtBQUN2RSxRQUFNLElBQUksTUFBTSxJQUFJLE9BQU8sRUFBRSxNQUFNO0FBQ25DLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLFNBQVM7QUFDakMsVUFBTSxLQUFLLFFBQVEsV0FBVyxFQUFFLFNBQVMsYUFBYSxDQUFDLEVBQUUsUUFBUTtBQUNqRSxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxVQUFVLENBQUMsRUFBRSxRQUFRO0FBQzVELFVBQU0sV0FBVyxNQUFNLGNBQWM7QUFFckMsTUFBRSxLQUFLLE9BQU9FLE9BQUssVUFBVSxHQUFHLGNBQWMsR0FBRyxFQUFFLGFBQWEsRUFBRSxDQUFDLEdBQUcsT0FBTztBQUM3RSxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFFBQVEsMEJBQTBCLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDL0QsSUFBQUMsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxNQUFNLEdBQUcsQ0FBQztBQUFBLEVBQ3ZELENBQUM7QUFDSCxDQUFDO0FBRUQsV0FBVyxTQUFTLENBQUMsU0FBUyxNQUFNO0FBQ2xDLGFBQVcsU0FBUyxDQUFDLE1BQU0sTUFBTSxHQUFHO0FBQ2xDLFNBQUssa0NBQWtDLEtBQUssS0FBSyxLQUFLLFNBQVMsWUFBWTtBQUN6RSxZQUFNLElBQUksTUFBTUYsTUFBSztBQUNyQixZQUFNO0FBQUEsUUFDSixFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxRQUFRLFVBQVUsTUFBTSxNQUFNLElBQUksRUFBRTtBQUFBLFFBQzdFLE9BQU8sU0FBUztBQUNkLGdCQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxTQUFTO0FBQ2pDLGdCQUFNLEtBQUssUUFBUSw2QkFBNkIsRUFBRSxTQUFTLFlBQVksQ0FBQyxFQUFFLFFBQVE7QUFDbEYsVUFBQUUsU0FBTztBQUFBLFlBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxZQUMzRTtBQUFBLFlBQ0E7QUFBQSxVQUNGO0FBQ0EsZ0JBQU0sV0FBVyxNQUFNLFVBQVUsS0FBSyxJQUFJLEtBQUssRUFBRTtBQUFBLFFBQ25EO0FBQUEsTUFDRjtBQUNBLFlBQU0sRUFBRSxLQUFLO0FBQUEsSUFDZixDQUFDO0FBRUwsS0FBSyw4RUFBOEUsWUFBWTtBQUM3RixRQUFNLElBQUksTUFBTUYsTUFBSztBQUNyQixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxTQUFTO0FBQ2pDLFVBQU1HLE9BQU0sS0FBSyxRQUFRLCtCQUErQixFQUFFLFNBQVMsWUFBWSxDQUFDLEVBQUUsTUFBTTtBQUN4RixVQUFNQSxLQUFJLFFBQVE7QUFDbEIsVUFBTUMsVUFBUyxNQUFNRCxLQUFJLFFBQVEsSUFBSSxFQUFFLGdCQUFnQixHQUFHLElBQUksQ0FBQyxNQUFNLEVBQUUsS0FBSyxDQUFDO0FBQzdFLElBQUFELFNBQU8sVUFBVSxDQUFDRSxPQUFNLENBQUMsR0FBR0EsT0FBTSxDQUFDLEdBQUdBLE9BQU0sQ0FBQyxDQUFDLEdBQUcsQ0FBQyxLQUFLLEtBQUssSUFBSSxDQUFDO0FBQ2pFLFVBQU0sS0FBSyxRQUFRLFlBQVksRUFBRSxTQUFTLGtDQUFrQyxDQUFDLEVBQUUsUUFBUTtBQUN2RixVQUFNLFVBQVUsS0FBSyxRQUFRLHdCQUF3QixFQUFFLE1BQU07QUFDN0QsVUFBTSxRQUFRLFVBQVUsUUFBUSxFQUFFLE1BQU0sUUFBUSxDQUFDLEVBQUUsTUFBTTtBQUN6RCxVQUFNLEtBQUssUUFBUSxzQ0FBc0MsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN4RixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssa0ZBQWtGLFlBQVk7QUFDakcsUUFBTSxJQUFJLE1BQU1KLE1BQUs7QUFDckIsUUFBTSxPQUFPLEVBQUU7QUFDZixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxRQUFRLDJCQUEyQixFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2hFLFVBQU0sRUFBRSxLQUFLO0FBQ2IsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sS0FBSyxRQUFRLGFBQWEsRUFBRSxTQUFTLG9CQUFvQixDQUFDLEVBQUUsUUFBUTtBQUMxRSxJQUFBRSxTQUFPLEdBQUcsTUFBTSxLQUFLLFFBQVEsMkJBQTJCLEVBQUUsTUFBTSxFQUFFLFVBQVUsQ0FBQztBQUM3RSxVQUFNLFdBQVcsTUFBTSxhQUFhO0FBQ3BDLFVBQU0sRUFBRSxNQUFNLElBQUk7QUFDbEIsVUFBTSxXQUFXLGFBQWEsWUFBYSxNQUFNLEtBQUssUUFBUSxXQUFXLEVBQUUsTUFBTSxNQUFPLENBQUM7QUFDekYsU0FBSyxXQUFXLFNBQVM7QUFBQSxFQUMzQixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssa0VBQWtFLFlBQVk7QUFDakYsUUFBTSxJQUFJLE1BQU0sSUFBSSxPQUFPLFFBQVc7QUFBQSxJQUNwQztBQUFBLElBQ0E7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLEVBQ0YsQ0FBQyxFQUFFLE1BQU07QUFDVCxJQUFFLEtBQUssT0FBT0QsT0FBSyxVQUFVLEdBQUcsYUFBYSxHQUFHLEVBQUUsYUFBYSxFQUFFLENBQUMsR0FBRyxNQUFNO0FBQzNFLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLFNBQVM7QUFDakMsVUFBTUksUUFBTyxLQUFLLFFBQVEsMENBQTBDO0FBQ3BFLFVBQU1BLE1BQUssTUFBTSxFQUFFLFFBQVE7QUFDM0IsVUFBTSxXQUFXLCtCQUErQixZQUFZO0FBQzFELFlBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixhQUFPLHVDQUF1QyxLQUFNLE1BQU1BLE1BQUssTUFBTSxFQUFFLFlBQVksS0FBTSxFQUFFO0FBQUEsSUFDN0YsQ0FBQztBQUNELElBQUFILFNBQU8sTUFBTyxNQUFNRyxNQUFLLElBQUksQ0FBQyxFQUFFLFlBQVksS0FBTSxJQUFJLDZCQUE2QjtBQUNuRixVQUFNLFdBQVcsTUFBTSxpQkFBaUI7QUFBQSxFQUMxQyxDQUFDO0FBQ0QsUUFBTSxFQUFFLEtBQUs7QUFDZixDQUFDOzs7QUN2R0QsT0FBT0MsY0FBWTtBQUNuQixTQUFTLFFBQUFDLGNBQVk7QUFPckIsSUFBTSxRQUFRO0FBQ2QsSUFBSUMsU0FBZ0M7QUFJcEMsU0FBU0MsVUFBMEI7QUFDakMsRUFBQUQsWUFBVyxZQUFZO0FBQ3JCLFVBQU0sSUFBSSxNQUFNLElBQUksT0FBTyxFQUFFLE1BQU07QUFDbkMsVUFBTSxRQUFRLFVBQVU7QUFDeEIsVUFBTSxTQUFpQyxDQUFDO0FBQ3hDLGFBQVMsSUFBSSxHQUFHLElBQUksT0FBTyxJQUFLLFFBQU8sYUFBYSxDQUFDLFlBQVksQ0FBQyxFQUFFLElBQUksSUFBSTtBQUM1RSxVQUFNLE9BQVEsU0FBUyxRQUFRLEtBQU07QUFDckMsTUFBRTtBQUFBLE1BQ0EsT0FBT0UsT0FBSyxPQUFPLGFBQWEsR0FBRyxFQUFFLEdBQUcsUUFBUSxjQUFjLEtBQUssQ0FBQztBQUFBLE1BQ3BFO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDQSxNQUFFO0FBQUEsTUFDQSxPQUFPQSxPQUFLLE9BQU8sYUFBYSxHQUFHLEVBQUUsR0FBRyxRQUFRLGNBQWMsSUFBSSxLQUFLLENBQUM7QUFBQSxNQUN4RTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0EsV0FBTztBQUFBLEVBQ1QsR0FBRztBQUNILFNBQU9GO0FBQ1Q7QUFFQSxJQUFNLFFBQVEsQ0FBQyxNQUFZRyxVQUN6QixLQUFLLFFBQVEsZ0JBQWdCLEVBQUUsU0FBU0EsTUFBSyxDQUFDLEVBQUUsUUFBUTtBQUMxRCxJQUFNLE9BQU8sV0FBVyxtQkFBbUIsa0JBQWtCO0FBRTdELFdBQVcsU0FBUyxDQUFDLFNBQVMsTUFBTTtBQUNsQyxPQUFLLDZDQUE2QyxLQUFLLElBQUksWUFBWTtBQUNyRSxVQUFNLElBQUksTUFBTUYsUUFBTztBQUN2QixVQUFNLFNBQVMsRUFBRSxhQUFhLE1BQU0sR0FBRyxPQUFPLFNBQVM7QUFDckQsWUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsYUFBYSxJQUFJLDJCQUEyQjtBQUNwRSxZQUFNLE1BQU0sTUFBTSxnQ0FBZ0M7QUFDbEQsWUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxhQUFhLENBQUMsRUFBRSxRQUFRO0FBQ3ZFLFlBQU0sV0FBVyxNQUFNLFFBQVEsS0FBSyxFQUFFO0FBQ3RDLFlBQU0sS0FBSztBQUFBLFFBQ1QsR0FBRyxFQUFFLEdBQUcsYUFBYSxJQUFJLHNCQUFzQixtQkFBbUIsbUJBQW1CLENBQUM7QUFBQSxNQUN4RjtBQUNBLFlBQU0sTUFBTSxNQUFNLDJCQUEyQjtBQUM3QyxZQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxhQUFhLElBQUkscUNBQXFDO0FBQzlFLFlBQU0sTUFBTSxNQUFNLHlDQUF5QztBQUMzRCxZQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxhQUFhLElBQUksMEJBQTBCO0FBQ25FLFlBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxTQUFTLGdDQUFnQyxDQUFDLEVBQUUsUUFBUTtBQUFBLElBQzFGLENBQUM7QUFBQSxFQUNILENBQUM7QUFFSCxLQUFLLG9GQUFvRixZQUFZO0FBQ25HLFFBQU0sSUFBSSxNQUFNQSxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFFBQUksVUFBVSxNQUFNO0FBQUEsSUFBQztBQUNyQixVQUFNLE9BQU8sSUFBSSxRQUFjLENBQUMsU0FBVSxVQUFVLElBQUs7QUFDekQsVUFBTSxLQUFLLE1BQU0sbUJBQW1CLE9BQU8sVUFBVTtBQUNuRCxZQUFNO0FBQ04sWUFBTSxNQUFNLFNBQVM7QUFBQSxJQUN2QixDQUFDO0FBQ0QsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsYUFBYSxJQUFJLDJCQUEyQjtBQUNwRSxVQUFNLE1BQU0sTUFBTSxnQkFBVztBQUM3QixJQUFBRyxTQUFPLE1BQU0sTUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFDN0QsWUFBUTtBQUNSLFVBQU0sTUFBTSxNQUFNLFdBQVc7QUFDN0IsVUFBTSxLQUFLLFFBQVEsaUJBQWlCO0FBQUEsRUFDdEMsQ0FBQztBQUNELFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSztBQUFBLE1BQU07QUFBQSxNQUFtQixDQUFDLFVBQ25DLE1BQU0sUUFBUTtBQUFBLFFBQ1osUUFBUTtBQUFBLFFBQ1IsYUFBYTtBQUFBLFFBQ2IsTUFBTTtBQUFBLE1BQ1IsQ0FBQztBQUFBLElBQ0g7QUFDQSxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxhQUFhLElBQUksMkJBQTJCO0FBQ3BFLFVBQU0sTUFBTSxNQUFNLGdDQUFnQztBQUNsRCxTQUFLLGFBQWEsS0FBSyxXQUFXLE9BQU8sQ0FBQ0QsVUFBUyxDQUFDQSxNQUFLLFNBQVMsS0FBSyxDQUFDO0FBQUEsRUFDMUUsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDZDQUE2QyxZQUFZO0FBQzVELFFBQU0sSUFBSSxNQUFNRixRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGFBQWEsSUFBSSxhQUFhO0FBQ3RELFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxRQUFRO0FBQUEsRUFDbEYsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLG9EQUFvRCxZQUFZO0FBQ25FLFFBQU0sSUFBSSxNQUFNQSxRQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sUUFBUSxtQkFBbUIsa0JBQWtCO0FBQ25ELFVBQU0sS0FBSztBQUFBLE1BQ1QsR0FBRyxFQUFFLEdBQUcsa0JBQWtCLEtBQUssV0FBVyxtQkFBbUIsa0JBQWtCLENBQUM7QUFBQSxJQUNsRjtBQUNBLFVBQU0sTUFBTSxNQUFNLGtDQUFrQztBQUFBLEVBQ3RELENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyxxRUFBcUUsWUFBWTtBQUNwRixRQUFNLElBQUksTUFBTUEsUUFBTztBQUN2QixRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxhQUFhLElBQUksbURBQW1EO0FBQzVGLFVBQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsUUFBUTtBQUN6RSxVQUFNO0FBQUEsTUFBVztBQUFBLE1BQWEsWUFDNUIsbUJBQW1CO0FBQUEsUUFDaEIsTUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLGFBQWEsWUFBWSxLQUFNO0FBQUEsTUFDdEU7QUFBQSxJQUNGO0FBQ0EsVUFBTSxRQUFRLG1CQUFtQixrQkFBa0I7QUFDbkQsVUFBTSxLQUFLO0FBQUEsTUFDVCxHQUFHLEVBQUUsR0FBRyxrQkFBa0IsS0FBSyxXQUFXLG1CQUFtQixrQkFBa0IsQ0FBQztBQUFBLElBQ2xGO0FBQ0EsVUFBTSxLQUFLLFFBQVEsd0JBQXdCLEVBQUUsU0FBUyxRQUFRLENBQUMsRUFBRSxRQUFRO0FBQ3pFLFVBQU0sS0FBSztBQUFBLE1BQ1QsR0FBRyxFQUFFLEdBQUcsa0JBQWtCLEtBQUssV0FBVyxtQkFBbUIsa0JBQWtCLENBQUM7QUFBQSxJQUNsRjtBQUNBLFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxZQUFhLE1BQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLFNBQVMsUUFBUSxDQUFDLEVBQUUsTUFBTSxNQUFPO0FBQUEsSUFDN0Y7QUFDQSxVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBYSxNQUFNLEtBQUssVUFBVSxzQ0FBc0MsRUFBRSxNQUFNLE1BQU87QUFBQSxJQUN6RjtBQUFBLEVBQ0YsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDJHQUEyRyxZQUFZO0FBQzFILFFBQU0sSUFBSSxNQUFNQSxRQUFPO0FBQ3ZCLFFBQU1JLE1BQUssS0FBSyxNQUFNLEtBQUssSUFBSSxJQUFJLEdBQUksSUFBSSxNQUFPO0FBQ2xELFFBQU0sWUFBWSxFQUFFLEtBQUssT0FBTyxDQUFDLEVBQUUsTUFBTUEsS0FBSSxPQUFPLFlBQVksQ0FBQyxDQUFDO0FBRWxFLFFBQU0sT0FBTyxZQUFZLE9BQU8sQ0FBQyxFQUFFLE1BQU1BLEtBQUksT0FBTyxlQUFlLENBQUMsQ0FBQztBQUdyRSxRQUFNLFNBQVMsS0FBSyxpQkFBaUIsQ0FBQyxFQUFFLGNBQWMsQ0FBQyxFQUFFLFNBQVMsQ0FBQyxFQUFFLFFBQVEsQ0FBQztBQUM5RSxTQUFPLE9BQU87QUFDZCxTQUFPLFNBQVMsQ0FBQyxnQkFBZ0I7QUFDakMsUUFBTSxPQUFPLE1BQU0sTUFBTSxHQUFHLEVBQUUsR0FBRywyQkFBMkI7QUFBQSxJQUMxRCxRQUFRO0FBQUEsSUFDUixTQUFTLEVBQUUsZ0JBQWdCLG1CQUFtQjtBQUFBLElBQzlDLE1BQU0sS0FBSyxVQUFVLElBQUk7QUFBQSxFQUMzQixDQUFDO0FBQ0QsRUFBQUQsU0FBTyxNQUFNLEtBQUssSUFBSSxJQUFJO0FBQzFCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLCtCQUErQjtBQUN2RCxVQUFNLEtBQ0gsUUFBUSxjQUFjLEVBQUUsU0FBUyxzREFBc0QsQ0FBQyxFQUN4RixRQUFRO0FBQ1gsVUFBTSxLQUNILFFBQVEsY0FBYztBQUFBLE1BQ3JCLFNBQVM7QUFBQSxJQUNYLENBQUMsRUFDQSxRQUFRO0FBQ1gsVUFBTSxXQUFXLE1BQU0sV0FBVztBQUFBLEVBQ3BDLENBQUM7QUFDSCxDQUFDOzs7QUM1S0QsT0FBT0UsY0FBWTtBQU9uQixJQUFNQyxRQUFPLENBQUMsU0FBZSxLQUFLLFFBQVEsd0JBQXdCO0FBQ2xFLElBQU1DLFNBQVEsQ0FBQyxNQUFZLFNBQWlCLElBQUksSUFBSSxLQUFLLElBQUksQ0FBQyxFQUFFLGFBQWEsSUFBSSxJQUFJO0FBQ3JGLElBQU0sT0FBTyxDQUFDLEdBQVcsT0FBTyxPQUFPLGFBQWEsbUJBQW1CLENBQUMsQ0FBQyxHQUFHLElBQUk7QUFDaEYsSUFBTUMsT0FBTSxDQUFDLE1BQVksTUFBYyxVQUNyQyxXQUFXLEdBQUcsSUFBSSxPQUFPLEtBQUssbUJBQW1CLFlBQVlELE9BQU0sTUFBTSxJQUFJLE1BQU0sS0FBSztBQUUxRixJQUFNLGVBQWUsQ0FBQyxTQUNwQixJQUFJLElBQUksS0FBSyxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsVUFBVSxNQUFTLEVBQUUsSUFBSSxDQUFDLE1BQU0sRUFBRSxLQUFLLENBQUM7QUFFN0UsV0FBVyxTQUFTLENBQUMsU0FBUyxNQUFNO0FBQ2xDLGFBQVcsU0FBUyxDQUFDLE1BQU0sR0FBRztBQUM1QixTQUFLLG9DQUFvQyxLQUFLLEtBQUssS0FBSyxTQUFTLFlBQVk7QUFDM0UsWUFBTSxFQUFFLFFBQUFFLFNBQU8sSUFBSSxNQUFNLFdBQVc7QUFDcEMsWUFBTSxTQUFTLFVBQVUsTUFBTSxNQUFNO0FBQ3JDLFlBQU0sU0FBUyxFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxPQUFPLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDbEYsbUJBQVcsU0FBUyxDQUFDLFFBQVEsUUFBUSxVQUFVLEdBQUc7QUFDaEQsZ0JBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxpQkFBaUIsS0FBSyxFQUFFO0FBQ3JELGdCQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxnQkFBTSxLQUFLLGlCQUFpQixhQUFhO0FBQ3pDLFVBQUFJLFNBQU87QUFBQSxZQUNMLE1BQU0sS0FBSyxTQUFTLE1BQU0sU0FBUyxnQkFBZ0IsY0FBYyxVQUFVO0FBQUEsWUFDM0U7QUFBQSxZQUNBO0FBQUEsVUFDRjtBQUNBLGdCQUFNLFdBQVcsTUFBTSxnQkFBZ0IsS0FBSyxJQUFJLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFBQSxRQUNsRTtBQUFBLE1BQ0YsQ0FBQztBQUFBLElBQ0gsQ0FBQztBQUVMLEtBQUssMEVBQTBFLFlBQVk7QUFDekYsUUFBTSxFQUFFLFFBQUFELFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsU0FBUztBQUN0QyxVQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsU0FBUyx1QkFBdUIsQ0FBQyxFQUFFLFFBQVE7QUFDL0UsVUFBTSxTQUFTLE1BQU1BLE1BQUssSUFBSSxFQUFFLFFBQVEsT0FBTyxFQUFFLGdCQUFnQjtBQUNqRSxJQUFBSSxTQUFPLFVBQVUsUUFBUSxDQUFDLEdBQUcsTUFBTSxFQUFFLEtBQUssRUFBRSxRQUFRLENBQUM7QUFDckQsVUFBTSxRQUFRLEtBQUssTUFBTSxPQUFPLENBQUMsTUFBTSxDQUFDLEVBQUUsTUFBTTtBQUNoRCxVQUFNLFNBQVMsTUFBTSxNQUFNLFNBQVMsQ0FBQztBQUNyQyxVQUFNLFFBQVEsTUFBTUosTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFlBQVk7QUFDbkQsSUFBQUksU0FBTyxHQUFHLE1BQU8sU0FBUyxPQUFPLElBQUksR0FBRyxLQUFNO0FBQzlDLFVBQU1KLE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxVQUFVLE1BQU0sRUFBRSxNQUFNLEVBQUUsTUFBTTtBQUN6RCxVQUFNRSxLQUFJLE1BQU0sU0FBUyxPQUFPLEtBQUs7QUFDckMsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMsT0FBTyxLQUFLLENBQUMsRUFBRSxRQUFRO0FBQ3BFLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGFBQWEsQ0FBQyxFQUFFLE1BQU07QUFDN0QsVUFBTUYsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sV0FBVyxDQUFDLEVBQUUsTUFBTTtBQUMzRCxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsU0FBUyxhQUFhLENBQUMsRUFBRSxRQUFRO0FBQ3JFLFVBQU1FLEtBQUksTUFBTSxRQUFRLEtBQUs7QUFBQSxFQUMvQixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssdUVBQXVFLFlBQVk7QUFDdEYsUUFBTSxFQUFFLFFBQUFDLFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLFNBQVMsYUFBYSxJQUFJO0FBQ2hDLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxTQUFTO0FBQ3RDLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLHlEQUF5RDtBQUM1RixVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFNBQVMsSUFBSSxPQUFPLElBQUksT0FBTyxJQUFJLFFBQVEsRUFBRSxDQUFDLEVBQUUsUUFBUTtBQUM1RixJQUFBQyxTQUFPLE1BQU1ILE9BQU0sTUFBTSxHQUFHLEdBQUcseURBQXlEO0FBQ3hGLFVBQU1ELE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRLGNBQWMsRUFBRSxNQUFNO0FBQ3ZELFVBQU0sT0FBT0EsTUFBSyxJQUFJLEVBQUUsSUFBSSxDQUFDO0FBQzdCLElBQUFJLFNBQU8sTUFBTyxNQUFNLEtBQUssWUFBWSxHQUFLLHNCQUFzQjtBQUNoRSxJQUFBQSxTQUFPLEdBQUcsT0FBTyxJQUFJSCxPQUFNLE1BQU0sTUFBTSxDQUFFLENBQUM7QUFDMUMsVUFBTSxLQUFLLE9BQU87QUFDbEIsVUFBTSxLQUFLLFFBQVEsS0FBSyxFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxNQUFNO0FBQzdELFVBQU0sV0FBVyx3QkFBd0IsWUFBWUEsT0FBTSxNQUFNLE1BQU0sTUFBTSxJQUFJO0FBQ2pGLFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFNBQVMsaUJBQWlCLENBQUMsRUFBRSxRQUFRO0FBQ2hGLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU0sS0FBSyxRQUFRO0FBQUEsRUFDckIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHlFQUF5RSxZQUFZO0FBQ3hGLFFBQU0sRUFBRSxRQUFBRSxTQUFPLElBQUksTUFBTSxXQUFXO0FBQ3BDLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxTQUFTO0FBQ3RDLFVBQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxLQUFLLHNCQUFzQjtBQUN6RCxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxRQUFRLEtBQUssUUFBUSxjQUFjO0FBQ3pDLFVBQU0sTUFBTSxRQUFRO0FBQ3BCLElBQUFDLFNBQU8sTUFBTyxNQUFNLE1BQU0sWUFBWSxHQUFLLCtDQUErQztBQUMxRixJQUFBQSxTQUFPLE1BQU8sTUFBTSxNQUFNLFFBQVEsTUFBTSxFQUFFLFlBQVksR0FBSyxPQUFPO0FBQ2xFLElBQUFBLFNBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsYUFBYSxjQUFjLEdBQUcsTUFBTTtBQUMvRSxVQUFNLFdBQVcsTUFBTSxvQkFBb0I7QUFDM0MsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0scUJBQXFCLENBQUMsRUFBRSxNQUFNO0FBQ3JFLFVBQU1KLE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLElBQUFJLFNBQU8sTUFBTSxNQUFNLE1BQU0sTUFBTSxHQUFHLENBQUM7QUFDbkMsU0FBSyxhQUFhLEtBQUssV0FBVyxPQUFPLENBQUMsTUFBTSxDQUFDLGdCQUFnQixLQUFLLENBQUMsQ0FBQztBQUFBLEVBQzFFLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyw0REFBNEQsWUFBWTtBQUMzRSxRQUFNLEVBQUUsUUFBQUQsU0FBTyxJQUFJLE1BQU0sV0FBVztBQUNwQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsU0FBUztBQUN0QyxVQUFNLFFBQVEsS0FBSyxRQUFRLFNBQVM7QUFDcEMsVUFBTSxTQUFTLENBQUNFLFVBQWlCLEtBQUssUUFBUSxrQkFBa0IsRUFBRSxTQUFTQSxNQUFLLENBQUMsRUFBRSxNQUFNO0FBQ3pGLFVBQU0sTUFBTSxNQUFNO0FBQ2xCLFVBQU0sS0FBSyxTQUFTLEtBQUssV0FBVztBQUNwQyxVQUFNLE9BQU8saUJBQWlCLEVBQUUsUUFBUTtBQUN4QyxVQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDckMsSUFBQUQsU0FBTztBQUFBLE1BQ0wsTUFBTSxNQUFNLGFBQWEsdUJBQXVCO0FBQUEsTUFDaEQsTUFBTSxPQUFPLGlCQUFpQixFQUFFLGFBQWEsSUFBSTtBQUFBLElBQ25EO0FBQ0EsVUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPO0FBQ2pDLElBQUFBLFNBQU8sTUFBTSxNQUFNLE1BQU0sV0FBVyxHQUFHLG9CQUFvQjtBQUMzRCxVQUFNLEtBQUssU0FBUyxLQUFLLElBQUk7QUFDN0IsVUFBTSxPQUFPLGFBQWEsRUFBRSxRQUFRO0FBQ3BDLFVBQU0sV0FBVyxNQUFNLHlCQUF5QjtBQUNoRCxVQUFNLEtBQUssU0FBUyxLQUFLLEtBQUs7QUFDOUIsVUFBTSxLQUFLLFNBQVMsTUFBTSxLQUFLO0FBQy9CLElBQUFBLFNBQU8sTUFBTSxNQUFNLE1BQU0sV0FBVyxHQUFHLGtDQUFrQztBQUN6RSxVQUFNLEtBQUssU0FBUyxLQUFLLEdBQUc7QUFDNUIsVUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLElBQUFBLFNBQU8sTUFBTSxNQUFNLEtBQUssUUFBUSxhQUFhLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFDekQsVUFBTSxLQUFLLFNBQVMsTUFBTSxPQUFPO0FBQ2pDLFVBQU1GLEtBQUksTUFBTSxLQUFLLG1DQUFtQztBQUN4RCxVQUFNRixNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUFBLEVBQ25DLENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyx5RUFBeUUsWUFBWTtBQUN4RixRQUFNLEVBQUUsUUFBQUcsU0FBTyxJQUFJLE1BQU0sV0FBVztBQUNwQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsU0FBUztBQUN0QyxVQUFNLEtBQUssV0FBVyxtQkFBbUIsRUFBRSxNQUFNO0FBQ2pELFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLFdBQVcsT0FBTyxLQUFLLENBQUMsRUFBRSxNQUFNO0FBQ3ZFLFVBQU1ELEtBQUksTUFBTSxLQUFLLHVDQUF1QztBQUM1RCxJQUFBRSxTQUFPO0FBQUEsTUFDTCxNQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsV0FBVztBQUFBLE1BQ3pDO0FBQUEsSUFDRjtBQUNBLFVBQU0sS0FBSyxXQUFXLFFBQVEsRUFBRSxhQUFhLE9BQU87QUFDcEQsVUFBTUYsS0FBSSxNQUFNLEtBQUsseURBQXlEO0FBQzlFLFVBQU0sS0FBSyxXQUFXLCtCQUErQixFQUFFLEtBQUssTUFBTTtBQUNsRSxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTUE7QUFBQSxNQUNKO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0EsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sY0FBYyxDQUFDLEVBQUUsTUFBTTtBQUM5RCxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSx3QkFBd0IsQ0FBQyxFQUFFLE1BQU07QUFDeEUsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sT0FBTyxDQUFDLEVBQUUsTUFBTTtBQUN2RCxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsU0FBUyxpQ0FBaUMsQ0FBQyxFQUFFLFFBQVE7QUFDbkYsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sK0JBQStCLENBQUMsRUFBRSxNQUFNO0FBQy9FLFVBQU1BO0FBQUEsTUFDSjtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUNBLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLCtCQUErQixDQUFDLEVBQUUsTUFBTTtBQUMvRSxVQUFNLEtBQUssV0FBVyxRQUFRLEVBQUUsYUFBYSxFQUFFO0FBQy9DLFVBQU1BLEtBQUksTUFBTSxLQUFLLHNCQUFzQjtBQUMzQyxVQUFNLEtBQUssS0FBS0MsU0FBTyxNQUFNLEtBQUsscURBQXFELENBQUM7QUFDeEYsVUFBTSxLQUFLLFFBQVEsUUFBUSxFQUFFLFNBQVMsc0JBQXNCLENBQUMsRUFBRSxRQUFRO0FBQ3ZFLFVBQU1ILE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQUEsRUFDbkMsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDZFQUE2RSxZQUFZO0FBQzVGLFFBQU0sRUFBRSxRQUFBRyxTQUFPLElBQUksTUFBTSxXQUFXO0FBQ3BDLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLQSxTQUFPLE1BQU0sS0FBSyx1Q0FBdUMsQ0FBQztBQUMxRSxVQUFNRyxTQUFRLEtBQUssUUFBUSwwQkFBMEI7QUFDckQsVUFBTSxNQUFPLE1BQU1BLE9BQU0sWUFBWTtBQUNyQyxVQUFNLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxJQUFJLFFBQVEsS0FBSyxJQUFJLElBQUksRUFBRTtBQUN6RCxVQUFNLEtBQUssTUFBTSxLQUFLO0FBQ3RCLFVBQU0sS0FBSyxNQUFNLEtBQUssSUFBSSxJQUFJLElBQUksUUFBUSxLQUFLLElBQUksSUFBSSxJQUFJLFNBQVMsR0FBRyxFQUFFLE9BQU8sRUFBRSxDQUFDO0FBQ25GLFVBQU0sS0FBSyxNQUFNLEdBQUc7QUFDcEIsVUFBTTtBQUFBLE1BQVc7QUFBQSxNQUFrQyxZQUNqRCwrRkFBK0Y7QUFBQSxRQUM3RkwsT0FBTSxNQUFNLEdBQUcsS0FBSztBQUFBLE1BQ3RCO0FBQUEsSUFDRjtBQUNBLElBQUFHLFNBQU8sTUFBTUgsT0FBTSxNQUFNLE1BQU0sR0FBSSxVQUFVO0FBQzdDLFVBQU0sS0FBSyxPQUFPO0FBQ2xCLFVBQU1DLEtBQUksTUFBTSxLQUFLLHVDQUF1QztBQUM1RCxVQUFNSSxPQUFNLFFBQVE7QUFDcEIsVUFBTSxLQUFLLFNBQVMsTUFBTSxRQUFRO0FBQ2xDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixlQUFXLE9BQU8sQ0FBQyxjQUFjLG9CQUFvQixtQkFBbUIsT0FBTztBQUM3RSxZQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDL0IsVUFBTTtBQUFBLE1BQVc7QUFBQSxNQUF3QixZQUN2QyxjQUFjLEtBQUtMLE9BQU0sTUFBTSxHQUFHLEtBQUssRUFBRTtBQUFBLElBQzNDO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssa0VBQWtFLFlBQVk7QUFDakYsUUFBTSxFQUFFLFFBQUFFLFNBQU8sSUFBSSxNQUFNLFdBQVc7QUFDcEMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLG9CQUFvQjtBQUNqRCxVQUFNRyxTQUFRLEtBQUssUUFBUSx3QkFBd0I7QUFDbkQsVUFBTSxNQUFPLE1BQU1BLE9BQU0sWUFBWTtBQUNyQyxVQUFNLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxJQUFJLFFBQVEsS0FBSyxJQUFJLElBQUksRUFBRTtBQUN6RCxVQUFNLEtBQUssUUFBUSxhQUFhLEVBQUUsU0FBUyxpQkFBaUIsQ0FBQyxFQUFFLFFBQVE7QUFDdkUsVUFBTSxLQUFLLE1BQU0sS0FBSztBQUN0QixVQUFNLEtBQUssTUFBTSxLQUFLLElBQUksSUFBSSxJQUFJLFFBQVEsS0FBSyxJQUFJLElBQUksSUFBSSxFQUFFLE9BQU8sRUFBRSxDQUFDO0FBQ3ZFLFVBQU0sS0FBSyxNQUFNLEdBQUc7QUFDcEIsVUFBTSxXQUFXLHFCQUFxQixZQUFZLFdBQVcsS0FBS0wsT0FBTSxNQUFNLE1BQU0sS0FBSyxFQUFFLENBQUM7QUFDNUYsSUFBQUcsU0FBTyxNQUFNSCxPQUFNLE1BQU0sR0FBRyxHQUFHLElBQUk7QUFDbkMsVUFBTSxXQUFXLE9BQU9BLE9BQU0sTUFBTSxJQUFJLENBQUMsSUFBSSxPQUFPQSxPQUFNLE1BQU0sTUFBTSxDQUFDLEtBQUs7QUFDNUUsSUFBQUcsU0FBTyxHQUFHLFVBQVUsS0FBSyxVQUFVLEdBQUcsR0FBRyxPQUFPLFVBQVU7QUFBQSxFQUM1RCxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssK0RBQStELFlBQVk7QUFDOUUsUUFBTSxFQUFFLFFBQUFELFNBQU8sSUFBSSxNQUFNLFdBQVc7QUFDcEMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUtBLFNBQU8sTUFBTSxLQUFLLHlDQUF5QyxDQUFDO0FBQzVFLGVBQVcsUUFBUSxDQUFDLFNBQVMsUUFBUSxXQUFXLE1BQU07QUFDcEQsWUFBTSxLQUFLLFFBQVEsY0FBYyxFQUFFLFNBQVMsS0FBSyxDQUFDLEVBQUUsUUFBUTtBQUM5RCxJQUFBQyxTQUFPLE1BQU0sTUFBTUosTUFBSyxJQUFJLEVBQUUsTUFBTSxHQUFHLENBQUM7QUFDeEMsVUFBTSxLQUFLLEtBQUtHLFNBQU8sTUFBTSxLQUFLLG1CQUFtQixDQUFDO0FBQ3RELFVBQU0sS0FBSyxRQUFRLGNBQWMsRUFBRSxRQUFRO0FBQzNDLFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQkFBZ0IsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUsseUZBQXlGLFlBQVk7QUFDeEcsUUFBTSxFQUFFLFFBQUFBLFNBQU8sSUFBSSxNQUFNLFdBQVc7QUFDcEMsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUtBLFNBQU8sTUFBTSxLQUFLLG9CQUFvQixDQUFDO0FBQ3ZELFVBQU1ILE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLFVBQU1PLFVBQVMsTUFBTVAsTUFBSyxJQUFJLEVBQUUsTUFBTTtBQUN0QyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFNBQVMsTUFBTSxXQUFXO0FBQ3JDLFVBQU0sS0FBSyxTQUFTLE1BQU0sWUFBWTtBQUN0QyxVQUFNLFdBQVcsWUFBWSxZQUFhLE1BQU1BLE1BQUssSUFBSSxFQUFFLE1BQU0sTUFBT08sVUFBUyxDQUFDO0FBQ2xGLFVBQU0sS0FBSyxTQUFTLE1BQU0sWUFBWTtBQUN0QyxVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxXQUFXLHFCQUFxQixZQUFZTixPQUFNLE1BQU0sT0FBTyxNQUFNLElBQUk7QUFDL0UsVUFBTSxLQUFLLEtBQUtFLFNBQU8sTUFBTSxLQUFLLG9DQUFvQyxDQUFDO0FBQ3ZFLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLG1CQUFtQixDQUFDLEVBQUUsUUFBUTtBQUN0RSxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSwyQkFBMkIsQ0FBQyxFQUFFLE1BQU07QUFDM0UsVUFBTUQsS0FBSSxNQUFNLFFBQVEsU0FBUztBQUNqQyxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxtQkFBbUIsQ0FBQyxFQUFFLE1BQU07QUFDbkUsVUFBTUYsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0csU0FBTyxHQUFHLDZDQUE2QztBQUMxRSxVQUFNLEtBQUssUUFBUSxVQUFVLEVBQUUsU0FBUywwQkFBMEIsQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUMvRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUsscUZBQXFGLFlBQVk7QUFDcEcsUUFBTSxFQUFFLFFBQUFBLFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNSyxVQUFRLE1BQU0sTUFBTSxHQUFHTCxTQUFPLEdBQUcsMEJBQTBCO0FBQ2pFLE1BQUlLLFFBQU0sV0FBVyxJQUFLLE9BQU0sSUFBSSxLQUFLLDhDQUE4QztBQUN2RixRQUFNLFFBQVEsSUFBSSxJQUFJLEtBQUssTUFBTSxPQUFPLENBQUMsTUFBTSxFQUFFLFNBQVMsVUFBVSxFQUFFLElBQUksQ0FBQyxNQUFNLEVBQUUsRUFBRSxDQUFDO0FBQ3RGLFFBQU0sV0FBVyxLQUFLLFFBQVEsSUFBSSxTQUFTLEtBQUssQ0FBQyxHQUFHLE9BQU8sQ0FBQyxNQUFNLE1BQU0sSUFBSSxFQUFFLElBQUssQ0FBQyxFQUFFO0FBQ3RGLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLTCxTQUFPLE1BQU0sS0FBSyx1QkFBdUIsQ0FBQztBQUMxRCxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSw2QkFBNkIsQ0FBQyxFQUFFLE1BQU07QUFDM0UsVUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsUUFBUTtBQUM5QyxJQUFBQyxTQUFPLE1BQU0sSUFBSSxJQUFJLEtBQUssSUFBSSxDQUFDLEVBQUUsVUFBVSxXQUFXO0FBQ3RELElBQUFBLFNBQU8sTUFBTUgsT0FBTSxNQUFNLFFBQVEsR0FBRyx1QkFBdUI7QUFDM0QsVUFBTSxTQUFVLE9BQ2QsTUFBTTtBQUFBLE1BQ0osR0FBR0UsU0FBTyxHQUFHLDJDQUEyQyxtQkFBbUIsdUJBQXVCLENBQUM7QUFBQSxJQUNyRyxHQUNBLEtBQUs7QUFDUCxJQUFBQyxTQUFPLE1BQU0sT0FBTyxPQUFPLFVBQVUsR0FBVTtBQUMvQyxVQUFNLEtBQUssUUFBUSxlQUFlLEVBQUUsU0FBUyxXQUFXLENBQUMsRUFBRSxRQUFRO0FBQ25FLFVBQU0sS0FBSztBQUFBLE1BQ1QsR0FBR0QsU0FBTyxHQUFHLG9CQUFvQixtQkFBbUIsNkJBQTZCLENBQUM7QUFBQSxJQUNwRjtBQUNBLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGdCQUFnQixDQUFDLEVBQUUsTUFBTTtBQUNoRSxVQUFNRCxLQUFJLE1BQU0sWUFBWSxHQUFHO0FBQy9CLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLFFBQVE7QUFDOUMsVUFBTSxLQUFLLFFBQVEsbUNBQW1DLEVBQUUsU0FBUyxXQUFXLENBQUMsRUFBRSxRQUFRO0FBQ3ZGLFVBQU0sV0FBVyxNQUFNLG9CQUFvQjtBQUMzQyxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSw2QkFBNkIsQ0FBQyxFQUFFLE1BQU07QUFDN0UsVUFBTUEsS0FBSSxNQUFNLFVBQVUsSUFBSTtBQUM5QixVQUFNLEtBQUssS0FBSyxHQUFHQyxTQUFPLEdBQUcsb0JBQW9CLG1CQUFtQixzQkFBc0IsQ0FBQyxFQUFFO0FBQzdGLFVBQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxTQUFTLDRCQUE0QixDQUFDLEVBQUUsUUFBUTtBQUMvRSxVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxrQkFBa0IsQ0FBQyxFQUFFLE1BQU07QUFDaEUsVUFBTSxLQUFLLFFBQVEsVUFBVSxFQUFFLFNBQVMsbUJBQW1CLENBQUMsRUFBRSxRQUFRO0FBQ3RFLFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQkFBZ0IsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRSxDQUFDO0FBQ0gsQ0FBQzs7O0FDaFNELE9BQU9NLGNBQVk7QUFPbkIsSUFBTUMsUUFBTyxDQUFDLFNBQWUsS0FBSyxRQUFRLHVCQUF1QjtBQUNqRSxJQUFNQyxTQUFRLENBQUMsTUFBWSxTQUFpQixJQUFJLElBQUksS0FBSyxJQUFJLENBQUMsRUFBRSxhQUFhLElBQUksSUFBSTtBQUdyRixTQUFTLFlBQVksTUFBd0U7QUFDM0YsYUFBVyxVQUFVLEtBQUssTUFBTSxPQUFPLENBQUMsTUFBTSxFQUFFLEtBQUssR0FBRztBQUN0RCxVQUFNLFFBQVEsS0FBSyxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsVUFBVSxPQUFPLEtBQUs7QUFDL0QsUUFBSSxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsU0FBUyxjQUFjLEVBQUUsVUFBVTtBQUMzRCxhQUFPLEVBQUUsT0FBTyxPQUFPLE9BQU8sT0FBTyxPQUFPO0FBQUEsRUFDaEQ7QUFDQSxRQUFNLElBQUksTUFBTSw0QkFBNEI7QUFDOUM7QUFFQSxXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxHQUFHO0FBQzVCLFNBQUssc0NBQXNDLEtBQUssS0FBSyxLQUFLLFNBQVMsWUFBWTtBQUM3RSxZQUFNLEVBQUUsUUFBQUMsVUFBUSxLQUFLLElBQUksTUFBTSxXQUFXO0FBQzFDLFlBQU0sRUFBRSxPQUFPLE9BQU8sSUFBSSxZQUFZLElBQUk7QUFDMUMsWUFBTSxTQUFTLFVBQVUsTUFBTSxPQUFPO0FBQ3RDLFlBQU0sU0FBUyxFQUFFLGFBQWEsT0FBTyxVQUFVLEVBQUUsT0FBTyxPQUFPLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDbEYsY0FBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLGlCQUFpQixLQUFLLFNBQVMsT0FBTyxFQUFFLFlBQVk7QUFDakYsY0FBTSxLQUFLLFFBQVEsZUFBZSxFQUFFLFFBQVE7QUFDNUMsUUFBQUMsU0FBTztBQUFBLFVBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxVQUMzRTtBQUFBLFVBQ0E7QUFBQSxRQUNGO0FBQ0EsY0FBTSxXQUFXLE1BQU0sY0FBYyxLQUFLLElBQUksS0FBSyxFQUFFO0FBQUEsTUFDdkQsQ0FBQztBQUFBLElBQ0gsQ0FBQztBQUVMLEtBQUssc0RBQXNELFlBQVk7QUFDckUsUUFBTSxFQUFFLFFBQUFELFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLEVBQUUsT0FBTyxPQUFPLE9BQU8sSUFBSSxZQUFZLElBQUk7QUFDakQsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLGlCQUFpQixLQUFLLEVBQUU7QUFDckQsVUFBTSxPQUFPLEtBQUssUUFBUSxhQUFhO0FBQ3ZDLFVBQU0sS0FBSyxRQUFRO0FBQ25CLElBQUFDLFNBQU8sTUFBTyxNQUFNLEtBQUssWUFBWSxHQUFLLDJCQUEyQjtBQUNyRSxJQUFBQSxTQUFPLE1BQU8sTUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsWUFBWSxHQUFLLHdCQUF3QjtBQUM3RixVQUFNQyxPQUFNSixNQUFLLElBQUksRUFBRSxPQUFPLEVBQUUsU0FBUyxpQkFBaUIsQ0FBQztBQUMzRCxVQUFNLFdBQVcsZUFBZSxZQUFhLE1BQU1JLEtBQUksUUFBUSxTQUFTLEVBQUUsTUFBTSxNQUFPLENBQUM7QUFDeEYsSUFBQUQsU0FBTyxNQUFNLE1BQU1DLEtBQUksUUFBUSxhQUFhLEVBQUUsTUFBTSxHQUFHLEdBQUcseUJBQXlCO0FBQ25GLElBQUFELFNBQU8sR0FBSSxNQUFNQyxLQUFJLFFBQVEsU0FBUyxFQUFFLE1BQU0sSUFBSyxHQUFHLDZCQUE2QjtBQUVuRixVQUFNLE9BQVEsTUFBTUosTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVEsT0FBTyxFQUFFLFlBQVk7QUFDcEUsVUFBTSxRQUFRLE1BQU0sS0FDakIsUUFBUSxTQUFTLEVBQ2pCLFlBQVksQ0FBQyxRQUFRLElBQUksSUFBSSxDQUFDLE1BQU0sV0FBWSxFQUFrQixNQUFNLEtBQUssQ0FBQyxDQUFDO0FBQ2xGLFVBQU0sTUFBTSxNQUFNLE9BQU8sQ0FBQyxHQUFHLE1BQU0sSUFBSSxHQUFHLENBQUM7QUFDM0MsSUFBQUcsU0FBTyxHQUFHLEtBQUssUUFBUSxLQUFLLEtBQUssSUFBSSxNQUFNLEdBQUcsSUFBSSxLQUFLLEdBQUcsR0FBRyxHQUFHO0FBQ2hFLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGdCQUFnQixDQUFDLEVBQUUsTUFBTTtBQUNoRSxVQUFNLFdBQVcsWUFBWSxZQUFhLE1BQU0sS0FBSyxRQUFRLFNBQVMsRUFBRSxNQUFNLE1BQU8sQ0FBQztBQUN0RixJQUFBQSxTQUFPLE1BQU1GLE9BQU0sTUFBTSxVQUFVLEdBQUcsR0FBRztBQUN6QyxJQUFBRSxTQUFPLE1BQU0sTUFBTSxPQUFPLENBQUMsTUFBTSxFQUFFLFVBQVUsT0FBTyxLQUFLLEVBQUUsUUFBUSxNQUFNLE1BQU07QUFBQSxFQUNqRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUsseURBQXlELFlBQVk7QUFDeEUsUUFBTSxFQUFFLFFBQUFELFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLEVBQUUsT0FBTyxNQUFNLElBQUksWUFBWSxJQUFJO0FBQ3pDLFFBQU0sVUFBVSxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsU0FBUyxjQUFjO0FBQzdELFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxpQkFBaUIsS0FBSyxFQUFFO0FBQ3JELFVBQU0sUUFBUUYsTUFBSyxJQUFJLEVBQUUsT0FBTyxFQUFFLFNBQVMsUUFBSyxRQUFRLE1BQU0sR0FBRyxDQUFDO0FBQ2xFLFVBQU0sTUFBTSxRQUFRO0FBQ3BCLElBQUFHLFNBQU8sTUFBTSxNQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLEdBQUcsTUFBTSxTQUFTLFFBQVEsU0FBUyxDQUFDO0FBQ3hFLElBQUFHLFNBQU8sTUFBTSxNQUFNLE1BQU0sYUFBYSxlQUFlLEdBQUcsT0FBTztBQUMvRCxVQUFNLE1BQU0sUUFBUSxjQUFjLEVBQUUsTUFBTTtBQUMxQyxVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBYSxNQUFNSCxNQUFLLElBQUksRUFBRSxNQUFNLE1BQU8sTUFBTSxTQUFTO0FBQUEsSUFDNUQ7QUFDQSxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxvQkFBb0IsQ0FBQyxFQUFFLE1BQU07QUFDcEUsVUFBTSxXQUFXLFlBQVksWUFBYSxNQUFNQSxNQUFLLElBQUksRUFBRSxNQUFNLE1BQU8sTUFBTSxNQUFNO0FBQ3BGLFVBQU0sS0FBSyxLQUFLLEdBQUdFLFNBQU8sR0FBRyxpQkFBaUIsS0FBSyxTQUFTLFFBQVEsQ0FBQyxFQUFFLEVBQUUsRUFBRTtBQUMzRSxVQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxTQUFTLGVBQWUsQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUNoRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssc0ZBQXNGLFlBQVk7QUFDckcsUUFBTSxFQUFFLFFBQUFBLFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNLEVBQUUsT0FBTyxNQUFNLElBQUksWUFBWSxJQUFJO0FBQ3pDLFFBQU0sVUFBVSxNQUFNLE9BQU8sQ0FBQyxNQUFNLEVBQUUsU0FBUyxjQUFjO0FBQzdELFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUdBLFNBQU8sR0FBRyxpQkFBaUIsS0FBSyxFQUFFO0FBQ3JELFVBQU1GLE1BQUssSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2pDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssU0FBUyxLQUFLLFlBQVk7QUFDckMsVUFBTSxNQUFNLEtBQUssUUFBUSxXQUFXO0FBQ3BDLFVBQU0sSUFBSSxRQUFRLGlCQUFpQixFQUFFLFNBQVMsR0FBRyxRQUFRLE1BQU0sV0FBVyxDQUFDLEVBQUUsUUFBUTtBQUNyRixVQUFNLEtBQUssU0FBUyxNQUFNLE9BQU87QUFDakMsVUFBTSxJQUFJLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxRQUFRLFFBQVEsTUFBTSxHQUFHLENBQUMsRUFBRSxRQUFRO0FBQ2xGLElBQUFHLFNBQU8sTUFBTUYsT0FBTSxNQUFNLE1BQU0sR0FBRyxRQUFRLENBQUMsRUFBRSxFQUFFO0FBQy9DLElBQUFFLFNBQU8sTUFBTUYsT0FBTSxNQUFNLE1BQU0sR0FBRyxZQUFZO0FBQzlDLFVBQU0sS0FBSyxTQUFTLE1BQU0sUUFBUTtBQUNsQyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxJQUFJLFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxRQUFRLFFBQVEsTUFBTSxHQUFHLENBQUMsRUFBRSxRQUFRO0FBQ2xGLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxJQUNILFFBQVEsaUJBQWlCLEVBQUUsU0FBUyxHQUFHLFFBQVEsTUFBTSxPQUFPLFFBQVEsTUFBTSxHQUFHLENBQUMsRUFDOUUsUUFBUTtBQUFBLEVBQ2IsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLDJFQUEyRSxZQUFZO0FBQzFGLFFBQU0sRUFBRSxRQUFBQyxVQUFRLEtBQUssSUFBSSxNQUFNLFdBQVc7QUFDMUMsUUFBTSxFQUFFLE9BQU8sT0FBTyxJQUFJLFlBQVksSUFBSTtBQUMxQyxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsaUJBQWlCLEtBQUssU0FBUyxPQUFPLEVBQUUsRUFBRTtBQUN2RSxVQUFNRixNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxRQUFRLEtBQUssUUFBUSxhQUFhO0FBQ3hDLFVBQU0sTUFBTSxRQUFRO0FBQ3BCLFVBQU0sTUFBTSxRQUFRLGlCQUFpQixFQUFFLFNBQVMsZ0NBQWdDLENBQUMsRUFBRSxRQUFRO0FBQzNGLFVBQU1LLFFBQVEsTUFBTSxNQUFNLFlBQVk7QUFDdEMsZUFBVyxRQUFRO0FBQUEsTUFDakI7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLElBQ0Y7QUFDRSxNQUFBRixTQUFPLEdBQUdFLE1BQUssU0FBUyxJQUFJLEdBQUcsR0FBRyxJQUFJLE9BQU9BLEtBQUksRUFBRTtBQUNyRCxVQUFNLE1BQ0gsUUFBUSxNQUFNLEVBQUUsU0FBUyx1QkFBdUIsQ0FBQyxFQUNqRCxVQUFVLE1BQU0sRUFDaEIsTUFBTTtBQUNULFVBQU07QUFBQSxNQUFXO0FBQUEsTUFBWSxZQUMzQiwwREFBMEQsS0FBS0osT0FBTSxNQUFNLEdBQUcsS0FBSyxFQUFFO0FBQUEsSUFDdkY7QUFDQSxVQUFNLEtBQUssUUFBUSx3QkFBd0IsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUFBLEVBQy9ELENBQUM7QUFDSCxDQUFDO0FBRUQsS0FBSyw2RUFBNkUsWUFBWTtBQUM1RixRQUFNLEVBQUUsUUFBQUMsVUFBUSxLQUFLLElBQUksTUFBTSxXQUFXO0FBQzFDLFFBQU0sT0FBTyxLQUFLLE1BQU0sS0FBSyxDQUFDLE1BQU0sRUFBRSxLQUFLO0FBQzNDLFFBQU0sU0FBUyxFQUFFLGFBQWEsQ0FBQyxrQkFBa0IsaUJBQWlCLEVBQUUsR0FBRyxPQUFPLFNBQVM7QUFDckYsVUFBTSxLQUFLLEtBQUssR0FBR0EsU0FBTyxHQUFHLGlCQUFpQixLQUFLLEtBQUssU0FBUyxLQUFLLEVBQUUsWUFBWTtBQUNwRixVQUFNLEtBQUssVUFBVSxRQUFRLEVBQUUsTUFBTSxxQkFBcUIsQ0FBQyxFQUFFLE1BQU07QUFDbkUsVUFBTSxLQUFLLFFBQVEsc0JBQXNCLEVBQUUsU0FBUyxpQkFBaUIsQ0FBQyxFQUFFLFFBQVE7QUFDaEYsVUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFVBQVUsVUFBVSxFQUFFLE1BQU0sWUFBWSxDQUFDLEVBQUUsTUFBTTtBQUNuRixVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxTQUFTLENBQUMsRUFBRSxRQUFRO0FBQzNELFVBQU0sU0FBUyxLQUFLLE1BQU0sTUFBTSxLQUFLLFNBQVMsTUFBTSxVQUFVLFVBQVUsU0FBUyxDQUFDLENBQUM7QUFHbkYsSUFBQUMsU0FBTyxHQUFHLE9BQU8sY0FBYyxVQUFVLENBQUM7QUFBQSxFQUM1QyxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssb0ZBQW9GLFlBQVk7QUFDbkcsUUFBTSxFQUFFLFFBQUFELFVBQVEsS0FBSyxJQUFJLE1BQU0sV0FBVztBQUMxQyxRQUFNSSxTQUFRLE9BQU8sSUFBSTtBQUN6QixRQUFNLFFBQVE7QUFDZCxRQUFNLE9BQU8sQ0FBQyxJQUFZLFFBQWdCQyxLQUFZLFFBQTBCO0FBQUEsSUFDOUUsU0FBUztBQUFBLElBQ1Q7QUFBQSxJQUNBO0FBQUEsSUFDQTtBQUFBLElBQ0EsTUFBTSxRQUFRLEdBQUcsTUFBTSxFQUFFLENBQUM7QUFBQSxJQUMxQixNQUFNO0FBQUEsSUFDTixNQUFNRCxTQUFRQztBQUFBLElBQ2Q7QUFBQSxJQUNBLFlBQVksQ0FBQztBQUFBLEVBQ2Y7QUFDQSxRQUFNLGNBQWNMLFNBQU8sS0FBSztBQUFBLElBQzlCLEtBQUssb0JBQW9CLG9CQUFvQixHQUFHLEVBQUU7QUFBQSxJQUNsRCxLQUFLLG9CQUFvQixvQkFBb0IsSUFBSSxFQUFFO0FBQUEsSUFDbkQsS0FBSyxvQkFBb0Isb0JBQW9CLElBQUksRUFBRTtBQUFBLEVBQ3JELENBQUM7QUFDRCxRQUFNLFNBQVMsQ0FBQyxHQUFHLE9BQU8sU0FBUztBQUNqQyxVQUFNLEtBQUssS0FBSyxHQUFHQSxTQUFPLEdBQUcsaUJBQWlCLEtBQUssRUFBRTtBQUNyRCxVQUFNRixNQUFLLElBQUksRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUNqQyxJQUFBRyxTQUFPLE1BQU8sTUFBTUgsTUFBSyxJQUFJLEVBQUUsTUFBTSxFQUFFLFlBQVksR0FBSywwQkFBMEI7QUFDbEYsSUFBQUcsU0FBTztBQUFBLE1BQ0wsTUFBTSxRQUFRLElBQUksQ0FBQyxHQUFHLEdBQUcsR0FBRyxDQUFDLEVBQUUsSUFBSSxDQUFDLE1BQU1ILE1BQUssSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLGFBQWEsWUFBWSxDQUFDLENBQUM7QUFBQSxNQUN2RixDQUFDLEtBQUssS0FBSyxLQUFLLEdBQUc7QUFBQSxJQUNyQjtBQUNBLFVBQU0sS0FBSyxVQUFVLFVBQVUsRUFBRSxNQUFNLGVBQWUsQ0FBQyxFQUFFLE1BQU07QUFDL0QsVUFBTSxXQUFXLGFBQWEsWUFBWSxPQUFPQyxPQUFNLE1BQU0sTUFBTSxDQUFDLElBQUlLLE1BQUs7QUFDN0UsSUFBQUgsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLGdCQUFnQixFQUFFLE1BQU0sR0FBRyxDQUFDO0FBQUEsRUFDOUQsQ0FBQztBQUNILENBQUM7OztBQ2pNRCxPQUFPSyxjQUFZO0FBQ25CLFNBQVMsUUFBQUMsY0FBWTtBQU9yQixJQUFNQyxXQUFVO0FBQUEsRUFDZDtBQUFBLEVBQ0E7QUFBQSxFQUNBLElBQUksT0FBTyxHQUFNO0FBQUEsRUFDakI7QUFDRjtBQUVBLElBQUlDLFVBQWdDO0FBRXBDLFNBQVNDLFdBQTBCO0FBQ2pDLEVBQUFELGFBQVcsWUFBWTtBQUNyQixVQUFNLElBQUksTUFBTSxJQUFJLE9BQU8sRUFBRSxNQUFNO0FBQ25DLFVBQU0sUUFBUSxVQUFVO0FBQ3hCLE1BQUUsS0FBS0UsT0FBSyxZQUFZLHlCQUF5QixHQUFHLFlBQVksVUFBVSxRQUFRO0FBQ2xGLE1BQUU7QUFBQSxNQUNBLE9BQU9BLE9BQUssT0FBTyxjQUFjLEdBQUc7QUFBQSxRQUNsQyx1QkFBdUI7QUFBQSxRQUN2QixrQkFBa0I7QUFBQSxRQUNsQixrQkFBa0I7QUFBQSxRQUNsQixhQUFhO0FBQUEsUUFDYixhQUFhO0FBQUEsUUFDYixlQUFlO0FBQUEsTUFDakIsQ0FBQztBQUFBLE1BQ0Q7QUFBQSxJQUNGO0FBQ0EsTUFBRTtBQUFBLE1BQ0E7QUFBQSxRQUNFQSxPQUFLLE9BQU8sZ0JBQWdCO0FBQUEsUUFDNUIsT0FBTztBQUFBLFVBQ0xILFNBQVEsSUFBSSxDQUFDLE1BQU0sTUFBTSxDQUFDLFFBQVFBLFVBQVMsSUFBSSxLQUFLQSxTQUFRLE1BQU0sQ0FBQyxJQUFJLElBQUksSUFBSSxJQUFJLENBQUMsQ0FBQztBQUFBLFFBQ3ZGO0FBQUEsTUFDRjtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQ0EsVUFBTSxPQUErQixDQUFDO0FBQ3RDLGFBQVMsSUFBSSxHQUFHLElBQUksS0FBUTtBQUMxQixXQUFLLGNBQWMsSUFBSSxFQUFFLFNBQVMsSUFBSSxHQUFJLFNBQVMsQ0FBQyxFQUFFLElBQUksSUFBSyxJQUFJO0FBQ3JFLE1BQUUsS0FBSyxPQUFPRyxPQUFLLE9BQU8sYUFBYSxHQUFHLElBQUksR0FBRyxNQUFNO0FBQ3ZELFdBQU87QUFBQSxFQUNULEdBQUc7QUFDSCxTQUFPRjtBQUNUO0FBRUEsSUFBTSxPQUFPLENBQUMsTUFBWSxTQUFpQixLQUFLLFFBQVEsdUJBQXVCLElBQUksSUFBSTtBQUN2RixJQUFNLFdBQVcsQ0FBQyxTQUFlLEtBQUssUUFBUSwyQkFBMkI7QUFDekUsSUFBTSxRQUFRLE9BQU8sVUFDbEIsTUFBTSxTQUFTLElBQUksRUFBRSxRQUFRLGdCQUFnQixFQUFFLGdCQUFnQixHQUFHLEtBQUssR0FBRztBQUM3RSxJQUFNLFFBQVEsQ0FBQyxNQUFZRyxVQUN6QixXQUFXQSxPQUFNLFlBQWEsTUFBTSxNQUFNLElBQUksTUFBT0EsS0FBSTtBQUUzRCxXQUFXLFNBQVMsQ0FBQyxTQUFTLE1BQU07QUFDbEMsYUFBVyxTQUFTLENBQUMsTUFBTSxNQUFNLEdBQUc7QUFDbEMsU0FBSyxpQ0FBaUMsS0FBSyxLQUFLLEtBQUssU0FBUyxZQUFZO0FBQ3hFLFlBQU0sSUFBSSxNQUFNRixTQUFPO0FBQ3ZCLFlBQU07QUFBQSxRQUNKLEVBQUUsYUFBYSxPQUFPLFVBQVUsRUFBRSxPQUFPLFFBQVEsVUFBVSxNQUFNLE1BQU0sSUFBSSxFQUFFO0FBQUEsUUFDN0UsT0FBTyxTQUFTO0FBQ2QsZ0JBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGdEQUFnRDtBQUN4RSxnQkFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ2xELGdCQUFNLFdBQVcsTUFBTSxRQUFRLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFDL0MsVUFBQUcsU0FBTztBQUFBLFlBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxZQUMzRTtBQUFBLFlBQ0E7QUFBQSxVQUNGO0FBQ0EsZ0JBQU0sS0FBSztBQUFBLFlBQ1QsR0FBRyxFQUFFLEdBQUc7QUFBQSxVQUNWO0FBQ0EsZ0JBQU0sS0FBSyxRQUFRLGVBQWUsRUFBRSxJQUFJLENBQUMsRUFBRSxRQUFRO0FBQ25ELGdCQUFNLFdBQVcsTUFBTSxZQUFZLEtBQUssSUFBSSxLQUFLLEVBQUU7QUFDbkQsVUFBQUEsU0FBTztBQUFBLFlBQ0wsTUFBTSxLQUFLLFNBQVMsTUFBTSxTQUFTLGdCQUFnQixjQUFjLFVBQVU7QUFBQSxZQUMzRTtBQUFBLFlBQ0E7QUFBQSxVQUNGO0FBQUEsUUFDRjtBQUFBLE1BQ0Y7QUFBQSxJQUNGLENBQUM7QUFFTCxLQUFLLDhEQUE4RCxZQUFZO0FBQzdFLFFBQU0sSUFBSSxNQUFNSCxTQUFPO0FBQ3ZCLFFBQU0sV0FBVyxLQUFLLE1BQU0sRUFBRSxNQUFNLE9BQU8sWUFBWSxNQUFNLEtBQUssUUFBUSxDQUFDO0FBSTNFLFFBQU1JLE9BQU0sU0FBUyxLQUFLLEtBQUssQ0FBQyxPQUFPLEVBQUUsUUFBUSxFQUFFLGNBQWMsa0JBQWtCO0FBQ25GLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGtFQUFrRTtBQUMxRixVQUFNLFFBQVEsS0FBSyxRQUFRLGlCQUFpQjtBQUM1QyxVQUFNLE1BQU0sUUFBUTtBQUNwQixVQUFNLENBQUNDLFFBQU8sSUFBSSxJQUFJLE1BQU0sTUFBTSxRQUFRLFFBQVEsRUFBRSxnQkFBZ0I7QUFDcEUsVUFBTSxRQUFRLFNBQVMsS0FBSyxLQUFLLENBQUMsT0FBTyxFQUFFLFFBQVEsRUFBRSxjQUFjLGNBQWMsRUFBRztBQUNwRixJQUFBRixTQUFPO0FBQUEsTUFDTEU7QUFBQSxNQUNBLEdBQUcsWUFBWUQsS0FBSSxPQUFPLGFBQWEsQ0FBQyxLQUFLLFlBQVlBLEtBQUksT0FBTyxLQUFNLENBQUM7QUFBQSxJQUM3RTtBQUNBLElBQUFELFNBQU87QUFBQSxNQUNMO0FBQUEsTUFDQSxHQUFHLFlBQVlDLEtBQUksTUFBTSxhQUFhLENBQUMsS0FBSyxZQUFZQSxLQUFJLE1BQU0sS0FBTSxDQUFDO0FBQUEsSUFDM0U7QUFDQSxJQUFBRCxTQUFPLE1BQU0sT0FBTyxLQUFNO0FBQUEsRUFDNUIsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLGlFQUFpRSxZQUFZO0FBQ2hGLFFBQU0sSUFBSSxNQUFNSCxTQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLG1EQUFtRDtBQUMzRSxVQUFNLEtBQUssTUFBTSxnQkFBZ0IsRUFBRSxRQUFRLFdBQVcsRUFBRSxNQUFNLEVBQUUsUUFBUTtBQUN4RSxJQUFBRyxTQUFPO0FBQUEsTUFDSixNQUFNLEtBQUssUUFBUSxpQkFBaUIsRUFBRSxZQUFZO0FBQUEsTUFDbkQ7QUFBQSxJQUNGO0FBQ0EsVUFBTSxVQUFVLE1BQU0sS0FBSyxNQUFNLGdCQUFnQixFQUFFLFFBQVEsV0FBVyxFQUFFLGdCQUFnQjtBQUN4RixJQUFBQSxTQUFPLFVBQVUsU0FBUyxDQUFDLGdCQUFnQixjQUFjLENBQUM7QUFDMUQsSUFBQUEsU0FBTyxVQUFVLE1BQU0sS0FBSyxNQUFNLGdCQUFnQixFQUFFLFFBQVEsV0FBVyxFQUFFLGdCQUFnQixHQUFHO0FBQUEsTUFDMUY7QUFBQSxJQUNGLENBQUM7QUFDRCxJQUFBQSxTQUFPO0FBQUEsTUFDSixNQUFNLEtBQUssTUFBTSxnQkFBZ0IsRUFBRSxRQUFRLGFBQWEsRUFBRSxZQUFZO0FBQUEsTUFDdkU7QUFBQSxJQUNGO0FBQ0EsVUFBTSxLQUFLLE1BQU0sZ0JBQWdCLEVBQUUsUUFBUSxhQUFhLEVBQUUsU0FBUyxPQUFPLENBQUMsRUFBRSxNQUFNO0FBQ25GLFVBQU0sS0FBSyxRQUFRLGtCQUFrQixFQUFFLFNBQVMsT0FBTyxDQUFDLEVBQUUsUUFBUTtBQUNsRSxJQUFBQSxTQUFPLE1BQU0sS0FBSyxJQUFJLEdBQUcsZUFBZTtBQUN4QyxVQUFNLEtBQUssT0FBTztBQUNsQixVQUFNLEtBQUssUUFBUSxrQkFBa0IsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFFbEUsVUFBTSxLQUFLLE1BQU0sU0FBUyxFQUN2QixRQUFRLHFCQUFxQixFQUM3QixNQUFNLEVBQUUsVUFBVSxFQUFFLEdBQUcsSUFBSSxHQUFHLEdBQUcsRUFBRSxDQUFDO0FBQ3ZDLFVBQU0sS0FBSyxRQUFRLGtCQUFrQixFQUFFLFNBQVMsT0FBTyxDQUFDLEVBQUUsUUFBUTtBQUNsRSxJQUFBQSxTQUFPLE1BQU8sTUFBTSxLQUFLLE1BQU0sZ0JBQWdCLEVBQUUsWUFBWSxHQUFLLFlBQVk7QUFBQSxFQUNoRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssZ0VBQWdFLFlBQVk7QUFDL0UsUUFBTSxJQUFJLE1BQU1ILFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcscUNBQXFDO0FBQzdELFVBQU0sS0FBSyxVQUFVLFdBQVcsRUFBRSxNQUFNLG9CQUFvQixDQUFDLEVBQUUsUUFBUTtBQUN2RSxVQUFNLFdBQVcsTUFBTSxpQkFBaUI7QUFDeEMsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLEtBQUssS0FBSztBQUN4QyxVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFBYSxNQUFNLEtBQUssTUFBTSxXQUFXLEVBQUUsUUFBUSxXQUFXLEVBQUUsTUFBTSxNQUFPO0FBQUEsSUFDL0U7QUFDQSxVQUFNLEtBQUssTUFBTSxXQUFXLEVBQUUsUUFBUSxXQUFXLEVBQUUsTUFBTTtBQUN6RCxVQUFNLEtBQUssUUFBUSxrQkFBa0IsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFDbEUsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sZ0JBQVcsQ0FBQyxFQUFFLE1BQU07QUFDM0QsVUFBTSxLQUFLLFFBQVEsd0JBQXdCLEVBQUUsS0FBSyxLQUFLO0FBQ3ZELFVBQU07QUFBQSxNQUNKO0FBQUEsTUFDQSxZQUFhLE1BQU0sS0FBSyxRQUFRLHdCQUF3QixFQUFFLE1BQU0sTUFBTztBQUFBLElBQ3pFO0FBQ0EsVUFBTSxXQUFXLE1BQU0saUJBQWlCO0FBQ3hDLFVBQU0sS0FBSyxTQUFTLE1BQU0sT0FBTztBQUNqQyxVQUFNLEtBQUssUUFBUSxrQkFBa0IsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUNwRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssc0VBQXNFLFlBQVk7QUFDckYsUUFBTSxJQUFJLE1BQU1BLFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcscURBQXFEO0FBQzdFLFVBQU0sS0FBSyxVQUFVLGlDQUFpQyxFQUFFLFFBQVE7QUFDaEUsVUFBTSxLQUFLLE1BQU0sV0FBVyxFQUFFLFFBQVEsV0FBVyxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ25FLFNBQUssYUFBYSxLQUFLLFdBQVcsT0FBTyxDQUFDLE1BQU0sQ0FBQyxnQkFBZ0IsS0FBSyxDQUFDLENBQUM7QUFBQSxFQUMxRSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssbUVBQW1FLFlBQVk7QUFDbEYsUUFBTSxJQUFJLE1BQU1BLFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUNBQWlDO0FBQ3pELFVBQU0sTUFBTSxNQUFNLGlDQUFpQztBQUNuRCxJQUFBRyxTQUFPLFVBQVUsTUFBTSxTQUFTLElBQUksRUFBRSxJQUFJLENBQUMsRUFBRSxRQUFRLGlCQUFpQixFQUFFLGdCQUFnQixHQUFHO0FBQUEsTUFDekY7QUFBQSxNQUNBO0FBQUEsTUFDQTtBQUFBLE1BQ0E7QUFBQSxJQUNGLENBQUM7QUFDRCxVQUFNLE9BQU8sU0FBUyxJQUFJLEVBQUUsSUFBSSxDQUFDO0FBQ2pDLElBQUFBLFNBQU87QUFBQSxNQUNMO0FBQUEsUUFDRSxNQUFNLEtBQUssYUFBYSxZQUFZO0FBQUEsUUFDcEMsTUFBTSxLQUFLLGFBQWEsZUFBZTtBQUFBLFFBQ3ZDLE1BQU0sS0FBSyxhQUFhLGVBQWU7QUFBQSxNQUN6QztBQUFBLE1BQ0EsQ0FBQyxLQUFLLFNBQVMsTUFBTTtBQUFBLElBQ3ZCO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0wsTUFBTSxTQUFTLElBQUksRUFBRSxJQUFJLENBQUMsRUFBRSxhQUFhLGVBQWU7QUFBQSxNQUN4RDtBQUFBLE1BQ0E7QUFBQSxJQUNGO0FBQUEsRUFDRixDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMkRBQTJELFlBQVk7QUFDMUUsUUFBTSxJQUFJLE1BQU1ILFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUNBQWlDO0FBQ3pELFVBQU0sTUFBTSxNQUFNLGlDQUFpQztBQUNuRCxVQUFNLEtBQUssUUFBUSxpQkFBaUIsRUFBRSxNQUFNO0FBQzVDLFVBQU0sS0FBSyxTQUFTLE1BQU0sWUFBWTtBQUN0QyxVQUFNLE1BQU0sTUFBTSxzQ0FBc0M7QUFDeEQsVUFBTSxLQUFLLFNBQVMsTUFBTSxZQUFZO0FBQ3RDLFVBQU0sS0FBSyxRQUFRLHNCQUFzQixFQUFFLFNBQVMsT0FBTyxDQUFDLEVBQUUsUUFBUTtBQUN0RSxVQUFNLFNBQVMsTUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsYUFBYSx1QkFBdUI7QUFDekYsSUFBQUcsU0FBTztBQUFBLE1BQ0wsTUFBTSxLQUFLLFFBQVEsb0JBQW9CLEVBQUUsYUFBYSxJQUFJO0FBQUEsTUFDMUQ7QUFBQSxNQUNBO0FBQUEsSUFDRjtBQUVBLGVBQVcsT0FBTyxDQUFDLGFBQWEsYUFBYSxhQUFhLFdBQVc7QUFDbkUsWUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQy9CLFVBQU0sTUFBTSxNQUFNLHVCQUF1QjtBQUN6QyxVQUFNLEtBQUssU0FBUyxNQUFNLE1BQU07QUFDaEMsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sTUFBTSxNQUFNLGFBQWE7QUFDL0IsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sTUFBTSxNQUFNLHNDQUFzQztBQUN4RCxVQUFNLEtBQUssVUFBVSxVQUFVLEVBQUUsTUFBTSxlQUFlLENBQUMsRUFBRSxNQUFNO0FBQy9ELFVBQU0sTUFBTSxNQUFNLGFBQWE7QUFDL0IsVUFBTSxTQUFTLElBQUksRUFBRSxJQUFJLENBQUMsRUFBRSxRQUFRLGNBQWMsRUFBRSxNQUFNO0FBQzFELFVBQU0sTUFBTSxNQUFNLGtCQUFrQjtBQUNwQyxVQUFNLFNBQVMsSUFBSSxFQUFFLElBQUksQ0FBQyxFQUFFLFNBQVM7QUFDckMsVUFBTSxNQUFNLE1BQU0sNEJBQTRCO0FBQzlDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN4RSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssa0VBQWtFLFlBQVk7QUFDakYsUUFBTSxJQUFJLE1BQU1ILFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUNBQWlDO0FBQ3pELFVBQU0sU0FBUyxJQUFJLEVBQUUsTUFBTSxFQUFFLFFBQVE7QUFDckMsVUFBTSxLQUFLLFVBQVUsVUFBVSxFQUFFLE1BQU0sZUFBZSxDQUFDLEVBQUUsTUFBTTtBQUMvRCxVQUFNLEtBQUssUUFBUSxTQUFTLEVBQUUsS0FBSyxNQUFNO0FBQ3pDLFVBQU0sTUFBTSxNQUFNLDJDQUEyQztBQUM3RCxJQUFBRyxTQUFPLFVBQVUsTUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLGdCQUFnQixHQUFHLENBQUMsUUFBUSxRQUFRLE1BQU0sQ0FBQztBQUM5RixJQUFBQSxTQUFPLE1BQU8sTUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFlBQVksR0FBSywwQkFBMEI7QUFDM0YsVUFBTSxLQUFLLFFBQVEsU0FBUyxFQUFFLE1BQU0sUUFBUTtBQUM1QyxVQUFNLEtBQUssU0FBUyxNQUFNLEdBQUc7QUFDN0IsVUFBTSxLQUFLLFFBQVEsc0JBQXNCLEVBQUUsU0FBUyxPQUFPLENBQUMsRUFBRSxRQUFRO0FBQ3RFLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLEtBQUssUUFBUSxzQkFBc0IsRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLFFBQVE7QUFBQSxFQUN4RSxDQUFDO0FBQ0gsQ0FBQztBQUVELEtBQUssMkRBQTJELFlBQVk7QUFDMUUsUUFBTSxJQUFJLE1BQU1ILFNBQU87QUFDdkIsUUFBTSxTQUFTLENBQUMsR0FBRyxPQUFPLFNBQVM7QUFDakMsVUFBTSxLQUFLLEtBQUssR0FBRyxFQUFFLEdBQUcsaUNBQWlDO0FBQ3pELFVBQU0sTUFBTSxNQUFNLGlDQUFpQztBQUNuRCxVQUFNLFNBQVMsSUFBSSxFQUFFLE9BQU8sRUFBRSxTQUFTLE9BQU8sQ0FBQyxFQUFFLE1BQU07QUFDdkQsVUFBTSxLQUFLLFNBQVMsTUFBTSxHQUFHO0FBQzdCLFVBQU0sTUFBTSxNQUFNLFdBQVc7QUFDN0IsSUFBQUcsU0FBTyxNQUFNLEtBQUssSUFBSSxHQUFHLHFCQUFxQjtBQUM5QyxVQUFNLEtBQUssT0FBTztBQUNsQixVQUFNLE1BQU0sTUFBTSxXQUFXO0FBQzdCLFVBQU0sV0FBVyxjQUFjLFlBQVk7QUFFekMsVUFBSSxLQUFLLElBQUksRUFBRSxTQUFTLFdBQVcsRUFBRyxPQUFNLEtBQUssU0FBUyxNQUFNLFdBQVc7QUFDM0UsY0FBUSxNQUFNLE1BQU0sSUFBSSxHQUFHLFdBQVcsTUFBTTtBQUFBLElBQzlDLENBQUM7QUFDRCxVQUFNLEtBQUssS0FBSyxHQUFHLEVBQUUsR0FBRyxxREFBcUQ7QUFDN0UsVUFBTSxNQUFNLE1BQU0scUJBQXFCO0FBQ3ZDLElBQUFBLFNBQU8sTUFBTyxNQUFNLFNBQVMsSUFBSSxFQUFFLE1BQU0sRUFBRSxZQUFZLEdBQUssZ0JBQWdCO0FBQUEsRUFDOUUsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLHlEQUF5RCxZQUFZO0FBQ3hFLFFBQU0sSUFBSSxNQUFNSCxTQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLGdDQUFnQztBQUN4RCxVQUFNLFNBQVMsSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3JDLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLE1BQU07QUFDNUMsVUFBTSxLQUFLLFNBQVMsTUFBTSxNQUFNO0FBQ2hDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNO0FBQUEsTUFDSjtBQUFBLE1BQ0EsWUFDRSxPQUFPLE1BQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLGFBQWEsZUFBZSxDQUFDLElBQUk7QUFBQSxJQUNsRjtBQUNBLElBQUFHLFNBQU8sR0FBSSxNQUFNLFNBQVMsSUFBSSxFQUFFLE1BQU0sSUFBSyxLQUFLLGdDQUFnQztBQUNoRixVQUFNLEtBQUssU0FBUyxNQUFNLEtBQUs7QUFDL0IsVUFBTTtBQUFBLE1BQ0o7QUFBQSxNQUNBLFlBQ0csTUFBTSxLQUFLLFFBQVEsb0JBQW9CLEVBQUUsTUFBTSxNQUFPLEtBQ3ZELE9BQU8sTUFBTSxLQUFLLFFBQVEsb0JBQW9CLEVBQUUsYUFBYSxlQUFlLENBQUMsSUFBSTtBQUFBLElBQ3JGO0FBQ0EsSUFBQUEsU0FBTztBQUFBLE1BQ0osTUFBTSxLQUFLLFFBQVEsYUFBYSxFQUFFLFlBQVk7QUFBQSxNQUMvQztBQUFBLElBQ0Y7QUFDQSxVQUFNLFdBQVcsTUFBTSxXQUFXO0FBQUEsRUFDcEMsQ0FBQztBQUNILENBQUM7QUFFRCxLQUFLLG9DQUFvQyxZQUFZO0FBQ25ELFFBQU0sSUFBSSxNQUFNSCxTQUFPO0FBQ3ZCLFFBQU0sU0FBUyxDQUFDLEdBQUcsT0FBTyxTQUFTO0FBQ2pDLFVBQU0sS0FBSyxLQUFLLEdBQUcsRUFBRSxHQUFHLG1DQUFtQztBQUMzRCxVQUFNLFNBQVMsSUFBSSxFQUFFLE1BQU0sRUFBRSxRQUFRO0FBQ3JDLFVBQU0sS0FBSyxRQUFRLGlCQUFpQixFQUFFLE1BQU07QUFDNUMsVUFBTSxLQUFLLFNBQVMsTUFBTSxNQUFNO0FBQ2hDLFVBQU0sS0FBSyxTQUFTLE1BQU0sR0FBRztBQUM3QixVQUFNLFdBQVcsYUFBYSxZQUFhLE1BQU0sU0FBUyxJQUFJLEVBQUUsTUFBTSxNQUFPLENBQUM7QUFDOUUsVUFBTSxXQUFXLE1BQU0sY0FBYztBQUNyQyxlQUFXLFFBQVFGLFVBQVM7QUFDMUIsWUFBTSxLQUFLO0FBQUEsUUFDVCxHQUFHLEVBQUUsR0FBRyxrREFBa0QsbUJBQW1CLElBQUksQ0FBQztBQUFBLE1BQ3BGO0FBQ0EsWUFBTSxLQUFLLFFBQVEsaUJBQWlCLEVBQUUsUUFBUTtBQUM5QyxNQUFBSyxTQUFPO0FBQUEsUUFDTCxNQUFNLEtBQUssU0FBUyxNQUFNLFNBQVMsZ0JBQWdCLGNBQWMsVUFBVTtBQUFBLFFBQzNFO0FBQUEsUUFDQTtBQUFBLE1BQ0Y7QUFBQSxJQUNGO0FBQ0EsVUFBTSxXQUFXLE1BQU0sa0JBQWtCO0FBQ3pDLElBQUFBLFNBQU8sTUFBTSxNQUFNLEtBQUssU0FBUyxNQUFNLFlBQVksTUFBTSxHQUFHLEtBQUs7QUFDakUsSUFBQUEsU0FBTyxNQUFNLE1BQU0sS0FBSyxRQUFRLFVBQVUsRUFBRSxNQUFNLEdBQUcsQ0FBQztBQUFBLEVBQ3hELENBQUM7QUFDSCxDQUFDOzs7QUNoVUQsTUFBTSxPQUFPLEVBQUU7IiwKICAibmFtZXMiOiBbIndyaXRlRmlsZVN5bmMiLCAiam9pbiIsICJydW4iLCAidGV4dCIsICJmb2xkZXIiLCAiam9pbiIsICJqb2luIiwgImZvdW5kIiwgImpvaW4iLCAidGV4dCIsICJsaW5rIiwgImRvd25sb2FkIiwgImZvbGRlciIsICJ3cml0ZUZpbGVTeW5jIiwgInBvbGljeSIsICJhc3NlcnQiLCAiam9pbiIsICJ0ZXh0IiwgInNlcnZlciIsICJqb2luIiwgImFzc2VydCIsICJzaWRlIiwgImFzc2VydCIsICJyZWFkRmlsZVN5bmMiLCAiZGlybmFtZSIsICJqb2luIiwgIm5hbWVzIiwgImpvaW4iLCAia25vd24iLCAic2VydmVyIiwgInRleHQiLCAiYXNzZXJ0IiwgInJvdyIsICJmb2xkZWQiLCAicm93cyIsICJmb2xkZXIiLCAiZG93bmxvYWQiLCAicmVhZEZpbGVTeW5jIiwgImRpcm5hbWUiLCAibmFtZXMiLCAidGltZXMiLCAiZm91bmQiLCAiYXNzZXJ0IiwgInNwYXduIiwgImpvaW4iLCAic2VydmVyIiwgInNwYXduIiwgImpvaW4iLCAiZXZlbnRzIiwgInRleHQiLCAiYXNzZXJ0IiwgImFzc2VydCIsICJkaXJuYW1lIiwgImpvaW4iLCAiam9pbiIsICJkaXJuYW1lIiwgImFzc2VydCIsICJldmVudHMiLCAiYXNzZXJ0IiwgImpvaW4iLCAiaG9zdGlsZSIsICJrbm93biIsICJzZXJ2ZXIiLCAiam9pbiIsICJyb3dzIiwgImFzc2VydCIsICJyb3ciLCAibGluZXMiLCAiY2VsbHMiLCAiYXQiLCAibGluayIsICJuYW1lcyIsICJ0aW1lcyIsICJmb3VuZCIsICJhc3NlcnQiLCAiZXhlY1N5bmMiLCAicmVhZEZpbGVTeW5jIiwgIndyaXRlRmlsZVN5bmMiLCAiZGlybmFtZSIsICJqb2luIiwgImpvaW4iLCAia25vd24iLCAic2VydmVyIiwgInJlYWRGaWxlU3luYyIsICJhc3NlcnQiLCAid3JpdGVGaWxlU3luYyIsICJsaW5rIiwgInRleHQiLCAiZXhlY1N5bmMiLCAiZGlybmFtZSIsICJhc3NlcnQiLCAibmFtZXMiLCAicmVhZEZpbGVTeW5jIiwgImRpcm5hbWUiLCAiam9pbiIsICJmaWxlVVJMVG9QYXRoIiwgImZvbGRlciIsICJzZXJ2ZXIiLCAic2VydmVyIiwgIm1hZGUiLCAic2V0dGxlZCIsICJyb3ciLCAidGV4dCIsICJhc3NlcnQiLCAiaG9zdGlsZSIsICJhc3NlcnQiLCAiam9pbiIsICJhdCIsICJyb3ciLCAidGV4dCIsICJzdGFydCIsICJrbm93biIsICJzZXJ2ZXIiLCAiam9pbiIsICJ0ZXh0IiwgImF0IiwgInJvdyIsICJhc3NlcnQiLCAiYXNzZXJ0IiwgImF0IiwgInRleHQiLCAic3RhcnQiLCAiY291bnQiLCAic2hvcCIsICJuYW1lcyIsICJtaW51dGUiLCAia25vd24iLCAic2VydmVyIiwgInBhcmFtIiwgInRvdGFsIiwgInNlcnZlciIsICJhc3NlcnQiLCAicGFuZSIsICJjZWxscyIsICJhc3NlcnQiLCAic3RhcnQiLCAia25vd24iLCAic2VydmVyIiwgImF0IiwgInJvd3MiLCAicGFyYW0iLCAiYXNzZXJ0IiwgImFzc2VydCIsICJqb2luIiwgImZvbGRlciIsICJqb2luIiwgImFzc2VydCIsICJjcnVtYnMiLCAidHlwZXMiLCAiZG93bmxvYWQiLCAibmFtZXMiLCAidGV4dCIsICJncmFwaCIsICJhc3NlcnQiLCAiam9pbiIsICJzdGFydCIsICJrbm93biIsICJzZXJ2ZXIiLCAiam9pbiIsICJyb3dzIiwgInRleHQiLCAicGFyYW0iLCAiY291bnQiLCAiYXNzZXJ0IiwgImNlbGxzIiwgImJ1c3kiLCAiYXNzZXJ0IiwgImpvaW4iLCAic3RhcnQiLCAiYnVzeSIsICJqb2luIiwgImFzc2VydCIsICJyb3ciLCAiY2VsbHMiLCAicm93cyIsICJhc3NlcnQiLCAiam9pbiIsICJrbm93biIsICJzZXJ2ZXIiLCAiam9pbiIsICJ0ZXh0IiwgImFzc2VydCIsICJhdCIsICJhc3NlcnQiLCAicm93cyIsICJwYXJhbSIsICJoYXMiLCAic2VydmVyIiwgImFzc2VydCIsICJ0ZXh0IiwgImNlbGxzIiwgImZvbGRlZCIsICJrbm93biIsICJhc3NlcnQiLCAicm93cyIsICJwYXJhbSIsICJzZXJ2ZXIiLCAiYXNzZXJ0IiwgInJvdyIsICJ0ZXh0IiwgInN0YXJ0IiwgImF0IiwgImFzc2VydCIsICJqb2luIiwgImhvc3RpbGUiLCAia25vd24iLCAic2VydmVyIiwgImpvaW4iLCAidGV4dCIsICJhc3NlcnQiLCAicm93IiwgInRvdGFsIl0KfQo=
