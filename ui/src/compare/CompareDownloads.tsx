// SPDX-License-Identifier: Apache-2.0
// The comparison as files: the difference in stacks, as a table, as a picture; and each side for other tools.
import { request, requestFile } from "../api/client";
import { DiffAnswer } from "../api/types";
import { shownTheme } from "../base/theme";
import { typeName } from "../base/types";
import { downloadUrl, linkOf, pictureName } from "../files/commands";
import { DownloadMenu, Pictures, pictureWays, saveBlob, Way } from "../files/Downloads";
import { useFile } from "../files/FileBar";
import { ExportOptions, toPng, toSvg } from "../flame/export";
import { treeOf } from "../flame/model";
import { State } from "../url";
import { compareCommand, csvOf, diffQuestion, foldedDiff } from "./exports";
import { SideName, sideOf } from "./sides";

function picturesOf(answer: DiffAnswer | undefined, moment: State, names: Record<SideName, string>): Pictures | undefined {
  const nodes = answer?.flame;
  if (!answer || !nodes?.shown_count) return undefined;
  const tree = () => treeOf(nodes, answer.unit, answer.after.kept, answer.before.kept);
  const options = (): ExportOptions => ({
    layout: moment.layout,
    colour: "diff",
    palette: moment.palette,
    collapse: moment.collapse,
    normalise: answer.normalised,
    zoom: moment.zoom,
    theme: shownTheme(),
    title: `${names.before} → ${names.after} · ${typeName(answer.type)}${answer.normalised ? ", normalised" : ""}`,
  });
  return {
    svg: () => new Blob([toSvg(tree(), options())], { type: "image/svg+xml" }),
    png: () => toPng(tree(), options()),
  };
}

const textOf = async (url: string) => (await requestFile(url)).blob.text();

function waysOf(moment: State, pictures: Pictures | undefined): Way[] {
  const before = sideOf(moment, "before");
  const fileName = (suffix: string) => pictureName(moment, suffix);
  const save = (text: string, type: string, suffix: string) => saveBlob(new Blob([text], { type }), fileName(suffix));
  const side = async (which: State, suffix: string) => saveBlob((await requestFile(downloadUrl(which, "pprof"))).blob, fileName(suffix));
  return [
    {
      name: "Folded difference",
      help: "stack, before, after; flamegraph.pl",
      save: async () => {
        const sides = await Promise.all([before, moment].map((which) => textOf(downloadUrl(which, "folded"))));
        save(foldedDiff(sides[0], sides[1]), "text/plain", "diff.folded");
      },
    },
    { name: "CSV", help: "all functions, both sides", save: async () => save(csvOf(await request<DiffAnswer>(diffQuestion(moment))), "text/csv", "diff.csv") },
    { name: "JSON", help: "all functions, both sides", save: async () => save(await textOf(diffQuestion(moment)), "application/json", "diff.json") },
    { name: "Before as pprof", help: ".pb.gz", save: () => side(before, "before.pb.gz") },
    { name: "After as pprof", help: ".pb.gz", save: () => side(moment, "after.pb.gz") },
    ...pictureWays(pictures, "the difference", (suffix) => fileName(`diff.${suffix}`)),
  ];
}

// `moment` has times that stand still; `answer`: of what is zoomed into.
export function CompareDownloads(props: { moment: State; type: string; answer: DiffAnswer | undefined }) {
  const moment = { ...props.moment, type: props.moment.type || props.type };
  const before = sideOf(moment, "before");
  const files = { before: useFile(before.file).data?.name ?? "", after: useFile(moment.file).data?.name ?? "" };
  const names = { before: files.before || before.query || "all services", after: files.after || moment.query || "all services" };
  return (
    <DownloadMenu
      ways={() => waysOf(moment, picturesOf(props.answer, moment, names))}
      link={() => linkOf(moment, location.origin)}
      command={() => compareCommand(moment, location.origin, files)}
    />
  );
}
