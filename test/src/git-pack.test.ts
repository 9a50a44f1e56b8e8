/** Packs that git itself makes are read, and nothing else is: deltas of both kinds, cut, flipped and forged ones; and the lines that git speaks in. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readLines } from "../../src/store/git/lines.ts";
import { entriesOf, idOf, type GitObject, type ObjectKind } from "../../src/store/git/object.ts";
import { readPack } from "../../src/store/git/pack.ts";
import { readChanges } from "../../src/store/git/read-changes.ts";
import { makeRepository, type Repository } from "../git/repository.ts";

let repository: Repository;
const texts = Array.from({ length: 30 }, (_, n) => `${"the same words again and again, ".repeat(200)}${n}\n${"x".repeat(n * 100)}`);
beforeAll(async () => {
  repository = await makeRepository();
  for (const text of texts) await repository.commit({ "a.yaml": text, "b/c.yaml": `short ${text.length}` });
});
afterAll(() => repository.remove());

const packOf = (...options: readonly string[]): Buffer =>
  execFileSync(
    "git",
    ["-c", "safe.directory=*", "-C", repository.path, "pack-objects", "--stdout", "--revs", "--no-reuse-delta", ...options],
    {
      input: "master\n",
      maxBuffer: 2 ** 28,
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
const signed = (body: Buffer): Buffer => Buffer.concat([body, createHash("sha1").update(body).digest()]);

test.each([
  ["without deltas", ["--window=0"]],
  ["with deltas by place", ["--delta-base-offset", "--window=50", "--depth=50"]],
  ["with deltas by id", ["--window=50", "--depth=50"]],
])("a pack %s gives every object back", async (_, options) => {
  const read = await readPack(packOf(...options));
  const ids = (await repository.git("rev-list", "--objects", "master")).split("\n").map((line) => line.slice(0, 40));
  expect(ids.length).toBeGreaterThan(100);
  for (const id of ids) {
    const object = await read(id);
    expect(object && idOf(object)).toBe(id);
  }
  const blobs = await Promise.all(ids.map(read));
  const contents = new Set(blobs.map((blob) => blob?.content.toString()));
  expect(texts.filter((text) => !contents.has(text))).toEqual([]);
  expect(await read("1".repeat(40))).toBeUndefined();
});

test("a pack that leans on what is here gives what is new, and nothing of what leans on what is not here", async () => {
  const [older, newer] = ["master~1", "master"];
  const thin = execFileSync(
    "git",
    ["-c", "safe.directory=*", "-C", repository.path, "pack-objects", "--stdout", "--revs", "--thin", "--no-reuse-delta"],
    {
      input: `${newer}\n^${older}\n`,
      stdio: ["pipe", "pipe", "ignore"],
    },
  );
  const [blob = "", base = ""] = (await repository.git("rev-parse", `${newer}:a.yaml`, `${older}:a.yaml`)).split("\n");
  expect(thin.includes(Buffer.from(base, "hex"))).toBe(true);
  const content = Buffer.from(texts.at(-2) ?? "");
  const here = async (id: string): Promise<GitObject | undefined> => (id === base ? { kind: "blob", content } : undefined);
  expect((await (await readPack(thin, here))(blob))?.content.toString()).toBe(texts.at(-1));
  expect(await (await readPack(thin, async () => undefined))(blob)).toBeUndefined();
  await expect(readPack(thin)).rejects.toThrow("a delta builds on an object that is not there");
});

test("a pack with any bit changed is refused", async () => {
  const pack = packOf("--delta-base-offset");
  for (let at = 0; at < pack.length; at += Math.ceil(pack.length / 300)) {
    const damaged = Buffer.from(pack);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    await expect(readPack(damaged)).rejects.toThrow("the pack is damaged");
  }
});

test("a pack that ends anywhere is refused, though its checksum is right", async () => {
  const pack = packOf("--delta-base-offset", "--window=50");
  const body = pack.subarray(0, -20);
  for (let length = 0; length < body.length; length += Math.ceil(body.length / 200))
    await expect(readPack(signed(body.subarray(0, length)))).rejects.toThrow("the pack is damaged");
});

test("a pack whose bits are changed and whose checksum is right gives nothing under a name that is not its own", async () => {
  const body = packOf("--delta-base-offset", "--window=50").subarray(0, -20);
  const ids = (await repository.git("rev-list", "--objects", "master")).split("\n").map((line) => line.slice(0, 40));
  let refused = 0;
  for (let at = 12; at < body.length; at += Math.ceil(body.length / 150)) {
    const damaged = Buffer.from(body);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
    try {
      const read = await readPack(signed(damaged));
      for (const id of ids) {
        const object = await read(id);
        if (object !== undefined) expect(idOf(object)).toBe(id);
      }
    } catch (error) {
      refused++;
      expect(String(error)).toMatch(/^Refusal: /);
    }
  }
  expect(refused).toBeGreaterThan(50);
});

describe("a forged pack", () => {
  const types: { readonly [kind: string]: number } = { commit: 1, tree: 2, blob: 3, tag: 4 };
  const size = (type: number, length: number): Buffer => {
    const bytes = [(type << 4) | (length & 15)];
    for (let rest = Math.floor(length / 16); rest > 0; rest = Math.floor(rest / 128)) {
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) | 128;
      bytes.push(rest & 127);
    }
    return Buffer.from(bytes);
  };
  const object = (kind: ObjectKind, content: string | Uint8Array, told = content.length): Buffer =>
    Buffer.concat([size(types[kind] ?? 0, told), deflateSync(content)]);
  const pack = (...objects: readonly Buffer[]): Buffer => {
    const head = Buffer.from("PACK\0\0\0\u0002\0\0\0\0", "latin1");
    head.writeUInt32BE(objects.length, 8);
    return signed(Buffer.concat([head, ...objects]));
  };
  const delta = (base: string, text: Buffer): Buffer => Buffer.concat([size(7, text.length), Buffer.from(base, "hex"), deflateSync(text)]);
  const abc = idOf({ kind: "blob", content: Buffer.from("abc") });

  test("that is none after all is read", async () => {
    const copyTwice = Buffer.of(3, 6, 0x90, 3, 0x90, 3);
    const read = await readPack(pack(delta(abc, copyTwice), object("blob", "abc"))); // the delta before what it builds on
    expect((await read(abc))?.content.toString()).toBe("abc");
    expect((await read(idOf({ kind: "blob", content: Buffer.from("abcabc") })))?.content.toString()).toBe("abcabc");
  });

  test("whose deltas all stand before what they build on is read, however many there are", async () => {
    const text = (n: number): Buffer => Buffer.from(String(n).padStart(6));
    const ids = Array.from({ length: 12_000 }, (_, n) => idOf({ kind: "blob", content: text(n) }));
    const deltas = ids.slice(1).map((_, n) => delta(ids[n] ?? "", Buffer.concat([Buffer.of(6, 6, 6), text(n + 1)])));
    const bytes = pack(...deltas.toReversed(), object("blob", text(0)));
    const began = performance.now();
    const read = await readPack(bytes);
    expect((await read(ids.at(-1) ?? ""))?.content).toEqual(text(ids.length - 1));
    expect(performance.now() - began).toBeLessThan(20_000); // it was minutes
  });

  /** A distance in its pack's own form: seven bits a byte, the highest first, and one more for each byte but the last. */
  const distance = (back: number): readonly number[] => {
    const bytes = [back % 128];
    for (let rest = Math.floor(back / 128); rest > 0; rest = Math.floor((rest - 1) / 128)) bytes.unshift(((rest - 1) % 128) | 128);
    return bytes;
  };

  test.each([1, 100, 127, 128, 16_511, 16_512, 20_000, 2_113_663, 2_113_664, 2_500_000])(
    "whose delta builds on an object that lies %d bytes and a little before it is read",
    async (between) => {
      const before = object("blob", "abc");
      const filler = Buffer.concat([size(3, between), deflateSync(Buffer.alloc(between), { level: 0 })]);
      const copyTwice = Buffer.of(3, 6, 0x90, 3, 0x90, 3);
      const back = before.length + filler.length;
      const byPlace = Buffer.concat([size(6, copyTwice.length), Buffer.from(distance(back)), deflateSync(copyTwice)]);
      const read = await readPack(pack(before, filler, byPlace));
      expect((await read(idOf({ kind: "blob", content: Buffer.from("abcabc") })))?.content.toString()).toBe("abcabc");
    },
  );

  test("whose objects build on each other makes no more bytes than it may, however small it is", async () => {
    const made = 1000 + (5 + 1000) + (5 + 1000);
    const first = Buffer.alloc(1000, "a");
    const copy = (base: number, letter: string): Buffer => Buffer.of(0xe8, 7, 0xe8, 7, 1, letter.charCodeAt(0), 0xb0, base - 1 - 768, 3);
    const second = Buffer.concat([Buffer.from("b"), first.subarray(0, 999)]);
    const objects = [
      object("blob", first),
      delta(idOf({ kind: "blob", content: first }), copy(1000, "b")),
      delta(idOf({ kind: "blob", content: second }), copy(1000, "c")),
    ];
    const third = idOf({ kind: "blob", content: Buffer.concat([Buffer.from("c"), second.subarray(0, 999)]) });
    const most = made + 2 * (copy(1000, "b").length - 5);
    expect((await (await readPack(pack(...objects), undefined, most))(third))?.content.length).toBe(1000);
    const refused = `the pack takes more than ${most - 1} bytes to unpack: its objects build on each other too often`;
    await expect(readPack(pack(...objects), undefined, most - 1)).rejects.toThrow(refused);
  });

  test("whose objects build in turn on two that are too large to be at hand together is refused", async () => {
    const large = 40 * 2 ** 20;
    const [one, other] = [Buffer.alloc(large, "a"), Buffer.alloc(large, "b")];
    const [ofOne, ofOther] = [one, other].map((content) => idOf({ kind: "blob", content }));
    const length = Buffer.of(0x80, 0x80, 0x80, 0x14);
    const small = (at: number): Buffer => Buffer.concat([length, Buffer.of(2, 2, ...Buffer.from(String(10 + at)))]);
    const many = Array.from({ length: 40 }, (_, at) => delta((at % 2 === 0 ? ofOne : ofOther) ?? "", small(at)));
    const bytes = pack(object("blob", one), object("blob", other), ...many);
    expect(bytes.length).toBeLessThan(100_000);
    await expect(readPack(bytes, undefined, 2 ** 29)).rejects.toThrow("takes more than 536870912 bytes to unpack");
  });

  test.each<[string, Buffer, string]>([
    ["is too short to be one", Buffer.from("PACK"), "does not begin as packs do"],
    ["is of another version", signed(Buffer.from("PACK\0\0\0\u0007\0\0\0\0".padEnd(20, "\0"), "latin1")), "packs of version 7"],
    [
      "promises more objects than it has",
      signed(Buffer.concat([Buffer.from("PACK\0\0\0\u0002\0\0\0\u0009", "latin1"), object("blob", "abc")])),
      "damaged",
    ],
    ["has an object that is larger than it says", pack(object("blob", "abcdef", 3)), "an object cannot be unpacked"],
    ["has an object that is smaller than it says", pack(object("blob", "abc", 6)), "an object cannot be unpacked"],
    ["has an object that says it is huge", pack(object("blob", "abc", 2 ** 30)), "an object of more than 67108864 bytes"],
    [
      "has an object that says it is larger than numbers are",
      pack(object("blob", "abc", Number.MAX_SAFE_INTEGER)),
      "more than 67108864 bytes",
    ],
    ["has an object of no kind", pack(Buffer.concat([size(5, 3), deflateSync("abc")])), "an unknown kind"],
    ["has a delta on nothing", pack(delta(abc, Buffer.of(3, 3, 0x90, 3))), "builds on an object that is not there"],
    ["has a delta on itself", pack(Buffer.concat([size(6, 4), Buffer.of(0), deflateSync(Buffer.of(3, 3, 0x90, 3))])), "damaged"],
    ["has a delta that reaches past its base", pack(object("blob", "abc"), delta(abc, Buffer.of(3, 9, 0x90, 9))), "a delta does not fit"],
    ["has a delta on a base of another size", pack(object("blob", "abc"), delta(abc, Buffer.of(4, 3, 0x90, 3))), "a delta does not fit"],
    ["has a delta that makes less than it says", pack(object("blob", "abc"), delta(abc, Buffer.of(3, 9, 0x90, 3))), "a delta does not fit"],
    ["has a delta that makes more than it says", pack(object("blob", "abc"), delta(abc, Buffer.of(3, 2, 0x90, 3))), "a delta does not fit"],
    [
      "has a delta that says it makes something huge",
      pack(object("blob", "abc"), delta(abc, Buffer.of(3, 0xff, 0xff, 0xff, 0xff, 7, 0x90, 3))),
      "more than 67108864 bytes",
    ],
    ["has a delta that breaks off", pack(object("blob", "abc"), delta(abc, Buffer.of(3, 3, 5, 1))), "a delta does not fit"],
    [
      "has a delta with an instruction that means nothing",
      pack(object("blob", "abc"), delta(abc, Buffer.of(3, 3, 0))),
      "a delta does not fit",
    ],
    [
      "goes on after its end",
      signed(Buffer.concat([pack(object("blob", "abc")).subarray(0, -20), Buffer.from("more")])),
      "something follows",
    ],
  ])("that %s is refused", async (_, bytes, message) => await expect(readPack(bytes)).rejects.toThrow(message));
});

