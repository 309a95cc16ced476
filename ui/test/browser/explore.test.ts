// SPDX-License-Identifier: Apache-2.0
// Browser tests of services, selection, timeline, table and graph, on a real server with known
// data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, pick, screenshot, sourceRoot, temporary, withPage } from "./pages";
import { Server } from "./server";

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  "\u202egnp.exe",
  "😀 emoji 函数",
  "x".repeat(10_000),
  "a b\tc",
  "</script><script>window.hacked=1</script>",
];

let known: Promise<Server> | null = null;

// checkout in two versions, a small service with round numbers, and one with hostile names.
function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
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
    s.push(
      folded(join(files, "small.folded"), {
        "main;parse;read": 30,
        "main;parse": 10,
        "main;write": 60,
      }),
      "small",
    );
    s.push(
      folded(
        join(files, "hostile.folded"),
        Object.fromEntries(hostile.map((name, i) => [`main;${name.replaceAll(";", ",")}`, i + 1])),
      ),
      "hostile",
    );
    return s;
  })();
  return known;
}

const rows = (page: Page) => page.locator('[aria-label="Functions"] .data-row');
const text = async (page: Page, selector: string) =>
  ((await page.locator(selector).first().textContent()) ?? "").trim();

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`explore: services and profiles, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/`);
          await page.locator(".service").first().waitFor();
          assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
          await screenshot(page, `services-${theme}-${width}`);
          await page.locator(".service-link", { hasText: "checkout" }).click();
          await rows(page).first().waitFor();
          await page.locator("canvas").first().waitFor();
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `profiles-${theme}-${width}`);
        },
      );
    });

test("explore: services are sorted by cost, with the server's totals", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator('.service-total[title^="15.3 s;"]').waitFor();
    assert.equal(await text(page, ".service-name"), "checkout");
    assert.equal(await page.locator(".service").count(), 3);
    await page.locator("#search").waitFor({ state: "detached" }); // three services need no filter
  });
});

test("explore: the table has the rows of varve query top", async () => {
  const s = await server();
  const expected = JSON.parse(
    s.query("top", "checkout", "--from", "now-1h", "-n", "5", "--json"),
  ) as {
    rows: { self: number; total: number; name?: string; function?: string }[];
  };
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await rows(page).first().waitFor();
    for (const [i, row] of expected.rows.entries()) {
      const shown = (await rows(page).nth(i).textContent())!;
      assert.ok(shown.startsWith(row.name ?? row.function!), shown);
    }
    const lines = s.query("top", "checkout", "--from", "now-1h", "-n", "5").split("\n");
    const first = (await rows(page).first().textContent())!;
    const cells = lines
      .find((l) => l.includes(expected.rows[0].name ?? expected.rows[0].function!))!
      .trim()
      .split(/\s{2,}/);
    assert.ok(first.includes(cells[0]), `${first} has ${cells[0]}`);
  });
});

test("explore: a drag on the timeline selects the range in the address, and back restores it", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page.locator(".summary strong", { hasText: "15.3 s" }).waitFor();
    const chart = (await page.locator(".u-over").boundingBox())!;
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.99, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor(); // v2 alone
    assert.match(page.url(), /from=\d{13}&to=\d{13}/);
    await page.reload();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor();
    await page.goBack();
    await page.locator(".summary strong", { hasText: "15.3 s" }).waitFor();
  });
});

