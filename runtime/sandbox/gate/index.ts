/** The grammar gate: says why a text is no program that the emitter can have written. */
import { mostCharacters } from "./bounds.ts";
import { factory } from "./declaration.ts";
import { inScope, openNames } from "./names.ts";
import { openProgram } from "./program.ts";
import { isRefused } from "./refusal.ts";
import { value } from "./value.ts";

/** Says why a program is refused, with line and column; nothing where the emitter can have written it. */
export function refusalOf(program: string): string | undefined {
  if (program.length > mostCharacters)
    return `it has ${program.length} characters, and the program of a unit may have ${mostCharacters} at most`;
  try {
    inScope(openProgram(program, openNames(), value), "function", factory);
    return undefined;
  } catch (thrown) {
    if (isRefused(thrown)) return thrown.refused;
    // Whoever calls from deep down has less of a stack left than the bound on depth supposes.
    if (thrown instanceof RangeError) return "it has more within each other than there is room to read";
    throw thrown;
  }
}
