/** Generated code and the reference decide alike: the same decisions, derived roles and evaluation errors. */
import { expect, test } from "vitest";
import { alikeScopes } from "./alike-scopes.ts";
import { missing } from "./coverage.ts";
import { keepFinding, keptFindings, printFinding } from "./found.ts";
import { askReference, differences, openSubject } from "./judge.ts";
import type { Difference } from "./judge.ts";
import { printSpread, printTally, run, type Tally } from "./run.ts";
import { shrink } from "./shrink.ts";
import type { Finding } from "./shrink.ts";
import type { Variant } from "./variants.ts";

const long = process.env["AUTHZ_AGREE_PAIRS"] !== undefined;
const pairs = Number(process.env["AUTHZ_AGREE_PAIRS"] ?? 1200);
// The long run explores; the short one is the same on every machine.
const seed = Number(process.env["AUTHZ_SEED"] ?? (long ? Math.floor(Math.random() * 2 ** 32) : 3));

/** What the two sides answer differently; none when the policies do not compile. */
function differencesOf({ documents, batch }: Finding, variants?: readonly Variant[]) {
  const subject = openSubject(documents, variants);
  return typeof subject === "string" ? [] : differences(subject.evaluators, batch, askReference(subject.policySet, batch));
}

/** A throw and a wrong answer are two findings: shrinking must not lead from one to the other. */
const threw = (differences: readonly Difference[]): boolean => differences.some(({ generated }) => "thrown" in generated);

test.each(keptFindings())("what once differed agrees: $name", (finding) => {
  expect(typeof openSubject(finding.documents)).toBe("object");
  expect(differencesOf(finding)).toEqual([]);
});

test(`generated code decides as the reference does (${pairs} pairs, AUTHZ_SEED=${seed})`, { timeout: long ? 7_200_000 : 120_000 }, () => {
  const { tally, disagreements, refusals } = run({
    seed,
    pairs,
    enough: 1,
    onProgress: (so) => {
      if (long && so.sets % 500 === 0) console.log(printTally(so));
    },
  });
  console.log(`AUTHZ_SEED=${seed}: ${printTally(tally)}, ${disagreements.length} differences\n${printSpread(tally)}`);
  for (const disagreement of disagreements) {
    const thrown = threw(disagreement.differences);
    const smallest = shrink(disagreement, (finding) => {
      const left = differencesOf(finding, disagreement.variants);
      return left.length > 0 && threw(left) === thrown;
    });
    const folder = keepFinding(smallest);
    throw new Error(
      `generated code and the reference disagree (AUTHZ_SEED=${seed}, set ${disagreement.set}, code with ` +
        `${disagreement.variants.map(({ name }) => name).join(" and ")}); kept in ${folder}\n` +
        printFinding(smallest, differencesOf(smallest, disagreement.variants)),
    );
  }

  // A run that allows nothing, or never meets what can happen, would prove little.
  expect(tally.pairs).toBeGreaterThanOrEqual(pairs);
  expect(share(tally, "allowed")).toBeGreaterThanOrEqual(0.15);
  expect(share(tally, "denied by a rule")).toBeGreaterThanOrEqual(0.2);
  expect(share(tally, "with evaluation errors")).toBeGreaterThanOrEqual(0.1);
  // What never occurs in a long run is a defect of the generator; in a short one the rarest may be missing.
  expect(missing(tally.coverage).slice(long ? 0 : 4)).toEqual([]);
  expect(refusals.slice(Math.floor(tally.sets * 0.02))).toEqual([]);
});

test("policies of scopes that say the same decide as the reference does, whatever they share", { timeout: 120_000 }, () => {
  const { tally, disagreements, refusals } = run({ seed, pairs: pairs / 3, enough: 1, change: alikeScopes });
  expect(disagreements.map(({ differences: found, documents }) => ({ found, documents }))).toEqual([]);
  expect(tally.pairs).toBeGreaterThanOrEqual(pairs / 3);
  expect(share(tally, "denied by a rule")).toBeGreaterThanOrEqual(0.1);
  expect(refusals.slice(Math.floor(tally.sets * 0.02))).toEqual([]);
});

const share = ({ coverage, actions }: Tally, name: string): number => (coverage.get(name) ?? 0) / actions;
