// SPDX-License-Identifier: Apache-2.0
// Downloads of a comparison: the difference as folded stacks, CSV, JSON or image, and each side as
// pprof.
import { request, requestFile } from "../api/client";
import { DiffAnswer } from "../api/types";
import { shownTheme } from "../base/theme";
import { typeName } from "../base/profile_types";
import { downloadUrl, linkOf, pictureName } from "../files/links";
import { DownloadItem, DownloadMenu, imageItems, Pictures, saveBlob } from "../files/Downloads";
import { useFile } from "../files/FileBar";
import { ExportOptions, toPng, toSvg } from "../flame/canvas/image_export";
import { treeOf } from "../flame/model/tree";
import { State } from "../url";
import { compareCommand, csvOf, diffQuery, foldedDiff } from "./exports";
import { SideName, sideOf } from "./sides";

function picturesOf(
  answer: DiffAnswer | undefined,
  resolved: State,
  names: Record<SideName, string>,
): Pictures | undefined {
  const nodes = answer?.flame;
  if (!answer || !nodes?.shown_count) return undefined;
  const tree = () => treeOf(nodes, answer.unit, answer.after.kept, answer.before.kept);
  const options = (): ExportOptions => ({
    layout: resolved.layout,
    colour: "diff",
    palette: resolved.palette,
    collapse: resolved.collapse,
    normalise: answer.normalised,
    zoom: resolved.zoom,
    theme: shownTheme(),
    title: `${names.before} → ${names.after} · ${typeName(answer.type)}${answer.normalised ? ", normalised" : ""}`,
  });
  return {
    svg: () => new Blob([toSvg(tree(), options())], { type: "image/svg+xml" }),
    png: () => toPng(tree(), options()),
  };
}

const textOf = async (url: string) => (await requestFile(url)).blob.text();

function itemsOf(resolved: State, pictures: Pictures | undefined): DownloadItem[] {
  const before = sideOf(resolved, "before");
  const fileName = (suffix: string) => pictureName(resolved, suffix);
  const save = (text: string, type: string, suffix: string) =>
    saveBlob(new Blob([text], { type }), fileName(suffix));
  const side = async (which: State, suffix: string) =>
    saveBlob((await requestFile(downloadUrl(which, "pprof"))).blob, fileName(suffix));
  return [
    {
      name: "Folded difference",
      help: "stack, before, after; flamegraph.pl",
      save: async () => {
        const sides = await Promise.all(
          [before, resolved].map((which) => textOf(downloadUrl(which, "folded"))),
        );
        save(foldedDiff(sides[0], sides[1]), "text/plain", "diff.folded");
      },
    },
    {
      name: "CSV",
      help: "all functions, both sides",
      save: async () =>
        save(csvOf(await request<DiffAnswer>(diffQuery(resolved))), "text/csv", "diff.csv"),
    },
    {
      name: "JSON",
      help: "all functions, both sides",
      save: async () => save(await textOf(diffQuery(resolved)), "application/json", "diff.json"),
    },
    { name: "Before as pprof", help: ".pb.gz", save: () => side(before, "before.pb.gz") },
    { name: "After as pprof", help: ".pb.gz", save: () => side(resolved, "after.pb.gz") },
    ...imageItems(pictures, "the difference", (suffix) => fileName(`diff.${suffix}`)),
  ];
}

// `resolved`: the state with resolved times. `answer`: the difference of the zoomed frame.
export function CompareDownloads(props: {
  resolved: State;
  type: string;
  answer: DiffAnswer | undefined;
}) {
  const resolved = { ...props.resolved, type: props.resolved.type || props.type };
  const before = sideOf(resolved, "before");
  const files = {
    before: useFile(before.file).data?.name ?? "",
    after: useFile(resolved.file).data?.name ?? "",
  };
  const names = {
    before: files.before || before.query || "all services",
    after: files.after || resolved.query || "all services",
  };
  return (
    <DownloadMenu
      items={() => itemsOf(resolved, picturesOf(props.answer, resolved, names))}
      link={() => linkOf(resolved, location.origin)}
      command={() => compareCommand(resolved, location.origin, files)}
    />
  );
}
