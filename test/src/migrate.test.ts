/** Moving in: exactly two words change, in exactly the places where they mean something. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import { digest } from "../../src/texts/digest.ts";
import { run } from "../../src/cli/index.ts";
import { applyEdits } from "../../src/migrate/edit.ts";
import { findWords } from "../../src/migrate/find-words.ts";
import { temporaryFolder } from "../server/harness.ts";

const rewrite = (path: string, text: string): string => applyEdits(text, findWords(path, text).edits);

describe("what is rewritten", () => {
  const head = "apiVersion: api.cerbos.dev/v1\n";
  test.each([
    // file, text before, what is replaced by what
    ["plain", "p.yaml", `${head}resourcePolicy: {}\n`, ["api.cerbos.dev"]],
    ["in quotes", "p.yaml", 'apiVersion: "api.cerbos.dev/v1"\n', ["api.cerbos.dev"]],
    ["in single quotes, with a comment", "p.yaml", "apiVersion: 'api.cerbos.dev/v1' # api.cerbos.dev/v1\n", ["'api.cerbos.dev"]],
    ["the other spelling", "p.yaml", "api_version: api.cerbos.dev/v1\n", ["api.cerbos.dev"]],
    ["JSON", "p.json", '{"apiVersion":"api.cerbos.dev\\/v1","description":"cerbos:///"}', ['"api.cerbos.dev']],
    ["after a marker and a comment", "p.yml", `# cerbos\n---\n${head}`, ["api.cerbos.dev"]],
    ["with Windows line ends", "p.yaml", "apiVersion: api.cerbos.dev/v1\r\ndescription: x\r\n", ["api.cerbos.dev"]],
    ["after a byte order mark", "p.yaml", `\uFEFF${head}resourcePolicy:\n  resource: a\n`, ["api.cerbos.dev"]],
    ["without a last line end", "p.yaml", "description: x\napiVersion: api.cerbos.dev/v1", ["api.cerbos.dev"]],
    [
      "every document of a stream",
      "p.yaml",
      "apiVersion: api.cerbos.dev/v1\n---\napiVersion: api.cerbos.dev/v1\n",
      ["api.cerbos.dev", "api.cerbos.dev"],
    ],
    [
      "schema references",
      "p.yaml",
      `resourcePolicy:\n  schemas:\n    principalSchema: { ref: "cerbos:///a.json" }\n    resourceSchema:\n      ref: cerbos:///b/c.json\n`,
      ["cerbos:///a", "cerbos:///b"],
    ],
    [
      "schema references in the other spelling",
      "p.yaml",
      "resource_policy: { schemas: { resource_schema: { ref: 'cerbos:///b.json' } } }",
      ["cerbos:///b"],
    ],
    [
      "a folded value",
      "p.yaml",
      "resourcePolicy:\n  schemas:\n    resourceSchema:\n      ref: >-\n        cerbos:///b.json\n",
      ["cerbos:///b"],
    ],
    [
      "an anchor that is used twice",
      "p.yaml",
      "resourcePolicy: { schemas: { principalSchema: { ref: &r cerbos:///a.json }, resourceSchema: { ref: *r } } }",
      ["&r cerbos"],
    ],
    [
      "a schema's references",
      "_schemas/a.json",
      '{"$id":"cerbos:///a.json","properties":{"x":{"$ref":"cerbos:///b.json#/definitions/x"}},"allOf":[{"$ref":"cerbos:///c.json"}]}',
      ['"cerbos:///a', '"cerbos:///b', '"cerbos:///c'],
    ],
    [
      "a schema's references, below a property of any name",
      "_schemas/a.json",
      '{"properties":{"default":{"$ref":"cerbos:///b.json"},"enum":{"items":{"$ref":"cerbos:///c.json"}}}}',
      ['"cerbos:///b', '"cerbos:///c'],
    ],
  ] as const)("%s", (_, path, before, words) => {
    const after = words.reduce<string>((text, word) => text.replace(word, word.replace("cerbos", "authz")), before);
    expect(after).not.toBe(before);
    expect(rewrite(path, before)).toBe(after);
    expect(rewrite(path, after)).toBe(after); // a second time there is nothing to do
  });

  test("an alias gives way where its anchor must stay", () => {
    expect(rewrite("p.yaml", "description: &v api.cerbos.dev/v1\napiVersion: *v\n")).toBe(
      'description: &v api.cerbos.dev/v1\napiVersion: "api.authz.dev/v1"\n',
    );
  });
});

describe("what only looks like the words", () => {
  test.each([
    [
      "an expression",
      "p.yaml",
      "resourcePolicy:\n  rules:\n    - condition: { match: { expr: 'R.attr.apiVersion == \"api.cerbos.dev/v1\"' } }\n",
    ],
    ["a description", "p.yaml", "description: apiVersion is api.cerbos.dev/v1, schemas are at cerbos:///\n"],
    ["a comment", "p.yaml", "# apiVersion: api.cerbos.dev/v1\n# ref: cerbos:///a.json\n"],
    ["a constant", "p.yaml", "resourcePolicy: { constants: { local: { apiVersion: api.cerbos.dev/v1, ref: 'cerbos:///a.json' } } }\n"],
    ["another version", "p.yaml", "apiVersion: api.cerbos.dev/v10\n"],
    ["another case", "p.yaml", "apiVersion: API.cerbos.dev/v1\n"],
    [
      "an attribute of a fixture",
      "testdata/resources.yaml",
      "resources: { x: { attr: { apiVersion: api.cerbos.dev/v1, ref: 'cerbos:///a.json' } } }\n",
    ],
    ["a test's input", "a_test.yaml", "tests: [{ name: 'api.cerbos.dev/v1', input: { actions: ['cerbos:///'] } }]\n"],
    [
      "a schema's data",
      "_schemas/a.json",
      '{"enum":["cerbos:///a.json",{"$ref":"cerbos:///a.json"}],"const":{"$ref":"cerbos:///a.json"},"description":"cerbos:///a.json","title":"$ref: cerbos:///"}',
    ],
    ["a schema's address on the web", "_schemas/a.json", '{"$id":"https://cerbos.dev/a.json","$ref":"cerbos://host/a.json"}'],
    [
      "a schema reference of another kind",
      "p.yaml",
      "resourcePolicy: { schemas: { resourceSchema: { ref: 'file:///cerbos:///a.json' } } }\n",
    ],
  ])("stays: %s", (_, path, text) => {
    expect(findWords(path, text)).toEqual({ edits: [] });
  });
});

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const policy = `# moved\r\napiVersion: api.cerbos.dev/v1
resourcePolicy:
  resource: album
  version: default
  schemas: { resourceSchema: { ref: "cerbos:///album.json" } }
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 'R.attr.from == "cerbos:///"' } } }]
`;

function folderOf(files: { readonly [path: string]: string | Uint8Array }): string {
  const folder = temporaryFolder({});
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

async function migrate(
  folder: string,
  ...flags: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let [out, err] = ["", ""];
  const code = await run(["migrate", folder, ...flags], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: false,
    environment: {},
  });
  return { code, out: out.replaceAll(folder, "DIR"), err: err.replaceAll(folder, "DIR") };
}

describe("a folder", () => {
  test("is rewritten, and then says the same as before", async () => {
    const folder = folderOf({
      "album.yaml": policy,
      "_schemas/album.json": '{"$id": "cerbos:///album.json"}',
      "deep/tests/a_test.yaml": "name: cerbos\n",
      "notes.txt": "apiVersion: api.cerbos.dev/v1\n",
      ".hidden/p.yaml": "apiVersion: api.cerbos.dev/v1\n",
    });
    chmodSync(join(folder, "album.yaml"), 0o640);
    const { code, out, err } = await migrate(folder);
    expect({ code, out }).toEqual({
      code: 0,
      out: `_schemas/album.json:1: {"$id": "authz:///album.json"}
album.yaml:2: apiVersion: api.authz.dev/v1
album.yaml:6: schemas: { resourceSchema: { ref: "authz:///album.json" } }
3 lines of 2 files changed; 3 files looked at
`,
    });
    expect(err)
      .toBe(`album.yaml:7: note: left as it is: rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: { match: { expr: 'R.attr.from == "cerbos:///"...
deep/tests/a_test.yaml:1: note: left as it is: name: cerbos
`);
    expect(readFileSync(join(folder, "album.yaml"), "utf8")).toBe(
      policy.replace("api.cerbos", "api.authz").replace("cerbos:///album", "authz:///album"),
    );
    expect(statSync(join(folder, "album.yaml")).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).toSorted()).toEqual([".hidden", "_schemas", "album.yaml", "deep", "notes.txt"]);
    expect(readFileSync(join(folder, "notes.txt"), "utf8")).toContain("cerbos");
    expect((await migrate(folder)).out).toBe("no lines of no files changed; 3 files looked at\n");
    const units = (text: string) => compile([{ path: "album.yaml", text }], { digest }).compiled?.bundle.units.map(({ digest: is }) => is);
    expect(units(policy.replace(/ {2}schemas.*\n/, ""))).toEqual(
      units(readFileSync(join(folder, "album.yaml"), "utf8").replace(/ {2}schemas.*\n/, "")),
    );
  });

  // Measured with the reference 0.51.0: it takes `_schemas/a/b.json` for `cerbos://schemas/a/b.json`, whatever the host, query or case of
  // the scheme, in policies and schemas; `cerbos://b.json` and `%zz` are errors there too. D19 has exactly `cerbos:///` rewritten, so these stay.
  test.each([
    ["ref: cerbos://schemas/a/b.json # there", "authz:///a/b.json", "a/b.json"],
    ["ref: cerbos://h:80/a/b.json?v=1", "authz:///a/b.json?v=1", "a/b.json"],
    ["ref: CERBOS://h/b.json", "authz:///b.json", "b.json"],
    ["ref: cerbos://h/b%20c.json", "authz:///b%20c.json", "b c.json"],
    ["ref: cerbos://h/b%zz.json", undefined, ""],
    ['{ "$ref": "cerbos://h/b.json#/definitions/x" }', "authz:///b.json#/definitions/x", "b.json"],
    ["ref: cerbos://b.json", undefined, ""],
  ])("a schema's URL with a host, which the reference ignores, is left, and what to write is said: %s", async (line, url, file) => {
    const { code, err } = await migrate(folderOf({ "p.yaml": `x:\n  ${line}\n` }));
    const hint = `  = hint: Cerbos ignores the host and reads the file \`_schemas/${file}\`; authz refuses it: write \`${url}\`\n`;
    expect({ code, err }).toEqual({ code: 0, err: `p.yaml:2: note: left as it is: ${line}\n${url === undefined ? "" : hint}` });
  });

  test.each([
    // a line that is left, what to write
    ["path: /_cerbos/health", "here it is `/_authz/health`"],
    ["CERBOS_CONFIG: /c.yaml", "here it is `AUTHZ_CONFIG`"],
    ["env: [CERBOS_LOG_LEVEL]", "here it is `AUTHZ_LOG_LEVEL`"],
    ["run: cerbos compile policies", "`authz compile` takes its place"],
    ["run: npx cerbosctl get rp", "`authzctl get` takes its place"],
    ["service: cerbos.svc.v1.CerbosService", "here it is `authz.svc.v1.AuthzService`"],
    ["image: ghcr.io/cerbos/cerbos", undefined],
    ["CERBOS_HUB_CLIENT_ID: x", undefined],
    ["run: ./cerbos is here", undefined],
    [
      "# yaml-language-server: $schema=https://api.cerbos.dev/latest/cerbos/policy/v1/TestFixture/Principals.schema.json",
      "for an editor: `authz schema fixtures` prints ours",
    ],
  ])("what to write instead of %j", async (line, hint) => {
    const { err } = await migrate(folderOf({ "compose.yaml": `${line}\n` }));
    expect(err).toBe(`compose.yaml:1: note: left as it is: ${line}\n${hint === undefined ? "" : `  = hint: ${hint}\n`}`);
  });

  test("a dry run lists what would change, and writes nothing", async () => {
    const folder = folderOf({ "album.yaml": policy });
    expect((await migrate(folder, "--dry-run")).out).toBe(`album.yaml:2
- apiVersion: api.cerbos.dev/v1
+ apiVersion: api.authz.dev/v1
album.yaml:6
-   schemas: { resourceSchema: { ref: "cerbos:///album.json" } }
+   schemas: { resourceSchema: { ref: "authz:///album.json" } }
2 lines of 1 file would change; 1 file looked at
`);
    expect(readFileSync(join(folder, "album.yaml"), "utf8")).toBe(policy);
  });

  test("links are followed within the folder, not out of it", async () => {
    const outside = folderOf({ "p.yaml": "apiVersion: api.cerbos.dev/v1\n" });
    const folder = folderOf({ "a.yaml": "apiVersion: api.cerbos.dev/v1\n", "..data/b.yaml": "apiVersion: api.cerbos.dev/v1\n" });
    symlinkSync(join(outside, "p.yaml"), join(folder, "out.yaml"));
    symlinkSync(outside, join(folder, "out"));
    symlinkSync("..data/b.yaml", join(folder, "b.yaml"));
    symlinkSync(".", join(folder, "again"));
    symlinkSync("nowhere.yaml", join(folder, "c.yaml"));
    const { code, out, err } = await migrate(folder);
    expect({ code, out }).toEqual({
      code: 1,
      out: "..data/b.yaml:1: apiVersion: api.authz.dev/v1\na.yaml:1: apiVersion: api.authz.dev/v1\n2 lines of 2 files changed; 2 files looked at\n",
    });
    expect(err).toBe(`c.yaml: error: the link leads nowhere
out: error: the link leads out of the folder: migrate what it leads to by itself
out.yaml: error: the link leads out of the folder: migrate what it leads to by itself
`);
    expect(readFileSync(join(outside, "p.yaml"), "utf8")).toContain("cerbos");
    expect(lstatSync(join(folder, "b.yaml")).isSymbolicLink()).toBe(true);
  });

  test("what cannot be read is named, and the rest is done", async () => {
    const folder = folderOf({
      "a.yaml": "apiVersion: api.cerbos.dev/v1\n",
      "binary.yaml": new Uint8Array([0xff, 0xfe, 0x00]),
      "broken.yaml": "apiVersion: api.cerbos.dev/v1\n  x: [\n",
    });
    const { code, out, err } = await migrate(folder);
    expect(code).toBe(1);
    expect(out).toContain("1 line of 1 file changed; 3 files looked at");
    expect(err).toContain("binary.yaml: error: the file is not UTF-8 text");
    expect(err).toMatch(/broken\.yaml:\d+:\d+: error yaml-syntax/);
    expect(readFileSync(join(folder, "broken.yaml"), "utf8")).toBe("apiVersion: api.cerbos.dev/v1\n  x: [\n");
  });

  test("a server's configuration is not touched, and what authz makes of it is said", async () => {
    const text = "server:\n  httpListenAddr: :1\n  nope: 1\nstorage:\n  driver: disk\n";
    const folder = folderOf({ ".cerbos.yaml": text });
    const { code, err } = await migrate(folder);
    expect(code).toBe(0);
    expect(err).toContain(".cerbos.yaml: note: this looks like a server's configuration");
    expect(err).toContain("DIR/.cerbos.yaml:3:3: error: unknown key `server.nope`");
    expect(readFileSync(join(folder, ".cerbos.yaml"), "utf8")).toBe(text);
  });

  test.each([
    ["DIR/nothing", "does not exist"],
    ["DIR/a.yaml", "is not a folder"],
  ])("%s is refused", async (path, says) => {
    const folder = folderOf({ "a.yaml": "" });
    const { code, err } = await migrate(path.replace("DIR", folder));
    expect(code).toBe(1);
    expect(err).toContain(says);
  });
});
