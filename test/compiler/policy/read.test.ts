/** What policies say when they are read, and every mistake that reading finds, at the reference's places. */
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import type { ConditionNode, PolicyDocument } from "../../../compiler/policy/document.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { positionAt } from "../../../compiler/source.ts";

function read(text: string): {
  readonly document: PolicyDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly problems: readonly string[];
} {
  const diagnostics: Diagnostic[] = [];
  const document = readPolicy({ path: "a.yaml", text }, (diagnostic) => diagnostics.push(diagnostic));
  const problems = diagnostics.map(({ code, span, path }) => {
    const at = span && positionAt(span.source, span.start);
    return at === undefined ? code : `${code} ${at.line}:${at.column} ${path ?? ""}`.trimEnd();
  });
  return { document, diagnostics, problems };
}

const resource = (rest: string): string => `apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: a\n  version: default\n${rest}`;
const rule = (rest: string): string => resource(`  rules:\n    - actions: [a]\n      roles: [b]\n      effect: EFFECT_ALLOW\n${rest}`);

describe("a resource policy", () => {
  test("is read whole", () => {
    const { document, problems } = read(`# comment
apiVersion: "api.authz.dev/v1"
description: what one may do with albums
metadata: {annotations: {a: 1}, hash: "12", sourceAttributes: {attributes: {x: [1.5, null]}}}
$schema: ./Policy.schema.json
variables: {old: "1"}
resourcePolicy:
  resource: album:photo
  version: 20210210
  importDerivedRoles: [owners]
  variables: {import: [v], local: {mine: R.attr.owner == P.id}}
  constants: {import: [c], local: {limit: 10, who: {name: ann}}}
  rules:
    - name: see
      actions: [view, "view:*"]
      roles: ["*"]
      derived_roles: [owner]
      effect: 1
      condition:
        match:
          all:
            of:
              - expr: V.mine
              - none: {of: [expr: R.attr.hidden]}
    - {actions: [drop], roles: [user], effect: EFFECT_DENY}
`);
    expect(problems).toEqual([]);
    if (document?.kind !== "resource") throw new Error("not a resource policy");
    expect(document).toMatchObject({
      description: "what one may do with albums",
      resource: { value: "album:photo" },
      version: { value: "20210210" },
      importDerivedRoles: [{ value: "owners", path: "$.resourcePolicy.importDerivedRoles[0]" }],
      variables: {
        import: [{ value: "v" }],
        local: [{ name: { value: "mine" } }],
        deprecated: [{ name: { value: "old" }, expression: { text: "1" } }],
      },
      constants: {
        import: [{ value: "c" }],
        local: [
          { name: { value: "limit" }, value: 10 },
          { name: { value: "who" }, value: { name: "ann" } },
        ],
      },
      rules: [
        { name: { value: "see" }, effect: "allow", derivedRoles: [{ value: "owner", path: "$.resourcePolicy.rules[0].derived_roles[0]" }] },
        { effect: "deny", actions: [{ value: "drop" }] },
      ],
    });
    expect(document.rules[0]?.condition && shape(document.rules[0].condition)).toEqual({ all: ["V.mine", { none: ["R.attr.hidden"] }] });
  });

  test("says the same in JSON", () => {
    const { document, problems } = read(
      JSON.stringify({
        apiVersion: "api.cerbos.dev/v1",
        resourcePolicy: { resource: "a", version: "b", rules: [{ actions: ["x"], roles: ["y"], effect: "EFFECT_DENY" }] },
      }),
    );
    expect(problems).toEqual([]);
    expect(document).toMatchObject({ kind: "resource", rules: [{ effect: "deny" }] });
  });

  test("may have no rules", () => {
    expect(read(resource("")).document).toMatchObject({ rules: [] });
    expect(read(resource("")).problems).toEqual([]);
  });
});

function shape(condition: ConditionNode): unknown {
  return condition.kind === "expression" ? condition.expression.text : { [condition.kind]: condition.of.map(shape) };
}

