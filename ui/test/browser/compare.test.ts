// SPDX-License-Identifier: Apache-2.0
// Browser tests of the comparison, on a real server with known data; expected values are those of
// varve diff.
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Page } from "playwright-core";
import { formatChange, formatValue } from "../../src/base/units";
import { test } from "../tap";
import {
  eventually,
  folded,
  program,
  run,
  screenshot,
  sourceRoot,
  temporary,
  withPage,
} from "./pages";
import { Server } from "./server";

const examples = ["examples/checkout.pb.gz", "examples/checkout-slow.pb.gz"].map((name) =>
  join(sourceRoot, name),
);
const hostile = [
  '<img src=x onerror="window.hacked=1">',
  "\u202egnp.exe",
  "😀 emoji 函数",
  "x".repeat(10_000),
  "</script><script>window.hacked=1</script>",
];

let known: Promise<Server> | null = null;

// checkout: v1 a day ago and 20 minutes ago, v2 5 minutes ago. small: every kind of change.
// hostile: hostile names.
function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    const files = temporary();
    const push = (service: string, stacks: Record<string, number>, ...args: string[]) =>
      s.push(folded(join(files, "stacks.folded"), stacks), service, ...args);
    s.push(examples[0], "checkout", "--label", "version=v1", "--time", "now-1450m");
    s.push(examples[0], "checkout", "--label", "version=v1", "--time", "now-20m");
    s.push(examples[1], "checkout", "--label", "version=v2", "--time", "now-5m");
    push(
      "small",
      { "main;parse": 40, "main;old;leaf": 10, "main;idle": 7, "main;write": 50 },
      "--label",
      "commit=aa",
      "--time",
      "now-10m",
    );
    push(
      "small",
      { "main;parse": 90, "main;fresh": 5, "main;idle": 7, "main;write": 20 },
      "--label",
      "commit=bb",
      "--time",
      "now-5m",
    );
    push(
      "hostile",
      Object.fromEntries(hostile.map((name, i) => [`main;${name}`, i + 1])),
      "--label",
      "commit=aa",
      "--time",
      "now-10m",
    );
    push(
      "hostile",
      Object.fromEntries(hostile.map((name, i) => [`main;${name}`, 9 - i])),
      "--label",
      "commit=bb",
      "--time",
      "now-5m",
    );
    return s;
  })();
  return known;
}

const pair = (service: string, label: string, before: string, after: string, more = "") =>
  `/compare?query=${encodeURIComponent(`${service}{${label}="${after}"}`)}` +
  `&before=${encodeURIComponent(`${service}{${label}="${before}"}`)}${more}`;
const rows = (page: Page) =>
  page.locator('.data-table[aria-label="Changes by function"] .data-row');
const cells = async (page: Page, i: number) =>
  (await rows(page).nth(i).locator("[role=cell]").allTextContents()).map((t) => t.trim());
const overall = (page: Page, text: string | RegExp) =>
  page.locator(".overall-change", { hasText: text }).waitFor();
const side = (page: Page, name: "Before" | "After") => page.locator(`.side[aria-label^="${name}"]`);

for (const theme of ["light", "dark"] as const)
  for (const width of [1280, 1920, 390])
    test(`compare: difference, table and side by side, ${theme}, ${width} wide`, async () => {
      const s = await server();
      await withPage(
        {
          colorScheme: theme,
          viewport: { width, height: width === 390 ? 844 : width === 1280 ? 800 : 1080 },
        },
        async (page) => {
          await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
          await overall(page, "6.13 s → 9.16 s, +49.4%");
          await page.locator(".flame-legend").waitFor();
          await rows(page).first().waitFor();
          await screenshot(page, `compare-${theme}-${width}`);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right",
          );
          await page.keyboard.press("s");
          await page.locator(".flame-canvas").nth(1).waitFor();
          await screenshot(page, `compare-sides-${theme}-${width}`);
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            "nothing is cut off at the right of the side view",
          );
        },
      );
    });

interface DiffOutput {
  rows: {
    name?: string;
    function?: string;
    kind: string;
    self: Record<"before" | "after" | "delta", number>;
    total: Record<"before" | "after" | "delta", number>;
  }[];
}

