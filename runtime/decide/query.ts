/** The query: the view of one input that generated code receives, with cached results of its conditions and variables. */
import type { EvaluationContext } from "../cel/declare.ts";
import { invariant } from "../cel/error.ts";
import { Steps, tooManySteps } from "../cel/steps.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { timestampFromMilliseconds } from "../cel/timestamp.ts";
import { lightWeight, type Weight } from "../cel/weight.ts";
import { finish, start, workStep } from "../cel/work.ts";
import { holdsOne } from "./holds-one.ts";
import type { CheckInput, Principal, Resource } from "./input.ts";
import { type Prices, unmeasured } from "./prices.ts";
import { openRecords, type RecordName, type Records } from "./records.ts";

/** The code of a condition; errors count as false. */
export type Holds = (query: Query) => boolean;

/** The code of an output or variable; undefined stands for an error. */
export type Computes = (query: Query) => Value | undefined;

/** The environment of a query. */
export interface QueryEnvironment {
  /** Receives an output of a rule, `times` times. */
  readonly onOutput: ((query: Query, index: number, src: string, action: string, compute: Computes, times: number) => void) | undefined;
  /** Evaluates conditions instead of their code; absent unless strict evaluation is on. */
  readonly holdsStrictly: HoldsStrictly | undefined;
  readonly prices: Prices;
  /** Absent if the principal's own few roles are all that it holds. */
  readonly heldRoles: HeldRoles | undefined;
}

/** The roles of the principal and their parent roles. */
export interface HeldRoles {
  readonly has: (role: string) => boolean;
}

/** Evaluates a condition by its index, for strict evaluation; undefined if it is not to be evaluated any more. */
export type HoldsStrictly = (index: number) => boolean | undefined;

/** How many conditions have a bit; the others are in a map. */
export const bits = 30;
/** The initial `evaluated` of a query whose conditions need not be recorded: no condition's bit, and a small integer for V8. */
const unrecorded = -1 << bits;
const none: readonly string[] = Object.freeze([]);
const nothing: JsonObject = Object.freeze({});
/** The environment of a query without outputs, strict evaluation, prices or parent roles. */
export const noEnvironment: QueryEnvironment = { onOutput: undefined, holdsStrictly: undefined, prices: unmeasured, heldRoles: undefined };
const epoch: EvaluationContext = { now: timestampFromMilliseconds(0) };

/**
 * One input, while one unit decides it. Every field is set in the constructor in a fixed order (one hidden class),
 * because one query is created for each input and generated code reads it in the hot path. Rarely needed state is in
 * `Further`.
 */
export class Query {
  declare readonly principal: Principal;
  declare readonly resource: Resource;
  /** Attributes; an empty object if none were sent. */
  declare readonly P: JsonObject;
  declare readonly R: JsonObject;
  declare readonly G: { readonly [name: string]: Value };
  declare readonly context: EvaluationContext;
  /** Of the scope being visited, sorted; empty outside of scopes (D32). */
  declare effectiveDerivedRoles: readonly string[];
  /** How many conditions have bits: none under strict evaluation, which has its own cache (its results depend on the caller). */
  declare private readonly inBits: number;
  /** Bits of the first conditions: evaluated, and true. */
  declare evaluated: number;
  declare satisfied: number;
  declare private readonly input: CheckInput;
  declare private further: Further | undefined;
  // One instance always exists: see `ActionDecisions.none`.
  static readonly none: Query = new Query(
    { principal: { id: "", roles: [] }, resource: { kind: "", id: "" }, actions: [] },
    {},
    epoch,
    noEnvironment,
    true,
  );
  // Private, so that units cannot reach it.
  readonly #environment: QueryEnvironment;

  constructor(
    input: CheckInput,
    globals: { readonly [name: string]: Value },
    context: EvaluationContext,
    environment: QueryEnvironment,
    isRecorded: boolean,
  ) {
    const { principal, resource } = input;
    this.principal = principal;
    this.resource = resource;
    this.P = principal.attr ?? nothing;
    this.R = resource.attr ?? nothing;
    this.G = globals;
    this.context = context;
    this.effectiveDerivedRoles = none;
    this.inBits = environment.holdsStrictly === undefined ? bits : 0;
    this.evaluated = isRecorded ? 0 : unrecorded;
    this.satisfied = 0;
    this.input = input;
    this.further = undefined;
    this.#environment = environment;
  }

  private opened(): Further {
    return (this.further ??= openFurther());
  }

  get jwt(): JsonObject {
    return this.input.auxData?.jwt ?? nothing;
  }
  get principalVersion(): string {
    return this.principal.policyVersion ?? "";
  }
  get principalScope(): string {
    return this.principal.scope ?? "";
  }
  get resourceVersion(): string {
    return this.resource.policyVersion ?? "";
  }
  get resourceScope(): string {
    return this.resource.scope ?? "";
  }

  /** Whether a condition is true; evaluated once for an input. */
  holds(index: number, condition: Holds): boolean {
    if (index >= this.inBits) return this.holdsBeyond(index, condition);
    const bit = 1 << index;
    if ((this.evaluated & bit) === 0) {
      this.evaluated |= bit;
      if (this.evaluate(index, condition)) this.satisfied |= bit;
    }
    return (this.satisfied & bit) !== 0;
  }

