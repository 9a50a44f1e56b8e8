/** Refusals: why a command or a start cannot go on, in words for the operator, shown without a stack trace; and what else errors say. */

/** Returns an error whose message is all that the operator needs. */
export function refusal(message: string): Error {
  const error = new Error(message);
  error.name = "Refusal";
  return error;
}

/** Tells a refusal from a bug of ours. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "Refusal";
}

/** Returns the sentence of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system's code of an error, such as `EACCES`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
