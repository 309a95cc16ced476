// SPDX-License-Identifier: Apache-2.0
// The worker for layout, collapse and search of large trees. See engine.ts.
import { prepare, WorkerReply, WorkerRequest } from "./engine";
import { matchNames, searchOf } from "./search";

let names: string[] = [];

// Return the buffers of all typed arrays, which are transferred without a copy.
const buffersOf = (holders: readonly (object | null)[]): ArrayBuffer[] => [
  ...new Set(
    holders
      .flatMap((holder) =>
        holder ? (ArrayBuffer.isView(holder) ? [holder] : Object.values(holder)) : [],
      )
      .filter((value): value is Float64Array => ArrayBuffer.isView(value))
      .map((array) => array.buffer as ArrayBuffer),
  ),
];

function replyTo(request: WorkerRequest): [WorkerReply, ArrayBuffer[]] | null {
  if (request.kind === "names") {
    names = request.names;
    return null;
  }
  if (request.kind === "match") {
    const search = searchOf(request.text);
    const marks = search.test && matchNames(names, search.test);
    return [{ id: request.id, marks, error: search.error }, buffersOf([marks])];
  }
  const {
    tree: made,
    mapped,
    origin,
    layout,
  } = prepare(request.source, request.how, request.normalise);
  const tree =
    made === request.source ? null : { ...made, names: [], files: [], modules: [], lines: null };
  return [
    { id: request.id, tree, mapped, origin, layout },
    buffersOf([tree, mapped, origin, layout]),
  ];
}

self.onmessage = (event: MessageEvent<WorkerRequest>) => {
  const reply = replyTo(event.data);
  if (reply) self.postMessage(reply[0], { transfer: reply[1] });
};