test("explore: a double click on the timeline zooms out and never leaves the page", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table&from=now-30m`);
    await page.locator(".u-over").waitFor();
    const chart = (await page.locator(".u-over").boundingBox())!;
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await page.locator(".range-text", { hasText: "Last hour" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/profiles");
    await page.mouse.move(chart.x + chart.width * 0.8, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.99, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await eventually("the part", async () => /from=\d{13}/.test(page.url()));
    await page.waitForTimeout(600); // otherwise the press would be part of a double click
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await page.locator(".range-text", { hasText: "Last hour" }).waitFor();
  });
});

test("explore: a drag that begins just before the chart is redrawn still selects", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table&from=now-30m`);
    await page.locator(".u-over").waitFor();
    const chart = (await page.locator(".u-over").boundingBox())!;
    await page.evaluate(
      ({ x, y }) => {
        const at = (share: number) => ({
          bubbles: true,
          button: 0,
          clientX: x + share,
          clientY: y,
        });
        const watch = new MutationObserver(() => {
          if (!document.querySelector(".range-text")?.textContent?.includes("Last hour")) return;
          watch.disconnect(); // the page has the new range, and was not painted since
          document.querySelector(".u-over")!.dispatchEvent(new MouseEvent("mousedown", at(0)));
          setTimeout(() => {
            for (const moved of [10, 40, 80])
              document
                .querySelector(".u-over")!
                .dispatchEvent(new MouseEvent("mousemove", at(moved)));
            document.querySelector(".u-over")!.dispatchEvent(new MouseEvent("mouseup", at(80)));
          }, 1000);
        });
        watch.observe(document.body, { subtree: true, childList: true, characterData: true });
      },
      { x: chart.x + chart.width * 0.8, y: chart.y + 20 },
    );
    await page.mouse.dblclick(chart.x + chart.width * 0.5, chart.y + 20);
    await eventually("the part", async () => /from=\d{13}/.test(page.url()));
  });
});

test("explore: labels are selected with their shares, and the timeline is grouped by a label", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page.getByRole("button", { name: "+ Label" }).click();
    await page.locator(".pick", { hasText: "version" }).click();
    await page.locator(".pick", { hasText: "v1" }).waitFor();
    assert.match(
      (await page.locator(".pick", { hasText: "v1" }).textContent())!,
      /6\.13 s.*40\.1%/,
    );
    await screenshot(page, "labels");
    await page.locator(".pick", { hasText: "v1" }).click();
    await page.locator(".summary strong", { hasText: "6.13 s" }).waitFor();
    await page.getByRole("button", { name: "Remove version" }).click();
    await pick(page, "Group timeline by", "version");
    await page.locator(".legend", { hasText: "v2" }).waitFor();
    await screenshot(page, "timeline-by-label");
    await page.locator(".legend button", { hasText: "v2" }).click();
    await page.locator(".summary strong", { hasText: "9.16 s" }).waitFor();
  });
});

test("explore: the search filters the table, and filters change the sums", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small`);
    await eventually("all functions", async () => (await rows(page).count()) === 4);
    await page.locator("#search").fill("parse");
    await eventually("one function", async () => (await rows(page).count()) === 1);
    await page.locator("#search").fill("/^(read|write)$/");
    await eventually("two functions", async () => (await rows(page).count()) === 2);
    await page.goto(`${s.url}/profiles?query=small&focus=parse`);
    await page.locator(".summary", { hasText: "40 (40.0%) after filters" }).waitFor();
  });
});

test("explore: keyboard only", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".service").first().waitFor();
    await page.waitForTimeout(300); // keys are registered shortly after the first paint
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor({ state: "detached" });
    await eventually("the first service has the focus", async () => {
      await page.keyboard.press("Tab");
      return page.evaluate(() => document.activeElement?.classList.contains("service-link"));
    });
    await page.keyboard.press("Enter");
    await rows(page).first().waitFor();
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
      async () => (await page.locator("html").getAttribute("data-theme")) !== theme,
    );
  });
});

test("explore: hostile names are rendered as text", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    for (const view of ["both", "flame", "table"]) {
      await page.goto(`${s.url}/profiles?query=hostile&view=${view}`);
      await page.locator(".summary strong", { hasText: "21" }).waitFor();
      assert.equal(
        await page.evaluate(() => (window as unknown as { hacked?: number }).hacked),
        undefined,
      );
    }
    await page.goto(`${s.url}/profiles?query=hostile`);
    await rows(page).first().waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
    );
    await screenshot(page, "hostile");
    const link =
      `${s.url}/profiles?query=${encodeURIComponent('<b onload="x">{a="')}` +
      `&search=${encodeURIComponent("<script>alert(1)</script>")}&view=%3Cx%3E&function=%22%3E`;
    await page.goto(link).catch(() => undefined);
    await page.locator(".note.bad, .empty").first().waitFor();
    assert.equal(
      await page.evaluate(() => (window as unknown as { hacked?: number }).hacked),
      undefined,
    );
    page.pageErrors = page.pageErrors.filter((c) => !/status of 400/.test(c));
  });
});

test("explore: table and graph have the same matches, and both report an invalid expression", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=checkout&search=${encodeURIComponent("/^main\\.[a-z]+$/")}`,
    );
    await page.locator(".flame-found", { hasText: /frames?: / }).waitFor();
    const names = await page
      .locator('[aria-label="Functions"] [role=cell]:first-child')
      .allTextContents();
    assert.ok(names.length > 0 && names.every((n) => /^main\.[a-z]+$/.test(n)), names.join(", "));
    await page.goto(`${s.url}/profiles?query=checkout&search=${encodeURIComponent("/(json/")}`);
    await page.locator(".flame-found", { hasText: "Unterminated group" }).waitFor();
    await page
      .locator('[aria-label="Functions"]', { hasText: "Unterminated group" })
      .first()
      .waitFor();
  });
});

