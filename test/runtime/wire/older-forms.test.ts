/** CheckResourceSet and CheckResourceBatch: read as strictly as CheckResources, into the same request, and answered in their own shapes. */
import { describe, expect, test } from "vitest";
import type { ActionDecision, Decision } from "../../../runtime/decide/decision.ts";
import { forms, type TextForm } from "../../../runtime/wire/forms.ts";
import { checkInputs, type CheckRequest } from "../../../runtime/wire/request.ts";

const limits = { maxResourcesPerRequest: 3, maxActionsPerResource: 2 };
const set = "CheckResourceSet";
const batch = "CheckResourceBatch";
const ann = { id: "ann", roles: ["user"] };
const album = { kind: "album", instances: { a: {} } };

const textOf = (asked: unknown): string => (typeof asked === "string" ? asked : JSON.stringify(asked));

function read(form: TextForm, asked: unknown): CheckRequest {
  const request = forms[form].read(textOf(asked), limits);
  if (request.kind === "refusal") throw new Error(request.message);
  return request;
}

function refused(
  form: TextForm,
  asked: unknown,
): { readonly message: string; readonly violations: readonly (readonly [string, string])[] } {
  const refusal = forms[form].read(textOf(asked), limits);
  if (refusal.kind === "request") throw new Error("it is accepted");
  expect(refusal.code).toBe(3);
  return { message: refusal.message, violations: refusal.violations.map(({ fieldPath, ruleId }) => [fieldPath, ruleId]) };
}

describe("what is asked", () => {
  const principal = { ...ann, attr: { n: 1 }, policyVersion: "v1", scope: "a.b" };
  test("a set asks the same of each instance", () => {
    const resource = { kind: "album", policyVersion: "v2", scope: "c", instances: { b: { attr: { x: [1] } }, a: {} } };
    expect(checkInputs(read(set, { requestId: "r", actions: ["view"], principal, resource }), undefined)).toEqual([
      {
        requestId: "r",
        principal,
        actions: ["view"],
        resource: { kind: "album", id: "b", attr: { x: [1] }, policyVersion: "v2", scope: "c" },
      },
      { requestId: "r", principal, actions: ["view"], resource: { kind: "album", id: "a", policyVersion: "v2", scope: "c" } },
    ]);
  });

  test("a batch asks what CheckResources asks", () => {
    const asked = {
      requestId: "r",
      principal,
      resources: [{ actions: ["view"], resource: { kind: "album", id: "1", attr: { x: 1 }, policyVersion: "v", scope: "c" } }],
    };
    expect(checkInputs(read(batch, asked), undefined)).toEqual(checkInputs(read("CheckResources", asked), undefined));
  });

  test("instances keep the order of the text, whatever they are called", () => {
    const instances = '{"b":{},"10":{},"__proto__":{"attr":{"__proto__":1}}}';
    const { entries } = read(set, `{"actions":["a"],"principal":${JSON.stringify(ann)},"resource":{"kind":"k","instances":${instances}}}`);
    expect(entries.map(({ resource }) => resource.id)).toEqual(["b", "10", "__proto__"]);
    expect(JSON.stringify(entries[2]?.resource.attr)).toBe('{"__proto__":1}');
  });

  test.each([
    ["both spellings", { request_id: "r", include_meta: true, aux_data: { jwt: { token: "t", key_set_id: "k" } } }],
    ["the names of JSON", { requestId: "r", includeMeta: true, auxData: { jwt: { token: "t", keySetId: "k" } } }],
  ])("a set takes %s", (_, more) => {
    const { requestId, includeMeta, tokens } = read(set, { ...more, actions: ["a"], principal: ann, resource: album });
    expect({ requestId, includeMeta, tokens }).toEqual({
      requestId: "r",
      includeMeta: true,
      tokens: { jwt: { token: "t", keySetId: "k" } },
    });
  });

  test.each([
    [
      set,
      {
        requestId: null,
        includeMeta: null,
        auxData: null,
        actions: ["a"],
        principal: { ...ann, attr: null, scope: null },
        resource: { ...album, policyVersion: null, scope: null, instances: { a: { attr: null } } },
      },
    ],
    [
      batch,
      { requestId: null, auxData: null, principal: ann, resources: [{ actions: ["a"], resource: { kind: "k", id: "1", attr: null } }] },
    ],
  ] as const)("in %s null is unset", (form, asked) => {
    expect(read(form, asked)).toMatchObject({ requestId: "", tokens: undefined });
  });

  test("several tokens by name are read in both", () => {
    const auxData = { jwts: { a: { token: "t" }, constructor: { token: "u" } } };
    const tokens = {
      jwts: new Map([
        ["a", { token: "t", keySetId: "" }],
        ["constructor", { token: "u", keySetId: "" }],
      ]),
    };
    expect(read(set, { actions: ["a"], principal: ann, resource: album, auxData }).tokens).toEqual(tokens);
    expect(read(batch, { principal: ann, resources: [{ actions: ["a"], resource: { kind: "k", id: "1" } }], auxData }).tokens).toEqual(
      tokens,
    );
  });

  test("an instance may have an empty id, and its attributes any name, as in the reference", () => {
    const { entries } = read(set, { actions: ["a"], principal: ann, resource: { kind: "k", instances: { "": { attr: { "": 1 } } } } });
    expect(entries).toEqual([{ actions: ["a"], resource: { kind: "k", id: "", attr: { "": 1 } } }]);
  });
});

