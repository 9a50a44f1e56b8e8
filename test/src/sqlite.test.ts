/** The sqlite store: where its database lies, and databases that cannot be used. */
import Libsql from "libsql";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { emptyState, withChanges } from "../../src/compile/store-state.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { makePrivateFile, mayBeSame, type FileIdentity } from "../../src/store/sqlite-file.ts";
import { sqlitePlace, type SqlitePlace } from "../../src/store/sqlite-place.ts";
import { emptyBatch, type Batch, type Changes, type Store } from "../../src/store/store.ts";
import { eventually } from "../server/harness.ts";
import { openFilesIn } from "./open-files.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-sqlite-"));
  file = join(folder, "store.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inFile = (path = file, readOnly = false): SqlitePlace => ({ kind: "file", path, readOnly, setting: "storage.sqlite.path" });
const open = (place: SqlitePlace = inFile()): Store => openSqliteStore({ place, busyMilliseconds: 50 });
const put = (id: string, text: string, isDisabled = false): Batch => ({ ...emptyBatch, putPolicies: [{ path: id, text, isDisabled }] });
const rows = (query: string): unknown[] => {
  const database = new Libsql(file);
  const [last = "", ...before] = query.split("; ").toReversed();
  for (const statement of before.toReversed()) database.exec(statement);
  const found = database.prepare(last).raw().all();
  database.close();
  return found;
};

const replaceBy = async (content: string | Uint8Array | undefined): Promise<void> => {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) rmSync(each, { force: true });
  if (content !== undefined) writeFileSync(file, content);
};

describe("the database lies", () => {
  const settings = (path: string, dsn: string): Parameters<typeof sqlitePlace>[0] => ({
    "storage.sqlite.path": path,
    "storage.sqlite3.dsn": dsn,
  });
  test.each([
    ["in memory", ":memory:", "", { kind: "memory" }],
    ["in memory, by its other name", "", ":memory:?_fk=true", { kind: "memory" }],
    ["in memory, as a URL", "", "file::memory:?cache=shared", { kind: "memory" }],
    ["in memory, as a mode", "", "file:x?mode=memory", { kind: "memory" }],
    ["in a file", "/x/a.db", "", { kind: "file", path: "/x/a.db", readOnly: false, setting: "storage.sqlite.path" }],
    [
      "in a file whose name holds a question mark",
      "/x/a?b.db",
      "",
      { kind: "file", path: "/x/a?b.db", readOnly: false, setting: "storage.sqlite.path" },
    ],
    [
      "in a file of a URL",
      "",
      "file:/x/a%20b.db?_fk=true",
      { kind: "file", path: "/x/a b.db", readOnly: false, setting: "storage.sqlite3.dsn" },
    ],
    [
      "in a file of a URL with three slashes",
      "",
      "file:///x/a.db",
      { kind: "file", path: "/x/a.db", readOnly: false, setting: "storage.sqlite3.dsn" },
    ],
    [
      "in a file that is only read",
      "",
      "file:/x/a.db?mode=ro",
      { kind: "file", path: "/x/a.db", readOnly: true, setting: "storage.sqlite3.dsn" },
    ],
    [
      "on this machine, whatever its name looks like",
      "/libsql://example.com",
      "",
      { kind: "file", path: "/libsql:/example.com", readOnly: false, setting: "storage.sqlite.path" },
    ],
  ])("%s", (_sentence, path, dsn, place) => expect(sqlitePlace(settings(path, dsn))).toEqual(place));

  test.each([
    ["nowhere", "", "", "the sqlite store needs a database file"],
    ["in two places", "/a", "file:/b", "say where the database is once"],
    ["on another machine", "", "file://host/a.db", "names no database file"],
    ["nowhere, as a URL", "", "file:?_fk=true", "names no database file"],
  ])("not %s", (_sentence, path, dsn, why) => expect(() => sqlitePlace(settings(path, dsn))).toThrow(why));

  test("never at an address: a relative name is a file beside", () => {
    const place = sqlitePlace(settings("libsql://example.com", ""));
    expect(place.kind === "file" && place.path.startsWith("/")).toBe(true);
  });
});

