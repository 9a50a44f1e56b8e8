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
const principal = (rest: string): string => `apiVersion: api.authz.dev/v1\nprincipalPolicy:\n  principal: ann\n  version: default\n${rest}`;
const role = (rest: string, version = "  version: default\n"): string =>
  `apiVersion: api.authz.dev/v1\nrolePolicy:\n  role: clerk\n${version}${rest}`;
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

describe("a resource policy's scope, schemas and outputs", () => {
  test("are read", () => {
    const { document, problems } = read(
      resource(`  scope: acme.hr
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  schemas:
    principalSchema: {ref: "cerbos:///people/user.json"}
    resource_schema: {ref: album.json, ignore_when: {actions: [create, "list:*"]}}
  rules:
    - actions: [a]
      roles: [b]
      effect: EFFECT_ALLOW
      output: {expr: '"old"', when: {rule_activated: '"new"', conditionNotMet: P.id}}
    - actions: [a]
      roles: [b]
      effect: EFFECT_ALLOW
      output: {expr: '"old"', when: {ruleActivated: ""}}
`),
    );
    expect(problems).toEqual([]);
    expect(document).toMatchObject({
      scope: { value: "acme.hr", path: "$.resourcePolicy.scope" },
      scopePermissions: { value: "require parental consent" },
      schemas: {
        principal: { ref: { value: "authz:///people/user.json" }, ignoreWhen: [] },
        resource: { ref: { value: "album.json", path: "$.resourcePolicy.schemas.resource_schema.ref" }, ignoreWhen: ["create", "list:*"] },
      },
      rules: [
        { output: { ruleActivated: { text: '"new"' }, conditionNotMet: { text: "P.id" }, unused: { text: '"old"' } } },
        { output: { ruleActivated: { text: '"old"' } } },
      ],
    });
  });

  // oxfmt-ignore
  test.each([
    ["nothing",                        "",                                                       undefined],
    ["unspecified",                    "  scopePermissions: SCOPE_PERMISSIONS_UNSPECIFIED\n",    undefined],
    ["nothing's number",               "  scope_permissions: 0\n",                               undefined],
    ["override",                       "  scopePermissions: SCOPE_PERMISSIONS_OVERRIDE_PARENT\n", "override parent"],
    ["consent, by its number",         "  scopePermissions: 2\n",                                "require parental consent"],
  ])("scope permissions: %s", (_, body, wanted) => {
    const { document, problems } = read(resource(body));
    expect(problems).toEqual([]);
    expect(document?.kind === "resource" && document.scopePermissions?.value).toBe(wanted);
    expect(document).toMatchObject({ scope: { value: "", path: "$.resourcePolicy" } });
  });
});

describe("a principal policy", () => {
  test("is read whole", () => {
    const { document, problems } = read(
      principal(`  scope: acme
  scopePermissions: 1
  variables: {local: {mine: R.attr.owner == P.id}}
  rules:
    - resource: "leave_*"
      actions:
        - {action: "view:*", effect: EFFECT_ALLOW, name: see, condition: {match: {expr: V.mine}}, output: {expr: "1"}}
        - {action: drop, effect: EFFECT_DENY}
    - {resource: "*", actions: [{action: "*", effect: 2}]}
`),
    );
    expect(problems).toEqual([]);
    expect(document).toMatchObject({
      kind: "principal",
      principal: { value: "ann" },
      version: { value: "default" },
      scope: { value: "acme" },
      scopePermissions: { value: "override parent" },
      variables: { local: [{ name: { value: "mine" } }] },
      rules: [
        {
          resource: { value: "leave_*" },
          actions: [
            {
              name: { value: "see" },
              action: { value: "view:*", path: "$.principalPolicy.rules[0].actions[0].action" },
              effect: "allow",
              condition: { kind: "expression" },
              output: { ruleActivated: { text: "1" } },
            },
            { action: { value: "drop" }, effect: "deny" },
          ],
        },
        { resource: { value: "*" }, actions: [{ action: { value: "*" }, effect: "deny" }] },
      ],
    });
  });
});

describe("a role policy", () => {
  test("is read whole", () => {
    const { document, problems } = read(
      role(`  scope: acme
  parentRoles: [user, guest]
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  constants: {local: {max: 1}}
  rules:
    - {resource: "doc*", allowActions: ["v?", edit], name: docs, condition: {match: {expr: C.max > 0.0}}, output: {when: {conditionNotMet: "1"}}}
    - {resource: "doc*", allow_actions: [list]}
`),
    );
    expect(problems).toEqual([]);
    expect(document).toMatchObject({
      kind: "role",
      role: { value: "clerk" },
      version: { value: "default" },
      scope: { value: "acme" },
      parentRoles: [{ value: "user" }, { value: "guest" }],
      rules: [
        {
          name: { value: "docs" },
          resource: { value: "doc*" },
          allowActions: [{ value: "v?" }, { value: "edit" }],
          condition: { kind: "expression" },
          output: { conditionNotMet: { text: "1" } },
        },
        { allowActions: [{ value: "list", path: "$.rolePolicy.rules[1].allow_actions[0]" }] },
      ],
    });
  });

  test("without a version is version `default`", () => {
    expect(read(role("", "")).document).toMatchObject({ version: { value: "default" } });
    expect(read(role("", "")).diagnostics).toMatchObject([{ severity: "warning" }]);
  });
});

