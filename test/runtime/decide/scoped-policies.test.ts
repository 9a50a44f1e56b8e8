/** Scopes: the nearest that decides wins, what requires consent, which scopes exist, what is reported (semantics 4.4, 4.5, 4.8). */
import { describe, expect, it } from "vitest";
import { ask, evaluatorOf, told } from "./policies.ts";
import { principal, resource } from "./policies-of-all-types.ts";

const consent = { scopePermissions: "SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS" };
const at = (evaluator: ReturnType<typeof evaluatorOf>, scope: string, actions: readonly string[], R: object = {}, options: object = {}) =>
  told(
    ask(evaluator, ["user"], "k", actions, {
      input: { resource: { kind: "k", id: "1", scope, attr: JSON.parse(JSON.stringify(R)) } },
      options,
    }),
  );

const worked = evaluatorOf(
  resource("k", ["allow a to user", "deny b to user", "allow c to user", "allow pc to user"]),
  resource("k", ["allow b to user", "deny c to user", "allow d to user if R.attr.x == 1.0"], { scope: "acme" }),
  resource("k", ["allow a to user", "allow z to user", "allow pc to user if R.attr.x == 1.0", "deny e to user if R.attr.x == 1.0"], {
    scope: "acme.hr",
    ...consent,
  }),
);

it("what needs consent in one policy and is denied in another have one condition and two programs", () => {
  const parent = (kind: string): string => resource(kind, ["allow view to user"]);
  const child = (kind: string, words: string): string =>
    resource(kind, [`${words} view to user if R.attr.open`], { scope: "acme", ...consent });
  const policies = [parent("k"), child("k", "deny"), parent("album"), child("album", "allow")];
  for (const order of [policies, policies.toReversed()]) {
    const evaluator = evaluatorOf(...order);
    expect(at(evaluator, "acme", ["view"], { open: true })).toEqual(["view: DENY by resource.k.vdefault/acme in acme"]);
    expect(at(evaluator, "acme", ["view"], { open: false })).toEqual(["view: ALLOW by resource.k.vdefault/acme"]);
  }
});

describe("the worked example of semantics 4.8", () => {
  const key = "resource.k.vdefault/acme.hr";
  it.each<[action: string, x: number, expected: string]>([
    ["a", 1, `a: ALLOW by ${key}`],
    ["b", 1, `b: ALLOW by ${key} in acme`],
    ["c", 1, `c: DENY by ${key} in acme`],
    ["d", 1, `d: ALLOW by ${key} in acme`],
    ["d", 2, `d: DENY by ${key}`],
    ["z", 1, `z: DENY by ${key}`],
    ["pc", 1, `pc: ALLOW by ${key}`],
    ["pc", 2, `pc: DENY by ${key} in acme.hr`],
    ["e", 1, `e: DENY by ${key} in acme.hr`],
  ])("%s, where x is %j", (action, x, expected) => {
    expect(at(worked, "acme.hr", [action], { x })).toEqual([expected]);
  });

  it("a scope without policies matches nothing, unless the search is lenient", () => {
    expect(at(worked, "acme.hr.nope", ["a"])).toEqual(["a: DENY by NO_MATCH"]);
    expect(at(worked, "acme.hr.nope", ["a"], {}, { lenientScopeSearch: true })).toEqual([`a: ALLOW by ${key}`]);
    expect(at(worked, "nope", ["a"], {}, { lenientScopeSearch: true })).toEqual(["a: ALLOW by resource.k.vdefault"]);
  });

  it("a default scope stands in for none, and a dot for the root", () => {
    expect(at(worked, "", ["b"], {}, { defaultScope: "acme" })).toEqual(["b: ALLOW by resource.k.vdefault/acme in acme"]);
    expect(at(worked, ".", ["b"], {}, { defaultScope: "acme" })).toEqual(["b: DENY by resource.k.vdefault"]);
    expect(at(worked, ".acme", ["b"])).toEqual(["b: ALLOW by resource.k.vdefault/acme in acme"]);
  });
});

describe("which scopes exist", () => {
  it("is a matter of the type, not of the kind: the key of the leaf is reported though no policy bears it", () => {
    const evaluator = evaluatorOf(
      resource("k", ["allow a to user"]),
      resource("other", [], { scope: "" }),
      resource("other", [], { scope: "acme" }),
    );
    expect(at(evaluator, "acme", ["a", "b"])).toEqual(["a: ALLOW by resource.k.vdefault/acme", "b: DENY by resource.k.vdefault/acme"]);
  });

  it("principal policies make none for resources", () => {
    const evaluator = evaluatorOf(resource("k", ["allow a to user"]), principal("p", []), principal("p", [], { scope: "acme" }));
    expect(at(evaluator, "acme", ["a"])).toEqual(["a: DENY by NO_MATCH"]);
  });
});

describe("across roles and scopes", () => {
  const evaluator = evaluatorOf(
    resource("k", ["allow a to two", "deny b to one", "allow b to two", "deny c to one, two", "allow w to *"]),
    resource("k", ["deny a to one", "deny c to two"], { scope: "acme" }),
  );
  const by = (roles: readonly string[], action: string) =>
    told(ask(evaluator, roles, "k", [action], { input: { resource: { kind: "k", id: "1", scope: "acme" } } }))[0];
  it.each<[sentence: string, roles: readonly string[], action: string, expected: string]>([
    ["an ALLOW of a later role wins, from however far a scope", ["one", "two"], "a", "a: ALLOW by resource.k.vdefault/acme"],
    ["an ALLOW of the first role ends the search", ["two", "one"], "b", "b: ALLOW by resource.k.vdefault/acme"],
    ["without ALLOW the first role that was decided is reported", ["one", "two"], "c", "c: DENY by resource.k.vdefault/acme"],
    ["in the order of the request", ["two", "one"], "c", "c: DENY by resource.k.vdefault/acme in acme"],
    ["roles to which nothing is said do not count", ["nobody", "two", "one"], "c", "c: DENY by resource.k.vdefault/acme in acme"],
    ["a role called * is an ordinary name", ["*"], "a", "a: DENY by resource.k.vdefault/acme"],
  ])("%s", (_, roles, action, expected) => {
    expect(by(roles, action)).toBe(expected);
  });
});

it("a principal policy in a scope that requires consent denies and leaves open, and never allows by itself", () => {
  const evaluator = evaluatorOf(
    resource("k", ["allow a, b to user"]),
    principal("ann", ["k: deny a if R.attr.n == 2.0", "k: allow c"]),
    principal("ann", ["k: allow a if R.attr.n == 1.0", "k: allow b", "k: allow c"], { scope: "acme", ...consent }),
  );
  const asked = (action: string, n: number) =>
    told(ask(evaluator, ["user"], "k", [action], { R: { n }, input: { principal: { id: "ann", roles: ["user"], scope: "acme" } } }))[0];
  expect(asked("a", 1)).toBe("a: ALLOW by resource.k.vdefault");
  expect(asked("a", 3)).toBe("a: DENY by principal.ann.vdefault/acme in acme");
  expect(asked("b", 1)).toBe("b: ALLOW by resource.k.vdefault");
  expect(asked("c", 1)).toBe("c: ALLOW by principal.ann.vdefault/acme");
});
