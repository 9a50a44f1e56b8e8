/** What nothing else in a schema has evaluated: names and items that only a branch speaks of which does not hold are among it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fetchText } from "../../src/outgoing/fetch-text.ts";
import { openSchemas } from "../../src/schemas/schemas.ts";
import { isValid, type Json, type Schema } from "./schema-oracle.ts";

/** Places that a schema finds something wrong with. */
async function wrong(schema: Schema, attributes: unknown): Promise<readonly string[]> {
  const schemas = openSchemas(new Map([["s.json", JSON.stringify(schema)]]), { allowRefs: ["store"], allowedHosts: [], fetchText });
  const [found = []] = await schemas.validate([{ ref: "authz:///s.json", attributes }]);
  return found.map(({ path }) => path);
}

/** A condition and what follows from it: an object that is written down with a `then` looks like a promise. */
const when = (condition: Schema, consequence: Schema): Schema =>
  JSON.parse(`{"if":${JSON.stringify(condition)},"then":${JSON.stringify(consequence)}}`);

describe.each(["2020-12", "2019-09"])("what counts as evaluated in %s", (draft) => {
  const only = (schema: Schema): Schema => ({
    $schema: `https://json-schema.org/draft/${draft}/schema`,
    properties: { v: { ...(schema as object), unevaluatedProperties: false, unevaluatedItems: false } },
  });
  const list = draft === "2019-09" ? "items" : "prefixItems";

  test.each<readonly [sentence: string, schema: Schema, value: unknown, wanted: readonly string[]]>([
    ["nothing by a condition that does not hold", when({ properties: { a: { const: 1 } } }, { required: ["b"] }), { a: 2 }, ["/v/a"]],
    ["what a condition that holds speaks of", when({ properties: { a: { const: 1 } } }, { required: ["a"] }), { a: 1 }, []],
    ["that also where nothing follows", { if: { properties: { a: { const: 1 } } } }, { a: 1 }, []],
    ["and nothing where it does not hold", { if: { properties: { a: { const: 1 } } } }, { a: 2 }, ["/v/a"]],
    ["no items by a condition that does not hold", when({ [list]: [{ const: 1 }] }, { minItems: 1 }), [2], ["/v/0"]],
    ["no items by an alternative that does not hold", { anyOf: [{ [list]: [true, true], minItems: 9 }, { minItems: 1 }] }, [1, 2], ["/v/0", "/v/1"]],
    ["all items by an alternative that holds", { anyOf: [{ [draft === "2019-09" ? "additionalItems" : "items"]: true, [list]: [true] }, false] }, [1, 2, 3], []],
    ["names by a pattern after an alternative that does not hold", { anyOf: [{ additionalProperties: true, required: ["z"] }, { required: ["a"] }], patternProperties: { "^a": true } }, { a: 1, b: 1 }, ["/v/b"]],
    ["all names by an alternative that holds, whatever a pattern says", { anyOf: [{ additionalProperties: true }, false], patternProperties: { "^a": true } }, { a: 1, b: 1 }, []],
    ["nothing by one of several that does not hold", { oneOf: [{ properties: { a: { const: 1 } } }, { required: ["a"] }] }, { a: 2 }, ["/v/a"]],
    ["nothing by what depends on a name that is not there", { dependentSchemas: { z: { properties: { a: true } } } }, { a: 2 }, ["/v/a"]],
  ])("%s", async (_, schema, value, wanted) => {
    expect(await wrong(only(schema), { v: value })).toEqual(wanted);
  }); // prettier-ignore

  test("each item of a list by itself, whatever fitted the one before it", async () => {
    const item = {
      anyOf: [
        { required: ["x"], properties: { x: true, a: true } },
        { required: ["y"], properties: { y: true } },
      ],
      unevaluatedProperties: false,
    };
    const schema = { $schema: `https://json-schema.org/draft/${draft}/schema`, properties: { v: { items: item } } };
    expect(await wrong(schema, { v: [{ x: 1, a: 1 }, { y: 1, a: 1 }] })).toEqual(["/v/1/a"]); // prettier-ignore
  });
});

test.each([
  "http://json-schema.org/draft-06/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
])("a list without items contains nothing, whatever the list before it contains: %s", async ($schema) => {
  const within = (inner: object): object => ({ $schema, properties: { v: inner } });
  const some = { contains: { const: 1 } };
  expect(await wrong(within({ items: some }) as Schema, { v: [[1], []] })).toEqual(["/v/1"]);
  expect(await wrong(within({ additionalProperties: some }) as Schema, { v: { a: [1], b: [] } })).toEqual(["/v/b"]);
  expect(await wrong(within({ items: { not: some } }) as Schema, { v: [[], []] })).toEqual([]);
});