describe("a database that cannot be used is refused, in words:", () => {
  test.each<[sentence: string, prepare: () => void, why: string]>([
    ["no database", () => writeFileSync(file, "x".repeat(4096)), "cannot be read: the file is not a database"],
    ["a folder", () => mkdirSync(file), "cannot be read: the file cannot be opened"],
    ["in a folder that is not there", () => void (file = join(folder, "no", "a.db")), "cannot be read: the file cannot be opened"],
    ["another program's", () => rows("CREATE TABLE album (id); SELECT 1"), "belongs to another program"],
    [
      "the reference's, whose policies can be had",
      () => rows("CREATE TABLE policy (id UNSIGNED BIG INT, definition BLOB); CREATE TABLE attr_schema_defs (id VARCHAR(255)); SELECT 1"),
      "holds policies as Cerbos keeps them: write them to a folder with `cerbosctl store export`, and put them into a new database with `authzctl put`",
    ],
  ])("%s", async (_sentence, prepare, why) => {
    prepare();
    await expect(open().read()).rejects.toThrow(why);
    await expect(open().read()).rejects.toThrow(file);
  });

  test("a damaged one", async () => {
    const store = open();
    await store.read();
    await store.write(
      {
        ...emptyBatch,
        putPolicies: Array.from({ length: 50 }, (_, index) => ({ path: `p${index}`, text: "x".repeat(2000), isDisabled: false })),
      },
      0,
    );
    await store.close();
    rows("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = readFileSync(file);
    bytes.fill(0x5a, 4096);
    writeFileSync(file, bytes);
    await expect(open().read()).rejects.toThrow("cannot be read: the file is damaged");
  });

  test("one that a later version has written", async () => {
    const store = open();
    await store.read();
    await store.close();
    rows("INSERT INTO migration VALUES (2, 0) RETURNING version");
    await expect(open().read()).rejects.toThrow("was written by a later version of this program: its tables have version 2, we know 1");
  });

  test("one that another process holds locked", async () => {
    const store = open();
    await store.read();
    await store.close();
    const holder = new Libsql(file);
    holder.exec("BEGIN EXCLUSIVE");
    await expect(open().read()).rejects.toThrow("another process holds it locked");
    holder.exec("COMMIT");
    holder.close();
    await expect(open().read()).resolves.toBeDefined();
  });
});

describe("trouble later is told, and over when it is over:", () => {
  test("a lock", async () => {
    const store = open();
    await store.read();
    const holder = new Libsql(file);
    holder.exec("BEGIN IMMEDIATE");
    await expect(store.write(put("a", "text"), 0)).rejects.toThrow("cannot be written: another process holds it locked");
    holder.exec("COMMIT");
    holder.close();
    await store.read();
    expect(await store.write(put("a", "text"), 0)).toBe("written");
    await store.close();
  });

  test("a removal that failed because another process was reading is still noticed when somebody else does it", async () => {
    const [mine, theirs] = [await opened(), await opened()];
    await mine.write({ ...put("a", "text"), putSchemas: [{ path: "s.json", text: "{}" }] }, 0);
    await mine.read();
    const holder = new Libsql(file);
    holder.exec("BEGIN");
    holder.prepare("SELECT id FROM policy").raw().all();
    const removal = { ...emptyBatch, removePolicies: ["a"], removeSchemas: ["s.json"] };
    await expect(mine.write(removal, 0)).rejects.toThrow("cannot be written: another process holds it locked");
    holder.exec("COMMIT");
    holder.close();
    await theirs.read();
    expect(await theirs.write(removal, 0)).toBe("written");
    expect(await mine.read()).toMatchObject({ removed: ["a"], removedSchemas: ["s.json"] });
    for (const store of [mine, theirs]) await store.close();
  });

  test("a reading while another process has begun to write is none", async () => {
    const [store, other] = [await opened(), await opened()];
    await other.write(put("a", "text"), 0);
    await other.close();
    const holder = new Libsql(file);
    holder.exec("BEGIN IMMEDIATE");
    expect((await store.read()).changed).toMatchObject([{ path: "a", text: "text" }]);
    holder.exec("COMMIT");
    holder.close();
    await store.close();
  });

  test.each<[sentence: string, what: (store: Store) => Promise<unknown>, isRead: boolean]>([
    ["a first reading", (store) => store.read(), false],
    ["a reading", (store) => store.read(), true],
    ["a write", (store) => store.write(put("a", "text"), 0), true],
    [
      "a reading after one that failed",
      async (store) => {
        await store.read().catch(() => undefined);
        began = performance.now();
        await store.read();
      },
      true,
    ],
  ])("%s waits for a lock as long as it may, and no longer", async (_sentence, what, isRead) => {
    await (await opened()).close();
    const store = openSqliteStore({ place: inFile(), busyMilliseconds: 1500 });
    if (isRead) await store.read();
    const holder = new Libsql(file);
    holder.exec("BEGIN EXCLUSIVE");
    began = performance.now();
    await expect(what(store)).rejects.toThrow("another process holds it locked");
    const waited = performance.now() - began;
    expect(waited).toBeGreaterThan(1400);
    expect(waited).toBeLessThan(2800);
    holder.exec("COMMIT");
    holder.close();
    await store.read();
    expect(await store.write(put("a", "text"), 0)).toBe("written");
    await store.close();
  });

  test("a reading of a database that was put in the place of another, and may not be written, waits as long", async () => {
    await (await opened()).close();
    const other = join(folder, "other.db");
    copyFileSync(file, other);
    const store = openSqliteStore({ place: inFile(file, true), busyMilliseconds: 600 });
    await store.read();
    renameSync(other, file);
    const holder = new Libsql(file);
    holder.exec("BEGIN EXCLUSIVE");
    began = performance.now();
    await expect(store.read()).rejects.toThrow("another process holds it locked");
    expect(performance.now() - began).toBeGreaterThan(550);
    holder.exec("COMMIT");
    holder.close();
    await store.read();
    await store.close();
  });

  test("a lock that is soon given back costs nothing but time, without any setting", async () => {
    await (await opened()).close();
    const store = openSqliteStore({ place: inFile() });
    await store.read();
    // Another thread holds the lock, because waiting blocks this one.
    const holder = new Worker(
      `const database = new (require("libsql"))(require("node:worker_threads").workerData);
       database.exec("BEGIN EXCLUSIVE");
       require("node:worker_threads").parentPort.postMessage("locked");
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
       database.exec("COMMIT");
       database.close();`,
      { eval: true, workerData: file },
    );
    const ended = once(holder, "exit");
    await once(holder, "message");
    began = performance.now();
    expect(await store.write(put("a", "text"), 0)).toBe("written");
    expect(performance.now() - began).toBeGreaterThan(100);
    await ended;
    await store.close();
  });
  let began = 0;
  const opened = async (): Promise<Store> => {
    const store = open();
    await store.read();
    return store;
  };

  test("a full disk leaves what was there", async () => {
    const store = open();
    await store.read();
    await store.write(put("a", "text"), 0);
    await store.close();
    const database = new Libsql(file);
    const [pages] = database.prepare("PRAGMA page_count").raw().get() as [number];
    database.close();
    // SQLite answers as if the disk were full when a database may not grow.
    const limited = openSqliteStore({ place: inFile(), busyMilliseconds: 50, maxPages: pages });
    await limited.read();
    await expect(limited.write({ ...put("b", "text"), putSchemas: [{ path: "x.json", text: "x".repeat(200_000) }] }, 0)).rejects.toThrow(
      "cannot be written: the disk is full",
    );
    await limited.close();
    expect(rows("SELECT id FROM policy")).toEqual([["a"]]);
  });

  test("a file that is no database any more", async () => {
    const store = open();
    await store.read();
    await replaceBy("x".repeat(4096));
    await expect(store.read()).rejects.toThrow("the file is not a database");
  });

  test("a file that is gone is not an empty database", async () => {
    const store = open();
    await store.read();
    await store.write(put("a", "text"), 0);
    await store.read();
    await replaceBy(undefined);
    await expect(store.read()).rejects.toThrow("does not exist");
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ["cut off to nothing where it lies", async () => truncateSync(file)],
    ["replaced by an empty file", () => replaceBy("")],
  ])("a file that is %s is not an empty database, however often it is read", async (_name, spoil) => {
    const store = open();
    await store.read();
    await store.write(put("a", "text"), 0);
    await store.read();
    await spoil();
    for (let turn = 0; turn < 3; turn++) await expect(store.read()).rejects.toThrow(/is empty|no such table/);
    await expect(store.write(put("b", "text"), 0)).rejects.toThrow("is empty");
    expect(statSync(file).size).toBe(0);
    await store.close();
  });

  test("another file in its place is read", async () => {
    const store = open();
    await store.read();
    await store.write({ ...put("a", "text"), putSchemas: [{ path: "a.json", text: "{}" }] }, 0);
    await store.read();
    const other = openSqliteStore({ place: inFile(join(folder, "other.db")) });
    await other.read();
    await other.write({ ...put("b", "text"), putSchemas: [{ path: "b.json", text: "{}" }] }, 0);
    await other.close();
    const database = new Libsql(join(folder, "other.db"));
    database.pragma("wal_checkpoint(TRUNCATE)");
    database.close();
    await replaceBy(readFileSync(join(folder, "other.db")));
    expect(await store.read()).toMatchObject({
      changed: [{ path: "b" }],
      removed: ["a"],
      changedSchemas: [{ path: "b.json" }],
      removedSchemas: ["a.json"],
    });
    await store.close();
  });
});

// SQLite's driver lets a closed database's file go when its statements are collected.
setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

describe("rows that were written past the API are read again", () => {
  const began = async (): Promise<Store> => {
    const store = open();
    await store.read();
    await store.write({ ...put("a", "old"), putSchemas: [{ path: "a.json", text: "{}" }] }, 0);
    expect(await store.read()).toMatchObject({ changed: [{ text: "old" }] });
    return store;
  };

  test.each([
    ["a policy", "UPDATE policy SET definition = 'new'", { changed: [{ path: "a", text: "new" }] }],
    ["a schema", "UPDATE attribute_schema SET definition = '[]'", { changedSchemas: [{ path: "a.json", text: "[]" }] }],
    // As of a backup that was written back into the open file.
    [
      "the numbers of earlier writes",
      "UPDATE write_count SET writes = 0; UPDATE policy SET definition = 'new'",
      { changed: [{ text: "new" }] },
    ],
    [
      "a policy, before a write that was counted",
      "UPDATE policy SET definition = 'new'; UPDATE write_count SET writes = writes + 1",
      { changed: [{ text: "new" }] },
    ],
  ])("%s, without a new number of a write", async (_what, statements, changes) => {
    const store = await began();
    rows(`${statements}; SELECT 1`);
    expect(await store.read()).toMatchObject(changes);
    expect(await store.read()).toMatchObject({ changed: [], changedSchemas: [] });
    await store.close();
  });
});

describe("a backup that is put in the place of the database", () => {
  const backup = (): string => join(folder, "backup.db");
  /** As `sqlite3 store.db ".backup backup.db"` does. */
  const backUp = (): void => void rows(`VACUUM INTO '${backup()}'; SELECT 1`);
  const restore = (): void => {
    copyFileSync(backup(), `${file}.new`);
    renameSync(`${file}.new`, file);
  };
  const write = async (store: Store, text: string): Promise<void> => {
    await store.read();
    await store.write({ ...put("a", text), putSchemas: [{ path: "s.json", text }] }, 0);
    await store.read();
  };

  test("is what is read by all who have it open, written to from then on, and whole", async () => {
    const stores = [open(), open()] as const;
    await write(stores[0], "1");
    backUp();
    await write(stores[0], "2");
    await stores[1].read();
    restore();
    for (const store of stores) expect(await store.read()).toMatchObject({ changed: [{ path: "a", text: "1" }], removed: [] });
    await write(stores[1], "x".repeat(50_000));
    expect((await stores[0].read()).changed).toMatchObject([{ path: "a", text: "x".repeat(50_000) }]);
    for (const store of stores) await store.close();
    expect(rows("PRAGMA integrity_check")).toEqual([["ok"]]);
  });

  test("is read also where its last write has the number of the last that was known", async () => {
    const store = open();
    await write(store, "1");
    backUp();
    await write(store, "2");
    const other = open(inFile(backup()));
    await write(other, "3");
    await other.close();
    restore();
    // Nobody has seen yet what it would overwrite.
    expect(await store.write(put("a", "4"), 0)).toBe("stale");
    expect(await store.read()).toMatchObject({ changed: [{ path: "a", text: "3" }], changedSchemas: [{ path: "s.json", text: "3" }] });
    await store.close();
  });

  test("is read also where it has the inode of a file that was damaged, and removed for it", async () => {
    const store = open();
    await write(store, "1");
    backUp();
    await write(store, "2");
    const other = open(inFile(backup()));
    await write(other, "3");
    await other.close();
    writeFileSync(file, "x".repeat(4096));
    await expect(store.read()).rejects.toThrow("the file is not a database");
    await eventually(
      () => (typeof collect === "function" && collect(), openFilesIn(folder)),
      (files) => files.length === 0,
    );
    const { ino } = statSync(file);
    rmSync(file); // nobody has it open any more: most file systems give its inode to one of the next files
    const copies = Array.from({ length: 64 }, (_, index) => `${file}.${index}`);
    for (const copy of copies) copyFileSync(backup(), copy);
    renameSync(copies.find((copy) => statSync(copy).ino === ino) ?? `${file}.0`, file);
    expect((await store.read()).changed).toMatchObject([{ path: "a", text: "3" }]);
    await store.close();
  });

  test("is refused, and left whole, while something of the one before lies beside it", async () => {
    rows("PRAGMA journal_mode = WAL; SELECT 1");
    const earlier = new Libsql(file); // as an earlier version of this program has it open
    earlier.pragma("journal_mode = WAL");
    const store = open();
    await write(store, "1");
    backUp();
    await write(store, "2");
    const bytes = readFileSync(backup());
    restore();
    for (let time = 0; time < 2; time++)
      await expect(store.read()).rejects.toThrow(`is another file than before, and \`${file}-wal\` beside it is of the one before: stop`);
    earlier.close();
    expect(readFileSync(file).equals(bytes)).toBe(true);
    for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
    expect((await store.read()).changed).toMatchObject([{ path: "a", text: "1" }]);
    await store.close();
  });

  test.each([
    ["-wal", "file"],
    ["-shm", "file"],
    ["-journal", "file"],
    ["-journal", "link to the file"],
  ])("is refused while a %s lies beside it, and the setting names a %s", async (end, kind) => {
    const link = join(folder, "links", "store.db");
    mkdirSync(join(folder, "links"));
    symlinkSync(file, link);
    const store = open(inFile(kind === "file" ? file : link));
    await write(store, "1");
    backUp();
    restore();
    writeFileSync(`${file}${end}`, "x");
    await expect(store.read()).rejects.toThrow(`\`${realpathSync(file)}${end}\` beside it is of the one before`);
    rmSync(`${file}${end}`);
    expect((await store.read()).changed).toMatchObject([{ path: "a", text: "1" }]);
    await store.close();
  });
});

test("what lies beside another database is its own, when a link is changed to lead to that", async () => {
  const [link, other] = [join(folder, "link.db"), join(folder, "other.db")];
  await (await written(other, "theirs")).close();
  await (await written(file, "ours")).close();
  symlinkSync(file, link);
  const store = open(inFile(link));
  expect((await store.read()).changed).toMatchObject([{ text: "ours" }]);
  writeFileSync(`${other}-journal`, "no journal, and nothing is written back from it");
  symlinkSync(other, `${link}.new`);
  renameSync(`${link}.new`, link);
  expect((await store.read()).changed).toMatchObject([{ text: "theirs" }]);
  await store.close();
});

async function written(path: string, text: string): Promise<Store> {
  const store = open(inFile(path));
  await store.read();
  await store.write(put("a", text), 0);
  return store;
}

test("a database of an earlier version is taken over with what lay beside it, and nothing lies beside it then", async () => {
  const store = open();
  await store.read();
  await store.close();
  const earlier = new Libsql(file);
  earlier.pragma("journal_mode = WAL");
  earlier.exec("INSERT INTO policy VALUES ('a', '1', 0, 0, 1)");
  for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, join(folder, `left.db${end}`)); // as a crash leaves them
  earlier.close();
  const later = open(inFile(join(folder, "left.db")));
  expect((await later.read()).changed).toMatchObject([{ path: "a", text: "1" }]);
  expect(readdirSync(folder).filter((name) => name.startsWith("left"))).toEqual(["left.db"]);
  await later.close();
});

