// SPDX-License-Identifier: Apache-2.0
// Tests of the critical path, self times, groups and missing parents of traces.
import assert from "node:assert/strict";
import { test } from "../tap";
import { SpanRow } from "../../src/traces/SpanTable";
import { parseTrace } from "../../src/traces/trace_details";
import { timesOf } from "../../src/traces/trace_times";
import {
  groupSiblings,
  isFolded,
  keyOfRow,
  revealed,
  visibleRows,
  waterfallOf,
} from "../../src/traces/waterfall_rows";

const span = (
  id: string,
  parent: string,
  from: number,
  to: number,
  more: Partial<SpanRow> = {},
): SpanRow => ({
  trace: "t",
  span: id,
  total: 1,
  with_children: 1,
  samples: 1,
  first: 0,
  last: 0,
  service: "s",
  labels: {},
  name: id,
  parent,
  kind: "internal",
  status: "unset",
  start: from,
  duration: (to - from) * 1e6,
  ...more,
});

const times = (spans: SpanRow[]) => timesOf(waterfallOf(spans, true));
const path = (spans: SpanRow[]) =>
  [...times(spans).critical]
    .flatMap(([id, list]) => list.map(({ from, to }) => ({ id, from, to })))
    .sort((a, b) => a.from - b.from)
    .map(({ id, from, to }) => `${id} ${from}-${to}`);

test("critical path: it follows the child that ends last", () => {
  assert.deepEqual(
    path([
      span("root", "", 0, 100),
      span("a", "root", 10, 40),
      span("b", "root", 30, 80), // overlaps a, which is not on the path
      span("c", "b", 50, 70),
      span("d", "root", 5, 20),
    ]),
    ["root 0-5", "d 5-20", "root 20-30", "b 30-50", "c 50-70", "b 70-80", "root 80-100"],
  );
});

test("critical path: children are clipped to their parent, and those outside are dropped", () => {
  const spans = [
    span("root", "", 0, 100),
    span("late", "root", 90, 150),
    span("outside", "root", 120, 150),
    span("below", "outside", 10, 20),
  ];
  assert.deepEqual(path(spans), ["root 0-90", "late 90-100"]);
});

test("critical path: spans that overlap by rounding only follow each other", () => {
  assert.deepEqual(
    path([span("root", "", 0, 100), span("a", "root", 0, 60.001), span("b", "root", 60, 100)]),
    ["a 0-60", "b 60-100"],
  );
});

test("critical path: a consumer does not block its producer", () => {
  assert.deepEqual(
    path([
      span("send", "", 0, 50, { kind: "producer" }),
      span("receive", "send", 20, 45, { kind: "consumer" }),
      span("work", "send", 10, 15),
    ]),
    ["send 0-10", "work 10-15", "send 15-50"],
  );
});

test("critical path: its stretches are as long as the root, in any trace", () => {
  let seed = 7;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 50; round++) {
    const spans = [span("s0", "", 0, 1000)];
    for (let i = 1; i < 60; i++) {
      const from = Math.floor(random() * 1100) - 50;
      spans.push(
        span(`s${i}`, `s${Math.floor(random() * i)}`, from, from + Math.floor(random() * 300)),
      );
    }
    const { critical, self } = times(spans);
    const sum = [...critical.values()].flat().reduce((n, s) => n + s.to - s.from, 0);
    assert.ok(Math.abs(sum - 1000) < 1e-6, `${sum} in round ${round}`);
    for (const s of spans)
      assert.ok(self.get(s.span)! >= 0 && self.get(s.span)! <= s.duration! + 1, s.span);
  }
});

test("critical path: a chain of 50,000 spans", () => {
  const many = Array.from({ length: 50_000 }, (_, i) =>
    span(`s${i}`, i ? `s${i - 1}` : "", i, 100_000),
  );
  assert.equal(times(many).critical.get("s49999")![0].to, 100_000);
});

test("self time: children that run at once count once", () => {
  const { self } = times([
    span("root", "", 0, 100),
    span("a", "root", 10, 40),
    span("b", "root", 30, 60),
    span("c", "root", 35, 50),
    span("d", "root", 90, 150),
  ]);
  assert.equal(self.get("root"), 40e6); // 100 - (10..60) - (90..100)
  assert.equal(self.get("a"), 30e6);
});

