/** The package as it is installed: what is in it, and that its command and its library work with nothing but its dependencies beside it. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "authz-installed-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Manifest {
  readonly version: string;
  readonly license: string;
  readonly bin: { readonly [name: string]: string };
  readonly dependencies: { readonly [name: string]: string };
}
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
let files: readonly string[] = [];

const run = (command: string, argv: readonly string[], directory = folder): string =>
  execFileSync(command, argv, { cwd: directory, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "pipe"] });

beforeAll(() => {
  const [packed] = JSON.parse(run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], ".")) as readonly {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  files = packed?.files.map(({ path }) => path) ?? [];
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  run("tar", ["-xzf", packed?.filename ?? "", "-C", "node_modules"]);
  renameSync(join(modules, "package"), join(modules, "authz"));
  // What an installation does after unpacking: dependencies beside the package, its command linked and executable.
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(resolve("node_modules", name), join(modules, name));
  }
  for (const [name, path] of Object.entries(manifest.bin)) {
    symlinkSync(join("..", "authz", path), join(modules, ".bin", name));
    chmodSync(join(modules, "authz", path), 0o755);
  }
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
}, 120_000);

describe("what is in it", () => {
  test.each([
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "dist/main.js",
    "dist/compile-worker.js",
    "dist/guest.js",
    "dist/server-script.cjs",
    "dist/server-script.code",
    "dist/compile-script.cjs",
    "dist/compile-script.code",
    "dist/authoring-script.cjs",
    "dist/authoring-script.code",
    "dist/THIRD-PARTY-LICENSES",
    "dist/cel.js",
    "dist/embed.js",
    "dist/pieces/functions.json",
    "dist/pieces/built/assemble.js",
    "docs/configuration.md",
    "proto/authz/svc/v1/svc.proto",
  ])("%s", (path) => {
    expect(files).toContain(path);
  });

  test("no sources, no tests, nothing of the workplace", () => {
    expect(
      files.filter((path) => !/^(dist|docs|proto|runtime\/cel\/FUNCTIONS\.md|deploy\/(github-action|pre-commit)\/)|^[^/]+$/.test(path)),
    ).toEqual([]);
    expect(files.filter((path) => /\.test\.|node_modules|\.env|\.pem$/.test(path))).toEqual([]);
    expect(files.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))).toEqual([]);
  });

  test("every imported .proto of the contract", () => {
    const protos = files.filter((path) => path.endsWith(".proto"));
    const imported = protos.flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/^import "([^"]+)";/gm)].map(([, name]) => `proto/${name}`),
    );
    expect(imported.filter((path) => !protos.includes(path) && !path.startsWith("proto/google/protobuf/"))).toEqual([]);
  });

  test("the license that it says", () => {
    expect(manifest.license).toBe("Apache-2.0");
    const license = readFileSync(join(folder, "node_modules/authz/LICENSE"), "utf8");
    expect(license).toContain("Version 2.0, January 2004");
    expect(license).toContain("END OF TERMS AND CONDITIONS");
  });
});

test("each package in its scripts stands among the licences, with its version and its text", () => {
  const built = join(folder, "node_modules/authz/dist");
  const texts = ["server-script.cjs", "compile-script.cjs", "authoring-script.cjs"]
    .map((name) => readFileSync(join(built, name), "utf8"))
    .join("");
  const packages = new Set(
    [...texts.matchAll(/^\s*\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(([, name]) => name),
  );
  expect(packages.size).toBeGreaterThan(30);
  const licences = readFileSync(join(built, "THIRD-PARTY-LICENSES"), "utf8").split(`\n\n${"-".repeat(80)}\n\n`);
  const named = new Map(licences.map((part) => [/^(\S+) \d+\.\d+\.\d+\S*: \S+/.exec(part)?.[1], part]));
  expect([...packages].filter((name) => !named.has(name))).toEqual([]);
  expect(
    [...named]
      .filter(([name, part]) => name !== undefined && !part.includes("It brings no text") && part.split("\n").length < 5)
      .map(([name]) => name),
  ).toEqual([]);
});

describe("what it does, installed", () => {
  const authz = (argv: readonly string[]): string => run(join("node_modules", ".bin", "authz"), argv);

  test("its command says which version it is", () => {
    expect(authz(["--version"])).toBe(`authz ${manifest.version}\nnode ${process.versions.node}\n`);
  });

  test("its command begins a folder, compiles it, checks its configuration and runs a command in its company", () => {
    expect(authz(["init", "shop"])).toContain("wrote shop/policies/document.yaml");
    expect(authz(["compile", "shop/policies", "--warnings-as-errors"])).toMatch(
      /^1 policy file, no errors, no warnings\n[^]*12 tests executed \[12 OK\]\n$/,
    );
    expect(authz(["config", "validate", "shop/.authz.yaml"])).toBe("shop/.authz.yaml: valid\n");
    const settings = "server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0,storage.disk.directory=shop/policies";
    const ask = `fetch(process.env.AUTHZ_HTTP + "/_authz/health").then((answer) => answer.json()).then(({ status }) => console.log(status))`;
    expect(authz(["run", "--log-level=error", "--set", settings, "--", process.execPath, "-e", ask])).toBe("SERVING\n");
  });

  test.each<[sentence: string, change: (file: string) => void]>([
    ["as it was built", () => undefined],
    ["where half of what the engine has compiled is missing", (file) => writeFileSync(file, readFileSync(file).subarray(0, 5000))],
    ["where nothing of it is left", (file) => rmSync(file)],
  ])("its commands and its server start %s", (_sentence, change) => {
    for (const name of ["server-script", "compile-script", "authoring-script"])
      change(join(folder, "node_modules/authz/dist", `${name}.code`));
    expect(authz(["compile", "shop/policies"])).toContain("12 tests executed [12 OK]");
    // Both of a server's scripts have been at work when this is said.
    expect(() => authz(["server", "--log-level=error", "--set=server.workers=1", "--set=storage.disk.directory=nowhere"])).toThrow(
      "authz: error: the policies directory `nowhere` does not exist (setting storage.disk.directory)",
    );
  });

  test("its library is imported by its name", () => {
    const script = `import { compile } from "authz/cel"; console.log(compile("1 + 1 == 2").test());`;
    expect(run(process.execPath, ["--input-type=module", "-e", script])).toBe("true\n");
    const decide = `import { load } from "authz"; const { isAllowed } = await load("shop/policies"); console.log(isAllowed({ id: "a", roles: ["nobody"] }, { kind: "document", id: "1" }, "view"));`;
    expect(run(process.execPath, ["--input-type=module", "-e", decide])).toBe("false\n");
    const inner = `import("authz/dist/main.js").catch((error) => console.log(error.code));`;
    expect(run(process.execPath, ["-e", inner])).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });

  test("its command starts a shell would find it by", () => {
    expect(readFileSync(join(folder, "node_modules/authz/dist/main.js"), "utf8").split("\n")[0]).toBe("#!/usr/bin/env node");
    expect(statSync(join(folder, "node_modules/.bin/authz")).isFile()).toBe(true);
  });
});
