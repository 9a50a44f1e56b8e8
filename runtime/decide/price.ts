/** Computes the cost of evaluating a policy in units of work. */
import type { BundledScope } from "../bundle.ts";
import { isPlainGlob } from "./glob.ts";

/**
 * A fixed cost, and the cost for each started span of four characters of the action. Integers, because fractional
 * arithmetic is slower.
 */
export interface Price {
  readonly once: number;
  readonly perSpan: number;
}

/** The same with fractional costs for each character. */
interface Exact {
  readonly once: number;
  readonly perCharacter: number;
}

/** Characters of a span. */
const span = 4;

const inWholeUnits = ({ once, perCharacter }: Exact): Price => ({ once: Math.ceil(once), perSpan: Math.ceil(span * perCharacter) });

const exactOfGlob = (pattern: string): Exact =>
  isPlainGlob(pattern) ? { once: 4, perCharacter: 1 / 16 } : { once: 8 + pattern.length, perCharacter: 8 + 6 * pattern.length };

/** The cost of matching a string with a glob. */
export const priceOfGlob = (pattern: string): Price => inWholeUnits(exactOfGlob(pattern));

/** If a policy has more action names, its program uses a lookup instead of comparing each. */
export const maxCompared = 24;

const minPrice = 16;
// Costs of cold code: a large program runs in V8's interpreter during its first check, and its data is spread over
// memory.
const priceOfName = 2;
const priceOfLookingUp = 32;
const priceOfRow = 8;
const priceOfPattern = 1 / 8;
/** Comparing longer names costs more. */
const shortName = 64;

/**
 * An upper bound of the cost of evaluating one policy for one action, without conditions, which are paid for
 * separately.
 */
export function priceOfPolicy({ rows, patterns }: Pick<BundledScope, "rows" | "patterns">): Price {
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
  // If most rows have patterns, the program tests all rows.
  const reached = rowsWithPatterns * 2 > rows.length ? rows.length : Math.min(rowsOfOne, rows.length);
  const compared = Math.min(rowsByName.size, maxCompared);
  const finding = rowsByName.size > maxCompared ? priceOfLookingUp : compared * priceOfName;
  return inWholeUnits({
    once: minPrice + finding + reached * priceOfRow + patterns.length * priceOfPattern + once,
    perCharacter: perCharacter + (longest > shortName ? compared / shortName : 0),
  });
}

/** Characters of a program that one unit of work executes. */
const charactersOfUnit = 8;
/** The fewest characters of code that compare an action with a name. */
const charactersOfComparison = 16;

/**
 * The same if the program's text was measured: at least the cost of its characters, and of comparing strings as long
 * as the longest of its constants.
 */
export function priceOfProgram(fromRows: Price, characters: number, longestText: number): Price {
  const read = inWholeUnits({
    once: characters / charactersOfUnit,
    perCharacter: longestText > shortName ? characters / charactersOfComparison / shortName : 0,
  });
  return { once: Math.max(fromRows.once, read.once), perSpan: Math.max(fromRows.perSpan, read.perSpan) };
}

/** The cost for one action. Kept short so that V8 inlines it. */
export const priceOfAction = (price: Price, action: string): number => price.once + price.perSpan * ((action.length + 3) >> 2);

/** The price of what is not evaluated. */
export const free: Price = { once: 0, perSpan: 0 };
