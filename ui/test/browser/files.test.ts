// SPDX-License-Identifier: Apache-2.0
// Browser tests of opened files (compared, saved, refused, expired) and of downloads.
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Page } from "playwright-core";
import { test } from "../tap";
import {
  eventually,
  folded,
  program,
  run,
  screenshot,
  sourceRoot,
  temporary,
  TestPage,
  withPage,
} from "./pages";
import { Server } from "./server";

const checkout = join(sourceRoot, "examples/checkout.pb.gz");
const folder = temporary();
const small = folded(join(folder, "small.folded"), {
  "main;parse;read": 30,
  "main;parse": 10,
  "main;write": 60,
});
let known: Promise<Server> | null = null;

function server(): Promise<Server> {
  known ??= (async () => {
    const s = await new Server().start();
    s.push(small, "small", "--label", "env=it's", "--time", "now-5m");
    return s;
  })();
  return known;
}

const row = (page: Page, name: string) =>
  page.locator('[aria-label="Functions"] .data-row', { hasText: name });
const pathOf = (page: Page) => new URL(page.url()).pathname;
const fileOf = (page: Page) => new URL(page.url()).searchParams.get("file") ?? "";

// Drop files onto the page.
async function drop(page: Page, ...paths: string[]) {
  const files = paths.map((path) => ({
    name: path.slice(path.lastIndexOf("/") + 1),
    bytes: [...readFileSync(path)],
  }));
  await page.evaluate((list) => {
    const data = new DataTransfer();
    list.forEach(({ name, bytes }, i) =>
      data.items.add(new File([new Uint8Array(bytes)], name, { lastModified: 1000 + i })),
    );
    const fire = (kind: string) =>
      document.body.dispatchEvent(
        new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    fire("dragenter");
    fire("dragover");
    fire("drop");
  }, files);
}

// Ignore error responses, which the browser writes to the console.
const expectRefusal = (page: TestPage) =>
  (page.pageErrors = page.pageErrors.filter((c) => !/status of 4\d\d/.test(c)));

// Return the fraction of the timeline's width that is covered by bars.
const barWidth = (page: Page) =>
  page
    .locator(".timeline canvas")
    .first()
    .evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
      const columns = new Set<number>();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 40 && data[i + 2] > data[i] + 60) columns.add((i / 4) % canvas.width);
      return columns.size / canvas.width;
    });

test("files: a single profile is one bar of its duration", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout);
    await page.locator(".timeline-caption", { hasText: "cores" }).waitFor();
    const width = await eventually("a bar", async () => barWidth(page));
    assert.ok(
      width > 0.7 && width < 0.95,
      `the bar fills the axis except for the margins: ${width}`,
    );
    await screenshot(page, "file-one-profile");
  });
});

test("files: a dropped file is shown, and its address can be reloaded", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout);
    await page.locator(".file-chip", { hasText: "checkout.pb.gz" }).waitFor();
    assert.equal(pathOf(page), "/profiles");
    await row(page, "runtime").first().waitFor();
    const expected = JSON.parse(run("top", checkout, "--json")) as { total: number };
    const answer = await page.evaluate(
      async (id) =>
        ((await (await fetch(`/api/v1/top?file=${id}&n=1`)).json()) as { total: number }).total,
      fileOf(page),
    );
    assert.equal(answer, expected.total);
    await screenshot(page, "file-opened");
    await page.reload();
    await page.locator(".file-bar", { hasText: "pprof" }).waitFor();
    await page.getByRole("button", { name: "Close the file" }).click();
    await page.locator(".service", { hasText: "small" }).waitFor();
  });
});

test("files: the page shows a hint while a file is dragged over it", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.locator(".service").first().waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "x"));
      document.body.dispatchEvent(
        new DragEvent("dragenter", { dataTransfer: data, bubbles: true, cancelable: true }),
      );
    });
    await page.locator(".drop-veil", { hasText: "Drop to open" }).waitFor();
    await screenshot(page, "file-drop");
    await page.evaluate(() =>
      document.body.dispatchEvent(new DragEvent("dragleave", { bubbles: true })),
    );
    await page.locator(".drop-veil").waitFor({ state: "detached" });
  });
});

