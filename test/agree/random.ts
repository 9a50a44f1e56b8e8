/** A seeded source of random choices: the same seed makes the same choices on every machine. */

export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  readonly whole: (below: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
  /** Chooses by weight, and runs what it chose. */
  readonly weigh: <T>(options: readonly (readonly [weight: number, run: () => T])[]) => T;
  /** Between `least` and `most` results. */
  readonly several: <T>(least: number, most: number, make: (index: number) => T) => readonly T[];
  /** Between `least` and `most` of them, in random order, each once: what `from` lists twice is likelier. */
  readonly some: <T>(least: number, most: number, from: readonly T[]) => readonly T[];
}

/** Opens a source (mulberry32). */
export function openRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  const whole = (below: number): number => Math.floor(next() * below);
  const chance = (probability: number): boolean => next() < probability;

  function pick<T>(from: readonly T[]): T {
    if (from.length === 0) throw new Error("nothing to pick from");
    // A true edge: an element is there, though it may be undefined.
    return from[whole(from.length)] as T;
  }

  function weigh<T>(options: readonly (readonly [weight: number, run: () => T])[]): T {
    let left = next() * options.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, run] of options) {
      left -= weight;
      if (left < 0) return run();
    }
    return pick(options)[1]();
  }

  const several = <T>(least: number, most: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: least + whole(most - least + 1) }, (_, index) => make(index));

  function some<T>(least: number, most: number, from: readonly T[]): readonly T[] {
    const left = [...from];
    const wanted = Math.min(least + whole(most - least + 1), left.length);
    return [...new Set(Array.from({ length: wanted }, () => left.splice(whole(left.length), 1)).flat())];
  }

  return { whole, chance, pick, weigh, several, some };
}
