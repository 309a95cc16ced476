// SPDX-License-Identifier: Apache-2.0
// The flame graph as a picture: what is zoomed into, in the colours of the page.
import { FlameAnswer } from "../api/types";
import { shownTheme } from "../base/theme";
import { formatRange } from "../base/time";
import { typeName } from "../base/types";
import { formatValue } from "../base/units";
import { ExportOptions, toPng, toSvg } from "../flame/export";
import { treeOf } from "../flame/model";
import { State } from "../url";
import { Pictures } from "./Downloads";

export const pictureTitle = (answer: FlameAnswer, moment: State, fileName: string) =>
  [fileName || moment.query || "All services", typeName(answer.type), formatValue(answer.kept, answer.unit), !moment.file && formatRange(moment)].filter(Boolean).join(" · ");

export function picturesOf(answer: FlameAnswer | undefined, moment: State, fileName = ""): Pictures | undefined {
  if (!answer?.nodes.shown_count) return undefined;
  const tree = () => treeOf(answer.nodes, answer.unit, answer.kept);
  const options = (): ExportOptions => ({
    layout: moment.layout,
    colour: moment.colour,
    palette: moment.palette,
    collapse: moment.collapse,
    zoom: moment.zoom,
    theme: shownTheme(),
    title: pictureTitle(answer, moment, fileName),
  });
  return {
    svg: () => new Blob([toSvg(tree(), options())], { type: "image/svg+xml" }),
    png: () => toPng(tree(), options()),
  };
}
