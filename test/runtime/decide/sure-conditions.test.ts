/** Conditions that cannot fail with the attributes there are, and those that can: in words, and held against the interpreter. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, Value } from "../../../runtime/cel/value.ts";
import type { Condition } from "../../../runtime/decide/condition.ts";
import { mayFail, needsOf, needsOfVariables, needsWithVariables } from "../../../runtime/decide/needs.ts";
import { maxElements } from "../../../runtime/decide/value-kinds.ts";
import { errorsOf, inputWith, isAsked, type Leaf, leaf, namesOf } from "./sure-conditions.ts";

const full = Array.from({ length: maxElements }, (_, at) => `tag-${at}`);
const long = [...full, "more"];

const many = Array.from({ length: 40 }, (_, at) => `a${at}`);

/** A sentence, a condition, attributes of principal and resource, and whether it has to be evaluated to know of its errors. */
type Row = readonly [says: string, text: string, principal: JsonObject, resource: JsonObject, asked: boolean];

const rows: readonly Row[] = [
  ["a number stands where one is compared", "R.attr.amount < 254", {}, { amount: 3 }, false],
  ["a text stands where a number is compared", "R.attr.amount < 254", {}, { amount: "3" }, true],
  ["null stands there", "R.attr.amount < 254", {}, { amount: null }, true],
  ["nothing stands there", "R.attr.amount < 254", {}, {}, true],
  ["what is there is no attribute of its own", "R.attr.constructor == 1", {}, {}, true],
  ["nor is this a text", "R.attr.toString.startsWith('f')", {}, {}, true],
  [
    "a double has an order beside an int and a uint",
    "R.attr.amount >= 1 && R.attr.amount <= 9u && 3.5 > R.attr.amount",
    {},
    { amount: 2 },
    false,
  ],
  ["what is beyond the doubles of JSON is not expected", "R.attr.amount < 254", {}, { amount: Infinity }, true],
  ["a NaN has no order", "R.attr.amount < 254", {}, { amount: NaN }, true],
  ["texts have an order", "R.attr.name > 'b'", {}, { name: "c" }, false],
  ["numbers have none with texts", "R.attr.name > 'b'", {}, { name: 1 }, true],
  ["booleans have one", "R.attr.flag >= (R.id == 'b')", {}, { flag: true }, false],
  ["two attributes are expected to be numbers", "R.attr.amount < P.attr.limit", { limit: 2 }, { amount: 1 }, false],
  ["texts are evaluated", "R.attr.amount < P.attr.limit", { limit: "2" }, { amount: "1" }, true],
  ["a number and a text fail", "R.attr.amount < P.attr.limit", { limit: "2" }, { amount: 1 }, true],
  ["a null has no order with itself", "R.attr.amount < P.attr.limit", { limit: null }, { amount: null }, true],
  ["a finite double by a finite double", "R.attr.amount * 3.0 < P.attr.limit", { limit: 2 }, { amount: 1e308 }, false],
  ["a text by a double", "R.attr.amount * 3.0 < P.attr.limit", { limit: 2 }, { amount: "1" }, true],
  ["a double by an int", "R.attr.amount * 3 < P.attr.limit", { limit: 2 }, { amount: 1 }, true],
  ["infinite less infinite", "R.attr.a * R.attr.a - R.attr.b * R.attr.b < 1.0", {}, { a: 1e300, b: 1e300 }, true],
  ["the same is no error where nobody orders it", "R.attr.a * R.attr.a - R.attr.b * R.attr.b != 1.0", {}, { a: 1e300, b: 1e300 }, false],
  ["zero by zero", "R.attr.a / R.attr.b < 1.0", {}, { a: 0, b: 0 }, true],
  ["zero by another", "R.attr.a / R.attr.b < 1.0", {}, { a: 0, b: 2 }, false],
  ["by a literal", "R.attr.a / 100.0 < 1.0", {}, { a: 0 }, false],
  ["by zero", "R.attr.a / 0.0 < 1.0", {}, { a: 0 }, true],
  ["ints overflow", "size(R.id) + 1 > 2", {}, {}, true],
  ["the opposite", "-R.attr.a < 3.0", {}, { a: 1 }, false],
  ["the opposite of a text", "-R.attr.a < 3.0", {}, { a: "1" }, true],
  ["anything is in a list or not", 'R.attr.region in ["APAC", "EMEA"]', {}, { region: [null] }, false],
  ["nothing is not", 'R.attr.region in ["APAC", "EMEA"]', {}, {}, true],
  ["a long list is searched", "P.id in R.attr.owners", {}, { owners: long }, false],
  ["a map has keys", "P.id in R.attr.owners", {}, { owners: { ann: 1 } }, false],
  ["a text has none", "P.id in R.attr.owners", {}, { owners: "ann" }, true],
  ["nor has null", "P.id in R.attr.owners", {}, { owners: null }, true],
  ["roles are a list", '"admin" in P.roles && size(P.roles) > 1', {}, {}, false],
  ["texts of the request begin", 'R.id.startsWith("b1")', {}, {}, false],
  ["a text ends", "R.attr.path.endsWith(P.id)", {}, { path: "/ann" }, false],
  ["a list ends with nothing", "R.attr.path.endsWith(P.id)", {}, { path: ["ann"] }, true],
  ["a text is put into small letters", 'R.attr.name.lowerAscii().trim().contains("x")', {}, { name: "X" }, false],
  ["a part of a text may lie outside", "R.attr.name.substring(1) == 'x'", {}, { name: "ax" }, true],
  ["a pattern may take too long", "R.attr.name.matches('^a+$')", {}, { name: "aa" }, true],
  ["a text may become too long", "R.attr.name + R.id == 'ab17'", {}, { name: "a" }, true],
  ["lists have a size", "size(R.attr.tags) > 3", {}, { tags: long }, false],
  ["so have texts", "R.attr.tags.size() > 3", {}, { tags: "long" }, false],
  ["and maps", "R.attr.tags.size() > 3", {}, { tags: {} }, false],
  ["numbers have none", "size(R.attr.tags) > 3", {}, { tags: 4 }, true],
  ["a loop over a list that is short", 'R.attr.tags.exists(tag, tag == "x")', {}, { tags: full }, false],
  ["over a long one", 'R.attr.tags.exists(tag, tag == "x")', {}, { tags: long }, true],
  ["over a map", 'R.attr.tags.exists(tag, tag == "x")', {}, { tags: { x: 1 } }, true],
  ["over a text", 'R.attr.tags.exists(tag, tag == "x")', {}, { tags: "x" }, true],
  ["over texts", 'R.attr.tags.all(tag, tag.startsWith("tag-"))', {}, { tags: full }, false],
  ["over none", 'R.attr.tags.all(tag, tag.startsWith("tag-"))', {}, { tags: [] }, false],
  ["where one is no text", 'R.attr.tags.all(tag, tag.startsWith("tag-"))', {}, { tags: [...full.slice(1), 1] }, true],
  ["over long ones", 'R.attr.tags.all(tag, tag.startsWith("tag-"))', {}, { tags: long }, true],
  ["over numbers", "R.attr.scores.exists_one(score, score > 3)", {}, { scores: [1, 4] }, false],
  ["where one is none", "R.attr.scores.exists_one(score, score > 3)", {}, { scores: [1, null] }, true],
  ["numbers and what stands in a list of its own", "[1, 'a'].exists(score, R.attr.a > score)", {}, { a: 1 }, true],
  ["of what is left", 'R.attr.tags.filter(tag, tag != "x").size() > 1', {}, { tags: ["x"] }, false],
  ["of what is made", "R.attr.tags.map(tag, tag == P.id).exists(is, is == true)", {}, { tags: ["x"] }, false],
  ["with places", "R.attr.tags.exists(at, tag, at > 1 && tag == 'x')", {}, { tags: ["x"] }, false],
  ["over a long one that stands there", `${JSON.stringify(long)}.exists(tag, tag == "x")`, {}, {}, true],
  ["over a short one", `${JSON.stringify(full)}.exists(tag, tag.startsWith(R.attr.a))`, {}, { a: "x" }, false],
  ["a loop in a loop, each for itself", "R.attr.tags.exists(a, R.attr.tags.exists(b, b == 'x'))", {}, { tags: ["x"] }, true],
  ["a loop in a loop", "R.attr.tags.exists(a, R.attr.tags.exists(b, a != b))", {}, { tags: ["x"] }, true],
  ["a body that is neither true nor false", "R.attr.tags.exists(tag, tag)", {}, { tags: [true] }, true],
  ["an element that is a map", "R.attr.tags.exists(tag, tag.name == 'x')", {}, { tags: [{ name: "x" }] }, true],
  ["what a loop names is not the resource", "R.attr.tags.exists(R, R.attr.x == 1)", {}, { tags: [1], x: 1 }, true],
  ["lists meet", "hasIntersection(R.attr.tags, P.attr.tags) || R.attr.tags.isSubset(P.attr.tags)", { tags: long }, { tags: ["x"] }, false],
  ["a list meets no text", "hasIntersection(R.attr.tags, P.attr.tags)", { tags: "x" }, { tags: ["x"] }, true],
  ["what is not there may be missing where it is asked for first", "has(R.attr.by) && R.attr.by == P.id", {}, {}, false],
  ["or last", "R.attr.by.startsWith('x') && has(R.attr.by)", {}, {}, false],
  ["it may not be anything", "has(R.attr.by) && R.attr.by.startsWith('x')", {}, { by: 1 }, true],
  ["nor may something else be missing", "has(R.attr.by) && R.attr.of == P.id", {}, { by: 1 }, true],
  ["nor the same of somebody else", "has(P.attr.by) && R.attr.by == P.id", {}, {}, true],
  ["nor beside `||`", "has(R.attr.by) || R.attr.by == P.id", {}, {}, true],
  ["but there where it is not there", "!has(R.attr.by) || R.attr.by > 3", {}, {}, false],
  ["not in the opposite", "!has(R.attr.by) && R.attr.by > 3", {}, {}, true],
  ["nor outside of the brackets", "(has(R.attr.by) && R.id == 'x') || R.attr.by == 3", {}, {}, true],
  ["within the brackets", "(has(R.attr.by) && R.id == 'x') && (R.attr.by == 3 || R.attr.by == P.id)", {}, {}, false],
  ["`||` within `&&` proves nothing", "(has(R.attr.by) || R.id == 'x') && R.attr.by == 3", {}, {}, true],
  ["a choice takes one way", "has(R.attr.by) ? R.attr.by == 3 : R.id == 'x'", {}, {}, false],
  ["the other way", "has(R.attr.by) ? R.id == 'x' : R.attr.by == 3", {}, {}, true],
  ["a choice by what is not there", "!has(R.attr.by) ? R.id == 'x' : R.attr.by == 3", {}, {}, false],
  ["a choice by what is no boolean", "R.attr.a ? true : false", {}, { a: 1 }, true],
  ["a choice among numbers", "(R.attr.a ? 4.5 : 3.0) > R.attr.b", {}, { a: false, b: 1 }, false],
  ["a choice of an attribute", "(R.attr.a ? R.attr.b : 3.0) > 2.0", {}, { a: false, b: 1 }, true],
  ["`has` of what an attribute holds", "has(R.attr.a.b) && R.id == 'x'", {}, { a: { b: 1 } }, true],
  ["what an attribute holds", "R.attr.a.b == 1", {}, { a: { b: 1 } }, true],
  ["`&&` takes booleans", "R.attr.a && R.attr.b", {}, { a: true, b: false }, false],
  ["and nothing else", "R.attr.a && R.attr.b", {}, { a: true, b: 1 }, true],
  ["so does `!`", "!R.attr.a", {}, { a: true }, false],
  ["and nothing else", "!R.attr.a", {}, { a: null }, true],
  ["a condition may come to anything", "R.attr.a", {}, { a: 1 }, false],
  ["claims are not looked at", "request.auxData.jwt.x == 1", {}, {}, true],
  ["nor are globals", "G.x == 1", {}, {}, true],
  ["nor is the clock", "now() > timestamp(R.attr.at)", {}, { at: "2024-01-01T00:00:00Z" }, true],
  ["the same attribute must be of both kinds", "R.attr.a > 3 || R.attr.a.startsWith('x')", {}, { a: 3 }, true],
  ["a variable of a macro", "cel.bind(x, R.attr.a, x > 3)", {}, { a: 3 }, true],
  ["optional reading", "R.attr.?a.orValue(1) == 1", {}, {}, true],
  ["many attributes", many.map((name) => `R.attr.${name} == 1`).join(" || "), {}, Object.fromEntries(many.map((name) => [name, 2])), true],
  [
    "many attributes within a loop",
    `R.attr.tags.exists(tag, ${many.map((name) => `R.attr.${name} == 1`).join(" || ")})`,
    {},
    { tags: ["x"], ...Object.fromEntries(many.map((name) => [name, 2])) },
    true,
  ],
  ["a record as a whole", "runtime == R.attr.a", {}, { a: 1 }, true],
];

