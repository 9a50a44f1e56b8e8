/** What YAML texts say, and where they go wrong. */
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../compiler/diagnostic.ts";
import { positionAt } from "../../../compiler/source.ts";
import { limits } from "../../../compiler/yaml/limits.ts";
import type { YamlNode } from "../../../compiler/yaml/node.ts";
import { parseYaml } from "../../../compiler/yaml/parse.ts";

function read(text: string): { readonly documents: readonly unknown[]; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const report = (diagnostic: Diagnostic): void => {
    const at = diagnostic.span && positionAt(diagnostic.span.source, diagnostic.span.start);
    problems.push(`${diagnostic.code} ${at?.line}:${at?.column}`);
  };
  return { documents: parseYaml({ path: "a.yaml", text }, report).map(plain), problems };
}

function plain(node: YamlNode): unknown {
  switch (node.kind) {
    case "list":
      return node.items.map(plain);
    case "map":
      return Object.fromEntries(node.entries.map(({ key, value }) => [key.text, plain(value)]));
    case "scalar":
      return node.type === "string" ? node.text : { [node.type]: node.text };
  }
}

describe("a value without quotes is", () => {
  // oxfmt-ignore
  test.each([
    // text          what it is
    ["yes",          "yes"],
    ["n",            "n"],
    ["on",           "on"],
    ["2024-01-31",   "2024-01-31"],
    ["12:30",        "12:30"],
    ["1_000",        { integer: "1_000" }],
    ["true",         { boolean: "true" }],
    ["FALSE",        { boolean: "FALSE" }],
    ["~",            { null: "~" }],
    ["null",         { null: "null" }],
    ["",             { null: "" }],
    ["20210210",     { integer: "20210210" }],
    ["0x1f",         { integer: "0x1f" }],
    ["-7",           { integer: "-7" }],
    ["1.5",          { float: "1.5" }],
    ["1e3",          "1e3"],
    [".inf",         { float: ".inf" }],
    ["'1'",          "1"],
    ["\"true\"",     "true"],
    ["!!str 5",      { integer: "5" }],
    ["!foo bar",     "bar"],
    ["!!timestamp 2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
    ["!!binary acme", "acme"],
    ["!!omap [b: 1]", [{ b: { integer: "1" } }]],
    ["!!pairs [b: 1]", [{ b: { integer: "1" } }]],
    ["!!set {b: null}", { b: { null: "null" } }],
  ])("%s", (text, wanted) => {
    expect(read(`a: ${text}\n`)).toEqual({ documents: [{ a: wanted }], problems: [] });
  });
});

describe("documents", () => {
  // oxfmt-ignore
  test.each([
    ["an empty text has none",                    "",                                  []],
    ["white space has none",                      " \n\n",                             []],
    ["comments have none",                        "# a\n---\n# b\n",                   []],
    ["a leading and a trailing --- mean nothing", "---\na: b\n---\n",                  [{ a: "b" }]],
    ["comments stand anywhere",                   "# x\na: b # y\n# z\nc: # w\n  d",   [{ a: "b", c: "d" }]],
    ["JSON is YAML",                              "{\"a\": [1, \"b\", {\"c\": null}]}", [{ a: [{ integer: "1" }, "b", { c: { null: "null" } }] }]],
    ["a text has several",                        "a: b\n---\nc: d\n",                 [{ a: "b" }, { c: "d" }]],
    ["anchors are known in later documents",      "a: &x b\n---\nc: *x\n",             [{ a: "b" }, { c: "b" }]],
    ["two escapes can be one character",          "a: \"\\ud83d\\ude00\"\n",         [{ a: "\u{1f600}" }]],
    ["a byte order mark is not text",             "\uFEFFa: b\n",                      [{ a: "b" }]],
    ["nor does it indent what follows",           "\uFEFFa:\n  - b\nc: |\n  d\n",      [{ a: ["b"], c: "d\n" }]],
    ["lines end as on Windows",                   "a: b\r\nc:\r\n  - d\r\n",           [{ a: "b", c: ["d"] }]],
    ["a block at the end of a file without a last line break has none", "a: >\n  b\n  c", [{ a: "b c" }]],
    ["a block keeps its last line break",         "a: |\n  b\n",                       [{ a: "b\n" }]],
  ])("%s", (_, text, wanted) => {
    expect(read(text)).toEqual({ documents: wanted, problems: [] });
  });
});

describe("merging", () => {
  // oxfmt-ignore
  test.each([
    ["takes the fields of an alias",           "a: &x {b: 1b, c: 1c}\nd: {<<: *x}",              { b: "1b", c: "1c" }],
    ["takes the fields of a mapping",          "d:\n  <<: {b: x}\n  c: y",                       { b: "x", c: "y" }],
    ["lets the mapping's own fields win",      "a: &x {b: 1b}\nd: {<<: *x, b: mine}",            { b: "mine" }],
    ["lets them win before the merge too",     "a: &x {b: 1b}\nd: {b: mine, <<: *x}",            { b: "mine" }],
    ["is shallow",                             "a: &x {b: {c: x, d: y}}\nd: {<<: *x, b: {c: z}}", { b: { c: "z" } }],
    ["goes through what was merged",           "a: &x {b: q}\nc: &y {<<: *x}\nd: {<<: *y}",      { b: "q" }],
    ["is not meant by a quoted <<",            "d: {\"<<\": x}",                                 { "<<": "x" }],
  ])("%s", (_, text, wanted) => {
    expect(read(text)).toEqual({ documents: [expect.objectContaining({ d: wanted })], problems: [] });
  });
});

describe("the place of a mistake", () => {
  // oxfmt-ignore
  test.each([
    // The places are those of the reference, 0.51.0.
    ["\"not closed",                            "yaml-syntax 1:1"],
    ["a:\n  \"x: y\nb: c\n",                    "yaml-syntax 2:3"],
    ["a:\n  b: c\n  d! e\n  f: g\n",            "yaml-syntax 3:3"],
    ["a: b\n   c: d\n",                         "yaml-syntax 1:4"],
    ["a: b\n\tc: d\n",                          "yaml-syntax 2:1"],
    ["a: b: c\n",                               "yaml-syntax 1:4"],
    // Not the reference's: it begins a line there, and our parser would not.
    ["a: b\n# c\rd: e\n",                       "yaml-syntax 2:4"],
    ["a: b\rc: d\r",                            "yaml-syntax 1:5"],
    ["a: |\n  b\r\r\n",                         "yaml-syntax 2:4"],
    ["a: @b\n",                                 "yaml-syntax 1:4"],
    ["a: [b, c\nd: e\n",                        "yaml-syntax 2:1"],
    ["{\"a\": 1\n \"b\": 2}\n",                  "yaml-syntax 2:2"],
    ["{\"a\": \"c\"\n \"b\": 2}\n",              "yaml-syntax 2:2"],
    ["a: \"b\\qc\"\n",                          "yaml-syntax 1:7"],
    ["a: \"b\\ud83d\"\n",                       "yaml-syntax 1:4"],
    ["a:\n  - \"\\ude00\"\n",                    "yaml-syntax 2:5"],
    ["\"\\ude00\\ud83d\": b\n",                 "yaml-syntax 1:1"],
    ["a: \"GB\" in c\n",                        "yaml-quoted-text 1:4"],
    ["a: 'b' c\n",                              "yaml-quoted-text 1:4"],
    ["a: b\nc: d\na: e\n",                      "yaml-duplicate-key 3:1"],
    ["a: {b: c, b: d}\n",                       "yaml-duplicate-key 1:11"],
    ["a: *b\n",                                 "yaml-unknown-anchor 1:4"],
    ["a: &x [*x]\n",                            "yaml-unknown-anchor 1:8"],
    ["a: &x b\nc: &x d\n",                      "yaml-duplicate-anchor 2:4"],
    ["a:\n  <<: b\n",                           "yaml-merge 2:7"],
    ["a: &x {b: c}\nd: {<<: [*x]}\n",           "yaml-merge 2:9"],
    ["wat\n",                                   "invalid-document 1:1"],
    ["- a\n---\nb\n",                           "invalid-document 1:1"],
    ["\uFEFF- a\n- b\n",                         "invalid-document 1:2"],
    ["\uFEFFa: b\nc: d\na: e\n",                 "yaml-duplicate-key 3:1"],
    ["? [a]\n: b\n",                            "yaml-syntax 2:1"],
    [`a:\n  ${"b".repeat(1025)}: c\n`,           "yaml-syntax 2:3"],
  ])("%j", (text, wanted) => {
    expect(read(text)).toEqual({ documents: [], problems: [wanted] });
  });

  test("documents beside a list are still read", () => {
    expect(read("a: b\n---\nwat\n---\nc: d\n")).toEqual({ documents: [{ a: "b" }, { c: "d" }], problems: ["invalid-document 3:1"] });
  });
});

describe("a hostile text is refused, and hangs nothing", () => {
  const laughs = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]",
    ..."bcdefghij".split("").map((name, index) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghi"[index]}`).join(", ")}]`),
  ];
  const merges = [
    "a: &a {x: y}",
    ..."bcdefghijklmnopqrstuvw"
      .split("")
      .map((name, index) => `${name}: &${name} {l: *${"abcdefghijklmnopqrstuv"[index]}, <<: *${"abcdefghijklmnopqrstuv"[index]}}`),
  ];
  // oxfmt-ignore
  test.each([
    ["aliases of aliases of aliases", laughs.join("\n")],
    ["merges of merges of merges", merges.join("\n")],
    ["twenty thousand brackets", `a: ${"[".repeat(20_000)}`],
    ["twenty thousand braces", "{a: ".repeat(20_000)],
    ["twenty thousand dashes", "- ".repeat(20_000)],
    ["twenty thousand question marks", "? ".repeat(20_000)],
    ["a text that is too long", `a: ${"x".repeat(limits.length)}`],
  ])("%s", (_, text) => {
    const { documents, problems } = read(text);
    expect(documents).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(/^yaml-(too-large|syntax)|^invalid-document/)]);
  });

  test("names of built-in properties are keys like any other", () => {
    const [document] = parseYaml({ path: "a.yaml", text: "__proto__: a\nconstructor: b\nhasOwnProperty: c\nlength: d\n" }, () => {});
    expect(document?.entries.map(({ key }) => key.text)).toEqual(["__proto__", "constructor", "hasOwnProperty", "length"]);
  });
});
