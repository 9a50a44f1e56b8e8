/** Test suites of policy authors: what is run, what is expected, what is told. */
import { describe, expect, test } from "vitest";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findSuites } from "../../src/testing/find-suites.ts";
import { withFolder, outcomes, runFiles } from "./suites.ts";

const people = `
principals:
  ann: {id: ann, roles: [user]}
  bob: {id: bob, roles: [user]}
  eve: {id: eve, roles: [stranger]}
principalGroups:
  staff: {principals: [ann, bob]}
`;
const things = `
resources:
  hers: {kind: document, id: d1, attr: {owner: ann, at: "2024-01-01T00:00:00Z", zero: 0}}
  his: {kind: document, id: d2, attr: {owner: bob, zero: 1}}
resourceGroups:
  all: {resources: [hers, his]}
`;
const fixtures = { "testdata/principals.yaml": people, "testdata/resources.yaml": things } as const;
const suite = (tests: string, head = ""): { readonly [path: string]: string } => ({
  ...fixtures,
  "a_test.yaml": `name: suite\n${head}tests:\n${tests.replaceAll(/^/gm, "  ")}\n`,
});
const one = (input: string, expected: string, more = ""): { readonly [path: string]: string } =>
  suite(`- name: one\n  input: {${input}}\n  expected: [${expected}]\n${more}`);

describe("what is run", () => {
  test.each<[string, { readonly [path: string]: string }, readonly string[]]>([
    [
      "every principal with every resource; what nothing is said of is expected to be denied",
      one(
        "principals: [ann, bob], resources: [hers, his], actions: [edit]",
        "{principal: ann, resource: hers, actions: {edit: EFFECT_ALLOW}}",
      ),
      ["ann hers edit PASSED", "ann his edit PASSED", "bob hers edit PASSED", "bob his edit FAILED"],
    ],
    [
      "groups beside names, each pair once",
      one(
        "principals: [bob], principalGroups: [staff], resourceGroups: [all], actions: [view]",
        "{principalGroups: [staff], resourceGroups: [all], actions: {view: EFFECT_ALLOW}}",
      ),
      ["bob hers view PASSED", "bob his view PASSED", "ann hers view PASSED", "ann his view PASSED"],
    ],
    [
      "what the suite says of a name wins over its folder",
      suite(
        "- name: one\n  input: {principals: [ann], resources: [hers], actions: [view]}\n  expected: [{principal: ann, resource: hers, actions: {view: EFFECT_DENY}}]",
        "principals: {ann: {id: x, roles: [nobody]}}\n",
      ),
      ["ann hers view PASSED"],
    ],
    [
      "a test that is skipped, and one that is not",
      suite(
        [
          "- {name: one, skip: true, skipReason: later, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_DENY}}]}",
          "- {name: two, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}",
        ].join("\n"),
      ),
      ["ann hers view SKIPPED", "ann hers view PASSED"],
    ],
    [
      "a suite that is skipped",
      suite(
        "- {name: one, input: {principals: [nobody], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_DENY}}]}",
        "skip: true\nskipReason: not today\n",
      ),
      ["SKIPPED not today"],
    ],
    [
      "a clock that the options set",
      suite(
        "- {name: one, options: {now: '2024-01-03T00:00:00Z'}, input: {principals: [ann], resources: [hers], actions: [archive]}, expected: [{principal: ann, resource: hers, actions: {archive: EFFECT_ALLOW}}]}",
      ),
      ["ann hers archive PASSED"],
    ],
    [
      "a clock that nobody sets: every action of the check",
      one(
        "principals: [ann], resources: [hers], actions: [view, archive]",
        "{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}",
      ),
      ["ann hers view ERRORED", "ann hers archive ERRORED"],
    ],
    [
      "the options of a test stand instead of those of its suite",
      suite(
        "- {name: one, options: {strictEvaluation: false}, input: {principals: [ann], resources: [hers], actions: [archive]}, expected: [{principal: ann, resource: hers, actions: {archive: EFFECT_ALLOW}}]}",
        "options: {now: '2024-01-03T00:00:00Z'}\n",
      ),
      ["ann hers archive ERRORED"],
    ],
    [
      "outputs: the same, other, missing, failed",
      suite(
        [
          "ann, hers, view, {by: ann, tags: [a, b]}, reader",
          "ann, hers, view, {by: bob, tags: [a, b]}, reader",
          "ann, hers, view, 1, nowhere",
          "ann, hers, divide, 1, broken",
          "ann, his, divide, 1, broken",
        ]
          .map((row, index) => {
            const [, principal, resource, action, val, rule] = /^(\w+), (\w+), (\w+), (.*), (\w+)$/.exec(row) ?? [];
            return `- {name: "${index}", input: {principals: [${principal}], resources: [${resource}], actions: [${action}]}, expected: [{principal: ${principal}, resource: ${resource}, actions: {${action}: EFFECT_ALLOW}, outputs: [{action: ${action}, expected: [{src: "resource.document.vdefault#${rule}", val: ${val}}]}]}]}`;
          })
          .join("\n"),
      ),
      ["ann hers view PASSED", "ann hers view FAILED", "ann hers view FAILED", "ann hers divide FAILED", "ann his divide PASSED"],
    ],
  ])("%s", async (_sentence, files, wanted) => {
    expect(outcomes(await runFiles(files))).toEqual(wanted);
  });

  test("actions asked one by one hang on one clock each", async () => {
    const files = one(
      "principals: [ann], resources: [hers], actions: [view, archive]",
      "{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}",
    );
    expect(outcomes(await runFiles(files, { isUnbatched: true }))).toEqual(["ann hers view PASSED", "ann hers archive ERRORED"]);
  });

  test("suites are in the order of their paths, hidden folders and testdata are not searched, JSON is a suite too", async () => {
    const text = JSON.stringify({
      name: "n",
      principals: { p: { id: "p", roles: ["user"] } },
      resources: { r: { kind: "document", id: "r" } },
      tests: [
        {
          name: "t",
          input: { principals: ["p"], resources: ["r"], actions: ["view"] },
          expected: [{ principal: "p", resource: "r", actions: { view: "EFFECT_ALLOW" } }],
        },
      ],
    });
    const { suites, summary } = await runFiles({
      "b/x_test.json": text,
      "a_test.yml": text,
      "b/testdata/y_test.yaml": text,
      ".hidden/z_test.yaml": text,
      "b/not-a-test.yaml": text,
    });
    expect(suites.map(({ file }) => file)).toEqual(["a_test.yml", "b/x_test.json"]);
    expect(summary).toEqual({ overallResult: "RESULT_PASSED", testsCount: 2, resultCounts: [{ result: "RESULT_PASSED", count: 2 }] });
  });
});

