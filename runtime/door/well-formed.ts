/** Whether a string consists of whole characters: half a surrogate pair cannot be sent to a server or encoded in UTF-8. */

export const isWellFormed = (text: string): boolean => text.isWellFormed();
