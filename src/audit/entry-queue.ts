/** A queue of entries as JSON strings, for a destination that takes them one by one. */
import type { Batch } from "./destination.ts";
import type { Queue } from "./outbox.ts";
import type { Entry } from "./sink.ts";

/** Entries that are written together. */
export interface EntryBatch extends Batch {
  readonly entries: readonly Entry[];
}

/** The most characters of a batch. */
const maxBatchCharacters = 2 ** 20;

/** Opens an empty queue; sizes are in characters. */
export function openEntryQueue(): Queue<Entry, EntryBatch> {
  const waiting: Entry[] = [];
  let characters = 0;
  return {
    push: (entry) => {
      waiting.push(entry);
      characters += lengthOf(entry);
    },
    sizeOf: lengthOf,
    length: () => waiting.length,
    size: () => characters,
    take: () => {
      let taken = 0;
      const end = waiting.findIndex((entry) => (taken += lengthOf(entry)) > maxBatchCharacters);
      const entries = waiting.slice(0, end === -1 ? waiting.length : Math.max(1, end));
      return { entries, kinds: entries.map(({ kind }) => kind) };
    },
    drop: (entries) => {
      for (const entry of waiting.splice(0, entries)) characters -= lengthOf(entry);
    },
    kinds: () => waiting.map(({ kind }) => kind),
  };
}

const lengthOf = ({ head, rest }: Entry): number => head.length + rest.length;
