/** The names of a policy's expressions: semantics 5.1. */
import { expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment, standardEnvironment } from "../../../compiler/cel/environment.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { int, printType, string } from "../../../runtime/cel/type.ts";

const typeIn = (text: string): string => {
  const { tree } = parse(text);
  if (tree === undefined) return "does not parse";
  const { type, issues } = check(tree, policyEnvironment);
  return issues[0]?.message ?? printType(type);
};

test.each([
  ["P.id", "string"],
  ["request.principal.id", "string"],
  ["P.roles", "list(string)"],
  ["P.attr", "map(string, dyn)"],
  ["P.attr.team", "dyn"],
  ["R.kind", "string"],
  ["R.policyVersion", "string"],
  ["R.policy_version", "string"],
  ["request.resource.scope", "string"],
  ["request.auxData.jwt.iss", "dyn"],
  ["request.aux_data.jwt", "map(string, dyn)"],
  ["request.auxData.jwts", "map(string, claims)"],
  ["request.auxData.jwts['a'].claims.sub", "dyn"],
  ["request.auxData.jwts.a.claims", "map(string, dyn)"],
  ["runtime.effectiveDerivedRoles", "list(string)"],
  ["runtime.effective_derived_roles", "list(string)"],
  ["V.anything", "dyn"],
  ["variables.anything", "dyn"],
  ["C.x", "dyn"],
  ["constants.x", "dyn"],
  ["G.x", "dyn"],
  ["globals.x", "dyn"],
  ["V.__proto__", "dyn"],
  ["has(V.x)", "bool"],
  ["has(request.auxData)", "bool"],
  ["has(R.scope)", "bool"],
  ["google.protobuf.Timestamp", "type(timestamp)"],
  ["type(R.attr)", "type(map(string, dyn))"],
  ["int", "type(int)"],
  // Records have declared fields only, are no maps, and are nothing but themselves.
  ["P.attrs", "undefined field `attrs`"],
  ["R.roles", "undefined field `roles`"],
  ["request.aux_Data", "undefined field `aux_Data`"],
  ["R.policy__version", "undefined field `policy__version`"],
  ["P.constructor", "undefined field `constructor`"],
  ["R.__proto__", "undefined field `__proto__`"],
  ["runtime.toString", "undefined field `toString`"],
  ["V['x']", "variables has no elements to index"],
  ["'x' in V", "`in` looks into a list or a map, not into variables"],
  ["R == P", "`==` cannot compare resource with principal"],
  ["R == request.resource", "bool"],
  ["P == null", "bool"],
  ["__proto__", "`__proto__` is not declared"],
  ["constructor", "`constructor` is not declared"],
  ["dyn", "`dyn` is not declared"],
])("%s: %s", (text, wanted) => expect(typeIn(text)).toBe(wanted));

test("an environment of one's own has its variables, its functions and those of CEL", () => {
  const own = standardEnvironment(new Map([["n.x", int]]), {
    container: "n",
    functions: new Map([["n.twice", [{ id: "twice", receiver: false, parameters: [string], result: string }]]]),
  });
  const { tree } = parse("twice('a') + string(x + size('b'))");
  const result = tree && check(tree, own);
  expect(result?.issues).toEqual([]);
  expect(result && printType(result.type)).toBe("string");
});
