/** "Did you mean". */
import { expect, test } from "vitest";
import { didYouMean, nearest } from "../../compiler/nearest.ts";

// oxfmt-ignore
test.each([
  // written         known                             nearest
  ["aple_roles",     ["apple_roles", "people_roles"],  "apple_roles"],
  ["action",         ["actions", "condition"],         "actions"],
  ["EFFECT_ALOW",    ["EFFECT_ALLOW", "EFFECT_DENY"],  "EFFECT_ALLOW"],
  ["derivedroles",   ["derivedRoles", "roles"],        "derivedRoles"],
  ["derived-roles",  ["derivedRoles"],                 "derivedRoles"],
  ["ruels",          ["rules", "roles"],               "rules"],
  ["a",              ["b", "c"],                       "b"],
  ["owner",          ["resource", "version"],          undefined],
  ["x",              [],                               undefined],
  ["same",           ["same"],                         undefined],
  ["x".repeat(9999), ["x".repeat(9998), "y"],          "x".repeat(9998)],
])("%s among %j is %s", (written, known, wanted) => {
  expect(nearest(written, known)).toBe(wanted);
});

test("without a near name there is no hint", () => {
  expect(didYouMean("owner", ["version"])).toEqual({});
  expect(didYouMean("owners", ["owner"])).toEqual({ hint: "did you mean `owner`?" });
});
