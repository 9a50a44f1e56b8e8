/** The tests of `authz compile`: finds the suites, runs them on the compiled policies, prints the results. */
import { Option, type Command } from "commander";
import { inOrder, type Diagnostic } from "../../compiler/diagnostic.ts";
import type { Compiled } from "../../compiler/index.ts";
import { evaluateInThisRealm, load } from "../../runtime/load.ts";
import { noStyles, terminalStyles } from "../repl/styles.ts";
import { messageOf, refusal } from "../refusal.ts";
import type { SchemaEnforcement } from "../../runtime/decide/input.ts";
import { explainAction } from "../../compiler/reference/explain-action.ts";
import { readFilters } from "../testing/filter.ts";
import { findSuites } from "../testing/find-suites.ts";
import { printJunit } from "../testing/reports/junit.ts";
import { printList } from "../testing/reports/list.ts";
import { printTree } from "../testing/reports/tree.ts";
import { notSelected, type RunResult, type Summary } from "../testing/result.ts";
import { runSuites, type RunOptions } from "../testing/run.ts";
import { collect, type CommandLine } from "./command.ts";

/** The flags about tests. */
export interface TestFlags {
  readonly tests?: string;
  readonly skipTests: boolean;
  readonly testFilter: readonly string[];
  readonly run?: string;
  readonly skipBatching: boolean;
  readonly strictEvaluation: boolean;
  readonly testOutput?: TestOutput;
  readonly color: Color;
  readonly verbose: boolean;
}

/** How results are printed. */
export type TestOutput = "tree" | "list" | "json" | "junit";
type Color = "auto" | "never" | "always" | "256" | "16m" | boolean;

/** Adds the flags to the command. */
export const withTestFlags = (command: Command): Command =>
  command
    .option("--tests <directory>", "the folder that holds the test suites, if it is not the one of the policies")
    .option("--skip-tests", "compile only", false)
    .option("--test-filter <filter>", "run the tests that fit, such as `suite=orders*;action=view,edit` (may be repeated)", collect, [])
    .addOption(new Option("--run <pattern>", "run the tests whose `suite/test` matches a regular expression").hideHelp())
    .option("--skip-batching", "check each action of a test on its own", false)
    .option("--strict-evaluation", "deny when a condition fails with an error, in every test", false)
    .addOption(
      new Option("--test-output <format>", "how test results are printed (default: as --output says)").choices([
        "tree",
        "list",
        "json",
        "junit",
      ]),
    )
    .addOption(new Option("--color <when>", "when to print in colour").choices(["auto", "never", "always", "256", "16m"]).default("auto"))
    .option("--no-color", "never print in colour")
    .option("--verbose", "also print tests that passed", false);

/** What suites are run on. */
export interface TestedPolicies {
  readonly compiled: Compiled;
  /** Absent: attributes are not validated. */
  readonly schemas: ((bundle: Compiled["bundle"]) => Promise<SchemaEnforcement>) | undefined;
}

/** Throws a refusal when a filter or pattern is invalid. Checked before anything is run, because no change of a file could fix it. */
export function checkTestFlags(flags: Pick<TestFlags, "testFilter" | "run">): void {
  if (flags.testFilter.length > 0) readFilters(flags.testFilter);
  patternOf(flags);
}

function patternOf({ run }: Pick<TestFlags, "run">): RegExp | undefined {
  try {
    return run === undefined ? undefined : new RegExp(run);
  } catch (error) {
    throw refusal(`--run is not a regular expression: ${messageOf(error)}`);
  }
}

/** The result of the suites of a directory. */
export interface TestRun {
  readonly result: RunResult;
  /** Warnings about the suites that were run, and their fixtures. */
  readonly warnings: readonly Diagnostic[];
}

