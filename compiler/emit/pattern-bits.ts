/** Emits the tests whether patterns of a policy match: bits of `roles` or `kinds`, which are computed once for all rows. */
import { type Code, type Name, comment, digits, js, newName, terms } from "./code.ts";
import { type MatchCount, sum } from "./match-count.ts";

/** The tests of patterns in rows. */
export interface PatternBits {
  /** The parameter that holds the matching patterns. */
  readonly parameter: Code;
  /** Code that is true if one of these patterns matches; undefined if one of them is `*`, which always does. */
  readonly anyOf: (indexes: readonly number[]) => Code | undefined;
  /** How many of these match, given that one does. */
  readonly countOf: (indexes: readonly number[]) => MatchCount;
  /** Declarations of the bit masks by name. */
  readonly declarations: readonly Code[];
}

/** The bits of a number; above that many patterns, of each word (`Matched` in runtime/decide/unit.ts). */
const bitsOfWord = 31;

/** Creates the tests of one policy's patterns. */
export function openPatternBits(subject: "roles" | "kinds", patterns: readonly string[], scope: string): PatternBits {
  const parameter = subject === "roles" ? js`roles` : js`kinds`;
  const isOneWord = patterns.length <= bitsOfWord;
  const names = new Map<string, Name>();
  const declarations: Code[] = [];

  /** The mask of some patterns within one word, declared under a readable name. */
  const maskNamed = (word: number, indexes: readonly number[]): Name => {
    const mask = indexes.reduce((bits, index) => bits | (1 << (index - word * bitsOfWord)), 0);
    const key = `${word} ${mask}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const words = indexes.map((index) => patterns[index] ?? "");
    const name = newName(`${scope} ${words.length > named ? `${words[0]} or ${words.length - 1} others` : words.join(" or ")}`.trim());
    names.set(key, name);
    if (declarations.length === 0) declarations.push(...legend(subject, patterns, isOneWord));
    declarations.push(js`const ${name} = ${mask};`);
    return name;
  };
  /** For each word with one of these patterns, code for the bits that match. */
  const matched = (indexes: readonly number[]): readonly Code[] => {
    const words = new Map<number, number[]>();
    for (const index of indexes) {
      const word = Math.floor(index / bitsOfWord);
      const known = words.get(word);
      if (known === undefined) words.set(word, [index]);
      else known.push(index);
    }
    return Array.from(words, ([word, of]) =>
      isOneWord ? js`${parameter} & ${maskNamed(word, of)}` : js`${parameter}[${digits(word)}] & ${maskNamed(word, of)}`,
    );
  };

  return {
    parameter,
    declarations,
    anyOf: (indexes) => (indexes.some((index) => patterns[index] === "*") ? undefined : terms("||", matched(indexes))),
    countOf: (indexes) => (indexes.length === 1 ? 1 : sum(matched(indexes).map((bits) => js`rt.count(${bits})`))),
  };
}

/** With more patterns than this, a mask is named after the first. */
const named = 3;

/** Patterns that cannot be mistaken for several words of the legend; others are quoted. */
const isPlain = (pattern: string): boolean => /^[\w.:@/*-]+$/.test(pattern);

/** A comment that tells which bit is which pattern. */
function legend(subject: string, patterns: readonly string[], isOneWord: boolean): readonly Code[] {
  const lineOf = (word: number): string =>
    patterns
      .slice(word * bitsOfWord, (word + 1) * bitsOfWord)
      .map((pattern, bit) => `${2 ** bit} ${isPlain(pattern) ? pattern : JSON.stringify(pattern)}`)
      .join(", ");
  if (isOneWord) return [comment(() => `bits of ${subject}: ${lineOf(0)}`)];
  const words = Math.ceil(patterns.length / bitsOfWord);
  return Array.from({ length: words }, (_, word) => comment(() => `bits of ${subject}[${word}]: ${lineOf(word)}`));
}
