/** The interface of destinations of audit entries: each writes batches, and reports the outcome. */
import type { RecordedKind } from "./entry.ts";

/** Entries that are written together: the kind of each. */
export interface Batch {
  readonly kinds: readonly RecordedKind[];
}

/** The outcome of one delivery: how many entries, from the first on, were written completely; and the error that prevented the rest. */
export interface Delivery {
  readonly delivered: number;
  readonly trouble?: unknown;
}

/** Where entries are written. Its methods are never called concurrently. */
export interface Destination<Taken extends Batch> {
  /** Its name for operators, in log lines. */
  readonly name: string;
  readonly deliver: (batch: Taken) => Promise<Delivery>;
  /** Maintenance, called about every second, also when nothing is to be written; rejects with what is wrong. */
  readonly maintain?: () => Promise<void>;
  /** Syncs what was written, where it is a file, and closes. */
  readonly close: () => Promise<void>;
}

/** Thrown when switching to a new file failed; until that succeeds, entries are still written to the old one. */
export class RotationError extends Error {
  override readonly name = "RotationError";
}