describe("which file of fixtures is read, where there are several", () => {
  // The choices are those of the reference, 0.51.0.
  // oxfmt-ignore
  test.each<readonly [chosen: string, other: string]>([
    ["principals.yaml", "principals.yml"],
    ["principals.json", "principals.yaml"],
    ["principals.JSON", "principals.json"],
    ["principals.YML",  "principals.yaml"],
    ["principals.yml",  "Principals.yaml"],
    ["principals.yml",  "principals.old.yaml"],
    ["auxdata.json",    "auxdata.yaml"],
    ["auxdata.YAML",    "auxData.yaml"],
    ["auxdata.yml",     "aux_data.json"],
    ["auxData.yml",     "aux_data.json"],
  ])("%s, not %s", async (chosen, other) => {
    const { "testdata/principals.yaml": people = "", ...files } = one(
      "principals: [ann], resources: [hers], actions: [view], auxData: token",
      "{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}",
    );
    const tokens = "auxData: {token: {jwt: {}}}\n";
    const isTokens = chosen.startsWith("aux");
    const suites = await runFiles({
      ...files,
      ...(isTokens ? { "testdata/principals.yaml": people } : { "testdata/auxdata.yaml": tokens }),
      [`testdata/${other}`]: "{}\n",
      [`testdata/${chosen}`]: isTokens ? tokens : people,
    });
    expect(outcomes(suites)).toEqual(["ann hers view PASSED"]);
  });
});

/** Each problem of a suite with its place: the heading, and in brackets what is said below the line at fault. */
const told = (error = ""): readonly string[] =>
  error.split("\n\n").map((problem) => {
    const [heading = "", ...below] = problem.split("\n");
    const remarks = below.flatMap((line) => /^ += (?:hint: )?(.*)$/.exec(line)?.[1] ?? []);
    return remarks.length === 0 ? heading : `${heading} (${remarks.join("; ")})`;
  });

