/** Derived roles: when they are active, where they show, which rules they bring (semantics 4.6, 5.3). */
import { describe, expect, it } from "vitest";
import type { CheckOptions } from "../../../runtime/decide/input.ts";
import { ask, evaluatorOf, told } from "./policies.ts";
import { derivedRoles, resource, role } from "./policies-of-all-types.ts";

const imports = { importDerivedRoles: ["r"] };

describe("the effective derived roles of a reply", () => {
  const evaluator = evaluatorOf(
    derivedRoles("r", [
      "owner of user if R.attr.owner == P.id",
      "anyone of *",
      "far of user",
      "unused of user",
      "team of team_*",
      "broken of user if R.attr.no.way",
    ]),
    resource(
      "k",
      ["allow near to derived owner", "deny x to derived anyone", "allow t to derived team", "allow q to derived broken"],
      imports,
    ),
    resource("k", ["allow near to derived far", "allow other to nobody"], { scope: "acme", ...imports }),
  );
  const roles = (asked: readonly string[], scope: string, action: string, owner = "ann") =>
    ask(evaluator, asked, "k", [action], { input: { resource: { kind: "k", id: "1", scope, attr: { owner } } } }).effectiveDerivedRoles;

  it.each<[sentence: string, found: readonly string[], expected: readonly string[]]>([
    ["are those that rules refer to", roles(["user"], "", "near"), ["anyone", "owner"]],
    ["need a parent role and the condition", roles(["user"], "", "near", "bob"), ["anyone"]],
    ["which none of several others is", roles(["guest", "clerk", "users"], "", "near"), ["anyone"]],
    ["but one of several may be", roles(["guest", "clerk", "user"], "", "near"), ["anyone", "owner"]],
    ["may have any role for a parent", roles(["guest"], "", "near"), ["anyone"]],
    ["come from every scope that was visited", roles(["user"], "acme", "x"), ["anyone", "far", "owner"]],
    ["and from no scope behind a decision", roles(["user"], "acme", "near"), ["far"]],
    ["come from scopes in which nothing is said to the role", roles(["stranger"], "acme", "nothing"), ["anyone"]],
    ["compare parents as they are written, though rules match patterns", roles(["team_x"], "", "t"), ["anyone"]],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it("nor bring their rules to several roles of which none is a parent", () => {
    const asked = (found: readonly string[]) => told(ask(evaluator, found, "k", ["near"], { R: { owner: "ann" } }));
    expect([asked(["guest", "clerk"]), asked(["guest", "user"])]).toEqual([
      ["near: DENY by resource.k.vdefault"],
      ["near: ALLOW by resource.k.vdefault"],
    ]);
  });

  it("a pattern of parents brings the rule", () => {
    expect(told(ask(evaluator, ["team_x"], "k", ["t"]))).toEqual(["t: ALLOW by resource.k.vdefault"]);
  });
});

describe("errors of a derived role", () => {
  const evaluator = evaluatorOf(
    JSON.stringify({
      apiVersion: "api.authz.dev/v1",
      derivedRoles: {
        name: "r",
        variables: { local: { team: "R.attr.team.name" } },
        definitions: [
          { name: "open", parentRoles: ["user"], condition: { match: { expr: "R.attr.open" } } },
          { name: "own", parentRoles: ["user"], condition: { match: { expr: 'R.attr.open || V.team == "core"' } } },
        ],
      },
    }),
    resource("k", ["allow view to derived open", "allow edit to derived own"], imports),
  );
  it.each<[sentence: string, action: string, R: object, expected: readonly string[]]>([
    ["none fails", "edit", { open: true, team: { name: "x" } }, []],
    ["one of its variables, though the condition holds without it", "edit", { open: true }, ["R.attr.team.name"]],
    ["the condition, and the variable that it reads", "edit", { open: false }, ['R.attr.open || V.team == "core"', "R.attr.team.name"]],
  ])("are told: %s", (_, action, R, expected) => {
    const { evaluationErrors } = ask(evaluator, ["user"], "k", [action], { R, options: { evaluationErrors: true } });
    expect(evaluationErrors.map(({ expression }) => expression)).toEqual(expected);
  });
});

describe("parents through role policies", () => {
  const evaluator = evaluatorOf(
    derivedRoles("r", ["owner of user"]),
    resource("k", ["allow view to derived owner", 'allow see to user if "owner" in runtime.effectiveDerivedRoles'], imports),
    resource("k", [], { scope: "acme" }),
    role("clerk", ["user"], ["k: *"]),
  );
  it("count in the scope of the request alone", () => {
    expect(told(ask(evaluator, ["clerk"], "k", ["view", "see"]))).toEqual([
      "view: ALLOW by resource.k.vdefault",
      "see: ALLOW by resource.k.vdefault",
    ]);
    expect(ask(evaluator, ["clerk"], "k", ["view"]).effectiveDerivedRoles).toEqual(["owner"]);
    const below = ask(evaluator, ["clerk"], "k", ["view"], { input: { resource: { kind: "k", id: "1", scope: "acme" } } });
    expect([told(below), below.effectiveDerivedRoles]).toEqual([["view: DENY by resource.k.vdefault/acme"], []]);
  });
});

describe.each<[sentence: string, options: Partial<CheckOptions>]>([
  ["told to the caller", {}],
  ["told to nobody", { effectiveDerivedRoles: false }],
])("runtime.effectiveDerivedRoles, %s", (_, options) => {
  const seen = "size(runtime.effectiveDerivedRoles)";
  const evaluator = evaluatorOf(
    derivedRoles("r", ["one of user", "two of user"]),
    resource("k", [`allow both to user if ${seen} == 2`, "deny no to derived one", "deny no to derived two"], imports),
    resource("k", [`allow near to user if ${seen} == 1`, "deny no to derived one"], { scope: "acme", ...imports }),
    role("clerk", ["user"], [`k: near, both if ${seen} == 1`], { scope: "acme" }),
  );
  const at = (roles: readonly string[], action: string) =>
    told(ask(evaluator, roles, "k", [action], { input: { resource: { kind: "k", id: "1", scope: "acme" } }, options }));

  it("are those of the scope that the rule stands in", () => {
    expect(at(["user"], "near")).toEqual(["near: ALLOW by resource.k.vdefault/acme in acme"]);
    expect(at(["user"], "both")).toEqual(["both: ALLOW by resource.k.vdefault/acme"]);
  });

  it("show in role policies too", () => {
    expect(at(["clerk"], "near")).toEqual(["near: ALLOW by resource.k.vdefault/acme in acme"]);
    expect(at(["clerk"], "both")).toEqual(["both: ALLOW by resource.k.vdefault/acme"]);
  });

  it("show in role policies that alone read them, and as a whole record", () => {
    const narrowed = evaluatorOf(
      derivedRoles("r", ["one of user"]),
      resource("k", ["allow some, all to user", "deny no to derived one"], imports),
      role("clerk", ["user"], [`k: some if ${seen} == 1`, "k: all if runtime == runtime && size(runtime.effective_derived_roles) == 1"]),
    );
    expect(told(ask(narrowed, ["clerk"], "k", ["some", "all"], { options }))).toEqual([
      "some: ALLOW by resource.k.vdefault",
      "all: ALLOW by resource.k.vdefault",
    ]);
  });
});