test("explore: a key copies a link with absolute times in each view", async () => {
  const s = await server();
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    for (const path of [
      "/",
      "/profiles?query=checkout&view=tree",
      "/traces",
      "/compare?query=checkout",
    ]) {
      await page.goto(s.url + path);
      await page.getByRole("button", { name: "Copy a link to this view" }).waitFor();
      await page.keyboard.press("y");
      await page.getByText("Link copied").waitFor();
      const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
      const from = Number(link.searchParams.get("from"));
      assert.equal(link.pathname, path.split("?")[0]);
      assert.equal(Number(link.searchParams.get("to")) - from, 3600e3, link.href);
      assert.ok(Math.abs(Date.now() - 3600e3 - from) < 60e3, link.href);
    }
  });
});

test("explore: missing data is reported", async () => {
  const s = await server();
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
    assert.ok((await page.locator("pre", { hasText: s.url }).count()) > 3);
    await screenshot(page, "first-start");
  });
  await s.stop();
});

test("explore: the instructions stay until data of another program arrives", async () => {
  const s = await new Server().start();
  const file = folded(join(temporary(), "own.folded"), { "main;serve": 3 });
  s.push(file, "varve"); // the name of the server's own profile
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
    assert.equal(await page.getByText("No data received yet").count(), 0);
  });
  await s.stop();
});

