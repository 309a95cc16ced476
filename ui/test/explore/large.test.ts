// SPDX-License-Identifier: Apache-2.0
// Tests of what the pages do with many services, labels, versions and long names.
import assert from "node:assert/strict";
import { ignoreOf } from "../../src/api/selection";
import { FlameAnswer, SeriesAnswer } from "../../src/api/types";
import { endsOf } from "../../src/base/components";
import { listed, matchesWords } from "../../src/base/Picker";
import { localTime } from "../../src/base/time";
import { linesOf } from "../../src/explore/chart_lines";
import { rootLabel } from "../../src/explore/root_label";
import { joinParts } from "../../src/explore/rooted_flame";
import { bandsOf } from "../../src/explore/version_bands";
import { areasOf } from "../../src/flame/controls/Legend";
import { treeOf } from "../../src/flame/model/tree";
import { nameEnds, nameForms, Ruler } from "../../src/flame/text/names";
import { chosenSenders } from "../../src/status/Senders";
import { Sender } from "../../src/status/status_numbers";
import { parseUrl } from "../../src/url";
import { test } from "../tap";

const stateOf = (path: string) => parseUrl(new URL(path, "http://localhost"));

test("a long name keeps its end", () => {
  assert.deepEqual(endsOf("checkout"), ["", "checkout"]);
  const [head, end] = endsOf("com.bigcompany.checkout.platform.order-pipeline-0");
  assert.equal(head + end, "com.bigcompany.checkout.platform.order-pipeline-0");
  assert.equal(end.length, 14);
  assert.deepEqual(nameForms("com.example.shop.Cart.add"), ["Cart.add", "add"]);
  assert.deepEqual(nameForms("std::vector<int>::push_back"), [
    "std::vector<int>::push_back",
    "vector<int>::push_back",
  ]);
  assert.deepEqual(nameEnds("main"), ["", "main"]);
  assert.deepEqual(nameEnds("com.example.shop.Cart.add"), ["com.example.shop.", "Cart.add"]);
  const long = `f${"(anonymous)".repeat(20)}`;
  assert.equal(nameEnds(long).join(""), long);
});

test("a frame shows the longest form of a name that fits", () => {
  const ruler = new Ruler((text) => 10 * text.length);
  assert.equal(ruler.fitName("com.example.shop.Cart.add", 100), "Cart.add");
  assert.equal(ruler.fitName("com.example.shop.Cart.add", 40), "add");
  assert.equal(ruler.fitName("com.example.shop.Cart.addItem", 40), "add…");
});

test("options are found by words in any order, the recent ones first", () => {
  assert.ok(matchesWords("com.bigcompany.ledger.cart-gateway-137", "137 Ledger"));
  assert.ok(!matchesWords("com.bigcompany.ledger.cart-gateway-137", "136 ledger"));
  const options = ["a1", "a2", "b1", "a3"].map((value) => ({ value, text: value }));
  assert.deepEqual(listed(options, "a", ["a3", "b1"]).map((o) => o.value), ["a3", "a1", "a2"]);
});

test("local times have 24 hours", () => {
  const at = (...parts: [number, number, number, number, number, number]) =>
    new Date(...parts).getTime();
  assert.equal(localTime("2026-11-14 14:05"), at(2026, 10, 14, 14, 5, 0));
  assert.equal(localTime("2026-11-14 14:05:09"), at(2026, 10, 14, 14, 5, 9));
  assert.equal(localTime("14:05", at(2026, 10, 20, 1, 0, 0)), at(2026, 10, 20, 14, 5, 0));
  for (const wrong of ["", "25:00", "2026-02-30 10:00", "14:65", "tomorrow"])
    assert.ok(Number.isNaN(localTime(wrong)), wrong);
});

const seriesOf = (rows: SeriesAnswer["rows"], more: Partial<SeriesAnswer> = {}): SeriesAnswer => ({
  type: "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
  unit: "nanoseconds",
  gauge: false,
  from: 0,
  to: 40_000,
  step: 10_000,
  start: 10_000,
  rows,
  ...more,
});

test("the values beyond the ten largest are the sum of the server", () => {
  const rows = Array.from({ length: 10 }, (_, i) => ({
    labels: { pod: `p${i}` },
    total: 100 - i,
    points: [[10_000, 1e10]] as [number, number][],
  }));
  const rest = { labels: {}, total: 5000, points: [[10_000, 5e11]] as [number, number][] };
  const { lines } = linesOf(seriesOf(rows, { rest, row_count: 742 }), "pod");
  assert.equal(lines.length, 11);
  assert.equal(lines[10].label, "732 more");
  assert.equal(lines[10].rest, true);
  assert.equal(lines[10].total, 5000);
  assert.equal(lines[10].values[0], 50);
});