test("source attributes are those of the file, and over them those of the store", () => {
  const written = "metadata: {source_attributes: {attributes: {team: [a], source: here, __proto__: x}}}\n";
  const document = readPolicy(
    { path: "a.yaml", text: `${written}${resource("")}`, attributes: { driver: "disk", source: "a.yaml" } },
    () => undefined,
  );
  expect(Object.entries(document?.sourceAttributes ?? {})).toEqual([
    ["team", ["a"]],
    ["source", "a.yaml"],
    ["__proto__", "x"],
    ["driver", "disk"],
  ]);
});

describe("numbers mean what they mean to the reference", () => {
  // oxfmt-ignore
  test.each([
    // written            as text           as free JSON
    ["12",                "12",             12],
    ["+12",               "12",             12],
    ["-0",                "0",              0],
    ["012",               "10",             10],
    ["08",                "08",             "08"],
    ["0x1F",              "31",             31],
    ["-0x1F",             "-31",            -31],
    ["0X1F",              "0X1F",           "0X1F"],
    ["0o17",              "15",             15],
    ["0b11",              "3",              3],
    ["1_000",             "1000",           1000],
    ["_1",                "_1",             "_1"],
    ["1e3",               "1e3",            "1e3"],
    ["18446744073709551615", "18446744073709551615", 2 ** 64],
    ["18446744073709551616", "18446744073709551616", "18446744073709551616"],
    ["-9223372036854775809", "-9223372036854775809", "-9223372036854775809"],
    ["1.5e400",           "1.5e400",        "1.5e400"],
    ["+.inf",             "+.inf",          "+.inf"],
    ["1.2.3",             "1.2.3",          "1.2.3"],
    ["2024-01-01",        "2024-01-01",     "2024-01-01"],
    ["True",              "True",           true],
    ["yes",               "yes",            "yes"],
    ["Null",              "",               null],
    ["1.5",               undefined,        1.5],
    ["1.",                undefined,        1],
    ["-.5",               undefined,        -0.5],
    ["1_0.5e1",           undefined,        105],
    ["!!str 5",           "5",              "5"],
    ["!!str 1.5",         undefined,        "1.5"],
    ["!!int '5'",         "5",              5],
    ["!!float 1e3",       "1e3",            1000],
    ["!!null x",          "x",              null],
    ["!mine x",           "x",              "x"],
    ["'0x1'",             "0x1",            "0x1"],
  ])("%s is the text %j and the datum %j", (written, text, datum) => {
    const { document } = read(`description: ${written}\n${resource(`  constants: {local: {x: ${written}}}\n`)}`);
    if (document?.kind !== "resource") throw new Error("not a resource policy");
    expect(document.constants.local[0]?.value).toEqual(datum);
    expect(document.description).toBe(text ?? "");
    expect(document.isBroken).toBe(text === undefined);
  });
});

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
    expect(read(text.replace(kind, kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))).problems).toEqual([]);
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
])("%s gives no policy and no problem", (_, text) => {
  expect(read(text)).toMatchObject({ document: undefined, problems: [] });
});

