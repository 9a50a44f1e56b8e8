/** Refusals of what a store could not do: to whoever asked for a change, and to whoever asked a question. A store that could not do it is not a bug of ours. */
import { refused, type Refused } from "../compile/commands.ts";
import { isRefusal } from "../refusal.ts";
import { LockedError } from "../store/locked-error.ts";
import { UnwrittenError } from "../store/write-files.ts";

/** Refuses a change; nothing is changed. Throws what is no refusal. */
export function refuseChange(error: unknown): Refused {
  if (error instanceof UnwrittenError && error.isNameUnusable) return refused("precondition", error.message);
  if (error instanceof LockedError) return { ...refused("store", askAgain(error)), isPassing: true };
  return refuse(error);
}

/** Refuses to answer a question. Throws what is no refusal. */
export function refuseReading(error: unknown): Refused {
  return error instanceof LockedError ? refused("unavailable", askAgain(error)) : refuse(error);
}

function refuse(error: unknown): Refused {
  if (isRefusal(error)) return refused("store", error.message);
  throw error;
}

const askAgain = ({ message }: LockedError): string => `${message}: ask again`;
