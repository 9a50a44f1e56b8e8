/** Runs policy sets until enough strings have been planted, and counts. */
import type { Realm } from "../../runtime/sandbox/realm.ts";
import { judge } from "./judge.ts";
import { grow } from "./trial.ts";

/** What is counted. */
export interface Tally {
  sets: number;
  strings: number;
  taken: number;
  programs: number;
  decisions: number;
  asked: number;
  /** Strings by position. */
  readonly positions: Map<string, number>;
  /** Refused strings by position and why. */
  readonly refused: Map<string, number>;
  readonly unwritten: Map<string, number>;
}

/** Nothing yet. */
export const emptyTally = (): Tally => ({
  sets: 0,
  strings: 0,
  taken: 0,
  programs: 0,
  decisions: 0,
  asked: 0,
  positions: new Map(),
  refused: new Map(),
  unwritten: new Map(),
});

/** Adds up what two runs have counted. */
export const addTally = (left: Tally, right: Tally): Tally => ({
  sets: left.sets + right.sets,
  strings: left.strings + right.strings,
  taken: left.taken + right.taken,
  programs: left.programs + right.programs,
  decisions: left.decisions + right.decisions,
  asked: left.asked + right.asked,
  positions: addCounts(left.positions, right.positions),
  refused: addCounts(left.refused, right.refused),
  unwritten: addCounts(left.unwritten, right.unwritten),
});

const addCounts = (left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...left.keys(), ...right.keys()].map((name) => [name, (left.get(name) ?? 0) + (right.get(name) ?? 0)]));

export interface RunOptions {
  readonly seed: number;
  readonly strings: number;
  readonly realm: Realm;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs; throws with the first thing that is wrong, and with what repeats it. */
export function run({ seed, strings, realm, onProgress }: RunOptions): Tally {
  const tally = emptyTally();
  for (let set = 0; tally.strings < strings; set++) {
    try {
      const grown = grow(seed, set);
      const { programs, decisions, asked, unwritten } = judge(grown, realm);
      tally.sets++;
      tally.programs += programs;
      tally.decisions += decisions;
      tally.asked += asked;
      if (unwritten !== undefined) count(tally.unwritten, unwritten);
      for (const { position, refusedBecause } of grown.slots) {
        tally.strings++;
        count(tally.positions, position);
        if (refusedBecause === undefined) tally.taken++;
        else count(tally.refused, `${position}: ${refusedBecause}`);
      }
    } catch (error) {
      throw new Error(`AUTHZ_SEED=${seed}, set ${set}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
    if (set % 10 === 9) onProgress?.(tally);
  }
  return tally;
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

/** Says a tally in one line. */
export const printTally = ({ sets, strings, taken, programs, decisions, asked }: Tally): string =>
  `${strings} strings in ${sets} policy sets, ${taken} taken and ${strings - taken} refused; ${programs} programs parsed, ${decisions} answers compared, ${asked} of them by the realm`;

/** Says where strings stood, and why some were refused. */
export const printSpread = ({ positions, refused, unwritten }: Tally): string =>
  [
    ...[...positions].map(([name, many]) => `${String(many).padStart(9)}  ${name}`),
    "refused:",
    ...[...refused].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([name, many]) => `${String(many).padStart(9)}  ${name}`),
    ...[...unwritten].map(([name, many]) => `${String(many).padStart(9)}  sets in no bundle file: ${name}`),
  ].join("\n");
