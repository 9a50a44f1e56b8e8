/** Input that nobody means well: each is a diagnostic or a value, in bounded time and memory, and never an exception. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check } from "../../../compiler/cel/check.ts";
import { heightOf } from "../../../compiler/cel/children.ts";
import { maximumHeight } from "../../../compiler/cel/cursor.ts";
import { policyEnvironment } from "../../../compiler/cel/environment.ts";
import { maximumIssues, type Issue } from "../../../compiler/cel/issue.ts";
import { maximumLength, parse } from "../../../compiler/cel/parse.ts";
import { printExpression } from "../../../compiler/cel/print.ts";
import { scrawl } from "./expressions.ts";

/** Everything that the front end does with a text. */
function problemsOf(text: string): readonly Issue[] {
  const { tree, issues } = parse(text);
  const problems = tree === undefined ? issues : check(tree, policyEnvironment).issues;
  if (tree !== undefined) {
    expect(heightOf(tree)).toBeLessThanOrEqual(maximumHeight);
    // Canonical text has more spaces, so it may be longer than what is read.
    const canonical = printExpression(tree);
    if (canonical.length <= maximumLength) expect(parse(canonical).issues).toEqual([]);
  }
  expect(problems.length).toBeLessThanOrEqual(maximumIssues);
  for (const { start, end, message, hint = "" } of problems) {
    expect(0 <= start && start <= end && end <= text.length, `${start} to ${end} of ${text.length}`).toBe(true);
    expect(message.length + hint.length).toBeLessThan(400);
  }
  return problems;
}

const deep = "the expression is nested more than 250 levels deep";
const long = `the expression is longer than ${maximumLength} characters`;
const many = (count: number, piece: (index: number) => string): string => Array.from({ length: count }, (_, i) => piece(i)).join("");
const nest = (count: number, open: string, close: string, inner = "1"): string => open.repeat(count) + inner + close.repeat(count);
const chain = (count: number, term: string, operator: string): string => Array<string>(count).fill(term).join(operator);

