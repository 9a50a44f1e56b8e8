/** Two lists of files, in whatever order -> those that went and those that came; a file that changed is both. */
import type { Source } from "../source.ts";

/** What is different. Each is there once. */
export interface SourceChanges {
  readonly gone: readonly Source[];
  readonly come: readonly Source[];
}

/** Compares lists; a file that did not change is the same object. Undefined where one is listed twice. */
export function sourceChanges(before: readonly Source[], now: readonly Source[]): SourceChanges | undefined {
  const gone = new Set<Source>();
  const come = new Set<Source>();
  for (let index = 0; index < Math.max(before.length, now.length); index++) {
    const [was, is] = [before[index], now[index]];
    if (was === is) continue;
    if (was !== undefined) gone.add(was);
    if (is !== undefined) come.add(is);
  }
  // Some only stand elsewhere.
  for (const source of come) if (gone.delete(source)) come.delete(source);
  return now.length === before.length - gone.size + come.size ? { gone: [...gone], come: [...come] } : undefined;
}
