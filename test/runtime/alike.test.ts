/** Units that say the same share what they are but for their names: each decides as it does alone, whoever was asked before. */
import { expect, it } from "vitest";
import { evaluatorOf, options } from "./decide/policies.ts";
import { resource } from "./decide/policies-of-all-types.ts";

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
