/** The query: what generated code may know of one input, and what has been found out about it so far. */
import type { EvaluationContext } from "../cel/declare.ts";
import { invariant } from "../cel/error.ts";
import { Steps, tooManySteps } from "../cel/steps.ts";
import type { JsonObject, Value } from "../cel/value.ts";
import { timestampFromMilliseconds } from "../cel/timestamp.ts";
import { light, type Weight } from "../cel/weight.ts";
import { finish, start, workTurn } from "../cel/work.ts";
import { holdsOne } from "./holds-one.ts";
import type { CheckInput, Principal, Resource } from "./input.ts";
import { type Prices, unread } from "./prices.ts";
import { openRecords, type RecordName, type Records } from "./records.ts";

/** A condition or a derived role's condition: whether it holds, errors counting as "no". */
export type Holds = (query: Query) => boolean;

/** What an output says; undefined where it is an error. */
export type Computes = (query: Query) => Value | undefined;

/** Who listens to a query. */
export interface Listener {
  /** Takes what a rule tells the caller, `times` times. */
  readonly hear: ((query: Query, index: number, src: string, action: string, compute: Computes, times: number) => void) | undefined;
  /** Absent where the code of a condition answers it. */
  readonly judge: Judge | undefined;
  readonly prices: Prices;
  /** Absent where the roles of the principal, which are few, are all. */
  readonly heldRoles: HeldRoles | undefined;
}

/** The roles of the principal, and those that they narrow. */
export interface HeldRoles {
  readonly has: (role: string) => boolean;
}

/** Answers a condition of a unit by its index instead of by its code, as strict evaluation does; undefined when it is not even looked at. */
export type Judge = (index: number) => boolean | undefined;

/** How many conditions have bits. */
export const bits = 30;
/** What no bit of a condition is, in a number that engines keep small: nobody wants to know what was considered. */
const unnoted = -1 << bits;
const none: readonly string[] = Object.freeze([]);
const nothing: JsonObject = Object.freeze({});
export const nobody: Listener = { hear: undefined, judge: undefined, prices: unread, heldRoles: undefined };
const epoch: EvaluationContext = { now: timestampFromMilliseconds(0) };

/**
 * One input, while one unit answers it. Fixed shape: every field is set in the constructor, once and in this order, because one is
 * made for every input, and generated code reads them on the hot path. What few inputs need stands apart.
 */
export class Query {
  declare readonly principal: Principal;
  declare readonly resource: Resource;
  /** Attributes; an empty object where none were sent. */
  declare readonly P: JsonObject;
  declare readonly R: JsonObject;
  declare readonly G: { readonly [name: string]: Value };
  declare readonly context: EvaluationContext;
  /** Of the scope being visited, sorted; empty outside of one (D32). */
  declare effectiveDerivedRoles: readonly string[];
  /** How many conditions have bits; none under strict evaluation, which remembers by itself: who asks matters to it. */
  declare private readonly inBits: number;
  /** The first conditions, one bit each: asked, and held. */
  declare asked: number;
  declare held: number;
  declare private readonly input: CheckInput;
  declare private further: Further | undefined;
  // One is always there: see `ActionDecisions.none`.
  static readonly none: Query = new Query(
    { principal: { id: "", roles: [] }, resource: { kind: "", id: "" }, actions: [] },
    {},
    epoch,
    nobody,
    true,
  );
  // Out of reach for the units that hold the query.
  readonly #listener: Listener;

