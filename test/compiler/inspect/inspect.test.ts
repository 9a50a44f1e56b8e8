/** What a policy set contains, by what its authors wrote. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inspectPolicies, inspectPolicySet, inspectTable, missingImports } from "../../../compiler/inspect/index.ts";
import { link } from "../../../compiler/link/link.ts";
import type { PolicyDocument } from "../../../compiler/policy/document.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { lower } from "../../../compiler/table/lower.ts";

const read = (texts: { readonly [path: string]: string }): readonly PolicyDocument[] =>
  Object.entries(texts).flatMap(([path, text]) => readPolicy({ path, text: `apiVersion: api.authz.dev/v1\n${text}` }, () => {}) ?? []);

/** A resource policy `doc` with one rule: a condition, and what else stands in the policy. */
const policy = (expression: string, more = ""): string => `
resourcePolicy:
  resource: doc
  version: default
${more}
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: ${JSON.stringify(expression)}
`;

const key = "resource.doc.vdefault";
const inspectOne = (text: string, others: { readonly [path: string]: string } = {}) =>
  inspectPolicies(read({ "doc.yaml": text, ...others }))[key];

describe("the attributes that an expression reads", () => {
  test.each([
    // expression                                       principal's        resource's
    ["R.attr.a == P.attr.b", ["b"], ["a"]],
    ["request.resource.attr.a == request.principal.attr.b", ["b"], ["a"]],
    [`R.attr["a b"] == 1 && P.attr["c"] == 1`, ["c"], ["a b"]],
    ["has(R.attr.a)", [], ["a"]],
    ["R.attr.a.b.c == 1", [], ["a"]],
    ["R.attr[P.attr.which] == 1", ["which"], []],
    ['R.attr["a" + "b"] == 1', [], []],
    ["R.attr.list.exists(x, x.inner == R.attr.outer)", [], ["list", "outer"]],
    ['[{"attr": {"no": 1}}].all(R, R.attr.no == 1)', [], []],
    ["[1].all(x, R.attr.yes == x)", [], ["yes"]],
    ["cel.bind(P, R, P.attr.no == R.attr.yes)", [], ["yes"]],
    ["true || R.attr.never", [], ["never"]],
    ["false ? R.attr.never : R.attr.always", [], ["always", "never"]],
    ["R.attr.same == P.attr.same", ["same"], ["same"]],
    ['R.id == P.id && R.kind == "attr"', [], []],
    ["R.attr == P.attr", [], []],
    ["G.attr.x == 1 && request.aux_data.jwt.attr == 1", [], []],
    ["R.attr.__proto__ == 1 && P.attr.constructor == 1", ["constructor"], ["__proto__"]],
  ])("%s", (expression, principal, resource) => {
    expect(inspectOne(policy(expression))?.attributes ?? []).toEqual([
      ...principal.map((name) => ({ kind: "KIND_PRINCIPAL_ATTRIBUTE", name })),
      ...resource.map((name) => ({ kind: "KIND_RESOURCE_ATTRIBUTE", name })),
    ]);
  });

  test("are found in outputs, in variables whether used or not, and in rules of every type of policy", () => {
    const documents = read({
      "a.yaml": `
resourcePolicy:
  resource: doc
  version: default
  variables: { local: { idle: R.attr.idle } }
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      output: { when: { ruleActivated: R.attr.met, conditionNotMet: R.attr.missed } }`,
      "b.yaml": `
principalPolicy:
  principal: ann
  version: default
  rules: [{ resource: doc, actions: [{ action: view, effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.p } } }] }]`,
      "c.yaml": `
rolePolicy:
  role: clerk
  parentRoles: [user]
  rules: [{ resource: doc, allowActions: [view], condition: { match: { none: { of: [{ expr: R.attr.r }] } } } }]`,
      "d.yaml": `
derivedRoles:
  name: roles
  definitions: [{ name: owner, parentRoles: [user], condition: { match: { expr: R.attr.d } } }]`,
      "e.yaml": `
exportVariables: { name: vars, definitions: { v: R.attr.e } }`,
    });
    const names = Object.entries(inspectPolicies(documents)).map(([of, { attributes }]) => [of, attributes?.map(({ name }) => name)]);
    expect(names).toEqual([
      ["derived_roles.roles", ["d"]],
      ["export_variables.vars", ["e"]],
      ["principal.ann.vdefault", ["p"]],
      [key, ["idle", "met", "missed"]],
      ["role.clerk.vdefault", ["r"]],
    ]);
  });
});

