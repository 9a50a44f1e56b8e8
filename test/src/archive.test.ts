/** Policies in an archive: what is taken out of it, what is refused, and that it is followed when it is replaced. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32, gzipSync } from "node:zlib";
import { create, Header } from "tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { Outcome } from "../../src/compile/outcome.ts";
import { openArchiveStore } from "../../src/store/archive.ts";
import { archiveLimits, type ArchiveLimits } from "../../src/store/archive-names.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import type { Changes } from "../../src/store/store.ts";
import { eventually } from "../server/harness.ts";
import { zipOf, type ZipPart } from "./zip.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "authz-archive-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const files = { "a.yaml": "1", "x/b.yml": "2", "a_test.yaml": "3", ".h/c.yaml": "4", "read.me": "5", "_schemas/s.json": "{}" };
const taken = { policies: ["a.yaml=1", "x/b.yml=2"], schemas: ["s.json={}"], unreadable: [] };
const told = ({ changed, changedSchemas, unreadable }: Changes): unknown => ({
  policies: changed.map(({ path, text }) => `${path}=${text}`).sort(),
  schemas: changedSchemas.map(({ path, text }) => `${path}=${text}`),
  unreadable,
});
const at = (name: string): string => join(folder, name);
const read = (name: string): Promise<Changes> => openDiskStore({ directory: at(name) }).read();

/** Packs files with the tar of everybody. */
async function packTar(name: string, gzip: boolean, texts: { readonly [path: string]: string } = files, portable = true): Promise<void> {
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, "in", path)), { recursive: true });
    writeFileSync(join(folder, "in", path), text);
  }
  await create({ file: at(name), cwd: join(folder, "in"), gzip, portable }, ["."]);
}
const packZip = (name: string, parts: readonly ZipPart[]): void => writeFileSync(at(name), zipOf(parts));
const parts = (texts: { readonly [path: string]: string }): readonly ZipPart[] =>
  Object.entries(texts).map(([path, text]) => ({ name: path, text }));

