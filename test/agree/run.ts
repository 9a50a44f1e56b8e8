/** One agreement run: random policy sets, random calls on each, every answer compared, everything counted. */
import { cover, coverStore, printCoverage } from "./coverage.ts";
import type { Document } from "./document.ts";
import { accepts, askReference, differences, openSubject, type Difference } from "./judge.ts";
import { makePolicies } from "./policies.ts";
import { openRandom, type Random } from "./random.ts";
import { makeBatch, type Batch } from "./requests.ts";
import { variantsFor, type Variant } from "./variants.ts";

/** What is counted. A pair is one policy set and one request; a decision is one action of it, answered by one variant of generated code. */
export interface Tally {
  readonly sets: number;
  readonly refusedSets: number;
  readonly pairs: number;
  readonly actions: number;
  /** Decisions compared, by variant. */
  readonly decisions: ReadonlyMap<string, number>;
  /** Actions by class. */
  readonly coverage: ReadonlyMap<string, number>;
}

/** A call that generated code and the reference answer differently. */
export interface Disagreement {
  readonly set: number;
  readonly documents: readonly Document[];
  readonly batch: Batch;
  readonly variants: readonly Variant[];
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

/** Makes another store of a random one. */
export type Change = (random: Random, documents: readonly Document[]) => readonly Document[];

/** Makes the trial of one number under one seed. */
export function makeTrial(seed: number, set: number, change: Change = (_, documents) => documents): Trial {
  const random = openRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(set + 1, 0x85ebca6b));
  const documents = change(random, makePolicies(random, accepts));
  const batches: Batch[] = [];
  for (let pairs = 0; pairs < pairsOfSet; pairs += batches.at(-1)?.inputs.length ?? pairsOfSet) batches.push(makeBatch(random, documents));
  return { documents, batches };
}

export interface RunOptions {
  readonly seed: number;
  readonly pairs: number;
  /** Stops when this many calls were answered differently. */
  readonly enough: number;
  readonly change?: Change;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs until the pairs are spent or enough has been found. */
export function run({ seed, pairs, enough, change, onProgress }: RunOptions): Outcome {
  const tally = {
    sets: 0,
    refusedSets: 0,
    pairs: 0,
    actions: 0,
    decisions: new Map<string, number>(),
    coverage: new Map<string, number>(),
  };
  const disagreements: Disagreement[] = [];
  const refusals: string[] = [];
  for (let set = 0; tally.pairs < pairs && disagreements.length < enough; set++) {
    const { documents, batches } = makeTrial(seed, set, change);
    const variants = variantsFor(set);
    const subject = openSubject(documents, variants);
    tally.sets++;
    if (typeof subject === "string") {
      refusals.push(subject);
      tally.refusedSets++;
      if (set > 50 && tally.refusedSets > set / 2) throw new Error(`most random policy sets do not compile: ${subject}`);
      continue;
    }
    coverStore(tally.coverage, documents);
    for (const batch of batches) {
      const expected = askReference(subject.policySet, batch);
      for (const [index, explained] of expected.decisions.entries()) {
        const input = batch.inputs[index];
        tally.pairs++;
        tally.actions += explained.actions.size;
        for (const { name } of variants) tally.decisions.set(name, (tally.decisions.get(name) ?? 0) + explained.actions.size);
        if (input !== undefined) cover(tally.coverage, input, batch.settings, explained);
      }
      const found = differences(subject.evaluators, batch, expected);
      if (found.length > 0) disagreements.push({ set, documents, batch, variants, differences: found });
      if (disagreements.length >= enough) break;
    }
    if (set % 100 === 99) onProgress?.(tally);
  }
  return { tally, disagreements, refusals };
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, count) => all + count, 0);

/** Says a tally in one line. */
export const printTally = ({ sets, refusedSets, pairs, decisions }: Tally): string =>
  `${sum(decisions)} decisions of ${pairs} pairs over ${sets} policy sets (${refusedSets} refused)`;

/** Says how the decisions were spread, over the variants of generated code and over the classes. */
export const printSpread = ({ decisions, coverage, actions, sets, refusedSets }: Tally): string =>
  [
    ...[...decisions].map(([name, count]) => `${String(count).padStart(9)}  ${name}`),
    printCoverage(coverage, actions, sets - refusedSets),
  ].join("\n");
