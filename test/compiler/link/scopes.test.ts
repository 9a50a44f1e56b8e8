/** The tree of scopes: who must stand above whom, whose schemas and permissions count. */
import { describe, expect, test } from "vitest";
import { scopesAbove } from "../../../compiler/link/scope-tree.ts";
import { linked, principal, resource, role, type Files } from "./harness.ts";

// oxfmt-ignore
test.each([
  ["",          []],
  [".",         [""]],
  ["acme",      [""]],
  ["acme.hr.uk", ["acme.hr", "acme", ""]],
])("above the scope %j stand %j", (scope, above) => {
  expect(scopesAbove(scope)).toEqual(above);
});

const at = (scope: string, rest = ""): string => `  scope: ${scope}\n${rest}`;

describe("every scope above a resource or principal policy has one too", () => {
  // oxfmt-ignore
  test.each<readonly [string, Files, readonly string[]]>([
    ["the chain is whole", { "a.yaml": resource(""), "b.yaml": resource(at("x")), "c.yaml": resource(at("x.y")) }, []],
    ["files may come in any order", { "a.yaml": resource(at("x.y")), "b.yaml": resource(at("x")), "c.yaml": resource("") }, []],
    ["the root is missing", { "b.yaml": resource(at("x")), "c.yaml": resource(at("x.y")) }, ["resource.a.vdefault <- x, x.y"]],
    ["the middle is missing", { "a.yaml": resource(""), "c.yaml": resource(at("x.y")) }, ["resource.a.vdefault/x <- x.y"]],
    ["all are missing", { "c.yaml": resource(at("x.y")) }, ["resource.a.vdefault <- x.y", "resource.a.vdefault/x <- x.y"]],
    ["another version does not count", { "a.yaml": resource("").replace("default", "v2"), "c.yaml": resource(at("x")) }, ["resource.a.vdefault <- x"]],
    ["another kind does not count", { "a.yaml": resource("", "b"), "c.yaml": resource(at("x")) }, ["resource.a.vdefault <- x"]],
    ["names are sanitised", { "a.yaml": resource("", "a_b"), "c.yaml": resource(at("x"), "a-b") }, []],
    ["a principal policy of a resource's name does not count", { "a.yaml": principal("", "a"), "c.yaml": resource(at("x")) }, ["resource.a.vdefault <- x"]],
    ["principals too", { "c.yaml": principal(at("x")) }, ["principal.ann.vdefault <- x"]],
    ["the scope of a lone dot is below the root", { "c.yaml": resource(at(".")) }, ["resource.a.vdefault <- ."]],
    ["role policies need nobody", { "c.yaml": role(at("x.y")) }, []],
    ["a policy that is broken is there", { "a.yaml": resource("  rules: 5\n"), "c.yaml": resource(at("x")) }, []],
    ["a broken policy needs nobody", { "c.yaml": resource(at("x.", "")) }, []],
  ])("%s", (_, files, wanted) => {
    const missing = linked(files).diagnostics.filter(({ code }) => code === "missing-ancestor");
    const scopes = missing.map(({ message, focus, notes = [] }) => {
      const needy = [focus, ...notes.map(({ span }) => span)].map((span) => /scope: (.*)/.exec(span?.source.text ?? "")?.[1]);
      return `${/`(.*?)`/.exec(message)?.[1]} <- ${needy.join(", ")}`;
    });
    expect(scopes.toSorted()).toEqual(wanted);
  });

  test("one that is disabled counts as missing, and is named", () => {
    const { problems } = linked({
      "a.yaml": resource("").replace("resourcePolicy", "disabled: true\nresourcePolicy"),
      "b.yaml": resource(at("x")),
      "c.yaml": resource("", "unasked").replace("resourcePolicy", "disabled: true\nresourcePolicy"),
    });
    expect(problems).toEqual(["a.yaml 1:11 disabled-policy", "b.yaml - missing-ancestor"]);
  });
});

describe("a resource policy may be missing where a role policy of the scope and version is about its kind (D37)", () => {
  const allows = (pattern: string, scope = "x"): string => role(at(scope, `  rules: [{resource: "${pattern}", allowActions: [a]}]\n`));
  // oxfmt-ignore
  test.each<readonly [string, Files, boolean]>([
    ["its very kind",             { "r.yaml": allows("my-doc") },                             true],
    ["its kind, sanitised",       { "r.yaml": allows("my_doc") },                             true],
    ["a pattern",                 { "r.yaml": allows("my-*") },                               true],
    ["a pattern without a star",  { "r.yaml": allows("{my-doc,x}") },                         true],
    ["another kind",              { "r.yaml": allows("doc") },                                false],
    ["another scope",             { "r.yaml": allows("*", "x.y") },                           false],
    ["another version",           { "r.yaml": allows("*").replace("default", "v2") },         false],
    ["no version is `default`",   { "r.yaml": allows("*").replace("  version: default\n", "") }, true],
    ["a disabled one",            { "r.yaml": allows("*").replace("rolePolicy", "disabled: true\nrolePolicy") }, false],
  ])("%s", (_, files, forgiven) => {
    const { set, problems } = linked({ ...files, "a.yaml": resource("", "my-doc"), "c.yaml": resource(at("x.y"), "my-doc") });
    expect(problems.filter((each) => each.includes("missing-ancestor"))).toEqual(forgiven ? [] : ["c.yaml - missing-ancestor"]);
    expect(set.resourcePolicies.map(({ key }) => key)).toEqual(["resource.my_doc.vdefault", "resource.my_doc.vdefault/x.y"]);
  });

  test("not so for a principal policy", () => {
    const { problems } = linked({ "r.yaml": allows("*"), "a.yaml": principal(""), "c.yaml": principal(at("x.y")) });
    expect(problems).toEqual(["c.yaml - missing-ancestor"]);
  });
});