/** A tar archive of entries as they are written here, sense or not. */
function tarOf(
  entries: readonly {
    readonly name: string;
    readonly text?: string;
    readonly type?: "File" | "OldFile" | "ContiguousFile" | "SymbolicLink" | "Link" | "CharacterDevice" | "Directory" | "GNUDumpDir";
  }[],
): Buffer {
  const blocks = entries.flatMap(({ name, text = "", type }) => {
    const body = Buffer.from(text);
    const header = new Header({
      path: name,
      size: body.length,
      type: type ?? "File",
      mode: 0o644,
      mtime: new Date(0),
      ...(type?.endsWith("Link") === true && { linkpath: "/etc/passwd" }),
    });
    const block = Buffer.alloc(512);
    header.encode(block);
    return [block, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

describe("policies and schemas are taken out of", () => {
  test.each([
    ["a zip", "p.zip", async () => packZip("p.zip", parts(files))],
    [
      "a zip that is not compressed",
      "p.zip",
      async () =>
        packZip(
          "p.zip",
          parts(files).map((part) => ({ ...part, stored: true })),
        ),
    ],
    ["a tar", "p.tar", () => packTar("p.tar", false)],
    ["a tar.gz", "p.tar.gz", () => packTar("p.tar.gz", true)],
    ["a tgz, with names of any length", "p.tgz", () => packTar("p.tgz", true, { ...files, [`${"d/".repeat(150)}read.me`]: "6" }, false)],
    [
      "what a link leads to",
      "l.zip",
      async () => {
        packZip("p.zip", parts(files));
        symlinkSync("p.zip", at("l.zip"));
      },
    ],
    [
      "an archive beside links and devices that concern nobody",
      "p.tar",
      async () =>
        writeFileSync(
          at("p.tar"),
          tarOf([
            ...Object.entries(files).map(([name, text]) => ({ name: `./${name}`, text })),
            { name: "link", type: "SymbolicLink" },
            { name: "tty", type: "CharacterDevice" },
          ]),
        ),
    ],
    [
      "an archive with a label",
      "p.tar",
      async () =>
        writeFileSync(
          at("p.tar"),
          ofKind("V", tarOf([{ name: "Backup" }, ...Object.entries(files).map(([name, text]) => ({ name, text }))])),
        ),
    ],
    [
      "a tar with entries of old kinds",
      "p.tar",
      async () => {
        const kinds = ["OldFile", "ContiguousFile", "File"] as const;
        const entries = Object.entries(files).map(([name, text], index) => ({ name, text, type: kinds[index % 3] ?? "File" }));
        writeFileSync(at("p.tar"), tarOf([{ name: "x/", type: "GNUDumpDir" }, { name: "_schemas/", type: "Directory" }, ...entries]));
      },
    ],
    [
      "a zip that names a folder twice",
      "p.zip",
      async () => packZip("p.zip", [{ name: "x/", text: "" }, { name: "x/", text: "" }, ...parts(files)]),
    ],
    [
      "a tar that names a folder twice",
      "p.tar",
      async () => {
        const x = { name: "x/", type: "Directory" } as const;
        writeFileSync(at("p.tar"), tarOf([x, x, ...Object.entries(files).map(([name, text]) => ({ name, text }))]));
      },
    ],
    [
      "a folder that is only called like an archive",
      "p.zip",
      async () => {
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(join(folder, "p.zip", path)), { recursive: true });
          writeFileSync(join(folder, "p.zip", path), text);
        }
      },
    ],
  ])("%s", async (_sentence, name, pack) => {
    await pack();
    expect(told(await read(name))).toEqual(taken);
  });

  test.each([
    ["zip", () => packZip("p.zip", [])],
    ["tar", () => writeFileSync(at("p.tar"), tarOf([]))],
  ])("an empty %s, which is the empty set", async (kind, pack) => {
    pack();
    expect(told(await read(`p.${kind}`))).toEqual({ policies: [], schemas: [], unreadable: [] });
  });

  test.each<["zip" | "tar" | "tar.gz", (entries: readonly { readonly name: string; readonly text: string }[]) => Buffer]>([
    ["zip", zipOf],
    ["tar", tarOf],
    ["tar.gz", (entries) => gzipSync(tarOf(entries))],
  ])("a %s that is as large as it may be, and no larger", async (kind, pack) => {
    const entries = Array.from({ length: 10 }, (_, index) => ({ name: `${index}.yaml`, text: "x".repeat(100) }));
    const bytes = pack(entries);
    writeFileSync(at("p"), bytes);
    const most = { archive: bytes.length, entries: 10, unpacked: 1000 };
    const reading = (limits: ArchiveLimits): Promise<Changes> => openArchiveStore({ file: at("p"), kind, limits }).read();
    expect((await reading(most)).changed).toHaveLength(10);
    await expect(reading({ ...most, archive: bytes.length - 1 })).rejects.toThrow("is larger than");
    await expect(reading({ ...most, entries: 9 })).rejects.toThrow(/holds (10 entries|more than 9)/);
    await expect(reading({ ...most, unpacked: 999 })).rejects.toThrow("unpacks to more than 999 bytes");
  });

  test.each([
    ["a tar", "p.tar", () => tarOf([{ name: "x/_schemas/s.json", text: "{}" }])],
    ["a tar, and empty", "p.tar", () => tarOf([{ name: "x/_schemas/", type: "Directory" }])],
    ["a zip, and empty", "p.zip", () => zipOf([{ name: "x/_schemas/", text: "" }])],
  ])("%s: a folder of schemas that is not at the root is named", async (_sentence, name, pack) => {
    writeFileSync(at(name), pack());
    expect((await read(name)).unreadable).toEqual([{ path: "x/_schemas", message: expect.any(String) }]);
  });

  test("but a text that is not UTF-8 is named, and a folder of schemas that is not at the root", async () => {
    packZip("p.zip", [
      { name: "a.yaml", text: Buffer.from([0x61, 0xff]) },
      { name: "x/_schemas/s.json", text: "{}" },
    ]);
    const store = openArchiveStore({ file: at("p.zip"), kind: "zip" });
    const unreadable = [
      { path: "x/_schemas", message: expect.any(String) },
      { path: "a.yaml", message: "the file is not UTF-8 text" },
    ];
    expect((await store.read()).unreadable).toEqual(unreadable);
    // Also when it has not changed for so long that it is not read again: else the set would be taken for sound.
    for (let time = 0; time < 2; time++) {
      await new Promise((resolve) => setTimeout(resolve, 2200));
      expect((await store.read()).unreadable).toEqual(unreadable);
    }
  });
});

describe("refused is", () => {
  const bomb = Buffer.alloc(3_000_000, " ");
  test.each<[string, string, () => Buffer, RegExp]>([
    ["a file that is not there", "none.zip", () => Buffer.alloc(0), /does not exist/],
    ["an empty file", "p.zip", () => Buffer.alloc(0), /is empty/],
    ["an empty file that should be a tar", "p.tar", () => Buffer.alloc(0), /is empty/],
    ["something else", "p.zip", () => Buffer.from("hello"), /cannot be read as a zip archive/],
    ["something else that should be a tar", "p.tar", () => Buffer.alloc(4096, "x"), /cannot be read as a tar archive/],
    [
      "something else that should be compressed",
      "p.tgz",
      () => tarOf([{ name: "a.yaml", text: "1" }]),
      /cannot be read as a compressed tar archive: incorrect header check/,
    ],
    ["a compressed tar that says it is not", "p.tar", () => gzipSync(tarOf([{ name: "a.yaml", text: "1" }])), /does not begin as one/],
    [
      "a tar compressed by zstd",
      "p.tar",
      () => Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd), Buffer.alloc(2048)]),
      /does not begin as one/,
    ],
    [
      "a compressed tar that ends as one that is not",
      "p.tar",
      () => Buffer.concat([gzipSync(tarOf([{ name: "a.yaml", text: "1" }])), Buffer.alloc(2048)]),
      /does not begin as one/,
    ],
    [
      "a tar that is damaged in the head of a file",
      "p.tar",
      () => {
        const damaged = tarOf(["a", "b", "c"].map((name) => ({ name: `${name}.yaml`, text: "1" })));
        return damaged.fill("7", 1024 + 100, 1024 + 104); // the second one's mode, and not the sum of its head
      },
      /cannot be read as a tar archive/,
    ],
    ["a zip that was cut off", "p.zip", () => zipOf(parts(files)).subarray(0, 200), /cannot be read as a zip archive/],
    [
      "a tar that was cut off in a file",
      "p.tar",
      () => tarOf([{ name: "a.yaml", text: "x".repeat(5000) }]).subarray(0, 2048),
      /cannot be read as a tar archive/,
    ],
    [
      "a tar that was cut off between files",
      "p.tar",
      () =>
        tarOf([
          { name: "a.yaml", text: "x" },
          { name: "b.yaml", text: "y" },
        ]).subarray(0, 1024),
      /its end is missing/,
    ],
    [
      "a compressed tar that was cut off",
      "p.tgz",
      () => gzipSync(tarOf([{ name: "a.yaml", text: "1" }])).subarray(0, 40),
      /unexpected end of file/,
    ],
    ["a flipped bit", "p.zip", () => zipOf([{ name: "a.yaml", text: "1", stored: true, crc: crc32("2") }]), /is damaged: `a.yaml`/],
    [
      "a size that is a lie",
      "p.zip",
      () => zipOf([{ name: "a.yaml", text: "1".repeat(1000), size: 10 }]),
      /cannot be read as a zip archive/,
    ],
    ["a name that leads out", "p.zip", () => zipOf(parts({ "../a.yaml": "1" })), /invalid relative path/],
    [
      "a name that leads out of a tar",
      "p.tar",
      () => tarOf([{ name: "x/../../a.yaml", text: "1" }]),
      /holds `x\/\.\.\/\.\.\/a\.yaml`, a name that leads out/,
    ],
    ["a name that is absolute", "p.zip", () => zipOf(parts({ "/a.yaml": "1" })), /absolute path/],
    ["a name that is absolute in a tar", "p.tar", () => tarOf([{ name: "/a.yaml", text: "1" }]), /a name that is absolute/],
    ["a name on a drive in a tar", "p.tar", () => tarOf([{ name: "c:a.yaml", text: "1" }]), /a name that is absolute/],
    ["a name on a drive in capitals in a tar", "p.tar", () => tarOf([{ name: "C:a.yaml", text: "1" }]), /a name that is absolute/],
    ["a name with a NUL", "p.zip", () => zipOf(parts({ "a\0.yaml": "1" })), /a name with a NUL character/],
    ["a name of another system", "p.zip", () => zipOf(parts({ "x\\a.yaml": "1" })), /invalid characters/],
    ["a name of another system in a tar", "p.tar", () => tarOf([{ name: "x\\a.yaml", text: "1" }]), /with a backslash/],
    ["a name that is not UTF-8", "p.tar", () => Buffer.from(tarOf([{ name: "ab.yaml", text: "1" }])), /^$/],
    [
      "a name that is longer than any path",
      "p.zip",
      () => zipOf(parts({ [`${"a/".repeat(2046)}a.yaml`]: "1" })),
      /holds `(?:a\/){100}`, a name of more than 4096 bytes/,
    ],
    [
      "a name that is longer than any path in a tar",
      "p.tar",
      () =>
        ofKind(
          "L",
          tarOf([
            { name: "long", text: `${"ä/".repeat(1364)}a.yaml\0` },
            { name: "a.yaml", text: "1" },
          ]),
        ),
      /a name of more than 4096 bytes/,
    ],
    ["two files of one name", "p.zip", () => zipOf([...parts({ "a.yaml": "1" }), ...parts({ "a.yaml": "2" })]), /holds `a\.yaml` twice/],
    [
      "two spellings of one name",
      "p.tar",
      () =>
        tarOf([
          { name: "a.yaml", text: "1" },
          { name: "./a.yaml", text: "2" },
        ]),
      /holds `a\.yaml` twice/,
    ],
    ...(["p.zip", "p.tar"] as const).map((name): [string, string, () => Buffer, RegExp] => {
      const both = [
        { name: "x/a.yaml", text: "1" },
        { name: "x//a.yaml", text: "2" },
      ];
      return [
        `one name with one slash and with two: ${name}`,
        name,
        () => (name === "p.zip" ? zipOf(both) : tarOf(both)),
        /holds `x\/a\.yaml` twice/,
      ];
    }),
    [
      "a link that is called like a policy",
      "p.zip",
      () => zipOf([{ name: "a.yaml", text: "/etc/passwd", mode: 0o120777 }]),
      /holds `a\.yaml`, which is a link/,
    ],
    ...(
      [
        ["a folder", 0o040755],
        ["a device", 0o060644],
        ["a device", 0o020644],
        ["a pipe", 0o010644],
        ["a socket", 0o140644],
      ] as const
    ).map(([what, mode]): [string, string, () => Buffer, RegExp] => [
      `${what} that is called like a policy, of mode ${mode.toString(8)}`,
      "p.zip",
      () => zipOf([{ name: "a.yaml", text: "1", mode }]),
      new RegExp(`holds \`a\\.yaml\`, which is ${what} and no file`),
    ]),
    [
      "a link that is called like a policy in a tar",
      "p.tar",
      () => tarOf([{ name: "a.yaml", type: "SymbolicLink" }]),
      /holds `a\.yaml`, which is a link/,
    ],
    ["a second name of a file", "p.tar", () => tarOf([{ name: "a.yaml", type: "Link" }]), /holds `a\.yaml`, which is a link/],
    [
      "a device that is called like a policy",
      "p.tar",
      () => tarOf([{ name: "a.yaml", type: "CharacterDevice" }]),
      /which is of the kind CharacterDevice/,
    ],
    [
      "a policy kept as a sparse file",
      "p.tar",
      () => ofKind("S", tarOf([{ name: "a.yaml", text: "1" }])),
      /which is of the kind SparseFile/,
    ],
    [
      "a policy of a kind that nobody knows",
      "p.tar",
      () => ofKind("Z", tarOf([{ name: "a.yaml", text: "1" }])),
      /which is of the kind Unsupported/,
    ],
    [
      "a schema of a kind that nobody knows, compressed",
      "p.tgz",
      () => gzipSync(ofKind("Z", tarOf([{ name: "_schemas/s.json", text: "{}" }]))),
      /holds `_schemas\/s\.json`, which is of the kind Unsupported/,
    ],
    [
      "a header too large to be read, which may name the next file",
      "p.tar",
      () =>
        ofKind(
          "L",
          tarOf([
            { name: "long", text: `x.yaml${"\0".repeat(2 ** 20)}` },
            { name: "a.yaml", text: "1" },
          ]),
        ),
      /holds a header that is too large/,
    ],
    ["an encrypted policy", "p.zip", () => zipOf([{ name: "a.yaml", text: "1", encrypted: true }]), /holds `a\.yaml` encrypted/],
    [
      "a policy that is compressed in an unknown way",
      "p.zip",
      () => zipOf([{ name: "a.yaml", text: "1", method: 12 }]),
      /in a way that is not known \(method 12\)/,
    ],
    ["a zip that unpacks to too much", "p.zip", () => zipOf([{ name: "a.yaml", text: bomb }]), /unpacks to more than 1000000 bytes/],
    [
      "a tar that unpacks to too much",
      "p.tgz",
      () => gzipSync(tarOf([{ name: "read.me", text: bomb.toString() }])),
      /unpacks to more than 1000000 bytes/,
    ],
    ...(["p.zip", "p.tar"] as const).map((name): [string, string, () => Buffer, RegExp] => {
      const both = ["a.yaml", "b.yaml"].map((each) => ({ name: each, text: bomb.toString("utf8", 0, 600_000) }));
      return [
        `what unpacks to too much together: ${name}`,
        name,
        () => (name === "p.zip" ? zipOf(both) : tarOf(both)),
        /unpacks to more than 1000000/,
      ];
    }),
    [
      "a zip of too many entries",
      "p.zip",
      () => zipOf(Array.from({ length: 101 }, (_, n) => ({ name: `${n}`, text: "" }))),
      /holds 101 entries/,
    ],
    [
      "a tar of too many entries",
      "p.tar",
      () => tarOf(Array.from({ length: 101 }, (_, n) => ({ name: `${n}` }))),
      /holds more than 100 entries/,
    ],
    [
      "an archive that is itself too large",
      "p.tar",
      () => tarOf([{ name: "read.me", text: "x".repeat(2_000_000) }]),
      /is larger than 1500000 bytes/,
    ],
  ])("%s", async (sentence, name, bytes, why) => {
    const limits = { archive: 1_500_000, entries: 100, unpacked: 1_000_000 };
    let content = bytes();
    let wanted = why;
    if (sentence === "a name that is not UTF-8") {
      content[1] = 0xff;
      content = withSum(content);
      wanted = /a name that is not UTF-8/;
    }
    if (name !== "none.zip") writeFileSync(at(name), content);
    const kind = name.endsWith(".zip") ? "zip" : name.endsWith(".tgz") ? "tar.gz" : "tar";
    // What is large and was not refused would take minutes to print.
    const reading = async (setting?: string): Promise<string> => {
      await openArchiveStore({ file: at(name), kind, limits, ...(setting !== undefined && { setting }) }).read();
      return "not refused";
    };
    await expect(reading()).rejects.toThrow(wanted);
    await expect(reading()).rejects.not.toThrow("storage.disk.directory");
    await expect(reading("storage.disk.directory")).rejects.toThrow(/ \(setting storage\.disk\.directory\)$/);
    expect(limits.unpacked).toBeLessThan(archiveLimits.unpacked);
  });

  test("any write", async () => {
    packZip("p.zip", parts(files));
    expect(openDiskStore({ directory: at("p.zip") }).readOnly).toContain("archive");
  });
});

