// SPDX-License-Identifier: Apache-2.0
// Mouse, pen and touch input on the canvas. A click zooms; on touch screens the first tap selects
// and the second one zooms; a drag pans a zoomed graph; the wheel scrolls, and with Ctrl zooms at
// the pointer.
import type { Stage } from "../canvas/stage";

export interface PointerEvents {
  hover(hit: number, event: PointerEvent): void;
  leave(): void;
  click(hit: number): void;
  tap(hit: number, event: PointerEvent): void;
}

const dragPixels = 5;
const doubleTapMs = 350;

export function listenToPointer(
  canvas: HTMLCanvasElement,
  stage: Stage,
  events: PointerEvents,
): () => void {
  let down: { x: number; moved: boolean } | null = null;
  let lastTap = { hit: -1, time: 0 };
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    passive = true,
  ) => canvas.addEventListener(type, listener, { signal: stop.signal, passive });
  const hitOf = (event: MouseEvent) => stage.hit(event.offsetX, event.offsetY);

  on("pointerdown", (event) => {
    if (event.button === 0) down = { x: event.clientX, moved: false };
  });
  on("pointermove", (event) => {
    if (!down) {
      if (event.pointerType !== "touch") events.hover(hitOf(event), event);
      return;
    }
    const by = down.x - event.clientX;
    if (!down.moved && (Math.abs(by) < dragPixels || stage.isWhole)) return;
    if (!down.moved) {
      canvas.setPointerCapture(event.pointerId);
      events.leave();
    }
    stage.pan(by);
    down = { x: event.clientX, moved: true };
  });
  on("pointerup", (event) => {
    const clicked = down && !down.moved && event.button === 0;
    down = null;
    if (!clicked) return;
    const hit = hitOf(event);
    if (event.pointerType !== "touch") return events.click(hit);
    if (hit === lastTap.hit && event.timeStamp - lastTap.time < doubleTapMs) {
      lastTap = { hit: -1, time: 0 };
      return events.click(hit);
    }
    lastTap = { hit, time: event.timeStamp };
    events.tap(hit, event);
  });
  on("pointercancel", () => (down = null));
  on("pointerleave", (event) => event.pointerType !== "touch" && events.leave());
  on(
    "wheel",
    (event) => {
      if (event.ctrlKey || event.metaKey)
        stage.scaleAt(event.offsetX, Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120));
      else if (
        (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) &&
        !stage.isWhole
      )
        stage.pan(event.shiftKey ? event.deltaY || event.deltaX : event.deltaX);
      else return;
      event.preventDefault();
      events.leave();
    },
    false,
  );
  return () => stop.abort();
}
