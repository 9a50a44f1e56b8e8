/** From a policy set to rows, and from rows to what people read. */
import { expect, test } from "vitest";
import { link } from "../../../compiler/link/link.ts";
import { readPolicy } from "../../../compiler/policy/read.ts";
import { lower, matchOf } from "../../../compiler/table/lower.ts";
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
    derivedRoles: [{ name: "owner", parents: [{ kind: "exact", value: "employee" }], variables: [{ name: "mine" }] }],
    rows: [
      { rule: "rule-001", derivedRoles: [] },
      { rule: "approve-small", derivedRoles: [0], effect: "deny" },
    ],
  });
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
