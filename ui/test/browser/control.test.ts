// SPDX-License-Identifier: Apache-2.0
// The control of running instances in the page: a real program under `varve run` applies what the
// form says, and the change is an event on the timeline; it takes a profile, which the page opens.
import assert from "node:assert/strict";
import { ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { atEnd, test } from "../tap";
import { program, sourceRoot, withPage } from "./pages";
import { Server } from "./server";

function startProgram(server: Server): ChildProcess {
  const child = spawn(
    program,
    [
      ...["run", "-e", server.url, "--protocol", "http", "-s", "checkout", "--no-summary", "--"],
      ...["sh", "-c", "while :; do sleep 0.2; done"],
    ],
    { stdio: "ignore", detached: true },
  );
  atEnd(() => {
    if (child.exitCode === null) process.kill(-child.pid!, "SIGTERM");
    return Promise.resolve();
  });
  return child;
}

// Wait for up to a minute: instances report every few seconds.
async function patiently(check: () => Promise<boolean>) {
  const end = Date.now() + 60_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error("not within a minute");
    await new Promise((done) => setTimeout(done, 200));
  }
}

const state = async (s: Server) =>
  (await (await fetch(`${s.url}/api/v1/control?service=checkout`)).json()) as {
    instances: { settings: { cpu_hz?: number; profiles?: string[] }; lease_state: string }[];
  };

test("control: a change of the page reaches the program and is on the timeline", async () => {
  const s = await new Server().start();
  s.push(join(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Control" }).click();
    await page.getByText("No instance of checkout reports to this server").waitFor();
    startProgram(s);
    const form = page.locator(".control-form");
    await form.waitFor({ timeout: 60_000 });
    await form.getByLabel("CPU samples per second").fill("250");
    await form.getByLabel("heap").uncheck();
    await form.getByLabel("wall").check();
    await form.getByLabel("Reason").fill("a test of the page");
    await form.getByRole("button", { name: "Apply" }).click();
    await page.getByText("In effect").waitFor();
    await patiently(async () => {
      const { instances } = await state(s);
      return instances.some(
        (i) =>
          i.lease_state === "applied" &&
          i.settings.cpu_hz === 250 &&
          i.settings.profiles?.join() === "cpu,wall",
      );
    });
    await page.getByText(/\d+ applied/).waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "End now" }).click();
    await patiently(async () => {
      const { instances } = await state(s);
      return instances.some((i) => i.lease_state === "ended" && i.settings.cpu_hz === 100);
    });
    await page.reload();
    const events = page.getByRole("list", { name: "Events" });
    await events.waitFor();
    const text = (await events.textContent()) ?? "";
    assert.match(text, /Changed: cpu_hz=250 profiles=cpu,wall for 60 s on \d+ instances/);
    assert.match(text, /: a test of the page/);
    assert.match(text, /Ended: ended before its time/);
  });
});

test("capture: a profile of the running program is taken, opened and saved", async () => {
  const s = await new Server().start();
  s.push(join(sourceRoot, "examples/checkout.pb.gz"), "checkout", "--time", "now-5m");
  startProgram(s);
  await patiently(async () => (await state(s)).instances.length > 0);
  await withPage({}, async (page) => {
    await page.goto(`${s.url}/profiles?query=checkout`);
    await page.getByRole("button", { name: "Capture" }).click();
    const panel = page.locator(".control-panel");
    const take = panel.getByRole("button", { name: "Take a profile" });
    await panel.getByLabel("Profile").selectOption("wall");
    await panel.getByLabel("For", { exact: true }).selectOption("5");
    await take.click();
    await panel.getByText("Taking a profile of 5 s: 0 of 1").waitFor();
    assert.equal(await take.isDisabled(), true);
    // it goes on while the panel is closed
    await page.getByRole("button", { name: "Capture" }).click();
    await page.waitForTimeout(1500);
    await page.getByRole("button", { name: "Capture" }).click();
    await panel.getByText("1 of 1 profiles").waitFor({ timeout: 60_000 });
    const saved = page.waitForEvent("download");
    await panel.getByRole("button", { name: "Save" }).click();
    assert.match((await saved).suggestedFilename(), /^checkout-wall-\d+\.pb\.gz$/);
    await panel.getByRole("button", { name: "Open" }).click();
    await page.waitForURL(/file=/);
    await page.getByText(/checkout-wall-\d+\.pb\.gz/).first().waitFor();
  });
});
