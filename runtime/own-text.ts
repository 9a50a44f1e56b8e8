/** Copies a string out of the one that it was sliced from: a slice is slow to compare and keeps the whole in memory. */

/** Shorter pieces are copies anyway. */
const shortPiece = 13;

/** The same text; the engine keeps names of properties by themselves. */
export const ownText = (text: string): string => (text.length < shortPiece ? text : (Object.keys({ [text]: 0 })[0] ?? text));
