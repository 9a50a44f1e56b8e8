/** What the realm writes of decisions: one line of exact proto3 JSON, however the request is spelled and however large it is. */
import { describe, expect, test } from "vitest";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { AuxData } from "../../runtime/decide/input.ts";
import { defaultRecordRules, writeDecisions, writeFailedCheck } from "../../runtime/wire/decisions.ts";
import { checkInputs, readCheckRequest, type CheckRequest } from "../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 500, maxActionsPerResource: 500 };

function read(request: object): CheckRequest {
  const read = readCheckRequest(JSON.stringify(request), limits);
  if (read.kind === "refusal") throw new Error(read.message);
  return read;
}

const asked = {
  principal: { id: "ann", roles: ["user"] },
  resources: [{ actions: ["view"], resource: { kind: "doc", id: "1" } }],
};

const allowed: Decision = {
  requestId: "",
  resourceId: "1",
  actions: new Map([["view", { effect: "EFFECT_ALLOW", matchedPolicy: "resource.doc.vdefault", matchedScope: "" }]]),
  effectiveDerivedRoles: [],
  outputs: [],
  validationErrors: [],
  evaluationErrors: [],
  effectivePolicies: new Map(),
};
const denied: Decision = {
  ...allowed,
  actions: new Map([["view", { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" }]]),
};

const written = (request: object, decisions: readonly Decision[], auxData?: AuxData, rules = defaultRecordRules): unknown => {
  const read_ = read(request);
  return JSON.parse(writeDecisions(read_, checkInputs(read_, auxData), decisions, rules));
};

const input = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "doc", id: "1" }, actions: ["view"] };
const output = { resourceId: "1", actions: { view: { effect: "EFFECT_ALLOW", policy: "resource.doc.vdefault" } } };

describe("a decision entry holds", () => {
  test.each<[what: string, request: object, decision: Partial<Decision>, auxData: AuxData | undefined, wanted: object]>([
    ["what was asked and decided", {}, {}, undefined, { checkResources: { inputs: [input], outputs: [output] }, auditTrail: {} }],
    [
      "the request's id, in both",
      { requestId: "r1" },
      { requestId: "r1" },
      undefined,
      { checkResources: { inputs: [{ requestId: "r1", ...input }], outputs: [{ requestId: "r1", ...output }] }, auditTrail: {} },
    ],
    [
      "version and scope as they were sent, and never a default",
      { principal: { ...asked.principal, policyVersion: "v2", scope: "acme.hr" } },
      {},
      undefined,
      {
        checkResources: {
          inputs: [{ ...input, principal: { ...input.principal, policyVersion: "v2", scope: "acme.hr" } }],
          outputs: [output],
        },
        auditTrail: {},
      },
    ],
    [
      "attributes with escapes",
      { principal: { ...asked.principal, attr: { "a\n": '\u2028"' } } },
      {},
      undefined,
      {
        checkResources: { inputs: [{ ...input, principal: { ...input.principal, attr: { "a\n": '\u2028"' } } }], outputs: [output] },
        auditTrail: {},
      },
    ],
    [
      "claims, and not the token",
      { auxData: { jwt: { token: "a.b.c" } } },
      {},
      { jwt: { sub: "ann" } },
      { checkResources: { inputs: [{ ...input, auxData: { jwt: { sub: "ann" } } }], outputs: [output] }, auditTrail: {} },
    ],
    [
      "the deciding scope",
      {},
      { actions: new Map([["view", { effect: "EFFECT_DENY", matchedPolicy: "p/acme", matchedScope: "acme" }]]) },
      undefined,
      {
        checkResources: {
          inputs: [input],
          outputs: [{ resourceId: "1", actions: { view: { effect: "EFFECT_DENY", policy: "p/acme", scope: "acme" } } }],
        },
        auditTrail: {},
      },
    ],
    [
      "derived roles, outputs, and every kind of error",
      {},
      {
        effectiveDerivedRoles: ["owner"],
        validationErrors: [{ path: "/a", message: "bad", source: "SOURCE_RESOURCE" }],
        outputs: [
          { src: "p#r", action: "view", val: "NaN" },
          { src: "p#s", action: "view", error: "no such key: x" },
        ],
        evaluationErrors: [{ expression: "R.attr.x", message: "no such key: x", part: { start: 0, end: 8 } }],
      },
      undefined,
      {
        checkResources: {
          inputs: [input],
          outputs: [
            {
              ...output,
              effectiveDerivedRoles: ["owner"],
              validationErrors: [{ path: "/a", message: "bad", source: "SOURCE_RESOURCE" }],
              outputs: [
                { src: "p#r", action: "view", val: "NaN" },
                { src: "p#s", action: "view", error: "no such key: x" },
              ],
              evaluationErrors: [{ celError: { expression: "R.attr.x", message: "no such key: x" } }],
            },
          ],
        },
        auditTrail: {},
      },
    ],
    [
      "the policies that had a say",
      {},
      { effectivePolicies: new Map([["resource.doc.vdefault", { driver: "disk", source: "doc.yaml" }]]) },
      undefined,
      {
        checkResources: { inputs: [input], outputs: [output] },
        auditTrail: { effectivePolicies: { "resource.doc.vdefault": { attributes: { driver: "disk", source: "doc.yaml" } } } },
      },
    ],
    [
      "the caller's words",
      { requestContext: { annotations: { ticket: { n: 1 } } } },
      {},
      undefined,
      { checkResources: { inputs: [input], outputs: [output] }, auditTrail: {}, requestContext: { annotations: { ticket: { n: 1 } } } },
    ],
  ])("%s", (_what, request, decision, auxData, wanted) => {
    expect(written({ ...asked, ...request }, [{ ...allowed, ...decision }], auxData)).toEqual(wanted);
  });

  test("the policies of all decisions, each once", () => {
    const two = { ...asked, resources: [...asked.resources, ...asked.resources] };
    const trail = (keys: readonly string[]): Decision => ({
      ...allowed,
      effectivePolicies: new Map(keys.map((key) => [key, { source: key }])),
    });
    expect(written(two, [trail(["a"]), trail(["a", "b"])])).toMatchObject({
      auditTrail: { effectivePolicies: { a: { attributes: { source: "a" } }, b: { attributes: { source: "b" } } } },
    });
  });

  test("what was asked and why it failed, where nothing was decided", () => {
    const request = read(asked);
    expect(JSON.parse(writeFailedCheck(request, checkInputs(request, undefined), "too much", defaultRecordRules))).toEqual({
      checkResources: { inputs: [input], error: "too much" },
    });
  });
});

describe("where only denials are recorded", () => {
  const rules = { ...defaultRecordRules, denialsOnly: true };
  const two = read({ ...asked, resources: [...asked.resources, ...asked.resources] });
  test.each<[what: string, decisions: readonly Decision[], recorded: boolean]>([
    ["all allowed", [allowed, allowed], false],
    ["one denied", [allowed, denied], true],
  ])("%s: %s", (_what, decisions, recorded) => {
    expect(writeDecisions(two, checkInputs(two, undefined), decisions, rules) !== "").toBe(recorded);
  });
});

describe("what is too large", () => {
  const long = "ä".repeat(3000);
  const big = read({
    ...asked,
    principal: { ...asked.principal, attr: { secret: long } },
    resources: Array.from({ length: 50 }, () => asked.resources[0]),
    requestContext: { annotations: { long } },
  });
  const inputs = checkInputs(big, { jwt: { long } });
  const decisions = inputs.map(() => ({ ...allowed, outputs: [{ src: "p#r", action: "view", val: long }] }));

  test("loses its attributes, claims, values and annotations, and says so", () => {
    const text = writeDecisions(big, inputs, decisions, { denialsOnly: false, maxBytes: 100_000 });
    expect(JSON.parse(text)).toEqual({
      oversized: true,
      checkResources: { inputs: inputs.map(() => input), outputs: decisions.map(() => output) },
      auditTrail: {},
    });
  });

  test("says only that it was there, when even that is too much", () => {
    const text = writeDecisions(big, inputs, decisions, { denialsOnly: false, maxBytes: 1000 });
    expect(JSON.parse(text)).toEqual({
      oversized: true,
      checkResources: { error: expect.stringMatching(/larger than 1000 bytes even without attributes \(setting audit\.maxEntrySize\)$/) },
    });
  });

  test("a principal of megabytes, asked about hundreds of resources, is never written hundreds of times", () => {
    const huge = read({
      ...asked,
      principal: { ...asked.principal, attr: { text: "x".repeat(3_000_000) } },
      resources: Array.from({ length: 500 }, () => asked.resources[0]),
    });
    const asking = checkInputs(huge, undefined);
    const text = writeDecisions(
      huge,
      asking,
      asking.map(() => allowed),
      { denialsOnly: false, maxBytes: 2 ** 20 },
    );
    expect(text.startsWith('{"oversized":true,"checkResources":{"inputs":[')).toBe(true);
    expect(text.length).toBeLessThan(2 ** 20);
  });

  test.each([
    ["ASCII", "x", 1],
    ["two bytes", "ä", 2],
    ["three bytes", "€", 3],
    ["pairs", "😀", 4],
  ])("bytes count, not characters: %s", (_what, character, bytes) => {
    const request = read({ ...asked, principal: { ...asked.principal, attr: { text: character.repeat(1000) } } });
    const size = Buffer.byteLength(writeDecisions(request, checkInputs(request, undefined), [allowed], defaultRecordRules));
    expect(size).toBeGreaterThan(1000 * bytes);
    const at = (maxBytes: number): boolean =>
      writeDecisions(request, checkInputs(request, undefined), [allowed], { denialsOnly: false, maxBytes }).startsWith('{"oversized"');
    expect([at(size - 1), at(size)]).toEqual([true, false]);
  });
});

test.each<[how: string, another: object]>([
  ["alike", {}],
  ["asked for one action more", { actions: ["view", "edit"] }],
  ["asked for another action", { actions: ["edit"] }],
  ["of another kind", { kind: "memo" }],
  ["of another version", { policyVersion: "v2" }],
  ["in another scope", { scope: "acme" }],
])("what is asked of each of two resources is its own, be one of them %s", (_how, another) => {
  const of = ({ actions = ["view"], ...more }: { readonly actions?: readonly string[] }, id: string) => ({
    actions,
    resource: { kind: "doc", id, ...more },
  });
  for (const resources of [
    [of(another, "1"), of({}, "2")],
    [of({}, "1"), of(another, "2")],
  ])
    for (const auxData of [undefined, { jwt: { sub: "ann" } }]) {
      const inputs = resources.map(({ actions, resource }) => ({
        principal: asked.principal,
        resource,
        actions,
        ...(auxData && { auxData }),
      }));
      const token = auxData && { auxData: { jwt: { token: "a.b.c" } } };
      expect(written({ ...asked, resources, ...token }, [allowed, allowed], auxData)).toMatchObject({ checkResources: { inputs } });
    }
});
