/** Parsing: the values of literals, the places of nodes, and what is said about text that is no expression. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { childrenOf } from "../../../compiler/cel/children.ts";
import { maximumLength, parse } from "../../../compiler/cel/parse.ts";
import { Uint } from "../../../runtime/cel/value.ts";
import type { Expression } from "../../../runtime/cel/ast.ts";
import { expression, scrawl } from "./expressions.ts";
import { printExpression } from "../../../compiler/cel/print.ts";

const octets = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

test.each<readonly [string, unknown]>([
  ["null", null],
  ["true", true],
  ["false", false],
  ["0", 0n],
  ["007", 7n],
  ["0xfF", 255n],
  ["-0x8000000000000000", -(2n ** 63n)],
  ["9223372036854775807", 2n ** 63n - 1n],
  ["-9223372036854775808", -(2n ** 63n)],
  ["18446744073709551615u", new Uint(2n ** 64n - 1n)],
  ["0XFFu", undefined],
  ["0xFFU", new Uint(255n)],
  ["1.5", 1.5],
  [".5", 0.5],
  ["1e3", 1000],
  ["1.5E-3", 0.0015],
  ["-0.0", -0],
  ["1e-400", 0],
  ["''", ""],
  ["'a\"b'", 'a"b'],
  ['"a\'b"', "a'b"],
  ["'''a'b\n\"'''", "a'b\n\""],
  ['"""a""b"""', 'a""b'],
  ["'\\a\\b\\f\\n\\r\\t\\v\\'\\\"\\\\\\?\\`'", "\u0007\b\f\n\r\t\v'\"\\?`"],
  ["'\\x41\\X42\\103\\u0044\\U00000045'", "ABCDE"],
  ["'\\xff'", "\u00ff"],
  ["'\\377'", "\u00ff"],
  ["r'\\n'", "\\n"],
  ['R"\\"', "\\"],
  ["r'''\\'''", "\\"],
  ["'''a\r\nb\rc'''", "a\nb\nc"],
  ["b'é'", octets(0xc3, 0xa9)],
  ["b'\\xff\\001'", octets(0xff, 1)],
  ["br'\\x'", octets(0x5c, 0x78)],
  ['B"\u{1F600}"', octets(0xf0, 0x9f, 0x98, 0x80)],
  ["rb'x'", undefined],
  ["'\u{1F600}'", "\u{1F600}"],
])("the literal %j has its value", (text, value) => {
  const { tree } = parse(text);
  expect(tree?.kind === "literal" ? tree.value : undefined).toEqual(value);
});

describe("an issue says what is wrong, where, and what to do", () => {
  const rows: readonly (readonly [text: string, at: string, message: string, hint?: string])[] = [
    // text                    the place                the sentence                                          the hint
    ["", "", "the expression is empty"],
    ["  // nothing", "", "the expression is empty"],
    ["a = 1", "=", "`=` is not an operator", "write `==`"],
    ["a === 1", "===", "`===` is not an operator", "write `==`"],
    ["a <> 1", "<>", "`<>` is not an operator", "write `!=`"],
    ["a & b", "&", "`&` is not an operator", "write `&&`"],
    ["a | b", "|", "`|` is not an operator", "write `||`"],
    ["a and b", "and", "`and` is not an operator", "write `&&`"],
    ["a or b", "or", "`or` is not an operator", "write `||`"],
    ["not a", "a", "unexpected `a`", "`!` negates: `!(a)`"],
    ["a not in b", "not", "unexpected `not`", "write `!(a in b)`"],
    ["a is b", "is", "unexpected `is`", "`==` compares"],
    ["a b", "b", "unexpected `b`", "an operator is missing before it"],
    ["a like b", "like", "unexpected `like`", "a pattern is tested with `text.matches(pattern)`, a beginning with `text.startsWith(part)`"],
    ["a between 1", "between", "unexpected `between`", "write `low <= a && a <= high`"],
    [
      "[x for x in a]",
      "for",
      "unexpected `for` where `,` or `]` was expected",
      "write `list.map(item, value)` or `list.filter(item, condition)`",
    ],
    ["a in (1, 2)", ",", "unexpected `,` where `)` was expected", "a list is written in square brackets: `[a, b]`"],
    [
      "a.exists(x => x)",
      "=>",
      "`=>` is not an operator",
      "write `>=`; what looks at each element is written `list.exists(item, condition)`",
    ],
    ["a?.b", "", "the expression ends where `:` was expected", "an optional field is written `a.?b`, with a default `a.?b.orValue(c)`"],
    [
      "a?.b == 1 && c",
      "",
      "the expression ends where `:` was expected",
      "an optional field is written `a.?b`, with a default `a.?b.orValue(c)`",
    ],
    ["a ? .b", "", "the expression ends where `:` was expected", "write `condition ? a : b`"],
    ["a < 24h", "24h", "`24h` is not a number", 'a duration is written `duration("24h")`'],
    ["a < 1.5s", "1.5s", "`1.5s` is not a number", 'a duration is written `duration("1.5s")`'],
    ["a < 7d", "7d", "`7d` is not a number", 'a duration is written `duration("168h")`; there is no unit for days'],
    ["return a", "return", "`return` is a reserved word", "leave it out: a condition is one expression"],
    ["a \u2013 1", "\u2013", "`\u2013` has no meaning here", "write a plain `-`"],
    ["a \u2265 1", "\u2265", "`\u2265` has no meaning here", "write `>=`"],
    [
      "a ?? b",
      "?",
      "unexpected `?` where a value was expected",
      "`?` marks an optional element inside brackets, or stands between a condition and its two values",
    ],
    ["a ? b ? c : d : e", "?", "unexpected `?` where `:` was expected", "a conditional inside a conditional needs parentheses"],
    ["a ? b", "", "the expression ends where `:` was expected", "write `condition ? a : b`"],
    ["a +", "", "the expression ends where a value was expected", "`+` needs a value after it"],
    ["+1", "+", "unexpected `+` where a value was expected", "there is no unary `+`"],
    ["(a + b", "(", "`(` is never closed", "close it with `)`"],
    ["[1, 2", "[", "`[` is never closed", "close it with `]`"],
    ["{", "{", "`{` is never closed", "close it with `}`"],
    ["a)", ")", "`)` closes nothing"],
    ["f(a,)", ")", "unexpected `)` where another argument was expected", "remove the comma"],
    ["{1}", "}", "unexpected `}` where `:` was expected", "an entry is written `key: value`"],
    [
      "a.in",
      "in",
      "unexpected `in` where a field name was expected",
      '`in` is a word of the language; write .`in` with backquotes, or ["in"]',
    ],
    ["a.'b'", "'b'", "unexpected `'b'` where a field name was expected", 'a key that is no name is written `map["key"]`'],
    ["`a`", "`a`", "unexpected `a` where a value was expected", "a backquoted name only follows a `.`"],
    [
      "a.`$`",
      "`",
      "a backquote has no meaning here",
      "a backquoted name is closed by another backquote and holds letters, digits, `_`, `.`, `-`, `/` and spaces only",
    ],
    ["'abc", "'abc", "the string is not closed", "close it with `'`"],
    ["'a\nb'", "'a", "the string is not closed", "a string that spans lines is written between `'''`"],
    ["'''a", "'''a", "the string is not closed", "close it with `'''`"],
    ["'\\d'", "\\d", "`\\d` is not an escape sequence", "write the backslash twice, or put `r` before the quotes"],
    ["'\\x4'", "\\x", "`\\x` is not an escape sequence", "two hexadecimal digits follow `\\x`"],
    ["'\\477'", "\\4", "`\\4` is not an escape sequence", "an octal escape has three digits, `\\000` to `\\377`"],
    ["'\\ud800'", "\\ud800", "`\\ud800` is not a character", "a character beyond `\\uffff` is written with eight digits: `\\U0001f600`"],
    ["'\\U00110000'", "\\U00110000", "`\\U00110000` is not a character", "the last character is `\\U0010ffff`"],
    ["b'\\u0041'", "\\u0041", "`\\u0041` is a character, not an octet", "bytes take `\\x00` to `\\xff`"],
    ["'\ud800'", "\ud800", "half of a surrogate pair is not a character", "remove it, or write the whole character"],
    ["\u201cx\u201d", "\u201c", "`\u201c` is not a quotation mark of CEL", "write a plain `\"` or `'`"],
    ["a\u00a0== b", "\u00a0", "the invisible character U+00A0 is not allowed here", "write a plain space"],
    ["a # why", "#", "`#` has no meaning here", "a comment starts with `//`"],
    ["größe", "öße", "`öße` cannot be part of a name", 'names use the letters a to z, digits and `_`; other keys are written `map["key"]`'],
    ["var == 1", "var", "`var` is a reserved word", "choose another name"],
    ["12ab", "12ab", "`12ab` is not a number", "an unsigned integer ends in `u`, a double has a `.` or an exponent"],
    ["0b11", "0b11", "`0b11` is not a number", "a hexadecimal number is written `0x1F`; there are no octal or binary numbers"],
    ["1_000", "1_000", "`1_000` is not a number", "digits are written without separators"],
    [
      "9223372036854775808",
      "9223372036854775808",
      "the number is out of range for int",
      "int holds -9223372036854775808 to 9223372036854775807",
    ],
    [
      "--9223372036854775808",
      "9223372036854775808",
      "the number is out of range for int",
      "int holds -9223372036854775808 to 9223372036854775807",
    ],
    ["18446744073709551616u", "18446744073709551616", "the number is out of range for uint", "uint holds 0 to 18446744073709551615"],
    ["1e999", "1e999", "the number is out of range for double", "double holds 64 bits"],
  ];
  test.each(rows.map(([text, at, message, hint]) => ({ text, at, message, hint })))("$text", ({ text, at, message, hint }) => {
    const { tree, issues } = parse(text);
    const [issue] = issues;
    expect(tree).toBeUndefined();
    expect(issue).toEqual({ start: issue?.start, end: issue?.end, message, ...(hint !== undefined && { hint }) });
    expect(text.slice(issue?.start, issue?.end)).toMatch(
      at === "" ? /^$/ : new RegExp(`^${at.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}u?$`),
    );
  });

  test("every element of a list is read, though one before it is broken", () => {
    const { issues } = parse("f(a b, [1 2, 3], {x}, c = d, 'ok')");
    expect(issues.map((issue) => issue.message)).toEqual([
      "unexpected `b` where `,` or `)` was expected",
      "unexpected `2` where `,` or `]` was expected",
      "unexpected `}` where `:` was expected",
      "`=` is not an operator",
    ]);
  });
});

describe("bounds", () => {
  const refused = (text: string): string | undefined => parse(text).issues[0]?.message;
  const deep = "the expression is nested more than 250 levels deep";
  test.each<readonly [string, string, string | undefined]>([
    ["249 parentheses", `${"(".repeat(249)}1${")".repeat(249)}`, undefined],
    ["250 parentheses", `${"(".repeat(250)}1${")".repeat(250)}`, deep],
    ["10,000 parentheses", `${"(".repeat(10_000)}1${")".repeat(10_000)}`, deep],
    ["10,000 open brackets", "[".repeat(10_000), deep],
    ["250 lists", `${"[".repeat(250)}${"]".repeat(250)}`, undefined],
    ["251 lists", `${"[".repeat(251)}${"]".repeat(251)}`, deep],
    ["a sum of 251", Array(251).fill("1").join("+"), undefined],
    ["a sum of 252", Array(252).fill("1").join("+"), deep],
    ["a sum of 40,000", Array(40_000).fill("1").join("+"), deep],
    ["250 fields", `a${".b".repeat(250)}`, undefined],
    ["251 fields", `a${".b".repeat(251)}`, deep],
    ["40,000 fields", `a${".b".repeat(40_000)}`, deep],
    ["249 conditionals", `${"a?1:".repeat(249)}1`, undefined],
    ["250 conditionals", `${"a?1:".repeat(250)}1`, deep],
    ["50,000 negations", `${"!".repeat(50_000)}a`, undefined],
    ["a chain of 20,000", Array(20_000).fill("a").join("&&"), undefined],
    ["a list of 30,000", `[${"1,".repeat(30_000)}]`, undefined],
    ["the longest text", `'${"\u{1F600}".repeat(maximumLength - 2)}'`, undefined],
    ["a longer text", `'${"\u{1F600}".repeat(maximumLength - 1)}'`, `the expression is longer than ${maximumLength} characters`],
    ["a megabyte", "a".repeat(1_000_000), `the expression is longer than ${maximumLength} characters`],
    ["a number of 90,000 digits", "1".repeat(90_000), "the number is out of range for int"],
  ])("%s", (_, text, message) => expect(refused(text)).toBe(message));
});

function everyNode(tree: Expression): readonly Expression[] {
  const nodes = [tree];
  for (const node of nodes) nodes.push(...childrenOf(node));
  return nodes;
}

test("each node covers its own text, and its parts lie inside", () => {
  const text = "has(R.attr.a) && [1, 'é'].exists(x, x + 2 == P.attr[\"n\"]) || !f(a ? b : -3)";
  const { tree } = parse(text);
  expect(tree && everyNode(tree).map((node) => text.slice(node.start, node.end))).toEqual([
    text,
    "has(R.attr.a) && [1, 'é'].exists(x, x + 2 == P.attr[\"n\"])",
    "!f(a ? b : -3)",
    "has(R.attr.a)",
    "[1, 'é'].exists(x, x + 2 == P.attr[\"n\"])",
    "f(a ? b : -3)",
    "R.attr",
    "[1, 'é']",
    'x + 2 == P.attr["n"]',
    "a ? b : -3",
    "R",
    "1",
    "'é'",
    "x + 2",
    'P.attr["n"]',
    "a",
    "b",
    "-3",
    "x",
    "2",
    "P.attr",
    '"n"',
    "P",
  ]);
});

test("ids are unique, and places of parts lie inside the whole", () => {
  fc.assert(
    fc.property(expression, (random) => {
      const { tree } = parse(printExpression(random));
      const nodes = tree === undefined ? [] : everyNode(tree);
      expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
      for (const node of nodes) for (const part of childrenOf(node)) expect(node.start <= part.start && part.end <= node.end).toBe(true);
    }),
  );
});

test("any text is either parsed or refused with a place inside it, and nothing is thrown", () => {
  fc.assert(
    fc.property(scrawl, (text) => {
      const { tree, issues } = parse(text);
      expect(tree === undefined).toBe(issues.length > 0);
      for (const { start, end, message } of issues) {
        expect(0 <= start && start <= end && end <= text.length).toBe(true);
        expect(message).toMatch(/^[^A-Z].*[^.]$/s);
      }
    }),
    { numRuns: 3000 },
  );
});
