/** What came of a run, as people and as programs read it; and which tests are run at all. */
import { describe, expect, test } from "vitest";
import { run } from "../../src/cli/index.ts";
import { noStyles, terminalStyles } from "../../src/repl/styles.ts";
import { readFilters } from "../../src/testing/filter.ts";
import { printJunit } from "../../src/testing/reports/junit.ts";
import { printList } from "../../src/testing/reports/list.ts";
import { printTree } from "../../src/testing/reports/tree.ts";
import { withFolder, outcomes, policies, runFiles } from "./suites.ts";

const suite = `
name: documents
description: about "documents" & <more>
principals: {ann: {id: ann, roles: [user]}, eve: {id: eve, roles: [stranger]}}
resources: {hers: {kind: document, id: d1, attr: {owner: ann, at: "2024-01-01T00:00:00Z", zero: 0}}}
tests:
  - name: reading
    input: {principals: [ann, eve], resources: [hers], actions: [view, edit]}
    expected:
      - {principal: ann, resource: hers, actions: {view: EFFECT_ALLOW, edit: EFFECT_DENY}, outputs: [{action: view, expected: [{src: "resource.document.vdefault#reader", val: {by: bob, tags: [a, b]}}]}]}
  - name: keeping
    skip: true
    skipReason: later
    input: {principals: [ann], resources: [hers], actions: [archive]}
    expected: [{principal: ann, resource: hers, actions: {archive: EFFECT_ALLOW}}]
`;
const files = { "documents_test.yaml": suite };
const options = { isVerbose: false, styles: noStyles };

describe("a report", () => {
  test("as a tree: what passed is left out", async () => {
    expect(printTree(await runFiles(files), options)).toBe(`Test results
└─┬documents (documents_test.yaml) [1 SKIPPED] [2 OK] [2 FAILED]
  ├─┬reading
  │ └─┬ann
  │   └─┬hers
  │     ├─┬view [FAILED]
  │     │ ├─┬OUTCOME: output expectation unsatisfied
  │     │ │ └─┬resource.document.vdefault#reader
  │     │ │   ├──EXPECTED: {"by":"bob","tags":["a","b"]}
  │     │ │   ├──ACTUAL: {"by":"ann","tags":["a","b"]}
  │     │ │   └─┬DIFFERENCES:
  │     │ │     └──by: expected "bob", found "ann"
  │     │ └─┬BECAUSE:
  │     │   └──document.yaml:7:7 resource.document.vdefault#reader as user allows: satisfied
  │     └─┬edit [FAILED]
  │       ├──OUTCOME: expected: EFFECT_DENY, actual: EFFECT_ALLOW
  │       └─┬BECAUSE:
  │         └──document.yaml:14:7 resource.document.vdefault#owner as user allows: satisfied
  └─┬keeping
    └─┬ann
      └─┬hers
        └─┬archive [SKIPPED]
          └──SKIPPED: later

5 tests executed [1 SKIPPED] [2 OK] [2 FAILED]
`);
  });

  test("as a list, with what passed", async () => {
    const printed = printList(await runFiles(files), { ...options, isVerbose: true });
    expect(printed.split("\n").slice(0, 6)).toEqual([
      "Test results",
      "documents (documents_test.yaml) [1 SKIPPED] [2 OK] [2 FAILED]",
      "  reading",
      "    ann",
      "      hers",
      "        view [FAILED]",
    ]);
    expect(printed).toContain("    eve\n      hers\n        view [OK]\n          RESULT: EFFECT_DENY\n");
  });

  test("for people says what to look at first, when more than one file went wrong", async () => {
    const unread = { "a_test.yaml": "name: x\n" };
    expect(printTree(await runFiles({ ...files, ...unread }), options)).toContain("Look first at a_test.yaml: it could not be run\n");
    expect(printTree(await runFiles(files), options)).not.toContain("Look first");
  });

  test("with colours only where they are wanted", async () => {
    const result = await runFiles(files);
    expect(printTree(result, { ...options, styles: terminalStyles })).toContain("\u001B[31m[FAILED]\u001B[39m");
    expect(printTree(result, options)).not.toContain("\u001B");
  });

  test("shows control characters of names instead of obeying them", async () => {
    const result = await runFiles({ "a_test.yaml": suite.replace("name: documents", 'name: "do\\u001b[31m\\u202ecs"') });
    expect(printTree(result, options)).toContain("do\\u001b[31m\\u202ecs (a_test.yaml)");
  });

  test("as JUnit XML, every name escaped", async () => {
    const printed = printJunit(await runFiles({ "a_test.yaml": suite.replace("name: reading", 'name: "<a&b>\\u0000\\"\\n"') }), options);
    expect(printed.split("\n")[1]).toBe(
      '  <testsuite description="about &quot;documents&quot; &amp; &lt;more&gt;" name="documents" file="a_test.yaml" errors="0" failures="2" skipped="1" tests="5">',
    );
    expect(printed).toContain('<testcase file="a_test.yaml" classname="ann.hers.view" name="&lt;a&amp;b&gt;\ufffd&quot;&#10;">');
    expect(printed).toContain('<expected>{"by":"bob","tags":["a","b"]}</expected>');
  });
});