describe("variables and constants", () => {
  const sets = {
    "near.yaml": "exportVariables: { name: near, definitions: { a: R.attr.a, b: V.far && C.limit, idle: R.attr.idle } }",
    "far.yaml": "exportVariables: { name: far, definitions: { far: P.attr.far, a: R.attr.other } }",
    "limits.yaml": "exportConstants: { name: limits, definitions: { limit: { most: 5 }, none: null } }",
  };
  const row = (line: string) => {
    const [name, value, kind, source, used] = line.split(" | ");
    return {
      name,
      ...(value !== "" && { value }),
      kind: `KIND_${kind}`,
      ...(source !== "" && { source }),
      ...(used === "used" && { used: true }),
    };
  };

  test.each([
    [
      "a policy's own are listed whether used or not",
      "V.x",
      "  variables: { local: { y: V.z, x: '1 == 1', z: '2 == 2' } }",
      [`x | 1 == 1 | LOCAL | ${key} | used`, `y | V.z | LOCAL | ${key} | `, `z | 2 == 2 | LOCAL | ${key} | used`],
    ],
    [
      "imported ones only where they are used",
      "V.a",
      "  variables: { import: [near] }",
      ["a | R.attr.a | IMPORTED | export_variables.near | used"],
    ],
    [
      "through another variable too",
      "V.b",
      "  variables: { import: [far, near] }",
      ["b | V.far && C.limit | IMPORTED | export_variables.near | used", "far | P.attr.far | IMPORTED | export_variables.far | used"],
    ],
    [
      "each definition of a name, in the order of the imports",
      "V.a",
      "  variables: { import: [near, far] }",
      ["a | R.attr.a | IMPORTED | export_variables.near | used", "a | R.attr.other | IMPORTED | export_variables.far | used"],
    ],
    [
      "one of the policy's own hides the imported ones",
      "V.a",
      "  variables: { import: [near, far], local: { a: '1 == 1' } }",
      [`a | 1 == 1 | LOCAL | ${key} | used`],
    ],
    ["a name that nothing defines", "V.ghost", "", ["ghost | null | UNDEFINED |  | used"]],
    ["a name of a set that is not there", "V.ghost", "  variables: { import: [nowhere] }", ["ghost | null | UNDEFINED |  | used"]],
    [
      "variables in a circle",
      "V.x",
      "  variables: { local: { x: V.y, y: V.x } }",
      [`x | V.y | LOCAL | ${key} | used`, `y | V.x | LOCAL | ${key} | used`],
    ],
  ])("variables: %s", (_, expression, more, rows) => {
    expect(inspectOne(policy(expression, more), sets)?.variables).toEqual(rows.map(row));
  });

  test.each([
    [
      "a policy's own",
      "C.k == 1",
      "  constants: { local: { k: 1.5, idle: [1, { a: null }] } }",
      [
        { name: "idle", value: [1, { a: null }], kind: "KIND_LOCAL", source: key },
        { name: "k", value: 1.5, kind: "KIND_LOCAL", source: key, used: true },
      ],
    ],
    [
      "an imported one, also behind a variable",
      "V.b",
      "  variables: { import: [near, far] }\n  constants: { import: [limits] }",
      [{ name: "limit", value: { most: 5 }, kind: "KIND_IMPORTED", source: "export_constants.limits", used: true }],
    ],
    [
      "null is a value",
      "C.none == null",
      "  constants: { import: [limits] }",
      [{ name: "none", value: null, kind: "KIND_IMPORTED", source: "export_constants.limits", used: true }],
    ],
    ["a name that nothing defines has none", "C.ghost", "", [{ name: "ghost", kind: "KIND_UNDEFINED", used: true }]],
  ])("constants: %s", (_, expression, more, rows) => {
    expect(inspectOne(policy(expression, more), sets)?.constants).toEqual(rows);
  });

  test("the deprecated top-level variables are the policy's own", () => {
    expect(inspectOne(`variables: { old: R.attr.old }\n${policy("V.old")}`)).toMatchObject({
      attributes: [{ kind: "KIND_RESOURCE_ATTRIBUTE", name: "old" }],
      variables: [{ name: "old", value: "R.attr.old", kind: "KIND_LOCAL", source: key, used: true }],
    });
  });

  test("attributes are in the order of their names alone where variables are not the policy's own", () => {
    const names = (text: string) => inspectOne(text, sets)?.attributes?.map(({ name }) => name);
    expect(names(policy("R.attr.a && P.attr.z"))).toEqual(["z", "a"]);
    expect(names(policy("R.attr.a && P.attr.z && V.a", "  variables: { import: [near] }"))).toEqual(["a", "z"]);
  });
});

