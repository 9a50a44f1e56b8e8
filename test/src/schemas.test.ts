/** Attributes against schemas: what is found wrong and where, where schemas may come from, and that nothing can make it slow. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { openSchemasCheck } from "../../src/schemas/check.ts";
import { fetchText } from "../../src/outgoing/fetch-text.ts";
import { loadSchema } from "../../src/schemas/load.ts";
import { openSchemas, type Schemas } from "../../src/schemas/schemas.ts";

const open = (files: Readonly<Record<string, unknown>>, places: Partial<Parameters<typeof openSchemas>[1]> = {}): Schemas =>
  openSchemas(
    new Map(Object.entries(files).map(([path, schema]) => [path, typeof schema === "string" ? schema : JSON.stringify(schema)])),
    {
      allowRefs: ["store"],
      allowedHosts: [],
      fetchText,
      ...places,
    },
  );

/** What one schema finds wrong with attributes, as lines `path message`. */
async function findings(schemas: Schemas, ref: string, attributes: unknown): Promise<readonly string[]> {
  const [found = []] = await schemas.validate([{ ref, attributes }]);
  return found.map(({ path, message }) => `${path} ${message}`.trim());
}
const wrong = (schema: unknown, attributes: unknown): Promise<readonly string[]> =>
  findings(open({ "s.json": schema }), "authz:///s.json", attributes);

