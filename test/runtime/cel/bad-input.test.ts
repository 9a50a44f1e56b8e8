/** What no honest policy does: numbers at their ends, years that are none, halves of characters, arguments without measure. Each ends in a value or an error, soon. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { call, calleeOf } from "../../../runtime/cel/call.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { functionRows } from "../../../runtime/cel/functions/index.ts";
import { longestList, longestText } from "../../../runtime/cel/limits.ts";
import type { Type } from "../../../runtime/cel/type.ts";
import { Duration, Timestamp, TypeValue, Uint, type Value } from "../../../runtime/cel/value.ts";
import { maxWork, tooMuchWork, withWork } from "../../../runtime/cel/work.ts";
import { ask, context } from "./ask.ts";

const most = "9223372036854775807";
const least = "-9223372036854775808";
const maxUint = "18446744073709551615u";

test.each([
  [`${most} + 1`, "integer overflow"],
  [`${least} + -1`, "integer overflow"],
  [`${least} - 1`, "integer overflow"],
  [`${most} - -1`, "integer overflow"],
  [`0 - ${least}`, "integer overflow"],
  [`${most} * 2`, "integer overflow"],
  [`${least} * -1`, "integer overflow"],
  [`3037000500 * 3037000500`, "integer overflow"],
  [`${least} / -1`, "integer overflow"],
  [`${least} % -1`, "integer overflow"],
  [`-(${least})`, "integer overflow"],
  ["1 / 0", "division by zero"],
  ["1 % 0", "modulus by zero"],
  [`${maxUint} + 1u`, "integer overflow"],
  ["0u - 1u", "integer overflow"],
  [`${maxUint} * 2u`, "integer overflow"],
  ["4294967296u * 4294967296u", "integer overflow"],
  ["1u / 0u", "division by zero"],
  ["1u % 0u", "modulus by zero"],
  [`int(${maxUint})`, "integer overflow"],
  ["int(9223372036854775808.0)", "integer overflow"],
  ["int(-9223372036854775808.0)", "integer overflow"],
  ['int(double("NaN"))', "integer overflow"],
  ['int(double("Infinity"))', "integer overflow"],
  ['int("9223372036854775808")', "invalid argument"],
  [`uint(-1)`, "integer overflow"],
  ["uint(-1.0)", "integer overflow"],
  ["uint(18446744073709551616.0)", "integer overflow"],
  ['uint("18446744073709551616")', "invalid argument"],
  [`math.abs(${least})`, "integer overflow"],
  ['duration("2562047h") + duration("2562047h")', "integer overflow"],
  ['duration("-2562047h") - duration("2562047h")', "integer overflow"],
  ['duration("0") - duration("-9223372036854775808ns")', "integer overflow"],
  ['duration("9223372036854775807ns") + duration("1ns")', "integer overflow"],
  ['duration("-9223372036854775808ns") - duration("1ns")', "integer overflow"],
  ['timestamp("2024-01-01T00:00:00Z") - duration("-9223372036854775808ns")', "integer overflow"],
  ['timestamp("9999-01-01T00:00:00Z") - timestamp("0001-01-01T00:00:00Z")', "integer overflow"],
  ['duration(dyn("9223372036854775808ns"))', "invalid argument"],
])("%s is no number: %s", (expression, kind) => {
  expect(ask(expression)).toMatch(new RegExp(`^error: ${kind}`));
});

test.each([
  [`${most} + ${least}`, "-1"],
  [`${least} + ${most} + 1`, "0"],
  [`-(${most})`, "-9223372036854775807"],
  [`${least} / 2 + ${least} % 10`, "-4611686018427387912"],
  [`${maxUint} - ${maxUint}`, "0u"],
  ["int(9223372036854774784.0)", "9223372036854774784"],
  ["uint(18446744073709549568.0)", "18446744073709549568u"],
  ["1.7976931348623157e308 * 10.0", 'double("Infinity")'],
  ["-1.0 / 0.0", 'double("-Infinity")'],
  ['int(duration("-9223372036854775808ns"))', least],
  ['int(duration("-9223372036854775807ns") - duration("1ns"))', least],
  ['int(duration("9223372036854775806ns") + duration("1ns"))', most],
  ['timestamp("2024-01-01T00:00:00Z") + duration("-9223372036854775808ns")', 'timestamp("1731-09-22T00:12:43.145224192Z")'],
])("%s is %s: as far as it goes", (expression, value) => {
  expect(ask(expression)).toBe(value);
});

test.each([
  ["[1, 2, 3].slice(-1, 1)", "out of range"],
  ["[1, 2, 3].slice(0, -1)", "out of range"],
  ["[1, 2, 3].slice(2, 1)", "out of range"],
  ["[1, 2, 3].slice(1, 4)", "out of range"],
  [`[1, 2, 3].slice(${least}, ${most})`, "out of range"],
])("%s is no part of a list: %s", (expression, kind) => {
  expect(ask(expression)).toMatch(new RegExp(`^error: ${kind}`));
});

describe("years", () => {
  test.each([
    ['timestamp(dyn("0000-01-01T00:00:00Z"))', "out of range"],
    ['timestamp(dyn("0000-12-31T23:59:59.999999999Z"))', "out of range"],
    ['timestamp(dyn("0001-01-01T00:00:00+00:01"))', "out of range"],
    ['timestamp(dyn("9999-12-31T23:59:59-00:01"))', "out of range"],
    ['timestamp(dyn("10000-01-01T00:00:00Z"))', "invalid argument"],
    ['timestamp(dyn("-0001-01-01T00:00:00Z"))', "invalid argument"],
    ["timestamp(dyn(253402300800))", "out of range"],
    ["timestamp(dyn(-62135596801))", "out of range"],
    [`timestamp(dyn(${most}))`, "out of range"],
    [`timestamp(dyn(${least}))`, "out of range"],
    ['timestamp("9999-12-31T23:59:59.999999999Z") + duration("1ns")', "out of range"],
    ['duration("1ns") + timestamp("9999-12-31T23:59:59.999999999Z")', "out of range"],
    ['timestamp("0001-01-01T00:00:00Z") - duration("1ns")', "out of range"],
    ['timestamp("0001-01-01T00:00:00Z") + duration("-1ns")', "out of range"],
    ['timestamp("9999-12-31T23:59:59Z") - duration("-1s")', "out of range"],
  ])("%s is none", (expression, kind) => {
    expect(ask(expression)).toMatch(new RegExp(`^error: ${kind}`));
  });

  test.each([
    // A year outside may be what the clock of a zone shows, or what the text said.
    ['timestamp(dyn("0000-12-31T23:59:00-00:01")).getFullYear()', "1"],
    ['timestamp("0001-01-01T00:00:00Z").getFullYear("-00:01")', "0"],
    ['timestamp("9999-12-31T23:59:59Z").getFullYear("+00:01")', "10000"],
    ['timestamp("9999-12-31T23:59:59.999999999Z") - duration("1ns")', 'timestamp("9999-12-31T23:59:59.999999998Z")'],
    ['timestamp("0001-01-01T00:00:00Z") + duration("1ns")', 'timestamp("0001-01-01T00:00:00.000000001Z")'],
  ])("%s is %s", (expression, value) => {
    expect(ask(expression)).toBe(value);
  });
});

/** Every half of a pair has its other half beside it. */
const isWellFormed = (text: string): boolean => Array.from(text).every((character) => !/^[\uD800-\uDFFF]$/.test(character));