describe("a filter", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["an action", ["action=view"], ["ann hers view FAILED", "eve hers view PASSED"]],
    ["patterns, several of them", ["test=read*;principal=e*,x"], ["eve hers view PASSED", "eve hers edit PASSED"]],
    ["several filters at once", ["principal=ann", "ACTION=edit"], ["ann hers edit FAILED"]],
    ["either of two actions", ["action=edit", "principal=ann", "action=archive"], ["ann hers edit FAILED", "ann hers archive SKIPPED"]],
    [
      "either, where a comma stands between them",
      ["action=edit,action=archive;principal=ann"],
      ["ann hers edit FAILED", "ann hers archive SKIPPED"],
    ],
    ["both dimensions, where a comma stands between them", ["action=view, principal=eve"], ["eve hers view PASSED"]],
    ["what fits nothing", ["suite=other"], []],
  ])("chooses %s", async (_sentence, written, wanted) => {
    expect(outcomes(await runFiles(files, { filter: readFilters(written) }))).toEqual(wanted);
  });

  test.each([
    ["an unknown dimension", "kind=x", "the test filter `kind=x` names `kind`, and there are suite, test, principal, resource, action"],
    ["no pattern", "test=", "the test filter `test=` has no pattern for test: write test=name or test=nam*"],
    ["nothing", ";", "a test filter must not be empty: suite=name;action=view,edit"],
  ])("that says %s is refused", (_sentence, written, wanted) => {
    expect(() => readFilters([written])).toThrow(wanted);
  });
});

