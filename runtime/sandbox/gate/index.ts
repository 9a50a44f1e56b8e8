/** The grammar gate: says why a text is no program that the emitter can have written. */
import type { PolicyQuestions } from "./asks.ts";
import { mostCharacters } from "./bounds.ts";
import { factory } from "./declaration.ts";
import { inScope, openNames } from "./names.ts";
import type { Prices } from "../../decide/prices.ts";
import { type ConstantUse, openProgram } from "./program.ts";
import { isRefused } from "./refusal.ts";
import { value } from "./value.ts";
import { pricesOf } from "./weighed.ts";

export type { ConstantUse } from "./program.ts";
export type { AskedWhere, PolicyQuestions } from "./asks.ts";

/** Says why a program is refused, with line and column; nothing where the emitter can have written it. */
export function refusalOf(program: string): string | undefined {
  const read = readProgram(program);
  return typeof read === "string" ? read : undefined;
}

/** What was found out about a program: what its constants must be, one after the other, what its policies ask, and what running it costs. */
export interface ReadProgram {
  readonly uses: readonly ConstantUse[];
  /** Which of the unit's questions each policy asks, and where. */
  readonly questions: readonly PolicyQuestions[];
  readonly prices: Prices;
}

/** Reads a program; answers, as a text, why it is refused. */
export function readProgram(text: string): ReadProgram | string {
  if (text.length > mostCharacters) return `it has ${text.length} characters, and the program of a unit may have ${mostCharacters} at most`;
  try {
    const program = openProgram(text, openNames(), value);
    inScope(program, "function", factory);
    return { uses: program.uses, questions: program.questions, prices: pricesOf(program, text.length) };
  } catch (thrown) {
    if (isRefused(thrown)) return thrown.refused;
    // Whoever calls from deep down has less of a stack left than the bound on depth supposes.
    if (thrown instanceof RangeError) return "it has more within each other than there is room to read";
    throw thrown;
  }
}
