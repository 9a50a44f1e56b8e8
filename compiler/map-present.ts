/** `map` for lists of which thousands are kept: none has spare capacity, and all empty ones are one object. */

/** Returns what becomes of each element, without those of which nothing does. */
export function mapPresent<T, U>(elements: readonly T[], change: (element: T, index: number) => U | undefined): readonly U[] {
  const changed = elements.map(change);
  // A list that grew keeps room for more; of policies there are too many for that, and nearly always everything is there.
  return changed.every(isPresent) ? changed : changed.filter(isPresent);
}

/** Returns what becomes of each element. */
export const mapEach = <T, U>(elements: readonly T[], change: (element: T) => U): readonly U[] =>
  elements.length === 0 ? none : elements.map(change);

const none: readonly never[] = [];

const isPresent = <U>(value: U | undefined): value is U => value !== undefined;
