/** The warnings: what is warned of is certain, and what only looks like it is not warned of. */
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { parse } from "../../../compiler/cel/parse.ts";
import { check } from "../../../compiler/cel/check.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { link } from "../../../compiler/link/link.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { validate } from "../../../compiler/validate/index.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { evaluate } from "../../../runtime/cel/evaluate/evaluate.ts";
import { functionRows } from "../../../runtime/cel/functions/index.ts";
import { timestampFromMilliseconds } from "../../../runtime/cel/timestamp.ts";
import type { Type } from "../../../runtime/cel/type.ts";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import { policyBindings } from "../../../runtime/decide/activation.ts";

function warningsOf(...texts: readonly string[]): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const documents = texts.flatMap(
    (text, at) => readPolicy({ path: `${at}.yaml`, text: `apiVersion: api.authz.dev/v1\n${text}` }, report) ?? [],
  );
  link(documents, report);
  validate(documents, diagnostics, report);
  return diagnostics;
}

const codesOf = (...texts: readonly string[]): readonly string[] => warningsOf(...texts).map(({ code }) => code);

const withExpression = (expression: string): string =>
  `resourcePolicy: { resource: k, version: v1, constants: { local: { c: 1 } }, rules: [{ actions: [a], roles: [r], effect: EFFECT_ALLOW, condition: { match: { all: { of: [{ expr: C.c < 2.0 }, { expr: ${JSON.stringify(expression)} }] } } } }] }`;

describe("expressions", () => {
  test.each([
    // expression                                           warnings
    ["R.attr.n + 1 > 2.0", ["failing-operation"]],
    ["1 + R.attr.n > 2.0", ["failing-operation"]],
    ["R.attr.n - 1u > 2.0", ["failing-operation"]],
    ["C.c * 2 > 2.0", ["failing-operation"]],
    ["request.resource.attr.a.b[0] / 2 > 1.0", ["failing-operation"]],
    ['request.auxData.jwt["n"] + 1 > 2.0', ["failing-operation"]],
    ['request.auxData.jwts["a"].claims.n + 1 > 2.0', ["failing-operation"]],
    ["R.attr.n % R.attr.m == 0", ["failing-operation"]],
    ["R.attr.at.getHours() == 1", ["failing-operation"]],
    ['R.attr.at < timestamp("2024-01-01T00:00:00Z")', ["failing-operation"]],
    ["R.attr.l.exists(x, x.n + 1 > 2.0)", ["failing-operation"]],
    ["R.attr.m.exists(k, v, v + 1 > 2.0)", ["failing-operation"]],
    ["cel.bind(x, R.attr.n, x + 1 > 2.0)", ["failing-operation"]],
    ["(has(R.attr.n) ? R.attr.n : R.attr.m) + 1 > 2.0", ["failing-operation"]],
    ['"abc".substring(R.attr.n) == "c"', ["failing-operation"]],
    ["R.attr.n + 1.0 > 2.0", []],
    ['R.attr.n + "a" == "ba"', []],
    ["R.attr.n + R.attr.m > 2.0", []],
    ["R.attr.l + [1] == [2]", []],
    ["int(R.attr.n) + 1 > 2", []],
    ["size(R.attr.l) + 1 > 2", []],
    ["G.n + 1 > 2", []],
    ["R.attr.n > 2", []],
    ["R.attr.n == 2u", []],
    ["R.attr.l[0] == 1", []],
    ["-R.attr.n < 1", []],
    ["[1, 2].exists(x, x + 1 > 2)", []],
    ["[1, 2].exists(R, R + 1 > 2)", []],
    ['{"attr": {"n": 1}}.exists(C, C == "attr")', []],
    ["R.attr.l.exists(i, x, i + 1 > 2)", []],
    ["(has(R.attr.n) ? R.attr.n : 0) + 1 > 2", []],
    ["R.attr.?n.orValue(1) + 1 > 2", []],
    ["timestamp(R.attr.at) < now()", []],
    ['R.attr.at == timestamp("2024-01-01T00:00:00Z")', ["constant-comparison"]],
    ['duration("1h") != R.attr.length', ["constant-comparison"]],
    ['R.attr.b == b"abc"', ["constant-comparison"]],
    ['R.attr.at in [timestamp("2024-01-01T00:00:00Z")]', ["constant-comparison"]],
    ["R.attr.n == 1", []],
    ["R.attr.n == R.attr.m", []],
    ["R.attr.n in [1, 2]", []],
    ['R.attr.n in ["a", b"c"]', []],
    ["type(R.attr.n) == double", []],
    ["P.id", ["never-boolean"]],
    ["1 + 1", ["never-boolean"]],
    ["[true]", ["never-boolean"]],
    ["size(R.attr.l)", ["never-boolean"]],
    ["R.attr.flag", []],
    ["R.attr.a ? R.attr.b : false", []],
    ["V.missing || true", []],
    ["R.attr.name.matches('^a')", []],
    ["has(R.attr.x)", []],
  ] as const)("%s", (expression, codes) => {
    expect(codesOf(withExpression(expression)).filter((code) => code !== "dead-rule")).toEqual(codes);
  });
});

