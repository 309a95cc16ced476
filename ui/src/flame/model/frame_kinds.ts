// SPDX-License-Identifier: Apache-2.0
// Derives the language, package and library flag of a frame from its name, file and module, by the
// conventions of producers.

export interface Frame {
  name: string;
  file: string;
  module: string;
}

export const kinds = [
  "kernel",
  "native",
  "rust",
  "go",
  "jvm",
  "python",
  "js",
  "ruby",
  "php",
  "dotnet",
  "beam",
  "other",
] as const;
export type Kind = (typeof kinds)[number];

export const kindLabels: Record<Kind, string> = {
  kernel: "Kernel",
  native: "C, C++",
  rust: "Rust",
  go: "Go",
  jvm: "JVM",
  python: "Python",
  js: "JavaScript",
  ruby: "Ruby",
  php: "PHP",
  dotnet: ".NET",
  beam: "Erlang",
  other: "Other",
};

const kindOfExtension: Record<string, Kind> = {};
for (const [kind, extensions] of [
  ["native", "c cc cpp cxx h hh hpp hxx s S asm inl m mm zig"],
  ["rust", "rs"],
  ["go", "go"],
  ["jvm", "java kt kts scala groovy clj class jar"],
  ["python", "py pyx pyc pyi"],
  ["js", "js mjs cjs ts tsx jsx vue svelte"],
  ["ruby", "rb"],
  ["php", "php"],
  ["dotnet", "cs fs vb dll"],
  ["beam", "erl ex exs beam"],
] as const)
  for (const extension of extensions.split(" ")) kindOfExtension[extension] = kind;

const lastPart = (path: string) => path.slice(path.lastIndexOf("/") + 1);

function extensionOf(path: string): string {
  const name = lastPart(path);
  const dot = name.lastIndexOf(".");
  return dot >= 0 ? name.slice(dot + 1) : "";
}

const isKernelModule = (module: string) =>
  module.startsWith("[kernel") ||
  module.startsWith("[guest.kernel") ||
  /(^|\/)vmlinu[xz]/.test(module) ||
  /\.ko(\.\w+)?$/.test(module);

const isGoName = (name: string) =>
  /\.\(\*?[\w.[\]…]+\)\.|^(?:main|runtime|sync|syscall|net\/http)\.\w|^[\w.-]+\.[a-z]+\/[\w./-]+\.\w/.test(
    name,
  );
const isJvmName = (name: string) =>
  /^(?:java|javax|jdk|sun|scala|kotlin|org|com|io)[./][\w$./]+[.]\S/.test(name);

export function kindOf(frame: Frame): Kind {
  const { name, file, module } = frame;
  if (isKernelModule(module) || /_\[k\]$/.test(name)) return "kernel";
  // Go's assembly files are named after the processor; their functions have no package in their
  // names.
  if (/_(?:amd64|arm64|386|arm|riscv64|ppc64x|s390x|x86)\.s$/.test(file)) return "go";
  const extension = extensionOf(file);
  if (Object.hasOwn(kindOfExtension, extension)) return kindOfExtension[extension];
  if (
    file.startsWith("node:") ||
    name.startsWith("(program)") ||
    name.startsWith("(garbage collector)")
  )
    return "js";
  if (isJvmName(name)) return "jvm";
  if (isGoName(name)) return "go";
  if (/^(?:core|alloc|std)::|::h[0-9a-f]{16}$|^<.* as .*>::/.test(name)) return "rust";
  if (/\.(jar|class)$/.test(module)) return "jvm";
  if (
    /\.so(\.|$)/.test(module) ||
    name.includes("::") ||
    module.startsWith("/") ||
    module === "[vdso]" ||
    /^[\w.+-]+\+0x/.test(name)
  )
    return "native";
  return "other";
}

// ---- packages ----

// Return the package of an installed file: "…/site-packages/flask/app.py" -> flask,
// "…/node_modules/@a/b/x.js" -> @a/b.
function installedPackage(file: string): string {
  const found =
    /(?:site-packages|dist-packages|node_modules|gems)\/((?:@[^/]+\/)?[^/]+)(?!.*(?:site-packages|dist-packages|node_modules|gems)\/)/.exec(
      file,
    );
  return found ? found[1].replace(/\.(py|js)$/, "") : "";
}

