/** The answer to one `CheckInput`. */
import type { Range } from "../cel/ast.ts";
import type { Value } from "../cel/value.ts";
import type { CheckInput, CheckOptions } from "./input.ts";

/** What is answered. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** The answer for one resource. */
export interface Decision {
  readonly requestId: string;
  readonly resourceId: string;
  /** One entry per requested action, in request order. A Map: action names are the caller's words. */
  readonly actions: ReadonlyMap<string, ActionDecision>;
  /** Sorted, unique. */
  readonly effectiveDerivedRoles: readonly string[];
  readonly outputs: readonly Output[];
  /** Unique, sorted by expression then message; empty unless asked for. */
  readonly evaluationErrors: readonly EvaluationError[];
}

/** The answer for one action, and who decided. */
export interface ActionDecision {
  readonly effect: Effect;
  /** The policy key that decided (`resource.expense.vdefault`), or `NO_MATCH`. */
  readonly matchedPolicy: string;
  /** The scope that decided; "" for the root scope or when nothing matched. */
  readonly matchedScope: string;
}

/** What a rule tells the caller besides. */
export interface Output {
  readonly src: string;
  readonly action: string;
  readonly val?: Value;
  readonly error?: string;
}

/** An expression that failed, and why. What audit entries show of it is `expression` and `message`. */
export interface EvaluationError {
  readonly expression: string;
  readonly message: string;
  /** Where in the expression the sub-expression stands that failed. */
  readonly part?: Range;
}

/** A loaded bundle: answers a batch of inputs with one instant and one policy set. */
export interface Evaluator {
  readonly check: (inputs: readonly CheckInput[], options: CheckOptions) => readonly Decision[];
}
