/** The laws of the house that no linter knows: sizes, names, rooms, and where text, clock and process may be touched. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && existsSync(path));
const program = files.filter((path) => /^(compiler|runtime|src|proto)\/.*\.ts$/.test(path) && !path.startsWith("proto/gen/"));
const text = (path: string): string => readFileSync(path, "utf8");
const breaking = (paths: readonly string[], pattern: RegExp): readonly string[] =>
  paths.filter((path) => pattern.test(withoutComments(text(path))));

/** Comments may name what code may not touch. */
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*.*?\*\//gs, "").replaceAll(/^\s*\/\/.*$/gm, "");
}

/** Files that are one table: their rows may be many. Every other file has at most 300 lines. */
const tables: readonly RegExp[] = [/^runtime\/cel\/functions\//, /^compiler\/messages\.ts$/, /^src\/config\/settings\.ts$/];

test("the program is found", () => {
  expect(program.length).toBeGreaterThan(50);
});

test("no file has more than 300 lines unless it is a table", () => {
  const long = program.filter((path) => !tables.some((table) => table.test(path)) && text(path).split("\n").length > 301);
  expect(long).toEqual([]);
});

test("every file opens with one sentence that says what it is", () => {
  const ours = files.filter((path) => /\.(?:ts|mjs)$/.test(path) && !path.startsWith("proto/gen/"));
  expect(ours.filter((path) => !/^(#!.*\n)?\/\*\*/.test(text(path)))).toEqual([]);
});

test("no folder is called for nothing", () => {
  expect(files.filter((path) => /(^|\/)(utils?|helpers?|common|shared|managers?|services|misc|lib)\//.test(path))).toEqual([]);
});

test("every room has a README of at most forty lines", () => {
  const rooms = new Set([...program.map((path) => dirname(path)), "proto", "test", "test/agree", "test/peer", "golden", "bench"]);
  const missing = [...rooms].filter((room) => !existsSync(`${room}/README.md`));
  const long = files.filter((path) => path.endsWith("/README.md") && text(path).split("\n").length > 41);
  expect({ missing, long }).toEqual({ missing: [], long: [] });
});

/** Names and patterns of files in a README: `a.ts`, `report-*.ts`, `<family>.ts`; `a`, where the file is a.ts. */
function filesNamed(readme: string): readonly RegExp[] {
  const names = [...readme.matchAll(/`([^`\n]+)`/g)].flatMap(([, words = ""]) => words.split(" "));
  return names.map((name) => {
    const pattern = name.replace(/\.(?:ts|mjs)$/, "").replaceAll(/[^\w*<>-]/g, "\\$&");
    return new RegExp(`^${pattern.replaceAll(/\*|<[a-z]+>/g, "[a-z0-9-]+")}\\.(?:ts|mjs)$`);
  });
}

test("every room's README names each of its files, and no file that is not there", () => {
  const unnamed = program.filter((path) => !filesNamed(text(`${dirname(path)}/README.md`)).some((named) => named.test(basename(path))));
  const gone = files
    .filter((path) => path.endsWith("/README.md"))
    .flatMap((path) =>
      [...text(path).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)]
        .filter(([, name = ""]) => !existsSync(join(dirname(path), name)) && !files.some((file) => `/${file}`.endsWith(`/${name}`)))
        .map(([, name]) => `${path}: ${name}`),
    );
  expect({ unnamed, gone }).toEqual({ unnamed: [], gone: [] });
});

test("there is no default export and no stub", () => {
  expect(breaking(program, /^export default/m)).toEqual([]);
  expect(program.filter((path) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text(path)))).toEqual([]);
});

test("text becomes program only in the loader and the sandbox", () => {
  // The last runs what the build has made of this program.
  const allowed = new Set(["runtime/load.ts", "src/scripts/load-script.ts"]);
  const outside = program.filter((path) => !allowed.has(path) && !path.startsWith("runtime/sandbox/"));
  expect(breaking(outside, /\bnew Function\b|\bFunction\(|[^.\w]eval\(|node:vm/)).toEqual([]);
});

test("the compiler and the runtime know no clock, process, timer or log", () => {
  const pure = program.filter((path) => /^(compiler|runtime)\//.test(path) && !path.startsWith("runtime/sandbox/realm"));
  expect(breaking(pure, /\bDate\.now\b|\bnew Date\(\)|\bprocess\.|\bconsole\.|\bsetTimeout\b|\bMath\.random\b|"node:/)).toEqual([]);
});

test("the environment is read only by the configuration, and only the two programs and the process of a worker end themselves", () => {
  const source = program.filter((path) => path.startsWith("src/"));
  expect(
    breaking(
      source.filter((path) => !path.startsWith("src/config/")),
      /\bprocess\.env\b/,
    ),
  ).toEqual([]);
  expect(
    breaking(
      source.filter((path) => path !== "src/main.ts" && path !== "src/ctl.ts" && path !== "src/server-worker.ts"),
      /\bprocess\.exit\(/,
    ),
  ).toEqual([]);
});

test.each(["compiler", "runtime"])(
  "%s is written against ECMAScript alone: it compiles without the types of Node or of a browser",
  (room) => {
    execFileSync("npx", ["tsc", "--noEmit", "-p", `${room}/tsconfig.json`], { stdio: "inherit" });
  },
);

test("the runtime, bundled with what it imports, starts where there is nothing but ECMAScript", () => {
  const bundled = execFileSync(
    "npx",
    [
      "esbuild",
      "runtime/index.ts",
      "--bundle",
      "--platform=neutral",
      "--main-fields=module,main",
      "--format=iife",
      "--global-name=authz",
      "--log-level=error",
    ],
    { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  expect(runInNewContext(`${bundled}; typeof authz.load`, {})).toBe("function");
});
