// SPDX-License-Identifier: Apache-2.0
// Browser tests of as_of: all parts of a page have the same data while the server ingests more, on
// a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page, Response } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, TestPage, withPage } from "./pages";
import { Server } from "./server";

interface Versioned {
  as_of?: string;
  total?: number;
}

const minute = 60_000;
const range = (from: number, to: number) =>
  `from=${Date.now() + from * minute}&to=${Date.now() + to * minute}`;
const total = (page: Page, text: string) =>
  page.locator(".summary strong", { hasText: text }).waitFor();
const asOf = (response: Response) => new URL(response.url()).searchParams.get("as_of");
const versioned = async (response: Response) => (await response.json()) as Versioned;

// Wait for the next answer of a path whose URL contains `part`.
const next = (page: Page, path: string, part = "") =>
  page.waitForResponse(
    (r) => r.url().includes(`/api/v1/${path}?`) && decodeURIComponent(r.url()).includes(part),
  );

// Start a server with a service "busy", and return a function that ingests more data.
async function busy(): Promise<{ server: Server; write: () => void }> {
  const server = await new Server().start();
  const file = folded(join(temporary(), "busy.folded"), {
    "main;parse;read": 30,
    "main;parse": 10,
    "main;write": 60,
  });
  const write = () => server.push(file, "busy");
  write();
  return { server, write };
}

// Check that the answer has the data of the first one, unless the test was slower than the server
// keeps results.
async function expectSameData(response: Response, shown: Versioned, since: number) {
  assert.equal(asOf(response), shown.as_of);
  if (Date.now() - since < 8000) assert.equal((await versioned(response)).as_of, shown.as_of);
}

async function zoomIn(page: TestPage) {
  await page.locator(".flame-canvas").focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
}

test("as_of: zoom, filter and other views have the data of the first answer; a refresh has current data", async () => {
  const { server, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    const table = next(page, "top");
    await page.goto(`${server.url}/profiles?query=busy&${range(-10, 10)}`);
    assert.equal(asOf(await first), null);
    const shown = await versioned(await first);
    const since = Date.now();
    assert.equal((await versioned(await table)).as_of, shown.as_of);
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
    assert.equal(page.url().includes("as_of"), false, page.url());
    await screenshot(page, "as-of");
    // A refresh has current data, and so have the queries after it.
    answer = next(page, "callers");
    await page.keyboard.press("g");
    assert.equal(asOf(await answer), null);
    const now = await versioned(await answer);
    assert.notEqual(now.as_of, shown.as_of);
    assert.equal(now.total, 2 * shown.total!);
    answer = next(page, "flame");
    await page.keyboard.press("f");
    assert.equal(asOf(await answer), now.as_of);
    await total(page, "200");
    answer = next(page, "flame");
    await page.evaluate((to) => {
      history.pushState(null, "", location.href.replace(/from=\d+&to=\d+/, to));
      dispatchEvent(new PopStateEvent("popstate"));
    }, range(-20, 10));
    assert.equal(asOf(await answer), null);
  });
});

test("as_of: sums of a search have the data of the first answer", async () => {
  const server = await new Server().start();
  const stacks: Record<string, number> = {};
  for (let i = 0; i < 25_000; i++) stacks[`main;f${i}`] = i + 1; // more than the page queries
  const file = folded(join(temporary(), "wide.folded"), stacks);
  server.push(file, "wide");
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    await page.goto(`${server.url}/profiles?query=wide&view=flame&${range(-10, 10)}`);
    const shown = await versioned(await first);
    const since = Date.now();
    await page.locator(".flame-legend").waitFor();
    server.push(file, "wide");
    const sums = next(page, "sums", "search=f1");
    await page.locator("#search").fill("f1");
    await expectSameData(await sums, shown, since);
  });
});

test("as_of: a filter and the sides of a comparison have the data of the first answer", async () => {
  const { server, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "diff");
    const [from, to] = [Date.now() - 10 * minute, Date.now() + 10 * minute];
    await page.goto(
      `${server.url}/compare?query=busy&from=${from}&to=${to}&before=${encodeURIComponent("{}")}` +
        `&before_from=${from}&before_to=${to}&show=graph`,
    );
    const shown = await versioned(await first);
    const since = Date.now();
    assert.match(shown.as_of!, /^\d+-\d+$/);
    write();
    const answer = next(page, "diff", "invert=1");
    await page.locator(".flame-canvas").waitFor();
    await page.keyboard.press("v");
    await expectSameData(await answer, shown, since);
    const side = next(page, "flame", "query=busy");
    await page.keyboard.press("s");
    await expectSameData(await side, { as_of: shown.as_of!.split("-")[1] }, since);
    assert.equal(page.url().includes("as_of"), false, page.url());
  });
});
