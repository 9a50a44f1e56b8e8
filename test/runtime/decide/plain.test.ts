/** The short way to a decision, which is taken where nothing else is asked, decides as the long one does. */
import { expect, it } from "vitest";
import { evaluatorOf, options } from "./policies.ts";
import { resource } from "./policies-of-all-types.ts";

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