describe("what is wrong, and where", () => {
  const object = { type: "object", required: ["n", "o"], properties: { n: { type: "integer" } }, additionalProperties: false };
  test.each<readonly [sentence: string, schema: unknown, attributes: unknown, wanted: readonly string[]]>([
    ["nothing", object, { n: 1.0, o: 1 }, ["/ `o` is not allowed"]],
    ["every missing property, one by one", object, {}, ["/ `n` is missing", "/ `o` is missing"]],
    [
      "every additional property, one by one",
      { additionalProperties: false },
      { a: 1, b: 2 },
      ["/ `a` is not allowed", "/ `b` is not allowed"],
    ],
    ["a value of another kind", object, { n: "1", o: null }, ["/ `o` is not allowed", "/n must be a whole number, not a string"]],
    [
      "a name that a pointer must escape",
      { properties: { "a/b~c": { type: "string" } } },
      { "a/b~c": 1 },
      ["/a~1b~0c must be a string, not a number"],
    ],
    [
      "each alternative's own problem",
      { properties: { v: { anyOf: [{ type: "string" }, { minimum: 3 }] } } },
      { v: 1 },
      ["/v must be a string, not a number", "/v must be at least 3"],
    ],
    [
      "too many alternatives that fit",
      { properties: { v: { oneOf: [{ type: "string" }, { minLength: 2 }, { type: "number" }] } } },
      { v: "ab" },
      ["/v must fit exactly one of the alternatives, and fits those at 0 and 1"],
    ],
    [
      "what a condition leads to",
      '{"properties":{"v":{"if":{"type":"string"},"then":{"minLength":3},"else":{"minimum":3}}}}',
      { v: "ab" },
      ["/v must have at least 3 characters"],
    ],
    [
      "items that none is like",
      { properties: { v: { contains: { type: "string" } } } },
      { v: [1, {}] },
      ["/v/0 must be a string, not a number", "/v/1 must be a string, not an object"],
    ],
    [
      "items that none is like, of which there may not be many either",
      { properties: { v: { contains: { const: 1 }, maxContains: 1 } } },
      { v: [2, "1"] },
      ["/v/0 must be `1`", "/v/1 must be `1`"],
    ],
    [
      "too many items that are alike",
      { properties: { v: { contains: { const: 1 }, maxContains: 1 } } },
      { v: [2, 1, 1] },
      ["/v must have from 1 to 1 item of the kind that the schema asks for"],
    ],
    [
      "a list that lacks an item",
      { properties: { v: { contains: { type: "string" } } } },
      { v: [] },
      ["/v must have at least 1 item of the kind that the schema asks for"],
    ],
    [
      "a list that is shorter than the tuple, and what else it must not be",
      '{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":{"not":{"items":[{"type":"string"}],"contains":{"maximum":1}}}}',
      { v: [], w: [1], x: ["a"] },
      ["/x is what the schema excludes"],
    ],
    [
      "the same where it decides about another",
      '{"properties":{"v":{"if":{"prefixItems":[{"type":"string"}],"contains":{"const":1}},"then":false}}}',
      { v: [] },
      [],
    ],
    [
      "lists that must lack an item, an empty one among them",
      '{"properties":{"v":{"items":{"not":{"contains":{"const":1},"maxItems":2,"items":{"type":"number"}}}}}}',
      { v: [[], [1], [], [2]] },
      ["/v/1 is what the schema excludes"],
    ],
    [
      "an empty list among the values of an object, of an older draft",
      '{"$schema":"http://json-schema.org/draft-07/schema#","additionalProperties":{"properties":{"v":{"contains":{"maxLength":1}}}}}',
      { a: { v: ["x"] }, b: { v: [] }, c: { v: ["xx"] } },
      ["/b/v must have at least 1 item of the kind that the schema asks for", "/c/v/0 must have at most 1 character"],
    ],
    ["the names of properties", { propertyNames: { minLength: 3 } }, { a: 1, abc: 2 }, ["/a the name must have at least 3 characters"]],
    ["properties that nothing speaks of", { properties: { a: true }, unevaluatedProperties: false }, { a: 1, b: 2 }, ["/b is not allowed"]],
    [
      "items that nothing speaks of",
      { properties: { v: { prefixItems: [true], items: false } } },
      { v: [1, 2, 3] },
      ["/v/1 is not allowed: the list has too many items", "/v/2 is not allowed: the list has too many items"],
    ],
    [
      "properties that others ask for",
      { dependentRequired: { a: ["b", "c"] } },
      { a: 1 },
      ["/ `b` is missing, which `a` asks for", "/ `c` is missing, which `a` asks for"],
    ],
    [
      "a text that is not what its format says",
      { properties: { v: { format: "date" } } },
      { v: "2025-02-29" },
      ["/v must be a date such as 2025-01-31"],
    ],
    ["a text that is not base64", { properties: { v: { contentEncoding: "base64" } } }, { v: "!" }, ["/v must be base64"]],
    [
      "nothing in base64 that is broken into lines, as letters have it",
      { properties: { v: { contentEncoding: "base64", contentMediaType: "application/json" } } },
      { v: "eyJh\r\nIjoxfQ=\n=\n" },
      [],
    ],
    ["a text of base64 with a space", { properties: { v: { contentEncoding: "base64" } } }, { v: "YWI =" }, ["/v must be base64"]],
    ["a text that does not hold JSON", { properties: { v: { contentMediaType: "application/json" } } }, { v: "{" }, ["/v must hold JSON"]],
    [
      "JSON inside of a text",
      { properties: { v: { contentMediaType: "application/json", contentSchema: { required: ["q"] } } } },
      { v: "{}" },
      ["/v `q` is missing"],
    ],
    [
      "items that are equal as JSON, nothing among them",
      { properties: { v: { uniqueItems: true } } },
      { v: [{ a: null }, null, { a: null }] },
      ["/v must not repeat an item: those at 0 and 2 are equal"],
    ],
    ["nothing beside an empty object, which are not equal", { properties: { v: { uniqueItems: true } } }, { v: [null, {}, []] }, []],
    [
      "items that are equal as JSON",
      { properties: { v: { uniqueItems: true } } },
      { v: [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }] },
      ["/v must not repeat an item: those at 0 and 2 are equal"],
    ],
    ["a number that is no multiple", { properties: { v: { multipleOf: 0.01 } } }, { v: 19.995 }, ["/v must be a multiple of 0.01"]],
    ["nothing where decimals divide and binary fractions would not", { properties: { v: { multipleOf: 0.01 } } }, { v: 19.99 }, []],
    ["nothing where decimals divide beyond 53 bits", { properties: { v: { multipleOf: 1e20 } } }, { v: 1e308 }, []],
    [
      "a number beyond 53 bits that is no multiple as it is written",
      { properties: { v: { multipleOf: 1024 } } },
      { v: 2 ** 70 },
      ["/v must be a multiple of 1024"],
    ],
    ["a value out of a list", { properties: { v: { enum: ["a", 1] } } }, { v: "b" }, ["/v must be one of `a`, `1`"]],
    [
      "a type, and nothing else of a value that has another",
      {
        $defs: { z: { enum: ["z"] } },
        properties: {
          choice: { type: "string", enum: ["a"] },
          constant: { type: ["string", "null"], const: "a" },
          all: { type: "string", allOf: [{ type: "boolean" }, { enum: ["a"] }] },
          any: { type: "string", anyOf: [{ minimum: 7 }, { type: "boolean" }], not: { type: "number" } },
          number: { type: "string", minimum: 7 },
          whole: { type: "integer", minimum: 7, enum: [8] },
          case: { type: "string", if: { type: "string" }, else: { minimum: 7 } },
          reference: { type: "string", $ref: "#/$defs/z" },
          items: { items: { type: "string", enum: ["a"] } },
          fields: { type: "string", properties: { a: false }, required: ["b"], unevaluatedProperties: false },
          right: { type: "number", minimum: 7, enum: [8] },
        },
      },
      { choice: 5, constant: 5, all: 5, any: 5, number: 5, whole: 5.5, case: 5, reference: 5, items: [5], fields: { a: 1 }, right: 5 },
      [
        ...["choice", "all", "any", "number", "case", "reference", "items/0"].map((at) => `/${at} must be a string, not a number`),
        "/constant must be a string or null, not a number",
        "/whole must be a whole number, not a number",
        "/fields must be a string, not an object",
        "/right must be at least 7",
        "/right must be one of `8`",
      ],
    ],
    [
      "nothing in words that are no JSON Schema",
      { nullable: true, $async: true, wibble: 1, properties: { v: { format: "wobble" } } },
      { v: "x" },
      [],
    ],
    [
      "a `null` that only other dialects would take",
      { properties: { v: { type: "string", nullable: true } } },
      { v: null },
      ["/v must be a string, not null"],
    ],
    ["anything, by the schema `false`", false, {}, ["/ is not allowed"]],
    ["nothing, by the schema `true`", true, { a: 1 }, []],
  ])("%s", async (_sentence, schema, attributes, wanted) => {
    expect([...(await wrong(schema, attributes))].sort()).toEqual([...wanted].sort());
  });

  test.each<readonly [format: string, good: readonly string[], bad: readonly string[]]>([
    [
      "date-time",
      ["2020-01-01t10:00:00z", "1998-12-31T15:59:60-08:00"],
      ["2020-01-01 10:00:00Z", "2020-01-01T10:00:00+0100", "2020-01-01T10:00:60Z"],
    ],
    [
      "date",
      ["2020-02-29", "2000-02-29", "2021-12-31"],
      ["2021-02-29", "1900-02-29", "2021-04-31", "2021-01-00", "2021-13-01", "2021-00-01", "2021-1-01"],
    ],
    [
      "time",
      ["10:00:00Z", "23:59:60Z", "23:59:59.5+23:59"],
      ["10:00:00", "24:00:00Z", "22:59:60Z", "10:60:00Z", "10:00:61Z", "23:59:61Z", "10:00:00+24:00", "10:00:00+01:60", "10:00:00.Z"],
    ],
    [
      "duration",
      ["P1D", "P4W", "PT36H", "P1YT1S"],
      ["P", "PT", "P1Y2W", "P1W1D", "PW", "P1WT1H", "P1", "P1D2", "PD", "PT1", "PT1S1M", "P1DT1D", "P1.5D", "P1M1Y", "1D"],
    ],
    [
      "period",
      ["2020-01-01T10:00:00Z/2020-01-02T10:00:00Z", "2020-01-01T10:00:00Z/P1D", "P1D/2020-01-01T10:00:00Z"],
      ["x", "2020-01-01T10:00:00Z", "P1D/P1D", "P/2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z/P", "2020-01-01/2020-01-02", "/", ""],
    ],
    [
      "email",
      ["a@b", "é@b.c", '"a b"@c.d', "a@[127.0.0.1]", "a@[IPv6:::1]", `${"a".repeat(64)}@b`, `a@${"b.".repeat(125)}cc`],
      [
        "a b@c",
        '"a"b@c',
        'b"a"@c',
        "@b",
        "a@",
        "a..b@c",
        "a@[127.0.0]",
        "a@[IPv6:::z]",
        "a@b.",
        '""@c',
        `${"a".repeat(65)}@b`,
        `${"a".repeat(5)}@${"b.".repeat(124)}c`,
      ],
    ],
    [
      "hostname",
      ["a.", "a-b.c", `${"a".repeat(63)}.b`, `${"a.".repeat(126)}a`],
      ["a_b", "-a", "a-.b", "", ".", "a..b", `${"a".repeat(64)}.b`, `${"a.".repeat(126)}aa`],
    ],
    ["ipv4", ["127.0.0.1", "255.255.255.255"], ["01.2.3.4", "1.2.3", "1.2.3.", "256.1.1.1", "1.2.3.4.5", " 1.2.3.4"]],
    [
      "ipv6",
      ["::1", "::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"],
      [
        "::1%eth0",
        "1::2::3",
        ":::",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "::1.2.3.256",
        "1.2.3.4::",
        "::g",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:1.2.3.4",
      ],
    ],
    [
      "uri",
      [
        "a:b",
        "http://é/x",
        "http://[::1]:80/",
        "http://[::1]:65535",
        "http://a:80/b:c",
        "http://a@b:1",
        "http://a:b%20@c@d/",
        "http://%c3%a9/",
      ],
      [
        "abc",
        "http://a b",
        "http://a b@c",
        "http://a<b@c",
        "http://[::1]@c",
        "http://é@c",
        "http://a%20b/",
        "http://a:x",
        "http://a:8x",
        "x:%zz",
        "x:a#%zz",
        "http://[::1]:65536",
        "http://[::z]/",
        "http://{a}/",
      ],
    ],
    ["uri-reference", ["a b", "/x", "?q", "", "x:a:b"], ["\\\\x", "a:b:c\u0000", "1:2"]],
    ["uriref", ["a b", "/x"], ["%%", "1:2"]],
    ["uri-template", ["/{a}", "/a"], ["/{a", "/a}", "/{{a}}", "/{}", "/{a}%zz"]],
    ["uuid", ["123e4567-e89b-12d3-a456-426614174000"], ["urn:uuid:123e4567-e89b-12d3-a456-426614174000", "123e4567"]],
    ["json-pointer", ["", "/a~0~1"], ["a", "/a~2"]],
    ["relative-json-pointer", ["0", "1/a", "2#"], ["01", "-1", "1a"]],
    ["regex", ["^a+$"], ["a(", "(?=a)"]],
  ])("the format %s", async (format, good, bad) => {
    const schema = { properties: { v: { format } } };
    for (const v of good) expect([v, await wrong(schema, { v })]).toEqual([v, []]);
    for (const v of bad) expect([v, (await wrong(schema, { v })).length]).toEqual([v, 1]);
  });
});

