/** Changes of a store that somebody asks for: what is refused, what is told before the answer, and who else may write. */
import Libsql from "libsql";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Answers, StoreCommand } from "../../src/compile/commands.ts";
import { followStore } from "../../src/follow/compile-loop.ts";
import { isGoodOutcome, type Outcome } from "../../src/compile/outcome.ts";
import { openDiskStore } from "../../src/store/disk.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";

const places = { allowRefs: ["store" as const], allowedHosts: [] };

interface Followed {
  readonly told: readonly Outcome[];
  readonly ask: <C extends StoreCommand>(command: C) => Promise<Answers[C["kind"]]>;
  /** How many times the store was asked. */
  readonly polls: () => number;
}

let folder: string;
let open: (() => Promise<void>)[] = [];
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "authz-loop-"))));
afterEach(async () => {
  for (const close of open) await close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Follows a store, and waits for its first set. */
async function follow(store: Store, validates = true): Promise<Followed> {
  const told: Outcome[] = [];
  let polls = 0;
  await new Promise<void>((resolve) => {
    const loop = followStore({
      store,
      watch: false,
      ...(validates && { schemas: places }),
      administered: places,
      post: (outcome) => {
        told.push(outcome);
        resolve();
      },
      polled: () => void polls++,
    });
    open.push(loop.close);
    ask = loop.ask;
  });
  return { told, ask, polls: () => polls };
}
let ask: Followed["ask"];

const disk = (): Store => openDiskStore({ directory: folder });
const memory = (): Store => openSqliteStore({ place: { kind: "memory" } });
const files = (): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.\w+$/.test(name))
    .sort();

const album = (parts: object = {}): object => ({
  apiVersion: "api.authz.dev/v1",
  resourcePolicy: {
    resource: "album",
    version: "default",
    rules: [{ actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"] }],
    ...parts,
  },
});
const roles = (name: string): object => ({
  apiVersion: "api.authz.dev/v1",
  derivedRoles: { name, definitions: [{ name: "owner", parentRoles: ["user"] }] },
});
const put = (...policies: readonly object[]): StoreCommand & { readonly kind: "put policies" } => ({
  kind: "put policies",
  policies: policies.map((policy) => JSON.stringify(policy)),
});
const putSchema = (id: string, definition: object | string): StoreCommand & { readonly kind: "put schemas" } => ({
  kind: "put schemas",
  schemas: [{ id, text: typeof definition === "string" ? definition : JSON.stringify(definition) }],
});
const remove = (...ids: readonly string[]): StoreCommand & { readonly kind: "delete schemas" } => ({ kind: "delete schemas", ids });
const refers = album({ schemas: { resourceSchema: { ref: "authz:///a.json" } } });

describe.each([
  ["a folder", disk],
  ["a database", memory],
] as const)("%s", (_name, store) => {
  test("a policy is stored, and the set with it is told before the answer", async () => {
    const { told } = await follow(store());
    expect(await ask(put(album(), roles("r")))).toEqual({ kind: "changed", count: 2 });
    expect(told.map(({ kind }) => kind)).toEqual(["set", "change"]);
    expect(told[1]).toMatchObject({
      kind: "change",
      policies: 2,
      created: 2,
      updated: 0,
      deleted: 0,
      compileMilliseconds: expect.any(Number),
    });
  });

  describe("changes that are asked at the same time", () => {
    const kind = (name: string, parts: object = {}): object => album({ resource: name, ...parts });
    const changed = { kind: "changed", count: 1 };

    test.each<[sentence: string, asked: readonly StoreCommand[], answers: readonly object[], sets: number, policies: number]>([
      ["are one", ["a", "b", "c", "d"].map((name) => put(kind(name))), [changed, changed, changed, changed], 1, 4],
      [
        "may lean on each other",
        [put(roles("r")), put(kind("a", { importDerivedRoles: ["r"] })), putSchema("a.json", {})],
        [changed, changed, changed],
        1,
        2,
      ],
      [
        "are answered each by itself: one that cannot be read keeps nobody back",
        [put(kind("a")), put(kind("b"), { apiVersion: "api.authz.dev/v1" }), put(kind("c"))],
        [changed, { kind: "refused", because: "invalid", problems: [{ path: "policies[1]", code: "missing-choice" }] }, changed],
        1,
        2,
      ],
      [
        "nor one with which the whole would not compile, of which nothing is stored",
        [put(kind("a")), put(kind("b")), put(kind("c"), kind("d", { importDerivedRoles: ["none"] })), put(kind("e")), put(roles("r"))],
        [
          changed,
          changed,
          { kind: "refused", because: "invalid", problems: [{ path: "policies[1].resourcePolicy.importDerivedRoles[0]" }] },
          changed,
          changed,
        ],
        2,
        4,
      ],
      [
        "are in the order in which they were asked where they are about the same",
        [put(kind("a", { rules: [] })), put(kind("a")), put(kind("b"))],
        [changed, changed, changed],
        3,
        2,
      ],
      [
        "also where one takes away what another has brought",
        [put(kind("a")), { kind: "delete policies", ids: ["resource.a.vdefault"] }, put(kind("b"))],
        [changed, changed, changed],
        3,
        1,
      ],
      ["and change nothing where all are refused", [put({}), put({})], [{ kind: "refused" }, { kind: "refused" }], 0, 0],
    ])("%s", async (_sentence, asked, answers, sets, policies) => {
      const { told } = await follow(store());
      const before = told.length;
      const came = await Promise.all(asked.map((command) => ask(command)));
      expect(came).toMatchObject(answers);
      expect(told.slice(before).map((outcome) => outcome.kind)).toEqual(Array.from({ length: sets }, () => "change"));
      expect(told.at(-1)).toMatchObject({ policies });
      expect(await ask({ kind: "list policies", filter: { includeDisabled: true, ids: [] } })).toHaveLength(policies);
    });

    test("are in force, all of those before an answer, when it is there", async () => {
      const { told } = await follow(store());
      await Promise.all(
        Array.from({ length: 70 }, async (_, at) => {
          await ask(put(kind(`k${at}`)));
          const last = told.at(-1);
          expect(
            last !== undefined && isGoodOutcome(last) && wholeText(told.filter(isGoodOutcome).flatMap(({ text }) => [...text])),
          ).toContain(`k${at}`);
        }),
      );
      expect(told.at(-1)).toMatchObject({ policies: 70 });
      expect(told).toHaveLength(1 + Math.ceil(70 / 32));
    });
  });

  test("a policy that is there is replaced, one that is given twice counts as the last", async () => {
    const { told } = await follow(store());
    await ask(put(album({ rules: [] })));
    expect(await ask(put(album(), album({ rules: [] }), album()))).toEqual({ kind: "changed", count: 1 });
    const last = told.at(-1);
    expect(last).toMatchObject({ policies: 1, created: 0, updated: 1 });
    expect(last !== undefined && isGoodOutcome(last) && wholeText(last.text)).toContain("view");
  });

  test.each<[sentence: string, policies: readonly object[], problems: readonly (readonly [path: string, code: string])[]]>([
    ["no type", [{ apiVersion: "api.authz.dev/v1" }], [["policies[0]", "missing-choice"]]],
    ["an unknown field", [album(), album({ foo: 1 })], [["policies[1].resourcePolicy.foo", "unknown-field"]]],
    ["another version of the language", [{ ...album(), apiVersion: "api.authz.dev/v2" }], [["policies[0].apiVersion", "invalid-value"]]],
    [
      "an expression that is none",
      [album({ rules: [{ actions: ["a"], effect: "EFFECT_ALLOW", roles: ["b"], condition: { match: { expr: "1 +" } } }] })],
      [["policies[0].resourcePolicy.rules[0].condition.match.expr", "invalid-expression"]],
    ],
    [
      "an import of nothing",
      [roles("x"), album({ importDerivedRoles: ["nosuch"] })],
      [["policies[1].resourcePolicy.importDerivedRoles[0]", "unknown-import"]],
    ],
    ["a scope without its parent", [album(), album({ scope: "a.b" })], [["policies[1]", "missing-ancestor"]]],
  ])("nothing is stored of policies with %s", async (_sentence, policies, problems) => {
    const { told } = await follow(store());
    const answer = await ask(put(roles("sound"), ...policies));
    expect(answer).toMatchObject({ kind: "refused", because: "invalid" });
    expect(answer.kind === "refused" && answer.problems.map(({ path, code }) => [path, code])).toEqual(
      problems.map(([path, code]) => [path.replace(/\d/, (digit) => String(Number(digit) + 1)), code]),
    );
    expect(told).toHaveLength(1);
    expect(files()).toEqual([]);
  });

  test("what would break a policy that is there is refused, with the place", async () => {
    await follow(store());
    await ask(
      put(roles("r"), album({ importDerivedRoles: ["r"], rules: [{ actions: ["a"], effect: "EFFECT_DENY", derivedRoles: ["owner"] }] })),
    );
    const other = { apiVersion: "api.authz.dev/v1", derivedRoles: { name: "r", definitions: [{ name: "other", parentRoles: ["user"] }] } };
    const answer = await ask(put(other));
    expect(answer).toMatchObject({
      kind: "refused",
      because: "invalid",
      problems: [{ path: "", message: expect.stringMatching(/^resource\.album\.vdefault.*:\d+:\d+: /) }],
    });
  });

  test("a reference to a schema that is not there yet is a warning", async () => {
    const { told } = await follow(store());
    expect(await ask(put(refers))).toEqual({ kind: "changed", count: 1 });
    expect(told.at(-1)).toMatchObject({ warnings: [{ code: "invalid-schema", severity: "warning" }] });
    await ask(putSchema("a.json", {}));
    expect(told.at(-1)).toMatchObject({ warnings: [], schemas: new Map([["a.json", "{}"]]) });
  });

  test("schemas are listed, found, replaced and deleted", async () => {
    await follow(store());
    await ask({
      kind: "put schemas",
      schemas: [
        { id: "b/c.json", text: "{}" },
        { id: "a.json", text: "{}" },
        { id: "a.json", text: '{"type":"object"}' },
      ],
    });
    expect(new Set(Object.values(await ask({ kind: "list schemas" })))).toEqual(new Set(["a.json", "b/c.json"]));
    expect(await ask({ kind: "get schemas", ids: ["nosuch.json", "b/c.json", "a.json"] })).toEqual([
      { id: "b/c.json", text: "{}" },
      { id: "a.json", text: '{"type":"object"}' },
    ]);
    expect(await ask(remove("a.json", "nosuch.json"))).toEqual({ kind: "changed", count: 1 });
    expect(await ask(remove("a.json"))).toEqual({ kind: "changed", count: 0 });
    expect(await ask({ kind: "list schemas" })).toEqual(["b/c.json"]);
  });

  test.each<[sentence: string, id: string, definition: object | string, why: RegExp]>([
    ["an id with ..", "../a.json", {}, /must not have the segments/],
    ["an id that begins with a slash", "/etc/passwd.json", {}, /must not begin with a slash/],
    ["no JSON", "a.json", "{", /line 1, column 2/],
    ["a name given twice", "a.json", '{"type":"object","type":"string"}', /duplicate field `type`/],
    ["a list", "a.json", "[]", /not a JSON object/],
    ["a word", "a.json", "true", /must be a JSON object/],
    ["no type that there is", "a.json", { properties: { x: { type: "objekt" } } }, /`\/properties\/x\/type` must be one of/],
    ["an unknown draft", "a.json", { $schema: "https://example.com/none" }, /names no draft/],
    ["a reference into nothing of its own", "a.json", { $ref: "#/$defs/nosuch" }, /nosuch/],
    ["a reference to a place that is not allowed", "a.json", { $ref: "https://example.com/x.json" }, /not allowed/],
    ["a pattern that is none", "a.json", { pattern: "(" }, /pattern/],
  ])("a schema is refused for %s, naming it and the place", async (_sentence, id, definition, why) => {
    await follow(store());
    const answer = await ask({ kind: "put schemas", schemas: [{ id: "sound.json", text: "{}" }, ...putSchema(id, definition).schemas] });
    expect(answer).toMatchObject({
      kind: "refused",
      because: "invalid",
      problems: [{ path: expect.stringMatching(/^schemas\[1\]\.(id|definition)$/), message: expect.stringMatching(why) }],
    });
    expect(answer.kind === "refused" && answer.problems[0]?.message).toContain(`\`${id}\``);
    expect(await ask({ kind: "list schemas" })).toEqual([]);
  });

  test("a schema may refer to one that is not there yet, or comes with it", async () => {
    await follow(store());
    expect(await ask(putSchema("a.json", { $ref: "authz:///later.json" }))).toMatchObject({ kind: "changed" });
    expect(
      await ask({
        kind: "put schemas",
        schemas: [
          { id: "b.json", text: '{"$ref":"c.json#/$defs/x"}' },
          { id: "c.json", text: '{"$defs":{"x":{}}}' },
        ],
      }),
    ).toMatchObject({ kind: "changed" });
  });

  test.each<[sentence: string, attempt: readonly string[], allowed: boolean]>([
    ["that a policy refers to", ["a.json"], false],
    ["that one refers to that a policy refers to", ["part.json"], false],
    ["that nobody refers to", ["free.json"], true],
    ["with one that is needed", ["free.json", "a.json"], false],
  ])("a schema %s can be deleted or not: %j %s", async (_sentence, ids, allowed) => {
    await follow(store());
    await ask({
      kind: "put schemas",
      schemas: [
        { id: "a.json", text: '{"$ref":"part.json"}' },
        { id: "part.json", text: "{}" },
        { id: "free.json", text: "{}" },
      ],
    });
    await ask(put(refers));
    const answer = await ask(remove(...ids));
    if (allowed) expect(answer).toEqual({ kind: "changed", count: 1 });
    else
      expect(answer).toMatchObject({
        kind: "refused",
        because: "precondition",
        problems: [{ message: "the policy `resource.album.vdefault` refers to `authz:///a.json`" }],
      });
    expect(await ask({ kind: "list schemas" })).toHaveLength(allowed ? 2 : 3);
  });

  test("nobody's schemas are looked at where attributes are not validated, and they are stored and listed all the same", async () => {
    const { told } = await follow(store(), false);
    await ask(putSchema("a.json", {}));
    await ask(put(refers));
    expect(told.at(-1)).not.toHaveProperty("schemas");
    expect(await ask({ kind: "list schemas" })).toEqual(["a.json"]);
    expect(await ask(remove("a.json"))).toMatchObject({ kind: "refused", because: "precondition" });
  });

  test("many writes at once all count, one after the other", async () => {
    const { told } = await follow(store());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(put(roles(`r${index}`)))));
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ kind: "changed", count: 1 })));
    expect(told.at(-1)).toMatchObject({ policies: 20 });
  });
});