describe("whatever is wrong with a policy, it can be inspected", () => {
  test.each([
    ["an expression that does not parse", policy("R.attr."), { policyId: "doc.yaml", actions: ["view"] }],
    ["a type that cannot be", policy("R.attr.a + 1 == true && 1 == 'x'"), { attributes: [{ kind: "KIND_RESOURCE_ATTRIBUTE", name: "a" }] }],
    [
      "a derived role that nothing defines",
      policy("true").replace("roles: [user]", "derivedRoles: [ghost]"),
      { derivedRoles: [{ name: "ghost", kind: "KIND_UNDEFINED" }] },
    ],
    [
      "sets that are not there",
      policy("true", "  importDerivedRoles: [r]\n  variables: { import: [v] }\n  constants: { import: [c] }"),
      { actions: ["view"] },
    ],
    [
      "names of JavaScript's own",
      policy("V.constructor && C.__proto__", "  variables: { import: [constructor, __proto__] }"),
      { variables: [{ name: "constructor", kind: "KIND_UNDEFINED" }], constants: [{ name: "__proto__", kind: "KIND_UNDEFINED" }] },
    ],
  ])("%s", (_, text, part) => {
    expect(inspectOne(text)).toMatchObject(part);
  });

  test("imports that lead nowhere are named, once each", () => {
    const imports = "  importDerivedRoles: [r]\n  variables: { import: [v, there] }\n  constants: { import: [c] }";
    const texts = {
      "a.yaml": policy("true", imports),
      "b.yaml": policy("true", `  scope: a\n${imports}`),
      "c.yaml": "exportVariables: { name: there }",
    };
    expect(missingImports(read(texts))).toEqual(["derived_roles.r", "export_constants.c", "export_variables.v"]);
  });
});

test("a derived role is told of with every set that defines it and that the policy imports", () => {
  const roles = (name: string) =>
    `derivedRoles: { name: ${name}, definitions: [{ name: same, parentRoles: [user] }, { name: idle, parentRoles: [user] }] }`;
  const text = policy("true", "  importDerivedRoles: [two, one]").replace("roles: [user]", "derivedRoles: [same]");
  expect(inspectOne(text, { "1.yaml": roles("one"), "2.yaml": roles("two"), "3.yaml": roles("three") })?.derivedRoles).toEqual([
    { name: "same", kind: "KIND_IMPORTED", source: "derived_roles.two" },
    { name: "same", kind: "KIND_IMPORTED", source: "derived_roles.one" },
  ]);
});

