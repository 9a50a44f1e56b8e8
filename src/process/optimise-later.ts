/** Delays V8's optimising compiler: a process that ends soon, or runs much code once, does not live to see the gain. */
import { setFlagsFromString } from "node:v8";

/** V8's interrupt budget, in bytes of bytecode executed before a function is considered for optimisation; `usual` is V8's default. */
const interruptBudgets = { usual: 67_584, later: 600_000 } as const;

/**
 * Makes V8 wait about nine times as long before it optimises a function, in the whole process, until the returned function is called.
 * Compiling policies and running their tests executes much code a few times each: a third of the processor time was spent on optimising
 * it, in parallel threads, without finishing sooner (`npm run bench -- suites`). A long run is optimised all the same.
 */
export function optimiseLater(): () => void {
  // V8 would print a warning for an unknown flag.
  if (Number.parseInt(process.versions.node, 10) > 20) return () => undefined;
  const waitFor = (budget: number): void => setFlagsFromString(`--interrupt-budget=${budget}`);
  waitFor(interruptBudgets.later);
  return () => waitFor(interruptBudgets.usual);
}