test("a database that is made is of the server's user alone, and one that is there keeps its mode", async () => {
  const modeAfter = async (): Promise<number> => {
    const store = open();
    await store.read();
    await store.write(put("a", "text"), 0);
    await store.close();
    return statSync(file).mode & 0o777;
  };
  expect(await modeAfter()).toBe(0o600);
  chmodSync(file, 0o640);
  expect(await modeAfter()).toBe(0o640);
});

test("a file that may not be written is read, when that is all that is asked", async () => {
  const store = open();
  await store.read();
  await store.write(put("a", "text"), 0);
  await store.close();
  chmodSync(file, 0o444);
  const reader = open(inFile(file, true));
  expect((await reader.read()).changed).toMatchObject([{ path: "a", text: "text" }]);
  expect(reader.readOnly).toContain("is opened for reading only (setting storage.sqlite.path)");
  await reader.close();
});

test.each<[sentence: string, right: Partial<FileIdentity>, may: boolean]>([
  ["the same in all", {}, true],
  ["on another device", { device: 2n }, false],
  ["of another inode", { inode: 2n }, false],
  ["made at another time: its inode was given away", { born: 2n }, false],
  ["made nobody knows when", { born: undefined }, true],
])("what may be one file: %s", (_sentence, right, may) => {
  const left = { device: 1n, inode: 1n, born: 1n };
  expect(mayBeSame(left, { ...left, ...right })).toBe(may);
  expect(mayBeSame({ ...left, ...right }, left)).toBe(may);
});