/** Makes the first entry of a tar archive one of another kind. */
function ofKind(kind: string, tar: Buffer): Buffer {
  tar.write(kind, 156, "latin1");
  return withSum(tar);
}

/** Mends the sum of the first header of a tar archive. */
function withSum(tar: Buffer): Buffer {
  tar.fill(" ", 148, 156);
  const sum = tar.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return tar;
}

test("an archive is read again when it is another one, and what differs is told", async () => {
  packZip("p.zip", parts(files));
  const store = openDiskStore({ directory: at("p.zip") });
  await store.read();
  expect(await store.read()).toMatchObject({ changed: [], removed: [] });
  packZip("n.zip", parts({ "a.yaml": "1", "c.yaml": "3", "_schemas/t.json": "[]" }));
  renameSync(at("n.zip"), at("p.zip"));
  expect(await store.read()).toMatchObject({
    changed: [{ path: "c.yaml", text: "3", attributes: { driver: "disk", source: "c.yaml" } }],
    removed: ["x/b.yml"],
    changedSchemas: [{ path: "t.json", text: "[]" }],
    removedSchemas: ["s.json"],
  });
});

test("an archive that is overwritten by one of the same size is read again", async () => {
  const store = openDiskStore({ directory: at("p.zip") });
  const overwrite = (text: string): void => packZip("p.zip", [{ name: "a.yaml", text, stored: true }]);
  // So often that, before Linux 6.13, some of it happens within the resolution of a time stamp.
  for (let turn = 100; turn < 300; turn++) {
    overwrite(`${turn}`);
    expect((await store.read()).changed).toMatchObject([{ path: "a.yaml", text: `${turn}` }]);
  }
  // Also when it is no longer young, and its time is set back.
  utimesSync(at("p.zip"), 0, 0);
  await eventually(
    () => Date.now() - statSync(at("p.zip")).ctimeMs,
    (age) => age > 2200,
  );
  expect((await store.read()).changed).toEqual([]);
  overwrite("new");
  utimesSync(at("p.zip"), 0, 0);
  expect((await store.read()).changed).toMatchObject([{ path: "a.yaml", text: "new" }]);
});