test("a version has a band from its first to its last bucket", () => {
  const answer = seriesOf([
    { labels: { version: "v2" }, total: 1, points: [[20_000, 1], [30_000, 1]] },
    { labels: { version: "v1" }, total: 2, points: [[10_000, 1], [20_000, 1]] },
    { labels: {}, total: 3, points: [[10_000, 1]] },
  ]);
  assert.deepEqual(bandsOf(answer, "version"), [
    { name: "v1", from: 0, to: 20_000 },
    { name: "v2", from: 10_000, to: 30_000 },
  ]);
});

function flameOf(names: string[], level: number[], total: number[]): FlameAnswer {
  const self = total.map((value, i) => (level[i + 1] > level[i] ? 0 : value));
  return {
    type: "",
    unit: "nanoseconds",
    gauge: false,
    from: 0,
    to: 1,
    total: total[0],
    kept: total[0],
    stacks: 1,
    nodes: {
      path: [],
      node_count: level.length - 1,
      shown_count: level.length - 1,
      hidden_share: 0.5,
      names,
      files: names.map(() => "a.c"),
      modules: names.map(() => "a"),
      level,
      name: level.map((_, i) => i - 1),
      self,
      total,
    },
  };
}

test("the values of a label are the roots of a flame graph", () => {
  const nodes = joinParts(
    [
      { value: "small", answer: flameOf(["main"], [0, 1], [10, 10]) },
      { value: "large", answer: flameOf(["main", "work"], [0, 1, 2], [30, 30, 30]) },
    ],
    { count: 3, total: 60 },
  );
  const tree = treeOf(nodes, "nanoseconds", 100);
  const text = [...tree.name].map((name) => (name < 0 ? "all" : tree.names[name]));
  assert.deepEqual(text, ["all", "large", "main", "work", "small", "main", "3 more"]);
  assert.deepEqual([...tree.level], [0, 1, 2, 3, 1, 2, 1]);
  assert.deepEqual([...tree.total], [100, 30, 30, 30, 10, 10, 60]);
  assert.equal(tree.self[6], 60);
  assert.ok(Math.abs(nodes.hidden_share - 0.2) < 1e-9);
  assert.deepEqual(
    [...tree.name].slice(1).map((name) => tree.roots![name]),
    ["large", "large", "large", "small", "small", "3 more"],
  );
  assert.deepEqual(Object.fromEntries(areasOf(tree, "root", 0)), {
    large: 90,
    small: 20,
    "3 more": 60,
  });
});

test("several services stay apart, unless it is turned off", () => {
  assert.equal(rootLabel(stateOf("/profiles?query=%7B%7D")), "service_name");
  assert.equal(rootLabel(stateOf("/profiles?query=shop")), "");
  assert.equal(rootLabel(stateOf("/profiles?query=shop&root=pod")), "pod");
  assert.equal(rootLabel(stateOf("/profiles?query=%7B%7D&root=none")), "");
  assert.equal(rootLabel(stateOf("/profiles")), "");
});

test("idle threads are stacks with a function that waits", () => {
  const idle = new RegExp(ignoreOf(stateOf("/profiles?query=a&busy=1")));
  for (const name of [
    "epoll_wait",
    "__epoll_wait",
    "poll",
    "__poll",
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "__pthread_cond_wait_common",
    "__futex_abstimed_wait_common",
    "clock_nanosleep",
    "runtime.gopark",
    "runtime.netpoll",
    "jdk.internal.misc.Unsafe.park",
    "java.lang.Object.wait",
    "sun.nio.ch.EPoll.wait",
    "(idle)",
    "time.sleep",
  ])
    assert.ok(idle.test(name), name);
  for (const name of ["main", "wait_for_stock", "pollution", "select_items", "parse", "app.waiter"])
    assert.ok(!idle.test(name), name);
  assert.equal(ignoreOf(stateOf("/profiles?query=a&ignore=x")), "x");
  assert.match(ignoreOf(stateOf("/profiles?query=a&ignore=x&busy=1")), /^x\|\^\(/);
});

test("senders are found by any part and sorted by any column", () => {
  const sender = (agent: string, bytes: number, more: Partial<Sender> = {}): Sender => ({
    peer: "10.0.0.1",
    agent,
    protocol: "otlp_http",
    services: [`service-of-${agent}`],
    requests: 1,
    profiles: 1,
    samples: 1,
    spans: 0,
    bytes,
    last: bytes,
    refused: 0,
    refusal: "",
    refusal_time: 0,
    ...more,
  });
  const all = [sender("a", 1), sender("b", 3), sender("c", 2, { refusal: "not a profile" })];
  const names = (find: string, sort: string) => chosenSenders(all, find, sort).map((s) => s.agent);
  assert.deepEqual(names("", "-bytes"), ["b", "c", "a"]);
  assert.deepEqual(names("", "bytes"), ["a", "c", "b"]);
  assert.deepEqual(names("", "-sender"), ["c", "b", "a"]);
  assert.deepEqual(names("not profile", "-last"), ["c"]);
  assert.deepEqual(names("service-of-b", "-last"), ["b"]);
});
