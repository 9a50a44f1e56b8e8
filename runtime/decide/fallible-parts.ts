/** Lists the conditions and variables of a unit that may fail, because they need attributes that not every request has. */
import type { Condition } from "./condition.ts";
import { type Needs, needsOf, needsOfVariables, needsWithVariables, priceOfNeeds } from "./needs.ts";
import type { KnownOf } from "./known-names.ts";
import { type NeededAttributes, AttributeBits } from "./needed-attributes.ts";
import { readsOf } from "./variable-error-cache.ts";
import { bits } from "./query.ts";
import type { Names, Question, UnitTrees } from "./trees.ts";

/** What may fail in a unit. */
export interface FallibleParts {
  readonly isEmpty: boolean;
  /** The work of going through it. */
  readonly price: number;
  readonly conditions: readonly FallibleCondition[];
  /** Whether all questions fit into the bits of a query, and all variable sets into a bit set. */
  readonly isShort: boolean;
  /** The attributes needed, and for each condition (by index) its needs as bits. */
  readonly neededAttributes: NeededAttributes;
  readonly neededBits: readonly number[];
  /** Bits of conditions that may have failed if they were false, and of those that may have failed in any case. */
  readonly failing: number;
  readonly hiding: number;
  /**
   * Variable sets. The variables of a policy are evaluated when one of its rows is considered; `rows` are the
   * questions that show this.
   */
  readonly variables: readonly {
    readonly policy: number;
    readonly names: Names;
    readonly needs: Needs | undefined;
    readonly price: number;
    readonly neededBits: number;
    /** See `readsOf`. */
    readonly reads: readonly string[] | undefined;
    readonly rows: readonly number[];
    /** `rows` as bits. */
    readonly bits: number;
  }[];
  /** The sets whose errors depend on the caller alone, one bit each. */
  readonly setsOfCaller: number;
}

interface FallibleCondition {
  readonly index: number;
  readonly question: Question;
  /** See `mayHide`. */
  readonly hides: boolean;
  readonly needs: Needs | undefined;
  /** The work of testing its needs. */
  readonly price: number;
  /** Its needs as bits of `neededAttributes`. */
  readonly neededBits: number;
}

const needing = (needs: Needs | undefined, things: AttributeBits): Pick<FallibleCondition, "needs" | "price" | "neededBits"> => ({
  needs,
  price: priceOfNeeds(needs),
  neededBits: things.bitsOf(needs),
});

const remembered = new WeakMap<UnitTrees, FallibleParts>();

/** Returns what may fail in a unit; cached by its trees. */
export function findFallibleParts(trees: UnitTrees): FallibleParts {
  const before = remembered.get(trees);
  if (before !== undefined) return before;
  const { questions, policies } = trees;
  const rows = policies.map((): number[] => []);
  for (const [index, { kind, policy }] of questions.entries()) if (kind === "policy" || kind === "rule") rows[policy]?.push(index);
  const things = new AttributeBits();
  const known: KnownOf = new Map();
  const conditions = questions
    .map((question, index) => ({
      index,
      question,
      hides: mayHide(trees, question),
      ...needing(needsOfQuestion(trees, question, known), things),
    }))
    .filter(canFail);
  const variables = policies
    .map((names, policy) => ({
      policy,
      names,
      ...needing(needsOfVariables(names, known), things),
      reads: readsOf(names.variables),
      rows: rows[policy] ?? [],
      bits: bitsOf(rows[policy] ?? []),
    }))
    .filter(canFail);
  const neededBits = questions.map(() => 0);
  for (const condition of conditions) neededBits[condition.index] = condition.neededBits;
  const fallible: FallibleParts = {
    isEmpty: conditions.length + variables.length === 0,
    price: Math.ceil(questions.length / questionsOfUnit),
    conditions,
    isShort: questions.length <= bits && variables.length <= bits,
    neededAttributes: things.written(),
    neededBits,
    failing: bitsOf(conditions.map(({ index }) => index)),
    hiding: bitsOf(conditions.filter(({ hides }) => hides).map(({ index }) => index)),
    variables,
    setsOfCaller: bitsOf([...variables.keys()].filter((at) => failsForCaller(variables[at]))),
  };
  remembered.set(trees, fallible);
  return fallible;
}

/** Numbers as a bit set; those beyond the number of bits are left out. */
const bitsOf = (numbers: readonly number[]): number =>
  numbers.reduce((found, number) => (number < bits ? found | (1 << number) : found), 0);

/** Whether the errors of a variable set depend on the caller alone. */
const failsForCaller = (some: FallibleParts["variables"][number] | undefined): boolean =>
  some !== undefined &&
  (some.needs === undefined || some.needs.resource.names.length === 0) &&
  (some.reads !== undefined || some.names.variables.every(({ expression }) => expression.ofCaller === true));

const canFail = ({ needs }: { readonly needs: Needs | undefined }): boolean =>
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

/** Whether a condition may have met an error even if it was true: in another part of it, or in a variable. */
function mayHide(trees: UnitTrees, question: Question): boolean {
  if (question.kind === "rule") return hidesParts(question.condition);
  if (question.kind === "policy" || question.kind === "output") return false;
  const role = trees.policies[question.policy]?.derivedRoles[question.role];
  return role?.condition !== undefined && (role.variables.length > 0 || hidesParts(role.condition));
}

const hidesParts = (condition: Condition): boolean =>
  condition.kind !== "expression" && (condition.kind !== "all" || condition.of.some(hidesParts));

/** Questions that one unit of work goes through. */
const questionsOfUnit = 4;
