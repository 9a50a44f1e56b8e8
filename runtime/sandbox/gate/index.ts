/** The grammar gate: admits only programs that the emitter can have written, and says why others are refused. */
import type { PolicyQuestions } from "./question-use.ts";
import { maxCharacters } from "./bounds.ts";
import { factory } from "./declaration.ts";
import { inScope, openNames } from "./names.ts";
import type { Prices } from "../../decide/prices.ts";
import { type ConstantUse, openProgram, type Program } from "./program.ts";
import { isRefused, refusalAt } from "./refusal.ts";
import { value } from "./value.ts";
import { pricesOf } from "./cost.ts";

export type { ConstantUse } from "./program.ts";
export type { QuestionUse, PolicyQuestions } from "./question-use.ts";

/** Returns why a program is refused, with line and column; undefined if it is admitted. */
export function refusalOf(program: string): string | undefined {
  const read = readProgram(program);
  return typeof read === "string" ? read : undefined;
}

/**
 * What the gate found out: requirements on the constants in order, questions of the policies, and the costs of
 * running the program.
 */
export interface ReadProgram {
  readonly uses: readonly ConstantUse[];
  /** The questions of each policy, and where they are used. */
  readonly questions: readonly PolicyQuestions[];
  readonly prices: Prices;
}

/** Reads a program; returns a string with the reason if it is refused. */
export function readProgram(text: string): ReadProgram | string {
  if (text.length > maxCharacters) return `it has ${text.length} characters, and the program of a unit may have ${maxCharacters} at most`;
  let program: Program | undefined;
  try {
    program = openProgram(text, openNames(), value);
    inScope(program, "function", factory);
    return { uses: program.uses, questions: program.questions, prices: pricesOf(program, text.length) };
  } catch (thrown) {
    if (isRefused(thrown)) return thrown.refused;
    // The stack of a process can end before `maxDepth`, though never before what the emitter writes.
    if (thrown instanceof RangeError && program !== undefined)
      return refusalAt(text, program.reading.start, "more things within each other than there is room to read");
    throw thrown;
  }
}
