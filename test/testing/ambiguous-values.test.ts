/** Plain values that readers of YAML do not agree on: each is a warning with its place, what it was read as, and how to write it. */
import { describe, expect, test } from "vitest";
import { positionAt } from "../../compiler/source.ts";
import { readFixtures, readSuite } from "../../src/testing/read-suite.ts";
import { withFolder, policies } from "./suites.ts";
import { findSuites } from "../../src/testing/find-suites.ts";

/** What is warned of in fixtures: place, message and hint. */
function warningsOf(text: string): readonly string[] {
  const read = readFixtures({ path: "principals.yaml", text });
  if (read.kind === "broken") throw new Error(read.diagnostics.map(({ message }) => message).join("\n"));
  return read.warnings.map(({ span, path, severity, code, message, hint }) => {
    const { line, column } = span === undefined ? { line: 0, column: 0 } : positionAt(span.source, span.start);
    return `${line}:${column} ${path ?? ""} ${severity} ${code}: ${message} (${hint ?? ""})`;
  });
}

const attribute = (value: string): string => `principals:\n  ann: {id: ann, roles: [user], attr: {v: ${value}}}\n`;
const at = "2:43 $.principals.ann.attr.v warning ambiguous-value: ";

describe("a datum", () => {
  const orQuotes = "or put it in quotes if it is a string";
  test.each([
    ["yes", `\`yes\` is read as a string; other readers take it for \`true\` (write \`true\`, ${orQuotes})`],
    ["On", `\`On\` is read as a string; other readers take it for \`true\` (write \`true\`, ${orQuotes})`],
    ["y", `\`y\` is read as a string; other readers take it for \`true\` (write \`true\`, ${orQuotes})`],
    ["NO", `\`NO\` is read as a string; other readers take it for \`false\` (write \`false\`, ${orQuotes})`],
    ["off", `\`off\` is read as a string; other readers take it for \`false\` (write \`false\`, ${orQuotes})`],
    ["1e3", `\`1e3\` is read as a string; other readers take it for the number 1000 (write \`1000\`, ${orQuotes})`],
    ["-08", `\`-08\` is read as a string; other readers take it for the number -8 (write \`-8\`, ${orQuotes})`],
    ["1e21", `\`1e21\` is read as a string; other readers take it for the number 1e+21 (write \`1.0e+21\`, ${orQuotes})`],
    [
      "123456789012345678901",
      `\`123456789012345678901\` is read as a string; other readers take it for the number 123456789012345680000 (write \`123456789012345680000.0\`, ${orQuotes})`,
    ],
    ["1e999", "`1e999` is read as a string; other readers take it for a number (put it in quotes)"],
    ["1:30", `\`1:30\` is read as a string; other readers take it for the number 90 (write \`90\`, ${orQuotes})`],
    ["-1:30:00", `\`-1:30:00\` is read as a string; other readers take it for the number -5400 (write \`-5400\`, ${orQuotes})`],
    ["1_000", `\`1_000\` is read as the number 1000; other readers take it for a string (write \`1000\`, ${orQuotes})`],
    ["1_0.5", `\`1_0.5\` is read as the number 10.5; other readers take it for a string (write \`10.5\`, ${orQuotes})`],
    ["0b11", `\`0b11\` is read as the number 3; other readers take it for a string (write \`3\`, ${orQuotes})`],
    ["010", `\`010\` is read as the number 8; other readers take it for the number 10 (write \`8\` or \`10\`, ${orQuotes})`],
  ])("%s", (value, says) => {
    expect(warningsOf(attribute(value))).toEqual([at + says]);
  });

  test.each([
    "yES", "true", "False", "null", "~", "5", "-5", "+5", "0", "007", "0x1F", "0o17", "1.5", ".5", "1.0e3", '"yes"', "'010'", "!!str yes",
    "2026-01-31", "09:30", "12:60", "1.2.3", "e3", "_1", "yes please", "north", "10.0.0.1",
  ])("%s is the same to all who read it", (value) => {
    expect(warningsOf(attribute(value))).toEqual([]);
  }); // oxfmt-ignore
});