test.each<[sentence: string, make: () => void, refusal: string | undefined]>([
  ["was just written, because it may be overwritten without a visible difference", () => packZip("p.zip", parts(files)), undefined],
  [
    "the system did not let us read, because that may pass without another time stamp",
    () => mkdirSync(at("p.zip")),
    "cannot be read (EISDIR)",
  ],
])("an archive is asked for again that %s", async (_sentence, make, refusal) => {
  make();
  const store = openArchiveStore({ file: at("p.zip"), kind: "zip", pollMilliseconds: 10 });
  if (refusal === undefined) await store.read();
  else await expect(store.read()).rejects.toThrow(refusal);
  let times = 0;
  store.watch(() => void times++);
  await eventually(
    () => times,
    (now) => now > 2,
  );
  await store.close();
});

test("an archive is followed: replaced, damaged, gone and back", async () => {
  const policy = (name: string): string =>
    `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: ${name}\n  definitions: [{ name: owner, parentRoles: [user] }]\n`;
  const outcomes: Outcome[] = [];
  const sets = (): readonly number[] =>
    outcomes.flatMap((outcome) => (outcome.kind === "set" || outcome.kind === "change" ? [outcome.policies] : []));
  const until = (wanted: readonly number[]): Promise<unknown> => eventually(sets, (now) => now.join() === wanted.join());
  packZip("p.zip", parts({ "a.yaml": policy("a") }));
  const store = openArchiveStore({ file: at("p.zip"), kind: "zip", pollMilliseconds: 10 });
  const loop = followStore({ store, watch: true, post: (outcome) => void outcomes.push(outcome), quietMilliseconds: 5 });
  await until([1]);
  packZip("n.zip", parts({ "a.yaml": policy("a"), "b.yaml": policy("b") }));
  renameSync(at("n.zip"), at("p.zip"));
  await until([1, 2]);
  const good = readFileSync(at("p.zip"));
  writeFileSync(at("p.zip"), good.subarray(0, 100));
  await eventually(
    () => outcomes.at(-1)?.kind,
    (kind) => kind === "unreachable",
  );
  rmSync(at("p.zip"));
  await eventually(
    () => JSON.stringify(outcomes.at(-1)),
    (text) => text.includes("does not exist"),
  );
  writeFileSync(at("p.zip"), good);
  await eventually(
    () => outcomes.at(-1)?.kind,
    (kind) => kind === "change",
  );
  expect(sets().at(-1)).toBe(2);
  await loop.close();
});

test("`authz compile` takes an archive, and says that tests in it are not looked for", () => {
  packZip(
    "p.zip",
    parts({ "a.yaml": "apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: x\n  definitions: [{ name: owner, parentRoles: [user] }]\n" }),
  );
  const printed = execFileSync(process.execPath, [join(import.meta.dirname, "../../dist/main.js"), "compile", at("p.zip")], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  expect(printed).toContain("1 policy file, no errors");
});