describe("what is wrong with a suite is told, all of it", () => {
  const valid = "{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}";
  test.each<[string, { readonly [path: string]: string }, readonly string[]]>([
    [
      "names that are no fixtures",
      one(
        "principals: [anne, nobody], resources: [hers], resourceGroups: [none], actions: [view]",
        "{principals: [anne], resource: hers, actions: {view: EFFECT_ALLOW}}",
      ),
      [
        "a_test.yaml:4:26: error unknown-fixture: test `one`: the principal `anne` is not among the fixtures (did you mean `ann`?)",
        "a_test.yaml:4:32: error unknown-fixture: test `one`: the principal `nobody` is not among the fixtures (define it under `principals`, in the suite or in `testdata/principals.yaml`)",
        "a_test.yaml:4:77: error unknown-fixture: test `one`: the resource group `none` is not among the fixtures (define it under `resourceGroups`, in the suite or in `testdata/resources.yaml`)",
      ],
    ],
    [
      "groups of an expectation that are no fixtures, alone",
      one(
        "principals: [ann], resources: [hers], actions: [view]",
        "{principalGroups: [stuff], resource: his, actions: {view: EFFECT_ALLOW}}, {principal: ann, resourceGroups: [any], actions: {view: EFFECT_ALLOW}}",
      ),
      [
        "a_test.yaml:5:35: error unknown-fixture: test `one`: the principal group `stuff` is not among the fixtures (did you mean `staff`?)",
        "a_test.yaml:5:124: error unknown-fixture: test `one`: the resource group `any` is not among the fixtures (define it under `resourceGroups`, in the suite or in `testdata/resources.yaml`)",
      ],
    ],
    [
      "auxiliary data that is not there",
      one("principals: [ann], resources: [hers], actions: [view], auxData: token", valid),
      [
        "a_test.yaml:4:68: error unknown-fixture: test `one`: the auxiliary data `token` is not among the fixtures (define it under `auxData`, in the suite or in `testdata/auxdata.yaml`)",
      ],
    ],
    [
      "a name of the input that is misspelt, and nothing of what follows from it",
      one("principals: [an], resources: [hers], actions: [view]", valid),
      ["a_test.yaml:4:26: error unknown-fixture: test `one`: the principal `an` is not among the fixtures (did you mean `ann`?)"],
    ],
    [
      "a name of an expectation that is misspelt",
      one("principals: [ann], resources: [hers], actions: [view]", valid.replace("ann", "anne")),
      [
        "a_test.yaml:5:17: error unasked-expectation: test `one`: something is expected of the principal `anne` and the resource `hers`, which are not both in the input (did you mean `ann`?)",
      ],
    ],
    [
      "who of a group is not in the input stands where the group does; each name is told once",
      one(
        "principals: [ann], resources: [hers], actions: [view]",
        "{principalGroups: [staff], resources: [hers, his], actions: {view: EFFECT_ALLOW}}, {principal: ann, resourceGroups: [all], actions: {view: EFFECT_ALLOW}}",
      ),
      [
        "a_test.yaml:5:35: error unasked-expectation: test `one`: something is expected of the principal `bob` and the resource `his`, which are not both in the input (add `bob` to `principals` of the input, or remove it here)",
        "a_test.yaml:5:133: error unasked-expectation: test `one`: something is expected of the principal `ann` and the resource `his`, which are not both in the input (add `his` to `resources` of the input, or remove it here)",
      ],
    ],
    [
      "something expected of who is not in the input, and of actions that are not",
      one(
        "principals: [ann], resources: [hers], actions: [view]",
        "{principal: bob, resource: hers, actions: {viw: EFFECT_ALLOW}, outputs: [{action: edit, expected: [{src: x, val: 1}]}]}",
      ),
      [
        "a_test.yaml:5:17: error unasked-expectation: test `one`: something is expected of the principal `bob` and the resource `hers`, which are not both in the input (add `bob` to `principals` of the input, or remove it here)",
        "a_test.yaml:5:59: error unasked-expectation: test `one`: an effect is expected of the action `viw`, which is not in the input (did you mean `view`?)",
        "a_test.yaml:5:90: error unasked-expectation: test `one`: outputs are expected of the action `edit`, which is not in the input (add `edit` to `actions` of the input, or remove it here)",
      ],
    ],
    [
      "expectations that contradict each other",
      one(
        "principals: [ann], resources: [hers], actions: [view]",
        `${valid.slice(0, -1)}, outputs: [{action: view, expected: [{src: x, val: 0}, {src: x, val: 1}]}]}, {principals: [ann], resource: hers, actions: {view: EFFECT_DENY}, outputs: [{action: view, expected: [{src: x, val: 2}]}]}`,
      ),
      [
        "a_test.yaml:5:202: error conflicting-expectations: test `one`: two entries expect different effects of `ann` doing `view` to `hers` (note: a_test.yaml:5:59: first given here; remove one of the two)",
        "a_test.yaml:5:259: error conflicting-expectations: test `one`: two entries expect different outputs of `x` of `ann` doing `view` to `hers` (note: a_test.yaml:5:140: first given here; remove one of the two)",
      ],
    ],
    [
      "tests of one name",
      suite(`- {name: one, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [${valid}]}\n`.repeat(3)),
      [
        "a_test.yaml:4:6: error duplicate-test-name: two tests have the name `one` (note: a_test.yaml:3:12: first given here; give one of them another name)",
        "a_test.yaml:5:6: error duplicate-test-name: two tests have the name `one` (note: a_test.yaml:3:12: first given here; give one of them another name)",
      ],
    ],
    [
      "groups of nobody we know, in the suite and beside it",
      {
        ...suite(
          `- {name: one, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [${valid}]}`,
          "principalGroups: {them: {principals: [anm]}}\n",
        ),
        "testdata/resources.yaml": `${things}  some:\n    resources:\n      - hers\n      - theirs\n`,
      },
      [
        "a_test.yaml:2:39: error unknown-fixture: the principal group `them` names `anm`, which is not among the fixtures (did you mean `ann`?)",
        "testdata/resources.yaml:10:9: error unknown-fixture: the resource group `some` names `theirs`, which is not among the fixtures (did you mean `hers`?)",
      ],
    ],
  ])("%s", async (_sentence, files, wanted) => {
    const { suites } = await runFiles(files);
    expect(suites.map(({ error }) => told(error))).toEqual([wanted]);
  });

  test("the line at fault is shown, and the word in it", async () => {
    const { suites } = await runFiles(one("principals: [an], resources: [hers], actions: [view]", valid));
    expect(suites[0]?.error?.split("\n").slice(1)).toEqual([
      "  |",
      "4 |     input: {principals: [an], resources: [hers], actions: [view]}",
      "  |                          ^^",
      "  = hint: did you mean `ann`?",
    ]);
  });

  test.each<[string, { readonly [path: string]: string }, readonly string[]]>([
    ["no tests", { "a_test.yaml": "name: x\n" }, ["a_test.yaml:1:1: error missing-value: `tests` is required at `$`"]],
    [
      "a list, which a file of policies cannot be either",
      { "a_test.yaml": "- a\n" },
      ["a_test.yaml:1:1: error invalid-document: this file must be a mapping of fields, not a list"],
    ],
    ["an empty file", { "a_test.yaml": "" }, ["a_test.yaml: error invalid-document: the file is empty"]],
    [
      "two documents",
      { "a_test.yaml": "name: x\n---\nname: y\n" },
      [
        "error multiple-documents: a file can hold only one document of tests or fixtures",
        "a_test.yaml:1:1: error missing-value: `tests` is required at `$`",
        "a_test.yaml:3:1: error missing-value: `tests` is required at `$`",
      ],
    ],
    [
      "mistakes in each of two documents",
      { "a_test.yaml": "name: x\ntests: []\noptions: {now: 2026-02-30T00:00:00Z}\n---\nnam: y\n" },
      [
        "error multiple-documents: a file can hold only one document of tests or fixtures",
        "a_test.yaml:2:1: error missing-value: `tests` cannot be empty",
        "a_test.yaml:3:11: error invalid-value: `2026-02-30T00:00:00Z` is not an instant of the calendar",
        "a_test.yaml:5:1: error unknown-field: unknown field `nam`",
      ],
    ],
    ["a syntax error", { "a_test.yaml": "name: [x\n" }, ["a_test.yaml:"]],
    [
      "what stands beside the input, or in the form of a list, is told where it belongs",
      suite(
        [
          "- {name: one, principals: [ann], actions: [view], expected: EFFECT_ALLOW}",
          "- {name: two, input: {principal: ann, resource: hers, actions: [view]}, expected: [{principal: ann, resource: hers, action: view, effect: EFFECT_ALLOW}]}",
        ].join("\n"),
      ),
      [
        "a_test.yaml:3:17: error unknown-field: unknown field `principals`",
        "= hint: it belongs below `input`",
        "= hint: write `principals: [name]`, with names of fixtures",
        "= hint: write `resources: [name]`, with names of fixtures",
        "= hint: write `actions: {view: EFFECT_ALLOW}`",
      ],
    ],
    [
      "nobody named, one and many, an unknown field and a clock that is none, each with its place",
      suite(
        [
          "- {name: one, input: {resources: [hers], actions: [view]}, expected: [{principal: ann, principals: [ann], resource: hers, actions: {view: EFFECT_ALLOW}}]}",
          "- {name: two, options: {now: yesterday}, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{resource: hers, actions: {view: EFFECT_ALLOW}}]}",
        ].join("\n"),
      ),
      [
        "`principals` or `principalGroups` is required at `$.tests[0].input`",
        "`principal` and `principals` exclude each other",
        "`yesterday` is not allowed here",
        "`principals` or `principalGroups` is required at `$.tests[1].expected[0]`",
      ],
    ],
    [
      "clocks that the calendar does not have",
      suite(
        [
          "2024-13-01T00:00:00Z",
          "2024-02-30T00:00:00Z",
          "2024-01-01T24:00:00Z",
          "2024-01-01T00:00:60Z",
          "9999-12-31T23:59:59-10:00",
          "0000-01-01T00:00:00Z",
        ]
          .map(
            (now) =>
              `- {name: "${now}", options: {now: "${now}"}, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}`,
          )
          .join("\n"),
      ),
      [
        "a_test.yaml:3:46: error invalid-value: `2024-13-01T00:00:00Z` is not an instant of the calendar",
        "`2024-02-30T00:00:00Z` is not an instant",
        "`2024-01-01T24:00:00Z` is not an instant",
        "`2024-01-01T00:00:60Z` is not an instant",
        "`9999-12-31T23:59:59-10:00` is not an instant",
        "`0000-01-01T00:00:00Z` is not an instant",
      ],
    ],
    [
      "a clock of a zone that there is not, and one that is empty",
      suite(
        ["2024-01-01T00:00:00+99:99", ""]
          .map(
            (now, index) =>
              `- {name: "${index}", options: {now: "${now}"}, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}`,
          )
          .join("\n"),
      ),
      ["`2024-01-01T00:00:00+99:99` is not allowed here", "this cannot be empty"],
    ],
    [
      "an effect that was forgotten, and one that is nothing",
      suite(
        "- name: one\n  input: {principals: [ann], resources: [hers], actions: [view, edit, archive]}\n  expected:\n    - principal: ann\n      resource: hers\n      actions:\n        view:\n        edit: null\n        archive: 0\n",
      ),
      ["expected `EFFECT_ALLOW` or `EFFECT_DENY`, found nothing", "a_test.yaml:10:17: error wrong-type", "found the number `0`"],
    ],
    [
      "an effect that says of itself that nothing is said",
      one("principals: [eve], resources: [hers], actions: [view]", "{principal: eve, resource: hers, actions: {view: EFFECT_UNSPECIFIED}}"),
      [
        "a_test.yaml:5:65: error unknown-value: `EFFECT_UNSPECIFIED` is not a value of this field",
        "= hint: use `EFFECT_ALLOW` or `EFFECT_DENY`",
      ],
    ],
    [
      "claims of one token and of several",
      suite(
        "- {name: one, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}",
        "auxData: {token: {jwt: {sub: x}, jwts: {web: {claims: {sub: x}}}}}\n",
      ),
      ["`jwt` and `jwts` exclude each other"],
    ],
    [
      "a fixture that is none",
      {
        ...suite(
          "- {name: one, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}",
        ),
        "testdata/principals.yaml": "principals: {ann: {roles: [user]}}\n",
      },
      ["testdata/principals.yaml:1:19: error missing-value: `id` is required at `$.principals.ann`"],
    ],
  ])("%s", async (_sentence, files, wanted) => {
    const { suites, summary } = await runFiles(files);
    expect(summary).toEqual({ overallResult: "RESULT_ERRORED" });
    for (const sentence of wanted) expect(suites[0]?.error).toContain(sentence);
  });
});