test("compare: the table has the rows, numbers and order of varve diff", async () => {
  const s = await server();
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
    "12",
  ];
  await withPage({ viewport: { width: 1600, height: 1000 } }, async (page) => {
    for (const [of, normalise] of [
      ["self", false],
      ["total", false],
      ["self", true],
    ] as const) {
      const expected = JSON.parse(
        run(...ask, "--sort", of, ...(normalise ? ["--normalise"] : [])),
      ) as DiffOutput;
      await page.goto(
        `${s.url}${pair("checkout", "version", "v1", "v2", `&show=table&of=${of}${normalise ? "&normalise=1" : ""}`)}`,
      );
      await rows(page).first().waitFor();
      assert.equal(expected.rows.length, 12);
      for (const [i, row] of expected.rows.entries()) {
        const [name, before, after, change, share] = await cells(page, i);
        const v = row[of];
        assert.equal(name, row.name ?? row.function);
        if (normalise) {
          // The totals are 6.13 s and 9.16 s; the command scales before to after.
          assert.match(`${before} ${after}`, /^(?:–|[\d.]+%) (?:–|[\d.]+%)$/);
          assert.match(change, /^[+-]?[\d.]+ pp$/);
          const points = (100 * v.delta) / 9.16e9;
          assert.ok(Math.abs(parseFloat(change) - points) < 0.1, `${name}: ${change}, ${points}`);
          continue;
        }
        assert.equal(before, v.before ? formatValue(v.before, "nanoseconds") : "–");
        assert.equal(after, v.after ? formatValue(v.after, "nanoseconds") : "–");
        assert.equal(change, formatChange(v.delta, "nanoseconds"));
        if (row.kind === "new" || row.kind === "gone") assert.equal(share, row.kind);
        else if (v.before)
          assert.equal(
            share,
            `${v.delta > 0 ? "+" : ""}${((100 * v.delta) / v.before).toFixed(1)}%`,
          );
      }
    }
  });
});

// Return the self values of both sides by function, from folded stacks.
function selfOf(folded: string): Map<string, [number, number]> {
  const own = new Map<string, [number, number]>();
  for (const line of folded.trim().split("\n")) {
    const [, stack, before, after] = /^(.*) (\d+) (\d+)$/.exec(line)!;
    const leaf = stack.slice(stack.lastIndexOf(";") + 1);
    const [old, now] = own.get(leaf) ?? [0, 0];
    own.set(leaf, [old + Number(before), now + Number(after)]);
  }
  return own;
}

const changed = (rows: DiffOutput["rows"]) =>
  Object.fromEntries(
    rows
      .filter((r) => r.self.delta)
      .map((r) => [
        r.name ?? r.function,
        [r.self.before, r.self.after, r.total.before, r.total.after],
      ]),
  );

