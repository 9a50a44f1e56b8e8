/** A start that reads no policies: only where every file is by its stamps what the cached set was made from, and what stamps miss is found by contents. All on a real file system. */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { compareContents } from "../../src/compile/compare-contents.ts";
import { startFromFolder } from "../../src/compile/start-from-folder.ts";
import { cacheName, openSetCache, type SetCache } from "../../src/compile/set-cache.ts";
import { startFromCache } from "../../src/compile/start-from-cache.ts";
import type { Outcome } from "../../src/compile/outcome.ts";
import { loadConfigOrThrow } from "../../src/config/load.ts";
import { watchStamps } from "../../src/follow/watch-stamps.ts";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { SchemaRules } from "../../src/schemas/check.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { listStamps, stampsOf, type ListedFolder } from "../../src/store/stamps.ts";
import { storageOf, type StorageConfig } from "../../src/store/storage.ts";
import { emptyBatch, type Store } from "../../src/store/store.ts";
import { stampOf, type Stamp } from "../../src/store/tree.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";

const policy = (effect: "ALLOW" | "DENY ", kind: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules: [{ actions: [view], effect: EFFECT_${effect}, roles: [user] }]
`;
const files = {
  "doc.yaml": policy("ALLOW", "doc"),
  "below/memo.yaml": policy("ALLOW", "memo"),
  "_schemas/doc.json": '{"type":"object"}',
};
const rules: SchemaRules = { allowRefs: ["store"], allowedHosts: [] };
/** Older than this, a file is clearly older than its stamps. */
const aging = 2100;

interface Place {
  readonly directory: string;
  readonly cache: string;
  /** Outside of the directory, for files that links lead to. */
  readonly beside: string;
}

/** Made at once, before any test runs: all of them age together. */
function place(prepare: (place: Place) => void = () => undefined): Place {
  const made = { directory: temporaryFolder(files), cache: join(temporaryFolder({}), "cache"), beside: temporaryFolder({}) };
  // A whole second, which can be set once more.
  for (const path of Object.keys(files)) utimesSync(join(made.directory, path), 1_700_000_000, 1_700_000_000);
  prepare(made);
  return made;
}
beforeAll(() => sleep(aging));

const storage = (directory: string): StorageConfig =>
  storageOf(loadConfigOrThrow(undefined, [`storage.disk.directory=${directory}`], {}).config);
const setsOf = ({ directory, cache }: Place, schemas?: SchemaRules): SetCache =>
  openSetCache(cache, cacheName(storage(directory), "", schemas), () => undefined);
const inCache = ({ cache }: Place, ending: string): string =>
  join(cache, readdirSync(cache).find((name) => name.endsWith(ending)) ?? "missing");

/** A start by contents, which keeps the set and notes the stamps. */
async function startByContents(at: Place, schemas?: SchemaRules): Promise<void> {
  const sets = setsOf(at, schemas);
  const told: Outcome[] = [];
  const post = (outcome: Outcome): void => {
    if (outcome.kind === "set") wholeText(outcome.text);
    told.push(outcome);
  };
  const begun = await startFromCache(openDiskStore({ directory: at.directory }), sets, schemas, false);
  const loop = followStore({ ...begun, sets, watch: false, post, ...(schemas !== undefined && { schemas }) });
  if (begun.start !== undefined) post(begun.start.good);
  await eventually(
    () => told.length,
    (length) => length > 0,
  );
  await loop.close();
  expect(told.map(({ kind }) => kind)).toEqual(["set"]);
}

/** Does a start put the cached set in force without reading any policy? */
const isKnown = ({ directory, cache }: Place, schemas?: SchemaRules, cacheTrust: "stamps" | "contents" = "stamps"): boolean =>
  startFromFolder({ storage: storage(directory), cacheDir: cache, cacheTrust, ...(schemas !== undefined && { schemas }) }, true)?.inForce
    .isRead === false;

const doc = ({ directory }: Place): string => join(directory, "doc.yaml");
const memo = ({ directory }: Place): string => join(directory, "below/memo.yaml");
/** As long as the other, and as old by the time that can be set: only the time of the change tells. */
const changeUnseen = (file: string): void => {
  const { mtimeMs } = statSync(file);
  writeFileSync(file, readFileSync(file, "utf8").replace("EFFECT_ALLOW,", "EFFECT_DENY ,"));
  utimesSync(file, mtimeMs / 1000, mtimeMs / 1000);
};
const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  writeFileSync(file, bytes);
};
/** Writes a record as the program does, with something else in it. */
const rewrite = (at: Place, change: { readonly [key: string]: unknown }): void => {
  const file = inCache(at, ".stamps");
  const text = JSON.stringify({ ...JSON.parse(readFileSync(file).subarray(0, -32).toString("utf8")), ...change });
  writeFileSync(file, Buffer.concat([Buffer.from(text), createHash("sha256").update(text).digest()]));
};

type Row = readonly [sentence: string, change: (place: Place) => void, prepare?: (place: Place) => void];
const linked = (at: Place): void => {
  for (const name of ["one", "other"]) writeFileSync(join(at.beside, name), policy(name === "one" ? "ALLOW" : "DENY ", "linked"));
  utimesSync(join(at.beside, "one"), 1_700_000_000, 1_700_000_000);
  symlinkSync(join(at.beside, "one"), join(at.directory, "linked.yaml"));
};
const relink = (at: Place, to: string): void => {
  symlinkSync(join(at.beside, to), join(at.beside, "new-link"));
  renameSync(join(at.beside, "new-link"), join(at.directory, "linked.yaml"));
};

const read: readonly Row[] = [
  // What the folder holds.
  ["a file has another text", (at) => writeFileSync(doc(at), policy("DENY ", "doc"))],
  ["a file has another text of the same length, and its time set back", (at) => changeUnseen(doc(at))],
  ["a file far below has, too", (at) => changeUnseen(memo(at))],
  ["a file was touched", (at) => utimesSync(doc(at), 1, 1)],
  ["a file has grown", (at) => appendFileSync(doc(at), "# more\n")],
  ["there is one file more", (at) => writeFileSync(join(at.directory, "more.yaml"), policy("ALLOW", "more"))],
  [
    "there is one file more that is as old as the rest",
    (at) => renameSync(join(at.beside, "old"), join(at.directory, "more.yaml")),
    (at) => writeFileSync(join(at.beside, "old"), policy("ALLOW", "more")),
  ],
  ["there is one file less", (at) => rmSync(memo(at))],
  ["a folder has another name", (at) => renameSync(join(at.directory, "below"), join(at.directory, "elsewhere"))],
  ["a file has another name", (at) => renameSync(doc(at), join(at.directory, "other.yaml"))],
  [
    "two files have each other's names",
    (at) => {
      renameSync(doc(at), join(at.beside, "doc"));
      renameSync(memo(at), doc(at));
      renameSync(join(at.beside, "doc"), memo(at));
    },
  ],
  [
    "a file was replaced by another of its size and time",
    (at) => {
      const { mtimeMs } = statSync(doc(at));
      writeFileSync(join(at.beside, "doc"), policy("DENY ", "doc"));
      utimesSync(join(at.beside, "doc"), mtimeMs / 1000, mtimeMs / 1000);
      renameSync(join(at.beside, "doc"), doc(at));
    },
  ],
  [
    "a file was replaced by an old one of its size",
    (at) => renameSync(join(at.beside, "old"), doc(at)),
    (at) => writeFileSync(join(at.beside, "old"), policy("DENY ", "doc")),
  ],
  [
    "a folder was replaced by an old one",
    (at) => {
      renameSync(join(at.directory, "below"), join(at.beside, "below"));
      renameSync(join(at.beside, "old"), join(at.directory, "below"));
    },
    (at) => {
      mkdirSync(join(at.beside, "old"));
      writeFileSync(join(at.beside, "old/memo.yaml"), policy("DENY ", "memo"));
    },
  ],
  ["a link leads to another old file", (at) => relink(at, "other"), linked],
  ["what a link leads to has another text, and its time set back", (at) => changeUnseen(join(at.beside, "one")), linked],
  [
    "a file was written by its other name, and its time set back",
    (at) => changeUnseen(join(at.beside, "hard")),
    (at) => linkSync(doc(at), join(at.beside, "hard")),
  ],
  ["a file may not be read any more", (at) => chmodSync(doc(at), 0)],
  ["schemas lie where none may", (at) => mkdirSync(join(at.directory, "below/_schemas"))],
  ["the folder is gone", (at) => rmSync(at.directory, { recursive: true })],
  // What was noted.
  ["nothing was noted", (at) => rmSync(inCache(at, ".stamps"))],
  ["the note is empty", (at) => writeFileSync(inCache(at, ".stamps"), "")],
  ["a bit of the note is damaged", (at) => flip(inCache(at, ".stamps"), 20)],
  ["a bit of its digest is damaged", (at) => flip(inCache(at, ".stamps"), -1)],
  ["others may read the note", (at) => chmodSync(inCache(at, ".stamps"), 0o640)],
  ["others may enter the folder", (at) => chmodSync(at.cache, 0o750)],
  [
    "the note is a link",
    (at) => {
      renameSync(inCache(at, ".stamps"), join(at.beside, "note"));
      symlinkSync(join(at.beside, "note"), inCache(at, ".set").replace(/set$/, "stamps"));
    },
  ],
  [
    "the folder is a link",
    (at) => {
      renameSync(at.cache, join(at.beside, "cache"));
      symlinkSync(join(at.beside, "cache"), at.cache);
    },
  ],
  ["another program noted it", (at) => rewrite(at, { program: "another" })],
  ["it was noted of another set", (at) => rewrite(at, { inputs: "another" })],
  [
    "the clock was set back since",
    (at) => {
      const { stamps } = JSON.parse(readFileSync(inCache(at, ".stamps")).subarray(0, -32).toString("utf8")) as { readonly stamps: object };
      rewrite(at, { stamps: { ...stamps, taken: Date.now() + 60_000 } });
    },
  ],
  ["the set is gone", (at) => rmSync(inCache(at, ".set"))],
  ["the set is damaged", (at) => flip(inCache(at, ".set"), 400)],
];
const readRows = read.map(([sentence, change, prepare]) => [sentence, change, place(prepare)] as const);

describe("all is read when", () => {
  const wereKnown: boolean[] = [];
  beforeAll(async () => {
    for (const [, change, at] of readRows) {
      await startByContents(at);
      wereKnown.push(isKnown(at));
      change(at);
    }
    await sleep(aging); // that a file is young is not what tells
  });
  test("nothing has happened, it is not", () => {
    expect(wereKnown).toEqual(readRows.map(() => true));
  });
  test.each(readRows)("%s", (_sentence, _change, at) => {
    expect(isKnown(at)).toBe(false);
  });

  const [contents, ruled, schema] = [place(), place(), place()];
  test("contents are demanded", async () => {
    await startByContents(contents);
    expect([isKnown(contents), isKnown(contents, undefined, "contents")]).toEqual([true, false]);
  });
  test("schemas are looked at otherwise", async () => {
    await startByContents(ruled, rules);
    expect([isKnown(ruled, rules), isKnown(ruled), isKnown(ruled, { ...rules, allowedHosts: ["example.com"] })]).toEqual([
      true,
      false,
      false,
    ]);
  });
  test("a schema is another, where schemas are looked at", async () => {
    for (const looked of [undefined, rules]) await startByContents(schema, looked);
    writeFileSync(join(schema.directory, "_schemas/doc.json"), '{"type":"objecT"}');
    expect([isKnown(schema, rules), isKnown(schema)]).toEqual([false, true]);
  });

  const young = place();
  test("a file changed so shortly before that it could change once more unseen, and read no more once it is older", async () => {
    writeFileSync(doc(young), policy("DENY ", "doc"));
    await startByContents(young);
    expect(isKnown(young)).toBe(false);
    await sleep(aging);
    expect(isKnown(young)).toBe(false);
    await startByContents(young);
    expect(isKnown(young)).toBe(true);
  });

  const swapped = place((at) => {
    linked(at);
    mkdirSync(join(at.directory, "zebra"));
  });
  test("another file was there for the moment in which it was read", async () => {
    const quiet = temporaryFolder({});
    const store = openDiskStore({
      directory: swapped.directory,
      // Nobody tells of it, as where nothing is watched.
      watch: (path, heard) => {
        if (path.endsWith("zebra")) relink(swapped, "other"); // the link has been listed by now
        return watch(quiet, heard);
      },
    });
    store.watch(() => undefined);
    const { changed } = await store.read();
    relink(swapped, "one");
    expect(changed.find(({ path }) => path === "linked.yaml")?.text).toContain("DENY");
    const now = listStamps(swapped.directory, false)?.stamps.digest;
    expect(now).toBeDefined();
    expect(store.stamps?.(false)?.digest).not.toBe(now);
    await store.close();
  });
});

describe("stamps say nothing", () => {
  const old = place();
  const entry = (change: Partial<Extract<Stamp, { kind: "file" }>>): readonly [string, Stamp][] => {
    const stamp = stampOf(doc(old));
    return stamp?.kind === "file" ? [["doc.yaml", { ...stamp, ...change }]] : [];
  };
  test.each<[sentence: string, root: () => string, entries: () => readonly [string, Stamp][], says: boolean]>([
    ["of an old file they do", () => old.directory, () => entry({}), true],
    ["without an inode", () => old.directory, () => entry({ inode: 0 }), false],
    ["without the time of a change", () => old.directory, () => entry({ changed: 0 }), false],
    ["of what will change tomorrow", () => old.directory, () => entry({ changed: Date.now() + 86_400_000 }), false],
    ["of a text of tomorrow", () => old.directory, () => entry({ modified: Date.now() + 86_400_000 }), false],
    ["of a file that cannot be asked", () => old.directory, () => [["doc.yaml", { kind: "unreadable", code: "EACCES" }]], false],
    ["of a file system that makes up its files", () => "/proc", () => [["version", { ...entry({})[0]?.[1], device: -1 } as Stamp]], false],
  ])("%s", (_sentence, root, entries, says) => {
    expect(stampsOf(root(), entries(), Date.now(), false) !== undefined).toBe(says);
  });
});

describe("the stamps of a store say nothing", () => {
  const noText = place((at) => writeFileSync(join(at.directory, "more.yaml"), Buffer.from([0xff])));
  test.each<[sentence: string, place: Place, act: (store: Store, place: Place) => unknown, says: boolean]>([
    ["after a reading they do", place(), () => undefined, true],
    [
      "after a reading that failed, although one had succeeded",
      place(),
      async (store, at) => {
        renameSync(at.directory, join(at.beside, "away"));
        await expect(store.read()).rejects.toThrow("does not exist");
      },
      false,
    ],
    [
      "after a write, until it has been read",
      place(),
      (store) => store.write({ ...emptyBatch, putPolicies: [{ path: "doc.yaml", text: policy("DENY ", "doc"), isDisabled: false }] }, 0),
      false,
    ],
    ["after a removal, until it has been read", place(), (store) => store.write({ ...emptyBatch, removePolicies: ["doc.yaml"] }, 0), false],
    ["of a file that is no text, however old it is", noText, () => undefined, false],
  ])("%s", async (_sentence, at, act, says) => {
    const store = openDiskStore({ directory: at.directory });
    await store.read();
    await act(store, at);
    expect(store.stamps?.(false) !== undefined).toBe(says);
  });

  const partly = place();
  test("of a file that was young when all was listed, although others have been looked at since", async () => {
    writeFileSync(doc(partly), policy("DENY ", "doc"));
    const store = openDiskStore({ directory: partly.directory, pollMilliseconds: 600_000 });
    store.watch(() => undefined);
    try {
      await store.read();
      await sleep(aging);
      rmSync(memo(partly));
      await eventually(
        () => store.read(),
        ({ removed }) => removed.length > 0,
      );
      expect(store.stamps?.(false)).toBeUndefined();
      await store.read(true);
      expect(store.stamps?.(false)).toBeDefined();
    } finally {
      await store.close();
    }
  });
});

const listed = ({ directory }: Place): ListedFolder => {
  const found = listStamps(directory, false);
  if (found === undefined) throw new Error("the stamps say nothing");
  return found;
};
const inputsIn = (at: Place): string => JSON.parse(readFileSync(inCache(at, ".set"), "utf8").split("\n", 1)[0] ?? "").inputs;
/** As if the file system had told nothing of a change: the stamps of now are noted with the set of before. */
const lie = (at: Place): void => setsOf(at).recordStamps({ stamps: listed(at).stamps, inputs: inputsIn(at), policies: 2 });

describe("read afterwards", () => {
  test.each<[sentence: string, place: Place, change: (place: Place) => void, result: string]>([
    ["what is the same is", place(), () => undefined, "same"],
    ["another text under the same stamps is found", place(), (at) => changeUnseen(doc(at)), "other"],
    ["what is no text is found", place(), (at) => writeFileSync(doc(at), Buffer.from([0xff])), "other"],
  ])("%s", async (_sentence, at, change, result) => {
    await startByContents(at);
    change(at);
    await sleep(result === "same" ? 0 : aging);
    expect(await compared(at, listed(at))).toBe(result);
  });
  test.each<[sentence: string, place: Place, change: (place: Place) => void]>([
    ["a file that was changed meanwhile", place(), (at) => writeFileSync(memo(at), policy("DENY ", "memo"))],
    ["a file that is gone", place(), (at) => rmSync(memo(at))],
  ])("nothing is said of %s", async (_sentence, at, change) => {
    await startByContents(at);
    const before = listed(at);
    change(at);
    expect(await compared(at, before)).toBe("changed");
  });
  const compared = (at: Place, before: ListedFolder): Promise<string> =>
    new Promise((told) => {
      compareContents({ root: at.directory, listed: before, rules: undefined, inputs: inputsIn(at), onResult: told, delayMilliseconds: 0 });
    });
});

describe("a folder that nobody keeps in mind is woken by", () => {
  test.each<[sentence: string, place: Place, change: (place: Place) => void, because: string | undefined]>([
    ["nothing", place(), () => undefined, undefined],
    ["nothing that is no policy", place(), (at) => writeFileSync(join(at.directory, "notes.txt"), ""), undefined],
    ["a change", place(), (at) => changeUnseen(memo(at)), "stamps"],
    ["a new file", place(), (at) => writeFileSync(join(at.directory, "more.yaml"), policy("ALLOW", "more")), "stamps"],
    ["its being gone", place(), (at) => rmSync(at.directory, { recursive: true }), "stamps"],
  ])("%s", async (_sentence, at, change, because) => {
    await startByContents(at);
    const woken: string[] = [];
    let looks = 0;
    const stop = watchStamps({
      directory: at.directory,
      rules: undefined,
      inForce: { inputs: inputsIn(at), stamps: listed(at).stamps, policies: 2, isRead: false },
      watch: true,
      polled: () => void looks++,
      remark: () => undefined,
      changed: (why) => void woken.push(why),
      pollMilliseconds: 100,
      afterMilliseconds: 0,
    });
    change(at);
    await eventually(
      () => looks + woken.length * 10,
      (seen) => seen >= 3,
    );
    stop();
    expect(woken).toEqual(because === undefined ? [] : [because]);
  });
});

const settings = (at: Place, watches: boolean): { readonly [key: string]: string | boolean } => ({
  "compile.cacheDir": at.cache,
  "compile.cacheTrust": "stamps",
  "storage.disk.watchForChanges": watches,
});
const effect = async (server: TestServer, kind: string): Promise<string | undefined> => {
  const resource = { kind, id: "1", attr: {} };
  const body = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource }] };
  return (await server.post("/api/check/resources", body)).json.results[0].actions["view"];
};

describe("a server that read nothing", () => {
  const lied = [place(), place()];
  test.each([true, false])("finds by contents what the file system did not tell; follows its files: %s", async (watches) => {
    const at = lied[watches ? 0 : 1] as Place;
    await startByContents(at);
    changeUnseen(doc(at));
    await sleep(aging);
    lie(at);
    expect(isKnown(at)).toBe(true);
    const server = await startServer({ policies: at.directory, settings: settings(at, watches) });
    const first = await effect(server, "doc");
    const then = await eventually(
      () => effect(server, "doc"),
      (now) => now !== first,
    );
    await server.stop();
    expect([first, then]).toEqual(["EFFECT_ALLOW", "EFFECT_DENY"]);
  });

  const followed = place();
  test("takes in what changes, at once and later", async () => {
    await startByContents(followed);
    const server = await startServer({ policies: followed.directory, settings: settings(followed, true) });
    expect(isKnown(followed)).toBe(true);
    const found = [await effect(server, "doc"), await effect(server, "memo")];
    for (const [file, kind] of [
      [doc(followed), "doc"],
      [memo(followed), "memo"],
    ] as const) {
      changeUnseen(file);
      found.push(
        await eventually(
          () => effect(server, kind),
          (now) => now !== "EFFECT_ALLOW",
        ),
      );
    }
    await server.stop();
    expect(found).toEqual(["EFFECT_ALLOW", "EFFECT_ALLOW", "EFFECT_DENY", "EFFECT_DENY"]);
  });

  const settled = place();
  test("and follows no files takes in nothing that changes afterwards", async () => {
    await startByContents(settled);
    const server = await startServer({ policies: settled.directory, settings: settings(settled, false) });
    changeUnseen(doc(settled));
    const found = [await effect(server, "doc")];
    await sleep(100);
    found.push(await effect(server, "doc"));
    await server.stop();
    expect(found).toEqual(["EFFECT_ALLOW", "EFFECT_ALLOW"]);
  });
});
