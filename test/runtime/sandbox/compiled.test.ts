/** A policy as its author writes it, compiled, and asked inside the realm: words that look like program stay words. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { compile } from "../../../compiler/index.ts";
import { open } from "./open.ts";

const policy = String.raw`
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: expense
  version: default
  importDerivedRoles: [people]
  rules:
    - actions: [approve]
      effect: EFFECT_ALLOW
      roles: [manager]
      condition:
        match:
          all:
            of:
              - expr: R.attr.amount < 1000 && R.attr.amount / 2.0 > 1.0
              - expr: R.attr["async"] == "it's <!-- async import( eval( ${"`${x}`"} /* \" \\"
              - expr: R.attr.name.matches("^a/b.*$") && P.attr.teams.exists(t, t == R.attr.team)
    - actions: ["view:*"]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - actions: [constructor, __proto__]
      effect: EFFECT_ALLOW
      roles: ["*"]
`;

const people = `
apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
`;

const attr = {
  amount: 5,
  async: "it's <!-- async import( eval( `${x}` /* \" \\",
  name: "a/bc",
  team: "x",
  owner: "ann",
};

const realm = open();

test("the compiler's bundle is loaded and decides", () => {
  const sources = [
    { path: "expense.yaml", text: policy },
    { path: "people.yaml", text: people },
  ];
  const { diagnostics, compiled } = compile(sources, { digest: (text) => createHash("sha256").update(text).digest("hex") });
  expect(diagnostics).toEqual([]);
  realm.load(JSON.stringify(compiled?.bundle));

  const answer = realm.checkResources(
    JSON.stringify({
      includeMeta: true,
      principal: { id: "ann", roles: ["user", "manager"], attr: { teams: ["x"] } },
      resources: [
        { actions: ["approve", "view:receipt", "constructor", "toString"], resource: { kind: "expense", id: "1", attr } },
        {
          actions: ["approve", "view:receipt", "__proto__"],
          resource: { kind: "expense", id: "2", attr: { ...attr, async: "no", owner: "bob" } },
        },
        { actions: ["approve"], resource: { kind: "__proto__", id: "3" } },
      ],
    }),
    "CALL",
    0,
  );
  expect(answer.charAt(0)).toBe("0");
  const { results } = JSON.parse(answer.slice(1));
  const wanted: object[] = [
    {
      actions: { approve: "EFFECT_ALLOW", "view:receipt": "EFFECT_ALLOW", constructor: "EFFECT_ALLOW", toString: "EFFECT_DENY" },
      meta: { effectiveDerivedRoles: ["owner"], actions: { approve: { matchedPolicy: "resource.expense.vdefault" } } },
    },
    { actions: JSON.parse('{"approve":"EFFECT_DENY","view:receipt":"EFFECT_DENY","__proto__":"EFFECT_ALLOW"}') },
    { actions: { approve: "EFFECT_DENY" }, meta: { actions: { approve: { matchedPolicy: "NO_MATCH" } } } },
  ];
  expect(results).toMatchObject(wanted);
  expect(answer).toContain('"__proto__":"EFFECT_ALLOW"');
});
