/** Random schemas of every draft, and values that they may like. */
import type { Json } from "../agree/document.ts";
import type { Random } from "../agree/random.ts";

type Schema = { [keyword: string]: Json };

/** The drafts, and what a document of each names. */
const drafts = [
  [4, "http://json-schema.org/draft-04/schema#"],
  [6, "http://json-schema.org/draft-06/schema#"],
  [7, "http://json-schema.org/draft-07/schema#"],
  [2019, "https://json-schema.org/draft/2019-09/schema"],
  [2020, undefined],
  [2020, undefined],
] as const;

const names = ["a", "b", "c", "foo", "a b", "é", "1", "x/y", "~", "constructor", "toString", "valueOf", "length"];
const texts = ["", "a", "ab", "abc", "foo", "é", "e\u0301", "\u{1F600}", "\u{1F600}\u{1F600}", "1", "x\ny", "YWI=", "YWI", "{}", "{"];
const numbers = [0, 1, 2, 3, -1, 0.5, 1.5, 0.1, 0.3, 100, 1e21, 2 ** 53, -0.5, 1e-7, 3.3, 19.99, 4.35];
const patterns = ["^a", "b$", "^[a-c]*$", "a.c", "\\d+", "^\\w$", "é", "^.$", "\\s", "(a|b)c?", "^$", "[^a]", "\\p{L}"];
const constants: readonly Json[] = [...texts.slice(0, 5), 1, 1.5, null, true, [], {}, { a: 1 }, { constructor: {} }, { toString: 1 }, [1]];
const kinds = ["string", "number", "integer", "boolean", "null", "object", "array"];

/** Any value. */
export function makeValue(random: Random, depth: number): Json {
  const scalar = (): Json => random.pick<Json>([null, true, false, random.pick(numbers), random.pick(texts), random.pick(texts)]);
  if (depth <= 0) return scalar();
  return random.weigh<Json>([
    [5, scalar],
    [1, () => random.several(0, 3, () => makeValue(random, depth - 1))],
    [2, () => Object.fromEntries(random.some(0, 4, names).map((name) => [name, makeValue(random, depth - 1)]))],
  ]);
}

/** A value that a schema may like. */
export function makeLiked(random: Random, schema: Json | undefined, depth = 3): Json {
  if (!isSchema(schema) || depth <= 0 || random.chance(0.1)) return makeValue(random, 1);
  const { const: constant, enum: listed, properties, required, items, prefixItems, contains } = schema;
  if (constant !== undefined && random.chance(0.7)) return constant;
  if (isList(listed) && listed.length > 0 && random.chance(0.7)) return random.pick(listed);
  if (isSchema(properties) || isList(required)) {
    const named = isSchema(properties) ? properties : {};
    const all = [...Object.keys(named), ...(isList(required) ? required.map(String) : []), ...random.some(0, 1, names)];
    return Object.fromEntries(all.filter(() => random.chance(0.8)).map((name) => [name, makeLiked(random, named[name], depth - 1)]));
  }
  if (items !== undefined || isList(prefixItems) || contains !== undefined) {
    const first = [...(isList(prefixItems) ? prefixItems : []), ...(isList(items) ? items : [])];
    const others = random.several(0, 2, () => (isList(items) ? contains : (items ?? contains)));
    return [...first, ...others].map((each) => makeLiked(random, each, depth - 1));
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const parts = schema[keyword];
    if (isList(parts) && random.chance(0.7)) return makeLiked(random, random.pick(parts), depth - 1);
  }
  return makeValue(random, 2);
}

/** A document that says something of the attribute `v`. */
export function makeSchema(random: Random): { readonly document: Json; readonly of: Json } {
  const [draft, $schema] = random.pick(drafts);
  const definitions = draft >= 2019 ? "$defs" : "definitions";
  const leaf = (): Schema =>
    Object.assign(
      {},
      ...random.several(1, 2, () =>
        random.pick<() => Schema>([
          () => ({ type: random.chance(0.8) ? random.pick(kinds) : random.some(2, 3, kinds) }),
          () => ({ enum: random.some(1, 4, constants) }),
          () => (draft === 4 ? { enum: [makeValue(random, 2)] } : { const: makeValue(random, 2) }),
          () => ({ minLength: random.whole(3), maxLength: 1 + random.whole(3) }),
          () => ({ pattern: random.pick(patterns) }),
          () => ({ minimum: random.pick(numbers) }),
          () => ({ maximum: random.pick(numbers) }),
          () => ({ multipleOf: random.pick([1, 2, 0.5, 0.1, 0.01, 1e-7, 3]) }),
          () => (draft === 4 ? { maximum: random.pick(numbers), exclusiveMaximum: true } : { exclusiveMaximum: random.pick(numbers) }),
          () => ({ minItems: random.whole(3), uniqueItems: random.chance(0.5) }),
          () => ({ maxProperties: random.whole(3), minProperties: random.whole(2) }),
          () => (draft >= 7 ? { contentEncoding: "base64", contentMediaType: "application/json" } : {}),
        ])(),
      ),
    );
  const within = (depth: number): Json => {
    if (draft >= 6 && random.chance(0.08)) return random.chance(0.7);
    if (random.chance(0.1)) return { $ref: `#/${definitions}/leaf` };
    if (depth <= 0) return leaf();
    const sub = (): Json => within(depth - 1);
    const object = (least: number, most: number, from: readonly string[]): Json =>
      Object.fromEntries(random.some(least, most, from).map((name) => [name, sub()]));
    const parts: readonly (() => Schema)[] = [
      () => ({ properties: object(1, 3, names), ...(random.chance(0.5) && { required: random.some(1, 2, names) }) }),
      () => ({ patternProperties: object(1, 2, patterns), additionalProperties: random.chance(0.5) ? random.chance(0.3) : sub() }),
      () => (draft >= 6 ? { propertyNames: { maxLength: 1 + random.whole(3) } } : {}),
      () =>
        draft >= 2019
          ? { dependentRequired: { [random.pick(names)]: random.some(1, 2, names) }, dependentSchemas: object(1, 1, names) }
          : { dependencies: { [random.pick(names)]: random.chance(0.5) ? random.some(1, 2, names) : sub() } },
      () =>
        draft === 2020
          ? { prefixItems: [sub()], ...(random.chance(0.6) && { items: sub() }) }
          : { items: random.chance(0.5) ? [sub(), sub()] : sub(), additionalItems: random.chance(0.5) },
      () =>
        draft >= 6 ? { contains: sub(), ...(draft >= 2019 && { minContains: random.whole(3), maxContains: 1 + random.whole(2) }) } : {},
      () => ({ [random.pick(["allOf", "anyOf", "oneOf"])]: [sub(), sub()] }),
      () => ({ not: sub() }),
      () => (draft >= 7 ? Object.fromEntries(["if", ...random.some(1, 2, ["then", "else"])].map((keyword) => [keyword, sub()])) : {}),
      () => (draft >= 2019 ? { [random.pick(["unevaluatedProperties", "unevaluatedItems"])]: random.chance(0.6) ? false : sub() } : {}),
    ];
    return Object.assign(random.chance(0.5) ? leaf() : {}, ...random.several(1, 3, () => random.pick(parts)())) as Schema;
  };
  const of = within(2);
  return { of, document: { ...($schema !== undefined && { $schema }), properties: { v: of }, [definitions]: { leaf: leaf() } } };
}

const isSchema = (json: Json | undefined): json is Schema => typeof json === "object" && json !== null && !isList(json);
const isList = (json: Json | undefined): json is readonly Json[] => Array.isArray(json);