describe("drafts", () => {
  const draft = (name: string): string => `http://json-schema.org/draft-${name}/schema#`;
  test.each<readonly [sentence: string, schema: unknown, attributes: unknown, wanted: number]>([
    ["04 has exclusiveMinimum as a flag", { $schema: draft("04"), properties: { v: { minimum: 3, exclusiveMinimum: true } } }, { v: 3 }, 1],
    ["04 has no const", { $schema: draft("04"), properties: { v: { const: 1 } } }, { v: 2 }, 0],
    ["06 has const, and no if", `{"$schema":"${draft("06")}","properties":{"v":{"const":1,"if":true,"then":false}}}`, { v: 2 }, 1],
    ["07 has if", `{"$schema":"${draft("07")}","properties":{"v":{"if":true,"then":false}}}`, { v: 2 }, 1],
    [
      "07 takes a list of items",
      { $schema: draft("07"), properties: { v: { items: [{ type: "string" }], additionalItems: false } } },
      { v: ["a", 1] },
      1,
    ],
    [
      "07 ignores what stands beside a reference",
      { $schema: draft("07"), definitions: { s: true }, properties: { v: { $ref: "#/definitions/s", type: "string" } } },
      { v: 1 },
      0,
    ],
    [
      "2019-09 has dependentRequired",
      { $schema: "https://json-schema.org/draft/2019-09/schema", dependentRequired: { a: ["b"] } },
      { a: 1 },
      1,
    ],
    ["2020-12 is meant where none is named", { properties: { v: { prefixItems: [{ type: "string" }] } } }, { v: [1] }, 1],
    [
      "2020-12 heeds what stands beside a reference",
      { $defs: { s: true }, properties: { v: { $ref: "#/$defs/s", type: "string" } } },
      { v: 1 },
      1,
    ],
    ...(
      [
        ["an item that `contains` holds for", ["x", "y"], 0],
        ["an item that it does not hold for", ["x", 1], 1],
      ] as const
    ).flatMap(([sentence, v, wanted]) =>
      [{ contains: { type: "string" } }, { allOf: [{ contains: { type: "string" } }] }].map(
        (contained, at): readonly [string, unknown, unknown, number] => [
          `2020-12 has ${at === 0 ? "" : "in a part "}${wanted === 0 ? "evaluated" : "not evaluated"} ${sentence}`,
          { properties: { v: { ...contained, unevaluatedItems: { type: "boolean" } } } },
          { v },
          // What neither fits is told of both.
          wanted * 2,
        ],
      ),
    ),
    [
      "2020-12 evaluates what stands before others, too",
      { properties: { v: { prefixItems: [{ const: 1 }], contains: { type: "string" }, unevaluatedItems: false } } },
      { v: [1, "x"] },
      0,
    ],
    [
      "2019-09 does not take what `contains` holds for as evaluated",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        properties: { v: { contains: { type: "string" }, unevaluatedItems: false } },
      },
      { v: ["x"] },
      1,
    ],
    [
      "a reference to the document as it is extended",
      { $dynamicAnchor: "n", properties: { v: { $dynamicRef: "#n" } }, type: "object" },
      { v: { v: 1 } },
      1,
    ],
    [
      "an anchor is a place to refer to",
      { $defs: { s: { $anchor: "text", type: "string" } }, properties: { v: { $ref: "#text" } } },
      { v: 1 },
      1,
    ],
    ...(
      [
        ["04", "id"],
        ["06", "$id"],
        ["07", "$id"],
      ] as const
    ).map(([name, id]): readonly [string, unknown, unknown, number] => [
      `${name} has anchors by \`${id}\``,
      { $schema: draft(name), definitions: { s: { [id]: "#text", type: "string" } }, properties: { v: { $ref: "#text" } } },
      { v: 1 },
      1,
    ]),
    ...(["$anchor", "$dynamicAnchor"] as const).map((word): readonly [string, unknown, unknown, number] => [
      `the whole is a place to refer to by its \`${word}\``,
      { [word]: "whole", type: "object", properties: { v: { $ref: "#whole" } } },
      { v: { v: 1 } },
      1,
    ]),
    [
      "06 knows of no content",
      { $schema: draft("06"), properties: { v: { contentEncoding: "base64", contentMediaType: "application/json" } } },
      { v: "!" },
      0,
    ],
    ...["#/$defs/text", "#text", "other"].map((reference): readonly [string, unknown, unknown, number] => [
      `a part with an id may be but a reference, \`${reference}\``,
      {
        $defs: {
          s: { $id: "https://example.com/s", $ref: reference, $defs: { text: { $anchor: "text", type: "string" } } },
          other: { $id: "https://example.com/other", $ref: "s#text" },
        },
        properties: { v: { $ref: "https://example.com/s" } },
      },
      { v: 1 },
      1,
    ]),
    [
      "a part that is no keyword is a place to refer to",
      { parts: { "a/b": [{ type: "string" }] }, properties: { v: { $ref: "#/parts/a~1b/0" } } },
      { v: 1 },
      1,
    ],
    ["a boolean is a schema to refer to", { parts: [false], properties: { v: { $ref: "#/parts/0" } } }, { v: 1 }, 1],
    ["a reference back to the whole, a property further", { type: "object", properties: { v: { $ref: "#" } } }, { v: { v: 1 } }, 1],
    [
      "what nothing refers to may refer to anything",
      { $defs: { unused: { $ref: "#/title" }, loop: { $ref: "#/$defs/loop" } }, title: "x", type: "object" },
      {},
      0,
    ],
    [
      "an id that is an address is one too",
      { $defs: { s: { $id: "https://example.com/s", type: "string" } }, properties: { v: { $ref: "https://example.com/s" } } },
      { v: 1 },
      1,
    ],
  ])("%s", async (_sentence, schema, attributes, wanted) => {
    const found = await wrong(schema, attributes);
    expect([found.length, found.some((line) => line.includes("cannot be used"))]).toEqual([wanted, false]);
  });
});

