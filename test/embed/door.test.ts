/** The door: what a request must be, said with its place; what policies see of a program's values. */
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { emitted } from "../../runtime/emitted/index.ts";
import * as members from "../../runtime/emitted/members.ts";
import { evaluateInThisRealm, load as loadBundle } from "../../runtime/load.ts";
import { decideWith, openDoor } from "../../runtime/door/open-door.ts";
import { compiledFrom } from "./modules.ts";

const rule = (name: string, expr: string) => ({
  name,
  actions: [name],
  effect: "EFFECT_ALLOW",
  roles: ["*"],
  condition: { match: { expr } },
});
const policy = {
  apiVersion: "api.authz.dev/v1",
  resourcePolicy: {
    resource: "doc",
    version: "default",
    rules: [
      { actions: ["view"], effect: "EFFECT_ALLOW", roles: ["user"] },
      rule("dated", 'R.attr.at == "2024-02-29T12:00:00.000Z"'),
      rule("absent", "!has(R.attr.gone)"),
      rule("proto", 'R.attr["__proto__"].x == 1.0 && !has(R.attr.toString)'),
      rule("whole", "G.limit == 5 && type(G.limit) == int && G.share == 0.5"),
      rule("clock", 'now() == timestamp("2024-02-29T12:00:00Z")'),
      rule("zero", "1.0 / R.attr.n > 0.0"),
      rule("heavy", "R.attr.list.all(x, R.attr.list.all(y, x <= y || y <= x))"),
    ],
  },
};
const { bundle } = compiledFrom([{ path: "doc.yaml", text: JSON.stringify(policy) }]);
const environment = { clock: () => Date.UTC(2024, 1, 29, 12), report: () => undefined, policySet: "" };
const { check, isAllowed } = openDoor(
  decideWith(loadBundle(bundle, evaluateInThisRealm)),
  { globals: { limit: 5, share: 0.5 } },
  environment,
);
const user = { id: "ann", roles: ["user"] };
const asking = (changes: object): unknown => ({ principal: user, resource: { kind: "doc", id: "1" }, actions: ["view"], ...changes });