describe("a placeholder in a string is told where it is sure to be meant as one", () => {
  test.each([
    ['R.attr.owner == "${P.id}"', ["`${P.id}`", "write `P.id` without the quotes"]],
    [
      "R.attr.owner == 'user:${ P.attr.name }'",
      ["`${ P.attr.name }`", "put `P.attr.name` outside of the quotes, and join strings with `+`"],
    ],
    [
      `R.attr.path.startsWith('/\${request.resource.attr["a-b"]}/')`,
      ['`${request.resource.attr["a-b"]}`', 'put `request.resource.attr["a-b"]` outside of the quotes, and join strings with `+`'],
    ],
    ['["a", "${V.x}"].exists(v, v == R.id)', ["`${V.x}`", "write `V.x` without the quotes"]],
    ['R.attr.price == "${5}"', undefined],
    ['R.attr.text == "$${HOME}"', undefined],
    ['R.attr.text == "${P}"', undefined],
    ['R.attr.text == "${Person.id}"', undefined],
    ['R.attr.text == "${P.id"', undefined],
    ['R.attr.text == "{P.id}"', undefined],
    ['R.attr.text == b"${P.id}"', undefined],
  ] as const)("%s", (expression, wanted) => {
    const told = warningsOf(withExpression(expression)).filter(({ code }) => code === "literal-placeholder");
    expect(told.map(({ severity, message, hint }) => [severity, message, hint])).toEqual(
      wanted === undefined ? [] : [["warning", `nothing takes the place of ${wanted[0]}: the string contains these characters`, wanted[1]]],
    );
  });
});

describe("an operation that is said to fail always fails", () => {
  const samples: readonly Value[] = [null, true, 0, 1, 1.5, "", "a", "1h", "2024-01-01T00:00:00Z", [], [1, "a"], {}, { a: 1 }];
  const literal = (type: Type): string => {
    switch (type.kind) {
      case "int":
        return "1";
      case "uint":
        return "1u";
      case "string":
        return '"a"';
      case "bytes":
        return 'b"a"';
      case "bool":
        return "true";
      case "null":
        return "null";
      case "timestamp":
        return 'timestamp("2024-01-01T00:00:00Z")';
      case "duration":
        return 'duration("1h")';
      case "list":
        return `[${literal(type.element)}]`;
      case "map":
        return '{"a": 1}';
      default:
        return "1.5";
    }
  };
  const written = (name: string, receiver: boolean, args: readonly string[]): string => {
    const [first = "", second = ""] = args;
    const infix = /^_(.+)_$/.exec(name)?.[1] ?? (name === "@in" ? "in" : undefined);
    if (name === "_[_]" || name === "_[?_]") return `${first}${name === "_[_]" ? "[" : "[?"}${second}]`;
    if (infix !== undefined) return `${first} ${infix} ${second}`;
    if (name === "-_" || name === "!_") return `${name[0]}(${first})`;
    return receiver ? `${first}.${name}(${args.slice(1).join(", ")})` : `${name}(${args.join(", ")})`;
  };
  const calls = functionRows.flatMap(({ name, receiver, parameters }) =>
    parameters.map((_, at) =>
      written(
        name,
        receiver,
        parameters.map((type, index) => (index === at ? "R.attr.x" : literal(type))),
      ),
    ),
  );
  const known = [...new Set(calls)].filter((text) => {
    const { tree } = parse(text);
    return tree !== undefined && check(tree, policyEnvironment).issues.length === 0;
  });
  const flagged = known.filter((text) => codesOf(withExpression(`type(${text}) == int`)).includes("failing-operation"));

  test("there are many", () => {
    expect(known.length).toBeGreaterThan(150);
    expect(flagged.length).toBeGreaterThan(40);
  });

  test.each(flagged)("%s", (text) => {
    const { tree } = parse(text);
    if (tree === undefined) throw new Error("it parses");
    const checked = check(tree, policyEnvironment).tree;
    for (const x of samples) {
      const attr: JsonObject = { x };
      const input = { principal: { id: "p", roles: [] }, resource: { kind: "k", id: "1", attr }, actions: [] };
      const bindings = policyBindings(input, { globals: {}, constants: new Map(), variables: new Map(), effectiveDerivedRoles: [] });
      expect(evaluate(checked, bindings, { now: timestampFromMilliseconds(0) }), JSON.stringify(x)).toBeInstanceOf(EvalError);
    }
  });
});

