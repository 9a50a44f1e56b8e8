/** The answer to one `CheckInput`. */
import type { Value } from "../cel/value.ts";
import type { CheckInput, CheckOptions } from "./input.ts";

export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

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

export interface ActionDecision {
  readonly effect: Effect;
  /** The policy key that decided (`resource.expense.vdefault`), or `NO_MATCH`. */
  readonly matchedPolicy: string;
  /** The scope that decided; "" for the root scope or when nothing matched. */
  readonly matchedScope: string;
}

export interface Output {
  readonly src: string;
  readonly action: string;
  readonly val?: Value;
  readonly error?: string;
}

export interface EvaluationError {
  readonly expression: string;
  readonly message: string;
}

/** A loaded bundle: answers a batch of inputs with one instant and one policy set. */
export interface Evaluator {
  readonly check: (inputs: readonly CheckInput[], options: CheckOptions) => readonly Decision[];
}