test("a failure says which rules had to do with it, and why", async () => {
  const { suites } = await runFiles(
    one(
      "principals: [eve, bob], resources: [hers], actions: [edit]",
      "{principals: [eve, bob], resource: hers, actions: {edit: EFFECT_ALLOW}}",
    ),
  );
  const considered = suites[0]?.testCases?.[0]?.principals.map(({ resources }) => resources[0]?.actions[0]?.considered);
  expect(considered).toEqual([
    ["the rules that allow `edit` are for the role `user`; the principal has `stranger`"],
    ["document.yaml:14:7 resource.document.vdefault#owner as user says nothing: condition not met (`R.attr.owner == P.id`)"],
  ]);
});

test("an expression of several lines stands in one line of an explanation", async () => {
  const { suites } = await runFiles(
    one("principals: [bob], resources: [hers], actions: [share]", "{principals: [bob], resource: hers, actions: {share: EFFECT_ALLOW}}"),
  );
  expect(suites[0]?.testCases?.[0]?.principals[0]?.resources[0]?.actions[0]?.considered).toEqual([
    "document.yaml:31:7 resource.document.vdefault#lines as user says nothing: condition not met (`has(R.attr.friends) && P.id in R.attr.friends`)",
    "document.yaml:40:7 resource.document.vdefault#errs as user says nothing: condition not met (`P.id in R.attr.fans`); `P.id in R.attr.fans`: no such key: fans",
  ]);
});

