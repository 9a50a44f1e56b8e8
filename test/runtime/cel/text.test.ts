/** Strings as code points, and patterns that cannot hang. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EvalError } from "../../../runtime/cel/error.ts";
import { readPlain } from "../../../runtime/cel/plain-pattern.ts";
import { findAll, matchesPattern } from "../../../runtime/cel/regex.ts";
import { charAt, indexOf, lastIndexOf, replace, reverse, split, substring, trim } from "../../../runtime/cel/string-operations.ts";
import { codePointCount, compareText, offsetOf } from "../../../runtime/cel/text.ts";
import { ask } from "./ask.ts";

const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "\u{1F600}", "\uFFFF", "\uD800"), maxLength: 8 });
const part = fc.string({ unit: fc.constantFrom("a", "b", "\u{1F600}"), maxLength: 2 });

test("counting and finding go by code points", () => {
  fc.assert(
    fc.property(text, fc.nat(9), (s, i) => {
      const characters = Array.from(s);
      expect(codePointCount(s)).toBe(characters.length);
      expect(offsetOf(s, i)).toBe(characters.slice(0, i).join("").length);
      const found = charAt(s, BigInt(i));
      if (i > characters.length) expect(found).toBeInstanceOf(EvalError);
      else expect(found).toBe(characters[i] ?? "");
      expect(reverse(s)).toBe(characters.toReversed().join(""));
    }),
  );
});

test("a substring is a slice of the characters", () => {
  fc.assert(
    fc.property(text, fc.nat(9), fc.nat(9), (s, start, end) => {
      const characters = Array.from(s);
      const found = substring(s, BigInt(start), BigInt(end));
      if (start > end || end > characters.length) expect(found).toBeInstanceOf(EvalError);
      else expect(found).toBe(characters.slice(start, end).join(""));
    }),
  );
});

test("what indexOf and lastIndexOf find is there, and nothing is before or behind it", () => {
  fc.assert(
    fc.property(text, part, fc.nat(9), (s, wanted, from) => {
      const characters = Array.from(s);
      const length = Array.from(wanted).length;
      const places = characters
        .map((_, i) => i)
        .filter((i) => characters.slice(i, i + length).join("") === wanted && i + length <= characters.length);
      if (wanted === "" || from >= characters.length) return;
      expect(indexOf(s, wanted, BigInt(from))).toBe(BigInt(places.find((i) => i >= from) ?? -1));
      expect(lastIndexOf(s, wanted, BigInt(from))).toBe(BigInt(places.findLast((i) => i <= from) ?? -1));
    }),
  );
});

test("splitting and joining give the text again", () => {
  fc.assert(
    fc.property(text, part, fc.integer({ min: -1, max: 4 }), (s, separator, most) => {
      const pieces = split(s, separator, BigInt(most));
      if (pieces instanceof EvalError) throw new Error(pieces.message);
      if (most !== 0) expect(pieces.join(separator)).toBe(s);
      if (most >= 0) expect(pieces.length).toBeLessThanOrEqual(most);
      if (separator !== "") expect(replace(s, separator, "-")).toBe(s.replaceAll(separator, "-"));
    }),
  );
});

test("text is ordered as its UTF-8 bytes are", () => {
  const encode = (s: string): Buffer => Buffer.from(s, "utf8");
  const wellFormed = fc.string({ unit: fc.constantFrom("a", "é", "\uD7FF", "\uE000", "\uFFFF", "\u{10000}", "\u{10FFFF}"), maxLength: 4 });
  fc.assert(
    fc.property(wellFormed, wellFormed, (left, right) => {
      expect(compareText(left, right)).toBe(Buffer.compare(encode(left), encode(right)));
    }),
  );
});

test.each([
  ["\u00a0 a \u2003", "a"],
  ["\u0085a", "a"],
  ["\ufeffa", "\ufeffa"],
  ["\u200ba", "\u200ba"],
  [" ".repeat(50_000) + "a", "a"],
  ["a" + " ".repeat(50_000) + "b", "a" + " ".repeat(50_000) + "b"],
])("trim takes Unicode's white space", (before, after) => {
  expect(trim(before)).toBe(after);
});

test("and nothing else", () => {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const taken = characters.filter((character) => trim(`${character}a${character}`) !== `${character}a${character}`);
  expect(taken).toEqual(characters.filter((character) => /\p{White_Space}/u.test(character)));
});

test("patterns that need no engine match what a pattern of JavaScript without its own line ends does", () => {
  const pieces = ["^", "$", ".*", "a", "b", "ab", "\\.", "\\$", "(a|b)", "(?:ab|)", "|", "."];
  const texts = ["", "a", "b", "ab", "ba", "xab", "abx", "a.b", "a$", ".", "a\nb", "ab\n", "\nab", "aab"];
  const patterns = pieces.flatMap((one) => ["", ...pieces].flatMap((two) => ["", ...pieces].flatMap((three) => one + two + three)));
  const wrong = patterns.flatMap((pattern) => {
    const engine = new RegExp(pattern);
    const plain = [readPlain(pattern), readPlain(`^${pattern}`), readPlain(`^${pattern}$`)];
    const others = [engine, new RegExp(`^${pattern}`), new RegExp(`^${pattern}$`)];
    return texts.flatMap((text) =>
      plain.flatMap((test, at) => (test === undefined || test(text) === others[at]?.test(text) ? [] : [[pattern, at, text]])),
    );
  });
  expect(wrong).toEqual([]);
  expect(patterns.filter((pattern) => readPlain(pattern) !== undefined).length).toBeGreaterThan(50);
});

describe("patterns", () => {
  test.each([
    ["foobar", "o+b", true],
    ["foobar", "^o", false],
    ["a\nb", "a.b", false],
    ["a\nb", "(?s)a.b", true],
    ["É", "(?i)é", true],
    ["a", "\\pL", true],
    ["ab", "[[:alpha:]]{2}\\z", true],
    ["\u{1F600}", "^.$", true],
    ["a b", "\\bb", true],
    ["é", "\\w", false],
    ["", "", true],
    // Two groups of one name, beside what only looks like them.
    ["ab", "(?P<n>a)(?<n>b)", true],
    ["(?P<n>ab", "\\Q(?P<n>\\E(?P<n>a)(?P<n>b)", true],
    ["<ab", "[(?P<n>](?P<n>a)(?P<n>b)", true],
    ["(?P<n>ab", "\\(\\?P<n>(?P<n>a)(?P<n>b)", true],
    // Decided without the machine.
    ["dev_x", "^dev_.*", true],
    ["dev_x\n", "^dev_.*$", false],
    ["a.txt", "\\.txt$", true],
    ["a.txt\n", "\\.txt$", false],
    ["atxt", "\\.txt$", false],
    ["exact", "^exact$", true],
    ["exacts", "^exact$", false],
    ["banana", "^(apple|banana)$", true],
    ["bananas", "^(?:apple|banana)$", false],
    ["a$", "a\\$", true],
    ["a\\", "^a\\\\$", true],
    ["a..", "^a\\.*$", true],
    ["ax", "^a\\.*$", false],
    ["\ud83d\ude00", "\ude00", false],
    // Names of classes: categories by their long names, and no matter how they are written.
    ["A", "^\\p{Lu}\\p{lu}?\\p{LU}?$", true],
    ["a", "\\p{Lu}", false],
    ["Ab1", "^\\p{Uppercase_Letter}\\p{lowercase letter}\\p{Decimal-Number}$", true],
    ["a", "\\p{^Letter}|\\P{letter}|\\P{^digit}", false],
    ["é-", "^[\\p{Letter}\\p{punct}]+$", true],
    ["é", "^[^\\p{Letter}]$", false],
    ["1", "^\\p{Letter}|[\\P{Number}]$", false],
    ["a\u00e9", "^\\p{ASCII}\\P{ascii}$", true],
    ["\u0378", "\\p{assigned}|\\P{Unassigned}", false],
    ["ǅ", "^\\p{Cased_Letter}$", true],
    ["ж", "^\\p{CYRILLIC}\\p{greek}?$", true],
    ["\u{10300}", "^\\p{Old_Italic}$", true],
    ["a ", "^\\pl\\pz$", true],
    ["\n", "(?s)\\p{any}", true],
    // What only looks like one.
    ["\\p{Letter}", "^\\Q\\p{Letter}\\E$", true],
    ["\\p{Letter}", "^\\\\p\\{Letter}$", true],
  ])("%j matches %j: %j", (s, pattern, wanted) => {
    expect(matchesPattern(s, pattern)).toBe(wanted);
  });

  test.each(["(", "a**", "(?=a)", "(?<=a)b", "\\1", "a{1001}", "(?:(?:a{100}){100}){10}", "a".repeat(5000), "[z-a]", "\\C"])(
    "%s is no pattern",
    (pattern) => {
      expect(matchesPattern("a", pattern)).toBeInstanceOf(EvalError);
    },
  );

  // Properties other than categories and scripts, which JavaScript knows and RE2 does not.
  test.each(["Lowercase", "Uppercase", "Alphabetic", "Emoji", "emoji", "White_Space", "Hex_Digit", "Math", "Unknown", "Script=Greek"])(
    "there is no class of the name %s",
    (name) => {
      for (const pattern of [`\\p{${name}}`, `a|\\P{${name}}`, `[^\\p{^${name}}]`])
        expect(matchesPattern("a", pattern)).toMatchObject({
          message: expect.stringContaining(`invalid character class range: \`${/\\[pP][{][^}]*[}]/.exec(pattern)?.[0]}\``),
        });
    },
  );

  test("patterns that make others hang are answered", () => {
    expect(matchesPattern("a".repeat(20_000) + "b", "^(a+)+$")).toBe(false);
    expect(matchesPattern("a".repeat(20_000), "(a|a)*c")).toBe(false);
    expect(matchesPattern("a".repeat(20_000), "(.*)(.*)(.*)(.*)[b]")).toBe(false);
  });

  test("what would take too long is an error", () => {
    expect(matchesPattern("é".repeat(200_000), "(?:.{1000})b")).toMatchObject({ kind: "out of range" });
  });

  test("many patterns do not stay in memory", () => {
    for (let i = 0; i < 2000; i += 1) expect(matchesPattern(`x${i}`, `^x${i}$`)).toBe(true);
  });

  test("nothing found right behind something found is no place of its own", () => {
    const places = findAll("baaac", "a*", 100);
    expect(places instanceof EvalError ? [] : places.map(({ start, end }) => [start, end])).toEqual([
      [0, 0],
      [1, 4],
      [5, 5],
    ]);
  });
});

test.each([
  ['"10.1.2.3".inIPAddrRange("::ffff:10.0.0.0/104")', "true"],
  ['"::1.2.3.4".inIPAddrRange("::/0")', "true"],
  ['"1.2.3.4".inIPAddrRange("::/0")', "false"],
  // IPv4 has its place behind ffff, and not behind what begins or ends like it.
  ['"::ffff:1.2.3.4".inIPAddrRange("1.2.3.0/24")', "true"],
  ['"::ff:1.2.3.4".inIPAddrRange("1.2.3.0/24")', "false"],
  ['"::ff00:1.2.3.4".inIPAddrRange("1.2.3.0/24")', "false"],
  ['"1::ffff:1.2.3.4".inIPAddrRange("1.2.3.0/24")', "false"],
  ['"::1:ffff:1.2.3.4".inIPAddrRange("1.2.3.0/24")', "false"],
  ['"::ffff:1.2.3.4".inIPAddrRange("::/0")', "false"],
  ['"::ff:1.2.3.4".inIPAddrRange("::/0")', "true"],
  ['"::ff00:1.2.3.4".inIPAddrRange("::/0")', "true"],
  ['"1::ffff:1.2.3.4".inIPAddrRange("::/0")', "true"],
  ["[1, 2].slice(0, 0)", "[]"],
  ["[1, 2].slice(2, 2)", "[]"],
  ['".*b".matches(".*b") && "a\\nb".matches(".*b") && !"ba".matches(".*b$") && !"".matches(".*b")', "true"],
  // The part is there, but elsewhere.
  ['"hello".startsWith("llo") || "hello".endsWith("hel") || "hello".contains("hlo")', "false"],
  ['dyn("hello").startsWith("ello") || dyn("hello").endsWith("hell")', "false"],
  ['regex.extractAll("ab b", "(a?)b")', '["a"]'],
  ['regex.extractAll("ab b", "a?")', '["a", "", "", ""]'],
  // A range may end within a byte, and begins with the first.
  ['"10.1.31.255".inIPAddrRange("10.1.16.0/20")', "true"],
  ['"10.1.32.0".inIPAddrRange("10.1.16.0/20")', "false"],
  ['"10.1.15.255".inIPAddrRange("10.1.16.0/20")', "false"],
  ['"3001:db8::1".inIPAddrRange("2001:db8::/32")', "false"],
  ['"2001:db9::1".inIPAddrRange("2001:db8::/31")', "true"],
  ['"2001:dba::1".inIPAddrRange("2001:db8::/31")', "false"],
  // What is equal is equal in all its parts.
  ['hierarchy("a.b") == hierarchy("a.b")', "true"],
  ['hierarchy("a.b") == hierarchy("a.c")', "false"],
  ['hierarchy("a.b") == hierarchy("c.b")', "false"],
  ['hierarchy("a.b") == hierarchy("a")', "false"],
  ['hierarchy("a") == hierarchy("a.b")', "false"],
  ['hierarchy("a.b")[0]', '"a"'],
  ['hierarchy("a.b")[-1]', "error: index out of bounds: -1"],
  ['spiffeTrustDomain("spiffe://x") == spiffeTrustDomain("spiffe://x")', "true"],
  ['spiffeTrustDomain("spiffe://x") == spiffeTrustDomain("spiffe://y")', "false"],
  ['dyn(hierarchy("x")) == dyn(spiffeTrustDomain("spiffe://x"))', "false"],
  ['ip("10.0.0.1") == ip("10.0.0.2")', "false"],
  ['ip("::1") == ip("0:0:0:0:0:0:0:1")', "true"],
  ['cidr("10.0.0.0/8") == cidr("10.0.0.0/9")', "false"],
  ['cidr("10.0.0.0/8") == cidr("11.0.0.0/8")', "false"],
  ['cidr("10.0.0.0/8") == cidr("10.0.0.0/8")', "true"],
  ['dyn(ip("10.0.0.1")) == dyn(cidr("10.0.0.1/32"))', "false"],
  ['"1.2.3.4".inIPAddrRange("0.0.0.0/0")', "true"],
  ['"10.1.2.3".inIPAddrRange("10.0.0.0/08")', "true"],
  ['"10.1.2.3".inIPAddrRange("10.0.0.5/8")', "true"],
  ['"::1".inIPAddrRange("::ffff:10.0.0.0/64")', "true"],
  ['"010.1.2.3".inIPAddrRange("10.0.0.0/8")', "error: invalid argument: invalid IP address: 010.1.2.3"],
  ['"fe80::1%eth0".inIPAddrRange("fe80::/10")', "error: invalid argument: invalid IP address: fe80::1%eth0"],
  ['"1:2:3:4:5:6:7::".inIPAddrRange("1::/16")', "true"],
  ['"1:2:3:4:5:6:7:8::".inIPAddrRange("1::/16")', "error: invalid argument: invalid IP address: 1:2:3:4:5:6:7:8::"],
  ['isIP(":::") || isIP("1:::2") || isIP(":1") || isIP("1:") || isIP("::1::") || isIP("12345::") || isIP("") || isIP("::1%a")', "false"],
  // What stands as IPv4 at the end of IPv6 is IPv4.
  ['isIP("::1.2.3.400") || isIP("::1.2.3") || isIP("::1.2.3.4.5") || isIP("1.2.3.4::")', "false"],
  ['string(ip("1:0:0:2:0:0:0:3"))', '"1:0:0:2::3"'],
  ['string(ip("0:0:0:0:0:0:0:0"))', '"::"'],
  ['string(ip("1:0:2:3:4:5:6:7"))', '"1:0:2:3:4:5:6:7"'],
])("%s is %s", (expression, wanted) => {
  expect(ask(expression)).toBe(wanted);
});

const relations = ["ancestorOf", "descendentOf", "immediateParentOf", "immediateChildOf", "overlaps", "siblingOf"];
test.each<[left: string, right: string, holding: readonly string[]]>([
  ["a.b", "a.b.c", ["ancestorOf", "immediateParentOf", "overlaps"]],
  ["a.b.c", "a.b", ["descendentOf", "immediateChildOf", "overlaps"]],
  ["a", "a.b.c", ["ancestorOf", "overlaps"]],
  ["a.b.c", "a", ["descendentOf", "overlaps"]],
  ["a.b.c", "a.b.d", ["siblingOf"]],
  ["a", "b", ["siblingOf"]],
  ["a.b.c", "a.x.c", []],
  ["a.b.c", "a.x.d", []],
  ["a.b.c", "x.b.c", []],
  ["a.x", "a.b.c", []],
  ["a.b.c", "a.x", []],
  ["x", "a.b.c", []],
  ["a.b.c", "x", []],
  ["ab", "ab.c.d", ["ancestorOf", "overlaps"]],
  ["a", "ab.c", []],
])("of all relations of hierarchies, between %s and %s there are %s", (left, right, holding) => {
  expect(relations.filter((relation) => ask(`hierarchy("${left}").${relation}(hierarchy("${right}"))`) === "true")).toEqual(holding);
});