describe("what is broken is all said at once, where it stands", () => {
  test.each<readonly [sentence: string, form: TextForm, asked: unknown, violations: readonly (readonly [path: string, rule: string])[]]>([
    [
      "nothing in a set",
      set,
      {},
      [
        ["actions", "required"],
        ["principal", "required"],
        ["resource", "required"],
      ],
    ],
    [
      "no text at all",
      set,
      " ",
      [
        ["actions", "required"],
        ["principal", "required"],
        ["resource", "required"],
      ],
    ],
    [
      "nothing in a batch",
      batch,
      {},
      [
        ["principal", "required"],
        ["resources", "required"],
      ],
    ],
    [
      "everything in a set",
      set,
      {
        actions: ["a", "a", ""],
        principal: { roles: ["u", "u"], policy_version: "-" },
        resource: { policy_version: "a-b", scope: "a..b" },
        aux_data: { jwt: {} },
      },
      [
        ["actions", "repeated.unique"],
        ["actions[2]", "string.min_len"],
        ["principal.id", "required"],
        ["principal.policy_version", "string.pattern"],
        ["principal.roles", "repeated.unique"],
        ["resource.kind", "required"],
        ["resource.policy_version", "string.pattern"],
        ["resource.instances", "required"],
        ["resource.scope", "string.pattern"],
        ["aux_data.jwt.token", "required"],
      ],
    ],
    [
      "everything in a batch",
      batch,
      {
        principal: {},
        resources: [{ actions: [], resource: { kind: "k", attr: { "": 1 } } }, {}],
        auxData: { jwt: { token: "t" }, jwts: { b: { token: "t" } } },
      },
      [
        ["principal.id", "required"],
        ["principal.roles", "required"],
        ["resources[0].actions", "required"],
        ["resources[0].resource.id", "required"],
        ['resources[0].resource.attr[""]', "string.min_len"],
        ["resources[1].actions", "required"],
        ["resources[1].resource", "required"],
        ["auxData", "exclusiveFieldsJwtOrJwts"],
      ],
    ],
    [
      "a map without instances",
      set,
      { actions: ["a"], principal: ann, resource: { kind: "k", instances: {} } },
      [["resource.instances", "required"]],
    ],
    [
      "no map of instances",
      set,
      { actions: ["a"], principal: ann, resource: { kind: "k", instances: null } },
      [["resource.instances", "required"]],
    ],
  ])("%s", (_, form, asked, violations) => {
    expect(refused(form, asked).violations).toEqual(violations);
  });

  test("a field is pointed at by its number in its own message", () => {
    const numbers = (form: TextForm): unknown => {
      const refusal = forms[form].read('{"auxData":{"jwt":{}}}', limits);
      return refusal.kind === "refusal" && refusal.violations.map(({ field }) => field.elements.map(({ fieldNumber }) => fieldNumber));
    };
    expect(numbers(set)).toEqual([[2], [3], [4], [6, 1, 1]]);
    expect(numbers(batch)).toEqual([[2], [3], [4, 1, 1]]);
  });
});