describe("which policies are told of", () => {
  const set = (attribute: string, disabled = "") => `${disabled}exportVariables: { name: vars, definitions: { v: R.attr.${attribute} } }`;
  const importer = policy("V.v", "  variables: { import: [vars] }");

  test("those that are asked for; the others are there to be imported", () => {
    const found = inspectPolicies(read({ "a.yaml": importer, "b.yaml": set("one") }), { of: ({ kind }) => kind === "resource" });
    expect(Object.keys(found)).toEqual([key]);
    expect(found[key]?.attributes).toEqual([{ kind: "KIND_RESOURCE_ATTRIBUTE", name: "one" }]);
  });

  test.each([
    ["a disabled set counts where there is no other", { "a.yaml": set("one", "disabled: true\n") }, "one"],
    ["one that is not disabled wins", { "a.yaml": set("one", "disabled: true\n"), "b.yaml": set("two") }, "two"],
    ["of two that are the same policy the first does, by path", { "b.yaml": set("two"), "a.yaml": set("one") }, "one"],
  ])("%s", (_, sets, attribute) => {
    const found = inspectPolicies(read({ "doc.yaml": importer, ...sets }));
    expect([found[key], found["export_variables.vars"]].map((each) => each?.attributes?.map(({ name }) => name))).toEqual([
      [attribute],
      [attribute],
    ]);
  });
});

test("what is compiled tells of the derived roles' attributes, and of nothing that is unused", () => {
  const text = policy(
    "V.x && C.k == 1",
    "  importDerivedRoles: [roles]\n  variables: { local: { x: R.attr.x, idle: R.attr.idle } }\n  constants: { local: { k: 1, idle: 2 } }",
  );
  const documents = read({
    "doc.yaml": text.replace("roles: [user]", "derivedRoles: [owner]").replace("[view]", "[view, 'view:*', '*']"),
    "roles.yaml":
      "derivedRoles: { name: roles, variables: { local: { own: P.attr.own } }, definitions: [{ name: owner, parentRoles: [user], condition: { match: { expr: V.own } } }] }",
  });
  const set = link(documents, ({ message }) => expect.fail(message));
  const result = (used: object) => ({
    policyId: key,
    actions: ["*", "view", "view:*"],
    derivedRoles: [{ name: "owner", kind: "KIND_IMPORTED" }],
    attributes: [
      { kind: "KIND_PRINCIPAL_ATTRIBUTE", name: "own" },
      { kind: "KIND_RESOURCE_ATTRIBUTE", name: "x" },
    ],
    variables: [{ name: "x", value: "R.attr.x", kind: "KIND_UNKNOWN", ...used }],
    constants: [{ name: "k", value: 1, kind: "KIND_UNKNOWN", ...used }],
  });
  expect(inspectPolicySet(set)).toEqual({ [key]: result({ used: true }) });
  expect(inspectTable(lower(set))).toEqual({ [key]: result({}) });
});

test("of the tour it says what the reference says", () => {
  const folder = "golden/tour/policies";
  const texts = readdirSync(folder).map((path) => ({ path, text: readFileSync(`${folder}/${path}`, "utf8") }));
  const expense = "resource.expense.vdefault";
  const roles = "derived_roles.expense_roles";
  expect(inspectPolicies(texts.flatMap((source) => readPolicy(source, ({ message }) => expect.fail(message)) ?? []))).toEqual({
    [roles]: {
      policyId: "expense_roles.yaml",
      derivedRoles: [{ name: "owner", kind: "KIND_EXPORTED", source: roles }],
      attributes: [{ kind: "KIND_RESOURCE_ATTRIBUTE", name: "owner" }],
    },
    [expense]: {
      policyId: "expense.yaml",
      actions: ["approve", "create", "delete", "edit", "view", "view:*"],
      derivedRoles: [{ name: "owner", kind: "KIND_IMPORTED", source: roles }],
      attributes: [
        { kind: "KIND_PRINCIPAL_ATTRIBUTE", name: "team" },
        { kind: "KIND_RESOURCE_ATTRIBUTE", name: "amount" },
        { kind: "KIND_RESOURCE_ATTRIBUTE", name: "owner" },
        { kind: "KIND_RESOURCE_ATTRIBUTE", name: "status" },
        { kind: "KIND_RESOURCE_ATTRIBUTE", name: "team" },
      ],
      variables: [{ name: "isOwner", value: "R.attr.owner == P.id", kind: "KIND_LOCAL", source: expense, used: true }],
      constants: [{ name: "approvalLimit", value: 1000, kind: "KIND_LOCAL", source: expense, used: true }],
    },
  });
});
