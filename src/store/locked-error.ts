/** The refusal when another process holds a lock on the store for too long. */
export class LockedError extends Error {
  override readonly name = "Refusal";
}
