/** Automata of patterns: the same answers as the RE2 port, or none. */
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { matchesPattern } from "../../../runtime/cel/regex.ts";
import { openAutomaton } from "../../../runtime/cel/pattern/automaton.ts";

describe("matches", () => {
  test.each<readonly [pattern: string, matching: readonly string[], others: readonly string[]]>([
    ["^report-[0-9]+[.]pdf$", ["report-7.pdf", "report-123.pdf"], ["report-.pdf", "report-7xpdf", "a report-7.pdf", "report-7.pdf\n"]],
    ["a.c", ["abc", "xxabcxx", "a\rc", "a😀c", "a\u2028c", "a\ud800c"], ["ac", "a\nc"]],
    ["^a|b$", ["ax", "xb"], ["xa", "bx", ""]],
    ["[^a]", ["b", "\n", "é", "\udc00"], ["", "aaa"]],
    ["^[-a\\]]+$", ["-", "a-]"], ["b", ""]],
    ["^[a-]$", ["-", "a"], ["b"]],
    ["^(?:ab){2,3}$", ["abab", "ababab"], ["ab", "abababab"]],
    ["^a{0}$", [""], ["a"]],
    ["^(a*)*b$", ["b", "aaab"], ["aaa", "c"]],
    ["^$", [""], ["a", "\n"]],
    ["$^", [""], ["a"]],
    ["a$b", [], ["ab", "a", "b"]],
    ["(^a|^b)c", ["ac", "bcd"], ["xac"]],
    ["^\\s\\S$", [" a", "\tb"], ["\va", "  ", "\u00a0a"]],
    ["^\\w+$", ["a_9"], ["é", "a-b"]],
    ["^\\D\\d$", ["a0", "٣0"], ["00", "a٣"]],
    ["^😀+$", ["😀😀"], ["\ud83d", "😁"]],
    ["^[😀-😂]$", ["😁"], ["😀😀", "\ude01"]],
    ["^[^a-\u{10fffe}]$", ["\u{10ffff}", "0"], ["\u{10fffe}", "b"]],
    ["^[--a]$", ["-", "A", "a"], ["b", "+"]],
    ["^[a-c-e]$", ["b", "-", "e"], ["d"]],
    [`^${"(a)".repeat(60)}$`, ["a".repeat(60)], ["a".repeat(59)]],
    // Sets of steps whose numbers, written one after the other, are the same digits.
    ["^.{1,3}\\s{0,2}b| *?\\_$", ["Z\n0_", "zzb"], ["Z\n0"]],
    ["()", ["", "a"], []],
    ["^(GET|POST) /v[0-9]+/", ["GET /v1/x"], ["PUT /v1/x", "GET /v/"]],
  ])("%s", (pattern, matching, others) => {
    const automaton = openAutomaton(pattern);
    const answers = (texts: readonly string[]): readonly unknown[] => texts.map((text) => automaton?.test(text));
    expect(answers(matching)).toEqual(matching.map(() => true));
    expect(answers(others)).toEqual(others.map(() => false));
  });
});

describe("leaves to the port", () => {
  test.each([
    "(?i)a",
    "(?s).",
    "a(?i:b)",
    "(?P<n>a)",
    "(?<n>a)",
    "\\bword",
    "\\Aa",
    "a\\z",
    "\\pL",
    "\\x41",
    "\\Qa.b\\E",
    "[[:alpha:]]",
    "[[]",
    "[]a]",
    "\ud800",
    "[^[:digit:]]",
    "a}",
    "a]",
    "a{",
    "a{,2}",
    "(?:a{100}){10}",
    `${"(".repeat(60)}a${")".repeat(60)}`,
    Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x100 + 2 * at)).join(""),
  ])("%s", (pattern) => {
    expect(() => RE2JS.compile(pattern)).not.toThrow();
    expect(openAutomaton(pattern)).toBeUndefined();
  });
});

describe("texts that would need many states", () => {
  // Whether the thirteenth character from the end is an `a`: a state for each of the last thirteen.
  const pattern = "^[ab]*a[ab]{12}$";
  const texts = Array.from({ length: 400 }, (_, at) =>
    (at * 2_654_435_761).toString(2).replaceAll("0", "a").replaceAll("1", "b").slice(0, 30),
  );
  test("are left to the port, and answered all the same", () => {
    const automaton = openAutomaton(pattern);
    const answers = texts.map((text) => automaton?.test(text));
    expect(answers).toContain(undefined);
    const wanted = texts.map((text) => text.at(-13) === "a");
    expect(answers.map((answer, at) => answer ?? wanted[at])).toEqual(wanted);
    expect(texts.map((text) => matchesPattern(text, pattern))).toEqual(wanted);
  });
});

describe("are what the port answers", () => {
  const letters = ["a", "b", "-", "_", "A", "0", "\n", "\r", "\u2028", "é", "😀", "\ud800", "\udc00", " ", "/", "."];
  const member = fc.constantFrom(
    "a",
    "b",
    "a-c",
    "0-9",
    "A-Z",
    "\\d",
    "\\w",
    "\\s",
    "\\D",
    "\\W",
    "\\S",
    ".",
    "_",
    "\\^",
    "$",
    "é",
    "😀",
    "é-\u2028",
    "\\]",
    "\\-",
    "\\\\",
  );
  const edge = fc.constantFrom("", "", "-");
  const set = fc
    .tuple(fc.constantFrom("", "^"), edge, fc.array(member, { minLength: 1, maxLength: 3 }), edge)
    .map(([sign, before, members, after]) => `[${sign}${before}${members.join("")}${after}]`);
  const { choice: pattern } = fc.letrec<{ choice: string; sequence: string; part: string; atom: string }>((tie) => ({
    choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((branches) => branches.join("|")),
    sequence: fc.array(tie("part"), { maxLength: 6 }).map((parts) => parts.join("")),
    part: fc
      .tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}"), fc.constantFrom("", "", "?"))
      .map(([atom, repetition, lazy]) => atom + repetition + (repetition === "" ? "" : lazy)),
    atom: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("a", "b", "-", "\\.", ".", "^", "$", "\\d", "\\w", "\\S", "é", "😀", "\n", "/"),
      set,
      fc.tuple(fc.constantFrom("(", "(?:"), tie("choice")).map(([open, inner]) => `${open}${inner})`),
    ),
  }));
  const text = fc.array(fc.constantFrom(...letters), { maxLength: 9 }).map((characters) => characters.join(""));

  test("for random patterns and texts", () => {
    let [opened, matching, total] = [0, 0, 0];
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 6, maxLength: 12 }), (source, texts) => {
        const port = RE2JS.compile(source);
        const automaton = openAutomaton(source);
        if (automaton === undefined) return;
        opened++;
        for (const each of texts) {
          const wanted = port.test(each);
          expect([each, automaton.test(each)]).toEqual([each, wanted]);
          total++;
          if (wanted) matching++;
        }
      }),
      { numRuns: 3000 },
    );
    // So that the property is about something.
    expect(opened).toBeGreaterThan(1500);
    expect(matching).toBeGreaterThan(total / 5);
    expect(matching).toBeLessThan((total * 4) / 5);
  });
});
