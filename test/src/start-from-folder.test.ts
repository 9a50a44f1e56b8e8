/** A start from a folder whose files hold what the cached set was made from: all of them are read, and whatever is not the same is compiled. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { readFolderContents } from "../../src/compile/folder-contents.ts";
import { cacheName, openSetCache } from "../../src/compile/set-cache.ts";
import { startFromFolder } from "../../src/compile/start-from-folder.ts";
import { digestInputs } from "../../src/compile/set-inputs.ts";
import { emptyState, withChanges } from "../../src/compile/store-state.ts";
import { loadConfigOrThrow } from "../../src/config/load.ts";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { GoodOutcome, Outcome } from "../../src/compile/outcome.ts";
import type { SchemaRules } from "../../src/schemas/check.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { listStamps } from "../../src/store/stamps.ts";
import { storageOf, type StorageConfig } from "../../src/store/storage.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { basic, enabled, password } from "../server/admin-harness.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { brokenPolicy } from "../server/policies.ts";

const policy = (effect: "ALLOW" | "DENY", kind: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules: [{ actions: [view], effect: EFFECT_${effect}, roles: [user] }]
`;
const rules: SchemaRules = { allowRefs: ["store"], allowedHosts: [] };
type Files = { readonly [path: string]: string | Buffer };
const folderOf = (files: Files): string => {
  const directory = temporaryFolder({});
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  return directory;
};

/** The digest of what the store reads, text by text. */
async function inputsOfTexts(directory: string, schemas: SchemaRules | undefined): Promise<string> {
  return digestInputs(withChanges(emptyState, await openDiskStore({ directory }).read()), schemas);
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
describe("bytes have the digest of the texts that they are", () => {
  test.each<[sentence: string, files: Files, prepare?: (directory: string) => void]>([
    ["of no file", {}],
    ["of an empty file", { "a.yaml": "" }],
    ["of a few", { "a.yaml": "one", "b.json": "two" }],
    ["of every script", { "ä/ü.yaml": "é\u{1f600}", "a.yaml": "日本" }],
    ["of paths that folders have in another order", { "a.yaml": "1", "a/b.yaml": "2", "a-b.yaml": "3", "B.yaml": "4" }],
    ["of what begins with a mark", { "a.yaml": Buffer.concat([mark, Buffer.from("é")]), "b.yaml": mark }],
    ["of what begins with two marks", { "a.yaml": Buffer.concat([mark, mark, Buffer.from("x")]) }],
    ["of a mark elsewhere", { "a.yaml": Buffer.concat([Buffer.from("x"), mark]) }],
    ["of what nearly fills the room", { "a.yaml": "x".repeat(2 ** 16 - 1), "b.yaml": "y" }],
    ["of what just fills it", { "a.yaml": "x".repeat(2 ** 16), "b.yaml": "y" }],
    ["of what is larger than it, twice", { "a.yaml": "é".repeat(2 ** 16), "b.yaml": "y".repeat(2 ** 17 + 1), "c.yaml": "z" }],
    ["of as many as fill it several times", Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.yaml`, `${at}`.repeat(at)]))],
    ["without what is no policy", { "a.yaml": "1", ".b.yaml": "2", "c_test.yaml": "3", "testdata/d.yaml": "4", "e.txt": "5" }],
    [
      "with schemas",
      { "a.yaml": "1", "_schemas/a.json": "{}", "_schemas/x/y.JSON": "[]", "_schemas/z.yaml": "2", "_schemas/.h.json": "3" },
    ],
    ["with schemas that begin with a mark", { "_schemas/a.json": Buffer.concat([mark, Buffer.from("{}")]) }],
    [
      "with links to files, and without those to folders",
      { "real/a.yaml": "text" },
      (directory) => {
        symlinkSync(join(directory, "real/a.yaml"), join(directory, "link.yaml"));
        symlinkSync(join(directory, "real"), join(directory, "folder.yaml"));
      },
    ],
  ])("%s", async (_sentence, files, prepare) => {
    const directory = folderOf(files);
    prepare?.(directory);
    for (const looked of [undefined, rules])
      for (const stamped of [false, true])
        expect(readFolderContents(directory, looked, stamped)?.inputs).toBe(await inputsOfTexts(directory, looked));
  });

  test("and the texts of schemas come with it, where somebody looks at them", () => {
    const directory = folderOf({ "_schemas/a.json": Buffer.concat([mark, Buffer.from("é")]), "_schemas/x/b.json": "{}" });
    const wanted = new Map([
      ["a.json", "é"],
      ["x/b.json", "{}"],
    ]);
    expect([readFolderContents(directory, rules, false)?.schemas, readFolderContents(directory, undefined, false)?.schemas]).toEqual([
      wanted,
      undefined,
    ]);
  });
});

test("a folder is known again by the stamps under which it was read, where they tell", async () => {
  const directory = folderOf({ "a.yaml": "1", "below/b.yaml": "2", "_schemas/c.json": "{}" });
  expect(readFolderContents(directory, rules, true)?.stamps).toBeUndefined(); // too young
  await sleep(2100);
  for (const looked of [undefined, rules]) {
    const stamps = readFolderContents(directory, looked, true)?.stamps;
    expect([stamps?.digest, readFolderContents(directory, looked, false)?.stamps]).toEqual([
      listStamps(directory, looked !== undefined)?.stamps.digest,
      undefined,
    ]);
  }
});

describe("nothing is said of", () => {
  test.each<[sentence: string, files: Files, change?: (directory: string) => void]>([
    ["a folder that is not there", {}, (directory) => rmSync(directory, { recursive: true })],
    ["schemas that lie where none may", { "a.yaml": "1", "x/_schemas/a.json": "{}" }],
    ["a schema that is no text", { "_schemas/a.json": Buffer.from([0xff]) }],
    ["a link that leads nowhere", { "a.yaml": "1" }, (directory) => symlinkSync("nowhere", join(directory, "lost.yaml"))],
    ["a link to itself", { "a.yaml": "1" }, (directory) => symlinkSync("self.yaml", join(directory, "self.yaml"))],
    ["a name that is not UTF-8", {}, (directory) => writeFileSync(Buffer.from(`${directory}/caf\xe9.yaml`, "latin1"), "1")],
    [
      "a file in place of a folder",
      {},
      (directory) => {
        rmSync(directory, { recursive: true });
        writeFileSync(directory, "");
      },
    ],
  ])("%s", (_sentence, files, change) => {
    const directory = folderOf(files);
    change?.(directory);
    for (const looked of [undefined, rules]) expect(readFolderContents(directory, looked, false)).toBeUndefined();
  });
});

const files = {
  "doc.yaml": policy("ALLOW", "doc"),
  "below/memo.yaml": policy("ALLOW", "memo"),
  "empty.yaml": "",
  "_schemas/doc.json": '{"type":"object"}',
};
interface Place {
  readonly directory: string;
  readonly cache: string;
  readonly beside: string;
}
const place = (): Place => ({ directory: folderOf(files), cache: join(temporaryFolder({}), "cache"), beside: temporaryFolder({}) });
const storage = (directory: string): StorageConfig =>
  storageOf(loadConfigOrThrow(undefined, [`storage.disk.directory=${directory}`], {}).config);

/** Compiles, and keeps the set. */
async function compiled({ directory, cache }: Place, schemas: SchemaRules | undefined): Promise<Outcome> {
  const told: Outcome[] = [];
  const loop = followStore({
    store: openDiskStore({ directory }),
    sets: openSetCache(cache, cacheName(storage(directory), "", schemas), () => undefined),
    watch: false,
    post: (outcome) => {
      told.push(outcome.kind === "set" ? { ...outcome, text: [wholeText(outcome.text)] } : outcome);
    },
    ...(schemas !== undefined && { schemas }),
  });
  await eventually(
    () => told.length,
    (length) => length > 0,
  );
  await loop.close();
  return told[0] as Outcome;
}
const known = ({ directory, cache }: Place, schemas: SchemaRules | undefined): Outcome | undefined =>
  startFromFolder({ storage: storage(directory), cacheDir: cache, cacheTrust: "contents", ...(schemas && { schemas }) }, false)?.good;

test.each([undefined, rules])("a folder that is as it was is known, and told as it was compiled; schemas: %o", async (looked) => {
  const at = place();
  expect(known(at, looked)).toBeUndefined();
  const { compileMilliseconds, ...good } = (await compiled(at, looked)) as GoodOutcome;
  expect(compileMilliseconds).toBeGreaterThan(0);
  expect(known(at, looked)).toEqual(good);
  for (const path of Object.keys(files)) utimesSync(join(at.directory, path), 1, 1);
  renameSync(join(at.directory, "doc.yaml"), join(at.beside, "doc"));
  symlinkSync(join(at.beside, "doc"), join(at.directory, "doc.yaml"));
  expect(known(at, looked)).toEqual(good); // what it holds is the same
});

const doc = ({ directory }: Place): string => join(directory, "doc.yaml");
const memo = ({ directory }: Place): string => join(directory, "below/memo.yaml");
const inCache = ({ cache }: Place): string => join(cache, readdirSync(cache)[0] ?? "missing");
const flip = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  const index = at < 0 ? bytes.length + at : at;
  bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
  writeFileSync(file, bytes);
};
/** Writes a file over, and sets its time back. */
const rewrite = (file: string, text: string): void => {
  writeFileSync(file, text);
  utimesSync(file, 1, 1);
};

describe("it is compiled when", () => {
  test.each<[sentence: string, change: (place: Place) => void, isBroken?: true]>([
    ["one byte is another", (at) => rewrite(doc(at), files["doc.yaml"].replace("view", "vieW"))],
    ["a file has another text of its length", (at) => rewrite(doc(at), files["doc.yaml"].replace("EFFECT_ALLOW,", "EFFECT_DENY ,"))],
    ["a file has another name", (at) => renameSync(doc(at), join(at.directory, "other.yaml"))],
    ["a folder has another name", (at) => renameSync(join(at.directory, "below"), join(at.directory, "elsewhere"))],
    [
      "two files have each other's texts",
      (at) => {
        rewrite(doc(at), files["below/memo.yaml"]);
        rewrite(memo(at), files["doc.yaml"]);
      },
    ],
    [
      "a byte has gone from the end of one file to the beginning of the next",
      (at) => {
        rewrite(memo(at), files["below/memo.yaml"].slice(0, -1));
        rewrite(doc(at), `\n${files["doc.yaml"]}`);
      },
    ],
    [
      "all of a file has gone to the next one",
      (at) => {
        rewrite(doc(at), "");
        rewrite(join(at.directory, "empty.yaml"), files["doc.yaml"]);
      },
    ],
    ["there is one file more", (at) => writeFileSync(join(at.directory, "more.yaml"), policy("DENY", "more"))],
    ["there is an empty file more", (at) => writeFileSync(join(at.directory, "more.yaml"), "")],
    ["there is one file less", (at) => rmSync(memo(at))],
    ["there is an empty file less", (at) => rmSync(join(at.directory, "empty.yaml"))],
    ["a file is empty", (at) => rewrite(doc(at), "")],
    ["a file is no text", (at) => writeFileSync(doc(at), Buffer.from([0xff])), true],
    ["a file is broken", (at) => writeFileSync(doc(at), brokenPolicy), true],
    [
      "a link leads to another text",
      (at) => {
        writeFileSync(join(at.beside, "other"), policy("DENY", "doc"));
        rmSync(doc(at));
        symlinkSync(join(at.beside, "other"), doc(at));
      },
    ],
    ["a schema is another", (at) => writeFileSync(join(at.directory, "_schemas/doc.json"), "{}")],
    ["there is a schema more", (at) => writeFileSync(join(at.directory, "_schemas/more.json"), "{}")],
    ["a schema is no text", (at) => writeFileSync(join(at.directory, "_schemas/doc.json"), Buffer.from([0xff])), true],
    ["schemas lie where none may", (at) => mkdirSync(join(at.directory, "below/_schemas")), true],
    ["nothing was kept", (at) => rmSync(inCache(at))],
    ["a bit of what was kept is damaged", (at) => flip(inCache(at), 400)],
    ["a bit of its digest is damaged", (at) => flip(inCache(at), -1)],
    ["what was kept is cut", (at) => writeFileSync(inCache(at), readFileSync(inCache(at)).subarray(0, 300), { mode: 0o600 })],
    ["what was kept is of another store", (at) => renameSync(inCache(at), join(at.cache, `${"0".repeat(64)}.set`))],
    ["others may read it", (at) => chmodSync(inCache(at), 0o640)],
    ["others may enter the folder", (at) => chmodSync(at.cache, 0o750)],
    [
      "what was kept is a link",
      (at) => {
        const file = inCache(at);
        renameSync(file, join(at.beside, "set"));
        symlinkSync(join(at.beside, "set"), file);
      },
    ],
  ])("%s", async (_sentence, change, isBroken) => {
    const at = place();
    await compiled(at, rules);
    expect(known(at, rules)).toBeDefined();
    change(at);
    expect(known(at, rules)).toBeUndefined();
    const now = await compiled(at, rules);
    expect(now.kind).toBe(isBroken ? "broken" : "set");
    const elsewhere = await compiled({ ...at, cache: join(temporaryFolder({}), "cache") }, rules);
    if (now.kind === "set" && elsewhere.kind === "set") expect(now.digest).toBe(elsewhere.digest);
  });

  test("schemas are looked at otherwise", async () => {
    const at = place();
    await compiled(at, rules);
    expect([known(at, rules) === undefined, known(at, undefined), known(at, { ...rules, allowedHosts: ["example.com"] })]).toEqual([
      false,
      undefined,
      undefined,
    ]);
  });
});

test("a schema that nobody looks at counts for nothing", async () => {
  const at = place();
  await compiled(at, undefined);
  writeFileSync(join(at.directory, "_schemas/doc.json"), "{}");
  expect(known(at, undefined)).toBeDefined();
});

describe("a server that compiled nothing", () => {
  const effect = async (server: TestServer, kind: string): Promise<string | undefined> => {
    const body = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource: { kind, id: "1", attr: {} } }] };
    return (await server.post("/api/check/resources", body)).json.results[0].actions["view"];
  };
  const compilations = async (server: TestServer): Promise<number> =>
    Number(/authz_dev_compiler_compile_duration_count\{status="success"\} (\d+)/.exec((await server.get("/_authz/metrics")).text)?.[1]);

  test.each<[sentence: string, watches: boolean, age: number]>([
    ["and follows young files takes in what changes", true, 0],
    ["and follows old files takes in what changes, at once and later", true, 2100],
    ["and follows nothing takes it in at the next start", false, 0],
  ])("%s", async (_sentence, watches, age) => {
    const { directory, cache } = place();
    const settings = { "compile.cacheDir": cache, "storage.disk.watchForChanges": watches };
    const start = (): Promise<TestServer> => startServer({ policies: directory, settings });
    await (await start()).stop();
    await sleep(age);
    let server = await start();
    const found: unknown[] = [await effect(server, "doc"), await compilations(server)];
    for (const [path, kind] of [
      ["doc.yaml", "doc"],
      ["below/memo.yaml", "memo"],
    ] as const) {
      writeFileSync(join(directory, path), policy("DENY", kind));
      if (!watches) {
        await server.stop();
        server = await start();
      }
      found.push(
        await eventually(
          () => effect(server, kind),
          (now) => now !== "EFFECT_ALLOW",
        ),
      );
    }
    await server.stop();
    expect(found).toEqual(["EFFECT_ALLOW", 0, "EFFECT_DENY", "EFFECT_DENY"]);
  });

  test("and follows nothing puts nothing else in force because of a login that fails", async () => {
    const { directory, cache } = place();
    const settings = { ...enabled, "compile.cacheDir": cache, "schema.enforcement": "none" };
    await (await startServer({ policies: directory, settings })).stop();
    await sleep(2100); // files that are younger have no stamps
    const server = await startServer({ policies: directory, settings });
    const polls = async (): Promise<number> =>
      Number(/authz_dev_store_poll_count\{driver="disk"\} (\d+)/.exec((await server.get("/_authz/metrics")).text)?.[1]);
    await eventually(polls, (count) => count > 1);
    writeFileSync(join(directory, "doc.yaml"), policy("DENY", "doc"));
    const list = async (secret: string): Promise<number> =>
      (await server.get("/admin/policies", { headers: { authorization: basic("authz", secret) } })).status;
    expect(await list("wrong")).toBe(401);
    await sleep(1000);
    expect(await effect(server, "doc")).toBe("EFFECT_ALLOW");
    expect(await list(password)).toBe(200);
    await eventually(
      () => effect(server, "doc"),
      (now) => now === "EFFECT_DENY",
    );
    await server.stop();
  });
});
