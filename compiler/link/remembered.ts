/** Links a document, or returns the cached result if nothing it depends on has changed. */
import { withReport, type Linker } from "./linker.ts";
import type { Memory } from "./memory.ts";

/**
 * Returns the cached result if `from` lists the same objects as before and the earlier linking reported nothing;
 * otherwise links.
 */
export function remembered<D extends object, T>(
  memory: Memory<D, T>,
  document: D,
  from: readonly unknown[],
  linker: Linker,
  make: (linker: Linker) => T,
): T {
  const before = memory.get(document);
  if (before !== undefined && before.from.length === from.length && before.from.every((each, index) => each === from[index]))
    return before.linked;
  let isClean = true;
  const linked = make(
    withReport(linker, (diagnostic) => {
      isClean = false;
      linker.report(diagnostic);
    }),
  );
  // slice() drops the spare capacity of a list that grew.
  if (isClean) memory.set(document, { from: from.slice(), linked });
  return linked;
}
