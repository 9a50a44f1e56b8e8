/** The fast path of a decision that is recorded names what the general algorithm names: it is taken unless a rule tells the caller something. */
import { expect, it } from "vitest";
import type { Decision } from "../../../runtime/decide/decision.ts";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { evaluateInThisRealm, load } from "../../../runtime/load.ts";
import { ask, bundleOf, evaluatorOf, options as usual } from "./policies.ts";
import { derivedRoles, resource, rule } from "./policies-of-all-types.ts";

const roles = derivedRoles("r", ["owner of user, clerk if R.attr.owner == P.id", "near of user, clerk if R.attr.place == P.attr.place"]);
const more = { importDerivedRoles: ["r"], variables: { local: { isOld: "R.attr.age > 7" } } };
const atRoot = ["allow a, b to user", "deny b to clerk", "allow c to derived owner if V.isOld", "allow e to user if R.attr.x.y == 1"];
const inAcme = ["deny a to clerk", "allow d to derived near", "allow f to user if R.attr.z > 1"];
const policiesWith = (further: readonly object[]): readonly string[] => [
  roles,
  resource("k", [...atRoot, ...further], more),
  resource("k", [...inAcme, ...further], { ...more, scope: "acme" }),
  resource("k", ["allow g to derived near"], { ...more, scope: "acme.hr" }),
];

const short = evaluatorOf(...policiesWith([]));
// A unit that may tell the caller something is asked by the long way.
const telling = rule("allow tell to nobody", { output: { when: { ruleActivated: "1" } } });
const long = evaluatorOf(...policiesWith([telling]));

const unknown = evaluatorOf(resource("another", ["allow a to user"]));

const options = { evaluationErrors: true, effectivePolicies: true };
const actions = ["a", "b", "c", "d", "e", "f", "g", "h"];
const asked = (of: typeof short, held: readonly string[], asking: readonly string[], scope: string, R: object): unknown => {
  const resourceAsked = { kind: "k", id: "1", scope, attr: { ...R } };
  const decision = ask(of, held, "k", asking, { P: { place: "x" }, input: { resource: resourceAsked }, options });
  return { ...decision, actions: [...decision.actions], effectivePolicies: [...decision.effectivePolicies] };
};

it.each([[["user"]], [["clerk"]], [["user", "clerk"]], [["clerk", "user"]], [["stranger", "clerk"]], [["stranger"]]])("as %j", (held) => {
  for (const scope of ["", "acme", "acme.hr"]) {
    for (const R of [{}, { owner: "ann" }, { place: "x", age: 9 }, { owner: "ann", place: "x", age: 3, z: 2, x: { y: 1 } }]) {
      for (const asking of [actions, ...actions.map((action) => [action])])
        expect(asked(short, held, asking, scope, R)).toEqual(asked(long, held, asking, scope, R));
    }
  }
});

it.each<[sentence: string, asking: string, scope: string, wanted: object]>([
  [
    "of a scope that was not visited no derived role, no policy and no error",
    "d",
    "acme",
    { effectiveDerivedRoles: ["near"], effectivePolicies: ["resource.k.vdefault", "resource.k.vdefault/acme"], evaluationErrors: 0 },
  ],
  ["everything, where nobody says anything", "h", "acme", { effectiveDerivedRoles: ["near"], effectivePolicies: [], evaluationErrors: 1 }],
])("names %s", (_, asking, scope, wanted) => {
  const decision = ask(short, ["user"], "k", [asking], {
    P: { place: "x" },
    input: { resource: { kind: "k", id: "1", scope, attr: { place: "x" } } },
    options,
  });
  expect({
    effectiveDerivedRoles: decision.effectiveDerivedRoles,
    effectivePolicies: [...decision.effectivePolicies.keys()],
    evaluationErrors: decision.evaluationErrors.length,
  }).toEqual(wanted);
});

it("names the same of inputs that are asked together, whoever came before", () => {
  const inputs = ["", "acme", "acme.hr"].flatMap((scope) =>
    [["user"], ["clerk"], ["user", "clerk"]].flatMap((held) =>
      [{}, { owner: "ann" }, { place: "x", age: 9 }, { z: 2, x: { y: 1 } }].flatMap((attr) =>
        [["a", "d"], ["c"], ["e", "f", "g"], ["h"]].map((asking) => ({
          principal: { id: "ann", roles: held, attr: { place: "x" } },
          resource: { kind: asking.length === 3 ? "k" : "other", id: "1", scope, attr },
          actions: asking,
        })),
      ),
    ),
  );
  const two = [...policiesWith([]), resource("other", [...atRoot], more), resource("other", [...inAcme], { ...more, scope: "acme" })];
  const printed = (decision: Decision): unknown => ({
    ...decision,
    actions: [...decision.actions],
    effectivePolicies: [...decision.effectivePolicies],
  });
  const all = { ...usual, ...options };
  const bundle = bundleOf(...two);
  const askedAnew = (asking: readonly CheckInput[]): readonly unknown[] =>
    load(bundle, evaluateInThisRealm).check(asking, all).map(printed);
  const alone = inputs.flatMap((input) => askedAnew([input]));
  expect(askedAnew(inputs)).toEqual(alone);
  expect(askedAnew(inputs.toReversed())).toEqual(alone.toReversed());
});

it("names the policies of more scopes than have bits", () => {
  const scopes = Array.from({ length: 34 }, (_, depth) => Array.from({ length: depth }, (_, at) => `s${at}`).join("."));
  const deep = evaluatorOf(...scopes.map((scope, depth) => resource("deep", [`allow at${depth} to user`], scope === "" ? {} : { scope })));
  for (const [depth, scope] of scopes.entries()) {
    const decision = ask(deep, ["user"], "deep", [`at${depth}`], {
      input: { resource: { kind: "deep", id: "1", scope: scopes.at(-1) ?? "" } },
      options,
    });
    expect(decision.actions.get(`at${depth}`)?.matchedScope).toBe(scope);
    expect(decision.effectivePolicies.size).toBe(depth + 1);
  }
});

it("denies what no policy speaks of, and names nothing", () => {
  expect(asked(short, ["user", "clerk"], ["a", "b"], "acme", {})).not.toEqual(asked(unknown, ["user", "clerk"], ["a", "b"], "acme", {}));
  expect(asked(unknown, ["user", "clerk"], ["a", "b"], "acme", {})).toEqual({
    requestId: "",
    resourceId: "1",
    actions: ["a", "b"].map((action) => [action, { effect: "EFFECT_DENY", matchedPolicy: "NO_MATCH", matchedScope: "" }]),
    effectiveDerivedRoles: [],
    outputs: [],
    validationErrors: [],
    evaluationErrors: [],
    effectivePolicies: [],
  });
});
