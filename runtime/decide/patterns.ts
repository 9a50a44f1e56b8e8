/** Which of a policy's patterns match a name, as bits: found out once for a name, tested by generated code as often as it likes. */
import { work } from "../cel/work.ts";
import { openGlob } from "./glob.ts";
import { type PolicyType, sanitiseName } from "./policy-name.ts";
import { type Price, priceOfAction, priceOfGlob } from "./price.ts";
import { remembering } from "./remember.ts";
import type { Matched } from "./unit.ts";

/** The patterns of one policy, ready to be asked. */
export interface Patterns {
  /** Which of them match a name. */
  readonly matching: (name: string) => Matched;
  /** The names that patterns without `*` stand for. */
  readonly names: Iterable<string>;
  /** Whether a name that is none of `names` may match more than `*` does. */
  readonly hasGlobs: boolean;
}

/** Patterns of roles: compared as they are written. */
export const openRolePatterns = (patterns: readonly string[]): Patterns => openPatterns(patterns, (name) => name);

/** Patterns of kinds: as written with the kind as written, or as sanitised with the kind as sanitised (D34). */
export const openKindPatterns = (patterns: readonly string[]): Patterns => openPatterns(patterns, sanitiseName);

/** Opens the patterns of a policy: resource policies have roles, all others kinds. */
export type OpenPatterns = (type: PolicyType, patterns: readonly string[]) => Patterns;

export const openPatternsOf: OpenPatterns = (type, patterns) =>
  type === "resource" ? openRolePatterns(patterns) : openKindPatterns(patterns);

interface Glob {
  readonly index: number;
  readonly test: (text: string) => boolean;
  readonly price: Price;
}

/** How many names each policy with globs remembers. */
const mostNames = 64;

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
  const matching = remembering(mostNames, (name) => {
    const sanitised = plain(name);
    const found = globs.filter(({ test, price }) => {
      work(priceOfAction(price, name));
      return test(name) || (sanitised !== name && test(sanitised));
    });
    return matchedOf([...always, ...(exact.get(sanitised) ?? []), ...found.map(({ index }) => index)], count);
  });
  return { matching, names: [...exact.keys()], hasGlobs: true };
}

/** Above so many patterns bits come in words. */
const wordBits = 31;

/** Sets the bits of some patterns out of `count`. */
export function matchedOf(indexes: readonly number[], count: number): Matched {
  if (count <= wordBits) return indexes.reduce((bits, index) => bits | (1 << index), 0);
  const words = Array.from({ length: Math.ceil(count / wordBits) }, () => 0);
  for (const index of indexes) words[Math.floor(index / wordBits)] = (words[Math.floor(index / wordBits)] ?? 0) | (1 << (index % wordBits));
  return Object.freeze(words);
}

/** Says whether no pattern matches. */
export const matchesNone = (matched: Matched): boolean =>
  typeof matched === "number" ? matched === 0 : matched.every((word) => word === 0);

/** What matches one name or the other; both are of one policy. */
export function either(left: Matched, right: Matched): Matched {
  if (typeof left === "number") return typeof right === "number" ? left | right : right;
  return typeof right === "number" ? left : Object.freeze(left.map((word, at) => word | (right[at] ?? 0)));
}

/** Says whether two sets of patterns of one policy have one in common. */
export const shareBits = (left: Matched, right: Matched): boolean =>
  typeof left === "number" || typeof right === "number"
    ? typeof left === "number" && typeof right === "number" && (left & right) !== 0
    : left.some((word, at) => (word & (right[at] ?? 0)) !== 0);
