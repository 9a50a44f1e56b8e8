/** Schemas in built modules: attributes are validated by code that was made when the module was, and as servers do it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { load } from "../../src/embed/load.ts";
import { temporaryFolder } from "../server/harness.ts";
import { openBare } from "./modules.ts";

async function authz(...argv: readonly string[]) {
  let [out, err] = ["", ""];
  const code = await run([...argv], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: false,
    environment: {},
  });
  return { code, out, err };
}

const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: order
  version: default
  schemas:
    principalSchema: { ref: "authz:///user.json" }
    resourceSchema: { ref: "authz:///order.json", ignoreWhen: { actions: [create] } }
  rules: [{ actions: ["*"], effect: EFFECT_ALLOW, roles: [user] }]
`;
const user = { type: "object", properties: { team: { type: "string" } } };
const folderWith = (order: object): string =>
  temporaryFolder({ "p/order.yaml": policy, "p/_schemas/user.json": JSON.stringify(user), "p/_schemas/order.json": JSON.stringify(order) });

const draft = (year: string, rest: object): object => ({ $schema: `https://json-schema.org/draft/${year}/schema`, ...rest });

/** Schemas, each with attributes that fit and that do not. */
const cases: readonly (readonly [sentence: string, schema: object, attributes: readonly object[]])[] = [
  [
    "types",
    { type: "object", properties: { a: { type: "integer" }, b: { type: ["string", "null"] } } },
    [{ a: 1, b: null }, { a: 1.5, b: 5 }, { a: "x" }],
  ],
  ["what must be there", { type: "object", required: ["a", "constructor"] }, [{ a: 1 }, {}, { a: 1, constructor: 2 }]],
  [
    "an empty list behind one that has an item",
    { properties: { a: { items: { contains: { const: 1 } } } } },
    [{ a: [[1], []] }, { a: [[], [1]] }, { a: [[2], [1]] }, { a: [[1], [1]] }],
  ],
  [
    "items that `contains` evaluates in an alternative and behind a reference",
    {
      $defs: { two: { contains: { const: 2 } } },
      properties: {
        a: { items: { anyOf: [{ contains: { const: 1 } }, { $ref: "#/$defs/two" }], unevaluatedItems: false } },
        b: { not: { $ref: "#/$defs/two", unevaluatedItems: false } },
      },
    },
    [
      {
        a: [
          [1, 1],
          [2, 1],
        ],
      },
      { a: [[1, 3], [1]] },
      { b: [2, 2] },
      { b: [2, 1] },
    ],
  ],
  [
    "references that go by where they are asked from",
    {
      $defs: {
        easy: { $id: "https://example.com/easy", $dynamicAnchor: "n", properties: { kids: { items: { $dynamicRef: "#n" } } } },
        hard: {
          $id: "https://example.com/hard",
          $dynamicAnchor: "n",
          required: ["id"],
          properties: { kids: { items: { $dynamicRef: "#n" } } },
        },
      },
      properties: { a: { $ref: "https://example.com/easy" }, b: { $ref: "https://example.com/hard" } },
    },
    [
      { a: {}, b: { id: 1, kids: [{}] } },
      { a: { kids: [{}] }, b: { id: 1, kids: [{ id: 2 }] } },
    ],
  ],
  [
    "constants whose members are called as those of every object",
    {
      properties: {
        a: { const: { constructor: {} } },
        b: { enum: [1, { toString: null, valueOf: [] }] },
        c: { not: { const: { constructor: {} } } },
      },
    },
    [
      { a: { constructor: {} } },
      { a: { constructor: [] } },
      { b: { toString: null, valueOf: [] } },
      { b: { toString: null } },
      { c: { constructor: {} } },
    ],
  ],
  [
    "constants with a member that a literal of a program would take for a prototype",
    JSON.parse('{"properties":{"a":{"not":{"const":{"__proto__":{}}}},"b":{"enum":[{"__proto__":{"x":1}}]}}}'),
    [JSON.parse('{"a":{"__proto__":{}}}'), { a: {} }, JSON.parse('{"b":{"__proto__":{"x":1}}}'), { b: {} }],
  ],
  [
    "what may be there",
    { additionalProperties: false, properties: { a: {} }, patternProperties: { "^x-": { type: "string" } } },
    [{ a: 1 }, { b: 1 }, { "x-a": "" }, { "x-a": 1 }],
  ],
  [
    "numbers",
    { properties: { a: { multipleOf: 0.01, minimum: 0, exclusiveMaximum: 10 } } },
    [{ a: 19.99 }, { a: 1.005 }, { a: -1 }, { a: 9.99 }],
  ],
  ["texts", { properties: { a: { minLength: 2, maxLength: 3 } } }, [{ a: "\u{1F600}" }, { a: "\u{1F600}\u{1F600}" }, { a: "abcd" }]],
  [
    "lists",
    { properties: { a: { uniqueItems: true, maxItems: 3, items: { type: "number" } } } },
    [{ a: [1, 2] }, { a: [1, 1] }, { a: [1, "2", 3, 4] }],
  ],
  [
    "choices",
    { properties: { a: { enum: ["x", { y: [1] }] }, b: { const: null } } },
    [{ a: "x", b: null }, { a: { y: [1] } }, { a: { y: [2] }, b: 0 }],
  ],
  [
    "alternatives",
    { oneOf: [{ required: ["a"] }, { required: ["b"] }], anyOf: [{ required: ["a"] }, { required: ["c"] }] },
    [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }, {}],
  ],
  [
    "conditions",
    JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"not":{"required":["c"]}}}'),
    [{ a: 1 }, { a: 1, b: 2 }, { c: 1 }],
  ],
  [
    "patterns of every kind",
    { properties: { a: { pattern: "^[a-z]+(b|c)*$" }, b: { pattern: "^x" } } },
    [
      { a: "abc", b: "xy" },
      { a: "A", b: "yx" },
    ],
  ],
  [
    "formats",
    { properties: { a: { format: "date" }, b: { format: "email" }, c: { format: "regex" } } },
    [
      { a: "2024-02-30", b: "a@b.c", c: "(" },
      { a: "2024-02-29", b: "@", c: "a+" },
    ],
  ],
  [
    "a circle",
    draft("2020-12", {
      $defs: { node: { type: "object", properties: { of: { $ref: "#/$defs/node" } }, unevaluatedProperties: false } },
      $ref: "#/$defs/node",
    }),
    [{ of: { of: {} } }, { of: { of: { x: 1 } } }],
  ],
  ["another file", { properties: { a: { $ref: "user.json" } } }, [{ a: { team: "x" } }, { a: { team: 1 } }]],
  [
    "contents",
    draft("2019-09", {
      properties: { a: { contentEncoding: "base64", contentMediaType: "application/json", contentSchema: { required: ["x"] } } },
    }),
    [{ a: "eyJ4IjoxfQ==" }, { a: "e30=" }, { a: "x" }],
  ],
  [
    "an older draft",
    {
      $schema: "http://json-schema.org/draft-07/schema#",
      definitions: { t: { type: "string" } },
      properties: { a: { $ref: "#/definitions/t" } },
      dependencies: { a: ["b"] },
    },
    [{ a: "x", b: 1 }, { a: "x" }, { a: 1, b: 1 }],
  ],
  [
    "the oldest",
    { $schema: "http://json-schema.org/draft-04/schema#", properties: { a: { minimum: 1, exclusiveMinimum: true } } },
    [{ a: 1 }, { a: 2 }],
  ],
  ["names", { propertyNames: { maxLength: 2 }, minProperties: 1 }, [{ abc: 1 }, {}, { ab: 1 }]],
  [
    "strange words",
    { properties: { a: { enum: ['require("ajv/dist/runtime/equal").default', "\u2028</script>`${x}`"] } } },
    [{ a: 'require("ajv/dist/runtime/equal").default' }, { a: "x" }],
  ],
];