describe("authz compile runs the tests", () => {
  const compile = (folderFiles: { readonly [path: string]: string }, ...flags: readonly string[]) =>
    withFolder({ ...policies, ...folderFiles }, async (folder) => {
      let out = "";
      let err = "";
      const code = await run(["compile", folder, ...flags], {
        out: (text) => void (out += text),
        err: (text) => void (err += text),
        terminal: false,
        environment: {},
      });
      return { code, out, err };
    });
  const passing = { "documents_test.yaml": suite.replace("by: bob", "by: ann").replace("edit: EFFECT_DENY", "edit: EFFECT_ALLOW") };

  test.each<[string, { readonly [path: string]: string }, readonly string[], number, string, string]>([
    ["what passes", passing, [], 0, "5 tests executed [1 SKIPPED] [4 OK]\n", ""],
    ["what fails", files, [], 4, "[2 FAILED]", "authz: error: 2 tests went wrong\n"],
    ["a suite that cannot be read", { "a_test.yaml": "x" }, [], 4, "[ERROR]", "authz: error: 1 test suite went wrong\n"],
    ["nothing, when it is told to skip them", files, ["--skip-tests"], 0, "1 policy file, no errors, no warnings\n", ""],
    ["nothing, when there are none", {}, [], 0, "1 policy file, no errors, no warnings\n", ""],
    ["nothing, when the policies do not compile", { ...files, "broken.yaml": "apiVersion: x" }, [], 3, "error", "authz: error:"],
    ["those that fit", files, ["--test-filter", "principal=eve"], 0, "2 tests executed [2 OK]\n", ""],
    ["all, where the filter is empty", passing, ["--test-filter", ""], 0, "5 tests executed [1 SKIPPED] [4 OK]\n", ""],
    ["and refuses a filter that says nothing", files, ["--test-filter", "x=1"], 1, "", "names `x`"],
    ["none, and says so, where none fits", files, ["--test-filter", "suite=doc"], 0, "0 tests executed", "no test fits --test-filter"],
    ["none, and says so, where a folder has none", files, ["--tests", "docs"], 0, "no warnings\n", "there is no test suite in `docs`"],
    ["those that a pattern fits, the others skipped", files, ["--run", "docs/"], 0, "5 tests executed [5 SKIPPED]\n", ""],
    [
      "and hides what the pattern leaves out",
      files,
      ["--run", "docs/", "--verbose"],
      0,
      "[5 SKIPPED]\n  └─┬keeping\n    └─┬ann\n      └─┬hers\n        └─┬archive [SKIPPED]\n",
      "",
    ],
    [
      "and hides a suite that is skipped",
      { "documents_test.yaml": `skip: true${suite}` },
      ["--verbose"],
      0,
      "Test results\n\n0 tests executed",
      "",
    ],
  ])("%s", async (_sentence, folderFiles, flags, code, out, err) => {
    const found = await compile(folderFiles, ...flags);
    expect(found.code).toBe(code);
    expect(found.out).toContain(out);
    expect(found.err).toContain(err);
  });

  test("and prints one JSON document, diagnostics and results", async () => {
    const { code, out } = await compile(files, "--output=json");
    const document: unknown = JSON.parse(out);
    expect(code).toBe(4);
    expect(document).toMatchObject({ errors: 0, files: 1, suites: [{ name: "documents" }], summary: { testsCount: 5 } });
  });

  test("and one document of them and of what was compiled", async () => {
    const { code, out } = await compile(files, "--output=json", "--emit=table");
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({ emitted: expect.any(String), summary: { testsCount: 5 } });
  });

  test.each(["js", "table"])("beside what --emit=%s prints, which stands alone", async (what) => {
    const { code, out, err } = await compile(files, `--emit=${what}`);
    const skipped = await compile(files, `--emit=${what}`, "--skip-tests");
    expect([code, out]).toEqual([4, skipped.out]);
    expect(err).toMatch(/\[2 FAILED\][^]*authz: error: 2 tests went wrong\n$/);
    expect([skipped.code, skipped.err]).toEqual([0, ""]);
  });

  test("and refuses two that both want standard output", async () => {
    const { code, out, err } = await compile(files, "--emit=js", "--test-output=junit");
    expect([code, out, err]).toEqual([80, "", expect.stringContaining("--emit and --test-output both want standard output")]);
  });

  const broken = { ...files, "broken.yaml": "apiVersion: x" };
  test.each<[string, { readonly [path: string]: string }, readonly string[], RegExp, RegExp]>([
    ["XML", files, ["--test-output=junit"], /^<testsuites [^]*<\/testsuites>\n$/, /1 policy file, no errors/],
    ["XML, where there are no tests", {}, ["--test-output=junit"], /^<testsuites [^>]*tests="0">\s*<\/testsuites>\n$/, /1 policy file, no/],
    [
      "XML that says so where policies do not compile",
      broken,
      ["--test-output=junit"],
      /^<testsuites errors="1"[^>]*tests="0">\s*<testsuite [^>]*name="authz compile"[^]*<error type="RESULT_ERRORED">\d errors? in 2 policy files<\/error>[^]*<\/testsuites>\n$/,
      /broken\.yaml:1:1: error [^]*authz: error: \d errors? in 2 policy files\n$/,
    ],
    [
      "JSON that says so where policies do not compile",
      broken,
      ["--test-output=json"],
      /^\{\s*"suites": \[\s*\{[^]*"error": "\d errors? in 2 policy files"[^]*"overallResult": "RESULT_ERRORED"[^]*\}\n$/,
      /broken\.yaml:1:1: error /,
    ],
    ["XML beside problems as JSON", broken, ["--output=json", "--test-output=junit"], /^<testsuites /, /^\{\s*"diagnostics": \[/],
    ["one JSON where both are JSON", broken, ["--output=json", "--test-output=json"], /^\{\s*"diagnostics": \[/, /^authz: error: /],
    ["no problem where results are a tree", broken, ["--test-output=tree"], /^$/, /broken\.yaml:1:1: error /],
    ["nothing where policies do not compile", broken, ["--emit=js"], /^$/, /broken\.yaml:1:1: error /],
  ])("and puts on standard output %s", async (_sentence, folderFiles, flags, out, err) => {
    const found = await compile(folderFiles, ...flags);
    expect(found.out).toMatch(out);
    expect(found.err).toMatch(err);
  });
});