describe("a tree", () => {
  const entry = (mode: string, name: string, id = "11".repeat(20)): Buffer =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]);
  const tree = (...entries: readonly Buffer[]): GitObject => ({ kind: "tree", content: Buffer.concat(entries) });

  test("says what is in it", () => {
    const kinds = ["40000", "040000", "100644", "100755", "100664", "120000", "160000"].map(
      (mode) => entriesOf(tree(entry(mode, "x")), "t")[0]?.kind,
    );
    expect(kinds).toEqual(["folder", "folder", "file", "file", "file", "link", "submodule"]);
    expect(entriesOf(tree(), "t")).toEqual([]);
    expect(entriesOf(tree(entry("100644", "a b"), entry("40000", "ü")), "t").map(({ name }) => name)).toEqual(["a b", "ü"]);
  });

  test.each<[string, GitObject]>([
    ["a name that leads out", tree(entry("40000", ".."))],
    ["a name that is the folder itself", tree(entry("40000", "."))],
    ["a name with a slash", tree(entry("100644", "a/b.yaml"))],
    ["no name", tree(entry("100644", ""))],
    ["a mode that is none", tree(entry("777", "a"))],
    ["no id", tree(Buffer.from("100644 a\0"))],
    ["half an id", tree(entry("100644", "a").subarray(0, 20))],
    ["no end of the name", tree(Buffer.from("100644 aaaa"))],
    ["a blob's kind", { kind: "blob", content: Buffer.alloc(0) }],
  ])("with %s is refused", (_, object) => expect(() => entriesOf(object, "t")).toThrow(/tree/));
});

