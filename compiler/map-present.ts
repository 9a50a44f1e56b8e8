/** `map` for lists that are kept by the thousands: results have no spare capacity, and all empty results are one object. */

/** Maps a list and leaves out undefined results. */
export function mapPresent<T, U>(elements: readonly T[], change: (element: T, index: number) => U | undefined): readonly U[] {
  const changed = elements.map(change);
  // A list that grew has spare capacity, which adds up over many policies. Usually no result is undefined.
  return changed.every(isPresent) ? changed : changed.filter(isPresent);
}

/** Maps a list. */
export const mapEach = <T, U>(elements: readonly T[], change: (element: T) => U): readonly U[] =>
  elements.length === 0 ? none : elements.map(change);

const none: readonly never[] = [];

const isPresent = <U>(value: U | undefined): value is U => value !== undefined;
