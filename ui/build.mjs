// SPDX-License-Identifier: Apache-2.0
// usage: node build.mjs DIRECTORY C-FILE DEPENDENCY-FILE
// Bundles the pages, names each file by a hash of its content, and compresses it into the
// directory. Writes a C file that embeds all files in the program (src/api/ui.h), and a dependency
// file for ninja.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const { build } = await import("esbuild").catch(() => {
  console.error(
    "ui/build.mjs: esbuild is missing; install it with `tools/install-packages build` (npm ci --prefix ui)",
  );
  process.exit(1);
});
const here = dirname(fileURLToPath(import.meta.url));
const [out, codeFile, dependencyFile] = process.argv.slice(2).map((path) => resolve(path));
const inputs = new Set([join(here, "build.mjs"), join(here, "package-lock.json")]);

async function run(entry, format, define, more) {
  const result = await build({
    entryPoints: [join(here, "src", entry)],
    absWorkingDir: here,
    outdir: out,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format,
    target: "es2022",
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"', ...define },
    logLevel: "warning",
    ...more,
  });
  for (const file of Object.keys(result.metafile.inputs)) inputs.add(join(here, file));
  return result.outputFiles;
}

// Bundle everything into one script and one style sheet.
async function bundle(entry, format, define = {}) {
  const files = await run(entry, format, define, {});
  const text = (suffix) => files.find((f) => f.path.endsWith(suffix))?.text ?? "";
  return { js: text(".js"), css: text(".css") };
}

// Mark a script for eager compilation: most functions of the first scripts are called at once, and
// Chromium then compiles them in the background instead of one by one during rendering.
const eager = (script) => `//# allFunctionsCalledOnLoad\n${script}`;

// Bundle with code splitting: static imports into the file `first`, dynamic imports into other
// files, which import it by name.
async function split(entry, define) {
  const files = await run(entry, "esm", define, { splitting: true, chunkNames: "[name]-[hash]" });
  const scripts = files.filter((f) => f.path.endsWith(".js"));
  const beginning = scripts.find((f) => f.path === join(out, entry.replace(/\.tsx?$/, ".js")));
  const first = /^import"\.\/([^"]+)";$/.exec(beginning.text.trim())?.[1];
  if (!first)
    throw new Error(
      `${entry}: the static imports are not in a single file, because lazy_views.ts does not import all of them`,
    );
  const others = scripts
    .filter((f) => f !== beginning)
    .map((f) => ({ name: relative(out, f.path), text: f.text }));
  return {
    first,
    files: others.map(({ name, text }) => ({ name, text: name === first ? eager(text) : text })),
  };
}

const scriptType = "text/javascript; charset=utf-8";
const assets = []; // { path, type, bytes, lasting }

function add(name, suffix, type, text) {
  const bytes = Buffer.from(text);
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 10);
  const path = `/assets/${name}-${hash}${suffix}`;
  assets.push({ path, type, bytes, lasting: true });
  return path;
}

function read(file) {
  inputs.add(join(here, "src", file));
  return readFileSync(join(here, "src", file), "utf8");
}

// Replace each {{name}} of a template; every value must have its place.
const fill = (template, values) => {
  for (const name of Object.keys(values))
    if (!template.includes(`{{${name}}}`)) throw new Error(`a template lacks {{${name}}}`);
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
};

// The main bundle needs the worker's name.
const worker = await bundle("flame/model/worker.ts", "iife");
const workerPath = add("worker", ".js", scriptType, worker.js);
const named = { WORKER_PATH: JSON.stringify(workerPath) };
const app = await split("main.tsx", named);
for (const { name, text } of app.files)
  assets.push({
    path: `/assets/${name}`,
    type: scriptType,
    bytes: Buffer.from(text),
    lasting: true,
  });
const { css } = await bundle("main.tsx", "esm", named); // the styles of all views, which are small
const early = await bundle("early_queries.ts", "iife");
const icon = add("icon", ".svg", "image/svg+xml", read("icon.svg"));
const index = fill(read("index.html"), {
  earlyQueries: add("early_queries", ".js", scriptType, eager(early.js)),
  script: `/assets/${app.first}`,
  style: add("app", ".css", "text/css; charset=utf-8", css),
  icon,
});
assets.push({
  path: "/",
  type: "text/html; charset=utf-8",
  bytes: Buffer.from(index),
  lasting: false,
});

// The single page, into which `varve flame FILE -o page.html` writes the data.
const page = await bundle("page/page.tsx", "iife", { WORKER_PATH: "null" });
const script = page.js.replaceAll("</script", "<\\/script");
const policyHash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const single = fill(read("page/page.html"), {
  script,
  style: page.css,
  scriptHash: policyHash(script), // its content security policy allows only this script and style
  styleHash: policyHash(page.css),
});
assets.push({ path: "page.html", type: "", bytes: Buffer.from(single), lasting: false });

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const gzip = (bytes) => gzipSync(bytes, { level: 9 });
const brotli = (bytes) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
const etag = (bytes) => createHash("sha256").update(bytes).digest("hex").slice(0, 16);

let blobs = "";
let rows = "";
let total = 0;
assets.forEach((asset, i) => {
  const forms = { plain: asset.bytes, gzip: gzip(asset.bytes), brotli: brotli(asset.bytes) };
  if (asset.type) total += forms.gzip.length;
  for (const [coding, bytes] of Object.entries(forms)) {
    const file = join(out, `${i}.${coding}`);
    writeFileSync(file, bytes);
    blobs += `BLOB(asset_${i}_${coding}, "${file}");\n`;
  }
  rows += `\t{STR_INIT("${asset.path}"), STR_INIT("${asset.type}"), STR_INIT("\\"${etag(asset.bytes)}\\""),\n`;
  for (const [coding, bytes] of Object.entries(forms))
    rows += `\t {(const char *)asset_${i}_${coding}, ${bytes.length}},\n`;
  rows += `\t ${asset.lasting}},\n`;
});

writeFileSync(
  codeFile,
  `/* SPDX-License-Identifier: Apache-2.0 */
/* Generated by ui/build.mjs. */
#include "api/ui.h"

#define BLOB(name, file)                                                                     \\
	__asm__(".section .rodata\\n.global " #name "\\n.balign 16\\n" #name ":\\n.incbin \\"" file \\
		"\\"\\n.previous\\n");                                                           \\
	extern const unsigned char name[] __attribute__((visibility("hidden")))

${blobs}
const struct ui_asset ui_assets[] = {
${rows}};
const size_t ui_asset_count = countof(ui_assets);
`,
);
const target = relative(resolve("."), codeFile);
writeFileSync(
  dependencyFile,
  `${target}: ${[...inputs].map((f) => f.replaceAll(" ", "\\ ")).join(" \\\n  ")}\n`,
);
writeFileSync(join(out, "size"), `${total}\n`); // gzipped size of all files that the pages load
