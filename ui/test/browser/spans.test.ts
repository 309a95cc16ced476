// SPDX-License-Identifier: Apache-2.0
// Browser tests of spans and traces, on a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, withPage } from "./pages";
import {
  knownSamples,
  knownSpans,
  manySpans,
  remoteSamples,
  sendSamples,
  sendSpans,
  spanBurst,
  spanOther,
  spanRemote,
  spanTick,
  traceA,
  traceB,
  traceMany,
} from "./timed_samples";
import { Server } from "./server";

const start = Math.floor(Date.now() / 1000) * 1000 - 600_000;
let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start));
    await sendSamples(s.url, "<b>remote</b>", remoteSamples(start));
    s.push(folded(join(temporary(), "sums.folded"), { "main;work": 5 }), "sums");
    return s;
  })();
  return known;
}

const rows = (page: Page) => page.locator(".span-table .data-row");
const graph = (page: Page, text: string) =>
  page.locator('[aria-label="Flame graph"]', { hasText: text }).first().waitFor();
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const count = (page: Page, n: number) =>
  eventually(`${n} spans`, async () => (await rows(page).count()) === n);

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`spans: list and trace, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/profiles?query=timed&view=spans`);
          await rows(page).first().click();
          await page
            .locator('[aria-label="Flame graph"] canvas:not([aria-hidden])')
            .first()
            .waitFor();
          await screenshot(page, `spans-${theme}-${width}`);
          await page.goto(`${s.url}/traces?list=spans`);
          await rows(page).first().waitFor();
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `traces-${theme}-${width}`);
          await page.goto(`${s.url}/traces?trace=${traceA}`);
          await page
            .locator('[aria-label="Flame graph"] canvas:not([aria-hidden])')
            .first()
            .waitFor();
          await screenshot(page, `trace-${theme}-${width}`);
        },
      );
    });

