// SPDX-License-Identifier: Apache-2.0
// Shared by all browser tests: the browser, the program, pages whose errors fail the test, and
// screenshots (ui-screenshots/ beside the bundle).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, BrowserContextOptions, chromium, Page } from "playwright-core";
import { atEnd } from "../tap";

export const program = process.env.VARVE!;
export const sourceRoot = process.env.SOURCE_ROOT ?? join(process.cwd(), "..");

let browser: Browser | null = null;

async function sharedBrowser(): Promise<Browser> {
  if (!browser) {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
    atEnd(() => browser?.close());
  }
  return browser;
}

// Create a directory that is removed after the tests.
export function temporary(): string {
  const path = mkdtempSync(join(tmpdir(), "varve-browser-"));
  atEnd(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function run(...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
}

// Write a file of folded stacks: lines of the form "a;b;c 40".
export function folded(path: string, stacks: Record<string, number>): string {
  writeFileSync(
    path,
    Object.entries(stacks)
      .map(([stack, value]) => `${stack} ${value}\n`)
      .join(""),
  );
  return path;
}

export interface TestPage extends Page {
  pageErrors: string[]; // script errors, console errors, and requests to other hosts
}

// Run a test with a new page. Fails if the page reported any error.
export async function withPage(
  options: BrowserContextOptions,
  use: (page: TestPage) => Promise<void>,
) {
  const context = await (
    await sharedBrowser()
  ).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(10_000);
  const page = (await context.newPage()) as TestPage;
  page.pageErrors = [];
  page.setDefaultTimeout(10_000);
  page.on("pageerror", (e) => page.pageErrors.push(`error: ${e.message}`));
  page.on("console", (m) => {
    const ours = m.text().includes("willReadFrequently"); // caused by tests that read pixels
    if (!ours && (m.type() === "error" || m.type() === "warning"))
      page.pageErrors.push(`console: ${m.text()}`);
  });
  page.on("request", (r) => {
    const { protocol, hostname } = new URL(r.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1" && hostname !== "localhost")
      page.pageErrors.push(`request: ${r.url()}`);
  });
  try {
    await use(page).catch((e: Error) => page.pageErrors.push(e.stack ?? e.message));
    if (page.pageErrors.length) throw new Error(page.pageErrors.join("\n"));
  } finally {
    await context.close();
  }
}

// Choose from a list that a button opens (base/Picker.tsx).
export async function pick(page: Page, label: string, text: string) {
  await page.getByRole("button", { name: new RegExp(`^${label}: `) }).click();
  await page.getByRole("option", { name: text, exact: true }).click();
}

export async function screenshot(page: Page, name: string) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "ui-screenshots");
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

// Wait up to five seconds until the check returns a truthy value, and return it.
export async function eventually<T>(
  what: string,
  check: () => Promise<T | false | null | undefined>,
): Promise<T> {
  const end = Date.now() + 5000;
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() > end) throw new Error(`not within 5 s: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
}
