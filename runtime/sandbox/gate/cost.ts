/** Measures a program: the cost of each of its parts, to be charged to the work budget of a check. */
import { maxWeight, lightWeight, type Weight, weightOf } from "../../cel/weight.ts";
import type { Prices } from "../../decide/prices.ts";
import { maxRepeated } from "./bounds.ts";
import { refuse } from "./refusal.ts";

/** The measurements so far. */
export interface Costs {
  /** Characters of called code, besides the calls themselves. */
  called: number;
  /** Work for the lists and maps allocated. */
  allocates: number;
  loopStep: Weight;
  readonly conditions: Weight[];
  readonly variables: Weight[];
  readonly outputs: Weight[];
  readonly policies: number[];
}

/** The cost of running a piece of code once. */
export interface Cost {
  readonly characters: number;
  readonly allocates: number;
}

/** No code, no cost. */
export const noCost: Cost = { characters: 0, allocates: 0 };

/** Returns empty measurements. */
export const openCosts = (): Costs => ({
  called: 0,
  allocates: 0,
  loopStep: lightWeight,
  conditions: [],
  variables: [],
  outputs: [],
  policies: [],
});

interface Measurable {
  readonly reading: { readonly text: string; readonly start: number };
  readonly costs: Costs;
}

/** Reads a piece of code and returns its cost. */
export function measure<P extends Measurable>(program: P, read: (program: P) => void): Cost {
  const { start } = program.reading;
  const { called, allocates } = program.costs;
  read(program);
  return { characters: program.reading.start - start + program.costs.called - called, allocates: program.costs.allocates - allocates };
}

/** Records that a piece of code is called at this point, `times` times. */
export function noteCall({ reading, costs }: Measurable, { characters, allocates }: Cost, times = 1): void {
  costs.called += characters * times;
  costs.allocates += allocates * times;
  if (costs.called > maxRepeated) refuse(reading.text, reading.start, "calls that come to more than a program can have");
}

/** Records the allocation of a list or map. */
export function noteAllocation({ costs }: Measurable, work: number): void {
  costs.allocates += work;
}

/** Records the cost of one iteration of a loop. */
export function noteIteration({ costs }: Measurable, { characters, allocates }: Cost): void {
  costs.loopStep = maxWeight(costs.loopStep, weightOf(characters, allocates));
}

/** Records the weight of an index. */
export function noteWeight(asked: Weight[], index: number, weight: Weight): void {
  while (asked.length <= index) asked.push(lightWeight);
  asked[index] = maxWeight(asked[index] ?? lightWeight, weight);
}

/** The prices of a program that was read completely. */
export const pricesOf = (
  { costs: { loopStep, allocates, conditions, variables, outputs, policies } }: Measurable,
  length: number,
): Prices => ({
  loopStep,
  conditions: unlessLight(conditions),
  variables: unlessLight(variables),
  outputs: unlessLight(outputs),
  policies,
  length,
  loading: weightOf(length, allocates),
  longestText: 0,
});

const unlessLight = (asked: readonly Weight[]): readonly Weight[] | undefined =>
  asked.every((weight) => weight === lightWeight) ? undefined : asked;

/**
 * Work of allocations: a list, each of its elements, a growing list, a pair in a list of pairs, and the map or
 * message built from pairs.
 */
export const allocationWork = { list: 64, element: 32, growing: 192, row: 192, map: 256, record: 512 } as const;
