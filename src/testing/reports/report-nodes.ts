/** Converts results to nested lines, which the reports for people print as a tree or a list (docs/testing.md). */
import { diffJson } from "../diff-json.ts";
import {
  detailsOf,
  notSelected,
  type ActionResult,
  type Details,
  type OutputFailure,
  type Result,
  type RunResult,
  type SuiteResult,
  type Summary,
} from "../result.ts";

/** A line and the lines nested below it. */
export interface ReportNode {
  readonly text: string;
  readonly children: readonly ReportNode[];
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
export function printReport(run: RunResult, options: ReportOptions, print: (nodes: readonly ReportNode[]) => readonly string[]): string {
  const suites = run.suites.filter((suite) => !isHidden(suite)).map((suite) => suiteNode(suite, options));
  const footer = `${countTests(run.summary)} executed${countsOf(run.summary, options)}`;
  return [options.styles.bold("Test results"), ...print(suites), "", ...firstFailure(run, options), footer, ""].join("\n");
}

const wasNotSelected = (details: Details): boolean => details.result === "RESULT_SKIPPED" && details.skipReason === notSelected;

/** Returns whether a suite is skipped, or none of its tests was selected. */
function isHidden({ skipReason, error, testCases = [] }: SuiteResult): boolean {
  if (skipReason !== undefined || error !== undefined) return skipReason !== undefined;
  const details = detailsOf(testCases);
  return details.length > 0 && details.every(wasNotSelected);
}

const leaf = (text: string): ReportNode => ({ text, children: [] });

const countTests = ({ testsCount = 0 }: Summary): string => `${testsCount} ${testsCount === 1 ? "test" : "tests"}`;

const labels = { RESULT_SKIPPED: "SKIPPED", RESULT_PASSED: "OK", RESULT_FAILED: "FAILED", RESULT_ERRORED: "ERROR" } as const;

function styled(result: Result, text: string, { styles }: ReportOptions): string {
  if (result === "RESULT_PASSED") return styles.success(text);
  return result === "RESULT_SKIPPED" ? styles.dim(text) : styles.error(text);
}

const countsOf = ({ resultCounts = [] }: Summary, options: ReportOptions): string =>
  resultCounts.map(({ result, count }) => ` ${styled(result, `[${count} ${labels[result]}]`, options)}`).join("");

function suiteNode(suite: SuiteResult, options: ReportOptions): ReportNode {
  const title = `${visible(suite.name)} (${visible(suite.file)})`;
  if (suite.error !== undefined)
    return { text: `${title} ${options.styles.error("[ERROR]")}`, children: suite.error.split("\n").map((line) => leaf(visible(line))) };
  return {
    text: `${title}${countsOf(suite.summary, options)}`,
    children: (suite.testCases ?? []).flatMap(({ name, principals }) =>
      namedNode(
        name,
        principals.flatMap((principal) =>
          namedNode(
            principal.name,
            principal.resources.flatMap((resource) =>
              namedNode(
                resource.name,
                resource.actions
                  .filter(({ details }) => !wasNotSelected(details) && (options.isVerbose || details.result !== "RESULT_PASSED"))
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
const namedNode = (name: string, children: readonly ReportNode[]): readonly ReportNode[] =>
  children.length === 0 ? [] : [{ text: visible(name), children }];

function actionNode({ name, details, considered = [] }: ActionResult, options: ReportOptions): ReportNode {
  return {
    text: `${visible(name)} ${styled(details.result, `[${labels[details.result]}]`, options)}`,
    children: [
      ...outcomeNodes(details, options),
      ...(considered.length === 0 ? [] : [{ text: "BECAUSE:", children: considered.map((line) => leaf(visible(line))) }]),
    ],
  };
}

function outcomeNodes(details: Details, options: ReportOptions): readonly ReportNode[] {
  switch (details.result) {
    case "RESULT_SKIPPED":
      return details.skipReason === undefined || details.skipReason === "" ? [] : [leaf(`SKIPPED: ${visible(details.skipReason)}`)];
    case "RESULT_ERRORED":
      return details.error.split("\n").map((line) => leaf(`ERROR: ${visible(line)}`));
    case "RESULT_PASSED": {
      const { effect, outputs = [] } = details.success;
      const outputNodes = outputs.map(({ src, val, error }) =>
        leaf(`${visible(src)}: ${error === undefined ? JSON.stringify(val ?? null) : `ERROR: ${visible(error)}`}`),
      );
      return [leaf(`RESULT: ${effect}`), ...(outputNodes.length === 0 ? [] : [{ text: "OUTPUTS:", children: outputNodes }])];
    }
    case "RESULT_FAILED": {
      const { expected, actual, outputs } = details.failure;
      if (outputs === undefined)
        return [leaf(`OUTCOME: expected: ${options.styles.success(expected)}, actual: ${options.styles.error(actual)}`)];
      return [{ text: "OUTCOME: output expectation unsatisfied", children: outputs.map((output) => outputNode(output, options)) }];
    }
  }
}

function outputNode({ src, missing, mismatched, errored }: OutputFailure, { styles }: ReportOptions): ReportNode {
  const expected = JSON.stringify((missing ?? mismatched ?? errored)?.expected ?? null);
  const actual =
    mismatched === undefined ? (errored === undefined ? "MISSING" : `ERROR: ${visible(errored.error)}`) : JSON.stringify(mismatched.actual);
  const differences = mismatched === undefined ? [] : diffJson(mismatched.expected, mismatched.actual);
  return {
    text: visible(src),
    children: [
      leaf(`EXPECTED: ${styles.success(visible(expected))}`),
      leaf(`ACTUAL: ${styles.error(visible(actual))}`),
      // A value that differs as a whole has been printed already.
      ...(differences.some(({ path }) => path !== "")
        ? [{ text: "DIFFERENCES:", children: differences.map(({ path, message }) => leaf(visible(`${path}: ${message}`))) }]
        : []),
    ],
  };
}

/** Returns the suite to look at first: one that could not be run, else the one with the most failures. */
function firstFailure({ suites }: RunResult, { styles }: ReportOptions): readonly string[] {
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
