/** What the TypeScript compiler says to those who call a server with the types of its policies: nothing when they are right, one error for each mistake. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { errorsOf, typesOf } from "./compiler.ts";

const tour = typesOf(["expense.yaml", "expense_roles.yaml"].map((name) => readFileSync(`golden/tour/policies/${name}`, "utf8")));

const shop = typesOf(
  [
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: order
  version: default
  schemas:
    principalSchema: { ref: "authz:///user.json" }
    resourceSchema: { ref: "authz:///order.json", ignoreWhen: { actions: [create] } }
  rules:
    - { actions: [create, view, refund], effect: EFFECT_ALLOW, roles: [clerk] }
    - { actions: ["*"], effect: EFFECT_ALLOW, roles: [owner, "team-*"] }
`,
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: order
  version: default
  scope: acme
  rules: [{ actions: [audit], effect: EFFECT_ALLOW, roles: [auditor] }]
`,
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: stock:item
  version: default
  schemas: { resourceSchema: { ref: "authz:///item.json" } }
  rules: [{ actions: ["count:*", "move"], effect: EFFECT_ALLOW, roles: [clerk] }]
`,
    `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: eve
  version: default
  rules: [{ resource: "stock:*", actions: [{ action: scrap, effect: EFFECT_DENY }] }]
`,
    `apiVersion: api.authz.dev/v1
rolePolicy:
  role: temp
  parentRoles: [clerk]
  rules: [{ resource: order, allowActions: [view, "print:*"] }]
`,
  ],
  {
    "order.json": {
      type: "object",
      required: ["status", "lines"],
      properties: {
        status: { enum: ["open", "paid"] },
        lines: { type: "array", items: { $ref: "item.json" } },
        note: { type: ["string", "null"], description: "whatever */ was @said" },
      },
    },
    "item.json": {
      type: "object",
      required: ["sku"],
      additionalProperties: false,
      properties: { sku: { type: "string" }, size: { type: "integer" }, parts: { type: "array", items: { $ref: "#" } } },
    },
    "user.json": { type: "object", required: ["team"], properties: { team: { type: "string" } } },
  },
);

const door = `import type { Door } from "${resolve("runtime/door/types.ts")}";\ndeclare const door: Door<Policies>;\n`;
const imports = 'import type { Action, Check, CheckRequest, CheckResponse, IsAllowed, Policies, Role } from "./policies.js";\n';

describe("right programs have no error:", () => {
  test.each([
    [
      "the tour",
      tour,
      `const request: CheckRequest = {
        requestId: "1", includeMeta: true,
        principal: { id: "maria", roles: ["employee", "manager"], attr: { team: "design" } },
        resources: [{ actions: ["view", "approve", "view:public"], resource: { kind: "expense", id: "1", attr: { owner: "maria", amount: 3 } } }],
        auxData: { jwt: { token: "x" } },
        requestContext: { annotations: { ticket: "A-1", urgent: true } },
      };
      const other: CheckRequest = { principal: { id: "a", roles: [] }, resources: [], auxData: { jwts: { user: { token: "x", keySetId: "k" } } } };
      void other;
      declare const response: CheckResponse;
      const may: boolean = response.results[0]?.actions.approve === "EFFECT_ALLOW";
      const role: Role = "manager"; export { request, may, role };`,
    ],
    [
      "kinds with schemas",
      shop,
      `const request: CheckRequest = {
        principal: { id: "ann", roles: ["clerk", "temp", "auditor", "owner", "team-red"], attr: { team: "a" }, scope: "acme" },
        resources: [
          { actions: ["view", "refund", "audit", "print:a4"], resource: { kind: "order", id: "1", scope: "acme", policyVersion: "default", attr: { status: "open", note: null, lines: [{ sku: "a", parts: [{ sku: "b" }] }] } } },
          { actions: ["create"], resource: { kind: "order", id: "new" } },
          { actions: ["count:all", "scrap"], resource: { kind: "stock:item", id: "2", attr: { sku: "x", size: 2 } } },
        ],
      };
      const items: CheckRequest<"stock:item"> = { principal: { id: "ann", roles: [] }, resources: [] };
      declare const check: Check; declare const isAllowed: IsAllowed;
      const may: boolean = isAllowed({ id: "a", roles: ["clerk"] }, { kind: "stock:item", id: "1", attr: { sku: "a" } }, "move");
      const later: Promise<CheckResponse> = check(request);
      const any: Action = "move"; const known: keyof Policies["kinds"] = "order"; export { items, may, later, any, known };`,
    ],
  ])("%s", (_, declarations, program) => {
    expect(errorsOf(declarations, imports + program)).toEqual([]);
  });
});

test("a library that embeds the policies is typed by them", () => {
  const right = `door.isAllowed({ id: "ann", roles: ["clerk"], attr: { team: "a" } }, { kind: "order", id: "1", attr: { status: "open", lines: [] } }, "refund");
    const { actions } = door.check({ principal: { id: "ann", roles: ["clerk"] }, resource: { kind: "stock:item", id: "1", attr: { sku: "a" } }, actions: ["move", "count:all"] });
    const effect: string = actions.move.effect; export { effect };`;
  expect(errorsOf(shop, imports + door + right)).toEqual([]);
});

