/** Tests texts against a pattern in one step a character, with a deterministic automaton that is made as texts need it. */
import { type Program, programOf } from "./program.ts";
import { readPattern } from "./syntax.ts";

/** Opens the automaton of a valid pattern; undefined if it uses syntax or has a size that only a full engine handles. */
export function openAutomaton(pattern: string): Automaton | undefined {
  const parsed = readPattern(pattern);
  const program = parsed && programOf(parsed);
  return program && new Automaton(program);
}

// States are numbered from `firstState`. The smaller numbers stand in the table where a text need not be read on, so
// that one comparison finds all of them.
const unknown = 0;
const rejected = 1;
const accepted = 2;
const firstState = 3;

/** Bounds what one automaton keeps: entries of its table, and steps of its states. Usual patterns need some hundred. */
const maxKept = 8192;

/** A pattern's automaton. Its states are kept from text to text: they change speed, never results. */
export class Automaton {
  private readonly program: Program;
  /** The state after each state and letter. */
  private table: Uint16Array;
  /** The steps that each state stands for, and whether a text may end in it. */
  private readonly states: (readonly number[])[] = [[], [], []];
  private readonly mayEnd: boolean[] = [false, false, true];
  private readonly numbers = new Map<string, number>();
  private kept = 0;
  /** The state before the first character: the only one in which `^` holds. */
  private readonly start: number;

  constructor(program: Program) {
    this.program = program;
    this.table = new Uint16Array(16 * program.alphabet.size);
    const { first } = program;
    const steps = this.reach([first], { atStart: true, atEnd: false });
    this.start = this.isMatch(steps) ? accepted : this.addState(steps, this.isMatch(this.reach([first], { atStart: true, atEnd: true })));
  }

  /** Whether the pattern matches anywhere in a text. Undefined if that takes more states than are kept. */
  test(text: string): boolean | undefined {
    const { size, ascii, letterOf } = this.program.alphabet;
    let { start: state, table } = this;
    if (state < firstState) return state === accepted;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      let letter: number;
      if (unit < 128) letter = ascii[unit] ?? 0;
      else {
        const point = text.codePointAt(at) ?? 0;
        if (point > 0xffff) at++;
        letter = letterOf(point);
      }
      let next = table[state * size + letter] ?? unknown;
      if (next < firstState) {
        if (next === unknown) {
          next = this.follow(state, letter);
          ({ table } = this);
        }
        if (next < firstState) return next === unknown ? undefined : next === accepted;
      }
      state = next;
    }
    return this.mayEnd[state] === true;
  }

  /** Makes the state after a state and a letter; `unknown` if there is no room. */
  private follow(state: number, letter: number): number {
    const { alphabet, steps, first } = this.program;
    // A match may begin at each character.
    const seeds = [first];
    for (const at of this.states[state] ?? []) {
      const step = steps[at];
      if (step?.kind === "one" && step.letters[letter] === 1) seeds.push(step.next);
    }
    const next = this.numberOf(this.reach(seeds, { atStart: false, atEnd: false }));
    this.table[state * alphabet.size + letter] = next;
    return next;
  }

  private numberOf(reached: readonly number[]): number {
    if (reached.length === 0) return rejected;
    if (this.isMatch(reached)) return accepted;
    const key = reached.join(" ");
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.kept += this.program.alphabet.size + reached.length;
    if (this.kept > maxKept) return unknown;
    const entries = (this.states.length + 1) * this.program.alphabet.size;
    if (entries > this.table.length) {
      const larger = new Uint16Array(2 * entries);
      larger.set(this.table);
      this.table = larger;
    }
    const number = this.addState(reached, this.isMatch(this.reach(reached, { atStart: false, atEnd: true })));
    this.numbers.set(key, number);
    return number;
  }

  private addState(steps: readonly number[], mayEnd: boolean): number {
    this.mayEnd.push(mayEnd);
    return this.states.push(steps) - 1;
  }

  /** The steps that can be reached without a character, in order: those that consume one, wait for the end, or match. */
  private reach(seeds: readonly number[], { atStart, atEnd }: { readonly atStart: boolean; readonly atEnd: boolean }): readonly number[] {
    const { steps } = this.program;
    const found = new Set<number>();
    const open = Array.from(seeds);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const step = steps[at];
      if (step === undefined || found.has(at)) continue;
      found.add(at);
      if (step.kind === "fork" || (step.kind === "start" && atStart) || (step.kind === "end" && atEnd)) open.push(...step.next);
    }
    const isPassed = (at: number): boolean => steps[at]?.kind === "fork" || steps[at]?.kind === "start";
    return Array.from(found)
      .filter((at) => !isPassed(at))
      .toSorted((left, right) => left - right);
  }

  private isMatch(reached: readonly number[]): boolean {
    return reached.some((at) => this.program.steps[at]?.kind === "match");
  }
}
