/** Emits the tests of which patterns of a policy match: bits of `roles` or of `kinds`, computed once for all rows. */
import { type Code, type Name, comment, digits, js, newName, terms } from "./code.ts";
import { type Times, sum } from "./times.ts";

/** What rows ask of the patterns that match. */
export interface PatternBits {
  /** The parameter that says which do. */
  readonly parameter: Code;
  /** Code that is true when one of these matches; undefined where one of them is `*`, which always does. */
  readonly anyOf: (indexes: readonly number[]) => Code | undefined;
  /** How many of these match where one does. */
  readonly countOf: (indexes: readonly number[]) => Times;
  /** What was declared on the way: the bits by their names. */
  readonly declarations: readonly Code[];
}

/** Bits of one number, or of one word where there are more patterns than a word has (`Matched` in runtime/decide/unit.ts). */
const bitsOfWord = 31;

/** Opens the bits of one policy's patterns. */
export function openPatternBits(subject: "roles" | "kinds", patterns: readonly string[], scope: string): PatternBits {
  const parameter = subject === "roles" ? js`roles` : js`kinds`;
  const isOneWord = patterns.length <= bitsOfWord;
  const names = new Map<string, Name>();
  const declarations: Code[] = [];

  /** The mask of patterns of one word, by a name that people know them by. */
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
  /** For each word with one of these patterns, code that is what matches of them. */
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

/** Beyond so many patterns a mask is called by the first. */
const named = 3;

/** What nobody can take for more than one word of the legend. */
const isPlain = (pattern: string): boolean => /^[\w.:@/*-]+$/.test(pattern);

/** Says which bit is which pattern. */
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
