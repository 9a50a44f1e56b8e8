/** Text of others on a terminal: what would move the cursor, or turn the direction of a line, is escaped. */

// Controls, halves of characters, separators of lines, and marks that change the direction of what follows.
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
const unsafeButBreaks = new RegExp(`(?![\\n\\t])${unsafe.source}`, "gu");

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes all of them, so that the text stays on its line and within its column. */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped);

/** Escapes all but line feeds and tabs. In JSON, and in quotes of YAML, what comes out says the same as what went in. */
export const printableLines = (text: string): string => text.replaceAll(unsafeButBreaks, escaped);

/** Says whether a text holds any of them. */
export const isPrintable = (text: string): boolean => text.search(unsafe) === -1;
