/** Lists what may fail in a unit: the conditions and variables that need more than every request has. */
import type { Condition } from "./condition.ts";
import { type Needs, needsOf, needsOfVariables, needsWithVariables, priceOfNeeds } from "./needs.ts";
import type { KnownOf } from "./known-names.ts";
import { type LookedFor, Wanted } from "./looked-for.ts";
import { readsOf } from "./met-before.ts";
import { bits } from "./query.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** What may fail in a unit. */
export interface Risky {
  readonly isEmpty: boolean;
  /** Work of looking through it. */
  readonly price: number;
  readonly conditions: readonly RiskyCondition[];
  /** Whether all that tells what may have failed has bits of a query, and sets of variables are few enough for bits of their own. */
  readonly isShort: boolean;
  /** What conditions and variables need, and which of it each condition does by its index, one bit each. */
  readonly lookedFor: LookedFor;
  readonly wanted: readonly number[];
  /** Which of them may have failed where they did not hold, and which in any case, one bit each. */
  readonly failing: number;
  readonly hiding: number;
  /** Those of a policy are evaluated when one of its rows is considered: so many questions tell that. */
  readonly variables: readonly {
    readonly policy: number;
    readonly names: Names;
    readonly needs: Needs | undefined;
    readonly price: number;
    readonly wanted: number;
    /** See `readsOf`. */
    readonly reads: readonly string[] | undefined;
    readonly rows: readonly number[];
    /** The same as bits. */
    readonly bits: number;
  }[];
  /** Those of them that fail for the caller alone, one bit each. */
  readonly setsOfCaller: number;
}

interface RiskyCondition {
  readonly index: number;
  readonly question: Question;
  /** See `mayHide`. */
  readonly hides: boolean;
  readonly needs: Needs | undefined;
  /** Work of looking whether all of it is there. */
  readonly price: number;
  /** The same as bits of what is looked for. */
  readonly wanted: number;
}

const needing = (needs: Needs | undefined, things: Wanted): Pick<RiskyCondition, "needs" | "price" | "wanted"> => ({
  needs,
  price: priceOfNeeds(needs),
  wanted: things.bitsOf(needs),
});

const remembered = new WeakMap<UnitTrees, Risky>();

/** What may fail in a unit of these trees. */
export function riskyIn(trees: UnitTrees): Risky {
  const before = remembered.get(trees);
  if (before !== undefined) return before;
  const { questions, policies } = trees;
  const rows = policies.map((): number[] => []);
  for (const [index, { kind, policy }] of questions.entries()) if (kind === "policy" || kind === "rule") rows[policy]?.push(index);
  const things = new Wanted();
  const known: KnownOf = new Map();
  const conditions = questions
    .map((question, index) => ({
      index,
      question,
      hides: mayHide(trees, question),
      ...needing(needsOfQuestion(trees, question, known), things),
    }))
    .filter(isRisky);
  const variables = policies
    .map((names, policy) => ({
      policy,
      names,
      ...needing(needsOfVariables(names, known), things),
      reads: readsOf(names.variables),
      rows: rows[policy] ?? [],
      bits: bitsOf(rows[policy] ?? []),
    }))
    .filter(isRisky);
  const wanted = questions.map(() => 0);
  for (const condition of conditions) wanted[condition.index] = condition.wanted;
  const risky: Risky = {
    isEmpty: conditions.length + variables.length === 0,
    price: Math.ceil(questions.length / questionsOfUnit),
    conditions,
    isShort: questions.length <= bits && variables.length <= bits,
    lookedFor: things.written(),
    wanted,
    failing: bitsOf(conditions.map(({ index }) => index)),
    hiding: bitsOf(conditions.filter(({ hides }) => hides).map(({ index }) => index)),
    variables,
    setsOfCaller: bitsOf([...variables.keys()].filter((at) => failsForCaller(variables[at]))),
  };
  remembered.set(trees, risky);
  return risky;
}

/** Numbers as bits, as far as there are bits for them. */
const bitsOf = (numbers: readonly number[]): number =>
  numbers.reduce((found, number) => (number < bits ? found | (1 << number) : found), 0);

/** Whether errors of variables hang on nothing but the caller. */
const failsForCaller = (some: Risky["variables"][number] | undefined): boolean =>
  some !== undefined &&
  (some.needs === undefined || some.needs.resource.names.length === 0) &&
  (some.reads !== undefined || some.names.variables.every(({ expression }) => expression.ofCaller === true));

const isRisky = ({ needs }: { readonly needs: Needs | undefined }): boolean =>
  needs === undefined || needs.principal.names.length + needs.resource.names.length > 0;

function needsOfQuestion(trees: UnitTrees, question: Question, known: KnownOf): Needs | undefined {
  if (question.kind === "policy" || question.kind === "output") return nothing;
  const policy = trees.policies[question.policy];
  if (policy === undefined) return nothing;
  if (question.kind === "rule") return needsOf(question.condition, policy, known);
  const role = policy.derivedRoles[question.role];
  return role?.condition === undefined ? nothing : needsWithVariables(role.condition, role, known);
}

const noNames = { names: [], kinds: [] };
const nothing: Needs = { principal: noNames, resource: noNames };

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