describe("depth and length", () => {
  test.each<readonly [name: string, text: string, message: string | undefined]>([
    ["10,000 parentheses", nest(10_000, "(", ")"), deep],
    ["10,000 brackets", nest(10_000, "[", "]"), deep],
    ["10,000 braces", nest(10_000, "{1:", "}"), deep],
    ["10,000 open brackets of all kinds", "([{".repeat(10_000), deep],
    ["10,000 calls in calls", nest(10_000, "dyn(", ")"), deep],
    ["10,000 negated parentheses", nest(10_000, "!(", ")", "true"), deep],
    ["10,000 negations", `${"!".repeat(10_000)}true`, undefined],
    ["10,001 negations with spaces", `${"! ".repeat(10_001)}true`, undefined],
    ["10,000 signs", `${"-".repeat(10_000)}1`, undefined],
    ["5,000 conditionals to the right", `${"true?1:".repeat(5_000)}2`, deep],
    ["5,000 conditionals in the middle", nest(5_000, "true?(", "):2"), deep],
    ["10,000 fields", `R.attr${".a".repeat(10_000)}`, deep],
    ["10,000 backquoted fields", `R.attr${".`a b`".repeat(10_000)}`, deep],
    ["10,000 indexes", `R.attr.a${"[0]".repeat(10_000)}`, deep],
    ["10,000 methods", `P.id${".trim()".repeat(10_000)}`, deep],
    ["10,000 macros one after another", `[1]${".map(x,x)".repeat(10_000)}`, deep],
    ["10,000 texts added", chain(10_000, '"a"', "+"), deep],
    ["10,000 comparisons in a row", chain(10_000, "1", "=="), deep],
    ["251 calls added, as many as cel-go takes", `${chain(251, "[[dyn(1)][0]][0]", "+")} == 1`, undefined],
    ["10,000 terms of &&", chain(10_000, "true", "&&"), undefined],
    ["10,000 terms of ||", chain(10_000, "true", "||"), undefined],
    ["5,000 terms of && and ||", chain(5_000, "true&&false", "||"), undefined],
    ["200 macros in macros", `${many(200, (i) => `[1].all(x${i},`)}true${")".repeat(200)}`, undefined],
    ["2,000 macros in macros", `${many(2_000, (i) => `[1].all(x${i},`)}true${")".repeat(2_000)}`, deep],
    [
      "240 bound names in bound names",
      `${many(240, (i) => `cel.bind(x${i},${i === 0 ? "1" : `[x${i - 1},x${i - 1}]`},`)}true${")".repeat(240)}`,
      undefined,
    ],
    ["a text of 1 MB", `"${"a".repeat(1 << 20)}"`, long],
    ["1 MB of spaces", `${" ".repeat(1 << 20)}1`, long],
    ["a list of 100,000", `[${chain(100_000, "1", ",")}]`, long],
    ["a list of 49,999, the longest there can be", `[${chain(49_999, "1", ",")}]`, undefined],
    ["a map of 10,000", `{${many(10_000, (i) => `${i}:1,`)}}`, undefined],
    ["a comment of 90,000", `1 //${"x".repeat(90_000)}`, undefined],
    ["40,000 dots in a row", ".".repeat(40_000), "unexpected `.` where a value was expected"],
    ["40,000 commas", `[${",".repeat(40_000)}]`, "unexpected `,` where a value was expected"],
    ["a name of 90,000 letters", "a".repeat(90_000), `\`${"a".repeat(60)}…\` is not declared`],
    ["a message of 40,000 names", `${"a.".repeat(40_000)}b{}`, `\`${"a.".repeat(30)}…\` is not a message type`],
    ["3,000 misspelt functions", chain(3_000, "startWith(1)", "&&"), "there is no function `startWith`"],
    ["20,000 broken elements", `f(${"a b,".repeat(20_000)})`, "unexpected `b` where `,` or `)` was expected"],
    ["20,000 places in a format", `"${"%d".repeat(20_000)}".format([${chain(20_000, "1", ",")}])`, undefined],
  ])("%s", (_, text, message) => expect(problemsOf(text)[0]?.message).toBe(message));
});

describe("numbers", () => {
  const ofInt = "the number is out of range for int";
  test.each<readonly [text: string, message: string | undefined]>([
    ["9223372036854775807", undefined],
    ["-9223372036854775808", undefined],
    ["9223372036854775808", ofInt],
    ["- 9223372036854775808", undefined],
    ["-(9223372036854775808)", ofInt],
    ["0x8000000000000000", ofInt],
    ["-0x8000000000000000", undefined],
    ["18446744073709551615u", undefined],
    ["18446744073709551616u", "the number is out of range for uint"],
    ["-1u", "`-` negates int and double, not uint"],
    ["1.7976931348623157e308", undefined],
    ["1e309", "the number is out of range for double"],
    ["1e-400", undefined],
    ["9".repeat(90_000), ofInt],
    [`0x${"f".repeat(90_000)}u`, "the number is out of range for uint"],
    [`1e${"9".repeat(90_000)}`, "the number is out of range for double"],
    [`1.${"1".repeat(90_000)}`, undefined],
    [`${"0".repeat(90_000)}1`, undefined],
    ["1.", "unexpected `.`"],
    ["0x", "`0x` is not a number"],
    ["1e", "`1e` is not a number"],
    ["1__0", "`1__0` is not a number"],
  ])("%.40s", (text, message) => {
    const [issue] = problemsOf(text);
    if (message === "unexpected `.`") expect(issue).toBeDefined();
    else expect(issue?.message).toBe(message);
  });
});

describe("escapes", () => {
  /** What each escape is in a string, and in bytes: a character or octets, or undefined where it is refused. */
  const rows: readonly (readonly [escape: string, string: string | undefined, bytes: readonly number[] | undefined])[] = [
    ...[..."abfnrtv"].map((letter, i) => [`\\${letter}`, "\u0007\b\f\n\r\t\v".charAt(i), [[7, 8, 12, 10, 13, 9, 11][i] ?? 0]] as const),
    ...[..."\\?\"'`"].map((letter) => [`\\${letter}`, letter, [letter.charCodeAt(0)]] as const),
    ["\\x41", "A", [0x41]],
    ["\\X41", "A", [0x41]],
    ["\\xff", "\u00ff", [0xff]],
    ["\\000", "\u0000", [0]],
    ["\\377", "\u00ff", [0xff]],
    ["\\u0041", "A", undefined],
    ["\\uffff", "\uffff", undefined],
    ["\\U0001f600", "\u{1f600}", undefined],
    ["\\U0010ffff", "\u{10ffff}", undefined],
    ...["\\x4", "\\xg1", "\\X", "\\u004", "\\u+041", "\\U0001f60", "\\ud800", "\\udfff", "\\U0000d800", "\\U00110000", "\\Uffffffff"].map(
      (escape) => [escape, undefined, undefined] as const,
    ),
    ...["\\400", "\\8", "\\9", "\\0", "\\00", "\\08", "\\1"].map((escape) => [escape, undefined, undefined] as const),
    ...[..."cdeghijklmopqswyzACDEZ$%&#@ (){}[]é"].map((letter) => [`\\${letter}`, undefined, undefined] as const),
  ];
  const valueOf = (text: string): unknown => {
    const { tree } = parse(text);
    return tree?.kind === "literal" ? (tree.value instanceof Uint8Array ? [...tree.value] : tree.value) : undefined;
  };
  test.each(rows)("%s", (escape, string, bytes) => {
    for (const quote of ['"""', "'''"]) {
      expect(valueOf(`${quote}${escape} ${quote}`)).toBe(string === undefined ? undefined : `${string} `);
      expect(valueOf(`b${quote}${escape} ${quote}`)).toEqual(bytes && [...bytes, 32]);
      expect(valueOf(`r${quote}${escape} ${quote}`)).toBe(`${escape} `);
    }
    for (const prefix of ["", "b"]) {
      const refused = problemsOf(`${prefix}"${escape} "`);
      expect(refused.length > 0).toBe((prefix === "" ? string : bytes) === undefined);
      for (const { start, end } of refused) expect([start, end - start <= escape.length]).toEqual([prefix.length + 1, true]);
    }
  });

  test("a backslash at the end leaves the text open", () => {
    for (const text of ['"\\', '"a\\"', "b'\\'", '"""\\"""']) expect(problemsOf(text)[0]?.message).toMatch(/is not closed$/);
  });
});

test("half of a surrogate pair is refused wherever it stands, at its place; a comment may hold it", () => {
  const half = "half of a surrogate pair is not a character";
  for (const [text, ...places] of [
    ['"a\ud800"', 2],
    ["b'\udc00'", 2],
    ["r'\ud800'", 2],
    ["'''\ud800\n\udbff'''", 3, 5],
    ['"\udc00\ud800"', 1, 2],
    ["a\ud800", 1],
    ["\udfff", 0],
    ["R.attr[\ud800]", 7],
  ] as const) {
    expect(problemsOf(text).map(({ message, start, end }) => [message, start, end])).toEqual(places.map((at) => [half, at, at + 1]));
  }
  expect(problemsOf("'\ud83d\ude00' // \ud800")).toEqual([]);
});

test("names of things that every JavaScript object has are not declared, nor functions, nor fields", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    for (const text of [name, `${name}()`, `P.id.${name}()`, `R.${name}`, `math.${name}(1)`, `${name}{}`, `.${name}`]) {
      expect(problemsOf(text).length, text).toBe(1);
    }
    expect(problemsOf(`R.attr.${name} == R.attr["${name}"] && V.${name} && [1].all(${name}, ${name} > 0)`)).toEqual([]);
  }
});

test("whatever the text, problems lie inside it and say something", () => {
  fc.assert(
    fc.property(scrawl, (text) => void problemsOf(text)),
    { numRuns: 3000 },
  );
});
