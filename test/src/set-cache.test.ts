/** Compiled policies that are kept for the next start: used where they are what would be compiled, and nowhere else. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { SchemaRules } from "../../src/schemas/check.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { openSetCache, type SetCache } from "../../src/compile/set-cache.ts";
import { startFromCache } from "../../src/compile/start-from-cache.ts";
import type { GoodOutcome, Outcome } from "../../src/compile/outcome.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { eventually, startServer, temporaryFolder, type TestServer } from "../server/harness.ts";
import { brokenPolicy } from "../server/policies.ts";

const policy = (effect: "ALLOW" | "DENY", kind = "döc"): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: []
  schemas: { resourceSchema: { ref: "authz:///doc.json" } }
  rules:
    - actions: [view]
      effect: EFFECT_${effect}
      roles: [user]
      condition: { match: { expr: 'R.attr.name != "\\n "' } }
`;
const files = { "doc.yaml": policy("ALLOW"), "memo.yaml": policy("ALLOW", "memo"), "_schemas/doc.json": '{"type":"object"}' };
const rules: SchemaRules = { allowRefs: ["store"], allowedHosts: [] };

interface Start {
  /** What was told, and of each set its text. */
  readonly told: Outcome[];
  readonly text: () => string;
  /** Compiled nothing to tell of its first set. */
  readonly wasKept: boolean;
  readonly remarks: readonly string[];
  readonly close: () => Promise<void>;
}

/** A start as the thread that compiles makes it, over a real folder. */
async function start(
  directory: string,
  cache: string,
  schemas: SchemaRules | undefined = rules,
  keepMilliseconds = 60_000,
): Promise<Start> {
  const remarks: string[] = [];
  const told: Outcome[] = [];
  const texts: string[] = [];
  const post = (outcome: Outcome): void => {
    if (outcome.kind === "set" || outcome.kind === "change") texts.push(wholeText(outcome.text));
    told.push(outcome);
  };
  const sets: SetCache = openSetCache(cache, directory, (message) => void remarks.push(message));
  const begun = await startFromCache(openDiskStore({ directory }), sets, schemas, true);
  if (begun.start !== undefined) post(begun.start.good);
  const loop = followStore({
    ...begun,
    sets,
    watch: true,
    post,
    ...(schemas !== undefined && { schemas }),
    quietMilliseconds: 5,
    keepMilliseconds,
  });
  await eventually(
    () => told.length,
    (length) => length > 0,
  );
  return { told, text: () => texts.at(-1) ?? "", wasKept: begun.start !== undefined, remarks, close: loop.close };
}

/** What a start told first; it is over then. */
async function once(...given: Parameters<typeof start>): Promise<Omit<Start, "close">> {
  const started = await start(...given);
  await started.close();
  return started;
}

const inCache = (cache: string): string => join(cache, readdirSync(cache)[0] ?? "");

describe("a start with the same policies", () => {
  test("tells the same set, and compiles nothing", async () => {
    const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({}), "below", "cache")];
    const first = await once(directory, cache);
    const second = await once(directory, cache);
    expect([first.wasKept, second.wasKept, first.remarks, second.remarks]).toEqual([false, true, [], []]);
    expect(second.text()).toBe(first.text());
    const { compileMilliseconds, text: _, ...good } = first.told[0] as GoodOutcome;
    const { text: __, ...kept } = second.told[0] as GoodOutcome;
    expect(compileMilliseconds).toBeGreaterThan(0);
    expect(kept).toEqual(good);
  });

  test("finds one file of the server's user alone", async () => {
    const cache = join(temporaryFolder({}), "cache");
    await once(temporaryFolder(files), cache);
    expect([statSync(cache).mode & 0o777, statSync(inCache(cache)).mode & 0o777, readdirSync(cache).length]).toEqual([0o700, 0o600, 1]);
  });

  test.each([
    ["a file that is gone", "memo.yaml", undefined, "change"],
    ["another text", "doc.yaml", policy("DENY"), "change"],
    ["another file", "new.yaml", policy("DENY", "new"), "change"],
    ["a text that is broken", "doc.yaml", brokenPolicy, "broken"],
  ])("is told of what changes then: %s", async (_sentence, path, text, kind) => {
    const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({}), "cache")];
    await once(directory, cache);
    const second = await start(directory, cache);
    if (text === undefined) rmSync(join(directory, path));
    else writeFileSync(join(directory, path), text);
    await eventually(
      () => second.told.length,
      (length) => length > 1,
    );
    await second.close();
    const last = second.told.at(-1);
    expect([second.wasKept, last?.kind]).toEqual([true, kind]);
    if (last?.kind !== "change") return;
    const [afresh, { digest: from }] = [await once(directory, join(temporaryFolder({}), "cache")), second.told[0] as GoodOutcome];
    expect([last.digest, JSON.parse(second.text()).from]).toEqual([(afresh.told[0] as GoodOutcome).digest, from]);
  });
});

