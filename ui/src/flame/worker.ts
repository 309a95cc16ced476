// SPDX-License-Identifier: Apache-2.0
// Layout, folding and search of large trees, beside the page. See engine.ts.
import { Answer, prepare, Question } from "./engine";
import { matchNames, searchOf } from "./search";

let names: string[] = [];

// What is of typed arrays goes over without a copy.
const buffersOf = (holders: readonly (object | null)[]): ArrayBuffer[] => [
  ...new Set(
    holders
      .flatMap((holder) => (holder ? (ArrayBuffer.isView(holder) ? [holder] : Object.values(holder)) : []))
      .filter((value): value is Float64Array => ArrayBuffer.isView(value))
      .map((array) => array.buffer as ArrayBuffer),
  ),
];

function answer(question: Question): [Answer, ArrayBuffer[]] | null {
  if (question.kind === "names") {
    names = question.names;
    return null;
  }
  if (question.kind === "match") {
    const search = searchOf(question.text);
    const marks = search.test && matchNames(names, search.test);
    return [{ id: question.id, marks, error: search.error }, buffersOf([marks])];
  }
  const { tree: made, mapped, origin, layout } = prepare(question.source, question.how, question.normalise);
  const tree = made === question.source ? null : { ...made, names: [], files: [], modules: [], lines: null };
  return [{ id: question.id, tree, mapped, origin, layout }, buffersOf([tree, mapped, origin, layout])];
}

self.onmessage = (event: MessageEvent<Question>) => {
  const made = answer(event.data);
  if (made) self.postMessage(made[0], { transfer: made[1] });
};
