// SPDX-License-Identifier: Apache-2.0
// The minimap beside the breadcrumb. Its space stays reserved while it is hidden, so that nothing
// moves.
import { useEffect, useRef } from "preact/hooks";
import type { Prepared } from "../model/engine";
import { Minimap } from "../canvas/minimap";
import type { StageParts } from "../useStage";

const drawDelayMs = 60; // the graph itself is painted first

// Return the whole tree: the last one without a path, as long as subtrees of the same tree are
// shown.
function wholeOf(now: Prepared, last: Prepared | null): Prepared {
  const related =
    last &&
    last.source.grandTotal === now.source.grandTotal &&
    last.source.unit === now.source.unit;
  return now.source.rootPath.length && related ? last : now;
}

export function MinimapView({
  stage,
  onReset,
}: Pick<StageParts, "stage"> & { onReset: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const whole = useRef<Prepared | null>(null);
  // Runs after the layout effects of the graph, which create the stage.
  useEffect(() => {
    const minimap = new Minimap(canvas.current!);
    const made = stage.current;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (make: boolean) => {
      if (!made.prepared) return;
      whole.current = wholeOf(made.prepared, whole.current);
      const useful =
        !made.isWhole || made.prepared !== whole.current || made.contentHeight > made.height;
      const scene = useful && (make || minimap.isMade) ? made.sceneOf(whole.current) : null;
      const drawn = scene !== null && minimap.draw(made, whole.current, scene, make);
      if (useful && !drawn) timer ??= setTimeout(drawWhole, drawDelayMs);
      // After all reads of sizes, which force a layout.
      else canvas.current!.classList.toggle("flame-map-off", !useful);
    };
    const drawWhole = () => {
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
    // A subtree that was queried alone has no surrounding frames to pan to.
    if (prepared !== whole.current) return event.type === "pointerdown" ? onReset() : undefined;
    stage.current.centre((event.offsetX / canvas.current!.clientWidth) * prepared.layout.whole);
  };
  return (
    <canvas
      class="flame-map flame-map-off"
      ref={canvas}
      aria-hidden="true"
      onPointerDown={onPointer}
      onPointerMove={onPointer}
    />
  );
}
