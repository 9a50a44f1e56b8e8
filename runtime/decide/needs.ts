/**
 * Determines which attributes an expression needs so that it cannot fail. If an input has them, there is no need to
 * evaluate the expression to know that it has no error.
 */
import type { JsonObject } from "../cel/value.ts";
import type { Condition } from "./condition.ts";
import type { CheckInput } from "./input.ts";
import { type KnownOf, knownNames } from "./known-names.ts";
import { NeedsCollector, type Needs, type NeedsOfOne } from "./needs-collector.ts";
import { addProven } from "./proofs.ts";
import { type KnownNames, type Place, sureKinds } from "./sure-kinds.ts";
import type { Names } from "./trees.ts";
import { any, isOfKinds, priceOfKinds } from "./value-kinds.ts";

export type { Needs } from "./needs-collector.ts";

/** Whether evaluation may fail for an input; `undefined` needs mean that it may fail for any. */
export function mayFail(needs: Needs | undefined, { principal, resource }: CheckInput): boolean {
  return needs === undefined || lacks(principal.attr, needs.principal) || lacks(resource.attr, needs.resource);
}

/** An upper bound of the work of `mayFail`. */
export const priceOfNeeds = (needs: Needs | undefined): number =>
  needs === undefined ? 0 : [...needs.principal.kinds, ...needs.resource.kinds].reduce((price, kinds) => price + priceOfKinds(kinds), 0);

// A local constant: in a separate realm, globals are looked up on each read.
const { hasOwn } = Object;

function lacks(attributes: JsonObject = nothing, { names, kinds }: NeedsOfOne): boolean {
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? "";
    if (!isOfKinds(hasOwn(attributes, name) ? attributes[name] : undefined, kinds[at] ?? any)) return true;
  }
  return false;
}

const nothing: JsonObject = {};

/** The needs of all variables of a policy or role; undefined if they may fail whatever the attributes. */
export function needsOfVariables(names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new NeedsCollector();
  return noteVariables(names, known, needed) ? writtenOf(needed) : undefined;
}

/** The needs of a condition, including those of the variables it reads. */
export function needsOf(condition: Condition, names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new NeedsCollector();
  return isSureIn(condition, knownNames(names, known), needed) ? writtenOf(needed) : undefined;
}

/**
 * The needs of a condition and of all variables, for conditions whose errors are reported together with those of the
 * variables.
 */
export function needsWithVariables(condition: Condition, names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new NeedsCollector();
  return isSureIn(condition, knownNames(names, known), needed) && noteVariables(names, known, needed) ? writtenOf(needed) : undefined;
}

const writtenOf = (needed: NeedsCollector): Needs | undefined => (needed.isTooMuch ? undefined : needed.written());

const isSureIn = (condition: Condition, names: KnownNames, needed: NeedsCollector): boolean =>
  isSure(condition, { needed, names, present: undefined, iteration: undefined });

/** Whether no leaf can fail, given the needs it collects; its value does not matter. */
function isSure(condition: Condition, at: Place): boolean {
  if (condition.kind === "expression") return sureKinds(condition.expression.tree, any, at) !== 0;
  // A later part is evaluated only if the earlier ones were true (`all`) or not true (`any`, `none`).
  const outcome = condition.kind === "all";
  const found = new Set<string>();
  const inside: Place = { ...at, present: { found, outer: at.present } };
  for (const part of condition.of) {
    if (!isSure(part, inside)) return false;
    if (part.kind === "expression") addProven(part.expression.tree, outcome, undefined, found);
  }
  return true;
}

function noteVariables(names: Names, known: KnownOf, needed: NeedsCollector): boolean {
  const { variable: variableNamed } = knownNames(names, known);
  for (const { name } of names.variables) {
    const variable = variableNamed(name);
    if (variable === undefined) return false;
    needed.noteAll(variable.needed);
  }
  return true;
}
