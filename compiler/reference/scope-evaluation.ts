/** Evaluates one scope of a chain: its derived roles, the variables of its policies, its rows. */
import { EvalError } from "../../runtime/cel/error.ts";
import { evaluate, type Bindings } from "../../runtime/cel/evaluate/evaluate.ts";
import { describe } from "../../runtime/cel/evaluate/describe.ts";
import { toJson } from "../../runtime/cel/to-json.ts";
import type { EvaluationError, Output } from "../../runtime/decide/decision.ts";
import { activate, type Evaluation } from "./activation.ts";
import { conditionResult, failed, unmetExpressions } from "./condition.ts";
import type { ActiveDerivedRoles } from "./derived-roles.ts";
import type { Outcome } from "./reason.ts";
import type { Consequence, DecidingPolicy, Row } from "./row.ts";

/** The evaluation of one scope. */
export interface ScopeEvaluation {
  /** The principal's derived roles at this scope. */
  readonly derivedRoles: ActiveDerivedRoles;
  /** Evaluates a row for one action. */
  readonly consider: (row: Row, action: string) => RowResult;
}

/** The result of a row. */
export interface RowResult extends Consequence {
  readonly outcome: Outcome;
  readonly errors: readonly EvaluationError[];
  /** If a condition was not met: returns the texts of the expressions because of which it was not. */
  readonly unmetExpressions?: () => readonly string[];
  /** The output, with its value or error. */
  readonly evaluatedOutput?: Output;
}

/** Starts the evaluation of a scope. The variables of each policy are evaluated when its first row is considered. */
export function openScopeEvaluation(derivedRoles: ActiveDerivedRoles, evaluation: Evaluation): ScopeEvaluation {
  // 4.5: the variables of a row's policy are evaluated once, when its first row is considered.
  const opened = new Map<DecidingPolicy, Bindings>();
  const bindingsOf = (policy: DecidingPolicy): Bindings => {
    const bindings = opened.get(policy) ?? activate(policy, derivedRoles.visible, "unset", evaluation);
    opened.set(policy, bindings);
    return bindings;
  };

  function consider(row: Row, action: string): RowResult {
    // There is nothing to evaluate if a role policy denies as a whole.
    if (row.rule === undefined) return { ...row.whenMet, outcome: row.outcome, errors: [] };
    const bindings = bindingsOf(row.policy);

    // 4.6: the derived role's condition comes first, with its own variables and constants.
    if (row.derivedRole?.condition !== undefined) {
      const own = activate(row.derivedRole, derivedRoles.visible, "unset", evaluation);
      const active = conditionResult(row.derivedRole.condition, own, evaluation);
      if (failed(active, evaluation)) return { answer: "deny", outcome: "failed", errors: active.errors };
      // D31: if the derived role is inactive, there is no output.
      if (!active.holds) {
        const { condition } = row.derivedRole;
        return {
          answer: "none",
          outcome: "derived role inactive",
          errors: active.errors,
          unmetExpressions: () => unmetExpressions(condition, own, evaluation),
        };
      }
    }

    const result = conditionResult(row.condition, bindings, evaluation);
    if (failed(result, evaluation)) return { answer: "deny", outcome: "failed", errors: result.errors };
    const consequence = result.holds ? row.whenMet : row.whenNotMet;
    const { condition } = row;
    const evaluatedOutput = evaluateOutput(row, consequence, action, bindings, evaluation);
    return {
      ...consequence,
      outcome: result.holds ? row.outcome : "condition not met",
      errors: result.errors,
      ...(!result.holds && condition !== undefined && { unmetExpressions: () => unmetExpressions(condition, bindings, evaluation) }),
      ...(evaluatedOutput && { evaluatedOutput }),
    };
  }

  return { derivedRoles, consider };
}

/**
 * 4.7: evaluates the output. If that fails, the output holds the error; it changes nothing else and is not listed
 * among the errors.
 */
function evaluateOutput(
  { policy, rule }: Row,
  { output }: Consequence,
  action: string,
  bindings: Bindings,
  { context }: Evaluation,
): Output | undefined {
  if (output === undefined) return undefined;
  const src = `${policy.key}#${rule?.name ?? ""}`;
  const value = evaluate(output.tree, bindings, context);
  const json = value instanceof EvalError ? value : toJson(value);
  return json instanceof EvalError ? { src, action, error: describe(json) } : { src, action, val: json };
}
