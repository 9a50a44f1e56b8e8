/** Strict evaluation across the types of policy: who is reported, and that nothing further is tried (semantics 5.3). */
import { describe, expect, it } from "vitest";
import { ask, evaluatorOf, told } from "./policies.ts";
import { derivedRoles, principal, resource, role, rule } from "./policies-of-all-types.ts";

const evaluator = evaluatorOf(
  derivedRoles("r", ["bad of user if R.attr.missing", "fine of user"]),
  resource(
    "k",
    [
      "allow view, edit, see, read to user",
      "allow own to derived bad",
      "deny fine to derived fine",
      'allow runtime to user if "fine" in runtime.effectiveDerivedRoles',
      "allow far to user if R.attr.missing",
      rule("allow told to user", { name: "early", output: { when: { ruleActivated: "1" } } }),
      rule("deny told to user if R.attr.missing", { name: "late", output: { when: { conditionNotMet: "2" } } }),
    ],
    { importDerivedRoles: ["r"] },
  ),
  resource("k", [], { scope: "acme" }),
  principal("ann", ["k: allow edit if P.attr.missing", "k: deny see if false"]),
  role("clerk", ["user"], ["k: view, read if R.attr.missing", "k: see, read"]),
);

const asked = (roles: readonly string[], action: string, strictEvaluation: boolean, scope = "") =>
  told(ask(evaluator, roles, "k", [action], { input: { resource: { kind: "k", id: "1", scope } }, options: { strictEvaluation } }))[0];

describe("an error in a condition", () => {
  it.each<[sentence: string, roles: readonly string[], action: string, lax: string, strict: string]>([
    ["of a principal policy", ["user"], "edit", "ALLOW by resource.k.vdefault", "DENY by principal.ann.vdefault"],
    ["of a role policy", ["clerk", "user"], "view", "ALLOW by resource.k.vdefault", "DENY by role.clerk.vdefault"],
    ["of a derived role", ["user"], "own", "DENY by resource.k.vdefault", "DENY by resource.k.vdefault"],
    [
      "while derived roles are found out, which a condition reads",
      ["user"],
      "runtime",
      "ALLOW by resource.k.vdefault",
      "DENY by resource.k.vdefault",
    ],
    [
      "while derived roles are found out, which nobody reads",
      ["user"],
      "see",
      "ALLOW by resource.k.vdefault",
      "ALLOW by resource.k.vdefault",
    ],
    ["before another role is asked", ["clerk", "user"], "read", "ALLOW by resource.k.vdefault", "DENY by role.clerk.vdefault"],
    ["after a role that allows", ["user", "clerk"], "read", "ALLOW by resource.k.vdefault", "ALLOW by resource.k.vdefault"],
  ])("%s", (_, roles, action, lax, strict) => {
    expect([asked(roles, action, false), asked(roles, action, true)]).toEqual([`${action}: ${lax}`, `${action}: ${strict}`]);
  });

  it("is reported by the policy that holds the rule, and its scope, not by the leaf", () => {
    expect(asked(["user"], "far", true, "acme")).toBe("far: DENY by resource.k.vdefault");
    expect(asked(["user"], "far", false, "acme")).toBe("far: DENY by resource.k.vdefault/acme");
  });

  it("leaves what was told before, and tells nothing after", () => {
    const outputs = (strictEvaluation: boolean) =>
      ask(evaluator, ["user"], "k", ["told"], { options: { strictEvaluation } }).outputs.map(({ src }) => src);
    expect(outputs(false)).toEqual(["resource.k.vdefault#early", "resource.k.vdefault#late"]);
    expect(outputs(true)).toEqual(["resource.k.vdefault#early"]);
  });
});

it("evaluation errors are those of every unit that was asked", () => {
  const { evaluationErrors } = ask(evaluator, ["clerk"], "k", ["edit", "view"], { options: { evaluationErrors: true } });
  expect(evaluationErrors.map(({ expression }) => expression)).toEqual(["P.attr.missing", "R.attr.missing"]);
});