describe("one expression", () => {
  test.each(rows)("%s: %s with %j and %j: asked %j", (_, text, principal, resource, asked) => {
    const input = inputWith(principal, resource);
    expect(isAsked(leaf(text), input)).toBe(asked);
    if (!asked) expect(errorsOf(leaf(text), input)).toEqual([]);
  });
});

/** The expression, or another where the compiler refuses it. */
const checkedOr =
  (other: string) =>
  (text: string): Leaf => {
    try {
      return leaf(text);
    } catch {
      return leaf(other);
    }
  };

const all = (...of: readonly Condition[]): Condition => ({ kind: "all", of });
const some = (...of: readonly Condition[]): Condition => ({ kind: "any", of });
const none = (...of: readonly Condition[]): Condition => ({ kind: "none", of });
const [asks, lacks, reads, opposite] = [leaf("has(R.attr.by)"), leaf("!has(R.attr.by)"), leaf("R.attr.by > 3"), leaf("R.id == 'x'")];

describe("several", () => {
  test.each<readonly [says: string, condition: Condition, asked: boolean]>([
    ["all: what stands behind is not asked", all(asks, reads), false],
    ["all: what stands before is", all(reads, asks), true],
    ["all: nor is it where more parts stand together", all(asks, some(opposite, reads)), false],
    ["all: parts of parts prove nothing outside", all(some(asks, opposite), reads), true],
    ["all: that it is not there proves nothing", all(lacks, reads), true],
    ["any: that it is there proves nothing", some(asks, reads), true],
    ["any: what stands behind that it is not there is not asked", some(lacks, reads), false],
    ["any: what stands before is", some(reads, lacks), true],
    ["none: the same as any", none(lacks, reads), false],
    ["none: that it is there proves nothing", none(asks, reads), true],
  ])("%s", (_, condition, asked) => {
    const input = inputWith({}, {});
    expect(isAsked(condition, input)).toBe(asked);
    if (!asked) expect(errorsOf(condition, input)).toEqual([]);
  });
});

