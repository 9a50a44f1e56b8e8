/**
 * Repeats a reading of a place without transactions until nothing changed during it: otherwise the result could mix files of different
 * moments.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Changes } from "./store.ts";

/** The most attempts, because files may never stop changing. */
const maxAttempts = 5;
const pauseMilliseconds = 10;

/** Returns a function that reads until the result is consistent. `eventCount` counts all change notifications. */
export function readConsistently(
  read: (thorough: boolean) => Promise<Changes>,
  eventCount: () => number,
): (thorough: boolean) => Promise<Changes> {
  /** The changes of an attempt after which reading failed. They must not get lost, because they will not be read again. */
  let held: Changes | undefined;
  return async (thorough) => {
    for (let attempt = 1; ; attempt++) {
      const before = eventCount();
      const more = await read(thorough);
      const changes: Changes = held === undefined ? more : joined(held, more);
      held = changes;
      const isNothing =
        changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length === 0;
      // Notifications of changes before the last file was read are pending in the system by now, and arrive within the next turns of
      // the event loop.
      if (!isNothing) for (let turn = 0; turn < 2; turn++) await setImmediate();
      if (isNothing || eventCount() === before || attempt === maxAttempts) {
        held = undefined;
        return changes;
      }
      await setTimeout(pauseMilliseconds);
    }
  };
}

/** Combines the changes of two successive readings. */
function joined(first: Changes, then: Changes): Changes {
  const [changed, removed] = joinedPaths(first.changed, first.removed, then.changed, then.removed);
  const [changedSchemas, removedSchemas] = joinedPaths(
    first.changedSchemas,
    first.removedSchemas,
    then.changedSchemas,
    then.removedSchemas,
  );
  return { changed, removed, changedSchemas, removedSchemas, unreadable: then.unreadable };
}

type Sources = Changes["changed"];

function joinedPaths(
  changed: Sources,
  removed: readonly string[],
  changedThen: Sources,
  removedThen: readonly string[],
): readonly [changed: Sources, removed: readonly string[]] {
  const now = new Map([...changed, ...changedThen].map((source) => [source.path, source]));
  for (const path of removedThen) now.delete(path);
  const gone = [...removed, ...removedThen].filter((path) => !now.has(path));
  return [[...now.values()], [...new Set(gone)]];
}
