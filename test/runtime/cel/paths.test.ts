/** File paths beyond their examples: every style, every root, and patterns that could take long. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EvalError } from "../../../runtime/cel/error.ts";
import { matchesPath } from "../../../runtime/cel/path-pattern.ts";
import { joinPaths, lastElement, parentOf, printPath, readPath, volumeOf, wayBetween } from "../../../runtime/cel/path.ts";
import type { Path } from "../../../runtime/cel/path.ts";

function read(text: string): Path {
  const path = readPath(text);
  if (path instanceof EvalError) throw new Error(path.message);
  return path;
}

test.each([
  // path                       cleaned                     last       parent
  ["", ".", ".", "."],
  [".", ".", ".", "."],
  ["..", "..", "..", "."],
  ["/", "/", "/", "/"],
  ["/..", "/", "/", "/"],
  ["//a", "/a", "a", "/"],
  ["a/../..", "..", "..", "."],
  ["../a", "../a", "a", ".."],
  ["a/./b//c/", "a/b/c", "c", "a/b"],
  ["C:", "C:", "C:", "C:\\"],
  ["C:\\", "C:", "C:", "C:\\"],
  ["C:\\a", "C:\\a", "a", "C:"],
  ["c:\\a/b", "c:\\a\\b", "b", "c:\\a"],
  ["C:\\..\\a", "C:\\a", "a", "C:"],
  ["\\\\host\\share", "\\\\host\\share", "share", "\\\\host\\share"],
  ["\\\\host\\share\\", "\\\\host\\share", "share", "\\\\host\\share"],
  ["\\\\host\\share\\a\\..\\b", "\\\\host\\share\\b", "b", "\\\\host\\share"],
  ["\\\\host\\share\\..\\b", "\\\\host\\share\\b", "b", "\\\\host\\share"],
  ["\\\\host", "\\\\host", "host", "\\\\host"],
  ["\\a\\b", "\\a\\b", "b", "\\a"],
  ["\\a", "\\a", "a", "\\"],
  ["a\\b", "a\\b", "b", "a"],
  ["a\\", "a", "a", "."],
  ["..\\a", "..\\a", "a", ".."],
  ["1:/a", "1:/a", "a", "1:"],
])("%j is %j, its last element %j, its parent %j", (text, cleaned, last, parent) => {
  const path = read(text);
  expect([printPath(path), lastElement(path), parentOf(path)]).toEqual([cleaned, last, parent]);
});

test.each(["C:/", "C:/a", "C:a", "z:.", "D:dir/x"])("%j is no path", (text) => {
  expect(readPath(text)).toMatchObject({ kind: "invalid argument" });
});

test.each([
  // from                      to                          way
  ["/a/b", "/a/b", "."],
  ["/a/b", "/a", ".."],
  ["/a/b", "/c", "../../c"],
  ["/", "/a", "a"],
  [".", "a", "a"],
  ["a", ".", ".."],
  ["a", "../b", "../../b"],
  ["../a", "../b", "../b"],
  ["../a", "b", undefined],
  ["/a", "a", undefined],
  ["C:\\a\\b", "C:\\a\\c", "..\\c"],
  ["C:\\a", "D:\\b", "..\\..\\D:\\b"],
  ["\\\\h\\s\\a", "\\\\h\\s\\b", "..\\b"],
  ["a\\b", "a\\c", "..\\c"],
])("the way from %j to %j is %j", (from, to, way) => {
  expect(wayBetween(read(from), read(to))).toBe(way);
});

const anyPath = fc
  .array(fc.constantFrom("a", "b", "..", ".", "", "c.d"), { maxLength: 6 })
  .chain((parts) =>
    fc
      .constantFrom(...(["/", "\\"] as const))
      .chain((separator) => fc.constantFrom("", separator, "C:\\", "\\\\h\\s\\").map((root) => root + parts.join(separator))),
  );

/** What `..` does not climb over: also a host whose share is not said. */
const volumeElements = ({ style, elements }: Path): string =>
  elements.slice(0, style === "share" ? 2 : style === "drive" ? 1 : 0).join("\\");

test("cleaning twice changes nothing, and the way there leads there", () => {
  fc.assert(
    fc.property(anyPath, anyPath, (one, other) => {
      const [from, to] = [readPath(one), readPath(other)];
      if (from instanceof EvalError || to instanceof EvalError) return;
      expect(printPath(read(printPath(from)))).toBe(printPath(from));
      const way = wayBetween(from, to);
      // From one drive, host or share no way leads to another, though names can say one.
      if (way === undefined || from.style !== to.style || volumeElements(from) !== volumeElements(to)) return;
      expect(printPath(joinPaths(from, [read(way)]))).toBe(printPath(to));
    }),
    { examples: [["\\\\c.d", "\\\\a"]] },
  );
});

test.each([
  ["C:\\a", "C:"],
  ["C:", "C:"],
  ["C:/a", "C:"],
  ["\\\\host\\share\\a", "\\\\host\\share"],
  ["\\\\host\\share", "\\\\host\\share"],
  ["\\\\host\\", ""],
  ["\\\\\\share", ""],
  ["/a", ""],
  ["a\\b", ""],
  ["", ""],
  ["é:\\a", ""],
])("the volume of %j is %j", (text, volume) => {
  expect(volumeOf(text)).toBe(volume);
});

describe("patterns", () => {
  test.each([
    // pattern        path          matches
    ["*", "", true],
    ["*", "a/b", false],
    ["*/*", "a/b", true],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "abcb", false],
    ["a?c", "a\u{1F600}c", true],
    ["a?c", "a/c", false],
    ["[a-c]x", "bx", true],
    ["[^a-c]x", "bx", false],
    ["[c-a]", "b", false],
    ["[a^]", "^", true],
    ["*[0-9]", "ab7", true],
    ["*.tar.*", "x.tar.gz", true],
    ["**", "a", true],
    ["*a", "ba/a", false],
    ["]", "]", true],
    ["{a,b}", "a", false],
    ["", "", true],
  ])("%j matches %j: %j", (pattern, path, wanted) => {
    expect(matchesPath(pattern, path)).toBe(wanted);
  });

  test.each(["[", "[]", "[a", "[a-", "[a-]", "[-a]", "[^]", "[^", "a[", "*[", "[]a]", "[[]a["])(
    "%j is a bad pattern, even where it could not match",
    (pattern) => {
      expect(matchesPath(pattern, "x")).toMatchObject({ kind: "invalid argument" });
    },
  );

  test("many stars over a long path are answered", () => {
    expect(matchesPath("*a".repeat(500) + "b", "a".repeat(5000))).toBe(false);
    expect(matchesPath("*".repeat(5000) + "b", "a".repeat(5000))).toBe(false);
  });
});

test.each([
  // pattern      path       matches
  ["*a*b", "xaxb", true],
  ["*a*b", "xab", true],
  ["*a*b", "x/ab", false],
  ["*a*b", "xa/b", false],
  ["*a*b", "xb", false],
  ["*/a*b", "x/ab", true],
  ["*a*b*c", "1a2b3c", true],
  ["*a*b*c", "1a/b3c", false],
  ["*ab*", "ab", true],
  ["*ab*c", "abc", true],
])("between the stars of %s, %s has no slash: %s", (pattern, path, matches) => {
  expect(matchesPath(pattern, path)).toBe(matches);
});
