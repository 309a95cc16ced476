// SPDX-License-Identifier: Apache-2.0
// The small map beside the breadcrumb. It keeps its place when there is nothing to show, so that nothing moves.
import { useEffect, useRef } from "preact/hooks";
import type { Prepared } from "./engine";
import { Minimap } from "./minimap";
import type { StageParts } from "./useStage";

const pictureDelayMs = 60; // the large picture comes first

// A tree without a path is the whole one, for as long as parts of the same are shown.
function wholeOf(now: Prepared, last: Prepared | null): Prepared {
  const related = last && last.source.grandTotal === now.source.grandTotal && last.source.unit === now.source.unit;
  return now.source.rootPath.length && related ? last : now;
}

export function Map({ stage, onReset }: Pick<StageParts, "stage"> & { onReset: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const whole = useRef<Prepared | null>(null);
  // After the effects of the graph around it, which make the stage.
  useEffect(() => {
    const minimap = new Minimap(canvas.current!);
    const made = stage.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (make: boolean) => {
      if (!made.prepared) return;
      whole.current = wholeOf(made.prepared, whole.current);
      const useful = !made.isWhole || made.prepared !== whole.current || made.contentHeight > made.height;
      const scene = useful && (make || minimap.isMade) ? made.sceneOf(whole.current) : null;
      const drawn = scene !== null && minimap.draw(made, whole.current, scene, make);
      if (useful && !drawn) timer ??= setTimeout(makeIt, pictureDelayMs);
      else canvas.current!.classList.toggle("flame-map-off", !useful); // after what asks for sizes
    };
    const makeIt = () => {
      timer = undefined;
      show(true);
    };
    made.onDraw = () => show(false);
    made.onDraw();
    return () => clearTimeout(timer);
  }, []);
  const onPointer = (event: PointerEvent) => {
    const { prepared } = stage.current;
    if (!prepared || (event.type === "pointermove" && !(event.buttons & 1))) return;
    // A part that was asked for alone has nothing beside it.
    if (prepared !== whole.current) return event.type === "pointerdown" ? onReset() : undefined;
    stage.current.centre((event.offsetX / canvas.current!.clientWidth) * prepared.layout.whole);
  };
  return <canvas class="flame-map flame-map-off" ref={canvas} aria-hidden="true" onPointerDown={onPointer} onPointerMove={onPointer} />;
}
