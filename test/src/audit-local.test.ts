/** The database of entries: what it answers, in which order, and how long it keeps what it has. */
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAuditLog } from "../../src/audit/audit-log.ts";
import { textOf } from "../../src/audit/entry.ts";
import { openEntryDatabase } from "../../src/audit/local/database.ts";
import { startDatabaseThread } from "../../src/audit/local/thread.ts";
import { openSink } from "../../src/audit/sinks.ts";
import type { AuditQuery, Entry, Sink } from "../../src/audit/sink.ts";
import { eventually } from "../server/harness.ts";
import { callOf, configWith, entryAt, folder, recordLog } from "./audit-harness.ts";

const now = Date.now();
const minute = 60_000;

async function sinkIn(inside: string, settings: { readonly [key: string]: string | number } = {}, heard = recordLog()): Promise<Sink> {
  const sink = await openSink(configWith({ "audit.backend": "local", "audit.local.storagePath": inside, ...settings }), heard);
  onTestFinished(() => sink.close(5000));
  return sink;
}

async function found(sink: Sink, kind: AuditQuery["kind"], filter: AuditQuery["filter"]): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const text of sink.query?.({ kind, filter }) ?? []) ids.push(JSON.parse(text).callId);
  return ids;
}

const ids = (entries: readonly Entry[]): readonly string[] => entries.map(({ callId }) => callId);

