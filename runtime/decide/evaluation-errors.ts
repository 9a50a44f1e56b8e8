/** Names every error that the conditions and variables of one input met (semantics 4.9, D43). */
import { withSpareWork, work } from "../cel/work.ts";
import { byUnits } from "../order.ts";
import type { Condition } from "./condition.ts";
import type { EvaluationError } from "./decision.ts";
import type { Hearing } from "./hearing.ts";
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
  const unique = new Map(lists.flat().map((error) => [JSON.stringify([error.expression, error.message]), error]));
  return sortErrors(unique.values());
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
    const { policy, names } = some;
    for (const error of known?.get(names.variables) ?? variableErrors(hearing.case(), policy)) onError(error);
  }
}

function wasOneAsked(query: Query, rows: readonly number[]): boolean {
  for (let at = 0; at < rows.length; at++) if (query.wasAsked(rows[at] ?? 0)) return true;
  return false;
}

/** Errors by what the caller is told of them. */
class UniqueErrors {
  private only: EvaluationError | undefined;
  /** By expression, once there is a second; few expressions fail in more than one way. */
  private byExpression: Map<string, EvaluationError[]> | undefined;

  add(error: EvaluationError): void {
    const { only } = this;
    if (this.byExpression === undefined) {
      if (only === undefined || (only.expression === error.expression && only.message === error.message)) {
        this.only = error;
        return;
      }
      this.byExpression = new Map([[only.expression, [only]]]);
    }
    const alike = this.byExpression.get(error.expression);
    if (alike === undefined) {
      this.byExpression.set(error.expression, [error]);
      return;
    }
    const at = alike.findIndex(({ message }) => message === error.message);
    if (at < 0) alike.push(error);
    else alike[at] = error;
  }
  sorted(): readonly EvaluationError[] {
    if (this.byExpression === undefined) return this.only === undefined ? none : [this.only];
    return sortErrors([...this.byExpression.values()].flat());
  }
}

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
      .map((names, policy) => ({ policy, names, needs: needsOfVariables(names), rows: rows[policy] ?? [] }))
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

/** Sorts errors by expression, then message. */
const sortErrors = (errors: Iterable<EvaluationError>): readonly EvaluationError[] =>
  [...errors].sort((left, right) => byUnits(left.expression, right.expression) || byUnits(left.message, right.message));
