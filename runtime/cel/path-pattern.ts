/** Glob patterns for paths: `*` and `?` do not match a slash, `[a-z]` and `[^a-z]` match one character. */
import { evalError, type EvalError } from "./error.ts";
import { work } from "./work.ts";

/** A matcher of one character. */
type Character =
  | { readonly kind: "exact"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [from: number, to: number])[] };

/** The matchers between two stars. */
type Chunk = readonly Character[];

const badPattern = (pattern: string): EvalError => evalError("invalid argument", `bad pattern: ${pattern}`);

/**
 * Whether a pattern matches an entire path; an error for an invalid pattern. Each star matches as little as possible
 * without backtracking, so time is at most path length times pattern length.
 */
export const matchesPath = (pattern: string, text: string): boolean | EvalError => matchesCharacters(pattern, charactersOf(text));

/** Splits a path into characters (code points), once for several patterns. */
export function charactersOf(text: string): readonly string[] {
  work(1 + text.length);
  return Array.from(text);
}

/** `matchesPath` for a path already split into characters. */
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

/** Finds the first position of a chunk that the preceding star can reach without crossing a slash; -1 if none. */
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

/** Parses a pattern into chunks: before the first star, between stars, after the last. Undefined if invalid. */
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

/** Parses a class such as `^a-z0]`, after its `[`. It needs at least one member; `-` and `]` cannot be members. */
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
