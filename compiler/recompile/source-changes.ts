/** Compares two lists of sources: which were removed and which added. A changed one is both. The order does not matter. */
import type { Source } from "../source.ts";

/** The differences, without duplicates. */
export interface SourceChanges {
  readonly removed: readonly Source[];
  readonly added: readonly Source[];
}

/** Compares two lists by identity: an unchanged source is the same object. Undefined if one is listed twice. */
export function sourceChanges(before: readonly Source[], now: readonly Source[]): SourceChanges | undefined {
  const removed = new Set<Source>();
  const added = new Set<Source>();
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [was, is] = [before[index], now[index]];
    if (was === is) continue;
    if (was !== undefined) removed.add(was);
    if (is !== undefined) added.add(is);
  }
  // These only moved within the list.
  for (const source of added) if (removed.delete(source)) added.delete(source);
  return now.length === before.length - removed.size + added.size ? { removed: [...removed], added: [...added] } : undefined;
}
