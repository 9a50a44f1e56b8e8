/** The disk store, changed: what only files can do wrong. */
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { isPolicyPath } from "../../compiler/policy/paths.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { policyFileName, unsafeSchemaId } from "../../src/store/safe-names.ts";
import { emptyBatch, type Batch, type Store } from "../../src/store/store.ts";
import { writeFiles } from "../../src/store/write-files.ts";
import { openFilesIn } from "./open-files.ts";

let folder: string;
let outside: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-disk-"));
  outside = mkdtempSync(join(tmpdir(), "authz-outside-"));
});
afterEach(() => {
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true });
});

const opened = async (): Promise<Store> => {
  const store = openDiskStore({ directory: folder });
  await store.read();
  return store;
};
const schema = (path: string, text = "{}"): Batch => ({ ...emptyBatch, putSchemas: [{ path, text }] });
const policy = (...files: readonly (readonly [path: string, text: string])[]): Batch => ({
  ...emptyBatch,
  putPolicies: files.map(([path, text]) => ({ path, text, isDisabled: false })),
});
const at = 0;

describe("a policy's file is called", () => {
  test.each([
    ["resource.album.vdefault", 0, "resource.album.vdefault.yaml"],
    ["resource.album.vdefault", 2, "resource.album.vdefault-3.yaml"],
    ["resource.album.vdefault/acme.hr", 0, "resource.album.vdefault_acme.hr.yaml"],
    ["principal.ann@example.com.vdefault", 0, "principal.ann_example.com.vdefault.yaml"],
    ["resource.größe.vdefault", 0, "resource.größe.vdefault.yaml"],
    ["resource../../etc/passwd.vdefault", 0, "resource.._.._etc_passwd.vdefault.yaml"],
    ["resource.a\0b\n\\c.vdefault", 0, "resource.a_b_c.vdefault.yaml"],
    ["derived_roles.apple_test", 0, "derived_roles.apple_test.policy.yaml"],
    ["resource.x.v1/my_TEST", 0, "resource.x.v1_my_TEST.policy.yaml"],
  ])("%j, attempt %d: %s", (key, attempt, name) => {
    expect(policyFileName(key, attempt)).toBe(name);
    expect(isPolicyPath(name)).toBe(true);
  });

  test("something short enough, and its own, however long the key is", () => {
    const [one, other] = [policyFileName(`resource.${"ü".repeat(500)}.v1`, 0), policyFileName(`resource.${"ü".repeat(500)}.v2`, 0)];
    expect(Buffer.byteLength(one)).toBeLessThan(200);
    expect(one).not.toBe(other);
    expect(isPolicyPath(one)).toBe(true);
  });
});

describe("an id of a schema that no store takes", () => {
  test.each([
    "/a.json",
    "../a.json",
    "a/../b.json",
    "a/..",
    "..",
    "a//b.json",
    "a/",
    "",
    "./a.json",
    "a\\b.json",
    "a\0.json",
    "\ud800.json",
  ])("%j", (id) => expect(unsafeSchemaId(id)).toBeTruthy());
  test.each(["a.json", "a/b/c.json", "...json", "a..b.json", "__proto__", " ", "%2e%2e/a.json", "ä.json"])("but %j is fine", (id) =>
    expect(unsafeSchemaId(id)).toBeUndefined(),
  );
});

test.each([
  ["noext", "must end in .json: schemas are files here"],
  [".hidden.json", "must not have a segment that begins with a dot"],
  ["a/.b/c.json", "must not have a segment that begins with a dot"],
  [`${"ü".repeat(200)}.json`, "must not have a segment of more than 255 bytes: schemas are files here"],
  [`${"ü".repeat(128)}/a.json`, "must not have a segment of more than 255 bytes: schemas are files here"],
])("an id that only a folder cannot keep is refused: %s", async (id, why) => {
  expect((await opened()).schemaIdProblem(id)).toBe(why);
});