test("compare: downloads and the command line have the numbers of varve diff", async () => {
  const s = await server();
  const folder = temporary();
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
      "0",
    ),
  ) as DiffOutput;
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
    await page.locator(".flame-legend").waitFor();
    const download = async (item: string) => {
      await page.getByRole("button", { name: "Download ▾" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(".download-menu > *", { hasText: item }).first().click(),
      ]);
      const path = join(folder, file.suggestedFilename());
      await file.saveAs(path);
      return path;
    };
    const selfValues = selfOf(readFileSync(await download("Folded difference"), "utf8"));
    // Names with a semicolon are ambiguous in folded stacks.
    const plain = expected.rows.filter((r) => !(r.name ?? r.function!).includes(";"));
    for (const row of plain)
      assert.deepEqual(
        selfValues.get(row.name ?? row.function!) ?? [0, 0],
        [row.self.before, row.self.after],
        row.name,
      );
    assert.deepEqual(
      changed((JSON.parse(readFileSync(await download("JSON"), "utf8")) as DiffOutput).rows),
      changed(expected.rows),
    );
    const table = readFileSync(await download("CSV"), "utf8").split("\r\n");
    // With the header and the empty text after the last line.
    assert.equal(table.length, expected.rows.length + 2);
    const [largest] = expected.rows;
    assert.ok(
      table.some((line) =>
        line.endsWith(
          [
            largest.self.before,
            largest.self.after,
            largest.self.delta,
            largest.total.before,
            largest.total.after,
            largest.total.delta,
          ].join(","),
        ),
      ),
    );
    const sides = [await download("Before as pprof"), await download("After as pprof")];
    assert.deepEqual(
      changed(
        (JSON.parse(run("diff", ...sides, "--json", "-n", "0", "--type", "cpu")) as DiffOutput)
          .rows,
      ),
      changed(expected.rows),
    );
    assert.match(
      readFileSync(await download("SVG"), "utf8"),
      /^<svg[^]*v1[^]*→[^]*v2[^]*strings\.ToLower/,
    );
    assert.equal(
      readFileSync(await download("PNG"))
        .subarray(1, 4)
        .toString(),
      "PNG",
    );
    await page.getByRole("button", { name: "Download ▾" }).click();
    await page.locator(".download-menu > *", { hasText: "Copy command" }).click();
    await page.locator(".download-menu [role=status]", { hasText: "Copied" }).waitFor();
    await screenshot(page, "compare-downloads");
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const answer = execSync(`${command} --json -n 0`, {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` },
    });
    assert.deepEqual(changed((JSON.parse(answer) as DiffOutput).rows), changed(expected.rows));
  });
});

test("compare: summary and counts are those of varve diff", async () => {
  const s = await server();
  const expected = run(
    "diff",
    "--url",
    s.url,
    "--baseline",
    'checkout{version="v1"}',
    "--comparison",
    'checkout{version="v2"}',
    "--time-range",
    "1h",
  );
  const counts = /(\d+) grew, (\d+) shrank, (\d+) new, (\d+) gone, (\d+) the same/.exec(expected)!;
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("checkout", "version", "v1", "v2"));
    await overall(page, "6.13 s → 9.16 s, +49.4%");
    assert.match(
      (await page.locator(".overall").textContent())!,
      new RegExp(`version v1 → v2.*${counts[0].replaceAll("(", "\\(")}`),
    );
    const tabs = await page
      .locator(".diff-tabs .group")
      .first()
      .locator("button")
      .allTextContents();
    assert.deepEqual(
      tabs.slice(1).map((t) => Number(t.replace(/\D/g, ""))),
      [...counts.slice(1, 5).map(Number), counts.slice(1).reduce((n, c) => n + Number(c), 0)],
    );
  });
});

test("compare: each kind of change has a tab, which the search filters", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb", "&show=table"));
    const names = async (kind: string) => {
      await page.locator(".diff-tabs button", { hasText: kind }).click();
      await eventually(kind, async () =>
        (
          await page.locator(".diff-tabs button[aria-pressed=true]").first().textContent()
        )?.startsWith(kind),
      );
      return (await rows(page).locator("bdi:first-child").allTextContents())
        .filter((t) => t)
        .sort();
    };
    await rows(page).first().waitFor();
    assert.deepEqual(await names("Grew"), ["main", "parse"]);
    assert.deepEqual(await names("Shrank"), ["write"]);
    assert.deepEqual(await names("New"), ["fresh"]);
    assert.deepEqual(await names("Gone"), ["leaf", "old"]);
    assert.match(page.url(), /kind=gone/);
    await page.reload();
    await eventually("the same tab", async () => (await rows(page).count()) === 2);
    await page.locator("#search").fill("leaf");
    await eventually("the search", async () => (await rows(page).count()) === 1);
    assert.deepEqual((await cells(page, 0)).slice(0, 5), ["leaf", "10", "–", "-10", "gone"]);
  });
});

test("compare: sort column and selected row are in the address", async () => {
  const s = await server();
  await withPage({ viewport: { width: 1600, height: 900 } }, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await rows(page).first().waitFor();
    await page.getByRole("button", { name: "Before", exact: true }).click();
    await eventually("largest before", async () => (await cells(page, 0))[0] === "write");
    await page.getByRole("button", { name: /^Before/ }).last().click();
    await eventually("smallest before", async () => (await cells(page, 0))[1] === "–");
    await rows(page).filter({ hasText: "parse" }).click();
    await eventually("selected", async () =>
      (await page.locator(".data-row.selected").textContent())?.startsWith("parse"),
    );
    assert.match(page.url(), /changes=before/);
    assert.match(page.url(), /function=parse/);
    await page.reload();
    await page.locator(".data-row.selected", { hasText: "parse" }).waitFor();
  });
});

test("compare: a zoom queries the subtree, and back zooms out", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb", "&show=graph"));
    await page.locator(".flame-legend").waitFor();
    const asked = page.waitForRequest(
      (r) => r.url().includes("/diff?") && r.url().includes("path=old"),
    );
    await page.locator(".flame-canvas").focus();
    for (const key of [
      "ArrowDown",
      "ArrowDown",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
      "ArrowRight",
    ])
      await page.keyboard.press(key);
    for (
      let i = 0;
      i < 6 && !(await page.locator(".flame-tooltip-name").textContent())?.includes("old");
      i++
    )
      await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await asked;
    assert.match(page.url(), /zoom=main&zoom=old/);
    await screenshot(page, "compare-zoom");
    await page.goBack();
    await eventually("zoomed out", async () => !page.url().includes("zoom="));
  });
});

test("compare: one click compares with the previous hour, yesterday and the previous version", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Compare ▾" }).click();
    await screenshot(page, "compare-menu");
    await page.getByRole("button", { name: "This hour vs. yesterday" }).click();
    await overall(page, "6.13 s → 15.3 s, +149.4%");
    assert.match(page.url(), /before_from=now-25h&before_to=now-1d/);
    assert.match((await page.locator(".overall-what").textContent())!, /a day later/);
    await page.getByRole("button", { name: "Latest version vs. previous" }).click();
    await overall(page, "6.13 s → 9.16 s, +49.4%");
    assert.match((await page.locator(".overall-what").textContent())!, /version v1 → v2/);
    await page.getByRole("button", { name: "This hour vs. previous hour" }).click();
    await page.locator(".note.warn", { hasText: "Before has no CPU time" }).waitFor();
    await screenshot(page, "compare-one-side");
    await page.goBack();
    await page.getByRole("button", { name: "⇄ Swap sides" }).click();
    await overall(page, "9.16 s → 6.13 s, -33.1%");
  });
});

test("compare: versions can be selected", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/compare?query=checkout`);
    await page.locator(".note.warn", { hasText: "same selection" }).waitFor();
    await page.getByTitle("Choose versions").click();
    await page.locator(".version-picker").waitFor();
    await screenshot(page, "compare-versions");
    assert.match((await page.locator(".version-picker").textContent())!, /v2 – first seen/);
    await page.locator(".version-picker select").nth(0).selectOption("v2");
    await page.locator(".version-picker select").nth(1).selectOption("v1");
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await overall(page, "9.16 s → 6.13 s");
  });
});

