// SPDX-License-Identifier: Apache-2.0
// usage: node test/run.mjs unit|browser|bench [DIRECTORY [PART OF A NAME]]
// Bundles the tests of a kind (test/browser/*.test.ts, bench/*.bench.ts, or all others) into the
// directory, runs them, and prints TAP. Browser tests need Debian's chromium, and $VARVE must name
// the program.
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const [kind = "unit", directory, only = ""] = process.argv.slice(2);

function testsIn(folder, ending = ".test.ts") {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? testsIn(join(folder, entry.name), ending) : [join(folder, entry.name)],
    )
    .filter((file) => file.endsWith(ending))
    .sort();
}

function skipAll(why) {
  console.log(`1..0 # SKIP ${why}`);
  process.exit(0);
}

if (kind !== "unit" && !existsSync(process.env.CHROMIUM ?? "/usr/bin/chromium"))
  skipAll("no chromium");
if (kind === "browser" && !process.env.VARVE) skipAll("VARVE does not name the program");

const files =
  kind === "bench"
    ? testsIn(join(here, "../bench"), ".bench.ts")
    : testsIn(here).filter(
        (file) => file.startsWith(join(here, "browser/")) === (kind === "browser"),
      );
const temporary = directory ? null : mkdtempSync(join(tmpdir(), "varve-ui-"));
const outfile = resolve(directory ?? temporary, `ui-${kind}.mjs`);

// Bundle the test page with the flame graph alone, and its worker.
async function buildHost(folder) {
  const common = {
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
  };
  const defined = { "process.env.NODE_ENV": '"production"' };
  await build({
    ...common,
    entryPoints: [join(here, "../src/flame/model/worker.ts")],
    outfile: join(folder, "worker.js"),
    define: { ...defined, WORKER_PATH: "null" },
  });
  await build({
    ...common,
    entryPoints: [join(here, "browser/host.tsx")],
    outfile: join(folder, "host.js"),
    define: { ...defined, WORKER_PATH: '"/worker.js"' },
  });
}

if (kind !== "unit") await buildHost(join(dirname(outfile), "ui-host"));
await build({
  stdin: {
    contents: [
      ...files.map((f) => `import ${JSON.stringify(f)};`),
      'import { runAll } from "./tap";',
      `await runAll(${JSON.stringify(only)});`,
    ].join("\n"),
    resolveDir: here,
  },
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node18",
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { WORKER_PATH: "null" },
  loader: { ".css": "empty" },
  sourcemap: "inline",
  logLevel: "warning",
  // playwright-core loads parts of itself at run time, so it is not bundled; the bundle imports it
  // by its absolute path.
  plugins: [
    {
      name: "playwright",
      setup: (b) =>
        b.onResolve({ filter: /^playwright-core$/ }, () => ({
          path: join(here, "../node_modules/playwright-core/index.mjs"),
          external: true,
        })),
    },
  ],
});
process.setSourceMapsEnabled?.(true);
await import(pathToFileURL(outfile).href);
if (temporary) process.on("exit", () => rmSync(temporary, { recursive: true, force: true }));