test("a file that another process has just made is not emptied", () => {
  writeFileSync(file, "theirs");
  makePrivateFile(file);
  expect(readFileSync(file, "utf8")).toBe("theirs");
});

test("a database whose tables found no room is none, and has them when there is room", async () => {
  await expect(openSqliteStore({ place: inFile(), maxPages: 4 }).read()).rejects.toThrow("the disk is full");
  const store = open();
  expect(await store.read()).toMatchObject({ changed: [], unreadable: [] });
  expect(await store.write(put("a", "text"), 0)).toBe("written");
  await store.close();
});

test("a database that is only read is not made", async () => {
  await expect(open(inFile(file, true)).read()).rejects.toThrow("does not exist");
  expect(existsSync(file)).toBe(false);
});

test("every version of a policy is kept, and whether it is disabled is known", async () => {
  const store = open();
  const write = async (batch: Batch, at: number): Promise<void> => {
    await store.read();
    await store.write(batch, at);
  };
  await write(put("a", "1"), 1);
  await write(put("a", "2", true), 2);
  expect(rows("SELECT id, definition, disabled, updated_at FROM policy")).toEqual([["a", "2", 1, 2]]);
  await write({ ...emptyBatch, removePolicies: ["a"] }, 3);
  await write(put("a", "3"), 4);
  await store.close();
  expect(rows("SELECT action, id, definition, at FROM policy_revision ORDER BY revision_id")).toEqual([
    ["INSERT", "a", "1", 1],
    ["UPDATE", "a", "2", 2],
    ["DELETE", "a", "2", 3],
    ["INSERT", "a", "3", 4],
  ]);
  expect(rows("SELECT id, definition, disabled, updated_at FROM policy")).toEqual([["a", "3", 0, 4]]);
});

