// SPDX-License-Identifier: Apache-2.0
// The critical path of a trace, and the self time of each span: what makes the trace as long as it
// is.
import { WaterfallRow } from "./waterfall_rows";

export interface Stretch {
  from: number; // ms
  to: number;
}

export interface TraceTimes {
  self: Map<string, number>; // ns: duration without the time in which children ran
  critical: Map<string, Stretch[]>; // by span; all stretches together are as long as the root span
}

interface Node {
  row: WaterfallRow;
  from: number; // ms, clipped to the parent
  to: number;
  children: Node[]; // by descending end
}

const isKept = ({ row, missing, width }: WaterfallRow) =>
  !missing && row.start !== undefined && width >= 0;

// A consumer runs after its producer, which does not wait for it.
const blocks = (child: WaterfallRow, parent: Node) =>
  !(child.row.kind === "consumer" && parent.row.row.kind === "producer");

// Make the trees of blocking children. Children are clipped to the time of their parent; those
// outside of it are dropped with all that is below them.
function blockingTrees(rows: readonly WaterfallRow[]): Node[] {
  const roots: Node[] = [];
  const open: (Node | undefined)[] = []; // ancestors by level; undefined: dropped or missing
  const lost: boolean[] = []; // whether the ancestor of a level is a missing parent
  for (const row of rows) {
    let node: Node | undefined;
    if (isKept(row)) {
      const from = row.row.start!;
      const to = from + row.row.duration! / 1e6;
      const above = open[row.level - 1];
      if (row.level === 0 || lost[row.level - 1])
        roots.push((node = { row, from, to, children: [] }));
      else if (above && blocks(row, above)) {
        const own: Node = {
          row,
          from: Math.max(from, above.from),
          to: Math.min(to, above.to),
          children: [],
        };
        if (own.from < own.to) above.children.push((node = own));
      }
    }
    open[row.level] = node;
    lost[row.level] = row.missing === true;
  }
  return roots;
}

// Times are rounded: a span that ends this much (ms) after its successor has begun is still its
// predecessor.
const exactRounding = 0.002;
const msRounding = 1;

function criticalOf(root: Node, into: Map<string, Stretch[]>, rounding: number) {
  const add = (node: Node, from: number, to: number) => {
    if (to <= from) return;
    const id = node.row.row.span;
    const list = into.get(id);
    if (list) list.push({ from, to });
    else into.set(id, [{ from, to }]);
  };
  // A frame goes through the children of a node from the last to the first; `point` is where the
  // part that is known already begins.
  const frames = [{ node: root, point: root.to, next: 0 }];
  for (let frame = frames[0]; frame; frame = frames[frames.length - 1]) {
    const { node } = frame;
    if (!frame.next) node.children.sort((a, b) => b.to - a.to);
    const last = frame.point + rounding;
    while (frame.next < node.children.length && node.children[frame.next].to > last) frame.next++;
    const child = node.children[frame.next++];
    if (child) {
      const end = Math.min(child.to, frame.point);
      add(node, end, frame.point);
      frame.point = Math.min(child.from, end);
      frames.push({ node: child, point: end, next: 0 });
    } else {
      add(node, node.from, frame.point);
      frames.pop();
    }
  }
}

// Return the self times. Times of children that run at once count once.
function selfTimes(rows: readonly WaterfallRow[]): Map<string, number> {
  const self = new Map<string, number>();
  const covered: { row: WaterfallRow; from: number; to: number; sum: number; end: number }[] = [];
  const close = (level: number) => {
    while (covered.length > level) {
      const { row, from, to, sum } = covered.pop()!;
      if (isKept(row)) self.set(row.row.span, Math.max(0, to - from - sum) * 1e6);
    }
  };
  for (const row of rows) {
    close(row.level);
    const from = row.row.start ?? 0;
    const to = from + (row.row.duration ?? 0) / 1e6;
    const above = covered[row.level - 1];
    if (above && isKept(row)) {
      // siblings are ordered by start
      const begin = Math.max(from, above.end);
      const end = Math.min(to, above.to);
      if (end > begin) {
        above.sum += end - begin;
        above.end = end;
      }
    }
    covered.push({ row, from, to, sum: 0, end: from });
  }
  close(0);
  return self;
}

// `rows`: of the whole trace, not grouped. `exact`: their times are not rounded to milliseconds.
export function timesOf(rows: readonly WaterfallRow[], exact = true): TraceTimes {
  const critical = new Map<string, Stretch[]>();
  for (const root of blockingTrees(rows))
    criticalOf(root, critical, exact ? exactRounding : msRounding);
  return { self: selfTimes(rows), critical };
}