test("what was kept after a change tells every warning that stands", async () => {
  const warned = policy("ALLOW").replace(
    "  importDerivedRoles: []\n",
    "  importDerivedRoles: []\n  variables: { local: { unused: '1' } }\n",
  );
  const [directory, cache] = [temporaryFolder({ ...files, "doc.yaml": warned }), join(temporaryFolder({}), "cache")];
  const first = await start(directory, cache, rules, 1);
  const before = readFileSync(inCache(cache));
  writeFileSync(join(directory, "memo.yaml"), policy("DENY", "memo"));
  await eventually(
    () => !before.equals(readFileSync(inCache(cache))) && readdirSync(cache).length === 1,
    (isKept) => isKept,
  );
  await first.close();
  const second = await once(directory, cache);
  const warnings = (second.told[0] as GoodOutcome).warnings.map(({ message }) => message);
  expect([second.wasKept, warnings]).toEqual([true, (first.told[0] as GoodOutcome).warnings.map(({ message }) => message)]);
  expect(warnings).toHaveLength(1);
});

test("what another program kept does not stay in force", async () => {
  const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({}), "cache")];
  const first = await once(directory, cache);
  const sets = openSetCache(cache, directory, () => undefined);
  const begun = await startFromCache(openDiskStore({ directory }), sets, rules, false);
  if (begun.start === undefined) throw new Error("it was kept");
  const foreign = { ...begun, start: { ...begun.start, good: { ...begun.start.good, digest: "another" } } };
  const told: Outcome[] = [];
  const loop = followStore({ ...foreign, sets, watch: false, post: (outcome) => void told.push(outcome), schemas: rules });
  loop.postWholeSet();
  await eventually(
    () => told.length,
    (length) => length > 0,
  );
  await loop.close();
  expect(told.map((outcome) => outcome.kind === "set" && outcome.digest)).toEqual([(first.told[0] as GoodOutcome).digest]);
});

const flipped = (file: string, at: number): void => {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(at < 0 ? bytes.length + at : at) ^ 1, at < 0 ? bytes.length + at : at);
  writeFileSync(file, bytes);
};
const cut = (file: string, length: number): void => writeFileSync(file, readFileSync(file).subarray(0, length));

