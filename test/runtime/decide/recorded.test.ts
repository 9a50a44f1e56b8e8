/** The short way of a decision that is recorded names what the long one names: it is taken unless a rule tells the caller something. */
import { expect, it } from "vitest";
import { ask, evaluatorOf } from "./policies.ts";
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
