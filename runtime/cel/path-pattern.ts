/** Shell patterns over paths: `*` and `?` stop at a slash, `[a-z]` and `[^a-z]` are one character. */
import { evalError, type EvalError } from "./error.ts";
import { work } from "./work.ts";

/** What one character must be. */
type Character =
  | { readonly kind: "exact"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [from: number, to: number])[] };

/** What stands between two stars: so many characters, wherever they are found first. */
type Chunk = readonly Character[];

const badPattern = (pattern: string): EvalError => evalError("invalid argument", `bad pattern: ${pattern}`);

/** Says whether a pattern matches the whole of a text. Each star takes as little as it can and never gives back, so time is text times pattern at most. */
export const matchesPath = (pattern: string, text: string): boolean | EvalError => matchesCharacters(pattern, charactersOf(text));

/** The characters of a path: taken once, however many patterns are tried. */
export function charactersOf(text: string): readonly string[] {
  work(1 + text.length);
  return Array.from(text);
}

/** As `matchesPath`, of a text in characters. */
export function matchesCharacters(pattern: string, characters: readonly string[]): boolean | EvalError {
  const chunks = readPattern(pattern);
  if (chunks === undefined) return badPattern(pattern);
  const [head = [], ...rest] = chunks;
  const last = rest.pop();
  if (!fits(head, characters, 0)) return false;
  let at = head.length;
  if (last === undefined) return at === characters.length;
  for (const chunk of rest) {
    const found = findChunk(chunk, characters, at);
    if (found < 0) return false;
    at = found + chunk.length;
  }
  const end = characters.length - last.length;
  work(1 + (end - at) / 8);
  const slash = characters.indexOf("/", at);
  return end >= at && (slash < 0 || slash >= end) && fits(last, characters, end);
}

/** Where a chunk is found first behind what a star takes; -1 where it is not. */
function findChunk(chunk: Chunk, characters: readonly string[], from: number): number {
  for (let at = from; at + chunk.length <= characters.length; at += 1) {
    if (fits(chunk, characters, at)) return at;
    if (characters[at] === "/") return -1;
  }
  return -1;
}

function fits(chunk: Chunk, characters: readonly string[], at: number): boolean {
  work(1 + chunk.length / 2);
  return at + chunk.length <= characters.length && chunk.every((each, i) => isOne(each, characters[at + i] ?? ""));
}

function isOne(wanted: Character, character: string): boolean {
  switch (wanted.kind) {
    case "exact":
      return character === wanted.character;
    case "any":
      return character !== "/";
    case "class": {
      const code = character.codePointAt(0) ?? 0;
      return wanted.ranges.some(([from, to]) => from <= code && code <= to) !== wanted.negated;
    }
  }
}

/** Reads a pattern: what stands before the first star, between stars, and behind the last one. */
function readPattern(pattern: string): Chunk[] | undefined {
  work(1 + 4 * pattern.length);
  const characters = Array.from(pattern);
  const chunks: Character[][] = [[]];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? "";
    if (character === "*") chunks.push([]);
    else if (character === "?") chunks.at(-1)?.push({ kind: "any" });
    else if (character !== "[") chunks.at(-1)?.push({ kind: "exact", character });
    else {
      const close = readClass(characters, i + 1);
      if (close === undefined) return undefined;
      chunks.at(-1)?.push(close.read);
      i = close.end;
    }
  }
  return chunks;
}

/** Reads `^a-z0]`. A class has a member; `-` and `]` are never one. */
function readClass(characters: readonly string[], start: number): { readonly read: Character; readonly end: number } | undefined {
  const negated = characters[start] === "^";
  const ranges: (readonly [number, number])[] = [];
  let at = start + (negated ? 1 : 0);
  while (characters[at] !== "]" || ranges.length === 0) {
    const isRange = characters[at + 1] === "-";
    const [from, to] = [memberOf(characters[at]), memberOf(characters[at + (isRange ? 2 : 0)])];
    if (from === undefined || to === undefined) return undefined;
    ranges.push([from, to]);
    at += isRange ? 3 : 1;
  }
  return { read: { kind: "class", negated, ranges }, end: at };
}

const memberOf = (character: string | undefined): number | undefined =>
  character === undefined || character === "-" || character === "]" ? undefined : character.codePointAt(0);