describe("compiles", () => {
  test.each<[sentence: string, change: (directory: string, file: string) => void, remark?: RegExp]>([
    ["what has another text", (directory) => writeFileSync(join(directory, "doc.yaml"), policy("DENY"))],
    ["what has another name", (directory) => renameSync(join(directory, "doc.yaml"), join(directory, "other.yaml"))],
    ["what has more files", (directory) => writeFileSync(join(directory, "new.yaml"), policy("DENY", "new"))],
    ["what has fewer files", (directory) => rmSync(join(directory, "memo.yaml"))],
    ["what has another schema", (directory) => writeFileSync(join(directory, "_schemas/doc.json"), "{}")],
    ["where nothing is kept", (_, file) => rmSync(file)],
    ["where a bit of the beginning is damaged", (_, file) => flipped(file, 30)],
    ["where a bit of the text is damaged", (_, file) => flipped(file, 700)],
    ["where a bit of the end is damaged", (_, file) => flipped(file, -1)],
    ["where the end is missing", (_, file) => cut(file, 500)],
    ["where all but a few bytes is missing", (_, file) => cut(file, 5)],
    ["where the file is empty", (_, file) => cut(file, 0)],
    ["where somebody else may read the file", (_, file) => chmodSync(file, 0o640), /can read or write .*remove it/],
    ["where somebody else may enter the folder", (_, file) => chmodSync(join(file, ".."), 0o750), /chmod 700/],
    [
      "where the file is a link",
      (directory, file) => {
        renameSync(file, join(directory, "moved"));
        symlinkSync(join(directory, "moved"), file);
      },
      /ELOOP/,
    ],
    [
      "where the folder is a link",
      (directory, file) => {
        renameSync(join(file, ".."), join(directory, ".moved"));
        symlinkSync(join(directory, ".moved"), join(file, ".."));
      },
      /is not a folder/,
    ],
    [
      "where the file is a folder",
      (_, file) => {
        rmSync(file);
        mkdirSync(file);
      },
      /./,
    ],
  ])("%s", async (_sentence, change, remark) => {
    const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({}), "cache")];
    await once(directory, cache);
    change(directory, inCache(cache));
    const { wasKept, told, remarks } = await once(directory, cache);
    expect([wasKept, told[0]?.kind]).toEqual([false, "set"]);
    expect(remarks).toEqual(remark === undefined ? [] : [expect.stringMatching(remark)]);
    if (remark === undefined) expect((await once(directory, cache)).wasKept).toBe(true);
  });

  test("where schemas are looked at otherwise", async () => {
    const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({}), "cache")];
    await once(directory, cache);
    expect((await once(directory, cache, { allowRefs: ["store", "http"], allowedHosts: ["example.com"] })).wasKept).toBe(false);
  });

  test("where policies are broken, each time", async () => {
    const [directory, cache] = [temporaryFolder({ "doc.yaml": brokenPolicy }), join(temporaryFolder({}), "cache")];
    for (let attempt = 0; attempt < 2; attempt++) expect((await once(directory, cache)).told[0]?.kind).toBe("broken");
    expect(existsSync(cache)).toBe(false);
  });

  test("where the folder cannot be made, and says so once", async () => {
    const [directory, cache] = [temporaryFolder(files), join(temporaryFolder({ "a-file": "" }), "a-file", "cache")];
    const { told, remarks } = await once(directory, cache);
    expect([told[0]?.kind, remarks]).toEqual(["set", [expect.stringMatching(/not kept for the next start.*compile\.cacheDir/)]]);
  });
});