test.each<[keepLast: number, kept: readonly (readonly [id: string, definition: string])[]]>([
  [0, []],
  [
    1,
    [
      ["a", "3"],
      ["b", "1"],
    ],
  ],
  [
    2,
    [
      ["a", "2"],
      ["a", "3"],
      ["b", "1"],
    ],
  ],
])("of the versions of each policy, the newest %d are kept when the others shall go", async (keepLast, kept) => {
  const store = open();
  for (const batch of [put("a", "1"), put("b", "1"), put("a", "2"), put("a", "3")]) {
    await store.read();
    await store.write(batch, 0);
  }
  expect(await store.purgeRevisions?.(keepLast)).toBe(4 - kept.length);
  await store.close();
  expect(rows("SELECT id, definition FROM policy_revision ORDER BY id, revision_id")).toEqual(kept);
});

test("a name or a text is kept whole, with a NUL character or a byte order mark", async () => {
  const kept = [
    ["a\0b", "1"],
    ["a\0c", "2\0"],
    ["b", "\u{feff}3"],
    ["\u{feff}b", "4"],
  ] as const;
  const store = open();
  await store.read();
  await store.write({ ...emptyBatch, putPolicies: kept.map(([path, text]) => ({ path, text, isDisabled: false })) }, 0);
  await store.close();
  const again = open();
  expect((await again.read()).changed.map(({ path, text }) => [path, text])).toEqual(kept);
  await again.close();
});