  private holdsBeyond(index: number, condition: Holds): boolean {
    const more = (this.opened().more ??= new Map());
    const holdsStrictly = this.#environment.holdsStrictly;
    const known = more.get(index);
    if (known !== undefined && holdsStrictly === undefined) return known;
    const held = holdsStrictly === undefined ? this.evaluate(index, condition) : holdsStrictly(index);
    // Under strict evaluation nothing is evaluated after a failure.
    if (held === undefined) return false;
    more.set(index, held);
    return held;
  }

  private evaluate(index: number, condition: Holds): boolean {
    // Fast path: all conditions are light, and no earlier evaluation took loop steps that would have to be kept
    // apart.
    if (this.#environment.prices.conditions !== undefined || this.further !== undefined) return this.evaluateWeighted(index, condition);
    workStep();
    let holds = false;
    try {
      holds = condition(this);
    } catch (trouble) {
      if (trouble !== tooManySteps) throw trouble;
    }
    if (this.further !== undefined) this.endSteps(0);
    return holds;
  }

  private evaluateWeighted(index: number, condition: Holds): boolean {
    const weight = this.#environment.prices.conditions?.[index] ?? lightWeight;
    const taken = this.begin(weight);
    let holds = false;
    try {
      holds = condition(this);
    } catch (trouble) {
      if (trouble !== tooManySteps) throw trouble;
    }
    this.end(taken, weight);
    return holds;
  }

  /** Takes one loop step. Throws `tooManySteps` or `tooMuchWork`. */
  step(): void {
    const further = this.opened();
    (further.steps ??= new Steps(this.#environment.prices.loopStep)).step();
  }

  /**
   * Starts an evaluation, possibly nested, and pays for it; returns the step count of the outer one, to be passed to
   * `end`.
   */
  private begin(weight: Weight): number {
    const taken = this.further?.steps?.begin() ?? 0;
    start(weight);
    return taken;
  }

  private end(taken: number, weight: Weight): void {
    this.endSteps(taken);
    finish(weight);
  }

  private endSteps(taken: number): void {
    this.further?.steps?.end(taken);
  }

  /** Records that a rule without condition was reached: from then on its policy's variables count as evaluated. */
  consider(index: number): void {
    if (this.evaluated >= 0) this.mark(index);
  }

  private mark(index: number): void {
    if (index >= this.inBits) this.holdsBeyond(index, always);
    else {
      const bit = 1 << index;
      this.evaluated |= bit;
      this.satisfied |= bit;
    }
  }

  /** Whether a condition was evaluated. */
  wasEvaluated(index: number): boolean {
    return index < this.inBits ? (this.evaluated & (1 << index)) !== 0 : this.further?.more?.has(index) === true;
  }

  /** Whether a condition was evaluated and true. */
  wasSatisfied(index: number): boolean {
    return index < this.inBits ? (this.satisfied & (1 << index)) !== 0 : this.further?.more?.get(index) === true;
  }

  /** Whether the principal holds one of these roles, itself or as a parent role in the requested scope. */
  hasRole(roles: readonly string[]): boolean {
    return holdsOne(roles, this.principal.roles, this.#environment.heldRoles);
  }

  /** Emits an output, `times` times. */
  output(index: number, src: string, action: string, compute: Computes, times: number): void {
    invariant(typeof src === "string" && typeof action === "string", "an output says in words where it comes from");
    this.#environment.onOutput?.(this, index, src, action, compute, times);
  }

  /** Returns the value of an output. */
  outputOf(index: number, compute: Computes): Value | undefined {
    return this.compute(compute, this.#environment.prices.outputs?.[index] ?? lightWeight);
  }

  /** Like a condition, each output and variable has its own step count. */
  private compute(compute: Computes, weight: Weight): Value | undefined {
    const taken = this.begin(weight);
    let value: Value | undefined;
    try {
      value = compute(this);
    } catch (trouble) {
      if (trouble !== tooManySteps) throw trouble;
    }
    this.end(taken, weight);
    return value;
  }

  /** Returns the value of a variable, undefined for an error; computed once for an input. */
  variable(index: number, compute: Computes): Value | undefined {
    const variables = (this.opened().variables ??= []);
    if (variables.length <= index) grow(variables, index, unset);
    const known = variables[index];
    if (known !== unset) return known;
    const value = this.compute(compute, this.#environment.prices.variables?.[index] ?? lightWeight);
    variables[index] = value;
    return value;
  }

  /** Returns a message of the request, or G, as a value; the same object each time. */
  record(name: RecordName): Value | undefined {
    const further = this.opened();
    if (further.records?.of !== this.effectiveDerivedRoles) {
      further.records = openRecords(this.input, this.G, this.effectiveDerivedRoles, further.records);
    }
    return further.records.get(name);
  }
}

/** State that few inputs need. */
interface Further {
  /** Results of evaluated conditions that have no bit. */
  more: Map<number, boolean> | undefined;
  variables: (Value | undefined | typeof unset)[] | undefined;
  records: Records | undefined;
  /** The steps of its loops. */
  steps: Steps | undefined;
}

const openFurther = (): Further => ({ more: undefined, variables: undefined, records: undefined, steps: undefined });

/** Far more than a unit has. Bounds the list, because foreign code chooses the index. */
const maxQuestions = 2 ** 20;

function grow<T>(list: T[], index: number, filling: T): void {
  invariant(index < maxQuestions, "a unit numbers what it asks from 0 on");
  while (list.length <= index) list.push(filling);
}

const unset: unique symbol = Symbol("unset");
const always: Holds = () => true;
