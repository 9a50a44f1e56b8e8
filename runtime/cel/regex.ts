/** RE2 patterns, matched in linear time: the one place that knows which port does it. */
import { RE2JS } from "re2js";
import { EvalError, evalError } from "./error.ts";
import { readPlain, type Plain } from "./plain-pattern.ts";
import { work } from "./work.ts";

const longestPattern = 4096;
/** Instructions of one compiled pattern: counted repetitions multiply. */
const largestProgram = 20_000;
/** Instructions times characters: about a second of the slowest kind of matching. */
const mostWork = 2 ** 27;
/** What a pattern can come to at most when its repetitions are counted without reading it: more is not even compiled. */
const largestGuess = 4_000_000;
/** Instructions of all patterns kept together. */
const mostKept = 400_000;
/** Bytes that the states of one pattern come to at most, and those of all that are remembered. */
const mostOfOne = 8_388_608;
const mostOfAll = 16 * mostOfOne;

interface Pattern {
  readonly compiled: RE2JS;
  readonly size: number;
  /** How to decide without the machine whether the pattern is found. */
  readonly plain: Plain | undefined;
  /** Bytes that its states may have come to: every character of a text may make one. */
  states: number;
}

// A cache only: it changes how fast an answer comes, never which.
const kept = new Map<string, Pattern | EvalError>();
let keptSize = 0;
let states = 0;

function patternOf(text: string): Pattern | EvalError {
  const found = kept.get(text);
  if (found !== undefined) return found;
  const made = compile(text);
  // Where it was not the pattern but the stack that had no room, nothing is known of the pattern.
  if (made === noRoom) return made;
  const size = made instanceof EvalError ? 1000 : 1000 + made.size;
  if (keptSize + size > mostKept) {
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
    const compiled = RE2JS.compile(withoutNames(text));
    const size = compiled.programSize();
    return size > largestProgram ? evalError("out of range", "pattern too large") : { compiled, size, plain: readPlain(text), states: 0 };
  } catch (error) {
    if (error instanceof RangeError) return noRoom;
    return evalError("invalid argument", error instanceof Error ? error.message : "bad pattern");
  }
}

// Quoted text, an escape, a class, or what opens a named group: the first three may hold what looks like the last.
const named = /\\Q[^]*?(?:\\E|$)|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?[a-z]+:\]|[^\]\\])*\]|\(\?P?<\w+>/g;

/** Go lets two groups have one name, the port does not; nothing asks for a group by its name. */
function withoutNames(pattern: string): string {
  const names = pattern.match(/\(\?P?<\w+>/g) ?? [];
  return names.length < 2 ? pattern : pattern.replace(named, (part) => (part.startsWith("(?") ? "(" : part));
}

/** Each counted repetition repeats at most what stands before it. */
function guessSize(text: string): number {
  let size = text.length;
  for (const { 0: whole, index } of text.matchAll(/\{[0-9]+(?:,[0-9]*)?\}/g)) {
    size += index * Math.max(...(whole.match(/[0-9]+/g) ?? []).map(Number));
  }
  return size;
}

/** Says whether a pattern is found anywhere in a text. */
export function matchesPattern(text: string, pattern: string): boolean | EvalError {
  const known = patternOf(pattern);
  if (known instanceof EvalError) return known;
  if (known.plain !== undefined) return known.plain(text);
  const found = readyFor(text, pattern);
  if (found instanceof EvalError) return found;
  remember(found, text.length);
  return found.compiled.test(text);
}

/** Keeps an account of what the machines remember, so that texts made to fill memory do not. */
function remember(pattern: Pattern, length: number): void {
  const more = Math.min(mostOfOne - pattern.states, length * (128 + 16 * pattern.size));
  pattern.states += more;
  states += more;
  if (states <= mostOfAll) return;
  forget();
}

/** One place where a pattern was found: offsets, and the text of each group (the whole first; undefined where it took no part). */
export interface Found {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

const priceOfPlace = 256;

/** Lists the places where a pattern is found, from left to right, `most` of them at most. */
export function findAll(text: string, pattern: string, most: number): readonly Found[] | EvalError {
  const ready = readyFor(text, pattern);
  if (ready instanceof EvalError) return ready;
  const matcher = ready.compiled.matcher(text);
  const found: Found[] = [];
  let end = -1;
  while (found.length < most && matcher.find()) {
    // Each search may read on to the end of the text before it knows what it has found.
    work(priceOfPlace + (ready.size * (text.length - matcher.start())) / 4);
    // Nothing found right behind something found is the end of that, not a place of its own.
    if (matcher.start() === matcher.end() && matcher.start() === end) continue;
    end = matcher.end();
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
    found.push({ start: matcher.start(), end, groups });
  }
  return found;
}

/** Counts the groups of a pattern. */
export function groupCount(pattern: string): number | EvalError {
  const found = patternOf(pattern);
  return found instanceof EvalError ? found : found.compiled.groupCount();
}

function readyFor(text: string, pattern: string): Pattern | EvalError {
  const found = patternOf(pattern);
  if (found instanceof EvalError) return found;
  if (found.size * text.length <= mostWork) {
    work(1 + (found.size * text.length) / 2);
    return found;
  }
  return evalError("out of range", "text too long for this pattern");
}
