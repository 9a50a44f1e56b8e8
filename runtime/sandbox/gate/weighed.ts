/** Measures a program: the cost of each of its parts, to be charged to the work budget of a check. */
import { heavier, light, type Weight, weightOf } from "../../cel/weight.ts";
import type { Prices } from "../../decide/prices.ts";
import { mostRepeated } from "./bounds.ts";
import { refuse } from "./refusal.ts";

/** The measurements so far. */
export interface Weighed {
  /** Characters of called code, besides the calls themselves. */
  called: number;
  /** Work for the lists and maps allocated. */
  keeps: number;
  turn: Weight;
  readonly conditions: Weight[];
  readonly variables: Weight[];
  readonly outputs: Weight[];
  readonly policies: number[];
}

/** The cost of running a piece of code once. */
export interface Piece {
  readonly characters: number;
  readonly keeps: number;
}

/** No code, no cost. */
export const noPiece: Piece = { characters: 0, keeps: 0 };

/** Returns empty measurements. */
export const openWeighed = (): Weighed => ({
  called: 0,
  keeps: 0,
  turn: light,
  conditions: [],
  variables: [],
  outputs: [],
  policies: [],
});

interface Weighable {
  readonly reading: { readonly text: string; readonly start: number };
  readonly weighed: Weighed;
}

/** Reads a piece of code and returns its cost. */
export function weigh<P extends Weighable>(program: P, read: (program: P) => void): Piece {
  const { start } = program.reading;
  const { called, keeps } = program.weighed;
  read(program);
  return { characters: program.reading.start - start + program.weighed.called - called, keeps: program.weighed.keeps - keeps };
}

/** Records that a piece of code is called at this point, `times` times. */
export function noteCall({ reading, weighed }: Weighable, { characters, keeps }: Piece, times = 1): void {
  weighed.called += characters * times;
  weighed.keeps += keeps * times;
  if (weighed.called > mostRepeated) refuse(reading.text, reading.start, "calls that come to more than a program can have");
}

/** Records the allocation of a list or map. */
export function noteKept({ weighed }: Weighable, work: number): void {
  weighed.keeps += work;
}

/** Records the cost of one iteration of a loop. */
export function noteTurn({ weighed }: Weighable, { characters, keeps }: Piece): void {
  weighed.turn = heavier(weighed.turn, weightOf(characters, keeps));
}

/** Records the weight of an index. */
export function noteWeight(asked: Weight[], index: number, weight: Weight): void {
  while (asked.length <= index) asked.push(light);
  asked[index] = heavier(asked[index] ?? light, weight);
}

/** The prices of a program that was read completely. */
export const pricesOf = ({ weighed: { turn, keeps, conditions, variables, outputs, policies } }: Weighable, length: number): Prices => ({
  turn,
  conditions: unlessLight(conditions),
  variables: unlessLight(variables),
  outputs: unlessLight(outputs),
  policies,
  length,
  loading: weightOf(length, keeps),
  longestText: 0,
});

const unlessLight = (asked: readonly Weight[]): readonly Weight[] | undefined =>
  asked.every((weight) => weight === light) ? undefined : asked;

/**
 * Work of allocations: a list, each of its elements, a growing list, a pair in a list of pairs, and the map or
 * message built from pairs.
 */
export const kept = { list: 64, element: 32, growing: 192, row: 192, map: 256, record: 512 } as const;
