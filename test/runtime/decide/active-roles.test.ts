/** The derived roles of all scopes, as one list: sorted, and each once, whatever the scopes have in common. */
import { expect, test } from "vitest";
import { activeRolesOf } from "../../../runtime/decide/active-roles.ts";

test.each<[what: string, lists: readonly (readonly string[])[] | undefined, expected: readonly string[]]>([
  ["no scopes", undefined, []],
  ["scopes without roles", [[], []], []],
  ["one scope", [["a", "b"]], ["a", "b"]],
  [
    "a scope above that finds the same",
    [
      ["a", "b"],
      ["a", "b"],
    ],
    ["a", "b"],
  ],
  ["a scope above that finds less", [["a", "b", "c"], ["b"], []], ["a", "b", "c"]],
  ["a scope above that finds more", [["b"], ["a", "b", "c"]], ["a", "b", "c"]],
  [
    "scopes that have nothing in common",
    [
      ["a", "d"],
      ["b", "c"],
    ],
    ["a", "b", "c", "d"],
  ],
  [
    "scopes that have something in common",
    [
      ["a", "c"],
      ["b", "c"],
      ["c", "d"],
    ],
    ["a", "b", "c", "d"],
  ],
  ["a list that is in no order", [["c", "a"], ["b"]], ["a", "b", "c"]],
  ["a list above that holds a role twice", [["a"], ["b", "b"]], ["a", "b"]],
  ["capitals, which come first", [["b"], ["B", "a"]], ["B", "a", "b"]],
])("%s", (_what, lists, expected) => {
  expect(activeRolesOf(lists)).toEqual(expected);
});
