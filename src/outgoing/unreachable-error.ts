/** The refusal when a remote store does not answer, or answers that it cannot at present: a retry may succeed. */
import { refusal } from "../refusal.ts";

/** The remote did not answer, or not completely, or not yet. */
export class UnreachableError extends Error {
  override readonly name = "Refusal";
}

/** Returns the refusal with another message, and of the same kind. */
export const withMessage = (error: unknown, message: string): Error =>
  error instanceof UnreachableError ? new UnreachableError(message) : refusal(message);

/** Returns the refusal of an HTTP status: a server that is overloaded or has failed may answer again later. */
export const refuseStatus = (status: number, message: string): Error =>
  status === 408 || status === 429 || status >= 500 ? new UnreachableError(message) : refusal(message);
