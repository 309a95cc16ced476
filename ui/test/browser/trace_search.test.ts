// SPDX-License-Identifier: Apache-2.0
// Browser tests of the search of traces, on a real server with traces sent by OTLP.
import assert from "node:assert/strict";
import { Page } from "playwright-core";
import { Skip, test } from "../tap";
import { eventually, screenshot, withPage } from "./pages";
import { ShopData } from "./shop_data";
import { shopServer } from "./shop_server";

const rows = (page: Page) => page.locator(".found-table .data-row");
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const link = (q: string, more = "") => `/traces?q=${encodeURIComponent(q)}${more}`;
const has = (page: Page, name: string, value: string | null) =>
  eventually(`${name} is ${value} in the address`, async () => param(page, name) === value);

const failedTraces = (data: ShopData) =>
  new Set(data.spans.filter((s) => s.error !== undefined).map((s) => s.trace));

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 390])
    test(`trace search: charts and traces, ${theme}, ${width} wide`, async () => {
      const { server } = await shopServer();
      const height = width === 390 ? 844 : 900;
      await withPage({ colorScheme: theme, viewport: { width, height } }, async (page) => {
        for (const chart of ["heat", "rate", "duration"]) {
          await page.goto(`${server.url}/traces?chart=${chart}`);
          await rows(page).first().waitFor();
          await page.waitForLoadState("networkidle");
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `trace-search-${chart}-${theme}-${width}`);
        }
      });
    });

test("trace search: the newest traces are first, and one click opens a trace", async () => {
  const { server, data } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces`);
    await rows(page).first().waitFor();
    await page.locator(".table-foot", { hasText: "The 50 newest traces" }).waitFor();
    const starts = await rows(page).locator(".when").allTextContents();
    assert.deepEqual(starts, [...starts].sort().reverse());
    const roots = data.spans.filter((s) => !s.parent);
    const newest = roots[roots.length - 1];
    const first = await rows(page).first().textContent();
    assert.ok(first!.includes(newest.name), first!);
    await rows(page).first().getByRole("link").first().click();
    await has(page, "trace", newest.trace);
    await page.locator(".trace-head", { hasText: newest.name }).waitFor();
    await page.getByRole("button", { name: "All traces" }).click();
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "List 200" }).click();
    await page.locator(".table-foot", { hasText: "120 traces" }).waitFor();
    await has(page, "most", "200");
  });
});

test("trace search: a query is run by Enter, and its matched spans unfold", async () => {
  const { server, data } = await shopServer();
  const failed = failedTraces(data);
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces`);
    await page.locator("#search").fill('{ resource.service.name = "payment" && status = error }');
    await page.keyboard.press("Enter");
    await page.locator(".table-foot", { hasText: new RegExp(`^${failed.size} trace`) }).waitFor();
    assert.equal(param(page, "q"), '{ resource.service.name = "payment" && status = error }');
    await rows(page).first().locator(".tree-toggle").click();
    const span = rows(page).nth(1);
    assert.match((await span.textContent())!, /errorpayment\.Charge/);
    assert.ok(failed.has(param(page, "open")!));
    await page.reload();
    await span.locator("a", { hasText: "payment.Charge" }).click();
    await eventually("the span is selected", async () => param(page, "span") !== null);
    await page.locator(".data-row.selected", { hasText: "payment.Charge" }).waitFor();
    await page.goBack();
    await span.waitFor();
  });
});