test("files: an invalid file shows the server's reason, and the page stays", async () => {
  const s = await server();
  const bad = join(folder, "bad.bin");
  writeFileSync(bad, Buffer.from([0xff, 0xfe, 0x00, 0x12, 0x34]));
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=small`);
    await row(page, "write").waitFor();
    await page.setInputFiles("#open-file", bad);
    await page.locator(".opening-reason", { hasText: "not a profile" }).waitFor();
    await screenshot(page, "file-refused");
    await page.keyboard.press("Escape");
    await page.locator(".opening").waitFor({ state: "detached" });
    assert.ok(page.url().endsWith("/profiles?query=small"));
    expectRefusal(page);
  });
});

test("files: two dropped files are compared, the older one is the before side", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, checkout, join(sourceRoot, "examples/checkout-slow.pb.gz"));
    await eventually("the comparison", async () => pathOf(page) === "/compare");
    const params = new URL(page.url()).searchParams;
    const name = (id: string | null) =>
      page.evaluate(
        async (file) =>
          ((await (await fetch(`/api/v1/files?id=${file}`)).json()) as { name: string }).name,
        id,
      );
    assert.equal(await name(params.get("before_file")), "checkout.pb.gz");
    assert.equal(await name(params.get("file")), "checkout-slow.pb.gz");
    await page.locator("canvas").first().waitFor();
    await screenshot(page, "file-compare");
    await drop(page, checkout, small, small);
    await page.locator(".opening-reason", { hasText: "or two files to compare" }).waitFor();
  });
});

test("files: a file can be saved to the store", async () => {
  const s = await server();
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await page.setInputFiles("#open-file", checkout);
    await page.getByRole("button", { name: "Save to store" }).click();
    await page.locator(".keep-form input").first().fill("kept");
    await page.locator(".keep-form input").nth(1).fill("env=");
    await page.locator(".keep-form .note.bad").waitFor();
    assert.equal(await page.locator(".keep-form button[type=submit]").isDisabled(), true);
    await page.locator(".keep-form input").nth(1).fill("env=dev");
    await screenshot(page, "file-keep");
    await page.keyboard.press("Enter");
    await eventually(
      "the stored data",
      async () => new URL(page.url()).searchParams.get("query") === 'kept{env="dev"}',
    );
    assert.equal(fileOf(page), "");
    await row(page, "runtime").first().waitFor();
    const params = new URL(page.url()).searchParams;
    const time = (name: string) => new Date(Number(params.get(name))).toISOString();
    const kept = JSON.parse(
      s.query("top", 'kept{env="dev"}', "--from", time("from"), "--to", time("to"), "--json"),
    ) as { total: number };
    assert.equal(
      kept.total,
      (JSON.parse(run("top", checkout, "--json")) as { total: number }).total,
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
    await page.goto("about:blank"); // an open page would report errors while the server is down
    await s.stop();
    await s.start(port);
    await page.goto(address);
    await page.locator(".empty", { hasText: "no longer on the server" }).waitFor();
    await screenshot(page, "file-gone");
    await drop(page, checkout);
    await page.locator(".file-chip", { hasText: "checkout.pb.gz" }).waitFor();
    assert.equal(page.url(), address);
    expectRefusal(page);
  });
});

test("files: hostile names are rendered as text", async () => {
  const s = await server();
  const name = join(folder, `<img src=x onerror=hacked=1>\u202e${"n".repeat(120)}.folded`);
  writeFileSync(
    name,
    `main;<script>window.hacked=1</script>;${"x".repeat(10_000)} 7\nmain;😀\u202ebackwards 3\n`,
  );
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/`);
    await drop(page, name);
    await page.locator(".file-chip", { hasText: "<img src=x" }).waitFor();
    await row(page, "😀").waitFor();
    assert.equal(
      await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
      false,
      "nothing is cut off at the right",
    );
    assert.equal(await page.evaluate(() => "hacked" in window), false);
    await screenshot(page, "file-hostile");
  });
});

async function download(page: Page, item: string): Promise<string> {
  await page.getByRole("button", { name: "Download ▾" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(".download-menu > *", { hasText: item }).first().click(),
  ]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return path;
}

test("downloads: each format contains the selection", async () => {
  const s = await server();
  await withPage({ acceptDownloads: true }, async (page) => {
    await page.goto(`${s.url}/profiles?query=small&focus=parse`);
    await row(page, "read").waitFor();
    for (const item of ["pprof", "OTLP", "Folded", "speedscope"]) {
      const path = await download(page, item);
      assert.equal((JSON.parse(run("top", path, "--json")) as { total: number }).total, 40, item);
    }
    const svg = readFileSync(await download(page, "SVG"), "utf8");
    assert.match(svg, /^<svg/);
    assert.ok(svg.includes("parse") && !svg.includes("write"));
    const png = readFileSync(await download(page, "PNG"));
    assert.equal(png.subarray(1, 4).toString(), "PNG");
  });
});

test("downloads: the link has absolute times, and the command line has the same query", async () => {
  const s = await server();
  await withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(
      `${s.url}/profiles?query=${encodeURIComponent(`small{env="it's"}`)}&view=table`,
    );
    await row(page, "read").waitFor();
    const copied = async (item: string) => {
      await page.locator(".download-menu > *", { hasText: item }).first().click();
      await page.locator(".download-menu [role=status]", { hasText: "Copied" }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.getByRole("button", { name: "Download ▾" }).click();
    const link = new URL(await copied("Copy link"));
    assert.match(link.searchParams.get("from")!, /^\d{13}$/);
    assert.match(link.searchParams.get("to")!, /^\d{13}$/);
    await screenshot(page, "downloads");
    const command = await eventually("the command", async () => {
      const text = await copied("Copy command");
      return text.startsWith("varve query top ") && text;
    });
    const table = execSync(`${command} --exact`, {
      encoding: "utf8",
      env: { ...process.env, PATH: `${dirname(program)}:${process.env.PATH}` },
    });
    assert.match(table, /\b60\b.*\bwrite\b/);
  });
});
