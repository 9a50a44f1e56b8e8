/**
 * The evaluation of one unit for one input: its query, and what the interpreter adds to the generated program
 * (outputs, error messages).
 */
import type { EvaluationContext } from "../cel/declare.ts";
import type { EvalError } from "../cel/error.ts";
import { work } from "../cel/work.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { EffectivePolicies } from "./effective-policies.ts";
import type { ActionDecision, Output } from "./decision.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { convertOutput, type ConvertedOutput } from "./outputs.ts";
import type { Prices } from "./prices.ts";
import { openQuery } from "./open-query.ts";
import { type Computes, type HeldRoles, type HoldsStrictly, type QueryEnvironment, type Query } from "./query.ts";
import { type InterpreterContext, evaluateOutput, openInterpreterContext } from "./questions.ts";
import type { Route } from "./route.ts";
import { openStrictEvaluation, type StrictEvaluation } from "./strict.ts";
import type { PricedUnit } from "./unit.ts";

/** The state of deciding one input. */
export interface DecisionState {
  readonly input: CheckInput;
  readonly options: CheckOptions;
  readonly context: EvaluationContext;
  readonly heldRoles: HeldRoles | undefined;
  /** Whether to compute the derived roles of every visited scope; otherwise only where a program may read them. */
  readonly listsRoles: boolean;
  /** Outputs of rules so far. */
  outputs: Output[] | undefined;
  /** The units evaluated so far, if errors are to be reported. */
  readonly evaluations: UnitEvaluation[] | undefined;
  /** The errors cached for the inputs of the call, if errors are to be reported. */
  readonly callerErrorsOf: ((input: CheckInput) => CallerErrors) | undefined;
  /** The policies that took part, if requested. */
  readonly effectivePolicies: EffectivePolicies | undefined;
  /** Under strict evaluation: the denial caused by an error in the current action. */
  failure: ActionDecision | undefined;
  /** What is known of the resource's scopes, once resource policies are evaluated; `runtime` reads it. */
  seen: ScopesSeen | undefined;
}

/** The active derived roles of each visited scope. */
export interface ScopesSeen {
  readonly route: Route;
  /** By index of the visit; undefined before the first. */
  readonly activeRoles: readonly (readonly string[])[] | undefined;
  readonly evaluation: UnitEvaluation | undefined;
}

/** The active derived roles of a scope, or the error why they are unknown (semantics 5.3). */
function rolesIn(seen: ScopesSeen | undefined, scope: string): readonly string[] | EvalError {
  const at = seen?.route.visits.findIndex((visit) => visit.scope === scope) ?? -1;
  const policy = seen?.route.visits[at]?.policy;
  const error = policy && seen?.evaluation?.strict?.rolesError(policy.index);
  return error ?? seen?.activeRoles?.[at] ?? none;
}

const none: readonly string[] = Object.freeze([]);

/** One unit being evaluated for one input. Caches its outputs, so that each is computed once. */
export class UnitEvaluation implements QueryEnvironment {
  declare readonly unit: LoadedUnit;
  declare readonly strict: StrictEvaluation | undefined;
  declare readonly holdsStrictly: HoldsStrictly | undefined;
  declare readonly prices: Prices;
  declare readonly heldRoles: HeldRoles | undefined;
  declare readonly query: Query;
  declare readonly state: DecisionState;
  declare private converted: Map<number, ConvertedOutput> | undefined;
  declare private opened: InterpreterContext | undefined;

  constructor(unit: LoadedUnit, state: DecisionState, program: PricedUnit = unit.program()) {
    this.unit = unit;
    this.state = state;
    this.converted = undefined;
    this.opened = undefined;
    this.prices = program.prices;
    const { input, options, context, heldRoles, evaluations } = state;
    this.strict = options.strictEvaluation ? openStrictEvaluation(this.interpreterContext()) : undefined;
    this.holdsStrictly = this.strict?.holds;
    this.heldRoles = heldRoles;
    this.query = openQuery(input, options.globals, context, this);
    evaluations?.push(this);
  }

  /** The interpreter's view of the input, created on demand. */
  interpreterContext(): InterpreterContext {
    if (this.opened !== undefined) return this.opened;
    const { unit, state } = this;
    const { input, options, context, callerErrorsOf } = state;
    const what = {
      trees: unit.trees(),
      input,
      globals: options.globals,
      context,
      strict: options.strictEvaluation,
      // Principal policies see no derived roles (D32).
      effectiveDerivedRoles: (policy: number) => (unit.type === "principal" ? none : rolesIn(state.seen, unit.scopes[policy]?.scope ?? "")),
    };
    this.opened = openInterpreterContext(what, callerErrorsOf?.(input));
    return this.opened;
  }

  /** Receives an output of a rule. Ignored if strict evaluation has already ended the action. */
  onOutput(query: Query, index: number, src: string, action: string, compute: Computes, times: number): void {
    if (this.strict?.failed() === true) return;
    const output = this.convertedOutput(query, index, compute);
    const outputs = (this.state.outputs ??= []);
    for (let count = 0; count < times; count++) {
      work(output.price);
      outputs.push({ src, action, ...output.what });
    }
  }

  private convertedOutput(query: Query, index: number, compute: Computes): ConvertedOutput {
    this.converted ??= new Map();
    const known = this.converted.get(index);
    if (known !== undefined) return known;
    // Under strict evaluation `runtime` may be an error, which only the interpreter knows.
    const value = this.strict === undefined ? query.outputOf(index, compute) : undefined;
    const output = convertOutput(value ?? evaluateOutput(this.interpreterContext(), index));
    this.converted.set(index, output);
    return output;
  }

  /** Whether a row of one of the unit's policies evaluated a condition or produced an output. */
  wasEvaluated(policy: number): boolean {
    const { questions } = this.unit.trees();
    work(Math.ceil(questions.length / 4));
    return questions.some(
      (question, index) => question.policy === policy && (this.query.wasEvaluated(index) || this.converted?.has(index) === true),
    );
  }

  /** Returns the denial caused by a failed condition, once: with key and scope of the policy that contains the rule. */
  takeFailure(): ActionDecision | undefined {
    const policy = this.strict?.takeFailure();
    const failed = policy === undefined ? undefined : this.unit.scopes[policy];
    return failed && { effect: "EFFECT_DENY", matchedPolicy: failed.key, matchedScope: failed.scope };
  }
}

/** Records that the current action is denied because of an error; nothing further is evaluated for it. */
export function fail(state: DecisionState, failed: ActionDecision): ActionDecision {
  state.failure = failed;
  return failed;
}