describe("a disabled policy", () => {
  // oxfmt-ignore
  test.each([
    ["is checked for form",             "  scope: a..b\n",                                          ["invalid-value 6:3 $.resourcePolicy.scope"]],
    ["is not checked for what it says", "  variables: {local: {x: 1 +}}\n  rules: [{actions: [a], roles: [b], effect: 1, output: {}}]\n", []],
  ])("%s", (_, body, wanted) => {
    const { document, problems } = read(resource(body).replace("resourcePolicy", "disabled: true\nresourcePolicy"));
    expect(document).toMatchObject({ isDisabled: true, isBroken: wanted.length > 0 });
    expect(problems).toEqual(wanted);
  });
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
    ["effect out of range",         rule("").replace("EFFECT_ALLOW", "7"),                   ["invalid-value 8:7 $.resourcePolicy.rules[0].effect"]],
    ["an effect of other programs", rule("").replace("EFFECT_ALLOW", "EFFECT_NO_MATCH"),     ["invalid-value 8:7 $.resourcePolicy.rules[0].effect"]],
    ["no effect",                   rule("").replace("effect: EFFECT_ALLOW", "effect: 0"),   ["missing-value 8:7 $.resourcePolicy.rules[0].effect"]],
    ["number as constant's name",   "apiVersion: api.authz.dev/v1\nexportConstants:\n  name: x\n  definitions:\n    1: 2\n", ["wrong-type 5:5 $.exportConstants.definitions.1"]],
    ["infinity as constant",        "apiVersion: api.authz.dev/v1\nexportConstants:\n  name: x\n  definitions:\n    a: [.inf]\n", ["wrong-type 5:8 $.exportConstants.definitions.a"]],
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
    ["scope with an empty segment", resource("  scope: a..b\n"),                             ["invalid-value 5:3 $.resourcePolicy.scope"]],
    ["scope permissions",           resource("  scopePermissions: OVERRIDE\n"),              ["unknown-value 5:21 $.resourcePolicy.scopePermissions"]],
    ["output that says nothing",    rule("      output: {expr: \"\", when: {}}\n"),          ["empty-output 9:7 $.resourcePolicy.rules[0].output"]],
    ["output that cannot be read",  rule("      output: {when: {ruleActivated: 1.5}}\n"),    ["wrong-type 9:38 $.resourcePolicy.rules[0].output.when.ruleActivated"]],
    ["broken output and deprecated", rule("      output: {expr: 1 +, when: {ruleActivated: a +}}\n"), ["invalid-expression 9:16 $.resourcePolicy.rules[0].output.expr", "invalid-expression 9:34 $.resourcePolicy.rules[0].output.when.ruleActivated"]],
    ["schema without reference",    resource("  schemas: {principalSchema: {ref: \"\"}, resourceSchema: {ignoreWhen: {actions: []}}}\n"), ["missing-value 5:31 $.resourcePolicy.schemas.principalSchema.ref", "missing-value", "missing-value 5:71 $.resourcePolicy.schemas.resourceSchema.ignoreWhen.actions"]],
    ["glob as principal",           principal("").replace("ann", "a*"),                      ["invalid-value 3:3 $.principalPolicy.principal"]],
    ["principal's resource twice",  principal("  rules:\n    - {resource: k, actions: [{action: a, effect: 1}]}\n    - {resource: k, actions: [{action: b, effect: 1}]}\n"), ["duplicate-resource 7:7 $.principalPolicy.rules[1]"]],
    ["action's name twice",         principal("  rules:\n    - {resource: k, actions: [{action: a, effect: 1, name: x}, {action: b, effect: 1, name: x}]}\n    - {resource: l, actions: [{action: a, effect: 1, name: x}]}\n"), ["duplicate-rule-name 6:64 $.principalPolicy.rules[0].actions[1]"]],
    ["principal's rule of nothing", principal("  rules: [{}]\n"),                             ["missing-value", "missing-value"]],
    ["role policy without version", role("", ""),                                            ["missing-version 2:1 $.rolePolicy"]],
    ["role policy's empty version", role("", "  version: \"\"\n"),                            ["missing-version 4:3 $.rolePolicy.version"]],
    ["role policy that overrides",  role("  scopePermissions: 1\n"),                         ["invalid-value 5:3 $.rolePolicy.scopePermissions"]],
    ["role rule of nothing",        role("  rules: [{resource: \"\", allowActions: []}]\n"), ["missing-value 5:12 $.rolePolicy.rules[0].resource", "missing-value 5:26 $.rolePolicy.rules[0].allowActions"]],
    ["role rule with an effect",    role("  rules: [{resource: k, allowActions: [a], effect: 1}]\n"), ["unknown-field 5:44 $.rolePolicy.rules[0].effect"]],
    ["parent role twice",           role("  parentRoles: [a, a]\n"),                         ["duplicate-item 5:3 $.rolePolicy.parentRoles"]],
    ["list as key",                 resource("  variables: {local: {[a]: x}}\n"),            ["yaml-syntax 5:26"]],
    ["two documents",               `${resource("")}---\n${resource("")}`,                   ["multiple-documents"]],
    ["mistakes in each of two documents", `${resource("  scope: a..b\n")}---\n${resource("  rule: []\n")}---\n${rule("      condition:\n        match:\n          expr: a +\n")}`,
      ["multiple-documents", "invalid-value 5:3 $.resourcePolicy.scope", "unknown-field 11:3 $.resourcePolicy.rule", "invalid-expression 23:11 $.resourcePolicy.rules[0].condition.match.expr"]],
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

describe("what people write where it does not belong is told where it does", () => {
  test.each([
    // sentence, text, the unknown field, the hint says
    ["a suite of tests by another name", "name: suite\ntests: []\n", "tests", /`_test\.yaml`.*`testdata`/],
    ["a fixture outside of its folder", "principals: {a: {id: a}}\n", "principals", /`_test\.yaml`.*`testdata`/],
    ["the configuration of a server", "server: {httpListenAddr: ':80'}\n", "server", /outside/],
    ["a JSON schema", '{"type": "object", "properties": {}}', "properties", /`_schemas`/],
    ["a manifest of another program", "apiVersion: v1\nkind: ConfigMap\n", "kind", /outside/],
    ["a policy like an object of Kubernetes", "kind: ResourcePolicy\nspec: {resource: k}\n", "kind", /the type of a policy is a field/],
    ["its content", "kind: ResourcePolicy\nspec: {resource: k}\n", "spec", /belongs below `resourcePolicy`/],
    ["fields that are not indented", "resourcePolicy:\nversion: default\nrules: []\n", "rules", /below `resourcePolicy`/],
    [
      "a rule of a principal with a condition",
      "principalPolicy: {principal: a, version: default, rules: [{resource: k, condition: {}}]}\n",
      "condition",
      /each action/,
    ],
    ["rules by another name", "principalPolicy: {principal: a, version: default, resourceRules: []}\n", "resourceRules", /called `rules`/],
    ["a variable beside `local`", "resourcePolicy: {variables: {isOwner: 'true'}}\n", "isOwner", /^a variable .* below `local`$/],
    ["a constant beside `local`", "resourcePolicy: {constants: {limit: 3}}\n", "limit", /^a constant .* below `local`$/],
    ["a name that is no more than unknown", "constructor: 1\n", "constructor", /^the fields here are /],
  ])("%s", (_sentence, text, field, hint) => {
    const found: Diagnostic[] = [];
    readPolicy({ path: "p.yaml", text }, (diagnostic) => void found.push(diagnostic));
    expect(found.find(({ message }) => message === `unknown field \`${field}\``)?.hint).toMatch(hint);
  });
});

// oxfmt-ignore
test.each([
  ["!R.attr.secret",                 "!R.attr.secret"],
  ["!R.attr.secret && R.attr.open",  "!R.attr.secret"],
  ["!has(R.attr.owner)",             "!has(R.attr.owner)"],
  ["!(P.id in R.attr.blocked)",      "!(P.id"],
  ["!R.attr.secret == true",         "!R.attr.secret"],
  ["! R.attr.secret",                "!"],
  ["!not 'R.attr.secret'",           "!not"],
  ["!!R.attr.owner && true",         "!!R.attr.owner"],
  ["!!has(R.attr.owner)",            "!!has(R.attr.owner)"],
  ["!<tag:yaml.org,2002:R> true",    "!!R"],
])("a negation without quotes, %s, is refused: to YAML it is a tag, and what is left would be its opposite", (expression, tag) => {
  const { diagnostics } = read(rule(`      condition:\n        match:\n          expr: ${expression}\n`));
  expect(diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
    ["invalid-expression", `YAML takes \`${tag}\` for a tag, not for a negation`, "put the whole expression in quotes"],
  ]);
});

test.each(["!!str R.attr.open", "'!R.attr.open'", '"!R.attr.open"', "|-\n            !R.attr.open"])(
  "%s is an expression",
  (expression) => {
    expect(read(rule(`      condition:\n        match:\n          expr: ${expression}\n`)).diagnostics).toEqual([]);
  },
);

test.each([
  ["condition: R.attr.a", "expected a mapping, found a string", "the fields here are `match`, `script`"],
  ["condition: {match: R.attr.a}", "expected a mapping, found a string", "the fields here are `expr`, `all`, `any`, `none`"],
  ["condition: {match: {all: [{expr: 'true'}]}}", "expected a mapping, found a list", "the fields here are `of`"],
])("what is no mapping is met with the fields that it should have: %s", (field, message, hint) => {
  const { diagnostics } = read(rule(`      ${field}\n`));
  expect(diagnostics.map((each) => [each.message, each.hint])).toEqual([[message, hint]]);
});

// oxfmt-ignore
test.each([
  ["a variable like a condition",    resource("  variables: {local: {mine: {expr: R.attr.owner == P.id}}}\n"),        "a mapping", "write the expression itself here, without `expr:`"],
  ["an output like a condition",     rule("      output: {when: {ruleActivated: {expr: P.id}}}\n"),                   "a mapping", "write the expression itself here, without `expr:`"],
  ["an output as the map it makes",  rule("      output: {when: {conditionNotMet: {level: high, shown: false}}}\n"),  "a mapping", "write one expression, such as `'{\"name\": \"value\"}'`"],
  ["an output as the list it makes", rule("      output: {expr: [a, b]}\n"),                                          "a list",    "write one expression, such as `'[\"value\"]'`"],
])("%s is met with how an expression is written", (_sentence, text, found, hint) => {
  expect(read(text).diagnostics.map((each) => [each.message, each.hint])).toEqual([[`expected a string, found ${found}`, hint]]);
});
