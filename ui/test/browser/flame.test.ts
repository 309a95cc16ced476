// SPDX-License-Identifier: Apache-2.0
// Browser tests of the flame graph alone: pointer, keyboard, menu, zoom, search, hostile names,
// differences, both themes.
import assert from "node:assert/strict";
import type { BrowserContextOptions } from "playwright-core";
import type { TreeNodes } from "../../src/api/types";
import type { Host } from "./host";
import { nodesOf } from "../flame/stack_tree";
import { atEnd, test } from "../tap";
import { serveHost, Server } from "./host_server";
import { eventually, screenshot, TestPage, withPage } from "./pages";

let server: Promise<Server> | null = null;

type Change = Parameters<Host["open"]>[1];

async function withGraph(
  nodes: TreeNodes,
  change: Change,
  use: (page: TestPage) => Promise<void>,
  options: BrowserContextOptions = {},
) {
  server ??= serveHost().then((made) => (atEnd(() => made.close()), made));
  const { url } = await server;
  await withPage({ viewport: { width: 1000, height: 600 }, ...options }, async (page) => {
    await page.goto(url);
    await page.evaluate(([n, c]) => window.host.open(n, c), [nodes, change ?? {}] as const);
    await page.locator(".flame-hidden", { hasText: "frame" }).waitFor();
    await use(page);
  });
}

const events = (page: TestPage) => page.evaluate(() => window.host.events);
const eventsOf = async (page: TestPage, kind: string) =>
  (await events(page)).filter(([name]) => name === kind);
const rowHeight = 20;
const settled = 300; // ms; longer than an animation

// Return the position of a row, counted from the top, at a fraction of the width.
async function at(page: TestPage, row: number, part: number) {
  const box = (await page.locator(".flame-canvas").boundingBox())!;
  return { x: box.x + box.width * part, y: box.y + (row + 0.5) * rowHeight };
}

async function click(page: TestPage, row: number, part: number) {
  const place = await at(page, row, part);
  await page.mouse.click(place.x, place.y);
}

const colourAt = (page: TestPage, row: number, part: number) =>
  page.evaluate(
    ([r, p, h]) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".flame-canvas")!;
      const ratio = canvas.width / canvas.clientWidth;
      return [
        ...canvas
          .getContext("2d")!
          .getImageData(Math.round(canvas.width * p), Math.round((r * h + 2) * ratio), 1, 1).data,
      ]
        .slice(0, 3)
        .join();
    },
    [row, part, rowHeight] as const,
  );

const shop = nodesOf({
  "main;handle;render;write": 30,
  "main;handle;render": 10,
  "main;handle;parse": 45,
  "main;idle": 10,
  gc: 5,
});
const tooltip = (page: TestPage) => page.locator(".flame-tooltip").innerText();
const crumbs = async (page: TestPage) =>
  (await page.locator(".flame-crumbs button").allInnerTexts()).join(" > ");

test("flame: the tooltip shows the values of a frame", () =>
  withGraph(shop, {}, async (page) => {
    const place = await at(page, 2, 0.3);
    await page.mouse.move(place.x, place.y);
    const text = await tooltip(page);
    assert.match(text, /^handle\n/);
    assert.match(text, /total\s+85 ns\s+85\.0%/);
    assert.match(text, /self\s+0 ns\s+0%/);
    await screenshot(page, "flame-tooltip");
  }));

test("flame: a click zooms and calls onZoom; the breadcrumb zooms out", () =>
  withGraph(shop, {}, async (page) => {
    await click(page, 2, 0.3);
    await page.waitForTimeout(settled);
    assert.deepEqual(await eventsOf(page, "zoom"), [["zoom", ["main", "handle"]]]);
    assert.deepEqual(await eventsOf(page, "select"), [["select", "handle"]]);
    assert.equal(await crumbs(page), "all > main > handle");
    // The callees parse and render fill the width now.
    const place = await at(page, 3, 0.9);
    await page.mouse.move(place.x, place.y);
    assert.match(await tooltip(page), /^render[\s\S]*40\.0%\s+47\.1%/);
    await page.locator(".flame-crumbs button").first().click();
    await page.waitForTimeout(settled);
    assert.equal(await crumbs(page), "all");
  }));

