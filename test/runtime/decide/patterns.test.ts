/** Which patterns of a policy match roles and kinds, as bits (semantics 4.2, D34). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../../runtime/decide/glob.ts";
import { either, matchedOf, matchesNone, openKindPatterns, openRolePatterns, shareBits } from "../../../runtime/decide/patterns.ts";
import type { Matched } from "../../../runtime/decide/unit.ts";

/** The indexes of the bits that are set. */
const indexes = (matched: Matched): readonly number[] =>
  (typeof matched === "number" ? [matched] : matched).flatMap((word, at) =>
    Array.from({ length: 31 }, (_, bit) => bit).flatMap((bit) => ((word >>> bit) & 1 ? [at * 31 + bit] : [])),
  );

const roles = ["user", "*", "team_*", "a?", "my-role"];
const kinds = ["leave-request", "a:*", "leave_*", "*", "a:b", "a_b"];

describe("patterns", () => {
  it.each<[what: string, found: Matched, expected: readonly number[]]>([
    ["a role by its name", openRolePatterns(roles).matching("user"), [0, 1]],
    ["any role", openRolePatterns(roles).matching("constructor"), [1]],
    ["a glob", openRolePatterns(roles).matching("team_x"), [1, 2]],
    ["what is a glob only with a star", openRolePatterns(roles).matching("ab"), [1]],
    ["roles are not sanitised", openRolePatterns(roles).matching("my_role"), [1]],
    ["a kind as both are sanitised", openKindPatterns(kinds).matching("leave@request"), [0, 2, 3]],
    ["a kind as written", openKindPatterns(kinds).matching("a:b"), [1, 3, 4, 5]],
    ["a sanitised kind", openKindPatterns(kinds).matching("leave_x:y"), [2, 3]],
  ])("%s", (_, found, expected) => {
    expect(indexes(found)).toEqual(expected);
  });

  it("match what each matches, however many there are, whatever was asked before", () => {
    const name = fc.constantFrom("a", "b", "ab", "a:b", "team_1", "__proto__", "x".repeat(100));
    const pattern = fc.constantFrom("a", "b", "*", "a*", "*b", "team_*", "__proto__", "a:*", "x*", "zz");
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 90 }), fc.array(name, { minLength: 1, maxLength: 8 }), (patterns, names) => {
        const opened = openRolePatterns(patterns);
        const matching = (each: string) =>
          patterns.flatMap((one, at) => ((one.includes("*") ? matchesGlob(one, each) : one === each) ? [at] : []));
        for (const each of names) expect(indexes(opened.matching(each))).toEqual(matching(each));
        const all = names.map(opened.matching).reduce(either);
        expect(indexes(all)).toEqual([...new Set(names.flatMap(matching))].sort((left, right) => left - right));
        expect(matchesNone(all)).toBe(indexes(all).length === 0);
        const some = matchedOf(patterns.length > 3 ? [3] : [], patterns.length);
        expect(shareBits(all, some)).toBe(indexes(all).includes(3) && patterns.length > 3);
      }),
    );
  });
});
