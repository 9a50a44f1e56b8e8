/** Runs suites with an evaluator: each test is one check of all its actions (docs/testing.md). */
import type { Diagnostic } from "../../compiler/diagnostic.ts";
import { printDiagnostic } from "../../compiler/print-diagnostics.ts";
import type { Decision } from "../../runtime/decide/decision.ts";
import type { Evaluator } from "../../runtime/decide/decision.ts";
import type { CheckInput, CheckOptions, SchemaEnforcement } from "../../runtime/decide/input.ts";
import type { TestFilter } from "./filter.ts";
import { mergeFixtures, type Test } from "./matrix.ts";
import { planSuite } from "./plan.ts";
import {
  detailsOf,
  summarize,
  summarizeSuites,
  type ActionResult,
  type Details,
  type OutputFailure,
  type PrincipalResult,
  type RunResult,
  type SuiteResult,
  type TestCaseResult,
} from "./result.ts";
import { sameJson } from "./same-json.ts";
import { defaultTestOptions, type Fixtures, type Skip, type Suite, type TestOptions, type TestTable } from "./suite.ts";

/** A suite with the fixtures of its directory, or why it cannot be run. */
export type FoundSuite =
  | {
      readonly kind: "suite";
      readonly file: string;
      readonly suite: Suite;
      readonly folder: Fixtures;
      /** Warnings about the suite and the fixtures. */
      readonly warnings: readonly Diagnostic[];
    }
  | { readonly kind: "broken"; readonly file: string; readonly name: string; readonly description: string; readonly error: string };

/** Options of a run. */
export interface RunOptions {
  readonly evaluator: Pick<Evaluator, "check">;
  /** Absent: attributes are not validated. */
  readonly schemas?: SchemaEnforcement;
  /** Check each action by itself. */
  readonly isUnbatched?: boolean;
  /** Failing conditions deny, even if the suite does not set that. */
  readonly isStrict?: boolean;
  readonly filter?: TestFilter;
  /** Returns why a test must be skipped, by `<suite>/<test>` and its contents; undefined when it is run. */
  readonly skip?: (
    test: Test | undefined,
    names: { readonly suite: string; readonly test: string },
    options: TestOptions,
  ) => Skip | undefined;
  /** Called after each suite with the numbers of finished and of all suites. */
  readonly progress?: (done: number, all: number) => void;
  /** Returns the rules that were considered for an action, for failures. */
  readonly explain?: (input: CheckInput, action: string, options: CheckOptions) => readonly string[];
}

/** Runs suites in the given order. */
export function runSuites(suites: readonly FoundSuite[], options: RunOptions): RunResult {
  const done: SuiteResult[] = [];
  for (const [index, found] of suites.entries()) {
    const result = runFound(found, options);
    if (result !== undefined) done.push(result);
    options.progress?.(index + 1, suites.length);
  }
  return { suites: done, summary: summarizeSuites(done.map(({ summary }) => summary)) };
}

function runFound(found: FoundSuite, options: RunOptions): SuiteResult | undefined {
  if (found.kind === "suite") return runSuite(found.suite, found.folder, options);
  const { file, name, description, error } = found;
  if (options.filter?.({ suite: name }) === false) return undefined;
  return errored({ file, name, description }, error);
}

function runSuite(suite: Suite, folder: Fixtures, options: RunOptions): SuiteResult | undefined {
  const { file, name, description } = suite;
  if (options.filter?.({ suite: name }) === false) return undefined;
  if (suite.skip !== undefined)
    return {
      file,
      name,
      summary: summarize([], "RESULT_SKIPPED"),
      ...(description !== "" && { description }),
      skipReason: suite.skip.reason,
    };
  const plan = planSuite(suite, mergeFixtures(suite.fixtures, folder));
  if (plan.kind === "wrong") return errored(suite, plan.problems.map(printDiagnostic).join("\n\n"));
  const testCases = plan.tables.flatMap(({ table, tests }) => runTable(suite, table, tests, options) ?? []);
  if (testCases.length === 0 && plan.tables.length > 0) return undefined; // a filter left nothing of it
  return { file, name, summary: summarize(detailsOf(testCases)), testCases, ...(description !== "" && { description }) };
}

