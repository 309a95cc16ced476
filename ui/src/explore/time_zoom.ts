// SPDX-License-Identifier: Apache-2.0
// Zoom of the time range: a drag on a timeline zooms in, a double click zooms out.
import { Range, timeOf } from "../base/time";
import { earlier } from "../compare/sides";

const minMs = 1000;
const maxKept = 100;

// The ranges from which a drag zoomed in, the latest last.
const outer: { range: Range; inner: Range }[] = [];

const same = (a: Range, b: Range) => a.from === b.from && a.to === b.to;

// Return the range of a drag within `range` (ms), and remember the outer range.
export function zoomIn(range: Range, from: number, to: number): Range {
  const inner = { from: String(from), to: String(Math.max(to, from + minMs)) };
  outer.push({ range: { from: range.from, to: range.to }, inner });
  if (outer.length > maxKept) outer.shift();
  return inner;
}

// Return the range from which a drag zoomed into this one. If there is none, return a range of
// twice the length around the same middle that does not reach into the future; a range that ends
// now still ends now.
export function zoomOut(range: Range, now = Date.now()): Range {
  for (let i = outer.length - 1; i >= 0; i--)
    if (same(outer[i].inner, range)) return outer.splice(i)[0].range;
  const [from, to] = [timeOf(range.from, now), timeOf(range.to, now)];
  const length = to - from;
  if (!(length > 0)) return range;
  if (range.to === "now") return { from: earlier("now", 2 * length, now), to: "now" };
  const end = Math.round(Math.max(to, Math.min(to + length / 2, now)));
  return { from: String(Math.round(from - length / 2)), to: String(end) };
}