/** All strings in a value. */
const textsIn = (value: Value | EvalError): readonly string[] =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.flatMap(textsIn) : [];

const onText = functionRows.filter(({ parameters }) => parameters.some(({ kind }) => kind === "string"));

describe("characters beyond the first plane", () => {
  const whole = fc.string({ unit: fc.constantFrom("a", "é", "\u{1F600}", "\u{10000}", "\uFFFF", ",", "%", "s"), maxLength: 8 });
  const piece = fc.string({ unit: fc.constantFrom("a", "\u{1F600}", "\u{1F601}", ","), maxLength: 2 });
  const halves = fc.string({ unit: fc.constantFrom("a", "\uD83D", "\uDE00", "\u{1F600}"), maxLength: 5 });
  const given =
    (text: fc.Arbitrary<string>) =>
    (type: Type, i: number): fc.Arbitrary<Value> =>
      type.kind === "string"
        ? i === 0
          ? text
          : fc.oneof(piece, text)
        : type.kind === "int"
          ? fc.bigInt({ min: -1n, max: 9n })
          : type.kind === "list"
            ? fc.array(text, { maxLength: 3 })
            : fc.constant(sampleOf(type));

  test.each(onText.map((row) => [row.id, row] as const))("%s keeps what is whole whole, and takes halves without harm", (_, row) => {
    fc.assert(
      fc.property(fc.tuple(...row.parameters.map(given(whole))), (args) => {
        const result = call(row.name, row.receiver, args, context);
        // Bytes may be cut anywhere, so only their decoding could break one; nothing else may.
        expect(textsIn(result instanceof EvalError ? result.message : result).filter((text) => !isWellFormed(text))).toEqual([]);
      }),
      { numRuns: 60 },
    );
    fc.assert(
      fc.property(fc.tuple(...row.parameters.map(given(halves))), (args) => {
        expect(call(row.name, row.receiver, args, context)).toBeDefined();
      }),
      { numRuns: 30 },
    );
  });
});