describe("a module without eval says what the library says that compiles at run time", () => {
  test.each(cases)("%s", async (_sentence, order, attributes) => {
    const folder = folderWith(order);
    const [policies, file] = [join(folder, "p"), join(folder, "m.mjs")];
    expect(await authz("build", policies, "-o", file, "--target", "worker", "--schemas", "reject")).toMatchObject({ code: 0, err: "" });
    const text = readFileSync(file, "utf8");
    const [module, library] = [openBare(text), await load(policies, { schemas: "reject" })];
    let found = 0;
    for (const attr of attributes)
      for (const actions of [["view"], ["create"], ["create", "view"]])
        for (const mine of [{ team: "x" }, { team: 5 }]) {
          const request = { principal: { id: "ann", roles: ["user"], attr: mine }, resource: { kind: "order", id: "1", attr }, actions };
          const answer = module.check(request);
          expect([request, answer]).toEqual([request, JSON.parse(JSON.stringify(library.check(request)))]);
          found += answer.validationErrors.length;
        }
    expect(found).toBeGreaterThan(0);
  });
});

describe("what a module does", () => {
  const request = { principal: { id: "ann", roles: ["user"] }, resource: { kind: "order", id: "1", attr: { a: "x" } }, actions: ["view"] };
  const order = { properties: { a: { type: "number" } } };
  test.each([
    ["reject", ["--schemas", "reject"], "", "EFFECT_DENY", 1],
    ["warn", ["--schemas", "warn"], "", "EFFECT_ALLOW", 1],
    ["none", ["--schemas", "none"], "", "EFFECT_ALLOW", 0],
    [
      "nobody said",
      [],
      "authz: warning: the policies refer to 2 schemas, and the module does not validate attributes: pass --schemas reject, warn or none\n",
      "EFFECT_ALLOW",
      0,
    ],
  ])("%s", async (_how, flags, err, effect, errors) => {
    const folder = folderWith(order);
    const file = join(folder, "m.mjs");
    expect(await authz("build", join(folder, "p"), "-o", file, "--target", "browser", ...flags)).toMatchObject({ code: 0, err });
    const { actions, validationErrors } = openBare(readFileSync(file, "utf8")).check(request);
    expect([actions["view"]?.effect, validationErrors.length]).toEqual([effect, errors]);
  });

  test("as the configuration of a server has it, where one is given", async () => {
    const folder = folderWith(order);
    const [file, config] = [join(folder, "m.mjs"), join(folder, "server.yaml")];
    writeFileSync(config, "schema: { enforcement: reject }\n");
    expect(await authz("build", join(folder, "p"), "-o", file, "--target", "worker", "--config", config)).toMatchObject({
      code: 0,
      err: "",
    });
    const module = openBare(readFileSync(file, "utf8"));
    expect(module.check(request).actions["view"]?.effect).toBe("EFFECT_DENY");
    // Nothing that a caller leaves out lets attributes pass.
    expect(
      module.run(
        "policies.open({ schemas: undefined }).isAllowed({ id: 'ann', roles: ['user'] }, { kind: 'order', id: '1', attr: { a: 'x' } }, 'view')",
      ),
    ).toBe(false);
    expect(module.run("policies.manifest.schemas")).toBe("reject");
  });

  test.each([
    [
      "a schema that cannot be used",
      folderWith({ type: 5 }),
      ["--target", "worker", "--ignore-schemas", "--schemas", "reject"],
      "the schema `authz:///order.json` cannot be used",
    ],
    ["schemas in a bundle for servers", folderWith({}), ["--schemas", "reject"], "a server uses its setting schema.enforcement"],
  ])("refused: %s", async (_sentence, folder, flags, says) => {
    const { code, err } = await authz("build", join(folder, "p"), "-o", join(folder, "m.mjs"), ...flags);
    expect([code, err]).toEqual([1, expect.stringContaining(says)]);
  });
});

test("a large value ends soon, and does not pass", async () => {
  const folder = folderWith({ properties: { a: { items: { anyOf: Array.from({ length: 60 }, (_, at) => ({ const: at })) } } } });
  const file = join(folder, "m.mjs");
  await authz("build", join(folder, "p"), "-o", file, "--target", "worker", "--schemas", "reject");
  const attr = { a: Array.from({ length: 200_000 }, () => -1) };
  const { actions, validationErrors } = openBare(readFileSync(file, "utf8")).check({
    principal: { id: "ann", roles: ["user"] },
    resource: { kind: "order", id: "1", attr },
    actions: ["view"],
  });
  expect(actions["view"]?.effect).toBe("EFFECT_DENY");
  expect(validationErrors.length).toBeGreaterThan(0);
});