/** Runs the suites of a directory; undefined when there are none. */
export async function runTests(
  line: CommandLine,
  directory: string,
  flags: TestFlags,
  subject: TestedPolicies,
): Promise<TestRun | undefined> {
  const filter = flags.testFilter.length === 0 ? undefined : readFilters(flags.testFilter);
  const pattern = patternOf(flags);
  const suites = await findSuites(flags.tests ?? directory);
  if (suites.length === 0) {
    if (flags.tests !== undefined)
      line.err(
        `authz: warning: there is no test suite in \`${flags.tests}\`: the names of suites end in _test.yaml, _test.yml or _test.json\n`,
      );
    return undefined;
  }
  const { policySet, bundle } = subject.compiled;
  const schemas = await subject.schemas?.(bundle);
  const options: RunOptions = {
    evaluator: load(bundle, evaluateInThisRealm),
    ...(schemas !== undefined && { schemas }),
    isUnbatched: flags.skipBatching,
    isStrict: flags.strictEvaluation,
    ...(filter !== undefined && { filter }),
    ...(pattern !== undefined && {
      skip: (_test, { suite, test }) => (pattern.test(`${suite}/${test}`) ? undefined : { reason: notSelected }),
    }),
    explain: (input, action, checkOptions) => explainAction(policySet, input, action, checkOptions),
    ...progressOf(line),
  };
  const result = runSuites(suites, options);
  // A misspelt filter would look like success.
  if (filter !== undefined && result.suites.length === 0) line.err("authz: warning: no test fits --test-filter, and none was run\n");
  const ran = new Set(result.suites.map(({ file }) => file));
  const warnings = suites.flatMap((found) => (found.kind === "suite" && ran.has(found.file) ? found.warnings : []));
  return { result, warnings: inOrder(warnings) };
}

/** Why no test was run: the policies of a directory have errors. */
interface CompileFailure {
  readonly directory: string;
  readonly error: string;
}

/** Prints results. In the machine-readable formats, also prints that there are none, and why. */
export function printOutcome(
  line: CommandLine,
  outcome: RunResult | CompileFailure | undefined,
  flags: Pick<TestFlags, "color" | "verbose" | "testOutput"> & { readonly output: "text" | Exclude<TestOutput, "junit"> },
): string {
  const format = flags.testOutput ?? (flags.output === "text" ? "tree" : flags.output);
  if (outcome !== undefined && "suites" in outcome) return printResults(line, outcome, format, flags);
  if (format === "tree" || format === "list") return "";
  const summary: Summary = outcome === undefined ? {} : { overallResult: "RESULT_ERRORED" };
  const suites = outcome === undefined ? [] : [{ file: outcome.directory, name: "authz compile", summary, error: outcome.error }];
  return printResults(line, { suites, summary }, format, flags);
}

function printResults(line: CommandLine, result: RunResult, format: TestOutput, flags: Pick<TestFlags, "color" | "verbose">): string {
  const options = { isVerbose: flags.verbose, styles: isColoured(line, flags.color) ? terminalStyles : noStyles };
  switch (format) {
    case "tree":
      return printTree(result, options);
    case "list":
      return printList(result, options);
    case "junit":
      return `${printJunit(result, options)}\n`;
    case "json":
      return `${JSON.stringify(result, undefined, 2)}\n`;
  }
}

const isColoured = (line: CommandLine, color: Color): boolean =>
  color === "auto" || color === true ? line.terminal && (line.environment["NO_COLOR"] ?? "") === "" : color !== "never" && color !== false;

const slowMilliseconds = 1000;

/** Prints progress during long runs at a terminal. */
function progressOf(line: CommandLine): Pick<RunOptions, "progress"> {
  if (!line.terminal) return {};
  const began = performance.now();
  let said = 0;
  return {
    progress: (done, all) => {
      const now = performance.now();
      if (now - began < slowMilliseconds || (now - said < 200 && done < all)) return;
      said = now;
      line.err(`\r${done} of ${all} suites${done === all ? "\r\u001B[K" : ""}`);
    },
  };
}
