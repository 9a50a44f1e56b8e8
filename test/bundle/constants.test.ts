/** Constants are data of a bundle, and programs take each for what it should be: one of another kind is refused when the bundle is read. */
import { describe, expect, test } from "vitest";
import type { BundledUnit, ConstantValue } from "../../runtime/bundle.ts";
import { readContent, writeContent } from "../../src/bundle/file.ts";
import { bundleOf, rebuilt } from "./try-out.ts";

const actions = Array.from({ length: 30 }, (_, at) => `"act${at}"`);
const bundle = bundleOf(
  `apiVersion: api.authz.dev/v1
derivedRoles:
  name: own
  definitions: [{ name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }]
`,
  `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  importDerivedRoles: [own]
  rules:
    - { actions: [view], effect: EFFECT_ALLOW, derivedRoles: [owner] }
    - { actions: ["edit:*"], effect: EFFECT_ALLOW, roles: [user, "admin*"], condition: { match: { expr: R.attr.size < 12.5 } } }
    - actions: [${actions.join(", ")}]
      effect: EFFECT_ALLOW
      roles: [clerk]
      condition: { match: { expr: 'R.attr.name.startsWith("a-") && size(R.attr.list) + 3 > 5' } }
      output: { when: { ruleActivated: '"told"' } }
${actions.map((action) => `    - { actions: [${action}], effect: EFFECT_DENY, roles: [guest], condition: { match: { expr: 'R.attr.kind in ["x", ${action}]' } } }`).join("\n")}
`,
);
const { constants } = bundle.units[0] ?? { constants: [] };

/** Reads the bundle with the first constant replaced that is like this. */
function reading(like: (constant: ConstantValue) => boolean, by: ConstantValue): string {
  const at = constants.findIndex(like);
  expect(at).toBeGreaterThanOrEqual(0);
  const unit = (one: BundledUnit): BundledUnit => ({ ...one, constants: one.constants.with(at, by) });
  try {
    writeContent({ bundle: rebuilt(bundle, { unit }), schemas: new Map(), policies: 2 });
    return "taken";
  } catch (error) {
    return String(error);
  }
}
const is = (value: unknown) => (constant: ConstantValue) => JSON.stringify(constant) === JSON.stringify(value);
const isPairs = (constant: ConstantValue): boolean => Array.isArray(constant) && Array.isArray(constant[0]);
const refused = (should: string): RegExp =>
  new RegExp(`^Refusal: it does not have the contents of a bundle: \`units\\[0\\]\\.constants\\[\\d+\\]\` ${should}$`);

describe("a constant of another kind is refused", () => {
  test.each<[sentence: string, like: (constant: ConstantValue) => boolean, by: ConstantValue, because: RegExp]>([
    ["a number for the name of a derived role", is("owner"), 7, refused("must be a string")],
    ["a list for the name of a derived role", is("owner"), ["owner"], refused("must be a string")],
    ["a text for the roles of a derived role", is(["user"]), "user", refused("must be a list of strings")],
    ["numbers for the roles of a derived role", is(["user"]), [1], refused("must be a list of strings")],
    ["a list for the bits of patterns", is(1), [1], refused("must be the bits of patterns")],
    ["more bits than there are", is(1), 2 ** 40, refused("must be the bits of patterns")],
    ["no whole bits", is(1), 1.5, refused("must be the bits of patterns")],
    ["an int for the bits of patterns", is(1), { int: "1" }, refused("must be the bits of patterns")],
    ["a list for a pattern", is("edit:*"), ["edit:*"], refused("must be a string")],
    ["a list where it is compared", is(12.5), [12.5], refused("must be no list or map")],
    ["a map where it is compared", is(12.5), { object: [["valueOf", 1]] }, refused("must be no list or map")],
    ["a text where it is added up", is(3), "3", refused("must be a number")],
    ["an int where it is added up", is(3), { int: "3" }, refused("must be a number")],
    ["a number for the beginning of a text", is("a-"), 1, refused("must be a string")],
    ["a text for the numbers of actions", isPairs, "ab", refused("must be a list of strings with their numbers")],
    ["texts for the numbers of actions", isPairs, [["act0", "0"]], refused("must be a list of strings with their numbers")],
    [
      "so many numbers in a set that they could lie in one place",
      is(["x", "act0"]),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
      refused("must be a list of strings and of 8 numbers at most"),
    ],
    ["nothing for the scope", is(""), null, refused("must be a string")],
  ])("%s", (_sentence, like, by, because) => {
    expect(reading(like, by)).toMatch(because);
  });

  test("too few", () => {
    const unit = (one: BundledUnit): BundledUnit => ({ ...one, constants: one.constants.slice(0, -1) });
    expect(() => writeContent({ bundle: rebuilt(bundle, { unit }), schemas: new Map(), policies: 2 })).toThrow(
      /`units\[0\]\.constants\[\d+\]` must be a/,
    );
  });
});

test("as they were built they are taken, and so is another one of the same kind", () => {
  const content = { bundle, schemas: new Map<string, string>(), policies: 2 };
  expect(readContent(writeContent(content)).bundle.units[0]?.constants).toEqual(constants);
  expect(reading(is("owner"), "other")).toBe("taken");
  expect(reading(is(12.5), 99)).toBe("taken");
});
