/** The fast path to a decision, which is taken where nothing else is asked, decides as the general algorithm does. */
import { expect, it } from "vitest";
import { ask, evaluatorOf, options } from "./policies.ts";
import { derivedRoles, resource } from "./policies-of-all-types.ts";

const evaluator = evaluatorOf(
  resource("k", ["allow a to user", "deny b to user", "allow c to clerk", "deny c to user", "deny d to user", "deny e to clerk"]),
  resource("k", ["deny a to clerk", "deny d to clerk", "deny e to user", "allow f to user if R.attr.x == 1.0"], { scope: "acme" }),
);

it.each<[roles: readonly string[]]>([
  [["user"]],
  [["clerk"]],
  [["user", "clerk"]],
  [["clerk", "user"]],
  [["stranger", "user", "clerk"]],
  [["clerk", "stranger", "user"]],
  [["stranger"]],
])("as %j", (roles) => {
  const inputs = ["", "acme"].flatMap((scope) =>
    [1, 2].map((x) => ({
      principal: { id: "ann", roles },
      resource: { kind: "k", id: "1", scope, attr: { x } },
      actions: ["a", "b", "c", "d", "e", "f", "print"],
    })),
  );
  const decide = (effectiveDerivedRoles: boolean): unknown =>
    evaluator.check(inputs, { ...options, effectiveDerivedRoles }).map(({ actions, resourceId }) => [resourceId, [...actions]]);
  expect(decide(false)).toEqual(decide(true));
});

const withRoles = { importDerivedRoles: ["r"] };
const readers = evaluatorOf(
  derivedRoles("r", ["owner of user if R.attr.owner == P.id"]),
  resource(
    "k",
    [
      "allow edit to derived owner",
      'allow view to user if "owner" in runtime.effectiveDerivedRoles',
      'deny print to user if !("owner" in runtime.effectiveDerivedRoles)',
      "allow print to user",
      'allow copy to user if [runtime].exists(each, each.effectiveDerivedRoles == ["owner"])',
      "allow send to user if V.isOwner",
    ],
    { ...withRoles, variables: { local: { isOwner: '"owner" in runtime.effectiveDerivedRoles' } } },
  ),
  resource("k", ["deny view to clerk"], { scope: "acme" }),
);

it.each<[sentence: string, scope: string, owner: string, allowed: readonly string[]]>([
  ["a role that is active", "", "ann", ["view", "print", "copy", "send"]],
  ["a role that is not", "", "bob", []],
  ["a role that is active in the scope above", "acme", "ann", ["view", "print", "copy", "send"]],
])("is not taken where conditions read the derived roles: %s", (_, scope, owner, allowed) => {
  const actions = ["view", "print", "copy", "send"];
  const input = { resource: { kind: "k", id: "1", scope, attr: { owner } } };
  for (const effectiveDerivedRoles of [false, true]) {
    const decision = ask(readers, ["user"], "k", actions, { input, options: { effectiveDerivedRoles } });
    expect([...decision.actions].flatMap(([action, { effect }]) => (effect === "EFFECT_ALLOW" ? [action] : []))).toEqual(allowed);
  }
});
