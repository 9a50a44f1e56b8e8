/** The fastest path to a decision, which inputs go of whom nothing but the decision is asked, decides as the general algorithm does. */
import { expect, it } from "vitest";
import { swapBudget, tooMuchWork, withWork } from "../../../runtime/cel/work.ts";
import type { Decision } from "../../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions } from "../../../runtime/decide/input.ts";
import { evaluateInThisRealm, load, type Loaded } from "../../../runtime/load.ts";
import { bundleOf, evaluatorOf, options } from "./policies.ts";
import { derivedRoles, principal, resource, role } from "./policies-of-all-types.ts";

const rows = [
  "allow a to user",
  "deny a to clerk if R.attr.x == 1.0",
  "allow b to * if P.attr.team == R.attr.team",
  "deny view:secret to user",
  "allow view:* to user if R.attr.x == 2.0",
  "allow c to clerk",
];
const near = resource("k", ["deny b to user if R.attr.x == 1.0", "allow c to user"], { scope: "acme" });
const lists = [["user"], ["clerk"], ["user", "clerk"], ["stranger"], ["stranger", "user"], ["boss"], [..."abcdefgh", "user"]];
const actions = ["a", "b", "c", "view:it", "view:secret", "print"];

const inputs: readonly CheckInput[] = ["ann", "eve"].flatMap((id) =>
  lists.flatMap((roles) =>
    ["", "acme", ".acme", "acme.far", ".", "..acme"].flatMap((scope) =>
      [1, 2].flatMap((x) =>
        [...actions.map((action) => [action]), actions].map((asked) => ({
          principal: { id, roles, scope: x === 1 ? undefined : ".acme", attr: { team: "red" } },
          resource: { kind: "k", id: `${id}-${x}`, scope, attr: { x, team: x === 1 ? "red" : "blue" } },
          actions: asked,
        })),
      ),
    ),
  ),
);

const scoped = [
  'allow a to user if R.scope == "acme"',
  'allow b to * if P.scope == "" && R.scope != "acme"',
  'allow c to user if P.scope == "acme"',
];
const everything = { effectiveDerivedRoles: true, evaluationErrors: true, effectivePolicies: true } as const;

const checked = { schemas: { resourceSchema: { ref: "authz:///k.json" } } };
const schemas: CheckOptions["schemas"] = {
  enforcement: "reject",
  validate: (at, source) => (at % 2 === 0 ? [{ path: "/x", message: "must be another", source }] : []),
};

/** What was decided, and all that is told in any case. */
const decisionsOf = (evaluator: Loaded, asked: readonly CheckInput[], settings: Partial<CheckOptions>): readonly unknown[] =>
  evaluator
    .check(asked, { ...options, ...settings })
    .map((decision) => ({ ...decision, actions: [...decision.actions], effectiveDerivedRoles: [] }));

/** Who may do what, asked action by action. */
const allowedBy = (evaluator: Loaded, settings: Partial<CheckOptions>, asked = inputs): readonly unknown[] =>
  asked.map((input) =>
    input.actions.map((action) =>
      evaluator.allows({ ...input, actions: [action] }, { ...options, effectiveDerivedRoles: false, ...settings }),
    ),
  );

const allowedIn = (decisions: readonly Decision[]): readonly unknown[] =>
  decisions.map(({ actions: decided }) => Array.from(decided.values(), ({ effect }) => effect === "EFFECT_ALLOW"));

it.each<[sentence: string, evaluator: Loaded, settings: Partial<CheckOptions>]>([
  ["rows of one scope", evaluatorOf(resource("k", rows)), {}],
  ["rows of two scopes", evaluatorOf(resource("k", rows), near), {}],
  ["a scope where none is asked for", evaluatorOf(resource("k", rows), near), { defaultScope: ".acme" }],
  ["scopes that are not there", evaluatorOf(resource("k", rows), near), { lenientScopeSearch: true }],
  ["another version", evaluatorOf(resource("k", rows)), { defaultPolicyVersion: "other" }],
  ["a policy of one of the principals", evaluatorOf(resource("k", rows), near, principal("eve", ["k: deny a", "k: allow print"])), {}],
  ["a role that others narrow", evaluatorOf(resource("k", rows), near, role("boss", ["user", "clerk"], ["k: c"], { scope: "acme" })), {}],
  [
    "a derived role of one that others narrow, in another version",
    evaluatorOf(
      resource("k", [...rows, "allow print to derived member"], { importDerivedRoles: ["r"] }),
      resource("k", ["allow print to derived member"], { importDerivedRoles: ["r"], scope: "acme" }),
      derivedRoles("r", ["member of user"]),
      role("boss", ["user"], ["k: c"], { scope: "acme", version: "other" }),
    ),
    {},
  ],
  ["attributes that no schema takes", evaluatorOf(resource("k", rows, checked)), { schemas }],
  [
    "strict evaluation",
    evaluatorOf(resource("k", [...rows, "deny c to clerk if R.attr.missing == 1.0"]), near),
    { strictEvaluation: true },
  ],
  ["a role policy of a role that narrows nobody", evaluatorOf(resource("k", rows), near, role("clerk", [], ["k: c"])), {}],
  ["a default that says once more not to take it", evaluatorOf(resource("k", rows), near), { defaultScope: "..acme" }],
  ["conditions that look at scopes", evaluatorOf(resource("k", scoped), resource("k", scoped, { scope: "acme" })), {}],
  ["conditions that look at scopes where none is asked for", evaluatorOf(resource("k", scoped), near), { defaultScope: ".acme" }],
])("%s", (_, evaluator, settings) => {
  const long = decisionsOf(evaluator, inputs, { ...settings, effectiveDerivedRoles: true });
  expect(decisionsOf(evaluator, inputs, { ...settings, effectiveDerivedRoles: false })).toEqual(long);
  // A schema is asked by the place of the input in its call: here each is the first.
  const each = inputs.flatMap((input) => evaluator.check([input], { ...options, ...settings }));
  expect(allowedBy(evaluator, settings)).toEqual(allowedIn(each));
  // Who asks yes or no is told nothing, whatever there would be to tell.
  expect(allowedBy(evaluator, { ...settings, ...everything })).toEqual(allowedIn(each));
  if (settings.schemas !== undefined) return;
  // One by one, backwards: what was asked before does not matter.
  const alone = inputs.toReversed().map((input) => decisionsOf(evaluator, [input], { ...settings, effectiveDerivedRoles: false })[0]);
  expect(alone.toReversed()).toEqual(long);
  expect(new Set(long.map((decision) => JSON.stringify(decision))).size).toBeGreaterThan(1);
});