describe("a database that another process keeps locked", () => {
  const filter = { includeDisabled: true, ids: [] };
  const cases: readonly (readonly [sentence: string, command: StoreCommand, answer: object])[] = [
    ["lists no policies", { kind: "list policies", filter }, { because: "unavailable" }],
    ["returns no policies", { kind: "get policies", ids: ["resource.album.vdefault"] }, { because: "unavailable" }],
    ["inspects no policies", { kind: "inspect policies", filter }, { because: "unavailable" }],
    ["lists no schemas", { kind: "list schemas" }, { because: "unavailable" }],
    ["returns no schemas", { kind: "get schemas", ids: ["a.json"] }, { because: "unavailable" }],
    ["is not read again", { kind: "reload" }, { because: "unavailable" }],
    ["takes no change", put(roles("x")), { because: "store", isPassing: true }],
    ["forgets no revisions", { kind: "purge revisions", keepLast: 1 }, { because: "store", isPassing: true }],
  ];
  test.each(cases)("%s: whoever asks again may succeed", async (_sentence, command, answer) => {
    const path = join(folder, "x.db");
    await follow(openSqliteStore({ place: { kind: "file", path, readOnly: false, setting: "storage.sqlite.path" }, busyMilliseconds: 20 }));
    const holder = new Libsql(path);
    holder.exec("BEGIN EXCLUSIVE");
    expect(await ask(command)).toMatchObject({
      kind: "refused",
      message: expect.stringMatching(/another process holds it locked.*: ask again$/),
      ...answer,
    });
    holder.exec("COMMIT");
    holder.close();
    expect(await ask(command)).not.toMatchObject({ kind: "refused" });
  });
});

