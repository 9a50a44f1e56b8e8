/** From a policy set to rows, and from rows to what people read. */
import { expect, test } from "vitest";
import { link } from "../../../compiler/link/link.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { lower } from "../../../compiler/table/lower.ts";
import { matchesOfAllowed, matchOf } from "../../../compiler/table/patterns.ts";
import { printTable } from "../../../compiler/table/print.ts";
import type { DecisionTable } from "../../../compiler/table/table.ts";

const fail = (diagnostic: { readonly message: string }): never => {
  throw new Error(diagnostic.message);
};

const tableOf = (files: { readonly [path: string]: string }): DecisionTable =>
  lower(
    link(
      Object.entries(files).flatMap(([path, text]) => readPolicy({ path, text }, fail) ?? []),
      fail,
    ),
  );

// oxfmt-ignore
test.each([
  ["*",       { kind: "any" }],
  ["view",    { kind: "exact", value: "view" }],
  ["view?",   { kind: "exact", value: "view?" }],
  ["{a,b}",   { kind: "exact", value: "{a,b}" }],
  ["view:*",  { kind: "glob", pattern: "view:*" }],
  ["{a,b}*",  { kind: "glob", pattern: "{a,b}*" }],
  ["**",      { kind: "glob", pattern: "**" }],
])("%s matches as %j", (pattern, match) => {
  expect(matchOf(pattern)).toEqual(match);
});

const files = {
  "expense.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: expense
  version: default
  importDerivedRoles: [roles]
  constants: {local: {limit: 1000, who: {name: [ann]}}}
  variables:
    local:
      small: |
        R.attr.amount
          < C.limit
  rules:
    - actions: [view, "view:*"]
      roles: ["*"]
      effect: EFFECT_ALLOW
    - name: approve-small
      actions: [approve]
      roles: [manager]
      derivedRoles: [owner]
      effect: EFFECT_DENY
      condition:
        match:
          any:
            of:
              - expr: V.small
              - none: {of: [expr: C.who.name == "bob"]}
`,
  "old.yaml": 'apiVersion: api.authz.dev/v1\nresourcePolicy: {resource: expense, version: "2020"}\n',
  "roles.yaml": `apiVersion: api.authz.dev/v1
derivedRoles:
  name: roles
  variables: {local: {mine: R.attr.owner == P.id}}
  definitions:
    - name: owner
      parentRoles: [employee]
      condition: {match: {expr: V.mine}}
`,
};

test("there is one unit for each name and version, ordered by id, rows in source order", () => {
  const { units } = tableOf(files);
  expect(units.map(({ id, scopes }) => [id, scopes.map(({ key, rows }) => [key, rows.length])])).toEqual([
    ["resource expense@2020", [["resource.expense.v2020", 0]]],
    ["resource expense@default", [["resource.expense.vdefault", 2]]],
  ]);
  expect(units[1]?.scopes[0]).toMatchObject({
    patterns: ["*", "manager", "employee"],
    derivedRoles: [{ name: "owner", parents: [2], variables: [{ name: "mine" }] }],
    rows: [
      { rule: "rule-001", src: "resource.expense.vdefault#rule-001", patterns: [0], derivedRoles: [] },
      { rule: "approve-small", patterns: [1], derivedRoles: [0], effect: "deny" },
    ],
  });
});

// oxfmt-ignore
test.each([
  ["view",   [{ kind: "exact", value: "view" }]],
  ["*",      [{ kind: "any" }]],
  ["view:*", [{ kind: "glob", pattern: "view:*" }]],
  ["x?",     [{ kind: "glob", pattern: "x?" }]],
  ["{a,b}",  [{ kind: "exact", value: "{a,b}" }, { kind: "glob", pattern: "{a,b}" }]],
  ["[*",     [{ kind: "exact", value: "[*" }, { kind: "glob", pattern: "[*" }]],
])("a role that may %s may %j", (action, matches) => {
  expect(matchesOfAllowed(action)).toEqual(matches);
});

const tells = "output: { when: { ruleActivated: P.id, conditionNotMet: R.id } }";
const scoped = {
  "ann.yaml": `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: ann@example
  version: default
  rules:
    - resource: "doc:*"
      actions:
        - { action: view, effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.open } } }
        - { action: "*", effect: EFFECT_DENY, name: no, ${tells} }
    - { resource: list, actions: [{ action: view, effect: EFFECT_ALLOW }] }