test("the schemas in effect are those of the ancestor nearest to the root", () => {
  const schema = (ref: string): string => `  schemas: {resourceSchema: {ref: ${ref}, ignoreWhen: {actions: [x]}}}\n`;
  const { set } = linked({
    "a.yaml": resource(schema("root.json")),
    "b.yaml": resource(at("x", schema("x.json"))),
    "c.yaml": resource(at("x.y")),
    "d.yaml": resource("", "b"),
    "e.yaml": resource(at("x", schema("unused.json")), "b"),
    "f.yaml": resource(at("x", schema("first.json")), "c"),
    "g.yaml": resource(at("x.y", schema("second.json")), "c"),
    "h.yaml": resource(at("x.y.z"), "c"),
    "r.yaml": role("  rules: [{resource: c, allowActions: [a]}]\n"),
  });
  expect(Object.fromEntries(set.resourcePolicies.map(({ key, schemas }) => [key, schemas.resource?.ref]))).toEqual({
    "resource.a.vdefault": "root.json",
    "resource.a.vdefault/x": "root.json",
    "resource.a.vdefault/x.y": "root.json",
    "resource.b.vdefault": undefined,
    "resource.b.vdefault/x": undefined,
    "resource.c.vdefault/x": "first.json",
    "resource.c.vdefault/x.y": "first.json",
    "resource.c.vdefault/x.y.z": "first.json",
  });
  expect(set.resourcePolicies[0]?.schemas).toEqual({ resource: { ref: "root.json", ignoreWhen: ["x"] } });
});

describe("all policies of a scope have the same permissions (D35)", () => {
  const [override, consent] = ["  scopePermissions: 1\n", "  scopePermissions: 2\n"];
  // oxfmt-ignore
  test.each<readonly [string, Files, readonly string[]]>([
    ["the same",                          { "a.yaml": resource(consent), "b.yaml": principal(consent) }, []],
    ["saying nothing is overriding",      { "a.yaml": resource(""), "b.yaml": resource(override, "b") }, []],
    ["two that differ",                   { "a.yaml": resource(consent), "b.yaml": resource(override, "b") }, ["a.yaml - conflicting-scope-permissions"]],
    ["in the other order",                { "a.yaml": resource(override), "b.yaml": resource(consent, "b") }, ["b.yaml - conflicting-scope-permissions"]],
    ["nothing against consent",           { "a.yaml": resource(""), "b.yaml": principal(consent) }, ["b.yaml - conflicting-scope-permissions"]],
    ["different scopes may differ",       { "a.yaml": resource(""), "b.yaml": resource(at("x", consent)) }, []],
    ["one conflict for each scope",       { "a.yaml": resource(""), "b.yaml": resource(consent, "b"), "c.yaml": resource(at("x")), "d.yaml": resource(at("x", consent), "b") }, ["b.yaml - conflicting-scope-permissions", "d.yaml - conflicting-scope-permissions"]],
    ["role policies have no say",         { "a.yaml": resource(consent), "b.yaml": role("") }, []],
    ["sets have no scope",                { "a.yaml": resource(consent), "b.yaml": "apiVersion: api.authz.dev/v1\nexportConstants: {name: c}\n" }, []],
    ["disabled policies have no say",     { "a.yaml": resource(consent), "b.yaml": resource("", "b").replace("resourcePolicy", "disabled: true\nresourcePolicy") }, []],
  ])("%s", (_, files, wanted) => {
    expect(linked(files).problems).toEqual(wanted);
    expect(linked(Object.fromEntries(Object.entries(files).toReversed())).problems).toEqual(wanted);
  });

  test("what a policy does not say is overriding", () => {
    const { set } = linked({ "a.yaml": resource(""), "b.yaml": resource(at("x", consent)), "c.yaml": principal(override) });
    expect([...set.resourcePolicies, ...set.principalPolicies].map(({ scopePermissions }) => scopePermissions)).toEqual([
      "override parent",
      "require parental consent",
      "override parent",
    ]);
  });
});