test("spans: spans are sorted by cost, and each has a flame graph", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=timed&view=spans`);
    await count(page, 3);
    const first = (await rows(page).first().textContent()) ?? "";
    assert.match(first, /^100 ms66\.7%10/);
    assert.match(
      (await page.locator(".table-foot").first().textContent()) ?? "",
      /3 spans; 93\.3% of the thread time is in spans/,
    );
    await rows(page).nth(1).click();
    await page.locator(".summary strong", { hasText: "30.0 ms" }).waitFor();
    assert.equal(param(page, "span"), spanBurst);
    await count(page, 3);
    await page.getByRole("button", { name: "Whole trace" }).click();
    await page.locator(".summary strong", { hasText: "130 ms" }).waitFor();
    assert.equal(param(page, "trace"), traceA);
    await count(page, 2);
    await page.goBack();
    await page.getByRole("link", { name: "Trace in all services" }).click();
    await count(page, 3); // including the other service's
    assert.equal(new URL(page.url()).pathname, "/traces");
  });
});

let traced: Promise<Server> | null = null;

// Start a server with the same samples and the spans of the first trace.
function tracedServer(): Promise<Server> {
  traced ??= (async () => {
    const s = await new Server().start();
    await sendSamples(s.url, "timed", knownSamples(start));
    await sendSamples(s.url, "<b>remote</b>", remoteSamples(start));
    await sendSpans(s.url, start, knownSpans);
    return s;
  })();
  return traced;
}

const cells = async (page: Page, i: number) =>
  (await rows(page).nth(i).locator("[role=gridcell]").allTextContents()).map((t) => t.trim());

test("traces: a trace is a tree with times, and the cost of each span with and without children", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count(page, 4);
    const shown = await Promise.all([0, 1, 2, 3].map((i) => cells(page, i)));
    assert.deepEqual(
      shown.map(([name, , ...numbers]) => [name, ...numbers]),
      [
        ["▾GET /checkout timed", "9.50 s", "9.16 s", "100 ms", "150 ms"],
        ["▾render <b>receipt</b> timed", "300 ms", "200 ms", "30.0 ms", "50.0 ms"],
        ["SELECT prices <b>remote</b>", "100 ms", "100 ms", "20.0 ms", "20.0 ms"],
        ["errorcharge <b>remote</b>", "40.0 ms", "40.0 ms", "–", "–"],
      ],
    );
    assert.deepEqual(
      await Promise.all([0, 1, 2, 3].map((i) => rows(page).nth(i).getAttribute("aria-level"))),
      ["1", "2", "3", "2"],
    );
    const boxes = await Promise.all(
      [0, 1].map(async (i) => (await rows(page).nth(i).locator(".fall > i").boundingBox())!),
    );
    assert.ok(
      Math.abs((boxes[1].x - boxes[0].x) / boxes[0].width - 5400 / 9500) < 0.02,
      "a bar begins at the start of its span",
    );
    assert.ok(
      Math.abs(boxes[1].width / boxes[0].width - 300 / 9500) < 0.02,
      "a bar has the length of its span",
    );
    await graph(page, "150 ms");
  });
});

test("traces: the scope (span, with children, whole trace) is in the address", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count(page, 4);
    await rows(page).nth(1).click();
    await graph(page, "30.0 ms");
    await page.getByRole("button", { name: "With children" }).click();
    await graph(page, "50.0 ms");
    assert.equal(param(page, "children"), "1");
    await page.reload();
    await graph(page, "50.0 ms");
    const shown = (await (
      await fetch(`${s.url}/api/v1/flame?span=${spanBurst}&children=1`)
    ).json()) as {
      total: number;
    };
    assert.equal(shown.total, 50_000_000);
    await screenshot(page, "trace-children");
    await page.keyboard.press("k");
    await graph(page, "30.0 ms");
    assert.equal(param(page, "children"), null);
    await page.getByRole("button", { name: "Whole trace" }).click();
    await graph(page, "150 ms");
    assert.equal(param(page, "span"), null);
  });
});

test("traces: filters of profiles do not apply to traces, and filters of traces are removable", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=timed&view=spans&trace=${traceA}&span=${spanBurst}&focus=nothing_has_this&search=zzz`,
    );
    await page.getByRole("link", { name: "Trace in all services" }).click();
    await count(page, 4);
    await graph(page, "150 ms");
    assert.equal(param(page, "focus"), null);
    assert.equal(param(page, "search"), null);
    await page.goto(`${s.url}/traces?trace=${traceA}&focus=nothing_has_this`);
    await page.locator(".chip", { hasText: "Focus: nothing_has_this" }).waitFor();
    await page.locator(".table-foot", { hasText: "no samples match the filters" }).waitFor();
    await page.getByRole("button", { name: "Remove Focus" }).click();
    await graph(page, "150 ms");
    await page.goto(`${s.url}/profiles?query=timed&view=heat&span=${spanBurst}`);
    // the span also filters the heat map
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
    await count(page, 1);
    assert.equal(await page.getByRole("button", { name: "With children" }).isDisabled(), true);
    await page
      .locator(".span-head", {
        hasText: "this server has no spans of this trace. Send traces to it as well",
      })
      .waitFor();
    await page.goto(`${s.url}/traces?trace=${traceB}&span=${spanOther}&children=1`);
    await page.locator("main", { hasText: "no spans of this trace are stored" }).waitFor();
  });
});