test("trace search: an error is shown at its line and column, with examples", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces`);
    await page.locator("#search").fill("{ duration >\n  && }");
    await page.keyboard.press("Enter");
    const error = page.locator(".query-error");
    await error.waitFor();
    assert.match((await error.textContent())!, /Line 2, column 3: syntax error: unexpected &&/);
    assert.match((await error.locator("mark").textContent())!, /^&& }/);
    assert.equal(await page.locator("#search").getAttribute("aria-invalid"), "true");
    await screenshot(page, "trace-search-error");
    await page.getByRole("button", { name: "{ status = error }" }).click();
    await rows(page).first().waitFor();
    assert.equal(await error.count(), 0);
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});

test("trace search: names and values are completed by keyboard", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces`);
    const field = page.locator("#search");
    const option = (text: string) => page.locator(".completion li", { hasText: text }).first();
    await field.click();
    await page.keyboard.type("{ http.ro");
    await option("span.http.route").waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(
      await field.getAttribute("aria-activedescendant"),
      await option("span.http.route").getAttribute("id"),
    );
    await page.keyboard.press("Enter");
    assert.equal(await field.inputValue(), "{ span.http.route ");
    await page.keyboard.type("= ");
    await option('"/checkout"').waitFor();
    await screenshot(page, "trace-search-completion");
    await page.keyboard.type("/ch");
    await page.keyboard.press("Tab");
    assert.equal(await field.inputValue(), '{ span.http.route = "/checkout" ');
    await page.keyboard.type("}");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".completion").count(), 0);
    await page.keyboard.press("Enter");
    await has(page, "q", '{ span.http.route = "/checkout" }');
    await rows(page).first().waitFor();
  });
});

