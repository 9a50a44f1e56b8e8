/** Random schemas that ask what nothing else has evaluated, through all that may speak of the same value; and lists and objects of few kinds of parts. */
import type { Json } from "../agree/document.ts";
import type { Random } from "../agree/random.ts";

type Schema = { readonly [keyword: string]: Json };

const names = ["a", "b", "c"];
const scalars: readonly Json[] = [1, 2, "a", "b", true];

/** A list or an object, and some within it. */
export function makeParts(random: Random, depth = 2): Json {
  const part = (): Json => (depth > 0 && random.chance(0.25) ? makeParts(random, depth - 1) : random.pick(scalars));
  if (random.chance(0.7)) return random.several(0, 4, part);
  return Object.fromEntries(random.some(0, 3, names).map((name) => [name, part()]));
}

/** A document that says of the attribute `v` what may be left over in it. */
export function makeLeftOver(random: Random): Json {
  const isLatest = random.chance(0.8);
  /** About a part of the value: it ends with it, and may ask about the whole. */
  const about = (depth: number): Json =>
    random.weigh<Json>([
      [4, () => random.pick<Json>([true, { const: 1 }, { type: "string" }, { type: "number" }, { enum: ["a", 2] }, false])],
      [1, () => ({ $ref: random.pick(["#/$defs/list", "#"]) })],
      [1, () => (isLatest ? { $dynamicRef: "#whole" } : { $recursiveRef: "#" })],
      [depth > 0 ? 2 : 0, () => asking(depth - 1)],
    ]);
  const object = (most: number, make: () => Json): Schema => Object.fromEntries(random.some(1, most, names).map((name) => [name, make()]));
  const plain = (depth: number): Schema => {
    const words: readonly (() => Schema)[] = [
      () => ({ contains: about(depth) }),
      () => ({ contains: about(depth), minContains: random.whole(3), ...(random.chance(0.5) && { maxContains: random.whole(4) }) }),
      () => ({ [isLatest ? "prefixItems" : "items"]: random.several(1, 2, () => about(depth)) }),
      () => ({ [random.chance(0.5) ? "minItems" : "maxItems"]: random.whole(4) }),
      () => ({ unevaluatedItems: about(depth) }),
      () => (random.chance(0.3) ? { items: about(depth) } : {}),
      () => ({ properties: object(2, () => about(depth)) }),
      () => ({ patternProperties: { [random.pick(["^a", "[bc]"])]: about(depth) } }),
      () => ({ required: random.some(1, 1, names) }),
      () => ({ unevaluatedProperties: about(depth) }),
      () => (random.chance(0.3) ? { additionalProperties: about(depth) } : {}),
    ];
    return Object.assign({}, ...random.some(0, 2, words).map((word) => word())) as Schema;
  };
  /** About the value itself. */
  const same = (depth: number): Json => {
    if (depth <= 0) return random.chance(0.15) ? random.chance(0.6) : plain(1);
    const sub = (): Json => same(depth - 1);
    const words: readonly (() => Schema)[] = [
      ...["allOf", "anyOf", "oneOf"].map((word) => () => ({ [word]: random.several(1, 3, sub) })),
      () => ({ anyOf: random.several(2, 3, sub) }),
      () => Object.fromEntries(["if", ...random.some(0, 2, ["then", "else"])].map((word) => [word, sub()])),
      () => ({ not: sub() }),
      () => ({ not: { not: sub() } }),
      () => ({ dependentSchemas: object(2, sub) }),
      () => ({ $ref: `#/$defs/${random.pick(["list", "other"])}` }),
    ];
    return Object.assign(plain(1), ...random.some(1, 2, words).map((word) => word())) as Schema;
  };
  const asking = (depth: number): Json => ({
    ...(same(depth) as Schema),
    ...(random.chance(0.8) && { unevaluatedItems: random.chance(0.7) ? false : about(0) }),
    ...(random.chance(0.5) && { unevaluatedProperties: random.chance(0.7) ? false : about(0) }),
  });
  return {
    ...(isLatest ? { $dynamicAnchor: "whole" } : { $schema: "https://json-schema.org/draft/2019-09/schema", $recursiveAnchor: true }),
    $defs: { list: plain(0), other: { anyOf: random.several(1, 2, () => plain(0)) } },
    properties: { v: asking(2) },
    ...(random.chance(0.5) && plain(0)),
  };
}
