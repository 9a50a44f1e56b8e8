/** Links a document, or returns the cached result where nothing that it was made from has changed. */
import { withReport, type Linker } from "./linker.ts";
import type { Memory } from "./memory.ts";

/** Links a document, unless that was done before, `from` the same documents and sets, and nothing was wrong. */
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
  // A copy: a list that grew keeps room for more.
  if (isClean) memory.set(document, { from: from.slice(), linked });
  return linked;
}