describe("what is no request is refused with its place", () => {
  test.each<readonly [form: TextForm, text: string, says: string]>([
    [set, "[]", "line 1, column 1: a request must be an object, but this is a list"],
    [batch, "null", "line 1, column 1: a request must be an object, but this is null"],
    [
      set,
      '{"resources":[]}',
      "line 1, column 2: unknown field `resources` in the request (it may have requestId, actions, principal, resource, includeMeta, auxData)",
    ],
    [
      batch,
      '{"includeMeta":true}',
      "line 1, column 2: unknown field `includeMeta` in the request (it may have requestId, principal, resources, auxData)",
    ],
    [
      batch,
      '{"requestContext":{}}',
      "line 1, column 2: unknown field `requestContext` in the request (it may have requestId, principal, resources, auxData)",
    ],
    [set, '{"requestId":"a","request_id":"b"}', "line 1, column 18: duplicate field `request_id`: it is the same as `requestId`"],
    [batch, '{"requestId":"a","requestId":"b"}', "line 1, column 18: duplicate field `requestId`"],
    [batch, '{"requestId":"a","request_id":"b"}', "line 1, column 18: duplicate field `request_id`: it is the same as `requestId`"],
    [batch, '{"auxData":{},"aux_data":{}}', "line 1, column 15: duplicate field `aux_data`: it is the same as `auxData`"],
    [set, '{"auxData":{},"aux_data":{}}', "line 1, column 15: duplicate field `aux_data`: it is the same as `auxData`"],
    [set, '{"includeMeta":true,"include_meta":true}', "line 1, column 21: duplicate field `include_meta`: it is the same as `includeMeta`"],
    [set, '{"resource":{"instances":{"a":{},"a":{}}}}', "line 1, column 34: duplicate field `a`"],
    [set, '{"resource":{"instances":{"a":{"attr":{"b":1,"b":2}}}}}', "line 1, column 46: duplicate field `b`"],
    [set, '{"resource":{"instances":{"a":null}}}', "line 1, column 31: `resource.instances.a` must be an object, but is null"],
    [set, '{"resource":{"instances":{"a":[]}}}', "line 1, column 31: `resource.instances.a` must be an object, but is a list"],
    [
      set,
      '{"resource":{"instances":{"a":{"id":1}}}}',
      'line 1, column 32: unknown field `id` in `resource.instances["a"]` (it may have attr)',
    ],
    [
      set,
      '{"resource":{"id":"1"}}',
      "line 1, column 14: unknown field `id` in `resource` (it may have kind, policyVersion, instances, scope)",
    ],
    [
      set,
      '{"resource":{"policyVersion":"1","policy_version":"1"}}',
      "line 1, column 34: duplicate field `policy_version`: it is the same as `policyVersion`",
    ],
    [set, '{"resource":{"instances":[]}}', "line 1, column 26: `resource.instances` must be an object, but is a list"],
    [set, '{"actions":"a"}', "line 1, column 12: `actions` must be a list of strings, but is a string"],
    [set, '{"actions":["a",null]}', "line 1, column 17: `actions[1]` must be a string, but is null"],
    [set, '{"includeMeta":"true"}', "line 1, column 16: `includeMeta` must be true or false, but is a string"],
    [batch, '{"resources":[null]}', "line 1, column 15: `resources[0]` must be an object, but is null"],
    [set, '{"resource":{"instances":{"a":{"attr":{"n":1e400}}}}}', "line 1, column 44: the number `1e400` is too large"],
    [batch, '{"requestId":"a"} {}', "line 1, column 19: expected the end of the text, found `{`"],
    [
      set,
      `{"resource":{"instances":{"a":{"attr":{"n":${"[".repeat(996)}${"]".repeat(996)}}}}}}`,
      "line 1, column 1039: nested deeper than 1000 levels",
    ],
  ])("%s %s", (form, text, says) => {
    expect(refused(form, text)).toEqual({ message: says, violations: [] });
  });
});

