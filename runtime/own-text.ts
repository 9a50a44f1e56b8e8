/**
 * Copies a string that may be a slice of a larger one. A slice is slower to compare and keeps the larger string in
 * memory.
 */

/** V8 copies shorter slices anyway. */
const shortPiece = 13;

/** Returns an equal string of its own: V8 stores property names separately. */
export const ownText = (text: string): string => (text.length < shortPiece ? text : (Object.keys({ [text]: 0 })[0] ?? text));
