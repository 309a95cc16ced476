// SPDX-License-Identifier: Apache-2.0
// Browser tests of the single page of `varve flame FILE -o page.html`, opened from the file.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "../tap";
import { eventually, folded, run, screenshot, sourceRoot, temporary, withPage } from "./pages";

let folder = "";

function pageOf(name: string, ...args: string[]): string {
  folder ||= temporary();
  const out = join(folder, `${name}.html`);
  run("flame", ...args, "-o", out);
  return `file://${out}`;
}

const example = () => pageOf("checkout", join(sourceRoot, "examples/checkout.pb.gz"));

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`page: graph and table from a file, ${theme}, ${width} wide`, () =>
      withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(example());
          await page.locator(".flame-legend span").first().waitFor();
          assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
          assert.match(
            (await page.locator(".single-table tbody tr").first().textContent())!,
            /670 ms.*compress\/flate/,
          );
          const scrolls = await page.evaluate(
            () => document.documentElement.scrollWidth > innerWidth,
          );
          assert.equal(scrolls, false, "nothing is cut off at the right");
          await screenshot(page, `page-${theme}-${width}`);
        },
      ));

test("page: a search marks frames, filters the table and shows the share", () =>
  withPage({}, async (page) => {
    await page.goto(
      pageOf(
        "search",
        folded(join(temporary(), "a.folded"), {
          "main;parse;read": 30,
          "main;parse": 10,
          "main;write": 60,
        }),
      ),
    );
    await page.locator("#search").fill("parse");
    await eventually("the share", async () =>
      /1 frame: 40, 40\.0%/.test((await page.locator(".flame-found").textContent()) ?? ""),
    );
    assert.equal(await page.locator(".single-table tbody tr").count(), 1);
    await page.locator("#search").fill("/(/");
    await eventually("the fault", async () =>
      /Unterminated group/.test((await page.locator(".flame-found").textContent()) ?? ""),
    );
    assert.match(page.url(), /#search=/);
  }));

test("page: keyboard only: search, help, zoom; the address restores the state", () =>
  withPage({}, async (page) => {
    const url = example();
    await page.goto(url);
    await page.locator(".flame-legend span").first().waitFor();
    await eventually("keys work", async () => {
      await page.keyboard.press("/");
      return page.evaluate(() => document.activeElement?.id === "search");
    });
    await page.keyboard.type("json");
    await eventually("the share", async () =>
      /frames: /.test((await page.locator(".flame-found").textContent()) ?? ""),
    );
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await screenshot(page, "page-help");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    for (
      let i = 0;
      i < 400 && (await page.evaluate(() => document.activeElement?.className)) !== "flame-canvas";
      i++
    )
      await page.keyboard.press("Shift+Tab");
    for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
    await eventually("the zoom", async () => page.url().includes("zoom="));
    const crumbs = () => page.locator(".flame-crumbs").innerText();
    const before = await crumbs();
    assert.match(before, /main\.main/);
    const hash = new URL(page.url()).hash;
    await page.goto("about:blank");
    await page.goto(url + hash);
    await eventually(
      "the same zoom and search",
      async () =>
        (await crumbs()) === before && (await page.locator("#search").inputValue()) === "json",
    );
  }));

test("page: each profile type can be selected", () =>
  withPage({}, async (page) => {
    await page.goto(example());
    const types = page.getByLabel("Profile type");
    assert.deepEqual(await types.locator("option").allInnerTexts(), ["samples", "cpu"]);
    await types.selectOption({ label: "samples" });
    await eventually("the other numbers", async () =>
      (await page.locator(".single-sum").innerText()).startsWith("613 "),
    );
    assert.match(page.url(), /#type=0/);
  }));

test("page: a row marks its function in the graph; table only, graph only", () =>
  withPage({}, async (page) => {
    await page.goto(example());
    await page.locator(".single-name", { hasText: "runtime.mallocgc" }).first().click();
    assert.equal(await page.locator("tr.single-selected").count(), 1);
    await screenshot(page, "page-selected");
    await page.getByLabel("Show").selectOption("table");
    assert.equal(await page.locator(".flame").count(), 0);
    await screenshot(page, "page-table");
    await page.getByLabel("Show").selectOption("flame");
    await page.getByLabel("Root").selectOption("flame");
    await page.getByLabel("Collapse").selectOption("both");
    await page.locator("label", { hasText: "Colour" }).locator("select").selectOption("kind");
    await eventually("the legend", async () =>
      /Go/.test(await page.locator(".flame-legend").innerText()),
    );
    await screenshot(page, "page-flame-kind");
  }));

test("page: the graph as SVG and PNG", () =>
  withPage({}, async (page) => {
    await page.goto(example());
    for (const [button, name] of [
      ["SVG", "checkout.pb.gz.svg"],
      ["PNG", "checkout.pb.gz.png"],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button }).click(),
      ]);
      assert.equal(download.suggestedFilename(), name);
    }
  }));

test("page: hostile names are rendered as text, and the content security policy applies", () =>
  withPage({}, async (page) => {
    page.on("dialog", (d) => page.pageErrors.push(`dialog: ${d.message()}`));
    const names = [
      "</script><script>alert(1)</script>",
      "<!--<script>",
      "<img src=x onerror=alert(1)>",
      "\u202eabc",
      "x".repeat(10_240),
      "🔥",
    ];
    await page.goto(
      pageOf(
        "hostile",
        folded(
          join(temporary(), "hostile.folded"),
          Object.fromEntries(names.map((name, i) => [`main;${name}`, 10 + i])),
        ),
      ),
    );
    await page.locator(".single-table tbody tr").first().waitFor();
    assert.equal(await page.locator(".single-table tbody tr").count(), names.length + 1);
    assert.equal(await page.locator("img").count(), 0);
    await screenshot(page, "page-hostile");
    const refused = await page.evaluate(() =>
      fetch("http://127.0.0.1:9/").then(
        () => "sent",
        () => "refused",
      ),
    );
    assert.equal(refused, "refused");
    page.pageErrors = page.pageErrors.filter(
      (text) => !/Content Security Policy|Failed to fetch|connect-src/.test(text),
    );
  }));

test("page: a profile without samples is shown", () =>
  withPage({}, async (page) => {
    await page.goto(pageOf("empty", folded(join(temporary(), "zero.folded"), { "a;b": 0 })));
    assert.match(await page.locator(".single-sum").innerText(), /^0/);
  }));

test("page: table and graph are side by side and fill the window", () =>
  withPage({}, async (page) => {
    await page.goto(example());
    const table = (await page.locator(".single-top").boundingBox())!;
    const graph = (await page.locator(".single-flame").boundingBox())!;
    assert.ok(table.x + table.width < graph.x && graph.x + graph.width > 1240);
    assert.ok(graph.y + graph.height > 750 && graph.y + graph.height <= 800);
    const foot = (await page.locator(".flame-foot").boundingBox())!;
    assert.ok(foot.y + foot.height <= graph.y + graph.height, "the foot is not cut off");
  }));