describe("references that go by where they are asked from", () => {
  const node = (more: object = {}): object => ({
    $dynamicAnchor: "node",
    ...more,
    properties: { kids: { items: { $dynamicRef: "#node" } } },
  });
  const strict = node({ type: "object", required: ["id"] });
  const older = (more: object = {}): object => ({
    $schema: "https://json-schema.org/draft/2019-09/schema",
    $recursiveAnchor: true,
    ...more,
    properties: { kids: { items: { $recursiveRef: "#" } } },
  });
  const nextTo = (first: string, second: string): object => ({ properties: { v: { $ref: first }, w: { $ref: second } } });
  const kid = (value: unknown): unknown => ({ id: 1, kids: [value] });
  const missing = "`id` is missing";
  test.each<readonly [sentence: string, files: Readonly<Record<string, unknown>>, attributes: unknown, wanted: readonly string[]]>([
    ["to the document itself", { "s.json": nextTo("t.json", "t.json"), "t.json": strict }, { v: kid({}) }, [`/v/kids/0 ${missing}`]],
    [
      "to the document that extends it",
      { "s.json": { $dynamicAnchor: "node", $ref: "t.json", required: ["id"] }, "t.json": node() },
      kid({}),
      [`/kids/0 ${missing}`],
    ],
    [
      "not to the document beside it, which is easier",
      { "s.json": nextTo("easy.json", "t.json"), "easy.json": node(), "t.json": strict },
      { v: {}, w: kid({}) },
      [`/w/kids/0 ${missing}`],
    ],
    [
      "not to the document beside it, which is harder",
      { "s.json": nextTo("t.json", "easy.json"), "easy.json": node(), "t.json": strict },
      { v: kid({ id: 2 }), w: kid({}) },
      [],
    ],
    [
      "not to the document beside it, of the draft before",
      {
        "s.json": { $schema: "https://json-schema.org/draft/2019-09/schema", ...nextTo("easy.json", "t.json") },
        "easy.json": older(),
        "t.json": older({ required: ["id"] }),
      },
      { v: {}, w: kid({}) },
      [`/w/kids/0 ${missing}`],
    ],
    [
      "not to a part with an id beside it",
      {
        "s.json": { properties: { v: { $id: "https://example.com/v", $dynamicAnchor: "node" }, w: { $ref: "t.json" } } },
        "t.json": strict,
      },
      { v: 1, w: kid({}) },
      [`/w/kids/0 ${missing}`],
    ],
    [
      "to the whole document, from a part that is referred to",
      { "s.json": { properties: { v: { $ref: "t.json#/properties/kids" } } }, "t.json": strict },
      { v: [{}, { id: 1 }, []] },
      [`/v/0 ${missing}`, "/v/2 must be an object, not a list"],
    ],
    [
      "to a part with an id, which is a document",
      { "s.json": { $defs: { t: { $id: "https://example.com/t", ...strict } }, properties: { v: { $ref: "https://example.com/t" } } } },
      { v: kid({}) },
      [`/v/kids/0 ${missing}`],
    ],
  ])("lead %s", async (_sentence, files, attributes, wanted) => {
    expect(await findings(open(files), "authz:///s.json", attributes)).toEqual(wanted);
  });
});

