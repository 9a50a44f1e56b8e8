/** Integer arithmetic, and numbers as text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as arithmetic from "../../../runtime/cel/arithmetic.ts";
import { decodeBase64, encodeBase64 } from "../../../runtime/cel/base64.ts";
import { fixedText, scientificText } from "../../../runtime/cel/decimal-text.ts";
import { EvalError } from "../../../runtime/cel/error.ts";
import { parseDouble, parseInt64, parseUint64, plainText, shortText } from "../../../runtime/cel/number-text.ts";
import { decodeUtf8, decodeUtf8Loosely, encodeUtf8 } from "../../../runtime/cel/utf8.ts";
import { Uint } from "../../../runtime/cel/value.ts";
import { ask } from "./ask.ts";

const edges = [0n, 1n, -1n, 2n, -2n, 3n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 62n, 2n ** 32n, 2n ** 53n + 1n];
const int = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
const uint = fc.oneof(fc.constantFrom(0n, 1n, 2n, 2n ** 64n - 1n, 2n ** 63n), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));

test.each([
  ["+", arithmetic.addInt, (a: bigint, b: bigint) => a + b],
  ["-", arithmetic.subtractInt, (a: bigint, b: bigint) => a - b],
  ["*", arithmetic.multiplyInt, (a: bigint, b: bigint) => a * b],
] as const)("int %s is exact or an overflow", (_, operation, exact) => {
  fc.assert(
    fc.property(int, int, (a, b) => {
      const wanted = exact(a, b);
      const found = operation(a, b);
      if (BigInt.asIntN(64, wanted) === wanted) expect(found).toBe(wanted);
      else expect(found).toMatchObject({ kind: "integer overflow" });
    }),
  );
});

test.each([
  ["+", arithmetic.addUint, (a: bigint, b: bigint) => a + b],
  ["-", arithmetic.subtractUint, (a: bigint, b: bigint) => a - b],
  ["*", arithmetic.multiplyUint, (a: bigint, b: bigint) => a * b],
] as const)("uint %s is exact or an overflow", (_, operation, exact) => {
  fc.assert(
    fc.property(uint, uint, (a, b) => {
      const wanted = exact(a, b);
      const found = operation(new Uint(a), new Uint(b));
      if (BigInt.asUintN(64, wanted) === wanted) expect(found).toEqual(new Uint(wanted));
      else expect(found).toMatchObject({ kind: "integer overflow" });
    }),
  );
});

test("a quotient and its remainder make the dividend again", () => {
  fc.assert(
    fc.property(int, int, (a, b) => {
      const quotient = arithmetic.divideInt(a, b);
      const rest = arithmetic.moduloInt(a, b);
      if (b === 0n) {
        expect([quotient, rest]).toMatchObject([{ kind: "division by zero" }, { kind: "modulus by zero" }]);
      } else if (quotient instanceof EvalError || rest instanceof EvalError) {
        expect([a, b]).toEqual([-(2n ** 63n), -1n]);
      } else {
        expect(quotient * b + rest).toBe(a);
        expect(rest === 0n || rest < 0n === a < 0n).toBe(true);
      }
    }),
  );
});

describe("doubles as text", () => {
  test.each([
    [1, "1", "1"],
    [-0, "-0", "-0"],
    [1e6, "1e+06", "1000000"],
    [123456, "123456", "123456"],
    [1234567, "1.234567e+06", "1234567"],
    [0.0001, "0.0001", "0.0001"],
    [0.00001, "1e-05", "0.00001"],
    [1e20, "1e+20", "100000000000000000000"],
    [1e21, "1e+21", "1000000000000000000000"],
    [1.5e-7, "1.5e-07", "0.00000015"],
    [5e-324, "5e-324", `0.${"0".repeat(323)}5`],
    [123456789012, "1.23456789012e+11", "123456789012"],
    [NaN, "NaN", "NaN"],
    [Infinity, "+Inf", "+Inf"],
  ])("%d is written %s in short and %s in plain", (value, short, plain) => {
    expect([shortText(value), plainText(value)]).toEqual([short, plain]);
  });

  test("what is written is read as the same double", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(parseDouble(shortText(value).replace("Inf", "inf"))).toBe(value);
        expect(parseDouble(plainText(value))).toBe(value);
      }),
    );
  });

  test("rounding to places agrees with toFixed wherever it is not a tie", () => {
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), fc.integer({ min: 0, max: 20 }), (value, places) => {
        const [, fraction = ""] = fixedText(value, 100).split(".");
        if (/^50*$/.test(fraction.slice(places))) return;
        expect(fixedText(value, places).replace(/^-(?=[0.]+$)/, "")).toBe(value.toFixed(places).replace(/^-(?=[0.]+$)/, ""));
      }),
    );
  });

  test.each([
    [2.5, 0, "2"],
    [3.5, 0, "4"],
    [0.125, 2, "0.12"],
    [0.375, 2, "0.38"],
    [-1.2, 5, "-1.20000"],
    [1e22, 1, "10000000000000000000000.0"],
    [-0, 1, "-0.0"],
  ])("%d with %d places is %s: a tie goes to the even digit", (value, places, text) => {
    expect(fixedText(value, places)).toBe(text);
  });

  test.each<[number | bigint, number, string]>([
    [1052.032911275, 6, "1.052033e+03"],
    [9.99, 1, "1.0e+01"],
    [0, 2, "0.00e+00"],
    [1e100, 6, "1.000000e+100"],
    [2.5e-7, 0, "2e-07"],
    [12345n, 2, "1.23e+04"],
    [-5n, 1, "-5.0e+00"],
  ])("%d with %d places and a power is %s", (value, places, text) => {
    expect(scientificText(value, places)).toBe(text);
  });
});

describe("numbers from text", () => {
  test.each<[string, bigint | undefined]>([
    ["5", 5n],
    ["+5", 5n],
    ["-9223372036854775808", -(2n ** 63n)],
    ["9223372036854775808", undefined],
    ["0".repeat(99) + "7", 7n],
    ["9".repeat(100_000), undefined],
    ["", undefined],
    [" 5", undefined],
    ["5.0", undefined],
    ["0x10", undefined],
    ["1_0", undefined],
    ["٥", undefined],
  ])("int(%j)", (text, wanted) => expect(parseInt64(text)).toBe(wanted));

  test.each<[string, bigint | undefined]>([
    ["18446744073709551615", 2n ** 64n - 1n],
    ["18446744073709551616", undefined],
    ["+5", undefined],
    ["-0", undefined],
  ])("uint(%j)", (text, wanted) => expect(parseUint64(text)?.value).toBe(wanted));

  test.each<[string, number | undefined]>([
    ["1e3", 1000],
    [".5", 0.5],
    ["5.", 5],
    ["1_0.5", 10.5],
    ["0x10p1", 32],
    ["0x1.8p0", 1.5],
    ["inf", Infinity],
    ["-Infinity", -Infinity],
    ["nan", NaN],
    ["1e400", undefined],
    ["", undefined],
    [".", undefined],
    ["1__0", undefined],
    ["_1", undefined],
    [" 1", undefined],
    ["0x10", undefined],
    ["1e", undefined],
    ["1f", undefined],
  ])("double(%j)", (text, wanted) => expect(parseDouble(text)).toBe(wanted));
});

describe("bytes", () => {
  test("UTF-8 is what the platform makes of it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const bytes = encodeUtf8(text);
        expect([...bytes]).toEqual([...new TextEncoder().encode(text)]);
        expect(decodeUtf8(bytes)).toBe(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
      }),
    );
  });

  test("bytes that are no UTF-8 are refused, or marked", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), (bytes) => {
        const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
        let wanted: string | undefined;
        try {
          wanted = decoder.decode(bytes);
        } catch {
          wanted = undefined;
        }
        expect(decodeUtf8(bytes)).toBe(wanted);
        expect(decodeUtf8Loosely(bytes).includes("\uFFFD")).toBe(wanted === undefined || wanted.includes("\uFFFD"));
      }),
    );
  });

  test("and so are those at the edges of what is UTF-8", () => {
    // The first and the last of each kind of byte, and their neighbours.
    const leads = [0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff];
    const seconds = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0];
    const others = [0x7f, 0x80, 0xbf, 0xc0];
    const loose = new TextDecoder("utf-8", { ignoreBOM: true });
    const four = leads.flatMap((lead) =>
      seconds.flatMap((second) => others.flatMap((third) => others.map((fourth) => [lead, second, third, fourth]))),
    );
    const all = [2, 3, 4].flatMap((length) => four.map((bytes) => Uint8Array.from(bytes.slice(0, length))));
    const wrong = all.filter((bytes) => {
      const wanted = loose.decode(bytes);
      return decodeUtf8(bytes) !== (wanted.includes("\uFFFD") ? undefined : wanted);
    });
    expect(wrong).toEqual([]);
  });

  test("base64 is what the platform makes of it", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString("base64"));
        expect(decodeBase64(text)).toEqual(bytes);
        expect(decodeBase64(text.replace(/=+$/, ""))).toEqual(bytes);
      }),
    );
  });

  test.each(["a", "a=b=", "====", "YQ=", "Y!==", "YQ==YQ=="])("%j is no base64", (text) => {
    expect(ask("base64.decode(x)", { x: text })).toMatch(/^error: invalid argument/);
  });
});
