/** Where audit entries are written: what a destination does with a batch, and what it says of the outcome. */
import type { RecordedKind } from "./entry.ts";

/** Entries that are written together, by their kinds: one each. */
export interface Batch {
  readonly kinds: readonly RecordedKind[];
}

/** The outcome of one delivery: how many entries, from the first on, are written whole; and what is in the way of the rest. */
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
  readonly tend?: () => Promise<void>;
  /** Syncs what was written, where it is a file, and closes. */
  readonly close: () => Promise<void>;
}

/** Trouble about where entries are to be written from now on; meanwhile they are written to where they were before. */
export class StillWritten extends Error {
  override readonly name = "StillWritten";
}
