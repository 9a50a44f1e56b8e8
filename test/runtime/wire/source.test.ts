/** Parts of a request are copied into the record only where its text says exactly what a record says, and then they say the same. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision } from "../../../runtime/decide/decision.ts";
import { defaultRecordRules, writeDecisions } from "../../../runtime/wire/decisions.ts";
import { checkInputs, readCheckRequest, type CheckRequest } from "../../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 50, maxActionsPerResource: 50 };

function read(text: string): CheckRequest {
  const request = readCheckRequest(text, limits);
  if (request.kind === "refusal") throw new Error(`${request.message}: ${text}`);
  return request;
}

const decisionsOf = (request: CheckRequest): readonly Decision[] =>
  request.entries.map(({ resource, actions }) => ({
    requestId: request.requestId,
    resourceId: resource.id,
    actions: new Map(actions.map((action) => [action, { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" }])),
    effectiveDerivedRoles: [],
    outputs: [],
    validationErrors: [],
    evaluationErrors: [],
    effectivePolicies: new Map(),
  }));

const recordOf = (request: CheckRequest): unknown =>
  JSON.parse(writeDecisions(request, checkInputs(request, undefined), decisionsOf(request), defaultRecordRules));

/** What the record says must not hang on how it was written. */
function expectSameRecord(text: string): CheckRequest {
  const request = read(text);
  expect(recordOf(request)).toEqual(recordOf({ ...request, source: undefined }));
  return request;
}

const principal = '{"id":"ann","roles":["user"],"attr":{"n":1.5,"deep":[{"a":null},[],true,false,-3]}}';
const entry = (more = ""): string => `{"actions":["view","edit"],"resource":{"kind":"doc","id":"1"${more}}}`;
const asking = (resources: string, who = `"principal":${principal},`, before = ""): string => `{${before}${who}"resources":[${resources}]}`;

test.each<[what: string, text: string, isCopied: boolean]>([
  ["usual texts", asking(entry(',"attr":{"owner":"ann","tags":["a","b"]}')), true],
  ["several resources", asking(`${entry()},${entry(',"scope":"acme.hr"')},${entry(',"policyVersion":"v1"')}`), true],
  ["a request's id before them", asking(entry(), undefined, '"requestId":"r1",'), true],
  ["a flag before them", asking(entry(), undefined, '"includeMeta":true,'), true],
  ["a principal that does not stand right before", asking(entry(), "", `"principal":${principal},"requestId":"r1",`), true],
  ["texts beyond ASCII", asking(entry(',"attr":{"é":"\u{1f600}"}')), true],
  ["names of prototypes", asking(entry(',"attr":{"__proto__":{"a":1},"constructor":2,"10":3,"9":4}')), true],
  ["numbers in another spelling as long as the usual one", asking(entry(',"attr":{"n":1e2,"m":-1e2}')), true],
  ["a space", asking(` ${entry()}`), false],
  ["a space at the end", `${asking(entry())} `, false],
  ["a line feed between two entries", asking(`${entry()},\n${entry()}`), false],
  ["escapes", asking(entry(',"attr":{"a":"\\u0061"}')), false],
  ["the other spelling of a field", asking(entry(',"policy_version":"v1"')), false],
  ["a field that is null", asking(entry(',"scope":null')), false],
  ["a field that is empty", asking(entry(',"scope":""')), false],
  ["attributes that are empty", asking(entry(',"attr":{}')), false],
  ["an attribute that is an empty object", asking(entry(',"attr":{"a":{}}')), false],
  ["numbers that are longer than they need be", asking(entry(',"attr":{"n":1.50}')), false],
  ["numbers that may be shorter than they are usually", asking(entry(',"attr":{"n":1e3}')), false],
  // What is counted too long would make up for a space elsewhere, and everything behind it would be copied from the wrong place.
  ["a short thousand and a space", asking(`${entry(',"attr":{"n":1e3}')},${entry()} `), false],
  ["a short thousandth and a space", asking(`${entry(',"attr":{"n":1e-3}')},${entry()} `), false],
  ["a short large number and a space", asking(`${entry(',"attr":{"n":1e21}')},${entry()} `), false],
  ["minus zero", asking(entry(',"attr":{"n":-0}')), false],
  ["another field behind them", `{"principal":${principal},"resources":[${entry()}],"requestId":"r1"}`, false],
  ["words of the caller's", asking(entry(), undefined, '"requestContext":{"annotations":{"a":1}},'), false],
])("%s", (_what, text, isCopied) => {
  expect(expectSameRecord(text).source !== undefined).toBe(isCopied);
});

const name = fc.oneof(
  { weight: 30, arbitrary: fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(..."abz09_:-.é{}[],") }) },
  fc.string({ minLength: 1, maxLength: 8, unit: "grapheme" }),
  fc.constantFrom("__proto__", "constructor", "10", "a:b", "a_b", "é", "\u{1f600}", "{", "]", '"'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: name },
    { weight: 4, arbitrary: fc.integer({ min: -2000, max: 2000 }) },
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, 0, 100, 1000, 0.001, 0.01, -0.5, 1e21, 2 ** 53),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(name, tie("any"), { minKeys: 1, maxKeys: 3 }),
  ),
})).any;
const attributes = fc.option(fc.dictionary(name, value, { minKeys: 1, maxKeys: 3 }), { nil: undefined });
const place = {
  policyVersion: fc.constantFrom(undefined, "v1"),
  scope: fc.oneof({ weight: 20, arbitrary: fc.constantFrom(undefined, "acme.hr") }, fc.constant("")),
};
const request = fc.record({
  requestId: fc.option(name, { nil: undefined }),
  includeMeta: fc.constantFrom(undefined, true, false),
  principal: fc.record({ id: name, roles: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), attr: attributes, ...place }),
  resources: fc.array(
    fc.record({
      actions: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
      resource: fc.record({ kind: name, id: name, attr: attributes, ...place }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

/** Spells some number of a text in another way, or puts a space somewhere; what is no request any more is not looked at. */
const spelledOtherwise = (text: string, at: number, how: number): string => {
  const spellings: readonly ((number: string) => string)[] = [
    (number) => number,
    (number) => Number(number).toExponential().replace("e+", "e"),
    (number) => (number.includes("e") || number.includes(".") ? number : `${number}.0`),
    (number) => number.replace(/0$/, "e1"),
  ];
  const numbers = [...text.matchAll(/(?<=[:[,])-?\d+(?:\.\d+)?(?:e[+-]\d+)?(?=[,\]}])/g)];
  const found = numbers[at % Math.max(1, numbers.length)];
  if (how === spellings.length) return text.replace(/(?<=[{[,])(?=[{"])/, " ");
  if (found === undefined) return text;
  return text.slice(0, found.index) + (spellings[how] ?? String)(found[0]) + text.slice(found.index + found[0].length);
};

test("whatever is asked, and however it is spelled, the record says the same", () => {
  let copied = 0;
  fc.assert(
    fc.property(request, fc.boolean(), fc.nat(20), fc.nat(4), (asked, principalFirst, at, how) => {
      const { principal: who, resources, ...others } = asked;
      const ordered = principalFirst ? { principal: who, ...others, resources } : { ...others, principal: who, resources };
      const text = spelledOtherwise(JSON.stringify(ordered), at, how);
      if (readCheckRequest(text, limits).kind === "refusal") return;
      if (expectSameRecord(text).source !== undefined) copied++;
    }),
    { numRuns: 2000 },
  );
  // Or nothing was shown.
  expect(copied).toBeGreaterThan(200);
});
