/** Translates a parsed pattern into the steps of a nondeterministic automaton (Thompson's construction). */
import { type Alphabet, alphabetOf, type Ranges } from "./ranges.ts";
import type { Pattern } from "./syntax.ts";

/** A step of a program; `next` are places in its list of steps. */
export type Step =
  /** Consumes a character if its letter is marked. */
  | { readonly kind: "one"; readonly letters: Uint8Array; readonly next: number }
  /** Goes on everywhere, at the start of the text only, at its end only. */
  | { readonly kind: "fork" | "start" | "end"; readonly next: readonly number[] }
  | { readonly kind: "match" };

/** The steps of a pattern, and the first of them. */
export interface Program {
  readonly alphabet: Alphabet;
  readonly steps: readonly Step[];
  readonly first: number;
}

const mostSteps = 500;

/** Undefined if the program would be large: counted repetitions multiply steps. */
export function programOf(pattern: Pattern): Program | undefined {
  if (stepsOf(pattern) >= mostSteps) return undefined;
  const sets: Ranges[] = [];
  collectSets(pattern, sets);
  const alphabet = alphabetOf(sets);
  if (alphabet === undefined) return undefined;
  const steps: Step[] = [{ kind: "match" }];
  const first = addSteps(pattern, 0, { alphabet, steps, letters: new Map() });
  return { alphabet, steps, first };
}

/** How many steps a pattern takes, at most. */
function stepsOf(pattern: Pattern): number {
  switch (pattern.kind) {
    case "one":
    case "start":
    case "end":
      return 1;
    case "sequence":
    case "choice":
      return pattern.of.reduce((sum, part) => sum + stepsOf(part), 1);
    case "repeat": {
      const { what, least, most } = pattern;
      return (1 + stepsOf(what)) * Math.max(1, most === Infinity ? least + 1 : most);
    }
  }
}

function collectSets(pattern: Pattern, sets: Ranges[]): void {
  if (pattern.kind === "one") sets.push(pattern.ranges);
  else if (pattern.kind === "repeat") collectSets(pattern.what, sets);
  else if ("of" in pattern) for (const part of pattern.of) collectSets(part, sets);
}

interface Building {
  readonly alphabet: Alphabet;
  readonly steps: Step[];
  /** The letters of each set; repetitions share them. */
  readonly letters: Map<Ranges, Uint8Array>;
}

/** Adds the steps of a pattern, of which the last leads to `next`; returns the first. */
function addSteps(pattern: Pattern, next: number, building: Building): number {
  const { steps } = building;
  switch (pattern.kind) {
    case "one":
      return steps.push({ kind: "one", letters: lettersOf(pattern.ranges, building), next }) - 1;
    case "start":
    case "end":
      return steps.push({ kind: pattern.kind, next: [next] }) - 1;
    case "sequence":
      return pattern.of.reduceRight((after, part) => addSteps(part, after, building), next);
    case "choice":
      return steps.push({ kind: "fork", next: pattern.of.map((branch) => addSteps(branch, next, building)) }) - 1;
    case "repeat": {
      const { what, least, most } = pattern;
      let first = next;
      if (most === Infinity) {
        const loop: number[] = [next];
        first = steps.push({ kind: "fork", next: loop }) - 1;
        loop.push(addSteps(what, first, building));
      } else {
        for (let more = least; more < most; more++) first = steps.push({ kind: "fork", next: [next, addSteps(what, first, building)] }) - 1;
      }
      for (let once = 0; once < least; once++) first = addSteps(what, first, building);
      return first;
    }
  }
}

/** Marks the letters of a set. */
function lettersOf(ranges: Ranges, { alphabet: { size, letterOf }, letters }: Building): Uint8Array {
  const known = letters.get(ranges);
  if (known !== undefined) return known;
  const marked = new Uint8Array(size);
  for (const [low, high] of ranges) marked.fill(1, letterOf(low), letterOf(high) + 1);
  letters.set(ranges, marked);
  return marked;
}
