/** What asking a policy costs, in units of work: what the programs do that a check runs through many times over. */
import type { BundledScope } from "../bundle.ts";
import { isPlainGlob } from "./glob.ts";

/** Work for one text, and for each span of four characters that it begins; whole units, because reckoning with others is slow. */
export interface Price {
  readonly once: number;
  readonly perSpan: number;
}

/** The same by the character, which may come to parts of units. */
interface Exact {
  readonly once: number;
  readonly perCharacter: number;
}

/** Characters. */
const span = 4;

const inWholeUnits = ({ once, perCharacter }: Exact): Price => ({ once: Math.ceil(once), perSpan: Math.ceil(span * perCharacter) });

const exactOfGlob = (pattern: string): Exact =>
  isPlainGlob(pattern) ? { once: 4, perCharacter: 1 / 16 } : { once: 8 + pattern.length, perCharacter: 8 + 6 * pattern.length };

/** What matching a text with a glob costs. */
export const priceOfGlob = (pattern: string): Price => inWholeUnits(exactOfGlob(pattern));

/** Above so many names of actions a program looks an action up, and does not compare it with each. */
export const mostCompared = 24;

const leastPrice = 16;
// As slow as it is at first: a large program is interpreted for as long as a check takes, and lies far apart in memory.
const priceOfName = 2;
const priceOfLookingUp = 32;
const priceOfRow = 8;
const priceOfPattern = 1 / 8;
/** Names that are longer are compared for longer. */
const shortName = 64;

/** What asking one policy about one action costs at most, without its conditions: they draw by themselves. */
export function priceOfAsking({ rows, patterns }: Pick<BundledScope, "rows" | "patterns">): Price {
  const rowsByName = new Map<string, number>();
  let [longest, rowsWithPatterns, once, perCharacter] = [0, 0, 0, 0];
  for (const { actions } of rows) {
    let hasPattern = false;
    for (const match of actions) {
      if (match.kind === "exact") {
        rowsByName.set(match.value, (rowsByName.get(match.value) ?? 0) + 1);
        longest = Math.max(longest, match.value.length);
        continue;
      }
      hasPattern = true;
      if (match.kind !== "glob") continue;
      const glob = exactOfGlob(match.pattern);
      once += glob.once;
      perCharacter += glob.perCharacter;
    }
    if (hasPattern) rowsWithPatterns++;
  }
  let rowsOfOne = rowsWithPatterns;
  for (const count of rowsByName.values()) rowsOfOne = Math.max(rowsOfOne, count + rowsWithPatterns);
  // Where most rows have patterns, the program goes through all of them.
  const reached = rowsWithPatterns * 2 > rows.length ? rows.length : Math.min(rowsOfOne, rows.length);
  const compared = Math.min(rowsByName.size, mostCompared);
  const finding = rowsByName.size > mostCompared ? priceOfLookingUp : compared * priceOfName;
  return inWholeUnits({
    once: leastPrice + finding + reached * priceOfRow + patterns.length * priceOfPattern + once,
    perCharacter: perCharacter + (longest > shortName ? compared / shortName : 0),
  });
}

/** Characters of a program that a unit of work runs through. */
const charactersOfUnit = 8;
/** The fewest in which an action is compared with a name. */
const charactersOfComparison = 16;

/** The same where the program was read: it goes through so many characters, and its names are as long as the longest text of its constants. */
export function priceOfProgram(said: Price, characters: number, longestText: number): Price {
  const read = inWholeUnits({
    once: characters / charactersOfUnit,
    perCharacter: longestText > shortName ? characters / charactersOfComparison / shortName : 0,
  });
  return { once: Math.max(said.once, read.once), perSpan: Math.max(said.perSpan, read.perSpan) };
}

/** What asking about one action costs. Short, so that engines put it where it is called, however much stands there already. */
export const priceOfAction = (price: Price, action: string): number => price.once + price.perSpan * ((action.length + 3) >> 2);

/** Of what is not asked. */
export const free: Price = { once: 0, perSpan: 0 };
