/** Sends a list in batches, several in parallel where none depends on another: the server executes waiting changes together. */
import { splitIntoBatches } from "./batches.ts";
import type { CallResult } from "./client.ts";
import type { Failure } from "./failure.ts";

/** What to send, and how. */
export interface BatchOptions<T> {
  /** In ascending order of rank. */
  readonly items: readonly T[];
  readonly bytesOf: (item: T) => number;
  /** Items of a higher rank may depend on items of a lower rank, which must have been sent before. */
  readonly rankOf: (item: T) => number;
  readonly send: (batch: readonly T[]) => Promise<CallResult<unknown>>;
}

/** The result. */
export interface BatchResult<T> {
  /** How many items were accepted. */
  readonly accepted: number;
  /** The first batch that was refused, and why; no further batch was sent once that was known. */
  readonly refused?: { readonly batch: readonly T[]; readonly failure: Failure };
}

/** The most batches in flight. */
const maxConcurrent = 16;

interface BatchInFlight {
  /** The rank of the first item, which is the lowest. */
  readonly rank: number;
  readonly done: Promise<void>;
}

/** Sends all batches; resolves when every batch that was sent has been answered. */
export async function sendBatches<T>({ items, bytesOf, rankOf, send: sendBatch }: BatchOptions<T>): Promise<BatchResult<T>> {
  const inFlight = new Set<BatchInFlight>();
  const refusals: (NonNullable<BatchResult<T>["refused"]> & { readonly at: number })[] = [];
  let accepted = 0;
  const send = async (batch: readonly T[], at: number): Promise<void> => {
    const outcome = await sendBatch(batch);
    if ("failure" in outcome) refusals.push({ batch, failure: outcome.failure, at });
    else accepted += batch.length;
  };
  for (const [at, batch] of splitIntoBatches(items, bytesOf).entries()) {
    const ranks = batch.map(rankOf);
    const [lowest, highest] = [Math.min(...ranks), Math.max(...ranks)];
    const mustWait = (): boolean => inFlight.size >= maxConcurrent || [...inFlight].some(({ rank }) => rank < highest);
    while (mustWait()) await Promise.race([...inFlight].map(({ done }) => done));
    if (refusals.length > 0) break;
    const one: BatchInFlight = { rank: lowest, done: send(batch, at).finally(() => inFlight.delete(one)) };
    inFlight.add(one);
    // The first batch is sent alone, so that missing permissions are reported once, and the password is hashed once.
    if (at === 0) await one.done;
  }
  await Promise.all([...inFlight].map(({ done }) => done));
  const [first] = refusals.toSorted((left, right) => left.at - right.at);
  return { accepted, ...(first !== undefined && { refused: first }) };
}