describe("names of the policy", () => {
  const names = namesOf(
    {
      owner: "R.attr.owner",
      isOwner: "V.owner == P.id",
      asks: "has(R.attr.owner) && R.attr.owner == 'x'",
      bad: "timestamp(R.attr.at)",
      late: "V.bad > now()",
    },
    { limit: 3n, names: ["ann", "bob"], none: [], deep: { a: 1 } },
  );
  test.each<readonly [text: string, resource: JsonObject, asked: boolean]>([
    ["V.isOwner && true", { owner: "bob" }, false],
    ["V.isOwner && true", {}, true],
    ["V.owner > 'a'", { owner: "bob" }, false],
    ["V.owner > 'a'", { owner: 1 }, true],
    ["variables.asks || V.isOwner", { owner: null }, false],
    ["V.asks && V.asks", {}, false],
    ["has(R.attr.owner) && V.isOwner", {}, true],
    ["V.late && true", {}, true],
    ["has(V.asks)", {}, true],
    ["C.limit > R.attr.amount && P.id in constants.names", { amount: 1 }, false],
    ["C.limit > R.attr.amount", { amount: "1" }, true],
    ["C.names.exists(name, name.startsWith('a')) && C.none.all(name, name == 3)", {}, false],
    ["C.names.exists(name, name > 3)", {}, true],
    ["C.deep.a == 1", {}, true],
    ["R.attr.tags.exists(V, V.isOwner)", { owner: "x", tags: [1] }, true],
  ])("%s with %j: asked %j", (text, resource, asked) => {
    const input = inputWith(undefined, resource);
    expect(mayFail(needsOf(leaf(text), names), input)).toBe(asked);
    if (!asked) expect(errorsOf(leaf(text), input, names).filter(({ expression }) => expression === text)).toEqual([]);
  });

  test("errors of variables that a condition does not read are told elsewhere, or with its own", () => {
    expect(needsOf(opposite, names)).toEqual({ principal: { names: [], kinds: [] }, resource: { names: [], kinds: [] } });
    expect(needsWithVariables(opposite, names)).toBeUndefined();
    expect(needsOfVariables(names)).toBeUndefined();
    const sound = { ...names, variables: names.variables.slice(0, 3) };
    expect(needsWithVariables(opposite, sound)).toEqual(needsOfVariables(sound));
    expect(needsOfVariables(sound)?.resource.names).toEqual(["owner"]);
  });

  test("what a variable needs is reckoned again wherever it is read, and too much is not gone through", () => {
    const texts = Array.from({ length: 60 }, (_, at) => [
      `v${at}`,
      at === 0 ? "R.attr.tags.exists(tag, tag == 'x')" : `V.v${at - 1} || V.v${at - 1}`,
    ]);
    const doubling = namesOf(Object.fromEntries(texts));
    expect(needsOf(leaf("V.v4"), doubling)).toBeDefined();
    expect(needsOf(leaf("V.v59"), doubling)).toBeUndefined();
  });
});

