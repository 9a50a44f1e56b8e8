/** What came of running suites, as the reference's JSON has it (docs/testing.md). */
import type { Value } from "../../runtime/cel/value.ts";
import type { ExpectedEffect } from "./suite.ts";

/** How a test action ended; later words outweigh earlier ones. */
export type Result = "RESULT_SKIPPED" | "RESULT_PASSED" | "RESULT_FAILED" | "RESULT_ERRORED";

/** The words in the order of their weight. */
const results = ["RESULT_SKIPPED", "RESULT_PASSED", "RESULT_FAILED", "RESULT_ERRORED"] as const satisfies readonly Result[];

/** A whole run. */
export interface RunResult {
  /** In the order of their files. */
  readonly suites: readonly SuiteResult[];
  readonly summary: Summary;
}

/** One file. */
export interface SuiteResult {
  readonly file: string;
  readonly name: string;
  readonly summary: Summary;
  /** Why nothing of it could be run. */
  readonly error?: string;
  readonly testCases?: readonly TestCaseResult[];
  readonly description?: string;
  readonly skipReason?: string;
}

/** One test table. */
export interface TestCaseResult {
  readonly name: string;
  readonly principals: readonly PrincipalResult[];
}

/** A principal, by the name of its fixture. */
export interface PrincipalResult {
  readonly name: string;
  readonly resources: readonly ResourceResult[];
}

/** A resource, by the name of its fixture. */
export interface ResourceResult {
  readonly name: string;
  readonly actions: readonly ActionResult[];
}

/** One action. */
export interface ActionResult {
  readonly name: string;
  readonly details: Details;
  /** The rules that had to do with it, a line each; of those that failed. */
  readonly considered?: readonly string[];
}

/** How it ended, and why. */
export type Details =
  | { readonly result: "RESULT_SKIPPED"; readonly skipReason?: string }
  | { readonly result: "RESULT_PASSED"; readonly success: Success }
  | { readonly result: "RESULT_FAILED"; readonly failure: Failure }
  | { readonly result: "RESULT_ERRORED"; readonly error: string };

/** Why a test is skipped that was not asked for: it is counted, and reports for people do not show it. */
export const notAskedFor = "its name does not match --run";

/** As it was expected. */
export interface Success {
  readonly effect: ExpectedEffect;
  readonly outputs?: readonly ActualOutput[];
}

/** An output that the policies gave. */
export interface ActualOutput {
  readonly src: string;
  readonly action: string;
  readonly val?: Value;
  readonly error?: string;
}

/** Not as it was expected: another effect, or the effect but not the outputs. */
export interface Failure {
  readonly expected: ExpectedEffect;
  readonly actual: ExpectedEffect;
  readonly outputs?: readonly OutputFailure[];
}

/** An output that was expected and is not there, is another, or failed. */
export interface OutputFailure {
  readonly src: string;
  readonly missing?: { readonly expected: Value };
  readonly mismatched?: { readonly expected: Value; readonly actual: Value };
  readonly errored?: { readonly expected: Value; readonly error: string };
}

/** Counts. */
export interface Summary {
  readonly overallResult?: Result;
  /** Test actions. */
  readonly testsCount?: number;
  /** In the order of their weight, none that is zero. */
  readonly resultCounts?: readonly { readonly result: Result; readonly count: number }[];
}

/** Counts the actions of test cases. */
export function summarize(details: readonly Details[], overall?: Result): Summary {
  const counts = results
    .map((result) => ({ result, count: details.filter((each) => each.result === result).length }))
    .filter(({ count }) => count > 0);
  const worst = overall ?? counts.at(-1)?.result;
  return {
    ...(worst !== undefined && { overallResult: worst }),
    ...(details.length > 0 && { testsCount: details.length, resultCounts: counts }),
  };
}

/** Adds the counts of suites up. */
export function summarizeSuites(summaries: readonly Summary[]): Summary {
  const worst = results.findLast((result) => summaries.some(({ overallResult }) => overallResult === result));
  const counts = results
    .map((result) => ({
      result,
      count: sum(
        summaries.flatMap(({ resultCounts = [] }) => resultCounts.filter((each) => each.result === result).map(({ count }) => count)),
      ),
    }))
    .filter(({ count }) => count > 0);
  const testsCount = sum(summaries.map((each) => each.testsCount ?? 0));
  return { ...(worst !== undefined && { overallResult: worst }), ...(testsCount > 0 && { testsCount, resultCounts: counts }) };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Returns how every action of a suite ended. */
export const detailsOf = (cases: readonly TestCaseResult[]): readonly Details[] =>
  cases.flatMap(({ principals }) =>
    principals.flatMap(({ resources }) => resources.flatMap(({ actions }) => actions.map(({ details }) => details))),
  );