test("spans: names are shown if known, and other views accept a span with its children", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=timed&view=spans`);
    await count(page, 3);
    assert.match(
      (await rows(page).first().textContent())!,
      /^GET \/checkout b7ad6b71…100 ms130 ms/,
    );
    await screenshot(page, "spans-named");
    await page.goto(`${s.url}/profiles?span=${spanTick}&children=1&view=table`);
    await page.locator(".summary strong", { hasText: "150 ms" }).waitFor();
    await page.locator(".span-head", { hasText: "with children" }).waitFor();
    assert.match((await page.locator(".data-table").textContent())!, /remote/);
  });
});

test("traces: spans collapse and expand, by click and by keyboard", async () => {
  const s = await tracedServer();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count(page, 4);
    const expanded = () =>
      Promise.all([0, 1].map((i) => rows(page).nth(i).getAttribute("aria-expanded")));
    assert.deepEqual(await expanded(), ["true", "true"]);
    assert.equal(
      await rows(page).nth(2).getAttribute("aria-expanded"),
      null,
      "a leaf cannot be expanded",
    );
    await rows(page).nth(1).locator(".tree-toggle").click();
    await count(page, 3);
    assert.deepEqual(await expanded(), ["true", "false"]);
    assert.match((await rows(page).nth(1).textContent())!, /\+1/);
    assert.equal(param(page, "span"), null, "collapsing does not select");
    await page.locator("[role=treegrid]").focus();
    const press = async (key: string, spans: number, span: string | null) => {
      await page.keyboard.press(key);
      await count(page, spans);
      await eventually(`${key} leads to ${span}`, async () => param(page, "span") === span);
    };
    await press("ArrowDown", 3, spanTick);
    await press("ArrowDown", 3, spanBurst);
    await press("ArrowRight", 4, spanBurst);
    await press("ArrowRight", 4, spanRemote);
    await press("ArrowRight", 4, spanRemote); // no children
    await press("ArrowLeft", 4, spanBurst);
    await press("ArrowLeft", 3, spanBurst);
    await press("ArrowLeft", 3, spanTick);
    await press("ArrowLeft", 1, spanTick);
    await press("ArrowUp", 1, spanTick); // the first row stays selected
    await press(" ", 3, spanTick);
    await press("+", 4, spanTick);
    await press("-", 1, spanTick);
  });
});

test("traces: spans of a long trace that are not listed are counted, and one click lists them", async () => {
  const s = await tracedServer();
  await sendSpans(s.url, start, manySpans(2501), traceMany);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceMany}`);
    await page.locator(".table-foot", { hasText: "1,501 more spans" }).waitFor();
    assert.match((await rows(page).first().textContent())!, /^▾call 0/, "the root span is listed");
    await page.getByRole("button", { name: "List all" }).click();
    await page.locator(".table-foot", { hasText: "2,501 spans; no samples" }).waitFor();
    assert.equal(param(page, "most"), "10000");
    await page.locator("[role=treegrid]").focus();
    await page.keyboard.press("-");
    await count(page, 1);
  });
});

test("traces: at 390 pixels a span's name, time and costs are visible without horizontal scrolling", async () => {
  const s = await tracedServer();
  await withPage({ viewport: { width: 390, height: 844 } }, async (page) => {
    await page.goto(`${s.url}/traces?trace=${traceA}`);
    await count(page, 4);
    for (const text of ["GET /checkout", "9.50 s", "100 ms", "150 ms"]) {
      const box = (await rows(page).first().getByText(text).first().boundingBox())!;
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.width > 30, `${text} is visible`);
    }
    const bar = (await rows(page).first().locator(".fall > i").boundingBox())!;
    assert.ok(bar.width > 100 && bar.x + bar.width <= 390, "the bar fits");
    assert.equal(
      await page.evaluate(() =>
        [...document.querySelectorAll(".data-table")].some((t) => t.scrollWidth > t.clientWidth),
      ),
      false,
      "no table scrolls sideways",
    );
    await page.goto(`${s.url}/traces?list=spans`);
    await rows(page).first().waitFor();
    assert.equal(
      await page.evaluate(() =>
        [...document.querySelectorAll(".data-table")].some((t) => t.scrollWidth > t.clientWidth),
      ),
      false,
      "the list does not scroll sideways",
    );
  });
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`traces: the tree of a trace, ${theme}, ${width} wide`, async () => {
      const s = await tracedServer();
      await withPage(
        { colorScheme: theme, viewport: { width, height: width === 390 ? 844 : 900 } },
        async (page) => {
          await page.goto(`${s.url}/traces?trace=${traceA}&span=${spanBurst}&children=1`);
          await count(page, 4);
          await graph(page, "50.0 ms");
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await screenshot(page, `trace-tree-${theme}-${width}`);
        },
      );
    });

