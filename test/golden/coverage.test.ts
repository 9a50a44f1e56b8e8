/** Every row of semantics 4.8 and 11, every bullet of 4.5 and every decision of evaluation has its golden case; every case is linked from semantics. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { rows } from "../peer-policies/differences.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const semantics = readFileSync(join(root, "docs/semantics.md"), "utf8");
const decisions = readFileSync(join(root, "docs/decisions.md"), "utf8");

/** What shows it: folders below `golden`; or, for what no decision can show, a word on where it is shown. */
type Shown = readonly string[] | { readonly elsewhere: string };

/** Situations of the table in 4.8, by their first words. */
const reported: readonly (readonly [situation: string, shown: Shown])[] = [
  ["a rule of scope s decides", ["decide/matched-policy-is-the-leaf-policy"]],
  ["a role policy denies", ["decide/role-policy-denial-names-the-role-policy"]],
  ["the policy exists, no rule matched", ["decide/no-matching-rule-reports-the-policy"]],
  ["nothing in the chain is about this kind and version", ["decide/unknown-kind-is-no-match"]],
  ["the chain is empty", ["decide/unknown-scope-is-no-match"]],
  ["a schema rejects the attributes", ["decide/schema-rejection-denies-every-action"]],
  ["a condition fails under strict evaluation", ["decide/strict-error-names-the-failing-policy"]],
];

/** Bullets of "Reading of the rules" in 4.5, by their first words. */
const readings: readonly (readonly [bullet: string, shown: Shown])[] = [
  ["A principal policy's decision is final", ["decide/principal-policy-decision-is-final"]],
  [
    "Within one role and scope DENY beats ALLOW",
    [
      "decide/deny-beats-allow-within-a-role",
      "decide/nearest-scope-decides",
      "decide/allow-by-another-role-beats-deny",
      "decide/first-deciding-role-is-reported",
    ],
  ],
  [
    "A scope that requires consent only narrows",
    [
      "decide/consent-unconditional-allow-changes-nothing",
      "decide/consent-conditional-allow-denies-unless-met",
      "decide/consent-leaves-the-unmentioned-to-the-parent",
      "decide/consent-at-the-root-never-allows",
    ],
  ],
  ["A principal policy's version is the principal's", ["decide/principal-policy-version-is-the-principals"]],
  ["The role `*` in a request", ["decide/star-is-an-ordinary-requested-role"]],
  ["Another principal's policy does not count", ["decide/another-principals-policy-does-not-count"]],
];

/** Decisions of evaluation. */
const decided: readonly (readonly [decision: string, shown: Shown])[] = [
  ["D30", ["decide/rule-names-do-not-collide"]],
  ["D31", ["decide/inactive-derived-role-tells-nothing"]],
  ["D32", ["decide/derived-roles-are-empty-in-principal-policies"]],
  ["D33", ["decide/principal-policy-version-is-the-principals"]],
  ["D34", ["decide/kind-patterns-match-as-written-or-sanitised"]],
  [
    "D35",
    [
      "decide/unspecified-permissions-override-the-parent",
      "decide/role-policies-and-exports-have-no-scope-permissions",
      "diagnose/conflicting-scope-permissions",
    ],
  ],
  ["D36", ["decide/role-policy-rules-are-anded"]],
  ["D37", ["decide/descendant-of-a-forgiven-ancestor-is-kept"]],
  ["D38", ["decide/unused-sets-change-nothing", "diagnose/invalid-expression"]],
  ["D39", ["decide/matched-policy-is-the-leaf-policy"]],
  ["D40", ["decide/nan-in-an-output-is-text"]],
  ["D41", ["decide/spiffe-trust-domain-id-is-text"]],
  ["D42", ["decide/file-names-change-nothing", "decide/outputs-come-in-the-order-of-the-search"]],
  ["D43", ["decide/failing-expressions-are-listed", "decide/failing-variable-is-unset"]],
  ["D44", ["decide/role-patterns"]],
  ["D44.1", { elsewhere: "test/peer/differences.ts, a row each" }],
  ["D44.2", { elsewhere: "the examples of path functions, runtime/cel/functions" }],
  ["D45", ["decide/repeated-and-float-keys-of-maps"]],
  ["D46", ["decide/loops-are-bounded"]],
  ["D46.1", { elsewhere: "tests of runtime/cel: work is no matter of a policy's meaning" }],
];