describe("dead rules", () => {
  const policy = (rules: string, more = ""): string => `resourcePolicy: { resource: k, version: v1, ${more} rules: [${rules}] }`;
  const allow = (more: string): string => `{ actions: [view], effect: EFFECT_ALLOW, ${more} }`;
  const deny = (actions: string, more: string): string => `{ actions: ${actions}, effect: EFFECT_DENY, ${more} }`;
  const when = (expression: string): string => `condition: { match: { expr: ${JSON.stringify(expression)} } }`;
  const consent = "scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS, scope: acme,";
  test.each([
    // what it shows, policy, is it dead?
    ["a condition that is false", policy(allow(`roles: [a], ${when("false")}`)), true],
    ["a condition that no boolean can satisfy", policy(deny("[view]", `roles: [a], ${when('"true"')}`)), true],
    ["a condition that is true", policy(allow(`roles: [a], ${when("true")}`)), false],
    ["a condition that fails denies where evaluation is strict", policy(deny("[view]", `roles: [a], ${when("1 / 0 == 1")}`)), false],
    ["an output that tells of it", policy(allow(`roles: [a], ${when("false")}, output: { when: { conditionNotMet: "1" } }`)), false],
    ["an ALLOW that needs consent denies", policy(allow(`roles: [a], ${when("false")}`), consent), false],
    ["a DENY where ALLOWs need consent", policy(deny("[view]", `roles: [a], ${when("false")}`), consent), true],
    ["the same action and role denied", policy(`${allow("roles: [a]")}, ${deny("[view]", "roles: [a]")}`), true],
    ["all actions of all roles denied", policy(`${deny("['*']", "roles: ['*']")}, ${allow(`roles: [a, b], ${when("R.attr.x")}`)}`), true],
    ["denied by a pattern", policy(`${deny("['vi*']", "roles: [a]")}, ${allow("roles: [a]")}`), true],
    [
      "denied by two rules together",
      policy(`${deny("[view]", "roles: [a]")}, ${deny("['*']", "roles: [b]")}, ${allow("roles: [a, b]")}`),
      true,
    ],
    ["denied on a condition", policy(`${deny("[view]", `roles: [a], ${when("R.attr.x")}`)}, ${allow("roles: [a]")}`), false],
    ["denied to one of two roles", policy(`${deny("[view]", "roles: [a]")}, ${allow("roles: [a, b]")}`), false],
    [
      "one of two actions denied",
      policy(`${deny("[view]", "roles: [a]")}, { actions: [view, edit], effect: EFFECT_ALLOW, roles: [a] }`),
      false,
    ],
    [
      "a pattern is wider than what is denied",
      policy(`${deny("['view:*']", "roles: [a]")}, { actions: ['view:**'], effect: EFFECT_ALLOW, roles: [a] }`),
      false,
    ],
    ["every role, where one is denied", policy(`${deny("[view]", "roles: [a]")}, ${allow("roles: ['*']")}`), false],
    [
      "an ALLOW that tells an output",
      policy(`${deny("[view]", "roles: [a]")}, ${allow('roles: [a], output: { when: { ruleActivated: "1" } }')}`),
      false,
    ],
    [
      "a principal's action denied on every kind",
      "principalPolicy: { principal: p, version: v1, rules: [{ resource: '*', actions: [{ action: '*', effect: EFFECT_DENY }] }, { resource: k, actions: [{ action: view, effect: EFFECT_ALLOW }] }] }",
      true,
    ],
    [
      "a principal's action denied on other kinds",
      "principalPolicy: { principal: p, version: v1, rules: [{ resource: 'l*', actions: [{ action: '*', effect: EFFECT_DENY }] }, { resource: k, actions: [{ action: view, effect: EFFECT_ALLOW }] }] }",
      false,
    ],
    [
      "a role policy's false condition forbids",
      `rolePolicy: { role: r, version: v1, rules: [{ resource: k, allowActions: [view], ${when("false")} }] }`,
      false,
    ],
  ])("%s", (_, text, isDead) => {
    const root = text.includes("acme") ? [policy("").replace("rules: []", "rules: []")] : [];
    expect(codesOf(text, ...root).filter((code) => code.startsWith("dead"))).toEqual(isDead ? ["dead-rule"] : []);
  });

  test("a rule that denies everything to everybody is told of once, and not each rule that allows nothing because of it", () => {
    const text = policy(
      `${allow("roles: [a]")}, ${allow("roles: [b]")}, ${deny("[view]", "roles: [a]")}, ${deny("['*']", "roles: ['*']")}`,
    );
    const dead = warningsOf(text).filter(({ code }) => code === "dead-rule");
    expect(dead.map(({ message, hint }) => [message, hint])).toEqual([
      [
        "`rule-004` denies every action to every role, so no other rule of this policy ever allows anything",
        "remove it: what no rule allows is denied anyway",
      ],
    ]);
  });

  test("of thousands of actions for thousands of roles, without millions of pairs in memory", () => {
    const many = `[${Array.from({ length: 4000 }, (_, at) => `n${at}`).join(", ")}]`;
    const allowed = `{ actions: ${many}, roles: ${many}, effect: EFFECT_ALLOW }`;
    expect(codesOf(policy(`${allowed}, ${deny("[other]", "roles: [n0]")}`))).toEqual([]);
    expect(codesOf(policy(`${allowed}, ${deny(many, `roles: ${many}`)}`))).toEqual(["dead-rule"]);
  });

  test("a derived role is denied when each of its parents is", () => {
    const roles = "derivedRoles: { name: d, definitions: [{ name: owner, parentRoles: [a, b] }] }";
    const imports = "importDerivedRoles: [d],";
    expect(codesOf(roles, policy(`${allow("derivedRoles: [owner]")}, ${deny("[view]", "roles: [a, b]")}`, imports))).toEqual(["dead-rule"]);
    expect(codesOf(roles, policy(`${allow("derivedRoles: [owner]")}, ${deny("[view]", "roles: [a]")}`, imports))).toEqual([]);
    expect(codesOf(roles, policy(`${allow("roles: [a]")}, ${deny("[view]", "derivedRoles: [owner]")}`, imports))).toEqual([]);
  });
});

