// SPDX-License-Identifier: Apache-2.0
// Browser tests of the sandwich view and the call tree, on a real server with known data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { formatShare, formatValue } from "../../src/base/units";
import { test } from "../tap";
import { eventually, folded, screenshot, sourceRoot, temporary, withPage } from "./pages";
import { Server } from "./server";

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  "\u202egnp.exe",
  "x".repeat(10_000),
  "😀 emoji 函数",
];

let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    s.push(join(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
    s.push(
      folded(join(files, "small.folded"), {
        "main;work;sort;swap": 20,
        "main;work;sort": 60,
        "main;work;copy": 10,
        "main;work": 5,
        "main;idle": 4,
        "thread;sort": 8,
      }),
      "small",
    );
    s.push(
      folded(
        join(files, "hostile.folded"),
        Object.fromEntries(
          hostile.map((name, i) => [`main;${hostile[(i + 1) % hostile.length]};${name}`, i + 1]),
        ),
      ),
      "hostile",
    );
    const many: Record<string, number> = {};
    for (let i = 0; i < 60_000; i++)
      many[`main;group_${i % 40};part_${i % 2000};leaf_${i}`] = 1 + (i % 7);
    s.push(folded(join(files, "many.folded"), many), "many");
    return s;
  })();
  return known;
}

const pane = (page: Page, name: string) => page.locator(`section[aria-label="${name}"]`);
const treeRows = (page: Page) => page.locator("[role=treegrid] .data-row");
const names = async (page: Page) =>
  (await treeRows(page).locator(".tree-name bdi").allTextContents()).join(" ");
const shows = (page: Page, text: string) =>
  eventually(text, async () => (await names(page)) === text);

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`tree: call tree and sandwich, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/profiles?query=checkout&view=tree&search=json`);
          await page.locator(".tree-found").first().waitFor();
          await screenshot(page, `tree-${theme}-${width}`);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await page.goto(
            `${s.url}/profiles?query=checkout&view=sandwich&function=runtime.mallocgc`,
          );
          await page.locator(".flame-legend").nth(1).waitFor();
          await screenshot(page, `sandwich-${theme}-${width}`);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right of the sandwich",
          );
        },
      );
    });

test("sandwich: a function's values are those of varve query top", async () => {
  const s = await server();
  const expected = JSON.parse(s.query("top", "checkout", "-n", "0", "--json")) as {
    total: number;
    rows: { name?: string; function?: string; self: number; total: number }[];
  };
  const row = expected.rows.find((r) => (r.name ?? r.function) === "runtime.mallocgc")!;
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout&view=sandwich&function=runtime.mallocgc`);
    const words = page.locator(".sandwich-words");
    await words.waitFor();
    const [total, self] = await words.locator("strong").allTextContents();
    const whole = expected.rows.find((r) => (r.name ?? r.function) === "runtime.main")!.total;
    assert.equal(
      total,
      `${formatValue(row.total, "nanoseconds")} (${formatShare(row.total, 6.13e9)})`,
    );
    assert.equal(
      self,
      `${formatValue(row.self, "nanoseconds")} (${formatShare(row.self, 6.13e9)})`,
    );
    assert.equal(whole, 6.13e9);
  });
});

test("sandwich: direct callers and callees are exact, and clickable", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich&function=sort`);
    await pane(page, "Direct callers").locator(".data-row").first().waitFor();
    assert.match(
      (await page.locator(".sandwich-words").textContent())!,
      /^88 \(82\.2%\) total, 68 \(63\.6%\) self, of 107/,
    );
    const callers = await pane(page, "Direct callers").locator(".data-row").allTextContents();
    assert.deepEqual(callers, ["work80 90.9%", "thread8 9.1%"]);
    assert.deepEqual(await pane(page, "Direct callees").locator(".data-row").allTextContents(), [
      "swap20 22.7%",
    ]);
    assert.match(
      (await pane(page, "Direct callees").locator(".table-foot").textContent())!,
      /1 function; 68 \(77\.3%\) self/,
    );
    await pane(page, "Direct callers").locator(".data-row", { hasText: "work" }).click();
    await page.locator(".sandwich-name", { hasText: "work" }).waitFor();
    assert.match(page.url(), /function=work/);
    await page.goBack();
    await page.locator(".sandwich-name", { hasText: "sort" }).waitFor();
    // A click on a frame of the graph selects its function, too.
    await pane(page, "Callees")
      .locator("canvas.flame-canvas")
      .click({ position: { x: 20, y: 30 } });
    await page.locator(".sandwich-name", { hasText: "swap" }).waitFor();
    assert.match((await pane(page, "Direct callees").textContent())!, /No callees/);
  });
});

