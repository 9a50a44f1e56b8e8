/** RE2 patterns, matched in linear time. The only file that depends on the RE2 port. */
import { RE2JS } from "re2js";
import { EvalError, evalError } from "./error.ts";
import { type Automaton, openAutomaton } from "./pattern/automaton.ts";
import { withKnownClasses } from "./pattern/class-names.ts";
import { readPlain, type Plain } from "./plain-pattern.ts";
import { work } from "./work.ts";

// UTF-16 units of a pattern.
const longestPattern = 4096;
/** Most instructions of one compiled pattern; counted repetitions multiply them. */
const largestProgram = 20_000;
/** Bound of instructions times UTF-16 units: about a second with the slowest matching strategy. */
const maxWork = 2 ** 27;
/** Bound of the estimated size before compilation (see `guessSize`); larger patterns are not compiled at all. */
const largestGuess = 4_000_000;
/** Bound of the instructions of all cached patterns. */
const maxKept = 400_000;
/** Bounds of the bytes that cached automaton states may take: for one pattern, and for all. */
const maxOfOne = 8_388_608;
const maxOfAll = 16 * maxOfOne;

interface Pattern {
  readonly compiled: RE2JS;
  readonly size: number;
  /** A test that decides without the regex engine, if the pattern allows one. */
  readonly plain: Plain | undefined;
  /** Decides in a tenth of the engine's time, for patterns of common syntax. */
  readonly automaton: Automaton | undefined;
  /** An upper estimate of the bytes of cached automaton states: each character matched may add one. */
  states: number;
}

// Only a cache: it changes speed, never results.
const kept = new Map<string, Pattern | EvalError>();
let keptSize = 0;
let states = 0;

function patternOf(text: string): Pattern | EvalError {
  const found = kept.get(text);
  if (found !== undefined) return found;
  const made = compile(text);
  // A stack overflow says nothing about the pattern, so do not cache it.
  if (made === noRoom) return made;
  const size = made instanceof EvalError ? 1000 : 1000 + made.size;
  if (keptSize + size > maxKept) {
    forget();
  }
  keptSize += size;
  kept.set(text, made);
  return made;
}

const noRoom = evalError("invalid argument", "no room to compile the pattern");

function forget(): void {
  kept.clear();
  keptSize = 0;
  states = 0;
}

function compile(text: string): Pattern | EvalError {
  if (text.length > longestPattern) return evalError("out of range", "pattern too long");
  const guess = guessSize(text);
  if (guess > largestGuess) return evalError("out of range", "pattern too large");
  work(100 * Math.min(guess, largestProgram));
  try {
    const compiled = RE2JS.compile(withoutNames(withKnownClasses(text)));
    const size = compiled.programSize();
    if (size > largestProgram) return evalError("out of range", "pattern too large");
    const plain = readPlain(text);
    return { compiled, size, plain, automaton: plain === undefined ? openAutomaton(text) : undefined, states: 0 };
  } catch (error) {
    if (error instanceof RangeError) return noRoom;
    return evalError("invalid argument", error instanceof Error ? error.message : "bad pattern");
  }
}

// A quoted part (\Q...\E), an escape, a class, or the opening of a named group. The first three are matched because
// they may contain what looks like the fourth.
const named = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?[a-z]+:\]|[^\]\\])*\]|\(\?P?<\w+>/g;

/**
 * Removes group names if there are several: Go allows two groups of one name, the port does not, and no function uses
 * the names.
 */
function withoutNames(pattern: string): string {
  const names = pattern.match(/\(\?P?<\w+>/g) ?? [];
  return names.length < 2 ? pattern : pattern.replace(named, (part) => (part.startsWith("(?") ? "(" : part));
}

/** An upper estimate of the program size: each counted repetition multiplies at most everything before it. */
function guessSize(text: string): number {
  let size = text.length;
  for (const { 0: whole, index } of text.matchAll(/\{[0-9]+(?:,[0-9]*)?\}/g)) {
    size += index * Math.max(...(whole.match(/[0-9]+/g) ?? []).map(Number));
  }
  return size;
}

/** Whether a pattern matches anywhere in a string; an error for an invalid or too large pattern. */
export function matchesPattern(text: string, pattern: string): boolean | EvalError {
  const known = patternOf(pattern);
  if (known instanceof EvalError) return known;
  if (known.plain !== undefined) return known.plain(text);
  const refused = payFor(known, text);
  if (refused !== undefined) return refused;
  const decided = known.automaton?.test(text);
  if (decided !== undefined) return decided;
  remember(known, text.length);
  return known.compiled.test(text);
}

/**
 * Bounds the memory for cached automaton states, because strings can be crafted to create many; clears the cache
 * above it.
 */
function remember(pattern: Pattern, length: number): void {
  const more = Math.min(maxOfOne - pattern.states, length * (128 + 16 * pattern.size));
  pattern.states += more;
  states += more;
  if (states <= maxOfAll) return;
  forget();
}

/**
 * One match: UTF-16 offsets, and the text of each group (group 0 is the match; undefined for groups that did not
 * participate).
 */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

const priceOfPlace = 256;

/** Lists up to `most` matches from left to right, without overlaps. */
export function findAll(text: string, pattern: string, most: number): readonly Found[] | EvalError {
  const ready = patternOf(pattern);
  if (ready instanceof EvalError) return ready;
  const refused = payFor(ready, text);
  if (refused !== undefined) return refused;
  const matcher = ready.compiled.matcher(text);
  const found: Found[] = [];
  let end = -1;
  while (found.length < most && matcher.find()) {
    // Each search may read to the end of the string before it decides.
    work(priceOfPlace + (ready.size * (text.length - matcher.start())) / 4);
    // As in Go, an empty match directly after another match does not count.
    if (matcher.start() === matcher.end() && matcher.start() === end) continue;
    end = matcher.end();
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    found.push({ start: matcher.start(), end, groups });
  }
  return found;
}

/** Returns the number of groups of a pattern. */
export function groupCount(pattern: string): number | EvalError {
  const found = patternOf(pattern);
  return found instanceof EvalError ? found : found.compiled.groupCount();
}

/** Takes the work of a search; an error if it is too much. */
function payFor({ size }: Pattern, text: string): EvalError | undefined {
  if (size * text.length > maxWork) return evalError("out of range", "text too long for this pattern");
  work(1 + (size * text.length) / 2);
  return undefined;
}
