/** Changes that wait for their turn are made together: many small ones cost what one large one does, and each is answered by itself. */
import { invariant } from "../../runtime/cel/error.ts";
import type { Changed, Refused } from "../compile/commands.ts";
import { changeStore, changeTogether, type Followed, type Plan } from "./change-store.ts";

/** More wait for the next turn: one of them that is refused has the others tried again, in halves. */
const mostTogether = 32;

interface Waiting {
  readonly plan: Plan;
  readonly resolve: (answer: Changed | Refused) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens the way for changes, each of which waits, `inTurn`, for those who read or change the store before it. */
export function openChanging(
  followed: Followed,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): (plan: Plan) => Promise<Changed | Refused> {
  const waiting: Waiting[] = [];
  // A turn for each: whoever comes when all has been done with those before has nothing to do.
  const takeTurn = (): Promise<void> => make(followed, waiting.splice(0, mostTogether));
  return (plan) =>
    new Promise((resolve, reject) => {
      waiting.push({ plan, resolve, reject });
      void inTurn(takeTurn);
    });
}

/** Never rejects: who asked is told. */
async function make(followed: Followed, changes: readonly Waiting[]): Promise<void> {
  const [first, ...others] = changes;
  if (first === undefined) return;
  try {
    if (others.length === 0) return first.resolve(await changeStore(followed, first.plan));
    const answers = await changeTogether(
      followed,
      changes.map(({ plan }) => plan),
    );
    if (answers === undefined) {
      const half = Math.ceil(changes.length / 2);
      await make(followed, changes.slice(0, half));
      return await make(followed, changes.slice(half));
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