describe("what is wrong is said, all of it, with its place", () => {
  const circle: { self?: object } = {};
  circle.self = circle;
  test.each([
    [undefined, "it must be an object with principal, resource, actions: it is missing"],
    [[], "it must be an object with principal, resource, actions: it is a list"],
    [asking({ principal: undefined }), "`principal` must be an object with id, roles, attr: it is missing"],
    [
      asking({ principal: { id: "", roles: [] } }),
      "`principal.id` must not be empty; `principal.roles` must be a list with at least one role",
    ],
    [
      asking({ principal: { id: "a", roles: ["x", "x", ""] } }),
      "`principal.roles[2]` must not be empty; `principal.roles[1]` is a duplicate",
    ],
    [
      asking({ principal: { id: 5, roles: "user" } }),
      "`principal.id` must be a string: it is a number; `principal.roles` must be a list with at least one role: it is a string",
    ],
    [asking({ principal: { ...user, attrs: {} } }), "`principal.attrs` is unknown: the fields are id, roles, attr, policyVersion, scope"],
    [asking({ resource: { kind: "doc", id: "1", scope: "a..b" } }), "`resource.scope` must be names"],
    [
      asking({ resource: { kind: "doc", id: "1", policyVersion: "1.0" } }),
      "`resource.policyVersion` must be letters, digits and underscores",
    ],
    [asking({ resource: { kind: "doc", id: "1", attr: [] } }), "`resource.attr` must be an object: it is a list"],
    [asking({ resource: { kind: "doc", id: "1", attr: { "": 1 } } }), "`resource.attr` has an attribute without a name"],
    [asking({ resource: { kind: "doc", id: "1", attr: { a: [1, Number.NaN] } } }), "`resource.attr.a[1]` is not a JSON value: it is NaN"],
    [asking({ resource: { kind: "doc", id: "1", attr: { a: 5n } } }), "`resource.attr.a` is not a JSON value: it is a bigint"],
    [asking({ resource: { kind: "doc", id: "1", attr: { a: new Map() } } }), "`resource.attr.a` is not a JSON value: it is a Map"],
    [asking({ resource: { kind: "doc", id: "1", attr: { a: () => 1 } } }), "`resource.attr.a` is not a JSON value: it is a function"],
    [asking({ resource: { kind: "doc", id: "1", attr: circle } }), "is nested deeper than 1000 levels, or circular"],
    [asking({ actions: ["view", "view"] }), "`actions[1]` is a duplicate"],
    [asking({ auxData: { jwt: {}, jwts: {} } }), "`auxData` has both `jwt` and `jwts`"],
    [asking({ auxData: { jwt: new Map() } }), "`auxData.jwt` is not a JSON value: it is a Map"],
    [asking({ auxData: new Map([["jwt", {}]]) }), "`auxData` must be an object with jwt, jwts: it is a Map"],
    [asking({ auxData: Promise.resolve({ jwt: {} }) }), "`auxData` must be an object with jwt, jwts: it is a Promise"],
    [asking({ auxData: { jwts: new Map([["a", { claims: {} }]]) } }), "`auxData.jwts` must be an object with names of tokens: it is a Map"],
    [asking({ auxData: { jwts: { a: {} } } }), "`auxData.jwts.a.claims` must be an object: it is missing"],
    [asking({ auxData: { jwts: { "": { claims: {} } } } }), "`auxData.jwts.` must not be empty"],
    [asking({ auxData: { jwts: [{ claims: {} }] } }), "`auxData.jwts` must be an object with names of tokens: it is a list"],
    [asking({ auxData: { jwts: { a: 1 } } }), "`auxData.jwts.a` must be an object with claims: it is a number"],
    [asking({ actions: ["\uD800"] }), "`actions[0]` holds half a surrogate pair"],
    [asking({ action: "view" }), "`action` is unknown: the fields are principal, resource, actions, requestId, auxData"],
  ])("%#", (request, says) => {
    expect(() => check(request as never)).toThrow(says);
    expect(() => check(request as never)).toThrow(expect.objectContaining({ name: "RequestError", problems: expect.any(Array) }));
  });

  test.each([
    [{ now: "today" }, "`now` must be a date, or milliseconds since 1970: it is a string"],
    [{ now: new Date(Number.NaN) }, "`now` must be a date"],
    [{ now: { [Symbol.toStringTag]: "Date" } }, "`now` must be a date"],
    [{ lenientScopeSearch: 1 }, "`lenientScopeSearch` must be true or false: it is a number"],
    [{ schemas: {} }, "`schemas` must be { enforcement"],
    [{ defaultScope: "a..b" }, "`defaultScope` must be names of letters, digits, `_` and `-`, with single dots between"],
    [{ defaultPolicyVersion: "a-b!" }, "`defaultPolicyVersion` must be letters, digits and underscores, as versions of policies are"],
    [{ defaultPolicyVersion: "" }, "`defaultPolicyVersion` must be letters, digits and underscores"],
    [{ defaultPolicyVersion: 1 }, "`defaultPolicyVersion` must be a string: it is a number"],
    [{ globals: new Map() }, "`globals` is not a JSON value: it is a Map"],
    [{ onDecision: () => 1 }, "`onDecision` is unknown"],
    [null, "`options` must be an object: it is null"],
    [[], "`options` must be an object: it is a list"],
    [new Map([["now", 5]]), "`options` must be an object: it is a Map"],
  ])("options: %j", (options, says) => {
    expect(() => check(asking({}) as never, options as never)).toThrow(says);
  });
});

