/** Escapes untrusted strings for a terminal: characters that would move the cursor or change the text direction. */

// Control characters, lone surrogates, line separators, and marks that change the text direction.
const unsafe = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;
const unsafeExceptBreaks = new RegExp(`(?![\\n\\t])${unsafe.source}`, "gu");

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes all of them, so that a string stays on its line and in its column. */
export const printable = (text: string): string => text.replaceAll(unsafe, escaped);

/** Escapes all but line feeds and tabs. In JSON, and in double-quoted YAML, the value stays the same. */
export const printableLines = (text: string): string => text.replaceAll(unsafeExceptBreaks, escaped);

/** Returns whether a string contains none of them. */
export const isPrintable = (text: string): boolean => text.search(unsafe) === -1;
