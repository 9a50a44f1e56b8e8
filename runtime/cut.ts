/** Truncates strings without splitting a surrogate pair: encoders throw at half of one. */

/** Returns the beginning of a text, at most so many UTF-16 units of it. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

/** The same with dots behind it where something is missing. */
export const cutWithDots = (text: string, most: number): string => (text.length <= most ? text : `${cut(text, most)}...`);
