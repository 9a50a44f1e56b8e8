/** The results of test suites, in the structure of the reference's JSON (docs/testing.md). */
import type { Value } from "../../runtime/cel/value.ts";
import type { ExpectedEffect } from "./suite.ts";

/** The result of a test action; later ones outweigh earlier ones. */
export type Result = "RESULT_SKIPPED" | "RESULT_PASSED" | "RESULT_FAILED" | "RESULT_ERRORED";

/** The results in ascending order of weight. */
const results = ["RESULT_SKIPPED", "RESULT_PASSED", "RESULT_FAILED", "RESULT_ERRORED"] as const satisfies readonly Result[];

/** The result of a whole run. */
export interface RunResult {
  /** In the order of their files. */
  readonly suites: readonly SuiteResult[];
  readonly summary: Summary;
}

/** The result of one file. */
export interface SuiteResult {
  readonly file: string;
  readonly name: string;
  readonly summary: Summary;
  /** Why none of its tests could be run. */
  readonly error?: string;
  readonly testCases?: readonly TestCaseResult[];
  readonly description?: string;
  readonly skipReason?: string;
}

/** The result of one test table. */
export interface TestCaseResult {
  readonly name: string;
  readonly principals: readonly PrincipalResult[];
}

/** The results of one principal, by the name of its fixture. */
export interface PrincipalResult {
  readonly name: string;
  readonly resources: readonly ResourceResult[];
}

/** The results of one resource, by the name of its fixture. */
export interface ResourceResult {
  readonly name: string;
  readonly actions: readonly ActionResult[];
}

/** The result of one action. */
export interface ActionResult {
  readonly name: string;
  readonly details: Details;
  /** The rules that were considered, one line each; only for failures. */
  readonly considered?: readonly string[];
}

/** The result, and its reason. */
export type Details =
  | { readonly result: "RESULT_SKIPPED"; readonly skipReason?: string }
  | { readonly result: "RESULT_PASSED"; readonly success: Success }
  | { readonly result: "RESULT_FAILED"; readonly failure: Failure }
  | { readonly result: "RESULT_ERRORED"; readonly error: string };

/** The reason of a test that was not selected: it is counted, but not shown in reports for people. */
export const notSelected = "its name does not match --run";

/** The expected effect and outputs. */
export interface Success {
  readonly effect: ExpectedEffect;
  readonly outputs?: readonly ActualOutput[];
}

/** An actual output. */
export interface ActualOutput {
  readonly src: string;
  readonly action: string;
  readonly val?: Value;
  readonly error?: string;
}

/** An unexpected effect, or the expected effect with unexpected outputs. */
export interface Failure {
  readonly expected: ExpectedEffect;
  readonly actual: ExpectedEffect;
  readonly outputs?: readonly OutputFailure[];
}

/** An expected output that is missing, different, or failed. */
export interface OutputFailure {
  readonly src: string;
  readonly missing?: { readonly expected: Value };
  readonly mismatched?: { readonly expected: Value; readonly actual: Value };
  readonly errored?: { readonly expected: Value; readonly error: string };
}

/** The counts of results. */
export interface Summary {
  readonly overallResult?: Result;
  /** The number of test actions. */
  readonly testsCount?: number;
  /** In ascending order of weight, without zeros. */
  readonly resultCounts?: readonly { readonly result: Result; readonly count: number }[];
}

/** Counts the results of actions. */
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

/** Adds up the counts of suites. */
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

/** Returns the results of all actions of a suite. */
export const detailsOf = (cases: readonly TestCaseResult[]): readonly Details[] =>
  cases.flatMap(({ principals }) =>
    principals.flatMap(({ resources }) => resources.flatMap(({ actions }) => actions.map(({ details }) => details))),
  );
