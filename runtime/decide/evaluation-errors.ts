/** Names every error that the conditions and variables of one input met (semantics 4.9, D43). */
import { withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import { type CallerErrors, noneKnown } from "./caller-errors.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { Hearing } from "./hearing.ts";
import type { CheckInput } from "./input.ts";
import type { LoadedUnit } from "./loaded-unit.ts";
import { metBefore, readsOf, rememberMet } from "./met-before.ts";
import { mayFail, type Needs, needsOf, needsOfVariables } from "./needs.ts";
import type { Query } from "./query.ts";
import { answer, type Case, variableErrors } from "./questions.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** One unit that was asked about one input. */
export interface Heard {
  readonly unit: LoadedUnit;
  readonly query: Query;
  readonly input: CheckInput;
  /** Absent otherwise. */
  readonly isStrict?: boolean;
  /** Opens it for the interpreter. */
  readonly case: (callers: CallerErrors) => Case;
}

/** The errors of all units that were asked about one input, as those of one. */
export function errorsOf(hearings: readonly Hearing[]): readonly EvaluationError[] {
  const found = new UniqueErrors();
  for (const hearing of hearings) {
    const { unit, query, inquiry } = hearing;
    const { input, options, callersKnown } = inquiry;
    const heard: Heard = { unit, query, input, isStrict: options.strictEvaluation, case: () => hearing.case() };
    found.addAll(errorsMet(heard, callersKnown?.(input) ?? noneKnown()));
  }
  return found.sorted();
}

/**
 * Answers once more, with the interpreter, what the query was asked and may have failed: unique errors, by expression, then
 * message. Naming them has an account of its own, one for the whole check; what was not found when it is used up is missing, and
 * the decision stands.
 */
export function errorsMet(heard: Heard, callers: CallerErrors): readonly EvaluationError[] {
  const risky = riskyIn(heard.unit.trees());
  if (risky.isEmpty) return none;
  const naming = new Naming(heard, callers, risky);
  withSpareWork(naming);
  return naming.found.sorted();
}

/** The errors of one input, while they are named. */
class Naming {
  readonly found = new UniqueErrors();
  private opened: Case | undefined = undefined;
  private readonly heard: Heard;
  private readonly callers: CallerErrors;
  private readonly risky: Risky;

  constructor(heard: Heard, callers: CallerErrors, risky: Risky) {
    this.heard = heard;
    this.callers = callers;
    this.risky = risky;
  }

  /** Names them, as far as the work suffices. */
  run(): void {
    const { query, input, isStrict } = this.heard;
    const { conditions, variables, price } = this.risky;
    work(price);
    for (let at = 0; at < conditions.length; at++) {
      const condition = conditions[at];
      if (condition === undefined || !query.wasAsked(condition.index)) continue;
      if (query.hasHeld(condition.index) && isStrict !== true && !condition.hides) continue;
      if (mayFail(condition.needs, input)) this.answer(condition.question);
    }
    for (let at = 0; at < variables.length; at++) {
      const some = variables[at];
      if (some === undefined || !wasOneAsked(query, some.rows) || !mayFail(some.needs, input)) continue;
      this.found.addAll(this.callers.ofVariables.get(some.names.variables) ?? this.errorsOfVariables(some));
    }
  }

  private answer(question: Question): void {
    const onError = (error: EvaluationError): void => this.found.add(error);
    answer(this.case(), question, onError, onError);
  }

  private errorsOfVariables({ policy, names: { variables }, reads }: Risky["variables"][number]): readonly EvaluationError[] {
    const { ofVariables } = this.callers;
    const { attr } = this.heard.input.principal;
    const before = reads && metBefore(variables, reads, attr);
    if (before !== undefined) {
      ofVariables.set(variables, before);
      return before;
    }
    const errors = inPlace(variableErrors(this.case(), policy));
    if (ofVariables.has(variables)) ofVariables.set(variables, errors);
    if (reads !== undefined) rememberMet(variables, reads, errors, attr);
    return errors;
  }

  private case(): Case {
    return (this.opened ??= this.heard.case(this.callers));
  }
}

function wasOneAsked(query: Query, rows: readonly number[]): boolean {
  for (let at = 0; at < rows.length; at++) if (query.wasAsked(rows[at] ?? 0)) return true;
  return false;
}

/** Errors by what the caller is told of them: by expression, then message. */
class UniqueErrors {
  private found: readonly EvaluationError[] = none;
  /** The same list, where it is ours. */
  private own: EvaluationError[] | undefined = undefined;

  /** Puts an error in its place, or in that of one that says the same. */
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

  /** Adds some that are in place already. */
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

/** What may fail in a unit. */
interface Risky {
  readonly isEmpty: boolean;
  /** Work of looking through it. */
  readonly price: number;
  readonly conditions: readonly {
    readonly index: number;
    readonly question: Question;
    /** See `mayHide`. */
    readonly hides: boolean;
    readonly needs: Needs | undefined;
  }[];
  /** Those of a policy are evaluated when one of its rows is considered: so many questions tell that. */
  readonly variables: readonly {
    readonly policy: number;
    readonly names: Names;
    readonly needs: Needs | undefined;
    /** See `readsOf`. */
    readonly reads: readonly string[] | undefined;
    readonly rows: readonly number[];
  }[];
}

const remembered = new WeakMap<UnitTrees, Risky>();

function riskyIn(trees: UnitTrees): Risky {
  const known = remembered.get(trees);
  if (known !== undefined) return known;
  const { questions, policies } = trees;
  const rows = policies.map((): number[] => []);
  for (const [index, { kind, policy }] of questions.entries()) if (kind === "policy" || kind === "rule") rows[policy]?.push(index);
  const conditions = questions
    .map((question, index) => ({ index, question, hides: mayHide(trees, question), needs: needsOfQuestion(trees, question) }))
    .filter(isRisky);
  const variables = policies
    .map((names, policy) => ({
      policy,
      names,
      needs: needsOfVariables(names),
      reads: readsOf(names.variables),
      rows: rows[policy] ?? [],
    }))
    .filter(isRisky);
  const isEmpty = conditions.length + variables.length === 0;
  const risky: Risky = { isEmpty, price: Math.ceil(questions.length / questionsOfUnit), conditions, variables };
  remembered.set(trees, risky);
  return risky;
}

const isRisky = ({ needs }: { readonly needs: Needs | undefined }): boolean =>
  needs === undefined || needs.principal.length + needs.resource.length > 0;

function needsOfQuestion(trees: UnitTrees, question: Question): Needs | undefined {
  if (question.kind === "policy" || question.kind === "output") return nothing;
  const policy = trees.policies[question.policy];
  if (policy === undefined) return nothing;
  if (question.kind === "rule") return needsOf(question.condition, policy);
  const role = policy.derivedRoles[question.role];
  return role?.condition === undefined ? nothing : needsOf(role.condition, role);
}

const nothing: Needs = { principal: [], resource: [] };

/** Says whether a condition that held can have met an error all the same: beside a part that held, or in a variable. */
function mayHide(trees: UnitTrees, question: Question): boolean {
  if (question.kind === "rule") return hidesParts(question.condition);
  if (question.kind === "policy" || question.kind === "output") return false;
  const role = trees.policies[question.policy]?.derivedRoles[question.role];
  return role?.condition !== undefined && (role.variables.length > 0 || hidesParts(role.condition));
}

const hidesParts = (condition: Condition): boolean =>
  condition.kind !== "expression" && (condition.kind !== "all" || condition.of.some(hidesParts));

/** Questions that a unit of work looks at. */
const questionsOfUnit = 4;