const errored = (
  { file, name, description }: { readonly file: string; readonly name: string; readonly description: string },
  error: string,
): SuiteResult => ({
  file,
  name,
  summary: summarize([], "RESULT_ERRORED"),
  error,
  ...(description !== "" && { description }),
});

function runTable(suite: Suite, table: TestTable, tests: readonly Test[], run: RunOptions): TestCaseResult | undefined {
  const options = table.options ?? suite.options ?? defaultTestOptions;
  const named = { suite: suite.name, test: table.name };
  const principals = new Map<string, PrincipalResult & { readonly resources: PrincipalResult["resources"][number][] }>();
  for (const test of tests) {
    const selected = selectedActions(test, named, run);
    if (selected.length === 0) continue;
    const skip = table.skip ?? run.skip?.(test, named, options);
    const details = skip === undefined ? runTest(test, options, run) : undefined;
    const actions = selected.map((action): ActionResult => ({
      name: action,
      ...(details?.get(action) ?? { details: { result: "RESULT_SKIPPED", skipReason: skip?.reason ?? "" } }),
    }));
    const principal = principals.get(test.principalName) ?? { name: test.principalName, resources: [] };
    principals.set(test.principalName, principal);
    principal.resources.push({ name: test.resourceName, actions });
  }
  return principals.size === 0 ? undefined : { name: table.name, principals: [...principals.values()] };
}

function selectedActions(test: Test, named: { readonly suite: string; readonly test: string }, { filter }: RunOptions): readonly string[] {
  if (filter === undefined) return test.actions;
  const about = { ...named, principal: test.principalName, resource: test.resourceName };
  return test.actions.filter((action) => filter({ ...about, action }));
}

const clockError = "a condition reads the clock (now, timeSince), and the test's options do not set `now`";

function runTest(test: Test, options: TestOptions, run: RunOptions): ReadonlyMap<string, Omit<ActionResult, "name">> {
  const { principal, resource, auxData } = test;
  const batches = run.isUnbatched === true ? test.actions.map((action) => [action]) : [test.actions];
  const results = new Map<string, Omit<ActionResult, "name">>();
  for (const actions of batches) {
    const input: CheckInput = { principal, resource, actions, ...(auxData !== undefined && { auxData }) };
    let readsClock = false;
    const checkOptions: CheckOptions = {
      ...options,
      now: options.now ?? 0,
      strictEvaluation: options.strictEvaluation || run.isStrict === true,
      evaluationErrors: false,
      effectivePolicies: false,
      ...(options.now === undefined && { clockRead: () => void (readsClock = true) }),
      ...(run.schemas !== undefined && { schemas: run.schemas }),
    };
    const [decision] = run.evaluator.check([input], checkOptions);
    if (decision === undefined) continue;
    for (const action of actions) {
      const details: Details = readsClock ? { result: "RESULT_ERRORED", error: clockError } : compareDecision(test, action, decision);
      const considered = details.result === "RESULT_FAILED" ? run.explain?.(input, action, checkOptions) : undefined;
      results.set(action, { details, ...(considered !== undefined && { considered }) });
    }
  }
  return results;
}

function compareDecision(test: Test, action: string, decision: Decision): Details {
  const expected = test.effects.get(action) ?? "EFFECT_DENY";
  const actual = decision.actions.get(action)?.effect ?? "EFFECT_DENY";
  if (actual !== expected) return { result: "RESULT_FAILED", failure: { expected, actual } };
  const outputs = decision.outputs.filter((output) => output.action === action);
  const failures = [...(test.outputs.get(action) ?? [])].flatMap(([src, val]): readonly OutputFailure[] => {
    const given = outputs.findLast((output) => output.src === src);
    if (given === undefined) return [{ src, missing: { expected: val } }];
    if (given.error !== undefined) return [{ src, errored: { expected: val, error: given.error } }];
    return sameJson(given.val, val) ? [] : [{ src, mismatched: { expected: val, actual: given.val ?? null } }];
  });
  if (failures.length > 0) return { result: "RESULT_FAILED", failure: { expected, actual, outputs: failures } };
  return { result: "RESULT_PASSED", success: { effect: actual, ...(outputs.length > 0 && { outputs }) } };
}