test("a list may contain nothing where none is enough", async () => {
  const schema = { properties: { v: { items: { contains: { const: 1 }, minContains: 0, maxContains: 1 } } } };
  expect(await wrong(schema as Schema, { v: [[1], [], [2], [1, 1]] })).toEqual(["/v/3"]);
});

test("a name with a slash is written as JSON pointers write it", async () => {
  expect(await wrong({ unevaluatedProperties: { type: "string" } }, { "a/b~": 1 })).toEqual(["/a~1b~0"]);
});

describe("an item that `contains` holds for is evaluated, wherever that stands about the list itself", () => {
  const text = { contains: { type: "string" } } as const;
  const lists: readonly (readonly [value: Json, leftOver: readonly string[]])[] = [
    [["a", "b"], []],
    [
      ["a", 1, "b", 2],
      ["/v/1", "/v/3"],
    ],
  ];
  test.each<readonly [where: string, schema: Schema, others?: Schema]>([
    ["in the schema", text],
    ["in a part of it", { allOf: [true, { allOf: [text] }] }],
    ["in an alternative", { anyOf: [{ maxItems: 1 }, text] }],
    ["in one of several", { oneOf: [{ type: "object" }, text] }],
    ["in a condition", { if: text }],
    ["in a condition that something follows from", when(text, { minItems: 2 })],
    ["in what follows", when({ minItems: 2 }, text)],
    ["in what follows from the contrary", { if: { maxItems: 1 }, else: text }],
    ["behind a reference", { $ref: "#/$defs/d" }, { $defs: { d: text } }],
    ["behind two", { $ref: "#/$defs/d" }, { $defs: { d: { $ref: "#/$defs/e" }, e: { anyOf: [false, text] } } }],
    ["behind a reference in an alternative", { anyOf: [false, { $ref: "#/$defs/d" }] }, { $defs: { d: { if: text } } }],
    ["behind a reference to the document as it is extended", { $dynamicRef: "#n" }, { $dynamicAnchor: "n", ...(when({ type: "array" }, text) as object) }],
    ["where none is enough", { ...text, minContains: 0 }],
    ["where one is enough, and more are there", { ...text, minContains: 1, maxContains: 3 }],
    ["in two places, some of the items each", { anyOf: [{ contains: { const: "a" } }, { contains: { const: "b" } }] }],
  ])("%s", async (_, schema, others = {}) => {
    const document = (of: Schema): Schema => ({ ...(others as object), properties: { v: of, w: { items: of } } });
    const whole = { ...(schema as object), unevaluatedItems: false };
    for (const [value, leftOver] of lists) {
      const places = new Set(await wrong(document(whole), { v: value }));
      expect([...places]).toEqual(leftOver);
      expect(await wrong(document({ not: whole }), { v: value })).toEqual(leftOver.length === 0 ? ["/v"] : []);
      // Of each list by itself, whatever is known of the one before.
      const within = await wrong(document({ not: { not: whole } }), { w: [["a", "a"], value, ["b", "b"], value] });
      expect(within).toEqual(leftOver.length === 0 ? [] : ["/w/1", "/w/3"]);
    }
  }); // prettier-ignore

  test.each<readonly [where: string, schema: Schema]>([
    ["an alternative that does not hold", { anyOf: [{ ...text, maxItems: 1 }, true] }],
    ["a condition that does not hold", { if: { ...text, maxItems: 1 } }],
    ["what is excluded", { not: { not: text } }],
    ["a list that contains too many", { anyOf: [{ ...text, maxContains: 1 }, true] }],
    ["a list within the list", { contains: { type: "array", ...text }, minContains: 0 }],
    ["a reference that does not hold", { anyOf: [{ $ref: "#/properties/never" }, true] }],
  ])("but not in %s", async (_, schema) => {
    const never: Schema = { allOf: [text, { maxItems: 1 }] };
    const root: Schema = { properties: { never, v: { allOf: [schema], unevaluatedItems: false } } };
    expect(await wrong(root, { v: ["a", "b"] })).not.toEqual([]);
  });
});

