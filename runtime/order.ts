/**
 * The order of names and paths: by UTF-16 units, as JavaScript compares strings. CEL's order differs, see
 * `cel/text.ts`.
 */

/** Compares two strings, for sorting. */
export const byUnits = (left: string, right: string): -1 | 0 | 1 => (left < right ? -1 : left > right ? 1 : 0);
