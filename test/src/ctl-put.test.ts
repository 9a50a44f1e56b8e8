/** `authzctl put`: files and folders into the store, and where in which file whatever is refused stands. */
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { byUnits } from "../../runtime/order.ts";
import { temporaryFolder } from "../server/harness.ts";
import { everyKind, policyAbout, startAdministered, type AdministeredServer } from "./ctl-harness.ts";

let server: AdministeredServer;
beforeAll(async () => void (server = await startAdministered({}, "disk")), 60_000);
afterAll(() => server.stop());
afterEach(async () => {
  for (const name of readdirSync(server.directory)) rmSync(join(server.directory, name), { recursive: true });
  expect((await server.ctl(["store", "reload", "--wait"])).code).toBe(0);
});

const made: string[] = [];
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder of files, gone when the tests are over. */
function filesOf(files: { readonly [path: string]: string }): string {
  const folder = temporaryFolder(files);
  made.push(folder);
  return folder;
}

const halves = (text: string): readonly [string, string] => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const ids = async (): Promise<readonly string[]> =>
  (await server.ctl(["get", "rp", "--no-headers"])).out
    .split("\n")
    .map((line) => line.split("\t")[0]?.trim() ?? "")
    .filter((id) => id !== "");

describe("policies", () => {
  const nested = filesOf({
    "a.yaml": policyAbout("a"),
    "b.yml": policyAbout("b"),
    "deep/c.json": everyKind["album_2.json"],
    "deep/er/d.yaml": policyAbout("d"),
    "a_test.yaml": "name: a\ntests: []\n",
    "testdata/principals.yaml": "principals: {}\n",
    "_schemas/s.json": "{}",
    ".hidden/e.yaml": "nonsense: true\n",
    "notes.txt": "hello",
  });

  test.each<[sentence: string, argv: readonly string[], out: string, found: readonly string[]]>([
    ["a file", ["DIR/a.yaml"], "Uploaded: 1\nIgnored: 0\n", ["a"]],
    ["files", ["DIR/a.yaml", "DIR/b.yml", "DIR/a.yaml"], "Uploaded: 2\nIgnored: 0\n", ["a", "b"]],
    ["a folder without those in it", ["DIR"], "Uploaded: 2\nIgnored: 1\n", ["a", "b"]],
    ["a folder with those in it", ["-R", "DIR"], "Uploaded: 4\nIgnored: 3\n", ["a", "album", "b", "d"]],
    ["a folder and a file", ["--recursive", "DIR/deep", "DIR/a.yaml"], "Uploaded: 3\nIgnored: 0\n", ["a", "album", "d"]],
  ])("%s", async (_sentence, argv, out, found) => {
    expect(await server.ctl(["put", "policy", ...argv.map((word) => word.replace("DIR", nested))])).toEqual({ code: 0, out, err: "" });
    expect((await ids()).map((id) => id.split(".")[1])).toEqual(found);
  });

  test("links to files are followed, links to folders are not", async () => {
    const folder = filesOf({});
    symlinkSync(join(nested, "a.yaml"), join(folder, "linked.yaml"));
    symlinkSync(nested, join(folder, "loop"));
    expect((await server.ctl(["put", "p", "-R", folder])).out).toBe("Uploaded: 1\nIgnored: 0\n");
  });

  test("come from standard input, several as documents", async () => {
    const input = `---\n${policyAbout("a")}---\n# and\n${policyAbout("b")}`;
    expect(await server.ctl(["put", "policy", "-"], { input })).toEqual({ code: 0, out: "Uploaded: 2\nIgnored: 0\n", err: "" });
    const broken = await server.ctl(["put", "policy", "-"], { input: input.replace("resource: b", "resurce: b") });
    expect(broken.err).toContain("<stdin>:14:3: error unknown-field: unknown field `resurce`");
  });

  test("what one server prints, another takes", async () => {
    await server.ctl(["put", "policy", "-"], {
      input: `---\n${policyAbout("a")}---\n${policyAbout("b", { version: "'1.0'".replaceAll(/[.']/g, "") })}`,
    });
    const { out } = await server.ctl(["get", "rp", "-oyaml", ...(await ids())]);
    const other = await startAdministered();
    try {
      expect((await other.ctl(["put", "policy", "-"], { input: out })).out).toBe("Uploaded: 2\nIgnored: 0\n");
      const stored = await other.ctl(["get", "rp", "resource.a.vdefault"]);
      expect(JSON.parse(stored.out).metadata.storeIdentifier).toBe("resource.a.vdefault");
    } finally {
      await other.stop();
    }
  });

  const odd = filesOf({ "large.yaml": "" });
  truncateSync(join(odd, "large.yaml"), 2 ** 30);
  const [silent, written] = [join(odd, "silent"), join(odd, "written")];
  if (process.platform !== "win32") execFileSync("mkfifo", [silent, written]);
  const tooLarge = "it is larger than 64 MiB: split it into several files";
  test.skipIf(process.platform === "win32").each([
    ["what never ends", "/dev/zero", tooLarge],
    ["what is larger than memory", join(odd, "large.yaml"), tooLarge],
    ["a pipe that nobody writes to", silent, "it is a pipe, and nobody writes to it"],
    ["nothing at all", "/dev/null", "there is no policy in it"],
  ])("%s is refused", async (_sentence, path, says) => {
    const { code, out, err } = await server.ctl(["put", "policy", path]);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain(`${path}: error invalid-document: ${says}`);
    expect(err).toContain("authzctl: error: 1 error in 1 file: nothing was uploaded");
  });

  test.skipIf(process.platform === "win32")("a pipe is read to its end, however slowly it is written", async () => {
    const writing = execFile("sh", [
      "-c",
      `exec > "$0"; sleep 0.1; printf %s "$1"; sleep 0.1; printf %s "$2"`,
      written,
      ...halves(policyAbout("a")),
    ]);
    const closed = once(writing, "close");
    expect(await server.ctl(["put", "policy", written])).toEqual({ code: 0, out: "Uploaded: 1\nIgnored: 0\n", err: "" });
    await closed;
  });

  test("standard input is held to the same", async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(2 ** 20);
      })(),
    );
    expect((await server.ctl(["put", "policy", "-"], { input: endless })).err).toContain(`<stdin>: error invalid-document: ${tooLarge}`);
    const binary = Readable.from([Buffer.from(policyAbout("a")), Buffer.of(0xff)]);
    expect((await server.ctl(["put", "policy", "-"], { input: binary })).err).toContain(
      "<stdin>: error invalid-document: this is not UTF-8",
    );
    const schema = Readable.from([Buffer.from('{ "title": "'), Buffer.of(0xff), Buffer.from('" }')]);
    expect((await server.ctl(["put", "schema", "-", "--id", "a.json"], { input: schema })).err).toContain("<stdin>: this is not UTF-8");
  });

  test("nothing is put of a folder in which a file is broken; each mistake is told with its place", async () => {
    const folder = filesOf({
      "good.yaml": policyAbout("good"),
      "field.yaml": policyAbout("field").replace("rules:", "rulez:"),
      "expression.yaml": `${policyAbout("expression")}      condition: { match: { expr: 1 + } }\n`,
      "two.yaml": `${policyAbout("one")}---\n${policyAbout("two")}`,
      "syntax.yaml": "resourcePolicy: [\n",
      "again.yaml": policyAbout("good"),
    });
    writeFileSync(join(folder, "binary.yaml"), Buffer.from([0xff, 0xfe, 0x00]));
    const { code, out, err } = await server.ctl(["put", "policy", folder]);
    expect([code, out]).toEqual([1, ""]);
    const said = err
      .replaceAll(`${folder}/`, "")
      .split("\n")
      .filter((line) => /^\S+: (error|warning) |^authzctl/.test(line));
    expect(said.map((line) => line.replace(/^(\S+: error \S+:).*/, "$1"))).toEqual([
      "binary.yaml: error invalid-document:",
      "expression.yaml:9:29: error invalid-expression:",
      "field.yaml:5:3: error unknown-field:",
      expect.stringMatching(/^syntax\.yaml:\d+:\d+: error yaml-\S+:$/),
      "two.yaml:10:1: error multiple-documents:",
      "good.yaml:1:11: error duplicate-policy:",
      "authzctl: error: 6 errors in 7 files: nothing was uploaded",
    ]);
    expect(err).toContain("`resource.good.vdefault` is defined twice: also at ");
    expect(await ids()).toEqual([]);
  });

  test("what only the server can know is told with its place too", async () => {
    const album = everyKind["album.yaml"];
    const folder = filesOf({
      "a/album.yaml": album,
      "b/scope.yaml": policyAbout("lonely", { scope: "acme.hr" }),
      "c/fine.json": everyKind["album_2.json"],
    });
    const { code, out, err } = await server.ctl(["put", "policy", "-R", folder]);
    expect([code, out]).toEqual([1, ""]);
    const lines = err.replaceAll(`${folder}/`, "").trimEnd().split("\n");
    expect(lines.at(0)).toMatch(/^authzctl: error: the policies would not compile$/);
    expect(lines.at(-1)).toBe("nothing was uploaded");
    const places = lines
      .slice(1, -1)
      .map((line) => /^ {2}(\S+): /.exec(line)?.[1] ?? "")
      .toSorted(byUnits);
    expect(places).toEqual([
      "a/album.yaml:11:22",
      "a/album.yaml:5:24",
      "a/album.yaml:6:25",
      "a/album.yaml:7:25",
      "b/scope.yaml:1:1",
      "b/scope.yaml:1:1",
    ]);
    expect(await ids()).toEqual([]);
  });

  test("250 go in requests of a hundred, and what others lean on goes first", async () => {
    const folder = filesOf({
      // By its name the last.
      "zz/roles.yaml": everyKind["common.yaml"],
      ...Object.fromEntries(
        Array.from({ length: 249 }, (_, at) => {
          const scope = at % 3 === 0 ? {} : { scope: at % 3 === 1 ? "acme.hr" : "acme" };
          const name = `kind${Math.floor(at / 3)}`;
          const text = policyAbout(name, scope)
            .replace("  rules:", "  importDerivedRoles: [common]\n  rules:")
            .replace("roles: [user]", "derivedRoles: [owner]");
          return [`p${String(249 - at).padStart(3, "0")}.yaml`, text] as const;
        }),
      ),
    });
    expect(await server.ctl(["put", "policy", "-R", folder])).toEqual({ code: 0, out: "Uploaded: 250\nIgnored: 0\n", err: "" });
    expect(await ids()).toHaveLength(249);
  });

  test("when a later request is refused, what was put before is told", async () => {
    const folder = filesOf(
      Object.fromEntries(
        Array.from({ length: 120 }, (_, at) => [`p${at}.yaml`, policyAbout(`kind${at}`, at === 119 ? { scope: "a.b" } : {})]),
      ),
    );
    const { code, out, err } = await server.ctl(["put", "policy", folder]);
    expect([code, out]).toEqual([1, ""]);
    expect(err.trimEnd().split("\n").at(-1)).toBe("100 of 120 policies were uploaded before");
    expect(await ids()).toHaveLength(100);
  });

  test.each([
    [
      "a path that is not there",
      ["DIR/nothing.yaml", "DIR/no"],
      "these cannot be read:\n  DIR/nothing.yaml: there is no such file\n  DIR/no: there is no such file\n",
    ],
    ["a folder without policies", ["DIR/.hidden/.."], ""],
    ["a file without a policy", ["DIR/notes.txt"], "DIR/notes.txt:1:1: error invalid-document"],
  ])("%s is refused", async (sentence, paths, why) => {
    const folder = sentence.includes("without policies") ? filesOf({ "x_test.yaml": "name: x\n" }) : nested;
    const { code, err } = await server.ctl(["put", "policy", ...paths.map((path) => (why === "" ? folder : path.replace("DIR", folder)))]);
    expect([code, err.replaceAll(folder, "DIR")]).toEqual([
      1,
      expect.stringContaining(why === "" ? "there is no policy in these files and folders" : why),
    ]);
  });

  test("folders that cannot be read are told together with what is not there", async () => {
    const folder = filesOf({ "a.yaml": policyAbout("a") });
    // Longer than a path may be; only step by step can it be made and removed.
    const name = "x".repeat(250);
    execFileSync("sh", ["-c", `for _ in ${"1 ".repeat(17)}; do mkdir ${name} && cd -P ${name} || exit 1; done`], { cwd: folder });
    const { code, err } = await server.ctl(["put", "policy", "-R", folder, `${folder}/no`]);
    execFileSync("rm", ["-r", join(folder, name)]);
    expect([code, err.replaceAll(folder, "DIR").replaceAll(/(?:\/x{250})+/g, "/deep")]).toEqual([
      1,
      "authzctl: error: these cannot be read:\n  DIR/deep: ENAMETOOLONG\n  DIR/no: there is no such file\n",
    ]);
  });

  test("a store that cannot be written says so", async () => {
    const readOnly = await startAdministered({ settings: { "storage.disk.readOnly": true } }, "disk");
    try {
      const { code, out, err } = await readOnly.ctl(["put", "policy", "-"], { input: policyAbout("a") });
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(/^authzctl: error: .*read/);
    } finally {
      await readOnly.stop();
    }
  });

  test("names of files and policies cannot move the cursor of a terminal", async () => {
    const folder = filesOf({ "\u001b[2Jbad.yaml": policyAbout("a").replace("resource: a", 'resource: "a\\e31m\\u202E"\n  nonsense: 1') });
    const { err } = await server.ctl(["put", "policy", folder]);
    expect(err).toContain("nonsense");
    expect(err).not.toMatch(/[\u001b\u202e]/);
    await server.ctl(["put", "policy", "-"], { input: policyAbout('"a\\e31m\\u202E"') });
    for (const argv of [
      ["get", "rp"],
      ["get", "rp", "-oyaml", ...(await ids())],
      ["get", "rp", ...(await ids())],
      ["inspect", "p", "-ojson"],
    ]) {
      const { code, out } = await server.ctl(argv);
      expect([argv, code, out]).toEqual([argv, 0, expect.not.stringMatching(/[\u001b\u202e]/)]);
    }
    const { out } = await server.ctl(["get", "rp", "-oyaml", ...(await ids())]);
    expect(out).toContain('resource: "a\\e31m\\u202e"');
  });
});

