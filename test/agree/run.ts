/** One agreement run: random policy sets, random calls on each, every answer compared, everything counted. */
import type { Explained } from "../../compiler/reference/decide.ts";
import { accepts, askReference, differences, openSubject } from "./judge.ts";
import type { Difference, Make } from "./judge.ts";
import { makePolicies } from "./policies.ts";
import type { Document } from "./policies.ts";
import { openRandom } from "./random.ts";
import { makeBatch } from "./requests.ts";
import type { Batch } from "./requests.ts";

/** What is counted. A pair is one policy set and one request; a decision is one action of it. */
export interface Tally {
  readonly sets: number;
  readonly refusedSets: number;
  readonly pairs: number;
  readonly decisions: number;
  readonly allowed: number;
  readonly deniedByRule: number;
  readonly pairsWithErrors: number;
  readonly pairsWithDerivedRoles: number;
}

/** A call that generated code and the reference answer differently. */
export interface Disagreement {
  readonly set: number;
  readonly documents: readonly Document[];
  readonly batch: Batch;
  readonly differences: readonly Difference[];
}

export interface Outcome {
  readonly tally: Tally;
  readonly disagreements: readonly Disagreement[];
  /** Why sets were refused. */
  readonly refusals: readonly string[];
}

/** One policy set and the calls on it, all of it from two numbers. */
export interface Trial {
  readonly documents: readonly Document[];
  readonly batches: readonly Batch[];
}

const pairsOfSet = 40;

/** Makes the trial of one number under one seed. */
export function makeTrial(seed: number, set: number): Trial {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(set + 1, 0x85ebca6b));
  const documents = makePolicies(random, accepts);
  const batches: Batch[] = [];
  for (let pairs = 0; pairs < pairsOfSet; pairs += batches.at(-1)?.inputs.length ?? pairsOfSet) batches.push(makeBatch(random, documents));
  return { documents, batches };
}

export interface RunOptions {
  readonly seed: number;
  readonly pairs: number;
  /** Stops when this many calls were answered differently. */
  readonly enough: number;
  /** Another compiler and loader for the generated side; none: those of this checkout. */
  readonly make?: Make;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs until the pairs are spent or enough has been found. */
export function run({ seed, pairs, enough, make, onProgress }: RunOptions): Outcome {
  let tally: Tally = {
    sets: 0,
    refusedSets: 0,
    pairs: 0,
    decisions: 0,
    allowed: 0,
    deniedByRule: 0,
    pairsWithErrors: 0,
    pairsWithDerivedRoles: 0,
  };
  const disagreements: Disagreement[] = [];
  const refusals: string[] = [];
  for (let set = 0; tally.pairs < pairs && disagreements.length < enough; set++) {
    const { documents, batches } = makeTrial(seed, set);
    const subject = openSubject(documents, make);
    if (typeof subject === "string") {
      refusals.push(subject);
      tally = { ...tally, sets: tally.sets + 1, refusedSets: tally.refusedSets + 1 };
      if (set > 50 && tally.refusedSets > set / 2) throw new Error(`most random policy sets do not compile: ${subject}`);
      continue;
    }
    tally = { ...tally, sets: tally.sets + 1 };
    for (const batch of batches) {
      const expected = askReference(subject.policySet, batch);
      tally = expected.reduce(count, tally);
      const found = differences(subject.evaluators, batch, expected);
      if (found.length > 0) disagreements.push({ set, documents, batch, differences: found });
      if (disagreements.length >= enough) break;
    }
    if (set % 100 === 99) onProgress?.(tally);
  }
  return { tally, disagreements, refusals };
}

function count(tally: Tally, { actions, reasons, evaluationErrors, effectiveDerivedRoles }: Explained): Tally {
  const denying = new Set(
    reasons.filter(({ effect, outcome }) => effect === "deny" && outcome === "satisfied").map(({ action }) => action),
  );
  const effects = [...actions];
  return {
    ...tally,
    pairs: tally.pairs + 1,
    decisions: tally.decisions + effects.length,
    allowed: tally.allowed + effects.filter(([, { effect }]) => effect === "EFFECT_ALLOW").length,
    deniedByRule: tally.deniedByRule + effects.filter(([action, { effect }]) => effect === "EFFECT_DENY" && denying.has(action)).length,
    pairsWithErrors: tally.pairsWithErrors + (evaluationErrors.length > 0 ? 1 : 0),
    pairsWithDerivedRoles: tally.pairsWithDerivedRoles + (effectiveDerivedRoles.length > 0 ? 1 : 0),
  };
}

/** Says a tally in one line. */
export function printTally({
  sets,
  refusedSets,
  pairs,
  decisions,
  allowed,
  deniedByRule,
  pairsWithErrors,
  pairsWithDerivedRoles,
}: Tally): string {
  const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  return (
    `${pairs} pairs over ${sets} policy sets (${refusedSets} refused): ${share(allowed, decisions)} allowed, ` +
    `${share(deniedByRule, decisions)} denied by a rule, ${share(pairsWithErrors, pairs)} of pairs with an evaluation error, ` +
    `${share(pairsWithDerivedRoles, pairs)} with derived roles`
  );
}
