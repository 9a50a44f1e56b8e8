/** JSON Schema -> TypeScript, a row for each thing that a schema can say. */
import { describe, expect, test } from "vitest";
import { printType } from "../../src/types/print-type.ts";
import { openReferences } from "../../src/types/references.ts";
import { openSchemaDocuments } from "../../src/types/schema-documents.ts";
import { errorsOf } from "./compiler.ts";

/** Returns the types of a schema and of what it refers to, each on one line. */
function printed(schema: unknown, others: { readonly [path: string]: unknown } = {}): readonly string[] {
  const files = new Map(Object.entries({ "root.json": schema, ...others }).map(([path, each]) => [path, JSON.stringify(each)]));
  const references = openReferences(openSchemaDocuments(files));
  references.typeOfReference("authz:///root.json");
  return references.namedTypes().map(({ name, type }) => `${name} = ${printType(type, "").replaceAll(/\s+/g, " ")}`);
}

describe("a schema is as a type:", () => {
  // oxfmt-ignore
  const rows: readonly (readonly [says: string, schema: unknown, type: string])[] = [
    ["a text",                          { type: "string", format: "email", pattern: "^a" },                  "string"],
    ["a whole number",                  { type: "integer", minimum: 3 },                                    "number"],
    ["or nothing",                      { type: ["string", "null"] },                                       "string | null"],
    ["anything",                        {},                                                                 "unknown"],
    ["anything, in short",              true,                                                               "unknown"],
    ["nothing at all",                  false,                                                              "never"],
    ["one of some values",              { enum: ["a", 1, true, null, -2.5] },                               '"a" | 1 | true | null | -2.5'],
    ["one value",                       { const: "a\"b" },                                                  String.raw`"a\"b"`],
    ["one object",                      { const: { a: [1] } },                                              "{ readonly a: readonly [1]; }"],
    ["a word that includes a value",    { anyOf: [{ const: "a" }, { type: "string" }] },                     "string"],
    ["members",                         { type: "object", required: ["a"], properties: { a: { type: "string" }, b: { type: "number" } } }, "{ readonly a: string; readonly b?: number; }"],
    ["members without the word object", { properties: { a: { type: "string" } } },                          "{ readonly a?: string; }"],
    ["members that are only required",  { type: "object", required: ["a"] },                                "{ readonly a: unknown; }"],
    ["an object of anything",           { type: "object" },                                                 "{ readonly [name: string]: unknown; }"],
    ["an object of nothing",            { type: "object", additionalProperties: false },                    "{ readonly [name: string]: never }"],
    ["no other members",                { properties: { a: { type: "string" } }, additionalProperties: false }, "{ readonly a?: string; }"],
    ["any other members",               { properties: { a: { type: "string" } }, additionalProperties: true }, "{ readonly a?: string; readonly [name: string]: unknown; }"],
    ["members of one type",             { additionalProperties: { type: "number" } },                       "{ readonly [name: string]: number; }"],
    ["members beside others",           { properties: { a: { type: "string" } }, additionalProperties: { type: "number" } }, "{ readonly a?: string; readonly [name: string]: string | number | undefined; }"],
    ["members by patterns",             { patternProperties: { "^x": { type: "number" } }, additionalProperties: false }, "{ readonly [name: string]: number; }"],
    ["names that are no identifiers",   { properties: { "a-b": {}, "1": {}, "": {} } },                     '{ readonly "1"?: unknown; readonly "a-b"?: unknown; readonly ""?: unknown; }'],
    ["a list",                          { type: "array", items: { type: "string" } },                       "readonly string[]"],
    ["a list of lists",                 { type: "array", items: { type: "array", items: { enum: [1, 2] } } }, "readonly (readonly (1 | 2)[])[]"],
    ["a list of anything",              { type: "array" },                                                  "readonly unknown[]"],
    ["places of a list",                { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 1 }, "readonly [string, number?, ...unknown[]]"],
    ["places, and no others",           { prefixItems: [{ type: ["string", "null"] }], items: false },      "readonly [(string | null)?]"],
    ["places of the older drafts",      { $schema: "http://json-schema.org/draft-07/schema#", items: [{ type: "string" }], additionalItems: { type: "number" }, minItems: 9 }, "readonly [string, ...number[]]"],
    ["either",                          { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] }, "string | (readonly string[])"],
    ["either, and members besides",     { properties: { a: { type: "string" } }, anyOf: [{ required: ["a"] }, { required: ["b"] }] }, "{ readonly a?: string; } & ({ readonly a: unknown; } | { readonly b: unknown; })"],
    ["all of them",                     { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },  "{ readonly a?: unknown; } & { readonly b?: unknown; }"],
    ["no members but those of another", { type: "object", allOf: [{ properties: { a: {} } }, { required: ["b"] }], unevaluatedProperties: false }, "{ readonly a?: unknown; } & { readonly b: unknown; }"],
    ["members of one type, beside those of another", { type: "object", allOf: [{ properties: { a: { type: "string" } } }], unevaluatedProperties: { type: "number" } }, "{ readonly [name: string]: unknown; } & { readonly a?: string; }"],
    ["members under conditions",        JSON.parse('{"properties":{"a":{"type":"string"}},"if":{"required":["a"]},"then":{"properties":{"a":true,"b":{"type":"number"}}},"else":{"properties":{"c":{}}},"dependentSchemas":{"a":{"properties":{"d":{}}}}}'), "{ readonly a?: string; readonly b?: unknown; readonly c?: unknown; readonly d?: unknown; }"],
    ["what cannot be said",             { not: { type: "string" } },                                        "unknown"],
    ["what no draft knows",             { type: "text" },                                                   "unknown"],
    ["what nobody has",                 { $ref: "nowhere.json" },                                           "unknown"],
    ["what is elsewhere",               { $ref: "https://example.com/a.json" },                             "unknown"],
  ];

  test.each(rows)("%s", (_, schema, type) => {
    expect(printed(schema)).toEqual([`Root = ${type}`]);
  });

  test("and each of these types is one for the compiler", () => {
    expect(errorsOf(rows.map(([, , type], index) => `export type Row${index} = ${type};`).join("\n"))).toEqual([]);
  });
});

describe("references", () => {
  test("are types of their own, in whatever circles they go", () => {
    const types = printed(
      {
        $defs: {
          node: { properties: { next: { $ref: "#/$defs/node" }, tree: { $ref: "#" } } },
          "a/b": { $anchor: "named", type: "string" },
        },
        properties: {
          first: { $ref: "#/$defs/node" },
          name: { $ref: "#named" },
          other: { $ref: "other.json#/$defs/node" },
          path: { $ref: "#/$defs/a~1b" },
        },
      },
      { "other.json": { $defs: { node: { type: "array", items: { $ref: "root.json" } } } } },
    );
    expect(types).toEqual([
      "Root = { readonly first?: Node; readonly name?: Named; readonly other?: Node_2; readonly path?: AB; }",
      "Node = { readonly next?: Node; readonly tree?: Root; }",
      "Named = string",
      "Node_2 = readonly Root[]",
      "AB = string",
    ]);
    expect(errorsOf(types.map((type) => `export type ${type};`).join("\n"))).toEqual([]);
  });

  test("that only go in a circle say nothing", () => {
    const types = printed({ $ref: "b.json" }, { "b.json": { anyOf: [{ $ref: "root.json" }, { type: "string" }] } });
    expect(errorsOf(types.map((type) => `export type ${type};`).join("\n"))).toEqual([]);
    expect(types[0]).toBe("Root = unknown");
  });
});
