/** Determines which attributes an expression needs so that it cannot fail: where they are there, it need not be evaluated to know that there is no error. */
import type { JsonObject } from "../cel/value.ts";
import type { Condition } from "./condition.ts";
import type { CheckInput } from "./input.ts";
import { type KnownOf, knownNames } from "./known-names.ts";
import { Needed, type Needs, type NeedsOfOne } from "./needed.ts";
import { addProven } from "./proofs.ts";
import { type KnownNames, type Place, sureKinds } from "./sure-kinds.ts";
import type { Names } from "./trees.ts";
import { any, isOfKinds, priceOfKinds } from "./value-kinds.ts";

export type { Needs } from "./needed.ts";

/** Says whether evaluating may fail, given what it needs: undefined where more than attributes can be in the way. */
export function mayFail(needs: Needs | undefined, { principal, resource }: CheckInput): boolean {
  return needs === undefined || lacks(principal.attr, needs.principal) || lacks(resource.attr, needs.resource);
}

/** Work of `mayFail`, at most. */
export const priceOfNeeds = (needs: Needs | undefined): number =>
  needs === undefined ? 0 : [...needs.principal.kinds, ...needs.resource.kinds].reduce((price, kinds) => price + priceOfKinds(kinds), 0);

// By a name of ours: in a realm of its own, names of the language are looked for each time they are read.
const { hasOwn } = Object;

function lacks(attributes: JsonObject = nothing, { names, kinds }: NeedsOfOne): boolean {
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? "";
    if (!isOfKinds(hasOwn(attributes, name) ? attributes[name] : undefined, kinds[at] ?? any)) return true;
  }
  return false;
}

const nothing: JsonObject = {};

/** What the variables of a policy or role need, all of them. */
export function needsOfVariables(names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new Needed();
  return noteVariables(names, known, needed) ? writtenOf(needed) : undefined;
}

/** What a condition needs, with the variables that it reads. */
export function needsOf(condition: Condition, names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new Needed();
  return isSureIn(condition, knownNames(names, known), needed) ? writtenOf(needed) : undefined;
}

/** What a condition needs with all variables that it may read: where errors of these are told with its own. */
export function needsWithVariables(condition: Condition, names: Names, known: KnownOf = new Map()): Needs | undefined {
  const needed = new Needed();
  return isSureIn(condition, knownNames(names, known), needed) && noteVariables(names, known, needed) ? writtenOf(needed) : undefined;
}

const writtenOf = (needed: Needed): Needs | undefined => (needed.isTooMuch ? undefined : needed.written());

const isSureIn = (condition: Condition, names: KnownNames, needed: Needed): boolean =>
  isSure(condition, { needed, names, present: undefined, turn: undefined });

/** A leaf may come to anything. */
function isSure(condition: Condition, at: Place): boolean {
  if (condition.kind === "expression") return sureKinds(condition.expression.tree, any, at) !== 0;
  // What stands behind a part is asked only where that came to true, or else only where it did not.
  const outcome = condition.kind === "all";
  const found = new Set<string>();
  const inside: Place = { ...at, present: { found, outer: at.present } };
  for (const part of condition.of) {
    if (!isSure(part, inside)) return false;
    if (part.kind === "expression") addProven(part.expression.tree, outcome, undefined, found);
  }
  return true;
}

function noteVariables(names: Names, known: KnownOf, needed: Needed): boolean {
  const { variable: variableNamed } = knownNames(names, known);
  for (const { name } of names.variables) {
    const variable = variableNamed(name);
    if (variable === undefined) return false;
    needed.noteAll(variable.needed);
  }
  return true;
}
