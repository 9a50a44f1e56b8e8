/** Principal and role policies, and outputs: what linking makes of them, and that it looks into all of them. */
import { describe, expect, test } from "vitest";
import { checkSchemas } from "../../../compiler/link/check-schemas.ts";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { constants, linked, principal, resource, role, variables } from "./harness.ts";

const source = "a.yaml";

describe("a principal policy", () => {
  test("has a rule for each action, named by its resource and number where it has no name", () => {
    const { set, problems } = linked({
      "a.yaml": principal(
        `  scope: ""
  rules:
    - resource: "leave_*"
      actions:
        - {action: view, effect: EFFECT_ALLOW}
        - {action: "edit:*", effect: EFFECT_DENY, name: careful, condition: {match: {expr: P.id != ""}}}
        - {action: drop, effect: EFFECT_DENY}
    - {resource: album, actions: [{action: "*", effect: EFFECT_ALLOW}]}
`,
        "pat@acme",
      ),
    });
    expect(problems).toEqual([]);
    expect(set.principalPolicies).toMatchObject([
      {
        key: "principal.pat_acme.vdefault",
        name: "pat_acme",
        writtenName: "pat@acme",
        scope: "",
        rules: [
          { name: "leave_*_rule-001", resource: "leave_*", action: "view", effect: "allow" },
          { name: "careful", resource: "leave_*", action: "edit:*", effect: "deny", condition: { kind: "expression" } },
          { name: "leave_*_rule-003", resource: "leave_*", action: "drop", effect: "deny" },
          { name: "album_rule-001", resource: "album", action: "*", effect: "allow" },
        ],
      },
    ]);
  });
});

describe("a role policy", () => {
  test("keeps its parents and rules as written, unnamed rules without a name", () => {
    const { set, problems } = linked({
      "a.yaml": role(
        `  parentRoles: [user, "*"]
  rules:
    - {resource: "my-doc", allowActions: ["v?", "*"]}
    - {resource: "*", allowActions: [list], name: lists}
`,
        "my-role",
      ),
    });
    expect(problems).toEqual([]);
    expect(set.rolePolicies).toMatchObject([
      {
        key: "role.my_role.vdefault",
        writtenName: "my-role",
        parentRoles: ["user", "*"],
        rules: [
          { name: "", resource: "my-doc", allowActions: ["v?", "*"] },
          { name: "lists", resource: "*", allowActions: ["list"] },
        ],
      },
    ]);
  });

  test("may have no rules: then it only has parents", () => {
    expect(linked({ "a.yaml": role("  parentRoles: [user]\n") }).set.rolePolicies).toMatchObject([{ parentRoles: ["user"], rules: [] }]);
  });
});

describe("variables and constants are kept when a condition or an output uses them", () => {
  const uses =
    "  variables: {import: [vs], local: {c: V.i, o: C.k, n: '1', d: '2', unused: C.l}}\n  constants: {import: [cs], local: {l: 2}}\n";
  const parts = "condition: {match: {expr: V.c}}, output: {expr: V.d, when: {ruleActivated: V.o, conditionNotMet: V.n}}";
  // oxfmt-ignore
  test.each([
    ["resource",  resource(`${uses}  rules: [{actions: [x], roles: [r], effect: EFFECT_ALLOW, ${parts}}]\n`)],
    ["principal", principal(`${uses}  rules: [{resource: k, actions: [{action: x, effect: EFFECT_ALLOW, ${parts}}]}]\n`)],
    ["role",      role(`${uses}  rules: [{resource: k, allowActions: [x], ${parts}}]\n`)],
  ])("in a %s policy", (_, text) => {
    const { set, problems } = linked({ [source]: text, "c.yaml": constants("cs", "k: 1"), "v.yaml": variables("vs", "i: 'true'") });
    expect(problems).toEqual([]);
    const [policy] = [...set.resourcePolicies, ...set.principalPolicies, ...set.rolePolicies];
    expect(policy?.variables.map(({ name }) => name)).toEqual(["d", "i", "n", "o", "c"]);
    expect(policy?.constants.map(({ name }) => name)).toEqual(["k"]);
    expect(policy?.rules[0]?.output).toMatchObject({ ruleActivated: { text: "V.o" }, conditionNotMet: { text: "V.n" } });
  });
});

describe("what is wrong in them is found", () => {
  const broken = "condition: {match: {expr: V.a}}, output: {expr: V.b, when: {ruleActivated: C.c, conditionNotMet: 1 + 's'}}";
  const uses = "  variables: {import: [nope], local: {x: V.x}}\n";
  const wanted = ["invalid-expression", "undefined-constant", "unknown-import", "variable-cycle"];
  // oxfmt-ignore
  test.each([
    ["resource",  resource(`${uses}  rules: [{actions: [x], roles: [r], effect: EFFECT_ALLOW, ${broken}}]\n`)],
    ["principal", principal(`${uses}  rules: [{resource: k, actions: [{action: x, effect: EFFECT_ALLOW, ${broken}}]}]\n`)],
    ["role",      role(`${uses}  rules: [{resource: k, allowActions: [x], ${broken}}]\n`)],
  ])("in a %s policy", (_, text) => {
    const codes = (files: string) => linked({ [source]: files }).diagnostics.map(({ code }) => code).toSorted();
    expect(codes(text)).toEqual(wanted);
    // With the import whole, what the policy does not have is known.
    expect(codes(text.replace("import: [nope], ", ""))).toEqual([...wanted.filter((code) => code !== "unknown-import"), "undefined-variable", "undefined-variable"].toSorted());
  });

  test("the same policy twice, in each kind and scope", () => {
    const { problems } = linked({
      "a.yaml": principal("", "x-y"),
      "b.yaml": principal("", "x_y"),
      "c.yaml": role("", "x-y"),
      "d.yaml": role("", "x_y").replace("  version: default\n", ""),
      "e.yaml": role("  scope: s\n", "x_y"),
      "f.yaml": resource("", "x_y"),
    });
    expect(problems).toEqual(["b.yaml 1:11 duplicate-policy", "d.yaml 1:11 duplicate-policy", "d.yaml 2:1 missing-version"]);
  });
});

describe("references to schemas are looked at by whoever knows the schemas", () => {
  const text = resource("  schemas: {principalSchema: {ref: cerbos:///user.json}, resourceSchema: {ref: album.json}}\n");
  // oxfmt-ignore
  test.each([
    ["all are there",  ["authz:///user.json", "album.json"], []],
    ["one is missing", ["album.json"],                       ["5:31 $.resourcePolicy.schemas.principalSchema.ref"]],
    ["both are",       [],                                   ["5:31 $.resourcePolicy.schemas.principalSchema.ref", "5:75 $.resourcePolicy.schemas.resourceSchema.ref"]],
  ])("%s", (_, known, wanted) => {
    const diagnostics: Diagnostic[] = [];
    const document = readPolicy({ path: source, text }, (diagnostic) => void diagnostics.push(diagnostic));
    const problemOf = (ref: string) => (known.includes(ref) ? undefined : { message: "it does not exist", hint: "write it" });
    checkSchemas(document === undefined ? [] : [document], { severity: "warning", problemOf }, (diagnostic) => void diagnostics.push(diagnostic));
    expect(diagnostics.map(({ span, path }) => `5:${(span?.start ?? 0) - text.indexOf("  schemas") + 1} ${path}`)).toEqual(wanted);
    for (const diagnostic of diagnostics) expect(diagnostic).toMatchObject({ code: "invalid-schema", severity: "warning", hint: "write it" });
  });
});
