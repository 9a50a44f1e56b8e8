/**
 * Matches glob patterns with more than one `*` (semantics 4.2): a nondeterministic automaton, linear in the string,
 * without backtracking or RegExp.
 */

/**
 * Compiles a pattern and returns its matcher. `*` and `?` do not match the separator. An invalid pattern matches
 * nothing.
 */
export function openGlobMachine(pattern: string, separator: string): (text: string) => boolean {
  const steps = read(pattern, (character) => character !== separator);
  return steps === undefined ? () => false : (text) => run(steps, text);
}

/** The deepest nesting of braces; deeper patterns are invalid, so that parsing needs a bounded stack. */
const deepest = 100;

type Step =
  /** Consumes one accepted character. */
  | { readonly kind: "one"; readonly accepts: (character: string) => boolean }
  /** Consumes any number of accepted characters. */
  | { readonly kind: "run"; readonly accepts: (character: string) => boolean }
  /** Continues at each of these steps. */
  | { readonly kind: "fork"; readonly to: readonly number[] };

const anything = (): boolean => true;

/** Simulates the automaton: each step is entered at most once for each character of the string. */
function run(steps: readonly Step[], text: string): boolean {
  // For each step, the number of characters read when it was last entered.
  const reached = new Int32Array(steps.length + 1).fill(-1);
  let read = 0;
  let places: number[] = [];
  reach(steps, 0, reached, read, places);
  for (const character of text) {
    if (places.length === 0) return false;
    read++;
    const next: number[] = [];
    for (const place of places) {
      const step = steps[place];
      if (step === undefined || step.kind === "fork" || !step.accepts(character)) continue;
      reach(steps, step.kind === "run" ? place : place + 1, reached, read, next);
    }
    places = next;
  }
  return reached[steps.length] === read;
}

/** Adds a step and all that follow from it without consuming a character. */
function reach(steps: readonly Step[], from: number, reached: Int32Array, read: number, places: number[]): void {
  if (reached[from] === read) return;
  const open = [from];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (reached[place] === read) continue;
    reached[place] = read;
    places.push(place);
    const step = steps[place];
    if (step?.kind === "run") open.push(place + 1);
    else if (step?.kind === "fork") for (const to of step.to) open.push(to);
  }
}

/** Compiles a pattern into steps; undefined if it contains an invalid class. */
function read(pattern: string, notSeparator: (character: string) => boolean): readonly Step[] | undefined {
  const characters = Array.from(pattern);
  const steps: Step[] = [];
  let at = 0;

  const readSequence = (nested: boolean): boolean => {
    for (; at < characters.length; at++) {
      const character = characters[at] ?? "";
      if (nested && (character === "," || character === "}")) return true;
      if (character === "*") {
        if (characters[at + 1] === "*") {
          at++;
          steps.push({ kind: "run", accepts: anything });
        } else steps.push({ kind: "run", accepts: notSeparator });
      } else if (character === "?") steps.push({ kind: "one", accepts: notSeparator });
      else if (character === "[") {
        const read = readClass(characters, at + 1);
        if (read === undefined) return false;
        steps.push({ kind: "one", accepts: read.accepts });
        at = read.end;
      } else if (character === "{") {
        at++;
        if (!readAlternatives()) return false;
      } else if (character === "\\") {
        at++;
        const escaped = characters[at];
        if (escaped !== undefined) steps.push(exactly(escaped));
      } else steps.push(exactly(character));
    }
    return true;
  };

  // `{a,b}` compiles to a fork to the start of each alternative, each ending with a fork to the common end. An
  // unterminated `{a` ends at the end of the pattern.
  let depth = 0;
  const readAlternatives = (): boolean => {
    if (++depth > deepest) return false;
    const fork = steps.push({ kind: "fork", to: [] }) - 1;
    const starts: number[] = [];
    const ends: number[] = [];
    for (;;) {
      starts.push(steps.length);
      if (!readSequence(true)) return false;
      ends.push(steps.push({ kind: "fork", to: [] }) - 1);
      if (characters[at] !== ",") break;
      at++;
    }
    steps[fork] = { kind: "fork", to: starts };
    for (const end of ends) steps[end] = { kind: "fork", to: [steps.length] };
    depth--;
    return true;
  };

  return readSequence(false) ? steps : undefined;
}

const exactly = (expected: string): Step => ({ kind: "one", accepts: (character) => character === expected });

/**
 * Parses `a-z]` or `abc]`, optionally after `!`; `end` is the position of `]`. A class is either one range or a list
 * of characters.
 */
function readClass(characters: readonly string[], start: number): { accepts: (character: string) => boolean; end: number } | undefined {
  let at = start;
  const negated = characters[at] === "!";
  if (negated) at++;
  const low = characters[at];
  if (low === undefined) return undefined;
  if (characters[at + 1] === "-") {
    const high = characters[at + 2];
    if (high === undefined || characters[at + 3] !== "]" || codePoint(high) < codePoint(low)) return undefined;
    const within = (character: string): boolean => codePoint(low) <= codePoint(character) && codePoint(character) <= codePoint(high);
    return { accepts: (character) => within(character) !== negated, end: at + 3 };
  }
  const members = new Set<string>();
  for (; at < characters.length && characters[at] !== "]"; at++) {
    if (characters[at] === "\\") at++;
    const member = characters[at];
    if (member !== undefined) members.add(member);
  }
  if (at >= characters.length || members.size === 0) return undefined;
  return { accepts: (character) => members.has(character) !== negated, end: at };
}

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;