function goPackage(name: string): string {
  const head = /[([]/.exec(name)?.index ?? name.length;
  const slash = name.lastIndexOf("/", head);
  const dot = name.indexOf(".", slash + 1);
  return dot > 0 ? name.slice(0, dot) : "";
}

function jvmPackage(name: string): string {
  const parts = name.replaceAll("/", ".").split(/[.$(]/);
  const type = parts.findIndex((part) => /^[A-Z]/.test(part));
  return parts.slice(0, type > 0 ? type : Math.max(1, parts.length - 2)).join(".");
}

function nativeNamespace(name: string): string {
  const clean = name.replace(/^<+/, "").replace(/^(?:dyn |&(?:mut )?)/, "");
  const found = /^[A-Za-z_]\w*(?=::)/.exec(clean);
  return found ? found[0] : "";
}

// Return the last folder of a path: the files of one folder form a package.
function folderOf(file: string): string {
  const slash = file.lastIndexOf("/");
  return slash > 0 ? lastPart(file.slice(0, slash)) : "";
}

export function packageOf(frame: Frame, kind: Kind = kindOf(frame)): string {
  const { name, file, module } = frame;
  if (kind === "kernel") return "kernel";
  const installed = installedPackage(file);
  if (installed) return installed;
  if (kind === "go") return goPackage(name) || folderOf(file) || lastPart(module);
  if (kind === "jvm") return jvmPackage(name);
  if (kind === "python" || kind === "js" || kind === "ruby" || kind === "php")
    return folderOf(file) || lastPart(file);
  return (
    nativeNamespace(name) || lastPart(module) || folderOf(file) || lastPart(file) || goPackage(name)
  );
}

// Return the module, or the package for producers that do not send modules.
export const moduleOf = (frame: Frame): string => lastPart(frame.module) || packageOf(frame);

// ---- libraries ----

const anyOf = (...parts: RegExp[]) => new RegExp(parts.map((part) => part.source).join("|"));

const libraryFile = anyOf(
  /\/(?:site-packages|dist-packages|node_modules|gems|vendor)\//,
  /^node:|^internal\/|^<frozen|^\/rustc\/|\/\.cargo\/|\/go\/pkg\/mod\//,
  /^(?:\/usr(?:\/local)?)?\/lib(?:32|64)?\/|^\/usr\/include\//,
  /\/(?:go|golang|go-[\d.]+)\/src\/(?!.*\/src\/)|\/python[\d.]+\/|\/(?:glibc|gcc|sysdeps)[\w.-]*\//,
);
const libraryModule =
  /(?:^|\/)(?:lib[\w+.-]*\.so[\w.]*|ld-[\w.-]+\.so[\w.]*)$|^(?:\/usr(?:\/local)?)?\/lib(?:32|64)?\/|^\[vdso\]$/;
const libraryName = anyOf(
  /^(?:std|core|alloc|__gnu_cxx|boost|absl)::|^<(?:std|core|alloc)::/,
  /^(?:java|javax|jdk|sun|com\.sun|scala|kotlin)[./]/,
  /^(?:_start|__libc_start_main|__libc_start_call_main|_start_c|clone3?|start_thread)\b/,
);

// The first path element of a Go package contains no dot in the standard library; other packages
// have one there, or are "main".
function isGoLibrary(frame: Frame): boolean {
  const path = packageOf(frame, "go");
  return (
    path !== "main" &&
    /^[a-z0-9]+(?:\/[a-z0-9]+)*$/.test(path) &&
    goStandard.has(path.split("/")[0])
  );
}

const goStandard = new Set(
  (
    "archive bufio bytes cmp compress container context crypto database debug embed encoding errors expvar flag fmt go hash html " +
    "image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv strings sync " +
    "syscall testing text time unicode unique unsafe vendor weak"
  ).split(" "),
);

export function isLibrary(frame: Frame, kind: Kind = kindOf(frame)): boolean {
  if (kind === "kernel") return true;
  if (kind === "go") return isGoLibrary(frame) || /\/pkg\/mod\/|\/vendor\//.test(frame.file);
  return (
    libraryFile.test(frame.file) || libraryModule.test(frame.module) || libraryName.test(frame.name)
  );
}
