/** Links a document, or returns the cached result if nothing it depends on has changed. */
import { withReport, type Linker } from "./linker.ts";
import type { CachedResults } from "./cache.ts";

/**
 * Returns the cached result if `from` lists the same objects as before and the earlier linking reported nothing;
 * otherwise links.
 */
export function linkCached<D extends object, T>(
  cache: CachedResults<D, T>,
  document: D,
  from: readonly unknown[],
  linker: Linker,
  make: (linker: Linker) => T,
): T {
  const before = cache.get(document);
  if (
    before !== undefined &&
    before.dependencies.length === from.length &&
    before.dependencies.every((each, index) => each === from[index])
  )
    return before.result;
  let isClean = true;
  const linked = make(
    withReport(linker, (diagnostic) => {
      isClean = false;
      linker.report(diagnostic);
    }),
  );
  // slice() drops the spare capacity of a list that grew.
  if (isClean) cache.set(document, { dependencies: from.slice(), result: linked });
  return linked;
}