describe("a commit whose folders are the same folder again and again", () => {
  const objects = new Map<string, GitObject>();
  const put = (kind: ObjectKind, content: Buffer): string => {
    const object = { kind, content };
    objects.set(idOf(object), object);
    return idOf(object);
  };
  const folderOf = (mode: string, ids: Readonly<Record<string, string>>): string =>
    put(
      "tree",
      Buffer.concat(Object.entries(ids).map(([name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]))),
    );
  const times = (count: number, name: (at: number) => string, id: string): Readonly<Record<string, string>> =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), id]));
  /** Ten folders that are one, with ten files that are one. */
  const hundred = (text: string): string => {
    const files = folderOf(
      "100644",
      times(10, (at) => `p${at}.yaml`, put("blob", Buffer.from(text))),
    );
    return put(
      "commit",
      Buffer.from(
        `tree ${folderOf(
          "40000",
          times(10, (at) => `f${at}`, files),
        )}\n`,
      ),
    );
  };
  const read = async (id: string): Promise<GitObject | undefined> => objects.get(id);

  test("is taken in as far as its files come to no more bytes than they may, whether they changed or not", async () => {
    const taken = await readChanges(read, hundred("0123456789"), "", undefined, 1000);
    expect(taken.changes.changed).toHaveLength(100);
    const again = await readChanges(read, hundred("0123456789"), "", taken, 1000);
    expect([again.changes.changed, again.sizes]).toEqual([[], taken.sizes]);
    const refused = /^the policies and schemas of the commit [0-9a-f]{40} come to more than 999 bytes$/;
    await expect(readChanges(read, hundred("0123456789"), "", undefined, 999)).rejects.toThrow(refused);
    await expect(readChanges(read, hundred("0123456789"), "", taken, 999)).rejects.toThrow(refused);
  });

  test("and hold more files than there may be is refused before one is read", async () => {
    const files = folderOf(
      "100644",
      times(1000, (at) => `p${at}.yaml`, "1".repeat(40)),
    );
    const commit = put("commit", Buffer.from(`tree ${folderOf("40000", { ...times(100, (at) => `f${at}`, files), g: files })}\n`));
    await expect(readChanges(read, commit, "", undefined)).rejects.toThrow("has more than 100000 policies and schemas");
  });

  test("that would come to hundreds of gigabytes is refused before they are read", async () => {
    let reads = 0;
    const counted = async (id: string): Promise<GitObject | undefined> => {
      reads += objects.get(id)?.kind === "blob" ? 1 : 0;
      return objects.get(id);
    };
    const files = folderOf(
      "100644",
      times(1000, (at) => `p${at}.yaml`, put("blob", Buffer.alloc(4 * 2 ** 20, "x"))),
    );
    const commit = put(
      "commit",
      Buffer.from(
        `tree ${folderOf(
          "40000",
          times(100, (at) => `f${at}`, files),
        )}\n`,
      ),
    );
    await expect(readChanges(counted, commit, "", undefined)).rejects.toThrow("come to more than 268435456 bytes");
    expect(reads).toBe(65);
  });
});

describe("lines", () => {
  async function* pieces(text: string, length: number): AsyncIterable<Uint8Array> {
    for (let at = 0; at < text.length; at += length) yield Buffer.from(text.slice(at, at + length), "latin1");
  }
  const all = async (text: string, length: number): Promise<readonly string[]> => {
    const lines = readLines(pieces(text, length));
    const found: string[] = [];
    for (let next = await lines.next(); next !== undefined; next = await lines.next())
      found.push(typeof next === "string" ? next : `=${next.toString()}`);
    return found;
  };
  test.each([1, 2, 3, 5, 100])("come in pieces of %d bytes", async (length) => {
    expect(await all("0008abcd00000001000400020006hi", length)).toEqual(["=abcd", "flush", "delimiter", "=", "flush", "=hi"]);
  });
  test.each([
    ["000", "ends before it is complete"],
    ["0009abcd", "ends before it is complete"],
    ["0003", "does not speak the git protocol"],
    ["<html>", "does not speak the git protocol"],
    ["-001", "does not speak the git protocol"],
  ])("%j are none", async (text, message) => await expect(all(text, 2)).rejects.toThrow(message));
});
