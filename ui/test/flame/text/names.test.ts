// SPDX-License-Identifier: Apache-2.0
// Tests of the display of names.
import assert from "node:assert/strict";
import { cleanName, Ruler, shortName } from "../../../src/flame/text/names";
import { test } from "../../tap";

test("flame/names: directional marks and control characters are removed, letters stay", () => {
  assert.equal(cleanName("a\u202eb\u0000c\nd\u2066e"), "abcde");
  assert.equal(cleanName("שלום 🔥 <b>x</b>"), "שלום 🔥 <b>x</b>");
  assert.equal(cleanName(""), "(no name)");
  assert.equal(cleanName("\u200b"), "(no name)");
});

test("flame/names: very long names are cut", () => {
  assert.equal(cleanName("x".repeat(10_000)).length, 1001);
  assert.equal(cleanName("x".repeat(10_000), 5), "xxxxx…");
});

test("flame/names: names are shortened to their most useful part", () => {
  const table: [string, string][] = [
    ["github.com/acme/shop/cart.(*Cart).Add", "cart.(*Cart).Add"],
    ["com.example.shop.Cart.add", "Cart.add"],
    ["ns::Cart::add(int, std::vector<int> const&)", "ns::Cart::add"],
    ["ns::Cart::size() const", "ns::Cart::size"],
    ["operator()(int)", "operator()"],
    ["main.(*T).serve.func1", "main.(*T).serve.func1"],
    ["reflect.Value.Call", "reflect.Value.Call"],
    ["(anonymous namespace)::f", "(anonymous namespace)::f"],
    ["/usr/bin/", "/usr/bin/"],
    ["a", "a"],
  ];
  for (const [name, short] of table) assert.equal(shortName(name), short);
});

test("flame/names: names are cut to fit at whole characters", () => {
  const ruler = new Ruler(() => 10);
  assert.equal(ruler.fit("abcdef", 60), "abcdef");
  assert.equal(ruler.fit("abcdef", 50), "abcd…");
  assert.equal(ruler.fit("abcdef", 20), "");
  assert.equal(ruler.fit("a🔥🔥🔥", 30), "a🔥…");
  assert.equal(ruler.width("abc"), 30);
  assert.ok(ruler.width("x".repeat(100_000), 100) <= 110);
});
