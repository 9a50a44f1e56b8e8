/** Answers a unit's questions with the interpreter: whether they hold, and every error that was met on the way. */
import type { EvaluationContext } from "../cel/declare.ts";
import { EvalError, evalError } from "../cel/error.ts";
import type { Bindings } from "../cel/evaluate/evaluate.ts";
import type { Value } from "../cel/value.ts";
import { policyBindings } from "./activation.ts";
import { evaluateCondition, evaluateVariables } from "./condition-evaluate.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { CheckInput } from "./input.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** What the interpreter needs to know of one input. */
export interface Case {
  readonly trees: UnitTrees;
  readonly input: CheckInput;
  readonly globals: { readonly [name: string]: Value };
  readonly context: EvaluationContext;
  /** Under strict evaluation a variable that fails is unset everywhere. */
  readonly strict: boolean;
  /** Of a policy; "unknown" where computing them failed, under strict evaluation. */
  readonly effectiveDerivedRoles: (policy: number) => readonly string[] | "unknown";
}

type OnError = (error: EvaluationError) => void;

/** Tells whether what a question asks holds, and reports each error. */
export function answer(of: Case, question: Question, onError: OnError, onVariableError: OnError): boolean {
  const policy = of.trees.policies[question.policy];
  if (policy === undefined || question.kind === "policy") return true;
  if (question.kind === "rule") {
    return holds(of, question.condition, policy, of.effectiveDerivedRoles(question.policy), "unset", quietly, onError);
  }
  const role = policy.derivedRoles[question.role];
  if (role?.condition === undefined) return true;
  // While the roles are being found out there are none yet.
  const found = question.kind === "matched" ? of.effectiveDerivedRoles(question.policy) : [];
  const failed = question.kind === "matched" || of.strict ? "unset" : "null";
  return holds(of, role.condition, role, found, failed, onVariableError, onError);
}

/** Reports the errors of a policy's variables, which are all evaluated when its first row is considered. */
export function reportVariables(of: Case, policy: number, onError: OnError): void {
  const names = of.trees.policies[policy];
  if (names !== undefined) variablesOf(of, names, of.effectiveDerivedRoles(policy), onError);
}

const quietly = (): void => {};

function holds(
  of: Case, condition: Condition, names: Names, roles: readonly string[] | "unknown", failed: "unset" | "null",
  onVariableError: OnError, onError: OnError,
): boolean {
  const variables = variablesOf(of, names, roles, onVariableError, failed === "null" ? null : undefined);
  return evaluateCondition(condition, bind(of, names, variables, roles), of.context, onError);
}

const variablesOf = (
  of: Case, names: Names, roles: readonly string[] | "unknown", onError: OnError, whenFailed?: Value,
): ReadonlyMap<string, Value> =>
  evaluateVariables(names.variables, (soFar) => bind(of, names, soFar, roles), of.context, onError, whenFailed);

function bind(of: Case, names: Names, variables: ReadonlyMap<string, Value>, roles: readonly string[] | "unknown"): Bindings {
  const bindings = policyBindings(of.input, {
    globals: of.globals, constants: names.constants, variables, effectiveDerivedRoles: roles === "unknown" ? [] : roles,
  });
  return roles === "unknown" ? (name) => (name === "runtime" ? unknownRoles : bindings(name)) : bindings;
}

const unknownRoles: EvalError = evalError("undefined field", "the derived roles could not be computed");