describe("where it stands", () => {
  test.each<[string, string, readonly string[]]>([
    ["deep inside an attribute", "principals: {ann: {id: ann, roles: [user], attr: {v: [1, {w: no}]}}}", ["1:62 $.principals.ann.attr.v[1].w"]],
    ["claims", "auxData: {t: {jwt: {admin: yes}}, u: {jwts: {a: {claims: {b: on}}}}}", ["1:28 $.auxData.t.jwt.admin", "1:62 $.auxData.u.jwts.a.claims.b"]],
    ["a name in an attribute is what is written", "principals: {ann: {id: ann, roles: [user], attr: {y: 1, n: {on: 2}}}}", []],
    ["a word where a string is due is what is written", "principals: {y: {id: n, roles: [on, off]}}", []],
    ["an alias is told once", "principals:\n  ann: {id: ann, roles: [user], attr: &a {v: no}}\n  bob: {id: bob, roles: [user], attr: *a}\n", ["2:46 $.principals.ann.attr.v"]],
    ["after a character outside the plane", 'principals: {ann: {id: "😀", roles: [user], attr: {v: no}}}', ["1:54 $.principals.ann.attr.v"]],
  ])("%s", (_sentence, text, places) => {
    expect(warningsOf(text).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(places);
  }); // oxfmt-ignore

  test("a number where a string is due, when the string is another one than is written", () => {
    expect(warningsOf("principals: {ann: {id: 010, policyVersion: 2026_01, roles: [7, 0x1F]}}")).toEqual([
      "1:24 $.principals.ann.id warning ambiguous-value: `010` is read as the string `8` (put it in quotes)",
      "1:44 $.principals.ann.policyVersion warning ambiguous-value: `2026_01` is read as the string `202601` (put it in quotes)",
      "1:64 $.principals.ann.roles[1] warning ambiguous-value: `0x1F` is read as the string `31` (put it in quotes)",
    ]);
  });

  test("globals and expected outputs of a suite", () => {
    const read = readSuite({
      path: "a_test.yaml",
      text: `name: a
options: {globals: {on: yes}}
tests:
  - name: one
    input: {principals: [ann], resources: [d], actions: [view]}
    expected:
      - principal: ann
        resource: d
        actions: {view: EFFECT_ALLOW}
        outputs: [{action: view, expected: [{src: x, val: no}]}]
`,
    });
    expect(read.kind === "good" && read.warnings.map(({ path }) => path)).toEqual([
      "$.options.globals.on",
      "$.tests[0].expected[0].outputs[0].expected[0].val",
    ]);
  });
});

test.each([
  ["yes", "write `true`"],
  ["Off", "write `false`"],
  ["'true'", "remove the quotes"],
  ["maybe", undefined],
])("where true or false is due, %s is an error: %s", (written, hint) => {
  const read = readSuite({ path: "a_test.yaml", text: `name: a\nskip: ${written}\n` });
  const found = read.kind === "broken" ? read.diagnostics.find(({ path }) => path === "$.skip") : undefined;
  expect([found?.message, found?.hint]).toEqual(["expected `true` or `false`, found a string", hint]);
});

test("suites have the warnings of their fixtures too", async () => {
  const found = await withFolder(
    {
      ...policies,
      "testdata/principals.yaml": attribute("yes"),
      "a_test.yaml": `name: a\nresources: {d: {kind: document, id: d, attr: {v: no}}}\ntests:\n  - name: one\n    input: {principals: [ann], resources: [d], actions: [view]}\n    expected: [{principal: ann, resource: d, actions: {view: EFFECT_ALLOW}}]\n`,
    },
    findSuites,
  );
  expect(found.flatMap((each) => (each.kind === "suite" ? each.warnings : []).map(({ span }) => span?.source.path))).toEqual([
    "a_test.yaml",
    "testdata/principals.yaml",
  ]);
});