describe("a file that cannot be read is an error of its suite, and the others are run", () => {
  const sound = suite(
    "- {name: one, input: {principals: [ann], resources: [hers], actions: [view]}, expected: [{principal: ann, resource: hers, actions: {view: EFFECT_ALLOW}}]}",
  );
  const files: { readonly [path: string]: string } = { ...sound, "sub/c_test.yaml": sound["a_test.yaml"] ?? "" };
  test.each<[string, string, (path: string) => void, string]>([
    ["a link that leads nowhere", "sub/c_test.yaml", (path) => symlinkSync("nowhere", path), "the link leads nowhere"],
    ["a link in a circle", "sub/c_test.yaml", (path) => symlinkSync("c_test.yaml", path), "the link leads back to itself"],
    [
      "a pipe to which nobody writes",
      "sub/c_test.yaml",
      (path) => void execFileSync("mkfifo", [path]),
      "it is a pipe, a socket or a device, and no file",
    ],
    ["a link to a folder", "sub/c_test.yaml", (path) => symlinkSync(".", path), "there is a folder of this name"],
    ["bytes that are no text", "sub/c_test.yaml", (path) => writeFileSync(path, Buffer.of(0x61, 0xff)), "it is not UTF-8 text"],
    [
      "fixtures behind a link that leads nowhere",
      "sub/testdata/principals.yaml",
      (path) => symlinkSync("nowhere", path),
      "the link leads nowhere",
    ],
    ["fixtures that are a folder", "sub/testdata/principals.yaml", (path) => mkdirSync(path), "there is a folder of this name"],
    ["fixtures that are no text", "sub/testdata/resources.yaml", (path) => writeFileSync(path, Buffer.of(0xff)), "it is not UTF-8 text"],
    [
      "fixtures whose folder is a link in a circle",
      "sub/testdata",
      (path) => symlinkSync("testdata", path),
      "the link leads back to itself",
    ],
  ])("%s", async (_sentence, path, make, wanted) => {
    const { [path]: _replaced, ...others } = files;
    const found = await withFolder(others, async (folder) => {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      make(join(folder, path));
      return findSuites(folder);
    });
    expect(found.map((each) => [each.file, each.kind === "broken" ? each.error : each.kind])).toEqual([
      ["a_test.yaml", "suite"],
      ["sub/c_test.yaml", `${path}: error invalid-document: this cannot be read: ${wanted}`],
    ]);
  });
});

test("what is wrong with a suite is told from its first line to its last", async () => {
  const { suites } = await runFiles({
    "a_test.yaml":
      "name: x\ntests:\n  - {name: one, input: {actions: [view]}, expected: [{actions: {view: EFFECT_ALLOW}}]}\noptions: {now: never}\n",
  });
  const lines = [...(suites[0]?.error ?? "").matchAll(/^a_test\.yaml:(\d+):/gm)].map(([, line]) => Number(line));
  expect(lines).toEqual(lines.toSorted((left, right) => left - right));
  expect(lines.length).toBeGreaterThan(3);
});
