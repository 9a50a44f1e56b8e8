/** Names every error that the conditions and variables of one input met (semantics 4.9, D43). */
import { withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import type { CallerErrors } from "./caller-errors.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { Hearing } from "./hearing.ts";
import { metBefore, readsOf, rememberMet } from "./met-before.ts";
import { mayFail, type Needs, needsOf, needsOfVariables } from "./needs.ts";
import type { Query } from "./query.ts";
import { answer, variableErrors } from "./questions.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** The errors of all units that were asked about one input, as those of one. */
export function errorsOf(hearings: readonly Hearing[]): readonly EvaluationError[] {
  const [only] = hearings;
  if (only === undefined) return none;
  if (hearings.length === 1) return evaluationErrors(only);
  const lists = hearings.map(evaluationErrors).filter((list) => list.length > 0);
  if (lists.length < 2) return lists[0] ?? none;
  const found = new UniqueErrors();
  for (const error of lists.flat()) found.add(error);
  return found.sorted();
}

/**
 * Answers once more, with the interpreter, what the query was asked and may have failed: unique errors, by expression, then
 * message. Naming them has an account of its own, one for the whole check; what was not found when it is used up is missing, and
 * the decision stands.
 */
function evaluationErrors(hearing: Hearing): readonly EvaluationError[] {
  const trees = hearing.unit.trees();
  const risky = riskyIn(trees);
  if (risky.conditions.length + risky.variables.length === 0) return none;
  const found = new UniqueErrors();
  withSpareWork(() => {
    work(Math.ceil(trees.questions.length / questionsOfUnit));
    nameErrors(hearing, risky, found);
  });
  return found.sorted();
}

function nameErrors(hearing: Hearing, { conditions, variables }: Risky, found: UniqueErrors): void {
  const { query } = hearing;
  const { input, options, callersKnown } = hearing.inquiry;
  const known = callersKnown?.(input).ofVariables;
  const onError = (error: EvaluationError): void => found.add(error);
  for (let at = 0; at < conditions.length; at++) {
    const condition = conditions[at];
    if (condition === undefined || !query.wasAsked(condition.index)) continue;
    if (query.hasHeld(condition.index) && !options.strictEvaluation && !condition.hides) continue;
    if (mayFail(condition.needs, input)) answer(hearing.case(), condition.question, onError, onError);
  }
  for (let at = 0; at < variables.length; at++) {
    const some = variables[at];
    if (some === undefined || !wasOneAsked(query, some.rows) || !mayFail(some.needs, input)) continue;
    for (const error of known?.get(some.names.variables) ?? errorsOfVariables(hearing, some, known)) onError(error);
  }
}

function errorsOfVariables(
  hearing: Hearing,
  { policy, names: { variables }, reads }: Risky["variables"][number],
  known: CallerErrors["ofVariables"] | undefined,
): readonly EvaluationError[] {
  if (reads === undefined) return variableErrors(hearing.case(), policy);
  const { attr } = hearing.inquiry.input.principal;
  const before = metBefore(variables, reads, attr);
  if (before === undefined) {
    const errors = variableErrors(hearing.case(), policy);
    rememberMet(variables, reads, errors, attr);
    return errors;
  }
  known?.set(variables, before);
  return before;
}

function wasOneAsked(query: Query, rows: readonly number[]): boolean {
  for (let at = 0; at < rows.length; at++) if (query.wasAsked(rows[at] ?? 0)) return true;
  return false;
}

/** Errors by what the caller is told of them: by expression, then message. */
class UniqueErrors {
  private found: EvaluationError[] | undefined = undefined;

  /** Puts an error in its place, or in that of one that says the same. */
  add(error: EvaluationError): void {
    if (this.found === undefined) {
      this.found = [error];
      return;
    }
    const { found } = this;
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
  sorted(): readonly EvaluationError[] {
    return this.found ?? none;
  }
}

const inOrder = (left: EvaluationError, right: EvaluationError): number =>
  left === right ? 0 : byUnits(left.expression, right.expression) || byUnits(left.message, right.message);

const none: readonly EvaluationError[] = Object.freeze([]);

/** What may fail in a unit. */
interface Risky {
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
  const risky: Risky = {
    conditions: questions
      .map((question, index) => ({ index, question, hides: mayHide(trees, question), needs: needsOfQuestion(trees, question) }))
      .filter(isRisky),
    variables: policies
      .map((names, policy) => ({
        policy,
        names,
        needs: needsOfVariables(names),
        reads: readsOf(names.variables),
        rows: rows[policy] ?? [],
      }))
      .filter(isRisky),
  };
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
