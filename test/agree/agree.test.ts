/** Generated code and the reference decide alike: the same decisions, derived roles and evaluation errors. */
import { expect, test } from "vitest";
import { keepFinding, keptFindings, printFinding } from "./found.ts";
import { askReference, differences, openSubject } from "./judge.ts";
import type { Difference } from "./judge.ts";
import { printTally, run } from "./run.ts";
import { shrink } from "./shrink.ts";
import type { Finding } from "./shrink.ts";

const long = process.env["AUTHZ_AGREE_PAIRS"] !== undefined;
const pairs = Number(process.env["AUTHZ_AGREE_PAIRS"] ?? 5000);
// The long run explores; the short one is the same on every machine.
const seed = Number(process.env["AUTHZ_SEED"] ?? (long ? Math.floor(Math.random() * 2 ** 32) : 1));

/** What the two sides answer differently; none when the policies do not compile. */
function differencesOf({ documents, batch }: Finding) {
  const subject = openSubject(documents);
  return typeof subject === "string" ? [] : differences(subject.evaluators, batch, askReference(subject.policySet, batch));
}

/** A throw and a wrong answer are two findings: shrinking must not lead from one to the other. */
const threw = (differences: readonly Difference[]): boolean => differences.some(({ generated }) => "thrown" in generated);

test.each(keptFindings())("what once differed agrees: $name", (finding) => {
  expect(typeof openSubject(finding.documents)).toBe("object");
  expect(differencesOf(finding)).toEqual([]);
});

test(`generated code decides as the reference does (${pairs} pairs, AUTHZ_SEED=${seed})`, { timeout: long ? 3_600_000 : 120_000 }, () => {
  const { tally, disagreements } = run({
    seed,
    pairs,
    enough: 1,
    onProgress: (so) => {
      if (long && so.sets % 500 === 0) console.log(printTally(so));
    },
  });
  console.log(`AUTHZ_SEED=${seed}: ${printTally(tally)}, ${disagreements.length} differences`);
  for (const disagreement of disagreements) {
    const thrown = threw(disagreement.differences);
    const smallest = shrink(disagreement, (finding) => {
      const left = differencesOf(finding);
      return left.length > 0 && threw(left) === thrown;
    });
    const folder = keepFinding(smallest);
    throw new Error(
      `generated code and the reference disagree (AUTHZ_SEED=${seed}, set ${disagreement.set}); kept in ${folder}\n` +
        printFinding(smallest, differencesOf(smallest)),
    );
  }

  // A run that allows nothing, or errs nowhere, would prove little.
  expect(tally.pairs).toBeGreaterThanOrEqual(pairs);
  expect(tally.allowed / tally.decisions).toBeGreaterThanOrEqual(0.2);
  expect(tally.deniedByRule / tally.decisions).toBeGreaterThanOrEqual(0.2);
  expect(tally.pairsWithErrors / tally.pairs).toBeGreaterThanOrEqual(0.1);
  expect(tally.refusedSets / tally.sets).toBeLessThanOrEqual(0.02);
});
