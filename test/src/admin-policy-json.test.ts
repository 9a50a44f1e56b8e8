/** Policies as administrators send them: what is not set, what is of another kind than its field, and what is data. */
import { describe, expect, test } from "vitest";
import type { Json } from "../../runtime/wire/json.ts";
import { readPolicyJson } from "../../src/admin/changes/policy-json.ts";

const api = "api.authz.dev/v1";
const around = (resourcePolicy: Json): Json => ({ apiVersion: api, resourcePolicy });
const rule = (fields: { readonly [name: string]: Json }): Json => around({ rules: [fields] });

describe("null means that a field is not set:", () => {
  test.each<readonly [sentence: string, policy: Json, read: Json]>([
    [
      "a text, a flag, a message, a number, a map",
      { apiVersion: api, description: null, disabled: null, metadata: { annotations: null, hash: null }, variables: null },
      { apiVersion: api, metadata: {} },
    ],
    ["one kind of policy beside another", { principalPolicy: null, resourcePolicy: {} }, { resourcePolicy: {} }],
    [
      "lists and messages in a policy",
      around({ variables: null, constants: null, schemas: null, importDerivedRoles: null, rules: null, scope: null }),
      around({}),
    ],
    ["the fields of a rule", rule({ condition: null, output: null, derivedRoles: null, effect: null }), rule({})],
    ["within a rule", rule({ output: { when: null, expr: "1" } }), rule({ output: { expr: "1" } })],
    ["within a condition", rule({ condition: { match: { expr: "true", all: null } } }), rule({ condition: { match: { expr: "true" } } })],
    [
      "within a condition within another",
      rule({ condition: { match: { all: { of: [{ expr: "true", none: null }] } } } }),
      rule({ condition: { match: { all: { of: [{ expr: "true" }] } } } }),
    ],
    ["a field in its other spelling", around({ import_derived_roles: null }), around({})],
  ])("%s", (_sentence, policy, read) => expect(readPolicyJson(policy)).toEqual({ policy: read, wrong: [] }));
});

describe("what is data, or is not known, stays as it is:", () => {
  test.each<readonly [sentence: string, policy: Json]>([
    ["the value of a constant", around({ constants: { local: { a: null, b: { c: null }, d: [null], e: 1 } } })],
    ["an attribute of a source", { metadata: { sourceAttributes: { attributes: { a: null } } } }],
    ["a constant of that name", around({ constants: { local: JSON.parse('{"__proto__": null}') } })],
    ["a field that there is not", { nosuch: null, toString: null }],
    ["a field in both of its spellings", { apiVersion: null, api_version: api }],
    ["the number of a word", rule({ effect: 1 })],
    ["a number that says how it is written", { metadata: { hash: "18446744073709551615" } }],
  ])("%s", (_sentence, policy) => expect(readPolicyJson(policy)).toEqual({ policy, wrong: [] }));
});

test.each<readonly [sentence: string, policy: Json, path: string, message: string]>([
  ["a number for a text", around({ version: 1 }), "$.resourcePolicy.version", "expected a string, found the number `1` (put it in quotes)"],
  ["a flag for a text", { description: true }, "$.description", "expected a string, found `true` (put it in quotes)"],
  [
    "a number for the expression of a variable",
    around({ variables: { local: { a: 1 } } }),
    "$.resourcePolicy.variables.local.a",
    "expected a string, found the number `1` (put it in quotes)",
  ],
  [
    "nothing for the expression of a variable",
    around({ variables: { local: { "a.b": null } } }),
    "$.resourcePolicy.variables.local.'a.b'",
    "expected a string, found null",
  ],
  ["nothing in a list", rule({ actions: ["a", null] }), "$.resourcePolicy.rules[0].actions[1]", "expected a string, found null"],
  ["nothing for a rule", around({ rules: [null] }), "$.resourcePolicy.rules[0]", "expected an object, found null"],
  ["a text for a list", rule({ roles: "a" }), "$.resourcePolicy.rules[0].roles", "expected a list, found the string `a`"],
  ["a text for a flag", { disabled: "true" }, "$.disabled", "expected `true` or `false`, found the string `true` (remove the quotes)"],
  ["a list for a map", { variables: [] }, "$.variables", "expected an object, found a list"],
  [
    "a number that is too large",
    { metadata: { hash: "99999999999999999999" } },
    "$.metadata.hash",
    "expected a whole number from 0 to 18446744073709551615, found the string `99999999999999999999`",
  ],
])("%s is refused with its path", (_sentence, policy, path, message) => {
  expect(readPolicyJson(policy).wrong).toEqual([{ path, message }]);
});