describe("whatever is not asked does not fail", () => {
  const seed = Number(process.env["AUTHZ_SEED"] ?? 1);

  const leaves: readonly string[] = ["R.attr.a", "R.attr.b", "P.attr.a", "request.resource.attr.b", "P.attr.toString"];
  const ownTexts: readonly string[] = ["R.id", "P.id", "R.kind", "P.scope", "'x'", "''"];
  const lists: readonly string[] = ["P.roles", "['x', 'user']", "[1.0, 2.5]", "[1, 'x', null]", "[]", "C.names"];
  const ownNumbers: readonly string[] = ["1", "2u", "0.0", "-3.5", "1e308", "size(R.attr.a)", "C.limit"];

  /** Any expression of our grammar: what we say cannot fail, and what can where its parts are of other kinds. */
  const { any: anyText } = fc.letrec<{ any: string; truth: string }>((tie) => {
    const [part, truth] = [tie("any"), tie("truth")];
    const atom = fc.constantFrom(
      ...leaves,
      ...ownTexts,
      ...lists,
      ...ownNumbers,
      "null",
      "true",
      "R.attr",
      "V.own",
      "V.asks",
      "each",
      "each",
    );
    const pair = (operators: readonly string[]) =>
      fc.tuple(part, fc.constantFrom(...operators), part).map(([one, operator, other]) => `(${one} ${operator} ${other})`);
    const said = (names: readonly string[]) =>
      fc.tuple(part, fc.constantFrom(...names), part).map(([one, name, other]) => `${one}.${name}(${other})`);
    const has = fc.constantFrom(...leaves).map((read) => `has(${read})`);
    const loop = fc
      .tuple(fc.constantFrom(...leaves, ...lists), fc.constantFrom("exists", "all", "exists_one", "filter", "map"), truth)
      .map(([range, macro, body]) => `${range}.${macro}(each, ${body})`);
    return {
      truth: fc.oneof(
        { depthSize: "small" },
        has,
        fc.constantFrom("each == 'x'", "each > 1", "each.startsWith('u')", "R.attr.a", "V.asks"),
        pair(["==", "!=", "<", "<=", ">", ">=", "in"]),
        said(["contains", "startsWith", "endsWith", "hasIntersection", "isSubset"]),
        fc.tuple(truth, fc.constantFrom("&&", "||"), truth).map(([one, operator, other]) => `(${one} ${operator} ${other})`),
        truth.map((term) => `!(${term})`),
        loop,
      ),
      any: fc.oneof(
        { depthSize: "small" },
        atom,
        atom,
        truth,
        pair(["+", "-", "*", "/", "%"]),
        said(["indexOf", "lastIndexOf"]),
        part.map((term) => `-(${term})`),
        fc.tuple(fc.constantFrom("size", "lowerAscii", "upperAscii", "trim"), part).map(([name, of]) => `${of}.${name}()`),
        fc.tuple(truth, part, part).map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
        loop,
      ),
    };
  });

  const value: fc.Arbitrary<Value> = fc.oneof(
    fc.constantFrom<Value>(
      null,
      true,
      false,
      0,
      -0,
      1,
      2.5,
      -1e308,
      1e308,
      5e-324,
      Infinity,
      NaN,
      "",
      "x",
      "user",
      "\uD800",
      "x".repeat(70_000),
    ),
    fc.constantFrom<Value>(
      [],
      {},
      { x: 1 },
      { toString: 1 },
      full,
      long,
      [...full.slice(1), null],
      [1, 2, 3],
      ["x", "user"],
      [[1]],
      [NaN],
      [{ a: 1 }],
    ),
  );
  const attributes = fc.option(fc.dictionary(fc.constantFrom("a", "b", "toString"), value, { noNullPrototype: true }), { nil: undefined });
  const blocks = (of: fc.Arbitrary<Leaf>): fc.Arbitrary<Condition> =>
    fc.oneof(
      of,
      fc
        .tuple(fc.constantFrom("all" as const, "any" as const, "none" as const), fc.array(of, { minLength: 1, maxLength: 3 }))
        .map(([kind, parts]) => ({ kind, of: parts })),
    );
  const names = namesOf({ own: "R.attr.a", asks: "has(R.attr.b) && R.attr.b == 'x'" }, { limit: 3n, names: ["x", "user"] });

  /** Of what the checker refuses nothing is to be said. */
  const checkedLeaf = anyText.map(checkedOr("R.attr.a"));

  test(`of a grammar of what is claimed (AUTHZ_SEED=${seed})`, () => {
    let [sure, notAsked] = [0, 0];
    fc.assert(
      fc.property(blocks(checkedLeaf), fc.array(fc.tuple(attributes, attributes), { minLength: 6, maxLength: 6 }), (condition, inputs) => {
        if (needsWithVariables(condition, names) !== undefined) sure++;
        for (const [principal, resource] of inputs) {
          const input = inputWith(principal, resource);
          if (isAsked(condition, input, names)) continue;
          notAsked++;
          expect(errorsOf(condition, input, names)).toEqual([]);
        }
      }),
      { seed, numRuns: 20_000 },
    );
    // A test of conditions that are all asked would say nothing.
    expect([sure > 2000, notAsked > 2000]).toEqual([true, true]);
  });
});

test.each([
  ["loops over loops", `R.attr.q.z${".filter(n, n.ok)".repeat(100)}.size() > 0`, false],
  ["lists in loops", `${"[".repeat(60)}1.0${"].map(n, n)".repeat(60)}.size() > 0`, true],
  ["choices in loops", `${"(R.attr.b ? R.attr.c : ".repeat(40)}[]${").map(n, n)".repeat(40)}.size() > 0`, true],
])("%s are read once each", (_, text, sure) => {
  expect(needsOf(leaf(text), namesOf()) !== undefined).toBe(sure);
});

test("of a name that is given twice the last counts", () => {
  const [first, second] = ["'x'", "R.attr.q.z"].map((text) => ({ name: "a", expression: leaf(text).expression }));
  const names = { variables: [first ?? expect.fail(), second ?? expect.fail()], constants: new Map<string, Value>() };
  expect(needsOf(leaf("V.a < 'y'"), names)).toBeUndefined();
});
