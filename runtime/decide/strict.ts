/** Strict evaluation (semantics 5.3): an error in a condition denies the action, by that rule's policy. */
import { type EvalError, evalError } from "../cel/error.ts";
import type { EvaluationError } from "./decision.ts";
import { type InterpreterContext, evaluateQuestion } from "./questions.ts";

/** Evaluates conditions with the interpreter, because generated code does not distinguish errors from false. */
export interface StrictEvaluation {
  /** Whether a condition holds; undefined after a failure, until the next action. */
  readonly holds: (index: number) => boolean | undefined;
  /**
   * Runs `compute`, which computes the derived roles of a policy. An error there fails only conditions that read the
   * roles.
   */
  readonly findRoles: (compute: () => readonly string[]) => readonly string[];
  /** The error of reading `runtime`, if computing the derived roles of a policy failed. */
  readonly rolesError: (policy: number) => EvalError | undefined;
  /** Whether a condition failed and `takeFailure` has not been called since. */
  readonly failed: () => boolean;
  /** The policy whose condition failed since the last call, if any. */
  readonly takeFailure: () => number | undefined;
}

// A failed variable matters only if a condition reads it.
function quietly(): void {}

/** Starts the strict evaluation of one input. */
export function openStrictEvaluation(of: InterpreterContext): StrictEvaluation {
  const results = new Map<number, { readonly held: boolean; readonly failed: boolean }>();
  /** Names of derived roles whose conditions failed, by policy. */
  const broken = new Map<number, string[]>();
  let findingRoles = false;
  let failure: number | undefined;

  const ask = (index: number): { readonly held: boolean; readonly failed: boolean } => {
    const known = results.get(index);
    if (known !== undefined) return known;
    const question = of.trees.questions[index];
    let failed = false;
    const onError = (_error: EvaluationError): void => {
      failed = true;
    };
    const held = question === undefined || evaluateQuestion(of, question, onError, quietly);
    const found = { held: held && !failed, failed };
    results.set(index, found);
    return found;
  };

  const note = (policy: number, role: number): void => {
    const name = of.trees.policies[policy]?.derivedRoles[role]?.name ?? "";
    broken.set(policy, [...(broken.get(policy) ?? []), name]);
  };

  return {
    holds(index) {
      if (failure !== undefined) return undefined;
      const { held, failed } = ask(index);
      const question = of.trees.questions[index];
      if (!failed || question === undefined) return held;
      if (findingRoles && "role" in question) note(question.policy, question.role);
      else failure = question.policy;
      return false;
    },
    findRoles(compute) {
      findingRoles = true;
      const roles = compute();
      findingRoles = false;
      return roles;
    },
    rolesError(policy) {
      const names = broken.get(policy);
      if (names === undefined) return undefined;
      return evalError("invalid argument", `failed to compute effective derived roles [${names.toSorted().join(", ")}]`);
    },
    failed: () => failure !== undefined,
    takeFailure() {
      const taken = failure;
      failure = undefined;
      return taken;
    },
  };
}