const leaf: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(
  true,
  true,
  { const: 1 },
  { type: "string" },
  { type: "number" },
  false,
  // What lies deeper may ask about the whole, and for lists within lists.
  { $ref: "#" },
  { $ref: "#/$defs/d" },
  { anyOf: [{ $dynamicRef: "#n" }, { contains: { const: 2 } }], unevaluatedItems: false },
);
const byName = (names: readonly string[], of: fc.Arbitrary<Schema>): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...names), of, { maxKeys: 2, noNullPrototype: true });

/** Words that make a schema hold or not, and words that evaluate. */
const plainWords: { readonly [word: string]: fc.Arbitrary<unknown> } = {
  type: fc.constantFrom("object", "array"),
  required: fc.subarray(["a", "b", "c"], { maxLength: 1 }),
  minProperties: fc.integer({ min: 1, max: 3 }),
  minItems: fc.integer({ min: 1, max: 3 }),
  maxItems: fc.integer({ min: 0, max: 3 }),
  properties: byName(["a", "b", "c"], leaf),
  patternProperties: byName(["^a", "^[bc]"], leaf),
  additionalProperties: leaf,
  prefixItems: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  items: leaf,
  contains: leaf,
  unevaluatedProperties: leaf,
  unevaluatedItems: leaf,
};
/** How many items `contains` has to hold for. */
const bounds = fc.record(
  { minContains: fc.integer({ min: 0, max: 2 }), maxContains: fc.integer({ min: 0, max: 3 }) },
  { requiredKeys: [] },
);
const branchWords = (inner: fc.Arbitrary<Schema>): typeof plainWords => ({
  ...Object.fromEntries(["allOf", "anyOf", "oneOf"].map((word) => [word, fc.array(inner, { minLength: 2, maxLength: 2 })])),
  ...Object.fromEntries(["not", "if", "then", "else"].map((word) => [word, inner])),
  dependentSchemas: byName(["a", "b"], inner),
  $ref: fc.constant("#/$defs/d"),
});

/** Schemas of a few words each, because of many something always fails. */
const ofWords = (words: typeof plainWords, most: number): fc.Arbitrary<{ readonly [word: string]: unknown }> =>
  fc
    .subarray(Object.keys(words), { maxLength: most })
    .chain((names) => fc.tuple(fc.record(Object.fromEntries(names.map((name) => [name, words[name] ?? leaf]))), bounds))
    .map(([schema, bound]) => ({ ...schema, ...(Object.hasOwn(schema, "contains") && bound) }));

function schemas(depth: number): fc.Arbitrary<Schema> {
  const plain = ofWords(plainWords, 2);
  if (depth === 0) return plain;
  return fc.tuple(plain, ofWords(branchWords(schemas(depth - 1)), 3)).map(([some, branches]) => ({ ...some, ...branches }));
}

const scalar = fc.constantFrom<Json>(1, 2, "a", true);
const fields = fc.dictionary(fc.constantFrom("a", "b", "c", "x"), scalar, { maxKeys: 4, noNullPrototype: true });
const items = fc.array(fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(scalar, { maxLength: 3 })), { maxLength: 4 });

test("whatever the schema, what is valid is what the letter of the standard says", async () => {
  const v = schemas(2).map((schema): Schema => ({ ...(schema as object), unevaluatedProperties: false, unevaluatedItems: false }));
  /** What the whole says of lists: it is an object itself. */
  const ofLists = ofWords(
    { prefixItems: fc.array(leaf, { minLength: 1, maxLength: 2 }), items: leaf, contains: leaf, unevaluatedItems: leaf },
    2,
  );
  const values = fc.array(fc.oneof(fields, items), { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(v, schemas(0), ofLists, values, async (schema, d, lists, values) => {
      const root: Schema = { $dynamicAnchor: "n", $defs: { d }, properties: { v: { items: schema } }, ...lists };
      const expected = values.map((value) => isValid(schema, value, root));
      const found = await wrong(root, { v: values });
      expect(values.map((_value, at) => !found.some((path) => path === `/v/${at}` || path.startsWith(`/v/${at}/`)))).toEqual(expected);
    }),
    {
      numRuns: Number(process.env["AUTHZ_SCHEMA_RUNS"] ?? 300),
      // What is known of an object is nothing known of the list after it.
      examples: [
        [
          { allOf: [{ dependentSchemas: { a: { unevaluatedItems: true } } }], unevaluatedProperties: false, unevaluatedItems: false },
          {},
          {},
          [{ a: 1 }, [1]],
        ],
      ],
    },
  );
});
