/** What patterns of actions, roles and kinds match, and that matching takes linear time. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Match, matches, matchesGlob } from "../../../runtime/decide/glob.ts";

describe("a glob", () => {
  it.each<[pattern: string, matching: readonly string[], others: readonly string[]]>([
    ["*", ["", "a", "a:b", "a:b:c"], []],
    ["view:*", ["view:1", "view:", "view:a.b"], ["view", "view:1:2", "xview:1", "VIEW:1"]],
    ["*:*", [":", "x:", ":dd", "a:b"], ["a", "a:b:c"]],
    ["**", ["", "a:b:c"], []],
    ["**:dd", ["1:2:dd", ":dd"], ["dd", "1:dd:x"]],
    ["*:tail", ["1:tail", ":tail"], ["1:2:tail"]],
    ["a*c", ["ac", "abc", "abbc"], ["ab", "a:c", "abcd"]],
    ["*a*b*", ["ab", "xaxbx"], ["ba", "a:b"]],
    ["x?*", ["x1", "x12"], ["x", "x:"]],
    ["[x-z]*", ["x", "y1", "z"], ["w", "", "xx:"]],
    ["[!x-z]*", ["a", ":"], ["x", ""]],
    ["[abc]*", ["a1", "b"], ["d"]],
    ["[!abc]*", ["d"], ["a"]],
    ["{c,d}*", ["c", "d1"], ["e", "cd:"]],
    ["{a*,b:*}", ["a", "ax", "b:", "b:1"], ["b", "c"]],
    ["*{,s}", ["cat", "cats", ""], ["a:b"]],
    ["{a,{b,c}d}*", ["a", "bd", "cd1"], ["b", "d"]],
    ["{a*", ["a", "ab"], ["{a", "b"]],
    ["a\\*b*", ["a*b", "a*bc"], ["axb", "a\\*b"]],
    ["*\\", ["a", ""], ["a:"]],
    ["*[", [], ["", "a", "["]],
    ["*[]", [], ["", "a", "[]"]],
    ["*[z-a]", [], ["z", "a"]],
    ["{a,[}*", [], ["a", "ax", "{a,[}"]],
    ["{[z-a],b}*", [], ["b", "z"]],
    ["{x,{a,[}}*", [], ["x", "a", "x}", "x}b"]],
    [`${"{".repeat(100)}a*`, ["a", "ab"], ["b"]],
    // Nested too deep.
    [`${"{".repeat(101)}a*`, [], ["a", "ab"]],
    ["*[a-cx]", [], ["a", "x"]],
    ["*[a,b]", ["a", "x,"], ["c"]],
    ["*[\\]]", ["]"], ["\\"]],
    ["*,}", ["a,}"], ["a"]],
    ["*😀?", ["😀x", "a😀😀"], ["😀"]],
  ])("%s", (pattern, matching, others) => {
    for (const text of matching) expect([text, matchesGlob(pattern, text)]).toEqual([text, true]);
    for (const text of others) expect([text, matchesGlob(pattern, text)]).toEqual([text, false]);
  });

  it("without wildcards matches itself alone", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        const escaped = text.replace(/[*?[\]{}\\,!]/g, "\\$&");
        expect(matchesGlob(escaped, text)).toBe(true);
        expect(matchesGlob(escaped, other)).toBe(text === other);
      }),
    );
  });

  it("agrees with a pattern that backtracks", () => {
    const pattern = fc
      .array(fc.constantFrom("*", "**", "?", "a", "b", ":", "[ab]", "[!a]", "{a,b:}", "{*,b}"), { maxLength: 6 })
      .map((parts) => parts.join(""));
    const text = fc.array(fc.constantFrom("a", "b", ":", "c"), { maxLength: 7 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, text, (glob, candidate) => {
        expect(matchesGlob(glob, candidate)).toBe(slowly(glob).test(candidate));
      }),
      { numRuns: 3000 },
    );
  });

  it("takes no time that grows faster than text and pattern", () => {
    expect(matchesGlob("*a".repeat(200), "a".repeat(20_000))).toBe(true);
    expect(matchesGlob(`${"*a".repeat(200)}b`, "a".repeat(20_000))).toBe(false);
    expect(matchesGlob(`${"{a,".repeat(50_000)}*`, "a")).toBe(false);
    expect(matchesGlob("{*,*}".repeat(200), `${"a".repeat(2000)}:`)).toBe(false);
  });
});

/** The same dialect as a regular expression: fine for short texts of a test. */
function slowly(glob: string): RegExp {
  if (glob === "*") return /^[^]*$/;
  let depth = 0;
  const source = glob.replace(/\*\*|\*|\?|\[!?[^\]]*\]|[{},]|./g, (part) => {
    switch (part) {
      case "**":
        return "[^]*";
      case "*":
        return "[^:]*";
      case "?":
        return "[^:]";
      case "{":
        depth++;
        return "(?:";
      case "}":
        depth--;
        return ")";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        return part.startsWith("[!") ? `[^${part.slice(2)}` : part;
    }
  });
  return new RegExp(`^(?:${source})$`);
}

describe("a match", () => {
  it.each<[Match, string, boolean]>([
    [{ kind: "any" }, "a:b", true],
    [{ kind: "exact", value: "view?" }, "view?", true],
    [{ kind: "exact", value: "view?" }, "viewx", false],
    [{ kind: "exact", value: "{a,b}" }, "a", false],
    [{ kind: "glob", pattern: "a*" }, "ab", true],
  ])("%j of %s is %s", (match, text, expected) => {
    expect(matches(match, text)).toBe(expected);
  });
});
