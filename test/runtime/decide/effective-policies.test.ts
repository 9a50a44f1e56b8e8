/** Effective policies: whose rows were considered, with their ancestors (semantics 4.9). */
import { expect, it } from "vitest";
import { ask, evaluatorOf } from "./policies.ts";
import { derivedRoles, principal, resource, role } from "./policies-of-all-types.ts";

const evaluator = evaluatorOf(
  derivedRoles("r", ["owner of user if R.attr.mine"]),
  resource("k", ["allow view to user", "allow own to derived owner"], { importDerivedRoles: ["r"] }),
  resource("k", ["allow near to user"], { scope: "acme" }),
  resource("k", ["allow nearest to user if false"], { scope: "acme.hr" }),
  principal("ann", ["k: allow mine if R.attr.no", "other: allow view"]),
  role("clerk", ["user"], ["k: near, view", "k: nearest if R.attr.no"], { scope: "acme.hr" }),
);
const keys = (roles: readonly string[], action: string, scope = "acme.hr") => {
  const decision = ask(evaluator, roles, "k", [action], {
    input: { resource: { kind: "k", id: "1", scope } },
    options: { effectivePolicies: true },
  });
  return [...decision.effectivePolicies.keys()].join(" ");
};
const all = "resource.k.vdefault resource.k.vdefault/acme resource.k.vdefault/acme.hr";

it.each<[sentence: string, found: string, expected: string]>([
  ["nobody's", keys(["user"], "nothing"), ""],
  ["the one whose rule decides, and its ancestors", keys(["user"], "near"), "resource.k.vdefault resource.k.vdefault/acme"],
  ["not those nearer, which said nothing", keys(["user"], "view"), "resource.k.vdefault"],
  ["one whose condition does not hold", keys(["user"], "nearest"), all],
  ["one whose derived role is inactive", keys(["user"], "own"), "resource.k.vdefault"],
  ["not one for other roles", keys(["guest"], "view"), ""],
  ["principal policies", keys(["user"], "mine"), "principal.ann.vdefault"],
  ["a role policy that denies, alone", keys(["clerk"], "own"), "role.clerk.vdefault/acme.hr"],
  ["a role policy whose condition was asked", keys(["clerk"], "nearest"), "role.clerk.vdefault/acme.hr"],
  ["not a role policy that only lists", keys(["clerk"], "near"), "resource.k.vdefault resource.k.vdefault/acme"],
])("%s", (_, found, expected) => {
  expect(found).toBe(expected);
});

it("come with their source attributes, and only when asked for", () => {
  const attributes = { metadata: { sourceAttributes: { attributes: { team: "x", n: 1 } } } };
  const one = evaluatorOf(
    resource("k", ["allow view to user"]).replace("resourcePolicy:", `metadata: ${JSON.stringify(attributes.metadata)}\nresourcePolicy:`),
  );
  expect([...ask(one, ["user"], "k", ["view"], { options: { effectivePolicies: true } }).effectivePolicies]).toEqual([
    ["resource.k.vdefault", { team: "x", n: 1 }],
  ]);
  expect(ask(one, ["user"], "k", ["view"]).effectivePolicies.size).toBe(0);
});