describe("schemas that cannot be used", () => {
  test.each<readonly [sentence: string, files: Readonly<Record<string, unknown>>, ref: string, wanted: string]>([
    ["one that is not there", {}, "authz:///s.json", "there is no file `_schemas/s.json`"],
    ["one under the other name of the scheme", {}, "cerbos:///s.json", "there is no file `_schemas/s.json`"],
    ["one without a scheme", { "s.json": {} }, "s.json", "write `authz:///s.json` for the file `_schemas/s.json`"],
    ["one that is no JSON file", {}, "authz:///s.yaml", "there is no file `_schemas/s.yaml`: only `.json` files are schemas"],
    ["one outside of the store", {}, "authz:///../../etc/passwd.json", "there is no file `_schemas/etc/passwd.json`"],
    ["one that is no JSON", { "s.json": "nope" }, "authz:///s.json", "it is not JSON"],
    ["one that is empty", { "s.json": "\n" }, "authz:///s.json", "it is empty: a schema is a JSON object"],
    ["one that is no schema", { "s.json": { type: "nope" } }, "authz:///s.json", "it is not a schema: `/type` must be"],
    ["one of an unknown draft", { "s.json": { $schema: "https://example.com/" } }, "authz:///s.json", "names no draft"],
    [
      "one that refers to nothing",
      { "s.json": { $ref: "t.json" } },
      "authz:///s.json",
      "`authz:///t.json`, to which `authz:///s.json` refers: there is no file",
    ],
    [
      "one that refers to no place in it",
      { "s.json": { $ref: "#/nope" } },
      "authz:///s.json",
      "the reference `authz:///s.json#/nope` leads nowhere",
    ],
    ...[
      ["04", "draft-04/schema#", "$anchor"],
      ["06", "draft-06/schema#", "$anchor"],
      ["07", "draft-07/schema#", "$anchor"],
      ["04", "draft-04/schema#", "$dynamicAnchor"],
      ["07", "draft-07/schema#", "$dynamicAnchor"],
      ["2019-09", "draft/2019-09/schema", "$dynamicAnchor"],
    ].map(([draft = "", place = "", word = ""]): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one of draft ${draft}, which has no \`${word}\`, that refers to one`,
      {
        "s.json": {
          $schema: `https://json-schema.org/${place}`,
          definitions: { d: { [word]: "n", type: "string" } },
          properties: { v: { $ref: "#n" } },
        },
      },
      "authz:///s.json",
      "can't resolve reference authz:///s.json#n",
    ]),
    ...["required", "type", "required/0", "nothing"].map((part): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one that is no schema but a part of it, \`${part}\``,
      { "s.json": { type: "object", required: ["v"], nothing: null } },
      `authz:///s.json#/${part}`,
      `\`authz:///s.json#/${part}\` leads to ${{ required: "a list", nothing: "null" }[part] ?? "a string"}`,
    ]),
    ...["constructor", "__proto__", "required/length"].map((part): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one that only a prototype has, \`${part}\``,
      { "s.json": { type: "object", required: ["v"] } },
      `authz:///s.json#/${part}`,
      "leads nowhere",
    ]),
    ...[{ a: "x" }, { a: 5 }, { a: ["x"] }, { a: null }, { a: { $ref: "#/components/b" }, b: "x" }].map(
      (components): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
        `one that refers to what is no schema, ${JSON.stringify(components)}`,
        { "s.json": { properties: { v: { $ref: "#/components/a" } }, components } },
        "authz:///s.json",
        "and a schema is an object or a boolean",
      ],
    ),
    [
      "one that refers to what is no schema in another document",
      { "s.json": { allOf: [{ $ref: "t.json#/v" }] }, "t.json": { v: "x" } },
      "authz:///s.json",
      "the reference `authz:///t.json#/v` leads to a string",
    ],
    [
      "one that refers to what is no schema in a part with an id",
      { "s.json": { $defs: { s: { $id: "https://example.com/s", w: "x" } }, properties: { v: { $ref: "https://example.com/s#/w" } } } },
      "authz:///s.json",
      "the reference `https://example.com/s#/w` leads to a string",
    ],
    [
      "one that refers to a schema that is none further down",
      { "s.json": { $ref: "#/components/a", components: { a: { properties: { v: 5 } } } } },
      "authz:///s.json",
      "`authz:///s.json#/components/a`, to which a reference leads: it is not a schema: `/properties/v`",
    ],
    ...[
      { $ref: "#" },
      { allOf: [{ anyOf: [{ $ref: "#" }] }] },
      { not: { $ref: "s.json" } },
      { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
      { $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { oneOf: [{ $ref: "#/$defs/a" }] } } },
    ].map((schema): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one that leads back to itself, ${JSON.stringify(schema)}`,
      { "s.json": schema },
      "authz:///s.json",
      "leads back to itself without an end",
    ]),
    [
      "one that mixes drafts",
      { "s.json": { $ref: "t.json" }, "t.json": { $schema: "http://json-schema.org/draft-07/schema" } },
      "authz:///s.json",
      "it is written in draft 07",
    ],
    ...(
      [
        ["draft-04/schema#", { const: 1 }, "const"],
        ["draft-04/schema#", { exclusiveMinimum: 3 }, "exclusiveMinimum"],
        ["draft-06/schema#", { if: false, else: false }, "if"],
        ["draft-07/schema#", { properties: { v: { $ref: "#/$defs/s", type: "string" } }, $defs: { s: true } }, "$ref"],
        ["draft-07/schema#", { items: [{ type: "string" }] }, "items"],
        ["draft-07/schema#", { dependentRequired: { a: ["b"] } }, "dependentRequired"],
        ["draft/2019-09/schema", { prefixItems: [{ type: "string" }] }, "prefixItems"],
      ] as const
    ).map(([draft, schema, word]): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one of ${draft} that refers to one without a draft, in which \`${word}\` would mean something else`,
      { "s.json": { $schema: `http://json-schema.org/${draft}`, allOf: [{ $ref: "t.json" }] }, "t.json": schema },
      "authz:///s.json",
      `in which \`${word}\` means something else`,
    ]),
    ["one on the disk", {}, "file:///etc/hostname", "not allowed (setting schema.allowRefs)"],
    ["one of another host", {}, "https://example.com/s.json", "not allowed (setting schema.allowRefs)"],
    [
      "one with a host, which the store has none of",
      {},
      "cerbos://schemas/a/s.json",
      "`schemas` stands where a host does: write `authz:///a/s.json`",
    ],
    ["one with two slashes and nothing below a host", {}, "authz://s.json", "write three slashes: `authz:///s.json`"],
    ["one of another kind of place", {}, "ftp://example.com/s.json", "the scheme `ftp:` cannot be followed"],
    ["one with a pattern of another dialect", { "s.json": { pattern: "(?=a)" } }, "authz:///s.json", "pattern"],
    ...["#n", "#/$defs/s", "other.json#n"].map((reference): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one with a reference that is not followed, \`${reference}\``,
      { "s.json": { $defs: { s: { $dynamicAnchor: "n", type: "string" } }, properties: { v: { $dynamicRef: reference } } } },
      "authz:///s.json",
      "use `$ref`",
    ]),
    [
      "one with such a reference of the draft before",
      { "s.json": { $schema: "https://json-schema.org/draft/2019-09/schema", properties: { v: { $recursiveRef: "#" } } } },
      "authz:///s.json",
      "use `$ref`",
    ],
    [
      "one with an anchor that such a reference would not find",
      {
        "s.json": { $ref: "t.json", $defs: { n: { $dynamicAnchor: "n", type: "string" } } },
        "t.json": { $dynamicAnchor: "n", properties: { v: { $dynamicRef: "#n" } } },
      },
      "authz:///s.json",
      "put it at the top of a document of its own",
    ],
    [
      "one that refers to a part of a document whose anchor such a reference would not find",
      {
        "s.json": { $ref: "t.json#/$defs/a" },
        "t.json": { $dynamicAnchor: "n", $defs: { a: { $ref: "u.json" } } },
        "u.json": { $dynamicAnchor: "n", properties: { v: { $dynamicRef: "#n" } } },
      },
      "authz:///s.json",
      "refer to the whole document",
    ],
    ...["constructor", "toString", "__proto__"].map((name): readonly [string, Readonly<Record<string, unknown>>, string, string] => [
      `one with an anchor that every object has, \`${name}\``,
      { "s.json": { $dynamicAnchor: name, properties: { v: { $dynamicRef: `#${name}` } } } },
      "authz:///s.json",
      "give it another name",
    ]),
    [
      "one with such a reference that its own part with an id does not know",
      { "s.json": { $dynamicAnchor: "n", $defs: { s: { $id: "https://example.com/s", items: { $dynamicRef: "#n" } } } } },
      "authz:///s.json",
      "use `$ref`",
    ],
    [
      "one that would not check what it names",
      { "s.json": '{"properties":{"__proto__":{"type":"string"}}}' },
      "authz:///s.json",
      "`__proto__`",
    ],
  ])("%s", async (_sentence, files, ref, wanted) => {
    const found = await findings(open(files), ref, {});
    expect(found).toEqual([expect.stringMatching(/^the schema `.*` cannot be used: /)]);
    expect(found[0]).toContain(wanted);
  });

  test("a reference is judged for the compiler, with a hint", () => {
    const places = { allowRefs: ["store", "http"], allowedHosts: ["example.com"] } as const;
    const { problemOf } = openSchemasCheck(new Map([["customer.json", "{}"]]), places, "warning");
    expect(problemOf("authz:///customer.json")).toBeUndefined();
    expect(problemOf("authz:///custommer.json")).toEqual({
      message: "there is no file `_schemas/custommer.json`",
      hint: "did you mean `authz:///customer.json`?",
    });
    expect(problemOf("https://example.com/s.json")).toBeUndefined(); // nobody waits for another host
  });
});