describe("a row that somebody else has written keeps the set from being used, and the process goes on:", () => {
  const policy = (id: string, definition: string): string => `INSERT INTO policy VALUES (${id}, ${definition}, 0, 0, 1) RETURNING 1`;
  const schema = (id: string, definition: string): string => `INSERT INTO attribute_schema VALUES (${id}, ${definition}, 0, 1) RETURNING 1`;
  test.each<[sentence: string, statement: string, path: string, message: string]>([
    ["a policy that is not UTF-8", policy("'x'", "CAST(X'ff41' AS TEXT)"), "x", "the definition in the row is not UTF-8 text"],
    ["bytes that are not UTF-8", policy("'x'", "X'ff41'"), "x", "the definition in the row is not UTF-8 text"],
    ["a name that is not UTF-8", policy("CAST(X'fe' AS TEXT)", "''"), "policy[2]", "the id of the row is not UTF-8 text"],
    ["no name", policy("NULL", "''"), "policy[2]", "the id of the row is not UTF-8 text"],
    ["a name of another type", policy("X'61'", "'2'"), "a", "there is another row of this id"],
    [
      "a schema that is not UTF-8",
      schema("'s.json'", "CAST(X'ff' AS TEXT)"),
      "_schemas/s.json",
      "the definition in the row is not UTF-8 text",
    ],
  ])("%s", async (_sentence, statement, path, message) => {
    const store = open();
    let state = emptyState;
    const read = async (): Promise<Changes> => {
      const changes = await store.read();
      state = withChanges(state, changes);
      return changes;
    };
    await read();
    await store.write(put("a", "1"), 0);
    await read();
    const counted = (statement: string): string => `BEGIN; UPDATE write_count SET writes = writes + 1; ${statement}; COMMIT; SELECT 1`;
    rows(counted(statement));
    const unreadable = [{ path, message }];
    expect(await read()).toEqual({ changed: [], removed: [], changedSchemas: [], removedSchemas: [], unreadable });
    // Also when nothing is new: else the set would be taken for sound again.
    expect((await read()).unreadable).toEqual(unreadable);
    rows(counted("INSERT INTO attribute_schema VALUES ('new.json', '{}', 0, 1) RETURNING 1"));
    expect(await read()).toMatchObject({ changed: [], changedSchemas: [{ path: "new.json" }], unreadable });
    rows("DELETE FROM policy WHERE rowid = 2; DELETE FROM attribute_schema; SELECT 1");
    await read();
    // What was there before is there again, and nothing else.
    expect([[...state.sources].map(([id, { text }]) => [id, text]), state.schemas.size, state.unreadable]).toEqual([[["a", "1"]], 0, []]);
    await store.close();
  });

  test.each([
    ["too late", "9223372036854775807", "+275760-09-13T00:00:00.000Z"],
    ["too early", "-9223372036854775808", "1970-01-01T00:00:00.000Z"],
    ["a text", "'yesterday'", "1970-01-01T00:00:00.000Z"],
  ])("a time that is none, %s, is the nearest that there is", async (_sentence, time, said) => {
    const store = open();
    await store.read();
    rows(`INSERT INTO policy VALUES ('x', '1', 0, ${time}, 1) RETURNING 1`);
    expect((await store.read()).changed).toMatchObject([{ path: "x", attributes: { update_ts: said } }]);
    await store.close();
  });
});

