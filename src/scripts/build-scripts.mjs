/**
 * Writes `dist/*-script.cjs`: the code that a server, and a command of those who write policies, loads at every start, bundled with its
 * packages into three scripts; and the licences of these packages.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

// Packages that are loaded only for certain settings are not bundled: stores, exporters, schemas, and everything that is not pure
// JavaScript.
const installed = [
  "@opentelemetry/exporter-*",
  "@opentelemetry/otlp-*",
  "@opentelemetry/propagator-b3",
  "@opentelemetry/sdk-node",
  "ajv-draft-04",
  "bcryptjs",
  "chokidar",
  "esbuild",
  "isomorphic-git",
  "libsql",
  "pino-pretty",
  "ses",
  "tar",
  "ts-morph",
  "yauzl",
];

/** Makes the parts of grpc-js that read files of their package look where it is installed. */
const grpcFiles = {
  name: "files of grpc-js",
  setup({ onLoad, onResolve }) {
    // Exporters must use their own copy of grpc-js.
    onResolve({ filter: /^@grpc\/grpc-js$/ }, ({ path, importer }) =>
      /[/\\]observe[/\\]telemetry[/\\]/.test(importer) ? { path, external: true } : undefined,
    );
    onLoad({ filter: /[/\\]grpc-js[/\\]build[/\\]src[/\\](?:channelz|orca)\.js$/ }, ({ path }) => {
      const folder = 'require("node:path").dirname(whereInstalled.resolve("@grpc/grpc-js"))';
      const loader = 'require("node:module").createRequire(whereInstalled.resolve("@grpc/grpc-js"))("@grpc/proto-loader")';
      const text = readFileSync(path, "utf8");
      return { contents: text.replaceAll("__dirname", folder).replaceAll("require('@grpc/proto-loader')", loader) };
    });
  },
};

/** Makes the parts of pino that locate worker files look where it is installed. */
const pinoFiles = {
  name: "files of pino",
  setup({ onLoad }) {
    const pino = 'whereInstalled.resolve("pino")';
    const folders = {
      transport: `require("node:path").join(${pino}, "..", "lib")`,
      index: `require("node:path").dirname(require("node:module").createRequire(${pino}).resolve("thread-stream"))`,
    };
    onLoad({ filter: /[/\\](?:pino[/\\]lib[/\\]transport|thread-stream[/\\]index)\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("__dirname", folders[basename(path, ".js")]),
    }));
  },
};

/** Loads descriptors (`*_pb.js`) on first use: loading all of them took a quarter of the start of an empty server. */
const descriptorsWhenAsked = {
  name: "descriptors when they are asked for",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\..*_pb\.js$/ }, ({ path, resolveDir }) => ({
      path: relative(process.cwd(), join(resolveDir, path)),
      namespace: "when-asked",
    }));
    onLoad({ filter: /./, namespace: "when-asked" }, ({ path }) => {
      const names = Array.from(readFileSync(path, "utf8").matchAll(/^export (?:const|var) (\w+)/gm), ([, name]) => name);
      const getters = names.map((name) => `Object.defineProperty(exports, "${name}", { enumerable: true, get: () => read().${name} });`);
      return { contents: [`const read = () => require("described:${path}");`, ...getters].join("\n"), resolveDir: dirname(resolve(path)) };
    });
    onResolve({ filter: /^described:/ }, ({ path }) => ({ path: path.slice("described:".length), namespace: "described" }));
    onLoad({ filter: /./, namespace: "described" }, ({ path }) => ({
      contents: readFileSync(path, "utf8"),
      resolveDir: dirname(resolve(path)),
    }));
  },
};

/** Writes the scripts into a directory. */
export async function buildScripts(to, plugins = []) {
  const { metafile, outputFiles } = await build({
    entryPoints: ["server", "compile", "authoring"].map((name) => `src/scripts/${name}-script.ts`),
    outdir: to,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    charset: "ascii",
    legalComments: "inline",
    external: installed,
    define: { "import.meta.url": "authzScriptUrl" },
    banner: {
      js: [
        "(function (exports, require, module, __filename, importPackage) {", // the parameters that `load-script.ts` passes
        'const authzScriptUrl = require("node:url").pathToFileURL(__filename).href;',
        'const whereInstalled = require("node:module").createRequire(authzScriptUrl);',
      ].join("\n"),
    },
    footer: { js: "})" },
    metafile: true,
    write: false,
    plugins: [grpcFiles, pinoFiles, descriptorsWhenAsked, ...plugins],
    logLevel: "warning",
  });

  // Dynamic imports go through a function of the caller, because V8 loses the import callback of a script that comes from its code
  // cache.
  for (const { path, text } of outputFiles) {
    const [, { imports }] = Object.entries(metafile.outputs).find(([output]) => resolve(output) === path) ?? [];
    const names = new Set(imports.filter(({ kind }) => kind === "dynamic-import").map((each) => each.path));
    let script = text;
    for (const name of names) {
      const asked = `import(${JSON.stringify(name)})`;
      if (!script.includes(asked)) throw new Error(`${path} imports ${name} in another way than this script knows`);
      script = script.replaceAll(asked, `importPackage(${JSON.stringify(name)})`);
    }
    const lost = script.split("\n").find((line) => line.includes("__dirname") && !/^\s*(?:\*|\/\/)/.test(line));
    if (lost !== undefined)
      throw new Error(`${path}: a package looks for files beside its own: leave it where it is installed: ${lost.trim()}`);
    mkdirSync(to, { recursive: true });
    writeFileSync(path, script);
  }

  const folders = new Set();
  for (const path of Object.keys(metafile.inputs)) {
    const [folder] = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path) ?? []; // whatever plugin loaded it
    if (folder !== undefined) folders.add(folder);
  }
  const licences = [...folders]
    .toSorted((left, right) => left.localeCompare(right, "en"))
    .map((folder) => {
      const { name, version, license, author, homepage, repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
      const read = texts
        .toSorted((left, right) => left.localeCompare(right, "en"))
        .map((file) => readFileSync(join(folder, file), "utf8").trim());
      if (read.length === 0) read.push(`It brings no text of its licence. ${origin(author, homepage ?? repository)}`);
      return [`${name} ${version}: ${license}`, ...read].join("\n\n");
    });
  const opening =
    "The scripts `server-script.cjs`, `compile-script.cjs` and `authoring-script.cjs` hold these packages. Each stands here with its version, its licence, and what it says of it.";
  writeFileSync(join(to, "THIRD-PARTY-LICENSES"), `${[opening, ...licences].join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
}

/** Returns the author and the address of a package. */
function origin(author, address) {
  const text = (value) => (typeof value === "object" ? (value.name ?? value.url) : value);
  return `By ${text(author) ?? "its authors"}: ${text(address)}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await buildScripts(process.argv[2] ?? "dist");
