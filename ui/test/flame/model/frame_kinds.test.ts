// SPDX-License-Identifier: Apache-2.0
// Tests of the language, package and library flag of frames.
import assert from "node:assert/strict";
import { isLibrary, kindOf, moduleOf, packageOf } from "../../../src/flame/model/frame_kinds";
import { test } from "../../tap";

// name, file, module, expected kind, package and library flag
const table: [string, string, string, string, string, boolean][] = [
  ["main.handle", "/srv/shop/main.go", "/srv/shop/shop", "go", "main", false],
  ["net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go", "", "go", "net/http", true],
  ["github.com/acme/shop/cart.(*Cart).Add", "", "", "go", "github.com/acme/shop/cart", false],
  ["runtime.mallocgc", "runtime/malloc.go", "", "go", "runtime", true],
  ["aeshashbody", "runtime/asm_amd64.s", "/srv/shop/shop", "go", "runtime", true],
  ["do_syscall_64", "", "[kernel.kallsyms]", "kernel", "kernel", true],
  ["tcp_sendmsg_[k]", "", "", "kernel", "kernel", true],
  ["malloc", "", "/usr/lib/x86_64-linux-gnu/libc.so.6", "native", "libc.so.6", true],
  [
    "std::vector<int>::push_back(int&&)",
    "/usr/include/c++/12/bits/stl_vector.h",
    "/srv/app",
    "native",
    "std",
    true,
  ],
  ["shop::Cart::add", "/srv/app/cart.cc", "/srv/app/app", "native", "shop", false],
  ["core::ptr::drop_in_place", "/rustc/abc/library/core/src/ptr/mod.rs", "", "rust", "core", true],
  ["java.util.HashMap.put", "HashMap.java", "", "jvm", "java.util", true],
  ["com.example.shop.Cart.add", "Cart.java", "", "jvm", "com.example.shop", false],
  [
    "full_dispatch_request",
    "/usr/lib/python3/dist-packages/flask/app.py",
    "",
    "python",
    "flask",
    true,
  ],
  ["view", "/srv/shop/views.py", "", "python", "shop", false],
  ["next", "/srv/app/node_modules/@scope/router/index.js", "", "js", "@scope/router", true],
  ["readFileSync", "node:fs", "", "js", "node:fs", true],
  ["handler", "/srv/app/src/handler.ts", "", "js", "src", false],
  ["x", "", "", "other", "", false],
];

test("flame/frame_kinds: kind, package and library flag by name, file and module", () => {
  for (const [name, file, module, kind, pack, library] of table) {
    const frame = { name, file, module };
    assert.equal(kindOf(frame), kind, `${name}: kind`);
    assert.equal(packageOf(frame), pack, `${name}: package`);
    assert.equal(isLibrary(frame), library, `${name}: library`);
  }
});

test("flame/frame_kinds: the module is the base name of its file, or the package", () => {
  assert.equal(moduleOf({ name: "malloc", file: "", module: "/usr/lib/libc.so.6" }), "libc.so.6");
  assert.equal(
    moduleOf({ name: "java.util.HashMap.put", file: "HashMap.java", module: "" }),
    "java.util",
  );
});

test("flame/frame_kinds: regular expressions do not backtrack on hostile names", () => {
  for (const text of ["a.", "(", "<", "/", "a/", "::", "@a/", "node_modules/"].map((part) =>
    part.repeat(40_000 / part.length),
  )) {
    const frame = { name: text, file: text, module: text };
    assert.equal(typeof isLibrary(frame), "boolean"); // with backtracking the test would time out
    assert.equal(typeof packageOf(frame), "string");
  }
});