/** Rows of 11, by their first words. */
const older: readonly (readonly [topic: string, shown: Shown])[] = [
  ["strict evaluation, evaluation errors", ["decide/strict-error-ends-the-action", "decide/output-that-fails-has-an-error"]],
  ["order of rules", ["decide/role-policies-deny-before-rules", "decide/file-names-change-nothing"]],
  ["`runtime.effectiveDerivedRoles` in a scope that is asked again", ["decide/derived-roles-count-scope-by-scope"]],
  ["actions of rules without `*`", ["decide/actions-without-a-star-are-literal"]],
  ["patterns of roles", ["decide/role-patterns", "decide/derived-role-parent-patterns-are-not-listed"]],
  ["`allowActions` without `*`", ["decide/role-policy-actions-are-texts-and-patterns"]],
  ["a star within alternatives", ["decide/glob-dialect"]],
  [
    "`variables` and `constants` of role policies",
    ["decide/role-policies-have-variables", "decide/role-policy-rules-have-names-and-outputs"],
  ],
  ["role policies' denials", ["decide/role-policy-is-silent-where-its-scope-is"]],
  ["empty output block", ["diagnose/empty-output"]],
  ["a global or variable that is not set", ["decide/globals-come-from-the-settings", "decide/output-of-variables-and-constants"]],
  ["CEL: optionals", { elsewhere: "runtime/cel/functions, an example each" }],
  ["YAML merge", ["decide/yaml-merge-keys-are-shallow"]],
  ["named tokens", ["decide/claims-of-named-tokens"]],
  ["tests and fixtures", { elsewhere: "with policy tests" }],
  ["plans", { elsewhere: "with plans" }],
  ["`--strict-evaluation`", { elsewhere: "with policy tests" }],
  ["texts of violations", { elsewhere: "golden/diagnose, all of it" }],
];

/** Rows of the differential run against 0.51.0, by their names. */
const explained: readonly (readonly [row: string, shown: Shown])[] = [
  ["role wildcards", ["decide/role-patterns"]],
  ["allowActions without a star", ["decide/role-policy-actions-are-texts-and-patterns"]],
  ["outputs of role rules", ["decide/role-policy-rules-have-names-and-outputs"]],
  ["narrow role policy", ["decide/role-policy-is-silent-where-its-scope-is"]],
  ["outputs before a deny", ["decide/role-policies-deny-before-rules", "decide/outputs-come-in-the-order-of-the-search"]],
  ["which deny comes first", ["decide/role-policies-deny-before-rules"]],
  ["action spelled as a pattern", ["decide/actions-without-a-star-are-literal"]],
  ["empty output", ["diagnose/empty-output"]],
  ["missing global", ["decide/globals-come-from-the-settings"]],
  ["unset variable", ["decide/output-of-variables-and-constants"]],
  ["merge", ["decide/yaml-merge-keys-are-shallow"]],
  ["rules of equal names", ["decide/rule-names-do-not-collide"]],
  ["output of a rule whose derived role is inactive", ["decide/inactive-derived-role-tells-nothing"]],
  ["derived roles in a principal policy", ["decide/derived-roles-are-empty-in-principal-policies"]],
  ["derived roles of another scope", ["decide/derived-roles-count-scope-by-scope"]],
  ["version of the principal", ["decide/principal-policy-version-is-the-principals"]],
  ["patterns of kinds", ["decide/kind-patterns-match-as-written-or-sanitised"]],
  ["scope permissions that differ", ["diagnose/conflicting-scope-permissions"]],
  ["overlapping role rules", ["decide/role-policy-rules-are-anded"]],
  ["parents of a role in two versions", ["decide/role-policy-parents-are-those-of-every-version"]],
  ["overlapping allowed actions", ["decide/role-policy-rules-are-anded"]],
  ["descendant of a missing ancestor", ["decide/descendant-of-a-forgiven-ancestor-is-kept"]],
  ["file that nobody imports", ["diagnose/invalid-expression", "decide/unused-sets-change-nothing"]],
  ["not a number in an output", ["decide/nan-in-an-output-is-text"]],
  ["output that is no JSON", ["decide/output-that-fails-has-an-error"]],
];

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start), text.indexOf(end, text.indexOf(start) + 1));
const firstCells = (table: string): readonly string[] =>
  table
    .split("\n")
    .flatMap((line) => /^\| (.*?) \|/.exec(line)?.[1] ?? [])
    .slice(1);

describe.each([
  ["rows of semantics 4.8", firstCells(between(semantics, "## 4.8", "### Worked example")), reported],
  ["bullets of semantics 4.5", bulletsOf(between(semantics, "Reading of the rules", "### Order of rows")), readings],
  ["decisions of evaluation", decisionsOf(between(decisions, "## B.", "## C.")), decided],
  ["rows of semantics 11", firstCells(between(semantics, "# 11.", "## 11.1")), older],
  ["explained differences from 0.51.0", rows.map(({ name }) => name), explained],
])("%s", (_, written, shown) => {
  test("are as listed here", () => {
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((each) => !shown.some(([start]) => each.startsWith(start)))).toEqual([]);
    expect(shown.filter(([start]) => !written.some((each) => each.startsWith(start)))).toEqual([]);
  });

  test("have their golden folders", () => {
    const folders = shown.flatMap(([, where]) => ("elsewhere" in where ? [] : where));
    expect(folders.filter((folder) => !existsSync(join(root, "golden", folder)))).toEqual([]);
  });
});

test("semantics links every folder of golden/decide, and none that does not exist", () => {
  const linked = new Set([...semantics.matchAll(/\]\(\.\.\/golden\/decide\/([a-z0-9-]+)\)/g)].map(([, folder]) => folder));
  expect([...linked].toSorted()).toEqual(readdirSync(join(root, "golden/decide")).toSorted());
});

function bulletsOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => /^\* \*\*(.*)/.exec(line)?.[1] ?? []);
}

function decisionsOf(text: string): readonly string[] {
  return [...text.matchAll(/^- \*\*(D[\d.]+\d)/gm)].flatMap(([, decision]) => decision ?? []);
}
