/** Sends a list in batches, several in parallel where none depends on another: the server executes waiting changes together. */
import { batches } from "./batches.ts";
import type { Outcome } from "./client.ts";
import type { Failure } from "./failure.ts";

/** What to send, and how. */
export interface Sending<T> {
  /** In ascending order of rank. */
  readonly items: readonly T[];
  readonly bytesOf: (item: T) => number;
  /** Items of a higher rank may depend on items of a lower rank, which must have been sent before. */
  readonly rankOf: (item: T) => number;
  readonly ask: (batch: readonly T[]) => Promise<Outcome<unknown>>;
}

/** The result. */
export interface Sent<T> {
  /** How many items were accepted. */
  readonly taken: number;
  /** The first batch that was refused, and why; no further batch was sent once that was known. */
  readonly refused?: { readonly batch: readonly T[]; readonly failure: Failure };
}

/** The most batches in flight. */
const mostAtOnce = 16;

interface Underway {
  /** The rank of the first item, which is the lowest. */
  readonly rank: number;
  readonly done: Promise<void>;
}

/** Sends all batches; resolves when every batch that was sent has been answered. */
export async function sendBatches<T>({ items, bytesOf, rankOf, ask }: Sending<T>): Promise<Sent<T>> {
  const underway = new Set<Underway>();
  const refusals: (NonNullable<Sent<T>["refused"]> & { readonly at: number })[] = [];
  let taken = 0;
  const send = async (batch: readonly T[], at: number): Promise<void> => {
    const outcome = await ask(batch);
    if ("failure" in outcome) refusals.push({ batch, failure: outcome.failure, at });
    else taken += batch.length;
  };
  for (const [at, batch] of batches(items, bytesOf).entries()) {
    const ranks = batch.map(rankOf);
    const [lowest, highest] = [Math.min(...ranks), Math.max(...ranks)];
    const mustWait = (): boolean => underway.size >= mostAtOnce || [...underway].some(({ rank }) => rank < highest);
    while (mustWait()) await Promise.race([...underway].map(({ done }) => done));
    if (refusals.length > 0) break;
    const one: Underway = { rank: lowest, done: send(batch, at).finally(() => underway.delete(one)) };
    underway.add(one);
    // The first batch is sent alone, so that missing permissions are reported once, and the password is hashed once.
    if (at === 0) await one.done;
  }
  await Promise.all([...underway].map(({ done }) => done));
  const [first] = refusals.toSorted((left, right) => left.at - right.at);
  return { taken, ...(first !== undefined && { refused: first }) };
}