test("sandwich: a function is selected from the list, or by typing", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich`);
    await page.getByRole("heading", { name: "Select a function" }).waitFor();
    await screenshot(page, "sandwich-choose");
    await page.locator("#search").fill("cop");
    await eventually(
      "one row",
      async () => (await pane(page, "Functions").locator(".data-row").count()) === 1,
    );
    await pane(page, "Functions").locator(".data-row").click();
    await page.locator(".sandwich-name", { hasText: "copy" }).waitFor();
    await page.getByRole("button", { name: "Change ▾" }).click();
    await page.locator(".function-picker input").fill("idl");
    await eventually(
      "one match",
      async () => (await page.locator(".function-picker .pick").count()) === 1,
    );
    await screenshot(page, "sandwich-picker");
    await page.keyboard.press("Enter");
    await page.locator(".sandwich-name", { hasText: "idle" }).waitFor();
  });
});

test("sandwich: a missing function is reported, with a list of functions", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=sandwich&function=nobody`);
    await page.getByText("nobody is not in this selection").waitFor();
    await pane(page, "Functions").locator(".data-row").first().waitFor();
    page.pageErrors = page.pageErrors.filter((c) => !/status of 404/.test(c));
  });
});

test("tree: the hottest path is expanded, and each row has its values", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    assert.deepEqual(await treeRows(page).nth(2).locator("[role=gridcell]").allTextContents(), [
      "▸sort",
      "80 74.8%",
      "60 56.1%",
      "",
    ]);
    const sort = treeRows(page).nth(2);
    assert.deepEqual(
      [
        await sort.getAttribute("aria-level"),
        await sort.getAttribute("aria-expanded"),
        await sort.getAttribute("aria-selected"),
      ],
      ["3", "false", "true"],
    );
    assert.equal(
      await treeRows(page).nth(4).getAttribute("aria-expanded"),
      null,
      "a leaf cannot be expanded",
    );
  });
});

test("tree: rows expand and collapse by keyboard and by click", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("ArrowRight");
    await shows(page, "main work sort swap copy idle thread");
    await page.keyboard.press("ArrowRight");
    await page.locator(".data-row.selected", { hasText: "swap" }).waitFor();
    const active = await page.locator("[role=treegrid]").getAttribute("aria-activedescendant");
    assert.equal(
      await page.locator(".data-row.selected").getAttribute("id"),
      active,
      "aria-activedescendant names the selected row",
    );
    // parent, collapse, parent, collapse
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
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await treeRows(page).first().waitFor();
    await page.getByRole("button", { name: "Collapse all" }).click();
    await page.locator("#search").fill("/^s/");
    await shows(page, "main work sort swap copy idle thread sort");
    assert.deepEqual(await page.locator(".tree-found").allTextContents(), ["sort", "swap", "sort"]);
    assert.match((await page.locator(".table-foot").textContent())!, /3 matches, 88 \(82\.2%\)/);
    await page.locator("#search").press("Escape");
    await page.keyboard.press("n");
    await page.locator(".data-row.selected", { hasText: "swap" }).waitFor();
    await page.keyboard.press("N");
    await page.locator(".data-row.selected", { hasText: "sort" }).waitFor();
  });
});

test("tree: the subtree of a row, inverted and filtered trees", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&view=tree`);
    await shows(page, "main work sort copy idle thread");
    await treeRows(page).filter({ hasText: "work" }).click();
    await page.keyboard.press("z");
    await shows(page, "sort copy");
    assert.match(page.url(), /zoom=main&zoom=work/);
    await page.reload();
    await shows(page, "sort copy");
    await eventually("a step out", async () => {
      // Repeat: keys are registered shortly after the rows are rendered.
      if (page.url().includes("zoom=work")) await page.keyboard.press("Backspace");
      return (await names(page)).startsWith("work");
    });
    await page.goto(`${s.url}/profiles?query=small&view=tree&invert=1&focus=swap`);
    await shows(page, "swap sort work main"); // its callers are below it
    assert.match((await treeRows(page).first().textContent())!, /swap20 100\.0%/);
  });
});

test("tree: of 60,000 frames only visible rows are rendered", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=many&view=tree`);
    await treeRows(page).first().waitFor();
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("*");
    await eventually(
      "all open",
      async () =>
        Number(await page.locator("[role=treegrid]").getAttribute("aria-rowcount")) > 30_000,
    );
    assert.ok((await treeRows(page).count()) < 100, "only visible rows are rendered");
    await page.keyboard.press("End");
    await eventually(
      "the last",
      async () =>
        (await page.locator(".data-row.selected").count()) === 1 &&
        Number(await page.locator(".data-row.selected").getAttribute("aria-rowindex")) > 30_000,
    );
    assert.match(
      (await page.locator(".table-foot").textContent())!,
      /smaller frames, [\d.]+% in total, are not listed/,
    );
    await screenshot(page, "tree-many");
  });
});

test("tree: names are rendered as text", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=hostile&view=tree`);
    await treeRows(page).first().waitFor();
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("*");
    await eventually("all names", async () => (await treeRows(page).count()) === 9);
    await screenshot(page, "tree-hostile");
    for (const name of hostile) {
      await page.goto(
        `${s.url}/profiles?query=hostile&view=sandwich&function=${encodeURIComponent(name)}`,
      );
      await page.locator(".sandwich-words").waitFor();
      assert.equal(
        await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
        false,
        "nothing is cut off at the right",
      );
    }
    await screenshot(page, "sandwich-hostile");
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    assert.equal(await page.locator("main img").count(), 0);
  });
});