test("explore: services show no cost before it is loaded, and do not move afterwards", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    let release = () => {};
    const held = new Promise<void>((done) => (release = done));
    await page.route("**/api/v1/series*", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${s.url}/`);
    await eventually(
      "a place for each service",
      async () => (await page.locator(".service.pending").count()) === 3,
    );
    assert.doesNotMatch((await page.locator("main").textContent())!, /no CPU time|0 total/);
    const height = (await page.locator(".service").first().boundingBox())!.height;
    release();
    await page.locator(".service-name", { hasText: "checkout" }).waitFor();
    assert.equal(await page.locator(".service.pending").count(), 0);
    assert.ok(
      Math.abs((await page.locator(".service").first().boundingBox())!.height - height) < 24,
    );
    await page.unroute("**/api/v1/series*");
  });
});

test("explore: Profiles and Compare send no expensive query without a selection", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const asked: string[] = [];
    page.on(
      "request",
      (r) => /api\/v1\/(flame|top|diff|series)/.test(r.url()) && asked.push(r.url()),
    );
    await page.goto(`${s.url}/profiles`);
    await page.getByRole("link", { name: "checkout" }).waitFor();
    await page.goto(`${s.url}/compare`);
    await page.getByText("Both sides are the same selection").waitFor();
    await page.waitForLoadState("networkidle");
    assert.deepEqual(asked, []);
    await page.goto(`${s.url}/profiles`);
    await page.getByRole("link", { name: "small" }).click();
    await page.locator(".summary strong", { hasText: "100" }).waitFor();
    await pick(page, "Service", "All services");
    await eventually(
      "all services in the address",
      async () => new URL(page.url()).searchParams.get("query") === "{}",
    );
    await rows(page).first().waitFor();
  });
});

test("explore: the timeline shows rates in buckets of absolute time, unchanged by a refresh", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const times: number[][] = [];
    page.on("response", async (r) => {
      // the chart, not the versions above it
      if (!r.url().includes("/api/v1/series") || r.url().includes("by=")) return;
      const { rows: found } = (await r.json()) as { rows: { points: [number, number][] }[] };
      times.push(found[0].points.map(([t]) => t));
    });
    await page.goto(`${s.url}/profiles?query=checkout&view=table`);
    await page
      .locator(".timeline-caption", {
        hasText: "CPU time, cores (CPU seconds per second), average over 10 s",
      })
      .waitFor();
    await page.waitForTimeout(1100); // the next second, so the range differs
    await page.keyboard.press("g");
    await eventually("two answers", async () => times.length >= 2);
    assert.ok(times[0].length > 0 && times[0].every((t) => t % 10_000 === 0));
    assert.deepEqual(times[0], times[1]);
  });
});

test("explore: each query of a link is sent once", async () => {
  const s = await server();
  for (const link of [
    "/",
    "/profiles?query=checkout",
    "/profiles?query=small&view=flame&by=service_name&focus=parse",
    "/profiles?query=checkout&from=now-30m&view=table&invert=1",
  ])
    await withPage({}, async (page) => {
      const asked: string[] = [];
      const versions = /\/series\?.*by=version/; // above the chart
      page.on(
        "request",
        (r) => r.url().includes("/api/v1/") && !versions.test(r.url()) && asked.push(r.url()),
      );
      await page.goto(s.url + link, { waitUntil: "networkidle" });
      assert.ok(asked.length >= 2, link);
      assert.deepEqual(asked.filter((url, i) => asked.indexOf(url) !== i), [], link);
      if (link !== "/") // it compares two ranges
        assert.equal(new Set(asked.map((url) => new URL(url).pathname)).size, asked.length, link);
    });
});

test("explore: views that are loaded later work while the server is down", async () => {
  const s = await new Server().start();
  s.push(folded(join(temporary(), "a.folded"), { "main;a": 3, "main;b": 4 }), "app");
  await withPage({}, async (page) => {
    const later = page.waitForResponse((r) => r.url().includes("/assets/lazy_boards-"));
    await page.goto(`${s.url}/profiles?query=app`);
    await (await later).finished();
    await s.stop();
    await page.keyboard.press("e");
    await page.getByText("the server is not responding").first().waitFor();
    await page.keyboard.press("9");
    await page.getByRole("heading", { name: "Status" }).waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/Failed to load|ERR_CONNECTION/.test(c));
  });
});

test("explore: the view stays while the server is down, and continues afterwards", async () => {
  const s = await new Server().start();
  s.push(folded(join(temporary(), "a.folded"), { "main;a": 3, "main;b": 4 }), "app");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=app&view=table`);
    await page.locator(".summary strong", { hasText: "7" }).waitFor();
    const { port } = s;
    await s.stop();
    await page.keyboard.press("g");
    await page.getByText("the server is not responding").first().waitFor();
    assert.equal(await text(page, ".summary strong"), "7");
    await screenshot(page, "server-gone");
    await s.start(port);
    await page
      .getByText("the server is not responding")
      .first()
      .waitFor({ state: "detached", timeout: 15_000 });
    assert.equal(await text(page, ".summary strong"), "7");
    page.pageErrors = page.pageErrors.filter((c) => !/Failed to load|ERR_CONNECTION/.test(c));
  });
  await s.stop();
});