  constructor(
    input: CheckInput,
    globals: { readonly [name: string]: Value },
    context: EvaluationContext,
    listener: Listener,
    isNoted: boolean,
  ) {
    const { principal, resource } = input;
    this.principal = principal;
    this.resource = resource;
    this.P = principal.attr ?? nothing;
    this.R = resource.attr ?? nothing;
    this.G = globals;
    this.context = context;
    this.effectiveDerivedRoles = none;
    this.inBits = listener.judge === undefined ? bits : 0;
    this.asked = isNoted ? 0 : unnoted;
    this.held = 0;
    this.input = input;
    this.further = undefined;
    this.#listener = listener;
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

  /** Whether a condition holds: found out once an input. */
  holds(index: number, condition: Holds): boolean {
    if (index >= this.inBits) return this.holdsBeyond(index, condition);
    const bit = 1 << index;
    if ((this.asked & bit) === 0) {
      this.asked |= bit;
      if (this.ask(index, condition)) this.held |= bit;
    }
    return (this.held & bit) !== 0;
  }

  private holdsBeyond(index: number, condition: Holds): boolean {
    const more = (this.opened().more ??= new Map());
    const judge = this.#listener.judge;
    const known = more.get(index);
    if (known !== undefined && judge === undefined) return known;
    const held = judge === undefined ? this.ask(index, condition) : judge(index);
    // What nobody evaluates any more was not asked.
    if (held === undefined) return false;
    more.set(index, held);
    return held;
  }

  private ask(index: number, condition: Holds): boolean {
    // A light one that nothing came before: no loop took turns that are to be told from its own.
    if (this.#listener.prices.conditions !== undefined || this.further !== undefined) return this.askAmongOthers(index, condition);
    workTurn();
    let holds = false;
    try {
      holds = condition(this);
    } catch (trouble) {
      if (trouble !== tooManySteps) throw trouble;
    }
    if (this.further !== undefined) this.endTurns(0);
    return holds;
  }

  private askAmongOthers(index: number, condition: Holds): boolean {
    const weight = this.#listener.prices.conditions?.[index] ?? light;
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

  /** Takes one turn of a loop. */
  step(): void {
    const further = this.opened();
    (further.turns ??= new Steps(this.#listener.prices.turn)).step();
  }

  /** Starts an evaluation, which may be one within another, and pays for it; answers the turns of the other one, which `end` wants back. */
  private begin(weight: Weight): number {
    const taken = this.further?.turns?.begin() ?? 0;
    start(weight);
    return taken;
  }

  private end(taken: number, weight: Weight): void {
    this.endTurns(taken);
    finish(weight);
  }

  private endTurns(taken: number): void {
    this.further?.turns?.end(taken);
  }

  /** Marks that a rule without condition was considered: its policy's variables count as evaluated. */
  consider(index: number): void {
    if (this.asked >= 0) this.note(index);
  }

  private note(index: number): void {
    if (index >= this.inBits) this.holdsBeyond(index, always);
    else {
      const bit = 1 << index;
      this.asked |= bit;
      this.held |= bit;
    }
  }

  /** Whether a condition was asked for. */
  wasAsked(index: number): boolean {
    return index < this.inBits ? (this.asked & (1 << index)) !== 0 : this.further?.more?.has(index) === true;
  }

  /** Whether a condition was asked for, and held. */
  hasHeld(index: number): boolean {
    return index < this.inBits ? (this.held & (1 << index)) !== 0 : this.further?.more?.get(index) === true;
  }

  /** Whether the principal holds one of these roles, or a role that narrows one of them where the request asks. */
  hasRole(roles: readonly string[]): boolean {
    return holdsOne(roles, this.principal.roles, this.#listener.heldRoles);
  }

  /** Tells the caller something, some times over. */
  output(index: number, src: string, action: string, compute: Computes, times: number): void {
    invariant(typeof src === "string" && typeof action === "string", "an output says in words where it comes from");
    this.#listener.hear?.(this, index, src, action, compute, times);
  }

  /** What an output comes to. */
  outputOf(index: number, compute: Computes): Value | undefined {
    return this.compute(compute, this.#listener.prices.outputs?.[index] ?? light);
  }

  /** Like a condition, each has its own count of turns. */
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

  /** The value of a variable, `undefined` where it is an error: computed once an input. */
  variable(index: number, compute: Computes): Value | undefined {
    const remembered = (this.opened().remembered ??= []);
    if (remembered.length <= index) grow(remembered, index, unset);
    const known = remembered[index];
    if (known !== unset) return known;
    const value = this.compute(compute, this.#listener.prices.variables?.[index] ?? light);
    remembered[index] = value;
    return value;
  }

  /** A record of the request, or G, taken as one value: the same one each time. */
  record(name: RecordName): Value | undefined {
    const further = this.opened();
    if (further.records?.of !== this.effectiveDerivedRoles) {
      further.records = openRecords(this.input, this.G, this.effectiveDerivedRoles, further.records);
    }
    return further.records.get(name);
  }
}

/** What few inputs need of a query. */
interface Further {
  /** The conditions that have no bits: those that were asked, which are few of many, and whether they held. */
  more: Map<number, boolean> | undefined;
  remembered: (Value | undefined | typeof unset)[] | undefined;
  records: Records | undefined;
  /** Of its loops. */
  turns: Steps | undefined;
}

const openFurther = (): Further => ({ more: undefined, remembered: undefined, records: undefined, turns: undefined });

/** Far more than a unit has: a list that grows without end would take the whole process with it. */
const mostQuestions = 2 ** 20;

function grow<T>(list: T[], index: number, filling: T): void {
  invariant(index < mostQuestions, "a unit numbers what it asks from 0 on");
  while (list.length <= index) list.push(filling);
}

const unset: unique symbol = Symbol("unset");
const always: Holds = () => true;
