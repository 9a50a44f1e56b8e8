/** Binds the names in the expressions of one policy while one input is evaluated. */
import type { EvaluationContext } from "../../runtime/cel/declare.ts";
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate, type Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import type { Value } from "../../runtime/cel/value.ts";
import { policyBindings } from "../../runtime/decide/activation.ts";
import type { EvaluationError } from "../../runtime/decide/decision.ts";
import { nameError } from "../../runtime/decide/evaluate-condition.ts";
import type { CheckInput, CheckOptions } from "../../runtime/decide/input.ts";
import type { Constant, Definitions } from "../link/policy-set.ts";

/** The context that all expressions of one input share. */
export interface Evaluation {
  readonly input: CheckInput;
  readonly options: CheckOptions;
  readonly context: EvaluationContext;
  /** Adds an error to the decision. */
  readonly onError: (error: EvaluationError) => void;
}

/** The derived roles of the scope, or the error that reading `runtime` gives (semantics 5.3). */
export type DerivedRoleNames = readonly string[] | EvalError;

/**
 * Evaluates all variables of a policy, in dependency order (semantics 5.2), and binds every name. A variable that
 * fails stays unset, so that reading it is an error, or becomes null, where semantics 4.6 says so.
 */
export function activate(
  { variables, constants }: Definitions,
  derivedRoles: DerivedRoleNames,
  whenFailed: "unset" | "null",
  evaluation: Evaluation,
): Bindings {
  const values = new Map<string, Value>();
  const bindings = bind(constants, values, derivedRoles, evaluation);
  for (const { name, expression } of variables) {
    const value = evaluate(expression.tree, bindings, evaluation.context);
    if (!(value instanceof EvalError)) {
      values.set(name, value);
      continue;
    }
    evaluation.onError(nameError(expression, value));
    if (whenFailed === "null") values.set(name, null);
  }
  return bindings;
}

function bind(
  constants: readonly Constant[],
  variables: ReadonlyMap<string, Value>,
  derivedRoles: DerivedRoleNames,
  { input, options }: Evaluation,
): Bindings {
  const bindings = policyBindings(input, {
    globals: options.globals,
    constants: new Map(constants.map(({ name, value }) => [name, value])),
    variables,
    effectiveDerivedRoles: derivedRoles instanceof EvalError ? [] : derivedRoles,
  });
  return derivedRoles instanceof EvalError ? (name) => (name === "runtime" ? derivedRoles : bindings(name)) : bindings;
}