describe("does not write", () => {
  test("through a link to a folder, wherever it leads", async () => {
    mkdirSync(join(folder, "_schemas"));
    symlinkSync(outside, join(folder, "_schemas", "link"));
    const store = await opened();
    await expect(store.write(schema("link/x.json"), at)).rejects.toThrow("links to folders are not followed");
    writeFileSync(join(outside, "there.json"), "{}");
    await expect(store.write(schema("link/there.json"), at)).rejects.toThrow("links to folders are not followed");
    await expect(store.write(schema("link/deep/x.json"), at)).rejects.toThrow("links to folders are not followed");
    expect(readdirSync(outside)).toEqual(["there.json"]);
  });

  test("when the folder of schemas is itself a link", async () => {
    symlinkSync(outside, join(folder, "_schemas"));
    await expect((await opened()).write(schema("x.json"), at)).rejects.toThrow("links to folders are not followed");
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each([
    ["writes", { path: "_schemas/x.json", text: "{}" }],
    ["writes deeper", { path: "_schemas/deep/x.json", text: "{}" }],
    ["replaces", { path: "_schemas/there.json", text: "{}" }],
    ["removes", { path: "_schemas/there.json" }],
  ] as const)("through a link to a folder that was made after the store looked for links: nobody %s", async (_what, change) => {
    writeFileSync(join(outside, "there.json"), "theirs");
    symlinkSync(outside, join(folder, "_schemas"));
    await expect(writeFiles(folder, [{ path: "a.yaml", text: "new" }, change])).rejects.toThrow("links to folders are not followed");
    expect([readdirSync(outside), readFileSync(join(outside, "there.json"), "utf8")]).toEqual([["there.json"], "theirs"]);
    expect(readdirSync(folder)).toEqual(["_schemas"]);
  });

  test("into what a link to a file leads to: the link is replaced", async () => {
    writeFileSync(join(outside, "secret.json"), "theirs");
    mkdirSync(join(folder, "_schemas"));
    symlinkSync(join(outside, "secret.json"), join(folder, "_schemas", "x.json"));
    expect(await (await opened()).write(schema("x.json", "ours"), at)).toBe("written");
    expect(readFileSync(join(outside, "secret.json"), "utf8")).toBe("theirs");
    expect(readFileSync(join(folder, "_schemas", "x.json"), "utf8")).toBe("ours");
  });

  test("half of a batch: what came before a file that cannot be written has its old text again", async () => {
    writeFileSync(join(folder, "a.yaml"), "old");
    mkdirSync(join(folder, "c.yaml"));
    const store = await opened();
    await expect(store.write(policy(["a.yaml", "new"], ["b.yaml", "new"], ["c.yaml", "new"]), at)).rejects.toThrow(
      "the file `c.yaml` cannot be written: a folder of that name is there (EISDIR)",
    );
    expect(readFileSync(join(folder, "a.yaml"), "utf8")).toBe("old");
    expect(readdirSync(folder).sort()).toEqual(["a.yaml", "c.yaml"]);
  });

  test("half of a batch whose last file turns out to be impossible when the others are in place", async () => {
    for (const [name, mode] of [
      ["a.yaml", 0o640],
      ["gone.yaml", 0o600],
    ] as const) {
      writeFileSync(join(folder, name), "old");
      chmodSync(join(folder, name), mode);
    }
    writeFileSync(join(outside, "linked"), "old");
    symlinkSync(join(outside, "linked"), join(folder, "link.yaml"));
    const last = join(folder, "last", "c.yaml");
    const writing = writeFiles(folder, [
      { path: "a.yaml", text: "new" },
      { path: "b.yaml", text: "new" },
      { path: "gone.yaml" },
      { path: "link.yaml", text: "new" },
      { path: "last/c.yaml", text: "x".repeat(2 ** 24) },
    ]).catch((error: unknown) => error);
    while (!existsSync(dirname(last)) || readdirSync(dirname(last)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    mkdirSync(last); // by somebody else, while it is written
    expect(String(await writing)).toContain("the file `last/c.yaml` cannot be written: a folder of that name is there (EISDIR)");
    const names = ["a.yaml", "gone.yaml", "link.yaml"];
    for (const name of names) expect(readFileSync(join(folder, name), "utf8")).toBe("old");
    expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()).toEqual([...names, "last", "last/c.yaml"].sort());
    // So is what kind of file it was, and who may read it.
    expect(names.map((name) => lstatSync(join(folder, name)).mode.toString(8))).toEqual(["100640", "100600", "120777"]);
  });

  test("over a file that somebody else puts where a new one goes", async () => {
    const writing = writeFiles(folder, [{ path: "a.yaml", text: "x".repeat(2 ** 24) }]).catch((error: unknown) => error);
    while (readdirSync(folder).length === 0) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, "a.yaml"), "theirs");
    expect(String(await writing)).toContain("the file `a.yaml` cannot be written: another is there since");
    expect(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")])).toEqual([["a.yaml", "theirs"]]);
  });

  test("over a file whose name the file system takes for the same", async () => {
    mkdirSync(join(folder, "_schemas"));
    writeFileSync(join(folder, "_schemas/user.json"), "{}");
    const store = await opened();
    // As where case is ignored: one file, by two names.
    linkSync(join(folder, "_schemas/user.json"), join(folder, "_schemas/User.json"));
    await expect(store.write(schema("User.json", "[]"), at)).rejects.toThrow(
      "the file `_schemas/User.json` cannot be written: the file system takes its name for that of `_schemas/user.json`, which is there",
    );
    expect(readFileSync(join(folder, "_schemas/user.json"), "utf8")).toBe("{}");
  });

  test.each(["x.json/y.json", "x.json/deep/y.json", "x.json/deep/er/y.json"])("below a file: %s", async (id) => {
    mkdirSync(join(folder, "_schemas"));
    writeFileSync(join(folder, "_schemas", "x.json"), "{}");
    await expect((await opened()).write(schema(id), at)).rejects.toThrow(
      `the file \`_schemas/${id}\` cannot be written: a file stands where its folder would have to be`,
    );
  });
});

describe("a folder that cannot be synced", () => {
  // No file system that refuses is at hand: the system's answer is put in its place.
  const refusing = async (code: string): Promise<void> => {
    const handle = await openFile(folder, "r");
    const kind = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const refused = Object.assign(new Error(`${code}: fsync`), { code });
    vi.spyOn(kind, "sync").mockImplementation(async function (this: FileHandle) {
      return (await this.stat()).isDirectory() ? Promise.reject(refused) : this.datasync();
    });
  };
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    ["EINVAL", "x"],
    ["ENOTSUP", "x"],
    ["ENOSYS", "x"],
    ["EPERM", "x"],
    ["EIO", "before"],
  ])("because of %s: the file is %j afterwards", async (code, text) => {
    const file = join(folder, "a.yaml");
    writeFileSync(file, "before");
    const store = await opened();
    await refusing(code);
    const written = await store.write(policy(["a.yaml", "x"]), at).catch(String);
    expect(written).toBe(text === "x" ? "written" : "Refusal: the file `a.yaml` cannot be written: EIO");
    expect(readFileSync(file, "utf8")).toBe(text);
  });
});