test("missing parents: their children are below a row of their time", () => {
  const rows = waterfallOf(
    [span("a", "lost", 10, 20), span("b", "lost", 30, 50), span("root", "", 0, 60)],
    true,
  );
  assert.deepEqual(
    rows.map((r) => `${"-".repeat(r.level)}${r.row.span}${r.missing ? "?" : ""}`),
    ["root", "lost?", "-a", "-b"],
  );
  assert.deepEqual([rows[1].row.start, rows[1].row.duration], [10, 40e6]);
  const { critical } = timesOf(rows);
  assert.equal(critical.has("lost"), false);
  assert.ok(critical.has("a"));
});

const family = () => {
  const rows = [span("root", "", 0, 100), span("other", "root", 1, 2)];
  for (let i = 0; i < 6; i++) {
    rows.push(span(`q${i}`, "root", 10 * i + 3, 10 * i + 8, { name: "query" }));
    rows.push(span(`in${i}`, `q${i}`, 10 * i + 4, 10 * i + 5, { name: `in${i}` }));
  }
  rows.push(span("bad", "root", 12, 13, { name: "query", status: "error" }));
  return groupSiblings(waterfallOf(rows));
};

test("groups: five and more equal siblings are below a row with their sums", () => {
  const rows = family();
  const group = rows.find((r) => r.group)!;
  assert.deepEqual(
    rows
      .map((r) => `${"-".repeat(r.level)}${r.group ? `${r.group.length}x` : r.row.span}`)
      .slice(0, 5),
    ["root", "-other", "-6x", "--q0", "---in0"],
  );
  assert.equal(group.below, 12);
  assert.equal(group.row.duration, 30e6);
  assert.equal(group.row.total, 6);
  assert.equal(rows[0].below, rows.length - 1);
  assert.equal(rows[rows.length - 1].row.span, "bad", "another status is not in the group");
  assert.equal(new Set(rows.map(keyOfRow)).size, rows.length);
});

test("groups: they are folded at first, and unfold for a row below them", () => {
  const rows = family();
  const none: ReadonlySet<string> = new Set();
  assert.deepEqual(
    visibleRows(rows, none).map((r) => (r.group ? "group" : r.row.span)),
    ["root", "other", "group", "bad"],
  );
  const at = rows.findIndex((r) => r.row.span === "in3");
  const open = revealed(rows, at, none);
  assert.ok(visibleRows(rows, open).some((r) => r.row.span === "in3"));
  assert.ok(
    !isFolded(
      rows.find((r) => r.group)!,
      open,
    ),
  );
  assert.equal(revealed(rows, at, open), open);
});

test("details: attributes, events and links of OTLP's JSON", () => {
  const details = parseTrace({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "s" } }] },
        scopeSpans: [
          {
            scope: { name: "lib", version: "2" },
            spans: [
              {
                spanId: "a",
                kind: 3,
                startTimeUnixNano: "1700000000123456789",
                endTimeUnixNano: "1700000000123556789",
                status: { code: 2, message: "m" },
                attributes: [
                  { key: "n", value: { intValue: "9007199254740993" } },
                  { key: "l", value: { arrayValue: { values: [{ boolValue: true }] } } },
                ],
                events: [{ name: "e", timeUnixNano: "1700000000123456889" }],
                droppedLinksCount: 2,
              },
            ],
          },
        ],
      },
    ],
  }).get("a")!;
  assert.equal(details.duration, 100_000);
  assert.ok(Math.abs(details.start - 1700000000123.456) < 0.001);
  assert.deepEqual(
    [details.kind, details.status, details.message, details.scope],
    ["client", "error", "m", "lib 2"],
  );
  assert.deepEqual(details.attributes, [
    { key: "n", text: "9007199254740993", kind: "number" },
    { key: "l", text: "[true]", kind: "other" },
  ]);
  assert.deepEqual(details.dropped, { attributes: 0, events: 0, links: 2 });
});

test("critical path, groups: a root with 100,000 equal children", () => {
  const rows = [span("root", "", 0, 100_000)];
  for (let i = 0; i < 100_000; i++) rows.push(span(`c${i}`, "root", i, i + 1, { name: "call" }));
  const all = waterfallOf(rows, true);
  assert.equal(timesOf(all).critical.size, 100_000);
  const grouped = groupSiblings(all);
  assert.equal(grouped.length, 100_002);
  assert.equal(visibleRows(grouped, new Set()).length, 2);
});