describe("a query", () => {
  // One entry a minute, the last one now; and for each call its access entry.
  const decisions = Array.from({ length: 30 }, (_, index) => entryAt(now - (29 - index) * minute));
  const third = decisions.at(2)?.callId ?? "";
  test.each<[what: string, kind: AuditQuery["kind"], filter: AuditQuery["filter"], wanted: readonly string[]]>([
    ["the last three, the newest first", "decision", { kind: "tail", count: 3 }, ids(decisions.slice(-3)).toReversed()],
    ["more than there are", "decision", { kind: "tail", count: 1000 }, ids(decisions).toReversed()],
    ["the last five minutes, the oldest first", "decision", { kind: "since", milliseconds: 4.5 * minute }, ids(decisions.slice(-5))],
    [
      "a range, both ends included",
      "decision",
      { kind: "between", start: now - 3 * minute, end: now - minute },
      ids(decisions.slice(-4, -1)),
    ],
    ["a range that ends before it starts", "decision", { kind: "between", start: now, end: now - minute }, []],
    ["one call", "decision", { kind: "lookup", callId: third }, [third]],
    ["a call that was never made", "decision", { kind: "lookup", callId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }, []],
    ["a kind of which there is nothing", "access", { kind: "lookup", callId: third }, []],
  ])("%s", async (_what, kind, filter, wanted) => {
    const sink = await sinkIn(folder());
    for (const entry of decisions) sink.write(entry);
    expect(await found(sink, kind, filter)).toEqual(wanted);
  });

  test("of one kind answers none of the other", async () => {
    const sink = await sinkIn(folder());
    const [access, decision] = [entryAt(now, "access"), entryAt(now, "decision")];
    sink.write(access);
    sink.write(decision);
    expect(await found(sink, "access", { kind: "tail", count: 10 })).toEqual([access.callId]);
    expect(await found(sink, "decision", { kind: "tail", count: 10 })).toEqual([decision.callId]);
  });

  test.each<[AuditQuery["filter"], reversed: boolean]>([
    [{ kind: "since", milliseconds: minute }, false],
    [{ kind: "tail", count: 1000 }, true],
  ])("of more than a page loses and repeats nothing: %j", async (filter, reversed) => {
    const sink = await sinkIn(folder());
    const entries = Array.from({ length: 750 }, (_, index) => entryAt(now - 750 + index));
    for (const entry of entries) sink.write(entry);
    expect(await found(sink, "decision", filter)).toEqual(reversed ? ids(entries).toReversed() : ids(entries));
  });

  test("of the last minute ends, though entries come faster than it is read", async () => {
    const sink = await sinkIn(folder());
    for (let count = 0; count < 200; count++) sink.write(entryAt(now - 200 + count));
    let seen = 0;
    for await (const _ of sink.query?.({ kind: "decision", filter: { kind: "since", milliseconds: minute } }) ?? []) {
      if (++seen > 2000) break;
      for (let count = 0; count < 2; count++) sink.write(entryAt(Date.now()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(seen).toBeLessThan(300);
  });

  test("sees what has not been written yet", async () => {
    const sink = await sinkIn(folder(), { "audit.local.advanced.flushInterval": "1h" });
    const entry = entryAt(now);
    sink.write(entry);
    expect(await found(sink, "decision", { kind: "tail", count: 1 })).toEqual([entry.callId]);
  });
});

describe("entries", () => {
  test.each([
    ["as are written at once", { "audit.local.advanced.maxBatchSize": 4 }],
    ["as may wait", { "audit.local.advanced.bufferSize": 4 }],
  ])("are written without being asked for, once so many of them wait %s", async (_what, settings) => {
    const inside = folder();
    const sink = await sinkIn(inside, { "audit.local.advanced.flushInterval": "1h", ...settings });
    for (let count = 0; count < 4; count++) sink.write(entryAt(now + count));
    const database = openEntryDatabase(inside);
    onTestFinished(() => database.close());
    await eventually(
      () => database.read({ kind: "decision", from: "", before: "~", newestFirst: false, limit: 10 }).length,
      (count) => count === 4,
    );
  });

  test("are kept as long as the period says: what is older is not shown, and goes", async () => {
    const inside = folder();
    const [old, young] = [entryAt(now - 61 * minute), entryAt(now - 59 * minute)];
    const before = await sinkIn(inside);
    before.write(old);
    before.write(young);
    await before.close(5000);
    const sink = await sinkIn(inside, { "audit.local.retentionPeriod": "1h" });
    expect(await found(sink, "decision", { kind: "tail", count: 10 })).toEqual([young.callId]);
    await sink.close(5000);
    const database = openEntryDatabase(inside);
    onTestFinished(() => database.close());
    expect(database.read({ kind: "decision", from: "", before: "~", newestFirst: false, limit: 10 }).map(({ callId }) => callId)).toEqual([
      young.callId,
    ]);
  });

  test("that are old hold up neither the start nor the end, which is no trouble, and go", async () => {
    const inside = folder();
    const settings = { "audit.local.retentionPeriod": "1h" };
    const database = openEntryDatabase(inside);
    onTestFinished(database.close);
    const old = Array.from({ length: 20_000 }, (_, index) => entryAt(now - 90 * minute + index));
    database.add(
      old.map((entry) => ({ ...entry, text: textOf(entry) })),
      1000,
    );
    const isOneLeft = (): boolean => database.read({ kind: "decision", from: "", before: "~", newestFirst: true, limit: 1 }).length > 0;
    const heard = recordLog();
    const sink = await sinkIn(inside, settings, heard);
    expect(isOneLeft()).toBe(true);
    await sink.close(5000);
    expect([isOneLeft(), heard.messages()]).toEqual([true, []]);
    await sinkIn(inside, settings, heard);
    await eventually(isOneLeft, (isLeft) => !isLeft);
  });

  test("that come while old ones are removed do not wait for that", async () => {
    const thread = startDatabaseThread({ folder: folder() });
    onTestFinished(thread.terminate);
    const rows = (entries: readonly Entry[]) => entries.map((entry) => ({ ...entry, text: textOf(entry) }));
    const old = Array.from({ length: 20_000 }, (_, index) => entryAt(now - minute + index));
    await thread.ask({ kind: "add", rows: rows(old), maxAtOnce: 1000 });
    const done: string[] = [];
    const removal = thread.ask({ kind: "remove", before: entryAt(now).callId }).then(() => void done.push("the old are removed"));
    await thread.ask({ kind: "add", rows: rows([entryAt(now + minute)]), maxAtOnce: 16 });
    done.push("the new is added");
    await removal;
    expect(done).toEqual(["the new is added", "the old are removed"]);
    expect(
      await thread.ask({ kind: "read", page: { kind: "decision", from: "", before: "~", newestFirst: false, limit: 10 } }),
    ).toHaveLength(1);
    await thread.ask({ kind: "close" });
  });

  test.each(["1h", "720h"])("are kept for %s where that is the period", async (period) => {
    const sink = await sinkIn(folder(), { "audit.local.retentionPeriod": period });
    const entry = entryAt(now);
    sink.write(entry);
    expect(await found(sink, "decision", { kind: "tail", count: 1 })).toEqual([entry.callId]);
  });

  test("are for the server's user alone, also in a folder that others may enter", () => {
    const inside = folder();
    chmodSync(inside, 0o755);
    const before = process.umask(0o022);
    onTestFinished(() => void process.umask(before));
    const database = openEntryDatabase(inside);
    database.add([{ kind: "access", callId: "a", text: "{}" }], 1);
    const modes = readdirSync(inside).map((name) => [name, statSync(join(inside, name)).mode & 0o777]);
    database.close();
    expect(modes).toEqual(["audit.db", "audit.db-shm", "audit.db-wal"].map((name) => [name, 0o600]));
  });

  test("that come twice are there once", () => {
    const database = openEntryDatabase(folder());
    onTestFinished(() => database.close());
    const entry = entryAt(now);
    const row = { ...entry, text: textOf(entry) };
    database.add([row, row], 1);
    database.add([{ ...row, text: "another" }], 16);
    expect(database.read({ kind: "decision", from: "", before: "~", newestFirst: false, limit: 10 })).toEqual([
      { callId: row.callId, text: row.text },
    ]);
  });
});

describe("trouble", () => {
  test.each<[what: string, disturb: (inside: string) => void]>([
    ["its folder was removed", (inside) => rmSync(inside, { recursive: true })],
    ["its files were removed", (inside) => readdirSync(inside).forEach((name) => rmSync(join(inside, name)))],
    ["its folder was moved away", (inside) => renameSync(inside, join(folder(), "moved"))],
  ])("is told and counted when %s, and the entries that come go into another database", async (_what, disturb) => {
    const inside = join(folder(), "audit");
    const heard = recordLog();
    const sink = await sinkIn(inside, {}, heard);
    const [before, after] = [entryAt(now), entryAt(now + 1)];
    sink.write(before);
    expect(await found(sink, "decision", { kind: "tail", count: 10 })).toEqual([before.callId]);
    disturb(inside);
    sink.write(after);
    await eventually(
      () => found(sink, "decision", { kind: "tail", count: 10 }),
      (seen) => seen.length > 0,
    );
    expect(await found(sink, "decision", { kind: "tail", count: 10 })).toEqual([after.callId]);
    expect(heard.failures).toEqual(["decision"]);
    expect(heard.messages()).toEqual([
      `audit entries cannot be written to the audit database in ${inside}: its file was removed or replaced, and what it held with it; another is begun; they wait in memory, and writing is retried`,
      `audit entries are written to the audit database in ${inside} again; lost meanwhile: 0`,
    ]);
  });

  test("is told within seconds when the database was removed, though no entry comes", async () => {
    const inside = join(folder(), "audit");
    const heard = recordLog();
    await sinkIn(inside, {}, heard);
    rmSync(inside, { recursive: true });
    await eventually(heard.messages, (said) => said.length === 2);
    expect(existsSync(join(inside, "audit.db"))).toBe(true);
  });

  test("of a full disk is told as that, and takes nothing that was there", () => {
    const database = openEntryDatabase(folder(), 40);
    onTestFinished(() => database.close());
    const rows = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => ({
        kind: "decision" as const,
        callId: entryAt(now + index).callId,
        text: "x".repeat(length),
      }));
    database.add(rows(3, 10), 16);
    expect(() => database.add(rows(100, 10_000), 100)).toThrow(/database or disk is full/);
    database.add(rows(2, 10), 16);
    expect(database.read({ kind: "decision", from: "", before: "~", newestFirst: false, limit: 100 })).toHaveLength(5);
  });
});

test("another backend loads no database, and cannot be asked", async () => {
  const inside = folder();
  const config = configWith({
    "audit.enabled": true,
    "audit.file.path": join(inside, "audit.log"),
    "audit.local.storagePath": join(inside, "db"),
  });
  const audit = await openAuditLog(config, { ...recordLog(), oversized: () => undefined });
  audit.end(callOf("ServerInfo"), { reply: { code: 0, text: "{}" }, milliseconds: 1 });
  await audit.close();
  expect(audit.query).toBeUndefined();
  expect(existsSync(join(inside, "db"))).toBe(false);
});