test("flame: the tree of a zoom replaces the subtree, and nothing moves", () =>
  withGraph(shop, { answerAfter: 20 }, async (page) => {
    await click(page, 2, 0.3);
    await eventually("the tree of the path", () =>
      page.evaluate(
        () => window.host.props().tree.rootPath.length === 2 && !window.host.props().busy,
      ),
    );
    await page.waitForTimeout(settled);
    assert.equal(await crumbs(page), "all > main > handle");
    for (const [row, part, name] of [
      [2, 0.5, "handle"],
      [3, 0.2, "parse"],
      [3, 0.9, "render"],
      [4, 0.8, "write"],
    ] as const) {
      const place = await at(page, row, part);
      await page.mouse.move(place.x, place.y);
      assert.match(await tooltip(page), new RegExp(`^${name}\n`));
    }
    await screenshot(page, "flame-subtree");
    await click(page, 1, 0.5); // a row above the tree: zooms out
    await eventually("one level up", () =>
      page.evaluate(() => window.host.props().tree.rootPath.length === 1),
    );
    await page.waitForTimeout(settled);
    assert.equal(await crumbs(page), "all > main");
  }));

test("flame: the keyboard moves from frame to frame", () =>
  withGraph(shop, {}, async (page) => {
    await page.evaluate(() => document.querySelector<HTMLElement>(".flame-crumbs button")!.blur());
    for (
      let i = 0;
      i < 5 && (await page.evaluate(() => document.activeElement?.className)) !== "flame-canvas";
      i++
    )
      await page.keyboard.press("Tab");
    const spoken = () => page.locator("[aria-live]").innerText();
    assert.match(await spoken(), /^all: total 100 ns, 100%/);
    for (const key of ["ArrowDown", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
    assert.match(await spoken(), /^idle: total 10 ns, 10\.0%, self 10 ns; level 2/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowDown");
    assert.match(await spoken(), /^parse:/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForTimeout(settled);
    assert.equal(await crumbs(page), "all > main > handle");
    await page.keyboard.press("Backspace");
    assert.equal(await crumbs(page), "all > main");
    await page.keyboard.press("Escape");
    assert.equal(await crumbs(page), "all");
    assert.deepEqual(
      (await eventsOf(page, "zoom")).map(([, path]) => path),
      [["main", "handle"], ["main"], []],
    );
  }));

test("flame: c copies the name, C the stack", () =>
  withGraph(
    shop,
    {},
    async (page) => {
      await page.locator(".flame-canvas").focus();
      for (const key of ["ArrowDown", "ArrowDown", "c"]) await page.keyboard.press(key);
      await page.locator(".flame-note").waitFor();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      assert.equal(await copied(), "handle");
      await page.keyboard.press("C");
      await eventually("the stack", async () => (await copied()) === "main;handle");
    },
    { permissions: ["clipboard-read", "clipboard-write"] },
  ));

test("flame: the menu of a frame, by mouse and keyboard", () =>
  withGraph(shop, {}, async (page) => {
    const place = await at(page, 3, 0.2);
    await page.mouse.click(place.x, place.y, { button: "right" });
    await screenshot(page, "flame-menu");
    await page.getByRole("menuitem", { name: "Only stacks" }).click();
    assert.deepEqual(await eventsOf(page, "action"), [
      ["action", "focus", "parse", ["main", "handle", "parse"]],
    ]);
    await page.mouse.click(place.x, place.y, { button: "right" });
    await page.locator(".flame-menu button:focus").waitFor();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
      await page.keyboard.press(key);
    assert.deepEqual((await eventsOf(page, "action")).at(-1), [
      "action",
      "ignore",
      "parse",
      ["main", "handle", "parse"],
    ]);
    await page.mouse.click(place.x, place.y, { button: "right" });
    await page.locator(".flame-menu button:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".flame-menu").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.className), "flame-canvas");
  }));

test("flame: matches keep their colour, other frames fade; an invalid expression is reported", () =>
  withGraph(shop, {}, async (page) => {
    const before = await colourAt(page, 3, 0.7);
    await page.evaluate(() => window.host.set({ search: "/^PARSE$/i" }));
    await eventually("the match", async () => (await eventsOf(page, "match")).length === 1);
    assert.deepEqual(await eventsOf(page, "match"), [["match", 0.45, 45, 1]]);
    await page.waitForTimeout(50);
    assert.notEqual(await colourAt(page, 3, 0.7), before);
    assert.match(await page.locator(".flame-found").innerText(), /1 frame: 45 ns, 45\.0%/);
    await screenshot(page, "flame-search");
    await page.evaluate(() => window.host.set({ search: "/[/" }));
    await eventually("the error", async () =>
      /Unterminated character class/.test(await page.locator(".flame-found").innerText()),
    );
  }));

test("flame: an expression that takes too long is stopped", () =>
  withGraph(nodesOf({ ["a".repeat(60)]: 1 }), { search: "/^(a+)+$x/" }, async (page) => {
    await eventually("the error", async () =>
      /takes too long/.test((await page.locator(".flame-found").textContent()) ?? ""),
    );
    await page.evaluate(() => window.host.set({ search: "/a/" }));
    await eventually("the next search", async () =>
      /1 frame/.test((await page.locator(".flame-found").textContent()) ?? ""),
    );
  }));

const hostile = [
  "<img src=x onerror=alert(1)>",
  "</script><script>alert(1)</script>",
  "\u202eexe.cod\u2066",
  "🔥👩‍👩‍👧".repeat(40),
  "שלום עולם",
  "x".repeat(10_240),
  "a\u0000b\nc\td",
  "",
  "__proto__",
  "constructor",
];

test("flame: hostile names are rendered as text in graph, tooltip, menu and breadcrumb", () =>
  withGraph(
    nodesOf(Object.fromEntries(hostile.map((name) => [`main;${name}`, 10]))),
    {},
    async (page) => {
      page.on("dialog", (d) => page.pageErrors.push(`dialog: ${d.message()}`));
      for (let i = 0; i < hostile.length; i++) {
        const place = await at(page, 2, (i + 0.5) / hostile.length);
        await page.mouse.move(place.x, place.y);
        await page.locator(".flame-tooltip").waitFor();
        const box = (await page.locator(".flame-tooltip").boundingBox())!;
        assert.ok(
          box.x >= 0 && box.x + box.width <= 1000 && box.y >= 0 && box.y + box.height <= 600,
          "the tooltip is inside of the window",
        );
      }
      await screenshot(page, "flame-hostile");
      for (let i = 0; i < hostile.length; i++) {
        await click(page, 2, (i + 0.5) / hostile.length);
        await page.waitForTimeout(settled);
        await page.locator(".flame-crumbs button").first().click();
        await page.waitForTimeout(settled);
      }
      assert.equal((await eventsOf(page, "zoom")).length, 2 * hostile.length);
      assert.equal(await page.locator("img").count(), 0);
    },
  ));

test("flame: a difference shows before, after and change; palettes have different colours", () =>
  withGraph(
    nodesOf({
      "main;grew": [10, 30],
      "main;shrank": [30, 10],
      "main;new": [0, 20],
      "main;gone": [20, 0],
      "main;same": [10, 10],
    }),
    {},
    async (page) => {
      const colours = async () =>
        Promise.all([0.1, 0.4, 0.9].map((part) => colourAt(page, 2, part)));
      const first = await colours();
      assert.equal(new Set(first).size, 3);
      const place = await at(page, 2, 0.1);
      await page.mouse.move(place.x, place.y);
      assert.match(await tooltip(page), /grew[\s\S]*10 ns\s+30 ns\s+\+20 ns\s+\+200%/);
      await screenshot(page, "flame-diff");
      await page.evaluate(() => window.host.set({ palette: "bluered" }));
      await page.waitForTimeout(50);
      assert.notDeepEqual(await colours(), first);
      await page.evaluate(() => (window.host.theme("dark"), window.host.set({ normalise: true })));
      await screenshot(page, "flame-diff-dark");
    },
  ));

test("flame: empty trees and trees of zeros", () =>
  withGraph(nodesOf({}), {}, async (page) => {
    assert.equal(await page.locator(".flame-empty").innerText(), "No samples");
    await page.evaluate((n) => window.host.open(n), nodesOf({ "a;b": 0 }));
    assert.equal(await page.locator(".flame-empty").count(), 0);
    await page.evaluate((n) => window.host.open(n), nodesOf({ "m;a": 10, "m;b": -4 }));
    const place = await at(page, 2, 0.9);
    await page.mouse.move(place.x, place.y);
    assert.match(await tooltip(page), /^b[\s\S]*-4 ns/);
  }));

test("flame: the root at the bottom; deep stacks scroll", () =>
  withGraph(
    nodesOf({ [Array.from({ length: 300 }, (_, i) => `f${i}`).join(";")]: 1 }),
    { layout: "flame" },
    async (page) => {
      const scroll = () => page.evaluate(() => document.querySelector(".flame-scroll")!.scrollTop);
      const far = await scroll();
      assert.ok(far > 5000, `the root is shown first: ${far}`);
      await page.locator(".flame-canvas").focus();
      for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowUp");
      assert.ok((await scroll()) < far, "the focus is scrolled to");
      await screenshot(page, "flame-deep");
    },
  ));

test("flame: Ctrl and the wheel zoom at the pointer, a drag pans, the plain wheel scrolls", () =>
  withGraph(shop, {}, async (page) => {
    const place = await at(page, 2, 0.25);
    await page.mouse.move(place.x, place.y);
    await page.keyboard.down("Control");
    for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -60);
    await page.keyboard.up("Control");
    await page.waitForTimeout(100);
    const edge = await at(page, 2, 0.98);
    await page.mouse.move(edge.x, edge.y);
    assert.match(await tooltip(page), /^handle/);
    assert.equal(await page.locator(".flame-map-off").count(), 0);
    await page.mouse.down();
    await page.mouse.move(edge.x - 900, edge.y, { steps: 5 });
    await page.mouse.up();
    assert.deepEqual(await eventsOf(page, "zoom"), []); // a drag is not a click
    await screenshot(page, "flame-wheel");
  }));

test("flame: a tap selects, a double tap zooms", () =>
  withGraph(
    shop,
    {},
    async (page) => {
      const box = (await page.locator(".flame-canvas").boundingBox())!;
      const [x, y] = [box.x + 100, box.y + 2.5 * 26];
      await page.touchscreen.tap(x, y);
      assert.deepEqual(await eventsOf(page, "zoom"), []);
      assert.deepEqual(await eventsOf(page, "select"), [["select", "handle"]]);
      assert.match(await tooltip(page), /^handle/);
      await page.waitForTimeout(500);
      await page.touchscreen.tap(x, y);
      await page.touchscreen.tap(x, y);
      assert.deepEqual(await eventsOf(page, "zoom"), [["zoom", ["main", "handle"]]]);
    },
    { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } },
  ));

test("flame: collapsed frames, and a zoom into a merged frame", () =>
  withGraph(
    nodesOf({ "main;f;f;x;y": 30, "main;f;x": 10, "main;f;f": 5 }),
    { collapse: "recursion" },
    async (page) => {
      assert.match(
        await page.locator(".flame-hidden").innerText(),
        /6 frames; 2 collapsed into their callers/,
      );
      await click(page, 3, 0.2);
      await page.waitForTimeout(settled);
      assert.equal(await crumbs(page), "all > main > f > x");
      // a merged frame has no single path to query
      assert.deepEqual(await eventsOf(page, "zoom"), []);
    },
  ));

test("flame: a note describes hidden frames", () =>
  withGraph({ ...shop, node_count: 15_000, hidden_share: 0.013 }, {}, async (page) => {
    const text = await page.locator(".flame-hidden").innerText();
    assert.equal(
      text,
      "7 of 15,000 frames shown; frames under 5.0% hold 1.3% and are hidden: zoom in to see them",
    );
  }));

test("flame: the worker processes 300,000 frames; no animation with reduced motion", () =>
  withGraph(
    shop,
    {},
    async (page) => {
      await page.evaluate(() => window.host.openRandom(300_000, { search: "method1" }));
      await eventually("the tree", async () =>
        /299,999/.test(await page.locator(".flame-hidden").innerText()),
      );
      await eventually("the match", async () =>
        /frames:/.test((await page.locator(".flame-found").textContent()) ?? ""),
      );
      await page.evaluate(() => window.host.set({ search: "", collapse: "both" }));
      await eventually("the collapsed tree", async () =>
        /collapsed/.test(await page.locator(".flame-hidden").innerText()),
      );
      await screenshot(page, "flame-large");
    },
    { reducedMotion: "reduce" },
  ));

test("flame: SVG and PNG exports", () =>
  withGraph(shop, {}, async (page) => {
    assert.ok((await page.evaluate(() => window.host.png())) > 2000);
    assert.match(await page.evaluate(() => window.host.svg()), /^<svg[\s\S]*parse/);
  }));
