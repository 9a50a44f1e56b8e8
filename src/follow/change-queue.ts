/** Batches changes that are waiting for their turn: many small ones then cost what one large one does. Each gets its own answer. */
import { invariant } from "../../runtime/cel/error.ts";
import type { Changed, Refused } from "../compile/commands.ts";
import { changeStore, changeBatch, type StoreOperations, type Plan } from "./change-store.ts";

/** The most changes in one batch. If one of a batch is refused, the batch is split in halves and tried again. */
const largestBatch = 32;

interface Waiting {
  readonly plan: Plan;
  readonly resolve: (answer: Changed | Refused) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns a function that executes a change. Changes are serialised with other reads and changes by `inTurn`. */
export function openChangeQueue(
  operations: StoreOperations,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): (plan: Plan) => Promise<Changed | Refused> {
  const waiting: Waiting[] = [];
  // Each change queues a turn; the turns of changes that an earlier batch included find nothing to do.
  const takeTurn = (): Promise<void> => make(operations, waiting.splice(0, largestBatch));
  return (plan) =>
    new Promise((resolve, reject) => {
      waiting.push({ plan, resolve, reject });
      void inTurn(takeTurn);
    });
}

/** Never rejects: the error goes to whoever requested the change. */
async function make(operations: StoreOperations, changes: readonly Waiting[]): Promise<void> {
  const [first, ...others] = changes;
  if (first === undefined) return;
  try {
    if (others.length === 0) return first.resolve(await changeStore(operations, first.plan));
    const answers = await changeBatch(
      operations,
      changes.map(({ plan }) => plan),
    );
    if (answers === undefined) {
      const half = Math.ceil(changes.length / 2);
      await make(operations, changes.slice(0, half));
      return await make(operations, changes.slice(half));
    }
    for (const [index, { resolve }] of changes.entries()) {
      const answer = answers[index];
      invariant(answer !== undefined, "each change is answered");
      resolve(answer);
    }
  } catch (error) {
    for (const { reject } of changes) reject(error);
  }
}
