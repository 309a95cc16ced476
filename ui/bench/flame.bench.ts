// SPDX-License-Identifier: Apache-2.0
// How long the graph takes in headless Chromium, at 1920x1000: from the answer to the first
// picture, and each frame while it is zoomed, moved, scrolled and searched, as a user's events make
// it. A frame's time is all that the page does for it, from the event to the pixels (they are read
// back, so that drawing is not only noted down for later). Prints lines of "name TAB value TAB unit
// TAB method", for bench/ui_flame.sh.
import { BrowserContextOptions } from "playwright-core";
import { serveHost } from "../test/browser/host_server";
import { TestPage, withPage } from "../test/browser/pages";
import { atEnd, test } from "../test/tap";

const size: BrowserContextOptions = { viewport: { width: 1920, height: 1000 } };
const frames = 120;

const percentile = (times: number[], part: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))];

function report(name: string, value: number, method: string) {
  process.stdout.write(`${name}\t${value.toFixed(2)}\tms\t${method}\n`);
}

// In the page: every callback of requestAnimationFrame is timed, with the pixels.
function timeFrames() {
  const times: number[] = [];
  const plain = window.requestAnimationFrame.bind(window);
  let early = 0; // what events cost before the frame that shows them
  window.requestAnimationFrame = (run) =>
    plain((now) => {
      const start = performance.now();
      run(now);
      document
        .querySelector<HTMLCanvasElement>(".flame-canvas")
        ?.getContext("2d")
        ?.getImageData(0, 0, 1, 1);
      times.push(performance.now() - start + early);
      early = 0;
    });
  Object.assign(window, {
    frameTimes: times,
    timed: (work: () => void) => {
      const start = performance.now();
      work();
      early += performance.now() - start;
    },
    // when the next one has been drawn
    nextFrame: () => new Promise((done) => plain(() => plain(done))),
  });
}

declare global {
  interface Window {
    frameTimes: number[];
    timed(work: () => void): void;
    nextFrame(): Promise<void>;
  }
}

// From the text of an answer to pixels.
function firstPaint(page: TestPage, count: number) {
  return page.evaluate(async (n) => {
    window.host.openRandom(10);
    await window.nextFrame();
    const text = JSON.stringify(window.host.random(n));
    await window.nextFrame();
    window.frameTimes.length = 0;
    const start = performance.now();
    const nodes = JSON.parse(text);
    const parsed = performance.now();
    window.host.open(nodes);
    const label = () => document.querySelector(".flame-hidden")!.textContent!;
    const wanted = (nodes.level.length - 1).toLocaleString("en-US");
    while (!label().startsWith(wanted)) await new Promise((done) => setTimeout(done, 1));
    await window.nextFrame();
    document
      .querySelector<HTMLCanvasElement>(".flame-canvas")!
      .getContext("2d")!
      .getImageData(0, 0, 1, 1);
    return { parse: parsed - start, paint: performance.now() - parsed, bytes: text.length };
  }, count);
}

type Step = "zoom" | "pan" | "scroll" | "search" | "hover";

function framesOf(page: TestPage, step: Step, count: number): Promise<number[]> {
  return page.evaluate(
    async ([what, n]) => {
      const canvas = document.querySelector<HTMLCanvasElement>(".flame-canvas")!;
      const scroller = document.querySelector<HTMLElement>(".flame-scroll")!;
      const box = canvas.getBoundingClientRect();
      const wheel = (init: WheelEventInit) =>
        canvas.dispatchEvent(
          new WheelEvent("wheel", {
            bubbles: true,
            cancelable: true,
            clientX: box.left + 500,
            clientY: box.top + 200,
            ...init,
          }),
        );
      const words = ["m", "me", "method1", "method12", "json", "/cart.*9$/", "sync", "Type9", ""];
      const steps: Record<string, (i: number) => void> = {
        zoom: (i) => wheel({ ctrlKey: true, deltaY: i % 60 < 30 ? -30 : 30 }),
        pan: (i) => wheel({ shiftKey: true, deltaY: i % 40 < 20 ? 120 : -120 }),
        scroll: (i) => (scroller.scrollTop = (i % 20) * 20),
        search: (i) => window.host.set({ search: words[i % words.length] }),
        hover: (i) =>
          canvas.dispatchEvent(
            new PointerEvent("pointermove", {
              bubbles: true,
              clientX: box.left + 20 + i * 12,
              clientY: box.top + 30 + (i % 20) * 20,
            }),
          ),
      };
      if (what === "pan") for (let i = 0; i < 15; i++) wheel({ ctrlKey: true, deltaY: -30 });
      await window.nextFrame();
      window.frameTimes.length = 0;
      for (let i = 0; i < n; i++) {
        window.timed(() => steps[what](i));
        await window.nextFrame();
      }
      const times = window.frameTimes.slice();
      window.host.set({ search: "" });
      window.host.set({ zoom: [] });
      await window.nextFrame();
      return times;
    },
    [step, count] as const,
  );
}

// Click into frames and back: all frames of the animation.
function framesOfClicks(page: TestPage, count: number): Promise<number[]> {
  return page.evaluate(async (n) => {
    window.frameTimes.length = 0;
    const canvas = document.querySelector<HTMLCanvasElement>(".flame-canvas")!;
    const box = canvas.getBoundingClientRect();
    for (let i = 0; i < n; i++) {
      const init = {
        bubbles: true,
        button: 0,
        clientX: box.left + 60 + i * 40,
        clientY: box.top + (i % 6) * 40 + 50,
      };
      window.timed(() => {
        canvas.dispatchEvent(new PointerEvent("pointerdown", init));
        canvas.dispatchEvent(new PointerEvent("pointerup", init));
      });
      await new Promise((done) => setTimeout(done, 260));
      window.timed(() => document.querySelector<HTMLElement>(".flame-crumbs button")!.click());
      await new Promise((done) => setTimeout(done, 260));
    }
    return window.frameTimes.slice();
  }, count);
}

for (const [count, label] of [
  [100_000, "100k"],
  [1_000_000, "1m"],
] as const)
  test(`bench: ${label} frames`, async () => {
    const server = await serveHost();
    atEnd(() => server.close());
    await withPage(size, async (page) => {
      page.setDefaultTimeout(120_000);
      await page.addInitScript(timeFrames);
      await page.goto(server.url);
      const paints = [];
      for (let i = 0; i < (count > 500_000 ? 3 : 5); i++)
        paints.push(await firstPaint(page, count));
      const middle = paints.sort((a, b) => a.paint - b.paint)[Math.floor(paints.length / 2)];
      report(
        `ui-flame-${label}-first-paint`,
        middle.paint,
        `from the parsed answer to pixels and one frame more, median of ${paints.length}; reading ${(middle.bytes / 1e6).toFixed(1)} MB of JSON took ${middle.parse.toFixed(0)} ms`,
      );
      for (const step of ["zoom", "pan", "scroll", "search", "hover"] as const) {
        const times = await framesOf(page, step, frames);
        report(
          `ui-flame-${label}-${step}`,
          percentile(times, 0.95),
          `p95 of ${times.length} frames; p50 ${percentile(times, 0.5).toFixed(2)}, worst ${Math.max(...times).toFixed(1)} ms`,
        );
      }
      const clicks = await framesOfClicks(page, 6);
      report(
        `ui-flame-${label}-click`,
        percentile(clicks, 0.95),
        `p95 of ${clicks.length} frames of animated zooms; p50 ${percentile(clicks, 0.5).toFixed(2)}, worst ${Math.max(...clicks).toFixed(1)} ms`,
      );
    });
  });