describe("files that change", () => {
  const name = { type: "object", properties: { n: { $ref: "n.json" } } };
  test("a schema is made again when one of its files is another, and only then", async () => {
    const first = open({ "s.json": name, "n.json": { type: "string" }, "other.json": {} });
    expect(await findings(first, "authz:///s.json", { n: 1 })).toHaveLength(1);
    const second = first.withFiles(
      new Map([
        ["s.json", JSON.stringify(name)],
        ["n.json", '{"type":"number"}'],
      ]),
    );
    expect(await findings(second, "authz:///s.json", { n: 1 })).toEqual([]);
    expect(await findings(first, "authz:///s.json", { n: 1 })).toHaveLength(1); // a check goes on with what it began with
    expect(await findings(second.withFiles(new Map()), "authz:///s.json", {})).toEqual([expect.stringContaining("there is no file")]);
  });
});

describe("documents of the same text", () => {
  const twice = (text: unknown, others: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
    "a/s.json": text,
    "b/s.json": text,
    ...others,
  });
  const both = ["authz:///a/s.json", "authz:///b/s.json"] as const;

  test.each<readonly [sentence: string, text: unknown, shared: boolean]>([
    ["that say all by themselves", { type: "object", required: ["n"] }, true],
    ["that refer to their own parts", { $defs: { n: { type: "number" } }, properties: { n: { $ref: "#/$defs/n" } } }, true],
    ["that refer to a part by its anchor", { $defs: { n: { $anchor: "n", type: "number" } }, properties: { n: { $ref: "#n" } } }, true],
    ["that are true or false", "false", true],
    ["of an older draft", { $schema: "http://json-schema.org/draft-04/schema#", maximum: 3, exclusiveMaximum: true }, true],
    ["that hold in a value what looks like an id", { const: { $id: "x", $ref: "n.json" } }, true],
    ["that refer to a document beside them", { $ref: "n.json" }, false],
    ["that refer to one of the two", { properties: { n: { $ref: "authz:///a/s.json#/properties/m" }, m: { type: "number" } } }, false],
    ["that say what they are called", { $id: "authz:///c/s.json", type: "object" }, false],
    ["with a part that is called something", { $defs: { n: { $id: "n.json", type: "number" } }, type: "object" }, false],
    ["that refer as validators resolve it", { $dynamicAnchor: "n", properties: { n: { $dynamicRef: "#n" } } }, false],
    ["that refer to a draft", { properties: { n: { $ref: "https://json-schema.org/draft/2020-12/schema" } } }, false],
  ])("%s", async (_sentence, text, shared) => {
    const files = new Map(
      Object.entries(twice(text, { "a/n.json": { type: "number" }, "b/n.json": { type: "string" } })).map(([path, schema]) => [
        path,
        typeof schema === "string" ? schema : JSON.stringify(schema),
      ]),
    );
    const places = { allowRefs: ["store"], allowedHosts: [], fetchText } as const;
    const first = await loadSchema(both[0], files, places);
    const known = first.kind === "usable" && first.sharedText !== undefined ? new Map([[first.sharedText, first.validate]]) : undefined;
    const second = await loadSchema(both[1], files, places, known);
    expect([first.kind, second.kind]).toEqual(["usable", "usable"]);
    expect(first.kind === "usable" && second.kind === "usable" && first.validate === second.validate).toBe(shared);
  });

  test("answer for themselves, where they refer to what is beside them", async () => {
    const schemas = open(
      twice({ properties: { n: { $ref: "n.json" } } }, { "a/n.json": { type: "number" }, "b/n.json": { type: "string" } }),
    );
    expect(await findings(schemas, both[0], { n: "1" })).toEqual(["/n must be a number, not a string"]);
    expect(await findings(schemas, both[1], { n: 1 })).toEqual(["/n must be a string, not a number"]);
    expect(await findings(schemas, both[0], { n: 1 })).toEqual([]);
  });

  test("stay right when one of them changes", async () => {
    const number = '{"properties":{"n":{"type":"number"}}}';
    const first = open(twice(number));
    expect(await findings(first, both[0], { n: "1" })).toHaveLength(1);
    expect(await findings(first, both[1], { n: "1" })).toHaveLength(1);
    const second = first.withFiles(
      new Map([
        ["a/s.json", '{"properties":{"n":{"type":"string"}}}'],
        ["b/s.json", number],
        ["c/s.json", number],
      ]),
    );
    expect(await findings(second, both[0], { n: "1" })).toEqual([]);
    expect(await findings(second, both[1], { n: "1" })).toEqual(["/n must be a number, not a string"]);
    expect(await findings(second, "authz:///c/s.json", { n: "1" })).toEqual(["/n must be a number, not a string"]);
  });

  test("that cannot be used say so of themselves", async () => {
    const schemas = open(twice({ type: "thing" }));
    expect(await findings(schemas, both[0], {})).toEqual([expect.stringContaining("`authz:///a/s.json` cannot be used")]);
    expect(await findings(schemas, both[1], {})).toEqual([expect.stringContaining("`authz:///b/s.json` cannot be used")]);
  });
});

