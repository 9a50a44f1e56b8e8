/** Finds every error that occurred in the conditions and variables of one input (semantics 4.9, D43). */
import { takeSpareWork, withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import { type CallerErrors, emptyCallerErrors } from "./caller-errors.ts";
import type { EvaluationError } from "./decision.ts";
import type { UnitEvaluation } from "./unit-evaluation.ts";
import type { CheckInput } from "./input.ts";
import { isLacking, lowest } from "./needed-attributes.ts";
import { cachedVariableErrors, cacheVariableErrors } from "./variable-error-cache.ts";
import { mayFail } from "./needs.ts";
import type { Query } from "./query.ts";
import { evaluateQuestion, type InterpreterContext, variableErrors } from "./questions.ts";
import { type FallibleParts, findFallibleParts } from "./fallible-parts.ts";
import type { Question } from "./trees.ts";

/** A unit that was evaluated for one input. */
export interface EvaluatedUnit {
  readonly query: Query;
  readonly input: CheckInput;
  /** Strict evaluation; absent means false. */
  readonly isStrict?: boolean;
  /** Returns the interpreter's view of the input. */
  readonly interpreterContext: (callers: CallerErrors) => InterpreterContext;
}

/** Returns the errors of all units evaluated for one input, merged. */
export function errorsOf(evaluations: readonly UnitEvaluation[]): readonly EvaluationError[] {
  const found = new UniqueErrors();
  for (const evaluation of evaluations) {
    const { unit, query, state } = evaluation;
    const { input, options, callerErrorsOf } = state;
    const evaluated: EvaluatedUnit = {
      query,
      input,
      isStrict: options.strictEvaluation,
      interpreterContext: () => evaluation.interpreterContext(),
    };
    found.addAll(errorsOfUnit(evaluated, callerErrorsOf?.(input) ?? emptyCallerErrors(), findFallibleParts(unit.trees())));
  }
  return found.sorted();
}

/**
 * Re-evaluates with the interpreter every condition of the query that may have failed. Returns unique errors, sorted
 * by expression, then message. This has a work budget of its own, one for the whole check; when it is exhausted,
 * further errors are missing but the decision stands.
 */
export function errorsOfUnit(evaluated: EvaluatedUnit, callers: CallerErrors, fallible: FallibleParts): readonly EvaluationError[] {
  if (fallible.isEmpty) return none;
  const sets = fallibleSets(evaluated, fallible);
  const known = sets === undefined ? undefined : sets === 0 ? none : callers.ofSets(fallible, sets);
  if (known !== undefined) return known;
  const cached = sets === undefined ? undefined : cachedErrorsOf(sets, evaluated.input, fallible);
  if (cached !== undefined) return cached;
  const search = new ErrorSearch(evaluated, callers, fallible, sets);
  withSpareWork(search);
  const errors = search.found.sorted();
  if (sets !== undefined && (sets & ~fallible.setsOfCaller) === 0 && search.isFinished) callers.cacheSets(fallible, sets, errors);
  return errors;
}

/**
 * Returns the variable sets that may have failed, one bit each; undefined if conditions may have failed too, or the
 * bits do not suffice.
 */
function fallibleSets({ query, input, isStrict }: EvaluatedUnit, fallible: FallibleParts): number | undefined {
  const { isShort, failing, hiding, neededBits, variables, neededAttributes } = fallible;
  if (!isShort || isStrict === true) return undefined;
  let things = 0;
  for (let left = query.evaluated & ((failing & ~query.satisfied) | hiding); left !== 0; left &= left - 1)
    things |= neededBits[lowest(left)] ?? 0;
  if (things !== 0 && isLacking(things, neededAttributes, input)) return undefined;
  let sets = 0;
  for (let at = 0; at < variables.length; at++) {
    const some = variables[at];
    if (some !== undefined && (query.evaluated & some.bits) !== 0 && isLacking(some.neededBits, neededAttributes, input)) sets |= 1 << at;
  }
  return sets;
}

/**
 * Returns the cached errors if a single variable set may have failed, the most common case; undefined if they are not
 * cached, or if finding out would cost more than the budget has left.
 */
function cachedErrorsOf(
  sets: number,
  { principal }: CheckInput,
  { variables, price }: FallibleParts,
): readonly EvaluationError[] | undefined {
  const set = (sets & (sets - 1)) === 0 ? variables[lowest(sets)] : undefined;
  if (set?.reads === undefined || !takeSpareWork(price + set.price)) return undefined;
  return cachedVariableErrors(set.names.variables, set.reads, principal.attr, takeSpareWork);
}

/** Finds the errors of one input. */
class ErrorSearch {
  declare readonly found: UniqueErrors;
  declare isFinished: boolean;
  declare private opened: InterpreterContext | undefined;
  declare private readonly evaluated: EvaluatedUnit;
  declare private readonly callers: CallerErrors;
  declare private readonly fallible: FallibleParts;
  /** See `fallibleSets`. */
  declare private readonly sets: number | undefined;

  constructor(evaluated: EvaluatedUnit, callers: CallerErrors, fallible: FallibleParts, sets: number | undefined) {
    this.found = new UniqueErrors();
    this.isFinished = false;
    this.opened = undefined;
    this.evaluated = evaluated;
    this.callers = callers;
    this.fallible = fallible;
    this.sets = sets;
  }

  /** Finds the errors; throws `tooMuchWork` when the budget is exhausted. */
  run(): void {
    const { query, input } = this.evaluated;
    const { variables, price } = this.fallible;
    work(price);
    if (this.sets === undefined) this.evaluateConditions();
    for (let at = 0; at < variables.length; at++) {
      const some = variables[at];
      if (some === undefined || !wasOneEvaluated(query, some.rows)) continue;
      work(some.price);
      if (!mayFail(some.needs, input)) continue;
      this.found.addAll(this.callers.ofVariables(some.names.variables) ?? this.errorsOfVariables(some));
    }
    this.isFinished = true;
  }

  private evaluateConditions(): void {
    const { query, input, isStrict } = this.evaluated;
    const { conditions } = this.fallible;
    for (let at = 0; at < conditions.length; at++) {
      const condition = conditions[at];
      if (condition === undefined || !query.wasEvaluated(condition.index)) continue;
      if (query.wasSatisfied(condition.index) && isStrict !== true && !condition.hides) continue;
      work(condition.price);
      if (mayFail(condition.needs, input)) this.evaluate(condition.question);
    }
  }

  private evaluate(question: Question): void {
    const onError = (error: EvaluationError): void => this.found.add(error);
    evaluateQuestion(this.interpreterContext(), question, onError, onError);
  }

  private errorsOfVariables({ policy, names: { variables }, reads }: FallibleParts["variables"][number]): readonly EvaluationError[] {
    const { callers } = this;
    const { attr } = this.evaluated.input.principal;
    const before = reads && cachedVariableErrors(variables, reads, attr, takeWork);
    if (before !== undefined) return before;
    const errors = inPlace(variableErrors(this.interpreterContext(), policy));
    if (callers.ofVariables(variables) !== undefined) callers.cacheVariables(variables, errors);
    if (reads !== undefined) cacheVariableErrors(variables, reads, errors, attr);
    return errors;
  }

  private interpreterContext(): InterpreterContext {
    return (this.opened ??= this.evaluated.interpreterContext(this.callers));
  }
}

/** Takes work from the budget in force, which throws when it is exhausted. */
function takeWork(units: number): true {
  work(units);
  return true;
}

function wasOneEvaluated(query: Query, rows: readonly number[]): boolean {
  for (let at = 0; at < rows.length; at++) if (query.wasEvaluated(rows[at] ?? 0)) return true;
  return false;
}

/** Errors without duplicates, sorted by expression, then message. */
class UniqueErrors {
  declare private found: readonly EvaluationError[];
  /** Set if `found` is our own list and may be changed. */
  declare private own: EvaluationError[] | undefined;

  constructor() {
    this.found = none;
    this.own = undefined;
  }

  /** Inserts an error, replacing an equal one. */
  add(error: EvaluationError): void {
    const found = (this.own ??= [...this.found]);
    this.found = found;
    let [from, to] = [0, found.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const order = inOrder(found[middle] ?? error, error);
      if (order === 0) {
        found[middle] = error;
        return;
      }
      if (order < 0) from = middle + 1;
      else to = middle;
    }
    found.splice(from, 0, error);
  }

  /** Adds errors that are already sorted and unique. */
  addAll(errors: readonly EvaluationError[]): void {
    if (this.found.length === 0) this.found = errors;
    else for (const error of errors) this.add(error);
  }

  sorted(): readonly EvaluationError[] {
    return this.found;
  }
}

function inPlace(errors: readonly EvaluationError[]): readonly EvaluationError[] {
  const found = new UniqueErrors();
  for (const error of errors) found.add(error);
  return found.sorted();
}

const inOrder = (left: EvaluationError, right: EvaluationError): number =>
  left === right ? 0 : byUnits(left.expression, right.expression) || byUnits(left.message, right.message);

const none: readonly EvaluationError[] = Object.freeze([]);
