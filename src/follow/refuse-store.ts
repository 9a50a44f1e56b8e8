/** Converts errors of a store to refusals, for changes and for queries. Other errors are bugs of ours, and are thrown. */
import { refused, type Refused } from "../compile/commands.ts";
import { isRefusal } from "../refusal.ts";
import { LockedError } from "../store/locked-error.ts";
import { UnreachableError } from "../outgoing/unreachable-error.ts";
import { UnwrittenError } from "../store/write-files.ts";

/** Returns the refusal of a change; nothing was changed. Throws errors that are no refusals. */
export function refuseChange(error: unknown): Refused {
  if (error instanceof UnwrittenError && error.isNameUnusable) return refused("precondition", error.message);
  if (error instanceof LockedError) return { ...refused("store", `${error.message}: ask again`), isPassing: true };
  if (isRefusal(error)) return refused("store", error.message);
  throw error;
}

/** Returns the refusal of a query. Throws errors that are no refusals. */
export function refuseReading(error: unknown, consequence = ""): Refused {
  if (!isRefusal(error)) throw error;
  const message = `${error.message}${consequence}`;
  const mayPass = error instanceof LockedError || error instanceof UnreachableError;
  return mayPass ? refused("unavailable", `${message}: ask again`) : refused("store", message);
}

/** Returns the refusal of a reload: the policies in force are the same as before. Throws errors that are no refusals. */
export const refuseReload = (error: unknown): Refused => refuseReading(error, "; the last good policies stay in force");
