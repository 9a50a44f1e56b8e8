/** A refusal: somebody else is writing to the store, and did not end in time. */
export class LockedError extends Error {
  override readonly name = "Refusal";
}