describe("names of attributes are data", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "length"];
  const withName = (name: string): unknown => JSON.parse(`{${JSON.stringify(name)}:1}`);
  test.each(names)("%s is missing where it is not there", async (name) => {
    expect(await wrong({ required: [name] }, {})).toEqual([`/ \`${name}\` is missing`]);
    expect(await wrong({ required: [name] }, withName(name))).toEqual([]);
  });
  test.each(names)("%s is not allowed where nothing allows it", async (name) => {
    expect(await wrong({ properties: { a: true }, additionalProperties: false }, withName(name))).toEqual([`/ \`${name}\` is not allowed`]);
    const dynamic = { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: true } }], unevaluatedProperties: false };
    expect(await wrong(dynamic, withName(name))).toEqual([`/${name} is not allowed`]);
  });
  test.each([...names, "valueOf"])("%s is compared like any other, whatever is under it", async (name) => {
    const holding = (value: unknown): string => `{${JSON.stringify(name)}:${JSON.stringify(value)}}`;
    const find = (keywords: string, value: string) => wrong(`{"properties":{"v":${keywords}}}`, JSON.parse(`{"v":${value}}`));
    for (const value of [null, 1, "a", [], {}, { a: [1] }]) {
      const same = holding(value);
      for (const keywords of [
        `{"const":${same}}`,
        `{"enum":[1,${same}]}`,
        `{"enum":[${Array.from({ length: 300 }, () => same).join()}]}`,
      ]) {
        expect(await find(keywords, same)).toEqual([]);
        expect(await find(keywords, holding("other"))).toEqual([expect.stringContaining("/v must be")]);
        expect(await find(keywords, "{}")).toEqual([expect.stringContaining("/v must be")]);
        expect(await find(`{"not":${keywords}}`, same)).toHaveLength(1);
        expect(await find(`{"not":${keywords}}`, holding("other"))).toEqual([]);
      }
    }
  });
  test("values that look like them repeat like any other", async () => {
    expect(
      await wrong({ properties: { v: { uniqueItems: true, items: { type: "string" } } } }, { v: ["__proto__", "a", "__proto__"] }),
    ).toHaveLength(1);
  });
});

describe("many problems", () => {
  const numbers = Array.from({ length: 300 }, (_, at) => at);
  const either = { properties: { v: { anyOf: [{ items: { type: "string" } }, { items: { type: "number" } }] } } };

  test("of an alternative are none where another one fits", async () => {
    expect(await wrong(either, { v: numbers })).toEqual([]);
  });
  test("are named as far as anyone reads", async () => {
    const found = await wrong({ properties: { v: { items: { type: "string" } } } }, { v: numbers });
    expect(found.length).toBeGreaterThanOrEqual(100);
    expect(found.length).toBeLessThan(110);
  });
  test("of a schema are named by the first", async () => {
    const found = await wrong({ properties: Object.fromEntries(numbers.map((at) => [`p${at}`, { type: 5 }])) }, {});
    expect(found).toEqual([expect.stringContaining("it is not a schema: `/properties/p0/type`")]);
  });
});

/** Every row ends: without its bound it would take minutes, or for ever. */
describe("nothing makes it slow", () => {
  const long = "a".repeat(100_000);
  const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => ({ a: inner }), 1);
  const bomb = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }]),
  );
  test.each<readonly [sentence: string, schema: unknown, attributes: unknown]>([
    ["a pattern that backtracks", { properties: { v: { pattern: "^(a+)+$" } } }, { v: `${long}!` }],
    ["a pattern of names that backtracks", { patternProperties: { "^(a|a)*$": false } }, { [`${long}!`]: 1 }],
    ["a pattern that counts", { properties: { v: { pattern: "^(a{1,100}){1,100}$" } } }, { v: `${long}!` }],
    [
      "a long list of different objects",
      { properties: { v: { uniqueItems: true } } },
      { v: Array.from({ length: 50_000 }, (_, at) => ({ at })) },
    ],
    ["references that double", { $defs: { ...bomb, d40: { type: "string" } }, properties: { v: { $ref: "#/$defs/d0" } } }, { v: 1 }],
    [
      "alternatives that double with depth",
      {
        anyOf: [
          { type: "string" },
          { properties: { a: { $ref: "#" } }, required: ["a"] },
          { properties: { a: { $ref: "#" } }, required: ["a"] },
        ],
      },
      nested(60),
    ],
    ["a circle of references", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }, {}],
    [
      "a large choice asked often",
      { properties: { v: { items: { enum: Array.from({ length: 20_000 }, (_, at) => ({ at })) } } } },
      { v: Array.from({ length: 20_000 }, () => ({})) },
    ],
    [
      "a thousand lengths of a long text",
      { properties: { v: { allOf: Array.from({ length: 1000 }, (_, at) => ({ minLength: at })) } } },
      { v: "\u{1F600}".repeat(500_000) },
    ],
    [
      "formats of long texts",
      {
        properties: {
          v: {
            items: { anyOf: ["email", "hostname", "uri", "uri-template", "duration", "date-time", "ipv6"].map((format) => ({ format })) },
          },
        },
      },
      { v: ["a@", "P1", "http://", "{", "::", "a."].map((head) => `${head}${long}!`) },
    ],
    ["a great many problems", { properties: { v: { items: { type: "string" } } } }, { v: Array.from({ length: 200_000 }, () => 1) }],
  ])("%s", async (_sentence, schema, attributes) => {
    const found = await wrong(schema, attributes);
    expect(found.length).toBeLessThan(150);
  });

  test("what one check may cost is shared by its resources", async () => {
    const schemas = open({ "s.json": { properties: { v: { items: { enum: Array.from({ length: 20_000 }, (_, at) => ({ at })) } } } } });
    const attributes = { v: Array.from({ length: 20_000 }, () => ({})) };
    const found = await schemas.validate(Array.from({ length: 100 }, () => ({ ref: "authz:///s.json", attributes })));
    expect(found.at(-1)).toEqual([{ path: "/", message: expect.stringContaining("it takes too long") }]);
  });

  test.each<readonly [sentence: string, text: string]>([
    ["too large a document", JSON.stringify({ description: "x".repeat(1024 * 1024) })],
    ["too many parts", JSON.stringify({ enum: [1], allOf: Array.from({ length: 60_000 }, () => true) })],
    ["too deep a document", `${'{"not":'.repeat(5000)}{}${"}".repeat(5000)}`],
    [
      "too much that is evaluated and brought together",
      JSON.stringify({
        allOf: Array.from({ length: 2500 }, (_, at) => ({ properties: { [`p${at}`]: true } })),
        unevaluatedProperties: false,
      }),
    ],
  ])("%s is no schema", async (_sentence, text) => {
    expect(await findings(open({ "s.json": text }), "authz:///s.json", {})).toEqual([expect.stringContaining("cannot be used: it ")]);
  });

  test("documents that are small enough each, and too many parts together, are no schema", async () => {
    const part = JSON.stringify({ allOf: Array.from({ length: 8000 }, () => true) });
    const files = { "s.json": JSON.stringify({ allOf: ["a", "b", "c"].map((name) => ({ $ref: `${name}.json` })) }), "a.json": part };
    const whole = open({ ...files, "b.json": part, "c.json": part });
    expect(await findings(whole, "authz:///s.json", {})).toEqual([expect.stringContaining("more than 20000 parts")]);
    expect(await findings(open({ ...files, "b.json": part, "c.json": "{}" }), "authz:///s.json", {})).toEqual([]);
  });
});