test("what is removed and put again between two readings is read again", async () => {
  const [writer, reader] = [open(), open()];
  const write = async (batch: Batch): Promise<void> => {
    await writer.read();
    await writer.write(batch, 0);
  };
  await write(put("a", "1"));
  await reader.read();
  await write({ ...emptyBatch, removePolicies: ["a"] });
  await write(put("a", "2"));
  expect((await reader.read()).changed).toMatchObject([{ path: "a", text: "2" }]);
  await writer.close();
  await reader.close();
});

test("what another process writes together is read together, and its last write is not missed", async () => {
  const last = 400;
  const store = openSqliteStore({ place: inFile() });
  await store.read();
  // Another thread, because a store reads without a pause.
  const writer = new Worker(
    `const { file, last } = require("node:worker_threads").workerData;
     const database = new (require("libsql"))(file, { timeout: 5000 });
     database.pragma("synchronous = OFF");
     for (let turn = 1; turn <= last; turn++)
       database.exec(\`BEGIN IMMEDIATE;
         INSERT INTO policy VALUES ('a', '\${turn}', 0, 0, \${turn}) ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, change = excluded.change;
         INSERT INTO attribute_schema VALUES ('s.json', '\${turn}', 0, \${turn}) ON CONFLICT (id) DO UPDATE SET definition = excluded.definition, change = excluded.change;
         COMMIT\`);
     database.close();`,
    { eval: true, workerData: { file, last } },
  );
  const ended = once(writer, "exit");
  let [policy, schema] = ["", ""];
  const apart: unknown[] = [];
  const seen = async (): Promise<string> => {
    const { changed, changedSchemas } = await store.read();
    policy = changed[0]?.text ?? policy;
    schema = changedSchemas[0]?.text ?? schema;
    if (policy !== schema) apart.push([policy, schema]);
    return policy;
  };
  const writing = { isOver: false };
  void ended.then(() => (writing.isOver = true));
  while (!writing.isOver) {
    await seen();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([await seen(), apart]).toEqual([`${last}`, []]);
  await store.close();
});

test("an in-memory database is the store's own", async () => {
  const [one, other] = [open({ kind: "memory" }), open({ kind: "memory" })];
  await one.read();
  await one.write(put("a", "1"), 0);
  expect((await one.read()).changed).toHaveLength(1);
  expect((await other.read()).changed).toEqual([]);
  await one.close();
  await other.close();
});

test("an in-memory database keeps what it holds when a write finds no room", async () => {
  const store = openSqliteStore({ place: { kind: "memory" }, maxPages: 20 });
  await store.read();
  await store.write(put("a", "1"), 0);
  await store.read();
  const much = { ...put("a", "2"), putSchemas: [{ path: "x.json", text: "x".repeat(200_000) }] };
  await expect(store.write(much, 0)).rejects.toThrow("the in-memory database cannot be written: the disk is full");
  expect(await store.read()).toMatchObject({ changed: [], removed: [] });
  expect(await store.write(put("b", "1"), 0)).toBe("written");
  expect((await store.read()).changed).toMatchObject([{ path: "b", text: "1" }]);
  await store.close();
});
