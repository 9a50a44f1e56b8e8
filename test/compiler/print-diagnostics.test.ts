/** How diagnostics look, whatever an author wrote. */
import { describe, expect, test } from "vitest";
import { compile } from "../../compiler/index.ts";
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { diagnosticsToJson, printDiagnostic, printDiagnostics } from "../../compiler/print-diagnostics.ts";
import { positionAt, type Source } from "../../compiler/source.ts";
import { digest } from "../../src/texts/digest.ts";

const source: Source = { path: "expense.yaml", text: "a: b\n\tc: importDerivedRoles\r\nlast" };
const emoji: Source = { path: "a.yaml", text: "- [\u{1F642}, bad]" };
const span = (start: number, end: number, of: Source = source) => ({ source: of, start, end });
const diagnostic = (rest: Partial<Diagnostic>): Diagnostic => ({
  code: "unknown-import",
  severity: "error",
  message: "no derived roles named `x`",
  ...rest,
});

// oxfmt-ignore
test.each([
  // offset  line  column
  [0,        1,    1],
  [4,        1,    5],
  [5,        2,    1],
  [27,       2,    23],
  [28,       3,    1],
  [29,       3,    2],
  [33,       3,    5],
  [1000,     3,    5],
  [-1,       1,    1],
])("offset %j is %j:%j", (offset, line, column) => {
  expect(positionAt({ path: "a", text: "a: b\n\tc: importDerivedRoles\nlast" }, offset)).toEqual({ line, column });
});

// oxfmt-ignore
test.each([
  // text                        before   line  column
  ["\u{1F642}: b",                ":",     1,    2],   // two units, one character
  ["a: b\n\u{1F642}\u{1F642}: b", "b",     1,    4],
  ["a: b\n\u{1F642}\u{1F642}: b", ": b",   1,    2],
  ["\u{1F642}\na: \u{1F642} b",   "b",     2,    6],
  ["\u{1F642}",                   "",      1,    1],
  ["e\u0301: b",                 ":",     1,    3],   // a letter and its accent are two
  ["\u00E9: b",                  ":",     1,    2],
])("of %j, %j is at %j:%j: columns count characters", (text, before, line, column) => {
  expect(positionAt({ path: "a", text }, text.indexOf(before))).toEqual({ line, column });
});

describe("text", () => {
  test("shows further problems of an expression behind the hint for the first, each with its own", () => {
    const policy = (expression: string): Source => ({
      path: "album.yaml",
      text: `apiVersion: api.authz.dev/v1\nexportVariables: {name: v, definitions: {a: '${expression}'}}\n`,
    });
    const text = policy('R.atr.x && P.id.contain("x") && foo()');
    const { diagnostics } = compile([text], { digest });
    expect(printDiagnostics(diagnostics)).toBe(
      [
        "album.yaml:2:45: error invalid-expression: undefined field `atr`",
        "  |",
        `2 | ${text.text.split("\n")[1]}`,
        `  | ${" ".repeat(45)}^^^^^`,
        "  = hint: did you mean `attr`?",
        "  = also: album.yaml:2:57: there is no function `contain` (did you mean `contains`?)",
        "  = also: album.yaml:2:78: there is no function `foo`",
      ].join("\n"),
    );
    expect(diagnosticsToJson(diagnostics)[0]?.notes).toHaveLength(2);
  });

  test("shows the line, the place in it, the hint and the notes", () => {
    expect(
      printDiagnostic(
        diagnostic({ span: span(9, 27), hint: "did you mean `y`?", notes: [{ span: span(0, 1), message: "first given here" }] }),
      ),
    ).toBe(
      [
        "expense.yaml:2:5: error unknown-import: no derived roles named `x`",
        "  |",
        "2 | \tc: importDerivedRoles",
        "  | \t   ^^^^^^^^^^^^^^^^^^",
        "  = note: expense.yaml:1:1: first given here",
        "  = hint: did you mean `y`?",
      ].join("\n"),
    );
  });

  // oxfmt-ignore
  test.each<readonly [string, Partial<Diagnostic>, string]>([
    ["underlines the narrower place",           { span: span(0, 1), focus: span(3, 4) },  "expense.yaml:1:1: error unknown-import: no derived roles named `x`\n  |\n1 | a: b\n  |    ^"],
    ["counts characters, and underlines units", { span: span(8, 11, emoji) },             "a.yaml:1:8: error unknown-import: no derived roles named `x`\n  |\n1 | - [\u{1F642}, bad]\n  |         ^^^"],
    ["stops at the end of the line",            { span: span(3, 30) },                    "expense.yaml:1:4: error unknown-import: no derived roles named `x`\n  |\n1 | a: b\n  |    ^"],
    ["points behind the end of a file",         { span: span(33, 33) },                   "expense.yaml:3:5: error unknown-import: no derived roles named `x`\n  |\n3 | last\n  |     ^"],
    ["does without a place",                    { source },                               "expense.yaml: error unknown-import: no derived roles named `x`"],
    ["does without a file",                     {},                                       "policies: error unknown-import: no derived roles named `x`"],
    ["keeps the author's text on its line",     { source, message: "a\nb\u001b[2Jc\u202e" }, "expense.yaml: error unknown-import: a\\nb\uFFFD[2Jc\uFFFD"],
  ])("%s", (_, rest, wanted) => {
    expect(printDiagnostic(diagnostic(rest))).toBe(wanted);
  });

  test("shows a part of a line that is too long", () => {
    const long: Source = { path: "a.json", text: `{${"x".repeat(100_000)}"bad"${"y".repeat(100_000)}}` };
    const printed = printDiagnostic(diagnostic({ span: span(100_001, 100_006, long) }));
    expect(printed.split("\n").every((line) => line.length < 200)).toBe(true);
    const [, , shown = "", carets = ""] = printed.split("\n");
    expect(shown.slice(carets.indexOf("^"), carets.lastIndexOf("^") + 1)).toBe('"bad"');
  });
});

test("all are sorted by file and place, and said once", () => {
  const other: Source = { path: "a.yaml", text: "x" };
  const all = [
    diagnostic({ span: span(9, 10) }),
    diagnostic({ span: span(0, 1) }),
    diagnostic({ span: span(0, 1) }),
    diagnostic({ span: span(0, 1, other) }),
    diagnostic({ source }),
  ];
  expect(
    printDiagnostics(all)
      .split("\n")
      .filter((line) => line.includes("error"))
      .map((line) => line.slice(0, line.indexOf(": "))),
  ).toEqual(["a.yaml:1:1", "expense.yaml", "expense.yaml:1:1", "expense.yaml:2:5"]);
});

test("for tools, they are plain data", () => {
  expect(
    diagnosticsToJson([
      diagnostic({ span: span(9, 27), path: "$.a", hint: "h" }),
      diagnostic({ source, code: "literal-pattern", severity: "warning" }),
    ]),
  ).toEqual([
    { file: "expense.yaml", severity: "warning", code: "literal-pattern", message: "no derived roles named `x`" },
    {
      file: "expense.yaml",
      line: 2,
      column: 5,
      path: "$.a",
      severity: "error",
      code: "unknown-import",
      kind: "import not found",
      message: "no derived roles named `x`",
      hint: "h",
    },
  ]);
});