const doorMistakes: readonly string[] = [
  'door.isAllowed({ id: "a", roles: ["boss"] }, { kind: "stock:item", id: "1", attr: { sku: "a" } }, "move");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "stock:item", id: "1", attr: { sku: "a" } }, "refund");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "stock:item", id: "1", attr: { sku: 5 } }, "move");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "stock:item", id: "1", attr: { sku: "a", colour: "red" } }, "move");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "stock:item", id: "1" }, "move");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "order", id: "1", attr: { status: "open", lines: [] } }, "view");',
  'door.isAllowed({ id: "a", roles: [] }, { kind: "stock", id: "1" }, "move");',
  'door.check({ principal: { id: "a", roles: [] }, resource: { kind: "stock:item", id: "1", attr: { sku: "a" } }, actions: ["mov"] });',
  'door.check({ principal: { id: "a", roles: [] }, resource: { kind: "stock:item", attr: { sku: "a" } }, actions: ["move"] });',
  'door.check({ principal: { id: "a", roles: [], scope: "acme.hr" }, resource: { kind: "stock:item", id: "1", attr: { sku: "a" } }, actions: ["move"] });',
];

const tourMistakes: readonly string[] = [
  'const m1: Action<"expense"> = "aprove";',
  'const m2: CheckRequest = { principal: { id: "a", roles: ["boss"] }, resources: [] };',
  'const m3: CheckRequest = { principal: { id: "a", roles: [] }, resources: [{ actions: ["view"], resource: { kind: "expenses", id: "1" } }] };',
  'const m4: CheckRequest = { principal: { id: "a", roles: [] }, resources: [{ actions: ["veiw"], resource: { kind: "expense", id: "1" } }] };',
  'const m5: CheckRequest = { principal: { id: "a", roles: [] }, resources: [{ actions: ["view"], resource: { kind: "expense" } }] };',
  "const m6: CheckRequest = { principal: { roles: [] }, resources: [] };",
  'const m7: CheckRequest = { principal: { id: "a", roles: [], scope: "acme" }, resources: [] };',
  'const m8: CheckRequest = { principal: { id: "a", roles: [] }, resources: [{ actions: ["view"], resource: { kind: "expense", id: "1", policyVersion: "v2" } }] };',
  "declare const m9: CheckResponse; m9.results[0]?.actions.aprove;",
  'declare const m10: IsAllowed; m10({ id: "a", roles: ["manager"] }, { kind: "expense", id: "1" }, "pay");',
];

const shopMistakes: readonly string[] = [
  'const m1: CheckRequest<"order"> = { principal: { id: "a", roles: [] }, resources: [] };',
  'const m2: CheckRequest<"order"> = { principal: { id: "a", roles: [], attr: { team: 5 } }, resources: [] };',
  'const m3: CheckRequest<"order"> = { principal: { id: "a", roles: [], attr: { team: "a", teem: "b" } }, resources: [] };',
  'const m4: CheckRequest<"stock:item"> = { principal: { id: "a", roles: [] }, resources: [{ actions: ["move"], resource: { kind: "stock:item", id: "1" } }] };',
  'const m5: CheckRequest<"stock:item"> = { principal: { id: "a", roles: [] }, resources: [{ actions: ["move"], resource: { kind: "stock:item", id: "1", attr: { sku: "a", colour: "red" } } }] };',
  'const m6: CheckRequest<"stock:item"> = { principal: { id: "a", roles: [] }, resources: [{ actions: ["refund"], resource: { kind: "stock:item", id: "1", attr: { sku: "a" } } }] };',
  'const m7: CheckRequest = { principal: { id: "a", roles: [], attr: { team: "a" } }, resources: [{ actions: ["refund"], resource: { kind: "order", id: "1", attr: { status: "gone", lines: [] } } }] };',
  'const m8: CheckRequest = { principal: { id: "a", roles: [], attr: { team: "a" } }, resources: [{ actions: ["move"], resource: { kind: "order", id: "1", attr: { status: "open", lines: [] } } }] };',
  'const m9: CheckRequest = { principal: { id: "a", roles: [], attr: { team: "a" } }, resources: [{ actions: ["move"], resource: { kind: "stock:item", id: "1", attr: { sku: "a", status: "open" } } }] };',
  'declare const m10: IsAllowed; m10({ id: "a", roles: [] }, { kind: "stock:item", id: "1", attr: { sku: "a", parts: [{ sku: 1 }] } }, "move");',
];

describe("ten mistakes are ten errors, each on the line of its own:", () => {
  test.each([
    ["the tour", tour, tourMistakes],
    ["kinds with schemas", shop, shopMistakes],
    ["a library that embeds the policies", shop, doorMistakes],
  ])("%s", (_, declarations, mistakes) => {
    const errors = errorsOf(declarations, `${imports}${door}${mistakes.join("\n")}\nexport {};\n`);
    expect(errors.map((error) => Number(error.split(":", 1)[0]))).toEqual(mistakes.map((_mistake, index) => index + 4));
  });
});