it("does not go where somebody else went a moment ago", () => {
  const texts = [
    resource("k", ["allow a to user", "deny a to clerk", "allow a to boss"]),
    resource("k", ["allow b to user"], { version: "other" }),
    resource("k", ["deny a to user"], { scope: "acme" }),
    resource("l", ["allow a, b to clerk"]),
  ];
  const asking = (roles: readonly string[], kind = "k", policyVersion?: string, scope?: string): CheckInput => ({
    principal: { id: "ann", roles },
    resource: { kind, id: "1", policyVersion, scope },
    actions: ["a", "b"],
  });
  const lists = [["user"], ["clerk"], ["user", "clerk"], ["user", "boss"], ["clerk", "user"], ["stranger", "boss"], []];
  const places = ["k", "l", "m"].flatMap((kind) =>
    [undefined, "", "other"].flatMap((version) =>
      [undefined, "", ".", "acme", "acme.far", "..acme"].map((scope) => asking(["user"], kind, version, scope)),
    ),
  );
  const ways: readonly Partial<CheckOptions>[] = [
    {},
    { lenientScopeSearch: true },
    { defaultPolicyVersion: "other" },
    { defaultScope: ".acme" },
    { defaultScope: "acme" },
  ];
  const bundle = bundleOf(...texts);
  const fresh = (): Loaded => load(bundle, evaluateInThisRealm);
  for (const asked of [lists.map((roles) => asking(roles)), places]) {
    const calls = asked.flatMap((input) => ways.map((settings) => ({ input, settings })));
    const alone = calls.map(({ input, settings }) => allowedBy(fresh(), settings, [input])[0]);
    const evaluator = fresh();
    for (const before of calls) {
      const behind = calls.map(({ input, settings }) => {
        allowedBy(evaluator, before.settings, [before.input]);
        return allowedBy(evaluator, settings, [input])[0];
      });
      expect(behind).toEqual(alone);
    }
  }
});

it("pays for long texts of a program as the long way does", () => {
  const costOf = (text: string, ask: (evaluator: Loaded, input: CheckInput) => unknown): number => {
    const evaluator = evaluatorOf(resource("k", [`allow a to user if R.attr.x == "${text}"`]));
    const input = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "k", id: "1", attr: { x: "y" } }, actions: ["a"] };
    const account = { left: 2 ** 20, stepPrice: 1 };
    ask(evaluator, input);
    swapBudget(account);
    ask(evaluator, input);
    swapBudget(account);
    return 2 ** 20 - account.left;
  };
  const allows = (evaluator: Loaded, input: CheckInput): unknown => evaluator.allows(input, options);
  const decides = (evaluator: Loaded, input: CheckInput): unknown => evaluator.check([input], options);
  const [long, short] = ["x".repeat(12_800), "x"];
  expect(costOf(long, decides) - costOf(short, decides)).toBeGreaterThanOrEqual(100);
  expect(costOf(long, allows) - costOf(short, allows)).toBeGreaterThanOrEqual(costOf(long, decides) - costOf(short, decides));
});

it("draws from the account of the check", () => {
  const evaluator = evaluatorOf(resource("k", ["allow a to user"]));
  const [input] = inputs;
  const ask = (units: number) => (): unknown =>
    withWork(units, 0, () => decisionsOf(evaluator, input === undefined ? [] : [input], { effectiveDerivedRoles: false }));
  const askAlone = (units: number) => (): unknown =>
    withWork(units, 0, () => inputs.slice(0, 1).map((each) => evaluator.allows(each, { ...options, effectiveDerivedRoles: false })));
  for (const asked of [ask, askAlone]) {
    expect(asked(1000)).not.toThrow();
    let thrown: unknown;
    try {
      asked(1)();
    } catch (trouble) {
      thrown = trouble;
    }
    expect(thrown).toBe(tooMuchWork);
  }
});
