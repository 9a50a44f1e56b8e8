/** The grammar gate: says why a text is no program that the emitter can have written. */
import { mostCharacters } from "./bounds.ts";
import { factory } from "./declaration.ts";
import { inScope, openNames } from "./names.ts";
import { type ConstantUse, openProgram } from "./program.ts";
import { isRefused } from "./refusal.ts";
import { value } from "./value.ts";

export type { ConstantUse } from "./program.ts";

/** Says why a program is refused, with line and column; nothing where the emitter can have written it. */
export function refusalOf(program: string): string | undefined {
  const read = readProgram(program);
  return typeof read === "string" ? read : undefined;
}

/** Answers what the constants of a program must be, one after the other; or, as a text, why it is refused. */
export function readProgram(text: string): readonly ConstantUse[] | string {
  if (text.length > mostCharacters) return `it has ${text.length} characters, and the program of a unit may have ${mostCharacters} at most`;
  try {
    const program = openProgram(text, openNames(), value);
    inScope(program, "function", factory);
    return program.uses;
  } catch (thrown) {
    if (isRefused(thrown)) return thrown.refused;
    // Whoever calls from deep down has less of a stack left than the bound on depth supposes.
    if (thrown instanceof RangeError) return "it has more within each other than there is room to read";
    throw thrown;
  }
}
