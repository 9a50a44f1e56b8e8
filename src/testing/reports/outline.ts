/** Converts results to nested lines, which the reports for people print as a tree or a list (docs/testing.md). */
import { diffJson } from "../diff-json.ts";
import {
  detailsOf,
  notAskedFor,
  type ActionResult,
  type Details,
  type OutputFailure,
  type Result,
  type RunResult,
  type SuiteResult,
  type Summary,
} from "../result.ts";

/** A line and the lines nested below it. */
export interface Node {
  readonly text: string;
  readonly below: readonly Node[];
}

/** The colours of outcomes; identity functions when there are none. */
export interface ReportStyles {
  readonly success: (text: string) => string;
  readonly error: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** Options of the report. */
export interface ReportOptions {
  /** Whether to include passed tests. */
  readonly isVerbose: boolean;
  readonly styles: ReportStyles;
}

/** Prints a run; `print` converts the nested lines to lines. */
export function printReport(run: RunResult, options: ReportOptions, print: (nodes: readonly Node[]) => readonly string[]): string {
  const suites = run.suites.filter((suite) => !isHidden(suite)).map((suite) => suiteNode(suite, options));
  const footer = `${countTests(run.summary)} executed${countsOf(run.summary, options)}`;
  return [options.styles.bold("Test results"), ...print(suites), "", ...firstLook(run, options), footer, ""].join("\n");
}

const wasNotAskedFor = (details: Details): boolean => details.result === "RESULT_SKIPPED" && details.skipReason === notAskedFor;

/** Returns whether a suite is skipped, or none of its tests was selected. */
function isHidden({ skipReason, error, testCases = [] }: SuiteResult): boolean {
  if (skipReason !== undefined || error !== undefined) return skipReason !== undefined;
  const details = detailsOf(testCases);
  return details.length > 0 && details.every(wasNotAskedFor);
}

const leaf = (text: string): Node => ({ text, below: [] });

const countTests = ({ testsCount = 0 }: Summary): string => `${testsCount} ${testsCount === 1 ? "test" : "tests"}`;

const words = { RESULT_SKIPPED: "SKIPPED", RESULT_PASSED: "OK", RESULT_FAILED: "FAILED", RESULT_ERRORED: "ERROR" } as const;

function styled(result: Result, text: string, { styles }: ReportOptions): string {
  if (result === "RESULT_PASSED") return styles.success(text);
  return result === "RESULT_SKIPPED" ? styles.dim(text) : styles.error(text);
}

const countsOf = ({ resultCounts = [] }: Summary, options: ReportOptions): string =>
  resultCounts.map(({ result, count }) => ` ${styled(result, `[${count} ${words[result]}]`, options)}`).join("");

function suiteNode(suite: SuiteResult, options: ReportOptions): Node {
  const title = `${visible(suite.name)} (${visible(suite.file)})`;
  if (suite.error !== undefined)
    return { text: `${title} ${options.styles.error("[ERROR]")}`, below: suite.error.split("\n").map((line) => leaf(visible(line))) };
  return {
    text: `${title}${countsOf(suite.summary, options)}`,
    below: (suite.testCases ?? []).flatMap(({ name, principals }) =>
      named(
        name,
        principals.flatMap((principal) =>
          named(
            principal.name,
            principal.resources.flatMap((resource) =>
              named(
                resource.name,
                resource.actions
                  .filter(({ details }) => !wasNotAskedFor(details) && (options.isVerbose || details.result !== "RESULT_PASSED"))
                  .map((action) => actionNode(action, options)),
              ),
            ),
          ),
        ),
      ),
    ),
  };
}

/** A heading without lines below it is left out. */
const named = (name: string, below: readonly Node[]): readonly Node[] => (below.length === 0 ? [] : [{ text: visible(name), below }]);

function actionNode({ name, details, considered = [] }: ActionResult, options: ReportOptions): Node {
  return {
    text: `${visible(name)} ${styled(details.result, `[${words[details.result]}]`, options)}`,
    below: [
      ...outcomeNodes(details, options),
      ...(considered.length === 0 ? [] : [{ text: "BECAUSE:", below: considered.map((line) => leaf(visible(line))) }]),
    ],
  };
}

function outcomeNodes(details: Details, options: ReportOptions): readonly Node[] {
  switch (details.result) {
    case "RESULT_SKIPPED":
      return details.skipReason === undefined || details.skipReason === "" ? [] : [leaf(`SKIPPED: ${visible(details.skipReason)}`)];
    case "RESULT_ERRORED":
      return details.error.split("\n").map((line) => leaf(`ERROR: ${visible(line)}`));
    case "RESULT_PASSED": {
      const { effect, outputs = [] } = details.success;
      const told = outputs.map(({ src, val, error }) =>
        leaf(`${visible(src)}: ${error === undefined ? JSON.stringify(val ?? null) : `ERROR: ${visible(error)}`}`),
      );
      return [leaf(`RESULT: ${effect}`), ...(told.length === 0 ? [] : [{ text: "OUTPUTS:", below: told }])];
    }
    case "RESULT_FAILED": {
      const { expected, actual, outputs } = details.failure;
      if (outputs === undefined)
        return [leaf(`OUTCOME: expected: ${options.styles.success(expected)}, actual: ${options.styles.error(actual)}`)];
      return [{ text: "OUTCOME: output expectation unsatisfied", below: outputs.map((output) => outputNode(output, options)) }];
    }
  }
}

function outputNode({ src, missing, mismatched, errored }: OutputFailure, { styles }: ReportOptions): Node {
  const expected = JSON.stringify((missing ?? mismatched ?? errored)?.expected ?? null);
  const actual =
    mismatched === undefined ? (errored === undefined ? "MISSING" : `ERROR: ${visible(errored.error)}`) : JSON.stringify(mismatched.actual);
  const differences = mismatched === undefined ? [] : diffJson(mismatched.expected, mismatched.actual);
  return {
    text: visible(src),
    below: [
      leaf(`EXPECTED: ${styles.success(visible(expected))}`),
      leaf(`ACTUAL: ${styles.error(visible(actual))}`),
      // A value that differs as a whole has been printed already.
      ...(differences.some(({ path }) => path !== "")
        ? [{ text: "DIFFERENCES:", below: differences.map(({ path, says }) => leaf(visible(`${path}: ${says}`))) }]
        : []),
    ],
  };
}

/** Returns the suite to look at first: one that could not be run, else the one with the most failures. */
function firstLook({ suites }: RunResult, { styles }: ReportOptions): readonly string[] {
  const wrong = suites
    .map((suite) => ({ suite, count: suite.error === undefined ? failures(suite.summary) : Infinity }))
    .filter(({ count }) => count > 0)
    .toSorted((left, right) => right.count - left.count);
  const [first] = wrong;
  if (first === undefined || wrong.length < 2) return [];
  const why = first.count === Infinity ? "it could not be run" : `${first.count} of its tests went wrong`;
  return [`${styles.bold("Look first at")} ${visible(first.suite.file)}: ${why}`];
}

const failures = ({ resultCounts = [] }: Summary): number =>
  resultCounts
    .filter(({ result }) => result === "RESULT_FAILED" || result === "RESULT_ERRORED")
    .reduce((total, { count }) => total + count, 0);

/** Escapes control and direction characters, because names are chosen by the author. */
const visible = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
