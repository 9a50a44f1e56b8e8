/** What is told about a store while it changes. */
import { describe, expect, test } from "vitest";
import { followStore } from "../../src/follow/compile-loop.ts";
import type { GoodOutcome, Outcome } from "../../src/compile/outcome.ts";
import { wholeText } from "../../src/texts/in-pieces.ts";
import { refusal } from "../../src/refusal.ts";
import type { Changes, Store } from "../../src/store/store.ts";
import { eventually } from "../server/harness.ts";
import { brokenPolicy, closedPolicy, expensePolicy } from "../server/policies.ts";

interface MemoryStore extends Store {
  /** What the next readings return, one after the other; afterwards nothing changes. */
  readonly push: (...readings: readonly (Partial<Changes> | Error)[]) => void;
  readonly readings: () => number;
}

/** A store that says what it is told to say. */
function memoryStore(first: Partial<Changes> | Error): MemoryStore {
  const queue: (Partial<Changes> | Error)[] = [first];
  let notify: () => void = () => undefined;
  let readings = 0;
  let still: Changes["unreadable"] = [];
  return {
    name: "memory",
    read: async () => {
      readings++;
      const next = queue.shift() ?? {};
      if (next instanceof Error) throw next;
      still = next.unreadable ?? still;
      return { changed: [], removed: [], changedSchemas: [], removedSchemas: [], ...next, unreadable: still };
    },
    watch: (changed) => void (notify = changed),
    readOnly: "it only says what it is told to say",
    placeOf: (key) => key,
    schemaIdProblem: () => undefined,
    sourceOf: (policy) => policy,
    write: async () => "stale",
    close: async () => undefined,
    push: (...more) => {
      queue.push(...more);
      notify();
    },
    readings: () => readings,
  };
}

const policy = (text: string): Partial<Changes> => ({ changed: [{ path: "expense.yaml", text }] });
const unreadable: Partial<Changes> = { unreadable: [{ path: "expense.yaml", message: "the file cannot be read (EACCES)" }] };

function follow(store: MemoryStore): {
  readonly told: Outcome[];
  readonly kinds: () => readonly string[];
  readonly postWholeSet: () => void;
  readonly close: () => Promise<void>;
} {
  const told: Outcome[] = [];
  const loop = followStore({
    store,
    watch: true,
    post: (outcome) => void told.push(outcome),
    schemas: { allowRefs: ["store"], allowedHosts: [] },
    quietMilliseconds: 1,
    longestWaitMilliseconds: 5,
  });
  return {
    postWholeSet: loop.postWholeSet,
    told,
    kinds: () => told.filter((outcome) => !("again" in outcome)).map((outcome) => outcome.kind),
    close: loop.close,
  };
}

describe("followStore tells", () => {
  const cases: readonly (readonly [
    sentence: string,
    readings: readonly [Partial<Changes> | Error, ...(Partial<Changes> | Error)[]],
    kinds: readonly string[],
  ])[] = [
    ["of a good set", [policy(expensePolicy)], ["set"]],
    ["of an empty set", [{}], ["set"]],
    ["of a change", [policy(expensePolicy), policy(closedPolicy)], ["set", "change"]],
    [
      "of a broken set, then of a mended one",
      [policy(expensePolicy), policy(brokenPolicy), policy(closedPolicy)],
      ["set", "broken", "change"],
    ],
    ["of a file that cannot be read, once", [policy(expensePolicy), unreadable, unreadable, unreadable], ["set", "broken"]],
    [
      "of a store that is gone, once, and of its return",
      [policy(expensePolicy), refusal("gone"), refusal("gone"), {}],
      ["set", "unreachable", "change"],
    ],
    ["of a store that was never there", [refusal("gone")], ["unreachable"]],
    ["nothing when nothing changed", [policy(expensePolicy), {}, {}], ["set"]],
  ];
  test.each(cases)("%s", async (_sentence, [first, ...rest], kinds) => {
    const store = memoryStore(first);
    const { kinds: found, close } = follow(store);
    for (const reading of rest) {
      const before = store.readings();
      store.push(reading);
      await eventually(store.readings, (readings) => readings > before);
    }
    await eventually(found, (list) => list.length >= kinds.length);
    await close();
    expect(found()).toEqual(kinds);
  });
});

