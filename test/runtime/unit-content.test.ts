/** Units that say the same share what they are but for their names: each decides as it does alone, whoever was asked before. */
import { expect, it } from "vitest";
import { ask, evaluatorOf, options, told } from "./decide/policies.ts";
import { resource, role } from "./decide/policies-of-all-types.ts";

/** One shape throughout; some differ in roles, actions, values or scopes, some in nothing but the kind. */
const policies: readonly (readonly [kind: string, texts: readonly string[]])[] = [
  ...["a1", "a2", "a3", "a4"].map((kind) => [kind, [resource(kind, ["allow x to user if R.attr.n == 1.0"])]] as const),
  ...["b1", "b2", "b3"].map((kind) => [kind, [resource(kind, ["allow x to clerk if R.attr.n == 1.0"])]] as const),
  ...["c1", "c2", "c3"].map((kind) => [kind, [resource(kind, ["allow y to user if R.attr.n == 1.0"])]] as const),
  ...["d1", "d2", "d3"].map((kind) => [kind, [resource(kind, ["allow x to user if R.attr.n == 2.0"])]] as const),
  ...["e1", "e2", "e3"].map(
    (kind) =>
      [kind, [resource(kind, ["deny x to user"]), resource(kind, ["allow x to user", "allow y to clerk"], { scope: "acme" })]] as const,
  ),
  ...["f1", "f2", "f3"].map(
    (kind) =>
      [kind, [resource(kind, ["deny x to clerk"]), resource(kind, ["allow x to clerk", "allow y to user"], { scope: "acme" })]] as const,
  ),
];
const together = evaluatorOf(...policies.flatMap(([, texts]) => texts));

// Scopes exist where some policy has them: alone a kind has fewer of them, so that one of another kind stands beside it.
const bystander = [resource("other", ["allow x to user"]), resource("other", ["allow x to user"], { scope: "acme" })];

it.each<[roles: readonly string[], tellsRoles: boolean]>([
  [["user"], false],
  [["clerk"], false],
  [["user", "clerk"], false],
  [["stranger"], false],
  [["clerk", "user"], true],
])("as %j, roles told: %j", (roles, effectiveDerivedRoles) => {
  const inputsOf = (kind: string) =>
    ["", "acme", "acme.hr"].flatMap((scope) =>
      [1, 2].map((n) => ({
        principal: { id: "ann", roles },
        resource: { kind, id: "1", scope, attr: { n } },
        actions: ["x", "y", "z"],
      })),
    );
  const all = { ...options, effectiveDerivedRoles };
  for (const [kind, texts] of policies) {
    const alone = evaluatorOf(...texts, ...bystander);
    const say = (evaluator: typeof alone): unknown => evaluator.check(inputsOf(kind), all).map(({ actions }) => [...actions]);
    expect(say(together), kind).toEqual(say(alone));
  }
});

/** Three kinds whose policies say the same, and role policies that stand beside some of them. */
const beside = evaluatorOf(
  ...["g0", "g1", "g2"].map((kind) => resource(kind, ["allow x to user"])),
  ...["g0", "g1", "g2"].map((kind) => resource(kind, ["allow x to user"], { version: "v2" })),
  ...bystander,
  role("user", [], ["g1: x", "g2: y"]),
  role("intern", ["user"], ["nothing: x"], { version: "v3", scope: "acme" }),
);

it.each<[sentence: string, role: string, kind: string, version: string, scope: string, effect: string]>([
  ["one of which the role policy does not speak", "user", "g0", "default", "", "DENY by role.user.vdefault"],
  ["one for which the role may do it", "user", "g1", "default", "", "ALLOW by resource.g1.vdefault"],
  ["one for which the role may do something else", "user", "g2", "default", "", "DENY by role.user.vdefault"],
  ["a version without role policies", "user", "g2", "v2", "", "ALLOW by resource.g2.vv2"],
  ["a scope where the role narrows nobody", "intern", "g1", "v2", "", "DENY by resource.g1.vv2"],
  ["a scope where it narrows one that may", "intern", "g1", "v2", "acme", "ALLOW by resource.g1.vv2/acme"],
])("role policies count for each alone, whoever was asked before: %s", (_, held, kind, policyVersion, scope, expected) => {
  const resourceOf = (of: string) => ({ kind: of, id: "1", policyVersion, scope });
  for (const before of ["g0", "g1", "g2"]) {
    const say = (of: string, on: string) => told(ask(beside, [held], of, ["x"], { input: { resource: { ...resourceOf(of), scope: on } } }));
    for (const on of ["", "acme"]) say(before, on);
    expect(say(kind, scope)).toEqual([`x: ${expected}`]);
  }
});
