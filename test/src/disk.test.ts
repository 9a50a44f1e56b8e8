/** The disk store: which files it reads, and that it reads again only what changed. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDiskStore } from "../../src/store/disk.ts";
import type { Changes, Store } from "../../src/store/store.ts";
import { isSameStamp, listPaths, listTree, relist, type Stamp, type Tree } from "../../src/store/tree.ts";
import { eventually } from "../server/harness.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "authz-disk-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
const names = (changes: Changes): readonly string[] => changes.changed.map((source) => source.path).sort();

describe("the first reading", () => {
  test.each([
    [
      "takes every spelling of YAML and JSON",
      { "a.yaml": "1", "b.YML": "2", "c.json": "3", "d.txt": "4", e: "5" },
      ["a.yaml", "b.YML", "c.json"],
    ],
    ["goes into folders", { "x/y/a.yaml": "1", "b.yaml": "2" }, ["b.yaml", "x/y/a.yaml"]],
    ["passes over what is hidden", { ".a.yaml": "1", ".git/b.yaml": "2", "x/.y/c.yaml": "3" }, []],
    ["passes over tests and their data", { "a_test.yaml": "1", "testdata/b.yaml": "2", "x/testdata/c.yaml": "3" }, []],
    ["takes schemas for no policies", { "_schemas/a.json": "{}", "_schemas/b.yaml": "1", "b.yaml": "1" }, ["b.yaml"]],
    ["finds nothing in an empty folder", {}, []],
    ["takes names that are no identifiers", { "__proto__.yaml": "1", "a b/ü.yaml": "2" }, ["__proto__.yaml", "a b/ü.yaml"]],
  ])("%s", async (_sentence, files, wanted) => {
    put(files);
    expect(names(await openDiskStore({ directory: folder }).read())).toEqual(wanted);
  });

  test("follows a link to a file, not one to a folder, and stumbles over neither a circle nor a link to nothing", async () => {
    put({ "real/a.yaml": "text" });
    symlinkSync(join(folder, "real/a.yaml"), join(folder, "link.yaml"));
    symlinkSync(folder, join(folder, "circle"));
    symlinkSync(join(folder, "nowhere"), join(folder, "lost.yaml"));
    symlinkSync(join(folder, "self.yaml"), join(folder, "self.yaml"));
    expect(names(await openDiskStore({ directory: folder }).read())).toEqual(["link.yaml", "real/a.yaml"]);
  });

  const lost = "the link leads nowhere: put back what it leads to, or remove the link";
  test.each<readonly [sentence: string, link: string, to: string, wanted: readonly string[]]>([
    ["a link to nothing", "x/lost.yaml", "../nowhere", ["x/lost.yaml"]],
    ["a link to itself", "self.yaml", "self.yaml", ["self.yaml"]],
    ["a link below a file", "lost.yaml", "b.yaml/a.yaml", ["lost.yaml"]],
    ["a schema's link to nothing", "_schemas/lost.json", "nowhere.json", ["_schemas/lost.json"]],
    ["no link that nobody would read", "lost.txt", "nowhere", []],
    ["no link to a folder that is not there", "lost", "nowhere", []],
    ["no hidden link, such as an editor's lock", ".#b.yaml", "ann@host.1", []],
    ["no link among the data of tests", "testdata/lost.yaml", "nowhere", []],
    ["no test that leads nowhere", "lost_test.yaml", "nowhere", []],
  ])("names %s", async (_sentence, link, to, wanted) => {
    put({ "b.yaml": "text" });
    mkdirSync(join(folder, link, ".."), { recursive: true });
    symlinkSync(to, join(folder, link));
    const { changed, unreadable } = await openDiskStore({ directory: folder }).read();
    expect(changed.map(({ path }) => path)).toEqual(["b.yaml"]);
    expect(unreadable).toEqual(wanted.map((path) => ({ path, message: lost })));
    expect(listPaths(folder)).toEqual(wanted.length > 0 ? undefined : ["b.yaml"]);
  });

  const special = (what: string): string => `it is ${what}, and no file: put the file there, or remove it`;
  test
    .skipIf(process.platform === "win32")
    .each<readonly [sentence: string, make: () => unknown, path: string, wanted: string | undefined]>([
      ["a pipe", () => execFileSync("mkfifo", [join(folder, "x.yaml")]), "x.yaml", special("a pipe")],
      [
        "a pipe in place of a schema",
        () => execFileSync("mkfifo", [join(folder, "_schemas/x.json")]),
        "_schemas/x.json",
        special("a pipe"),
      ],
      [
        "a link whose target the system does not tell of",
        () => symlinkSync("x".repeat(300), join(folder, "x.yaml")),
        "x.yaml",
        "the file cannot be read (ENAMETOOLONG)",
      ],
      ["a link to a device", () => symlinkSync("/dev/zero", join(folder, "x.yaml")), "x.yaml", special("a device")],
      ["no pipe that nobody would read", () => execFileSync("mkfifo", [join(folder, "x.txt")]), "x.txt", undefined],
      ["no link to a folder that is called like none", () => symlinkSync("_schemas", join(folder, "x")), "x", undefined],
      ["no folder", () => mkdirSync(join(folder, "x.yaml")), "x.yaml", undefined],
    ])("names %s", async (_sentence, make, path, wanted) => {
    put({ "b.yaml": "text", "_schemas/s.json": "{}" });
    make();
    const { changed, unreadable } = await openDiskStore({ directory: folder }).read();
    expect(changed.map(({ path }) => path)).toEqual(["b.yaml"]);
    expect(unreadable).toEqual(wanted === undefined ? [] : [{ path, message: wanted }]);
    expect(listPaths(folder)).toEqual(wanted === undefined ? ["_schemas/s.json", "b.yaml"] : undefined);
  });

  test.skipIf(process.platform === "win32")("names a socket", async () => {
    const listening = createServer().listen(join(folder, "x.yaml"));
    await once(listening, "listening");
    const { unreadable } = await openDiskStore({ directory: folder }).read();
    expect(unreadable).toEqual([{ path: "x.yaml", message: special("a socket") }]);
    listening.close();
  });

  test("says of folders that are called like policies what becomes of them, once for each", async () => {
    put({ "a.yaml/b.yaml": "text", "testdata/c.yaml/d.yaml": "text", "_schemas/s.json/t.json": "{}" });
    symlinkSync("a.yaml", join(folder, "link.yaml"));
    symlinkSync("a.yaml", join(folder, "link"));
    const store = openDiskStore({ directory: folder });
    const remarks = async (): Promise<readonly string[]> =>
      ((await store.read(true)).remarks ?? []).map((remark) => remark.replace(` in the folder \`${folder}\``, "")).toSorted();
    expect(await remarks()).toEqual([
      "`_schemas/s.json` is a folder, of which only what lies in it is read: if a file was meant, put it there",
      "`a.yaml` is a folder, of which only what lies in it is read: if a file was meant, put it there",
      "`link.yaml` is a link to a folder, which is not followed: if a file was meant, put it there",
    ]);
    expect(await remarks()).toEqual([]);
    rmSync(join(folder, "link.yaml"));
    expect(await remarks()).toEqual([]);
    mkdirSync(join(folder, "link.yaml"));
    expect(await remarks()).toEqual(["`link.yaml` is a folder, of which only what lies in it is read: if a file was meant, put it there"]);
  });

  test.skipIf(process.platform !== "linux")("names a folder that cannot be listed, for as long as that is so", async () => {
    put({ "b.yaml": "text" });
    // Permissions would not keep a superuser out; too long a path does.
    const deep = join("d", ...Array.from({ length: 20 }, () => "e".repeat(200)));
    put({ [join(deep, "a.yaml")]: "deep" });
    const store = openDiskStore({ directory: folder });
    expect(names(await store.read())).toEqual(["b.yaml", join(deep, "a.yaml")]);
    const long = "f".repeat(250);
    renameSync(join(folder, "d"), join(folder, long));
    try {
      const { changed, unreadable } = await store.read();
      expect([changed, unreadable]).toEqual([
        [],
        [{ path: expect.stringMatching(/^f+[/e]+e$/), message: "the folder cannot be read (ENAMETOOLONG)" }],
      ]);
      expect((await store.read()).unreadable).toEqual(unreadable);
      expect(listPaths(folder)).toBeUndefined();
    } finally {
      renameSync(join(folder, long), join(folder, "d"));
    }
    expect(await store.read()).toMatchObject({ changed: [{ path: join(deep, "a.yaml") }], unreadable: [] });
  });

  test("a file in whose place a pipe stands is not taken for gone, and is read again when it is back", async () => {
    put({ "a.yaml": "text", "b.yaml": "text" });
    const store = openDiskStore({ directory: folder });
    await store.read();
    rmSync(join(folder, "a.yaml"));
    execFileSync("mkfifo", [join(folder, "a.yaml")]);
    expect(await store.read()).toMatchObject({ changed: [], removed: [], unreadable: [{ path: "a.yaml", message: special("a pipe") }] });
    rmSync(join(folder, "a.yaml"));
    put({ "a.yaml": "other" });
    expect(await store.read()).toMatchObject({ changed: [{ path: "a.yaml", text: "other" }], removed: [], unreadable: [] });
  });

  test.each<readonly [sentence: string, name: string, wanted: readonly object[]]>([
    [
      "a file whose name is not UTF-8",
      "x/caf\xe9.yaml",
      [{ path: "x/caf\u{fffd}.yaml", message: "the file's name is not UTF-8 text: rename it" }],
    ],
    [
      "a folder whose name is not UTF-8",
      "x\xe9/y/a.yaml",
      [{ path: "x\u{fffd}", message: "the folder's name is not UTF-8 text: rename it" }],
    ],
    [
      "a schema whose name is not UTF-8",
      "_schemas/\xe9.json",
      [{ path: "_schemas/\u{fffd}.json", message: "the file's name is not UTF-8 text: rename it" }],
    ],
    ["no such file that nobody would read", "x/caf\xe9.txt", []],
    ["nothing hidden of such a name", ".x\xe9/a.yaml", []],
  ])("names %s", async (_sentence, name, wanted) => {
    put({ "b.yaml": "text" });
    const file = Buffer.from(`${folder}/${name}`, "latin1");
    mkdirSync(file.subarray(0, file.lastIndexOf("/")), { recursive: true });
    writeFileSync(file, "text");
    const { changed, unreadable } = await openDiskStore({ directory: folder }).read();
    expect(changed.map(({ path }) => path)).toEqual(["b.yaml"]);
    expect(unreadable).toEqual(wanted);
    expect(listPaths(folder)).toEqual(wanted.length > 0 ? undefined : ["b.yaml"]);
  });

  test("has schemas by their paths below their folder, and only those that are JSON", async () => {
    put({ "_schemas/a.json": "{}", "_schemas/x/y.JSON": "1", "_schemas/z.yaml": "2", "_schemas/.h.json": "3", "_schemas/.g/h.json": "4" });
    const { changedSchemas, unreadable } = await openDiskStore({ directory: folder }).read();
    expect(changedSchemas.toSorted((left, right) => (left.path < right.path ? -1 : 1))).toEqual([
      { path: "a.json", text: "{}" },
      { path: "x/y.JSON", text: "1" },
    ]);
    expect(unreadable).toEqual([]);
  });

  test("names every folder of schemas that is not at the root, where policies would be read", async () => {
    put({
      "a/_schemas/x.json": "{}",
      "b/c/_schemas/d/x.json": "{}",
      "testdata/_schemas/x.json": "{}",
      ".h/_schemas/x.json": "{}",
      "_schemas/_schemas/x.json": "{}",
    });
    const { changed, changedSchemas, unreadable } = await openDiskStore({ directory: folder }).read();
    expect(unreadable.map(({ path }) => path).sort()).toEqual(["a/_schemas", "b/c/_schemas"]);
    expect([changed, changedSchemas.map(({ path }) => path)]).toEqual([[], ["_schemas/x.json"]]);
  });

  test("names a file that is not UTF-8", async () => {
    writeFileSync(join(folder, "a.yaml"), Buffer.from([0x61, 0xff]));
    expect((await openDiskStore({ directory: folder }).read()).unreadable).toEqual([
      { path: "a.yaml", message: "the file is not UTF-8 text" },
    ]);
  });

  test.each([
    ["does not exist", "nothing"],
    ["is not a directory", "file"],
  ])("refuses a folder that %s", async (why, name) => {
    put({ file: "" });
    const directory = join(folder, name);
    const refused = `the policies directory \`${directory}\` ${why}`;
    await expect(openDiskStore({ directory }).read()).rejects.toHaveProperty("message", refused);
    const setting = "storage.disk.directory";
    await expect(openDiskStore({ directory, setting }).read()).rejects.toThrow(`${refused} (setting storage.disk.directory)`);
  });
});

describe("a later reading", () => {
  let store: Store;
  beforeEach(async () => {
    put({ "a.yaml": "1", "x/b.yaml": "2" });
    store = openDiskStore({ directory: folder });
    await store.read();
  });

  test.each([
    ["has nothing when nothing changed", () => undefined, [], []],
    ["has the file that changed", () => writeFileSync(join(folder, "a.yaml"), "longer"), ["a.yaml"], []],
    ["has the file that is new", () => writeFileSync(join(folder, "c.yaml"), "3"), ["c.yaml"], []],
    ["has the file that is gone", () => unlinkSync(join(folder, "a.yaml")), [], ["a.yaml"]],
    ["has both ends of a renaming", () => renameSync(join(folder, "a.yaml"), join(folder, "z.yaml")), ["z.yaml"], ["a.yaml"]],
    ["has a folder that moved", () => renameSync(join(folder, "x"), join(folder, "y")), ["y/b.yaml"], ["x/b.yaml"]],
    [
      "has a file replaced by another of the same size",
      () => {
        writeFileSync(join(folder, "t"), "9");
        renameSync(join(folder, "t"), join(folder, "a.yaml"));
      },
      ["a.yaml"],
      [],
    ],
  ])("%s", async (_sentence, change, changed, removed) => {
    change();
    const changes = await store.read();
    expect([names(changes), changes.removed]).toEqual([changed, removed]);
    const again = await store.read();
    expect([names(again), again.removed]).toEqual([[], []]);
    const there = listPaths(folder);
    for (const path of there ?? []) unlinkSync(join(folder, path));
    expect((await store.read()).removed.toSorted()).toEqual(there);
  });

  test("has a text that the file had before, and not in between", async () => {
    const file = join(folder, "a.yaml");
    writeFileSync(file, "2");
    // Read once the clock of the file system has gone on.
    await eventually(
      () => Date.now() - statSync(file).ctimeMs,
      (age) => age > 150,
    );
    const texts = async (): Promise<readonly string[]> => (await store.read()).changed.map(({ text }) => text);
    expect(await texts()).toEqual(["2"]);
    writeFileSync(file, "1");
    expect(await texts()).toEqual(["1"]);
  });

  test("has schemas that changed and that are gone", async () => {
    put({ "_schemas/a.json": "1", "_schemas/b.json": "2" });
    await store.read();
    put({ "_schemas/a.json": "longer" });
    unlinkSync(join(folder, "_schemas/b.json"));
    expect(await store.read()).toMatchObject({
      changed: [],
      removed: [],
      changedSchemas: [{ path: "a.json", text: "longer" }],
      removedSchemas: ["b.json"],
    });
  });

  test("forgets a folder of schemas that lay elsewhere once it is gone", async () => {
    put({ "x/_schemas/a.json": "1" });
    expect((await store.read()).unreadable).toHaveLength(1);
    expect((await store.read()).unreadable).toHaveLength(1);
    rmSync(join(folder, "x/_schemas"), { recursive: true });
    expect(await store.read()).toMatchObject({ removed: [], unreadable: [] });
  });

  test("sees a link that points elsewhere, as in a mounted ConfigMap", async () => {
    put({ "..1/p.yaml": "old", "..2/p.yaml": "new" });
    symlinkSync("..1", join(folder, "..data"));
    symlinkSync("..data/p.yaml", join(folder, "p.yaml"));
    const attributes = { driver: "disk", source: "p.yaml" };
    expect((await store.read()).changed).toEqual([{ path: "p.yaml", text: "old", attributes }]);
    symlinkSync("..2", join(folder, "..next"));
    renameSync(join(folder, "..next"), join(folder, "..data"));
    expect((await store.read()).changed).toEqual([{ path: "p.yaml", text: "new", attributes }]);
  });

  test("names a link for as long as it leads nowhere, and never takes what it said for gone", async () => {
    put({ real: "text" });
    symlinkSync("real", join(folder, "p.yaml"));
    await store.read();
    renameSync(join(folder, "real"), join(folder, "away"));
    const lost = { removed: [], unreadable: [{ path: "p.yaml" }] };
    expect(await store.read()).toMatchObject(lost);
    expect(await store.read()).toMatchObject(lost);
    renameSync(join(folder, "away"), join(folder, "real"));
    expect(await store.read()).toMatchObject({ changed: [{ path: "p.yaml" }], unreadable: [] });
    unlinkSync(join(folder, "real"));
    await store.read();
    unlinkSync(join(folder, "p.yaml"));
    expect(await store.read()).toMatchObject({ removed: ["p.yaml"], unreadable: [] });
  });

  test("fails while the folder is gone, and goes on when it is back", async () => {
    renameSync(folder, `${folder}-away`);
    await expect(store.read()).rejects.toThrow("does not exist");
    renameSync(`${folder}-away`, folder);
    put({ "a.yaml": "changed" });
    expect(names(await store.read())).toEqual(["a.yaml"]);
  });

  test("lists a file that cannot be read for as long as that is so", async () => {
    writeFileSync(join(folder, "a.yaml"), Buffer.from([0xff]));
    expect((await store.read()).unreadable).toHaveLength(1);
    expect((await store.read()).unreadable).toHaveLength(1);
    writeFileSync(join(folder, "a.yaml"), "fine");
    expect(await store.read()).toMatchObject({ changed: [{ path: "a.yaml", text: "fine" }], unreadable: [] });
  });
});

describe("a file has another stamp when there is", () => {
  const stamp = { kind: "file", device: 1, inode: 2, size: 3, modified: 4, changed: 5 } as const;
  test.each<readonly [sentence: string, left: Stamp, right: Stamp | undefined, isSame: boolean]>([
    ["nothing new", stamp, { ...stamp }, true],
    ["another device", stamp, { ...stamp, device: 9 }, false],
    ["another inode", stamp, { ...stamp, inode: 9 }, false],
    ["another size", stamp, { ...stamp, size: 9 }, false],
    ["another time of the contents, be it earlier", stamp, { ...stamp, modified: 3 }, false],
    ["another time of a change, be it earlier", stamp, { ...stamp, changed: 4 }, false],
    ["no file any more", stamp, undefined, false],
    ["something else in its place", stamp, { kind: "dangling" }, false],
    ["another thing in its place than before", { kind: "dangling" }, { kind: "misplaced" }, false],
    ["the same in its place as before", { kind: "dangling" }, { kind: "dangling" }, true],
    ["another special file than before", { kind: "special", what: "a pipe" }, { kind: "special", what: "a socket" }, false],
    ["the same special file as before", { kind: "special", what: "a pipe" }, { kind: "special", what: "a pipe" }, true],
    ["another reason not to read it", { kind: "unreadable", code: "EACCES" }, { kind: "unreadable", code: "EIO" }, false],
    ["the same reason not to read it", { kind: "unreadable", code: "EIO" }, { kind: "unreadable", code: "EIO" }, true],
  ])("%s", (_sentence, left, right, isSame) => {
    expect([isSameStamp(left, right), isSameStamp(right, left)]).toEqual([isSame, isSame]);
  });
});

describe("listing again", () => {
  test("what was touched and cannot be examined does not count as gone", () => {
    put({ "a.yaml": "1" });
    const path = `${"x".repeat(300)}.yaml`;
    expect(relist(folder, listTree(folder), [path]).entries.get(path)).toEqual({ kind: "unreadable", code: "ENAMETOOLONG" });
  });

  test("what a watcher saw of a name that is not UTF-8 is there for as long as it is so", () => {
    put({ "x/a.yaml": "1" });
    const tree = listTree(folder);
    const file = Buffer.from(`${folder}/x/caf\xe9.yaml`, "latin1");
    const paths = (from: Tree): readonly string[] => [...relist(folder, from, ["x/caf\u{fffd}.yaml"]).entries.keys()].sort();
    writeFileSync(file, "2");
    expect(paths(tree)).toEqual(["x/a.yaml", "x/caf\u{fffd}.yaml"]);
    expect(paths(listTree(folder))).toEqual(["x/a.yaml", "x/caf\u{fffd}.yaml"]);
    const garbled = listTree(folder);
    unlinkSync(file);
    expect(paths(garbled)).toEqual(["x/a.yaml"]);
  });

  test.each<readonly [sentence: string, edit: () => void, touched: string, doubtful: readonly string[]]>([
    ["a folder that is gone", () => rmSync(join(folder, "x"), { recursive: true }), "x", ["x/b.yaml", "x/n.yaml/e.yaml", "x/y/c.yaml"]],
    ["a folder that is called like a policy", () => rmSync(join(folder, "x/n.yaml"), { recursive: true }), "x/n.yaml", ["x/n.yaml/e.yaml"]],
    ["a folder within one", () => rmSync(join(folder, "x/y"), { recursive: true }), "x/y", ["x/y/c.yaml"]],
    ["a folder that has another name", () => renameSync(join(folder, "x/y"), join(folder, "xy/z")), "x/y", ["x/y/c.yaml"]],
    ["a new folder", () => put({ "n/m/d.yaml": "4" }), "n", ["n/m/d.yaml"]],
    ["a changed file", () => put({ "x/b.yaml": "other" }), "x/b.yaml", ["x/b.yaml"]],
  ])("where %s was touched finds what listing afresh finds there, and keeps the rest", (_, edit, touched, doubtful) => {
    put({ "a.yaml": "1", "x/b.yaml": "2", "x/y/c.yaml": "3", "xy/c.yaml": "4", "x/n.yaml/e.yaml": "5", "_schemas/d.json": "{}" });
    const before: Tree = { ...listTree(folder), doubtful: new Set() };
    edit();
    const now = relist(folder, before, [touched]);
    const fresh = listTree(folder);
    const elsewhere = (path: string): boolean => path === "xy/z" || path.startsWith("xy/z/");
    const told = (entries: Tree["entries"]): unknown => Object.fromEntries([...entries].filter(([path]) => !elsewhere(path)));
    expect(told(now.entries)).toEqual(told(fresh.entries));
    expect(now.folders).toEqual(new Set([...fresh.folders].filter((path) => !elsewhere(path))));
    expect(now.misnamed).toEqual(fresh.misnamed);
    expect([...(now.doubtful ?? [])].sort()).toEqual(doubtful);
  });

  test("what a watcher saw behind a link to a folder is not there, as it is not for the first reading", async () => {
    put({ "real/a.yaml": "1", "real/deep/b.yaml": "2" });
    symlinkSync("real", join(folder, "link"));
    const paths = (tree: Tree): readonly string[] => [...tree.entries.keys()].sort();
    const tree = listTree(folder);
    put({ "real/_schemas/c.json": "3" });
    const misplaced = relist(folder, tree, ["real/_schemas"]);
    expect(paths(misplaced)).toEqual(["real/_schemas/", "real/a.yaml", "real/deep/b.yaml"]);
    rmSync(join(folder, "real/_schemas"), { recursive: true });
    expect(paths(relist(folder, misplaced, ["real/_schemas"]))).toEqual(["real/a.yaml", "real/deep/b.yaml"]);
    const touched = ["link", "link/deep", "link/a.yaml", "real/deep", "gone", "testdata/x.yaml"];
    put({ "testdata/x.yaml": "4" });
    expect(paths(relist(folder, tree, touched))).toEqual(["real/a.yaml", "real/deep/b.yaml"]);
  });
});

describe("listing all again", () => {
  const longAgo = 1_000_000_000;
  beforeEach(() => {
    put({ "a.yaml": "1", "x/b.yaml": "2", "_schemas/c.json": "{}" });
    utimesSync(join(folder, "a.yaml"), longAgo, longAgo);
  });
  const changeUnseen = (file: string): void => {
    const before = statSync(file).ctimeMs;
    // The clock of a file system goes in steps.
    while (statSync(file).ctimeMs === before) {
      writeFileSync(file, "9");
      utimesSync(file, longAgo, longAgo);
    }
  };

  test.each<readonly [sentence: string, edit: () => void, doubtful: readonly string[]]>([
    ["nothing", () => undefined, []],
    ["a change that keeps size and time", () => changeUnseen(join(folder, "a.yaml")), ["a.yaml"]],
    ["a changed file", () => put({ "a.yaml": "other" }), ["a.yaml"]],
    ["a new file", () => put({ "x/d.yaml": "3" }), ["x/d.yaml"]],
    ["a file that is gone", () => unlinkSync(join(folder, "a.yaml")), ["a.yaml"]],
    ["a folder that is gone", () => rmSync(join(folder, "x"), { recursive: true }), ["x/b.yaml"]],
    ["a file that has another name", () => renameSync(join(folder, "a.yaml"), join(folder, "z.yaml")), ["a.yaml", "z.yaml"]],
    ["a file that is a folder now", () => (unlinkSync(join(folder, "a.yaml")), put({ "a.yaml/e.yaml": "4" })), ["a.yaml", "a.yaml/e.yaml"]],
    ["schemas where none may be", () => put({ "x/_schemas/c.json": "{}" }), ["x/_schemas/"]],
  ])("after %s finds what listing afresh finds, and what is different", (_, edit, doubtful) => {
    const before: Tree = { ...listTree(folder), doubtful: new Set() };
    const then = Object.fromEntries(before.entries);
    edit();
    const now = listTree(folder, undefined, before);
    expect(Object.fromEntries(now.entries)).toEqual(Object.fromEntries(listTree(folder).entries));
    expect(now.folders).toEqual(listTree(folder).folders);
    expect([...(now.doubtful ?? [])].sort()).toEqual(doubtful);
    expect(Object.fromEntries(before.entries)).toEqual(then);
  });

  test("keeps in doubt what was in doubt before, and has no doubts where anything may be different", () => {
    const before: Tree = { ...listTree(folder), doubtful: new Set(["x/b.yaml"]) };
    put({ "a.yaml": "other" });
    expect([...(listTree(folder, undefined, before).doubtful ?? [])].sort()).toEqual(["a.yaml", "x/b.yaml"]);
    expect(listTree(folder, undefined, listTree(folder)).doubtful).toBeUndefined();
  });
});

describe("watching", () => {
  test.each([
    ["a changed file", () => writeFileSync(join(folder, "x/b.yaml"), "new text"), "x/b.yaml"],
    ["a new file", () => put({ "x/c.yaml": "3" }), "x/c.yaml"],
    ["a new folder", () => put({ "n/m/d.yaml": "4" }), "n/m/d.yaml"],
    [
      "an atomic replacement",
      () => {
        put({ "x/.tmp": "replaced" });
        renameSync(join(folder, "x/.tmp"), join(folder, "x/b.yaml"));
      },
      "x/b.yaml",
    ],
    ["a file that is gone", () => unlinkSync(join(folder, "x/b.yaml")), "x/b.yaml"],
    ["a folder that is gone", () => rmSync(join(folder, "x"), { recursive: true }), "x/b.yaml"],
  ])("notices %s", async (_sentence, change, path) => {
    put({ "a.yaml": "1", "x/b.yaml": "2" });
    const store = openDiskStore({ directory: folder, pollMilliseconds: 60_000 });
    let notify: () => void = () => undefined;
    const next = (): Promise<void> => new Promise((resolve) => void (notify = resolve));
    const ready = next();
    store.watch(() => notify());
    try {
      await ready; // the watcher has looked round
      await store.read();
      let seen: readonly string[] = [];
      let noticed = next();
      change();
      while (!seen.includes(path)) {
        await noticed;
        noticed = next();
        const { changed, removed } = await store.read();
        seen = [...changed.map((source) => source.path), ...removed];
      }
      expect(seen).toContain(path);
    } finally {
      await store.close();
    }
  });

  test("compares everything from time to time, because no watcher sees all", async () => {
    put({ "a.yaml": "1" });
    const store = openDiskStore({ directory: folder, pollMilliseconds: 20 });
    let calls = 0;
    await new Promise<void>((resolve) =>
      store.watch(() => {
        if (++calls === 3) resolve(); // the first is the look round, the others can only be the clock's
      }),
    );
    chmodSync(join(folder, "a.yaml"), 0o600); // changes no text: no event, but another stamp
    expect(names(await store.read())).toEqual(["a.yaml"]);
    await store.close();
  });
});
