/** Readings of a place without transactions, repeated until nobody has changed anything meanwhile: otherwise what was read first may be older than what was read last, a mix that was never there. */
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Changes } from "./store.ts";

/** How often is read again; whoever never stops changing files is not waited for. */
const mostAttempts = 5;
const pauseMilliseconds = 10;

/** Returns how to read until what was read is of one moment. `stirs` counts everything that was seen to happen. */
export function steadily(read: (thorough: boolean) => Promise<Changes>, stirs: () => number): (thorough: boolean) => Promise<Changes> {
  /** What was read and never told, because the place could not be read again: it may be a mix, and it is not read a second time. */
  let held: Changes | undefined;
  return async (thorough) => {
    for (let attempt = 1; ; attempt++) {
      const before = stirs();
      const more = await read(thorough);
      const changes: Changes = held === undefined ? more : joined(held, more);
      held = changes;
      const isNothing =
        changes.changed.length + changes.removed.length + changes.changedSchemas.length + changes.removedSchemas.length === 0;
      // What happened before the last file was read is told by the system by now, and taken up in the next turn of the event loop.
      if (!isNothing) for (let turn = 0; turn < 2; turn++) await setImmediate();
      if (isNothing || stirs() === before || attempt === mostAttempts) {
        held = undefined;
        return changes;
      }
      await setTimeout(pauseMilliseconds);
    }
  };
}

/** Two readings, one after the other, as one. */
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
