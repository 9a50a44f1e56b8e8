/** Versions of a map against plain maps that are copied. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VersionedMap } from "../../runtime/versioned-map.ts";

const keys = fc.constantFrom("", "a", "b", "a/b.yaml", "__proto__", "constructor", "\u{1F600}", "x".repeat(300));
const edits = fc.array(fc.tuple(keys, fc.option(fc.integer(), { nil: undefined })), { maxLength: 12 });

/** What a plain map is after the same edits. */
function edited(map: ReadonlyMap<string, number>, by: readonly (readonly [string, number | undefined])[]): Map<string, number> {
  const next = new Map(map);
  for (const [key, value] of by)
    if (value === undefined) next.delete(key);
    else next.set(key, value);
  return next;
}

function version(map: VersionedMap<number>, by: readonly (readonly [string, number | undefined])[]): VersionedMap<number> {
  const draft = map.edit();
  for (const [key, value] of by)
    if (value === undefined) draft.delete(key);
    else draft.set(key, value);
  return draft.finish();
}

const sorted = (entries: Iterable<readonly [string, number]>): readonly (readonly [string, number])[] =>
  [...entries].sort(([left], [right]) => (left < right ? -1 : 1));

describe("versions of a map", () => {
  it("hold what plain maps hold, and stay as they were", () => {
    fc.assert(
      fc.property(fc.array(edits, { maxLength: 8 }), (steps) => {
        const plain = [new Map<string, number>()];
        const versions = [VersionedMap.of<number>()];
        for (const step of steps) {
          plain.push(edited(plain.at(-1) ?? new Map(), step));
          versions.push(version(versions.at(-1) ?? VersionedMap.of(), step));
        }
        for (const [index, map] of versions.entries()) {
          const like = plain[index] ?? new Map<string, number>();
          expect(sorted(map)).toEqual(sorted(like));
          expect([map.size, [...map.keys()].length, [...map.values()].length]).toEqual([like.size, like.size, like.size]);
          expect(sorted(VersionedMap.of(like))).toEqual(sorted(like));
        }
      }),
    );
  });

  it("tell exactly what is different", () => {
    fc.assert(
      fc.property(edits, edits, (first, then) => {
        const was = version(VersionedMap.of<number>(), first);
        const is = version(was, then);
        const told = new Map<string, readonly [number | undefined, number | undefined]>();
        is.forEachDifference(was, (key, before, now) => void told.set(key, [before, now]));
        const meant = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
        expect([...told.keys()].sort()).toEqual(meant.sort());
        for (const [key, values] of told) expect(values).toEqual([was.get(key), is.get(key)]);
      }),
    );
  });

  it("keep the order of their keys while these are the same", () => {
    const first = VersionedMap.of(Array.from({ length: 2000 }, (_, index) => [`${index}.yaml`, index] as const));
    const then = version(first, [["7.yaml", -1]]);
    expect([...then.keys()]).toEqual([...first.keys()]);
    expect(then.get("7.yaml")).toBe(-1);
    expect(first.get("7.yaml")).toBe(7);
  });

  it("go on from a draft that was finished once", () => {
    const draft = VersionedMap.of([["a", 1]]).edit();
    const first = draft.finish();
    draft.set("a", 2);
    expect([first.get("a"), draft.finish().get("a")]).toEqual([1, 2]);
  });
});
