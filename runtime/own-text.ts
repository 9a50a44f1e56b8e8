/** Texts of their own: a piece of a longer one, as a parser cuts it out, is slow to compare and keeps the whole in memory. */

/** Shorter pieces are copies anyway. */
const shortPiece = 13;

/** The same text; the engine keeps names of properties by themselves. */
export const ownText = (text: string): string => (text.length < shortPiece ? text : (Object.keys({ [text]: 0 })[0] ?? text));
