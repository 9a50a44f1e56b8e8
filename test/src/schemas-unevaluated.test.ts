/** What nothing else in a schema has evaluated: names and items that only a branch speaks of which does not hold are among it. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fetchText } from "../../src/texts/fetch-text.ts";
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

const leaf: fc.Arbitrary<Schema> = fc.constantFrom<Schema>(true, true, { const: 1 }, { type: "string" }, { type: "number" }, false);
const byName = (names: readonly string[], of: fc.Arbitrary<Schema>): fc.Arbitrary<unknown> =>
  fc.dictionary(fc.constantFrom(...names), of, { maxKeys: 2, noNullPrototype: true });

/** Words that make a schema hold or not, and words that evaluate. */
const plainWords: { readonly [word: string]: fc.Arbitrary<unknown> } = {
  type: fc.constantFrom("object", "array"),
  required: fc.subarray(["a", "b", "c"], { maxLength: 1 }),
  minProperties: fc.integer({ min: 1, max: 3 }),
  minItems: fc.integer({ min: 1, max: 3 }),
  properties: byName(["a", "b", "c"], leaf),
  patternProperties: byName(["^a", "^[bc]"], leaf),
  additionalProperties: leaf,
  prefixItems: fc.array(leaf, { minLength: 1, maxLength: 3 }),
  items: leaf,
  unevaluatedProperties: leaf,
  unevaluatedItems: leaf,
};
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
    .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, words[name] ?? leaf]))));

function schemas(depth: number): fc.Arbitrary<Schema> {
  const plain = ofWords(plainWords, 2);
  if (depth === 0) return plain;
  return fc.tuple(plain, ofWords(branchWords(schemas(depth - 1)), 3)).map(([some, branches]) => ({ ...some, ...branches }));
}

const scalar = fc.constantFrom<Json>(1, 2, "a", true);
const fields = fc.dictionary(fc.constantFrom("a", "b", "c", "x"), scalar, { maxKeys: 4, noNullPrototype: true });
const items = fc.array(scalar, { maxLength: 4 });

test("whatever the schema, what is valid is what the letter of the standard says", async () => {
  const v = schemas(2).map((schema): Schema => ({ ...(schema as object), unevaluatedProperties: false, unevaluatedItems: false }));
  await fc.assert(
    fc.asyncProperty(v, schemas(0), fc.array(fc.oneof(fields, items), { minLength: 4, maxLength: 8 }), async (schema, d, values) => {
      const root: Schema = { $defs: { d }, properties: { v: { items: schema } } };
      const expected = values.map((value) => isValid(schema, value, root));
      const found = await wrong(root, { v: values });
      expect(values.map((_value, at) => !found.some((path) => path === `/v/${at}` || path.startsWith(`/v/${at}/`)))).toEqual(expected);
    }),
    {
      numRuns: 300,
      // What is known of an object is nothing known of the list after it.
      examples: [
        [
          { allOf: [{ dependentSchemas: { a: { unevaluatedItems: true } } }], unevaluatedProperties: false, unevaluatedItems: false },
          {},
          [{ a: 1 }, [1]],
        ],
      ],
    },
  );
});
