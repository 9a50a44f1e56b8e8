/** Sets of characters, as ranges of code points. */

/** Inclusive ranges, in any order. */
export type Ranges = readonly (readonly [low: number, high: number])[];

const last = 0x10ffff;

/** The range of one character. */
export function single(character: string): readonly [low: number, high: number] {
  const point = character.codePointAt(0) ?? 0;
  return [point, point];
}

/** Sorts and joins ranges; if negated, returns all code points outside them. */
export function classOf(members: Ranges, isNegated: boolean): Ranges {
  const joined: [number, number][] = [];
  for (const [low, high] of members.toSorted((left, right) => left[0] - right[0])) {
    const before = joined.at(-1);
    if (before !== undefined && low <= before[1] + 1) before[1] = Math.max(before[1], high);
    else joined.push([low, high]);
  }
  if (!isNegated) return joined;
  const outside: (readonly [number, number])[] = [];
  let next = 0;
  for (const [low, high] of joined) {
    if (low > next) outside.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= last) outside.push([next, last]);
  return outside;
}

/** Code points that no set of a pattern tells apart are one letter of its automaton; letters are numbered from 0. */
export interface Alphabet {
  readonly size: number;
  /** The letters of the first 128 code points. */
  readonly ascii: Uint8Array;
  readonly letterOf: (point: number) => number;
}

/** Numbers the letters of some sets. Undefined if they are more than a byte can hold. */
export function alphabetOf(sets: readonly Ranges[]): Alphabet | undefined {
  const starts = new Set<number>([0]);
  for (const ranges of sets) {
    for (const [low, high] of ranges) {
      starts.add(low);
      starts.add(high + 1);
    }
  }
  const firsts = Array.from(starts).toSorted((left, right) => left - right);
  if (firsts.length > 255) return undefined;
  const letterOf = (point: number): number => {
    let [low, high] = [0, firsts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((firsts[middle] ?? Infinity) <= point) low = middle;
      else high = middle;
    }
    return low;
  };
  return { size: firsts.length, ascii: Uint8Array.from({ length: 128 }, (_, point) => letterOf(point)), letterOf };
}
