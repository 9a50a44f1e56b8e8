/** Converts errors of a store to refusals, for changes and for queries. Other errors are bugs of ours, and are thrown. */
import { refused, type Refused } from "../compile/commands.ts";
import { isRefusal } from "../refusal.ts";
import { LockedError } from "../store/locked-error.ts";
import { UnwrittenError } from "../store/write-files.ts";

/** Returns the refusal of a change; nothing was changed. Throws errors that are no refusals. */
export function refuseChange(error: unknown): Refused {
  if (error instanceof UnwrittenError && error.isNameUnusable) return refused("precondition", error.message);
  if (error instanceof LockedError) return { ...refused("store", askAgain(error)), isPassing: true };
  return refuse(error);
}

/** Returns the refusal of a query. Throws errors that are no refusals. */
export function refuseReading(error: unknown): Refused {
  return error instanceof LockedError ? refused("unavailable", askAgain(error)) : refuse(error);
}

function refuse(error: unknown): Refused {
  if (isRefusal(error)) return refused("store", error.message);
  throw error;
}

const askAgain = ({ message }: LockedError): string => `${message}: ask again`;