test("trace search: filters write the query, and the query sets the filters", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces`);
    await page.getByTitle("Filter by service").click();
    await page.getByRole("button", { name: "payment", exact: true }).click();
    await has(page, "q", '{ resource.service.name = "payment" }');
    assert.equal(
      await page.locator("#search").inputValue(),
      '{ resource.service.name = "payment" }',
    );
    await page.getByLabel("Status").selectOption("error");
    await has(page, "q", '{ resource.service.name = "payment" && status = error }');
    await page.getByLabel("Least duration, such as 100ms").fill("20ms");
    await page.keyboard.press("Enter");
    await has(
      page,
      "q",
      '{ resource.service.name = "payment" && status = error && duration >= 20ms }',
    );
    await page.getByRole("button", { name: "+ Attribute" }).click();
    await page.getByRole("button", { name: "span.payment.provider" }).click();
    await page.getByRole("button", { name: "visa" }).click();
    await page.locator(".chip", { hasText: 'span.payment.provider = "visa"' }).waitFor();
    await page.getByRole("button", { name: "Remove the filter by service" }).click();
    await has(
      page,
      "q",
      '{ status = error && duration >= 20ms && span.payment.provider = "visa" }',
    );
    await page.getByRole("button", { name: "Remove span.payment.provider" }).click();
    await page.getByLabel("Status").selectOption("");
    await has(page, "q", "{ duration >= 20ms }");
    await page.goto(server.url + link('{ name = "cart.Load" } >> { name = "SELECT stock" }'));
    await page.locator("main", { hasText: "edited as text only" }).waitFor();
    await rows(page).first().waitFor();
  });
});

test("trace search: a rectangle of the heat map narrows the query and the range", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server.url + link('{ resource.service.name = "payment" }'));
    const cells = page.locator(".trace-chart .heat-cells");
    const box = (await cells.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.6, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await eventually("the durations are in the query", async () =>
      /^\{ resource\.service\.name = "payment" && duration > [\d.]+m?s && duration <= [\d.]+m?s \}$/.test(
        param(page, "q") ?? "",
      ),
    );
    assert.match(param(page, "from")!, /^\d{13}$/);
    await page.goBack();
    await has(page, "q", '{ resource.service.name = "payment" }');
    await cells.waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("h");
    for (const key of ["ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown", "Enter"])
      await page.keyboard.press(key);
    await eventually("the same by keyboard", async () =>
      /duration > /.test(param(page, "q") ?? ""),
    );
  });
});

test("trace search: a drag on the bars of the rate narrows the range", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(`${server.url}/traces?chart=rate`);
    const cells = page.locator(".bar-chart .heat-cells");
    const box = (await cells.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
    await page.locator(".heat-tip", { hasText: "without errors" }).waitFor();
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await eventually("an absolute range", async () => /^\d{13}$/.test(param(page, "from") ?? ""));
    assert.equal(param(page, "q"), null);
    const minutes = (Number(param(page, "to")) - Number(param(page, "from"))) / 60_000;
    assert.ok(minutes > 5 && minutes < 8, `${minutes} minutes`);
  });
});

test("trace search: a query of metrics is a chart with its series", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server.url + link("{ } | rate() by (resource.service.name)"));
    for (const name of ["front", "cart", "payment", "mail"])
      await page.locator(".legend li", { hasText: name }).waitFor();
    assert.equal(await rows(page).count(), 0);
    await page.goto(server.url + link("{ } | rate() by ("));
    await page.locator(".query-error").waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 400/.test(e));
  });
});

test("trace search: the list works by keyboard, and states without traces offer a next step", async () => {
  const { server } = await shopServer();
  await withPage({}, async (page) => {
    await page.goto(server.url + link("{ status = error }"));
    await rows(page).first().waitFor();
    const folded = await rows(page).count();
    await page.keyboard.press("j");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await eventually("unfolded", async () => (await rows(page).count()) === folded + 2);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await eventually("the trace is open", async () => param(page, "trace") !== null);
    await page.goto(server.url + link('{ name = "nothing has this name" }'));
    await page.locator(".empty", { hasText: "No trace matches" }).waitFor();
    await page.getByRole("button", { name: "Search the last 24 hours" }).click();
    await has(page, "from", "now-24h");
    await page.getByRole("button", { name: "Remove the query" }).click();
    await rows(page).first().waitFor();
    await page.goto(`${server.url}/traces?from=1000000000000&to=1000000060000`);
    await page.locator(".empty", { hasText: "No traces in this range" }).waitFor();
  });
});

test("trace search: the flame graph of the found spans, with and without their children", async () => {
  const { server, data } = await shopServer();
  const known = await fetch(`${server.url}/api/v1/flame?traces=%7B`);
  if (known.status !== 400) throw new Skip("this server does not select spans by TraceQL");
  const signs = new Set(data.spans.filter((s) => s.name === "rsa.Sign").map((s) => s.id));
  const samples = (data.samples.get("payment") ?? []).filter((s) => signs.has(s.span!)).length;
  await withPage({}, async (page) => {
    await page.goto(server.url + link('{ name = "rsa.Sign" }'));
    await page.getByRole("link", { name: "Flame graph of these spans" }).click();
    await page.locator(".summary strong").waitFor();
    assert.equal(new URL(page.url()).pathname, "/profiles");
    assert.equal(param(page, "traces"), '{ name = "rsa.Sign" }');
    const answer = (await (
      await fetch(
        `${server.url}/api/v1/flame?from=now-1h&to=now&traces=${encodeURIComponent('{ name = "rsa.Sign" }')}`,
      )
    ).json()) as { total: number };
    assert.equal(answer.total, samples * 10_000_000);
    await page.locator(".found-chip", { hasText: "rsa.Sign" }).waitFor();
    await page.goto(
      `${server.url}/profiles?traces=${encodeURIComponent('{ name = "payment.Charge" }')}`,
    );
    await page.getByRole("button", { name: "With children" }).click();
    await has(page, "children", "1");
    await page.locator(".summary strong").waitFor();
    await page.locator('section[aria-label="Functions"]', { hasText: "rsa.Sign" }).waitFor();
    await screenshot(page, "trace-search-flame");
    await page.getByRole("button", { name: "Remove the search of spans" }).click();
    await has(page, "traces", null);
    await page.goto(`${server.url}/profiles?traces=${encodeURIComponent('{ name = "nothing" }')}`);
    await page.locator(".empty", { hasText: "No samples of these spans" }).waitFor();
    await page.getByRole("link", { name: "Show the traces" }).click();
    await page.locator(".empty", { hasText: "No trace matches" }).waitFor();
    page.pageErrors = page.pageErrors.filter((e) => !/status of 404/.test(e));
  });
});