test("spans: samples without spans are reported", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=sums&view=spans`);
    await page.locator(".empty", { hasText: "These samples have no spans" }).waitFor();
  });
});

test("traces: the most expensive spans of all services, and one click opens the trace", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?list=spans`);
    await count(page, 4);
    await page.locator("main", { hasText: "/v1/traces" }).waitFor();
    await rows(page).first().click();
    await eventually(
      "the trace in the address",
      async () => param(page, "trace") === traceA && param(page, "span") === spanTick,
    );
    await count(page, 3);
    await graph(page, "100 ms");
    assert.equal(await page.locator(".span-table b").count(), 0, "names are rendered as text");
    await page.keyboard.press("u");
    await count(page, 4);
  });
});

for (const [what, pasted] of [
  ["an id with dashes", "0AF76519-16cd-43dd-8448-eb211c80319c"],
  ["a traceparent header", `traceparent: 00-${traceA}-${spanBurst}-01`],
] as const)
  test(`traces: ${what} is opened by keyboard only`, async () => {
    const s = await server();
    await withPage({}, async (page) => {
      await page.goto(`${s.url}/traces`);
      await page.locator("#search").waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(pasted);
      await page.keyboard.press("Enter");
      await count(page, 3);
      assert.equal(param(page, "trace"), traceA);
      if (what.includes("header")) {
        await graph(page, "30.0 ms");
        await page.getByRole("button", { name: "Whole trace" }).press("Enter");
      }
      await graph(page, "150 ms");
    });
  });

test("traces: a missing trace can be searched in a longer range", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${"1".repeat(32)}`);
    await page.locator(".empty", { hasText: "Trace not found" }).waitFor();
    await page.getByRole("button", { name: "Search the last 30 days" }).click();
    await eventually("the range", async () => param(page, "from") === "now-30d");
    await page.goto(`${s.url}/traces?trace=${traceB}`);
    await count(page, 1);
  });
});

test("spans: values are thread time, and a value beyond the duration is marked", async () => {
  const s = await server();
  const trace = "7777651916cd43dd8448eb211c803199";
  const [busy, close] = ["7700000000000001", "7700000000000002"];
  const samples = (n: number, span: string) =>
    Array.from({ length: n }, (_, i) => ({ time: start + i, stack: "main;work", trace, span }));
  await sendSamples(s.url, "threads", [...samples(12, busy), ...samples(4, close)]);
  await sendSpans(
    s.url,
    start,
    [
      { service: "threads", id: busy, parent: "", name: "busy", from: 0, ms: 60 },
      { service: "threads", id: close, parent: busy, name: "close", from: 0, ms: 35 },
    ],
    trace,
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/traces?trace=${trace}`);
    await page.locator(".pane-head", { hasText: "(thread time)" }).waitFor();
    await page.locator(".table-foot", { hasText: "160 ms of thread time in all" }).waitFor();
    const marked = page.locator(".span-table .data-row span[title]", { hasText: "≈" });
    await eventually(
      "marks of both spans, in both columns",
      async () => (await marked.count()) === 4,
    );
    const titles = await marked.evaluateAll((all) =>
      all.map((one) => `${one.textContent}: ${one.getAttribute("title")}`),
    );
    assert.ok(
      titles.some((t) => /^≈ 120 ms: More than the duration: several threads/.test(t)),
      titles.join("\n"),
    );
    assert.ok(
      titles.some((t) => /^≈ 40\.0 ms: Estimate: .*sampling error/.test(t)),
      titles.join("\n"),
    );
    assert.ok(
      titles.some((t) =>
        /^≈ 160 ms: More than the duration: several threads, or child spans/.test(t),
      ),
      titles.join("\n"),
    );
    await screenshot(page, "spans-thread-time");
    await page.goto(`${s.url}/traces?trace=${trace}&focus=work`);
    await page.locator(".pane-head", { hasText: "160 ms CPU" }).waitFor();
    await page.goto(`${s.url}/traces?trace=${trace}&focus=nothing_like_this`);
    await page.locator(".pane-head", { hasText: "0 ns of 160 ms" }).waitFor();
  });
});
