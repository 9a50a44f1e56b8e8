/** Truncates strings without splitting a surrogate pair, because encoders throw at half of one. */

/** Returns the first `most` UTF-16 units of a string, or one fewer if that would split a pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

/** The same, with dots appended if something was cut off. */
export const cutWithDots = (text: string, most: number): string => (text.length <= most ? text : `${cut(text, most)}...`);
