/** How decisions are written: the fields of the reply, what is always there, what is left out. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ActionDecision, Decision } from "../../../runtime/decide/decision.ts";
import { writeReply } from "../../../runtime/wire/reply.ts";
import { readCheckRequest } from "../../../runtime/wire/request.ts";
import type { CheckRequest } from "../../../runtime/wire/request.ts";

const defaults = { defaultPolicyVersion: "default", defaultScope: "" };
const callId = "01M7VZA607S0FYCDS32KNKR4CC";

const read = (request: unknown): CheckRequest => {
  const answer = readCheckRequest(JSON.stringify(request), { maxResourcesPerRequest: 50, maxActionsPerResource: 50 });
  if (answer.kind === "refusal") throw new Error(answer.message);
  return answer;
};
const asking = (resource: object, more: object = {}): CheckRequest =>
  read({
    principal: { id: "ann", roles: ["user"] },
    resources: [{ actions: ["view", "edit"], resource: { kind: "memo", id: "1", ...resource } }],
    ...more,
  });

const allow: ActionDecision = { effect: "EFFECT_ALLOW", matchedPolicy: "resource.memo.vdefault", matchedScope: "" };
const deny: ActionDecision = { effect: "EFFECT_DENY", matchedPolicy: "resource.memo.vdefault/acme.hr", matchedScope: "acme" };
const decision: Decision = {
  requestId: "",
  resourceId: "1",
  actions: new Map([
    ["view", allow],
    ["edit", deny],
  ]),
  effectiveDerivedRoles: [],
  outputs: [],
  validationErrors: [],
  evaluationErrors: [],
  effectivePolicies: new Map(),
};

test("the shortest reply has results, what was used, and the call id", () => {
  expect(writeReply(asking({}), [decision], defaults, callId)).toBe(
    `{"results":[{"resource":{"id":"1","kind":"memo","policyVersion":"default"},"actions":{"view":"EFFECT_ALLOW","edit":"EFFECT_DENY"}}],"authzCallId":"${callId}"}`,
  );
});

test("the request's id is echoed first", () => {
  expect(writeReply(asking({}, { requestId: "r1" }), [decision], defaults, callId)).toMatch(/^\{"requestId":"r1","results":\[/);
});

test("results come in the order of the request, one for each entry, resources asked twice included", () => {
  const entry = { actions: ["a"], resource: { kind: "memo", id: "1" } };
  const request = read({
    principal: { id: "ann", roles: ["user"] },
    resources: [entry, { ...entry, resource: { kind: "note", id: "2" } }, entry],
  });
  const one: Decision = { ...decision, actions: new Map([["a", allow]]) };
  const reply = JSON.parse(writeReply(request, [one, { ...one, actions: new Map([["a", deny]]) }, one], defaults, callId));
  expect(reply).toEqual({
    results: [
      { resource: { id: "1", kind: "memo", policyVersion: "default" }, actions: { a: "EFFECT_ALLOW" } },
      { resource: { id: "2", kind: "note", policyVersion: "default" }, actions: { a: "EFFECT_DENY" } },
      { resource: { id: "1", kind: "memo", policyVersion: "default" }, actions: { a: "EFFECT_ALLOW" } },
    ],
    authzCallId: callId,
  });
});

describe("the policy version and scope that were used are reported (D2)", () => {
  test.each([
    // sent                                  default version, scope   reported
    [{}, "default", "", { policyVersion: "default" }],
    [{}, "v7", "acme", { policyVersion: "v7", scope: "acme" }],
    [{}, "v7", ".acme", { policyVersion: "v7", scope: "acme" }],
    [{ policyVersion: "", scope: "" }, "v7", "acme", { policyVersion: "v7", scope: "acme" }],
    [{ policyVersion: "v2", scope: "a.b" }, "v7", "acme", { policyVersion: "v2", scope: "a.b" }],
    [{ scope: "." }, "v7", "acme", { policyVersion: "v7" }],
  ])("%j under default version %j and scope %j", (sent, defaultPolicyVersion, defaultScope, used) => {
    const reply = JSON.parse(writeReply(asking(sent), [decision], { defaultPolicyVersion, defaultScope }, callId));
    expect(reply.results[0].resource).toEqual({ id: "1", kind: "memo", ...used });
  });
});

describe("meta", () => {
  const meta = (of: Decision): unknown => JSON.parse(writeReply(asking({}, { includeMeta: true }), [of], defaults, callId)).results[0].meta;

  test("names the deciding policy and scope of each action; the root scope is left out", () => {
    expect(meta(decision)).toEqual({
      actions: {
        view: { matchedPolicy: "resource.memo.vdefault" },
        edit: { matchedPolicy: "resource.memo.vdefault/acme.hr", matchedScope: "acme" },
      },
    });
  });

  test("lists the derived roles that were effective, when there are any", () => {
    expect(meta({ ...decision, effectiveDerivedRoles: ["author", 'quo"ted'] })).toMatchObject({
      effectiveDerivedRoles: ["author", 'quo"ted'],
    });
  });
});

test("outputs keep the sign of zero", () => {
  const val = [-0, 0, { a: -0, "b\n": [-0, null, "x", true, 1e21] }];
  const { results } = JSON.parse(
    writeReply(asking({}), [{ ...decision, outputs: [{ src: "s#r", action: "view", val }] }], defaults, callId),
  );
  expect(results[0].outputs[0].val).toEqual(val);
  expect(Object.is(results[0].outputs[0].val[0], -0)).toBe(true);
});

test("outputs are written with value, action and error", () => {
  const outputs = [
    { src: "resource.memo.vdefault#seen", action: "view", val: { when: null, who: "ann" } },
    { src: "resource.memo.vdefault#bad", action: "edit", error: "no such key: x" },
  ];
  expect(JSON.parse(writeReply(asking({}), [{ ...decision, outputs }], defaults, callId)).results[0].outputs).toEqual(outputs);
});

test("an output of null has a value", () => {
  const outputs = [{ src: "s#r", action: "view", val: null }];
  expect(JSON.parse(writeReply(asking({}), [{ ...decision, outputs }], defaults, callId)).results[0].outputs).toEqual(outputs);
});

test("what schemas found is written, without an empty path", () => {
  const validationErrors = [
    { path: '/a/quo"ted', message: "is \\ wrong", source: "SOURCE_PRINCIPAL" },
    { path: "", message: "cannot be loaded", source: "SOURCE_RESOURCE" },
  ] as const;
  expect(JSON.parse(writeReply(asking({}), [{ ...decision, validationErrors }], defaults, callId)).results[0].validationErrors).toEqual([
    validationErrors[0],
    { message: "cannot be loaded", source: "SOURCE_RESOURCE" },
  ]);
});

test("an action that nobody decided, or decided unclearly, is denied", () => {
  const actions = new Map<string, ActionDecision>([["view", { ...allow, effect: JSON.parse('"EFFECT_ALLOW_ALL"') }]]);
  expect(JSON.parse(writeReply(asking({}), [{ ...decision, actions }], defaults, callId)).results[0].actions).toEqual({
    view: "EFFECT_DENY",
    edit: "EFFECT_DENY",
  });
});

test("whatever the caller's words are, they come back as they were", () => {
  const words = fc.oneof(
    fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" }),
    fc.constantFrom("__proto__", "constructor", '"', "\\", '","x":"', "\u0000\n", "\u2028", "\u007f", "\u{1f600}", "1"),
  );
  fc.assert(
    fc.property(words, words, words, fc.uniqueArray(words, { minLength: 1, maxLength: 4 }), (requestId, kind, id, names) => {
      const request = read({
        requestId,
        principal: { id: "ann", roles: ["user"] },
        resources: [{ actions: names, resource: { kind, id } }],
      });
      const reply = JSON.parse(
        writeReply(request, [{ ...decision, actions: new Map(names.map((action) => [action, allow])) }], defaults, callId),
      );
      expect(reply.requestId).toBe(requestId);
      expect(reply.results[0].resource).toEqual({ id, kind, policyVersion: "default" });
      expect(Object.keys(reply.results[0].actions).sort()).toEqual([...names].sort());
    }),
  );
});
