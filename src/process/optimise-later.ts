/** Delays V8's optimising compiler: a process that ends soon, or runs much code once, does not live to see the gain. */
import { setFlagsFromString } from "node:v8";

/** In bytes of code that were run; the first is V8's own. */
const interruptBudgets = { usual: 67_584, later: 600_000 } as const;

/**
 * Makes the engine wait about nine times as long before it optimises a function, in this whole process, until what is
 * returned is called. Compiling policies and running their tests runs much code a few times each: a third of the processor
 * time went into optimising it, on threads beside the one that works, and nothing was ready sooner (`npm run bench -- suites`).
 * A run that lasts is optimised all the same.
 */
export function optimiseLater(): () => void {
  // An engine that does not know the word would complain to whoever started the command.
  if (Number.parseInt(process.versions.node, 10) > 20) return () => undefined;
  const waitFor = (budget: number): void => setFlagsFromString(`--interrupt-budget=${budget}`);
  waitFor(interruptBudgets.later);
  return () => waitFor(interruptBudgets.usual);
}