test("compare: a drag on a side's chart changes only that side", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/compare?query=checkout`);
    await side(page, "After").locator(".u-over").waitFor();
    await page.getByText("Both sides are the same selection").waitFor();
    const chart = (await side(page, "After").locator(".u-over").boundingBox())!;
    // the last ten minutes of two hours
    await page.mouse.move(chart.x + chart.width * 0.91, chart.y + 20);
    await page.mouse.down();
    await page.mouse.move(chart.x + chart.width * 0.995, chart.y + 30, { steps: 5 });
    await page.mouse.up();
    await overall(page, "15.3 s → 9.16 s");
    const url = page.url();
    assert.match(url, /[?&]from=\d{13}&to=\d{13}/);
    assert.match(url, /before_from=now-1h&before_to=now/);
    await page.reload();
    await overall(page, "15.3 s → 9.16 s");
    assert.equal(page.url(), url);
  });
});

test("compare: a note explains why sides cannot be compared", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    const expectNote = async (path: string, text: string | RegExp) => {
      await page.goto(s.url + path);
      await page.locator(".note.warn", { hasText: text }).waitFor();
    };
    await expectNote("/compare?query=nobody&before=nothing", "Neither side has data");
    await expectNote("/compare?query=small&before=checkout", "no profile type in common");
    await screenshot(page, "compare-types");
    await expectNote("/compare?query=checkout&before=nobody&normalise=1", /Before has no CPU time/);
    await expectNote(
      `/compare?query=${encodeURIComponent('small{commit="aa"}')}&before=${encodeURIComponent('small{commit="aa",service_name="small"}')}`,
      "Both sides have the same data",
    );
    // Queries of a side without data are refused.
    page.pageErrors = page.pageErrors.filter((c) => !/status of 40[04]/.test(c));
  });
});

test("compare: two files", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator("#open-file").setInputFiles(examples[0]);
    await page.getByRole("button", { name: "Compare ▾" }).click();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Another file…" }).click();
    await (await chooser).setFiles(examples[1]);
    await overall(page, "6.13 s → 9.16 s, +49.4%");
    assert.match((await side(page, "Before").textContent())!, /checkout\.pb\.gz/);
    assert.match((await side(page, "After").textContent())!, /checkout-slow\.pb\.gz/);
    await rows(page).first().waitFor();
    await screenshot(page, "compare-files");
    await page.keyboard.press("w");
    await overall(page, "9.16 s → 6.13 s");
    await page.reload();
    await overall(page, "9.16 s → 6.13 s");
  });
});

test("compare: names are rendered as text", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    for (const show of ["both", "sides"]) {
      await page.goto(s.url + pair("hostile", "commit", "aa", "bb", `&show=${show}`));
      await page.locator(".flame-legend").first().waitFor();
      await screenshot(page, `compare-hostile-${show}`);
    }
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    assert.equal(await page.locator("main img").count(), 0);
    await page.goto(s.url + pair("hostile", "commit", "aa", "bb", "&show=table"));
    await rows(page).first().waitFor();
    const shown = await rows(page).allTextContents();
    assert.ok(
      shown.some((t) => t.startsWith("gnp.exe")),
      "directional marks are removed",
    );
    assert.ok(
      shown.some((t) => t.startsWith('<img src=x onerror="window.hacked=1">')),
      "markup is shown as text",
    );
  });
});

test("compare: keyboard only", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await rows(page).first().waitFor();
    await page.keyboard.press("t");
    await eventually("table only", async () => (await page.locator(".flame-canvas").count()) === 0);
    await page.locator(".data-body").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await eventually(
      "the second row",
      async () =>
        (await cells(page, 1))[0] ===
        (await page.locator(".data-row.selected bdi").first().textContent()),
    );
    await page.keyboard.press("a");
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
  const s = await server();
  const now = Date.now();
  const times = `&from=${now - 3_600_000}&to=${now}&before_from=${now - 3_600_000}&before_to=${now}`;
  await withPage({}, async (page) => {
    const address = `/compare?query=${encodeURIComponent('small{commit="bb"}')}&before=${encodeURIComponent('small{commit="aa"}')}`;
    await page.goto(`${s.url}${address}${times}&show=sides`);
    await page
      .getByRole("region", { name: "Flame graph: After" })
      .locator(".flame-canvas")
      .waitFor();
    await page.waitForLoadState("networkidle");
    const paths: string[] = [];
    page.on("request", (r) => paths.push(new URL(r.url()).pathname.replace("/api/v1/", "")));
    await page.keyboard.press("g");
    for (const path of ["flame", "series", "types"])
      await eventually(
        `both sides of ${path}`,
        async () => paths.filter((other) => other === path).length === 2,
      );
  });
});

test("compare: the charts of both sides have the same scale", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(s.url + pair("small", "commit", "aa", "bb"));
    await overall(page, "107 → 122");
    const tops = await eventually("the scale of both charts", async () => {
      const found = await page
        .locator(".side .chart")
        .evaluateAll((charts) => charts.map((chart) => chart.getAttribute("data-greatest")));
      return found.length === 2 && found.every((top) => Number(top) > 0) && found;
    });
    assert.equal(tops[0], tops[1]);
    assert.ok(
      Math.abs(Number(tops[0]) - 122 / 60) < 1e-9,
      `122 in a bucket of a minute, per second: ${tops[0]}`,
    );
    await screenshot(page, "compare-axes");
  });
});

for (const theme of ["light", "dark"] as const)
  test(`compare: normalised, tooltip, table and totals are shares, ${theme}`, async () => {
    const s = await server();
    await withPage({ colorScheme: theme }, async (page) => {
      // parse is 40 of 107 before, and 90 of 122 after.
      await page.goto(s.url + pair("small", "commit", "aa", "bb", "&normalise=1"));
      await overall(page, "Shares of 107 → shares of 122");
      await page.locator(".data-row", { hasText: "parse" }).first().waitFor();
      assert.deepEqual((await cells(page, 0)).slice(0, 5), [
        "parse",
        "37.4%",
        "73.8%",
        "+36.4 pp",
        "+97.3%",
      ]);
      await page.locator(".flame-canvas").focus();
      for (const key of ["Home", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
      const tip = await eventually(
        "the tooltip",
        async () =>
          (await page
            .locator(".flame-tooltip")
            .textContent()
            .catch(() => "")) || false,
      );
      assert.match(tip, /37\.4%73\.8%\+36\.4 pp\+97\.\d%/);
      assert.match(tip, /amount4090/);
      await screenshot(page, `compare-normalised-${theme}`);
    });
  });