`,
  "clerk.yaml": `apiVersion: api.authz.dev/v1
rolePolicy:
  role: my-clerk
  version: default
  parentRoles: [employee, visitor]
  rules:
    - { resource: doc, allowActions: [view, "{print,export}"], condition: { match: { expr: R.attr.open } } }
    - { resource: "*", allowActions: ["*"] }
`,
  "doc.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas:
    principalSchema: { ref: authz:///p.json }
    resourceSchema: { ref: authz:///r.json, ignoreWhen: { actions: [view, "x*"] } }
  rules: []
`,
  "doc.acme.yaml": `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  scope: acme
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  rules:
    - { actions: [view], roles: [user, "staff_*"], effect: EFFECT_ALLOW, ${tells}, condition: { match: { expr: R.attr.open } } }
    - { actions: [edit], roles: ["staff_*"], effect: EFFECT_ALLOW }
    - { actions: [edit], roles: ["*", user], effect: EFFECT_DENY, condition: { match: { expr: R.attr.closed } } }
`,
};

test("policies of every type and scope are printed for people", () => {
  expect(printTable(tableOf(scoped))).toMatchInlineSnapshot(`
    "principal.ann_example.vdefault  ann.yaml:1
      written ann@example
      rule            effect  actions  kinds  when         output           at
      doc:*_rule-001  allow   view     doc:*  R.attr.open  -                ann.yaml:8
      no              deny    *        doc:*  -            P.id; else R.id  ann.yaml:9
      list_rule-001   allow   view     list   -            -                ann.yaml:10

    resource.doc.vdefault  doc.yaml:1
      schema of the principal authz:///p.json
      schema of the resource authz:///r.json unless every action is view, x*
      rule  effect  actions  roles  derived roles  when  at

    resource.doc.vdefault/acme  doc.acme.yaml:1
      an allow needs consent of the parent scopes
      schema of the principal authz:///p.json
      schema of the resource authz:///r.json unless every action is view, x*
      rule      effect  actions  roles          derived roles  when                output           at
      rule-001  deny    view     user, staff_*  -              unless R.attr.open  P.id; else R.id  doc.acme.yaml:8
      rule-002  none    edit     staff_*        -              -                   -                doc.acme.yaml:9
      rule-003  deny    edit     *              -              R.attr.closed       -                doc.acme.yaml:10

    role.my_clerk.vdefault  clerk.yaml:1
      written my-clerk
      parent roles employee, visitor
      rule  may                   kinds  when         at
      -     view, {print,export}  doc    R.attr.open  clerk.yaml:7
      -     *                     *      -            clerk.yaml:8
    "
  `);
});

test("a table is printed for people", () => {
  expect(printTable(tableOf(files))).toBe(`resource.expense.v2020  old.yaml:1
  rule  effect  actions  roles  derived roles  when  at

resource.expense.vdefault  expense.yaml:1
  constant limit = 1000
  constant who = {"name":["ann"]}
  variable small = R.attr.amount < C.limit
  derived role owner (derived_roles.roles) is employee when V.mine  roles.yaml:6
    variable mine = R.attr.owner == P.id
  rule           effect  actions       roles    derived roles  when                                             at
  rule-001       allow   view, view:*  *        -              -                                                expense.yaml:13
  approve-small  deny    approve       manager  owner          any of (V.small; none of (C.who.name == "bob"))  expense.yaml:16
`);
});
