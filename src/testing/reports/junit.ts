/** Prints results as JUnit XML, for CI systems (docs/testing.md). */
import type { ActionResult, Details, OutputFailure, Result, RunResult, SuiteResult, Summary } from "../result.ts";

/** Options of the report. */
export interface JunitOptions {
  /** Whether to include the outputs of passed tests. */
  readonly isVerbose: boolean;
}

/** Prints a run. */
export function printJunit({ suites, summary }: RunResult, options: JunitOptions): string {
  const errored = suites.filter(isErrored).length;
  const skipped = suites.filter(isSkipped).length;
  return element(
    "testsuites",
    counts(summary, { errors: errored, skipped }),
    suites.map((suite) => suiteElement(suite, options)),
  );
}

const isErrored = ({ error }: SuiteResult): boolean => error !== undefined;
const isSkipped = ({ skipReason }: SuiteResult): boolean => skipReason !== undefined;

function suiteElement(suite: SuiteResult, options: JunitOptions): string {
  const { file, name, description = "", error, skipReason, testCases = [], summary } = suite;
  const attributes = {
    description,
    name,
    file,
    ...counts(summary, { errors: isErrored(suite) ? 1 : 0, skipped: isSkipped(suite) ? 1 : 0 }),
  };
  const outcome = [
    ...(error === undefined ? [] : [element("error", { type: "RESULT_ERRORED" }, error)]),
    ...(skipReason === undefined ? [] : [element("skipped", { message: skipReason || "This test suite was skipped" }, "")]),
  ];
  const cases = testCases.flatMap((test) =>
    test.principals.flatMap((principal) =>
      principal.resources.flatMap((resource) =>
        resource.actions.map((action) =>
          element("testcase", { file, classname: `${principal.name}.${resource.name}.${action.name}`, name: test.name }, [
            outcomeElement(action, options),
            element("properties", {}, [
              property("principal", principal.name),
              property("resource", resource.name),
              property("action", action.name),
            ]),
          ]),
        ),
      ),
    ),
  );
  return element("testsuite", attributes, [...outcome, element("properties", {}, ""), ...cases]);
}

const property = (name: string, value: string): string => element("property", { name }, value);

function outcomeElement({ details, considered = [] }: ActionResult, options: JunitOptions): string {
  switch (details.result) {
    case "RESULT_SKIPPED":
      return element("skipped", { message: details.skipReason || "This test was skipped" }, "");
    case "RESULT_ERRORED":
      return element("error", { type: details.result }, details.error);
    case "RESULT_PASSED":
      return passedElement(details, options);
    case "RESULT_FAILED": {
      const { expected, actual, outputs = [] } = details.failure;
      const message = outputs.length === 0 ? "Effect expectation unsatisfied" : "Output expectation unsatisfied";
      return element("failure", { type: details.result, message }, [
        ...(outputs.length === 0 ? [] : [element("outputs", {}, outputs.map(failedOutput))]),
        element("actual", {}, actual),
        element("expected", {}, expected),
        ...(considered.length === 0 ? [] : [element("considered", {}, considered.join("\n"))]),
      ]);
    }
  }
}

function passedElement(
  { result, success: { effect, outputs = [] } }: Extract<Details, { result: "RESULT_PASSED" }>,
  { isVerbose }: JunitOptions,
): string {
  const shownOutputs = isVerbose ? outputs : [];
  return element("success", { type: result }, [
    ...(shownOutputs.length === 0
      ? []
      : [
          element(
            "outputs",
            {},
            shownOutputs.map(({ src, val, error }) =>
              outputElement(src, null, error === undefined ? json(val) : `the output's expression failed: ${error}`),
            ),
          ),
        ]),
    element("actual", {}, effect),
    element("expected", {}, effect),
  ]);
}

const outputElement = (src: string, expected: unknown, actual: string): string =>
  element("output", { src }, [element("expected", {}, json(expected)), element("actual", {}, actual)]);

const failedOutput = ({ src, missing, mismatched, errored }: OutputFailure): string =>
  outputElement(
    src,
    (missing ?? mismatched ?? errored)?.expected,
    mismatched === undefined ? (errored?.error ?? "missing") : json(mismatched.actual),
  );

const json = (value: unknown): string => JSON.stringify(value) ?? "null";

/** Returns the counts; a suite that could not be run is an error in addition to those of its tests. */
function counts(summary: Summary, suites: { readonly errors: number; readonly skipped: number }): { readonly [name: string]: string } {
  const of = (result: Result): number => summary.resultCounts?.find((each) => each.result === result)?.count ?? 0;
  return {
    errors: String(of("RESULT_ERRORED") + suites.errors),
    failures: String(of("RESULT_FAILED")),
    skipped: String(of("RESULT_SKIPPED") + suites.skipped),
    tests: String(summary.testsCount ?? 0),
  };
}

/** Prints an element whose content is text, or elements on lines of their own. */
function element(name: string, attributes: { readonly [name: string]: string }, content: string | readonly string[]): string {
  const written = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value).replaceAll('"', "&quot;").replaceAll("\n", "&#10;")}"`)
    .join("");
  const inner = typeof content === "string" ? escaped(content) : `\n${content.map(indented).join("\n")}\n`;
  return `<${name}${written}>${inner}</${name}>`;
}

// Only lines that begin an element are indented, so that multi-line text stays as it is.
const indented = (text: string): string => text.replaceAll(/^(?=\s*<)/gm, "  ");

/** Escapes text; XML 1.0 cannot contain other control characters, even escaped. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Cs}/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
