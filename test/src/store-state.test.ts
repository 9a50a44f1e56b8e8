/** Lists of what a store holds, one version after another. */
import { expect, it } from "vitest";
import { VersionedMap } from "../../runtime/versioned-map.ts";
import { withEdits, incrementalList } from "../../src/compile/store-state.ts";

const start = VersionedMap.of(Array.from({ length: 50 }, (_, number) => [`k${number}`, number] as const));

it.each<readonly [sentence: string, removed: readonly string[], put: readonly (readonly [string, number])[], isInPlace: boolean]>([
  ["nothing", [], [], true],
  ["another value", [], [["k7", 700]], true],
  [
    "another value, twice",
    [],
    [
      ["k7", 700],
      ["k8", 800],
    ],
    true,
  ],
  ["one more", [], [["new", 1]], false],
  ["one fewer", ["k7"], [], false],
  ["one for another", ["k7"], [["new", 1]], false],
])("after %s the list holds what the map holds", (_, removed, put, isInPlace) => {
  const listOf = incrementalList<number>();
  const held = listOf(start);
  const before = [...held];
  const next = withEdits(start, removed, put);
  const now = listOf(next);
  expect(new Set(now)).toEqual(new Set(next.values()));
  expect(now.length).toBe(next.size);
  if (isInPlace) expect(now.map((value) => (value >= 100 ? value / 100 : value))).toEqual(before);
  expect(held).toEqual(before);
  expect(new Set(listOf(start))).toEqual(new Set(before));
});
