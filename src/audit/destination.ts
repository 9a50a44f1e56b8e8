/** Where audit entries are written: what a destination does with a batch, and what it says of the outcome. */
import type { RecordedKind } from "./entry.ts";

/** Entries that are written together, by their kinds: one each. */
export interface Batch {
  readonly kinds: readonly RecordedKind[];
}

/** What became of a batch: how many entries, from the first on, are written whole; and what is in the way of the rest. */
export interface Delivery {
  readonly delivered: number;
  readonly trouble?: unknown;
}

/** Where entries are written; it is asked for one thing at a time. */
export interface Destination<Taken extends Batch> {
  /** As an operator knows it. */
  readonly name: string;
  readonly deliver: (batch: Taken) => Promise<Delivery>;
  /** What has to be done about every second, also when nothing is to be written. */
  readonly tend?: () => Promise<void>;
  /** Makes everything written safe, and closes. */
  readonly close: () => Promise<void>;
}

/** Trouble about where entries are to be written from now on; meanwhile they are written to where they were before. */
export class StillWritten extends Error {
  override readonly name = "StillWritten";
}
