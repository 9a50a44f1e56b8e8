/** The order of names and paths: by UTF-16 units, as JavaScript sorts. CEL orders strings otherwise, see `cel/text.ts`. */

/** Compares two texts, for sorting. */
export const byUnits = (left: string, right: string): -1 | 0 | 1 => (left < right ? -1 : left > right ? 1 : 0);