test("a set is the bundle's text, its digest and how many files it is made of", async () => {
  const store = memoryStore(policy(expensePolicy));
  const { told, kinds, close } = follow(store);
  await eventually(kinds, (list) => list.length > 0);
  await close();
  const [outcome] = told;
  expect(outcome).toMatchObject({ kind: "set", policies: 1, warnings: [], digest: expect.stringMatching(/^[0-9a-f]{16,}$/) });
  expect(outcome?.kind === "set" && JSON.parse(wholeText(outcome.text)).manifest.digest).toBe(outcome?.kind === "set" && outcome.digest);
});

test("a finding says where, what, and shows the source", async () => {
  const store = memoryStore(policy(brokenPolicy));
  const { told, kinds, close } = follow(store);
  await eventually(kinds, (list) => list.length > 0);
  await close();
  expect(told[0]).toMatchObject({
    kind: "broken",
    findings: [{ severity: "error", place: expect.stringMatching(/^expense\.yaml:14:\d+$/), printed: expect.stringContaining("14 |") }],
  });
});

describe("schemas", () => {
  const schema = (text: string): Partial<Changes> => ({ changedSchemas: [{ path: "e.json", text }] });
  const withSchema = policy(expensePolicy.replace("  rules:", "  schemas: {resourceSchema: {ref: 'authz:///e.json'}}\n  rules:"));
  const good = (outcome: Outcome | undefined): GoodOutcome => {
    if (outcome?.kind !== "set" && outcome?.kind !== "change") throw new Error(`not a set: ${JSON.stringify(outcome)}`);
    return outcome;
  };

  test("travel with the set, and again when they are others; what is wrong with a reference is a warning", async () => {
    const store = memoryStore(withSchema);
    const { told, close, postWholeSet } = follow(store);
    const next = async (count: number, reading: Partial<Changes>): Promise<void> => {
      store.push(reading);
      await eventually(
        () => told.length,
        (length) => length >= count,
      );
    };
    await eventually(
      () => told.length,
      (length) => length === 1,
    );
    await next(2, schema("{}"));
    await next(3, policy(closedPolicy));
    await next(4, { removedSchemas: ["e.json"] });
    await close();
    expect(told.map((outcome) => [outcome.kind, good(outcome).warnings.map(({ code }) => code), good(outcome).schemas])).toEqual([
      ["set", ["invalid-schema"], new Map()],
      ["change", [], new Map([["e.json", "{}"]])],
      ["change", [], undefined],
      ["change", [], new Map()],
    ]);
    expect(postWholeSet).not.toThrow();
  });

  test("that go or break while the policies stay are warned of, each time", async () => {
    const store = memoryStore({ ...withSchema, ...schema("{}") });
    const { told, close } = follow(store);
    const readings = [{ removedSchemas: ["e.json"] }, schema("{}"), schema('{"type":5}'), schema("{}"), { removedSchemas: ["e.json"] }];
    for (const [index, reading] of readings.entries()) {
      await eventually(
        () => told.length,
        (length) => length === index + 1,
      );
      store.push(reading);
    }
    await eventually(
      () => told.length,
      (length) => length > readings.length,
    );
    await close();
    expect(told.map((outcome) => good(outcome).warnings.map(({ code }) => code))).toEqual([
      [],
      ["invalid-schema"],
      [],
      ["invalid-schema"],
      [],
      ["invalid-schema"],
    ]);
  });

  test("a change builds on what was told before; who could not take it is told of the whole", async () => {
    const store = memoryStore(withSchema);
    const { told, close, postWholeSet } = follow(store);
    await eventually(
      () => told.length,
      (length) => length === 1,
    );
    store.push(policy(closedPolicy));
    await eventually(
      () => told.length,
      (length) => length === 2,
    );
    postWholeSet();
    await close();
    const [first, change, whole] = told.map((outcome) => JSON.parse(wholeText(good(outcome).text)));
    expect(change).toMatchObject({ from: first.manifest.digest, manifest: whole.manifest, removed: [] });
    expect([told[2]?.kind, whole.units]).toEqual(["set", change.units]);
  });
});