test("a name that is too long for a file is refused in words", async () => {
  await expect((await opened()).write(schema(`${"ü".repeat(200)}.json`), at)).rejects.toThrow("its name is too long (ENAMETOOLONG)");
});

test("what a crash leaves between writing and renaming is neither a policy nor in the way of the next write", async () => {
  writeFileSync(join(folder, "a.yaml"), "old");
  writeFileSync(join(folder, ".authz-0123456789abcdef.new"), "half of the ne");
  const store = openDiskStore({ directory: folder });
  expect((await store.read()).changed.map(({ path, text }) => [path, text])).toEqual([["a.yaml", "old"]]);
  expect(await store.write(policy(["a.yaml", "new"]), at)).toBe("written");
  expect(readFileSync(join(folder, "a.yaml"), "utf8")).toBe("new");
});

test("what a crash has left is removed by the next write, unless somebody may still be writing it, or it is somebody else's", async () => {
  mkdirSync(join(folder, "sub"));
  const left = ".authz-0123456789abcdef.new";
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const name of [left, `sub/${left}`, ".authz-mine.new", "authz-0123456789abcdef.new"]) {
    writeFileSync(join(folder, name), "half of the ne");
    utimesSync(join(folder, name), anHourAgo, anHourAgo);
  }
  writeFileSync(join(folder, ".authz-fedcba9876543210.new"), "another server's, just now");
  expect(await (await opened()).write(policy(["a.yaml", "new"], ["sub/b.yaml", "new"]), at)).toBe("written");
  expect(readdirSync(folder).sort()).toEqual([
    ".authz-fedcba9876543210.new",
    ".authz-mine.new",
    "a.yaml",
    "authz-0123456789abcdef.new",
    "sub",
  ]);
  expect(readdirSync(join(folder, "sub"))).toEqual(["b.yaml"]);
});

