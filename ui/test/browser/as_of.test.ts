// SPDX-License-Identifier: Apache-2.0
// More of a selection that is shown is of the same moment, though its service is written to meanwhile, on a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Page, Response } from "playwright-core";
import { test } from "../tap";
import { eventually, folded, screenshot, temporary, TestPage, withPage } from "./lib";
import { Server } from "./server";

interface Named {
  as_of?: string;
  total?: number;
}

const minute = 60_000;
const range = (from: number, to: number) => `from=${Date.now() + from * minute}&to=${Date.now() + to * minute}`;
const total = (page: Page, text: string) => page.locator(".summary strong", { hasText: text }).waitFor();
const asOf = (response: Response) => new URL(response.url()).searchParams.get("as_of");
const named = async (response: Response) => (await response.json()) as Named;

// The answer to the next question that begins so and has this in it.
const next = (page: Page, path: string, part = "") => page.waitForResponse((r) => r.url().includes(`/api/v1/${path}?`) && decodeURIComponent(r.url()).includes(part));

// A server with a service "busy", and a way to write more to it.
async function busy(): Promise<{ server: Server; write: () => void }> {
  const server = await new Server().start();
  const file = folded(join(temporary(), "busy.folded"), { "main;parse;read": 30, "main;parse": 10, "main;write": 60 });
  const write = () => server.push(file, "busy");
  write();
  return { server, write };
}

// The answer is of what was shown, unless that took longer than the server keeps it.
async function sameMoment(response: Response, shown: Named, since: number) {
  assert.equal(asOf(response), shown.as_of);
  if (Date.now() - since < 8000) assert.equal((await named(response)).as_of, shown.as_of);
}

async function zoomIn(page: TestPage) {
  await page.locator(".flame-canvas").focus();
  for (const key of ["Home", "ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key);
}

test("as_of: a zoom, a filter, another view and callers are of what is shown; a refresh and another range are of now", async () => {
  const { server, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    const table = next(page, "top");
    await page.goto(`${server.url}/profiles?query=busy&${range(-10, 10)}`);
    assert.equal(asOf(await first), null);
    const shown = await named(await first);
    const since = Date.now();
    assert.equal((await named(await table)).as_of, shown.as_of);
    await total(page, "100");
    write();
    let answer = next(page, "flame", "path=main");
    await zoomIn(page);
    await sameMoment(await answer, shown, since);
    await eventually("the zoom is in the address", async () => page.url().includes("zoom=main"));
    answer = next(page, "flame", "invert=1");
    await page.keyboard.press("v");
    await sameMoment(await answer, shown, since);
    answer = next(page, "callers");
    await page.locator('[aria-label="Functions"] .data-row', { hasText: "parse" }).dblclick();
    await sameMoment(await answer, shown, since);
    assert.equal(page.url().includes("as_of"), false, page.url());
    await screenshot(page, "as-of");
    // A refresh is of now, and so is what follows it.
    answer = next(page, "callers");
    await page.keyboard.press("g");
    assert.equal(asOf(await answer), null);
    const now = await named(await answer);
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

test("as_of: a search asks for sums of what is shown", async () => {
  const server = await new Server().start();
  const stacks: Record<string, number> = {};
  for (let i = 0; i < 25_000; i++) stacks[`main;f${i}`] = i + 1; // more than the page asks for
  const file = folded(join(temporary(), "wide.folded"), stacks);
  server.push(file, "wide");
  await withPage({}, async (page) => {
    const first = next(page, "flame");
    await page.goto(`${server.url}/profiles?query=wide&view=flame&${range(-10, 10)}`);
    const shown = await named(await first);
    const since = Date.now();
    await page.locator(".flame-legend").waitFor();
    server.push(file, "wide");
    const sums = next(page, "sums", "search=f1");
    await page.locator("#search").fill("f1");
    await sameMoment(await sums, shown, since);
  });
});

test("as_of: a filter in a comparison is of what is shown, and so is each side", async () => {
  const { server, write } = await busy();
  await withPage({}, async (page) => {
    const first = next(page, "diff");
    const [from, to] = [Date.now() - 10 * minute, Date.now() + 10 * minute];
    await page.goto(`${server.url}/compare?query=busy&from=${from}&to=${to}&before=${encodeURIComponent("{}")}&before_from=${from}&before_to=${to}&show=graph`);
    const shown = await named(await first);
    const since = Date.now();
    assert.match(shown.as_of!, /^\d+-\d+$/);
    write();
    const answer = next(page, "diff", "invert=1");
    await page.locator(".flame-canvas").waitFor();
    await page.keyboard.press("v");
    await sameMoment(await answer, shown, since);
    const side = next(page, "flame", "query=busy");
    await page.keyboard.press("s");
    await sameMoment(await side, { as_of: shown.as_of!.split("-")[1] }, since);
    assert.equal(page.url().includes("as_of"), false, page.url());
  });
});