/** Something of a type that is not a string. */
function sampleOf(type: Type): Value {
  switch (type.kind) {
    case "bool":
      return true;
    case "uint":
      return new Uint(1n);
    case "double":
      return 1.5;
    case "bytes":
      return new Uint8Array([97]);
    case "timestamp":
      return new Timestamp(0, 0);
    case "duration":
      return new Duration(1, 0);
    case "map":
      return { a: "a" };
    case "type":
      return new TypeValue(type);
    case "opaque":
      return opaqueOf(type.name);
    default:
      return "a";
  }
}

function opaqueOf(name: string): Value {
  const text = name === "net.IP" ? "10.0.0.1" : name === "net.CIDR" ? "10.0.0.0/8" : "spiffe://a/b";
  const maker: { readonly [name: string]: string } = {
    "net.IP": "ip",
    "net.CIDR": "cidr",
    spiffeMatcher: "spiffeMatchExact",
    optional_type: "optional.of",
  };
  const made = call(maker[name] ?? name, false, [text], context);
  return made instanceof EvalError ? null : made;
}

describe("arguments without measure", () => {
  const a = "a".repeat(200_000);
  const numbers = Array.from({ length: 20_000 }, (_, i) => BigInt(i % 5000));
  const names = Array.from({ length: 20_000 }, (_, i) => `name ${i}`);
  const hugeTexts = [
    a,
    `${"a".repeat(100_000)}b`,
    "%s".repeat(60_000),
    "(a+)+$",
    ".",
    "a/".repeat(60_000),
    "*a".repeat(2000),
    `1${"0".repeat(80_000)}`,
    "\u{1F600}".repeat(80_000),
  ];
  const huge = (type: Type): readonly Value[] => {
    switch (type.kind) {
      case "string":
        return hugeTexts;
      case "int":
        return [2n ** 63n - 1n, -(2n ** 63n), 400_000n];
      case "bytes":
        return [new Uint8Array(400_000).fill(97)];
      case "list":
        return type.element.kind === "string" || type.element.kind === "parameter"
          ? [names, [a, a, a]]
          : type.element.kind === "list"
            ? [[numbers, numbers, [numbers]]]
            : [numbers];
      default:
        return [sampleOf(type)];
    }
  };

  test.each(functionRows.filter(({ parameters }) => parameters.length > 0).map((row) => [row.id, row] as const))(
    "%s comes to an end",
    (_, row) => {
      for (let i = 0; i < hugeTexts.length; i += row.parameters.some(({ kind }) => kind === "string") ? 1 : 4) {
        const args = row.parameters.map((type, k) => {
          const options = huge(type);
          return options[(i + k * (i % 3)) % options.length] ?? null;
        });
        try {
          const result = withWork(maxWork, 200_000, () => call(row.name, row.receiver, args, context));
          expect(textsIn(result).every((text) => text.length <= longestText)).toBe(true);
          if (Array.isArray(result)) expect(result.length).toBeLessThanOrEqual(longestList);
        } catch (thrown) {
          expect(thrown).toBe(tooMuchWork);
        }
      }
    },
  );

  test.each([
    ["(a+)+$", false],
    ["(a|aa)+$", false],
    ["^(a?){50}a{50}$", false],
    ["([a-z]+)*[0-9]", false],
    ["(.*)*b", true],
  ])("%s is looked for in a long text in one pass", (pattern, found) => {
    expect(call("matches", true, [`${"a".repeat(100_000)}b`, pattern], context)).toBe(found);
  });
});

test.each<[what: string, name: string, isMethod: boolean, args: readonly Value[]]>([
  ["a function that is none", "nope", false, [1n]],
  ["a method that is none", "nope", true, [1n]],
  ["a function as a method", "int", true, ["1"]],
  ["a method as a function", "startsWith", false, ["a", "a"]],
  ["an argument too many", "int", false, ["1", "2"]],
  ["an argument too few", "startsWith", true, ["a"]],
  ["no argument at all", "int", false, []],
])("a call that nobody checked is an error: %s", (_what, name, isMethod, args) => {
  expect(calleeOf(name, isMethod, args.length)(args, context)).toBeInstanceOf(EvalError);
});
