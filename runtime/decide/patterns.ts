/**
 * Matches a name against all patterns of a policy. The result is a bit set, computed once for each name and tested by
 * generated code.
 */
import { work } from "../cel/work.ts";
import { openGlob } from "./glob.ts";
import { type PolicyType, sanitiseName } from "./policy-name.ts";
import { type Price, priceOfAction, priceOfGlob } from "./price.ts";
import { memoized } from "./memoize.ts";
import type { Matched } from "./unit.ts";

/** The compiled patterns of one policy. */
export interface Patterns {
  /** Returns the patterns that match a name. */
  readonly matching: (name: string) => Matched;
  /** The patterns without `*`, which are plain names. */
  readonly names: Iterable<string>;
  /** Whether a name that is not in `names` may match more than the pattern `*`. */
  readonly hasGlobs: boolean;
}

/** Compiles role patterns, which are compared as written. */
export const openRolePatterns = (patterns: readonly string[]): Patterns => openPatterns(patterns, (name) => name);

/**
 * Compiles kind patterns: matched as written against the kind as written, and sanitised against the kind sanitised
 * (D34).
 */
export const openKindPatterns = (patterns: readonly string[]): Patterns => openPatterns(patterns, sanitiseName);

/** Compiles the patterns of a policy: role patterns for resource policies, kind patterns for all others. */
export type OpenPatterns = (type: PolicyType, patterns: readonly string[]) => Patterns;

export const openPatternsOf: OpenPatterns = (type, patterns) =>
  type === "resource" ? openRolePatterns(patterns) : openKindPatterns(patterns);

interface Glob {
  readonly index: number;
  readonly test: (text: string) => boolean;
  readonly price: Price;
}

/** Most names cached for each policy with globs. */
const maxNames = 64;

function openPatterns(patterns: readonly string[], plain: (name: string) => string): Patterns {
  const always: number[] = [];
  const exact = new Map<string, number[]>();
  const globs: Glob[] = [];
  for (const [index, pattern] of patterns.entries()) {
    if (pattern === "*") always.push(index);
    else if (pattern.includes("*")) globs.push({ index, test: openGlob(pattern), price: priceOfGlob(pattern) });
    else exact.set(plain(pattern), [...(exact.get(plain(pattern)) ?? []), index]);
  }
  const count = patterns.length;
  const base = matchedOf(always, count);
  if (globs.length === 0) {
    const known = new Map(Array.from(exact, ([name, indexes]) => [name, matchedOf([...always, ...indexes], count)]));
    return { matching: (name) => known.get(plain(name)) ?? base, names: [...exact.keys()], hasGlobs: false };
  }
  const matching = memoized(maxNames, (name) => {
    const sanitised = plain(name);
    const found = globs.filter(({ test, price }) => {
      work(priceOfAction(price, name));
      return test(name) || (sanitised !== name && test(sanitised));
    });
    return matchedOf([...always, ...(exact.get(sanitised) ?? []), ...found.map(({ index }) => index)], count);
  });
  return { matching, names: [...exact.keys()], hasGlobs: true };
}

/** Up to this many patterns the bit set is a number; above, a list of such words. */
const wordBits = 31;

/** Returns the bit set of some patterns out of `count`. */
export function matchedOf(indexes: readonly number[], count: number): Matched {
  if (count <= wordBits) return indexes.reduce((bits, index) => bits | (1 << index), 0);
  const words = Array.from({ length: Math.ceil(count / wordBits) }, () => 0);
  for (const index of indexes) words[Math.floor(index / wordBits)] = (words[Math.floor(index / wordBits)] ?? 0) | (1 << (index % wordBits));
  return Object.freeze(words);
}

/** Whether no pattern matches. */
export const matchesNone = (matched: Matched): boolean =>
  typeof matched === "number" ? matched === 0 : matched.every((word) => word === 0);

/** The union of two bit sets of the same policy. */
export function either(left: Matched, right: Matched): Matched {
  if (typeof left === "number") return typeof right === "number" ? left | right : right;
  return typeof right === "number" ? left : Object.freeze(left.map((word, at) => word | (right[at] ?? 0)));
}

/** Whether two bit sets of the same policy intersect. */
export const shareBits = (left: Matched, right: Matched): boolean =>
  typeof left === "number" || typeof right === "number"
    ? typeof left === "number" && typeof right === "number" && (left & right) !== 0
    : left.some((word, at) => (word & (right[at] ?? 0)) !== 0);
