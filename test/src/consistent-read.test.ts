/** Readings of a place that others change meanwhile. */
import { expect, test } from "vitest";
import { readConsistently } from "../../src/store/consistent-read.ts";
import type { Changes } from "../../src/store/store.ts";

const changes = (parts: { readonly changed?: readonly string[]; readonly removed?: readonly string[] }): Changes => ({
  changed: (parts.changed ?? []).map((text) => ({ path: text.slice(0, 1), text })),
  removed: parts.removed ?? [],
  changedSchemas: [],
  removedSchemas: [],
  unreadable: [],
});

/** What each reading gives, and whether something stirred meanwhile. */
type Reading = readonly [gives: Changes | Error, stirs: boolean];

test.each<[sentence: string, readings: readonly Reading[], texts: readonly string[], removed: readonly string[]]>([
  ["is told when nothing stirs", [[changes({ changed: ["a1"] }), false]], ["a1"], []],
  [
    "is read again when something stirs, and told as one",
    [
      [changes({ changed: ["b2"], removed: ["c"] }), true],
      [changes({ changed: ["a2", "c1"] }), false],
    ],
    ["b2", "a2", "c1"],
    [],
  ],
  [
    "is told as it was last",
    [
      [changes({ changed: ["a1", "b1"] }), true],
      [changes({ changed: ["a2"], removed: ["b"] }), false],
    ],
    ["a2"],
    ["b"],
  ],
  [
    "is told at last also where it never is quiet",
    Array.from({ length: 9 }, (_, index) => [changes({ changed: [`a${index}`] }), true]),
    ["a4"],
    [],
  ],
])("what changed %s", async (_sentence, readings, texts, removed) => {
  const left = [...readings];
  let eventCount = 0;
  const read = readConsistently(
    async () => {
      const [gives, stirred] = left.shift() ?? expect.fail("it was read too often");
      if (stirred) eventCount++;
      if (gives instanceof Error) throw gives;
      return gives;
    },
    () => eventCount,
  );
  const told = await read(false);
  expect([told.changed.map(({ text }) => text), told.removed]).toEqual([texts, removed]);
});

test.each<[sentence: string, first: Partial<Changes>, then: Partial<Changes>, last: Partial<Changes>]>([
  [
    "a schema that is gone in the end",
    { changedSchemas: [{ path: "a.json", text: "{}" }] },
    { removedSchemas: ["a.json"] },
    { removedSchemas: ["a.json"] },
  ],
  [
    "a schema that is back in the end",
    { removedSchemas: ["a.json"] },
    { changedSchemas: [{ path: "a.json", text: "{}" }] },
    { changedSchemas: [{ path: "a.json", text: "{}" }] },
  ],
  [
    "a file that cannot be read in the end",
    { removed: ["b"] },
    { unreadable: [{ path: "a", message: "it is a pipe" }] },
    { removed: ["b"], unreadable: [{ path: "a", message: "it is a pipe" }] },
  ],
  [
    "a file that can be read in the end",
    { removed: ["b"], unreadable: [{ path: "a", message: "it is a pipe" }] },
    { changed: [{ path: "a", text: "1" }] },
    { removed: ["b"], changed: [{ path: "a", text: "1" }] },
  ],
])("%s is told as that, and once", async (_sentence, first, then, last) => {
  const nothing = changes({});
  const left = [first, then, {}];
  let eventCount = 0;
  const read = readConsistently(
    async () => {
      if (left.length === 3) eventCount++;
      return { ...nothing, ...left.shift() };
    },
    () => eventCount,
  );
  expect(await read(false)).toEqual({ ...nothing, ...last });
  expect(await read(false)).toEqual(nothing);
});

test("a thorough reading is thorough each time", async () => {
  const asked: boolean[] = [];
  const read = readConsistently(
    async (thorough) => {
      asked.push(thorough);
      return changes({ changed: ["a1"] });
    },
    () => Math.min(asked.length, 2),
  );
  await read(true);
  expect(asked).toEqual([true, true, true]);
});

test("what was read before the place was gone is not told until it is back, and then it is", async () => {
  const left: readonly Reading[] = [
    [changes({ changed: ["a2"], removed: ["b"] }), true],
    [new Error("gone"), false],
    [changes({ changed: ["b1"] }), false],
  ];
  let turn = 0;
  let eventCount = 0;
  const read = readConsistently(
    async () => {
      const [gives, stirred] = left[turn++] ?? expect.fail("it was read too often");
      if (stirred) eventCount++;
      if (gives instanceof Error) throw gives;
      return gives;
    },
    () => eventCount,
  );
  await expect(read(false)).rejects.toThrow("gone");
  const told = await read(false);
  expect([told.changed.map(({ text }) => text), told.removed]).toEqual([["a2", "b1"], []]);
});
