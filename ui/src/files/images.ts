// SPDX-License-Identifier: Apache-2.0
// Exports the flame graph as an image: the zoomed frame, in the colours of the page.
import { FlameAnswer } from "../api/types";
import { shownTheme } from "../base/theme";
import { formatRange } from "../base/time";
import { typeName } from "../base/profile_types";
import { formatValue } from "../base/units";
import { ExportOptions, toPng, toSvg } from "../flame/canvas/image_export";
import { treeOf } from "../flame/model/tree";
import { State } from "../url";
import { Pictures } from "./Downloads";

export const pictureTitle = (answer: FlameAnswer, resolved: State, fileName: string) =>
  [
    fileName || resolved.query || "All services",
    typeName(answer.type),
    formatValue(answer.kept, answer.unit),
    !resolved.file && formatRange(resolved),
  ]
    .filter(Boolean)
    .join(" · ");

export function picturesOf(
  answer: FlameAnswer | undefined,
  resolved: State,
  fileName = "",
): Pictures | undefined {
  if (!answer?.nodes.shown_count) return undefined;
  const tree = () => treeOf(answer.nodes, answer.unit, answer.kept);
  const options = (): ExportOptions => ({
    layout: resolved.layout,
    colour: resolved.colour,
    palette: resolved.palette,
    collapse: resolved.collapse,
    zoom: resolved.zoom,
    theme: shownTheme(),
    title: pictureTitle(answer, resolved, fileName),
  });
  return {
    svg: () => new Blob([toSvg(tree(), options())], { type: "image/svg+xml" }),
    png: () => toPng(tree(), options()),
  };
}