describe("limits", () => {
  const many = { a: {}, b: {}, c: {}, d: {} };
  test.each<readonly [form: TextForm, asked: unknown, says: string]>([
    [
      set,
      { actions: ["x"], principal: ann, resource: { kind: "k", instances: many } },
      "the request asks about 4 resources, but at most 3 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
    ],
    [
      set,
      { actions: ["x", "y", "z"], principal: ann, resource: album },
      "`actions` asks for 3 actions, but at most 2 are allowed for one resource (setting server.requestLimits.maxActionsPerResource)",
    ],
    [
      batch,
      { principal: ann, resources: [..."abcd"].map((id) => ({ actions: ["x"], resource: { kind: "k", id } })) },
      "the request asks about 4 resources, but at most 3 are allowed in one request (setting server.requestLimits.maxResourcesPerRequest)",
    ],
    [
      batch,
      {
        principal: ann,
        resources: [
          { actions: ["x"], resource: { kind: "k", id: "1" } },
          { actions: ["x", "y", "z"], resource: { kind: "k", id: "1" } },
        ],
      },
      "`resources[1].actions` asks for 3 actions, but at most 2 are allowed for one resource (setting server.requestLimits.maxActionsPerResource)",
    ],
  ])("%s", (form, asked, says) => {
    expect(refused(form, asked).message).toBe(says);
  });
});

describe("replies", () => {
  const allowed: ActionDecision = { effect: "EFFECT_ALLOW", matchedPolicy: "resource.k.vdefault", matchedScope: "acme" };
  const denied: ActionDecision = { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" };
  const decision = (more: Partial<Decision> = {}): Decision => ({
    requestId: "",
    resourceId: "",
    actions: new Map([
      ["__proto__", allowed],
      ["view", denied],
    ]),
    effectiveDerivedRoles: [],
    validationErrors: [],
    outputs: [{ src: "s", action: "view", val: 1 }],
    evaluationErrors: [],
    effectivePolicies: new Map(),
    ...more,
  });
  const defaults = { defaultPolicyVersion: "default", defaultScope: "" };
  const wrong = { path: "/a", message: 'it is "wrong"', source: "SOURCE_RESOURCE" } as const;
  const instances = '"resource":{"kind":"k","instances":{"__proto__":{},"2":{}}}';
  const asked = (more: string): string => `{"actions":["__proto__","view"],"principal":{"id":"a","roles":["u"]},${instances}${more}}`;
  const effects = '"actions":{"__proto__":"EFFECT_ALLOW","view":"EFFECT_DENY"}';
  const deciders =
    '"actions":{"__proto__":{"matchedPolicy":"resource.k.vdefault","matchedScope":"acme"},"view":{"matchedPolicy":"NO_MATCH"}}';

  test("a set answers by id, in the order of the text, and never a call id or outputs", () => {
    const reply = forms[set].write(read(set, asked("")), [decision(), decision({ validationErrors: [wrong] })], defaults, "CALL");
    expect(reply).toBe(
      `{"resourceInstances":{"__proto__":{${effects}},"2":{${effects},"validationErrors":[{"path":"/a","message":"it is \\"wrong\\"","source":"SOURCE_RESOURCE"}]}}}`,
    );
  });

  test("a set says what decided when it is asked to", () => {
    const request = read(set, asked(',"includeMeta":true,"requestId":"\\"r\\""'));
    const reply = forms[set].write(request, [decision({ effectiveDerivedRoles: ["owner"] }), decision()], defaults, "CALL");
    expect(reply).toBe(
      `{"requestId":"\\"r\\"","resourceInstances":{"__proto__":{${effects}},"2":{${effects}}},"meta":{"resourceInstances":{"__proto__":{${deciders},"effectiveDerivedRoles":["owner"]},"2":{${deciders}}}}}`,
    );
  });

  test("a batch answers one result an entry, with effects and what schemas found", () => {
    const request = read(batch, {
      requestId: "r",
      principal: ann,
      resources: ["1", "1"].map((id) => ({ actions: ["__proto__", "view"], resource: { kind: "k", id } })),
    });
    const reply = forms[batch].write(request, [decision(), decision({ validationErrors: [wrong] })], defaults, "CALL");
    expect(reply).toBe(
      `{"requestId":"r","results":[{"resourceId":"1",${effects}},{"resourceId":"1",${effects},"validationErrors":[{"path":"/a","message":"it is \\"wrong\\"","source":"SOURCE_RESOURCE"}]}]}`,
    );
  });
});