describe("a folder that others write into", () => {
  const text = (name: string): string =>
    `apiVersion: api.authz.dev/v1\nderivedRoles:\n  name: ${name}\n  definitions:\n    - name: owner\n      parentRoles: [user]\n`;

  test("their files are told of with ours, and none is lost", async () => {
    const { told } = await follow(disk());
    writeFileSync(join(folder, "theirs.yaml"), text("theirs"));
    await ask(put(roles("ours")));
    expect(told.at(-1)).toMatchObject({ policies: 2 });
    expect(files()).toEqual(["derived_roles.ours.yaml", "theirs.yaml"]);
  });

  test("a policy stays in the file that defines it, whatever that is called, and keeps its form", async () => {
    mkdirSync(join(folder, "deep"));
    writeFileSync(join(folder, "deep/mine.yaml"), text("x"));
    writeFileSync(join(folder, "other.json"), JSON.stringify(roles("y")));
    await follow(disk());
    expect(await ask(put({ ...roles("x"), description: "new" }, { ...roles("y"), description: "new" }))).toEqual({
      kind: "changed",
      count: 2,
    });
    expect(files()).toEqual(["deep/mine.yaml", "other.json"]);
    expect(readFileSync(join(folder, "deep/mine.yaml"), "utf8")).toContain("description: new\n");
    expect(JSON.parse(readFileSync(join(folder, "other.json"), "utf8"))).toMatchObject({ description: "new" });
  });

  test("a file of the policy's name that holds another policy is not overwritten", async () => {
    writeFileSync(join(folder, "derived_roles.x.yaml"), text("another"));
    await follow(disk());
    await ask(put(roles("x")));
    expect(files()).toEqual(["derived_roles.x-2.yaml", "derived_roles.x.yaml"]);
  });

  test("files are named so that no file system takes two for one, whatever it thinks of case", async () => {
    await follow(disk());
    await ask(put(roles("Apple"), roles("apple")));
    await ask(put(roles("APPLE")));
    expect(files()).toEqual(["derived_roles.APPLE-3.yaml", "derived_roles.Apple.yaml", "derived_roles.apple-2.yaml"]);
  });

  test("while it holds a broken policy nothing is changed, and the answer says why; then it goes on", async () => {
    const { told } = await follow(disk());
    writeFileSync(join(folder, "theirs.yaml"), "apiVersion: [");
    expect(await ask(putSchema("a.json", {}))).toMatchObject({
      kind: "refused",
      because: "precondition",
      problems: [{ message: expect.stringContaining("theirs.yaml:1:") }],
    });
    expect(told.at(-1)).toMatchObject({ kind: "broken" });
    rmSync(join(folder, "theirs.yaml"));
    expect(await ask(putSchema("a.json", {}))).toEqual({ kind: "changed", count: 1 });
  });

  test("a write mends what is broken", async () => {
    const { told } = await follow(disk());
    await ask(put(roles("x")));
    writeFileSync(join(folder, "derived_roles.x.yaml"), `${text("x")}nonsense: 1\n`);
    expect(await ask(putSchema("a.json", {}))).toMatchObject({ kind: "refused" });
    expect(await ask(put(roles("x")))).toEqual({ kind: "changed", count: 1 });
    expect(told.at(-1)).toMatchObject({ kind: "change", policies: 1 });
  });

  test("an edit that comes between reading and writing begins the write again, on what it left", async () => {
    const store = disk();
    let meddle = 2;
    await follow({
      ...store,
      write: (batch, at) => {
        if (meddle-- > 0) writeFileSync(join(folder, "derived_roles.x.yaml"), `# edit ${meddle}\n${text("x")}`);
        return store.write(batch, at);
      },
    });
    expect(await ask(put(roles("x")))).toEqual({ kind: "changed", count: 1 });
    expect(readFileSync(join(folder, "derived_roles.x.yaml"), "utf8")).not.toContain("# edit");
  });

  test("one that never stops is given up", async () => {
    const store = disk();
    let edit = 0;
    await follow({
      ...store,
      write: (batch, at) => {
        writeFileSync(join(folder, "derived_roles.x.yaml"), `# edit ${edit++}\n${text("x")}`);
        return store.write(batch, at);
      },
    });
    expect(await ask(put(roles("x")))).toMatchObject({
      kind: "refused",
      because: "store",
      message: expect.stringContaining("try again"),
      isPassing: true,
    });
  });

  test("a folder that is gone refuses the write", async () => {
    await follow(disk());
    rmSync(folder, { recursive: true });
    expect(await ask(put(roles("x")))).toMatchObject({
      kind: "refused",
      because: "store",
      message: expect.stringContaining("does not exist"),
    });
  });

  test("a schema that somebody has put beside is listed, also where nobody watches", async () => {
    await follow(disk());
    mkdirSync(join(folder, "_schemas"));
    writeFileSync(join(folder, "_schemas/hand.json"), "{}");
    expect(await ask({ kind: "list schemas" })).toEqual(["hand.json"]);
  });

  test("a read-only one answers questions and changes nothing", async () => {
    await follow(openDiskStore({ directory: folder, readOnly: true }));
    for (const command of [put(roles("x")), putSchema("a.json", {}), remove("a.json")])
      expect(await ask(command)).toMatchObject({
        kind: "refused",
        because: "read-only",
        message: expect.stringContaining("storage.disk.readOnly"),
      });
    // Asked at the same time, they would be made together.
    const together = await Promise.all([put(roles("x")), put(roles("y")), putSchema("a.json", {}), putSchema("b.json", {})].map(ask));
    expect(together.map((answer) => "because" in answer && answer.because)).toEqual(Array.from({ length: 4 }, () => "read-only"));
    expect(await ask({ kind: "list schemas" })).toEqual([]);
    expect(files()).toEqual([]);
  });
});

test("what is asked of the store is counted", async () => {
  const { polls } = await follow(memory());
  const before = polls();
  await ask({ kind: "list schemas" });
  expect(polls()).toBe(before + 1);
});
