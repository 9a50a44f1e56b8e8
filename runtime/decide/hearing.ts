/** One unit while it is asked about one input: its query, and what the interpreter adds to its program (outputs, named errors). */
import type { EvaluationContext } from "../cel/declare.ts";
import type { EvalError } from "../cel/error.ts";
import { work } from "../cel/work.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { Considered } from "./considered.ts";
import type { ActionDecision, Output } from "./decision.ts";
import type { CheckInput, CheckOptions } from "./input.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { tell, type Told } from "./outputs.ts";
import type { Prices } from "./prices.ts";
import { openQuery } from "./open-query.ts";
import { type Computes, type HeldRoles, type Judge, type Listener, type Query } from "./query.ts";
import { type Case, evaluateOutput, openCase } from "./questions.ts";
import type { Route } from "./route.ts";
import { openStrictEvaluation, type StrictEvaluation } from "./strict.ts";
import type { PricedUnit } from "./unit.ts";

/** One input, while it is decided. */
export interface Inquiry {
  readonly input: CheckInput;
  readonly options: CheckOptions;
  readonly context: EvaluationContext;
  readonly heldRoles: HeldRoles | undefined;
  /** The derived roles of every scope that is visited are found out; otherwise only where a program may look at them. */
  readonly listsRoles: boolean;
  /** What rules have told so far. */
  outputs: Output[] | undefined;
  /** Of every unit that was asked, where somebody wants to know what errors they met. */
  readonly hearings: Hearing[] | undefined;
  /** What the inputs of the call share of their errors, where somebody wants to know them. */
  readonly callersKnown: ((input: CheckInput) => CallerErrors) | undefined;
  /** The policies that had a say, where somebody wants to know. */
  readonly considered: Considered | undefined;
  /** Under strict evaluation: what the action that is being decided failed with. */
  failure: ActionDecision | undefined;
  /** What was seen of the resource's scopes, once resource policies are asked: `runtime` shows it. */
  seen: ScopesSeen | undefined;
}

/** The derived roles that are active in each scope that was visited. */
export interface ScopesSeen {
  readonly route: Route;
  readonly activeRoles: readonly (readonly string[])[] | undefined;
  readonly hearing: Hearing | undefined;
}

/** The derived roles that are active in a scope, or why that is not known (semantics 5.3). */
function rolesIn(seen: ScopesSeen | undefined, scope: string): readonly string[] | EvalError {
  const at = seen?.route.visits.findIndex((visit) => visit.scope === scope) ?? -1;
  const policy = seen?.route.visits[at]?.policy;
  const error = policy && seen?.hearing?.strict?.rolesError(policy.index);
  return error ?? seen?.activeRoles?.[at] ?? none;
}

const none: readonly string[] = Object.freeze([]);

/** A unit, being heard. It keeps what its outputs came to, which is found out once an input. */
export class Hearing implements Listener {
  declare readonly unit: LoadedUnit;
  declare readonly strict: StrictEvaluation | undefined;
  declare readonly judge: Judge | undefined;
  declare readonly prices: Prices;
  declare readonly heldRoles: HeldRoles | undefined;
  declare readonly query: Query;
  declare readonly inquiry: Inquiry;
  declare private told: Map<number, Told> | undefined;
  declare private opened: Case | undefined;

  constructor(unit: LoadedUnit, inquiry: Inquiry, program: PricedUnit = unit.program()) {
    this.unit = unit;
    this.inquiry = inquiry;
    this.told = undefined;
    this.opened = undefined;
    this.prices = program.prices;
    const { input, options, context, heldRoles, hearings } = inquiry;
    this.strict = options.strictEvaluation ? openStrictEvaluation(this.case()) : undefined;
    this.judge = this.strict?.holds;
    this.heldRoles = heldRoles;
    this.query = openQuery(input, options.globals, context, this);
    hearings?.push(this);
  }

  /** For the interpreter: made when it is needed. */
  case(): Case {
    if (this.opened !== undefined) return this.opened;
    const { unit, inquiry } = this;
    const { input, options, context, callersKnown } = inquiry;
    const what = {
      trees: unit.trees(),
      input,
      globals: options.globals,
      context,
      strict: options.strictEvaluation,
      // Principal policies see no derived roles (D32).
      effectiveDerivedRoles: (policy: number) =>
        unit.type === "principal" ? none : rolesIn(inquiry.seen, unit.scopes[policy]?.scope ?? ""),
    };
    this.opened = openCase(what, callersKnown?.(input));
    return this.opened;
  }

  /** Takes what a rule tells, unless a condition has failed that ends the action. */
  hear(query: Query, index: number, src: string, action: string, compute: Computes, times: number): void {
    if (this.strict?.failed() === true) return;
    const told = this.toldBy(query, index, compute);
    const outputs = (this.inquiry.outputs ??= []);
    for (let count = 0; count < times; count++) {
      work(told.price);
      outputs.push({ src, action, ...told.what });
    }
  }

  private toldBy(query: Query, index: number, compute: Computes): Told {
    this.told ??= new Map();
    const known = this.told.get(index);
    if (known !== undefined) return known;
    // Under strict evaluation `runtime` itself may be an error, which only the interpreter knows.
    const value = this.strict === undefined ? query.outputOf(index, compute) : undefined;
    const told = tell(value ?? evaluateOutput(this.case(), index));
    this.told.set(index, told);
    return told;
  }

  /** Whether a row of one of the unit's policies asked or told something. */
  wasAsked(policy: number): boolean {
    const { questions } = this.unit.trees();
    work(Math.ceil(questions.length / 4));
    return questions.some(
      (question, index) => question.policy === policy && (this.query.wasAsked(index) || this.told?.has(index) === true),
    );
  }

  /** The denial that a failed condition is, once: the policy that holds the rule answers, by its own key and scope. */
  takeFailure(): ActionDecision | undefined {
    const policy = this.strict?.takeFailure();
    const failed = policy === undefined ? undefined : this.unit.scopes[policy];
    return failed && { effect: "EFFECT_DENY", matchedPolicy: failed.key, matchedScope: failed.scope };
  }
}

/** Notes that nothing further is tried for this action. */
export function fail(inquiry: Inquiry, failed: ActionDecision): ActionDecision {
  inquiry.failure = failed;
  return failed;
}