test.each([
  [{ evaluationErrors: true }, "`evaluationErrors` is not available here: nobody looks"],
  [{ defaultScope: "a" }, "`defaultScope` cannot be set for one check: say it before"],
])("what cannot be said here is refused, of each check: %j", (options, says) => {
  const door = openDoor(decideWith(loadBundle(bundle, evaluateInThisRealm)), undefined, {
    ...environment,
    lacks: { names: ["evaluationErrors"], why: "nobody looks" },
    fixed: { names: ["defaultScope"], why: "say it before" },
  });
  for (let round = 0; round < 2; round++) {
    expect(() => door.check(asking({}) as never, options)).toThrow(says);
    expect(() => door.isAllowed(user, { kind: "doc", id: "1" }, "view", options)).toThrow(says);
    expect(door.isAllowed(user, { kind: "doc", id: "1" }, "view")).toBe(true);
  }
});

describe("what policies see", () => {
  const see = (action: string, attr: object, options?: object): boolean => isAllowed(user, { kind: "doc", id: "1", attr }, action, options);
  test.each([
    ["a date as JSON has it", "dated", { at: new Date(Date.UTC(2024, 1, 29, 12)) }],
    ["a field that is undefined as none", "absent", { gone: undefined }],
    ["no zero below zero, which JSON does not have", "zero", { n: -0 }],
    ["names that prototypes have as data", "proto", JSON.parse('{"__proto__":{"x":1}}')],
    ["whole globals as ints", "whole", {}],
    ["the clock of the door", "clock", {}],
  ])("%s", (_, action, attr: object) => {
    expect(see(action, attr)).toBe(true);
  });

  test("another instant and other globals, where the check says so", () => {
    expect(see("clock", {}, { now: new Date(0) })).toBe(false);
    expect(see("whole", {}, { globals: { limit: 6, share: 0.5 } })).toBe(false);
  });

  test.each(["new Date(Date.UTC(2024, 1, 29, 12))", "Date.UTC(2024, 1, 29, 12)"])("an instant of another realm: %s", (text) => {
    expect(see("clock", {}, { now: runInNewContext(text) as Date })).toBe(true);
  });

  test("each check its own instant, though many share one", () => {
    let now = 0;
    const asked: number[] = [];
    const decider = decideWith(loadBundle(bundle, evaluateInThisRealm));
    const door = openDoor(
      { ...decider, allows: (input, options, longest) => (asked.push(options.now), decider.allows(input, options, longest)) },
      undefined,
      { ...environment, clock: () => now },
    );
    const doc = { kind: "doc", id: "1" };
    for (const instant of [0, 0, Date.UTC(2024, 1, 29, 12), 0, Date.UTC(2024, 1, 29, 12)]) {
      now = instant;
      expect(door.isAllowed(user, doc, "clock")).toBe(instant !== 0);
      expect(door.check({ principal: user, resource: doc, actions: ["clock"] }).actions["clock"]?.effect).toBe(
        instant === 0 ? "EFFECT_DENY" : "EFFECT_ALLOW",
      );
      expect(door.isAllowed(user, doc, "clock", { now: 0 })).toBe(false);
    }
    expect(asked).toHaveLength(10);
    expect(asked.filter((_, at) => at % 2 === 0)).toEqual([0, 0, Date.UTC(2024, 1, 29, 12), 0, Date.UTC(2024, 1, 29, 12)]);
  });

  test("derived roles for whoever reads them, whatever was asked before", () => {
    const told: (boolean | undefined)[] = [];
    const decider = decideWith(loadBundle(bundle, evaluateInThisRealm));
    const door = openDoor(
      {
        decide: (input, options, longest) => (told.push(options.effectiveDerivedRoles), decider.decide(input, options, longest)),
        allows: (input, options, longest) => (told.push(options.effectiveDerivedRoles), decider.allows(input, options, longest)),
      },
      undefined,
      environment,
    );
    for (let round = 0; round < 2; round++) {
      door.isAllowed(user, { kind: "doc", id: "1" }, "view");
      door.check({ principal: user, resource: { kind: "doc", id: "1" }, actions: ["view"] });
    }
    expect(told).toEqual([false, true, false, true]);
  });

  test("settings of one check over those of the door, all of them", () => {
    const validate = () => [];
    const settings = {
      now: 5,
      globals: { a: 1 },
      defaultPolicyVersion: "v",
      defaultScope: "s",
      lenientScopeSearch: true,
      strictEvaluation: true,
      evaluationErrors: true,
      effectivePolicies: true,
      schemas: { enforcement: "warn", validate },
    } as const;
    const seen: object[] = [];
    const decider = decideWith(loadBundle(bundle, evaluateInThisRealm));
    const hearing = {
      ...decider,
      decide: (...asked: Parameters<typeof decider.decide>) => (seen.push(asked[1]), decider.decide(...asked)),
    };
    const request = { principal: user, resource: { kind: "doc", id: "1" }, actions: ["view"] };
    openDoor(hearing, settings, environment).check(request);
    openDoor(hearing, undefined, environment).check(request, settings);
    openDoor(hearing, settings, environment).check(request, { evaluationErrors: false, now: new Date(6) });
    const all = { ...settings, nowOffset: 0, globals: { a: 1n }, effectiveDerivedRoles: true };
    expect(seen).toEqual([all, all, { ...all, evaluationErrors: false, now: 6 }]);
  });

  test("answers are nobody's to change, and no prototype is in them", () => {
    const answer = check({ principal: user, resource: { kind: "doc", id: "1" }, actions: ["view"] });
    for (const part of [answer, answer.actions, answer.effectivePolicies]) expect(Object.isFrozen(part)).toBe(true);
    expect([answer.actions, answer.effectivePolicies].map((part): unknown => Object.getPrototypeOf(part))).toEqual([null, null]);
    expect(Object.keys(answer)).toEqual([
      "requestId",
      "resourceId",
      "effectiveDerivedRoles",
      "outputs",
      "validationErrors",
      "evaluationErrors",
      "actions",
      "effectivePolicies",
    ]);
  });

  test("what is told of sources is nobody's to change: policies keep it", () => {
    const attributes = { team: "a", deep: { list: [{ of: 1 }] } };
    const { bundle: told } = compiledFrom([
      { path: "doc.yaml", text: JSON.stringify({ ...policy, metadata: { sourceAttributes: { attributes } } }) },
    ]);
    const asked = openDoor(decideWith(loadBundle(told, evaluateInThisRealm)), { effectivePolicies: true }, environment);
    const { effectivePolicies } = asked.check({ principal: user, resource: { kind: "doc", id: "1" }, actions: ["view"] });
    const [source] = Object.values(effectivePolicies);
    expect(source).toMatchObject(attributes);
    const parts = (json: object): readonly object[] => [
      json,
      ...Object.values(json).flatMap((part: unknown) => (typeof part === "object" && part !== null ? parts(part) : [])),
    ];
    expect(parts(source ?? {}).map((part) => [part, Object.isFrozen(part)])).toEqual(parts(source ?? {}).map((part) => [part, true]));
    expect(parts(source ?? {}).length).toBeGreaterThanOrEqual(4);
  });

  test("actions are what was asked, whatever they are called", () => {
    const { actions } = check({ principal: user, resource: { kind: "doc", id: "1" }, actions: ["__proto__", "constructor", "view"] });
    expect(Object.entries(actions).map(([action, { effect }]) => [action, effect])).toEqual([
      ["__proto__", "EFFECT_DENY"],
      ["constructor", "EFFECT_DENY"],
      ["view", "EFFECT_ALLOW"],
    ]);
    expect("toString" in actions).toBe(false);
  });

  test("a request that costs too much is no decision", () => {
    const text = "x".repeat(100_000);
    const list = Array.from({ length: 1_000 }, () => text);
    expect(() => see("heavy", { list })).toThrow("takes more work than one check may cost");
    expect(see("dated", { at: "2024-02-29T12:00:00.000Z" })).toBe(true);
  });
});

test("what units call of the runtime is what can be imported by name", () => {
  expect({ ...members }).toEqual({ ...emitted });
});