// The second is more than a new file would be given.
test.each([0o640, 0o666])("permissions of a file stay (%d), and nothing is left beside it, or open", async (mode) => {
  writeFileSync(join(folder, "a.yaml"), "old");
  chmodSync(join(folder, "a.yaml"), mode);
  await (await opened()).write(policy(["a.yaml", "new"]), at);
  expect(statSync(join(folder, "a.yaml")).mode & 0o777).toBe(mode);
  expect(readdirSync(folder)).toEqual(["a.yaml"]);
  expect(openFilesIn(folder)).toEqual([]);
});

test("whoever reads while it is written finds the old text or the new one", async () => {
  const [old, next] = ["o".repeat(300_000), "n".repeat(300_000)];
  writeFileSync(join(folder, "a.yaml"), old);
  const store = await opened();
  const writing = { goesOn: true };
  const found = new Set<string>();
  const reader = (async () => {
    while (writing.goesOn) {
      found.add(readFileSync(join(folder, "a.yaml"), "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let turn = 0; turn < 20; turn++) {
    await store.write(policy(["a.yaml", turn % 2 === 0 ? next : old]), at);
    await store.read(true);
  }
  writing.goesOn = false;
  await reader;
  expect([...found].every((text) => text === old || text === next)).toBe(true);
});

describe("what others do to a file just after it was written here is told", () => {
  const file = (): string => join(folder, "a.yaml");
  type Told = readonly [changed: readonly string[], removed: readonly string[]];
  test.each<[sentence: string, before: string | undefined, act: () => void, told: Told]>([
    ["nothing", "before", () => undefined, [["ours"], []]],
    ["they put back what it held before", "before", () => writeFileSync(file(), "before"), [["before"], []]],
    ["they change it", "before", () => writeFileSync(file(), "theirs"), [["theirs"], []]],
    ["they remove it", "before", () => rmSync(file()), [[], ["a.yaml"]]],
    ["they remove it, and it was new", undefined, () => rmSync(file()), [[], ["a.yaml"]]],
  ])("%s", async (_sentence, before, act, told) => {
    if (before !== undefined) writeFileSync(file(), before);
    const store = await opened();
    expect(await store.write(policy(["a.yaml", "ours"]), at)).toBe("written");
    act();
    const { changed, removed } = await store.read();
    expect([changed.map(({ text }) => text), removed]).toEqual(told);
  });
});

test("nothing of a batch is written when somebody else has changed one of its files", async () => {
  for (const name of ["a.yaml", "b.yaml"]) writeFileSync(join(folder, name), "old");
  const store = await opened();
  writeFileSync(join(folder, "b.yaml"), "theirs");
  expect(await store.write(policy(["a.yaml", "ours"], ["b.yaml", "ours"]), at)).toBe("stale");
  expect(["a.yaml", "b.yaml"].map((name) => readFileSync(join(folder, name), "utf8"))).toEqual(["old", "theirs"]);
});

test("a folder can be read-only by the settings", () => {
  expect(openDiskStore({ directory: folder, readOnly: true }).readOnly).toContain("storage.disk.readOnly");
  expect(existsSync(folder)).toBe(true);
});