describe("a file that is written", () => {
  const facts = { digest: "d", warnings: [] };

  test("is not there before all of it was read", () => {
    const cache = join(temporaryFolder({}), "cache");
    const sets = openSetCache(cache, "store", () => undefined);
    for (const piece of sets.writeThrough("inputs", facts, ["a", "b"])) if (piece === "a") break;
    expect([sets.find("inputs"), readdirSync(cache)]).toEqual([undefined, []]);
    expect(wholeText(sets.writeThrough("inputs", facts, ["ä\n", "b"]))).toBe("ä\nb");
    expect([wholeText(sets.find("inputs")?.text ?? []), sets.find("others"), readdirSync(cache).length]).toEqual(["ä\nb", undefined, 1]);
  });

  test("and can neither be finished nor removed keeps nobody from reading", () => {
    const cache = join(temporaryFolder({}), "cache");
    const remarks: string[] = [];
    const sets = openSetCache(cache, "store", (message) => void remarks.push(message));
    expect(wholeText(sets.writeThrough("inputs", facts, ["a"]))).toBe("a");
    const pieces = sets.writeThrough("inputs", facts, ["b", "c"])[Symbol.iterator]();
    pieces.next();
    const beside = readdirSync(cache).find((name) => name.endsWith(".new")) ?? "";
    rmSync(join(cache, beside));
    mkdirSync(join(cache, beside, "inside"), { recursive: true });
    expect([pieces.next().value, pieces.next().done]).toEqual(["c", true]);
    expect([wholeText(sets.find("inputs")?.text ?? []), remarks]).toEqual(["a", [expect.stringContaining("are not kept")]]);
  });

  test("by another server at this moment is left to it", () => {
    const cache = join(temporaryFolder({}), "cache");
    const [one, other] = [openSetCache(cache, "store", () => undefined), openSetCache(cache, "store", () => undefined)];
    const first = one.writeThrough("inputs", facts, ["a", "b"])[Symbol.iterator]();
    first.next();
    expect(wholeText(other.writeThrough("others", facts, ["c"]))).toBe("c");
    while (first.next().done !== true);
    expect([wholeText(one.find("inputs")?.text ?? []), other.find("others")]).toEqual(["ab", undefined]);
  });

  test("by a server that is gone is written anew a minute later", () => {
    const cache = join(temporaryFolder({}), "cache");
    const sets = openSetCache(cache, "store", () => undefined);
    sets.writeThrough("inputs", facts, ["a", "b"])[Symbol.iterator]().next();
    const beside = inCache(cache);
    expect([wholeText(sets.writeThrough("inputs", facts, ["c"])), sets.find("inputs")]).toEqual(["c", undefined]);
    const longAgo = Date.now() / 1000 - 61;
    utimesSync(beside, longAgo, longAgo);
    expect(wholeText(sets.writeThrough("inputs", facts, ["d"]))).toBe("d");
    expect([wholeText(sets.find("inputs")?.text ?? []), existsSync(beside)]).toEqual(["d", false]);
  });

  test("is not there when what was to be kept could not be made", () => {
    const cache = join(temporaryFolder({}), "cache");
    const remarks: string[] = [];
    const sets = openSetCache(cache, "store", (message) => void remarks.push(message));
    const text = {
      *[Symbol.iterator]() {
        yield "a";
        throw new Error("no second piece");
      },
    };
    expect(() => wholeText(sets.writeThrough("inputs", facts, text))).toThrow("no second piece");
    expect([sets.find("inputs"), readdirSync(cache), remarks]).toEqual([undefined, [], []]);
  });

  test("is of one store: others in the same folder have their own", () => {
    const cache = join(temporaryFolder({}), "cache");
    const [one, other] = ["one", "other"].map((name) => openSetCache(cache, name, () => undefined));
    wholeText(one?.writeThrough("inputs", facts, ["a"]) ?? []);
    expect(other?.find("inputs")).toBeUndefined();
    wholeText(other?.writeThrough("inputs", { ...facts, digest: "e" }, ["b"]) ?? []);
    expect([one, other].map((sets) => [sets?.find("inputs")?.digest, wholeText(sets?.find("inputs")?.text ?? [])])).toEqual([
      ["d", "a"],
      ["e", "b"],
    ]);
  });

  test.each([0, 1, 2, 3, 4])("is read as it was written, whatever character stands where a piece of it ends: %i bytes before", (bytes) => {
    const sets = openSetCache(join(temporaryFolder({}), "cache"), "store", () => undefined);
    const text = `${"x".repeat(2 ** 18 - bytes)}\u{1f600}ä\n`;
    wholeText(sets.writeThrough("inputs", facts, [text.slice(0, 7), text.slice(7)]));
    expect(wholeText(sets.find("inputs")?.text ?? []) === text).toBe(true);
  });
});

test("a server answers as before, and takes in what changes", async () => {
  const settings = { "compile.cacheDir": join(temporaryFolder({}), "cache"), "storage.disk.watchForChanges": true };
  const directory = temporaryFolder(files);
  const effect = async (server: TestServer): Promise<string | undefined> => {
    const resource = { kind: "memo", id: "1", attr: { name: "a" } };
    const body = { principal: { id: "ann", roles: ["user"] }, resources: [{ actions: ["view"], resource }] };
    return (await server.post("/api/check/resources", body)).json.results[0].actions["view"];
  };
  const compilations = async (server: TestServer): Promise<number> =>
    Number(/authz_dev_compiler_compile_duration_count\{status="success"\} (\d+)/.exec((await server.get("/_authz/metrics")).text)?.[1]);
  const found: unknown[] = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const server = await startServer({ policies: directory, settings });
    found.push(await effect(server), await compilations(server));
    if (attempt === 1) {
      writeFileSync(join(directory, "memo.yaml"), policy("DENY", "memo"));
      found.push(
        await eventually(
          () => effect(server),
          (now) => now !== "EFFECT_ALLOW",
        ),
      );
    }
    await server.stop();
  }
  expect(found).toEqual(["EFFECT_ALLOW", 1, "EFFECT_ALLOW", 0, "EFFECT_DENY"]);
});