describe("schemas", () => {
  const store = filesOf({
    "policy.json": everyKind["album_2.json"],
    "_schemas/a.json": '{"type":"object"}',
    "_schemas/sub/b.json": '{ "type": "string" }\n',
    "_schemas/readme.md": "#",
  });

  test.each<[argv: readonly string[], out: string, found: string]>([
    [["DIR/_schemas/a.json"], "Uploaded: 1\nIgnored: 0\n", "a.json\n"],
    [["DIR/_schemas/sub/b.json", "--id=deep/c.json"], "Uploaded: 1\nIgnored: 0\n", "deep/c.json\n"],
    [["DIR/_schemas"], "Uploaded: 1\nIgnored: 0\n", "a.json\n"],
    [["-R", "DIR/_schemas"], "Uploaded: 2\nIgnored: 0\n", "a.json\nsub/b.json\n"],
    [["-R", "DIR"], "Uploaded: 2\nIgnored: 1\n", "a.json\nsub/b.json\n"],
    [["-", "--id", "x.json"], "Uploaded: 1\nIgnored: 0\n", "x.json\n"],
  ])("put schema %j", async (argv, out, found) => {
    const input = '{"type":"number"}';
    expect(await server.ctl(["put", "schema", ...argv.map((word) => word.replace("DIR", store))], { input })).toEqual({
      code: 0,
      out,
      err: "",
    });
    expect((await server.ctl(["get", "s", "--no-headers"])).out).toBe(found);
  });

  test("are put as they are written", async () => {
    await server.ctl(["put", "schema", "-R", store]);
    expect((await server.ctl(["get", "s", "sub/b.json"])).out).toBe('{ "type": "string" }\n');
  });

  test("250 go in requests of a hundred", async () => {
    const folder = filesOf(Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`s${at}.json`, `{"title":"${at}"}`])));
    expect((await server.ctl(["put", "schema", folder])).out).toBe("Uploaded: 250\nIgnored: 0\n");
  });

  test("that are broken are all told, and none is put", async () => {
    const folder = filesOf({ "good.json": "{}", "broken.json": '{\n  "type": \n}', "empty.json": "", "twice.json": '{"a":1,"a":2}' });
    const { code, out, err } = await server.ctl(["put", "schema", folder]);
    expect([code, out]).toEqual([1, ""]);
    expect(err.replaceAll(`${folder}/`, "")).toMatch(
      /^broken\.json: line 3, column 1: .+\nempty\.json: line 1, column 1: .+: the text is empty\ntwice\.json: line 1, column \d+: .+\nauthzctl: error: 3 errors in 4 files: nothing was uploaded\n$/,
    );
    const typed = filesOf({ "no.json": '{"type":"nonsense"}' });
    const refused = await server.ctl(["put", "schema", typed]);
    expect([refused.code, refused.err.replaceAll(`${typed}/`, "")]).toEqual([
      1,
      expect.stringMatching(/^authzctl: error: .+\n {2}no\.json: .+\nnothing was uploaded\n$/),
    ]);
    expect((await server.ctl(["get", "s", "--no-headers"])).out).toBe("");
  });
});
