/** Role policies: what they narrow, for which kinds, through which parents, and how they are reported (semantics 4.5). */
import { describe, expect, it } from "vitest";
import { ask, evaluatorOf, told } from "./policies.ts";
import { resource, role } from "./policies-of-all-types.ts";

/** What is decided, by the long way and by the short one alike. */
function at(
  evaluator: ReturnType<typeof evaluatorOf>,
  scope: string,
  roles: readonly string[],
  kind: string,
  actions: readonly string[],
  R: object = {},
): readonly string[] {
  const input = { resource: { kind, id: "1", scope, attr: JSON.parse(JSON.stringify(R)) } };
  const [short, long] = [false, true].map((effectiveDerivedRoles) =>
    told(ask(evaluator, roles, kind, actions, { input, options: { effectiveDerivedRoles } })),
  );
  expect(short).toEqual(long);
  return long ?? [];
}

describe("a role policy", () => {
  const evaluator = evaluatorOf(
    resource("doc", ["allow view, edit, x1 to user", "allow mine to clerk"]),
    resource("leave_request", ["allow view to user"]),
    resource("memo", ["allow view to boss"]),
    role("clerk", ["user"], ["doc: view, mine, x?", "doc: print, view if R.attr.open == true"]),
    role("my-role", ["user"], ["leave-request: view"]),
    role("boss", ["clerk"], ["doc: *"]),
    role("loop", ["pool"], ["doc: *"]),
    role("pool", ["loop", "user"], ["doc: *"]),
    role("silent", ["user"], []),
  );
  const ask = (roles: readonly string[], kind: string, actions: readonly string[], R: object = {}) =>
    at(evaluator, "", roles, kind, actions, R);

  it.each<[sentence: string, found: readonly string[], expected: readonly string[]]>([
    [
      "lets through what it lists and its parent may",
      ask(["clerk"], "doc", ["view"], { open: true }),
      ["view: ALLOW by resource.doc.vdefault"],
    ],
    ["denies what it does not list", ask(["clerk"], "doc", ["edit"]), ["edit: DENY by role.clerk.vdefault"]],
    [
      "denies kinds that it does not list, where the scope knows them",
      ask(["clerk"], "leave_request", ["view"]),
      ["view: DENY by role.clerk.vdefault"],
    ],
    [
      "says nothing of kinds that the scope does not know for its roles",
      ask(["clerk"], "memo", ["view"]),
      ["view: DENY by resource.memo.vdefault"],
    ],
    ["never allows by itself", ask(["clerk"], "doc", ["print"], { open: true }), ["print: DENY by resource.doc.vdefault"]],
    ["may be named by a rule itself", ask(["clerk"], "doc", ["mine"]), ["mine: ALLOW by resource.doc.vdefault"]],
    [
      "lists actions as globs without a star",
      ask(["clerk"], "doc", ["x1", "x12"]),
      ["x1: ALLOW by resource.doc.vdefault", "x12: DENY by role.clerk.vdefault"],
    ],
    ["ANDs rules for one kind and action (D36)", ask(["clerk"], "doc", ["view"], { open: false }), ["view: DENY by role.clerk.vdefault"]],
    ["does not bind another role of the principal", ask(["clerk", "user"], "doc", ["edit"]), ["edit: ALLOW by resource.doc.vdefault"]],
    ["binds those who narrow it further", ask(["boss"], "doc", ["edit"]), ["edit: DENY by role.clerk.vdefault"]],
    ["lets a child's own rule be", ask(["boss"], "doc", ["mine"]), ["mine: ALLOW by resource.doc.vdefault"]],
    [
      "lists kinds as they are sanitised (D34)",
      ask(["my-role"], "leave-request", ["view"]),
      ["view: ALLOW by resource.leave_request.vdefault"],
    ],
    ["is for the role as it is written", ask(["my_role"], "leave-request", ["view"]), ["view: DENY by resource.leave_request.vdefault"]],
    ["may have parents in a circle", ask(["loop"], "doc", ["edit"]), ["edit: ALLOW by resource.doc.vdefault"]],
    ["without rules only names parents", ask(["silent"], "doc", ["edit"]), ["edit: ALLOW by resource.doc.vdefault"]],
    [
      "is reported for unknown kinds that it speaks of",
      at(evaluatorOf(role("r", [], ["*: view"])), "", ["r"], "zz", ["view", "edit"]),
      ["view: DENY by resource.zz.vdefault", "edit: DENY by role.r.vdefault"],
    ],
    ["leaves other kinds unmatched", at(evaluatorOf(role("r", [], ["doc: view"])), "", ["r"], "zz", ["view"]), ["view: DENY by NO_MATCH"]],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe("role policies and scopes", () => {
  const evaluator = evaluatorOf(
    resource("doc", ["allow view, edit to user"]),
    resource("doc", [], { scope: "acme" }),
    resource("doc", [], { scope: "acme.hr" }),
    role("clerk", ["user"], ["doc: view"], { scope: "acme" }),
    role("temp", ["user"], ["leave: view"], { scope: "acme" }),
    role("only", ["user"], [], { scope: "nowhere" }),
  );

  it.each<[sentence: string, scope: string, roles: readonly string[], actions: readonly string[], expected: readonly string[]]>([
    ["parents count in the scope of the request", "acme", ["clerk"], ["view"], ["view: ALLOW by resource.doc.vdefault/acme"]],
    ["a denial names the role policy and its scope", "acme", ["clerk"], ["edit"], ["edit: DENY by role.clerk.vdefault/acme in acme"]],
    ["parents of another scope do not count", "acme.hr", ["clerk"], ["view"], ["view: DENY by resource.doc.vdefault/acme.hr"]],
    ["denials of a parent scope do", "acme.hr", ["clerk"], ["edit"], ["edit: DENY by role.clerk.vdefault/acme in acme"]],
    ["a scope without rows for kind and roles is passed by", "acme", ["temp"], ["edit"], ["edit: ALLOW by resource.doc.vdefault/acme"]],
    ["a role policy without rules does not make its scope exist", "nowhere", ["only"], ["view"], ["view: DENY by NO_MATCH"]],
  ])("%s", (_, scope, roles, actions, expected) => {
    expect(at(evaluator, scope, roles, "doc", actions)).toEqual(expected);
  });
});

it("a role policy's version is the resource's, its parents' does not matter", () => {
  const evaluator = evaluatorOf(
    resource("doc", ["allow view to user"], { version: "v2" }),
    resource("doc", ["allow view to user"]),
    role("clerk", ["user"], ["doc: print"]),
  );
  const version = (policyVersion: string) =>
    told(ask(evaluator, ["clerk"], "doc", ["view"], { input: { resource: { kind: "doc", id: "1", policyVersion } } }));
  expect(version("default")).toEqual(["view: DENY by role.clerk.vdefault"]);
  expect(version("v2")).toEqual(["view: ALLOW by resource.doc.vv2"]);
});

it.each([[["x", "x.vdefault role.y"]], [["x.vdefault role.y", "x"]]])(
  "a role whose name reads like the keys of two others is neither of them, whoever asks first: %j",
  (order) => {
    const evaluator = evaluatorOf(
      resource("doc", ["allow * to *"]),
      role("x", ["y"], ["doc: view, edit"]),
      role("y", [], ["doc: view, edit"]),
      role("x.vdefault role.y", [], ["doc: view"]),
    );
    const answers = new Map(order.map((name) => [name, at(evaluator, "", [name], "doc", ["edit"])]));
    expect(answers.get("x")).toEqual(["edit: ALLOW by resource.doc.vdefault"]);
    expect(answers.get("x.vdefault role.y")).toEqual(["edit: DENY by role.x.vdefault role.y.vdefault"]);
  },
);