describe("the other types are read", () => {
  const envelope = "apiVersion: api.authz.dev/v1\n";
  // oxfmt-ignore
  test.each([
    ["derivedRoles",    `${envelope}derivedRoles:\n  name: d\n  definitions:\n    - {name: owner, parentRoles: [user]}\n`],
    ["exportVariables", `${envelope}exportVariables:\n  name: v\n  definitions: {x: "1"}\n`],
    ["exportConstants", `${envelope}exportConstants:\n  name: c\n  definitions: {x: 1, __proto__: 2}\n`],
  ])("%s", (kind, text) => {
    const { document, problems } = read(text);
    expect(problems).toEqual([]);
    expect(document?.kind).toBe(kind);
  });

  test("a constant may be called as a built-in property is", () => {
    const { document } = read(
      `${envelope}exportConstants:\n  name: c\n  definitions:\n    x: {__proto__: {admin: true}, constructor: 1}\n`,
    );
    const value = document?.kind === "exportConstants" ? document.definitions[0]?.value : undefined;
    expect(Object.keys(value ?? {})).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

// oxfmt-ignore
test.each([
  ["an empty file", ""],
  ["a comment", "# nothing\n"],
  ["a disabled policy", resource("").replace("resourcePolicy", "disabled: true\nresourcePolicy")],
  ["a disabled policy of a type that is not supported yet", "apiVersion: api.authz.dev/v1\ndisabled: true\nrolePolicy: {role: a, rules: []}\n"],
])("%s gives no policy and no problem", (_, text) => {
  expect(read(text)).toMatchObject({ document: undefined, problems: [] });
});

describe("a mistake is found at its place", () => {
  // oxfmt-ignore
  test.each([
    // The places are those of the reference, 0.51.0.
    ["no type",                     "apiVersion: api.authz.dev/v1\n",                        ["missing-choice"]],
    ["two types",                   resource("exportVariables:\n  name: x\n"),               ["conflicting-fields 5:1 $.exportVariables"]],
    ["unknown API",                 resource("").replace("authz.dev", "authz.com"),          ["invalid-value 1:1 $.apiVersion"]],
    ["no API",                      "exportConstants: {name: a}\n",                          ["missing-value"]],
    ["unknown field",               resource("  foo: bar\n"),                                ["unknown-field 5:3 $.resourcePolicy.foo"]],
    ["built-in names as fields",    resource("  constructor: bar\n  __proto__: x\n"),        ["unknown-field 5:3 $.resourcePolicy.constructor", "unknown-field 6:3 $.resourcePolicy.__proto__"]],
    ["both spellings",              resource("  importDerivedRoles: [a]\n  import_derived_roles: [b]\n"), ["duplicate-field 6:3 $.resourcePolicy.import_derived_roles"]],
    ["float as text",               resource("").replace("default", "1.5"),                  ["wrong-type 4:12 $.resourcePolicy.version"]],
    ["nothing as text",             resource("").replace("resource: a", "resource: ~"),      ["missing-value 3:3 $.resourcePolicy.resource"]],
    ["list as text",                resource("").replace("resource: a", "resource: [a]"),    ["wrong-type 3:13 $.resourcePolicy.resource"]],
    ["text as mapping",             "apiVersion: api.authz.dev/v1\nresourcePolicy: x\n",     ["wrong-type 2:17 $.resourcePolicy"]],
    ["list as mapping",             "apiVersion: api.authz.dev/v1\nresourcePolicy:\n  - a\n", ["wrong-type 3:3 $.resourcePolicy"]],
    ["mapping as list",             resource("  rules:\n    actions: []\n"),                 ["wrong-type 6:12 $.resourcePolicy.rules"]],
    ["text as rule",                resource("  rules:\n    - foo\n"),                       ["wrong-type 6:7 $.resourcePolicy.rules[0]"]],
    ["text as boolean",             `disabled: "true"\n${resource("")}`,                     ["wrong-type 1:11 $.disabled"]],
    ["nothing as boolean",          `disabled:\n${resource("")}`,                            ["wrong-type 1:10 $.disabled"]],
    ["unknown effect",              rule("").replace("EFFECT_ALLOW", "ALLOW"),               ["unknown-value 8:15 $.resourcePolicy.rules[0].effect"]],
    ["effect as text",              rule("").replace("EFFECT_ALLOW", "\"1\""),               ["unknown-value 8:15 $.resourcePolicy.rules[0].effect"]],
    ["effect out of range",         rule("").replace("EFFECT_ALLOW", "7"),                   ["unknown-value 8:15 $.resourcePolicy.rules[0].effect"]],
    ["no effect",                   rule("").replace("effect: EFFECT_ALLOW", "effect: 0"),   ["missing-value 8:7 $.resourcePolicy.rules[0].effect"]],
    ["number as constant's name",   "apiVersion: api.authz.dev/v1\nexportConstants:\n  name: x\n  definitions:\n    1: 2\n", ["wrong-type 5:5 $.exportConstants.definitions.1"]],
    ["infinity as constant",        "apiVersion: api.authz.dev/v1\nexportConstants:\n  name: x\n  definitions:\n    a: [.inf]\n", ["wrong-type 5:9 $.exportConstants.definitions.a[0]"]],
    ["hash that is no number",      `metadata: {hash: abc}\n${resource("")}`,                ["wrong-type 1:18 $.metadata.hash"]],
    ["pattern as kind",             resource("").replace("resource: a", "resource: a*"),     ["invalid-value 3:3 $.resourcePolicy.resource"]],
    ["dash in version",             resource("").replace("default", "a-b"),                  ["invalid-value 4:3 $.resourcePolicy.version"]],
    ["repeated action",             rule("").replace("[a]", "[a, a]"),                       ["duplicate-item 6:7 $.resourcePolicy.rules[0].actions"]],
    ["empty role",                  rule("").replace("[b]", "[b, \"\"]"),                    ["invalid-value 7:18 $.resourcePolicy.rules[0].roles[1]"]],
    ["derived role that is a glob", rule("      derivedRoles: [\"*\"]\n"),                   ["invalid-value 9:22 $.resourcePolicy.rules[0].derivedRoles[0]"]],
    ["no roles",                    rule("").replace("      roles: [b]\n", ""),              ["rule-without-roles 6:14 $.resourcePolicy.rules[0]"]],
    ["same rule name",              resource("  rules:\n    - {actions: [a], roles: [b], effect: EFFECT_ALLOW, name: x}\n    - {actions: [a], roles: [b], effect: EFFECT_ALLOW, name: x}\n"), ["duplicate-rule-name 7:7 $.resourcePolicy.rules[1]"]],
    ["empty condition",             rule("      condition: {}\n"),                           ["missing-choice"]],
    ["empty match",                 rule("      condition: {match: {}}\n"),                  ["missing-choice"]],
    ["empty of",                    rule("      condition:\n        match:\n          all:\n            of: []\n"), ["missing-value 12:13 $.resourcePolicy.rules[0].condition.match.all.of"]],
    ["no of",                       rule("      condition: {match: {any: {}}}\n"),           ["missing-value"]],
    ["two kinds of match",          rule("      condition:\n        match:\n          all: {of: [expr: \"true\"]}\n          expr: \"true\"\n"), ["conflicting-fields 12:11 $.resourcePolicy.rules[0].condition.match.expr"]],
    ["script",                      rule("      condition:\n        script: x\n"),           ["script-condition 9:7 $.resourcePolicy.rules[0].condition"]],
    ["broken expression",           rule("      condition:\n        match:\n          expr: a +\n"), ["invalid-expression 11:11 $.resourcePolicy.rules[0].condition.match.expr"]],
    ["broken variable",             resource("  variables:\n    local:\n      a: b +\n"),    ["invalid-expression 7:10 $.resourcePolicy.variables.local.a"]],
    ["empty expression",            rule("      condition:\n        match:\n          expr: \"\"\n"), ["invalid-expression 11:11 $.resourcePolicy.rules[0].condition.match.expr"]],
    ["variables of an export",      "apiVersion: api.authz.dev/v1\nvariables: {a: \"1\"}\nexportConstants: {name: a}\n", ["misplaced-variables 2:1 $.variables"]],
    ["two documents",               `${resource("")}---\n${resource("")}`,                   ["multiple-documents"]],
    ["scope",                       resource("  scope: acme\n"),                             ["not-supported-yet 5:3 $.resourcePolicy.scope"]],
    ["output",                      rule("      output: {when: {ruleActivated: \"1\"}}\n"),  ["not-supported-yet 9:7 $.resourcePolicy.rules[0].output"]],
    ["schemas",                     resource("  schemas: {}\n"),                             ["not-supported-yet 5:3 $.resourcePolicy.schemas"]],
    ["unsupported and wrong",       resource("  scope: ¬s\n"),                               ["invalid-value 5:3 $.resourcePolicy.scope", "not-supported-yet 5:3 $.resourcePolicy.scope"]],
  ])("%s", (_, text, wanted) => {
    expect(read(text).problems).toEqual(wanted);
  });

  test("broken rules are not reported of a text that could not be read whole", () => {
    expect(read("some: key\n").problems).toEqual(["unknown-field 1:1 $.some"]);
  });

  test("all of them are found at once", () => {
    const text = resource("  rules:\n    - {actions: [], roles: [b, b], effect: EFFECT_ALLOW}\n    - {roles: [a]}\n");
    expect(read(text).problems).toHaveLength(4);
  });
});

// oxfmt-ignore
test.each([
  ["expr: R.attr.x == bar +",              "+"],
  ["expr: \"R.attr.x == 'a' or true\"",    "or"],
  ["expr: |-\n            R.attr.x &&\n            a b", "b"],
])("%s underlines %j", (expression, focused) => {
  const { diagnostics } = read(rule(`      condition:\n        match:\n          ${expression}\n`));
  const focus = diagnostics[0]?.focus;
  const from = focus?.source.text.slice(focus.start) ?? "";
  const underlined = focus === undefined || focus.end === focus.start ? focus?.source.text.slice(0, focus.start).trimEnd().at(-1) : from.slice(0, focus.end - focus.start);
  expect(underlined).toBe(focused);
});
