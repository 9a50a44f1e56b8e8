/** Weighs a program: the cost of each of its parts, which the sandbox draws from the work of a check. */
import { heavier, light, type Weight, weightOf } from "../../cel/weight.ts";
import type { Prices } from "../../decide/prices.ts";
import { mostRepeated } from "./bounds.ts";
import { refuse } from "./refusal.ts";

/** What was found out about a program so far. */
export interface Weighed {
  /** Characters of what is called, besides the call itself. */
  called: number;
  /** Work for lists and maps that were written down. */
  keeps: number;
  turn: Weight;
  readonly conditions: Weight[];
  readonly variables: Weight[];
  readonly outputs: Weight[];
  readonly policies: number[];
}

/** What a piece of program comes to when it runs once. */
export interface Piece {
  readonly characters: number;
  readonly keeps: number;
}

export const noPiece: Piece = { characters: 0, keeps: 0 };

/** Opens the weights of a program. */
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

/** Reads a piece of program; answers what it comes to. */
export function weigh<P extends Weighable>(program: P, read: (program: P) => void): Piece {
  const { start } = program.reading;
  const { called, keeps } = program.weighed;
  read(program);
  return { characters: program.reading.start - start + program.weighed.called - called, keeps: program.weighed.keeps - keeps };
}

/** Notes that a piece is called from where the program is being read, so many times over. */
export function noteCall({ reading, weighed }: Weighable, { characters, keeps }: Piece, times = 1): void {
  weighed.called += characters * times;
  weighed.keeps += keeps * times;
  if (weighed.called > mostRepeated) refuse(reading.text, reading.start, "calls that come to more than a program can have");
}

/** Notes that a list or map is made. */
export function noteKept({ weighed }: Weighable, work: number): void {
  weighed.keeps += work;
}

/** Notes what a turn of a loop comes to. */
export function noteTurn({ weighed }: Weighable, { characters, keeps }: Piece): void {
  weighed.turn = heavier(weighed.turn, weightOf(characters, keeps));
}

/** Notes the weight of what is asked under an index. */
export function noteWeight(asked: Weight[], index: number, weight: Weight): void {
  while (asked.length <= index) asked.push(light);
  asked[index] = heavier(asked[index] ?? light, weight);
}

/** What a program that was read to its end costs. */
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

/** Work for what is kept: a list, each of its elements; a list that grows; a pair in a list of pairs; the map or record that is made of such. */
export const kept = { list: 64, element: 32, growing: 192, row: 192, map: 256, record: 512 } as const;