describe("what nothing uses", () => {
  const rule = (expression: string): string =>
    `rules: [{ actions: [a], roles: [r], effect: EFFECT_ALLOW, condition: { match: { expr: ${JSON.stringify(expression)} } } }]`;
  test.each([
    [
      "a variable",
      [`resourcePolicy: { resource: k, version: v1, variables: { local: { v: "1", w: "1" } }, ${rule("V.w == 1")} }`],
      ["unused-variable"],
    ],
    [
      "the deprecated variables",
      [`variables: { v: "1" }\nresourcePolicy: { resource: k, version: v1, ${rule("true")} }`],
      ["unused-variable"],
    ],
    [
      "not a variable of another variable",
      [`resourcePolicy: { resource: k, version: v1, variables: { local: { v: "1", w: V.v } }, ${rule("variables.w == 1")} }`],
      [],
    ],
    [
      "not a variable of an output",
      [
        "rolePolicy: { role: r, version: v1, variables: { local: { v: '1' } }, rules: [{ resource: k, allowActions: [a], output: { when: { conditionNotMet: V.v } } }] }",
      ],
      [],
    ],
    [
      "not a variable that a folded expression names",
      [`resourcePolicy: { resource: k, version: v1, variables: { local: { v: "1" } }, ${rule("true || V.v == 1")} }`],
      [],
    ],
    [
      "not what an imported variable needs",
      [
        "exportVariables: { name: e, definitions: { w: V.v + C.c } }",
        `resourcePolicy: { resource: k, version: v1, variables: { import: [e], local: { v: R.attr.x } }, constants: { local: { c: 1 } }, ${rule("V.w == 1.0")} }`,
      ],
      [],
    ],
    [
      "not what is taken as a whole",
      [
        `resourcePolicy: { resource: k, version: v1, variables: { local: { v: "1" } }, constants: { local: { c: 1 } }, ${rule("size([V, C]) > 1")} }`,
      ],
      [],
    ],
    ["a constant", [`principalPolicy: { principal: p, version: v1, constants: { local: { c: 1 } }, rules: [] }`], ["unused-constant"]],
    [
      "derived roles",
      [
        "derivedRoles: { name: d, definitions: [{ name: x, parentRoles: [r] }] }",
        `resourcePolicy: { resource: k, version: v1, importDerivedRoles: [d], ${rule("true")} }`,
      ],
      ["unused-import"],
    ],
    [
      "imported constants",
      [
        "exportConstants: { name: e, definitions: { c: 1 } }",
        `resourcePolicy: { resource: k, version: v1, constants: { import: [e] }, ${rule("true")} }`,
      ],
      ["unused-import"],
    ],
    [
      "not imported constants of an imported variable",
      [
        "exportConstants: { name: e, definitions: { c: 1 } }",
        "exportVariables: { name: f, definitions: { w: C.c == 1.0 } }",
        `resourcePolicy: { resource: k, version: v1, constants: { import: [e] }, variables: { import: [f] }, ${rule("V.w")} }`,
      ],
      [],
    ],
    [
      "what is exported is for others",
      ["exportVariables: { name: e, definitions: { w: '1' } }", "exportConstants: { name: f, definitions: { c: 1 } }"],
      [],
    ],
  ] as const)("%s", (_, texts, codes) => {
    expect(codesOf(...texts)).toEqual(codes);
  });

  test("a derived role that is named as a role is what may have been meant", () => {
    const roles = "derivedRoles: { name: d, definitions: [{ name: x, parentRoles: [r] }, { name: y, parentRoles: [r] }] }";
    const policy = `resourcePolicy: { resource: k, version: v1, importDerivedRoles: [d], rules: [{ actions: [a], roles: [y], effect: EFFECT_ALLOW }] }`;
    expect(warningsOf(roles, policy).map(({ code, hint }) => [code, hint])).toEqual([
      ["unused-import", "remove the import, or name `y` in `derivedRoles` instead of `roles`"],
    ]);
  });

  test("nothing is said of a policy with an error, or of one that imports it", () => {
    const broken = "exportVariables: { name: e, definitions: { w: '1 +' } }";
    const importer = `resourcePolicy: { resource: k, version: v1, variables: { import: [e], local: { v: "1" } }, ${rule("true")} }`;
    expect(codesOf(broken, importer)).toEqual(["invalid-expression"]);
    expect(codesOf(`resourcePolicy: { resource: k, version: v1, variables: { local: { v: "1" } }, ${rule("nope")} }`)).toEqual([
      "invalid-expression",
    ]);
  });

  test("nothing is said of a disabled policy", () => {
    expect(
      codesOf(`disabled: true\nresourcePolicy: { resource: k, version: v1, variables: { local: { v: "1" } }, ${rule("true")} }`),
    ).toEqual([]);
  });
});
