/** Sends a list in requests, several at a time where none leans on another: a server takes in together what waits together. */
import { batches } from "./batches.ts";
import type { Outcome } from "./client.ts";
import type { Failure } from "./failure.ts";

/** What is sent, and how. */
export interface Sending<T> {
  /** In ascending order of their ranks. */
  readonly items: readonly T[];
  readonly bytesOf: (item: T) => number;
  /** What is of a higher rank may lean on what is of a lower one, which must be there then. */
  readonly rankOf: (item: T) => number;
  readonly ask: (batch: readonly T[]) => Promise<Outcome<unknown>>;
}

/** What came of it. */
export interface Sent<T> {
  /** How many were taken. */
  readonly taken: number;
  /** The first request that was not, and why: nothing more was sent after it was known. */
  readonly refused?: { readonly batch: readonly T[]; readonly failure: Failure };
}

/** So many requests may wait for their answers. */
const mostAtOnce = 16;

interface Underway {
  /** Of the first, which is the lowest. */
  readonly rank: number;
  readonly done: Promise<void>;
}

/** Sends all of it; resolves when every request that was sent is answered. */
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
    // Who may not ask at all is told so once, and a password is compared once.
    if (at === 0) await one.done;
  }
  await Promise.all([...underway].map(({ done }) => done));
  const [first] = refusals.toSorted((left, right) => left.at - right.at);
  return { taken, ...(first !== undefined && { refused: first }) };
}
