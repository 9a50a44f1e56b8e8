/** The thread that compiles, when it fails: what is told to those who wait, and what goes on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { openLive, type Live } from "../../src/live.ts";
import { logTo } from "../../src/observe/log.ts";
import type { StoreEvent } from "../../src/observe/events.ts";
import { storageOf, type StorageConfig } from "../../src/store/storage.ts";
import { eventually } from "../server/harness.ts";

let folder: string;
let live: Live | undefined;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "authz-live-"))));
afterEach(async () => {
  await live?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly live: Live;
  readonly logged: () => string;
  readonly events: readonly StoreEvent[];
  /** What was put in force. */
  readonly loaded: readonly string[];
}

interface Receiver {
  readonly change?: () => void | Promise<void>;
  /** Whether a set that is loaded is new; by default that is not known. */
  readonly isNew?: (set: number) => boolean;
}

async function open(storage: Partial<StorageConfig>, engine: Receiver = {}): Promise<Opened> {
  const lines: string[] = [];
  const events: StoreEvent[] = [];
  const loaded: string[] = [];
  const places = { allowRefs: ["store" as const], allowedHosts: [] };
  live = await openLive({
    storage: {
      ...storageOf(loadConfig(undefined, [], {}).config ?? expect.fail("the defaults are a configuration")),
      "storage.disk.directory": folder,
      "storage.disk.watchForChanges": false,
      ...storage,
    },
    schemas: places,
    administered: places,
    engine: {
      load: async () => {
        const sets = loaded.push("set");
        return engine.isNew?.(sets);
      },
      change: async () => {
        await engine.change?.();
        loaded.push("change");
      },
    },
    log: logTo({ write: (line) => void lines.push(line) }, "info"),
    observe: (event) => void events.push(event),
  });
  return { live, logged: () => lines.join(""), events, loaded };
}

const roles = (name: string): string =>
  JSON.stringify({ apiVersion: "api.authz.dev/v1", derivedRoles: { name, definitions: [{ name: "owner", parentRoles: ["user"] }] } });
/** What nobody can ask, and what therefore ends the thread: it stands for every bug of ours. */
const fatal = { kind: "no such command" } as never;

/** Asks for something, and ends the thread before it can be done. */
const interrupted = async (live: Live): Promise<unknown> => {
  const asked = live.ask({ kind: "put policies", policies: [roles("lost")] }).catch((error: unknown) => error);
  await live.ask(fatal).catch(() => undefined);
  return asked;
};
const failedWhileAsked = expect.objectContaining({ message: expect.stringContaining("may or may not have been") });

test("what is put is in force before the answer, and told to whoever watches", async () => {
  const { live, events, loaded } = await open({});
  expect(await live.ask({ kind: "put policies", policies: [roles("a")] })).toEqual({ kind: "changed", count: 1 });
  expect(loaded).toEqual(["set", "change"]);
  expect(events.filter(({ kind }) => kind === "loaded")).toMatchObject([
    { policies: 0, created: 0 },
    { policies: 1, created: 1, updated: 0, deleted: 0, compileMilliseconds: expect.any(Number) },
  ]);
  expect(events.some(({ kind }) => kind === "polled")).toBe(true);
});

test("a set without policies is a warning, at the start and when the last one is gone", async () => {
  const { live, logged } = await open({});
  const warnings = (): number => logged().split("there are no policies: every check is denied").length - 1;
  expect(warnings()).toBe(1);
  await live.ask({ kind: "put policies", policies: [roles("a")] });
  expect(warnings()).toBe(1);
  rmSync(join(folder, "derived_roles.a.yaml"));
  await live.ask({ kind: "reload" });
  expect(warnings()).toBe(2);
});

test("where a change does not fit the whole set is loaded, and the answer waits for it", async () => {
  const { live, loaded } = await open(
    {},
    {
      change: () => {
        throw new Error("it builds on another");
      },
    },
  );
  expect(await live.ask({ kind: "put policies", policies: [roles("a")] })).toEqual({ kind: "changed", count: 1 });
  expect(loaded).toEqual(["set", "set"]);
});

test("what is told after a set waits until that is in force", async () => {
  let release: () => void = () => undefined;
  const taken = new Promise<void>((resolve) => void (release = resolve));
  const { live, logged, events } = await open({}, { change: () => taken });
  const polls = (): number => events.filter(({ kind }) => kind === "polled").length;
  const before = polls();
  const put = live.ask({ kind: "put policies", policies: [roles("a")] });
  await eventually(polls, (count) => count > before);
  writeFileSync(join(folder, "broken.yaml"), "apiVersion: [");
  const reload = live.ask({ kind: "reload" });
  await eventually(polls, (count) => count > before + 1);
  release();
  expect(await put).toEqual({ kind: "changed", count: 1 });
  expect(await reload).toMatchObject({ kind: "refused" });
  const told = ["policies loaded from no files", "policies loaded from 1 file", "the last good set keeps answering"];
  expect(told.map((message) => logged().indexOf(message)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(true);
  expect(logged()).not.toContain("good again");
  expect(events.map(({ kind }) => kind).filter((kind) => kind !== "polled")).toEqual(["loaded", "loaded", "failed"]);
});

test("a thread that fails fails the call, is started again, and has what was stored", async () => {
  const { live, logged, loaded } = await open({});
  await live.ask({ kind: "put policies", policies: [roles("a")] });
  expect(await interrupted(live)).toEqual(failedWhileAsked);
  expect(logged()).toContain("the compile thread failed and is started again: the last good set keeps answering");
  await eventually(
    () => loaded.length,
    (count) => count === 3,
  );
  expect(await live.ask({ kind: "put policies", policies: [roles("b")] })).toEqual({ kind: "changed", count: 1 });
});

test.each<[sentence: string, isNew: Receiver["isNew"]]>([
  ["one process", undefined],
  ["several, which have its set already", (sets) => sets === 1],
])("a thread that fails does not follow its store: that is told, until it is started again, to %s", async (_sentence, isNew) => {
  const { live, logged, events } = await open({}, isNew === undefined ? {} : { isNew });
  await live.ask(fatal).catch(() => undefined);
  const told = (): readonly string[] => events.map(({ kind }) => kind).filter((kind) => kind !== "polled");
  expect(told()).toEqual(["loaded", "failed"]);
  await eventually(told, (kinds) => kinds.length === 3);
  expect(told()).toEqual(["loaded", "failed", "loaded"]);
  expect(logged()).toContain("the policies are good again: what the store holds is in force");
});

test("an in-memory database is lost with its thread: that is said, the last good set stays, and nothing pretends to be stored", async () => {
  const { live, logged, loaded, events } = await open({ "storage.driver": "sqlite", "storage.sqlite.path": ":memory:" });
  await live.ask({ kind: "put policies", policies: [roles("a")] });
  await expect(live.ask(fatal)).rejects.toThrow("may or may not have been");
  expect(logged()).toContain("all that was stored in the in-memory database is lost: the last good set keeps answering");
  await expect(live.ask({ kind: "put policies", policies: [roles("b")] })).rejects.toThrow("the in-memory database with it");
  expect(loaded).toEqual(["set", "change"]);
  expect(events.at(-1)).toEqual({ kind: "failed" });
});

test("a password is compared elsewhere", async () => {
  const { live } = await open({});
  const hash = "$2b$04$lVnl3qDdnrkYCNR2L9CxVu5fxKVQ3b6kFQv3VqIvPQk3qW0cbz7xa";
  expect(await live.ask({ kind: "verify password", password: "x", hash })).toBe(false);
});