describe("schemas of other places", () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  const serve = async (listener: RequestListener): Promise<string> => {
    const opened = createServer(listener);
    server = opened;
    await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve));
    const address = opened.address();
    return typeof address === "object" && address !== null ? `127.0.0.1:${address.port}` : "";
  };
  const openFor = (host: string, files: Readonly<Record<string, unknown>> = {}, milliseconds = 5000): Schemas =>
    open(files, {
      allowRefs: ["store", "http", "file"],
      allowedHosts: [host],
      fetchText: (url, bounds) => fetchText(url, { ...bounds, milliseconds }),
    });

  test("are fetched once, with what they refer to", async () => {
    let asked = 0;
    const host = await serve((request, response) => {
      asked++;
      response.end(request.url === "/s.json" ? '{"properties":{"n":{"$ref":"n.json"}}}' : '{"type":"string"}');
    });
    const schemas = openFor(host);
    const answers = await Promise.all([1, "a", 2].map((n) => findings(schemas, `http://${host}/s.json`, { n })));
    expect(answers.map((found) => found.length)).toEqual([1, 0, 1]);
    expect(asked).toBe(2);
    expect(schemas.validate([{ ref: `http://${host}/s.json`, attributes: {} }])).toEqual([[]]); // now at once
  });

  test("that hang harm nobody else, and only until their time is up", async () => {
    const host = await serve(() => undefined);
    const schemas = openFor(host, { "s.json": { type: "object" } }, 300);
    const hanging = findings(schemas, `http://${host}/s.json`, {});
    expect(schemas.validate([{ ref: "authz:///s.json", attributes: {} }])).toEqual([[]]);
    expect(await hanging).toEqual([expect.stringContaining("did not answer within 0.3 s")]);
    expect(await findings(schemas, `http://${host}/s.json`, {})).toEqual([expect.stringContaining("did not answer")]); // believed for a while
  });

  test.each<readonly [sentence: string, listener: RequestListener, wanted: string]>([
    ["are missing", (_request, response) => response.writeHead(404).end(), "answers with status 404"],
    [
      "lead elsewhere",
      (_request, response) => response.writeHead(302, { location: "http://localhost:1/s.json" }).end(),
      "redirects to another place",
    ],
    ["lead in circles", (_request, response) => response.writeHead(302, { location: "/s.json" }).end(), "redirects more than 3 times"],
    ["are too large", (_request, response) => response.end("x".repeat(2 * 1024 * 1024)), "larger than 1048576 bytes"],
    ["are no schemas", (_request, response) => response.end("<html>"), "it is not JSON"],
    ["break off", (request) => request.socket.destroy(), "cannot be reached"],
    [
      "refer to our files",
      (_request, response) => response.end('{"$ref":"file:///etc/hostname"}'),
      "cannot refer to a file of this machine",
    ],
  ])("that %s", async (_sentence, listener, wanted) => {
    const host = await serve(listener);
    const found = await findings(openFor(host), `http://${host}/s.json`, {});
    expect(found).toEqual([expect.stringContaining(wanted)]);
  });

  test.each([
    ["https://example.com/s.json", "example.com:443", true],
    ["http://example.com/s.json", "example.com:80", true],
    ["https://example.com/s.json", "example.com:80", false],
    ["https://example.com:8443/s.json", "example.com", true],
    ["https://example.com:8443/s.json", "example.com:443", false],
  ])("at %s are asked for where %s is allowed: %s", async (url, host, isAllowed) => {
    const asked: string[] = [];
    const fetchNothing: typeof fetchText = async (at) => {
      asked.push(String(at));
      throw new Error("nobody is there");
    };
    await findings(open({}, { allowRefs: ["http"], allowedHosts: [host], fetchText: fetchNothing }), url, {});
    expect(asked.length > 0).toBe(isAllowed);
  });

  test("of hosts that are not allowed are not asked for", async () => {
    let asked = false;
    const host = await serve((_request, response) => {
      asked = true;
      response.end("{}");
    });
    expect(await findings(openFor("example.com"), `http://${host}/s.json`, {})).toEqual([
      expect.stringContaining("setting schema.allowedHosts"),
    ]);
    expect(asked).toBe(false);
  });

  test("on the disk are read where that is allowed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "authz-schemas-"));
    writeFileSync(join(folder, "s.json"), '{"$ref":"authz:///n.json"}');
    const schemas = openFor("none", { "n.json": { required: ["a"] } });
    expect(await findings(schemas, pathToFileURL(join(folder, "s.json")).href, {})).toEqual(["/ `a` is missing"]);
    expect(await findings(schemas, pathToFileURL(join(folder, "t.json")).href, {})).toEqual([expect.stringContaining("it does not exist")]);
    expect(await findings(schemas, pathToFileURL(folder).href, {})).toEqual([expect.stringContaining("it is not a file")]);
    // What is no schema may be a secret: nothing of it is told.
    writeFileSync(join(folder, "u.json"), '{\n  "a": root:secret');
    expect(await findings(schemas, pathToFileURL(join(folder, "u.json")).href, {})).toEqual([
      expect.stringMatching(/it is not JSON \(line 2, column 8\)$/),
    ]);
  });
});
