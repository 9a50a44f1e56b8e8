/** Principal policies: who they are for, which version, which kinds, and that what they decide is final (semantics 4.4, 4.5, D32 to D34). */
import { describe, expect, it } from "vitest";
import type { CheckInput } from "../../../runtime/decide/input.ts";
import { ask, evaluatorOf, told } from "./policies.ts";
import { derivedRoles, principal, resource } from "./policies-of-all-types.ts";

const evaluator = evaluatorOf(
  resource("doc", ["allow view, edit, print, w1 to user", "deny burn to user"]),
  resource("a:b", ["allow nothing to user"]),
  resource("doc", ["allow view to user"], { scope: "acme" }),
  resource("doc", ["allow view to user"], { version: "v2" }),
  principal("pat-x", [
    "doc: deny edit if R.attr.locked == true",
    "doc: allow burn",
    "doc: deny w*",
    "*: allow star",
    "a:*: allow colon",
    "a-b: allow plain",
  ]),
  principal("pat-x", ["doc: allow second"], { version: "v2" }),
  principal("pat-x", ["doc: deny burn"], { scope: "acme" }),
);

const asked = (
  actions: readonly string[],
  {
    id = "pat-x",
    kind = "doc",
    R = {},
    principal = {},
    resource = {},
    roles = ["user"],
  }: {
    readonly id?: string;
    readonly kind?: string;
    readonly R?: object;
    readonly principal?: Partial<CheckInput["principal"]>;
    readonly resource?: Partial<CheckInput["resource"]>;
    readonly roles?: readonly string[];
  } = {},
): readonly string[] =>
  told(
    ask(evaluator, roles, kind, actions, {
      input: { principal: { id, roles, ...principal }, resource: { kind, id: "1", attr: JSON.parse(JSON.stringify(R)), ...resource } },
    }),
  );

describe("a principal policy", () => {
  it.each<[sentence: string, found: readonly string[], expected: readonly string[]]>([
    ["denies what resource policies allow", asked(["edit"], { R: { locked: true } }), ["edit: DENY by principal.pat_x.vdefault"]],
    [
      "leaves what it does not decide to resource policies",
      asked(["edit"], { R: { locked: false } }),
      ["edit: ALLOW by resource.doc.vdefault"],
    ],
    ["skips a rule whose condition fails", asked(["edit"]), ["edit: ALLOW by resource.doc.vdefault"]],
    ["allows what resource policies deny", asked(["burn"]), ["burn: ALLOW by principal.pat_x.vdefault"]],
    ["has patterns of actions", asked(["w1"]), ["w1: DENY by principal.pat_x.vdefault"]],
    [
      "speaks of kinds that no resource policy knows",
      asked(["star", "view"], { kind: "zz" }),
      ["star: ALLOW by principal.pat_x.vdefault", "view: DENY by NO_MATCH"],
    ],
    ["does not go by roles", asked(["burn"], { roles: ["nobody", "user"] }), ["burn: ALLOW by principal.pat_x.vdefault"]],
    ["is for the principal as its author writes it", asked(["burn"], { id: "pat_x" }), ["burn: DENY by resource.doc.vdefault"]],
    ["is for nobody else", asked(["burn"], { id: "constructor" }), ["burn: DENY by resource.doc.vdefault"]],
    ["has patterns that match kinds as written (D34)", asked(["colon"], { kind: "a:b" }), ["colon: ALLOW by principal.pat_x.vdefault"]],
    ["and as both are sanitised (D34)", asked(["plain"], { kind: "a/b" }), ["plain: ALLOW by principal.pat_x.vdefault"]],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it("is chosen by the principal's own version (D33)", () => {
    const second = { principal: { policyVersion: "v2" } };
    expect(asked(["second", "burn"], second)).toEqual(["second: ALLOW by principal.pat_x.vv2", "burn: DENY by resource.doc.vdefault"]);
    expect(asked(["second", "burn"], { resource: { policyVersion: "v2" } })).toEqual([
      "second: DENY by resource.doc.vv2",
      "burn: ALLOW by principal.pat_x.vdefault",
    ]);
  });

  it("is found by the principal's own scope: the nearest that decides", () => {
    expect(asked(["burn", "star"], { principal: { scope: "acme" } })).toEqual([
      "burn: DENY by principal.pat_x.vdefault/acme in acme",
      "star: ALLOW by principal.pat_x.vdefault/acme",
    ]);
    expect(asked(["burn"], { principal: { scope: "acme" }, resource: { scope: "." } })).toEqual([
      "burn: DENY by principal.pat_x.vdefault/acme in acme",
    ]);
  });

  it("is not asked in a scope that does not exist", () => {
    expect(asked(["burn"], { principal: { scope: "nope" } })).toEqual(["burn: DENY by resource.doc.vdefault"]);
  });

  it("decides where the resource's scope does not exist", () => {
    expect(asked(["burn", "view"], { resource: { scope: "nope" } })).toEqual([
      "burn: ALLOW by principal.pat_x.vdefault",
      "view: DENY by NO_MATCH",
    ]);
  });
});

describe("derived roles and principal policies", () => {
  const both = evaluatorOf(
    resource("doc", ["allow view to derived owner"], { importDerivedRoles: ["r"] }),
    derivedRoles("r", ["owner of user"]),
    principal("pat", ["doc: allow count if size(runtime.effectiveDerivedRoles) > 0"]),
  );

  it("a principal policy sees none, whatever was asked before (D32)", () => {
    const decision = ask(both, ["user"], "doc", ["count", "view", "count"], { input: { principal: { id: "pat", roles: ["user"] } } });
    expect(told(decision)).toEqual(["count: DENY by resource.doc.vdefault", "view: ALLOW by resource.doc.vdefault"]);
    expect(decision.effectiveDerivedRoles).toEqual(["owner"]);
  });

  it("what principal policies decide visits no scope", () => {
    const only = evaluatorOf(
      resource("doc", ["allow view to derived owner"], { importDerivedRoles: ["r"] }),
      derivedRoles("r", ["owner of user"]),
      principal("pat", ["doc: allow view"]),
    );
    const decision = ask(only, ["user"], "doc", ["view"], { input: { principal: { id: "pat", roles: ["user"] } } });
    expect(decision.effectiveDerivedRoles).toEqual([]);
  });
});
