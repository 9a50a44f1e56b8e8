/** Refusals: errors for the operator, shown without a stack trace. They say why a command or a start cannot go on. */

/** Returns an error whose message is all that the operator needs. */
export function refusal(message: string): Error {
  const error = new Error(message);
  error.name = "Refusal";
  return error;
}

/** Returns whether an error is a refusal, and not a bug of ours. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Error && error.name === "Refusal";
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the system's error code, such as `EACCES`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
